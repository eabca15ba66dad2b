//! Many comparisons at a time: threads with a zygote each, results in the order of the candidates, kept if wanted.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crossbeam_channel::{Receiver, Sender, bounded};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::changed::Candidate;
use super::pair::{Options, compare};
use super::verdict::Comparison;
use crate::client::{ClientError, Zygote};
use crate::cover::store::{Kept, Store};
use crate::cover::{CoverError, interrupted};

/// How often a comparison is begun whose zygote is gone.
const ATTEMPTS: u32 = 3;
/// A zygote is replaced after so many comparisons: what they leave behind in it must not add up.
const PAIRS_PER_ZYGOTE: u32 = 500;
/// Syntax trees are walked recursively.
const STACK_BYTES: usize = 512 << 20;

/// A comparison, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Tells apart what would give other results.
    pub fingerprint: String,
    /// What was found.
    pub comparison: Comparison,
}

impl Kept for Record {
    const FORMAT: &'static str = "surmise.diff-store/1";
    const COMMAND: &'static str = "surmise diff";

    fn keys(&self) -> (&str, &str) {
        (&self.fingerprint, "")
    }
}

/// What all comparisons depend on.
pub struct Batch<'a> {
    /// How each is done.
    pub options: &'a Options,
    /// Threads.
    pub jobs: usize,
    /// Starts a zygote in the sandbox that the user chose.
    pub start: &'a (dyn Fn() -> Result<Zygote, ClientError> + Sync),
}

/// How many results there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// From the store.
    pub old: u64,
    /// Of this process.
    pub new: u64,
}

struct Task {
    index: u64,
    candidate: Candidate,
}

type Finished = Result<(u64, Comparison), CoverError>;

/// What the threads share.
struct Shared<'a> {
    store: Option<Mutex<&'a mut Store<Record>>>,
    old: AtomicU64,
    new: AtomicU64,
    failed: AtomicBool,
}

impl Shared<'_> {
    fn is_over(&self) -> bool {
        interrupted() || self.failed.load(Ordering::Relaxed)
    }

    fn stored(&self, candidate: &Candidate) -> Result<Option<Comparison>, CoverError> {
        let Some(store) = &self.store else { return Ok(None) };
        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(store.get(&candidate.fingerprint(), "")?.map(|record| record.comparison))
    }

    fn keep(&self, candidate: &Candidate, comparison: &Comparison) -> Result<(), CoverError> {
        self.new.fetch_add(1, Ordering::Relaxed);
        let Some(store) = &self.store else { return Ok(()) };
        let record = Record { fingerprint: candidate.fingerprint(), comparison: comparison.clone() };
        store.lock().unwrap_or_else(PoisonError::into_inner).add(&record)
    }
}

impl Candidate {
    /// Tells apart what would give other results.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let mut hash = Sha256::new().chain_update(&self.name);
        if let Ok(versions) = &self.versions {
            for version in [&versions.0, &versions.1] {
                for part in [&version.qualname, &version.own, &version.source.text, &version.around.package] {
                    hash = hash.chain_update([0]).chain_update(part);
                }
                for module in &version.around.modules {
                    hash =
                        hash.chain_update([1]).chain_update(&module.name).chain_update([0]).chain_update(&module.text);
                }
            }
        }
        let digest = hash.finalize();
        format!("{:032x}", digest[..16].iter().fold(0, |value: u128, &byte| value << 8 | u128::from(byte)))
    }
}

impl Batch<'_> {
    /// Compares what `list` hands out, until its receiver returns false, and tells `take` in the same order.
    ///
    /// # Errors
    /// What `list` returns; when results cannot be kept; when no worker can be started.
    pub fn run<E: From<CoverError>>(
        &self,
        store: Option<&mut Store<Record>>,
        list: impl FnOnce(&mut dyn FnMut(Candidate) -> bool) -> Result<(), E>,
        mut take: impl FnMut(Comparison) + Send,
    ) -> Result<Done, E> {
        let shared = Shared {
            store: store.map(Mutex::new),
            old: AtomicU64::new(0),
            new: AtomicU64::new(0),
            failed: AtomicBool::new(false),
        };
        let (send_task, tasks) = bounded::<Task>(self.jobs * 2);
        let (send_done, done) = bounded::<Finished>(self.jobs * 2);
        std::thread::scope(|scope| {
            let shared = &shared;
            for _ in 0..self.jobs {
                let (tasks, send_done) = (tasks.clone(), send_done.clone());
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                let worker = thread.spawn_scoped(scope, move || self.work(&tasks, &send_done, shared));
                worker.map_err(|error| CoverError::from(ClientError::Setup(error)))?;
            }
            drop(tasks);
            let collector = scope.spawn(move || collect(&done, shared, &mut take));
            let mut index = 0;
            let listed = list(&mut |candidate| {
                let known = shared.stored(&candidate).transpose();
                let sent = match known {
                    Some(known) => {
                        shared.old.fetch_add(1, Ordering::Relaxed);
                        send_done.send(known.map(|comparison| (index, comparison))).is_ok()
                    }
                    None => send_task.send(Task { index, candidate }).is_ok(),
                };
                index += 1;
                sent && !shared.is_over()
            });
            drop((send_task, send_done));
            let collected = collector.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            listed?;
            collected?;
            Ok(Done { old: shared.old.load(Ordering::Relaxed), new: shared.new.load(Ordering::Relaxed) })
        })
    }

    fn work(&self, tasks: &Receiver<Task>, done: &Sender<Finished>, shared: &Shared<'_>) {
        let mut zygote = None;
        let mut served = 0;
        for task in tasks {
            if shared.is_over() {
                // What is left is not begun; the queue is emptied for the lister to see it.
                continue;
            }
            if served == PAIRS_PER_ZYGOTE {
                (zygote, served) = (None, 0);
            }
            served += 1;
            // A fault of ours in one comparison must not cost the others.
            let attempt = std::panic::AssertUnwindSafe(|| self.compare(&mut zygote, &task.candidate));
            let compared = std::panic::catch_unwind(attempt).unwrap_or_else(|_| {
                zygote = None;
                let failure = "a fault of Surmise itself ended the comparison";
                Ok(Comparison::unknown(&task.candidate, failure.to_owned()))
            });
            let result = compared.map_err(CoverError::from).and_then(|comparison| {
                shared.keep(&task.candidate, &comparison)?;
                Ok((task.index, comparison))
            });
            if done.send(result).is_err() {
                return;
            }
        }
    }

    /// Tried again where the zygote is gone: somebody else may have ended it.
    fn compare(&self, zygote: &mut Option<Zygote>, candidate: &Candidate) -> Result<Comparison, ClientError> {
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            if zygote.is_none() && candidate.versions.is_ok() {
                zygote.insert((self.start)()?).wait_until_ready()?;
            }
            let compared = match zygote {
                Some(zygote) => compare(zygote, candidate, self.options),
                None => return Ok(Comparison::known(candidate)),
            };
            match compared {
                Err(ClientError::Lost(error)) if left == 0 => {
                    *zygote = None;
                    return Ok(Comparison::unknown(candidate, format!("its runs end the worker process: {error}")));
                }
                Err(ClientError::Lost(_)) => *zygote = None,
                compared => return compared,
            }
        }
    }
}

/// Hands results on in the order of the candidates.
fn collect(
    done: &Receiver<Finished>,
    shared: &Shared<'_>,
    take: &mut (impl FnMut(Comparison) + Send),
) -> Result<(), CoverError> {
    let (mut waiting, mut next, mut failed) = (BTreeMap::new(), 0, None);
    for result in done {
        match result {
            Ok((index, comparison)) => drop(waiting.insert(index, comparison)),
            Err(error) => {
                shared.failed.store(true, Ordering::Relaxed);
                failed.get_or_insert(error);
            }
        }
        while let Some(comparison) = waiting.remove(&next) {
            next += 1;
            take(comparison);
        }
    }
    // After an interruption there may be gaps.
    waiting.into_values().for_each(take);
    failed.map_or(Ok(()), Err)
}

//! Many comparisons at a time: results in the order of the candidates, kept if wanted.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::candidate::Candidate;
use super::comparison::Comparison;
use super::pair::{Options, compare};
use surmise_batch::BatchError;
use surmise_batch::pool::{InOrder, Pool, Worker};
use surmise_batch::store::{Kept, Store};
use surmise_engine::client::ClientError;

/// A comparison, as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// Tells apart what would give other results.
    pub fingerprint: String,
    /// What was found.
    pub comparison: Comparison,
}

impl Kept for Record {
    const FORMAT: &'static str = "surmise.diff-store/2";
    const COMMAND: &'static str = "surmise diff";

    fn keys(&self) -> (&str, &str) {
        (&self.fingerprint, "")
    }
}

/// What all comparisons depend on.
pub struct Batch<'a> {
    /// How each is done.
    pub options: &'a Options,
    /// Who does them.
    pub pool: Pool<'a>,
}

/// How many results there are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Done {
    /// Results that the store had.
    pub old: u64,
    /// Results that this process made.
    pub new: u64,
}

/// A candidate, with its comparison if the store has it.
struct Task {
    candidate: Candidate,
    stored: Option<Comparison>,
}

impl Candidate {
    /// Tells apart what would give other results.
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
    /// Compares what `list` hands out, until its receiver returns false, and hands `take` the results in the same order.
    ///
    /// # Errors
    /// What `list` returns; when results cannot be kept; when no worker can be started.
    pub fn run<E: From<BatchError>>(
        &self,
        store: Option<&mut Store<Record>>,
        list: impl FnOnce(&mut dyn FnMut(Candidate) -> bool) -> Result<(), E>,
        mut take: impl FnMut(Comparison) + Send,
    ) -> Result<Done, E> {
        let store = store.map(Mutex::new);
        let (old, new) = (AtomicU64::new(0), AtomicU64::new(0));
        let mut order = InOrder::default();
        let mut unread = Ok(());
        let done = self.pool.run(
            |push| {
                list(&mut |candidate| match stored(store.as_ref(), &candidate) {
                    Ok(stored) => push(Task { candidate, stored }),
                    Err(error) => {
                        unread = Err(error);
                        false
                    }
                })
            },
            |worker, task| {
                if let Some(comparison) = &task.stored {
                    old.fetch_add(1, Ordering::Relaxed);
                    return Ok(comparison.clone());
                }
                let comparison = self.compare(worker, &task.candidate)?;
                new.fetch_add(1, Ordering::Relaxed);
                keep(store.as_ref(), &task.candidate, &comparison)?;
                Ok(comparison)
            },
            |task| {
                let failure = "a fault of Surmise itself ended the comparison";
                Comparison::unknown(&task.candidate, failure.to_owned())
            },
            |number, comparison| {
                order.take(number, comparison, &mut take);
                Ok(())
            },
        );
        order.into_rest().for_each(take);
        done?;
        unread?;
        Ok(Done { old: old.into_inner(), new: new.into_inner() })
    }

    /// Compares a candidate, again where the zygote is gone: somebody else may have ended it.
    fn compare(&self, worker: &mut Worker<'_>, candidate: &Candidate) -> Result<Comparison, ClientError> {
        if candidate.versions.is_err() {
            return Ok(Comparison::known(candidate));
        }
        match worker.steady(|zygote| compare(zygote, candidate, self.options), |_| false) {
            Err(ClientError::Lost(error)) => {
                Ok(Comparison::unknown(candidate, format!("its runs end the worker process: {error}")))
            }
            compared => compared,
        }
    }
}

fn stored(store: Option<&Mutex<&mut Store<Record>>>, candidate: &Candidate) -> Result<Option<Comparison>, BatchError> {
    let Some(store) = store else { return Ok(None) };
    Ok(lock(store).get(&candidate.fingerprint(), "")?.map(|record| record.comparison))
}

fn keep(
    store: Option<&Mutex<&mut Store<Record>>>,
    candidate: &Candidate,
    comparison: &Comparison,
) -> Result<(), BatchError> {
    let Some(store) = store else { return Ok(()) };
    lock(store).add(&Record { fingerprint: candidate.fingerprint(), comparison: comparison.clone() })
}

fn lock<'m, 's>(store: &'m Mutex<&'s mut Store<Record>>) -> MutexGuard<'m, &'s mut Store<Record>> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

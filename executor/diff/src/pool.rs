//! Many comparisons at a time: results in the order of the candidates, kept if wanted.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::candidate::Candidate;
use super::comparison::Comparison;
use super::options::Options;
use super::pair::compare;
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
    const FORMAT: &'static str = "surmise.diff-store/4";
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

/// The comparison of a candidate, and what is to be stored of it.
struct Compared {
    comparison: Comparison,
    /// The record of a comparison that was made; a fault is not kept.
    record: Option<Record>,
    /// 1 if the store had the comparison.
    old: u64,
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
                if let Some(place) = &version.place {
                    hash = hash.chain_update([2]).chain_update(&place.content);
                }
                for (name, was) in &version.renamed {
                    hash = hash.chain_update([3]).chain_update(name).chain_update([0]).chain_update(was);
                }
                hash = hash.chain_update([4]).chain_update(format!("{:?}", version.state));
                for module in &version.around.modules {
                    hash =
                        hash.chain_update([1]).chain_update(&module.name).chain_update([0]).chain_update(&module.text);
                }
            }
        }
        format!("{:x}", hash.finalize())[..32].to_owned()
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
        let store = || store.as_ref().map(|store| store.lock().unwrap_or_else(PoisonError::into_inner));
        let (mut done, mut order, mut unread) = (Done::default(), InOrder::default(), Ok(()));
        let ran = self.pool.run(
            |push| {
                list(&mut |candidate| {
                    let stored = store().map_or(Ok(None), |mut store| store.get(&candidate.fingerprint(), ""));
                    match stored {
                        Ok(stored) => push(Task { candidate, stored: stored.map(|record: Record| record.comparison) }),
                        Err(error) => {
                            unread = Err(error);
                            false
                        }
                    }
                })
            },
            |worker, task| {
                if let Some(comparison) = &task.stored {
                    return Ok(Compared { comparison: comparison.clone(), record: None, old: 1 });
                }
                let comparison = self.compare(worker, &task.candidate)?;
                let fingerprint = task.candidate.fingerprint();
                let record = Some(Record { fingerprint, comparison: comparison.clone() });
                Ok(Compared { comparison, record, old: 0 })
            },
            |task| {
                let failure = "a fault of Surmise itself ended the comparison".to_owned();
                Compared { comparison: Comparison::unknown(&task.candidate, failure), record: None, old: 0 }
            },
            |number, compared| {
                if let (Some(record), Some(mut store)) = (&compared.record, store()) {
                    store.add(record)?;
                }
                done.old += compared.old;
                done.new += u64::from(compared.record.is_some());
                order.take(number, compared.comparison, &mut take);
                Ok(())
            },
        );
        order.into_rest().for_each(take);
        ran?;
        unread?;
        Ok(done)
    }

    /// Compares a candidate, again where the zygote is gone: somebody else may have ended it.
    fn compare(&self, worker: &mut Worker<'_>, candidate: &Candidate) -> Result<Comparison, ClientError> {
        if candidate.versions.is_err() {
            return Ok(Comparison::known(candidate));
        }
        let zygotes = if worker.has_idle_processor() { 2 } else { 1 };
        match worker.steady_with(zygotes, |zygotes| compare(zygotes, candidate, self.options), |_| false) {
            Err(ClientError::Lost(error)) => {
                Ok(Comparison::unknown(candidate, format!("its runs end the worker process: {error}")))
            }
            compared => compared,
        }
    }
}

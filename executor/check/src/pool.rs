//! Checks many pages on all cores, in the order of the list.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use sha2::{Digest, Sha256};
use surmise_batch::pool::{InOrder, Pool, Worker};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, interrupted};
use surmise_engine::client::ClientError;
use surmise_engine::plan::Settings;
use surmise_identity::Identity;

use crate::checked::{Checked, Record};
use crate::examine::examine;
use crate::read::{self, read};

/// What the results of a batch depend on.
pub struct Batch<'a> {
    /// Files and folders.
    pub paths: &'a [PathBuf],
    /// How programs are run.
    pub settings: &'a Settings,
    /// The weights and the runtime.
    pub identity: &'a Identity,
    /// Who runs them.
    pub pool: Pool<'a>,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Pages that were listed so far.
    pub listed: u64,
    /// Pages that were checked before, and are kept.
    pub old: u64,
    /// Pages that this process has checked.
    pub new: u64,
}

struct Done {
    checked: Checked,
    fingerprint: Option<String>,
    is_old: bool,
}

impl Batch<'_> {
    /// Checks all pages, and hands `take` what was found in the order of the list.
    ///
    /// # Errors
    /// When something given cannot be read, results cannot be kept, or no worker can be started.
    pub fn run(
        &self,
        store: Option<&mut Store<Record>>,
        mut notify: impl FnMut(Progress) + Send,
        mut take: impl FnMut(Checked) + Send,
    ) -> Result<Progress, BatchError> {
        let mut paths = Vec::new();
        read::each(self.paths, |path| {
            paths.push(path);
            true
        })?;
        let store = store.map(Mutex::new);
        let store = || store.as_ref().map(|store| store.lock().unwrap_or_else(PoisonError::into_inner));
        let mut progress = Progress { listed: paths.len() as u64, ..Progress::default() };
        notify(progress);
        let mut order = InOrder::default();
        let ran = self.pool.run(
            |push| {
                paths.into_iter().all(push);
                Ok::<(), BatchError>(())
            },
            |worker, path: &PathBuf| {
                let name = path.display().to_string();
                let read = match read(path) {
                    Ok(read) => read,
                    Err(problem) => {
                        return Ok(Done {
                            checked: Checked::unusable(&name, &problem),
                            fingerprint: None,
                            is_old: false,
                        });
                    }
                };
                let fingerprint = fingerprint(&name, &read);
                let kept = store().map_or(Ok(None), |mut store| store.get(&fingerprint, ""))?;
                if let Some(Record { checked, .. }) = kept {
                    return Ok(Done { checked, fingerprint: None, is_old: true });
                }
                let checked = self.check(worker, read)?;
                Ok(Done { checked, fingerprint: Some(fingerprint), is_old: false })
            },
            |path| {
                let problem = "a fault of Surmise itself ended the check";
                Done {
                    checked: Checked::unusable(&path.display().to_string(), problem),
                    fingerprint: None,
                    is_old: false,
                }
            },
            |number, done: Done| {
                progress.old += u64::from(done.is_old);
                progress.new += u64::from(!done.is_old);
                if let (Some(fingerprint), Some(mut store)) = (done.fingerprint, store()) {
                    store.add(&Record { fingerprint, checked: done.checked.clone() })?;
                }
                notify(progress);
                order.take(number, done.checked, &mut take);
                Ok(())
            },
        );
        order.into_rest().for_each(take);
        ran?;
        if let Some(mut store) = store() {
            store.finish()?;
        }
        Ok(progress)
    }

    fn check(&self, worker: &mut Worker<'_>, read: read::Read) -> Result<Checked, ClientError> {
        let name = read.checked.page.clone();
        match examine(worker, &read.page, self.settings, self.identity, read.checked) {
            Err(ClientError::Lost(error)) if !interrupted() => {
                Ok(Checked::unusable(&name, &format!("its runs end the worker process: {error}")))
            }
            checked => checked,
        }
    }
}

/// Tells apart pages that would give other results.
fn fingerprint(name: &str, read: &read::Read) -> String {
    let mut hash = Sha256::new().chain_update(name);
    for line in read.page.blocks.iter().flat_map(|block| &block.lines) {
        hash.update([0]);
        hash.update(line.line.to_le_bytes());
        hash.update(&line.text);
    }
    for block in &read.page.blocks {
        hash.update([1]);
        hash.update(&block.prose);
    }
    format!("{:x}", hash.finalize())[..32].to_owned()
}

//! Workers: a thread and a zygote each, fed through a short queue.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::items::{Given, Item};
use super::record::Record;
use super::store::Store;
use super::{Configuration, CoverError, interrupted, pages};
use crate::client::{ClientError, Zygote};
use crate::execute::Outcome;
use crate::plan::{Plan, Settings};
use crate::report::Report;
use crate::search::search;
use crate::stdin::Input;

/// A zygote is replaced after so many snippets: what they leave behind in it must not add up.
const SNIPPETS_PER_ZYGOTE: u32 = 2000;
/// How often a snippet is run whose worker or zygote is killed.
const ATTEMPTS: u32 = 4;
/// Syntax trees are walked recursively.
const STACK_BYTES: usize = 512 << 20;

/// What a batch depends on.
pub struct Batch<'a> {
    /// The snippets.
    pub given: &'a Given,
    /// How each is run; predictor and runs come from the configurations.
    pub settings: &'a Settings,
    /// The ways to run each.
    pub configurations: &'a [Configuration],
    /// Threads.
    pub jobs: usize,
    /// Starts a zygote in the sandbox that the user chose.
    pub start: &'a (dyn Fn() -> Result<Zygote, ClientError> + Sync),
    /// Write a page for each snippet into this folder (under the last configuration).
    pub pages: Option<&'a Path>,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Results wanted so far; grows while snippets are still being listed.
    pub listed: u64,
    /// Of these, results that were there before.
    pub old: u64,
    /// Of these, results of this process.
    pub new: u64,
}

struct Task {
    item: Item,
    fingerprint: String,
    configuration: Configuration,
    page: bool,
}

/// What the threads share.
struct Shared<'a> {
    store: Mutex<&'a mut Store<Record>>,
    listed: AtomicU64,
    old: AtomicU64,
    /// Results cannot be kept any more: nobody needs to go on.
    failed: AtomicBool,
}

impl Shared<'_> {
    fn has(&self, fingerprint: &str, configuration: &str) -> bool {
        self.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner).has(fingerprint, configuration)
    }

    fn is_over(&self) -> bool {
        interrupted() || self.failed.load(Ordering::Relaxed)
    }
}

impl Batch<'_> {
    /// Runs all snippets that have no result yet.
    ///
    /// # Errors
    /// When something given cannot be read, results cannot be kept, or no worker can be started.
    pub fn run(&self, store: &mut Store<Record>, mut tell: impl FnMut(Progress)) -> Result<Progress, CoverError> {
        let (old, listed) = (AtomicU64::new(0), AtomicU64::new(0));
        let shared = Shared { store: Mutex::new(store), listed, old, failed: AtomicBool::new(false) };
        // The queues are short: listing snippets waits for running them, and that for keeping the results.
        let (send_task, tasks) = bounded::<Task>(self.jobs * 2);
        let (send_record, records) = bounded::<Result<Record, CoverError>>(self.jobs * 2);
        std::thread::scope(|scope| {
            let shared = &shared;
            let lister = scope.spawn(move || self.list(&send_task, shared));
            for _ in 0..self.jobs {
                let (tasks, send_record) = (tasks.clone(), send_record.clone());
                let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
                let worker = thread.spawn_scoped(scope, move || self.work(&tasks, &send_record, shared));
                worker.map_err(ClientError::Setup)?;
            }
            drop((tasks, send_record));
            let mut failed = None;
            let mut new = 0;
            let progress = |new| Progress {
                listed: shared.listed.load(Ordering::Relaxed),
                old: shared.old.load(Ordering::Relaxed),
                new,
            };
            for record in records {
                let mut store = shared.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match record.and_then(|record| store.add(&record)) {
                    Ok(()) => new += 1,
                    Err(error) => {
                        shared.failed.store(true, Ordering::Relaxed);
                        failed.get_or_insert(error);
                    }
                }
                drop(store);
                tell(progress(new));
            }
            let listed = lister.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            shared.store.lock().unwrap_or_else(std::sync::PoisonError::into_inner).finish()?;
            match failed {
                Some(error) => Err(error),
                None => listed.map(|()| progress(new)),
            }
        })
    }

    /// Queues what has no result yet.
    fn list(&self, tasks: &Sender<Task>, shared: &Shared<'_>) -> Result<(), CoverError> {
        self.given.each(|item| {
            let fingerprint = item.fingerprint();
            let last = self.configurations.len() - 1;
            for (number, &configuration) in self.configurations.iter().enumerate() {
                let page = number == last && self.pages.is_some();
                shared.listed.fetch_add(1, Ordering::Relaxed);
                let shown = !page || self.pages.is_none_or(|folder| pages::path(folder, item.index).exists());
                if shown && shared.has(&fingerprint, &configuration.name()) {
                    shared.old.fetch_add(1, Ordering::Relaxed);
                    continue;
                }
                let task = Task { item: item.clone(), fingerprint: fingerprint.clone(), configuration, page };
                if shared.is_over() || tasks.send(task).is_err() {
                    return false;
                }
            }
            true
        })
    }

    fn work(&self, tasks: &Receiver<Task>, records: &Sender<Result<Record, CoverError>>, shared: &Shared<'_>) {
        let mut zygote = None;
        let mut served = 0;
        for task in tasks {
            if shared.is_over() {
                return;
            }
            if served == SNIPPETS_PER_ZYGOTE {
                (zygote, served) = (None, 0);
            }
            served += 1;
            // A fault of ours in one snippet must not cost the others.
            let attempt = std::panic::AssertUnwindSafe(|| self.result(&mut zygote, &task));
            let result = std::panic::catch_unwind(attempt).unwrap_or_else(|_| {
                zygote = None;
                let failure = Err("a fault of Surmise itself ended the run".to_owned());
                let name = task.configuration.name();
                Ok(Record::new(task.item.index, task.fingerprint.clone(), name, failure))
            });
            if records.send(result).is_err() {
                return;
            }
        }
    }

    fn result(&self, zygote: &mut Option<Zygote>, task: &Task) -> Result<Record, CoverError> {
        let report = match &task.item.source {
            Err(message) => Err(message.clone()),
            Ok(_) => self.steady_report(zygote, task)?,
        };
        if let (Ok(report), true, Some(folder)) = (&report, task.page, self.pages) {
            pages::write(folder, task.item.index, report)?;
        }
        let name = task.configuration.name();
        Ok(Record::new(task.item.index, task.fingerprint.clone(), name, report.as_ref().map_err(Clone::clone)))
    }

    /// The report of a snippet, tried again where somebody else may have ended the run: the zygote is gone, or a
    /// worker was killed. A snippet that brings that about by itself does so every time.
    fn steady_report(&self, zygote: &mut Option<Zygote>, task: &Task) -> Result<Result<Report, String>, ClientError> {
        let mut left = ATTEMPTS;
        loop {
            left -= 1;
            match self.report(zygote, task) {
                Err(error) if left == 0 || interrupted() => return Err(error),
                Err(_) => *zygote = None,
                Ok(Ok(report))
                    if left > 0 && report.exit_code == 128 + libc::SIGKILL && report.outcome == Outcome::Killed => {}
                Ok(report) => return Ok(report),
            }
        }
    }

    /// The report of a snippet; or why there can be none.
    fn report(&self, zygote: &mut Option<Zygote>, task: &Task) -> Result<Result<Report, String>, ClientError> {
        let Ok(source) = &task.item.source else { return Ok(Err(String::new())) };
        let settings = Settings {
            predictor: task.configuration.predictor,
            runs: task.configuration.runs,
            function: task.item.function.clone(),
            ..self.settings.clone()
        };
        let mut report = match Plan::new(source.clone(), &settings) {
            Ok(plan) => {
                if zygote.is_none() {
                    zygote.insert((self.start)()?).wait_until_ready()?;
                }
                let zygote = zygote.as_mut().expect("it was just started");
                let mut input = Input::open(None).map_err(ClientError::Setup)?;
                search(zygote, plan, &settings, &mut input)?
            }
            Err(surmise_instrument::Error::Syntax { line, message }) => {
                Report::of_syntax_error(&source.name, &source.text, line, &message)
            }
            Err(error @ surmise_instrument::Error::TooLarge(_)) => return Ok(Err(error.to_string())),
        };
        report.name.clone_from(&task.item.name);
        Ok(Ok(report))
    }
}

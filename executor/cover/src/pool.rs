//! Runs the snippets of a batch on all cores, and keeps every result.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::items::{Given, Item};
use super::record::Record;
use super::{Configuration, pages};
use surmise_advice::Advisor;
use surmise_batch::pool::{Pool, Worker};
use surmise_batch::store::Store;
use surmise_batch::{BatchError, interrupted};
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::Outcome;
use surmise_engine::plan::{Plan, PredictorChoice, Settings};
use surmise_engine::stdin::Input;
use surmise_identity::Identity;
use surmise_report::Report;
use surmise_search::search;

/// What a batch depends on.
pub struct Batch<'a> {
    /// The snippets.
    pub given: &'a Given,
    /// How each is run; predictor and runs come from the configurations.
    pub settings: &'a Settings,
    /// The ways to run each.
    pub configurations: &'a [Configuration],
    /// The weights and the runtime.
    pub identity: &'a Identity,
    /// The language model that is asked where the predictor is to ask one.
    pub advisor: Option<&'a Advisor>,
    /// Who runs them.
    pub pool: Pool<'a>,
    /// Write a page for each snippet into this folder (under the last configuration).
    pub pages: Option<&'a Path>,
}

/// How far a batch is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Results wanted.
    pub listed: u64,
    /// Results that the store had before.
    pub old: u64,
    /// Results that this process made.
    pub new: u64,
}

/// A snippet to run in one way.
struct Task {
    item: Item,
    fingerprint: String,
    configuration: Configuration,
    page: bool,
}

impl Task {
    fn record(&self, report: Result<&Report, String>) -> Record {
        Record::new(self.item.index, self.fingerprint.clone(), self.configuration.name(), report)
    }
}

impl Batch<'_> {
    /// Runs all snippets that have no result yet.
    ///
    /// # Errors
    /// When something given cannot be read, results cannot be kept, or no worker can be started.
    pub fn run(
        &self,
        store: &mut Store<Record>,
        mut notify: impl FnMut(Progress) + Send,
    ) -> Result<Progress, BatchError> {
        let listed = self.count()?;
        let (old, new) = (AtomicU64::new(0), AtomicU64::new(0));
        let progress = || {
            let [old, new] = [&old, &new].map(|count| count.load(Ordering::Relaxed));
            Progress { listed, old, new }
        };
        let store = Mutex::new(store);
        let fault = |task: &Task| task.record(Err("a fault of Surmise itself ended the run".to_owned()));
        let done = self.pool.run(
            |push| {
                self.list(|task| {
                    let page = self.pages.filter(|_| task.page).map(|folder| pages::path(folder, task.item.index));
                    let shown = page.is_none_or(|page| page.exists());
                    if shown && self.is_done(&mut lock(&store), &task) {
                        old.fetch_add(1, Ordering::Relaxed);
                        return true;
                    }
                    push(task)
                })
            },
            |worker, task| self.result(worker, task),
            fault,
            |_, record| {
                lock(&store).add(&record)?;
                new.fetch_add(1, Ordering::Relaxed);
                notify(progress());
                Ok(())
            },
        );
        lock(&store).finish()?;
        done.map(|()| progress())
    }

    /// True if the store has a result that stands. One without the answer of a language model is made anew, and so is one
    /// that cannot be read back.
    fn is_done(&self, store: &mut Store<Record>, task: &Task) -> bool {
        let name = task.configuration.name();
        let is_kept = store.has(&task.fingerprint, &name);
        if !is_kept || self.advisor(task.configuration.predictor).is_none() {
            return is_kept;
        }
        store.get(&task.fingerprint, &name).is_ok_and(|record| record.is_some_and(|record| !record.is_unanswered()))
    }

    /// The language model, if a predictor has it asked.
    fn advisor(&self, predictor: PredictorChoice) -> Option<&Advisor> {
        let asks = |advisor: &&Advisor| match predictor {
            PredictorChoice::Llm => true,
            PredictorChoice::Model => advisor.when_unsure.is_some(),
            _ => false,
        };
        self.advisor.filter(asks)
    }

    /// The number of results that are wanted: they are listed once more before, so that progress has a total.
    fn count(&self) -> Result<u64, BatchError> {
        let mut snippets = 0;
        self.given.each(|_| {
            snippets += 1;
            !interrupted()
        })?;
        if snippets == 0 && !interrupted() {
            return Err(BatchError::Empty(self.given.shown()));
        }
        Ok(snippets * self.configurations.len() as u64)
    }

    /// Hands out each snippet in each way, until `push` returns false.
    fn list(&self, mut push: impl FnMut(Task) -> bool) -> Result<(), BatchError> {
        self.given.each(|item| {
            let fingerprint = item.fingerprint();
            let last = self.configurations.len() - 1;
            self.configurations.iter().enumerate().all(|(number, &configuration)| {
                let page = number == last && self.pages.is_some();
                push(Task { item: item.clone(), fingerprint: fingerprint.clone(), configuration, page })
            })
        })
    }

    fn result(&self, worker: &mut Worker<'_>, task: &Task) -> Result<Record, BatchError> {
        let report = self.report(worker, task)?;
        if let (Ok(report), true, Some(folder)) = (&report, task.page, self.pages) {
            pages::write(folder, task.item.index, report)?;
        }
        Ok(task.record(report.as_ref().map_err(Clone::clone)))
    }

    /// The report of a snippet; or why there can be none.
    fn report(&self, worker: &mut Worker<'_>, task: &Task) -> Result<Result<Report, String>, ClientError> {
        let source = match &task.item.source {
            Ok(source) => source,
            Err(message) => return Ok(Err(message.clone())),
        };
        let settings = Settings {
            predictor: task.configuration.predictor,
            runs: task.configuration.runs,
            function: task.item.function.clone(),
            ..self.settings.clone()
        };
        worker.prepare(settings.is_run_once());
        let weights = settings.predictor.has_weights();
        let identity = if weights { self.identity.clone() } else { self.identity.without_model() };
        let advisor = self.advisor(settings.predictor);
        let mut report = match Plan::new(source.clone(), &settings) {
            Ok(plan) => worker.steady(
                |zygote| run(zygote, plan.clone(), &settings, (&identity, advisor)),
                |report| report.outcome == Outcome::Killed && report.exit_code == 128 + libc::SIGKILL,
            )?,
            Err(surmise_instrument::Error::Syntax { line, message }) => {
                Report::of_syntax_error(&source.name, &source.text, line, &message, identity)
            }
            Err(error @ surmise_instrument::Error::TooLarge(_)) => return Ok(Err(error.to_string())),
        };
        report.name.clone_from(&task.item.name);
        Ok(Ok(report))
    }
}

fn run(
    zygote: &mut Zygote,
    mut plan: Plan,
    settings: &Settings,
    (identity, advisor): (&Identity, Option<&Advisor>),
) -> Result<Report, ClientError> {
    let mut input = Input::open(None).map_err(ClientError::Setup)?;
    let (ledger, language_model) = match advisor {
        Some(advisor) => {
            let (ledger, advice) = advisor.search(zygote, &mut plan, settings, &mut input)?;
            (ledger, Some(advice))
        }
        None => (search(zygote, &mut plan, settings, &mut input)?, None),
    };
    Ok(Report { language_model, ..Report::new(&plan, settings, ledger, identity.clone()) })
}

fn lock<'m, 's>(store: &'m Mutex<&'s mut Store<Record>>) -> MutexGuard<'m, &'s mut Store<Record>> {
    store.lock().unwrap_or_else(PoisonError::into_inner)
}

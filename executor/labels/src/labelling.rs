//! Labels the mutants of all programs, round by round, on all cores; an interrupted run goes on where it was.
//!
//! Labels of one round go to one file of JSON Lines, so that learning can begin while later rounds are made. What is
//! done is kept in a store beside them, with the end of each piece of work in its file: what stands behind the last
//! end was being written when a run was interrupted, and is cut off.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use surmise_batch::BatchError;
use surmise_batch::pool::{Pool, Worker};
use surmise_batch::store::{Kept, Store};

use crate::card::Card;
use crate::programs::{Program, Split};
use crate::run::{Labelled, Options, Unlabelled, mutants, original};

/// Rounds in a row that may give nothing before the work is at its end.
const EMPTY_ROUNDS: usize = 20;

/// A piece of work that is done: the mutants of one program in one round.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    program: String,
    round: String,
    /// End of its labels in the file of its round, in bytes.
    end: u64,
    /// What it gave.
    counts: Card,
}

impl Kept for Done {
    const FORMAT: &'static str = "surmise.labels/1";
    const COMMAND: &'static str = "surmise label";

    fn keys(&self) -> (&str, &str) {
        (&self.program, &self.round)
    }
}

/// What labelling depends on.
pub struct Labelling<'a> {
    /// The originals.
    pub programs: &'a [Program],
    /// How they are labelled.
    pub options: Options,
    /// Labels that are wanted.
    pub count: u64,
    /// The folder of the labels.
    pub folder: &'a Path,
    /// Who does the work.
    pub pool: Pool<'a>,
}

/// How far the work is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    /// Labels that were there before.
    pub old: u64,
    /// Labels that this process made.
    pub new: u64,
}

struct Task<'a> {
    program: &'a Program,
    round: usize,
}

/// What the lister and the collector share.
struct State<'s> {
    store: &'s mut Store<Done>,
    files: BTreeMap<usize, (File, u64)>,
    card: Card,
    progress: Progress,
    /// Programs whose mutants no round will label.
    hopeless: BTreeSet<String>,
}

impl State<'_> {
    fn add(&mut self, done: &Done) {
        self.card.merge(&done.counts);
        if done.counts.unlabelled.keys().any(|why| why.is_final()) {
            self.hopeless.insert(done.program.clone());
        }
    }
}

/// The file of a round's labels.
fn round_path(folder: &Path, round: usize) -> PathBuf {
    folder.join(format!("labels-{round:03}.jsonl"))
}

impl Labelling<'_> {
    /// Labels until there are as many as wanted, and counts them.
    ///
    /// # Errors
    /// When labels cannot be written, or no worker can be started.
    pub fn run(
        &self,
        store: &mut Store<Done>,
        mut notify: impl FnMut(Progress) + Send,
    ) -> Result<(Card, Progress), BatchError> {
        let mut card = Card::default();
        self.originals(&mut card)?;
        let old = card.labels;
        let (files, progress, hopeless) = (BTreeMap::new(), Progress { old, new: 0 }, BTreeSet::new());
        let state = Mutex::new(State { store, files, card, progress, hopeless });
        self.pool.run(
            |push| self.list(&state, push),
            |worker, task| self.labelled(worker, task),
            |_| (Labelled { labels: Vec::new(), unlabelled: vec![Unlabelled::Limit] }, String::new(), 0),
            |_, (labelled, program, round)| {
                let mut state = lock(&state);
                self.take(&mut state, &labelled, program, round)?;
                notify(state.progress);
                Ok(())
            },
        )?;
        let state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.store.finish()?;
        Ok((state.card, state.progress))
    }

    /// Writes the originals with the labels that they came with.
    fn originals(&self, card: &mut Card) -> Result<(), BatchError> {
        let path = self.folder.join("labels-originals.jsonl");
        let failed = |source| BatchError::Write { path: path.clone(), source };
        let mut text = Vec::new();
        for label in self.programs.iter().filter_map(original) {
            card.add(&label);
            serde_json::to_writer(&mut text, &label).map_err(|error| failed(error.into()))?;
            text.push(b'\n');
        }
        surmise_value_model::files::replace(&path, &text).map_err(failed)
    }

    /// Hands out what is not done, round after round.
    fn list<'p>(&'p self, state: &Mutex<State<'_>>, push: &mut dyn FnMut(Task<'p>) -> bool) -> Result<(), BatchError> {
        let mut ends: BTreeMap<usize, u64> = BTreeMap::new();
        let mut empty = 0;
        let open = self.programs.iter().filter(|program| program.is_right() && program.split() != Split::HeldOut);
        let mut open: Vec<&Program> = open.collect();
        for round in 0.. {
            let before = lock(state).card.labels;
            let name = round.to_string();
            let mut todo = Vec::new();
            // The last programs of a round may still run when the next one is listed: they go on.
            open.retain(|program| !lock(state).hopeless.contains(program.id.as_str()));
            for &program in &open {
                let mut state = lock(state);
                match state.store.get(&program.id, &name)? {
                    Some(done) => {
                        let end = ends.entry(round).or_default();
                        *end = (*end).max(done.end);
                        state.progress.old += done.counts.labels;
                        state.add(&done);
                    }
                    None => todo.push(program),
                }
            }
            if !todo.is_empty() {
                let end = ends.get(&round).copied().unwrap_or(0);
                let opened = self.open(round, end)?;
                lock(state).files.insert(round, (opened, end));
            }
            for program in todo {
                if lock(state).card.labels >= self.count {
                    return Ok(());
                }
                if !push(Task { program, round }) {
                    return Ok(());
                }
            }
            let now = lock(state).card.labels;
            empty = if now > before { 0 } else { empty + 1 };
            if open.is_empty() || now >= self.count || empty > EMPTY_ROUNDS {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The file of a round, without what was being written behind its last whole piece.
    fn open(&self, round: usize, end: u64) -> Result<File, BatchError> {
        let path = round_path(self.folder, round);
        let failed = |source| BatchError::Write { path: path.clone(), source };
        let file = OpenOptions::new().append(true).create(true).open(&path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        if length < end {
            return Err(BatchError::Store {
                path: path.clone(),
                message: format!("it has {length} bytes, and {end} were written"),
                hint: "labels were removed: give another folder with --out",
            });
        }
        file.set_len(end).map_err(failed)?;
        Ok(file)
    }

    fn labelled(&self, worker: &mut Worker<'_>, task: &Task<'_>) -> Result<(Labelled, String, usize), BatchError> {
        let labelled = worker.steady(|zygote| mutants(zygote, task.program, task.round, &self.options), |_| false)?;
        Ok((labelled, task.program.id.clone(), task.round))
    }

    fn take(
        &self,
        state: &mut State<'_>,
        labelled: &Labelled,
        program: String,
        round: usize,
    ) -> Result<(), BatchError> {
        let path = round_path(self.folder, round);
        let failed = |source| BatchError::Write { path: path.clone(), source };
        let (mut counts, mut text) = (Card::default(), Vec::new());
        for label in &labelled.labels {
            counts.add(label);
            serde_json::to_writer(&mut text, label).map_err(|error| failed(error.into()))?;
            text.push(b'\n');
        }
        labelled.unlabelled.iter().for_each(|why| counts.leave_out(*why));
        // A fault of ours has no program: it is tried again by the next run of the command.
        if program.is_empty() {
            return Ok(());
        }
        let (file, end) = state.files.get_mut(&round).expect("the lister opens the file of a round first");
        if let Err(error) = file.write_all(&text) {
            let _full_disk = file.set_len(*end);
            return Err(failed(error));
        }
        *end += text.len() as u64;
        let done = Done { program, round: round.to_string(), end: *end, counts };
        state.store.add(&done)?;
        state.progress.new += done.counts.labels;
        state.add(&done);
        Ok(())
    }
}

fn lock<'m, 's>(state: &'m Mutex<State<'s>>) -> MutexGuard<'m, State<'s>> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Much work on all cores: threads with a zygote each, fed through a short queue.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use crossbeam_channel::bounded;
use surmise_engine::address_space::stack_bytes;
use surmise_engine::client::{ClientError, Zygote};

use crate::{BatchError, interrupted};

/// A zygote is replaced after so many tasks: what they leave behind in it must not add up.
const TASKS_PER_ZYGOTE: u32 = 500;
/// How often a task is begun whose worker or zygote is killed.
const ATTEMPTS: u32 = 4;
/// Syntax trees are walked recursively.
const STACK_BYTES: usize = 512 << 20;

/// Starts a zygote in the sandbox that the user chose.
pub type Start<'a> = &'a (dyn Fn() -> Result<Zygote, ClientError> + Sync);

/// Threads that work through tasks.
#[derive(Clone, Copy)]
pub struct Pool<'a> {
    /// How many.
    pub jobs: usize,
    /// Starts the zygote of a thread, when it first needs one.
    pub start: Start<'a>,
    /// How many zygotes are started before there is work, for the threads that need the first ones.
    pub ahead: usize,
}

/// Number of processors that this process may use.
pub fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The zygotes of one thread.
pub struct Worker<'a> {
    zygotes: Vec<Zygote>,
    served: u32,
    start: Start<'a>,
    /// Zygotes that were started before there was work, and that no thread has taken yet.
    spare: &'a Mutex<Vec<Zygote>>,
    /// Threads that are at work.
    busy: &'a AtomicUsize,
}

impl Pool<'_> {
    /// Works through the tasks that `list` hands out, until its receiver returns false; `list` runs in the calling
    /// thread and waits where the work does not keep up. `take` is called by one thread with the number of each task, from
    /// 0 in the order of the list, and its result, as they come. A fault of ours in one task must not cost the others:
    /// `fault` makes the result of a task whose work panicked.
    ///
    /// # Errors
    /// What `list` returns, and the first error of work and of `take`, after which nothing is begun any more.
    pub fn run<T: Send, R: Send, E: From<BatchError>>(
        &self,
        list: impl FnOnce(&mut dyn FnMut(T) -> bool) -> Result<(), E>,
        work: impl Fn(&mut Worker<'_>, &T) -> Result<R, BatchError> + Sync,
        fault: impl Fn(&T) -> R + Sync,
        mut take: impl FnMut(u64, R) -> Result<(), BatchError> + Send,
    ) -> Result<(), E> {
        let failed = AtomicBool::new(false);
        let busy = AtomicUsize::new(0);
        // An error is ignored here: the thread that needs the zygote tries again, and reports it.
        let spare = Mutex::new((0..self.ahead).map_while(|_| (self.start)().ok()).collect());
        let is_over = || interrupted() || failed.load(Ordering::Relaxed);
        let (send_task, tasks) = bounded::<(u64, T)>(self.jobs * 2);
        let (send_result, results) = bounded(self.jobs * 2);
        let serve = |tasks: crossbeam_channel::Receiver<(u64, T)>, send: crossbeam_channel::Sender<_>| {
            let mut worker = Worker { zygotes: Vec::new(), served: 0, start: self.start, spare: &spare, busy: &busy };
            // What is left after the end is not begun; the queue is emptied for the lister to see it.
            for (number, task) in tasks.into_iter().filter(|_| !is_over()) {
                worker.served += 1;
                busy.fetch_add(1, Ordering::Relaxed);
                let result = catch_unwind(AssertUnwindSafe(|| work(&mut worker, &task))).unwrap_or_else(|_| {
                    worker.zygotes.clear();
                    Ok(fault(&task))
                });
                busy.fetch_sub(1, Ordering::Relaxed);
                // At a terminal Ctrl-C ends the zygotes, too: what that breaks off is not begun.
                let is_broken_off = interrupted() && matches!(result, Err(BatchError::Worker(_)));
                if !is_broken_off && send.send(result.map(|result| (number, result))).is_err() {
                    return;
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.jobs {
                let (tasks, send) = (tasks.clone(), send_result.clone());
                let thread = std::thread::Builder::new().stack_size(stack_bytes(STACK_BYTES, self.jobs));
                let started = thread.spawn_scoped(scope, || serve(tasks, send));
                started.map_err(|error| BatchError::from(ClientError::Setup(error)))?;
            }
            drop((tasks, send_result));
            let failed = &failed;
            let collector = scope.spawn(move || {
                let mut first = Ok(());
                for result in results {
                    let taken = result.and_then(|(number, result)| take(number, result));
                    failed.fetch_or(taken.is_err(), Ordering::Relaxed);
                    first = first.and(taken);
                }
                first
            });
            let mut numbers = 0..;
            let listed = list(&mut |task| {
                let number = numbers.next().unwrap_or(u64::MAX);
                !is_over() && send_task.send((number, task)).is_ok()
            });
            drop(send_task);
            let collected = collector.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            listed?;
            Ok(collected?)
        })
    }
}

impl Worker<'_> {
    /// Does work that needs a zygote, again where somebody else may have ended it: the zygote is gone, or the result
    /// `is_suspect`. What brings that about by itself does so every time.
    ///
    /// # Errors
    /// When no zygote can be started, or every one was lost.
    pub fn steady<R>(
        &mut self,
        mut work: impl FnMut(&mut Zygote) -> Result<R, ClientError>,
        is_suspect: impl Fn(&R) -> bool,
    ) -> Result<R, ClientError> {
        self.steady_with(1, |zygotes| work(&mut zygotes[0]), is_suspect)
    }

    /// The same with several zygotes, for work that runs several programs at the same time.
    ///
    /// # Errors
    /// When no zygote can be started, or every one was lost.
    pub fn steady_with<R>(
        &mut self,
        count: usize,
        mut work: impl FnMut(&mut [Zygote]) -> Result<R, ClientError>,
        is_suspect: impl Fn(&R) -> bool,
    ) -> Result<R, ClientError> {
        if self.served > TASKS_PER_ZYGOTE {
            self.zygotes.clear();
            self.served = 1;
        }
        for last in (1..=ATTEMPTS).map(|attempt| attempt == ATTEMPTS) {
            match self.zygotes(count).and_then(&mut work) {
                Ok(result) if last || !is_suspect(&result) => return Ok(result),
                Ok(_) => {}
                Err(error) => {
                    self.zygotes.clear();
                    if last || interrupted() {
                        return Err(error);
                    }
                }
            }
        }
        unreachable!("the last attempt returns")
    }

    /// Has the zygote, if there is one, make the process for a program that is still in the making.
    pub fn prepare(&mut self, once: bool) {
        if let Some(zygote) = self.zygotes.first_mut() {
            zygote.prepare(once, false);
        }
    }

    /// True if each thread that is at work could use two processors.
    #[must_use]
    pub fn has_idle_processor(&self) -> bool {
        2 * self.busy.load(Ordering::Relaxed) <= processors()
    }

    fn zygotes(&mut self, count: usize) -> Result<&mut [Zygote], ClientError> {
        let there = self.zygotes.len();
        for _ in there..count {
            let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
            self.zygotes.push(spare.map_or_else(self.start, Ok)?);
        }
        // All of them start at the same time.
        self.zygotes.iter_mut().skip(there).try_for_each(Zygote::wait_until_ready)?;
        Ok(&mut self.zygotes[..count])
    }
}

/// Results that come in any order, handed on in that of their numbers.
#[derive(Debug)]
pub struct InOrder<R> {
    waiting: BTreeMap<u64, R>,
    next: u64,
}

impl<R> Default for InOrder<R> {
    fn default() -> Self {
        Self { waiting: BTreeMap::new(), next: 0 }
    }
}

impl<R> InOrder<R> {
    /// Takes a result, and hands on those whose turn it is.
    pub fn take(&mut self, number: u64, result: R, mut hand_on: impl FnMut(R)) {
        self.waiting.insert(number, result);
        while let Some(result) = self.waiting.remove(&self.next) {
            self.next += 1;
            hand_on(result);
        }
    }

    /// What is left: after an interruption there may be gaps.
    pub fn into_rest(self) -> impl Iterator<Item = R> {
        self.waiting.into_values()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    /// No test of these needs a zygote.
    fn none() -> Result<Zygote, ClientError> {
        Err(ClientError::Setup(io::Error::other("there is none")))
    }

    fn doubled(
        list: impl FnOnce(&mut dyn FnMut(u64) -> bool) -> Result<(), BatchError>,
    ) -> (Vec<u64>, Result<(), BatchError>) {
        let (mut taken, mut order) = (Vec::new(), InOrder::default());
        let work = |_: &mut Worker<'_>, task: &u64| match task {
            13 => panic!("a fault of ours"),
            99 => Err(BatchError::Worker(none().expect_err("there is none"))),
            task => Ok(task * 2),
        };
        let pool = Pool { jobs: 3, start: &none, ahead: 1 };
        let done = pool.run(
            list,
            work,
            |task| task + 1000,
            |number, result| {
                order.take(number, result, |result| taken.push(result));
                Ok(())
            },
        );
        (taken, done)
    }

    #[test]
    fn results_come_in_the_order_of_the_list_and_a_fault_costs_one() {
        let (taken, done) = doubled(|push| {
            assert!((0..50).all(push));
            Ok(())
        });
        done.expect("nothing fails");
        let expected: Vec<u64> = (0..50).map(|task| if task == 13 { 1013 } else { task * 2 }).collect();
        assert_eq!(taken, expected);
    }

    #[test]
    fn the_first_error_ends_the_list() {
        let mut pushed = 0;
        let (taken, done) = doubled(|push| {
            pushed = (99..100_000).take_while(|task| push(*task)).count();
            Ok(())
        });
        assert!(matches!(done, Err(BatchError::Worker(_))) && taken.is_empty());
        assert!(pushed < 90_000, "{pushed} were listed after the error");
    }

    #[test]
    fn work_that_needs_a_zygote_is_begun_several_times_and_then_given_up() {
        let mut begun = 0;
        let busy = AtomicUsize::new(0);
        let spare = Mutex::default();
        let mut worker = Worker { zygotes: Vec::new(), served: 0, start: &none, spare: &spare, busy: &busy };
        let work = |_: &mut Zygote| {
            begun += 1;
            Ok(())
        };
        let result = worker.steady(work, |()| false);
        assert!(result.is_err() && begun == 0);
    }
}

//! The thread that an engine works on.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_channel::{Sender, unbounded};

use super::engine::{Engine, Failure};
use surmise_engine::stop::Stop;

type Job = Box<dyn FnOnce(&mut dyn Engine) -> Result<(), Panicked> + Send>;

/// A job ended in a fault of our own: nobody knows what state the engine is in.
struct Panicked;

/// An engine on a thread of its own, which ends when the handle is dropped and its last job is done.
#[derive(Debug)]
pub struct Warm {
    jobs: Sender<Job>,
}

impl Warm {
    /// Starts the thread, with so large a stack. The engine is made there, and made anew after a fault.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(stack: usize, make: impl Fn() -> Box<dyn Engine> + Send + 'static) -> io::Result<Self> {
        let (jobs, queue) = unbounded::<Job>();
        std::thread::Builder::new().name("engine".into()).stack_size(stack).spawn(move || {
            let mut engine = make();
            for job in queue {
                if job(&mut *engine).is_err() {
                    engine = make();
                }
            }
        })?;
        Ok(Self { jobs })
    }

    /// Has `work` done after what was submitted before, unless `stop` is asked for by then; `done` gets what it comes to,
    /// on the thread of the engine.
    pub fn submit<T: 'static>(
        &self,
        stop: Stop,
        work: impl FnOnce(&mut dyn Engine, &Stop) -> Result<T, Failure> + Send + 'static,
        done: impl FnOnce(Result<T, Failure>) + Send + 'static,
    ) {
        let job = move |engine: &mut dyn Engine| {
            if stop.is_asked() {
                done(Err(Failure::cancelled()));
                return Ok(());
            }
            match catch_unwind(AssertUnwindSafe(|| work(engine, &stop))) {
                Ok(_) if stop.is_asked() => done(Err(Failure::cancelled())),
                Ok(result) => done(result),
                Err(_) => {
                    done(Err(Failure::internal("the engine stopped in the middle of its work")));
                    return Err(Panicked);
                }
            }
            Ok(())
        };
        // The thread lives as long as this handle does.
        let _is_there = self.jobs.send(Box::new(job));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use super::*;
    use crate::{Code, CompareRequest, Compared, Limits, Old, Ran, RunRequest};

    /// Counts the engines that were made.
    struct Numbered(u32);

    impl Engine for Numbered {
        fn run(&mut self, request: &RunRequest, _stop: &Stop) -> Result<Ran, Failure> {
            Err(Failure::internal(format!("{} of {}", request.code.name, self.0)))
        }

        fn compare(&mut self, _request: &CompareRequest, _stop: &Stop) -> Result<Compared, Failure> {
            Ok(Compared { left_out: vec![self.0.to_string()], ..Compared::default() })
        }
    }

    fn asked(name: &str) -> RunRequest {
        let limits = Limits { runs: 1, time: Duration::ZERO, timeout: Duration::ZERO };
        let code = Code { name: name.to_owned(), ..Code::default() };
        RunRequest { code, function: None, stdin: String::new(), limits }
    }

    fn numbered() -> Warm {
        let made = AtomicU32::new(0);
        let make = move || -> Box<dyn Engine> { Box::new(Numbered(made.fetch_add(1, Ordering::Relaxed))) };
        Warm::start(1 << 20, make).expect("a thread starts")
    }

    #[test]
    fn jobs_are_done_in_order_and_stopped_ones_are_not_begun() {
        let (warm, (said, heard), (go, gone)) = (numbered(), unbounded(), unbounded::<()>());
        let busy = move |_: &mut dyn Engine, _: &Stop| -> Result<(), Failure> {
            let _all_is_submitted = gone.recv();
            Ok(())
        };
        warm.submit(Stop::default(), busy, |_| ());
        let (stop, never) = (Stop::default(), Stop::default());
        for (name, stop) in [("first", &never), ("second", &stop), ("third", &never)] {
            let said = said.clone();
            let work = move |engine: &mut dyn Engine, stop: &Stop| engine.run(&asked(name), stop).map(|_| ());
            let done = move |result: Result<(), Failure>| said.send(result.unwrap_err().message).expect("it is heard");
            warm.submit(stop.clone(), work, done);
        }
        stop.ask();
        drop((said, go));
        let heard: Vec<String> = heard.iter().collect();
        assert_eq!(heard, ["first of 0", "the request was cancelled", "third of 0"]);
    }

    #[test]
    fn a_fault_is_an_answer_and_the_next_job_has_a_new_engine() {
        let (warm, (said, heard)) = (numbered(), unbounded());
        let (first, second) = (said.clone(), said);
        let fault = |_: &mut dyn Engine, _: &Stop| -> Result<String, Failure> { panic!("on purpose") };
        warm.submit(Stop::default(), fault, move |result| {
            first.send(result.unwrap_err().exit.is_some().to_string()).expect("somebody listens");
        });
        let next = |engine: &mut dyn Engine, stop: &Stop| {
            let request =
                CompareRequest { old: Old::Head, new: Code::default(), function: None, limits: asked("").limits };
            engine.compare(&request, stop).map(|compared| compared.left_out.concat())
        };
        warm.submit(Stop::default(), next, move |result| {
            second.send(result.expect("it is answered")).expect("somebody listens");
        });
        assert_eq!(heard.iter().collect::<Vec<_>>(), ["true", "1"]);
    }
}

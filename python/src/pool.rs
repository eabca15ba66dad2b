//! Threads that run programs, each with a [`Session`]: a worker process dies with the thread that started it, and
//! Python's threads come and go.

use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crossbeam_channel::{RecvTimeoutError, Sender, bounded, unbounded};
use pyo3::prelude::*;
use surmise::cli::refusal::Refusal;
use surmise::cli::session::Session;
use surmise::cli::{STACK_BYTES, collecting_warnings};
use surmise_engine::address_space::stack_bytes;
use surmise_value_model::t5::undivided_products;

use crate::errors;

/// How long a signal such as Ctrl-C may wait for Python's handler.
const PATIENCE: Duration = Duration::from_millis(20);

type Job = Box<dyn FnOnce(&mut Session) + Send>;

/// A thread that waits for work; it ends when nobody can send it any.
struct Runner(Sender<Job>);

#[derive(Default)]
struct Pool {
    state: Mutex<State>,
    freed: Condvar,
}

#[derive(Default)]
struct State {
    idle: Vec<Runner>,
    /// Runners that have work.
    busy: usize,
}

/// The pool of this process; a forked child makes its own.
static POOL: AtomicPtr<Pool> = AtomicPtr::new(std::ptr::null_mut());

fn pool() -> &'static Pool {
    let known = POOL.load(Ordering::Acquire);
    if known.is_null() {
        let new = Box::into_raw(Box::<Pool>::default());
        if let Err(other) = POOL.compare_exchange(std::ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
            // SAFETY: `new` was made above and nobody has seen it; the other pool is never freed.
            return unsafe {
                drop(Box::from_raw(new));
                &*other
            };
        }
        // SAFETY: pools are never freed.
        return unsafe { &*new };
    }
    // SAFETY: pools are never freed.
    unsafe { &*known }
}

/// Lets Python's handlers of signals run; an exception that they raise ends the wait.
fn interrupted() -> PyResult<()> {
    Python::attach(|py| {
        py.check_signals()?;
        Ok(())
    })
}

/// To be called in a forked child: the threads of the pool, and their worker processes, are the parent's.
#[pyfunction]
pub(crate) fn forget() {
    POOL.store(std::ptr::null_mut(), Ordering::Release);
}

impl Runner {
    fn start() -> std::io::Result<Self> {
        undivided_products();
        let (sender, jobs) = unbounded::<Job>();
        std::thread::Builder::new().name("surmise".into()).stack_size(stack_bytes(STACK_BYTES, 1)).spawn(
            move || {
                let mut session = Session::default();
                jobs.iter().for_each(|job| job(&mut session));
            },
        )?;
        Ok(Self(sender))
    }
}

impl Pool {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A runner for one job; as many work at once as there are processors, and others wait.
    fn take(&self) -> PyResult<Runner> {
        let most = std::thread::available_parallelism().map_or(1, usize::from);
        let mut state = self.lock();
        while state.busy >= most {
            state = self.freed.wait_timeout(state, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
            if state.busy >= most {
                drop(state);
                interrupted()?;
                state = self.lock();
            }
        }
        state.busy += 1;
        match state.idle.pop() {
            Some(runner) => Ok(runner),
            None => Runner::start().inspect_err(|_| state.busy -= 1).map_err(errors::internal),
        }
    }

    fn give_back(&self, runner: Option<Runner>) {
        let mut state = self.lock();
        state.busy -= 1;
        state.idle.extend(runner);
        drop(state);
        self.freed.notify_one();
    }
}

/// Does some work with a session, without Python's lock. Returns the answer and the warnings.
pub(crate) fn on_runner<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&mut Session) -> Result<T, Refusal> + Send + 'static,
) -> PyResult<(T, Vec<String>)> {
    py.detach(|| {
        let pool = pool();
        let runner = pool.take()?;
        let (sender, answers) = bounded(1);
        let job = move |session: &mut Session| {
            let _nobody_waits = sender.send(collecting_warnings(|| work(session)));
        };
        let mut answer = match runner.0.send(Box::new(job)) {
            Ok(()) => Err(RecvTimeoutError::Timeout),
            Err(_) => Err(RecvTimeoutError::Disconnected),
        };
        while answer.is_err_and_timeout() {
            answer = answers.recv_timeout(PATIENCE);
            if answer.is_err_and_timeout()
                && let Err(interrupt) = interrupted()
            {
                // What is under way ends by its own limits of time, and its thread after it.
                pool.give_back(None);
                return Err(interrupt);
            }
        }
        let Ok((answer, warnings)) = answer else {
            pool.give_back(None);
            return Err(errors::internal("the thread that runs programs has ended"));
        };
        pool.give_back(Some(runner));
        Ok((answer.map_err(|refusal| errors::refused(&refusal))?, warnings))
    })
}

trait Pending {
    fn is_err_and_timeout(&self) -> bool;
}

impl<T> Pending for Result<T, RecvTimeoutError> {
    fn is_err_and_timeout(&self) -> bool {
        matches!(self, Err(RecvTimeoutError::Timeout))
    }
}

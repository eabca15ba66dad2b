//! The plain run: one process, which runs one program as `python FILE` does.

use pyo3::ffi;
use pyo3::prelude::*;

use super::fork::FAILED;
use super::serve::{on_deep_stack, own_socket, report};
use crate::protocol::{INTERRUPTED, Program, Task, read_frame};
use crate::worker::interpreter::{Flavour, start};
use crate::worker::{LoadedProgram, Runtime, run_file};

/// Runs one program plainly; returns its exit code.
#[must_use]
pub fn plain() -> i32 {
    on_deep_stack(|| {
        let socket = own_socket();
        let Ok(Some(body)) = read_frame(&socket) else {
            return FAILED;
        };
        drop(socket);
        let Ok(program) = serde_json::from_slice::<Program>(&body) else {
            return FAILED;
        };
        if let Err(error) = start(Flavour::Plain) {
            report(&error);
            return FAILED;
        }
        // SAFETY: `start` initialized CPython on this thread, which holds the GIL since.
        let py = unsafe { Python::assume_attached() };
        let run = || -> PyResult<i32> {
            let runtime = Runtime::load(py)?;
            if program.text.is_empty() {
                return Ok(run_file(&program));
            }
            Ok(LoadedProgram::load(py, &runtime, program)?.run(&runtime, Task::default(), None))
        };
        let code = run().unwrap_or_else(|error| {
            error.print(py);
            FAILED
        });
        // SAFETY: the GIL is held, and nothing of Python is used after.
        let flushed = unsafe { ffi::Py_FinalizeEx() };
        if code == INTERRUPTED {
            // SAFETY: ends the process as CPython does, so that a shell sees the interrupt.
            unsafe {
                libc::signal(libc::SIGINT, libc::SIG_DFL);
                libc::kill(libc::getpid(), libc::SIGINT);
            }
        }
        // CPython's own exit code when flushing standard output fails at the end.
        if flushed < 0 { 120 } else { code }
    })
}

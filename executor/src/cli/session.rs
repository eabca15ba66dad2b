//! Worker processes that stay for the next program, for callers that run many: the Python package, servers.

use serde::Serialize;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::stop::Stop;
use surmise_engine::zygote::sandbox::Sandbox;
use surmise_value_model::Class;

use super::sandbox;

/// Sandboxes for which a worker process is kept.
const KEPT: usize = 4;

/// Keeps worker processes from one program to the next. They end with the session, and with the thread that made them.
#[derive(Debug, Default)]
pub struct Session {
    /// The one used last comes last.
    kept: Vec<Leased>,
    /// Ends the runs at hand once it is asked for.
    pub(super) stop: Option<Stop>,
}

/// A worker process and the sandbox that it closed.
#[derive(Debug)]
pub(super) struct Leased {
    sandbox: Sandbox,
    kept_output: usize,
    is_ready: bool,
    pub(super) zygote: Zygote,
}

impl Leased {
    /// Waits until the sandbox is closed, and warns of what this machine refuses of it.
    pub(super) fn wait_until_ready(&mut self, options: &sandbox::Options) -> Result<(), ClientError> {
        if !self.is_ready {
            self.zygote.wait_until_ready()?;
            options.warn(&self.zygote);
            self.is_ready = true;
        }
        Ok(())
    }

    /// True once the sandbox is known to be closed.
    pub(super) fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// Has a worker process that is up make its next process ahead of the program.
    pub(super) fn prepare(&mut self, once: bool) {
        if self.is_ready {
            self.zygote.prepare(once, false);
        }
    }
}

/// A place in a program where a value is read, and what the predictor expects there.
#[derive(Clone, Debug, Serialize)]
pub struct Ranked {
    /// Line of the name, from 1.
    pub line: u32,
    /// Column of the name in characters, from 0.
    pub column: u32,
    /// `variable`, `attribute` or `return value`.
    pub kind: &'static str,
    /// The name that is read, the attribute's, or the callee's.
    pub name: String,
    /// Classes of values with their probabilities, the likeliest first.
    pub classes: Vec<(Class, f32)>,
}

impl Session {
    /// A worker process for a program, which is given back if all goes well.
    pub(super) fn lease(
        &mut self,
        options: &sandbox::Options,
        program: &sandbox::Program<'_>,
    ) -> Result<Leased, ClientError> {
        let (sandbox, kept_output) = (options.sandbox(program), options.kept_output());
        let fits = |leased: &Leased| leased.sandbox == sandbox && leased.kept_output == kept_output;
        while let Some(at) = self.kept.iter().position(fits) {
            let mut leased = self.kept.remove(at);
            if leased.zygote.is_alive() {
                leased.zygote.heed(self.stop.clone());
                return Ok(leased);
            }
        }
        let mut zygote = options.start_in(&sandbox)?;
        zygote.heed(self.stop.clone());
        Ok(Leased { sandbox, kept_output, is_ready: false, zygote })
    }

    pub(super) fn give_back(&mut self, leased: Leased) {
        if self.kept.len() == KEPT {
            self.kept.remove(0);
        }
        self.kept.push(leased);
    }

    /// Forgets the worker processes without ending them: in a forked child they are the parent's.
    pub fn abandon(&mut self) {
        self.kept.drain(..).for_each(std::mem::forget);
    }
}

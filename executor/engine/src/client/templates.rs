//! The templates of a zygote: made for a program, or ahead of it, kept for its further runs, and ended together.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::collect::LAST_WORDS;
use super::template::{Loaded, Progress, Template};
use super::{ClientError, RawRun, Request, Zygote};
use crate::descriptors;
use crate::exit::Exit;
use crate::protocol::{End, Event, Load, Program};
use crate::zygote::sandbox::{Finding, Step};
use crate::zygote::{DRAWN, END, ONCE};

/// Programs whose templates are kept: a comparison runs two versions in turn, and a rewrite of each.
const TEMPLATES: usize = 4;

/// What importing a module may come to.
const ENDS: &str = "ends the process";
const NEVER_ENDS: &str = "takes longer than a run may";

impl Zygote {
    /// The process that makes the run, or how that one ended before it could.
    pub(super) fn template(
        &mut self,
        request: &Request<'_>,
        deadline: &mut Instant,
        timeout: Duration,
    ) -> Result<Result<Template, RawRun>, ClientError> {
        let program = request.of_template();
        let mut spare = None;
        if let Some(at) = self.templates.iter().position(|template| template.program == Some(program.id)) {
            let template = self.templates.remove(at);
            if template.progress < Progress::Ready && !template.once {
                spare = Some(template); // it is still loading
            } else if template.is_there() {
                return Ok(Ok(template));
            } else {
                // Whoever ended it had the zygote end all others.
                self.end_with(&template)?;
            }
        }
        // An import in place may end the process, and the function runs as an excerpt then.
        let once = self.makes_one_run(request.once && program.in_place.is_none());
        let flags = flags(once, request.tasks.iter().any(|task| task.drawing.is_some()));
        if spare.is_none() {
            spare = self.spare(flags)?;
        }
        loop {
            if self.has_to_end(once)
                && let Some(last) = self.templates.pop()
            {
                self.end_with(&last)?;
                spare = None;
            }
            let mut template = match spare.take() {
                Some(template) => template,
                None => self.new_template(flags)?,
            };
            if template.program.is_none() {
                template.load(&self.load_of(program, once));
            }
            if once {
                return Ok(Ok(template));
            }
            let mut ended = RawRun { status: 256 + libc::SIGKILL, ..RawRun::default() };
            match template.wait(&self.socket, *deadline, self.stop.as_ref())? {
                Loaded::Ready => return Ok(Ok(template)),
                Loaded::Unfit(module) => {
                    self.preload_policy.leave(module);
                    self.end_with(&template)?;
                    continue;
                }
                Loaded::Unplaced(problem) if self.preload_policy.leave_place(program, problem.clone()) => {
                    self.end_with(&template)?;
                    continue;
                }
                // An import ended the process, or does not end: in a run it says more before it does.
                Loaded::Ended(_)
                    if template.progress >= Progress::Loaded && self.preload_policy.leave_all(program, ENDS) =>
                {
                    self.templates.clear();
                    continue;
                }
                Loaded::Late
                    if template.progress >= Progress::Loaded
                        && !self.is_stopped()
                        && self.preload_policy.leave_all(program, NEVER_ENDS) =>
                {
                    self.end_with(&template)?;
                    *deadline = Instant::now() + timeout;
                    continue;
                }
                Loaded::Ended(status) => ended.status = status.max(256 + libc::SIGKILL),
                Loaded::Failed(message) | Loaded::Unplaced(message) => {
                    ended.status = Exit::Internal as i32;
                    ended.events.push(Event::End(End::Internal { message }));
                    self.end_with(&template)?;
                }
                Loaded::Late => {
                    ended.timed_out = true;
                    self.end_with(&template)?;
                }
            }
            self.templates.clear();
            ended.lines = template.lines;
            return Ok(Err(ended));
        }
    }

    /// Lets the zygote make the process for the next program while that is still in the making. `once`: it will be run
    /// once; `drawn`: it will be compared with another. Where this fails, running the program will say why.
    pub fn prepare(&mut self, once: bool, drawn: bool) {
        let once = self.makes_one_run(once);
        let flags = flags(once, drawn);
        if self.templates.iter().any(|template| template.is_spare(flags)) {
            return;
        }
        if self.has_to_end(once)
            && let Some(last) = self.templates.pop()
            && self.end_with(&last).is_err()
        {
            return;
        }
        let made = self.new_template(flags);
        self.templates.extend(made);
    }

    /// Hands a program over that will be compared with another, to a process that loads it while its first run is still in the
    /// making. Where this fails, running the program will say why.
    pub fn load_ahead(&mut self, program: &Program) {
        let once = self.makes_one_run(false);
        if once || self.has_to_end(once) {
            return;
        }
        let flags = flags(once, true);
        if let Ok(spare) = self.spare(flags)
            && let Ok(mut template) = spare.map_or_else(|| self.new_template(flags), Ok)
        {
            template.load(&self.load_of(program, once));
            self.templates.push(template);
        }
    }

    /// What a process is given of a program.
    fn load_of<'p>(&self, program: &'p Program, once: bool) -> Load<'p> {
        let preloads = if once { Vec::new() } else { self.preload_policy.of(program) };
        Load { program: Cow::Borrowed(program), preloads, unplaced: self.preload_policy.unplaced(program), once }
    }

    /// Without a namespace of processes nobody but the process itself can be ended with certainty.
    fn makes_one_run(&self, once: bool) -> bool {
        let has_processes = |finding: &Finding| finding.step == Step::Processes && finding.problem.is_none();
        once || !self.findings.iter().any(has_processes)
    }

    /// True if all templates have to end before another is made: a program that is run once ends with everybody else.
    fn has_to_end(&self, once: bool) -> bool {
        once || self.templates.len() == TEMPLATES
    }

    fn new_template(&mut self, flags: u8) -> Result<Template, ClientError> {
        self.asked += 1;
        Template::start(&self.socket, self.asked, flags)
    }

    /// A process that was made before its program.
    fn spare(&mut self, flags: u8) -> Result<Option<Template>, ClientError> {
        let Some(at) = self.templates.iter().position(|template| template.is_spare(flags)) else { return Ok(None) };
        let template = self.templates.remove(at);
        if template.is_there() {
            return Ok(Some(template));
        }
        self.end_with(&template)?;
        Ok(None)
    }

    /// Ends all processes that the zygote made, this one among them.
    pub(super) fn end_with(&mut self, template: &Template) -> Result<(), ClientError> {
        self.templates.clear();
        descriptors::send(&self.socket, &END, &[]).map_err(ClientError::Lost)?;
        template.wait_for_end(&self.socket, LAST_WORDS)
    }
}

fn flags(once: bool, drawn: bool) -> u8 {
    (if once { ONCE } else { 0 }) | (if drawn { DRAWN } else { 0 })
}

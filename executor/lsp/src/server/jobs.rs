//! Runs and comparisons of the files that are open, one after the other on the thread of the engine.

use std::time::Instant;

use lsp_types::MessageType;
use lsp_types::notification::PublishDiagnostics;
use surmise_serve::{CompareRequest, Failure, Old, RunRequest, Stop};

use super::{Finished, Outcome, Server};
use crate::diagnostics;
use crate::document::{Analysis, Job};

impl Server {
    /// Hands the engine the files whose time has come.
    pub(super) fn begin_due(&mut self) {
        let now = Instant::now();
        for (key, document) in &mut self.documents {
            if document.due.is_none_or(|due| due > now) {
                continue;
            }
            document.due = None;
            document.stop();
            self.tickets += 1;
            let (ticket, stop) = (self.tickets, Stop::default());
            document.job = Some(Job { ticket, stop: stop.clone() });
            let request = RunRequest {
                code: document.code(),
                function: None,
                stdin: String::new(),
                limits: self.client.options.limits(),
            };
            let (results, uri) = (self.results.0.clone(), key.clone());
            self.warm.submit(
                stop,
                move |engine, stop| engine.run(&request, stop),
                move |ran| {
                    let outcome = Outcome::Ran(Box::new(ran));
                    let _server_is_gone = results.send(Finished { uri, ticket, outcome });
                },
            );
        }
    }

    /// Takes the result of a job, unless the text has changed since.
    pub(super) fn finish(&mut self, Finished { uri, ticket, outcome }: Finished) {
        let Some(document) = self.documents.get_mut(&uri) else { return };
        let slot = match outcome {
            Outcome::Ran(_) => &mut document.job,
            Outcome::Compared(_) => &mut document.comparing,
        };
        if slot.as_ref().is_none_or(|job| job.ticket != ticket) {
            return;
        }
        let job = slot.take();
        match outcome {
            Outcome::Ran(ran) => {
                let (warnings, problem) = match *ran {
                    Ok(ran) => {
                        document.analysis = Some(Analysis::new(ran.report));
                        document.compared = None;
                        (ran.warnings, None)
                    }
                    Err(failure) => {
                        document.analysis = None;
                        (Vec::new(), Some(failure).filter(|failure| !failure.is_cancelled()))
                    }
                };
                let compares = document.compares && problem.is_none();
                self.notify_of(&uri, &warnings, problem);
                if let Some(job) = job.filter(|_| compares) {
                    self.begin_comparison(&uri, job);
                }
                self.answer_waiting(&uri);
            }
            Outcome::Compared(compared) => {
                match compared {
                    Ok(compared) => document.compared = Some(compared),
                    // A file that is in no repository differs from nothing.
                    Err(failure) => self.log(MessageType::LOG, &failure.to_string()),
                }
                self.refresh();
            }
        }
    }

    /// Publishes what the runs of a file came to.
    fn notify_of(&mut self, uri: &str, warnings: &[String], problem: Option<Failure>) {
        for warning in warnings {
            self.log(MessageType::WARNING, warning);
        }
        if let Some(problem) = problem {
            self.show(MessageType::ERROR, &format!("Surmise: {problem}"));
        }
        if let Some(document) = self.documents.get(uri) {
            self.notify::<PublishDiagnostics>(&diagnostics::published(document, self.client.encoding));
        }
    }

    fn answer_waiting(&mut self, uri: &str) {
        let waiting = self.documents.get_mut(uri).map(|document| std::mem::take(&mut document.waiting));
        for (id, question) in waiting.unwrap_or_default() {
            self.answer(id, uri, &question);
        }
        self.refresh();
    }

    /// Compares the functions of a file with those of the last commit. Nothing waits for it.
    fn begin_comparison(&mut self, uri: &str, job: Job) {
        let Some(document) = self.documents.get_mut(uri) else { return };
        document.compares = false;
        let request = CompareRequest {
            old: Old::Head,
            new: document.code(),
            function: None,
            limits: self.client.options.limits(),
        };
        let (results, uri, ticket) = (self.results.0.clone(), uri.to_owned(), job.ticket);
        let stop = job.stop.clone();
        document.comparing = Some(job);
        self.warm.submit(
            stop,
            move |engine, stop| engine.compare(&request, stop),
            move |compared| {
                let outcome = Outcome::Compared(compared);
                let _server_is_gone = results.send(Finished { uri, ticket, outcome });
            },
        );
    }
}

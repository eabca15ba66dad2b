//! Modules that run beside the program: rewritten and predicted for like its own text, in one table of sites with it.

use std::time::Instant;

use surmise_instrument::{FromImport, Site, Taken};

use super::{Plan, Settings};
use crate::protocol::{Assigned, Job, Module};
use crate::source::Source;

/// A module that the program may import, as it was found.
#[derive(Clone, Debug)]
pub struct Neighbour {
    /// Dotted.
    pub name: String,
    /// The file's name, as tracebacks show it.
    pub file: String,
    /// Whether it is the `__init__` of a package.
    pub is_package: bool,
    /// The part of its source that runs.
    pub text: String,
}

/// The same, ready to run.
#[derive(Clone)]
pub(super) struct Beside {
    module: Module,
    sites: Vec<Site>,
    assignment: Vec<Option<Assigned>>,
    imports: Vec<FromImport>,
}

impl Plan {
    /// Lets the program import these modules, from the package that it lies in. One that cannot be rewritten stays
    /// missing.
    pub fn run_beside(&mut self, package: &str, neighbours: &[Neighbour], settings: &Settings) {
        package.clone_into(&mut self.package);
        self.neighbours = neighbours.to_vec();
        let mut taken = Taken { sites: self.sites.len() as u32, imports: self.instrumented.imports.len() as u32 };
        let settings = Settings { function: None, ..settings.clone() };
        for neighbour in neighbours {
            let source = Source { name: neighbour.file.clone(), path: None, text: String::new() };
            let plan =
                Self::of_text(source, neighbour.text.clone(), Vec::new(), &settings, Instant::now(), Some(taken));
            let Ok(plan) = plan else { continue };
            if plan.instrumented.hooks != self.instrumented.hooks {
                continue;
            }
            taken.sites += plan.sites.len() as u32;
            taken.imports += plan.instrumented.imports.len() as u32;
            self.beside.push(Beside {
                module: Module {
                    name: neighbour.name.clone(),
                    file: neighbour.file.clone(),
                    is_package: neighbour.is_package,
                    text: plan.instrumented.text,
                    tries: plan.instrumented.tries,
                    sites: plan.sites.len() as u32,
                },
                sites: plan.sites,
                assignment: plan.assignment,
                imports: plan.instrumented.imports,
            });
        }
    }

    /// Adds them to the job of the program itself.
    pub(super) fn add_beside(&self, job: &mut Job) {
        job.package.clone_from(&self.package);
        for beside in &self.beside {
            // A program without sites has an assignment of one nothing.
            job.assignment.resize(job.sites.len(), None);
            job.assignment.extend_from_slice(&beside.assignment[..beside.sites.len()]);
            job.sites.extend_from_slice(&beside.sites);
            job.imports.extend_from_slice(&beside.imports);
            job.modules.push(beside.module.clone());
        }
    }
}

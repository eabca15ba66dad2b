//! Companion modules: those of the same repository that a program imports. They are rewritten and predicted for like the
//! program's own text, in one table of sites with it.

use std::cell::OnceCell;
use std::time::Instant;

use surmise_instrument::Taken;

use super::{Plan, Settings};
use crate::protocol::{Module, Preload, Program};
use crate::source::Source;

/// A module of the same repository that the program may import, as it was found.
#[derive(Clone, Debug)]
pub struct CompanionModule {
    /// Dotted.
    pub name: String,
    /// The file's name, as tracebacks show it.
    pub file: String,
    /// Whether it is the `__init__` of a package.
    pub is_package: bool,
    /// The part of its source that runs.
    pub text: String,
}

impl Plan {
    /// Lets the program import these modules, from the package that it lies in. One that cannot be rewritten stays
    /// missing.
    pub fn run_with(&mut self, package: &str, modules: &[CompanionModule], settings: &Settings) {
        package.clone_into(&mut self.package);
        self.program = OnceCell::new();
        let mut taken = Taken { sites: self.sites.len() as u32, imports: self.instrumented.imports.len() as u32 };
        let settings = Settings { function: None, ..settings.clone() };
        for module in modules {
            let source = Source { name: module.file.clone(), path: None, text: String::new() };
            let plan = Self::of_text(source, module.text.clone(), Vec::new(), &settings, Instant::now(), Some(taken));
            let Ok(mut plan) = plan else { continue };
            let sites = std::mem::take(&mut plan.sites);
            plan.assign(sites, &settings, &|_site| None);
            if plan.instrumented.hooks == self.instrumented.hooks {
                taken.sites += plan.sites.len() as u32;
                taken.imports += plan.instrumented.imports.len() as u32;
                self.companions.push((module.clone(), plan));
            }
        }
    }

    /// Adds the companion modules to the program itself.
    pub(super) fn add_companions(&self, program: &mut Program) {
        program.package.clone_from(&self.package);
        for (module, plan) in &self.companions {
            // A program without sites has an assignment of one nothing.
            program.assignment.resize(program.sites.len(), None);
            program.assignment.extend_from_slice(&plan.assignment[..plan.sites.len()]);
            program.sites.extend_from_slice(&plan.sites);
            program.imports.extend_from_slice(&plan.instrumented.imports);
            program.modules.push(Module {
                name: module.name.clone(),
                file: module.file.clone(),
                is_package: module.is_package,
                text: plan.instrumented.text.clone(),
                tries: plan.instrumented.tries.clone(),
                sites: plan.sites.len() as u32,
            });
        }
        let own = |preload: &Preload| {
            let root = |name: &str| name.split('.').next().map(str::to_owned);
            program.modules.iter().any(|module| root(&module.name) == root(&preload.module))
        };
        let preloads = std::mem::take(&mut program.preloads);
        program.preloads = preloads.into_iter().filter(|preload| !own(preload)).collect();
    }
}

//! Where a program ran: in which module, with which environment, and why code that it imports was missing.

use serde::Serialize;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Injection;
use surmise_ledger::Ledger;
use surmise_project::Environment;

/// Where a program ran.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Surroundings {
    /// Dotted name of the module that it is, or whose function it is; none for a script or snippet.
    pub module: Option<String>,
    /// Whether a function ran in its imported module; none where it has no module, or a whole file ran.
    pub in_place: Option<bool>,
    /// Why it ran as an excerpt instead.
    pub problem: Option<String>,
    /// The environment whose packages could be imported.
    pub environment: Option<Environment>,
}

impl Surroundings {
    /// Those of a plan's runs.
    pub(super) fn of(plan: &Plan, settings: &Settings, ledger: &Ledger) -> Self {
        let program = plan.program(settings);
        let in_place = ledger.best().in_place.as_ref();
        let place = program.in_place.as_ref().map(|place| &place.module);
        let module = place.unwrap_or(&program.module);
        Self {
            module: Some(module.clone()).filter(|module| !module.is_empty()),
            in_place: in_place.map(Result::is_ok),
            problem: in_place.and_then(|ran| ran.as_ref().err().cloned()),
            environment: settings.environment.as_deref().cloned(),
        }
    }

    /// A line that says so; none where there is nothing to say.
    pub fn line(&self) -> Option<String> {
        let module = self.module.as_ref().map(|module| match (self.in_place, &self.problem) {
            (Some(true), _) => format!("in the imported module {module}"),
            (_, Some(problem)) => format!("as an excerpt of {module}, because {problem}"),
            _ => format!("as the module {module}"),
        });
        let environment = self.environment.as_ref().map(|environment| {
            let (major, minor) = environment.version;
            format!("with the packages of {} (Python {major}.{minor})", environment.path.display())
        });
        let parts: Vec<String> = module.into_iter().chain(environment).collect();
        (!parts.is_empty()).then(|| format!("ran {}", parts.join(", ")))
    }

    /// What to do about modules that are missing.
    pub(super) fn hint(&self, injections: &[Injection]) -> Option<String> {
        let missing = injections.iter().find(|value| value.kind == "import" && !value.name.contains('.'))?;
        match &self.environment {
            None => Some(format!(
                "`{}` was not found: --python names an interpreter or virtual environment whose packages to import",
                missing.name
            )),
            Some(environment) if environment.version != surmise_interpreter::version() => {
                let (major, minor) = environment.version;
                Some(format!(
                    "`{}` was not found, or is compiled for Python {major}.{minor}, which this Surmise does not run",
                    missing.name
                ))
            }
            Some(environment) => Some(format!("`{}` is not installed in {}", missing.name, environment.path.display())),
        }
    }
}

//! Runs the programs of a page, and keeps what is wrong in them.

use std::collections::BTreeSet;
use std::path::PathBuf;

use surmise_batch::pool::Worker;
use surmise_blame::findings;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::Outcome;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::source::Source;
use surmise_engine::stdin::Input;
use surmise_identity::Identity;
use surmise_ledger::Facts;
use surmise_project::Project;
use surmise_report::Report;
use surmise_search::search;

use crate::checked::Checked;
use crate::judge::{Judged, judge};
use crate::page::Page;
use crate::program::{Program, groups};
use crate::sources::{Sources, sources};

/// A program is begun again, without the statement that has raised, so many times.
const ROUNDS: usize = 20;
/// The signal that ends a process which may have been ended by somebody else.
const SIGKILL: i32 = 9;

/// Runs the programs of a page.
///
/// # Errors
/// When a worker process failed us, never for what the code does.
pub fn examine(
    worker: &mut Worker<'_>,
    page: &Page,
    settings: &Settings,
    identity: &Identity,
    mut checked: Checked,
) -> Result<Checked, ClientError> {
    let groups = groups(page);
    let project = Project::around(&page.path).map(|project| project.sources());
    let packages = settings.environment.iter().flat_map(|environment| environment.packages.clone());
    let folders: Vec<PathBuf> = packages.chain(settings.python_path.iter().cloned()).chain(project).collect();
    // Code of a docstring is no module of the package, and what lies beside the file must not stand for other modules.
    // Nor is the page the source of what it shows, for code that reads sources.
    let place = match &page.names {
        Some(names) => names.root.join(&names.module).with_extension("doctest"),
        None => page.path.with_extension("doctest"),
    };
    checked.blocks = page.blocks.len() as u32;
    checked.programs = groups.len() as u32;
    for blocks in groups {
        let mut program = Program::new(page, &blocks);
        let mut seen = BTreeSet::new();
        for _ in 0..ROUNDS {
            let source = Source { name: page.name.clone(), path: Some(place.clone()), text: program.text() };
            let Ok(plan) = Plan::new(source, settings) else { break };
            let (report, sources) = worker.steady(
                |zygote| run(zygote, plan.clone(), settings, identity),
                |(report, _)| report.outcome == Outcome::Killed && report.exit_code == 128 + SIGKILL,
            )?;
            for (finding, source) in report.errors.iter().zip(sources) {
                let error = &finding.raised;
                if !seen.insert((error.kind.clone(), error.line, error.column)) {
                    continue;
                }
                match judge(&program, finding, &source, &folders) {
                    Judged::Expected => checked.expected += 1,
                    Judged::Dismissed => {}
                    Judged::Found(found) => checked.findings.push(found),
                }
            }
            if report.outcome == Outcome::Timeout {
                checked.unfinished += 1;
                break;
            }
            // A session goes on after an error, and so does a reader.
            if report.error.is_none() || !program.drop_last(&report.best) {
                break;
            }
        }
    }
    checked.findings.sort_by_key(|found| (found.line, found.column));
    checked
        .findings
        .dedup_by(|one, other| one.line == other.line && one.kind == other.kind && one.message == other.message);
    Ok(checked)
}

/// The report of a program, and what each of its errors may come of.
fn run(
    zygote: &mut Zygote,
    mut plan: Plan,
    settings: &Settings,
    identity: &Identity,
) -> Result<(Report, Vec<Sources>), ClientError> {
    let mut input = Input::open(None).map_err(ClientError::Setup)?;
    let ledger = search(zygote, &mut plan, settings, &mut input)?;
    let facts = Facts { plan: &plan, ledger: &ledger };
    let sources = findings(facts).iter().map(|finding| sources(facts, &finding.raised)).collect();
    Ok((Report::new(&plan, settings, ledger, identity.clone()), sources))
}

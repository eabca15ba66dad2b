//! The guided run: from the arguments of `surmise run` to its report.

use std::sync::Arc;

use surmise_advice::Advisor;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::in_characters;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::source::{self, Source};
use surmise_engine::stdin::Input;
use surmise_identity::Identity;
use surmise_instrument::{SourceModel, extract};
use surmise_project::Environment;
use surmise_report::Report;
use surmise_script::Writer;
use surmise_search::search;
use surmise_value_model::Recorded;

use super::{Arguments, described};
use crate::cli::printer;
use crate::cli::refusal::Refusal;
use crate::cli::script::write_script;
use crate::cli::session::{Leased, Ranked, Session};

/// A program as it is run.
pub(super) struct Prepared {
    pub(super) source: Source,
    pub(super) settings: Settings,
    pub(super) plan: Result<Plan, surmise_instrument::Error>,
}

/// The part of the source that the arguments select, with its plan.
pub(super) fn prepare(
    arguments: &Arguments,
    source: Source,
    environment: Option<Arc<Environment>>,
) -> Result<Prepared, Refusal> {
    arguments.check_paths()?;
    let source = extracted(source, arguments)?;
    let mut settings = arguments.settings(environment);
    settings.model = arguments.model.open_cached()?;
    settings.observed = arguments.values.observed()?;
    if let Some(path) = &arguments.recorded {
        let hint = "--recorded takes the values of one call: docs/trace-format.md has the form";
        let recorded = Recorded::open(path);
        let recorded = recorded.map_err(|error| Refusal::new(format!("cannot use the recorded call {error}"), hint))?;
        settings.recorded = Some(Arc::new(recorded));
    }
    if let Some(name) = &mut settings.function {
        *name = full_name(&source.text, name);
    }
    Ok(Prepared { plan: Plan::new(source.clone(), &settings), source, settings })
}

/// Runs a program and reports: the file that the arguments name, or the source that is given in its place.
pub(in crate::cli) fn report(
    arguments: &Arguments,
    given: Option<Source>,
    session: &mut Session,
) -> Result<Report, Refusal> {
    // The worker process starts while the source is read and rewritten.
    let environment = arguments.surroundings.environment(arguments.start())?;
    let mut leased = arguments.zygote(environment.as_deref(), session);
    if let Ok(leased) = &mut leased {
        leased.prepare(arguments.settings(None).is_run_once());
    }
    // The search for LibCST proceeds while the snippet runs.
    let writer = arguments.script.as_ref().map(|_| Writer::start());
    let source = read(arguments, given)?;
    let Prepared { source, settings, plan } = prepare(arguments, source, environment)?;
    let identity = arguments.model.identity(&[settings.predictor])?;
    let advisor = arguments.advising.advisor(settings.predictor, false)?;
    let mut report = match plan {
        Ok(plan) => {
            let mut leased = leased?;
            leased.wait_until_ready(&arguments.confinement)?;
            let report = guided(&mut leased.zygote, plan, &settings, arguments, (identity, advisor.as_ref()))?;
            session.give_back(leased);
            report
        }
        Err(surmise_instrument::Error::Syntax { line, message }) => {
            // One that is up serves the next program.
            leased.into_iter().filter(Leased::is_ready).for_each(|leased| session.give_back(leased));
            Report::of_syntax_error(&source.name, &source.text, line, &message, identity)
        }
        Err(error @ surmise_instrument::Error::TooLarge(_)) => return Err(Refusal::bare(error)),
    };
    if let (Some(writer), Some(path)) = (writer, &arguments.script) {
        // The script has the bytes of the file, unless the snippet is a part of a file or came through a pipe.
        let whole = arguments.function.is_none() && arguments.file.as_os_str() != "-";
        let file = whole.then_some(arguments.file.as_path());
        write_script(writer, path, file, &arguments.surroundings.python_path, &mut report)?;
    }
    Ok(report)
}

/// What the predictor expects at each place where a value is read; nothing is run.
pub(in crate::cli) fn ranked(arguments: &Arguments, given: Option<Source>) -> Result<Vec<Ranked>, Refusal> {
    let source = read(arguments, given)?;
    let environment = arguments.surroundings.environment(arguments.start())?;
    let Prepared { source, plan, .. } = prepare(arguments, source, environment)?;
    let plan = plan.map_err(|error| Refusal::bare(format!("`{}` {error}", source.name)))?;
    let ranked = plan.uses().iter().zip(0..).filter(|(site, _)| !site.name.is_empty()).map(|(site, number)| {
        let classes = plan.ranking(number).iter().map(|prediction| (prediction.class, prediction.probability));
        let (line, column) = (site.line, in_characters(&plan.text, site.line, site.column));
        Ranked { line, column, kind: site.kind.as_str(), name: site.name.to_string(), classes: classes.collect() }
    });
    let mut ranked: Vec<Ranked> = ranked.collect();
    ranked.sort_by_key(|place| (place.line, place.column));
    Ok(ranked)
}

fn read(arguments: &Arguments, given: Option<Source>) -> Result<Source, Refusal> {
    match given {
        Some(source) => Ok(source),
        None => source::read(&arguments.file).map_err(|error| Refusal::new(&error, error.hint())),
    }
}

/// The part of the source that `--function` selects.
fn extracted(source: Source, arguments: &Arguments) -> Result<Source, Refusal> {
    let Some(name) = &arguments.function else {
        return Ok(source);
    };
    // A source that does not parse has no functions.
    let found = SourceModel::parse(source.text.as_str())
        .map_err(|_| extract::NotFound { qualname: name.clone(), nearest: Vec::new() })
        .and_then(|model| if arguments.body { extract::body(&model, name) } else { extract::in_place(&model, name) });
    let text = found.map_err(|error| match error.nearest.as_slice() {
        [] => Refusal::new(&error, "the file defines no function"),
        names => Refusal::new(&error, format!("did you mean `{}`?", names.join("`, `"))),
    })?;
    Ok(Source { text, ..source })
}

/// Qualified name (`Class.method`) of a function of which the user may have given the last part only (`method`).
fn full_name(text: &str, name: &str) -> String {
    let functions = SourceModel::parse(text).map_or_else(|_| Vec::new(), |model| extract::qualnames(&model));
    let exact = functions.iter().any(|function| function.qualname == name);
    let suffix = format!(".{name}");
    let longer = functions.into_iter().find(|function| !exact && function.qualname.ends_with(&suffix));
    longer.map_or_else(|| name.to_owned(), |function| function.qualname)
}

fn guided(
    zygote: &mut Zygote,
    mut plan: Plan,
    settings: &Settings,
    arguments: &Arguments,
    (identity, advisor): (Identity, Option<&Advisor>),
) -> Result<Report, Refusal> {
    let sampled = described::sampled(zygote, &plan, settings, arguments)?;
    let input = match &sampled {
        Some(sampled) => Input::of_samples(sampled.samples.iter().map(String::as_str)),
        None => Input::open(arguments.stdin()),
    };
    let mut input = input.map_err(ClientError::Setup)?;
    let (ledger, advice) = match advisor {
        Some(advisor) => {
            let (ledger, advice) = advisor.search(zygote, &mut plan, settings, &mut input)?;
            if let Some(failure) = &advice.failure {
                printer::warning(&format!("{failure}; the built-in model goes on alone"));
            }
            (ledger, Some(advice))
        }
        None => (search(zygote, &mut plan, settings, &mut input)?, None),
    };
    let mut report = Report::new(&plan, settings, ledger, identity);
    if let Some(given) = &arguments.stdin_description {
        described::name_likeliest_first(&mut report, &plan.model, described::description(given)?.as_deref());
    }
    Ok(Report { language_model: advice, sampled_input: sampled, ..report })
}

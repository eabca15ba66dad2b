//! Compares both versions of a function: without a run where they are the same code, else in their modules where these
//! can be imported, and as excerpts.

use std::collections::BTreeSet;
use std::time::Instant;

use surmise_instrument::SourceModel;
use surmise_instrument::extract::{Import, imported};
use surmise_instrument::same::{Named, Sameness, have_one_form, named, sameness};

use super::candidate::{Candidate, Version};
use super::comparison::Comparison;
use super::options::Options;
use super::paired_runs::{Outcome, PairedRuns, Standpoint};
use super::verdict::{Ground, Verdict, Witness};
use surmise_engine::client::{ClientError, Zygote};

/// Compares a candidate. With two zygotes both versions run at the same time.
///
/// # Errors
/// When the worker process failed us, never for what the functions do.
pub fn compare(zygotes: &mut [Zygote], candidate: &Candidate, options: &Options) -> Result<Comparison, ClientError> {
    let begin = Instant::now();
    let mut comparison = Comparison::known(candidate);
    if let Ok(versions) = &candidate.versions {
        // Variables that it reads have other values, perhaps in another file.
        let reads = !versions.1.reads.is_empty();
        let models = SourceModel::parse(versions.0.own.as_str())
            .and_then(|old| Ok([old, SourceModel::parse(versions.1.own.as_str())?]));
        comparison.verdict = match models {
            Ok([old, new]) => match sameness(&old, &new).filter(|_| !reads) {
                Some(Sameness::Code) => Verdict::Equal(Ground::SameCode),
                Some(Sameness::Renamed) => Verdict::Equal(Ground::RenamedLocals),
                None if !reads && have_one_form(&old, &new, options.strict_messages || options.strict_logging) => {
                    Verdict::Equal(Ground::OneForm)
                }
                None => {
                    let names = [named_around(&old, &versions.0), named_around(&new, &versions.1)];
                    by_runs(zygotes, [&versions.0, &versions.1], [&old, &new], &names, options, &mut comparison)?
                }
            },
            Err(error) => Verdict::Unknown(format!("a version does not parse: {error}")),
        };
    }
    comparison.time = begin.elapsed();
    Ok(comparison)
}

/// What a version names itself, with the texts and numbers of what it uses of its module.
fn named_around(own: &SourceModel, version: &Version) -> Named {
    let mut names = named(own);
    if let Ok(around) = SourceModel::parse(version.source.text.as_str()) {
        let Named { texts, numbers, .. } = named(&around);
        (names.texts, names.numbers) = (texts, numbers);
    }
    names
}

/// The verdict of runs.
fn by_runs(
    zygotes: &mut [Zygote],
    versions: [&Version; 2],
    own: [&SourceModel; 2],
    names: &[Named; 2],
    options: &Options,
    comparison: &mut Comparison,
) -> Result<Verdict, ClientError> {
    let mut from = |standpoint| PairedRuns::compare(zygotes, versions, own, names, standpoint, options);
    let has_places = versions.iter().all(|version| version.place.is_some());
    let mut found = None;
    if options.settings.in_place && has_places {
        let outcome = from(Standpoint::Module)?;
        comparison.unplaced.clone_from(&outcome.unplaced);
        found = Some(outcome).filter(|outcome| outcome.unplaced.is_none());
    }
    let is_open = |outcome: &Outcome| matches!(outcome.verdict, Verdict::Unknown(_));
    comparison.in_place = found.is_some();
    let Outcome { verdict, runs, changed, .. } = match found {
        Some(found) if matches!(found.verdict, Verdict::Possible(_)) => {
            // What is missing in an excerpt may let likely values come to where only unlikely ones did.
            let excerpt = from(Standpoint::Excerpt)?;
            comparison.in_place = !excerpt.is_likely;
            if excerpt.is_likely { excerpt } else { found }
        }
        Some(found) if !is_open(&found) => found,
        Some(found) => {
            // Real code that refuses made-up values keeps runs from the change; what is missing refuses nothing.
            let excerpt = from(Standpoint::Excerpt)?;
            let is_no_better = is_open(&excerpt) && excerpt.changed.reached <= found.changed.reached;
            let is_by_what_is_missing =
                |witness| calls_own_helper(versions, witness) || reads_another_import(versions, witness);
            comparison.in_place = is_no_better || excerpt.verdict.witness().is_some_and(is_by_what_is_missing);
            if comparison.in_place { found } else { excerpt }
        }
        None => {
            let mut excerpt = from(Standpoint::Excerpt)?;
            if comparison.unplaced.is_some()
                && excerpt.verdict.witness().is_some_and(|witness| calls_by_another_import(versions, witness))
            {
                let reason = "they first differ in a call by a name that only one of them imports, and the module that says \
                              what it is cannot be imported";
                excerpt.verdict = Verdict::Unknown(reason.to_owned());
            }
            if excerpt.verdict.witness().is_some_and(|witness| calls_own_helper(versions, witness)) {
                let reason = "they first differ in a call of what only one version of the file defines, and what an excerpt lacks";
                excerpt.verdict = Verdict::Unknown(reason.to_owned());
            }
            excerpt
        }
    };
    (comparison.runs, comparison.changed) = (runs, (changed.reached, changed.all()));
    Ok(verdict)
}

/// True if the versions first differ in a call of something that only one version of their file or class defines: where it is
/// missing in an excerpt, what it does is not done.
fn calls_own_helper(versions: [&Version; 2], witness: &Witness) -> bool {
    [(&witness.old, versions[0]), (&witness.new, versions[1])].into_iter().any(|(entry, version)| {
        let callee = entry.as_deref().and_then(|entry| entry.strip_prefix("call ")?.split('(').next());
        callee.is_some_and(|callee| match callee.split_once('.') {
            Some(("self" | "cls", name)) => {
                let class = version.qualname.rsplit_once('.').map_or("", |(class, _)| class);
                version.defined_here.contains(&format!("{class}.{name}"))
            }
            _ => version.defined_here.contains(callee),
        })
    })
}

/// True if what shows the difference is made up for a name that only one version imports, and the other imports another one
/// instead: a variable that was renamed where it is defined, say.
fn reads_another_import(versions: [&Version; 2], witness: &Witness) -> bool {
    let [old, new] = versions.map(|version| {
        let imports = SourceModel::parse(&version.own).map(|model| imported(&model).imports).unwrap_or_default();
        let names = imports.into_iter().flat_map(|import| {
            let module = import.module.rsplit('.').next().unwrap_or_default().to_owned();
            import.names.unwrap_or_default().into_iter().map(move |name| format!("{module}.{name}"))
        });
        names.collect::<BTreeSet<String>>()
    });
    if old.is_subset(&new) || new.is_subset(&old) {
        return false;
    }
    let paths = witness.given.iter().map(|(path, _)| path.split([':', '(', '[']).next().unwrap_or_default());
    let is_of = |path: &str, name: &str| {
        let rest = path.strip_suffix(name).or_else(|| path.find(&format!("{name}.")).map(|at| &path[..at]));
        rest.is_some_and(|before| before.is_empty() || before.ends_with('.'))
    };
    paths.into_iter().any(|path| old.symmetric_difference(&new).any(|name| is_of(path, name)))
}

/// True if the versions first differ in a call of something that only one of them imports, and the other imports something else
/// instead: where the module cannot be imported the two may be one.
fn calls_by_another_import(versions: [&Version; 2], witness: &Witness) -> bool {
    let modules = versions.map(|version| {
        let imports = SourceModel::parse(&version.own).map(|model| imported(&model).imports).unwrap_or_default();
        let last = |import: Import| import.module.rsplit('.').next().map(str::to_owned);
        imports.into_iter().filter_map(last).collect::<BTreeSet<String>>()
    });
    if modules[0].is_subset(&modules[1]) || modules[1].is_subset(&modules[0]) {
        return false;
    }
    let entries = [(&witness.old, &modules[0], &modules[1]), (&witness.new, &modules[1], &modules[0])];
    entries.into_iter().any(|(entry, own, other)| {
        let callee = entry.as_deref().and_then(|entry| entry.strip_prefix("call ")?.split('(').next());
        let module = callee.and_then(|callee| callee.rsplit('.').nth(1));
        module.is_some_and(|module| own.contains(module) && !other.contains(module))
    })
}

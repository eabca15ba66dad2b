//! Training of the table of strings that names usually are.

use surmise_trace::dataset::{self, DataError, Part, Split};
use surmise_trace::literals::{SiteStrings, site_strings};
use surmise_value_model::literals::{Literals, LiteralsBuilder};

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};

const HINT: &str =
    "`corpora/collect.py` without `--slim` keeps literals, and strings are learned from its `train-*` parts";

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let parts = if arguments.data.is_empty() { Vec::new() } else { dataset::parts(&arguments.data)? };
    let mut builder = LiteralsBuilder::default();
    let (mut projects, mut sites) = (0, 0_u64);
    for part in parts.iter().filter(|part| part.split == Split::Train) {
        let before = sites;
        each(part, |site| {
            builder.add(&site.name, &site.strings);
            sites += 1;
        })?;
        builder.end_project();
        projects += usize::from(sites > before);
    }
    if sites == 0 {
        return Err(Refusal::new("no strings to learn from", HINT));
    }
    let table = builder.build();
    for part in parts.iter().filter(|part| part.split == Split::Dev) {
        printer::note(&measured(part, &table)?);
    }
    let (path, bytes) = (&arguments.output, table.as_bytes());
    write(path, bytes)?;
    let (sites, names) = (printer::grouped(sites), table.len());
    let size = bytes.len();
    printer::data(&format!(
        "literals: {names} names and words, of {sites} sites of {projects} projects, {size} bytes in {}\n",
        path.display()
    ));
    Ok(())
}

/// How often the string of the table is the one that most observations of a site were.
fn measured(part: &Part, table: &Literals) -> Result<String, Refusal> {
    let (mut all, mut known, mut right) = (0, 0, 0);
    each(part, |site| {
        let Some(dominant) = site.dominant() else { return };
        let answer = table.of(&site.name);
        all += 1;
        known += u64::from(answer.is_some());
        right += u64::from(answer.as_deref() == Some(dominant));
    })?;
    let [all, known, right] = [all, known, right].map(printer::grouped);
    Ok(format!("{}: {all} sites with one dominant string, {known} of names in the table, {right} right", part.project))
}

fn each(part: &Part, mut take: impl FnMut(&SiteStrings)) -> Result<(), DataError> {
    for site in site_strings(part)? {
        take(&site?);
    }
    Ok(())
}

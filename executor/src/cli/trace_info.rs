//! `surmise trace info`: numbers of one or several recordings.

use std::fmt::Write;
use std::path::PathBuf;

use clap::Args;

use super::printer::{self, grouped};
use super::refusal::Refusal;
use surmise_engine::exit::{Exit, Status};
use surmise_trace::info::{Info, Numbers, info};

/// How many reasons for files that were not recorded are listed.
const REASONS: usize = 10;

/// Show what recordings contain.
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Folders that were written by `surmise trace` or `surmise trace merge`.
    #[arg(required = true, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Print the numbers as JSON (schema surmise.trace-info/1).
    #[arg(long)]
    json: bool,
}

/// Runs the command; recordings that can be read are shown even if others cannot.
pub(super) fn run(arguments: &Arguments) -> Result<Status, Refusal> {
    let (info, errors) = info(&arguments.folders);
    if errors.len() < arguments.folders.len() {
        let text = if arguments.json { serde_json::to_string_pretty(&info) } else { Ok(render(&info)) };
        let text = text.map_err(|error| Refusal::bare(error).with(Exit::Internal))?;
        printer::data(&(text.trim_end().to_owned() + "\n"));
    }
    for error in &errors {
        printer::error(&error.to_string(), error.hint().as_deref());
    }
    Ok(if errors.is_empty() { Exit::Success } else { Exit::Usage }.into())
}

fn render(info: &Info) -> String {
    let mut rows = vec![
        ["recording", "project", "files", "skipped", "sites", "hit", "events", "pairs"].map(str::to_owned).to_vec(),
    ];
    for entry in &info.recordings {
        let project = entry.project.clone().unwrap_or_else(|| "(several)".to_owned());
        rows.push(numbers(entry.folder.display().to_string(), project, entry.numbers));
    }
    if info.recordings.len() > 1 {
        rows.push(numbers("total".to_owned(), String::new(), info.total));
    }
    let mut text = table(&rows, 2);
    for (title, shares) in [("kind", &info.kinds), ("class", &info.classes)] {
        let mut rows = vec![vec![title.to_owned(), "sites".to_owned(), "of hit".to_owned(), "events".to_owned()]];
        for share in shares.iter().filter(|share| share.sites > 0) {
            let part = 100.0 * share.sites as f64 / info.total.sites_hit.max(1) as f64;
            rows.push(vec![share.name.to_owned(), grouped(share.sites), format!("{part:.1} %"), grouped(share.events)]);
        }
        if rows.len() > 1 {
            text += "\n";
            text += &table(&rows, 1);
        }
    }
    if !info.left_out.is_empty() {
        let mut rows = vec![vec!["skipped because".to_owned(), "files".to_owned()]];
        rows.extend(
            info.left_out.iter().take(REASONS).map(|reason| vec![reason.reason.clone(), grouped(reason.files)]),
        );
        text += "\n";
        text += &table(&rows, 1);
    }
    for entry in &info.recordings {
        for problem in &entry.damaged {
            let _into_a_string = write!(text, "\ndamaged in {}: {problem}", entry.folder.display());
        }
    }
    text
}

fn numbers(folder: String, project: String, of: Numbers) -> Vec<String> {
    let numbers = [of.files, of.files_left_out, of.sites, of.sites_hit, of.events, of.pairs];
    [folder, project].into_iter().chain(numbers.map(grouped)).collect()
}

/// Aligns rows in columns: the first `texts` columns to the left, the other ones, which are numbers, to the right.
fn table(rows: &[Vec<String>], texts: usize) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let gap = if column == 0 { "" } else { "  " };
            let _into_a_string =
                if column < texts { write!(line, "{gap}{cell:<width$}") } else { write!(line, "{gap}{cell:>width$}") };
        }
        text += line.trim_end();
        text += "\n";
    }
    text
}

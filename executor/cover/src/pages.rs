//! HTML: a page for each snippet, and an index with a table that sorts.

use std::path::{Path, PathBuf};

use askama::Template;

use super::summary::{Row, Summary};
use surmise_batch::BatchError;
use surmise_report::{Report, html};

/// Where the page of a snippet lies.
pub fn path(folder: &Path, index: u64) -> PathBuf {
    folder.join(name(index))
}

fn name(index: impl std::fmt::Display) -> String {
    format!("pages/{index}.html")
}

/// The way from the pages to the index and the style sheet.
const FROM_PAGES: html::Folder<'static> = html::Folder { index: "../index.html", style: "../report.css" };

/// Writes the page of a snippet.
///
/// # Errors
/// When it cannot be written.
pub fn write(folder: &Path, index: u64, report: &Report) -> Result<(), BatchError> {
    write_whole(&path(folder, index), &html::render_in(report, FROM_PAGES))
}

#[derive(Template)]
#[template(path = "cover.html")]
struct Index<'a> {
    summary: &'a Summary,
    rows: &'a [(u64, Row)],
    picture: String,
}

/// Writes the index.
///
/// # Errors
/// When it cannot be written.
pub fn write_index(folder: &Path, rows: &[(u64, Row)], summary: &Summary, picture: String) -> Result<(), BatchError> {
    let index = Index { summary, rows, picture };
    let path = folder.join("index.html");
    let text = index
        .render()
        .map_err(|error| BatchError::Write { path: path.clone(), source: std::io::Error::other(error) })?;
    write_whole(&folder.join("report.css"), html::STYLE)?;
    write_whole(&path, &text)
}

/// Writes a file so that it is there whole or not at all.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), BatchError> {
    let failed = |source| BatchError::Write { path: path.to_owned(), source };
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    surmise_value_model::files::replace(path, text.as_bytes()).map_err(failed)
}

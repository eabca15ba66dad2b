//! Pages as they are read from files.

use std::path::{Path, PathBuf};

use surmise_engine::source;
use surmise_engine::source::SourceError;
use walkdir::{DirEntry, WalkDir};

use crate::checked::{Checked, Found, Verdict};
use crate::language::{Refused, is_labelled_python, sorted};
use crate::page::{Listing, Page, lines_of};
use crate::{docstrings, markdown, notebook, restructured};
use surmise_batch::BatchError;
use surmise_instrument::SourceModel;

/// Endings of the files of a folder that are pages.
const ENDINGS: [&str; 5] = ["md", "markdown", "mdx", "rst", "ipynb"];
/// That of files that are pages if their docstrings have sessions.
const PYTHON: &str = "py";
/// What no session is without.
const PROMPT: &[u8] = b">>> ";
/// A larger file of Python has been made by a program.
const MOST_SEARCHED: u64 = 16 << 20;

/// A page that was read, and what is wrong in it without being run.
pub struct Read {
    /// The page.
    pub page: Page,
    /// Syntax errors.
    pub checked: Checked,
}

/// Calls `take` with the path of each page, until it returns false.
///
/// # Errors
/// When something given does not exist, is no page, or cannot be read; and when there is no page.
pub fn each(paths: &[PathBuf], mut take: impl FnMut(PathBuf) -> bool) -> Result<(), BatchError> {
    for path in paths {
        if !path.is_dir() {
            let failed = |source| BatchError::Read { path: path.clone(), source };
            std::fs::File::open(path).map_err(failed)?;
            if !take(path.clone()) {
                return Ok(());
            }
            continue;
        }
        for entry in WalkDir::new(path).sort_by_file_name().into_iter().filter_entry(is_wanted) {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(path).to_owned();
                BatchError::Read { path, source: error.into() }
            })?;
            let ending = entry.path().extension().and_then(|ending| ending.to_str()).unwrap_or_default();
            let is_page = ENDINGS.contains(&ending) || ending == PYTHON && has_prompt(entry.path());
            if entry.file_type().is_file() && is_page && !take(entry.into_path()) {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// True for a file that may have a session.
fn has_prompt(path: &Path) -> bool {
    let is_small = std::fs::metadata(path).is_ok_and(|found| found.len() <= MOST_SEARCHED);
    let has = |text: Vec<u8>| text.windows(PROMPT.len()).any(|part| part == PROMPT);
    is_small && std::fs::read(path).is_ok_and(has)
}

/// Hidden folders, and those that hold what is built or installed, have no pages of the project's own.
fn is_wanted(entry: &DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    let is_foreign = ["node_modules", "site-packages", "_build", "__pycache__"].contains(&name.as_ref())
        || entry.file_type().is_dir() && entry.path().join("pyvenv.cfg").is_file();
    entry.depth() == 0 || !(name.starts_with('.') || is_foreign)
}

/// Reads a page.
///
/// # Errors
/// When it cannot be read as a text, or is a notebook that is damaged.
pub fn read(path: &Path) -> Result<Read, String> {
    let source = source::read(path).map_err(|error| match error {
        SourceError::Binary(path) => format!("`{path}` is a binary file, not a page"),
        error => error.to_string(),
    })?;
    let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default();
    if ending == PYTHON {
        let model =
            SourceModel::parse(source.text.as_str()).map_err(|error| format!("`{}` {error}", path.display()))?;
        let mut read = page(&source.name, path, docstrings::listings(&model));
        read.page.names = docstrings::names(path, &model);
        return Ok(read);
    }
    let lines = lines_of(&source.text);
    let listings = match ending.as_str() {
        "ipynb" => notebook::listings(&source.text).map_err(|error| format!("`{}` is {error}", path.display()))?,
        "md" | "markdown" | "mdx" => markdown::listings(&lines),
        _ => restructured::listings(&lines),
    };
    Ok(page(&source.name, path, listings))
}

fn page(name: &str, path: &Path, listings: Vec<Listing>) -> Read {
    let mut page = Page { name: name.to_owned(), path: path.to_owned(), ..Page::default() };
    let mut checked = Checked { page: name.to_owned(), ..Checked::default() };
    let mut listings = listings.into_iter().peekable();
    let mut other: Option<(u32, String)> = None;
    while let Some(mut listing) = listings.next() {
        // What stands before code in another language is about its translation, too.
        if let Some((_, before)) = other.filter(|(section, _)| *section == listing.section)
            && listing.before.trim().is_empty()
        {
            listing.before = before;
        }
        other = (!is_labelled_python(&listing)).then(|| (listing.section, listing.before.clone()));
        let sorted = sorted(listing, listings.peek());
        page.blocks.extend(sorted.block);
        checked.findings.extend(sorted.refused.into_iter().map(found));
        for reason in sorted.left_out {
            *page.left_out.entry(reason).or_default() += 1;
        }
    }
    checked.left_out.clone_from(&page.left_out);
    Read { page, checked }
}

fn found(refused: Refused) -> Found {
    Found {
        verdict: if refused.is_python { Verdict::Certain } else { Verdict::Conditional },
        kind: "SyntaxError".to_owned(),
        message: refused.message,
        line: refused.line,
        column: None,
        end_column: None,
        cell: refused.cell,
        text: refused.text,
        hint: None,
        function: None,
    }
}

//! A page of documentation, as far as it is Python.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A line of a text, with its place in the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeLine {
    /// The text, without what stands around it in the page: indentation, prompts, quotation.
    pub text: String,
    /// The line of the page, from 1.
    pub line: u32,
    /// The way from columns of the text to those of the page.
    pub columns: Columns,
}

/// The way from columns of a line to those of the page, in characters from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// So many characters of the page stand before the line.
    Shift(u32),
    /// The column of each character of the line, and that of its end; the line has escapes in the page.
    Table(Vec<u32>),
}

impl Columns {
    /// The column in the page.
    #[must_use]
    pub fn of(&self, column: u32) -> u32 {
        match self {
            Self::Shift(shift) => column + shift,
            Self::Table(table) => table.get(column as usize).or(table.last()).copied().unwrap_or(column),
        }
    }
}

impl CodeLine {
    /// The line from a byte on.
    #[must_use]
    pub fn from_byte(&self, byte: usize) -> Self {
        let (before, rest) = self.text.split_at_checked(byte).unwrap_or((&self.text, ""));
        let skipped = before.chars().count();
        let columns = match &self.columns {
            Columns::Shift(shift) => Columns::Shift(shift + skipped as u32),
            Columns::Table(table) => Columns::Table(table.get(skipped..).unwrap_or_default().to_vec()),
        };
        Self { text: rest.to_owned(), line: self.line, columns }
    }

    /// The line with nothing in it.
    #[must_use]
    pub fn blank(&self) -> Self {
        Self { text: String::new(), ..self.clone() }
    }
}

/// The lines of a page as it is.
#[must_use]
pub fn lines_of(text: &str) -> Vec<CodeLine> {
    let line =
        |(number, text): (u32, &str)| CodeLine { text: text.to_owned(), line: number, columns: Columns::Shift(0) };
    (1..).zip(text.lines()).map(line).collect()
}

/// What a page marks as code, in whatever language.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The language that the page names; none where it only marks code.
    pub label: Option<String>,
    /// The lines.
    pub lines: Vec<CodeLine>,
    /// The page says that it is not to be run.
    pub skipped: bool,
    /// The page says that it raises.
    pub raises: bool,
    /// The number of headings before it.
    pub section: u32,
    /// The prose right before it.
    pub before: String,
    /// The prose right after it.
    pub after: String,
    /// The number of the notebook's cell, from 1.
    pub cell: Option<u32>,
    /// The number of the docstring that it stands in: what it shares names with.
    pub docstring: Option<u32>,
}

/// A block of Python.
#[derive(Clone, Debug)]
pub struct Block {
    /// The lines of code; those of prompts without output.
    pub lines: Vec<CodeLine>,
    /// The page says that it is Python.
    pub is_labelled: bool,
    /// It was typed at a prompt.
    pub is_session: bool,
    /// Lines of the page whose statements the page shows to raise.
    pub raising: Vec<RangeInclusive<u32>>,
    /// The number of headings before it.
    pub section: u32,
    /// The prose right before and after it.
    pub prose: String,
    /// The number of the notebook's cell, from 1.
    pub cell: Option<u32>,
    /// The number of the docstring that it stands in: what it shares names with.
    pub docstring: Option<u32>,
}

impl Block {
    /// The line of the page that it begins on.
    #[must_use]
    pub fn first_line(&self) -> u32 {
        self.lines.first().map_or(1, |line| line.line)
    }

    /// The code.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        text
    }

    /// True for a block that the page says to be Python, or that imports or defines something; others may be in a language
    /// that resembles it.
    #[must_use]
    pub fn is_surely_python(&self) -> bool {
        let begins = |line: &CodeLine| {
            let text = line.text.trim_start();
            ["import ", "from ", "def ", "class ", "async def "].iter().any(|begin| text.starts_with(begin))
        };
        self.is_labelled || self.lines.iter().any(begins)
    }

    /// True if the page shows that the statement on a line of it raises.
    #[must_use]
    pub fn shows_error_at(&self, line: u32) -> bool {
        self.raising.iter().any(|lines| lines.contains(&line))
    }
}

/// Why a piece of code of a page is not run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LeftOut {
    /// It is in another language, or in none: commands, output, configuration.
    OtherLanguage,
    /// It is a part of something, and has dots or placeholders where the rest would stand.
    Fragment,
    /// The page itself says that it is not to be run.
    Skipped,
}

impl LeftOut {
    /// How reports name it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OtherLanguage => "in other languages",
            Self::Fragment => "fragments",
            Self::Skipped => "marked to be skipped",
        }
    }
}

/// A page, as far as it is Python.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The name of the page, as it was given.
    pub name: String,
    /// The file.
    pub path: PathBuf,
    /// The blocks that are run, in the order of the page.
    pub blocks: Vec<Block>,
    /// How many pieces of code are left out.
    pub left_out: BTreeMap<LeftOut, u32>,
    /// The names that all blocks may use; those of the module whose docstrings they are from.
    pub names: Option<Names>,
}

/// Names of a module that is imported for real.
#[derive(Clone, Debug)]
pub struct Names {
    /// Dotted name of the module.
    pub module: String,
    /// The folder that goes on `sys.path` for it.
    pub root: PathBuf,
    /// The names that the module binds.
    pub names: BTreeSet<String>,
}

//! Code of reStructuredText pages, found by indentation.
//!
//! The crates that parse the whole language (`rst_parser`) refuse pages with what they do not know, which is much of what
//! Sphinx adds, and keep no lines. Code needs little of the language: a directive, a paragraph that ends in `::` or a
//! prompt begins it, and indentation ends it.

use crate::page::{CodeLine, Listing};

/// Characters of prose that are looked at before and after a block.
const NEAR: usize = 400;

/// Directives whose content is code in the language of their argument.
const CODE: [&str; 3] = ["code-block", "code", "sourcecode"];
/// Directives whose content is Python.
const PYTHON: [&str; 6] = ["testcode", "testsetup", "ipython", "jupyter-execute", "doctest", "exec_code"];
/// Directives whose content is neither code nor text with code in it.
const OTHERS: [&str; 9] =
    ["parsed-literal", "math", "raw", "graphviz", "testoutput", "prompt", "productionlist", "uml", "csv-table"];

/// All listings of a page.
pub(crate) fn listings(lines: &[CodeLine]) -> Vec<Listing> {
    let mut reader = Reader {
        lines,
        at: 0,
        found: Vec::new(),
        section: 0,
        paragraph: String::new(),
        language: None,
        is_after: false,
    };
    while reader.at < lines.len() {
        reader.next();
    }
    reader.end_of_paragraph();
    reader.found
}

struct Reader<'a> {
    lines: &'a [CodeLine],
    at: usize,
    found: Vec<Listing>,
    section: u32,
    /// The paragraph that is being read, or the last one.
    paragraph: String,
    /// That of `.. highlight::`, for literal blocks.
    language: Option<String>,
    /// The last listing waits for the paragraph after it.
    is_after: bool,
}

fn indent(text: &str) -> usize {
    text.len() - text.trim_start_matches([' ', '\t']).len()
}

impl Reader<'_> {
    fn next(&mut self) {
        let line = &self.lines[self.at].text;
        let (margin, text) = (indent(line), line.trim());
        if text.is_empty() {
            self.end_of_paragraph();
            self.at += 1;
        } else if let Some(rest) = text.strip_prefix(".. ").or((text == "..").then_some("")) {
            self.end_of_paragraph();
            self.at += 1;
            self.explicit(margin, rest.trim());
        } else if text.starts_with(">>> ") || text == ">>>" {
            self.end_of_paragraph();
            let end = self.lines[self.at..].iter().position(|line| line.text.trim().is_empty());
            let end = end.map_or(self.lines.len(), |length| self.at + length);
            let lines = dedented(&self.lines[self.at..end], margin);
            self.at = end;
            self.add(Listing { label: Some("pycon".to_owned()), lines, ..Listing::default() });
        } else if is_underline(text) && self.at > 0 && !self.lines[self.at - 1].text.trim().is_empty() {
            self.section += 1;
            self.end_of_paragraph();
            self.at += 1;
        } else {
            if self.paragraph.ends_with('\n') {
                self.paragraph.clear();
            }
            self.paragraph.push_str(text);
            self.paragraph.push(' ');
            self.at += 1;
            let ends = self.lines.get(self.at).is_none_or(|line| line.text.trim().is_empty());
            if text.ends_with("::") && ends {
                self.end_of_paragraph();
                let lines = self.content(margin);
                if !lines.is_empty() {
                    // The language is that of the page, which says little of each of its literal blocks.
                    let label = self.language.clone().filter(|label| !label.starts_with("py"));
                    self.add(Listing { label, lines, ..Listing::default() });
                }
            }
        }
    }

    /// Ends the paragraph that is being read.
    fn end_of_paragraph(&mut self) {
        if self.paragraph.is_empty() || self.paragraph.ends_with('\n') {
            return;
        }
        self.paragraph.push('\n');
        if std::mem::take(&mut self.is_after)
            && let Some(last) = self.found.last_mut()
        {
            last.after = self.paragraph.chars().take(NEAR).collect();
        }
    }

    fn add(&mut self, listing: Listing) {
        let before = std::mem::take(&mut self.paragraph);
        let from = before.char_indices().rev().nth(NEAR).map_or(0, |(at, _)| at);
        self.found.push(Listing { section: self.section, before: before[from..].to_owned(), ..listing });
        self.is_after = true;
    }

    /// A directive, or a comment.
    fn explicit(&mut self, margin: usize, text: &str) {
        let Some((name, argument)) = text.split_once("::") else {
            // Targets, footnotes and substitutions hold text; comments hold nothing.
            if !text.starts_with(['_', '[', '|']) {
                self.content(margin);
            }
            return;
        };
        let (name, argument) = (name.trim().to_lowercase(), argument.trim());
        let label = |argument: &str| argument.split_whitespace().next().unwrap_or_default().to_lowercase();
        if name == "highlight" {
            self.language = Some(label(argument));
        } else if CODE.contains(&name.as_str()) {
            self.code(margin, Some(label(argument)));
        } else if PYTHON.contains(&name.as_str()) {
            let language = if name == "doctest" { "pycon" } else { "python" };
            self.code(margin, Some(language.to_owned()));
        } else if OTHERS.contains(&name.as_str()) {
            let lines = self.content(margin);
            if name == "testoutput" || name == "prompt" {
                self.add(Listing { label: Some("text".to_owned()), lines, ..Listing::default() });
            }
        }
    }

    fn code(&mut self, margin: usize, label: Option<String>) {
        let content = self.content(margin);
        let is_option = |line: &&CodeLine| line.text.starts_with(':') && line.text[1..].contains(':');
        let options: Vec<&CodeLine> = content.iter().take_while(is_option).collect();
        let has = |name: &str| options.iter().any(|option| option.text.starts_with(name));
        let (skipped, raises) = (has(":skipif:") || has(":no-run:"), has(":okexcept:") || has(":raises:"));
        let lines = content[options.len()..].to_vec();
        if !lines.is_empty() {
            self.add(Listing { label, lines, skipped, raises, ..Listing::default() });
        }
    }

    /// Takes the lines that are indented more than the margin, without their indentation.
    fn content(&mut self, margin: usize) -> Vec<CodeLine> {
        let inside = |line: &CodeLine| line.text.trim().is_empty() || indent(&line.text) > margin;
        let from = self.at;
        let length = self.lines[from..].iter().take_while(|line| inside(line)).count();
        let mut lines = &self.lines[from..from + length];
        self.at = from + length;
        while let [first, rest @ ..] = lines
            && first.text.trim().is_empty()
        {
            lines = rest;
        }
        while let [rest @ .., last] = lines
            && last.text.trim().is_empty()
        {
            lines = rest;
        }
        let least = lines.iter().filter(|line| !line.text.trim().is_empty()).map(|line| indent(&line.text)).min();
        dedented(lines, least.unwrap_or(0))
    }
}

fn dedented(lines: &[CodeLine], margin: usize) -> Vec<CodeLine> {
    lines.iter().map(|line| line.from_byte(margin.min(indent(&line.text)))).collect()
}

/// True for the line under a heading.
fn is_underline(text: &str) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    text.len() >= 3 && first.is_ascii_punctuation() && text.chars().all(|other| other == first)
}

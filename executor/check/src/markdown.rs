//! Code of Markdown pages: `CommonMark`, with what `MyST` and `MkDocs` add.

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::page::{CodeLine, Listing};
use crate::restructured;

/// Characters of prose that are looked at before and after a block.
const NEAR: usize = 400;
/// `MkDocs` nests fences in indented blocks, and these in others.
const DEEPEST: u32 = 4;

/// All listings of a page.
pub(crate) fn listings(lines: &[CodeLine]) -> Vec<Listing> {
    let mut reader = Reader::default();
    reader.read(lines, DEEPEST);
    reader.found
}

#[derive(Default)]
struct Reader {
    found: Vec<Listing>,
    section: u32,
    /// The prose since the last listing; its first part follows on that one.
    prose: String,
    /// The last listing waits for the prose after it.
    is_after: bool,
    skips: bool,
}

/// The lines of a text within the page.
struct Source<'a> {
    lines: &'a [CodeLine],
    text: String,
    starts: Vec<usize>,
}

impl<'a> Source<'a> {
    fn new(lines: &'a [CodeLine]) -> Self {
        let (mut text, mut starts) = (String::new(), Vec::with_capacity(lines.len()));
        for line in lines {
            starts.push(text.len());
            text.push_str(&line.text);
            text.push('\n');
        }
        Self { lines, text, starts }
    }

    /// What stands on a line from an offset on.
    fn rest_of_line(&self, offset: usize) -> Option<CodeLine> {
        let at = self.starts.partition_point(|start| *start <= offset).checked_sub(1)?;
        Some(self.lines[at].from_byte(offset - self.starts[at]))
    }
}

impl Reader {
    fn read(&mut self, lines: &[CodeLine], depth: u32) {
        let source = Source::new(lines);
        let mut block: Option<(Option<String>, Vec<CodeLine>)> = None;
        let events = Parser::new_ext(&source.text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES);
        for (event, range) in events.into_offset_iter() {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let label = match kind {
                        CodeBlockKind::Fenced(info) => Some(info.to_string()),
                        CodeBlockKind::Indented => None,
                    };
                    block = Some((label, Vec::new()));
                }
                Event::Text(text) if block.is_some() => {
                    let (_, lines) = block.as_mut().expect("there is one");
                    let mut at = range.start;
                    for piece in text.split_inclusive('\n') {
                        let Some(line) = source.rest_of_line(at) else { break };
                        at += piece.len();
                        let line = CodeLine { text: piece.trim_end_matches(['\n', '\r']).to_owned(), ..line };
                        match lines.last_mut() {
                            // Of some lines the parser makes several pieces.
                            Some(last) if last.line == line.line => last.text.push_str(&line.text),
                            _ => lines.push(line),
                        }
                    }
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, lines)) = block.take() {
                        self.listing(info, &lines, depth);
                    }
                }
                Event::Start(Tag::Heading { .. }) => {
                    self.section += 1;
                    self.end_of_prose();
                }
                Event::Text(text) | Event::Code(text) => self.prose.push_str(&text),
                Event::SoftBreak | Event::HardBreak => self.prose.push(' '),
                Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => {
                    self.prose.push('\n');
                    self.end_of_prose();
                }
                Event::Html(text) | Event::InlineHtml(text) => {
                    self.skips |= text.starts_with("<!--") && text.contains("skip");
                }
                _ => {}
            }
        }
    }

    /// Gives the prose after the last listing to it.
    fn end_of_prose(&mut self) {
        if std::mem::take(&mut self.is_after)
            && let Some(last) = self.found.last_mut()
        {
            last.after = self.prose.chars().take(NEAR).collect();
        }
    }

    fn listing(&mut self, info: Option<String>, lines: &[CodeLine], depth: u32) {
        let is_fence = |line: &CodeLine| ["```", "~~~"].iter().any(|fence| line.text.trim_start().starts_with(fence));
        if info.is_none() && depth > 0 && lines.iter().any(is_fence) {
            // An admonition or tab of MkDocs: its content is indented, and Markdown.
            self.read(lines, depth - 1);
            return;
        }
        let info = info.map(|info| Info::of(&info)).unwrap_or_default();
        self.end_of_prose();
        let options = |line: &&CodeLine| {
            let text = line.text.trim();
            info.directive.is_some() && text.starts_with(':') && text[1..].contains(':')
        };
        let skipped_lines = lines.iter().take_while(options).count();
        let lines = lines[skipped_lines..].to_vec();
        let skips = std::mem::take(&mut self.skips);
        let before = std::mem::take(&mut self.prose);
        let from = before.char_indices().rev().nth(NEAR).map_or(0, |(at, _)| at);
        let before = before[from..].to_owned();
        match info.directive.as_deref() {
            Some("eval-rst") => {
                let inner = restructured::listings(&lines);
                self.found.extend(inner.into_iter().map(|listing| Listing { section: self.section, ..listing }));
                return;
            }
            // An admonition of MyST, whose content is Markdown.
            Some(name) if info.label.is_none() && !name.starts_with("doctest") => {
                self.prose = before;
                if depth > 0 {
                    self.read(&lines, depth - 1);
                }
                return;
            }
            _ => {}
        }
        let (label, section) = (info.label, self.section);
        self.found.push(Listing {
            label,
            lines,
            skipped: skips || info.skipped,
            section,
            before,
            ..Listing::default()
        });
        self.is_after = true;
    }
}

/// What stands after an opening fence.
#[derive(Default)]
struct Info {
    label: Option<String>,
    /// The directive of `MyST`: `{code-block} python`.
    directive: Option<String>,
    skipped: bool,
}

impl Info {
    fn of(info: &str) -> Self {
        let lower = info.to_lowercase();
        let skipped =
            ["skip", "notest", "no-test", "no_test", "no-run", "norun"].iter().any(|mark| lower.contains(mark));
        let first_word = |text: &str| {
            let word = text.trim_start_matches([' ', '.']).split([' ', ',', ';', '{', '}', ':', '\t']).next();
            word.filter(|word| !word.is_empty()).map(str::to_lowercase)
        };
        let Some(inside) = lower.trim_start().strip_prefix('{') else {
            return Self { label: first_word(lower.trim_start()), directive: None, skipped };
        };
        let (name, rest) = inside.split_once('}').unwrap_or((inside, ""));
        match name {
            "code-block" | "code" | "sourcecode" => {
                Self { label: Some(first_word(rest).unwrap_or_default()), directive: Some(name.to_owned()), skipped }
            }
            "code-cell" | "jupyter-execute" | "testcode" | "testsetup" => {
                let label = first_word(rest).unwrap_or_else(|| "python".to_owned());
                Self { label: Some(label), directive: Some(name.to_owned()), skipped }
            }
            "doctest" => Self { label: Some("pycon".to_owned()), directive: Some(name.to_owned()), skipped },
            // `{.python .numberLines}` of Pandoc, `{python}` of Quarto.
            _ if name.starts_with('.') || name.starts_with("python") => {
                Self { label: first_word(name), directive: None, skipped }
            }
            _ => Self { label: None, directive: Some(name.to_owned()), skipped },
        }
    }
}

//! Puts statements that are fine one by one into a structure that parses.
//!
//! One pass over the logical lines follows the levels of indentation as Python would, and mends what it would reject:
//! a line indented for no reason joins the block around it, a header without a block gets `pass`, a `try` without
//! handlers and an `else` that belongs to nothing become `if True:`.

use super::scan::{Logical, Scan, indentation};
use super::shape::{Shape, Word};
use super::{Edit, RepairKind};

/// A mended logical line.
pub(super) struct Mended {
    pub(super) line: usize,
    pub(super) kind: RepairKind,
    pub(super) message: &'static str,
}

/// A level of indentation: columns in the text, and the whitespace to write.
struct Level {
    width: usize,
    indent: String,
    block: Block,
}

/// What the lines of a block have led to.
#[derive(Clone, Default)]
struct Block {
    /// The header that a clause may follow.
    opener: Option<Word>,
    /// That header's statement is a `try`.
    in_try: bool,
    /// A `try` that has no handler yet.
    open_try: Option<usize>,
    /// Decorators that have nothing to decorate yet.
    decorators: Vec<usize>,
}

struct Builder<'a> {
    scan: &'a Scan<'a>,
    levels: Vec<Level>,
    edits: Vec<Edit>,
    mended: Vec<Mended>,
}

/// Edits that give the lines a structure, and what they mend.
pub(super) fn line_up(scan: &Scan) -> (Vec<Edit>, Vec<Mended>) {
    let bottom = Level { width: 0, indent: String::new(), block: Block::default() };
    let mut builder = Builder { scan, levels: vec![bottom], edits: Vec::new(), mended: Vec::new() };
    let mut opened = None;
    for (number, line) in scan.lines.iter().enumerate() {
        let shape = Shape::of(scan, line);
        builder.enter(line, opened);
        builder.indent(number, line);
        builder.clause(number, line, &shape);
        opened = shape.opens_block.then_some(number);
    }
    if let Some(header) = opened {
        builder.give_body(header);
    }
    while let Some(level) = builder.levels.pop() {
        builder.close(level.block);
    }
    (builder.edits, builder.mended)
}

impl Builder<'_> {
    /// Finds the level of a line; `opened` is the header right before it, if there is one.
    fn enter(&mut self, line: &Logical, opened: Option<usize>) {
        if let Some(header) = opened {
            if line.width > self.scan.lines[header].width {
                let outer = self.levels.last().map_or("", |level| level.indent.as_str());
                let raw = self.raw_indent(line);
                let header_raw = self.raw_indent(&self.scan.lines[header]);
                let indent = match raw.strip_prefix(header_raw) {
                    Some(deeper) if !deeper.is_empty() => [outer, deeper].concat(),
                    _ => [outer, &" ".repeat(line.width - self.scan.lines[header].width)].concat(),
                };
                self.levels.push(Level { width: line.width, indent, block: Block::default() });
                return;
            }
            self.give_body(header);
        }
        let mut left: Option<Level> = None;
        while self.levels.len() > 1 && self.levels.last().is_some_and(|top| top.width > line.width) {
            if let Some(level) = left.take() {
                self.close(level.block);
            }
            left = self.levels.pop();
        }
        let top_width = self.levels.last().map_or(0, |top| top.width);
        if let Some(mut level) = left {
            if line.width > top_width && level.width - line.width < line.width - top_width {
                level.width = line.width;
                self.levels.push(level);
                return;
            }
            self.close(level.block);
        }
        if line.width > top_width
            && let Some(top) = self.levels.last_mut()
        {
            let block = std::mem::take(&mut top.block);
            let indent = top.indent.clone();
            self.levels.push(Level { width: line.width, indent, block });
        }
    }

    fn raw_indent(&self, line: &Logical) -> &str {
        indentation(&self.scan.text[line.line_start..line.start])
    }

    fn indent(&mut self, number: usize, line: &Logical) {
        let indent = self.levels.last().map_or("", |level| level.indent.as_str());
        let raw = self.raw_indent(line);
        if raw != indent {
            let start = line.start - self.scan.text[line.line_start..line.start].trim_start_matches('\u{feff}').len();
            self.edits.push(Edit::new(start..start + raw.len(), indent));
            self.mended.push(Mended {
                line: number,
                kind: RepairKind::Indentation,
                message: "indentation made consistent",
            });
        }
    }

    fn clause(&mut self, number: usize, line: &Logical, shape: &Shape) {
        let Some(block) = self.levels.last_mut().map(|level| &mut level.block) else { return };
        let fits = block.opener.is_some_and(|opener| shape.word.follows(opener))
            && (shape.word != Word::Finally || block.in_try);
        let mut word = shape.word;
        if word.is_clause() && fits {
            block.in_try &= word != Word::Elif;
            if matches!(word, Word::Except | Word::Finally) {
                block.open_try = None;
            }
            block.opener = Some(word);
            return;
        }
        let mut ended = std::mem::take(block);
        if matches!(word, Word::Def | Word::Class | Word::Decorator) {
            block.decorators = std::mem::take(&mut ended.decorators);
        }
        match word {
            Word::Decorator => block.decorators.push(number),
            Word::Def | Word::Class => block.decorators.clear(),
            Word::Try => block.open_try = Some(number),
            _ => {}
        }
        if word.is_clause() {
            word = Word::If;
        }
        block.opener = Some(word);
        block.in_try = word == Word::Try;
        self.close(ended);
        if shape.word.is_clause() {
            self.replace_clause(number, line, shape);
        }
    }

    /// Makes a clause without the statement it belongs to a statement of its own.
    fn replace_clause(&mut self, number: usize, line: &Logical, shape: &Shape) {
        let tokens = self.scan.of(line);
        let edit = match (shape.word, shape.colon) {
            (Word::Elif, _) => Edit::new(tokens[0].start..tokens[0].end, "if"),
            (Word::Except, Some(colon)) => Edit::new(line.start..tokens[colon].end, "if False:"),
            (_, Some(colon)) => Edit::new(line.start..tokens[colon].end, "if True:"),
            (_, None) => return,
        };
        if self.scan.text[edit.range.clone()].contains(['\n', '\r']) {
            return;
        }
        self.edits.push(edit);
        self.blanked(number, "a clause without the statement it belongs to stands alone");
    }

    fn give_body(&mut self, header: usize) {
        let end = self.scan.lines[header].end;
        self.edits.push(Edit::new(end..end, " pass"));
        self.blanked(header, "a block without statements got `pass`");
    }

    /// Mends what a block has left open where it ends.
    fn close(&mut self, block: Block) {
        if let Some(header) = block.open_try {
            let line = &self.scan.lines[header];
            if let [first, colon, ..] = self.scan.of(line) {
                let lines = super::newlines(&self.scan.text[first.start..colon.end]);
                self.edits.push(Edit::new(first.start..colon.end, format!("if True:{lines}")));
                self.blanked(header, "`try` without a handler replaced by `if True:`");
            }
        }
        for decorator in block.decorators {
            let line = &self.scan.lines[decorator];
            let newlines = super::newlines(&self.scan.text[line.start..line.end]);
            self.edits.push(Edit::new(line.start..line.end, format!("pass{newlines}")));
            self.blanked(decorator, "a decorator with nothing to decorate left out");
        }
    }

    fn blanked(&mut self, line: usize, message: &'static str) {
        self.mended.push(Mended { line, kind: RepairKind::Blanked, message });
    }
}

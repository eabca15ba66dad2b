//! Where the text around a use is edited: what opens before it and closes behind it.

use super::Guards;
use super::spelling::{write_hook, write_subscript};
use crate::emit::edits::Inserted;
use crate::hooks::Hook;
use crate::semantic::uses::Use;
use crate::semantic::{LineMark, MarkForm};

/// What closes a place that was opened.
pub(super) enum Close {
    /// This text, at the end.
    Text(&'static str),
    /// `y.a`: from the dot, behind `y`, to the end of the name.
    Attribute { dot: u32, name_at: u32 },
    /// `f(x)`: the parenthesis, if it is still to be replaced, and the text at the end.
    Call { parenthesis: Option<(u32, &'static str)>, text: &'static str },
    /// `x in y`: where the search for the operator starts, if it is still to be replaced.
    Membership { operator: Option<u32>, negated: bool },
    /// `{x=}`: what is written between the expression and its format, and how many bytes that replaces.
    DebugText { len: u32, text: &'static str },
}

impl Guards<'_> {
    /// Closes what ends before a range.
    pub(super) fn leave(&mut self, start: u32, end: u32) {
        while let Some((end, close)) = self.open.leave(start, end) {
            self.close(end, &close);
        }
        // What stands between the parts of an expression is replaced once the first one is done.
        match self.open.last() {
            Some(Close::Call { parenthesis, .. }) => {
                if let Some((at, text)) = parenthesis.take_if(|(at, _)| *at < start) {
                    self.edits.replace(at, 1, |out| out.push_str(text));
                }
            }
            Some(Close::Membership { operator, negated }) => {
                let negated = *negated;
                if let Some(from) = operator.take_if(|from| *from <= start) {
                    self.operator(from, negated);
                }
            }
            _ => {}
        }
    }

    pub(super) fn close(&mut self, end: u32, close: &Close) {
        match *close {
            Close::Text(text) => self.insert(end, text),
            Close::Attribute { dot, name_at } => {
                // White space and comments between stay.
                self.edits.replace(dot, 1, |_| {});
                self.edits.replace(name_at, end - name_at, |out| out.push(b')'));
            }
            Close::Call { parenthesis, text } => {
                if let Some((at, text)) = parenthesis {
                    self.edits.replace(at, 1, |out| out.push_str(text));
                }
                if !text.is_empty() {
                    self.insert(end - 1, text);
                }
            }
            Close::Membership { operator, negated } => {
                if let Some(from) = operator {
                    self.operator(from, negated);
                }
                self.insert(end, if negated { "))" } else { ")" });
            }
            Close::DebugText { len, text } => self.edits.replace(end, len, |out| out.push_str(text)),
        }
    }

    /// Writes `_x_(site,` before a use.
    pub(super) fn open(&mut self, used: &Use, hook: Hook, number: u32, close: Close) {
        let prefix = self.hooks.prefix();
        self.leave(used.start, used.end);
        self.open_expr(used.start, |out| write_hook(out, prefix, hook, number, true));
        self.open.push(used.start, used.end, close);
    }

    /// Replaces `in` or `not in` behind an offset.
    pub(super) fn operator(&mut self, from: u32, negated: bool) {
        let mut at = self.find_word(from);
        if negated {
            self.edits.replace(at, 3, |_| {});
            at = self.find_word(at + 3);
        }
        self.edits.replace(at, 2, |out| out.push(b','));
    }

    pub(super) fn mark(&mut self, mark: &LineMark) {
        let (prefix, mut line) = (self.hooks.prefix(), mark.line);
        if mark.form == MarkForm::Part {
            let Some(parts) = &mut self.parts else { return };
            parts.push(mark.start..mark.end);
            line = self.model.lines().count() + parts.len() as u32;
        }
        if matches!(mark.form, MarkForm::Expression | MarkForm::Part) {
            self.leave(mark.start, mark.end);
            self.open_expr(mark.start, |out| {
                // The list is the quick look; the slow hook runs the first time only. `and` keeps the value.
                out.push(b'(');
                write_subscript(out, prefix, Hook::MarkStore, line);
                out.push_str("or ");
                write_subscript(out, prefix, Hook::MarkExpr, line);
                out.push_str(")and(");
            });
            return self.open.push(mark.start, mark.end, Close::Text(")"));
        }
        self.leave(mark.start, mark.start);
        let before = mark.form == MarkForm::Before;
        self.edits.insert_anchored(mark.start, (mark.end, mark.end), |out| {
            if !before {
                out.push(b';');
            }
            write_subscript(out, prefix, Hook::MarkStore, line);
            out.push_str("=1");
            if before {
                out.push(b';');
            }
        });
    }

    /// Inserts text that starts with a name, apart from a keyword right before it (`in(1, 2)`).
    pub(super) fn open_expr(&mut self, at: u32, write: impl FnOnce(&mut Inserted)) {
        self.edits.open(self.model.text(), at, write);
    }

    pub(super) fn insert(&mut self, at: u32, text: &str) {
        self.edits.replace(at, 0, |out| out.push_str(text));
    }

    /// CPython reports an attribute on another line than its object at the attribute's name.
    pub(super) fn report_at_name(&mut self, used: &Use) {
        let lines = self.model.lines();
        if !lines.is_on(lines.line(used.start), used.name_at) {
            self.moved.push((used.start, used.end, used.name_at));
        }
    }

    /// Where the dot of `y.a` stands.
    pub(super) fn find_dot(&self, used: &Use) -> u32 {
        self.find(used.inner, |byte| byte == b'.')
    }

    /// Where the next word starts, past white space, comments, backslashes and closing parentheses.
    pub(super) fn find_word(&self, from: u32) -> u32 {
        self.find(from, |byte| byte.is_ascii_alphabetic())
    }

    pub(super) fn find(&self, from: u32, wanted: impl Fn(u8) -> bool) -> u32 {
        let bytes = self.model.text().as_bytes();
        let mut at = from as usize;
        while at < bytes.len() && !wanted(bytes[at]) {
            if bytes[at] == b'#' {
                at += memchr::memchr2(b'\n', b'\r', &bytes[at..]).unwrap_or(bytes.len() - at);
            } else {
                at += 1;
            }
        }
        at as u32
    }
}

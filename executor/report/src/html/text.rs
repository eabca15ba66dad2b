//! Text that a snippet chose: cut where it is long, with escapes for what nobody sees.

use crate::visible::{is_deceptive, push_escape};

/// Characters shown of a stream: its begin, and its end, where errors stand.
const STREAM_HEAD: usize = 80_000;
const STREAM_TAIL: usize = 20_000;

/// A piece of text with one look, which is a class of the style sheet.
#[derive(Debug, PartialEq)]
pub(super) struct Part {
    pub(super) look: &'static str,
    pub(super) text: String,
}

/// Text that is shown safely: in pieces, the invisible as escapes, the end cut.
pub(super) struct Shown {
    pub(super) parts: Vec<Part>,
    left: usize,
    cut: usize,
}

impl Shown {
    pub(super) fn new(limit: usize) -> Self {
        Self { parts: Vec::new(), left: limit, cut: 0 }
    }

    pub(super) fn push(&mut self, look: &'static str, text: &str) {
        for character in text.chars() {
            if self.left == 0 {
                self.cut += 1;
                continue;
            }
            self.left -= 1;
            let escape = is_deceptive(character);
            let look = if escape { "escape" } else { look };
            if self.parts.last().is_none_or(|part| part.look != look) {
                self.parts.push(Part { look, text: String::new() });
            }
            let Some(part) = self.parts.last_mut() else { continue };
            if escape { push_escape(&mut part.text, character) } else { part.text.push(character) }
        }
    }

    pub(super) fn finish(mut self) -> Vec<Part> {
        if self.cut > 0 {
            self.parts.push(cut_note(self.cut));
        }
        self.parts
    }
}

pub(super) fn shown(text: &str, limit: usize) -> Vec<Part> {
    let mut shown = Shown::new(limit);
    shown.push("", text);
    shown.finish()
}

/// As [`shown`], where only text can stand: in titles.
pub(super) fn plain(text: &str, limit: usize) -> String {
    shown(text, limit).into_iter().map(|part| part.text).collect()
}

/// The begin and the end of what may be very long.
pub(super) fn stream(text: &str) -> Vec<Part> {
    let length = text.chars().count();
    if length <= STREAM_HEAD + STREAM_TAIL {
        return shown(text, usize::MAX);
    }
    let at = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    let mut parts = shown(&text[..at(STREAM_HEAD)], usize::MAX);
    parts.push(cut_note(length - STREAM_HEAD - STREAM_TAIL));
    parts.extend(shown(&text[at(length - STREAM_TAIL)..], usize::MAX));
    parts
}

fn cut_note(characters: usize) -> Part {
    let noun = if characters == 1 { "character" } else { "characters" };
    Part { look: "cut", text: format!("… {} more {noun} …", grouped(characters)) }
}

fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

//! Text edits at byte offsets, and the way back from a position in the rewritten text to the source.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::lines::LineIndex;

/// Edits collected while walking the tree, in any order; equal offsets keep the order of insertion.
#[derive(Default)]
pub(crate) struct Edits {
    edits: Vec<Edit>,
    inserted: Inserted,
}

/// Text that edits insert, as bytes: the whole result is checked at once.
#[derive(Default)]
pub(crate) struct Inserted(Vec<u8>);

impl Inserted {
    pub(crate) fn push_str(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
    }

    /// Appends ASCII.
    pub(crate) fn push_ascii(&mut self, text: &[u8]) {
        debug_assert!(text.is_ascii());
        self.0.extend_from_slice(text);
    }

    /// Appends an ASCII character.
    pub(crate) fn push(&mut self, byte: u8) {
        debug_assert!(byte.is_ascii());
        self.0.push(byte);
    }
}

#[derive(Clone, Copy)]
struct Edit {
    at: u32,
    delete: u32,
    text: (u32, u32),
    anchor: Option<(u32, u32)>,
}

impl Edits {
    /// Room for the edits of an ordinary source of this size.
    pub(crate) fn for_source(len: usize) -> Self {
        Self { edits: Vec::with_capacity(len / 8), inserted: Inserted(Vec::with_capacity(len / 2)) }
    }

    /// Starts an edit that replaces `delete` bytes at `at`; the text is what `write` appends.
    pub(crate) fn replace(&mut self, at: u32, delete: u32, write: impl FnOnce(&mut Inserted)) {
        self.push(at, delete, None, write);
    }

    /// Inserts text that starts with a name, apart from a keyword right before it: `return"a".join(x)`, `in(1, 2)`.
    pub(crate) fn open(&mut self, source: &str, at: u32, write: impl FnOnce(&mut Inserted)) {
        let before = (at as usize).checked_sub(1).map(|before| source.as_bytes()[before]);
        self.replace(at, 0, |out| {
            if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                out.push(b' ');
            }
            write(out);
        });
    }

    /// Inserts text that takes the range `anchor` in tracebacks and trace events.
    pub(crate) fn insert_anchored(&mut self, at: u32, anchor: (u32, u32), write: impl FnOnce(&mut Inserted)) {
        self.push(at, 0, Some(anchor), write);
    }

    fn push(&mut self, at: u32, delete: u32, anchor: Option<(u32, u32)>, write: impl FnOnce(&mut Inserted)) {
        let from = self.inserted.0.len() as u32;
        write(&mut self.inserted);
        let to = self.inserted.0.len() as u32;
        self.edits.push(Edit { at, delete, text: (from, to), anchor });
    }

    /// Applies the edits to `source`.
    pub(crate) fn apply(mut self, source: &str) -> (String, Vec<Segment>) {
        self.edits.sort_by_key(|edit| edit.at);
        let (source, inserted) = (source.as_bytes(), &self.inserted.0);
        let mut text = Vec::with_capacity(source.len() + inserted.len());
        let mut segments = Vec::with_capacity(self.edits.len());
        let mut copied = 0;
        for edit in &self.edits {
            let at = edit.at as usize;
            text.extend_from_slice(&source[copied..at]);
            let new_start = text.len() as u32;
            text.extend_from_slice(&inserted[edit.text.0 as usize..edit.text.1 as usize]);
            copied = at + edit.delete as usize;
            segments.push(Segment {
                new_start,
                new_end: text.len() as u32,
                old_start: edit.at,
                old_end: edit.at + edit.delete,
                anchor: edit.anchor,
            });
        }
        text.extend_from_slice(&source[copied..]);
        (String::from_utf8(text).expect("edits stand between characters"), segments)
    }
}

/// One edit as it stands in the rewritten text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// Offset in the rewritten text.
    pub new_start: u32,
    /// End in the rewritten text, exclusive.
    pub new_end: u32,
    /// Offset in the source of what was replaced.
    pub old_start: u32,
    /// End in the source, exclusive.
    pub old_end: u32,
    /// Where in the source the inserted code is to be reported, if not at the edit itself.
    pub anchor: Option<(u32, u32)>,
}

/// Maps offsets of the rewritten text to offsets of the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionMap {
    /// Sorted by `new_start`.
    pub segments: Vec<Segment>,
    /// Source ranges that CPython reports at the attribute's name (`a\n.b()`): start, end, reported start.
    pub moved: Vec<(u32, u32, u32)>,
}

impl PositionMap {
    /// The source range of a range of the rewritten text.
    #[must_use]
    pub fn to_source(&self, start: u32, end: u32) -> (u32, u32) {
        let mut from = self.map(start, false);
        let to = self.map(end, true).max(from);
        let moved = self.moved.binary_search_by_key(&(from, to), |&(start, end, _)| (start, end));
        if let Ok(index) = moved {
            from = self.moved[index].2;
        }
        (from, to)
    }

    fn map(&self, offset: u32, is_end: bool) -> u32 {
        // The last segment that starts before the offset (or at it, for a start position).
        let index = self
            .segments
            .partition_point(|segment| if is_end { segment.new_start < offset } else { segment.new_start <= offset });
        let Some(segment) = index.checked_sub(1).and_then(|last| self.segments.get(last)) else {
            return offset;
        };
        let inside = if is_end { offset <= segment.new_end } else { offset < segment.new_end };
        if inside {
            if let Some((start, end)) = segment.anchor {
                return if is_end { end } else { start };
            }
            return if is_end { segment.old_end } else { segment.old_start };
        }
        segment.old_end + (offset - segment.new_end)
    }
}

/// Maps ranges of the rewritten text, by line and column as CPython counts them, to those of the source.
pub struct SourceRanges<'a> {
    map: &'a PositionMap,
    rewritten: LineIndex,
    source: LineIndex,
}

impl<'a> SourceRanges<'a> {
    /// Indexes the lines of both texts.
    #[must_use]
    pub fn new(map: &'a PositionMap, rewritten: &str, source: &str) -> Self {
        Self { map, rewritten: LineIndex::new(rewritten), source: LineIndex::new(source) }
    }

    /// The source range of a range of the rewritten text; `None` where the text has no such lines.
    #[must_use]
    pub fn to_source(&self, range: Range<(u32, u32)>) -> Option<Range<(u32, u32)>> {
        let offset = |(line, column): (u32, u32)| {
            (1..=self.rewritten.count()).contains(&line).then(|| self.rewritten.start(line) + column)
        };
        let (start, end) = self.map.to_source(offset(range.start)?, offset(range.end)?);
        Some(self.source.position(start)..self.source.position(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_map_back_to_the_expression_they_came_from() {
        let source = "y.a + z";
        let mut edits = Edits::default();
        edits.replace(0, 0, |out| out.push_str("_a_(7,"));
        edits.replace(1, 1, |_| {});
        edits.replace(2, 1, |out| out.push(b')'));
        let (text, segments) = edits.apply(source);
        assert_eq!(text, "_a_(7,y) + z");
        let map = PositionMap { segments, moved: Vec::new() };
        assert_eq!(map.to_source(0, 8), (0, 3), "the hook call is the attribute read");
        assert_eq!(map.to_source(6, 7), (0, 1), "the object keeps its place");
        assert_eq!(map.to_source(11, 12), (6, 7), "text after the edits moves back");
    }
}

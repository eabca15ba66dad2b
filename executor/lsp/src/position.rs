//! Positions in the units that server and client have agreed on.

use lsp_types::{Position, PositionEncodingKind, Range};

/// Unit of columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Code units, of which characters outside the basic plane have two.
    #[default]
    Utf16,
    /// Characters, as reports count them.
    Utf32,
}

impl Encoding {
    /// The first of the client's encodings that is known; UTF-16 if it names none.
    pub(crate) fn negotiated(offered: Option<&[PositionEncodingKind]>) -> Self {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Self::Utf8),
            "utf-16" => Some(Self::Utf16),
            "utf-32" => Some(Self::Utf32),
            _ => None,
        };
        offered.unwrap_or_default().iter().find_map(known).unwrap_or_default()
    }

    pub(crate) fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    fn width(self, character: char) -> u32 {
        match self {
            Self::Utf8 => character.len_utf8() as u32,
            Self::Utf16 => character.len_utf16() as u32,
            Self::Utf32 => 1,
        }
    }

    /// The column of the client for a column in characters.
    pub(crate) fn column(self, line: &str, characters: u32) -> u32 {
        line.chars().take(characters as usize).map(|character| self.width(character)).sum()
    }

    /// The column in characters for a column of the client; within a character it is the one of that character.
    pub(crate) fn characters(self, line: &str, column: u32) -> u32 {
        let mut units = 0;
        let before = line.chars().take_while(|character| {
            units += self.width(*character);
            units <= column
        });
        before.count() as u32
    }
}

/// The lines of a text, for positions in it.
pub(crate) struct Lines<'a> {
    lines: Vec<&'a str>,
    encoding: Encoding,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str, encoding: Encoding) -> Self {
        Self { lines: text.lines().collect(), encoding }
    }

    /// A line by its number from 1; empty where there is none.
    pub(crate) fn line(&self, number: u32) -> &'a str {
        (number as usize).checked_sub(1).and_then(|at| self.lines.get(at)).copied().unwrap_or_default()
    }

    /// The position of a line, from 1, and a column in characters.
    pub(crate) fn position(&self, line: u32, column: u32) -> Position {
        Position::new(line.saturating_sub(1), self.encoding.column(self.line(line), column))
    }

    /// The end of a line, without the spaces and the comment sign that it may end in.
    pub(crate) fn end(&self, line: u32) -> Position {
        self.position(line, self.line(line).trim_end().chars().count() as u32)
    }

    /// A range of a line; without a column it is all that is written on the line.
    pub(crate) fn range(&self, line: u32, column: Option<u32>, end: Option<u32>) -> Range {
        let text = self.line(line);
        let indent = text.chars().take_while(|character| character.is_whitespace()).count() as u32;
        let length = text.trim_end().chars().count() as u32;
        let start = column.unwrap_or(indent).min(length);
        let end = end.filter(|end| *end > start).unwrap_or(length.max(start));
        Range::new(self.position(line, start), self.position(line, end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted_in_the_units_of_the_client() {
        let line = "a𝒳é = b";
        assert_eq!([Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(|unit| unit.column(line, 3)), [7, 4, 3]);
        assert_eq!([Encoding::Utf8, Encoding::Utf16, Encoding::Utf32].map(|unit| unit.characters(line, 4)), [1, 3, 4]);
        assert_eq!(Encoding::Utf16.characters(line, 2), 1, "in the middle of a pair");
        assert_eq!(Encoding::Utf16.column(line, 99), 8);
    }

    #[test]
    fn the_first_encoding_that_is_known_is_taken() {
        let offered = ["utf-7", "utf-8", "utf-16"].map(PositionEncodingKind::new);
        assert_eq!(Encoding::negotiated(Some(&offered)), Encoding::Utf8);
        assert_eq!(Encoding::negotiated(None), Encoding::Utf16);
        assert_eq!(Encoding::negotiated(Some(&offered[..1])), Encoding::Utf16);
    }

    #[test]
    fn a_range_without_columns_is_what_the_line_says() {
        let lines = Lines::new("x = 1\n    return 𝒳  \n", Encoding::Utf16);
        let columns = |range: Range| (range.start.line, range.start.character, range.end.character);
        assert_eq!(columns(lines.range(2, None, None)), (1, 4, 13));
        assert_eq!(columns(lines.range(2, Some(11), Some(12))), (1, 11, 13));
        assert_eq!(columns(lines.range(9, Some(3), Some(4))), (8, 0, 0));
    }
}

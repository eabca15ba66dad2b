//! Columns of the text as it was given, where the program that ran was cleaned up.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use surmise_blame::Finding;
use surmise_engine::protocol::{Injection, Raised};

/// Lines of the source as given, and of the text that ran.
pub(super) struct Positions<'a> {
    given: Vec<&'a str>,
    ran: Vec<&'a str>,
}

impl<'a> Positions<'a> {
    pub(super) fn new(given: &'a str, ran: &'a str) -> Self {
        let lines = |text: &'a str| text.lines().collect();
        if given == ran {
            Self { given: Vec::new(), ran: Vec::new() }
        } else {
            Self { given: lines(given), ran: lines(ran) }
        }
    }

    /// The column of the source at which stands what has this column in the text that ran.
    fn column(&self, line: u32, column: u32) -> u32 {
        let at = (line as usize).wrapping_sub(1);
        let (Some(given), Some(ran)) = (self.given.get(at), self.ran.get(at)) else { return column };
        if given == ran {
            return column;
        }
        let (ran, given): (Vec<char>, Vec<char>) = (ran.chars().collect(), given.chars().collect());
        let column = column as usize;
        for op in capture_diff_slices(Algorithm::Myers, &ran, &given) {
            let (own, others) = (op.old_range(), op.new_range());
            if own.contains(&column) {
                return match op {
                    DiffOp::Equal { .. } => others.start + column - own.start,
                    _ => others.start,
                } as u32;
            }
        }
        given.len() as u32
    }

    /// The end of a range is behind its last character, whatever follows.
    fn end_column(&self, line: u32, end: u32) -> u32 {
        if end == 0 { 0 } else { self.column(line, end - 1) + 1 }
    }

    pub(super) fn raised(&self, raised: &mut Raised) {
        raised.column = raised.column.map(|column| self.column(raised.line, column));
        raised.end_column = raised.end_column.map(|end| self.end_column(raised.line, end));
    }

    pub(super) fn finding(&self, mut finding: Finding) -> Finding {
        self.raised(&mut finding.raised);
        for value in &mut finding.depends_on {
            value.column = self.column(value.line, value.column);
        }
        finding
    }

    pub(super) fn injection(&self, mut injection: Injection) -> Injection {
        // Of answers whose place is not known the column is the first.
        if injection.site.is_some() || injection.column > 0 {
            injection.column = self.column(injection.line, injection.column);
        }
        injection
    }
}

#[cfg(test)]
mod tests {
    use super::Positions;

    #[test]
    fn columns_are_those_of_the_text_as_given() {
        for (given, ran, column, expected) in [
            (">>> y = x[\"a\"]", "y = x[\"a\"]", 4, 8),
            ("3      print(f)", "    print(f)", 4, 7),
            ("if a &gt; b: c(d)", "if a > b: c(d)", 10, 13),
            ("print x", "print(x)", 6, 6),
            ("same", "same", 2, 2),
        ] {
            assert_eq!(Positions::new(given, ran).column(1, column), expected, "{given}");
        }
        assert_eq!(Positions::new(">>> ab", "ab").end_column(1, 2), 6);
        assert_eq!(Positions::new("a\nb", "a").column(7, 3), 3, "a line that is not there");
    }
}

//! What a description and the code that reads the input say differently.

use surmise_instrument::SourceModel;
use surmise_instrument::reads::{Conversion, Line, Read, Shape, reads};
use surmise_value_model::ipagnn::InputDoubt;

use crate::description::Description;
use crate::grammar::{Block, Field, Grammar, Kind};

/// What a grammar and the reads of a program say differently.
pub(crate) struct Contradiction {
    /// As a sentence.
    pub(crate) said: String,
    /// The line of the code.
    pub(crate) line: u32,
    /// The code goes on to read where the grammar has ended.
    pub(crate) reads_on: bool,
}

impl Contradiction {
    fn new(said: String, line: u32) -> Self {
        Self { said, line, reads_on: false }
    }
}

/// The first contradiction between a grammar and the reads of a program.
pub(crate) fn contradiction(grammar: &Grammar, reads: &[Read]) -> Option<Contradiction> {
    let mut blocks = grammar.blocks.iter();
    for (number, read) in (1..).zip(reads) {
        let block = blocks.next();
        let (Some(line), is_repeated) = first_line(read) else { return None };
        let Some(block) = block else {
            let more = if is_repeated { "more" } else { "one more" };
            let said = format!(
                "the input has {} lines by the description, but line {} of the code reads {more}",
                grammar.blocks.len(),
                line.line
            );
            return Some(Contradiction { said, line: line.line, reads_on: true });
        };
        let (fields, place) = match block {
            Block::Line(fields) => (fields, format!("line {number} of the input is")),
            Block::Repeat { body, .. } => match body.first() {
                Some(Block::Line(fields)) => (fields, "repeated lines of the input are".to_owned()),
                _ => return None,
            },
        };
        if let Some(said) = of_line(grammar, fields, line) {
            let (fields, line) = (shown(fields), line.line);
            let said = format!("{place} `{fields}` by the description, but line {line} of the code {said}");
            return Some(Contradiction::new(said, line));
        }
        let goes_on = match (block, read) {
            (Block::Line(_), Read::Line(_)) => true,
            (Block::Repeat { body, .. }, Read::Repeat { body: reads, .. }) => body.len() == 1 && reads.len() == 1,
            // What comes after other loops over lines cannot be compared line by line.
            _ => false,
        };
        if !goes_on {
            return None;
        }
    }
    None
}

/// The line that is read first, and whether it is one of several that are read alike.
fn first_line(read: &Read) -> (Option<&Line>, bool) {
    match read {
        Read::Line(line) => (Some(line), false),
        Read::Repeat { body, .. } => (body.first().and_then(|first| first_line(first).0), true),
        Read::ToEnd(_) | Read::Rest(_) => (None, true),
    }
}

/// All readings, but for what is lost in sums.
const CERTAIN: f32 = 0.999;

/// What a description says against statements of a program, each with the share of its readings that say so: half of it
/// where there are readings that the code fits, and where sentences were read in place of a picture of the input.
#[must_use]
pub fn doubts(description: &Description, model: &SourceModel) -> Vec<InputDoubt> {
    let mut found: Vec<InputDoubt> = Vec::new();
    let reads = reads(model);
    let mut all = 0.0;
    for (grammar, share) in &description.grammars {
        let Some(one) = contradiction(grammar, &reads) else { continue };
        // A sentence that was not understood is likelier than a program that reads too much.
        if one.reads_on && description.is_prose {
            continue;
        }
        let share = *share as f32;
        all += share;
        match found.iter_mut().find(|known| known.line == one.line && known.reads_on == one.reads_on) {
            Some(known) => known.share += share,
            None => found.push(InputDoubt { line: one.line, share, reads_on: one.reads_on }),
        }
    }
    if all < CERTAIN || description.is_prose {
        // Where there is a reading that the code fits, or may be one, the code speaks for it.
        for doubt in &mut found {
            doubt.share /= 2.0;
        }
    }
    found
}

fn shown(fields: &[Field]) -> String {
    fields.iter().map(Field::to_string).collect::<Vec<_>>().join(" ")
}

/// What a read does with a line that the line does not allow.
fn of_line(grammar: &Grammar, fields: &[Field], line: &Line) -> Option<String> {
    let is_fixed = fields.iter().all(|field| matches!(field, Field::One(_)));
    let of_field = |field: &Field| match field {
        // At least two, unless they are letters of one word.
        Field::Row { separator, .. } if !separator.is_empty() => 2,
        _ => 1,
    };
    let values: usize = fields.iter().map(of_field).sum();
    let is_text = |field: &Field| match field {
        Field::One(name) | Field::Row { variable: name, .. } => {
            grammar.variable(name).is_some_and(|of| match &of.kind {
                Kind::Text(letters) => !letters.iter().all(char::is_ascii_digit),
                Kind::Word(_) => true,
                Kind::Integer | Kind::Real => false,
            })
        }
        Field::Literal(_) => false,
    };
    match (line.shape, line.value) {
        (Shape::Fields(count), _) if is_fixed && count != values && line.separator.is_none() => {
            // A text of so many characters can be unpacked, too.
            (values > 1 || !fields.iter().any(is_text)).then(|| format!("unpacks {count} values from it"))
        }
        (Shape::Leading(count), _) if is_fixed && values < count && line.separator.is_none() => {
            Some(format!("unpacks at least {count} values from it"))
        }
        (Shape::One, Conversion::Integer | Conversion::Real) if values > 1 => {
            Some("converts the whole line to one number".into())
        }
        (_, Conversion::Integer | Conversion::Real) if fields.iter().all(is_text) && values > 0 => {
            Some("converts it to numbers".into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines of the code that the description contradicts, with the share of its readings, and whether they read on.
    fn of(description: &str, source: &str) -> Vec<(u32, bool, bool)> {
        let model = SourceModel::parse(source).expect("the source parses");
        let found = doubts(&Description::read(description), &model);
        found.iter().map(|doubt| (doubt.line, doubt.reads_on, doubt.share > 0.3)).collect()
    }

    #[test]
    fn statements_that_read_something_else_are_in_doubt() {
        let pair = "format : A B Constraints : 1 ≤ A , B ≤ 9";
        assert_eq!(of(pair, "x = 1\na = int(input())\nb = int(input())\n"), [(2, false, true)]);
        assert_eq!(of(pair, "a, b = map(int, input().split())\nc = input()\n"), [(2, true, true), (1, false, false)]);
        let row = "format : N A_1 A_2 ... A_N Constraints : 1 ≤ N ≤ 9 1 ≤ A_i ≤ 9";
        let right = "n = int(input())\na = list(map(int, input().split()))\n";
        assert!(of(row, right).iter().all(|(_, _, is_likely)| !is_likely), "{:?}", of(row, right));
        let wrong = "n = int(input())\nfor i in range(n):\n    print(int(input()))\n";
        assert!(of(row, wrong).contains(&(3, false, true)), "{:?}", of(row, wrong));
        assert_eq!(of("Bonjour tout le monde", "n = int(input())\n"), []);
    }
}

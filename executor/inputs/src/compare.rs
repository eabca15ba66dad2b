//! What a description and the code that reads the input say differently.

use surmise_instrument::reads::{Conversion, Line, Read, Shape};

use crate::grammar::{Block, Field, Grammar, Kind};

/// What a grammar and the reads of a program say differently.
pub(crate) struct Contradiction {
    /// As a sentence.
    pub(crate) said: String,
    /// The code goes on to read where the grammar has ended.
    pub(crate) reads_on: bool,
}

impl Contradiction {
    fn new(said: String) -> Self {
        Self { said, reads_on: false }
    }
}

/// The first contradiction between a grammar and the reads of a program.
pub(crate) fn contradiction(grammar: &Grammar, reads: &[Read]) -> Option<Contradiction> {
    let mut blocks = grammar.blocks.iter();
    for (number, read) in (1..).zip(reads) {
        match (blocks.next(), read) {
            (Some(Block::Line(fields)), Read::Line(line)) => {
                let found = of_line(grammar, fields, line);
                if let Some(said) = found {
                    return Some(Contradiction::new(format!(
                        "line {number} of the input is `{}` by the description, but line {} of the code {said}",
                        shown(fields),
                        line.line
                    )));
                }
            }
            (Some(Block::Repeat { body, .. }), Read::Repeat { body: reads, .. }) => {
                if let ([Block::Line(fields)], [Read::Line(line)]) = (body.as_slice(), reads.as_slice())
                    && let Some(said) = of_line(grammar, fields, line)
                {
                    return Some(Contradiction::new(format!(
                        "repeated lines of the input are `{}` by the description, but line {} of the code {said}",
                        shown(fields),
                        line.line
                    )));
                }
            }
            (None, Read::Repeat { body, .. }) if let [Read::Line(line), ..] = body.as_slice() => {
                let said = format!(
                    "the input has {} lines by the description, but line {} of the code reads more",
                    grammar.blocks.len(),
                    line.line
                );
                return Some(Contradiction { said, reads_on: true });
            }
            (None, Read::Line(line)) => {
                let said = format!(
                    "the input has {} lines by the description, but line {} of the code reads one more",
                    grammar.blocks.len(),
                    line.line
                );
                return Some(Contradiction { said, reads_on: true });
            }
            // What comes after loops over lines cannot be compared line by line.
            _ => return None,
        }
    }
    None
}

fn shown(fields: &[Field]) -> String {
    fields.iter().map(Field::to_string).collect::<Vec<_>>().join(" ")
}

/// What a read does with a line that the line does not allow.
fn of_line(grammar: &Grammar, fields: &[Field], line: &Line) -> Option<String> {
    let is_fixed = fields.iter().all(|field| matches!(field, Field::One(_)));
    let values = fields.len();
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
        (Shape::One, Conversion::Integer | Conversion::Real) if values > 1 => {
            Some("converts the whole line to one number".into())
        }
        (_, Conversion::Integer | Conversion::Real) if fields.iter().all(is_text) && values > 0 => {
            Some("converts it to numbers".into())
        }
        _ => None,
    }
}

//! The grammar that the reads of a program's own code imply.

use surmise_instrument::SourceModel;
use surmise_instrument::reads::{Conversion, Line, Read, Shape, reads};

use crate::expression::Expression;
use crate::grammar::{Block, Field, Grammar, Kind, Variable};

/// Values in a row of which nothing says how long it is.
const ROW: i64 = 3;

/// The grammar of what a program reads, with what is known of values of the same names.
#[must_use]
pub fn grammar(model: &SourceModel, values: &Grammar) -> Grammar {
    let mut builder = Builder { text: model.text(), values, grammar: Grammar::default(), sizes: Vec::new(), rows: 0 };
    let blocks = builder.blocks(&reads(model));
    let relations = values.relations.clone();
    let mut grammar =
        Grammar { blocks, relations, is_tree: values.is_tree, is_graph: values.is_graph, ..builder.grammar };
    grammar.settle_bounds();
    grammar
}

struct Builder<'a> {
    text: &'a str,
    values: &'a Grammar,
    grammar: Grammar,
    /// Whole numbers that were read by themselves, which may be sizes of what follows.
    sizes: Vec<String>,
    rows: usize,
}

impl Builder<'_> {
    fn blocks(&mut self, reads: &[Read]) -> Vec<Block> {
        let mut found = Vec::new();
        for read in reads {
            match read {
                Read::Line(line) => found.push(Block::Line(self.fields(line))),
                Read::Repeat { count, body } => {
                    let count = count.as_deref().and_then(Expression::parse).filter(|count| self.is_known(count));
                    let count = count.or_else(|| self.sizes.last().cloned().map(Expression::Name));
                    let is_open = count.is_none();
                    let outer = self.sizes.len();
                    let body = self.blocks(body);
                    self.sizes.truncate(outer);
                    let zeros = body.iter().find_map(|block| match block {
                        Block::Line(fields) => Some(zeros(fields)),
                        Block::Repeat { .. } => None,
                    });
                    found.push(Block::Repeat { count, body });
                    // What ends such a loop is often a line of zeros.
                    if let Some(zeros) = zeros.filter(|_| is_open) {
                        found.push(Block::Line(vec![Field::Literal(zeros)]));
                    }
                }
                Read::Rest(line) => {
                    let name = self.declare(line, 0);
                    let count = self.sizes.last().cloned();
                    if count.is_none() {
                        let size = "n".to_owned();
                        self.variable("n", Kind::Integer);
                        found.push(Block::Line(vec![Field::One(size)]));
                    }
                    let count = Some(Expression::Name(count.unwrap_or_else(|| "n".to_owned())));
                    found.push(Block::Repeat { count, body: vec![Block::Line(vec![Field::One(name)])] });
                }
            }
        }
        found
    }

    fn fields(&mut self, line: &Line) -> Vec<Field> {
        match line.shape {
            Shape::One => {
                let name = self.declare(line, 0);
                if self.grammar.variable(&name).is_some_and(|of| of.kind == Kind::Integer) {
                    self.sizes.push(name.clone());
                }
                vec![Field::One(name)]
            }
            // Fields between other signs than spaces are values of one variable.
            Shape::Fields(count) if line.separator.is_some() => {
                let separator = line.separator.clone().unwrap_or_default();
                vec![Field::Row { variable: self.declare(line, 0), count: Expression::Number(count as i64), separator }]
            }
            Shape::Fields(count) => {
                let names: Vec<String> = (0..count).map(|at| self.declare(line, at)).collect();
                let first = names.first().filter(|name| self.grammar.variable(name).is_some_and(|of| !of.is_text()));
                self.sizes.extend(first.cloned());
                names.into_iter().map(Field::One).collect()
            }
            Shape::List => {
                let variable = self.declare(line, 0);
                let count = self.sizes.last().map_or(Expression::Number(ROW), |size| Expression::Name(size.clone()));
                let separator = line.separator.clone().unwrap_or_else(|| " ".to_owned());
                vec![Field::Row { variable, count, separator }]
            }
        }
    }

    /// True if every name of a size was read before.
    fn is_known(&self, count: &Expression) -> bool {
        count.names().iter().all(|name| self.grammar.variable(name).is_some())
    }

    /// The variable of a field; one without a name gets one.
    fn declare(&mut self, line: &Line, at: usize) -> String {
        let name = line.names.get(at).filter(|name| !name.is_empty() && *name != "_").cloned();
        let name = name.unwrap_or_else(|| {
            self.rows += 1;
            format!("value{}", self.rows)
        });
        let is_converted = || {
            let spellings =
                [format!("int({name})"), format!("int({name}["), format!("map(int,{name})"), format!("int,{name}")];
            let text: String = self.text.chars().filter(|c| !c.is_whitespace()).collect();
            spellings.iter().any(|spelling| text.contains(spelling.as_str()))
        };
        let kind = match line.value {
            Conversion::Integer => Kind::Integer,
            Conversion::Real => Kind::Real,
            Conversion::Text if is_converted() => Kind::Integer,
            Conversion::Text => Kind::Text(('a'..='z').collect()),
        };
        self.variable(&name, kind);
        name
    }

    /// Makes a variable with what is known of the same name, whatever the case of its letters.
    fn variable(&mut self, name: &str, kind: Kind) {
        if self.grammar.variable(name).is_some() {
            return;
        }
        let same = self.values.variable(name);
        let like = || self.values.variables.iter().find(|known| known.name.eq_ignore_ascii_case(name));
        let known = same.or_else(like).filter(|known| known.is_text() == matches!(kind, Kind::Text(_)));
        let made = match known {
            Some(known) => Variable { name: name.to_owned(), ..known.clone() },
            None => Variable { kind, ..Variable::new(name) },
        };
        self.grammar.variables.push(made);
    }
}

/// A line of zeros of the form of another line.
fn zeros(fields: &[Field]) -> String {
    match fields {
        [Field::Row { count: Expression::Number(count), separator, .. }] => vec!["0"; *count as usize].join(separator),
        fields => vec!["0"; fields.len()].join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::Profile;

    fn of(source: &str) -> Grammar {
        grammar(&SourceModel::parse(source).expect("the source parses"), &Grammar::default())
    }

    #[test]
    fn reads_make_a_grammar() {
        let grammar = of(
            "n, m = map(int, input().split())\nrows = [list(map(int, input().split())) for _ in range(m)]\ns = input()\n",
        );
        assert!(grammar.to_string().starts_with("n m\nm times:\n  rows × (n)\ns\n"), "{grammar}");
        let text = grammar.sample(Profile::Typical, 1).text;
        let first: Vec<usize> =
            text.lines().next().expect("a line").split(' ').map(|field| field.parse().expect("a number")).collect();
        assert_eq!(text.lines().count(), first[1] + 2, "{text}");
    }

    #[test]
    fn open_loops_end_with_zeros_and_all_the_rest_is_lines() {
        assert!(of("while True:\n    a, b = map(int, input().split())\n").to_string().contains("`0 0`"));
        let rest = of("import sys\ndata = list(map(int, sys.stdin.read().split()))\n");
        assert!(rest.to_string().starts_with("n\nn times:\n  data\n"), "{rest}");
        assert_eq!(of("print(1)\n").sample(Profile::Typical, 0).text, "");
    }
}

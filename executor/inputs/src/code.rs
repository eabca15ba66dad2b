//! The grammar that the reads of a program's own code imply.

use surmise_instrument::SourceModel;
use surmise_instrument::reads::{Conversion, Line, Read, Shape, Uses, reads, uses};

use crate::expression::Expression;
use crate::grammar::{Block, Field, Grammar, Kind, Variable};

/// Values in a row of which nothing says how long it is.
const ROW: i64 = 3;
/// The largest number where numbers are tried that are small.
const SMALL: i64 = 3;

/// The grammar of what a program reads, with what is known of values of the same names.
#[must_use]
pub fn grammar(model: &SourceModel, values: &Grammar) -> Grammar {
    let uses = uses(model);
    let mut builder = Builder { values, grammar: Grammar::default(), sizes: Vec::new(), rows: 0, uses: &uses };
    let blocks = builder.blocks(&reads(model));
    let relations = values.relations.clone();
    let mut grammar =
        Grammar { blocks, relations, is_tree: values.is_tree, is_graph: values.is_graph, ..builder.grammar };
    bound(&mut grammar, &uses);
    grammar.settle_bounds();
    grammar
}

/// Bounds of values of which nothing else is known: indexes by the first number that was read, the length of a text by the
/// places that are taken from it, or by that number.
fn bound(grammar: &mut Grammar, uses: &Uses) {
    let names: Vec<String> = grammar.names().into_iter().map(str::to_owned).collect();
    let size = names.into_iter().find(|name| grammar.variable(name).is_some_and(|of| of.kind == Kind::Integer));
    for of in &mut grammar.variables {
        if !of.least.is_empty() || !of.most.is_empty() {
            continue;
        }
        let name = holder(&of.name);
        // The places of `line[0]` and `line[1]` are those of fields, not of letters.
        let length = uses.lengths.get(name).filter(|_| name == of.name);
        let length = length.map(|&length| Expression::Number(length as i64));
        match (&of.kind, &size) {
            (Kind::Integer, Some(size)) if *size != of.name => {
                let index = uses.indexes.get(name);
                let less = index.map(|&counts_from_one| i64::from(!counts_from_one));
                of.most.extend(less.map(|less| Expression::Name(size.clone()).minus(less)));
            }
            (Kind::Text(_), _) if length.is_some() => {
                of.least.extend(length.clone());
                of.most.extend(length);
            }
            (Kind::Text(_), Some(size)) if uses.indexed.contains(name) => {
                of.least.push(Expression::Name(size.clone()));
                of.most.push(Expression::Name(size.clone()));
            }
            _ => {}
        }
    }
}

/// Grammars of what a program reads where nothing else is known, the likeliest first, with their probabilities: the code
/// leaves open how large its numbers are and which letters its texts have.
#[must_use]
pub fn grammars(model: &SourceModel) -> Vec<(Grammar, f64)> {
    let plain = grammar(model, &Grammar::default());
    let texts = uses(model).texts;
    let letters: Vec<char> = texts.iter().filter_map(|text| single(text)).collect();
    let words: Vec<String> = texts.into_iter().filter(|text| single(text).is_none()).collect();
    let small = |grammar: &Grammar| changed(grammar, |of| !of.is_text(), |of| of.most.push(Expression::Number(SMALL)));
    let of_letters = |grammar: &Grammar, letters: Vec<char>| {
        changed(grammar, Variable::is_text, |of| of.kind = Kind::Text(letters.clone()))
    };
    let of_words = |grammar: &Grammar, words: &[String]| {
        changed(grammar, Variable::is_text, |of| of.kind = Kind::Word(words.to_vec()))
    };
    let mut all: Vec<(Grammar, f64)> = vec![(plain.clone(), 0.4), (small(&plain), 0.2)];
    if !letters.is_empty() {
        let compared = of_letters(&plain, letters.clone());
        all.extend([(small(&compared), 0.08), (compared, 0.1)]);
    }
    if !words.is_empty() {
        all.push((of_words(&plain, &words), 0.06));
    }
    all.push((of_letters(&plain, ('0'..='9').collect()), 0.04));
    all.push((of_letters(&plain, ('A'..='Z').collect()), 0.03));
    let mut different: Vec<(Grammar, f64)> = Vec::new();
    all.sort_by(|one, other| other.1.total_cmp(&one.1));
    for (grammar, probability) in all {
        if different.iter().all(|(known, _)| *known != grammar) {
            different.push((grammar, probability));
        }
    }
    different
}

/// The letter that a text is.
fn single(text: &str) -> Option<char> {
    let mut letters = text.chars();
    letters.next().filter(|_| letters.next().is_none())
}

/// A grammar some of whose variables are changed.
fn changed(grammar: &Grammar, which: impl Fn(&Variable) -> bool, mut change: impl FnMut(&mut Variable)) -> Grammar {
    let mut grammar = grammar.clone();
    grammar.variables.iter_mut().filter(|of| which(of)).for_each(&mut change);
    grammar
}

struct Builder<'a> {
    values: &'a Grammar,
    grammar: Grammar,
    /// Whole numbers that were read by themselves, which may be sizes of what follows.
    sizes: Vec<String>,
    rows: usize,
    uses: &'a Uses,
}

impl Builder<'_> {
    fn blocks(&mut self, reads: &[Read]) -> Vec<Block> {
        let mut found = Vec::new();
        for read in reads {
            match read {
                Read::Line(line) => found.push(Block::Line(self.fields(line))),
                Read::Repeat { count, body } => {
                    let count = count.as_deref().and_then(|count| self.count(count));
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
                Read::ToEnd(body) => {
                    let count = self.sizes.last().cloned().map(Expression::Name);
                    let body = self.blocks(body);
                    found.push(Block::Repeat { count, body });
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
            Shape::Leading(count) => {
                let leading = Line { shape: Shape::Fields(count), ..line.clone() };
                let outer = self.sizes.len();
                let mut fields = self.fields(&leading);
                let variable = self.declare(line, count);
                // `n, *row = map(int, input().split())`
                let size =
                    self.sizes.get(outer..).and_then(<[String]>::first).filter(|_| line.value == Conversion::Integer);
                let taken = || self.uses.places.get(&variable).map_or(1, |&places| places as i64);
                let count = size.map_or_else(|| Expression::Number(taken()), |size| Expression::Name(size.clone()));
                self.sizes.truncate(outer);
                let separator = line.separator.clone().unwrap_or_else(|| " ".to_owned());
                fields.push(Field::Row { variable, count, separator });
                fields
            }
            Shape::List => {
                let told_apart = line.names.first().and_then(|name| {
                    let count = self.uses.widths.get(name).or_else(|| self.uses.places.get(name));
                    Some((name, *count?))
                });
                if let Some((name, count)) = told_apart {
                    // `size[0]` and `size[1]` are values for themselves.
                    let names = (0..count).map(|at| format!("{name}[{at}]")).collect();
                    return self.fields(&Line { names, shape: Shape::Fields(count), ..line.clone() });
                }
                let variable = self.declare(line, 0);
                let count = self.sizes.last().map_or(Expression::Number(ROW), |size| Expression::Name(size.clone()));
                let separator = line.separator.clone().unwrap_or_else(|| " ".to_owned());
                vec![Field::Row { variable, count, separator }]
            }
        }
    }

    /// A size that depends on what was read before.
    fn count(&self, text: &str) -> Option<Expression> {
        let named = text.trim_start_matches("self.");
        if self.grammar.variable(named).is_some() {
            return Some(Expression::Name(named.to_owned()));
        }
        Expression::parse(text).filter(|count| self.is_known(count))
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
        let is_digits = self.uses.digits.contains(&name) && line.shape == Shape::One;
        // Of `line[0] == 'push'` and `int(line[1])` only the second is a number.
        let is_line_converted =
            || self.uses.converted.contains(holder(&name)) && !self.uses.compared.contains_key(&name);
        let is_converted = self.uses.converted.contains(&name) || is_line_converted();
        let kind = match line.value {
            Conversion::Integer => Kind::Integer,
            Conversion::Real => Kind::Real,
            Conversion::Text if is_digits => Kind::Text(('0'..='9').collect()),
            Conversion::Text if is_converted => Kind::Integer,
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
        let words = self.uses.compared.get(name).filter(|_| matches!(kind, Kind::Text(_)));
        let made = match known {
            Some(known) => Variable { name: name.to_owned(), ..known.clone() },
            None => Variable { kind, words: words.into_iter().flatten().cloned().collect(), ..Variable::new(name) },
        };
        self.grammar.variables.push(made);
    }
}

/// What the code calls the line that a value stands in: `edge` of `edge[0]`.
fn holder(name: &str) -> &str {
    name.split('[').next().unwrap_or_default()
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
    fn what_the_code_does_with_values_says_what_they_are() {
        let shown = |source: &str| of(source).to_string();
        let edges = "n, m = map(int, input().split())\nedges = [list(map(int, input().split())) for _ in range(m)]\nfor a, b in edges:\n    graph[a - 1].append(b)\n";
        assert!(shown(edges).starts_with("n m\nm times:\n  edges[0] edges[1]\n"), "{}", shown(edges));
        assert!(shown(edges).contains("edges[0]: whole number n or less"), "{}", shown(edges));
        let parts = "class Task:\n    def __init__(self):\n        self.size = [int(x) for x in input().split()]\n        for _ in range(self.size[1]):\n            input()\nTask()\n";
        assert!(shown(parts).starts_with("size[0] size[1]\nsize[1] times:\n"), "{}", shown(parts));
        let date = shown("s = input()\nprint(int(s[:2]), int(s[2:]))\n");
        assert_eq!(date, "s\n  s: text of 0-9, of length 4\n");
        let text = shown("n = int(input())\ns = input()\nfor i in range(n):\n    print(s[i])\nprint(s)\n");
        assert!(text.contains("s: text of a-z, of length n"), "{text}");
        let fields =
            of("rows = []\nfor _ in range(2):\n    rows = input().split(',')\nfor a, b in rows:\n    print(a)\n");
        assert!(fields.sample(Profile::Typical, 1).text.lines().all(|line| line.matches(',').count() == 1), "{fields}");
    }

    #[test]
    fn values_are_often_what_the_code_compares_them_with() {
        let parts = of(
            "n = int(input())\nfor _ in range(n):\n    line = input().split()\n    if line[0] == 'push':\n        s.append(int(line[1]))\n    elif line[0].lower() in ('pop', 'top'):\n        print(s)\n",
        );
        let shown = parts.to_string();
        assert!(shown.contains("  line[0]: pop, push, top, or text of a-z\n  line[1]: whole number\n"), "{shown}");
        let text = parts.sample(Profile::Typical, 1).text;
        assert!(["pop", "push", "top"].iter().any(|word| text.contains(word)), "{text}");
        let named =
            "row = input().split()\nkind, value = row\nmatch kind:\n    case 'A' | 'B':\n        print(value)\n";
        assert!(of(named).to_string().contains("row[0]: A, B, or text of a-z"), "{}", of(named));
        // A number may be compared as a text.
        let end = of("while True:\n    s = input()\n    if s == '0':\n        break\n    print(int(s))\n").to_string();
        assert!(end.contains("s: whole number"), "{end}");
        let fields = "line = input().split()\na, b = line\nif a == '0' or b == '0':\n    print(int(a), int(b))\n";
        assert!(of(fields).to_string().contains("line[0]: whole number\n  line[1]: whole number"), "{}", of(fields));
        // What stands in a text is no whole value.
        let inside = of("s = input()\nfor c in s:\n    if c == 'R':\n        print(c)\n").to_string();
        assert!(inside.ends_with("s: text of a-z\n"), "{inside}");
    }

    #[test]
    fn the_first_fields_of_a_line_may_have_names() {
        let sized = of("n, *row = map(int, input().split())\n");
        assert!(sized.to_string().starts_with("n row × (n)\n"), "{sized}");
        let text = sized.sample(Profile::Typical, 1).text;
        let values: Vec<usize> = text.split_whitespace().map(|field| field.parse().expect("a number")).collect();
        assert_eq!(values.len(), values[0] + 1, "{text}");
        let open = of("op, *rest = input().split()\nprint(int(rest[0]), int(rest[1]))\n").to_string();
        assert!(open.starts_with("op rest × (2)\n") && open.contains("rest: whole number"), "{open}");
    }

    #[test]
    fn what_the_code_leaves_open_is_tried() {
        let model = SourceModel::parse("s = input()\nif s[0] == 'R' or s == 'up':\n    print(s)\n").expect("it parses");
        let kinds: Vec<Kind> =
            grammars(&model).iter().filter_map(|(grammar, _)| Some(grammar.variable("s")?.kind.clone())).collect();
        assert_eq!(
            kinds[..3],
            [Kind::Text(('a'..='z').collect()), Kind::Text(vec!['R']), Kind::Word(vec!["up".into()])]
        );
    }

    #[test]
    fn open_loops_end_with_zeros_and_all_the_rest_is_lines() {
        assert!(of("while True:\n    a, b = map(int, input().split())\n").to_string().contains("`0 0`"));
        let rest = of("import sys\ndata = list(map(int, sys.stdin.read().split()))\n");
        assert!(rest.to_string().starts_with("n\nn times:\n  data\n"), "{rest}");
        assert_eq!(of("print(1)\n").sample(Profile::Typical, 0).text, "");
    }
}

//! Which lines an input consists of, what stands in them, and what is true of the values.

use std::collections::BTreeMap;
use std::fmt;

use crate::expression::Expression;

/// What a standard input looks like.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Grammar {
    /// Its lines, in order.
    pub blocks: Vec<Block>,
    /// The values in the lines.
    pub variables: Vec<Variable>,
    /// What is true of several values together.
    pub relations: Vec<Relation>,
    /// Pairs of numbers are the edges of a tree.
    pub is_tree: bool,
    /// Pairs of numbers are the edges of a graph without loops and multiple edges.
    pub is_graph: bool,
}

/// A part of an input.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// One line.
    Line(Vec<Field>),
    /// Lines that come again and again.
    Repeat {
        /// How often; `None` for any number of times.
        count: Option<Expression>,
        /// What comes each time.
        body: Vec<Block>,
    },
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq)]
pub enum Field {
    /// The value of a variable.
    One(String),
    /// Several values of a variable.
    Row {
        /// The variable.
        variable: String,
        /// How many values.
        count: Expression,
        /// What stands between them.
        separator: String,
    },
    /// This text.
    Literal(String),
}

/// A value of the input, or each of several that are called alike.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// Its name, without subscripts.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Texts that the code compares it with: it is often one of them.
    pub words: Vec<String>,
    /// Bounds from below, of the value or of the length of a text.
    pub least: Vec<Expression>,
    /// Bounds from above.
    pub most: Vec<Expression>,
    /// No value comes twice.
    pub is_distinct: bool,
    /// The values are 1, 2, ... in some order.
    pub is_permutation: bool,
    /// Each value is larger than the one before.
    pub is_increasing: bool,
    /// The remainder of a division by 2 that all values have.
    pub parity: Option<i64>,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A whole number.
    Integer,
    /// A number with a fractional part.
    Real,
    /// A text of these characters.
    Text(Vec<char>),
    /// One of these words.
    Word(Vec<String>),
}

/// Two numbers that are compared in every input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    /// The one.
    pub left: Expression,
    /// `<`, `≤`, `≠`, `=`
    pub sign: char,
    /// The other.
    pub right: Expression,
}

impl Variable {
    /// A whole number of which nothing more is known.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            kind: Kind::Integer,
            words: Vec::new(),
            least: Vec::new(),
            most: Vec::new(),
            is_distinct: false,
            is_permutation: false,
            is_increasing: false,
            parity: None,
        }
    }

    /// True for texts and words.
    #[must_use]
    pub fn is_text(&self) -> bool {
        matches!(self.kind, Kind::Text(_) | Kind::Word(_))
    }
}

impl Grammar {
    /// What is known of a variable.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.iter().find(|variable| variable.name == name)
    }

    /// The variables on which numbers of lines, of values and of characters depend.
    #[must_use]
    pub fn sizes(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for block in &self.blocks {
            block.sizes(&mut found);
        }
        for variable in self.variables.iter().filter(|variable| variable.is_text()) {
            found.extend(variable.least.iter().chain(&variable.most).flat_map(Expression::names));
        }
        found
    }

    /// Keeps of bounds those that are known when a value is drawn, and of relations those between values of the input.
    pub(crate) fn settle_bounds(&mut self) {
        let names: Vec<String> = self.names().into_iter().map(str::to_owned).collect();
        let place = |name: &str| names.iter().position(|known| known == name.trim_matches('|'));
        for variable in &mut self.variables {
            let own = place(&variable.name);
            let is_known = |bound: &Expression| {
                bound.names().iter().all(|name| place(name).is_some_and(|at| own.is_some_and(|own| at < own)))
            };
            for bounds in [&mut variable.least, &mut variable.most] {
                let mut seen: Vec<Expression> = Vec::new();
                bounds.retain(|bound| {
                    let is_new = is_known(bound) && !seen.contains(bound);
                    seen.push(bound.clone());
                    is_new
                });
            }
            tightest(&mut variable.least, true);
            tightest(&mut variable.most, false);
        }
        self.relations.retain(|relation| {
            let all = [relation.left.names(), relation.right.names()].concat();
            all.len() > 1 && all.iter().all(|name| place(name).is_some())
        });
    }

    /// True for relations that bounds of a variable say already.
    fn is_bound(&self, relation: &Relation) -> bool {
        let strict = i64::from(relation.sign == '<');
        let has = |name: &Expression, other: &Expression, is_most: bool| {
            let Expression::Name(name) = name else { return false };
            self.variable(name.trim_matches('|')).is_some_and(|of| {
                let bound = if is_most { other.clone().minus(strict) } else { other.clone().minus(-strict) };
                if is_most { of.most.contains(&bound) } else { of.least.contains(&bound) }
            })
        };
        matches!(relation.sign, '<' | '≤')
            && (has(&relation.left, &relation.right, true) || has(&relation.right, &relation.left, false))
    }

    /// The names of all values, in the order in which they come.
    #[must_use]
    pub fn names(&self) -> Vec<&str> {
        let mut found = Vec::new();
        for block in &self.blocks {
            block.names(&mut found);
        }
        found
    }
}

/// Keeps of bounds that are plain numbers the tightest.
fn tightest(bounds: &mut Vec<Expression>, is_least: bool) {
    let value = |bound: &Expression| bound.value(&BTreeMap::new());
    let numbers = bounds.iter().filter_map(value);
    let best = if is_least { numbers.max() } else { numbers.min() };
    let mut is_kept = false;
    bounds.retain(|bound| {
        let is_plain = value(bound).is_some();
        let keep = !is_plain || !is_kept && value(bound) == best;
        is_kept |= is_plain && keep;
        keep
    });
}

impl Block {
    fn sizes<'g>(&'g self, found: &mut Vec<&'g str>) {
        match self {
            Self::Line(fields) => {
                for field in fields {
                    if let Field::Row { count, .. } = field {
                        found.extend(count.names());
                    }
                }
            }
            Self::Repeat { count, body } => {
                found.extend(count.iter().flat_map(Expression::names));
                for block in body {
                    block.sizes(found);
                }
            }
        }
    }

    fn names<'g>(&'g self, found: &mut Vec<&'g str>) {
        match self {
            Self::Line(fields) => {
                let names = fields.iter().filter_map(|field| match field {
                    Field::One(name) | Field::Row { variable: name, .. } => Some(name.as_str()),
                    Field::Literal(_) => None,
                });
                let new: Vec<&str> = names.filter(|name| !found.contains(name)).collect();
                found.extend(new);
            }
            Self::Repeat { body, .. } => {
                for block in body {
                    block.names(found);
                }
            }
        }
    }

    fn show(&self, f: &mut fmt::Formatter<'_>, indent: usize) -> fmt::Result {
        let space = " ".repeat(indent);
        match self {
            Self::Line(fields) => {
                let fields: Vec<String> = fields.iter().map(Field::to_string).collect();
                writeln!(f, "{space}{}", fields.join(" "))
            }
            Self::Repeat { count, body } => {
                match count {
                    Some(count) => writeln!(f, "{space}{count} times:")?,
                    None => writeln!(f, "{space}any number of times:")?,
                }
                body.iter().try_for_each(|block| block.show(f, indent + 2))
            }
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(name) => write!(f, "{name}"),
            Self::Row { variable, count, separator } if separator == " " => write!(f, "{variable} × ({count})"),
            Self::Row { variable, count, .. } => write!(f, "{variable} × ({count}) without spaces"),
            Self::Literal(text) => write!(f, "`{text}`"),
        }
    }
}

impl fmt::Display for Variable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bounds = |bounds: &[Expression], of_several: &str| match bounds {
            [] => None,
            [one] => Some(one.to_string()),
            several => {
                let several: Vec<String> = several.iter().map(Expression::to_string).collect();
                Some(format!("{of_several}({})", several.join(", ")))
            }
        };
        let what = match &self.kind {
            Kind::Integer => "whole number".to_owned(),
            Kind::Real => "number".to_owned(),
            Kind::Text(letters) if self.words.is_empty() => format!("text of {}", alphabet(letters)),
            Kind::Text(letters) => format!("{}, or text of {}", self.words.join(", "), alphabet(letters)),
            Kind::Word(words) => format!("one of {}", words.join(", ")),
        };
        let range = match (bounds(&self.least, "max"), bounds(&self.most, "min")) {
            (Some(least), Some(most)) if least == most => format!(" {least}"),
            (Some(least), Some(most)) => format!(" {least} to {most}"),
            (Some(least), None) => format!(" {least} or more"),
            (None, Some(most)) => format!(" {most} or less"),
            (None, None) => String::new(),
        };
        let range = if self.is_text() && !range.is_empty() { format!(", of length{range}") } else { range };
        write!(f, "{}: {what}{range}", self.name)?;
        let notes = [
            (self.is_distinct, "all different"),
            (self.is_permutation, "a permutation"),
            (self.is_increasing, "ascending"),
            (self.parity == Some(0), "even"),
            (self.parity == Some(1), "odd"),
        ];
        notes.iter().filter(|(is, _)| *is).try_for_each(|(_, note)| write!(f, ", {note}"))
    }
}

/// `a-z` for the lower-case letters.
fn alphabet(letters: &[char]) -> String {
    let mut parts = Vec::new();
    let mut rest = letters;
    while let Some(&first) = rest.first() {
        let is_next = |&(at, letter): &(usize, &char)| u32::from(*letter) == u32::from(first) + at as u32;
        let run = rest.iter().enumerate().take_while(is_next).count();
        parts.push(match run {
            0..3 => rest[..run].iter().map(|letter| format!("`{letter}`")).collect::<Vec<_>>().join(" "),
            _ => format!("{first}-{}", rest[run - 1]),
        });
        rest = &rest[run..];
    }
    parts.join(" ")
}

impl fmt::Display for Grammar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.blocks.iter().try_for_each(|block| block.show(f, 0))?;
        let names = self.names();
        for name in names {
            if let Some(variable) = self.variable(name) {
                writeln!(f, "  {variable}")?;
            }
        }
        for relation in self.relations.iter().filter(|relation| !self.is_bound(relation)) {
            writeln!(f, "  {} {} {}", relation.left, relation.sign, relation.right)?;
        }
        if self.is_tree {
            writeln!(f, "  the pairs are the edges of a tree")?;
        } else if self.is_graph {
            writeln!(f, "  the pairs are the edges of a graph")?;
        }
        Ok(())
    }
}

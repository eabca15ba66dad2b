//! Real values that code is run on: of every shape that the code can work with, the ordinary value first, then those at
//! the edges.

use std::collections::BTreeMap;

use surmise_value_model::{Class, CoarseClass};

use surmise_engine::plan::could_bear;
use surmise_instrument::{Role, Site};

/// The real value that a name is given.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Given {
    /// What it is made of.
    pub shape: Shape,
    /// The value as Python writes it: `[1, 3, 3, 6]`.
    pub text: String,
}

impl Given {
    /// The first value of a shape.
    #[must_use]
    pub fn ordinary(shape: Shape) -> Self {
        Self { shape, text: shape.values()[0].to_owned() }
    }
}

/// Real values by the name that is given them; a parameter's name is followed by the number of its site.
pub type Values = BTreeMap<String, Given>;

/// What a value is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shape {
    /// `2`
    Int,
    /// `1.5`
    Float,
    /// `'abc'`
    Text,
    /// `True`
    Truth,
    /// `None`
    Nothing,
    /// A list of numbers.
    List,
    /// A tuple of numbers.
    Tuple,
    /// A list of strings.
    Words,
    /// A list of pairs of a string and a number.
    Pairs,
    /// A tuple of pairs of strings.
    TextPairs,
    /// A list of lists of numbers.
    Rows,
    /// A dictionary from strings to numbers.
    Dict,
    /// A set of numbers.
    Set,
}

impl Shape {
    /// In the order of trying, where the predictor has no preference.
    const ALL: [Self; 13] = [
        Self::Int,
        Self::Float,
        Self::List,
        Self::Tuple,
        Self::Words,
        Self::Text,
        Self::Truth,
        Self::Nothing,
        Self::Pairs,
        Self::TextPairs,
        Self::Rows,
        Self::Dict,
        Self::Set,
    ];

    /// The class of an ordinary value of the shape, and that of the empty value.
    const fn classes(self) -> (Class, Class) {
        match self {
            Self::Int => (Class::PositiveInt, Class::ZeroInt),
            Self::Float => (Class::PositiveFloat, Class::ZeroFloat),
            Self::Text => (Class::Str, Class::EmptyStr),
            Self::Truth => (Class::True, Class::False),
            Self::Nothing => (Class::None, Class::None),
            Self::List | Self::Words | Self::Pairs | Self::Rows => (Class::List, Class::EmptyList),
            Self::Tuple | Self::TextPairs => (Class::Tuple, Class::EmptyTuple),
            Self::Dict => (Class::Dict, Class::EmptyDict),
            Self::Set => (Class::Set, Class::EmptySet),
        }
    }

    /// Values of the shape as Python writes them: the ordinary one, the empty one, then others.
    #[must_use]
    pub const fn values(self) -> &'static [&'static str] {
        match self {
            Self::Int => &["2", "0", "1", "-1", "5"],
            Self::Float => &["1.5", "0.0", "-1.0"],
            Self::Text => &["'abc'", "''", "'a'", "'aab'"],
            Self::Truth => &["True", "False"],
            Self::Nothing => &["None"],
            Self::List => &["[1, 3, 3, 6]", "[]", "[2]", "[5, 1, 4]", "[-1, -1]"],
            Self::Tuple => &["(1, 3, 3, 6)", "()", "(2,)", "(5, 1, 4)", "(-1, -1)"],
            Self::Words => &["['b', 'a', 'b']", "[]", "['a']"],
            Self::Pairs => &["[('b', 3), ('a', 1), ('b', 2)]", "[]", "[('a', 2)]"],
            Self::TextPairs => &["(('b', 'x'), ('a', 'x'), ('b', 'y'))", "()", "(('a', 'x'),)"],
            Self::Rows => &["[[1, 2], [3, 4]]", "[]", "[[2]]"],
            Self::Dict => &["{'a': 1, 'b': 2}", "{}"],
            Self::Set => &["{1, 2, 3}", "set()"],
        }
    }

    /// The class of one of the shape's values.
    #[must_use]
    pub fn class(self, value: &str) -> Class {
        let (full, empty) = self.classes();
        match value {
            _ if self.values().get(1) == Some(&value) => empty,
            _ if value.starts_with('-') && self == Self::Int => Class::NegativeInt,
            _ if value.starts_with('-') => Class::NegativeFloat,
            _ => full,
        }
    }

    /// True for what may have no element.
    #[must_use]
    pub const fn is_container(self) -> bool {
        !matches!(self, Self::Int | Self::Float | Self::Truth | Self::Nothing)
    }

    /// The shapes that a site can have, by what the code does with the value and then by the predictor's `weight`.
    pub fn of(site: &Site, weight: impl Fn(CoarseClass) -> f32) -> Vec<Self> {
        let roles = || std::iter::once(site.role).chain(site.downstream.iter());
        let arithmetic = roles().any(|role| matches!(role, Role::Operand | Role::Number));
        let parts = roles().any(|role| matches!(role, Role::IteratedInParts));
        let mut shapes: Vec<Self> = Self::ALL.into_iter().filter(|shape| could_bear(shape.classes().0, site)).collect();
        let rank = |shape: &Self| {
            let number = matches!(shape, Self::Int | Self::Float);
            let likelihood = weight(shape.classes().0.coarse());
            let nested = matches!(shape, Self::Pairs | Self::TextPairs | Self::Rows);
            // Integers are the ordinary numbers; a truth value or nothing is rarely computed with.
            let odd = matches!(shape, Self::Truth | Self::Nothing) || (arithmetic && !number) || (parts && !nested);
            (odd, (-likelihood * 20.0) as i32)
        };
        shapes.sort_by_key(rank);
        shapes
    }
}

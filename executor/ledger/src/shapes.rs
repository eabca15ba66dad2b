//! Real values that code is run on: of every shape that the code can work with, the ordinary value first, then those at
//! the edges.

use std::collections::BTreeMap;

use surmise_value_model::{Class, CoarseClass};

use surmise_engine::plan::may_satisfy;
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

macro_rules! shapes {
    ($($shape:ident ($full:ident, $empty:ident) = $values:expr, $doc:literal;)*) => {
        /// What a value is made of; in the order of trying, where the predictor has no preference.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Shape { $(#[doc = $doc] $shape,)* }

        impl Shape {
            const ALL: [Self; 13] = [$(Self::$shape),*];

            /// The class of an ordinary value of the shape, and that of the empty value.
            const fn classes(self) -> (Class, Class) {
                match self { $(Self::$shape => (Class::$full, Class::$empty),)* }
            }

            /// Values of the shape as Python writes them: the ordinary one, the empty one, then others.
            #[must_use]
            pub const fn values(self) -> &'static [&'static str] {
                match self { $(Self::$shape => &$values,)* }
            }
        }
    };
}

shapes! {
    Int(PositiveInt, ZeroInt) = ["2", "0", "1", "-1", "5"], "`2`";
    Float(PositiveFloat, ZeroFloat) = ["1.5", "0.0", "-1.0"], "`1.5`";
    List(List, EmptyList) = ["[1, 3, 3, 6]", "[]", "[2]", "[5, 1, 4]", "[-1, -1]", "[4, 4, 2, 2]"], "A list of numbers.";
    Tuple(Tuple, EmptyTuple) = ["(1, 3, 3, 6)", "()", "(2,)", "(5, 1, 4)", "(-1, -1)"], "A tuple of numbers.";
    Words(List, EmptyList) = ["['b', 'a', 'b']", "[]", "['a']"], "A list of strings.";
    Text(Str, EmptyStr) = ["'abc'", "''", "'a'", "'aab'"], "`'abc'`";
    Truth(True, False) = ["True", "False"], "`True`";
    Nothing(None, None) = ["None"], "`None`";
    Pairs(List, EmptyList) = ["[('b', 3), ('a', 1), ('b', 2)]", "[]", "[('a', 2)]"],
        "A list of pairs of a string and a number.";
    TextPairs(Tuple, EmptyTuple) = ["(('b', 'x'), ('a', 'x'), ('b', 'y'))", "()", "(('a', 'x'),)"],
        "A tuple of pairs of strings.";
    Rows(List, EmptyList) = ["[[1, 2], [3, 4]]", "[]", "[[2]]"], "A list of lists of numbers.";
    Dict(Dict, EmptyDict) = ["{'a': 1, 'b': 2}", "{}"], "A dictionary from strings to numbers.";
    Set(Set, EmptySet) = ["{1, 2, 3}", "set()"], "A set of numbers.";
}

impl Shape {
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

    /// The types of a value of the shape and of its parts.
    #[must_use]
    pub const fn types(self) -> &'static [&'static str] {
        match self {
            Self::Int => &["int"],
            Self::Float => &["float"],
            Self::List | Self::Rows => &["list", "int"],
            Self::Tuple => &["tuple", "int"],
            Self::Words => &["list", "str"],
            Self::Text => &["str"],
            Self::Truth => &["bool"],
            Self::Nothing => &["NoneType"],
            Self::Pairs => &["list", "tuple", "str", "int"],
            Self::TextPairs => &["tuple", "str"],
            Self::Dict => &["dict", "str", "int"],
            Self::Set => &["set", "int"],
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
        let mut shapes: Vec<Self> =
            Self::ALL.into_iter().filter(|shape| may_satisfy(shape.classes().0, site)).collect();
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

//! Abstract value classes: LExecutor (Souza and Pradel, FSE 2023), Tables 1 and 2.

use serde::{Deserialize, Serialize};

macro_rules! classes {
    ($($variant:ident = $name:literal, $coarse:ident, $doc:literal;)*) => {
        /// The 22 fine-grained classes of abstract values, LExecutor's Table 1.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Class { $(#[doc = $doc] $variant,)* }

        impl Class {
            /// Every class, in the order of Table 1, which is that of the numbers in files.
            pub const ALL: [Class; 22] = [$(Class::$variant),*];

            /// The name of the class in reports and queries.
            pub const fn as_str(self) -> &'static str {
                match self { $(Class::$variant => $name,)* }
            }

            /// The coarse class, of Table 2, that this one belongs to.
            pub const fn coarse(self) -> CoarseClass {
                match self { $(Class::$variant => CoarseClass::$coarse,)* }
            }
        }
    };
}

classes! {
    None = "None", None, "`None`.";
    True = "True", Bool, "`True`";
    False = "False", Bool, "`False`";
    NegativeInt = "negative integer", Int, "`-1`";
    ZeroInt = "zero integer", Int, "`0`";
    PositiveInt = "positive integer", Int, "`1`";
    NegativeFloat = "negative float", Float, "`-1.0`";
    ZeroFloat = "zero float", Float, "`0.0`";
    PositiveFloat = "positive float", Float, "`1.0`";
    EmptyStr = "empty string", Str, "`\"\"`";
    Str = "non-empty string", Str, "`\"a\"`";
    EmptyList = "empty list", List, "`[]`";
    List = "non-empty list", List, "`[object]`";
    EmptyTuple = "empty tuple", Tuple, "`()`";
    Tuple = "non-empty tuple", Tuple, "`(object,)`";
    EmptySet = "empty set", Set, "`set()`";
    Set = "non-empty set", Set, "`{object}`";
    EmptyDict = "empty dictionary", Dict, "`{}`";
    Dict = "non-empty dictionary", Dict, "`{\"a\": object}`";
    Callable = "callable", Callable, "A stand-in that is called: `callback()`.";
    Resource = "resource", Resource, "A stand-in that is entered, read and closed: `with resource as file`.";
    Object = "object", Object, "A stand-in for any other object.";
}

impl Class {
    /// The class of a bit in a recording's masks: the 22 classes in the order of Table 1, then four that only
    /// recordings distinguish (a context manager that cannot be called, a class, bytes, a module).
    fn of_observed_bit(bit: u32) -> Option<Self> {
        match bit {
            22 | 24 | 25 => Some(Class::Object),
            23 => Some(Class::Callable),
            _ => Self::ALL.get(bit as usize).copied(),
        }
    }

    /// The classes that the mask of a recorded site names, each once.
    pub fn of_observed(mask: u32) -> impl Iterator<Item = Self> {
        let seen = (0..u32::BITS).filter(|bit| mask >> bit & 1 == 1).filter_map(Self::of_observed_bit);
        Self::of_set(seen.fold(0, |set, class| set | 1 << class as u32))
    }

    /// The classes of a set, which is a mask with bit `c` for `Class::ALL[c]`.
    pub fn of_set(set: u32) -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(move |&class| set >> class as u32 & 1 == 1)
    }
}

/// The 12 coarse-grained classes of abstract values, LExecutor's Table 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoarseClass {
    /// `None`.
    None,
    /// `True`, or at random `True` or `False`.
    Bool,
    /// `1`, or at random one of `-1`, `0`, `1`.
    Int,
    /// `1.0`, or at random one of `-1.0`, `0.0`, `1.0`.
    Float,
    /// `"a"`, or at random `"a"` or `""`.
    Str,
    /// `[object]`, or at random `[object]` or `[]`.
    List,
    /// `(object,)`, or at random `(object,)` or `()`.
    Tuple,
    /// `{object}`, or at random `{object}` or `set()`.
    Set,
    /// `{"a": object}`, or at random `{"a": object}` or `{}`.
    Dict,
    /// A stand-in that is called: `callback()`.
    Callable,
    /// A stand-in that is entered, read and closed: `with resource as file`.
    Resource,
    /// A stand-in for any other object.
    Object,
}

impl CoarseClass {
    /// The fine classes that the coarse class is made of.
    pub fn members(self) -> impl Iterator<Item = Class> {
        Class::ALL.into_iter().filter(move |class| class.coarse() == self)
    }

    /// The fine class whose value stands for the coarse one in the deterministic variant of Table 2.
    const fn representative(self) -> Class {
        match self {
            CoarseClass::None => Class::None,
            CoarseClass::Bool => Class::True,
            CoarseClass::Int => Class::PositiveInt,
            CoarseClass::Float => Class::PositiveFloat,
            CoarseClass::Str => Class::Str,
            CoarseClass::List => Class::List,
            CoarseClass::Tuple => Class::Tuple,
            CoarseClass::Set => Class::Set,
            CoarseClass::Dict => Class::Dict,
            CoarseClass::Callable => Class::Callable,
            CoarseClass::Resource => Class::Resource,
            CoarseClass::Object => Class::Object,
        }
    }
}

/// How a predicted class becomes a concrete value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Concretization {
    /// The value of the fine class, LExecutor's Table 1.
    #[default]
    Fine,
    /// The representative value of the coarse class, the deterministic variant of Table 2.
    Coarse,
    /// A random value of the coarse class, the randomized variant of Table 2.
    CoarseRandom,
}

impl Concretization {
    /// The fine class whose value is used for a predicted class; `draw` is a uniform random number.
    pub fn concretize(self, class: Class, draw: u64) -> Class {
        match self {
            Concretization::Fine => class,
            Concretization::Coarse => class.coarse().representative(),
            Concretization::CoarseRandom => {
                let members: Vec<Class> = class.coarse().members().collect();
                members[(draw % members.len() as u64) as usize]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coarse_classes_partition_the_fine_ones() {
        let coarse: std::collections::BTreeSet<_> = Class::ALL.into_iter().map(Class::coarse).collect();
        assert_eq!(coarse.len(), 12);
        for class in &coarse {
            assert_eq!(class.representative().coarse(), *class);
            assert!(class.members().all(|member| member.coarse() == *class));
        }
    }

    #[test]
    fn concretization_follows_the_tables() {
        assert_eq!(Concretization::Fine.concretize(Class::ZeroInt, 9), Class::ZeroInt);
        assert_eq!(Concretization::Coarse.concretize(Class::ZeroInt, 9), Class::PositiveInt);
        let drawn: std::collections::BTreeSet<_> =
            (0..9).map(|draw| Concretization::CoarseRandom.concretize(Class::ZeroInt, draw)).collect();
        assert_eq!(drawn.len(), 3, "every integer class can come up");
    }
}

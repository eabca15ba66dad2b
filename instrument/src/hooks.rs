//! The names under which the runtime finds its hooks in `builtins`.
//!
//! One letter between underscores keeps rewritten text short. A source that uses such a name itself
//! gets the long spelling instead ([`HookNames::long`]).

use serde::{Deserialize, Serialize};

/// Every hook the rewritten text may call. The letter is what stands in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// `_n_(site)`: reads a global, builtin or class-level name that may be missing.
    Name,
    /// `_u_(site)`: true where the local or free variable of the site is bound (or must fail as in CPython).
    Bound,
    /// `_a_(site, object)`: reads an attribute.
    Attribute,
    /// `_b_(site, object)`: reads the attribute that the hook around it calls.
    Method,
    /// `_c_(site, callee, ...)`: calls.
    Call,
    /// `_k_[line]=1`: marks a line as reached (statement form; a plain list, so a few nanoseconds).
    MarkStore,
    /// `(_k_[line]or _j_[line])and(expression)`: marks a line as reached (expression form).
    MarkExpr,
    /// `_d_(site, decorator)`: keeps an injected decorator from replacing the function.
    Decorator,
    /// `_w_(site, awaited)`: makes an injected value awaitable.
    Await,
    /// `_x_(site, type)`: makes an injected value usable in `except`.
    Except,
    /// `_r_(site, exception)`: makes an injected value raisable.
    Raise,
    /// `_e_(site, object)`: makes sure that the attribute of an augmented assignment exists.
    AugmentedAttribute,
    /// `_f_(level, module, names...)`: prepares a `from` import that would fail.
    ImportFrom,
    /// `_p_(subject, names...)`: binds missing class names of match patterns to injected types.
    Pattern,
    /// `_i_(item, container)`: `item in container`.
    Membership,
    /// `_z_(metaclass)`: replaces an injected metaclass by `type`.
    Metaclass,
}

/// All hooks, in the order the runtime installs them.
pub const ALL: [Hook; 16] = [
    Hook::Name,
    Hook::Bound,
    Hook::Attribute,
    Hook::Method,
    Hook::Call,
    Hook::MarkStore,
    Hook::MarkExpr,
    Hook::Decorator,
    Hook::Await,
    Hook::Except,
    Hook::Raise,
    Hook::AugmentedAttribute,
    Hook::ImportFrom,
    Hook::Pattern,
    Hook::Metaclass,
    Hook::Membership,
];

impl Hook {
    /// The letter that tells this hook from the others.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Hook::Name => 'n',
            Hook::Bound => 'u',
            Hook::Attribute => 'a',
            Hook::Method => 'b',
            Hook::Call => 'c',
            Hook::MarkStore => 'k',
            Hook::MarkExpr => 'j',
            Hook::Decorator => 'd',
            Hook::Await => 'w',
            Hook::Except => 'x',
            Hook::Raise => 'r',
            Hook::AugmentedAttribute => 'e',
            Hook::ImportFrom => 'f',
            Hook::Pattern => 'p',
            Hook::Metaclass => 'z',
            Hook::Membership => 'i',
        }
    }
}

/// Which spelling of the hooks a rewritten text uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookNames {
    /// `_surmise_a_` in place of `_a_`.
    pub long: bool,
}

impl HookNames {
    /// What stands before the letter.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        if self.long { "_surmise_" } else { "_" }
    }

    /// The whole name of a hook.
    #[must_use]
    pub fn name(self, hook: Hook) -> String {
        format!("{}{}_", self.prefix(), hook.letter())
    }

    /// True for a name that only the long spelling leaves free.
    #[must_use]
    pub fn clashes(identifier: &str) -> bool {
        let bytes = identifier.as_bytes();
        bytes.len() == 3 && bytes[0] == b'_' && bytes[2] == b'_' && bytes[1].is_ascii_lowercase()
    }
}

//! The names under which the runtime finds its hooks in `builtins`.
//!
//! One letter between underscores keeps rewritten text short. A source that uses such a name itself
//! gets the long spelling instead ([`HookNames::long`]).

use serde::{Deserialize, Serialize};

numbered! {
    /// Every hook the rewritten text may call, in the order the runtime installs them.
    Hook:
    Name = "`_n_(site)`: reads a global, builtin or class-level name that may be missing.";
    Bound = "`_u_(site)`: true where the local or free variable of the site is bound (or must fail as in CPython).";
    Attribute = "`_a_(site, object)`: reads an attribute.";
    Method = "`_b_(site, object)`: reads the attribute that the hook around it calls.";
    Call = "`_c_(site, callee, ...)`: calls.";
    MarkStore = "`_k_[line]=1`: marks a line as reached (statement form; a plain list, so a few nanoseconds).";
    MarkExpr = "`(_k_[line]or _j_[line])and(expression)`: marks a line as reached (expression form).";
    Decorator = "`_d_(site, decorator)`: keeps an injected decorator from replacing the function.";
    Await = "`_w_(site, awaited)`: makes an injected value awaitable.";
    Except = "`_x_(site, type)`: makes an injected value usable in `except`.";
    Raise = "`_r_(site, exception)`: makes an injected value raisable.";
    AugmentedAttribute = "`_e_(site, object)`: makes sure that the attribute of an augmented assignment exists.";
    ImportFrom = "`_f_(level, module, names...)`: prepares a `from` import that would fail.";
    Pattern = "`_p_(subject, names...)`: binds missing class names of match patterns to injected types.";
    Metaclass = "`_z_(metaclass)`: replaces an injected metaclass by `type`.";
    Membership = "`_i_(item, container)`: `item in container`.";
    Tolerant = "`_s_(object)`: an object that may refuse an assignment to an attribute, or a key that it is asked for.";
}

/// The letters of the hooks, by their numbers.
const LETTERS: &[u8; Hook::ALL.len()] = b"nuabckjdwxrefpzis";

impl Hook {
    /// The letter that tells this hook from the others.
    #[must_use]
    pub const fn letter(self) -> char {
        LETTERS[self as usize] as char
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

//! Sites: the places of a source where a value is used and may be missing.

use compact_str::CompactString;
use serde::{Deserialize, Serialize};

use crate::role::{Role, Roles};

/// The paper's three kinds of value use (LExecutor, section 3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A read of a name.
    Variable,
    /// A read of an attribute.
    Attribute,
    /// The result of a call.
    ReturnValue,
}

impl Kind {
    /// The spelling of reports and queries.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Kind::Variable => "variable",
            Kind::Attribute => "attribute",
            Kind::ReturnValue => "return value",
        }
    }
}

/// One place where a value is used. Its number is its position in [`crate::Instrumented::sites`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "facts that have nothing to do with each other")]
pub struct Site {
    /// The kind of use.
    pub kind: Kind,
    /// The name read (mangled as CPython does), the attribute's name, or the callee's last component. Empty for
    /// places that only adapt a value (`raise`, `except`, `await`, decorators).
    pub name: CompactString,
    /// What is done with the value.
    pub role: Role,
    /// What is done elsewhere in the source with the same name, with attributes of the same name, or with the variable
    /// that the value is assigned to: the value has to support that too.
    pub downstream: Roles,
    /// Byte offsets of the whole expression in the source.
    pub start: u32,
    /// End of the expression, exclusive.
    pub end: u32,
    /// Line of the name (of the attribute's name, of the call's first line), from 1.
    pub line: u32,
    /// Column of the name in UTF-8 bytes, from 0.
    pub column: u32,
    /// The function or class it stands in: an index into [`crate::Instrumented::functions`].
    pub function: u32,
    /// A local or free variable, which some assignment of its scope binds.
    pub local: bool,
    /// A name that the module's own code reads and binds.
    pub rebound: bool,
    /// Read in a class body, where the lookup starts in the class namespace.
    pub in_class: bool,
    /// Part of an annotation that is evaluated.
    pub annotation: bool,
    /// For a decorator or handler type: the line that is reached once it was evaluated; else 0.
    pub marks: u32,
}

impl Site {
    /// How many elements a container must have for what is done with it.
    #[must_use]
    pub fn elements(&self) -> Option<u16> {
        self.role.elements().max(self.downstream.elements())
    }
}

/// A parameter of a function: a value that is missing when nobody calls the function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parameter {
    /// Its function: an index into [`crate::Instrumented::functions`].
    pub function: u32,
    /// Its name.
    pub name: CompactString,
    /// What the function does with it.
    pub downstream: Roles,
    /// Byte offset of the name in the signature.
    pub start: u32,
    /// Its end.
    pub end: u32,
}

/// A `try` statement, or a `with suppress(...)`: where its body lies and what its handlers catch. The runtime asks this table
/// whether code expects a failure before it fills a value in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TryBlock {
    /// First line of the body.
    pub first_line: u32,
    /// Last line of the body.
    pub last_line: u32,
    /// Line on which the enclosing code object starts (0 for the module): a nested function's own failures do
    /// not happen inside this statement.
    pub scope_line: u32,
    /// Dotted names of the exception classes; `None` for a bare `except:`.
    pub catches: Vec<Option<String>>,
}

/// A `from` import: what the runtime must know to answer it when the module or a name is missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FromImport {
    /// Number of leading dots.
    pub level: u32,
    /// The module as written, possibly empty.
    pub module: String,
    /// The names imported; `*` for a star import.
    pub names: Vec<String>,
    /// The names that it binds, in the order of `names`.
    pub bound: Vec<String>,
    /// Line of the statement.
    pub line: u32,
    /// Column of the statement.
    pub column: u32,
}

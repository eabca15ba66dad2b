//! Uses: the places of a source where a name, an attribute or a call stands, in the order in which Python evaluates
//! them, outer expressions before what they are made of.

use bitflags::bitflags;
use ruff_index::newtype_index;

use super::scope::ScopeId;
use super::symbol::{BindingId, Symbol};
use crate::role::Role;
use crate::sites::Kind;

/// The number of a use in the order of evaluation.
#[newtype_index]
#[derive(PartialOrd, Ord)]
pub(crate) struct UseId;

/// What stands at a use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// `x`, read.
    Name,
    /// `x` in `x = 1`, `for x in y`, `del x`.
    Target,
    /// `x` in `def f(x): ...`.
    Parameter,
    /// `x` in `x += 1` and `del x`, where it may be unbound: it is read before the statement, which starts at
    /// [`Use::inner`].
    ReadBefore,
    /// `y.a`, read; [`Use::inner`] is the end of `y`.
    Attribute,
    /// `y.a` in `y.a = 1`, `y.a: int` and `del y.a`; [`Use::inner`] is the end of `y`.
    AttributeTarget,
    /// `y.a` in `y.a += 1`; [`Use::inner`] is the end of `y`.
    Augmented,
    /// `f(x)`; [`Use::inner`] is its opening parenthesis.
    Call,
    /// `x` in `await x`, as what is awaited.
    Awaited,
    /// `x` in `raise x`, as what is raised.
    Raised,
    /// `x` in `except x: ...`, as what is caught; [`Use::inner`] is the line that is reached with it, or 0.
    Caught,
    /// `x` in `@x`, as what decorates; [`Use::inner`] is the line that is reached after it, or 0.
    Decorator,
    /// `x` in `match x: ...`; as many uses follow as [`Use::inner`] says, of names in patterns that may be missing.
    Subject,
    /// `A` in `case A(): ...`, `m` in `case m.X: ...`, where they may be missing.
    PatternName,
    /// `x in y` and `x not in y`; [`Use::inner`] is the end of `x`.
    Membership,
    /// `x[y]`, read, where `y` is no slice; [`Use::inner`] is the end of `x`.
    Subscript,
    /// `M` in `class C(metaclass=M): ...`.
    Metaclass,
    /// `from m import a`; [`Use::inner`] is its number among these.
    ImportFrom,
    /// `{x=}` in an f-string; [`Use::name_at`] is the start of `x`, and [`Use::inner`] the bytes between its end and
    /// what follows the `=`.
    DebugText,
}

/// What a name refers to, and whether it may be missing there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resolution {
    /// CPython's own lookup finds it (or the source cannot be the reason when it does not).
    Proven,
    /// A local or free variable that may be unbound.
    Unbound,
    /// A global or builtin that may be missing.
    Global,
    /// A name of the class body around that may be missing there.
    Class,
}

/// The variable that a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Variable {
    /// The one that a scope of the source binds.
    Binding(BindingId),
    /// A name that nothing in the source binds: a builtin, or missing.
    Free(Symbol),
}

bitflags! {
    /// What else is to be known of a use.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub(crate) struct UseFlags: u16 {
        /// It stays as written when sites are guarded: in a template string, a pattern, a type parameter's bound.
        const NOT_GUARDED = 1;
        /// It stays as written when values are recorded: there, and in annotations and `{x=}`.
        const NOT_RECORDED = 1 << 1;
        /// `def f(x: y): ...`, `x: y = 1`: evaluated unless a future import or Python 3.14 postpones it.
        const ANNOTATION = 1 << 2;
        /// In the body of a class whose namespace may be an arbitrary mapping, which would see each added lookup.
        const NAMESPACED = 1 << 3;
        /// It cannot be missing: `self.x` that `__init__` assigns, a call of the module's own function.
        const CERTAIN = 1 << 4;
        /// A call, or an attribute that a class gives its instances, that is left to CPython unless its function runs in its
        /// imported module.
        const IN_PLACE = 1 << 13;
        /// `f` in `f(x)`.
        const CALLEE = 1 << 5;
        /// A call of a name or an attribute.
        const DIRECT = 1 << 6;
        /// `x` in `x if y else z` and `(n := x)`: the expression around it passes its role on.
        const PASSED = 1 << 7;
        /// A name in a class body: its lookup starts in the class namespace.
        const IN_CLASS = 1 << 8;
        /// A name that the module's own code reads and binds.
        const REBOUND = 1 << 9;
        /// `f(x for x in y)`: the call's parentheses are the generator's.
        const SOLE_GENERATOR = 1 << 10;
        /// `f()`, `x not in y`, `{x=}` without a conversion, `del y.a`: nothing stands where something could.
        const BARE = 1 << 11;
        /// In the annotations and type parameters of a `def`, or in a pattern.
        const SIGNATURE = 1 << 12;
    }
}

/// A use of a value, or a place that adapts one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Use {
    pub(crate) form: Form,
    pub(crate) resolution: Resolution,
    pub(crate) flags: UseFlags,
    /// What is done with the value.
    pub(crate) role: Role,
    /// Byte offsets of the whole expression.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Where the name stands: the attribute's, the last one of what is called.
    pub(crate) name_at: u32,
    /// A position or a number inside: see [`Form`].
    pub(crate) inner: u32,
    /// The name; empty for places that only adapt a value.
    pub(crate) symbol: Symbol,
    /// The innermost scope around.
    pub(crate) scope: ScopeId,
    /// For names: the variable.
    pub(crate) variable: Variable,
}

impl Use {
    pub(crate) fn is(&self, flags: UseFlags) -> bool {
        self.flags.intersects(flags)
    }

    /// The kind of value use; `None` for places that only adapt a value.
    pub(crate) fn kind(&self) -> Option<Kind> {
        match self.form {
            Form::Name | Form::Target | Form::Parameter => Some(Kind::Variable),
            Form::Attribute | Form::AttributeTarget | Form::Augmented => Some(Kind::Attribute),
            Form::Call => Some(Kind::ReturnValue),
            _ => None,
        }
    }
}

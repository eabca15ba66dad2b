//! Feeds: which expressions may give a variable, an attribute or a function's results their values.

use super::scope::ScopeId;
use super::shape::Shape;
use super::symbol::Symbol;
use super::uses::{UseId, Variable};
use crate::sites::Kind;

/// What gets a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// `x = value`
    Variable(Variable),
    /// `y.a = value`; attributes are told apart by their names alone.
    Attribute(Symbol),
    /// `return value` in `def f(): ...`; functions are told apart by their names alone.
    Results(Symbol),
    /// `return value` in a method that is read as an attribute: `@property`.
    Property(Symbol),
}

/// How a target comes by a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum How {
    /// `import a`
    Import,
    /// `from m import a`; the symbol is what the module calls it.
    FromImport(Symbol),
    /// `def a(): ...`
    Function,
    /// `def a(): ...` below `@property`: the class has an attribute of that name, and no function.
    PropertyFunction,
    /// `class a: ...`
    Class,
    /// `def f(a): ...`
    Parameter,
    /// `def f(a=value): ...`: the parameter.
    Optional,
    /// `def f(a=value): ...`: the default.
    Default,
    /// `self` or `cls`, first of a method.
    Receiver,
    /// `def f(*a): ...`
    Variadic,
    /// `def f(**a): ...`
    Keywords,
    /// `for a in value: ...`
    Loop,
    /// `for a, b in value: ...`
    LoopPart,
    /// `[... for a in value]`
    Comprehension,
    /// `[... for a, b in value]`
    ComprehensionPart,
    /// `with value as a: ...`
    Context,
    /// `except E as a: ...`
    Caught,
    /// `case a: ...`
    Matched,
    /// `a = value`
    Assigned,
    /// `a: int = value`, `(a := value)`
    Bound,
    /// `a += value`
    Augmented,
    /// `a[i] = value`
    Item,
    /// `return value`, and the `None` of a function that comes to its end.
    Returned,
    /// `yield`, or `async def`: calls give a generator or a coroutine.
    Generator,
}

/// A value that goes to a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feed {
    pub(crate) target: Target,
    pub(crate) how: How,
    /// Byte range of the expression that is assigned. An assignment that chooses between values (`a or b`) has a feed
    /// for each, and only the first has the range.
    pub(crate) whole: Option<(u32, u32)>,
    /// The first use that is evaluated for it.
    pub(crate) first: UseId,
    /// The kind and byte range of the use that gives the value, if it is one.
    pub(crate) value: Option<(Kind, u32, u32)>,
    /// What the value is, if it is a literal.
    pub(crate) shape: Option<Shape>,
    /// Where the statement stands.
    pub(crate) scope: ScopeId,
    /// The statement stands in a `def`.
    pub(crate) in_function: bool,
}

/// A variable that takes the elements of something: `for a in value`, also through `enumerate`, `zip` and the like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements {
    pub(crate) of: Iterated,
    pub(crate) target: Variable,
}

/// What a loop goes over.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Iterated {
    Use(UseId),
    Variable(Variable),
}

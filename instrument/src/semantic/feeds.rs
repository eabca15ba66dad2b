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
    /// `y.a = value`; an attribute is identified by its name alone, whatever object has it.
    Attribute(Symbol),
    /// `return value` in `def f(): ...`; a function is identified by its name alone.
    Results(Symbol),
    /// `return value` in a method that is read as an attribute: `@property`.
    Property(Symbol),
}

numbered! {
    /// How a name comes by its values. Evidence tells those up to `Builtin` apart, by their numbers.
    Origin:
    Import = "`import a`";
    FromImport = "`from m import a`";
    FromImportClass = "`from m import A`, by its spelling";
    FromImportConstant = "`from m import AA`, by its spelling";
    Function = "`def a`";
    Class = "`class A`";
    Parameter = "A parameter without a default";
    Default = "A parameter with a default";
    Receiver = "`self` or `cls`, first of a method";
    Variadic = "`*args`";
    Keywords = "`**kwargs`";
    Loop = "`for a in ...`";
    Comprehension = "`... for a in ...`";
    Context = "`with ... as a`";
    Caught = "`except ... as a`";
    Matched = "`case a`";
    Assigned = "`a = ...`";
    Augmented = "`a += ...`";
    Property = "A method that is read as an attribute";
    Generator = "`yield`, or `async def`: calls give a generator or a coroutine";
    Builtin = "The builtin of this name";
    LoopPart = "`for a, b in ...`";
    ComprehensionPart = "`... for a, b in ...`";
    Bound = "`a: int = ...`, `(a := ...)`";
    PropertyFunction = "`def a` below `@property`: the class has an attribute of that name, and no function";
    DefaultValue = "`a` in `def f(x=a)`";
    Item = "`a[i] = ...`";
    Returned = "`return a`, and the `None` of a function that comes to its end";
}

impl Origin {
    /// That of `from m import name`.
    pub(crate) fn of_import(name: &str) -> Self {
        let upper = name.starts_with(char::is_uppercase);
        match upper && name.len() > 1 && !name.contains(char::is_lowercase) {
            true => Self::FromImportConstant,
            false if upper => Self::FromImportClass,
            false => Self::FromImport,
        }
    }

    /// That of the evidence; `None` for what is no way of binding a name.
    pub(crate) fn of_evidence(self) -> Option<Self> {
        match self {
            Self::LoopPart => Some(Self::Loop),
            Self::ComprehensionPart => Some(Self::Comprehension),
            Self::Bound => Some(Self::Assigned),
            Self::PropertyFunction => Some(Self::Function),
            Self::DefaultValue | Self::Item | Self::Returned => None,
            origin => Some(origin),
        }
    }
}

/// A value that goes to a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Feed {
    pub(crate) target: Target,
    pub(crate) origin: Origin,
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

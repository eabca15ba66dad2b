//! Doubts about types, without a run: operations that the builtin types of their operands do not have.
//!
//! The statements are followed in their order with the type of each variable, as far as the text says it: literals, calls
//! of builtin functions and of methods of builtin types, elements, and what the source's own functions are called with
//! and return. Loops are gone over twice; where ways meet, a variable has the types of both. What is not known (arguments
//! from outside, attributes, modules) raises no doubt. It is evidence for a prediction, not a proof: what other code
//! changes behind a name is not seen.

mod builtins;
mod calls;
mod expressions;
mod names;
mod operators;
mod statements;
#[cfg(test)]
mod tests;
mod types;

use std::collections::BTreeMap;
use std::ops::Range;

use ruff_python_ast::{Stmt, StmtFunctionDef};
use rustc_hash::{FxHashMap, FxHashSet};

use self::types::Type;
use crate::semantic::SourceModel;

/// Rounds over the source: what functions are called with and what they return is known from the round before.
const ROUNDS: usize = 3;

/// Places that bind names, times the names: where ways part and meet, each name is looked at. Larger sources raise no doubt.
const MOST_WORK: usize = 1 << 21;

/// What is doubtful about an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeDoubt {
    /// No type that the value can have has the attribute.
    Attribute,
    /// No types that the operands can have support the operation; or a function does not take so many arguments.
    Operation,
    /// Some types that the operands can have do not support the operation.
    Partly,
    /// A text is unpacked into variables.
    Unpacking,
}

impl TypeDoubt {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Attribute, Self::Operation, Self::Partly, Self::Unpacking];
}

/// Doubts about the operations of a source.
#[derive(Clone, Debug, Default)]
pub struct TypeDoubts(FxHashSet<(u32, TypeDoubt)>);

impl TypeDoubts {
    /// Which doubts there are about a range of bytes, in the order of [`TypeDoubt::ALL`].
    #[must_use]
    pub fn within(&self, range: &Range<u32>) -> [bool; 4] {
        TypeDoubt::ALL.map(|kind| self.0.iter().any(|(at, doubt)| *doubt == kind && range.contains(at)))
    }
}

impl SourceModel {
    /// Doubts about the types of operands.
    #[must_use]
    pub fn type_doubts(&self) -> TypeDoubts {
        self.with_tree(|tree| Walk::new(tree.suite()).doubts(tree.suite())).unwrap_or_default()
    }
}

/// Types of variables where the walk stands.
type Variables<'t> = BTreeMap<&'t str, Type>;

/// A function of the source whose name means that function alone.
struct Function<'t> {
    definition: &'t StmtFunctionDef,
    /// What calls give its parameters.
    given: Vec<Type>,
    result: Type,
    /// It is used for something else than calls.
    is_passed: bool,
}

/// The walk over a source.
#[derive(Default)]
struct Walk<'t> {
    functions: FxHashMap<&'t str, Function<'t>>,
    /// Names that the source binds anywhere: they are no builtins.
    bound: FxHashSet<&'t str>,
    /// A module may have bound any name.
    hides_builtins: bool,
    /// Names with a value that is not followed: `global`, parameters of functions that the source does not call.
    untold: FxHashSet<&'t str>,
    /// All values that the module's own code gives its variables.
    globals: Variables<'t>,
    /// The same, of the round before.
    known_globals: Variables<'t>,
    /// Where the walk stands; `None` where nothing gets.
    here: Option<Variables<'t>>,
    /// Names that are local to the functions around.
    locals: Vec<FxHashSet<&'t str>>,
    /// What has been returned by the function around.
    returned: Vec<Type>,
    /// Where the loops around are left.
    breaks: Vec<Option<Variables<'t>>>,
    /// Where the loops around go on.
    continues: Vec<Option<Variables<'t>>>,
    /// Loops around that are gone over for the first time, when variables lack the types of later rounds.
    first_rounds: usize,
    doubts: FxHashSet<(u32, TypeDoubt)>,
    /// There is more to follow than [`MOST_WORK`].
    is_large: bool,
}

impl<'t> Walk<'t> {
    fn new(suite: &'t [Stmt]) -> Self {
        let mut walk = Self::default();
        let mut names = names::Names::default();
        names.collect(suite);
        let mut count: FxHashMap<&str, usize> = FxHashMap::default();
        for name in &names.bound {
            *count.entry(name).or_default() += 1;
        }
        for definition in names.functions {
            let name = definition.name.as_str();
            let is_plain = definition.decorator_list.is_empty() && !definition.is_async;
            if count.get(name) == Some(&1) && is_plain && !names::is_generator(&definition.body) {
                let parameters = definition.parameters.args.len();
                let given = vec![Type::default(); parameters];
                let function = Function { definition, given, result: Type::default(), is_passed: false };
                walk.functions.insert(name, function);
            }
        }
        walk.is_large = names.bound.len() * count.len() > MOST_WORK;
        walk.bound = names.bound.into_iter().collect();
        walk.hides_builtins = names.hides_builtins;
        walk.untold = names.untold.into_iter().collect();
        walk
    }

    fn doubts(mut self, suite: &'t [Stmt]) -> TypeDoubts {
        if self.is_large {
            return TypeDoubts::default();
        }
        let rounds = if self.functions.is_empty() { 1 } else { ROUNDS };
        for _ in 0..rounds {
            self.doubts.clear();
            self.known_globals = std::mem::take(&mut self.globals);
            self.here = Some(Variables::default());
            self.body(suite);
        }
        TypeDoubts(self.doubts)
    }

    fn doubt(&mut self, at: u32, doubt: TypeDoubt) {
        if self.first_rounds == 0 {
            self.doubts.insert((at, doubt));
        }
    }

    /// Takes note of an operation by how many pairs of kinds it has and how many of them fail.
    fn tried(&mut self, at: u32, all: usize, failed: usize) {
        if failed > 0 && failed == all {
            self.doubt(at, TypeDoubt::Operation);
        } else if failed > 0 {
            self.doubt(at, TypeDoubt::Partly);
        }
    }

    /// Takes note of a value that has to be of some kinds.
    fn has_to_be(&mut self, at: u32, value: &Type, kinds: types::Kinds) {
        if value.is_known() {
            let failed = value.kinds.difference(kinds).iter().count();
            self.tried(at, value.kinds.iter().count(), failed);
        }
    }

    /// The type of a variable.
    fn variable(&self, name: &'t str) -> Option<Type> {
        if self.untold.contains(name) {
            return Some(Type::unknown());
        }
        if let Some(known) = self.here.as_ref().and_then(|here| here.get(name)) {
            return Some(known.clone());
        }
        if self.locals.iter().any(|locals| locals.contains(name)) {
            return Some(Type::unknown());
        }
        let known = self.known_globals.get(name).cloned();
        (self.hides_builtins || self.bound.contains(name)).then(|| known.unwrap_or_else(Type::unknown))
    }

    fn bind(&mut self, name: &'t str, value: Type) {
        if self.locals.is_empty() {
            let all = self.globals.remove(name).unwrap_or_default();
            self.globals.insert(name, all.join(&value));
        }
        if let Some(here) = &mut self.here {
            here.insert(name, value);
        }
    }
}

/// Where two ways meet.
fn meet<'t>(one: Option<Variables<'t>>, other: Option<Variables<'t>>) -> Option<Variables<'t>> {
    match (one, other) {
        (Some(mut one), Some(other)) => {
            for (name, value) in other {
                let both = one.remove(name).unwrap_or_default().join(&value);
                one.insert(name, both);
            }
            Some(one)
        }
        (one, other) => one.or(other),
    }
}

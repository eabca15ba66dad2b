//! What a source itself writes to objects and does with classes: tells missing code from bugs of the code at hand.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Stmt};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::cleanup::blocks;
use crate::semantic::symbol::Symbol;
use crate::semantic::uses::{Form, Use, UseFlags};
use crate::semantic::{SourceModel, bytes};

/// Names that a source gives a meaning beyond a single scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// Attributes that some object is given: `total` of `self.total = 0`, but not of `self.total += 1`.
    pub attributes: BTreeSet<String>,
    /// Bases of classes that are raised or caught: `Failure` of `class Late(Failure): ...` and `except Late:`.
    pub error_bases: BTreeSet<String>,
    /// Names that stand for any type: `T` of `class Box(Generic[T])`.
    pub type_parameters: BTreeSet<String>,
}

impl Written {
    /// Asks a model.
    #[must_use]
    pub fn of(model: &SourceModel) -> Self {
        let name = |symbol: Symbol| model.name(symbol).to_owned();
        let written = |used: &&Use| used.form == Form::AttributeTarget && !used.is(UseFlags::BARE);
        let raised: FxHashSet<Symbol> = model.tables.raised.iter().copied().collect();
        let error_bases = model.tables.bases.iter().filter(|(class, _)| raised.contains(class));
        Self {
            attributes: model.tables.uses.iter().filter(written).map(|used| name(used.symbol)).collect(),
            error_bases: error_bases.map(|&(_, base)| name(base)).collect(),
            type_parameters: type_parameters(model),
        }
    }
}

/// Names in the brackets of `Generic[...]` and `Protocol[...]` behind the names of classes.
fn type_parameters(model: &SourceModel) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut suites = vec![model.suite()];
    while let Some(suite) = suites.pop() {
        for stmt in suite {
            if let Stmt::ClassDef(class) = stmt {
                let bases = class.arguments.iter().flat_map(|arguments| &arguments.args);
                for base in bases.filter_map(Expr::as_subscript_expr).filter(|base| is_generic(&base.value)) {
                    let names = model.uses_in(bytes(&*base.slice)).filter(|used| used.form == Form::Name);
                    found.extend(names.map(|used| model.name(used.symbol).to_owned()));
                }
            }
            suites.extend(blocks(stmt));
        }
    }
    found
}

fn is_generic(base: &Expr) -> bool {
    let name = match base {
        Expr::Name(name) => name.id.as_str(),
        Expr::Attribute(attribute) => attribute.attr.as_str(),
        _ => return false,
    };
    matches!(name, "Generic" | "Protocol")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_error_bases_are_those_that_the_source_writes() {
        let source = "class Late(net.Failure): pass\nclass Other(Base): pass\n\
            def f(self):\n    self.a = self.b, (self.c, x.d) = 1\n    self.e += 1\n    self.f: int\n    raise Late('x')\n";
        let written = Written::of(&SourceModel::parse(source).expect("it parses"));
        let texts = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(" ");
        assert_eq!(texts(&written.attributes), "a b c d");
        assert_eq!(texts(&written.error_bases), "Failure");
        let source = "class Box(t.Generic[K, Pair[V]], Base[W]):\n    class In(Protocol[T]): pass\n";
        let written = Written::of(&SourceModel::parse(source).expect("it parses"));
        assert_eq!(texts(&written.type_parameters), "K Pair T V");
    }
}

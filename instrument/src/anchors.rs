//! Where in the text a value is known to be asked for: right after a name, or after the opening parenthesis of a call,
//! next to the callee however long the arguments are.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ModModule};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use crate::{Error, Kind, nesting};

/// The anchors of a source's calls; those of names need no table.
#[derive(Debug, Default)]
pub struct Anchors {
    /// From the end of a call to the byte after its opening parenthesis.
    calls: FxHashMap<u32, u32>,
}

impl Anchors {
    /// Parses the source.
    ///
    /// # Errors
    /// [`Error::Syntax`].
    pub fn of(source: &str) -> Result<Self, Error> {
        nesting::parse(source, |module: &ModModule, _| {
            let mut anchors = Self::default();
            for statement in &module.body {
                anchors.visit_stmt(statement);
            }
            anchors
        })
    }

    /// The anchor of an expression that ends at `end`: the byte that follows the asked text.
    #[must_use]
    pub fn get(&self, kind: Kind, end: u32) -> Option<u32> {
        if kind == Kind::ReturnValue { self.calls.get(&end).copied() } else { Some(end) }
    }
}

impl Visitor<'_> for Anchors {
    fn visit_expr(&mut self, expression: &Expr) {
        if let Expr::Call(call) = expression {
            self.calls.insert(call.end().to_u32(), call.arguments.start().to_u32() + 1);
        }
        walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_asked_after_their_opening_parenthesis() {
        let source = "@deco(1)\ndef f(): return g(x, ')')(y)(\n  *z)\nt = f'{h(\"(\")!r}'\n";
        let anchors = Anchors::of(source).expect("it parses");
        let mut found: Vec<&str> = anchors.calls.values().map(|&at| &source[at as usize - 2..=at as usize]).collect();
        found.sort_unstable();
        assert_eq!(found, [")(\n", ")(y", "g(x", "h(\"", "o(1"]);
        assert_eq!(anchors.get(Kind::Attribute, 7), Some(7));
        assert_eq!(anchors.get(Kind::ReturnValue, 7), None);
        assert!(Anchors::of("def").is_err());
    }
}

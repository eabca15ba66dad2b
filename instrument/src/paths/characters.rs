//! Texts that code reads character by character: those that hold the characters which it looks for.

use std::ops::Range;

use ruff_python_ast::{self as ast, CmpOp, Expr, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

use super::literals::elements;
use super::wishes::{Hint, Wish};
use crate::semantic::bytes;

/// More characters are not put into one text.
const MOST: usize = 8;
/// A character that code does not look for.
const OTHER: char = 'a';

/// Names that have single characters, and what they are compared with.
#[derive(Default)]
pub(super) struct Characters<'a> {
    /// Names of the elements of something.
    elements: FxHashSet<&'a str>,
    /// Where each name is compared, and the characters, in the order of the text.
    compared: FxHashMap<&'a str, (Vec<Range<u32>>, Vec<char>)>,
}

impl<'a> Characters<'a> {
    /// Takes note of the names of elements: `for c in text`, `for i, c in enumerate(text)`, `c = text[i]`.
    pub(super) fn statement(&mut self, stmt: &'a Stmt) {
        let target = match stmt {
            Stmt::For(looped) => match &*looped.target {
                Expr::Tuple(ast::ExprTuple { elts, .. }) => elts.last(),
                target => Some(target),
            },
            Stmt::Assign(assign) => {
                let is_element = |value: &ast::ExprSubscript| !value.slice.is_slice_expr();
                assign.targets.first().filter(|_| assign.value.as_subscript_expr().is_some_and(is_element))
            }
            _ => None,
        };
        self.elements.extend(target.and_then(Expr::as_name_expr).map(|name| name.id.as_str()));
    }

    /// Takes note of what a name is compared with.
    pub(super) fn expression(&mut self, expression: &'a Expr) {
        let Expr::Compare(compare) = expression else { return };
        let ([op], [right], Some(name)) = (&*compare.ops, &*compare.comparators, compare.left.as_name_expr()) else {
            return;
        };
        let characters: Vec<char> = match op {
            CmpOp::Eq | CmpOp::NotEq => single(right).into_iter().collect(),
            CmpOp::In | CmpOp::NotIn => match (right, elements(right)) {
                (_, Some(elements)) => elements.iter().filter_map(single).collect(),
                (Expr::StringLiteral(text), None) => text.value.to_str().chars().collect(),
                _ => return,
            },
            _ => return,
        };
        let known = self.compared.entry(name.id.as_str()).or_default();
        known.0.push(bytes(&*compare.left));
        for character in characters {
            if known.1.len() < MOST && !known.1.contains(&character) {
                known.1.push(character);
            }
        }
    }

    /// Adds texts with all of these characters, in several orders, where several are looked for.
    pub(super) fn give(self, into: &mut Vec<Hint>) {
        let mut found: Vec<(Range<u32>, String)> = Vec::new();
        #[expect(clippy::iter_over_hash_type, reason = "the list is sorted")]
        for (name, (places, characters)) in self.compared {
            if characters.len() < 2 || !self.elements.contains(name) {
                continue;
            }
            for text in texts(&characters) {
                found.extend(places.iter().map(|place| (place.clone(), text.clone())));
            }
        }
        found.sort_by_key(|(place, _)| place.start);
        into.extend(found.into_iter().map(|(subject, text)| Hint { subject, wish: Wish::Text(text) }));
    }
}

/// The characters each twice, so that what opens is closed; then with others between, from either end.
fn texts(characters: &[char]) -> [String; 3] {
    let with_others = |characters: &mut dyn Iterator<Item = &char>| {
        let mut text: String = characters.flat_map(|character| [*character, OTHER]).collect();
        text.extend(text.chars().next());
        text
    };
    let twice = characters.iter().flat_map(|character| [*character, OTHER, *character]).collect();
    [twice, with_others(&mut characters.iter()), with_others(&mut characters.iter().rev())]
}

/// The character that a text consists of.
fn single(expression: &Expr) -> Option<char> {
    let mut characters = expression.as_string_literal_expr()?.value.to_str().chars();
    let first = characters.next()?;
    characters.next().is_none().then_some(first)
}

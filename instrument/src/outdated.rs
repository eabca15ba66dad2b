//! Lines, and parts of expressions, that are for other versions of Python than the one that runs them: behind conditions
//! on `sys.version_info`, and on what the module, or by convention another one, calls `PY2` and `PY3`.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{BoolOp, CmpOp, Expr, Number, Stmt, UnaryOp};
use ruff_text_size::Ranged;

use crate::cleanup::blocks;
use crate::extract::{Defined, imported, table};
use crate::semantic::{SourceModel, bytes};

/// Definitions that a condition is followed through: `PY2 = not PY3`.
const MOST_FOLLOWED: u32 = 4;

/// What a version of Python never runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outdated {
    /// Lines of statements; that of the condition itself is none of them.
    pub lines: BTreeSet<u32>,
    /// Parts of expressions: `b` in `b if PY2 else c`, and in `PY2 and b`.
    pub parts: Vec<Range<u32>>,
}

impl Outdated {
    /// What this version of Python never runs of a module.
    #[must_use]
    pub fn of(model: &SourceModel, python: (u8, u8)) -> Self {
        let found = model.with_tree(|tree| {
            let imports = imported(model).imports.into_iter().filter_map(|import| import.names).flatten().collect();
            let mut walk = Walk { model, python, defined: table(tree.suite()), imports, found: Self::default() };
            walk.suite(tree.suite());
            walk.visit_body(tree.suite());
            walk.found
        });
        found.unwrap_or_default()
    }
}

struct Walk<'a> {
    model: &'a SourceModel,
    python: (u8, u8),
    /// What the module defines.
    defined: BTreeMap<String, Defined<'a>>,
    /// Names that it imports.
    imports: BTreeSet<String>,
    found: Outdated,
}

/// What a version is compared with, or a part of it.
enum Version {
    /// The whole version, of which the first two numbers are known.
    Whole([i64; 2]),
    /// All numbers are known.
    Tuple(Vec<i64>),
    Number(i64),
}

impl Walk<'_> {
    fn suite(&mut self, suite: &[Stmt]) {
        for stmt in suite {
            if let Stmt::If(branch) = stmt {
                let first = (Some(&*branch.test), branch.body.as_slice());
                let others =
                    branch.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), clause.body.as_slice()));
                let mut is_decided = false;
                for (test, body) in std::iter::once(first).chain(others) {
                    let holds = test.map_or(Some(true), |test| self.truth(test, MOST_FOLLOWED));
                    if is_decided || holds == Some(false) {
                        self.leave_out(body);
                    }
                    is_decided |= holds == Some(true);
                }
            }
            for block in blocks(stmt) {
                self.suite(block);
            }
        }
    }

    fn leave_out(&mut self, body: &[Stmt]) {
        if let (Some(first), Some(last)) = (body.first(), body.last()) {
            let line = |offset: ruff_text_size::TextSize| self.model.lines().line(offset.to_u32());
            self.found.lines.extend(line(first.start())..=line(last.end()));
        }
    }

    /// What a condition comes to in this version, if that is certain.
    fn truth(&self, test: &Expr, left: u32) -> Option<bool> {
        match test {
            Expr::Name(name) => self.named(&name.id, left),
            Expr::Attribute(attribute) => conventional(&attribute.attr),
            Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => Some(!self.truth(&operation.operand, left)?),
            Expr::BoolOp(operation) => {
                let decides = operation.op == BoolOp::Or;
                let parts: Vec<Option<bool>> = operation.values.iter().map(|value| self.truth(value, left)).collect();
                if parts.contains(&Some(decides)) {
                    return Some(decides);
                }
                parts.iter().all(Option::is_some).then_some(!decides)
            }
            Expr::Compare(compare) => {
                let ([operator], [right]) = (&*compare.ops, &*compare.comparators) else { return None };
                let order = self.version(&compare.left)?.order(&self.version(right)?)?;
                match operator {
                    CmpOp::Lt => Some(order.is_lt()),
                    CmpOp::LtE => Some(order.is_le()),
                    CmpOp::Gt => Some(order.is_gt()),
                    CmpOp::GtE => Some(order.is_ge()),
                    CmpOp::Eq => Some(order.is_eq()),
                    CmpOp::NotEq => Some(order.is_ne()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// What a name of the module is, if it is defined once, or by convention.
    fn named(&self, name: &str, left: u32) -> Option<bool> {
        match self.defined.get(name) {
            Some(Defined { stmt: Some(Stmt::Assign(assign)), repeated: false }) if left > 0 => {
                self.truth(&assign.value, left - 1)
            }
            Some(_) => None,
            None => conventional(name)
                .filter(|_| self.imports.contains(name) || !self.model.bound_globals().any(|bound| bound == name)),
        }
    }

    fn version(&self, value: &Expr) -> Option<Version> {
        let python = [i64::from(self.python.0), i64::from(self.python.1)];
        match value {
            Expr::Attribute(attribute) => match attribute.attr.as_str() {
                "version_info" if is_sys(&attribute.value) => Some(Version::Whole(python)),
                part @ ("major" | "minor") => {
                    let Version::Whole(numbers) = self.version(&attribute.value)? else { return None };
                    Some(Version::Number(numbers[usize::from(part == "minor")]))
                }
                _ => None,
            },
            Expr::Subscript(subscript) => {
                let Version::Whole(numbers) = self.version(&subscript.value)? else { return None };
                match &*subscript.slice {
                    Expr::Slice(slice) if slice.lower.is_none() && slice.step.is_none() => {
                        let count = usize::try_from(number(slice.upper.as_deref()?)?).ok()?;
                        Some(Version::Tuple(numbers.get(..count)?.to_vec()))
                    }
                    at => Some(Version::Number(*numbers.get(usize::try_from(number(at)?).ok()?)?)),
                }
            }
            Expr::Tuple(tuple) => Some(Version::Tuple(tuple.elts.iter().map(number).collect::<Option<_>>()?)),
            value => number(value).map(Version::Number),
        }
    }
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::If(choice) => match self.truth(&choice.test, MOST_FOLLOWED) {
                Some(true) => self.found.parts.push(bytes(&*choice.orelse)),
                Some(false) => self.found.parts.push(bytes(&*choice.body)),
                None => {}
            },
            Expr::BoolOp(operation) => {
                let decides = Some(operation.op == BoolOp::Or);
                let first = operation.values.iter().position(|value| self.truth(value, MOST_FOLLOWED) == decides);
                let outdated = first.map_or(&[][..], |at| &operation.values[at + 1..]);
                self.found.parts.extend(outdated.iter().map(bytes));
            }
            _ => {}
        }
        walk_expr(self, expr);
    }
}

impl Version {
    /// How this one compares with another, if that is certain.
    fn order(&self, other: &Self) -> Option<Ordering> {
        match (self, other) {
            (Self::Whole(known), Self::Tuple(numbers)) => {
                let common = known.len().min(numbers.len());
                match known[..common].cmp(&numbers[..common]) {
                    // It is longer than any prefix of it; of what follows nothing is known.
                    Ordering::Equal => (numbers.len() <= common).then_some(Ordering::Greater),
                    order => Some(order),
                }
            }
            (Self::Tuple(_), Self::Whole(_)) => Some(other.order(self)?.reverse()),
            (Self::Tuple(numbers), Self::Tuple(others)) => Some(numbers.cmp(others)),
            (Self::Number(number), Self::Number(other)) => Some(number.cmp(other)),
            _ => None,
        }
    }
}

fn is_sys(value: &Expr) -> bool {
    value.as_name_expr().is_some_and(|name| name.id == "sys")
}

fn number(value: &Expr) -> Option<i64> {
    let Expr::NumberLiteral(literal) = value else { return None };
    let Number::Int(number) = &literal.value else { return None };
    number.as_i64()
}

/// What flags of this name are wherever they are defined (`six.PY2`).
fn conventional(name: &str) -> Option<bool> {
    match name {
        "PY2" => Some(false),
        "PY3" => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<u32> {
        let model = SourceModel::parse(text).expect("it parses");
        Outdated::of(&model, (3, 11)).lines.into_iter().collect()
    }

    #[test]
    fn versions_are_compared_as_python_compares_them() {
        for (condition, is_outdated) in [
            ("sys.version_info < (3,)", true),
            ("sys.version_info[0] == 2", true),
            ("sys.version_info.major < 3", true),
            ("sys.version_info[:2] < (3, 11)", true),
            ("not sys.version_info >= (3, 9)", true),
            ("(3, 12) <= sys.version_info", true),
            ("sys.version_info < (3, 8) or six.PY2", true),
            ("PY2 and x", true),
            ("sys.version_info >= (3, 11)", false),
            ("sys.version_info <= (3, 11, 4)", false),
            ("sys.version_info == (3, 11)", true),
            ("sys.version_info < (3, x)", false),
            ("sys.platform == 'win32'", false),
            ("x < (3,)", false),
            ("PY2 or x", false),
        ] {
            let found = lines(&format!("if {condition}:\n    a()\n"));
            assert_eq!(found, if is_outdated { vec![2] } else { vec![] }, "{condition}");
        }
    }

    #[test]
    fn parts_are_outdated_that_a_version_does_not_evaluate() {
        let text = "x = (a if PY2 else b, not PY3 and c(d), e or PY3 or g, PY3 and h, i if j else k)\n";
        let model = SourceModel::parse(text).expect("it parses");
        let found = Outdated::of(&model, (3, 11)).parts;
        let texts: Vec<&str> = found.iter().map(|part| &text[part.start as usize..part.end as usize]).collect();
        assert_eq!(texts, ["a", "c(d)", "g"]);
    }

    #[test]
    fn branches_after_one_that_holds_are_outdated() {
        let text = "\
PY3 = sys.version_info >= (3,)
def f():
    if PY3:
        a()
    elif b:
        c(
        )
    else:
        d()
    if not PY3:
        e()
        if g:
            h()
";
        assert_eq!(lines(text), [6, 7, 9, 11, 12, 13]);
        assert_eq!(lines("PY2 = x()\nif PY2:\n    a()\n"), [] as [u32; 0], "it is what the module says");
        assert_eq!(lines("for PY2 in x:\n    pass\nif PY2:\n    a()\n"), [] as [u32; 0]);
        assert_eq!(lines("from .compat import PY2\nif PY2:\n    a()\n"), [3]);
    }
}

//! What functions read of their `*args` and `**kwargs`: without asking whether it is there, so that callers have to give
//! it, and what they may be given besides. The same for keys of parameters that are mappings.

use std::collections::{BTreeMap, BTreeSet};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, CmpOp, Expr, Number, Stmt, StmtFunctionDef, UnaryOp};

use super::find_all;
use crate::semantic::SourceModel;

/// What the callers of a function give it beside its named parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variadic {
    /// Qualified name of the function.
    pub function: String,
    /// What they have to give.
    pub needed: Given,
    /// What they may give.
    pub possible: Given,
}

/// Values of `*args`, and of `**kwargs`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// Number of values for `*args`.
    pub values: u32,
    /// Keys of `**kwargs`, in the order in which the text reads them first.
    pub keys: Vec<String>,
}

/// More values, and more keys, are not given.
const MOST: usize = 16;

/// The functions that read something of `*args` or `**kwargs` which nobody but their callers can have put there.
#[must_use]
pub fn variadic(model: &SourceModel) -> Vec<Variadic> {
    // Without memory for a stack there are none.
    let find = |suite: &[Stmt]| find_all(suite).iter().filter_map(|found| of(&found.qualname, found.def)).collect();
    model.with_tree(|tree| find(tree.suite())).unwrap_or_default()
}

/// By the names of parameters, the keys that functions read of them without asking whether they are there.
#[must_use]
pub fn keys_of_parameters(model: &SourceModel) -> BTreeMap<String, Vec<String>> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let _ = model.with_tree(|tree| {
        for def in find_all(tree.suite()).into_iter().map(|found| found.def) {
            for parameter in def.parameters.iter_non_variadic_params() {
                let name = parameter.parameter.name.to_string();
                let mut reads = Reads { keys: Some(name.clone()), ..Reads::default() };
                reads.visit_body(&def.body);
                let needed = reads.needed();
                if !needed.is_empty() {
                    found.entry(name).or_default().extend(needed);
                }
            }
        }
    });
    for keys in found.values_mut() {
        let mut seen = BTreeSet::new();
        keys.retain(|key| seen.insert(key.clone()));
        keys.truncate(MOST);
    }
    found
}

fn of(qualname: &str, def: &StmtFunctionDef) -> Option<Variadic> {
    let name = |parameter: &'_ Option<Box<ast::Parameter>>| parameter.as_ref().map(|one| one.name.to_string());
    let (values, keys) = (name(&def.parameters.vararg), name(&def.parameters.kwarg));
    if values.is_none() && keys.is_none() {
        return None;
    }
    let mut reads = Reads { values, keys, ..Reads::default() };
    reads.visit_body(&def.body);
    let named = |key: &str| def.parameters.iter_non_variadic_params().any(|one| one.parameter.name.as_str() == key);
    let (mut needed, mut possible) = (Given::default(), Given::default());
    for (key, reading) in std::mem::take(&mut reads.read) {
        let keys = if reads.is_needed(&key, reading) { &mut needed.keys } else { &mut possible.keys };
        if !named(&key) && !keys.contains(&key) && keys.len() < MOST {
            keys.push(key);
        }
    }
    let values = reads.guarded.max(if reads.asks_for_values { 0 } else { reads.least });
    needed.values = values.min(MOST) as u32;
    possible.values = reads.least.max(reads.guarded).min(MOST) as u32;
    let found = Variadic { function: qualname.to_owned(), needed, possible };
    (found.possible.values > 0 || !(found.needed.keys.is_empty() && found.possible.keys.is_empty())).then_some(found)
}

/// How a key is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Reading {
    /// `kwargs["key"]`
    Bare,
    /// `kwargs.pop("key")`
    Taken,
    /// `"key" in kwargs`, `kwargs.get("key")`, `kwargs["key"]` where a handler catches that it is missing.
    Asked,
}

/// The walk over the body of one function, without those inside it.
#[derive(Default)]
struct Reads {
    /// The name of `*args`.
    values: Option<String>,
    /// The name of `**kwargs`.
    keys: Option<String>,
    /// Keys that are read.
    read: Vec<(String, Reading)>,
    /// Keys that the function does not rely on, or puts there itself.
    optional: BTreeSet<String>,
    /// Values that are read, by the largest place.
    least: usize,
    /// Values without which the function raises.
    guarded: usize,
    asks_for_values: bool,
    asks_for_keys: bool,
    /// Statements of `try` whose handlers catch that a key is missing.
    attempts: usize,
}

impl Reads {
    /// True for a key that is read so, and that nobody but a caller can have put there.
    fn is_needed(&self, key: &str, reading: Reading) -> bool {
        match reading {
            Reading::Bare => !self.asks_for_keys && !self.optional.contains(key),
            // What is taken out is not there when the rest is looked at.
            Reading::Taken => !self.optional.contains(key),
            Reading::Asked => false,
        }
    }

    /// The keys without which the function raises.
    fn needed(&self) -> Vec<String> {
        let needed = self.read.iter().filter(|(key, reading)| self.is_needed(key, *reading));
        needed.map(|(key, _)| key.clone()).collect()
    }

    fn is_values(&self, expr: &Expr) -> bool {
        is_name(expr, self.values.as_deref())
    }

    fn is_keys(&self, expr: &Expr) -> bool {
        is_name(expr, self.keys.as_deref())
    }

    /// The number of values that a test asks for, if it asks for one: with `truth` where it is to hold.
    fn count(&self, test: &Expr, truth: bool) -> Option<usize> {
        match test {
            Expr::UnaryOp(not) if not.op == UnaryOp::Not => self.count(&not.operand, !truth),
            Expr::Compare(compare) => {
                let ([op], [number]) = (&*compare.ops, &*compare.comparators) else { return None };
                let is_length = compare.left.as_call_expr().is_some_and(|call| {
                    is_name(&call.func, Some("len"))
                        && call.arguments.args.first().is_some_and(|one| self.is_values(one))
                });
                let number = integer(number).filter(|_| is_length)?;
                match (op, truth) {
                    (CmpOp::Eq | CmpOp::GtE, true) | (CmpOp::NotEq | CmpOp::Lt, false) => Some(number),
                    (CmpOp::Gt, true) | (CmpOp::LtE, false) => Some(number + 1),
                    _ => None,
                }
            }
            test if truth && self.is_values(test) => Some(1),
            _ => None,
        }
    }

    fn guard(&mut self, test: &Expr, truth: bool) {
        self.guarded = self.guarded.max(self.count(test, truth).unwrap_or(0));
    }

    /// What a condition asks is there or not.
    fn ask(&mut self, test: &Expr) {
        self.asks_for_values |= self.is_values(test);
        self.asks_for_keys |= self.is_keys(test);
    }

    fn call(&mut self, call: &ast::ExprCall) {
        let arguments = &*call.arguments.args;
        if let (true, Some(measured)) = (is_name(&call.func, Some("len")), arguments.first()) {
            self.ask(measured);
        }
        let Expr::Attribute(method) = &*call.func else { return };
        let Some(key) = arguments.first().and_then(text).filter(|_| self.is_keys(&method.value)) else { return };
        match method.attr.as_str() {
            "pop" if arguments.len() == 1 && self.attempts == 0 => self.read.push((key, Reading::Taken)),
            "get" | "setdefault" | "pop" => self.ask_for(key),
            _ => {}
        }
    }

    fn ask_for(&mut self, key: String) {
        self.optional.insert(key.clone());
        self.read.push((key, Reading::Asked));
    }

    fn subscript(&mut self, subscript: &ast::ExprSubscript) {
        if self.is_values(&subscript.value)
            && let Some(least) = least_with(&subscript.slice)
        {
            self.least = self.least.max(least);
        }
        let Some(key) = text(&subscript.slice).filter(|_| self.is_keys(&subscript.value)) else { return };
        if subscript.ctx.is_store() {
            // Unless it was read before.
            if !self.read.iter().any(|(read, _)| *read == key) {
                self.optional.insert(key);
            }
        } else if self.attempts > 0 {
            self.ask_for(key);
        } else {
            self.read.push((key, Reading::Bare));
        }
    }
}

impl<'a> Visitor<'a> for Reads {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            Stmt::If(choice) => {
                if matches!(choice.body.last(), Some(Stmt::Raise(_))) {
                    self.guard(&choice.test, false);
                }
                self.ask(&choice.test);
            }
            Stmt::While(looped) => self.ask(&looped.test),
            Stmt::Assert(assert) => {
                self.guard(&assert.test, true);
                self.ask(&assert.test);
            }
            Stmt::Assign(assign) => {
                // What is assigned is read before.
                self.visit_expr(&assign.value);
                if let [Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. })] =
                    assign.targets.as_slice()
                    && self.is_values(&assign.value)
                {
                    let plain = elts.iter().filter(|one| !one.is_starred_expr()).count();
                    self.least = self.least.max(plain);
                }
                assign.targets.iter().for_each(|target| self.visit_expr(target));
                return;
            }
            Stmt::AugAssign(assign) => {
                if let Expr::Subscript(subscript) = &*assign.target {
                    let read = ast::ExprSubscript { ctx: ast::ExprContext::Load, ..subscript.clone() };
                    self.subscript(&read);
                }
            }
            Stmt::Try(attempt) => {
                let caught = attempt.handlers.iter().any(|handler| {
                    let ast::ExceptHandler::ExceptHandler(handler) = handler;
                    handler.type_.as_deref().is_none_or(catches)
                });
                self.attempts += usize::from(caught);
                self.visit_body(&attempt.body);
                self.attempts -= usize::from(caught);
                for handler in &attempt.handlers {
                    self.visit_except_handler(handler);
                }
                self.visit_body(&attempt.orelse);
                self.visit_body(&attempt.finalbody);
                return;
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_elif_else_clause(&mut self, clause: &'a ast::ElifElseClause) {
        if let Some(test) = &clause.test {
            self.ask(test);
        }
        visitor::walk_elif_else_clause(self, clause);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lambda(_) => return,
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) => self.subscript(subscript),
            Expr::UnaryOp(not) if not.op == UnaryOp::Not => self.ask(&not.operand),
            Expr::BoolOp(several) => several.values.iter().for_each(|one| self.ask(one)),
            Expr::If(choice) => self.ask(&choice.test),
            Expr::Compare(compare) => {
                let is_membership = compare.ops.iter().any(|op| matches!(op, CmpOp::In | CmpOp::NotIn));
                // The number that a length is compared with is one that it may have.
                let lengths = [true, false].into_iter().filter_map(|truth| self.count(expr, truth));
                self.least = lengths.fold(self.least, usize::max);
                if let (true, Some(key)) = (is_membership, text(&compare.left))
                    && compare.comparators.iter().any(|one| self.is_keys(one))
                {
                    self.ask_for(key);
                }
            }
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

/// True for the classes of a handler that catches a missing key.
fn catches(kinds: &Expr) -> bool {
    match kinds {
        Expr::Name(name) => matches!(name.id.as_str(), "KeyError" | "LookupError" | "Exception" | "BaseException"),
        Expr::Tuple(tuple) => tuple.elts.iter().any(catches),
        _ => false,
    }
}

fn is_name(expr: &Expr, name: Option<&str>) -> bool {
    expr.as_name_expr().is_some_and(|found| Some(found.id.as_str()) == name)
}

fn text(expr: &Expr) -> Option<String> {
    expr.as_string_literal_expr().map(|text| text.value.to_str().to_owned())
}

/// How many values there are at least where one is read at a place: 3 for `[2]`, 2 for `[-2]`.
fn least_with(place: &Expr) -> Option<usize> {
    match place {
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::USub, operand, .. }) => integer(operand),
        place => integer(place).map(|place| place + 1),
    }
}

fn integer(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: Number::Int(number), .. }) => number.as_usize(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<Variadic> {
        variadic(&SourceModel::parse(text).expect("it parses"))
    }

    fn of_body(body: &str) -> (u32, Vec<String>) {
        let found = found(&format!("class A:\n    def f(self, named, *args, **kw):\n        {body}\n"));
        found.into_iter().next().map_or((0, Vec::new()), |found| (found.needed.values, found.needed.keys))
    }

    #[test]
    fn keys_that_are_read_have_to_be_given() {
        let all = "x = kw['a'] + kw.pop('b')\n        kw['c'] += f\"{kw['d']}\"\n        kw['named']";
        assert_eq!(of_body(all), (0, ["a", "b", "c", "d"].map(str::to_owned).to_vec()));
        for optional in [
            "kw['a'] = 1; kw['a']",
            "if 'a' in kw: kw['a']",
            "kw.setdefault('a', 1); kw['a']",
            "kw.pop('a', None)",
            "if kw: kw['a']",
            "return kw and kw['a']",
            "return lambda: kw['a']",
            "other['a']",
            "\n        try: kw['a']\n        except (KeyError, TypeError): pass",
        ] {
            assert_eq!(of_body(optional), (0, Vec::new()), "{optional}");
        }
        assert_eq!(of_body("x = kw.pop('a')\n        if kw: raise TypeError").1, ["a"]);
        assert_eq!(of_body("kw['a'] = kw['a'] or 1").1, ["a"]);
    }

    #[test]
    fn mappings_have_the_keys_that_are_read_of_them() {
        let text = "def f(scope, other):\n    if scope['type'] == 'a' and 'path' in scope: return scope['path'], other.get('b')\n\
                    def g(scope):\n    return scope['type'], scope['method']\n";
        let found = keys_of_parameters(&SourceModel::parse(text).expect("it parses"));
        assert_eq!(found, BTreeMap::from([("scope".to_owned(), vec!["type".to_owned(), "method".to_owned()])]));
    }

    #[test]
    fn values_that_are_read_have_to_be_given() {
        assert_eq!(of_body("return args[1], args[0]").0, 2);
        assert_eq!(of_body("a, b, *c = args").0, 2);
        assert_eq!(of_body("if args: return args[0]").0, 0);
        assert_eq!(of_body("if len(args) == 1: return args[0]").0, 0);
        assert_eq!(of_body("if len(args) != 2: raise TypeError\n        return args[1]").0, 2);
        assert_eq!(of_body("if not args: raise TypeError").0, 1);
        assert_eq!(of_body("assert len(args) > 2").0, 3);
        assert_eq!(of_body("return args[-2], args[n]").0, 2);
        assert!(found("def f(a):\n    return a['x']\n").is_empty());
    }

    #[test]
    fn what_is_asked_for_may_be_given() {
        let text = "def f(*args, **kw):\n    if len(args) == 3 or 'a' in kw or kw.get('b'):\n        kw['c'] = 1\n        return kw['d']\n";
        let [one] = &found(text)[..] else { panic!("one function") };
        let keys = |keys: &[&str]| keys.iter().map(|&key| key.to_owned()).collect::<Vec<_>>();
        assert_eq!(one.needed, Given { values: 0, keys: keys(&["d"]) });
        assert_eq!(one.possible, Given { values: 3, keys: keys(&["a", "b"]) });
    }
}

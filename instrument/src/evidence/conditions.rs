//! What a source says of its conditions: features, from which a model learns which way real calls go.

use std::fmt::Write as _;
use std::ops::Range;

use ruff_python_ast::{self as ast, Expr, Stmt, UnaryOp};
use rustc_hash::FxHashMap;

use crate::semantic::{SourceModel, bytes};

/// A condition of an `if` or `while`, or the iteration of a `for`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// Byte range of the test, or of what the loop goes over.
    pub decides: Range<u32>,
    /// What the source says of it, in words that are the same for equal findings.
    pub features: Vec<String>,
}

/// Words are no longer than this, in bytes, beside what stands before them.
const LONGEST: usize = 60;
/// Depth to which expressions are described.
const DEEPEST: u32 = 4;

/// All conditions of a source, in the order of the text. Without memory for a stack there are none.
#[must_use]
pub fn conditions(model: &SourceModel) -> Vec<Condition> {
    let find = |suite: &[Stmt]| {
        let mut walk = Walk::default();
        walk.suite(suite, "module");
        walk.found.sort_by_key(|condition| condition.decides.start);
        walk.found
    };
    model.with_tree(|tree| find(tree.suite())).unwrap_or_default()
}

/// How the names of a function come by their values: by their last assignment before, in the order of the text.
#[derive(Default)]
struct Scope<'a> {
    name: &'a str,
    origins: FxHashMap<&'a str, String>,
    /// Conditions so far.
    count: usize,
}

#[derive(Default)]
struct Walk<'a> {
    scopes: Vec<Scope<'a>>,
    loops: u32,
    tries: u32,
    found: Vec<Condition>,
}

impl<'a> Walk<'a> {
    fn suite(&mut self, suite: &'a [Stmt], place: &str) {
        for (number, stmt) in suite.iter().enumerate() {
            let last = number + 1 == suite.len();
            self.statement(stmt, &format!("{place}{}{}", number.min(2), if last { "last" } else { "" }));
        }
    }

    fn statement(&mut self, stmt: &'a Stmt, place: &str) {
        match stmt {
            Stmt::FunctionDef(def) => {
                let scope = Scope { name: def.name.as_str(), origins: parameters(&def.parameters), count: 0 };
                self.scopes.push(scope);
                let (loops, tries) = (std::mem::take(&mut self.loops), std::mem::take(&mut self.tries));
                self.suite(&def.body, "function");
                (self.loops, self.tries) = (loops, tries);
                self.scopes.pop();
            }
            Stmt::ClassDef(def) => self.suite(&def.body, "class"),
            Stmt::If(choice) => {
                let clauses = &choice.elif_else_clauses;
                let other = clauses.first().map(|clause| clause.body.as_slice());
                self.condition(("if", &choice.test), &choice.body, other, place);
                self.suite(&choice.body, "if");
                for (number, clause) in clauses.iter().enumerate() {
                    if let Some(test) = &clause.test {
                        let other = clauses.get(number + 1).map(|clause| clause.body.as_slice());
                        self.condition(("elif", test), &clause.body, other, place);
                    }
                    self.suite(&clause.body, "else");
                }
            }
            Stmt::While(looped) => {
                self.condition(("while", &looped.test), &looped.body, None, place);
                self.looped(&looped.body);
                self.suite(&looped.orelse, "else");
            }
            Stmt::For(looped) => {
                self.condition(("for", &looped.iter), &looped.body, None, place);
                self.assign(&looped.target, &format!("loop:{}", last_name(&looped.iter)));
                self.looped(&looped.body);
                self.suite(&looped.orelse, "else");
            }
            Stmt::Try(attempt) => {
                self.tries += 1;
                self.suite(&attempt.body, "try");
                self.tries -= 1;
                for handler in &attempt.handlers {
                    let ast::ExceptHandler::ExceptHandler(handler) = handler;
                    self.suite(&handler.body, "except");
                }
                self.suite(&attempt.orelse, "else");
                self.suite(&attempt.finalbody, "finally");
            }
            Stmt::With(with) => {
                for item in &with.items {
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, &format!("with:{}", last_name(&item.context_expr)));
                    }
                }
                self.suite(&with.body, "with");
            }
            Stmt::Match(choice) => {
                for case in &choice.cases {
                    self.suite(&case.body, "case");
                }
            }
            Stmt::Assign(assign) => {
                let made = made_by(&assign.value);
                assign.targets.iter().for_each(|target| self.assign(target, &made));
            }
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => {
                self.assign(target, &made_by(value));
            }
            _ => {}
        }
    }

    fn looped(&mut self, body: &'a [Stmt]) {
        self.loops += 1;
        self.suite(body, "loop");
        self.loops -= 1;
    }

    fn assign(&mut self, target: &'a Expr, made: &str) {
        let Some(scope) = self.scopes.last_mut() else { return };
        match target {
            Expr::Name(name) => {
                scope.origins.insert(name.id.as_str(), made.to_owned());
            }
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let part = format!("part of {made}");
                for element in elts {
                    self.assign(element, &part);
                }
            }
            _ => {}
        }
    }

    fn condition(&mut self, (kind, test): (&str, &'a Expr), body: &'a [Stmt], other: Option<&'a [Stmt]>, place: &str) {
        let mut words = Words { found: Vec::with_capacity(48) };
        let shape = shape(test, DEEPEST);
        let (first, end) = (begins(body), ends(body));
        let other = other.map_or_else(|| "none".to_owned(), ends);
        let function = self.scopes.last().map_or("", |scope| scope.name);
        let before = self.scopes.last_mut().map_or(0, |scope| {
            scope.count += 1;
            scope.count - 1
        });
        words.add(&["kind", kind]);
        words.add(&["shape", kind, &shape]);
        words.add(&["text", kind, &spelled(test)]);
        words.add(&["end", kind, &end]);
        words.add(&["first", kind, &first]);
        words.add(&["other", kind, &end, &other]);
        words.add(&["shape end", &shape, &end]);
        words.add(&["place", kind, place, &end]);
        words.add(&["size", kind, &body.len().min(4).to_string()]);
        words.add(&["inside", kind, &self.loops.min(2).to_string(), &self.tries.min(1).to_string()]);
        words.add(&["before", kind, &before.min(4).to_string(), &end]);
        words.add(&["function", kind, function]);
        words.add(&["function shape", function, &shape]);
        let mut atoms = Vec::new();
        atoms_of(test, true, &mut atoms);
        words.add(&["atoms", kind, &atoms.len().min(4).to_string()]);
        for (number, (atom, truth)) in atoms.into_iter().enumerate() {
            self.atom(&mut words, atom, (truth, if number == 0 { kind } else { "more" }), &end);
        }
        self.found.push(Condition { decides: bytes(test), features: words.found });
    }

    /// What is asked of one value, and where that comes from.
    fn atom(&self, words: &mut Words, atom: &Expr, (truth, kind): (bool, &str), end: &str) {
        let (question, subject, operand) = asked(atom);
        let question = format!("{}{question}", if truth { "" } else { "not " });
        let name = last_name(subject);
        let origin = self.origin(subject);
        let function = self.scopes.last().map_or("", |scope| scope.name);
        words.add(&["asked", kind, &question]);
        words.add(&["asked end", &question, end]);
        words.add(&["name", &question, &name]);
        words.add(&["name only", &name, if truth { "" } else { "not" }]);
        words.add(&["operand", &question, &operand]);
        words.add(&["both", &question, &name, &operand]);
        words.add(&["origin", &question, &origin]);
        words.add(&["origin operand", &question, &origin, &operand]);
        words.add(&["origin name", &question, &origin, &name]);
        words.add(&["asked in", &question, subtokens(function).first().map_or("", String::as_str)]);
        for part in subtokens(&name) {
            words.add(&["part", &question, &part]);
            words.add(&["part end", &part, end, if truth { "" } else { "not" }]);
        }
    }

    /// Where the value of an expression comes from.
    fn origin(&self, subject: &Expr) -> String {
        match subject {
            Expr::Name(name) => {
                let known = self.scopes.last().and_then(|scope| scope.origins.get(name.id.as_str()));
                known.cloned().unwrap_or_else(|| {
                    let outer = self.scopes.iter().rev().skip(1).any(|scope| scope.origins.contains_key(&*name.id));
                    if outer { "outer" } else { "global" }.to_owned()
                })
            }
            Expr::Attribute(attribute) => match &*attribute.value {
                Expr::Name(name) if name.id == "self" => "self.".to_owned(),
                value => format!("attribute of {}", self.origin(value)),
            },
            Expr::Subscript(subscript) => format!("item of {}", self.origin(&subscript.value)),
            other => made_by(other),
        }
    }
}

/// Findings as words.
struct Words {
    found: Vec<String>,
}

impl Words {
    fn add(&mut self, parts: &[&str]) {
        self.found.push(parts.join("|"));
    }
}

fn parameters(parameters: &ast::Parameters) -> FxHashMap<&str, String> {
    let mut origins = FxHashMap::default();
    for (number, parameter) in parameters.iter_non_variadic_params().enumerate() {
        let mut origin = "parameter".to_owned();
        if let Some(default) = &parameter.default {
            let _ = write!(origin, "={}", shape(default, 1));
        } else if number == 0 {
            origin.push('0');
        }
        if let Some(annotation) = &parameter.parameter.annotation {
            let _ = write!(origin, ":{}", spelled(annotation));
        }
        origins.insert(parameter.parameter.name.as_str(), origin);
    }
    for (starred, origin) in [(&parameters.vararg, "*"), (&parameters.kwarg, "**")] {
        origins.extend(starred.as_ref().map(|parameter| (parameter.name.as_str(), origin.to_owned())));
    }
    origins
}

/// The parts of a condition that `and`, `or` and `not` join, with the truth under which they make it true.
fn atoms_of<'a>(test: &'a Expr, truth: bool, into: &mut Vec<(&'a Expr, bool)>) {
    match test {
        Expr::UnaryOp(ast::ExprUnaryOp { op: UnaryOp::Not, operand, .. }) => atoms_of(operand, !truth, into),
        Expr::BoolOp(several) => several.values.iter().for_each(|one| atoms_of(one, truth, into)),
        _ => into.push((test, truth)),
    }
}

/// (what is asked, of which value, with which operand).
fn asked(atom: &Expr) -> (String, &Expr, String) {
    match atom {
        Expr::Compare(compare) => {
            let operators: Vec<&str> = compare.ops.iter().map(ast::CmpOp::as_str).collect();
            let operands: Vec<String> = compare.comparators.iter().map(shape_or_name).collect();
            (operators.join(" "), &compare.left, operands.join(" "))
        }
        Expr::Call(call) => {
            let operands = |from: usize| {
                let rest = call.arguments.args.iter().skip(from).map(shape_or_name);
                rest.collect::<Vec<String>>().join(" ")
            };
            match (&*call.func, call.arguments.args.first()) {
                (Expr::Name(name), Some(first)) => (format!("{}()", name.id), first, operands(1)),
                (Expr::Attribute(method), _) => (format!(".{}()", method.attr), &method.value, operands(0)),
                _ => ("()".to_owned(), atom, operands(0)),
            }
        }
        _ => ("truth".to_owned(), atom, String::new()),
    }
}

/// The last name of an expression.
fn last_name(expression: &Expr) -> String {
    match expression {
        Expr::Name(name) => name.id.to_string(),
        Expr::Attribute(attribute) => attribute.attr.to_string(),
        Expr::Call(call) => format!("{}()", last_name(&call.func)),
        Expr::Subscript(subscript) => format!("{}[]", last_name(&subscript.value)),
        Expr::Await(awaited) => last_name(&awaited.value),
        other => shape(other, 1),
    }
}

/// What makes a value that is assigned.
fn made_by(value: &Expr) -> String {
    match value {
        Expr::Call(_) | Expr::Await(_) | Expr::Subscript(_) => last_name(value),
        Expr::Name(_) => "name".to_owned(),
        Expr::Attribute(attribute) => format!(".{}", attribute.attr),
        other => shape(other, 1),
    }
}

fn shape_or_name(expression: &Expr) -> String {
    match expression {
        Expr::Name(_) | Expr::Attribute(_) => last_name(expression),
        other => shape(other, 2),
    }
}

/// The form of an expression, without the names of variables.
fn shape(expression: &Expr, depth: u32) -> String {
    let Some(depth) = depth.checked_sub(1) else { return "_".to_owned() };
    let several = |all: &[Expr]| all.iter().map(|one| shape(one, depth)).collect::<Vec<String>>().join(",");
    let mut found = match expression {
        Expr::Name(_) => "name".to_owned(),
        Expr::Attribute(attribute) => match &*attribute.value {
            Expr::Name(name) if name.id == "self" => "self.attribute".to_owned(),
            _ => "attribute".to_owned(),
        },
        Expr::Call(call) => format!("{}({})", last_name(&call.func), several(&call.arguments.args)),
        Expr::Subscript(subscript) => format!("{}[{}]", shape(&subscript.value, depth), shape(&subscript.slice, depth)),
        Expr::UnaryOp(unary) => format!("{} {}", unary.op.as_str(), shape(&unary.operand, depth)),
        Expr::BoolOp(several) => {
            let values: Vec<String> = several.values.iter().map(|one| shape(one, depth)).collect();
            values.join(if several.op == ast::BoolOp::And { " and " } else { " or " })
        }
        Expr::BinOp(binary) => {
            format!("{}{}{}", shape(&binary.left, depth), binary.op.as_str(), shape(&binary.right, depth))
        }
        Expr::Compare(compare) => {
            let mut found = shape(&compare.left, depth);
            for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                let _ = write!(found, " {} {}", op.as_str(), shape(right, depth));
            }
            found
        }
        Expr::StringLiteral(text) if text.value.is_empty() => "''".to_owned(),
        Expr::StringLiteral(text) => format!("'{}'", text.value.to_str()),
        Expr::NumberLiteral(ast::ExprNumberLiteral { value: ast::Number::Int(number), .. }) => number.to_string(),
        Expr::NoneLiteral(_) => "None".to_owned(),
        Expr::BooleanLiteral(truth) => truth.value.to_string(),
        Expr::Tuple(tuple) => format!("({})", several(&tuple.elts)),
        Expr::List(list) => format!("[{}]", several(&list.elts)),
        Expr::Dict(dict) => if dict.items.is_empty() { "{}" } else { "{...}" }.to_owned(),
        _ => "other".to_owned(),
    };
    shorten(&mut found);
    found
}

/// The text of names, attributes and calls.
fn spelled(expression: &Expr) -> String {
    let mut found = match expression {
        Expr::Name(name) => name.id.to_string(),
        Expr::Attribute(attribute) => format!("{}.{}", spelled(&attribute.value), attribute.attr),
        Expr::UnaryOp(unary) => format!("{} {}", unary.op.as_str(), spelled(&unary.operand)),
        Expr::Subscript(subscript) => format!("{}[]", spelled(&subscript.value)),
        Expr::Compare(compare) => {
            let mut found = spelled(&compare.left);
            for (op, right) in compare.ops.iter().zip(&compare.comparators) {
                let _ = write!(found, " {} {}", op.as_str(), spelled(right));
            }
            found
        }
        Expr::Call(call) => {
            let arguments: Vec<String> = call.arguments.args.iter().map(spelled).collect();
            format!("{}({})", spelled(&call.func), arguments.join(","))
        }
        other => shape(other, 2),
    };
    shorten(&mut found);
    found
}

fn shorten(text: &mut String) {
    if text.len() > LONGEST {
        let end = (0..=LONGEST).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
        text.truncate(end);
    }
}

/// What a block begins with.
fn begins(body: &[Stmt]) -> String {
    body.first().map_or_else(String::new, described)
}

/// What a block ends with.
fn ends(body: &[Stmt]) -> String {
    body.last().map_or_else(String::new, described)
}

fn described(stmt: &Stmt) -> String {
    match stmt {
        Stmt::Raise(raise) => format!("raise {}", raise.exc.as_deref().map_or_else(String::new, last_name)),
        Stmt::Return(returned) => {
            let value = returned.value.as_deref().map_or_else(|| "nothing".to_owned(), made_by);
            format!("return {value}")
        }
        Stmt::Continue(_) => "continue".to_owned(),
        Stmt::Break(_) => "break".to_owned(),
        Stmt::Pass(_) => "pass".to_owned(),
        Stmt::Expr(expression) => made_by(&expression.value),
        Stmt::Assign(assign) => format!("= {}", made_by(&assign.value)),
        Stmt::AugAssign(_) => "+=".to_owned(),
        Stmt::If(_) => "if".to_owned(),
        Stmt::For(_) | Stmt::While(_) => "loop".to_owned(),
        _ => "other".to_owned(),
    }
}

/// The words of a name: `max_lineLength` has `max`, `line`, `length`.
fn subtokens(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut was_lower = false;
    for character in name.chars() {
        if !character.is_alphanumeric() {
            was_lower = false;
            if found.last().is_some_and(|last| !last.is_empty()) {
                found.push(String::new());
            }
            continue;
        }
        if found.is_empty() || (character.is_uppercase() && was_lower) {
            found.push(String::new());
        }
        was_lower = character.is_lowercase() || character.is_numeric();
        if let Some(last) = found.last_mut() {
            last.extend(character.to_lowercase());
        }
    }
    found.retain(|part| !part.is_empty());
    found
}

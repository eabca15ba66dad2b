//! Follows the statements of a program and lists its reads.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Comprehension, Expr, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::{Chain, Readers};
use super::{Line, Read, Shape};
use crate::semantic::SourceModel;

/// Calls that are followed, one in the other.
const MOST_CALLS: usize = 8;
/// Reads that are listed.
const MOST_READS: usize = 1000;

/// A function of the source.
#[derive(Clone, Copy)]
enum Function<'t> {
    /// `def f(): ...`
    Body(&'t [Stmt]),
    /// `f = lambda: ...`
    Result(&'t Expr),
}

/// The walk over the statements of a program.
pub(super) struct Follow<'t> {
    model: &'t SourceModel,
    functions: FxHashMap<&'t str, Function<'t>>,
    /// Names that stand for `input` or `readline`.
    readers: FxHashSet<&'t str>,
    /// Names that stand for standard input as a stream.
    streams: FxHashSet<&'t str>,
    calls: Vec<&'t str>,
    reads: usize,
}

impl<'t> Readers<'t> for Follow<'t> {
    fn line(&self, offset: u32) -> u32 {
        self.model.lines().line(offset)
    }

    fn is_reader(&self, name: &str) -> bool {
        self.readers.contains(name)
    }

    fn is_stream(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Name(name) => self.streams.contains(name.id.as_str()),
            Expr::Attribute(attribute) => match attribute.attr.as_str() {
                "stdin" => true,
                "buffer" => self.is_stream(&attribute.value),
                _ => false,
            },
            Expr::Call(call) => {
                let is_open = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "open");
                is_open && call.arguments.args.first().is_some_and(|file| &self.model.text()[file.range()] == "0")
            }
            _ => false,
        }
    }

    fn result_of(&self, name: &str) -> Option<&'t Expr> {
        match self.functions.get(name)? {
            Function::Result(result) => Some(result),
            Function::Body([Stmt::Return(statement)]) => statement.value.as_deref(),
            Function::Body(_) => None,
        }
    }
}

impl<'t> Follow<'t> {
    /// The reads of a module.
    pub(super) fn of(model: &'t SourceModel, suite: &'t [Stmt]) -> Vec<Read> {
        let mut follow = Self {
            model,
            functions: FxHashMap::default(),
            readers: ["input", "raw_input"].into_iter().collect(),
            streams: ["stdin"].into_iter().collect(),
            calls: Vec::new(),
            reads: 0,
        };
        let mut found = Vec::new();
        follow.define(suite);
        follow.statements(suite, &mut found);
        found
    }

    /// Functions and other names for functions that read, wherever they are defined.
    fn define(&mut self, suite: &'t [Stmt]) {
        for stmt in suite {
            match stmt {
                Stmt::FunctionDef(function) => {
                    self.functions.insert(function.name.as_str(), Function::Body(&function.body));
                    self.define(&function.body);
                }
                Stmt::Assign(assign) => {
                    let [Expr::Name(target)] = assign.targets.as_slice() else { continue };
                    let name = target.id.as_str();
                    match &*assign.value {
                        Expr::Lambda(lambda) => {
                            self.functions.insert(name, Function::Result(&lambda.body));
                        }
                        Expr::Attribute(method) if method.attr.as_str() == "readline" => {
                            self.readers.insert(name);
                        }
                        Expr::Name(other) if self.readers.contains(other.id.as_str()) => {
                            self.readers.insert(name);
                        }
                        value if self.is_stream(value) => {
                            self.streams.insert(name);
                        }
                        _ => {}
                    }
                }
                Stmt::If(statement) => self.define(&statement.body),
                Stmt::ImportFrom(import) if import.module.as_ref().is_some_and(|module| module == "sys") => {
                    for alias in &import.names {
                        if alias.name.as_str() == "stdin"
                            && let Some(name) = &alias.asname
                        {
                            self.streams.insert(name.as_str());
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn statements(&mut self, suite: &'t [Stmt], found: &mut Vec<Read>) {
        for stmt in suite {
            self.statement(stmt, found);
        }
    }

    fn statement(&mut self, stmt: &'t Stmt, found: &mut Vec<Read>) {
        match stmt {
            Stmt::Assign(assign) => match (assign.targets.as_slice(), &*assign.value) {
                // `a, b = int(input()), int(input())`
                ([Expr::Tuple(targets)], Expr::Tuple(values)) if targets.elts.len() == values.elts.len() => {
                    for (target, value) in targets.elts.iter().zip(&values.elts) {
                        self.assigned(std::slice::from_ref(target), value, found);
                    }
                }
                (targets, value) => self.assigned(targets, value, found),
            },
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.assigned(std::slice::from_ref(&assign.target), value, found);
                }
            }
            Stmt::AugAssign(assign) => self.expression(&assign.value, &[], found),
            Stmt::Expr(statement) => self.expression(&statement.value, &[], found),
            Stmt::Return(statement) => {
                if let Some(value) = &statement.value {
                    self.expression(value, &[], found);
                }
            }
            Stmt::For(statement) => {
                if self.is_stream(&statement.iter) {
                    found.push(Read::Rest(self.plain_line(&statement.iter)));
                    return;
                }
                let mut body = Vec::new();
                self.expression(&statement.iter, &[], found);
                self.statements(&statement.body, &mut body);
                if !body.is_empty() {
                    found.push(Read::Repeat { count: self.count(&statement.iter), body });
                }
            }
            Stmt::While(statement) => {
                let mut body = Vec::new();
                self.expression(&statement.test, &[], &mut body);
                self.statements(&statement.body, &mut body);
                if !body.is_empty() {
                    found.push(Read::Repeat { count: None, body });
                }
            }
            Stmt::If(statement) => {
                self.expression(&statement.test, &[], found);
                let before = found.len();
                self.statements(&statement.body, found);
                for clause in &statement.elif_else_clauses {
                    if found.len() == before {
                        self.statements(&clause.body, found);
                    }
                }
            }
            Stmt::With(statement) => self.statements(&statement.body, found),
            Stmt::Try(statement) => self.statements(&statement.body, found),
            _ => {}
        }
    }

    fn assigned(&mut self, targets: &'t [Expr], value: &'t Expr, found: &mut Vec<Read>) {
        let [target] = targets else { return self.expression(value, &[], found) };
        let elements = match target {
            Expr::Tuple(tuple) => tuple.elts.as_slice(),
            Expr::List(list) => list.elts.as_slice(),
            _ => return self.expression(value, &[name_of(target)], found),
        };
        let names: Vec<String> = elements.iter().map(name_of).collect();
        let before = found.len();
        self.expression(value, &names, found);
        let open = elements.iter().any(Expr::is_starred_expr);
        if let [Read::Line(line)] = &mut found[before..]
            && !open
        {
            line.shape = Shape::Fields(names.len());
        }
    }

    /// Lists what an expression reads.
    fn expression(&mut self, expr: &'t Expr, names: &[String], found: &mut Vec<Read>) {
        // The body of a lambda runs when it is called.
        if self.reads >= MOST_READS || expr.is_lambda_expr() {
            return;
        }
        match self.chain(expr, 0) {
            Some(Chain::Line(line)) => {
                self.reads += 1;
                found.push(Read::Line(Line { names: names.to_vec(), ..line }));
            }
            Some(Chain::Rest(line)) => {
                self.reads += 1;
                found.push(Read::Rest(Line { names: names.to_vec(), ..line }));
            }
            None => {
                let mut inside = Inside { follow: self, names, found };
                match expr {
                    Expr::ListComp(list) => inside.comprehension(&list.generators, &list.elt),
                    Expr::SetComp(set) => inside.comprehension(&set.generators, &set.elt),
                    Expr::Generator(generator) => inside.comprehension(&generator.generators, &generator.elt),
                    Expr::Call(call) => {
                        walk_expr(&mut inside, expr);
                        if let Expr::Name(name) = &*call.func {
                            self.called(name.id.as_str(), found);
                        }
                    }
                    _ => walk_expr(&mut inside, expr),
                }
            }
        }
    }

    /// Follows a call of a function of the source.
    fn called(&mut self, name: &str, found: &mut Vec<Read>) {
        let Some((&name, &function)) = self.functions.get_key_value(name) else { return };
        if self.calls.contains(&name) || self.calls.len() == MOST_CALLS {
            return;
        }
        self.calls.push(name);
        match function {
            Function::Body(body) => self.statements(body, found),
            Function::Result(result) => self.expression(result, &[], found),
        }
        self.calls.pop();
    }

    /// How often a loop over an expression runs.
    fn count(&self, iter: &'t Expr) -> Option<String> {
        let Expr::Call(call) = iter else { return None };
        let Expr::Name(name) = &*call.func else { return None };
        let text = |expr: &Expr| self.model.text()[expr.range()].to_owned();
        match (name.id.as_str(), &*call.arguments.args) {
            ("range", [count]) if self.chain(count, 0).is_none() => Some(text(count)),
            ("range", [from, to]) => Some(format!("({}) - ({})", text(to), text(from))),
            _ => None,
        }
    }

    fn plain_line(&self, at: &Expr) -> Line {
        Line {
            names: Vec::new(),
            shape: Shape::List,
            value: super::Conversion::Text,
            separator: None,
            line: self.line(at.start().to_u32()),
        }
    }
}

/// The walk through an expression that is no read itself.
struct Inside<'f, 't> {
    follow: &'f mut Follow<'t>,
    names: &'f [String],
    found: &'f mut Vec<Read>,
}

impl<'t> Inside<'_, 't> {
    fn comprehension(&mut self, generators: &'t [Comprehension], element: &'t Expr) {
        let [generator, ..] = generators else { return };
        let mut body = Vec::new();
        self.follow.expression(&generator.iter, &[], self.found);
        self.follow.expression(element, self.names, &mut body);
        if !body.is_empty() {
            let count = self.follow.count(&generator.iter);
            self.found.push(Read::Repeat { count, body });
        }
    }
}

impl<'t> Visitor<'t> for Inside<'_, 't> {
    fn visit_expr(&mut self, expr: &'t Expr) {
        self.follow.expression(expr, self.names, self.found);
    }
}

/// The name of a target; of an attribute or a subscript that of what it is part of.
fn name_of(target: &Expr) -> String {
    match target {
        Expr::Name(name) => name.id.to_string(),
        Expr::Starred(starred) => name_of(&starred.value),
        Expr::Subscript(subscript) => name_of(&subscript.value),
        Expr::Attribute(attribute) => attribute.attr.to_string(),
        _ => String::new(),
    }
}

//! Follows the statements of a program and lists its reads.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Comprehension, ExceptHandler, Expr, ExprCall, Parameters, Stmt, StmtClassDef};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use super::chain::{Chain, Readers, plain_line};
use super::{Line, Read, Shape};
use crate::semantic::SourceModel;

/// Calls that are followed, one in the other.
const MOST_CALLS: usize = 8;
/// Reads that are listed.
const MOST_READS: usize = 1000;

/// Exceptions that the end of input is, and what catches them.
const END: [&str; 3] = ["EOFError", "Exception", "BaseException"];

/// A function of the source.
#[derive(Clone, Copy)]
enum Function<'t> {
    /// `def f(a): ...`, with the number of parameters that calls give values, if it is a fixed one.
    Body(&'t [Stmt], Option<usize>),
    /// `f = lambda: ...`
    Result(&'t Expr),
}

/// The walk over the statements of a program.
pub(super) struct Follow<'t> {
    model: &'t SourceModel,
    functions: FxHashMap<&'t str, Function<'t>>,
    /// Methods of the classes of the source by their names, and the `__init__` of each class by the class's.
    methods: FxHashMap<&'t str, Function<'t>>,
    /// Names that stand for `input` or `readline`.
    readers: FxHashSet<&'t str>,
    /// Names that stand for standard input as a stream.
    streams: FxHashSet<&'t str>,
    /// Names of the loops over the lines of standard input around the statement, with what their lines are taken for.
    lines: FxHashMap<&'t str, Vec<Line>>,
    /// Handlers of the end of input around the statement.
    handlers: usize,
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

    fn is_line(&self, name: &str) -> bool {
        self.lines.contains_key(name)
    }

    fn result_of(&self, name: &str) -> Option<&'t Expr> {
        match self.functions.get(name)? {
            Function::Result(result) => Some(result),
            Function::Body([Stmt::Return(statement)], _) => statement.value.as_deref(),
            Function::Body(..) => None,
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
            methods: FxHashMap::default(),
            lines: FxHashMap::default(),
            handlers: 0,
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
                    let parameters = fixed(&function.parameters);
                    self.functions.insert(function.name.as_str(), Function::Body(&function.body, parameters));
                    self.define(&function.body);
                }
                Stmt::ClassDef(class) => self.define_class(class),
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

    fn define_class(&mut self, class: &'t StmtClassDef) {
        for method in class.body.iter().filter_map(Stmt::as_function_def_stmt) {
            let function = Function::Body(&method.body, None);
            let name = if method.name.as_str() == "__init__" { class.name.as_str() } else { method.name.as_str() };
            self.methods.insert(name, function);
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
                let mut body = Vec::new();
                if self.is_stream(&statement.iter) {
                    let name = statement.target.as_name_expr().map(|name| name.id.as_str());
                    self.lines.extend(name.map(|name| (name, Vec::new())));
                    self.statements(&statement.body, &mut body);
                    let taken = name.and_then(|name| self.lines.remove(name)).unwrap_or_default();
                    // A line is one, however often it is looked at: what says most about it counts.
                    let best = taken.into_iter().rev().max_by_key(Line::says);
                    let line = best.unwrap_or_else(|| plain_line(self.line(statement.iter.start().to_u32())));
                    body.insert(0, Read::Line(line));
                    found.push(Read::ToEnd(body));
                    return;
                }
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
                let is_endless = matches!(&*statement.test, Expr::BooleanLiteral(_) | Expr::NumberLiteral(_));
                let handles = self.handlers > 0 || statement.body.iter().any(handles_end);
                if !body.is_empty() {
                    let to_end = is_endless && handles;
                    found.push(if to_end { Read::ToEnd(body) } else { Read::Repeat { count: None, body } });
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
            Stmt::Try(statement) => {
                let handles = usize::from(handles_end(stmt));
                self.handlers += handles;
                self.statements(&statement.body, found);
                self.handlers -= handles;
            }
            // What stands in a class runs when the class is made.
            Stmt::ClassDef(class) => self.statements(&class.body, found),
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
        let shape = match elements.iter().position(Expr::is_starred_expr) {
            None => Shape::Fields(names.len()),
            Some(leading) if leading + 1 == names.len() && leading > 0 => Shape::Leading(leading),
            Some(_) => return,
        };
        let looped = self.lines.values_mut().filter_map(|taken| taken.last_mut()).find(|line| line.names == names);
        if let [Read::Line(line)] = &mut found[before..] {
            line.shape = shape;
        } else if let [Read::Repeat { body, .. }] = &mut found[before..] {
            // `x, y = zip(*[map(int, input().split()) for _ in range(n)])`
            if let [Read::Line(line)] = body.as_mut_slice()
                && line.shape == Shape::List
                && unzips(value)
            {
                (line.shape, line.names) = (shape, names);
            }
        } else if let Some(line) = looped {
            line.shape = shape;
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
                let line = Line { names: names.to_vec(), ..line };
                let mut used = UsedLine { follow: self, used: None };
                used.visit_expr(expr);
                if let Some(taken) = used.used.and_then(|name| self.lines.get_mut(name)) {
                    taken.push(line);
                    return;
                }
                found.push(Read::Line(line));
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
                        let before = inside.found.len();
                        walk_expr(&mut inside, expr);
                        self.spread(call, before, found);
                        match &*call.func {
                            Expr::Name(name) => self.called(name.id.as_str(), found),
                            Expr::Attribute(method) => self.called_method(method.attr.as_str(), found),
                            _ => {}
                        }
                    }
                    _ => walk_expr(&mut inside, expr),
                }
            }
        }
    }

    /// Follows a call of a function of the source.
    fn called(&mut self, name: &str, found: &mut Vec<Read>) {
        if let Some((&name, &function)) = self.functions.get_key_value(name) {
            self.enter(name, function, found);
        } else {
            self.called_method(name, found);
        }
    }

    /// Follows a call of a method of a class of the source, or of such a class.
    fn called_method(&mut self, name: &str, found: &mut Vec<Read>) {
        if let Some((&name, &function)) = self.methods.get_key_value(name) {
            self.enter(name, function, found);
        }
    }

    /// `f(*map(int, input().split()))` reads as many fields as `f` has parameters.
    fn spread(&self, call: &'t ExprCall, before: usize, found: &mut [Read]) {
        let [Expr::Starred(_)] = &*call.arguments.args else { return };
        let Expr::Name(name) = &*call.func else { return };
        if let Some(Function::Body(_, Some(count))) = self.functions.get(name.id.as_str())
            && let [Read::Line(line)] = &mut found[before..]
            && line.shape == Shape::List
        {
            line.shape = Shape::Fields(*count);
        }
    }

    fn enter(&mut self, name: &'t str, function: Function<'t>, found: &mut Vec<Read>) {
        if self.calls.contains(&name) || self.calls.len() == MOST_CALLS {
            return;
        }
        self.calls.push(name);
        match function {
            Function::Body(body, _) => self.statements(body, found),
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
}

/// True for `zip(*rows)`, with conversions around it.
fn unzips(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let is_zip = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "zip");
    is_zip && matches!(&*call.arguments.args, [Expr::Starred(_)]) || call.arguments.args.iter().any(unzips)
}

/// The number of parameters of a function that takes a fixed number of values.
fn fixed(parameters: &Parameters) -> Option<usize> {
    let is_fixed = parameters.vararg.is_none() && parameters.iter().all(|parameter| parameter.default().is_none());
    is_fixed.then(|| parameters.posonlyargs.len() + parameters.args.len())
}

/// True for a `try` that goes on after the end of input.
fn handles_end(stmt: &Stmt) -> bool {
    let Stmt::Try(statement) = stmt else { return false };
    statement.handlers.iter().any(|ExceptHandler::ExceptHandler(handler)| {
        let of = |expr: &Expr| expr.as_name_expr().is_some_and(|name| END.contains(&name.id.as_str()));
        match handler.type_.as_deref() {
            None => true,
            Some(Expr::Tuple(several)) => several.iter().any(of),
            Some(one) => of(one),
        }
    })
}

/// The loop whose line an expression takes.
struct UsedLine<'f, 't> {
    follow: &'f Follow<'t>,
    used: Option<&'t str>,
}

impl<'t> Visitor<'t> for UsedLine<'_, 't> {
    fn visit_expr(&mut self, expr: &'t Expr) {
        if let Expr::Name(name) = expr
            && self.follow.is_line(name.id.as_str())
        {
            self.used = Some(name.id.as_str());
        }
        walk_expr(self, expr);
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

//! The walk over the tree, which knows where Python binds, assigns and returns.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, AnyParameterRef, Expr, Stmt};
use rustc_hash::FxHashMap;

use super::Origin;
use super::groups::{Found, Function, Walk};
use super::shapes::Shape;
use crate::Kind;
use crate::nesting::Nesting;
use crate::scopes::{Scopes, captured, node_id};

pub(super) fn walk(
    source: &str,
    body: &[Stmt],
    nesting: &Nesting,
    asked: &FxHashMap<(Kind, u32, u32), u32>,
    count: usize,
) -> Found {
    let mut walk = Walk::new(Scopes::build(source, body, nesting), asked, count);
    walk.visit_body(body);
    walk.finish()
}

impl<'a> Walk<'a, '_> {
    fn parameters(&mut self, parameters: &'a ast::Parameters, method: bool) {
        for (number, parameter) in parameters.iter_non_variadic_params().enumerate() {
            let name = parameter.name().as_str();
            let default = parameter.default();
            let origin = match default {
                _ if method && number == 0 && matches!(name, "self" | "cls") => Origin::Receiver,
                Some(_) => Origin::Default,
                None => Origin::Parameter,
            };
            self.parameter(&parameter.parameter, origin, default);
        }
        for (variadic, origin) in [(&parameters.vararg, Origin::Variadic), (&parameters.kwarg, Origin::Keywords)] {
            if let Some(parameter) = variadic {
                self.parameter(parameter, origin, None);
            }
        }
    }

    fn parameter(&mut self, parameter: &'a ast::Parameter, origin: Origin, default: Option<&'a Expr>) {
        let group = self.variable(parameter.name.as_str());
        self.note(group, origin, default);
        if !matches!(origin, Origin::Variadic | Origin::Keywords) {
            self.annotate(group, parameter.annotation.as_deref());
        }
        self.found(Kind::Variable, &parameter.name, group, None);
    }

    fn defaults(&mut self, parameters: &'a ast::Parameters) {
        for default in parameters.iter().filter_map(AnyParameterRef::default) {
            self.visit_expr(default);
        }
    }

    fn function(&mut self, def: &'a ast::StmtFunctionDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.defaults(&def.parameters);
        let (name, method) = (def.name.as_str(), self.in_class());
        let property = method && def.decorator_list.iter().any(|decorator| is_property(&decorator.expression));
        let results = if property { self.attribute(name) } else { self.results(name) };
        if property {
            self.note(results, Origin::Property, None);
            let group = self.variable(name);
            self.note(group, Origin::Function, None);
        } else {
            self.bind(name, Origin::Function, None);
        }
        self.annotate(results, def.returns.as_deref());
        let function = Function { results, answers: def.is_async };
        let body = |this: &mut Self| {
            for annotation in def.parameters.iter().filter_map(AnyParameterRef::annotation) {
                this.visit_expr(annotation);
            }
            if let Some(returns) = &def.returns {
                this.visit_expr(returns);
            }
            this.inside(node_id(def), |this| {
                this.parameters(&def.parameters, method);
                this.functions.push(Some(function));
                this.visit_body(&def.body);
                let function = this.functions.pop().flatten();
                if function.is_some_and(|function| !function.answers) {
                    let count = &mut this.groups[results as usize].literals[Shape::None as usize];
                    *count = count.saturating_add(1);
                }
            });
        };
        if let Some(params) = &def.type_params {
            self.inside(node_id(&**params), body);
        } else {
            body(self);
        }
        if def.is_async {
            self.note(results, Origin::Generator, None);
        }
    }

    fn class(&mut self, def: &'a ast::StmtClassDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.bind(def.name.as_str(), Origin::Class, None);
        let body = |this: &mut Self| {
            if let Some(arguments) = &def.arguments {
                visitor::walk_arguments(this, arguments);
            }
            this.inside(node_id(def), |this| this.visit_body(&def.body));
        };
        if let Some(params) = &def.type_params {
            self.inside(node_id(&**params), body);
        } else {
            body(self);
        }
    }

    fn comprehension(&mut self, generators: &'a [ast::Comprehension], parts: [Option<&'a Expr>; 2], node: usize) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        self.inside(node, |this| {
            for (position, generator) in generators.iter().enumerate() {
                this.target(&generator.target, Origin::Comprehension, None);
                this.visit_expr(&generator.target);
                if position > 0 {
                    this.visit_expr(&generator.iter);
                }
                generator.ifs.iter().for_each(|condition| this.visit_expr(condition));
            }
            parts.into_iter().flatten().for_each(|part| this.visit_expr(part));
        });
    }

    fn import(&mut self, alias: &'a ast::Alias, from: bool) {
        let name = alias.name.as_str();
        let bound = alias.asname.as_ref().map_or(name, ast::Identifier::as_str);
        if !from {
            return self.bind(bound.split('.').next().unwrap_or(bound), Origin::Import, None);
        }
        let upper = name.starts_with(char::is_uppercase);
        let origin = match name {
            "*" => return,
            _ if upper && name.len() > 1 && !name.contains(char::is_lowercase) => Origin::FromImportConstant,
            _ if upper => Origin::FromImportClass,
            _ => Origin::FromImport,
        };
        self.bind(bound, origin, None);
    }

    fn results_here(&mut self) -> Option<u32> {
        let function = self.functions.last_mut()?.as_mut()?;
        function.answers = true;
        Some(function.results)
    }
}

/// True for `@property`, `@x.setter`, `@functools.cached_property` and the like.
fn is_property(decorator: &Expr) -> bool {
    match decorator {
        Expr::Name(name) => name.id.contains("property"),
        Expr::Attribute(attribute) => {
            matches!(attribute.attr.as_str(), "getter" | "setter" | "deleter" | "cached_property")
        }
        _ => false,
    }
}

impl<'a> Visitor<'a> for Walk<'a, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => return self.function(def),
            Stmt::ClassDef(def) => return self.class(def),
            Stmt::TypeAlias(_) => return,
            Stmt::Assign(assign) => {
                for target in &assign.targets {
                    self.target(target, Origin::Assigned, Some(&assign.value));
                }
            }
            Stmt::AnnAssign(assign) => {
                self.target(&assign.target, Origin::Assigned, assign.value.as_deref());
                let groups = match &*assign.target {
                    Expr::Name(name) => {
                        let in_class = self.in_class().then(|| self.attribute(name.id.as_str()));
                        [Some(self.variable(name.id.as_str())), in_class]
                    }
                    Expr::Attribute(attribute) => [Some(self.attribute(attribute.attr.as_str())), None],
                    _ => [None; 2],
                };
                for group in groups.into_iter().flatten() {
                    self.annotate(group, Some(&assign.annotation));
                }
            }
            Stmt::AugAssign(assign) => self.target(&assign.target, Origin::Augmented, None),
            Stmt::For(stmt) => self.target(&stmt.target, Origin::Loop, None),
            Stmt::With(stmt) => {
                for target in stmt.items.iter().filter_map(|item| item.optional_vars.as_deref()) {
                    self.target(target, Origin::Context, None);
                }
            }
            Stmt::Import(import) => import.names.iter().for_each(|alias| self.import(alias, false)),
            Stmt::ImportFrom(import) => import.names.iter().for_each(|alias| self.import(alias, true)),
            Stmt::Return(stmt) => {
                if let Some(results) = self.results_here() {
                    match &stmt.value {
                        Some(value) => self.note_value(results, value),
                        None => self.groups[results as usize].literals[Shape::None as usize] += 1,
                    }
                }
            }
            _ => {}
        }
        visitor::walk_stmt(self, stmt);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                let group = self.variable(name.id.as_str());
                self.found(Kind::Variable, name, group, None);
            }
            Expr::Attribute(attribute) => {
                let group = self.attribute(attribute.attr.as_str());
                self.found(Kind::Attribute, attribute, group, None);
                self.visit_expr(&attribute.value);
            }
            Expr::Call(call) => {
                let (callee, name) = match &*call.func {
                    Expr::Name(name) => (Some(self.variable(name.id.as_str())), name.id.as_str()),
                    Expr::Attribute(attribute) => {
                        (Some(self.attribute(attribute.attr.as_str())), attribute.attr.as_str())
                    }
                    _ => (None, ""),
                };
                let group = self.results(name);
                self.found(Kind::ReturnValue, call, group, callee);
                visitor::walk_expr(self, expr);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.inside(node_id(lambda), |this| {
                    if let Some(parameters) = &lambda.parameters {
                        this.parameters(parameters, false);
                    }
                    this.functions.push(None);
                    this.visit_expr(&lambda.body);
                    this.functions.pop();
                });
            }
            Expr::ListComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::SetComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::Generator(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::DictComp(comp) => {
                self.comprehension(&comp.generators, [comp.key.as_deref(), Some(&comp.value)], node_id(comp));
            }
            Expr::Named(named) => {
                self.target(&named.target, Origin::Assigned, Some(&named.value));
                visitor::walk_expr(self, expr);
            }
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                if let Some(results) = self.results_here() {
                    self.note(results, Origin::Generator, None);
                }
                visitor::walk_expr(self, expr);
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(caught) = handler;
        if let Some(name) = &caught.name {
            self.bind(name.as_str(), Origin::Caught, None);
        }
        visitor::walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind(name.as_str(), Origin::Matched, None);
        }
        visitor::walk_pattern(self, pattern);
    }
}

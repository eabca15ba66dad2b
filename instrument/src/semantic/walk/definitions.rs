//! Functions and classes: what of them runs where they are defined, and their bodies.

use ruff_python_ast::helpers::is_docstring_stmt;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::{Ranged, TextSize};

use super::{Returning, UNEVALUATED, Walk};
use crate::role::Role;
use crate::semantic::feeds::{Origin, Target};
use crate::semantic::scope::{ScopeKind, Scopes};
use crate::semantic::uses::{Form, UseFlags};

impl<'a> Walk<'a> {
    pub(super) fn function(&mut self, def: &'a ast::StmtFunctionDef, line: u32, mark: Option<u32>, next: Option<u32>) {
        let mut mark = mark;
        self.decorators(&def.decorator_list, line, &mut mark, def.name.start());
        let signature_end = def.returns.as_ref().map_or(def.parameters.end(), |returns| returns.end());
        self.span(def.name.start(), signature_end);
        self.defaults(&def.parameters, mark.take_if(|_| def.decorator_list.is_empty()));
        if !self.marked[line as usize] {
            // A bare `def` cannot fail: it was reached if what follows it was, or if it was ever called.
            for by in [next, def.body.first().map(|stmt| self.line(stmt.start()))].into_iter().flatten() {
                self.imply(line, by);
            }
        }
        let class = self.frame().scope;
        let in_class = self.tables.scopes.scopes[class].kind == ScopeKind::Class;
        let results = self.feed_definition(def, in_class);
        if def.type_params.is_none() {
            self.signature(def, UseFlags::empty());
        }
        self.bind(def.name.as_str());
        if let Some(params) = &def.type_params {
            self.enter(Scopes::of(&**params), None, 0);
            self.type_params(params);
            self.signature(def, UseFlags::NOT_GUARDED);
        }
        self.enter(Scopes::of(def), Some(def.name.as_str()), line);
        let receiver = if in_class { self.receiver(def, class) } else { None };
        self.frame().receiver = receiver;
        self.functions_around += 1;
        self.returning.push(Some(Returning { target: results, answers: def.is_async }));
        self.parameters(&def.parameters, in_class);
        self.block(&def.body, None, None, true);
        if self.returning.last().is_some_and(|function| function.as_ref().is_some_and(|function| !function.answers)) {
            self.feed_result(None);
        }
        self.returning.pop();
        self.functions_around -= 1;
        self.leave();
        if def.type_params.is_some() {
            self.leave();
        }
        if def.is_async {
            self.feed(results, Origin::Generator, None);
        }
    }

    /// `def f(): ...`: the name, and what stands for its results.
    fn feed_definition(&mut self, def: &'a ast::StmtFunctionDef, in_class: bool) -> Target {
        let property = in_class && def.decorator_list.iter().any(|decorator| is_property(&decorator.expression));
        let name = self.intern(def.name.as_str());
        let (origin, results) = if property {
            (Origin::PropertyFunction, Target::Property(name))
        } else {
            (Origin::Function, Target::Results(name))
        };
        self.feed_name(def.name.as_str(), origin);
        self.promise(results, def.returns.as_deref());
        results
    }

    /// Annotations of parameters and results.
    fn signature(&mut self, def: &'a ast::StmtFunctionDef, flags: UseFlags) {
        for annotation in def.parameters.iter().filter_map(ast::AnyParameterRef::annotation) {
            self.annotation(annotation, flags | UseFlags::SIGNATURE);
        }
        if let Some(returns) = &def.returns {
            self.annotation(returns, flags | UseFlags::SIGNATURE);
        }
    }

    /// `[T: bound]`, evaluated only when somebody asks for it.
    pub(super) fn type_params(&mut self, params: &'a ast::TypeParams) {
        self.in_region(UNEVALUATED, |walk| {
            for param in &params.type_params {
                let (bound, default) = match param {
                    ast::TypeParam::TypeVar(param) => (&param.bound, &param.default),
                    ast::TypeParam::TypeVarTuple(param) => (&None, &param.default),
                    ast::TypeParam::ParamSpec(param) => (&None, &param.default),
                };
                for expr in [bound, default].into_iter().flatten() {
                    walk.expr(expr, Role::Plain);
                }
            }
        });
    }

    pub(super) fn class(&mut self, def: &'a ast::StmtClassDef, line: u32, mark: Option<u32>, next: Option<u32>) {
        let mut mark = mark;
        self.decorators(&def.decorator_list, line, &mut mark, def.name.start());
        self.feed_name(def.name.as_str(), Origin::Class);
        let mut hooked = self.frame().hooked;
        if let Some(arguments) = &def.arguments {
            self.span(def.name.start(), arguments.end());
            hooked &= !self.tables.scopes.is_namespaced(def);
            if def.type_params.is_none() {
                for argument in arguments.iter_source_order() {
                    self.class_argument(argument, &mut mark);
                }
            }
        }
        let class_line = self.line(def.name.start());
        let body = def.body.iter().find(|stmt| !is_docstring_stmt(stmt));
        for by in [next, body.map(|stmt| self.line(stmt.start()))].into_iter().flatten() {
            self.imply(class_line, by);
        }
        if let Some(params) = &def.type_params {
            self.enter(Scopes::of(&**params), None, 0);
            self.type_params(params);
            let arguments = def.arguments.iter().flat_map(|arguments| arguments.iter_source_order());
            for argument in arguments {
                self.in_region(UseFlags::NOT_GUARDED, |walk| walk.class_argument(argument, &mut None));
            }
        }
        self.enter(Scopes::of(def), Some(def.name.as_str()), line);
        self.frame().hooked = hooked;
        let scope = self.frame().scope;
        self.note_class(def, scope);
        self.note_bases(def);
        self.block(&def.body, Some(class_line), next, true);
        self.leave();
        if def.type_params.is_some() {
            self.leave();
        }
        self.bind(def.name.as_str());
    }

    fn class_argument(&mut self, argument: ast::ArgOrKeyword<'a>, mark: &mut Option<u32>) {
        match argument {
            ast::ArgOrKeyword::Arg(Expr::Starred(starred)) => self.expr(&starred.value, Role::Iterated),
            ast::ArgOrKeyword::Arg(base) => self.marked_expr(base, Role::ClassBase, mark.take()),
            ast::ArgOrKeyword::Keyword(keyword) => match keyword.arg.as_ref().map(ast::Identifier::as_str) {
                Some("metaclass") => {
                    self.adapt(Form::Metaclass, Role::Plain, &keyword.value);
                    self.expr(&keyword.value, Role::Plain);
                }
                Some(_) => self.expr(&keyword.value, Role::Plain),
                None => self.expr(&keyword.value, Role::Mapping),
            },
        }
    }

    /// `@d`. Each decorator marks the line of what comes after it.
    fn decorators(&mut self, decorators: &'a [ast::Decorator], line: u32, mark: &mut Option<u32>, name: TextSize) {
        let own_line = self.line(name);
        if !self.frame().hooked {
            for decorator in decorators {
                self.expr(&decorator.expression, Role::Decorator);
            }
            return;
        }
        for (position, decorator) in decorators.iter().enumerate() {
            let expr = &decorator.expression;
            self.span(decorator.start(), decorator.end());
            let next = decorators.get(position + 1).map_or(own_line, |next| self.line(next.start()));
            let marks = next != line && !self.marked[next as usize];
            self.adapt(Form::Decorator, Role::Decorator, expr).inner = if marks { next } else { 0 };
            if marks {
                self.marked[next as usize] = true;
            }
            self.marked_expr(expr, Role::Decorator, mark.take());
        }
    }

    pub(super) fn defaults(&mut self, parameters: &'a ast::Parameters, mark: Option<u32>) {
        let mut mark = mark;
        for parameter in parameters.iter_source_order() {
            if let Some(default) = parameter.default() {
                self.marked_expr(default, Role::Plain, mark.take());
            }
        }
    }

    /// `x: y`, evaluated unless a future import or Python 3.14 postpones it.
    pub(super) fn annotation(&mut self, annotation: &'a Expr, flags: UseFlags) {
        let flags = flags | UseFlags::ANNOTATION | UseFlags::NOT_RECORDED;
        self.in_region(flags, |walk| walk.expr(annotation, Role::Plain));
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

//! Functions and classes: what runs of them where they are defined, and their bodies.

use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::{Ranged, TextSize};

use super::Rewriter;
use super::statements::first_token;
use crate::hooks::Hook;
use crate::roles::Role;
use crate::scopes::ScopeKind;
use crate::sites::Kind;

impl<'a> Rewriter<'a> {
    pub(super) fn function(&mut self, def: &'a ast::StmtFunctionDef, line: u32, mark: Option<u32>, next: Option<u32>) {
        let mut mark = mark;
        self.decorators(&def.decorator_list, line, &mut mark, def.name.start());
        let signature_end = def.returns.as_ref().map_or(def.parameters.end(), |returns| returns.end());
        self.span(def.name.start(), signature_end);
        self.defaults(&def.parameters, mark.take_if(|_| def.decorator_list.is_empty()));
        if def.type_params.is_none() {
            for parameter in &def.parameters {
                if let Some(annotation) = parameter.annotation() {
                    self.annotation(annotation);
                }
            }
            if let Some(returns) = &def.returns {
                self.annotation(returns);
            }
        }
        if !self.marked[line as usize] {
            // A bare `def` cannot fail: it was reached if what follows it was, or if it was ever called.
            for by in [next, def.body.first().map(|stmt| self.line(stmt.start()))].into_iter().flatten() {
                self.imply(line, by);
            }
        }
        self.bind(def.name.as_str());
        if let Some(params) = &def.type_params {
            self.enter(self.scopes.of(&**params), None, 0);
        }
        let class = self.frame().scope;
        let in_class = self.scopes.scopes[class].kind == ScopeKind::Class;
        self.enter(self.scopes.of(def), Some(def.name.as_str()), line);
        let receiver = if in_class { self.receiver(def, class) } else { None };
        self.note_parameters(&def.parameters);
        self.frame().receiver = receiver;
        self.block(&def.body, None, None, true);
        self.leave();
        if def.type_params.is_some() {
            self.leave();
        }
    }

    pub(super) fn class(&mut self, def: &'a ast::StmtClassDef, line: u32, mark: Option<u32>, next: Option<u32>) {
        let mut mark = mark;
        self.decorators(&def.decorator_list, line, &mut mark, def.name.start());
        let mut hooked = self.frame().hooked;
        if let Some(arguments) = &def.arguments {
            self.span(def.name.start(), arguments.end());
            hooked &= !self.scopes.is_namespaced(def);
            if def.type_params.is_none() {
                for argument in arguments.iter_source_order() {
                    self.class_argument(argument, &mut mark);
                }
            }
        }
        let class_line = self.line(def.name.start());
        let body = def.body.iter().find(|stmt| !matches!(stmt, Stmt::Expr(doc) if doc.value.is_string_literal_expr()));
        for by in [next, body.map(|stmt| self.line(first_token(stmt)))].into_iter().flatten() {
            self.imply(class_line, by);
        }
        if let Some(params) = &def.type_params {
            self.enter(self.scopes.of(&**params), None, 0);
        }
        self.enter(self.scopes.of(def), Some(def.name.as_str()), line);
        self.frame().hooked = hooked;
        let scope = self.frame().scope;
        self.note_class(def, scope);
        self.classes.push(def.name.as_str());
        self.block(&def.body, Some(class_line), next, true);
        self.classes.pop();
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
                Some("metaclass") if self.frame().hooked => {
                    let value = &keyword.value;
                    let name = format!("{}{}_(", self.hooks.prefix(), Hook::Metaclass.letter());
                    self.insert(value.start(), &name);
                    self.expr(value, Role::Plain);
                    self.insert(value.end(), ")");
                }
                Some(_) => self.expr(&keyword.value, Role::Plain),
                None => self.expr(&keyword.value, Role::Mapping),
            },
        }
    }

    /// `@d` becomes `@_d_(site,d)`. Each decorator marks the line of what comes after it.
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
            let site = self.site(Kind::Variable, "", Role::Decorator, expr, expr.start());
            let next = decorators.get(position + 1).map_or(own_line, |next| self.line(next.start()));
            if next != line && !self.marked[next as usize] {
                self.marked[next as usize] = true;
                self.sites[site as usize].marks = next;
            }
            self.open_hook(Hook::Decorator, site, expr.start());
            self.marked_expr(expr, Role::Decorator, mark.take());
            self.insert(expr.end(), ")");
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

    /// Annotations are evaluated unless a future import or Python 3.14 postpones them.
    pub(super) fn annotation(&mut self, annotation: &'a Expr) {
        if !self.scopes.postponed_annotations && self.options.python < (3, 14) {
            self.expr(annotation, Role::Plain);
        }
    }
}

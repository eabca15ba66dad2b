//! Compound statements.

use ruff_python_ast::{self as ast, Expr, Pattern, Stmt};
use ruff_text_size::{Ranged, TextSize};

use super::names::Resolution;
use super::statements::{dead, first_token};
use super::{Rewriter, demands};
use crate::flow::Flow;
use crate::hooks::Hook;
use crate::roles::Role;
use crate::scopes::ScopeKind;
use crate::sites::{Kind, TryBlock};

impl<'a> Rewriter<'a> {
    pub(super) fn compound(&mut self, stmt: &'a Stmt, line: u32, next: Option<u32>) {
        let free = self.frame().hooked && !self.marked[line as usize];
        let mark = free.then_some(line);
        match stmt {
            Stmt::FunctionDef(def) => self.function(def, line, mark, next),
            Stmt::ClassDef(def) => self.class(def, line, mark, next),
            Stmt::If(branch) => self.branch(branch, mark, next),
            Stmt::While(repeat) => self.repeat(repeat, line, mark, next),
            Stmt::For(each) => self.each(each, mark, next),
            Stmt::With(with) => self.with(with, mark, next),
            Stmt::Match(choice) => self.choice(choice, mark, next),
            Stmt::Try(attempt) => self.attempt(attempt, line, next),
            _ => unreachable!("only compound statements come here"),
        }
    }

    fn branch(&mut self, branch: &'a ast::StmtIf, mark: Option<u32>, next: Option<u32>) {
        self.span(branch.start(), branch.test.end());
        self.marked_expr(&branch.test, Role::Plain, mark);
        let mut otherwise = self.frame().flow.clone();
        self.block(&branch.body, None, next, false);
        let mut after = std::mem::replace(&mut self.frame().flow, otherwise.clone());
        let mut complete = false;
        for clause in &branch.elif_else_clauses {
            if let Some(test) = &clause.test {
                self.span(clause.start(), test.end());
                let line = self.line(clause.start());
                let mark = (self.frame().hooked && !self.marked[line as usize]).then_some(line);
                self.marked_expr(test, Role::Plain, mark);
                otherwise = self.frame().flow.clone();
            } else {
                complete = true;
            }
            self.block(&clause.body, None, next, false);
            let end = std::mem::replace(&mut self.frame().flow, otherwise.clone());
            after.join(&end);
        }
        if !complete {
            after.join(&otherwise);
        }
        self.frame().flow = after;
    }

    fn repeat(&mut self, repeat: &'a ast::StmtWhile, line: u32, mark: Option<u32>, next: Option<u32>) {
        self.span(repeat.start(), repeat.test.end());
        self.forget_deleted();
        let endless = is_true(&repeat.test);
        if endless {
            // The condition is folded away, so the header is reached exactly when the body is.
            if let Some(first) = repeat.body.first() {
                let first = self.line(first_token(first));
                self.imply(line, first);
            }
        } else {
            self.marked_expr(&repeat.test, Role::Plain, mark);
        }
        let entry = if endless { Some(line) } else { None };
        let before = self.frame().flow.clone();
        self.frame().breaks.push(endless.then(dead));
        self.block(&repeat.body, entry, None, false);
        let broken = self.frame().breaks.pop().flatten();
        self.frame().flow = broken.unwrap_or(before);
        self.block(&repeat.orelse, None, next, false);
    }

    fn each(&mut self, each: &'a ast::StmtFor, mark: Option<u32>, next: Option<u32>) {
        self.span(each.start(), each.iter.end());
        let role = if each.is_async { Role::Asynchronous } else { demands::iterated(&each.target) };
        let first_site = self.sites.len();
        self.marked_expr(&each.iter, role, mark);
        self.forget_deleted();
        let before = self.frame().flow.clone();
        self.frame().breaks.push(None);
        self.target(&each.target);
        self.note_elements(first_site, &each.iter, &each.target);
        self.block(&each.body, None, None, false);
        self.frame().breaks.pop();
        self.frame().flow = before;
        self.block(&each.orelse, None, next, false);
    }

    /// In a loop, a name that some statement deletes may be gone at the start of the next round.
    fn forget_deleted(&mut self) {
        let scope = self.frame().scope;
        let deleted: Vec<u32> =
            self.scopes.bindings_of(scope).filter(|binding| binding.deleted).map(|binding| binding.index).collect();
        for index in deleted {
            self.frame().flow.unbind(index);
        }
    }

    fn with(&mut self, with: &'a ast::StmtWith, mark: Option<u32>, next: Option<u32>) {
        if let Some(last) = with.items.last() {
            self.span(with.start(), last.end());
        }
        let role = if with.is_async { Role::Asynchronous } else { Role::Context };
        let mut mark = mark;
        for item in &with.items {
            self.marked_expr(&item.context_expr, role, mark.take());
            if let Some(target) = &item.optional_vars {
                self.target(target);
            }
        }
        let before = self.frame().flow.clone();
        self.block(&with.body, None, next, false);
        // A context manager may swallow the exception that ended its body.
        if self.frame().flow.dead {
            self.frame().flow = before;
        }
    }

    fn attempt(&mut self, attempt: &'a ast::StmtTry, line: u32, next: Option<u32>) {
        let Some(first) = attempt.body.first() else {
            return;
        };
        let first_line = self.line(first_token(first));
        self.imply(line, first_line);
        if !attempt.handlers.is_empty() {
            let last = attempt.body.last().map_or(first.end(), Ranged::end);
            let catches = attempt.handlers.iter().flat_map(handler_names).collect();
            let (last_line, scope_line) = (self.line(last), self.frame().scope_line);
            self.tries.push(TryBlock { first_line, last_line, scope_line, catches });
        }
        let before = self.frame().flow.clone();
        self.block(&attempt.body, Some(line), None, false);
        self.block(&attempt.orelse, None, next, false);
        let mut after = std::mem::replace(&mut self.frame().flow, before.clone());
        for handler in &attempt.handlers {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            self.frame().flow = before.clone();
            self.handler(handler, next);
            after.join(&std::mem::take(&mut self.frame().flow));
        }
        if attempt.finalbody.is_empty() {
            self.frame().flow = after;
            return;
        }
        // `finally` also runs when the body failed halfway.
        self.frame().flow = before;
        self.block(&attempt.finalbody, None, next, false);
        let end = &self.frame().flow;
        let dies = end.dead;
        let mut joined = end.bound().clone();
        joined.union(after.bound());
        let dead = after.dead || dies;
        self.frame().flow = Flow::known(joined, dead);
    }

    fn handler(&mut self, handler: &'a ast::ExceptHandlerExceptHandler, next: Option<u32>) {
        let line = self.line(handler.start());
        let first = handler.body.first().map(|stmt| self.line(first_token(stmt)));
        match &handler.type_ {
            Some(kind) if self.frame().hooked => {
                self.span(handler.start(), kind.end());
                let site = self.site(Kind::Variable, "", Role::Caught, &**kind, kind.start());
                if !self.marked[line as usize] {
                    self.marked[line as usize] = true;
                    self.sites[site as usize].marks = line;
                }
                self.open_hook(Hook::Except, site, kind.start());
                self.insert(kind.start(), "(");
                self.expr(kind, Role::Caught);
                self.insert(kind.end(), "))");
            }
            _ => {
                if let Some(first) = first {
                    self.imply(line, first);
                }
            }
        }
        if let Some(name) = &handler.name {
            self.bind(name.as_str());
        }
        self.block(&handler.body, None, next, false);
        if let Some(name) = &handler.name {
            self.unbind(name.as_str());
        }
    }

    fn choice(&mut self, choice: &'a ast::StmtMatch, mark: Option<u32>, next: Option<u32>) {
        self.span(choice.start(), choice.subject.end());
        let line = self.line(choice.start());
        self.subject(choice, mark);
        let before = self.frame().flow.clone();
        let mut after: Option<Flow> = None;
        let lines: Vec<u32> = choice.cases.iter().map(|case| self.line(case.start())).collect();
        for (position, case) in choice.cases.iter().enumerate() {
            self.frame().flow = before.clone();
            // A case was tried if a later one was; that an earlier one was tried does not tell.
            match position.checked_sub(1) {
                None => self.imply(lines[0], line),
                Some(before) => self.imply(lines[before], lines[position]),
            }
            self.capture(&case.pattern);
            if let Some(guard) = &case.guard {
                let mark = (self.frame().hooked && self.beside.is_none()).then_some(lines[position]);
                self.marked_expr(guard, Role::Plain, mark);
            }
            if let Some(first) = case.body.first() {
                let first = self.line(first_token(first));
                self.imply(lines[position], first);
            }
            self.block(&case.body, None, next, false);
            let end = std::mem::take(&mut self.frame().flow);
            match &mut after {
                Some(after) => after.join(&end),
                None => after = Some(end),
            }
        }
        let exhaustive = choice.cases.last().is_some_and(|case| case.guard.is_none() && case.pattern.is_irrefutable());
        let mut after = after.unwrap_or_else(|| before.clone());
        if !exhaustive {
            after.join(&before);
        }
        self.frame().flow = after;
    }

    /// `match s:` becomes `match _p_(first,count,s):` where class names of its patterns may be missing.
    fn subject(&mut self, choice: &'a ast::StmtMatch, mark: Option<u32>) {
        let mut missing = Vec::new();
        for case in &choice.cases {
            self.missing_classes(&case.pattern, &mut missing);
        }
        if missing.is_empty() || !self.frame().hooked {
            return self.marked_expr(&choice.subject, Role::Plain, mark);
        }
        let first = self.in_text(self.sites.len() as u32);
        for (name, range_of, role) in &missing {
            self.site(Kind::Variable, name, *role, *range_of, range_of.start());
        }
        self.open_expr(choice.subject.start(), |out, prefix| {
            super::write_hook(out, prefix, Hook::Pattern, first, true);
            super::write_number(out, missing.len() as u32);
            out.push_str(",(");
        });
        self.marked_expr(&choice.subject, Role::Plain, mark);
        self.insert(choice.subject.end(), "))");
    }

    fn missing_classes(&self, pattern: &'a Pattern, into: &mut Vec<(String, &'a Expr, Role)>) {
        let mut check = |expr: &'a Expr| {
            if let Some(dotted) = dotted_name(expr) {
                let root = dotted.split('.').next().unwrap_or_default();
                if self.resolve_name(root) != Resolution::Proven || dotted.contains('.') {
                    into.push((dotted, expr, Role::Caught));
                }
            }
        };
        match pattern {
            Pattern::MatchClass(class) => {
                check(&class.cls);
                let nested = class.arguments.patterns.iter();
                let keywords = class.arguments.keywords.iter().map(|keyword| &keyword.pattern);
                nested.chain(keywords).for_each(|pattern| self.missing_classes(pattern, into));
            }
            Pattern::MatchSequence(list) => list.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchMapping(map) => map.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchOr(choice) => choice.patterns.iter().for_each(|item| self.missing_classes(item, into)),
            Pattern::MatchAs(capture) => {
                if let Some(pattern) = &capture.pattern {
                    self.missing_classes(pattern, into);
                }
            }
            // `case Color.RED`: the root is an ordinary value.
            Pattern::MatchValue(value) => {
                if let Some(root) = dotted_name(&value.value).and_then(|name| name.split('.').next().map(str::to_owned))
                    && self.resolve_name(&root) != Resolution::Proven
                {
                    into.push((root, &value.value, Role::Plain));
                }
            }
            Pattern::MatchSingleton(_) | Pattern::MatchStar(_) => {}
        }
    }

    fn capture(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(capture) => {
                if let Some(name) = &capture.name {
                    self.bind(name.as_str());
                }
                if let Some(pattern) = &capture.pattern {
                    self.capture(pattern);
                }
            }
            Pattern::MatchStar(star) => {
                if let Some(name) = &star.name {
                    self.bind(name.as_str());
                }
            }
            Pattern::MatchMapping(map) => {
                if let Some(name) = &map.rest {
                    self.bind(name.as_str());
                }
                map.patterns.iter().for_each(|item| self.capture(item));
            }
            Pattern::MatchSequence(list) => list.patterns.iter().for_each(|item| self.capture(item)),
            Pattern::MatchOr(choice) => choice.patterns.iter().for_each(|item| self.capture(item)),
            Pattern::MatchClass(class) => {
                class.arguments.patterns.iter().for_each(|item| self.capture(item));
                class.arguments.keywords.iter().for_each(|keyword| self.capture(&keyword.pattern));
            }
            Pattern::MatchValue(_) | Pattern::MatchSingleton(_) => {}
        }
    }

    fn function(&mut self, def: &'a ast::StmtFunctionDef, line: u32, mark: Option<u32>, next: Option<u32>) {
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
        if def.type_params.is_some() {
            self.enter(self.scopes.of(&def.name), None, 0);
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

    fn class(&mut self, def: &'a ast::StmtClassDef, line: u32, mark: Option<u32>, next: Option<u32>) {
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
        if def.type_params.is_some() {
            self.enter(self.scopes.of(&def.name), None, 0);
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

fn is_true(test: &Expr) -> bool {
    match test {
        Expr::BooleanLiteral(literal) => literal.value,
        Expr::NumberLiteral(number) => {
            matches!(&number.value, ast::Number::Int(value) if *value != ast::Int::ZERO)
        }
        _ => false,
    }
}

pub(crate) fn handler_names(handler: &ast::ExceptHandler) -> Vec<Option<String>> {
    let ast::ExceptHandler::ExceptHandler(handler) = handler;
    match handler.type_.as_deref() {
        None => vec![None],
        Some(Expr::Tuple(tuple)) => tuple.elts.iter().filter_map(dotted_name).map(Some).collect(),
        Some(kind) => dotted_name(kind).map(Some).into_iter().collect(),
    }
}

/// `a.b.c` as text.
fn dotted_name(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => Some(format!("{}.{}", dotted_name(&attribute.value)?, attribute.attr)),
        _ => None,
    }
}

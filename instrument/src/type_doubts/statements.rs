//! Follows statements with the types of variables.

use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{self as ast, ExceptHandler, Expr, Stmt, StmtFunctionDef};
use ruff_text_size::Ranged;

use super::names::{Names, asked, bound_in, has_break};
use super::types::{Kinds, Type};
use super::{TypeDoubt, Walk, meet, operators};

/// Loops in each other that are gone over twice.
const MOST_LOOPS: usize = 5;

/// True for `exit()`, `quit()` and `sys.exit()`.
fn ends_the_program(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    match &*call.func {
        Expr::Name(name) => matches!(name.id.as_str(), "exit" | "quit"),
        Expr::Attribute(attribute) => matches!(attribute.attr.as_str(), "exit" | "_exit"),
        _ => false,
    }
}

impl<'t> Walk<'t> {
    /// Binds all names of a target to a value.
    pub(super) fn assign(&mut self, target: &'t Expr, value: &Type) {
        match target {
            Expr::Name(name) => self.bind(name.id.as_str(), value.clone()),
            Expr::Starred(starred) => self.assign(&starred.value, &Type::of(Kinds::LIST, value.clone())),
            Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
                let at = target.start().to_u32();
                self.has_to_be(at, value, Kinds::ITERABLE);
                if value.is_within(Kinds::STR) {
                    self.doubt(at, TypeDoubt::Unpacking);
                }
                let element = value.element();
                let fits = value.parts().len() == elts.len() && !elts.iter().any(Expr::is_starred_expr);
                for (number, target) in elts.iter().enumerate() {
                    self.assign(target, if fits { &value.parts()[number] } else { &element });
                }
            }
            Expr::Subscript(subscript) => {
                let container = self.expression(&subscript.value);
                self.expression(&subscript.slice);
                let at = subscript.value.start().to_u32();
                self.has_to_be(at, &container, Kinds::LIST | Kinds::DICT | Kinds::OTHER);
                if !subscript.slice.is_slice_expr() {
                    self.filled(&subscript.value, value);
                }
            }
            Expr::Attribute(attribute) => {
                self.expression(&attribute.value);
            }
            _ => {}
        }
    }

    pub(super) fn body(&mut self, body: &'t [Stmt]) {
        for stmt in body {
            if self.here.is_none() {
                return;
            }
            self.statement(stmt);
        }
    }

    /// A container that a name stands for has got another element.
    pub(super) fn filled(&mut self, container: &'t Expr, element: &Type) {
        let (mut inner, mut depth) = (container, 0);
        while let Expr::Subscript(subscript) = inner {
            (inner, depth) = (&subscript.value, depth + 1);
        }
        let Expr::Name(name) = inner else { return };
        for variables in self.here.iter_mut().chain([&mut self.globals]) {
            if let Some(known) = variables.get_mut(name.id.as_str()) {
                known.add_element(depth, element);
            }
        }
    }

    fn statement(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::Expr(only) => {
                self.expression(&only.value);
                if ends_the_program(&only.value) {
                    self.here = None;
                }
            }
            Stmt::Assign(assign) => {
                let value = self.expression(&assign.value);
                assign.targets.iter().for_each(|target| self.assign(target, &value));
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    let value = self.expression(value);
                    self.assign(&assign.target, &value);
                }
            }
            Stmt::AugAssign(assign) => self.augmented(assign),
            Stmt::Return(returned) => {
                let value = returned.value.as_ref().map_or(Kinds::NONE.into(), |value| self.expression(value));
                if let Some(all) = self.returned.last_mut() {
                    *all = std::mem::take(all).join(&value);
                }
                self.here = None;
            }
            Stmt::Raise(raise) => {
                for expr in raise.exc.iter().chain(&raise.cause) {
                    self.expression(expr);
                }
                self.here = None;
            }
            Stmt::If(branch) => self.branch(branch),
            Stmt::For(each) => {
                let over = self.expression(&each.iter);
                self.has_to_be(each.iter.start().to_u32(), &over, Kinds::ITERABLE);
                let element = over.element();
                self.repeat(&each.body, &each.orelse, |walk| walk.assign(&each.target, &element));
            }
            Stmt::While(each) => {
                self.repeat(&each.body, &each.orelse, |walk| {
                    walk.expression(&each.test);
                });
                let is_endless = each.test.as_boolean_literal_expr().is_some_and(|literal| literal.value);
                if is_endless && !has_break(&each.body) {
                    self.here = None;
                }
            }
            Stmt::Break(_) => {
                let here = self.here.take();
                if let Some(all) = self.breaks.last_mut() {
                    *all = meet(all.take(), here);
                }
            }
            Stmt::Continue(_) => {
                let here = self.here.take();
                if let Some(all) = self.continues.last_mut() {
                    *all = meet(all.take(), here);
                }
            }
            Stmt::Try(attempt) => self.attempt(attempt),
            Stmt::With(with) => {
                for item in &with.items {
                    self.expression(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.assign(target, &Type::unknown());
                    }
                }
                self.body(&with.body);
            }
            Stmt::Match(choice) => self.choice(choice),
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Assert(assert) => {
                self.expression(&assert.test);
            }
            Stmt::Delete(delete) => {
                for target in &delete.targets {
                    if let Expr::Subscript(subscript) = target {
                        self.expression(&subscript.value);
                    }
                }
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                let mut names = Names::default();
                names.visit_stmt(stmt);
                names.bound.into_iter().for_each(|name| self.bind(name, Type::unknown()));
            }
            _ => {}
        }
    }

    fn choice(&mut self, choice: &'t ast::StmtMatch) {
        self.expression(&choice.subject);
        let before = self.here.clone();
        let mut after = before.clone();
        for case in &choice.cases {
            self.here.clone_from(&before);
            let mut names = Names::default();
            names.visit_pattern(&case.pattern);
            names.bound.into_iter().for_each(|name| self.bind(name, Type::unknown()));
            self.body(&case.body);
            after = meet(after, self.here.take());
        }
        self.here = after;
    }

    fn augmented(&mut self, assign: &'t ast::StmtAugAssign) {
        let value = self.expression(&assign.value);
        let before = self.expression_of_target(&assign.target);
        let is_list_extended = before.kinds == Kinds::LIST && assign.op == ast::Operator::Add;
        if is_list_extended {
            self.has_to_be(assign.start().to_u32(), &value, Kinds::ITERABLE);
            self.filled(&assign.target, &value.element());
            return;
        }
        let (made, all, failed) = operators::binary(&before, assign.op, &value);
        self.tried(assign.start().to_u32(), all, failed);
        self.assign(&assign.target, &made);
    }

    fn branch(&mut self, branch: &'t ast::StmtIf) {
        self.expression(&branch.test);
        // Where types are asked for, others may come than are known.
        for name in asked(&branch.test) {
            self.bind(name, Type::unknown());
        }
        let mut otherwise = self.here.clone();
        self.body(&branch.body);
        let mut after = self.here.take();
        let mut has_else = false;
        for clause in &branch.elif_else_clauses {
            self.here.clone_from(&otherwise);
            if let Some(test) = &clause.test {
                self.expression(test);
            } else {
                has_else = true;
            }
            otherwise.clone_from(&self.here);
            self.body(&clause.body);
            after = meet(after, self.here.take());
        }
        self.here = if has_else { after } else { meet(after, otherwise) };
    }

    /// Goes over a loop twice: the second time with what the first has left.
    fn repeat(&mut self, body: &'t [Stmt], orelse: &'t [Stmt], head: impl Fn(&mut Self)) {
        self.breaks.push(None);
        self.continues.push(None);
        let mut ended = self.here.clone();
        // Each loop around doubles what there is to do; without a second time nothing is said of those that are deeper.
        let rounds = if self.breaks.len() > MOST_LOOPS { 1 } else { 2 };
        for round in 0..rounds {
            head(self);
            self.first_rounds += usize::from(round == 0);
            self.body(body);
            self.first_rounds -= usize::from(round == 0);
            let continued = self.continues.last_mut().and_then(Option::take);
            self.here = meet(self.here.take(), continued);
            ended = meet(ended, self.here.clone());
            self.here.clone_from(&ended);
        }
        self.continues.pop();
        let left = self.breaks.pop().flatten();
        self.body(orelse);
        self.here = meet(self.here.take(), left);
    }

    fn attempt(&mut self, attempt: &'t ast::StmtTry) {
        let before = self.here.clone();
        self.body(&attempt.body);
        let raised = meet(before, self.here.clone());
        self.body(&attempt.orelse);
        let mut after = self.here.take();
        for handler in &attempt.handlers {
            let ExceptHandler::ExceptHandler(handler) = handler;
            self.here.clone_from(&raised);
            if let Some(name) = &handler.name {
                self.bind(name.as_str(), Type::unknown());
            }
            self.body(&handler.body);
            after = meet(after, self.here.take());
        }
        if !attempt.finalbody.is_empty() {
            let is_left = after.is_none();
            self.here = after.or(raised);
            self.body(&attempt.finalbody);
            after = self.here.take().filter(|_| !is_left);
        }
        self.here = after;
    }

    fn class(&mut self, class: &'t ast::StmtClassDef) {
        let outside = self.here.clone();
        self.locals.push(bound_in(&class.body));
        self.body(&class.body);
        self.locals.pop();
        self.here = outside;
        // With a base or a metaclass it may be gone over, compared or added.
        let is_plain = class.arguments.is_none() && class.decorator_list.is_empty();
        self.bind(class.name.as_str(), if is_plain { Kinds::FUNCTION.into() } else { Type::unknown() });
    }

    /// Follows the body of a function, with what calls give it.
    fn function(&mut self, function: &'t StmtFunctionDef) {
        let name = function.name.as_str();
        let outside = self.here.clone();
        let mut variables = super::Variables::default();
        let mut locals = bound_in(&function.body);
        let own = self.functions.get(name).filter(|own| std::ptr::eq(own.definition, function) && !own.is_passed);
        let given: Vec<Type> = own.map(|own| own.given.clone()).unwrap_or_default();
        for parameter in &function.parameters {
            let name = parameter.name().as_str();
            locals.insert(name);
            variables.insert(name, Type::unknown());
        }
        for (parameter, given) in function.parameters.args.iter().zip(given) {
            if !given.kinds.is_empty() {
                let default = parameter.default.as_ref().map(|default| self.expression(default)).unwrap_or_default();
                variables.insert(parameter.name().as_str(), given.join(&default));
            }
        }
        self.here = Some(variables);
        self.locals.push(locals);
        self.returned.push(Type::default());
        let loops = (std::mem::take(&mut self.breaks), std::mem::take(&mut self.continues));
        self.body(&function.body);
        (self.breaks, self.continues) = loops;
        let mut result = self.returned.pop().unwrap_or_default();
        if self.here.is_some() {
            result = result.join(&Kinds::NONE.into());
        }
        self.locals.pop();
        if let Some(own) = self.functions.get_mut(name)
            && std::ptr::eq(own.definition, function)
        {
            own.result = result;
        }
        self.here = outside;
        let is_plain = function.decorator_list.is_empty();
        self.bind(name, if is_plain { Kinds::FUNCTION.into() } else { Type::unknown() });
    }
}

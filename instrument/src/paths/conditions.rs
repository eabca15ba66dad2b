//! The walk over the expressions of a source for what conditions compare and what calls pass on.

use std::ops::Range;

use compact_str::{CompactString, format_compact};
use ruff_python_ast::visitor::{Visitor, walk_body, walk_expr, walk_stmt};
use ruff_python_ast::{self as ast, Expr, Stmt};

use super::arguments::Arguments;
use super::characters::Characters;
use super::containers::Collector;
use super::formats::Formats;
use super::hints;
use super::literals::{Literals, keep};
use super::lookups::Dictionaries;
use super::outcomes::{self, Outcome};
use super::tables::Tables;
use super::wishes::Hint;
use crate::semantic::bytes;

/// What the walk finds.
#[derive(Default)]
pub(super) struct Found {
    pub(super) hints: Vec<Hint>,
    pub(super) outcomes: Vec<Outcome>,
    /// Texts in the form in which the code reads them.
    pub(super) formats: Vec<Hint>,
    /// Other texts in such forms.
    pub(super) other_formats: Vec<Hint>,
    pub(super) tables: Tables,
    /// What is put into the container of a name, or passed as the parameter of a name.
    pub(super) put: Vec<(CompactString, Range<u32>)>,
    /// Arguments of calls of functions that the source defines once, with their names.
    pub(super) of_own_functions: Vec<(CompactString, Range<u32>)>,
    /// Targets of augmented assignments, names and attributes (`.name`), with where they begin.
    pub(super) augmented: Vec<(u32, CompactString)>,
}

/// What the walk finds out about values that the source writes out.
pub(super) type Concluded<'c> = &'c mut dyn FnMut(Collector<'_>);

#[derive(Default)]
struct Walk<'a> {
    found: Found,
    /// The class that the statement at hand stands in, without a function between.
    class: Option<&'a str>,
    arguments: Arguments<'a>,
    containers: Collector<'a>,
    literals: Literals<'a>,
    dictionaries: Dictionaries<'a>,
    formats: Formats<'a>,
    characters: Characters<'a>,
}

pub(super) fn find(body: &[Stmt], containers: Concluded<'_>) -> Found {
    let mut walk = Walk::default();
    walk.visit_body(body);
    walk.arguments.give(&mut walk.found.put);
    let own = walk.arguments.of_own_functions().into_iter();
    walk.found.of_own_functions = own.map(|(name, range)| (name.into(), range)).collect();
    containers(walk.containers);
    walk.characters.give(&mut walk.found.other_formats);
    walk.found
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.containers.statement(stmt);
        self.found.tables.statement(stmt);
        self.dictionaries.statement(stmt, self.class.is_some());
        self.formats.statement(stmt);
        self.characters.statement(stmt);
        outcomes::collect(stmt, &mut self.found.outcomes);
        match stmt {
            Stmt::If(ast::StmtIf { test, .. })
            | Stmt::While(ast::StmtWhile { test, .. })
            | Stmt::Assert(ast::StmtAssert { test, .. }) => hints::collect(test, &self.literals, &mut self.found.hints),
            Stmt::AugAssign(assign) => {
                Arguments::put_item(&assign.target, &mut self.found.put);
                let name = match &*assign.target {
                    Expr::Name(name) => Some(name.id.as_str().into()),
                    Expr::Attribute(attribute) => Some(format_compact!(".{}", attribute.attr)),
                    _ => None,
                };
                self.found.augmented.extend(name.map(|name| (bytes(&*assign.target).start, name)));
            }
            Stmt::Assign(assign) => {
                self.arguments.assignment(assign);
                assign.targets.iter().for_each(|target| Arguments::put_item(target, &mut self.found.put));
                keep(assign, &mut self.literals);
                hints::collect_parts(assign, &mut self.found.formats);
            }
            Stmt::Match(choice) => {
                self.visit_expr(&choice.subject);
                for case in &choice.cases {
                    hints::collect_pattern(&case.pattern, &bytes(&*choice.subject), &mut self.found.hints);
                    if let Some(guard) = &case.guard {
                        hints::collect(guard, &self.literals, &mut self.found.hints);
                        self.visit_expr(guard);
                    }
                    self.visit_body(&case.body);
                }
                return;
            }
            // Annotations are no calls that run with the code around.
            Stmt::FunctionDef(def) => {
                for default in def.parameters.iter().filter_map(ast::AnyParameterRef::default) {
                    self.visit_expr(default);
                }
                for decorator in &def.decorator_list {
                    self.visit_expr(&decorator.expression);
                }
                self.arguments.function(def, self.class);
                let (class, around) = (self.class.take(), self.dictionaries.enter(&def.parameters));
                let outer = self.literals.class;
                self.literals.class = class.or(outer);
                self.visit_body(&def.body);
                self.dictionaries.leave(around);
                self.literals.class = outer;
                self.class = class;
                return;
            }
            Stmt::ClassDef(def) => {
                if let Some(arguments) = &def.arguments {
                    // What a class can do it has from its bases, which may be made up.
                    self.found.put.push((def.name.as_str().into(), bytes(&**arguments)));
                    self.visit_arguments(arguments);
                }
                let class = self.class.replace(def.name.as_str());
                self.visit_body(&def.body);
                self.class = class;
                return;
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_body(&mut self, body: &'a [Stmt]) {
        walk_body(self, body);
        outcomes::mark_guards(body, &mut self.found.outcomes);
    }

    fn visit_elif_else_clause(&mut self, clause: &'a ast::ElifElseClause) {
        if let Some(test) = &clause.test {
            hints::collect(test, &self.literals, &mut self.found.hints);
            self.visit_expr(test);
        }
        self.visit_body(&clause.body);
    }

    fn visit_with_item(&mut self, item: &'a ast::WithItem) {
        self.visit_expr(&item.context_expr);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        self.containers.expression(expression);
        self.found.tables.expression(expression);
        self.dictionaries.expression(expression, &mut self.found.outcomes);
        self.characters.expression(expression);
        match expression {
            Expr::Call(call) => {
                Arguments::put_in(call, &mut self.found.put);
                self.arguments.call(call);
                hints::collect_number(call, &mut self.found.formats);
                self.formats.call(call, &mut self.found.formats, &mut self.found.other_formats);
            }
            Expr::ListComp(ast::ExprListComp { generators, .. })
            | Expr::SetComp(ast::ExprSetComp { generators, .. })
            | Expr::DictComp(ast::ExprDictComp { generators, .. })
            | Expr::Generator(ast::ExprGenerator { generators, .. }) => {
                for generator in generators {
                    self.found.tables.comprehension(generator);
                }
                for test in generators.iter().flat_map(|generator| &generator.ifs) {
                    hints::collect(test, &self.literals, &mut self.found.hints);
                }
            }
            Expr::If(choice) => hints::collect(&choice.test, &self.literals, &mut self.found.hints),
            _ => {}
        }
        walk_expr(self, expression);
    }
}

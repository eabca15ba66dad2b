//! The walk that finds the scopes of a module and what each binds.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::{Binding, Scope, ScopeKind, Scopes, captured, metaclass_name, node_id};
use crate::builtin_names;
use crate::nesting::Nesting;
use crate::roles::Roles;
use crate::symbols::Symbols;

impl<'a> Scopes<'a> {
    pub(crate) fn build(source: &str, body: &'a [Stmt], nesting: &Nesting) -> Self {
        let mut builder = Builder {
            scopes: Scopes {
                scopes: vec![Scope {
                    kind: ScopeKind::Module,
                    parent: 0,
                    depth: 0,
                    encloses_functions: false,
                    first: None,
                    last: None,
                }],
                bindings: Vec::with_capacity(source.len() / 128),
                symbols: Symbols::for_source(source.len()),
                by_node: FxHashMap::default(),
                clash: false,
                postponed_annotations: false,
                namespaced: Vec::new(),
            },
            current: 0,
            binders: &nesting.binders,
            passed: 0,
            may_clash: nesting.may_clash,
        };
        builder.visit_body(body);
        builder.scopes
    }
}

struct Builder<'a, 'n> {
    scopes: Scopes<'a>,
    current: usize,
    /// Where expressions bind, as in [`Nesting::binders`], and how many of these lie before the last one asked for.
    binders: &'n [u32],
    passed: usize,
    may_clash: bool,
}

impl<'a> Builder<'a, '_> {
    /// True for expressions that hold nothing to note: most are only read.
    fn is_quiet(&mut self, expr: &Expr) -> bool {
        if self.may_clash {
            return false;
        }
        let range = expr.range();
        let (start, end) = (range.start().to_u32(), range.end().to_u32());
        while self.binders.get(self.passed).is_some_and(|&at| at < start) {
            self.passed += 1;
        }
        while self.passed > 0 && self.binders[self.passed - 1] >= start {
            self.passed -= 1;
        }
        self.binders.get(self.passed).is_none_or(|&at| at >= end)
    }

    fn bind(&mut self, name: &'a str) -> &mut Binding {
        self.bind_in(self.current, name)
    }

    fn bind_in(&mut self, scope: usize, name: &'a str) -> &mut Binding {
        self.scopes.clash |= crate::hooks::HookNames::clashes(name);
        let at = self.entry(scope, name);
        if self.scopes.bindings[at].global {
            let at = self.entry(0, name);
            let binding = &mut self.scopes.bindings[at];
            binding.bound = true;
            binding.otherwise = true;
        }
        let binding = &mut self.scopes.bindings[at];
        binding.bound = true;
        binding.otherwise = true;
        binding
    }

    /// The binding of a name in one of the open scopes, made where there is none.
    fn entry(&mut self, scope: usize, name: &'a str) -> usize {
        let Scopes { scopes, bindings, symbols, .. } = &mut self.scopes;
        let symbol = symbols.intern(name);
        let (mut inner, mut outer) = (None, symbols.entry(symbol).innermost);
        // Scopes have higher numbers than those around them.
        while let Some(at) = outer.filter(|&at| bindings[at as usize].scope as usize > scope) {
            inner = Some(at);
            outer = bindings[at as usize].outer;
        }
        if let Some(at) = outer.filter(|&at| bindings[at as usize].scope as usize == scope) {
            return at as usize;
        }
        let at = bindings.len() as u32;
        match inner {
            Some(inner) => bindings[inner as usize].outer = Some(at),
            None => symbols.entry_mut(symbol).innermost = Some(at),
        }
        let last = scopes[scope].last.replace(at);
        match last {
            Some(last) => bindings[last as usize].next = Some(at),
            None => scopes[scope].first = Some(at),
        }
        bindings.push(Binding {
            symbol,
            scope: scope as u32,
            index: last.map_or(0, |last| bindings[last as usize].index + 1),
            next: None,
            outer,
            roles: Roles::default(),
            bound: false,
            parameter: false,
            imported: false,
            deleted: false,
            global: false,
            nonlocal: false,
            defined: false,
            standard_module: false,
            otherwise: false,
        });
        at as usize
    }

    /// Binds a name by a statement that says what it is; `note` takes it down.
    fn bind_as(&mut self, name: &'a str, note: impl FnOnce(&mut Binding)) {
        let at = self.entry(self.current, name);
        let binding = &self.scopes.bindings[at];
        let before = binding.otherwise || binding.global;
        let binding = self.bind(name);
        binding.otherwise = before;
        note(binding);
    }

    fn open(&mut self, kind: ScopeKind, node: usize) -> usize {
        let outer = self.current;
        self.current = self.scopes.scopes.len();
        self.scopes.scopes.push(Scope {
            kind,
            parent: outer,
            depth: self.scopes.scopes[outer].depth + 1,
            encloses_functions: false,
            first: None,
            last: None,
        });
        self.scopes.by_node.insert(node, self.current as u32);
        let mut around = outer;
        while kind == ScopeKind::Function && !self.scopes.scopes[around].encloses_functions {
            self.scopes.scopes[around].encloses_functions = true;
            around = self.scopes.scopes[around].parent;
        }
        outer
    }

    /// Goes back to one of the scopes around.
    fn close(&mut self, outer: usize) {
        while self.current != outer {
            self.scopes.leave(self.current);
            self.current = self.scopes.scopes[self.current].parent;
        }
    }

    fn parameters(&mut self, parameters: &'a ast::Parameters) {
        for parameter in parameters {
            self.bind_as(parameter.name().as_str(), |binding| binding.parameter = true);
        }
    }

    fn defaults(&mut self, parameters: &'a ast::Parameters) {
        for parameter in parameters {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn type_params(&mut self, params: Option<&'a ast::TypeParams>) -> Option<usize> {
        let params = params?;
        let outer = self.open(ScopeKind::TypeParams, node_id(params));
        for param in &params.type_params {
            self.bind(param.name().as_str());
        }
        Some(outer)
    }

    fn comprehension(&mut self, generators: &'a [ast::Comprehension], parts: [Option<&'a Expr>; 2], node: usize) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let outer = self.open(ScopeKind::Comprehension, node);
        for (position, generator) in generators.iter().enumerate() {
            self.visit_expr(&generator.target);
            if position > 0 {
                self.visit_expr(&generator.iter);
            }
            for condition in &generator.ifs {
                self.visit_expr(condition);
            }
        }
        for part in parts.into_iter().flatten() {
            self.visit_expr(part);
        }
        self.close(outer);
    }

    fn function(&mut self, def: &'a ast::StmtFunctionDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.defaults(&def.parameters);
        let plain = def.decorator_list.is_empty();
        self.bind_as(def.name.as_str(), |binding| {
            binding.defined = plain;
            binding.otherwise |= !plain;
        });
        let params = self.type_params(def.type_params.as_deref());
        for parameter in &def.parameters {
            if let Some(annotation) = parameter.annotation() {
                self.visit_expr(annotation);
            }
        }
        if let Some(returns) = &def.returns {
            self.visit_expr(returns);
        }
        let outer = self.open(ScopeKind::Function, node_id(def));
        self.parameters(&def.parameters);
        self.visit_body(&def.body);
        self.close(params.unwrap_or(outer));
    }

    fn note_namespace(&mut self, name: &'a str, arguments: &'a ast::Arguments) {
        let metaclass = metaclass_name(arguments);
        let inherited = arguments.args.iter().find_map(|base| {
            base.as_name_expr()
                .filter(|base| self.scopes.namespaced.iter().any(|(class, _)| *class == base.id.as_str()))
        });
        if let Some(origin) = metaclass.or(inherited.map(|base| base.id.as_str())) {
            self.scopes.namespaced.push((name, origin));
        }
    }

    fn class(&mut self, def: &'a ast::StmtClassDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        let plain = def.decorator_list.is_empty();
        self.bind_as(def.name.as_str(), |binding| {
            binding.defined = plain;
            binding.otherwise |= !plain;
        });
        let params = self.type_params(def.type_params.as_deref());
        if let Some(arguments) = &def.arguments {
            self.note_namespace(def.name.as_str(), arguments);
            visitor::walk_arguments(self, arguments);
        }
        let outer = self.open(ScopeKind::Class, node_id(def));
        self.visit_body(&def.body);
        self.close(params.unwrap_or(outer));
    }
}

impl<'a> Visitor<'a> for Builder<'a, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => self.class(def),
            Stmt::Global(global) => {
                for name in &global.names {
                    let at = self.entry(self.current, name.as_str());
                    self.scopes.bindings[at].global = true;
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    let at = self.entry(self.current, name.as_str());
                    self.scopes.bindings[at].nonlocal = true;
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let bound = alias.asname.as_ref().map_or_else(
                        || alias.name.as_str().split('.').next().unwrap_or_default(),
                        ast::Identifier::as_str,
                    );
                    let standard = builtin_names::is_standard_module(alias.name.as_str());
                    self.bind_as(bound, |binding| {
                        binding.imported = true;
                        binding.standard_module = standard;
                        binding.otherwise |= !standard;
                    });
                }
            }
            Stmt::ImportFrom(import) => {
                let future = import.module.as_ref().is_some_and(|module| module.as_str() == "__future__");
                for alias in &import.names {
                    self.scopes.postponed_annotations |= future && alias.name.as_str() == "annotations";
                    if alias.name.as_str() != "*" {
                        let bound = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                        self.bind(bound).imported = true;
                    }
                }
            }
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.name);
                let outer = self.open(ScopeKind::TypeParams, node_id(alias));
                if let Some(params) = &alias.type_params {
                    for param in &params.type_params {
                        self.bind(param.name().as_str());
                    }
                }
                self.visit_expr(&alias.value);
                self.close(outer);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => {
                self.scopes.clash |= crate::hooks::HookNames::clashes(name.id.as_str());
                match name.ctx {
                    ExprContext::Store => {
                        self.bind(name.id.as_str());
                    }
                    ExprContext::Del => self.bind(name.id.as_str()).deleted = true,
                    ExprContext::Load | ExprContext::Invalid => {}
                }
            }
            Expr::Tuple(ast::ExprTuple { elts, ctx: ExprContext::Store | ExprContext::Del, .. })
            | Expr::List(ast::ExprList { elts, ctx: ExprContext::Store | ExprContext::Del, .. }) => {
                for element in elts {
                    self.visit_expr(element);
                }
            }
            Expr::Starred(starred) => self.visit_expr(&starred.value),
            _ if self.is_quiet(expr) => {}
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                let outer = self.open(ScopeKind::Function, node_id(lambda));
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters);
                }
                self.visit_expr(&lambda.body);
                self.close(outer);
            }
            Expr::ListComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::SetComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::Generator(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], node_id(comp)),
            Expr::DictComp(comp) => {
                self.comprehension(&comp.generators, [comp.key.as_deref(), Some(&comp.value)], node_id(comp));
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                if let Expr::Name(name) = &*named.target {
                    // A walrus binds outside the comprehensions it stands in.
                    let mut around = self.current;
                    while self.scopes.scopes[around].kind == ScopeKind::Comprehension {
                        around = self.scopes.scopes[around].parent;
                    }
                    self.bind_in(around, name.id.as_str());
                }
            }
            _ => visitor::walk_expr(self, expr),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(handler) = handler;
        if let Some(kind) = &handler.type_ {
            self.visit_expr(kind);
        }
        if let Some(name) = &handler.name {
            self.bind(name.as_str()).deleted = true;
        }
        self.visit_body(&handler.body);
    }

    fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
        if let Some(name) = captured(pattern) {
            self.bind(name.as_str());
        }
        visitor::walk_pattern(self, pattern);
    }
}

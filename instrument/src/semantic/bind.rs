//! The walk that finds the scopes of a module and what each binds.

use ruff_index::IndexVec;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, HasNodeIndex, NodeIndex, Stmt};
use ruff_text_size::Ranged;

use super::builtin;
use super::nesting::Nesting;
use super::scope::{Binding, BindingFlags, MODULE, Namespace, Scope, ScopeId, ScopeKind, Scopes, captured, metaclass};
use super::symbol::{BindingId, Symbols};

impl Scopes {
    /// Finds the scopes of a module. The nodes that open them are numbered by them.
    pub(super) fn build(source: &str, body: &[Stmt], nesting: &Nesting) -> Self {
        let module = Scope {
            kind: ScopeKind::Module,
            parent: MODULE,
            depth: 0,
            encloses_functions: false,
            class: None,
            function: 0,
            first: None,
            last: None,
        };
        let mut builder = Builder {
            scopes: Scopes {
                scopes: IndexVec::from_raw(vec![module]),
                bindings: IndexVec::with_capacity(source.len() / 128),
                symbols: Symbols::for_source(source.len()),
                clash: false,
                postponed_annotations: false,
                namespaces: Vec::new(),
            },
            current: MODULE,
            binders: &nesting.binders,
            passed: 0,
            may_clash: nesting.may_clash,
        };
        builder.visit_body(body);
        builder.scopes
    }
}

struct Builder<'n> {
    scopes: Scopes,
    current: ScopeId,
    /// Where expressions bind, as in [`Nesting::binders`], and how many of these lie before the last one asked for.
    binders: &'n [u32],
    passed: usize,
    may_clash: bool,
}

impl Builder<'_> {
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

    fn bind(&mut self, name: &str) -> &mut Binding {
        self.bind_in(self.current, name)
    }

    fn bind_in(&mut self, scope: ScopeId, name: &str) -> &mut Binding {
        let bound = BindingFlags::BOUND | BindingFlags::OTHERWISE;
        self.scopes.clash |= crate::hooks::HookNames::clashes(name);
        let at = self.entry(scope, name);
        if self.scopes.bindings[at].is(BindingFlags::GLOBAL) {
            let at = self.entry(MODULE, name);
            self.scopes.bindings[at].flags |= bound;
        }
        let binding = &mut self.scopes.bindings[at];
        binding.flags |= bound;
        binding
    }

    /// The binding of a name in one of the open scopes, made where there is none.
    fn entry(&mut self, scope: ScopeId, name: &str) -> BindingId {
        let Scopes { scopes, bindings, symbols, .. } = &mut self.scopes;
        let symbol = symbols.intern(name);
        let (mut inner, mut outer) = (None, symbols.entries[symbol].innermost);
        // Scopes have higher numbers than those around them.
        while let Some(at) = outer.filter(|&at| bindings[at].scope > scope) {
            inner = Some(at);
            outer = bindings[at].outer;
        }
        if let Some(at) = outer.filter(|&at| bindings[at].scope == scope) {
            return at;
        }
        let at = bindings.next_index();
        match inner {
            Some(inner) => bindings[inner].outer = Some(at),
            None => symbols.entries[symbol].innermost = Some(at),
        }
        let last = scopes[scope].last.replace(at);
        match last {
            Some(last) => bindings[last].next = Some(at),
            None => scopes[scope].first = Some(at),
        }
        let index = last.map_or(0, |last| bindings[last].index + 1);
        bindings.push(Binding { symbol, scope, index, flags: BindingFlags::empty(), next: None, outer })
    }

    /// Binds a name by a statement that says what it is.
    fn bind_as(&mut self, name: &str, flags: BindingFlags) {
        let at = self.entry(self.current, name);
        let before = self.scopes.bindings[at].is(BindingFlags::OTHERWISE | BindingFlags::GLOBAL);
        let binding = self.bind(name);
        binding.flags.set(BindingFlags::OTHERWISE, before);
        binding.flags |= flags;
    }

    /// Binds the name of a function or class.
    fn define(&mut self, name: &str, decorators: &[ast::Decorator]) {
        self.bind_as(name, if decorators.is_empty() { BindingFlags::DEFINED } else { BindingFlags::OTHERWISE });
    }

    fn open(&mut self, kind: ScopeKind, node: &impl HasNodeIndex) -> ScopeId {
        let outer = self.current;
        let scope = Scope {
            kind,
            parent: outer,
            depth: self.scopes.scopes[outer].depth + 1,
            encloses_functions: false,
            class: self.scopes.scopes[outer].class,
            function: 0,
            first: None,
            last: None,
        };
        self.current = self.scopes.scopes.push(scope);
        node.node_index().set(NodeIndex::from(self.current.as_u32()));
        let mut around = outer;
        while kind == ScopeKind::Function && !self.scopes.scopes[around].encloses_functions {
            self.scopes.scopes[around].encloses_functions = true;
            around = self.scopes.scopes[around].parent;
        }
        outer
    }

    /// Goes back to one of the scopes around.
    fn close(&mut self, outer: ScopeId) {
        while self.current != outer {
            self.scopes.leave(self.current);
            self.current = self.scopes.scopes[self.current].parent;
        }
    }

    fn parameters(&mut self, parameters: &ast::Parameters) {
        for parameter in parameters {
            self.bind_as(parameter.name().as_str(), BindingFlags::PARAMETER);
        }
    }

    fn defaults(&mut self, parameters: &ast::Parameters) {
        for parameter in parameters {
            if let Some(default) = parameter.default() {
                self.visit_expr(default);
            }
        }
    }

    fn type_params(&mut self, params: Option<&ast::TypeParams>) -> Option<ScopeId> {
        let params = params?;
        let outer = self.open(ScopeKind::TypeParams, params);
        self.bind_type_params(params);
        Some(outer)
    }

    fn bind_type_params(&mut self, params: &ast::TypeParams) {
        for param in &params.type_params {
            self.bind(param.name().as_str());
        }
        visitor::walk_type_params(self, params);
    }

    fn comprehension(
        &mut self,
        generators: &[ast::Comprehension],
        parts: [Option<&Expr>; 2],
        node: &impl HasNodeIndex,
    ) {
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

    fn function(&mut self, def: &ast::StmtFunctionDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.defaults(&def.parameters);
        self.define(def.name.as_str(), &def.decorator_list);
        let params = self.type_params(def.type_params.as_deref());
        for parameter in &def.parameters {
            if let Some(annotation) = parameter.annotation() {
                self.visit_expr(annotation);
            }
        }
        if let Some(returns) = &def.returns {
            self.visit_expr(returns);
        }
        let outer = self.open(ScopeKind::Function, def);
        self.parameters(&def.parameters);
        self.visit_body(&def.body);
        self.close(params.unwrap_or(outer));
    }

    fn note_namespace(&mut self, class: &str, arguments: &ast::Arguments) {
        let Scopes { symbols, namespaces, .. } = &mut self.scopes;
        let class = symbols.intern(class);
        if let Some((root, spelled_standard)) = metaclass(arguments) {
            let root = root.map(|root| symbols.intern(root));
            namespaces.push((class, Namespace::Metaclass { root, spelled_standard }));
            return;
        }
        let bases = arguments.args.iter().filter_map(|base| symbols.get(&base.as_name_expr()?.id));
        let inherited = bases.into_iter().find(|base| namespaces.iter().any(|(class, _)| class == base));
        if let Some(base) = inherited {
            namespaces.push((class, Namespace::Inherited(base)));
        }
    }

    fn class(&mut self, def: &ast::StmtClassDef) {
        for decorator in &def.decorator_list {
            self.visit_expr(&decorator.expression);
        }
        self.define(def.name.as_str(), &def.decorator_list);
        let params = self.type_params(def.type_params.as_deref());
        if let Some(arguments) = &def.arguments {
            self.note_namespace(def.name.as_str(), arguments);
            visitor::walk_arguments(self, arguments);
        }
        let outer = self.open(ScopeKind::Class, def);
        let class = self.scopes.symbols.intern(def.name.as_str());
        self.scopes.scopes[self.current].class = Some(class);
        self.visit_body(&def.body);
        self.close(params.unwrap_or(outer));
    }
}

impl<'a> Visitor<'a> for Builder<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => self.class(def),
            Stmt::Global(global) => {
                for name in &global.names {
                    let at = self.entry(self.current, name.as_str());
                    self.scopes.bindings[at].flags |= BindingFlags::GLOBAL;
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    let at = self.entry(self.current, name.as_str());
                    self.scopes.bindings[at].flags |= BindingFlags::NONLOCAL;
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    let bound = alias.asname.as_ref().map_or_else(
                        || alias.name.as_str().split('.').next().unwrap_or_default(),
                        ast::Identifier::as_str,
                    );
                    let standard = builtin::is_standard_module(alias.name.as_str());
                    let what = if standard { BindingFlags::STANDARD_MODULE } else { BindingFlags::OTHERWISE };
                    self.bind_as(bound, BindingFlags::IMPORTED | what);
                }
            }
            Stmt::ImportFrom(import) => {
                let future = import.module.as_ref().is_some_and(|module| module.as_str() == "__future__");
                for alias in &import.names {
                    self.scopes.postponed_annotations |= future && alias.name.as_str() == "annotations";
                    if alias.name.as_str() != "*" {
                        let bound = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
                        self.bind(bound).flags |= BindingFlags::IMPORTED;
                    }
                }
            }
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.name);
                let outer = self.open(ScopeKind::TypeParams, alias);
                if let Some(params) = &alias.type_params {
                    self.bind_type_params(params);
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
                    ExprContext::Del => self.bind(name.id.as_str()).flags |= BindingFlags::DELETED,
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
                let outer = self.open(ScopeKind::Function, lambda);
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters);
                }
                self.visit_expr(&lambda.body);
                self.close(outer);
            }
            Expr::ListComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::SetComp(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::Generator(comp) => self.comprehension(&comp.generators, [Some(&comp.elt), None], comp),
            Expr::DictComp(comp) => {
                self.comprehension(&comp.generators, [comp.key.as_deref(), Some(&comp.value)], comp);
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
            self.bind(name.as_str()).flags |= BindingFlags::DELETED;
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

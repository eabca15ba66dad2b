//! Scopes and what each binds, by Python's own rules (Language Reference, section 4.2).

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Expr, ExprContext, Stmt};
use rustc_hash::FxHashMap;

use crate::builtin_names;

/// What opened a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScopeKind {
    Module,
    Class,
    /// A `def` or a `lambda`: its body runs later.
    Function,
    /// A comprehension or generator expression.
    Comprehension,
    /// The hidden scope of PEP 695 type parameters.
    TypeParams,
}

/// How a scope binds a name.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the name, in any combination")]
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Binding {
    pub(crate) bound: bool,
    pub(crate) parameter: bool,
    pub(crate) imported: bool,
    /// Some statement may take the binding away (`del`, the end of `except ... as name`).
    pub(crate) deleted: bool,
    pub(crate) global: bool,
    pub(crate) nonlocal: bool,
    /// Bound by an undecorated `def` or `class`.
    pub(crate) defined: bool,
    /// Bound by `import` of a standard library module.
    pub(crate) standard_module: bool,
    /// Bound by anything but that.
    pub(crate) otherwise: bool,
}

pub(crate) struct Scope<'a> {
    pub(crate) kind: ScopeKind,
    pub(crate) parent: usize,
    /// A `def` or `lambda` stands in it, at whatever depth.
    pub(crate) encloses_functions: bool,
    names: FxHashMap<&'a str, u32>,
    pub(crate) bindings: Vec<Binding>,
}

impl<'a> Scope<'a> {
    pub(crate) fn index(&self, name: &str) -> Option<u32> {
        self.names.get(name).copied()
    }

    pub(crate) fn binding(&self, name: &str) -> Option<Binding> {
        self.index(name).map(|index| self.bindings[index as usize])
    }

    fn entry(&mut self, name: &'a str) -> &mut Binding {
        let next = self.bindings.len() as u32;
        let index = *self.names.entry(name).or_insert(next);
        if index == next {
            self.bindings.push(Binding::default());
        }
        &mut self.bindings[index as usize]
    }
}

/// All scopes of a module; number 0 is the module itself.
#[expect(clippy::struct_field_names, reason = "the scopes are what it is about")]
pub(crate) struct Scopes<'a> {
    pub(crate) scopes: Vec<Scope<'a>>,
    by_node: FxHashMap<usize, u32>,
    /// A name that only the long spelling of the hooks leaves free.
    pub(crate) clash: bool,
    /// `from __future__ import annotations` stands in the module.
    pub(crate) postponed_annotations: bool,
    /// Classes that name a metaclass, or inherit one, each with the name it comes from.
    namespaced: Vec<(&'a str, &'a str)>,
}

/// The identity of a syntax node while its tree is borrowed.
pub(crate) fn node_id<T>(node: &T) -> usize {
    std::ptr::from_ref(node) as usize
}

impl<'a> Scopes<'a> {
    pub(crate) fn build(body: &'a [Stmt]) -> Self {
        let mut builder = Builder {
            scopes: Scopes {
                scopes: vec![Scope {
                    kind: ScopeKind::Module,
                    parent: 0,
                    encloses_functions: false,
                    names: FxHashMap::default(),
                    bindings: Vec::new(),
                }],
                by_node: FxHashMap::default(),
                clash: false,
                postponed_annotations: false,
                namespaced: Vec::new(),
            },
            current: 0,
        };
        builder.visit_body(body);
        builder.scopes
    }

    /// The scope that a node opened.
    pub(crate) fn of<T>(&self, node: &T) -> usize {
        self.by_id(node_id(node))
    }

    /// The scope opened by the node of this identity.
    pub(crate) fn by_id(&self, node: usize) -> usize {
        self.by_node.get(&node).map_or(0, |&scope| scope as usize)
    }
}

impl Scopes<'_> {
    /// True for classes whose body may run in an arbitrary mapping, where no lookup may be added: only a metaclass
    /// that the module itself defines can make one (`__prepare__`).
    pub(crate) fn is_namespaced(&self, def: &ast::StmtClassDef) -> bool {
        let mut name = def.name.as_str();
        let own = def.arguments.as_ref().and_then(|arguments| metaclass_name(arguments));
        if let Some(metaclass) = own {
            return self.defines(metaclass);
        }
        for _ in 0..self.namespaced.len() {
            let Some((_, origin)) = self.namespaced.iter().find(|(class, _)| *class == name) else {
                return false;
            };
            if self.namespaced.iter().any(|(class, _)| class == origin) {
                name = origin;
            } else {
                return self.defines(origin);
            }
        }
        false
    }

    fn defines(&self, name: &str) -> bool {
        self.scopes.iter().any(|scope| scope.binding(name).is_some_and(|binding| binding.bound && !binding.imported))
    }
}

/// The plain name after `metaclass=`.
fn metaclass_name(arguments: &ast::Arguments) -> Option<&str> {
    let keyword =
        arguments.keywords.iter().find(|keyword| keyword.arg.as_ref().is_some_and(|arg| arg == "metaclass"))?;
    match &keyword.value {
        Expr::Name(name) => Some(name.id.as_str()),
        _ => None,
    }
}

struct Builder<'a> {
    scopes: Scopes<'a>,
    current: usize,
}

impl<'a> Builder<'a> {
    fn bind(&mut self, name: &'a str) -> &mut Binding {
        self.scopes.clash |= crate::hooks::HookNames::clashes(name);
        let scope = &mut self.scopes.scopes[self.current];
        let global = scope.names.get(name).is_some_and(|&index| scope.bindings[index as usize].global);
        if global {
            let binding = self.scopes.scopes[0].entry(name);
            binding.bound = true;
            binding.otherwise = true;
        }
        let binding = self.scopes.scopes[self.current].entry(name);
        binding.bound = true;
        binding.otherwise = true;
        binding
    }

    /// Binds a name by a statement that says what it is; `note` takes it down.
    fn bind_as(&mut self, name: &'a str, note: impl FnOnce(&mut Binding)) {
        let scope = &self.scopes.scopes[self.current];
        let before = scope.binding(name).is_some_and(|binding| binding.otherwise || binding.global);
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
            encloses_functions: false,
            names: FxHashMap::default(),
            bindings: Vec::new(),
        });
        self.scopes.by_node.insert(node, self.current as u32);
        let mut around = outer;
        while kind == ScopeKind::Function && !self.scopes.scopes[around].encloses_functions {
            self.scopes.scopes[around].encloses_functions = true;
            around = self.scopes.scopes[around].parent;
        }
        outer
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

    fn type_params(&mut self, params: Option<&'a ast::TypeParams>, node: usize) -> Option<usize> {
        let params = params?;
        let outer = self.open(ScopeKind::TypeParams, node);
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
        self.current = outer;
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
        let params = self.type_params(def.type_params.as_deref(), node_id(&def.name));
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
        self.current = params.unwrap_or(outer);
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
        let params = self.type_params(def.type_params.as_deref(), node_id(&def.name));
        if let Some(arguments) = &def.arguments {
            self.note_namespace(def.name.as_str(), arguments);
            visitor::walk_arguments(self, arguments);
        }
        let outer = self.open(ScopeKind::Class, node_id(def));
        self.visit_body(&def.body);
        self.current = params.unwrap_or(outer);
    }
}

impl<'a> Visitor<'a> for Builder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => self.class(def),
            Stmt::Global(global) => {
                for name in &global.names {
                    let scope = &mut self.scopes.scopes[self.current];
                    scope.entry(name.as_str()).global = true;
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    self.scopes.scopes[self.current].entry(name.as_str()).nonlocal = true;
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
                self.current = outer;
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
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                let outer = self.open(ScopeKind::Function, node_id(lambda));
                if let Some(parameters) = &lambda.parameters {
                    self.parameters(parameters);
                }
                self.visit_expr(&lambda.body);
                self.current = outer;
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
                    let inner = self.current;
                    while self.scopes.scopes[self.current].kind == ScopeKind::Comprehension {
                        self.current = self.scopes.scopes[self.current].parent;
                    }
                    self.bind(name.id.as_str());
                    self.current = inner;
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
        let captured = match pattern {
            ast::Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = captured {
            self.bind(name.as_str());
        }
        visitor::walk_pattern(self, pattern);
    }
}

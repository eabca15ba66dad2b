//! What happens to a value after it was read: the roles of the variable it is assigned to, of the same name elsewhere,
//! of attributes of the same name.

use compact_str::CompactString;
use ruff_python_ast::{self as ast, Expr};
use ruff_text_size::Ranged;

use super::Rewriter;
use crate::roles::{Role, Roles};
use crate::scopes::Scopes;
use crate::sites::{Kind, Parameter, Site};
use crate::symbols::Symbol;

/// Collected while the tree is walked.
#[derive(Default)]
pub(super) struct Later {
    /// Sites whose values get a name.
    named: Vec<(u32, Variable)>,
    /// What is iterated over, and the variable that gets its elements.
    elements: Vec<(Iterated, Variable)>,
    /// The bindings of the parameters, in order.
    parameters: Vec<Option<u32>>,
    /// The attributes of the sites that read one, in order; `None` where the site has a mangled name.
    attributes: Vec<Option<Symbol>>,
}

/// What a loop goes over.
enum Iterated {
    Site(u32),
    Variable(Variable),
}

/// Where the roles of a variable are kept.
#[derive(Clone, Copy)]
enum Variable {
    Binding(u32),
    /// The module's; also for names that nothing binds.
    Module(Symbol),
}

impl Later {
    /// Completes the sites.
    pub(super) fn tell(&self, scopes: &mut Scopes<'_>, sites: &mut [Site], parameters: &mut [Parameter]) {
        for (iterated, element) in &self.elements {
            if element.roles(scopes).refuse_text() {
                match iterated {
                    Iterated::Site(site) => sites[*site as usize].later.insert(Role::IteratedDeep),
                    Iterated::Variable(variable) => variable.roles(scopes).insert(Role::IteratedDeep),
                }
            }
        }
        for (parameter, binding) in parameters.iter_mut().zip(&self.parameters) {
            if let Some(at) = binding {
                parameter.later = scopes.bindings[*at as usize].roles;
            }
        }
        for &(site, variable) in &self.named {
            if let Some(site) = sites.get_mut(site as usize) {
                site.later.union(*variable.roles(scopes));
            }
        }
        let reads = sites.iter_mut().filter(|site| site.kind == Kind::Attribute);
        for (site, &symbol) in reads.zip(&self.attributes) {
            if let Some(symbol) = symbol.or_else(|| scopes.symbols.get(&site.name)) {
                site.later.union(scopes.symbols.entry(symbol).attribute_roles);
            }
        }
    }
}

/// Through builtins that pass elements on: what they go over, and what gets its elements.
fn elements<'a>(value: &'a Expr, target: &'a Expr) -> (&'a Expr, &'a Expr) {
    if let Expr::Call(call) = value
        && let Expr::Name(called) = &*call.func
        && let Some(first) = call.arguments.args.first()
    {
        match (called.id.as_str(), target) {
            ("enumerate", Expr::Tuple(parts)) if parts.len() == 2 => return (first, &parts.elts[1]),
            ("zip", Expr::Tuple(parts)) if !parts.is_empty() => return (first, &parts.elts[0]),
            ("sorted" | "reversed" | "list" | "set" | "tuple" | "iter", _) => return (first, target),
            _ => {}
        }
    }
    (value, target)
}

impl Variable {
    fn roles<'s>(self, scopes: &'s mut Scopes<'_>) -> &'s mut Roles {
        match self {
            Variable::Binding(at) => &mut scopes.bindings[at as usize].roles,
            Variable::Module(symbol) => &mut scopes.symbols.entry_mut(symbol).variable_roles,
        }
    }
}

impl<'a> Rewriter<'a> {
    /// Notes what is done with a name.
    pub(super) fn note_name(&mut self, symbol: Symbol, role: Role) {
        if !matches!(role, Role::Plain | Role::Statement) {
            self.variable(symbol).roles(&mut self.scopes).insert(role);
        }
    }

    /// Notes what is done with an attribute.
    pub(super) fn note_attribute(&mut self, symbol: Symbol, role: Role) {
        if !matches!(role, Role::Plain | Role::Statement) {
            self.scopes.symbols.entry_mut(symbol).attribute_roles.insert(role);
        }
    }

    /// Notes that a site is a read of this name, whose other reads give the same value.
    pub(super) fn note_site(&mut self, site: u32, symbol: Symbol) {
        let variable = self.variable(symbol);
        self.later.named.push((site, variable));
    }

    /// Records the parameters of the function that was just entered.
    pub(super) fn note_parameters(&mut self, parameters: &'a ast::Parameters) {
        let function = self.frame().function;
        for parameter in parameters {
            let name = parameter.name();
            let symbol = self.scopes.symbols.intern(name.as_str());
            let binding = self.scopes.visible(symbol).next().map(|(at, _)| at);
            self.later.parameters.push(binding);
            self.parameters.push(Parameter {
                function,
                name: CompactString::new(name.as_str()),
                later: Roles::default(),
                start: name.start().to_u32(),
                end: name.end().to_u32(),
            });
        }
    }

    /// Records a site that reads an attribute.
    pub(super) fn attribute_site(&mut self, attribute: &'a ast::ExprAttribute, role: Role) -> u32 {
        let name = attribute.attr.as_str();
        let site = self.site(Kind::Attribute, name, role, attribute, attribute.attr.start());
        let symbol = if self.is_private(name) { None } else { Some(self.scopes.symbols.intern(name)) };
        self.later.attributes.push(symbol);
        site
    }

    /// Notes that the value of the expression, whose sites start at `first`, is assigned to a target.
    pub(super) fn note_assigned(&mut self, first: usize, value: &Expr, target: &'a Expr) {
        if let Expr::Name(name) = target
            && self.is_site(first, value)
        {
            let symbol = self.scopes.symbols.intern(name.id.as_str());
            self.note_site(first as u32, symbol);
        }
    }

    /// Notes that a loop's target takes the elements of the expression, whose sites start at `first`. The target is in
    /// scope.
    pub(super) fn note_elements(&mut self, first: usize, value: &'a Expr, target: &'a Expr) {
        let (value, target) = elements(value, target);
        let Expr::Name(target) = target else { return };
        let iterated = match value {
            Expr::Name(name) => {
                let symbol = self.scopes.symbols.intern(name.id.as_str());
                Iterated::Variable(self.variable(symbol))
            }
            _ if self.is_site(first, value) => Iterated::Site(first as u32),
            _ => return,
        };
        let symbol = self.scopes.symbols.intern(target.id.as_str());
        let element = self.variable(symbol);
        self.later.elements.push((iterated, element));
    }

    /// True if a site is that of the whole expression.
    fn is_site(&self, site: usize, expr: &Expr) -> bool {
        let whole = |site: &Site| site.start == expr.start().to_u32() && site.end == expr.end().to_u32();
        self.sites.get(site).is_some_and(whole)
    }

    fn variable(&self, symbol: Symbol) -> Variable {
        for (at, binding) in self.scopes.visible(symbol) {
            if binding.scope == 0 || binding.global {
                break;
            }
            if !binding.nonlocal {
                return Variable::Binding(at);
            }
        }
        Variable::Module(symbol)
    }
}

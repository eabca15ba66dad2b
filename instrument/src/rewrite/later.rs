//! What happens to a value after it was read: the roles of the variable it is assigned to, of the same name elsewhere,
//! of attributes of the same name.

use ruff_python_ast::Expr;
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::Rewriter;
use crate::roles::{Role, Roles};
use crate::sites::{Kind, Site};

/// Collected while the tree is walked.
#[derive(Default)]
pub(super) struct Later<'a> {
    /// By the scope that binds the name; the module for those that nothing binds.
    names: FxHashMap<(usize, &'a str), Roles>,
    attributes: FxHashMap<&'a str, Roles>,
    /// Sites whose values get a name.
    named: Vec<(u32, (usize, &'a str))>,
}

impl Later<'_> {
    /// Completes the sites.
    pub(super) fn tell(&self, sites: &mut [Site]) {
        for &(site, variable) in &self.named {
            if let (Some(site), Some(&roles)) = (sites.get_mut(site as usize), self.names.get(&variable)) {
                site.later.union(roles);
            }
        }
        for site in sites.iter_mut().filter(|site| site.kind == Kind::Attribute) {
            if let Some(&roles) = self.attributes.get(site.name.as_str()) {
                site.later.union(roles);
            }
        }
    }
}

impl<'a> Rewriter<'a> {
    /// Notes what is done with a name.
    pub(super) fn note_name(&mut self, name: &'a str, role: Role) {
        if !matches!(role, Role::Plain | Role::Statement) {
            let scope = self.binding_scope(name);
            self.later.names.entry((scope, name)).or_default().insert(role);
        }
    }

    /// Notes what is done with an attribute.
    pub(super) fn note_attribute(&mut self, name: &'a str, role: Role) {
        if !matches!(role, Role::Plain | Role::Statement) {
            self.later.attributes.entry(name).or_default().insert(role);
        }
    }

    /// Notes that a site is a read of this name, whose other reads give the same value.
    pub(super) fn note_site(&mut self, site: u32, name: &'a str) {
        let scope = self.binding_scope(name);
        self.later.named.push((site, (scope, name)));
    }

    /// Notes that the value of the expression, whose sites start at `first`, is assigned to a target.
    pub(super) fn note_assigned(&mut self, first: usize, value: &Expr, target: &'a Expr) {
        let whole = |site: &Site| site.start == value.start().to_u32() && site.end == value.end().to_u32();
        if let Expr::Name(name) = target
            && self.sites.get(first).is_some_and(whole)
        {
            self.note_site(first as u32, name.id.as_str());
        }
    }

    fn binding_scope(&self, name: &str) -> usize {
        let mut at = self.frames[self.frames.len() - 1].scope;
        while at != 0 {
            let scope = &self.scopes.scopes[at];
            if let Some(binding) = scope.binding(name) {
                if binding.global {
                    return 0;
                }
                if !binding.nonlocal {
                    return at;
                }
            }
            at = scope.parent;
        }
        0
    }
}

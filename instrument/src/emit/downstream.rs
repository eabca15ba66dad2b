//! Downstream uses: what happens to a value after it was read. They are the roles of the variable that it is assigned
//! to, of its name elsewhere, and of attributes of its name; a value that is filled in has to be fit for all of them.

use ruff_index::IndexVec;

use crate::role::{Role, Roles};
use crate::semantic::SourceModel;
use crate::semantic::feeds::{Iterated, Origin, Target};
use crate::semantic::symbol::{BindingId, Symbol, is_private};
use crate::semantic::uses::{Form, Use, UseFlags, UseId, Variable};
use crate::sites::{Parameter, Site};

/// What is done with each variable, and with attributes of each name.
struct Known {
    bindings: IndexVec<BindingId, Roles>,
    free: IndexVec<Symbol, Roles>,
    attributes: IndexVec<Symbol, Roles>,
}

impl Known {
    fn of(model: &SourceModel, postponed: bool) -> Self {
        let scopes = &model.tables.scopes;
        let symbols = scopes.symbols.entries.len();
        let none = |len: usize| vec![Roles::default(); len];
        let mut known = Self {
            bindings: IndexVec::from_raw(none(scopes.bindings.len())),
            free: IndexVec::from_raw(none(symbols)),
            attributes: IndexVec::from_raw(none(symbols)),
        };
        for used in &model.tables.uses {
            let telling = !matches!(used.role, Role::Plain | Role::Statement);
            let unevaluated = used.is(UseFlags::NOT_GUARDED) || postponed && used.is(UseFlags::ANNOTATION);
            if telling && !unevaluated {
                known.note(used);
            }
        }
        known
    }

    fn note(&mut self, used: &Use) {
        match used.form {
            Form::Name | Form::ReadBefore => self.variable(used.variable).insert(used.role),
            Form::Attribute => self.attributes[used.symbol].insert(used.role),
            _ => {}
        }
    }

    fn variable(&mut self, variable: Variable) -> &mut Roles {
        match variable {
            Variable::Binding(at) => &mut self.bindings[at],
            Variable::Free(symbol) => &mut self.free[symbol],
        }
    }
}

/// What is done with the values of a name, in whatever scope; `None` for a name that is read in annotations alone, or not
/// at all.
pub fn roles_of_name(model: &SourceModel, name: &str) -> Option<Roles> {
    let symbol = model.tables.scopes.symbols.get(name)?;
    let mut roles = None;
    for used in &model.tables.uses {
        let is_read = matches!(used.form, Form::Name | Form::ReadBefore) && used.symbol == symbol;
        if is_read && !used.is(UseFlags::ANNOTATION) {
            // What decorates is called.
            let role = if used.role == Role::Decorator { Role::Callee } else { used.role };
            roles.get_or_insert_with(Roles::default).insert(role);
        }
    }
    roles
}

/// Completes the sites, whose uses are given, and lists the parameters of all functions that have a name.
pub(super) fn complete(model: &SourceModel, postponed: bool, uses: &[UseId], sites: &mut [Site]) -> Vec<Parameter> {
    let tables = &model.tables;
    let mut known = Known::of(model, postponed);
    let site_of = |used: UseId| uses.binary_search(&used).ok();
    for elements in &tables.elements {
        if known.variable(elements.target).refuse_text() {
            match elements.of {
                Iterated::Variable(variable) => known.variable(variable).insert(Role::IteratedDeep),
                Iterated::Use(used) => {
                    if let Some(site) = site_of(used) {
                        sites[site].downstream.insert(Role::IteratedDeep);
                    }
                }
            }
        }
    }
    // `x = value`: what is done with `x` is done with the value.
    for feed in tables.feeds.iter().filter(|feed| feed.origin == Origin::Assigned) {
        if let (Target::Variable(variable), Some((_, start, end))) = (feed.target, feed.value)
            && feed.whole == Some((start, end))
            && let Some(site) = site_of(feed.first)
        {
            sites[site].downstream.union(*known.variable(variable));
        }
    }
    for (site, &id) in sites.iter_mut().zip(uses) {
        let used = &tables.uses[id];
        match used.form {
            Form::Name | Form::ReadBefore => site.downstream.union(*known.variable(used.variable)),
            Form::Attribute | Form::Augmented => {
                let symbol = if is_private(model.name(used.symbol)) {
                    tables.scopes.symbols.get(&site.name)
                } else {
                    Some(used.symbol)
                };
                if let Some(symbol) = symbol {
                    site.downstream.union(known.attributes[symbol]);
                }
            }
            _ => {}
        }
    }
    let parameters = tables.uses.iter().filter(|used| used.form == Form::Parameter && !used.is(UseFlags::NOT_GUARDED));
    let parameter = |used: &Use| Parameter {
        function: tables.scopes.scopes[used.scope].function,
        name: tables.scopes.symbols.name(used.symbol).clone(),
        downstream: *known.variable(used.variable),
        start: used.start,
        end: used.end,
    };
    parameters.map(parameter).collect()
}

//! What is missing in a snippet, as its runs have shown.

use std::collections::BTreeMap;

use surmise_engine::plan::{Plan, accepts, may_have};
use surmise_engine::protocol::Injection;
use surmise_instrument::{Kind, Role, Roles, Site, roles_of_name};
use surmise_ledger::Ledger;
use surmise_llm::Literal;
use surmise_value_model::Class;

/// Values that are asked for at most.
const MOST: usize = 60;

/// Bytes of a call whose text is shown.
const MOST_TEXT: usize = 120;

/// Missing values by the numbers under which they are asked for.
pub type Asked<'a> = BTreeMap<usize, &'a Missing>;

/// Kind of what is imported by name from a module that is not there, or lacks it.
const IMPORTED: &str = "imported name";

/// A missing value: all uses under one access path.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Sites of its uses; none for an imported name, which has its value from its import on.
    pub sites: Vec<u32>,
    /// `variable`, `attribute`, `return value` or `imported name`.
    pub kind: String,
    /// Access path, `orders.pending()[0].total`, or the dotted name of what is imported.
    pub path: String,
    /// How the source writes the first use, which is clearer than a path with made-up arguments.
    pub text: String,
    /// Names that the imported name is bound to; empty for others.
    pub bound: Vec<String>,
    /// Line of the first use, from 1.
    pub line: u32,
    /// Probability of the class that the built-in model gave it.
    pub probability: f32,
}

impl Missing {
    /// True for what is imported by name.
    pub(crate) fn is_imported(&self) -> bool {
        self.kind == IMPORTED
    }

    /// True if the code can use a value of a class here, as far as its text shows it.
    pub(crate) fn can_be(&self, class: Class, plan: &Plan) -> bool {
        let mut sites = self.sites.iter().filter_map(|site| plan.sites.get(*site as usize));
        let elsewhere = |roles: &Roles| accepts(class, roles.iter().map(|role| (role, Kind::Variable)));
        sites.all(|site| may_have(site, class))
            && self.bound.iter().all(|name| roles_of_name(&plan.model, name).is_none_or(|roles| elsewhere(&roles)))
    }

    /// True if the built-in model ranks a class first, too, wherever the value is used.
    pub(crate) fn is_expected(&self, class: Class, plan: &Plan) -> bool {
        let is_first = |site: &u32| plan.ranking(*site).first().is_some_and(|prediction| prediction.class == class);
        !self.sites.is_empty() && self.sites.iter().all(is_first)
    }

    /// True if a run injected a value here that prints as this literal.
    pub(crate) fn got(&self, literal: &Literal, injection: &Injection) -> bool {
        let is_here = match injection.site {
            Some(site) => self.sites.contains(&site),
            None => self.is_imported() && imports(injection, &self.path),
        };
        is_here && is_written(literal, &injection.value)
    }
}

/// True if a value prints as a text, which ends in dots where it was cut.
fn is_written(literal: &Literal, text: &str) -> bool {
    if let Literal::Made(..) = literal {
        // Python writes it in its own way, with other arguments: `PosixPath('a')`, `datetime.datetime(2024, 1, 1, 0, 0)`.
        let name = text.split_once('(').map_or("", |(head, _)| head.rsplit('.').next().unwrap_or(head));
        if name.ends_with(literal.type_name()) {
            return true;
        }
    }
    Literal::parse(text).map_or_else(
        |_| text.strip_suffix("...").is_some_and(|begin| literal.to_string().starts_with(begin)),
        |value| value == *literal,
    )
}

/// True if an injection is that of a name that is imported: `module.name`.
fn imports(injection: &Injection, path: &str) -> bool {
    let name = path.rsplit('.').next().unwrap_or(path);
    injection.site.is_none()
        && match injection.kind.as_str() {
            "attribute" => injection.name == name,
            "import" | "absent name" => injection.name == path,
            _ => false,
        }
}

/// What the runs of a search injected at sites, in the order of the text; only what is less likely than `below`, if that
/// is given.
pub(crate) fn missing(plan: &Plan, ledger: &Ledger, below: Option<f32>) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    let injections =
        || ledger.entries().iter().filter(|entry| !entry.trial.is_probe()).flat_map(|entry| &entry.injections);
    for injection in injections() {
        let Some((site, path)) = site_and_path(injection) else { continue };
        let Some(row) = plan.sites.get(site as usize).filter(|row| !row.annotation && may_be_literal(row)) else {
            continue;
        };
        // Another run may have reached the site by another path, which has made-up values in it.
        if found.iter().any(|known| known.sites.contains(&site)) {
            continue;
        }
        let ranked = plan.ranking(site).first();
        let probability = ranked.map_or(0.0, |prediction| prediction.probability);
        if below.is_some_and(|below| probability >= below) {
            continue;
        }
        match found.iter_mut().find(|known| known.path == path && known.kind == injection.kind) {
            Some(known) => known.sites.push(site),
            None => found.push(Missing {
                sites: vec![site],
                kind: injection.kind.clone(),
                path: path.to_owned(),
                text: written(plan, row, path).to_owned(),
                bound: Vec::new(),
                line: row.line,
                probability,
            }),
        }
    }
    // The built-in model says nothing of them.
    for (path, bound, line) in imported(plan).filter(|_| below.is_none_or(|below| below > 0.0)) {
        if !injections().any(|injection| injection.line == line && imports(injection, &path)) {
            continue;
        }
        match found.iter_mut().find(|known| known.is_imported() && known.path == path) {
            Some(known) if known.bound.contains(&bound) => {}
            Some(known) => known.bound.push(bound),
            None => found.push(Missing {
                sites: Vec::new(),
                kind: IMPORTED.to_owned(),
                text: path.clone(),
                path,
                bound: vec![bound],
                line,
                probability: 0.0,
            }),
        }
    }
    found.sort_by_key(|missing| missing.line);
    found.truncate(MOST);
    found
}

/// False where the code needs what no literal can be, such as a function or a context, or drops the value.
fn may_be_literal(site: &Site) -> bool {
    site.role != Role::Statement && !site.role.needs_object() && !site.downstream.iter().any(Role::needs_object)
}

/// What the text imports by name and uses as a value that a literal could be: dotted name, the name it is bound to, line.
fn imported(plan: &Plan) -> impl Iterator<Item = (String, String, u32)> {
    let is_value = |name: &str| roles_of_name(&plan.model, name).is_some_and(satisfies_any);
    let imports = plan.instrumented.imports.iter().filter(|import| import.level == 0 && !import.module.is_empty());
    imports.flat_map(move |import| {
        let names = import.names.iter().zip(&import.bound).filter(move |(_, bound)| is_value(bound));
        names.map(|(name, bound)| (format!("{}.{name}", import.module), bound.clone(), import.line))
    })
}

/// True if a value that can be written down can be used in all these ways; false for what is called.
fn satisfies_any(roles: Roles) -> bool {
    let is_object = |class: &Class| matches!(class, Class::Object | Class::Callable | Class::Resource);
    let accepts = |class: &Class| accepts(*class, roles.iter().map(|role| (role, Kind::Variable)));
    Class::ALL.iter().filter(|class| !is_object(class)).any(accepts)
}

/// The text of what holds the result of a call, if it is short and stands on one line; else the access path.
fn written<'a>(plan: &'a Plan, site: &Site, path: &'a str) -> &'a str {
    let is_short = |text: &&str| text.len() <= MOST_TEXT && !text.contains(['\n', '\r', '`']);
    let text = plan.text.get(site.start as usize..site.end as usize).filter(is_short);
    text.filter(|_| site.kind != Kind::Variable && path.contains('(')).unwrap_or(path)
}

/// Site and access path of what was injected for a read or a call.
fn site_and_path(injection: &Injection) -> Option<(u32, &str)> {
    let is_value = matches!(injection.kind.as_str(), "variable" | "attribute" | "return value");
    let path = injection.path.as_deref().unwrap_or(&injection.name);
    Some((injection.site.filter(|_| is_value)?, path))
}

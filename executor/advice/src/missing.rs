//! What is missing in a snippet, as its runs have shown.

use surmise_engine::plan::Plan;
use surmise_engine::protocol::Injection;
use surmise_ledger::Ledger;

/// Values that are asked for at most.
const MOST: usize = 60;

/// A missing value: all uses under one access path.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Sites of its uses.
    pub sites: Vec<u32>,
    /// `variable`, `attribute` or `return value`.
    pub kind: String,
    /// Access path: `orders.pending()[0].total`.
    pub path: String,
    /// Line of the first use, from 1.
    pub line: u32,
    /// Probability of the class that the built-in model gave it.
    pub probability: f32,
}

/// What the runs of a search injected at sites, in the order of the text; only what is less likely than `below`, if that
/// is given.
pub(crate) fn missing(plan: &Plan, ledger: &Ledger, below: Option<f32>) -> Vec<Missing> {
    let mut found: Vec<Missing> = Vec::new();
    let injections =
        ledger.entries().iter().filter(|entry| !entry.trial.is_probe()).flat_map(|entry| &entry.injections);
    for injection in injections {
        let Some((site, path)) = site_and_path(injection) else { continue };
        let Some(row) = plan.sites.get(site as usize).filter(|row| !row.annotation) else { continue };
        let ranked = plan.ranking(site).first();
        let probability = ranked.map_or(0.0, |prediction| prediction.probability);
        if below.is_some_and(|below| probability >= below) {
            continue;
        }
        match found.iter_mut().find(|known| known.path == path && known.kind == injection.kind) {
            Some(known) if known.sites.contains(&site) => {}
            Some(known) => known.sites.push(site),
            None => found.push(Missing {
                sites: vec![site],
                kind: injection.kind.clone(),
                path: path.to_owned(),
                line: row.line,
                probability,
            }),
        }
    }
    found.sort_by_key(|missing| missing.line);
    found.truncate(MOST);
    found
}

/// Site and access path of what was injected for a read or a call.
fn site_and_path(injection: &Injection) -> Option<(u32, &str)> {
    let is_value = matches!(injection.kind.as_str(), "variable" | "attribute" | "return value");
    let path = injection.path.as_deref().unwrap_or(&injection.name);
    Some((injection.site.filter(|_| is_value)?, path))
}

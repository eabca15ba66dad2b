//! Where a run could go another way, and which values decide it.
//!
//! A search over many runs asks three things of the text: which blocks a branch leads to ([`Branch`]), which
//! expressions a value comes from ([`Paths::feeding`]), and what a condition compares it with ([`Hint`]). All of it
//! is syntax: names are followed by their spelling, without regard to scopes, so the answers are candidates that a run
//! has to confirm.

mod arguments;
mod branches;
mod characters;
mod conditions;
mod containers;
mod formats;
mod hints;
mod joined_texts;
mod literals;
mod lookups;
mod origins;
mod outcomes;
mod tables;
#[cfg(test)]
mod tests;
mod unbound;
mod wishes;

use std::ops::Range;

use compact_str::{CompactString, format_compact};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::semantic::SourceModel;
use crate::semantic::builtin::is_builtin;
use crate::semantic::feeds::{Origin, Target};
use crate::semantic::scope::Scopes;
use crate::semantic::uses::{Form, UseFlags, Variable};

pub use branches::{Branch, Side, Way};
pub use containers::{Containers, Lookup};
pub use origins::{MadeUp, Origins};
pub use outcomes::{Outcome, Question, Requirement};
pub use unbound::is_never_bound_before;
pub use wishes::{Hint, Wish};

/// A source as a search sees it.
#[derive(Clone, Debug, Default)]
pub struct Paths {
    /// All branches, in the order of the text.
    pub branches: Vec<Branch>,
    /// What conditions compare values with.
    pub hints: Vec<Hint>,
    /// How conditions come out.
    pub outcomes: Vec<Outcome>,
    /// Texts in the form in which the code reads them.
    pub formats: Vec<Hint>,
    /// Other texts in such forms.
    pub other_formats: Vec<Hint>,
    /// Simple statements and headers: lines and bytes, by their start.
    statements: Vec<(Range<u32>, (u32, u32))>,
    /// Where the values of names, attributes and results come from.
    pub origins: Origins,
    /// Names of imports.
    imported: FxHashSet<CompactString>,
    /// Names of functions, classes and imports.
    defined: FxHashSet<CompactString>,
    /// What the source itself says of the values of its names.
    pub containers: Containers,
    /// Tables that the `csv` module reads.
    tables: tables::Tables,
    /// How many of their values are items: `a[i] = value`.
    items: FxHashMap<CompactString, usize>,
    /// How many of them are those of comprehensions.
    comprehended: FxHashMap<CompactString, usize>,
    /// How many of them are those of loops.
    looped: FxHashMap<CompactString, usize>,
    has_functions: bool,
    /// Code objects, outer ones first.
    codes: Vec<Range<u32>>,
    /// Values that are added to those of names, and the like: `total += row`.
    augmented: Vec<(CompactString, Range<u32>)>,
    /// Assignments outside of functions to names of builtins.
    shadows: Vec<(CompactString, Range<u32>)>,
}

/// Variables and attributes (`.name`) and results (`name()`) as they are spelled, without regard to scopes.
fn spelled(scopes: &Scopes, target: Target) -> CompactString {
    match target {
        Target::Variable(Variable::Binding(binding)) => scopes.symbols.name(scopes.bindings[binding].symbol).clone(),
        Target::Variable(Variable::Free(symbol)) => scopes.symbols.name(symbol).clone(),
        Target::Attribute(symbol) => format_compact!(".{}", scopes.symbols.name(symbol)),
        Target::Results(symbol) | Target::Property(symbol) => format_compact!("{}()", scopes.symbols.name(symbol)),
    }
}

impl Paths {
    /// Asks a model for its branches, reads and feeds.
    #[must_use]
    pub fn of(model: &SourceModel) -> Self {
        let (graph, lines) = (model.control_flow(), model.lines());
        // Without memory for a stack there are no hints.
        let codes = graph.codes.iter().map(|code| code.range.clone()).collect();
        let mut paths = Self { branches: branches::find(graph, lines), codes, ..Self::default() };
        paths.read(model);
        paths.follow(model);
        let mut concluded = containers::Conclusions::default();
        let mut conclude = |collector: containers::Collector<'_>| {
            concluded = collector.containers(|name| paths.binds(name), |name| paths.reads_of(name));
        };
        let found = model.with_tree(|tree| conditions::find(tree.suite(), &mut conclude)).unwrap_or_default();
        (paths.hints, paths.outcomes, paths.formats) = (found.hints, found.outcomes, found.formats);
        (paths.tables, paths.other_formats) = (found.tables, found.other_formats);
        (paths.containers, paths.origins.written) = (concluded.containers, concluded.written);
        paths.origins.augmented = found.augmented;
        paths.origins.augmented.sort_unstable();
        for node in graph.nodes.iter().filter(|node| node.is_statement()) {
            let span = (lines.line(node.range.start), branches::last_line(lines, &node.range));
            paths.statements.push((node.range.clone(), span));
        }
        for (name, range) in concluded.handed {
            paths.origins.handed.entry(name).or_default().push(range);
        }
        // A name that is bound again may stand for another function, and what a generator gives is no returned value.
        let generators: FxHashSet<CompactString> = model
            .tables
            .feeds
            .iter()
            .filter(|feed| feed.origin == Origin::Generator)
            .map(|feed| spelled(&model.tables.scopes, feed.target))
            .collect();
        let is_plain =
            |name: &str| paths.binds(name) == (1, 0) && !generators.contains(format_compact!("{name}()").as_str());
        let own = found.of_own_functions.into_iter().filter(|(name, _)| is_plain(name)).map(|(_, range)| range);
        paths.origins.own_arguments = own.collect();
        paths.origins.own_arguments.sort_unstable_by_key(|range| range.start);
        for (name, range) in found.put {
            paths.origins.put.entry(name).or_default().push(range);
        }
        paths
    }

    fn read(&mut self, model: &SourceModel) {
        let symbols = &model.tables.scopes.symbols;
        for used in model.tables.uses.iter().filter(|used| !used.is(UseFlags::SIGNATURE)) {
            let name = symbols.name(used.symbol);
            let read = match used.form {
                Form::Name => name.clone(),
                Form::Attribute => format_compact!(".{name}"),
                Form::Call if used.is(UseFlags::DIRECT) => format_compact!("{name}()"),
                _ => continue,
            };
            self.origins.reads.push((used.start, read));
        }
        self.origins.reads.sort_unstable();
    }

    fn follow(&mut self, model: &SourceModel) {
        for feed in &model.tables.feeds {
            let name = spelled(&model.tables.scopes, feed.target);
            match feed.origin {
                Origin::Function | Origin::PropertyFunction => self.has_functions = true,
                Origin::Class => {}
                Origin::Import | Origin::FromImport | Origin::FromImportClass | Origin::FromImportConstant => {
                    self.imported.insert(name.clone());
                    // What is imported is real or, where it is missing, made up in the statement.
                    if let Some((start, end)) = feed.whole {
                        self.origins.put.entry(name.clone()).or_default().push(start..end);
                    }
                }
                _ => {
                    let Some((start, end)) = feed.whole else { continue };
                    let is_variable = matches!(feed.target, Target::Variable(_));
                    match feed.origin {
                        Origin::Loop if is_variable => *self.looped.entry(name.clone()).or_default() += 1,
                        Origin::Comprehension if is_variable => {
                            *self.comprehended.entry(name.clone()).or_default() += 1;
                        }
                        Origin::Item if is_variable => *self.items.entry(name.clone()).or_default() += 1,
                        Origin::Augmented if is_variable => self.augmented.push((name.clone(), start..end)),
                        _ => {}
                    }
                    if is_variable && !feed.in_function && is_builtin(&name) {
                        self.shadows.push((name.clone(), start..end));
                    }
                    self.origins.feeds.entry(name).or_default().push(start..end);
                    continue;
                }
            }
            self.defined.insert(name);
        }
        #[expect(clippy::iter_over_hash_type, reason = "each list is sorted by itself")]
        for ranges in self.origins.feeds.values_mut() {
            // The model has the order of evaluation, in which `else` comes before `except`.
            ranges.sort_by_key(|range| range.start);
        }
    }

    /// Names that the source binds anywhere: assignments, loops, parameters, functions, classes, imports.
    pub fn bound_names(&self) -> impl Iterator<Item = &str> {
        let values = self.origins.feeds.keys().filter(|name| !name.starts_with('.') && !name.ends_with("()"));
        values.chain(&self.defined).map(CompactString::as_str)
    }

    /// True if a read at an offset may come before the source binds the name: a binding stands before it, on a way that
    /// was not taken, or all stand behind and none makes the value from the name itself, as code does with its parameters.
    #[must_use]
    pub fn may_be_unbound(&self, name: &str, offset: u32) -> bool {
        let Some(values) = self.origins.feeds.get(name) else { return true };
        let here = self.statements.iter().rev().find(|(range, _)| range.contains(&offset)).map(|(range, _)| range);
        let elsewhere = |value: &Range<u32>| here.is_none_or(|here| !here.contains(&value.start));
        let of_itself =
            |value: &Range<u32>| self.augments(name, value) && elsewhere(value) || self.is_made_of(value.clone(), name);
        values.iter().any(|value| value.end <= offset) || !values.iter().any(of_itself)
    }

    /// True if `name += value` is where a value goes to a name.
    fn augments(&self, name: &str, value: &Range<u32>) -> bool {
        self.augmented.iter().any(|(augmented, range)| augmented == name && range == value)
    }

    /// True if an expression reads a name, or one that gets its value, directly or not, from an expression that does.
    fn is_made_of(&self, expression: Range<u32>, name: &str) -> bool {
        let mut seen: FxHashSet<&str> = FxHashSet::default();
        let mut left = vec![&expression];
        while let Some(range) = left.pop() {
            let from = self.origins.reads.partition_point(|(start, _)| *start < range.start);
            let inside = self.origins.reads[from..].iter().take_while(|(start, _)| *start < range.end);
            for (_, read) in inside {
                if read == name {
                    return true;
                }
                if seen.insert(read) {
                    left.extend(self.origins.feeds.get(read).into_iter().flatten());
                }
            }
        }
        false
    }

    /// True for a name that only comprehensions bind, each for itself.
    #[must_use]
    pub fn is_only_comprehended(&self, name: &str) -> bool {
        let bound = self.origins.feeds.get(name).map_or(0, Vec::len);
        bound > 0 && self.comprehended.get(name) == Some(&bound) && !self.defined.contains(name)
    }

    /// True for a name that only loops bind.
    #[must_use]
    pub fn is_only_looped(&self, name: &str) -> bool {
        let bound = self.origins.feeds.get(name).map_or(0, Vec::len);
        bound > 0 && self.looped.get(name) == Some(&bound) && !self.defined.contains(name)
    }

    /// Builtins that are read before the code outside of functions assigns to their names, with the place of the read.
    #[must_use]
    pub fn builtins_read_first(&self) -> Vec<(&str, u32)> {
        let mut first: Vec<&(CompactString, Range<u32>)> = Vec::new();
        for shadow in &self.shadows {
            if first.iter().all(|(name, _)| *name != shadow.0) {
                first.push(shadow);
            }
        }
        let own = first.into_iter().filter(|(name, _)| !self.defined.contains(name));
        own.filter_map(|(name, value)| Some((name.as_str(), self.first_read(name, 0..value.end)?))).collect()
    }

    /// The range of the function, or module, in whose code an offset lies.
    #[must_use]
    pub fn code_around(&self, offset: u32) -> Option<&Range<u32>> {
        self.codes.iter().rev().find(|range| range.contains(&offset))
    }

    /// True for the name of an import.
    #[must_use]
    pub fn is_imported(&self, name: &str) -> bool {
        self.imported.contains(name)
    }

    /// Values that the code gives to the name of an import besides: `None` in `except ImportError: yaml = None`.
    pub fn instead_of_import(&self, name: &str) -> impl Iterator<Item = &Range<u32>> {
        self.origins.feeds.get(name).filter(|_| self.imported.contains(name)).into_iter().flatten()
    }

    /// How often a name is bound, items of it included, and how often only an item is.
    fn binds(&self, name: &str) -> (usize, usize) {
        let values = self.origins.feeds.get(name).map_or(0, Vec::len) + usize::from(self.defined.contains(name));
        (values, self.items.get(name).copied().unwrap_or(0))
    }

    /// True if the source defines a function.
    #[must_use]
    pub const fn has_functions(&self) -> bool {
        self.has_functions
    }

    /// How often a name is read.
    #[must_use]
    pub fn reads_of(&self, name: &str) -> usize {
        self.origins.reads.iter().filter(|(_, read)| read == name).count()
    }

    /// True for a name of whose value the source only reads items at places that it writes out, others than the first one
    /// among them, as of a record: `row[0]`, `row[2]`.
    #[must_use]
    pub fn is_record(&self, name: &str, text: &str) -> bool {
        let place = |key: &Range<u32>| text.get(key.start as usize..key.end as usize)?.parse::<i64>().ok();
        let places: Vec<i64> = self.containers.lookups_in(name).filter_map(|lookup| place(&lookup.key)).collect();
        places.iter().any(|place| *place != 0) && places.len() == self.reads_of(name)
    }

    /// The innermost simple statement or header on a line.
    #[must_use]
    pub fn statement(&self, line: u32) -> Option<Range<u32>> {
        let on_line = self.statements.iter().filter(|(_, (first, last))| (*first..=*last).contains(&line));
        on_line.min_by_key(|(range, _)| range.end - range.start).map(|(range, _)| range.clone())
    }

    /// True if the source gives a value to a variable or an attribute (`.name`).
    #[must_use]
    pub fn is_assigned(&self, name: &str) -> bool {
        self.binds(name).0 > 0
    }

    /// The value that the assignment on a line gives to names, attributes or items.
    #[must_use]
    pub fn assigned_value(&self, line: u32) -> Option<Range<u32>> {
        let statement = self.statement(line)?;
        let values = self.origins.feeds.values().flatten();
        let own = values.filter(|value| statement.start < value.start && value.end == statement.end);
        own.min_by_key(|value| value.start).cloned()
    }

    /// True if a range reads a name that neither the source nor Python defines.
    #[must_use]
    pub fn reads_unbound(&self, range: &Range<u32>) -> bool {
        let from = self.origins.reads.partition_point(|(start, _)| *start < range.start);
        let inside = self.origins.reads[from..].iter().take_while(|(start, _)| *start < range.end);
        let is_unbound = |name: &str| {
            let is_variable = !name.starts_with('.') && !name.ends_with("()");
            is_variable && self.binds(name).0 == 0 && !self.origins.put.contains_key(name) && !is_builtin(name)
        };
        inside.into_iter().any(|(_, name)| is_unbound(name))
    }

    /// Where a name is first read from an offset on, up to another.
    #[must_use]
    pub fn first_read(&self, name: &str, within: Range<u32>) -> Option<u32> {
        let from = self.origins.reads.partition_point(|(start, _)| *start < within.start);
        let mut inside = self.origins.reads[from..].iter().take_while(|(start, _)| *start < within.end);
        inside.find(|(_, read)| read == name).map(|(start, _)| *start)
    }
}

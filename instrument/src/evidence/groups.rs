//! Groups of what reads and writes one value, from the uses and feeds of a model.

use rustc_hash::FxHashMap;

use crate::semantic::SourceModel;
use crate::semantic::feeds::{Feed, Origin, Target};
use crate::semantic::scope::ScopeKind;
use crate::semantic::shape::Counts;
use crate::semantic::uses::{Form, Use, UseFlags, UseId, Variable};
use crate::sites::Kind;

/// A set of [`Origin`]s; empty for names that nothing in the source binds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origins(u32);

impl Origins {
    /// Those that a set may hold, by their number.
    pub const ALL: &[Origin] = Origin::ALL.split_at(Origin::Builtin as usize + 1).0;

    /// True if an origin is among them.
    #[must_use]
    pub const fn contains(self, origin: Origin) -> bool {
        self.0 >> origin as u32 & 1 == 1
    }

    /// Those in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn insert(&mut self, origin: Origin) {
        self.0 |= 1 << origin as u32;
    }
}

/// What reads and writes one value: a variable, the attributes of one name, or the results of the functions of one name.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Literals that are assigned to it or returned.
    pub literals: Counts,
    /// What its annotations promise.
    pub annotations: Counts,
    /// How it comes by its values.
    pub origins: Origins,
    /// The asked places whose values are assigned to it or returned, by their number.
    pub values: Vec<u32>,
}

/// What is known of one asked place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The group that it reads.
    pub group: u32,
    /// For calls: the group of what is called.
    pub callee: Option<u32>,
    /// The groups that its value goes to.
    pub targets: Vec<u32>,
}

/// Numbers of questions by what they are about.
type Numbers = FxHashMap<(Kind, u32, u32), u32>;

/// Answers the questions that uses of the model answer, and returns the groups.
pub(super) fn find(model: &SourceModel, numbers: &Numbers, places: &mut [Option<Place>]) -> Vec<Group> {
    let mut grouping = Grouping { model, groups: Vec::new(), by_target: FxHashMap::default() };
    for (id, used) in model.tables.uses.iter_enumerated() {
        let number = used.kind().and_then(|kind| numbers.get(&(kind, used.start, used.end)));
        if let Some(&number) = number {
            places[number as usize] = Some(grouping.place(id, used));
        }
    }
    for feed in &model.tables.feeds {
        grouping.feed(feed, numbers, places);
    }
    for &(target, shape) in &model.tables.annotations {
        let count = &mut grouping.group(target).1.annotations[shape as usize];
        *count = count.saturating_add(1);
    }
    grouping.groups
}

struct Grouping<'a> {
    model: &'a SourceModel,
    groups: Vec<Group>,
    by_target: FxHashMap<Target, u32>,
}

impl Grouping<'_> {
    /// The group of what gets a value; a property is read as an attribute is.
    fn group(&mut self, target: Target) -> (u32, &mut Group) {
        let target = match target {
            Target::Property(symbol) => Target::Attribute(symbol),
            target => target,
        };
        let number = *self.by_target.entry(target).or_insert_with(|| {
            let mut group = Group::default();
            let entries = &self.model.tables.scopes.symbols.entries;
            if matches!(target, Target::Variable(Variable::Free(symbol)) if entries[symbol].builtin.exists) {
                group.origins.insert(Origin::Builtin);
            }
            self.groups.push(group);
            self.groups.len() as u32 - 1
        });
        (number, &mut self.groups[number as usize])
    }

    fn place(&mut self, id: UseId, used: &Use) -> Place {
        let target = match used.form {
            Form::Call if used.is(UseFlags::DIRECT) => Target::Results(used.symbol),
            // What is called has no name of its own.
            Form::Call => Target::Results(self.model.nameless()),
            Form::Attribute | Form::AttributeTarget | Form::Augmented => Target::Attribute(used.symbol),
            _ => Target::Variable(used.variable),
        };
        let callee = used.is(UseFlags::DIRECT).then(|| {
            // What is called is listed right after the call.
            let callee = &self.model.tables.uses[UseId::from_u32(id.as_u32() + 1)];
            let target = match callee.form {
                Form::Attribute => Target::Attribute(callee.symbol),
                _ => Target::Variable(callee.variable),
            };
            self.group(target).0
        });
        Place { group: self.group(target).0, callee, targets: Vec::new() }
    }

    fn feed(&mut self, feed: &Feed, numbers: &Numbers, places: &mut [Option<Place>]) {
        let scopes = &self.model.tables.scopes;
        if feed.origin == Origin::Item {
            return;
        }
        self.note(feed.target, feed, numbers, places);
        let Target::Variable(variable) = feed.target else { return };
        let symbol = match variable {
            Variable::Binding(binding) => scopes.bindings[binding].symbol,
            Variable::Free(symbol) => symbol,
        };
        if feed.origin == Origin::PropertyFunction {
            self.group(Target::Attribute(symbol)).1.origins.insert(Origin::Property);
        } else if scopes.scopes[feed.scope].kind == ScopeKind::Class {
            // The variables of a class are its attributes.
            self.note(Target::Attribute(symbol), feed, numbers, places);
        }
    }

    fn note(&mut self, target: Target, feed: &Feed, numbers: &Numbers, places: &mut [Option<Place>]) {
        let (number, group) = self.group(target);
        if let Some(origin) = feed.origin.of_evidence() {
            group.origins.insert(origin);
        }
        if let Some(shape) = feed.shape {
            let count = &mut group.literals[shape as usize];
            *count = count.saturating_add(1);
        } else if let Some(&value) = feed.value.and_then(|value| numbers.get(&value)) {
            group.values.push(value);
            if let Some(place) = &mut places[value as usize] {
                place.targets.push(number);
            }
        }
    }
}

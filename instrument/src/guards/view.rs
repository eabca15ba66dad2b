//! What a place looks like to the model: paths that a condition may name, each with hashed features of its uses.

use std::hash::Hasher;
use std::ops::Range;

use compact_str::CompactString;
use fnv::FnvHasher;
use ruff_python_ast::{self as ast, Expr, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::{FxHashMap, FxHashSet};

use super::condition::Test;
use super::occurrences::{Occurrence, Occurrences, called, described};

/// Candidates at most.
const MOST_CANDIDATES: usize = 32;
/// Uses of one path in a region that are looked at.
const MOST_ROLES: usize = 8;
/// Attributes of `self` that are candidates although the function does not name them.
const MOST_CLASS_ATTRIBUTES: usize = 8;

/// Something that a condition may name.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its spelling.
    pub text: CompactString,
    /// The text of a string.
    pub is_text: bool,
    /// A class or a constant of the module: conditions are not about it.
    pub is_global: bool,
    /// Hashes of what the source says of it.
    pub features: Vec<u32>,
    /// What the source says of it, in words.
    pub notes: Vec<String>,
    statements: Vec<u32>,
    indexes: Vec<CompactString>,
}

/// A place as the model sees it.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What a condition may name, the nearest first.
    pub candidates: Vec<Candidate>,
    /// Hashes of what the source says of the region.
    pub features: Vec<u32>,
}

impl View {
    /// Hashes of how two candidates are used together.
    #[must_use]
    pub fn together(&self, one: usize, other: usize) -> Vec<u32> {
        let (one, other) = (&self.candidates[one], &self.candidates[other]);
        let mut found = Vec::new();
        if other.indexes.contains(&one.text) {
            found.push(hash(&["together", "index of it"]));
        }
        if one.indexes.contains(&other.text) {
            found.push(hash(&["together", "indexed by it"]));
        }
        let shared = one.statements.iter().filter(|statement| other.statements.contains(statement)).count();
        found.push(hash(&["together", ["apart", "once", "often"][shared.min(2)]]));
        let last = |text: &str| text.rsplit('.').next().unwrap_or_default().to_owned();
        found.push(hash(&["names", &last(&one.text), &last(&other.text)]));
        let same_root = one.text.split('.').next() == other.text.split('.').next();
        found.push(hash(&["root", if same_root { "same" } else { "other" }]));
        found
    }
}

/// A hash that stays the same on all machines and in all versions: weights are found by it.
pub(super) fn hash(parts: &[&str]) -> u32 {
    let mut hasher = FnvHasher::default();
    for part in parts {
        hasher.write(part.as_bytes());
        hasher.write(b"|");
    }
    let mixed = hasher.finish().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 32) as u32
}

/// What is known of a parameter from the function's header.
#[derive(Clone, Debug, Default)]
pub(super) struct Declared {
    default: Option<CompactString>,
    annotation: Option<CompactString>,
}

/// A function with all that its places have in common.
pub(super) struct Surroundings<'a> {
    pub(super) text: &'a str,
    pub(super) name: CompactString,
    pub(super) occurrences: Occurrences,
    pub(super) declared: FxHashMap<CompactString, Declared>,
    /// Name of the first parameter of a method.
    pub(super) own: Option<CompactString>,
    /// What the class stores in attributes of its instances.
    pub(super) class: Option<&'a FxHashMap<CompactString, Vec<CompactString>>>,
    /// Names of the module that are spelled as classes.
    pub(super) classes: &'a [CompactString],
}

/// Where a condition is asked for.
#[derive(Clone, Debug)]
pub(super) struct Spot<'s> {
    pub(super) region: Range<u32>,
    /// What is not to be seen of the source: the guard that was taken away.
    pub(super) removed: Vec<Range<u32>>,
    /// What is known to hold, because guards around ask for it.
    pub(super) facts: Vec<Test>,
    pub(super) first: Option<&'s Stmt>,
    pub(super) last: Option<&'s Stmt>,
    pub(super) count: usize,
    /// The region goes on to the end of its block.
    pub(super) to_the_end: bool,
    pub(super) in_loop: bool,
    /// `body`, `block` or `expression`.
    pub(super) kind: &'static str,
}

/// Parameters with their defaults and annotations.
pub(super) fn declared(def: &ast::StmtFunctionDef, text: &str) -> FxHashMap<CompactString, Declared> {
    let parameters = def.parameters.iter();
    let of = |parameter: ast::AnyParameterRef<'_>| {
        let annotation = parameter.annotation().and_then(|note| text.get(note.range().to_std_range()));
        let declared = Declared {
            default: parameter.default().map(described),
            annotation: annotation.map(|note| note.chars().take(32).collect()),
        };
        (CompactString::from(parameter.name().as_str()), declared)
    };
    parameters.map(of).collect()
}

impl Surroundings<'_> {
    fn is_visible(&self, root: &str, spot: &Spot<'_>) -> bool {
        match self.occurrences.bound.get(root) {
            Some(places) => places.iter().any(|&at| at == 0 || (at < spot.region.start && !is_in(at, &spot.removed))),
            None => spot.kind == "expression" || !self.occurrences.inner.contains(root),
        }
    }

    /// Whether the names in the brackets of a path are visible, too.
    fn is_spelled_by_visible_names(&self, text: &str, spot: &Spot<'_>) -> bool {
        text.split('[')
            .skip(1)
            .filter_map(|part| part.split(']').next())
            .all(|name| !name.starts_with(|c: char| c.is_alphabetic() || c == '_') || self.is_visible(name, spot))
    }

    /// The view of a place; with `notes`, in words, too.
    pub(super) fn view(&self, spot: &Spot<'_>, notes: bool) -> View {
        let mut order: Vec<(&str, &str, Vec<&Occurrence>)> = Vec::new();
        let mut known: FxHashMap<&str, usize> = FxHashMap::default();
        for occurrence in &self.occurrences.all {
            let slot = &occurrence.slot;
            if is_in(slot.start, &spot.removed) {
                continue;
            }
            if let Some(&at) = known.get(slot.text.as_str()) {
                order[at].2.push(occurrence);
                continue;
            }
            let is_visible = self.is_visible(&slot.root, spot) && self.is_spelled_by_visible_names(&slot.text, spot);
            if !(slot.is_text() || is_visible) {
                continue;
            }
            known.insert(&slot.text, order.len());
            order.push((&slot.text, &slot.root, vec![occurrence]));
        }
        let mut names: Vec<&CompactString> =
            self.declared.keys().filter(|name| !known.contains_key(name.as_str())).collect();
        names.sort_unstable();
        order.extend(names.into_iter().map(|name| (name.as_str(), name.as_str(), Vec::new())));
        // The nearest first: what the region reads, then what was used before it, the latest first.
        let near = |uses: &[&Occurrence]| {
            let inside = uses.iter().map(|used| used.slot.start).find(|start| spot.region.contains(start));
            let before = uses.iter().map(|used| used.slot.start).filter(|&start| start < spot.region.start).max();
            match (inside, before) {
                (Some(start), _) => (0, start),
                (None, Some(start)) => (1, u32::MAX - start),
                (None, None) => (2, 0),
            }
        };
        order.sort_by_cached_key(|(_, _, uses)| near(uses));
        order.truncate(MOST_CANDIDATES);
        let region = self.region(spot);
        let mut candidates: Vec<Candidate> = order
            .iter()
            .enumerate()
            .map(|(rank, (text, root, uses))| self.candidate((text, root), uses, rank, spot, notes))
            .collect();
        candidates.extend(self.unnamed(&known, spot));
        View { candidates, features: region }
    }

    /// Attributes of the instance and classes of the module that the function itself does not name.
    fn unnamed(&self, known: &FxHashMap<&str, usize>, spot: &Spot<'_>) -> Vec<Candidate> {
        let mut found = Vec::new();
        if let (Some(own), Some(class)) = (&self.own, self.class) {
            let mut attributes: Vec<(&CompactString, &Vec<CompactString>)> = class.iter().collect();
            attributes.sort_by_key(|(name, stored)| (std::cmp::Reverse(stored.len()), *name));
            let attributes = attributes.into_iter().map(|(name, _)| format!("{own}.{name}"));
            let attributes = attributes.filter(|text| !known.contains_key(text.as_str())).take(MOST_CLASS_ATTRIBUTES);
            for text in attributes {
                found.push(self.candidate((&text, own), &[], MOST_CANDIDATES, spot, false));
            }
        }
        for name in self.classes.iter().filter(|name| !known.contains_key(name.as_str())) {
            found.push(self.candidate((name, name), &[], MOST_CANDIDATES, spot, false));
        }
        found
    }

    fn region(&self, spot: &Spot<'_>) -> Vec<u32> {
        let mut features = vec![
            hash(&["bias"]),
            hash(&["kind", spot.kind]),
            hash(&["first", &begins(spot.first)]),
            hash(&["last", statement(spot.last)]),
            hash(&["count", ["0", "1", "2", "3", "many"][spot.count.min(4)]]),
            hash(&["end", if spot.to_the_end { "yes" } else { "no" }, statement(spot.last)]),
            hash(&["loop", if spot.in_loop { "yes" } else { "no" }]),
            hash(&["function", &self.name]),
        ];
        features.extend(words(&self.name).take(4).map(|word| hash(&["function word", word])));
        features
    }

    fn candidate(
        &self,
        (text, root): (&str, &str),
        uses: &[&Occurrence],
        rank: usize,
        spot: &Spot<'_>,
        notes: bool,
    ) -> Candidate {
        let is_text = root.is_empty();
        let declared = self.declared.get(text);
        let last = text.rsplit('.').next().unwrap_or(text);
        let is_bound = self.occurrences.bound.contains_key(root);
        let is_own = self.own.as_deref() == Some(root);
        let is_global = !is_text && !is_bound && !is_own;
        let kind = match (is_text, declared.is_some(), is_own, is_bound) {
            (true, ..) => "text",
            (_, true, ..) => "parameter",
            (_, _, true, _) => "own attribute",
            (_, _, _, true) => "local",
            _ if last.starts_with(|c: char| c.is_uppercase()) => "class",
            _ => "global",
        };
        let depth = ["0", "1", "2", "3"][text.matches(['.', '[']).count().min(3)];
        let mut features = vec![hash(&["bias"]), hash(&["is", kind, depth]), hash(&["name", last])];
        let mut words_of: Vec<String> = Vec::new();
        features.extend(words(last).take(3).map(|word| hash(&["word", word])));
        let mut add = |parts: &[&str]| features.push(hash(parts));
        if let Some(declared) = declared {
            add(&["default", declared.default.as_deref().unwrap_or("-")]);
            if let Some(default) = &declared.default {
                words_of.push(format!("a parameter whose default is {default}"));
            }
            if let Some(annotation) = &declared.annotation {
                add(&["annotation", annotation]);
                words_of.push(format!("annotated `{annotation}`"));
            }
        }
        if is_own && let Some(stored) = self.class.and_then(|class| class.get(last)) {
            let mut seen = FxHashSet::default();
            for what in stored.iter().filter(|what| seen.insert(*what)).take(4) {
                add(&["class stores", what]);
                if what == "None" {
                    words_of.push("set to None elsewhere in the class".to_owned());
                }
            }
        }
        let inside: Vec<&&Occurrence> = uses.iter().filter(|used| spot.region.contains(&used.slot.start)).collect();
        let before = uses.iter().filter(|used| used.slot.start < spot.region.start);
        add(&["inside", ["0", "1", "2", "3", "many"][inside.len().min(4)], kind]);
        add(&["rank", ["0", "1", "2", "3", "4", "5", "6", "far"][rank.min(7)]]);
        if let Some(first) = inside.first() {
            add(&["first use", first.role.word, &first.role.name]);
            add(&["first use", first.role.word, if rank == 0 { "first" } else { "later" }]);
            let begin = inside.iter().map(|used| used.statement).min().unwrap_or_default();
            add(&[
                "starts",
                if spot.count <= 1 || begin == first.statement { "yes" } else { "no" },
                begins(spot.first).as_str(),
            ]);
        }
        let mut seen = FxHashSet::default();
        for used in inside.iter().filter(|used| seen.insert((used.role.word, &used.role.name))).take(MOST_ROLES) {
            add(&["used", used.role.word, &used.role.name]);
            add(&["used", used.role.word]);
            if let "method" | "attribute" | "called" | "indexed" | "iterated" | "operand" = used.role.word {
                words_of.push(format!("{} here", in_words(used.role.word, &used.role.name)));
            }
        }
        if let Some(latest) = before.clone().next_back() {
            add(&["before", latest.role.word, &latest.role.name]);
        }
        if let Some(store) = before.clone().rfind(|used| used.role.word == "store") {
            add(&["was", &store.role.name]);
            let here = inside.first().map_or(store.statement + 9, |used| used.statement);
            add(&["age", ["0", "1", "2", "3", "4", "old"][(here.saturating_sub(store.statement) as usize).min(5)]]);
            if !store.role.name.is_empty() {
                words_of.push(format!("assigned from {} before", store.role.name.trim_start_matches(['=', '.'])));
            }
        }
        for used in uses.iter().filter(|used| used.role.word == "test").take(4) {
            let place = if used.slot.start < spot.region.start { "before" } else { "later" };
            add(&["test", place, &used.role.name]);
            if used.role.name.contains("$0") {
                let place = if spot.region.contains(&used.slot.start) { "here" } else { "elsewhere" };
                words_of.push(format!("tested {place}: {}", used.role.name.replace("$0", text)));
            }
        }
        for fact in spot.facts.iter().filter(|fact| fact.template.slots.first().is_some_and(|slot| slot.text == text)) {
            add(&["fact", &fact.template.text]);
        }
        Candidate {
            text: text.into(),
            is_text,
            is_global,
            features,
            notes: if notes { words_of } else { Vec::new() },
            statements: uses.iter().map(|used| used.statement).collect(),
            indexes: uses.iter().filter(|used| used.role.word == "index").map(|used| used.role.name.clone()).collect(),
        }
    }
}

fn in_words(word: &str, name: &str) -> String {
    match word {
        "method" => format!("`.{name}()` is called on it"),
        "attribute" => format!("`.{name}` is read from it"),
        "operand" => format!("an operand of `{name}`"),
        other => other.to_owned(),
    }
}

fn is_in(at: u32, ranges: &[Range<u32>]) -> bool {
    ranges.iter().any(|range| range.contains(&at))
}

/// The words of a name in snake case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['_', '[', ']', '\'']).filter(|word| word.len() > 1)
}

/// The kind of a statement, and what it calls or assigns.
fn begins(stmt: Option<&Stmt>) -> CompactString {
    let value = match stmt {
        Some(Stmt::Expr(statement)) => Some(&*statement.value),
        Some(Stmt::Assign(assign)) => Some(&*assign.value),
        Some(Stmt::Return(returned)) => returned.value.as_deref(),
        _ => None,
    };
    let value = match value {
        Some(Expr::Await(awaited)) => Some(&*awaited.value),
        other => other,
    };
    let what = match value {
        Some(Expr::Call(call)) => called(&call.func),
        Some(value) => described(value),
        None => CompactString::default(),
    };
    format!("{} {what}", statement(stmt)).into()
}

fn statement(stmt: Option<&Stmt>) -> &'static str {
    match stmt {
        None => "none",
        Some(Stmt::Expr(_)) => "expression",
        Some(Stmt::Assign(_) | Stmt::AnnAssign(_)) => "assignment",
        Some(Stmt::AugAssign(_)) => "change",
        Some(Stmt::Return(_)) => "return",
        Some(Stmt::Raise(_)) => "raise",
        Some(Stmt::For(_)) => "for",
        Some(Stmt::While(_)) => "while",
        Some(Stmt::If(_)) => "if",
        Some(Stmt::Try(_)) => "try",
        Some(Stmt::With(_)) => "with",
        Some(Stmt::FunctionDef(_)) => "def",
        Some(Stmt::Continue(_)) => "continue",
        Some(Stmt::Break(_)) => "break",
        Some(Stmt::Delete(_)) => "del",
        Some(_) => "other",
    }
}

//! Hashed features of the paths that a condition may name and of the region: what the source says of them.

use compact_str::CompactString;
use ruff_python_ast::{Expr, Stmt};
use rustc_hash::FxHashSet;

use super::asked::{Asked, Nearness};
use super::occurrences::{Occurrence, called, described};
use super::spelling::fill;
use super::surroundings::{Candidate, Spot, Surroundings, Tested, hash};

/// Uses of one path in a region that are looked at.
const MOST_ROLES: usize = 8;
/// Calls in a region that are looked at.
const MOST_CALLS: usize = 10;

impl Surroundings<'_> {
    /// What is looked at of a region. `order` has the paths and texts, the nearest first.
    pub(super) fn region(&self, spot: &Spot<'_>, order: &[(&str, &str, Vec<&Occurrence>)]) -> Vec<u32> {
        let mut features = vec![
            hash(&["region"]),
            hash(&["kind", spot.kind]),
            hash(&["preceding", &begins(spot.preceding)]),
            hash(&["preceding", statement(spot.preceding), statement(spot.first)]),
            hash(&["habit", self.habit(spot)]),
            hash(&["first", &begins(spot.first)]),
            hash(&["last", statement(spot.last)]),
            hash(&["count", ["0", "1", "2", "3", "many"][spot.count.min(4)]]),
            hash(&["end", if spot.to_the_end { "yes" } else { "no" }, statement(spot.last)]),
            hash(&["loop", if spot.in_loop { "yes" } else { "no" }]),
            hash(&["function", &self.name]),
        ];
        features.extend(words(&self.name).take(4).map(|word| hash(&["function word", word])));
        let mut seen = FxHashSet::default();
        for used in order.iter().flat_map(|(_, _, uses)| uses).filter(|used| spot.region.contains(&used.slot.start)) {
            let name = match used.role.word {
                "method" => used.role.name.as_str(),
                "called" => last_name(&used.slot.text),
                _ => continue,
            };
            if seen.len() < MOST_CALLS && seen.insert(name) {
                features.push(hash(&["calls", name]));
            }
        }
        for (rank, (text, _, uses)) in order.iter().enumerate().take(2) {
            let rank = ["nearest", "second"][rank];
            features.push(hash(&[rank, last_name(text)]));
            if let Some(used) = uses.iter().find(|used| spot.region.contains(&used.slot.start)) {
                features.push(hash(&[rank, "used", used.role.word, &used.role.name]));
            }
        }
        features
    }

    /// How the rest of the file asks whether something is there.
    fn habit(&self, spot: &Spot<'_>) -> &'static str {
        let [none, truth] = self.guards.habits(&spot.removed);
        match (none, truth) {
            (0, 0) => "unknown",
            (0, 4..) => "only truth",
            _ if none + truth < 4 => "few",
            _ if none > 2 * truth => "None",
            _ if truth > 4 * none => "truth",
            _ => "both",
        }
    }

    pub(super) fn candidate(
        &self,
        (text, root): (&str, &str),
        uses: &[&Occurrence],
        rank: usize,
        spot: &Spot<'_>,
        notes: bool,
    ) -> Candidate {
        let is_text = root.is_empty();
        let declared = self.declared.get(text);
        let last = last_name(text);
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
        if text != last {
            let owner = text.rsplit('.').nth(1).unwrap_or_default();
            features.push(hash(&["owner", owner, last]));
            features.push(hash(&["owner", owner]));
        }
        let asked = if is_text { Vec::new() } else { self.guards.about(text, self.range.start, &spot.removed) };
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
            add(&["name used", last, first.role.word]);
            add(&["kind used", kind, first.role.word, &first.role.name]);
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
        match uses.iter().find(|used| used.slot.start >= spot.region.end) {
            Some(next) => add(&["after", next.role.word, &next.role.name]),
            None => add(&["after", "nothing", kind]),
        }
        if let Some(latest) = before.clone().next_back() {
            add(&["before", latest.role.word, &latest.role.name]);
        }
        if let Some(store) = before.clone().rfind(|used| used.role.word == "store") {
            add(&["was", &store.role.name]);
            add(&["was used", &store.role.name, inside.first().map_or("not", |used| used.role.word)]);
            let here = inside.first().map_or(store.statement + 9, |used| used.statement);
            add(&["age", ["0", "1", "2", "3", "4", "old"][(here.saturating_sub(store.statement) as usize).min(5)]]);
            if !store.role.name.is_empty() {
                words_of.push(format!("assigned from {} before", store.role.name.trim_start_matches(['=', '.'])));
            }
        }
        let tested = tested(text, uses, spot, &mut features);
        words_of.extend(tested.iter().map(Tested::in_words));
        asked_features(&asked, &mut features);
        words_of.extend(asked_in_words(text, &asked));
        Candidate {
            text: text.into(),
            is_text,
            is_global,
            features,
            asked,
            tested: if notes { tested } else { Vec::new() },
            notes: if notes { words_of } else { Vec::new() },
            statements: uses.iter().map(|used| used.statement).collect(),
            indexes: uses.iter().filter(|used| used.role.word == "index").map(|used| used.role.name.clone()).collect(),
        }
    }
}

/// What the function tests of a path; features of that, and of what is known of it.
fn tested(text: &str, uses: &[&Occurrence], spot: &Spot<'_>, features: &mut Vec<u32>) -> Vec<Tested> {
    let mut found = Vec::new();
    for used in uses.iter().filter(|used| used.role.word == "test").take(4) {
        let place = if used.slot.start < spot.region.start { "before" } else { "later" };
        features.push(hash(&["test", place, &used.role.name]));
        if used.role.name.contains("$0") {
            let is_here = spot.region.contains(&used.slot.start);
            found.push(Tested { condition: used.role.name.replace("$0", text), is_here });
        }
    }
    for fact in spot.facts.iter().filter(|fact| fact.template.slots.first().is_some_and(|slot| slot.text == text)) {
        features.push(hash(&["fact", &fact.template.text]));
    }
    found
}

/// What guards elsewhere in the file ask for about a path.
fn asked_features(asked: &[Asked], features: &mut Vec<u32>) {
    for nearness in [Nearness::Function, Nearness::File, Nearness::Name] {
        let of = asked.iter().filter(|asked| asked.nearness == nearness);
        let word = ["asked in the function", "asked in the file", "asked of the name"][nearness as usize];
        let times: u32 = of.clone().map(|asked| asked.times).sum();
        features.push(hash(&[word, ["0", "1", "2", "3", "many"][(times as usize).min(4)]]));
        features.extend(of.take(2).map(|asked| hash(&[word, "as", &asked.template])));
    }
}

/// The most frequent of the guards about a path that stand in other functions.
fn asked_in_words(path: &str, asked: &[Asked]) -> Option<String> {
    let first = asked.iter().find(|asked| asked.nearness == Nearness::File)?;
    let slots: Vec<&str> = std::iter::once(path).chain(first.others.iter().map(CompactString::as_str)).collect();
    Some(format!("another function of the file asks for `{}`", fill(&first.template, &slots)))
}

/// The last name of a path.
fn last_name(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or(path)
}

fn in_words(word: &str, name: &str) -> String {
    match word {
        "method" => format!("`.{name}()` is called on it"),
        "attribute" => format!("`.{name}` is read from it"),
        "operand" => format!("an operand of `{name}`"),
        other => other.to_owned(),
    }
}

/// The words of a name in snake case.
fn words(name: &str) -> impl Iterator<Item = &str> {
    name.split(['_', '[', ']', '\'']).filter(|word| word.len() > 1)
}

/// The kind of a statement, and what it calls or assigns.
pub(super) fn begins(stmt: Option<&Stmt>) -> CompactString {
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

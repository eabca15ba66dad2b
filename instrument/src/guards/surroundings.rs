//! What a place is made of: the function around it, and what the model sees of it.

use std::hash::Hasher;
use std::ops::Range;

use compact_str::CompactString;
use fnv::FnvHasher;
use ruff_python_ast::{self as ast, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::asked::{Asked, FileGuards, Likeness};
use super::condition::Test;
use super::occurrences::{Occurrences, described};

/// A condition that the function tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// As it is spelled.
    pub condition: String,
    /// Whether it stands in the region.
    pub is_here: bool,
}

impl Tested {
    pub(super) fn in_words(&self) -> String {
        format!("tested {}: {}", if self.is_here { "here" } else { "elsewhere" }, self.condition)
    }
}

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
    /// What guards elsewhere in the file ask for about it.
    pub asked: Vec<Asked>,
    /// What the function tests of it; empty where nobody asks for words.
    pub tested: Vec<Tested>,
    /// What the source says of it, in words.
    pub notes: Vec<String>,
    pub(super) statements: Vec<u32>,
    pub(super) indexes: Vec<CompactString>,
}

/// A place as the model sees it.
#[derive(Clone, Debug, Default)]
pub struct View {
    /// What a condition may name, the nearest first.
    pub candidates: Vec<Candidate>,
    /// Hashes of what the source says of the region.
    pub features: Vec<u32>,
    /// Templates of guards elsewhere in the file that are near, or guard a region that is like this one.
    pub like: Vec<(CompactString, Likeness)>,
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
    pub(super) default: Option<CompactString>,
    pub(super) annotation: Option<CompactString>,
}

/// A function with all that its places have in common.
pub(super) struct Surroundings<'a> {
    pub(super) name: CompactString,
    pub(super) occurrences: Occurrences,
    pub(super) declared: FxHashMap<CompactString, Declared>,
    /// Name of the first parameter of a method.
    pub(super) own: Option<CompactString>,
    /// What the class stores in attributes of its instances.
    pub(super) class: Option<&'a FxHashMap<CompactString, Vec<CompactString>>>,
    /// Names of the module that are spelled as classes.
    pub(super) classes: &'a [CompactString],
    /// Bytes of the function, without its decorators.
    pub(super) range: Range<u32>,
    /// The guards of the whole file.
    pub(super) guards: &'a FileGuards,
}

/// Where a condition is asked for.
#[derive(Clone, Debug)]
pub(super) struct Spot<'s> {
    pub(super) region: Range<u32>,
    /// What is not to be seen of the source: the guard that was taken away.
    pub(super) removed: Vec<Range<u32>>,
    /// What is known to hold, because guards around ask for it.
    pub(super) facts: Vec<Test>,
    /// The statement before the region, in its block or before the guard.
    pub(super) preceding: Option<&'s Stmt>,
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

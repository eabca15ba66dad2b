//! Values that a source writes out itself, and lookups in them: what is known of them without a run.

use std::ops::Range;

use compact_str::CompactString;
use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::semantic::bytes;
use crate::semantic::shape::{Shape, of_literal};

/// Methods of builtin containers that give `None`.
const GIVE_NONE: [&str; 12] = [
    "append",
    "extend",
    "insert",
    "remove",
    "sort",
    "reverse",
    "clear",
    "add",
    "discard",
    "update",
    "appendleft",
    "write",
];
/// Methods that leave a container as it is.
const READERS: [&str; 8] = ["get", "items", "keys", "values", "index", "count", "copy", "join"];
/// Builtin functions that leave their arguments as they are.
const HARMLESS: [&str; 16] = [
    "print",
    "len",
    "str",
    "repr",
    "sorted",
    "sum",
    "min",
    "max",
    "list",
    "dict",
    "set",
    "tuple",
    "enumerate",
    "range",
    "any",
    "all",
];

/// `base[key]`, where the base is a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lookup {
    /// Byte range of the expression.
    pub range: Range<u32>,
    /// The name.
    pub base: CompactString,
    /// Byte range of the key.
    pub key: Range<u32>,
}

/// What a source itself says of the values of its names.
#[derive(Clone, Debug, Default)]
pub struct Containers {
    /// Names with one value that is written out and that nothing changes.
    pub(super) unchanged: FxHashSet<CompactString>,
    /// Those, and names of which only items are replaced.
    pub(super) unresized: FxHashSet<CompactString>,
    lookups: Vec<Lookup>,
    /// Byte ranges of calls and lookups that are given a list, dictionary or set which is written out there.
    unhashable: Vec<Range<u32>>,
}

impl Containers {
    /// The lookup that a byte range is.
    #[must_use]
    pub fn lookup(&self, range: &Range<u32>) -> Option<&Lookup> {
        self.lookups.iter().find(|lookup| lookup.range == *range)
    }

    /// The only lookup in a byte range; `None` if there are several, or none.
    #[must_use]
    pub fn only_lookup_in(&self, range: &Range<u32>) -> Option<&Lookup> {
        let mut found = self.lookups_within(range.clone());
        found.next().filter(|_| found.next().is_none())
    }

    /// The lookups in a byte range.
    pub fn lookups_within(&self, range: Range<u32>) -> impl Iterator<Item = &Lookup> {
        self.lookups.iter().filter(move |lookup| range.start <= lookup.range.start && lookup.range.end <= range.end)
    }

    /// True if a container that is written out is an argument or a key in a byte range: `seen.add([x, y])`. It has no hash,
    /// whatever is in it.
    #[must_use]
    pub fn is_given_container(&self, range: &Range<u32>) -> bool {
        self.unhashable.iter().any(|given| range.start <= given.start && given.end <= range.end)
    }

    /// All lookups in the value of a name.
    pub(super) fn lookups_in(&self, name: &str) -> impl Iterator<Item = &Lookup> {
        self.lookups.iter().filter(move |lookup| lookup.base == name)
    }

    /// True for a name whose value the source writes out and does not change: what is in it is known.
    #[must_use]
    pub fn is_unchanged(&self, name: &str) -> bool {
        self.unchanged.contains(name)
    }
}

impl Containers {
    /// True for a name whose value the source writes out, and of which it changes at most items: how long a sequence is,
    /// is known.
    #[must_use]
    pub fn is_unresized(&self, name: &str) -> bool {
        self.unresized.contains(name)
    }
}

/// What the values of a source's names come to.
#[derive(Default)]
pub(super) struct Conclusions {
    pub(super) containers: Containers,
    /// Names whose types are known.
    pub(super) written: FxHashSet<CompactString>,
    /// Names, with the calls that they are handed to and that may change their values.
    pub(super) handed: Vec<(CompactString, Range<u32>)>,
}

/// What a name is bound to.
enum Bound<'a> {
    /// A literal or display; `immutable` for numbers, texts, truth values and `None`.
    Literal { immutable: bool },
    /// What a method of this name's value gives: `rows.append(row)`.
    OfMethod(&'a str),
}

/// True for `dict()`, `list()`, `tuple()`.
fn is_empty_container(value: &Expr) -> bool {
    let Expr::Call(call) = value else { return false };
    let Expr::Name(name) = &*call.func else { return false };
    call.arguments.is_empty() && matches!(name.id.as_str(), "dict" | "list" | "tuple")
}

/// True for a list, dictionary or set that is written out, or made by a comprehension.
fn is_mutable_container(value: &Expr) -> bool {
    use Expr::{Dict, DictComp, List, ListComp, Set, SetComp};
    matches!(value, Dict(_) | DictComp(_) | List(_) | ListComp(_) | Set(_) | SetComp(_))
}

/// Collects what the statements and expressions of a source say.
#[derive(Default)]
pub(super) struct Collector<'a> {
    bound: Vec<(&'a str, Bound<'a>)>,
    /// Calls of other than builtin functions that a name is handed to.
    handed: Vec<(&'a str, Range<u32>)>,
    /// Reads that cannot change the value, by name.
    harmless: FxHashMap<&'a str, usize>,
    /// Assignments to items of items: `table[row][column] = value` changes no key of `table`.
    nested: FxHashMap<&'a str, usize>,
    lookups: Vec<Lookup>,
    unhashable: Vec<Range<u32>>,
}

impl<'a> Collector<'a> {
    pub(super) fn statement(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| {
                self.assigned(target, &assign.value);
                if let Expr::Subscript(inner) = target
                    && let Expr::Subscript(outer) = &*inner.value
                    && let Expr::Name(base) = &*outer.value
                {
                    *self.nested.entry(base.id.as_str()).or_default() += 1;
                }
            }),
            Stmt::AnnAssign(ast::StmtAnnAssign { target, value: Some(value), .. }) => self.assigned(target, value),
            // `for i in range(n)`: a number, however many there are.
            Stmt::For(each) => {
                if let (Expr::Name(target), Expr::Call(call)) = (&*each.target, &*each.iter)
                    && matches!(&*call.func, Expr::Name(name) if name.id == "range")
                {
                    self.bound.push((target.id.as_str(), Bound::Literal { immutable: true }));
                }
            }
            _ => {}
        }
    }

    fn assigned(&mut self, target: &'a Expr, value: &'a Expr) {
        let Expr::Name(name) = target else { return };
        let shape = of_literal(value);
        if shape.is_some() || is_empty_container(value) {
            let immutable = shape.is_some_and(|shape| shape as usize <= Shape::Str as usize);
            self.bound.push((name.id.as_str(), Bound::Literal { immutable }));
        } else if let Expr::Call(call) = value
            && let Expr::Attribute(method) = &*call.func
            && let Expr::Name(of) = &*method.value
            && GIVE_NONE.contains(&method.attr.as_str())
        {
            self.bound.push((name.id.as_str(), Bound::OfMethod(of.id.as_str())));
        }
    }

    pub(super) fn expression(&mut self, expression: &'a Expr) {
        let given = match expression {
            Expr::Call(call) => &*call.arguments.args,
            Expr::Subscript(subscript) => std::slice::from_ref(&*subscript.slice),
            _ => &[],
        };
        if given.iter().any(is_mutable_container) {
            self.unhashable.push(bytes(expression));
        }
        let harmless = match expression {
            Expr::Subscript(subscript) => {
                if let Expr::Name(base) = &*subscript.value {
                    let (range, key) = (bytes(subscript), bytes(&*subscript.slice));
                    self.lookups.push(Lookup { range, base: base.id.as_str().into(), key });
                }
                std::slice::from_ref(&*subscript.value)
            }
            Expr::Call(call) => match &*call.func {
                Expr::Attribute(method) if READERS.contains(&method.attr.as_str()) => {
                    std::slice::from_ref(&*method.value)
                }
                Expr::Name(called) if HARMLESS.contains(&called.id.as_str()) => &call.arguments.args,
                _ => {
                    let keywords = call.arguments.keywords.iter().map(|keyword| &keyword.value);
                    let names = call.arguments.args.iter().chain(keywords).filter_map(Expr::as_name_expr);
                    self.handed.extend(names.map(|name| (name.id.as_str(), bytes(call))));
                    return;
                }
            },
            Expr::Compare(compare) => &compare.comparators,
            _ => return,
        };
        for value in harmless {
            if let Expr::Name(name) = value {
                *self.harmless.entry(name.id.as_str()).or_default() += 1;
            }
        }
    }

    /// Concludes; `binds` says how often a name is bound in any way and how often an item of it is, and `reads` how often
    /// it is read.
    pub(super) fn containers(
        self,
        binds: impl Fn(&str) -> (usize, usize),
        reads: impl Fn(&str) -> usize,
    ) -> Conclusions {
        let mut bound: FxHashMap<&str, Vec<&Bound<'_>>> = FxHashMap::default();
        for (name, value) in &self.bound {
            bound.entry(name).or_default().push(value);
        }
        let complete = |name: &str| bound.get(name).is_some_and(|values| values.len() == binds(name).0 - binds(name).1);
        let all_literal =
            |name: &str| complete(name) && bound[name].iter().all(|value| matches!(value, Bound::Literal { .. }));
        let is_immutable = |name: &str| {
            complete(name) && bound[name].iter().all(|value| matches!(value, Bound::Literal { immutable: true }))
        };
        let is_written = |name: &str| {
            complete(name)
                && bound[name].iter().all(|value| match value {
                    Bound::Literal { .. } => true,
                    Bound::OfMethod(of) => *of == name || all_literal(of),
                })
        };
        let mut names: Vec<&str> = bound.keys().copied().collect();
        names.sort_unstable();
        let written: Vec<&str> = names.into_iter().filter(|name| is_written(name)).collect();
        let is_unresized =
            |name: &str| all_literal(name) && reads(name) <= self.harmless.get(name).copied().unwrap_or(0);
        let is_unchanged =
            |name: &str| is_unresized(name) && binds(name).1 <= self.nested.get(name).copied().unwrap_or(0);
        let unresized = written.iter().copied().filter(|name| is_unresized(name)).map(CompactString::from).collect();
        let unchanged = written.iter().copied().filter(|name| is_unchanged(name)).map(CompactString::from).collect();
        let written = written.into_iter().map(CompactString::from).collect();
        let mutable = self.handed.iter().filter(|(name, _)| !is_immutable(name));
        let handed = mutable.map(|(name, range)| (CompactString::from(*name), range.clone())).collect();
        let (lookups, unhashable) = (self.lookups, self.unhashable);
        Conclusions { containers: Containers { unchanged, unresized, lookups, unhashable }, written, handed }
    }
}

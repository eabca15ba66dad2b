//! The walk over the blocks of a function.

use std::hash::Hasher;
use std::ops::Range;

use compact_str::CompactString;
use fnv::FnvHasher;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, ElifElseClause, Expr, Stmt};
use ruff_text_size::Ranged;
use rustc_hash::FxHashSet;

use super::condition::{Condition, Test};
use super::excerpt::Location;
use super::features::begins;
use super::occurrences::Occurrences;
use super::surroundings::{Spot, Surroundings, View};
use super::{GuardKind, Place, Sample};
use crate::cleanup::blocks;
use crate::semantic::{SourceModel, bytes};

/// Regions of one function that are asked about; a function with more is cut off there.
pub(super) const MOST_REGIONS: usize = 400;

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Guards,
    /// Only the conditions of guards.
    Conditions,
    Regions,
}

/// What is known to hold in front of a guard, and the statement before it.
type Known<'s> = (&'s [Test], Option<&'s Stmt>);

/// The statement before one of a block.
fn before(block: &[Stmt], at: usize) -> Option<&Stmt> {
    at.checked_sub(1).and_then(|at| block.get(at))
}

pub(super) struct Walk<'a> {
    model: &'a SourceModel,
    function: &'a Surroundings<'a>,
    wanted: Wanted,
    pub(super) samples: Vec<Sample>,
    pub(super) places: Vec<Place>,
    /// Conditions, with how their regions begin.
    pub(super) conditions: Vec<(Condition, CompactString)>,
    seen: FxHashSet<(u32, u32)>,
    pub(super) left: usize,
    key: Option<u64>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(model: &'a SourceModel, function: &'a Surroundings<'a>, wanted: Wanted) -> Self {
        Self {
            model,
            function,
            wanted,
            samples: Vec::new(),
            places: Vec::new(),
            conditions: Vec::new(),
            seen: FxHashSet::default(),
            left: 0,
            key: None,
        }
    }

    pub(super) fn block(&mut self, block: &[Stmt], facts: &[Test], (in_loop, kind): (bool, &'static str)) {
        let mut facts = facts.to_vec();
        let block = match block {
            [first, rest @ ..] if kind == "body" && ast::helpers::is_docstring_stmt(first) => rest,
            block => block,
        };
        for (at, stmt) in block.iter().enumerate() {
            // What is assigned is no longer what was tested.
            facts.retain(|fact| !self.changes(stmt, fact));
            match self.wanted {
                Wanted::Regions => self.regions(block, at, &facts, in_loop, if at == 0 { kind } else { "block" }),
                Wanted::Guards | Wanted::Conditions => self.guards(block, at, &facts, in_loop),
            }
            self.inside(stmt, &facts, in_loop);
            facts.extend(holds_after(stmt));
        }
    }

    /// True if a statement binds something of a test anew.
    fn changes(&self, stmt: &Stmt, fact: &Test) -> bool {
        let range = bytes(stmt);
        let stored = self.function.occurrences.all.iter().filter(|used| {
            range.contains(&used.slot.start) && matches!(used.role.word, "store" | "changed" | "deleted")
        });
        stored.into_iter().any(|used| {
            fact.template.slots.iter().any(|slot| slot.text == used.slot.text || slot.root == used.slot.text)
        })
    }

    /// The blocks of a statement, with what its tests say of them.
    fn inside(&mut self, stmt: &Stmt, facts: &[Test], in_loop: bool) {
        match stmt {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::If(choice) => {
                let mut known = facts.to_vec();
                let first = (Some(&*choice.test), &choice.body);
                let clauses = choice.elif_else_clauses.iter().map(|clause| (clause.test.as_ref(), &clause.body));
                for (test, body) in std::iter::once(first).chain(clauses) {
                    let condition = test.and_then(Condition::of);
                    let mut here = known.clone();
                    if let Some(condition) = &condition {
                        here.extend(condition.required().into_iter().cloned());
                        known.extend(condition.negated().required().into_iter().cloned());
                    }
                    self.block(body, &here, (in_loop, "block"));
                }
            }
            Stmt::While(repeated) => {
                let mut here = facts.to_vec();
                here.extend(Condition::of(&repeated.test).iter().flat_map(|test| test.required().into_iter().cloned()));
                self.block(&repeated.body, &here, (true, "block"));
                self.block(&repeated.orelse, facts, (in_loop, "block"));
            }
            Stmt::For(each) => {
                self.block(&each.body, facts, (true, "block"));
                self.block(&each.orelse, facts, (in_loop, "block"));
            }
            other => blocks(other).into_iter().for_each(|suite| self.block(suite, facts, (in_loop, "block"))),
        }
    }

    fn regions(&mut self, block: &[Stmt], at: usize, facts: &[Test], in_loop: bool, kind: &'static str) {
        let (rest, preceding) = (&block[at..], before(block, at));
        let [first, ..] = rest else { return };
        let mut ask = |stmts: &[Stmt], to_the_end: bool, kind: &'static str| {
            let (Some(first), Some(last)) = (stmts.first(), stmts.last()) else { return };
            let region = first.start().to_u32()..last.end().to_u32();
            if self.places.len() >= MOST_REGIONS || !self.seen.insert((region.start, region.end)) {
                return;
            }
            let spot = Spot {
                region: region.clone(),
                removed: Vec::new(),
                facts: facts.to_vec(),
                preceding,
                first: Some(first),
                last: Some(last),
                count: stmts.len(),
                to_the_end,
                in_loop,
                kind: if kind == "body" { "body" } else { "block" },
            };
            let lines = self.model.lines();
            self.places.push(Place {
                function: self.function.name.to_string(),
                is_body: kind == "body",
                line: lines.line(region.start),
                end_line: lines.line(region.end.max(1) - 1),
                facts: facts.to_vec(),
                view: self.function.view(&spot, true),
                location: self.location(region, Vec::new()),
            });
        };
        ask(rest, true, kind);
        if !matches!(first, Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::Import(_) | Stmt::ImportFrom(_))
        {
            ask(&rest[..1], rest.len() == 1, "block");
        }
    }

    fn guards(&mut self, block: &[Stmt], at: usize, facts: &[Test], in_loop: bool) {
        let (stmt, rest, preceding) = (&block[at], &block[at + 1..], before(block, at));
        match stmt {
            Stmt::If(choice) => self.choice(choice, rest, (facts, preceding), in_loop),
            Stmt::Assert(assertion) => {
                let condition = self.condition(&assertion.test);
                self.guard(GuardKind::Assert, condition, rest, vec![bytes(stmt)], (facts, preceding), (true, in_loop));
            }
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => return,
            _ => {}
        }
        let mut expressions = Guarded::default();
        match stmt {
            Stmt::If(choice) => expressions.visit_expr(&choice.test),
            Stmt::While(repeated) => expressions.visit_expr(&repeated.test),
            Stmt::For(each) => expressions.visit_expr(&each.iter),
            Stmt::With(block) => block.items.iter().for_each(|item| expressions.visit_expr(&item.context_expr)),
            Stmt::Try(_) | Stmt::Match(_) => {}
            simple => expressions.visit_stmt(simple),
        }
        for (kind, test, region, removed) in expressions.0 {
            let condition = self
                .condition(test)
                .map(|condition| if matches!(kind, (_, false)) { condition.negated() } else { condition });
            let Some(condition) = condition else { continue };
            let spot = Spot {
                region,
                removed,
                facts: facts.to_vec(),
                preceding,
                first: Some(stmt),
                last: Some(stmt),
                count: 0,
                to_the_end: false,
                in_loop,
                kind: "expression",
            };
            self.push(kind.0, condition, &spot);
        }
    }

    fn choice(&mut self, choice: &ast::StmtIf, rest: &[Stmt], facts: Known<'_>, in_loop: bool) {
        let whole = bytes(choice);
        let is_exit = choice.body.last().is_some_and(leaves);
        let condition = self.condition(&choice.test);
        let to_the_end = rest.is_empty();
        if is_exit {
            let negated = condition.map(|condition| condition.negated());
            match choice.elif_else_clauses.as_slice() {
                [] => self.guard(GuardKind::Exit, negated, rest, vec![whole], facts, (true, in_loop)),
                [ElifElseClause { test: None, body, .. }] => {
                    self.guard(GuardKind::Else, negated, body, around(&whole, body), facts, (to_the_end, in_loop));
                }
                _ => {}
            }
            return;
        }
        let body_removed = around(&whole, &choice.body);
        self.guard(GuardKind::If, condition.clone(), &choice.body, body_removed, facts, (to_the_end, in_loop));
        for clause in &choice.elif_else_clauses {
            if clause.body.last().is_some_and(leaves) {
                continue;
            }
            let removed = around(&whole, &clause.body);
            let ending = (to_the_end, in_loop);
            match &clause.test {
                Some(test) => {
                    let condition = self.condition(test);
                    self.guard(GuardKind::If, condition, &clause.body, removed, facts, ending);
                }
                None if choice.elif_else_clauses.len() == 1 => {
                    let negated = condition.as_ref().map(Condition::negated);
                    self.guard(GuardKind::Else, negated, &clause.body, removed, facts, ending);
                }
                None => {}
            }
        }
    }

    fn condition(&mut self, test: &Expr) -> Option<Condition> {
        let condition = Condition::of(test);
        self.left += usize::from(condition.is_none());
        condition
    }

    fn guard(
        &mut self,
        kind: GuardKind,
        condition: Option<Condition>,
        region: &[Stmt],
        removed: Vec<Range<u32>>,
        (facts, preceding): Known<'_>,
        (to_the_end, in_loop): (bool, bool),
    ) {
        let (Some(condition), Some(first), Some(last)) = (condition, region.first(), region.last()) else { return };
        let spot = Spot {
            region: first.start().to_u32()..last.end().to_u32(),
            removed,
            facts: facts.to_vec(),
            preceding,
            first: Some(first),
            last: Some(last),
            count: region.len(),
            to_the_end,
            in_loop,
            kind: "block",
        };
        self.push(kind, condition, &spot);
    }

    fn location(&self, region: Range<u32>, removed: Vec<Range<u32>>) -> Location {
        Location { function: self.function.range.clone(), region, removed }
    }

    fn push(&mut self, kind: GuardKind, condition: Condition, spot: &Spot<'_>) {
        // `if True:` and the like say nothing.
        if condition.tests().iter().any(|test| test.template.slots.is_empty()) {
            return;
        }
        if self.wanted == Wanted::Conditions {
            self.conditions.push((condition, begins(spot.first)));
            return;
        }
        let view: View = self.function.view(spot, false);
        let function_key = *self.key.get_or_insert_with(|| key(&self.function.occurrences));
        let function = self.function.name.to_string();
        let location = self.location(spot.region.clone(), spot.removed.clone());
        self.samples.push(Sample { function, kind, condition, location, function_key, view });
    }
}

/// What an `if` has before and after one of its blocks.
fn around(whole: &Range<u32>, body: &[Stmt]) -> Vec<Range<u32>> {
    let (Some(first), Some(last)) = (body.first(), body.last()) else { return vec![whole.clone()] };
    vec![whole.start..first.start().to_u32(), last.end().to_u32()..whole.end]
}

/// True for what ends the execution of its block.
fn leaves(stmt: &Stmt) -> bool {
    matches!(stmt, Stmt::Return(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Break(_))
}

/// What holds after a statement that otherwise leaves the block.
fn holds_after(stmt: &Stmt) -> Vec<Test> {
    let condition = match stmt {
        Stmt::Assert(assertion) => Condition::of(&assertion.test),
        Stmt::If(choice) if choice.elif_else_clauses.is_empty() && choice.body.last().is_some_and(leaves) => {
            Condition::of(&choice.test).map(|condition| condition.negated())
        }
        _ => None,
    };
    condition.iter().flat_map(|condition| condition.required().into_iter().cloned()).collect()
}

/// Equal for functions that have the same paths and texts in the same order of uses.
fn key(occurrences: &Occurrences) -> u64 {
    let mut hasher = FnvHasher::default();
    for used in occurrences.all.iter().filter(|used| !used.slot.is_text()) {
        hasher.write(used.slot.text.as_bytes());
        hasher.write(used.role.word.as_bytes());
        hasher.write(used.role.name.as_bytes());
        hasher.write(b"|");
    }
    hasher.finish()
}

/// Kind and whether the condition holds as it is written, its expression, the region, and what is taken away.
type Expression<'a> = ((GuardKind, bool), &'a Expr, Range<u32>, Vec<Range<u32>>);

/// Guards within one statement: conditional expressions and conditions of comprehensions.
#[derive(Default)]
struct Guarded<'a>(Vec<Expression<'a>>);

impl<'a> Guarded<'a> {
    fn comprehension(&mut self, element: &'a Expr, generators: &'a [ast::Comprehension]) {
        // The names that the comprehension binds are seen nowhere else: only conditions on others can be asked for.
        if let [generator] = generators
            && let [test] = generator.ifs.as_slice()
        {
            self.0.push(((GuardKind::Comprehension, true), test, bytes(element), vec![bytes(test)]));
        }
    }
}

impl<'a> Visitor<'a> for Guarded<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::If(choice) => {
                let (body, other) = (bytes(&*choice.body), bytes(&*choice.orelse));
                let test = bytes(&*choice.test);
                let kind = GuardKind::Choice;
                let (without_other, without_body) = (test.start..other.end, body.start..test.end);
                self.0.push(((kind, true), &choice.test, body.clone(), vec![without_other]));
                self.0.push(((kind, false), &choice.test, other.clone(), vec![without_body]));
            }
            Expr::ListComp(comprehension) => self.comprehension(&comprehension.elt, &comprehension.generators),
            Expr::SetComp(comprehension) => self.comprehension(&comprehension.elt, &comprehension.generators),
            Expr::Generator(comprehension) => self.comprehension(&comprehension.elt, &comprehension.generators),
            Expr::Lambda(_) => return,
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

//! The graph that a network walks in place of an interpreter (Bieber et al., "Static Prediction of Runtime Errors by
//! Learning to Execute Programs", 2022): the statements of a program, what runs after each, and where it raises to.
//!
//! It is made of the control flow graph: nodes that evaluate nothing are passed through, and each statement keeps at
//! most two ways on (a third one, which only `finally` has, gets a node of its own) and one way of raising. The body of a
//! class stands before the node that binds its name, and so does the body of a function before the one statement that
//! calls it, where the name means that function alone. Bodies of other functions are not part of the graph;
//! [`ProgramGraph::skipped`] lists them.

mod calls;
#[cfg(test)]
mod tests;

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::semantic::SourceModel;
use crate::semantic::builtin::is_builtin;
use crate::semantic::control_flow::{CodeId, ControlFlow, EdgeKind, Node, NodeId, NodeKind};
use crate::semantic::uses::{Form, Resolution, Variable};

pub use calls::{Reason, Skipped};

/// Limits of the size of a graph; what is beyond them is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Statements.
    pub nodes: usize,
    /// Steps of execution.
    pub steps: usize,
}

impl Limits {
    /// The limits of the paper's data set (appendix A.4).
    pub const PAPER: Self = Self { nodes: 128, steps: 174 };
}

/// A statement, and where it leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphNode {
    /// Byte range of the statement, or of the header of a compound one.
    pub range: Range<u32>,
    /// Line on which it starts.
    pub line: u32,
    /// What can follow: none for `raise`, two where the statement decides (first where it holds), else one.
    pub next: Vec<usize>,
    /// Where an exception goes that the statement raises: a handler, or the error node. `None` if it cannot raise.
    pub raises: Option<usize>,
}

/// The statements of a program as a network executes them. Two numbers behind those of the statements stand for the
/// ends: [`ProgramGraph::exit`] and [`ProgramGraph::error`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramGraph {
    /// Statements in the order of the text.
    pub nodes: Vec<GraphNode>,
    /// The statement at which execution starts.
    pub entry: usize,
    /// Steps of execution: each statement once, twice as often for each loop around it, and loop headers again.
    pub steps: usize,
    /// Functions whose bodies are not part of the graph.
    pub skipped: Vec<Skipped>,
    /// Statements beyond the limit, where execution ends.
    pub left_out: usize,
    /// The step limit that the heuristic asks for, where it is beyond the limit of steps.
    pub wanted_steps: Option<usize>,
}

impl ProgramGraph {
    /// Makes the graph of a source.
    #[must_use]
    pub fn of(model: &SourceModel, limits: Limits) -> Self {
        let flow = model.control_flow();
        let calls::Inlined { before, skipped } = calls::inlined(model, flow);
        Assembly::new(model, flow, &before).graph(limits, skipped)
    }

    /// Number of the node at which programs end.
    #[must_use]
    pub fn exit(&self) -> usize {
        self.nodes.len()
    }

    /// Number of the node at which exceptions end that nothing handles.
    #[must_use]
    pub fn error(&self) -> usize {
        self.nodes.len() + 1
    }
}

impl SourceModel {
    /// What is doubtful about the names that a statement reads: nothing in the source binds one and it is no builtin; a
    /// global that may not be bound yet; a local that may not.
    #[must_use]
    pub fn name_doubts(&self, range: Range<u32>) -> [bool; 3] {
        let mut doubts = [false; 3];
        for used in self.uses_in(range).filter(|used| matches!(used.form, Form::Name | Form::ReadBefore)) {
            match (used.resolution, used.variable) {
                (Resolution::Proven, _) => {}
                (_, Variable::Free(symbol)) => doubts[0] |= !is_builtin(self.name(symbol)),
                (Resolution::Unbound, _) => doubts[2] = true,
                _ => doubts[1] = true,
            }
        }
        doubts
    }
}

/// Where a code object that is part of the graph was entered from.
#[derive(Clone, Copy)]
struct Site {
    /// The statement before which it stands; `None` for the module.
    node: Option<NodeId>,
    /// Its place among the code objects before that statement.
    place: usize,
    /// Loops around it.
    depth: u32,
}

struct Assembly<'a> {
    model: &'a SourceModel,
    flow: &'a ControlFlow,
    /// Code objects whose bodies run before a statement.
    before: &'a FxHashMap<NodeId, Vec<CodeId>>,
    sites: FxHashMap<CodeId, Site>,
    numbers: FxHashMap<NodeId, usize>,
    /// The nodes that have a number.
    placed: Vec<NodeId>,
}

impl<'a> Assembly<'a> {
    fn new(model: &'a SourceModel, flow: &'a ControlFlow, before: &'a FxHashMap<NodeId, Vec<CodeId>>) -> Self {
        let mut assembly = Self {
            model,
            flow,
            before,
            sites: FxHashMap::default(),
            numbers: FxHashMap::default(),
            placed: Vec::new(),
        };
        assembly.place();
        assembly
    }

    /// Finds the code objects that are reached from the module, and numbers their nodes.
    fn place(&mut self) {
        let module = CodeId::from_u32(0);
        self.sites.insert(module, Site { node: None, place: 0, depth: 0 });
        let mut by_code: FxHashMap<CodeId, Vec<NodeId>> = FxHashMap::default();
        for (id, node) in self.flow.nodes.iter_enumerated() {
            by_code.entry(node.code).or_default().push(id);
        }
        let mut open = vec![module];
        while let Some(code) = open.pop() {
            for &id in by_code.get(&code).into_iter().flatten() {
                for (place, &inner) in self.before.get(&id).into_iter().flatten().enumerate() {
                    let site = Site { node: Some(id), place, depth: self.depth(id) };
                    if let std::collections::hash_map::Entry::Vacant(entry) = self.sites.entry(inner) {
                        entry.insert(site);
                        open.push(inner);
                    }
                }
            }
        }
        for (id, node) in self.flow.nodes.iter_enumerated() {
            let stands = match node.kind {
                NodeKind::Exit | NodeKind::RaiseExit | NodeKind::Try | NodeKind::WithExit => false,
                NodeKind::Entry => node.code != module,
                _ => true,
            };
            if stands && self.sites.contains_key(&node.code) {
                self.numbers.insert(id, self.placed.len());
                self.placed.push(id);
            }
        }
    }

    /// Loops around a node, those around the statement that calls its code object included.
    fn depth(&self, id: NodeId) -> u32 {
        let node = &self.flow.nodes[id];
        let is_around = |other: NodeId, around: &Node| {
            other != id
                && around.code == node.code
                && matches!(around.kind, NodeKind::For | NodeKind::While)
                && around.statement.contains(&node.range.start)
        };
        let own = self.flow.nodes.iter_enumerated().filter(|(other, around)| is_around(*other, around)).count() as u32;
        own + self.sites.get(&node.code).map_or(0, |site| site.depth)
    }

    fn exit(&self) -> usize {
        self.placed.len()
    }

    /// The number of the node at which a statement begins: that of the first code object before it, or its own.
    fn begin(&self, id: NodeId, place: usize) -> usize {
        match self.before.get(&id).and_then(|codes| codes.get(place)) {
            Some(code) if self.sites.get(code).is_some_and(|site| site.node == Some(id)) => {
                self.numbers[&self.flow.codes[*code].entry]
            }
            _ => self.numbers[&id],
        }
    }

    /// The numbered node that an edge of a kind to a node leads to.
    fn target(&self, mut id: NodeId, kind: EdgeKind) -> usize {
        // Each round passes a node through or leaves a code object.
        for _ in 0..=2 * self.flow.nodes.len() {
            let node = &self.flow.nodes[id];
            let next = match node.kind {
                NodeKind::Exit => {
                    let site = self.sites[&node.code];
                    let Some(caller) = site.node else { return self.exit() };
                    return self.begin(caller, site.place + 1);
                }
                NodeKind::RaiseExit => {
                    let site = self.sites[&node.code];
                    site.node.and_then(|caller| self.flow.follow(caller, EdgeKind::Raise))
                }
                NodeKind::Try => self.flow.follow(id, EdgeKind::Next),
                NodeKind::WithExit => self.flow.follow(id, kind).or_else(|| self.flow.follow(id, EdgeKind::Next)),
                _ => return self.begin(id, 0),
            };
            match next {
                Some(next) => id = next,
                None => break,
            }
        }
        if kind == EdgeKind::Raise { self.exit() + 1 } else { self.exit() }
    }

    /// Whether a node can raise: nothing does so in `pass` and the like.
    fn raises(&self, id: NodeId) -> Option<usize> {
        let to = self.flow.follow(id, EdgeKind::Raise)?;
        Some(self.target(to, EdgeKind::Raise))
    }

    fn graph(self, limits: Limits, skipped: Vec<Skipped>) -> ProgramGraph {
        let count = self.placed.len().min(limits.nodes);
        let (mut nodes, mut extra) = (Vec::with_capacity(count), Vec::new());
        for &id in &self.placed {
            let node = &self.flow.nodes[id];
            let mut next: Vec<usize> = Vec::new();
            for &(kind, to) in node.edges.iter().filter(|(kind, _)| *kind != EdgeKind::Raise) {
                let to = self.target(to, kind);
                if !next.contains(&to) {
                    next.push(to);
                }
            }
            let raises = self.raises(id);
            let line = self.model.lines().line(node.range.start);
            nodes.push(GraphNode { range: node.range.clone(), line, next, raises });
        }
        let all = nodes.len();
        // Ways beyond the second lead through copies of the statement, which stand behind all others.
        for at in 0..all {
            let mut from = at;
            while Self::of_node(&nodes, &extra, from).next.len() > 2 {
                let copy = all + 2 + extra.len();
                let node = if from < all { &mut nodes[from] } else { &mut extra[from - all - 2] };
                let rest = node.next.split_off(1);
                node.next.push(copy);
                let copied = GraphNode { next: rest, ..node.clone() };
                extra.push(copied);
                from = copy;
            }
        }
        let wanted = self.steps();
        let total = all + extra.len();
        let (exit, copies) = (total, extra.len());
        // The ends come after the copies, and all of them after the statements that the limit leaves.
        let renumber = |to: usize| match to {
            to if to < all => to,
            to if to == all => exit,
            to if to == all + 1 => exit + 1,
            to => to - 2,
        };
        nodes.append(&mut extra);
        let kept = total.min(limits.nodes);
        let cut = |to: usize| match renumber(to) {
            to if to >= exit => to - exit + kept,
            to if to < kept => to,
            _ => kept,
        };
        nodes.truncate(kept);
        for node in &mut nodes {
            node.next.iter_mut().for_each(|to| *to = cut(*to));
            node.next.dedup();
            node.raises = node.raises.map(cut);
        }
        let module = &self.flow.codes[CodeId::from_u32(0)];
        let first = self.flow.follow(module.entry, EdgeKind::Next).map_or(all, |to| self.target(to, EdgeKind::Next));
        ProgramGraph {
            nodes,
            entry: cut(first),
            steps: (wanted + copies).min(limits.steps),
            skipped,
            left_out: total - kept,
            wanted_steps: (wanted > limits.steps).then_some(wanted),
        }
    }

    fn of_node<'n>(nodes: &'n [GraphNode], extra: &'n [GraphNode], at: usize) -> &'n GraphNode {
        if at < nodes.len() { &nodes[at] } else { &extra[at - nodes.len() - 2] }
    }

    /// The paper's heuristic of the step limit (appendix E), by nodes in place of lines.
    fn steps(&self) -> usize {
        let mut steps = 1_usize;
        for &id in &self.placed {
            let depth = self.depth(id).min(30);
            steps = steps.saturating_add(1 << depth);
            if matches!(self.flow.nodes[id].kind, NodeKind::For | NodeKind::While) {
                steps = steps.saturating_add(2 << depth);
            }
        }
        steps
    }
}

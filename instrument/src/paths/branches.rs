//! Branches: which blocks a statement of the control flow graph leads to, and what decides between them.

use std::ops::Range;

use crate::LineIndex;
use crate::semantic::control_flow::{ControlFlow, EdgeKind, NodeId, NodeKind};

/// A statement that leads to one block or another.
#[derive(Clone, Debug)]
pub struct Branch {
    /// Byte range of what decides: the test, what a loop goes over, the subject, or the body of a `try`.
    pub decides: Range<u32>,
    /// Lines of the header up to its end; for a `try`, of its body.
    pub lines: (u32, u32),
    /// First line of the whole statement, and its last.
    pub whole: (u32, u32),
    /// Where it leads.
    pub ways: Vec<Way>,
}

/// A block that a branch leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// What leads there.
    pub side: Side,
    /// First and last line of the block.
    pub lines: (u32, u32),
}

/// What leads to a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Side {
    /// The condition holds, or the loop has an element.
    Yes,
    /// It does not, or has none.
    No,
    /// The body raises one of these (dotted names; `None` is any).
    Handler(Vec<Option<String>>),
    /// The subject matches.
    Case,
}

/// Lists the branches by their first lines.
pub(super) fn find(graph: &ControlFlow, lines: &LineIndex) -> Vec<Branch> {
    let span = |range: &Range<u32>| (lines.line(range.start), last_line(lines, range));
    let mut found: Vec<(&Range<u32>, Branch)> = Vec::new();
    for (id, node) in graph.nodes.iter_enumerated() {
        let way = |kind, side| way(graph, lines, id, kind, side);
        let ways = match &node.kind {
            NodeKind::If | NodeKind::While | NodeKind::For => {
                [way(EdgeKind::True, Side::Yes), way(EdgeKind::False, Side::No)].into_iter().flatten().collect()
            }
            NodeKind::Match | NodeKind::Try => Vec::new(),
            kind => {
                let side = match kind {
                    NodeKind::Case => Side::Case,
                    NodeKind::Handler(names) => Side::Handler(names.clone()),
                    _ => continue,
                };
                let branch = found.iter_mut().rev().find(|(statement, _)| **statement == node.statement);
                if let Some((_, branch)) = branch {
                    branch.ways.extend(way(EdgeKind::True, side));
                }
                continue;
            }
        };
        let header = if node.kind == NodeKind::Try { &node.decides } else { &node.range };
        let (lines, whole) = (span(header), span(&node.statement));
        found.push((&node.statement, Branch { decides: node.decides.clone(), lines, whole, ways }));
    }
    found.sort_by_key(|(_, branch)| branch.whole.0);
    found.into_iter().map(|(_, branch)| branch).collect()
}

/// The rest of the block that an edge leads to; `None` where it leads back, or out of the code object.
fn way(graph: &ControlFlow, lines: &LineIndex, from: NodeId, kind: EdgeKind, side: Side) -> Option<Way> {
    let mut to = graph.follow(from, kind)?;
    while matches!(graph.nodes[to].kind, NodeKind::WithExit | NodeKind::GroupExit) {
        to = graph.follow(to, EdgeKind::Next)?;
    }
    let (start, end) = (graph.nodes[to].range.start, graph.nodes[to].block_end);
    let ahead = start > graph.nodes[from].range.start;
    ahead.then(|| Way { side, lines: (lines.line(start), last_line(lines, &(start..end))) })
}

/// The line of the last byte of a range.
pub(super) fn last_line(lines: &LineIndex, range: &Range<u32>) -> u32 {
    lines.line(range.end.saturating_sub(1).max(range.start))
}

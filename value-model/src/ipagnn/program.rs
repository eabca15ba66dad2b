//! A program as a network reads it.

use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::{Limits, ProgramGraph, Skipped};

use super::config::{ErrorConfig, Fusion};
use super::doubts::{DOUBTS, Doubts, ResourceDescription, doubts};
use crate::encoding::Vocabulary;

/// The label of programs that raise nothing.
pub const NO_ERROR: &str = "No error";

/// No node.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Statements with their tokens and edges. The ends stand behind the statements: exit, then error.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    /// Tokens of each statement.
    pub rows: Vec<Vec<u32>>,
    /// Facts about each statement: see [`super::doubts`].
    pub doubts: Vec<Doubts>,
    /// Line of each statement; 0 for the docstring that a description became.
    pub lines: Vec<u32>,
    /// What can follow: where the statement decides nothing, twice the same. [`NOWHERE`] after `raise`.
    pub(crate) next: Vec<[u32; 2]>,
    /// Where exceptions go, or [`NOWHERE`].
    pub(crate) raises: Vec<u32>,
    /// The first statement.
    pub(crate) entry: u32,
    /// Steps of execution.
    pub steps: usize,
    /// Tokens of the description.
    pub description: Vec<u32>,
    /// Functions that are not followed.
    pub skipped: Vec<Skipped>,
    /// Statements that are left out.
    pub left_out: usize,
    /// The step limit that the program would need, where it is beyond the limit.
    pub wanted_steps: Option<usize>,
}

impl Program {
    /// Prepares a source for a network. An empty description is none; what it says of statements is left out, too, where the
    /// network reads no description.
    #[must_use]
    pub fn new(
        model: &SourceModel,
        resource: &ResourceDescription,
        vocabulary: &Vocabulary,
        config: &ErrorConfig,
        limits: Limits,
    ) -> Self {
        let graph = ProgramGraph::of(model, limits);
        let tokens = vocabulary.encode(model.text());
        let (exit, error) = (graph.exit(), graph.error());
        let is_read = config.fusion != Fusion::None;
        let text = resource.text.trim();
        let mut description = if is_read && !text.is_empty() { vocabulary.encode(text).ids } else { Vec::new() };
        description.truncate(config.description_tokens);
        let has_docstring = config.fusion == Fusion::Docstring && !description.is_empty();
        // The docstring is the last statement by number, and the first to run.
        let number = |to: usize| (to + usize::from(has_docstring && to >= exit)) as u32;
        let mut program = Self {
            rows: Vec::new(),
            doubts: doubts(model, &graph.nodes, if is_read { &resource.doubts } else { &[] }),
            lines: Vec::new(),
            next: Vec::new(),
            raises: Vec::new(),
            entry: number(graph.entry),
            steps: graph.steps,
            description,
            skipped: graph.skipped,
            left_out: graph.left_out,
            wanted_steps: graph.wanted_steps,
        };
        for node in &graph.nodes {
            let [start, end] = [node.range.start, node.range.end].map(|at| at as usize);
            // A token may begin with the space before the statement.
            let first = tokens.before(start + 1).saturating_sub(1);
            let last = tokens.before(end).min(first + config.statement_tokens);
            let mut row = tokens.ids.get(first..last).unwrap_or_default().to_vec();
            if row.is_empty() {
                row.push(vocabulary.separator());
            }
            program.rows.push(row);
            program.lines.push(node.line);
            program.next.push(match node.next[..] {
                [] => [NOWHERE; 2],
                [only] => [number(only); 2],
                [yes, no, ..] => [number(yes), number(no)],
            });
            program.raises.push(node.raises.map_or(NOWHERE, number));
        }
        debug_assert_eq!(error, exit + 1);
        if has_docstring {
            program.rows.push(program.description.clone());
            program.doubts.push([0.0; DOUBTS]);
            program.lines.push(0);
            program.next.push([program.entry; 2]);
            program.raises.push(NOWHERE);
            program.entry = exit as u32;
            program.steps += 1;
        }
        program
    }

    /// Number of the node at which programs end.
    #[must_use]
    pub fn exit(&self) -> usize {
        self.rows.len()
    }

    /// Number of the node at which exceptions end that nothing handles.
    #[must_use]
    pub fn error(&self) -> usize {
        self.rows.len() + 1
    }

    /// Whether an exception can go anywhere but to the error node.
    pub(crate) fn has_handlers(&self) -> bool {
        let error = self.error() as u32;
        self.raises.iter().any(|&to| to != NOWHERE && to != error)
    }
}

//! What really ran, in the form in which it is predicted: visits of blocks, statements, and symbol tables.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use surmise_engine::protocol::{Raised, Traced};
use surmise_instrument::SourceModel;

use crate::blocks::Blocks;

/// The value of a variable, with the name of its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// As Python writes it.
    pub value: String,
    /// Name of the type; empty where the answer has none.
    #[serde(rename = "type")]
    pub kind: String,
    /// Something was left out of the value, so that it is compared with nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_cut: bool,
}

/// Variables of a scope by name (ORCA, section III.A).
pub type SymbolTable = BTreeMap<String, Entry>;

/// A visit of a block, from its first statement to the last one that ran in it. Blocks of functions that ran inside of a
/// statement of it, called by no name (`map(f, xs)`, a property), follow as visits of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Visit {
    /// Number of the block, from 1.
    pub block: usize,
    /// Lines of the statements that ran, in order.
    pub lines: Vec<u32>,
    /// Variables at its end.
    pub symbols: SymbolTable,
    /// It went on when the trace was cut: more of its lines may have run, and its variables are not those at its end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
}

/// An error that ends an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ErrorAt {
    /// Name of its class.
    #[serde(rename = "type")]
    pub kind: String,
    /// Line of the statement that raises; `None` where the answer has none.
    pub line: Option<u32>,
    /// Number of the block, from 1; `None` where the answer has none.
    pub block: Option<usize>,
}

/// An execution, predicted or real.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Trace {
    /// Visits of blocks, in order.
    pub visits: Vec<Visit>,
    /// Lines of statements, visit by visit.
    pub statements: Vec<u32>,
    /// The error that ends it.
    pub error: Option<ErrorAt>,
    /// It is longer than what is kept.
    pub is_cut: bool,
}

/// What is known of a call that runs.
#[derive(Default)]
struct Call {
    symbols: SymbolTable,
    /// The visit that goes on: its index, block, and place in it.
    visit: Option<(usize, usize, usize)>,
    /// The statement of the last step.
    at: Option<(usize, usize)>,
}

impl Trace {
    /// The trace of a run.
    #[must_use]
    pub fn executed(model: &SourceModel, blocks: &Blocks, traced: &Traced, error: Option<&Raised>) -> Self {
        let mut trace = Self { is_cut: traced.is_cut, ..Self::default() };
        let mut calls: BTreeMap<u32, Call> = BTreeMap::new();
        let mut left: BTreeSet<u32> = BTreeSet::new();
        let lines = model.lines();
        for step in &traced.steps {
            let call = calls.entry(step.call).or_default();
            for change in &step.changes {
                match &change.value {
                    Some(value) => {
                        let entry = Entry { value: value.clone(), kind: change.kind.clone(), is_cut: change.is_cut };
                        call.symbols.insert(change.name.clone(), entry);
                    }
                    None => drop(call.symbols.remove(&change.name)),
                }
            }
            if let Some((visit, ..)) = call.visit {
                trace.visits[visit].symbols.clone_from(&call.symbols);
            }
            if step.line == 0 {
                // A generator is left many times.
                left.insert(step.call);
                continue;
            }
            left.remove(&step.call);
            let start = lines.start(step.line);
            let indent = || indentation(model.text(), start);
            let offset = start + step.column.unwrap_or_else(indent);
            let Some(place) = blocks.statement_at(offset, step.line, step.column.is_some()) else {
                call.at = None;
                continue;
            };
            let before = call.at.replace(place);
            // CPython traces the line again; the statement does not run a second time.
            if blocks.leaves_contexts(place, before) {
                continue;
            }
            let again = before == Some(place);
            if again && (step.column.is_some() || blocks.is_traced_again(place, model)) {
                continue;
            }
            let (block, position) = place;
            let line = blocks.blocks[block].statements[position].line;
            match &mut call.visit {
                Some((visit, same, last)) if *same == block && position > *last => {
                    trace.visits[*visit].lines.push(line);
                    *last = position;
                }
                visit => {
                    *visit = Some((trace.visits.len(), block, position));
                    let symbols = call.symbols.clone();
                    trace.visits.push(Visit { block: block + 1, lines: vec![line], symbols, is_open: false });
                }
            }
        }
        if trace.is_cut {
            for (_, call) in calls.iter().filter(|(number, _)| !left.contains(number)) {
                if let Some((visit, ..)) = call.visit {
                    trace.visits[visit].is_open = true;
                }
            }
        }
        trace.set_statements();
        trace.error = error.filter(|_| !trace.is_cut).map(|raised| {
            let start = lines.start(raised.line);
            let offset = start + indentation(model.text(), start);
            let place = (raised.line > 0).then(|| blocks.statement_at(offset, raised.line, false)).flatten();
            let line = place.map(|(block, at)| blocks.blocks[block].statements[at].line);
            ErrorAt { kind: raised.kind.clone(), line, block: place.map(|(block, _)| block + 1) }
        });
        trace
    }

    /// Lists the lines of the visits.
    pub(crate) fn set_statements(&mut self) {
        self.statements = self.visits.iter().flat_map(|visit| visit.lines.iter().copied()).collect();
    }

    /// As much of a predicted trace as the executed one has, if that was cut.
    pub(crate) fn as_far_as(&self, executed: &Self) -> Self {
        let mut trace = self.clone();
        if executed.is_cut {
            trace.visits.truncate(executed.visits.len());
            for (own, real) in trace.visits.iter_mut().zip(&executed.visits) {
                if real.is_open && own.block == real.block {
                    own.lines.truncate(real.lines.len());
                }
            }
            trace.set_statements();
        }
        trace
    }

    /// Numbers of the blocks, in the order of the visits.
    #[must_use]
    pub fn blocks(&self) -> Vec<usize> {
        self.visits.iter().map(|visit| visit.block).collect()
    }
}

/// Bytes of white space at the start of a line.
fn indentation(text: &str, start: u32) -> u32 {
    let line = text.get(start as usize..).unwrap_or_default();
    (line.len() - line.trim_start_matches([' ', '\t', '\u{c}']).len()) as u32
}

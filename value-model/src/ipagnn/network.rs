//! The forward pass of the IPA-GNN and the Exception IPA-GNN.

use super::config::{ErrorConfig, NetworkKind};
use super::dense::{Cell, Dense, softmax};
use super::modulation::Modulation;
use super::pooling::Encoded;
use super::program::{NOWHERE, Program};
use crate::t5::{LoadError, Weights};

/// Statements with less of the pointer are not executed.
const LEAST: f32 = 1e-8;
/// Added to a share of the pointer before states are divided by it.
pub(crate) const SMALL: f32 = 1e-7;

/// The weights of a network, ready to execute.
#[derive(Clone, Debug)]
pub struct Network {
    config: ErrorConfig,
    statement: Dense,
    modulation: Modulation,
    cell: Cell,
    branch: Dense,
    /// Whether statements raise; the IPA-GNN has no such decision.
    raise: Option<Dense>,
    class: Dense,
}

/// What came of an execution.
#[derive(Clone, Debug, PartialEq)]
pub struct Execution {
    /// The instruction pointer before the first step and after each: shares of the statements, exit and error.
    pub pointer: Vec<Vec<f32>>,
    /// Probability that the program raises nothing.
    pub none: f32,
    /// Probabilities of the errors; together with `none` they are 1.
    pub classes: Vec<f32>,
    /// Share of the error node that each statement raised, by number; zeros where the network has no raise decisions.
    pub provenance: Vec<f32>,
}

/// Shares and states of all nodes between two steps.
struct State {
    pointer: Vec<f32>,
    hidden: Vec<f32>,
}

/// A share of the pointer that goes along an edge.
struct Flow {
    from: usize,
    to: usize,
    share: f32,
    /// The row of the state that goes with it.
    row: usize,
    raised: bool,
}

impl Network {
    /// Reads the weights of a network.
    ///
    /// # Errors
    /// [`LoadError`] for a tensor that is missing, of another shape, or not finite; [`LoadError::Config`] for a network
    /// without an instruction pointer.
    pub fn load(config: &ErrorConfig, weights: &Weights<'_>) -> Result<Self, LoadError> {
        if !config.network.has_pointer() {
            let value = format!("{:?}", config.network);
            let expected = "a network with an instruction pointer: baselines run with libtorch only".to_owned();
            return Err(LoadError::Config { key: "network", value, expected });
        }
        let width = config.width;
        let raises = config.network == NetworkKind::ExceptionIpaGnn;
        Ok(Self {
            statement: Dense::load(weights, "statement", width, config.features())?,
            modulation: Modulation::load(weights, config)?,
            cell: Cell::load(weights, width, config.input())?,
            branch: Dense::load(weights, "branch", 2, width)?,
            raise: if raises { Some(Dense::load(weights, "raise", 2, width)?) } else { None },
            class: Dense::load(weights, "class", config.outputs(), width)?,
            config: config.clone(),
        })
    }

    /// Executes a program.
    #[must_use]
    pub fn execute(&self, program: &Program, encoded: &Encoded) -> Execution {
        let (count, width) = (program.rows.len(), self.config.width);
        let mut statements = self.statement.apply(&encoded.statements, count);
        for value in &mut statements {
            *value = value.tanh();
        }
        let description = self.modulation.prepare(&encoded.description, self.config.encoder_width);
        let is_fixed = self.config.input() == width;
        let gates = if is_fixed { self.cell.input(&statements, count) } else { Vec::new() };
        let mut state = State { pointer: vec![0.0; count + 2], hidden: vec![0.0; (count + 2) * width] };
        state.pointer[program.entry as usize] = 1.0;
        let mut pointer = vec![state.pointer.clone()];
        let mut provenance = Provenance::new(program);
        for _ in 0..program.steps {
            let active: Vec<usize> = (0..count).filter(|&node| state.pointer[node] > LEAST).collect();
            if active.is_empty() {
                break;
            }
            let gather = |from: &[f32], width: usize| -> Vec<f32> {
                active.iter().flat_map(|&node| &from[node * width..][..width]).copied().collect()
            };
            let hidden = gather(&state.hidden, width);
            let gates = if is_fixed {
                gather(&gates, 3 * width)
            } else {
                let rows = gather(&statements, width);
                let input = self.modulation.modulate(&description, &rows, &hidden, active.len()).unwrap_or(rows);
                self.cell.input(&input, active.len())
            };
            let proposed = self.cell.step(&gates, &hidden, active.len());
            let flows = self.decide(program, &active, &state.pointer, &proposed);
            provenance.step(&flows, &state.pointer);
            state = advance(&state, &flows, &proposed, count, width);
            pointer.push(state.pointer.clone());
        }
        self.read(program, &state, pointer, provenance.at_error)
    }

    /// How the pointer of each active statement is divided among its ways on.
    fn decide(&self, program: &Program, active: &[usize], pointer: &[f32], proposed: &[f32]) -> Vec<Flow> {
        let mut branches = self.branch.apply(proposed, active.len());
        let mut raises = self.raise.as_ref().map(|raise| raise.apply(proposed, active.len()));
        let mut flows = Vec::with_capacity(3 * active.len());
        for (row, &from) in active.iter().enumerate() {
            let (share, [yes, no]) = (pointer[from], program.next[from]);
            let raised = match &mut raises {
                _ if program.raises[from] == NOWHERE => 0.0,
                _ if yes == NOWHERE => 1.0,
                None => 0.0,
                Some(raises) => {
                    let decision = &mut raises[2 * row..][..2];
                    softmax(decision);
                    decision[0]
                }
            };
            let branch = &mut branches[2 * row..][..2];
            softmax(branch);
            let goes_on = 1.0 - raised;
            let ways = [
                (program.raises[from], raised, true),
                (yes, goes_on * if yes == no { 1.0 } else { branch[0] }, false),
                (no, goes_on * if yes == no { 0.0 } else { branch[1] }, false),
            ];
            for (to, part, raised) in ways {
                if to != NOWHERE && part > 0.0 {
                    flows.push(Flow { from, to: to as usize, share: share * part, row, raised });
                }
            }
        }
        flows
    }

    fn read(&self, program: &Program, state: &State, pointer: Vec<Vec<f32>>, provenance: Vec<f32>) -> Execution {
        let width = self.config.width;
        let [exit, error] = [program.exit(), program.error()];
        let (mut classes, none);
        if self.raise.is_some() {
            classes = self.class.apply(&state.hidden[error * width..][..width], 1);
            softmax(&mut classes);
            let (ended, raised) = (state.pointer[exit] + SMALL, state.pointer[error] + SMALL);
            none = ended / (ended + raised);
            for class in &mut classes {
                *class *= 1.0 - none;
            }
        } else {
            classes = self.class.apply(&state.hidden[exit * width..][..width], 1);
            softmax(&mut classes);
            none = classes.remove(0);
        }
        Execution { pointer, none, classes, provenance }
    }
}

fn advance(state: &State, flows: &[Flow], proposed: &[f32], count: usize, width: usize) -> State {
    let mut next = State { pointer: vec![0.0; count + 2], hidden: vec![0.0; (count + 2) * width] };
    // The ends keep what they have.
    for end in [count, count + 1] {
        next.pointer[end] = state.pointer[end];
        for at in end * width..(end + 1) * width {
            next.hidden[at] = state.pointer[end] * state.hidden[at];
        }
    }
    for flow in flows {
        next.pointer[flow.to] += flow.share;
        let from = &proposed[flow.row * width..][..width];
        for (out, value) in next.hidden[flow.to * width..][..width].iter_mut().zip(from) {
            *out += flow.share * value;
        }
    }
    for (hidden, share) in next.hidden.chunks_exact_mut(width).zip(&next.pointer) {
        let scale = 1.0 / (share + SMALL);
        for value in hidden.iter_mut() {
            *value *= scale;
        }
    }
    next
}

/// Which statement an exception comes from (appendix H), as shares of the pointer: those that are underway by the
/// statement that raised them, through handlers and what they run, and those that have reached the error node.
struct Provenance {
    statements: usize,
    /// `[at][from]`, only where there are handlers.
    underway: Vec<Vec<f32>>,
    at_error: Vec<f32>,
}

impl Provenance {
    fn new(program: &Program) -> Self {
        let count = program.rows.len();
        let underway = if program.has_handlers() { vec![vec![0.0; count]; count] } else { Vec::new() };
        Self { statements: count, underway, at_error: vec![0.0; count] }
    }

    fn step(&mut self, flows: &[Flow], pointer: &[f32]) {
        let error = self.statements + 1;
        if self.underway.is_empty() {
            for flow in flows.iter().filter(|flow| flow.to == error) {
                self.at_error[flow.from] += flow.share;
            }
            return;
        }
        let mut next = vec![vec![0.0; self.statements]; self.statements];
        for flow in flows.iter().filter(|flow| flow.to != error - 1) {
            let before = &self.underway[flow.from];
            let part = flow.share / pointer[flow.from];
            let target = if flow.to == error { &mut self.at_error } else { &mut next[flow.to] };
            for (target, share) in target.iter_mut().zip(before) {
                *target += share * part;
            }
            if flow.raised {
                // What no earlier exception brought here begins here.
                let underway: f32 = before.iter().sum();
                target[flow.from] += (pointer[flow.from] - underway).max(0.0) * part;
            }
        }
        self.underway = next;
    }
}

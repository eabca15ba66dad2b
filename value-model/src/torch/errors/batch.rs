//! Programs of a batch as tensors, padded to the largest.

use std::collections::HashMap;

use tch::{Device, Tensor};

use crate::ipagnn::{DOUBTS, Encoded, ErrorConfig, Fusion, NOWHERE, Program};

/// Value that is added to the attention scores of padding.
const PADDING: f32 = -1e9;
/// Texts of up to so many tokens are padded to one length.
const LENGTHS: [usize; 6] = [6, 12, 18, 24, 32, 48];

/// Programs of a batch, padded to the largest.
pub struct ErrorBatch {
    pub(super) statements: Texts,
    /// 1 for a statement, 0 for padding: `[rows, nodes]`
    pub(super) mask: Tensor,
    /// Edges as 0 and 1, `[rows, nodes, nodes + 2]`: where a test holds, where not, where exceptions go.
    pub(super) edges: [Tensor; 3],
    /// Whether a statement may raise and may not; whether it does nothing else: `[rows, nodes]`
    pub(super) can_raise: Tensor,
    pub(super) always_raises: Tensor,
    /// The pointer before the first step, `[rows, nodes + 2]`
    pub(super) start: Tensor,
    /// 1 while a program takes steps, `[rows, longest]`
    pub(super) live: Tensor,
    /// Steps of the program with the fewest, and of the one with the most.
    pub(super) shortest: usize,
    pub(super) longest: usize,
    /// The descriptions, for networks that read their tokens.
    pub(super) description: Texts,
    /// 0 for a token and very negative for padding, `[rows, 1, 1, tokens]`
    pub(super) description_mask: Tensor,
    pub(super) nodes: i64,
}

/// Statements, or descriptions.
pub(super) enum Texts {
    /// Vectors, `[rows, count, features]`
    Vectors(Tensor),
    /// Tokens, which the network encodes.
    Tokens(Tokens),
}

/// Rows of tokens, each of them once.
pub(super) struct Tokens {
    /// Tokens of rows of about one length, and 0 for a token or very negative for padding: `[count, length]` each.
    pub(super) groups: Vec<[Tensor; 2]>,
    /// Numbers of the rows, over all groups, `[rows × nodes]`; empty where there is one row for each program.
    pub(super) order: Tensor,
    /// Facts, `[rows, nodes, facts]`, if the network reads them.
    pub(super) doubts: Option<Tensor>,
}

impl Texts {
    fn to(&self, device: Device) -> Self {
        match self {
            Self::Vectors(vectors) => Self::Vectors(vectors.to_device(device)),
            Self::Tokens(Tokens { groups, order, doubts }) => Self::Tokens(Tokens {
                groups: groups.iter().map(|group| [0, 1].map(|at| group[at].to_device(device))).collect(),
                order: order.to_device(device),
                doubts: doubts.as_ref().map(|doubts| doubts.to_device(device)),
            }),
        }
    }
}

fn tensor(values: &[f32], shape: &[usize]) -> Tensor {
    let shape: Vec<i64> = shape.iter().map(|&size| size as i64).collect();
    Tensor::from_slice(values).view(shape.as_slice())
}

impl ErrorBatch {
    /// A batch of programs whose statements are vectors already.
    pub fn of_vectors(items: &[(&Program, &Encoded)], config: &ErrorConfig) -> Self {
        let programs: Vec<&Program> = items.iter().map(|(program, _)| *program).collect();
        let (rows, nodes) = (items.len(), nodes(&programs));
        let (features, width) = (config.features(), config.encoder_width);
        let tokens = items.iter().map(|(_, encoded)| encoded.description.len() / width).max().unwrap_or(0).max(1);
        let mut statements = vec![0.0_f32; rows * nodes * features];
        let mut description = vec![0.0_f32; rows * tokens * width];
        for (row, (_, encoded)) in items.iter().enumerate() {
            statements[row * nodes * features..][..encoded.statements.len()].copy_from_slice(&encoded.statements);
            description[row * tokens * width..][..encoded.description.len()].copy_from_slice(&encoded.description);
        }
        let lengths = items.iter().map(|(_, encoded)| encoded.description.len() / width);
        Self::new(
            &programs,
            Texts::Vectors(tensor(&statements, &[rows, nodes, features])),
            Texts::Vectors(tensor(&description, &[rows, tokens, width])),
            &lengths.collect::<Vec<_>>(),
        )
    }

    /// A batch of programs whose statements the network encodes. `pad` fills rows of tokens.
    pub fn of_tokens(programs: &[&Program], config: &ErrorConfig, pad: u32) -> Self {
        let (rows, nodes) = (programs.len(), nodes(programs));
        let mut known: HashMap<&[u32], usize> = HashMap::new();
        for row in programs.iter().flat_map(|program| &program.rows) {
            known.entry(row).or_insert(0);
        }
        let mut unique: Vec<&[u32]> = known.keys().copied().collect();
        unique.sort_unstable_by_key(|row| (row.len(), *row));
        for (number, row) in unique.iter().enumerate() {
            known.insert(row, number);
        }
        let (mut groups, mut rest) = (Vec::new(), unique.as_slice());
        while let Some(first) = rest.first() {
            let length = LENGTHS.into_iter().find(|&length| length >= first.len()).unwrap_or(usize::MAX);
            let (group, others) = rest.split_at(rest.partition_point(|row| row.len() <= length));
            groups.push(padded(group, pad));
            rest = others;
        }
        let mut order = vec![0_i64; rows * nodes];
        let mut doubts = vec![0.0_f32; rows * nodes * DOUBTS];
        for (row, program) in programs.iter().enumerate() {
            for (at, (tokens, facts)) in program.rows.iter().zip(&program.doubts).enumerate() {
                order[row * nodes + at] = known[tokens.as_slice()] as i64;
                doubts[(row * nodes + at) * DOUBTS..][..DOUBTS].copy_from_slice(facts);
            }
        }
        let doubts = config.doubts.then(|| tensor(&doubts, &[rows, nodes, DOUBTS]));
        let statements = Texts::Tokens(Tokens { groups, order: Tensor::from_slice(&order), doubts });
        let reads = matches!(config.fusion, Fusion::Film | Fusion::CrossAttention);
        let described = |program: &&Program| if reads { program.description.len() } else { 0 };
        let lengths: Vec<usize> = programs.iter().map(described).collect();
        let description = if lengths.iter().any(|&length| length > 0) {
            let texts: Vec<&[u32]> = programs.iter().map(|program| program.description.as_slice()).collect();
            let groups = vec![padded(&texts, pad)];
            Texts::Tokens(Tokens { groups, order: Tensor::from_slice::<i64>(&[]), doubts: None })
        } else {
            Texts::Vectors(tensor(&vec![0.0; rows * config.encoder_width], &[rows, 1, config.encoder_width]))
        };
        Self::new(programs, statements, description, &lengths)
    }

    /// `described` has the number of tokens of each description that are read.
    fn new(programs: &[&Program], statements: Texts, description: Texts, described: &[usize]) -> Self {
        let (rows, nodes) = (programs.len(), nodes(programs));
        let (mut mask, mut can) = (vec![0.0_f32; rows * nodes], vec![0.0_f32; rows * nodes]);
        let mut always = can.clone();
        let mut edges = [0, 1, 2].map(|_| vec![0.0_f32; rows * nodes * (nodes + 2)]);
        let mut start = vec![0.0_f32; rows * (nodes + 2)];
        let tokens = described.iter().copied().max().unwrap_or(0).max(1);
        let mut description_mask = vec![PADDING; rows * tokens];
        let steps: Vec<usize> = programs.iter().map(|program| program.steps).collect();
        let longest = steps.iter().copied().max().unwrap_or(0);
        let mut live = vec![0.0_f32; rows * longest];
        for (row, program) in programs.iter().enumerate() {
            let count = program.rows.len();
            // The ends stand behind the padding.
            let place = |to: u32| if to as usize >= count { to as usize - count + nodes } else { to as usize };
            for at in 0..count {
                mask[row * nodes + at] = 1.0;
                let mut edge = |kind: usize, to: u32| {
                    if to != NOWHERE {
                        edges[kind][(row * nodes + at) * (nodes + 2) + place(to)] = 1.0;
                    }
                };
                edge(0, program.next[at][0]);
                edge(1, program.next[at][1]);
                edge(2, program.raises[at]);
                if program.raises[at] != NOWHERE {
                    let target = if program.next[at][0] == NOWHERE { &mut always } else { &mut can };
                    target[row * nodes + at] = 1.0;
                }
            }
            start[row * (nodes + 2) + place(program.entry)] = 1.0;
            live[row * longest..][..program.steps].fill(1.0);
            // No description reads as one state of zeros.
            description_mask[row * tokens..][..described[row].max(1)].fill(0.0);
        }
        Self {
            statements,
            mask: tensor(&mask, &[rows, nodes]),
            edges: edges.map(|edges| tensor(&edges, &[rows, nodes, nodes + 2])),
            can_raise: tensor(&can, &[rows, nodes]),
            always_raises: tensor(&always, &[rows, nodes]),
            start: tensor(&start, &[rows, nodes + 2]),
            live: tensor(&live, &[rows, longest]),
            shortest: steps.into_iter().min().unwrap_or(0),
            longest,
            description,
            description_mask: tensor(&description_mask, &[rows, 1, 1, tokens]),
            nodes: nodes as i64,
        }
    }

    /// The batch on a device.
    #[must_use]
    pub fn to(&self, device: Device) -> Self {
        Self {
            statements: self.statements.to(device),
            mask: self.mask.to_device(device),
            edges: [0, 1, 2].map(|kind: usize| self.edges[kind].to_device(device)),
            can_raise: self.can_raise.to_device(device),
            always_raises: self.always_raises.to_device(device),
            start: self.start.to_device(device),
            live: self.live.to_device(device),
            shortest: self.shortest,
            longest: self.longest,
            description: self.description.to(device),
            description_mask: self.description_mask.to_device(device),
            nodes: self.nodes,
        }
    }
}

/// Texts of the largest program.
fn nodes(programs: &[&Program]) -> usize {
    programs.iter().map(|program| program.rows.len()).max().unwrap_or(0).max(1)
}

/// Rows of tokens, and 0 for a token or very negative for padding.
fn padded(rows: &[&[u32]], pad: u32) -> [Tensor; 2] {
    let length = rows.iter().map(|row| row.len()).max().unwrap_or(0);
    let mut ids = vec![i64::from(pad); rows.len() * length];
    let mut mask = vec![PADDING; rows.len() * length];
    for (at, row) in rows.iter().enumerate() {
        for (id, &token) in ids[at * length..].iter_mut().zip(*row) {
            *id = i64::from(token);
        }
        mask[at * length..][..row.len()].fill(0.0);
    }
    let shape = [rows.len() as i64, length as i64];
    [Tensor::from_slice(&ids).view(shape), Tensor::from_slice(&mask).view(shape)]
}

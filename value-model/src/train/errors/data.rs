//! Labelled programs: read from JSON Lines, and prepared for a network.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::Limits;

use super::parallel;
use crate::ipagnn::{Encoded, ErrorConfig, Fusion, NO_ERROR, Program, ResourceDescription, Scope, open_encoder};
use crate::torch::ErrorBatch;
use crate::train::TrainError;

/// Rows of tokens that are encoded together.
const TOGETHER: usize = 256;

/// What a program serves for; programs of one problem stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is learned from.
    Train,
    /// Choices are made on it.
    Dev,
    /// Figures are reported on it.
    HeldOut,
}

impl Part {
    /// The part of a problem: half of them are held out, by the checksum of `scripts/bench-blame.py --half`, and of the
    /// others a tenth is for choices.
    #[must_use]
    pub fn of_problem(problem: &str) -> Self {
        let sum = crc32fast::hash(problem.as_bytes());
        match (sum % 2, sum / 2 % 10) {
            (1, _) => Self::HeldOut,
            (_, 0) => Self::Dev,
            _ => Self::Train,
        }
    }
}

/// A line of a file of labels.
#[derive(Deserialize)]
struct Line {
    #[serde(alias = "problem_id")]
    problem: Option<String>,
    id: String,
    code: String,
    description: Option<String>,
    #[serde(rename = "error_class")]
    class: String,
    #[serde(rename = "error_line")]
    raised_at: Option<u32>,
    operator: Option<String>,
    split: Option<String>,
}

/// A program with what happens when it runs.
#[derive(Clone, Debug)]
pub struct Labelled {
    /// Its name in the data.
    pub id: String,
    /// Part of its problem.
    pub part: Part,
    /// The source.
    pub code: String,
    /// The description of its input. [`read`] has the text alone: what it says of the code is for the caller to add.
    pub description: ResourceDescription,
    /// Name of the exception, or [`NO_ERROR`].
    pub class: String,
    /// Line that raises it.
    pub line: Option<u32>,
    /// Mutation that made it of another program.
    pub operator: Option<String>,
}

/// Reads a file of labelled programs, compressed if it ends with `.zst`. A last line that is not whole, as of a file that
/// is still being written, ends it.
///
/// # Errors
/// [`TrainError::Io`]; [`TrainError::Labels`] for a line that is no labelled program.
pub fn read(path: &Path) -> Result<Vec<Labelled>, TrainError> {
    let io = |source| TrainError::Io { path: path.to_owned(), source };
    let file = File::open(path).map_err(io)?;
    let packed = path.extension().is_some_and(|extension| extension == "zst");
    let reader: Box<dyn Read> = if packed { Box::new(zstd::Decoder::new(file).map_err(io)?) } else { Box::new(file) };
    let mut lines = BufReader::new(reader).lines().enumerate().peekable();
    let mut all = Vec::new();
    while let Some((number, line)) = lines.next() {
        let line = match line {
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => break,
            line => line.map_err(io)?,
        };
        let line: Line = match serde_json::from_str(&line) {
            Ok(line) => line,
            Err(error) if error.is_eof() && lines.peek().is_none() => break,
            Err(error) => {
                let problem = format!("line {}: {error}", number + 1);
                return Err(TrainError::Labels { path: path.to_owned(), problem });
            }
        };
        // The data may choose another tenth for choices, but hold out the same half.
        let part = match (Part::of_problem(line.problem.as_deref().unwrap_or(&line.id)), line.split.as_deref()) {
            (Part::HeldOut, _) | (_, Some("held-out")) => Part::HeldOut,
            (_, Some("train")) => Part::Train,
            (_, Some("dev")) => Part::Dev,
            (part, _) => part,
        };
        all.push(Labelled {
            part,
            id: line.id,
            code: line.code,
            description: ResourceDescription { text: line.description.unwrap_or_default(), doubts: Vec::new() },
            class: line.class,
            line: line.raised_at,
            operator: line.operator,
        });
    }
    Ok(all)
}

/// A program that a network can learn from or be measured on.
pub struct Example {
    pub(super) program: Program,
    /// Rows of the table of statements, and of the table of descriptions; none where the network encodes tokens.
    statements: Vec<u32>,
    description: Option<u32>,
    /// 0 for no error, else one more than the number of the class.
    pub(super) target: usize,
    pub(super) line: Option<u32>,
    pub(super) is_original: bool,
    pub(super) part: Part,
}

/// Examples, and the vectors that they share.
pub struct Examples {
    pub(super) all: Vec<Example>,
    config: ErrorConfig,
    pad: u32,
    statements: Vec<f32>,
    descriptions: Vec<Vec<f32>>,
    /// Programs that do not parse or are beyond the limits.
    pub left_out: usize,
}

impl Examples {
    /// The vectors of an example.
    fn encoded(&self, example: &Example) -> Encoded {
        let (mut statements, width) = (Vec::new(), self.config.encoder_width);
        for (&row, doubts) in example.statements.iter().zip(&example.program.doubts) {
            statements.extend_from_slice(&self.statements[row as usize * width..][..width]);
            if self.config.doubts {
                statements.extend_from_slice(doubts);
            }
        }
        let description = example.description.map(|number| self.descriptions[number as usize].clone());
        Encoded { statements, description: description.unwrap_or_default() }
    }

    /// A batch of examples.
    pub(super) fn batch(&self, batch: &[&Example]) -> ErrorBatch {
        if self.config.adapter.is_some() {
            let programs: Vec<&Program> = batch.iter().map(|example| &example.program).collect();
            return ErrorBatch::of_tokens(&programs, &self.config, self.pad);
        }
        let encoded: Vec<Encoded> = batch.iter().map(|example| self.encoded(example)).collect();
        let items: Vec<(&Program, &Encoded)> =
            batch.iter().zip(&encoded).map(|(example, encoded)| (&example.program, encoded)).collect();
        ErrorBatch::of_vectors(&items, &self.config)
    }

    /// Examples of a part.
    #[must_use]
    pub fn count(&self, part: Part) -> usize {
        self.all.iter().filter(|example| example.part == part).count()
    }
}

/// Prepares programs within the limits, on all processors. Unless the network encodes tokens, equal statements are
/// encoded once.
///
/// # Errors
/// [`TrainError::Weights`] if the value model's encoder has another shape, [`TrainError::Encoder`] if it does not take
/// the tokens.
pub fn prepare(labelled: &[Labelled], config: &ErrorConfig, limits: Limits) -> Result<Examples, TrainError> {
    let (vocabulary, _) = open_encoder(config)?;
    let programs = parallel::map(
        labelled,
        || (),
        |(), labelled| {
            let model = SourceModel::parse(labelled.code.as_str()).ok()?;
            let program = Program::new(&model, &labelled.description, &vocabulary, config, limits);
            let is_whole = program.left_out == 0 && program.wanted_steps.is_none() && !program.rows.is_empty();
            is_whole.then_some(program)
        },
    );
    let mut examples = Examples {
        all: Vec::new(),
        config: config.clone(),
        pad: vocabulary.pad(),
        statements: Vec::new(),
        descriptions: Vec::new(),
        left_out: 0,
    };
    for (labelled, program) in labelled.iter().zip(programs) {
        let Some(program) = program else {
            examples.left_out += 1;
            continue;
        };
        let class = config.classes.iter().position(|class| *class == labelled.class);
        let target = match class {
            _ if labelled.class == NO_ERROR => 0,
            Some(class) => class + 1,
            // Rare ones are the last, `Other`.
            None => config.classes.len(),
        };
        examples.all.push(Example {
            program,
            statements: Vec::new(),
            description: None,
            target,
            line: labelled.line,
            is_original: labelled.operator.is_none(),
            part: labelled.part,
        });
    }
    if config.adapter.is_none() {
        examples.encode()?;
    }
    Ok(examples)
}

impl Examples {
    /// Encodes statements and descriptions by the value model's encoder.
    fn encode(&mut self) -> Result<(), TrainError> {
        let failed = |error: crate::t5::InputError| TrainError::Encoder(error.to_string());
        let encoder = || open_encoder(&self.config).map(|(_, encoder)| encoder);
        if self.config.scope == Scope::Global {
            let encoded = parallel::map(&self.all, encoder, |encoder, example| {
                let encoder = encoder.as_ref().map_err(|error| TrainError::Encoder(error.to_string()))?;
                encoder.pooled(&example.program).map_err(failed)
            });
            for (example, encoded) in self.all.iter_mut().zip(encoded) {
                let first = (self.statements.len() / self.config.encoder_width) as u32;
                self.statements.extend(encoded?);
                example.statements = (first..).take(example.program.rows.len()).collect();
            }
        } else {
            let mut known: HashMap<&[u32], u32> = HashMap::new();
            let mut unique: Vec<&[u32]> = Vec::new();
            let mut numbers = Vec::with_capacity(self.all.len());
            for example in &self.all {
                let mut rows = Vec::with_capacity(example.program.rows.len());
                for row in example.program.rows.iter().map(Vec::as_slice) {
                    rows.push(*known.entry(row).or_insert_with(|| {
                        unique.push(row);
                        (unique.len() - 1) as u32
                    }));
                }
                numbers.push(rows);
            }
            let together: Vec<&[&[u32]]> = unique.chunks(TOGETHER).collect();
            let encoded = parallel::map(&together, encoder, |encoder, rows| {
                let encoder = encoder.as_ref().map_err(|error| TrainError::Encoder(error.to_string()))?;
                encoder.rows(rows).map_err(failed)
            });
            for encoded in encoded {
                self.statements.extend(encoded?);
            }
            for (example, numbers) in self.all.iter_mut().zip(numbers) {
                example.statements = numbers;
            }
        }
        if !matches!(self.config.fusion, Fusion::Film | Fusion::CrossAttention) {
            return Ok(());
        }
        let (_, encoder) = open_encoder(&self.config)?;
        let mut known: HashMap<Vec<u32>, u32> = HashMap::new();
        for example in self.all.iter_mut().filter(|example| !example.program.description.is_empty()) {
            let number = if let Some(&number) = known.get(&example.program.description) {
                number
            } else {
                let number = self.descriptions.len() as u32;
                self.descriptions.push(encoder.states(&example.program.description).map_err(failed)?);
                known.insert(example.program.description.clone(), number);
                number
            };
            example.description = Some(number);
        }
        Ok(())
    }
}

//! What the source itself, and the description of its input, say against each statement.

use serde::Serialize;
use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::GraphNode;

/// Kinds of doubts, in the order in which they stand beside each embedding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// A name that nothing in the source binds, and no builtin.
    UndefinedName,
    /// A global that may not be bound yet.
    UnboundGlobal,
    /// A local variable that may not be bound yet.
    UnboundLocal,
    /// An attribute that no type has which the value can have.
    MissingAttribute,
    /// An operation that the types of its operands do not support, or a call with too many or too few arguments.
    UnsupportedOperation,
    /// An operation that some of the types do not support which its operands can have.
    PartlyUnsupported,
    /// A text that is unpacked into variables.
    UnpackedText,
    /// A line of the input is, by its description, not what the code takes it for.
    InputMismatch,
    /// The code reads on where the input has ended, by its description.
    InputEnded,
}

impl Doubt {
    /// All of them.
    pub const ALL: [Self; DOUBTS] = [
        Self::UndefinedName,
        Self::UnboundGlobal,
        Self::UnboundLocal,
        Self::MissingAttribute,
        Self::UnsupportedOperation,
        Self::PartlyUnsupported,
        Self::UnpackedText,
        Self::InputMismatch,
        Self::InputEnded,
    ];

    /// What is in doubt, as a clause.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::UndefinedName => "nothing defines a name that it reads",
            Self::UnboundGlobal => "a variable that it reads may not be assigned yet",
            Self::UnboundLocal => "a local variable that it reads may not be assigned yet",
            Self::MissingAttribute => "the value does not have the attribute",
            Self::UnsupportedOperation => "the types of the values do not support the operation",
            Self::PartlyUnsupported => "some types that the values can have do not support the operation",
            Self::UnpackedText => "a text is unpacked into variables",
            Self::InputMismatch => "the input is something else by its description",
            Self::InputEnded => "the input has ended by its description",
        }
    }
}

/// How many facts stand beside each embedding.
pub(crate) const DOUBTS: usize = 9;

/// Facts about a statement, in the order of [`Doubt::ALL`]: 1 where there is a doubt, and for those about the input the share
/// of the readings of the description.
pub(crate) type Doubts = [f32; DOUBTS];

/// A statement that does not read the input as the description has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InputDoubt {
    /// Its line of the source.
    pub line: u32,
    /// The share of the readings of the description in which that is so; less where others fit.
    pub share: f32,
    /// It reads on where the input has ended; else it takes a line for something else.
    pub reads_on: bool,
}

/// What a program reads: the description as a text, and what it says of the code.
#[derive(Clone, Debug, Default)]
pub struct ResourceDescription {
    /// The text; empty if there is none.
    pub text: String,
    /// Statements that contradict it.
    pub doubts: Vec<InputDoubt>,
}

impl From<&str> for ResourceDescription {
    fn from(text: &str) -> Self {
        Self { text: text.to_owned(), doubts: Vec::new() }
    }
}

/// The facts about each statement of a program.
pub(super) fn doubts(model: &SourceModel, nodes: &[GraphNode], input: &[InputDoubt]) -> Vec<Doubts> {
    let types = model.type_doubts();
    let of = |node: &GraphNode| {
        let names = model.name_doubts(node.range.clone());
        let mut all = [0.0; DOUBTS];
        for (out, fact) in all.iter_mut().zip(names.into_iter().chain(types.within(&node.range))) {
            *out = f32::from(u8::from(fact));
        }
        for doubt in input.iter().filter(|doubt| doubt.line == node.line) {
            let kind = if doubt.reads_on { Doubt::InputEnded } else { Doubt::InputMismatch };
            all[kind as usize] += doubt.share;
        }
        all
    };
    nodes.iter().map(of).collect()
}

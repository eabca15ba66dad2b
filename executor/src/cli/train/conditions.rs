//! Training of the model of conditions: which way they go in real calls.

use surmise_instrument::evidence;
use surmise_trace::conditions::decided;
use surmise_trace::dataset::{self, DataError, Split};
use surmise_value_model::conditions::{Example, Fit, fit};

use super::Arguments;
use crate::cli::printer;
use crate::cli::refusal::{Refusal, write};

/// Seed of the order in which examples are learned from.
const SEED: u64 = 0;

pub(super) fn train(arguments: &Arguments) -> Result<(), Refusal> {
    let Some(sources) = &arguments.sources else {
        return Err(Refusal::new("conditions are read in their sources, and there are none", "give --sources"));
    };
    let parts = dataset::parts(&arguments.data)?;
    let (mut learned, mut held_out) = (Vec::new(), Vec::new());
    for (number, part) in parts.iter().enumerate().filter(|(_, part)| part.split != Split::Test) {
        let examples = if part.split == Split::Train { &mut learned } else { &mut held_out };
        let before = examples.len();
        let lost = decided(part, sources, |file| {
            for condition in evidence::conditions(&file.model) {
                if let Some(outcome) = file.outcomes.get(&condition.decides.start) {
                    examples.push(Example::new(&condition.features, outcome.first_true, outcome.first_false));
                }
            }
        });
        let lost = match lost.map_err(DataError::from)? {
            0 => String::new(),
            count => format!(", {count} files without source"),
        };
        let count = examples.len() - before;
        printer::note(&format!("[{:2}/{}] {:20} {count} conditions{lost}", number + 1, parts.len(), part.project));
    }
    if learned.is_empty() || held_out.is_empty() {
        let hint = "conditions are learned from `train-*` parts and measured on `dev-*` parts; --sources takes the \
                    folder that `corpora/sources.py` fills";
        return Err(Refusal::new("no conditions to learn from, or none to measure on", hint));
    }
    let model = fit(&learned, &held_out, SEED, |fit| {
        let [right, majority] = [fit.right, fit.majority].map(|share| share * 100.0);
        let Fit { epoch, epochs, loss, .. } = fit;
        printer::note(&format!(
            "pass {epoch} of {epochs}: held out: loss {loss:.4}, {right:.1} % right (majority {majority:.1} %)"
        ));
    });
    let bytes = model.tensors().and_then(|tensors| tensors.to_bytes()).map_err(Refusal::bare)?;
    let path = &arguments.output;
    write(path, &bytes)?;
    let count = learned.len();
    printer::data(&format!("conditions: {count} learned from, {} bytes in {}\n", bytes.len(), path.display()));
    Ok(())
}

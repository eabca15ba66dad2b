//! The option `--values`: recordings whose values go before predicted ones, and which value stands for a class.

use std::convert::Infallible;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use clap::{Args, ValueHint};
use surmise_engine::plan::Settings;
use surmise_trace::observed::observe;
use surmise_value_model::Observed;
use surmise_value_model::classes::Concretization;

use super::printer;
use super::refusal::Refusal;

/// What `--values` takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// How a class becomes a value.
    Standing(Concretization),
    /// Folder of a recording.
    Recording(PathBuf),
}

impl FromStr for Value {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(match text {
            "fine" => Self::Standing(Concretization::Fine),
            "coarse" => Self::Standing(Concretization::Coarse),
            "coarse-random" => Self::Standing(Concretization::CoarseRandom),
            folder => Self::Recording(folder.into()),
        })
    }
}

// clap names a group after its struct, and the model has a struct `Options`, too.
#[derive(Args, Debug)]
#[group(id = "ValueOptions")]
pub(super) struct Options {
    /// Folder that `surmise trace` wrote: what was observed there goes before what the model predicts, class and value
    /// (repeatable). Or which value stands for a class: `fine` (22 classes, one value for each: LExecutor, Table 1; the
    /// default), `coarse` (12 classes, one value for each: Table 2) or `coarse-random` (12 classes, a random value).
    #[arg(long, value_name = "DIR|fine|coarse|coarse-random", value_parser = Value::from_str, value_hint = ValueHint::DirPath)]
    values: Vec<Value>,
}

impl Options {
    /// How classes become values: as the last option says.
    pub(super) fn concretization(&self) -> Concretization {
        let mut standing = self.values.iter().filter_map(|value| match value {
            Value::Standing(concretization) => Some(*concretization),
            Value::Recording(_) => None,
        });
        standing.next_back().unwrap_or_default()
    }

    fn recordings(&self) -> impl Iterator<Item = &PathBuf> {
        self.values.iter().filter_map(|value| match value {
            Value::Recording(folder) => Some(folder),
            Value::Standing(_) => None,
        })
    }

    /// Reads the recordings; `None` if there are none.
    pub(super) fn observed(&self) -> Result<Option<Arc<Observed>>, Refusal> {
        let mut observed = Observed::default();
        for folder in self.recordings() {
            observe(folder, &mut observed).map_err(|error| {
                let hint =
                    "--values takes a folder that `surmise trace -o DIR` wrote, `fine`, `coarse` or `coarse-random`";
                Refusal::new(format!("cannot use the recorded values: {error}"), hint)
            })?;
        }
        if self.recordings().next().is_none() {
            return Ok(None);
        }
        if observed.sites() == 0 {
            printer::warning("the recordings of --values have no values: the model alone predicts");
        }
        Ok(Some(Arc::new(observed)))
    }
}

/// What stored results depend on of the values; empty where the model alone says them.
pub(super) fn fingerprint(settings: &Settings) -> String {
    let mut text = match settings.values {
        Concretization::Fine => String::new(),
        other => format!(" values={other:?}"),
    };
    for source in settings.observed.iter().flat_map(|observed| observed.sources()) {
        text.push_str(" values=");
        text.push_str(source);
    }
    text
}

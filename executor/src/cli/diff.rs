//! `surmise diff`.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use super::printer;
use super::run::seconds;
use crate::client::{ClientError, Zygote};
use crate::diff::changed::{self, Candidate};
use crate::diff::pair::{Options, compare};
use crate::diff::render::{self, Totals};
use crate::exit::Exit;
use crate::plan::{PredictorChoice, Settings};
use crate::source;

/// Tell whether a change of functions changes their behaviour.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of the command line")]
pub(super) struct Arguments {
    /// The old version.
    #[arg(value_name = "OLD", required_unless_present = "jsonl", requires = "new")]
    old: Option<PathBuf>,
    /// The new version.
    #[arg(value_name = "NEW")]
    new: Option<PathBuf>,
    /// A file with both versions of a function in each line's JSON object; its name is the object's `id`.
    #[arg(long, value_name = "FILE", conflicts_with = "old")]
    jsonl: Option<PathBuf>,
    /// The key of the old version in these objects.
    #[arg(long, value_name = "NAME", default_value = "old_function")]
    old_field: String,
    /// The key of the new version.
    #[arg(long, value_name = "NAME", default_value = "new_function")]
    new_field: String,
    /// Who predicts missing values.
    #[arg(long, value_enum, default_value = "model")]
    predictor: PredictorChoice,
    /// Runs of each version at most.
    #[arg(long, value_name = "N", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Wall-clock limit of all runs of a pair together, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds)]
    time: f64,
    /// Wall-clock limit of one run, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 1.0, value_parser = seconds)]
    timeout: f64,
    /// The text of exceptions and warnings counts.
    #[arg(long)]
    strict_messages: bool,
    /// Calls that log count.
    #[arg(long)]
    strict_logging: bool,
    /// Print one `surmise.diff/1` object a function, then one with the `summary`.
    #[arg(long, conflicts_with = "markdown")]
    json: bool,
    /// Print a table and the witnesses as Markdown.
    #[arg(long)]
    markdown: bool,
}

const EXAMPLES: &str = "\
Examples:
  surmise diff old.py new.py                 every function that both files have
  surmise diff --markdown old.py new.py      for a comment under a change
  surmise diff --jsonl pairs.jsonl --json    a data set of pairs

Exit codes: 0 nothing differs (unknown is no difference); 1 something differs; 2 bad usage or unreadable input;
70 our own failure.";

/// Why nothing could be compared: a message and what to do about it.
enum Failure {
    Input(String, String),
    Worker(ClientError),
}

/// Runs the command.
pub(super) fn run(arguments: &Arguments) -> ExitCode {
    if arguments.predictor == PredictorChoice::None {
        printer::error("nothing can be compared without values", Some("leave --predictor away, or say `naive`"));
        return Exit::Usage.into();
    }
    match arguments.compare() {
        Ok(totals) if totals.different > 0 => Exit::Found.into(),
        Ok(_) => Exit::Success.into(),
        Err(Failure::Input(message, hint)) => {
            printer::error(&message, Some(&hint));
            Exit::Usage.into()
        }
        Err(Failure::Worker(error)) => {
            printer::error(&error.to_string(), None);
            Exit::Internal.into()
        }
    }
}

impl Arguments {
    fn options(&self) -> Options {
        Options {
            settings: Settings {
                predictor: self.predictor,
                runs: self.runs,
                time: Duration::from_secs_f64(self.time),
                timeout: Duration::from_secs_f64(self.timeout),
                ..Settings::default()
            },
            strict_messages: self.strict_messages,
            strict_logging: self.strict_logging,
        }
    }

    fn compare(&self) -> Result<Totals, Failure> {
        let options = self.options();
        let mut zygote = None;
        let (mut totals, mut all) = (Totals::default(), Vec::new());
        self.each(|candidate| {
            let zygote = if let Some(zygote) = &mut zygote {
                zygote
            } else {
                let mut started = Zygote::start()?;
                started.wait_until_ready()?;
                zygote.insert(started)
            };
            let comparison = compare(zygote, &candidate, &options)?;
            totals.add(&comparison);
            if self.json {
                printer::data(&format!("{}\n", render::document(&comparison)));
            } else if self.markdown {
                all.push(comparison);
            } else {
                printer::data(&render::text(&comparison));
            }
            Ok(())
        })?;
        if self.json {
            printer::data(&format!("{}\n", serde_json::json!({ "summary": totals })));
        } else if self.markdown {
            printer::data(&render::markdown(&all));
        } else {
            printer::data(&format!(
                "{} different, {} equal, {} unknown, {} added, {} removed\n",
                totals.different, totals.equal, totals.unknown, totals.added, totals.removed
            ));
        }
        Ok(totals)
    }

    /// Calls `take` with each pair in turn.
    fn each(&self, mut take: impl FnMut(Candidate) -> Result<(), ClientError>) -> Result<(), Failure> {
        let (Some(old), Some(new)) = (&self.old, &self.new) else {
            return self.each_record(take);
        };
        let read = |path| {
            source::read(path).map_err(|error: source::SourceError| {
                Failure::Input(error.to_string(), "give two Python files: the old version and the new".to_owned())
            })
        };
        let (old, new) = (read(old)?, read(new)?);
        for source in [&old, &new] {
            if let Err(error) = surmise_instrument::same::named(&source.text) {
                let hint = "both versions must parse as Python 3: there is nothing to compare otherwise";
                return Err(Failure::Input(format!("`{}` does not parse: {error}", source.name), hint.to_owned()));
            }
        }
        let candidates = changed::functions(&old, &new);
        if candidates.is_empty() {
            printer::warning("neither version has a function: nothing was compared");
        }
        for candidate in candidates {
            take(candidate).map_err(Failure::Worker)?;
        }
        Ok(())
    }

    fn each_record(&self, mut take: impl FnMut(Candidate) -> Result<(), ClientError>) -> Result<(), Failure> {
        let path = self.jsonl.as_deref().unwrap_or(std::path::Path::new("-"));
        let hint = "--jsonl takes a file with one JSON object a line; --old-field and --new-field name its keys";
        let bad = |message: String| Failure::Input(format!("`{}`{message}", path.display()), hint.to_owned());
        let file = std::fs::File::open(path).map_err(|error| bad(format!(" cannot be read: {error}")))?;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.map_err(|error| bad(format!(", line {number}: {error}")))?;
            if line.trim().is_empty() {
                continue;
            }
            let record: serde_json::Value =
                serde_json::from_str(&line).map_err(|error| bad(format!(", line {number}: not JSON: {error}")))?;
            let field = |name: &str| {
                let text = record[name].as_str();
                text.ok_or_else(|| bad(format!(", line {number}: no text under `{name}`")))
            };
            let id = match &record["id"] {
                serde_json::Value::String(id) => id.clone(),
                _ => format!("{}:{number}", path.display()),
            };
            let candidate = changed::record(&id, field(&self.old_field)?, field(&self.new_field)?);
            take(candidate).map_err(Failure::Worker)?;
        }
        Ok(())
    }
}

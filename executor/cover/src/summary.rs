//! What results come to.

use serde::Serialize;
use serde_json::Value;

use super::record::Record;

/// Sums over the results of one configuration.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Summary {
    /// Snippets.
    pub files: u64,
    /// Their lines that count.
    pub lines_total: u64,
    /// Lines that count and that some run reached.
    pub lines_covered: u64,
    /// Mean of the snippets' shares (`LExecutor`'s macro mean).
    pub mean_file_coverage: f64,
    /// Snippets with every line covered.
    pub fully_covered: u64,
    /// Snippets whose best run completed.
    pub completed: u64,
    /// Snippets that could not be read or run at all.
    pub unusable: u64,
    /// Runs.
    pub runs: u64,
    /// Uses of values in the best runs.
    pub uses_total: u64,
    /// Uses whose values were injected.
    pub uses_guided: u64,
    /// Milliseconds, all in.
    pub total_ms: f64,
    /// The part of that spent predicting.
    pub predict_ms: f64,
    /// What came of asking a language model; `None` where none was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language_model: Option<Advised>,
    /// Snippets by the tenth of their coverage: the last has the fully covered ones.
    pub tenths: [u64; 11],
}

/// What came of asking a language model.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Advised {
    /// Snippets about which it was asked.
    pub snippets: u64,
    /// Missing values that it was asked for.
    pub asked: u64,
    /// Places of the code that use these values.
    pub asked_sites: u64,
    /// Its values that runs injected.
    pub used: u64,
    /// Its values that were refused.
    pub refused: u64,
    /// Snippets for which a question got no answer.
    pub unanswered: u64,
    /// Snippets for which an answer was not of the asked form.
    pub unreadable: u64,
    /// Why the first of these failed.
    pub first_failure: Option<String>,
}

impl Advised {
    /// What a report says; `None` where nothing was asked.
    fn of(report: &Value) -> Option<Self> {
        let advice = &report["language_model"];
        let asked = advice["asked"].as_u64().filter(|asked| *asked > 0)?;
        let failure = advice["failure"].as_str().map(str::to_owned);
        let is_unanswered = advice["is_unanswered"] == true;
        Some(Self {
            snippets: 1,
            asked,
            asked_sites: advice["asked_sites"].as_u64().unwrap_or(0),
            used: advice["used"].as_u64().unwrap_or(0),
            refused: advice["refused"].as_array().map_or(0, |refused| refused.len() as u64),
            unanswered: u64::from(is_unanswered),
            unreadable: u64::from(failure.is_some() && !is_unanswered),
            first_failure: failure,
        })
    }

    fn add(&mut self, other: &Self) {
        self.snippets += other.snippets;
        self.asked += other.asked;
        self.asked_sites += other.asked_sites;
        self.used += other.used;
        self.refused += other.refused;
        self.unanswered += other.unanswered;
        self.unreadable += other.unreadable;
        self.first_failure = self.first_failure.take().or_else(|| other.first_failure.clone());
    }
}

/// The numbers of one result.
#[derive(Clone, Debug, Default)]
pub struct Row {
    /// The snippet's name.
    pub name: String,
    /// How the best run ended.
    pub outcome: String,
    /// Lines that count.
    pub total: u64,
    /// Lines that count and that were covered.
    pub covered: u64,
    /// Runs.
    pub runs: u64,
    /// Uses of values in the best run, and injected ones.
    pub uses: (u64, u64),
    /// Milliseconds, all in.
    pub ms: f64,
    /// The part of that spent predicting.
    pub predict_ms: f64,
    /// The best run's error.
    pub error: Option<String>,
    /// What came of asking a language model.
    pub language_model: Option<Advised>,
}

impl Row {
    /// The numbers of a result, under a name.
    pub fn new(name: &str, record: &Record) -> Self {
        let Ok(report) = &record.report else {
            return Self { name: name.to_owned(), outcome: "unusable".to_owned(), ..Self::default() };
        };
        let number = |value: &Value| value.as_u64().unwrap_or(0);
        Self {
            name: name.to_owned(),
            outcome: report["outcome"].as_str().unwrap_or_default().to_owned(),
            total: number(&report["lines"]["total"]),
            covered: number(&report["lines"]["covered"]),
            runs: number(&report["runs"]),
            uses: (number(&report["uses"]["total"]), number(&report["uses"]["guided"])),
            ms: report["time_ms"]["total"].as_f64().unwrap_or(0.0),
            predict_ms: report["time_ms"]["predict"].as_f64().unwrap_or(0.0),
            error: report["error"]["type"].as_str().map(str::to_owned),
            language_model: Advised::of(report),
        }
    }

    /// Covered lines over all; a snippet without lines is covered if it ran.
    pub fn share(&self) -> f64 {
        match (self.total, self.outcome.as_str()) {
            (0, "unusable" | "syntax-error") => 0.0,
            (0, _) => 1.0,
            (total, _) => self.covered as f64 / total as f64,
        }
    }
}

/// In which order a table has its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Sort {
    /// By name.
    Name,
    /// Those that are covered least first.
    Covered,
    /// Those with the most missed lines first.
    Missed,
    /// Those with the most runs first.
    Runs,
    /// Those that took longest first.
    Time,
}

impl Sort {
    /// Puts rows, with their places in the batch, in this order; those that are equal stay in that of the batch.
    pub fn apply(self, rows: &mut [(u64, Row)]) {
        rows.sort_by(|(_, one), (_, other)| match self {
            Self::Name => one.name.cmp(&other.name),
            Self::Covered => one.share().total_cmp(&other.share()),
            Self::Missed => (other.total - other.covered).cmp(&(one.total - one.covered)),
            Self::Runs => other.runs.cmp(&one.runs),
            Self::Time => other.ms.total_cmp(&one.ms),
        });
    }
}

impl Summary {
    /// Adds a result.
    pub fn add(&mut self, row: &Row) {
        let share = row.share();
        // The mean of what was there and the new one.
        self.mean_file_coverage += (share - self.mean_file_coverage) / (self.files + 1) as f64;
        self.files += 1;
        self.lines_total += row.total;
        self.lines_covered += row.covered;
        self.fully_covered += u64::from(share >= 1.0);
        self.completed += u64::from(row.outcome == "completed");
        self.unusable += u64::from(row.outcome == "unusable");
        self.runs += row.runs;
        self.uses_total += row.uses.0;
        self.uses_guided += row.uses.1;
        self.total_ms += row.ms;
        self.predict_ms += row.predict_ms;
        if let Some(advised) = &row.language_model {
            self.language_model.get_or_insert_default().add(advised);
        }
        self.tenths[(share * 10.0) as usize] += 1;
    }

    /// Covered lines of all snippets over all their lines.
    pub fn line_coverage(&self) -> f64 {
        if self.lines_total == 0 { 1.0 } else { self.lines_covered as f64 / self.lines_total as f64 }
    }
}

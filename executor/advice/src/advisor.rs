//! A search with values of a language model.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::Outcome;
use surmise_engine::plan::{Plan, Settings};
use surmise_engine::protocol::Raised;
use surmise_engine::stdin::Input;
use surmise_ledger::{Facts, Ledger};
use surmise_llm::{Client, LlmError, Spent};
use surmise_search::search;

use crate::missing::{Asked, Missing, missing};
use crate::proposals::{Proposals, Refused};
use crate::question::{Feedback, question};

/// Asks a language model for values.
pub struct Advisor {
    /// Who asks.
    pub client: Client,
    /// Ask only about what the built-in model is less sure of than this, only where its search is stuck, and only once.
    pub when_unsure: Option<f32>,
    /// Tokens of an answer at most.
    pub answer_tokens: u32,
}

/// What came of asking, for reports.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Advice {
    /// Name of the model.
    pub model: String,
    /// How many missing values it was asked for.
    pub asked: usize,
    /// How many places of the code use these values.
    pub asked_sites: usize,
    /// How many of its values passed the checks.
    pub accepted: usize,
    /// How many of those a run injected; values are accepted for places that no further run may reach.
    pub used: usize,
    /// Values that were not.
    pub refused: Vec<Refused>,
    /// The report is of runs with its values: they covered as much as those without, or more.
    pub kept: bool,
    /// Why there is no answer, or none of the asked form.
    pub failure: Option<String>,
    /// A question got no answer: the same command may get one later.
    pub is_unanswered: bool,
    /// What the questions of this command have spent so far.
    pub spent: Spent,
}

impl fmt::Display for Advice {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (asked, accepted, used, refused) = (self.asked, self.accepted, self.used, self.refused.len());
        write!(out, "language model {}: asked for {asked} values, {accepted} accepted, ", self.model)?;
        write!(out, "{used} used in runs, {refused} refused")?;
        if used > 0 && !self.kept {
            write!(out, "; runs without them covered more and are shown")?;
        }
        match &self.failure {
            Some(failure) => write!(out, "; {failure}"),
            None => Ok(()),
        }
    }
}

impl Advice {
    /// Notes that a question came to nothing.
    fn fail(&mut self, failure: &Failure) {
        self.failure = Some(failure.to_string());
        self.is_unanswered = matches!(failure, Failure::Unanswered(_));
    }
}

/// Why a question came to nothing.
#[derive(Debug, thiserror::Error)]
enum Failure {
    /// There is no answer.
    #[error(transparent)]
    Unanswered(#[from] LlmError),
    /// There is one that nothing can be read from.
    #[error("the answer of the language model is not of the asked form")]
    Form,
}

/// The runs with values of one answer.
struct Round {
    plan: Plan,
    ledger: Ledger,
    proposals: Proposals,
}

impl Advisor {
    /// Searches with the built-in model, then with values of the language model for what was missing. Returns the runs
    /// that cover more; the plan is theirs.
    ///
    /// # Errors
    /// When the worker process failed us, never for what the snippet or the server does.
    pub fn search(
        &self,
        zygote: &mut Zygote,
        plan: &mut Plan,
        settings: &Settings,
        input: &mut Input,
    ) -> Result<(Ledger, Advice), ClientError> {
        let ledger = search(zygote, plan, settings, input)?;
        let mut advice = Advice { model: self.client.endpoint().model().to_owned(), ..Advice::default() };
        let is_stuck = !ledger.missing().is_empty() || ledger.best().outcome == Outcome::Error;
        let wanted = match self.when_unsure {
            Some(_) if !is_stuck => Vec::new(),
            below => missing(plan, &ledger, below),
        };
        if wanted.is_empty() || !input.is_repeatable() {
            return Ok((ledger, advice));
        }
        advice.asked = wanted.len();
        // An imported name is used from its import on.
        advice.asked_sites = wanted.iter().map(|missing| missing.sites.len().max(1)).sum();
        let mut run = |proposals: Proposals, own: &Plan| {
            let (by_site, by_name) = (proposals.by_site(&wanted, own), proposals.by_name(&wanted));
            let (mut plan, is_fixed) = (own.with_values(&by_site, by_name.clone()), !by_name.is_empty());
            let mut found = search(zygote, &mut plan, settings, input)?;
            // A search changes the values of sites, but none of those that are imported.
            if is_fixed && is_better(&ledger, &found) {
                let mut freer = own.with_values(&by_site, BTreeMap::new());
                let second = search(zygote, &mut freer, settings, input)?;
                if is_better(&second, &found) {
                    (plan, found) = (freer, second);
                }
            }
            Ok::<Round, ClientError>(Round { plan, ledger: found, proposals })
        };
        let all: Asked<'_> = (1..).zip(&wanted).collect();
        let mut best: Option<Round> = None;
        match self.ask(plan, &all, None) {
            Ok(proposals) => {
                let mut round = run(proposals, plan)?;
                if let (Some(raised), None) = (failure_of(&round.ledger), self.when_unsure)
                    && round.proposals.has_values()
                    && let again = unsettled(&all, &round, &raised)
                    && !again.is_empty()
                {
                    match self.ask(plan, &again, Some((&raised, &round.proposals))) {
                        Ok(proposals) => {
                            let second = run(proposals.after(&round.proposals), plan)?;
                            if is_better(&round.ledger, &second.ledger) {
                                round.proposals.refused = second.proposals.refused;
                            } else {
                                round = second;
                            }
                        }
                        Err(failure) => advice.fail(&failure),
                    }
                }
                best = Some(round);
            }
            Err(failure) => advice.fail(&failure),
        }
        advice.spent = self.client.spent();
        let Some(round) = best else { return Ok((ledger, advice)) };
        advice.accepted = round.proposals.used.len();
        advice.used = round.proposals.injected(&wanted, &round.ledger);
        advice.refused = round.proposals.refused.into_iter().map(|(_, refused)| refused).collect();
        advice.kept = advice.used > 0 && !is_better(&ledger, &round.ledger);
        if !advice.kept {
            return Ok((ledger, advice));
        }
        *plan = round.plan;
        Ok((round.ledger, advice))
    }

    /// One question; or why it has no answer that can be used.
    fn ask(&self, plan: &Plan, asked: &Asked<'_>, failed: Option<(&Raised, &Proposals)>) -> Result<Proposals, Failure> {
        let split = |proposals: &Proposals| {
            let used = proposals.used.iter().map(|(number, literal)| (*number, literal.to_string()));
            let refused = proposals.refused.iter().map(|(number, refused)| (*number, refused.reason.clone()));
            (used.collect::<Vec<_>>(), refused.collect::<Vec<_>>())
        };
        let failed = failed.map(|(raised, proposals)| (raised, split(proposals)));
        let feedback = failed.as_ref().map(|(raised, (used, refused))| Feedback { raised, used, refused });
        let question = question(&plan.text, asked, feedback.as_ref(), self.answer_tokens);
        let answer = self.client.ask(&question)?;
        Proposals::read(&answer.text, asked, plan).ok_or(Failure::Form)
    }
}

/// What a second question is about: not the values on which both models agree, unless the operation that failed works on
/// them.
fn unsettled<'a>(asked: &Asked<'a>, round: &Round, raised: &Raised) -> Asked<'a> {
    let Round { plan, ledger, proposals } = round;
    let operands = Facts { plan, ledger }.operands(ledger.first(), raised);
    let is_settled = |number: usize, missing: &Missing| {
        proposals.used.get(&number).is_some_and(|literal| missing.is_expected(literal.class(), plan))
            && !missing.sites.iter().any(|site| operands.contains(site))
    };
    asked
        .iter()
        .filter(|(number, missing)| !is_settled(**number, missing))
        .map(|(number, one)| (*number, *one))
        .collect()
}

/// What the first run raised, whose values are all proposed or predicted.
fn failure_of(ledger: &Ledger) -> Option<Raised> {
    let first = ledger.first();
    first.error.clone().filter(|_| first.outcome == Outcome::Error)
}

/// True if runs cover more, or as much and end where the others fail.
fn is_better(ledger: &Ledger, other: &Ledger) -> bool {
    let worth = |ledger: &Ledger| (ledger.covered().len(), ledger.best().outcome == Outcome::Completed);
    worth(ledger) > worth(other)
}

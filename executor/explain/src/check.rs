//! Which sentences the runs confirm.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde::{Deserialize, Serialize};

use crate::facts::{Fact, Facts};

/// Sentences, and characters of one, that are read at most.
const MOST_SENTENCES: usize = 100;
const MOST_CHARACTERS: usize = 600;

/// `line 3`, `lines 3 and 4`, `lines 3-5`.
static LINES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\blines?\s+((?:\d{1,9}(?:\s*(?:,|-|–|and|to|or)\s*)*)+)").expect("the pattern is right")
});
static NUMBER: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\d{1,9}").expect("the pattern is right"));
/// Classes of exceptions as Python spells them.
static CLASS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"\b[A-Z]\w*(?:Error|Exception|Exit|Interrupt|Iteration)\b").expect("the pattern is right")
});

/// Numbers and code that a sentence quotes.
static NUMERAL: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"\b\d+(?:\.\d+)?\b").expect("the pattern is right"));
static QUOTED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r#"`([^`]+)`|"([^"]+)""#).expect("the pattern is right"));
/// `never fails`, `does not raise`, `without any errors`
static DENIES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?i)\b(?:never|not|cannot|can't|won't|doesn't|no|without)\s+(?:\w+\s+)?(?:fail|rais|crash|throw|error|exception)",
    )
    .expect("the pattern is right")
});
static COMPLETES: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:complet(?:es|ed)|succeed|succeeds|succeeded|successful|successfully|safe|safely)\b")
        .expect("the pattern is right")
});
static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)\b(?:fails?|failed|raises?|raised|crash|crashes|crashed|throws?)\b").expect("the pattern is right")
});

/// What a sentence is tied to, as the model writes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// `executed`, `not-executed`, `value`, `raised` or `completed`.
    pub kind: String,
    /// The line, from 1.
    #[serde(default)]
    pub line: u32,
    /// Of a value its name, of an error its class.
    #[serde(default)]
    pub name: String,
    /// The value.
    #[serde(default)]
    pub value: String,
}

impl Claim {
    fn fact(&self) -> Option<Fact> {
        let (line, name) = (self.line, self.name.clone());
        Some(match self.kind.as_str() {
            "executed" => Fact::Executed(line),
            "not-executed" => Fact::NotExecuted(line),
            "value" => Fact::Value { line, name, value: self.value.clone() },
            "raised" => Fact::Raised { line, kind: name },
            // The end of a run is on no line.
            "completed" if line == 0 => Fact::Completed,
            _ => return None,
        })
    }
}

/// A sentence with what it is tied to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    /// The sentence.
    pub text: String,
    /// What it is tied to.
    pub evidence: Vec<Claim>,
}

/// A sentence that is not shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Dropped {
    /// The sentence.
    pub text: String,
    /// Why.
    pub reason: String,
}

/// What is left of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Sentences that the runs confirm.
    pub sentences: Vec<Sentence>,
    /// The others.
    pub dropped: Vec<Dropped>,
}

#[derive(Deserialize)]
struct Answer {
    sentences: Vec<serde_json::Value>,
}

/// Reads an answer and keeps what the runs confirm; `None` where it is no JSON object with a list of sentences. An element
/// of another form is dropped alone.
#[must_use]
pub fn check(answer: &str, facts: &Facts) -> Option<Explanation> {
    let (from, to) = (answer.find('{')?, answer.rfind('}')?);
    let Answer { sentences } = serde_json::from_str(answer.get(from..=to)?).ok()?;
    let mut explanation = Explanation::default();
    for (place, element) in sentences.into_iter().enumerate() {
        let mut drop = |text: &str, reason: String| {
            explanation.dropped.push(Dropped { text: text.chars().take(MOST_CHARACTERS).collect(), reason });
        };
        if place >= MOST_SENTENCES {
            drop(text_of(&element), format!("there are more than {MOST_SENTENCES} sentences"));
            continue;
        }
        match serde_json::from_value::<Sentence>(element.clone()) {
            Err(_) => drop(text_of(&element), "it is not of the asked form".to_owned()),
            Ok(sentence) => match fault(&sentence, facts) {
                Some(reason) => drop(&sentence.text, reason),
                None => explanation.sentences.push(sentence),
            },
        }
    }
    Some(explanation)
}

/// The text of a sentence, whatever else it is.
fn text_of(element: &serde_json::Value) -> &str {
    element.get("text").unwrap_or(element).as_str().unwrap_or_default()
}

/// Why a sentence is dropped; `None` for what the runs confirm.
fn fault(sentence: &Sentence, facts: &Facts) -> Option<String> {
    if sentence.evidence.is_empty() {
        return Some("it is tied to nothing".to_owned());
    }
    if sentence.text.chars().count() > MOST_CHARACTERS {
        return Some("it is too long".to_owned());
    }
    let is_shown = |claim: &&Claim| claim.fact().is_some_and(|fact| facts.bear_out(&fact));
    if let Some(wrong) = sentence.evidence.iter().find(|claim| !is_shown(claim)) {
        return Some(format!("no run shows `{}` of line {}", wrong.kind, wrong.line));
    }
    let tied: BTreeSet<u32> = sentence.evidence.iter().map(|claim| claim.line).collect();
    for lines in LINES.captures_iter(&sentence.text) {
        let named = NUMBER.find_iter(&lines[1]).filter_map(|number| number.as_str().parse().ok());
        if let Some(line) = named.into_iter().find(|line: &u32| !tied.contains(line)) {
            return Some(format!("it names line {line}, which its evidence does not have"));
        }
    }
    let raised = |class: &str| sentence.evidence.iter().any(|claim| claim.kind == "raised" && claim.name == class);
    if let Some(class) = CLASS.find_iter(&sentence.text).find(|class| !raised(class.as_str())) {
        return Some(format!("it names {}, which its evidence does not have", class.as_str()));
    }
    outcome_fault(sentence, facts).or_else(|| quote_fault(sentence, facts, &tied))
}

/// What is wrong with what a sentence says of how runs end.
fn outcome_fault(sentence: &Sentence, facts: &Facts) -> Option<String> {
    let has = |kind: &str| sentence.evidence.iter().any(|claim| claim.kind == kind);
    let text = &sentence.text;
    if DENIES.is_match(text) && (facts.has_errors() || !has("completed")) {
        return Some("it says that nothing fails, which the runs do not show".to_owned());
    }
    if COMPLETES.is_match(text) && !has("completed") {
        return Some("it says that a run succeeds, and is not tied to the end of one".to_owned());
    }
    if FAILS.is_match(text) && !DENIES.is_match(text) && !has("raised") {
        return Some("it says that something fails, and is tied to no error".to_owned());
    }
    None
}

/// What a sentence quotes that stands neither in the lines nor in the values that it is tied to.
fn quote_fault(sentence: &Sentence, facts: &Facts, tied: &BTreeSet<u32>) -> Option<String> {
    let mut known: Vec<&str> = tied.iter().filter_map(|line| facts.source_line(*line)).collect();
    for claim in sentence.evidence.iter().filter(|claim| matches!(claim.kind.as_str(), "value" | "raised")) {
        known.extend([claim.name.as_str(), claim.value.as_str()]);
    }
    let bare = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let all: Vec<String> = known.iter().map(|text| bare(text)).collect();
    let fault = |text: &str| Some(format!("it quotes {text}, which its evidence does not have"));
    let mut rest = sentence.text.clone();
    for quoted in QUOTED.captures_iter(&sentence.text) {
        let inside = bare(quoted.get(1).or(quoted.get(2)).map_or("", |inside| inside.as_str()));
        if !all.iter().any(|text| text.contains(&inside)) {
            return fault(&quoted[0]);
        }
        rest = rest.replace(&quoted[0], " ");
    }
    let numerals: BTreeSet<&str> =
        known.iter().flat_map(|text| NUMERAL.find_iter(text)).map(|number| number.as_str()).collect();
    let is_line = |number: &str| number.parse().is_ok_and(|line| tied.contains(&line));
    let mut named = NUMERAL.find_iter(&rest).map(|number| number.as_str());
    named.find(|number| !numerals.contains(number) && !is_line(number)).and_then(fault)
}

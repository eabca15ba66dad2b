//! What runs on real values say of an error: whether it comes with the values that the code is meant for.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::execute::Outcome;
use surmise_engine::protocol::Raised;
use surmise_instrument::Types;
use surmise_ledger::shapes::{Given, Shape};
use surmise_ledger::{Entry, Facts, blamed_type, is_of_types, is_of_unpacking, is_of_values};
use surmise_value_model::CoarseClass;

use crate::Verdict;
use crate::names::is_program;

/// The least probability of a class that the predictor has to be right about.
const PROBABLY: f32 = 0.5;

/// Probes with the same shapes.
struct Group<'a> {
    runs: Vec<&'a Entry>,
    /// Lines that any of them reached.
    covered: BTreeSet<u32>,
    /// Most lines of one that came to its end; `None` if none did.
    clean: Option<usize>,
}

/// True if a text or container was not what the code wants to take out of it.
fn is_of_reading(error: &Raised) -> bool {
    let of_literal = ["invalid literal", "could not convert", "unpack"].iter().any(|part| error.message.contains(part));
    error.kind != "ValueError" || of_literal
}

/// The verdict that probes give; `None` if they say nothing.
pub(crate) fn probed(facts: Facts<'_>, call: Option<&String>, error: &Raised) -> Option<Verdict> {
    if !is_of_types(error) && !is_of_values(error) {
        return None;
    }
    if error.message == "negative file descriptor" {
        return Some(Verdict::Guess); // a number in place of a path
    }
    if error.message.starts_with("iterator should return strings, not object") {
        return Some(Verdict::Guess); // a stand-in in place of a row of `csv`
    }
    let groups = groups(facts, call);
    let probed = || groups.values().flat_map(|group| &group.runs);
    if groups.is_empty() || !probed().any(|run| run.reached_statement(error.line)) {
        return None;
    }
    let Some(most) = groups.values().filter_map(|group| group.clean).max() else {
        if !facts.ledger.unsolved.contains(&call.cloned()) {
            return None;
        }
        // No values whatever: the error that the code gets to last is in its way.
        let deepest = probed().filter(|run| run.outcome == Outcome::Error).map(|run| run.covered.len());
        let deepest = deepest.max()?;
        let found = probed().find(|run| run.raised(&error.kind, error.line) && run.covered.len() == deepest);
        return Some(match found {
            Some(run) if is_foreign(facts, run, run.error.as_ref().unwrap_or(error)) => Verdict::Guess,
            Some(run) if !is_of_text(facts, run, error) || !is_of_reading(error) => Verdict::Conditional,
            _ => Verdict::Guess,
        });
    };
    let own = |group: &Group<'_>, run: &Entry| {
        let raised = run.error.as_ref().unwrap_or(error);
        // That values of a shape come to the end says nothing of an operation that none of them passes.
        let is_passed = |other: &&Entry| {
            other.outcome == Outcome::Completed
                && other.reached_statement(error.line)
                && !other.given.values().any(is_empty)
        };
        let fits = !is_of_given(facts, run, raised) || group.runs.iter().any(is_passed);
        let accepted = group.clean == Some(most) && fits;
        if is_of_types(raised) {
            // Two made-up values that do not go together: either could be another. One that does not go with what
            // the code made itself: that the code is meant for others is seen where they go farther.
            let made = group.clean.is_some() && group.covered.len() >= most && is_of_combination(facts, raised);
            (accepted || made) && facts.named_operands(run, raised).len() < 2
        } else {
            accepted && !is_of_text(facts, run, raised)
        }
    };
    let is_own =
        |group: &Group<'_>| group.runs.iter().any(|run| run.raised(&error.kind, error.line) && own(group, run));
    let found = groups.values().any(is_own);
    Some(if found { Verdict::Conditional } else { Verdict::Guess })
}

/// True for a value with nothing in it, on which no operation is tried.
fn is_empty(given: &Given) -> bool {
    given.shape.is_container() && given.shape.values().get(1).is_some_and(|empty| given.text == *empty)
}

/// True for an error that blames the shape of a value which the run gave, or of its parts. What is read from the input is
/// a text in any case.
fn is_of_given(facts: Facts<'_>, run: &Entry, error: &Raised) -> bool {
    let operands = facts.named_operands(run, error);
    let mut shapes = operands.iter().filter(|name| !name.starts_with("input()")).map(|name| run.given[name].shape);
    if error.kind == "KeyError" && error.message.parse::<i64>().is_ok() {
        return shapes.any(|shape| shape == Shape::Dict); // whose keys are texts
    }
    if error.message == "string index out of range" {
        return shapes.any(|shape| shape != Shape::Text);
    }
    if is_of_unpacking(error) || error.message.starts_with("iterator should return strings") {
        return shapes.next().is_some();
    }
    if miscounted_method(error).is_some() {
        // Methods of builtin types take hardly any keywords: those of other classes do.
        let is_named = error.message.contains("keyword argument");
        return operands.first().is_some_and(|name| is_named || !is_probably_list(facts, name));
    }
    // What a comparison gives depends on what is compared.
    let is_of = |blamed: &str, shape: Shape| shape.types().contains(&blamed) || blamed == "bool";
    blamed_type(error).is_some_and(|blamed| shapes.any(|shape| is_of(blamed, shape)))
}

/// True for an error that blames a value which the run gave for what no builtin type can do, or not like this.
fn is_foreign(facts: Facts<'_>, run: &Entry, error: &Raised) -> bool {
    let is_of_parts = is_of_unpacking(error)
        || ["cannot unpack", "can't concat"].iter().any(|start| error.message.starts_with(start));
    let is_of_count = error.message.contains("() takes ") || miscounted_method(error).is_some();
    // A number in place of a path.
    let is_of_path = error.message.starts_with("expected str, bytes or os.PathLike object");
    is_of_path && !facts.named_operands(run, error).is_empty()
        || (is_of_parts || is_of_no_builtin(error) || is_of_count) && is_of_given(facts, run, error)
}

/// True for an attribute that no builtin type has: no real value of ours is what the code is meant for.
fn is_of_no_builtin(error: &Raised) -> bool {
    let name = error.message.split("has no attribute '").nth(1).and_then(|rest| rest.split('\'').next());
    name.is_some_and(|name| Types::with(name).is_empty())
}

/// True for a name that the predictor takes for a list where the code works on it. Many classes have a `get` or `update` of
/// their own; what code sorts and appends to is a list.
fn is_probably_list(facts: Facts<'_>, name: &str) -> bool {
    let of_list = |site: u32| {
        let listed = facts.plan.ranking(site).iter().filter(|guess| guess.class.coarse() == CoarseClass::List);
        listed.map(|guess| guess.probability).sum::<f32>()
    };
    let sites = (0..facts.plan.uses().len() as u32).filter(|site| facts.name_of(*site).as_deref() == Some(name));
    sites.map(of_list).fold(0.0, f32::max) >= PROBABLY
}

/// The method of a builtin type that an error says to have got too many or too few arguments: `entry.get()` of a
/// dictionary. `'get expected at least 1 argument, got 0'`, `'list.append() takes exactly one argument (0 given)'`.
fn miscounted_method(error: &Raised) -> Option<&str> {
    let message = error.message.as_str();
    let (method, rest) = message.split_once(" expected ").or_else(|| message.split_once("() takes "))?;
    let method = rest.contains("argument").then(|| method.rsplit('.').next().unwrap_or(method))?;
    (!Types::with(method).is_empty()).then_some(method)
}

/// True if two values of wrong types meet, as in `rows += row`.
fn is_of_combination(facts: Facts<'_>, error: &Raised) -> bool {
    let message = &error.message;
    let extends = || {
        let statement = facts.plan.paths().statement(error.line);
        statement.is_some_and(|range| facts.plan.text[range.start as usize..range.end as usize].contains("+="))
    };
    message.contains("can only concatenate")
        || message.contains("unsupported operand")
        || (message.contains("is not iterable") && extends())
}

/// The probes of a call, by the shapes of the values that they gave.
fn groups<'a>(facts: Facts<'a>, call: Option<&String>) -> BTreeMap<Vec<(&'a str, Shape)>, Group<'a>> {
    let mut groups: BTreeMap<Vec<(&str, Shape)>, Group<'a>> = BTreeMap::new();
    for run in facts.ledger.probes().filter(|run| run.trial.call.as_ref() == call) {
        let shapes = run.given.iter().map(|(key, given)| (key.as_str(), given.shape)).collect();
        let group =
            groups.entry(shapes).or_insert_with(|| Group { runs: Vec::new(), covered: BTreeSet::new(), clean: None });
        group.covered.extend(&run.covered);
        let clean = (run.outcome == Outcome::Completed).then_some(run.covered.len());
        group.clean = group.clean.max(clean);
        group.runs.push(run);
    }
    groups
}

/// True for what fails because a made-up text is in no format, or is not the input that the program was promised.
fn is_of_text(facts: Facts<'_>, run: &Entry, error: &Raised) -> bool {
    let text = |name: &String| run.given[name].shape == Shape::Text;
    is_of_values(error) && (is_program(facts) || facts.named_operands(run, error).iter().any(text))
}

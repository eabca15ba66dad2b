//! How well a predicted trace agrees with the executed one (ORCA, sections VI.A and VIII.A).

use std::collections::BTreeSet;
use std::hash::Hash;

use rustc_hash::FxHashSet;
use serde::Serialize;
use surmise_llm::Literal;

use crate::executed::{Entry, SymbolTable, Trace, Visit};

/// Two shares: of what happened, how much was predicted; of what was predicted, how much happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Agreement {
    /// Of the executed trace.
    pub recall: f64,
    /// Of the predicted trace.
    pub precision: f64,
}

impl Agreement {
    /// Of `common` things, where there are so many real and so many predicted ones. Nothing predicted of nothing is right.
    fn of(common: usize, real: usize, predicted: usize) -> Self {
        let share = |of: usize, other: usize| match of {
            0 => f64::from(u8::from(other == 0)),
            of => common as f64 / of as f64,
        };
        Self { recall: share(real, predicted), precision: share(predicted, real) }
    }
}

/// Agreement of two sequences of blocks or statements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Level {
    /// The longest common prefix against the length of the sequences.
    pub prefix: Agreement,
    /// Distinct elements.
    pub coverage: Agreement,
}

/// Whether an error is predicted, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Detection {
    /// An error was predicted, and one was raised.
    TruePositive,
    /// None was predicted, and none was raised.
    TrueNegative,
    /// One was predicted, and none was raised.
    FalsePositive,
    /// None was predicted, and one was raised.
    FalseNegative,
}

/// The agreement of one prediction with one execution.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Metrics {
    /// Blocks and statements are the same, in the same order.
    pub exact_match: bool,
    /// The executed trace was cut: predictions are compared as far as it goes, and nothing is said of errors.
    pub is_partial: bool,
    /// Of statements, by their lines.
    pub statements: Level,
    /// Of visited blocks.
    pub blocks: Level,
    /// Distinct pairs of blocks that follow each other.
    pub transitions: Agreement,
    /// Variables at the ends of blocks up to the first wrong block: those that were right, and all (section IX).
    pub values: (usize, usize),
    /// Variables there whose values were cut, or are not known at the end of the block: they are not compared.
    pub values_left_out: usize,
    /// Whether an error was predicted and raised; `None` where the executed trace was cut.
    pub detection: Option<Detection>,
    /// The line of the error is right; `None` where none was raised.
    pub error_line: Option<bool>,
    /// The block of the error is right; `None` where none was raised.
    pub error_block: Option<bool>,
    /// The class of the error is right; `None` where none was raised.
    pub error_type: Option<bool>,
}

impl Metrics {
    /// Compares a prediction with what ran.
    #[must_use]
    pub fn of(predicted: &Trace, executed: &Trace) -> Self {
        let predicted = &predicted.as_far_as(executed);
        let (own, real) = (predicted.blocks(), executed.blocks());
        let common = prefix(&own, &real);
        let (mut values, mut values_left_out) = ((0, 0), 0);
        for (predicted, ran) in predicted.visits.iter().zip(&executed.visits).take(common) {
            let known = ran.symbols.values().filter(|entry| is_compared(ran, entry)).count();
            values.0 += known - wrong_values(&predicted.symbols, ran).len();
            values.1 += known;
            values_left_out += ran.symbols.len() - known;
        }
        let at = |test: fn(&Trace, &Trace) -> bool| executed.error.is_some().then(|| test(predicted, executed));
        Self {
            exact_match: own == real && predicted.statements == executed.statements,
            statements: level(&predicted.statements, &executed.statements),
            blocks: level(&own, &real),
            transitions: distinct(own.windows(2), real.windows(2)),
            is_partial: executed.is_cut,
            values,
            values_left_out,
            detection: (!executed.is_cut).then_some(match (predicted.error.is_some(), executed.error.is_some()) {
                (true, true) => Detection::TruePositive,
                (false, false) => Detection::TrueNegative,
                (true, false) => Detection::FalsePositive,
                (false, true) => Detection::FalseNegative,
            }),
            error_line: at(|predicted, ran| line(predicted).is_some() && line(predicted) == line(ran)),
            error_block: at(|predicted, ran| block(predicted).is_some() && block(predicted) == block(ran)),
            error_type: at(|predicted, ran| {
                predicted.error.as_ref().map(|error| &error.kind) == ran.error.as_ref().map(|error| &error.kind)
            }),
        }
    }
}

fn line(trace: &Trace) -> Option<u32> {
    trace.error.as_ref()?.line
}

fn block(trace: &Trace) -> Option<usize> {
    trace.error.as_ref()?.block
}

/// Where two traces part: the place of the first visit that differs in its block or lines; `None` if none does, as far as
/// the executed one goes.
#[must_use]
pub fn first_divergence(predicted: &Trace, executed: &Trace) -> Option<usize> {
    let predicted = &predicted.as_far_as(executed);
    let key = |trace: &Trace, at: usize| trace.visits.get(at).map(|visit| (visit.block, visit.lines.clone()));
    let longest = predicted.visits.len().max(executed.visits.len());
    (0..longest).find(|&at| key(predicted, at) != key(executed, at))
}

fn level<T: Eq + Hash + Clone>(predicted: &[T], real: &[T]) -> Level {
    let common = prefix(predicted, real);
    Level {
        prefix: Agreement::of(common, real.len(), predicted.len()),
        coverage: distinct(predicted.iter(), real.iter()),
    }
}

fn prefix<T: Eq>(one: &[T], other: &[T]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

fn distinct<T: Eq + Hash>(predicted: impl Iterator<Item = T>, real: impl Iterator<Item = T>) -> Agreement {
    let (predicted, real): (FxHashSet<T>, FxHashSet<T>) = (predicted.collect(), real.collect());
    Agreement::of(predicted.intersection(&real).count(), real.len(), predicted.len())
}

/// True for values that Python would call equal and of one type, as far as both are literals; else for equal texts.
#[must_use]
pub fn is_same(predicted: &Entry, ran: &Entry) -> bool {
    match (Literal::parse(&predicted.value), Literal::parse(&ran.value)) {
        (Ok(predicted), Ok(ran)) => predicted == ran,
        (Err(_), Err(_)) => predicted.value.trim() == ran.value.trim(),
        _ => false,
    }
}

/// True for values that are known as they were at the end of a visit.
fn is_compared(ran: &Visit, entry: &Entry) -> bool {
    !ran.is_open && !entry.is_cut
}

/// Names of variables that a prediction has wrong or leaves out at the end of a visit.
#[must_use]
pub fn wrong_values(predicted: &SymbolTable, ran: &Visit) -> BTreeSet<String> {
    let is_right = |name: &str, entry: &Entry| predicted.get(name).is_some_and(|predicted| is_same(predicted, entry));
    let wrong = |(name, entry): &(&String, &Entry)| is_compared(ran, entry) && !is_right(name, entry);
    ran.symbols.iter().filter(wrong).map(|(name, _)| name.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executed::ErrorAt;

    fn entry(value: &str) -> Entry {
        Entry { value: value.to_owned(), kind: String::new(), is_cut: false }
    }

    /// A trace with a visit for each block, whose only statement has ten times its number as its line.
    fn trace(blocks: &[usize], error: Option<(&str, u32)>) -> Trace {
        let lines: Vec<u32> = blocks.iter().map(|block| *block as u32 * 10).collect();
        let visit = |&block: &usize| Visit {
            block,
            lines: vec![block as u32 * 10],
            symbols: [("a".to_owned(), entry("1")), ("b".to_owned(), entry("'x'"))].into(),
            is_open: false,
        };
        let error =
            error.map(|(kind, line)| ErrorAt { kind: kind.into(), line: Some(line), block: Some(line as usize / 10) });
        Trace { visits: blocks.iter().map(visit).collect(), statements: lines, error, is_cut: false }
    }

    fn of(recall: f64, precision: f64) -> Agreement {
        Agreement { recall, precision }
    }

    #[test]
    fn the_truth_agrees_with_itself() {
        for error in [None, Some(("KeyError", 30))] {
            let real = trace(&[1, 2, 3, 2, 3], error);
            let metrics = Metrics::of(&real, &real);
            assert!(metrics.exact_match && first_divergence(&real, &real).is_none());
            let full = Level { prefix: of(1.0, 1.0), coverage: of(1.0, 1.0) };
            assert_eq!((metrics.statements, metrics.blocks, metrics.transitions), (full, full, of(1.0, 1.0)));
            assert_eq!(metrics.values, (10, 10));
            let right = error.map(|_| true);
            assert_eq!((metrics.error_line, metrics.error_block, metrics.error_type), (right, right, right));
            let detection = if error.is_some() { Detection::TruePositive } else { Detection::TrueNegative };
            assert_eq!((metrics.detection, metrics.is_partial), (Some(detection), false));
        }
        let nothing = Metrics::of(&Trace::default(), &Trace::default());
        assert_eq!(
            (nothing.exact_match, nothing.blocks.prefix, nothing.transitions),
            (true, of(1.0, 1.0), of(1.0, 1.0))
        );
    }

    /// Each corruption, with what the definitions of the paper give for it by hand.
    #[test]
    fn each_corruption_lowers_what_it_should() {
        let real = trace(&[1, 2, 3, 2, 4], Some(("KeyError", 40)));

        let cut = trace(&[1, 2, 3], None);
        let metrics = Metrics::of(&cut, &real);
        assert_eq!((metrics.exact_match, first_divergence(&cut, &real)), (false, Some(3)));
        assert_eq!(metrics.blocks.prefix, of(3.0 / 5.0, 1.0), "three of five; all three");
        assert_eq!(metrics.blocks.coverage, of(3.0 / 4.0, 1.0), "1, 2, 3 of 1, 2, 3, 4");
        assert_eq!(metrics.transitions, of(2.0 / 4.0, 1.0), "1-2, 2-3 of 1-2, 2-3, 3-2, 2-4");
        assert_eq!((metrics.values, metrics.detection), ((6, 6), Some(Detection::FalseNegative)));
        assert_eq!((metrics.error_line, metrics.error_type), (Some(false), Some(false)));

        let swapped = trace(&[1, 3, 2, 2, 4, 5], Some(("KeyError", 40)));
        let metrics = Metrics::of(&swapped, &real);
        assert_eq!(metrics.blocks.prefix, of(1.0 / 5.0, 1.0 / 6.0));
        assert_eq!(metrics.statements, metrics.blocks, "each block has one statement");
        assert_eq!(metrics.blocks.coverage, of(1.0, 4.0 / 5.0), "5 did not run");
        assert_eq!(metrics.transitions, of(2.0 / 4.0, 2.0 / 5.0), "3-2, 2-4 of 1-3, 3-2, 2-2, 2-4, 4-5");
        assert_eq!(
            (metrics.values, metrics.error_line),
            ((2, 2), Some(true)),
            "after the first block none are compared"
        );

        let mut wrong = real.clone();
        wrong.visits[0].symbols.insert("a".into(), entry("2"));
        wrong.visits[1].symbols.remove("b");
        wrong.visits[2].symbols.insert("b".into(), entry("\"x\""));
        let metrics = Metrics::of(&wrong, &real);
        assert_eq!((metrics.exact_match, metrics.values), (true, (8, 10)), "other quotes are the same text");
        assert_eq!(wrong_values(&wrong.visits[0].symbols, &real.visits[0]), ["a".to_owned()].into());

        // What was cut of a value is compared with nothing: not with what was predicted in full, either.
        let mut long = real.clone();
        long.visits[0].symbols.insert("a".into(), Entry { is_cut: true, ..entry("'aaaa...") });
        let metrics = Metrics::of(&wrong, &long);
        assert_eq!((metrics.values, metrics.values_left_out), ((8, 9), 1), "`a` was wrong there");
        assert!(wrong_values(&wrong.visits[0].symbols, &long.visits[0]).is_empty());

        let misplaced = trace(&[1, 2, 3, 2, 4], Some(("TypeError", 20)));
        let metrics = Metrics::of(&misplaced, &real);
        assert_eq!(
            (metrics.error_line, metrics.error_block, metrics.error_type),
            (Some(false), Some(false), Some(false))
        );
        assert!(metrics.exact_match, "the blocks are the same");

        let healthy = trace(&[1, 2, 3, 2, 4], None);
        let metrics = Metrics::of(&real, &healthy);
        assert_eq!((metrics.detection, metrics.error_line), (Some(Detection::FalsePositive), None));
    }

    /// A trace that was cut after its third visit, which was going on: only that much is compared.
    #[test]
    fn a_cut_trace_is_compared_as_far_as_it_goes() {
        let full = trace(&[1, 2, 3, 2, 4], Some(("KeyError", 40)));
        let mut cut = trace(&[1, 2, 3], None);
        cut.is_cut = true;
        cut.visits[2].is_open = true;
        let mut predicted = full.clone();
        predicted.visits[2].lines.push(31);
        let metrics = Metrics::of(&predicted, &cut);
        let all = Level { prefix: of(1.0, 1.0), coverage: of(1.0, 1.0) };
        assert_eq!((metrics.exact_match, metrics.is_partial, first_divergence(&predicted, &cut)), (true, true, None));
        assert_eq!((metrics.statements, metrics.blocks, metrics.transitions), (all, all, of(1.0, 1.0)));
        assert_eq!((metrics.values, metrics.values_left_out), ((4, 4), 2), "not those of the visit that goes on");
        assert_eq!((metrics.detection, metrics.error_line), (None, None), "nobody knows how it ends");
        let wrong = trace(&[1, 3, 3, 2], None);
        assert_eq!((Metrics::of(&wrong, &cut).exact_match, first_divergence(&wrong, &cut)), (false, Some(1)));
        let short = trace(&[1, 2], None);
        assert_eq!(Metrics::of(&short, &cut).blocks.prefix, of(2.0 / 3.0, 1.0));
    }
}

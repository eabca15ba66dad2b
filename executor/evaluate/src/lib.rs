//! Accuracy of predictors on unique pairs of a site and a class.
//!
//! A site with several recorded classes gives several pairs, and no predictor can be right on all of them: the
//! *ceiling* is the accuracy of a predictor that knows the classes of every site. *Site-acceptable* is the share of
//! sites whose prediction is one of the classes recorded there.

mod pictures;

use std::ops::Range;
use std::sync::Arc;

use serde::Serialize;
use surmise_value_model::{Class, Prediction, Predictor, Query};

use surmise_trace::dataset::Example;

pub use pictures::{confusion, reliability};

/// Number of sites that are predicted at once.
const BATCH: usize = 4096;
const CLASSES: usize = Class::ALL.len();

/// A site to measure on, with the classes whose pairs count.
#[derive(Clone, Debug)]
pub struct Question {
    /// Name, kind and recorded classes of the site.
    pub site: Example,
    /// Position of the site in its source; not needed by predictors that read no code.
    pub code: Option<Code>,
    /// Classes of the pairs that are measured: all of the site, or the drawn ones. Empty for a site that is only asked
    /// about because a model sees all sites of a source together.
    pub asked: Vec<Class>,
}

/// Position of a site in its source.
#[derive(Clone, Debug)]
pub struct Code {
    /// Text of the whole file.
    pub text: Arc<str>,
    /// Byte range of the expression.
    pub range: Range<usize>,
    /// Byte offset at which a model is asked: see [`Query::anchor`].
    pub anchor: usize,
}

impl Question {
    fn query(&self) -> Query<'_> {
        let (name, kind) = (self.site.name.as_str(), self.site.kind);
        match &self.code {
            Some(Code { text, range, anchor }) => {
                Query { name, kind, source: text, model: None, start: range.start, end: range.end, anchor: *anchor }
            }
            None => Query { name, kind, source: "", model: None, start: 0, end: 0, anchor: 0 },
        }
    }
}

/// Accuracy with the 22 fine classes, as shares from 0 to 1.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Fine {
    /// Share of pairs whose class is the first prediction.
    pub top1: f64,
    /// Share of pairs whose class is among the first three predictions.
    pub top3: f64,
    /// Share of pairs whose class is among the first five predictions.
    pub top5: f64,
    /// Share of sites whose first prediction is one of their recorded classes.
    pub site_acceptable: f64,
    /// Upper bound of `top1`.
    pub ceiling: f64,
}

/// Accuracy with the 12 coarse classes of `LExecutor`'s Table 2.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Coarse {
    /// Share of pairs whose coarse class is that of the first prediction.
    pub top1: f64,
}

/// Results for one of the 22 classes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OfClass {
    /// Name of the class.
    pub class: &'static str,
    /// Number of pairs with this class.
    pub pairs: u64,
    /// Recall: share of these pairs for whose site the class is the first prediction.
    pub top1: f64,
    /// Recall of an oracle that knows the classes of every site and names one of them at random. An oracle that named
    /// this class more often would be right on fewer pairs of other classes; the mean over all pairs is the ceiling.
    pub oracle: f64,
    /// Number of pairs for whose site the class is the first prediction.
    pub predicted: u64,
    /// Precision: share of the predicted pairs that have this class.
    pub precision: f64,
}

/// Pairs whose first prediction had a probability in one interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Bin {
    /// Number of pairs in the bin.
    pub pairs: u64,
    /// Mean probability of the first predictions.
    pub confidence: f64,
    /// Share of right first predictions.
    pub accuracy: f64,
}

/// Results of one predictor.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Scores {
    /// Number of pairs measured.
    pub pairs: u64,
    /// Number of sites measured.
    pub sites: u64,
    /// Accuracy with the 22 fine classes.
    pub fine: Fine,
    /// Accuracy with the 12 coarse classes.
    pub coarse: Coarse,
    /// Top-1 accuracy by kind of use: variable, attribute, return value.
    pub kinds: [f64; 3],
    /// Expected calibration error of the first prediction, over the bins.
    pub calibration_error: f64,
    /// Pairs by the probability of their first prediction, in 15 intervals of equal width.
    pub bins: Vec<Bin>,
    /// Results for each class.
    pub classes: Vec<OfClass>,
    /// Number of pairs by their class (row) and first prediction (column), in the order of the classes.
    pub confusion: Vec<Vec<u64>>,
}

#[derive(Default)]
struct Counts {
    pairs: u64,
    sites: u64,
    top: [u64; 3],
    acceptable: u64,
    /// Expected number of pairs of each class on which an oracle is right: see [`OfClass::oracle`].
    oracle: [f64; CLASSES],
    coarse: u64,
    kinds: [(u64, u64); 3],
    /// For each bin: number of pairs, number of right ones, sum of probabilities.
    bins: [(u64, u64, f64); 15],
    confusion: [[u64; CLASSES]; CLASSES],
}

/// Measures a predictor on all questions.
pub fn measure(predictor: &dyn Predictor, questions: &[Question]) -> Scores {
    let mut counts = Counts::default();
    // Sites of one file stay together, so that a model reads the file once.
    let same_file = |a: &Question, b: &Question| match (&a.code, &b.code) {
        (Some(a), Some(b)) => Arc::ptr_eq(&a.text, &b.text),
        _ => false,
    };
    let mut rest = questions;
    while !rest.is_empty() {
        let mut end = BATCH.min(rest.len());
        while end < rest.len() && same_file(&rest[end - 1], &rest[end]) {
            end += 1;
        }
        let (batch, after) = rest.split_at(end);
        counts.add(predictor, batch);
        rest = after;
    }
    counts.scores()
}

impl Counts {
    fn add(&mut self, predictor: &dyn Predictor, batch: &[Question]) {
        let queries: Vec<Query<'_>> = batch.iter().map(Question::query).collect();
        for (question, ranked) in batch.iter().zip(predictor.predict(&queries)) {
            self.add_one(question, &ranked);
        }
    }

    fn add_one(&mut self, question: &Question, ranked: &[Prediction]) {
        if question.asked.is_empty() {
            return;
        }
        let first = ranked.first();
        let seen = &question.site.classes;
        self.sites += 1;
        self.acceptable += u64::from(first.is_some_and(|first| seen.contains(&first.class)));
        let kind = &mut self.kinds[question.site.kind as usize];
        for class in &question.asked {
            self.pairs += 1;
            self.oracle[*class as usize] += 1.0 / seen.len().max(1) as f64;
            let rank = ranked.iter().position(|prediction| prediction.class == *class);
            for (count, within) in self.top.iter_mut().zip([1, 3, 5]) {
                *count += u64::from(rank.is_some_and(|rank| rank < within));
            }
            self.coarse += u64::from(first.is_some_and(|first| first.class.coarse() == class.coarse()));
            kind.0 += 1;
            kind.1 += u64::from(rank == Some(0));
            if let Some(first) = first {
                self.confusion[*class as usize][first.class as usize] += 1;
                let bin = ((f64::from(first.probability) * self.bins.len() as f64) as usize).min(self.bins.len() - 1);
                let bin = &mut self.bins[bin];
                bin.0 += 1;
                bin.1 += u64::from(rank == Some(0));
                bin.2 += f64::from(first.probability);
            }
        }
    }

    fn of_class(&self, class: Class) -> OfClass {
        let own = class as usize;
        let pairs: u64 = self.confusion[own].iter().sum();
        let predicted: u64 = self.confusion.iter().map(|row| row[own]).sum();
        let right = self.confusion[own][own];
        let (top1, precision) = (share(right, pairs), share(right, predicted));
        let oracle = mean(self.oracle[own], pairs);
        OfClass { class: class.as_str(), pairs, top1, oracle, predicted, precision }
    }

    fn scores(&self) -> Scores {
        let gap = |&(pairs, right, sum): &(u64, u64, f64)| {
            let weight = share(pairs, self.pairs);
            weight * (share(right, pairs) - mean(sum, pairs)).abs()
        };
        let bin = |&(pairs, right, sum): &(u64, u64, f64)| Bin {
            pairs,
            confidence: mean(sum, pairs),
            accuracy: share(right, pairs),
        };
        Scores {
            pairs: self.pairs,
            sites: self.sites,
            fine: Fine {
                top1: share(self.top[0], self.pairs),
                top3: share(self.top[1], self.pairs),
                top5: share(self.top[2], self.pairs),
                site_acceptable: share(self.acceptable, self.sites),
                ceiling: mean(self.oracle.iter().sum(), self.pairs),
            },
            coarse: Coarse { top1: share(self.coarse, self.pairs) },
            kinds: self.kinds.map(|(pairs, right)| share(right, pairs)),
            calibration_error: self.bins.iter().map(gap).sum(),
            bins: self.bins.iter().map(bin).collect(),
            classes: Class::ALL.iter().map(|&class| self.of_class(class)).collect(),
            confusion: self.confusion.iter().map(|row| row.to_vec()).collect(),
        }
    }
}

fn share(count: u64, of: u64) -> f64 {
    mean(count as f64, of)
}

fn mean(sum: f64, of: u64) -> f64 {
    if of == 0 { 0.0 } else { sum / of as f64 }
}

#[cfg(test)]
mod tests {
    use surmise_value_model::{Naive, Use};

    use super::*;

    #[test]
    fn pairs_and_sites_are_counted_apart() {
        let site = |classes: &[Class]| Example {
            kind: Use::Attribute,
            name: "x".to_owned(),
            classes: classes.to_vec(),
            identity: 0,
        };
        let question = |classes: &[Class]| Question { site: site(classes), code: None, asked: classes.to_vec() };
        let questions = [question(&[Class::Object, Class::None]), question(&[Class::Str]), question(&[Class::Object])];
        let scores = measure(&Naive, &questions);
        assert_eq!((scores.pairs, scores.sites), (4, 3));
        let close = |found: f64, expected: f64| (found - expected).abs() < 1e-9;
        assert!(close(scores.fine.top1, 0.5) && close(scores.fine.top5, 0.5));
        assert!(close(scores.fine.site_acceptable, 2.0 / 3.0));
        assert!(close(scores.fine.ceiling, 0.75), "three of four pairs at most");
        assert!(close(scores.kinds[1], 0.5) && close(scores.kinds[0], 0.0));
        assert!(close(scores.calibration_error, 0.5), "always sure, right half of the time");
        let object = scores.classes[Class::Object as usize];
        assert_eq!((object.pairs, object.predicted), (2, 4));
        assert!(close(object.top1, 1.0) && close(object.precision, 0.5) && close(object.oracle, 0.75));
        assert_eq!(scores.confusion[Class::Str as usize][Class::Object as usize], 1);
        assert!(scores.bins[14].pairs == 4 && close(scores.bins[14].accuracy, 0.5));
        let picture = reliability("naive", &scores);
        assert!(picture.contains("<svg") && picture.contains("50.0 %"), "{picture}");
        assert!(confusion("naive", &scores).contains("2 pairs of object"), "{}", confusion("naive", &scores));
        // A site that is only asked about together with others counts nowhere.
        let among = Question { asked: Vec::new(), ..question(&[Class::Object]) };
        let more = measure(&Naive, &[&questions[..], &[among]].concat());
        assert_eq!((more.pairs, more.sites, more.confusion), (scores.pairs, scores.sites, scores.confusion));
    }
}

//! The data card of labelled programs: how many there are of each class, operator and split.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::{Deserialize, Serialize};
use surmise_instrument::mutate::Operator;

use crate::programs::Split;
use crate::run::{Label, Unlabelled};

/// Counts of labelled programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// Labelled programs.
    pub labels: u64,
    /// By split.
    pub splits: BTreeMap<Split, u64>,
    /// By class of error.
    pub classes: BTreeMap<String, u64>,
    /// By operator, then by whether the mutant raised an error; mutants with two bugs count for both.
    pub operators: BTreeMap<String, (u64, u64)>,
    /// Programs without a label.
    pub unlabelled: BTreeMap<Unlabelled, u64>,
}

impl Card {
    /// Counts a label.
    pub fn add(&mut self, label: &Label) {
        self.labels += 1;
        *self.splits.entry(label.split).or_default() += 1;
        *self.classes.entry(label.error_class.clone()).or_default() += 1;
        for operator in label.operator.as_deref().unwrap_or("none").split('+') {
            let counts = self.operators.entry(operator.to_owned()).or_default();
            counts.0 += 1;
            counts.1 += u64::from(label.error_line.is_some());
        }
    }

    /// Counts a program without a label.
    pub fn leave_out(&mut self, why: Unlabelled) {
        *self.unlabelled.entry(why).or_default() += 1;
    }

    /// Adds the counts of another card.
    pub fn merge(&mut self, other: &Self) {
        self.labels += other.labels;
        other.splits.iter().for_each(|(split, count)| *self.splits.entry(*split).or_default() += count);
        for (class, count) in &other.classes {
            *self.classes.entry(class.clone()).or_default() += count;
        }
        for (operator, (all, raised)) in &other.operators {
            let counts = self.operators.entry(operator.clone()).or_default();
            *counts = (counts.0 + all, counts.1 + raised);
        }
        other.unlabelled.iter().for_each(|(why, count)| *self.unlabelled.entry(*why).or_default() += count);
    }

    /// The card as a page in Markdown.
    #[must_use]
    pub fn page(&self, origin: &str) -> String {
        let mut page = format!("# Labelled programs\n\n{origin}\n\n{} programs.\n", self.labels);
        let share = |count: u64, of: u64| if of == 0 { 0.0 } else { count as f64 * 100.0 / of as f64 };
        page.push_str("\n| split | programs |\n|---|---|\n");
        for (split, count) in &self.splits {
            let _ = writeln!(page, "| {} | {count} |", serde_json::json!(split).as_str().unwrap_or_default());
        }
        let mut classes: Vec<(&String, &u64)> = self.classes.iter().collect();
        classes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        page.push_str("\n| class | programs | share |\n|---|---|---|\n");
        for (class, count) in classes {
            let _ = writeln!(page, "| {class} | {count} | {:.1} % |", share(*count, self.labels));
        }
        page.push_str("\n| operator | what it does | programs | that raise an error |\n|---|---|---|---|\n");
        for (name, (all, raised)) in &self.operators {
            let about = Operator::ALL.iter().find(|operator| operator.name() == name);
            let about = about.map_or("Originals, unchanged.", |operator| operator.about());
            let _ = writeln!(page, "| {name} | {about} | {all} | {:.0} % |", share(*raised, *all));
        }
        page.push_str("\n| without a label | programs |\n|---|---|\n");
        for (why, count) in &self.unlabelled {
            let _ = writeln!(page, "| {} | {count} |", serde_json::json!(why).as_str().unwrap_or_default());
        }
        page
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_are_shown() {
        let label = Label {
            id: "a~1".into(),
            problem: "a".into(),
            code: "int('x')\n".into(),
            description: String::new(),
            stdin: None,
            error_class: "ValueError".into(),
            error_line: Some(1),
            operator: Some("range-bound+wrong-key".into()),
            split: Split::Train,
        };
        let mut one = Card::default();
        one.add(&label);
        one.leave_out(Unlabelled::Timeout);
        let mut both = one.clone();
        both.merge(&one);
        assert_eq!((both.labels, both.operators["wrong-key"], both.unlabelled[&Unlabelled::Timeout]), (2, (2, 2), 2));
        let page = both.page("From a test.");
        assert!(page.contains("| ValueError | 2 | 100.0 % |") && page.contains("| train | 2 |"), "{page}");
    }
}

//! The grammars of one program's input, from a description and from its code.

use surmise_instrument::SourceModel;
use surmise_instrument::reads::reads;

use crate::code;
use crate::compare::contradiction;
use crate::description::Description;
use crate::grammar::Grammar;

/// What a grammar was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The description.
    Description,
    /// The description says what the values are, the code in which order they come.
    DescriptionAndCode,
    /// The reads of the code.
    Code,
}

/// A grammar with its probability.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The grammar.
    pub grammar: Grammar,
    /// How likely it is, by the description or the reads alone.
    pub probability: f64,
}

/// What a program's standard input looks like, as far as that is known.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// What the grammars were taken from.
    pub origin: Origin,
    /// Grammars, the likeliest first: a description leaves open where lines end, code what its values are. There is at
    /// least one.
    pub layouts: Vec<Layout>,
    /// What a reader should know: contradictions, and what was not understood.
    pub notes: Vec<String>,
}

/// A program fails where it reads its input as the description says in so many of 100 cases: other layouts have to be
/// likelier by that factor before a failing one is given up.
const FAILING: f64 = 0.03;

impl Inputs {
    /// The grammars of a program's input. Without a description they come from the code.
    #[must_use]
    pub fn of(description: Option<&str>, model: &SourceModel) -> Self {
        let read = description.map(Description::read).unwrap_or_default();
        let mut notes = Vec::new();
        if let Some((likeliest, _)) = read.grammars.first() {
            let contradiction = contradiction(likeliest, &reads(model));
            if let Some(found) = contradiction.as_ref().filter(|found| found.reads_on && read.is_prose) {
                // A sentence that was not understood is likelier than a program that reads too much.
                notes.push(format!("{}: lines are those that the code reads", found.said));
                let grammar = code::grammar(model, likeliest);
                let layouts = vec![Layout { grammar, probability: 1.0 }];
                return Self { origin: Origin::DescriptionAndCode, layouts, notes };
            }
            notes.extend(contradiction.map(|found| found.said));
            let layouts = read.grammars.into_iter().map(|(grammar, probability)| Layout { grammar, probability });
            return Self { origin: Origin::Description, layouts: layouts.collect(), notes };
        }
        let origin = if read.is_empty() { Origin::Code } else { Origin::DescriptionAndCode };
        if description.is_some() {
            notes.push(match origin {
                Origin::Code => {
                    "nothing in the description says what the input looks like: the grammar is that of what the code reads"
                }
                _ => "the description does not say in which order values come: the order is that in which the code reads",
            }.to_owned());
        }
        let grammars = match origin {
            Origin::Code => code::grammars(model),
            _ => vec![(code::grammar(model, &read.values), 1.0)],
        };
        let layouts = grammars.into_iter().map(|(grammar, probability)| Layout { grammar, probability });
        Self { origin, layouts: layouts.collect(), notes }
    }

    /// The grammar to go by, where `completes` says whether the program comes to its end with an input of one: the code
    /// settles what the description leaves open, and an unlikely layout does not excuse code that fails.
    ///
    /// # Errors
    /// Those of `completes`.
    pub fn settle<E>(&self, mut completes: impl FnMut(&Grammar) -> Result<bool, E>) -> Result<usize, E> {
        let mut best = (0, 0.0);
        for (at, layout) in self.layouts.iter().enumerate() {
            // Not even success would make this one, or those after it, the likeliest.
            if layout.probability <= best.1 || self.layouts.len() == 1 {
                break;
            }
            let chance = layout.probability * if completes(&layout.grammar)? { 1.0 } else { FAILING };
            if chance > best.1 {
                best = (at, chance);
            }
        }
        Ok(best.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(description: Option<&str>, source: &str) -> Inputs {
        Inputs::of(description, &SourceModel::parse(source).expect("the source parses"))
    }

    #[test]
    fn a_line_that_sentences_leave_out_is_one_that_the_code_reads() {
        let text = "The first line has an integer n, 1 <= n <= 9. The second one is a list of integers.";
        let found = of(Some(text), "n = int(input())\nrow = list(map(int, input().split()))\n");
        assert_eq!(found.origin, Origin::DescriptionAndCode);
        assert!(found.layouts[0].grammar.to_string().starts_with("n\nrow × (n)\n"), "{}", found.layouts[0].grammar);
        assert!(found.notes[0].contains("line 2 of the code reads one more"), "{:?}", found.notes);
        // A picture of the input is to be taken at its word.
        let text = "format : n Constraints : 1 ≤ n ≤ 9";
        assert_eq!(of(Some(text), "n = int(input())\nm = int(input())\n").origin, Origin::Description);
    }

    #[test]
    fn contradictions_are_said() {
        let text = "format : A B Constraints : 1 ≤ A , B ≤ 9";
        let found = of(Some(text), "a = int(input())\nb = int(input())\n");
        assert_eq!(
            found.notes,
            [
                "line 1 of the input is `A B` by the description, but line 1 of the code converts the whole line to one number"
            ]
        );
        let found = of(Some(text), "a, b, c = map(int, input().split())\n");
        assert!(found.notes[0].ends_with("line 1 of the code unpacks 3 values from it"), "{:?}", found.notes);
        assert!(of(Some(text), "a, b = map(int, input().split())\nc = input()\n").notes[0].ends_with("reads one more"));
        assert_eq!(of(Some(text), "a, b = map(int, input().split())\n").notes, [""; 0]);
    }

    #[test]
    fn the_code_speaks_where_the_description_does_not() {
        let found = of(Some("Bonjour tout le monde"), "n = int(input())\n");
        assert_eq!((found.origin, found.notes.len()), (Origin::Code, 1));
        assert!(of(None, "n = int(input())\n").notes.is_empty());
        let found = of(Some("Constraints : 3 ≤ N ≤ 5"), "n = int(input())\n");
        assert_eq!(found.origin, Origin::DescriptionAndCode);
        assert_eq!(found.layouts[0].grammar.to_string(), "n\n  n: whole number 3 to 5\n");
    }

    #[test]
    fn code_settles_what_is_open_and_nothing_else() {
        let open = of(Some("format : A B C Constraints : 1 ≤ A , B , C ≤ 9"), "");
        let lines = |grammar: &Grammar| grammar.blocks.len();
        let settled = open.settle(|grammar| Ok::<bool, ()>(lines(grammar) == 2)).expect("nothing fails");
        assert_eq!(lines(&open.layouts[settled].grammar), 2);
        let clear = of(Some("format : A B Constraints : 1 ≤ A , B ≤ 9"), "");
        let settled = clear.settle(|grammar| Ok::<bool, ()>(lines(grammar) == 2)).expect("nothing fails");
        assert_eq!(lines(&clear.layouts[settled].grammar), 1);
    }
}

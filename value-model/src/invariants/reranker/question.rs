//! What is read of a place: conditions of guards elsewhere in the file, and the function around the region.

use std::ops::Range;

use surmise_instrument::guards::{Excerpt, View, fill};

use crate::encoding::Vocabulary;

/// Tokens of conditions of guards elsewhere.
const ELSEWHERE: usize = 48;
/// Tokens of the head of a function whose region is far from it.
const HEAD: usize = 32;
/// Tokens in front of the region, and from its beginning on.
const BEFORE: usize = 80;
const BEHIND: usize = 96;
/// Bytes that are split into tokens for one token that is kept: most tokens are shorter.
const BYTES: usize = 8;
/// Conditions of guards elsewhere that are read.
const MOST_ELSEWHERE: usize = 12;

/// Conditions of guards elsewhere in the file that are about paths of the place, the nearest first.
#[must_use]
pub fn asked_elsewhere(view: &View) -> Vec<String> {
    let mut found: Vec<(usize, usize, String)> = Vec::new();
    for (at, candidate) in view.candidates.iter().enumerate() {
        for asked in &candidate.asked {
            let texts: Vec<&str> =
                std::iter::once(candidate.text.as_str()).chain(asked.others.iter().map(AsRef::as_ref)).collect();
            found.push((asked.nearness as usize, at, fill(&asked.template, &texts)));
        }
    }
    found.sort_by_key(|(nearness, at, _)| (*nearness, *at));
    let mut conditions: Vec<String> = Vec::new();
    for (_, _, condition) in found {
        if conditions.len() < MOST_ELSEWHERE && !conditions.contains(&condition) {
            conditions.push(condition);
        }
    }
    conditions
}

/// The tokens of a question: conditions of guards elsewhere, a separator, the head of the function if its region is far
/// from it, and the code around the region, with a mark on either side of it.
#[must_use]
pub fn question(vocabulary: &Vocabulary, excerpt: &Excerpt, elsewhere: &[String]) -> Vec<u16> {
    let (text, region) = (excerpt.text.as_str(), &excerpt.region);
    let tokens = |range: Range<usize>| vocabulary.encode(&text[range]).ids;
    let mut ids: Vec<u32> = Vec::with_capacity(2 + ELSEWHERE + HEAD + BEFORE + BEHIND);
    for condition in elsewhere {
        let found = vocabulary.encode(condition).ids;
        if ids.len() + found.len() + 1 > ELSEWHERE {
            break;
        }
        ids.extend(found);
        ids.push(vocabulary.separator());
    }
    ids.push(vocabulary.separator());
    let start = boundary(text, region.start.saturating_sub(BEFORE * BYTES));
    let before = tokens(start..region.start);
    let kept = before.len().min(BEFORE);
    if start > 0 || before.len() > BEFORE {
        let head = tokens(0..boundary(text, (HEAD * BYTES).min(region.start)));
        ids.extend(&head[..head.len().min(HEAD)]);
        ids.push(vocabulary.separator());
    }
    ids.extend(&before[before.len() - kept..]);
    ids.push(vocabulary.marks()[0]);
    let inside = tokens(region.start..boundary(text, region.end.min(region.start + BEHIND * BYTES)));
    ids.extend(&inside[..inside.len().min(BEHIND)]);
    if inside.len() < BEHIND {
        ids.push(vocabulary.marks()[1]);
        let after = tokens(region.end..boundary(text, text.len().min(region.end + (BEHIND - inside.len()) * BYTES)));
        ids.extend(&after[..after.len().min(BEHIND - inside.len())]);
    }
    // The vocabulary has 8,192 tokens.
    ids.into_iter().map(|id| id as u16).collect()
}

/// The last place up to `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

#[cfg(test)]
mod tests {
    use surmise_instrument::SourceModel;
    use surmise_instrument::guards::samples;

    use super::*;
    use crate::shipped;

    fn spelled(source: &str, at: usize) -> String {
        let vocabulary = shipped::value_model().2;
        let model = SourceModel::parse(source).expect("Python");
        let sample = samples(&model).found.swap_remove(at);
        let ids = question(&vocabulary, &sample.location.excerpt(source), &asked_elsewhere(&sample.view));
        let texts: Vec<String> = vocabulary.texts().collect();
        ids.into_iter()
            .map(|id| texts[usize::from(id)].as_str())
            .collect::<String>()
            .replace('Ġ', " ")
            .replace('Ċ', "\n")
    }

    #[test]
    fn the_region_is_marked_and_other_guards_are_told() {
        let source =
            "def f(a):\n    if a is None:\n        return 1\n    return a.b\n\ndef g(a):\n    if a:\n        a.go()\n";
        let asked = spelled(source, 1);
        assert!(asked.starts_with("a is not None</s></s>def g(a):"), "{asked}");
        assert!(asked.ends_with("<extra_id_22>a.go()<extra_id_23>"), "{asked}");
    }

    #[test]
    fn a_long_function_is_read_around_its_region_and_not_to_the_end() {
        let line = "    value = value + compute(value, 'é' * 3)\n";
        let source = format!("def f(value):\n{}    if value:\n        value.go()\n{0}", line.repeat(200));
        let asked = spelled(&source, 0);
        assert!(asked.starts_with("</s>def f(value):"), "{asked}");
        assert!(asked.contains("<extra_id_22>value.go()<extra_id_23>"), "{asked}");
        assert!(asked.len() < 1200, "{}", asked.len());
    }
}

//! LExecutor's query (Souza and Pradel, FSE 2023, section 3.3), about one site at a time:
//! `name </s> kind </s> code before <mask> code after`.
//!
//! A query is made from a file's tokens and the place of the site's mark alone, so that training from a bundle and
//! prediction from source make the same one. The first mark stands for the mask, and the decoder is asked with it.

use super::vocabulary::Vocabulary;
use super::windows::{Shape, Window};
use crate::Use;

/// How a token can belong to a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A word, which may begin or continue a name.
    Word,
    /// A space and a word, which may begin a name.
    Start,
    /// Anything else, which ends a name.
    Other,
}

/// Makes queries about one site at a time, for a tokenizer.
pub struct Plain {
    /// How each token can belong to a name, by its number.
    parts: Vec<Part>,
    separator: u32,
    mask: u32,
    kinds: [Vec<u32>; 3],
}

impl Plain {
    /// Prepares for the tokens of a vocabulary.
    pub fn new(vocabulary: &Vocabulary) -> Self {
        let text = |kind: Use| match kind {
            Use::Variable => "variable",
            Use::Attribute => "attribute",
            Use::ReturnValue => "return value",
        };
        Self {
            parts: vocabulary.texts().map(|text| part(&text)).collect(),
            separator: vocabulary.separator(),
            mask: vocabulary.marks()[0],
            kinds: Use::ALL.map(|kind| vocabulary.encode(text(kind)).ids),
        }
    }

    /// The query about site `number`, whose mark would stand before token `site`: with as much code as fits, evenly on
    /// both sides of the name, which the mask replaces.
    pub fn window(&self, tokens: &[u32], number: usize, site: u32, kind: Use, shape: Shape) -> Window {
        // The mark of a call stands behind the opening parenthesis.
        let end = (site as usize).saturating_sub(usize::from(kind == Use::ReturnValue));
        let start = self.name(tokens, end).max(end.saturating_sub(shape.length / 4));
        let kind = &self.kinds[kind as usize];
        let room = shape.length.saturating_sub(end - start + kind.len() + 3);
        let after = (tokens.len() - end).min((room / 2).max(room.saturating_sub(start)));
        let before = start.min(room - after);
        let mut ids = Vec::with_capacity(shape.length);
        ids.extend_from_slice(&tokens[start..end]);
        ids.push(self.separator);
        ids.extend_from_slice(kind);
        ids.push(self.separator);
        ids.extend_from_slice(&tokens[start - before..start]);
        ids.push(self.mask);
        ids.extend_from_slice(&tokens[end..end + after]);
        Window { ids, asked: vec![(number, self.mask)] }
    }

    /// The token at which the name begins that ends before token `end`.
    fn name(&self, tokens: &[u32], end: usize) -> usize {
        let part = |at: usize| self.parts.get(tokens[at] as usize).copied().unwrap_or(Part::Other);
        let mut start = end;
        while start > 0 && part(start - 1) != Part::Other {
            start -= 1;
            if part(start) == Part::Start {
                break;
            }
        }
        start
    }
}

/// Classifies a token as byte-level BPE writes it: `Ġ` is a space, and a letter beyond ASCII is several characters,
/// letters or not.
fn part(text: &str) -> Part {
    let (space, word) = text.strip_prefix('Ġ').map_or((false, text), |word| (true, word));
    let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric() || (!c.is_ascii() && !"ĠĊĉčĀ".contains(c));
    match (word.chars().all(is_word) && !word.is_empty(), space) {
        (false, _) => Part::Other,
        (true, false) => Part::Word,
        (true, true) => Part::Start,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { length: 24, zone: 18 };

    fn vocabulary() -> Vocabulary {
        let text = "def area(shape):\n    return shape.width * height_of(shape)\n";
        Vocabulary::train(std::iter::repeat_n(text.to_owned(), 8), 500).expect("it learns")
    }

    /// The query about the place right behind `until`.
    fn query(source: &str, until: &str, kind: Use, shape: Shape) -> String {
        let vocabulary = vocabulary();
        let tokens = vocabulary.encode(source);
        let anchor = source.find(until).expect("it is there") + until.len();
        let site = tokens.before(anchor) as u32;
        let window = Plain::new(&vocabulary).window(&tokens.ids, 7, site, kind, shape);
        assert!(window.ids.len() <= shape.length);
        assert_eq!(window.asked, [(7, vocabulary.marks()[0])]);
        let texts: Vec<String> = vocabulary.texts().collect();
        let text: String = window.ids.iter().map(|&id| texts[id as usize].as_str()).collect();
        text.replace('Ġ', " ").replace('Ċ', "\n").replace("<extra_id_22>", "<mask>")
    }

    #[test]
    fn the_name_and_the_kind_come_first_and_the_mask_stands_for_the_name() {
        let wide = Shape { length: 99, zone: 60 };
        let source = "x = shape.width2(\n    height_of(éa), x)\n";
        for (until, kind, expected) in [
            ("x", Use::Variable, "x</s>variable</s><mask> = shape.width2(\n    height_of(Ã©a), x)\n"),
            ("= shape", Use::Variable, " shape</s>variable</s>x =<mask>.width2(\n    height_of(Ã©a), x)\n"),
            ("width2", Use::Attribute, "width2</s>attribute</s>x = shape.<mask>(\n    height_of(Ã©a), x)\n"),
            ("width2(", Use::ReturnValue, "width2</s>return value</s>x = shape.<mask>(\n    height_of(Ã©a), x)\n"),
            ("height_of(", Use::ReturnValue, " height_of</s>return value</s>x = shape.width2(\n   <mask>(Ã©a), x)\n"),
            ("éa", Use::Variable, "Ã©a</s>variable</s>x = shape.width2(\n    height_of(<mask>), x)\n"),
            // What is called need not be a name.
            ("éa)", Use::ReturnValue, "Ã©a</s>return value</s>x = shape.width2(\n    height_of(<mask>), x)\n"),
        ] {
            assert_eq!(query(source, until, kind, wide), expected, "{until}");
        }
    }

    #[test]
    fn code_is_cut_evenly_and_long_names_from_the_front() {
        let source = format!("{}shape{}", "(".repeat(40), ")".repeat(40));
        let found = query(&source, "shape", Use::Variable, SHAPE);
        let code = found.strip_prefix("shape</s>variable</s>").expect("the name and the kind");
        let (before, after) = code.split_once("<mask>").expect("the mask");
        assert!(before.chars().all(|c| c == '(') && after.chars().all(|c| c == ')'), "{code}");
        assert!(before.len().abs_diff(after.len()) <= 1 && before.len() > 4, "{code}");
        let long = "qxz".repeat(50);
        let found = query(&format!("a = {long}"), &long, Use::Variable, SHAPE);
        assert!(found.split("</s>").next().is_some_and(|name| !name.is_empty() && name.len() < 20), "{found}");
    }
}

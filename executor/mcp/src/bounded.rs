//! What an answer keeps of texts and lists: its reader has little room.

/// Characters of a value, a message or a line.
pub(crate) const TEXT: usize = 400;
/// Characters of standard output, and of standard error.
pub(crate) const OUTPUT: usize = 8_000;
/// Errors, comparisons and the like.
pub(crate) const ITEMS: usize = 20;
/// Injected values.
pub(crate) const VALUES: usize = 60;
/// Lines that are listed by number.
pub(crate) const LINES: usize = 400;

/// What an answer leaves out, in words: the reader must not take a part for the whole.
#[derive(Debug, Default)]
pub(crate) struct LeftOut(Vec<String>);

impl LeftOut {
    /// A text of at most `most` characters, without its middle if it is longer.
    pub(crate) fn text(&mut self, what: &str, text: &str, most: usize) -> String {
        let count = text.chars().count();
        if count <= most {
            return text.to_owned();
        }
        self.0.push(format!("{} of {count} characters of {what}", count - most));
        let (start, end) = (most - most / 3, most / 3);
        let head: String = text.chars().take(start).collect();
        let tail: String = text.chars().skip(count - end).collect();
        format!("{head}\n[... {} characters left out ...]\n{tail}", count - most)
    }

    /// The first items of a list.
    pub(crate) fn items<T>(&mut self, what: &str, mut all: Vec<T>, most: usize) -> Vec<T> {
        if all.len() > most {
            self.0.push(format!("{} of {} {what}", all.len() - most, all.len()));
            all.truncate(most);
        }
        all
    }

    pub(crate) fn into_notes(self) -> Vec<String> {
        self.0
    }
}

/// A value or message in one line of bounded length.
pub(crate) fn short(text: &str) -> String {
    let mut characters = text.chars();
    let mut kept: String = characters.by_ref().take(TEXT).collect();
    if characters.next().is_some() {
        kept.push_str("...");
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_counted() {
        let mut left_out = LeftOut::default();
        assert_eq!(left_out.text("stdout", "abc", 3), "abc");
        assert_eq!(left_out.text("stdout", "äbcdefghi", 6), "äbcd\n[... 3 characters left out ...]\nhi");
        assert_eq!(left_out.items("lines", vec![1, 2, 3], 2), [1, 2]);
        assert_eq!(left_out.into_notes(), ["3 of 9 characters of stdout", "1 of 3 lines"]);
        assert_eq!(short(&"x".repeat(TEXT + 1)).len(), TEXT + 3);
    }
}

//! The source of a function as a place sees it: without the guard that was taken away.

use std::ops::Range;

/// The text of a function around a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The source of the function without the guard.
    pub text: String,
    /// The bytes of the region in that text.
    pub region: Range<usize>,
}

/// Where a function and a region of it stand in a source, and what is not to be seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Location {
    /// Bytes of the function.
    pub function: Range<u32>,
    /// Bytes of the region.
    pub region: Range<u32>,
    /// Bytes of the guard that was taken away; nothing where none was.
    pub removed: Vec<Range<u32>>,
}

impl Location {
    /// The text of the function. A region that stood under an `if` is indented as the `if` was, so that nothing says that there
    /// was one.
    ///
    /// # Panics
    /// If the ranges are not those of this source.
    #[must_use]
    pub fn excerpt(&self, source: &str) -> Excerpt {
        let bytes = |range: &Range<u32>| range.start as usize..range.end as usize;
        let (function, region) = (bytes(&self.function), bytes(&self.region));
        let mut removed: Vec<Range<usize>> = self.removed.iter().map(bytes).collect();
        removed.sort_by_key(|range| range.start);
        let deeper = removed
            .iter()
            .find(|range| range.end == region.start && range.start < range.end)
            .map_or(0, |range| column(source, region.start).saturating_sub(column(source, range.start)));
        let mut text = String::with_capacity(function.len());
        let (mut at, mut start, mut end) = (function.start, 0, 0);
        // The pieces between what is removed and the two ends of the region.
        let mut cuts: Vec<(usize, Option<usize>)> = vec![(region.start, None), (region.end, None)];
        cuts.extend(removed.iter().map(|range| (range.start, Some(range.end))));
        cuts.sort_by_key(|(cut, _)| *cut);
        for (cut, beyond) in cuts.into_iter().chain([(function.end, None)]) {
            if cut >= at {
                let piece = &source[at..cut];
                if at >= region.start && cut <= region.end && deeper > 0 {
                    dedent(piece, deeper, &mut text);
                } else {
                    text.push_str(piece);
                }
                at = cut;
            }
            if cut == region.start {
                start = text.len();
            }
            if cut == region.end {
                end = text.len();
            }
            at = at.max(beyond.unwrap_or(0));
        }
        Excerpt { text, region: start..end.max(start) }
    }
}

/// Bytes from the beginning of its line to a place.
fn column(source: &str, at: usize) -> usize {
    at - source[..at].rfind('\n').map_or(0, |end| end + 1)
}

/// Adds a piece whose lines after the first have so many blanks less in front of them.
fn dedent(piece: &str, deeper: usize, text: &mut String) {
    for (number, line) in piece.split('\n').enumerate() {
        if number == 0 {
            text.push_str(line);
            continue;
        }
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        text.push('\n');
        text.push_str(&line[blanks.min(deeper)..]);
    }
}

#[cfg(test)]
mod tests {
    use crate::SourceModel;
    use crate::guards::{places, samples};

    fn shown(source: &str) -> Vec<(String, String, String)> {
        let model = SourceModel::parse(source).expect("Python");
        let of = |sample: crate::guards::Sample| {
            let excerpt = sample.location.excerpt(source);
            let region = excerpt.text[excerpt.region.clone()].to_owned();
            (sample.condition.to_string(), excerpt.text, region)
        };
        samples(&model).found.into_iter().map(of).collect()
    }

    #[test]
    fn a_guard_is_not_to_be_seen() {
        let source = "import x\ndef f(a, b):\n    a.go()\n    if b is not None:\n        b.run()\n        b.end()\n    return a\n";
        let (condition, text, region) = shown(source).remove(0);
        assert_eq!(condition, "b is not None");
        assert_eq!(text, "def f(a, b):\n    a.go()\n    b.run()\n    b.end()\n    return a");
        assert_eq!(region, "b.run()\n    b.end()");
    }

    #[test]
    fn what_follows_a_guard_that_leaves_stays_as_it_is() {
        let source = "def f(a):\n    if not a:\n        return\n    a.go()\n    é(a)\n";
        let (condition, text, region) = shown(source).remove(0);
        assert_eq!((condition.as_str(), region.as_str()), ("a", "a.go()\n    é(a)"));
        assert_eq!(text, "def f(a):\n    \n    a.go()\n    é(a)");
    }

    #[test]
    fn branches_and_expressions_are_cut_out() {
        let source = "def f(a):\n    if a:\n        b = 1\n    else:\n        b = g(a)\n    return b if a > 2 else 3\n";
        let all = shown(source);
        let found: Vec<(&str, &str)> = all.iter().map(|(condition, _, region)| (&**condition, &**region)).collect();
        assert_eq!(found, [("a", "b = 1"), ("not a", "b = g(a)"), ("a > 2", "b"), ("a <= 2", "3")]);
        assert_eq!(all[1].1, "def f(a):\n    b = g(a)\n    return b if a > 2 else 3");
        assert_eq!(all[2].1, "def f(a):\n    if a:\n        b = 1\n    else:\n        b = g(a)\n    return b if ");
    }

    #[test]
    fn a_place_has_its_whole_function() {
        let source = "class C:\n    def f(self):\n        self.go()\n\nx = 1\n";
        let model = SourceModel::parse(source).expect("Python");
        let excerpt = places(&model).found.remove(0).location.excerpt(source);
        assert_eq!(excerpt.text, "def f(self):\n        self.go()");
        assert_eq!(&excerpt.text[excerpt.region], "self.go()");
    }
}

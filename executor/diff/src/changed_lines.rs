//! Which lines of a function changed between two versions.

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::candidate::Version;

/// Lines of a function that are compared one by one.
const MOST_LINES: usize = 3000;

/// Whether lines differ that only stand in another block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indentation {
    /// They are the same line.
    Ignored,
    /// They differ.
    Counts,
}

/// Lines of each version, and of the imports, headers and changed variables that it needs, that the other does not have, and those
/// that read the variables, by number.
pub fn changed_lines(old: &Version, new: &Version, indentation: Indentation) -> (Vec<u32>, Vec<u32>) {
    let (olds, news) = (code_lines(old, indentation), code_lines(new, indentation));
    let [old_text, new_text] = [&olds, &news].map(|lines| lines.iter().map(|(_, line)| *line).collect::<Vec<_>>());
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    for operation in capture_diff_slices(Algorithm::Myers, &old_text, &new_text) {
        if operation.tag() != DiffTag::Equal {
            removed.extend(olds[operation.old_range()].iter().map(|(number, _)| number));
            added.extend(news[operation.new_range()].iter().map(|(number, _)| number));
        }
    }
    for (lines, version) in [(&mut removed, old), (&mut added, new)] {
        lines.extend(version.reads.values().flatten());
        lines.sort_unstable();
        lines.dedup();
    }
    (removed, added)
}

fn code_lines(version: &Version, indentation: Indentation) -> Vec<(u32, &str)> {
    let lines = (1..).zip(version.own.lines()).take_while(|(number, _)| *number <= version.last_line);
    lines
        .filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
        .map(|(number, line)| match indentation {
            Indentation::Ignored => (number, line.trim()),
            Indentation::Counts => (number, line.trim_end()),
        })
        .take(MOST_LINES)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::record;

    #[test]
    fn changed_lines_are_those_that_the_other_version_lacks() {
        let candidate =
            record("r", "def f(a):\n    x = 1\n    return x\n", "def f(a):\n    # why\n    x = 2\n    return x\n");
        let versions = candidate.versions.expect("both parse");
        assert_eq!(changed_lines(&versions.0, &versions.1, Indentation::Ignored), (vec![2], vec![3]));
        let (old, new) = (
            "def f(a):\n    if a:\n        x()\n    else:\n        y()\n",
            "def f(a):\n    if a:\n        x()\n    y()\n",
        );
        let versions = record("r", old, new).versions.expect("both parse");
        assert_eq!(changed_lines(&versions.0, &versions.1, Indentation::Ignored), (vec![4], vec![]));
        assert_eq!(changed_lines(&versions.0, &versions.1, Indentation::Counts), (vec![4, 5], vec![4]));
    }
}

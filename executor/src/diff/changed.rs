//! Which functions two versions of a source have in common, and which lines of them changed.

use surmise_instrument::extract::{self, Function};
use surmise_instrument::same::sameness;

use super::verdict::Verdict;
use crate::source::Source;

/// One version of a function.
#[derive(Clone, Debug)]
pub struct Version {
    /// What runs: the function and what it takes to define it.
    pub source: Source,
    /// Its name in it.
    pub qualname: String,
    /// Its first line.
    pub line: u32,
    /// Its last line.
    pub last_line: u32,
}

/// A function to compare.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// How it is called in reports.
    pub name: String,
    /// The versions; or what is known without comparing them.
    pub versions: Result<Box<(Version, Version)>, Known>,
}

/// A verdict that takes no comparison, and the first lines of both versions.
pub type Known = (Verdict, (u32, u32));

/// How alike two bodies must be to be one function under two names.
const ALIKE: f64 = 0.8;
/// Lines of a function that are compared one by one.
const MOST_LINES: usize = 3000;

/// The functions of two files, in the order of the new one, removed ones last.
#[must_use]
pub fn functions(old: &Source, new: &Source) -> Vec<Candidate> {
    let (before, after) = (outermost(&old.text), outermost(&new.text));
    let has = |all: &[Function], name: &str| all.iter().any(|function| function.qualname == name);
    let mut gone: Vec<&Function> = before.iter().filter(|function| !has(&after, &function.qualname)).collect();
    let mut candidates = Vec::new();
    for function in &after {
        let same = before.iter().find(|other| other.qualname == function.qualname);
        let was = same.or_else(|| moved(&mut gone, function, &old.text, &new.text));
        candidates.push(match was {
            None => Candidate { name: function.qualname.clone(), versions: Err((Verdict::Added, (0, function.line))) },
            Some(was) => {
                let name = if was.qualname == function.qualname {
                    function.qualname.clone()
                } else {
                    format!("{} (was {})", function.qualname, was.qualname)
                };
                let versions = match (version(old, was), version(new, function)) {
                    (Ok(old), Ok(new)) => Ok(Box::new((old, new))),
                    (Err(error), _) | (_, Err(error)) => {
                        Err((Verdict::Unknown(error.to_string()), (was.line, function.line)))
                    }
                };
                Candidate { name, versions }
            }
        });
    }
    candidates.extend(gone.iter().map(|function| Candidate {
        name: function.qualname.clone(),
        versions: Err((Verdict::Removed, (function.line, 0))),
    }));
    candidates
}

/// Both versions of a record's function, which is the first one of its text.
#[must_use]
pub fn record(name: &str, old: &str, new: &str) -> Candidate {
    let only = |text: &str, which: &str| {
        let text = dedented(text);
        let first = extract::qualnames(&text).into_iter().next();
        let first = first.ok_or_else(|| match sameness(&text, "") {
            Err(error) => format!("the {which} version does not parse: {error}"),
            Ok(_) => format!("the {which} version has no function"),
        })?;
        let source = Source { name: name.to_owned(), path: None, text };
        Ok(Version { source, qualname: first.qualname, line: first.line, last_line: first.last_line })
    };
    let versions = match (only(old, "old"), only(new, "new")) {
        (Ok(old), Ok(new)) => Ok(Box::new((old, new))),
        (Err(message), _) | (_, Err(message)) => Err((Verdict::Unknown(message), (0, 0))),
    };
    Candidate { name: name.to_owned(), versions }
}

/// Functions that are not inside of others: a change of an inner one is one of the outer.
fn outermost(text: &str) -> Vec<Function> {
    let all = extract::qualnames(text);
    let inside = |function: &Function| {
        all.iter().any(|other| {
            function.qualname.strip_prefix(&other.qualname).is_some_and(|rest| rest.starts_with('.'))
                && other.line <= function.line
                && function.last_line <= other.last_line
        })
    };
    let mut outer: Vec<Function> = all.iter().filter(|function| !inside(function)).cloned().collect();
    // Of several definitions the last holds.
    let names: Vec<String> = outer.iter().map(|function| function.qualname.clone()).collect();
    let mut at = 0;
    outer.retain(|function| {
        at += 1;
        !names[at..].contains(&function.qualname)
    });
    outer
}

fn version(source: &Source, function: &Function) -> Result<Version, extract::NotFound> {
    let text = extract::in_place(&source.text, &function.qualname)?;
    let source = Source { text, ..source.clone() };
    Ok(Version { source, qualname: function.qualname.clone(), line: function.line, last_line: function.last_line })
}

/// The removed function whose body is this one's, or is most like it.
fn moved<'f>(gone: &mut Vec<&'f Function>, function: &Function, old: &str, new: &str) -> Option<&'f Function> {
    let body = |text: &str, function: &Function| -> Vec<String> {
        let lines = text.lines().skip(function.line as usize).take((function.last_line - function.line) as usize);
        lines.map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
    };
    let mine = body(new, function);
    if mine.len() < 2 {
        return None;
    }
    let likeness = |other: &Function| {
        let its = body(old, other);
        let common = its.iter().filter(|line| mine.contains(line)).count() * 2;
        common as f64 / (its.len() + mine.len()).max(1) as f64
    };
    let (at, best) = gone.iter().map(|other| likeness(other)).enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    (best >= ALIKE).then(|| gone.remove(at))
}

/// Lines of each version that the other does not have, by number.
#[must_use]
pub fn changed_lines(old: &Version, new: &Version) -> (Vec<u32>, Vec<u32>) {
    let (olds, news) = (code_lines(old), code_lines(new));
    let (width, height) = (news.len() + 1, olds.len() + 1);
    // Longest common subsequence, from the end.
    let mut longest = vec![0_u16; width * height];
    for (at, (_, line)) in olds.iter().enumerate().rev() {
        for (to, (_, other)) in news.iter().enumerate().rev() {
            longest[at * width + to] = if line == other {
                longest[(at + 1) * width + to + 1] + 1
            } else {
                longest[(at + 1) * width + to].max(longest[at * width + to + 1])
            };
        }
    }
    let (mut at, mut to) = (0, 0);
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while at < olds.len() || to < news.len() {
        if at < olds.len() && to < news.len() && olds[at].1 == news[to].1 {
            (at, to) = (at + 1, to + 1);
        } else if to == news.len() || at < olds.len() && longest[(at + 1) * width + to] >= longest[at * width + to + 1]
        {
            removed.push(olds[at].0);
            at += 1;
        } else {
            added.push(news[to].0);
            to += 1;
        }
    }
    (removed, added)
}

fn code_lines(version: &Version) -> Vec<(u32, &str)> {
    let lines = (1..).zip(version.source.text.lines()).skip(version.line.saturating_sub(1) as usize);
    let lines = lines.take_while(|(number, _)| *number <= version.last_line).take(MOST_LINES);
    lines
        .map(|(number, line)| (number, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The text without the indentation that its first line has.
fn dedented(text: &str) -> String {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let indent = &first[..first.len() - first.trim_start().len()];
    if indent.is_empty() {
        return text.to_owned();
    }
    text.lines().flat_map(|line| [line.strip_prefix(indent).unwrap_or(line), "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source { name: "a.py".into(), path: None, text: text.into() }
    }

    #[test]
    fn functions_are_matched_by_name_and_moved_ones_by_their_bodies() {
        let old = "def f(): return 1\nclass C:\n    def m(self):\n        a()\n        b()\n        return c\ndef g(): pass\n";
        let new = "def f(): return 2\nclass D:\n    def m(self):\n        a()\n        b()\n        return c\ndef h(): pass\n";
        let found = functions(&source(old), &source(new));
        let names: Vec<&str> = found.iter().map(|candidate| candidate.name.as_str()).collect();
        assert_eq!(names, ["f", "D.m (was C.m)", "h", "g"]);
        assert!(matches!(found[2].versions, Err((Verdict::Added, _))));
        assert!(matches!(found[3].versions, Err((Verdict::Removed, _))));
    }

    #[test]
    fn changed_lines_are_those_that_the_other_version_lacks() {
        let candidate =
            record("r", "def f(a):\n    x = 1\n    return x\n", "def f(a):\n    # why\n    x = 2\n    return x\n");
        let versions = candidate.versions.expect("both parse");
        assert_eq!(changed_lines(&versions.0, &versions.1), (vec![2], vec![3]));
    }
}

//! Regular expressions of Python's, written with what the crate `regex-syntax` knows: it has no look-around and no references.

use std::ops::Range;

/// Longer expressions are not written: groups of references to groups double with each.
const LONGEST: usize = 10_000;

/// An expression in which what it looks ahead and back for is a part of the text, what must not be there is left out, and a
/// reference to a group is the group once more, for which the same text is written; none if that is too long.
pub(crate) fn self_contained(pattern: &str) -> Option<String> {
    let mut writer = Writer { rest: pattern, ..Writer::default() };
    while let Some(letter) = writer.rest.chars().next().filter(|_| writer.text.len() <= LONGEST) {
        writer.next(letter);
    }
    (writer.text.len() <= LONGEST).then_some(writer.text)
}

/// A numbered group.
struct Group<'p> {
    name: Option<&'p str>,
    /// Where it lies in what is written, once it has ended.
    range: Range<usize>,
}

#[derive(Default)]
struct Writer<'p> {
    /// What is left to read.
    rest: &'p str,
    /// What is written.
    text: String,
    groups: Vec<Group<'p>>,
    /// Parentheses that are open: where they begin in what is written, and the number of the group.
    open: Vec<(usize, Option<usize>)>,
    in_class: bool,
    /// Open parentheses around what is left out.
    left_out: usize,
}

impl Writer<'_> {
    fn next(&mut self, letter: char) {
        match letter {
            '\\' => self.escape(),
            '[' if !self.in_class => {
                self.in_class = true;
                // A bracket right at the beginning is one of the class.
                let begin = self.rest[1..].strip_prefix('^').unwrap_or(&self.rest[1..]);
                self.copy(self.rest.len() - begin.len() + usize::from(begin.starts_with(']')));
            }
            ']' => {
                self.in_class = false;
                self.copy(1);
            }
            '(' if !self.in_class && self.left_out == 0 => self.begin(),
            '(' if !self.in_class => {
                self.left_out += 1;
                self.rest = &self.rest[1..];
            }
            ')' if !self.in_class && self.left_out > 0 => {
                self.left_out -= 1;
                self.rest = &self.rest[1..];
            }
            ')' if !self.in_class => {
                self.copy(1);
                if let Some((start, Some(number))) = self.open.pop() {
                    self.groups[number].range = start..self.text.len();
                }
            }
            letter => self.copy(letter.len_utf8()),
        }
    }

    /// Goes on after so many bytes, which are written unless they are left out.
    fn copy(&mut self, bytes: usize) {
        let (copied, rest) = self.rest.split_at(bytes);
        self.put(copied);
        self.rest = rest;
    }

    fn put(&mut self, text: &str) {
        if self.left_out == 0 {
            self.text.push_str(text);
        }
    }

    /// `\d`, or `\1` for the first group.
    fn escape(&mut self) {
        let next = self.rest[1..].chars().next();
        let number = next.and_then(|next| next.to_digit(10)).filter(|number| !self.in_class && *number > 0);
        match number.and_then(|number| self.groups.get(number as usize - 1)) {
            Some(group) => {
                let again = without_names(&self.text[group.range.clone()]);
                self.put(&again);
                self.rest = &self.rest[2..];
            }
            None => self.copy(1 + next.map_or(0, char::len_utf8)),
        }
    }

    /// What begins with a parenthesis.
    fn begin(&mut self) {
        let rest = self.rest;
        if let Some((name, after)) = rest.strip_prefix("(?P=").and_then(|rest| rest.split_once(')')) {
            let group = self.groups.iter().find(|group| group.name == Some(name));
            let again = group.map_or_else(String::new, |group| without_names(&self.text[group.range.clone()]));
            self.put(&again);
            self.rest = after;
            return;
        }
        if rest.starts_with("(?!") || rest.starts_with("(?<!") {
            self.left_out = 1;
            self.rest = &rest[1..];
            return;
        }
        let name = rest.strip_prefix("(?P<").and_then(|rest| Some(rest.split_once('>')?.0));
        let number = (!rest.starts_with("(?") || name.is_some()).then_some(self.groups.len());
        if number.is_some() {
            self.groups.push(Group { name, range: 0..0 });
        }
        self.open.push((self.text.len(), number));
        match ["(?=", "(?<="].into_iter().find_map(|ahead| rest.strip_prefix(ahead)) {
            Some(after) => {
                self.put("(?:");
                self.rest = after;
            }
            None => self.copy(1),
        }
    }
}

/// An expression whose groups have no names, which are for the first of their kind.
fn without_names(pattern: &str) -> String {
    let mut parts = pattern.split("(?P<");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        plain.push('(');
        plain.push_str(part.split_once('>').map_or(part, |(_, rest)| rest));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::self_contained;

    #[test]
    fn what_is_looked_for_is_a_part_and_references_are_groups() {
        for (pattern, plain) in [
            ("(?<=a)b(?=c|d)", "(?:a)b(?:c|d)"),
            (r"a(?!(b)|[)])(c)\1", "a(c)(c)"),
            (r#"(?P<quote>['"])x(?P=quote)"#, r#"(?P<quote>['"])x(['"])"#),
            (r"[](\1]+(é)\1\d", r"[](\1]+(é)(é)\d"),
            (r"(?i:a)(b(c))\2\1", "(?i:a)(b(c))(c)(b(c))"),
            (r"\(\", r"\(\"),
        ] {
            assert_eq!(self_contained(pattern).as_deref(), Some(plain), "{pattern}");
        }
    }

    #[test]
    fn what_grows_with_each_reference_is_given_up() {
        let doubled = |number: usize| format!("(?P<g{}>(?P=g{number})(?P=g{number}))", number + 1);
        let pattern = format!("(?P<g0>a){}", (0..60).map(doubled).collect::<String>());
        assert_eq!(self_contained(&pattern), None);
    }
}

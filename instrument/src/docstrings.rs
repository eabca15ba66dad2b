//! Docstrings: where they stand, and what they say.

use ruff_python_ast::helpers::is_docstring_stmt;
use ruff_python_ast::{Expr, Stmt, StringFlags};
use ruff_text_size::Ranged;

use crate::semantic::SourceModel;

/// The text that documents a module, a class or a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Docstring {
    /// Qualified name of the class or function; empty for the module.
    pub of: String,
    /// The text as it is at run time.
    pub text: String,
    /// Offset in the source of each character of the text, in bytes, and of its end.
    pub offsets: Vec<u32>,
}

/// The docstrings of a module, its classes and functions, and of classes and methods within; of what functions define
/// within themselves nobody sees any. Texts in several pieces are left out.
#[must_use]
pub fn docstrings(model: &SourceModel) -> Vec<Docstring> {
    let mut found = Vec::new();
    model.with_tree(|tree| collect(tree.suite(), "", model.text(), &mut found));
    found
}

fn collect(body: &[Stmt], of: &str, source: &str, found: &mut Vec<Docstring>) {
    found.extend(body.first().and_then(|stmt| docstring(stmt, of, source)));
    defined(body, of, source, found);
}

/// Those of what a block defines, and the blocks within it.
fn defined(body: &[Stmt], of: &str, source: &str, found: &mut Vec<Docstring>) {
    let within = |name: &str| if of.is_empty() { name.to_owned() } else { format!("{of}.{name}") };
    for stmt in body {
        match stmt {
            Stmt::ClassDef(class) => collect(&class.body, &within(class.name.as_str()), source, found),
            Stmt::FunctionDef(def) => {
                found.extend(def.body.first().and_then(|stmt| docstring(stmt, &within(def.name.as_str()), source)));
            }
            Stmt::If(branch) => {
                defined(&branch.body, of, source, found);
                branch.elif_else_clauses.iter().for_each(|clause| defined(&clause.body, of, source, found));
            }
            Stmt::Try(block) => {
                for body in [&block.body, &block.orelse, &block.finalbody] {
                    defined(body, of, source, found);
                }
            }
            Stmt::With(block) => defined(&block.body, of, source, found),
            _ => {}
        }
    }
}

fn docstring(stmt: &Stmt, of: &str, source: &str) -> Option<Docstring> {
    let Stmt::Expr(expr) = stmt else { return None };
    let Expr::StringLiteral(literal) = &*expr.value else { return None };
    let part = literal.as_single_part_string().filter(|_| is_docstring_stmt(stmt))?;
    let (start, end) = (part.start() + part.flags.opener_len(), part.end() - part.flags.closer_len());
    let (start, end) = (start.to_u32(), end.to_u32());
    let written = source.get(start as usize..end as usize)?;
    let (text, offsets) = if part.flags.prefix().is_raw() { plain(written, start) } else { decoded(written, start) };
    // An escape that is read otherwise here would put everything after it in the wrong place.
    (*text == *part.value).then(|| Docstring { of: of.to_owned(), text, offsets })
}

fn plain(written: &str, start: u32) -> (String, Vec<u32>) {
    let ends = written.char_indices().map(|(at, _)| at as u32).chain([written.len() as u32]);
    (written.to_owned(), ends.map(|at| start + at).collect())
}

/// A text without its escapes.
fn decoded(written: &str, start: u32) -> (String, Vec<u32>) {
    let (mut text, mut offsets) = (String::new(), Vec::new());
    let mut rest = written;
    while let Some(first) = rest.chars().next() {
        let at = start + (written.len() - rest.len()) as u32;
        let (length, character) = match rest.strip_prefix('\\') {
            Some(escape) => escaped(escape),
            None => (first.len_utf8(), Some(first)),
        };
        if let Some(character) = character {
            text.push(character);
            offsets.push(at);
        }
        rest = &rest[length.min(rest.len())..];
    }
    offsets.push(start + written.len() as u32);
    (text, offsets)
}

/// Length of an escape in bytes, its backslash included, and what it stands for; nothing for a line that goes on. What
/// follows a backslash that begins no escape comes by itself.
fn escaped(escape: &str) -> (usize, Option<char>) {
    let simple = |character| (2, Some(character));
    let coded = |digits: usize| {
        let code = escape.get(1..=digits).and_then(|code| u32::from_str_radix(code, 16).ok());
        (2 + digits, code.and_then(char::from_u32).or(Some('\u{fffd}')))
    };
    match escape.chars().next() {
        Some('\n') => (2, None),
        Some(character @ ('\\' | '\'' | '"')) => simple(character),
        Some('n') => simple('\n'),
        Some('t') => simple('\t'),
        Some('r') => simple('\r'),
        Some('a') => simple('\x07'),
        Some('b') => simple('\x08'),
        Some('f') => simple('\x0c'),
        Some('v') => simple('\x0b'),
        Some('x') => coded(2),
        Some('u') => coded(4),
        Some('U') => coded(8),
        Some('0'..='7') => {
            let digits = escape.chars().take(3).take_while(|digit| digit.is_digit(8)).count();
            (1 + digits, u32::from_str_radix(&escape[..digits], 8).ok().and_then(char::from_u32))
        }
        _ => (1, Some('\\')),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> Vec<Docstring> {
        docstrings(&SourceModel::parse(source).expect("it parses"))
    }

    #[test]
    fn modules_classes_and_functions_have_them() {
        let source = "'''m'''\nclass C:\n    'c'\n    def f(self):\n        r'''f'''\n        def inner():\n            'no'\nif x:\n    def g():\n        'g'\nelse:\n    def h(): 'h'\ndef i():\n    f'no'\ndef j():\n    'n' 'o'\n";
        let found: Vec<(String, String)> = of(source).into_iter().map(|found| (found.of, found.text)).collect();
        let named = |of: &str, text: &str| (of.to_owned(), text.to_owned());
        assert_eq!(found, [named("", "m"), named("C", "c"), named("C.f", "f"), named("g", "g"), named("h", "h")]);
    }

    #[test]
    fn characters_have_their_places() {
        let source = "def f():\n    'a\\\\n\\x41\\101\\u00e9\\\n\\w é\"'\n";
        let [found] = &of(source)[..] else { panic!("one docstring") };
        assert_eq!(found.text, "a\\nAAé\\w é\"");
        assert_eq!(found.offsets.len(), found.text.chars().count() + 1);
        let place =
            |character: char| found.offsets[found.text.chars().position(|other| other == character).unwrap_or(0)];
        assert_eq!(&source[place('w') as usize..][..1], "w");
        assert_eq!(&source[place('n') as usize..][..1], "n");
        assert!(source[place('A') as usize..].starts_with("\\x41"));
        assert_eq!(of("def f():\n    '\\N{BULLET}'\n"), [], "names of characters are not known here");
        let raw = &of("r'''a\\n\n'''\n")[0];
        assert_eq!((raw.text.as_str(), raw.offsets[0]), ("a\\n\n", 4));
    }
}

//! Texts that regular expressions and formats of dates match, for code that takes a text apart by one.

use regex_syntax::hir::{Class, Hir, HirKind};
use ruff_python_ast::{self as ast, Expr, Operator};

use crate::pattern_groups::self_contained;

/// Texts for one expression.
const VARIANTS: usize = 4;
/// Longer texts are not made.
const LONGEST: usize = 200;
/// Characters that a class stands for, if it has them, one for each variant.
const USUAL: [char; VARIANTS] = ['a', '1', 'B', '-'];

/// Functions of `re` whose first argument is a regular expression, and which of their arguments it is matched against.
const TAKE_PATTERNS: [(&str, Option<usize>); 9] = [
    ("compile", None),
    ("findall", Some(1)),
    ("finditer", Some(1)),
    ("fullmatch", Some(1)),
    ("match", Some(1)),
    ("search", Some(1)),
    ("split", Some(1)),
    ("sub", Some(2)),
    ("subn", Some(2)),
];

/// A regular expression, and whether blanks in it do not count.
pub(crate) type Pattern = (String, bool);

/// The regular expression that a call of `re` is given, and which argument it is matched against, if one is.
pub(crate) fn pattern_of(call: &ast::ExprCall) -> Option<(Pattern, Option<usize>)> {
    let function = call.func.as_attribute_expr()?;
    let owner = function.value.as_name_expr()?.id.as_str();
    let known = TAKE_PATTERNS.iter().find(|(name, _)| *name == function.attr.as_str());
    let (_, subject) = known.filter(|_| matches!(owner, "re" | "regex"))?;
    let arguments = &call.arguments;
    let pattern = arguments.find_argument_value("pattern", 0)?.as_string_literal_expr()?;
    let flags = arguments.args.iter().chain(arguments.keywords.iter().map(|keyword| &keyword.value));
    let is_verbose = flags
        .flat_map(joined)
        .any(|flag| flag.as_attribute_expr().is_some_and(|flag| matches!(flag.attr.as_str(), "VERBOSE" | "X")));
    Some(((pattern.value.to_str().to_owned(), is_verbose), *subject))
}

/// The operands of `|`.
fn joined(flags: &Expr) -> Vec<&Expr> {
    match flags {
        Expr::BinOp(both) if both.op == Operator::BitOr => {
            [&both.left, &both.right].into_iter().flat_map(|side| joined(side)).collect()
        }
        flags => vec![flags],
    }
}

/// A few texts that match a regular expression of Python's, with other numbers of repetitions and other alternatives in each;
/// none for what `regex-syntax` does not know.
pub(crate) fn matching((pattern, is_verbose): &Pattern) -> Vec<String> {
    let Some(pattern) = self_contained(&pattern.replace("\\Z", "\\z")) else { return Vec::new() };
    let parsed = regex_syntax::ParserBuilder::new().ignore_whitespace(*is_verbose).build().parse(&pattern);
    let Ok(parsed) = parsed else { return Vec::new() };
    let mut texts: Vec<String> = Vec::new();
    for variant in 0..VARIANTS {
        let mut text = String::new();
        if write(&parsed, variant, &mut text).is_some() && !text.is_empty() && !texts.contains(&text) {
            texts.push(text);
        }
    }
    texts
}

/// Appends what an expression matches; `None` if that is too long or cannot be.
fn write(part: &Hir, variant: usize, text: &mut String) -> Option<()> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => text.push_str(std::str::from_utf8(&literal.0).ok()?),
        HirKind::Class(class) => text.push(letter(class, variant)?),
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize;
            let most = repetition.max.map_or(usize::MAX, |most| most as usize);
            for _ in 0..[least.max(1), least, least + 1, least + 2][variant].min(most) {
                write(&repetition.sub, variant, text)?;
            }
        }
        HirKind::Capture(capture) => write(&capture.sub, variant, text)?,
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, variant, text))?,
        HirKind::Alternation(parts) => write(&parts[variant % parts.len()], variant, text)?,
    }
    (text.len() <= LONGEST).then_some(())
}

/// A character of a class: the usual one of a variant, or the first of one of its ranges.
fn letter(class: &Class, variant: usize) -> Option<char> {
    let ranges: Vec<(char, char)> = match class {
        Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
        Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
    };
    let has = |letter: &char| ranges.iter().any(|(start, end)| (start..=end).contains(&letter));
    let own = match ranges.get(variant % ranges.len().max(1)) {
        // What an expression allows at the other end of a range tells it from one that allows less.
        Some((_, end)) if variant == VARIANTS - 1 => Some(*end),
        range => range.map(|(start, _)| *start),
    };
    let printed = own.filter(char::is_ascii_graphic);
    let usual = || USUAL.iter().chain(&[' ']).copied().find(|letter| has(letter));
    Some(USUAL[variant]).filter(has).or(printed).or_else(usual).or(own)
}

/// The text of a moment in a format of `strftime`; none for formats of which nothing comes.
pub(crate) fn formatted(format: &str) -> Option<String> {
    let moment = jiff::civil::date(2021, 3, 14).at(15, 9, 26, 0).to_zoned(jiff::tz::TimeZone::UTC).ok()?;
    let text = jiff::fmt::strtime::format(format, &moment).ok()?;
    (!text.is_empty() && text != format).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(pattern: &str, is_verbose: bool) -> Vec<String> {
        super::matching(&(pattern.to_owned(), is_verbose))
    }

    #[test]
    fn texts_match_their_expression() {
        assert_eq!(matching(r"(\w+)\s*=\s*(\d{2,3})", false), ["a = 00", "1=11", "BB = 111", "zzz  =  111"]);
        assert_eq!(matching("^(?P<sign>[+-])?(one|two)$", false), ["+one", "two", "-two"]);
        assert_eq!(matching("a b # c", true), ["ab"]);
        assert_eq!(matching(r"x\Z", false), ["x"]);
    }

    #[test]
    fn what_is_looked_for_is_written_and_groups_are_written_again() {
        assert_eq!(matching("(?<=a)b(?=c)", false), ["abc"]);
        assert_eq!(matching("a(?!(b)|[)])c", false), ["ac"]);
        assert_eq!(matching(r#"(?P<quote>['"])x(?P=quote)"#, false), ["\"x\"", "'x'"]);
        assert_eq!(matching(r"<(\w+)>\1[\]]", false)[0], "<a>a]");
        assert_eq!(matching("[](]x", false)[0], "(x", "a bracket at the beginning is one of the class");
    }

    #[test]
    fn what_is_not_known_or_too_long_gives_none() {
        assert!(matching("(?(1)a|b)", false).is_empty());
        assert!(matching("a{5000}", false).is_empty());
        assert!(matching("(", false).is_empty() && matching("[^\\s\\S]", false).is_empty());
        assert!(matching("(?!", false).is_empty());
    }

    #[test]
    fn formats_of_dates_have_a_text() {
        assert_eq!(formatted("%Y-%m-%d %H:%M").as_deref(), Some("2021-03-14 15:09"));
        assert_eq!(formatted("no directive"), None);
        assert_eq!(formatted("%!"), None);
    }
}

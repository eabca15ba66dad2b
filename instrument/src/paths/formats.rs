//! Texts in the form in which functions of the standard library read them: what a regular expression matches, a moment in
//! a format of `strptime`, an address, a document.

use ruff_python_ast::{self as ast, Expr, Stmt};
use rustc_hash::FxHashMap;

use super::wishes::{Hint, Wish};
use crate::matching_texts::{Pattern, formatted, matching, pattern_of};
use crate::semantic::bytes;

/// Functions and methods by their last names, which of their arguments they read, and a text that they take.
const READ: [(&str, usize, &str); 20] = [
    ("IPv4Address", 0, "127.0.0.1"),
    ("IPv4Network", 0, "127.0.0.0/8"),
    ("IPv6Address", 0, "::1"),
    ("IPv6Network", 0, "::1/128"),
    ("UUID", 0, "12345678123456781234567812345678"),
    ("Decimal", 0, "1"),
    ("Fraction", 0, "1"),
    ("b64decode", 0, "YWJj"),
    ("a85decode", 0, "@:E^"),
    ("b32decode", 0, "MFRGGZBT"),
    ("fromhex", 0, "616263"),
    ("fromisoformat", 0, "2021-03-14"),
    ("inet_aton", 0, "127.0.0.1"),
    ("inet_pton", 1, "127.0.0.1"),
    ("ip_address", 0, "127.0.0.1"),
    ("ip_network", 0, "127.0.0.0/8"),
    ("literal_eval", 0, "1"),
    ("parsedate_to_datetime", 0, "Sun, 14 Mar 2021 15:09:26 +0000"),
    ("parseString", 0, "<a>b</a>"),
    ("unhexlify", 0, "616263"),
];

/// Functions and methods of regular expressions that look for what matches. What is split, or replaced, is mostly something
/// else.
const MATCH: [&str; 5] = ["match", "search", "fullmatch", "findall", "finditer"];

/// Other texts of one regular expression: what is optional in it, and its alternatives, may lead to other code.
const OTHERS: usize = 2;

/// Regular expressions, by the names of the variables that hold them.
#[derive(Default)]
pub(super) struct Formats<'a> {
    patterns: FxHashMap<&'a str, Pattern>,
}

impl<'a> Formats<'a> {
    /// Takes note of an expression that an assignment compiles.
    pub(super) fn statement(&mut self, stmt: &'a Stmt) {
        let Stmt::Assign(assign) = stmt else { return };
        let ([Expr::Name(name)], Expr::Call(call)) = (assign.targets.as_slice(), &*assign.value) else { return };
        if let Some((pattern, None)) = pattern_of(call) {
            self.patterns.insert(name.id.as_str(), pattern);
        }
    }

    /// Adds the text that a call reads of its argument, and others that it may read.
    pub(super) fn call(&self, call: &ast::ExprCall, into: &mut Vec<Hint>, others: &mut Vec<Hint>) {
        let Some((subject, texts)) = self.read_by(call) else { return };
        let mut hints = texts.into_iter().map(|text| Hint { subject: bytes(subject), wish: Wish::Text(text) });
        into.extend(hints.next());
        others.extend(hints.take(OTHERS));
    }

    fn read_by<'c>(&self, call: &'c ast::ExprCall) -> Option<(&'c Expr, Vec<String>)> {
        let (owner, name) = match &*call.func {
            Expr::Attribute(method) => (Some(&*method.value), method.attr.as_str()),
            Expr::Name(name) => (None, name.id.as_str()),
            _ => return None,
        };
        if let Some((pattern, subject)) = pattern_of(call).filter(|_| MATCH.contains(&name)) {
            let subject = call.arguments.find_positional(subject?)?;
            return Some((subject, matching(&pattern)));
        }
        let first = call.arguments.find_positional(0)?;
        if name == "strptime" {
            let format = call.arguments.find_positional(1)?.as_string_literal_expr()?;
            return Some((first, vec![formatted(format.value.to_str())?]));
        }
        if let Some(pattern) = owner.and_then(last_name).and_then(|owner| self.patterns.get(owner))
            && MATCH.contains(&name)
        {
            return Some((first, matching(pattern)));
        }
        let (_, at, text) = READ.iter().find(|(known, ..)| *known == name)?;
        Some((call.arguments.find_positional(*at)?, vec![(*text).to_owned()]))
    }
}

/// The name of a variable, or of one of a class: `PATTERN`, `self.PATTERN`.
fn last_name(owner: &Expr) -> Option<&str> {
    match owner {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) if attribute.value.is_name_expr() => Some(attribute.attr.as_str()),
        _ => None,
    }
}

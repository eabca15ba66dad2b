//! What an error says about the value that would have been needed.

use surmise_instrument::paths::Wish;

use surmise_engine::protocol::Raised;

/// Parts of messages, in lower case, and the builtin type that they ask for. The wording is that of CPython 3.9 to 3.14.
const ASKS: [(&str, &str); 30] = [
    ("is not iterable", "list"),
    ("not an iterator", "list"),
    ("is not subscriptable", "dict"),
    ("does not support item assignment", "dict"),
    ("does not support item deletion", "dict"),
    ("is not a mapping", "dict"),
    ("is not callable", "callable"),
    ("has no len()", "list"),
    ("not reversible", "list"),
    ("not a sequence", "list"),
    ("must be a sequence", "list"),
    ("can only concatenate str", "str"),
    ("can only concatenate list", "list"),
    ("can only concatenate tuple", "tuple"),
    ("can only join an iterable", "list"),
    ("expected str", "str"),
    ("expected string", "str"),
    ("must be str", "str"),
    ("must be a string", "str"),
    ("must be string", "str"),
    ("argument of type 'nonetype'", "str"),
    ("an integer is required", "int"),
    ("interpreted as an integer", "int"),
    ("must be integer", "int"),
    ("must be int", "int"),
    ("must be an integer", "int"),
    ("must be real number", "int"),
    ("number is required", "int"),
    ("must be a number", "int"),
    ("bad operand type for unary", "int"),
];

/// Wishes for the operands of what failed, the likeliest first.
pub(crate) fn wishes(error: &Raised) -> Vec<Wish> {
    let message = error.message.to_lowercase();
    let mut wishes = Vec::new();
    match error.kind.as_str() {
        "ZeroDivisionError" => wishes.extend([Wish::Integer(1), Wish::Integer(2)]),
        "KeyError" if !message.is_empty() => {
            wishes.push(Wish::Holds(error.message.trim_matches(['\'', '"']).to_owned()));
        }
        "IndexError" => wishes.extend([Wish::Length(3), Wish::Text("1 2 3 4 5".to_owned()), Wish::Length(16)]),
        // One that a handler took, which says no more.
        "ValueError" if message.is_empty() => wishes.push(Wish::Text("1".to_owned())),
        "ValueError" => {
            if let Some(count) = expected_count(&message) {
                wishes.push(Wish::Length(count));
                // Or a line with so many fields.
                wishes.push(Wish::Text(vec!["1"; count.min(16).into()].join(" ")));
            }
            for (part, text) in [("invalid literal for int", "1"), ("to float", "1.0"), ("to complex", "1")] {
                if message.contains(part) {
                    wishes.push(Wish::Text(text.to_owned()));
                }
            }
            if message.contains("empty") || message.contains("sequence") {
                wishes.push(Wish::Length(3));
            }
            if message.contains("domain error") || message.contains("positive") || message.contains("negative") {
                wishes.push(Wish::Integer(1));
            }
        }
        "TypeError" => {
            let kinds = ASKS.iter().filter(|(part, _)| message.contains(part)).map(|(_, kind)| *kind);
            wishes.extend(kinds.map(Wish::Instance));
            if message.contains("unsupported operand") || message.contains("not supported between") {
                // Each operand could have had the other's type.
                for kind in ["str", "int", "list", "float", "tuple", "dict", "set"] {
                    if message.contains(&format!("'{kind}'")) {
                        wishes.push(Wish::Instance(kind));
                    }
                }
                wishes.push(Wish::Instance("int"));
            }
        }
        _ => {}
    }
    wishes
}

/// The number of elements that unpacking asked for: 3 of `not enough values to unpack (expected 3, got 1)`.
pub(crate) fn expected_count(message: &str) -> Option<u16> {
    let rest = ["(expected at least ", "(expected "].into_iter().find_map(|before| message.split_once(before))?.1;
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(kind: &str, message: &str) -> Vec<Wish> {
        wishes(&Raised { kind: kind.to_owned(), message: message.to_owned(), ..Raised::default() })
    }

    #[test]
    fn messages_tell_what_was_needed() {
        assert_eq!(of("TypeError", "'NoneType' object is not iterable"), [Wish::Instance("list")]);
        assert_eq!(
            of("ValueError", "not enough values to unpack (expected 3, got 1)")[..],
            [Wish::Length(3), Wish::Text("1 1 1".to_owned())]
        );
        assert_eq!(of("ValueError", "invalid literal for int() with base 10: 'a'"), [Wish::Text("1".to_owned())]);
        assert_eq!(of("KeyError", "'name'"), [Wish::Holds("name".to_owned())]);
        let unsupported = of("TypeError", "unsupported operand type(s) for +: 'int' and 'str'");
        assert_eq!(unsupported[..2], [Wish::Instance("str"), Wish::Instance("int")]);
        assert!(of("OSError", "no such file").is_empty());
    }
}

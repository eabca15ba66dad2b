//! Rewrites of a source that keep its behaviour: what differs between a source and its rewrite is an artefact of how
//! it was run, not of what it does.
//!
//! Local variables get other names, results are held in a variable before they are returned, operands of `==` change
//! places, and neighbouring assignments that have nothing to do with each other change theirs. All are text edits, found by
//! the scopes and uses of the semantic model; no line is added or removed.

mod order;
mod places;
mod rename;

use crate::mutate::{Edit, applied};
use crate::semantic::SourceModel;

/// An equivalent rewrite of a source; `None` where there is nothing to rewrite.
#[must_use]
pub fn equivalent(model: &SourceModel) -> Option<String> {
    let renamed = edited(model, rename::edits(model));
    let next = SourceModel::parse(renamed).ok()?;
    let text = edited(&next, order::edits(&next));
    (text != model.text()).then_some(text)
}

/// The text of a model with edits that do not overlap.
fn edited(model: &SourceModel, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    applied(model.text(), &edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> Option<String> {
        equivalent(&SourceModel::parse(source).expect("the source parses"))
    }

    #[test]
    fn locals_are_renamed_with_all_their_uses_and_nothing_else_is() {
        let source = "def f(a, b=1):\n    rows = [x for x in a]\n    rows += g(rows=rows, b=b)\n    del a\n    \
                      def inner():\n        return rows\n    return inner\n";
        assert_eq!(
            rewritten(source).expect("it has locals"),
            "def f(a, b=1):\n    rows = [x_value for x_value in a]\n    rows += g(rows=rows, b=b)\n    del a\n    \
             def inner():\n        return rows\n    return inner\n",
            "a name that is also a keyword's stays"
        );
        let source = "def f(a):\n    total = 0\n    def add():\n        nonlocal count\n        count += total\n    count = \
                      f'{total} of {a}'\n    return add\n";
        let text = rewritten(source).expect("it has locals");
        assert!(text.contains("total_value = 0") && text.contains("f'{total_value} of {a}'"), "{text}");
        assert!(text.contains("count += total_value"), "what `nonlocal` names stays: {text}");
    }

    #[test]
    fn names_that_others_can_see_stay() {
        for source in [
            "x = 1\n",
            "def f(a):\n    y = a\n    return locals()\n",
            "def f(a):\n    global y\n    y = a\n",
            "class C:\n    y = 1\n",
            "def f():\n    import os as y\n    try:\n        y\n    except E as z:\n        z\n",
            "def f(x):\n    match x:\n        case [y]:\n            y\n",
        ] {
            let text = rewritten(source).unwrap_or_else(|| source.to_owned());
            assert!(!text.contains("y_value") && !text.contains("x_value") && !text.contains("z_value"), "{text}");
        }
    }

    #[test]
    fn results_are_held_before_they_are_returned() {
        let source = "def f(a):\n    if a: return(a.b)\n    return g(\n        a,\n    )  # the rest\n";
        let text = rewritten(source).expect("it returns");
        assert_eq!(
            text,
            "def f(a):\n    if a: result_value =(a.b); return result_value\n    result_value = g(\n        a,\n    \
             ); return result_value  # the rest\n"
        );
        assert_eq!(rewritten("def f(a):\n    return a\n"), None, "a variable already holds it");
    }

    #[test]
    fn operands_of_equality_change_places_where_nothing_is_called() {
        assert_eq!(rewritten("a.b == 'c'\n").as_deref(), Some("'c' == a.b\n"));
        assert_eq!(rewritten("(a) != (b)\n").as_deref(), Some("(b) != (a)\n"));
        for source in ["a() == b\n", "a < b\n", "a == b == c\n", "not'a'==b\n"] {
            assert_eq!(rewritten(source), None, "{source}");
        }
    }

    #[test]
    fn neighbouring_assignments_change_places_if_neither_needs_the_other() {
        let source = "def f(a):\n    b_ = a.c\n    d_ = []\n    e_ = d_\n    g_ = b_\n    return b_, d_, e_, g_\n";
        let text = rewritten(source).expect("it has locals");
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        assert_eq!(lines[1..5], ["d__value = []", "b__value = a.c", "g__value = b__value", "e__value = d__value"]);
        let ordered = "def f(a):\n    global x, y\n    x = 1\n    y = 2\n";
        assert_eq!(rewritten(ordered), None, "globals can be seen between the two");
        let needed = rewritten("def f(a):\n    b = a\n    c = b\n    print(b, c)\n").expect("it has locals");
        assert!(needed.find("b_value = a") < needed.find("c_value = b_value"), "{needed}");
        let raising = rewritten("def f(a):\n    b = a.x\n    c = a.y\n    print(b, c)\n").expect("it has locals");
        assert!(raising.find("a.x") < raising.find("a.y"), "both may raise: {raising}");
    }

    #[test]
    fn rewrites_parse_and_have_the_same_lines() {
        let sources = [include_str!("../../tests/equivalent.py")];
        for source in sources {
            let text = rewritten(source).expect("there is something to rewrite");
            assert!(SourceModel::parse(text.as_str()).is_ok(), "{text}");
            assert_eq!(text.lines().count(), source.lines().count());
        }
    }
}

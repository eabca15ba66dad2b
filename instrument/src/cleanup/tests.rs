use super::{Prepared, RepairKind, blank_statement, prepare};
use crate::LineIndex;
use ruff_python_parser::parse_module;
use std::path::Path;

/// Prepares, and checks what holds for every input.
fn prepared(source: &str) -> Prepared {
    let prepared = prepare(source);
    assert_eq!(LineIndex::new(source).count(), LineIndex::new(&prepared.text).count(), "{source}");
    assert!(parse_module(&prepared.text).is_ok(), "{source}\n->\n{}", prepared.text);
    assert_eq!(prepare(&prepared.text).text, prepared.text, "not stable");
    prepared
}

fn kinds(prepared: &Prepared) -> Vec<RepairKind> {
    let mut kinds: Vec<_> = prepared.repairs.iter().map(|repair| repair.kind).collect();
    kinds.dedup();
    kinds
}

fn text(source: &str) -> String {
    prepared(source).text
}

#[test]
fn what_parses_stays() {
    for source in
        ["", "\n\n", "x = 1\r\ny = 2", "\u{feff}x = 1\n", "print\nfoo(a, ...)\n", "x = '''\n>>> 1\n```\n'''\n"]
    {
        assert_eq!(prepare(source), Prepared { text: source.to_owned(), repairs: Vec::new() });
    }
}

#[test]
fn fences_leave_the_python_between() {
    let source = "Here's how:\n\n```python\nimport os\n```\n\nand then, in a shell,\n\n```sh\nls -l\n```\n";
    let prepared = prepared(source);
    assert_eq!(prepared.text, "\n\n\nimport os\n\n\n\n\n\n\n\n");
    assert_eq!(kinds(&prepared), [RepairKind::Fence]);
    assert_eq!((prepared.repairs[0].line, prepared.repairs[0].last_line), (1, 3));
    assert_eq!(text("x = 1\n```\n"), "x = 1\n\n");
    assert_eq!(text("```\nx = 1\n"), "\nx = 1\n");
}

#[test]
fn fences_in_strings_are_none() {
    let source = "def f():\n    \"\"\"\n    ```\n    f()\n    ```\n    \"\"\"\n    print 1\n";
    assert_eq!(text(source), source.replace("print 1", "print(1)"));
}

#[test]
fn sessions_lose_prompts_and_output() {
    let source = "    >>> for i in range(2):\n    ...     print(i)\n    ...\n    0\n    1\n    >>> i\n    1\n";
    let prepared = prepared(source);
    assert_eq!(prepared.text, "for i in range(2):\n    print(i)\n\n\n\ni\n\n");
    assert_eq!(kinds(&prepared), [RepairKind::Prompt]);
    // IDLE has no prompt for continued lines, and the definition above the session is no output.
    let source =
        "def f(x):\n    return x\n\n>>> def g():\n\treturn f(\n1)\n\n>>> g()\n1\n>>> f(1,\n      2)\nTrace back\n";
    let expected = "def f(x):\n    return x\n\ndef g():\n\treturn f(\n1)\n\ng()\n\nf(1,\n      2)\n\n";
    assert_eq!(text(source), expected);
}

#[test]
fn ipython_sessions() {
    let source =
        "In [1]: def f(x):\n   ...:     return x\n   ...: \n\nIn [12]: f(3)\nOut[12]: 3\n\nIn [13]: %timeit f(3)\n";
    let prepared = prepared(source);
    assert_eq!(prepared.text, "def f(x):\n    return x\n\n\nf(3)\n\n\n\n");
    assert_eq!(kinds(&prepared), [RepairKind::Prompt, RepairKind::Blanked]);
}

#[test]
fn indentation_is_removed() {
    assert_eq!(text("    x = 1\n\n    if x:\n        y = '''\n    a'''\n"), "x = 1\n\nif x:\n    y = '''\na'''\n");
    assert_eq!(text("\tx = 1\n\tif x:\n\t\ty\n"), "x = 1\nif x:\n\ty\n");
    let without_first = prepared("x = 1\n    y = 2\n    if x:\n        z = 3\n");
    assert_eq!(without_first.text, "x = 1\ny = 2\nif x:\n    z = 3\n");
    assert_eq!(kinds(&without_first), [RepairKind::Indentation]);
    assert_eq!(text("  x = 1\ny = 2\n"), "x = 1\ny = 2\n");
    assert_eq!(text("if x:\n\u{a0}\u{a0}y = '\u{a0}'\n"), "if x:\n  y = '\u{a0}'\n");
    assert_eq!(
        text("x = 1\n\n        y = 2\n        if y:\n            z\n\n    w = 3\n").lines().last(),
        Some("w = 3")
    );
    assert_eq!(text("if x:\n        y\n\tz\n"), "if x:\n        y\n        z\n");
}

#[test]
fn print_statements_become_calls() {
    for (old, new) in [
        ("print x", "print(x)"),
        ("print \"a\" % b, c  # why", "print(\"a\" % b, c)  # why"),
        ("print 1\nprint >>f, x, y", "print(1)\nprint(x, y, file=f)"),
        ("print 1; print >>sys.stderr, x,", "print(1); print(x, end=' ', file=sys.stderr)"),
        ("print x,", "print(x, end=' ')"),
        ("if x: print x\nelse: print 'no'", "if x: print(x)\nelse: print('no')"),
        ("print 'a', \\\n  'b'", "print('a', \\\n  'b')"),
        ("print 1\nprint\nprint (a), b\nprint(c)", "print(1)\nprint()\nprint((a), b)\nprint(c)"),
        ("print `x`, 1 <> 2", "print(repr(x), 1 != 2)"),
    ] {
        let prepared = prepared(old);
        assert_eq!(prepared.text, new);
        assert_eq!(kinds(&prepared), [RepairKind::PrintStatement]);
    }
}

#[test]
fn other_syntax_of_python_2() {
    for (old, new) in [
        ("exec \"x = 1\"", "exec(\"x = 1\")"),
        ("exec code in scope", "exec(code, scope)"),
        ("try: f()\nexcept E, e: pass", "try: f()\nexcept E as e: pass"),
        ("try:\n  f()\nexcept (A, B),e:\n  g()", "try:\n  f()\nexcept (A, B) as e:\n  g()"),
        ("raise E, \"msg\"", "raise E(\"msg\")"),
        ("raise E, (1, 2), tb", "raise E(1, 2).with_traceback(tb)"),
        ("raise E, None, tb", "raise E().with_traceback(tb)"),
        ("x = `y` + `z`", "x = repr(y) + repr(z)"),
        ("if a <> b: pass", "if a != b: pass"),
        ("os.chmod(p, 0755)", "os.chmod(p, 0o755)"),
        ("date(2011, 09, 01)", "date(2011, 9, 0o1)"),
        ("x = ur'a' + UR\"b\"", "x = r'a' + R\"b\""),
        ("x = 10L + 0xFFl", "x = 10 + 0xFF"),
        ("open('C:\\Users\\x')", "open('C:\\\\Users\\\\x')"),
        ("sorted(d, key=lambda (k, v): v)", "sorted(d, key=lambda _: (lambda k, v: v)(*_))"),
    ] {
        let prepared = prepared(old);
        assert_eq!(prepared.text, new);
        assert_eq!(kinds(&prepared), [RepairKind::Python2], "{old}");
    }
}

#[test]
fn broken_statements_are_blanked() {
    let prepared = prepared("x = 1\ny = = 2\nif x:\n    a b\nz = 3; q r; w = 4\n");
    assert_eq!(prepared.text, "x = 1\n\nif x:\n    pass\nz = 3; pass; w = 4\n");
    let lines: Vec<_> = prepared.repairs.iter().map(|repair| (repair.line, repair.last_line, repair.kind)).collect();
    assert_eq!(lines, [2, 4, 5].map(|line| (line, line, RepairKind::Blanked)));
    assert_eq!(prepared.repairs[0].message, "Expected an expression");
    assert_eq!(text("f(1,\n  2\nx = g(3)\ny = 2\n"), "\n\nx = g(3)\ny = 2\n");
    assert_eq!(text("x = [1\n  not in y]\nz z\n"), "x = [1\n  not in y]\n\n");
    assert_eq!(text("x = \"\"\"open\ny = 2\n"), "\ny = 2\n");
    assert_eq!(text("def f():\n    a b\n    c d\nf()\n"), "def f():\n    pass\n    \nf()\n");
}

#[test]
fn broken_headers_keep_their_blocks() {
    for (broken, mended) in [
        ("if x y:\n    z\n", "if True:\n    z\n"),
        ("if x\n    z\n", "if x:\n    z\n"),
        ("while x = 3:\n    break\n", "for _ in [None]:\n    break\n"),
        ("def f(...):\n    return 1\n", "def f(*_, **__):\n    return 1\n"),
        ("class A(:\n    x = 1\n", "class A:\n    x = 1\n"),
        ("if (x > (3):\n    y\n", "if True:\n    y\n"),
        ("class 1A:\n    x = 1\n", "\n    \n"),
        ("try:\n    x\ny = 1\n", "if True:\n    x\ny = 1\n"),
        ("else:\n    x\n", "if True:\n    x\n"),
        ("def f():\nx = 1\n", "def f(): pass\nx = 1\n"),
        ("for example, like this:\nx = 1\n", "\nx = 1\n"),
        ("@wraps(y\nx = 1\n", "\nx = 1\n"),
        ("@wraps\nx = 1\n", "pass\nx = 1\n"),
    ] {
        assert_eq!(text(broken), mended, "{broken}");
    }
}

#[test]
fn prose_goes_and_code_stays() {
    let source =
        "You should try this, it's easy:\n\n    import os\n    print os.getcwd()\n\nThen you'll see (or not).\n";
    assert_eq!(text(source), "\n\nimport os\nprint(os.getcwd())\n\n\n");
}

#[test]
fn anything_ends() {
    for source in ["(", "\0", "\\", "\"\"\"", "'", "if", ":", "\r(\r\n(\n", "\u{feff})", "\t\\\n;", "f\"{", "@", "...)"]
    {
        prepared(source);
        prepared(&format!("x = 1\n  {source}\n y\n").repeat(60));
    }
    for deep in ["[", "f(", "-", "x.", "not ", "f\"{", "f'''{\n", "foo(a\n", "lambda a, b: ", "1 + "] {
        assert_eq!(text(&deep.repeat(20_000)).trim(), "", "{deep}");
    }
}

#[test]
fn many_errors_are_mended_within_few_parses() {
    let source = "def f(a b):\n    if a then b:\n        return x y\n    oh no\nprint 1\n".repeat(2_000);
    let text = text(&source);
    assert!(text.matches("def f(*_, **__):").count() == 2_000 && text.matches("print(1)").count() == 2_000);
}

#[test]
fn returns_outside_of_functions_exit() {
    let source =
        "if x:\n    return 1, 2\nfor i in y:\n    try:\n        return\n    finally:\n        return (\n  i)\n";
    let prepared = prepared(&format!("{source}def f():\n    return 1\nclass A:\n    return x\n"));
    let expected = source.replace("return 1, 2", "exit((1, 2))").replace("return\n", "exit()\n");
    let expected = expected.replace("return (\n  i)", "exit((\n  i))");
    assert_eq!(prepared.text, format!("{expected}def f():\n    return 1\nclass A:\n    exit(x)\n"));
    assert_eq!(kinds(&prepared), [RepairKind::TopLevelReturn]);
    assert_eq!(prepared.repairs.len(), 4);
}

#[test]
fn a_statement_that_the_compiler_rejects_is_blanked() {
    let blanked = |source: &str, line| blank_statement(source, line, "no").map(|(text, _)| text);
    assert_eq!(blanked("x = 1\nif x:\n    break\n", 3).as_deref(), Some("x = 1\nif x:\n    pass\n"));
    assert_eq!(blanked("nonlocal x\ny = 1\n", 1).as_deref(), Some("\ny = 1\n"));
    assert_eq!(blanked("@d\ndef f(a,\n      a): pass\ny\n", 2).as_deref(), Some("\n\n\ny\n"));
    assert_eq!(blanked("if x: break; y\n", 1).as_deref(), Some("if x: pass; y\n"));
    assert_eq!(blanked("f(1,\n  2); y\n", 1).as_deref(), Some("pass\\\n; y\n"));
    assert_eq!(blanked("if x:\n    y;\n", 1).as_deref(), Some("\n\n"));
    assert_eq!(blanked("if x: pass\n", 1).as_deref(), Some("\n"));
    assert_eq!(blanked("x = 1\n", 2), None);
    assert_eq!(blanked("x = 1\n", 0), None);
    assert_eq!(blanked("x y\n", 1), None);
    let (mut text, mut rounds) = ("for x in y:\n    if x:\n        break; z\n".to_owned(), 0);
    while let Some((next, repair)) = blank_statement(&text, 3, "no") {
        assert_eq!((repair.kind, repair.message.as_str()), (RepairKind::Blanked, "no"));
        (text, rounds) = (next, rounds + 1);
    }
    assert!(rounds > 0 && rounds < 6, "{rounds}\n{text}");
}

#[test]
fn kinds_are_spelled_in_kebab_case() {
    let prepared = prepared("print 1\n");
    let json = serde_json::to_string(&prepared.repairs[0]).expect("repairs have string keys");
    assert_eq!(
        json,
        r#"{"line":1,"last_line":1,"kind":"print-statement","message":"`print` statement turned into a call"}"#
    );
}

/// All published records come out whole; they are not in the repository.
#[test]
fn data_sets_need_no_blanking() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/datasets");
    for (name, most_blanked) in [("so_snippets", 0), ("so_snippets_extra", 0), ("functions", 0)] {
        let Ok(records) = std::fs::read_to_string(folder.join(name).with_extension("jsonl")) else { continue };
        let (mut count, mut blanked, mut changed) = (0, 0, 0);
        for line in records.lines() {
            let record: serde_json::Value = serde_json::from_str(line).expect("records are JSON");
            let Some(code) = record["code"].as_str() else { continue };
            let prepared = prepared(code);
            count += 1;
            // Numbered prompts are code for the parser, and are removed all the same.
            let is_session = code.trim_start().starts_with("In [");
            changed += usize::from(prepared.text != code && !is_session);
            blanked += usize::from(prepared.repairs.iter().any(|repair| repair.kind == RepairKind::Blanked));
        }
        #[expect(clippy::print_stdout, reason = "the count is what one runs this test for")]
        {
            println!("{name}: {count} records, {changed} changed, {blanked} with blanked statements");
        }
        assert!(blanked <= most_blanked && changed == blanked, "{name}: {blanked} of {count}");
    }
}

/// Lone carriage returns end lines, in broken text too.
#[test]
fn lone_returns_keep_the_number_of_lines() {
    let deep = "(".repeat(201);
    let pieces = [deep.as_str(), "x = = 1", "f'{", "print x", "\n", "\r", "\r\n", "    y"];
    let count = |text: &str| LineIndex::new(text).count();
    for code in 0..pieces.len().pow(4) {
        let picks = (0..4).map(|place| pieces[code / pieces.len().pow(place) % pieces.len()]);
        let source: String = picks.collect::<String>() + "\r";
        assert_eq!(count(&prepare(&source).text), count(&source), "{source:?}");
    }
}

//! `surmise run --script`: the file that it writes executes the same lines under plain Python, and the report names
//! what it cannot reproduce.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::traced::PYTHON;
use crate::support::{Ended, Folder, ended, packages, surmise, tests_folder};
use serde_json::Value;

/// A snippet, its report and its script.
struct Scripted {
    folder: Folder,
    snippet: Vec<u8>,
    ended: Ended,
}

#[track_caller]
fn scripted(snippet: &[u8], arguments: &[&str]) -> Scripted {
    let folder = Folder::new().and("snippet.py", snippet);
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive"]).args(arguments);
    if !arguments.contains(&"--script") {
        command.args(["--script", "out.py"]);
    }
    command.arg("snippet.py");
    command.current_dir(folder.root()).env("PYTHONPATH", packages());
    let ended = ended(&mut command);
    Scripted { folder, snippet: snippet.to_vec(), ended }
}

impl Scripted {
    fn path(&self) -> PathBuf {
        self.folder.path("out.py")
    }

    #[track_caller]
    fn report(&self) -> Value {
        self.ended.report()
    }

    #[track_caller]
    fn script(&self) -> Vec<u8> {
        std::fs::read(self.path()).unwrap_or_else(|error| panic!("{error}: {}", self.ended))
    }

    /// Offset at which the prefix was inserted, after a check that the snippet around it is unchanged.
    #[track_caller]
    fn split(&self) -> usize {
        let script = self.script();
        let added = script.len() - self.snippet.len();
        let around = |at: usize| script[..at] == self.snippet[..at] && script[at + added..] == self.snippet[at..];
        let at = (0..=self.snippet.len())
            .rev()
            .find(|&at| around(at) && script[at..].trim_ascii_start().starts_with(b"# Written"));
        at.unwrap_or_else(|| panic!("the snippet was changed: {}", String::from_utf8_lossy(&script)))
    }

    /// Lines of the snippet that count for coverage and run under plain Python.
    #[track_caller]
    fn plain_lines(&self) -> BTreeSet<u64> {
        let tool = tests_folder().join("../scripts/executed_lines.py");
        let ended = ended(Command::new(PYTHON).arg(tool).arg(self.path()));
        let lines: Vec<u64> = serde_json::from_slice(&ended.stdout).unwrap_or_else(|_| panic!("{ended}"));
        let breaks = |bytes: &[u8]| bytes.split(|&byte| byte == b'\n').count() as u64 - 1;
        let (script, at) = (self.script(), self.split());
        let (above, added) = (breaks(&script[..at]), breaks(&script) - breaks(&self.snippet));
        let lines = lines.into_iter().filter(|line| *line <= above || *line > above + added);
        let own: BTreeSet<u64> = lines.map(|line| if line <= above { line } else { line - added }).collect();
        let report = self.report();
        own.intersection(&(&set(&report, "covered_lines") | &set(&report, "missed_lines"))).copied().collect()
    }

    #[track_caller]
    fn missing(&self) -> String {
        let report = self.report();
        assert_eq!(report["script"]["complete"], false, "{report}");
        let missing = report["script"]["missing"].to_string();
        for what in report["script"]["missing"].as_array().expect("a list") {
            let what = what.as_str().expect("text");
            assert!(self.ended.stderr().contains(what), "not reported on standard error: {what}");
            assert!(
                String::from_utf8_lossy(&self.script()).contains(&format!("# - {what}")),
                "not in the file: {what}"
            );
        }
        missing
    }
}

fn set(report: &Value, key: &str) -> BTreeSet<u64> {
    report["lines"][key].as_array().expect("a list").iter().filter_map(Value::as_u64).collect()
}

/// Checks that the script is complete, and that plain Python runs the same lines as the best run.
#[track_caller]
fn same(snippet: &[u8]) -> String {
    let scripted = scripted(snippet, &["--runs", "1"]);
    let report = scripted.report();
    assert_eq!(report["script"]["complete"], true, "{report}");
    let script = String::from_utf8_lossy(&scripted.script()).into_owned();
    assert_eq!(scripted.plain_lines(), set(&report, "covered_lines"), "{script}\n{report}");
    script
}

/// Snippets whose scripts run the same lines under plain Python.
const SAME: [&[u8]; 14] = [
    // Chains of attributes and calls are followed.
    b"total = shop.orders(open=True).first().total\nif total > limit.value:\n    shop.close()\nelse:\n    shop.open()\n",
    // Loops over stand ins take the same turns.
    b"n = 0\nwhile queue.more():\n    n += 1\n    if n > 2:\n        print('many')\nfor a, b in rows:\n    if a == b:\n        continue\n    print(a[0], b['x'], len(a) - 1)\nelse:\n    print(n)\nfirst, *rest = rows\n",
    // Context managers are entered.
    b"with lock as held, pool.get() as worker:\n    if held in worker.locks:\n        worker.run(held)\n    print(f'{held:>10} {held + 1}')\n",
    // Names that real modules lack are set.
    b"from collections import OrderedBag, OrderedDict\nbag = OrderedBag()\nif bag.empty:\n    print(OrderedDict())\n",
    // Relative imports find their package.
    b"from . import settings\nfrom ..core import run\nif run(settings.debug):\n    print(1)\n",
    // Line ends and encoding stay.
    b"# -*- coding: latin-1 -*-\r\nword = '\xe9'\r\nif caf\xe9 != word:\r\n    print(word)\r\n",
    b"\xef\xbb\xbfif ready:\r\n    print('\xc3\xa9')",
    // Missing exceptions are caught.
    b"import requests\ntry:\n    raise requests.Timeout('late')\nexcept requests.Timeout as error:\n    print(error)\nexcept ValueError:\n    print(2)\ntry:\n    int('x')\nexcept (requests.Other, ValueError):\n    print(3)\n",
    // Expected failures happen.
    b"try:\n    import not_there_at_all as json2\nexcept ImportError:\n    json2 = None\ntry:\n    text = unicode\nexcept NameError:\n    text = str\nprint(json2, text)\n",
    // Missing bases become classes.
    b"class View(Base, metaclass=type):\n    name = 'view'\n\n    def get(self):\n        if self.request.user:\n            return self.render()\n        return None\n\n\nprint(View(1, a=2).get())\n\n\nclass Failure(lib.Error):\n    pass\n\n\ntry:\n    raise Failure(1)\nexcept lib.Error:\n    print('caught')\n",
    // Missing decorators keep the function.
    b"@app.route('/')\n@login\ndef index():\n    return 'ok'\n\n\n@register\nclass Plugin:\n    pass\n\n\nprint(index() + 'x', Plugin().__class__)\n",
    // Coroutines await stand ins.
    b"import asyncio\n\n\nasync def main():\n    async with session.get(1) as answer:\n        text = await answer.text()\n    async for row in rows:\n        print(row)\n    return text\n\n\nprint(asyncio.run(main()))\n",
    // Input is answered where it ends.
    b"n = int(input('n? '))\nwith open('/does/not/exist') as file:\n    for line in file:\n        print(line)\nprint(n)\n",
    // Names of helpers are free.
    b"class StandIn:\n    pass\n\n\nanswer = rows[0]\nmodule = _rows = answer.x\nif isinstance(answer, StandIn):\n    print(1)\nelse:\n    print(_rows)\n",
];

#[test]
fn scripts_run_the_same_lines() {
    for snippet in SAME {
        same(snippet);
    }
}

#[test]
fn names_are_defined() {
    let script = same(b"if ready:\n    print(limit)\nelse:\n    print(0)\n");
    assert!(script.contains("ready = StandIn('ready', {'bool': [True]})\n"), "{script}");
    assert!(!script.contains("__iter__"), "a helper that is not needed: {script}");
}

#[test]
fn what_comes_from_outside_is_there() {
    same(b"import sys\nfor line in sys.stdin:\n    a, b = line.split()\n    print(int(a) + int(b))\n");
    same(b"import os, sys\nprint(int(sys.argv[1]), os.environ['HOME_PAGE'].upper())\n");
    same(b"import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('path')\nargs = parser.parse_args()\n\
        with open(args.path) as file:\n    print(len(file.read().splitlines()))\n");
}

#[test]
fn missing_modules_are_there() {
    let script = same(b"import warehouse.stock as stock\nimport warehouse.orders\nfrom warehouse import connect\nif connect(stock.name):\n    print(warehouse.orders.all())\n");
    assert!(script.contains("module('warehouse.orders', all="), "{script}");
}

#[test]
fn docstring_and_future_imports_stay_first() {
    let script = same(b"#!/usr/bin/env python3\n\"\"\"About.\"\"\"\nfrom __future__ import annotations\n\nx: Missing = value\nprint(__doc__.upper())\nif x:\n    print(1)\n");
    assert!(
        script.starts_with("#!/usr/bin/env python3\n\"\"\"About.\"\"\"\nfrom __future__ import annotations\n"),
        "{script}"
    );
}

#[test]
fn the_best_run_of_a_search_is_written() {
    let scripted = scripted(b"if level == 7:\n    print(1)\n    print(2)\n    print(3)\nelse:\n    print(4)\n", &[]);
    let report = scripted.report();
    assert_eq!(report["script"]["complete"], true, "{report}");
    let best =
        report["best_run"]["covered_lines"].as_array().expect("a list").iter().filter_map(Value::as_u64).collect();
    assert_eq!(scripted.plain_lines(), best);
    assert!(best.contains(&4), "the longer branch: {best:?}");
}

#[test]
fn what_passes_for_an_instance_does_so_in_a_script() {
    let snippet =
        b"import ast\nif isinstance(node, ast.Name):\n    if isinstance(node, ast.Call):\n        print(1)\n    \
                    print(node.id, isinstance(other, int))\nelse:\n    print(2)\n";
    let scripted = scripted(snippet, &[]);
    let report = scripted.report();
    assert_eq!(report["script"]["complete"], true, "{report}");
    assert_eq!(report["best_run"]["covered_lines"], serde_json::json!([1, 2, 3, 5]), "{report}");
    assert_eq!(scripted.plain_lines(), BTreeSet::from([1, 2, 3, 5]), "{report}");
}

#[test]
fn what_cannot_be_expressed_is_told() {
    let local =
        scripted(b"def f(flag):\n    if flag:\n        x = 1\n    return x\n\n\nprint(f(False))\n", &["--runs", "1"]);
    assert!(local.missing().contains("line 4: `x` is a local variable"), "{}", local.missing());
    let blanked = scripted(b"x = rows\nprint(x\ny = = 2\nprint(y)\n", &["--runs", "1"]);
    assert!(blanked.missing().contains("line "), "{}", blanked.missing());
    assert!(blanked.script().ends_with(b"x = rows\nprint(x\ny = = 2\nprint(y)\n"), "the snippet stays as it is");
    let endless = scripted(b"while True:\n    print(rows)\n", &["--runs", "1", "--timeout", "0.5"]);
    assert!(endless.missing().contains("did not come to its end"), "{}", endless.missing());
}

/// Checks for an error with a hint, exit code 2, and that no file was written.
#[track_caller]
fn refused(ended: &Ended, message: &str, hint: &str, path: &Path) {
    assert_eq!(ended.code(), 2, "{ended}");
    let lines: Vec<String> = ended.stderr().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{ended}");
    assert!(lines[0].starts_with("error: ") && lines[0].contains(message), "{ended}");
    assert!(lines[1].starts_with("hint: ") && lines[1].contains(hint), "{ended}");
    assert!(ended.stdout.is_empty() && !path.is_file(), "{ended}");
}

/// The second is what is found where it is installed for another Python: the parser, which is native, is missing.
#[test]
fn without_libcst_nothing_is_written() {
    no_libcst("raise ImportError('not here')\n");
    no_libcst("def parse_module(source):\n    from libcst import native\n");
}

#[track_caller]
fn no_libcst(package: &str) {
    let folder = Folder::of(&[("snippet.py", "print(x)\n"), ("libcst/__init__.py", package)]);
    let mut command = surmise();
    command.args(["run", "--script", "out.py", "snippet.py"]).current_dir(folder.root());
    let ended = ended(command.env("PYTHONPATH", folder.root()));
    refused(&ended, "`libcst`", "-m pip install libcst`, or name the folder", &folder.path("out.py"));
}

#[test]
fn a_path_that_cannot_be_written_is_named() {
    for path in ["no/such/folder/out.py", "."] {
        let scripted = scripted(b"print(x)\n", &["--script", path]);
        refused(&scripted.ended, &format!("cannot write `{path}`"), "give the path of a file", &scripted.path());
    }
}

#[test]
fn arguments_and_variables_that_were_chosen_are_written() {
    let script = same(
        b"import os, sys\nsource, target = sys.argv[1:]\nif '-v' in sys.argv:\n    print('verbose')\n\
            if os.environ.get('LEVEL') == 'high':\n    print(copy(source, target))\n",
    );
    assert!(script.contains("-v") && script.contains("LEVEL"), "{script}");
}

#[test]
fn imports_that_were_left_out_are_written() {
    let script =
        same(b"words = re.split(' ', 'a b')\ncounts = Counter(words)\nprint(urllib.parse.quote(words[0]), counts)\n");
    assert!(script.contains("\nimport re\n") && script.contains("\nfrom collections import Counter\n"), "{script}");
    assert!(script.contains("\nimport urllib.parse\n") && !script.contains("StandIn"), "{script}");
}

#[test]
fn names_of_compatibility_modules_are_there() {
    let script = same(
        b"import six\nfrom six.moves import http_client\nfrom .compat import text_type, iteritems\n\n\nclass \
          A(six.with_metaclass(type, Exception)):\n    pass\n\n\nfor key, value in iteritems({1: 2}):\n    print(text_type(key), \
          isinstance(A(), six.string_types), http_client.OK, six.moves.urllib.parse.quote('a b'))\n",
    );
    assert!(script.contains("string_types=(_str,)") || script.contains("string_types=(str,)"), "{script}");
    same(b"import six\nfrom package.utils import six as other\nprint(six.moves.range(2), other.text_type(3))\n");
}

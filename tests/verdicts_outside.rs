//! What reports say of errors of what comes from outside: files, tables, standard input, arguments, the environment, modules.

use crate::support::verdicts::{blames, errors, has, missed};
use crate::support::{Folder, Stdin, ended_with, naive_report as report, surmise};
use serde_json::{Value, json};

#[test]
fn what_answers_in_place_of_a_file_is_a_file() {
    has("import json\nwith open(path) as f:\n    print(json.loads(f))\n", "TypeError", 3, &["certain", "conditional"]);
    has(
        "import subprocess\nout = subprocess.check_output(['/nowhere/x'])\nprint(out.split('\\n'))\n",
        "TypeError",
        3,
        &["certain", "conditional"],
    );
    has("f = open(path)\nf.readtext()\n", "AttributeError", 2, &["certain", "conditional"]);
    assert_eq!(missed("for line in open(path):\n    a, b = line.split(',')\n    print(int(b))\n", &[]), json!([]));
}

#[test]
fn arguments_and_variables_of_the_environment_are_given() {
    let parser = "import argparse\np = argparse.ArgumentParser()\np.add_argument('file')\n\
        p.add_argument('--fast', action='store_true')\np.add_argument('--size', type=int, required=True)\n\
        a = p.parse_args()\nif a.fast:\n    print(a.file)\nprint(a.size + 1)\n";
    assert_eq!(missed(parser, &[]), json!([]));
    let command = "import argparse\np = argparse.ArgumentParser()\ns = p.add_subparsers(dest='cmd', required=True)\n\
        add = s.add_parser('add')\nadd.add_argument('n', type=int)\na = p.parse_args()\nprint(a.cmd, a.n)\n";
    assert_eq!(missed(command, &["--runs", "1"]), json!([]));
    let guarded =
        "import sys\ntry:\n    job = start(sys.argv[1])\n    print('started')\nexcept Exception:\n    print('no')\n";
    assert_eq!(missed(guarded, &[]), json!([]));
    let environment = "import os\nprint(os.environ['TOKEN'], os.environ.get('OTHER'))\n";
    assert_eq!(report(environment, &["--runs", "1"])["stdout"], "1 None\n");
    let both = "import os\nos.environ['A'] = 'b'\nprint(os.environb[b'A'], 'C' in os.environ, missing)\n";
    assert_eq!(report(both, &["--runs", "1"])["stdout"], "b'b' False <missing>\n");
    let typed = "age = int(input())\nif age > 64:\n    print('old')\nelif age == 17:\n    print('nearly')\n";
    assert_eq!(missed(typed, &[]), json!([]));
}

#[test]
fn types_of_what_the_machine_gives_are_known() {
    let own: [(&str, &str, u64); 12] = [
        ("import sys\nn = sys.argv[1]\nprint(n + 1)\n", "TypeError", 3),
        ("import os\nport = os.environ['PORT']\nprint(port + 1)\n", "TypeError", 3),
        ("n = input()\nfor i in range(n):\n    print(i)\n", "TypeError", 2),
        ("import urllib.request as r\npage = r.urlopen(url).read()\nprint(page.split('\\n'))\n", "TypeError", 3),
        ("import socket\ns = socket.socket()\ns.connect((host, port))\nprint('got ' + s.recv(10))\n", "TypeError", 4),
        (
            "import subprocess\np = subprocess.Popen(words, stdout=subprocess.PIPE)\nout, _ = p.communicate()\n\
             print('out: ' + out)\n",
            "TypeError",
            4,
        ),
        ("from pathlib import Path\ntext = Path('gone.txt').read_text()\nprint(text + 1)\n", "TypeError", 3),
        ("with open(name) as f:\n    rows = f.readlines()\nprint(sum(rows))\n", "TypeError", 3),
        ("import gzip\nwith gzip.open(p) as f:\n    for line in f:\n        line.split(',')\n", "TypeError", 4),
        ("f = open(name)\nf.write('x')\n", "UnsupportedOperation", 2),
        ("with open(name) as f:\n    pass\nprint(f.read())\n", "ValueError", 3),
        ("import pickle\nwith open(name) as f:\n    data = pickle.load(f)\n", "TypeError", 3),
    ];
    for (snippet, kind, line) in own {
        has(snippet, kind, line, &["certain", "conditional"]);
    }
}

/// A library whose own requirement is not installed is as good as missing; that is no error of the snippet.
#[test]
fn a_library_that_lacks_its_requirements_is_missing() {
    let folder = Folder::of(&[
        ("library/__init__.py", ""),
        ("library/forms.py", "import requirement_that_nobody_has\nclass Form: pass\n"),
        ("m.py", "from library.forms import Form\nform = Form()\nprint(form.fields)\n"),
    ]);
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive", "m.py"]).current_dir(folder.root());
    let report = ended_with(&mut command, Stdin::Empty).report();
    assert_eq!((&report["errors"], &report["lines"]["missed_lines"]), (&json!([]), &json!([])), "{report}");
}

#[test]
fn arguments_and_answers_follow_what_they_are_compared_with() {
    let snippets = [
        "import sys\nif len(sys.argv) != 3:\n    print('usage')\n    sys.exit(2)\nif sys.argv[1] == 'all':\n    print(1)\n",
        "import argparse\np = argparse.ArgumentParser()\np.add_argument('mode', choices=['fast', 'slow', 'off'])\n\
         a = p.parse_args()\nif a.mode == 'fast':\n    print(1)\nelif a.mode == 'off':\n    print(2)\nelse:\n    print(3)\n",
        "import argparse\np = argparse.ArgumentParser()\ns = p.add_subparsers(dest='command', required=True)\n\
         s.add_parser('add').add_argument('name')\ns.add_parser('drop')\na = p.parse_args()\n\
         if a.command == 'add':\n    print(a.name)\nelif a.command == 'drop':\n    print(2)\n",
        "import os\nif os.environ['MODE'] == 'debug':\n    print(1)\nelse:\n    print(2)\n",
        "secret = 42\nguess = int(input())\nif guess < secret:\n    print(1)\nelif guess > secret:\n    print(2)\n\
         else:\n    print(3)\n",
        "n = int(input())\nwhile n != 1:\n    if n % 2 == 0:\n        n //= 2\n    else:\n        n = 3 * n + 1\n",
        "word = input()\nif len(word) < 8:\n    print(1)\nelif word.isdigit():\n    print(2)\nelse:\n    print(3)\n",
        "prices = {'tea': 2}\nitem = input()\nif item in prices:\n    print(prices[item])\nelse:\n    print(2)\n",
        "a, b = input().split()\nif int(a) + int(b) > 100:\n    print(1)\nelse:\n    print(2)\n",
    ];
    for snippet in snippets {
        assert_eq!(missed(snippet, &[]), json!([]), "{snippet}");
    }
}

#[test]
fn what_is_read_is_a_text_and_never_used_up() {
    has("price = input('Price: ')\nprint(f'{price:.2f}')\n", "ValueError", 2, &["certain"]);
    let asks = "n = 0\nwhile True:\n    answer = input().strip()\n    if answer == 'q':\n        break\n    \
                try:\n        n += float(answer)\n    except ValueError:\n        print('no')\nprint(n)\n";
    assert!(!blames(asks));
}

#[test]
fn a_file_refuses_what_it_was_not_opened_for() {
    let wrong = "with open('notes.txt', 'w') as f:\n    f.write(heading)\n    f.seek(0)\n    print(f.read())\n";
    has(wrong, "UnsupportedOperation", 4, &["certain", "conditional"]);
    assert!(!blames("packet = b'\\x02' + payload + b'\\x03'\nport.write(packet)\n"));
}

#[test]
fn what_the_standard_library_says_of_stand_ins_is_a_guess_at_most() {
    let rows = "import csv\nrows = load(path)\nfor row in csv.reader([rows]):\n    print(row[0])\n";
    let errors = errors(rows);
    assert!(!errors.is_empty() && errors.iter().all(|(_, _, verdict)| verdict == "guess"), "{errors:?}");
}

#[test]
fn tables_have_the_columns_that_are_read() {
    let by_name = "import csv\nwith open('sales.csv') as handle:\n    for row in csv.DictReader(handle):\n        \
        if row['region'] == 'EU':\n            print(int(row['amount']), row.get('name'))\n        else:\n            print(0)\n";
    let unpacked = "import csv\nreader = csv.reader(open('x.csv'), delimiter=';')\nheader = next(reader)\n\
        for row in reader:\n    name, age, city = row\n    print(name.upper(), int(age))\n";
    let by_place = "import csv\ndef prices(file):\n    return {row[0]: float(row[3]) for row in csv.reader(file)}\n\
        print(prices(upload))\n";
    for snippet in [by_name, unpacked, by_place] {
        assert_eq!((errors(snippet), missed(snippet, &[])), (vec![], json!([])), "{snippet}");
    }
    // What comes out of a table is a text.
    has(&by_name.replace("int(row['amount'])", "1 + row['amount']"), "TypeError", 5, &["certain"]);
    // The width of a table that is not there is nothing that the code could be wrong about.
    let mixed =
        "import csv\nfor row in csv.reader(open('x.csv')):\n    cells = dict(zip('abc', row))\n    print(cells['z'])\n";
    has(mixed, "KeyError", 4, &["guess"]);
}

#[test]
fn settings_that_are_not_there_are_not_the_codes_error() {
    let read =
        "import configparser\nconfig = configparser.ConfigParser()\nconfig.read('settings.ini')\nprint(config['db'])\n";
    has(read, "KeyError", 4, &["guess"]);
    has(&read.replace("read(", "read_string('[a]') # "), "KeyError", 4, &["certain"]);
}

/// The report on a snippet under an input.
#[track_caller]
fn with_input(snippet: &str, input: &[u8]) -> Value {
    let folder = Folder::new().and("snippet.py", snippet.as_bytes());
    let mut command = surmise();
    command.args(["run", "--json", "--predictor", "naive", "snippet.py"]).current_dir(folder.root());
    ended_with(&mut command, Stdin::Pipe(input)).report()
}

#[test]
fn standard_input_that_nobody_gave_is_made_up() {
    let snippets = [
        "import sys\nfor line in sys.stdin:\n    a, b = line.split()\n    print(int(a) + int(b))\n",
        "import sys\ninput = sys.stdin.readline\nn = int(input())\nfor value in map(int, input().split()):\n    print(value + n)\n",
        "from sys import stdin\nn = int(input())\ndata = stdin.read().split()\nfor value in data:\n    print(int(value) * n)\n",
        "import fileinput\nfor line in fileinput.input():\n    print(float(line))\n",
    ];
    for snippet in snippets {
        let report = with_input(snippet, b"");
        assert_eq!((&report["errors"], &report["lines"]["missed_lines"]), (&json!([]), &json!([])), "{snippet}");
    }
    let given = with_input(snippets[0], b"3 4\n");
    assert_eq!((&given["stdout"], &given["injections"]), (&json!("7\n"), &json!([])));
    // What is read is a text, as always.
    let report = with_input("import sys\nn = sys.stdin.readline()\nprint(n + 1)\n", b"");
    assert_eq!(report["errors"][0]["type"], "TypeError", "{report}");
}

#[test]
fn what_is_taken_apart_has_the_parts_that_the_code_wants() {
    let snippet = "import os, sys\nhost, port = os.environ['ADDRESS'].split(':')\na, b, c = sys.argv[1].split(',')\nprint(host, int(port), int(a))\n";
    assert_eq!((errors(snippet), missed(snippet, &[])), (vec![], json!([])));
}

#[test]
fn modules_that_code_does_without_are_there_for_who_needs_them() {
    let optional = "try:\n    import wide_characters\nexcept ImportError:\n    wide_characters = None\n\
        def width(text):\n    return wide_characters.width(text)\n\
        def size(text):\n    return width(text) if wide_characters is not None else len(text)\n";
    let errors = errors(optional);
    assert!(errors.iter().all(|(_, _, verdict)| verdict != "certain"), "{errors:?}");
    has("table = None\ndef width(text):\n    return table.width(text)\n", "AttributeError", 3, &["certain"]);
}

#[test]
fn tables_of_a_database_that_is_not_there_are_made_up() {
    let rows = "import sqlite3\nconnection = sqlite3.connect('shop.db')\n\
        for name, price in connection.execute('SELECT name, price FROM products'):\n    print(name, price)\n";
    assert_eq!((errors(rows), missed(rows, &[])), (vec![], json!([])));
    for fetched in ["cursor.fetchone()[0]", "cursor.fetchall()[0]", "cursor.fetchone().price"] {
        let first = format!(
            "import sqlite3\ncursor = sqlite3.connect('shop.db').cursor()\ncursor.execute('SELECT price FROM products')\nprint({fetched})\n"
        );
        let errors = errors(&first);
        assert!(errors.iter().all(|(_, _, verdict)| verdict == "guess"), "{errors:?}");
    }
    let own = "import sqlite3\nconnection = sqlite3.connect(':memory:')\nconnection.execute('CREATE TABLE products (name)')\n\
        connection.execute('SELECT name FROM product')\n";
    has(own, "OperationalError", 4, &["certain"]);
}

#[test]
fn what_this_machine_has_is_not_certain() {
    for snippet in [
        "import glob\nnewest = max(glob.glob('logs/*.log'))\nprint(newest)\n",
        "from pathlib import Path\nfiles = list(Path('nowhere').rglob('*.toml'))\nprint(files[0].name)\n",
        "import os\ncounts = {}\nfor folder, _, files in os.walk('nowhere'):\n    counts[folder] = len(files)\nprint(max(counts.values()))\n",
        "import os\nhome = os.environ.get('APP_HOME')\nprint(home.strip('/'))\n",
    ] {
        let errors = errors(snippet);
        assert!(errors.iter().all(|(_, _, verdict)| verdict == "conditional") && !errors.is_empty(), "{errors:?}");
    }
    has("import glob\nfiles = glob.glob('*.log')\nprint(files.length)\n", "AttributeError", 3, &["certain"]);
}

#[test]
fn what_follows_an_import_that_may_fail_is_not_certain() {
    let errors = errors("try:\n    import nothing_of_this_name\n    1 / 0\nexcept ImportError:\n    pass\n");
    assert!(errors.iter().all(|(_, _, verdict)| verdict != "certain"), "{errors:?}");
    has("import nothing_of_this_name\n1 / 0\n", "ZeroDivisionError", 2, &["certain"]);
}

#[test]
fn code_in_a_made_up_text_is_not_what_anybody_wrote() {
    assert!(!blames("total = eval(text.replace('x', '+'))\nprint(total)\n"));
    assert!(!blames("with open(path) as f:\n    exec(f.read())\n"));
    assert!(!blames(
        "from importlib import import_module\nfor name in names:\n    print(import_module(name.lower()))\n"
    ));
    has("start(job)\nexec('x = = 3')\n", "SyntaxError", 2, &["certain"]);
}

#[test]
fn what_is_unpacked_may_fail_for_its_parts() {
    let endless =
        "rows = []\nfor _ in range(n):\n    a, b = map(int, line.split())\n    rows.append(a)\nwhile rows:\n    pass\n";
    assert!(errors(endless).iter().all(|(_, _, verdict)| verdict != "certain"));
    has("show(rows)\nx, y = map(int, 'a b'.split())\n", "ValueError", 2, &["certain"]);
}

#[test]
fn tracebacks_have_no_frames_of_the_runtime() {
    let files = "print([f.filename for f in traceback.extract_tb(sys.exc_info()[2])])";
    let fails = [
        ("conf.load(path)", "ConfigError"),
        ("print(rows['k'])", "KeyError"),
        ("print(unknown)", "NameError"),
        ("for row in source:\n        print(row)", "ValueError"),
        ("import nowhere", "ImportError"),
        ("print(job.state)", "AttributeError"),
    ];
    for (code, error) in fails {
        let code = format!("import sys, traceback\ntry:\n    {code}\nexcept {error}:\n    {files}\n");
        let found = report(&code, &[]);
        let stdout = found["stdout"].as_str().expect("a text");
        let line = stdout.lines().find(|line| line.starts_with('[')).unwrap_or_else(|| panic!("{code}: {found:#}"));
        assert!(!line.contains(','), "{code}: {line}");
    }
}

//! Preloaded modules, which the zygote imports before runs need them: programs find them as if newly imported.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;

use crate::support::{Folder, ended, json_lines, surmise};

/// Number of copies of a program that one zygote runs, the first ones before its modules are preloaded.
const COPIES: usize = 5;

/// Output of all programs in each round, in which every program runs once.
#[track_caller]
fn copies(programs: &[String]) -> Vec<Vec<(String, String)>> {
    let mut records = String::new();
    for copy in 0..COPIES {
        for (number, code) in programs.iter().enumerate() {
            let _infallible = writeln!(records, "{}", json!({ "id": format!("{copy} {number}"), "code": code }));
        }
    }
    let folder = Folder::new().and("programs.jsonl", records);
    let mut command = surmise();
    command
        .args(["cover", "--runs", "1", "--predictor", "naive", "--jobs", "1", "--json", "--jsonl"])
        .arg(folder.path("programs.jsonl"));
    let ended = ended(&mut command);
    let reports = json_lines(&ended);
    let outputs: BTreeMap<String, (String, String)> = reports
        .iter()
        .filter_map(|report| {
            let text = |key: &str| report[key].as_str().unwrap_or_default().to_owned();
            Some((report["file"].as_str()?.to_owned(), (text("stdout"), text("stderr"))))
        })
        .collect();
    (0..COPIES)
        .map(|copy| (0..programs.len()).map(|number| outputs[&format!("{copy} {number}")].clone()).collect())
        .collect()
}

#[test]
fn every_module_is_as_if_it_had_been_imported_just_then() {
    let modules = "abc argparse array ast asyncio base64 bisect bz2 calendar cmd collections.abc concurrent.futures \
        configparser contextlib copy csv ctypes dataclasses datetime decimal difflib dis email.mime.text enum fractions \
        ftplib functools getopt glob gzip hashlib heapq hmac html http.client http.server importlib.util inspect \
        ipaddress json logging.handlers math mimetypes multiprocessing numbers os.path pathlib pickle platform pprint queue \
        random re sched secrets select shelve shlex shutil signal smtplib socket socketserver sqlite3 ssl statistics string \
        struct subprocess tarfile tempfile textwrap threading time timeit tokenize traceback types typing unicodedata \
        unittest unittest.mock urllib.request uuid warnings weakref webbrowser xml.dom.minidom xml.etree.ElementTree \
        xmlrpc.client zipfile zlib";
    let program = |module: &str| {
        format!(
            "import sys\nbefore = set(sys.modules)\ntry:\n    import {module} as module\n    print(sorted(set(sys.modules) - \
             before), module.__spec__.name, module.__spec__.origin, type(module.__loader__), len(vars(module)), \
             sum(map(ord, ''.join(vars(module)))), '__name__' in vars(module))\n    parts = '{module}'.split('.')\n    \
             for name in sorted(sys.modules):\n        package, _, last = name.rpartition('.')\n        if package:\n            \
             print(name, hasattr(sys.modules.get(package), last))\nexcept ImportError as error:\n    print(error)\n"
        )
    };
    let programs: Vec<String> = modules.split_whitespace().map(program).collect();
    let outputs = copies(&programs);
    for (number, module) in modules.split_whitespace().enumerate() {
        // Not the first round: when it is over, the zygote preloads what all runs need.
        let (before, after) = (&outputs[1][number], &outputs[COPIES - 1][number]);
        assert!(before.0.contains("True") || before.0.contains("No module"), "{module}: {before:?}");
        assert_eq!(before, after, "{module}");
    }
}

#[test]
fn programs_see_nothing_of_it_but_their_speed() {
    let programs = [
        // Handlers run in the order in which they are registered.
        "import atexit\natexit.register(print, 'mine')\nimport logging\nlog = logging.getLogger('a')\nclass H(logging.Handler):\n    \
         def flush(self): print('flushed')\nlog.addHandler(H())\n",
        // A module that is deleted from `sys.modules` and imported again is a new one.
        "import sys, json\nold = json\ndel sys.modules['json']\nimport json\nprint(old is json, json.dumps([1]), json.__spec__.name)\n",
        "import json, importlib\nprint(importlib.reload(json) is json, json.loads('[1]'))\n",
        // A package does not have submodules that nothing imported.
        "import xml, urllib, concurrent, email\nprint(hasattr(xml, 'dom'), hasattr(urllib, 'request'), \
         hasattr(concurrent, 'futures'), hasattr(email, 'mime'))\n",
        "import importlib.util\nspec = importlib.util.find_spec('sqlite3')\nprint(spec.origin[-19:], spec.submodule_search_locations is None)\n\
         import sys\nprint('sqlite3' in sys.modules)\n",
        // The first entry of the path wins.
        "import sys, os\nos.mkdir('own')\nopen('own/json.py', 'w').write('me = 1')\nsys.path.insert(0, 'own')\nimport json\nprint(json.me)\n",
        "import threading, asyncio, subprocess\nasync def f(): return threading.current_thread() is threading.main_thread()\n\
         print(asyncio.run(f()), threading.active_count())\n",
        "import pickle, collections, decimal, datetime\nx = [decimal.Decimal('1.5'), datetime.date(2000, 1, 1), collections.Counter('a')]\n\
         print(pickle.loads(pickle.dumps(x)) == x)\n",
        "def f(a):\n    return a.b\nimport sys\nprint(sorted(name for name in sys.modules if name in ('inspect', 'ast', 'dis')))\n",
    ];
    let programs: Vec<String> = programs.iter().map(|&program| program.to_owned()).collect();
    let outputs = copies(&programs);
    for (number, program) in programs.iter().enumerate() {
        assert_eq!(outputs[1][number], outputs[COPIES - 1][number], "{program}");
        assert!(!outputs[1][number].0.is_empty(), "{program}: {:?}", outputs[1][number]);
    }
}

#[test]
fn each_run_has_the_same_random_numbers() {
    let program =
        "import random, uuid, sys\nprint(random.random(), uuid.uuid4())\nprint('random' in sys.meta_path[0].modules)\n";
    let outputs = copies(&[program.to_owned()]);
    let outputs: Vec<Vec<&str>> = outputs.iter().map(|copy| copy[0].0.lines().collect()).collect();
    let mut numbers: Vec<&str> = outputs.iter().map(|lines| lines[0]).collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 1, "{outputs:?}");
    assert_eq!((outputs[0][1], outputs[COPIES - 1][1]), ("False", "True"), "it was preloaded before the last");
}

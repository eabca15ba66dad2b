//! Runs of one program are forked from one process: none finds anything of another, and what they import is imported
//! once, unless that would show.

use std::path::Path;
use std::time::Duration;

use surmise::client::Zygote;
use surmise::execute::{self, Execution, Outcome};
use surmise::plan::{Plan, PredictorChoice, Settings, Trial};
use surmise::source::Source;
use surmise::stdin::Input;
use surmise::zygote::sandbox::Sandbox;

/// Runs of each program.
const RUNS: usize = 4;

/// Runs a source with modules of its own beside it.
#[track_caller]
fn runs_with(source: &str, modules: &[(&str, &str)]) -> Vec<Execution> {
    let (folder, path) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir_in("/var/tmp").expect("a folder"));
    for (name, text) in modules {
        std::fs::write(path.path().join(name), text).expect("a file");
    }
    std::fs::write(folder.path().join("kept.txt"), "kept").expect("a file");
    let sandbox = Sandbox {
        folders: vec![folder.path().to_owned()],
        readable: vec![path.path().to_owned()],
        ..Sandbox::default()
    };
    let mut zygote = Zygote::start_from(env!("CARGO_BIN_EXE_surmise").into(), &sandbox).expect("it starts");
    zygote.wait_until_ready().expect("it comes up");
    let settings = Settings {
        predictor: PredictorChoice::Naive,
        python_path: vec![path.path().to_owned()],
        timeout: Duration::from_secs(20),
        ..Settings::default()
    };
    let source = Source { name: "snippet.py".to_owned(), path: Some(script(folder.path())), text: source.to_owned() };
    let plan = Plan::new(source, &settings).expect("it parses");
    let mut input = Input::open(None).expect("nothing to open");
    let mut run = || execute::once(&mut zygote, &plan, &settings, &mut input, &Trial::default(), settings.timeout);
    (0..RUNS).map(|_| run().expect("the zygote serves")).collect()
}

fn script(folder: &Path) -> std::path::PathBuf {
    folder.join("snippet.py")
}

#[track_caller]
fn outputs(source: &str, modules: &[(&str, &str)]) -> Vec<String> {
    let runs = runs_with(source, modules);
    for run in &runs {
        assert_eq!(run.outcome, Outcome::Completed, "{:?} {}", run.error, run.stderr);
    }
    runs.into_iter().map(|run| run.stdout).collect()
}

/// Number of different outputs.
fn different(outputs: &[String]) -> usize {
    outputs.iter().collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn nothing_is_left_of_the_run_before() {
    let look = "import os\nprint([sorted(os.listdir(p)) for p in ('/tmp', '/dev/shm', '.')], os.stat('/tmp').st_mode, \
        os.listxattr('/tmp'), sum(n.isdigit() for n in os.listdir('/proc')), \
        open('kept.txt').read())\n";
    for leave in [
        "",
        "open('/tmp/a', 'w').write('x' * 10000)\n",
        "os.makedirs('/tmp/a/b/c')\nopen('/tmp/a/b/f', 'w')\nos.chmod('/tmp/a/b', 0)\n",
        "os.chmod('/tmp', 0o700)\nopen('/dev/shm/a', 'w').write('b')\n",
        "open('kept.txt', 'w').write('changed')\nopen('new.txt', 'w')\n",
        "os.remove('kept.txt')\n",
        "for n in range(3000):\n    open(f'/tmp/{n}', 'w')\n",
        "import subprocess\nsubprocess.Popen(['sleep', '100'], start_new_session=True)\n",
        "for _ in range(3):\n    if os.fork() == 0:\n        os.setsid()\n        import time\n        time.sleep(100)\n        os._exit(0)\n",
    ] {
        let outputs = outputs(&format!("{look}{leave}"), &[]);
        assert_eq!(different(&outputs), 1, "{leave}: {outputs:?}");
        assert!(outputs[0].ends_with(" 1 kept\n"), "{leave}: {outputs:?}");
    }
}

#[test]
fn a_run_that_attacks_its_template_harms_only_its_own_report() {
    let source = "import os, signal\nprint('begun', flush=True)\nfor number in (9, 19, 15, 11):\n    try:\n        os.kill(os.getppid(), number)\n    \
        except OSError as error:\n        print(type(error).__name__)\ntry:\n    open(f'/proc/{os.getppid()}/mem', 'r+b')\nexcept OSError as error:\n    print(error.errno)\n";
    for run in runs_with(source, &[]) {
        assert!(run.stdout.starts_with("begun\n"), "{:?} {:?} {}", run.outcome, run.error, run.stderr);
        assert!(matches!(run.outcome, Outcome::Completed | Outcome::Killed | Outcome::Timeout), "{:?}", run.outcome);
    }
}

#[test]
fn a_module_is_imported_once_for_all_runs() {
    let module = "import os\nTOKEN = os.getpid()\n";
    let source = "import sys\nprint('once' in sys.modules, 'json' in sys.modules)\nimport once\nprint(once.TOKEN, once.__spec__.name, \
        type(once.__loader__).__name__, 'json' in sys.modules)\n";
    let outputs = outputs(source, &[("once.py", module)]);
    assert_eq!(different(&outputs), 1, "{outputs:?}");
    assert!(
        outputs[0].starts_with("False False\n") && outputs[0].ends_with(" once SourceFileLoader False\n"),
        "{outputs:?}"
    );
}

#[test]
fn what_an_import_registers_is_each_runs_own() {
    let module = "import atexit, os, warnings\nTOKEN = os.getpid()\natexit.register(print, 'left')\n\
        warnings.filterwarnings('ignore', message='mine')\n";
    let source = "import quiet\nimport sys\nimport_of = sys.modules['warnings']\nprint(quiet.TOKEN)\nimport_of.warn('mine')\n\
        import_of.warn('other')\n";
    let runs = runs_with(source, &[("quiet.py", module)]);
    let outputs: Vec<String> = runs.iter().map(|run| run.stdout.clone()).collect();
    assert_eq!(different(&outputs), 1, "{outputs:?}");
    for run in &runs {
        assert!(run.stdout.ends_with("\nleft\n"), "{}", run.stdout);
        assert!(
            run.stderr.contains("UserWarning: other") && !run.stderr.contains("mine')\n  UserWarning"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains("UserWarning: mine"), "{}", run.stderr);
    }
}

#[test]
fn what_would_show_is_imported_by_each_run() {
    let token = "import os\nTOKEN = os.getpid()\n";
    for does in [
        "print('hello')\n",
        "import sys\nsys.stderr.write('hello')\n",
        "import warnings\nwarnings.warn('hello')\n",
        "import threading, time\nthreading.Thread(target=time.sleep, args=(0.2,)).start()\n",
        "os.environ['A'] = 'b'\n",
        "os.chdir('/')\n",
        "open('/tmp/a', 'w').write('b')\n",
        "OPEN = open(__file__)\n",
        "import sys\nGIVEN = sys.stdin.read()\n",
        "import sys\nsys.path.append('/nowhere')\n",
        "import signal\nsignal.signal(signal.SIGUSR1, print)\n",
        "import builtins\nbuiltins.extra = 1\n",
        "import subprocess\nCHILD = subprocess.Popen(['sleep', '0.2'])\n",
    ] {
        let module = format!("{token}{does}");
        let outputs = outputs("import shows\nprint(shows.TOKEN)\n", &[("shows.py", &module)]);
        assert_eq!(different(&outputs), RUNS, "{does}: {outputs:?}");
        assert_eq!(outputs[0].starts_with("hello"), does.starts_with("print"), "{does}: {outputs:?}");
    }
}

#[test]
fn an_import_that_fails_does_so_in_each_run() {
    let module = "import sys\nsys.stdout.write('begun ')\nraise ValueError('bad')\n";
    let source = "try:\n    import fails\nexcept ValueError as error:\n    print(error)\ntry:\n    import fails\nexcept ValueError as error:\n    print(error)\n";
    let outputs = outputs(source, &[("fails.py", module)]);
    assert!(outputs.iter().all(|output| output == "begun bad\nbegun bad\n"), "{outputs:?}");
}

#[test]
fn a_module_that_ends_the_process_ends_each_run() {
    let runs = runs_with(
        "try:\n    import leaves\nexcept SystemExit:\n    print('left')\n",
        &[("leaves.py", "raise SystemExit\n")],
    );
    assert!(runs.iter().all(|run| run.stdout == "left\n"), "{:?}", runs[0]);
    let leaves = "import os\nos._exit(3)\n";
    let runs = runs_with("print('begun', flush=True)\nimport leaves\n", &[("leaves.py", leaves)]);
    assert!(runs.iter().all(|run| (run.exit_code, run.stdout.as_str()) == (3, "begun\n")), "{:?}", runs[0]);
}

#[test]
fn what_compiling_says_is_said_in_each_run() {
    let runs = runs_with("print(1 is 1)\n", &[]);
    assert!(runs.iter().all(|run| run.stderr.matches("SyntaxWarning").count() == 1), "{}", runs[0].stderr);
}

//! Snippets that crash, never end, flood, or attack what runs them: each command still ends soon, with a report
//! that says what happened, or one clear error.

use std::path::Path;

use crate::support::{Ended, Stdin, run, surmise};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What `surmise run --json --timeout 3` makes of a snippet, in a folder of its own.
struct Attempt {
    ended: Ended,
    report: Value,
    _folder: TempDir,
}

impl Attempt {
    #[track_caller]
    fn new(snippet: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("snippet.py"), snippet).expect("a file in it");
        let ended = run_in(folder.path(), &["--json", "--timeout", "3"]);
        let report = ended.report().unwrap_or_else(|error| panic!("{error}"));
        Self { ended, report, _folder: folder }
    }

    /// Outcome, the program's exit code and the command's are as they should be.
    #[track_caller]
    fn ends(&self, outcome: &str, exit_code: i32, exit: i32) -> &Self {
        let found = (&self.report["outcome"], &self.report["exit_code"], self.ended.code());
        assert_eq!(found, (&json!(outcome), &json!(exit_code), exit), "{}", self.ended);
        self
    }

    /// One of several outcomes, with the exit code that belongs to it.
    #[track_caller]
    fn ends_somehow(&self) -> &Self {
        let exit = match self.report["outcome"].as_str() {
            Some("completed") => 0,
            Some("error") => 1,
            Some("timeout" | "killed") => 3,
            outcome => panic!("outcome {outcome:?}"),
        };
        assert_eq!(self.ended.code(), exit, "{}", self.ended);
        self
    }

    #[track_caller]
    fn covers(&self, covered: &[u32], missed: &[u32]) -> &Self {
        let lines = &self.report["lines"];
        assert_eq!(lines["covered_lines"], json!(covered), "{}", self.ended);
        assert_eq!(lines["missed_lines"], json!(missed), "{}", self.ended);
        self
    }
}

#[track_caller]
fn run_in(folder: &Path, arguments: &[&str]) -> Ended {
    let mut command = surmise();
    command.arg("run").args(arguments).arg("snippet.py").current_dir(folder);
    run(&mut command, Stdin::Empty).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn exit_keeps_its_code_and_is_no_failure() {
    Attempt::new("import sys\nsys.exit(3)\nx = 1\n").ends("completed", 3, 0).covers(&[1, 2], &[3]);
}

#[test]
fn os_exit_keeps_code_coverage_and_injections() {
    let attempt = Attempt::new("import os\nx = missing\nos._exit(7)\ny = 1\n");
    attempt.ends("completed", 7, 0).covers(&[1, 2, 3], &[4]);
    assert_eq!(attempt.report["injections"][0]["name"], "missing", "{}", attempt.ended);
}

#[test]
fn a_crash_is_reported_with_its_coverage() {
    let attempt = Attempt::new("import ctypes\nx = missing\nctypes.string_at(0)\ny = 1\n");
    attempt.ends("killed", 128 + 11, 3).covers(&[1, 2, 3], &[4]);
    assert_eq!(attempt.report["error"]["message"], "ended by SIGSEGV");
}

#[test]
fn what_never_ends_is_stopped_with_its_coverage() {
    let attempt = Attempt::new("print('on', flush=True)\na = 1\nwhile a:\n    pass\nb = 1\n");
    attempt.ends("timeout", 128 + 9, 3).covers(&[1, 2, 3, 4], &[5]);
    assert_eq!(attempt.report["stdout"], "on\n");
}

#[test]
fn ignoring_all_signals_does_not_help() {
    let snippet = "\
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
";
    Attempt::new(snippet).ends("timeout", 128 + 9, 3);
}

#[test]
fn a_stopped_process_is_a_timeout() {
    let attempt = Attempt::new("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nx = 1\n");
    attempt.ends("timeout", 128 + 9, 3).covers(&[1, 2], &[3]);
}

#[test]
fn a_thread_that_never_ends_is_a_timeout() {
    let snippet = "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\nx = 1\n";
    Attempt::new(snippet).ends("timeout", 128 + 9, 3).covers(&[1, 2, 3], &[]);
}

#[test]
fn a_gigabyte_of_output_makes_a_small_report() {
    let snippet = "chunk = 'x' * (1 << 20)\nfor _ in range(1024):\n    print(chunk)\n";
    let attempt = Attempt::new(snippet);
    let outcome = attempt.report["outcome"].as_str().unwrap_or_default();
    assert!(["completed", "timeout"].contains(&outcome), "outcome {outcome}");
    assert!(attempt.ended.stdout.len() < 2 << 20, "a report of {} bytes", attempt.ended.stdout.len());
    let stdout = attempt.report["stdout"].as_str().unwrap_or_default();
    assert!(stdout.trim_end().ends_with("more bytes]"), "the cut is not told");
}

#[test]
fn endless_errors_make_a_small_report() {
    let snippet = "import sys\nwhile True:\n    sys.stderr.write('e' * 100_000)\n    missing.call(unknown)\n";
    let attempt = Attempt::new(snippet);
    attempt.ends("timeout", 128 + 9, 3);
    assert!(attempt.ended.stdout.len() < 2 << 20, "a report of {} bytes", attempt.ended.stdout.len());
}

#[test]
fn many_injections_are_told_once_each() {
    let attempt = Attempt::new("for number in range(20_000):\n    missing.call(number).more\n");
    attempt.ends("completed", 0, 0);
    assert!(attempt.ended.stdout.len() < 1 << 20, "a report of {} bytes", attempt.ended.stdout.len());
}

#[test]
fn too_much_memory_is_an_ordinary_error() {
    let attempt = Attempt::new("x = 1\ny = bytearray(20 << 30)\nz = 1\n");
    attempt.ends("error", 1, 1).covers(&[1, 2], &[3]);
    assert_eq!(attempt.report["error"]["type"], "MemoryError");
}

#[test]
fn deep_recursion_works() {
    let snippet = "\
import sys
sys.setrecursionlimit(10**6)
def down(n):
    return 0 if n == 0 else 1 + down(n - 1)
print(down(50_000))
";
    let attempt = Attempt::new(snippet);
    attempt.ends("completed", 0, 0);
    assert_eq!(attempt.report["stdout"], "50000\n");
}

#[test]
fn deep_recursion_through_stand_ins_works() {
    let snippet = "\
import sys
sys.setrecursionlimit(10**6)
def down(n):
    missing.visit(n)
    return 0 if n == 0 else 1 + down(n - 1)
print(down(50_000))
";
    let attempt = Attempt::new(snippet);
    attempt.ends("completed", 0, 0);
    assert_eq!(attempt.report["stdout"], "50000\n");
}

#[test]
fn endless_recursion_is_an_ordinary_error() {
    let attempt = Attempt::new("def down(n):\n    return down(n + 1)\ndown(0)\n");
    attempt.ends("error", 1, 1);
    assert_eq!(attempt.report["error"]["type"], "RecursionError");
}

#[test]
fn closed_standard_output_is_no_failure() {
    let attempt = Attempt::new("import sys\nprint('on')\nsys.stdout.close()\nx = 1\n");
    attempt.ends("completed", 0, 0).covers(&[1, 2, 3, 4], &[]);
    assert_eq!(attempt.report["stdout"], "on\n");
}

#[test]
fn closing_every_descriptor_is_no_failure() {
    let attempt = Attempt::new("import os\nx = missing\nos.closerange(0, 1000)\ny = 1\n");
    assert_eq!(attempt.report["outcome"], "completed", "{}", attempt.ended);
    attempt.ends_somehow().covers(&[1, 2, 3, 4], &[]);
}

#[test]
fn garbage_in_every_descriptor_does_no_harm() {
    let snippet = "\
import os
for fd in range(3, 256):
    try:
        os.write(fd, b'\\xff' * 100)
    except OSError:
        pass
x = 1
";
    let attempt = Attempt::new(snippet);
    assert_eq!(attempt.report["outcome"], "completed", "{}", attempt.ended);
    attempt.ends_somehow().covers(&[1, 2, 3, 4, 5, 6, 7], &[]);
}

#[test]
fn cutting_every_descriptor_does_no_harm() {
    let snippet = "\
import os
for fd in range(3, 256):
    try:
        os.ftruncate(fd, 0)
    except OSError:
        pass
x = 1
";
    Attempt::new(snippet).ends("completed", 0, 0);
}

/// Writes a well-formed event to every descriptor, then goes on with `after`.
fn forging(event: &Value, after: &str) -> String {
    format!(
        "\
import os
body = {event:?}.encode()
for fd in range(3, 256):
    try:
        os.write(fd, len(body).to_bytes(4, 'little') + body)
    except OSError:
        pass
{after}
",
        event = event.to_string(),
    )
}

#[test]
fn a_forged_end_does_not_hide_the_error() {
    let end = json!({"event": "end", "status": "completed", "exit_code": 42});
    let attempt = Attempt::new(&forging(&end, "raise ValueError('real')"));
    attempt.ends("error", 1, 1);
    assert_eq!(attempt.report["error"]["message"], "real", "{}", attempt.ended);
}

#[test]
fn a_forged_end_does_not_hide_a_crash() {
    let end = json!({"event": "end", "status": "completed", "exit_code": 0});
    Attempt::new(&forging(&end, "os.abort()")).ends("killed", 128 + 6, 3);
}

#[test]
fn a_forged_failure_of_ours_is_not_believed() {
    let end = json!({"event": "end", "status": "internal", "message": "forged"});
    Attempt::new(&forging(&end, "x = 1")).ends("completed", 0, 0);
}

#[test]
fn children_left_behind_do_not_hold_the_command_up() {
    let snippet = "\
import os, time
for _ in range(20):
    if os.fork() == 0:
        os.setsid()
        time.sleep(1000)
        os._exit(0)
print('parent')
";
    let attempt = Attempt::new(snippet);
    attempt.ends("completed", 0, 0);
    assert_eq!(attempt.report["stdout"], "parent\n");
    assert!(attempt.ended.wall.as_secs() < 20, "took {:?}", attempt.ended.wall);
}

#[test]
fn killing_the_parent_harms_nobody_else() {
    for target in ["os.getppid()", "0", "-1", "1"] {
        let attempt = Attempt::new(&format!("import os\nos.kill({target}, 9)\nx = 1\n"));
        attempt.ends_somehow();
    }
}

/// Folders below `/tmp` and elsewhere are kept safe in different ways.
#[test]
fn files_are_written_for_the_run_only_unless_plain() {
    for place in [std::env::temp_dir(), env!("CARGO_TARGET_TMPDIR").into()] {
        let folder = tempfile::tempdir_in(&place).expect("a temporary folder");
        let here = |name: &str| folder.path().join(name);
        let snippet = "\
import os
with open('made.txt', 'w') as made:
    made.write('made')
with open('kept.txt', 'a') as kept:
    kept.write(' and changed')
os.mkdir('folder')
os.remove('removed.txt')
print(open('made.txt').read(), open('kept.txt').read(), sorted(os.listdir()))
";
        std::fs::write(here("snippet.py"), snippet).expect("a file");
        std::fs::write(here("kept.txt"), "kept").expect("a file");
        std::fs::write(here("removed.txt"), "").expect("a file");
        let list = || {
            let mut names: Vec<_> = std::fs::read_dir(folder.path())
                .expect("the folder is there")
                .map(|entry| entry.expect("a readable entry").file_name().into_string().expect("an ASCII name"))
                .collect();
            names.sort();
            names
        };
        let printed = "made kept and changed ['folder', 'kept.txt', 'made.txt', 'snippet.py']\n";

        let ended = run_in(folder.path(), &["--json"]);
        let report = ended.report().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(report["stdout"], printed, "in {}: {ended}", place.display());
        assert_eq!(list(), ["kept.txt", "removed.txt", "snippet.py"], "in {}", place.display());
        assert_eq!(std::fs::read_to_string(here("kept.txt")).ok().as_deref(), Some("kept"));

        let ended = run_in(folder.path(), &["--plain"]);
        assert_eq!((ended.code(), ended.stdout().as_str()), (0, printed), "{ended}");
        assert_eq!(list(), ["folder", "kept.txt", "made.txt", "snippet.py"]);
        assert_eq!(std::fs::read_to_string(here("kept.txt")).ok().as_deref(), Some("kept and changed"));
    }
}

#[test]
fn other_files_cannot_be_changed() {
    let outside = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary folder");
    let target = outside.path().join("target.txt");
    std::fs::write(&target, "safe").expect("a file");
    let path = target.display();
    let attempt = Attempt::new(&format!("import os\nopen('{path}', 'w').write('x')\nos.remove('{path}')\n"));
    attempt.ends_somehow();
    assert_eq!(std::fs::read_to_string(&target).ok().as_deref(), Some("safe"));
}

#[test]
fn the_network_is_out_of_reach() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port of our own");
    listener.set_nonblocking(true).expect("a plain socket");
    let port = listener.local_addr().expect("it is bound").port();
    let attempt = Attempt::new(&format!("import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)\n"));
    attempt.ends_somehow();
    assert!(listener.accept().is_err(), "the snippet reached the machine's network");
}

//! Options of the sandbox, `surmise doctor`, and machines that refuse part of the sandbox.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::support::{Stdin, ended, ended_with, surmise, tests_folder};
use serde_json::{Value, json};
use surmise::zygote::sandbox::Step;
use tempfile::TempDir;

/// A folder with a snippet, outside `/tmp`, of which runs see nothing but their own files.
fn folder_with(snippet: &str) -> TempDir {
    let folder = tempfile::tempdir_in("/var/tmp").expect("a temporary folder");
    std::fs::write(folder.path().join("snippet.py"), snippet).expect("a file in it");
    folder
}

fn run_in(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = surmise();
    command.arg("run").args(arguments).arg("snippet.py").current_dir(folder);
    command
}

#[track_caller]
fn report(command: &mut Command) -> Value {
    ended(command).report()
}

/// Runs a command as on a machine without user namespaces: inside one that allows no nested ones.
fn without_namespaces(command: &mut Command) -> &mut Command {
    let refuse = || {
        // SAFETY: system calls with constant arguments.
        unsafe {
            if libc::unshare(libc::CLONE_NEWUSER) < 0 {
                return Err(std::io::Error::last_os_error());
            }
            let file = libc::open(c"/proc/sys/user/max_user_namespaces".as_ptr(), libc::O_WRONLY);
            let written = libc::write(file, c"0".as_ptr().cast(), 1);
            libc::close(file);
            if written == 1 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
        }
    };
    // SAFETY: between fork and exec only system calls are made.
    unsafe { command.pre_exec(refuse) }
}

#[test]
fn the_doctor_tries_every_step() {
    let healthy = ended(surmise().arg("doctor"));
    let text = healthy.stdout();
    assert_eq!(healthy.code(), 0, "{healthy}");
    let required = Step::ALL.into_iter().filter(|step| step.is_required());
    for step in required {
        assert!(text.contains(&format!("✓ {}\n", step.what())), "{healthy}");
    }
    assert!(text.ends_with("`--sandbox=strict` works on this machine\n"), "{healthy}");
    let healthy: Value = serde_json::from_slice(&ended(surmise().args(["doctor", "--json"])).stdout).expect("JSON");
    assert_eq!((&healthy["schema"], &healthy["strict"]), (&json!("surmise.doctor/1"), &json!(true)));
    assert_eq!(healthy["steps"].as_array().map(Vec::len), Some(Step::ALL.len()));
}

#[test]
fn the_doctor_says_what_a_machine_refuses() {
    let ill = ended(without_namespaces(surmise().arg("doctor")));
    assert_eq!(ill.code(), 4, "{ill}");
    let text = ill.stdout();
    assert!(text.contains("✗ user namespace: ") && text.contains("  hint: allow user namespaces"), "{ill}");
    assert!(text.contains("✗ root with read-only files: not tried without the mount namespace"), "{ill}");
    assert!(text.ends_with("`--sandbox=strict` does not work on this machine\n"), "{ill}");
}

#[test]
fn strict_stops_where_a_step_is_refused() {
    let folder = folder_with("print(1)\n");
    let stopped = ended(without_namespaces(&mut run_in(folder.path(), &[])));
    assert_eq!((stopped.code(), stopped.stdout().as_str()), (4, ""), "{stopped}");
    let lines: Vec<String> = stopped.stderr().lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 2, "{stopped}");
    assert!(lines[0].starts_with("error: the sandbox cannot be set up: user namespace: "), "{stopped}");
    assert!(lines[1].starts_with("hint: allow user namespaces"), "{stopped}");
}

/// The steps that the kernel allows still hold: here Landlock and the limits.
#[test]
fn best_effort_goes_on_and_says_what_is_missing() {
    let outside = tempfile::tempdir_in("/var/tmp").expect("a temporary folder");
    let target = outside.path().join("target.txt");
    std::fs::write(&target, "safe").expect("a file");
    let folder = folder_with(&format!("open({:?}, 'w').write('x')\n", target.display().to_string()));
    let arguments = ["--sandbox=best-effort", "--json", "--predictor=none", "--no-inject=io"];
    let went_on = ended(without_namespaces(&mut run_in(folder.path(), &arguments)));
    let report = went_on.report();
    assert_eq!((went_on.code(), &report["error"]["type"]), (1, &json!("PermissionError")), "{went_on}");
    assert!(
        went_on.stderr().contains("warning: this machine refuses part of the sandbox: user namespace"),
        "{went_on}"
    );
    assert_eq!(std::fs::read_to_string(&target).ok().as_deref(), Some("safe"));
}

#[test]
fn off_says_so_and_keeps_nothing_away() {
    let folder = folder_with("open('made.txt', 'w').write('made')\n");
    let off = ended(&mut run_in(folder.path(), &["--sandbox=off"]));
    assert_eq!(off.code(), 0, "{off}");
    assert!(off.stderr().contains("warning: the sandbox is off"), "{off}");
    assert_eq!(std::fs::read_to_string(folder.path().join("made.txt")).ok().as_deref(), Some("made"));
}

#[test]
fn children_do_not_outlive_a_run_without_a_sandbox() {
    let folder = folder_with("import os, time\nif os.fork() == 0:\n    time.sleep(1000)\n");
    let off = ended(&mut run_in(folder.path(), &["--sandbox=off"]));
    assert_eq!(off.code(), 0, "{off}");
}

/// Folders below `/tmp` and elsewhere are protected in different ways.
#[test]
fn files_are_written_for_the_run_only_unless_plain() {
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
    for place in [std::env::temp_dir(), "/var/tmp".into()] {
        let folder = tempfile::tempdir_in(&place).expect("a temporary folder");
        let here = |name: &str| folder.path().join(name);
        for (name, text) in [("snippet.py", snippet), ("kept.txt", "kept"), ("removed.txt", "")] {
            std::fs::write(here(name), text).expect("a file");
        }
        let list = || {
            let entries = std::fs::read_dir(folder.path()).expect("the folder is there").flatten();
            let mut names: Vec<_> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
            names.sort();
            names
        };
        let printed = "made kept and changed ['folder', 'kept.txt', 'made.txt', 'snippet.py']\n";
        assert_eq!(report(&mut run_in(folder.path(), &["--json"]))["stdout"], printed, "in {}", place.display());
        assert_eq!(list(), ["kept.txt", "removed.txt", "snippet.py"], "in {}", place.display());
        assert_eq!(std::fs::read_to_string(here("kept.txt")).ok().as_deref(), Some("kept"));

        let plain = ended(&mut run_in(folder.path(), &["--plain"]));
        assert_eq!((plain.code(), plain.stdout().as_str()), (0, printed), "{plain}");
        assert_eq!(list(), ["folder", "kept.txt", "made.txt", "snippet.py"]);
        assert_eq!(std::fs::read_to_string(here("kept.txt")).ok().as_deref(), Some("kept and changed"));
    }
}

/// If the script's folder is not the working folder, both are visible, and writes to both are discarded.
#[test]
fn a_script_finds_what_lies_beside_it() {
    let (folder, work) =
        (folder_with("import helper\nopen(__file__ + '.out', 'w').write('x')\nprint(helper.NAME)\n"), folder_with(""));
    std::fs::write(folder.path().join("helper.py"), "NAME = 'helper'\n").expect("a file");
    let script = folder.path().join("snippet.py");
    let report = report(surmise().args(["run", "--json", "--no-inject=io"]).arg(&script).current_dir(work.path()));
    assert_eq!((&report["stdout"], &report["outcome"]), (&json!("helper\n"), &json!("completed")), "{report}");
    assert!(!folder.path().join("snippet.py.out").exists());
}

#[test]
fn other_files_are_read_only_where_that_is_allowed() {
    for place in [std::env::temp_dir(), "/var/tmp".into()] {
        let outside = tempfile::tempdir_in(&place).expect("a temporary folder");
        let target = outside.path().join("target.txt");
        std::fs::write(&target, "text").expect("a file");
        let folder = folder_with(&format!("print(open({:?}).read())\n", target.display().to_string()));
        let plainly = ["--json", "--predictor=none", "--no-inject=io"];
        let hidden = report(&mut run_in(folder.path(), &plainly));
        assert_eq!(hidden["error"]["type"], "FileNotFoundError", "{hidden}");
        for allowed in [outside.path(), &target] {
            let shown = report(run_in(folder.path(), &plainly).arg("--allow-read").arg(allowed));
            assert_eq!(shown["stdout"], "text\n", "{} allowed: {shown}", allowed.display());
        }
    }
    let folder = folder_with("x = 1\n");
    let mistyped = ended(&mut run_in(folder.path(), &["--allow-read", "missing"]));
    assert_eq!((mistyped.code(), mistyped.stdout().as_str()), (2, ""), "{mistyped}");
    assert!(mistyped.stderr().starts_with("error: `missing` does not exist\nhint: "), "{mistyped}");
}

/// A home may contain keys, which a snippet must not read only because it runs there.
#[test]
fn a_home_is_shown_only_if_it_is_named() {
    let home = folder_with("print(open('key').read())\n");
    std::fs::write(home.path().join("key"), "secret").expect("a file");
    let plainly = ["--json", "--predictor=none", "--no-inject=io"];
    let hidden = report(run_in(home.path(), &plainly).env("HOME", home.path()));
    assert_eq!(hidden["error"]["type"], "FileNotFoundError", "{hidden}");
    let shown = report(run_in(home.path(), &plainly).env("HOME", home.path()).args(["--allow-read", "."]));
    assert_eq!(shown["stdout"], "secret\n", "{shown}");
}

#[test]
fn memory_and_output_have_the_limits_that_were_asked_for() {
    let folder = folder_with("x = bytearray(300_000_000)\nprint('a' * 5000)\n");
    let enough = report(&mut run_in(folder.path(), &["--json", "--memory=1G", "--max-output=1K"]));
    assert_eq!(enough["outcome"], "completed", "{enough}");
    assert_eq!(enough["stdout"], format!("{}\n[3977 more bytes]\n", "a".repeat(1024)));
    let little = report(&mut run_in(folder.path(), &["--json", "--memory=100M"]));
    assert_eq!(little["error"]["type"], "MemoryError", "{little}");
    for wrong in ["--memory=lots", "--memory=0", "--max-output=2G", "--sandbox=maybe"] {
        let ended = ended(&mut run_in(folder.path(), &[wrong]));
        assert_eq!((ended.code(), ended.stdout().as_str()), (2, ""), "{wrong}: {ended}");
    }
}

/// All runs of a snippet read the same input, so no run may change it for the next.
#[test]
fn standard_input_cannot_be_changed() {
    let snippet = "\
import os
for attack in [
    lambda: os.ftruncate(0, 0),
    lambda: os.write(0, b'forged'),
    lambda: open('/proc/self/fd/0', 'w'),
    lambda: os.posix_fallocate(0, 0, 1 << 20),
]:
    try:
        attack()
        print('done')
    except OSError:
        print('refused')
print(input())
";
    let folder = folder_with(snippet);
    let mut command = run_in(folder.path(), &["--json", "--predictor=none", "--no-inject=io"]);
    let ended = ended_with(&mut command, Stdin::Pipe(b"text\n"));
    let report = ended.report();
    assert_eq!(report["stdout"], "refused\nrefused\nrefused\nrefused\ntext\n", "{report}");
}

/// `docs/sandbox.md` lists the steps in the order in which the code takes them.
#[test]
fn the_page_has_every_step_in_order() {
    let page = tests_folder().join("../docs/sandbox.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let rows: Vec<&str> =
        text.lines().filter(|line| line.starts_with("| ") && line.as_bytes()[2].is_ascii_digit()).collect();
    assert_eq!(rows.len(), Step::ALL.len());
    for (number, (step, row)) in (1..).zip(Step::ALL.into_iter().zip(rows)) {
        assert!(row.starts_with(&format!("| {number} | {} |", step.what())), "step {number}: {row}");
        assert_eq!(row.contains("(strict goes on without)"), !step.is_required(), "step {number}: {row}");
    }
}

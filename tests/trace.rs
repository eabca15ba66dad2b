//! `surmise trace` on small programs: what is recorded however they run, and that they do not notice.

use crate::support::traced::{PYTHON, Project, files_below};
use crate::support::{ended, surmise};

/// Reads `number` once for each call of `double`.
const CORE: &str = "def double(number):\n    return number * 2\n";

fn project(main: &str) -> Project {
    Project::new(&[("pkg/__init__.py", ""), ("pkg/core.py", CORE), ("pkg/__main__.py", main)])
}

#[test]
fn a_module_run_by_name_is_recorded() {
    let project = project("from pkg import core\nname = 'é' + str(core.double(3))\nprint(name)\n");
    let ended = project.trace_like_plain(&["-m", "pkg"]);
    assert_eq!(ended.stderr(), "recorded 9 sites of 3 files (9 events, 1 process) in out\n");
    let rows = project.rows();
    let row = |place: usize| {
        let row = &rows[place];
        let at = row.place;
        let attribute = row.attribute.as_deref().unwrap_or("-");
        let place = format!("{}:{}:{}-{}:{}", row.file, at.line, at.column, at.end_line, at.end_column);
        format!("{place} {} {} {} {attribute} {:x}", row.kind.as_str(), row.name, row.role.as_str(), row.seen.classes)
    };
    let found: Vec<String> = (0..rows.len()).map(row).collect();
    let expected = [
        "pkg/__main__.py:2:14-2:17 variable str callee - 800000",
        "pkg/__main__.py:2:14-2:33 return value str - - 400",
        "pkg/__main__.py:2:18-2:22 variable core base double 2000000",
        "pkg/__main__.py:2:18-2:29 attribute double callee - 80000",
        "pkg/__main__.py:2:18-2:32 return value double - - 20",
        "pkg/__main__.py:3:0-3:5 variable print callee - 80000",
        "pkg/__main__.py:3:0-3:11 return value print stmt - 1",
        "pkg/__main__.py:3:6-3:10 variable name - - 400",
        "pkg/core.py:2:11-2:17 variable number - - 20",
    ];
    assert_eq!(found, expected);
    assert_eq!(rows[8].seen.counts.entries().len(), 1);
    let files: Vec<_> = project.files().iter().map(|file| (file.module.clone(), file.sites, file.hit)).collect();
    let expected = [("pkg", 0, 0), ("pkg.__main__", 8, 8), ("pkg.core", 1, 1)];
    assert_eq!(files, expected.map(|(module, sites, hit)| (module.to_owned(), sites, hit)));
    let summary = project.summary();
    assert_eq!(summary["command"], serde_json::json!([PYTHON, "-m", "pkg"]));
    assert_eq!((&summary["exit_code"], &summary["processes"]), (&0.into(), &1.into()));
    assert!(!project.path("out/spool").exists(), "the spool is gone");
}

#[test]
fn unit_tests_are_recorded_and_end_as_ever() {
    let project = project("");
    let test = "import unittest\nfrom pkg.core import double\n\nclass Doubles(unittest.TestCase):\n    \
                def test_it(self):\n        self.assertEqual(double(4), EXPECTED)\n";
    for (expected, code) in [("8", 0), ("9", 1)] {
        project.write("test_core.py", test.replace("EXPECTED", expected));
        let ended = project.trace_with(&["--replace"], &["-m", "unittest", "-q"]);
        assert_eq!(ended.code(), code, "{ended}");
        assert_eq!(project.reads("number"), 1);
        assert_eq!(project.summary()["exit_code"], code);
    }
}

#[test]
fn a_package_in_a_folder_of_sources_is_recorded() {
    let project = Project::new(&[("src/pkg/__init__.py", ""), ("src/pkg/sub/core.py", CORE)]);
    let mut command = project.command();
    command.args(["-o", "out", "--package", "pkg.sub", "--project", "mine", "--", PYTHON]);
    command.args(["-c", "import pkg.sub.core as core; core.double(1)"]).env("PYTHONPATH", "src");
    let ended = ended(&mut command);
    assert_eq!(ended.code(), 0, "{ended}");
    let row = &project.rows()[0];
    assert_eq!((&*row.project, &*row.file), ("mine", "pkg/sub/core.py"));
}

#[test]
fn children_of_every_kind_are_recorded() {
    let main = "\
import multiprocessing, os, subprocess, sys, threading
from pkg.core import double

if __name__ == '__main__':
    double(1)
    subprocess.run([sys.executable, '-c', 'from pkg.core import double; double(2); double(3)'], check=True)
    for method in 'fork', 'spawn':
        process = multiprocessing.get_context(method).Process(target=double, args=(4,))
        process.start()
        process.join()
    if os.fork() == 0:
        double(5)
        os._exit(0)
    os.wait()
    threads = [threading.Thread(target=double, args=(6,)) for _ in range(10)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    subprocess.run(['sh', '-c', sys.executable + ' -c \"import pkg.core; pkg.core.double(7)\"'], check=True)
";
    let project = project(main);
    let ended = project.trace(&["-m", "pkg"]);
    assert_eq!(ended.code(), 0, "{ended}");
    assert_eq!(project.reads("number"), 1 + 2 + 2 + 1 + 10 + 1);
    // The resource tracker of `spawn` is a process, too, but runs no code of the package.
    assert_eq!(project.summary()["processes"], 6, "{ended}");
    assert_eq!(project.summary()["damaged"], serde_json::json!([]));
}

#[test]
fn exit_codes_are_the_commands_own() {
    let project = project("import os, signal, sys\nexec(sys.argv[1])\n");
    for (code, program) in [
        (0, "sys.exit()"),
        (1, "raise ValueError('no')"),
        (42, "sys.exit(42)"),
        (7, "os._exit(7)"),
        (128 + 9, "os.kill(os.getpid(), signal.SIGKILL)"),
        (128 + 15, "os.kill(os.getpid(), signal.SIGTERM)"),
        (128 + 6, "os.abort()"),
    ] {
        let ended = project.trace_with(&["--replace"], &["-m", "pkg", program]);
        assert_eq!(ended.code(), code, "{program}: {ended}");
        assert_eq!(project.summary()["exit_code"], code, "{program}");
        // A killed process cannot write its last records.
        assert!(project.reads("sys") >= 1 || code > 128, "{program}");
    }
    let script = project.script("fails", "exit 3");
    assert_eq!(
        project.run(&["-o", "out", "--replace", "--package", "pkg", "--python", PYTHON, "--", &script]).code(),
        3
    );
}

#[test]
fn who_is_killed_leaves_what_came_before() {
    for signal in ["SIGKILL", "SIGTERM"] {
        let main = format!(
            "import os, signal\nfor item in range(100):\n    last = item\nos.kill(os.getpid(), signal.{signal})\n"
        );
        let project = project(&main);
        let ended = project.trace(&["-m", "pkg"]);
        assert!(ended.code() > 128, "{ended}");
        // 64 values were written when the 64th came; `item` is all but two of them.
        assert!(project.reads("item") >= 62, "{} reads of `item`", project.reads("item"));
    }
}

#[test]
fn files_that_cannot_be_recorded_are_left_out_and_named() {
    let main = "\
try:
    import pkg.bad
except SyntaxError:
    pass
import pkg.other
open(pkg.other.__file__, 'a').close()
import pkg.changed
open(pkg.changed.__file__, 'a').write('# more')
import pkg.core
";
    let project = project(main);
    project.write("pkg/bad.py", "def broken(:\n");
    project.write("pkg/changed.py", "x = 1\nprint(x)\n");
    project.write("pkg/other.py", b"# coding: cp437\nprint('\x81')\n");
    let ended = project.trace(&["-m", "pkg"]);
    assert_eq!(ended.code(), 0, "{ended}");
    let summary = project.summary();
    let left_out: Vec<(&str, &str)> = summary["files_left_out"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|file| (file["module"].as_str().unwrap_or_default(), file["reason"].as_str().unwrap_or_default()))
        .collect();
    let other = "it declares the encoding `cp437`, which Surmise does not know";
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    assert!(left_out[0].0 == "pkg.bad" && left_out[0].1.starts_with("line 1: "), "{left_out:?}");
    assert_eq!(left_out[1..], [("pkg.changed", "the file changed while it was recorded"), ("pkg.other", other)]);
    let warning = format!("warning: `{}` is not recorded: line 1: ", project.path("pkg/bad.py").display());
    assert!(ended.stderr().contains(&warning), "{ended}");
    assert_eq!(project.files().iter().filter(|file| file.left_out.is_some()).count(), 3);
    assert!(project.rows().iter().all(|row| !["pkg/changed.py", "pkg/other.py"].contains(&&*row.file)));
}

#[test]
fn excluded_files_are_not_recorded() {
    let project = project("from pkg.core import double\ndouble(1)\n");
    assert_eq!(project.trace_with(&["--exclude", "pkg/co*"], &["-m", "pkg"]).code(), 0);
    assert_eq!(project.files().iter().map(|file| file.module.as_str()).collect::<Vec<_>>(), ["pkg", "pkg.__main__"]);
}

#[test]
fn values_are_kept_unless_they_are_secret_or_not_wanted() {
    let main = "city = 'Delft'\npassword = 'plain-hidden'\nheader = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'\n\
                print(len(city), len(password), len(header))\n";
    let project = project(main);
    project.trace(&["-m", "pkg"]);
    let literals = project.literals();
    assert!(literals.contains("Delft") && literals.contains("5"), "{literals:?}");
    for file in files_below(&project.path("out")) {
        let bytes = std::fs::read(&file).expect("a readable file");
        for secret in ["plain-hidden", "ghp_16C7"] {
            let found = bytes.windows(secret.len()).any(|window| window == secret.as_bytes());
            assert!(!found, "{secret} in {}", file.display());
        }
    }
    project.trace_with(&["--no-literals", "--replace"], &["-m", "pkg"]);
    assert!(project.literals().is_empty());
    assert_eq!(project.summary()["literals"], false);
    assert_eq!(project.reads("city"), 1);
}

#[test]
fn nothing_is_put_beside_the_sources() {
    let project = project("from pkg.core import double\ndouble(1)\n");
    let before = files_below(&project.path("pkg"));
    project.trace(&["-m", "pkg"]);
    assert_eq!(files_below(&project.path("pkg")), before);
    // Compiled files that Python itself put there are neither used nor changed.
    assert_eq!(project.trace_with(&["--replace"], &["-m", "pkg"]).code(), 0);
    assert_eq!(project.reads("number"), 1);
}

#[test]
fn a_program_sees_nothing_of_the_recorder() {
    let main = "\
import os, sys
hidden = ('SURMISE_TRACE', 'PYTHONPATH', 'PYTHONDONTWRITEBYTECODE')
print({name: value for name, value in os.environ.items() if name not in hidden and name != '_'})
print(sys.path, sorted(sys.modules))
print([path for path in sys.path_importer_cache if 'spool' in path])
";
    let project = project(main);
    let program = "import pkg.__main__";
    let environment = |command: &mut std::process::Command| {
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", "/nonexistent");
        ended(command.args(["-c", program])).stdout()
    };
    let mut plain = std::process::Command::new(PYTHON);
    let plain = environment(plain.current_dir(project.path("")));
    let mut traced = project.command();
    let traced = environment(traced.args(["-o", "out", "--package", "pkg", "--", PYTHON]));
    assert_eq!(traced, plain);
}

// docs/limitations/recording.md

#[test]
fn a_script_by_its_path_is_not_recorded_what_it_imports_is() {
    let project = project("");
    project.write("script.py", "from pkg.core import double\nprint(double(2))\n");
    let ended = project.trace_like_plain(&["script.py"]);
    assert_eq!(ended.stderr(), "recorded 1 site of 2 files (1 event, 1 process) in out\n");
}

#[test]
fn an_interpreter_that_reads_no_environment_is_not_recorded() {
    let project = project("print(1)\n");
    for option in ["-I", "-E", "-S"] {
        let program = "import sys; sys.path.insert(0, '.'); import pkg.__main__";
        let ended = project.trace_with(&["--replace"], &[option, "-c", program]);
        assert_eq!(ended.stdout(), "1\n", "{option}: {ended}");
        assert!(ended.stderr().contains("never imported by a recorded process"), "{option}: {ended}");
    }
}

#[test]
fn a_path_that_is_no_text_is_left_out_and_named() {
    use std::os::unix::ffi::OsStrExt;
    let project = project("");
    let folder = project.path("").join(std::ffi::OsStr::from_bytes(b"b\xff"));
    std::fs::create_dir_all(folder.join("pkg")).expect("a folder");
    std::fs::write(folder.join("pkg/__init__.py"), "print(1)\n").expect("a file");
    let program = "import os, sys; sys.path.insert(0, os.fsdecode(b'b\\xff')); import pkg";
    let ended = project.trace(&["-c", program]);
    assert_eq!(ended.stdout(), "1\n", "{ended}");
    let files = project.files();
    assert_eq!(files[0].left_out.as_deref(), Some("its path is not UTF-8"), "{files:?}");
}

#[test]
fn the_output_folder_may_be_named_in_any_way() {
    let project = project("print(1)\n");
    std::fs::create_dir(project.path("real")).expect("a folder of ours");
    std::os::unix::fs::symlink(project.path("real"), project.path("link")).expect("a folder of ours");
    for folder in ["pkg/../out", "link", "./a/b", "ein Ordner/é"] {
        let ended = project.run(&["-o", folder, "--package", "pkg", "--", PYTHON, "-m", "pkg"]);
        assert!(ended.stderr().ends_with(&format!("(2 events, 1 process) in {folder}\n")), "{ended}");
    }
}

#[test]
fn the_programs_own_sitecustomize_is_imported() {
    let project = project("import sitecustomize\nprint(sitecustomize.__file__, sitecustomize.MARK)\n");
    project.write("site/sitecustomize.py", "MARK = 'theirs'\n");
    let mut command = project.command();
    command.args(["-o", "out", "--package", "pkg", "--", PYTHON, "-m", "pkg"]).env("PYTHONPATH", project.path("site"));
    let ended = ended(&mut command);
    let expected = format!("{} theirs\n", project.path("site/sitecustomize.py").display());
    assert_eq!((ended.code(), ended.stdout()), (0, expected), "{ended}");
}

#[test]
fn a_virtual_environment_is_what_the_command_means() {
    let project = project("import os, sys\nprint(sys.prefix, os.environ['VIRTUAL_ENV'])\n");
    assert_eq!(project.plain(&["-m", "venv", "--without-pip", "venv"]).code(), 0);
    let prefix = project.path("venv").display().to_string();
    for python in ["venv/bin/python", "venv"] {
        let arguments = ["-o", "out", "--replace", "--package", "pkg", "--python", python, "--", "python", "-m", "pkg"];
        let ended = project.run(&arguments);
        assert_eq!((ended.code(), ended.stdout()), (0, format!("{prefix} {prefix}\n")), "{ended}");
        assert!(project.reads("sys") > 0);
    }
}

#[test]
fn lines_of_chosen_functions_are_recorded() {
    let main = "def chosen(x):\n    if x:\n        return 1\n    return 2\n\ndef test_it():\n    chosen(0)\n    \
                chosen(1)\n\ntest_it()\n";
    let project = project(main);
    assert_eq!(project.trace_with(&["--lines", "*.chosen"], &["-m", "pkg"]).code(), 0);
    let mut calls = Vec::new();
    let read = project.recording().calls::<surmise::trace::error::ReadError>(|rows| {
        calls.extend_from_slice(rows);
        Ok(())
    });
    read.unwrap_or_else(|error| panic!("{error}"));
    let lines: Vec<&[u32]> = calls.iter().map(|call| call.lines.as_slice()).collect();
    assert_eq!(lines, [&[2, 4], &[2, 3]], "{calls:?}");
    assert!(calls.iter().all(|call| call.file == "pkg/__main__.py" && call.test.ends_with("::test_it")), "{calls:?}");
    assert_eq!(project.summary()["calls"], 2);
    project.trace_with(&["--replace"], &["-m", "pkg"]);
    assert!(!project.path("out/lines.parquet").exists(), "nobody asked for lines");
}

#[test]
fn values_of_single_calls_are_recorded() {
    let main = "def chosen(x, rows):\n    if x:\n        return [row + x for row in rows]\n    return rows.pop()\n\n\
                def helper(x):\n    return x\n\ndef test_it():\n    chosen('', [helper(1), 2])\n    chosen(3, (4.5,))\n\n\
                test_it()\n";
    let project = project(main);
    let values = |options: &[&str]| {
        assert_eq!(project.trace_with(&[&["--lines", "*.chosen"], options].concat(), &["-m", "pkg"]).code(), 0);
        let mut calls = Vec::new();
        let read = project.recording().calls::<surmise::trace::error::ReadError>(|rows| {
            calls.extend_from_slice(rows);
            Ok(())
        });
        read.unwrap_or_else(|error| panic!("{error}"));
        let value = |value: &surmise::trace::row::CallValueRow| {
            let literal = value.literal.clone().unwrap_or_default();
            format!("{}:{} {} {} {literal} {:?}", value.line, value.column, value.name, value.class, value.length)
        };
        calls.iter().map(|call| call.values.iter().map(value).collect()).collect::<Vec<Vec<String>>>()
    };
    let recorded = values(&["--call-values"]);
    let first = ["2:7 x str_empty  Some(0)", "4:11 rows list_nonempty  Some(2)", "4:11 pop callable  None"];
    assert_eq!(recorded[0][..3], first, "{recorded:?}");
    assert!(recorded[0].iter().any(|value| value == "4:11 pop int_pos 2 None"), "what the call gave: {recorded:?}");
    for value in ["2:7 x int_pos 3 None", "3:35 rows tuple_nonempty  Some(1)", "3:16 row float_pos 4.5 None"] {
        assert!(recorded[1].iter().any(|found| found == value), "{value}: {recorded:?}");
    }
    let without = values(&["--replace", "--call-values", "--no-literals"]);
    assert!(without.iter().flatten().all(|value| !value.contains("4.5")), "{without:?}");
    assert_eq!(values(&["--replace"]), [Vec::<String>::new(), Vec::new()], "nobody asked for values");
}

#[test]
fn an_interrupted_command_is_recorded() {
    use nix::sys::signal::{SigHandler, Signal, killpg, signal};
    use nix::unistd::Pid;
    use std::os::unix::process::CommandExt;

    // A shell's background jobs, and what they start, ignore Ctrl-C: a program that does never ends by it.
    let heed = || {
        // SAFETY: signal(2) is async-signal-safe, and the default handler is none of ours.
        unsafe { signal(Signal::SIGINT, SigHandler::SigDfl) }.map(drop).map_err(std::io::Error::from)
    };
    let main = "import sys, time\ntry:\n    print('up', flush=True)\n    time.sleep(60)\nexcept KeyboardInterrupt:\n    \
                sys.exit(9)\n";
    let project = project(main);
    let mut command = project.command();
    command.args(["-o", "out", "--package", "pkg", "--", PYTHON, "-m", "pkg"]);
    // SAFETY: the closure calls signal(2) alone.
    let command = unsafe { command.stdout(std::process::Stdio::piped()).process_group(0).pre_exec(heed) };
    let mut child = command.spawn().expect("it is there");
    let mut up = [0; 3];
    std::io::Read::read_exact(child.stdout.as_mut().expect("a pipe"), &mut up).expect("the program starts");
    // Like Ctrl-C, which signals all processes of the terminal.
    killpg(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).expect("they run");
    assert_eq!(child.wait().expect("it ends").code(), Some(9));
    assert_eq!(project.summary()["exit_code"], 9);
    assert!(project.reads("sys") == 1 && !project.path("out/spool").exists());
}

#[test]
fn the_binary_records_wherever_it_is_copied() {
    let project = project("from pkg import core\nprint(core.double(3))\n");
    let binary = project.path("surmise");
    std::fs::copy(surmise().get_program(), &binary).expect("it can be read");
    let mut command = std::process::Command::new(&binary);
    command.args(["trace", "-o", "out", "--package", "pkg", "--python", PYTHON, "--", PYTHON, "-m", "pkg"]);
    let temporary = project.path("tmp");
    std::fs::create_dir(&temporary).expect("it is ours");
    let ended = ended(command.current_dir(project.path("")).env_remove("PYTHONPATH").env("TMPDIR", &temporary));
    assert_eq!((ended.code(), ended.stdout().as_str()), (0, "6\n"), "{ended}");
    assert_eq!(project.reads("number"), 1);
    assert_eq!(std::fs::read_dir(temporary).expect("a folder").count(), 0, "the library was only for the recording");
}

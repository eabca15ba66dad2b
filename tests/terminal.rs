//! The command at a terminal, and pages for people: keys, long functions, messages of several lines.

use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::time::{Duration, Instant};

use crate::support::{Folder, LIMIT, ended, surmise};

/// Both ends of a new terminal.
fn terminal() -> (OwnedFd, OwnedFd) {
    let (mut master, mut slave) = (-1, -1);
    let none = std::ptr::null_mut();
    // SAFETY: both numbers are written before they are used, and the other arguments may be null.
    let opened = unsafe { libc::openpty(&raw mut master, &raw mut slave, none, none.cast(), none.cast()) };
    assert_eq!(opened, 0, "a terminal can be made");
    // SAFETY: the call made both descriptors, and nobody else has them.
    unsafe { (OwnedFd::from_raw_fd(master), OwnedFd::from_raw_fd(slave)) }
}

#[test]
fn a_key_that_interrupts_ends_the_batch_with_3() {
    let lines: Vec<String> =
        (0..400).map(|id| format!("{{\"id\": {id}, \"code\": \"while a{id}:\\n  b()\\n\"}}\n")).collect();
    let lines = lines.concat();
    let folder = Folder::new().and("set.jsonl", lines);
    let (master, slave) = terminal();
    let mut command = surmise();
    command.args(["cover", "--jsonl", "set.jsonl", "--out", "out"]).current_dir(folder.root());
    for stream in 0..3 {
        let copy = slave.try_clone().expect("it can be copied");
        match stream {
            0 => command.stdin(copy),
            1 => command.stdout(copy),
            _ => command.stderr(copy),
        };
    }
    // SAFETY: both calls are safe between fork and exec; they make the terminal that of the new session.
    unsafe {
        command.pre_exec(|| {
            libc::setsid();
            libc::ioctl(0, libc::TIOCSCTTY, 0);
            Ok(())
        });
    }
    let mut child = command.spawn().expect("it starts");
    drop((slave, command));
    let begin = Instant::now();
    let results = || std::fs::read_to_string(folder.path("out/results.jsonl")).map_or(0, |text| text.lines().count());
    while results() < 3 && begin.elapsed() < LIMIT {
        std::thread::sleep(Duration::from_millis(5));
    }
    // SAFETY: a byte of this process is written to a descriptor that is open.
    assert_eq!(unsafe { libc::write(master.as_raw_fd(), [3_u8].as_ptr().cast(), 1) }, 1);
    let reader = std::thread::spawn(move || {
        let mut shown = Vec::new();
        // Reading a terminal whose other end is closed is an error.
        let _closed = File::from(master).read_to_end(&mut shown);
        String::from_utf8_lossy(&shown).into_owned()
    });
    let status = child.wait().expect("it can be waited for");
    let shown = reader.join().expect("it ends with the terminal");
    assert_eq!(status.code(), Some(3), "{shown}");
    assert!(shown.contains("/400") && shown.contains("interrupted after"), "the total is true: {shown}");
}

#[test]
fn a_function_far_down_its_file_is_shown_without_what_is_above() {
    let text =
        format!("{}def f(a):\n    if a:\n        return 1\n    raise ValueError('one\\ntwo')\n", "\n".repeat(3000));
    let folder = Folder::new().and("a.py", text);
    let run = |arguments: &[&str]| {
        ended(surmise().args(["run", "--function", "f", "a.py"]).args(arguments).current_dir(folder.root()))
    };
    let shown = run(&[]).stdout();
    assert!(shown.lines().count() < 40 && shown.contains("blank lines)"), "{shown}");
    let page = run(&["--html", "page.html"]);
    assert!(page.code() <= 1, "{page}");
    let page = folder.read("page.html");
    assert!(page.len() < 60_000 && page.contains("lines 1–3000 are blank"), "{} bytes", page.len());
}

#[test]
fn messages_of_several_lines_are_whole() {
    let text = "if a:\n    raise ValueError('first\\n' + 'x' * 300 + '\\nlast')\nelse:\n    raise KeyError('other')\n";
    let folder = Folder::new().and("a.py", text);
    let shown = ended(surmise().args(["run", "a.py", "--html", "page.html"]).current_dir(folder.root())).stdout();
    assert!(
        shown.contains("ValueError: first\n") && shown.contains(&"x".repeat(300)) && shown.contains(" last\n"),
        "{shown}"
    );
    let page = folder.read("page.html");
    for part in ["Errors of other runs", "<dt>Runs</dt>", "<strong>conditional</strong>", "KeyError", "ValueError"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn pages_of_a_batch_link_back_and_share_a_style() {
    let functions: Vec<String> = (0..60)
        .map(|number| format!("def f{number}(a, b):\n    if a:\n        return b.c\n    return a + b\n\n"))
        .collect();
    let folder = Folder::new().and("a.py", functions.concat());
    let mut command = surmise();
    command.args(["cover", "--functions", "a.py", "--html", "report", "--runs", "4"]).current_dir(folder.root());
    let ended = ended(&mut command);
    assert_eq!(ended.code(), 0, "{ended}");
    let page = folder.read("report/pages/7.html");
    assert!(page.contains("href=\"../index.html\"") && page.contains("href=\"../report.css\""), "{page}");
    assert!(folder.path("report/report.css").is_file());
    let pages = std::fs::read_dir(folder.path("report/pages")).expect("pages");
    let sizes: Vec<u64> = pages.map(|page| page.expect("a page").metadata().expect("it is there").len()).collect();
    let total: u64 = sizes.iter().sum();
    // Of 459 functions that is less than 10 MB.
    assert!(sizes.len() == 60 && total < 60 * 20_000, "{total} bytes");
}

//! Snippets that crash, never end, flood, or attack their host (`tests/hostile/`), each judged from outside: it ends as
//! its header says, changes nothing, leaves nothing behind, and the next program in the same zygote runs as usual.
//!
//! As root the tests run once more as an ordinary user. A header consists of lines `# key: value` (see `Head`). A line
//! that ends in `# missed` must not be covered, and all others must.

use std::collections::BTreeMap;
use std::fs::File;
use std::net::{TcpListener, UdpSocket};
use std::os::fd::OwnedFd;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use nix::unistd::Uid;
use surmise::client::Zygote;
use surmise::execute::Outcome;
use surmise::identity::Identity;
use surmise::plan::{Plan, PredictorChoice, Settings};
use surmise::report::Report;
use surmise::search::search;
use surmise::source::Source;
use surmise::stdin::Input;
use surmise::zygote::sandbox::Sandbox;
use tempfile::TempDir;

use crate::support::unprivileged::unprivileged;
use crate::support::{check_all, file_name, programs, tests_folder};

const BINARY: &str = env!("CARGO_BIN_EXE_surmise");
/// A harmless program that checks its surroundings: whatever ran before it, it finds only its own files, no process but
/// itself, and an intact standard library.
const INNOCENT: &str = "\
import json, os
left = os.listdir('/tmp'), os.listdir('/dev/shm'), sorted(os.listdir())
print(left, sum(name.isdigit() for name in os.listdir('/proc')), json.dumps([1]), open('kept.txt').read())
";

/// Seconds that a run may take which is to end by itself: a busy machine has the time that it needs.
const PATIENCE: u64 = 120;

/// Expectations in the header of a snippet.
#[derive(Default)]
struct Head {
    values: BTreeMap<String, String>,
}

impl Head {
    fn of(text: &str) -> Self {
        let lines = text.lines().map_while(|line| line.strip_prefix("# "));
        let pairs = lines.filter_map(|line| line.split_once(": ")).filter(|(key, _)| !key.contains(' '));
        Self { values: pairs.map(|(key, value)| (key.to_owned(), value.trim().to_owned())).collect() }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.get(key).map(|value| value.parse().expect("a number in a head"))
    }

    /// Seconds that a run may take. Only a snippet that may go on until then says how many.
    fn limit(&self) -> u64 {
        self.number("timeout").unwrap_or(PATIENCE)
    }

    fn judge(&self, report: &Report, text: &str) -> Result<(), String> {
        let outcome = match report.outcome {
            Outcome::Completed => "completed",
            Outcome::Error => "error",
            Outcome::Timeout => "timeout",
            Outcome::Killed => "killed",
            Outcome::SyntaxError => "syntax-error",
        };
        let mut allowed = self.get("outcome").ok_or("no outcome in the head")?.split(" | ");
        let differs =
            |what: String| Err(format!("{what}\n{:?}\n{}\n{}", report.error, cut(&report.stdout), cut(&report.stderr)));
        if !allowed.any(|allowed| allowed == outcome) {
            return differs(format!("outcome {outcome}"));
        }
        if let Some(message) = &report.internal {
            return differs(format!("a failure of ours: {message}"));
        }
        let raised = report.error.as_ref().map(|error| (error.kind.as_str(), error.message.as_str()));
        if report.outcome == Outcome::Error && self.get("error").is_some_and(|kind| raised.map(|it| it.0) != Some(kind))
        {
            return differs("another error".to_owned());
        }
        if self.get("message").is_some_and(|message| raised.map(|it| it.1) != Some(message)) {
            return differs("another end".to_owned());
        }
        if self.number("exit").is_some_and(|code| u64::from(report.exit_code.unsigned_abs()) != code) {
            return differs(format!("exit code {}", report.exit_code));
        }
        let words: Vec<&str> = report.stdout.split_whitespace().collect();
        if self.get("stdout").is_some_and(|expected| expected != words.join(" ")) {
            return differs("other output".to_owned());
        }
        if self.get("output") == Some("cut") {
            let longest = if report.stdout.len() > report.stderr.len() { &report.stdout } else { &report.stderr };
            if !longest.trim_end().ends_with("more bytes]") || longest.len() > 2 << 20 {
                return differs(format!("{} bytes of output", longest.len()));
            }
        }
        let missed: Vec<u32> =
            (1..).zip(text.lines()).filter(|(_, line)| line.ends_with("# missed")).map(|it| it.0).collect();
        if self.get("coverage") != Some("any") && report.missed() != missed {
            return differs(format!("missed {:?} of {:?}, not {missed:?}", report.missed(), report.lines));
        }
        Ok(())
    }
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(1000)]
}

/// Files, sockets and processes that a snippet must not change or reach.
struct World {
    folder: TempDir,
    outside: TempDir,
    tcp: TcpListener,
    udp: UdpSocket,
    sockets: Vec<UnixListener>,
    name: String,
    before: BTreeMap<String, String>,
    /// A file that every process started from here inherits open.
    _inherited: OwnedFd,
}

impl World {
    fn new() -> Self {
        let (folder, outside) = (tempfile::tempdir(), tempfile::tempdir_in("/var/tmp"));
        let (folder, outside) = (folder.expect("a folder"), outside.expect("a folder"));
        for (path, text, mode) in [
            (folder.path().join("kept.txt"), "kept", 0o644),
            (folder.path().join("removed.txt"), "", 0o644),
            (outside.path().join("target.txt"), "safe", 0o666),
        ] {
            std::fs::write(&path, text).expect("a file");
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).expect("our own file");
        }
        std::fs::set_permissions(outside.path(), PermissionsExt::from_mode(0o777)).expect("our own folder");
        let name = format!("surmise-{}", outside.path().display());
        let address = SocketAddr::from_abstract_name(&name).expect("a name for a socket");
        let sockets = vec![
            UnixListener::bind(folder.path().join("socket")).expect("a socket"),
            UnixListener::bind(outside.path().join("socket")).expect("a socket"),
            UnixListener::bind_addr(&address).expect("a socket"),
        ];
        let tcp = TcpListener::bind("127.0.0.1:0").expect("a port of our own");
        let udp = UdpSocket::bind("127.0.0.1:0").expect("a port of our own");
        tcp.set_nonblocking(true).expect("a plain socket");
        udp.set_nonblocking(true).expect("a plain socket");
        for socket in &sockets {
            socket.set_nonblocking(true).expect("a plain socket");
        }
        let inherited = File::options().append(true).open(outside.path().join("target.txt")).expect("our own file");
        let inherited = nix::unistd::dup(&inherited).expect("a descriptor");
        let mut world =
            Self { folder, outside, tcp, udp, sockets, name, before: BTreeMap::new(), _inherited: inherited };
        world.before = world.look();
        world
    }

    /// The snippet with the names of its targets filled in.
    fn fill(&self, text: &str) -> String {
        let port = |address: std::io::Result<std::net::SocketAddr>| address.expect("it is bound").port().to_string();
        let home = std::env::home_dir().unwrap_or_default();
        text.replace("@OUTSIDE@", &self.outside.path().display().to_string())
            .replace("@BINARY@", BINARY)
            .replace("@HOME@", &home.display().to_string())
            .replace("@PID@", &std::process::id().to_string())
            .replace("@TCP@", &port(self.tcp.local_addr()))
            .replace("@UDP@", &port(self.udp.local_addr()))
            .replace("@ABSTRACT@", &self.name)
    }

    fn look(&self) -> BTreeMap<String, String> {
        let mut seen = BTreeMap::new();
        for folder in [&self.folder, &self.outside] {
            for entry in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
                let text = std::fs::read(entry.path()).unwrap_or_default();
                seen.insert(entry.path().display().to_string(), String::from_utf8_lossy(&text).into_owned());
            }
        }
        let library = surmise::host::python_home().join("lib");
        let devices = ["/dev/null", "/dev/zero"].map(Path::new);
        for path in [Path::new(BINARY), &library].into_iter().chain(devices) {
            let data = std::fs::metadata(path).expect("it is there");
            seen.insert(path.display().to_string(), format!("{} {} {}", data.len(), data.mtime(), data.mode()));
        }
        for name in
            ["/proc/self/mountinfo", "/proc/sys/kernel/hostname", "/proc/sys/kernel/pid_max", "/proc/sysvipc/shm"]
        {
            seen.insert(name.to_owned(), std::fs::read_to_string(name).unwrap_or_default());
        }
        seen
    }

    fn judge(&self) -> Result<(), String> {
        let after = self.look();
        if after != self.before {
            let changed: Vec<_> = after.iter().filter(|(key, value)| self.before.get(*key) != Some(value)).collect();
            let gone: Vec<_> = self.before.keys().filter(|key| !after.contains_key(*key)).collect();
            return Err(format!("the machine is not as it was: {changed:?}, without {gone:?}"));
        }
        let heard = self.tcp.accept().is_ok()
            || self.udp.recv(&mut [0; 16]).is_ok()
            || self.sockets.iter().any(|socket| socket.accept().is_ok());
        if heard { Err("it reached a socket of the machine".to_owned()) } else { Ok(()) }
    }
}

/// Ids of all descendants of a process.
fn descendants(of: u32) -> Vec<u32> {
    let parents: Vec<(u32, u32)> = std::fs::read_dir("/proc")
        .expect("the machine has /proc")
        .flatten()
        .filter_map(|entry| {
            let number: u32 = entry.file_name().to_str()?.parse().ok()?;
            let text = std::fs::read_to_string(entry.path().join("stat")).ok()?;
            let parent = text.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
            Some((number, parent))
        })
        .collect();
    let mut found = vec![of];
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        found.extend(parents.iter().filter(|(_, its)| *its == parent).map(|(number, _)| *number));
        next += 1;
    }
    found.split_off(1)
}

/// A program that is run once is a process of its own; one that may be run again is forked from a template.
fn run(zygote: &mut Zygote, path: &Path, text: &str, head: &Head, runs: u32) -> Result<Report, String> {
    let injects = head.get("inject") != Some("none");
    let settings = Settings {
        predictor: if injects { PredictorChoice::Naive } else { PredictorChoice::None },
        timeout: Duration::from_secs(head.limit()),
        time: Duration::from_secs(head.limit() * u64::from(runs)),
        inject_io: injects,
        harness_calls: false,
        runs,
        ..Settings::default()
    };
    let source = Source { name: file_name(path), path: Some(path.to_owned()), text: text.to_owned() };
    let mut plan = Plan::new(source, &settings).map_err(|error| error.to_string())?;
    let mut input = Input::open(None).map_err(|error| error.to_string())?;
    let ledger = search(zygote, &mut plan, &settings, &mut input).map_err(|error| error.to_string())?;
    Ok(Report::new(&plan, &settings, ledger, Identity::built_in()))
}

fn attempt(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let head = Head::of(&text);
    if head.get("machine").is_some_and(|machine| machine != std::env::consts::ARCH) {
        return Ok(());
    }
    let world = World::new();
    let text = world.fill(&text);
    let sandbox = Sandbox {
        folders: vec![world.folder.path().to_owned()],
        memory: head.number("memory").unwrap_or(1 << 30),
        ..Sandbox::default()
    };
    let mut zygote = Zygote::start_from(BINARY.into(), &sandbox).map_err(|error| error.to_string())?;
    zygote.wait_until_ready().map_err(|error| error.to_string())?;
    let script = world.folder.path().join("snippet.py");
    for runs in 1..=2 {
        let begin = Instant::now();
        let report = run(&mut zygote, &script, &text, &head, runs)?;
        let took = begin.elapsed();
        head.judge(&report, &text).map_err(|what| format!("with {runs} runs: {what}"))?;
        world.judge()?;
        let left = descendants(zygote.id());
        if left.len() > runs as usize {
            return Err(format!("{} processes where the zygote and {} templates should be", left.len(), runs - 1));
        }
        if took > Duration::from_secs(head.limit() * u64::from(runs) + PATIENCE) {
            return Err(format!("it took {took:?}"));
        }
    }
    let left = descendants(zygote.id());
    let next = run(&mut zygote, &script, INNOCENT, &Head::of("# inject: none\n"), 1)?;
    let expected = "([], [], ['kept.txt', 'removed.txt', 'socket']) 1 [1] kept\n";
    let place = world.folder.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
    let found = next.stdout.replacen(&format!("(['{place}'], "), "([], ", 1);
    if (next.outcome, found.as_str(), next.missed().len()) != (Outcome::Completed, expected, 0) {
        return Err(format!("the next program: {:?} {:?} {found} {}", next.outcome, next.error, next.stderr));
    }
    drop(zygote);
    gone(&left)
}

/// Waits until processes have ended, which may take a moment after the one that they depend on.
fn gone(processes: &[u32]) -> Result<(), String> {
    let end = Instant::now() + Duration::from_secs(PATIENCE);
    let is_there = |number: &&u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
    };
    while let Some(number) = processes.iter().find(is_there) {
        if Instant::now() > end {
            return Err(format!("process {number} outlives its zygote"));
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

#[test]
fn snippets_do_no_harm() {
    let programs = programs(&tests_folder().join("hostile"));
    assert!(programs.len() >= 50, "only {} snippets", programs.len());
    check_all(&programs, |path| file_name(path), |path| attempt(path));
}

/// Runs the snippets as an ordinary user; if the tests already run as one, the test above has done so.
#[test]
fn snippets_of_an_ordinary_user_do_no_harm() {
    if !Uid::effective().is_root() {
        return;
    }
    let own = std::env::current_exe().expect("this program has a file");
    let needed = [surmise::host::python_home().to_owned(), own.clone(), BINARY.into(), tests_folder()];
    let mut command = Command::new(&own);
    command.args(["hostile::snippets_do_no_harm", "--exact"]).env("TMPDIR", "/tmp").env("HOME", "/nonexistent");
    let ended = unprivileged(&mut command, &needed).output().expect("it starts");
    let text = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&ended.stderr));
}

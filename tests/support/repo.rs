//! Git repositories that are created by `git` itself, and `surmise diff --repo` in them.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{Ended, Folder, Stdin, ended, json_lines, run, surmise};

/// A repository in a temporary folder, with a first commit.
pub struct Repo(Folder);

impl Repo {
    #[track_caller]
    pub fn new(files: &[(&str, &str)]) -> Self {
        let repo = Self(Folder::new());
        repo.git(&["init", "--quiet", "--initial-branch=main"]);
        repo.commit(files);
        repo
    }

    pub fn path(&self) -> &Path {
        self.0.root()
    }

    #[track_caller]
    pub fn git(&self, arguments: &[&str]) {
        git(self.path(), arguments);
    }

    #[track_caller]
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        self.0.write(path, text);
    }

    #[track_caller]
    pub fn commit(&self, files: &[(&str, &str)]) {
        for (path, text) in files {
            self.write(path, text);
        }
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", "change"]);
    }

    #[track_caller]
    pub fn diff(&self, arguments: &[&str]) -> Ended {
        diff(self.path(), arguments)
    }

    /// What is said of each function, as JSON.
    #[track_caller]
    pub fn documents(&self, arguments: &[&str]) -> Vec<Value> {
        let ended = self.diff(&[&["--json"], arguments].concat());
        assert!([0, 1].contains(&ended.code()), "{ended}");
        json_lines(&ended).into_iter().filter(|found| found.get("summary").is_none()).collect()
    }

    /// Verdict and reason of each function.
    #[track_caller]
    pub fn verdicts(&self, arguments: &[&str]) -> BTreeMap<String, (String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let found = self.documents(arguments);
        found.iter().map(|found| (text(&found["name"]), (text(&found["verdict"]), text(&found["reason"])))).collect()
    }

    /// Verdict of each function, without the reason.
    #[track_caller]
    pub fn words(&self, arguments: &[&str]) -> Vec<(String, String)> {
        self.verdicts(arguments).into_iter().map(|(name, (verdict, _))| (name, verdict)).collect()
    }
}

#[track_caller]
pub fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]);
    command.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let ended = run(&mut command, Stdin::Empty).unwrap_or_else(|error| panic!("git is needed: {error}"));
    assert_eq!(ended.code(), 0, "git {arguments:?}: {ended}");
}

pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = surmise();
    command.args(["diff", "--predictor", "naive", "--repo", "."]).args(arguments).current_dir(folder);
    command
}

#[track_caller]
pub fn diff(folder: &Path, arguments: &[&str]) -> Ended {
    ended(&mut command(folder, arguments))
}

pub fn expected(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|&(name, verdict)| (name.to_owned(), verdict.to_owned())).collect()
}

/// What is said of the only function that is run, or else of `f`, in its module, where a commit changes the module of a package.
#[track_caller]
pub fn compared_in_place(old: &str, new: &str) -> Value {
    let repo = Repo::new(&[("p/__init__.py", ""), ("p/a.py", old)]);
    repo.commit(&[("p/a.py", new)]);
    let found = repo.documents(&["HEAD"]);
    let is_f = |found: &&Value| found["name"].as_str().is_some_and(|name| name.ends_with('f'));
    let mut ran = found.iter().filter(|found| found["runs"] != json!(0));
    let only = ran.next().filter(|_| ran.next().is_none());
    let found = only.or_else(|| found.iter().find(is_f)).unwrap_or_else(|| panic!("no `f`: {found:#?}"));
    assert_eq!(found["in_place"], true, "{found:#?}");
    found.clone()
}

/// Both versions do the same in their modules, and the second does something else once a part of it is replaced.
#[track_caller]
pub fn alike_in_place(one: &str, other: &str, (part, replaced): (&str, &str)) {
    let found = compared_in_place(one, other);
    assert_eq!(found["verdict"], "equal", "{found:#}");
    let changed = other.replace(part, replaced);
    assert_ne!(changed, other);
    let found = compared_in_place(one, &changed);
    assert_eq!(found["verdict"], "different", "{found:#}");
}

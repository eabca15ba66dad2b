//! A file in the editor, with what its runs came to.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use lsp_server::RequestId;
use lsp_types::{Position, Range, Uri};
use surmise_report::Report;
use surmise_serve::{Code, Compared, FunctionCoverage, Stop, coverage};

/// What the runs of a text came to.
#[derive(Debug)]
pub(crate) struct Analysis {
    /// What is known of the text; it holds the text, too.
    pub(crate) report: Report,
    /// How much of each function runs reached.
    pub(crate) functions: Vec<FunctionCoverage>,
}

impl Analysis {
    pub(crate) fn new(report: Report) -> Self {
        Self { functions: coverage(&report), report }
    }
}

/// A request that waits for the runs of its file.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    /// Injected values in a range.
    Hints(Range),
    /// Coverage of the functions.
    Lenses,
    /// What is known of a place.
    Hover(Position),
}

/// A job of the engine for a document.
#[derive(Debug)]
pub(crate) struct Job {
    /// Tells a job from those that were stopped before it.
    pub(crate) ticket: u64,
    /// Ends it.
    pub(crate) stop: Stop,
}

/// A file that is open in the editor.
#[derive(Debug)]
pub(crate) struct Document {
    /// How the client calls it.
    pub(crate) uri: Uri,
    /// Where it is; none for a text that was never saved.
    pub(crate) path: Option<PathBuf>,
    /// What the editor shows.
    pub(crate) text: Arc<str>,
    /// Number of that text.
    pub(crate) version: i32,
    /// When it is to be run.
    pub(crate) due: Option<Instant>,
    /// It is to be compared with the last commit after its runs.
    pub(crate) compares: bool,
    /// The job that is under way or waits for the engine.
    pub(crate) job: Option<Job>,
    /// The comparison that is under way; nothing waits for it.
    pub(crate) comparing: Option<Job>,
    /// What the last runs came to, of this text or of an older one.
    pub(crate) analysis: Option<Analysis>,
    /// How its functions differ from the last commit.
    pub(crate) compared: Option<Compared>,
    /// Requests that wait for its runs.
    pub(crate) waiting: Vec<(RequestId, Question)>,
}

impl Document {
    pub(crate) fn new(uri: Uri, text: String, version: i32) -> Self {
        Self {
            path: path_of(&uri),
            uri,
            text: text.into(),
            version,
            due: None,
            compares: false,
            job: None,
            comparing: None,
            analysis: None,
            compared: None,
            waiting: Vec::new(),
        }
    }

    /// True while an answer to a new question would be an old one.
    pub(crate) fn is_pending(&self) -> bool {
        self.due.is_some() || self.job.is_some()
    }

    /// The text as a program.
    pub(crate) fn code(&self) -> Code {
        Code { name: self.uri.as_str().to_owned(), path: self.path.clone(), text: Some(self.text.to_string()) }
    }

    /// Ends the jobs that are under way.
    pub(crate) fn stop(&mut self) {
        for job in [self.job.take(), self.comparing.take()].into_iter().flatten() {
            job.stop.ask();
        }
    }

    /// True if a line, from 1, is as it was when the text was run.
    pub(crate) fn is_as_run(&self, line: u32) -> bool {
        let Some(analysis) = &self.analysis else { return false };
        let at = |text: &str| text.lines().nth((line as usize).wrapping_sub(1)).map(str::to_owned);
        *self.text == *analysis.report.source || at(&self.text) == at(&analysis.report.source)
    }
}

/// The path of a `file:` URI of this machine.
fn path_of(uri: &Uri) -> Option<PathBuf> {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let is_file = uri.scheme().is_some_and(|scheme| scheme.eq_lowercase("file"));
    let host = uri.authority().map_or("", |authority| authority.host().as_str());
    if !is_file || !matches!(host, "" | "localhost") {
        return None;
    }
    let path = PathBuf::from(OsString::from_vec(uri.path().as_estr().decode().into_bytes().into_owned()));
    let has_nul = path.as_os_str().as_encoded_bytes().contains(&0);
    (path.is_absolute() && !has_nul).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_machine_have_a_path() {
        let path = |text: &str| path_of(&text.parse().expect("it is a URI"));
        assert_eq!(path("file:///a%20b/%C3%A9.py"), Some(PathBuf::from("/a b/é.py")));
        assert_eq!(path("file://localhost/a.py"), Some(PathBuf::from("/a.py")));
        for other in ["untitled:Untitled-1", "file://server/a.py", "git:/a.py?HEAD", "file:///a%00.py"] {
            assert_eq!(path(other), None, "{other}");
        }
    }
}

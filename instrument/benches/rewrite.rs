//! Rewriting the whole standard library, with parsing alone for comparison.
//!
//! `cargo bench -p surmise-instrument --bench rewrite`. The sources are those of the `python3` on the path (or of
//! `SURMISE_BENCH_PYTHON`), without `site-packages`; all are in memory before the clock starts. Both benchmarks
//! take the same files, those that parse, so that their bytes a second compare.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use divan::counter::BytesCount;
use divan::{Bencher, black_box, black_box_drop};
use surmise_instrument::{Error, Instrumented, Options, SourceModel, instrument};

/// Fewer files than this are not a standard library.
const LEAST_FILES: usize = 1000;

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static LIBRARY: LazyLock<Library> = LazyLock::new(Library::read);

fn main() {
    LIBRARY.check();
    divan::main();
}

/// The sources that parse, and what else was found.
struct Library {
    folder: PathBuf,
    options: Options,
    sources: Vec<(PathBuf, String)>,
    found: usize,
    undecodable: usize,
}

impl Library {
    fn read() -> Self {
        let python = std::env::var("SURMISE_BENCH_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let script = "import sys, sysconfig; print(sysconfig.get_path('stdlib'), *sys.version_info[:2], sep='\\n')";
        let output = Command::new(&python).args(["-I", "-c", script]).output();
        let output = output.unwrap_or_else(|error| panic!("cannot run `{python}`: {error}"));
        let text = String::from_utf8(output.stdout).expect("Python prints UTF-8 here");
        let lines: Vec<&str> = text.lines().collect();
        let [folder, major, minor] = lines[..] else { panic!("`{python}` said `{text}`") };
        let version = |part: &str| part.parse().expect("a version's part is a small number");
        let mut paths = Vec::new();
        collect(Path::new(folder), &mut paths);
        paths.sort();
        let found = paths.len();
        // Files in other encodings (tests of codecs) are decoded by the executor; here they only count as found.
        let decoded = paths.into_iter().filter_map(|path| fs::read_to_string(&path).ok().map(|text| (path, text)));
        let mut sources: Vec<(PathBuf, String)> = decoded.collect();
        let undecodable = found - sources.len();
        sources.retain(|(_, text)| ruff_python_parser::parse_module(text).is_ok());
        let options = Options::new((version(major), version(minor)));
        Self { folder: folder.into(), options, sources, found, undecodable }
    }

    /// What is timed must be right: enough files, and each of them rewrites.
    fn check(&self) {
        assert!(self.found >= LEAST_FILES, "only {} files in {}", self.found, self.folder.display());
        for (path, text) in &self.sources {
            let rewritten = rewritten(text, self.options);
            let rewritten = rewritten.unwrap_or_else(|error| panic!("{} does not rewrite: {error}", path.display()));
            assert_eq!(
                rewritten.text.matches('\n').count(),
                text.matches('\n').count(),
                "{} changes its number of lines",
                path.display()
            );
        }
        let broken = self.found - self.undecodable - self.sources.len();
        #[expect(clippy::print_stderr, reason = "says what the figures are about")]
        {
            eprintln!(
                "{}: {} files, {:.1} MB timed; skipped: {broken} do not parse, {} are not UTF-8",
                self.folder.display(),
                self.sources.len(),
                self.bytes() as f64 / 1e6,
                self.undecodable
            );
        }
    }

    fn bytes(&self) -> usize {
        self.sources.iter().map(|(_, text)| text.len()).sum()
    }
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let path = entry.path();
        let Ok(kind) = entry.file_type() else {
            continue;
        };
        if kind.is_dir() && entry.file_name() != "site-packages" {
            collect(&path, paths);
        } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "py") {
            paths.push(path);
        }
    }
}

fn rewritten(text: &str, options: Options) -> Result<Instrumented, Error> {
    SourceModel::parse(text).map(|model| instrument(&model, options))
}

/// The baseline: Ruff's parser alone.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn parse(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(LIBRARY.bytes())).bench(|| {
        for (_, text) in &LIBRARY.sources {
            black_box_drop(ruff_python_parser::parse_module(black_box(text)));
        }
    });
}

/// End to end: parsing, scopes, flow, edits and all tables.
#[divan::bench(sample_count = 10, sample_size = 1)]
fn rewrite(bencher: Bencher<'_, '_>) {
    bencher.counter(BytesCount::new(LIBRARY.bytes())).bench(|| {
        for (_, text) in &LIBRARY.sources {
            black_box_drop(rewritten(black_box(text), LIBRARY.options));
        }
    });
}

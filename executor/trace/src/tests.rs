//! Joining, writing and reading back, with whole files and with damaged ones.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use surmise_instrument::Kind;
use surmise_instrument::record::Use;
use surmise_recorder::config::Module;
use surmise_recorder::layout::{HEADER_BYTES, Header, MAGIC, RECORD_BYTES, SiteRecord, Slot, Text};

use super::error::ReadError;
use super::fold::Folded;
use super::modules;
use super::process::Failed;
use super::read::{Recording, SiteReader};
use super::row::{CallRow, CallValueRow, FileRow, Place, SCHEMA, SiteRow};
use super::seen::{Literal, Seen};
use super::summary::Summary;
use super::together::together;
use super::write::Writer;

/// Writes what a process would.
fn process(spool: &Path, name: &str, strings: &[(Text, &str)], records: &[(u32, SiteRecord)]) {
    let header = Header {
        magic: MAGIC,
        pid: 7,
        failed: 0,
        error: 0,
        reserved: 0,
        strings: strings.len() as u64,
        events: records.iter().map(|(_, record)| u64::from(record.total)).sum(),
    };
    let mut bytes = Vec::new();
    for (kind, text) in strings {
        bytes.extend((text.len() as u32 + 1).to_le_bytes());
        bytes.push(*kind as u8);
        bytes.extend(text.as_bytes());
    }
    std::fs::write(spool.join(name).with_extension("strings"), bytes).expect("a folder of ours");
    let path = spool.join(name).with_extension("records");
    let file = OpenOptions::new().write(true).create(true).truncate(true).open(path).expect("a folder of ours");
    // SAFETY: plain data without padding.
    let bytes = unsafe { std::slice::from_raw_parts((&raw const header).cast::<u8>(), size_of::<Header>()) };
    file.write_all_at(bytes, 0).expect("there is room");
    for (site, record) in records {
        // SAFETY: as above.
        let bytes = unsafe { std::slice::from_raw_parts((&raw const *record).cast::<u8>(), RECORD_BYTES) };
        let at = HEADER_BYTES + u64::from(*site) * RECORD_BYTES as u64;
        file.write_all_at(bytes, at).expect("there is room");
    }
    // The recorder writes whole pages.
    let length = file.metadata().expect("an open file").len();
    file.set_len(length.next_multiple_of(4096)).expect("there is room");
}

/// So many values of one class, with a type and a literal.
fn record(class: u8, total: u32, kind: u32, literal: u32) -> SiteRecord {
    let mut record = SiteRecord { classes: 1 << class, total, sampled: 1, ..SiteRecord::default() };
    (record.count_of[0], record.counts[0]) = (class + 1, total);
    if kind != 0 {
        record.types[0] = Slot { id: kind, count: total };
    }
    if literal != 0 {
        record.literals[0] = Slot { id: literal, count: 1 };
    }
    record.lengths[2] = 1;
    record
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn processes_are_joined_by_site() {
    let spool = folder();
    let far = 5_000_000;
    let strings = [(Text::Type, "app.Thing"), (Text::Str, "hello")];
    process(spool.path(), "1-0", &strings, &[(0, record(21, 3, 1, 0)), (far, record(10, 2, 0, 2))]);
    // The same strings have other numbers here.
    let strings = [(Text::Int, "5"), (Text::Str, "hello"), (Text::Type, "app.Thing")];
    process(
        spool.path(),
        "2-0",
        &strings,
        &[(0, record(21, 4, 3, 0)), (40, record(5, 1, 0, 1)), (far, record(10, 1, 0, 2))],
    );
    let mut folded = Folded::read(spool.path()).expect("a folder of ours");
    assert_eq!((folded.processes, folded.events, folded.left()), (2, 11, 3));
    assert_eq!(folded.damaged, [""; 0]);
    let seen = folded.take(0).expect("it ran");
    assert_eq!((seen.classes, seen.total, seen.lengths[2]), (1 << 21, 7, 2));
    assert_eq!(seen.types.entries(), [("app.Thing".into(), 7)]);
    let seen = folded.take(far).expect("it ran");
    assert_eq!(seen.literals.entries(), [(Literal::new("str", "hello").expect("a kind"), 2)]);
    assert_eq!((folded.take(far), folded.left()), (None, 1));
}

#[test]
fn damaged_files_are_named_and_what_is_good_is_kept() {
    let spool = folder();
    let strings = [(Text::Str, "first"), (Text::Str, "second")];
    let cut = |name: &str, suffix: &str, by: u64| {
        let path = spool.path().join(name).with_extension(suffix);
        let file = OpenOptions::new().write(true).open(path).expect("it was just written");
        let length = file.metadata().expect("an open file").len();
        file.set_len(length - by).expect("there is room");
    };
    process(spool.path(), "1-0", &strings, &[(0, record(10, 1, 0, 1)), (1, record(10, 1, 0, 2))]);
    cut("1-0", "strings", 3);
    process(spool.path(), "2-0", &strings, &[(0, record(10, 1, 0, 1)), (31, record(10, 1, 0, 2))]);
    cut("2-0", "records", 50);
    process(spool.path(), "3-0", &[], &[(0, record(3, 1, 0, 0))]);
    process(spool.path(), "4-0", &[], &[]);
    cut("4-0", "records", 4070);
    let impossible = SiteRecord { count_of: [200; 6], ..record(3, 1, 0, 0) };
    process(spool.path(), "7-0", &[], &[(0, impossible)]);
    std::fs::write(spool.path().join("5-0.records"), b"").expect("a folder of ours");
    std::fs::write(spool.path().join("6-0.records"), [7; 9000]).expect("a folder of ours");
    let mut folded = Folded::read(spool.path()).expect("a folder of ours");
    assert_eq!(
        folded.damaged,
        [
            "1-0.records: it has 1 of 2 strings",
            "1-0.records: some of its records are damaged",
            "2-0.records: some of its records are damaged",
            "4-0.records: its header is damaged",
            "6-0.records: its header is damaged",
            "7-0.records: some of its records are damaged",
        ]
    );
    assert_eq!(folded.failed, [Failed { errno: 0 }], "not even a header could be written");
    assert_eq!(folded.take(0).map(|seen| seen.total), Some(3), "of three processes");
    assert_eq!(folded.left(), 0);
}

#[test]
fn the_last_entry_on_a_module_counts() {
    let spool = folder();
    let line = |path: &str, left_out: &str| {
        format!(r#"{{"name":"a.b","path":"{path}","sha256":"00","first":0,"sites":3{left_out}}}"#)
    };
    let text = [line("/x/a/b.py", ""), line("/y/a/b.py", ""), line("/x/a/b.py", r#","left_out":"no""#)].join("\n");
    std::fs::write(spool.path().join("modules.jsonl"), text + "\n{\"name\":").expect("a folder of ours");
    let (modules, problem) = modules::read(spool.path()).expect("a folder of ours");
    assert_eq!(problem.as_deref(), Some("modules.jsonl: 1 of its lines are damaged"));
    let left_out: Vec<_> = modules.iter().map(|module| module.left_out.as_deref()).collect();
    assert_eq!(left_out, [Some("no"), None]);
}

#[test]
fn files_are_named_from_the_top_package_on() {
    let module = |name: &str, path: &str| Module {
        name: name.to_owned(),
        path: path.into(),
        sha256: String::new(),
        first: 0,
        sites: 0,
        left_out: None,
    };
    for (name, path, expected) in [
        ("flask.app", "/src/flask/app.py", "flask/app.py"),
        ("flask", "/src/flask/__init__.py", "flask/__init__.py"),
        ("flask.json", "/src/flask/json/__init__.py", "flask/json/__init__.py"),
        ("flask.__main__", "/src/flask/__main__.py", "flask/__main__.py"),
        ("six", "/site-packages/six.py", "six.py"),
        ("a.b.c", "/c.py", "c.py"),
    ] {
        assert_eq!(modules::relative(&module(name, path)), expected, "{name}");
    }
}

fn row(file: &str, line: u32, seen: Seen) -> SiteRow {
    SiteRow {
        project: "p".into(),
        file: file.into(),
        sha256: "ab".into(),
        place: Place { line, column: 1, end_line: line, end_column: 9 },
        kind: Kind::ReturnValue,
        name: "get".into(),
        role: Use::Base,
        attribute: line.is_multiple_of(2).then(|| "items".into()),
        seen,
    }
}

fn seen() -> Seen {
    Seen {
        classes: 0b11_0000,
        total: 7,
        counts: [(5, 4), (4, 3)].into_iter().collect(),
        types: [("np.int64".into(), 2)].into_iter().collect(),
        literals: [(Literal::new("float", "-0.0").expect("a kind"), 1)].into_iter().collect(),
        elements: 1,
        lengths: [1, 2, 3, 4, 5, 6],
    }
}

/// A value that a call read.
fn value_read() -> CallValueRow {
    CallValueRow {
        line: 3,
        column: 4,
        end_line: 3,
        end_column: 5,
        kind: "variable".to_owned(),
        name: "x".to_owned(),
        class: "str_nonempty".to_owned(),
        literal: Some("utf-8".to_owned()),
        length: Some(5),
    }
}

/// A recording of these rows, of one file.
fn write(folder: &Path, rows: &[SiteRow]) -> Summary {
    let mut writer = Writer::new(folder, "p").expect("a folder of ours");
    for row in rows {
        writer.push(row.clone()).expect("there is room");
    }
    let call = CallRow {
        project: "p".into(),
        file: "p/a.py".to_owned(),
        function: "f".to_owned(),
        test: String::new(),
        lines: vec![3, 4],
        cut: true,
        values: vec![value_read()],
    };
    writer.push_calls(&[call]).expect("there is room");
    let summary = Summary { schema: SCHEMA.to_owned(), calls: 1, ..Summary::default() };
    let file = FileRow {
        project: "p".into(),
        module: "p.a".to_owned(),
        file: "p/a.py".into(),
        sha256: "ab".into(),
        sites: 9,
        hit: 2,
        left_out: Some("why".to_owned()),
    };
    writer.finish(&[file.clone(), FileRow { left_out: None, ..file }], summary).expect("there is room")
}

#[test]
fn tables_come_back_as_they_were() {
    let folder = folder();
    let rows: Vec<SiteRow> =
        (1..20_000).map(|line| row("p/a.py", line, if line % 3 == 0 { Seen::default() } else { seen() })).collect();
    let summary = write(folder.path(), &rows);
    let recording = Recording::open(folder.path()).expect("it was just written");
    assert_eq!(recording.summary, summary);
    let read: Result<Vec<_>, _> = recording.sites().expect("it is whole").collect();
    assert_eq!(read.expect("it is whole"), rows);
    let files = recording.files().expect("it is whole");
    assert_eq!((files.len(), files[0].left_out.as_deref(), files[1].hit), (2, Some("why"), 2));
    let mut lines = Vec::new();
    let visited = recording.calls::<ReadError>(|rows| {
        lines.extend(rows.iter().map(|row| (row.lines.clone(), row.cut, row.values.clone())));
        Ok(())
    });
    assert!(visited.is_ok() && lines == [(vec![3, 4], true, vec![value_read()])]);
    let left: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder of ours").collect();
    assert_eq!(left.len(), 4, "no temporary files");
}

#[test]
fn truncated_tables_are_damaged_at_any_length() {
    let folder = folder();
    write(folder.path(), &[row("p/a.py", 1, seen()), row("p/a.py", 2, seen())]);
    let path = folder.path().join("sites.parquet");
    let whole = std::fs::read(&path).expect("it was just written");
    for length in (0..whole.len()).step_by(97) {
        std::fs::write(&path, &whole[..length]).expect("a folder of ours");
        let read = SiteReader::open(&path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        assert!(matches!(read, Err(ReadError::Damaged { .. })), "{length} bytes: {read:?}");
    }
}

#[test]
fn a_table_that_was_changed_is_damaged() {
    let folder = folder();
    write(folder.path(), &[row("p/a.py", 1, seen())]);
    let path = folder.path().join("files.parquet");
    let mut bytes = std::fs::read(&path).expect("it was just written");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, bytes).expect("a folder of ours");
    let read = Recording::open(folder.path()).and_then(|recording| recording.files());
    assert!(matches!(read, Err(ReadError::Damaged { .. })), "{read:?}");
}

#[test]
fn a_table_with_too_few_rows_is_damaged() {
    let folder = folder();
    let summary = write(folder.path(), &[row("p/a.py", 1, seen())]);
    let summary = Summary { sites_hit: 2, ..summary };
    let text = serde_json::to_string(&summary).expect("plain data");
    std::fs::write(folder.path().join("trace.json"), text).expect("a folder of ours");
    let opened = Recording::open(folder.path()).and_then(|recording| recording.sites());
    assert_eq!(opened.map(|_| ()).map_err(|error| error.to_string().contains("1 rows of 2")), Err(true));
}

#[test]
fn rows_of_the_same_site_become_one() {
    let rows = [row("a", 1, seen()), row("a", 1, seen()), row("b", 1, seen())];
    let mut out: Vec<(Arc<str>, u32)> = Vec::new();
    let result: Result<(), ()> = together(rows.into_iter().map(Ok), |row| {
        out.push((row.file.clone(), row.seen.total));
        Ok(())
    });
    assert!(result.is_ok());
    assert_eq!(out, [("a".into(), 14), ("b".into(), 7)]);
}

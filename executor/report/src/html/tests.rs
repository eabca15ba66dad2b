//! Pages of hostile and of plain reports.

use surmise_instrument::cleanup::{Repair, RepairKind};

use super::source::marked;
use super::*;
use crate::Times;
use crate::visible::is_deceptive;
use surmise_engine::protocol::{Injection, Raised};
use surmise_identity::Identity;

fn report(source: &str) -> Report {
    Report {
        name: "snippet.py".into(),
        source: source.into(),
        outcome: Outcome::Completed,
        exit_code: 0,
        error: None,
        lines: Vec::new(),
        covered: Vec::new(),
        injections: Vec::new(),
        errors: Vec::new(),
        best: Vec::new(),
        branches: Vec::new(),
        plausible: crate::PlausibleRun::default(),
        candidates: Vec::new(),
        tried: crate::Tried::default(),
        log_probability: 0.0,
        runs: 1,
        unsteady: false,
        surroundings: crate::Surroundings::default(),
        sampled_input: None,
        language_model: None,
        identity: Identity::built_in(),
        uses: (0, 0),
        repairs: Vec::new(),
        stdout: String::new(),
        stderr: String::new(),
        times: Times::default(),
        internal: None,
        recording: None,
        script: None,
    }
}

fn injection(line: u32, kind: &str, name: &str, value: &str) -> Injection {
    Injection {
        line,
        kind: kind.into(),
        name: name.into(),
        class: Some("object".into()),
        value: value.into(),
        probability: Some(0.625),
        rank: Some(2),
        site: Some(0),
        ..Injection::default()
    }
}

fn raised(line: u32, column: u32, end_column: u32) -> Raised {
    Raised {
        kind: "KeyError".into(),
        message: "'port'".into(),
        line,
        column: Some(column),
        end_column: Some(end_column),
        exit_code: 1,
        elsewhere: false,
        in_package: false,
    }
}

/// Every field with the same text.
fn everywhere(text: &str) -> Report {
    let repair = Repair { line: 1, last_line: 1, kind: RepairKind::Blanked, message: text.into() };
    Report {
        name: text.into(),
        outcome: Outcome::Error,
        error: Some(Raised { kind: text.into(), message: text.into(), ..raised(1, 0, u32::MAX) }),
        lines: vec![1],
        covered: vec![1],
        injections: vec![
            Injection { class: Some(text.into()), ..injection(1, text, text, text) },
            injection(0, "variable", text, text),
            injection(u32::MAX, "attribute", text, text),
        ],
        repairs: vec![repair],
        stdout: text.into(),
        stderr: text.into(),
        internal: Some(text.into()),
        ..report(text)
    }
}

#[test]
fn hostile_text_is_escaped_in_every_field() {
    let hostile = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(1)></style><!--&amp;";
    let page = render(&everywhere(hostile));
    for markup in ["<script", "</script", "<img", "<!--", "alert(1)>\"", "&amp;"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert_eq!(page.matches("</style").count(), 1);
    let escaped = "&#60;/script&#62;&#60;script&#62;alert(1)&#60;/script&#62;";
    assert!(page.matches(escaped).count() >= 20, "{}", page.matches(escaped).count());
}

#[test]
fn what_cannot_be_seen_is_shown_as_an_escape() {
    let page = render(&everywhere("a\0\u{202e}b\u{2066}\u{200b}\u{1b}[31m\u{85}\u{feff}\u{e0041}\r."));
    assert!(page.chars().all(|character| !is_deceptive(character)));
    let shown = r#"a<span class="escape">\x00\u202e</span>b<span class="escape">\u2066\u200b\x1b</span>[31m<span class="escape">\x85\ufeff\U000e0041\r</span>."#;
    assert!(page.contains(shown), "in the name");
    assert!(page.contains(r"<title>a\x00\u202eb"), "in the title");
}

#[test]
fn what_is_long_is_cut_with_a_note() {
    let long = "x".repeat(1 << 20);
    let page = render(&everywhere(&long));
    assert!(page.len() < 300_000, "{}", page.len());
    assert!(page.contains("… 948,576 more characters …"), "streams");
    assert!(page.contains("… 1,046,576 more characters …"), "lines");
    let mut many = report(&"x\n".repeat(30_000));
    many.injections = (0..10_000).map(|_| injection(7, "variable", "x", "1")).collect();
    let page = render(&many);
    for note in ["10000 more lines are not shown", "8000 more injections are not shown", ">9984 more<"] {
        assert!(page.contains(note), "{note}");
    }
}

#[test]
fn rows_have_the_marks_of_their_lines() {
    let mut report = report("a\r\nb\rc\nd\n");
    (report.lines, report.covered, report.best) = (vec![1, 2, 4], vec![1, 4], vec![1]);
    let page = render(&report);
    assert_eq!(page.matches("class=\"line covered\"").count(), report.best.len());
    assert_eq!(page.matches("class=\"line covered elsewhere\"").count(), 1);
    assert_eq!(page.matches("class=\"line missed\"").count(), report.missed().len());
    assert_eq!(page.matches("class=\"line uncounted\"").count(), 1);
    for (title, mark) in [("covered", "✓"), ("covered by other runs", "+"), ("missed", "✗")] {
        assert_eq!(page.matches(&format!("title=\"{title}\"")).count(), 1, "{title}");
        // The style sheet has the marks, with the words that are read out.
        assert!(page.contains(&format!("content: \"{mark}\" / \"{title}\"")), "{title}");
    }
    assert!(page.contains("2 of 3 (67%)") && page.contains("missed: <a href=\"#L2\">2</a>"));
}

/// A report of hundreds of functions must not be too large to send: most of it are lines.
#[test]
fn lines_are_short_in_pages_of_a_folder() {
    let (source, empty) = ("x = 1\n".repeat(1000), report(""));
    let mut report = report(&source);
    (report.lines, report.covered, report.best) = ((1..=1000).collect(), (1..=1000).collect(), (1..=1000).collect());
    let folder = Folder { index: "../index.html", style: "../report.css" };
    let page = render_in(&report, folder);
    let rows = page.matches("<tr class=\"line").count();
    let of_rows = page.len() - render_in(&empty, folder).len();
    assert!(rows == 1000 && of_rows / rows < 200, "{of_rows} bytes for {rows} lines");
}

#[test]
fn shares_are_rounded_but_only_all_is_everything() {
    assert_eq!([share(0, 0), share(1, 3), share(2, 3), share(999, 1000), share(7, 7)], [0, 33, 67, 99, 100]);
}

#[test]
fn missed_lines_are_listed_in_ranges() {
    let mut report = report("");
    (report.lines, report.covered) = (vec![1, 2, 4, 5, 9, 11], vec![1, 5]);
    let (ranges, more) = ranges(&report);
    let texts: Vec<&str> = ranges.iter().map(|range| range.text.as_str()).collect();
    assert_eq!((texts.as_slice(), more), (["2–4", "9–11"].as_slice(), 0));
}

#[test]
fn injections_stand_below_their_lines_and_in_the_table() {
    assert!(render(&report("")).contains("Nothing was injected"));
    let mut report = report("import a\nx = f(a.b)\n");
    report.injections = vec![injection(2, "attribute", "b", "[1]"), injection(2, "return value", "f", "<f()>")];
    report.injections.push(Injection {
        class: None,
        probability: None,
        rank: None,
        ..injection(1, "import", "a", "m")
    });
    let page = render(&report);
    assert_eq!(page.matches("class=\"injection\"").count(), report.injections.len());
    assert!(page.contains("<code>.b = [1]</code> <span class=\"about\">object · 62% · rank\u{a0}2</span>"));
    assert!(page.contains("<code>f() = &#60;f()&#62;</code>"));
    assert!(page.contains("<code>a = m</code></li>"), "no class, no probability");
}

#[test]
fn the_error_has_a_frame_with_its_range() {
    let mut report = report("a = 1\n\té = b[\"c\"] + 1\nd\n");
    report.error = Some(raised(2, 5, 11));
    let page = render(&report);
    let line = "\té = <span class=\"range\">b[&#34;c&#34;]</span> + 1</span></div>";
    assert!(page.contains(line), "{page}");
    assert!(page.contains("<span class=\"gutter\">    │ </span><span class=\"text\">\t    ^^^^^^</span></div>"));
    assert!(page.contains("raised KeyError"));
    for (column, end) in [(7, 3), (90, 95), (2, 2), (0, u32::MAX)] {
        report.error = Some(raised(2, column, end));
        assert!(render(&report).contains('^'), "{column}, {end}");
    }
    report.error = Some(raised(9, 0, 1));
    assert!(!render(&report).contains("#L9"), "no such line");
}

#[test]
fn a_long_line_is_shown_where_it_raised() {
    let text = format!("{}boom{}", "x".repeat(5_000), "y".repeat(5_000));
    let (parts, carets) = marked(&text, (5_000, 5_004));
    assert_eq!(parts[2], Part { look: "range", text: "boom".into() });
    assert_eq!(carets, format!("{}^^^^", " ".repeat(BEFORE_RANGE + 1)));
    assert_eq!(parts.last().map(|part| part.look), Some("cut"));
}

#[test]
fn the_page_is_whole_and_follows_the_colour_scheme() {
    let page = render(&everywhere("x"));
    for rule in ["color-scheme: light dark", "prefers-color-scheme: dark", "@media print", "max-width: 40rem"] {
        assert!(page.contains(rule), "{rule}");
    }
    for landmark in ["<!doctype html>", "<html lang=\"en\">", "<header>", "<main>", "<footer>", "<h1>", "<nav "] {
        assert_eq!(page.matches(landmark).count(), 1, "{landmark}");
    }
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
}

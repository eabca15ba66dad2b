//! Results as an LCOV tracefile (geninfo(1)): a section for each file, merged over what was run of it.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;
use surmise_instrument::{SourceModel, extract};

use super::items::Item;
use super::record::Record;

/// What is known of files: an execution count of 1 for each line that some run covered.
#[derive(Debug, Default)]
pub struct Lcov {
    files: BTreeMap<String, File>,
}

#[derive(Debug, Default)]
struct File {
    /// Lines that count, and whether any run covered them.
    lines: BTreeMap<u64, bool>,
    /// Qualified names of functions, with their first lines and whether any run was in them.
    functions: BTreeMap<String, (u32, bool)>,
}

impl Lcov {
    /// Adds the result of a snippet.
    pub fn add(&mut self, item: &Item, record: &Record) {
        let Ok(report) = &record.report else { return };
        let lines = |key: &str| -> Vec<u64> {
            report["lines"][key].as_array().into_iter().flatten().filter_map(Value::as_u64).collect()
        };
        let path = if item.function.is_some() { item.name.split("::").next().unwrap_or_default() } else { &item.name };
        let file = self.files.entry(path.to_owned()).or_default();
        let covered = lines("covered_lines");
        for line in lines("missed_lines") {
            file.lines.entry(line).or_insert(false);
        }
        for &line in &covered {
            file.lines.insert(line, true);
        }
        let Some(model) = item.source.as_ref().ok().and_then(|source| SourceModel::parse(source.text.as_str()).ok())
        else {
            return;
        };
        let own = |name: &String| item.function.as_ref().is_none_or(|function| function == name);
        for function in extract::qualnames(&model).into_iter().filter(|function| own(&function.qualname)) {
            // The header runs where the function is defined.
            let first = u64::from(function.line) + u64::from(function.last_line > function.line);
            let inside = first..=u64::from(function.last_line);
            let is_hit = covered.iter().any(|line| inside.contains(line));
            file.functions.entry(function.qualname).or_insert((function.line, false)).1 |= is_hit;
        }
    }

    /// The tracefile.
    #[must_use]
    pub fn render(&self) -> String {
        let mut text = String::new();
        for (path, File { lines, functions }) in &self.files {
            let _ = writeln!(text, "TN:\nSF:{path}");
            for (name, (line, _)) in functions {
                let _ = writeln!(text, "FN:{line},{name}");
            }
            for (name, (_, is_hit)) in functions {
                let _ = writeln!(text, "FNDA:{},{name}", u8::from(*is_hit));
            }
            let hit = functions.values().filter(|(_, is_hit)| *is_hit).count();
            let _ = writeln!(text, "FNF:{}\nFNH:{hit}", functions.len());
            for (line, is_covered) in lines {
                let _ = writeln!(text, "DA:{line},{}", u8::from(*is_covered));
            }
            let covered = lines.values().filter(|is_covered| **is_covered).count();
            let _ = write!(text, "LF:{}\nLH:{covered}\nend_of_record\n", lines.len());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use surmise_engine::source::Source;

    use super::*;

    fn item(function: Option<&str>) -> Item {
        let text = "def f():\n    return 1\ndef g():\n    return 2\n".to_owned();
        Item {
            index: 0,
            name: function.map_or("a.py".to_owned(), |function| format!("a.py::{function}")),
            source: Ok(Source { name: "a.py".to_owned(), path: None, text }),
            function: function.map(str::to_owned),
        }
    }

    fn record(covered: &[u32], missed: &[u32]) -> Record {
        let report = serde_json::json!({ "lines": { "covered_lines": covered, "missed_lines": missed } });
        Record { index: 0, fingerprint: "f".into(), configuration: "model".into(), report: Ok(report) }
    }

    #[test]
    fn functions_of_a_file_are_one_section() {
        let mut lcov = Lcov::default();
        lcov.add(&item(Some("f")), &record(&[2], &[]));
        lcov.add(&item(Some("g")), &record(&[], &[4]));
        lcov.add(&item(None), &record(&[1, 3], &[2, 4]));
        let expected = "TN:\nSF:a.py\nFN:1,f\nFN:3,g\nFNDA:1,f\nFNDA:0,g\nFNF:2\nFNH:1\n\
                        DA:1,1\nDA:2,1\nDA:3,1\nDA:4,0\nLF:4\nLH:3\nend_of_record\n";
        assert_eq!(lcov.render(), expected);
        lcov.add(&item(None), &Record { report: Err("gone".into()), ..record(&[], &[]) });
        assert_eq!(lcov.render(), expected);
    }
}

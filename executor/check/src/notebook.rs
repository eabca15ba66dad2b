//! Code of Jupyter notebooks, formats 3 and 4, with its places in the JSON file.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::page::{CodeLine, Columns, Listing};

/// A notebook that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("not a notebook: {0}")]
pub struct BadNotebook(#[from] serde_json::Error);

#[derive(Deserialize)]
struct Notebook<'a> {
    #[serde(borrow, default)]
    cells: Vec<Cell<'a>>,
    #[serde(borrow, default)]
    worksheets: Vec<Worksheet<'a>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Worksheet<'a> {
    #[serde(borrow, default)]
    cells: Vec<Cell<'a>>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    kernelspec: Option<Named>,
    language_info: Option<Named>,
}

#[derive(Deserialize)]
struct Named {
    name: Option<String>,
    language: Option<String>,
}

#[derive(Deserialize)]
struct Cell<'a> {
    #[serde(rename = "cell_type")]
    kind: String,
    /// Format 4; a string, or the lines of one.
    #[serde(borrow)]
    source: Option<&'a RawValue>,
    /// Format 3.
    #[serde(borrow)]
    input: Option<&'a RawValue>,
    #[serde(default)]
    outputs: Vec<Output>,
    #[serde(default)]
    metadata: CellMetadata,
}

#[derive(Deserialize)]
struct Output {
    output_type: String,
}

#[derive(Default, Deserialize)]
struct CellMetadata {
    #[serde(default)]
    tags: Vec<String>,
}

/// All code cells of a notebook, and the prose before each.
pub(crate) fn listings(text: &str) -> Result<Vec<Listing>, BadNotebook> {
    let notebook: Notebook<'_> = serde_json::from_str(text)?;
    let named = |named: &Named| named.language.clone().or_else(|| named.name.clone());
    let Metadata { kernelspec, language_info } = &notebook.metadata;
    let language = language_info.as_ref().and_then(named).or_else(|| kernelspec.as_ref().and_then(named));
    let language = language.unwrap_or_else(|| "python".to_owned()).to_lowercase();
    let place = Place::new(text);
    let cells = notebook.cells.iter().chain(notebook.worksheets.iter().flat_map(|sheet| &sheet.cells));
    let (mut found, mut section, mut before) = (Vec::<Listing>::new(), 0, String::new());
    for (number, cell) in (1..).zip(cells) {
        let lines = cell.source.or(cell.input).map_or_else(Vec::new, |raw| place.lines(raw.get()));
        if cell.kind != "code" {
            section += u32::from(lines.iter().any(|line| line.text.starts_with('#')));
            before = lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>().join(" ");
            if let Some(last) = found.last_mut().filter(|last| last.after.is_empty()) {
                last.after.clone_from(&before);
            }
            continue;
        }
        let has = |tag: &str| cell.metadata.tags.iter().any(|own| own == tag);
        let raises = has("raises-exception")
            || cell.outputs.iter().any(|output| matches!(output.output_type.as_str(), "error" | "pyerr"));
        let skipped = has("skip-execution") || has("skip");
        let (label, before) = (Some(language.clone()), std::mem::take(&mut before));
        found.push(Listing {
            label,
            lines,
            skipped,
            raises,
            section,
            before,
            after: String::new(),
            cell: Some(number),
            docstring: None,
        });
    }
    Ok(found)
}

/// Where the strings of a JSON text stand in it.
struct Place<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Place<'a> {
    fn new(text: &'a str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        Self { text, starts: std::iter::once(0).chain(ends).collect() }
    }

    /// The lines of a string, or of a list of strings, which is a part of the text.
    fn lines(&self, raw: &'a str) -> Vec<CodeLine> {
        let pieces: Vec<&RawValue> = serde_json::from_str(raw).unwrap_or_default();
        let mut pieces: Vec<&str> = pieces.iter().map(|piece| piece.get()).collect();
        if pieces.is_empty() && raw.starts_with('"') {
            pieces.push(raw);
        }
        let mut lines: Vec<CodeLine> = Vec::new();
        let mut is_open = false;
        for piece in pieces {
            for (line, ends) in self.of_string(piece) {
                if is_open && let Some(last) = lines.last_mut() {
                    last.text.push_str(&line.text);
                } else {
                    lines.push(line);
                }
                is_open = !ends;
            }
        }
        lines
    }

    /// The lines of a string as it is written in JSON, and whether each of them ends there.
    fn of_string(&self, written: &'a str) -> Vec<(CodeLine, bool)> {
        let offset = written.as_ptr() as usize - self.text.as_ptr() as usize;
        let row = self.starts.partition_point(|start| *start <= offset);
        let first = self.text[self.starts[row - 1]..offset].chars().count() as u32;
        let mut found = Vec::new();
        let (mut text, mut table) = (String::new(), Vec::new());
        let inside = written.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(written);
        let inside: Vec<char> = inside.chars().collect();
        let mut at = 0;
        while at < inside.len() {
            let column = first + 1 + at as u32;
            let (length, character) = escape(&inside[at..]);
            at += length;
            if character == '\n' {
                table.push(column);
                let line = CodeLine {
                    text: std::mem::take(&mut text),
                    line: row as u32,
                    columns: Columns::Table(std::mem::take(&mut table)),
                };
                found.push((line, true));
            } else if character != '\r' {
                text.push(character);
                table.push(column);
            }
        }
        if !text.is_empty() || found.is_empty() {
            table.push(first + 1 + at as u32);
            found.push((CodeLine { text, line: row as u32, columns: Columns::Table(table) }, false));
        }
        found
    }
}

/// Length and meaning of what stands at the start of a part of a JSON string.
fn escape(text: &[char]) -> (usize, char) {
    let hex = |from: usize| {
        let digits: String = text.get(from..from + 4)?.iter().collect();
        u32::from_str_radix(&digits, 16).ok()
    };
    match text {
        ['\\', 'u', ..] => match hex(2) {
            // A pair of surrogates.
            Some(high @ 0xd800..=0xdbff) => match (text.get(6), text.get(7), hex(8)) {
                (Some('\\'), Some('u'), Some(low @ 0xdc00..=0xdfff)) => {
                    let code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
                    (12, char::from_u32(code).unwrap_or('\u{fffd}'))
                }
                _ => (6, '\u{fffd}'),
            },
            Some(code) => (6, char::from_u32(code).unwrap_or('\u{fffd}')),
            None => (2, '\u{fffd}'),
        },
        ['\\', 'n', ..] => (2, '\n'),
        ['\\', 't', ..] => (2, '\t'),
        ['\\', 'r', ..] => (2, '\r'),
        ['\\', 'b', ..] => (2, '\u{8}'),
        ['\\', 'f', ..] => (2, '\u{c}'),
        ['\\', other, ..] => (2, *other),
        [other, ..] => (1, *other),
        [] => (1, ' '),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_are_those_of_the_file() {
        let text = concat!(
            "{\"cells\": [\n",
            " {\"cell_type\": \"markdown\", \"source\": \"# A\", \"metadata\": {}},\n",
            " {\"cell_type\": \"code\", \"metadata\": {}, \"outputs\": [{\"output_type\": \"error\"}],\n",
            "  \"source\": [\n",
            "   \"x = \\\"a\\\"\\n\",\n",
            "   \"y = \\\"x\\\"\"]}],\n",
            " \"nbformat\": 4}"
        );
        let found = listings(text).expect("a notebook");
        let [cell] = found.as_slice() else { panic!("{found:?}") };
        assert!(cell.raises && cell.cell == Some(2) && cell.section == 1 && cell.before == "# A");
        let lines: Vec<(&str, u32)> = cell.lines.iter().map(|line| (line.text.as_str(), line.line)).collect();
        assert_eq!(lines, [("x = \"a\"", 5), ("y = \"x\"", 6)]);
        // The letter behind the escaped quotation mark, and the end of the line.
        assert_eq!([4, 5, 7].map(|column| cell.lines[0].columns.of(column)), [8, 10, 13]);
        assert_eq!(&text.lines().nth(4).expect("a line")[10..11], "a");
        let whole =
            listings("{\"cells\": [{\"cell_type\": \"code\", \"source\": \"a\\u00e9\\nb\"}]}").expect("a notebook");
        assert_eq!(whole[0].lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["a\u{e9}", "b"]);
        assert!(listings("{\"cells\": 3}").is_err() && listings("").is_err());
    }
}

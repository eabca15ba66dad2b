//! What one recorded call had: the answers of a predictor that is never wrong, for telling what better ones could bring.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use surmise_instrument::LineIndex;

use super::Predictor;
use crate::classes::Class;
use crate::query::{Prediction, Query, Use};

/// Form of the file.
const SCHEMA: &str = "surmise.recorded-call/1";

/// Position of an expression: line from 1 and column in bytes from 0, of its begin and of its end.
type Place = (u32, u32, u32, u32);

/// Answers with the classes that one recorded call read, each with the probability 1. A variable that the call did not
/// read at a site has the value that the call first read under that name; all that the call did not read is an object.
#[derive(Clone, Debug, Default)]
pub struct Recorded {
    values: HashMap<(Place, Use), RecordedValue>,
    variables: HashMap<String, RecordedValue>,
    conditions: HashMap<(u32, u32), bool>,
}

/// A value that a recorded call read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedValue {
    /// Its class.
    pub class: Class,
    /// A string itself, or a number as Python's `repr` prints it, where the recording has it.
    pub literal: Option<String>,
    /// Length of a container or a string, in elements or characters, where the recording has it.
    pub length: Option<u32>,
}

/// Why a file with a recorded call cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {problem}", path = path.display())]
pub struct BadRecordedCall {
    path: PathBuf,
    problem: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    schema: String,
    /// In the order in which they were read.
    values: Vec<FileValue>,
    #[serde(default)]
    conditions: Vec<FileCondition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileValue {
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    /// Kind of use, as recordings name it.
    kind: String,
    name: String,
    /// Number of the class in recordings.
    class: u32,
    literal: Option<String>,
    length: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileCondition {
    line: u32,
    column: u32,
    holds: bool,
}

impl Recorded {
    /// Reads the values of a call from a JSON file (docs/trace-format.md, "One call").
    ///
    /// # Errors
    /// If the file cannot be read or has another form.
    pub fn open(path: &Path) -> Result<Self, BadRecordedCall> {
        let bad = |problem: String| BadRecordedCall { path: path.to_owned(), problem };
        let text = std::fs::read_to_string(path).map_err(|error| bad(error.to_string()))?;
        Self::parse(&text).map_err(bad)
    }

    fn parse(text: &str) -> Result<Self, String> {
        let file: File = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.schema != SCHEMA {
            return Err(format!("its schema is `{}`, and not `{SCHEMA}`", file.schema));
        }
        let mut recorded = Self::default();
        for value in file.values {
            let kind = match value.kind.as_str() {
                "variable" => Use::Variable,
                "attribute" => Use::Attribute,
                "return value" => Use::ReturnValue,
                other => return Err(format!("`{other}` is no kind of use")),
            };
            let class = 1_u32.checked_shl(value.class).and_then(|mask| Class::of_observed(mask).next());
            let class = class.ok_or_else(|| format!("{} is the number of no class", value.class))?;
            let found = RecordedValue { class, literal: value.literal, length: value.length };
            if kind == Use::Variable {
                recorded.variables.entry(value.name).or_insert_with(|| found.clone());
            }
            let place = (value.line, value.column, value.end_line, value.end_column);
            recorded.values.entry((place, kind)).or_insert(found);
        }
        recorded.conditions = file.conditions.into_iter().map(|one| ((one.line, one.column), one.holds)).collect();
        Ok(recorded)
    }

    /// What the call read where a query asks, given the lines of the query's source.
    pub fn value(&self, query: &Query<'_>, lines: &LineIndex) -> Option<&RecordedValue> {
        let (begin, end) = (lines.position(query.start as u32), lines.position(query.end as u32));
        let same = self.values.get(&((begin.0, begin.1, end.0, end.1), query.kind));
        same.or_else(|| self.variables.get(query.name).filter(|_| query.kind == Use::Variable))
    }

    /// What the condition, or the loop over what begins at a position, first came to in the call: line from 1, column
    /// in bytes from 0.
    #[must_use]
    pub fn holds(&self, line: u32, column: u32) -> Option<bool> {
        self.conditions.get(&(line, column)).copied()
    }
}

impl Predictor for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn predict(&self, queries: &[Query<'_>]) -> Vec<Vec<Prediction>> {
        let Some(first) = queries.first() else { return Vec::new() };
        // Positions are those of one source; a batch is of one, too.
        let own = first.model.is_none().then(|| LineIndex::new(first.source));
        let class = |query: &Query<'_>| {
            let lines = query.model.map(surmise_instrument::SourceModel::lines).or(own.as_ref());
            lines.and_then(|lines| self.value(query, lines)).map_or(Class::Object, |value| value.class)
        };
        queries.iter().map(|query| vec![Prediction { class: class(query), probability: 1.0 }]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUE: &str = r#"{"line": 2, "column": 4, "end_line": 2, "end_column": 5, "kind": "variable", "name": "x",
        "class": 10, "literal": "utf-8", "length": 5}"#;

    fn file(values: &str) -> String {
        format!(
            r#"{{"schema": "{SCHEMA}", "values": [{values}], "conditions": [{{"line": 2, "column": 4, "holds": false}}]}}"#
        )
    }

    #[test]
    fn sites_have_the_values_of_their_positions_and_variables_also_those_of_their_names() {
        let recorded = Recorded::parse(&file(VALUE)).expect("the form of the file");
        let source = "def f(x):\n    x.y\n    x\n";
        let query = |start, end, name, kind| Query { name, kind, source, model: None, start, end, anchor: end };
        let queries = [
            query(14, 15, "x", Use::Variable),
            query(22, 23, "x", Use::Variable),
            query(14, 17, "y", Use::Attribute),
            query(14, 15, "x", Use::Attribute),
        ];
        let classes: Vec<Class> = recorded.predict(&queries).iter().map(|ranked| ranked[0].class).collect();
        assert_eq!(classes, [Class::Str, Class::Str, Class::Object, Class::Object]);
        let found = recorded.value(&queries[0], &LineIndex::new(source)).expect("it was read");
        assert_eq!((found.literal.as_deref(), found.length), (Some("utf-8"), Some(5)));
        assert_eq!((recorded.holds(2, 4), recorded.holds(3, 4)), (Some(false), None));
    }

    #[test]
    fn other_files_are_refused() {
        for (text, problem) in [
            (String::new(), "EOF"),
            (r#"{"schema": "other", "values": []}"#.to_owned(), "its schema is `other`"),
            (file(&VALUE.replace("variable", "thing")), "`thing` is no kind of use"),
            (file(&VALUE.replace("10", "26")), "26 is the number of no class"),
            (file(&VALUE.replace("10", "99")), "99 is the number of no class"),
            (file(&VALUE.replace("length", "size")), "unknown field `size`"),
        ] {
            let refused = Recorded::parse(&text).expect_err(&text);
            assert!(refused.contains(problem), "{refused}");
        }
        let missing = Recorded::open(Path::new("/nowhere/call.json")).expect_err("there is none");
        assert!(missing.to_string().starts_with("/nowhere/call.json: "), "{missing}");
    }
}

//! The published schemas, and documents that are checked against them: each that a command of a test prints, and files.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::Command;
use std::sync::LazyLock;

use jsonschema::{Registry, Validator};
use serde_json::{Deserializer, Value};

/// Folder of the schemas.
pub fn folder() -> PathBuf {
    super::tests_folder().with_file_name("docs").join("schemas")
}

/// The schemas by the names of their documents, such as `surmise.run/1`.
pub static SCHEMAS: LazyLock<BTreeMap<String, Value>> = LazyLock::new(|| {
    let entries = std::fs::read_dir(folder()).expect("a folder of schemas");
    let read = |path: PathBuf| {
        let text = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let schema: Value = serde_json::from_slice(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (schema["title"].as_str().expect("a title").to_owned(), schema)
    };
    let paths = entries.map(|entry| entry.expect("a readable folder").path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "json")).map(read).collect()
});

static VALIDATORS: LazyLock<BTreeMap<String, Validator>> = LazyLock::new(|| {
    let mut registry = Registry::new();
    for schema in SCHEMAS.values() {
        registry = registry.add(schema["$id"].as_str().expect("an identifier"), schema.clone()).expect("a schema");
    }
    let registry = registry.prepare().expect("schemas that refer to each other");
    let validator = |(name, schema): (&String, &Value)| {
        let made = jsonschema::options().with_registry(&registry).build(schema);
        (name.clone(), made.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    SCHEMAS.iter().map(validator).collect()
});

/// Checks a document against the schema of a name.
///
/// # Errors
/// If it does not fit, or there is no such schema.
pub fn fits(name: &str, document: &Value) -> Result<(), String> {
    let validator = VALIDATORS.get(name).ok_or_else(|| format!("there is no docs/schemas file for `{name}`"))?;
    let complaints: Vec<String> = validator
        .iter_errors(document)
        .map(|error| {
            format!(
                "{name} at `{}`: {}",
                error.instance_path(),
                error.to_string().chars().take(500).collect::<String>()
            )
        })
        .collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// Checks what a command with `--json` printed, one document or several; of `trace`, whose commands print as well, and of
/// commands that ended with an error, only what is JSON.
///
/// # Errors
/// If a document does not fit its schema, or names none.
pub fn check_output(command: &Command, stdout: &[u8]) -> Result<(), String> {
    let arguments: Vec<&OsStr> = command.get_args().collect();
    if !arguments.contains(&OsStr::new("--json")) {
        return Ok(());
    }
    for document in Deserializer::from_slice(stdout).into_iter::<Value>() {
        let Ok(document) = document else { return Ok(()) };
        match document["schema"].as_str() {
            Some(name) => fits(name, &document)?,
            None if arguments.contains(&OsStr::new("trace")) => {}
            None => return Err(format!("{command:?} printed a document that names no schema: {document}")),
        }
    }
    Ok(())
}

/// Checks each line of a file.
#[track_caller]
pub fn check_lines(name: &str, text: &str) {
    assert!(!text.is_empty(), "no lines of {name}");
    for line in text.lines() {
        let document = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        fits(name, &document).unwrap_or_else(|error| panic!("{error}\n{line}"));
    }
}

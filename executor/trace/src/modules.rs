//! Joins the recorded modules with their sources, which have the positions of the recorded sites.

use std::io::ErrorKind;
use std::path::{Component, Path};
use std::sync::Arc;

use compact_str::CompactString;
use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};
use surmise_instrument::record::{ObservedSite, record};
use surmise_instrument::{Kind, SourceModel};
use surmise_recorder::config::{Module, registry};

use super::fold::Folded;
use super::row::{FileRow, Place, SiteRow};
use surmise_engine::source::{self, SourceError};

/// Reads the registry of modules, with a description of any damage.
///
/// # Errors
/// If it cannot be read. An empty registry is not an error.
pub fn read(spool: &Path) -> std::io::Result<(Vec<Module>, Option<String>)> {
    let path = registry(spool);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let mut modules: Vec<Module> = Vec::new();
    let mut places = FxHashMap::default();
    let mut bad = 0;
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let Ok(module) = serde_json::from_slice::<Module>(line) else {
            bad += 1;
            continue;
        };
        // A later line for the same file replaces an earlier one.
        let place = *places.entry((module.path.clone(), module.sha256.clone())).or_insert(modules.len());
        if place == modules.len() {
            modules.push(module);
        } else {
            modules[place] = module;
        }
    }
    let problem = (bad > 0).then(|| format!("modules.jsonl: {bad} of its lines are damaged"));
    Ok((modules, problem))
}

/// A module's path from the folder that holds its top-level package: `flask/app.py`.
pub fn relative(module: &Module) -> String {
    let is_package = module.path.file_stem().is_some_and(|stem| stem == "__init__");
    let parts = module.name.split('.').count() + usize::from(is_package && !module.name.ends_with(".__init__"));
    let components = module.path.components().filter(|part| matches!(part, Component::Normal(_)));
    let names: Vec<_> = components.map(|part| part.as_os_str().to_string_lossy()).collect();
    names[names.len().saturating_sub(parts)..].join("/")
}

/// The row of a file and the rows of its sites, in the order of their positions.
pub fn rows(module: &Module, project: &Arc<str>, folded: &mut Folded) -> (FileRow, Vec<SiteRow>) {
    let file: Arc<str> = relative(module).into();
    let sha256: Arc<str> = module.sha256.as_str().into();
    let mut entry = FileRow {
        project: project.clone(),
        module: module.name.clone(),
        file: file.clone(),
        sha256: sha256.clone(),
        sites: module.sites,
        hit: 0,
        left_out: module.left_out.clone(),
    };
    // Taken even if the file was not recorded, so that the rest at the end belongs to no module at all.
    let seen: Vec<_> = (0..module.sites).map(|index| folded.take(module.first.saturating_add(index))).collect();
    if entry.left_out.is_some() {
        return (entry, Vec::new());
    }
    let (model, sites) = match sites(module) {
        Ok(found) => found,
        Err(problem) => {
            entry.left_out = Some(problem);
            return (entry, Vec::new());
        }
    };
    let mut rows: Vec<SiteRow> = sites
        .into_iter()
        .zip(seen)
        .filter_map(|(site, seen)| {
            let seen = seen?;
            Some(SiteRow {
                project: project.clone(),
                file: file.clone(),
                sha256: sha256.clone(),
                place: place(&model, &site),
                kind: site.kind,
                name: site.name,
                role: site.role,
                attribute: site.attribute,
                seen,
            })
        })
        .collect();
    rows.sort_by(|a, b| a.key().cmp(&b.key()));
    entry.hit = rows.len() as u32;
    (entry, rows)
}

/// A site with its position in the source.
pub struct Positioned {
    /// Position of the expression.
    pub place: Place,
    /// Kind of use.
    pub kind: Kind,
    /// The name read, the attribute's name, or the callee's last component.
    pub name: CompactString,
}

/// The sites of a module in the order of their numbers; none if its file has changed since it was recorded.
pub fn positioned(module: &Module) -> Vec<Positioned> {
    let Ok((model, sites)) = sites(module) else { return Vec::new() };
    let site = |site: ObservedSite| Positioned { place: place(&model, &site), kind: site.kind, name: site.name };
    sites.into_iter().map(site).collect()
}

fn place(model: &SourceModel, site: &ObservedSite) -> Place {
    let (begin, end) = (model.lines().position(site.start), model.lines().position(site.end));
    Place { line: begin.0, column: begin.1, end_line: end.0, end_column: end.1 }
}

/// Source and sites of a module, if its file has not changed since it was recorded.
fn sites(module: &Module) -> Result<(SourceModel, Vec<ObservedSite>), String> {
    let bytes = std::fs::read(&module.path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "the file was gone when the command ended".to_owned(),
        _ => format!("the file cannot be read: {error}"),
    })?;
    if format!("{:x}", Sha256::digest(&bytes)) != module.sha256 {
        return Err("the file changed while it was recorded".to_owned());
    }
    let text = source::decode(&module.path.display().to_string(), &bytes).map_err(|error| match error {
        SourceError::UnknownEncoding { encoding, .. } => {
            format!("it declares the encoding `{encoding}`, which Surmise does not know")
        }
        other => other.to_string(),
    })?;
    let model = SourceModel::parse(universal_newlines(text)).map_err(|error| error.to_string())?;
    let recording = record(&model, 0, &|_| false);
    if recording.sites.len() != module.sites as usize {
        return Err("the recorder is of another version of Surmise: it numbers other sites".to_owned());
    }
    Ok((model, recording.sites))
}

/// Converts line endings to `\n`, as CPython's import does.
fn universal_newlines(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

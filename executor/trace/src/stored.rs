//! Sites as `sites.parquet` and `value_use` tables hold them: flat, with kinds, roles and classes by their names.

use std::borrow::Cow;

use compact_str::CompactString;
use serde::{Deserialize, Serialize};
use surmise_recorder::layout::CLASSES;

use super::row::{self, Place, SiteRow};
use super::seen::{Literal, Seen, Tally};

/// A row of the table; its fields are the columns, in their order. `value_use` tables have those without a default.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredSite<'a> {
    #[serde(borrow, default)]
    project: Cow<'a, str>,
    #[serde(borrow)]
    file: Cow<'a, str>,
    #[serde(borrow, default)]
    sha256: Cow<'a, str>,
    line: i32,
    column: i32,
    end_line: i32,
    end_column: i32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(default)]
    attribute: Option<Cow<'a, str>>,
    classes: u32,
    #[serde(default)]
    total: u32,
    #[serde(borrow, default)]
    counts: Vec<ClassCount<'a>>,
    #[serde(borrow, default)]
    types: Vec<TypeCount<'a>>,
    #[serde(borrow, default)]
    literals: Vec<LiteralCount<'a>>,
    #[serde(default)]
    elements: u32,
    #[serde(default)]
    lengths: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct ClassCount<'a> {
    #[serde(borrow)]
    class: Cow<'a, str>,
    count: u32,
}

#[derive(Serialize, Deserialize)]
struct TypeCount<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    count: u32,
}

#[derive(Serialize, Deserialize)]
struct LiteralCount<'a> {
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    value: Cow<'a, str>,
    count: u32,
}

impl<'a> From<&'a SiteRow> for StoredSite<'a> {
    fn from(row: &'a SiteRow) -> Self {
        let SiteRow { place, seen, .. } = row;
        let counts = seen.counts.entries().iter();
        let types = seen.types.entries().iter();
        let literals = seen.literals.entries().iter();
        let class = |&(bit, count): &(u8, u32)| ClassCount { class: CLASSES[usize::from(bit)].into(), count };
        Self {
            project: (&*row.project).into(),
            file: (&*row.file).into(),
            sha256: (&*row.sha256).into(),
            line: place.line.cast_signed(),
            column: place.column.cast_signed(),
            end_line: place.end_line.cast_signed(),
            end_column: place.end_column.cast_signed(),
            kind: row.kind.as_str().into(),
            name: row.name.as_str().into(),
            role: row.role.as_str().into(),
            attribute: row.attribute.as_deref().map(Cow::from),
            classes: seen.classes,
            total: seen.total,
            counts: counts.map(class).collect(),
            types: types.map(|(name, count)| TypeCount { name: name.as_str().into(), count: *count }).collect(),
            literals: literals
                .map(|(literal, count)| LiteralCount {
                    kind: literal.kind_name().into(),
                    value: literal.value.as_str().into(),
                    count: *count,
                })
                .collect(),
            elements: seen.elements,
            lengths: seen.lengths.to_vec(),
        }
    }
}

impl StoredSite<'_> {
    /// The site of a row, or what is wrong with the row. `project` is for tables without that column, and texts that are
    /// those of the site before share their memory with it.
    pub(super) fn site(self, project: &str, before: Option<&SiteRow>) -> Result<SiteRow, String> {
        let shared = |text: &str, of: fn(&SiteRow) -> &std::sync::Arc<str>| match before.map(of) {
            Some(same) if **same == *text => same.clone(),
            _ => text.into(),
        };
        let unknown = |name: &str, value: &str| format!("its column `{name}` has the unknown value `{value}`");
        let project = if self.project.is_empty() { project } else { &self.project };
        let class = |entry: &ClassCount<'_>| {
            let bit = CLASSES.iter().position(|known| *known == entry.class);
            bit.map(|bit| (bit as u8, entry.count)).ok_or_else(|| unknown("counts", &entry.class))
        };
        let literal = |entry: &LiteralCount<'_>| {
            let literal = Literal::new(&entry.kind, &entry.value);
            literal.map(|literal| (literal, entry.count)).ok_or_else(|| unknown("literals", &entry.kind))
        };
        let mut seen = Seen {
            classes: self.classes,
            total: self.total,
            counts: self.counts.iter().map(class).collect::<Result<Tally<_>, _>>()?,
            types: self.types.iter().map(|entry| (CompactString::new(&entry.name), entry.count)).collect(),
            literals: self.literals.iter().map(literal).collect::<Result<Tally<_>, _>>()?,
            elements: self.elements,
            ..Seen::default()
        };
        if !self.lengths.is_empty() {
            seen.lengths = self.lengths.try_into().map_err(|_| "its column `lengths` has other buckets".to_owned())?;
        }
        Ok(SiteRow {
            project: shared(project, |row| &row.project),
            file: shared(&self.file, |row| &row.file),
            sha256: shared(&self.sha256, |row| &row.sha256),
            place: Place {
                line: self.line.cast_unsigned(),
                column: self.column.cast_unsigned(),
                end_line: self.end_line.cast_unsigned(),
                end_column: self.end_column.cast_unsigned(),
            },
            kind: row::kind(&self.kind).ok_or_else(|| unknown("kind", &self.kind))?,
            name: CompactString::new(&self.name),
            role: row::role(&self.role).ok_or_else(|| unknown("role", &self.role))?,
            attribute: self.attribute.map(CompactString::from),
            seen,
        })
    }
}

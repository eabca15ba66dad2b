//! Decodes columns to rows. Every column is checked, because the files may come from elsewhere.

use std::sync::Arc;

use compact_str::CompactString;
use surmise_recorder::layout::CLASSES;

use super::leaf::Leaf;
use super::row::{self, CallRow, FileRow, Place, SiteRow};
use super::seen::{Literal, Seen, Tally};

/// A batch of rows of a table, column by column.
pub(super) struct Batch {
    /// Number of rows in the batch.
    pub(super) rows: usize,
    /// The columns with their paths in the schema; `None` for a column of a type that no table of ours has.
    pub(super) columns: Vec<(Vec<String>, Option<Leaf>)>,
}

type Result<T> = std::result::Result<T, String>;

impl Batch {
    fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(path, _)| path[0] == name)
    }

    /// The column `name`, or a field of the structures that this column lists.
    fn leaf(&self, name: &str, field: Option<&str>) -> Result<&Leaf> {
        let named =
            |path: &[String]| path[0] == name && field.is_none_or(|field| path.last().is_some_and(|p| p == field));
        let found = self.columns.iter().find(|(path, _)| named(path));
        let (_, leaf) = found.ok_or_else(|| format!("it has no column `{name}`"))?;
        leaf.as_ref().ok_or_else(|| other_type(name))
    }

    fn texts_of(&self, name: &str, field: Option<&str>) -> Result<(&Leaf, Vec<&str>)> {
        let leaf = self.leaf(name, field)?;
        Ok((leaf, leaf.texts().ok_or_else(|| other_type(name))?))
    }

    fn numbers_of(&self, name: &str, field: Option<&str>) -> Result<(&Leaf, Vec<u32>)> {
        let leaf = self.leaf(name, field)?;
        let values = leaf.numbers().ok_or_else(|| other_type(name))?;
        Ok((leaf, values.iter().map(|value| value.cast_unsigned()).collect()))
    }

    /// Checks that a column has exactly one value for each row.
    fn flat<T>(&self, name: &str, (leaf, values): (&Leaf, Vec<T>)) -> Result<Vec<T>> {
        let is_whole = leaf.is_required() && values.len() == self.rows;
        if is_whole { Ok(values) } else { Err(format!("its column `{name}` lacks values")) }
    }

    /// Splits the values of a list column by row.
    fn lists<'a, T>(&self, name: &str, (leaf, values): &'a (&Leaf, Vec<T>)) -> Result<Vec<&'a [T]>> {
        let rows = leaf.by_row(values);
        if rows.len() == self.rows { Ok(rows) } else { Err(format!("its column `{name}` lacks rows")) }
    }

    fn texts(&self, name: &str) -> Result<Vec<&str>> {
        self.flat(name, self.texts_of(name, None)?)
    }

    fn optional_texts(&self, name: &str) -> Result<Vec<Option<&str>>> {
        let texts = self.texts_of(name, None)?;
        Ok(self.lists(name, &texts)?.into_iter().map(|list| list.first().copied()).collect())
    }

    fn numbers(&self, name: &str) -> Result<Vec<u32>> {
        self.flat(name, self.numbers_of(name, None)?)
    }

    /// A column whose rows are lists of counted texts, with one or two texts an entry.
    fn tallies<T>(
        &self,
        name: &str,
        fields: [&str; 2],
        what: impl Fn([&str; 2]) -> Option<T>,
    ) -> Result<Vec<Tally<T>>> {
        let counts = self.numbers_of(name, Some("count"))?;
        let [first, second] = fields.map(|field| self.texts_of(name, Some(field)));
        let (first, second) = (first?, second?);
        let texts = self.lists(name, &first)?.into_iter().zip(self.lists(name, &second)?);
        let tally = |(counts, (first, second)): (&[u32], (&[&str], &[&str]))| {
            let texts = first.iter().zip(second);
            let entry = |(&count, (&first, &second))| Some((what([first, second])?, count));
            let tally: Option<Tally<T>> = counts.iter().zip(texts).map(entry).collect();
            tally.ok_or_else(|| format!("its column `{name}` has an unknown value"))
        };
        self.lists(name, &counts)?.into_iter().zip(texts).map(tally).collect()
    }
}

fn other_type(name: &str) -> String {
    format!("its column `{name}` is of another type")
}

/// A string column in which equal neighbours share one allocation.
struct Repeated(Arc<str>);

impl Repeated {
    fn get(&mut self, text: &str) -> Arc<str> {
        if *self.0 != *text {
            self.0 = text.into();
        }
        self.0.clone()
    }
}

/// The columns about observed values, as one [`Seen`] for each row.
fn seen(batch: &Batch, classes: &[u32]) -> Result<Vec<Seen>> {
    if !batch.has("counts") {
        return Ok(classes.iter().map(|&classes| Seen { classes, ..Seen::default() }).collect());
    }
    let class = |[class, _]: [&str; 2]| CLASSES.iter().position(|known| *known == class).map(|bit| bit as u8);
    let counts = batch.tallies("counts", ["class", "class"], class)?;
    let types = batch.tallies("types", ["name", "name"], |[name, _]| Some(CompactString::new(name)))?;
    let literals = batch.tallies("literals", ["kind", "value"], |[kind, value]| Literal::new(kind, value))?;
    let (totals, elements) = (batch.numbers("total")?, batch.numbers("elements")?);
    let lengths = batch.numbers_of("lengths", None)?;
    let lengths = batch.lists("lengths", &lengths)?;
    let tallies = counts.into_iter().zip(types).zip(literals);
    let row = |(row, ((counts, types), literals)): (usize, _)| {
        let lengths = lengths[row].try_into().map_err(|_| "its column `lengths` has other buckets".to_owned())?;
        let (classes, total, elements) = (classes[row], totals[row], elements[row]);
        Ok(Seen { classes, total, counts, types, literals, elements, lengths })
    };
    tallies.enumerate().map(row).collect()
}

/// Rows of `sites.parquet` or of a `value_use` table; `project` is for tables without that column.
pub(super) fn sites(batch: &Batch, project: &str) -> Result<Vec<SiteRow>> {
    let absent = |name: &str, instead| if batch.has(name) { batch.texts(name) } else { Ok(vec![instead; batch.rows]) };
    let (projects, hashes) = (absent("project", project)?, absent("sha256", "")?);
    let (files, names) = (batch.texts("file")?, batch.texts("name")?);
    let (kinds, roles) = (batch.texts("kind")?, batch.texts("role")?);
    let (lines, columns) = (batch.numbers("line")?, batch.numbers("column")?);
    let (end_lines, end_columns) = (batch.numbers("end_line")?, batch.numbers("end_column")?);
    let attributes = if batch.has("attribute") { batch.optional_texts("attribute")? } else { vec![None; batch.rows] };
    let [mut project_of, mut file_of, mut hash_of] = ["", "", ""].map(|text| Repeated(text.into()));
    let unknown = |name: &str, value: &str| format!("its column `{name}` has the unknown value `{value}`");
    let row = |(row, seen): (usize, Seen)| {
        Ok(SiteRow {
            project: project_of.get(projects[row]),
            file: file_of.get(files[row]),
            sha256: hash_of.get(hashes[row]),
            place: Place {
                line: lines[row],
                column: columns[row],
                end_line: end_lines[row],
                end_column: end_columns[row],
            },
            kind: row::kind(kinds[row]).ok_or_else(|| unknown("kind", kinds[row]))?,
            name: CompactString::new(names[row]),
            role: row::role(roles[row]).ok_or_else(|| unknown("role", roles[row]))?,
            attribute: attributes[row].map(CompactString::new),
            seen,
        })
    };
    seen(batch, &batch.numbers("classes")?)?.into_iter().enumerate().map(row).collect()
}

/// Rows of `files.parquet`.
pub(super) fn files(batch: &Batch) -> Result<Vec<FileRow>> {
    let (projects, modules) = (batch.texts("project")?, batch.texts("module")?);
    let (files, hashes) = (batch.texts("file")?, batch.texts("sha256")?);
    let (sites, hit) = (batch.numbers("sites")?, batch.numbers("sites_hit")?);
    let left_out = batch.optional_texts("left_out")?;
    let row = |row: usize| FileRow {
        project: projects[row].into(),
        module: modules[row].to_owned(),
        file: files[row].into(),
        sha256: hashes[row].into(),
        sites: sites[row],
        hit: hit[row],
        left_out: left_out[row].map(str::to_owned),
    };
    Ok((0..batch.rows).map(row).collect())
}

/// Rows of `lines.parquet`.
pub(super) fn calls(batch: &Batch) -> Result<Vec<CallRow>> {
    let (projects, files) = (batch.texts("project")?, batch.texts("file")?);
    let (functions, tests) = (batch.texts("function")?, batch.texts("test")?);
    let lines = batch.numbers_of("lines", None)?;
    let lines = batch.lists("lines", &lines)?;
    let cut = batch.leaf("cut", None)?;
    let cut = batch.flat("cut", (cut, cut.flags().ok_or_else(|| other_type("cut"))?.to_vec()))?;
    let row = |(row, lines): (usize, &[u32])| CallRow {
        project: projects[row].into(),
        file: files[row].to_owned(),
        function: functions[row].to_owned(),
        test: tests[row].to_owned(),
        lines: lines.to_vec(),
        cut: cut[row],
    };
    Ok(lines.into_iter().enumerate().map(row).collect())
}

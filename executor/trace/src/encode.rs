//! Encodes rows as columns, in the order of the schema.

use parquet::data_type::ByteArray;
use surmise_recorder::layout::CLASSES;

use super::leaf::{Leaf, Values};
use super::row::{CallRow, FileRow, SiteRow};

fn texts<'a>(values: impl Iterator<Item = &'a str>) -> Values {
    Values::Text(values.map(ByteArray::from).collect())
}

fn numbers(values: impl Iterator<Item = u32>) -> Values {
    // Parquet stores unsigned numbers in the same four bytes.
    Values::Number(values.map(u32::cast_signed).collect())
}

fn text<'a, T>(rows: &'a [T], of: impl Fn(&'a T) -> &'a str) -> Leaf {
    Leaf::required(texts(rows.iter().map(of)))
}

fn number<T>(rows: &[T], of: impl Fn(&T) -> u32) -> Leaf {
    Leaf::required(numbers(rows.iter().map(of)))
}

/// A list of entries for each row, from which list columns are made.
struct Lists<'a, E> {
    lists: Vec<&'a [E]>,
}

impl<'a, E> Lists<'a, E> {
    fn new<T>(rows: &'a [T], of: impl Fn(&'a T) -> &'a [E]) -> Self {
        Self { lists: rows.iter().map(of).collect() }
    }

    fn leaf(&self, values: Values) -> Leaf {
        Leaf::lists(self.lists.iter().map(|list| list.len()), values)
    }

    fn text(&self, of: impl Fn(&'a E) -> &'a str) -> Leaf {
        self.leaf(texts(self.lists.iter().copied().flatten().map(of)))
    }

    fn number(&self, of: impl Fn(&E) -> u32) -> Leaf {
        self.leaf(numbers(self.lists.iter().copied().flatten().map(of)))
    }
}

/// The columns of `sites.parquet`.
pub(super) fn sites(rows: &[SiteRow]) -> Vec<Leaf> {
    let counts = Lists::new(rows, |row| row.seen.counts.entries());
    let types = Lists::new(rows, |row| row.seen.types.entries());
    let literals = Lists::new(rows, |row| row.seen.literals.entries());
    let lengths = Lists::new(rows, |row| row.seen.lengths.as_slice());
    vec![
        text(rows, |row| &row.project),
        text(rows, |row| &row.file),
        text(rows, |row| &row.sha256),
        number(rows, |row| row.place.line),
        number(rows, |row| row.place.column),
        number(rows, |row| row.place.end_line),
        number(rows, |row| row.place.end_column),
        text(rows, |row| row.kind.as_str()),
        text(rows, |row| &row.name),
        text(rows, |row| row.role.as_str()),
        Leaf::optional(rows.iter().map(|row| row.attribute.as_deref())),
        number(rows, |row| row.seen.classes),
        number(rows, |row| row.seen.total),
        counts.text(|(bit, _)| CLASSES[usize::from(*bit)]),
        counts.number(|(_, count)| *count),
        types.text(|(name, _)| name),
        types.number(|(_, count)| *count),
        literals.text(|(literal, _)| literal.kind_name()),
        literals.text(|(literal, _)| &literal.value),
        literals.number(|(_, count)| *count),
        number(rows, |row| row.seen.elements),
        lengths.number(|length| *length),
    ]
}

/// The columns of `files.parquet`.
pub(super) fn files(rows: &[FileRow]) -> Vec<Leaf> {
    vec![
        text(rows, |row| &row.project),
        text(rows, |row| &row.module),
        text(rows, |row| &row.file),
        text(rows, |row| &row.sha256),
        number(rows, |row| row.sites),
        number(rows, |row| row.hit),
        Leaf::optional(rows.iter().map(|row| row.left_out.as_deref())),
    ]
}

/// The columns of `lines.parquet`.
pub(super) fn calls(rows: &[CallRow]) -> Vec<Leaf> {
    vec![
        text(rows, |row| &row.project),
        text(rows, |row| &row.file),
        text(rows, |row| &row.function),
        text(rows, |row| &row.test),
        Lists::new(rows, |row| row.lines.as_slice()).number(|line| *line),
        Leaf::required(Values::Flag(rows.iter().map(|row| row.cut).collect())),
    ]
}

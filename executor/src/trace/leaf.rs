//! One column of some rows, with the levels by which Parquet tells lists and missing values.
//!
//! A value is there where its definition level is the column's highest; a row starts where the repetition level is 0.
//! Columns that are never missing and are no lists have no levels.

use std::io::Write;

use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

/// Values one after the other, those that are missing left out.
#[derive(Debug)]
pub(super) enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<i32>),
    Flag(Vec<bool>),
}

/// A column.
#[derive(Debug)]
pub(super) struct Leaf {
    values: Values,
    definition: Vec<i16>,
    repetition: Vec<i16>,
    /// The highest definition level.
    defined: i16,
}

impl Leaf {
    /// A value for each row.
    pub(super) fn required(values: Values) -> Self {
        Self { values, definition: Vec::new(), repetition: Vec::new(), defined: 0 }
    }

    /// Text for some of the rows.
    pub(super) fn optional<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut definition = Vec::new();
        let present = texts.inspect(|text| definition.push(i16::from(text.is_some()))).flatten();
        let values = Values::Text(present.map(ByteArray::from).collect());
        Self { values, definition, repetition: Vec::new(), defined: 1 }
    }

    /// A list for each row, by their lengths.
    pub(super) fn lists(lengths: impl Iterator<Item = usize>, values: Values) -> Self {
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        for length in lengths {
            // An empty list has one place, with nothing in it.
            for place in 0..length.max(1) {
                definition.push(i16::from(length > 0));
                repetition.push(i16::from(place > 0));
            }
        }
        Self { values, definition, repetition, defined: 1 }
    }

    /// Writes it as the next column.
    pub(super) fn write<W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
    ) -> Result<(), ParquetError> {
        let missing = || ParquetError::General("the schema has fewer columns".to_owned());
        let mut column = group.next_column()?.ok_or_else(missing)?;
        let (definition, repetition) = (levels(&self.definition), levels(&self.repetition));
        match &self.values {
            Values::Text(values) => column.typed::<ByteArrayType>().write_batch(values, definition, repetition)?,
            Values::Number(values) => column.typed::<Int32Type>().write_batch(values, definition, repetition)?,
            Values::Flag(values) => column.typed::<BoolType>().write_batch(values, definition, repetition)?,
        };
        column.close()
    }

    /// Reads the next rows of a column; none if it is of a type that no table has.
    pub(super) fn read(reader: &mut ColumnReader, defined: i16, rows: usize) -> Result<Option<Self>, ParquetError> {
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        macro_rules! values {
            ($reader:expr, $variant:path) => {{
                let mut values = Vec::new();
                let mut read = 0;
                while read < rows {
                    let wanted = rows - read;
                    let (more, ..) =
                        $reader.read_records(wanted, Some(&mut definition), Some(&mut repetition), &mut values)?;
                    if more == 0 {
                        return Err(ParquetError::EOF("a column ends early".to_owned()));
                    }
                    read += more;
                }
                $variant(values)
            }};
        }
        let values = match reader {
            ColumnReader::ByteArrayColumnReader(reader) => values!(reader, Values::Text),
            ColumnReader::Int32ColumnReader(reader) => values!(reader, Values::Number),
            ColumnReader::BoolColumnReader(reader) => values!(reader, Values::Flag),
            _ => return Ok(None),
        };
        Ok(Some(Self { values, definition, repetition, defined }))
    }

    /// Text, if it is text.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match &self.values {
            Values::Text(values) => values.iter().map(|text| text.as_utf8().ok()).collect(),
            _ => None,
        }
    }

    /// Numbers, if it has such.
    pub(super) fn numbers(&self) -> Option<&[i32]> {
        match &self.values {
            Values::Number(values) => Some(values),
            _ => None,
        }
    }

    /// Flags, if it has such.
    pub(super) fn flags(&self) -> Option<&[bool]> {
        match &self.values {
            Values::Flag(values) => Some(values),
            _ => None,
        }
    }

    /// Whether there is one value for each row.
    pub(super) fn is_required(&self) -> bool {
        self.repetition.is_empty() && self.definition.iter().all(|&level| level == self.defined)
    }

    /// The values of each row: none or one where the column is no list.
    pub(super) fn by_row<'a, T>(&self, values: &'a [T]) -> Vec<&'a [T]> {
        if self.definition.is_empty() {
            return values.chunks(1).collect();
        }
        let mut rows = Vec::new();
        let (mut from, mut to) = (0, 0);
        for (place, level) in self.definition.iter().enumerate() {
            let starts = self.repetition.get(place).is_none_or(|&level| level == 0);
            if starts && place > 0 {
                rows.push(&values[from..to]);
                from = to;
            }
            to += usize::from(*level == self.defined);
        }
        rows.push(&values[from..to]);
        rows
    }
}

fn levels(levels: &[i16]) -> Option<&[i16]> {
    (!levels.is_empty()).then_some(levels)
}

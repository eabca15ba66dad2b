//! One column of a batch of rows, with the levels by which Parquet encodes lists and missing values.
//!
//! An entry has a value if its definition level is the highest of the column, and starts a row if its repetition level
//! is 0. Columns that are neither optional nor lists have no levels.

use std::io::Write;

use parquet::column::reader::ColumnReader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int32Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedRowGroupWriter;

/// The values of a column in sequence, without the missing ones.
#[derive(Debug)]
pub(super) enum Values {
    Text(Vec<ByteArray>),
    Number(Vec<i32>),
    Flag(Vec<bool>),
}

/// A column of a batch of rows.
#[derive(Debug)]
pub(super) struct Leaf {
    values: Values,
    definition: Vec<i16>,
    repetition: Vec<i16>,
    /// The highest definition level of the column.
    defined: i16,
}

impl Leaf {
    /// A column with a value for each row.
    pub(super) fn required(values: Values) -> Self {
        Self { values, definition: Vec::new(), repetition: Vec::new(), defined: 0 }
    }

    /// A column with a text for some of the rows.
    pub(super) fn optional<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut definition = Vec::new();
        let present = texts.inspect(|text| definition.push(i16::from(text.is_some()))).flatten();
        let values = Values::Text(present.map(ByteArray::from).collect());
        Self { values, definition, repetition: Vec::new(), defined: 1 }
    }

    /// A column with a list for each row, given by the lengths and the concatenated values.
    pub(super) fn lists(lengths: impl Iterator<Item = usize>, values: Values) -> Self {
        let (mut definition, mut repetition) = (Vec::new(), Vec::new());
        for length in lengths {
            // An empty list has one entry, without a value.
            for place in 0..length.max(1) {
                definition.push(i16::from(length > 0));
                repetition.push(i16::from(place > 0));
            }
        }
        Self { values, definition, repetition, defined: 1 }
    }

    /// Writes the values as the next column of a row group.
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

    /// Reads the next rows of a column; `None` if its type occurs in no table of ours.
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

    /// The values if they are texts.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        match &self.values {
            Values::Text(values) => values.iter().map(|text| text.as_utf8().ok()).collect(),
            _ => None,
        }
    }

    /// The values if they are numbers.
    pub(super) fn numbers(&self) -> Option<&[i32]> {
        match &self.values {
            Values::Number(values) => Some(values),
            _ => None,
        }
    }

    /// The values if they are flags.
    pub(super) fn flags(&self) -> Option<&[bool]> {
        match &self.values {
            Values::Flag(values) => Some(values),
            _ => None,
        }
    }

    /// Whether the column has exactly one value for each row.
    pub(super) fn is_required(&self) -> bool {
        self.repetition.is_empty() && self.definition.iter().all(|&level| level == self.defined)
    }

    /// The values of each row: none or one unless the column has lists.
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

//! Parquet files, written row group by row group and read in batches of rows.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, ZstdLevel};
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use super::decode::Batch;
use super::error::{ReadError, TraceError};
use super::leaf::Leaf;

/// Number of rows that are decoded at a time.
const ROWS: usize = 4096;

/// A Parquet file that is being written.
pub(super) struct TableWriter {
    writer: SerializedFileWriter<File>,
    /// Final path of the file.
    path: PathBuf,
}

impl TableWriter {
    /// Begins a table in a file that will be renamed to `path`.
    pub(super) fn create(
        file: File,
        path: PathBuf,
        schema: &str,
        metadata: &[(&str, String)],
    ) -> Result<Self, TraceError> {
        let metadata = metadata.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(metadata.collect()))
            .set_created_by(concat!("surmise ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = parse_message_type(schema)
            .and_then(|schema| SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)));
        match writer {
            Ok(writer) => Ok(Self { writer, path }),
            Err(error) => Err(TraceError::write(&path, &error)),
        }
    }

    /// Writes columns as a row group.
    pub(super) fn write(&mut self, columns: &[Leaf]) -> Result<(), TraceError> {
        let mut write = || {
            let mut group = self.writer.next_row_group()?;
            for column in columns {
                column.write(&mut group)?;
            }
            group.close()
        };
        write().map(|_| ()).map_err(|error| TraceError::write(&self.path, &error))
    }

    /// Writes the footer and closes the file.
    pub(super) fn close(self) -> Result<(), TraceError> {
        let path = self.path;
        let file = self.writer.into_inner().map_err(|error| TraceError::write(&path, &error))?;
        file.sync_all().map_err(|error| TraceError::write(&path, &error))
    }
}

/// A Parquet file that is being read.
pub(super) struct TableReader {
    pub(super) path: PathBuf,
    file: SerializedFileReader<File>,
    /// Index of the next row group.
    next: usize,
    /// Columns of the current row group.
    columns: Vec<Column>,
    /// Number of unread rows in the current row group.
    left: usize,
}

struct Column {
    path: Vec<String>,
    reader: ColumnReader,
    defined: i16,
}

impl TableReader {
    /// Opens a file and reads its footer.
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        let file = guarded(|| SerializedFileReader::new(file)).map_err(|error| ReadError::damaged(path, &error))?;
        Ok(Self { path: path.to_owned(), file, next: 0, columns: Vec::new(), left: 0 })
    }

    /// Number of rows in the file.
    pub(super) fn rows(&self) -> u64 {
        self.file.metadata().file_metadata().num_rows().cast_unsigned()
    }

    /// Value of a key in the file's metadata.
    pub(super) fn metadata(&self, key: &str) -> Option<String> {
        let entries = self.file.metadata().file_metadata().key_value_metadata()?;
        entries.iter().find(|entry| entry.key == key)?.value.clone()
    }

    /// Reads the next batch of rows; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<Batch>, ReadError> {
        guarded(|| self.read()).map_err(|error| ReadError::damaged(&self.path, &error))
    }

    fn read(&mut self) -> Result<Option<Batch>, ParquetError> {
        while self.left == 0 {
            if self.next >= self.file.num_row_groups() {
                return Ok(None);
            }
            let group = self.file.get_row_group(self.next)?;
            let column = |place: usize| {
                let description = group.metadata().column(place).column_descr_ptr();
                let reader = group.get_column_reader(place)?;
                let defined = description.max_def_level();
                Ok(Column { path: description.path().parts().to_vec(), reader, defined })
            };
            let columns: Result<_, ParquetError> = (0..group.num_columns()).map(column).collect();
            self.left = usize::try_from(group.metadata().num_rows()).unwrap_or_default();
            self.columns = columns?;
            self.next += 1;
        }
        let rows = self.left.min(ROWS);
        let mut columns = Vec::with_capacity(self.columns.len());
        for column in &mut self.columns {
            columns.push((column.path.clone(), Leaf::read(&mut column.reader, column.defined, rows)?));
        }
        self.left -= rows;
        Ok(Some(Batch { rows, columns }))
    }
}

/// Turns panics of the Parquet library, which it raises on some damaged files, into errors.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // Nothing continues after a panic: the reader returns an error, and its users stop there.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    result.unwrap_or_else(|_| Err(ParquetError::General("its metadata are inconsistent".to_owned())))
}

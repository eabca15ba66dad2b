//! Parquet files of rows, each a structure whose fields are the columns: written row group by row group, and read in
//! batches.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, Schema};
use parquet::arrow::arrow_reader::{ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use serde::{Deserialize, Serialize};
use serde_arrow::schema::{SchemaLike, TracingOptions};

use super::error::{ReadError, TraceError};

/// Number of rows that are decoded at a time.
const ROWS: usize = 4096;

/// A Parquet file that is being written.
pub(super) struct TableWriter {
    writer: ArrowWriter<File>,
    columns: Vec<FieldRef>,
    /// Final path of the file.
    path: PathBuf,
}

impl TableWriter {
    /// Begins a table of rows of the type `T` in a file that will be renamed to `path`.
    pub(super) fn create<T: Deserialize<'static>>(
        file: File,
        path: PathBuf,
        metadata: &[(&str, String)],
    ) -> Result<Self, TraceError> {
        let metadata = metadata.iter().map(|(key, value)| KeyValue::new((*key).to_owned(), value.clone()));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::try_new(3).unwrap_or_default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(metadata.collect()))
            .set_created_by(concat!("surmise ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let options = TracingOptions::new().strings_as_large_utf8(false).sequence_as_large_list(false);
        let columns = Vec::<FieldRef>::from_type::<T>(options).map_err(|error| TraceError::write(&path, &error))?;
        let schema = Arc::new(Schema::new(columns.clone()));
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        match ArrowWriter::try_new_with_options(file, schema, options) {
            Ok(writer) => Ok(Self { writer, columns, path }),
            Err(error) => Err(TraceError::write(&path, &error)),
        }
    }

    /// Writes rows as a row group.
    pub(super) fn write<T: Serialize>(&mut self, rows: &[T]) -> Result<(), TraceError> {
        let batch = serde_arrow::to_record_batch(&self.columns, &rows);
        let batch = batch.map_err(|error| TraceError::write(&self.path, &error))?;
        let written = self.writer.write(&batch).and_then(|()| self.writer.flush());
        written.map_err(|error| TraceError::write(&self.path, &error))
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
    /// Number of rows in the file.
    pub(super) rows: u64,
    metadata: Vec<KeyValue>,
    reader: ParquetRecordBatchReader,
}

impl TableReader {
    /// Opens a file and reads its footer.
    pub(super) fn open(path: &Path) -> Result<Self, ReadError> {
        let file = File::open(path).map_err(|source| ReadError::Io { path: path.to_owned(), source })?;
        let opened = guarded(|| {
            let builder = ParquetRecordBatchReaderBuilder::try_new(file)?.with_batch_size(ROWS);
            let about = builder.metadata().file_metadata();
            let (rows, metadata) = (about.num_rows().cast_unsigned(), about.key_value_metadata().cloned());
            let metadata = metadata.unwrap_or_default();
            Ok(Self { path: path.to_owned(), rows, metadata, reader: builder.build()? })
        });
        opened.map_err(|error| ReadError::damaged(path, &error))
    }

    /// Value of a key in the file's metadata.
    pub(super) fn metadata(&self, key: &str) -> Option<&str> {
        self.metadata.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// Reads the next batch of rows, of which [`TableReader::rows_of`] makes rows; `None` at the end.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, ReadError> {
        let read = guarded(|| Ok(self.reader.next().transpose()?));
        read.map_err(|error| ReadError::damaged(&self.path, &error))
    }

    /// The rows of a batch; their texts may borrow from it.
    pub(super) fn rows_of<'b, T: Deserialize<'b>>(&self, batch: &'b RecordBatch) -> Result<Vec<T>, ReadError> {
        serde_arrow::from_record_batch(batch).map_err(|error| self.other_schema(error.message().to_owned()))
    }

    /// Error for a table of another format.
    pub(super) fn other_schema(&self, problem: String) -> ReadError {
        ReadError::Schema { path: self.path.clone(), problem }
    }
}

/// Turns panics of the Parquet library, which it raises on some damaged files, into errors.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, ParquetError> {
    // Nothing continues after a panic: the reader returns an error, and its users stop there.
    let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(read));
    result.unwrap_or_else(|_| Err(ParquetError::General("its metadata are inconsistent".to_owned())))
}

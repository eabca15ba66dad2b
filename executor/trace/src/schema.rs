//! The tables of a recording, as docs/trace-format.md describes them.

/// Name and version of the format, under `schema` in each file's metadata.
pub const SCHEMA: &str = "surmise.trace/1";

/// The columns of `sites.parquet`.
pub(super) const SITES: &str = "
message sites {
    required binary project (STRING);
    required binary file (STRING);
    required binary sha256 (STRING);
    required int32 line;
    required int32 column;
    required int32 end_line;
    required int32 end_column;
    required binary kind (STRING);
    required binary name (STRING);
    required binary role (STRING);
    optional binary attribute (STRING);
    required int32 classes (INTEGER(32, false));
    required int32 total (INTEGER(32, false));
    required group counts (LIST) {
        repeated group list {
            required group element {
                required binary class (STRING);
                required int32 count (INTEGER(32, false));
            }
        }
    }
    required group types (LIST) {
        repeated group list {
            required group element {
                required binary name (STRING);
                required int32 count (INTEGER(32, false));
            }
        }
    }
    required group literals (LIST) {
        repeated group list {
            required group element {
                required binary kind (STRING);
                required binary value (STRING);
                required int32 count (INTEGER(32, false));
            }
        }
    }
    required int32 elements (INTEGER(32, false));
    required group lengths (LIST) {
        repeated group list {
            required int32 element (INTEGER(32, false));
        }
    }
}";

/// The columns of `files.parquet`.
pub(super) const FILES: &str = "
message files {
    required binary project (STRING);
    required binary module (STRING);
    required binary file (STRING);
    required binary sha256 (STRING);
    required int32 sites (INTEGER(32, false));
    required int32 sites_hit (INTEGER(32, false));
    optional binary left_out (STRING);
}";

/// The columns of `lines.parquet`.
pub(super) const CALLS: &str = "
message lines {
    required binary project (STRING);
    required binary file (STRING);
    required binary function (STRING);
    required binary test (STRING);
    required group lines (LIST) {
        repeated group list {
            required int32 element (INTEGER(32, false));
        }
    }
    required boolean cut;
}";

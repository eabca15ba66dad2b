//! Files that are read up to a limit and replaced in one step.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// As `std::fs::read`, and `FileTooLarge`.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    let file = File::open(path)?;
    file.take(limit + 1).read_to_end(&mut data)?;
    if data.len() as u64 > limit {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
    }
    Ok(data)
}

/// Writes the whole file or none of it.
///
/// # Errors
/// As `std::fs::write`.
pub fn replace(path: &Path, data: &[u8]) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".unfinished");
    let unfinished = path.with_file_name(name);
    let written = File::create(&unfinished).and_then(|mut file| {
        file.write_all(data)?;
        file.sync_all()?;
        std::fs::rename(&unfinished, path)
    });
    written.inspect_err(|_| {
        let _nothing_left = std::fs::remove_file(&unfinished);
    })
}

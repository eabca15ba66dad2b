//! Files that are read up to a limit and replaced in one step.

use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

use tempfile::NamedTempFile;

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// As `std::fs::read`, and `FileTooLarge`.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>> {
    let file = File::open(path)?;
    let mut data = Vec::with_capacity(file.metadata()?.len().min(limit) as usize);
    // A file may grow, and devices say that they are empty.
    file.take(limit + 1).read_to_end(&mut data)?;
    if data.len() as u64 > limit {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it has more than {limit} bytes")));
    }
    Ok(data)
}

/// Writes the whole file or none of it. What is there and is no regular file (`/dev/stdout`, a pipe) cannot be replaced
/// and is written to.
///
/// # Errors
/// As `std::fs::write`.
pub fn replace(path: &Path, data: &[u8]) -> Result<()> {
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return std::fs::write(path, data);
    }
    let unfinished = unfinished(path)?;
    unfinished.as_file().write_all(data)?;
    unfinished.as_file().sync_all()?;
    unfinished.persist(path)?;
    Ok(())
}

/// A new file beside `path`, to be written and then renamed to it; it is removed if it is dropped before.
///
/// # Errors
/// As `File::create`.
pub fn unfinished(path: &Path) -> Result<NamedTempFile> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let prefix = path.file_name().unwrap_or_default();
    tempfile::Builder::new().prefix(prefix).suffix(".part").make_in(folder, |path| File::create_new(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_a_device_is_written_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("report.txt");
        for text in ["one", "another"] {
            replace(&path, text.as_bytes()).expect("written");
            assert_eq!(read(&path, 10).expect("read"), text.as_bytes());
        }
        assert_eq!(read(&path, 6).expect_err("it has seven bytes").kind(), ErrorKind::FileTooLarge);
        let usual = folder.path().join("usual.txt");
        std::fs::write(&usual, "").expect("written");
        let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions();
        assert_eq!(mode(&path), mode(&usual));

        let device = folder.path().join("device");
        std::os::unix::fs::symlink("/dev/null", &device).expect("linked");
        replace(&device, b"nothing is kept").expect("written");
        assert!(device.is_symlink() && replace(folder.path(), b"text").is_err(), "neither can be replaced");
        let missing = replace(&folder.path().join("none/file"), b"").expect_err("there is no such folder");
        assert_eq!(missing.to_string(), "No such file or directory (os error 2)");
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 3, "nothing unfinished is left");
    }
}

//! Reads a source file as CPython does: by byte-order mark, PEP 263 declaration, or else as UTF-8.

use std::io::Read;
use std::path::{Path, PathBuf};

use surmise_instrument::MAX_SOURCE_BYTES;

/// A Python source that was read and decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name of the source in tracebacks and reports.
    pub name: String,
    /// Path of the file; `None` for standard input.
    pub path: Option<PathBuf>,
    /// Decoded text, without a byte-order mark.
    pub text: String,
}

/// Why a source could not be read; [`SourceError::hint`] says what to do.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The file could not be opened or read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: String,
        /// Error of the system.
        source: std::io::Error,
    },
    /// The path is a directory.
    #[error("`{0}` is a directory")]
    Directory(String),
    /// The file contains NUL bytes.
    #[error("`{0}` is a binary file, not Python source")]
    Binary(String),
    /// The file is larger than [`MAX_SOURCE_BYTES`].
    #[error("`{path}` has more than {} MiB of source", MAX_SOURCE_BYTES >> 20)]
    TooLarge {
        /// The file.
        path: String,
    },
    /// The bytes are not valid in the declared encoding.
    #[error("`{path}` is not valid {encoding} (byte {offset})")]
    Undecodable {
        /// The file.
        path: String,
        /// Name of the declared encoding, or UTF-8.
        encoding: String,
        /// Offset of the first invalid byte.
        offset: usize,
    },
    /// The file declares an unknown encoding.
    #[error("`{path}` declares the unknown encoding `{encoding}`")]
    UnknownEncoding {
        /// The file.
        path: String,
        /// The encoding as written in the declaration.
        encoding: String,
    },
}

impl SourceError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            SourceError::Read { .. } => "give the path of a Python file, or `-` to read standard input",
            SourceError::Directory(_) => "name a file in it: `surmise run` runs one snippet at a time",
            SourceError::Binary(_) => "give Python source text, not compiled code or an archive",
            SourceError::TooLarge { .. } => "cut the part to run out of it, for example one module or function",
            SourceError::Undecodable { .. } => {
                "save the file as UTF-8, or declare its encoding in the first line: `# -*- coding: latin-1 -*-`"
            }
            SourceError::UnknownEncoding { .. } => "convert the file to UTF-8",
        }
    }
}

/// Reads a file, or standard input for `-`.
///
/// # Errors
/// See [`SourceError`].
pub fn read(path: &Path) -> Result<Source, SourceError> {
    let name = path.display().to_string();
    let failed = |source| SourceError::Read { path: name.clone(), source };
    let mut bytes = Vec::new();
    let limit = MAX_SOURCE_BYTES as u64 + 1;
    let from_stdin = path.as_os_str() == "-";
    if from_stdin {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(failed)?;
    } else {
        if path.is_dir() {
            return Err(SourceError::Directory(name));
        }
        let file = std::fs::File::open(path).map_err(failed)?;
        file.take(limit).read_to_end(&mut bytes).map_err(failed)?;
    }
    let text = decode(&name, &bytes)?;
    let (name, path) = if from_stdin { ("<stdin>".to_owned(), None) } else { (name, Some(path.to_owned())) };
    Ok(Source { name, path, text })
}

pub fn decode(name: &str, bytes: &[u8]) -> Result<String, SourceError> {
    if bytes.len() > MAX_SOURCE_BYTES {
        return Err(SourceError::TooLarge { path: name.to_owned() });
    }
    if bytes.contains(&0) {
        return Err(SourceError::Binary(name.to_owned()));
    }
    let undecodable = |encoding: &str, offset| SourceError::Undecodable {
        path: name.to_owned(),
        encoding: encoding.to_owned(),
        offset,
    };
    let (marked, body) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(body) => (true, body),
        None => (false, bytes),
    };
    let declared = if marked { None } else { declared_encoding(body) };
    let encoding = declared.unwrap_or_else(|| "utf-8".to_owned());
    match normalized(&encoding).as_str() {
        "utf-8" | "utf8" | "u8" | "utf-8-sig" => {
            let text = std::str::from_utf8(body).map_err(|error| undecodable("UTF-8", error.valid_up_to()))?;
            Ok(text.to_owned())
        }
        // Python's Latin-1 maps all 256 bytes, whereas `encoding_rs` takes the label for Windows-1252, as the web does.
        "latin-1" | "iso-8859-1" | "latin1" | "l1" | "iso8859-1" | "8859" | "cp819" => {
            Ok(body.iter().map(|&byte| char::from(byte)).collect())
        }
        "ascii" | "us-ascii" | "646" => match body.iter().position(|byte| !byte.is_ascii()) {
            None => Ok(body.iter().map(|&byte| char::from(byte)).collect()),
            Some(offset) => Err(undecodable("ASCII", offset)),
        },
        label => {
            let label = label
                .strip_prefix("cp")
                .filter(|page| page.starts_with("125"))
                .map_or_else(|| label.to_owned(), |page| format!("windows-{page}"));
            let codec = encoding_rs::Encoding::for_label(label.as_bytes())
                .ok_or_else(|| SourceError::UnknownEncoding { path: name.to_owned(), encoding: encoding.clone() })?;
            let text = codec.decode_without_bom_handling_and_without_replacement(body);
            text.map(std::borrow::Cow::into_owned).ok_or_else(|| undecodable(codec.name(), 0))
        }
    }
}

fn normalized(encoding: &str) -> String {
    encoding.to_ascii_lowercase().replace('_', "-")
}

/// Encoding declared as in PEP 263: in a comment on the first or second line that matches `coding[:=]\s*([-\w.]+)`,
/// where the second line counts only if the first is blank or a comment.
fn declared_encoding(body: &[u8]) -> Option<String> {
    for line in body.split(|&byte| byte == b'\n').take(2) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let text: Vec<u8> = line.iter().copied().skip_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).collect();
        match text.first() {
            None => continue,
            Some(b'#') => {}
            Some(_) => return None,
        }
        let text = String::from_utf8_lossy(&text);
        let found = text.match_indices("coding").find_map(|(at, word)| {
            let rest = text[at + word.len()..].strip_prefix([':', '='])?;
            let name: String = rest
                .trim_start_matches([' ', '\t'])
                .chars()
                .take_while(|&c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
                .collect();
            (!name.is_empty()).then_some(name)
        });
        if found.is_some() {
            return found;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declared_encodings_are_honoured() {
        assert_eq!(
            decode("f", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n").unwrap_or_default().chars().nth(31),
            Some('é')
        );
        assert_eq!(
            decode("f", b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n'\x80'")
                .ok()
                .map(|t| t.ends_with("'€'")),
            Some(true)
        );
        assert_eq!(decode("f", b"\xef\xbb\xbfx = 1").ok().as_deref(), Some("x = 1"));
    }

    #[test]
    fn bad_bytes_are_named() {
        assert!(matches!(decode("f", b"x = '\xff'"), Err(SourceError::Undecodable { offset: 5, .. })));
        assert!(matches!(decode("f", b"\x7fELF\0"), Err(SourceError::Binary(_))));
        assert!(matches!(decode("f", b"# coding: klingon\n"), Err(SourceError::UnknownEncoding { .. })));
    }
}

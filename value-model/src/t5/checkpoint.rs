//! `PyTorch`'s `.bin` files, read by the crate `pytorch-reader`: a pickle that describes tensors, and their memory, in
//! a zip archive or, before version 1.6, in one stream.
//!
//! The crate interprets the few calls that rebuild tensors and looks up no name, so that nothing in a file is run. It
//! bounds nesting, copies and strings, but not the number of values, not what a compressed member of an archive grows
//! to and not what a tensor of repeated elements takes; those limits are set here, before it sees the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use pytorch_reader::{DType, PickleError, PytorchError, PytorchReader};
use tempfile::NamedTempFile;
use zip::{CompressionMethod, ZipArchive};

use super::error::LoadError;
use super::weights::{Dtype, Entry, MAX_TENSORS, Weights};

/// The pickle of `CodeT5-small` takes 60 kB. Values take up to 200 times the memory of the bytes that make them.
const MAX_PICKLE: u64 = 1 << 20;
/// Longest message of the crate that is repeated: names in a damaged file can have any length.
const MAX_MESSAGE: usize = 300;
/// Where the header of a tar archive has its magic, which `PyTorch` wrote before version 0.1.10.
const TAR_MAGIC: (usize, &[u8]) = (257, b"ustar");

/// Reads all tensors of a `.bin` file; neither the file nor its tensors together may take more than `limit` bytes.
///
/// # Errors
/// [`LoadError::Truncated`], [`LoadError::TooLarge`] or [`LoadError::Damaged`].
pub(super) fn read(path: &Path, limit: u64) -> Result<Weights<'static>, LoadError> {
    let io = |source| LoadError::Io { path: path.into(), source };
    let mut file = File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    within("the file", size, limit)?;
    let mut start = Vec::new();
    file.by_ref().take(MAX_PICKLE).read_to_end(&mut start).map_err(io)?;
    if start.starts_with(b"PK") {
        check_archive(file)?;
    } else {
        check_stream(&start, size)?;
    }

    let tensors: BTreeMap<_, _> =
        PytorchReader::new(path).map_err(|error| describe(&error))?.into_tensors().into_iter().collect();
    within("the list of tensors", tensors.len() as u64, MAX_TENSORS as u64)?;
    if tensors.is_empty() {
        return Err(LoadError::Damaged("a pickle without tensors".into()));
    }
    let mut bytes = Vec::new();
    let mut entries = BTreeMap::new();
    for (name, tensor) in tensors {
        let length = tensor.byte_len() as u64;
        within(&name, length, size)?;
        within("all tensors", bytes.len() as u64 + length, limit)?;
        let first = bytes.len();
        bytes.extend(tensor.read().map_err(|error| describe(&PytorchError::Io(error)))?);
        let dtype = match tensor.dtype() {
            DType::F32 => Dtype::F32,
            DType::F16 => Dtype::F16,
            DType::BF16 => Dtype::Bf16,
            DType::I8 => Dtype::I8,
            other => Dtype::Other(format!("{other:?}")),
        };
        entries.insert(name, Entry { dtype, shape: tensor.shape().to_vec(), range: first..bytes.len() });
    }
    Ok(Weights::from_parts(bytes, entries))
}

/// Refuses an archive with a large pickle or a compressed member: `torch.save` stores members as they are, so that none
/// can be larger than the file.
fn check_archive(file: File) -> Result<(), LoadError> {
    let zip = |error| describe(&PytorchError::Zip(error));
    let mut archive = ZipArchive::new(io::BufReader::new(file)).map_err(zip)?;
    for index in 0..archive.len() {
        let member = archive.by_index_raw(index).map_err(zip)?;
        let name = message(&member.name().map_err(zip)?);
        if member.compression() != CompressionMethod::Stored || member.compressed_size() != member.size() {
            return Err(LoadError::Damaged(format!("`{name}` in the archive is compressed")));
        }
        if name.ends_with("data.pkl") {
            within(&name, member.size(), MAX_PICKLE)?;
        }
    }
    Ok(())
}

/// Refuses a stream whose pickles do not end within [`MAX_PICKLE`]: reads them from a file that holds that much of the
/// stream, and nothing but holes where it holds more.
fn check_stream(start: &[u8], size: u64) -> Result<(), LoadError> {
    let (offset, magic) = TAR_MAGIC;
    if start.get(offset..).is_some_and(|rest| rest.starts_with(magic)) {
        return Err(LoadError::Damaged("an archive of PyTorch before 0.1.10".into()));
    }
    let copy = || -> io::Result<NamedTempFile> {
        let mut copy = NamedTempFile::new()?;
        io::Write::write_all(&mut copy, start)?;
        copy.as_file().set_len(size)?;
        Ok(copy)
    };
    let copy = copy().map_err(|source| LoadError::Io { path: std::env::temp_dir(), source })?;
    PytorchReader::new(copy.path()).map_err(|error| describe(&error))?;
    Ok(())
}

fn within(what: &str, size: u64, limit: u64) -> Result<(), LoadError> {
    if size > limit { Err(LoadError::TooLarge { what: message(what), size, limit }) } else { Ok(()) }
}

/// Tells files that are cut off apart from damaged ones, in the errors of the crate `pytorch-reader`.
fn describe(error: &PytorchError) -> LoadError {
    match error {
        PytorchError::Io(cause) | PytorchError::Pickle(PickleError::Io(cause)) => {
            let text = message(&cause.to_string());
            let cut_off = cause.kind() == io::ErrorKind::UnexpectedEof;
            if cut_off { LoadError::Truncated(text) } else { LoadError::Damaged(text) }
        }
        PytorchError::Zip(cause) => LoadError::Damaged(message(&cause.to_string())),
        other => LoadError::Damaged(message(&other.to_string())),
    }
}

/// A line of bounded length, whatever names a file holds.
fn message(text: &str) -> String {
    text.chars().take(MAX_MESSAGE).map(|char| if char.is_control() { '?' } else { char }).collect()
}

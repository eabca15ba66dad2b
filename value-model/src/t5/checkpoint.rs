//! `PyTorch`'s `.bin` files: a pickle that names tensors, and their memory, in a zip archive or, before version 1.6, in
//! one stream.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Cursor, Read};
use std::ops::Range;

use zip::ZipArchive;
use zip::result::ZipError;

use super::error::LoadError;
use super::pickle::Machine;
use super::pickled::Value;
use super::weights::{Dtype, Entry, MAX_TENSORS, Weights};

/// That of `CodeT5-small` takes 60 kB. Values take some fifty times the memory of the instructions that make them.
const MAX_PICKLE: u64 = 4 << 20;
/// First number in a stream, little-endian.
const MAGIC: [u8; 10] = [0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const STREAM_VERSION: i64 = 1001;

/// Where each storage's bytes lie in the file.
type Places<'p> = HashMap<&'p str, Range<usize>>;

/// Tensors of a `.bin` in the zip format, as `torch.save` writes it since `PyTorch` 1.6.
pub(super) fn from_archive(bytes: Vec<u8>) -> Result<Weights<'static>, LoadError> {
    let mut archive = ZipArchive::new(Cursor::new(&bytes[..])).map_err(|error| unreadable(&error))?;
    let mut names = archive.file_names().filter_map(Result::ok);
    let pickle_name = names.find(|name| *name == "data.pkl" || name.ends_with("/data.pkl"));
    let pickle_name = pickle_name.ok_or_else(|| LoadError::Missing("data.pkl".into()))?.into_owned();
    drop(names);
    let folder = pickle_name.strip_suffix("data.pkl").unwrap_or_default().to_owned();

    let order = format!("{folder}byteorder");
    if archive.index_for_name(&order).is_some() {
        let place = find(&mut archive, &order, 16)?;
        if bytes.get(place) != Some(b"little") {
            return Err(LoadError::Damaged("numbers in big-endian order".into()));
        }
    }
    let place = find(&mut archive, &pickle_name, MAX_PICKLE)?;
    let mut machine = Machine::new(bytes.get(place).ok_or(LoadError::Missing(pickle_name))?);
    let state = machine.run()?;
    let mut places = Places::new();
    // Members that overlap could make the sum of their sizes, and the time to read them, as large as they like.
    let mut left = bytes.len() as u64;
    for storage in &machine.storages {
        if !places.contains_key(storage.key) {
            let place = find(&mut archive, &format!("{folder}data/{}", storage.key), left)?;
            left -= place.len() as u64;
            places.insert(storage.key, place);
        }
    }
    let (entries, extra) = tensors(&machine, state, &bytes, &places)?;
    Ok(weights(bytes, entries, extra))
}

/// Tensors of a `.bin` in the older format: four pickles, one with the names of storages, then those.
pub(super) fn from_stream(bytes: Vec<u8>) -> Result<Weights<'static>, LoadError> {
    let pickles = &bytes[..bytes.len().min(MAX_PICKLE as usize)];
    let mut machine = Machine::new(pickles);
    if machine.run()? != Value::Long(&MAGIC) {
        return Err(LoadError::Damaged("a pickle that torch.save did not write".into()));
    }
    if machine.run()? != Value::Int(STREAM_VERSION) {
        return Err(LoadError::Damaged("a version of torch.save that is not known".into()));
    }
    let system = machine.run()?;
    let little = (Value::Str("little_endian"), Value::Bool(true));
    if !machine.dict(system).is_some_and(|system| system.contains(&little)) {
        return Err(LoadError::Damaged("numbers in big-endian order".into()));
    }
    let state = machine.run()?;
    let keys = machine.run()?;
    let keys = machine.list(keys).ok_or_else(|| LoadError::Damaged("no list of storages".into()))?;

    let sizes: HashMap<&str, usize> =
        machine.storages.iter().map(|storage| (storage.key, storage.element.bytes)).collect();
    let mut places = Places::new();
    let mut position = machine.position();
    for key in keys {
        let size = if let Value::Str(key) = key { sizes.get(key).map(|size| (*key, *size)) } else { None };
        let (key, size) = size.ok_or_else(|| LoadError::Damaged("a storage of unknown type".into()))?;
        let cut = || LoadError::Truncated(format!("storage {key} is not complete"));
        let count = bytes.get(position..).and_then(|rest| rest.first_chunk()).ok_or_else(cut)?;
        let start = position + count.len();
        let length = usize::try_from(u64::from_le_bytes(*count)).ok().and_then(|count| count.checked_mul(size));
        let end = length.and_then(|length| start.checked_add(length)).filter(|end| *end <= bytes.len());
        position = end.ok_or_else(cut)?;
        places.insert(key, start..position);
    }
    let (entries, extra) = tensors(&machine, state, &bytes, &places)?;
    Ok(weights(bytes, entries, extra))
}

fn weights(mut bytes: Vec<u8>, entries: BTreeMap<String, Entry>, extra: Vec<u8>) -> Weights<'static> {
    bytes.extend(extra);
    Weights::from_parts(bytes, entries)
}

/// Where a member of an archive lies. Members are stored as they are, so none can be larger than the file.
fn find(archive: &mut ZipArchive<Cursor<&[u8]>>, name: &str, limit: u64) -> Result<Range<usize>, LoadError> {
    let damaged = |what: &str| LoadError::Damaged(format!("{name} in the archive {what}"));
    let file = archive.by_name(name).map_err(|error| match error {
        ZipError::FileNotFound => LoadError::Missing(name.into()),
        other => damaged(&format!("cannot be read: {other}")),
    })?;
    let size = file.size();
    if size > limit {
        return Err(LoadError::TooLarge { what: name.into(), size, limit });
    }
    if file.compressed_size() != size {
        return Err(damaged("is compressed"));
    }
    let start = file.data_start().ok_or_else(|| damaged("has no place"))?;
    // Reading it to the end compares its checksum.
    let read = io::copy(&mut file.take(size), &mut io::sink()).map_err(|error| damaged(&error.to_string()))?;
    if read != size {
        return Err(LoadError::Truncated(format!("{name} in the archive")));
    }
    Ok(start as usize..(start + size) as usize)
}

fn unreadable(error: &ZipError) -> LoadError {
    LoadError::Damaged(format!("the zip archive cannot be read: {error}"))
}

/// The entries of a state dictionary. Tensors with gaps or in another order of dimensions are copied to bytes that are
/// to lie behind those of the file.
fn tensors<'p>(
    machine: &Machine<'p>,
    state: Value<'p>,
    bytes: &[u8],
    places: &Places,
) -> Result<(BTreeMap<String, Entry>, Vec<u8>), LoadError> {
    let no_state = || LoadError::Damaged("a pickle without a state dictionary".into());
    let state = machine.dict(state).ok_or_else(no_state)?;
    let mut entries = BTreeMap::new();
    let mut extra = Vec::new();
    for (name, value) in state {
        let (Value::Str(name), Some(tensor)) = (name, machine.tensor(*value)) else {
            continue;
        };
        if entries.len() >= MAX_TENSORS {
            let what = "the list of tensors".into();
            return Err(LoadError::TooLarge { what, size: state.len() as u64, limit: MAX_TENSORS as u64 });
        }
        let storage = &machine.storages[tensor.storage];
        let place = places.get(storage.key).cloned().ok_or_else(|| LoadError::Missing((*name).into()))?;
        let wrong = || LoadError::Damaged(format!("tensor `{name}` reaches beyond its storage"));
        let width = storage.element.bytes;
        if storage.count.checked_mul(width) != Some(place.len()) {
            return Err(LoadError::Truncated(format!("the storage of tensor `{name}` is not complete")));
        }
        let count = tensor.reach(storage.count).ok_or_else(wrong)?;
        let start = place.start + tensor.offset * width;
        let range = if tensor.is_contiguous() {
            start..start + count * width
        } else {
            let first = bytes.len() + extra.len();
            tensor.gather(&bytes[start..place.end], width, &mut extra);
            first..bytes.len() + extra.len()
        };
        let dtype: Dtype = storage.element.dtype();
        entries.insert((*name).to_owned(), Entry { dtype, shape: tensor.shape.clone(), range });
    }
    if entries.is_empty() {
        return Err(LoadError::Damaged("a pickle without tensors".into()));
    }
    Ok((entries, extra))
}

//! The hot path: observes one value.
//!
//! All state is in one [`Recorder`], which needs no locks because it is accessed only with the GIL held. Records are
//! kept in memory, and [`Spool`] writes dirty pages about once a second.

use std::ptr;
use std::time::Duration;

use pyo3::ffi::{self, PyObject, PyTypeObject};
use rustc_hash::FxHashMap;

use crate::classify::{self, Shape, class_in, shape_of, type_of};
use crate::layout::{self, Class, MAX_SITES, SiteRecord, Slot, Text};
use crate::lines::{self, CallValue};
use crate::secrets;
use crate::spool::Spool;

/// The first so many observations at a site are sampled, and then one in [`SAMPLE`].
const CLOSE: u32 = 16;
const SAMPLE: u32 = 64;
/// Maximum length of a recorded string, in characters.
const MAX_TEXT: isize = 40;
/// Number of elements of a container that are classified.
const ELEMENTS: usize = 3;
/// Number of hook calls between two checks of the clock; small, because slow programs may be killed, too.
const LOOK: u64 = 32;
/// Time between two writes.
const PERIOD: Duration = Duration::from_millis(900);

/// Cached facts about a type.
#[derive(Clone, Copy)]
struct TypeInfo {
    kind: *mut PyTypeObject,
    /// The type's `tp_name`, which distinguishes a new type at the address of a deleted one.
    name: *const std::ffi::c_char,
    shape: Shape,
    /// Number of the type's name in the table of strings.
    id: u32,
}

const NO_TYPE: TypeInfo =
    TypeInfo { kind: ptr::null_mut(), name: ptr::null(), shape: Shape::Fixed(Class::Object), id: 0 };

/// Number of entries in the direct-mapped cache of types.
const CACHE: usize = 1024;

/// The recorder of one process.
pub(crate) struct Recorder {
    records: *mut SiteRecord,
    dirty: *mut u8,
    cache: Vec<TypeInfo>,
    types: FxHashMap<(usize, usize), TypeInfo>,
    events: u64,
    literals: bool,
    /// Whether the values of single calls are recorded.
    call_values: bool,
    /// Bit set of the sites whose names suggest a secret.
    hidden: Vec<u64>,
    pub(crate) spool: Spool,
}

impl Recorder {
    /// # Errors
    /// If there is no address space for the records.
    pub(crate) fn new(spool: Spool, literals: bool, call_values: bool) -> std::io::Result<Self> {
        Ok(Self {
            records: reserve(MAX_SITES * layout::RECORD_BYTES)?.cast(),
            dirty: reserve(MAX_SITES / crate::spool::RECORDS_PER_PAGE)?.cast(),
            cache: vec![NO_TYPE; CACHE],
            types: FxHashMap::default(),
            events: 0,
            literals,
            call_values,
            hidden: Vec::new(),
            spool,
        })
    }

    /// Drops all records, because a forked child starts with none.
    pub(crate) fn reset(&mut self) {
        // SAFETY: both mappings are private and anonymous, so their pages read as zeros from here on.
        unsafe {
            libc::madvise(self.records.cast(), MAX_SITES * layout::RECORD_BYTES, libc::MADV_DONTNEED);
            libc::madvise(self.dirty.cast(), MAX_SITES / crate::spool::RECORDS_PER_PAGE, libc::MADV_DONTNEED);
        }
        self.events = 0;
        self.types.clear();
        self.cache.fill(NO_TYPE);
        self.spool.reset();
    }

    /// Excludes the literals of a site from the recording.
    pub(crate) fn hide(&mut self, site: u32) {
        let word = site as usize / 64;
        if word >= self.hidden.len() {
            self.hidden.resize(word + 1, 0);
        }
        self.hidden[word] |= 1 << (site % 64);
    }

    /// Writes all records that have changed since the last write.
    pub(crate) fn flush(&mut self) {
        // SAFETY: both mappings live as long as the recorder.
        unsafe { self.spool.write(self.records, self.dirty, self.events) };
    }

    /// Observes one value at a site.
    #[inline]
    pub(crate) unsafe fn observe(&mut self, site: usize, value: *mut PyObject) {
        // SAFETY: the hook checked that the site is below `MAX_SITES`, for which there is room.
        let record = unsafe { &mut *self.records.add(site) };
        // SAFETY: a live object; the GIL is held.
        let (class, shape, type_id) = unsafe { self.classify(value) };
        record.total = record.total.saturating_add(1);
        count_class(record, class);
        if type_id != 0 {
            count_slot(&mut record.types, type_id);
        }
        if record.total <= CLOSE || record.total.is_multiple_of(SAMPLE) {
            // SAFETY: as above.
            unsafe { self.look_closely(site, shape, value) };
        }
        if self.call_values {
            // SAFETY: as above.
            unsafe { self.note(site, class, shape, value) };
        }
        // SAFETY: one byte for each page of records.
        unsafe { *self.dirty.add(site / crate::spool::RECORDS_PER_PAGE) = 1 };
        self.events += 1;
        // A process may be killed within its first second, so it also writes after powers of two of events.
        if self.events.is_multiple_of(LOOK) && (self.events.is_power_of_two() || self.spool.is_due(PERIOD)) {
            self.flush();
        }
    }

    #[inline]
    unsafe fn classify(&mut self, value: *mut PyObject) -> (u8, Shape, u32) {
        // SAFETY: singletons and types of CPython; `value` is live.
        unsafe {
            let kind = type_of(value);
            let shape = if kind == &raw mut ffi::PyUnicode_Type {
                Shape::Str
            } else if kind == &raw mut ffi::PyLong_Type {
                Shape::Int
            } else if value == ffi::Py_None() {
                Shape::Fixed(Class::None)
            } else if kind == &raw mut ffi::PyBool_Type {
                Shape::Fixed(if value == ffi::Py_True() { Class::True } else { Class::False })
            } else if kind == &raw mut ffi::PyList_Type {
                Shape::List
            } else if kind == &raw mut ffi::PyDict_Type {
                Shape::Dict
            } else if kind == &raw mut ffi::PyTuple_Type {
                Shape::Tuple
            } else if kind == &raw mut ffi::PyType_Type {
                Shape::Fixed(Class::Class)
            } else if kind == &raw mut ffi::PyFloat_Type {
                Shape::Float
            } else {
                let info = self.info(kind);
                return (class_in(info.shape, value), info.shape, info.id);
            };
            (class_in(shape, value), shape, 0)
        }
    }

    #[inline]
    unsafe fn info(&mut self, kind: *mut PyTypeObject) -> TypeInfo {
        // SAFETY: a live type.
        let name = unsafe { (*kind).tp_name };
        let place = (kind as usize >> 5) % CACHE;
        let found = self.cache[place];
        if found.kind == kind && found.name == name {
            return found;
        }
        // SAFETY: as above.
        let info = unsafe { self.new_info(kind, name) };
        self.cache[place] = info;
        info
    }

    #[cold]
    unsafe fn new_info(&mut self, kind: *mut PyTypeObject, name: *const std::ffi::c_char) -> TypeInfo {
        let key = (kind as usize, name as usize);
        if let Some(&info) = self.types.get(&key) {
            return info;
        }
        // SAFETY: a live type.
        let (shape, text) = unsafe { (shape_of(kind), classify::type_name(kind)) };
        let id = self.spool.string(Text::Type, &text);
        let info = TypeInfo { kind, name, shape, id };
        self.types.insert(key, info);
        info
    }

    /// Samples literal, length and elements of a value.
    #[cold]
    unsafe fn look_closely(&mut self, site: usize, shape: Shape, value: *mut PyObject) {
        // SAFETY: as for `observe`.
        unsafe {
            let mut elements = 0;
            for element in classify::elements(shape, value, ELEMENTS) {
                if !element.is_null() {
                    elements |= 1 << self.classify(element).0;
                }
            }
            let literal = if self.literals && !self.is_hidden(site) { self.literal(shape, value) } else { 0 };
            let record = &mut *self.records.add(site);
            record.sampled = record.sampled.saturating_add(1);
            record.elements |= elements;
            if let Some(len) = classify::length(shape, value) {
                let bucket = &mut record.lengths[layout::length_bucket(len)];
                *bucket = bucket.saturating_add(1);
            }
            if literal != 0 {
                count_slot(&mut record.literals, literal);
            }
        }
    }

    /// Keeps a value for the recorded call that is running, if it reads the value.
    #[cold]
    unsafe fn note(&self, site: usize, class: u8, shape: Shape, value: *mut PyObject) {
        // SAFETY: as for `observe`.
        unsafe {
            lines::note(site as u32, || CallValue {
                site: site as u32,
                class,
                literal: (self.literals && !self.is_hidden(site))
                    .then(|| literal_of(shape, value))
                    .flatten()
                    .map(|(_, text)| text),
                length: classify::length(shape, value).map(|length| u32::try_from(length).unwrap_or(u32::MAX)),
            });
        }
    }

    fn is_hidden(&self, site: usize) -> bool {
        self.hidden.get(site / 64).is_some_and(|word| word >> (site % 64) & 1 == 1)
    }

    /// Number of the string of a short literal; 0 for long and other values.
    unsafe fn literal(&mut self, shape: Shape, value: *mut PyObject) -> u32 {
        // SAFETY: required of the caller.
        let found = unsafe { literal_of(shape, value) };
        found.map_or(0, |(kind, text)| self.spool.string(kind, &text))
    }
}

/// A short literal, as recordings have it; `None` for long and other values. The shape must be that of the value's type.
unsafe fn literal_of(shape: Shape, value: *mut PyObject) -> Option<(Text, String)> {
    // SAFETY: the shape follows from the value's type.
    unsafe {
        match shape {
            Shape::Str if ffi::PyUnicode_GET_LENGTH(value) <= MAX_TEXT => {
                classify::utf8(value).filter(|text| !secrets::looks_secret(text)).map(|text| (Text::Str, text))
            }
            Shape::Int => {
                let mut overflow = 0;
                let number = ffi::PyLong_AsLongAndOverflow(value, &raw mut overflow);
                (overflow == 0).then(|| (Text::Int, number.to_string()))
            }
            Shape::Float => Some((Text::Float, format!("{:?}", ffi::PyFloat_AS_DOUBLE(value)))),
            _ => None,
        }
    }
}

#[inline]
fn count_class(record: &mut SiteRecord, class: u8) {
    record.classes |= 1 << class;
    for (place, count) in record.count_of.iter_mut().zip(&mut record.counts) {
        if *place == class + 1 {
            *count = count.saturating_add(1);
            return;
        }
        if *place == 0 {
            *place = class + 1;
            *count = 1;
            return;
        }
    }
}

#[inline]
fn count_slot(slots: &mut [Slot; 4], id: u32) {
    for slot in slots {
        if slot.id == id {
            slot.count = slot.count.saturating_add(1);
            return;
        }
        if slot.id == 0 {
            *slot = Slot { id, count: 1 };
            return;
        }
    }
}

/// Reserves address space, of which only used pages take memory.
fn reserve(bytes: usize) -> std::io::Result<*mut libc::c_void> {
    // SAFETY: a fresh private mapping.
    let address = unsafe {
        libc::mmap(
            ptr::null_mut(),
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0,
        )
    };
    if address == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(address) }
}

//! Line marks in shared memory, so that the parent sees them even when the worker dies without a word.
//!
//! `_k_` is a Python list whose items lie in the shared region: `_k_[line]=1` is one specialised instruction, a few
//! nanoseconds. Every item starts as the same pointer; an item that differs from the first was marked.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr;

use pyo3::Python;
use pyo3::ffi::compat::Py_NewRef;
use pyo3::ffi::{self, Py_ssize_t, PyObject};

use crate::clock::monotonic;

/// The marks of one run.
#[derive(Clone, Copy)]
pub(crate) struct LineMarks {
    items: *mut *mut PyObject,
    count: usize,
    /// A false object of our own: the reference counts of shared ones must not move as lines are reached.
    blank: *mut PyObject,
}

/// Bytes of shared memory for a file of this many lines: items 0 (never marked) to `lines + 1` (end of module).
#[must_use]
pub fn region_bytes(lines: u32) -> usize {
    (lines as usize + 2) * size_of::<*mut PyObject>()
}

/// Bytes after the marks of a guided run: the nanoseconds of the monotonic clock when the worker was ready.
pub const CLOCK_BYTES: usize = size_of::<u64>();

/// Reads the marks out of a region: true where a line was marked.
#[must_use]
pub fn read_marks(region: &[u8]) -> Vec<bool> {
    let mut items = region.chunks_exact(size_of::<usize>());
    let Some(first) = region.get(..size_of::<usize>()) else {
        return Vec::new();
    };
    items.by_ref().map(|item| item != first).collect()
}

impl LineMarks {
    /// Maps a region that is nobody's but this process's; it is never unmapped. The GIL must be held.
    pub(crate) fn new(_py: Python<'_>, lines: u32) -> io::Result<Self> {
        let bytes = region_bytes(lines);
        // SAFETY: a fresh mapping.
        let address = unsafe { map(ptr::null_mut(), bytes, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS, -1)? };
        // SAFETY: the GIL is held.
        let blank = unsafe { ffi::PyFloat_FromDouble(0.0) };
        let marks = Self { items: address.cast(), count: bytes / size_of::<*mut PyObject>(), blank };
        marks.clear();
        Ok(marks)
    }

    /// Puts shared memory, of [`region_bytes`] and [`CLOCK_BYTES`], in the place of the region. The descriptor is not
    /// needed after: whoever could write to the marks by it could crash us.
    pub(crate) fn share(&self, _py: Python<'_>, file: OwnedFd) -> io::Result<()> {
        let bytes = self.count * size_of::<*mut PyObject>();
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the mapping that is replaced has this size and is used through `items` alone.
        unsafe { map(self.items.cast(), bytes, flags, file.as_raw_fd())? };
        drop(file);
        self.clear();
        // SAFETY: the region has these bytes after the marks.
        unsafe { self.items.add(self.count).cast::<u64>().write(monotonic().as_nanos() as u64) };
        Ok(())
    }

    fn clear(&self) {
        for index in 0..self.count {
            // SAFETY: within the region; every item owns a reference.
            unsafe { *self.items.add(index) = Py_NewRef(self.blank) };
        }
    }

    /// Marks that the module's code came to its end.
    pub(crate) fn mark_end(&self) {
        self.mark(self.count - 1);
    }

    /// True if a line was marked.
    pub(crate) fn is_marked(&self, line: u32) -> bool {
        // SAFETY: within the region; the first item is that of no mark.
        (line as usize) < self.count && unsafe { *self.items.add(line as usize) != *self.items }
    }

    /// The list object over the items. It is never freed.
    ///
    /// # Safety
    /// The GIL must be held.
    pub(crate) unsafe fn list(&self) -> *mut PyObject {
        // SAFETY: an empty list owns no items, so its (null) item pointer can be replaced. The extra reference keeps
        // CPython from ever freeing memory that it did not allocate; untracked, the collector does not look at it.
        unsafe {
            let list = ffi::PyList_New(0);
            assert!(!list.is_null(), "no memory for an empty list");
            let raw = list.cast::<ffi::PyListObject>();
            (*raw).ob_item = self.items;
            (*raw).allocated = self.count as Py_ssize_t;
            (*raw).ob_base.ob_size = self.count as Py_ssize_t;
            ffi::PyObject_GC_UnTrack(list.cast());
            ffi::Py_INCREF(list);
            list
        }
    }

    /// Marks a line; 0 and lines past the end are ignored.
    pub(crate) fn mark(&self, line: usize) {
        if line > 0 && line < self.count {
            // SAFETY: within the region; the replaced reference is dropped, the new one owned.
            unsafe {
                let item = self.items.add(line);
                let old = ptr::replace(item, Py_NewRef(ffi::Py_True()));
                ffi::Py_DECREF(old);
            }
        }
    }
}

/// # Safety
/// With `MAP_FIXED`, what is mapped at the address must be this module's.
unsafe fn map(address: *mut libc::c_void, bytes: usize, flags: i32, file: i32) -> io::Result<*mut libc::c_void> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: as the caller promises.
    let address = unsafe { libc::mmap(address, bytes + CLOCK_BYTES, access, flags, file, 0) };
    if address == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(address) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_the_items_that_differ_from_the_first() {
        let items = [7usize, 7, 9, 7];
        let bytes: Vec<u8> = items.iter().flat_map(|item| item.to_ne_bytes()).collect();
        assert_eq!(read_marks(&bytes), [false, false, true, false]);
        assert!(read_marks(&[]).is_empty());
    }
}

//! Line marks in shared memory, so that the parent sees them even when the worker dies without a word.
//!
//! `_k_` is a Python list whose items lie in the shared region: `_k_[line]=1` is one specialised instruction, a few
//! nanoseconds. Every item starts as the same pointer; an item that differs from the first was marked.

use std::ptr;

use pyo3::ffi::{self, Py_ssize_t, PyObject};

/// The marks of one run.
pub(crate) struct LineMarks {
    items: *mut *mut PyObject,
    count: usize,
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
    /// Takes over a mapped region.
    ///
    /// # Safety
    /// `region` must be writable, aligned for pointers, `bytes` long, stay mapped for the life of the process, and
    /// be used by nothing else in it. The GIL must be held.
    pub(crate) unsafe fn new(items: *mut *mut PyObject, bytes: usize) -> Self {
        let count = bytes / size_of::<*mut PyObject>();
        // A false object of our own: the reference counts of shared ones must not move as lines are reached.
        // SAFETY: the GIL is held.
        let blank = unsafe { ffi::PyFloat_FromDouble(0.0) };
        for index in 0..count {
            // SAFETY: within the region; every item owns a reference.
            unsafe { *items.add(index) = crate::worker::new_ref(blank) };
        }
        Self { items, count }
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
                let old = ptr::replace(item, crate::worker::new_ref(ffi::Py_True()));
                ffi::Py_DECREF(old);
            }
        }
    }
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

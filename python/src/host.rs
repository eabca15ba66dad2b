//! Who has loaded this library: an interpreter that imports the package, or the dynamic linker for a worker process.

use std::ffi::{CStr, OsStr};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use pyo3::prelude::*;
use surmise_engine::host;

/// Runs when the library is loaded. In a worker process it does the worker's task and ends the process.
extern "C" fn constructor() {
    // SAFETY: the dynamic linker calls this before the program's `main`, which is the first that could start a thread; an
    // interpreter that imports the package was not started as a worker.
    if let Some(argument) = unsafe { host::take_over() }
        && let Some(code) = surmise::cli::worker(&argument)
    {
        // A shell sees only the low byte.
        std::process::exit(code & 0xff);
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = constructor;

/// Tells the engine which interpreter has imported the package.
pub(crate) fn introduce(py: Python<'_>) -> PyResult<()> {
    let sys = py.import("sys")?;
    let home: PathBuf = sys.getattr("base_prefix")?.extract()?;
    let executable = match sys.getattr("_base_executable") {
        Ok(base) if base.is_truthy()? => base,
        _ => sys.getattr("executable")?,
    };
    let executable = executable.extract::<Option<PathBuf>>()?.unwrap_or_default();
    let library = own_path().ok_or_else(|| pyo3::exceptions::PyImportError::new_err("the library has no file"))?;
    host::loaded_by(executable, home, library)?;
    Ok(())
}

/// The file that this code was loaded from.
fn own_path() -> Option<PathBuf> {
    // SAFETY: asks the dynamic linker about an address that is in this library; the name lives as long as the library.
    unsafe {
        let mut found = std::mem::zeroed::<libc::Dl_info>();
        let own = constructor as extern "C" fn() as *const libc::c_void;
        if libc::dladdr(own, &raw mut found) == 0 || found.dli_fname.is_null() {
            return None;
        }
        std::path::absolute(OsStr::from_bytes(CStr::from_ptr(found.dli_fname).to_bytes())).ok()
    }
}

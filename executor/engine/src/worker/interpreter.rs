//! Starting the embedded CPython.

use std::ffi::{CStr, CString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use pyo3::ffi;

use crate::host;

/// How much of the environment the interpreter sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flavour {
    /// As `python FILE`: environment variables, `site`.
    Plain,
    /// Isolated and deterministic: no `site`, no environment, UTF-8, no hash randomization.
    Guided,
}

/// Why the interpreter did not start.
#[derive(Debug, thiserror::Error)]
#[error("CPython did not start: {0}")]
pub struct StartError(String);

/// Initializes CPython on this thread.
/// # Errors
/// When CPython refuses the configuration.
pub fn start(flavour: Flavour) -> Result<(), StartError> {
    // SAFETY: called once, before any other use of CPython; the configurations are initialized by CPython itself
    // before they are read, and cleared after.
    unsafe {
        let mut pre = std::mem::zeroed::<ffi::PyPreConfig>();
        ffi::PyPreConfig_InitPythonConfig(&raw mut pre);
        if flavour == Flavour::Guided {
            ffi::PyPreConfig_InitIsolatedConfig(&raw mut pre);
            pre.utf8_mode = 1;
        }
        check(ffi::Py_PreInitialize(&raw const pre))?;
        let mut config = std::mem::zeroed::<ffi::PyConfig>();
        if flavour == Flavour::Guided {
            ffi::PyConfig_InitIsolatedConfig(&raw mut config);
            config.site_import = 0;
            config.use_hash_seed = 1;
            config.hash_seed = 0;
            config.buffered_stdio = 1;
        } else {
            ffi::PyConfig_InitPythonConfig(&raw mut config);
        }
        config.parse_argv = 0;
        config.install_signal_handlers = 1;
        config.pathconfig_warnings = 0;
        let set = |field: *mut *mut libc::wchar_t, value: &Path, config: *mut ffi::PyConfig| {
            let value = CString::new(value.as_os_str().as_bytes()).unwrap_or_default();
            check(ffi::PyConfig_SetBytesString(config, field, value.as_ptr()))
        };
        let pointer = &raw mut config;
        let home = host::python_home();
        if !home.as_os_str().is_empty() {
            set(&raw mut (*pointer).home, home, pointer)?;
        }
        set(&raw mut (*pointer).program_name, host::python_executable(), pointer)?;
        set(&raw mut (*pointer).executable, host::python_executable(), pointer)?;
        let status = ffi::Py_InitializeFromConfig(pointer);
        ffi::PyConfig_Clear(pointer);
        check(status)
    }
}

fn check(status: ffi::PyStatus) -> Result<(), StartError> {
    // SAFETY: a status made by CPython; its message is a static string.
    unsafe {
        if ffi::PyStatus_Exception(status) == 0 {
            return Ok(());
        }
        let text = if status.err_msg.is_null() {
            "unknown error".to_owned()
        } else {
            CStr::from_ptr(status.err_msg).to_string_lossy().into_owned()
        };
        Err(StartError(text))
    }
}

//! Recording of the interpreter that has imported the package, and of the Python processes that it starts.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use pyo3::prelude::*;
use surmise_trace::interpreter::Interpreter;
use surmise_trace::record::Request;
use surmise_trace::within::Within;

use crate::errors;

/// A recording under way; `None` once it is finished.
#[pyclass(frozen)]
pub(crate) struct Recording(Mutex<Option<Within>>);

#[pymethods]
impl Recording {
    /// Claims the folder and starts the recorder in this process.
    #[new]
    #[expect(clippy::too_many_arguments, reason = "the package passes them on one by one")]
    fn new(
        py: Python<'_>,
        folder: PathBuf,
        packages: Vec<String>,
        exclude: Vec<String>,
        literals: bool,
        project: Option<String>,
        replace: bool,
        command: Vec<OsString>,
    ) -> PyResult<Self> {
        let request = Request {
            folder,
            packages,
            exclude,
            python: None,
            no_literals: !literals,
            lines: Vec::new(),
            call_values: false,
            project,
            replace,
            command,
        };
        let sys = py.import("sys")?;
        let tag: String = sys.getattr("implementation")?.getattr("cache_tag")?.extract()?;
        let version: (u8, u8, u8) =
            sys.getattr("version_info")?.get_item(pyo3::types::PySlice::new(py, 0, 3, 1))?.extract()?;
        let abi: String = sys.getattr("abiflags")?.extract()?;
        let interpreter = Interpreter {
            path: sys.getattr("executable")?.extract::<Option<PathBuf>>()?.unwrap_or_default(),
            version: format!("{}.{}.{}", version.0, version.1, version.2),
            tag: tag + &abi,
        };
        let within = Within::begin(&request, &interpreter).map_err(|error| errors::recording(&error))?;
        if let Err(error) = surmise_recorder::start(py, within.config().to_owned()) {
            let _first_error_counts = within.finish();
            return Err(error);
        }
        Ok(Self(Mutex::new(Some(within))))
    }

    /// Environment variables of the children that are to be recorded, too.
    fn variables(&self) -> Vec<(&'static str, OsString)> {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.as_ref().map_or_else(Vec::new, |within| within.variables().into())
    }

    /// Ends the recording and writes it. Returns the summary as JSON, how many processes could not write all, and the
    /// packages that nobody imported. `None` if it was finished before.
    fn finish(&self, py: Python<'_>) -> PyResult<Option<(String, usize, Vec<String>)>> {
        let Some(within) = self.0.lock().unwrap_or_else(PoisonError::into_inner).take() else { return Ok(None) };
        surmise_recorder::stop(py)?;
        let finished = py.detach(|| within.finish());
        let (summary, failed, unseen) = finished.map_err(|error| errors::recording(&error))?;
        let text = serde_json::to_string(&summary).map_err(errors::internal)?;
        Ok(Some((text, failed.len(), unseen)))
    }
}

//! Finds the Python that pyo3 links, so that the binary finds the same library and standard library at run time.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PYO3_PYTHON");
    pyo3_build_config::use_pyo3_cfgs();
    let config = pyo3_build_config::get();
    if let Some(dir) = config.lib_dir() {
        // Debian's and pyenv's libraries share a soname: without the path the loader may take the other one.
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
    }
    let python = config.executable().unwrap_or("python3");
    let script = "import sys; print(sys.base_prefix); print(getattr(sys, '_base_executable', None) or sys.executable)";
    let output = Command::new(python).args(["-I", "-c", script]).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
    let mut lines = text.lines();
    println!("cargo:rustc-env=SURMISE_PYTHON_HOME={}", lines.next().unwrap_or_default());
    println!("cargo:rustc-env=SURMISE_PYTHON={}", lines.next().unwrap_or(python));
}

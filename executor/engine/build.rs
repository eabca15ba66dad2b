//! Finds the Python that pyo3 links, so that the binary finds the same library and standard library at run time, and
//! compiles the runtime's own modules with it: doing that at each start would take longer than starting CPython.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// The runtime's modules. The other files of that folder are scripts for interpreters that we do not choose.
const MODULES: [&str; 20] = [
    "answers",
    "behaviour",
    "classes",
    "companion_modules",
    "drawn",
    "engine",
    "frames",
    "harness",
    "helpers",
    "imports",
    "nodes",
    "predicted",
    "prefix",
    "preloaded_modules",
    "program",
    "recording",
    "script",
    "signatures",
    "standins",
    "values",
];
/// Writes the magic number of its bytecode and a module's code.
const COMPILE: &str = "\
import importlib.util, marshal, sys
name, source, target = sys.argv[1:]
with open(source, encoding='utf-8') as file:
    code = compile(file.read(), f'<surmise {name}>', 'exec', dont_inherit=True)
with open(target, 'wb') as file:
    file.write(importlib.util.MAGIC_NUMBER + marshal.dumps(code))
";

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=PYO3_PYTHON");
    pyo3_build_config::use_pyo3_cfgs();
    let config = pyo3_build_config::get();
    if let Some(dir) = config.lib_dir() {
        // Debian's and pyenv's libraries share a soname: without the path the loader may take the other one.
        println!("cargo:rustc-link-arg=-Wl,-rpath,{dir}");
        println!("cargo:lib_dir={dir}");
    }
    let python = config.executable().unwrap_or("python3");
    let script = "import sys; print(sys.base_prefix); print(getattr(sys, '_base_executable', None) or sys.executable)";
    let output = Command::new(python).args(["-I", "-c", script]).output();
    let text = output.ok().filter(|output| output.status.success()).map(|output| output.stdout);
    let text = String::from_utf8(text.unwrap_or_default()).unwrap_or_default();
    let mut lines = text.lines();
    println!("cargo:rustc-env=SURMISE_PYTHON_HOME={}", lines.next().unwrap_or_default());
    println!("cargo:rustc-env=SURMISE_PYTHON={}", lines.next().unwrap_or(python));
    compile_runtime(python);
    list_standard_names(python);
}

/// Writes `standard_names.rs`; empty where this Python cannot run.
fn list_standard_names(python: &str) {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("runtime");
    let script = folder.join("standard_names.py");
    println!("cargo:rerun-if-changed={}", script.display());
    let table = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default()).join("standard_names.rs");
    let listed = Command::new(python).args(["-I", "-S"]).arg(&script).arg(&table).status();
    if !listed.is_ok_and(|status| status.success()) {
        fs::write(&table, "[]").expect("OUT_DIR can be written");
    }
}

/// Writes `runtime_modules.rs`: name, source and compiled code of each module. Where this Python cannot run, the code
/// is empty, and the module is compiled when it is loaded.
fn compile_runtime(python: &str) {
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("runtime");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let mut table = "[\n".to_owned();
    for name in MODULES {
        let (source, code) = (folder.join(format!("{name}.py")), out.join(format!("{name}.code")));
        println!("cargo:rerun-if-changed={}", source.display());
        if !compile(python, name, &source, &code) {
            fs::write(&code, "").expect("OUT_DIR can be written");
        }
        let [source, code] = [source, code].map(|path| path.display().to_string());
        let _never_fails =
            writeln!(table, "    ({name:?}, include_str!({source:?}), include_bytes!({code:?}).as_slice()),");
    }
    table.push_str("]\n");
    fs::write(out.join("runtime_modules.rs"), table).expect("OUT_DIR can be written");
}

fn compile(python: &str, name: &str, source: &Path, code: &Path) -> bool {
    let mut command = Command::new(python);
    command.args(["-I", "-S", "-c", COMPILE, name]).arg(source).arg(code);
    command.status().is_ok_and(|status| status.success())
}

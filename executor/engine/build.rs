//! Finds the Python that pyo3 links, so that the binary finds the same library and standard library at run time, and
//! compiles the runtime's own modules with it: doing that at each start would take longer than starting CPython.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Not a module of the runtime, but a script that is run here.
const STANDARD_NAMES: &str = "standard_names.py";
/// Writes the magic number of its bytecode and the code of each module.
const COMPILE: &str = "\
import importlib.util, marshal, os, sys
folder, out, *names = sys.argv[1:]
for name in names:
    with open(os.path.join(folder, name + '.py'), encoding='utf-8') as file:
        code = compile(file.read(), f'<surmise {name}>', 'exec', dont_inherit=True)
    with open(os.path.join(out, name + '.code'), 'wb') as file:
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
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("runtime");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo:rerun-if-changed={}", folder.display());
    compile_runtime(python, &folder, &out);
    list_standard_names(python, &folder, &out);
}

/// Writes `standard_names.rs`; empty where this Python cannot run.
fn list_standard_names(python: &str, folder: &Path, out: &Path) {
    let table = out.join("standard_names.rs");
    fs::write(&table, "[]").expect("OUT_DIR can be written");
    let _empty_then = Command::new(python).args(["-I", "-S"]).arg(folder.join(STANDARD_NAMES)).arg(&table).status();
}

/// Writes `runtime_modules.rs`: name, source and compiled code of each module. Where this Python cannot run, the code
/// is empty, and the module is compiled when it is loaded.
fn compile_runtime(python: &str, folder: &Path, out: &Path) {
    let files = fs::read_dir(folder)
        .expect("the folder can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let modules = files.filter(|file| file != STANDARD_NAMES);
    let mut names: Vec<String> = modules.filter_map(|file| Some(file.strip_suffix(".py")?.to_owned())).collect();
    names.sort();
    let mut table = "[\n".to_owned();
    for name in &names {
        let (source, code) = (folder.join(format!("{name}.py")), out.join(format!("{name}.code")));
        fs::write(&code, "").expect("OUT_DIR can be written");
        let [source, code] = [source, code].map(|path| path.display().to_string());
        let _never_fails =
            writeln!(table, "    ({name:?}, include_str!({source:?}), include_bytes!({code:?}).as_slice()),");
    }
    table.push_str("]\n");
    fs::write(out.join("runtime_modules.rs"), table).expect("OUT_DIR can be written");
    let mut command = Command::new(python);
    let _compiled_later_then = command.args(["-I", "-S", "-c", COMPILE]).arg(folder).arg(out).args(&names).status();
}

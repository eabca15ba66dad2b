//! The build script of the crates whose programs link CPython: Debian's and pyenv's libraries share a soname, so without
//! the path the loader may take the other one.

#![expect(clippy::print_stdout, reason = "so a build script speaks to cargo")]

use std::env;

fn main() {
    println!("cargo:rerun-if-env-changed=DEP_SURMISE_PYTHON_LIB_DIR");
    if let Ok(folder) = env::var("DEP_SURMISE_PYTHON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rerun-if-env-changed=LIBTORCH");
    if let (Ok(torch), Ok(_)) = (env::var("LIBTORCH"), env::var("CARGO_FEATURE_TORCH")) {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{torch}/lib");
    }
}

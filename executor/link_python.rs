//! The build script of the crates whose programs link CPython: Debian's and pyenv's libraries share a soname, so without
//! the path the loader may take the other one.

#![expect(clippy::print_stdout, reason = "so a build script speaks to cargo")]

use std::env;

/// Functions of the C library that guided runs have of their own (`executor/engine/src/worker/c_library.rs`), also for
/// modules of CPython that are loaded later.
const EXPORTED: [&str; 17] = [
    "clock_gettime",
    "gettimeofday",
    "time",
    "clock",
    "clock_nanosleep",
    "nanosleep",
    "poll",
    "select",
    "epoll_wait",
    "sem_timedwait",
    "sem_clockwait",
    "pthread_cond_timedwait",
    "getrandom",
    "accept",
    "accept4",
    "recv",
    "recvfrom",
];

/// Cargo builds the recorder's library before what depends on it, but not where it only checks: then an empty file lets the
/// binary be checked. It is never put in place of a library.
fn make_place_for_recorder() {
    let Some(out) = env::var_os("OUT_DIR") else { return };
    let library = std::path::Path::new(&out).join("../../../deps/libsurmise_recorder.so");
    let made = std::fs::File::create_new(&library);
    debug_assert!(made.is_ok() || library.exists(), "{} cannot be made", library.display());
}

fn main() {
    if env::var("CARGO_PKG_NAME").is_ok_and(|name| name == "surmise-executor") {
        make_place_for_recorder();
    }
    println!("cargo:rerun-if-env-changed=DEP_SURMISE_PYTHON_LIB_DIR");
    if let Ok(folder) = env::var("DEP_SURMISE_PYTHON_LIB_DIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    for name in EXPORTED {
        println!("cargo:rustc-link-arg=-Wl,--export-dynamic-symbol={name}");
    }
    if env::var("CARGO_FEATURE_TORCH").is_ok() {
        println!("cargo:rerun-if-env-changed=LIBTORCH");
        if let Ok(torch) = env::var("LIBTORCH") {
            println!("cargo:rustc-link-arg=-Wl,-rpath,{torch}/lib");
        }
    }
}

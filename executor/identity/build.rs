//! Hashes the sources that decide what a run does and what is said of it, and the weights that are built in.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use sha2::{Digest, Sha256};
use walkdir::WalkDir;

/// What results depend on: rewriting, prediction, the runtime, the search, verdicts; and the versions of libraries.
const SOURCES: [&str; 19] = [
    "Cargo.lock",
    "instrument/src",
    "interpreter/src",
    "value-model/src",
    // Used with `--model DIR`, too, which replaces the other weights.
    "value-model/data/model/conditions.safetensors",
    "value-model/data/model/plausibility.json",
    "executor/project/src",
    "executor/engine/src",
    "executor/engine/runtime",
    "executor/ledger/src",
    "executor/plausibility/src",
    "executor/blame/src",
    "executor/search/src",
    "executor/inputs/src",
    "executor/report/src",
    "executor/batch/src",
    "executor/cover/src",
    "executor/check/src",
    "executor/diff/src",
];
const WEIGHTS: [&str; 1] = ["value-model/data"];

fn main() {
    let python = env::var_os("PYO3_PYTHON").unwrap_or_else(|| "python3".into());
    let version = Command::new(python).args(["-I", "-S", "-c", "import sys; print(sys.version)"]).output();
    let version = version.map(|output| output.stdout).unwrap_or_default();
    println!("cargo::rerun-if-env-changed=PYO3_PYTHON");
    println!("cargo::rustc-env=SURMISE_RUNTIME={}", hash(&SOURCES, &version));
    println!("cargo::rustc-env=SURMISE_WEIGHTS={}", hash(&WEIGHTS, b""));
}

/// The hash of all files below some paths, their names included.
fn hash(paths: &[&str], also: &[u8]) -> String {
    let root = Path::new(&env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default()).join("../..");
    let mut hash = Sha256::new_with_prefix(also);
    for path in paths {
        println!("cargo::rerun-if-changed={}", root.join(path).display());
        for entry in WalkDir::new(root.join(path)).sort_by_file_name().into_iter().filter_map(Result::ok) {
            if entry.file_type().is_file() {
                let bytes =
                    fs::read(entry.path()).unwrap_or_else(|error| panic!("{}: {error}", entry.path().display()));
                let name = entry.path().strip_prefix(&root).unwrap_or(entry.path()).to_string_lossy().into_owned();
                hash.update(format!("{name}\0{}\0", bytes.len()));
                hash.update(bytes);
            }
        }
    }
    format!("{:x}", hash.finalize())
}

//! Mutants of good model files, in each format: loading ends without a panic, in a model or one clear error.
//!
//! The same mutants each time; `PROPTEST_CASES` makes more of them.

use std::path::{Path, PathBuf};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, RngAlgorithm, TestRng, TestRunner};
use surmise_value_model::t5::{Config, T5, Weights};

fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

fn hold<S: Strategy>(strategy: &S, property: impl Fn(S::Value)) {
    let cases = Cases { failure_persistence: None, ..Cases::default() };
    let mut runner = TestRunner::new_with_rng(cases, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

/// What formats say about themselves lies at either end; the middle is numbers.
#[derive(Clone, Copy, Debug)]
enum Place {
    FromStart(usize),
    FromEnd(usize),
    Share(f64),
}

impl Place {
    fn in_bytes(self, length: usize) -> usize {
        let last = length.saturating_sub(1);
        match self {
            Self::FromStart(at) => at.min(last),
            Self::FromEnd(at) => last.saturating_sub(at),
            Self::Share(share) => ((share * length as f64) as usize).min(last),
        }
    }
}

#[derive(Clone, Debug)]
enum Change {
    Set(Place, u8),
    Flip(Place, u8),
    Number(Place, u64),
    Insert(Place, Vec<u8>),
    Cut(Place, usize),
    Repeat(Place, usize, Place),
    End(Place),
}

fn place() -> impl Strategy<Value = Place> {
    prop_oneof![
        4 => (0..3000_usize).prop_map(Place::FromStart),
        3 => (0..3000_usize).prop_map(Place::FromEnd),
        1 => (0.0..1.0).prop_map(Place::Share),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    let number = prop_oneof![Just(u64::MAX), Just(1 << 63), Just(1 << 32), Just(0), any::<u64>()];
    prop_oneof![
        (place(), any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (place(), 0..8_u8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (place(), number).prop_map(|(at, number)| Change::Number(at, number)),
        (place(), vec(any::<u8>(), 1..20)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (place(), 1..200_usize).prop_map(|(at, count)| Change::Cut(at, count)),
        (place(), 1..200_usize, place()).prop_map(|(at, count, to)| Change::Repeat(at, count, to)),
        place().prop_map(Change::End),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let length = bytes.len();
    if length == 0 {
        return;
    }
    let range = |at: Place, count: usize| {
        let start = at.in_bytes(length);
        start..(start + count).min(length)
    };
    match change {
        Change::Set(at, byte) => bytes[at.in_bytes(length)] = *byte,
        Change::Flip(at, bit) => bytes[at.in_bytes(length)] ^= 1 << bit,
        Change::Number(at, number) => {
            let range = range(*at, 8);
            let number = number.to_le_bytes();
            bytes[range.clone()].copy_from_slice(&number[..range.len()]);
        }
        Change::Insert(at, new) => {
            let at = at.in_bytes(length);
            bytes.splice(at..at, new.iter().copied());
        }
        Change::Cut(at, count) => drop(bytes.drain(range(*at, *count))),
        Change::Repeat(at, count, to) => {
            let piece = bytes[range(*at, *count)].to_vec();
            let to = to.in_bytes(length);
            bytes.splice(to..to, piece);
        }
        Change::End(at) => bytes.truncate(at.in_bytes(length)),
    }
}

/// Loads mutants of a file that is one whole model, and the file itself to know that it is.
fn hold_for(folder: &str, file: &str) {
    let good = std::fs::read(reference(folder).join(file)).expect("the file is in the repository");
    let config = std::fs::read_to_string(reference(folder).join("config.json")).expect("so is its configuration");
    let config = Config::from_json(&config).expect("it is good");
    let scratch = tempfile::tempdir().expect("a folder");
    let path = scratch.path().join(file);
    let load = |bytes: &[u8]| {
        std::fs::write(&path, bytes).expect("a file");
        Weights::open(&path).and_then(|weights| T5::load(config, &weights)).map(drop)
    };
    load(&good).expect("the file is good before it is spoiled");
    hold(&vec(change(), 1..5), |changes| {
        let mut bytes = good.clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        if let Err(error) = load(&bytes) {
            let text = error.to_string();
            assert!(!text.is_empty() && !text.contains('\n'), "one clear line: {text}");
        }
    });
}

#[test]
fn safetensors() {
    hold_for("relu-tied", "model.safetensors");
}

#[test]
fn archives() {
    hold_for("gated-tied", "pytorch_model.bin");
}

#[test]
fn streams() {
    hold_for("old-tied", "pytorch_model.bin");
}

#[test]
fn configurations() {
    let good = std::fs::read(reference("relu-tied/config.json")).expect("the file is in the repository");
    assert!(Config::from_json(&String::from_utf8_lossy(&good)).is_ok());
    hold(&vec(change(), 1..5), |changes| {
        let mut bytes = good.clone();
        for change in &changes {
            apply(&mut bytes, change);
        }
        let _no_panic = Config::from_json(&String::from_utf8_lossy(&bytes));
    });
}

/// Bytes that no format begins with, and those that each begins with.
#[test]
fn anything() {
    let scratch = tempfile::tempdir().expect("a folder");
    let start = prop_oneof![
        Just(Vec::new()),
        Just(b"PK\x03\x04".to_vec()),
        Just(vec![0x80, 2]),
        Just([&64_u64.to_le_bytes()[..], b"{"].concat()),
    ];
    hold(&(start, vec(any::<u8>(), 0..400)), |(mut bytes, rest)| {
        bytes.extend(rest);
        for name in ["model.safetensors", "pytorch_model.bin"] {
            let path = scratch.path().join(name);
            std::fs::write(&path, &bytes).expect("a file");
            assert!(Weights::open(&path).is_err(), "no model is so short");
        }
    });
}

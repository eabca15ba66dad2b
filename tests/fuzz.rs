//! Output of a worker is decoded as untrusted: whatever bytes arrive, nothing panics, decoding ends, and all events
//! before the damage are kept. The same goes for a store of results: a damaged one is refused and not changed.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::Value;
use surmise::batch::store::{FILE_NAME, Store};
use surmise::cover::record::Record;
use surmise::identity::Identity;
use surmise::protocol::{End, Event, Injection, MAX_FRAME_BYTES, Raised, decode_events, read_frame, write_frame};

/// Checks a property on the same cases each time; `PROPTEST_CASES` sets their number.
fn hold<S: Strategy>(strategy: &S, property: impl Fn(S::Value)) {
    let config = Config { failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(strategy, |value| {
        property(value);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

fn event() -> impl Strategy<Value = Event> {
    let injected =
        (any::<u32>(), any::<String>(), proptest::option::of(any::<u16>())).prop_map(|(line, text, rank)| {
            Event::Injected(Injection {
                line,
                column: line / 2,
                kind: "variable".into(),
                name: text.clone(),
                class: rank.map(|_| text.clone()),
                value: text,
                rank,
                site: Some(line),
                ..Injection::default()
            })
        });
    let raised = (any::<String>(), any::<u32>(), any::<i32>()).prop_map(|(message, line, exit_code)| {
        Event::End(End::Raised(Raised { message, line, exit_code, ..Raised::default() }))
    });
    prop_oneof![
        Just(Event::IsolatedCallsEnd),
        any::<i32>().prop_map(|exit_code| Event::End(End::Completed { exit_code })),
        (any::<u32>(), any::<String>()).prop_map(|(line, message)| Event::End(End::Syntax { line, message })),
        injected,
        raised,
    ]
}

/// A change of bytes at a position given as a fraction of their length.
#[derive(Clone, Debug)]
enum Change {
    Set(f64, u8),
    Insert(f64, Vec<u8>),
    Cut(f64, usize),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (0.0..1.0, any::<u8>()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (0.0..1.0, vec(any::<u8>(), 1..9)).prop_map(|(at, bytes)| Change::Insert(at, bytes)),
        (0.0..1.0, 1..30_usize).prop_map(|(at, count)| Change::Cut(at, count)),
    ]
}

fn apply(bytes: &mut Vec<u8>, change: Change) {
    let place = |at: f64| (at * bytes.len() as f64) as usize;
    match change {
        Change::Set(at, byte) => {
            let place = place(at);
            if let Some(old) = bytes.get_mut(place) {
                *old = byte;
            }
        }
        Change::Insert(at, new) => {
            let place = place(at);
            bytes.splice(place..place, new);
        }
        Change::Cut(at, count) => {
            let place = place(at);
            bytes.drain(place..(place + count).min(bytes.len()));
        }
    }
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for event in events {
        write_frame(&mut bytes, event).expect("a vector takes everything");
    }
    bytes
}

fn comparable(events: &[Event]) -> Vec<Value> {
    events.iter().map(|event| serde_json::to_value(event).expect("events are plain data")).collect()
}

#[test]
fn frames_of_anything_end() {
    hold(&vec(any::<u8>(), 0..600), |bytes| {
        let mut rest = &bytes[..];
        let mut taken = 0;
        loop {
            match read_frame(&mut rest) {
                Ok(Some(body)) => {
                    taken += body.len() + 4;
                    assert_eq!(taken + rest.len(), bytes.len(), "a body is made of bytes that were sent");
                }
                Ok(None) => break assert!(rest.is_empty()),
                Err(_) => break,
            }
        }
        let _no_panic = decode_events(&bytes);
    });
}

#[test]
fn what_was_told_before_garbage_is_kept() {
    hold(&(vec(event(), 0..6), vec(any::<u8>(), 0..80)), |(events, garbage)| {
        let mut bytes = written(&events);
        bytes.extend(garbage);
        let decoded = comparable(&decode_events(&bytes));
        assert_eq!(decoded[..events.len()], comparable(&events)[..]);
    });
}

#[test]
fn spoiled_messages_make_no_more_of_them() {
    hold(&(vec(event(), 1..6), vec(change(), 1..6)), |(events, changes)| {
        let mut bytes = written(&events);
        for change in changes {
            apply(&mut bytes, change);
        }
        let decoded = decode_events(&bytes);
        assert!(decoded.len() * 4 <= bytes.len(), "{} events of {} bytes", decoded.len(), bytes.len());
    });
}

/// The length of a message is checked before memory is reserved for it.
#[test]
fn absurd_lengths_are_refused() {
    hold(&(MAX_FRAME_BYTES + 1.., vec(any::<u8>(), 0..40)), |(length, rest)| {
        let bytes = [&length.to_le_bytes()[..], &rest].concat();
        assert!(read_frame(&bytes[..]).is_err());
        assert!(decode_events(&bytes).is_empty());
    });
}

fn record(number: usize, text: &str) -> Record {
    let report =
        if number.is_multiple_of(2) { Ok(serde_json::json!({ "stdout": text })) } else { Err(text.to_owned()) };
    Record { index: number as u64, fingerprint: format!("print{number}"), configuration: "model".into(), report }
}

#[test]
fn spoiled_stores_are_refused_or_give_what_was_kept() {
    hold(&(vec(any::<String>(), 1..5), vec(change(), 0..3)), |(texts, changes)| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(FILE_NAME);
        let mut store = Store::<Record>::open(folder.path(), &Identity::built_in(), "a").expect("a new store");
        let head = std::fs::read(&path).expect("it was written");
        let records: Vec<Record> = texts.iter().enumerate().map(|(number, text)| record(number, text)).collect();
        for record in &records {
            store.add(record).expect("room for a record");
        }
        drop(store);
        let mut bytes = std::fs::read(&path).expect("it was written");
        for change in changes {
            apply(&mut bytes, change);
        }
        std::fs::write(&path, &bytes).expect("it can be written");
        match Store::<Record>::open(folder.path(), &Identity::built_in(), "a") {
            Err(_) => assert_eq!(std::fs::read(&path).expect("it is there"), bytes, "what was refused is left alone"),
            Ok(mut store) => {
                let left = std::fs::read(&path).expect("it is there");
                let whole_lines = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                let expected = if whole_lines == 0 { &head[..] } else { &bytes[..whole_lines] };
                assert_eq!(left, expected, "nothing but half a line is cut off");
                for expected in &records {
                    if store.has(&expected.fingerprint, &expected.configuration) {
                        let kept = store.get(&expected.fingerprint, &expected.configuration).expect("it can be read");
                        assert_eq!(kept.expect("it is there").report, expected.report);
                    }
                }
            }
        }
    });
}

//! What the shipped model costs on one core, and in memory.
//!
//! `cargo bench -p surmise-value-model --bench forward`. Questions are names of one of this repository's own Python
//! files. Everything but many questions at once is done on one thread: look at the fastest sample, what is above it is
//! the machine's other work.

use std::path::Path;
use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use surmise_value_model::t5::{Batch, Encoded, T5};
use surmise_value_model::{Model, Predictor, Query, Use};

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const SOURCE: &str = include_str!("../../executor/engine/runtime/signatures.py");
/// Classes among which a site's value is predicted.
const CLASSES: u32 = 22;

static T5_ALONE: LazyLock<T5> = LazyLock::new(|| {
    T5::open(&Path::new(env!("CARGO_MANIFEST_DIR")).join("data/model")).expect("the shipped model is whole")
});
static MODEL: LazyLock<Model> = LazyLock::new(Model::built_in);

fn main() {
    surmise_value_model::t5::undivided_products();
    memory();
    divan::main();
}

/// Tells what the model takes beyond its bytes in the binary.
#[expect(clippy::print_stdout, reason = "a benchmark prints its figures")]
fn memory() {
    let before = resident();
    LazyLock::force(&MODEL);
    let loaded = resident();
    MODEL.predict(&questions(200));
    let asked = resident();
    println!(
        "memory: loading takes {:.1} MB, the first 200 questions {:.1} more; then the process has {:.1}",
        loaded - before,
        asked - loaded,
        asked
    );
}

/// Megabytes of this process that are in memory.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("it has the line");
    let kilobytes = line.trim().trim_end_matches(" kB").parse::<f64>().expect("a number");
    kilobytes * 1024.0 / 1e6
}

/// A row of tokens, all from one seed.
fn batch(rows: usize, tokens: usize) -> Batch {
    let size = T5_ALONE.config().vocab_size as u32;
    let mut random = fastrand::Rng::with_seed(1);
    let rows: Vec<Vec<u32>> = (0..rows).map(|_| (0..tokens).map(|_| random.u32(..size)).collect()).collect();
    Batch::new(&rows).expect("rows have tokens")
}

fn encode(tokens: usize) -> Encoded {
    T5_ALONE.encode(&batch(1, tokens)).expect("tokens are of the vocabulary")
}

/// Decoder sequences `[start, mark]`.
fn sites(count: usize) -> Vec<[u32; 2]> {
    let last = T5_ALONE.config().vocab_size as u32 - 1;
    (0..count as u32).map(|site| [0, last - site % 100]).collect()
}

fn score(encoded: &Encoded, sites: &[[u32; 2]]) -> Vec<f32> {
    let queries: Vec<(usize, &[u32])> = sites.iter().map(|site| (0, &site[..])).collect();
    let classes: Vec<u32> = (100..100 + CLASSES).collect();
    T5_ALONE.score(encoded, &queries, &classes).expect("the queries fit")
}

/// So many names that the file reads, from its beginning.
fn questions(count: usize) -> Vec<Query<'static>> {
    let is_word = |c: char| c == '_' || c.is_alphanumeric();
    let mut found = Vec::new();
    let mut start = 0;
    while found.len() < count {
        let begin = start + SOURCE[start..].find(is_word).expect("the file has so many names");
        let length = SOURCE[begin..].find(|c| !is_word(c)).expect("it ends in a line's end");
        start = begin + length;
        let name = &SOURCE[begin..start];
        if !name.starts_with(char::is_numeric) {
            found.push(Query {
                name,
                kind: Use::Variable,
                source: SOURCE,
                model: None,
                start: begin,
                end: start,
                anchor: start,
            });
        }
    }
    found
}

/// What asking for values of a snippet takes, from its text: tokens, windows, encoder, decoder, ranks. Where there are
/// more windows than one thread takes at once, all cores share them.
#[divan::bench(args = [1, 10, 50, 200], sample_count = 60, sample_size = 1)]
fn from_text(bencher: Bencher<'_, '_>, count: usize) {
    let questions = questions(count);
    LazyLock::force(&MODEL);
    bencher.counter(ItemsCount::new(count)).bench_local(|| MODEL.predict(black_box(&questions)));
}

/// The encoder alone, a row of so many tokens.
#[divan::bench(args = [64, 128, 192, 256], sample_count = 100, sample_size = 1)]
fn encoder(bencher: Bencher<'_, '_>, tokens: usize) {
    let batch = batch(1, tokens);
    bencher.counter(ItemsCount::new(tokens)).bench_local(|| T5_ALONE.encode(black_box(&batch)));
}

/// Sixteen rows of 128 tokens at once.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn encoder_batch(bencher: Bencher<'_, '_>) {
    let batch = batch(16, 128);
    bencher.counter(ItemsCount::new(16 * 128_usize)).bench_local(|| T5_ALONE.encode(black_box(&batch)));
}

/// A window of 192 tokens encoded once, then so many sites in it asked at once.
#[divan::bench(args = [1, 10, 50, 100], sample_count = 60, sample_size = 1)]
fn window(bencher: Bencher<'_, '_>, count: usize) {
    let (batch, sites) = (batch(1, 192), sites(count));
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let encoded = T5_ALONE.encode(black_box(&batch)).expect("tokens are of the vocabulary");
        score(&encoded, &sites)
    });
}

/// The sites alone, of a window that was asked before.
#[divan::bench(args = [1, 10, 50, 100], sample_count = 60, sample_size = 1)]
fn next_score(bencher: Bencher<'_, '_>, count: usize) {
    let (encoded, sites) = (encode(192), sites(count));
    score(&encoded, &sites);
    bencher.counter(ItemsCount::new(count)).bench_local(|| score(&encoded, &sites));
}

/// From the bytes in the binary to a model that can be asked.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn loading(bencher: Bencher<'_, '_>) {
    bencher.bench_local(Model::built_in);
}

//! The forward pass on one core, of a model of the default's size with random weights.
//!
//! `cargo bench -p surmise-value-model --bench forward`. The encoder has 4 layers of 256 with 8 heads and a plain
//! feed-forward layer of 1024, the decoder 2 such layers; the vocabulary has 12,000 tokens. Look at the fastest
//! sample: everything is done on one thread, so what is above it is the machine's other work.

use std::sync::LazyLock;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use surmise_value_model::t5::{Batch, Config, Encoded, T5, Tensors, Weights};

/// That of the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const CONFIG: &str = r#"{"model_type": "t5", "vocab_size": 12000, "d_model": 256, "d_kv": 32, "d_ff": 1024,
    "num_layers": 4, "num_decoder_layers": 2, "num_heads": 8, "feed_forward_proj": "relu"}"#;
const VOCABULARY: u32 = 12_000;
/// Classes among which a site's value is predicted.
const CLASSES: u32 = 23;

static WEIGHTS: LazyLock<Vec<u8>> = LazyLock::new(|| random_weights().to_bytes().expect("these are few tensors"));
static MODEL: LazyLock<T5> = LazyLock::new(load);

fn main() {
    divan::main();
}

fn config() -> Config {
    Config::from_json(CONFIG).expect("the configuration is right")
}

fn load() -> T5 {
    let weights = Weights::from_safetensors(&WEIGHTS[..]).expect("they were just written");
    T5::load(config(), &weights).expect("they fit the configuration")
}

/// Int8 weights as shipped, all from one seed.
fn random_weights() -> Tensors {
    let config = config();
    let (model, inner, wide) = (config.d_model, config.inner(), config.d_ff);
    let mut random = Random(88_172_645_463_325_252);
    let mut tensors = Tensors::new();
    let mut matrix = |name: &str, rows: usize, cols: usize| {
        let values: Vec<f32> = (0..rows * cols).map(|_| random.next() / (cols as f32).sqrt()).collect();
        tensors.add_quantized(name, rows, cols, &values).expect("the shape fits");
    };
    matrix("shared.weight", config.vocab_size, model);
    let mut norms = Vec::new();
    for (stack, layers, kinds) in [
        ("encoder", config.num_layers, &["SelfAttention"][..]),
        ("decoder", config.num_decoder_layers, &["SelfAttention", "EncDecAttention"][..]),
    ] {
        for block in 0..layers {
            let prefix = format!("{stack}.block.{block}.layer");
            for (layer, kind) in kinds.iter().enumerate() {
                for part in ["q", "k", "v"] {
                    matrix(&format!("{prefix}.{layer}.{kind}.{part}.weight"), inner, model);
                }
                matrix(&format!("{prefix}.{layer}.{kind}.o.weight"), model, inner);
                norms.push(format!("{prefix}.{layer}.layer_norm.weight"));
            }
            let layer = kinds.len();
            matrix(&format!("{prefix}.{layer}.DenseReluDense.wi.weight"), wide, model);
            matrix(&format!("{prefix}.{layer}.DenseReluDense.wo.weight"), model, wide);
            norms.push(format!("{prefix}.{layer}.layer_norm.weight"));
        }
        let table = format!("{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight");
        matrix(&table, config.relative_attention_num_buckets, config.num_heads);
        norms.push(format!("{stack}.final_layer_norm.weight"));
    }
    for name in norms {
        tensors.add(&name, &[model], &vec![1.0; model]).expect("the shape fits");
    }
    tensors
}

/// Marsaglia's xorshift, between -1 and 1.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1 << 23) as f32 - 1.0
    }
}

fn batch(rows: usize, tokens: usize) -> Batch {
    let mut random = Random(362_436_069_362_436_069);
    let mut row =
        || -> Vec<u32> { (0..tokens).map(|_| (random.next().abs() * (VOCABULARY - 1) as f32) as u32).collect() };
    let rows: Vec<_> = (0..rows).map(|_| row()).collect();
    Batch::new(&rows).expect("rows have tokens")
}

fn encode(tokens: usize) -> Encoded {
    MODEL.encode(&batch(1, tokens)).expect("tokens are of the vocabulary")
}

/// Decoder sequences `[start, <extra_id_k>]`.
fn sites(count: usize) -> Vec<[u32; 2]> {
    (0..count as u32).map(|site| [0, VOCABULARY - 1 - site]).collect()
}

fn score(encoded: &Encoded, sites: &[[u32; 2]]) -> Vec<f32> {
    let queries: Vec<(usize, &[u32])> = sites.iter().map(|site| (0, &site[..])).collect();
    let classes: Vec<u32> = (100..100 + CLASSES).collect();
    MODEL.score(encoded, &queries, &classes).expect("the queries fit")
}

/// The encoder alone, a row of so many tokens.
#[divan::bench(args = [64, 128, 256, 512], sample_count = 100, sample_size = 1)]
fn encoder(bencher: Bencher<'_, '_>, tokens: usize) {
    let batch = batch(1, tokens);
    bencher.counter(ItemsCount::new(tokens)).bench_local(|| MODEL.encode(black_box(&batch)));
}

/// Sixteen rows of 128 tokens at once.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn encoder_batch(bencher: Bencher<'_, '_>) {
    let batch = batch(16, 128);
    bencher.counter(ItemsCount::new(16 * 128_usize)).bench_local(|| MODEL.encode(black_box(&batch)));
}

/// What a snippet costs: its 256 tokens encoded once, then so many sites asked at once.
#[divan::bench(args = [1, 10, 50, 100], sample_count = 60, sample_size = 1)]
fn snippet(bencher: Bencher<'_, '_>, count: usize) {
    let (batch, sites) = (batch(1, 256), sites(count));
    bencher.counter(ItemsCount::new(count)).bench_local(|| {
        let encoded = MODEL.encode(black_box(&batch)).expect("tokens are of the vocabulary");
        score(&encoded, &sites)
    });
}

/// The sites alone, the first time: keys and values of the snippet included.
#[divan::bench(args = [1, 10, 50, 100], sample_count = 60, sample_size = 1)]
fn first_score(bencher: Bencher<'_, '_>, count: usize) {
    let sites = sites(count);
    bencher
        .counter(ItemsCount::new(count))
        .with_inputs(|| encode(256))
        .bench_local_refs(|encoded| score(encoded, &sites));
}

/// The sites alone, of a snippet that was asked before.
#[divan::bench(args = [1, 10, 50, 100], sample_count = 60, sample_size = 1)]
fn next_score(bencher: Bencher<'_, '_>, count: usize) {
    let (encoded, sites) = (encode(256), sites(count));
    score(&encoded, &sites);
    bencher.counter(ItemsCount::new(count)).bench_local(|| score(&encoded, &sites));
}

/// From the bytes in the binary to a model that can be asked.
#[divan::bench(sample_count = 20, sample_size = 1)]
fn loading(bencher: Bencher<'_, '_>) {
    LazyLock::force(&WEIGHTS);
    bencher.bench_local(load);
}

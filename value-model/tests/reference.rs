//! Our logits against those of Hugging Face transformers, on small random models (`make_reference.py` wrote them).

use std::fs;
use std::path::PathBuf;

use safetensors::SafeTensors;
use surmise_value_model::encoding::Vocabulary;
use surmise_value_model::t5::{Batch, T5};
use surmise_value_model::{Model, Predictor, Query, Use};

const TOLERANCE: f32 = 1e-4;

fn reference(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

/// What transformers was asked and what it said.
struct Expected {
    width: usize,
    ids: Vec<u32>,
    lengths: Vec<usize>,
    steps: usize,
    decoder_ids: Vec<u32>,
    logits: Vec<f32>,
}

impl Expected {
    fn read(name: &str) -> Self {
        let bytes = fs::read(reference(name).join("expected.safetensors")).unwrap();
        let tensors = SafeTensors::deserialize(&bytes).unwrap();
        let words = |name| tensors.tensor(name).unwrap().data().as_chunks::<4>().0.to_vec();
        let numbers = |name| words(name).into_iter().map(u32::from_le_bytes).collect();
        let width = |name| tensors.tensor(name).unwrap().shape()[1];
        Self {
            width: width("ids"),
            ids: numbers("ids"),
            lengths: words("lengths").into_iter().map(|word| u32::from_le_bytes(word) as usize).collect(),
            steps: width("decoder_ids"),
            decoder_ids: numbers("decoder_ids"),
            logits: words("logits").into_iter().map(f32::from_le_bytes).collect(),
        }
    }

    fn batch(&self) -> Batch {
        let rows = self.ids.chunks(self.width).zip(&self.lengths).map(|(row, length)| &row[..*length]);
        Batch::new(&rows.collect::<Vec<_>>()).unwrap()
    }

    fn decoder_row(&self, row: usize) -> &[u32] {
        &self.decoder_ids[row * self.steps..][..self.steps]
    }
}

fn assert_close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let worst = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f32::max);
    assert!(worst <= TOLERANCE, "{what}: {worst} apart");
}

/// What libtorch says of each row's first decoder token, as a value is asked for.
#[cfg(feature = "torch")]
fn check_torch(name: &str) {
    use surmise_value_model::encoding::Window;
    use surmise_value_model::torch::{Net, Padded};

    let (config, weights) = T5::parts(&reference(name)).unwrap();
    let net = Net::open(&config, &weights, tch::Device::Cpu).unwrap();
    let expected = Expected::read(name);
    let window = |(row, &length): (usize, &usize)| Window {
        ids: expected.ids[row * expected.width..][..length].to_vec(),
        asked: vec![(0, expected.decoder_row(row)[0])],
    };
    let windows: Vec<Window> = expected.lengths.iter().enumerate().map(window).collect();
    assert!(windows.iter().any(|window| window.ids.len() < windows[0].ids.len().max(expected.width)), "none is padded");
    let all: Vec<i64> = (0..config.vocab_size as i64).collect();
    let logits = net.forward(&Padded::new(windows.iter(), config.pad_token_id), &tch::Tensor::from_slice(&all));
    let logits: Vec<f32> = Vec::try_from(logits.reshape([-1])).unwrap();
    let row = |row: usize| &expected.logits[row * expected.steps * config.vocab_size..][..config.vocab_size];
    let wanted: Vec<f32> = (0..windows.len()).flat_map(row).copied().collect();
    assert_close(&logits, &wanted, &format!("{name}, libtorch"));
}

/// All positions of all rows with the whole vocabulary, then some of them with some tokens.
fn check(name: &str) {
    #[cfg(feature = "torch")]
    check_torch(name);
    let model = T5::open(&reference(name)).unwrap();
    let expected = Expected::read(name);
    let encoded = model.encode(&expected.batch()).unwrap();
    let vocabulary = model.config().vocab_size;

    let prefixes = |row| (1..=expected.steps).map(move |length| (row, length));
    let every = (0..expected.lengths.len()).flat_map(prefixes);
    let every: Vec<(usize, &[u32])> = every.map(|(row, length)| (row, &expected.decoder_row(row)[..length])).collect();
    let logits = model.score(&encoded, &every, &(0..vocabulary as u32).collect::<Vec<_>>()).unwrap();
    assert_close(&logits, &expected.logits, name);

    // Rows out of order, prefixes shared and repeated, one query as long as the reference.
    let queries: Vec<(usize, &[u32])> = [(2, 2), (0, 1), (1, 3), (0, 2), (0, 2), (2, expected.steps), (1, 1)]
        .map(|(row, length)| (row, &expected.decoder_row(row)[..length]))
        .into();
    let tokens = [5, 63, 0, 17];
    let wanted: Vec<f32> = queries
        .iter()
        .flat_map(|(row, ids)| {
            let last = (row * expected.steps + ids.len() - 1) * vocabulary;
            tokens.map(|token| expected.logits[last + token as usize])
        })
        .collect();
    let scores = model.score(&encoded, &queries, &tokens).unwrap();
    assert_close(&scores, &wanted, &format!("{name}, scores"));
}

#[test]
fn relu_tied() {
    check("relu-tied");
}

#[test]
fn relu_untied() {
    check("relu-untied");
}

#[test]
fn gated_untied() {
    check("gated-untied");
}

#[test]
fn bfloat16_untied() {
    check("half-untied");
}

#[test]
fn gated_tied_in_a_zip_archive() {
    check("gated-tied");
}

#[test]
fn relu_tied_in_a_stream_of_pickles() {
    check("old-tied");
}

/// A batch has the logits that each of its rows has alone.
#[test]
fn rows_do_not_see_each_other() {
    let model = T5::open(&reference("relu-tied")).unwrap();
    let expected = Expected::read("relu-tied");
    let together = model.encode(&expected.batch()).unwrap();
    for (row, length) in expected.lengths.iter().enumerate() {
        let ids = &expected.ids[row * expected.width..][..*length];
        let single = model.encode(&Batch::new(&[ids]).unwrap()).unwrap();
        assert_close(single.states(0), together.states(row), "states");
    }
}

#[test]
fn threads_share_a_model() {
    let model = T5::open(&reference("gated-untied")).unwrap();
    let expected = Expected::read("gated-untied");
    let encoded = model.encode(&expected.batch()).unwrap();
    let query = [(0, expected.decoder_row(0))];
    let tokens: Vec<u32> = (0..64).collect();
    let scores = model.score(&encoded, &query, &tokens).unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let encoded = model.encode(&expected.batch()).unwrap();
                assert_close(&model.score(&encoded, &query, &tokens).unwrap(), &scores, "another thread");
            });
        }
    });
}

/// The files that `CodeT5` was published with: our tokens are those of transformers, and the model answers.
#[test]
fn a_directory_of_codet5_is_read() {
    let folder = reference("codet5");
    let vocabulary = Vocabulary::open(&folder).unwrap();
    let expected: serde_json::Value = serde_json::from_slice(&fs::read(folder.join("tokens.json")).unwrap()).unwrap();
    let numbers = |value: &serde_json::Value| -> Vec<u32> { serde_json::from_value(value.clone()).unwrap() };
    for case in expected["texts"].as_array().unwrap() {
        let text = case["text"].as_str().unwrap();
        assert_eq!(vocabulary.encode(text).ids, numbers(&case["ids"]), "{text:?}");
    }
    let extra = [vocabulary.classes(), vocabulary.marks()].concat();
    assert_eq!(extra, numbers(&expected["extra"]));
    let model = Model::open(&folder).unwrap();
    let source = "print(total)";
    let query = Query { name: "total", kind: Use::Variable, source, model: None, start: 6, end: 11, anchor: 11 };
    let answers = model.predict(&[query]);
    assert_eq!(answers[0].len(), vocabulary.classes().len());
}

#[test]
fn a_broken_tokenizer_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, content: &str, part: &str| {
        for file in fs::read_dir(reference("codet5")).unwrap() {
            let file = file.unwrap();
            fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
        }
        fs::write(folder.path().join(name), content).unwrap();
        let problem = Vocabulary::open(folder.path()).err().unwrap_or_else(|| panic!("{name} is taken: {content}"));
        assert!(problem.to_string().contains(part), "{problem}");
    };
    refused("merges.txt", "a b c\n", "merges.txt");
    refused("merges.txt", "zz qq\n", "merges.txt");
    refused("vocab.json", "[]", "vocab.json");
    refused("special_tokens_map.json", "{", "special_tokens_map.json");
}

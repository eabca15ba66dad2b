//! Damaged and hostile files, and questions that do not fit a model: one clear error each, no panic.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use surmise_value_model::t5::{Batch, Config, InputError, LoadError, T5, Tensors, Weights, quantize};

fn reference(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

fn config() -> Config {
    Config::from_json(&fs::read_to_string(reference("relu-tied/config.json")).unwrap()).unwrap()
}

/// All weights of a good model, to be spoiled one at a time.
fn good() -> Vec<u8> {
    fs::read(reference("relu-tied/model.safetensors")).unwrap()
}

fn load(bytes: &[u8]) -> Result<T5, LoadError> {
    T5::load(config(), &Weights::from_safetensors(bytes)?)
}

/// The good model with one tensor replaced.
fn with(name: &str, shape: &[usize], values: &[f32]) -> Vec<u8> {
    let bytes = good();
    let weights = Weights::from_safetensors(&bytes[..]).unwrap();
    let mut tensors = Tensors::new();
    for other in weights.names().filter(|other| *other != name) {
        tensors.add(other, weights.shape(other).unwrap(), &weights.values(other).unwrap()).unwrap();
    }
    tensors.add(name, shape, values).unwrap();
    tensors.to_bytes().unwrap()
}

/// A safetensors file of one tensor with that description.
fn described(description: &str, data: usize) -> Vec<u8> {
    let header = format!(r#"{{"shared.weight": {description}}}"#);
    let mut bytes = (header.len() as u64).to_le_bytes().to_vec();
    bytes.extend(header.as_bytes());
    bytes.extend(vec![0; data]);
    bytes
}

#[test]
fn truncated_anywhere() {
    let bytes = good();
    for length in (0..bytes.len()).step_by(97).chain([7, 8, 9, bytes.len() - 1]) {
        let error = load(&bytes[..length]).unwrap_err();
        assert!(matches!(error, LoadError::Truncated(_)), "{length}: {error}");
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(load(&longer), Err(LoadError::Truncated(_))));
}

#[test]
fn headers_that_lie() {
    let huge = [&u64::MAX.to_le_bytes()[..], b"{}"].concat();
    assert!(matches!(load(&huge), Err(LoadError::TooLarge { size: u64::MAX, .. })));
    assert!(matches!(load(&[&2_u64.to_le_bytes()[..], b"[]"].concat()), Err(LoadError::Damaged(_))));
    let overflow = r#"{"dtype": "F32", "shape": [4611686018427387904, 4], "data_offsets": [0, 16]}"#;
    assert!(matches!(load(&described(overflow, 16)), Err(LoadError::Damaged(_))));
    let smaller = r#"{"dtype": "F32", "shape": [64, 16], "data_offsets": [0, 16]}"#;
    assert!(matches!(load(&described(smaller, 16)), Err(LoadError::Damaged(_))));
    let backwards = r#"{"dtype": "F32", "shape": [4], "data_offsets": [16, 0]}"#;
    assert!(matches!(load(&described(backwards, 16)), Err(LoadError::Damaged(_))));
}

#[test]
fn wrong_types_and_shapes() {
    let doubles = r#"{"dtype": "F64", "shape": [64, 16], "data_offsets": [0, 8192]}"#;
    let error = load(&described(doubles, 8192)).unwrap_err();
    assert_eq!(error.to_string(), "tensor `shared.weight` is of type F64, expected F32, F16 or BF16");

    let error = load(&with("shared.weight", &[16, 64], &[0.5; 1024])).unwrap_err();
    assert_eq!(error.to_string(), "tensor `shared.weight` has the shape [16, 64], expected [64, 16]");
    let norm = "decoder.final_layer_norm.weight";
    assert!(matches!(load(&with(norm, &[16, 1], &[0.5; 16])), Err(LoadError::Shape { .. })));

    let missing = r#"{"dtype": "F32", "shape": [64, 16], "data_offsets": [0, 4096]}"#;
    let error = load(&described(missing, 4096)).unwrap_err();
    assert!(matches!(&error, LoadError::Missing(name) if name.starts_with("encoder.block.0")), "{error}");
    let no_scale = r#"{"dtype": "I8", "shape": [64, 16], "data_offsets": [0, 1024]}"#;
    let error = load(&described(no_scale, 1024)).unwrap_err();
    assert_eq!(error.to_string(), "tensor `shared.weight.scale` is missing");
}

#[test]
fn values_that_are_not_finite() {
    for (name, bad) in [("shared.weight", f32::NAN), ("encoder.block.1.layer.1.layer_norm.weight", f32::INFINITY)] {
        let mut bytes = good();
        // Where the tensor's data lie, from the header.
        let header_length = u64::from_le_bytes(*bytes.first_chunk().unwrap()) as usize;
        let header: serde_json::Value = serde_json::from_slice(&bytes[8..8 + header_length]).unwrap();
        let start = 8 + header_length + header[name]["data_offsets"][0].as_u64().unwrap() as usize;
        bytes[start + 8..start + 12].copy_from_slice(&bad.to_le_bytes());
        let error = load(&bytes).unwrap_err();
        assert!(matches!(&error, LoadError::NotFinite(of) if of == name), "{error}");
    }
    assert!(matches!(Tensors::new().add("x", &[1], &[f32::NAN]), Err(LoadError::NotFinite(_))));
}

#[test]
fn configurations() {
    let good = fs::read_to_string(reference("gated-untied/config.json")).unwrap();
    let change = |key: &str, value: &str| {
        let mut config: serde_json::Value = serde_json::from_str(&good).unwrap();
        config[key] = serde_json::from_str(value).unwrap();
        Config::from_json(&config.to_string())
    };
    for (key, value) in [
        ("d_model", "18446744073709551615"),
        ("d_model", "0"),
        ("vocab_size", "4000000000"),
        ("num_layers", "100000"),
        ("num_decoder_layers", "0"),
        ("num_heads", "60000"),
        ("d_kv", "65536"),
        ("relative_attention_num_buckets", "3"),
        ("relative_attention_max_distance", "8"),
        ("layer_norm_epsilon", "-1"),
        ("pad_token_id", "64"),
        ("decoder_start_token_id", "99999"),
        ("dense_act_fn", "\"mish\""),
        ("model_type", "\"bert\""),
        ("is_encoder_decoder", "false"),
    ] {
        let error = change(key, value).unwrap_err();
        assert!(matches!(error, LoadError::Config { .. }), "{key}: {error}");
    }
    for (key, value) in [("d_model", "-1"), ("d_model", "\"16\""), ("num_heads", "1.5"), ("vocab_size", "null")] {
        assert!(matches!(change(key, value), Err(LoadError::ConfigSyntax(_))), "{key} {value}");
    }
    assert!(matches!(Config::from_json("{"), Err(LoadError::ConfigSyntax(_))));
    let mut deep = String::new();
    for _ in 0..100_000 {
        let _ = write!(deep, "[");
    }
    assert!(matches!(Config::from_json(&deep), Err(LoadError::ConfigSyntax(_))));
}

#[test]
fn configurations_of_both_generations() {
    let parse = |keys: &str| {
        let sizes = r#""vocab_size": 8, "d_model": 4, "d_kv": 2, "d_ff": 8, "num_layers": 3, "num_heads": 2"#;
        Config::from_json(&format!("{{{sizes}{keys}}}")).unwrap()
    };
    // (scaled, head may be missing)
    for (keys, scaled, tied) in [
        ("", true, true),
        (r#", "tie_word_embeddings": true"#, true, true),
        (r#", "tie_word_embeddings": false"#, false, false),
        (r#", "tie_word_embeddings": true, "scale_decoder_outputs": false"#, false, true),
        (r#", "tie_word_embeddings": true, "scale_decoder_outputs": true"#, true, true),
    ] {
        let config = parse(keys);
        assert_eq!((config.scale_decoder_outputs, config.tied_head), (scaled, tied), "{keys}");
        let again = Config::from_json(&config.to_json()).unwrap();
        assert_eq!((again.scale_decoder_outputs, again.num_decoder_layers), (scaled, 3));
        assert_eq!(again.to_json(), config.to_json());
    }
}

#[test]
fn directories() {
    let folder = tempfile::tempdir().unwrap();
    let error = |folder: &Path| T5::open(folder).unwrap_err().to_string();
    assert!(error(&folder.path().join("nowhere")).contains("config.json"));
    fs::copy(reference("relu-tied/config.json"), folder.path().join("config.json")).unwrap();
    assert!(error(folder.path()).contains("expected model.safetensors or pytorch_model.bin"));
    // A model of another shape under the same configuration.
    fs::copy(reference("gated-untied/model.safetensors"), folder.path().join("model.safetensors")).unwrap();
    assert!(error(folder.path()).contains("model.safetensors: tensor `"));
    fs::write(folder.path().join("config.json"), [0xff, 0xfe]).unwrap();
    assert!(error(folder.path()).contains("config.json: "));
}

#[test]
fn questions_that_do_not_fit() {
    let model = T5::open(&reference("relu-tied")).unwrap();
    let other = T5::open(&reference("relu-tied")).unwrap();
    assert_eq!(Batch::new(&[&[1_u32][..], &[]]), Err(InputError::EmptyRow(1)));
    assert!(matches!(Batch::new(&[vec![1; 10_000]]), Err(InputError::LongRow { .. })));
    let outside = Batch::new(&[[1, 64]]).unwrap();
    assert_eq!(model.encode(&outside).unwrap_err(), InputError::Token { token: 64, vocabulary: 64 });

    let encoded = model.encode(&Batch::new(&[[1, 2, 3]]).unwrap()).unwrap();
    assert_eq!(model.score(&encoded, &[(1, &[0])], &[1]), Err(InputError::NoRow { row: 1, rows: 1 }));
    assert_eq!(model.score(&encoded, &[(0, &[0]), (0, &[])], &[1]), Err(InputError::EmptyRow(1)));
    assert!(matches!(model.score(&encoded, &[(0, &[u32::MAX])], &[1]), Err(InputError::Token { .. })));
    assert!(matches!(model.score(&encoded, &[(0, &[0])], &[64]), Err(InputError::Token { .. })));
    assert_eq!(other.score(&encoded, &[(0, &[0])], &[1]), Err(InputError::OtherModel));
    assert_eq!(model.score(&encoded, &[], &[1]), Ok(vec![]));
    assert_eq!(model.score(&encoded, &[(0, &[0])], &[]), Ok(vec![]));

    let nothing = model.encode(&Batch::default()).unwrap();
    assert_eq!((nothing.rows(), nothing.states(0)), (0, &[][..]));
}

#[test]
fn int8_keeps_what_it_can() {
    let bytes = good();
    let weights = Weights::from_safetensors(&bytes[..]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model.safetensors");
    Tensors::quantized(&weights).unwrap().save(&path).unwrap();
    assert!(fs::metadata(&path).unwrap().len() < bytes.len() as u64 * 2 / 3, "small tensors have long names");
    let small = Weights::open(&path).unwrap();
    for name in weights.names() {
        let (before, after) = (weights.values(name).unwrap(), small.values(name).unwrap());
        let width = weights.shape(name).unwrap().last().copied().unwrap();
        for (before, after) in before.chunks(width).zip(after.chunks(width)) {
            let bound = before.iter().fold(0.0_f32, |largest, value| largest.max(value.abs())) / 254.0 + 1e-6;
            for (before, after) in before.iter().zip(after) {
                assert!((before - after).abs() <= bound, "{name}: {before} became {after}");
            }
        }
    }
    // The second time changes nothing, and the logits stay near.
    assert_eq!(Tensors::quantized(&small).unwrap().to_bytes().unwrap(), fs::read(&path).unwrap());
    let ids = Batch::new(&[(3..60).collect::<Vec<u32>>()]).unwrap();
    let tokens: Vec<u32> = (0..64).collect();
    let [exact, near] = [&weights, &small].map(|weights| {
        let model = T5::load(config(), weights).unwrap();
        model.score(&model.encode(&ids).unwrap(), &[(0, &[0, 5])], &tokens).unwrap()
    });
    let worst = exact.iter().zip(&near).map(|(exact, near)| (exact - near).abs()).fold(0.0, f32::max);
    assert!(worst < 0.2, "logits are {worst} apart");
    // Nothing unfinished is left beside the file, and a folder that isn't there is an error.
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    assert!(matches!(Tensors::new().save(&folder.path().join("no/model")), Err(LoadError::Io { .. })));
}

#[test]
fn rows_of_extremes_quantize() {
    let (integers, scales) = quantize(&[0.0, 0.0, -3.0, 1.5, 1e-44, -1e-44, f32::MAX, f32::MIN], 2);
    assert_eq!(integers, [0, 0, -127, 64, 0, 0, 127, -127]);
    assert_eq!((scales[0], scales[2]), (0.0, 0.0));
    assert!(scales.iter().all(|scale| scale.is_finite()));
}

#[test]
fn the_mean_is_of_models_of_one_shape() {
    let bytes = good();
    let weights = Weights::from_safetensors(&bytes[..]).unwrap();
    let name = "shared.weight";
    let other = with(name, &[64, 16], &[0.5; 1024]);
    let other = Weights::from_safetensors(&other[..]).unwrap();
    let mean = Tensors::mean(&weights, &other).unwrap().to_bytes().unwrap();
    let mean = Weights::from_safetensors(&mean[..]).unwrap();
    let expected: Vec<f32> = weights.values(name).unwrap().iter().map(|value| f32::midpoint(*value, 0.5)).collect();
    assert_eq!(mean.values(name).unwrap(), expected);
    let norm = "decoder.final_layer_norm.weight";
    assert_eq!(mean.values(norm).unwrap(), weights.values(norm).unwrap());
    let narrower = with(name, &[64, 8], &[0.5; 512]);
    let narrower = Weights::from_safetensors(&narrower[..]).unwrap();
    assert!(matches!(Tensors::mean(&weights, &narrower), Err(LoadError::Shape { .. })));
}

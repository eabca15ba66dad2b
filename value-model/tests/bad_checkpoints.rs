//! Damaged and hostile checkpoints of `PyTorch`: one clear error each, no panic, no code that runs.

use std::fs;
use std::path::{Path, PathBuf};

use surmise_value_model::t5::{Config, LoadError, T5, Weights};

fn reference(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference").join(name)
}

/// What is wrong with a file under the name that `PyTorch`'s have.
fn open(bytes: &[u8]) -> LoadError {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pytorch_model.bin");
    fs::write(&path, bytes).unwrap();
    match Weights::open(&path).unwrap_err() {
        LoadError::File { problem, path: at } => {
            assert_eq!(at, path);
            *problem
        }
        other => panic!("{other} does not name the file"),
    }
}

#[test]
fn pickles_that_would_run_code() {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let command = format!("touch {}", trace.display());
    let text = [b"X".to_vec(), (command.len() as u32).to_le_bytes().to_vec(), command.clone().into_bytes()].concat();
    let stream =
        b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.\x80\x02}X\x0d\x00\x00\x00little_endian\x88s.";
    let attacks: [(Vec<u8>, &str); 6] = [
        ([b"\x80\x02cos\nsystem\n", &text[..], b"\x85R."].concat(), "os.system"),
        ([b"\x80\x04\x8c\x05posix\x8c\x06system\x93", &text[..], b"\x85R."].concat(), "posix.system"),
        (b"\x80\x02c__builtin__\neval\n.".to_vec(), "__builtin__.eval"),
        ([b"\x80\x02(", &text[..], b"ios\nsystem\n."].concat(), "opcode"),
        (b"\x80\x02ctorch\nload\n)R.".to_vec(), "torch.load"),
        (b"\x80\x02ccollections\nOrderedDict\n)\x81.".to_vec(), "collections.OrderedDict"),
    ];
    for (attack, named) in &attacks {
        let archived = archive(&[("x/data.pkl", attack)]);
        for file in [attack.clone(), archived] {
            let error = open(&file);
            assert!(matches!(&error, LoadError::Damaged(text) if text.contains(named)), "{error}");
        }
        let streamed = [&stream[..], attack, b"\x80\x02]."].concat();
        assert!(matches!(open(&streamed), LoadError::Damaged(_)));
    }
    // Without a protocol, as Python 2 wrote them.
    assert!(matches!(open(format!("cos\nsystem\n(S'{command}'\ntR.").as_bytes()), LoadError::Damaged(_)));
    // Beside tensors, a call is a value of no use.
    let mut mixed = state(1, 0, &[1], &[1]);
    mixed.pop();
    mixed.extend([b"X\x01\x00\x00\x00xcos\nsystem\n", &text[..], b"\x85Rs."].concat());
    let path = folder.path().join("pytorch_model.bin");
    fs::write(&path, one_tensor(&mixed, &1_f32.to_le_bytes())).unwrap();
    assert_eq!(Weights::open(&path).unwrap().names().collect::<Vec<_>>(), ["w"]);
    assert!(!trace.exists(), "a name in a pickle was called");
}

/// Small files that would take much memory, were they read as they say.
#[test]
fn files_that_grow() {
    let zeros = vec![0; 64 << 20];
    let mut compressed = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated);
    for (name, bytes) in [("m/data.pkl", &state(6, 0, &[6], &[1])[..]), ("m/data/0", &zeros)] {
        compressed.start_file(name, options).unwrap();
        std::io::Write::write_all(&mut compressed, bytes).unwrap();
    }
    let error = open(&compressed.finish().unwrap().into_inner());
    assert!(error.to_string().ends_with("is compressed"), "{error}");

    let values = [b"\x80\x02".to_vec(), vec![b'N'; 2 << 20], b".".to_vec()].concat();
    assert!(
        matches!(open(&archive(&[("m/data.pkl", &values)])), LoadError::TooLarge { limit, .. } if limit == 1 << 20)
    );
    // A stream whose first pickle has no end within a mebibyte, though it has one later.
    let endless = [b"\x80\x02\x8a\x0al\xfc\x9cF\xf9 j\xa8P\x19", &values[2..]].concat();
    assert!(matches!(open(&endless), LoadError::Damaged(text) if text.contains("0x00")));
    let mut tar = vec![0; 1024];
    tar[257..262].copy_from_slice(b"ustar");
    assert!(matches!(open(&tar), LoadError::Damaged(text) if text.contains("0.1.10")));
    let folder = tempfile::tempdir().unwrap();
    let device = folder.path().join("pytorch_model.bin");
    std::os::unix::fs::symlink("/dev/zero", &device).unwrap();
    assert!(Weights::open(&device).is_err());
}

/// An archive whose members are stored without compression.
fn archive(members: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in members {
        let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        archive.start_file(*name, options).unwrap();
        std::io::Write::write_all(&mut archive, bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// The pickle of a state dictionary with one tensor `w`, whose shape and strides are single bytes.
fn state(storage: u8, offset: u8, shape: &[u8], strides: &[u8]) -> Vec<u8> {
    let sizes = |sizes: &[u8]| -> Vec<u8> {
        [b"(".to_vec(), sizes.iter().flat_map(|size| [b'K', *size]).collect(), b"t".to_vec()].concat()
    };
    [
        &b"\x80\x02}X\x01\x00\x00\x00wctorch._utils\n_rebuild_tensor_v2\n("[..],
        b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x000X\x03\x00\x00\x00cpuK",
        &[storage],
        b"tQK",
        &[offset],
        &sizes(shape),
        &sizes(strides),
        b"\x89N",
        b"tRs.",
    ]
    .concat()
}

fn one_tensor(pickle: &[u8], data: &[u8]) -> Vec<u8> {
    archive(&[("m/data.pkl", pickle), ("m/byteorder", b"little"), ("m/data/0", data)])
}

#[test]
fn archives_of_tensors() {
    let data: Vec<u8> = (0..6).flat_map(|value: u8| f32::from(value).to_le_bytes()).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pytorch_model.bin");
    // A transposed view of [2, 3].
    fs::write(&path, one_tensor(&state(6, 0, &[3, 2], &[1, 3]), &data)).unwrap();
    let weights = Weights::open(&path).unwrap();
    assert_eq!(weights.shape("w"), Some(&[3, 2][..]));
    assert_eq!(weights.values("w").unwrap(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);

    // Nothing at all is a tensor as well.
    fs::write(&path, one_tensor(&state(0, 0, &[0, 3], &[7, 1]), &[])).unwrap();
    assert_eq!(Weights::open(&path).unwrap().values("w").unwrap(), [0.0; 0]);

    // Beyond the storage, more values than the file holds, or a storage that is cut.
    let repeated = state(6, 0, &[200, 200, 200], &[0, 0, 0]);
    assert!(matches!(open(&one_tensor(&repeated, &data)), LoadError::TooLarge { size: 32_000_000, .. }));
    for (pickle, kept) in [
        (state(6, 1, &[3, 2], &[1, 3]), 24),
        (state(6, 0, &[6], &[1, 1]), 24),
        (state(6, 0, &[6], &[1]), 20),
        (state(200, 0, &[100], &[1]), 24),
    ] {
        let error = open(&one_tensor(&pickle, &data[..kept]));
        assert!(matches!(error, LoadError::Damaged(_) | LoadError::Truncated(_)), "{error}");
    }
    let pickle = state(6, 0, &[6], &[1]);
    let no_storage = open(&archive(&[("m/data.pkl", &pickle)]));
    assert!(matches!(&no_storage, LoadError::Damaged(text) if text.contains("m/data/0")), "{no_storage}");
    let no_pickle = open(&archive(&[("m/x", b"")]));
    assert!(matches!(&no_pickle, LoadError::Damaged(text) if text.contains("data.pkl")), "{no_pickle}");
    let big_endian = archive(&[("m/data.pkl", &pickle), ("m/byteorder", b"big"), ("m/data/0", &data)]);
    assert!(matches!(open(&big_endian), LoadError::Damaged(_)));
}

/// Every member that claims to be larger than its archive, and every damaged byte, is an error or changes nothing.
#[test]
fn damaged_archives_and_streams() {
    for name in ["gated-tied", "old-tied"] {
        let good = fs::read(reference(name).join("pytorch_model.bin")).unwrap();
        let config = fs::read_to_string(reference(name).join("config.json")).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pytorch_model.bin");
        let try_one = |bytes: &[u8]| {
            fs::write(&path, bytes).unwrap();
            Weights::open(&path).and_then(|weights| T5::load(Config::from_json(&config).unwrap(), &weights))
        };
        try_one(&good).unwrap();
        for length in (0..good.len()).step_by(4001) {
            assert!(try_one(&good[..length]).is_err(), "{name} cut at {length}");
        }
        for position in (0..good.len()).step_by(997).chain(good.len() - 100..good.len()) {
            let mut bytes = good.clone();
            bytes[position] ^= 0xff;
            // Whatever it says, it must return.
            let _ = try_one(&bytes);
        }
    }
}

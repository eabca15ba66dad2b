//! The model as a predictor: what ships, and what is refused.

use std::fs;
use std::path::Path;

use surmise_value_model::{BadModel, Class, Model, Prediction, Predictor, Query, Use};

/// Queries for every occurrence of a name in a source.
fn queries<'a>(source: &'a str, names: &[&'a str]) -> Vec<Query<'a>> {
    names
        .iter()
        .map(|name| {
            let start = source.find(name).expect("the name is in the source");
            let end = start + name.len();
            Query { name, kind: Use::Variable, source, model: None, start, end, anchor: end }
        })
        .collect()
}

fn first(answers: &[Vec<Prediction>]) -> Vec<Class> {
    answers.iter().map(|ranked| ranked[0].class).collect()
}

#[test]
fn what_ships_ranks_all_classes_for_each_site() {
    let model = Model::built_in();
    let source = "for filename in sorted(os.listdir(folder)):\n    print(self.name, filename)\n";
    let answers = model.predict(&queries(source, &["os", "folder", "print", "self"]));
    for ranked in &answers {
        assert_eq!(ranked.len(), Class::ALL.len());
        assert!(ranked.is_sorted_by(|a, b| a.probability >= b.probability));
        let sum: f32 = ranked.iter().map(|prediction| prediction.probability).sum();
        assert!((sum - 1.0).abs() < 1e-4, "{sum}");
    }
    let [os, _, print, own] = first(&answers)[..] else { panic!("four answers") };
    assert_eq!((os, print, own), (Class::Object, Class::Callable, Class::Object), "what nobody doubts");
    assert_eq!(model.predict(&queries(source, &["os", "folder", "print", "self"])), answers, "the same again");
}

#[test]
fn long_and_odd_sources_are_answered() {
    let model = Model::built_in();
    assert!(model.predict(&[]).is_empty());
    let long = "value = compute(value, 'a string', [1, 2, 3])\n".repeat(300);
    let odd = "<pad><extra_id_3></s>\u{1f40d}\0\u{feff} x".to_owned() + &"(".repeat(1000);
    for source in [long.as_str(), odd.as_str(), "x"] {
        let every = source.len() / 150 + 1;
        let places = (0..=source.len()).step_by(every).filter(|&at| source.is_char_boundary(at));
        let queries: Vec<Query<'_>> = places
            .map(|anchor| Query { name: "x", kind: Use::Variable, source, model: None, start: 0, end: anchor, anchor })
            .collect();
        let answers = model.predict(&queries);
        assert_eq!(answers.len(), queries.len());
        assert!(answers.iter().all(|ranked| ranked.len() == Class::ALL.len()));
    }
}

#[test]
fn sites_do_not_depend_on_other_files() {
    let model = Model::built_in();
    let sources = ["count = len(items)\n", "if path.exists():\n    text = path.read_text()\n"];
    let mut both = queries(sources[0], &["items"]);
    both.extend(queries(sources[1], &["path", "text"]));
    let together = model.predict(&both);
    let apart = [model.predict(&both[..1]), model.predict(&both[1..])].concat();
    assert_eq!(together, apart);
}

#[test]
fn models_that_do_not_fit_are_refused() {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/model");
    let with = |change: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            fs::copy(shipped.join(name), folder.path().join(name)).expect("a copy");
        }
        change(folder.path());
        Model::open(folder.path()).err().map(|error| error.to_string())
    };
    assert_eq!(with(&|_| ()), None, "unchanged, it opens");
    let refused = |change: &dyn Fn(&Path)| with(change).expect("it is refused");
    let write = |name: &'static str, text: &'static str| {
        move |folder: &Path| fs::write(folder.join(name), text).expect("written")
    };
    assert!(refused(&write("tokenizer.json", "{}")).contains("not a tokenizer"));
    assert!(refused(&write("config.json", "{}")).contains("config"));
    assert!(refused(&write("model.safetensors", "")).contains("model.safetensors"));
    let named = with(&|folder| fs::remove_file(folder.join("tokenizer.json")).expect("gone")).expect("it is refused");
    assert!(named.contains("tokenizer.json") && named.starts_with('/'), "{named}");
    let fewer = |folder: &Path| {
        let path = folder.join("config.json");
        let config = fs::read_to_string(&path).expect("text").replace("8192", "8191");
        fs::write(path, config).expect("written");
    };
    assert!(refused(&fewer).contains("shape"), "the weights have a row more");
    let nowhere = Model::open(Path::new("/nowhere")).err().expect("there is no such folder");
    assert!(
        matches!(nowhere, BadModel::Weights(_)) && nowhere.to_string().contains("/nowhere/config.json"),
        "{nowhere}"
    );
}

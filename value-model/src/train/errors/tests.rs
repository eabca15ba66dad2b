use std::path::Path;

use surmise_instrument::program_graph::Limits;
use tch::Device;

use super::*;
use crate::ipagnn::{ErrorConfig, Fusion, NetworkKind, Pooling, Scope, WEIGHTS};

fn labelled() -> Vec<Labelled> {
    let of = |number: usize| {
        let is_wrong = number.is_multiple_of(2);
        let code = if is_wrong { format!("x = {number}\nprint(y)\n") } else { format!("x = {number}\nprint(x)\n") };
        Labelled {
            id: number.to_string(),
            part: if number < 960 { Part::Train } else { Part::Dev },
            code,
            description: if number.is_multiple_of(3) { "One integer" } else { "" }.into(),
            class: if is_wrong { "NameError" } else { crate::ipagnn::NO_ERROR }.to_owned(),
            line: is_wrong.then_some(2),
            operator: None,
        }
    };
    // So many that nothing but the name tells the wrong ones from the others.
    (0..1000).map(of).collect()
}

fn recipe(network: NetworkKind, fusion: Fusion, adapter: Option<usize>) -> ErrorRecipe {
    let config = ErrorConfig {
        network,
        scope: Scope::Local,
        pooling: Pooling::Mean,
        fusion,
        width: 16,
        encoder_layers: 1,
        encoder_width: 256,
        adapter,
        doubts: true,
        classes: ["NameError", "Other"].map(str::to_owned).to_vec(),
        statement_tokens: 16,
        description_tokens: 16,
        program_tokens: 64,
        note: None,
    };
    ErrorRecipe { config, seed: 1, steps: 60, batch: 8, rate: 0.01, decay: 0.01, measure_every: 20 }
}

/// Trains until `go_on` says no, or to the end; the figures of the last measurement.
fn train(recipe: &ErrorRecipe, folder: &Path, go_on: impl Fn(u64) -> bool) -> Figures {
    let examples = prepare(&labelled(), &recipe.config, Limits::PAPER).expect("programs");
    let mut trainer = ErrorTrainer::new(recipe.clone(), folder, Device::Cpu).expect("a folder");
    let mut last = Figures::default();
    let went_on = trainer.train(&examples, |progress| {
        last = progress.dev;
        go_on(progress.step)
    });
    assert_eq!(went_on.expect("it learns"), trainer.step() == recipe.steps);
    last
}

#[test]
fn a_name_that_nothing_defines_is_learned_by_networks_with_and_without_a_pointer() {
    let _lock = crate::torch::lock();
    for (network, fusion, adapter) in [
        (NetworkKind::ExceptionIpaGnn, Fusion::Docstring, Some(2)),
        (NetworkKind::ExceptionIpaGnn, Fusion::Film, None),
        (NetworkKind::MilLogSumExp, Fusion::Docstring, Some(2)),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let recipe = ErrorRecipe { steps: 300, rate: 0.004, ..recipe(network, fusion, adapter) };
        let figures = train(&recipe, folder.path(), |_| true);
        assert_eq!((figures.programs, figures.errors), (40, 20));
        assert!(figures.error_or_none > 0.9 && figures.localization > 0.9, "{network:?} {fusion:?}: {figures:?}");
    }
}

/// Also in the middle of batches that are drawn together.
#[test]
fn a_run_that_was_stopped_goes_on_as_if_it_had_not_been() {
    let _lock = crate::torch::lock();
    let recipe = recipe(NetworkKind::ExceptionIpaGnn, Fusion::Docstring, Some(2));
    let [whole, parts] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    train(&recipe, whole.path(), |_| true);
    train(&recipe, parts.path(), |step| step < 20);
    train(&recipe, parts.path(), |step| step < 40);
    train(&recipe, parts.path(), |_| true);
    let read = |folder: &tempfile::TempDir| std::fs::read(folder.path().join("errors-checkpoint.safetensors"));
    let tensors = |folder| {
        let bytes = read(folder).expect("a checkpoint");
        let tensors = safetensors::SafeTensors::deserialize(&bytes).expect("a file");
        let mut all: Vec<(String, Vec<u8>)> =
            tensors.tensors().into_iter().map(|(name, view)| (name, view.data().to_vec())).collect();
        all.sort();
        all
    };
    assert!(tensors(&whole) == tensors(&parts), "the weights differ");
    assert!(whole.path().join(WEIGHTS).is_file());
}

use surmise_instrument::SourceModel;
use surmise_instrument::program_graph::Limits;

use super::network::SMALL;
use super::pooling::Encoded;
use super::*;
use crate::t5::{Tensors, Weights};

pub(crate) fn config(network: NetworkKind, fusion: Fusion) -> ErrorConfig {
    ErrorConfig {
        network,
        scope: Scope::Local,
        pooling: Pooling::Mean,
        fusion,
        width: 8,
        encoder_layers: 1,
        encoder_width: 256,
        adapter: None,
        doubts: true,
        classes: ["NameError", "TypeError", "Other"].map(str::to_owned).to_vec(),
        statement_tokens: 32,
        description_tokens: 32,
        program_tokens: 256,
        note: None,
    }
}

fn program(source: &str, description: &str, config: &ErrorConfig) -> (Program, Encoded) {
    let (vocabulary, encoder) = open_encoder(config).expect("it ships");
    let model = SourceModel::parse(source).expect("it parses");
    let program = Program::new(&model, &description.into(), &vocabulary, config, Limits::PAPER);
    let encoded = encoder.encode(&program).expect("tokens of its vocabulary");
    (program, encoded)
}

/// Weights by name: zeros, but for those that are given.
fn weights(config: &ErrorConfig, given: &[(&str, &[f32])]) -> Weights<'static> {
    let mut tensors = Tensors::new();
    for (name, [rows, columns]) in config.shapes() {
        let values = given.iter().find(|(of, _)| *of == name).map(|(_, values)| values.to_vec());
        let values = values.unwrap_or_else(|| vec![0.0; rows * columns]);
        let shape = if is_bias(&name) { vec![rows] } else { vec![rows, columns] };
        tensors.add(&name, &shape, &values).expect("it fits");
    }
    Weights::from_safetensors(tensors.to_bytes().expect("a file")).expect("its own file")
}

/// `try: a()` / `except: b()` / `if c: d()` / `e()`: five statements and the handler, with decisions that do not depend
/// on states: each raises with 1/4, and a test holds with 1/3. What then goes where is computed by hand.
#[test]
fn a_program_of_five_statements_by_hand() {
    let config = ErrorConfig { doubts: false, ..config(NetworkKind::ExceptionIpaGnn, Fusion::None) };
    let source = "try:\n    a()\nexcept ValueError:\n    b()\nif c:\n    d()\ne()\n";
    let (program, encoded) = program(source, "", &config);
    // a, handler, b, if, d, e, exit, error
    assert_eq!(program.lines, [2, 3, 4, 5, 6, 7]);
    assert_eq!(program.raises, [1, 7, 7, 7, 7, 7]);
    assert_eq!(program.next, [[3, 3], [2, 2], [3, 3], [4, 5], [5, 5], [6, 6]]);
    let (raise, branch) = ([1.0_f32.ln(), 3.0_f32.ln()], [1.0_f32.ln(), 2.0_f32.ln()]);
    let class = [0.5_f32.ln(), 0.3_f32.ln(), 0.2_f32.ln()];
    let given: [(&str, &[f32]); 3] = [("raise.bias", &raise), ("branch.bias", &branch), ("class.bias", &class)];
    let network = Network::load(&config, &weights(&config, &given)).expect("its shapes");
    let found = network.execute(&program, &encoded);
    // After one step 3/4 stand at `if` and 1/4 at the handler; after two 3/4·3/4·1/3 at `d`, ...
    let close = |found: f32, expected: f32| assert!((found - expected).abs() < 1e-5, "{found} instead of {expected}");
    for (node, expected) in [(1, 0.25), (3, 0.75)] {
        close(found.pointer[1][node], expected);
    }
    for (node, expected) in [(2, 0.1875), (4, 0.1875), (5, 0.375), (7, 0.0625 + 0.1875)] {
        close(found.pointer[2][node], expected);
    }
    // `if` is reached by 3/4 + 1/4·3/4·3/4, `d` by a quarter of that, `e` by half of that and 3/4 of `d`.
    let test = 0.75 + 0.25 * 0.75 * 0.75;
    let (body, last) = (test * 0.25, test * 0.5 + test * 0.25 * 0.75);
    let exit = last * 0.75;
    close(found.pointer.last().map_or(0.0, |shares| shares[6]), exit);
    close(found.none, exit);
    for (class, share) in found.classes.iter().zip([0.5, 0.3, 0.2]) {
        close(*class, share * (1.0 - exit));
    }
    // An exception that the handler takes and that ends the program in it, or later, began at `a()`.
    let escaped = |reach: f32| reach * 0.25;
    let unraised = 0.75_f32;
    let of_a =
        1.0 - exit - [unraised, unraised * 0.25, unraised * (0.5 + 0.25 * 0.75)].map(escaped).iter().sum::<f32>();
    close(found.provenance[0], of_a);
    close(found.provenance[3], escaped(unraised));
    close(found.provenance[4], escaped(unraised * 0.25));
    close(found.provenance.iter().sum(), 1.0 - exit);
    assert!(test > body && SMALL < 1e-6);
}

#[test]
fn without_raise_decisions_the_class_is_read_at_the_exit() {
    let config = config(NetworkKind::IpaGnn, Fusion::None);
    let (program, encoded) = program("n = int(input())\nfor i in range(n):\n    print(i)\n", "", &config);
    let class = [0.4_f32.ln(), 0.3_f32.ln(), 0.2_f32.ln(), 0.1_f32.ln()];
    let network = Network::load(&config, &weights(&config, &[("class.bias", &class)])).expect("its shapes");
    let found = network.execute(&program, &encoded);
    assert!((found.none - 0.4).abs() < 1e-5 && (found.classes[2] - 0.1).abs() < 1e-5);
    assert!(found.provenance.iter().all(|share| *share == 0.0));
}

#[test]
fn a_docstring_runs_first() {
    let config = config(NetworkKind::ExceptionIpaGnn, Fusion::Docstring);
    let (plain, _) = program("x = input()\n", " ", &config);
    let (described, encoded) = program("x = input()\n", "An integer N", &config);
    assert_eq!((plain.rows.len(), described.rows.len(), described.steps), (1, 2, plain.steps + 1));
    assert_eq!((described.entry, described.next[1], described.next[0]), (1, [0, 0], [2, 2]));
    assert_eq!(encoded.statements.len(), 2 * config.features());
}

#[test]
fn pooling_and_scope_change_the_vectors() {
    let mut seen: Vec<Vec<f32>> = Vec::new();
    for scope in [Scope::Local, Scope::Global] {
        for pooling in [Pooling::First, Pooling::Sum, Pooling::Mean, Pooling::Max] {
            let config = ErrorConfig { scope, pooling, ..config(NetworkKind::ExceptionIpaGnn, Fusion::None) };
            let (program, encoded) = program("n = int(input())\nprint(n + 1)\n", "", &config);
            assert_eq!(encoded.statements.len(), program.rows.len() * config.features());
            assert!(!seen.contains(&encoded.statements));
            seen.push(encoded.statements);
        }
    }
}

#[test]
fn weights_of_another_shape_are_refused() {
    let narrow = config(NetworkKind::ExceptionIpaGnn, Fusion::Film);
    let file = weights(&narrow, &[]);
    let wide = ErrorConfig { width: 16, ..narrow.clone() };
    let problem = Network::load(&wide, &file).expect_err("another width").to_string();
    assert!(problem.contains("statement.weight") && problem.contains("[8, 265]"), "{problem}");
    let other = ErrorConfig { encoder_layers: 99, ..narrow.clone() };
    assert!(open_encoder(&other).is_err());
    let baseline = ErrorConfig { network: NetworkKind::Lstm, ..narrow };
    assert!(Network::load(&baseline, &file).expect_err("a baseline").to_string().contains("libtorch"));
    assert!(ErrorConfig::from_json("{}").is_err());
}

#[test]
fn what_is_built_in_predicts() {
    let model = ErrorModel::built_in();
    let source = SourceModel::parse("n = int(input())\nprint(m)\n").expect("it parses");
    let found = model.predict(&source, &"One integer".into(), Limits::PAPER).expect("its own tokens");
    let all = found.execution.none + found.execution.classes.iter().sum::<f32>();
    assert!((all - 1.0).abs() < 1e-4, "{all}");
    let lines: f32 = found.lines().iter().map(|(_, share)| share).sum();
    assert!((lines - 1.0).abs() < 1e-4, "{lines}");
}

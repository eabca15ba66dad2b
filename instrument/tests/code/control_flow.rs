//! The control flow graph against CPython: each step from line to line of a traced program is a path of the graph.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use surmise_instrument::SourceModel;
use surmise_instrument::control_flow::{CodeId, ControlFlow, Node, NodeId, NodeKind};

use crate::support::{Python, read};

/// What a step leads to, if it is no line.
const RETURN: i64 = -1;
const RAISE: i64 = -2;

/// A program and its graph.
struct Traced {
    model: SourceModel,
}

impl Traced {
    fn graph(&self) -> &ControlFlow {
        self.model.control_flow()
    }

    fn text(&self, node: &Node) -> &str {
        &self.model.text()[node.range.start as usize..node.range.end as usize]
    }

    fn is_on(&self, node: &Node, line: i64) -> bool {
        let lines = self.model.lines();
        let (first, last) = (lines.line(node.range.start), lines.line(node.range.end.max(node.range.start + 1) - 1));
        let is_end = matches!(node.kind, NodeKind::Exit | NodeKind::RaiseExit);
        !is_end && (i64::from(first)..=i64::from(last)).contains(&line)
    }

    /// True for nodes that CPython's compiler may leave without code of their own.
    fn is_silent(&self, node: &Node) -> bool {
        let text = self.text(node);
        let constant = |test: &str| matches!(test, "True" | "False" | "0" | "1" | "None" | "__debug__");
        match node.kind {
            NodeKind::Try | NodeKind::GroupExit => true,
            NodeKind::If | NodeKind::While => {
                constant(&self.model.text()[node.decides.start as usize..node.decides.end as usize])
            }
            NodeKind::Statement => {
                let bare = ["global ", "nonlocal ", "pass", "continue", "break", "'", "\"", "r\"", "..."];
                let is_annotation = |(target, of): (&str, &str)| {
                    target.chars().all(|char| char.is_alphanumeric() || "_()".contains(char)) && !of.contains('=')
                };
                bare.iter().any(|start| text.starts_with(start))
                    || text.parse::<f64>().is_ok()
                    || text.split_once(": ").is_some_and(is_annotation)
            }
            _ => false,
        }
    }

    /// True if the graph leads from one line to the other in a code object, past nodes without code.
    fn allows(&self, code: CodeId, from: i64, to: i64) -> bool {
        let (graph, ends) = (self.graph(), &self.graph().codes[code]);
        let own = || graph.nodes.iter_enumerated().filter(|(_, node)| node.code == code);
        let mut open: Vec<NodeId> = match from {
            0 => vec![ends.entry],
            line => own().filter(|(_, node)| self.is_on(node, line)).map(|(id, _)| id).collect(),
        };
        let reaches = |id: NodeId| match to {
            RETURN => id == ends.exit,
            RAISE => id == ends.raise_exit,
            line => self.is_on(&graph.nodes[id], line),
        };
        if open.iter().any(|&id| reaches(id)) {
            return true;
        }
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            for &(_, next) in &graph.nodes[id].edges {
                let node = &graph.nodes[next];
                if reaches(next) {
                    return true;
                }
                if (self.is_silent(node) || self.is_on(node, from)) && seen.insert(next.as_u32()) {
                    open.push(next);
                }
            }
        }
        false
    }

    /// The steps that the graph lacks, of those that a run of the program took.
    fn missing(&self, path: &Path, steps: &str) -> Vec<String> {
        let lines = self.model.lines();
        let parse = |step: &str| -> Vec<i64> { step.split(' ').filter_map(|part| part.parse().ok()).collect() };
        let mut missing = Vec::new();
        for step in steps.lines() {
            let [scope, from, to] = parse(step)[..] else { panic!("{}: not a step: {step}", path.display()) };
            let is_scope = |range: &std::ops::Range<u32>| scope > 0 && i64::from(lines.line(range.start)) == scope;
            let mut codes = self.graph().codes.iter_enumerated();
            let allowed = match scope {
                0 => self.allows(CodeId::from_u32(0), from, to),
                _ => codes.any(|(id, code)| id.as_u32() > 0 && is_scope(&code.range) && self.allows(id, from, to)),
            };
            if !allowed {
                missing.push(format!("{}: in {scope}, from {from} to {to}", path.display()));
            }
        }
        missing
    }
}

/// The steps of a program that `python3` runs; `None` where it does not compile, or ends the process itself.
fn steps(path: &Path) -> Option<String> {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/code/steps.py");
    let mut command = Command::new("python3");
    let output = command.args(["-I", script]).arg(path).stdin(Stdio::null()).output().expect("`python3` is there");
    output.status.success().then(|| String::from_utf8(output.stdout).expect("steps are numbers"))
}

#[test]
fn each_executed_step_is_a_path_of_the_graph() {
    if Python::find().options.python < (3, 10) {
        // After a `finally` block, CPython 3.9 goes back to the line of the `return` that led there.
        return;
    }
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").join("tests");
    let entries = std::fs::read_dir(tests.join("complete")).expect("the corpus is in the repository");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("the folder can be read").path()).collect();
    let subjects = ["async_", "class_", "exc_", "flow_", "gen_", "new_", "prog_", "scope_"];
    // The hidden scopes of type parameters are no code objects of the graph.
    let chosen = |stem: &str| !stem.contains("type_params") && subjects.iter().any(|subject| stem.starts_with(subject));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "py"));
    paths.retain(|path| path.file_stem().and_then(|stem| stem.to_str()).is_some_and(chosen));
    let (next, run) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let missing: Mutex<Vec<String>> = Mutex::default();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let model = read(path).and_then(|text| SourceModel::parse(text).ok());
                    let (Some(model), Some(steps)) = (model, steps(path)) else { continue };
                    run.fetch_add(steps.lines().count(), Ordering::Relaxed);
                    let found = Traced { model }.missing(path, &steps);
                    missing.lock().expect("no thread panics with it").extend(found);
                }
            });
        }
    });
    let (run, missing) = (run.into_inner(), missing.into_inner().expect("no thread panics with it"));
    assert!(run > 3000, "only {run} steps");
    assert!(missing.is_empty(), "{} of {run} steps:\n{}", missing.len(), missing.join("\n"));
}

use std::fmt::Write;

use super::*;

fn graph(source: &str) -> ProgramGraph {
    let model = SourceModel::parse(source).expect("it parses");
    ProgramGraph::of(&model, Limits::PAPER)
}

/// A line for each node: its line in the text, what follows it, where it raises to. Ends are `X` and `E`.
fn text(graph: &ProgramGraph) -> String {
    let name = |&to: &usize| match to {
        to if to == graph.exit() => "X".to_owned(),
        to if to == graph.error() => "E".to_owned(),
        to => to.to_string(),
    };
    let mut text = format!("{} steps from {}\n", graph.steps, name(&graph.entry));
    for (number, node) in graph.nodes.iter().enumerate() {
        let next: Vec<String> = node.next.iter().map(name).collect();
        let raises = node.raises.as_ref().map_or(String::new(), |to| format!(" !{}", name(to)));
        let _infallible = writeln!(text, "{number}@{} {}{raises}", node.line, next.join(","));
    }
    text
}

#[test]
fn loops_and_branches() {
    let found = text(&graph("n = int(input())\nfor i in range(n):\n    if i:\n        break\nprint(n)\n"));
    assert_eq!(found, "10 steps from 0\n0@1 1 !E\n1@2 2,4 !E\n2@3 3,1 !E\n3@4 4\n4@5 X !E\n");
}

#[test]
fn exceptions_go_to_handlers_first() {
    let source = "try:\n    a()\nexcept ValueError:\n    b()\nelse:\n    raise c\nwith d:\n    e()\n";
    let found = text(&graph(source));
    // A handler that does not match raises on; leaving a `with` statement is no statement.
    assert_eq!(found, "7 steps from 0\n0@2 3 !1\n1@3 2 !E\n2@4 4 !E\n3@6  !E\n4@7 5 !E\n5@8 X !E\n");
}

#[test]
fn functions_that_are_called_once_stand_before_the_call() {
    let source = "def f(x):\n    return 1 / x\ntry:\n    print(f(0))\nexcept ZeroDivisionError:\n    pass\n";
    let found = text(&graph(source));
    // 0 `def`, 1 header entered by the call, 2 `return`, 3 the call.
    assert_eq!(found, "7 steps from 0\n0@1 1 !E\n1@1 2\n2@2 3 !4\n3@4 X !4\n4@5 5 !E\n5@6 X\n");
}

#[test]
fn what_is_not_followed_is_said() {
    let source = "def often(): pass\noften(); often()\ndef never(): pass\ndef later(): yield 1\nlater()\n\
                  def passed(): pass\nmap(passed, [])\ndef again(n): again(n - 1)\nagain(3)\n\
                  class C:\n    x = 1\n    def m(self): pass\nasync def a(): pass\n";
    let graph = graph(source);
    let reasons: Vec<(&str, Reason)> = graph.skipped.iter().map(|skip| (skip.name.as_str(), skip.reason)).collect();
    assert_eq!(
        reasons,
        [
            ("often", Reason::CalledOften),
            ("never", Reason::NotCalled),
            ("later", Reason::Suspended),
            ("passed", Reason::Passed),
            ("m", Reason::Unclear),
            ("a", Reason::Suspended),
        ]
    );
    assert!(graph.nodes.iter().any(|node| node.line == 11), "the body of a class runs");
    assert_eq!(graph.skipped[0].to_string(), "`often` (line 1) is not followed: it is called more than once");
}

#[test]
fn three_ways_out_of_a_finally_block_take_two_nodes() {
    let source = "for x in y:\n    try:\n        if x: break\n        if z: continue\n    finally:\n        w()\nv()\n";
    let graph = graph(source);
    assert!(graph.nodes.iter().all(|node| node.next.len() <= 2));
    let ends: Vec<usize> =
        graph.nodes.iter().filter(|node| node.line == 6).flat_map(|node| node.next.clone()).collect();
    assert!(ends.contains(&0) && ends.iter().any(|&to| to < graph.exit() && graph.nodes[to].line == 7), "{ends:?}");
}

#[test]
fn what_is_beyond_the_limits_is_left_out() {
    let model = SourceModel::parse("x = 1\n".repeat(5_000)).expect("it parses");
    let graph = ProgramGraph::of(&model, Limits { nodes: 100, steps: 50 });
    assert_eq!((graph.nodes.len(), graph.left_out, graph.steps), (100, 4_900, 50));
    assert_eq!(graph.wanted_steps, Some(5_001));
    assert_eq!(graph.nodes[99].next, [graph.exit()]);
}

#[test]
fn every_edge_stays_within_the_graph() {
    for source in [
        "",
        "while True: pass\n",
        "match x:\n    case 1: a\n    case y if y: b\n    case _: c\n",
        "try:\n    a\nexcept* ValueError:\n    b\nfinally:\n    c\n",
        "def f():\n    return g()\ndef g():\n    return f()\nf()\n",
        "def f():\n    try:\n        return 1\n    finally:\n        a()\nwith f() as x, y:\n    raise z\n",
        "class A:\n    class B:\n        z = 1\n    for i in z: pass\n",
    ] {
        let graph = graph(source);
        for node in &graph.nodes {
            assert!(node.next.iter().chain(&node.raises).all(|&to| to <= graph.error()), "{source}");
            assert!(!node.next.is_empty() || node.raises.is_some(), "{source}");
        }
        assert!(graph.entry <= graph.exit());
    }
}

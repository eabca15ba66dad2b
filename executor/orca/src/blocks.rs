//! Basic blocks of a program, and the control flow graph as a text (ORCA, section IV, figure 5).
//!
//! A block ends where the control flow branches or meets, and after a call of a function of the program: so the
//! statements that run are those of the blocks in the order of the visits, even where functions call each other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use surmise_instrument::control_flow::{CodeId, ControlFlow, EdgeKind, Node, NodeId, NodeKind};
use surmise_instrument::{SourceModel, extract, has_comprehension, leaves_no_trace, one_line};

/// Characters of a statement that are shown.
const STATEMENT: usize = 2_000;

/// A statement or header in a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Its first line, from 1.
    pub line: u32,
    /// Its text on one line, without comments.
    pub text: String,
    /// Byte range of the statement, or of the header of a compound one.
    range: std::ops::Range<u32>,
    /// Of a `with` statement the byte range of its body; empty for others.
    body: std::ops::Range<u32>,
}

/// Why a block is left for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// It is done.
    Next,
    /// Its condition holds, its loop has another element, its pattern or handler matches.
    True,
    /// It does not.
    False,
    /// A `return`, `break` or `continue` on its way through a `finally` block.
    Jump,
    /// A statement in it raises.
    Raise,
}

/// Statements that run one after the other (ORCA, section III.A).
#[derive(Clone, Debug)]
pub struct Block {
    /// Its statements; the last one may be a condition.
    pub statements: Vec<Statement>,
    /// Where the control flow goes: another block by its index, `None` for the end of the code object.
    pub next: Vec<(Way, Option<usize>)>,
    code: CodeId,
}

/// The blocks of a program; they are numbered from 1 in texts.
#[derive(Clone, Debug, Default)]
pub struct Blocks {
    /// In the order of the text.
    pub blocks: Vec<Block>,
    /// Names of functions and classes, by code object; empty for the module.
    names: Vec<String>,
    /// Statements by their lines: block and place in it.
    by_line: BTreeMap<u32, Vec<(usize, usize)>>,
}

impl Blocks {
    /// The blocks of a source.
    #[must_use]
    pub fn of(model: &SourceModel) -> Self {
        Builder { model, graph: model.control_flow() }.build()
    }

    /// Lines on which several statements stand.
    #[must_use]
    pub fn shared_lines(&self) -> Vec<u32> {
        self.by_line.iter().filter(|(_, all)| all.len() > 1).map(|(line, _)| *line).collect()
    }

    /// The statement at a place of a trace: its block and its place in it. Lines inside of a statement belong to it.
    /// `None` for what is no statement, such as the line of a `try`.
    #[must_use]
    pub(crate) fn statement_at(&self, offset: u32, line: u32, has_column: bool) -> Option<(usize, usize)> {
        let here = self.by_line.get(&line);
        if let Some([only]) = here.map(Vec::as_slice).filter(|_| !has_column) {
            return Some(*only);
        }
        let holds = |&&(block, place): &&(usize, usize)| self.blocks[block].statements[place].range.contains(&offset);
        if let Some(here) = here {
            return here.iter().rev().find(holds).or_else(|| here.first().filter(|_| !has_column)).copied();
        }
        self.by_line.range(..line).next_back().and_then(|(_, above)| above.iter().rev().find(holds)).copied()
    }

    /// Whether CPython may trace a line of a statement again while it runs: it spans several lines, or a comprehension
    /// runs in the frame around it (since 3.12, PEP 709).
    pub(crate) fn is_traced_again(&self, (block, place): (usize, usize), model: &SourceModel) -> bool {
        let range = &self.blocks[block].statements[place].range;
        let text = model.text().get(range.start as usize..range.end as usize);
        text.is_some_and(|text| text.contains('\n')) || has_comprehension(model, range)
    }

    /// Whether a `with` statement is traced because its contexts are left: the statement before it stands in its body.
    pub(crate) fn leaves_contexts(&self, (block, place): (usize, usize), before: Option<(usize, usize)>) -> bool {
        let body = &self.blocks[block].statements[place].body;
        before.is_some_and(|(block, place)| body.contains(&self.blocks[block].statements[place].range.start))
    }

    /// The graph as a text for a language model (ORCA, figure 5), with the numbers of lines.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut code = None;
        for (number, block) in self.blocks.iter().enumerate() {
            if code.replace(block.code) != Some(block.code)
                && let Some(name) = self.names.get(block.code.as_usize()).filter(|name| !name.is_empty())
            {
                let _never_fails = writeln!(text, "Function or class `{name}`:\n");
            }
            let _never_fails = writeln!(text, "Block {}:\n  Statements:", number + 1);
            for statement in &block.statements {
                let _never_fails = writeln!(text, "    line {}: {}", statement.line, statement.text);
            }
            text.push_str("  Next:\n");
            for &(way, to) in &block.next {
                let when = match way {
                    Way::Next => "",
                    Way::True => "If True: ",
                    Way::False => "If False: ",
                    Way::Jump => "If on the way out of the statement around: ",
                    Way::Raise => "If an exception is raised: ",
                };
                let to = match to {
                    Some(to) => format!("Go to Block {}", to + 1),
                    None if block.code.as_usize() == 0 => "<END>".to_owned(),
                    None => "Return to the caller".to_owned(),
                };
                let _never_fails = writeln!(text, "    {when}{to}");
            }
            text.push('\n');
        }
        text
    }
}

struct Builder<'a> {
    model: &'a SourceModel,
    graph: &'a ControlFlow,
}

impl Builder<'_> {
    /// A node by its number.
    fn node(&self, id: u32) -> &Node {
        &self.graph.nodes[NodeId::from_u32(id)]
    }

    fn build(&self) -> Blocks {
        let called = self.callable_names();
        let ids: Vec<u32> = (0..self.graph.nodes.len() as u32).filter(|&id| self.is_shown(id)).collect();
        let ways: BTreeMap<u32, Vec<(Way, Option<u32>)>> = ids.iter().map(|&id| (id, self.ways(id))).collect();
        // Where a block must begin.
        let mut entered: BTreeMap<u32, usize> = BTreeMap::new();
        let mut leaders: BTreeSet<u32> = BTreeSet::new();
        for (&id, to) in &ways {
            let straight = to.iter().filter(|(way, _)| *way != Way::Raise).count() == 1;
            let ends = !straight || self.calls_any(id, &called);
            for &(way, target) in to {
                let Some(target) = target else { continue };
                *entered.entry(target).or_default() += usize::from(way != Way::Raise);
                if ends || way != Way::Next {
                    leaders.insert(target);
                }
            }
        }
        leaders.extend(entered.iter().filter(|(_, count)| **count > 1).map(|(id, _)| *id));
        leaders.extend(ids.iter().filter(|id| !entered.contains_key(id)));
        leaders.extend(self.graph.codes.iter().filter_map(|code| self.shown_from(code.entry.as_u32())));
        let mut blocks: Vec<Block> = Vec::new();
        let mut of: BTreeMap<u32, usize> = BTreeMap::new();
        let mut last_of: Vec<u32> = Vec::new();
        for &leader in ids.iter().filter(|id| leaders.contains(id)) {
            let (mut statements, mut id) = (Vec::new(), leader);
            loop {
                of.insert(id, blocks.len());
                statements.push(self.statement(id));
                let mut after = ways[&id].iter().filter(|(way, _)| *way != Way::Raise);
                match (after.next(), after.next()) {
                    (Some(&(_, Some(next))), None) if !leaders.contains(&next) => id = next,
                    _ => break,
                }
            }
            blocks.push(Block { statements, next: Vec::new(), code: self.node(leader).code });
            last_of.push(id);
        }
        for (number, &last) in last_of.iter().enumerate() {
            let mut next: Vec<(Way, Option<usize>)> =
                ways[&last].iter().map(|&(way, to)| (way, to.and_then(|to| of.get(&to).copied()))).collect();
            // Any statement of the block may raise.
            let inside = of.iter().filter(|(_, block)| **block == number).flat_map(|(id, _)| &ways[id]);
            next.extend(
                inside
                    .filter(|(way, to)| *way == Way::Raise && to.is_some())
                    .filter_map(|&(way, to)| Some((way, Some(*of.get(&to?)?)))),
            );
            next.retain(|&(way, to)| way != Way::Raise || to.is_some());
            next.sort_unstable();
            next.dedup();
            blocks[number].next = next;
        }
        let mut by_line: BTreeMap<u32, Vec<(usize, usize)>> = BTreeMap::new();
        for (number, block) in blocks.iter().enumerate() {
            for (place, statement) in block.statements.iter().enumerate() {
                by_line.entry(statement.line).or_default().push((number, place));
            }
        }
        for places in by_line.values_mut() {
            places.sort_by_key(|&(block, place)| blocks[block].statements[place].range.start);
        }
        Blocks { blocks, names: self.names(), by_line }
    }

    /// Names of the code objects, in their order.
    fn names(&self) -> Vec<String> {
        let name = |code: &surmise_instrument::control_flow::Code| {
            let header = self.text(self.graph.nodes[code.entry].range.clone());
            let word = header.rsplit("def ").next().unwrap_or(header);
            let word = word.rsplit("class ").next().unwrap_or(word);
            word.split(['(', ':']).next().unwrap_or_default().trim().to_owned()
        };
        self.graph.codes.iter().enumerate().map(|(at, code)| if at == 0 { String::new() } else { name(code) }).collect()
    }

    /// Last parts of the names of functions and classes of the program: a call of one runs blocks of it.
    fn callable_names(&self) -> BTreeSet<String> {
        let functions = extract::qualnames(self.model);
        let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
        self.names().into_iter().chain(functions.iter().map(|function| last(&function.qualname))).collect()
    }

    /// True for statements in which other blocks run: calls of functions of the program, and class definitions.
    fn calls_any(&self, id: u32, names: &BTreeSet<String>) -> bool {
        let node = self.node(id);
        let is_definition =
            self.graph.codes.iter().any(|code| code.range.start == node.range.start && node.statement == code.range);
        let text = self.text(node.range.clone());
        if is_definition {
            // The name of a function stands in front of a parenthesis, but only the body of a class runs.
            return text.lines().any(|line| line.trim_start().starts_with("class "));
        }
        text.match_indices('(').any(|(at, _)| {
            let before = text[..at].trim_end();
            let start = before.rfind(|letter: char| !letter.is_alphanumeric() && letter != '_').map_or(0, |at| at + 1);
            before.get(start..).is_some_and(|name| !name.is_empty() && names.contains(name))
        })
    }

    fn text(&self, range: std::ops::Range<u32>) -> &str {
        self.model.text().get(range.start as usize..range.end as usize).unwrap_or_default()
    }

    fn statement(&self, id: u32) -> Statement {
        let node = self.node(id);
        let text = cut(&one_line(self.model, node.range.clone()));
        let text = match &node.kind {
            NodeKind::For => format!("{text}  (True: it has another element; False: it has none)"),
            NodeKind::Handler(_) => {
                let name = self.handler_name(node).map(|name| format!(" as {name}")).unwrap_or_default();
                format!("{text}{name}  (True: the exception is of this class)")
            }
            _ => text,
        };
        let line = self.model.lines().line(node.range.start);
        let (range, is_with) = (node.range.clone(), node.kind == NodeKind::With);
        let body = if is_with { range.end..node.statement.end } else { range.end..range.end };
        Statement { line, text, range, body }
    }

    /// The name that a handler binds.
    fn handler_name(&self, node: &Node) -> Option<&str> {
        let header = self.text(node.range.end..node.statement.end).split(':').next()?;
        header.trim().strip_prefix("as ").map(str::trim).filter(|name| !name.contains(char::is_whitespace))
    }

    /// True for what CPython runs as a statement, and traces.
    fn is_shown(&self, id: u32) -> bool {
        let node = self.node(id);
        node.kind == NodeKind::Case || (node.is_statement() && !leaves_no_trace(self.model, node))
    }

    /// Where a node leads, past nodes that are not shown. `None` is the end of the code object.
    fn ways(&self, id: u32) -> Vec<(Way, Option<u32>)> {
        let node = self.node(id);
        let is_condition = node.edges.iter().any(|(kind, _)| matches!(kind, EdgeKind::True | EdgeKind::False));
        let mut straight = 0;
        let mut found = Vec::new();
        for &(kind, to) in &node.edges {
            let way = match kind {
                EdgeKind::True => Way::True,
                EdgeKind::False => Way::False,
                EdgeKind::Raise => Way::Raise,
                _ if is_condition => Way::Jump,
                _ => {
                    straight += 1;
                    if straight == 1 { Way::Next } else { Way::Jump }
                }
            };
            let target = self.shown_from(to.as_u32());
            // What leaves the code object by an exception ends the traversal, or goes to a handler of the caller.
            let leaves = way == Way::Raise && target.is_none();
            if !leaves && !found.contains(&(way, target)) {
                found.push((way, target));
            }
        }
        found
    }

    /// The first node from here on that is shown.
    fn shown_from(&self, mut id: u32) -> Option<u32> {
        for _ in 0..self.graph.nodes.len() {
            let node = self.node(id);
            if self.is_shown(id) {
                return Some(id);
            }
            let is_end = matches!(node.kind, NodeKind::Exit | NodeKind::RaiseExit);
            let straight = node.edges.iter().find(|(kind, _)| *kind != EdgeKind::Raise).or_else(|| node.edges.first());
            id = straight.filter(|_| !is_end)?.1.as_u32();
        }
        None
    }
}

/// A statement's text, which says so where it is too long to be shown.
fn cut(text: &str) -> String {
    match text.char_indices().nth(STATEMENT) {
        Some((end, _)) => format!("{}  (the rest of the statement is left out)", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(source: &str) -> Blocks {
        Blocks::of(&SourceModel::parse(source).expect("it parses"))
    }

    /// The program of the paper's figures 1 and 3.
    #[test]
    fn a_loop_with_a_branch_has_the_blocks_of_the_paper() {
        let source = "n = 4\ntotal = 4\nfor i in range(n):\n    total += i\n    if (i + total) % 2 == 0:\n        ans = 'Even'\n        \
                      continue\n    else:\n        ans = 'Odd'\n    total += 1\ntotal = 1 / (total - 13)\n";
        let text = blocks(source).text();
        let expected = "\
Block 1:
  Statements:
    line 1: n = 4
    line 2: total = 4
  Next:
    Go to Block 2

Block 2:
  Statements:
    line 3: for i in range(n)  (True: it has another element; False: it has none)
  Next:
    If True: Go to Block 3
    If False: Go to Block 6

Block 3:
  Statements:
    line 4: total += i
    line 5: if (i + total) % 2 == 0
  Next:
    If True: Go to Block 4
    If False: Go to Block 5

Block 4:
  Statements:
    line 6: ans = 'Even'
    line 7: continue
  Next:
    Go to Block 2

Block 5:
  Statements:
    line 9: ans = 'Odd'
    line 10: total += 1
  Next:
    Go to Block 2

Block 6:
  Statements:
    line 11: total = 1 / (total - 13)
  Next:
    <END>

";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_statement_is_one_line_without_comments() {
        let source = "x = 'a  b'\n# Block 9:\ny = f(x,  # <END>\n    '''\nBlock 9:\n''')\n";
        let long = format!("{source}z = '{}'\n", "a".repeat(5_000));
        let text = blocks(&long).text();
        let expected = "    line 1: x = 'a  b'\n    line 3: y = f(x, '''\\nBlock 9:\\n''')\n    line 7: z = 'aaaa";
        assert!(text.contains(expected), "{text}");
        assert!(text.contains("aaaa  (the rest of the statement is left out)\n"), "{text}");
        assert!(text.len() < 2_500, "{}", text.len());
    }

    #[test]
    fn a_block_ends_after_a_call_of_a_function_of_the_program() {
        let blocks = blocks("def f(x):\n    return x\na = 1\nb = f(a)\nc = abs(b)\nd = 2\n");
        let lines: Vec<Vec<u32>> =
            blocks.blocks.iter().map(|block| block.statements.iter().map(|one| one.line).collect()).collect();
        assert_eq!(lines, [vec![1, 3, 4], vec![2], vec![5, 6]]);
        assert!(blocks.text().contains("Function or class `f`:\n\nBlock 2:"), "{}", blocks.text());
        assert!(blocks.text().contains("Return to the caller"));
    }

    #[test]
    fn blocks_begin_where_code_is_entered() {
        let blocks =
            blocks("def half(n):\n    while n > 2:\n        n = n // 2\n    return n\nclass A:\n    x = 1\ny = 2\n");
        let lines: Vec<Vec<u32>> =
            blocks.blocks.iter().map(|block| block.statements.iter().map(|one| one.line).collect()).collect();
        assert_eq!(lines, [vec![1, 5], vec![2], vec![3], vec![4], vec![6], vec![7]]);
    }

    #[test]
    fn handlers_are_reached_by_exceptions() {
        let blocks = blocks("try:\n    a = 1\n    b = x\nexcept NameError:\n    b = 2\nprint(b)\n");
        assert_eq!(blocks.blocks[0].next, [(Way::Next, Some(3)), (Way::Raise, Some(1))]);
        assert_eq!(blocks.blocks[1].next, [(Way::True, Some(2))], "what it does not catch is raised on");
    }

    #[test]
    fn statements_are_found_by_their_places() {
        let source = "a = 1; b = 2\nwhile a: a -= 1\nc = [\n  1,\n  2]\ntry:\n    pass\nfinally:\n    d = 3\n";
        let blocks = blocks(source);
        assert_eq!(blocks.shared_lines(), [1, 2]);
        let at = |offset: usize, line, has_column| {
            let (block, place) = blocks.statement_at(offset as u32, line, has_column)?;
            Some(blocks.blocks[block].statements[place].text.as_str())
        };
        assert_eq!(at(0, 1, true), Some("a = 1"));
        assert_eq!(at(11, 1, true), Some("b = 2"));
        assert_eq!(at(source.find("a -=").expect("there"), 2, true), Some("a -= 1"));
        assert_eq!(at(source.find("  1,").expect("there"), 4, false), Some("c = [ 1, 2]"));
        assert_eq!(at(source.find("try").expect("there"), 6, false), None);
    }
}

//! The control flow graph of a source, at the level of statements: what can run right after what, and why.
//!
//! Each code object (the module, a function, a class body) has an entry, an exit and an exit by an exception. Conditions
//! are not evaluated: `while True` can end as far as the graph knows. A `finally` block has one copy of its nodes, which
//! all ways out of its `try` statement go through, so an end of it has an edge for each of these ways.

use std::mem::{replace, take};
use std::ops::Range;

use ruff_index::{IndexVec, newtype_index};
use ruff_python_ast::{self as ast, ExceptHandler, Stmt};
use ruff_text_size::{Ranged, TextSize};

use super::bytes;
use super::walk::handler_names;

/// The number of a node, in the order of the text.
#[newtype_index]
pub struct NodeId;

/// The number of a code object; 0 is the module.
#[newtype_index]
pub struct CodeId;

/// What stands at a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The code object is entered; for a function or class body its range is that of the header.
    Entry,
    /// The code object returns.
    Exit,
    /// An exception leaves the code object.
    RaiseExit,
    /// A simple statement, or the header of a `def` or `class`.
    Statement,
    /// `if x:`, `elif x:`
    If,
    /// `while x:`
    While,
    /// `for x in y:`
    For,
    /// `with x as y:`, where the contexts are entered.
    With,
    /// `with x as y:`, where the contexts are left, whatever ends the body.
    WithExit,
    /// `match x:`
    Match,
    /// `case x if y:`
    Case,
    /// `try:`
    Try,
    /// `except x:`, with the dotted names of the classes; `None` is any.
    Handler(Vec<Option<String>>),
    /// The last `except* x:` again, where what is left of the group is raised.
    GroupExit,
}

/// Why one node follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EdgeKind {
    /// The statement is done.
    Next,
    /// The condition holds, the loop has another element, the pattern or the class of the exception matches.
    True,
    /// It does not hold, has none, does not match.
    False,
    /// The body of a loop came to its end.
    LoopBack,
    /// `break`
    Break,
    /// `continue`
    Continue,
    /// `return`
    Return,
    /// The statement raises an exception.
    Raise,
}

/// A simple statement, the header of a compound one, or an end of a code object.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Byte range of the statement or header, without the colon.
    pub range: Range<u32>,
    /// Byte range of what decides between its successors: the test, what a loop goes over, the subject, the body of a
    /// `try`. Of other nodes, the whole range.
    pub decides: Range<u32>,
    /// Byte range of the whole statement, with its blocks.
    pub statement: Range<u32>,
    /// Where the block that it stands in ends.
    pub block_end: u32,
    /// The code object.
    pub code: CodeId,
    /// What can follow, each once.
    pub edges: Vec<(EdgeKind, NodeId)>,
}

impl Node {
    /// True for simple statements and headers that evaluate something.
    #[must_use]
    pub fn is_statement(&self) -> bool {
        use NodeKind::{Case, Entry, Exit, GroupExit, RaiseExit, Try, WithExit};
        !matches!(self.kind, Entry | Exit | RaiseExit | WithExit | Case | Try | GroupExit)
    }
}

/// A code object: the module, a function or a class body.
#[derive(Clone, Debug)]
pub struct Code {
    /// Byte range of the module or of the whole definition.
    pub range: Range<u32>,
    /// Where it starts.
    pub entry: NodeId,
    /// Where it returns.
    pub exit: NodeId,
    /// Where exceptions leave it.
    pub raise_exit: NodeId,
}

/// All nodes of a source.
#[derive(Clone, Debug)]
pub struct ControlFlow {
    /// The nodes of all code objects.
    pub nodes: IndexVec<NodeId, Node>,
    /// The code objects, outer ones first.
    pub codes: IndexVec<CodeId, Code>,
}

/// The end of a path that has been walked so far: an edge that still lacks its target.
type End = (NodeId, EdgeKind);

/// What a jump may meet on its way out of the blocks around it.
enum Around {
    Loop {
        header: NodeId,
        breaks: Vec<End>,
    },
    /// The body of a `try` statement, with what was raised in it.
    Attempt {
        raised: Vec<End>,
    },
    /// What runs on every way out (`finally`, the end of a `with` statement), with the jumps that enter it.
    Cleanup {
        jumps: Vec<End>,
    },
}

impl ControlFlow {
    pub(super) fn of(body: &[Stmt], length: u32) -> Self {
        let graph = Self { nodes: IndexVec::new(), codes: IndexVec::new() };
        let mut builder = Builder { graph, code: CodeId::from_u32(0), around: Vec::new(), block_end: length };
        builder.code(body, 0..length, 0);
        builder.graph
    }

    /// The node that follows by an edge of a kind; the first one where a `finally` block goes on in several ways.
    #[must_use]
    pub fn follow(&self, node: NodeId, kind: EdgeKind) -> Option<NodeId> {
        self.nodes[node].edges.iter().find(|(of, _)| *of == kind).map(|&(_, to)| to)
    }
}

struct Builder {
    graph: ControlFlow,
    code: CodeId,
    /// Blocks around the statement at hand in the same code object, innermost last.
    around: Vec<Around>,
    block_end: u32,
}

impl Builder {
    fn code(&mut self, body: &[Stmt], range: Range<u32>, header_end: u32) {
        let code = self.graph.codes.next_index();
        let (outer, around, block_end) = (replace(&mut self.code, code), take(&mut self.around), self.block_end);
        let mut end = |kind| {
            let header = range.start..header_end;
            let (decides, statement) = (header.clone(), range.clone());
            let node = Node { kind, range: header, decides, statement, block_end: 0, code, edges: Vec::new() };
            self.graph.nodes.push(node)
        };
        let [entry, exit, raise_exit] = [NodeKind::Entry, NodeKind::Exit, NodeKind::RaiseExit].map(&mut end);
        self.graph.codes.push(Code { range, entry, exit, raise_exit });
        for (from, kind) in self.block(body, vec![(entry, EdgeKind::Next)]) {
            self.edge(from, kind, exit);
        }
        (self.code, self.around, self.block_end) = (outer, around, block_end);
    }

    fn edge(&mut self, from: NodeId, kind: EdgeKind, to: NodeId) {
        let edges = &mut self.graph.nodes[from].edges;
        if !edges.contains(&(kind, to)) {
            edges.push((kind, to));
        }
    }

    /// Adds a node that follows some ends.
    fn node(&mut self, kind: NodeKind, range: Range<u32>, statement: &Stmt, ends: Vec<End>) -> NodeId {
        let (decides, statement) = (range.clone(), bytes(statement));
        let (block_end, code) = (self.block_end, self.code);
        let node = Node { kind, range, decides, statement, block_end, code, edges: Vec::new() };
        let node = self.graph.nodes.push(node);
        for (from, kind) in ends {
            self.edge(from, kind, node);
        }
        node
    }

    /// Adds the node of a header that ends with what it evaluates, which may raise.
    fn header(
        &mut self,
        kind: NodeKind,
        start: TextSize,
        decides: &impl Ranged,
        statement: &Stmt,
        ends: Vec<End>,
    ) -> NodeId {
        let decides = bytes(decides);
        let node = self.node(kind, start.to_u32()..decides.end, statement, ends);
        self.graph.nodes[node].decides = decides;
        self.jump(node, EdgeKind::Raise);
        node
    }

    /// Leads a jump to where it goes: out of the code object, unless something around stops it.
    fn jump(&mut self, from: NodeId, kind: EdgeKind) {
        let code = &self.graph.codes[self.code];
        let mut to = if kind == EdgeKind::Raise { code.raise_exit } else { code.exit };
        for around in self.around.iter_mut().rev() {
            match (around, kind) {
                (Around::Cleanup { jumps: ends }, _)
                | (Around::Attempt { raised: ends }, EdgeKind::Raise)
                | (Around::Loop { breaks: ends, .. }, EdgeKind::Break) => return ends.push((from, kind)),
                (Around::Loop { header, .. }, EdgeKind::Continue) => {
                    to = *header;
                    break;
                }
                _ => {}
            }
        }
        self.edge(from, kind, to);
    }

    /// Walks a block; returns the ends on which it is done.
    fn block(&mut self, body: &[Stmt], ends: Vec<End>) -> Vec<End> {
        let Some(last) = body.last() else { return ends };
        let outer = replace(&mut self.block_end, last.end().to_u32());
        let ends = body.iter().fold(ends, |ends, stmt| self.statement(stmt, ends));
        self.block_end = outer;
        ends
    }

    fn statement(&mut self, stmt: &Stmt, ends: Vec<End>) -> Vec<End> {
        match stmt {
            Stmt::If(branch) => self.choice(stmt, branch, ends),
            Stmt::While(repeat) => {
                let header = self.header(NodeKind::While, repeat.start(), &*repeat.test, stmt, ends);
                self.repeat(header, &repeat.body, &repeat.orelse)
            }
            Stmt::For(each) => {
                let header = self.header(NodeKind::For, each.start(), &*each.iter, stmt, ends);
                self.repeat(header, &each.body, &each.orelse)
            }
            Stmt::With(with) => self.with(stmt, with, ends),
            Stmt::Try(attempt) => self.attempt(stmt, attempt, ends),
            Stmt::Match(choice) => {
                let subject = self.header(NodeKind::Match, choice.start(), &*choice.subject, stmt, ends);
                let (mut after, mut unmatched) = (Vec::new(), vec![(subject, EdgeKind::Next)]);
                for case in &choice.cases {
                    let end = case.guard.as_ref().map_or(case.pattern.end(), |guard| guard.end());
                    let node = self.node(NodeKind::Case, case.start().to_u32()..end.to_u32(), stmt, unmatched);
                    self.jump(node, EdgeKind::Raise);
                    after.extend(self.block(&case.body, vec![(node, EdgeKind::True)]));
                    let always = case.guard.is_none() && case.pattern.is_irrefutable();
                    unmatched = if always { Vec::new() } else { vec![(node, EdgeKind::False)] };
                }
                after.extend(unmatched);
                after
            }
            Stmt::FunctionDef(def) => self.definition(stmt, def.parameters.end(), &def.body, ends),
            Stmt::ClassDef(def) => {
                let end = def.arguments.as_ref().map_or(def.name.end(), |arguments| arguments.end());
                self.definition(stmt, end, &def.body, ends)
            }
            Stmt::Pass(_) | Stmt::Global(_) | Stmt::Nonlocal(_) | Stmt::Break(_) | Stmt::Continue(_) => {
                let node = self.node(NodeKind::Statement, bytes(stmt), stmt, ends);
                match stmt {
                    Stmt::Break(_) => self.jump(node, EdgeKind::Break),
                    Stmt::Continue(_) => self.jump(node, EdgeKind::Continue),
                    _ => return vec![(node, EdgeKind::Next)],
                }
                Vec::new()
            }
            _ => {
                let node = self.header(NodeKind::Statement, stmt.start(), stmt, stmt, ends);
                match stmt {
                    Stmt::Return(_) => self.jump(node, EdgeKind::Return),
                    Stmt::Raise(_) => {}
                    _ => return vec![(node, EdgeKind::Next)],
                }
                Vec::new()
            }
        }
    }

    fn definition(&mut self, stmt: &Stmt, end: TextSize, body: &[Stmt], ends: Vec<End>) -> Vec<End> {
        let node = self.node(NodeKind::Statement, stmt.start().to_u32()..end.to_u32(), stmt, ends);
        self.jump(node, EdgeKind::Raise);
        self.code(body, bytes(stmt), end.to_u32());
        vec![(node, EdgeKind::Next)]
    }

    fn choice(&mut self, stmt: &Stmt, branch: &ast::StmtIf, ends: Vec<End>) -> Vec<End> {
        let test = self.header(NodeKind::If, branch.start(), &*branch.test, stmt, ends);
        let mut after = self.block(&branch.body, vec![(test, EdgeKind::True)]);
        let mut otherwise = vec![(test, EdgeKind::False)];
        let outer = replace(&mut self.block_end, stmt.end().to_u32());
        for clause in &branch.elif_else_clauses {
            let mut taken = take(&mut otherwise);
            if let Some(test) = &clause.test {
                let test = self.header(NodeKind::If, clause.start(), test, stmt, taken);
                (taken, otherwise) = (vec![(test, EdgeKind::True)], vec![(test, EdgeKind::False)]);
            }
            after.extend(self.block(&clause.body, taken));
        }
        self.block_end = outer;
        after.extend(otherwise);
        after
    }

    fn repeat(&mut self, header: NodeId, body: &[Stmt], orelse: &[Stmt]) -> Vec<End> {
        self.around.push(Around::Loop { header, breaks: Vec::new() });
        for (from, kind) in self.block(body, vec![(header, EdgeKind::True)]) {
            self.edge(from, if kind == EdgeKind::Next { EdgeKind::LoopBack } else { kind }, header);
        }
        let breaks = self.leave();
        let mut after = self.block(orelse, vec![(header, EdgeKind::False)]);
        after.extend(breaks);
        after
    }

    fn with(&mut self, stmt: &Stmt, with: &ast::StmtWith, ends: Vec<End>) -> Vec<End> {
        let range = with.start().to_u32()..with.items.last().map_or(with.start(), Ranged::end).to_u32();
        let header = self.node(NodeKind::With, range.clone(), stmt, ends);
        // A context that cannot be entered leaves those before it.
        if with.items.len() == 1 {
            self.jump(header, EdgeKind::Raise);
        }
        self.around.push(Around::Cleanup { jumps: Vec::new() });
        if with.items.len() > 1 {
            self.jump(header, EdgeKind::Raise);
        }
        let ends = self.block(&with.body, vec![(header, EdgeKind::Next)]);
        let after = self.cleanup(ends, |builder, ends| {
            let exit = builder.node(NodeKind::WithExit, range, stmt, ends);
            builder.jump(exit, EdgeKind::Raise);
            vec![(exit, EdgeKind::Next)]
        });
        // A context may swallow the exception that ended the body.
        after.0
    }

    /// Leads all ways out of a block through what is walked for them. Returns where that ends, and whether the block
    /// itself came to its end.
    fn cleanup(&mut self, mut ends: Vec<End>, walk: impl FnOnce(&mut Self, Vec<End>) -> Vec<End>) -> (Vec<End>, bool) {
        let (completes, jumps) = (!ends.is_empty(), self.leave());
        let mut kinds: Vec<EdgeKind> = Vec::new();
        for &(_, kind) in &jumps {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        ends.extend(jumps);
        let after = walk(self, ends);
        for kind in kinds {
            for &(from, _) in &after {
                self.jump(from, kind);
            }
        }
        (after, completes)
    }

    /// Ends the innermost block around; returns the jumps that it stopped.
    fn leave(&mut self) -> Vec<End> {
        match self.around.pop() {
            Some(
                Around::Loop { breaks: ends, .. } | Around::Attempt { raised: ends } | Around::Cleanup { jumps: ends },
            ) => ends,
            None => Vec::new(),
        }
    }

    fn attempt(&mut self, stmt: &Stmt, attempt: &ast::StmtTry, ends: Vec<End>) -> Vec<End> {
        let start = stmt.start().to_u32();
        let header = self.node(NodeKind::Try, start..start + "try".len() as u32, stmt, ends);
        if let (Some(first), Some(last)) = (attempt.body.first(), attempt.body.last()) {
            self.graph.nodes[header].decides = first.start().to_u32()..last.end().to_u32();
        }
        if !attempt.finalbody.is_empty() {
            self.around.push(Around::Cleanup { jumps: Vec::new() });
        }
        self.around.push(Around::Attempt { raised: Vec::new() });
        let ends = self.block(&attempt.body, vec![(header, EdgeKind::Next)]);
        let mut unmatched = self.leave();
        let (mut after, mut range) = (Vec::new(), 0..0);
        for handler in &attempt.handlers {
            let names = handler_names(handler);
            let ExceptHandler::ExceptHandler(handler) = handler;
            let start = handler.start().to_u32();
            let end = handler.type_.as_ref().map_or(start + "except".len() as u32, |kind| kind.end().to_u32());
            range = start..end;
            let node = self.node(NodeKind::Handler(names), range.clone(), stmt, unmatched);
            unmatched = Vec::new();
            if handler.type_.is_some() {
                self.jump(node, EdgeKind::Raise);
                unmatched.push((node, EdgeKind::False));
            }
            if attempt.is_star {
                // The rest of the group, and what this handler raises, go on to the next one.
                self.around.push(Around::Attempt { raised: Vec::new() });
            }
            let done = self.block(&handler.body, vec![(node, EdgeKind::True)]);
            if attempt.is_star {
                unmatched.extend(self.leave());
                unmatched.extend(&done);
            }
            after.extend(done);
        }
        if attempt.is_star {
            let exit = self.node(NodeKind::GroupExit, range, stmt, take(&mut unmatched));
            self.jump(exit, EdgeKind::Raise);
            after.push((exit, EdgeKind::Next));
        }
        for (from, _) in unmatched {
            self.jump(from, EdgeKind::Raise);
        }
        after.extend(self.block(&attempt.orelse, ends));
        if attempt.finalbody.is_empty() {
            return after;
        }
        let (after, completes) = self.cleanup(after, |builder, ends| builder.block(&attempt.finalbody, ends));
        if completes { after } else { Vec::new() }
    }
}

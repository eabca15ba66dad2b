//! The semantic model of a source: parsed once, walked once, then only asked.
//!
//! [`SourceModel::parse`] finds the scopes and what each binds (`bind`, `scope`), then walks the tree in the order in
//! which Python evaluates it (`walk`) and keeps what it sees in flat tables with numbers in place of references: the
//! uses of names, attributes and calls (`uses`), what feeds what (`feeds`), `try` statements, imports and line marks. The
//! control flow graph of the statements (`control_flow`) is built when it is first asked for.
//! Rewriting, recording, paths, evidence and extraction are queries on these tables.

mod bind;
pub(crate) mod bits;
pub(crate) mod builtin;
pub mod control_flow;
pub(crate) mod feeds;
mod globals;
mod nesting;
pub(crate) mod scope;
pub(crate) mod shape;
pub(crate) mod symbol;
pub(crate) mod uses;
mod walk;

use std::collections::BTreeSet;
use std::mem::ManuallyDrop;
use std::ops::Range;
use std::sync::OnceLock;

use ruff_index::IndexVec;
use ruff_python_ast::token::Tokens;
use ruff_python_ast::{ModModule, Stmt};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use self::control_flow::ControlFlow;
use self::feeds::{Elements, Feed, Target};
use self::nesting::Nesting;
use self::scope::Scopes;
use self::shape::Shape;
use self::symbol::Symbol;
use self::uses::{Form, Use, UseId};
use crate::cleanup::depth;
use crate::error::{Error, MAX_SOURCE_BYTES};
use crate::lines::LineIndex;
use crate::marks::Marks;
use crate::sites::{FromImport, Kind, TryBlock};

pub(crate) use walk::{handler_names, suppressed_names};

/// The parser's own stack is large enough for whatever nests in a text of this size; larger ones are looked at first.
const MAX_UNSEEN_BYTES: usize = 128 << 10;

const TOO_DEEP: &str = "nested too deeply";

/// A source, parsed, with all that is known of its meaning.
pub struct SourceModel {
    text: String,
    lines: LineIndex,
    tree: Tree,
    pub(crate) tables: Tables,
    /// For each call, by its end: the byte after its opening parenthesis.
    anchors: OnceLock<FxHashMap<u32, u32>>,
    control_flow: OnceLock<ControlFlow>,
}

/// A syntax tree that is walked and dropped on a stack that is large enough for it.
struct Tree {
    /// `None` only while it is dropped.
    parsed: Option<Parsed<ModModule>>,
    is_deep: bool,
}

impl Tree {
    fn parsed(&self) -> &Parsed<ModModule> {
        self.parsed.as_ref().expect("only `drop` takes the tree")
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        if self.is_deep {
            // Without memory for such a stack the tree cannot even be dropped.
            let parsed = ManuallyDrop::new(self.parsed.take());
            on_stack(true, || drop(ManuallyDrop::into_inner(parsed)));
        }
    }
}

/// The byte range of a node.
pub(crate) fn bytes(node: &impl Ranged) -> Range<u32> {
    node.start().to_u32()..node.end().to_u32()
}

/// Works on a large stack, or where it is. `None` if there is no memory for one.
fn on_stack<T: Send>(large: bool, work: impl FnOnce() -> T + Send) -> Option<T> {
    if large { depth::on_large_stack(work) } else { Some(work()) }
}

/// What the walk over the tree has listed.
pub(crate) struct Tables {
    pub(crate) scopes: Scopes,
    pub(crate) uses: IndexVec<UseId, Use>,
    pub(crate) feeds: Vec<Feed>,
    pub(crate) elements: Vec<Elements>,
    /// What annotations promise of variables, attributes and results.
    pub(crate) annotations: Vec<(Target, Shape)>,
    /// Classes and their bases, by the last part of their names.
    pub(crate) bases: Vec<(Symbol, Symbol)>,
    /// Classes that are raised or caught, by the last part of their names.
    pub(crate) raised: Vec<Symbol>,
    /// Qualified names of the functions and classes; the first is the module's, empty.
    pub(crate) functions: Vec<String>,
    pub(crate) tries: Vec<TryBlock>,
    pub(crate) imports: Vec<FromImport>,
    pub(crate) marks: Marks,
    pub(crate) line_marks: Vec<LineMark>,
}

/// A place where a line, or a part of one, is marked as reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LineMark {
    /// The use that follows in the order of evaluation.
    pub(crate) before: UseId,
    /// Parts have no line of their own: their numbers follow those of the lines.
    pub(crate) line: u32,
    /// Where the mark stands.
    pub(crate) start: u32,
    /// For statements: where it is to be reported. For expressions: their end.
    pub(crate) end: u32,
    pub(crate) form: MarkForm,
}

/// How a line is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MarkForm {
    /// `mark; x = 1`
    Before,
    /// `x = 1; mark`, for the compound statement that follows.
    After,
    /// `if mark and x: ...`
    Expression,
    /// `a or (mark and b)`, where that is asked for ([`crate::Options::parts`]).
    Part,
}

impl SourceModel {
    /// Parses a source, and finds what there is to know of it.
    ///
    /// # Errors
    /// [`Error::Syntax`] where the source does not parse ([`crate::cleanup::prepare`] mends pasted code first), and
    /// [`Error::TooLarge`].
    pub fn parse(source: impl Into<String>) -> Result<Self, Error> {
        let text: String = source.into();
        if text.len() > MAX_SOURCE_BYTES {
            return Err(Error::TooLarge(text.len()));
        }
        let lines = LineIndex::new(&text);
        let fault = |offset: usize, message: String| Error::Syntax { line: lines.line(offset as u32), message };
        if text.len() > MAX_UNSEEN_BYTES
            && let Some(offset) = depth::first_too_deep(&text)
        {
            return Err(fault(offset, TOO_DEEP.to_owned()));
        }
        let parsed = parse_unchecked(&text, ParseOptions::from(Mode::Module)).try_into_module();
        let Some(parsed) = parsed else { unreachable!("parsing in module mode gives a module") };
        let nesting = Nesting::of(&text, parsed.tokens());
        let is_deep = nesting.is_deep();
        let tree = Tree { parsed: Some(parsed), is_deep };
        if let Some(start) = nesting.too_deep_at {
            return Err(fault(start as usize, TOO_DEEP.to_owned()));
        }
        if let Some(error) = tree.parsed().errors().first() {
            return Err(fault(error.location.start().to_usize(), error.error.to_string()));
        }
        let tables = on_stack(is_deep, || walk::walk(&text, &lines, tree.parsed().suite(), &nesting));
        let tables = tables.ok_or_else(|| fault(0, TOO_DEEP.to_owned()))?;
        Ok(Self { tree, tables, lines, text, anchors: OnceLock::new(), control_flow: OnceLock::new() })
    }

    /// The source itself.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Where its lines start.
    #[must_use]
    pub const fn lines(&self) -> &LineIndex {
        &self.lines
    }

    /// Walks the tree itself, on a stack that is large enough. `None` if there is no memory for one.
    pub(crate) fn with_tree<T: Send>(&self, work: impl FnOnce(&Parsed<ModModule>) -> T + Send) -> Option<T> {
        on_stack(self.tree.is_deep, || work(self.tree.parsed()))
    }

    /// First and last lines of the statements of the module.
    #[must_use]
    pub fn statement_lines(&self) -> Vec<(u32, u32)> {
        let lines = self.lines();
        let of = |stmt: &Stmt| (lines.line(stmt.start().to_u32()), lines.line(stmt.end().to_u32()));
        self.suite().iter().map(of).collect()
    }

    /// The statements of the module, for those who do not go down into expressions.
    pub(crate) fn suite(&self) -> &[Stmt] {
        self.tree.parsed().suite()
    }

    pub(crate) fn tokens(&self) -> &Tokens {
        self.tree.parsed().tokens()
    }

    /// The uses that start in a range of bytes.
    pub(crate) fn uses_in(&self, range: Range<u32>) -> impl Iterator<Item = &Use> {
        self.tables.uses.iter().filter(move |used| range.contains(&used.start))
    }

    /// The symbol of the empty name.
    pub(crate) fn nameless(&self) -> Symbol {
        self.tables.scopes.symbols.get("").expect("the walk makes it before all others")
    }

    /// The text of a name.
    pub(crate) fn name(&self, symbol: Symbol) -> &str {
        self.tables.scopes.symbols.name(symbol)
    }

    /// Which statements can follow which.
    pub fn control_flow(&self) -> &ControlFlow {
        let length = self.text.len() as u32;
        let graph = || self.with_tree(|tree| ControlFlow::of(tree.suite(), length));
        // Without memory for a stack the module is empty.
        self.control_flow.get_or_init(|| graph().unwrap_or_else(|| ControlFlow::of(&[], length)))
    }

    /// The names of the bases of a class, and of theirs, as far as this source defines them; all by the last part of their
    /// names.
    #[must_use]
    pub fn bases_of(&self, class: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut pending = vec![class.to_owned()];
        while let Some(class) = pending.pop() {
            for &(_, base) in self.tables.bases.iter().filter(|(of, _)| self.name(*of) == class) {
                let base = self.name(base).to_owned();
                if found.insert(base.clone()) {
                    pending.push(base);
                }
            }
        }
        found
    }

    /// Where in the text a value is asked for: right after a name, or after the opening parenthesis of a call, next to
    /// the callee however long the arguments are. The expression ends at `end`; `None` for what is no call.
    #[must_use]
    pub fn anchor(&self, kind: Kind, end: u32) -> Option<u32> {
        if kind != Kind::ReturnValue {
            return Some(end);
        }
        let calls = || self.tables.uses.iter().filter(|used| used.form == Form::Call);
        let anchors = self.anchors.get_or_init(|| calls().map(|call| (call.end, call.inner + 1)).collect());
        anchors.get(&end).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_are_those_of_bases_as_well() {
        let model = SourceModel::parse("class A(x.Z): pass\nclass B(A, D): pass\nclass C(B): pass\nclass D(C): pass\n");
        let bases = model.expect("it parses").bases_of("C");
        assert_eq!(bases.iter().map(String::as_str).collect::<Vec<_>>(), ["A", "B", "C", "D", "Z"]);
    }

    #[test]
    fn calls_are_asked_after_their_opening_parenthesis() {
        let source = "@deco(1)\ndef f(): return g(x, ')')(y)(\n  *z)\nt = f'{h(\"(\")!r}'\n";
        let model = SourceModel::parse(source).expect("it parses");
        let ends = (0..source.len() as u32).filter_map(|end| model.anchor(Kind::ReturnValue, end));
        let mut found: Vec<&str> = ends.map(|at| &source[at as usize - 2..=at as usize]).collect();
        found.sort_unstable();
        assert_eq!(found, [")(\n", ")(y", "g(x", "h(\"", "o(1"]);
        assert_eq!(model.anchor(Kind::Attribute, 7), Some(7));
        assert_eq!(model.anchor(Kind::ReturnValue, 7), None);
        assert!(SourceModel::parse("def").is_err());
    }
}

//! Tables that the `csv` module reads, as far as the code says what stands in them.

use std::collections::BTreeMap;
use std::ops::Range;

use ruff_python_ast::{self as ast, Expr, Stmt};

use super::Paths;
use super::literals::{elements, literal};
use super::wishes::Wish;
use crate::semantic::bytes;

/// Columns of a table at most.
const MOST_COLUMNS: usize = 64;
/// Rows that are made up, at least and at most.
const ROWS: Range<usize> = 2..4;
/// What stands in a cell of which nothing is known: a text that is a number, too.
const CELL: &str = "1";

/// A call of `csv.reader` or `csv.DictReader`.
#[derive(Clone, Debug)]
struct Reader {
    /// Byte range of the call.
    range: Range<u32>,
    /// Rows are dictionaries, whose keys are in the first line unless the call has them.
    has_header: bool,
    /// The keys that the call has.
    fields: Vec<String>,
    is_of_keys: bool,
    delimiter: String,
}

/// `row["name"]`, `row.get("name")` or `row[2]`.
#[derive(Clone, Debug)]
struct Cell {
    /// Byte range of the expression.
    range: Range<u32>,
    /// Byte range of the row.
    row: Range<u32>,
    key: Key,
}

#[derive(Clone, Debug, PartialEq)]
enum Key {
    Name(String),
    /// A row has at least so many cells.
    Place(usize),
}

/// Readers of tables, and what is read of rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Tables {
    readers: Vec<Reader>,
    cells: Vec<Cell>,
    /// What is taken apart, and into how many parts.
    unpacked: Vec<(Range<u32>, usize)>,
    /// `from csv import reader`.
    has_bare_reader: bool,
}

impl Tables {
    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::ImportFrom(import) if import.module.as_deref() == Some("csv") => {
                self.has_bare_reader |= import.names.iter().any(|name| name.name.as_str() == "reader");
            }
            Stmt::For(each) => self.unpacking(&each.target, &each.iter),
            Stmt::Assign(assign) => assign.targets.iter().for_each(|target| self.unpacking(target, &assign.value)),
            _ => {}
        }
    }

    pub(super) fn comprehension(&mut self, comprehension: &ast::Comprehension) {
        self.unpacking(&comprehension.target, &comprehension.iter);
    }

    /// Rows are taken apart as they are; what other functions give may have other parts (`enumerate(rows)`).
    fn unpacking(&mut self, target: &Expr, value: &Expr) {
        let (Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. })) = target else {
            return;
        };
        let is_whole = match value {
            Expr::Name(_) => true,
            Expr::Call(call) => match &*call.func {
                Expr::Name(name) => matches!(name.id.as_str(), "next" | "list" | "sorted" | "reader"),
                Expr::Attribute(attribute) => attribute.attr.as_str() == "reader",
                _ => false,
            },
            _ => false,
        };
        if is_whole && !elts.iter().any(Expr::is_starred_expr) {
            self.unpacked.push((bytes(value), elts.len()));
        }
    }

    pub(super) fn expression(&mut self, expression: &Expr) {
        match expression {
            Expr::Call(call) => self.call(call),
            Expr::Subscript(subscript) => {
                let key = match literal(&subscript.slice) {
                    Some(Wish::Text(name)) => Key::Name(name),
                    Some(Wish::Integer(place)) if (0..MOST_COLUMNS as i64).contains(&place) => {
                        Key::Place(place as usize + 1)
                    }
                    _ => return,
                };
                self.cells.push(Cell { range: bytes(subscript), row: bytes(&*subscript.value), key });
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &ast::ExprCall) {
        if let Expr::Attribute(method) = &*call.func
            && matches!(method.attr.as_str(), "get" | "pop")
            && let Some(Wish::Text(name)) = call.arguments.args.first().and_then(literal)
        {
            self.cells.push(Cell { range: bytes(call), row: bytes(&*method.value), key: Key::Name(name) });
            return;
        }
        let name = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) if matches!(&*attribute.value, Expr::Name(module) if module.id == "csv") => {
                attribute.attr.as_str()
            }
            _ => return,
        };
        let is_of_keys = match name {
            "DictReader" => true,
            "reader" if call.func.is_attribute_expr() || self.has_bare_reader => false,
            _ => return,
        };
        let delimiter = match call.arguments.find_keyword("delimiter").map(|keyword| literal(&keyword.value)) {
            Some(Some(Wish::Text(delimiter))) if delimiter.chars().count() == 1 => delimiter,
            _ => ",".to_owned(),
        };
        let fields = call.arguments.find_argument_value("fieldnames", 1).filter(|_| is_of_keys);
        let has_header = is_of_keys && fields.is_none();
        let texts = fields.and_then(elements).into_iter().flatten().filter_map(literal);
        let fields = texts.filter_map(|text| if let Wish::Text(text) = text { Some(text) } else { None }).collect();
        self.readers.push(Reader { range: bytes(call), has_header, fields, is_of_keys, delimiter });
    }
}

impl Paths {
    /// Lines of a table as the code reads it, by the first byte of the call of `csv.reader` or `csv.DictReader`: with the
    /// columns whose cells are read, by name or by place, and with texts that the code asks for in them.
    #[must_use]
    pub fn tables(&self) -> BTreeMap<u32, Vec<String>> {
        let lines = |reader: &Reader| (reader.range.start, self.lines_of(reader));
        self.tables.readers.iter().map(lines).collect()
    }

    fn lines_of(&self, reader: &Reader) -> Vec<String> {
        let is_of = |range: &Range<u32>| {
            let near = self.origins.near(range.clone());
            near.iter().any(|(_, from)| from.start <= reader.range.start && reader.range.end <= from.end)
        };
        let cells: Vec<&Cell> = self.tables.cells.iter().filter(|cell| is_of(&cell.row)).collect();
        let mut names: Vec<Option<&str>> = reader.fields.iter().map(|field| Some(field.as_str())).collect();
        let mut width = 1;
        for cell in &cells {
            match &cell.key {
                Key::Name(name) if reader.is_of_keys && !names.contains(&Some(name)) && names.len() < MOST_COLUMNS => {
                    names.push(Some(name));
                }
                Key::Place(place) if !reader.is_of_keys => width = width.max(*place),
                _ => {}
            }
        }
        if !reader.is_of_keys {
            let parts = self.tables.unpacked.iter().filter(|(range, _)| is_of(range)).map(|(_, parts)| *parts);
            width = parts.max().unwrap_or(2).clamp(width, MOST_COLUMNS.max(width));
        }
        if names.is_empty() {
            names = vec![None; width];
        }
        let columns: Vec<Vec<String>> = (0..).zip(&names).map(|(at, name)| self.texts(&cells, *name, at + 1)).collect();
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0).clamp(ROWS.start, ROWS.end);
        let line = |cells: Vec<&str>| {
            let quoted = |cell: &&str| {
                let special = |letter: char| letter == '"' || letter == '\n' || reader.delimiter.contains(letter);
                if cell.contains(special) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { (*cell).to_owned() }
            };
            cells.iter().map(quoted).collect::<Vec<_>>().join(&reader.delimiter) + "\n"
        };
        let header = reader.has_header.then(|| line(names.iter().map(|name| name.unwrap_or(CELL)).collect()));
        let row =
            |number: usize| line(columns.iter().map(|texts| texts.get(number).map_or(CELL, String::as_str)).collect());
        header.into_iter().chain((0..rows).map(row)).collect()
    }

    /// What conditions and conversions ask of the cells of a column.
    fn texts(&self, cells: &[&Cell], name: Option<&str>, place: usize) -> Vec<String> {
        let is_own = |cell: &&&Cell| match &cell.key {
            Key::Name(own) => name == Some(own),
            Key::Place(own) => name.is_none() && *own == place,
        };
        let own: Vec<&Cell> = cells.iter().filter(is_own).copied().collect();
        let mut texts: Vec<String> = Vec::new();
        for hint in self.formats.iter().chain(&self.hints) {
            let is_cell = own.iter().any(|cell| cell.range == hint.subject);
            let holds_cell =
                || own.iter().any(|cell| hint.subject.start <= cell.range.start && cell.range.end <= hint.subject.end);
            let text = match &hint.wish {
                Wish::Text(text) if is_cell && text != CELL => text.clone(),
                Wish::Integer(number) if holds_cell() => number.to_string(),
                Wish::Real(number) if holds_cell() => number.to_string(),
                _ => continue,
            };
            if !texts.contains(&text) && texts.len() < ROWS.end {
                texts.push(text);
            }
        }
        texts
    }
}

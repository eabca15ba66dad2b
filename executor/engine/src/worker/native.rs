//! What the runtime's Python may ask of us: the tables of the run, and a way to emit events to the parent.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString};
use surmise_instrument::{FromImport, Kind, LineIndex, Role, Site, TryBlock, Written};

use super::drawn::{Drawing, shortened};
use super::literals::{LiteralValue, class_key};
use crate::protocol::{Assigned, Choice, Event, ImplicitImport, Injection, Literal, write_frame};

/// Events of one run at most; a snippet that makes up more is not worth more pages.
const MAX_EVENTS: usize = 20_000;

/// The `native` object of the runtime's Python.
#[pyclass(frozen)]
pub(crate) struct Native {
    #[pyo3(get)]
    pub(crate) filename: String,
    #[pyo3(get)]
    pub(crate) inject_io: bool,
    /// The seed and what goes with it where two versions are compared.
    #[pyo3(get)]
    pub(crate) drawing: Option<Py<Drawing>>,
    pub(crate) sites: Vec<Site>,
    /// The sites of the program itself come first; those of companion modules are not reported.
    pub(crate) own: usize,
    pub(crate) assignment: Vec<Option<Assigned>>,
    pub(crate) literals: BTreeMap<u32, Literal>,
    pub(crate) choices: BTreeMap<String, Choice>,
    pub(crate) handlers: Vec<TryBlock>,
    pub(crate) imports: Vec<FromImport>,
    pub(crate) implicit: BTreeMap<String, ImplicitImport>,
    pub(crate) written: Written,
    pub(crate) events: Mutex<Events>,
    /// Of the source as given: answers come with byte columns of it.
    pub(crate) lines: LineIndex,
}

/// A site, as the runtime sees it.
#[pyclass(frozen, get_all)]
pub(crate) struct SiteRow {
    number: usize,
    /// `variable`, `attribute` or `return value`.
    kind: &'static str,
    name: String,
    /// The class to inject; `None` where nothing is to be injected.
    assigned: Option<&'static str>,
    /// What is injected in place of the class's usual value.
    literal: Option<LiteralValue>,
    /// What is done with the value: `awaited`, `iterated`, `caught`, `raised`, `used`; empty for nothing particular.
    role: &'static str,
    /// Elements that a container needs.
    count: Option<u16>,
    /// A local variable that may be unbound.
    local: bool,
}

/// A `try` statement: the lines of its body, the first line of its code object, and what it catches.
#[pyclass(frozen, get_all)]
pub(crate) struct Handler {
    first_line: u32,
    last_line: u32,
    scope_line: u32,
    /// Dotted names; `None` is any exception.
    catches: Vec<Option<String>>,
}

/// A `from` import.
#[pyclass(frozen, get_all)]
pub(crate) struct FromStatement {
    level: u32,
    module: String,
    names: Vec<String>,
    line: u32,
    column: u32,
}

/// The descriptor of the pipe to the parent. The program may close it or put another in its place: it is never
/// owned, and failing to write is no error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pipe(pub(crate) i32);

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // SAFETY: a valid buffer; the descriptor may be anything.
        let written = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
        usize::try_from(written).map_err(|_| io::Error::last_os_error())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The pipe to the parent, and what went into it.
pub(crate) struct Events {
    pub(crate) to: Pipe,
    /// Sites whose injection was reported.
    pub(crate) reported: Vec<bool>,
    pub(crate) count: usize,
}

#[pymethods]
impl Native {
    /// A site by its number.
    fn site(&self, number: usize) -> PyResult<SiteRow> {
        let site = self.get(number)?;
        let role = match site.role {
            Role::Awaited => "awaited",
            Role::Iterated | Role::IteratedInParts | Role::IteratedDeep => "iterated",
            Role::Caught => "caught",
            Role::Raised => "raised",
            Role::Plain | Role::Statement => "",
            _ => "used",
        };
        let literal = u32::try_from(number).ok().and_then(|number| self.literals.get(&number));
        Ok(SiteRow {
            number,
            kind: site.kind.as_str(),
            name: site.name.to_string(),
            assigned: self.assigned(number).map(|assigned| class_key(assigned.class)),
            literal: literal.cloned().map(LiteralValue),
            role,
            count: site.role.elements().max(site.downstream.elements()),
            local: site.local,
        })
    }

    /// The first site that reads a variable of this name.
    fn first_read(&self, name: &str) -> Option<usize> {
        self.sites.iter().position(|site| site.kind == Kind::Variable && site.name == name)
    }

    /// The `try` statements of the program.
    #[getter]
    fn handlers(&self) -> Vec<Handler> {
        handlers_of(&self.handlers)
    }

    /// A `from` import by its number.
    fn import_statement(&self, number: usize) -> Option<FromStatement> {
        self.imports.get(number).map(|import| FromStatement {
            level: import.level,
            module: import.module.clone(),
            names: import.names.clone(),
            line: import.line,
            column: import.column,
        })
    }

    /// (modules to import, attribute of the first or None) of a name that is used without its import.
    fn implicit_import(&self, name: &str) -> (&[String], Option<&str>) {
        self.implicit.get(name).map_or((&[], None), |import| (&import.modules, import.attribute.as_deref()))
    }

    /// What the search chose as the answer of a question: a truth value, a number, or a tuple with the name of what is
    /// raised.
    fn choice<'py>(&self, py: Python<'py>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.choices.is_empty() {
            return Ok(None);
        }
        let choice = self.choices.get(&*key.to_string_lossy());
        choice
            .map(|choice| match choice {
                Choice::Truth(truth) => truth.into_bound_py_any(py),
                Choice::Count(count) => count.into_bound_py_any(py),
                Choice::Raises(name) => (name,).into_bound_py_any(py),
            })
            .transpose()
    }

    /// The access path as both versions of a function have it, and not too long.
    fn path(&self, path: &Bound<'_, PyString>) -> String {
        let path = path.to_string_lossy();
        shortened(match &self.drawing {
            Some(drawing) => drawing.get().renamed(&path),
            None => path.into_owned(),
        })
    }

    /// True if the program gives some object this attribute.
    fn is_assigned_attribute(&self, name: &str) -> bool {
        self.written.attributes.contains(name)
    }

    /// True if a class derived from one of this name is raised or caught.
    fn is_error_base(&self, name: &str) -> bool {
        self.written.error_bases.contains(name)
    }

    /// True if a name is one edit, or one swap of neighbours, away from another one: a likely typing error.
    #[staticmethod]
    fn is_misspelt(name: &str, others: &Bound<'_, PyList>) -> bool {
        others.iter().any(|other| other.extract::<String>().is_ok_and(|other| is_near(name, &other)))
    }

    /// Reports that a site got a value.
    fn injected(&self, number: usize, class: &str, value: &Bound<'_, PyString>) -> PyResult<()> {
        let site = self.get(number)?;
        if number >= self.own {
            return Ok(());
        }
        let predicted = self.assigned(number).filter(|assigned| class_key(assigned.class) == class);
        let mut events = self.events();
        if std::mem::replace(&mut events.reported[number], true) {
            return Ok(());
        }
        events.emit(&Event::Injected(Injection {
            line: site.line,
            column: site.column,
            kind: site.kind.as_str().to_owned(),
            name: site.name.to_string(),
            class: class_name(class).map(str::to_owned),
            value: value.to_string_lossy().into_owned(),
            probability: predicted.map(|assigned| assigned.probability),
            rank: predicted.map(|assigned| assigned.rank),
            site: Some(number as u32),
        }));
        Ok(())
    }

    /// Reports an answer that a search may change: a truth value, or a number of elements.
    fn chose(&self, key: &Bound<'_, PyString>, line: u32, answer: Answer) {
        let answer = match answer {
            Answer::Truth(truth) => Choice::Truth(truth),
            Answer::Count(count) => Choice::Count(count),
        };
        self.events().emit(&Event::Chose { key: key.to_string_lossy().into_owned(), line, answer });
    }

    /// Reports that a failure was left alone because the code expects it.
    fn expected(&self, key: String, line: u32) {
        self.events().emit(&Event::Expected { key, line });
    }

    /// Reports how an operation that is no site was answered. A negative column is unknown: the line's first then.
    fn answered(&self, line: u32, column: i64, kind: &str, name: &Bound<'_, PyString>, value: &Bound<'_, PyString>) {
        self.events().emit(&Event::Injected(Injection {
            line: line.min(self.lines.count()),
            column: u32::try_from(column).unwrap_or(0),
            kind: kind.to_owned(),
            name: name.to_string_lossy().into_owned(),
            class: None,
            value: value.to_string_lossy().into_owned(),
            probability: None,
            rank: None,
            site: None,
        }));
    }
}

/// What Python says of an answer.
#[derive(Clone, Copy, FromPyObject)]
enum Answer {
    Truth(bool),
    Count(u16),
}

impl Native {
    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn assigned(&self, number: usize) -> Option<Assigned> {
        self.assignment.get(number).copied().flatten()
    }

    fn get(&self, number: usize) -> PyResult<&Site> {
        self.sites.get(number).ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such site"))
    }
}

impl Events {
    fn emit(&mut self, event: &Event) {
        if self.count < MAX_EVENTS {
            self.count += 1;
            // The parent may be gone; the run ends with it then.
            let _gone = write_frame(self.to, event);
        }
    }
}

/// `try` statements, as the runtime sees them.
pub(crate) fn handlers_of(tries: &[TryBlock]) -> Vec<Handler> {
    let handler = |block: &TryBlock| Handler {
        first_line: block.first_line,
        last_line: block.last_line,
        scope_line: block.scope_line,
        catches: block.catches.clone(),
    };
    tries.iter().map(handler).collect()
}

fn is_near(name: &str, other: &str) -> bool {
    let (name, other): (Vec<char>, Vec<char>) = (name.chars().collect(), other.chars().collect());
    let (short, long) = if name.len() <= other.len() { (&name, &other) } else { (&other, &name) };
    if short.len() < 4 || long.len() - short.len() > 1 || name == other {
        return false;
    }
    let at = short.iter().zip(long).take_while(|(one, two)| one == two).count();
    if short.len() < long.len() {
        return short[at..] == long[at + 1..];
    }
    let swapped = at + 1 < short.len() && short[at] == long[at + 1] && short[at + 1] == long[at];
    short[at + 1..] == long[at + 1..] || swapped && short[at + 2..] == long[at + 2..]
}

fn class_name(key: &str) -> Option<&'static str> {
    surmise_value_model::Class::ALL
        .into_iter()
        .find(|&class| class_key(class) == key)
        .map(surmise_value_model::Class::as_str)
}

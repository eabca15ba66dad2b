//! What the runtime's Python may ask of us: the tables of the run, and a way to emit events to the parent.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::sys::stat::fstat;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict, PyList, PyString};
use surmise_instrument::paths::MadeUp;
use surmise_instrument::{Kind, LineIndex, Role, Site, TryBlock};
use surmise_value_model::Class;

use super::drawn::shortened;
use super::{profile, snapshots};
use crate::plan::satisfies;
use crate::protocol::{
    Assigned, Change, Choice, Chosen, Drawing, Event, Injection, InputEnd, Literal, Program, Step, Traced, Trial,
    Value, write_frame,
};

/// Events of one run at most; a snippet that makes up more is not worth more pages.
const MAX_EVENTS: usize = 20_000;

/// The `native` object of the runtime's Python.
#[pyclass(frozen)]
pub(crate) struct Native {
    pub(crate) program: Arc<Program>,
    pub(crate) trial: Trial,
    /// The seed and what goes with it where two versions are compared.
    #[pyo3(get)]
    pub(crate) drawing: Option<Py<Drawing>>,
    /// The sites of the program itself come first; those of companion modules are not reported.
    pub(crate) own: usize,
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
    /// What is injected in place of the class's usual value: its kind and value; an empty kind for nothing.
    literal: (&'static str, Option<Literal>),
    /// What is done with the value: `awaited`, `iterated`, `caught`, `raised`, `used`; empty for nothing particular.
    role: &'static str,
    /// Elements that a container needs.
    count: Option<u16>,
    /// A local variable that may be unbound.
    local: bool,
}

/// A `try` statement: first and last line of its body, the first line of its code object (0 for the module), and dotted
/// names of what it catches; `None` is any exception.
pub(crate) type Handler<'a> = (u32, u32, u32, &'a [Option<String>]);

/// A step of a trace: call, line, column, and changes as name, type, value and whether it was cut.
type TracedStep = (u32, u32, Option<u32>, Vec<(String, String, Option<String>, bool)>);

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
    /// What was injected and answered so far.
    pub(crate) made_up: MadeUp,
}

#[pymethods]
impl Native {
    #[getter]
    fn filename(&self) -> &str {
        &self.program.filename
    }

    #[getter]
    fn inject_io(&self) -> bool {
        self.program.inject_io
    }

    #[getter]
    fn whole_input(&self) -> bool {
        self.program.input_end == InputEnd::Complete
    }

    /// True if the program uses a name, or an attribute of this name.
    fn has_site(&self, name: &str) -> bool {
        self.program.sites.iter().any(|site| site.name == name)
    }

    /// A site by its number.
    fn site(&self, number: usize) -> PyResult<SiteRow> {
        let site = self.get(number)?;
        let role = match site.role {
            Role::Awaited => "awaited",
            Role::Iterated | Role::IteratedInParts | Role::IteratedDeep => "iterated",
            Role::Caught => "caught",
            Role::Raised => "raised",
            Role::Statement => "unused",
            Role::Plain => "",
            _ => "used",
        };
        Ok(SiteRow {
            number,
            kind: site.kind.as_str(),
            name: site.name.to_string(),
            assigned: self.assigned(number).map(|assigned| assigned.class.as_str()),
            literal: Literal::with_kind(self.value(number).and_then(|value| value.literal.as_ref())),
            role,
            count: site.elements().max(self.drawing.as_ref().and_then(|drawing| drawing.get().elements(site))),
            local: site.local,
        })
    }

    /// Calls `look` with the frame of each call of some code.
    #[staticmethod]
    fn profile(py: Python<'_>, code: Py<PyCode>, look: Py<PyAny>) -> PyResult<()> {
        profile::set(py, code, look)
    }

    /// Class and literal of a name that is imported from what is not there, by its dotted name, if a value was proposed.
    fn imported(&self, path: &str) -> Option<(&'static str, (&'static str, Option<Literal>))> {
        let value = self.program.imported.get(path)?;
        Some((value.assigned.class.as_str(), Literal::with_kind(value.literal.as_ref())))
    }

    /// Lines on which several statements stand.
    #[getter]
    fn shared_lines(&self) -> HashSet<u32> {
        self.trial.trace.iter().flatten().copied().collect()
    }

    /// Hands the trace of the run over.
    fn traced(&self, steps: Vec<TracedStep>, is_cut: bool) {
        let change = |(name, kind, value, is_cut)| Change { name, kind, value, is_cut };
        let step = |(call, line, column, changes): TracedStep| {
            let changes = changes.into_iter().map(change).collect();
            Step { call, line, column, changes }
        };
        let steps = steps.into_iter().map(step).collect();
        self.events().emit(&Event::Traced(Traced { steps, is_cut }));
    }

    /// The site with the value that the trial gives attributes of this name.
    fn replacing(&self, name: &str) -> Option<usize> {
        let mut changed = self.trial.values.keys().map(|&number| number as usize);
        changed.find(|&number| {
            self.program.sites.get(number).is_some_and(|site| site.kind == Kind::Attribute && site.name == name)
        })
    }

    /// True if the usual value of a class can be used as the code does at a site.
    fn allows(&self, number: usize, class: &str) -> PyResult<bool> {
        let site = self.get(number)?;
        Ok(Class::ALL.iter().find(|known| known.as_str() == class).is_none_or(|&class| satisfies(class, site)))
    }

    /// True for an attribute to which the text before a site assigns a value.
    fn is_assigned_before(&self, number: usize) -> PyResult<bool> {
        let site = self.get(number)?;
        let text = self.program.source.get(..site.start as usize).unwrap_or_default();
        let is_assignment = |(at, read): (usize, &str)| {
            let rest = text[at + read.len()..].trim_start_matches(' ');
            rest.starts_with('=') && !rest.starts_with("==")
        };
        Ok(text.match_indices(&format!(".{}", site.name)).any(is_assignment))
    }

    /// (what is asked, answer, name of what it is compared with) of the guards of a site.
    fn guards(&self, number: u32) -> Vec<(&str, bool, Option<&str>)> {
        let guards = self.program.guards.get(&number).into_iter().flatten();
        guards.map(|guard| (&*guard.question, guard.answer, guard.other.as_deref())).collect()
    }

    /// How many values for `*args`, and which keys of `**kwargs`, callers of a function have to give, and may give.
    fn variadic(&self, function: &str) -> [(u32, Vec<String>); 2] {
        self.program.variadic.get(function).cloned().unwrap_or_default()
    }

    /// Keys that the code reads of the mapping that a parameter is.
    fn keys_of_parameter(&self, name: &str) -> Vec<String> {
        self.program.keys_of_parameters.get(name).cloned().unwrap_or_default()
    }

    /// The first site that reads an attribute of this name.
    fn attribute_site(&self, name: &str) -> Option<usize> {
        self.program.sites.iter().position(|site| site.kind == Kind::Attribute && site.name == name)
    }

    /// The first site that reads a variable of this name.
    fn first_read(&self, name: &str) -> Option<usize> {
        self.program.sites.iter().position(|site| site.kind == Kind::Variable && site.name == name)
    }

    /// The `try` statements of the program.
    #[getter]
    fn handlers(&self) -> Vec<Handler<'_>> {
        handlers_of(&self.program.tries)
    }

    /// (answer, whether it is given each time) that is expected of stand-ins, by line and operation.
    #[getter]
    fn expected_answers(&self) -> HashMap<(u32, &str), (bool, bool)> {
        let expected = self.program.expected.iter();
        expected.map(|one| ((one.line, &*one.operation), (one.answer, one.always))).collect()
    }

    /// What the code compares with the answers of a call of `input()`.
    fn input_texts(&self, site: u32) -> &[String] {
        self.program.input_texts.get(&site).map_or(&[], Vec::as_slice)
    }

    /// An argument or a variable of the environment as the code takes it apart on a line.
    fn outer_text(&self, line: u32) -> Option<&str> {
        self.program.outer_texts.get(&line).map(String::as_str)
    }

    /// Lines of the table that the code reads with `csv` on a line.
    fn table(&self, line: u32) -> Option<&[String]> {
        self.program.tables.get(&line).map(Vec::as_slice)
    }

    /// True for a program that makes tables of a database itself.
    #[getter]
    fn makes_tables(&self) -> bool {
        self.program.source.to_lowercase().contains("create table")
    }

    /// True for a program that reads from `sys.stdin` and was given nothing.
    #[getter]
    fn lacks_input(&self) -> bool {
        self.program.inject_io
            && self.program.input_end == InputEnd::OfFile
            && fstat(io::stdin()).is_ok_and(|input| input.st_size == 0 && input.st_mode & libc::S_IFMT == libc::S_IFREG)
    }

    /// A `from` import by its number: level, module, names, line and column.
    fn import_statement(&self, number: usize) -> Option<(u32, &str, &[String], u32, u32)> {
        let import = self.program.imports.get(number)?;
        Some((import.level, &import.module, &import.names, import.line, import.column))
    }

    /// (modules to import, attribute of the first or None) of a name that is used without its import.
    fn implicit_import(&self, name: &str) -> (&[String], Option<&str>) {
        let import = self.program.implicit_imports.get(name);
        import.map_or((&[], None), |import| (&import.modules, import.attribute.as_deref()))
    }

    /// What the search chose as the answer of a question: a truth value, a number, or a tuple with the name of what is
    /// raised.
    fn choice<'py>(&self, py: Python<'py>, key: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyAny>>> {
        if self.trial.choices.is_empty() {
            return Ok(None);
        }
        let choice = self.trial.choices.get(&*key.to_string_lossy());
        choice
            .map(|choice| match choice {
                Choice::Truth(truth) => truth.into_bound_py_any(py),
                Choice::Count(count) => count.into_bound_py_any(py),
                Choice::Text(text) => text.into_bound_py_any(py),
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

    /// True if something that was made up in this run may reach what a site works on: the object of an attribute, the
    /// callee and the arguments of a call.
    fn is_fed(&self, number: usize) -> PyResult<bool> {
        self.is_fed_with(number, &self.events().made_up)
    }

    /// True for a call that spreads a sequence or a mapping over its arguments.
    fn is_starred(&self, number: usize) -> PyResult<bool> {
        let site = self.get(number)?;
        let text = self.program.source.get(site.start as usize..site.end as usize).unwrap_or_default();
        Ok(text.contains('*'))
    }

    /// True if what some sites got may reach what a site works on.
    fn is_fed_by(&self, number: usize, sites: Vec<usize>) -> PyResult<bool> {
        let mut made_up = MadeUp::default();
        for site in sites {
            made_up.add_site(self.get(site)?);
        }
        self.is_fed_with(number, &made_up)
    }

    /// True if the program gives some object this attribute.
    fn is_assigned_attribute(&self, name: &str) -> bool {
        self.program.written.attributes.contains(name)
    }

    /// True for a name that stands for any type: `T` of `class Box(Generic[T])`.
    fn is_type_parameter(&self, name: &str) -> bool {
        self.program.written.type_parameters.contains(name)
    }

    /// True if a class derived from one of this name is raised or caught.
    fn is_error_base(&self, name: &str) -> bool {
        self.program.written.error_bases.contains(name)
    }

    /// True if a name is one edit, or one swap of neighbours, away from another one: a likely typing error.
    #[staticmethod]
    fn is_misspelt(name: &str, others: &Bound<'_, PyList>) -> bool {
        let is_near = |other: &str| {
            name.chars().count().min(other.chars().count()) >= 4 && strsim::osa_distance(name, other) == 1
        };
        others.iter().any(|other| other.extract::<&str>().is_ok_and(is_near))
    }

    /// The names of a namespace that hold other objects than it held before, and those that it did not have.
    #[staticmethod]
    fn rebound(before: &Bound<'_, PyDict>, now: &Bound<'_, PyDict>) -> PyResult<Vec<Py<PyAny>>> {
        snapshots::rebound(before, now)
    }

    /// Reports that a site got a value, and the access path of the value if it has one.
    #[pyo3(signature = (number, class, value, path=None))]
    fn injected(
        &self,
        number: usize,
        class: &str,
        value: &Bound<'_, PyString>,
        path: Option<&Bound<'_, PyString>>,
    ) -> PyResult<()> {
        let site = self.get(number)?;
        if number >= self.own {
            return Ok(());
        }
        let predicted = self.assigned(number).filter(|assigned| assigned.class.as_str() == class);
        let mut events = self.events();
        if std::mem::replace(&mut events.reported[number], true) {
            return Ok(());
        }
        events.made_up.add_site(site);
        events.emit(&Event::Injected(Injection {
            line: site.line,
            column: site.column,
            kind: site.kind.as_str().to_owned(),
            name: site.name.to_string(),
            class: Class::ALL.iter().any(|known| known.as_str() == class).then(|| class.to_owned()),
            value: value.to_string_lossy().into_owned(),
            probability: predicted.map(|assigned| assigned.probability),
            rank: predicted.map(|assigned| assigned.rank),
            site: Some(number as u32),
            path: path.map(|path| path.to_string_lossy().into_owned()),
        }));
        Ok(())
    }

    /// Reports an answer that a search may change: a truth value, or a number of elements.
    fn chose(&self, key: &Bound<'_, PyString>, line: u32, answer: Choice) {
        self.events().emit(&Event::Chose(Chosen { key: key.to_string_lossy().into_owned(), line, answer }));
    }

    /// Reports that a failure stands because a handler of the code expects it.
    fn expected(&self, key: String, line: u32) {
        self.events().emit(&Event::Expected { key, line });
    }

    /// Reports how an operation that is no site was answered. A negative column is unknown: the line's first then.
    fn answered(&self, line: u32, column: i64, kind: &str, name: &Bound<'_, PyString>, value: &Bound<'_, PyString>) {
        let injection = Injection {
            line: line.min(self.lines.count()),
            column: u32::try_from(column).unwrap_or(0),
            kind: kind.to_owned(),
            name: name.to_string_lossy().into_owned(),
            value: value.to_string_lossy().into_owned(),
            ..Injection::default()
        };
        let mut events = self.events();
        if !injection.is_implicit_import() {
            let start = self.lines.start(injection.line);
            events.made_up.add_place(match u32::try_from(column) {
                Ok(column) => start + column..start + column + 1,
                Err(_) => start..self.lines.start(injection.line + 1).max(start + 1),
            });
        }
        events.emit(&Event::Injected(injection));
    }
}

impl Native {
    fn events(&self) -> MutexGuard<'_, Events> {
        self.events.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn assigned(&self, number: usize) -> Option<Assigned> {
        self.value(number).map(|value| value.assigned)
    }

    /// What a site takes in this run.
    fn value(&self, number: usize) -> Option<&Value> {
        self.changed(number).or_else(|| self.program.assignment.get(number)?.as_ref())
    }

    /// What the trial gives a site instead of what was predicted.
    fn changed(&self, number: usize) -> Option<&Value> {
        self.trial.values.get(&u32::try_from(number).ok()?)
    }

    fn is_fed_with(&self, number: usize, made_up: &MadeUp) -> PyResult<bool> {
        let site = self.get(number)?;
        if number >= self.own {
            return Ok(true);
        }
        let end = match site.kind {
            Kind::Attribute => site.end.saturating_sub(site.name.len() as u32),
            Kind::Variable | Kind::ReturnValue => site.end,
        };
        let origins = &self.program.origins;
        let base = self.program.source.get(site.start as usize..end as usize).unwrap_or_default();
        if site.kind == Kind::Attribute && origins.is_written(base.trim_end_matches(['.', ' '])) {
            return Ok(false);
        }
        let range = site.start..end.max(site.start + 1);
        // An attribute is read of what its object is; a call works on all that it is given.
        let is_read = site.kind == Kind::Attribute;
        Ok(if is_read { origins.may_give(range, made_up) } else { origins.is_reached(range, made_up) })
    }

    fn get(&self, number: usize) -> PyResult<&Site> {
        self.program.sites.get(number).ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such site"))
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
pub(crate) fn handlers_of(tries: &[TryBlock]) -> Vec<Handler<'_>> {
    tries.iter().map(|block| (block.first_line, block.last_line, block.scope_line, &block.catches[..])).collect()
}

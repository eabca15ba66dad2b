//! What the runtime's Python may ask of us: the tables of the run, and a way to tell the parent.

use std::io::{self, Write};
use std::sync::Mutex;

use pyo3::prelude::*;
use surmise_instrument::{LineIndex, Role, Site};

use crate::protocol::{Assigned, Choice, Event, Injection, write_frame};

/// Injections told in one run; a snippet that makes up more is not worth more pages.
const MAX_TOLD: usize = 20_000;

/// The `native` object of `engine.py`.
#[pyclass(frozen)]
pub(crate) struct Native {
    pub(crate) sites: Vec<Site>,
    /// The sites of the program itself come first; the parent is not told of those of modules beside it.
    pub(crate) own: usize,
    pub(crate) assignment: Vec<Option<Assigned>>,
    pub(crate) told: Mutex<Told>,
    /// Of the source as given: answers come with byte columns of it.
    pub(crate) lines: LineIndex,
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
pub(crate) struct Told {
    pub(crate) to: Pipe,
    pub(crate) sites: Vec<bool>,
    pub(crate) count: usize,
}

type SiteRow<'a> = (&'static str, &'a str, Option<&'static str>, &'static str, Option<u16>);

#[pymethods]
impl Native {
    /// (kind, name, class to inject or None, role, elements that a container needs) of a site.
    fn site(&self, number: usize) -> PyResult<SiteRow<'_>> {
        let site = self.get(number)?;
        let assigned = self.assignment.get(number).copied().flatten();
        let role = match site.role {
            Role::Awaited => "awaited",
            Role::Iterated | Role::IteratedInParts | Role::IteratedDeep => "iterated",
            Role::Caught => "caught",
            Role::Raised => "raised",
            Role::Plain | Role::Statement => "",
            _ => "used",
        };
        Ok((
            site.kind.as_str(),
            site.name.as_str(),
            assigned.map(|assigned| class_key(assigned.class)),
            role,
            site.role.elements().max(site.later.elements()),
        ))
    }

    /// True for a local variable that may be unbound.
    fn is_local(&self, number: usize) -> PyResult<bool> {
        Ok(self.get(number)?.local)
    }

    /// Tells that a site got a value.
    fn injected(&self, number: usize, class: &str, value: &str) -> PyResult<()> {
        let site = self.get(number)?;
        if number >= self.own {
            return Ok(());
        }
        let assigned = self.assignment.get(number).copied().flatten();
        let predicted = assigned.filter(|assigned| class_key(assigned.class) == class);
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if std::mem::replace(&mut told.sites[number], true) {
            return Ok(());
        }
        told.tell(Injection {
            line: site.line,
            column: site.column,
            kind: site.kind.as_str().to_owned(),
            name: site.name.to_string(),
            class: class_name(class).map(str::to_owned),
            value: value.to_owned(),
            probability: predicted.map(|assigned| assigned.probability),
            rank: predicted.map(|assigned| assigned.rank),
            site: Some(number as u32),
        });
        Ok(())
    }

    /// Tells of an answer that a search may change: a truth value, or a number of elements.
    fn chose(&self, key: String, line: u32, answer: Answer) {
        let answer = match answer {
            Answer::Truth(truth) => Choice::Truth(truth),
            Answer::Count(count) => Choice::Count(count),
        };
        self.tell(&Event::Chose { key, line, answer });
    }

    /// Tells that a failure was left alone because the code expects it.
    fn expected(&self, key: String, line: u32) {
        self.tell(&Event::Expected { key, line });
    }

    /// Tells how an operation that is no site was answered. A negative column is unknown: the line's first then.
    fn answered(&self, line: u32, column: i64, kind: &str, name: &str, value: &str) {
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        told.tell(Injection {
            line: line.min(self.lines.count()),
            column: u32::try_from(column).unwrap_or(0),
            kind: kind.to_owned(),
            name: name.to_owned(),
            class: None,
            value: value.to_owned(),
            probability: None,
            rank: None,
            site: None,
        });
    }
}

/// What Python says of an answer.
#[derive(Clone, Copy, FromPyObject)]
enum Answer {
    Truth(bool),
    Count(u16),
}

impl Native {
    fn tell(&self, event: &Event) {
        let mut told = self.told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if told.count < MAX_TOLD {
            told.count += 1;
            let _gone = write_frame(told.to, event);
        }
    }

    fn get(&self, number: usize) -> PyResult<&Site> {
        self.sites.get(number).ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("no such site"))
    }
}

impl Told {
    fn tell(&mut self, injection: Injection) {
        if self.count < MAX_TOLD {
            self.count += 1;
            // The parent may be gone; the run ends with it then, so there is nobody to tell.
            let _gone = write_frame(self.to, &Event::Injected(injection));
        }
    }
}

/// The key of a class in `engine.py`: its serialized name.
pub(crate) fn class_key(class: surmise_value_model::Class) -> &'static str {
    use surmise_value_model::Class;
    match class {
        Class::None => "none",
        Class::True => "true",
        Class::False => "false",
        Class::NegativeInt => "negative-int",
        Class::ZeroInt => "zero-int",
        Class::PositiveInt => "positive-int",
        Class::NegativeFloat => "negative-float",
        Class::ZeroFloat => "zero-float",
        Class::PositiveFloat => "positive-float",
        Class::EmptyStr => "empty-str",
        Class::Str => "str",
        Class::EmptyList => "empty-list",
        Class::List => "list",
        Class::EmptyTuple => "empty-tuple",
        Class::Tuple => "tuple",
        Class::EmptySet => "empty-set",
        Class::Set => "set",
        Class::EmptyDict => "empty-dict",
        Class::Dict => "dict",
        Class::Callable => "callable",
        Class::Resource => "resource",
        Class::Object => "object",
    }
}

fn class_name(key: &str) -> Option<&'static str> {
    surmise_value_model::Class::ALL
        .into_iter()
        .find(|&class| class_key(class) == key)
        .map(surmise_value_model::Class::as_str)
}

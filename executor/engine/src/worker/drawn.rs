//! What the policy of comparisons draws, by access path and seed (`runtime/drawn.py`).

use std::ffi::CString;

use adler2::adler32_slice;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyString;
use surmise_instrument::checked::{Equated, in_other_case};
use surmise_instrument::{Kind, Site};
use surmise_value_model::Class;

use crate::plan::shared_key;
use crate::protocol::{Drawing, Literal};

/// Paths are at most so long.
const LONGEST_PATH: usize = 300;
/// Names that logging has: what is below them works, and does not count.
const LOGS: [&str; 9] = ["log", "logs", "logger", "_logger", "_log", "logging", "LOG", "LOGGER", "_LOGGER"];

/// Parts of the names of what holds the name of an encoding, and such names.
const ENCODED: [&str; 3] = ["encoding", "charset", "codec"];
const ENCODINGS: [&str; 4] = ["utf-8", "ascii", "latin-1", "utf-16"];

#[pymethods]
impl Drawing {
    /// One of `count`; always 0 without a seed.
    fn draw(&self, what: &Bound<'_, PyString>, count: u64) -> u64 {
        self.number(&what.to_string_lossy(), count)
    }

    /// True for one in so many: less often in the tame runs, which come farther.
    fn unusual(&self, what: &Bound<'_, PyString>, odds: u64) -> bool {
        let wildness = [0, 2, 1, 1][(self.seed / 2 % 4) as usize];
        self.seed != 0 && wildness > 0 && self.number(&what.to_string_lossy(), odds * wildness) == 1
    }

    /// The old name of a parameter or a definition that was renamed.
    fn alias<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.old(name)
    }

    /// The old name of an attribute or a method that was renamed.
    fn member<'a>(&'a self, name: &'a str) -> &'a str {
        self.aliases.member(name)
    }

    /// (class, literal) of a kind and name of use: `attribute:total`.
    fn class_of(&self, key: &str) -> (&'static str, (&'static str, Option<Literal>)) {
        match self.classes.get(&self.aliases.key(key)) {
            Some((class, literal)) => (class.as_str(), Literal::with_kind(literal.as_ref())),
            None => (Class::Object.as_str(), Literal::with_kind(None)),
        }
    }

    /// True for the kind and name of a use whose values hold something.
    fn is_container(&self, key: &str) -> bool {
        self.containers.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use that is always called: functions of the module stay callable, also where a
    /// version hands them to `map`.
    fn is_called(&self, key: &str) -> bool {
        self.called.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use whose values have to be objects of some class.
    fn is_object(&self, key: &str) -> bool {
        self.objects.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use whose values a version calls.
    fn is_callable(&self, key: &str) -> bool {
        self.callables.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use that versions ask in different ways what it holds.
    fn is_mapping(&self, key: &str) -> bool {
        self.mappings.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use whose values are lists for the same reason.
    fn is_sequence(&self, key: &str) -> bool {
        self.sequences.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use whose values are texts for the same reason.
    fn is_text(&self, key: &str) -> bool {
        self.asked_as_texts.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use that a version asks whether it is a text.
    fn is_told_from_texts(&self, key: &str) -> bool {
        self.told_from_texts.contains(&self.aliases.key(key))
    }

    /// True for the kind and name of a use whose values are `True` or `False`.
    fn is_flag(&self, key: &str) -> bool {
        self.flags.contains(&self.aliases.key(key))
    }

    /// Texts and numbers that a version compares with the values of a kind and name of use.
    fn equated(&self, py: Python<'_>, key: &str) -> PyResult<Vec<Py<PyAny>>> {
        let found = self.equated.get(&self.aliases.key(key)).into_iter().flatten();
        let found = found.map(|constant| match constant {
            Equated::Text(text) => text.into_py_any(py),
            Equated::Number(number) => number.into_py_any(py),
        });
        found.collect()
    }

    /// True for the kind and name of a use that one version writes as a whole number, or that the versions count with
    /// in different ways.
    fn is_whole(&self, key: &str) -> bool {
        self.whole.contains(&self.aliases.key(key))
    }

    /// True for what belongs to a logger; what is in the arguments of a call is not the call's own.
    fn is_log(&self, path: &str) -> bool {
        if self.strict_logging {
            return false;
        }
        let (mut outside, mut depth) = (String::new(), 0);
        for letter in path.chars() {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            if depth == 0 && letter != ')' {
                outside.push(letter);
            }
        }
        outside.split('.').any(|name| LOGS.contains(&name) || name == "__logger")
    }

    /// Another value of a class for each path, often one that the code names itself; `None` for the usual one.
    fn constant(&self, py: Python<'_>, class: &str, path: &Bound<'_, PyString>) -> PyResult<Option<Py<PyAny>>> {
        if self.seed == 0 {
            return Ok(None);
        }
        let path = path.to_string_lossy();
        let what = format!("{path}:value");
        let pick = |count: usize| self.number(&what, count as u64) as usize;
        let value = match class {
            "non-empty string" => self.text(&path, &what).into_pyobject(py)?.into_any(),
            "positive integer" => {
                let own = self.numbers.iter().map(|number| number.saturating_abs()).filter(|&number| number > 1);
                if self.is_exact() && own.clone().next().is_some() {
                    let own: Vec<i64> = own.collect();
                    return Ok(Some(own[pick(own.len())].into_pyobject(py)?.into_any().unbind()));
                }
                let near = self.numbers.iter().map(|number| number.saturating_abs());
                let near = near.flat_map(|number| [0, 0, 1, -1].map(|step| number.saturating_add(step)));
                let mut pool: Vec<i64> = near.filter(|&number| number > 0).collect();
                pool.extend([1, 2, 3, 7 + self.number(&path, 90) as i64, 1_000, 1_000_000]);
                let place = pick(pool.len() + self.exponents().count());
                if let Some(number) = pool.get(place) {
                    number.into_pyobject(py)?.into_any()
                } else {
                    // What a number of the code is the exponent of, rounded up.
                    let exponent = self.exponents().nth(place - pool.len()).unwrap_or_default();
                    py.eval(&CString::new(format!("10 ** {exponent}"))?, None, None)?
                }
            }
            "negative integer" => {
                let own = self.numbers.iter().filter(|number| **number > 3).map(|number| -number);
                let pool: Vec<i64> = [-1, -2, -3, -1, -2, -3, -70].into_iter().chain(own).collect();
                pool[pick(pool.len())].into_pyobject(py)?.into_any()
            }
            "positive float" => {
                let mut pool = vec![1.0, 0.5, 2.5, 0.29, 7.25 + self.number(&path, 50) as f64];
                pool.extend(self.exponents().flat_map(|exponent| [10_f64.powi(exponent), 10_f64.powi(-exponent)]));
                pool[pick(pool.len())].into_pyobject(py)?.into_any()
            }
            "negative float" => [-1.0_f64, -0.5, -2.5, -0.05][pick(4)].into_pyobject(py)?.into_any(),
            _ => return Ok(None),
        };
        Ok(Some(value.unbind()))
    }
}

impl Drawing {
    /// The access path as both versions have it. What it continues has been renamed before.
    pub(crate) fn renamed(&self, path: &str) -> String {
        let end = path.find(['.', '[', '(']).unwrap_or(path.len());
        let (head, rest) = (self.alias(&path[..end]), &path[end..]);
        match rest.rsplit_once('.') {
            Some((between, last)) => format!("{head}{between}.{}", self.aliases.member(last)),
            None => format!("{head}{rest}"),
        }
    }

    /// How many elements a version takes of the variable of a site.
    pub(crate) fn elements(&self, site: &Site) -> Option<u16> {
        self.counts.get(&shared_key(site, &self.aliases)).copied()
    }

    /// Numbers of the code that may be exponents of ten, as those of prefixes and of rounding.
    fn exponents(&self) -> impl Iterator<Item = i32> {
        let numbers = self.numbers.iter().map(|number| number.unsigned_abs());
        numbers.filter_map(|number| i32::try_from(number).ok()).filter(|number| (3..=300).contains(number))
    }

    fn text(&self, path: &str, what: &str) -> String {
        let last = path.rsplit('.').next().unwrap_or_default();
        // Without its number: elements are in no order.
        let own: String = last.chars().filter(|letter| letter.is_alphabetic()).take(8).collect();
        let own = if own.is_empty() { "a" } else { &own };
        if ENCODED.iter().any(|name| last.to_lowercase().contains(name)) && self.number(&format!("{what}:known"), 4) > 0
        {
            return ENCODINGS[self.number(&format!("{what}:encoding"), ENCODINGS.len() as u64) as usize].to_owned();
        }
        if !self.characters.is_empty() && self.number(&format!("{what}:character"), 4) == 1 {
            let character = &self.characters[self.number(path, self.characters.len() as u64) as usize];
            return format!("{own}{character}{own}");
        }
        let is_exact = self.is_exact();
        if self.texts.is_empty() || !is_exact && self.number(what, 5) < 2 {
            return format!("{own}{}", self.number(path, 10));
        }
        let text = &self.texts[self.number(&format!("{what}:text"), self.texts.len() as u64) as usize];
        if is_exact {
            return text.clone();
        }
        match self.number(&format!("{what}:form"), 7) {
            5 => self.joined(own, text, what),
            6 => in_other_case(text),
            0 | 1 => text.clone(),
            2 => format!("{own}{text}b"),
            3 => format!("{text}{own}"),
            _ => format!("{own}{text}"),
        }
    }

    /// True for a third of the runs, whose texts and numbers are those of the code: several comparisons hold at once.
    fn is_exact(&self) -> bool {
        self.number("exact", 3) == 1
    }

    /// Two texts with a separator of the code between them.
    fn joined(&self, own: &str, text: &str, what: &str) -> String {
        let is_separator = |text: &&String| text.len() < 4 && !text.chars().any(char::is_alphanumeric);
        let separators: Vec<&String> = self.texts.iter().filter(is_separator).collect();
        let Some(separator) =
            separators.get(self.number(&format!("{what}:separator"), separators.len() as u64) as usize)
        else {
            return format!("{own}{text}");
        };
        if self.number(&format!("{what}:order"), 2) == 0 {
            return format!("{own}{separator}{text}");
        }
        format!("{text}{separator}{own}")
    }

    /// The calls that fail in this run, whatever is called.
    pub(crate) fn failing(&self, sites: &[Site]) -> Vec<usize> {
        if !self.classes.values().any(|(_, literal)| matches!(literal, Some(Literal::Raises(_)))) {
            return Vec::new();
        }
        let fails = |site: &Site| {
            let known = self.classes.get(&self.aliases.key(&format!("return value:{}", site.name)));
            site.kind == Kind::ReturnValue && matches!(known, Some((_, Some(Literal::Raises(_)))))
        };
        sites.iter().enumerate().filter(|(_, site)| fails(site)).map(|(number, _)| number).collect()
    }

    fn number(&self, what: &str, count: u64) -> u64 {
        if self.seed == 0 { 0 } else { (self.hash(what) >> 8) % count.max(1) }
    }

    /// 64 bits that are the same in every process.
    fn hash(&self, text: &str) -> u64 {
        let bytes = text.as_bytes();
        let mut mixed = u64::from(crc32fast::hash(bytes)) | u64::from(adler32_slice(bytes)) << 32;
        mixed ^= self.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        for (shift, factor) in [(30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)] {
            mixed = (mixed ^ (mixed >> shift)).wrapping_mul(factor);
        }
        mixed ^ (mixed >> 31)
    }
}

/// An access path cut to the longest length allowed: a hash replaces the end of a longer one, so cutting twice changes
/// nothing.
pub(crate) fn shortened(path: String) -> String {
    if path.chars().count() <= LONGEST_PATH {
        return path;
    }
    let start: String = path.chars().take(LONGEST_PATH - 9).collect();
    format!("{start}~{:08x}", crc32fast::hash(path.as_bytes()))
}

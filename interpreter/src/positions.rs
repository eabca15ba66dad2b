//! Gives compiled code the positions of the source it was rewritten from.
//!
//! CPython 3.11 and newer keep a column range for every instruction (`Objects/locations.md` in its sources describes
//! the encoding). Tracebacks print it, so the ranges must be the source's own. Older versions keep lines only, which
//! rewriting does not change: code of theirs stays as it is.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCode, PyDict, PyTuple};

/// Start and end as line (from 1) and column (bytes, from 0).
type Range = std::ops::Range<(u32, u32)>;

/// The code with every range mapped by `to_source`, nested code objects included; a range that `to_source` does not
/// know stays.
pub fn remap<'py>(
    code: &Bound<'py, PyAny>,
    to_source: &impl Fn(Range) -> Option<Range>,
) -> PyResult<Bound<'py, PyAny>> {
    if cfg!(not(Py_3_11)) {
        return Ok(code.clone());
    }
    let py = code.py();
    let changes = PyDict::new(py);
    let table = code.getattr("co_linetable")?;
    let first_line: i64 = code.getattr("co_firstlineno")?.extract()?;
    if let Some(mapped) = map_table(table.cast::<PyBytes>()?.as_bytes(), first_line, to_source) {
        changes.set_item("co_linetable", PyBytes::new(py, &mapped))?;
    }
    let constants = code.getattr("co_consts")?;
    let constants = constants.cast::<PyTuple>()?;
    if constants.iter().any(|constant| constant.is_instance_of::<PyCode>()) {
        let mapped: Vec<Bound<'py, PyAny>> = constants
            .iter()
            .map(
                |constant| if constant.is_instance_of::<PyCode>() { remap(&constant, to_source) } else { Ok(constant) },
            )
            .collect::<PyResult<_>>()?;
        changes.set_item("co_consts", PyTuple::new(py, mapped)?)?;
    }
    code.call_method("replace", (), Some(&changes))
}

/// One run of instructions with the same position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    units: u8,
    place: Place,
}

/// What the table tells of one run; numbers are as wide as a hostile table can make them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    None,
    Line(i64),
    Range { line: i64, end_line: i64, column: i64, end_column: i64 },
}

impl Place {
    fn map(self, to_source: &impl Fn(Range) -> Option<Range>) -> Self {
        let Self::Range { line, end_line, column, end_column } = self else {
            return self;
        };
        let number = |value: i64| u32::try_from(value).ok();
        let mapped = || to_source((number(line)?, number(column)?)..(number(end_line)?, number(end_column)?));
        mapped().map_or(self, |Range { start, end }| Self::Range {
            line: start.0.into(),
            end_line: end.0.into(),
            column: start.1.into(),
            end_column: end.1.into(),
        })
    }
}

fn map_table(table: &[u8], first_line: i64, to_source: &impl Fn(Range) -> Option<Range>) -> Option<Vec<u8>> {
    let entries = decode(table, first_line)?.into_iter();
    let mapped: Vec<Entry> = entries.map(|entry| Entry { place: entry.place.map(to_source), ..entry }).collect();
    Some(encode(&mapped, first_line))
}

fn decode(table: &[u8], first_line: i64) -> Option<Vec<Entry>> {
    let mut bytes = table.iter().copied();
    let mut entries = Vec::new();
    let mut line = first_line;
    while let Some(head) = bytes.next() {
        let units = (head & 7) + 1;
        let place = match (head >> 3) & 15 {
            15 => Place::None,
            14 => {
                line += signed(&mut bytes)?;
                let end_line = line + unsigned(&mut bytes)?;
                let column = unsigned(&mut bytes)? - 1;
                let end_column = unsigned(&mut bytes)? - 1;
                Place::Range { line, end_line, column, end_column }
            }
            13 => {
                line += signed(&mut bytes)?;
                Place::Line(line)
            }
            code @ 10..=12 => {
                line += i64::from(code) - 10;
                let column = bytes.next()?.into();
                let end_column = bytes.next()?.into();
                Place::Range { line, end_line: line, column, end_column }
            }
            code => {
                let low = bytes.next()?;
                let column = i64::from(code) * 8 + i64::from(low >> 4);
                let end_column = column + i64::from(low & 15);
                Place::Range { line, end_line: line, column, end_column }
            }
        };
        entries.push(Entry { units, place });
    }
    Some(entries)
}

fn unsigned(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let (mut value, mut shift) = (0i64, 0);
    loop {
        let byte = bytes.next()?;
        value |= i64::from(byte & 63) << shift;
        shift += 6;
        if byte & 64 == 0 {
            return Some(value);
        }
        if shift > 48 {
            return None;
        }
    }
}

fn signed(bytes: &mut impl Iterator<Item = u8>) -> Option<i64> {
    let value = unsigned(bytes)?;
    Some(if value & 1 == 1 { -(value >> 1) } else { value >> 1 })
}

fn encode(entries: &[Entry], first_line: i64) -> Vec<u8> {
    let mut out = Vec::with_capacity(entries.len() * 4);
    let mut line = first_line;
    for entry in entries {
        let head = |code: u8| 0x80 | (code << 3) | (entry.units - 1);
        match entry.place {
            Place::None => out.push(head(15)),
            Place::Line(at) => {
                out.push(head(13));
                write_signed(&mut out, at - line);
                line = at;
            }
            Place::Range { line: at, end_line, column, end_column } => {
                let (delta, width) = (at - line, end_column - column);
                let one_line = at == end_line && column >= 0;
                if one_line && delta == 0 && column < 80 && (0..16).contains(&width) {
                    out.push(head((column / 8) as u8));
                    out.push((((column % 8) as u8) << 4) | width as u8);
                } else if one_line && (0..3).contains(&delta) && column < 128 && (0..128).contains(&end_column) {
                    out.push(head(10 + delta as u8));
                    out.push(column as u8);
                    out.push(end_column as u8);
                } else {
                    out.push(head(14));
                    write_signed(&mut out, delta);
                    write_unsigned(&mut out, (end_line - at).max(0));
                    write_unsigned(&mut out, column + 1);
                    write_unsigned(&mut out, end_column + 1);
                }
                line = at;
            }
        }
    }
    out
}

fn write_unsigned(out: &mut Vec<u8>, value: i64) {
    let mut value = value.max(0);
    while value >= 64 {
        out.push(64 | (value & 63) as u8);
        value >>= 6;
    }
    out.push(value as u8);
}

fn write_signed(out: &mut Vec<u8>, value: i64) {
    write_unsigned(out, if value < 0 { (-value << 1) | 1 } else { value << 1 });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoding_is_the_inverse_of_decoding() {
        let range = |line, end_line, column, end_column| Place::Range { line, end_line, column, end_column };
        let places = [
            range(5, 5, 3, 9),
            Place::Line(4),
            range(4, 4, 90, 100),
            range(6, 9, 2, 1),
            Place::None,
            range(1, 1, 300, 1000),
            range(3, 3, 70, 90),
        ];
        let entries: Vec<Entry> = places.into_iter().map(|place| Entry { units: 3, place }).collect();
        assert_eq!(decode(&encode(&entries, 5), 5).as_deref(), Some(entries.as_slice()));
    }

    #[test]
    fn truncated_tables_are_refused() {
        assert_eq!(decode(&[0x80 | (14 << 3), 0x40], 1), None);
    }
}

//! Questions with the conditions that answer them, as one file that can be carried to where training runs: safetensors,
//! compressed by zstd.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use crate::encoding::{column, numbers, packed, unpacked, values};

const SCHEMA: &str = "surmise.questions/1";
/// Most bytes of a file, packed or not.
const MAX_BYTES: u64 = 2 << 30;
/// Names of the columns with the tokens of texts, and with their ends: questions, conditions, negations.
const COLUMNS: [[&str; 2]; 3] = [["tokens.0", "ends.0"], ["tokens.1", "ends.1"], ["tokens.2", "ends.2"]];

/// What a question serves for; those of one project stay together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// It is learned from.
    Train,
    /// Choices are made on it.
    Dev,
}

/// Why questions cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("`{path}`: {problem}", path = path.display())]
pub struct QuestionsError {
    path: PathBuf,
    problem: String,
}

/// Questions, their answers, and the logical negations of these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions {
    parts: Vec<Part>,
    /// What is read, what is to be written, and its negation; each one after the other, with the ends.
    texts: [(Vec<u16>, Vec<u32>); 3],
}

/// A question with its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked<'q> {
    /// What it serves for.
    pub part: Part,
    /// What is read.
    pub question: &'q [u16],
    /// The condition, without a token for its end.
    pub condition: &'q [u16],
    /// The negation of the condition; empty if it has none in normal form.
    pub negation: &'q [u16],
}

impl Questions {
    /// Adds a question.
    pub fn push(&mut self, asked: Asked<'_>) {
        self.parts.push(asked.part);
        for ((tokens, ends), text) in self.texts.iter_mut().zip([asked.question, asked.condition, asked.negation]) {
            tokens.extend_from_slice(text);
            ends.push(tokens.len() as u32);
        }
    }

    /// Number of questions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// A question.
    ///
    /// # Panics
    /// If there is none of that number.
    #[must_use]
    pub fn get(&self, at: usize) -> Asked<'_> {
        let [question, condition, negation] = [0, 1, 2].map(|which| {
            let (tokens, ends) = &self.texts[which];
            let start = at.checked_sub(1).map_or(0, |before| ends[before]) as usize;
            &tokens[start..ends[at] as usize]
        });
        Asked { part: self.parts[at], question, condition, negation }
    }

    /// Numbers of the questions of a part.
    #[must_use]
    pub fn of(&self, part: Part) -> Vec<usize> {
        (0..self.len()).filter(|&at| self.parts[at] == part).collect()
    }

    /// Writes them, the whole file or none of it.
    ///
    /// # Errors
    /// [`QuestionsError`]
    pub fn write(&self, path: &Path) -> Result<(), QuestionsError> {
        let mut columns = vec![("parts", Dtype::U8, column(&self.parts, |part| [*part as u8]))];
        for ((tokens, ends), names) in self.texts.iter().zip(COLUMNS) {
            columns.push((names[0], Dtype::U16, column(tokens, |token| token.to_le_bytes())));
            columns.push((names[1], Dtype::U32, column(ends, |end| end.to_le_bytes())));
        }
        let metadata = HashMap::from([("schema".to_owned(), SCHEMA.to_owned())]);
        let written = packed(&columns, metadata).and_then(|packed| crate::files::replace(path, &packed));
        written.map_err(|error| Self::said(path, &error))
    }

    /// Reads them, and checks that they are whole and have tokens of a vocabulary of that size only.
    ///
    /// # Errors
    /// [`QuestionsError`]
    pub fn read(path: &Path, vocabulary: usize) -> Result<Self, QuestionsError> {
        let read = crate::files::read(path, MAX_BYTES).map_err(|error| Self::said(path, &error))?;
        // Another program may have unpacked it.
        let is_packed = read.starts_with(&zstd::zstd_safe::MAGICNUMBER.to_le_bytes());
        let data = if is_packed { unpacked(&read, MAX_BYTES) } else { Ok(read) };
        let data = data.map_err(|error| Self::said(path, &error))?;
        Self::parse(&data, vocabulary).map_err(|problem| QuestionsError { path: path.to_owned(), problem })
    }

    fn said(path: &Path, problem: &dyn std::fmt::Display) -> QuestionsError {
        QuestionsError { path: path.to_owned(), problem: problem.to_string() }
    }

    fn parse(data: &[u8], vocabulary: usize) -> Result<Self, String> {
        let said = |error: safetensors::SafeTensorError| error.to_string();
        let (_, metadata) = SafeTensors::read_metadata(data).map_err(said)?;
        let schema = metadata.metadata().as_ref().and_then(|metadata| metadata.get("schema"));
        if schema.map(String::as_str) != Some(SCHEMA) {
            return Err(format!("its schema is not `{SCHEMA}`"));
        }
        let tensors = SafeTensors::deserialize(data).map_err(said)?;
        let parts: Option<Vec<Part>> = values(&tensors, "parts", Dtype::U8)?
            .iter()
            .map(|part| [Part::Train, Part::Dev].get(usize::from(*part)).copied())
            .collect();
        let parts = parts.ok_or("it has a part that is none")?;
        let mut texts: [(Vec<u16>, Vec<u32>); 3] = Default::default();
        for ((tokens, ends), names) in texts.iter_mut().zip(COLUMNS) {
            *tokens = numbers(values(&tensors, names[0], Dtype::U16)?, u16::from_le_bytes);
            *ends = numbers(values(&tensors, names[1], Dtype::U32)?, u32::from_le_bytes);
            let is_whole = ends.len() == parts.len()
                && ends.is_sorted()
                && ends.last().is_none_or(|end| *end as usize == tokens.len());
            if !is_whole {
                return Err(format!("`{}` is not in order", names[1]));
            }
            if tokens.iter().any(|&token| usize::from(token) >= vocabulary) {
                return Err(format!("`{}` has tokens of another vocabulary", names[0]));
            }
        }
        Ok(Self { parts, texts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_survive_their_file_and_damage_is_named() {
        let mut all = Questions::default();
        let first = Asked { part: Part::Train, question: &[5, 6, 7], condition: &[8], negation: &[9, 10] };
        let second = Asked { part: Part::Dev, question: &[11], condition: &[12, 13], negation: &[] };
        all.push(first);
        all.push(second);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.zst");
        all.write(&path).expect("written");
        let read = Questions::read(&path, 14).expect("read");
        assert_eq!((read.len(), read.get(0), read.get(1), read.of(Part::Dev)), (2, first, second, vec![1]));
        assert!(Questions::read(&path, 13).is_err(), "a token of another vocabulary");
        let whole = std::fs::read(&path).expect("bytes");
        std::fs::write(&path, &whole[..whole.len() - 3]).expect("cut");
        assert!(Questions::read(&path, 14).is_err());
        let mut wrong = all.clone();
        wrong.texts[0].1[0] = 9;
        wrong.write(&path).expect("written");
        assert!(Questions::read(&path, 14).is_err(), "an end outside");
    }
}

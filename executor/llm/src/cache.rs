//! Answers on disk, by question and model.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use surmise_value_model::files;

use crate::question::{Answer, Question, Usage};

/// Bytes of an entry that are read at most: an answer, escaped.
const MOST_BYTES: u64 = 16 << 20;
/// Names the form of entries and of requests: others are not found.
const FORM: &str = "surmise.llm-answer/1";

/// A folder with a file for each answered question. It holds answers and token counts, neither questions nor the key.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    form: String,
    text: String,
    usage: Usage,
    is_cut: bool,
}

impl Cache {
    /// A cache in a folder, which is made when the first answer is kept.
    #[must_use]
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// The folder of the user's caches, by the XDG base directory specification; `None` without a home.
    #[must_use]
    pub fn usual() -> Option<Self> {
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let caches = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
        Some(Self::new(caches.join("surmise").join("llm")))
    }

    fn file(&self, model: &str, question: &Question) -> PathBuf {
        let mut hash = Sha256::new();
        let schema = question.schema.as_ref().map(|schema| schema.schema.to_string()).unwrap_or_default();
        let tokens = question.most_tokens.to_string();
        for part in [FORM, model, &question.system, &question.user, &schema, &tokens] {
            // With their lengths, so that parts cannot flow into each other.
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let name = format!("{:x}", hash.finalize());
        self.folder.join(&name[..2]).join(format!("{name}.json"))
    }

    /// The answer to a question; `None` if it is not there or damaged.
    pub(crate) fn find(&self, model: &str, question: &Question) -> Option<Answer> {
        let data = files::read(&self.file(model, question), MOST_BYTES).ok()?;
        let Entry { form, text, usage, is_cut } = serde_json::from_slice(&data).ok()?;
        (form == FORM).then_some(Answer { text, usage, is_cut, is_cached: true })
    }

    /// Keeps an answer.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn keep(&self, model: &str, question: &Question, answer: &Answer) -> std::io::Result<()> {
        let path = self.file(model, question);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        let Answer { text, usage, is_cut, .. } = answer.clone();
        let data = serde_json::to_vec(&Entry { form: FORM.to_owned(), text, usage, is_cut })?;
        files::replace(&path, &data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(system: &str, user: &str) -> Question {
        Question { system: system.into(), user: user.into(), most_tokens: 10, schema: None }
    }

    #[test]
    fn an_answer_is_found_by_its_question_and_model_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::new(folder.path().join("new"));
        let asked = question("ab", "c");
        assert!(cache.find("m", &asked).is_none());
        let answer = Answer { text: "42".into(), usage: Usage::default(), is_cut: false, is_cached: false };
        cache.keep("m", &asked, &answer).expect("kept");
        assert_eq!(cache.find("m", &asked), Some(Answer { is_cached: true, ..answer }));
        assert!(cache.find("other", &asked).is_none());
        assert!(cache.find("m", &question("a", "bc")).is_none());
        assert!(cache.find("m", &Question { most_tokens: 11, ..asked.clone() }).is_none());
        for damage in [
            "",
            "{\"form\":\"surmise.llm-answer/1\",\"te",
            "{\"form\":\"x\",\"text\":\"\",\"usage\":{},\"is_cut\":false}",
        ] {
            std::fs::write(cache.file("m", &asked), damage).expect("written");
            assert!(cache.find("m", &asked).is_none(), "{damage}");
        }
    }
}

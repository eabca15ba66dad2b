//! Byte-level BPE in `CodeT5`'s family (Wang et al. 2021, section 3.1; reference: `RobertaTokenizer` of transformers).

use std::io::ErrorKind;
use std::path::Path;

use tokenizers::models::bpe::{BPE, BpeTrainer};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::split::{Split, SplitPattern};
use tokenizers::tokenizer::SplitDelimiterBehavior;
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, Tokenizer,
    TokenizerBuilder,
};

use super::roberta;
use crate::{Class, files};

/// Special tokens before the `<extra_id_…>` ones, in `CodeT5`'s order.
const SPECIAL: [&str; 5] = ["<pad>", "<s>", "</s>", "<unk>", "<mask>"];
/// Number of extra tokens: `CodeT5` has `<extra_id_0>` to `<extra_id_99>`.
const EXTRA: usize = 100;
/// Most bytes of a `tokenizer.json`: no tokenizer of this family has more.
const MAX_FILE: u64 = 64 << 20;
/// Number of extra tokens that stand for the classes, `<extra_id_0>` and on.
pub const CLASS_TOKENS: usize = Class::ALL.len();
/// Number of extra tokens that serve as marks, those after the classes.
pub const MARKS: usize = EXTRA - CLASS_TOKENS;

/// Splits a source before BPE: brackets, dots, commas and colons are tokens of their own, so that no two sites end in
/// the same token; words keep the space before them, and underscores, as in GPT-2.
const PATTERN: &str = r"[ ]?[\p{L}_]+|[ ]?\p{N}{1,3}|[()\[\]{}.,:]|[ ]?[^\s\p{L}\p{N}_()\[\]{}.,:]+|\s+(?!\S)|\s+";

/// Why a tokenizer cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BadVocabulary {
    /// The file is no `tokenizer.json`.
    #[error("not a tokenizer: {0}")]
    Format(String),
    /// A file of the tokenizer cannot be read.
    #[error("`{name}`: {error}")]
    File {
        /// Name of the file in the folder.
        name: &'static str,
        /// Error of the operating system.
        error: std::io::Error,
    },
    /// The tokenizer lacks a token that the model needs.
    #[error("the tokenizer has no token `{0}`")]
    Missing(String),
    /// The library cannot train a tokenizer on the texts.
    #[error("the tokenizer cannot be trained: {0}")]
    Training(String),
}

/// The tokens of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tokens {
    /// Numbers of the tokens.
    pub ids: Vec<u32>,
    /// Byte at which each token starts.
    pub starts: Vec<u32>,
}

impl Tokens {
    /// Number of tokens that start before a byte; a mark for that byte stands after them.
    pub fn before(&self, byte: usize) -> usize {
        self.starts.partition_point(|&start| (start as usize) < byte)
    }
}

/// A tokenizer and its special tokens.
#[derive(Debug)]
pub struct Vocabulary {
    tokenizer: Tokenizer,
    pad: u32,
    separator: u32,
    extra: Vec<u32>,
}

impl Vocabulary {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    /// If it is malformed or lacks the padding or the `<extra_id_…>` tokens.
    pub fn from_json(json: &[u8]) -> Result<Self, BadVocabulary> {
        Self::new(Tokenizer::from_bytes(json).map_err(|error| BadVocabulary::Format(error.to_string()))?)
    }

    /// Reads a folder's `tokenizer.json`, or else the files of a `RobertaTokenizer`: `vocab.json`, `merges.txt`, and
    /// those of the special tokens.
    ///
    /// # Errors
    /// As [`from_json`](Self::from_json), with the name of the file at fault; an error of the operating system.
    pub fn open(folder: &Path) -> Result<Self, BadVocabulary> {
        let name = "tokenizer.json";
        match files::read(&folder.join(name), MAX_FILE) {
            Ok(json) => Self::from_json(&json),
            Err(error) if error.kind() == ErrorKind::NotFound && folder.join("vocab.json").exists() => {
                Self::new(roberta::open(folder).map_err(BadVocabulary::Format)?)
            }
            Err(error) => Err(BadVocabulary::File { name, error }),
        }
    }

    fn new(mut tokenizer: Tokenizer) -> Result<Self, BadVocabulary> {
        // A source that spells `<pad>` or `<extra_id_0>` means that text.
        tokenizer.set_encode_special_tokens(true);
        let id = |name: &str| tokenizer.token_to_id(name).ok_or_else(|| BadVocabulary::Missing(name.to_owned()));
        let (pad, separator) = (id("<pad>")?, id("</s>")?);
        let extra = (0..EXTRA).map(|number| id(&format!("<extra_id_{number}>"))).collect::<Result<_, _>>()?;
        Ok(Self { tokenizer, pad, separator, extra })
    }

    /// Trains a tokenizer of `size` tokens on texts.
    ///
    /// # Errors
    /// If the library cannot train one.
    pub fn train(texts: impl Iterator<Item = String> + Send, size: usize) -> Result<Self, BadVocabulary> {
        let failed = |error: tokenizers::Error| BadVocabulary::Training(error.to_string());
        let pattern = SplitPattern::Regex(PATTERN.to_owned());
        let split = Split::new(pattern, SplitDelimiterBehavior::Isolated, false).map_err(failed)?;
        let bytes = ByteLevel::new(false, true, false);
        let mut tokenizer =
            TokenizerBuilder::<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>::new(
            )
            .with_model(BPE::default())
            .with_pre_tokenizer(Some(Sequence::new(vec![split.into(), bytes.into()]).into()))
            .with_decoder(Some(bytes.into()))
            .build()
            .map_err(failed)?;
        let special = SPECIAL.iter().map(|&name| name.to_owned());
        let special = special.chain((0..EXTRA).map(|number| format!("<extra_id_{number}>")));
        let mut trainer = BpeTrainer::builder()
            .show_progress(false)
            .vocab_size(size)
            .min_frequency(2)
            .initial_alphabet(ByteLevel::alphabet().into_iter().collect())
            .special_tokens(special.map(|name| AddedToken::from(name, true)).collect())
            .build();
        tokenizer.train(&mut trainer, texts).map_err(failed)?;
        let json = tokenizer.to_string(false).map_err(failed)?;
        Self::from_json(json.as_bytes())
    }

    /// The content of a `tokenizer.json`.
    ///
    /// # Errors
    /// If the library cannot write it.
    pub fn to_json(&self) -> Result<String, BadVocabulary> {
        self.tokenizer.to_string(false).map_err(|error| BadVocabulary::Format(error.to_string()))
    }

    /// Number of tokens, special ones included.
    pub fn size(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// Splits a text into tokens.
    pub fn encode(&self, text: &str) -> Tokens {
        // Byte-level BPE has a token for every byte: only a tokenizer from elsewhere can fail.
        let Ok(encoding) = self.tokenizer.encode(text, false) else { return Tokens::default() };
        Tokens {
            ids: encoding.get_ids().to_vec(),
            starts: encoding.get_offsets().iter().map(|&(start, _)| start as u32).collect(),
        }
    }

    /// Number of the padding token.
    pub fn pad(&self) -> u32 {
        self.pad
    }

    /// Number of the token between the parts of a query, `</s>`.
    pub fn separator(&self) -> u32 {
        self.separator
    }

    /// The tokens as the tokenizer writes them, by number.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        (0..self.size() as u32).map(|id| self.tokenizer.id_to_token(id).unwrap_or_default())
    }

    /// The tokens of the classes, in the order of [`Class::ALL`].
    pub fn classes(&self) -> &[u32] {
        &self.extra[..CLASS_TOKENS]
    }

    /// The tokens that serve as marks.
    pub fn marks(&self) -> &[u32] {
        &self.extra[CLASS_TOKENS..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small() -> Vocabulary {
        let text = "def area(shape):\n    return shape.width * shape.height\n";
        Vocabulary::train(std::iter::repeat_n(text.to_owned(), 8), 500).expect("it learns")
    }

    #[test]
    fn every_text_is_covered_and_brackets_stand_alone() {
        let vocabulary = small();
        let text = "été = f(g(x)).area[0]\n\t<pad><extra_id_3>\u{1f40d}\0\r\n";
        let tokens = vocabulary.encode(text);
        assert_eq!(tokens.starts[0], 0);
        assert!(tokens.starts.is_sorted());
        for bracket in ["(", ")", "[", "]", "."] {
            for (start, _) in text.match_indices(bracket) {
                let at = tokens.before(start);
                assert_eq!(tokens.starts[at] as usize, start, "`{bracket}` starts a token");
                assert_eq!(tokens.starts[at + 1] as usize, start + 1, "and ends it");
            }
        }
        assert!(tokens.ids.iter().all(|id| !vocabulary.extra.contains(id) && *id != vocabulary.pad()));
    }

    #[test]
    fn a_vocabulary_survives_its_file() {
        let vocabulary = small();
        let again = Vocabulary::from_json(vocabulary.to_json().expect("JSON").as_bytes()).expect("the same");
        assert_eq!(again.size(), vocabulary.size());
        let text = "class Shape: area = None";
        assert_eq!(again.encode(text), vocabulary.encode(text));
        assert!(matches!(Vocabulary::from_json(b"{}"), Err(BadVocabulary::Format(_))));
        let json = vocabulary.to_json().expect("JSON").replace("<extra_id_7>", "<extra_id_x>");
        assert!(matches!(Vocabulary::from_json(json.as_bytes()), Err(BadVocabulary::Missing(_))));
    }
}

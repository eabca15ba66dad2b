//! Tokenizers as `RobertaTokenizer` of transformers writes them, `CodeT5`'s among them: `vocab.json`, `merges.txt`, and
//! the special tokens in up to three more files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use tokenizers::models::bpe::{BPE, Vocab};
use tokenizers::pre_tokenizers::byte_level::ByteLevel;
use tokenizers::{
    AddedToken, DecoderWrapper, NormalizerWrapper, PostProcessorWrapper, PreTokenizerWrapper, Tokenizer,
    TokenizerBuilder,
};

use crate::files;

/// Most bytes of a file: no tokenizer of this kind has larger ones.
const MAX_FILE: u64 = 16 << 20;
/// Most special tokens: no tokenizer of this kind has more.
const MAX_SPECIAL: usize = 4096;
/// Keys of the single special tokens; the key `additional_special_tokens` has a list.
const NAMED: [&str; 7] = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token"];

/// A value in `special_tokens_map.json`: the text of a token, alone or in an object with the rules of matching it.
#[derive(Deserialize)]
#[serde(untagged)]
enum Special {
    Text(String),
    Token { content: String },
    Many(Vec<Special>),
    Other(serde::de::IgnoredAny),
}

impl Special {
    fn texts(self, found: &mut Vec<String>) {
        match self {
            Self::Text(text) | Self::Token { content: text } => found.push(text),
            Self::Many(all) => all.into_iter().for_each(|one| one.texts(found)),
            Self::Other(_) => {}
        }
    }
}

/// Reads the tokenizer of a folder with `vocab.json` and `merges.txt`.
///
/// Tokens that only `special_tokens_map.json` or `tokenizer_config.json` name get the numbers after all others, in
/// their order there: as transformers gives them, `CodeT5` has `<extra_id_99>` before `<extra_id_0>`.
///
/// # Errors
/// A message with the name of the file that is wrong.
pub(super) fn open(folder: &Path) -> Result<Tokenizer, String> {
    let vocabulary: BTreeMap<String, u32> = json(folder, "vocab.json")?.ok_or("`vocab.json`: it is missing")?;
    let text = text(folder, "merges.txt")?.ok_or("`merges.txt`: it is missing")?;
    let merges = text
        .lines()
        .filter(|line| !line.starts_with("#version") && !line.is_empty())
        .map(|line| {
            let pair = line.split_once(' ').filter(|(_, right)| !right.contains(' '));
            let (left, right) = pair.ok_or_else(|| format!("`merges.txt`: `{line}` is no pair"))?;
            Ok((left.to_owned(), right.to_owned()))
        })
        .collect::<Result<Vec<_>, String>>()?;
    let failed = |error: tokenizers::Error| format!("`vocab.json` and `merges.txt`: {error}");
    let model = BPE::builder().vocab_and_merges(vocabulary.into_iter().collect::<Vocab>(), merges);
    let model = model.unk_token("<unk>".to_owned()).build().map_err(failed)?;
    let bytes = ByteLevel::new(false, true, true);
    let mut tokenizer: Tokenizer =
        TokenizerBuilder::<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>::new()
            .with_model(model)
            .with_pre_tokenizer(Some(bytes.into()))
            .with_decoder(Some(bytes.into()))
            .build()
            .map_err(failed)?
            .into();
    let special: Vec<AddedToken> = special(folder)?.into_iter().map(|token| AddedToken::from(token, true)).collect();
    tokenizer.add_special_tokens(&special);
    Ok(tokenizer)
}

/// Special tokens in the order in which they are numbered.
fn special(folder: &Path) -> Result<Vec<String>, String> {
    let added: BTreeMap<String, u32> = json(folder, "added_tokens.json")?.unwrap_or_default();
    let mut added: Vec<(u32, String)> = added.into_iter().map(|(token, number)| (number, token)).collect();
    added.sort_unstable();
    let mut found: Vec<String> = added.into_iter().map(|(_, token)| token).collect();
    for name in ["special_tokens_map.json", "tokenizer_config.json"] {
        let mut map: BTreeMap<String, Special> = json(folder, name)?.unwrap_or_default();
        for key in NAMED.into_iter().chain(["additional_special_tokens", "extra_special_tokens"]) {
            if let Some(special) = map.remove(key) {
                special.texts(&mut found);
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|token| !token.is_empty() && seen.insert(token.clone()));
    if found.len() > MAX_SPECIAL {
        return Err(format!("`special_tokens_map.json`: {} special tokens, at most {MAX_SPECIAL}", found.len()));
    }
    Ok(found)
}

fn json<T: serde::de::DeserializeOwned>(folder: &Path, name: &str) -> Result<Option<T>, String> {
    let Some(text) = text(folder, name)? else { return Ok(None) };
    serde_json::from_str(&text).map(Some).map_err(|error| format!("`{name}`: {error}"))
}

/// The text of a file, or `None` where there is no file.
fn text(folder: &Path, name: &str) -> Result<Option<String>, String> {
    match files::read(&folder.join(name), MAX_FILE) {
        Ok(data) => String::from_utf8(data).map(Some).map_err(|_| format!("`{name}`: it is not UTF-8")),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(format!("`{name}`: {error}")),
    }
}

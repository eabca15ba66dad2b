//! Tokenizer and bundle (tokens and sites of all projects) that a model is trained from.

use std::path::Path;

use sha2::{Digest, Sha256};
use surmise_value_model::encoding::{Bundle, BundleBuilder, Recorded, Vocabulary};
use surmise_value_model::files;

use super::{Arguments, random_held_out};
use crate::cli::printer;
use crate::cli::refusal::{self, Refusal};
use surmise_trace::dataset::{self, DataError, Part, Split};
use surmise_trace::join::{self, JoinedFile, Lost};

/// Size limit of a tokenizer file, in bytes, to reject other files early.
const MAX_TOKENIZER: u64 = 64 << 20;
/// Bytes of source that a tokenizer is learned from, in equal shares from each project; bounds time and memory.
const TOKENIZER_BYTES: usize = 24 << 20;

/// What training starts from: the bundle, and the tokenizer it was made with.
pub(super) struct Prepared {
    pub(super) bundle: Bundle,
    #[cfg_attr(not(feature = "torch"), expect(dead_code, reason = "only training asks for tokens"))]
    pub(super) vocabulary: Vocabulary,
}

/// Reads the bundle and the tokenizer, or makes them if they do not exist.
pub(super) fn prepare(arguments: &Arguments) -> Result<Prepared, Refusal> {
    let tokenizer = arguments.output.join("tokenizer.json");
    let identified = random_held_out(arguments);
    let path = arguments.bundle.clone().unwrap_or_else(|| arguments.output.join("bundle.zst"));
    if !tokenizer.exists() {
        let from = arguments.init.as_deref().or(path.parent()).unwrap_or(&arguments.output);
        let found = from.join("tokenizer.json");
        if found.exists() {
            let copied = std::fs::copy(&found, &tokenizer);
            copied.map_err(|error| Refusal::bare(format!("`{}`: {error}", tokenizer.display())))?;
        } else if arguments.init.is_some() {
            let vocabulary = Vocabulary::open(from);
            let vocabulary = vocabulary.map_err(|error| Refusal::bare(format!("`{}`: {error}", from.display())))?;
            write(&tokenizer, &vocabulary)?;
        }
    }
    if path.exists() {
        let (vocabulary, sha256) = read(&tokenizer)?;
        let bundle = Bundle::read(&path).map_err(|error| Refusal::new(error, "delete it to make a new one"))?;
        if bundle.tokenizer != sha256 {
            let problem = format!("`{}` was made with another tokenizer", path.display());
            return Err(Refusal::new(problem, "delete it to make a new one"));
        }
        if identified && !bundle.identified {
            let problem =
                format!("`{}` cannot tell its pairs apart, as it was made for `--hold-out projects`", path.display());
            return Err(Refusal::new(problem, "delete it to make a new one, with `--hold-out random`"));
        }
        return Ok(Prepared { bundle, vocabulary });
    }
    let Some(sources) = &arguments.sources else {
        let problem = format!("there is no bundle `{}`", path.display());
        return Err(Refusal::new(problem, "give --data and --sources to make one"));
    };
    let parts = dataset::parts(&arguments.data)?;
    let parts: Vec<Part> = parts.into_iter().filter(|part| part.split != Split::Test).collect();
    if !tokenizer.exists() {
        let vocabulary = learn(&parts, sources, arguments.vocabulary as usize)?;
        write(&tokenizer, &vocabulary)?;
    }
    let (vocabulary, sha256) = read(&tokenizer)?;
    let builder = BundleBuilder::new(sha256, identified);
    let bundle = build(builder, &parts, sources, &vocabulary)?;
    bundle.write(&path).map_err(Refusal::bare)?;
    Ok(Prepared { bundle, vocabulary })
}

fn read(path: &Path) -> Result<(Vocabulary, String), Refusal> {
    let json = files::read(path, MAX_TOKENIZER);
    let json = json.map_err(|error| Refusal::bare(format!("cannot read `{}`: {error}", path.display())))?;
    let vocabulary = Vocabulary::from_json(&json);
    let named = |error| Refusal::bare(format!("`{}`: {error}", path.display()));
    Ok((vocabulary.map_err(named)?, format!("{:x}", Sha256::digest(&json))))
}

fn write(path: &Path, vocabulary: &Vocabulary) -> Result<(), Refusal> {
    refusal::write(path, vocabulary.to_json().map_err(Refusal::bare)?)
}

/// Learns a tokenizer from the sources of the training projects.
fn learn(parts: &[Part], sources: &Path, size: usize) -> Result<Vocabulary, Refusal> {
    let train: Vec<&Part> = parts.iter().filter(|part| part.split == Split::Train).collect();
    let share = TOKENIZER_BYTES / train.len().max(1);
    let mut texts = Vec::new();
    for part in train {
        let mut taken = 0;
        let joined = join::join(part, sources, |file| {
            if taken < share {
                taken += file.model.text().len();
                texts.push(file.model.text().to_owned());
            }
        });
        joined.map_err(DataError::from)?;
    }
    printer::note(&format!("tokenizer of {size} entries from {} files", texts.len()));
    Vocabulary::train(texts.into_iter(), size).map_err(Refusal::bare)
}

fn build(
    mut builder: BundleBuilder,
    parts: &[Part],
    sources: &Path,
    vocabulary: &Vocabulary,
) -> Result<Bundle, Refusal> {
    for (number, part) in parts.iter().enumerate() {
        builder.project(&format!("{}-{}", part.split.prefix(), part.project));
        let mut sites = 0;
        let lost = join::join(part, sources, |file| {
            sites += file.sites.len();
            add(&mut builder, vocabulary, &file);
        });
        let lost = lost.map_err(DataError::from)?;
        printer::note(&format!(
            "[{:2}/{}] {:20} {sites} sites{}",
            number + 1,
            parts.len(),
            part.project,
            describe_lost(&lost)
        ));
    }
    Ok(builder.finish())
}

fn add(builder: &mut BundleBuilder, vocabulary: &Vocabulary, file: &JoinedFile) {
    let tokens = vocabulary.encode(file.model.text());
    let sites = file.sites.iter().map(|site| Recorded {
        token: tokens.before(site.anchor) as u32,
        classes: site.example.classes.iter().fold(0, |bits, &class| bits | 1 << class as u32),
        kind: site.example.kind,
        identity: site.example.identity,
    });
    let sites = sites.collect();
    builder.file(&tokens, sites);
}

/// Describes the sites that could not be joined with their sources, as the end of a progress line.
pub(super) fn describe_lost(lost: &Lost) -> String {
    let mut parts = Vec::new();
    if let Some(first) = lost.files.first() {
        parts.push(format!("; {} sites of {} files without source ({first}, ...)", lost.sites, lost.files.len()));
    }
    if lost.misplaced > 0 {
        parts.push(format!("; {} sites where the text is another", lost.misplaced));
    }
    parts.concat()
}

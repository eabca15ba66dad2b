//! A bundle: tokens and recorded sites of many files in one, all that training needs, as safetensors.
//!
//! | tensor | type | holds |
//! |---|---|---|
//! | `tokens` | U16 | the tokens of all files, one after the other |
//! | `file_tokens`, `file_sites` | U32 | the end of each file's tokens and sites |
//! | `file_project` | U16 | the number of each file's project |
//! | `site_token` | U32 | the token before which a site's mark stands, counted in its file |
//! | `site_classes` | U32 | the classes seen there: bit `c` for `Class::ALL[c]` |
//! | `site_kind` | U8 | 0 variable, 1 attribute, 2 return value |
//! | `site_identity` | U64 | what tells the site from all others, the same in every build |
//!
//! The metadata has `schema`, the `projects` as `SPLIT-NAME` lines and the SHA-256 of the tokenizer.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::vocabulary::Tokens;
use crate::Use;

const SCHEMA: &str = "surmise.bundle/1";
/// Larger files are not ours.
const MAX_BYTES: u64 = 4 << 30;

/// Why a bundle cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// It cannot be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// It is damaged, or something else.
    #[error("`{path}` is no bundle: {problem}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

/// A recorded site of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The token before which its mark stands.
    pub token: u32,
    /// The classes seen there, as bits.
    pub classes: u32,
    /// Kind of use.
    pub kind: Use,
    /// What tells it from all other sites.
    pub identity: u64,
}

/// One file of a bundle.
#[derive(Clone, Copy, Debug)]
pub struct BundleFile<'a> {
    /// Number of its project.
    pub project: usize,
    /// Its tokens.
    pub tokens: &'a [u16],
    /// Its sites, by token.
    pub sites: &'a [Recorded],
}

/// Tokens and sites of many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// `SPLIT-NAME` of each project.
    pub projects: Vec<String>,
    /// SHA-256 of the tokenizer, in hexadecimal.
    pub tokenizer: String,
    tokens: Vec<u16>,
    sites: Vec<Recorded>,
    /// End of tokens, end of sites, project.
    files: Vec<(u32, u32, u16)>,
}

/// Collects a bundle.
#[derive(Debug, Default)]
pub struct BundleBuilder(Bundle);

impl BundleBuilder {
    /// Of texts cut by the tokenizer with this SHA-256.
    #[must_use]
    pub fn new(tokenizer: String) -> Self {
        Self(Bundle { tokenizer, ..Bundle::default() })
    }

    /// Names the project of the files that follow.
    pub fn project(&mut self, name: &str) {
        self.0.projects.push(name.to_owned());
    }

    /// Adds a file. Sites are put in order.
    pub fn file(&mut self, tokens: &Tokens, mut sites: Vec<Recorded>) {
        sites.sort_by_key(|site| (site.token, site.kind as u8, site.identity));
        let bundle = &mut self.0;
        bundle.tokens.extend(tokens.ids.iter().map(|&id| id as u16));
        bundle.sites.append(&mut sites);
        let project = bundle.projects.len().saturating_sub(1) as u16;
        bundle.files.push((bundle.tokens.len() as u32, bundle.sites.len() as u32, project));
    }

    /// The bundle.
    #[must_use]
    pub fn finish(self) -> Bundle {
        self.0
    }
}

impl Bundle {
    /// Number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True without any file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Number of tokens and of sites.
    #[must_use]
    pub fn totals(&self) -> (usize, usize) {
        (self.tokens.len(), self.sites.len())
    }

    /// A file by number.
    #[must_use]
    pub fn file(&self, number: usize) -> BundleFile<'_> {
        let (token, site) = number.checked_sub(1).map_or((0, 0), |before| {
            let (token, site, _) = self.files[before];
            (token as usize, site as usize)
        });
        let (token_end, site_end, project) = self.files[number];
        BundleFile {
            project: usize::from(project),
            tokens: &self.tokens[token..token_end as usize],
            sites: &self.sites[site..site_end as usize],
        }
    }

    /// Writes the whole file or none of it.
    ///
    /// # Errors
    /// [`BundleError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), BundleError> {
        let files = |part: fn(&(u32, u32, u16)) -> u32| bytes(self.files.iter().map(|file| part(file).to_le_bytes()));
        let columns = [
            ("tokens", Dtype::U16, self.tokens.len(), bytes(self.tokens.iter().map(|id| id.to_le_bytes()))),
            ("file_tokens", Dtype::U32, self.files.len(), files(|file| file.0)),
            ("file_sites", Dtype::U32, self.files.len(), files(|file| file.1)),
            ("file_project", Dtype::U16, self.files.len(), bytes(self.files.iter().map(|file| file.2.to_le_bytes()))),
            ("site_token", Dtype::U32, self.sites.len(), bytes(self.sites.iter().map(|site| site.token.to_le_bytes()))),
            (
                "site_classes",
                Dtype::U32,
                self.sites.len(),
                bytes(self.sites.iter().map(|site| site.classes.to_le_bytes())),
            ),
            ("site_kind", Dtype::U8, self.sites.len(), self.sites.iter().map(|site| site.kind as u8).collect()),
            (
                "site_identity",
                Dtype::U64,
                self.sites.len(),
                bytes(self.sites.iter().map(|site| site.identity.to_le_bytes())),
            ),
        ];
        let wrong = |problem: &dyn std::fmt::Display| BundleError::Format {
            path: path.to_owned(),
            problem: problem.to_string(),
        };
        let views = columns
            .iter()
            .map(|(name, dtype, length, data)| Ok((*name, TensorView::new(*dtype, vec![*length], data)?)))
            .collect::<Result<Vec<_>, safetensors::SafeTensorError>>()
            .map_err(|error| wrong(&error))?;
        let metadata = HashMap::from([
            ("schema".to_owned(), SCHEMA.to_owned()),
            ("projects".to_owned(), self.projects.join("\n")),
            ("tokenizer".to_owned(), self.tokenizer.clone()),
        ]);
        let data = safetensors::serialize(views, Some(metadata)).map_err(|error| wrong(&error))?;
        crate::files::replace(path, &data).map_err(|source| BundleError::Io { path: path.to_owned(), source })
    }

    /// Reads a bundle.
    ///
    /// # Errors
    /// [`BundleError`].
    pub fn read(path: &Path) -> Result<Self, BundleError> {
        let io = |source| BundleError::Io { path: path.to_owned(), source };
        let data = crate::files::read(path, MAX_BYTES).map_err(io)?;
        Self::parse(&data).map_err(|problem| BundleError::Format { path: path.to_owned(), problem })
    }

    fn parse(data: &[u8]) -> Result<Self, String> {
        let said = |error: safetensors::SafeTensorError| error.to_string();
        let (_, metadata) = SafeTensors::read_metadata(data).map_err(said)?;
        let metadata = metadata.metadata().clone().unwrap_or_default();
        let entry = |name: &str| metadata.get(name).cloned().ok_or_else(|| format!("its metadata has no `{name}`"));
        if entry("schema")? != SCHEMA {
            return Err(format!("its schema is `{}`, not `{SCHEMA}`", entry("schema")?));
        }
        let tensors = SafeTensors::deserialize(data).map_err(said)?;
        let column = |name: &str, dtype: Dtype| {
            let view = tensors.tensor(name).map_err(said)?;
            if view.dtype() == dtype { Ok(view.data()) } else { Err(format!("`{name}` has type {:?}", view.dtype())) }
        };
        let u32s = |name: &str| Ok::<_, String>(numbers(column(name, Dtype::U32)?, u32::from_le_bytes));
        let tokens = numbers(column("tokens", Dtype::U16)?, u16::from_le_bytes);
        let (site_token, classes) = (u32s("site_token")?, u32s("site_classes")?);
        let (kind, identity) = (column("site_kind", Dtype::U8)?, column("site_identity", Dtype::U64)?);
        let identity = numbers(identity, u64::from_le_bytes);
        let (file_tokens, file_sites) = (u32s("file_tokens")?, u32s("file_sites")?);
        let file_project = numbers(column("file_project", Dtype::U16)?, u16::from_le_bytes);
        if [classes.len(), kind.len(), identity.len()] != [site_token.len(); 3] {
            return Err("its columns of sites have different lengths".to_owned());
        }
        if [file_sites.len(), file_project.len()] != [file_tokens.len(); 2] {
            return Err("its columns of files have different lengths".to_owned());
        }
        let sites = (0..site_token.len()).map(|at| {
            let kind = Use::ALL.get(usize::from(kind[at])).copied().ok_or("it has a kind of use that is none")?;
            Ok(Recorded { token: site_token[at], classes: classes[at], kind, identity: identity[at] })
        });
        let sites = sites.collect::<Result<Vec<_>, &str>>()?;
        let files = (0..file_tokens.len()).map(|at| (file_tokens[at], file_sites[at], file_project[at]));
        let projects = entry("projects")?.lines().map(str::to_owned).collect();
        let bundle = Self { projects, tokenizer: entry("tokenizer")?, tokens, sites, files: files.collect() };
        bundle.check()?;
        Ok(bundle)
    }

    /// What all readers rely on.
    fn check(&self) -> Result<(), String> {
        let ends = self.files.last().map_or((0, 0), |file| (file.0 as usize, file.1 as usize));
        if ends != self.totals() || !self.files.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1) {
            return Err("its files do not add up".to_owned());
        }
        for number in 0..self.len() {
            let file = self.file(number);
            let inside = file.sites.iter().all(|site| site.token as usize <= file.tokens.len());
            if file.project >= self.projects.len() || !inside || !file.sites.is_sorted_by_key(|site| site.token) {
                return Err(format!("its file {number} is malformed"));
            }
        }
        Ok(())
    }
}

fn bytes<const N: usize>(numbers: impl Iterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.flatten().collect()
}

fn numbers<T, const N: usize>(data: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    data.chunks_exact(N).map(|chunk| number(chunk.try_into().expect("the chunk has N bytes"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bundle_survives_its_file_and_damage_is_named() {
        let mut builder = BundleBuilder::new("abc".to_owned());
        builder.project("train-x");
        let site = |token, identity| Recorded { token, classes: 5, kind: Use::Attribute, identity };
        builder.file(&Tokens { ids: vec![7, 8, 9], starts: vec![0, 1, 2] }, vec![site(3, 1), site(1, 2)]);
        builder.file(&Tokens::default(), Vec::new());
        let bundle = builder.finish();
        assert_eq!((bundle.len(), bundle.totals(), bundle.file(0).sites[0].token), (2, (3, 2), 1));
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bundle.safetensors");
        bundle.write(&path).expect("written");
        assert_eq!(Bundle::read(&path).expect("read"), bundle);
        let whole = std::fs::read(&path).expect("bytes");
        std::fs::write(&path, &whole[..whole.len() - 3]).expect("cut");
        assert!(matches!(Bundle::read(&path), Err(BundleError::Format { .. })));
        assert!(matches!(Bundle::read(&folder.path().join("none")), Err(BundleError::Io { .. })));
        let mut wrong = bundle.clone();
        wrong.sites[1].token = 4;
        wrong.write(&path).expect("written");
        assert!(matches!(Bundle::read(&path), Err(BundleError::Format { .. })), "a site outside of its file");
    }
}

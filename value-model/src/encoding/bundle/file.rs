//! The file of a bundle: safetensors, compressed by zstd.
//!
//! | tensor | type | holds |
//! |---|---|---|
//! | `tokens` | U16 | the tokens of all pieces, one after the other |
//! | `piece_tokens`, `piece_sites` | U32 | the end of each piece's tokens and sites |
//! | `piece_project` | U16 | the number of each piece's project |
//! | `site_token` | U32 | the token before which a site's mark stands, counted in its piece |
//! | `site_classes` | U32 | the classes seen there: bit `c` for `Class::ALL[c]` |
//! | `site_kind` | U8 | 0 variable, 1 attribute, 2 return value |
//! | `site_identity` | U64 | a hash that identifies the site in every build; only in bundles with identities |
//!
//! The metadata has `schema`, the `projects` as `SPLIT-NAME` lines and the SHA-256 of the tokenizer.

use std::collections::HashMap;
use std::io::{Error, ErrorKind, Read};
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use super::{Bundle, BundleError, Recorded};
use crate::Use;

const SCHEMA: &str = "surmise.bundle/2";
/// Most bytes of a bundle, packed or not: all data take a fifth of it, and a hostile file could unpack without end.
const MAX_BYTES: u64 = 1 << 30;
/// Level of compression: a bundle is packed once and carried, so that the last tenth is worth half a minute.
const LEVEL: i32 = 19;

impl Bundle {
    /// Writes the bundle to a file, the whole file or none of it.
    ///
    /// # Errors
    /// [`BundleError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), BundleError> {
        let mut columns = vec![
            ("tokens", Dtype::U16, column(&self.tokens, |id| id.to_le_bytes())),
            ("piece_tokens", Dtype::U32, column(&self.pieces, |piece| piece.0.to_le_bytes())),
            ("piece_sites", Dtype::U32, column(&self.pieces, |piece| piece.1.to_le_bytes())),
            ("piece_project", Dtype::U16, column(&self.pieces, |piece| piece.2.to_le_bytes())),
            ("site_token", Dtype::U32, column(&self.sites, |site| site.token.to_le_bytes())),
            ("site_classes", Dtype::U32, column(&self.sites, |site| site.classes.to_le_bytes())),
            ("site_kind", Dtype::U8, column(&self.sites, |site| [site.kind as u8])),
        ];
        if self.identified {
            columns.push(("site_identity", Dtype::U64, column(&self.sites, |site| site.identity.to_le_bytes())));
        }
        let wrong = |problem: &dyn std::fmt::Display| BundleError::Format {
            path: path.to_owned(),
            problem: problem.to_string(),
        };
        let metadata = HashMap::from([
            ("schema".to_owned(), SCHEMA.to_owned()),
            ("projects".to_owned(), self.projects.join("\n")),
            ("tokenizer".to_owned(), self.tokenizer.clone()),
        ]);
        let packed = packed(&columns, metadata).map_err(|error| wrong(&error))?;
        let written = crate::files::replace(path, &packed);
        written.map_err(|source| BundleError::Io { path: path.to_owned(), source })
    }

    /// Reads a bundle and checks it.
    pub fn read(path: &Path) -> Result<Self, BundleError> {
        let io = |source| BundleError::Io { path: path.to_owned(), source };
        let packed = crate::files::read(path, MAX_BYTES).map_err(io)?;
        let data = unpacked(&packed, MAX_BYTES).map_err(|error| error.to_string());
        let parsed = data.and_then(|data| Self::parse(&data));
        parsed.map_err(|problem| BundleError::Format { path: path.to_owned(), problem })
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
        let column = |name: &str, dtype: Dtype| values(&tensors, name, dtype);
        let u32s = |name: &str| Ok::<_, String>(numbers(column(name, Dtype::U32)?, u32::from_le_bytes));
        let tokens = numbers(column("tokens", Dtype::U16)?, u16::from_le_bytes);
        let (site_token, classes) = (u32s("site_token")?, u32s("site_classes")?);
        let kind = column("site_kind", Dtype::U8)?;
        let identified = tensors.names().contains(&"site_identity");
        let identity = if identified {
            numbers(column("site_identity", Dtype::U64)?, u64::from_le_bytes)
        } else {
            vec![0; site_token.len()]
        };
        let (piece_tokens, piece_sites) = (u32s("piece_tokens")?, u32s("piece_sites")?);
        let piece_project = numbers(column("piece_project", Dtype::U16)?, u16::from_le_bytes);
        if [classes.len(), kind.len(), identity.len()] != [site_token.len(); 3] {
            return Err("its columns of sites have different lengths".to_owned());
        }
        if [piece_sites.len(), piece_project.len()] != [piece_tokens.len(); 2] {
            return Err("its columns of pieces have different lengths".to_owned());
        }
        let sites = (0..site_token.len()).map(|at| {
            let kind = Use::ALL.get(usize::from(kind[at])).copied().ok_or("it has a kind of use that is none")?;
            Ok(Recorded { token: site_token[at], classes: classes[at], kind, identity: identity[at] })
        });
        let sites = sites.collect::<Result<Vec<_>, &str>>()?;
        let pieces = (0..piece_tokens.len()).map(|at| (piece_tokens[at], piece_sites[at], piece_project[at])).collect();
        let projects = entry("projects")?.lines().map(str::to_owned).collect();
        let bundle = Self { projects, tokenizer: entry("tokenizer")?, identified, tokens, sites, pieces };
        bundle.check()?;
        Ok(bundle)
    }
}

/// A column of a file: its name, the type of its numbers, how many there are, and their bytes.
type Column<'c> = (&'c str, Dtype, (usize, Vec<u8>));

/// A file of columns with that metadata, compressed by zstd.
pub(crate) fn packed(columns: &[Column<'_>], metadata: HashMap<String, String>) -> std::io::Result<Vec<u8>> {
    let views = columns
        .iter()
        .map(|(name, dtype, (length, data))| Ok((*name, TensorView::new(*dtype, vec![*length], data)?)))
        .collect::<Result<Vec<_>, safetensors::SafeTensorError>>();
    let data = views.and_then(|views| safetensors::serialize(views, Some(metadata)));
    zstd::encode_all(&data.map_err(Error::other)?[..], LEVEL)
}

/// The bytes of a column, which must have that type.
pub(crate) fn values<'t>(tensors: &SafeTensors<'t>, name: &str, dtype: Dtype) -> Result<&'t [u8], String> {
    let view = tensors.tensor(name).map_err(|error| error.to_string())?;
    if view.dtype() == dtype { Ok(view.data()) } else { Err(format!("`{name}` has type {:?}", view.dtype())) }
}

/// What a file compressed by zstd holds, up to a number of bytes.
pub(crate) fn unpacked(packed: &[u8], most: u64) -> std::io::Result<Vec<u8>> {
    let mut data = Vec::new();
    zstd::Decoder::new(packed)?.take(most + 1).read_to_end(&mut data)?;
    if data.len() as u64 > most {
        return Err(Error::new(ErrorKind::FileTooLarge, format!("it unpacks to more than {most} bytes")));
    }
    Ok(data)
}

/// Length and bytes of a column.
pub(crate) fn column<T, const N: usize>(rows: &[T], of: impl Fn(&T) -> [u8; N]) -> (usize, Vec<u8>) {
    (rows.len(), rows.iter().flat_map(of).collect())
}

/// The numbers of a column.
pub(crate) fn numbers<T, const N: usize>(data: &[u8], number: fn([u8; N]) -> T) -> Vec<T> {
    data.chunks_exact(N).map(|chunk| number(chunk.try_into().expect("the chunk has N bytes"))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::BundleBuilder;
    use super::*;
    use crate::encoding::Tokens;

    #[test]
    fn a_bundle_survives_its_file_and_damage_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("bundle.zst");
        for identified in [true, false] {
            let mut builder = BundleBuilder::new("abc".to_owned(), identified);
            builder.project("train-x");
            let site = |token, identity| Recorded { token, classes: 5, kind: Use::Attribute, identity };
            builder.file(&Tokens { ids: vec![7, 8, 9], starts: vec![0, 1, 2] }, vec![site(3, 1), site(1, 2)]);
            builder.file(&Tokens { ids: vec![7], starts: vec![0] }, vec![site(0, 3)]);
            let bundle = builder.finish();
            assert_eq!((bundle.len(), bundle.totals(), bundle.piece(0).sites[0].token), (2, (4, 3), 1));
            bundle.write(&path).expect("written");
            assert_eq!(Bundle::read(&path).expect("read"), bundle);
            let whole = std::fs::read(&path).expect("bytes");
            std::fs::write(&path, &whole[..whole.len() - 3]).expect("cut");
            assert!(matches!(Bundle::read(&path), Err(BundleError::Format { .. })));
            let mut wrong = bundle.clone();
            wrong.sites[1].token = 4;
            wrong.write(&path).expect("written");
            assert!(matches!(Bundle::read(&path), Err(BundleError::Format { .. })), "a site outside of its piece");
        }
        std::fs::write(&path, b"no zstd").expect("written");
        assert!(matches!(Bundle::read(&path), Err(BundleError::Format { .. })));
        assert!(matches!(Bundle::read(&folder.path().join("none")), Err(BundleError::Io { .. })));
    }
}

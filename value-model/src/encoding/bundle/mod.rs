//! A bundle: tokens and recorded sites of many files, which is all that training needs.

mod file;

pub(crate) use file::{column, numbers, packed, unpacked, values};

use std::path::PathBuf;

use super::vocabulary::Tokens;
use crate::Use;

/// Tokens on either side of a site that are kept. Those farther from all sites are dropped: no window of up to so many
/// tokens reads them, and larger windows have less context.
const REACH: usize = 512;

/// Why a bundle cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// The file cannot be read or written.
    #[error("`{path}`: {source}")]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is damaged, or no bundle.
    #[error("`{path}` is no bundle: {problem}")]
    Format {
        /// Path of the file.
        path: PathBuf,
        /// What is wrong with the content.
        problem: String,
    },
}

/// A site of a file with what was recorded there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Index of the token before which the mark of the site stands.
    pub token: u32,
    /// The classes seen at the site: bit `c` for `Class::ALL[c]`.
    pub classes: u32,
    /// Kind of value use.
    pub kind: Use,
    /// Hash that identifies the site in every build of the bundle; 0 in a bundle without identities.
    pub identity: u64,
}

/// A stretch of a source in which sites are never far.
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    /// Index of the project in [`Bundle::projects`].
    pub project: usize,
    /// Tokens of the stretch.
    pub tokens: &'a [u16],
    /// Sites of the stretch, sorted by token, which is an index in `tokens`.
    pub sites: &'a [Recorded],
}

/// Tokens and sites of many files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Name of each project with its split, as `train-flask`.
    pub projects: Vec<String>,
    /// SHA-256 of the tokenizer that cut the files, in hexadecimal.
    pub tokenizer: String,
    /// Whether sites have identities, which only a random split needs: 8 bytes each that cannot be compressed.
    pub identified: bool,
    tokens: Vec<u16>,
    sites: Vec<Recorded>,
    /// For each piece the end of its tokens, the end of its sites, and its project.
    pieces: Vec<(u32, u32, u16)>,
}

/// Builds a bundle, project by project and file by file.
#[derive(Debug, Default)]
pub struct BundleBuilder(Bundle);

impl BundleBuilder {
    /// Starts a bundle of files cut by the tokenizer with this SHA-256, with or without identities of sites.
    pub fn new(tokenizer: String, identified: bool) -> Self {
        Self(Bundle { tokenizer, identified, ..Bundle::default() })
    }

    /// Names the project of the files that follow.
    pub fn project(&mut self, name: &str) {
        self.0.projects.push(name.to_owned());
    }

    /// Adds the tokens and sites of a file; sites may come in any order.
    pub fn file(&mut self, tokens: &Tokens, mut sites: Vec<Recorded>) {
        sites.sort_by_key(|site| (site.token, site.kind as u8, site.identity));
        let end = |site: &Recorded| (site.token as usize + REACH).min(tokens.ids.len());
        for piece in sites.chunk_by(|one, next| end(one) + REACH >= next.token as usize) {
            let (first, last) = (&piece[0], &piece[piece.len() - 1]);
            let start = (first.token as usize).saturating_sub(REACH);
            self.piece(&tokens.ids[start..end(last)], piece, start as u32);
        }
    }

    fn piece(&mut self, ids: &[u32], sites: &[Recorded], start: u32) {
        let bundle = &mut self.0;
        let identity = |site: &Recorded| if bundle.identified { site.identity } else { 0 };
        let sites = sites.iter().map(|site| Recorded { token: site.token - start, identity: identity(site), ..*site });
        bundle.sites.extend(sites);
        bundle.tokens.extend(ids.iter().map(|&id| id as u16));
        let project = bundle.projects.len().saturating_sub(1) as u16;
        bundle.pieces.push((bundle.tokens.len() as u32, bundle.sites.len() as u32, project));
    }

    /// Ends building.
    pub fn finish(self) -> Bundle {
        self.0
    }
}

impl Bundle {
    /// Number of pieces of all files.
    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Number of tokens and of sites in all pieces.
    pub fn totals(&self) -> (usize, usize) {
        (self.tokens.len(), self.sites.len())
    }

    /// The piece with that number.
    pub fn piece(&self, number: usize) -> Piece<'_> {
        let (token, site) = number.checked_sub(1).map_or((0, 0), |before| {
            let (token, site, _) = self.pieces[before];
            (token as usize, site as usize)
        });
        let (token_end, site_end, project) = self.pieces[number];
        Piece {
            project: usize::from(project),
            tokens: &self.tokens[token..token_end as usize],
            sites: &self.sites[site..site_end as usize],
        }
    }

    /// Checks what all readers rely on.
    fn check(&self) -> Result<(), String> {
        let ends = self.pieces.last().map_or((0, 0), |piece| (piece.0 as usize, piece.1 as usize));
        if ends != self.totals() || !self.pieces.is_sorted_by(|a, b| a.0 <= b.0 && a.1 <= b.1) {
            return Err("its pieces do not add up".to_owned());
        }
        for number in 0..self.len() {
            let piece = self.piece(number);
            let inside = piece.sites.iter().all(|site| site.token as usize <= piece.tokens.len());
            if piece.project >= self.projects.len() || !inside || !piece.sites.is_sorted_by_key(|site| site.token) {
                return Err(format!("its piece {number} is malformed"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_far_from_all_sites_is_left_out() {
        let ids: Vec<u32> = (0..4000).collect();
        let site = |token| Recorded { token, classes: 1, kind: Use::Variable, identity: 9 };
        let tokens = Tokens { starts: vec![0; ids.len()], ids };
        let mut builder = BundleBuilder::new(String::new(), false);
        builder.project("train-x");
        builder.file(&tokens, vec![site(3000), site(20), site(3990), site(1044)]);
        builder.file(&tokens, Vec::new());
        let bundle = builder.finish();
        bundle.check().expect("it is sound");
        let pieces: Vec<(u16, u16, Vec<u32>)> = (0..bundle.len())
            .map(|number| bundle.piece(number))
            .map(|piece| {
                let sites = piece.sites.iter().map(|site| site.token);
                (piece.tokens[0], piece.tokens[piece.tokens.len() - 1], sites.collect())
            })
            .collect();
        assert_eq!(pieces, [(0, 1555, vec![20, 1044]), (2488, 3999, vec![512, 1502])]);
        assert!(bundle.sites.iter().all(|site| site.identity == 0), "it was made without identities");
    }
}

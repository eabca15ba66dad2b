//! Batches of windows for training: each epoch cuts the pieces anew, from a seed.

use fastrand::Rng;
use tch::Tensor;

use crate::Class;
use crate::encoding::{Bundle, CLASS_TOKENS, Plain, Recorded, Shape, Window, windows};
use crate::torch::Padded;

/// Batches that are sorted by length together: enough that little is padded, few enough that order stays random.
const SORTED: usize = 32;

/// What the batches of an epoch are cut from, and how.
#[derive(Clone, Copy)]
pub struct Cut<'a> {
    /// Pieces of all projects.
    pub bundle: &'a Bundle,
    /// Indices of the projects to take.
    pub projects: &'a [usize],
    /// Tokens that serve as marks.
    pub marks: &'a [u32],
    /// Token that fills short rows.
    pub pad: u32,
    /// Makes the queries of a model that is trained on one site at a time.
    pub plain: Option<&'a Plain>,
    /// Size of the windows.
    pub shape: Shape,
    /// Most tokens of a batch, padding included.
    pub tokens: usize,
    /// Windows with fewer sites are taken with a lower probability, since they cost as much as others; 0 takes all.
    /// Plain queries are drawn likewise: an epoch has two of so many.
    pub dense: usize,
    /// Whether a pair of a site and a class is taken.
    pub keep: &'a (dyn Fn(&Recorded, Class) -> bool + Sync),
}

impl Cut<'_> {
    /// Number of pairs of each class that are taken.
    pub(super) fn counts(&self) -> [u64; CLASS_TOKENS] {
        let mut counts = [0; CLASS_TOKENS];
        for piece in (0..self.bundle.len()).map(|number| self.bundle.piece(number)) {
            if self.projects.contains(&piece.project) {
                for class in piece.sites.iter().flat_map(|site| self.kept(site)) {
                    counts[class as usize] += 1;
                }
            }
        }
        counts
    }

    /// The classes of a site that are taken.
    fn kept(&self, site: &Recorded) -> impl Iterator<Item = Class> {
        Class::of_set(site.classes).filter(move |&class| (self.keep)(site, class))
    }
}

/// Draws a share of the projects by a seed; a larger share includes the projects of a smaller one.
pub fn drawn(mut projects: Vec<usize>, share: f64, seed: u64) -> Vec<usize> {
    if share < 1.0 {
        Rng::with_seed(seed).shuffle(&mut projects);
        projects.truncate(((projects.len() as f64 * share).round() as usize).max(1));
    }
    projects
}

/// A batch: windows of about one length, with the classes that their sites saw.
pub(super) struct Batch {
    /// The windows, padded.
    pub(super) windows: Padded,
    /// `[rows, queries, classes]`: 1 for a class that was seen, 0 for the others and for padding.
    pub(super) targets: Tensor,
}

/// A window with the classes that its sites saw.
struct Example {
    window: Window,
    /// The classes at each mark: bit `c` for `Class::ALL[c]`.
    classes: Vec<u32>,
}

/// The windows of an epoch, in batches.
pub(super) struct Epoch {
    examples: Vec<Example>,
    batches: Vec<Vec<u32>>,
    pad: u32,
}

impl Epoch {
    /// Cuts the pieces into windows and shuffles them by a seed; without one, always in the same way and order.
    pub(super) fn new(cut: &Cut<'_>, seed: Option<u64>) -> Self {
        let mut rng = seed.map(Rng::with_seed);
        let mut examples = cut_all(cut, rng.as_mut());
        if examples.is_empty() {
            // Of very few windows none may have been drawn.
            examples = cut_all(&Cut { dense: 0, ..*cut }, rng.as_mut());
        }
        let mut order: Vec<u32> = (0..examples.len() as u32).collect();
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut order);
        }
        let length = |&number: &u32| examples[number as usize].window.ids.len();
        let mut batches = Vec::new();
        for part in order.chunks_mut((SORTED * cut.tokens / cut.shape.length).max(1)) {
            part.sort_by_key(length);
            let mut rest: &[u32] = part;
            while !rest.is_empty() {
                // The last of a batch is its longest, which all are padded to.
                let fitting = (1..=rest.len()).take_while(|&rows| rows * length(&rest[rows - 1]) <= cut.tokens).last();
                let (batch, after) = rest.split_at(fitting.unwrap_or(1));
                batches.push(batch.to_vec());
                rest = after;
            }
        }
        if let Some(rng) = &mut rng {
            rng.shuffle(&mut batches);
        }
        Self { examples, batches, pad: cut.pad }
    }

    /// Number of batches.
    pub(super) fn len(&self) -> usize {
        self.batches.len()
    }

    /// Whether there is no batch.
    pub(super) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// The batch with that number.
    pub(super) fn batch(&self, number: usize) -> Batch {
        let rows: Vec<&Example> = self.batches[number].iter().map(|&row| &self.examples[row as usize]).collect();
        let queries = rows.iter().map(|row| row.classes.len()).max().unwrap_or(0);
        let mut targets = vec![0_f32; rows.len() * queries * CLASS_TOKENS];
        for (number, row) in rows.iter().enumerate() {
            for (at, classes) in row.classes.iter().enumerate() {
                let query = number * queries + at;
                for class in (0..CLASS_TOKENS).filter(|class| classes >> class & 1 == 1) {
                    targets[query * CLASS_TOKENS + class] = 1.0;
                }
            }
        }
        Batch {
            windows: Padded::new(rows.iter().map(|row| &row.window), self.pad),
            targets: Tensor::from_slice(&targets).view([rows.len() as i64, queries as i64, CLASS_TOKENS as i64]),
        }
    }
}

fn cut_all(cut: &Cut<'_>, mut rng: Option<&mut Rng>) -> Vec<Example> {
    let mut examples = Vec::new();
    for number in 0..cut.bundle.len() {
        if cut.projects.contains(&cut.bundle.piece(number).project) {
            cut_piece(cut, number, rng.as_deref_mut(), &mut examples);
        }
    }
    examples
}

fn cut_piece(cut: &Cut<'_>, number: usize, rng: Option<&mut Rng>, examples: &mut Vec<Example>) {
    let piece = cut.bundle.piece(number);
    let kept = |site: &Recorded| cut.kept(site).fold(0, |bits, class| bits | 1 << class as u32);
    let asked = piece.sites.iter().map(|site| (site, kept(site))).filter(|&(_, classes)| classes != 0);
    let (sites, classes): (Vec<&Recorded>, Vec<u32>) = asked.unzip();
    if sites.is_empty() {
        return;
    }
    let tokens: Vec<u32> = piece.tokens.iter().map(|&id| u32::from(id)).collect();
    let mut rng = rng;
    let taken = |asked: usize, rng: Option<&mut Rng>| {
        rng.is_none_or(|rng| asked >= cut.dense || rng.usize(..cut.dense) <= asked)
    };
    if let Some(plain) = cut.plain {
        for (number, site) in sites.iter().enumerate() {
            if taken(1, rng.as_deref_mut()) {
                let window = plain.window(&tokens, number, site.token, site.kind, cut.shape);
                examples.push(Example { window, classes: vec![classes[number]] });
            }
        }
        return;
    }
    let (skip, first_mark) = rng
        .as_mut()
        .map_or((0, 0), |rng| (rng.usize(cut.shape.zone / 4..cut.shape.zone), rng.usize(..cut.marks.len())));
    let places: Vec<u32> = sites.iter().map(|site| site.token).collect();
    for window in windows(&tokens, &places, cut.marks, cut.shape, skip, first_mark) {
        if !taken(window.asked.len(), rng.as_deref_mut()) {
            continue;
        }
        let classes = window.asked.iter().map(|&(site, _)| classes[site]).collect();
        examples.push(Example { window, classes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Use;
    use crate::encoding::{BundleBuilder, Tokens};

    #[test]
    fn every_site_is_in_one_batch_with_its_classes() {
        let mut builder = BundleBuilder::new(String::new(), true);
        for project in 0..2 {
            builder.project("train-p");
            for file in 0..5_u32 {
                let ids: Vec<u32> = (0..300 + file * 7).map(|id| 200 + id % 50).collect();
                let sites = (1..60_u32).map(|site| Recorded {
                    token: site * 5,
                    classes: 1 << (site % 22),
                    kind: Use::Variable,
                    identity: site.into(),
                });
                let sites = sites.filter(|_| project == 0).collect();
                builder.file(&Tokens { starts: vec![0; ids.len()], ids }, sites);
            }
        }
        let bundle = builder.finish();
        let marks: Vec<u32> = (1000..1078).collect();
        let cut = Cut {
            bundle: &bundle,
            projects: &[0],
            marks: &marks,
            pad: 0,
            plain: None,
            shape: Shape { length: 64, zone: 48 },
            tokens: 256,
            dense: 0,
            keep: &|site, _| site.identity != 7,
        };
        for seed in [None, Some(1)] {
            let epoch = Epoch::new(&cut, seed);
            let mut asked = 0.0;
            for number in 0..epoch.len() {
                let batch = epoch.batch(number);
                let (rows, length) = batch.windows.ids.size2().expect("a matrix");
                assert!(rows * length <= 256);
                asked += batch.targets.sum(tch::Kind::Double).double_value(&[]);
            }
            assert!((asked - 5.0 * 58.0).abs() < 0.5, "{asked}");
        }
        let same = |seed| Epoch::new(&cut, Some(seed)).batches;
        assert_eq!(same(3), same(3));
        assert_ne!(same(3), same(4));
    }
}

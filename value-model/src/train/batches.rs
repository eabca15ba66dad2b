//! Batches of windows for training: each epoch cuts the files anew, from a seed.

use fastrand::Rng;
use tch::Tensor;

use crate::Class;
use crate::encoding::{Bundle, CLASS_TOKENS, Recorded, Shape, Window, windows};
use crate::torch::Padded;

/// Batches that are sorted by length together: enough that little is padded, few enough that order stays random.
const SORTED: usize = 32;

/// What an epoch is made of.
#[derive(Clone, Copy)]
pub struct Cut<'a> {
    /// All files.
    pub bundle: &'a Bundle,
    /// Numbers of the projects to take.
    pub projects: &'a [usize],
    /// The marks' tokens.
    pub marks: &'a [u32],
    /// The padding token.
    pub pad: u32,
    /// Sizes of the windows.
    pub shape: Shape,
    /// Tokens of a batch, with padding.
    pub tokens: usize,
    /// Windows that ask less are taken with a lower probability: they cost as much as others. 0 takes all.
    pub dense: usize,
    /// Which pairs of site and class are taken.
    pub keep: &'a (dyn Fn(&Recorded, Class) -> bool + Sync),
}

/// Windows of about one length.
pub struct Batch {
    /// What is asked.
    pub windows: Padded,
    /// 1 for each class seen, 0 for the others and where nothing is asked: [rows, queries, classes].
    pub targets: Tensor,
}

/// A window with the classes of its sites.
struct Example {
    window: Window,
    /// For each mark, the classes as bits.
    classes: Vec<u32>,
}

/// The windows of an epoch, in batches.
pub struct Epoch {
    examples: Vec<Example>,
    batches: Vec<Vec<u32>>,
    pad: u32,
}

impl Epoch {
    /// Cuts the files; without a seed always in the same way and order.
    #[must_use]
    pub fn new(cut: &Cut<'_>, seed: Option<u64>) -> Self {
        let mut rng = seed.map(Rng::with_seed);
        let mut examples = Vec::new();
        for number in 0..cut.bundle.len() {
            let file = cut.bundle.file(number);
            if cut.projects.contains(&file.project) {
                cut_file(cut, number, rng.as_mut(), &mut examples);
            }
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
    #[must_use]
    pub fn len(&self) -> usize {
        self.batches.len()
    }

    /// True if there is nothing to learn from.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// A batch by number.
    #[must_use]
    pub fn batch(&self, number: usize) -> Batch {
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

fn cut_file(cut: &Cut<'_>, number: usize, rng: Option<&mut Rng>, examples: &mut Vec<Example>) {
    let file = cut.bundle.file(number);
    let kept = |site: &Recorded| {
        let seen = Class::ALL.into_iter().filter(|&class| site.classes >> class as u32 & 1 == 1);
        seen.filter(|&class| (cut.keep)(site, class)).fold(0, |bits, class| bits | 1 << class as u32)
    };
    let (sites, classes): (Vec<u32>, Vec<u32>) =
        file.sites.iter().map(|site| (site.token, kept(site))).filter(|&(_, classes)| classes != 0).unzip();
    if sites.is_empty() {
        return;
    }
    let tokens: Vec<u32> = file.tokens.iter().map(|&id| u32::from(id)).collect();
    let mut rng = rng;
    let (skip, first_mark) = rng
        .as_mut()
        .map_or((0, 0), |rng| (rng.usize(cut.shape.zone / 4..cut.shape.zone), rng.usize(..cut.marks.len())));
    for window in windows(&tokens, &sites, cut.marks, cut.shape, skip, first_mark) {
        if rng.as_mut().is_some_and(|rng| window.asked.len() < cut.dense && rng.usize(..cut.dense) > window.asked.len())
        {
            continue;
        }
        let classes = window.asked.iter().map(|&(site, _)| classes[site]).collect();
        examples.push(Example { window, classes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encoding::{BundleBuilder, Tokens};

    #[test]
    fn every_site_is_in_one_batch_with_its_classes() {
        let mut builder = BundleBuilder::new(String::new());
        for project in 0..2 {
            builder.project("train-p");
            for file in 0..5_u32 {
                let ids: Vec<u32> = (0..300 + file * 7).map(|id| 200 + id % 50).collect();
                let sites = (1..60_u32).map(|site| Recorded {
                    token: site * 5,
                    classes: 1 << (site % 22),
                    kind: 0,
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

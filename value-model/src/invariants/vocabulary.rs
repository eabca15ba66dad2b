//! Features that are worth weights: those that several training projects have. The rest says what one project is like.

use rustc_hash::FxHashMap;
use surmise_instrument::guards::View;

/// Bits of a feature's hash that are kept: fewer are smaller, and confuse more features that were never seen.
const BITS: u32 = 24;

/// The features that have weights, with the numbers of their rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Vocabulary {
    rows: FxHashMap<u32, u32>,
}

impl Vocabulary {
    /// The features of views that at least `guards` places of at least `projects` projects have, of views with the
    /// numbers of their projects, one project after the other.
    pub(super) fn of<'v>(views: impl Iterator<Item = (u32, &'v View)>, guards: u32, projects: u32) -> Self {
        struct Count {
            guards: u32,
            projects: u32,
            latest: u32,
        }
        let mut counts: FxHashMap<u32, Count> = FxHashMap::default();
        for (project, view) in views {
            for feature in view.features.iter().chain(view.candidates.iter().flat_map(|candidate| &candidate.features))
            {
                let count = counts.entry(short(*feature)).or_insert(Count { guards: 0, projects: 0, latest: u32::MAX });
                count.guards += 1;
                if count.latest != project {
                    count.latest = project;
                    count.projects += 1;
                }
            }
        }
        let kept = counts.into_iter().filter(|(_, count)| count.guards >= guards && count.projects >= projects);
        let mut kept: Vec<u32> = kept.map(|(feature, _)| feature).collect();
        kept.sort_unstable();
        Self::numbered(kept.into_iter())
    }

    fn numbered(features: impl Iterator<Item = u32>) -> Self {
        Self { rows: features.zip(0..).collect() }
    }

    /// Number of features.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of a feature, if it has one.
    pub(super) fn row(&self, feature: u32) -> Option<usize> {
        self.rows.get(&short(feature)).map(|row| *row as usize)
    }

    /// The features as distances from one to the next in the order of their rows, which are small numbers.
    pub(super) fn distances(&self) -> Vec<f32> {
        let mut features: Vec<u32> = self.rows.keys().copied().collect();
        features.sort_unstable();
        let before = std::iter::once(0).chain(features.iter().copied());
        features.iter().zip(before).map(|(feature, before)| (feature - before) as f32).collect()
    }

    /// The vocabulary of such distances; `None` if they are none.
    pub(super) fn from_distances(distances: &[f32]) -> Option<Self> {
        let mut feature = 0_u32;
        let mut features = Vec::with_capacity(distances.len());
        for (number, &distance) in distances.iter().enumerate() {
            let is_whole = distance.fract() == 0.0 && (0.0..=(1 << BITS) as f32).contains(&distance);
            if !is_whole || (distance == 0.0 && number > 0) {
                return None;
            }
            feature = feature.checked_add(distance as u32).filter(|feature| *feature < 1 << BITS)?;
            features.push(feature);
        }
        Some(Self::numbered(features.into_iter()))
    }
}

fn short(feature: u32) -> u32 {
    feature >> (32 - BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(features: &[u32]) -> View {
        View { features: features.to_vec(), ..View::default() }
    }

    #[test]
    fn a_feature_of_one_project_has_no_row() {
        let views = [view(&[1 << 8, 2 << 8]), view(&[1 << 8, 2 << 8]), view(&[3 << 8, 2 << 8])];
        let known = Vocabulary::of([0, 0, 1].into_iter().zip(&views), 2, 2);
        assert_eq!((known.len(), known.row(2 << 8), known.row(1 << 8), known.row(3 << 8)), (1, Some(0), None, None));
    }

    #[test]
    fn distances_give_the_vocabulary_back_and_others_are_refused() {
        let known = Vocabulary::numbered([0, 7, (1 << BITS) - 1].into_iter());
        let found = Vocabulary::from_distances(&known.distances()).expect("a vocabulary");
        assert_eq!(found.rows, known.rows);
        for wrong in [[1.5, 1.0], [3.0, 0.0], [-1.0, 2.0], [1.0, 16_777_216.0], [f32::NAN, 1.0]] {
            assert!(Vocabulary::from_distances(&wrong).is_none(), "{wrong:?}");
        }
    }
}

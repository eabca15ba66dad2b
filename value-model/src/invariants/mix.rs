//! How what the network and the reranker say becomes one probability: a product of both, each to a power that is fitted
//! ("product of experts", Hinton 2002), and a share for conditions that the network did not list.

use serde::{Deserialize, Serialize};

use super::softmax;

/// Steps of the fit.
const STEPS: usize = 400;
const RATE: f32 = 0.5;

/// Powers and the share of what is not listed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Mix {
    /// Power of the network's probability.
    network: f32,
    /// Power of the reranker's probability.
    reranker: f32,
    /// Logit of all conditions that are not listed.
    other: f32,
    /// Power of what the network leaves for them.
    rest: f32,
}

impl Default for Mix {
    fn default() -> Self {
        Self { network: 0.5, reranker: 0.5, other: -2.0, rest: 0.5 }
    }
}

/// The conditions that the network lists for a place.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct List {
    /// For each, the logarithms of its probability by the network and by the reranker.
    pub(super) likely: Vec<[f32; 2]>,
    /// Logarithm of what the network leaves for others.
    pub(super) rest: f32,
}

impl Mix {
    /// Probabilities of the listed conditions; the last one is that of all others.
    pub(super) fn probabilities(&self, list: &List) -> Vec<f32> {
        let of = |[network, reranker]: &[f32; 2]| self.network * network + self.reranker * reranker;
        let mut scores: Vec<f32> = list.likely.iter().map(of).collect();
        scores.push(self.other + self.rest * list.rest);
        softmax(&mut scores);
        scores
    }

    /// Fits the powers: lists with the number of the right condition, where it is among them. By gradients with a rate for
    /// each power (`AdaGrad`, Duchi et al., JMLR 2011).
    pub(super) fn fit(lists: &[(List, Option<usize>)]) -> Self {
        let mut mix = Self::default();
        let mut squares = [1e-6_f32; 4];
        for _ in 0..STEPS {
            let mut gradients = [0.0_f32; 4];
            for (list, right) in lists {
                let last = list.likely.len();
                for (at, probability) in mix.probabilities(list).into_iter().enumerate() {
                    let off = probability - f32::from(u8::from(at == right.unwrap_or(last)));
                    if at == last {
                        gradients[2] += off;
                        gradients[3] += off * list.rest;
                    } else {
                        gradients[0] += off * list.likely[at][0];
                        gradients[1] += off * list.likely[at][1];
                    }
                }
            }
            let count = lists.len().max(1) as f32;
            let weights = [&mut mix.network, &mut mix.reranker, &mut mix.other, &mut mix.rest];
            for ((weight, gradient), square) in weights.into_iter().zip(gradients).zip(&mut squares) {
                let gradient = gradient / count;
                *square += gradient * gradient;
                *weight -= RATE * gradient / square.sqrt();
            }
        }
        mix
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_right_gets_the_power() {
        let mut random = fastrand::Rng::with_seed(1);
        let mut draw = |right: bool| {
            let reranker: Vec<f32> = (0..3).map(|_| -random.f32() * 4.0 - 0.1).collect();
            let best = (0..3).max_by(|&one, &other| reranker[one].total_cmp(&reranker[other])).expect("three");
            let likely = reranker.iter().map(|&reranker| [-random.f32() * 4.0 - 0.1, reranker]).collect();
            (List { likely, rest: -1.0 }, right.then_some(best))
        };
        let lists: Vec<(List, Option<usize>)> = (0..400).map(|number| draw(number % 4 > 0)).collect();
        let mix = Mix::fit(&lists);
        assert!(mix.reranker > 5.0 * mix.network.abs(), "{mix:?}");
        let others: f32 = lists.iter().map(|(list, _)| mix.probabilities(list)[3]).sum::<f32>() / 400.0;
        assert!((others - 0.25).abs() < 0.02, "{others}");
    }
}

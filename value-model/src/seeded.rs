//! Random numbers that depend on a seed, and on nothing else.

use std::hash::{Hash, Hasher};

use fastrand::Rng;
use twox_hash::XxHash64;

/// A generator for one draw: its numbers depend on the key alone, which holds the user's seed and what distinguishes this
/// draw from others of the seed. So a draw does not depend on the number of draws before it.
pub fn seeded(key: impl Hash) -> Rng {
    let mut hasher = XxHash64::default();
    key.hash(&mut hasher);
    Rng::with_seed(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs are to be repeated on other machines and by later versions: the first numbers are pinned.
    #[test]
    fn the_key_decides() {
        let numbers = |key: (u64, &str)| -> Vec<u32> {
            let mut random = seeded(key);
            (0..4).map(|_| random.u32(..100)).collect()
        };
        assert_eq!(numbers((7, "total")), [62, 76, 86, 11]);
        assert_ne!(numbers((7, "total")), numbers((8, "total")));
        assert_ne!(numbers((7, "total")), numbers((7, "limit")));
    }
}

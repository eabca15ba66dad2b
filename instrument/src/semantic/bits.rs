//! A set of the names of one scope, by their index.

/// A growable bit set. Few scopes have more names than its first word holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bits {
    first: u64,
    rest: Vec<u64>,
}

impl Bits {
    pub(crate) fn contains(&self, index: u32) -> bool {
        let word = match index as usize / 64 {
            0 => self.first,
            word => self.rest.get(word - 1).copied().unwrap_or_default(),
        };
        word >> (index % 64) & 1 == 1
    }

    pub(crate) fn insert(&mut self, index: u32) {
        let bit = 1 << (index % 64);
        let Some(word) = (index as usize / 64).checked_sub(1) else {
            self.first |= bit;
            return;
        };
        if word >= self.rest.len() {
            self.rest.resize(word + 1, 0);
        }
        self.rest[word] |= bit;
    }

    pub(crate) fn remove(&mut self, index: u32) {
        let word = match index as usize / 64 {
            0 => Some(&mut self.first),
            word => self.rest.get_mut(word - 1),
        };
        if let Some(word) = word {
            *word &= !(1 << (index % 64));
        }
    }

    pub(crate) fn intersect(&mut self, other: &Bits) {
        self.first &= other.first;
        self.rest.truncate(other.rest.len());
        for (mine, theirs) in self.rest.iter_mut().zip(&other.rest) {
            *mine &= theirs;
        }
    }

    pub(crate) fn union(&mut self, other: &Bits) {
        self.first |= other.first;
        if self.rest.len() < other.rest.len() {
            self.rest.resize(other.rest.len(), 0);
        }
        for (mine, theirs) in self.rest.iter_mut().zip(&other.rest) {
            *mine |= theirs;
        }
    }
}

//! Windows over a tokenized file: stretches that the encoder reads at once, with the sites that are asked there.

use super::vocabulary::MARKS;

/// Size of windows, in tokens and marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Most tokens and marks of a window.
    pub length: usize,
    /// Tokens and marks in the middle whose sites are asked; the rest is context on both sides.
    pub zone: usize,
}

/// A stretch of tokens, with marks for the sites in the middle of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Window {
    /// Tokens of the source, with marks among them.
    pub ids: Vec<u32>,
    /// Number of the site and the mark, for each mark in `ids`, in their order.
    pub asked: Vec<(usize, u32)>,
}

/// Covers all sites with windows; `sites` are the indices of the tokens before which their marks stand, ascending.
///
/// `skip` tokens are left to a first, shorter zone, so that training sees each site in different contexts; marks are
/// numbered from `first_mark` on, round about.
pub fn windows(
    tokens: &[u32],
    sites: &[u32],
    marks: &[u32],
    shape: Shape,
    skip: usize,
    first_mark: usize,
) -> Vec<Window> {
    let mut windows = Vec::new();
    let most = MARKS.min(marks.len()).min(shape.zone / 2);
    let (mut next, mut start, mut budget) = (0, 0, if skip == 0 { shape.zone } else { skip });
    while next < sites.len() {
        // Code before the next site is context at best; but where everything fits, all is read.
        let whole = tokens.len() + sites.len() <= shape.length && sites.len() <= most;
        if !whole {
            start = start.max((sites[next] as usize).saturating_sub(budget / 2));
        }
        let first = next;
        let mut end = start;
        while next < sites.len() && next - first < most {
            let reached = sites[next] as usize;
            if !whole && reached - start + (next - first) + 1 > budget && next > first {
                break;
            }
            end = reached;
            next += 1;
        }
        let end = if whole { tokens.len() } else { end };
        windows.push(window(tokens, &sites[first..next], first, start..end, shape.length, marks, first_mark));
        (start, budget) = (end, shape.zone);
    }
    windows
}

/// Makes a window of sites whose tokens lie in `zone`, with as much context as fits, evenly on both sides.
fn window(
    tokens: &[u32],
    sites: &[u32],
    number: usize,
    zone: std::ops::Range<usize>,
    length: usize,
    marks: &[u32],
    first_mark: usize,
) -> Window {
    let room = length.saturating_sub(zone.len() + sites.len());
    let after = (tokens.len() - zone.end).min((room / 2).max(room.saturating_sub(zone.start)));
    let before = zone.start.min(room - after);
    let mut ids = Vec::with_capacity(length);
    let mut asked = Vec::with_capacity(sites.len());
    let mut copied = zone.start - before;
    for (offset, &site) in sites.iter().enumerate() {
        ids.extend_from_slice(&tokens[copied..site as usize]);
        copied = site as usize;
        let mark = marks[(first_mark + offset) % marks.len()];
        ids.push(mark);
        asked.push((number + offset, mark));
    }
    ids.extend_from_slice(&tokens[copied..zone.end + after]);
    Window { ids, asked }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape { length: 64, zone: 32 };

    fn marks() -> Vec<u32> {
        (1000..1000 + MARKS as u32).collect()
    }

    fn check(tokens: &[u32], sites: &[u32], skip: usize) -> Vec<Window> {
        let found = windows(tokens, sites, &marks(), SHAPE, skip, 5);
        let mut asked = 0;
        for window in &found {
            assert!(window.ids.len() <= SHAPE.length, "{} tokens", window.ids.len());
            for &(site, mark) in &window.asked {
                assert_eq!(site, asked, "each site once, in order");
                asked += 1;
                let at = window.ids.iter().position(|id| *id == mark).expect("the mark is there");
                let before = window.ids[..at].iter().rev().find(|id| **id < 1000);
                assert_eq!(before.copied(), (sites[site] as usize).checked_sub(1).map(|at| tokens[at]));
            }
        }
        assert_eq!(asked, sites.len());
        found
    }

    #[test]
    fn small_files_are_read_whole() {
        let tokens: Vec<u32> = (0..40).collect();
        let found = check(&tokens, &[1, 5, 5, 39, 40], 0);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].ids.len(), 45);
    }

    #[test]
    fn every_site_is_asked_once_whatever_the_file() {
        let tokens: Vec<u32> = (0..1000).collect();
        let dense: Vec<u32> = (1..=1000).collect();
        let sparse: Vec<u32> = (1..=1000).step_by(97).collect();
        for skip in [0, 1, 7, 31] {
            check(&tokens, &dense, skip);
            check(&tokens, &sparse, skip);
            check(&tokens, &[1000], skip);
        }
        assert!(windows(&tokens, &[], &marks(), SHAPE, 0, 0).is_empty());
    }

    #[test]
    fn context_stands_on_both_sides() {
        let tokens: Vec<u32> = (0..1000).collect();
        let found = check(&tokens, &[500], 0);
        let at = found[0].ids.iter().position(|id| *id >= 1000).expect("a mark");
        assert!(at >= 24 && found[0].ids.len() - at >= 24, "{at} of {}", found[0].ids.len());
    }
}

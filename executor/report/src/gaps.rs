//! Blank lines that are not worth showing: a function that runs in its place has one for each line of its file before it.

/// So many blank lines in a row are shown as they are.
const SHOWN: u32 = 5;

/// The last line of the gap that begins at a line; none if there is no gap.
pub(crate) fn at(line: u32, count: u32, is_blank: impl Fn(u32) -> bool) -> Option<u32> {
    let length = (line..=count).take_while(|&line| is_blank(line)).count() as u32;
    (length > SHOWN).then(|| line + length - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_gaps_are_left_out() {
        let blank = |line: u32| (3..=9).contains(&line) || line == 12;
        assert_eq!([1, 3, 5, 12].map(|line| at(line, 20, blank)), [None, Some(9), None, None]);
    }
}

//! What is open around the use at hand, while text is emitted.

/// Ranges inside of one another, with what closes each. Uses come in the order of evaluation, outer ones first; inner
/// ones may come in another order than that of the text (`[f(x) for x in y]`).
pub(super) struct Nest<T> {
    open: Vec<(u32, u32, T)>,
}

impl<T> Nest<T> {
    pub(super) fn new() -> Self {
        Self { open: Vec::with_capacity(32) }
    }

    /// What ends before a range, the innermost first; an empty range lies behind all that end there.
    pub(super) fn leave(&mut self, start: u32, end: u32) -> Option<(u32, T)> {
        let &(from, to, _) = self.open.last()?;
        let inside = from <= start && if start == end { start < to } else { end <= to };
        if inside { None } else { self.open.pop().map(|(_, end, close)| (end, close)) }
    }

    pub(super) fn push(&mut self, start: u32, end: u32, close: T) {
        self.open.push((start, end, close));
    }

    pub(super) fn last(&mut self) -> Option<&mut T> {
        self.open.last_mut().map(|(_, _, close)| close)
    }

    pub(super) fn pop(&mut self) -> Option<(u32, T)> {
        self.open.pop().map(|(_, end, close)| (end, close))
    }
}

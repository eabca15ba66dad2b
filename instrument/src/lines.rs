//! Byte offsets to lines and columns.

/// Where each line starts. Lines end at `\n`, `\r\n` or a lone `\r`, as in CPython's tokenizer.
pub struct LineIndex {
    starts: Vec<u32>,
    /// For each stretch of [`STRETCH`] bytes, the line in which it starts (from 0): most look-ups end there.
    stretches: Vec<u32>,
}

const STRETCH: u32 = 64;

impl LineIndex {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        if memchr::memchr(b'\r', bytes).is_none() {
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at as u32 + 1));
        } else {
            let ends = memchr::memchr2_iter(b'\n', b'\r', bytes);
            let ends = ends.filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'));
            starts.extend(ends.map(|at| at as u32 + 1));
        }
        let mut stretches = Vec::with_capacity(bytes.len() / STRETCH as usize + 1);
        for (line, &next) in (0..).zip(&starts[1..]) {
            // Stretches that start before the next line lie in this one or in those before.
            stretches.resize(next.div_ceil(STRETCH) as usize, line);
        }
        stretches.resize(bytes.len() / STRETCH as usize + 1, starts.len() as u32 - 1);
        Self { starts, stretches }
    }

    /// Line (from 1) of an offset.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        let stretch = (offset / STRETCH) as usize;
        let from = self.stretches[stretch.min(self.stretches.len() - 1)] as usize;
        let lines = self.starts[from + 1..].iter().take_while(|&&start| start <= offset);
        (from + 1 + lines.count()) as u32
    }

    /// True if an offset that does not lie before a line (from 1) lies on it.
    #[must_use]
    pub(crate) fn is_on(&self, line: u32, offset: u32) -> bool {
        self.starts.get(line as usize).is_none_or(|&next| offset < next)
    }

    /// Line (from 1) and column (bytes, from 0) of an offset.
    #[must_use]
    pub fn position(&self, offset: u32) -> (u32, u32) {
        let line = self.line(offset);
        (line, offset - self.starts[line as usize - 1])
    }

    /// Offset at which a line (from 1) starts; the last start for lines past the end.
    #[must_use]
    pub fn start(&self, line: u32) -> u32 {
        let last = self.starts.len() - 1;
        self.starts[(line.max(1) as usize - 1).min(last)]
    }

    /// Number of lines.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }
}

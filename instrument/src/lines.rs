//! Byte offsets to lines and columns.

/// Where each line starts. Lines end at `\n`, `\r\n` or a lone `\r`, as in CPython's tokenizer.
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes a text.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        starts.push(0);
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Self { starts }
    }

    /// Line (from 1) of an offset.
    #[must_use]
    pub fn line(&self, offset: u32) -> u32 {
        self.starts.partition_point(|&start| start <= offset) as u32
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

//! A version of a file, parsed once however much is asked about it.

use std::cell::OnceCell;

use surmise_engine::source::Source;
use surmise_instrument::{Error, SourceModel};

/// A source with its model, which is made when it is first asked for.
pub struct File {
    /// Name and text of the file.
    pub source: Source,
    model: OnceCell<Result<SourceModel, Error>>,
}

impl File {
    /// A file that has not been parsed yet.
    pub fn new(source: Source) -> Self {
        Self { source, model: OnceCell::new() }
    }

    /// The model of the text, or why there is none.
    ///
    /// # Errors
    /// If the text does not parse.
    pub fn parsed(&self) -> Result<&SourceModel, &Error> {
        self.model.get_or_init(|| SourceModel::parse(self.source.text.as_str())).as_ref()
    }

    /// The model of the text; a file that does not parse counts as one without functions and imports.
    pub fn model(&self) -> Option<&SourceModel> {
        self.parsed().ok()
    }

    /// The text of the file.
    pub fn text(&self) -> &str {
        &self.source.text
    }
}

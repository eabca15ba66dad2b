//! Names that mean the same in the modules of both versions: where they do not, a value that goes by a name is another one in
//! each version, or none.

use std::collections::{BTreeMap, BTreeSet};

use surmise_engine::protocol::Literal;
use surmise_instrument::SourceModel;
use surmise_instrument::checked::{bindings, is_builtin};
use surmise_instrument::extract::imported;

use super::checked_values::Checked;

/// What the modules of both versions bind names to.
#[derive(Debug)]
pub(crate) struct NamesOfBoth {
    /// The statements that bind a name, by version.
    bound: [BTreeMap<String, BTreeSet<String>>; 2],
    /// Names that the code of a version reads.
    read: [BTreeSet<String>; 2],
}

impl NamesOfBoth {
    /// `models` are what runs of them, `modules` their texts.
    pub(crate) fn of(models: [&SourceModel; 2], modules: [String; 2]) -> Self {
        let bound = modules.map(|text| SourceModel::parse(text).map(|model| bindings(&model)).unwrap_or_default());
        Self { bound, read: models.map(|model| imported(model).names) }
    }

    /// False for the value of a name, and for an instance of the class under a name, that means something else in one version.
    pub(crate) fn has(&self, value: &Literal) -> bool {
        let Some(name) = name_in(value) else { return true };
        let root = name.split('.').next().unwrap_or_default();
        match self.bound.each_ref().map(|bound| bound.get(root)) {
            [Some(old), Some(new)] => old == new,
            // It is a builtin, or missing in both.
            [None, None] => self.read.iter().all(|names| names.contains(root)) || is_builtin(root),
            _ => false,
        }
    }

    /// Leaves out values that are not of both.
    pub(crate) fn keep(&self, checked: &mut Checked) {
        for values in checked.values_mut() {
            values.retain(|(_, value)| value.as_ref().is_none_or(|value| self.has(value)));
        }
        checked.retain(|_, values| !values.is_empty());
    }
}

/// The name by which a value goes, if it does.
pub(crate) fn name_in(value: &Literal) -> Option<&str> {
    match value {
        Literal::Named(name) | Literal::Member(name) | Literal::Instance(name) => Some(name),
        _ => None,
    }
}

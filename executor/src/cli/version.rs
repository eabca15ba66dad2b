//! What `--version` says: the program, and what its results depend on.

use std::sync::LazyLock;

use surmise_identity::Identity;

/// Digits of a hash that are shown.
const DIGITS: usize = 12;

/// The version with the Python that is linked, the weights that are built in, and libtorch.
pub(super) fn text() -> &'static str {
    static TEXT: LazyLock<String> = LazyLock::new(|| {
        let weights = Identity::built_in().model.unwrap_or_default();
        let torch = if cfg!(feature = "torch") { "libtorch 2.11.0" } else { "without libtorch" };
        let weights = weights.get(..DIGITS).unwrap_or(&weights);
        format!(
            "{} (CPython {}, model {weights}, {torch})",
            env!("CARGO_PKG_VERSION"),
            surmise_interpreter::full_version()
        )
    });
    &TEXT
}

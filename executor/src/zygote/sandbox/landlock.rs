//! Step 14: Landlock, a second lock on what the namespaces already keep apart.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::view::{TEMPORARY, View};

/// What is asked for; kernels that know less do less.
const VERSION: ABI = ABI::V7;
/// Devices, the run's own processes, names.
const OWN: [&str; 3] = ["/dev", "/proc", "/etc"];

/// Why Landlock does not hold.
#[derive(Debug, thiserror::Error)]
pub(super) enum LandlockError {
    #[error("{0}")]
    Rules(#[from] RulesetError),
    #[error("the kernel has no Landlock, or does not use it")]
    Missing,
}

/// Reading, writing below scratch layers, signals and abstract sockets within the run. Where the run has no root of its
/// own, reading only what that would have shown; where it has no network namespace, no TCP.
pub(super) fn restrict(view: &View, scratch: bool, own_network: bool) -> Result<(), LandlockError> {
    let read = AccessFs::from_read(VERSION);
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(VERSION))?.scope(Scope::from_all(VERSION))?;
    if !own_network {
        ruleset = ruleset.handle_access(AccessNet::from_all(VERSION))?;
    }
    let mut rules = ruleset.create()?;
    if scratch {
        // The root holds what the view shows and nothing else; what was left behind, such as our own executable, is
        // not below it.
        rules = allow(rules, Path::new("/"), read)?;
    } else {
        for path in view.readable().chain(OWN.map(Path::new)) {
            rules = allow(rules, path, read)?;
        }
    }
    rules = allow(rules, Path::new("/dev/null"), AccessFs::from_file(VERSION))?;
    if scratch {
        let layers = view.layers.iter().map(|layer| layer.target.as_path());
        for path in [TEMPORARY, "/dev/shm"].map(Path::new).into_iter().chain(layers) {
            rules = allow(rules, path, AccessFs::from_all(VERSION))?;
        }
    }
    match rules.restrict_self()?.ruleset {
        RulesetStatus::NotEnforced => Err(LandlockError::Missing),
        RulesetStatus::PartiallyEnforced | RulesetStatus::FullyEnforced => Ok(()),
    }
}

/// What is not there cannot be reached either.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    let Ok(file) = PathFd::new(path) else {
        return Ok(rules);
    };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(VERSION) };
    rules.add_rule(PathBeneath::new(file, access))
}

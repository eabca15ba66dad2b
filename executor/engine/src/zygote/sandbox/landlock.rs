//! Step 14: Landlock, a second barrier where the namespaces already separate.

use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreated,
    RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};

use super::view::{TEMPORARY, View};

/// Version of the Landlock interface that is requested; older kernels enforce the part that they know.
const VERSION: ABI = ABI::V7;
/// Folders of the sandbox's own root: devices, the run's processes, user and host names.
const OWN: [&str; 3] = ["/dev", "/proc", "/etc"];

/// Why Landlock is not enforced.
#[derive(Debug, thiserror::Error)]
pub(super) enum LandlockError {
    #[error("{0}")]
    Rules(#[from] RulesetError),
    #[error("the kernel has no Landlock, or does not use it")]
    Missing,
}

/// Allows reading, writing below scratch layers, and signals and abstract sockets within the run. Without its own root,
/// the run may read only what that root would have shown; without its own network namespace, it gets no TCP.
pub(super) fn restrict(view: &View, scratch: bool, own_network: bool) -> Result<(), LandlockError> {
    let read = AccessFs::from_read(VERSION);
    let mut ruleset = Ruleset::default().handle_access(AccessFs::from_all(VERSION))?.scope(Scope::from_all(VERSION))?;
    if !own_network {
        ruleset = ruleset.handle_access(AccessNet::from_all(VERSION))?;
    }
    let mut rules = ruleset.create()?;
    if scratch {
        // The root contains only what the view shows; the machine's files, such as our own executable, are not below
        // it.
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

/// Confines signals and abstract sockets to a run and its children, which excludes its template. On kernels without
/// these scopes a run can end its template, but loses no more by it than its own report.
pub(super) fn keep_to_own() {
    let rules = Ruleset::default().scope(Scope::from_all(VERSION)).and_then(Ruleset::create);
    let _as_far_as_the_kernel_can = rules.and_then(RulesetCreated::restrict_self);
}

/// Adds a rule for a path; a path that does not exist needs none.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated, RulesetError> {
    let Ok(file) = PathFd::new(path) else {
        return Ok(rules);
    };
    let access = if path.is_dir() { access } else { access & AccessFs::from_file(VERSION) };
    rules.add_rule(PathBeneath::new(file, access))
}

//! Steps 11 and 16: which system calls a run may make.
//!
//! There are two filters, because the kernel takes a quarter of a millisecond to install a long one: the long
//! allow-list is installed once in the zygote, whose templates inherit it, and each template installs a short one that
//! forbids what only the set-up needed.
//!
//! Calls that are not listed fail with `ENOSYS`, so that the C library and Python do without them, as on an older
//! kernel. Listed calls with forbidden arguments fail with `EPERM`. No call kills the program: a refused call has no
//! effect either way, and an error that the program sees and the report shows is more informative than a killed
//! process.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

mod policy;

use policy::{ALLOWED, CLONE_NAMESPACES, LEGACY, SET_UP, SOCKET_FAMILIES, TERMINAL_INPUT};

/// Why a filter could not be installed.
#[derive(Debug, thiserror::Error)]
pub(super) enum SyscallError {
    #[error("the filter's rules: {0}")]
    Rules(#[from] BackendError),
    #[error("the kernel does not take the filter: {0}")]
    Install(#[from] seccompiler::Error),
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Installs the allow-list, in the zygote.
pub(super) fn allow_list() -> Result<(), SyscallError> {
    let mut rules: Rules = ALLOWED.iter().chain(LEGACY).chain(SET_UP).map(|&number| (number, Vec::new())).collect();
    // No new namespaces, because inside its own a program would have capabilities again. A filter cannot see the flags
    // of `clone3`, so that call fails with `ENOSYS`, and the C library falls back to `clone`.
    rules.insert(libc::SYS_clone, vec![rule(&[(0, SeccompCmpOp::MaskedEq(CLONE_NAMESPACES), 0)])?]);
    rules.insert(libc::SYS_unshare, vec![rule(&[(0, SeccompCmpOp::Eq, libc::CLONE_NEWNS as u64)])?]);
    install(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)
}

/// Installs the filter that forbids the calls of the set-up, in a template.
pub(super) fn lock() -> Result<(), SyscallError> {
    let mut rules: Rules = SET_UP.iter().map(|&number| (number, Vec::new())).collect();
    rules.insert(libc::SYS_unshare, Vec::new());
    // The terminal may be the user's, so a program must not type commands into it.
    let typed = TERMINAL_INPUT.iter().map(|&request| rule(&[(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, typed.collect::<Result<_, _>>()?);
    let other = SOCKET_FAMILIES.map(|family| (0, SeccompCmpOp::Ne, family));
    rules.insert(libc::SYS_socket, vec![rule(&other)?]);
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))
}

/// A rule that applies if all conditions hold, each given by argument number, comparison and value.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Result<SeccompRule, BackendError> {
    let conditions = conditions
        .iter()
        .map(|(argument, operator, value)| {
            SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
        })
        .collect::<Result<_, _>>()?;
    SeccompRule::new(conditions)
}

fn install(rules: Rules, otherwise: SeccompAction, matched: SeccompAction) -> Result<(), SyscallError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let program: BpfProgram = SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()?;
    Ok(apply_filter(&program)?)
}

//! Steps 11 and 16: which system calls there are.
//!
//! Two filters, since a filter costs the kernel a quarter of a millisecond to take in: the long allow-list once in the
//! zygote, whose workers inherit it, and in each worker a short one that takes away what only the set-up needed.
//!
//! What is not on the list does not exist (`ENOSYS`): the C library and Python then do without, as on an older kernel.
//! What exists and is refused says `EPERM`. Nothing is answered by killing: a refused call has no effect either way,
//! and an error that the program sees, and the report shows, says more than a death.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

mod policy;

use policy::{ALLOWED, CLONE_NAMESPACES, LEGACY, SET_UP, SOCKET_FAMILIES, TERMINAL_INPUT};

/// Why system calls are not filtered.
#[derive(Debug, thiserror::Error)]
pub(super) enum SyscallError {
    #[error("the filter's rules: {0}")]
    Rules(#[from] BackendError),
    #[error("the kernel does not take the filter: {0}")]
    Install(#[from] seccompiler::Error),
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// In the zygote.
pub(super) fn allow_list() -> Result<(), SyscallError> {
    let mut rules: Rules = ALLOWED.iter().chain(LEGACY).chain(SET_UP).map(|&number| (number, Vec::new())).collect();
    // No new namespaces: in one of its own a program would have capabilities again. `clone3` passes its flags where a
    // filter cannot see them, so it does not exist, and the C library falls back to `clone`.
    rules.insert(libc::SYS_clone, vec![rule(&[(0, SeccompCmpOp::MaskedEq(CLONE_NAMESPACES), 0)])?]);
    rules.insert(libc::SYS_unshare, vec![rule(&[(0, SeccompCmpOp::Eq, libc::CLONE_NEWNS as u64)])?]);
    install(rules, SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)
}

/// In the worker.
pub(super) fn lock() -> Result<(), SyscallError> {
    let mut rules: Rules = SET_UP.iter().map(|&number| (number, Vec::new())).collect();
    rules.insert(libc::SYS_unshare, Vec::new());
    // The terminal may be the user's: nobody types commands into it.
    let typed = TERMINAL_INPUT.iter().map(|&request| rule(&[(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, typed.collect::<Result<_, _>>()?);
    let other = SOCKET_FAMILIES.map(|family| (0, SeccompCmpOp::Ne, family));
    rules.insert(libc::SYS_socket, vec![rule(&other)?]);
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))
}

/// A rule of several conditions that must all hold: argument, comparison, value.
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

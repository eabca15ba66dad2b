//! Both versions at the same time, where there are processors for it.

use std::panic::resume_unwind;
use std::time::Duration;

use surmise_engine::address_space::stack_bytes;
use surmise_engine::client::{ClientError, Zygote};
use surmise_engine::execute::{self, Execution};
use surmise_engine::plan::{Plan, Settings, Trial};
use surmise_engine::stdin::Input;

/// Syntax trees are walked recursively.
const STACK_BYTES: usize = 512 << 20;

/// The settings of a run, the time that it may take, and its trial.
pub(super) type Prepared = ((Settings, Duration), Trial);

/// Makes a run of each version that has a plan: both at the same time where each has a zygote of its own, else one after the
/// other.
///
/// # Errors
/// When a worker process failed us.
pub(super) fn run_at_once(
    zygotes: &mut [Zygote],
    plans: [Option<&mut Plan>; 2],
    inputs: &mut [Input; 2],
    prepared: &[Prepared; 2],
) -> Result<[Option<Execution>; 2], ClientError> {
    for_both(zygotes, plans, inputs, |zygote, plan, input, number| {
        let ((settings, timeout), trial) = &prepared[number];
        execute::once(zygote, plan, settings, input, trial, *timeout)
    })
}

/// Calls `work` for each version that has a plan, with the version's index: 0 for the old one, 1 for the new one. Both calls run
/// in parallel where each version has a zygote of its own, otherwise one after the other.
///
/// # Errors
/// When a worker process failed us.
pub(super) fn for_both<R: Send>(
    zygotes: &mut [Zygote],
    plans: [Option<&mut Plan>; 2],
    inputs: &mut [Input; 2],
    work: impl Fn(&mut Zygote, &mut Plan, &mut Input, usize) -> Result<R, ClientError> + Sync,
) -> Result<[Option<R>; 2], ClientError> {
    let one = |zygote: &mut Zygote, plan: Option<&mut Plan>, input: &mut Input, number: usize| {
        plan.map(|plan| work(zygote, plan, input, number)).transpose()
    };
    let ([old_plan, new_plan], [old_input, new_input]) = (plans, inputs);
    let (old, new) = match zygotes {
        [old, new, ..] => std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(stack_bytes(STACK_BYTES, 2));
            let new = thread.spawn_scoped(scope, || one(new, new_plan, new_input, 1));
            let old = one(old, old_plan, old_input, 0);
            (old, new.map(|new| new.join().unwrap_or_else(|panic| resume_unwind(panic))))
        }),
        [both] => (one(both, old_plan, old_input, 0), Ok(one(both, new_plan, new_input, 1))),
        [] => unreachable!("versions need a zygote to run in"),
    };
    Ok([old?, new.map_err(ClientError::Setup)??])
}

/// What `make` makes of the numbers of both versions, at the same time.
pub(super) fn make_at_once<R: Send>(make: impl Fn(usize) -> R + Sync) -> [R; 2] {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(stack_bytes(STACK_BYTES, 2));
        let new = thread.spawn_scoped(scope, || make(1));
        let old = make(0);
        let new = new.map_or_else(|_no_thread| make(1), |new| new.join().unwrap_or_else(|panic| resume_unwind(panic)));
        [old, new]
    })
}

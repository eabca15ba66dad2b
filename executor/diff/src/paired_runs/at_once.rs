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
    let run = |zygote: &mut Zygote, plan: Option<&mut Plan>, input: &mut Input, prepared: &Prepared| {
        let ((settings, timeout), trial) = prepared;
        plan.map(|plan| execute::once(zygote, plan, settings, input, trial, *timeout)).transpose()
    };
    let ([old_plan, new_plan], [old_input, new_input], [old_run, new_run]) = (plans, inputs, prepared);
    let (old, new) = match zygotes {
        [old, new, ..] => std::thread::scope(|scope| {
            let new = scope.spawn(|| run(new, new_plan, new_input, new_run));
            let old = run(old, old_plan, old_input, old_run);
            (old, new.join().unwrap_or_else(|panic| resume_unwind(panic)))
        }),
        [both] => (run(both, old_plan, old_input, old_run), run(both, new_plan, new_input, new_run)),
        [] => unreachable!("versions need a zygote to run in"),
    };
    Ok([old?, new?])
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

//! Tests over real code and its mutants: one program, so that all of `support` has its use.

mod control_flow;
mod fuzz;
mod real_code;
mod support;

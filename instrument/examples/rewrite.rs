//! Prints the rewritten text of each file: `cargo run --example rewrite -- FILE...`.
#![allow(clippy::print_stdout)]

use surmise_instrument::{Options, instrument};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    for path in std::env::args().skip(1) {
        let source = std::fs::read_to_string(&path)?;
        print!("{}", instrument(&source, Options { python: (3, 11) })?.text);
    }
    Ok(())
}

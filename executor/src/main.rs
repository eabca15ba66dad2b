//! The `surmise` binary; see the library.

/// Parsing and rewriting allocate in small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    surmise::cli::main()
}

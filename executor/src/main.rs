//! The `surmise` binary; see the library.

/// The recorder's library, which the interpreters of recorded commands load: so the binary works wherever it is copied.
static RECORDER: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/../../../deps/libsurmise_recorder.so"));

/// Parsing and rewriting allocate in small pieces.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    surmise_trace::library::embed(RECORDER);
    surmise::cli::main()
}

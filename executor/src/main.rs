//! The `surmise` binary; see the library.

fn main() -> std::process::ExitCode {
    surmise::cli::main()
}

#!/usr/bin/env bash
# Tests of what needs libtorch (feature `torch`): `./dev torch`. Installs libtorch if LIBTORCH is not set. Once libtorch
# is installed, `./dev lint` lints this code, too.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ -z "${LIBTORCH:-}" ]; then
    scripts/install-libtorch.sh target/libtorch
    export LIBTORCH=$PWD/target/libtorch
fi
# The value model's own test programs have no build script that would tell them where it is.
export LD_LIBRARY_PATH=$LIBTORCH/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
# One selection of crates for both, so that each library is built once.
crates=(-p surmise-value-model -p surmise-executor)
cargo test "${crates[@]}" --features torch --lib --test reference
cargo test "${crates[@]}" --features torch --test whole training::

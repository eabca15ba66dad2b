#!/usr/bin/env bash
# Tests against a real llama.cpp server, part of `./dev test`, and `./dev llm` alone. Installs the server (the wheel of
# xllamacpp, 34 MB, nothing is compiled) into target/llama, and makes a model of random weights there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}/llama")
python=$folder/venv/bin/python
if ! "$python" -c 'import xllamacpp, gguf' 2>/dev/null; then
    rm -rf "$folder/venv"
    "${PYO3_PYTHON:-python3}" -m venv "$folder/venv"
    "$python" -m pip install --quiet --only-binary :all: --requirement scripts/requirements-llm.txt
fi
"$python" scripts/tiny_model.py "$folder/random.gguf"
export SURMISE_LLAMA_PYTHON=$python SURMISE_LLAMA_MODEL=$folder/random.gguf
cargo test --workspace --test llama

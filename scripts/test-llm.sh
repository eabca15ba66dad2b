#!/usr/bin/env bash
# Tests against a real llama.cpp server: `./dev llm`. Installs the server (llama-cpp-python, which is compiled for some
# minutes) into target/llama, and makes a model of random weights there.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$PWD/target/llama
python=$folder/venv/bin/python
if ! "$python" -c 'import llama_cpp.server, gguf' 2>/dev/null; then
    "${PYO3_PYTHON:-python3}" -m venv "$folder/venv"
    "$python" -m pip install --quiet 'llama-cpp-python[server]==0.3.36' 'gguf==0.19.0'
fi
"$python" scripts/tiny_model.py "$folder/random.gguf"
export SURMISE_LLAMA_PYTHON=$python SURMISE_LLAMA_MODEL=$folder/random.gguf
cargo test -p surmise-llm --test llama -- --ignored
cargo test -p surmise-executor --test whole -- --ignored llama

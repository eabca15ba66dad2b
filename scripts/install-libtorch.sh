#!/usr/bin/env bash
# Installs a CPU-only libtorch for tch from the package index: see usage.
set -euo pipefail

TORCH=2.11.0
CUDART=13.0.96
CUPTI=13.0.85

usage() {
    cat <<TEXT
usage: scripts/install-libtorch.sh FOLDER

Puts libtorch $TORCH into FOLDER (550 MB), for building with the feature \`torch\`:

  export LIBTORCH=FOLDER
  cargo build --release -p surmise-executor --features torch

Only the libraries of the wheels are used, so any Python with pip will do. libtorch_cpu.so names two CUDA libraries,
which are taken along; the GPU itself is not needed and not used.
TEXT
}

if [ $# -ne 1 ] || [ "$1" = --help ] || [ "$1" = -h ]; then
    usage
    [ $# -eq 1 ] || exit 2
    exit 0
fi
target=$1
if [ -e "$target/build-version" ] && [ "$(cat "$target/build-version")" = "$TORCH" ]; then
    echo "libtorch $TORCH is in $target already"
    exit 0
fi
for tool in cc python3; do
    command -v "$tool" >/dev/null || { echo "error: \`$tool\` was not found" >&2; exit 2; }
done

mkdir -p "$target"
work=$(mktemp -d "$target/unfinished.XXXXXX")
trap 'rm -rf "$work"' EXIT
python3 -m pip download --quiet --no-deps --no-cache-dir --only-binary=:all: --dest "$work/wheels" \
    --implementation cp --python-version 3.12 \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64 \
    "torch==$TORCH" "nvidia-cuda-runtime==$CUDART" "nvidia-cuda-cupti==$CUPTI"
python3 - "$work" <<'PYTHON'
import glob, os, sys, zipfile

work = sys.argv[1]
libraries = {"libtorch_cpu.so", "libc10.so", "libgomp.so.1", "libcudart.so.13", "libcupti.so.13"}
os.makedirs(f"{work}/torch/lib")
for wheel in glob.glob(f"{work}/wheels/*.whl"):
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.namelist():
            name = os.path.basename(member)
            if member.startswith("torch/include/"):
                archive.extract(member, work)
            elif name in libraries:
                with archive.open(member) as source, open(f"{work}/torch/lib/{name}", "wb") as target:
                    while part := source.read(1 << 20):
                        target.write(part)
PYTHON
# torch-sys links with -ltorch; the wheel's own file of that name would load CUDA's half of torch.
cc -shared -x c /dev/null -o "$work/torch/lib/libtorch.so" -Wl,-soname,libtorch.so -Wl,--no-as-needed \
    -L"$work/torch/lib" -Wl,-rpath-link,"$work/torch/lib" -ltorch_cpu -lc10 -Wl,-rpath,'$ORIGIN'
rm -rf "$target/include" "$target/lib"
mv "$work/torch/include" "$work/torch/lib" "$target/"
echo "$TORCH" >"$target/build-version"
echo "libtorch $TORCH is in $target"

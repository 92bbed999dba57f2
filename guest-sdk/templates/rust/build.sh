#!/bin/sh
# Builds policy.wasm.
set -eu
cd "$(dirname "$0")"
cargo build --release --target wasm32-wasip2 --target-dir target
cp target/wasm32-wasip2/release/policy.wasm policy.wasm

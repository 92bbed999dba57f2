#!/bin/sh
# Builds policy.wasm. The first time it fetches the compiler into .venv, and into node_modules the tool that makes a
# component of a module, unless `wasm-tools` is installed.
set -eu
cd "$(dirname "$0")"
test -f .venv/complete || {
    python3 -m venv --clear .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
    touch .venv/complete
}
.venv/bin/python -m ziglang cc --target=wasm32-wasi -mexec-model=reactor -Os -s -std=c11 -Wall -Wextra \
    -Wl,-z,stack-size=262144 policy.c json.c bindings/guest.c bindings/guest_component_type.o -o module.wasm
if command -v wasm-tools >/dev/null; then
    wasm-tools component new module.wasm --output policy.wasm
else
    test -f node_modules/.package-lock.json || npm ci --no-audit --no-fund
    npx --no-install jco new module.wasm --output policy.wasm
fi

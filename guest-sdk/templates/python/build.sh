#!/bin/sh
# Builds policy.wasm. The first time it fetches the tool into .venv.
set -eu
cd "$(dirname "$0")"
test -x .venv/bin/componentize-py || {
    python3 -m venv .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
}
.venv/bin/componentize-py --quiet --wit-path wit --world guest componentize --stub-wasi policy --output policy.wasm

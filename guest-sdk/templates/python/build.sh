#!/bin/sh
# Builds policy.wasm. The first time it fetches the tool into .venv.
set -eu
cd "$(dirname "$0")"
test -f .venv/complete || {
    python3 -m venv --clear .venv
    .venv/bin/pip install --quiet --disable-pip-version-check --requirement requirements.txt
    touch .venv/complete
}
# The variable says where packages of requirements.txt lie.
VIRTUAL_ENV=.venv .venv/bin/componentize-py --quiet --wit-path wit --world guest componentize --stub-wasi policy --output policy.wasm

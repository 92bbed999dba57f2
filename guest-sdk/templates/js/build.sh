#!/bin/sh
# Builds policy.wasm. The first time it fetches the tools into node_modules.
set -eu
cd "$(dirname "$0")"
test -d node_modules || npm install --no-audit --no-fund
npm run --silent build

#!/bin/sh
# Builds policy.wasm. The first time it fetches the tools into node_modules; if that breaks off, it starts anew.
set -eu
cd "$(dirname "$0")"
test -f node_modules/.package-lock.json || npm ci --no-audit --no-fund
npm run --silent build

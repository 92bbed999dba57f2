# The commands of every day, for `just` (https://just.systems). Without it, type the line below a recipe's name.
# CONTRIBUTING.md says when to run which.

# List the recipes.
default:
    @just --list --unsorted

# Build the programs, to try and to test them.
build:
    cargo build --release

# Run the tests of the programs: processes, pages, conventions, and every verdict table through the components.
test:
    cargo test --release

# Run the native tests of the policies, the analyzer and their libraries.
test-policies:
    cargo test-policies

# Run the tests of the analyzer's table of programs, and what command-guard makes of it.
test-programs:
    cargo test --release -p guard-shell -p policy-command-guard

# Run one module of the tests of whole processes, such as `just test-module docs::`.
test-module MODULE:
    cargo test --release -p guard-host --test all {{MODULE}}

# Let everything fail at random for so many seconds while calls are asked about, and print what happened.
storm SECONDS:
    GUARD_STORM_SECONDS={{SECONDS}} cargo test --release -p guard-host --test all storm -- --nocapture

# Run the verdict tables of one policy through its component, such as `just test-cases command-guard::`.
test-cases FILTER:
    cargo test --release -p guard-host --test cases {{FILTER}}

# Build everything that is tested with the lints of clippy; a warning is an error.
lint:
    RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings cargo test --release --no-run
    RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings cargo test-policies --no-run

# Format the code of both workspaces.
fmt:
    cargo fmt --all
    cargo fmt --manifest-path host/compiler/Cargo.toml

# Measure what a call costs on this machine.
bench:
    cargo bench -p guard-host

# Measure what a call costs, and keep the figures in host/cli/benches/kept/.
bench-keep:
    cargo bench -p guard-host --bench hook -- --keep

# Count how often the chain stops the calls of a file (docs/rates.md).
rates FILE:
    cargo build --release
    target/release/guard-host policy rates {{FILE}}

# Write the pages of the rules, policies/*/RULES.md, from the doc comments.
bless-rules:
    UPDATE_PAGES=1 cargo test --release -p guard-host --test all docs::rules

# Write the page of the rewrites, guest-sdk/docs/mutations.md, from their table.
bless-mutations:
    UPDATE_PAGES=1 cargo test --release -p guard-host --test all mutate::the_page_is_the_table

# Write the page of the harnesses, docs/harness-details.md, from their tables.
bless-harnesses:
    UPDATE_PAGES=1 cargo test --release -p guard-setup --lib the_page_of_harnesses_says_what_the_tables_say

# Write the page of the command line, docs/reference.md, from the help.
bless-reference:
    UPDATE_PAGES=1 cargo test --release -p guard-host --lib reference

# Write the page of what a call costs, docs/benchmarks.md, from host/cli/benches/kept/.
bless-benchmarks:
    UPDATE_PAGES=1 cargo test --release -p guard-host --test all docs::benchmarks

# Write the snapshots of what users read, tests/texts.
bless-texts:
    INSTA_UPDATE=always cargo test --release -p guard-host --test all -- --include-ignored

# Write the bindings of Rust and C from wit/.
bless-bindings:
    UPDATE_BINDINGS=1 cargo test --release -p guard-host --test all bindings::

# Run all that must hold before a change lands.
ci:
    .ci/run

# Build the projects of `guard-host new` with the tools of each language; needs a network.
ci-languages:
    .ci/languages

# Check licences, advisories, duplicates and sources of the dependencies; needs cargo-deny and a network.
deny:
    .ci/deny

# Make the files of a release in dist/, from a commit without changes (docs/releases.md).
release:
    .ci/release/build

# Build with the oldest supported version of Rust.
msrv:
    .ci/msrv

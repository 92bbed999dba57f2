//! A project's file never makes a verdict less severe.

use guard_contract::rank;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::layers::Layers;

fn calls() -> Vec<(&'static str, Value)> {
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    vec![
        bash("ls -la"),
        bash("git push"),
        bash("rm -rf /"),
        bash("rm -rf ./build"),
        bash("cat .env"),
        ("Write", json!({ "file_path": "src/main.ts", "content": "x" })),
        ("Write", json!({ "file_path": ".env", "content": "x" })),
        ("Edit", json!({ "file_path": "Dockerfile" })),
        ("WebFetch", json!({ "url": "https://example.com/" })),
        ("mcp__a__b", json!({ "path": ".env" })),
    ]
}

fn pick(from: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(from).prop_map(str::to_owned)
}

/// A line of an entry: valid, loosening, or nonsense.
fn key() -> impl Strategy<Value = String> {
    pick(&[
        "",
        "tools = []",
        "tools = [\"*\"]",
        "tools = [\"[\"]",
        "settings = { raise = [\"git-push\"] }",
        "settings = { lower = [\"rm-root\", \"git-push\"] }",
        "settings = { silence = [\"rm-root\", \"git-push\", \"shell-read-secret\"] }",
        "settings = { nonsense = 1 }",
        "settings = { blocked = [\"!*\"], confirm = [\"!*\"] }",
        "settings-file = \"missing.json\"",
        "settings-file = \"/dev/null\"",
        "settings-file = \"../..\"",
        "on-error = \"allow\"",
        "on-error = \"deny\"",
        "on-error = \"ask\"",
        "may-allow = true",
        "may-allow = false",
        "wasi = \"frozen\"",
        "sha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"",
        "limits = { time-ms = 10 }",
        "limits = { time-ms = 1500 }",
        "limits = { memory-mib = 1 }",
        "grants = { read = [\"/\", \"~\", \"${X}/y\"] }",
        "grants = { env = [\"HOME\"] }",
        "grants = { journal = { x = \"/tmp/x\" } }",
        "unknown = 1",
        "limits = 5",
    ])
}

fn entry() -> impl Strategy<Value = String> {
    let name = pick(&["ours", "command-guard", "protected-files", "self-protect", "config", "hook", "", "A b", "x"]);
    let source = pick(&[
        "",
        "source = \"builtin:command-guard\"",
        "source = \"builtin:protected-files\"",
        "source = \"builtin:none\"",
        "source = \"gone.wasm\"",
        "source = \"guard.toml\"",
        "source = \"/\"",
    ]);
    (name, source, prop::collection::vec(key(), 0..4))
        .prop_map(|(name, source, keys)| format!("[[policy]]\nname = \"{name}\"\n{source}\n{}\n", keys.join("\n")))
}

fn top() -> impl Strategy<Value = String> {
    pick(&[
        "",
        "",
        "",
        "min-version = \"0.0.1\"",
        "min-version = \"99.0.0\"",
        "preset = \"none\"",
        "on-malformed = \"allow\"",
        "bypass-ask = \"skip\"",
        "deadline-ms = 100",
        "lock = [\"command-guard\"]",
        "[audit]\npath = \"/dev/null\"",
        "= broken",
        "policy = 5",
        "policy = []",
        "\u{0}",
    ])
}

/// Usually a valid entry, so that many files are accepted.
fn file() -> impl Strategy<Value = String> {
    let sound = pick(&[
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings = { silence = [\"git-push\"] }\n",
        "[[policy]]\nname = \"command-guard\"\ntools = []\n",
        "[[policy]]\nname = \"protected-files\"\nsettings = { blocked = [\"!*\"], confirm = [\"!*\"] }\non-error = \"deny\"\n",
        "[[policy]]\nname = \"ours\"\nsource = \"gone.wasm\"\ntools = [\"Read\"]\n",
    ]);
    let entries = prop::collection::vec(prop_oneof![sound, entry()], 0..4);
    prop_oneof![
        4 => (top(), entries).prop_map(|(top, entries)| format!("{top}\n{}", entries.concat())),
        1 => any::<String>(),
    ]
}

#[test]
fn adding_any_project_file_lowers_no_verdict() {
    let layers = Layers::new();
    let calls = calls();
    let before = layers.decide(&calls);
    assert!(layers.load().problems.is_empty());
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig {
        cases: 64,
        failure_persistence: None,
        ..ProptestConfig::default()
    });
    let result = runner.run(&file(), |text| {
        layers.world.write("repo/.guard/guard.toml", &text);
        let after = layers.decide(&calls);
        for ((before, after), call) in before.iter().zip(&after).zip(&calls) {
            prop_assert!(
                rank(after.outcome) >= rank(before.outcome),
                "{call:?}: {:?} to {:?}",
                before.outcome,
                after.outcome
            );
            prop_assert!(before.skips_prompt || !after.skips_prompt, "{call:?} is granted");
        }
        Ok(())
    });
    layers.without_project();
    assert!(result.is_ok(), "{}", result.err().map(|error| error.to_string()).unwrap_or_default());
}

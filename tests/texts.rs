//! The words of every rule of every built-in policy, in one snapshot: rewording a rule changes one block of it.
//!
//! `INSTA_UPDATE=always cargo test --release -p guard-host --test all texts::` rewrites the snapshots. They only
//! contain words: the verdict of a call is written by hand, in the policies' cases.

use std::fmt::Write as _;
use std::path::Path;

use guard_contract::Wasi;
use guard_contract::{outcome_name, verdict::Verdict};
use guard_kit::suite::{self, Case, Subject, Suite};
use guard_state::AppDirs;
use serde_json::Value;

use crate::support::pages::root;

/// Compares words with the snapshot of this name. A verdict is asserted by hand.
macro_rules! assert_text {
    // The output of a command that must have this exit code.
    ($name:expr, $world:expr, $exit:expr, $ended:expr) => {{
        let mut transcript = $crate::support::texts::Transcript::default();
        transcript.add($world, $exit, &$ended);
        assert_text!($name, transcript.0)
    }};
    ($name:expr, $text:expr) => {
        insta::with_settings!({
            snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/texts"),
            prepend_module_to_snapshot => false,
            omit_expression => true,
        }, { insta::assert_snapshot!($name, $text) })
    };
}
pub(crate) use assert_text;

/// Returns the indexes of a rule's suites: the one named after the rule first, and those with settings last.
fn suites_for(rule: &str, suites: &[(String, Suite)]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..suites.len()).collect();
    order.sort_by_key(|index| (suites[*index].0 != rule, !suites[*index].1.settings.is_empty(), *index));
    order
}

/// Formats a call in one line: a command, or a tool and its input.
fn shown(case: &Case) -> String {
    let input = case.payload.as_ref().map_or(&case.input, |payload| payload.get("tool_input").unwrap_or(payload));
    let text = match input {
        Value::String(command) => command.clone(),
        Value::Object(input) if case.tool() == "Bash" && input.len() == 1 => input
            .get("command")
            .and_then(Value::as_str)
            .map_or_else(|| Value::Object(input.clone()).to_string(), str::to_owned),
        _ => format!("{} {input}", case.tool()),
    };
    text.replace('\n', "\\n")
}

/// Returns the words of the finding that determines the verdict.
fn words(rule: &str, verdict: &Verdict) -> Option<String> {
    let finding = &verdict.deciding()?.finding;
    let (outcome, message) = (outcome_name(finding.outcome), &finding.message);
    let remedy =
        if finding.remedy.is_empty() { String::new() } else { format!("\n  {}", finding.remedy.replace('\n', "\n  ")) };
    (finding.rule == rule).then(|| format!("{outcome}: {}{remedy}", message.replace('\n', "\n  ")))
}

#[test]
fn the_rules_say_what_the_snapshot_says() {
    let (root, home) = (root(), Path::new(env!("CARGO_TARGET_TMPDIR")).join("warm-home"));
    for folder in [".cache/guard-host", ".local/state/guard-host"] {
        guard_state::make_private(&home.join(folder)).unwrap();
    }
    let dirs = AppDirs::under_home(home.to_str().unwrap());
    let mut blocks = Vec::new();
    for builtin in guard_builtins::all() {
        let subject = Subject::policy(builtin.name, Wasi::Absent, &root, &dirs).unwrap();
        let files = suite::find(&root.join("policies").join(builtin.name).join("cases")).unwrap();
        let named = |path: &std::path::PathBuf| path.file_stem().unwrap().to_string_lossy().into_owned();
        let suites: Vec<(String, Suite)> = files.iter().map(|path| (named(path), suite::read(path).unwrap())).collect();
        let manifest = subject.manifests().next().unwrap().1;
        for rule in &manifest.rules {
            let found = suites_for(&rule.id, &suites).into_iter().find_map(|index| {
                let suite = &suites[index].1;
                let mut cases = suite.cases.iter().filter(|case| case.rule.as_ref() == Some(&rule.id)).peekable();
                cases.peek()?;
                let chain = subject.chain_for_suite(suite).unwrap();
                cases.find_map(|case| Some((shown(case), words(&rule.id, &suite::run(&chain, suite, case).verdict)?)))
            });
            let (call, words) = found.unwrap_or_else(|| panic!("no case of {} hits `{}`", builtin.name, rule.id));
            blocks.push((format!("{}: {}", builtin.name, rule.id), call, words));
        }
    }
    blocks.sort();
    let text = blocks.iter().fold(String::new(), |mut text, (rule, call, words)| {
        write!(text, "[{rule}]\n$ {call}\n{words}\n\n").unwrap();
        text
    });
    assert_text!("rules", text);
}

//! The Rego tests of a project's own rules.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::cases::{Tried, Untested};
use super::{ALL, Project};
use crate::cli::test::rego::TEST_BYTES;
use guard_config::read_settings;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Layer, Wasi};
use guard_kit::suite::rego::{POLICY, is_test, tests as rego_tests};
use guard_kit::suite::{Subject, SubjectError, SuiteOnChain, run_all};
use guard_state::files::read_text;

/// Runs the Rego tests next to the project's rules.
pub(super) fn run_rego_tests(project: &Project<'_>) -> Tried {
    let (mut count, mut mistakes) = (0, Vec::new());
    let prepared = project.prepare();
    let is_rego = |entry: &&Entry| entry.source == Source::Builtin(POLICY.to_owned()) && entry.layer == Layer::Project;
    for entry in prepared.members.iter().map(|member| &member.entry).filter(is_rego) {
        let policy_mistake = |text: &str, hint: &str| Untested::Policies(project.policy_mistake(entry, text, hint));
        let settings = rego_settings(entry).map_err(|text| policy_mistake(&text, ""))?;
        let has_tests = settings
            .get("files")
            .and_then(Value::as_object)
            .is_some_and(|files| files.keys().any(|file| is_test(Path::new(file))));
        if !has_tests {
            continue;
        }
        let of_subject = |error: SubjectError| policy_mistake(&error.to_string(), &error.hint);
        let subject = Subject::policy(POLICY, Wasi::Frozen, &project.root, project.dirs).map_err(of_subject)?;
        let tests = rego_tests(&subject, &settings, &project.root).map_err(of_subject)?;
        let on_chains: Vec<SuiteOnChain<'_>> =
            tests.suites.iter().map(|(file, suite)| (file.as_path(), suite, &tests.chain)).collect();
        let rules = &entry.settings_source.file;
        let shown = |path: &Path| path.strip_prefix(&project.root).unwrap_or(path).display().to_string();
        let (from, rules) = (shown(&tests_path(rules)), shown(rules));
        let hint = format!("`guard-host test {POLICY} {from} --settings-file {rules}` shows more");
        let (number, failed) = project.failures(&run_all(&subject, &[], &on_chains, ALL), &hint);
        count += number;
        mistakes.extend(failed);
    }
    Ok((count, mistakes))
}

/// Returns the path of a rule's Rego tests: the folder itself, or `x_test.rego` next to the file `x.rego`.
fn tests_path(rules: &Path) -> PathBuf {
    match rules.extension() {
        Some(extension) if extension == "rego" => {
            (rules.with_extension("").to_string_lossy().into_owned() + "_test.rego").into()
        }
        _ => rules.to_path_buf(),
    }
}

/// Returns the settings of an entry for the policy `rego`, with the tests of its rules.
fn rego_settings(entry: &Entry) -> Result<Map<String, Value>, String> {
    // The entry's own settings don't include the tests. The step `check` reports a file that can't be read.
    let mut settings = read_settings(&entry.settings_source.file).unwrap_or_default();
    let tests = tests_path(&entry.settings_source.file);
    if is_test(&tests) && tests.is_file() {
        let shown = tests.to_string_lossy();
        let text = read_text(&tests, TEST_BYTES).map_err(|error| format!("`{shown}` cannot be read: {error}"))?;
        let files = settings.entry("files").or_insert_with(|| json!({}));
        files.as_object_mut().and_then(|files| files.insert(shown.into_owned(), text.into()));
    }
    Ok(settings)
}

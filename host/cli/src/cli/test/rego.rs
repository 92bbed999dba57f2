//! The Rego tests: those in the settings, and test files among the fixtures.

use std::path::Path;

use serde_json::{Map, Value};

use super::{subject_error, suite_error};
use crate::cli::args::TestArgs;
use crate::cli::subject::exit_error;
use guard_contract::exit::Exit;
pub(super) use guard_kit::suite::rego::{POLICY, is_test};
use guard_kit::suite::rego::{RegoTests, tests as found};
use guard_kit::suite::{Subject, SuiteOnChain, find_tests};
use guard_redact::plain;

/// The maximum size of a test file, in bytes.
pub(in crate::cli) const TEST_BYTES: u64 = 1 << 20;

/// Returns the settings for suites without their own.
pub(super) fn settings(args: &TestArgs, cwd: &Path) -> anyhow::Result<Map<String, Value>> {
    let Some(file) = &args.settings_file else { return Ok(Map::new()) };
    guard_config::read_settings(&cwd.join(file))
        .map_err(|problem| exit_error(Exit::Data, problem.to_string(), problem.hint.clone()))
}

/// Returns whether a JSON file is data of the settings, instead of cases.
pub(super) fn is_data(args: &TestArgs, path: &Path, cwd: &Path) -> bool {
    let folder = args.settings_file.as_ref().filter(|_| args.policy == POLICY).map(|file| cwd.join(file));
    path.extension().is_some_and(|extension| extension == "json")
        && folder.is_some_and(|folder| folder.is_dir() && path.starts_with(folder))
}

/// Returns the tests. `None` if there are no test files.
pub(super) fn tests(
    args: &TestArgs,
    subject: &Subject,
    mut settings: Map<String, Value>,
    cwd: &Path,
) -> anyhow::Result<Option<RegoTests>> {
    if args.policy != POLICY {
        return Ok(None);
    }
    let folder = settings.get("file").and_then(Value::as_str).map(Path::new).map(Path::to_path_buf);
    let mut modules = settings.get("files").and_then(Value::as_object).cloned().unwrap_or_default();
    for fixture in &args.fixtures {
        for path in find_tests(&cwd.join(fixture)).map_err(|error| suite_error(error, cwd))? {
            // The settings' folder may already contain this file.
            let below = folder.as_ref().and_then(|folder| path.strip_prefix(folder).ok());
            if below.is_some_and(|below| modules.contains_key(&*below.to_string_lossy())) {
                continue;
            }
            if args.settings_file.is_none() {
                let text = format!("`{}` tests rules that are not named", plain(&fixture.to_string_lossy()));
                return Err(exit_error(Exit::Usage, text, "name them with `--settings-file`"));
            }
            let text = guard_state::files::read_text(&path, TEST_BYTES)
                .map_err(|error| exit_error(Exit::NoInput, format!("{}: {error}", path.display()), ""))?;
            modules.insert(path.to_string_lossy().into_owned(), text.into());
        }
    }
    if !modules.keys().any(|path| is_test(Path::new(path))) {
        return Ok(None);
    }
    settings.insert("files".to_owned(), modules.into());
    if args.coverage {
        settings.insert("coverage".to_owned(), true.into());
    }
    found(subject, &settings, cwd).map(Some).map_err(|error| subject_error(&error, None))
}

/// Returns the suites of the tests, with the chain that runs them.
pub(super) fn suites_with_chains(tests: &RegoTests) -> impl Iterator<Item = SuiteOnChain<'_>> {
    tests.suites.iter().map(|(file, suite)| (file.as_path(), suite, &tests.chain))
}

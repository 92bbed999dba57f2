//! The cases and Rego tests that a change removes, and the cases whose expectation it weakens.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::Project;
use super::report::Remark;
use guard_contract::{outcome_named, rank};
use guard_kit::suite;
use guard_kit::suite::Case;
use guard_redact::{plain, shorten};

/// The maximum length of a shown case, in bytes.
const SHOWN: usize = 80;

/// Returns whether a file is in a folder of cases in a `.guard`.
pub(super) fn is_case_file(file: &str) -> bool {
    let (folder, _) = file.rsplit_once('/').unwrap_or_default();
    let mut names = folder.split('/').skip_while(|name| *name != ".guard");
    names.any(|name| name == "cases")
}

/// Returns a warning for each case of the revision that is gone or expects less. A case is identified by its call, so
/// that it can be renamed or moved.
pub(super) fn weakened_cases(project: &Project<'_>) -> Vec<Remark> {
    let Some(base) = &project.base else { return Vec::new() };
    let files: Vec<&str> = base.files.iter().map(String::as_str).filter(|file| is_case_file(file)).collect();
    let roots = project.roots();
    let files_now = roots.iter().flat_map(|root| suite::find(&Path::new(root).join(".guard")).unwrap_or_default());
    let mut now: Vec<PathBuf> = files_now.filter(|file| is_case_file(&file.to_string_lossy())).collect();
    if let Some(cases) = &project.args.cases {
        now.extend(suite::find(&project.root.join(cases)).unwrap_or_default());
    }
    let now: Vec<Case> = now.iter().flat_map(|file| cases(file)).collect();
    let describe = |case: &Case| {
        let same: Vec<&Case> = now.iter().filter(|other| call(other) == call(case)).collect();
        let strictest = same.iter().map(|other| mildest(other)).max();
        let shown = shorten(&plain(&case.title()), SHOWN);
        let before = case.expect.0.join(", ");
        match strictest {
            None => Some(format!("the case `{shown}` was removed since {}", base.name)),
            Some(strictest) if strictest < mildest(case) => {
                let now = same.iter().map(|other| other.expect.0.join(", ")).collect::<Vec<_>>().join(", ");
                Some(format!("the case `{shown}` expects {now}, was {before} at {}", base.name))
            }
            Some(_) => proves_less(case, &same).map(|what| format!("the case `{shown}` {what} at {}", base.name)),
        }
    };
    let remarks = |file: &&str| {
        let texts = cases(&base.folder.join(file)).iter().filter_map(describe).collect::<Vec<_>>();
        let path = project.root.join(file);
        texts.into_iter().map(move |text| Remark::warning(project.mistake(&path, None, text, ""))).collect::<Vec<_>>()
    };
    // The step `test` fails for a folder that lost all its cases.
    let has_cases = |file: &&&str| {
        let folder = Path::new(file).parent().map(|folder| project.root.join(folder));
        folder.is_some_and(|folder| suite::find(&folder).is_ok_and(|files| !files.is_empty()))
    };
    files.iter().filter(has_cases).flat_map(remarks).collect()
}

/// Returns whether a file in a `.guard` has Rego tests.
pub(super) fn is_rego_test(file: &str) -> bool {
    file.ends_with("_test.rego") && file.split('/').any(|name| name == ".guard")
}

/// Returns a warning for each file that lost Rego tests since the revision. One that is skipped, `todo_test_...`, is lost.
pub(super) fn lost_rego_tests(project: &Project<'_>) -> Vec<Remark> {
    let Some(base) = &project.base else { return Vec::new() };
    let tests = |file: &Path| -> BTreeSet<String> {
        let text = fs::read_to_string(file).unwrap_or_default();
        let name = |line: &str| {
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(line.len());
            line.get(..end).filter(|name| name.starts_with("test_")).map(str::to_owned)
        };
        text.lines().filter_map(name).collect()
    };
    let lost = |file: &String| {
        let path = project.root.join(file);
        let (before, now) = (tests(&base.folder.join(file)), tests(&path));
        let names: Vec<String> = before.difference(&now).map(|name| format!("`{name}`")).collect();
        let text = format!("Rego tests that ran at {} and no longer do: {}", base.name, names.join(", "));
        (!names.is_empty()).then(|| Remark::warning(project.mistake(&path, None, text, "")))
    };
    base.files.iter().filter(|file| is_rego_test(file)).filter_map(lost).collect()
}

/// Describes what a case at the revision proves and none of the cases with the same call do.
fn proves_less(case: &Case, same: &[&Case]) -> Option<String> {
    let rule = case.rule.as_ref().filter(|_| same.iter().all(|other| other.rule != case.rule));
    let has_other_facts = || same.iter().all(|other| other.facts != case.facts);
    match rule {
        Some(rule) => Some(format!("no longer expects the rule `{}`, as", plain(rule))),
        None => has_other_facts().then(|| "has other facts than".to_owned()),
    }
}

/// Returns the cases of a file. Another check reports a file that can't be read.
fn cases(file: &Path) -> Vec<Case> {
    suite::read(file).map(|suite| suite.cases).unwrap_or_default()
}

/// Returns the call of a case.
fn call(case: &Case) -> impl PartialEq {
    (case.tool.clone(), case.input.clone(), case.payload.clone(), case.harness.clone())
}

/// Returns the severity of the mildest outcome that a case accepts.
fn mildest(case: &Case) -> u8 {
    let ranks = case.expect.0.iter().filter_map(|name| outcome_named(name)).map(rank);
    ranks.min().unwrap_or_default()
}

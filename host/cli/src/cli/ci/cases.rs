//! The step `test`: the chain's cases, and those of the project's own rules in Rego and CEL.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::report::{Mistake, Remark, StepResult};
use super::weakened_cases::{lost_rego_tests, weakened_cases};
use super::{ALL, Configuration, Project, rego, split};
use crate::cli::print;
use crate::cli::test::{CEL, CHAIN};
use guard_config::read_settings;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Layer, Wasi};
use guard_kit::suite::rego::POLICY as REGO;
use guard_kit::suite::{self, Subject, SubjectError, Suite, SuiteError, SuiteOnChain, run_all};
use guard_state::AppDirs;

/// The default folder of the chain's cases.
const CASES: &str = ".guard/cases";

/// The name of the folder with a rule's cases, next to the rule.
const BESIDE: &str = "cases";

/// The number of cases, and the failures.
pub(super) type Tried = Result<(u64, Vec<Mistake>), Untested>;

/// Why no cases were run.
pub(super) enum Untested {
    /// The policies can't be used.
    Policies(Mistake),
    /// The cases can't be read.
    Cases(Mistake),
}

/// Checks that the cases of the chain and of the project's own rules pass, and the Rego tests too.
pub(super) fn test(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let cases = project.args.cases.clone().unwrap_or_else(|| CASES.into());
    let folder = project.root.join(&cases);
    let has_cases = folder.exists() || project.args.cases.is_some();
    let root = project.root.to_string_lossy().into_owned();
    let chain = if has_cases { run_chain_cases(project, &[root], &cases) } else { Ok((0, Vec::new())) };
    let (entries, warnings) = entries_with_cases(project, &folder);
    let of_rules = entries.iter().map(|(entry, folder)| run_rule_cases(project, entry, folder));
    let of_folders = folders_with_cases(project).into_iter();
    let of_folders = of_folders.filter(|(_, cases)| !entries.iter().any(|(_, known)| known == cases));
    let of_folders = of_folders.map(|(roots, cases)| run_chain_cases(project, &roots, &cases));
    let (mut count, mut mistakes, mut is_broken) = (0, removed_folders(project, &cases), false);
    for tried in [chain, rego::run_rego_tests(project)].into_iter().chain(of_folders).chain(of_rules) {
        match tried {
            Ok((number, failed)) => {
                count += number;
                mistakes.extend(failed);
            }
            // An earlier step has reported it with its location.
            Err(Untested::Policies(_)) if project.has_failed.get() => is_broken = true,
            Err(Untested::Policies(mistake) | Untested::Cases(mistake)) => mistakes.push(mistake),
        }
    }
    let result = match (mistakes.is_empty(), count) {
        (false, _) => StepResult::failed(mistakes),
        (true, _) if is_broken => StepResult::skipped("the policies can't be used, see above".to_owned()),
        (true, 0) => StepResult::skipped(format!("there is no `{CASES}`")),
        (true, count) => StepResult::passed(print::count(count, "case")),
    };
    let misplaced = if folder.exists() { Vec::new() } else { misplaced_folders(project) };
    let result = result.with_remarks(warnings).with_remarks(misplaced);
    Ok(result.with_remarks(weakened_cases(project)).with_remarks(lost_rego_tests(project)))
}

/// Returns a warning for each folder in `.guard` with cases that aren't run because of its name.
fn misplaced_folders(project: &Project<'_>) -> Vec<Remark> {
    let guard = project.root.join(".guard");
    let mut folders: Vec<PathBuf> =
        fs::read_dir(guard).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    folders.sort();
    let has_cases = |folder: &&PathBuf| {
        let files = if folder.is_dir() { suite::find(folder).unwrap_or_default() } else { Vec::new() };
        files.iter().any(|file| file.parent() == Some(folder) && suite::read(file).is_ok())
    };
    let remark = |folder: &PathBuf| {
        let text = format!("its cases aren't run: they are looked for in `{CASES}`");
        Remark::warning(project.mistake(folder, None, text, &format!("rename it to `{CASES}`")))
    };
    folders.iter().filter(has_cases).map(remark).collect()
}

/// Returns the folders of cases that exist at the revision, but no longer in the project.
fn removed_folders(project: &Project<'_>, cases: &Path) -> Vec<Mistake> {
    let Some(base) = &project.base else { return Vec::new() };
    let is_cases = |folder: &Path| {
        let is_beside = || folder.components().any(|part| part.as_os_str() == ".guard") && folder.ends_with(BESIDE);
        folder == cases || is_beside()
    };
    let parents = base.files.iter().filter_map(|file| Path::new(file).ancestors().skip(1).find(|at| is_cases(at)));
    let folders: BTreeSet<&Path> = parents.collect();
    let is_empty = |folder: &Path| !suite::find(&project.root.join(folder)).is_ok_and(|files| !files.is_empty());
    let removed = folders.into_iter().filter(|folder| is_empty(folder));
    removed
        .map(|folder| {
            let text = format!("it has no cases any more, and has some at {}", base.name);
            project.mistake(folder, None, text, "restore them, or run `ci` without `--against` if no case is needed")
        })
        .collect()
}

/// Returns the folders of cases in the project's folders that have a configuration, each with the roots of its chain.
/// Those of another repository belong to its own checks.
fn folders_with_cases(project: &Project<'_>) -> Vec<(Vec<String>, PathBuf)> {
    let root = project.root.to_string_lossy().into_owned();
    let nested = project.configurations.iter().filter(|configuration| configuration.root != root);
    let own: Vec<_> = nested.filter(|configuration| !configuration.is_foreign).collect();
    let with_cases = |folder: &Configuration| {
        let cases = Path::new(&folder.root).join(CASES);
        let has_cases = suite::find(&cases).is_ok_and(|files| !files.is_empty());
        let outer = own.iter().filter(|outer| Path::new(&folder.root).starts_with(&outer.root));
        let roots = std::iter::once(&root).chain(outer.map(|outer| &outer.root));
        has_cases.then(|| (roots.cloned().collect(), cases))
    };
    own.iter().filter_map(|folder| with_cases(folder)).collect()
}

/// Runs the cases of the chain of these roots, the last of which has the cases.
fn run_chain_cases(project: &Project<'_>, roots: &[String], cases: &Path) -> Tried {
    let file = AppDirs::project_file(roots.last().map_or("", String::as_str));
    let of_policies =
        |error: SubjectError| Untested::Policies(project.mistake(&file, None, error.to_string(), &error.hint));
    let subject = Subject::chain(project.dirs, &project.environment.program, roots).map_err(of_policies)?;
    subject.chain_for_suite(&Suite::default()).map_err(of_policies)?;
    let hint = match roots.len() {
        1 => format!("`guard-host test {CHAIN} {}` shows more", cases.display()),
        _ => String::new(),
    };
    run(project, &subject, read(project, &subject, &project.root.join(cases))?, &hint)
}

/// Reads the suites in a file or folder.
fn read(project: &Project<'_>, subject: &Subject, folder: &Path) -> Result<Vec<(PathBuf, Suite)>, Untested> {
    let failed = |error: SuiteError| {
        let (file, line) = split(&error.place);
        Untested::Cases(project.mistake(Path::new(file), line, error.text.clone(), &error.hint))
    };
    let mut suites = Vec::new();
    for file in suite::find(folder).map_err(failed)? {
        let suite = suite::read(&file).map_err(failed)?;
        suite::check_tools(&file, &suite, subject).map_err(failed)?;
        suites.push((file, suite));
    }
    if suites.is_empty() {
        let text = "there are no cases".to_owned();
        return Err(Untested::Cases(project.mistake(folder, None, text, "write some, or remove it")));
    }
    Ok(suites)
}

fn run(project: &Project<'_>, subject: &Subject, suites: Vec<(PathBuf, Suite)>, hint: &str) -> Tried {
    let mut chains = Vec::new();
    for (file, suite) in &suites {
        chains.push(subject.chain_for_suite(suite).map_err(|error| {
            let place = format!("{}{}", file.display(), suite::line_of_settings(file));
            let (file, line) = split(&place);
            Untested::Cases(project.mistake(Path::new(file), line, error.to_string(), &error.hint))
        })?);
    }
    let on_chains: Vec<SuiteOnChain<'_>> =
        suites.iter().zip(&chains).map(|((file, suite), chain)| (file.as_path(), suite, chain)).collect();
    Ok(project.failures(&run_all(subject, &on_chains, &[], ALL), hint))
}

/// Returns the project's entries with rules in Rego or CEL that have a folder of cases next to them, where `new`
/// creates it. `chain` is the folder with the chain's cases.
fn entries_with_cases(project: &Project<'_>, chain: &Path) -> (Vec<(Entry, PathBuf)>, Vec<Remark>) {
    let (mut found, mut warnings) = (Vec::<(Entry, PathBuf)>::new(), Vec::new());
    for entry in project.prepare().members.into_iter().map(|member| member.entry) {
        let rules = &entry.settings_source.file;
        let is_text = matches!(&entry.source, Source::Builtin(name) if name == REGO || name == CEL);
        if entry.layer != Layer::Project || !is_text || *rules == AppDirs::project_file(&entry.project) {
            continue;
        }
        let folder = if rules.is_dir() { Some(rules.as_path()) } else { rules.parent() };
        let folder = folder.unwrap_or(rules).join(BESIDE);
        if folder == chain || !suite::find(&folder).is_ok_and(|files| !files.is_empty()) {
            continue;
        }
        if let Some((other, _)) = found.iter().find(|(_, known)| *known == folder) {
            let text = format!("its cases are run for policy `{}`, and not for `{}`", other.name, entry.name);
            let hint = "give each policy a folder of its own";
            warnings.push(Remark::warning(project.mistake(&folder, None, text, hint)));
            continue;
        }
        found.push((entry, folder));
    }
    (found, warnings)
}

/// Runs the cases of a policy's own rules.
fn run_rule_cases(project: &Project<'_>, entry: &Entry, folder: &Path) -> Tried {
    let Source::Builtin(name) = &entry.source else { return Ok((0, Vec::new())) };
    let policy_mistake = |text: String, hint: &str| Untested::Policies(project.policy_mistake(entry, &text, hint));
    let rules = &entry.settings_source.file;
    let settings = read_settings(rules).map_err(|problem| policy_mistake(problem.text, &problem.hint))?;
    let subject = Subject::policy(name, Wasi::Frozen, &project.root, project.dirs)
        .map_err(|error| policy_mistake(error.to_string(), &error.hint))?;
    let with_settings = Suite { settings: settings.clone(), ..Suite::default() };
    subject.chain_for_suite(&with_settings).map_err(|error| policy_mistake(error.to_string(), &error.hint))?;
    let mut suites = read(project, &subject, folder)?;
    // In a folder of rules, JSON files are data.
    suites.retain(|(file, _)| !rules.is_dir() || file.extension().is_none_or(|extension| extension != "json"));
    for (_, suite) in suites.iter_mut().filter(|(_, suite)| suite.settings.is_empty()) {
        suite.settings.clone_from(&settings);
    }
    let shown = |path: &Path| path.strip_prefix(&project.root).unwrap_or(path).display().to_string();
    let hint = format!("`guard-host test {name} {} --settings-file {}` shows more", shown(folder), shown(rules));
    run(project, &subject, suites, &hint)
}

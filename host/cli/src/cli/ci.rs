//! `guard-host ci`: all checks of a project's own policies in one run.
//!
//! The project is checked as for a user who trusts it and has no configuration of their own. The configurations of the
//! machine and the user aren't used, and there are no network requests.

mod base;
mod cases;
mod recorded;
mod rego;
mod report;

use std::cell::Cell;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::{CiArgs, CiFormat};
use super::print;
use super::subject::{call_context, exit_error};
use super::test::complaints;
use base::Base;
use guard_config::lock::{Lock, LockedComponent};
use guard_config::problem::entry_location;
use guard_config::trust::{self, TrustError};
use guard_config::{candidate, load};
use guard_contract::Problem;
use guard_contract::exit::Exit;
use guard_contract::policy::Source;
use guard_hook::cache::{Prepared, prepare};
use guard_kit::compile::making;
use guard_kit::conformance::{State, examine};
use guard_kit::suite::{FinishedCase, Options, Run};
use guard_setup::check::Depth;
use guard_setup::findings::{self, Inspection};
use guard_setup::install::HookLocation;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use report::{Mistake, Remark, StepResult};

/// The checks that must pass, in order.
const STEPS: [(&str, Step); 7] = [
    ("lock", lock),
    ("check", check),
    ("trust", base::trust),
    ("settings", base::settings),
    ("test", cases::test),
    ("conformance", conformance),
    ("replay", recorded::check_recorded_calls),
];

/// Every case, once.
const ALL: Options<'static> = Options { filters: &[], fail_fast: false, repeat: NonZeroU32::MIN };

type Step = fn(&Project<'_>) -> anyhow::Result<StepResult>;

/// The project to check.
struct Project<'a> {
    args: &'a CiArgs,
    root: PathBuf,
    /// The project's guard.toml.
    file: PathBuf,
    dirs: &'a AppDirs,
    environment: &'a Environment,
    /// Why the guard.toml only applies after a person trusts it. `None` if it needs no trust.
    needs_trust: Option<Problem>,
    /// The project at the revision to compare with.
    base: Option<Base>,
    has_failed: Cell<bool>,
}

pub(super) fn run(args: &CiArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let root = call_context(environment, None).project_root;
    let file = AppDirs::project_file(&root);
    if !file.is_file() {
        let text = format!("there is no `{}`", file.display());
        return Err(exit_error(Exit::NoInput, text, "run it in a project that has one"));
    }
    let scratch = tempfile::tempdir()?;
    let none = |name: &str| scratch.path().join(name);
    let dirs = AppDirs {
        managed: none("managed.toml"),
        config: none("guard.toml"),
        state: none("state"),
        trust: none("state"),
        ..dirs.clone()
    };
    let base = args.against.as_deref().and_then(|name| Base::read(name, &root, &dirs, scratch.path()));
    let mut needs_trust = load(&dirs, std::slice::from_ref(&root)).problems.into_iter().next();
    // The check reports a file that can't be read and therefore not trusted.
    match candidate(&dirs, &root) {
        Ok(candidate) => trust::trust(&dirs, &root, &candidate.pins)?,
        Err(TrustError::Broken(_)) => needs_trust = None,
        Err(error) => return Err(error.into()),
    }
    let has_failed = Cell::new(false);
    let project = Project { args, root: root.into(), file, dirs: &dirs, environment, needs_trust, base, has_failed };
    let mut results = Vec::new();
    for (name, step) in STEPS {
        let result = step(&project)?;
        if args.format != CiFormat::Json {
            report::print(name, &result, args.format)?;
        }
        project.has_failed.set(project.has_failed.get() || result.is_failed());
        results.push((name, result));
    }
    if args.format == CiFormat::Json {
        print::json(&report::json(&results))?;
    }
    Ok(if project.has_failed.get() { Exit::Failures } else { Exit::Success })
}

/// Checks that the lock contains exactly what guard.toml uses, and that all of it is present.
fn lock(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let file = Lock::file(&project.file);
    let lock = match Lock::read(&file) {
        Ok(lock) => lock,
        Err(text) => return Ok(StepResult::failed(vec![project.mistake(&file, None, text, "restore the file")])),
    };
    let prepared = project.prepare();
    let mut mistakes = Vec::new();
    for locked in &lock.policy {
        if !is_named(&project.file, locked) {
            let text = format!("it pins `{}` from {}, which guard.toml does not name", locked.name, locked.source);
            let line = line_number(&file, &format!("name = \"{}\"", locked.name));
            mistakes.push(project.mistake(&file, line, text, "remove these lines, or name it in guard.toml"));
        }
    }
    for entry in prepared.members.iter().map(|member| &member.entry) {
        if let Some(Problem { text, hint, .. }) = &entry.refused {
            mistakes.push(project.policy_mistake(&entry.name, text, hint));
        }
    }
    Ok(match (mistakes.is_empty(), lock.policy.len()) {
        (true, 0) => StepResult::skipped("no policy comes from a registry".to_owned()),
        (true, count) => StepResult::passed(format!("{count} pinned")),
        (false, _) => StepResult::failed(mistakes),
    })
}

/// Checks that every policy accepts its settings and works.
fn check(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let prepared = project.prepare();
    let (all, missing) =
        (prepared.members.len(), prepared.members.iter().filter(|member| member.entry.refused.is_some()).count());
    let root = project.root.to_string_lossy().into_owned();
    let site = HookLocation { environment: project.environment, project: &project.root, dirs: project.dirs };
    let inspection = Inspection { depth: Depth::Calls, of_machine: false, making: Some(making()) };
    let found = findings::mistakes(prepared, site, std::slice::from_ref(&root), inspection);
    let (warnings, found): (Vec<_>, Vec<_>) = found.into_iter().partition(guard_setup::check::Mistake::is_warning);
    let warnings = warnings.iter().map(|one| Remark::warning(project.problem_mistake(&one.problem))).collect();
    // The step `lock` has already reported this.
    let found = found.into_iter().filter(|mistake| !mistake.problem.text.starts_with("it is not used"));
    let mistakes: Vec<_> = found
        .map(|mistake| {
            let Problem { hint, .. } = &mistake.problem;
            let text = guard_setup::check::text(&mistake);
            let text = text.strip_suffix(&format!("; {hint}")).unwrap_or(&text).to_owned();
            match (mistake.place(), &mistake.policy) {
                // A component has no lines, but its entry in guard.toml does.
                ((_, None), Some(policy)) => project.policy_mistake(policy, &text, hint),
                ((file, at), _) => project.mistake(Path::new(file), at.map(|(line, _)| line), text, hint),
            }
        })
        .collect();
    let result = match (mistakes.is_empty(), missing) {
        (true, 0) => StepResult::passed(format!("{all} in the chain")),
        (true, _) => StepResult::skipped(format!(
            "{missing} of {all} in the chain {} not here",
            if missing == 1 { "is" } else { "are" }
        )),
        (false, _) => StepResult::failed(mistakes),
    };
    Ok(result.with_remarks(warnings))
}

/// Checks that the project's own components meet the requirements for policies.
fn conformance(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let prepared = project.prepare();
    let (mut mistakes, mut count) = (Vec::new(), 0_u64);
    for entry in prepared.members.iter().map(|member| &member.entry) {
        let Source::File(path) = &entry.source else { continue };
        // Missing files are already reported.
        if entry.refused.is_some() || !path.is_file() {
            continue;
        }
        count += 1;
        let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
        let name = path.to_string_lossy();
        match examine(&name, entry.wasi, settings.as_object(), &project.root, project.dirs) {
            Ok(report) => {
                mistakes.extend(report.checks.iter().filter(|check| check.state == State::Failed).map(|check| {
                    let text = format!("conformance `{}`: {}", check.rule.id, check.problems.join("; "));
                    project.policy_mistake(&entry.name, &text, check.rule.advice)
                }))
            }
            Err(error) => mistakes.push(project.policy_mistake(&entry.name, &error.to_string(), &error.hint)),
        }
    }
    Ok(match (mistakes.is_empty(), count) {
        (true, 0) => StepResult::skipped("the project has no component of its own".to_owned()),
        (true, count) => StepResult::passed(print::count(count, "component")),
        (false, _) => StepResult::failed(mistakes),
    })
}

impl Project<'_> {
    /// Returns the number of cases that were run, and the failures.
    fn failures(&self, run: &Run<'_>, hint: &str) -> (u64, Vec<Mistake>) {
        let mistake = |done: &FinishedCase<'_>| {
            let line = Some(done.case.line).filter(|line| *line > 0);
            let text = format!("{}: {}", done.case.title(), complaints(done).join("; "));
            self.mistake(done.file, line, text, hint)
        };
        (run.done.len() as u64, run.failures().map(mistake).collect())
    }

    /// Prepares the chain of the project only.
    fn prepare(&self) -> Prepared {
        let root = self.root.to_string_lossy().into_owned();
        prepare(self.dirs, &self.environment.program, &[root], Some(making()))
    }

    /// Creates a mistake from a problem of the configuration.
    fn problem_mistake(&self, problem: &Problem) -> Mistake {
        let (file, line) = split(&problem.place);
        self.mistake(Path::new(file), line, problem.text.clone(), &problem.hint)
    }

    fn mistake(&self, file: &Path, line: Option<usize>, text: String, hint: &str) -> Mistake {
        let file = file.strip_prefix(&self.root).unwrap_or(file);
        Mistake { file: file.to_string_lossy().into_owned(), line, text, hint: hint.to_owned() }
    }

    /// Creates a mistake of an entry in guard.toml, with its line.
    fn policy_mistake(&self, policy: &str, text: &str, hint: &str) -> Mistake {
        let text = match text.strip_prefix(&format!("policy `{policy}`: ")) {
            Some(_) => text.to_owned(),
            None => format!("policy `{policy}`: {text}"),
        };
        let place = entry_location(&self.file, policy);
        let (file, line) = split(&place);
        self.mistake(Path::new(file), line, text, hint)
    }
}

/// Splits a location into the file and the line. It may also have a column.
fn split(place: &str) -> (&str, Option<usize>) {
    let cut = |text| -> Option<(&str, usize)> {
        let (rest, number): (&str, &str) = str::rsplit_once(text, ':')?;
        Some((rest, number.parse().ok()?))
    };
    match cut(place) {
        Some((rest, number)) => cut(rest).map_or((rest, Some(number)), |(file, line)| (file, Some(line))),
        None => (place, None),
    }
}

/// Returns whether a guard.toml has an entry with this name and address, even if it is disabled. The step `check`
/// reports a file that can't be read.
fn is_named(file: &Path, locked: &LockedComponent) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(table) = toml::from_str::<toml::Table>(&text) else { return true };
    let entries = table.get("policy").and_then(toml::Value::as_array).into_iter().flatten();
    let has = |entry: &toml::Value, key: &str, value: &str| entry.get(key).and_then(toml::Value::as_str) == Some(value);
    entries.into_iter().any(|entry| has(entry, "name", &locked.name) && has(entry, "source", &locked.source))
}

/// Returns the number of the first line that contains a text.
fn line_number(file: &Path, wanted: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().position(|line| line.contains(wanted)).map(|at| at + 1)
}

//! `guard-host ci`: all checks of a project's own policies in one run.
//!
//! The project is checked as for a user who trusts it and has no configuration of their own. The configurations of the
//! machine and the user aren't used, and there are no network requests.

mod base;
mod cases;
mod recorded;
mod rego;
mod report;
mod weakened_cases;

use std::cell::Cell;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::args::{CiArgs, CiFormat};
use super::print;
use super::replay::is_ignored;
use super::subject::{call_context, exit_error, folders_below};
use super::test::complaints;
use base::Base;
use guard_config::lock::{Lock, LockedComponent};
use guard_config::problem::entry_location;
use guard_config::trust::{self, TrustError};
use guard_config::{candidate, load};
use guard_contract::Problem;
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, Source};
use guard_hook::cache::{Prepared, prepare};
use guard_hook::nested::unconfigured_below;
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
    /// The configurations: the project's, and those of its folders.
    configurations: Vec<Configuration>,
    dirs: &'a AppDirs,
    environment: &'a Environment,
    /// The project at the revision to compare with.
    base: Option<Base>,
    has_failed: Cell<bool>,
}

/// A guard.toml of the project or of a folder in it.
struct Configuration {
    /// The folder, relative to the project's root. Empty for the project's own.
    folder: PathBuf,
    /// The project's root or the folder.
    root: String,
    /// Why a person must trust it first. `None` if it applies without trust.
    needs_trust: Option<Problem>,
    /// Whether it is in another repository, such as a submodule, whose files no revision of the project has.
    is_foreign: bool,
}

impl Configuration {
    /// Returns the project's configuration and those of its folders, as far as they exist.
    fn all(root: &str, folders: Vec<String>) -> Vec<Self> {
        let has_file = |root: &String| AppDirs::project_file(root).is_file();
        let roots = Some(root.to_owned()).filter(has_file).into_iter().chain(folders);
        let is_foreign = |folder: &str| {
            let mut above = Path::new(folder).ancestors().take_while(|above| *above != Path::new(root));
            above.any(|above| above.join(".git").exists())
        };
        let configuration = |folder: String| Configuration {
            is_foreign: is_foreign(&folder),
            folder: Path::new(&folder).strip_prefix(root).map(Path::to_path_buf).unwrap_or_default(),
            root: folder,
            needs_trust: None,
        };
        roots.map(configuration).collect()
    }

    /// Trusts the file as it is, and records whether a person would have to.
    fn trust(&mut self, dirs: &AppDirs) -> anyhow::Result<()> {
        let problems = load(dirs, std::slice::from_ref(&self.root)).problems;
        match candidate(dirs, &self.root) {
            Ok(candidate) => trust::trust(dirs, &self.root, &candidate.pins)?,
            // The check reports a file that can't be read and therefore not trusted.
            Err(TrustError::Broken(_) | TrustError::NoFile(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        }
        self.needs_trust = problems.into_iter().next();
        Ok(())
    }

    fn file(&self) -> PathBuf {
        AppDirs::project_file(&self.root)
    }
}

pub(super) fn run(args: &CiArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let root = call_context(environment, None).project_root;
    let mut configurations = Configuration::all(&root, folders_below(&root));
    if configurations.is_empty() {
        let text = format!("there is no `{}`", AppDirs::project_file(&root).display());
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
    configurations.iter_mut().try_for_each(|configuration| configuration.trust(&dirs))?;
    let has_failed = Cell::new(false);
    let project = Project { args, root: root.into(), configurations, dirs: &dirs, environment, base, has_failed };
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

/// Checks that each lock contains exactly what its guard.toml uses, and that all of it is present.
fn lock(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let (mut mistakes, mut count, mut is_readable) = (Vec::new(), 0, true);
    for configuration in project.configurations.iter().map(Configuration::file) {
        let file = Lock::file(&configuration);
        let lock = match Lock::read(&file) {
            Ok(lock) => lock,
            Err(text) => {
                mistakes.push(project.mistake(&file, None, text, "restore the file"));
                is_readable = false;
                continue;
            }
        };
        count += lock.policy.len();
        for locked in lock.policy.iter().filter(|locked| !is_named(&configuration, locked)) {
            let text = format!("it pins `{}` from {}, which guard.toml does not name", locked.name, locked.source);
            let line = line_number(&file, &format!("name = \"{}\"", locked.name));
            mistakes.push(project.mistake(&file, line, text, "remove these lines, or name it in guard.toml"));
        }
    }
    let members = if is_readable { project.prepare().members } else { Vec::new() };
    for entry in members.iter().map(|member| &member.entry) {
        if let Some(Problem { text, hint, .. }) = &entry.refused {
            mistakes.push(project.policy_mistake(entry, text, hint));
        }
    }
    Ok(match (mistakes.is_empty(), count) {
        (true, 0) => StepResult::skipped("no policy comes from a registry".to_owned()),
        (true, count) => StepResult::passed(format!("{count} pinned")),
        (false, _) => StepResult::failed(mistakes),
    })
}

/// Checks that every policy accepts its settings and works.
fn check(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let prepared = project.prepare();
    let entries: Vec<Entry> = prepared.members.iter().map(|member| member.entry.clone()).collect();
    let (all, missing) =
        (prepared.members.len(), prepared.members.iter().filter(|member| member.entry.refused.is_some()).count());
    let site = HookLocation { environment: project.environment, project: &project.root, dirs: project.dirs };
    let inspection = Inspection { depth: Depth::Calls, of_machine: false, making: Some(making()) };
    let mut folders = project.roots();
    folders.extend(unconfigured_below(&project.root.to_string_lossy()));
    let found = findings::mistakes(prepared, site, &folders, inspection);
    let (warnings, found): (Vec<_>, Vec<_>) = found.into_iter().partition(guard_setup::check::Mistake::is_warning);
    let warnings = warnings.iter().map(|one| Remark::warning(project.problem_mistake(&one.problem)));
    let warnings = warnings.chain(ignored_files(project)).collect();
    // The step `lock` has already reported this.
    let found = found.into_iter().filter(|mistake| !mistake.problem.text.starts_with("it is not used"));
    let mistakes: Vec<_> = found
        .map(|mistake| {
            let Problem { hint, .. } = &mistake.problem;
            let text = guard_setup::check::text(&mistake);
            let text = text.strip_suffix(&format!("; {hint}")).unwrap_or(&text).to_owned();
            let (file, at) = mistake.place();
            let is_of = |entry: &&Entry| mistake.policy.as_ref() == Some(&entry.name);
            let is_at = |entry: &&Entry| {
                [&entry.settings_source.file, &AppDirs::project_file(&entry.project)].contains(&&PathBuf::from(file))
                    || matches!(&entry.source, Source::File(path) if path == Path::new(file))
            };
            let mut of_policy = entries.iter().filter(is_of);
            match of_policy.clone().find(is_at).or_else(|| of_policy.next()).filter(|_| at.is_none()) {
                // A component has no lines, but its entry in guard.toml does.
                Some(entry) => project.policy_mistake(entry, &text, hint),
                None => project.mistake(Path::new(file), at.map(|(line, _)| line), text, hint),
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

/// Returns a warning for each configuration that no commit contains, because git ignores it.
fn ignored_files(project: &Project<'_>) -> impl Iterator<Item = Remark> {
    let own = project.configurations.iter().filter(|configuration| !configuration.is_foreign);
    own.map(Configuration::file).filter_map(move |file| {
        let is_ignored = is_ignored(&file.to_string_lossy(), &project.root.to_string_lossy());
        let text = "git ignores it, so its rules apply in this clone only".to_owned();
        let hint = "remove it from your `.gitignore`, then run `git add` and commit it";
        is_ignored.then(|| Remark::warning(project.mistake(&file, None, text, hint)))
    })
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
                    project.policy_mistake(entry, &text, check.rule.advice)
                }))
            }
            Err(error) => mistakes.push(project.policy_mistake(entry, &error.to_string(), &error.hint)),
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

    /// Returns the project's root and its folders that have a configuration.
    fn roots(&self) -> Vec<String> {
        let root = self.root.to_string_lossy().into_owned();
        let folders =
            self.configurations.iter().map(|configuration| &configuration.root).filter(|folder| **folder != root);
        [root.clone()].into_iter().chain(folders.cloned()).collect()
    }

    /// Prepares the chain of the project and its folders only.
    fn prepare(&self) -> Prepared {
        prepare(self.dirs, &self.environment.program, &self.roots(), Some(making()))
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

    /// Creates a mistake of an entry in a guard.toml, with its line.
    fn policy_mistake(&self, entry: &Entry, text: &str, hint: &str) -> Mistake {
        let policy = &entry.name;
        let text = match text.strip_prefix(&format!("policy `{policy}`: ")) {
            Some(_) => text.to_owned(),
            None => format!("policy `{policy}`: {text}"),
        };
        let place = entry_location(&AppDirs::project_file(&entry.project), policy);
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

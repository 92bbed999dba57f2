//! `guard-host ci`: all that a project's own policies must hold to, in one run.
//!
//! The project is tried as somebody has it who trusts it and has no configuration of their own. Nothing of the machine's
//! or the user's configuration counts, and no network is asked.

mod rego;

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::args::{CiArgs, CiFormat};
use super::print;
use super::replay::{CALLS, replay};
use super::subject::{Refused, circumstances, refused};
use super::test::github::{message, property};
use super::test::{CHAIN, complaints};
use guard_config::candidate;
use guard_config::load;
use guard_config::lock::{Lock, Locked};
use guard_config::problem::of_entry;
use guard_config::trust::{self, TrustError};
use guard_contract::Problem;
use guard_contract::exit::Exit;
use guard_contract::policy::Source;
use guard_hook::cache::{Prepared, prepare};
use guard_kit::compile::making;
use guard_kit::conformance::{State, examine};
use guard_kit::suite::{self, Done, Options, Run, Subject, SuiteOnChain, run_all};
use guard_state::Places;
use guard_state::environment::Environment;

/// The checks that must pass, in order.
const STEPS: [(&str, Step); 6] = [
    ("lock", lock),
    ("check", check),
    ("trust", needed_trust),
    ("test", test),
    ("conformance", conformance),
    ("replay", replayed),
];

/// Where the cases of the chain lie by default.
const CASES: &str = ".guard/cases";

/// Every case, once.
const ALL: Options<'static> = Options { filters: &[], fail_fast: false, repeat: NonZeroU32::MIN };

type Step = fn(&Project<'_>) -> anyhow::Result<Came>;

/// The result of a step.
enum Came {
    /// All holds: this.
    Passed(String),
    /// It was not tried: why.
    Skipped(String),
    Failed(Vec<Mistake>),
}

/// Something that does not hold.
struct Mistake {
    /// The file, from the project's root where it lies there.
    file: String,
    line: Option<usize>,
    text: String,
    hint: String,
}

/// The project as it is tried.
struct Project<'a> {
    args: &'a CiArgs,
    root: PathBuf,
    /// Its guard.toml.
    file: PathBuf,
    places: &'a Places,
    environment: &'a Environment,
    /// Why its guard.toml counts only where a person trusts it. Empty if it counts as it is.
    limited: String,
}

pub(super) fn run(args: &CiArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let root = circumstances(environment, None).project_root;
    let file = Places::project_file(&root);
    if !file.is_file() {
        let text = format!("there is no `{}`", file.display());
        return Err(refused(Exit::NoInput, text, "run it in a project that has one"));
    }
    let scratch = tempfile::tempdir()?;
    let none = |name: &str| scratch.path().join(name);
    let places = Places {
        managed: none("managed.toml"),
        config: none("guard.toml"),
        state: none("state"),
        trust: none("state"),
        ..places.clone()
    };
    let problems = load(&places, std::slice::from_ref(&root)).problems;
    let mut limited = problems.into_iter().map(|problem| problem.text).next().unwrap_or_default();
    // What cannot be trusted because it cannot be read is told by the check.
    match candidate(&places, &root) {
        Ok(candidate) => trust::trust(&places, &root, &candidate.pins)?,
        Err(TrustError::Broken(_)) => limited.clear(),
        Err(error) => return Err(error.into()),
    }
    let project = Project { args, root: root.into(), file, places: &places, environment, limited };
    let mut came = Vec::new();
    for (name, step) in STEPS {
        let of_step = step(&project)?;
        if args.format != CiFormat::Json {
            told(name, &of_step, args.format)?;
        }
        came.push((name, of_step));
    }
    if args.format == CiFormat::Json {
        print::json(&as_json(&came))?;
    }
    let failed = came.iter().any(|(_, came)| matches!(came, Came::Failed(_)));
    Ok(if failed { Exit::Failures } else { Exit::Success })
}

/// The lock pins what guard.toml names, and nothing else, and all of it is here.
fn lock(project: &Project<'_>) -> anyhow::Result<Came> {
    let file = Lock::file(&project.file);
    let lock = match Lock::read(&file) {
        Ok(lock) => lock,
        Err(text) => return Ok(Came::Failed(vec![project.mistake(&file, None, text, "restore the file")])),
    };
    let prepared = project.prepare();
    let mut mistakes = Vec::new();
    for locked in &lock.policy {
        if !is_named(&project.file, locked) {
            let text = format!("it pins `{}` from {}, which guard.toml does not name", locked.name, locked.source);
            let line = line_of(&file, &format!("name = \"{}\"", locked.name));
            mistakes.push(project.mistake(&file, line, text, "remove these lines, or name it in guard.toml"));
        }
    }
    for entry in prepared.members.iter().map(|member| &member.entry) {
        if let Some(Problem { text, hint, .. }) = &entry.refused {
            mistakes.push(project.of_policy(&entry.name, text, hint));
        }
    }
    Ok(match (mistakes.is_empty(), lock.policy.len()) {
        (true, 0) => Came::Skipped("no policy has an address".to_owned()),
        (true, count) => Came::Passed(format!("{count} pinned")),
        (false, _) => Came::Failed(mistakes),
    })
}

/// Every policy takes its settings and answers.
fn check(project: &Project<'_>) -> anyhow::Result<Came> {
    let prepared = project.prepare();
    let (all, missing) =
        (prepared.members.len(), prepared.members.iter().filter(|member| member.entry.refused.is_some()).count());
    let found = guard_setup::check::check(prepared, project.environment, &project.root.to_string_lossy());
    // What the lock says of a policy was told.
    let found = found.into_iter().filter(|mistake| !mistake.problem.text.starts_with("it is not used"));
    let mistakes: Vec<_> = found
        .map(|mistake| {
            let Problem { hint, .. } = &mistake.problem;
            let text = guard_setup::check::text(&mistake);
            let text = text.strip_suffix(&format!("; {hint}")).unwrap_or(&text).to_owned();
            match (mistake.place(), &mistake.policy) {
                // A component has no lines, and what stands in guard.toml has.
                ((_, None), Some(policy)) => project.of_policy(policy, &text, hint),
                ((file, at), _) => project.mistake(Path::new(file), at.map(|(line, _)| line), text, hint),
            }
        })
        .collect();
    Ok(match (mistakes.is_empty(), missing) {
        (true, 0) => Came::Passed(format!("{all} in the chain")),
        (true, _) => Came::Skipped(format!(
            "{missing} of {all} in the chain {} not here",
            if missing == 1 { "is" } else { "are" }
        )),
        (false, _) => Came::Failed(mistakes),
    })
}

/// Whether those who work in the project have to trust its guard.toml. Without that, each call of theirs is asked about.
fn needed_trust(project: &Project<'_>) -> anyhow::Result<Came> {
    let why = &project.limited;
    Ok(Came::Passed(match why.is_empty() {
        true => "not needed".to_owned(),
        false => format!(
            "needed: without `guard-host trust` every call is asked about, because {}",
            guard_redact::plain(why)
        ),
    }))
}

/// The chain gives the verdicts that the cases expect, and the tests in Rego hold.
fn test(project: &Project<'_>) -> anyhow::Result<Came> {
    let cases = project.args.cases.clone().unwrap_or_else(|| CASES.into());
    let folder = project.root.join(&cases);
    let (mut count, mut mistakes) = (0, Vec::new());
    let has_cases = folder.exists() || project.args.cases.is_some();
    let chain = if has_cases { of_chain(project, &cases) } else { Ok((0, Vec::new())) };
    for tried in [chain, rego::tried(project)] {
        match tried {
            Ok((number, failed)) => {
                count += number;
                mistakes.extend(failed);
            }
            Err(mistake) => mistakes.push(mistake),
        }
    }
    Ok(match (mistakes.is_empty(), count) {
        (true, 0) => Came::Skipped(format!("there is no `{CASES}`")),
        (true, count) => Came::Passed(print::count(count, "case")),
        (false, _) => Came::Failed(mistakes),
    })
}

/// How many cases there are, and what fails of them.
type Tried = Result<(u64, Vec<Mistake>), Mistake>;

/// The cases of the chain.
fn of_chain(project: &Project<'_>, cases: &Path) -> Tried {
    let folder = project.root.join(cases);
    let failed = |place: &str, text: String, hint: &str| {
        let (file, line) = split(place);
        project.mistake(Path::new(file), line, text, hint)
    };
    let root = project.root.to_string_lossy().into_owned();
    let subject = Subject::chain(project.places, &project.environment.program, &[root])
        .map_err(|error| failed(&project.file.to_string_lossy(), error.to_string(), &error.hint))?;
    let mut suites = Vec::new();
    let read = suite::find(&folder).and_then(|files| {
        files.into_iter().try_for_each(|file| {
            let suite = suite::read(&file)?;
            suite::check_tools(&file, &suite, &subject)?;
            suites.push((file, suite));
            Ok(())
        })
    });
    read.map_err(|error| failed(&error.place, error.text.clone(), &error.hint))?;
    let mut chains = Vec::new();
    for (file, suite) in &suites {
        chains.push(subject.chain_for_suite(suite).map_err(|error| {
            let place = format!("{}{}", file.display(), suite::line_of_settings(file));
            failed(&place, error.to_string(), &error.hint)
        })?);
    }
    let on_chains: Vec<SuiteOnChain<'_>> =
        suites.iter().zip(&chains).map(|((file, suite), chain)| (file.as_path(), suite, chain)).collect();
    let run = run_all(&subject, &on_chains, &[], ALL);
    if run.done.is_empty() {
        return Err(failed(&folder.to_string_lossy(), "there are no cases".to_owned(), "write some, or remove it"));
    }
    let hint = format!("`guard-host test {CHAIN} {}` shows more", cases.display());
    Ok(project.failures(&run, &hint))
}

/// The project's own components behave as every policy must.
fn conformance(project: &Project<'_>) -> anyhow::Result<Came> {
    let prepared = project.prepare();
    let (mut mistakes, mut count) = (Vec::new(), 0_u64);
    for entry in prepared.members.iter().map(|member| &member.entry) {
        let Source::File(path) = &entry.source else { continue };
        // What is not there was told.
        if entry.refused.is_some() || !path.is_file() {
            continue;
        }
        count += 1;
        let settings: Value = serde_json::from_str(&entry.settings).unwrap_or_default();
        let name = path.to_string_lossy();
        match examine(&name, entry.wasi, settings.as_object(), &project.root, project.places) {
            Ok(report) => {
                mistakes.extend(report.checks.iter().filter(|check| check.state == State::Failed).map(|check| {
                    let text = format!("conformance `{}`: {}", check.rule.id, check.problems.join("; "));
                    project.of_policy(&entry.name, &text, check.rule.advice)
                }))
            }
            Err(error) => mistakes.push(project.of_policy(&entry.name, &error.to_string(), &error.hint)),
        }
    }
    Ok(match (mistakes.is_empty(), count) {
        (true, 0) => Came::Skipped("the project has no component of its own".to_owned()),
        (true, count) => Came::Passed(print::count(count, "component")),
        (false, _) => Came::Failed(mistakes),
    })
}

/// No recorded call is judged milder than before.
fn replayed(project: &Project<'_>) -> anyhow::Result<Came> {
    let args = project.args;
    let Some(against) = &args.against else {
        return Ok(Came::Skipped("`--against` names no revision".to_owned()));
    };
    let calls = args.calls.clone().unwrap_or_else(|| CALLS.into());
    let file = project.root.join(&calls);
    let failed = |text: String, hint: &str| Ok(Came::Failed(vec![project.mistake(&file, None, text, hint)]));
    let scratch = tempfile::tempdir()?;
    let replayed = replay(Some(against), project.places, project.environment, |sources, revision, take| {
        let unreadable = |error| refused(Exit::NoInput, format!("`{}` cannot be read: {error}", calls.display()), "");
        let removed = removed_calls(&file, revision.map(|folder| folder.join(&calls)), scratch.path())?;
        if let Some(removed) = &removed {
            sources.read(removed, take).map_err(unreadable)?;
        }
        match file.is_file() || args.calls.is_some() {
            true => sources.read(&file, take).map_err(unreadable),
            false => Ok(()),
        }
    });
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(error) => match error.downcast::<Refused>()? {
            // The components of the other revision need not be here.
            Refused { exit: Exit::Unavailable, text, .. } => return Ok(Came::Skipped(text)),
            Refused { text, hint, .. } => return failed(text, &hint),
        },
    };
    if replayed.calls() == 0 && !file.is_file() {
        return Ok(Came::Skipped(format!("there is no `{CALLS}`")));
    }
    if replayed.calls() == 0 {
        return failed("it holds no call that can be read".to_owned(), "see `guard-host replay --help`");
    }
    let milder = replayed.loosened();
    if milder == 0 {
        return Ok(Came::Passed(format!(
            "{}, none judged milder than at {against}",
            print::count(replayed.calls(), "call")
        )));
    }
    let are = if milder == 1 { "is" } else { "are" };
    let text = format!("{} of it {are} judged milder than at {against}", print::count(milder, "call"));
    failed(text, &format!("`guard-host replay {} --against {against}` shows them", calls.display()))
}

/// A file with the recorded calls that the revision had and that the project no longer has: a change can't make calls
/// milder by removing their record. `None` if there are none.
fn removed_calls(now: &Path, before: Option<PathBuf>, scratch: &Path) -> anyhow::Result<Option<PathBuf>> {
    let Some(before) = before.filter(|before| before.is_file()) else { return Ok(None) };
    let (now, before) = (fs::read_to_string(now).unwrap_or_default(), fs::read_to_string(before)?);
    let kept: BTreeSet<&str> = now.lines().map(str::trim).collect();
    let removed: Vec<&str> = before.lines().filter(|line| !kept.contains(line.trim())).collect();
    if removed.is_empty() {
        return Ok(None);
    }
    let file = scratch.join("removed.jsonl");
    fs::write(&file, removed.join("\n"))?;
    Ok(Some(file))
}

impl Project<'_> {
    /// How many cases were run, and what fails of them.
    fn failures(&self, run: &Run<'_>, hint: &str) -> (u64, Vec<Mistake>) {
        let mistake = |done: &Done<'_>| {
            let line = Some(done.case.line).filter(|line| *line > 0);
            let text = format!("{}: {}", done.case.title(), complaints(done).join("; "));
            self.mistake(done.file, line, text, hint)
        };
        (run.done.len() as u64, run.failures().map(mistake).collect())
    }

    /// The chain of the project, and of nobody else.
    fn prepare(&self) -> Prepared {
        let root = self.root.to_string_lossy().into_owned();
        prepare(self.places, &self.environment.program, &[root], Some(making()))
    }

    fn mistake(&self, file: &Path, line: Option<usize>, text: String, hint: &str) -> Mistake {
        let file = file.strip_prefix(&self.root).unwrap_or(file);
        Mistake { file: file.to_string_lossy().into_owned(), line, text, hint: hint.to_owned() }
    }

    /// A mistake of an entry of guard.toml, with its line.
    fn of_policy(&self, policy: &str, text: &str, hint: &str) -> Mistake {
        let text = match text.strip_prefix(&format!("policy `{policy}`: ")) {
            Some(_) => text.to_owned(),
            None => format!("policy `{policy}`: {text}"),
        };
        let place = of_entry(&self.file, policy);
        let (file, line) = split(&place);
        self.mistake(Path::new(file), line, text, hint)
    }
}

/// The file and the line of a place, which may also have a column.
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

/// A guard.toml has an entry with this name and address, switched off or not. One that cannot be read is the check's matter.
fn is_named(file: &Path, locked: &Locked) -> bool {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let Ok(table) = toml::from_str::<toml::Table>(&text) else { return true };
    let entries = table.get("policy").and_then(toml::Value::as_array).into_iter().flatten();
    let has = |entry: &toml::Value, key: &str, value: &str| entry.get(key).and_then(toml::Value::as_str) == Some(value);
    entries.into_iter().any(|entry| has(entry, "name", &locked.name) && has(entry, "source", &locked.source))
}

/// The line of a file that holds a text.
fn line_of(file: &Path, wanted: &str) -> Option<usize> {
    let text = std::fs::read_to_string(file).ok()?;
    text.lines().position(|line| line.contains(wanted)).map(|at| at + 1)
}

/// Prints what came of a step.
fn told(name: &str, came: &Came, format: CiFormat) -> anyhow::Result<()> {
    let (state, text) = match came {
        Came::Passed(text) => ("ok", text.clone()),
        Came::Skipped(why) => ("skip", why.clone()),
        Came::Failed(mistakes) => ("FAIL", print::count(mistakes.len() as u64, "mistake")),
    };
    print::line(&format!("{} {name:<12} {text}", print::coloured(&format!("{state:<4}"), state)))?;
    let Came::Failed(mistakes) = came else { return Ok(()) };
    for Mistake { file, line, text, hint } in mistakes {
        let place = line.map_or_else(|| file.clone(), |line| format!("{file}:{line}"));
        match format {
            CiFormat::Github => {
                let line = line.map_or_else(String::new, |line| format!(",line={line}"));
                let text = if hint.is_empty() { text.clone() } else { format!("{text}\n{hint}") };
                print::line(&format!("::error file={}{line},title={name}::{}", property(file), message(&text)))?;
            }
            _ => {
                print::line(&format!("     {}: {}", guard_redact::plain(&place), guard_redact::plain(text)))?;
                if !hint.is_empty() {
                    print::line(&format!("       hint: {}", guard_redact::plain(hint)))?;
                }
            }
        }
    }
    Ok(())
}

fn as_json(came: &[(&str, Came)]) -> Value {
    let steps = came.iter().map(|(name, came)| {
        let mistake = |of: &Mistake| json!({ "file": of.file, "line": of.line, "text": of.text, "hint": of.hint });
        match came {
            Came::Passed(text) => json!({ "step": name, "state": "passed", "text": text, "mistakes": [] }),
            Came::Skipped(why) => json!({ "step": name, "state": "skipped", "text": why, "mistakes": [] }),
            Came::Failed(mistakes) => {
                let mistakes: Vec<Value> = mistakes.iter().map(mistake).collect();
                json!({ "step": name, "state": "failed", "text": "", "mistakes": mistakes })
            }
        }
    });
    json!({ "steps": steps.collect::<Vec<_>>() })
}

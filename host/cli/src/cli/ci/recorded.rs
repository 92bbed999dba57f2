//! The step `replay`: evaluates the recorded calls with the policies here and at the revision. Without a revision, only
//! checks that they can be read.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::report::{Mistake, Remark, StepResult};
use super::{Project, split};
use crate::cli::print;
use crate::cli::replay::{CALLS, Replayed, files_at, is_configuration, replay};
use crate::cli::subject::{Refused, exit_error};
use guard_config::problem::nearest_within;
use guard_contract::exit::Exit;

/// Checks that no recorded call is judged milder than before.
pub(super) fn check_recorded_calls(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let is_usual = project.args.calls.is_none();
    let result = judge_calls(project)?;
    Ok(match is_usual {
        true => result.with_remarks(misnamed_files(project)).with_remarks(calls_of_folders(project)),
        false => result,
    })
}

/// Returns a warning for each file with recorded calls in a folder of the project that has a configuration.
fn calls_of_folders(project: &Project<'_>) -> Vec<Remark> {
    let nested = project.configurations.iter().filter(|own| !own.is_foreign && !own.folder.as_os_str().is_empty());
    let files = nested.map(|configuration| Path::new(&configuration.root).join(CALLS)).filter(|file| file.is_file());
    let remark = |file: PathBuf| {
        let text = format!("its calls aren't judged: they are looked for in `{CALLS}` of the project's root");
        let hint = "move them there, with paths from the project's root";
        Remark::warning(project.mistake(&file, None, text, hint))
    };
    files.map(remark).collect()
}

/// Returns a warning for each file in `.guard` with recorded calls that aren't judged because of its name.
fn misnamed_files(project: &Project<'_>) -> Vec<Remark> {
    let right = project.root.join(CALLS);
    let Some(folder) = right.parent().filter(|_| !right.exists()) else { return Vec::new() };
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    files.sort();
    let is_meant = |file: &&PathBuf| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let is_like = || nearest_within(&name, &["calls.jsonl"], 3).is_some();
        file.is_file() && (file.extension().is_some_and(|end| end == "jsonl") || is_like())
    };
    let remark = |file: &PathBuf| {
        let text = format!("its calls aren't judged: they are looked for in `{CALLS}`");
        Remark::warning(project.mistake(file, None, text, &format!("rename it to `{CALLS}`")))
    };
    files.iter().filter(is_meant).map(remark).collect()
}

fn judge_calls(project: &Project<'_>) -> anyhow::Result<StepResult> {
    let args = project.args;
    let removed_calls = Cell::new(0);
    let calls = args.calls.clone().unwrap_or_else(|| CALLS.into());
    let file = project.root.join(&calls);
    let against = args.against.as_deref();
    if let Some(against) = against {
        let files = files_at(against, &project.root.to_string_lossy())?;
        if !Path::new(against).is_file() && !files.is_empty() && !files.iter().any(|file| is_configuration(file)) {
            return Ok(StepResult::skipped(format!("no configuration to compare with at {against}")));
        }
    } else if !file.is_file() {
        return Ok(StepResult::skipped("no `--against` revision".to_owned()));
    }
    let failed = |text: String, hint: &str| Ok(StepResult::failed(vec![project.mistake(&file, None, text, hint)]));
    let scratch = tempfile::tempdir()?;
    let replayed = replay(against, project.dirs, project.environment, |sources, revision, take| {
        let unreadable =
            |error| exit_error(Exit::NoInput, format!("`{}` cannot be read: {error}", calls.display()), "");
        let removed = write_removed_calls(&file, revision.map(|folder| folder.join(&calls)), scratch.path())?;
        if let Some(RemovedCalls { file, count }) = &removed {
            removed_calls.set(*count);
            sources.read(file, take).map_err(unreadable)?;
        }
        match file.is_file() || args.calls.is_some() {
            true => sources.read(&file, take).map_err(unreadable),
            false => Ok(()),
        }
    });
    let replayed = match replayed {
        Ok(replayed) => replayed,
        Err(error) => match error.downcast::<Refused>()? {
            Refused { exit: Exit::Config, .. } if project.has_failed.get() => {
                return Ok(StepResult::skipped("the configuration can't be used, see above".to_owned()));
            }
            Refused { text, hint, .. } => return failed(text, &hint),
        },
    };
    let mut mistakes = skipped_lines(project, &replayed, &file);
    let mut remarks = Vec::new();
    if let Some(against) = against {
        mistakes.extend(weaker_verdicts(project, &replayed, &file, against));
        remarks = removed_remark(project, &file, removed_calls.get(), against);
    }
    if !mistakes.is_empty() {
        return Ok(StepResult::failed(mistakes));
    }
    let result = match replayed.calls() {
        0 if !file.is_file() => Ok(StepResult::skipped(format!("there is no `{CALLS}`"))),
        0 => failed("no call in this file can be read".to_owned(), "see `guard-host replay --help`"),
        calls => {
            let calls = print::count(calls, "call");
            Ok(StepResult::passed(match against {
                Some(against) => format!("{calls}, none judged milder than at {against}"),
                None => format!("{calls} can be read, no `--against` revision"),
            }))
        }
    };
    Ok(result?.with_remarks(remarks))
}

/// Returns a warning if recorded calls were removed from the file: the next change is judged without them.
fn removed_remark(project: &Project<'_>, file: &Path, count: usize, against: &str) -> Vec<Remark> {
    if count == 0 {
        return Vec::new();
    }
    let calls = print::count(u64::try_from(count).unwrap_or(u64::MAX), "recorded call");
    let is_all = fs::read_to_string(file).unwrap_or_default().trim().is_empty();
    let text = match is_all {
        true => format!("no recorded call is left: {calls} removed since {against}"),
        false => format!("{calls} removed since {against}"),
    };
    let hint = format!("if that was a mistake, run `git checkout {against} -- {CALLS}`");
    vec![Remark::warning(project.mistake(file, None, text, &hint))]
}

/// The recorded calls that a change removes.
struct RemovedCalls {
    /// A file with these calls.
    file: PathBuf,
    count: usize,
}

/// Returns the lines that can't be read, which otherwise would silently protect nothing.
fn skipped_lines(project: &Project<'_>, replayed: &Replayed<'_>, calls: &Path) -> Vec<Mistake> {
    let mut found = Vec::new();
    for (reason, count, places) in replayed.skipped_lines() {
        let more = if count > places.len() as u64 { ", and more lines like it" } else { "" };
        // A line that was removed may be invalid.
        let places = places.iter().map(|place| split(place));
        for (_, line) in places.filter(|(file, _)| Path::new(file) == calls) {
            let text = format!("not read: {reason}{more}");
            found.push(project.mistake(calls, line, text, "correct the line, or remove it"));
        }
    }
    found
}

/// Returns a mistake for each call that is judged milder, up to a limit.
fn weaker_verdicts(project: &Project<'_>, replayed: &Replayed<'_>, file: &Path, against: &str) -> Vec<Mistake> {
    let text = fs::read_to_string(file).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (said, examples, unshown) in replayed.loosened_calls() {
        for (call, (path, line)) in examples {
            let is_removed = path != file;
            let line = usize::try_from(line).ok().filter(|line| (1..=lines.len()).contains(line) && !is_removed);
            let removed = if is_removed { " (removed from the file)" } else { "" };
            let text = format!("judged milder than at {against}: `{call}`{removed}: {said}");
            found.push(project.mistake(file, line, text, "make the rule as strict as it was"));
        }
        if let Some(last) = found.last_mut().filter(|_| unshown > 0) {
            last.text = format!("{}; {} more", last.text, print::count(unshown, "call"));
        }
    }
    found
}

/// Writes a file with the recorded calls that the revision has and the project no longer has, because a change can't
/// make calls milder by removing their record. `None` if no call was removed.
fn write_removed_calls(now: &Path, before: Option<PathBuf>, scratch: &Path) -> anyhow::Result<Option<RemovedCalls>> {
    let Some(before) = before.filter(|before| before.is_file()) else { return Ok(None) };
    let (now, before) = (fs::read_to_string(now).unwrap_or_default(), fs::read_to_string(before)?);
    let kept: BTreeSet<&str> = now.lines().map(str::trim).collect();
    let is_removed = |line: &&str| !line.trim().is_empty() && !kept.contains(line.trim());
    let removed: Vec<&str> = before.lines().filter(is_removed).collect();
    if removed.is_empty() {
        return Ok(None);
    }
    let file = scratch.join("removed.jsonl");
    fs::write(&file, removed.join("\n"))?;
    Ok(Some(RemovedCalls { file, count: removed.len() }))
}

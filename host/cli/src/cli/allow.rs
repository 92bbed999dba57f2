//! `guard-host allow`: stops prompts for a call, and undoes that.

mod choices;
mod covers;
mod narrow;
mod operations;
mod others;
mod parts;

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::args::{AllowArgs, Format};
use super::subject::{
    Evaluator, call_context, decider, edit_error, exit_error, install_error, is_sole_decider, tool_calls,
};
use super::terminal::{is_attended, terminal_error};
use super::{log, print};
pub(super) use choices::Setting;
use choices::{Change, Choices};
use guard_config::edit::{EditError, Target};
use guard_config::load;
use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::paths::lexical;
use guard_contract::shell_word::{quoted, word};
use guard_contract::{Layer, Outcome};
use guard_hook::audit::{Record, Selection};
use guard_hook::cache::warm;
use guard_hook::chain::Trace;
use guard_kit::compile::making;
use guard_platform::paths::{judged, native};
use guard_redact::{plain, redact, shorten};
use guard_setup::install::{EditedFile, apply};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::session::today;

/// The maximum number of asks in the log that are considered. The latest ones are used.
const LOGGED: usize = 2000;

/// The maximum number of other calls that are shown.
const SHOWN: usize = 10;

/// The maximum length of a shown command, in bytes.
const SHOWN_BYTES: usize = 160;

pub(super) fn run(args: &AllowArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if !args.remove.is_empty() {
        return remove(&args.remove, dirs, environment);
    }
    let config = load(dirs, &call_context(environment, None).projects());
    let is_change = args.command.is_some() || args.last || args.id.is_some();
    if let Some((text, hint)) = decider(&config, dirs).filter(|_| is_change) {
        if is_sole_decider(&config) {
            return Err(exit_error(Exit::Unavailable, format!("an allow has no effect here: {text}"), hint));
        }
        print::note(&format!("warning: {text}, and ignores the allow; {hint}"));
    }
    let question = match (&args.command, args.last || args.id.is_some()) {
        (Some(command), _) => Record { tool: "Bash".to_owned(), operation: command.clone(), ..Record::default() },
        (None, true) => {
            let asks = asks(&config.audit.path)?;
            let question = recorded(args, &asks)?;
            if args.id.is_none() {
                warn_of_denial(&config.audit.path, &question)?;
            }
            question
        }
        (None, false) => return list(&config.allows, args.format),
    };
    if !is_attended() {
        let what = match (&args.command, &args.id) {
            (Some(command), _) => quoted(&plain(command)),
            (None, Some(id)) => format!("--id {}", quoted(&plain(id))),
            (None, None) => "--last".to_owned(),
        };
        return Err(terminal_error("a command is allowed", &format!("guard-host allow {what}")));
    }
    let cwd = Some(question.cwd.as_str()).filter(|cwd| !cwd.is_empty());
    let at = call_context(environment, cwd);
    if let Some(problem) = load(dirs, &at.projects()).problems.first() {
        return Err(exit_error(Exit::Config, problem.to_string(), problem.hint.clone()));
    }
    let checked = with_options(args, &at)(Allow::for_command(Layer::User, vec!["x".to_owned()]));
    if let Err((text, hint)) = checked.clone().checked(&dirs.home) {
        return Err(exit_error(Exit::Usage, text, hint));
    }
    if checked.is_over(&today()) {
        return Err(exit_error(Exit::Usage, format!("`--until {}` is in the past", plain(&args.until)), ""));
    }
    let choices = Choices::for_call(&question, with_options(args, &at), &at, dirs, environment)?;
    let Some(chosen) = choices.pick(args, dirs, environment)? else {
        return print::line("nothing was changed").map(|()| Exit::Success);
    };
    let back = match chosen {
        Change::Allows(new) => add(new, dirs, environment, &at)?,
        Change::Settings(settings) => set(settings, dirs, environment, &at)?,
        Change::CopyInstead => copy_instead(dirs, environment, &at)?,
    };
    match remaining_rules(&question, &at, dirs, environment)? {
        Some(left) => print::line(&format!("{left}\nThe change is written; {back}"))?,
        None if matches!(chosen, Change::Allows(_)) => print::line(&format!("not asked about any more; {back}"))?,
        None => print::line(&format!("written; {back}"))?,
    }
    Ok(Exit::Success)
}

/// Returns the rules that still stop the call after the change, in its session. `None` if no rule does, or if it
/// can't be judged again.
fn remaining_rules(
    question: &Record,
    at: &CallContext,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Option<String>> {
    let Some(calls) = recorded_calls(question, at) else { return Ok(None) };
    let at = CallContext { session: question.session.clone(), ..at.clone() };
    let Some(trace) = Evaluator::open(dirs, environment, &at.projects())?.decide_in_session(&calls, &at) else {
        return Ok(None);
    };
    let verdict = trace.verdict;
    let stops = match verdict.outcome {
        Outcome::Ask => "still needs confirmation",
        Outcome::Deny => "is still denied",
        _ => return Ok(None),
    };
    let shown = shorten(&plain(&redact(&question.operation)), SHOWN_BYTES);
    let stopping = verdict.findings.iter().filter(|found| found.finding.outcome == verdict.outcome);
    let reasons = stopping.map(|found| format!("\n  {}: {}", found.rule(), first_line(&found.finding.message)));
    let reasons: BTreeSet<String> = reasons.collect();
    let mut text = format!("`{shown}` {stops}:{}", reasons.into_iter().collect::<String>());
    if verdict.asks().any(|asked| asked.policy == "session-guard") {
        let session = word(&plain(&question.session));
        text.push_str(&format!("\n  to forget the earlier calls: guard-host session clear --session {session}"));
    }
    Ok(Some(text))
}

/// Returns the calls of an ask. `None` if the log doesn't have their arguments.
fn recorded_calls(question: &Record, at: &CallContext) -> Option<Vec<ToolCall>> {
    let input = match question.tool.as_str() {
        "Bash" => Value::String(question.operation.clone()),
        // Policies that ask about a file only judge its path.
        "Read" | "Write" | "Edit" => {
            json!({ "file_path": lexical(&question.operation, &at.cwd, &at.home), "content": "" })
        }
        _ => Value::Object(recorded_input(question)?),
    };
    tool_calls(&question.tool, input).ok()
}

/// Returns the arguments of a call of a tool other than the shell, if the log has them.
fn recorded_input(question: &Record) -> Option<Map<String, Value>> {
    serde_json::from_str(&question.operation).ok().filter(|_| question.tool != "Bash")
}

fn first_line(message: &str) -> String {
    shorten(&plain(message.lines().next().unwrap_or_default()), SHOWN_BYTES)
}

/// Adds allows to the user's file. Returns how to undo that.
fn add(new: &[Allow], dirs: &AppDirs, environment: &Environment, at: &CallContext) -> anyhow::Result<String> {
    let edited = open(dirs)?;
    let target = target(dirs);
    let mut text = edited.text().map(str::to_owned);
    for allow in new {
        text = Some(target.allow(text.as_deref(), allow).map_err(edit_error)?);
    }
    write(edited, text, dirs, environment, at)?;
    let after = load(dirs, &at.projects()).allows;
    let last = after.iter().filter(|allow| allow.layer == Layer::User).count();
    let numbers: Vec<String> = (last + 1 - new.len().min(last)..=last).map(|number| number.to_string()).collect();
    Ok(format!("`guard-host allow --remove {}` takes it back", numbers.join(",")))
}

/// Adds items to lists in policies' settings in the user's file. Returns how to undo that.
pub(super) fn set(
    settings: &[Setting],
    dirs: &AppDirs,
    environment: &Environment,
    at: &CallContext,
) -> anyhow::Result<String> {
    let edited = open(dirs)?;
    let (mut text, mut lists) = (edited.text().map(str::to_owned), Vec::new());
    for Setting { policy, key, item } in settings {
        text = Some(target(dirs).extend(text.as_deref(), policy, key, item).map_err(edit_error)?);
        lists.push(format!("`{}` out of `{key}` of {policy}", plain(item)));
    }
    write(edited, text, dirs, environment, at)?;
    Ok(format!("take {} in {} to be asked again", lists.join(" and "), dirs.config.display()))
}

/// Enables backups in place of prompts in the user's file. Returns how to undo that.
pub(super) fn copy_instead(dirs: &AppDirs, environment: &Environment, at: &CallContext) -> anyhow::Result<String> {
    let edited = open(dirs)?;
    let after = target(dirs).copy_instead_of_ask(edited.text()).map_err(edit_error)?;
    write(edited, Some(after), dirs, environment, at)?;
    let file = dirs.config.display();
    Ok(format!("remove `instead-of-ask` from `[undo]` in {file} to be asked again"))
}

/// Returns the asks in the log, oldest first.
fn asks(path: &Path) -> anyhow::Result<Vec<Record>> {
    logged(path, "confirm_required")
}

/// Returns the calls in the log with this action, oldest first.
fn logged(path: &Path, action: &str) -> anyhow::Result<Vec<Record>> {
    let of = Selection { action: Some(action.to_owned()), ..Selection::default() };
    let mut calls = Vec::new();
    log::for_each_record(path, &of, |call, _| {
        calls.push(call.clone());
        Ok(())
    })?;
    Ok(calls)
}

/// Notes that a call was denied after the last ask, so that they aren't mistaken for each other.
fn warn_of_denial(path: &Path, question: &Record) -> anyhow::Result<()> {
    if let Some(denied) = logged(path, "block")?.last().filter(|denied| denied.ts > question.ts) {
        let shown = shorten(&plain(&redact(&denied.operation)), SHOWN_BYTES);
        print::note(&format!(
            "`{shown}` was denied after this question, but an allow can't lift a denial; `--last` means the question"
        ));
    }
    Ok(())
}

/// Returns the ask that the arguments select.
fn recorded(args: &AllowArgs, asks: &[Record]) -> anyhow::Result<Record> {
    let found = match &args.id {
        Some(id) => asks.iter().find(|ask| ask.id == *id),
        None => asks.last(),
    };
    let hint = "`guard-host audit show --action confirm_required` lists them; or name the command itself";
    let Some(found) = found else {
        return Err(exit_error(Exit::NoQuestion, "the audit log has no such prompt", hint));
    };
    Ok(found.clone())
}

/// Returns a function that adds the person's options to the narrowest allows: where they apply, why, and until when.
fn with_options(args: &AllowArgs, at: &CallContext) -> impl Fn(Allow) -> Allow {
    let within = if args.any_project { "project".to_owned() } else { root(at) };
    let (why, until) = (args.why.clone(), args.until.clone());
    move |allow| Allow { within: within.clone(), why: why.clone(), until: until.clone(), ..allow }
}

/// Returns the project's root with links resolved.
pub(super) fn root(at: &CallContext) -> String {
    let root = std::fs::canonicalize(native(&at.project_root));
    root.ok().and_then(judged).unwrap_or_else(|| at.project_root.clone())
}

/// Returns whether the allows let the call run.
pub(super) fn lifts(
    evaluator: &Evaluator,
    allows: &[Allow],
    trace: &Trace,
    (call, at): (&ToolCall, &CallContext),
) -> bool {
    let checked: Vec<Allow> = allows.iter().filter_map(|allow| allow.clone().checked("").ok()).collect();
    evaluator
        .chain
        .view()
        .lift(trace.verdict.clone(), &checked, (call, at, evaluator.facts()), trace.analysis.as_deref())
        .is_allowed()
}

fn list(allows: &[Allow], format: Format) -> anyhow::Result<Exit> {
    let own: Vec<&Allow> = allows.iter().filter(|allow| allow.layer == Layer::User).collect();
    if format == Format::Json {
        return print::json(&own).map(|()| Exit::Success);
    }
    if own.is_empty() {
        print::line("no `[[allow]]` entries; `guard-host allow --last` adds one for the last prompt")?;
    }
    for (number, allow) in (1..).zip(own) {
        let subject = allow.subject();
        let words: Vec<&str> = std::iter::once(&subject).chain(&allow.targets).map(String::as_str).collect();
        let words = words.join(" ");
        let within = if allow.within.is_empty() { "any project" } else { &allow.within };
        let until = match allow.until.as_str() {
            "" => String::new(),
            until if allow.is_over(&today()) => format!(", ended after {until}"),
            until => format!(", until {until}"),
        };
        let why = if allow.why.is_empty() { String::new() } else { format!(": {}", allow.why) };
        print::line(&format!("{number}  {} (in {}{until}){}", plain(&words), plain(within), plain(&why)))?;
    }
    Ok(Exit::Success)
}

fn remove(numbers: &[usize], dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let edited = open(dirs)?;
    let mut after = edited.text().map(str::to_owned);
    // In descending order, so that the other numbers stay valid.
    for number in numbers.iter().collect::<BTreeSet<_>>().into_iter().rev() {
        let missing =
            || exit_error(Exit::Usage, format!("there is no entry {number}"), "`guard-host allow` lists them");
        let index = number.checked_sub(1).ok_or_else(missing)?;
        after = target(dirs).disallow(after.as_deref(), index).map_err(|error| match error {
            EditError::Missing(..) => missing(),
            error => edit_error(error),
        })?;
    }
    write(edited, after, dirs, environment, &call_context(environment, None))?;
    print::line("removed; calls that no other entry covers prompt again")?;
    Ok(Exit::Success)
}

/// Returns the user's file as the target of an edit.
pub(super) fn target(dirs: &AppDirs) -> Target<'_> {
    Target { layer: Layer::User, file: &dirs.config, home: &dirs.home }
}

fn open(dirs: &AppDirs) -> anyhow::Result<EditedFile> {
    EditedFile::open(&dirs.config, None, 0o600).map_err(install_error)
}

/// Writes the user's file, and prepares the chain.
fn write(
    edited: EditedFile,
    text: Option<String>,
    dirs: &AppDirs,
    environment: &Environment,
    at: &CallContext,
) -> anyhow::Result<()> {
    apply(&[edited.change(text)], &dirs.state).map_err(install_error)?;
    let prepared = warm(dirs, &environment.program, &at.projects(), making());
    prepared.config.problems.iter().for_each(|problem| print::problem(&format!("error: {problem}")));
    Ok(())
}

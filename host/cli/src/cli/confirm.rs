//! `guard-host confirm`: approves a pending call.
//!
//! An approval requires a person: either at a terminal, or at the harness's prompt for this `confirm`, in a mode in
//! which asks are shown to a person.

use std::time::Duration;

use serde_json::json;

use super::args::{ConfirmArgs, Format};
use super::print;
use super::session::{describe_entry, warn_of_unusable};
use super::subject::{call_context, exit_error};
use super::terminal::{is_attended, terminal_error};
use guard_config::load;
use guard_contract::exit::Exit;
use guard_contract::shell_word::quoted;
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::session::{Choice, ChoiceMatch, Contents, Entry, choose, confirm_command};

/// The maximum number of pending calls in an error. The newest are shown.
const SHOWN: usize = 8;

/// The maximum wait for other processes that write to the session.
const PATIENCE: Duration = Duration::from_secs(10);

pub(super) fn run(args: &ConfirmArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let sessions = load(dirs, &[]).sessions;
    let questions = sessions.read_all();
    let choice = match (&args.code, &args.operation) {
        (Some(code), _) => Choice::Code(code.clone()),
        (None, Some(operation)) if !args.list => Choice::Operation(operation.clone()),
        _ => {
            list(&questions, args.format)?;
            return Ok(warn_of_unusable(&sessions));
        }
    };
    let attended = is_attended();
    // If no person is at the terminal, only a call from the last prompt can be approved.
    let may_confirm = |entry: &&Entry| attended || questions.was_asked(&entry.code);
    let at = call_context(environment, None);
    let here = [at.cwd.as_str(), at.project_root.as_str()];
    let entry = match choose(questions.confirmable().filter(may_confirm), &choice, &here) {
        ChoiceMatch::One(entry) => entry,
        ChoiceMatch::Several(entries) => return ambiguous(&entries),
        ChoiceMatch::None if !questions.confirmable().any(|entry| choice.matches(entry)) => {
            return missing(&questions, &choice);
        }
        ChoiceMatch::None => return Err(terminal_error("a call can be confirmed", &line(args, dirs))),
    };
    let codes = questions.chosen_with(entry, &choice).into_iter().map(|entry| &entry.code);
    let approvals = sessions.change(&entry.session, PATIENCE, |contents, now| {
        // Checked again under the lock, so that one answer approves only once.
        let mut approvals = Vec::new();
        for code in codes {
            let allowed = attended || contents.was_asked(code);
            approvals.extend(if allowed { contents.confirm(code, now) } else { None });
        }
        approvals
    })?;
    let Some(approval) = merge_approvals(approvals) else { return missing(&sessions.read_all(), &choice) };
    match args.format {
        Format::Json => print::json(&approval)?,
        Format::Human => {
            print::line(&format!("confirmed: {}: {}", plain(&approval.tool), plain(&approval.operation)))?;
            print::line(&format!("  in      {}", plain(&approval.cwd)))?;
            print::line(&format!("  session {}, until {}", plain(&approval.session), approval.expires))?;
            print::line(&format!("  lifts   {}", plain(&approval.rules.join(", "))))?;
            let is_other = |other: &&Entry| {
                choice.matches(other) && (&other.session, &other.cwd) != (&approval.session, &approval.cwd)
            };
            for other in questions.pending.iter().filter(is_other) {
                let command = format!("{} --code {}", confirm_command(dirs), plain(&other.code));
                let (cwd, session) = (plain(&other.cwd), plain(&other.session));
                print::line(&format!("still pending in {cwd}, session {session}: {command}"))?;
            }
        }
    }
    Ok(Exit::Success)
}

/// Merges approvals of the same operation, with the rules of all.
fn merge_approvals(approvals: Vec<Entry>) -> Option<Entry> {
    approvals.into_iter().reduce(|mut one, other| {
        one.rules.extend(other.rules);
        one.rules.sort();
        one.rules.dedup();
        Entry { rules: one.rules, ..other }
    })
}

/// Returns the command line, as typed.
fn line(args: &ConfirmArgs, dirs: &AppDirs) -> String {
    let confirm = confirm_command(dirs);
    match (&args.code, &args.operation) {
        (Some(code), _) => format!("{confirm} --code {}", plain(code)),
        (None, operation) => format!("{confirm} {}", quoted(&plain(operation.as_deref().unwrap_or_default()))),
    }
}

fn list(questions: &Contents, format: Format) -> anyhow::Result<()> {
    if format == Format::Json {
        print::json(&json!({ "pending": questions.pending }))?;
        return Ok(());
    }
    if questions.pending.is_empty() {
        print::line("nothing waits for a confirmation")?;
    }
    newest_last(questions).into_iter().try_for_each(|entry| print::line(&describe_entry(entry)))
}

fn newest_last(questions: &Contents) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = questions.pending.iter().collect();
    entries.sort_by(|one, other| one.ts.cmp(&other.ts));
    entries
}

fn missing(questions: &Contents, choice: &Choice) -> anyhow::Result<Exit> {
    if let ChoiceMatch::One(entry) = choose(&questions.confirmed, choice, &[]) {
        let text = format!("this call is confirmed already, in {} until {}", plain(&entry.cwd), entry.expires);
        return Err(exit_error(Exit::NoQuestion, text, "nothing to do: the agent can make the call"));
    }
    let pending = newest_last(questions);
    let hint = "let the agent try the call first";
    if pending.is_empty() {
        return Err(exit_error(Exit::NoQuestion, "no call waits for a confirmation", hint));
    }
    let (older, last) = pending.split_at(pending.len().saturating_sub(SHOWN));
    let hint = if older.is_empty() { hint } else { "`guard-host confirm --list` lists all pending calls" };
    let last: Vec<String> = last.iter().map(|entry| describe_entry(entry)).collect();
    Err(exit_error(Exit::NoQuestion, format!("no such pending call. Pending calls:\n{}", last.join("\n")), hint))
}

fn ambiguous(entries: &[&Entry]) -> anyhow::Result<Exit> {
    let waiting: Vec<String> = entries.iter().map(|entry| describe_entry(entry)).collect();
    let text = format!("several pending calls match:\n{}", waiting.join("\n"));
    Err(exit_error(Exit::NoQuestion, text, "choose one with `--code`"))
}

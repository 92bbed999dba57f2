//! `guard-host run`: runs a command that the kernel confines to the effects in its analysis.

use std::fs;
use std::path::Path;

use guard_confine::{CommandDirs, ConfineError, Ended, Job, Lists, Profile, derive, needs};
use guard_contract::call::CallContext;
use guard_contract::exit::Exit;
use guard_contract::shell_word::word;
use guard_contract::syntax::Analysis;
use guard_contract::{Outcome, outcome_name};
use guard_harness::text;
use guard_hook::confined_run::{command_dirs, guarded_lists, hidden_paths};
use guard_redact::plain;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use serde_json::Value;

use super::args::RunArgs;
use super::print;
use super::subject::{Evaluator, call_context, exit_error, tool_calls};
use super::terminal::{is_agreed, is_attended};

/// The maximum size of a profile, in bytes.
const PROFILE_BYTES: u64 = 1 << 20;

/// The maximum number of paths in one line of `explain`.
const SHOWN: usize = 4;

/// The exit codes of shells for a program that is missing, and for one that can't be started.
const MISSING: u8 = 127;
const NOT_STARTED: u8 = 126;

/// Runs the command. Returns its exit code, or one of `run` itself.
pub(super) fn run(args: &RunArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<u8> {
    let at = call_context(environment, None);
    let words: Vec<String> = args.command.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let line = words.iter().map(|text| word(text)).collect::<Vec<_>>().join(" ");
    let calls = tool_calls("Bash", Value::String(line.clone()))?;
    let evaluator = Evaluator::open(dirs, environment, &at.projects())?;
    let trace = evaluator.decide(&calls, &at);
    let analysis = trace.as_ref().and_then(|trace| trace.analysis.clone());
    let variable = |name: &str| environment.variables.get(name).cloned();
    let folders = command_dirs(&at, &variable);
    let lists = guarded_lists(&evaluator.chain.prepared);
    let profile = profile(args, analysis.as_deref(), &folders, &lists)?;
    let hidden = hidden_paths(&folders, &lists, dirs);
    if args.dry_run {
        print::line(profile.to_toml().trim_end())?;
        note_links(&profile);
        hidden.iter().for_each(|path| print::detail(&format!("not readable: {}", folders.format_path(path))));
        return Ok(Exit::Success.code());
    }
    let stops = |outcome| outcome == Outcome::Deny || outcome == Outcome::Ask && !args.confirmed;
    if let Some(trace) = trace.filter(|trace| stops(trace.verdict.outcome)) {
        let reason = text::reason(&trace.verdict);
        if !is_confirmed(trace.verdict.outcome, &reason)? {
            let hint = if trace.verdict.outcome == Outcome::Deny {
                ""
            } else {
                "run it from a terminal of your own to confirm it"
            };
            let outcome = outcome_name(trace.verdict.outcome);
            return Err(exit_error(Exit::NoPermission, format!("not run ({outcome}): {reason}"), hint));
        }
    }
    let job = Job { command: &args.command, places: &folders, profile: &profile, hidden: &hidden, learn: args.learn };
    match guard_confine::run(&job) {
        Ok(ended) => {
            if args.learn {
                report(&ended, &folders);
                note_links(&profile);
            }
            Ok(ended.code)
        }
        Err(ConfineError::Start { program, source }) => {
            print::error(&exit_error(Exit::Usage, format!("can't start `{}`: {source}", plain(&program)), ""));
            Ok(if source.kind() == std::io::ErrorKind::NotFound { MISSING } else { NOT_STARTED })
        }
        // The command may have run.
        Err(error @ ConfineError::Wait(_)) => Err(exit_error(Exit::Unavailable, error.to_string(), "")),
        Err(error) => {
            let source = std::error::Error::source(&error).map(|source| format!(": {source}")).unwrap_or_default();
            Err(exit_error(Exit::Unavailable, format!("{error}{source}; nothing was run"), ""))
        }
    }
}

/// Returns whether a person at the terminal wants to run it anyway. A deny is final.
fn is_confirmed(outcome: Outcome, reason: &str) -> anyhow::Result<bool> {
    if outcome == Outcome::Deny || !is_attended() {
        return Ok(false);
    }
    print::note(&plain(reason));
    is_agreed("run it, confined?")
}

fn profile(
    args: &RunArgs,
    analysis: Option<&Analysis>,
    folders: &CommandDirs<'_>,
    lists: &Lists,
) -> anyhow::Result<Profile> {
    let mut profile = match &args.profile {
        Some(file) => read(file)?,
        None => analysis.map(|analysis| derive(analysis, folders, lists)).unwrap_or_default(),
    };
    profile.add(Profile {
        write: args.write.clone(),
        net: args.net,
        unix_sockets: args.unix_sockets,
        ..Profile::default()
    });
    Ok(profile)
}

fn read(file: &Path) -> anyhow::Result<Profile> {
    let name = file.display();
    let size = fs::metadata(file)
        .map_err(|error| exit_error(Exit::NoInput, format!("can't read the profile `{name}`: {error}"), ""))?
        .len();
    if size > PROFILE_BYTES {
        return Err(exit_error(Exit::Data, format!("the profile `{name}` is larger than 1 MiB"), ""));
    }
    let text = fs::read_to_string(file)
        .map_err(|error| exit_error(Exit::NoInput, format!("can't read the profile `{name}`: {error}"), ""))?;
    let hint = "`guard-host run -n -- COMMAND` prints a valid one";
    Profile::from_toml(&text)
        .map_err(|error| exit_error(Exit::Data, format!("invalid profile `{name}`:\n{error}"), hint))
}

/// Prints what was refused, and the profile that would allow it.
fn report(ended: &Ended, folders: &CommandDirs<'_>) {
    if ended.refused.is_empty() {
        print::note("nothing was refused");
        return;
    }
    print::note(&format!("refused: {}", print::count(ended.refused.len() as u64, "attempt")));
    for refusal in &ended.refused {
        let target = folders.format_path(Path::new(&refusal.target));
        print::note(&format!("  {:<7} {}", refusal.attempt.name(), plain(&target)));
    }
    print::note("a profile that allows it needs:");
    let needed = needs(&ended.refused, folders).to_toml();
    needed.lines().filter(|line| !line.starts_with('#')).for_each(|line| print::note(&format!("  {}", plain(line))));
}

/// Prints the links through which the command can't write.
fn note_links(profile: &Profile) {
    for link in &profile.through {
        print::note(&format!("not followed: `{}` is a link; `--write {}` allows its target", plain(link), plain(link)));
    }
}

/// Summarizes the profile of a command in one line, for `explain`.
pub(super) fn summary(analysis: &Analysis, at: &CallContext, environment: &Environment) -> String {
    let variable = |name: &str| environment.variables.get(name).cloned();
    let profile = derive(analysis, &command_dirs(at, &variable), &Lists::default());
    let more = profile.write.len().saturating_sub(SHOWN);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let paths: Vec<String> = profile.write.iter().take(SHOWN).map(|path| plain(path)).collect();
    let writes =
        if paths.is_empty() { "write nothing".to_owned() } else { format!("write {}{more}", paths.join(", ")) };
    let net = if profile.net { "use the network" } else { "no network" };
    format!("guard-host run: may {writes}; {net}")
}

//! `guard-host allow`: an ask that a person does not want to see again, and back again.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::{Map, Value};

use super::args::AllowArgs;
use super::subject::{Evaluator, Evaluators, circumstances, not_edited, refused, told, tool_calls};
use super::terminal::{is_agreed, is_attended, unattended};
use super::{log, print};
use guard_config::edit::allow::block;
use guard_config::edit::{EditError, Target};
use guard_config::load;
use guard_contract::Layer;
use guard_contract::Outcome;
use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::exit::Exit;
use guard_contract::policy::SELF_PROTECT;
use guard_contract::shell_word::quoted;
use guard_hook::audit::{Record, Selection};
use guard_hook::cache::{Readiness, prepare, warm};
use guard_hook::chain::Trace;
use guard_kit::compile::making;
use guard_redact::{MARK, plain, redact, shorten};
use guard_setup::install::{Edited, apply};
use guard_state::Places;
use guard_state::environment::Environment;
use guard_state::session::today;

/// How many asks of the log are looked at, the last ones.
const LOGGED: usize = 2000;

/// How many other calls are shown.
const SHOWN: usize = 10;

/// The longest command that is shown, in bytes.
const SHOWN_BYTES: usize = 160;

pub(super) fn run(args: &AllowArgs, places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    if !args.remove.is_empty() {
        return remove(&args.remove, places, environment);
    }
    let config = load(places, &circumstances(environment, None).projects());
    let (command, cwd) = match (&args.command, args.last || args.id.is_some()) {
        (Some(command), _) => (command.clone(), None),
        (None, true) => {
            let asked = recorded(args, &asks(&config.audit.path)?)?;
            (asked.operation, Some(asked.cwd))
        }
        (None, false) => return list(&config.allows),
    };
    if !is_attended() {
        let what = match (&args.command, &args.id) {
            (Some(command), _) => quoted(&plain(command)),
            (None, Some(id)) => format!("--id {}", quoted(&plain(id))),
            (None, None) => "--last".to_owned(),
        };
        return Err(unattended("a command is allowed", &format!("guard-host allow {what}")));
    }
    let at = circumstances(environment, cwd.as_deref());
    if let Some(problem) = load(places, &at.projects()).problems.first() {
        return Err(refused(Exit::Config, problem.to_string(), problem.hint.clone()));
    }
    let calls = tool_calls("Bash", Value::String(command.clone()))?;
    let evaluator = Evaluator::open(places, environment, &at.projects())?;
    let (Some(trace), [call]) = (evaluator.decide(&calls, &at), calls.as_slice()) else {
        return Err(none_covers(&command));
    };
    let shown = shorten(&plain(&redact(&command)), SHOWN_BYTES);
    match trace.verdict.outcome {
        Outcome::Ask => {}
        Outcome::Deny => {
            let hint = "`guard-host explain` says which rule denies it; a setting of its policy may lower it";
            return Err(refused(Exit::NoQuestion, format!("`{shown}` is denied, and an allow lifts no deny"), hint));
        }
        _ => return Err(refused(Exit::NoQuestion, format!("`{shown}` is not asked about"), "")),
    }
    if trace.verdict.asks().any(|asked| asked.policy == SELF_PROTECT) {
        return Err(none_covers(&shown));
    }
    let given = given(args, &at);
    // What the person wrote is told apart from what no allow can cover.
    let example = Allow {
        layer: Layer::User,
        rules: Vec::new(),
        command: vec!["x".to_owned()],
        targets: Vec::new(),
        within: String::new(),
        why: String::new(),
        until: String::new(),
    };
    let example = given(example);
    let is_over = example.is_over(&today());
    if let Err((text, hint)) = example.checked(&places.home) {
        return Err(refused(Exit::Usage, text, hint));
    }
    if is_over {
        return Err(refused(Exit::Usage, format!("`--until {}` is in the past", plain(&args.until)), ""));
    }
    let new = trace
        .analysis
        .as_deref()
        .and_then(|analysis| evaluator.chain.sparing(&trace.verdict, (call, &at, evaluator.facts()), analysis, given));
    let Some(new) = new else { return Err(none_covers(&shown)) };
    if redact(&command) != command {
        let hint = "give the secret in another way, such as a credential helper or a variable";
        return Err(refused(Exit::NoQuestion, "the command holds a secret, which no configuration should", hint));
    }

    print::line(&format!("in {}:", places.config.display()))?;
    new.iter().try_for_each(|allow| print::line(&format!("\n{}", plain(block(allow, "\n").trim_end()))))?;
    print::line("")?;
    others(&new, (&command, &at), places, environment)?;
    if !args.yes && !is_agreed("Let it run from now on?")? {
        return Err(refused(Exit::NoPermission, "nothing was changed", ""));
    }

    let edited = open(places)?;
    let target = target(places);
    let mut text = edited.text().map(str::to_owned);
    for allow in &new {
        text = Some(target.allow(text.as_deref(), allow).map_err(told)?);
    }
    write(edited, text, places, environment, &at)?;
    let after = load(places, &at.projects()).allows;
    let last = after.iter().filter(|allow| allow.layer == Layer::User).count();
    let numbers: Vec<String> = (last + 1 - new.len().min(last)..=last).map(|number| number.to_string()).collect();
    let back = format!("guard-host allow --remove {}", numbers.join(","));
    print::line(&format!("not asked about any more; `{back}` takes it back"))?;
    Ok(Exit::Success)
}

/// The asks that the log holds, oldest first.
fn asks(path: &Path) -> anyhow::Result<Vec<Record>> {
    let of = Selection { action: Some("confirm_required".to_owned()), ..Selection::default() };
    let mut asks = Vec::new();
    log::each(path, &of, |ask, _| {
        asks.push(ask.clone());
        Ok(())
    })?;
    Ok(asks)
}

/// The one that is meant.
fn recorded(args: &AllowArgs, asks: &[Record]) -> anyhow::Result<Record> {
    let found = match &args.id {
        Some(id) => asks.iter().find(|ask| ask.id == *id),
        None => asks.last(),
    };
    let hint = "`guard-host audit show --action confirm_required` lists them; or name the command itself";
    let Some(found) = found else {
        return Err(refused(Exit::NoQuestion, "the audit log holds no such ask", hint));
    };
    if found.tool != "Bash" {
        let text = format!("the ask was about the tool `{}`, and an allow covers shell commands", plain(&found.tool));
        return Err(refused(Exit::NoQuestion, text, hint));
    }
    if found.operation.contains(MARK) {
        let hint = "name the command itself: guard-host allow 'COMMAND'";
        return Err(refused(Exit::NoQuestion, "the command holds a secret, which the log does not have", hint));
    }
    Ok(found.clone())
}

/// What the person wants of the narrowest allows: where they hold, why, and for how long.
fn given(args: &AllowArgs, at: &CallContext) -> impl Fn(Allow) -> Allow {
    let within = if args.any_project { "project".to_owned() } else { root(at) };
    let (why, until) = (args.why.clone(), args.until.clone());
    move |allow| Allow { within: within.clone(), why: why.clone(), until: until.clone(), ..allow }
}

/// Where the project's root leads to.
pub(super) fn root(at: &CallContext) -> String {
    let root = std::fs::canonicalize(&at.project_root);
    root.map_or_else(|_| at.project_root.clone(), |root| root.to_string_lossy().into_owned())
}

/// Whether the allows let the call run.
pub(super) fn lifts(
    evaluator: &Evaluator,
    allows: &[Allow],
    trace: &Trace,
    (call, at): (&ToolCall, &CallContext),
) -> bool {
    let checked: Vec<Allow> = allows.iter().filter_map(|allow| allow.clone().checked("").ok()).collect();
    evaluator
        .chain
        .lift(trace.verdict.clone(), &checked, (call, at, evaluator.facts()), trace.analysis.as_deref())
        .is_allowed()
}

fn none_covers(command: &str) -> anyhow::Error {
    let text = format!("no allow can cover `{command}`");
    let hint = "an allow covers commands of which each word is known and that change files of the project alone: no \
                variable, `sudo`, `cd` or output into a file, no self-protection, nothing that the managed file holds";
    refused(Exit::NoQuestion, text, hint)
}

/// Shows which other calls the allows would let run: of the log, and of the examples of the policies.
fn others(
    allows: &[Allow],
    (own, at): (&str, &CallContext),
    places: &Places,
    environment: &Environment,
) -> anyhow::Result<()> {
    let config = load(places, &at.projects());
    let asked = asks(&config.audit.path)?;
    let of_log =
        asked.iter().rev().filter(|ask| ask.tool == "Bash").map(|ask| (ask.operation.clone(), ask.cwd.clone()));
    let of_log: BTreeSet<(String, String)> = of_log.take(LOGGED).collect();
    let of_policies: BTreeSet<(String, String)> =
        examples(places, environment, at).into_iter().map(|command| (command, at.cwd.clone())).collect();
    let mut evaluators = Evaluators::new(places, environment);
    let (mut looked_at, mut found) = (0, Vec::new());
    for (command, cwd) in of_log.union(&of_policies) {
        let there = circumstances(environment, Some(cwd));
        let Ok(calls) = tool_calls("Bash", Value::String(command.clone())) else { continue };
        if command == own && *cwd == at.cwd {
            continue;
        }
        looked_at += 1;
        let evaluator = evaluators.at(&there)?;
        // What runs already is let run by something else.
        let trace = evaluator.decide(&calls, &there).filter(|trace| trace.verdict.outcome == Outcome::Ask);
        let Some(trace) = trace else { continue };
        if calls.first().is_some_and(|call| lifts(evaluator, allows, &trace, (call, &there))) {
            found.push(format!("  {} in {}", shorten(&plain(command), SHOWN_BYTES), plain(cwd)));
        }
    }
    let source = format!("other calls run (the last {LOGGED} asks of the audit log, the examples of the policies)");
    match found.len() {
        0 => print::line(&format!("it lets none of {looked_at} {source}")),
        count => {
            print::line(&format!("it also lets {count} of {looked_at} {source}:"))?;
            found.iter().take(SHOWN).try_for_each(|line| print::line(line))?;
            if count > SHOWN { print::line(&format!("  and {} more", count - SHOWN)) } else { Ok(()) }
        }
    }
}

/// The shell commands of the examples of the chain's policies.
fn examples(places: &Places, environment: &Environment, at: &CallContext) -> Vec<String> {
    // What is prepared already has no examples.
    let prepared = prepare(places, &environment.program, &at.projects(), None);
    let manifests = prepared.members.iter().filter_map(|member| match &member.readiness {
        Readiness::Ready { manifest, .. } => Some(manifest),
        Readiness::Broken(_) => None,
    });
    let examples = manifests.flat_map(|manifest| &manifest.examples).filter(|example| example.tool == "Bash");
    let input = |text: &str| serde_json::from_str::<Map<String, Value>>(text).ok();
    examples.filter_map(|example| input(&example.input)?.get("command")?.as_str().map(str::to_owned)).collect()
}

/// Lowers a rule of a policy in the user's file, if the person agrees.
pub(super) fn lower((policy, rule): (&str, &str), places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let edited = open(places)?;
    let after = target(places).lower(edited.text(), policy, rule).map_err(told)?;
    let (file, rule) = (places.config.display(), plain(rule));
    print::line(&format!("\n`{rule}` of {policy} asks about nothing any more, in any project: it only warns"))?;
    if !is_agreed(&format!("Write it into {file}?"))? {
        return Err(refused(Exit::NoPermission, "nothing was changed", ""));
    }
    write(edited, Some(after), places, environment, &circumstances(environment, None))?;
    print::line(&format!("written; take `{rule}` out of `lower` in {file} to be asked again"))?;
    Ok(Exit::Success)
}

fn list(allows: &[Allow]) -> anyhow::Result<Exit> {
    let own: Vec<&Allow> = allows.iter().filter(|allow| allow.layer == Layer::User).collect();
    if own.is_empty() {
        print::line("your file allows nothing; `guard-host allow --last` ends the last ask for good")?;
    }
    for (number, allow) in (1..).zip(own) {
        let words = allow.command.iter().chain(&allow.targets).map(String::as_str).collect::<Vec<_>>().join(" ");
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

fn remove(numbers: &[usize], places: &Places, environment: &Environment) -> anyhow::Result<Exit> {
    let edited = open(places)?;
    let mut after = edited.text().map(str::to_owned);
    // The last one first, so that the numbers of the others stay.
    for number in numbers.iter().collect::<BTreeSet<_>>().into_iter().rev() {
        let missing =
            || refused(Exit::Usage, format!("your file has no allow {number}"), "`guard-host allow` lists them");
        let index = number.checked_sub(1).ok_or_else(missing)?;
        after = target(places).disallow(after.as_deref(), index).map_err(|error| match error {
            EditError::Missing(..) => missing(),
            error => told(error),
        })?;
    }
    write(edited, after, places, environment, &circumstances(environment, None))?;
    print::line("taken back; what no other allow covers is asked about again")?;
    Ok(Exit::Success)
}

/// The user's file, to be edited.
pub(super) fn target(places: &Places) -> Target<'_> {
    Target { layer: Layer::User, file: &places.config, home: &places.home }
}

fn open(places: &Places) -> anyhow::Result<Edited> {
    Edited::open(&places.config, None, 0o600).map_err(not_edited)
}

/// Writes the user's file, and makes the chain ready.
fn write(
    edited: Edited,
    text: Option<String>,
    places: &Places,
    environment: &Environment,
    at: &CallContext,
) -> anyhow::Result<()> {
    apply(&[edited.change(text)], &places.state).map_err(not_edited)?;
    let prepared = warm(places, &environment.program, &at.projects(), making());
    prepared.config.problems.iter().for_each(|problem| print::note(&format!("error: {problem}")));
    Ok(())
}

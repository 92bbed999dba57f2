//! Finds hooks of this program in a harness's files.
//!
//! Reads only. Files have commands at different places, so every possible place is searched.

use std::fs;
use std::path::{Path, PathBuf};

use guard_platform::fs::is_executable;
use serde_json::Value;

use super::{FailClosed, Layout, RegistrationSpec, approvals, plugins};
use crate::command::{StartedHook, is_closed, is_ours, is_replying, running, started};
use crate::install::json::{Document, Syntax};
use crate::install::yaml;
use crate::install::{DisablingSetting, FoundHook, HookLocation, Running, Survey};
use crate::matcher::{Matching, is_all};
use guard_contract::shell_word::word;

/// The maximum depth at which hooks are searched.
const DEPTH: usize = 16;

/// The type of an entry that starts a program.
const COMMAND: &str = "command";

/// The shortest timeout, in seconds, in which the first call can be answered.
const SHORTEST: f64 = 5.0;

/// A command in a hooks file, and its context.
#[derive(Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) handler: &'a Value,
    event: &'a str,
    matcher: Option<&'a Value>,
    /// Whether an enclosing entry is disabled.
    off: bool,
    /// The entry that contains the handler, if it isn't the handler itself.
    around: Option<&'a Value>,
}

/// Returns every command in a value.
pub(super) fn calls(value: &Value) -> Vec<Call<'_>> {
    let mut found = Vec::new();
    walk(value, &Call { handler: value, event: "", matcher: None, off: false, around: None }, DEPTH, &mut found);
    found
}

fn walk<'a>(value: &'a Value, within: &Call<'a>, depth: usize, found: &mut Vec<Call<'a>>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Array(values) => values.iter().for_each(|value| walk(value, within, depth, found)),
        Value::Object(map) => {
            let named = |key: &str| map.get(key).and_then(Value::as_str);
            // Below the key of an event, `type` is the kind of the entry.
            let kind = || if within.event.is_empty() { named("type").filter(|kind| *kind != COMMAND) } else { None };
            let told = named("event").or_else(|| named("trigger")).or_else(kind);
            let here = Call {
                handler: value,
                event: told.unwrap_or(within.event),
                matcher: map.get("matcher").or(map.get("match")).or(within.matcher),
                off: within.off || map.get("enabled") == Some(&Value::Bool(false)),
                around: within.around.or_else(|| told.map(|_| value)),
            };
            if map.get("command").is_some_and(Value::is_string) {
                found.push(here);
                return;
            }
            for (key, value) in map {
                // A list below a key belongs to that event. The keys `hooks` and `action` only wrap.
                let event = if value.is_array() && key != "hooks" { key } else { here.event };
                walk(value, &Call { event, ..here }, depth, found);
            }
        }
        _ => {}
    }
}

pub(super) fn of(spec: &RegistrationSpec, site: HookLocation<'_>) -> Survey {
    let mut survey = Survey { session_end: true, ..Survey::default() };
    let mut seen: Vec<PathBuf> = Vec::new();
    let of =
        |paths: &[&str], foreign| paths.iter().map(|path| (spec.place(path, site), foreign, false)).collect::<Vec<_>>();
    let managed = spec.managed(site).map(|file| (file, false, true));
    for (file, foreign, managed) in of(spec.user, false).into_iter().chain(of(spec.project, true)).chain(managed) {
        // The project may be the folder of the user's settings.
        if seen.contains(&file) {
            continue;
        }
        seen.push(file.clone());
        match fs::metadata(&file).map(|data| data.is_file()) {
            Ok(true) => {}
            Ok(false) => {
                survey.unreadable.push((file, "it is not a file".to_owned()));
                continue;
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => {
                survey.unreadable.push((file, error.to_string()));
                continue;
            }
        }
        let known = survey.found.len();
        let told = fs::read_to_string(&file).map_err(|error| error.to_string());
        if let Err(error) = told.and_then(|text| look(spec, site, &file, foreign, &text, &mut survey)) {
            survey.unreadable.push((file, error));
        }
        let name = spec.called;
        survey.found.iter_mut().skip(known).for_each(|found| {
            found.managed = managed;
            found.again = match (managed, foreign) {
                (true, _) => format!("sudo guard-host install {name} --managed"),
                (_, true) => format!("guard-host install {name} --scope project"),
                _ => format!("guard-host install {name}"),
            };
        });
    }
    survey
}

fn look(
    spec: &RegistrationSpec,
    site: HookLocation<'_>,
    file: &Path,
    foreign: bool,
    text: &str,
    survey: &mut Survey,
) -> Result<(), String> {
    let value = match &spec.layout {
        Layout::Program(_, start, _) | Layout::Folder { start, .. } => {
            if text.starts_with(start) {
                let unapproved = approvals::missing(spec, site, file, &Value::Null, &spec.names(site));
                survey.found.push(FoundHook { unapproved, ..program_hook(spec, file, foreign, text) });
            }
            return Ok(());
        }
        _ if text.trim().is_empty() => Value::Null,
        Layout::Tables(..) => toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?,
        Layout::Entries { syntax, .. } => parsed(text, *syntax)?,
        Layout::List(..) => yaml::value(text).map_err(|error| error.to_string())?,
        Layout::Named(..) | Layout::Whole(_) => parsed(text, Syntax::Strict)?,
    };
    for switch in spec.switches {
        if value.get(switch).is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Null)) {
            let setting = format!("{switch}: {}", value.get(switch).unwrap_or(&Value::Null));
            survey.switches.push(DisablingSetting { place: file.to_path_buf(), setting });
        }
    }
    let names = spec.names(site);
    let calls: Vec<Call<'_>> = calls(&value).into_iter().filter(|call| is_ours(call.handler, &names)).collect();
    let unapproved = approvals::missing(spec, site, file, &value, &names);
    let started = calls.first().and_then(|call| started(call.handler, &names)).unwrap_or_default();
    let StartedHook { only, config, settings, .. } = started;
    survey.found.extend(found(spec, file, foreign, &calls).map(|found| FoundHook {
        only,
        config,
        settings,
        unapproved,
        ..found
    }));
    Ok(())
}

fn parsed(text: &str, syntax: Syntax) -> Result<Value, String> {
    let document = Document::parse(text, syntax).map_err(|error| error.to_string())?;
    Ok(document.value(&document.root))
}

/// Returns the registration in one file. `None` if it covers neither commands nor writes.
fn found(spec: &RegistrationSpec, file: &Path, foreign: bool, calls: &[Call<'_>]) -> Option<FoundHook> {
    let (_, first_event) = spec.tools.first()?;
    let first = calls.iter().find(|call| call.event == *first_event).or_else(|| calls.first())?;
    let mut hindrances = Vec::new();
    let mut asked: Vec<&'static str> = Vec::new();
    for call in calls {
        let tools: Vec<&'static str> =
            spec.tools.iter().filter(|(_, event)| *event == call.event).map(|(name, _)| *name).collect();
        if tools.is_empty() {
            continue;
        }
        let left_out = spec.matching.left_out_by(call.matcher, &tools).unwrap_or_else(|error| {
            hindrances.push(format!("its `matcher` cannot be read: {error}"));
            tools.clone()
        });
        hindrances.extend(hindrance(spec, call));
        let works = !call.off;
        asked.extend(tools.into_iter().filter(|tool| works && !left_out.contains(tool)));
    }
    let written = |matcher: &Value| matcher.as_str().map_or_else(|| matcher.to_string(), str::to_owned);
    let narrowed = |matcher: &String| spec.matching != Matching::None && !is_all(matcher) && matcher != spec.all;
    let line = first.handler.get("command").and_then(Value::as_str).unwrap_or_default();
    let is_before = |call: &&Call<'_>| spec.tools.iter().any(|(_, event)| *event == call.event);
    let says = |handler: &Value| match spec.closing() {
        FailClosed::Key(key, Some(word)) => handler.get(key).and_then(Value::as_str) == Some(word),
        FailClosed::Key(key, None) => handler.get(key) == Some(&Value::Bool(true)),
        FailClosed::Line => handler.get("command").and_then(Value::as_str).is_some_and(is_closed),
        FailClosed::Reply => handler.get("command").and_then(Value::as_str).is_some_and(is_replying),
        FailClosed::Ours | FailClosed::Harness => true,
    };
    Some(FoundHook {
        place: file.to_path_buf(),
        foreign,
        managed: false,
        again: String::new(),
        running: running(line),
        only: Vec::new(),
        config: None,
        settings: None,
        script: None,
        tools: first.matcher.map(written).filter(narrowed),
        left_out: spec.tools.iter().map(|(name, _)| *name).filter(|name| !asked.contains(name)).collect(),
        // Other events come after the call, when there is nothing left to block.
        blocks: calls.iter().filter(|call| is_before(call)).all(|call| says(call.handler)),
        hindrances,
        unapproved: None,
    })
}

/// Returns the reasons why a command doesn't decide calls.
fn hindrance(spec: &RegistrationSpec, call: &Call<'_>) -> Vec<String> {
    let mut told = Vec::new();
    let event = call.event;
    if call.off {
        told.push(format!("`enabled` is false for `{event}`"));
    }
    if call.handler.get("type").is_some_and(|kind| kind != COMMAND && kind != event) {
        told.push(format!("its `type` for `{event}` is not `command`, so it is never started"));
    }
    if spec.matching == Matching::None && call.matcher.and_then(Value::as_str).is_some_and(|text| !is_all(text)) {
        told.push(format!("its matcher for `{event}` leaves tools out"));
    }
    if call.handler.get("async") == Some(&Value::Bool(true)) {
        told.push(format!("`async` runs it in the background for `{event}`, where it decides nothing"));
    }
    let timeout = ["timeout", "timeoutSec"]
        .into_iter()
        .find_map(|key| call.handler.get(key).or_else(|| call.around?.get(key)).filter(|value| !value.is_null()));
    match timeout.map(Value::as_f64) {
        None => {}
        Some(None) => told.push(format!("its `timeout` for `{event}` isn't a number")),
        Some(Some(time)) if time / f64::from(spec.unit.per_second()) < SHORTEST => {
            told.push(format!("its `timeout` for `{event}` is less than the 5 s that the first call may need"));
        }
        Some(Some(_)) => {}
    }
    told
}

/// Returns the registration of one of this program's own files that starts it. It covers all tools.
fn program_hook(spec: &RegistrationSpec, file: &Path, foreign: bool, text: &str) -> FoundHook {
    let started = plugins::started(text);
    let mut hindrances = Vec::new();
    if started.is_none() {
        hindrances.push("it does not say which program it starts".to_owned());
    }
    let can_run = fs::metadata(file).is_ok_and(|data| is_executable(&data));
    if matches!(spec.layout, Layout::Program(0o755, ..)) && !can_run {
        hindrances.push("it cannot be executed".to_owned());
    }
    FoundHook {
        place: file.to_path_buf(),
        foreign,
        managed: false,
        again: String::new(),
        running: started.unwrap_or_else(|| Running::Shell(word(&file.to_string_lossy()))),
        only: Vec::new(),
        config: None,
        settings: None,
        script: None,
        tools: None,
        left_out: Vec::new(),
        blocks: plugins::blocks(text),
        hindrances,
        unapproved: None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::named;
    use super::*;
    use crate::command::closed;

    #[test]
    fn only_a_hook_before_a_call_can_block_it() {
        let spec = named("copilot").unwrap();
        let (bare, closed) = ("/x/guard-host hook copilot", closed("/x/guard-host hook copilot"));
        for (before, after, blocks) in [(&*closed, bare, !cfg!(windows)), (bare, &*closed, false)] {
            let entry = |line: &str| json!([{ "type": "command", "command": line }]);
            let value = json!({ "hooks": { "preToolUse": entry(before), "postToolUse": entry(after) } });
            let found = found(spec, Path::new("/f.json"), false, &calls(&value)).unwrap();
            assert_eq!(found.blocks, blocks, "{before}");
        }
    }
}

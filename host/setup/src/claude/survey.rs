//! Finds hooks in Claude Code's files: registrations of this program, and settings that disable them.
//!
//! Files are only read.

use std::fs;
use std::path::{Path, PathBuf};

use guard_platform::fs::{MetadataExt, is_executable};
use serde_json::Value;

use super::flaw::flaw;
use super::registration::{MANAGED_FILE, NAME, TOOLS, managed_folders, target, user_folder};
use super::settings::{BEFORE, END, runs, server_of};
use super::version;
use crate::command::{ProgramNames, StartedHook, is_closed, is_direct, opened, running};
use crate::entries::Shape;
use crate::install::{DisablingSetting, FoundHook, HookLocation, InstallOptions, Running, Scope, Survey};
use crate::matcher::{Matching, is_all};

/// Settings that disable hooks everywhere, and settings that only apply in managed files.
const SWITCHES: [&str; 1] = ["disableAllHooks"];
const MANAGED_SWITCHES: [&str; 2] = ["allowManagedHooksOnly", "strictPluginOnlyCustomization"];

struct HooksFile {
    file: PathBuf,
    managed: bool,
    foreign: bool,
    shape: Shape,
    names: ProgramNames,
    /// The options of `install` that select the file.
    options: String,
}

pub(super) fn of(options: &InstallOptions, site: HookLocation<'_>) -> Survey {
    let mut survey = Survey::default();
    for place in places(options, site) {
        let text = match fs::metadata(&place.file).map(|data| data.is_file()) {
            Ok(true) => fs::read_to_string(&place.file),
            Ok(false) => Err(std::io::Error::other("it is not a file")),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => Err(error),
        };
        let value = text.map_err(|error| error.to_string()).and_then(|text| {
            if text.trim().is_empty() {
                return Ok(Value::Null);
            }
            serde_json::from_str::<Value>(&text).map_err(|error| error.to_string())
        });
        match value {
            Ok(value) => {
                look(&value, &place, site, &mut survey);
                let is_own = |handler: &Value| runs(handler, &place.names).is_some();
                survey.unreadable.extend(flaw(&value, is_own).map(|flaw| (place.file, flaw)));
            }
            Err(error) => survey.unreadable.push((place.file, error)),
        }
    }
    survey
}

fn places(options: &InstallOptions, site: HookLocation<'_>) -> Vec<HooksFile> {
    let asked_for = |options: &InstallOptions, foreign| {
        let target = target(options, site).ok()?;
        let names = target.names(site);
        let options = options.place();
        Some(HooksFile { file: target.file, managed: false, foreign, shape: target.shape, names, options })
    };
    let usual = |scope, shared| InstallOptions { scope: Some(scope), shared, ..InstallOptions::default() };
    let mut places: Vec<HooksFile> = [
        asked_for(&usual(Scope::User, false), false),
        asked_for(&usual(Scope::Project, true), true),
        asked_for(&usual(Scope::Project, false), true),
        // A file on the command line is the user's choice.
        (options.plugin.is_some() || options.hooks_file.is_some()).then(|| asked_for(options, false)).flatten(),
    ]
    .into_iter()
    .flatten()
    .collect();
    // The project may be the folder of the user's settings.
    if places.get(1).is_some_and(|project| project.file == user_folder(site).join("settings.json")) {
        places.remove(1);
    }
    for folder in managed_folders(site) {
        let dropped = fs::read_dir(folder.join("managed-settings.d")).into_iter().flatten().flatten();
        let dropped = dropped.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "json"));
        for file in [folder.join(MANAGED_FILE)].into_iter().chain(dropped) {
            let names = ProgramNames::at(site, NAME, None);
            let options = " --managed".to_owned();
            places.push(HooksFile { file, managed: true, foreign: false, shape: Shape::Wrapped, names, options });
        }
    }
    places
}

fn look(settings: &Value, place: &HooksFile, site: HookLocation<'_>, survey: &mut Survey) {
    let managed: &[&str] = if place.managed { &MANAGED_SWITCHES } else { &[] };
    for switch in SWITCHES.iter().chain(managed) {
        let on = settings.get(*switch).is_some_and(|value| !matches!(value, Value::Bool(false) | Value::Null));
        // Managed settings allow the hooks that they contain.
        let spared = managed.contains(switch) && handlers(settings, place, BEFORE).next().is_some();
        if on && !spared {
            let setting = format!("{switch}: {}", settings.get(*switch).unwrap_or(&Value::Null));
            survey.switches.push(DisablingSetting { place: place.file.clone(), setting });
        }
    }
    survey.session_end |= handlers(settings, place, END).any(|(_, handler)| is_started(handler));
    survey.found.extend(handlers(settings, place, BEFORE).map(|(group, handler)| found(group, handler, place, site)));
}

/// Returns this program's handlers for an event, with their groups.
fn handlers<'a>(
    settings: &'a Value,
    place: &'a HooksFile,
    event: &str,
) -> impl Iterator<Item = (&'a Value, &'a Value)> + use<'a> {
    let events = match settings.get("hooks") {
        None if place.shape == Shape::Bare => Some(settings),
        hooks => hooks,
    };
    let groups = events.and_then(|events| events.get(event)).and_then(Value::as_array);
    let handlers = |group: &'a Value| {
        let handlers = group.get("hooks").and_then(Value::as_array).into_iter().flatten();
        handlers.map(move |handler| (group, handler))
    };
    groups.into_iter().flatten().flat_map(handlers).filter(|(_, handler)| runs(handler, &place.names).is_some())
}

/// Returns whether the handler starts a process or sends a request to a server.
fn is_started(handler: &Value) -> bool {
    handler.get("type").is_some_and(|kind| kind == "command") || server_of(handler).is_some()
}

/// Returns how a handler runs the hook.
fn run_by(handler: &Value, place: &HooksFile, site: HookLocation<'_>) -> Running {
    if let Some(url) = server_of(handler) {
        return Running::Server { url: url.to_owned(), authorization: authorization(handler, site) };
    }
    let command = handler.get("command").and_then(Value::as_str).unwrap_or_default();
    let command = place.names.expand(command);
    match handler.get("args").and_then(Value::as_array) {
        Some(args) => {
            let args = args.iter().filter_map(Value::as_str).map(|arg| place.names.expand(arg)).collect();
            Running::Program(command, args)
        }
        None => running(&command),
    }
}

/// Returns the header that a handler sends to its server, with the allowed variables expanded.
fn authorization(handler: &Value, site: HookLocation<'_>) -> String {
    let header = handler.pointer("/headers/Authorization").and_then(Value::as_str).unwrap_or_default();
    let allowed = handler.get("allowedEnvVars").and_then(Value::as_array).into_iter().flatten();
    allowed.filter_map(Value::as_str).fold(header.to_owned(), |header, name| {
        let value = site.environment.variables.get(name).map(String::as_str).unwrap_or_default();
        header.replace(&format!("${{{name}}}"), value).replace(&format!("${name}"), value)
    })
}

/// Describes a hook of this program, and everything that keeps it from working.
fn found(group: &Value, handler: &Value, place: &HooksFile, site: HookLocation<'_>) -> FoundHook {
    let command = handler.get("command").and_then(Value::as_str);
    let matcher = group.get("matcher").filter(|matcher| !matcher.is_null());
    let mut hindrances = Vec::new();
    let mut left_out = Matching::Names.left_out_by(matcher, &TOOLS).unwrap_or_else(|error| {
        hindrances.push(format!("its `matcher` cannot be read: {error}"));
        TOOLS.to_vec()
    });
    if !is_started(handler) {
        let kind = handler.get("type").map_or_else(|| "missing".to_owned(), |kind| format!("`{kind}`"));
        hindrances.push(format!("its `type` is {kind}, so its command is never started; `\"command\"` starts it"));
        left_out = TOOLS.to_vec();
    }
    hindrances.extend(handler_hindrances(handler, place, site));
    let blocks_by_key = handler.get("onFailure").and_then(Value::as_str) == Some("block");
    let blocks_by_line = command.is_some_and(is_closed);
    if place.foreign && handler.get("args").is_some() {
        hindrances.push("its words stand in `args`, which other agents that read this file pass over".to_owned());
    } else if (blocks_by_line || server_of(handler).is_some()) && !blocks_by_key {
        hindrances.push("`onFailure` is gone, which Claude Code before 2.1.295 takes out".to_owned());
    }

    let StartedHook { only, config, settings, words, script } = runs(handler, &place.names).unwrap_or_default();
    let script = script.map(PathBuf::from);
    hindrances.extend(script.as_deref().and_then(|script| unstartable(script, command.unwrap_or_default())));
    let shim = script.as_ref().and_then(|script| script.file_name()).map(|name| format!(" --shim {}", name.display()));
    let sudo = if place.managed { "sudo " } else { "" };
    let again = format!("{sudo}guard-host install {NAME}{}{}", place.options, shim.unwrap_or_default());
    let running = match words.split_first() {
        // A repository's script is read but not started, because the line could make one of the repository's shells
        // start it.
        Some((program, arguments)) if place.foreign && script.is_some() => {
            Running::Program(program.clone(), arguments.to_vec())
        }
        _ => run_by(handler, place, site),
    };
    let matcher_text = |matcher: &Value| matcher.as_str().map_or_else(|| matcher.to_string(), str::to_owned);
    FoundHook {
        place: place.file.clone(),
        foreign: place.foreign,
        managed: place.managed,
        again,
        running,
        only,
        config,
        settings,
        script,
        tools: matcher.map(matcher_text).filter(|matcher| !is_all(matcher)),
        left_out,
        blocks: blocks_by_key || blocks_by_line,
        unapproved: None,
        hindrances,
    }
}

/// Returns the problems of a handler that keep its hook from working, or expose it to other users.
fn handler_hindrances(handler: &Value, place: &HooksFile, site: HookLocation<'_>) -> Vec<String> {
    let mut hindrances = Vec::new();
    for key in ["async", "asyncRewake"] {
        if handler.get(key) == Some(&Value::Bool(true)) {
            hindrances.push(format!("`{key}` runs it in the background, where it decides nothing"));
        }
    }
    if server_of(handler).is_some() {
        hindrances.extend(version::too_old_for_server(site));
        if fs::metadata(&place.file).is_ok_and(|data| data.mode() & 0o077 != 0) {
            hindrances.push("other users can read the server's token in it".to_owned());
        }
    }
    let command = handler.get("command").and_then(Value::as_str);
    if place.managed && !command.is_none_or(is_absolute) {
        hindrances.push("it names no absolute path, so each user's PATH chooses the program".to_owned());
    }
    if let Some(rule) = handler.get("if").and_then(Value::as_str) {
        hindrances.push(format!("`if` narrows it to `{rule}`"));
    }
    match handler.get("timeout").filter(|timeout| !timeout.is_null()).map(Value::as_f64) {
        Some(None) => hindrances.push("its `timeout` isn't a number".to_owned()),
        Some(Some(seconds)) if seconds < 5.0 => {
            hindrances.push("its `timeout` is less than the 5 s that the first call may need".to_owned());
        }
        Some(Some(_)) | None => {}
    }
    hindrances
}

/// Returns why the command line can't start the script, or `None`.
fn unstartable(script: &Path, line: &str) -> Option<String> {
    let shown = script.display();
    let Ok(data) = fs::metadata(script) else { return Some(format!("there is no script `{shown}`")) };
    (is_direct(line) && !is_executable(&data)).then(|| format!("`{shown}` can't be executed: run `chmod +x {shown}`"))
}

/// Returns whether the line starts with an absolute path, as `install` writes it.
fn is_absolute(line: &str) -> bool {
    let line = opened(line);
    line.starts_with(['/', '\''])
        || cfg!(windows) && line.split_once(':').is_some_and(|(_, rest)| rest.starts_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;

    use super::*;
    use guard_state::AppDirs;
    use guard_state::environment::Environment;

    #[test]
    fn a_server_is_shown_what_the_handler_says() {
        let handler = |header: &str, allowed: Value| {
            json!({ "type": "http", "url": "http://127.0.0.1:8273/hook/claude", "onFailure": "block",
                    "headers": { "Authorization": header }, "allowedEnvVars": allowed })
        };
        for (header, allowed, shown) in [
            ("Bearer word", json!(null), "Bearer word"),
            ("Bearer $TOKEN", json!(["TOKEN"]), "Bearer secret"),
            ("Bearer ${TOKEN}", json!(["OTHER", "TOKEN"]), "Bearer secret"),
            ("Bearer $TOKEN", json!(["OTHER"]), "Bearer $TOKEN"),
            ("Bearer $OTHER", json!(["OTHER"]), "Bearer "),
        ] {
            let hooks = json!({ "PreToolUse": [{ "hooks": [handler(header, allowed)] }] });
            let survey = look_at(&json!({ "hooks": hooks }), false);
            let [found] = &survey.found[..] else { panic!("{survey:?}") };
            let Running::Server { url, authorization } = &found.running else { panic!("{found:?}") };
            assert_eq!((url.as_str(), authorization.as_str()), ("http://127.0.0.1:8273/hook/claude", shown));
            assert!(found.blocks && found.hindrances.is_empty(), "{found:?}");
        }
    }

    fn look_at(settings: &Value, managed: bool) -> Survey {
        let (program, home) = ("guard-host".to_owned(), "/home".to_owned());
        let names = ProgramNames { harness: NAME, program, plugin: None, project: "/repo".into(), home };
        let place = HooksFile {
            file: "/s.json".into(),
            managed,
            foreign: false,
            shape: Shape::Wrapped,
            names,
            options: String::new(),
        };
        let environment = Environment {
            variables: Arc::new([("TOKEN".to_owned(), "secret".to_owned())].into()),
            ..Environment::current(std::time::Instant::now())
        };
        let dirs = AppDirs::under_home("/home");
        let site = HookLocation { environment: &environment, project: Path::new("/repo"), dirs: &dirs };
        let mut survey = Survey::default();
        look(settings, &place, site, &mut survey);
        survey
    }

    #[test]
    fn managed_settings_that_shut_other_hooks_out_are_told_unless_they_hold_the_hook() {
        let only = json!({ "allowManagedHooksOnly": true });
        assert_eq!(look_at(&only, true).switches.len(), 1);
        assert!(look_at(&only, false).switches.is_empty(), "it counts in managed settings alone");
        let hooks = json!({ "PreToolUse": [{ "hooks": [{ "command": "guard-host", "args": ["hook", "claude"] }] }] });
        let own = json!({ "allowManagedHooksOnly": true, "hooks": hooks });
        assert!(look_at(&own, true).switches.is_empty());
        let off = json!({ "disableAllHooks": true, "hooks": hooks });
        assert_eq!(look_at(&off, true).switches.len(), 1);
    }

    #[test]
    fn what_an_entry_says_is_told() {
        let hooks = json!({
            "PreToolUse": [
                { "matcher": "", "hooks": [{ "type": "command", "command": "guard-host hook claude", "onFailure": "block" }] },
                { "matcher": "Bash|Write", "hooks": [{ "command": "other" }, { "type": "command", "command": "guard-host", "args": ["hook"], "async": true }] },
                { "hooks": [{ "type": "prompt", "command": "guard-host hook claude", "timeout": 0.5 }] },
                { "matcher": "[", "hooks": [{ "command": "guard-host hook claude", "timeout": "20" }] },
            ],
            "SessionEnd": [{ "hooks": [{ "command": "other" }] }],
        });
        let survey = look_at(&json!({ "hooks": hooks }), false);
        assert!(!survey.session_end);
        let [first, second, third, last] = &survey.found[..] else { panic!("{survey:?}") };
        assert_eq!(
            first.running,
            Running::Program("guard-host".to_owned(), ["hook", "claude"].map(str::to_owned).to_vec())
        );
        assert_eq!((first.tools.as_deref(), first.blocks, first.hindrances.len()), (None, true, 0));
        assert_eq!(second.running, Running::Program("guard-host".to_owned(), vec!["hook".to_owned()]));
        assert_eq!((second.tools.as_deref(), second.blocks, second.hindrances.len()), (Some("Bash|Write"), false, 1));
        assert_eq!((&first.left_out[..], &second.left_out[..]), (&[][..], &["Edit", "MultiEdit"][..]));
        assert!(third.tools.is_none() && third.left_out == TOOLS, "{third:?}");
        assert!(third.hindrances[0].contains("`\"prompt\"`") && third.hindrances[1].contains("`timeout`"), "{third:?}");
        assert!(last.left_out == TOOLS && last.hindrances.len() == 3, "{last:?}");
        assert!(last.hindrances[1].contains("`type`"), "{last:?}");
    }

    #[test]
    fn odd_shapes_hold_no_hooks() {
        for settings in
            [json!(null), json!([]), json!({ "hooks": [] }), json!({ "hooks": { "PreToolUse": [1, { "hooks": 2 }] } })]
        {
            assert_eq!(look_at(&settings, true), Survey::default(), "{settings}");
        }
    }
}

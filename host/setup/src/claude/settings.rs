//! The content of this program's entries in Claude Code settings.

use std::net::SocketAddr;

use serde_json::Value;

use crate::command::{ProgramNames, StartedHook, closed, script_of, started};
use crate::entries::{Entries, Item, Shape};
use crate::install::Server;
use crate::install::json::{Malformed, Syntax};

/// The event before a tool call.
pub(super) const BEFORE: &str = "PreToolUse";

/// The event after a call that ran. The newer event for failed calls can't be used, because a version that doesn't know
/// an event ignores the whole file.
pub(super) const AFTER: &str = "PostToolUse";

/// The event before a shell command in a skill or slash command, and the one at the start of a session. Registered only
/// if the installed version knows them.
const SKILL: &str = "PreSkillShellCommand";
const START: &str = "SessionStart";

/// The event after changes of settings, with the sources that can contain the hook, and the event after auto mode's
/// classifier has refused a call. Registered under the same condition.
const CHANGED: &str = "ConfigChange";
const SOURCES: &str = "user_settings|project_settings|local_settings";
const DENIED: &str = "PermissionDenied";

/// The event at the end of a session.
pub(super) const END: &str = "SessionEnd";

/// The default timeout of the hook in Claude Code, in seconds. The hook itself needs four at most.
const TIMEOUT: u32 = 20;

/// The timeout of events that the hook only records, in seconds. At the end of a session, all hooks share a short time.
const NOTE_TIMEOUT: u32 = 5;

/// The path of this harness on the server.
const SERVER_PATH: &str = "/hook/claude";

/// The header with the server's token, and its scheme.
const AUTHORIZATION: &str = "Authorization";
const BEARER: &str = "Bearer ";

/// The entry to register.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) matcher: String,
    /// The shell command line. Other harnesses read the same file and ignore `args`.
    pub(super) line: String,
    pub(super) timeout: Option<u32>,
    pub(super) blocks: bool,
    /// The part of the hook that the entry starts.
    pub(super) started: StartedHook,
    /// The server that replaces the command.
    pub(super) server: Option<Server>,
    /// Whether the installed version knows the newer events.
    pub(super) has_new_events: bool,
}

impl Entry {
    /// Returns whether the entry runs every policy that the other one runs.
    pub(super) fn covers(&self, other: &StartedHook) -> bool {
        let own = &self.started.only;
        own.is_empty() || !other.only.is_empty() && other.only.iter().all(|name| own.contains(name))
    }

    /// Returns the items of the entry, for each event.
    fn items(&self) -> Vec<(&'static str, Item)> {
        let handler = |timeout| match &self.server {
            Some(server) => http(server, timeout),
            None => command(&self.line, timeout),
        };
        let timeout = self.timeout.unwrap_or(TIMEOUT);
        // Versions before 2.1.295 remove `onFailure` when they write the file, so the command line has the same effect.
        // The shells on Windows have no common syntax for it.
        let mut before = match self.server.is_none() && self.blocks && !cfg!(windows) {
            true => command(&closed(&self.line), timeout),
            false => handler(timeout),
        };
        before.extend(self.blocks.then(|| ("onFailure", Item::text("block"))));
        let mut after = handler(NOTE_TIMEOUT);
        // HTTP requests are short, and `async` doesn't exist for them.
        after.extend(self.server.is_none().then_some(("async", Item::Flag(true))));
        let matcher = ("matcher", Item::text(&self.matcher));
        let mut items = vec![
            (BEFORE, Item::Object(vec![matcher.clone(), group(before.clone())])),
            (AFTER, Item::Object(vec![matcher.clone(), group(after.clone())])),
            (END, Item::Object(vec![group(handler(NOTE_TIMEOUT))])),
        ];
        if self.has_new_events {
            items.push((SKILL, Item::Object(vec![group(before)])));
            items.push((START, Item::Object(vec![group(handler(NOTE_TIMEOUT))])));
            let sources = ("matcher", Item::text(SOURCES));
            items.push((CHANGED, Item::Object(vec![sources, group(handler(NOTE_TIMEOUT))])));
            items.push((DENIED, Item::Object(vec![matcher, group(after)])));
        }
        items
    }
}

/// Returns the `hooks` key of a group with one handler.
fn group(handler: Vec<(&'static str, Item)>) -> (&'static str, Item) {
    ("hooks", Item::List(vec![Item::Object(handler)]))
}

/// Returns a handler that starts a process.
fn command(line: &str, timeout: u32) -> Vec<(&'static str, Item)> {
    vec![("type", Item::text("command")), ("command", Item::text(line)), ("timeout", Item::Number(timeout))]
}

/// Returns a handler that sends requests to a server. Its token is in the file, because a variable would have to be set
/// wherever an agent starts.
fn http(server: &Server, timeout: u32) -> Vec<(&'static str, Item)> {
    let url = ("url", Item::Text(format!("http://{}{SERVER_PATH}", server.address)));
    let token = Item::Text(format!("{BEARER}{}", server.token));
    let headers = ("headers", Item::Object(vec![(AUTHORIZATION, token)]));
    vec![("type", Item::text("http")), url, ("timeout", Item::Number(timeout)), headers]
}

/// Returns the URL of a handler's server, if it is a server of this program: on this machine, with a token.
pub(super) fn server_of(handler: &Value) -> Option<&str> {
    handler.get("headers")?.get(AUTHORIZATION)?.as_str()?.strip_prefix(BEARER)?;
    let url =
        handler.get("url").and_then(Value::as_str).filter(|_| handler.get("type").is_some_and(|it| it == "http"))?;
    let address = url.strip_prefix("http://")?.strip_suffix(SERVER_PATH)?;
    let is_here = |address: SocketAddr| address.ip().is_loopback();
    let of_name = |port: &str| port.parse::<u16>().is_ok();
    let named = address.parse().is_ok_and(is_here) || address.strip_prefix("localhost:").is_some_and(of_name);
    named.then_some(url)
}

/// Returns the part of this program's hook that a handler starts or requests. `None` for another program's handler.
pub(super) fn runs(handler: &Value, names: &ProgramNames) -> Option<StartedHook> {
    let served = || server_of(handler).map(|_| StartedHook::default());
    started(handler, names).or_else(served)
}

/// Adds the entry and removes those that it replaces: entries that start the same script or the program itself, and
/// those whose policies it covers. Returns the same text if nothing changes.
pub(super) fn add(text: &str, shape: Shape, entry: &Entry, names: &ProgramNames) -> Result<String, Malformed> {
    // Regardless of the script's current content, it will be the one that the entry starts.
    let starts_its_script =
        |handler: &Value| entry.started.script.is_some() && script_of(handler, names) == entry.started.script;
    let is_replaced = |handler: &Value| {
        starts_its_script(handler)
            || runs(handler, names).is_some_and(|other| other.script == entry.started.script || entry.covers(&other))
    };
    edit(shape, &is_replaced, |entries| entries.add(text, &entry.items()))
}

/// Removes every entry of this program, and objects that are then empty.
pub(super) fn strip(text: &str, shape: Shape, names: &ProgramNames) -> Result<String, Malformed> {
    edit(shape, &|handler| runs(handler, names).is_some(), |entries| entries.strip(text))
}

fn edit<T>(shape: Shape, is_ours: &dyn Fn(&Value) -> bool, act: impl Fn(&Entries<'_>) -> T) -> T {
    act(&Entries { syntax: Syntax::Strict, shape, grouped: true, beside: &[], is_ours })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn names() -> ProgramNames {
        ProgramNames {
            harness: "claude",
            program: "guard-dev".to_owned(),
            plugin: Some("/plugin".into()),
            project: "/repo".into(),
            home: "/home/u".to_owned(),
        }
    }

    fn entry() -> Entry {
        Entry {
            matcher: "*".to_owned(),
            line: "/bin/guard-host hook claude".to_owned(),
            timeout: None,
            blocks: true,
            started: StartedHook::default(),
            server: None,
            has_new_events: false,
        }
    }

    #[test]
    fn a_server_of_this_program_is_on_this_machine() {
        let with = |url: &str, headers| json!({ "type": "http", "url": url, "headers": headers });
        let handler = |url: &str| with(url, json!({ "Authorization": "Bearer x" }));
        for url in
            ["http://127.0.0.1:8273/hook/claude", "http://[::1]:1/hook/claude", "http://localhost:80/hook/claude"]
        {
            assert_eq!(server_of(&handler(url)), Some(url));
            assert_eq!(server_of(&with(url, json!({ "X": "y" }))), None);
        }
        for url in [
            "https://127.0.0.1:8273/hook/claude",
            "http://127.0.0.1/hook/claude",
            "http://127.0.0.1:8273/hook/claude?x",
            "http://127.0.0.1:8273/hook",
            "http://192.0.2.1:8273/hook/claude",
            "http://localhost:x/hook/claude",
            "http://localhost.example.org:80/hook/claude",
        ] {
            assert_eq!(server_of(&handler(url)), None, "{url}");
        }
    }

    #[test]
    fn s1_99b_scripts_of_different_policies_stand_side_by_side() {
        let folder = tempfile::tempdir().unwrap();
        let put = |text: String, name: &str, only: &[&str]| {
            let path = folder.path().join(name).to_string_lossy().into_owned();
            let flag = if only.is_empty() { String::new() } else { format!(" --only {}", only.join(",")) };
            std::fs::write(&path, format!("#!/bin/sh\nexec guard-host hook claude{flag} \"$@\"\n")).unwrap();
            let only = only.iter().map(|&name| name.to_owned()).collect();
            let started = StartedHook { only, script: Some(path.clone()), ..StartedHook::default() };
            add(&text, Shape::Wrapped, &Entry { line: path, started, ..entry() }, &names()).unwrap()
        };
        let count = |text: &str, name: &str| text.matches(name).count();
        let text = put("{}".to_owned(), "one.sh", &["a"]);
        let text = put(text, "two.py", &["b"]);
        assert_eq!((count(&text, "one.sh"), count(&text, "two.py")), (4, 4), "{text}");
        // An entry whose policies another entry covers is removed.
        let both = put(text.clone(), "both.sh", &["a", "b"]);
        assert_eq!((count(&both, "one.sh"), count(&both, "two.py"), count(&both, "both.sh")), (0, 0, 4), "{both}");
        let text = put(text, "one.sh", &["c"]);
        assert_eq!((count(&text, "one.sh"), count(&text, "two.py")), (4, 4), "{text}");
        let text = add(&text, Shape::Wrapped, &entry(), &names()).unwrap();
        assert_eq!((count(&text, ".sh"), count(&text, ".py"), count(&text, "/bin/guard-host")), (0, 0, 4), "{text}");
        let text = put(text, "one.sh", &["a"]);
        assert_eq!((count(&text, "one.sh"), count(&text, "/bin/guard-host")), (4, 4), "{text}");
    }

    proptest! {
        #[test]
        fn others_keep_their_hooks_and_a_second_run_changes_nothing(
            groups in prop::collection::vec((0_usize..4, 0_usize..4), 0..4),
            pretty in any::<bool>(),
        ) {
            let other = |n| json!({ "type": "command", "command": format!("other-{n}") });
            let own = json!({ "type": "command", "command": "guard-host hook claude" });
            let group = |(others, at): &(usize, usize)| {
                let mut handlers: Vec<Value> = (0..*others).map(other).collect();
                if at < others {
                    handlers.insert(*at, own.clone());
                }
                json!({ "matcher": "Bash", "hooks": handlers })
            };
            let groups: Vec<Value> = groups.iter().map(group).collect();
            let settings = json!({ "a": 1, "hooks": { "PreToolUse": groups, "Stop": [group(&(2, 9))] }, "z": {} });
            let text = if pretty { serde_json::to_string_pretty(&settings).unwrap() } else { settings.to_string() };
            let added = add(&text, Shape::Wrapped, &entry(), &names()).unwrap();
            prop_assert_eq!(&add(&added, Shape::Wrapped, &entry(), &names()).unwrap(), &added);
            let count = |text: &str, word: &str| text.matches(word).count();
            prop_assert_eq!(count(&added, "\"onFailure\""), 1);
            prop_assert_eq!(count(&added, "/bin/guard-host hook claude"), 3);
            prop_assert_eq!(count(&added, "\"guard-host hook claude"), 0);
            let stripped = strip(&added, Shape::Wrapped, &names()).unwrap();
            prop_assert_eq!(count(&stripped, "guard-host"), 0);
            for n in 0..4 {
                let word = format!("other-{n}");
                prop_assert_eq!(count(&stripped, &word), count(&text, &word));
            }
            let value: Value = serde_json::from_str(&stripped).unwrap();
            prop_assert_eq!((&value["a"], &value["z"]), (&settings["a"], &settings["z"]));
            prop_assert_eq!(&value["hooks"]["Stop"], &settings["hooks"]["Stop"]);
        }
    }
}

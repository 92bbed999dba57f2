//! The entries of this program in a settings text of Claude Code: what they hold.

use std::net::SocketAddr;

use serde_json::Value;

use crate::command::{ProgramNames, StartedHook, closed, script_of, started};
use crate::entries::{Entries, Item, Shape};
use crate::install::Server;
use crate::install::json::{Malformed, Syntax};

/// The event before a tool call.
pub(super) const BEFORE: &str = "PreToolUse";

/// The event that tells that a call has run. The later one, of failures, must not stand there: a version that does not know
/// an event passes over the whole file.
pub(super) const AFTER: &str = "PostToolUse";

/// The event before a shell command in a skill or a slash command, and the one at the start of a session. They are
/// registered only where the installed version has them.
const SKILL: &str = "PreSkillShellCommand";
const START: &str = "SessionStart";

/// The event after settings have changed, with the sources of those that can hold the hook, and the one after auto mode's
/// classifier has refused a call. They are registered where the two above are.
const CHANGED: &str = "ConfigChange";
const SOURCES: &str = "user_settings|project_settings|local_settings";
const DENIED: &str = "PermissionDenied";

/// The event at the end of a session.
pub(super) const END: &str = "SessionEnd";

/// How long Claude Code waits for the hook, in seconds. The hook itself takes four at most.
const TIMEOUT: u32 = 20;

/// The same of events of which the hook only takes note. At the end of a session all hooks share little time.
const NOTE_TIMEOUT: u32 = 5;

/// Where a server answers for this harness.
const SERVER_PATH: &str = "/hook/claude";

/// The header that a server reads, and its scheme.
const AUTHORIZATION: &str = "Authorization";
const BEARER: &str = "Bearer ";

/// The entry that is wanted.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) matcher: String,
    /// A line of a shell. Other harnesses read the file, too, and pass over words that stand by themselves in `args`.
    pub(super) line: String,
    pub(super) timeout: Option<u32>,
    pub(super) blocks: bool,
    /// The part of the hook that it starts.
    pub(super) started: StartedHook,
    /// The server that is asked in the place of the line.
    pub(super) server: Option<Server>,
    /// The version that reads it has the newer events.
    pub(super) has_new_events: bool,
}

impl Entry {
    /// It asks every policy that the other one asks.
    pub(super) fn covers(&self, other: &StartedHook) -> bool {
        let own = &self.started.only;
        own.is_empty() || !other.only.is_empty() && other.only.iter().all(|name| own.contains(name))
    }

    /// Its entry in the file, for each event.
    fn items(&self) -> Vec<(&'static str, Item)> {
        let handler = |timeout| match &self.server {
            Some(server) => http(server, timeout),
            None => command(&self.line, timeout),
        };
        let timeout = self.timeout.unwrap_or(TIMEOUT);
        // Versions before 2.1.295 take `onFailure` out of the file when they write it, so the line says it as well.
        // The shells of Windows have no common way to say it.
        let mut before = match self.server.is_none() && self.blocks && !cfg!(windows) {
            true => command(&closed(&self.line), timeout),
            false => handler(timeout),
        };
        before.extend(self.blocks.then(|| ("onFailure", Item::text("block"))));
        let mut after = handler(NOTE_TIMEOUT);
        // A request keeps nobody waiting for long, and there is no such key for it.
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

/// One handler of a group.
fn group(handler: Vec<(&'static str, Item)>) -> (&'static str, Item) {
    ("hooks", Item::List(vec![Item::Object(handler)]))
}

/// A handler that starts a process.
fn command(line: &str, timeout: u32) -> Vec<(&'static str, Item)> {
    vec![("type", Item::text("command")), ("command", Item::text(line)), ("timeout", Item::Number(timeout))]
}

/// A handler that asks a server. Its token stands in the file: a variable would have to be set wherever an agent starts.
fn http(server: &Server, timeout: u32) -> Vec<(&'static str, Item)> {
    let url = ("url", Item::Text(format!("http://{}{SERVER_PATH}", server.address)));
    let token = Item::Text(format!("{BEARER}{}", server.token));
    let headers = ("headers", Item::Object(vec![(AUTHORIZATION, token)]));
    vec![("type", Item::text("http")), url, ("timeout", Item::Number(timeout)), headers]
}

/// The URL of the server that a handler asks, if it is one of this program's: on this machine, and shown a token.
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

/// The part of this program's hook that a handler starts or asks; `None` for a handler of another program.
pub(super) fn runs(handler: &Value, names: &ProgramNames) -> Option<StartedHook> {
    let served = || server_of(handler).map(|_| StartedHook::default());
    started(handler, names).or_else(served)
}

/// Puts the entry in, in the place of those that it makes needless: such as start the same script or the program itself,
/// and such as ask no other policies than it does. The same text if it is there as it is wanted.
pub(super) fn add(text: &str, shape: Shape, entry: &Entry, names: &ProgramNames) -> Result<String, Malformed> {
    // Whatever the script holds by now, it becomes the one that the entry starts.
    let starts_its_script =
        |handler: &Value| entry.started.script.is_some() && script_of(handler, names) == entry.started.script;
    let is_replaced = |handler: &Value| {
        starts_its_script(handler)
            || runs(handler, names).is_some_and(|other| other.script == entry.started.script || entry.covers(&other))
    };
    edit(shape, &is_replaced, |entries| entries.add(text, &entry.items()))
}

/// Takes every entry of this program out, and what is empty without it.
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
        // One that asks nothing else than another one does goes.
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

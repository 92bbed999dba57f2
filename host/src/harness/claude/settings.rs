//! The entry of this program among the hooks in a settings text of Claude Code: found, put in, taken out.
//!
//! Edits the text in place; whatever else stands there keeps its bytes.

use serde::Serialize;

use super::command::is_ours;
use super::registration::Names;
use crate::install::json::{Kind, Malformed, Node, insert, parse, remove, replace};

/// The event before a tool call.
pub(super) const BEFORE: &str = "PreToolUse";

/// The event at the end of a session.
pub(super) const END: &str = "SessionEnd";

/// How long Claude Code waits for the hook, in seconds. The hook itself takes four at most.
const TIMEOUT: u32 = 20;

/// The same at the end of a session, for which all hooks share little time.
const END_TIMEOUT: u32 = 5;

/// Where the events stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Below the key `hooks`.
    Wrapped,
    /// At the top, unless there is a key `hooks`.
    Bare,
}

/// The entry that is wanted.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) matcher: String,
    pub(super) command: String,
    pub(super) args: Vec<String>,
    pub(super) timeout: Option<u32>,
    pub(super) blocks: bool,
}

/// Handlers with the tools that they are for.
#[derive(Serialize)]
struct Group<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    matcher: Option<&'a str>,
    hooks: [Handler<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Handler<'a> {
    r#type: &'static str,
    command: &'a str,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    args: &'a [String],
    timeout: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_failure: Option<&'static str>,
}

/// Puts the entry in. The same text if it is there as it is wanted.
pub(super) fn add(text: &str, shape: Shape, entry: &Entry, names: &Names) -> Result<String, Malformed> {
    let handler = |timeout, on_failure| Handler {
        r#type: "command",
        command: &entry.command,
        args: &entry.args,
        timeout,
        on_failure,
    };
    let before = handler(entry.timeout.unwrap_or(TIMEOUT), entry.blocks.then_some("block"));
    let before = Group { matcher: Some(&entry.matcher), hooks: [before] };
    let end = Group { matcher: None, hooks: [handler(END_TIMEOUT, None)] };
    let mut text = one_at_most(text.to_owned(), shape, names)?;
    for (event, group) in [(BEFORE, before), (END, end)] {
        text = put(&text, shape, event, &group, names)?;
    }
    Ok(text)
}

/// Takes every entry of this program out, and what is empty without it.
pub(super) fn strip(text: &str, shape: Shape, names: &Names) -> Result<String, Malformed> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(place) = ours(&text, &root, shape, names)?.pop() else { return Ok(text) };
        text = without(&text, &root, shape, &place);
    }
}

/// Where a handler stands.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spot {
    event: String,
    group: usize,
    handler: usize,
}

/// The object of the events, and whether it is below a key. None if there is none yet.
fn events<'a>(text: &str, root: &'a Node, shape: Shape) -> Result<Option<(&'a Node, bool)>, Malformed> {
    if !matches!(root.kind, Kind::Object(_)) {
        return Err(root.complain(text, "the settings are no object"));
    }
    match (root.member("hooks"), shape) {
        (Some((_, hooks)), _) if matches!(hooks.kind, Kind::Object(_)) => Ok(Some((hooks, true))),
        (Some((_, hooks)), _) => Err(hooks.complain(text, "`hooks` is no object")),
        (None, Shape::Bare) => Ok(Some((root, false))),
        (None, Shape::Wrapped) => Ok(None),
    }
}

/// Every handler of this program, in the order of the text.
fn ours(text: &str, root: &Node, shape: Shape, names: &Names) -> Result<Vec<Spot>, Malformed> {
    let mut found = Vec::new();
    let Some((events, _)) = events(text, root, shape)? else { return Ok(found) };
    let Kind::Object(members) = &events.kind else { return Ok(found) };
    for member in members {
        for (group, node) in member.value.elements().unwrap_or_default().iter().enumerate() {
            let handlers = node.member("hooks").and_then(|(_, hooks)| hooks.elements()).unwrap_or_default();
            let own = handlers.iter().enumerate().filter(|(_, handler)| is_ours(&handler.value(text), names));
            found.extend(own.map(|(handler, _)| Spot { event: member.key.clone(), group, handler }));
        }
    }
    Ok(found)
}

/// Leaves one handler of this program an event, and none of other events.
fn one_at_most(mut text: String, shape: Shape, names: &Names) -> Result<String, Malformed> {
    loop {
        let root = parse(&text)?;
        let found = ours(&text, &root, shape, names)?;
        let is_extra = |(index, spot): &(usize, &Spot)| {
            let wanted = [BEFORE, END].contains(&spot.event.as_str());
            !wanted || found.iter().take(*index).any(|other| other.event == spot.event)
        };
        let extra = found.iter().enumerate().rfind(is_extra).map(|(_, spot)| spot.clone());
        let Some(extra) = extra else { return Ok(text) };
        text = without(&text, &root, shape, &extra);
    }
}

/// The text without one handler, and without what only held it.
fn without(text: &str, root: &Node, shape: Shape, spot: &Spot) -> String {
    let removed = || {
        let (events, below) = events(text, root, shape).ok()??;
        let (event, groups) = events.member(&spot.event)?;
        let group = groups.elements()?.get(spot.group)?;
        let (_, handlers) = group.member("hooks")?;
        Some(match (handlers.len(), groups.len(), events.len()) {
            (2.., _, _) => remove(text, handlers, spot.handler),
            (_, 2.., _) => remove(text, groups, spot.group),
            (_, _, 2..) => remove(text, events, event),
            _ if below => remove(text, root, root.member("hooks")?.0),
            _ => remove(text, events, event),
        })
    };
    removed().unwrap_or_else(|| text.to_owned())
}

/// Puts one group in, or in the place of the one that is there.
fn put(text: &str, shape: Shape, event: &str, group: &Group<'_>, names: &Names) -> Result<String, Malformed> {
    let root = parse(text)?;
    let Some((events, _)) = events(text, &root, shape)? else {
        return Ok(insert(text, &root, Some("hooks"), &Singleton(event, [group])));
    };
    let Some((_, groups)) = events.member(event) else {
        return Ok(insert(text, events, Some(event), &[group]));
    };
    let Some(elements) = groups.elements() else {
        return Err(groups.complain(text, &format!("`{event}` is no list")));
    };
    let spot = ours(text, &root, shape, names)?.into_iter().find(|spot| spot.event == event);
    let Some((spot, node)) =
        spot.and_then(|spot| Some((elements.get(spot.group)?, spot)).map(|(node, spot)| (spot, node)))
    else {
        return Ok(insert(text, groups, None, group));
    };
    let wanted = serde_json::to_value(group).unwrap_or_default();
    let handlers = node.member("hooks").map(|(_, handlers)| handlers);
    let alone = handlers.is_none_or(|handlers| handlers.len() == 1);
    if alone {
        return Ok(if node.value(text) == wanted { text.to_owned() } else { replace(text, node, group) });
    }
    // Others share the group. They keep their matcher; where it is not the wanted one, the entry moves out.
    if node.value(text).get("matcher") == wanted.get("matcher")
        && let Some(handler) = handlers.and_then(|handlers| handlers.elements()?.get(spot.handler))
    {
        let same = Some(&handler.value(text)) == wanted.pointer("/hooks/0");
        let [own] = &group.hooks;
        return Ok(if same { text.to_owned() } else { replace(text, handler, own) });
    }
    put(&without(text, &root, shape, &spot), shape, event, group, names)
}

/// An object of one member.
struct Singleton<'a, T>(&'a str, T);

impl<T: Serialize> Serialize for Singleton<'_, T> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([(self.0, &self.1)])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn names() -> Names {
        Names { program: "guard-dev".to_owned(), plugin: Some("/plugin".into()), project: "/repo".into() }
    }

    fn entry() -> Entry {
        Entry {
            matcher: "*".to_owned(),
            command: "/bin/guard-host".to_owned(),
            args: vec!["hook".to_owned(), "claude".to_owned()],
            timeout: None,
            blocks: true,
        }
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
            prop_assert_eq!(count(&added, "\"/bin/guard-host\""), 2);
            prop_assert_eq!(count(&added, "guard-host hook claude"), 0);
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

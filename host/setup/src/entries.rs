//! Finds, adds and removes this program's entries among the hooks in a harness's JSON settings.
//!
//! Edits the text in place, and keeps every other byte. Entries' contents are up to the harness.

use serde::Serialize;
use serde::ser::{SerializeMap, SerializeSeq, Serializer};
use serde_json::Value;

use crate::install::json::{Document, Kind, Malformed, Node, Syntax};

/// A JSON value to write, with ordered members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Item {
    Text(String),
    Number(u32),
    Flag(bool),
    List(Vec<Item>),
    Object(Vec<(&'static str, Item)>),
}

impl Item {
    pub(super) fn text(text: &str) -> Self {
        Item::Text(text.to_owned())
    }

    /// Returns the member with this name.
    fn member(&self, key: &str) -> Option<&Item> {
        let Item::Object(members) = self else { return None };
        members.iter().find(|(name, _)| *name == key).map(|(_, item)| item)
    }

    /// Returns the first handler of a group.
    fn handler(&self) -> Option<&Item> {
        if let Some(Item::List(handlers)) = self.member(HANDLERS) { handlers.first() } else { None }
    }

    /// Formats the value as a whole file.
    pub(super) fn printed(&self) -> String {
        // Fixed keys, numbers and texts can't fail to serialize.
        serde_json::to_string_pretty(self).map(|text| text + "\n").unwrap_or_default()
    }

    pub(super) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

impl Serialize for Item {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Item::Text(text) => serializer.serialize_str(text),
            Item::Number(number) => serializer.serialize_u32(*number),
            Item::Flag(flag) => serializer.serialize_bool(*flag),
            Item::List(items) => {
                let mut list = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| list.serialize_element(item))?;
                list.end()
            }
            Item::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(key, item)| map.serialize_entry(key, item))?;
                map.end()
            }
        }
    }
}

/// The key of a group's handlers.
const HANDLERS: &str = "hooks";

/// The key of the events.
const EVENTS: &str = "hooks";

/// The location of the events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Below the key `hooks`.
    Wrapped,
    /// At the top level, unless there is a key `hooks`.
    Bare,
}

/// The structure of a file with hooks, and how to recognize this program's.
pub(super) struct Entries<'a> {
    pub(super) syntax: Syntax,
    pub(super) shape: Shape,
    /// Whether an event has groups of handlers, instead of handlers.
    pub(super) grouped: bool,
    /// Other values that the file must have at its top level.
    pub(super) beside: &'a [(&'static str, Item)],
    pub(super) is_ours: &'a dyn Fn(&Value) -> bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct HandlerPosition {
    event: String,
    entry: usize,
    /// The index in its group, if there are groups.
    handler: Option<usize>,
}

impl Entries<'_> {
    /// Adds one entry for each event. Returns the same text if nothing changes.
    pub(super) fn add(&self, text: &str, wanted: &[(&'static str, Item)]) -> Result<String, Malformed> {
        let mut text = text.to_owned();
        for (key, item) in self.beside {
            let document = Document::parse(&text, self.syntax)?;
            if self.events(&document).is_ok() && document.root.member(key).is_none() {
                text = document.insert(&document.root, Some(key), item);
            }
        }
        text = self.one_at_most(text, wanted)?;
        for (event, entry) in wanted {
            text = self.put(&text, event, entry)?;
        }
        Ok(text)
    }

    /// Removes every entry of this program, and objects that are then empty.
    pub(super) fn strip(&self, text: &str) -> Result<String, Malformed> {
        let mut text = text.to_owned();
        loop {
            let document = Document::parse(&text, self.syntax)?;
            let Some(spot) = self.own_handlers(&document)?.pop() else { return Ok(text) };
            text = self.without(&document, &spot);
        }
    }

    /// Returns the object with the events, and whether it is below a key. `None` if it doesn't exist yet.
    fn events<'d>(&self, document: &'d Document<'_>) -> Result<Option<(&'d Node, bool)>, Malformed> {
        let root = &document.root;
        if !matches!(root.kind, Kind::Object(_)) {
            return Err(document.complain(root, "the settings are no object"));
        }
        match (root.member(EVENTS), self.shape) {
            (Some((_, hooks)), _) if matches!(hooks.kind, Kind::Object(_)) => Ok(Some((hooks, true))),
            (Some((_, hooks)), _) => Err(document.complain(hooks, "`hooks` isn't an object")),
            (None, Shape::Bare) => Ok(Some((root, false))),
            (None, Shape::Wrapped) => Ok(None),
        }
    }

    /// Returns every handler of this program, in the order of the text.
    fn own_handlers(&self, document: &Document<'_>) -> Result<Vec<HandlerPosition>, Malformed> {
        let mut found = Vec::new();
        let Some((events, _)) = self.events(document)? else { return Ok(found) };
        let Kind::Object(members) = &events.kind else { return Ok(found) };
        let is_ours = |node: &Node| (self.is_ours)(&document.value(node));
        for member in members {
            for (entry, node) in member.value.elements().unwrap_or_default().iter().enumerate() {
                let spot = |handler| HandlerPosition { event: member.key.clone(), entry, handler };
                if !self.grouped {
                    found.extend(is_ours(node).then(|| spot(None)));
                    continue;
                }
                let handlers = node.member(HANDLERS).and_then(|(_, handlers)| handlers.elements());
                let own = handlers.unwrap_or_default().iter().enumerate().filter(|(_, handler)| is_ours(handler));
                found.extend(own.map(|(handler, _)| spot(Some(handler))));
            }
        }
        Ok(found)
    }

    /// Keeps at most one handler of this program for each event, and none for other events.
    fn one_at_most(&self, mut text: String, wanted: &[(&'static str, Item)]) -> Result<String, Malformed> {
        loop {
            let document = Document::parse(&text, self.syntax)?;
            let found = self.own_handlers(&document)?;
            let is_extra = |(index, spot): &(usize, &HandlerPosition)| {
                !wanted.iter().any(|(event, _)| *event == spot.event)
                    || found.iter().take(*index).any(|other| other.event == spot.event)
            };
            let extra = found.iter().enumerate().rfind(is_extra).map(|(_, spot)| spot.clone());
            let Some(extra) = extra else { return Ok(text) };
            text = self.without(&document, &extra);
        }
    }

    /// Returns the text without one handler, and without containers that are then empty.
    fn without(&self, document: &Document<'_>, spot: &HandlerPosition) -> String {
        let removed = || {
            let (events, below) = self.events(document).ok()??;
            let (event, entries) = events.member(&spot.event)?;
            if let Some(handler) = spot.handler {
                let (_, handlers) = entries.elements()?.get(spot.entry)?.member(HANDLERS)?;
                if handlers.len() > 1 {
                    return Some(document.remove(handlers, handler));
                }
            }
            Some(match (entries.len(), events.len()) {
                (2.., _) => document.remove(entries, spot.entry),
                (_, 1) if below => document.remove(&document.root, document.root.member(EVENTS)?.0),
                _ => document.remove(events, event),
            })
        };
        removed().unwrap_or_else(|| document.text.to_owned())
    }

    /// Adds one entry, or replaces the existing one.
    fn put(&self, text: &str, event: &'static str, entry: &Item) -> Result<String, Malformed> {
        let document = Document::parse(text, self.syntax)?;
        let Some((events, _)) = self.events(&document)? else {
            let alone = Item::Object(vec![(event, Item::List(vec![entry.clone()]))]);
            return Ok(document.insert(&document.root, Some(EVENTS), &alone));
        };
        let Some((_, entries)) = events.member(event) else {
            return Ok(document.insert(events, Some(event), &Item::List(vec![entry.clone()])));
        };
        let Some(elements) = entries.elements() else {
            return Err(document.complain(entries, &format!("`{event}` isn't a list")));
        };
        let spot = self.own_handlers(&document)?.into_iter().find(|spot| spot.event == event);
        let Some((spot, node)) = spot.and_then(|spot| elements.get(spot.entry).map(|node| (spot, node))) else {
            return Ok(document.insert(entries, None, entry));
        };
        let there = document.value(node);
        let handlers = node.member(HANDLERS).map(|(_, handlers)| handlers).filter(|_| self.grouped);
        if handlers.is_none_or(|handlers| handlers.len() == 1) {
            return Ok(if there == entry.to_value() { text.to_owned() } else { document.replace(node, entry) });
        }
        // Other programs' handlers share the group, so its matcher stays. If it differs from the wanted one, the entry
        // moves to a new group.
        let handler = spot.handler.and_then(|handler| handlers?.elements()?.get(handler));
        if there.get("matcher") == entry.member("matcher").map(Item::to_value).as_ref()
            && let (Some(handler), Some(wanted)) = (handler, entry.handler())
        {
            let same = document.value(handler) == wanted.to_value();
            return Ok(if same { text.to_owned() } else { document.replace(handler, wanted) });
        }
        self.put(&self.without(&document, &spot), event, entry)
    }
}

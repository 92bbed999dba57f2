//! Finds and edits one list of hooks in a YAML text. All other lines are kept.
//!
//! Edits add and remove whole lines. Each edit is verified: the new text must parse as the old value with exactly one
//! item more or less. A text whose layout doesn't allow that is rejected, and never printed again from values.

use saphyr_parser::{Event, Parser, ScalarStyle, Span};
use serde_json::{Map, Value};

use super::json::Malformed;

/// The maximum nesting depth.
const DEPTH: usize = 64;

/// A value and its position.
#[derive(Debug)]
struct Node {
    span: Span,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Scalar(Value),
    List(Vec<Node>),
    Map(Vec<(Node, Node)>),
    /// Aliases aren't followed: their target is edited at its own position.
    Alias,
}

/// A collection that isn't complete yet.
struct Open {
    span: Span,
    is_map: bool,
    items: Vec<Node>,
}

impl Open {
    fn into_node(self) -> Node {
        let kind = if self.is_map {
            let mut pairs = Vec::with_capacity(self.items.len() / 2);
            let mut items = self.items.into_iter();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                pairs.push((key, value));
            }
            Kind::Map(pairs)
        } else {
            Kind::List(self.items)
        };
        Node { span: self.span, kind }
    }
}

impl Node {
    /// Returns the line on which it starts, from 0.
    fn line(&self) -> usize {
        self.span.start.line().saturating_sub(1)
    }

    fn column(&self) -> usize {
        self.span.start.col()
    }

    /// Returns the value of a key, with the key. Of duplicates, the last one, which PyYAML uses.
    fn member(&self, key: &str) -> Option<(&Node, &Node)> {
        let Kind::Map(pairs) = &self.kind else { return None };
        let named = |pair: &&(Node, Node)| matches!(&pair.0.kind, Kind::Scalar(Value::String(text)) if text == key);
        pairs.iter().rfind(named).map(|(key, value)| (key, value))
    }

    /// Returns whether the key occurs more than once. An edit of one would reveal another.
    fn is_twice(&self, key: &str) -> bool {
        let Kind::Map(pairs) = &self.kind else { return false };
        pairs.iter().filter(|(name, _)| matches!(&name.kind, Kind::Scalar(Value::String(text)) if text == key)).count()
            > 1
    }

    fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::List(items) => Value::Array(items.iter().map(Node::value).collect()),
            Kind::Map(pairs) => {
                let named = |key: &Node| match key.value() {
                    Value::String(text) => text,
                    other => other.to_string(),
                };
                Value::Object(pairs.iter().map(|(key, value)| (named(key), value.value())).collect::<Map<_, _>>())
            }
            Kind::Alias => Value::Null,
        }
    }

    fn is_empty(&self) -> bool {
        match &self.kind {
            Kind::Scalar(value) => value.is_null(),
            Kind::List(items) => items.is_empty(),
            Kind::Map(pairs) => pairs.is_empty(),
            Kind::Alias => false,
        }
    }
}

/// Parses a scalar by the rules of YAML 1.1, as far as hook settings need them.
fn scalar(text: &str, style: ScalarStyle, is_tagged: bool) -> Value {
    if style != ScalarStyle::Plain || is_tagged {
        return Value::String(text.to_owned());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => return Value::Bool(true),
        "false" | "False" | "FALSE" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => return Value::Bool(false),
        _ => {}
    }
    let number = text.parse::<i64>().map(Value::from).or_else(|_| text.parse::<f64>().map(Value::from));
    number.ok().filter(|value| value.is_number()).unwrap_or_else(|| Value::String(text.to_owned()))
}

/// Parses the only document of a text. `None` if it has no value.
fn parse(text: &str) -> Result<Option<Node>, Malformed> {
    let mut open: Vec<Open> = Vec::new();
    let (mut root, mut documents) = (None, 0);
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Malformed::after(before(text, error.marker().index()), error.info()))?;
        let kind = match event {
            Event::Scalar(value, style, _, tag) => Kind::Scalar(scalar(&value, style, tag.is_some())),
            Event::Alias(_) => Kind::Alias,
            Event::SequenceStart(..) | Event::MappingStart(..) => {
                if open.len() >= DEPTH {
                    return Err(Malformed::after(before(text, span.start.index()), "this nests too deep"));
                }
                open.push(Open { span, is_map: matches!(event, Event::MappingStart(..)), items: Vec::new() });
                continue;
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(closed) = open.pop() else { continue };
                let node = closed.into_node();
                match open.last_mut() {
                    Some(parent) => parent.items.push(node),
                    None => root = Some(node),
                }
                continue;
            }
            Event::DocumentStart(_) => {
                documents += 1;
                if documents > 1 {
                    let here = before(text, span.start.index());
                    return Err(Malformed::after(here, "the file has several documents"));
                }
                continue;
            }
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => continue,
        };
        let node = Node { span, kind };
        match open.last_mut() {
            Some(parent) => parent.items.push(node),
            None => root = Some(node),
        }
    }
    Ok(root.filter(|root| !matches!(root.kind, Kind::Scalar(Value::Null))))
}

/// Returns the text before the character with this index.
fn before(text: &str, index: usize) -> &str {
    let end = text.char_indices().nth(index).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text)
}

/// Parses the whole text as a value.
pub(crate) fn value(text: &str) -> Result<Value, Malformed> {
    Ok(parse(text)?.map_or(Value::Null, |root| root.value()))
}

/// A list below two keys, such as the hooks of an event.
pub(crate) struct NestedList<'a> {
    /// The keys.
    pub(crate) path: [&'static str; 2],
    /// Returns whether an item belongs to this program.
    pub(crate) is_ours: &'a dyn Fn(&Value) -> bool,
}

pub(crate) struct ListItem {
    /// The lines, without indentation. The first one starts with `- `.
    pub(crate) lines: Vec<String>,
    /// The value as which they must parse.
    pub(crate) value: Value,
}

impl ListItem {
    /// Returns the lines with both keys, as a person would add them to a file.
    pub(crate) fn printed(&self, path: [&str; 2], column: usize, newline: &str) -> String {
        let [outer, inner] = path;
        let indent = " ".repeat(column);
        let head = format!("{indent}{outer}:{newline}{indent}  {inner}:{newline}");
        head + &self.indented(column + 4, newline)
    }

    fn indented(&self, column: usize, newline: &str) -> String {
        let indent = " ".repeat(column);
        self.lines.iter().map(|line| format!("{indent}{line}{newline}")).collect()
    }
}

impl NestedList<'_> {
    /// Adds the item at the start of the list. Returns the same text if it already is this program's only item.
    pub(crate) fn add(&self, text: &str, item: &ListItem) -> Result<String, Malformed> {
        let own = self.own_items(&value(text)?);
        if own.len() == 1 && own.first() == Some(&item.value) {
            return Ok(text.to_owned());
        }
        let text = self.strip(text)?;
        let root = parse(&text)?;
        let (place, complaint) = match self.inserted(&text, root.as_ref(), item) {
            Ok(edited) if value(&edited).is_ok_and(|value| Some(value) == self.with(root.as_ref(), item)) => {
                return Ok(edited);
            }
            Ok(_) => ("", "the layout of the file is not one that guard-host edits"),
            Err((place, complaint)) => (place, complaint),
        };
        let [outer, inner] = self.path;
        let text = format!("{complaint}; add this item to `{inner}` of `{outer}`: {}", item.value);
        Err(Malformed::after(place, &text))
    }

    /// Removes every item of this program, and keys that are then empty.
    pub(crate) fn strip(&self, text: &str) -> Result<String, Malformed> {
        let mut text = text.to_owned();
        loop {
            let Some(root) = parse(&text)? else { return Ok(text) };
            let Some(items) = self.items(&root) else { return Ok(text) };
            let Some(index) = items.iter().rposition(|item| (self.is_ours)(&item.value())) else { return Ok(text) };
            let edited = self.removed(&text, &root, index).filter(|edited| {
                let left = value(edited).unwrap_or_default();
                Some(left) == self.without(&root, index)
            });
            let Some(edited) = edited else {
                let place = items.get(index).map_or("", |item| before(&text, item.span.start.index()));
                return Err(Malformed::after(
                    place,
                    "this hook can't be separated from the text around it: delete it by hand",
                ));
            };
            text = edited;
        }
    }

    /// Returns this program's items in a value.
    fn own_items(&self, value: &Value) -> Vec<Value> {
        let [outer, inner] = self.path;
        let items = value.get(outer).and_then(|value| value.get(inner)).and_then(Value::as_array);
        items.into_iter().flatten().filter(|item| (self.is_ours)(item)).cloned().collect()
    }

    fn items<'n>(&self, root: &'n Node) -> Option<&'n [Node]> {
        let [outer, inner] = self.path;
        let (_, list) = root.member(outer)?.1.member(inner)?;
        if let Kind::List(items) = &list.kind { Some(items) } else { None }
    }

    /// Returns the text with the item. The error contains the text before the part that can't be edited.
    fn inserted<'t>(
        &self,
        text: &'t str,
        root: Option<&Node>,
        item: &ListItem,
    ) -> Result<String, (&'t str, &'static str)> {
        const NO_BLOCK: &str = "this is written in one line, or shared by an alias";
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let [outer, inner] = self.path;
        let Some(root) = root else { return Ok(appended(text, &item.printed(self.path, 0, newline), newline)) };
        let refuse = |node: &Node| (before(text, node.span.start.index()), NO_BLOCK);
        if !is_block_map(text, root) {
            return Err(refuse(root));
        }
        if root.is_twice(outer) {
            return Err(("", "a key is there twice"));
        }
        let Some((key, events)) = root.member(outer) else {
            return Ok(appended(text, &item.printed(self.path, root.column(), newline), newline));
        };
        if events.is_empty() {
            let column = key.column() + 2;
            let head = format!("{}{inner}:{newline}", " ".repeat(column));
            return Ok(insert_below(text, key, Some(events), &(head + &item.indented(column + 2, newline))));
        }
        if !is_block_map(text, events) {
            return Err(refuse(events));
        }
        if events.is_twice(inner) {
            return Err(("", "a key is there twice"));
        }
        let Some((inner_key, list)) = events.member(inner) else {
            let head = format!("{}{inner}:{newline}", " ".repeat(events.column()));
            return Ok(insert_below(text, key, None, &(head + &item.indented(events.column() + 2, newline))));
        };
        if list.is_empty() {
            return Ok(insert_below(text, inner_key, Some(list), &item.indented(inner_key.column() + 2, newline)));
        }
        let Some(column) = list_column(text, list) else { return Err(refuse(list)) };
        Ok(insert_below(text, inner_key, None, &item.indented(column, newline)))
    }

    /// Returns the expected value with the item added.
    fn with(&self, root: Option<&Node>, item: &ListItem) -> Option<Value> {
        let [outer, inner] = self.path;
        let mut value = root.map_or(Value::Null, Node::value);
        let mut at = &mut value;
        for key in [outer, inner] {
            if at.is_null() {
                *at = Value::Object(Map::new());
            }
            at = at.as_object_mut()?.entry(key).or_insert(Value::Null);
        }
        if at.is_null() {
            *at = Value::Array(Vec::new());
        }
        at.as_array_mut()?.insert(0, item.value.clone());
        Some(value)
    }

    /// Returns the expected value with an item removed.
    fn without(&self, root: &Node, index: usize) -> Option<Value> {
        let [outer, inner] = self.path;
        let mut value = root.value();
        let top = value.as_object_mut()?;
        let events = top.get_mut(outer)?.as_object_mut()?;
        let list = events.get_mut(inner)?.as_array_mut()?;
        list.remove(index);
        if list.is_empty() {
            events.remove(inner);
            if events.is_empty() {
                top.remove(outer);
            }
        }
        Some(if top.is_empty() { Value::Null } else { value })
    }

    /// Returns the text without an item, and without keys that are then empty.
    fn removed(&self, text: &str, root: &Node, index: usize) -> Option<String> {
        let [outer, inner] = self.path;
        let (key, events) = root.member(outer)?;
        let (inner_key, list) = events.member(inner)?;
        let (Kind::List(items), Kind::Map(pairs)) = (&list.kind, &events.kind) else { return None };
        if items.len() > 1 {
            return Some(without_lines(text, items.get(index)?.line(), list_column(text, list)?, false));
        }
        let key = if pairs.len() > 1 { inner_key } else { key };
        Some(without_lines(text, key.line(), key.column(), true))
    }
}

/// Returns whether a mapping is in block style, with one key on each line.
fn is_block_map(text: &str, node: &Node) -> bool {
    let start = before(text, node.span.start.index()).len();
    matches!(node.kind, Kind::Map(_)) && !text.get(start..).unwrap_or_default().starts_with('{')
}

/// Returns the column of the dashes of a block-style list. The parser reports another column if the dashes are in the
/// key's column.
fn list_column(text: &str, list: &Node) -> Option<usize> {
    let Kind::List(items) = &list.kind else { return None };
    let line = text.split('\n').nth(items.first()?.line())?;
    let trimmed = line.trim_start_matches(' ');
    trimmed.starts_with("- ").then_some(line.len() - trimmed.len())
}

/// Appends lines to a text. A text without a newline at its end stays without one.
fn appended(text: &str, block: &str, newline: &str) -> String {
    if text.is_empty() || text.ends_with('\n') {
        return [text, block].concat();
    }
    [text, newline, block.strip_suffix(newline).unwrap_or(block)].concat()
}

/// Inserts lines below a key's line. An empty value on the key's line is removed.
fn insert_below(text: &str, key: &Node, empty: Option<&Node>, block: &str) -> String {
    let mut edited = String::with_capacity(text.len() + block.len());
    let newline = if block.ends_with("\r\n") { "\r\n" } else { "\n" };
    for (number, line) in text.split_inclusive('\n').enumerate() {
        if number != key.line() {
            edited.push_str(line);
            continue;
        }
        match empty.filter(|value| value.line() == number) {
            Some(value) => {
                let start = before(line, value.column()).len();
                let (head, rest) = line.split_at(start);
                let end = match &value.kind {
                    Kind::Map(_) => rest.find('}').map_or(0, |at| at + 1),
                    Kind::List(_) => rest.find(']').map_or(0, |at| at + 1),
                    Kind::Scalar(_) | Kind::Alias => before(rest, value.span.len()).len(),
                };
                let tail = rest.get(end..).unwrap_or_default();
                edited.push_str(if end == 0 { head } else { head.trim_end() });
                edited.push_str(if tail.trim().is_empty() { tail.trim_start_matches([' ', '\t']) } else { tail });
            }
            None => edited.push_str(line),
        }
        if edited.ends_with('\n') {
            edited.push_str(block);
        } else {
            edited.push_str(newline);
            edited.push_str(block.strip_suffix(newline).unwrap_or(block));
        }
    }
    edited
}

/// Returns the text without the lines of an item or key that starts on this line and in this column. A list may start
/// in the same column as its key.
fn without_lines(text: &str, start: usize, column: usize, is_key: bool) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let indent = |line: &str| line.len() - line.trim_start_matches(' ').len();
    // Such a comment may belong to the next item.
    let is_outer_comment = |line: &str| indent(line) <= column && line.trim_start().starts_with('#');
    let ends = |line: &&str| {
        let trimmed = line.trim();
        let is_item = is_key && indent(line) == column && (trimmed == "-" || trimmed.starts_with("- "));
        !trimmed.is_empty() && indent(line) <= column && !is_item && !is_outer_comment(line)
    };
    let end = lines.iter().skip(start + 1).position(ends).map_or(lines.len(), |at| start + 1 + at);
    let inner = lines.get(start + 1..end).unwrap_or_default();
    let after = inner.iter().rev().take_while(|line| line.trim().is_empty() || is_outer_comment(line)).count();
    let end = end - after;
    let kept =
        |number: usize, line: &str| number < start || number >= end || (number > start && is_outer_comment(line));
    lines.iter().enumerate().filter(|(number, line)| kept(*number, line)).map(|(_, line)| *line).collect()
}

#[cfg(test)]
mod tests;

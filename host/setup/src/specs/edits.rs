//! Converts a [`RegistrationSpec`] to the files of a registration, with the edits that insert and remove the hook.

use std::ops::Range;
use std::path::PathBuf;

use serde_json::Value;

use super::survey::calls;
use super::{Hook, Layout, RegistrationSpec};
use crate::command::{ProgramNames, is_ours};
use crate::entries::{Entries, Item, Shape};
use crate::install::json::{Document, Kind, Malformed, Syntax};
use crate::install::yaml::{ListItem, NestedList};
use crate::install::{Edit, Foreign, HookLocation, ManagedFile, Recognise};
use guard_config::edit::place::Entries as Tables;

impl RegistrationSpec {
    /// Returns one file of the registration.
    pub(super) fn piece(
        &self,
        path: PathBuf,
        within: Option<PathBuf>,
        mode: u32,
        hook: &Hook,
        site: HookLocation<'_>,
    ) -> ManagedFile {
        let is_manifest_file = |name: &str| path.file_name().is_some_and(|file| file == name);
        match self.content(is_manifest_file, mode, hook, site) {
            Content::Shared(blank, add, strip) => {
                ManagedFile::Shared { path, within, mode, is_secret: false, blank, add, strip }
            }
            Content::Own(mode, text, is_ours) => {
                let bytes = text.into_bytes();
                ManagedFile::Own { path, within, mode, bytes, is_ours, foreign: Foreign::Refused }
            }
        }
    }

    fn content(
        &self,
        is_manifest_file: impl Fn(&str) -> bool,
        mode: u32,
        hook: &Hook,
        site: HookLocation<'_>,
    ) -> Content {
        let (names, again) = (self.names(site), self.names(site));
        match &self.layout {
            Layout::Entries { syntax, grouped, beside, make } => {
                let file = InEvents { syntax: *syntax, grouped: *grouped, beside };
                let expected = make(hook);
                Content::Shared(
                    "{}\n",
                    Box::new(move |text| file.edit(&names, |entries| entries.add(text, &expected))),
                    Box::new(move |text| file.edit(&again, |entries| entries.strip(text))),
                )
            }
            Layout::Named(key, make) => {
                let (key, expected) = (*key, make(hook));
                Content::Shared(
                    "{}\n",
                    Box::new(move |text| put_named(text, key, &expected, &names)),
                    Box::new(move |text| take_named(text, key, &again)),
                )
            }
            Layout::Tables(list, make) => {
                let (list, expected) = (*list, make(hook));
                Content::Shared(
                    "",
                    Box::new(move |text| put_table(text, list, &expected, &names)),
                    Box::new(move |text| take_tables(text, list, &again)),
                )
            }
            Layout::List(path, make) => {
                let (path, expected) = (*path, list_item(&make(hook)));
                Content::Shared(
                    "",
                    Box::new(move |text| in_list(path, &names, |list| list.add(text, &expected))),
                    Box::new(move |text| in_list(path, &again, |list| list.strip(text))),
                )
            }
            Layout::Whole(make) => {
                let is_ours = move |bytes: &[u8]| {
                    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
                    let calls = calls(&value);
                    !calls.is_empty() && calls.iter().all(|call| is_ours(call.handler, &names))
                };
                Content::Own(mode, make(hook).printed(), Box::new(is_ours))
            }
            Layout::Folder { manifest: (name, text), .. } if is_manifest_file(name) => {
                let text = *text;
                Content::Own(0o644, text.to_owned(), Box::new(is_manifest))
            }
            Layout::Folder { start, make, .. } => {
                let start = *start;
                Content::Own(0o644, make(hook), Box::new(move |bytes| bytes.starts_with(start.as_bytes())))
            }
            Layout::Program(mode, start, make) => {
                let start = *start;
                Content::Own(*mode, make(hook), Box::new(move |bytes| bytes.starts_with(start.as_bytes())))
            }
        }
    }
}

/// The content of a registration's file.
enum Content {
    /// The content of an empty file, and the edits that insert and remove this program's part.
    Shared(&'static str, Edit, Edit),
    /// The mode and text of a file that belongs to this program alone, and how to recognize it.
    Own(u32, String, Recognise),
}

/// JSON with entries below `hooks`.
#[derive(Clone, Copy)]
struct InEvents {
    syntax: Syntax,
    grouped: bool,
    beside: &'static [(&'static str, Item)],
}

impl InEvents {
    fn edit<T>(&self, names: &ProgramNames, act: impl Fn(&Entries<'_>) -> T) -> T {
        let is_ours = |handler: &Value| is_ours(handler, names);
        let InEvents { syntax, grouped, beside } = *self;
        act(&Entries { syntax, shape: Shape::Wrapped, grouped, beside, is_ours: &is_ours })
    }
}

fn in_list<T>(path: [&'static str; 2], names: &ProgramNames, act: impl Fn(&NestedList<'_>) -> T) -> T {
    act(&NestedList { path, is_ours: &|handler| is_ours(handler, names) })
}

/// Returns a list item in YAML. A command is in a block scalar, which needs no quoting.
pub(super) fn list_item(expected: &[(&'static str, Item)]) -> ListItem {
    let mut lines: Vec<String> = Vec::new();
    for (key, item) in expected {
        let start = if lines.is_empty() { "- " } else { "  " };
        match item {
            Item::Text(text) if *key == "command" => {
                lines.extend([format!("{start}{key}: |-"), format!("    {text}")]);
            }
            // JSON is valid YAML.
            item => lines.push(format!("{start}{key}: {}", item.to_value())),
        }
    }
    ListItem { lines, value: Item::Object(expected.to_vec()).to_value() }
}

/// Returns whether the file is the manifest of this program's plugin, in any version.
fn is_manifest(bytes: &[u8]) -> bool {
    let value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    value.get("id").and_then(Value::as_str) == Some("guard-host")
}

/// Returns whether the member with this name belongs to this program: every command in it does.
fn is_own_member(value: &Value, names: &ProgramNames) -> bool {
    let calls = calls(value);
    calls.iter().all(|call| is_ours(call.handler, names))
}

fn object<'a>(text: &'a str) -> Result<Document<'a>, Malformed> {
    let document = Document::parse(text, Syntax::Strict)?;
    match document.root.kind {
        Kind::Object(_) => Ok(document),
        _ => Err(document.complain(&document.root, "the settings are no object")),
    }
}

fn put_named(text: &str, key: &str, expected: &Item, names: &ProgramNames) -> Result<String, Malformed> {
    let document = object(text)?;
    let Some((_, member)) = document.root.member(key) else {
        return Ok(document.insert(&document.root, Some(key), expected));
    };
    let value = document.value(member);
    if !is_own_member(&value, names) {
        return Err(document.complain(member, &format!("`{key}` has hooks that guard-host did not write")));
    }
    Ok(if value == expected.to_value() { text.to_owned() } else { document.replace(member, expected) })
}

fn take_named(text: &str, key: &str, names: &ProgramNames) -> Result<String, Malformed> {
    let document = object(text)?;
    let own = document.root.member(key).filter(|(_, member)| is_own_member(&document.value(member), names));
    Ok(own.map_or_else(|| text.to_owned(), |(index, _)| document.remove(&document.root, index)))
}

/// Returns the tables of a list in TOML, and the indexes of this program's tables.
fn own_tables<'a>(text: &'a str, list: &str, names: &ProgramNames) -> Result<(Tables<'a>, Vec<usize>), Malformed> {
    let at = |span: Option<Range<usize>>| text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    let table: toml::Table =
        toml::from_str(text).map_err(|error| Malformed::after(at(error.span()), error.message()))?;
    let tables = Tables::parse(text, list).map_err(|error| Malformed::after("", &error.to_string()))?;
    let there = table.get(list).and_then(toml::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let is_own = |table: &toml::Value| serde_json::to_value(table).is_ok_and(|table| is_ours(&table, names));
    let own = there.iter().enumerate().filter(|(_, table)| is_own(table)).map(|(index, _)| index);
    Ok((tables, own.collect()))
}

/// Formats a table of a list. Each line ends with `newline`.
pub(super) fn printed(list: &str, expected: &[(&str, Item)], newline: &str) -> String {
    let line = |(key, item): &(&str, Item)| {
        let value = toml::Value::try_from(item).map(|value| value.to_string()).unwrap_or_default();
        format!("{key} = {value}{newline}")
    };
    let lines: String = expected.iter().map(line).collect();
    format!("[[{list}]]{newline}{lines}")
}

fn put_table(
    text: &str,
    list: &str,
    expected: &[(&'static str, Item)],
    names: &ProgramNames,
) -> Result<String, Malformed> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let block = printed(list, expected, newline);
    let mut text = text.to_owned();
    loop {
        let (tables, own) = own_tables(&text, list, names)?;
        match own.as_slice() {
            [] => return Ok(tables.append((!text.is_empty()).then_some(&text), &block)),
            [index] => {
                let table: toml::Table = toml::from_str(&text).unwrap_or_default();
                let there =
                    table.get(list).and_then(|list| list.get(*index)).and_then(|one| serde_json::to_value(one).ok());
                let same = there == Some(Item::Object(expected.to_vec()).to_value());
                return Ok(if same { text } else { tables.replace(*index, &block) });
            }
            [.., last] => text = tables.remove(*last).unwrap_or_default(),
        }
    }
}

fn take_tables(text: &str, list: &str, names: &ProgramNames) -> Result<String, Malformed> {
    let mut text = text.to_owned();
    loop {
        let (tables, own) = own_tables(&text, list, names)?;
        let Some(last) = own.last() else { return Ok(text) };
        text = tables.remove(*last).unwrap_or_default();
    }
}

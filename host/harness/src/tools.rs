//! Converts a harness's tools and inputs to calls in the common vocabulary. The differences between harnesses are data.
//!
//! A known tool without its required arguments isn't ignored, because it can't be judged. It results in an error.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::payload::unclear_call;
use super::read::text;
use super::{Unreadable, patch};
use guard_contract::call::{Dialect, ToolCall};
use guard_contract::shell_word::word;

/// Tools of one harness with the same kind of input.
pub(super) struct Tool {
    pub(super) names: &'static [&'static str],
    /// The kind of their input.
    pub(super) shape: Shape,
}

/// The kind of a tool's input.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// Runs the command under each of these keys: a line, or a list of words.
    Command(Dialect, &'static [&'static str]),
    /// Same as `Command`, or runs nothing. The input is unchanged.
    MayRun(Dialect, &'static [&'static str]),
    /// Runs each of the lines under these keys, in order.
    Commands(&'static [&'static str]),
    /// This tool of the common vocabulary, for one file.
    File(&'static str),
    /// Writes, edits or shows a file, depending on the input.
    Editor,
    /// This tool, once for each element of the lists under these keys, or for a single file.
    Files(&'static str, &'static [&'static str]),
    /// This tool, in an optional folder.
    Folder(&'static str),
    /// Applies a patch under one of these keys.
    Patch(&'static [&'static str]),
    /// Applies the patch under this key, or edits a file. An input with both is judged as both.
    EditOrPatch(&'static str),
    /// Runs the code under the second key with this interpreter.
    Code(&'static str, &'static str),
    /// This tool. The input is unchanged.
    Named(&'static str),
}

/// Creates a row of a table.
pub(super) const fn tool(names: &'static [&'static str], shape: Shape) -> Tool {
    Tool { names, shape }
}

/// Tools that every harness may have, because it may adopt another one's.
static COMMON: &[Tool] = &[
    tool(&["Bash"], Shape::Command(Dialect::Bash, &["command", "cmd"])),
    tool(&["PowerShell"], Shape::Command(Dialect::PowerShell, &["command"])),
    tool(&["Write"], Shape::File("Write")),
    tool(&["Edit"], Shape::File("Edit")),
    tool(&["MultiEdit"], Shape::File("MultiEdit")),
    tool(&["NotebookEdit"], Shape::File("NotebookEdit")),
    tool(&["Read"], Shape::File("Read")),
    tool(&["apply_patch", "ApplyPatch"], Shape::Patch(&["command", "input", "patch", "patchText"])),
    tool(&["Task"], Shape::Named("Agent")),
];

/// The keys for a file, and the keys for an edit, each list after its name in the common vocabulary.
const PATHS: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "target_file",
    "TargetFile",
    "AbsolutePath",
    "absolute_path",
    "notebook_path",
    "filename",
];
const FIELDS: &[(&str, &[&str])] = &[
    ("content", &["file_text", "contents", "CodeContent", "text"]),
    ("old_string", &["old_str", "oldString", "oldStr", "old_text", "oldText", "TargetContent"]),
    ("new_string", &["new_str", "newString", "newStr", "new_text", "newText", "ReplacementContent"]),
    ("replace_all", &["replaceAll", "change_all", "allow_multiple", "AllowMultiple"]),
    ("edits", &["changes", "ReplacementChunks"]),
    ("patch", &["diff"]),
];
const FOLDERS: &[&str] =
    &["dir_path", "directory_path", "DirectoryPath", "SearchDirectory", "SearchPath", "folder", "destination"];

/// Returns the calls of the tool `name`. `common` is its name if the table doesn't contain it.
pub(super) fn calls(
    table: &[Tool],
    name: &str,
    common: &str,
    input: Map<String, Value>,
) -> Result<Vec<ToolCall>, Unreadable> {
    let mut all = table.iter().chain(COMMON);
    let Some(known) = all.find(|tool| tool.names.contains(&name)) else {
        return Ok(vec![ToolCall { original_tool: name.to_owned(), ..ToolCall::new(common, input) }]);
    };
    let calls = match known.shape {
        Shape::Command(dialect, keys) => commands(&lines(&input, keys, &parse_line)?, dialect, &input),
        Shape::MayRun(dialect, keys) => match lines(&input, keys, &parse_line)?.as_slice() {
            [] => vec![ToolCall::new(common, input)],
            lines => commands(lines, dialect, &input),
        },
        Shape::Commands(keys) => commands(&lines(&input, keys, &parse_lines)?, Dialect::Bash, &input),
        // A patch may be reported under another tool's name.
        Shape::File(_) if input.get("input").and_then(Value::as_str).is_some_and(patch::is_one) => {
            patches(&["input"], &input)?
        }
        Shape::File(tool) => file(tool, input)?,
        Shape::Editor => editor(input)?,
        Shape::Files(tool, keys) => files(tool, keys, input)?,
        Shape::Folder(tool) => vec![ToolCall::new(tool, folder_as_path(input)?)],
        Shape::Patch(keys) => patches(keys, &input)?,
        Shape::EditOrPatch(key) => edit_or_patch(key, input)?,
        Shape::Code(interpreter, key) => code(interpreter, key, &input)?,
        Shape::Named(tool) => vec![ToolCall::new(tool, input)],
    };
    if calls.is_empty() {
        return Err(unclear_call(&format!("`{name}` comes without the arguments that it needs")));
    }
    let original = |call| ToolCall { original_tool: name.to_owned(), ..call };
    Ok(calls.into_iter().map(original).collect())
}

/// Returns the calls of a tool with several actions on a file. They are determined by its arguments instead of its
/// command, because a tool ignores a command that it doesn't know.
fn editor(input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let input = rename_keys(input)?;
    let has = |key: &str| input.contains_key(key);
    let edits = ["old_string", "insert_line", "edits", "patch"].into_iter().any(has);
    let tools: &[&str] = match input.get("command").and_then(Value::as_str) {
        Some("view") if !edits && !has("content") && !has("new_string") => &["Read"],
        _ if has("content") && (edits || has("new_string")) => &["Write", "Edit"],
        _ if has("content") => &["Write"],
        None | Some("create") if !edits => &["Write"],
        _ => &["Edit"],
    };
    let mut calls = Vec::new();
    for tool in tools {
        calls.extend(file(tool, input.clone())?);
    }
    Ok(calls)
}

/// Returns the lines to run under these keys, without duplicates.
fn lines(
    input: &Map<String, Value>,
    keys: &[&str],
    read: &dyn Fn(&Value) -> Option<Vec<String>>,
) -> Result<Vec<String>, Unreadable> {
    let mut found = Vec::new();
    for key in keys {
        let Some(value) = input.get(*key).filter(|value| !value.is_null()) else { continue };
        let Some(lines) = read(value) else { return Err(unclear_call(&format!("`{key}` contains no command"))) };
        for line in lines {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    Ok(found)
}

/// Parses one line: a text, or the words of a command.
fn parse_line(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(line) => Some(vec![line.clone()]),
        Value::Array(words) if !words.is_empty() => {
            let words: Option<Vec<String>> = words.iter().map(|each| each.as_str().map(word)).collect();
            Some(vec![words?.join(" ")])
        }
        _ => None,
    }
}

/// Parses several lines: a list, a JSON text of one, or a single line.
fn parse_lines(value: &Value) -> Option<Vec<String>> {
    let line = |each: &Value| match each {
        Value::String(line) => Some(line.clone()),
        Value::Object(command) => {
            let name = command.get("command")?.as_str()?;
            let Some(words) = command.get("args").filter(|words| !words.is_null()) else {
                return Some(name.to_owned());
            };
            let words: Option<Vec<String>> = words.as_array()?.iter().map(|each| each.as_str().map(word)).collect();
            Some(std::iter::once(name.to_owned()).chain(words?).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    };
    match value {
        Value::Array(lines) => lines.iter().map(line).collect(),
        Value::String(text) => match serde_json::from_str::<Vec<Value>>(text) {
            Ok(lines) => lines.iter().map(line).collect(),
            Err(_) => Some(vec![text.clone()]),
        },
        other => Some(vec![line(other)?]),
    }
}

/// Returns one call for each line. PowerShell keeps its name. Other tools are `Bash` for policies.
fn commands(lines: &[String], dialect: Dialect, input: &Map<String, Value>) -> Vec<ToolCall> {
    let tool = if dialect == Dialect::PowerShell { "PowerShell" } else { "Bash" };
    let call = |line: &String| {
        let mut input = input.clone();
        input.insert("command".to_owned(), Value::String(line.clone()));
        ToolCall { dialect: Some(dialect), ..ToolCall::new(tool, input) }
    };
    lines.iter().map(call).collect()
}

/// Renames the input's keys to the common vocabulary, except those of the file.
fn rename_keys(mut input: Map<String, Value>) -> Result<Map<String, Value>, Unreadable> {
    for (common, others) in FIELDS {
        for other in *others {
            let Some(value) = input.remove(*other) else { continue };
            // Which of the two values the tool uses is unknown.
            if input.get(*common).is_some_and(|there| *there != value) {
                return Err(unclear_call(&format!("`{other}` and another argument for the same differ")));
            }
            input.insert((*common).to_owned(), value);
        }
    }
    if let Some(Value::Array(edits)) = input.get_mut("edits") {
        for edit in edits {
            if let Value::Object(inner) = edit {
                *inner = rename_keys(std::mem::take(inner))?;
            }
        }
    }
    Ok(input)
}

/// Returns one call for each file in the input. Empty if the input names no file.
fn file(tool: &str, input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut input = rename_keys(input)?;
    let mut paths = BTreeSet::new();
    for key in PATHS {
        match input.remove(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(path)) if !path.is_empty() => {
                paths.insert(path);
            }
            Some(_) => return Err(unclear_call(&format!("`{key}` names no file"))),
        }
    }
    let single = unfold(&mut input)?;
    let tool = match tool {
        "Edit" if single == Edits::Creation => "Write",
        "Write" if single == Edits::One => "Edit",
        "Write" | "Edit" if single == Edits::Several => "MultiEdit",
        "Write" if !input.contains_key("content") => {
            if let Some(content) = input.remove("new_string") {
                input.insert("content".to_owned(), content);
            }
            tool
        }
        tool => tool,
    };
    let call = |path: String| {
        let mut input = input.clone();
        input.insert("file_path".to_owned(), Value::String(path));
        ToolCall::new(tool, input)
    };
    Ok(paths.into_iter().map(call).collect())
}

/// The kind of a list of edits.
#[derive(PartialEq, Eq)]
enum Edits {
    /// No list.
    None,
    /// One edit of an empty text, which creates the file.
    Creation,
    /// One edit.
    One,
    /// Several edits.
    Several,
}

/// Converts a list of one edit to the arguments of a single edit.
fn unfold(input: &mut Map<String, Value>) -> Result<Edits, Unreadable> {
    let Some(Value::Array(edits)) = input.get("edits") else { return Ok(Edits::None) };
    if ["content", "old_string", "new_string"].iter().any(|key| input.contains_key(*key)) {
        return Err(unclear_call("a list of edits comes with another text"));
    }
    let [Value::Object(edit)] = edits.as_slice() else { return Ok(Edits::Several) };
    let edit = edit.clone();
    let creates = edit.get("old_string").and_then(Value::as_str).is_some_and(str::is_empty);
    input.remove("edits");
    for (key, value) in edit {
        let key = if creates && key == "new_string" { "content".to_owned() } else { key };
        if !(creates && key == "old_string") {
            input.insert(key, value);
        }
    }
    Ok(if creates { Edits::Creation } else { Edits::One })
}

/// Returns one call for each file in the lists, and for the file beside them.
fn files(tool: &str, keys: &[&str], mut input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = Vec::new();
    for key in keys {
        let list = match input.remove(*key) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list,
            Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or_else(|_| vec![Value::String(text)]),
            Some(_) => return Err(unclear_call(&format!("`{key}` is not a list"))),
        };
        for element in list {
            let element = match element {
                Value::String(path) => Map::from_iter([("file_path".to_owned(), Value::String(path))]),
                Value::Object(element) => element,
                _ => return Err(unclear_call(&format!("`{key}` names no file"))),
            };
            let found = file(tool, element)?;
            if found.is_empty() {
                return Err(unclear_call(&format!("`{key}` names no file")));
            }
            calls.extend(found);
        }
    }
    calls.extend(file(tool, input)?);
    Ok(calls)
}

/// Returns the calls of the patch under this key, and of the edit beside it.
fn edit_or_patch(key: &str, mut input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = patches(&[key], &input)?;
    input.remove(key);
    calls.extend(file("Edit", input)?);
    Ok(calls)
}

/// Returns a command that runs the code, which policies then analyze in its own language.
fn code(interpreter: &str, key: &str, input: &Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let Some(code) = text(input, &[key])? else { return Ok(Vec::new()) };
    Ok(commands(&[format!("{interpreter} -c {}", word(code))], Dialect::Bash, input))
}

/// Returns the input with its folder under `path`.
fn folder_as_path(mut input: Map<String, Value>) -> Result<Map<String, Value>, Unreadable> {
    for other in FOLDERS {
        if !input.contains_key("path")
            && let Some(value) = input.remove(*other)
        {
            input.insert("path".to_owned(), value);
        }
    }
    match input.get("path") {
        None | Some(Value::String(_) | Value::Null) => Ok(input),
        Some(_) => Err(unclear_call("`path` names no folder")),
    }
}

/// Returns the calls of each patch under these keys.
fn patches(keys: &[&str], input: &Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = Vec::new();
    for key in keys {
        match input.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => calls.extend(patch::calls(text)?),
            Some(_) => return Err(unclear_call(&format!("`{key}` isn't a patch"))),
        }
    }
    Ok(calls)
}

//! From a harness's tool and its input to calls in the common vocabulary. What differs between harnesses is data.
//!
//! A tool that is known and lacks what matters is not passed over: nobody can judge it, and that is said.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::payload::unclear;
use super::read::text;
use super::{Unreadable, patch};
use guard_contract::call::{Dialect, ToolCall};
use guard_contract::shell_word::word;

/// Tools of one harness that are read alike.
pub(super) struct Tool {
    /// Their names.
    pub(super) names: &'static [&'static str],
    /// How their input is read.
    pub(super) shape: Shape,
}

/// How an input is read.
#[derive(Debug, Clone, Copy)]
pub(super) enum Shape {
    /// It runs what stands under each of these keys: a line, or the words of one command.
    Command(Dialect, &'static [&'static str]),
    /// The same, or it runs nothing, and its input stays as it is.
    MayRun(Dialect, &'static [&'static str]),
    /// It runs each of the lines under these keys, one after the other.
    Commands(&'static [&'static str]),
    /// It is this tool of the common vocabulary, on one file.
    File(&'static str),
    /// It writes a file, edits it or shows it, as its input tells.
    Editor,
    /// It is this tool, once for each element of the lists under these keys, or for the one file that it names.
    Files(&'static str, &'static [&'static str]),
    /// It is this tool, in a folder that it may name.
    Folder(&'static str),
    /// It applies a patch, which stands under one of these keys.
    Patch(&'static [&'static str]),
    /// It applies the patch under this key, or edits the file that it names. What has both is judged as both.
    EditOrPatch(&'static str),
    /// It runs the code under the second key with this interpreter.
    Code(&'static str, &'static str),
    /// It is this tool, and its input stays as it is.
    Named(&'static str),
}

/// A line of a table.
pub(super) const fn tool(names: &'static [&'static str], shape: Shape) -> Tool {
    Tool { names, shape }
}

/// The tools that every harness may have, for it may take over those of another.
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

/// The keys under which a file is named, and those for what is done to it, each after its name in the common vocabulary.
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

/// The calls that a use of the tool `name` amounts to; `common` is its name where it is none of the table's.
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
        Shape::Command(dialect, keys) => commands(&lines(&input, keys, &one)?, dialect, &input),
        Shape::MayRun(dialect, keys) => match lines(&input, keys, &one)?.as_slice() {
            [] => vec![ToolCall::new(common, input)],
            lines => commands(lines, dialect, &input),
        },
        Shape::Commands(keys) => commands(&lines(&input, keys, &several)?, Dialect::Bash, &input),
        // Such a tool may be told under the name of another one.
        Shape::File(_) if input.get("input").and_then(Value::as_str).is_some_and(patch::is_one) => {
            patches(&["input"], &input)?
        }
        Shape::File(tool) => file(tool, input)?,
        Shape::Editor => editor(input)?,
        Shape::Files(tool, keys) => files(tool, keys, input)?,
        Shape::Folder(tool) => vec![ToolCall::new(tool, in_folder(input)?)],
        Shape::Patch(keys) => patches(keys, &input)?,
        Shape::EditOrPatch(key) => edit_or_patch(key, input)?,
        Shape::Code(interpreter, key) => code(interpreter, key, &input)?,
        Shape::Named(tool) => vec![ToolCall::new(tool, input)],
    };
    if calls.is_empty() {
        return Err(unclear(&format!("`{name}` comes without the arguments that it needs")));
    }
    let original = |call| ToolCall { original_tool: name.to_owned(), ..call };
    Ok(calls.into_iter().map(original).collect())
}

/// Reads the calls of a tool that does several things to a file. Its arguments decide which calls these are, not its
/// word for it: a tool that doesn't know the word ignores it.
fn editor(input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let input = renamed(input)?;
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

/// The lines to run under these keys, each once.
fn lines(
    input: &Map<String, Value>,
    keys: &[&str],
    read: &dyn Fn(&Value) -> Option<Vec<String>>,
) -> Result<Vec<String>, Unreadable> {
    let mut found = Vec::new();
    for key in keys {
        let Some(value) = input.get(*key).filter(|value| !value.is_null()) else { continue };
        let Some(lines) = read(value) else { return Err(unclear(&format!("`{key}` contains no command"))) };
        for line in lines {
            if !found.contains(&line) {
                found.push(line);
            }
        }
    }
    Ok(found)
}

/// One line: as it is, or from the words of a command.
fn one(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::String(line) => Some(vec![line.clone()]),
        Value::Array(words) if !words.is_empty() => {
            let words: Option<Vec<String>> = words.iter().map(|each| each.as_str().map(word)).collect();
            Some(vec![words?.join(" ")])
        }
        _ => None,
    }
}

/// Several lines: a list, the JSON of one, or a single line.
fn several(value: &Value) -> Option<Vec<String>> {
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

/// One call a line. PowerShell keeps its name, the others are `Bash` to policies.
fn commands(lines: &[String], dialect: Dialect, input: &Map<String, Value>) -> Vec<ToolCall> {
    let tool = if dialect == Dialect::PowerShell { "PowerShell" } else { "Bash" };
    let call = |line: &String| {
        let mut input = input.clone();
        input.insert("command".to_owned(), Value::String(line.clone()));
        ToolCall { dialect: Some(dialect), ..ToolCall::new(tool, input) }
    };
    lines.iter().map(call).collect()
}

/// The input with the names of the common vocabulary, but for those of the file.
fn renamed(mut input: Map<String, Value>) -> Result<Map<String, Value>, Unreadable> {
    for (common, others) in FIELDS {
        for other in *others {
            let Some(value) = input.remove(*other) else { continue };
            // Which of the two the tool takes, nobody knows here.
            if input.get(*common).is_some_and(|there| *there != value) {
                return Err(unclear(&format!("`{other}` and another argument for the same differ")));
            }
            input.insert((*common).to_owned(), value);
        }
    }
    if let Some(Value::Array(edits)) = input.get_mut("edits") {
        for edit in edits {
            if let Value::Object(inner) = edit {
                *inner = renamed(std::mem::take(inner))?;
            }
        }
    }
    Ok(input)
}

/// One call for each file that is named; `None` if none is.
fn file(tool: &str, input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut input = renamed(input)?;
    let mut paths = BTreeSet::new();
    for key in PATHS {
        match input.remove(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(path)) if !path.is_empty() => {
                paths.insert(path);
            }
            Some(_) => return Err(unclear(&format!("`{key}` names no file"))),
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

/// The meaning of a list of edits.
#[derive(PartialEq, Eq)]
enum Edits {
    /// There is no list.
    None,
    /// One edit of nothing: the file is new.
    Creation,
    /// One edit.
    One,
    /// Several.
    Several,
}

/// Takes a list of one edit apart, so that it reads like a tool for one.
fn unfold(input: &mut Map<String, Value>) -> Result<Edits, Unreadable> {
    let Some(Value::Array(edits)) = input.get("edits") else { return Ok(Edits::None) };
    if ["content", "old_string", "new_string"].iter().any(|key| input.contains_key(*key)) {
        return Err(unclear("a list of edits stands beside another text"));
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

/// One call for each file of the lists, and for the one that is named beside them.
fn files(tool: &str, keys: &[&str], mut input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = Vec::new();
    for key in keys {
        let list = match input.remove(*key) {
            None | Some(Value::Null) => continue,
            Some(Value::Array(list)) => list,
            Some(Value::String(text)) => serde_json::from_str(&text).unwrap_or_else(|_| vec![Value::String(text)]),
            Some(_) => return Err(unclear(&format!("`{key}` is not a list"))),
        };
        for element in list {
            let element = match element {
                Value::String(path) => Map::from_iter([("file_path".to_owned(), Value::String(path))]),
                Value::Object(element) => element,
                _ => return Err(unclear(&format!("`{key}` names no file"))),
            };
            let found = file(tool, element)?;
            if found.is_empty() {
                return Err(unclear(&format!("`{key}` names no file")));
            }
            calls.extend(found);
        }
    }
    calls.extend(file(tool, input)?);
    Ok(calls)
}

/// The calls of the patch under this key, and the edit that stands beside it.
fn edit_or_patch(key: &str, mut input: Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = patches(&[key], &input)?;
    input.remove(key);
    calls.extend(file("Edit", input)?);
    Ok(calls)
}

/// A command that runs the code, which policies then read in its own language.
fn code(interpreter: &str, key: &str, input: &Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let Some(code) = text(input, &[key])? else { return Ok(Vec::new()) };
    Ok(commands(&[format!("{interpreter} -c {}", word(code))], Dialect::Bash, input))
}

/// The input with its folder under `path`.
fn in_folder(mut input: Map<String, Value>) -> Result<Map<String, Value>, Unreadable> {
    for other in FOLDERS {
        if !input.contains_key("path")
            && let Some(value) = input.remove(*other)
        {
            input.insert("path".to_owned(), value);
        }
    }
    match input.get("path") {
        None | Some(Value::String(_) | Value::Null) => Ok(input),
        Some(_) => Err(unclear("`path` names no folder")),
    }
}

/// The calls of each patch under these keys.
fn patches(keys: &[&str], input: &Map<String, Value>) -> Result<Vec<ToolCall>, Unreadable> {
    let mut calls = Vec::new();
    for key in keys {
        match input.get(*key) {
            None | Some(Value::Null) => {}
            Some(Value::String(text)) => calls.extend(patch::calls(text)?),
            Some(_) => return Err(unclear(&format!("`{key}` isn't a patch"))),
        }
    }
    Ok(calls)
}

//! The commands of a task in the files of task runners.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::serde_json::Value;
use guard_sdk::syntax::Word;

use super::templates::{interpolated, split_outside};
use crate::parse::{self, Dialect};
use crate::word::expand::parameter;
use crate::wrappers::shells;
use crate::{limits, programs};

/// The maximum number of tasks reached from one task.
const MOST: usize = 32;

/// Adds all strings in a JSON value.
pub(super) fn strings(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::String(text) => found.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| strings(value, found)),
        Value::Object(values) => {
            let commands = values.iter().filter(|(key, _)| key.as_str() == "command");
            commands.for_each(|(_, value)| strings(value, found));
        }
        _ => {}
    }
}

/// Adds the strings at these keys of a JSON value, at any depth.
pub(super) fn at_keys(value: &Value, keys: &[&str], found: &mut Vec<String>) {
    // The parser limits nesting, so recursion can't overflow the stack.
    match value {
        Value::Array(values) => values.iter().for_each(|value| at_keys(value, keys, found)),
        Value::Object(values) => {
            for (key, value) in values {
                match value {
                    // Commands by event or extension.
                    Value::Object(entries) if keys.contains(&key.as_str()) => {
                        let texts = entries.iter().filter(|(key, _)| !keys.contains(&key.as_str()));
                        texts.filter(|(_, text)| !text.is_object()).for_each(|(_, text)| strings(text, found));
                        at_keys(value, keys, found);
                    }
                    value if keys.contains(&key.as_str()) => strings(value, found),
                    value => at_keys(value, keys, found),
                }
            }
        }
        _ => {}
    }
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Returns a YAML value without its quotes.
fn unquoted(value: &str) -> &str {
    let value = value.trim();
    let inner = ['"', '\''].iter().find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote));
    inner.unwrap_or(value)
}

/// Returns the lines of a YAML block below a line with this indentation.
fn block<'t>(lines: &[&'t str], from: usize, outer: usize) -> Vec<&'t str> {
    let lines = lines.iter().skip(from).take_while(|line| line.trim().is_empty() || indent(line) > outer);
    lines.copied().collect()
}

/// Returns the commands of a task and its dependencies: the values of these keys. Without a task, returns those of all
/// tasks.
pub(super) fn yaml(text: &str, section: &str, task: &str, keys: &[&str]) -> Vec<String> {
    let all: Vec<&str> = text.lines().collect();
    let header = |lines: &[&str], name: &str| {
        lines.iter().position(|line| entry(line).is_some_and(|(key, value)| key == name && value.is_empty()))
    };
    // Commands whose output is the value of a variable for all tasks.
    let is_taskfile = keys.contains(&"sh");
    let mut found = if is_taskfile { yaml_values(&for_all_tasks(&all), &["sh"]) } else { Vec::new() };
    let lines = match header(&all, section) {
        Some(at) => block(&all, at + 1, indent(all.get(at).copied().unwrap_or_default())),
        None => all,
    };
    if task.is_empty() {
        return yaml_values(&lines, keys);
    }
    let mut seen = BTreeSet::new();
    let mut wanted = vec![(task.to_owned(), BTreeMap::new())];
    while let Some((name, mut values)) = wanted.pop() {
        if seen.len() >= MOST || !seen.insert(name.clone()) {
            continue;
        }
        let Some(at) = header(&lines, &name) else {
            let mut own = in_line(&lines, &name, keys);
            if own.is_empty() {
                wanted.extend(other_name(&lines, &name).map(|name| (name.to_owned(), values)));
            }
            found.append(&mut own);
            continue;
        };
        let lines = block(&lines, at + 1, indent(lines.get(at).copied().unwrap_or_default()));
        values.extend(variables(&lines));
        let commands = yaml_values(&lines, keys).into_iter().chain(bare_list(&lines));
        found.extend(commands.map(|command| with_values(&command, &values)));
        let others = yaml_values(&lines, &["task", "deps"]);
        let others = others.iter().flat_map(|text| text.split([',', '[', ']', ' '])).filter(|name| !name.is_empty());
        wanted.extend(others.map(|name| (unquoted(name).to_owned(), values.clone())));
    }
    found
}

/// Returns the lines that set variables for all tasks of a file.
fn for_all_tasks<'t>(lines: &[&'t str]) -> Vec<&'t str> {
    let tops = lines.iter().enumerate().filter(|(_, line)| line.starts_with("vars:") || line.starts_with("env:"));
    tops.flat_map(|(at, line)| std::iter::once(*line).chain(block(lines, at + 1, 0))).collect()
}

/// Returns the plain values in the `vars` of these lines.
fn variables<'t>(lines: &[&'t str]) -> BTreeMap<&'t str, &'t str> {
    let is_plain = |(_, value): &(&str, &str)| !value.is_empty() && !value.starts_with(['{', '[', '|', '>', '#']);
    let mut found = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(("vars", value)) = entry(line.trim_start().trim_start_matches("- ")) else { continue };
        let inner = value.strip_prefix('{').and_then(|value| value.strip_suffix('}'));
        let own = inner.map(|inner| split_outside(inner, true, |char| char == ',')).unwrap_or_default();
        let pairs = own.into_iter().chain(block(lines, at + 1, indent(line))).filter_map(entry).filter(is_plain);
        found.extend(pairs.map(|(name, value)| (name, unquoted(value))));
    }
    found
}

fn with_values(command: &str, values: &BTreeMap<&str, &str>) -> String {
    interpolated(command, |name| values.get(name.strip_prefix('.')?).map(|value| (*value).to_owned()))
}

/// Replaces the variables for all tasks of a Taskfile. Values from the call's words take precedence.
pub(super) fn with_variables(commands: &[String], text: &str, words: &[Word]) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let mut values = variables(&for_all_tasks(&lines));
    let given = words.iter().take_while(|word| word.text != "--").filter(|word| !word.dynamic);
    values.extend(given.filter_map(|word| word.text.split_once('=')));
    commands.iter().map(|command| with_values(command, &values)).collect()
}

/// Returns the key, without quotes, and the value of a line or of an entry in braces.
fn entry(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let quote = line.chars().next().filter(|char| matches!(char, '"' | '\''));
    let (key, rest) = match quote {
        Some(quote) => line.get(1..)?.split_once(quote)?,
        None => line.split_at_checked(line.find(": ").or_else(|| Some(line.strip_suffix(':')?.len()))?)?,
    };
    Some((key.trim_end(), rest.trim_start().strip_prefix(':')?.trim()))
}

/// Returns the name of the task that has this alias, or whose name is a pattern that matches.
fn other_name<'t>(lines: &[&'t str], name: &str) -> Option<&'t str> {
    for (at, line) in lines.iter().enumerate() {
        let Some((before, list)) = line.split_once("aliases:") else { continue };
        let inner = list.split(']').next().unwrap_or(list);
        let is_own = before.trim().is_empty();
        let below = block(lines, at + 1, indent(line)).into_iter().filter(|_| is_own);
        let below = below.filter_map(|item| item.trim_start().strip_prefix("- "));
        if inner.split(['[', ',']).chain(below).any(|alias| unquoted(alias) == name) {
            let is_outer = |outer: &&&str| !outer.trim().is_empty() && indent(outer) < indent(line);
            let header = lines.get(..at)?.iter().rev().find(is_outer).filter(|_| is_own).unwrap_or(line);
            return entry(header).map(|(key, _)| key);
        }
    }
    let mut keys = lines.iter().filter_map(|line| Some(entry(line)?.0));
    keys.find(|key| key.contains('*') && parameter::matches(key, name))
}

/// The maximum nesting of a value on one line.
const DEPTH: usize = 4;

/// Returns the texts of a value on one line: a text, a list's items, or the values of these keys in braces.
fn flow(value: &str, keys: &[&str], depth: usize) -> Vec<String> {
    let value = value.trim();
    let pieces = |open: char, close: char| {
        let inner = value.strip_prefix(open).filter(|_| depth > 0)?.strip_suffix(close)?;
        Some(split_outside(inner, true, |char| char == ','))
    };
    if let Some(items) = pieces('[', ']') {
        return items.iter().flat_map(|item| flow(item, keys, depth - 1)).collect();
    }
    if let Some(entries) = pieces('{', '}').filter(|_| !value.starts_with("{{")) {
        let own = entries.into_iter().filter_map(entry);
        let own = own.filter(|(key, value)| keys.contains(key) || value.starts_with('{'));
        return own.flat_map(|(_, value)| flow(value, keys, depth - 1)).collect();
    }
    let text = unquoted(value);
    if text.is_empty() { Vec::new() } else { vec![text.to_owned()] }
}

/// Returns the commands of a task on one line: `x: rm y`, `x: [rm y]`, `x: {cmds: [rm y]}`.
fn in_line(lines: &[&str], name: &str, keys: &[&str]) -> Vec<String> {
    let value = lines.iter().filter_map(|line| entry(line)).find(|(key, _)| *key == name);
    value.map(|(_, value)| flow(value, keys, DEPTH)).unwrap_or_default()
}

/// Returns the items of a list that is the whole block.
fn bare_list(lines: &[&str]) -> Vec<String> {
    let mut filled = lines.iter().filter(|line| !line.trim().is_empty()).peekable();
    let Some(outer) = filled.peek().filter(|line| line.trim_start().starts_with("- ")).map(|line| indent(line)) else {
        return Vec::new();
    };
    let items = filled.filter(|line| indent(line) == outer).filter_map(|line| line.trim_start().strip_prefix("- "));
    let is_plain = |item: &&str| !item.starts_with("task:") && !item.starts_with("cmd:");
    items.filter(is_plain).map(|item| unquoted(item).to_owned()).collect()
}

/// Returns the values of these keys: on the line, as a list, or as a block of lines.
fn yaml_values(lines: &[&str], keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let bare = line.trim_start().trim_start_matches("- ");
        let Some((key, value)) = bare.split_once(':') else { continue };
        if !keys.contains(&key.trim()) {
            if value.trim().starts_with('{') && !value.trim().starts_with("{{") {
                found.append(&mut flow(value, keys, DEPTH));
            }
            continue;
        }
        let below = block(lines, at + 1, indent(line));
        match value.trim() {
            "" => {
                for (place, item) in below.iter().enumerate() {
                    let Some(item_text) = item.trim_start().strip_prefix("- ") else { continue };
                    if item_text.trim().starts_with(['|', '>']) {
                        found.push(block(&below, place + 1, indent(item)).join("\n"));
                    } else if !item_text
                        .split_once(": ")
                        .is_some_and(|(key, _)| keys.contains(&key) || matches!(key, "task" | "msg"))
                    {
                        found.append(&mut flow(item_text, keys, DEPTH));
                    }
                }
            }
            value if value.starts_with(['|', '>']) => found.push(below.join("\n")),
            value => found.append(&mut flow(value, keys, DEPTH)),
        }
    }
    found
}

/// Returns the commands of a task in tables with these names, and of its dependencies.
pub(super) fn toml(text: &str, tables: &[&str], task: &str) -> Vec<String> {
    let mut tasks: Vec<(String, String)> = Vec::new();
    let mut table = None;
    for line in text.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
            let within = |known: &&&str| name.ends_with(**known) || name.contains(&format!("{known}."));
            table = tables.iter().find(within).map(|known| {
                let own = name.split_once(&format!("{known}.")).map(|(_, own)| own.to_owned());
                own.unwrap_or_default()
            });
            continue;
        }
        let (Some(own), Some((key, value))) = (&table, line.split_once('=')) else { continue };
        let key = key.trim().trim_matches('"');
        let name = if own.is_empty() { key.split('.').next().unwrap_or(key) } else { own };
        let is_help = matches!(key, "help" | "env" | "cwd" | "args");
        if !is_help {
            tasks.extend(quoted(value).map(|command| (name.to_owned(), command.to_owned())));
        }
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut wanted = vec![task.to_owned()];
    while let Some(name) = wanted.pop().filter(|_| seen.len() < MOST) {
        if !seen.insert(name.clone()) {
            continue;
        }
        for (_, command) in tasks.iter().filter(|(of, _)| *of == name) {
            match tasks.iter().any(|(of, _)| of == command) {
                true => wanted.push(command.clone()),
                false => found.push(command.clone()),
            }
        }
    }
    found
}

/// Returns the quoted texts in a TOML value, except an inline table's keys.
fn quoted(value: &str) -> impl Iterator<Item = &str> {
    let mut rest = value;
    std::iter::from_fn(move || {
        let at = rest.find(['"', '\''])?;
        let quote = rest.get(at..)?.chars().next()?;
        let (inner, after) = rest.get(at + 1..)?.split_once(quote)?;
        rest = after;
        Some(inner)
    })
}

/// Returns the quoted texts in lines that set one of these keys. `*` matches any key.
pub(super) fn set(text: &str, keys: &[&str]) -> Vec<String> {
    let value = |line: &str| {
        let (key, value) = line.split_once(['=', ':'])?;
        let key = key.trim().trim_matches('"');
        (keys.contains(&key) || keys == ["*"]).then(|| quoted(value).map(str::to_owned).collect::<Vec<_>>())
    };
    // A list contains the words of one command.
    let list = |texts: Vec<String>| match texts.len() {
        0 | 1 => texts,
        _ => vec![texts.iter().map(|word| crate::wrappers::layer::quoted(word)).collect::<Vec<_>>().join(" ")],
    };
    text.lines().filter_map(value).flat_map(list).collect()
}

/// The maximum number of followed commands in a file.
const SPELLED_OUT: usize = 256;

/// Returns texts that look like a command: lines, quoted texts, and lists of words in quotes or XML elements. A text
/// counts as a command if it begins with the name of a program with known effects.
pub(super) fn spelled_out(text: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut elements: Vec<&str> = Vec::new();
    for line in text.lines().map(str::trim) {
        if ["#", "//", "*", "<!--", "--", ";"].iter().any(|comment| line.starts_with(comment)) {
            continue;
        }
        let element = line.strip_prefix('<').and_then(|line| line.split_once('>')?.1.split_once('<'));
        match element {
            Some((text, _)) => elements.push(text),
            None if line.starts_with("</") => found.extend(joined(&std::mem::take(&mut elements))),
            None => {}
        }
        let quotes: Vec<&str> = quoted(line).collect();
        let plain = line.trim_start_matches("- ");
        let value = plain.split_once(": ").map_or(plain, |(_, value)| value);
        let value = value.split_once("COMMAND ").map_or(value, |(_, value)| value.trim_end_matches(')'));
        let value = value.strip_prefix("command = ").unwrap_or(value);
        // A GHC prompt, and a tup rule.
        let value = value.strip_prefix(":!").or_else(|| value.strip_prefix(": |> ")).unwrap_or(value).trim_start();
        let texts = quotes.iter().copied().chain([value]).chain(element.map(|(text, _)| text)).map(str::to_owned);
        found.extend(texts.chain(joined(&quotes)).filter(|text| is_command(text)));
        if found.len() > SPELLED_OUT {
            limits::reached("a file spells out too many commands to follow");
            break;
        }
    }
    found.into_iter().collect()
}

/// Returns a list's words as a command, from the first word that is a program.
fn joined(words: &[&str]) -> Option<String> {
    let at = words.iter().position(|word| names_program(word))?;
    let words = words.get(at..).filter(|words| words.len() > 1)?;
    Some(words.iter().map(|word| crate::wrappers::layer::quoted(word)).collect::<Vec<_>>().join(" "))
}

fn names_program(word: &str) -> bool {
    let name = word.rsplit('/').next().unwrap_or(word);
    programs::is_known(name) || shells::is_shell(name)
}

fn is_command(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(names_program) && words.next().is_some() && parse::parse(text, Dialect::Bash).is_ok()
}

/// Returns the lines after these keys.
pub(super) fn ini(text: &str, keys: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            found.extend(inside.then(|| line.trim().to_owned()));
            continue;
        }
        let value = line.split_once('=').filter(|(key, _)| keys.contains(&key.trim()));
        inside = value.is_some();
        found.extend(value.map(|(_, value)| value.trim().to_owned()).filter(|value| !value.is_empty()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_in_yaml_has_its_commands_and_those_of_the_tasks_that_it_names() {
        let text = "version: 3\ntasks:\n  default:\n    deps: [a]\n    cmds:\n      - echo 1\n      - task: b\n  a:\n    \
                    cmd: echo \"2\"\n  b:\n    cmds:\n      - |\n        echo 3\n        echo 4\n  c:\n    cmds: ['echo 5']\n";
        let mut commands = yaml(text, "tasks", "default", &["cmd", "cmds"]);
        commands.sort();
        assert_eq!(commands, ["        echo 3\n        echo 4", "echo \"2\"", "echo 1"]);
    }

    #[test]
    fn a_task_in_yaml_has_other_names_and_variables() {
        let text = "vars: {A: 1}\ntasks:\n  x:\n    aliases: [y]\n    vars:\n      B: 2\n    cmds: ['e {{.B}}', f]\n  \
                    z: {aliases: [w], cmds: [g]}\n  'p:*': h {{.A}}\n  s:\n    status:\n      - i\n    vars:\n      \
                    C: {sh: j}\n";
        let keys = &["cmd", "cmds", "sh", "status"];
        for (task, expected) in
            [("x", &["e 2", "f"][..]), ("y", &["e 2", "f"]), ("w", &["g"]), ("p:q", &["h {{.A}}"]), ("s", &["i", "j"])]
        {
            assert_eq!(yaml(text, "tasks", task, keys), expected, "{task}");
        }
        assert_eq!(with_variables(&["h {{.A}} {{.B}}".to_owned()], text, &[]), ["h 1 {{.B}}"]);
    }

    #[test]
    fn hooks_in_yaml_have_what_they_run() {
        let text = "pre-commit:\n  commands:\n    a:\n      run: x --fix\npre-push:\n  jobs:\n    - run: y\n";
        assert_eq!(yaml(text, "", "pre-push", &["run"]), ["y"]);
        assert_eq!(yaml(text, "", "", &["run"]), ["x --fix", "y"]);
    }

    #[test]
    fn keys_in_json_have_texts_lists_and_objects() {
        for (json, expected) in [
            (r#"{"hooks": "a"}"#, &["a"][..]),
            (r#"{"x": {"hooks": ["a", "b"]}}"#, &["a", "b"]),
            (r#"{"hooks": {"before": "a", "after": ["b"], "hooks": "c"}}"#, &["b", "a", "c"]),
            (r#"{"other": {"before": "a"}}"#, &[]),
        ] {
            let value: Value = guard_sdk::serde_json::from_str(json).unwrap();
            let mut found = Vec::new();
            at_keys(&value, &["hooks"], &mut found);
            found.sort();
            let mut expected = expected.to_vec();
            expected.sort_unstable();
            assert_eq!(found, expected, "{json}");
        }
    }

    #[test]
    fn a_task_in_toml_has_its_commands() {
        let text = "[tool.poe.tasks]\na = \"x 1\"\nb = { cmd = 'y', help = \"z\" }\nc = [\"a\"]\n[tool.poe.tasks.d]\nshell = \"w\"\n\
                    help = \"not this\"\n[tool.other]\na = \"no\"\n";
        assert_eq!(toml(text, &["poe.tasks"], "c"), ["x 1"]);
        assert_eq!(toml(text, &["poe.tasks"], "d"), ["w"]);
        assert!(toml(text, &["poe.tasks"], "b").contains(&"y".to_owned()));
    }

    #[test]
    fn a_file_of_an_unread_language_spells_out_commands() {
        for text in [
            "<executable>rm</executable>\n<arguments>\n<argument>-rf</argument>\n<argument>/data</argument>\n</arguments>\n",
            "commandLine 'rm', '-rf', '/data'\n",
            "  \"rm -rf /data\".!\n",
            "  shellHook = ''\n    rm -rf /data\n  '';\n",
            "hooks:\n  before:\n    - rm -rf /data\n",
            "hooks:\n  before: rm -rf /data\n",
            "execute_process(COMMAND rm -rf /data)\n",
            "    cmd = [\"rm\", \"-rf\", \"/data\"],\n",
        ] {
            assert_eq!(spelled_out(text), ["rm -rf /data"], "{text}");
        }
        for text in [
            "# rm -rf /data\n",
            "// \"rm -rf /data\"\n",
            "<goal>deploy</goal>\n",
            "name = \"rm\"\n",
            "it's a \"test\"\n",
        ] {
            assert_eq!(spelled_out(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_commands_of_an_ini_file_are_its_indented_lines() {
        let text = "[testenv]\ndeps = a\n  b\ncommands =\n  x\n  y\npassenv = z\n";
        assert_eq!(ini(text, &["commands"]), ["x", "y"]);
    }
}

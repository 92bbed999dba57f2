//! The commands of a task in the files of task runners.

use std::collections::BTreeSet;

use guard_sdk::serde_json::Value;

use crate::parse::{self, Dialect};
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
        lines.iter().position(|line| line.trim_end().strip_suffix(':').is_some_and(|key| unquoted(key) == name))
    };
    let lines = match header(&all, section) {
        Some(at) => block(&all, at + 1, indent(all.get(at).copied().unwrap_or_default())),
        None => all,
    };
    if task.is_empty() {
        return yaml_values(&lines, keys);
    }
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let mut wanted = vec![task.to_owned()];
    while let Some(name) = wanted.pop() {
        if seen.len() >= MOST || !seen.insert(name.clone()) {
            continue;
        }
        let Some(at) = header(&lines, &name) else {
            found.append(&mut in_line(&lines, &name, keys));
            continue;
        };
        let lines = block(&lines, at + 1, indent(lines.get(at).copied().unwrap_or_default()));
        found.append(&mut yaml_values(&lines, keys));
        found.append(&mut bare_list(&lines));
        let others = yaml_values(&lines, &["task", "deps"]);
        wanted.extend(
            others.iter().flat_map(|text| text.split([',', '[', ']', ' '])).map(|name| unquoted(name).to_owned()),
        );
    }
    found
}

/// Returns the commands of a task on one line: `x: rm y`, `x: [rm y]`, `x: {cmds: [rm y]}`.
fn in_line(lines: &[&str], name: &str, keys: &[&str]) -> Vec<String> {
    let mut split = lines.iter().filter_map(|line| line.split_once(':'));
    let Some((_, value)) = split.find(|(key, _)| unquoted(key) == name) else { return Vec::new() };
    let value = value.trim();
    if !value.starts_with(['{', '[']) {
        return vec![unquoted(value).to_owned()];
    }
    let texts = value.split(['{', '}', '[', ']', ',']).map(unquoted);
    let texts = texts.map(|text| {
        let own = text.split_once(':').filter(|(key, _)| keys.contains(&key.trim()));
        unquoted(own.map_or(text, |(_, value)| value)).to_owned()
    });
    texts.filter(|text| !text.is_empty()).collect()
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
            continue;
        }
        let below = block(lines, at + 1, indent(line));
        match value.trim() {
            "" => {
                for (place, item) in below.iter().enumerate() {
                    let Some(item_text) = item.trim_start().strip_prefix("- ") else { continue };
                    if item_text.trim().starts_with(['|', '>']) {
                        found.push(block(&below, place + 1, indent(item)).join("\n"));
                    } else if !item_text.split_once(": ").is_some_and(|(key, _)| keys.contains(&key) || key == "task") {
                        found.push(unquoted(item_text).to_owned());
                    }
                }
            }
            value if value.starts_with(['|', '>']) => found.push(below.join("\n")),
            value => found.push(unquoted(value).to_owned()),
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

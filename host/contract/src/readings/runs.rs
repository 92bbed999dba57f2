//! The meanings of arguments of a tool that runs whatever it is given: code, a module on other machines, a line.

use serde_json::{Map, Value};

use super::names::normalize;
use crate::shell_word::word;

/// Words in the name of a tool that runs code.
const RUNS: &[&str] =
    &["run", "runs", "runner", "exec", "execute", "eval", "evaluate", "interpreter", "sandbox", "repl"];

/// Arguments beside a language that hold the code.
const CODE_BESIDE: &[&str] = &["source", "script", "content", "text", "input", "program", "body"];

/// Returns whether an argument holds code of the language beside it, which the tool runs.
pub(super) fn is_code_beside(name: &str, tool: &[String]) -> bool {
    CODE_BESIDE.contains(&name) && runs_code(tool)
}

/// Returns whether a tool with these words in its name runs code.
pub(super) fn runs_code(tool: &[String]) -> bool {
    tool.iter().any(|word| RUNS.contains(&word.as_str()))
}

/// The program and the option for code of a language that nothing is known of.
pub(super) const ANY_CODE: &str = "run-code -e";

/// Languages of texts that do nothing.
const INERT: &[&str] = &[
    "css",
    "csv",
    "diff",
    "dot",
    "graphql",
    "html",
    "json",
    "latex",
    "markdown",
    "md",
    "mermaid",
    "plaintext",
    "plantuml",
    "svg",
    "tex",
    "text",
    "toml",
    "txt",
    "xml",
    "yaml",
    "yml",
];

/// Returns whether a text of this language does nothing by itself.
pub(super) fn is_inert(language: &str) -> bool {
    INERT.contains(&language.to_ascii_lowercase().as_str())
}

/// Arguments that name a module of a tool that runs one on other machines, those that hold its words, and the modules
/// that give them to a shell.
const MODULES: &[&str] = &["module", "modulename", "function", "fun"];
const MODULE_WORDS: &[&str] = &["args", "moduleargs", "arg", "arguments", "modulearguments", "params", "command"];
const SHELL_MODULES: &[&str] = &["cmd", "command", "raw", "run", "runall", "script", "shell", "winshell", "wincommand"];

/// The line of a module that a tool runs on other machines.
pub(super) fn module_line(object: &Map<String, Value>, tool: &[String]) -> Option<String> {
    let find = |names: &[&str]| {
        object.iter().find(|(key, _)| names.contains(&normalize(key).as_str())).map(|(_, value)| value)
    };
    let module = find(MODULES)?.as_str()?;
    let program_arguments = match find(MODULE_WORDS)? {
        Value::String(text) => text.clone(),
        Value::Array(list) => list.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => return None,
    };
    let last = normalize(module.rsplit('.').next().unwrap_or(module));
    if SHELL_MODULES.contains(&last.as_str()) {
        return Some(program_arguments);
    }
    let is_of_ansible = tool.iter().any(|word| word == "ansible" || word == "adhoc");
    is_of_ansible.then(|| format!("ansible all -m {} -a {}", word(module), word(&program_arguments)))
}

/// Arguments whose text is whatever the tool runs, and the ones that say where.
const RUN_TEXTS: &[&str] = &["payload", "text", "input", "line", "content", "body"];
const MACHINES: &[&str] = &[
    "host",
    "hosts",
    "hostname",
    "hostnames",
    "server",
    "servers",
    "machine",
    "machines",
    "minion",
    "minions",
    "instance",
    "instanceid",
    "instanceids",
    "vm",
    "device",
    "devices",
    "container",
    "pod",
    "target",
    "targets",
];

/// Returns whether an argument is the text that a tool runs.
pub(super) fn is_run_text(name: &str, tool: &[String]) -> bool {
    RUN_TEXTS.contains(&name) && runs_code(tool)
}

/// Returns whether an argument says on which machine something runs.
pub(super) fn is_machine(name: &str) -> bool {
    MACHINES.contains(&name)
}

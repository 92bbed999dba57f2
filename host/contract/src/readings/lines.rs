//! Texts of arguments as lines for a shell.

use serde_json::{Map, Value};

use super::names::{ENVIRONMENTS, normalize};
use crate::shell_word::word;

/// The lines that a notebook gives to a shell: those behind `!` and `%sx`, and a whole cell of `%%bash`.
pub(super) fn notebook_commands(code: &str) -> String {
    const CELLS: &[&str] = &["%%bash", "%%sh", "%%shell", "%%system", "%%sx", "%%!", "%%script"];
    const LINES: &[&str] = &["!!", "!", "%sx ", "%system "];
    // Programs that a notebook starts by the name alone.
    const ALIASES: &[&str] = &["cat", "cp", "ln", "mkdir", "mv", "rm", "rmdir"];
    let code = code.trim_start();
    if let Some((first, rest)) = code.split_once('\n')
        && CELLS.iter().any(|cell| first.split_whitespace().next() == Some(cell))
    {
        return rest.to_owned();
    }
    let command = |line: &'_ str| {
        let line = line.trim_start();
        let alias = line.strip_prefix('%').filter(|line| ALIASES.contains(&line.split(' ').next().unwrap_or_default()));
        LINES.iter().find_map(|mark| line.strip_prefix(mark)).or(alias).map(str::to_owned)
    };
    code.lines().filter_map(command).collect::<Vec<_>>().join("\n")
}

/// The maximum number of variables that are read from an environment.
const VARIABLES: usize = 32;

/// The variables that an object gives to its command, as a shell sets them.
pub(super) fn environment(object: &Map<String, Value>) -> String {
    let is_environment = |key: &str| ENVIRONMENTS.contains(&normalize(key).as_str());
    let nested = object.iter().filter(|(key, _)| is_environment(key)).filter_map(|(_, value)| value.as_object());
    let is_name = |name: &str| {
        !name.is_empty()
            && !name.starts_with(|c: char| c.is_ascii_digit())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let variables = nested.flatten().filter_map(|(name, value)| Some((name, value.as_str()?)));
    let variables = variables.filter(|(name, _)| is_name(name)).take(VARIABLES);
    variables.map(|(name, value)| format!("export {name}={}; ", word(value))).collect()
}

/// A path as a word of a shell; a home stays one.
pub(super) fn path_word(path: &str) -> String {
    match path.strip_prefix("~/") {
        Some(rest) => format!("~/{}", if rest.is_empty() { String::new() } else { word(rest) }),
        None if path == "~" => path.to_owned(),
        None => word(path),
    }
}

/// Keys that are typed, as text: control keys are none, and an end of a line is one.
pub(super) fn typed_text(keys: &str) -> String {
    let keys = keys.replace('\r', "\n");
    keys.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

/// The command that a prompt may be: one line that begins like one. `!` before it has an agent run it.
pub(super) fn prose_command(text: &str) -> Option<&str> {
    let text = text.trim();
    let command = text.strip_prefix('!').map_or(text, str::trim_start);
    let first = command.split_whitespace().next()?;
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "/._-~$".contains(c);
    (!command.contains('\n') && first.chars().all(is_name)).then_some(command)
}

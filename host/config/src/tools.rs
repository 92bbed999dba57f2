//! Checks the names and patterns in `tools`, each of which must be able to match a tool, and reads `[[tool]]` entries.

use guard_contract::call::{COMMON_TOOLS, OTHER_TOOLS};
use guard_contract::readings::Arguments;
use guard_sdk::globs::Glob;

use super::options::ToolOptions;

/// Checks that a name or pattern can match a tool.
///
/// The names of MCP servers' tools aren't known, but contain two underscores.
///
/// # Errors
///
/// It can't match: the problem, and the hint.
pub fn check(pattern: &str) -> Result<(), (String, String)> {
    if pattern.is_empty() {
        return Err(("a name is empty".to_owned(), hint(pattern)));
    }
    if let Some(tool) = pattern.strip_prefix('!') {
        let hint = format!(
            "list the tools to judge; to allow calls of one tool, write an `[[allow]]` with `tool = \"{tool}\"`"
        );
        return Err((format!("`{pattern}` takes nothing out of this list"), hint));
    }
    let glob = Glob::new(pattern).map_err(|error| (error.to_string(), "write a tool's name, or a glob".to_owned()))?;
    let is_of_server = (pattern.contains("__") || pattern.contains("mcp_")) && !pattern.contains([' ', '|']);
    let mut known = COMMON_TOOLS.iter().chain(&OTHER_TOOLS);
    if is_of_server || known.any(|tool| glob.matches(tool)) {
        return Ok(());
    }
    let what = if pattern.contains(['*', '?', '[', '{']) { "matches no tool" } else { "is no tool" };
    Err((format!("`{pattern}` {what}"), hint(pattern)))
}

/// Reads a `[[tool]]` entry.
///
/// # Errors
///
/// The entry is invalid: the problem, and the hint.
pub(super) fn arguments(options: &ToolOptions) -> Result<Arguments, (String, String)> {
    let entry = Arguments {
        tool: options.r#match.clone(),
        shell: options.shell.list().to_vec(),
        path: options.path.list().to_vec(),
        content: options.content.list().to_vec(),
        sql: options.sql.list().to_vec(),
        url: options.url.list().to_vec(),
        adds: false,
    };
    let refuse = |text: String, hint: &str| Err((text, hint.to_owned()));
    if let Err(text) = entry.check() {
        return refuse(
            format!("{text} in a `[[tool]]`"),
            "give the name of a tool, or a pattern such as `mcp__*__run`",
        );
    }
    if entry.tool.starts_with('!') {
        let hint = "name the tools that the entry is for";
        return refuse(format!("`match` is `{}`, which doesn't allow `!`", entry.tool), hint);
    }
    if COMMON_TOOLS.contains(&entry.tool.as_str()) {
        let hint = "name a tool of a server, such as `mcp__box__run`";
        return refuse(format!("`match` is `{}`, a tool that is known", entry.tool), hint);
    }
    let lists = [&entry.shell, &entry.path, &entry.content, &entry.sql, &entry.url];
    let given = || lists.into_iter().flatten();
    if given().next().is_none() || given().any(String::is_empty) {
        let hint = "give `shell`, `path`, `content`, `sql` or `url` the name of an argument";
        return refuse(format!("the `[[tool]]` with the `match` `{}` names no argument", entry.tool), hint);
    }
    if entry.path.is_empty() && !entry.content.is_empty() {
        return refuse("`content` needs `path`".to_owned(), "say which argument names the file");
    }
    Ok(entry)
}

/// Harnesses have different names for their tools. Policies see one name for each kind.
const KINDS: [(&[&str], &str); 5] = [
    (&["shell", "exec", "command", "terminal", "cmd"], "Bash"),
    (&["edit", "replace", "patch", "modify"], "Edit"),
    (&["write", "create", "save"], "Write"),
    (&["read", "view", "cat", "open"], "Read"),
    (&["fetch", "http", "url"], "WebFetch"),
];

fn hint(name: &str) -> String {
    let names: Vec<&str> = name.split(['|', ',']).map(str::trim).collect();
    if let [_, _, ..] = names[..]
        && names.iter().all(|name| check(name).is_ok())
    {
        return format!("write each as its own item: `\"{}\"`", names.join("\", \""));
    }
    let lower = name.to_ascii_lowercase();
    let distance = |tool: &&&str| strsim::damerau_levenshtein(&lower, &tool.to_ascii_lowercase());
    let nearest = COMMON_TOOLS.iter().chain(&OTHER_TOOLS).min_by_key(distance);
    let near = |most: usize| nearest.filter(|tool| distance(tool) <= most.min(lower.len() / 2));
    let kind = || KINDS.iter().find(|(words, _)| words.iter().any(|word| lower.contains(word))).map(|(_, tool)| tool);
    match near(1).or_else(kind).or_else(|| near(2)) {
        Some(tool) => format!("did you mean `{tool}`?"),
        None => {
            format!("known tools: {}; those of MCP servers are called `mcp__SERVER__TOOL`", COMMON_TOOLS.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_no_tool_has_is_told_with_the_nearest_one() {
        for (name, meant) in [
            ("bash", "Bash"),
            ("Bsh", "Bash"),
            ("write", "Write"),
            ("Multiedit", "MultiEdit"),
            ("run_shell_command", "Bash"),
            ("str_replace", "Edit"),
            ("webfetch", "WebFetch"),
            ("bas*", "Bash"),
            ("Shell", "Bash"),
        ] {
            let (text, hint) = check(name).unwrap_err();
            assert!(text.contains(&format!("`{name}`")) && hint == format!("did you mean `{meant}`?"), "{text} {hint}");
        }
        for (names, meant) in [("Edit|Write", "\"Edit\", \"Write\""), ("Bash, mcp__a__b", "\"Bash\", \"mcp__a__b\"")] {
            assert_eq!(check(names).unwrap_err().1, format!("write each as its own item: `{meant}`"));
        }
        for name in ["!Bash", "!mcp__github__push", "", "Frobnicate", "x*", "[Bash", "{Bash", "Bash ", "/Bash"] {
            assert!(check(name).is_err(), "{name}");
        }
        for name in ["Bash", "*", "Ba*", "{Write,Edit}", "mcp__*", "mcp__github__push", "TodoWrite", "*Edit"] {
            assert_eq!(check(name), Ok(()), "{name}");
        }
    }

    #[test]
    fn an_entry_for_a_tool_names_the_tool_and_what_its_arguments_hold() {
        let read = |text: &str| {
            let options: ToolOptions =
                toml::from_str(text).map_err(|error| (error.message().to_owned(), String::new()))?;
            arguments(&options)
        };
        let entry = read("match = 'mcp__*__run'\nshell = 'line'\npath = ['a', 'b']").unwrap();
        assert_eq!((entry.shell.len(), entry.path.len(), entry.sql.len()), (1, 2, 0));
        for (text, expected) in [
            ("shell = 'x'", "`match` is empty"),
            ("match = ''\nshell = 'x'", "`match` is empty"),
            ("match = 'mcp__['\nshell = 'x'", "`mcp__[`"),
            ("match = 'Write'\npath = 'x'", "`Write`"),
            ("match = '!mcp__x__y'\npath = 'x'", "doesn't allow `!`"),
            ("match = 'mcp__x__y'", "names no argument"),
            ("match = 'mcp__x__y'\nsql = []", "names no argument"),
            ("match = 'mcp__x__y'\nsql = ['q', '']", "names no argument"),
            ("match = 'mcp__x__y'\ncontent = 'x'", "`content` needs `path`"),
            ("match = 'mcp__x__y'\nshel = 'x'", "unknown field `shel`"),
            ("match = 'mcp__x__y'\nshell = 5", "a name, or a list of names"),
            ("match = 5\nshell = 'x'", "invalid type"),
        ] {
            let (error, _) = read(text).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}

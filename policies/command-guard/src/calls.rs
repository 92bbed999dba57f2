//! Calls in code that start programs or delete files, by language, and the search for them.
//!
//! A name ends at a word's end, unless it ends in `*`. A name with `!` doesn't match methods: Python's `eval`, but not
//! `model.eval()`.

/// The maximum number of calls that are counted.
pub(crate) const MOST: usize = 64;

/// Objects whose methods match a `!` name anyway.
const OWNERS: &[&str] = &["builtins.", "builtins__.", "Kernel.", "Process.", "IO.", "Open3."];

/// Returns the ends of the calls with this name.
pub(crate) fn call_ends(code: &str, call: &str) -> Vec<usize> {
    let (name, own) = call.strip_prefix('!').map_or((call, false), |name| (name, true));
    let (name, prefix) = name.strip_suffix('*').map_or((name, false), |name| (name, true));
    let is_word = |char: Option<char>| char.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    let begins_word = is_word(name.chars().next());
    let ends_word = is_word(name.chars().next_back()) && !prefix;
    let is_call = |at: &usize| {
        let (before, after) = code.split_at_checked(*at).unwrap_or_default();
        let last = before.chars().next_back();
        let method = matches!(last, Some('.' | '$')) || before.ends_with("->");
        let of_language = OWNERS.iter().any(|owner| before.ends_with(owner));
        let rest = after.get(name.len()..).unwrap_or_default();
        let next = rest.chars().next();
        // Without brackets, its arguments follow a blank. Elsewhere, as in a regular expression, it is only a word.
        let bare = own && ends_word;
        let called = next.is_some_and(|c| "(\"'`".contains(c))
            || rest.starts_with(' ') && {
                let argument = rest.trim_start().chars().next();
                argument.is_some_and(|c| c.is_ascii_alphanumeric() || "\"'`$@%[{(_:<".contains(c))
            }
            // In Perl, it applies to the loop's variable.
            || matches!(name, "unlink" | "rmdir") && next == Some('}');
        let inside_word = begins_word && is_word(last) || ends_word && is_word(next);
        !inside_word && (!own || !method || of_language) && (!bare || called)
    };
    let width = name.trim_end_matches('(').len();
    code.match_indices(name).map(|(at, _)| at).filter(is_call).take(MOST).map(|at| at + width).collect()
}

/// Returns the number of calls with these names.
pub(crate) fn count(code: &str, calls: &[&str]) -> usize {
    calls.iter().map(|call| call_ends(code, call).len()).sum()
}

/// Returns the calls that start a program or code.
pub(crate) fn start_calls(language: &str) -> &'static [&'static str] {
    match language {
        "perl" => &["!system", "!exec", "!qx*", "`", "!eval"],
        "ruby" => &[
            "!system",
            ":system",
            ":exec",
            ":spawn",
            "!exec",
            "!spawn",
            "!popen*",
            "`",
            "%x",
            "!eval",
            "instance_eval",
            "class_eval",
            "Open3.*",
        ],
        "php" => &["!system", "!exec", "shell_exec", "!passthru", "!popen", "proc_open", "`", "!eval"],
        "lua" => &["os.execute", "io.popen"],
        "awk" => &[
            "system(",
            "| \"sh\"",
            "|\"sh\"",
            "|& \"sh\"",
            "| \"bash\"",
            "|\"bash\"",
            "|& \"bash\"",
            "| \"/bin/sh\"",
            "|\"/bin/sh\"",
            "|& \"/bin/sh\"",
            "| \"/bin/bash\"",
            "|\"/bin/bash\"",
            "|& \"/bin/bash\"",
        ],
        "sed" | "applescript" => &[],
        _ => OF_OTHERS,
    }
}

/// Calls that start a program, in less common languages.
const OF_OTHERS: &[&str] = &[
    "!system(",
    "!system2(",
    "(system",
    "!shell(",
    "System.cmd",
    "System.shell",
    "os:cmd",
    ".execute()",
    "Process(",
    "process.Process",
    "getRuntime()",
    "ProcessBuilder",
    "callCommand",
    "callProcess",
    "readProcess",
    "Sys.command",
    "Unix.system",
    "run-program",
    "run-shell-command",
    "shell-command*",
    "call-process*",
    "start-process*",
    "!run(",
    ".!",
    "/sh ",
    "(sh ",
    "(run (",
    "!exec ",
    "!spawn ",
];

/// Returns the calls that delete files or overwrite a disk.
pub(crate) fn deletion_calls(language: &str) -> &'static [&'static str] {
    match language {
        "perl" => &["!unlink", "rmtree", "remove_tree", "!rmdir"],
        "ruby" => &[
            "rm_rf",
            "rm_r",
            "FileUtils.rm",
            "FileUtils.remove*",
            "remove_dir",
            "File.delete",
            "Dir.delete",
            "remove_entry*",
            "unlink",
        ],
        "php" => &["!unlink", "!rmdir"],
        "lua" => &["os.remove"],
        "awk" | "sed" | "applescript" => &[],
        // R's `rm` removes variables.
        "r" => &["!unlink(", "file.remove(", "file_delete("],
        // The analysis knows these by their names.
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_as_words_and_builtins_not_as_methods() {
        for (code, call, expected) in [
            ("model.eval()", "!eval(", 0),
            ("ast.literal_eval(x)", "!eval(", 0),
            ("print(eval(x))", "!eval(", 1),
            ("builtins.eval(x)", "!eval(", 1),
            ("shutil.rmtree(x)", "rmtree", 1),
            ("safe_rmtree(x)", "rmtree", 0),
            ("os.execvp(x)", "os.exec*", 1),
            ("os.systems", "os.system", 0),
            ("systemd.start", "!system", 0),
            ("p.unlink()", ".unlink(", 1),
        ] {
            assert_eq!(call_ends(code, call).len(), expected, "{code}");
        }
    }
}

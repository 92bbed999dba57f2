//! Commands that may lose something that the analysis doesn't show.

use guard_contract::syntax::Command;

/// Package managers.
const PACKAGERS: [&str; 4] = ["bun", "npm", "pnpm", "yarn"];

/// Package managers' verbs that run no scripts of other packages.
const VERBS: [&str; 14] = [
    "add",
    "audit",
    "ci",
    "i",
    "info",
    "install",
    "list",
    "ls",
    "outdated",
    "remove",
    "uninstall",
    "up",
    "update",
    "why",
];

/// Options that run the scripts of other packages.
const WORKSPACES: [&str; 8] = ["--filter", "--recursive", "--workspace", "--workspaces", "-F", "-r", "-w", "-ws"];

/// Returns whether the command runs tasks that aren't known, or changes how the shell expands words.
pub(super) fn may_lose_unseen(command: &Command) -> bool {
    let Some((program, words)) = command.argv.split_first() else { return false };
    let texts = || words.iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
    match program.text.rsplit('/').next().unwrap_or_default() {
        "make" | "gmake" | "just" => has_unknown_task(command),
        program if PACKAGERS.contains(&program) => {
            let selects = |word: &str| WORKSPACES.contains(&word.split('=').next().unwrap_or(word));
            let verb = texts().find(|word| !word.starts_with('-')).unwrap_or_default();
            let runs = matches!(verb, "workspace" | "workspaces") || texts().any(selects);
            // These change the manifest.
            let edits = matches!(verb, "init" | "pkg" | "version") && !texts().any(|word| word == "get");
            edits || runs && !VERBS.contains(&verb) || has_unknown_task(command)
        }
        // Options such as `-O lastpipe` and `+B` change how the shell reads its text.
        "bash" => texts()
            .take_while(|word| word.starts_with(['-', '+']))
            .any(|word| word.contains('O') && !word.starts_with("--") || word.starts_with('+') && word.contains('B')),
        // Without brace expansion, other files are meant.
        "set" => texts().any(|word| word == "braceexpand" || word.starts_with('+') && word.contains('B')),
        // These options run commands before those of the call.
        "sqlite3" | "duckdb" => {
            texts().any(|word| matches!(word.trim_start_matches('-'), "cmd" | "init")) || texts().any(writes_files)
        }
        _ => false,
    }
}

/// Commands of `sqlite3` that write files or databases, or run other commands. They can be abbreviated.
const WRITING: [&str; 14] = [
    "archive", "backup", "clone", "excel", "import", "log", "once", "open", "output", "read", "restore", "save",
    "shell", "system",
];

/// Returns whether a text for `sqlite3` may write files other than its database.
fn writes_files(text: &str) -> bool {
    let writes = |line: &str| {
        let name = line.trim().strip_prefix('.').and_then(|command| command.split_whitespace().next());
        name.is_some_and(|name| WRITING.iter().any(|writing| writing.starts_with(name)))
    };
    text.lines().any(writes) || text.to_ascii_lowercase().contains("writefile(")
}

/// Returns whether a task, its folder or its file is only known at run time.
fn has_unknown_task(command: &Command) -> bool {
    let is_count = |word: &str| ["--jobs", "--load", "-j", "-l"].iter().any(|option| word.starts_with(option));
    let words = command.argv.iter().skip(1).take_while(|word| word.text != "--");
    let mut before = "";
    for word in words {
        let is_value = matches!(before, "--jobs" | "--load" | "-j" | "-l") || word.text.contains('=');
        if word.dynamic && !is_count(&word.text) && !is_value {
            return true;
        }
        before = &word.text;
    }
    false
}

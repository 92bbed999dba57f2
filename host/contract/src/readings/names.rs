//! The meanings of the names of arguments and tools. Names are compared without regard to case, `_` and `-`.

use serde_json::{Map, Value};

use super::{Certainty, shapes};

/// The meaning of an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Shell,
    /// Keys for a program that runs.
    Typed,
    /// A prompt for an agent.
    Prompt,
    /// Code of a language that something else tells.
    Code,
    Sql,
    Url,
    File,
    /// The file that something comes from.
    Source,
    /// The file that something goes to.
    Target,
    /// The content of a written file.
    Content,
}

/// The effect of a tool on files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Doing {
    Deletes {
        recursive: bool,
    },
    Moves,
    Copies,
    Writes,
    /// It tells names, and not what the files hold.
    Looks,
    Unknown,
}

const SHELL: &[&str] = &[
    "command",
    "commands",
    "cmd",
    "cmds",
    "commandline",
    "cmdline",
    "commandstring",
    "commandtorun",
    "shellcommand",
    "shellcommands",
    "bashcommand",
    "bash",
    "shell",
    "sh",
    "cli",
    "clicommand",
    "commandtext",
    "cmdstring",
    "cmdstr",
    "cmdtext",
    "precommand",
    "postcommand",
];
const SCRIPTS: &[&str] = &[
    "script",
    "scripts",
    "shellscript",
    "bashscript",
    "exec",
    "execute",
    "argv",
    "program",
    "binary",
    "executable",
    "run",
];
const CODE: &[&str] = &[
    "code",
    "sourcecode",
    "snippet",
    "codesnippet",
    "codeblock",
    "cellsource",
    "cellcode",
    "pythoncode",
    "pythonscript",
    "nodecode",
    "matlabcode",
    "gdscript",
];
/// Names of code that a browser runs.
const BROWSED: &[&str] = &["function", "pagefunction", "expression", "js", "javascript", "jscode"];
const SQL: &[&str] = &[
    "sql",
    "sqlquery",
    "sqltext",
    "sqlstatement",
    "sqlstring",
    "query",
    "queries",
    "querystring",
    "querytext",
    "querystr",
    "statement",
    "statements",
    "q",
    "stmt",
    "stmts",
    "batch",
    "ddl",
    "dml",
    "cql",
    "migration",
];
const URLS: &[&str] = &["url", "urls", "uri", "href", "endpoint", "link", "address"];
const FILES: &[&str] = &[
    "path",
    "paths",
    "filepath",
    "filepaths",
    "file",
    "files",
    "filename",
    "filenames",
    "absolutepath",
    "relativepath",
    "fullpath",
    "localpath",
    "notebookpath",
    "pathinproject",
    "projectrelativepath",
    "dirpath",
    "directory",
    "directorypath",
    "folder",
    "folderpath",
];
const SOURCES: &[&str] =
    &["from", "source", "sourcepath", "sourcefile", "src", "srcpath", "oldpath", "frompath", "inputpath", "inputfile"];
const TARGETS: &[&str] = &[
    "destination",
    "destinationpath",
    "dest",
    "destpath",
    "dst",
    "newpath",
    "topath",
    "target",
    "targetpath",
    "targetfile",
    "outputpath",
    "outputfile",
    "savepath",
    "saveto",
    "to",
    "out",
    "output",
    "outfile",
    "location",
];
const CONTENT: &[&str] = &["content", "contents", "filetext", "filecontent", "text", "data", "body", "newsource"];
const PROMPTS: &[&str] = &["prompt", "task", "instruction", "instructions", "message"];
const TYPED: &[&str] = &["input", "text", "chars", "characters", "keys", "data", "stdin", "line"];

/// Arguments that make a write an edit.
pub(super) const EDITS: &[&str] = &[
    "edits",
    "oldstring",
    "oldstr",
    "oldtext",
    "newstring",
    "newstr",
    "newtext",
    "patch",
    "diff",
    "replacement",
    "insertline",
    "inserttext",
];

/// Arguments that stand beside a command and belong to it.
pub(super) const ARGUMENTS: &[&str] = &["args", "arguments", "argv", "params", "parameters"];

/// Arguments beside a command that hold another one, which runs before or after it.
pub(super) const BESIDE: &[&str] = &[
    "then",
    "pre",
    "post",
    "before",
    "after",
    "setup",
    "teardown",
    "cleanup",
    "next",
    "fallback",
    "onsuccess",
    "onfailure",
    "onexit",
    "prehook",
    "posthook",
    "prescript",
    "postscript",
];

/// Arguments that hold the variables of a command's environment.
pub(super) const ENVIRONMENTS: &[&str] = &["env", "environment", "envvars", "environmentvariables"];

/// Arguments that name the folder in which a command runs.
pub(super) const FOLDERS: &[&str] = &["cwd", "workdir", "workingdir", "workingdirectory"];

/// Arguments that name the language of code.
const LANGUAGES: &[&str] =
    &["language", "lang", "languageid", "languagename", "codelanguage", "runtime", "interpreter", "kernel", "syntax"];

/// The language that the arguments name.
pub(super) fn language(object: &Map<String, Value>) -> Option<&str> {
    let named = object.iter().filter(|(key, _)| LANGUAGES.contains(&normalize(key).as_str()));
    named.filter_map(|(_, value)| value.as_str()).next()
}

/// Words in the name of a tool for a database.
const DATABASES: &[&str] = &[
    "clickhouse",
    "cockroachdb",
    "database",
    "databases",
    "db",
    "duckdb",
    "mariadb",
    "mssql",
    "mysql",
    "neon",
    "oracle",
    "pg",
    "postgres",
    "postgresql",
    "snowflake",
    "sql",
    "sqlite",
    "sqlserver",
    "supabase",
];

/// Words in the name of a tool that has a program running to which it gives input.
const RUNNING: &[&str] = &[
    "stdin", "terminal", "tty", "pty", "tmux", "screen", "shell", "console", "keys", "repl", "process", "ssh",
    "command",
];

/// Words in the name of a tool for cells of a notebook.
const CELLS: &[&str] = &["cell", "cells", "jupyter", "notebook"];

/// Words in the name of a tool that scripts the programs of a Mac.
const APPLE_SCRIPT: &[&str] = &["applescript", "osascript", "jxa"];

/// Words in the name of a tool that drives a browser.
const BROWSERS: &[&str] = &["browser", "playwright", "puppeteer", "chrome", "chromium", "devtools", "cdp", "page"];

/// Words in the name of a tool that starts an agent, or has one go on later.
const AGENTS: &[&str] = &["agent", "agents", "subagent", "cron", "schedule", "scheduled", "wakeup", "spawn", "job"];

/// Arguments that name what such a program's verb is about, in the order of its words.
pub(super) const OBJECTS: &[&str] = &["subcommand", "resourcetype", "resource", "resourcename", "name"];

/// The command-line client that a tool with these words in its name passes its arguments to.
pub(super) fn find_client(tool: &[String]) -> Option<&'static str> {
    tool.iter().any(|word| word == "redis" || word == "valkey").then_some("redis-cli")
}

/// Arguments whose text may be an object in JSON.
pub(super) fn may_be_json(name: &str) -> bool {
    name.ends_with("json")
        || matches!(name, "input" | "payload" | "arguments" | "args" | "params" | "request" | "action")
}

/// Returns whether code without a language is Python's.
pub(super) fn is_python(code: &str) -> bool {
    code.lines().take(20).any(|line| {
        let mut words = line.split_whitespace();
        match (words.next(), words.next(), words.next()) {
            (Some("from"), Some(_), Some("import")) => true,
            (Some("import"), Some(name), _) => !name.starts_with(['{', '"', '\'', '*']) && !line.contains(" from "),
            _ => false,
        }
    })
}

/// Returns whether the name of an argument is itself a path.
pub(super) fn is_path(key: &str) -> bool {
    key.starts_with('.') || key.starts_with("file://") || key.contains('/') && !key.contains("://")
}

/// Returns the kind of an argument with this [normalized](normalize) name, of a tool with these words in its name.
pub(super) fn argument_kind(name: &str, tool: &[String]) -> Option<(Kind, Certainty)> {
    let is_of = |words: &[&str]| tool.iter().any(|word| words.contains(&word.as_str()));
    let any = |list: &[&str]| list.contains(&name);
    let rows = [
        (any(SHELL), Kind::Shell, Certainty::Guessed),
        // What stands in a cell runs, and a tool for AppleScript gets no shell's script.
        (name == "source" && is_of(CELLS), Kind::Code, Certainty::Guessed),
        (matches!(name, "script" | "source") && is_of(APPLE_SCRIPT), Kind::Code, Certainty::Guessed),
        (any(SCRIPTS), Kind::Shell, Certainty::Perhaps),
        (any(TYPED) && is_of(RUNNING), Kind::Typed, Certainty::Perhaps),
        (any(PROMPTS) && is_of(AGENTS), Kind::Prompt, Certainty::Prose),
        (any(CODE) || any(BROWSED) && is_of(BROWSERS), Kind::Code, Certainty::Guessed),
        (any(SQL) || name == "text" && is_of(DATABASES), Kind::Sql, Certainty::Guessed),
        (any(URLS), Kind::Url, Certainty::Guessed),
        (any(FILES), Kind::File, Certainty::Guessed),
        (any(SOURCES), Kind::Source, Certainty::Guessed),
        (any(TARGETS), Kind::Target, Certainty::Guessed),
        (any(CONTENT) || any(EDITS), Kind::Content, Certainty::Guessed),
    ];
    let found = rows.into_iter().find_map(|(holds, kind, certainty)| holds.then_some((kind, certainty)));
    // `scriptContent` is a script, and `sql_statements` are SQL.
    found.or_else(|| {
        let (kind, certainty) = argument_kind(shapes::stem(name)?, tool)?;
        matches!(kind, Kind::Shell | Kind::Code | Kind::Sql).then_some((kind, certainty))
    })
}

/// Returns the effect on files of a tool with these words in its name.
pub(super) fn doing(tool: &[String]) -> Doing {
    const DELETES: &[&str] =
        &["delete", "remove", "unlink", "rm", "rmdir", "trash", "erase", "purge", "destroy", "wipe"];
    const FOLDERS: &[&str] =
        &["dir", "directory", "directories", "folder", "folders", "tree", "recursive", "recursively", "rmdir"];
    const WRITES: &[&str] = &[
        "write",
        "edit",
        "create",
        "append",
        "update",
        "save",
        "insert",
        "replace",
        "patch",
        "modify",
        "put",
        "set",
        "overwrite",
        "touch",
        "mkdir",
        "make",
        "download",
        "export",
        "truncate",
        "change",
    ];
    const LOOKS: &[&str] = &["list", "ls", "stat", "info", "tree", "exists", "watch", "metadata"];
    let is_of = |words: &[&str]| tool.iter().any(|word| words.contains(&word.as_str()));
    let rows = [
        (is_of(DELETES), Doing::Deletes { recursive: is_of(FOLDERS) }),
        (is_of(&["move", "rename", "mv"]), Doing::Moves),
        (is_of(&["copy", "cp", "duplicate"]), Doing::Copies),
        (is_of(WRITES), Doing::Writes),
        (is_of(LOOKS), Doing::Looks),
    ];
    rows.into_iter().find_map(|(holds, doing)| holds.then_some(doing)).unwrap_or(Doing::Unknown)
}

/// The program and the option that run code of this language, or that of a tool with this word in its name; an empty
/// text for a shell's. Notebooks, also those of an editor, mostly run Python.
pub(super) fn language_program(language: &str) -> Option<&'static str> {
    Some(match language.to_ascii_lowercase().as_str() {
        "bash" | "sh" | "shell" | "shellscript" | "zsh" | "terminal" | "console" => "",
        "python" | "python3" | "py" | "ipython" | "jupyter" | "notebook" | "ide" => "python3 -c",
        "javascript" | "js" | "node" | "nodejs" | "typescript" | "ts" => "node -e",
        browser if BROWSERS.contains(&browser) => "node -e",
        "ruby" | "rb" => "ruby -e",
        "perl" => "perl -e",
        "php" => "php -r",
        "powershell" | "pwsh" | "ps1" => "pwsh -c",
        "r" => "Rscript -e",
        "lua" => "lua -e",
        "applescript" | "osascript" => "osascript -e",
        "jxa" => "osascript -l JavaScript -e",
        "matlab" | "octave" => "octave -e",
        "julia" => "julia -e",
        "groovy" => "groovy -e",
        "elixir" => "elixir -e",
        "scala" => "scala -e",
        _ => return None,
    })
}

/// Words in the name of a tool of a graph database.
const GRAPHS: &[&str] = &["neo4j", "memgraph", "cypher"];

/// Returns whether a tool with these words in its name gets statements in Cypher.
pub(super) fn is_graph(tool: &[String]) -> bool {
    tool.iter().any(|word| GRAPHS.contains(&word.as_str()))
}

/// Returns whether a text is a diff that names its files.
pub(super) fn is_diff(text: &str) -> bool {
    ["--- ", "diff --git ", "Index: "].iter().any(|start| text.trim_start().starts_with(start))
}

/// Returns whether a text begins like SQL.
pub(super) fn is_sql(text: &str) -> bool {
    const ALONE: &[&str] =
        &["select", "drop", "truncate", "alter", "create", "grant", "revoke", "begin", "exec", "call"];
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '(' | ';'));
    while let Some(after) = rest
        .strip_prefix("--")
        .map(|comment| comment.split_once('\n').map_or("", |(_, after)| after))
        .or_else(|| rest.strip_prefix("/*").map(|comment| comment.split_once("*/").map_or("", |(_, after)| after)))
    {
        rest = after.trim_start();
    }
    let text = rest.to_ascii_lowercase();
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return false };
    let mut has = |word: &str| words.any(|other| other == word);
    match first {
        "delete" => has("from"),
        "update" => has("set"),
        "insert" | "replace" | "merge" => has("into"),
        "with" => has("as"),
        first => ALONE.contains(&first),
    }
}

/// A name without what spellings differ in.
pub(super) fn normalize(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// A name in words: those of `runCommand` are those of `run_command`.
pub(super) fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars() {
        let begins = c.is_ascii_uppercase() && was_lower;
        if begins || !c.is_ascii_alphanumeric() {
            words.push(String::new());
        }
        if let Some(last) = words.last_mut().filter(|_| c.is_ascii_alphanumeric()) {
            last.push(c.to_ascii_lowercase());
        }
        was_lower = c.is_ascii_lowercase() || c.is_ascii_digit();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A longer text is not read as an object.
const JSON_BYTES: usize = 64 << 10;

/// The arguments, with those that are objects in JSON as objects.
pub(super) fn parse_json_arguments(input: &Map<String, Value>) -> Map<String, Value> {
    let object = |key: &str, value: &Value| {
        let text = value.as_str()?.trim_start();
        let may_be = text.len() <= JSON_BYTES && text.starts_with(['{', '[']) && may_be_json(&normalize(key));
        serde_json::from_str(text).ok().filter(|_| may_be)
    };
    input.iter().map(|(key, value)| (key.clone(), object(key, value).unwrap_or_else(|| value.clone()))).collect()
}

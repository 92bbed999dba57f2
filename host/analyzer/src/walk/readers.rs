//! Tables of programs that run a file as code: from an option, as an operand, or by its extension. Each program has one
//! entry.

use guard_sdk::serde_json::{self, Value};

use super::content::Content;
use crate::word::expand::literal;
use crate::wrappers::code::languages::ANY;
use crate::wrappers::{self, code};

/// Programs that read their own commands from a file: after an option, or as an operand for the empty option.
pub(super) const READERS: &[(&[&str], &[&str])] = &[
    (&["vim", "vi", "nvim", "ex", "gvim", "view"], &["-S", "-s", "-u"]),
    (&["psql", "cqlsh", "duckdb", "usql", "snowsql"], &["-f", "--file"]),
    (&["mysqlsh", "cockroach", "trino", "beeline", "hive", "impala-shell", "spark-sql"], &["-f", "--file"]),
    (&["clickhouse-client", "clickhouse", "clickhouse-local"], &["--queries-file"]),
    (&["sqlite3"], &["-init"]),
    (&["sqlcmd"], &["-i"]),
    (&["mongosh", "mongo"], &["-f", "--file", ""]),
    (&["gdb", "lldb"], &["-x", "--command", "-s", "--source"]),
    (&["sed", "gsed"], &["-f", "--file"]),
    (&["at", "batch"], &["-f"]),
    (&["tclsh", "wish", "expect"], &["-f", ""]),
    (&["emacs"], &["-l", "--load", "--script"]),
    (&["dc"], &["-f", "--file", ""]),
    (&["gnuplot", "m4", "gm4"], &[""]),
    (&["tex", "latex", "pdftex", "pdflatex", "xetex", "xelatex", "luatex", "lualatex"], &[""]),
    (&["sftp"], &["-b"]),
    (&["lftp"], &["-f"]),
];

/// Programs, and Python modules after `-m`, that run a code file among their operands.
pub(super) const LAUNCHERS: &[&str] = &[
    "R",
    "accelerate",
    "cProfile",
    "cargo",
    "coverage",
    "crystal",
    "dart",
    "debugpy",
    "dmd",
    "dotnet",
    "electron",
    "forever",
    "gem",
    "go",
    "ipython",
    "jbang",
    "jupyter",
    "kernprof",
    "kotlin",
    "kotlinc",
    "memory_profiler",
    "nim",
    "nodemon",
    "nvim",
    "octave",
    "octave-cli",
    "papermill",
    "pdb",
    "pm2",
    "powershell",
    "powershell.exe",
    "profile",
    "pudb",
    "pwsh",
    "pwsh.exe",
    "rdmd",
    "scala-cli",
    "scalene",
    "streamlit",
    "tcc",
    "torchrun",
    "trace",
    "ts-node",
    "tsx",
    "v",
    "vala",
    "vite-node",
    "viztracer",
    "zig",
];

/// Verbs with which a launcher runs a whole project's code, and the project's entry files.
pub(super) const ENTRIES: &[(&str, &[&str])] = &[
    ("cargo", &["src/main.rs"]),
    ("dart", &["bin/main.dart"]),
    ("dotnet", &["Program.cs"]),
    ("go", &["main.go"]),
    ("zig", &["src/main.zig"]),
];

/// The entry file in a folder that replaces a code file, by interpreter.
pub(super) const MAIN: &[(&str, &str)] = &[
    ("python", "__main__.py"),
    ("pypy", "__main__.py"),
    ("node", "index.js"),
    ("node", "index.mjs"),
    ("bun", "index.ts"),
    ("bun", "index.js"),
];

/// vim commands that run a file of commands.
const EX: &[&str] = &["source ", "so ", ":source ", ":so ", "+source ", "+so "];

/// Prefixes of lines that include a file, by client.
pub(super) const INCLUDES: &[(&str, &[&str])] = &[
    ("psql", &["\\i ", "\\ir ", "\\include ", "\\include_relative "]),
    ("mysql", &["source ", "\\. "]),
    ("mariadb", &["source ", "\\. "]),
    ("sqlite3", &[".read "]),
    ("sqlplus", &["@"]),
    ("vim", EX),
    ("nvim", EX),
    ("vi", EX),
    ("ex", EX),
];

/// Returns the words with which a program reads code from its input.
pub(super) fn reader(program: &str) -> Vec<String> {
    match program {
        // It takes source files, and no code as an argument.
        "java" => vec![ANY.to_owned(), "-".to_owned()],
        "deno" => ["deno", "run", "-"].map(str::to_owned).to_vec(),
        program if is_foreign(program) => vec![program.to_owned()],
        program => vec![program.to_owned(), "-".to_owned()],
    }
}

/// Returns whether this program is a shell in another language, whose text is translated.
pub(super) fn is_foreign(program: &str) -> bool {
    crate::powershell::of_shell(program).is_some()
}

/// Returns the words with which a program reads a file's content, and the resulting text.
pub(super) fn reading(program: &str, path: &str, content: Content) -> (Vec<String>, Content) {
    if path.ends_with(".ipynb") {
        let text = literal(&cells(&content.text.text));
        return (reader("ipython"), Content { text, is_excerpt: true, ..content });
    }
    match program {
        "nu" => {
            let text = literal(&wrappers::respelled(program, &content.text.text).unwrap_or_default());
            (Vec::new(), Content { text, ..content })
        }
        "sed" | "gsed" => (vec!["sed".to_owned(), "-e".to_owned(), content.text.text.clone()], content),
        "at" | "batch" => (Vec::new(), content),
        name if code::editors::is_vim(name) => {
            let lines =
                content.text.text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('"'));
            let lines: Vec<&str> = lines.take(LINES).collect();
            let words = lines.into_iter().flat_map(|line| ["-c", line]).map(str::to_owned);
            (std::iter::once("vim".to_owned()).chain(words).collect(), content)
        }
        name => (reader(name), content),
    }
}

/// The maximum number of followed lines in a vim script.
const LINES: usize = 128;

/// Returns the code in a notebook's cells.
fn cells(text: &str) -> String {
    let notebook: Value = serde_json::from_str(text).unwrap_or_default();
    let cells = notebook.get("cells").and_then(Value::as_array).into_iter().flatten();
    let code = cells.filter(|cell| cell.get("cell_type").and_then(Value::as_str) == Some("code"));
    let mut out = String::new();
    for source in code.filter_map(|cell| cell.get("source")) {
        match source {
            Value::String(text) => out.push_str(text),
            Value::Array(lines) => lines.iter().filter_map(Value::as_str).for_each(|line| out.push_str(line)),
            _ => {}
        }
        out.push('\n');
    }
    out
}

/// Returns the program that reads code in a file with this extension.
pub(super) fn by_ending(path: &str) -> Option<&'static str> {
    match path.rsplit_once('.')?.1 {
        "py" => Some("python3"),
        "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" => Some("node"),
        "rb" | "gemspec" => Some("ruby"),
        "go" => Some("gorun"),
        "rs" => Some("rust-script"),
        "pl" => Some("perl"),
        "c" | "cc" | "cpp" | "cxx" => Some("crun"),
        "php" => Some("php"),
        "lua" => Some("lua"),
        "r" | "R" => Some("rscript"),
        "jl" => Some("julia"),
        "ex" | "exs" => Some("elixir"),
        "nim" | "nims" => Some("nim"),
        "cr" => Some("crystal"),
        "kt" | "kts" => Some("kotlin"),
        "clj" | "bb" => Some("bb"),
        "hs" => Some("ghc"),
        "ml" => Some("ocaml"),
        "m" => Some("octave"),
        "scm" => Some("guile"),
        "rkt" => Some("racket"),
        "tcl" => Some("tclsh"),
        "swift" => Some("swift"),
        "scala" | "sc" => Some("scala"),
        "groovy" => Some("groovy"),
        "adb" | "cs" | "csx" | "d" | "dart" | "dpr" | "f" | "f90" | "f95" | "fs" | "fsx" | "hx" | "java" | "odin"
        | "pas" | "v" | "vala" | "vb" | "zig" => Some(ANY),
        "ipynb" => Some("ipython"),
        "ps1" => Some("pwsh"),
        "bat" | "cmd" => Some("cmd"),
        "nu" => Some("nu"),
        _ => None,
    }
}

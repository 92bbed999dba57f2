//! `attack-tool`: a program made for attacks: it collects or cracks passwords, scans or attacks other machines,
//! searches for ways to gain permissions, or mines cryptocurrency.
//!
//! ## Why
//! Few projects build or test such programs. ATT&CK T1588.002, T1046, T1110, T1496.
//!
//! ## Examples
//! - asked: `./linpeas.sh`
//! - asked: `python3 lazagne.py all`
//! - asked: `curl -LO https://example.com/releases/linpeas.sh`
//! - asked: `swift tools/KeyLogger.swift`
//! - asked: `docker run registry.example.org/tools/xmrig:latest`
//! - asked: `/tmp/x/process_injection`
//! - passes: `man nmap`
//! - passes: `msfvenom --list formats`
//! - passes: `grep -rn hydra src`
//! - passes: `nmap -p 22 localhost`
//! - passes: `go run ./cmd/server`
//!
//! ## Instead
//! Ask the user to run it. For a security project, turn the rule off with `silence = ["attack-tool"]`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHELLS, WEB, has_any, is_any, tools};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "attack-tool",
    summary: "runs a program made for attacks",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs whose first operand is the program.
const RUNNERS: &[&str] = &[
    ".",
    "bun",
    "deno",
    "julia",
    "lua",
    "mono",
    "node",
    "osascript",
    "perl",
    "php",
    "python",
    "python2",
    "python3",
    "ruby",
    "rscript",
    "source",
    "swift",
    "ts-node",
    "tsx",
    "wine",
];

/// Programs that build a program from sources, or run one. A subcommand or an option may precede it.
const BUILDERS: &[&str] = &["c++", "cargo", "cc", "clang", "clang++", "dotnet", "g++", "gcc", "go", "java", "rustc"];

/// Programs that start a container from an image.
const ENGINES: &[&str] = &["docker", "podman", "nerdctl", "kubectl", "oc", "crictl", "buildah"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    if let Some(address) = fetched_address(view) {
        let message = format!("Fetches `{}`, whose purpose is an attack", shorten(&address));
        return Some(Hit::new(message, "ask the user to fetch it"));
    }
    view.analysis.commands.iter().find_map(|command| {
        let (tool, does) = tool(command)?;
        Some(Hit::new(
            format!("Runs `{}`, which {does}", shorten(&tool)),
            "ask the user to run it; a project about security can set `silence = [\"attack-tool\"]`",
        ))
    })
}

fn tool(command: &Command) -> Option<(String, &'static str)> {
    let program = name(command);
    // A tool that lists its features has no target.
    let lists = |word: &str| word == "--list" || ["--list-", "--list="].iter().any(|start| word.starts_with(start));
    let is_list = command.argv.len() <= 3
        && texts(command).any(lists)
        && !texts(command).any(|word| word.contains(['.', '/', ':', '@']));
    if has_option(command, "", &["version", "help"]) && command.argv.len() == 2 || is_list {
        return None;
    }
    if let Some(kind) = tools::kind(command.word(0)).or_else(|| tools::kind_of_unseen(command.word(0))) {
        return Some((command.word(0).to_owned(), kind.does));
    }
    let is_runner = is_any(&program, SHELLS) || is_any(&program, RUNNERS) || program.starts_with("python");
    let named = |text: &str| tools::kind(text).map(|kind| (text.to_owned(), kind.does));
    if is_runner && !texts(command).any(|text| text == "-c") {
        let module = texts(command).skip_while(|text| *text != "-m").nth(1).and_then(named);
        let unseen = |text: &str| tools::kind_of_unseen(text).map(|kind| (text.to_owned(), kind.does));
        let script = texts(command).find(|text| !text.starts_with('-'));
        return module.or_else(|| script.and_then(|script| named(script).or_else(|| unseen(script))));
    }
    if is_any(&program, BUILDERS) {
        // `go run ./cmd/keylogger/main.go`
        let operands = texts(command).filter(|text| !text.starts_with('-') && !text.contains("://")).take(OPERANDS);
        return operands.flat_map(|text| text.rsplit('/').take(2)).find_map(named);
    }
    if is_any(&program, ENGINES) && texts(command).any(|text| matches!(text, "run" | "create" | "exec")) {
        // `--image=registry/tools/xmrig:latest`
        let parts = texts(command).filter(|text| !text.contains("=/")).flat_map(|text| text.split(['/', '=', '@']));
        let mut names = parts.filter_map(|part| part.split(':').next()).filter(|name| name.len() > 4);
        return names.find_map(named);
    }
    texts(command)
        .find(|text| text.starts_with("stratum+") || text.starts_with("stratum://"))
        .map(|text| (text.to_owned(), "is a pool of miners of a cryptocurrency"))
}

/// The maximum number of a builder's operands, and of a text's addresses, that are examined.
const OPERANDS: usize = 8;

/// Returns the address of such a program in a request, in code that downloads, or in code that the call writes.
fn fetched_address(view: &View<'_>) -> Option<String> {
    let by_command = view.commands().find_map(|command| {
        let speaks = is_any(&name(command), WEB)
            || command
                .redirections
                .iter()
                .any(|one| one.operator.starts_with('>') && CODE.iter().any(|end| one.target.text.ends_with(end)));
        texts(command).filter(|_| speaks).find_map(address)
    });
    by_command.or_else(|| {
        let asks = |text: &str| super::code::sends(text) || has_any(text, ASKS);
        view.scripts().filter(|script| asks(&script.text)).find_map(|script| address(&script.text))
    })
}

const CODE: &[&str] = &[".py", ".sh", ".pl", ".rb", ".js", ".ps1"];

/// Calls in code that download something.
const ASKS: &[&str] = &[
    "requests",
    "urlopen(",
    "urlretrieve(",
    "httpx",
    "fetch(",
    ".get(",
    "URI.open",
    "getstore(",
    "LWP",
    "file_get_contents(",
];

/// Returns the first address in a text whose last part is such a program.
fn address(text: &str) -> Option<String> {
    text.match_indices("://").take(OPERANDS).find_map(|(at, _)| {
        let rest = text.get(at..)?;
        let end = rest.find(|char: char| char.is_whitespace() || "\"'`)>;\\".contains(char)).unwrap_or(rest.len());
        let rest = rest.get(..end)?.trim_start_matches("://");
        let path = rest.split(['?', '#']).next()?.split_once('/')?.1;
        tools::kind(path).is_some().then(|| rest.to_owned())
    })
}

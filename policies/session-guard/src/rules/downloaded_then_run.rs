//! `downloaded-then-run`: a call that runs a file that this session downloaded, and whose text nobody has judged. A
//! script that guard-host can read is judged line by line instead, as if it were typed. In the examples, `tool`, `x.jar`
//! and `setup.sh` were downloaded.
//!
//! ## Why
//! A program from the network does what its author wants, with all that the user may do.
//!
//! ## Examples
//! - asked: `./tool --version`
//! - asked: `java -jar x.jar`
//! - passes: `bash setup.sh`
//! - passes: `./gradlew test`
//!
//! ## Instead
//! Install it with a package manager, or compare its checksum and have a person run it.
//!
//! ## Settings
//! - `hosts`: the hosts whose files may run.

use guard_sdk::syntax::{Command, Word};
use guard_sdk::{Call, Outcome, Rule};

use super::{Hit, shorten};
use crate::Settings;
use crate::past::{Past, tag, told};

pub(crate) const RULE: Rule = Rule {
    id: "downloaded-then-run",
    summary: "a downloaded file runs, and nobody has judged what is in it",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs that run, load or install a file that they are given.
const RUNNERS: &[&str] = &[
    ".",
    "apk",
    "apt",
    "apt-get",
    "bash",
    "bun",
    "chroot",
    "dash",
    "deno",
    "dnf",
    "docker",
    "dotnet",
    "dpkg",
    "flatpak",
    "gdb",
    "gem",
    "go",
    "groovy",
    "insmod",
    "installer",
    "java",
    "julia",
    "ksh",
    "ld.so",
    "lua",
    "luajit",
    "make",
    "mono",
    "msiexec",
    "node",
    "npm",
    "npx",
    "open",
    "osascript",
    "perl",
    "php",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "podman",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "qemu-x86_64",
    "rpm",
    "rscript",
    "ruby",
    "sh",
    "snap",
    "source",
    "tclsh",
    "uv",
    "wasmer",
    "wasmtime",
    "wine",
    "xdg-open",
    "yarn",
    "yum",
    "zsh",
    "zypper",
];

/// Words that are looked at, at most.
const WORDS: usize = 64;

pub(crate) fn check(call: &Call<'_>, past: &Past<'_>, settings: &Settings) -> Option<Hit> {
    let analysis = call.analysis();
    let runs = analysis.commands.iter().flat_map(run_files);
    let files: Vec<(&Command, &Word)> = runs.take(WORDS * 4).collect();
    if files.is_empty() {
        return None;
    }
    let downloads = past.events("download");
    if downloads.is_empty() {
        return None;
    }
    files.into_iter().find_map(|(command, word)| {
        let path = resolved(call, command, word);
        let event = Past::download(&downloads, &path)?;
        let from = tag(event, "from").unwrap_or_default();
        let judged = analysis.commands.iter().any(|other| other.script().is_some_and(|script| script.path == path))
            || analysis.scripts.iter().any(|script| script.command_id == command.id);
        if judged || settings.trusts(from) {
            return None;
        }
        let (file, how) = (shorten(&word.text), told(event));
        let from = if from.is_empty() { String::new() } else { format!(" from `{}`", shorten(from)) };
        Some(Hit {
            message: format!("`{file}` runs, which this session downloaded{from} ({how}), and nobody has judged it"),
            remedy: "compare its checksum and have a person run it, or install it with a package manager".to_owned(),
        })
    })
}

/// The words of a command that name a file that runs.
fn run_files(command: &Command) -> impl Iterator<Item = (&Command, &Word)> {
    let is_path = command.word(0).contains('/');
    let name = command.program().to_ascii_lowercase();
    let is_runner = RUNNERS.contains(&name.trim_end_matches(".exe")) || name.starts_with("python3.");
    let words = command.argv.iter().take(WORDS).enumerate();
    words.filter_map(move |(at, word)| {
        let runs = if at == 0 { is_path } else { is_runner && !word.text.starts_with('-') };
        (runs && !word.text.is_empty()).then_some((command, word))
    })
}

/// Where a word of the command leads.
fn resolved(call: &Call<'_>, command: &Command, word: &Word) -> String {
    let text = &word.text;
    let path = match text.starts_with(['/', '~']) || command.cwd.is_empty() {
        true => text.clone(),
        false => format!("{}/{text}", command.cwd),
    };
    call.resolve(&path).canonical
}

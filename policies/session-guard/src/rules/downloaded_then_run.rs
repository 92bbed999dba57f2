//! `downloaded-then-run`: a call that runs a file that this session downloaded and that guard-host couldn't analyze.
//! A script that guard-host can read is judged line by line instead, as if it were typed.
//! In the examples, `tool`, `x.jar` and `setup.sh` were downloaded.
//!
//! ## Why
//! A downloaded program has all permissions of the user.
//!
//! ## Examples
//! - asked: `./tool --version`
//! - asked: `java -jar x.jar`
//! - passes: `bash setup.sh`
//! - passes: `./gradlew test`
//!
//! ## Instead
//! Install the program with a package manager, or ask the user to verify its checksum and run it.
//!
//! ## Settings
//! - `hosts`: trusted hosts. Data may be sent to them, and files from them may run.

use guard_sdk::paths::below;
use guard_sdk::syntax::{Command, Coverage, Index, Script};
use guard_sdk::text::shorten;
use guard_sdk::{Call, Event, Outcome, Presence, ResolvedPath, Rule};

use super::Hit;
use crate::Settings;
use crate::past::{SessionHistory, format_event, tag};

pub(crate) const RULE: Rule = Rule {
    id: "downloaded-then-run",
    summary: "runs a downloaded file that guard-host can't analyze",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Interpreters: the first operand is the program, and the others are data.
const INTERPRETERS: &[&str] = &[
    ".",
    "bash",
    "bun",
    "dash",
    "deno",
    "fish",
    "groovy",
    "ipython",
    "julia",
    "ksh",
    "lua",
    "luajit",
    "node",
    "osascript",
    "perl",
    "php",
    "powershell",
    "pwsh",
    "py",
    "pypy3",
    "python",
    "python2",
    "python3",
    "rscript",
    "ruby",
    "sh",
    "source",
    "tclsh",
    "ts-node",
    "tsx",
    "zsh",
];

/// Options of interpreters followed by code or a module, so that no file runs.
const INLINE: &[&str] = &["-c", "-e", "-m", "-r", "-E", "--eval", "eval", "--module", "-Command"];

/// Options of interpreters whose value is a file that is loaded first.
const PRELOADING: &[&str] = &["--import", "--loader", "--preload", "--require", "-r"];

/// Programs that run, load or install the files that they get.
const LOADERS: &[&str] = &[
    "apk",
    "apt",
    "apt-get",
    "cargo",
    "chroot",
    "dnf",
    "docker",
    "dotnet",
    "dpkg",
    "flatpak",
    "gdb",
    "gem",
    "go",
    "insmod",
    "installer",
    "java",
    "javaw",
    "ld-linux-x86-64.so.2",
    "ld.so",
    "luarocks",
    "make",
    "mono",
    "msiexec",
    "npm",
    "npx",
    "open",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "podman",
    "qemu-x86_64",
    "rpm",
    "rundll32",
    "snap",
    "uv",
    "valgrind",
    "wasmer",
    "wasmtime",
    "wine",
    "xdg-open",
    "yarn",
    "yum",
    "zypper",
];

/// Files that are displayed when they are opened.
const DOCUMENTS: &[&str] = &[
    "csv", "gif", "htm", "html", "jpeg", "jpg", "json", "log", "md", "mp3", "mp4", "pdf", "png", "svg", "txt", "webp",
    "xml",
];

/// Variables that name a file to load.
const LOADING: &[&str] = &[
    "BASH_ENV",
    "DYLD_INSERT_LIBRARIES",
    "ENV",
    "LD_AUDIT",
    "LD_PRELOAD",
    "NODE_OPTIONS",
    "PERL5OPT",
    "PYTHONSTARTUP",
    "RUBYOPT",
];

/// Languages whose code the analysis reads.
const PARSED: &[&str] = &["javascript", "python", "sql", "typescript"];

/// The maximum number of words that are examined.
const WORDS: usize = 64;

pub(crate) fn check(call: &Call<'_>, past: &SessionHistory<'_>, settings: &Settings) -> Option<Hit> {
    let analysis = call.analysis();
    let runs =
        analysis.commands.iter().flat_map(|command| run_files(command).into_iter().map(move |file| (command, file)));
    let files = runs.take(WORDS * 4).map(|(command, file)| (command, file, resolve_word(call, command, file)));
    let files: Vec<_> = files.filter(|(.., found)| is_file(found)).collect();
    let names: Vec<&Command> = analysis.commands.iter().filter(|command| is_bare(command, &past.index)).collect();
    if files.is_empty() && names.is_empty() {
        return None;
    }
    let downloads = past.events("download");
    let by_name = || {
        names.into_iter().find_map(|command| {
            let event = downloads.iter().rev().find(|event| is_named(event, command))?;
            (!settings.trusts(tag(event, "from").unwrap_or_default())).then(|| hit(command.word(0), event))
        })
    };
    files
        .into_iter()
        .find_map(|(command, file, found)| {
            let event = SessionHistory::download(&downloads, &found.canonical)
                .filter(|event| belongs_to(call, &found, event))?;
            let from = tag(event, "from").unwrap_or_default();
            let is_it = |path: &str| [&found.canonical, &found.lexical].iter().any(|own| *own == path);
            let is_read = |script: &&Script| {
                PARSED.contains(&script.language.as_str()) && !script.text.contains(['\0', '\u{fffd}'])
            };
            let of = |id: u32| analysis.scripts.iter().filter(move |script| script.command_id == id);
            let is_code = |id: u32| of(id).next().is_some() && of(id).all(|script| is_read(&script));
            let lines = |other: &Command| other.script().is_some_and(|script| is_it(script.path));
            let shell = |other: &Command| lines(other) && (of(other.id).next().is_none() || is_code(other.id));
            // Parts of a text that aren't understood aren't judged.
            let judged =
                analysis.coverage == Coverage::Complete && (analysis.commands.iter().any(shell) || is_code(command.id));
            if judged || settings.trusts(from) {
                return None;
            }
            Some(hit(file, event))
        })
        .or_else(by_name)
}

fn hit(file: &str, event: &Event) -> Hit {
    let (file, how, from) = (shorten(file), format_event(event), tag(event, "from").unwrap_or_default());
    let from = if from.is_empty() { String::new() } else { format!(" from `{}`", shorten(from)) };
    Hit {
        message: format!("runs `{file}`, which this session downloaded{from} ({how}) and guard-host can't analyze"),
        remedy: "ask the user to verify its checksum and run it, or install it with a package manager".to_owned(),
        repeated: Vec::new(),
    }
}

/// Returns whether a program without a table is called by its name, or by a pattern.
fn is_bare(command: &Command, index: &Index<'_>) -> bool {
    let is_unknown = || index.effects(command).iter().any(|effect| effect.operation == "execute.unknown");
    let first = command.argv.first();
    first.is_some_and(|word| !word.text.is_empty() && (word.glob || !word.text.contains('/') && is_unknown()))
        && command.script().is_none()
}

/// Returns whether the name of a command's program is a download.
fn is_named(event: &Event, command: &Command) -> bool {
    let name = event.target.rsplit('/').next().unwrap_or_default();
    let word = command.program();
    match command.argv.first().is_some_and(|word| word.glob) {
        true => {
            let start = word.split(['*', '?', '[', '{']).next().unwrap_or_default();
            name.starts_with(start) && !start.is_empty()
        }
        false => !word.is_empty() && name == word,
    }
}

fn is_file(found: &ResolvedPath) -> bool {
    found.exists != Presence::No && matches!(found.kind.as_str(), "file" | "link" | "")
}

/// Returns whether the file came with the download. Git tracks the files that a folder had before, and ignores build
/// output.
fn belongs_to(call: &Call<'_>, found: &ResolvedPath, event: &Event) -> bool {
    let root = call.context().project_root;
    let is_clone = found.git_root == event.target && root != event.target;
    let is_around = below(&root, &event.target).is_some();
    let is_new = || call.tracked(&found.canonical) != Presence::Yes;
    let is_built = || is_around && call.ignored(&found.canonical) == Presence::Yes;
    found.canonical == event.target || is_clone || is_new() && !is_built()
}

/// Returns the files that a command runs, as written.
fn run_files(command: &Command) -> Vec<&str> {
    let name = command.program().to_ascii_lowercase();
    let name = name.trim_end_matches(".exe");
    let words = || command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str());
    let mut files = Vec::new();
    files.extend(Some(command.word(0)).filter(|word| word.contains('/')));
    if INTERPRETERS.contains(&name) || name.starts_with("python3.") {
        let mut operands = words().take_while(|word| !INLINE.contains(word)).filter(|word| !word.starts_with('-'));
        let first = operands.next();
        let streams = command.redirections.iter().filter(|redirection| redirection.operator == "<");
        files.extend(streams.map(|redirection| redirection.target.text.as_str()));
        // Preloaded files.
        let pairs = command.argv.windows(2).take(WORDS);
        files.extend(pairs.filter_map(|pair| match pair {
            [option, file] if PRELOADING.contains(&option.text.as_str()) && name != "php" => Some(file.text.as_str()),
            _ => None,
        }));
        // `deno run FILE`, `bun run FILE`.
        files.extend(if first == Some("run") { operands.next() } else { first });
    } else if LOADERS.contains(&name) {
        let is_shown = |word: &str| {
            let end = word.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
            matches!(name, "open" | "xdg-open") && DOCUMENTS.contains(&end.as_str())
        };
        files.extend(words().filter(|word| !word.starts_with('-') && !is_shown(word)));
    }
    let loaded = command.assignments.iter().filter(|set| LOADING.contains(&set.name.as_str()));
    files.extend(loaded.flat_map(|set| set.value.text.split([' ', ':', '='])).filter(|file| file.contains('/')));
    files
}

/// Resolves a word of the command.
fn resolve_word(call: &Call<'_>, command: &Command, text: &str) -> ResolvedPath {
    let path = match text.starts_with(['/', '~']) || command.cwd.is_empty() {
        true => text.to_owned(),
        false => format!("{}/{text}", command.cwd),
    };
    call.resolve(&path)
}

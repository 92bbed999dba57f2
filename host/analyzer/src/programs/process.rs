//! Programs that end processes.

use guard_sdk::syntax::{Command, Severity, Word};

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["kill"], Options::NONE, kill),
    Program::new(&["pkill", "killall", "killall5", "skill", "slay", "xkill"], SELECTORS, by_name),
    Program::new(&["fuser"], Options::NONE, fuser),
];

const SELECTORS: Options = Options::new("uUgGPtsoy", "signal user parent group older-than younger-than pidfile");

fn ended(target: &str) -> Draft {
    Draft::notable("process", "process.kill").target(target)
}

/// `-9`, `-KILL` and `-s KILL` are signals. A second number with a dash is a process group.
fn kill<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let words = run.arguments();
    if words.iter().any(|word| matches!(word.text.as_str(), "-l" | "-L" | "--list" | "--table" | "-0" | "--help")) {
        return;
    }
    let mild = words.iter().any(|word| tells(&word.text));
    let all = lists_all(run) || is_given_all(run);
    let mut skip = false;
    let mut signal_seen = false;
    let mut operands_only = false;
    for word in words {
        let text = word.text.as_str();
        if skip {
            skip = false;
        } else if operands_only || !text.starts_with('-') {
            // Ending the first process stops the machine.
            let first = text == "1" && !mild;
            // The parent is the program that started the shell: the agent itself.
            let parent = matches!(text, "$PPID" | "${PPID}") && !mild;
            let all = word.dynamic && (all || is_each_of_all(run, word));
            let everything = operands_only && text == "-1" || first || all || parent;
            run.emit(ended(text).certain(!word.dynamic).severe(Severity::Destructive, everything));
        } else if text == "--" {
            operands_only = true;
        } else if matches!(text, "-s" | "-n" | "--signal") {
            (skip, signal_seen) = (true, true);
        } else if signal_seen {
            run.emit(ended(text).severe(Severity::Destructive, text == "-1"));
        } else {
            signal_seen = true;
        }
    }
}

/// Returns whether a word is a signal that notifies a process, and doesn't end a process that handles it: reload,
/// reopen logs, continue.
fn tells(word: &str) -> bool {
    let signal = word.trim_start_matches('-').trim_start_matches("SIG");
    matches!(signal, "0" | "HUP" | "USR1" | "USR2" | "WINCH" | "CONT" | "CHLD" | "INFO")
}

/// Returns whether the processes come from a list of all processes, or of all processes of a user: `kill $(pgrep -u
/// root)`.
fn lists_all(run: &Run<'_>) -> bool {
    let inside = || run.pipelines.children(run.commands, run.command.id).take(MAX_INSIDE);
    inside().any(|command| command.position.length < 2 && finds_all(command))
        || lists_every(inside())
        || searches_runtime(&inside().collect::<Vec<_>>())
}

/// Returns whether a loop goes through such a list: `pgrep . | while read p; do kill $p; done`.
fn is_each_of_all(run: &Run<'_>, word: &Word) -> bool {
    let mut listing: Vec<&Command> = run.suppliers(&Operand::of(word)).into_iter().take(MAX_INSIDE).collect();
    listing.reverse();
    listing.iter().any(|command| command.program() != "ps" && finds_all(command))
        || searches_runtime(&listing)
        || lists_every(listing.into_iter())
}

/// Returns whether the stages of a pipeline pick the processes of a program that may run the agent itself out of a
/// list. Another filter behind it narrows the choice.
fn searches_runtime(stages: &[&Command]) -> bool {
    let lists = stages.iter().any(|stage| stage.program() == "ps");
    let mut filters =
        stages.iter().filter(|stage| FILTERS.contains(&stage.program())).filter_map(|stage| picked(stage)).peekable();
    lists && filters.peek().is_some() && filters.all(|name| is_runtime(&name))
}

/// Programs that pick lines of a list.
const FILTERS: &[&str] = &["ag", "awk", "egrep", "fgrep", "gawk", "grep", "mawk", "perl", "rg", "sed"];

/// Returns the text that a filter picks lines by.
fn picked(stage: &Command) -> Option<String> {
    let mut words = stage.argv.iter().skip(1).map(|word| word.text.as_str()).peekable();
    let is_grep = stage.program().ends_with("grep") || matches!(stage.program(), "rg" | "ag");
    let excludes =
        |word: &str| word == "--invert-match" || word.starts_with('-') && !word.starts_with("--") && word.contains('v');
    if is_grep && words.clone().any(excludes) {
        return None;
    }
    let first = words.find(|word| !word.starts_with('-'))?;
    if is_grep {
        return Some(first.replace(['[', ']'], ""));
    }
    // `$11 == "node"`, `/node/`.
    let texts = first.split(['"', '\'', '/']).skip(1).step_by(2).map(|text| text.replace(['[', ']'], ""));
    texts.into_iter().find(|text| !text.trim().is_empty())
}

/// Returns whether a command prints all processes, all of a user, or those of a program that may run the agent itself.
fn finds_all(command: &Command) -> bool {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    match command.program() {
        "ps" => words().any(shows_every) || names_runtime(command, &["-C"]),
        "lsof" => names_runtime(command, &["-c"]),
        "pgrep" => {
            let by_owner = words().any(|word| matches!(word, "-u" | "-U" | "--euid" | "--uid"));
            by_owner && words().filter(|word| !word.starts_with('-')).count() < 2
                || words().any(|word| is_any(word) || is_runtime(word))
        }
        "pidof" => words().any(is_runtime),
        _ => false,
    }
}

/// Returns whether the value of an option is a program that may run the agent itself.
fn names_runtime(command: &Command, options: &[&str]) -> bool {
    let texts = || command.argv.iter().map(|word| word.text.as_str());
    let behind = texts().zip(texts().skip(1)).filter(|(option, _)| options.contains(option)).map(|(_, value)| value);
    let glued = texts().filter_map(|text| options.iter().find_map(|option| text.strip_prefix(option)));
    behind.chain(glued).flat_map(|value| value.split(',')).any(is_runtime)
}

/// Returns whether an option makes `ps` show the processes of all users: `-e`, `-eo`, `aux`.
fn shows_every(word: &str) -> bool {
    let letters = word.trim_start_matches('-');
    let has = |letter| letters.contains(letter);
    let cluster = letters.bytes().all(|byte| byte.is_ascii_alphabetic()) && !word.starts_with("--");
    cluster && (word.starts_with('-') && (has('e') || has('A')) || has('a') && has('x'))
}

/// Returns whether the stages of a pipeline list every process without a filter.
fn lists_every<'c>(mut stages: impl Iterator<Item = &'c Command>) -> bool {
    let words = |stage: &'c Command| stage.argv.iter().skip(1).map(|word| word.text.trim());
    let all = stages.next().is_some_and(|first| first.program() == "ps" && words(first).any(shows_every));
    all && stages.all(|stage| match stage.program() {
        "cut" | "tr" | "sort" | "uniq" | "xargs" => true,
        "tail" => words(stage).any(|word| word.starts_with('+')),
        "awk" | "gawk" | "mawk" => {
            words(stage).next().is_some_and(|code| code.starts_with("{print $") || code.starts_with("{ print $"))
        }
        _ => false,
    })
}

/// Returns whether `xargs` or a loop gets the processes from an unfiltered list, or from a search for a program that
/// may run the agent itself.
fn is_given_all(run: &Run<'_>) -> bool {
    let Some((pipeline, index)) = run.pipelines.source(run.command).filter(|_| run.is_via("xargs")) else {
        return false;
    };
    let stages = || run.pipelines.stages(run.commands, pipeline, index).take(MAX_INSIDE);
    lists_every(stages())
        || searches_runtime(&stages().collect::<Vec<_>>())
        || stages().any(|stage| {
            stage.program() == "pgrep" && finds_all(stage)
                || matches!(stage.program(), "pgrep" | "pidof" | "grep" | "awk")
                    && stage.argv.iter().skip(1).any(|word| is_runtime(&word.text.replace(['/', '[', ']'], "")))
        })
}

/// The maximum number of commands that are examined inside another one.
const MAX_INSIDE: usize = 8;

/// Programs that keep people logged in, or that everything else depends on.
const KEEPERS: &[&str] = &[
    "sshd",
    "systemd",
    "init",
    "launchd",
    "loginwindow",
    "WindowServer",
    "Xorg",
    "gnome-shell",
    "dbus-daemon",
    "kubelet",
    "containerd",
    "dockerd",
    "NetworkManager",
];

/// Returns whether a word is a signal such as `-STOP`.
fn is_signal(word: &str) -> bool {
    const NAMES: &[&str] = &[
        "ABRT", "ALRM", "CONT", "HUP", "INT", "KILL", "PIPE", "QUIT", "SEGV", "STOP", "TERM", "TSTP", "TTIN", "TTOU",
        "USR1", "USR2", "WINCH",
    ];
    let name = word.strip_prefix('-').unwrap_or_default();
    NAMES.contains(&name.strip_prefix("SIG").unwrap_or(name))
}

fn by_name<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("lL", "list") && run.name == "killall" || parsed.is("", "help") || parsed.is("V", "version") {
        return;
    }
    if run.name == "killall5" {
        run.emit(ended("").severe(Severity::Destructive, true));
        return;
    }
    // `pkill -STOP name`: a signal looks like a cluster of options, some of which have a value.
    if let Some((first, rest)) = run.arguments().split_first()
        && is_signal(&first.text)
    {
        let parsed = run.parse(rest, SELECTORS);
        return by_pattern(run, &parsed);
    }
    by_pattern(run, parsed);
}

fn by_pattern<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let selects = |word: &str| {
        matches!(word, "-u" | "-U" | "-g" | "-G" | "-t") || word.starts_with("--user") || word.starts_with("--euid")
    };
    let by_owner = run.arguments().iter().any(|word| selects(&word.text));
    if by_owner && parsed.operands.is_empty() {
        run.emit(ended("").severe(Severity::Destructive, true).flag("all", true));
    }
    // The children of the program that started the shell: the agent's own processes.
    let is_parent = |value: &Operand<'_>| matches!(value.text.as_ref(), "$PPID" | "${PPID}");
    if parsed.operands.is_empty() && run.name == "pkill" && parsed.values("P", "parent").any(|value| is_parent(&value))
    {
        run.emit(ended("$PPID").certain(false).severe(Severity::Destructive, true));
    }
    let is_pattern = run.name == "pkill" || parsed.is("r", "regexp");
    // Options that limit the match to one process, its children, or a group, session or terminal.
    let is_by_session = run.name != "killall";
    let bounds = |word: &str| {
        let long = ["--parent", "--pgroup", "--session", "--terminal", "--newest", "--oldest", "--pidfile"];
        matches!(word, "-P" | "-g" | "-t" | "-n" | "-o" | "-F")
            || word == "-s" && is_by_session
            || long.iter().any(|name| word.starts_with(name))
    };
    let is_bounded = run.arguments().iter().any(|word| bounds(&word.text));
    for name in &parsed.operands {
        let mild = run.arguments().iter().any(|word| tells(&word.text));
        let keeps = KEEPERS.contains(&name.text.trim_start_matches('^').trim_end_matches('$')) && !mild;
        let all = is_pattern && is_any(&name.text) || keeps;
        let agents = !mild && !is_bounded && (is_runtime(&name.text) || names_user(run, &name.text));
        run.emit(
            ended(&name.text)
                .certain(!name.dynamic)
                .severe(Severity::Destructive, all || agents)
                .flag("all", all && !keeps)
                .flag("pattern", is_pattern),
        );
    }
}

/// Programs that run agents, their editors and their terminals. A user usually has more processes with such a name than
/// the intended one.
const RUNTIMES: &[&str] = &[
    "aider",
    "alacritty",
    "bash",
    "bun",
    "claude",
    "code",
    "code-insiders",
    "codex",
    "codium",
    "copilot",
    "cursor",
    "electron",
    "fish",
    "gemini",
    "ghostty",
    "gnome-terminal-server",
    "goose",
    "iterm",
    "iterm2",
    "kitty",
    "konsole",
    "node",
    "opencode",
    "python",
    "python3",
    "screen",
    "sh",
    "terminal",
    "tmux",
    "visual studio code",
    "visual studio code - insiders",
    "vscodium",
    "warp",
    "wezterm",
    "wezterm-gui",
    "windsurf",
    "zed",
    "zellij",
    "zsh",
];

/// Returns whether a name or pattern matches all processes of a program that may run the agent itself.
pub(crate) fn is_runtime(pattern: &str) -> bool {
    let core = pattern.trim_start_matches('^').trim_end_matches('$').to_ascii_lowercase();
    let core = core.rsplit('/').next().unwrap_or_default();
    RUNTIMES.contains(&core.strip_suffix(".exe").unwrap_or(core))
}

/// Returns whether a pattern matches the name of any process.
fn is_any(pattern: &str) -> bool {
    let core = pattern.trim_start_matches('^').trim_end_matches('$');
    matches!(core, "" | "." | ".*" | ".+" | "\\w" | "\\w+" | "[a-z]" | "[a-z]*" | "[a-z]+" | "[^ ]")
}

/// Returns whether the program interprets the name as a user and ends all of that user's processes. `skill` does,
/// unless an option says that the name is something else.
fn names_user(run: &Run<'_>, name: &str) -> bool {
    let is_told = |word: &str| matches!(word, "-c" | "-p" | "-i" | "-n");
    let is_other = name.starts_with(|char: char| !char.is_ascii_alphabetic())
        || name.starts_with("pts")
        || name.starts_with("tty");
    match run.name.as_str() {
        "slay" => true,
        "skill" => !is_other && !run.arguments().iter().any(|word| is_told(&word.text)),
        _ => false,
    }
}

fn fuser<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("k", "kill") {
        run.emit(ended(parsed.text(0)));
    }
}

//! `guard-command`: a guard-host command that only a person may run, or a command that stops or removes guard-host.
//!
//! - Commands with less effect need confirmation: `confirm`, `install`, `policy add`, and a command that gives the
//!   program another name.
//! - Other names are recognized too: patterns, searches, links, hard links and copies of guard-host.
//! - A script `guardrail-confirm.py` among a harness's hooks is treated as `confirm`, even with other content.
//! - A command for a person is also denied on another machine. In a container, it needs confirmation.
//!
//! ## Why
//! Approvals, trust in a project's file and the registration of hooks are the user's decisions.
//!
//! ## Examples
//! - denied: `guard-host trust`
//! - denied: `cargo uninstall guard-host`
//! - denied: `pkill guard-host`
//! - denied: `ssh -t host guard-host trust`
//! - asked: `guard-host policy add x.wasm`
//! - asked: `guard-host undo`
//! - asked: `cp ~/.cargo/bin/guard-host x`
//! - asked: `python3 ~/.claude/hooks/guardrail-confirm.py 'git push'`
//! - asked: `guard-host run --write ~/ -- ./tool`
//! - passes: `guard-host run -- ./tool --fix src`
//! - passes: `guard-host check 'rm -rf /'`
//! - passes: `guard-host policy list`
//!
//! ## Instead
//! Ask the user to run it in a terminal.
//!
//! ## Settings
//! - `places`: guard-host's location, which guard-host sets.

use guard_sdk::syntax::{Command, Effect, Word};
use guard_sdk::{Finding, Outcome, Rule};

use crate::call_view::{CallView, remote_kind, shorten};
use crate::copies::{Guess, guess, new_name};
use crate::guarded::GuardedKind;
use crate::names::{component_matches, last_component};
use crate::rules::guard_mentioned::is_interpreter;

pub(crate) const RULE: Rule = Rule {
    id: "guard-command",
    summary: "a guard-host command that only a person may run",
    default: Outcome::Deny,
    ceiling: Outcome::Deny,
};

/// Programs that install others.
const INSTALLERS: &[&str] = &[
    "amp",
    "apk",
    "apt",
    "apt-get",
    "aptitude",
    "asdf",
    "auggie",
    "brew",
    "bun",
    "cargo",
    "claude",
    "codex",
    "copilot",
    "crush",
    "cursor-agent",
    "dnf",
    "dpkg",
    "droid",
    "gemini",
    "goose",
    "grok",
    "hermes",
    "kilo",
    "mise",
    "nix-env",
    "npm",
    "openclaw",
    "opencode",
    "pacman",
    "pi",
    "pip",
    "pip3",
    "pipx",
    "pnpm",
    "port",
    "qwen",
    "snap",
    "uv",
    "vibe",
    "yarn",
    "yum",
    "zypper",
];

/// Programs that run others by name.
const RUNNERS: &[&str] = &["bunx", "npx", "pnpx", "uvx", "watch"];

/// Words that remove or disable something.
const REMOVALS: &[&str] = &[
    "-R",
    "-Rns",
    "-e",
    "-r",
    "-P",
    "autoremove",
    "del",
    "delete",
    "disable",
    "erase",
    "purge",
    "remove",
    "rm",
    "un",
    "uninstall",
    "unlink",
];

/// Words that install another version.
const INSTALLS: &[&str] = &["install", "add", "i", "reinstall", "upgrade", "update"];

/// Programs that stop, limit or modify a running process.
const TAMPERING: &[&str] =
    &["chrt", "gdb", "ionice", "lldb", "ltrace", "perf", "prlimit", "ptrace", "renice", "reptyr", "strace", "taskset"];

/// Commands of guard-host with changes. An unknown program that gets one of these may be guard-host.
const TELLING: &[&str] = &[
    "allow",
    "cache",
    "config",
    "confirm",
    "hook",
    "install",
    "pause",
    "policy",
    "session",
    "settings",
    "sync",
    "trust",
    "uninstall",
    "untrust",
];

/// Commands that few other programs have.
const PERSONAL: &[&str] = &["confirm", "pause", "trust", "untrust"];

// `LINK_NAMES`: names of links to the program, and the command that each stands for. The build script reads them from
// the metadata `called` and `confirmed-by` of the policies. The hook's link names only apply if no other command is
// given.
include!(concat!(env!("OUT_DIR"), "/link_names.rs"));

/// Options of guard-host with a value.
const VALUED: &[&str] = &["--config", "--state", "--cache", "--color", "--started-as"];

pub(crate) fn check(view: &CallView<'_>, findings: &mut Vec<Finding>) {
    for command in &view.analysis.commands {
        findings.extend(command_finding(command, view));
    }
    findings.extend(view.analysis.effects.iter().filter_map(|effect| kill_finding(effect, view)));
}

fn command_finding<'a>(command: &'a Command, view: &CallView<'a>) -> Option<Finding> {
    let shown = || shorten(&command.text());
    if let Some(start) = start(command, view) {
        let shown = shown();
        let implied = implied_command(command, start, view);
        let words: Vec<&str> = implied.into_iter().chain(guard_arguments(command, start)).collect();
        let (outcome, why, remedy) = match words.first() {
            Some(&"run") => run_outcome(command, start, view)?,
            _ => guard_outcome(&words)?,
        };
        let outcome = match remote_kind(command) {
            None => outcome,
            // Elsewhere, only a person's commands matter. The place may still be this machine.
            Some(_) if outcome != Outcome::Deny && words.first() != Some(&"confirm") => return None,
            Some("container") => Outcome::Ask,
            Some(_) => outcome,
        };
        let message = match outcome {
            Outcome::Deny => format!("only a person can run `{shown}`: {why}"),
            _ => format!("`{shown}` needs confirmation: {why}"),
        };
        return Some(Finding::new(&RULE, message).at(outcome).remedy(remedy));
    }
    if remote_kind(command).is_some() {
        return None;
    }
    if let Some(finding) = guess(command, view).and_then(|guess| guess_finding(command, guess)) {
        return Some(finding);
    }
    if let Some(name) = new_name(command, view) {
        let (name, shown) = (shorten(name), shown());
        let message = format!("`{shown}` makes guard-host available as `{name}`, where its commands aren't recognised");
        return Some(Finding::new(&RULE, message).at(Outcome::Ask).remedy("use the program under its own name"));
    }
    if let Some(finding) = tampering_finding(command, view) {
        return Some(finding);
    }
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let removes = INSTALLERS.contains(&command.program()) && words().any(|word| REMOVALS.contains(&word));
    // A version may follow, and a source such as `npm:` may precede.
    let ours = |word: &str| {
        let name = word.split('@').next().and_then(|name| name.rsplit(':').next());
        name.is_some_and(|name| view.guard.is_program(name))
    };
    let installs = INSTALLERS.contains(&command.program()) && words().any(|word| INSTALLS.contains(&word));
    // From a folder, it is a local build.
    let is_built = words().any(|word| word == "--path" || word.starts_with("--path="));
    if installs && !removes && !is_built && words().any(ours) {
        let message = format!("`{}` replaces guard-host with another version", shorten(&command.text()));
        return Some(Finding::new(&RULE, message).at(Outcome::Ask).remedy("let the user update it"));
    }
    (removes && words().any(ours)).then(|| {
        let shown = shown();
        let message = format!("`{shown}` removes guard-host, so no call would be checked");
        Finding::new(&RULE, message).remedy("let the user do it")
    })
}

/// Returns the finding for a debugger, or a program that limits a process, with a search for guard-host.
fn tampering_finding(command: &Command, view: &CallView<'_>) -> Option<Finding> {
    if !TAMPERING.contains(&command.program()) {
        return None;
    }
    let searches = |text: &str| text.contains("pgrep") || text.contains("pidof");
    let parts = command.argv.iter().skip(1).flat_map(|word| &word.parts);
    let mut searched = parts.filter(|part| part.kind == "command" && searches(&part.text));
    searched.any(|part| view.guard.is_program_name(&part.text)).then(|| {
        let message = format!("`{}` may stop guard-host while it checks a call", shorten(&command.text()));
        Finding::new(&RULE, message).at(Outcome::Ask).remedy("let the user look into it")
    })
}

/// Returns the finding for a command that may run guard-host.
fn guess_finding(command: &Command, guess: Guess) -> Option<Finding> {
    const SPELL: &str = "spell the program's name";
    let words = guard_arguments(command, 1);
    let first = words.iter().copied().find(|word| !word.starts_with('-')).unwrap_or_default();
    let may_be = match guess {
        Guess::Fits => true,
        Guess::Any => TELLING.contains(&first),
        Guess::Link => PERSONAL.contains(&first),
    };
    let known = guard_outcome(&words).filter(|_| may_be);
    let shown = shorten(&command.text());
    let (outcome, why) = match (known, guess) {
        (Some((outcome, why, _)), Guess::Fits) => (outcome, why),
        (Some((_, why, _)), Guess::Any | Guess::Link) => (Outcome::Ask, why),
        (None, Guess::Fits) => (Outcome::Ask, "the name fits the program's"),
        (None, Guess::Any | Guess::Link) => return None,
    };
    let message = format!("`{shown}` may run guard-host under a name that is not spelled out: {why}");
    Some(Finding::new(&RULE, message).at(outcome).remedy(SPELL))
}

/// Returns the start of guard-host's arguments, if the command runs it directly or through a program that runs others.
fn start(command: &Command, view: &CallView<'_>) -> Option<usize> {
    if view.guard.is_program(command.word(0)) || is_program_file(command, view) {
        return Some(1);
    }
    if let Some(at) = confirming_script(command, view) {
        return Some(at + 1);
    }
    let runs = match command.program() {
        "cargo" => command.argv.iter().any(|word| matches!(word.text.as_str(), "run" | "r")),
        program => RUNNERS.contains(&program),
    };
    let named = || command.argv.iter().position(|word| view.guard.is_program(&word.text));
    runs.then(named).flatten().map(|at| at + 1)
}

/// Returns whether a path is a confirming script: it has the script's name, and is among the hooks of a harness.
pub(crate) fn is_confirming_script(path: &str, view: &CallView<'_>) -> bool {
    let is_named =
        LINK_NAMES.iter().any(|(name, what)| *what == "confirm" && component_matches(name, last_component(path)));
    is_named && view.guard.find_covering(path).is_some_and(|found| matches!(found.what, GuardedKind::Scripts(_)))
}

/// Returns the index of a confirming script's word, if the command runs one. The script's text may be unknown.
fn confirming_script(command: &Command, view: &CallView<'_>) -> Option<usize> {
    let is_there =
        |word: &str| is_confirming_script(word, view) || is_confirming_script(&format!("{}/{word}", command.cwd), view);
    let words = if is_interpreter(command.program()) { command.argv.len() } else { 1 };
    command.argv.iter().take(words).position(|word| is_there(&word.text))
}

/// Returns whether the host found that the command's file is the program, regardless of its name.
fn is_program_file(command: &Command, view: &CallView<'_>) -> bool {
    view.index().effects(command).iter().any(|effect| effect.operation == "execute.guard-host")
}

/// Returns the command of guard-host that a name implies: that of a confirming script, or of a link in place of a
/// script.
fn implied_command(command: &Command, start: usize, view: &CallView<'_>) -> Option<&'static str> {
    if confirming_script(command, view).is_some_and(|at| at + 1 == start) {
        return Some("confirm");
    }
    let name = last_component(command.word(0));
    let (_, word) = LINK_NAMES.iter().find(|(link, _)| *link == name)?;
    let is_implied = *word == "confirm" || guard_arguments(command, start).is_empty();
    (is_implied && is_program_file(command, view)).then_some(word)
}

/// Returns the arguments of guard-host without its global options.
fn guard_arguments(command: &Command, start: usize) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = command.argv.iter().skip(start);
    while let Some(word) = rest.next() {
        if VALUED.contains(&word.text.as_str()) {
            rest.next();
        } else if !VALUED.iter().any(|option| word.text.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
        {
            words.push(word.text.as_str());
        }
    }
    words
}

/// Returns the finding for `guard-host run`. `None` if the analyzer reads the confined command, which is then judged by
/// itself, and if no option allows more than the analysis finds.
fn run_outcome(command: &Command, start: usize, view: &CallView<'_>) -> Option<(Outcome, &'static str, &'static str)> {
    const NARROW: &[&str] = &["-n", "--dry-run", "-q", "--quiet", "-v", "--verbose", "-h", "--help"];
    let is_option = |word: &&Word| word.text.starts_with('-') && word.text != "--";
    let words = || command.argv.iter().skip(start).skip_while(|word| word.text == "run");
    let (mut is_narrow, mut is_shown) = (start == 1, false);
    for option in words().take_while(is_option) {
        is_narrow &= NARROW.contains(&option.text.as_str());
        is_shown |= matches!(option.text.as_str(), "-n" | "--dry-run" | "-h" | "--help");
    }
    // A word that is only known at run time may be one or several options.
    let is_spelled = words().skip_while(is_option).take(2).all(|word| word.text == "--" || !word.dynamic && !word.glob);
    let is_first = command.word(start) == "run";
    let reads =
        |inner: &Command| inner.parent == command.id && inner.via.iter().any(|via| via.kind == command.program());
    let is_read = is_shown || view.analysis.commands.iter().any(reads);
    if !is_installed(command, view) {
        let by_name = "use the installed program by its name: `guard-host run -- COMMAND`";
        return Some((Outcome::Ask, "it may be another program", by_name));
    }
    match (is_first && is_narrow, is_read && is_spelled) {
        (true, true) => None,
        (true, false) => {
            let spell = "write the command out behind `guard-host run --`";
            Some((Outcome::Ask, "the command that it runs is not known", spell))
        }
        (false, _) => {
            let plain = "run it without options: `guard-host run -- COMMAND`";
            Some((Outcome::Ask, "its options may allow the command more than it needs", plain))
        }
    }
}

/// Usual installation paths of the program, besides the path from the host.
const PLACES: &[&str] = &["~/.cargo/bin/guard-host", "/usr/bin/guard-host", "/usr/local/bin/guard-host"];

/// Runners that may download a package with that name.
const FETCHING: &[&str] = &["bun", "bunx", "cargo", "npm", "npx", "pipx", "pnpm", "uvx", "yarn"];

/// Returns whether a command starts the installed program, and no package or file with that name.
fn is_installed(command: &Command, view: &CallView<'_>) -> bool {
    let word = command.word(0);
    let is_named = !word.contains('/') && !view.sets_path();
    let is_at_place = || {
        let is_program = view.guard.find_covering(word).is_some_and(|found| found.what == GuardedKind::Program);
        PLACES.contains(&word) || word.contains('/') && is_program
    };
    (is_named || is_at_place()) && !command.via.iter().any(|via| FETCHING.contains(&via.kind.as_str()))
}

/// Returns the finding for a call of guard-host. `None` if the call changes nothing.
fn guard_outcome(words: &[&str]) -> Option<(Outcome, &'static str, &'static str)> {
    const BY_HAND: &str = "ask the user to run it in a terminal";
    const SAY: &str = "say why it is needed, so that the user can approve it";
    let plain: Vec<&str> = words.iter().copied().filter(|word| !word.starts_with('-')).take(2).collect();
    if words.iter().any(|word| matches!(*word, "--help" | "-h" | "--version" | "-V")) {
        return None;
    }
    let (name, sub) = (plain.first().copied().unwrap_or_default(), plain.get(1).copied().unwrap_or_default());
    if (name, sub) == ("audit", "suggest") && words.iter().any(|word| word.starts_with("--apply")) {
        return Some((Outcome::Deny, "it turns prompts off for good", BY_HAND));
    }
    if (name, sub) == ("audit", "verify") && words.iter().any(|word| word.starts_with("--accept")) {
        return Some((Outcome::Deny, "it accepts a change of the audit log", BY_HAND));
    }
    if name == "pause" && words.contains(&"--end") {
        return None;
    }
    match (name, sub) {
        ("uninstall", _) | ("self", "uninstall") => Some((Outcome::Deny, "it turns checking off", BY_HAND)),
        (
            "" | "help" | "check" | "ci" | "explain" | "test" | "doctor" | "conformance" | "completions" | "man"
            | "sandbox" | "self" | "new" | "rates" | "replay" | "report" | "resume" | "wit",
            _,
        ) => None,
        ("policy", "add" | "remove" | "update") => Some((Outcome::Ask, "it changes which policies apply", SAY)),
        ("policy", "pull" | "keygen" | "bundle") | ("service", "build") => {
            Some((Outcome::Ask, "it writes a file of any name", SAY))
        }
        ("policy", "push") => Some((Outcome::Ask, "it publishes a policy for others to use", SAY)),
        ("sync", "status") => None,
        ("sync", "push") => Some((Outcome::Ask, "it publishes a configuration that other machines apply", SAY)),
        ("sync", "rollback") => Some((Outcome::Deny, "it restores an earlier configuration of this machine", BY_HAND)),
        ("sync", _) => Some((Outcome::Ask, "it changes the configuration of this machine", SAY)),
        ("audit", "ship") => Some((Outcome::Ask, "it sends the audit log to another machine", SAY)),
        ("cache", "clear") => Some((Outcome::Ask, "compiled policies would have to be rebuilt", SAY)),
        ("config", "init") | ("settings", "init") => Some((Outcome::Ask, "it writes settings", SAY)),
        ("watch", _) | ("audit", "watch") => {
            Some((Outcome::Deny, "one of its keys turns prompts off for good", BY_HAND))
        }
        ("audit" | "policy" | "config" | "cache" | "settings", _) | ("session", "list" | "show") => None,
        ("confirm", _) => Some((Outcome::Ask, "it approves a pending call", BY_HAND)),
        ("allow", _) => Some((Outcome::Deny, "it turns prompts about a command off for good", BY_HAND)),
        ("pause", _) if words.contains(&"--all") => {
            Some((Outcome::Deny, "it turns prompts off for a while, and lets denied calls run", BY_HAND))
        }
        ("pause", _) => Some((Outcome::Deny, "it turns prompts off for a while", BY_HAND)),
        ("trust", _) => Some((Outcome::Deny, "it gives a project's file the same power as the user's own", BY_HAND)),
        ("undo", "list") => None,
        ("undo", "show") => Some((Outcome::Ask, "it prints copied files, which can contain secrets", SAY)),
        ("undo", "prune") => Some((Outcome::Deny, "it removes the copies of what calls destroyed", BY_HAND)),
        ("undo", _) => Some((Outcome::Ask, "it puts back what a call destroyed", SAY)),
        ("untrust", _) => Some((Outcome::Deny, "it changes what a project's file may do", BY_HAND)),
        ("session", _) => Some((Outcome::Deny, "it changes what the user has confirmed", BY_HAND)),
        ("install", _) => Some((Outcome::Ask, "it changes how a harness calls guard-host", SAY)),
        ("hook", _) => Some((Outcome::Ask, "it would log a call that never happened", "use `guard-host check`")),
        _ => Some((Outcome::Ask, "it is an unknown command", SAY)),
    }
}

/// Returns the finding for stopping a running guard-host.
fn kill_finding(effect: &Effect, view: &CallView<'_>) -> Option<Finding> {
    if effect.kind != "process" || effect.tag("where").is_some() {
        return None;
    }
    if view.guard.is_program(&effect.target) {
        let message = format!("this stops `{}`, which may be checking a call", shorten(&effect.target));
        return Some(Finding::new(&RULE, message).remedy("let the user stop it"));
    }
    let by_pattern = effect.tag("pattern").is_some() && selects(&effect.target, view);
    (by_pattern || is_selected_by_search(effect, view)).then(|| {
        let message = format!("`{}` may stop guard-host while it checks a call", shorten(&effect.target));
        Finding::new(&RULE, message).at(Outcome::Ask).remedy("give the full name of the process")
    })
}

/// Returns whether a regular expression selects the program by name.
fn selects(pattern: &str, view: &CallView<'_>) -> bool {
    let core = pattern.trim_start_matches(['^', '/']).trim_end_matches('$');
    let plain = core.chars().all(|char| char.is_ascii_alphanumeric() || "-_./".contains(char));
    let folded = core.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let fits = |name: &str| match (pattern.starts_with('^'), pattern.ends_with('$')) {
        (true, true) => name == folded,
        (true, false) => name.starts_with(&folded),
        (false, true) => name.ends_with(&folded),
        (false, false) => name.contains(&folded),
    };
    match plain {
        true => folded.len() >= SELECTS && view.guard.program_names().any(|name| fits(&name.to_ascii_lowercase())),
        false => {
            let shell = core.replace(".*", "*").replace(".+", "*").replace(['(', ')'], "");
            shell.split('|').any(|part| part.contains('*') || part.contains('[')) && view.guard.matches_program(&shell)
                || core.split(['|', '(', ')', ' ']).any(|word| view.guard.is_program(word.trim_matches(['[', ']'])))
        }
    }
}

/// The minimum length of a pattern: shorter ones match by chance.
const SELECTS: usize = 3;

/// The maximum number of commands that are searched.
const SEARCHED: usize = 256;

/// Returns whether the processes come from a search for the program: `pgrep NAME | xargs kill`, `kill $(pidof NAME)`.
fn is_selected_by_search(effect: &Effect, view: &CallView<'_>) -> bool {
    // Otherwise there is no search, or the command's own words name the program.
    if !effect.target.contains(['$', '{', '`']) || view.guard.is_program_name(&effect.target) {
        return false;
    }
    let mut searches =
        view.analysis.commands.iter().take(SEARCHED).filter(|command| {
            matches!(command.program(), "pgrep" | "pidof" | "grep" | "egrep" | "awk" | "ps" | "lsof")
        });
    searches.any(|command| {
        let mut words = command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let own = |word: &str| match command.program() {
            "pgrep" | "grep" | "egrep" => selects(word, view),
            "awk" => view.guard.is_program_name(word),
            _ => view.guard.is_program(word),
        };
        words.any(|word| own(&word.text))
    })
}

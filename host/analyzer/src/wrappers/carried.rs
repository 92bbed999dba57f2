//! Programs that run a text from an option or an operand. The program itself is also listed.
//!
//! The table defines the options of each program. A value that is one bare word (`tar -I zstd`) is a helper without
//! arguments, which does nothing worth listing. Paths of the user's own programs are listed.

mod table;

use guard_sdk::syntax::{Via, Word};

use super::layer::{Place, Run, Runnable, joined, takes};
use super::shells::is_shell;
use super::{ansible, git_settings};
use crate::options::{Flag, Options, leading};
use crate::sources::is_own_program;
use crate::word::expand::literal;
use table::CARRIERS;

/// A program, and the locations of the texts that it runs.
struct Carrier {
    names: &'static [&'static str],
    takes: Options,
    /// Options, each with a required prefix in its value.
    options: &'static [(&'static str, &'static str)],
    /// Required prefixes in an operand.
    operands: &'static [&'static str],
}

const fn carrier(
    names: &'static [&'static str],
    takes: Options,
    options: &'static [(&'static str, &'static str)],
    operands: &'static [&'static str],
) -> Carrier {
    Carrier { names, takes, options, operands }
}

/// Programs with settings, and the words before a setting's name.
const SETTINGS: &[(&[&str], &[&str])] = &[
    (&["gh", "glab", "hub", "jj", "npm", "pnpm", "yarn", "bundle", "poetry"], &["config", "set"]),
    (&["aws"], &["configure", "set"]),
    (&["fossil"], &["settings"]),
];

/// Helpers that delete every file passed to them.
const LOSING: &[&str] = &["rm", "shred", "srm", "unlink", "wipe"];

/// Returns whether a bare word is a helper that deletes every file passed to it.
pub(crate) fn loses_files(helper: &str) -> bool {
    LOSING.contains(&helper.rsplit('/').next().unwrap_or_default())
}

/// Returns the texts in the command's words that it runs.
pub(super) fn runs(name: &str, argv: &[Word]) -> Vec<Run> {
    let words = argv.get(1..).unwrap_or_default();
    if name == "git" {
        return git(words);
    }
    if name == "ansible"
        && let Some(runs) = ansible::runs(argv)
    {
        return runs;
    }
    if matches!(name, "gcc" | "g++" | "cc" | "c++" | "c89" | "c99" | "clang" | "clang++" | "gfortran") {
        // `-wrapper PROGRAM,WORD,...`.
        let wrapped = words.windows(2).filter(|pair| pair.first().is_some_and(|option| option.text == "-wrapper"));
        let words = |text: &Word| text.text.split(',').map(literal).collect();
        let runs = wrapped
            .filter_map(|pair| Some(of(name, Runnable::Words { assignments: Vec::new(), words: words(pair.get(1)?) })));
        return runs.collect();
    }
    if name == "history" {
        // Text added to the history may be run from there.
        let kept = words.split_first().filter(|(option, _)| option.text == "-s").map(|(_, kept)| joined(kept));
        return kept.filter(|text| !text.dynamic).and_then(|text| run(name, &text)).into_iter().collect();
    }
    if name == "mvn" || name == "mvnw" {
        let given = |key: &str| words.iter().find_map(|word| word.text.strip_prefix(key));
        let text =
            given("-Dexec.executable=").map(|program| format!("{program} {}", given("-Dexec.args=").unwrap_or("")));
        return text.and_then(|text| run(name, &literal(&text))).into_iter().collect();
    }
    if name == "bind" {
        // `bind -x '"KEY": COMMAND'`.
        let bound = words.windows(2).filter(|pair| pair.first().is_some_and(|option| option.text == "-x"));
        let texts = bound.filter_map(|pair| run(name, &literal(pair.get(1)?.text.split_once(':')?.1)));
        return texts.collect();
    }
    if matches!(name, "compgen" | "complete") { found_words(name, words) } else { Vec::new() }
        .into_iter()
        .chain(settings(name, words))
        .chain(described(name, words))
        .collect()
}

/// Returns the runs defined by the table of carriers.
fn described(name: &str, words: &[Word]) -> Vec<Run> {
    let Some(carrier) = CARRIERS.iter().find(|carrier| carrier.names.contains(&name)) else { return Vec::new() };
    let (flags, operands) = everything(words, carrier.takes, name);
    let mut found = Vec::new();
    for flag in &flags {
        let matching = carrier.options.iter().filter(|(option, _)| flag.is(option));
        let value = if carrier.names.contains(&"ssh") || carrier.names.contains(&"scp") {
            setting_of_ssh(&flag.word())
        } else {
            flag.word()
        };
        let helper = |option: &str, before: &str| {
            let text = behind(&value, before)?;
            run(name, &text)
                .or_else(|| bare_shell(name, &text).filter(|_| !names_shell(option) && !names_shell(before)))
        };
        found.extend(matching.filter_map(|(option, before)| helper(option, before)).take(1));
    }
    for operand in operands {
        found.extend(carrier.operands.iter().filter_map(|before| run(name, &behind(operand, before)?)).take(1));
    }
    found
}

/// Returns the word lists that a builtin expands: `compgen -W WORDS`.
fn found_words(name: &str, words: &[Word]) -> Vec<Run> {
    let listed = words.windows(2).filter(|pair| pair.first().is_some_and(|option| option.text == "-W"));
    let listed = listed.filter_map(|pair| pair.get(1)).filter(|words| words.text.contains(['`', '(']));
    listed.filter_map(|words| run(name, &literal(&format!(": {}", words.text)))).collect()
}

/// Returns settings whose value is a command, or an alias that a shell runs: `gh config set editor TEXT`.
fn settings(name: &str, words: &[Word]) -> Vec<Run> {
    let operands: Vec<&Word> = words.iter().filter(|word| !word.text.starts_with("--")).collect();
    let leads = |verbs: &[&str]| {
        verbs.iter().enumerate().all(|(at, verb)| operands.get(at).is_some_and(|word| word.text == *verb))
    };
    if leads(&["alias", "set"]) && matches!(name, "gh" | "glab" | "hub") {
        let shell = words.iter().any(|word| matches!(word.text.as_str(), "--shell" | "-s"));
        let text = operands.last().filter(|text| shell || text.text.starts_with('!'));
        return text.and_then(|text| run(name, &literal(text.text.trim_start_matches('!')))).into_iter().collect();
    }
    let rows = SETTINGS.iter().filter(|(programs, verbs)| programs.contains(&name) && leads(verbs));
    let Some((_, verbs)) = rows.take(1).next() else { return Vec::new() };
    let (key, value) = match operands.get(verbs.len()..) {
        Some([pair]) => pair.text.split_once('=').unwrap_or_default(),
        Some([key, value, ..]) => (key.text.as_str(), value.text.as_str()),
        _ => return Vec::new(),
    };
    let last = key.rsplit(['.', '-', '_']).next().unwrap_or_default();
    let runs = ["editor", "pager", "browser", "command", "shell", "askpass", "viewer", "cmd"].contains(&last);
    if runs { run(name, &literal(value)).into_iter().collect() } else { Vec::new() }
}

/// Returns an ssh setting with `=` after its name, where ssh also accepts blanks.
fn setting_of_ssh(word: &Word) -> Word {
    let text = word.text.trim_start();
    let end = text.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(end).unwrap_or_default();
    let value = rest.trim_start_matches([' ', '\t', '=']);
    if name.is_empty() || value.len() == rest.len() { word.clone() } else { literal(&format!("{name}={value}")) }
}

/// Returns all options, at any position, and the operands.
fn everything<'a>(words: &'a [Word], takes: Options, name: &str) -> (Vec<Flag<'a>>, Vec<&'a Word>) {
    let (mut flags, mut operands) = (Vec::new(), Vec::new());
    let mut rest = words;
    // Long options of these programs begin with one dash.
    if matches!(name, "zip" | "go" | "boundary" | "consul-template") {
        let single = |pair: &'a [Word]| match pair {
            [option, value] => Some(Flag::long(option.text.strip_prefix('-')?.trim_start_matches('-'), value)),
            _ => None,
        };
        return (words.windows(2).filter_map(single).collect(), operands);
    }
    loop {
        let mut options = leading(rest, takes);
        flags.append(&mut options.flags);
        let Some((operand, tail)) = options.rest.split_first() else { break };
        operands.push(operand);
        rest = tail;
    }
    (flags, operands)
}

/// Returns the text after `before` in a word, ignoring case. A `before` at the end of a name, such as `=!`, may be
/// anywhere in the word.
fn behind(word: &Word, before: &str) -> Option<Word> {
    if before.is_empty() {
        return Some(word.clone());
    }
    let text = word.text.trim_start();
    let lower = text.to_ascii_lowercase();
    let at = if before.contains(['=', '(']) { lower.find(before)? } else { lower.starts_with(before).then_some(0)? };
    let rest = text.get(at + before.len()..)?.trim_end_matches(')');
    // An `apt` list, which ends after the last line: `{"LINE;"}`.
    let rest = if before.ends_with('{') { rest.trim_end_matches(['}', ';']) } else { rest };
    // TOML: a string, or a list of words.
    let rest = rest.trim_matches(['"', '\'']).trim_start_matches("[\"").trim_end_matches("\"]").replace("\",\"", " ");
    let mut rest = literal(&rest);
    rest.dynamic = false;
    Some(rest)
}

/// Returns a text that runs, unless it is a bare word.
fn run(name: &str, text: &Word) -> Option<Run> {
    let bare = |char: char| char.is_ascii_alphanumeric() || "-_./+".contains(char);
    if text.text.chars().all(bare) && !is_own_program(&text.text) {
        let helper = text.text.rsplit('/').next().unwrap_or_default();
        // The files passed to it are unknown.
        let words = ["xargs", helper].map(literal).to_vec();
        return loses_files(&text.text).then(|| of(name, Runnable::Words { assignments: Vec::new(), words }));
    }
    Some(of(name, Runnable::Text { text: text.clone(), parameters: None }))
}

/// Returns a helper that is a shell, which only runs typed commands.
fn bare_shell(name: &str, text: &Word) -> Option<Run> {
    let shell = is_shell(text.text.rsplit('/').next().unwrap_or_default());
    shell.then(|| of(name, Runnable::Words { assignments: Vec::new(), words: vec![text.clone()] }))
}

/// Returns whether a setting selects the shell for other commands: `npm --script-shell bash`.
fn names_shell(setting: &str) -> bool {
    setting.contains("shell")
}

fn of(name: &str, what: Runnable) -> Run {
    // These programs log in to a machine of a cloud.
    let is_remote = matches!(name, "fly" | "flyctl" | "gcloud");
    let (kind, place) = if is_remote { ("ssh", Place::Remote) } else { ("option", Place::Apart) };
    let via = Via { kind: kind.to_owned(), detail: name.to_owned() };
    Run { via, what, place, certain: true, mark: None }
}

/// git subcommands that run the text of an option.
const GIT_OPTIONS: &[(&str, &[&str])] = &[
    ("rebase", &["x", "exec"]),
    ("difftool", &["x", "extcmd"]),
    ("grep", &["O", "open-files-in-pager"]),
    ("clone", &["u", "upload-pack"]),
    ("fetch", &["upload-pack"]),
    ("pull", &["upload-pack"]),
    ("ls-remote", &["upload-pack", "exec"]),
    ("push", &["receive-pack", "exec"]),
    ("archive", &["exec"]),
    ("send-email", &["to-cmd", "cc-cmd", "header-cmd", "sendmail-cmd", "smtp-server"]),
    (
        "filter-branch",
        &[
            "env-filter",
            "tree-filter",
            "index-filter",
            "parent-filter",
            "msg-filter",
            "commit-filter",
            "tag-name-filter",
            "setup",
        ],
    ),
];

fn git(words: &[Word]) -> Vec<Run> {
    let options = leading(words, git_settings::GLOBAL);
    let mut found = Vec::new();
    for setting in git_settings::given(words) {
        match setting.command() {
            Some(text) if setting.is_alias() => {
                found.push(Run { certain: false, ..of("git", Runnable::Text { text, parameters: None }) });
            }
            text => found.extend(text.and_then(|text| run("git", &text))),
        }
    }
    let Some((verb, rest)) = options.rest.split_first() else { return found };
    // `ext::COMMAND` is a transport that starts the command. `%` escapes a blank in a word.
    for text in rest.iter().filter_map(|word| word.text.strip_prefix("ext::")) {
        let text = text.replace("% ", "\u{1}");
        let words = text.split_whitespace().map(|word| literal(&word.replace('\u{1}', " "))).collect();
        found.push(of("git", Runnable::Words { assignments: Vec::new(), words }));
    }
    let tail = match (verb.text.as_str(), rest.first().map(|word| word.text.as_str())) {
        ("submodule" | "submodule--helper", _) => {
            rest.iter().position(|word| word.text == "foreach").and_then(|at| rest.get(at + 1..))
        }
        ("bisect", Some("run")) => rest.get(1..),
        _ => None,
    };
    if let Some(tail) = tail {
        let tail = leading(tail, takes("", "")).rest;
        if let [text] = tail {
            found.extend(run("git", text));
        } else if !tail.is_empty() {
            let what = Runnable::Words { assignments: Vec::new(), words: tail.to_vec() };
            found.push(of("git", what));
        }
    }
    if let Some((_, names)) = GIT_OPTIONS.iter().find(|(known, _)| *known == verb.text) {
        let long = "exec extcmd upload-pack receive-pack onto strategy env-filter tree-filter index-filter parent-filter \
                    msg-filter commit-filter tag-name-filter setup open-files-in-pager to-cmd cc-cmd header-cmd \
                    sendmail-cmd smtp-server";
        let short = if verb.text == "rebase" || verb.text == "difftool" {
            "xsX"
        } else if verb.text == "grep" {
            "OefmABC"
        } else {
            "u"
        };
        let (flags, _) = everything(rest, takes(short, long), "git");
        let texts = flags.iter().filter(|flag| flag.is_any(names));
        found.extend(texts.filter_map(|flag| run("git", &flag.word())));
    }
    found
}

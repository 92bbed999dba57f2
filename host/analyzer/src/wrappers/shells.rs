//! Commands whose words become shell: shells with `-c`, `eval`, `trap`, a git alias.

use guard_sdk::syntax::Word;

use super::layer::{Layer, Place, Runnable, joined, program, takes};
use crate::options::{Flag, Options, Parsed, leading};
use crate::word::expand::{literal, parameter};

const SHELLS: &[&str] = &[
    "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "yash", "posh", "csh", "tcsh", "nu", "xonsh",
    "elvish", "osh", "ysh",
];

/// Returns whether this program reads shell.
pub(crate) fn is_shell(name: &str) -> bool {
    SHELLS.contains(&name)
}

/// The way in which a shell was called.
enum Call<'a> {
    /// `-c TEXT NAME PARAMETERS`.
    Text(&'a Word, &'a [Word]),
    /// Reads commands from standard input, with parameters.
    Input,
    /// Reads a file, with parameters.
    File(&'a Word, &'a [Word]),
    /// Only checks its text.
    Check,
}

/// Shells whose options have texts as their values: the options with a value, those with the text that runs, and those
/// with a text that runs before the shell's other input.
const BY_VALUE: &[(&str, Options, &[&str], &[&str])] = &[
    (
        "fish",
        takes("cCpdfDo", "command init-command profile profile-startup debug debug-output debug-stack-frames features"),
        &["c", "command"],
        &["C", "init-command"],
    ),
    (
        "nu",
        takes(
            "ceImt",
            "commands execute include-path table-mode threads config env-config plugin-config plugins \
              log-level log-target error-style testbin",
        ),
        &["c", "commands"],
        &["e", "execute"],
    ),
];

/// Returns the options of a shell whose texts are values.
fn by_value(argv: &[Word]) -> Option<(Parsed<'_>, &'static [&'static str], &'static [&'static str])> {
    let name = program(argv)?;
    let (_, takes, texts, before) = BY_VALUE.iter().find(|(shell, ..)| *shell == name)?;
    Some((leading(argv.get(1..)?, *takes), texts, before))
}

/// Parses a shell's options. `-c` may be anywhere in a cluster (`-lc`, `-ec`), and its text is the first operand.
fn call(argv: &[Word]) -> Option<Call<'_>> {
    if let Some((options, texts, _)) = by_value(argv) {
        return match options.rest.split_first() {
            _ if options.flag(texts).is_some() => None,
            Some((word, parameters)) if !is_input(&word.text) => Some(Call::File(word, parameters)),
            _ => Some(Call::Input),
        };
    }
    let mut rest = argv.get(1..)?;
    let (mut text, mut input, mut checks, mut set_up) = (false, false, false, None);
    while let Some((first, tail)) = rest.split_first() {
        let option = first.text.as_str();
        if matches!(option, "--" | "-") {
            rest = tail;
            break;
        }
        if let Some(long) = option.strip_prefix("--") {
            text |= long == "command";
            if matches!(long, "rcfile" | "init-file") {
                rest = tail.get(1..).unwrap_or_default();
                set_up = set_up.or(tail.first());
            } else {
                rest = tail;
            }
            continue;
        }
        let Some(letters) = option.strip_prefix(['-', '+']).filter(|letters| !letters.is_empty()) else { break };
        text |= option.starts_with('-') && letters.contains('c');
        input |= letters.contains('s');
        if letters.contains('n') {
            checks = option.starts_with('-');
        }
        let values = letters.chars().filter(|letter| matches!(letter, 'o' | 'O')).count();
        rest = tail.get(values..).unwrap_or_default();
    }
    match rest.split_first() {
        Some((word, parameters)) if text => Some(Call::Text(word, parameters)),
        _ if checks => Some(Call::Check),
        Some((word, parameters)) if !input && descriptor(&word.text) != Some(0) => Some(Call::File(word, parameters)),
        // The startup file always runs first.
        _ => Some(set_up.map_or(Call::Input, |file| Call::File(file, &[]))),
    }
}

/// Returns the text of `bash -c TEXT`.
pub(super) fn command_text(argv: &[Word]) -> Option<Layer> {
    if let Some((options, texts, before)) = by_value(argv) {
        let is_text = |flag: &&Flag<'_>| flag.is_any(texts) || flag.is_any(before);
        let mut layer = Layer { outer: None, runs: Vec::new() };
        for flag in options.flags.iter().filter(is_text) {
            let what = Runnable::Text { text: flag.word(), parameters: None };
            layer.runs.append(&mut Layer::one("shell-c", program(argv)?, what, Place::Apart).runs);
        }
        layer.outer = options.flag(texts).is_none().then(|| argv.to_vec());
        return (!layer.runs.is_empty()).then_some(layer);
    }
    let Call::Text(text, parameters) = call(argv)? else { return None };
    let parameters = Some(parameters.to_vec());
    let name = program(argv).unwrap_or_default();
    let what = Runnable::Text { text: text.clone(), parameters };
    // Options such as `-O lastpipe` and `+B` change how the text is read, so the shell stays among the commands.
    let is_cluster = |word: &Word| word.text.starts_with('-') && !word.text.starts_with("--");
    let changes_reading = |word: &Word| word.text.starts_with('+') || is_cluster(word) && word.text.contains('O');
    let options = || argv.iter().skip(1).take_while(|word| word.text.starts_with(['-', '+']));
    let outer = options().any(changes_reading).then(|| argv.to_vec());
    Some(Layer { outer, ..Layer::one("shell-c", name, what, Place::Apart) })
}

/// Returns whether this command is a shell that reads its commands from standard input.
pub(crate) fn reads_input(argv: &[Word]) -> bool {
    match program(argv) {
        // Without a command, the other machine's shell reads standard input.
        Some("ssh") => super::remote::ssh_has_no_command(argv),
        Some("sudo" | "sudo-rs" | "doas") => {
            let spec = takes("ugpCchrRtTDU", "user group chdir");
            let options = leading(argv.get(1..).unwrap_or_default(), spec);
            options.rest.is_empty() && options.flag(&["s", "i", "shell", "login"]).is_some()
        }
        Some("su") => argv.iter().skip(1).all(|word| !word.text.contains("-c") && word.text != "--help"),
        // A job is shell, unless it is in a file.
        Some("sbatch" | "qsub" | "bsub") => {
            argv.iter().skip(1).all(|word| word.text.starts_with('-'))
                && !argv.iter().any(|word| word.text.starts_with("--wrap"))
        }
        Some("newgrp") => argv.len() <= 2,
        Some(name @ ("pwsh" | "powershell" | "pwsh.exe" | "powershell.exe")) => {
            let words = argv.get(1..).unwrap_or_default();
            let file =
                |word: &Word| windows_option(word).is_some_and(|option| "file".starts_with(&option) || option == "?");
            powershell_text(name, words).is_none()
                && !words.iter().any(file)
                && !words.iter().any(|word| word.text.ends_with(".ps1"))
        }
        // Their input runs later.
        Some("at" | "batch") => {
            let words = argv.get(1..).unwrap_or_default();
            let file = |word: &Word| matches!(word.text.as_str(), "-f" | "-l" | "-r" | "-d" | "-c");
            !words.iter().any(file) && (program(argv) == Some("batch") || !words.is_empty())
        }
        // In fish and zsh, it reads its input if there is no file.
        Some("source" | ".") => argv.get(1).is_none_or(|file| file.text == "-"),
        // It requests a shell.
        Some("systemd-run") => argv.iter().skip(1).any(|word| matches!(word.text.as_str(), "-S" | "--shell")),
        Some("poetry" | "pipenv" | "devenv") => argv.len() == 2 && argv.last().is_some_and(|verb| verb.text == "shell"),
        Some("capsh") => {
            argv.iter().skip(1).any(|word| word.text == "--") && !argv.iter().any(|word| word.text == "-c")
        }
        Some(name) => {
            is_shell(name) && matches!(call(argv), Some(Call::Input)) || super::table::opens_shell(name, argv)
        }
        None => false,
    }
}

/// A shell file that a command runs.
pub(crate) struct Script {
    pub(crate) file: Word,
    pub(crate) parameters: Vec<Word>,
    /// Whether it runs in the current shell.
    pub(crate) here: bool,
}

/// Paths of standard input that a pattern may match.
const INPUTS: &[&str] = &["dev/stdin", "dev/fd/0", "proc/self/fd/0"];

/// Returns whether a file is standard input.
pub(crate) fn is_input(file: &str) -> bool {
    descriptor(file) == Some(0)
}

/// Returns the descriptor number of a path, in any spelling.
pub(crate) fn descriptor(file: &str) -> Option<i32> {
    let mut names: Vec<&str> = Vec::new();
    for name in file.strip_prefix('/')?.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    let path = names.join("/");
    let fits = |input: &&str| path.contains(['*', '?', '[']) && parameter::matches(&path, input);
    if INPUTS.iter().any(fits) {
        return Some(0);
    }
    match names.as_slice() {
        ["dev", "stdin"] => Some(0),
        ["dev", "fd", number] | ["proc", _, "fd", number] | ["proc", _, "task", _, "fd", number] => number.parse().ok(),
        _ => None,
    }
}

/// Returns the file that a shell, `source`, or a command's path runs.
pub(crate) fn script(argv: &[Word]) -> Option<Script> {
    let (first, rest) = argv.split_first()?;
    let (file, parameters, here) = match program(argv)? {
        "source" | "." if rest.first().is_some_and(|first| first.text == "--") => {
            rest.get(1..)?.split_first().map(|(file, parameters)| (file, parameters, true))?
        }
        "source" | "." => rest.split_first().map(|(file, parameters)| (file, parameters, true))?,
        name if is_shell(name) => match call(argv)? {
            Call::File(file, parameters) => (file, parameters, false),
            Call::Text(..) | Call::Input | Call::Check => return None,
        },
        _ if first.text.contains('/') => (first, rest, false),
        _ => return None,
    };
    Some(Script { file: file.clone(), parameters: parameters.to_vec(), here })
}

/// `eval WORDS`, joined by spaces, in the current shell.
pub(super) fn eval(argv: &[Word]) -> Option<Layer> {
    let words = argv.get(1..)?;
    let words = if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
    if words.is_empty() {
        return None;
    }
    Some(Layer::one("eval", "", Runnable::Text { text: joined(words), parameters: None }, Place::Here))
}

/// `trap TEXT SIGNALS`. The text runs later, in this shell. `trap` is listed, too.
pub(super) fn trap(argv: &[Word]) -> Option<Layer> {
    let options = leading(argv.get(1..)?, takes("", ""));
    if options.flag(&["p", "l"]).is_some() {
        return None;
    }
    let (text, signals) = options.rest.split_first()?;
    if signals.is_empty() || matches!(text.text.as_str(), "" | "-") {
        return None;
    }
    let mut layer = Layer::one("trap", "", Runnable::Text { text: text.clone(), parameters: None }, Place::Apart);
    layer.outer = Some(argv.to_vec());
    Some(layer)
}

/// `pwsh -Command TEXT`, `pwsh -EncodedCommand BASE64`, `cmd /c TEXT`. The program is listed, too.
pub(super) fn of_windows(name: &str, argv: &[Word]) -> Option<Layer> {
    let words = argv.get(1..)?;
    let text = if name.starts_with("cmd") {
        let at = words.iter().position(|word| matches!(windows_option(word).as_deref(), Some("c" | "k" | "r")))?;
        joined(words.get(at + 1..)?)
    } else {
        powershell_text(name, words)?
    };
    if text.text.is_empty() {
        return None;
    }
    let mut layer = Layer::one("shell-c", name, Runnable::Text { text, parameters: None }, Place::Apart);
    layer.outer = Some(argv.to_vec());
    Some(layer)
}

/// Returns the name of a Windows program's option, in lower case. Git for Windows' shell treats a single slash as the
/// start of a path, so the slash is doubled there.
fn windows_option(word: &Word) -> Option<String> {
    let text = word.text.strip_prefix("//").or_else(|| word.text.strip_prefix(['-', '/']))?;
    Some(text.trim_start_matches('-').to_ascii_lowercase())
}

/// Returns whether PowerShell gets a known text.
pub(crate) fn is_given_powershell(name: &str, argv: &[Word]) -> bool {
    powershell_text(name, argv.get(1..).unwrap_or_default()).is_some()
}

/// Returns PowerShell's text. The options may be abbreviated.
fn powershell_text(name: &str, words: &[Word]) -> Option<Word> {
    const VALUES: &[&str] = &[
        "executionpolicy",
        "windowstyle",
        "version",
        "inputformat",
        "outputformat",
        "configurationname",
        "workingdirectory",
        "psconsolefile",
        "custompipename",
        "settingsfile",
        "ep",
        "ex",
        "wd",
        "w",
        "configurationfile",
    ];
    let mut rest = words;
    while let Some((first, tail)) = rest.split_first() {
        let Some(option) = windows_option(first) else {
            // Windows PowerShell takes a text here, and later versions a file name.
            let is_text = name.starts_with("powershell") || first.text.contains([' ', ';', '|']);
            return is_text.then(|| joined(rest));
        };
        let short = |long: &str, least: usize| option.len() >= least && long.starts_with(option.as_str());
        if short("command", 1) || short("commandwithargs", 8) || option == "cwa" {
            let is_input = matches!(tail, [only] if only.text == "-");
            return (!tail.is_empty() && !is_input).then(|| joined(tail));
        }
        if option == "e" || option == "ec" || short("encodedcommand", 2) {
            let bytes = crate::base64::decode(&tail.first()?.text)?;
            let pairs = bytes.chunks_exact(2);
            let units: Vec<u16> =
                pairs.map(|pair| pair.iter().rev().fold(0, |unit, byte| unit << 8 | u16::from(*byte))).collect();
            return Some(literal(&String::from_utf16_lossy(&units)));
        }
        if short("file", 1) {
            return None;
        }
        let takes = VALUES.iter().any(|value| !option.is_empty() && value.starts_with(option.as_str()));
        rest = if takes { tail.get(1..).unwrap_or_default() } else { tail };
    }
    None
}

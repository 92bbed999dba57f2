//! Programs without a description that have a dangerous command at the end of their words.
//!
//! A fallback after the table of wrappers: such a program may run the command, so it is listed as uncertain. It only
//! applies if the words as a command would lose something.

use guard_sdk::syntax::{Severity, Via, Word};

use super::layers::Pending;
use super::{Walker, embedded};
use crate::effects;
use crate::limits;
use crate::options::{Options, leading};
use crate::programs;
use crate::word::expand::literal;
use crate::wrappers::layer::{Layer, Place, Run, Runnable, program};
use crate::wrappers::shells::is_shell;
use crate::wrappers::{reads_code, reads_program};

/// Words after which a program's arguments are often another command.
const BEFORE_WORDS: &[&str] = &["--", "-e", "-c", "-x", "exec", "run", "--exec", "--command", "--cmd", "--run", "with"];

/// Options whose value is often shell text.
const BEFORE_TEXT: &[&str] =
    &["-c", "-x", "exec", "run", "--exec", "--command", "--cmd", "--run", "--script", "--hook"];

/// Words that are followed by a machine or container and then a command.
const BEFORE_TARGET: &[&str] = &["ssh", "rsh", "exec", "execute", "enter", "shell", "run"];

/// Suffixes of options and settings whose value is shell text, such as `--ssh-command`.
const ENDS_OF_TEXT: &[&str] = &["command", "commands", "cmd", "script", "scripts"];

/// Programs whose arguments are data, code in another language, or names.
const DATA: &[&str] = &[
    "ack",
    "adduser",
    "ag",
    "alias",
    "apropos",
    "ast-grep",
    "awk",
    "cheat",
    "chsh",
    "claude",
    "codex",
    "compgen",
    "complete",
    "cowsay",
    "curl",
    "declare",
    "echo",
    "export",
    "fc",
    "find",
    "gawk",
    "gemini",
    "gh",
    "git",
    "glab",
    "guard-host",
    "hash",
    "help",
    "history",
    "hub",
    "jq",
    "logger",
    "man",
    "mongosh",
    "mysql",
    "node",
    "notify-send",
    "perl",
    "php",
    "printf",
    "psql",
    "pw",
    "python",
    "python3",
    "rg",
    "ruby",
    "say",
    "sed",
    "set",
    "shellcheck",
    "sqlite3",
    "test",
    "tldr",
    "trap",
    "type",
    "unset",
    "useradd",
    "usermod",
    "vim",
    "wget",
    "whatis",
    "whereis",
    "which",
    "yq",
    "[",
];

/// Operations that affect other people or secrets, even if little is lost.
const STOPPED: &[&str] = &["code.unknown", "secret.", "package.publish", "service.stop"];

/// Options before a machine's name that mostly have a value.
const TARGETED: Options = Options::leading("cnpgu", "project namespace user profile context cluster");

/// The maximum number of commands guessed from one program's words.
const GUESSES: usize = 3;

/// The maximum number of examined words.
const MOST: usize = 256;

impl Walker {
    /// Returns the dangerous command at the end of the words of a program that isn't a known wrapper.
    pub(super) fn behind_unknown(&mut self, pending: &Pending<'_>) -> Option<Layer> {
        let (first, words) = pending.argv.split_first()?;
        if first.dynamic {
            return self.behind_unknown_name(first, words, pending);
        }
        let name = program(&pending.argv)?;
        if words.is_empty() && pending.input.text().is_none() {
            return None;
        }
        if words.len() > MOST {
            self.partial("a program that is not known is given too many words");
        }
        let pairs = words.windows(2).take(MOST).enumerate();
        let known = DATA.contains(&name) || name.contains("grep") || name.contains("commit") || is_own(&pending.argv);
        if let Some(at) = shell_text(words).filter(|_| !known) {
            let outer = pending.argv.get(..=at)?.to_vec();
            let what = Runnable::Words { assignments: Vec::new(), words: words.get(at..)?.to_vec() };
            return Some(self.guessed_layer(name, outer, what));
        }
        // An unknown program may also run all of its words.
        let all = (!known && leads(name, &pending.argv))
            .then(|| (Runnable::Words { assignments: Vec::new(), words: words.to_vec() }, 0));
        let behind = pairs.filter_map(|(index, pair)| {
            let [before, word] = pair else { return None };
            let (before, at) = (before.text.as_str(), index + 1);
            let plain = word.text.starts_with(|char: char| char.is_ascii_alphabetic() || char == '/');
            if !plain || word.dynamic || known {
                return None;
            }
            if (BEFORE_TEXT.contains(&before) || before.starts_with("--") && names_text(before))
                && word.text.contains(' ')
            {
                return Some((Runnable::Text { text: word.clone(), parameters: None }, at));
            }
            let rest = words.get(at..)?;
            let several = rest.len() > 1 && !word.text.contains(' ');
            let words = || Runnable::Words { assignments: Vec::new(), words: rest.to_vec() };
            (BEFORE_WORDS.contains(&before) && several).then(|| (words(), at))
        });
        let elsewhere = std::iter::once_with(|| at_target(words).filter(|_| !known)).flatten();
        let candidates = all.into_iter().chain(elsewhere).chain(behind).take(GUESSES);
        let end = words.len();
        let input = pending.input.text();
        let embedded = std::iter::once_with(|| embedded::candidates(words, input, is_described(name)));
        let embedded = embedded.filter(|_| !known).flatten().map(|what| (what, end));
        let scripts = if known || is_described(name) { Vec::new() } else { self.substituted_lines(words) };
        let scripts = scripts.iter().flat_map(|line| {
            let words: Vec<Word> = line.split_whitespace().map(literal).collect();
            embedded::candidates(&words, Some(line), false)
        });
        let candidates = candidates.chain(embedded).chain(scripts.map(|what| (what, end)));
        let mut lost = None;
        for (what, at) in candidates {
            let Some(left) = self.budget.unknown_left.checked_sub(1) else {
                self.partial("too many programs that are not known");
                return None;
            };
            self.budget.unknown_left = left;
            if self.loses(&what) {
                lost = Some((what, at));
                break;
            }
        }
        let (what, at) = lost?;
        let outer = match what {
            Runnable::Words { .. } if at < end => pending.argv.get(..=at)?.to_vec(),
            Runnable::Words { .. } | Runnable::Text { .. } => pending.argv.clone(),
        };
        Some(self.guessed_layer(name, outer, what))
    }

    /// Returns the lines of process substitutions, which an unknown program may read as a script.
    fn substituted_lines(&mut self, words: &[Word]) -> Vec<String> {
        let parts = words.iter().take(MOST).flat_map(|word| &word.parts).filter(|part| part.kind == "process");
        let texts: Vec<String> = parts.take(GUESSES).filter_map(|part| self.printed(&part.text)).collect();
        texts.iter().flat_map(|text| text.lines()).take(MOST).map(str::to_owned).collect()
    }

    /// Returns the text of `-c` or of the input, after a name that is only known at run time and may be a shell.
    fn behind_unknown_name(&self, first: &Word, words: &[Word], pending: &Pending<'_>) -> Option<Layer> {
        let is_text = |word: &Word| {
            let letters = word.text.strip_prefix('-');
            letters.is_some_and(|letters| letters.ends_with('c') && letters.bytes().all(|b| b.is_ascii_lowercase()))
        };
        let text = match words {
            [] => literal(pending.input.text()?),
            [option, text, ..] if is_text(option) => text.clone(),
            _ => return None,
        };
        let what = Runnable::Text { text, parameters: None };
        self.loses(&what).then(|| self.guessed_layer(&first.text, pending.argv.clone(), what))
    }

    fn guessed_layer(&self, name: &str, outer: Vec<Word>, what: Runnable) -> Layer {
        let via = Via { kind: "unknown".to_owned(), detail: name.to_owned() };
        Layer { outer: Some(outer), runs: vec![Run { via, what, place: Place::Apart, certain: false, mark: None }] }
    }

    /// Returns whether a command, taken alone, loses something that can't be recovered.
    pub(super) fn loses(&self, what: &Runnable) -> bool {
        let mut probe = Walker::new(self.dialect, &self.shell.cwd, "");
        probe.budget.unknown_left = 0;
        probe.budget.outputs_left = 0;
        match what {
            Runnable::Text { text, .. } if text.text.len() <= limits::VALUE => probe.outermost(&text.text),
            Runnable::Text { .. } => return false,
            Runnable::Words { words, .. } => {
                probe.outermost_words(words.iter().map(|word: &Word| word.text.clone()).collect())
            }
        }
        let effects = effects::collect(&probe.found, probe.file_systems(), "").effects;
        // A text that looks like SQL isn't a command.
        let by_store = |id: u32| {
            let place = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
            place.and_then(|place| probe.found.commands.get(place)).is_some_and(|command| reads_program(&command.argv))
        };
        effects.iter().any(|effect| match effect.severity {
            Severity::Destructive | Severity::Catastrophic => {
                !effect.operation.starts_with("sql.") || by_store(effect.command_id)
            }
            _ => STOPPED.iter().any(|start| effect.operation.starts_with(start)),
        })
    }
}

/// Returns whether an option's or setting's name indicates shell text.
fn names_text(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    let end = name.rsplit(['-', '_']).next().unwrap_or(name);
    ENDS_OF_TEXT.contains(&end)
}

/// Returns the command that an unknown program runs elsewhere: a setting such as `command=TEXT`, or the words after a
/// machine's name.
fn at_target(words: &[Word]) -> Option<(Runnable, usize)> {
    let text = |word: &Word| Runnable::Text { text: word.clone(), parameters: None };
    let set = words.iter().take(MOST).enumerate().find_map(|(at, word)| {
        let (name, value) = word.text.split_once('=')?;
        (!word.dynamic && names_text(name) && value.trim().contains(' ')).then(|| (text(&literal(value)), at + 1))
    });
    set.or_else(|| {
        let at = words.iter().take(MOST).position(|word| BEFORE_TARGET.contains(&word.text.as_str()))? + 1;
        let target = leading(words.get(at..)?, TARGETED).rest;
        let behind = target.get(1..).filter(|rest| !rest.is_empty())?;
        let at = words.len() - behind.len();
        let first = behind.first().filter(|first| !first.dynamic)?;
        match behind {
            [only] if only.text.contains(' ') => Some((text(first), at + 1)),
            [_] => None,
            _ => Some((Runnable::Words { assignments: Vec::new(), words: behind.to_vec() }, at)),
        }
    })
}

/// Returns whether a table or a code analyzer describes the program's arguments.
fn is_described(name: &str) -> bool {
    programs::is_known(name) || programs::is_plain(name) || reads_code(name)
}

/// Returns whether the first word after an unknown program is a known program.
fn leads(name: &str, argv: &[Word]) -> bool {
    let first = argv.get(1).map(|word| word.text.as_str()).unwrap_or_default();
    let plain = first.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'.');
    let relative = argv.first().is_some_and(|name| name.text.starts_with("../") || name.text.starts_with("./"));
    plain
        && !relative
        && argv.len() > 2
        && programs::is_known(first)
        && !programs::is_known(name)
        && !programs::is_plain(name)
}

/// Returns whether the words are arguments of the user's own program, which is built and run here.
fn is_own(argv: &[Word]) -> bool {
    let word = |at: usize| argv.get(at).map(|word| word.text.as_str()).unwrap_or_default();
    let built = ["target/debug/", "target/release/", "build/", "dist/", "bin/Debug/"];
    match word(0) {
        "cargo" | "go" | "dotnet" | "swift" | "stack" | "cabal" | "gleam" | "zig" => {
            matches!(word(1), "run" | "test" | "r" | "t")
        }
        "pytest" | "ctest" => true,
        path => {
            if !path.contains('/') {
                return false;
            }
            let is_behind_slash = |at: usize| path.get(..at).is_some_and(|before| before.ends_with('/'));
            path.trim_start_matches("./").starts_with(built[0])
                || built.iter().any(|folder| path.match_indices(folder).any(|(at, _)| is_behind_slash(at)))
        }
    }
}

/// Returns the index of a shell with a text among the words: `bash -c TEXT` isn't data.
fn shell_text(words: &[Word]) -> Option<usize> {
    let text = |three: &[Word]| {
        let [shell, option, _] = three else { return false };
        let letters = option.text.strip_prefix('-').unwrap_or_default();
        is_shell(shell.text.rsplit('/').next().unwrap_or_default())
            && letters.ends_with('c')
            && letters.bytes().all(|byte| byte.is_ascii_lowercase())
    };
    words.windows(3).take(MOST).position(text)
}

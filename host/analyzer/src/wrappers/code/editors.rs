//! The commands in a vim call, and the programs that they start.

use guard_sdk::syntax::Word;

use super::super::layer::{Run, Runnable};
use crate::languages::ex::{self, Action};
use crate::languages::pieces::Pieces;
use crate::options::{Options, Parsed, parse};
use crate::word::expand::literal;

/// Returns whether this program is vim or a variant of it.
pub(crate) fn is_vim(name: &str) -> bool {
    matches!(
        name,
        "vim"
            | "vi"
            | "nvim"
            | "ex"
            | "view"
            | "vimdiff"
            | "gvim"
            | "rvim"
            | "exim"
            | "rview"
            | "gview"
            | "evim"
            | "vimx"
            | "nvr"
    )
}

/// Returns the parsed arguments of a vim call. In line editor mode, `-s` takes no file of keys.
pub(crate) fn parsed<'a>(name: &str, words: &'a [Word]) -> Parsed<'a> {
    const LONG: &str = "cmd listen server remote-expr remote-send startuptime";
    let by_lines = |word: &Word| word.text.starts_with("-e") || word.text.starts_with("-E");
    let short = if name.starts_with("ex") || words.iter().any(by_lines) { "cSuTUwWtirV" } else { "cSuTUwWtirsV" };
    parse(words, Options::new(short, LONG).with_attached("V"), false)
}

/// Returns the commands in a vim call.
pub(crate) fn commands(parsed: &Parsed<'_>) -> Vec<String> {
    let flags = parsed.flags.iter().filter(|flag| flag.is_any(&["c", "cmd", "remote-expr"]));
    let keys = parsed.values("", "remote-send").flat_map(|keys| typed(&keys.text));
    let plus = parsed.operands.iter().filter_map(|operand| operand.text.strip_prefix('+'));
    flags.map(|flag| flag.text().to_owned()).chain(plus.map(str::to_owned)).chain(keys).collect()
}

/// Returns the commands typed by keys, as in `--remote-send`: `<Esc>:w<CR>`.
fn typed(keys: &str) -> Vec<String> {
    let lines = keys.split("<CR>").flat_map(|line| line.split("<cr>")).take(ex::MOST);
    lines.filter_map(|line| line.split_once(':').map(|(_, command)| command.to_owned())).collect()
}

/// Returns everything that the commands start.
pub(super) fn vim(name: &str, words: &[Word]) -> Vec<Run> {
    let parsed = parsed(name, words);
    let mut found = Vec::new();
    let commands = commands(&parsed);
    let shell = commands.iter().find_map(|command| ex::shell_of(command));
    let acts: Vec<Action> = commands.iter().flat_map(|command| ex::acts(command)).collect();
    if acts.len() >= ex::MOST {
        let text = Pieces::unknown().word();
        found.push(super::run(name, Runnable::Text { text, parameters: None }));
    }
    for act in acts {
        match act {
            // They are arguments for a shell of the user's choice.
            Action::Shell(words) if words.starts_with('-') => {
                found.extend(shell.iter().map(|shell| super::run(name, super::text(&format!("{shell} {words}")))));
            }
            Action::Shell(command) if !command.trim().is_empty() => found.push(super::run(name, super::text(&command))),
            Action::Code(program, option, code) => {
                let words = [program, option, &code].map(literal).to_vec();
                found.push(super::run(name, Runnable::Words { assignments: Vec::new(), words }));
            }
            _ => {}
        }
    }
    found
}

//! tmux commands: abbreviated names, keys typed one by one, and nested commands.

use guard_sdk::syntax::Word;

use super::layer::{Layer, Place, Run, Runnable, quoted, takes};
use crate::limits;
use crate::options::{Options, leading};
use crate::word::expand::literal;

/// tmux's own options that take a value.
const OWN: Options = takes("cfLST", "");

/// Commands that run or type something. Their names may be abbreviated.
const VERBS: &[&str] = &[
    "new-session",
    "new-window",
    "split-window",
    "run-shell",
    "respawn-pane",
    "respawn-window",
    "display-popup",
    "send-keys",
    "if-shell",
    "pipe-pane",
    "set-buffer",
    "set-hook",
    "bind-key",
    "confirm-before",
    "source-file",
    "set-environment",
    "kill-server",
    "kill-session",
    "kill-window",
    "kill-pane",
];

/// Aliases for a command other than the one they are a prefix of.
const ALIASES: &[&str] =
    &["display", "new", "run", "send", "if", "set", "source", "bind", "confirm", "split", "respawn"];

/// Returns the texts of a tmux call that aren't in the table of wrappers.
pub(super) fn layer(argv: &[Word]) -> Option<Layer> {
    let (verb, rest) = leading(argv.get(1..)?, OWN).rest.split_first()?;
    let given = verb.text.as_str();
    let full = VERBS.iter().find(|full| given.len() > 1 && full.starts_with(given) && !ALIASES.contains(&given));
    if let Some(full) = full.filter(|full| **full != given) {
        let mut words = argv.to_vec();
        let at = argv.len().checked_sub(rest.len() + 1)?;
        *words.get_mut(at)? = literal(full);
        return Some(Layer::one("tmux", "", Runnable::Words { assignments: Vec::new(), words }, Place::Apart));
    }
    // `bind KEY COMMAND WORDS`.
    if matches!(given, "bind-key" | "bind")
        && let [_, command, words @ ..] = leading(rest, takes("TN", "")).rest
        && !command.text.contains(' ')
    {
        let words = [&literal("tmux"), command].into_iter().chain(words).cloned().collect();
        let layer = Layer::one("tmux", "", Runnable::Words { assignments: Vec::new(), words }, Place::Apart);
        return Some(Layer { outer: Some(argv.to_vec()), ..layer });
    }
    let operands = || rest.iter().filter(|word| !word.text.starts_with('-') && !word.dynamic);
    let mut texts: Vec<Word> = Vec::new();
    match given {
        "send-keys" | "send" => texts.extend(typed(rest)),
        "if-shell" | "if" | "set-hook" | "bind-key" | "bind" | "confirm-before" | "confirm" => {
            let commands = operands().filter(|word| word.text.contains(' ')).take(limits::STARTS);
            texts.extend(commands.map(|word| literal(&format!("tmux {}", word.text))));
        }
        // The programs in its windows get the variable.
        "set-environment" | "setenv" => {
            let given: Vec<&Word> = leading(rest, takes("t", "")).rest.iter().collect();
            if let [name, value] = given.as_slice() {
                texts.push(literal(&format!("export {}={}", name.text, quoted(&value.text))));
            }
        }
        _ => {}
    }
    // A format runs the text in `#( )`.
    let formats = rest.iter().filter_map(|word| Some(word.text.split_once("#(")?.1.rsplit_once(')')?.0));
    texts.extend(formats.take(limits::STARTS).map(literal));
    if texts.is_empty() {
        return None;
    }
    let run = |text: Word| Layer::one("tmux", "", Runnable::Text { text, parameters: None }, Place::Apart).runs;
    let runs: Vec<Run> = texts.into_iter().flat_map(run).collect();
    Some(Layer { outer: Some(argv.to_vec()), runs })
}

/// Returns the text typed by individual keys.
fn typed(words: &[Word]) -> Option<Word> {
    let keys = leading(words, takes("tNc", "")).rest;
    let single = keys.iter().filter(|key| key.text.chars().count() == 1).count();
    if !keys.iter().any(|key| key.text == "Space") && single < 3 || keys.iter().any(|key| key.dynamic) {
        return None;
    }
    let mut text = String::new();
    for key in keys {
        match key.text.as_str() {
            "Space" => text.push(' '),
            "Enter" | "C-m" | "KPEnter" | "C-j" => text.push('\n'),
            "Tab" | "C-i" => text.push('\t'),
            key => text.push_str(key),
        }
    }
    Some(literal(&text))
}

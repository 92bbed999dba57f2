//! Programs that create and fill a folder with a given name: Python environments and new projects.

use guard_sdk::syntax::Word;

use crate::options::Operand;
use crate::run::Run;

/// A program, and the words before the folder.
const MAKERS: &[(&str, &[&str])] = &[
    ("cargo", &["new"]),
    ("conda", &["create", "-p"]),
    ("python", &["-m", "venv"]),
    ("python3", &["-m", "venv"]),
    ("uv", &["venv"]),
    ("virtualenv", &[]),
];

pub(super) fn find(run: &mut Run<'_>) {
    let words = run.arguments();
    let leads = |wanted: &[&str]| wanted.iter().zip(words).all(|(wanted, word)| word.text == *wanted);
    let Some((_, wanted)) = MAKERS.iter().find(|(name, wanted)| *name == run.name && leads(wanted)) else { return };
    let behind = words.get(wanted.len()..).unwrap_or_default();
    let is_name = |word: &&Word| !word.text.starts_with('-') && !word.text.contains('=');
    // After an option, a word may be its value.
    let is_led = words.len() >= wanted.len();
    let Some(folder) = behind.first().filter(is_name).or_else(|| behind.last().filter(is_name)).filter(|_| is_led)
    else {
        return;
    };
    run.write_tree(&Operand::of(folder));
}

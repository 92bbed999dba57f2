//! Backups that programs write before they replace a file: `sed -i.bak`, `cp -b`.

use crate::options::{Operand, Parsed};
use crate::run::Run;

/// Returns the suffix of backups in an option such as `-i.bak`, `-pi.bak` or `--in-place=.bak`.
pub(in crate::programs) fn in_place_suffix(run: &Run<'_>) -> Option<String> {
    let suffix = |word: &str| match word.strip_prefix("--in-place=") {
        Some(suffix) => Some(suffix.to_owned()),
        None => {
            let letters = word.strip_prefix('-').filter(|letters| !letters.starts_with('-'))?;
            let (before, suffix) = letters.split_once('i')?;
            // Other letters take the rest of the word as their value.
            before.bytes().all(|letter| b"Ealnprsuwz0".contains(&letter)).then(|| suffix.to_owned())
        }
    };
    let options = run.arguments().iter().map(|word| word.text.as_str()).take_while(|word| *word != "--");
    options.filter_map(suffix).find(|suffix| !suffix.is_empty())
}

/// Returns the suffix of the backups that `cp`, `mv`, `ln` and `install` make.
pub(super) fn copy_suffix(parsed: &Parsed<'_>) -> Option<String> {
    let set = parsed.value("S", "suffix");
    let makes = parsed.has("b", "backup") || set.is_some();
    makes.then(|| set.map_or_else(|| "~".to_owned(), |suffix| suffix.text.into_owned()))
}

/// Adds the write of a file's backup. A `*` in the suffix is the file's name.
pub(in crate::programs) fn write_backup(run: &mut Run<'_>, file: &Operand<'_>, suffix: &str) {
    let text = file.text.trim_end_matches('/');
    let (folder, name) = text.rsplit_once('/').map_or(("", text), |(folder, name)| (folder, name));
    let backup = if suffix.contains('*') { suffix.replace('*', name) } else { format!("{name}{suffix}") };
    let is_elsewhere = folder.is_empty() || backup.contains('/');
    let path = if is_elsewhere { backup } else { format!("{folder}/{backup}") };
    run.write(&file.renamed(path));
}

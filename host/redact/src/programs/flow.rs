//! Text that is written to a program or file that takes a secret: the output of `echo` and `printf`, here-strings and
//! here-documents.

use std::ops::Range;

use super::commands::{Command, Word};
use super::names::{is_harmless, keeps_secrets};
use super::table::SecretPart;

/// Programs that write their input to the files in their arguments.
pub(super) const WRITERS: &[&str] = &["tee", "sponge", "Set-Content", "Add-Content", "Out-File"];

/// Programs that print their arguments.
const PRINTERS: &[&str] = &["echo", "printf", "yes", "print", "Write-Output"];

/// The maximum number of words before one of them: `sudo`, `builtin`.
const LEADING: usize = 3;

/// The maximum number of examined commands in a pipeline.
const PIPE: usize = 8;

/// Returns whether the command writes to a file for secrets.
pub(super) fn takes(command: &Command<'_>) -> bool {
    let writer = command.words.iter().position(|word| WRITERS.contains(&word.text()));
    let operands = writer.and_then(|at| command.words.get(at + 1..)).unwrap_or_default();
    let of_dd = command.words.iter().filter_map(|word| word.text().strip_prefix("of="));
    command.targets.iter().chain(operands).map(Word::text).chain(of_dd).any(keeps_secrets)
}

/// Records the secrets in the input of the command at this index. `part` is the secret's part of each line. For a file,
/// the secret is each line's value.
pub(super) fn into(
    text: &str,
    commands: &[Command<'_>],
    place: usize,
    part: SecretPart,
    found: &mut Vec<Range<usize>>,
) {
    let Some(command) = commands.get(place) else { return };
    let fed = commands.get(place + 1).filter(|_| command.fed);
    let mut first = place;
    while place - first < PIPE && first > 0 && commands.get(first).is_some_and(|command| command.piped) {
        first -= 1;
    }
    let groups = commands.get(first..=place).unwrap_or_default().iter().filter_map(|command| command.group);
    let first = groups.min().unwrap_or(first).max(place.saturating_sub(PIPE)).min(first);
    let piped = commands.get(first..=place).unwrap_or_default();
    for source in piped.iter().chain(fed) {
        written(source, part, found);
        for word in &source.here {
            secrets_in_lines(word.text(), part, &mut |piece| found.extend(word.place(piece)));
        }
        for document in &source.documents {
            let lines = text.get(document.clone()).unwrap_or_default();
            secrets_in_lines(lines, part, &mut |piece| {
                found.push(document.start + piece.start..document.start + piece.end)
            });
        }
    }
}

/// Records the secrets in the output of `echo` or `printf`.
fn written(command: &Command<'_>, part: SecretPart, found: &mut Vec<Range<usize>>) {
    let program = |word: &Word<'_>| word.text().rsplit('/').next().is_some_and(|name| PRINTERS.contains(&name));
    let Some(place) = command.words.iter().take(LEADING).position(program) else { return };
    let (start, operands) = command.words.split_at_checked(place + 1).unwrap_or_default();
    let is_flag = |word: &Word<'_>| matches!(word.text(), "-n" | "-e" | "-E" | "-ne" | "-en" | "--");
    let flags = operands.iter().take_while(|word| is_flag(word)).count();
    let operands = operands.get(flags..).unwrap_or_default();
    let has_format = start.last().is_some_and(|word| word.text().ends_with("printf")) && operands.len() > 1;
    let operands = operands.get(usize::from(has_format)..).unwrap_or_default();
    // A line of `.netrc` is recognized as such elsewhere.
    if operands.first().is_some_and(|word| word.text() == "machine") {
        return;
    }
    for word in operands {
        // The format determines the value's position.
        let part = if has_format { SecretPart::Whole } else { part };
        secrets_in_lines(word.text(), part, &mut |piece| found.extend(word.place(piece)));
    }
}

/// Reports the secrets in lines.
pub(super) fn secrets_in_lines(text: &str, part: SecretPart, told: &mut dyn FnMut(Range<usize>)) {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at + line.len() - line.trim_start().len();
        at += line.len();
        let line = line.trim();
        let secret = if part == SecretPart::Whole { secret_in_line(line) } else { part.find_in(line) };
        if let Some(secret) = secret
            && line.get(secret.clone()).is_some_and(|secret| !is_harmless("", secret))
        {
            told(start + secret.start..start + secret.end);
        }
    }
}

/// Returns the range of the secret in a line of a file for secrets, or in one that is a secret.
fn secret_in_line(line: &str) -> Option<Range<usize>> {
    let netrc = ["machine ", "default ", "login ", "account ", "password "];
    if line.is_empty() || line.starts_with(['#', '[']) || netrc.iter().any(|key| line.starts_with(key)) {
        return None;
    }
    if line.contains("://") {
        return super::addresses::secret(line);
    }
    let of_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b':' | b'/' | b' ');
    if let Some((name, value)) = line.split_once('=')
        && name.bytes().all(of_name)
        && !value.trim_matches('=').is_empty()
    {
        let value = value.trim_start();
        let quotes = value.len() - value.trim_start_matches(['\'', '"']).len();
        let end = line.len() - quotes.min(value.len() - value.trim_end_matches(['\'', '"']).len());
        return Some(line.len() - value.len() + quotes..end.max(line.len() - value.len() + quotes));
    }
    // The host, port, database and user in a line of `.pgpass`.
    let fourth = line.match_indices(':').nth(3).map_or(0, |(colon, _)| colon + 1);
    Some(fourth..line.len())
}

//! Secrets in program arguments: [`find`] searches a text for the programs in the [`table`].

mod commands;
mod flow;
mod table;

use std::ops::Range;

use commands::{Command, Word, commands};
use table::{OF_SHELL, ROWS, Row, SecretPart, SecretPosition};

use super::names::may_name_secret;
use super::{addresses, names};

/// The maximum number of examined arguments of a program.
const ARGUMENTS: usize = 256;

/// Adds the ranges of secrets in the text's commands.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if !names_a_program(text) {
        return;
    }
    let commands = commands(text);
    for (place, command) in commands.iter().enumerate() {
        let mut secret = |word: &Word<'_>, piece: Range<usize>| found.extend(word.place(piece));
        for word in &command.words {
            if let Some(piece) = addresses::secret(word.text()) {
                secret(word, piece);
            }
        }
        if let Some(part) = command_secrets(command, &mut secret) {
            flow::into(text, &commands, place, part, found);
        }
    }
}

/// Adds the ranges of secrets in the content of a file for secrets.
pub(super) fn find_kept(text: &str, found: &mut Vec<Range<usize>>) {
    flow::secrets_in_lines(text, SecretPart::Whole, &mut |piece| found.push(piece));
}

/// Returns the secrets among the words of one command, after shell expansion.
pub(super) fn secrets_in_words<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut secrets = Vec::new();
    let words = words.iter().map(|word| Word::plain(word)).collect();
    let command = Command { words, ..Command::default() };
    command_secrets(&command, &mut |word, piece| secrets.extend(word.source().get(piece)));
    secrets
}

/// The rows of a table, and each program name with its row's index, sorted. Sorting happens at compile time, so that no
/// call has to wait for it.
struct Programs {
    rows: &'static [Row],
    names: &'static [(&'static str, usize)],
}

static PROGRAMS: Programs = Programs { rows: ROWS, names: &by_name::<{ count(ROWS) }>(ROWS) };
static SHELL: Programs = Programs { rows: OF_SHELL, names: &by_name::<{ count(OF_SHELL) }>(OF_SHELL) };

/// Returns the number of program names in the rows.
#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn count(rows: &[Row]) -> usize {
    let (mut names, mut row) = (0, 0);
    while row < rows.len() {
        names += rows[row].programs.len();
        row += 1;
    }
    names
}

/// Returns each name with its row's index, sorted. It uses its own Shellsort, because the standard library's sort isn't
/// `const`.
#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn by_name<const N: usize>(rows: &'static [Row]) -> [(&'static str, usize); N] {
    let mut order = [("", 0); N];
    let (mut names, mut row) = (0, 0);
    while row < rows.len() {
        let mut name = 0;
        while name < rows[row].programs.len() {
            order[names] = (rows[row].programs[name], row);
            (names, name) = (names + 1, name + 1);
        }
        row += 1;
    }
    let mut gap = N / 2;
    while gap > 0 {
        let mut next = gap;
        while next < N {
            let mut place = next;
            while place >= gap && is_before(order[place], order[place - gap]) {
                (order[place], order[place - gap]) = (order[place - gap], order[place]);
                place -= gap;
            }
            next += 1;
        }
        gap /= 2;
    }
    order
}

#[expect(clippy::indexing_slicing, reason = "runs when the program is built")]
const fn is_before(one: (&str, usize), other: (&str, usize)) -> bool {
    let (left, right) = (one.0.as_bytes(), other.0.as_bytes());
    let mut at = 0;
    while at < left.len() && at < right.len() && left[at] == right[at] {
        at += 1;
    }
    if at < left.len() && at < right.len() {
        left[at] < right[at]
    } else if left.len() != right.len() {
        left.len() < right.len()
    } else {
        one.1 < other.1
    }
}

impl Programs {
    /// Returns the rows of a program, in the table's order.
    fn rows(&self, name: &str) -> impl Iterator<Item = &'static Row> {
        let start = self.names.partition_point(|(program, _)| *program < name);
        let rest = self.names.get(start..).unwrap_or_default().iter();
        rest.take_while(move |(program, _)| *program == name).filter_map(|(_, row)| self.rows.get(*row))
    }

    fn has(&self, name: &str) -> bool {
        self.rows(name).next().is_some()
    }
}

/// Returns whether the text contains a program that [`find`] searches for.
fn names_a_program(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    text.contains(['<', '>'])
        || text.contains("://")
        || words.any(|word| PROGRAMS.has(word) || SHELL.has(word) || flow::WRITERS.contains(&word))
}

/// The callback for a secret: the word, and the range of its text.
type OnSecret<'s, 't> = &'s mut dyn FnMut(&Word<'t>, Range<usize>);

/// Reports each secret among the words. Returns the part of the command's input that is a secret, if any.
fn command_secrets<'t>(command: &Command<'t>, secret: OnSecret<'_, 't>) -> Option<SecretPart> {
    let words = &command.words;
    let mut read = flow::takes(command).then_some(SecretPart::Whole);
    for (place, program) in words.iter().enumerate() {
        let text = program.text();
        let is_option = text.starts_with("--");
        let name = if is_option { text.split('=').next() } else { text.rsplit('/').next() };
        let name = name.unwrap_or_default().trim_end_matches(".exe");
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        let begins = || before.is_none_or(|word| BEFORE.contains(&word.text()) || word.text().contains('='));
        let rows = PROGRAMS.rows(name).chain(SHELL.rows(name).filter(|_| begins()));
        let first = if is_option { place } else { place + 1 };
        let arguments = words.get(first..words.len().min(first + ARGUMENTS)).unwrap_or_default();
        for row in rows {
            let mut rest = arguments;
            let all = row.behind.iter().all(|wanted| {
                let at = rest.iter().position(|word| word.text().eq_ignore_ascii_case(wanted));
                rest = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
                at.is_some()
            });
            if all && row_secrets(row, arguments, rest, secret) {
                read = Some(row.part);
            }
        }
    }
    read
}

/// Shell words before a command.
const BEFORE: &[&str] = &["if", "then", "else", "elif", "while", "until", "do", "!", "builtin", "command", "time"];

/// Reports the secrets of a row, and returns whether the command's input is one. `rest` are the arguments after the
/// row's words.
fn row_secrets<'t>(row: &Row, arguments: &[Word<'t>], rest: &[Word<'t>], secret: OnSecret<'_, 't>) -> bool {
    let mut operands = rest.iter().filter(|word| !word.text().starts_with('-') || word.text() == "-");
    match row.place {
        SecretPosition::Input(flag) => {
            let letter = flag.strip_prefix('-').filter(|letter| letter.len() == 1);
            let has_flag =
                |word: &Word<'_>| word.text() == flag || letter.is_some_and(|letter| bundles(word.text(), letter));
            return flag.is_empty() || arguments.iter().any(has_flag);
        }
        SecretPosition::InputOfNamed => return operands.any(names_secret),
        _ => {}
    }
    let mut is_substitution = false;
    for (word, start) in secret_words(row.place, rest) {
        let Some(text) = word.text().get(start..) else { continue };
        // Another command prints it.
        is_substitution |= text == "$";
        let Some(piece) = row.part.find_in(text) else { continue };
        if text.get(piece.clone()).is_some_and(|text| text != "$" && !names::is_harmless("", text)) {
            secret(word, start + piece.start..start + piece.end);
        }
    }
    is_substitution
}

/// Returns the words with a secret at a position, each with the offset at which the secret may start.
fn secret_words<'a, 't>(position: SecretPosition, rest: &'a [Word<'t>]) -> Vec<(&'a Word<'t>, usize)> {
    let mut operands = rest.iter().filter(|word| !word.text().starts_with('-') || word.text() == "-");
    match position {
        SecretPosition::Option(option) => option_values(rest, option),
        SecretPosition::Next(option) => {
            let pairs = rest.iter().zip(rest.iter().skip(1));
            pairs.filter(|(word, _)| word.text() == option).map(|(_, value)| (value, 0)).collect()
        }
        SecretPosition::Attached(option) => {
            let has_value = |word: &&Word<'_>| word.text().len() > option.len() && word.text().starts_with(option);
            rest.iter().filter(has_value).map(|word| (word, option.len())).collect()
        }
        SecretPosition::LastIf(letter) => {
            let is_short_flags = |word: &&Word<'_>| word.text().starts_with('-') && !word.text().starts_with("--");
            let has_letter = rest.iter().filter(is_short_flags).any(|word| word.text().contains(letter));
            let last = rest.last().filter(|last| has_letter && !last.text().starts_with('-'));
            last.map(|word| (word, 0)).into_iter().collect()
        }
        SecretPosition::Operand(index) => operands.nth(index).map(|word| (word, 0)).into_iter().collect(),
        SecretPosition::Operands => operands.map(|word| (word, 0)).collect(),
        SecretPosition::Named => {
            let has_name = operands.any(names_secret);
            let value = operands.find(|word| has_name && !word.text().starts_with('%'));
            value.map(|word| (word, 0)).into_iter().collect()
        }
        SecretPosition::Input(_) | SecretPosition::InputOfNamed => Vec::new(),
    }
}

/// Returns whether the word, or its last part, is a name for a secret.
fn names_secret(word: &Word<'_>) -> bool {
    let name = word.text().rsplit(['.', ':', '/']).next().unwrap_or_default();
    may_name_secret(name) || may_name_secret(word.text())
}

impl SecretPart {
    /// Returns the range of the secret in a text.
    fn find_in(self, text: &str) -> Option<Range<usize>> {
        match self {
            SecretPart::Whole => Some(0..text.len()),
            // A file follows `@`.
            SecretPart::Behind(sign) => {
                let start = text.find(sign)? + sign.len_utf8();
                text.get(start..).filter(|secret| !secret.starts_with('@')).map(|_| start..text.len())
            }
            SecretPart::Login => {
                let colon = text.find(':')?;
                let user = text.get(..colon)?;
                if colon + 1 < text.len() {
                    return Some(colon + 1..text.len());
                }
                let is_word = user.bytes().all(|byte| byte.is_ascii_lowercase());
                (!is_word).then_some(0..colon)
            }
            SecretPart::Proxy => {
                let (colon, end) = (text.find(':')?, text.rfind('@')?);
                (colon < end && !text.contains("://")).then_some(colon + 1..end)
            }
            SecretPart::Connect => {
                let slash = text.find('/').filter(|at| *at > 0)?;
                let end = text.get(slash..)?.find('@').map_or(text.len(), |at| slash + at);
                (!text.get(..slash)?.contains(['@', '.'])).then_some(slash + 1..end)
            }
        }
    }
}

/// Returns whether the option is in a cluster: `-rP` is `-r -P`.
fn bundles(text: &str, letter: &str) -> bool {
    let letters = text.strip_prefix('-').unwrap_or_default();
    letters.contains(letter) && letters.len() <= 5 && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Returns the values of an option, in the next word or attached, each with the offset at which it starts.
fn option_values<'a, 't>(rest: &'a [Word<'t>], option: &str) -> Vec<(&'a Word<'t>, usize)> {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    let mut values = Vec::new();
    for (index, word) in rest.iter().enumerate() {
        let text = word.text();
        let is_last_letter = letter.is_some_and(|letter| text.ends_with(letter) && bundles(text, letter));
        if text == option || is_last_letter {
            values.extend(rest.get(index + 1).map(|value| (value, 0)));
        } else if let Some(value) = text.strip_prefix(option)
            && (value.starts_with('=') || letter.is_some())
        {
            values.push((word, option.len() + usize::from(value.starts_with('='))));
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::{OF_SHELL, PROGRAMS, ROWS, Row, SHELL};

    #[test]
    fn each_name_has_the_rows_of_the_table_in_its_order() {
        fn key(row: &'static Row) -> (&'static [&'static str], &'static [&'static str]) {
            (row.programs, row.behind)
        }
        for (programs, table) in [(&PROGRAMS, ROWS), (&SHELL, OF_SHELL)] {
            for name in table.iter().flat_map(|row| row.programs) {
                let wanted: Vec<_> = table.iter().filter(|row| row.programs.contains(name)).map(key).collect();
                assert_eq!(programs.rows(name).map(key).collect::<Vec<_>>(), wanted, "{name}");
            }
            assert!(!programs.has("") && !programs.has("no-such-program"));
        }
    }
}

//! What a command reads, and what it is known to write, so that `echo TEXT | sh` can be followed.
//!
//! Looks at one command at a time and knows nothing of the walk.

use guard_sdk::syntax::{Command, Redirection, Word};

use crate::base64;
use crate::limits;
use crate::parse::tree::Range;
use crate::programs;
use crate::word::expand::{self, Values};
use crate::word::{self, Mode};

/// What a command reads on its standard input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Input {
    /// What the whole text was given.
    Outer,
    /// Something from a pipe.
    Pipe,
    /// This text from a pipe.
    Piped(Word),
    /// A here-document or a here-string.
    Here(Word),
    /// A file.
    File,
}

impl Input {
    /// The text, if all of it is known.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Input::Piped(word) | Input::Here(word) if !word.dynamic => Some(&word.text),
            _ => None,
        }
    }

    /// The same, without what is known of it.
    pub(super) fn unknown(&self) -> Input {
        match self {
            Input::Piped(_) | Input::Here(_) => Input::Pipe,
            other => other.clone(),
        }
    }
}

/// What a command's own redirections give it to read.
pub(super) fn redirected(redirections: &[Redirection], values: &dyn Values) -> Option<Input> {
    let input = redirections.iter().rev().find(|redirection| redirection.fd == 0)?;
    match input.operator.as_str() {
        "<<" | "<<-" if input.body_quoted => Some(Input::Here(expand::literal(&input.body))),
        "<<" | "<<-" => {
            let range = Range { start: 0, end: input.body.len() };
            let pieces = word::read(&input.body, range, Mode::Quoted).pieces;
            Some(Input::Here(expand::word(pieces, values)))
        }
        "<<<" => Some(Input::Here(input.target.clone())),
        _ => Some(Input::File),
    }
}

/// Whether a redirection takes standard output away.
pub(super) fn takes_output(redirection: &Redirection) -> bool {
    matches!(redirection.fd, 1 | -1)
}

/// What `command` writes to its standard output, wherever that goes, if its words say so.
pub(super) fn of(command: &Command, input: &Input) -> Input {
    let plain = command.argv.iter().all(|word| !word.dynamic && !word.glob);
    let words = command.argv.get(1..).unwrap_or_default();
    let read = match input {
        Input::Piped(word) | Input::Here(word) => Some(word),
        _ => None,
    };
    let text = match command.program() {
        "echo" if !plain && words.iter().all(|word| !word.glob) => return spelled_out(words),
        _ if !plain => None,
        "echo" => echo(words),
        "printf" => printf(words),
        "tee" => return read.cloned().map_or(Input::Pipe, Input::Piped),
        "cat" if words.iter().all(|word| word.text.starts_with('-')) => {
            return read.cloned().map_or(Input::Pipe, Input::Piped);
        }
        "rev" if words.is_empty() => read.filter(|word| !word.dynamic).map(|word| reversed(&word.text)),
        "command" | "type" => match words {
            [option, name] if matches!(option.text.as_str(), "-v" | "-P" | "-p") => Some(installed(&name.text)),
            _ => None,
        },
        "mktemp" => programs::temporary::name(words),
        "which" if words.len() == 1 => words.first().map(|word| installed(&word.text)),
        "base64" if words.iter().any(|word| matches!(word.text.as_str(), "-d" | "-D" | "--decode")) => {
            read.filter(|word| !word.dynamic).and_then(|word| String::from_utf8(base64::decode(&word.text)?).ok())
        }
        _ => None,
    };
    text.filter(|text| text.len() <= limits::SOURCE).map_or(Input::Pipe, |text| Input::Piped(expand::literal(&text)))
}

/// Where a program usually lies. As a command's name the folder means nothing; as an operand it does.
fn installed(name: &str) -> String {
    if name.contains('/') { name.to_owned() } else { format!("/usr/bin/{name}") }
}

fn reversed(text: &str) -> String {
    text.lines().map(|line| line.chars().rev().collect::<String>()).collect::<Vec<_>>().join("\n")
}

/// What `echo` prints of words with parts that only the run shows.
fn spelled_out(words: &[Word]) -> Input {
    let options = words.iter().take_while(|word| matches!(word.text.as_str(), "-n" | "-e" | "-E" | "-ne" | "-en"));
    let words = words.get(options.count()..).unwrap_or_default();
    Input::Piped(crate::wrappers::layer::joined(words))
}

fn echo(words: &[Word]) -> Option<String> {
    let mut rest = words;
    let mut escapes = false;
    while let Some((first, tail)) = rest.split_first()
        && first
            .text
            .strip_prefix('-')
            .is_some_and(|flags| !flags.is_empty() && flags.chars().all(|flag| matches!(flag, 'n' | 'e' | 'E')))
    {
        escapes |= first.text.contains('e');
        rest = tail;
    }
    let text = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    // Some shells read the escapes in any case.
    Some(if escapes { unescape(&text) } else { text })
}

/// `printf FORMAT WORDS`, with `%s` and `%b` only.
pub(super) fn printf(words: &[Word]) -> Option<String> {
    let words = if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
    let (format, arguments) = words.split_first()?;
    let mut text = String::new();
    let mut arguments = arguments.iter().peekable();
    loop {
        let mut pieces = format.text.split('%');
        text.push_str(&unescape(pieces.next()?));
        let mut used = false;
        while let Some(piece) = pieces.next() {
            let mut chars = piece.chars();
            match chars.next() {
                Some(kind @ ('s' | 'b')) => {
                    used = true;
                    let argument = arguments.next().map_or("", |word| word.text.as_str());
                    text.push_str(&if kind == 'b' { unescape(argument) } else { argument.to_owned() });
                    text.push_str(&unescape(chars.as_str()));
                }
                None => {
                    text.push('%');
                    text.push_str(&unescape(pieces.next().unwrap_or_default()));
                }
                Some(_) => return None,
            }
        }
        if !used || arguments.peek().is_none() || text.len() > limits::SOURCE {
            return Some(text);
        }
    }
}

/// The escapes of `printf` and `echo -e` that matter in a command.
fn unescape(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            result.push(char);
            continue;
        }
        let mut number = |radix: u32, most: usize| {
            let (mut value, mut count) = (0_u32, 0);
            while count < most
                && let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(radix))
            {
                value = value * radix + digit;
                count += 1;
                chars.next();
            }
            (count > 0).then(|| char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER))
        };
        if let Some(char) = number(8, 4) {
            result.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('r') => result.push('\r'),
            Some('\\') => result.push('\\'),
            Some(radix @ ('x' | 'u' | 'U')) => {
                let (mut value, mut count) = (0_u32, 0);
                let most = match radix {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                while count < most
                    && let Some(digit) = chars.peek().and_then(|digit| digit.to_digit(16))
                {
                    value = value.wrapping_mul(16).wrapping_add(digit);
                    count += 1;
                    chars.next();
                }
                result.extend(char::from_u32(value));
            }
            Some(other) => {
                result.push('\\');
                result.push(other);
            }
            None => result.push('\\'),
        }
    }
    result
}

//! Other spellings of a simple command's words.

use std::fmt::Write as _;

use super::shape::{Shape, Word};
use guard_contract::shell_word::quoted;

/// The paths of common programs, on every machine that has them.
const PLACES: &[(&str, &[&str])] = &[
    ("/bin/", &["cat", "chmod", "chown", "cp", "dd", "echo", "ln", "ls", "mkdir", "mv", "rm", "rmdir", "sh"]),
    (
        "/usr/bin/",
        &[
            "curl",
            "docker",
            "env",
            "find",
            "git",
            "install",
            "kubectl",
            "make",
            "mysql",
            "npm",
            "podman",
            "printf",
            "psql",
            "python3",
            "rsync",
            "sed",
            "shred",
            "ssh",
            "systemctl",
            "tar",
            "tee",
            "touch",
            "truncate",
            "unlink",
            "wget",
        ],
    ),
    ("/sbin/", &["mkfs", "mkfs.ext4", "reboot", "shutdown"]),
];

pub(super) fn quote_argument(shape: &Shape<'_>) -> Option<String> {
    let word = shape.argument()?;
    shape.replace_word(word, &quoted(&word.text))
}

/// Quotes a word with double quotes, if it has no characters that are special in them.
fn double_quote(word: &Word<'_>) -> Option<String> {
    (!word.text.contains(['"', '\\', '$', '`', '!'])).then(|| format!("\"{}\"", word.text))
}

pub(super) fn double(shape: &Shape<'_>) -> Option<String> {
    let word = shape.argument()?;
    shape.replace_word(word, &double_quote(word)?)
}

/// Quotes a word with each byte as a number.
fn ansi_c_quote(word: &Word<'_>) -> String {
    let mut text = String::from("$'");
    for byte in word.text.bytes() {
        let _ = write!(text, "\\x{byte:02x}");
    }
    text + "'"
}

pub(super) fn ansi_c(shape: &Shape<'_>) -> Option<String> {
    let word = shape.argument()?;
    shape.replace_word(word, &ansi_c_quote(word))
}

pub(super) fn program_ansi_c(shape: &Shape<'_>) -> Option<String> {
    let word = shape.program()?;
    shape.replace_word(word, &ansi_c_quote(word))
}

pub(super) fn program_double(shape: &Shape<'_>) -> Option<String> {
    let word = shape.program()?;
    shape.replace_word(word, &double_quote(word)?)
}

pub(super) fn quote_all(shape: &Shape<'_>) -> Option<String> {
    let spelled = |word: &Word<'_>| if word.literal { quoted(&word.text) } else { word.raw.to_owned() };
    let tail: Vec<String> = shape.words.iter().skip(shape.program).map(spelled).collect();
    (tail.len() > 1).then(|| shape.replace_tail(shape.program, tail.iter().map(String::as_str)))?
}

/// Inserts `inside` after the first character of an unquoted word.
fn split(shape: &Shape<'_>, word: &Word<'_>, inside: &str) -> Option<String> {
    let (head, tail) = word.raw.split_at_checked(word.raw.chars().next()?.len_utf8())?;
    let plain = word.is_bare() && !tail.is_empty();
    plain.then(|| shape.replace_word(word, &format!("{head}{inside}{tail}")))?
}

pub(super) fn backslash(shape: &Shape<'_>) -> Option<String> {
    let word = shape.program().filter(|word| word.is_bare())?;
    shape.replace_word(word, &format!("\\{}", word.raw))
}

pub(super) fn backslash_inside(shape: &Shape<'_>) -> Option<String> {
    split(shape, shape.program()?, "\\")
}

pub(super) fn empty_quotes(shape: &Shape<'_>) -> Option<String> {
    split(shape, shape.program()?, "''")
}

pub(super) fn empty_quotes_argument(shape: &Shape<'_>) -> Option<String> {
    split(shape, shape.argument()?, "\"\"")
}

pub(super) fn continue_inside_word(shape: &Shape<'_>) -> Option<String> {
    split(shape, shape.program()?, "\\\n")
}

/// Joins all words with another separator.
fn join_words(shape: &Shape<'_>, gap: &str) -> Option<String> {
    let words: Vec<&str> = shape.words.iter().map(|word| word.raw).collect();
    (words.len() > 1).then(|| words.join(gap))
}

pub(super) fn continue_lines(shape: &Shape<'_>) -> Option<String> {
    join_words(shape, " \\\n  ")
}

pub(super) fn blanks(shape: &Shape<'_>) -> Option<String> {
    join_words(shape, " \t ")
}

pub(super) fn braces(shape: &Shape<'_>) -> Option<String> {
    let [.., one, other] = shape.words.as_slice() else { return None };
    let plain =
        |word: &Word<'_>| word.is_bare() && !word.text.contains([',', '=', '"', '\'']) && !word.text.contains("..");
    let fits = shape.words.len() >= shape.program + 3 && plain(one) && plain(other);
    let braces = format!("{{{},{}}}", one.raw, other.raw);
    fits.then(|| shape.replace_tail(shape.words.len() - 2, [braces.as_str()]))?
}

pub(super) fn program_variable(shape: &Shape<'_>) -> Option<String> {
    // Before a wrapper, the assignment would apply to the wrapper.
    let word = shape.program().filter(|word| word.is_bare() && shape.program == 0)?;
    let name = shape.fresh("c");
    Some(format!("{name}={}; {}", word.raw, shape.replace_word(word, &format!("${name}"))?))
}

pub(super) fn argument_variable(shape: &Shape<'_>) -> Option<String> {
    let (word, name) = (shape.argument()?, shape.fresh("a"));
    Some(format!("{name}={}; {}", quoted(&word.text), shape.replace_word(word, &format!("\"${name}\""))?))
}

pub(super) fn array(shape: &Shape<'_>) -> Option<String> {
    let arguments: Vec<&str> = shape.arguments().map(|word| word.raw).collect();
    let name = shape.fresh("a");
    let call = shape.replace_tail(shape.program + 1, [format!("\"${{{name}[@]}}\"").as_str()])?;
    let assigns = |word: &&str| word.starts_with('[');
    let fits = !arguments.is_empty() && !arguments.iter().any(assigns);
    fits.then(|| format!("{name}=({}); {call}", arguments.join(" ")))
}

pub(super) fn absolute(shape: &Shape<'_>) -> Option<String> {
    let word = shape.program().filter(|word| word.is_bare())?;
    let (place, _) = PLACES.iter().find(|(_, names)| names.contains(&word.raw))?;
    shape.replace_word(word, &format!("{place}{}", word.raw))
}

pub(super) fn strip_program_folder(shape: &Shape<'_>) -> Option<String> {
    let word = shape.program().filter(|word| word.is_bare())?;
    let known =
        |(place, names): &&(&str, &[&str])| word.raw.strip_prefix(place).is_some_and(|name| names.contains(&name));
    let (place, _) = PLACES.iter().find(known)?;
    shape.replace_word(word, word.raw.strip_prefix(place)?)
}

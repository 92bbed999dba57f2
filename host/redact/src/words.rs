//! Goes through a text word by word and leaves secrets out: values of telling names, passwords in addresses, tokens.

use super::MARK;
use super::names::{announces_next, attached_option, is_harmless, is_telling, known_program};
use super::tokens;

/// What the next words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// Anything.
    Nothing,
    /// The next word is a secret.
    Secret,
    /// The next word is `user:password`, or a secret.
    Login,
    /// All up to this quote is a secret.
    Until(char),
    /// All up to this quote behind a backslash is a secret.
    UntilEscaped(char),
    /// What adjoins a secret belongs to it.
    Adjoining,
    /// All words up to the end of the line or of the quotes are secrets.
    Line,
}

/// What is known at a place of the text.
struct State<'a> {
    expect: Expect,
    /// The word before in the same line.
    before: &'a str,
    /// The word before was a telling name in quotes, as a key of JSON is.
    key_before: bool,
    /// The program of the command, if its options tell something.
    program: Option<&'static str>,
}

fn separates(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || matches!(c, ',' | ';' | '(' | ')' | '<' | '>' | '|' | '&' | '?')
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`')
}

/// Copies `text` piece by piece: separators as they are, words without their secrets.
pub(super) fn copy(text: &str, out: &mut String) {
    let mut state = State { expect: Expect::Nothing, before: "", key_before: false, program: None };
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(separates).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let separator = after.chars().next();
        if word.starts_with("data:image/") && separator == Some(';') {
            rest = copy_image(rest, out);
            continue;
        }
        state.word(word, separator, out);
        out.extend(separator);
        rest = after.get(separator.map_or(0, char::len_utf8)..).unwrap_or_default();
    }
}

/// Copies an image in Base64 as it is: its letters mean nothing. Gives what follows it.
fn copy_image<'a>(text: &'a str, out: &mut String) -> &'a str {
    let is_data = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | ';' | ',' | '+' | '=' | '-' | '.');
    let (image, rest) = text.split_at_checked(text.find(|c| !is_data(c)).unwrap_or(text.len())).unwrap_or((text, ""));
    out.push_str(image);
    rest
}

impl<'a> State<'a> {
    fn word(&mut self, word: &'a str, separator: Option<char>, out: &mut String) {
        let quote = separator.filter(|c| is_quote(*c));
        match self.expect {
            Expect::Until(closing) | Expect::UntilEscaped(closing) => {
                if !word.trim_matches('\\').is_empty() && !out.ends_with(MARK) {
                    out.push_str(MARK);
                }
                let (escaped, wanted) = (word.ends_with('\\'), matches!(self.expect, Expect::UntilEscaped(_)));
                if separator == Some(closing) && escaped == wanted {
                    out.push_str(if escaped { "\\" } else { "" });
                    self.expect = Expect::Adjoining;
                }
                return;
            }
            Expect::Line => {
                if !word.is_empty() {
                    out.push_str(MARK);
                }
                if quote.is_some() || separator == Some('\n') {
                    self.expect = Expect::Nothing;
                }
                return;
            }
            Expect::Adjoining => {
                let structure = word.starts_with(['}', ']', ':', '\\']);
                self.expect = Expect::Nothing;
                if !word.is_empty() && !structure {
                    if !out.ends_with(MARK) {
                        out.push_str(MARK);
                    }
                    self.expect = adjoins(quote);
                    return;
                }
                if word.is_empty() && quote.is_some() {
                    self.expect = adjoins(quote);
                    return;
                }
            }
            Expect::Secret | Expect::Login
                if word.is_empty() || word.bytes().all(|byte| byte == b'\\' || byte == b'$') =>
            {
                out.push_str(word);
                if let (Some(quote), Expect::Secret) = (quote, self.expect) {
                    self.expect = opened(quote, word);
                }
                return;
            }
            Expect::Secret => {
                let scheme =
                    ["bearer", "basic", "token", "apikey", "negotiate"].contains(&word.to_ascii_lowercase().as_str());
                let harmless = is_harmless("", word.trim_end_matches(['}', ']']));
                out.push_str(if scheme || harmless { word } else { MARK });
                self.expect = match quote {
                    _ if scheme => Expect::Secret,
                    _ if harmless => Expect::Nothing,
                    quote => adjoins(quote),
                };
                return;
            }
            Expect::Login => {
                match word.split_once(':') {
                    Some((user, _)) => out.push_str(&format!("{user}:{MARK}")),
                    None => out.push_str(word),
                }
                self.expect = if word.contains(':') { adjoins(quote) } else { Expect::Nothing };
                return;
            }
            Expect::Nothing => {}
        }
        let before = self.before;
        if separator == Some('\n') {
            self.before = "";
        } else if !word.is_empty() {
            self.before = word;
        }
        if let Some(sign) = assigning(word).filter(|_| is_telling(before)) {
            self.assigned(sign, word, quote, out);
            return;
        }
        self.plain(word, separator, out);
        if !word.is_empty() {
            self.key_before = quote.is_some() && is_telling(word);
        }
        if matches!(separator, Some(';' | '|' | '&' | '\n' | '(')) {
            self.program = None;
        }
    }

    /// A word that begins with the sign that gives a value to the telling name before it.
    fn assigned(&mut self, sign: &str, word: &str, quote: Option<char>, out: &mut String) {
        out.push_str(sign);
        let value = word.get(sign.len()..).unwrap_or_default();
        if value.is_empty() {
            self.expect = quote.map_or(Expect::Secret, |quote| opened(quote, word));
        } else if is_harmless("", value) {
            out.push_str(value);
        } else if value.bytes().all(|byte| byte == b'\\' || byte == b'$') {
            out.push_str(value);
            self.expect = quote.map_or(Expect::Nothing, |quote| opened(quote, word));
        } else {
            out.push_str(MARK);
            self.expect = adjoins(quote);
        }
    }

    /// A word of which nothing is known from the ones before, but for a key in quotes.
    fn plain(&mut self, word: &str, separator: Option<char>, out: &mut String) {
        let quote = separator.filter(|c| is_quote(*c));
        if let Some(value) = word.trim_start_matches('\\').strip_prefix(':').filter(|_| self.key_before) {
            let value = value.trim_matches('\\');
            if value.is_empty()
                || ["[", "{", "[{"].contains(&value)
                || is_harmless("", value.trim_end_matches(['}', ']']))
            {
                out.push_str(word);
                self.expect = match quote.filter(|_| value.is_empty()) {
                    Some(quote) => opened(quote, word),
                    None if value.is_empty() => Expect::Secret,
                    None => Expect::Nothing,
                };
            } else {
                out.push(':');
                out.push_str(MARK);
            }
            return;
        }
        if word.is_empty() {
            return;
        }
        if let Some(option) = self.program.and_then(|program| attached_option(program, word)) {
            out.push_str(option);
            out.push_str(MARK);
            self.expect = adjoins(quote);
            return;
        }
        let login = self.program.is_some_and(|program| announces_next(program, word));
        self.program = known_program(word).or(self.program);
        self.expect = if login {
            if self.program == Some("curl") { Expect::Login } else { Expect::Secret }
        } else {
            announced(word, quote)
        };
        if one(word, out) {
            self.expect = adjoins(quote);
        }
    }
}

/// The sign at the beginning of a word that stands apart from the name it gives a value to, as in `name = value`.
fn assigning(word: &str) -> Option<&str> {
    let sign = ["=>", ":=", "=", ":"].into_iter().find(|sign| word.starts_with(sign))?;
    let value = word.get(sign.len()..)?;
    // `==` and `=~` compare, and a word such as `:x` is a name.
    let gives = value.is_empty() || (sign == "=" && !value.starts_with(['=', '~']));
    gives.then_some(sign)
}

/// A secret in quotes begins after a word.
fn opened(quote: char, word: &str) -> Expect {
    if word.ends_with('\\') { Expect::UntilEscaped(quote) } else { Expect::Until(quote) }
}

/// What follows a secret that ends at `quote`, or at another separator.
fn adjoins(quote: Option<char>) -> Expect {
    quote.map_or(Expect::Nothing, Expect::Until)
}

/// The word says that the next one is a secret: `--password`, `Authorization:`, `PASSWORD=` before a quote.
fn announced(word: &str, quote: Option<char>) -> Expect {
    let ended = word.strip_suffix([':', '=']).or_else(|| word.strip_suffix("=$").filter(|_| quote.is_some()));
    let name = ended.map(|name| name.rsplit(['=', ':']).next().unwrap_or(name));
    // A message shows a command in backticks: an option that ends it has no value.
    let option = || word.strip_prefix("--").filter(|name| !name.contains('=') && quote != Some('`'));
    let Some(name) = name.or_else(option).filter(|name| is_telling(name)) else { return Expect::Nothing };
    if name.to_ascii_uppercase().ends_with("COOKIE") && word.ends_with(':') {
        return Expect::Line;
    }
    match quote.filter(|_| ended.is_some()) {
        Some(quote) => Expect::Until(quote),
        None => Expect::Secret,
    }
}

/// Copies one word without its secrets. Gives whether it ended with one.
fn one(word: &str, out: &mut String) -> bool {
    if let Some(at) = assignment(word) {
        let (name, value) = word.split_at_checked(at).unwrap_or((word, ""));
        out.push_str(name);
        // What follows in quotes is the value.
        if value == "$" {
            out.push_str(value);
            return false;
        }
        out.push_str(MARK);
        return true;
    }
    if let Some((start, end)) = login(word) {
        out.push_str(word.get(..start).unwrap_or_default());
        out.push_str(MARK);
        tokens::copy_without(word.get(end..).unwrap_or_default(), out);
        return false;
    }
    tokens::copy_without(word, out);
    false
}

/// Where the value of a telling name begins in a word such as `a:PASSWORD=x`.
fn assignment(word: &str) -> Option<usize> {
    let mut name_at = 0;
    for (at, delimiter) in word.match_indices(['=', ':']) {
        let (name, value) = (word.get(name_at..at)?, word.get(at + delimiter.len()..)?);
        // The scheme of an address is no name, and a name at the end has its value elsewhere.
        if value.starts_with("//") && delimiter == ":" {
            name_at = at + 3;
            continue;
        }
        if !value.is_empty() && is_telling(name) && !is_harmless(name, value) {
            return Some(at + delimiter.len());
        }
        name_at = at + delimiter.len();
    }
    None
}

/// Where the password stands in an address with one, or a user that is a token itself.
fn login(word: &str) -> Option<(usize, usize)> {
    let start = word.find("://")? + "://".len();
    let rest = word.get(start..)?;
    let authority = rest.get(..rest.find(['/', '#']).unwrap_or(rest.len()))?;
    let end = authority.rfind('@')?;
    let login = authority.get(..end)?;
    match login.split_once(':') {
        Some((user, password)) if !password.is_empty() => Some((start + user.len() + 1, start + end)),
        None if login.len() >= 20 && login.bytes().any(|byte| byte.is_ascii_digit()) => Some((start, start + end)),
        _ => None,
    }
}

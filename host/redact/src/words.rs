//! Goes through a text word by word and leaves secrets out: values of telling names, passwords in addresses, tokens.

use super::names::{is_harmless, is_telling};
use super::spans::Spans;
use super::tokens;

/// What the next words are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// Anything.
    Nothing,
    /// The next word is a secret.
    Secret,
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
    quotes: Quotes,
    /// The quote behind the word ends what an earlier one began.
    closes: bool,
}

/// The quotes that are open, outermost first: the sign, and whether it stands behind a backslash.
#[derive(Debug, Default)]
struct Quotes(Vec<(char, bool)>);

/// More quotes are not within each other.
const NESTED: usize = 4;

impl Quotes {
    /// Goes over a quote behind `word`. Gives whether it ends what an earlier one began.
    fn pass(&mut self, quote: char, word: &str) -> bool {
        let this = (quote, word.ends_with('\\'));
        if let Some(place) = self.0.iter().rposition(|open| *open == this) {
            self.0.truncate(place);
            return true;
        }
        // An apostrophe stands within a word.
        if !word.ends_with(char::is_alphanumeric) {
            if self.0.len() == NESTED {
                self.0.clear();
            }
            self.0.push(this);
        }
        false
    }
}

fn separates(c: char) -> bool {
    c.is_whitespace() || is_quote(c) || matches!(c, ',' | ';' | '(' | ')' | '<' | '>' | '|' | '&' | '?')
}

fn is_quote(c: char) -> bool {
    matches!(c, '\'' | '"' | '`')
}

/// Reads `text` word by word.
pub(super) fn read(text: &str, out: &mut Spans) {
    let quotes = Quotes::default();
    let mut state = State { expect: Expect::Nothing, before: "", key_before: false, quotes, closes: false };
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(separates).unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let separator = after.chars().next();
        if word.starts_with("data:image/") && separator == Some(';') {
            rest = read_image(rest, out);
            continue;
        }
        let quote = separator.filter(|c| is_quote(*c));
        state.closes = quote.is_some_and(|quote| state.quotes.pass(quote, word));
        state.word(word, separator, out);
        let (separator, after) = after.split_at_checked(separator.map_or(0, char::len_utf8)).unwrap_or((after, ""));
        out.keep(separator);
        rest = after;
    }
}

/// Reads an image in Base64: its letters mean nothing. Gives what follows it.
fn read_image<'a>(text: &'a str, out: &mut Spans) -> &'a str {
    let is_data = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | ';' | ',' | '+' | '=' | '-' | '.');
    let (image, rest) = text.split_at_checked(text.find(|c| !is_data(c)).unwrap_or(text.len())).unwrap_or((text, ""));
    out.keep(image);
    rest
}

impl<'a> State<'a> {
    fn word(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) {
        let quote = separator.filter(|c| is_quote(*c));
        match self.expect {
            Expect::Until(closing) | Expect::UntilEscaped(closing) => {
                let secret = word.trim_end_matches('\\');
                out.hide(secret);
                out.keep(word.get(secret.len()..).unwrap_or_default());
                let (escaped, wanted) = (word.ends_with('\\'), matches!(self.expect, Expect::UntilEscaped(_)));
                if separator == Some(closing) && escaped == wanted {
                    self.expect = Expect::Adjoining;
                }
                return;
            }
            Expect::Line => {
                out.hide(word);
                if quote.is_some() || separator == Some('\n') {
                    self.expect = Expect::Nothing;
                }
                return;
            }
            Expect::Adjoining => {
                let structure = word.starts_with(['}', ']', ':', '\\']);
                self.expect = Expect::Nothing;
                if !word.is_empty() && !structure {
                    out.hide(word);
                    self.expect = self.adjoins(quote);
                    return;
                }
                if word.is_empty() && quote.is_some() {
                    self.expect = self.adjoins(quote);
                    return;
                }
            }
            Expect::Secret if word.is_empty() || word.bytes().all(|byte| byte == b'\\' || byte == b'$') => {
                out.keep(word);
                if let Some(quote) = quote {
                    self.expect = opened(quote, word);
                }
                return;
            }
            Expect::Secret => {
                let scheme =
                    ["bearer", "basic", "token", "apikey", "negotiate"].contains(&word.to_ascii_lowercase().as_str());
                let harmless = is_harmless("", word.trim_end_matches(['}', ']']));
                if scheme || harmless {
                    out.keep(word);
                } else {
                    let secret = word.trim_end_matches('\\');
                    out.hide(secret);
                    out.keep(word.get(secret.len()..).unwrap_or_default());
                }
                self.expect = match quote {
                    _ if scheme => Expect::Secret,
                    _ if harmless => Expect::Nothing,
                    quote => self.adjoins(quote),
                };
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
        self.plain(word, quote, out);
        if !word.is_empty() {
            self.key_before = quote.is_some() && is_telling(word);
        }
    }

    /// A word that begins with the sign that gives a value to the telling name before it.
    fn assigned(&mut self, sign: &str, word: &str, quote: Option<char>, out: &mut Spans) {
        out.keep(sign);
        let value = word.get(sign.len()..).unwrap_or_default();
        if value.is_empty() {
            self.expect = quote.map_or(Expect::Secret, |quote| opened(quote, word));
        } else if is_harmless("", value) {
            out.keep(value);
        } else if value.bytes().all(|byte| byte == b'\\' || byte == b'$') {
            out.keep(value);
            self.expect = quote.map_or(Expect::Nothing, |quote| opened(quote, word));
        } else {
            out.hide(value);
            self.expect = self.adjoins(quote);
        }
    }

    /// A word of which nothing is known from the ones before, but for a key in quotes.
    fn plain(&mut self, word: &str, quote: Option<char>, out: &mut Spans) {
        if let Some(value) = word.trim_start_matches('\\').strip_prefix(':').filter(|_| self.key_before) {
            let inner = value.trim_matches('\\');
            if inner.is_empty()
                || ["[", "{", "[{"].contains(&inner)
                || is_harmless("", inner.trim_end_matches(['}', ']']))
            {
                out.keep(word);
                self.expect = match quote.filter(|_| inner.is_empty()) {
                    Some(quote) => opened(quote, word),
                    None if inner.is_empty() => Expect::Secret,
                    None => Expect::Nothing,
                };
            } else {
                let value = value.trim_end_matches(['}', ']']);
                let start = word.len() - word.trim_start_matches('\\').len() + 1;
                out.keep(word.get(..start).unwrap_or_default());
                out.hide(value);
                out.keep(word.get(start + value.len()..).unwrap_or_default());
            }
            return;
        }
        if word.is_empty() {
            return;
        }
        self.expect = announced(word, quote);
        if one(word, out) {
            self.expect = self.adjoins(quote);
        }
    }

    /// What follows a secret that ends at `quote`, or at another separator.
    fn adjoins(&self, quote: Option<char>) -> Expect {
        match quote {
            None => Expect::Nothing,
            Some(_) if self.closes => Expect::Adjoining,
            Some(quote) => Expect::Until(quote),
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

/// Reads one word. Gives whether it ended with a secret.
fn one(word: &str, out: &mut Spans) -> bool {
    if let Some(at) = assignment(word) {
        let (name, value) = word.split_at_checked(at).unwrap_or((word, ""));
        out.keep(name);
        // What follows in quotes is the value.
        if value == "$" {
            out.keep(value);
            return false;
        }
        out.hide(value);
        return true;
    }
    shaped(word, out);
    false
}

/// Reads one word of which only its own shape tells a secret: an address with a password, or a token.
pub(super) fn shaped(word: &str, out: &mut Spans) {
    let Some((start, end)) = login(word) else { return tokens::read(word, out) };
    out.keep(word.get(..start).unwrap_or_default());
    out.hide(word.get(start..end).unwrap_or_default());
    tokens::read(word.get(end..).unwrap_or_default(), out);
}

/// Reads a text of which only shapes tell secrets.
pub(super) fn read_shapes(text: &str, out: &mut Spans) {
    for piece in text.split_inclusive(separates) {
        let word = piece.trim_end_matches(separates);
        shaped(word, out);
        out.keep(piece.get(word.len()..).unwrap_or_default());
    }
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

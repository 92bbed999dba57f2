//! Reads a text word by word and hides secrets: values of names such as `password`, passwords in URLs, tokens.

mod expected;

use super::names::{self, is_harmless, is_reference, may_name_secret, refers};
use super::quotes::{AHEAD, Quotes};
use super::spans::Spans;
use super::word::{SCHEMES, assigning, ends_as_function, is_call, is_quote, is_scheme, is_word, one, separates};

/// The expectation for the next words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expect {
    /// No expectation.
    Nothing,
    /// The next word is a secret.
    Secret,
    /// The next word is a secret if it isn't a name.
    Nameless,
    /// The next word is a secret if it ends the line and can't be a normal word.
    Last,
    /// The next word is a secret if it is quoted.
    Quoted,
    /// The second word of a pair in parentheses is a secret.
    Pair,
    /// Everything up to this quote is a secret.
    Until(char),
    /// Everything up to this quote after a backslash is a secret.
    UntilEscaped(char),
    /// Text directly after a secret is part of it.
    Adjoining,
    /// All words up to the end of the line, or of this number of quotes around them, are secrets.
    Line(usize),
}

/// The state at one position in the text.
struct State<'a> {
    expect: Expect,
    /// The previous word in the line.
    before: &'a str,
    /// Whether the previous word was a quoted name for a secret, such as a JSON key.
    key_before: bool,
    quotes: Quotes,
    /// Whether the quote after the word closes an open one.
    closes: bool,
    /// The separator before the word.
    behind: Option<char>,
    /// The text after the word and its separator.
    after: &'a str,
    sentence: Sentence,
    /// Whether the rest of the line is a comment.
    comment: bool,
    /// Whether the comment has a word for a secret.
    tells: bool,
}

/// A sentence in which a word's position identifies a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sentence {
    Other,
    /// SQL: `create` or `alter`.
    Change,
    /// SQL: a user gets a password.
    Account,
    /// SQL: `set`.
    Set,
    /// SQL: `set password for`.
    SetFor,
    /// A line of `.netrc`, before the host.
    Machine,
    /// A line of `.netrc`, before a key.
    Key,
    /// A line of `.netrc`, before a value.
    Value,
}

/// Reads `text` word by word.
pub(super) fn read(text: &str, out: &mut Spans) {
    let quotes = Quotes::default();
    let mut state = State {
        expect: Expect::Nothing,
        before: "",
        key_before: false,
        quotes,
        closes: false,
        behind: None,
        after: "",
        sentence: Sentence::Other,
        comment: false,
        tells: false,
    };
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
        let (sign, after) = after.split_at_checked(separator.map_or(0, char::len_utf8)).unwrap_or((after, ""));
        state.after = after;
        state.word(word, separator, out);
        match separator {
            Some('\n') => (state.comment, state.tells) = (false, false),
            Some(';') if matches!(state.sentence, Sentence::Account | Sentence::Change) => {
                state.sentence = Sentence::Other;
            }
            _ => {}
        }
        state.behind = separator;
        out.keep(sign);
        rest = after;
    }
}

/// Skips a base64 image, whose letters have no meaning. Returns the text after it.
fn read_image<'a>(text: &'a str, out: &mut Spans) -> &'a str {
    let is_data = |c: char| c.is_ascii_alphanumeric() || matches!(c, ':' | '/' | ';' | ',' | '+' | '=' | '-' | '.');
    let (image, rest) = text.split_at_checked(text.find(|c| !is_data(c)).unwrap_or(text.len())).unwrap_or((text, ""));
    out.keep(image);
    rest
}

impl<'a> State<'a> {
    fn word(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) {
        if self.expected(word, separator, out) {
            return;
        }
        let quote = separator.filter(|c| is_quote(*c));
        let before = self.before;
        if separator == Some('\n') {
            self.before = "";
        } else if !word.bytes().all(|byte| byte == b']') {
            self.before = word;
        }
        if word.starts_with('#') || matches!(word, "//" | "--") {
            self.comment = true;
        }
        // `env["TOKEN"] = ` assigns a value, and `f(token):` doesn't.
        let value = word.trim_start_matches(']');
        if let Some(sign) = assigning(value).filter(|_| self.behind != Some(')') && may_name_secret(before)) {
            out.keep(word.get(..word.len() - value.len()).unwrap_or_default());
            self.assigned(sign, value, separator, out);
            return;
        }
        self.tells |= self.comment && is_word(word) && may_name_secret(word);
        if self.tells && names::is_made_up(word) {
            out.hide(word);
            self.expect = self.adjoins(quote);
            return;
        }
        self.plain(word, separator, out);
        if !word.is_empty() {
            self.key_before = quote.is_some() && !word.starts_with('$') && may_name_secret(word);
            if self.expect == Expect::Nothing {
                self.expect = self.expect_after(word, separator);
            }
        }
    }

    /// Returns the expectation after a word in a sentence in which positions identify secrets.
    fn expect_after(&mut self, word: &str, separator: Option<char>) -> Expect {
        use Sentence::{Account, Change, Key, Machine, Other, Set, SetFor, Value};
        let is = |wanted: &str| word.eq_ignore_ascii_case(wanted);
        let follows = |wanted: &str| {
            let next = self.after.get(..wanted.len());
            next.is_some_and(|next| next.eq_ignore_ascii_case(wanted))
        };
        let (sentence, expect) = match self.sentence {
            Machine => (Key, Expect::Nothing),
            Value => (Key, Expect::Nothing),
            Key if is("login") || is("account") => (Value, Expect::Nothing),
            Key if is("password") => (Value, Expect::Secret),
            Key if !is("machine") => (Other, Expect::Nothing),
            _ if is("alter") || is("create") => (Change, Expect::Nothing),
            _ if is("machine") => (Machine, Expect::Nothing),
            _ if is("set") => (Set, Expect::Nothing),
            Set if is("password") && follows("for ") => (SetFor, Expect::Nothing),
            Change if is("user") || is("role") || is("login") => (Account, Expect::Nothing),
            _ if is("identified") => (Account, Expect::Nothing),
            Account if is("by") && (follows("password ") || follows("values ") || follows("random ")) => {
                (Account, Expect::Nothing)
            }
            Account if is("by") => (Account, Expect::Secret),
            Account if is("password") || is("values") || is("as") => (Account, Expect::Quoted),
            SetFor if word.ends_with('=') => (SetFor, Expect::Quoted),
            _ if separator == Some('(') && ends_as_function(word) => (self.sentence, Expect::Quoted),
            Set => (Other, Expect::Nothing),
            other => (other, Expect::Nothing),
        };
        self.sentence = sentence;
        match (expect, separator.filter(|c| is_quote(*c))) {
            (Expect::Quoted, Some(quote)) if !self.closes => self.opened(quote, word),
            (Expect::Secret, Some(_)) if self.closes => Expect::Nothing,
            (Expect::Secret, Some(quote)) => self.opened(quote, word),
            (expect, _) => expect,
        }
    }

    /// Returns the expectation for everything up to the end of this line, or of the open quotes.
    fn line(&self) -> Expect {
        Expect::Line(self.quotes.0.len())
    }

    /// Returns the rest of the line, up to a limit.
    fn ahead(&self) -> &'a str {
        let near = self.after.get(..self.after.floor_char_boundary(AHEAD)).unwrap_or_default();
        near.split('\n').next().unwrap_or_default()
    }

    /// Returns whether only the end of a line or of quotes follows the word.
    fn is_last(&self, separator: Option<char>) -> bool {
        separator.is_none_or(|c| c == '\n' || is_quote(c) && self.closes) || self.after.trim_start().is_empty()
    }

    /// Reads a word that begins with an assignment sign for the preceding name.
    fn assigned(&mut self, sign: &str, word: &'a str, separator: Option<char>, out: &mut Spans) {
        let quote = separator.filter(|c| is_quote(*c));
        out.keep(sign);
        let value = word.get(sign.len()..).unwrap_or_default();
        if value.is_empty() {
            self.expect = match quote {
                _ if sign == ":" && self.is_prose("") => Expect::Nothing,
                Some(quote) => self.opened(quote, word),
                None if separator == Some('(') || self.after.trim_start().starts_with('(') => Expect::Pair,
                None => Expect::Secret,
            };
        } else if is_harmless("", value) || is_call(value, separator) {
            out.keep(value);
            if separator == Some('(') && ends_as_function(value) {
                self.expect = Expect::Quoted;
            }
        } else if value.bytes().all(|byte| byte == b'\\' || byte == b'$') {
            out.keep(value);
            self.expect = quote.map_or(Expect::Nothing, |quote| self.opened(quote, word));
        } else {
            out.hide(value);
            self.expect = self.adjoins(quote);
        }
    }

    /// Reads a word that the preceding ones don't determine, except for a quoted key.
    fn plain(&mut self, word: &'a str, separator: Option<char>, out: &mut Spans) {
        let quote = separator.filter(|c| is_quote(*c));
        if let Some(value) = word.trim_start_matches('\\').strip_prefix(':').filter(|_| self.key_before) {
            let inner = value.trim_matches('\\');
            if inner.is_empty()
                || ["[", "{", "[{"].contains(&inner)
                || is_harmless("", inner.trim_end_matches(['}', ']']))
            {
                out.keep(word);
                self.expect = match quote.filter(|_| inner.is_empty()) {
                    Some(quote) => self.opened(quote, word),
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
        self.expect = self.announced(word, separator);
        // A pair created by a function: `auth=Basic('me', 'x')`.
        if let Some((name, value)) = word.rsplit_once('=')
            && is_call(value, separator)
            && name.to_ascii_lowercase().ends_with("auth")
        {
            self.expect = Expect::Pair;
        }
        if separator == Some('(') && word.ends_with(".login") {
            self.expect = Expect::Pair;
        }
        // The header's scheme directly follows its name.
        if let Some((name, _)) =
            word.split_once(':').filter(|(name, scheme)| may_name_secret(name) && is_scheme(scheme))
        {
            out.keep(word);
            self.expect = if name.starts_with('$') { Expect::Nothing } else { Expect::Secret };
            return;
        }
        if one(word, separator, out) {
            self.expect = self.adjoins(quote);
        }
    }

    /// Returns the expectation at a quote after a word. A quoted secret begins there, unless it is a reference to one.
    fn opened(&self, quote: char, word: &str) -> Expect {
        let inside = self.ahead().split([quote, '\\']).next().unwrap_or_default();
        let value = inside.split_once(' ').filter(|(scheme, _)| is_scheme(scheme)).map_or(inside, |(_, value)| value);
        match word.ends_with('\\') {
            _ if quote == '"' && is_reference(value) => Expect::Nothing,
            true => Expect::UntilEscaped(quote),
            false => Expect::Until(quote),
        }
    }

    /// Returns the expectation after a word that announces a secret: `--password`, `Authorization:`, `PASSWORD=` before
    /// a quote.
    fn announced(&self, word: &str, separator: Option<char>) -> Expect {
        let quote = separator.filter(|c| is_quote(*c));
        let ended = word.strip_suffix([':', '=']).or_else(|| word.strip_suffix("=$").filter(|_| quote.is_some()));
        let name = ended.map(|name| name.rsplit(['=', ':']).next().unwrap_or(name));
        // A message shows a command in backticks. An option at its end has no value.
        let option = || word.strip_prefix("--").filter(|name| !name.contains('=') && quote != Some('`'));
        let made_up = || names::is_made_up(self.ahead().split(is_quote).next().unwrap_or_default());
        let tells = |name: &&str| may_name_secret(name) || quote.is_some() && names::is_key(name) && made_up();
        let Some(name) = name.or_else(option).filter(tells) else { return Expect::Nothing };
        if word.starts_with("--") && names::acts(name) {
            return Expect::Nothing;
        }
        match quote {
            // The quotes with the name end, and its value follows directly.
            Some(_) if self.closes && ended.is_some() => return Expect::Adjoining,
            Some(_) if self.closes => {
                return if self.behind.is_some_and(is_quote) { Expect::Secret } else { Expect::Nothing };
            }
            Some(quote) => return self.opened(quote, word),
            None => {}
        }
        if word.ends_with(':') && self.is_prose(name) {
            return Expect::Nothing;
        }
        if word == "--cookie" && !self.ahead().trim_start().split(' ').next().is_some_and(|value| value.contains('=')) {
            return Expect::Nothing;
        }
        let upper = name.to_ascii_uppercase();
        if upper.ends_with("COOKIE") && word.ends_with(':') {
            return self.line();
        }
        match separator {
            Some('(') if word.ends_with('=') => Expect::Pair,
            Some(';' | '|' | '&' | ',' | ')' | '<' | '>' | '?') => Expect::Nothing,
            Some(' ' | '\t') if word.ends_with('=') => Expect::Last,
            Some('\n') if ended.is_some() => Expect::Nothing,
            _ if upper.ends_with("AUTHORIZATION") && !self.quotes.0.is_empty() => self.header(),
            _ if refers(name) => Expect::Nameless,
            _ => Expect::Secret,
        }
    }

    /// Returns the expectation for an authorization header: a scheme and its credentials, or the whole value.
    fn header(&self) -> Expect {
        let scheme = self.ahead().split_whitespace().next().unwrap_or_default();
        if is_scheme(scheme) { Expect::Secret } else { self.line() }
    }

    /// Returns whether the words after a name for a secret and a colon are a sentence.
    fn is_prose(&self, name: &str) -> bool {
        let is_word = |word: &str| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_lowercase());
        let mut words = self.ahead().trim_start().split(' ');
        let told = self.comment || !self.quotes.0.is_empty();
        let named = if name.eq_ignore_ascii_case("authorization") { name } else { name.get(1..).unwrap_or_default() };
        let plain = named.bytes().all(|byte| byte.is_ascii_lowercase());
        let first = words.next().unwrap_or_default();
        let next = words.next().unwrap_or_default().trim_end_matches(|c: char| !c.is_ascii_alphabetic());
        told && plain && is_word(first) && !SCHEMES.contains(&first) && is_word(next)
    }

    /// Returns the expectation after a secret that ends at `quote`, or at another separator.
    fn adjoins(&self, quote: Option<char>) -> Expect {
        match quote {
            None => Expect::Nothing,
            Some(_) if self.closes => Expect::Adjoining,
            Some(quote) => self.opened(quote, ""),
        }
    }
}

//! The output of `echo` and `printf`, as printed by the builtins of each shell.

use guard_sdk::syntax::Word;

use crate::limits;

/// The shell whose builtins print.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EchoDialect {
    /// bash: `echo` only expands escapes after `-e`.
    Bash,
    /// dash, and older shells: `echo` always expands the POSIX escapes, and `\x` isn't supported.
    Dash,
    /// zsh, and bash as `sh` of macOS: `echo` always expands all escapes.
    Zsh,
}

/// The dialects that `sh` may have.
pub(super) const ECHO_DIALECTS: &[EchoDialect] = &[EchoDialect::Bash, EchoDialect::Dash, EchoDialect::Zsh];

/// The escapes that are expanded in a text.
#[derive(Debug, Clone, Copy)]
struct Escapes {
    /// Whether an octal number has a leading zero, which isn't a digit of it.
    zero: bool,
    /// Whether the zero is optional.
    bare: bool,
    /// Whether `\x`, `\u` and `\e` are supported.
    wide: bool,
    /// Whether `\c` ends all output.
    stops: bool,
}

/// Returns the output of `echo WORDS`.
pub(super) fn echo(words: &[Word], echo_dialect: EchoDialect) -> String {
    let mut rest = words;
    let mut escapes = echo_dialect != EchoDialect::Bash;
    let letters = if echo_dialect == EchoDialect::Dash { "n" } else { "neE" };
    while let Some((first, tail)) = rest.split_first()
        && first
            .text
            .strip_prefix('-')
            .is_some_and(|flags| !flags.is_empty() && flags.chars().all(|flag| letters.contains(flag)))
    {
        if let Some(last) = first.text.chars().rfind(|flag| matches!(flag, 'e' | 'E')) {
            escapes = last == 'e';
        }
        rest = tail;
    }
    let text = rest.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    if !escapes {
        return text;
    }
    let kind = Escapes { zero: true, bare: false, wide: echo_dialect != EchoDialect::Dash, stops: true };
    unescape(&text, kind).0
}

/// Returns the output of `printf FORMAT WORDS`. `None` if it doesn't only depend on the words.
pub(crate) fn printf(words: &[Word], echo_dialect: EchoDialect) -> Option<String> {
    let words = if words.first().is_some_and(|word| word.text == "--") { words.get(1..)? } else { words };
    let (format, arguments) = words.split_first()?;
    let mut arguments = arguments.iter().map(|word| word.text.as_str()).peekable();
    let wide = echo_dialect != EchoDialect::Dash;
    let mut printed = String::new();
    loop {
        let mut used = false;
        let mut rest = format.text.as_str();
        while let Some((plain, tail)) = rest.split_once('%') {
            printed.push_str(&unescape(plain, Escapes { zero: false, bare: true, wide, stops: false }).0);
            let (field, tail) = Field::read(tail, &mut arguments)?;
            rest = tail;
            if field.kind == '%' {
                printed.push('%');
                continue;
            }
            used = true;
            let argument = arguments.next().unwrap_or_default();
            let (text, stops) = field.text(argument, wide)?;
            printed.push_str(&field.padded(text));
            if stops {
                return Some(printed);
            }
        }
        printed.push_str(&unescape(rest, Escapes { zero: false, bare: true, wide, stops: false }).0);
        if !used || arguments.peek().is_none() || printed.len() > limits::SOURCE {
            return Some(printed);
        }
    }
}

/// A conversion in a format.
struct Field {
    kind: char,
    left: bool,
    zeros: bool,
    width: usize,
    precision: Option<usize>,
}

impl Field {
    /// Parses the conversion after a `%`. Returns the conversion and the rest.
    fn read<'f, 'w>(text: &'f str, arguments: &mut impl Iterator<Item = &'w str>) -> Option<(Field, &'f str)> {
        let mut field = Field { kind: '%', left: false, zeros: false, width: 0, precision: None };
        let mut rest = text.trim_start_matches(|flag| {
            field.left |= flag == '-';
            field.zeros |= flag == '0';
            matches!(flag, '-' | '0' | '+' | ' ' | '#' | '\'')
        });
        (field.width, rest) = number(rest, arguments)?;
        if let Some(behind) = rest.strip_prefix('.') {
            let (precision, behind) = number(behind, arguments)?;
            field.precision = Some(precision);
            rest = behind;
        }
        rest = rest.trim_start_matches(['l', 'h', 'j', 'z', 't', 'L']);
        let mut chars = rest.chars();
        field.kind = chars.next()?;
        Some((field, chars.as_str()))
    }

    /// Formats an argument. Also returns whether it ends all output.
    fn text(&self, argument: &str, wide: bool) -> Option<(String, bool)> {
        let cut = |text: &str| match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        };
        let (text, stops) = match self.kind {
            's' => (cut(argument), false),
            'c' => (argument.chars().take(1).collect(), false),
            'q' | 'Q' => (quoted(argument), false),
            'b' => {
                let (text, stops) = unescape(argument, Escapes { zero: true, bare: true, wide, stops: true });
                (cut(&text), stops)
            }
            'd' | 'i' | 'u' => (value(argument)?.to_string(), false),
            'x' => (format!("{:x}", value(argument)?), false),
            'X' => (format!("{:X}", value(argument)?), false),
            'o' => (format!("{:o}", value(argument)?), false),
            _ => return None,
        };
        Some((text, stops))
    }

    fn padded(&self, text: String) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        match (self.left, self.zeros && matches!(self.kind, 'd' | 'i' | 'u' | 'x' | 'X' | 'o')) {
            _ if missing == 0 => text,
            (true, _) => text + &" ".repeat(missing),
            (false, true) => "0".repeat(missing) + &text,
            (false, false) => " ".repeat(missing) + &text,
        }
    }
}

/// Parses a number in a format, or `*`, which takes an argument.
fn number<'f, 'w>(text: &'f str, arguments: &mut impl Iterator<Item = &'w str>) -> Option<(usize, &'f str)> {
    const WIDEST: usize = 4096;
    let (value, rest) = if let Some(rest) = text.strip_prefix('*') {
        (arguments.next().unwrap_or_default().parse().ok()?, rest)
    } else {
        let rest = text.trim_start_matches(|char: char| char.is_ascii_digit());
        let digits = text.strip_suffix(rest)?;
        (if digits.is_empty() { 0 } else { digits.parse().ok()? }, rest)
    };
    (value <= WIDEST).then_some((value, rest))
}

/// Parses a numeric argument: decimal, octal, hexadecimal, or a character after a quote.
fn value(argument: &str) -> Option<i64> {
    if let Some(text) = argument.strip_prefix(['\'', '"']) {
        return Some(text.chars().next().map_or(0, |char| i64::from(u32::from(char))));
    }
    let (minus, digits) = argument.strip_prefix('-').map_or((false, argument), |digits| (true, digits));
    let value = if digits.is_empty() {
        0
    } else if let Some(digits) = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        i64::from_str_radix(digits, 16).ok()?
    } else if digits.len() > 1 && digits.starts_with('0') {
        i64::from_str_radix(digits, 8).ok()?
    } else {
        digits.parse().ok()?
    };
    Some(if minus { -value } else { value })
}

/// Quotes a text as one shell word. A home stays unquoted, because it may have been one.
fn quoted(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "_./:=@%+,-~".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// Expands the escapes in a text. Also returns whether one of them ended the output.
fn unescape(text: &str, kind: Escapes) -> (String, bool) {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, tail)) = rest.split_once('\\') {
        result.push_str(plain);
        let digits = |text: &str, radix: u32, most: usize| {
            text.chars().take(most).take_while(|digit| digit.is_digit(radix)).count()
        };
        let octal = match tail.strip_prefix('0').filter(|_| kind.zero) {
            Some(tail) => Some((tail, digits(tail, 8, 3), 8)),
            None => Some((tail, digits(tail, 8, 3), 8)).filter(|(_, count, _)| kind.bare && *count > 0),
        };
        let wide = || {
            let most = match tail.chars().next().filter(|_| kind.wide)? {
                'x' => 2,
                'u' => 4,
                'U' => 8,
                _ => return None,
            };
            let behind = tail.get(1..)?;
            Some((behind, digits(behind, 16, most), 16)).filter(|(_, count, _)| *count > 0)
        };
        if let Some((behind, count, radix)) = octal.or_else(wide) {
            let (number, behind) = behind.split_at_checked(count).unwrap_or((behind, ""));
            let code = u32::from_str_radix(number, radix).unwrap_or(0);
            let code = if radix == 8 { code & 0xff } else { code };
            result.extend(char::from_u32(code));
            rest = behind;
            continue;
        }
        let mut chars = tail.chars();
        match chars.next() {
            Some('c') if kind.stops => return (result, true),
            Some('a') => result.push('\u{7}'),
            Some('b') => result.push('\u{8}'),
            Some('e' | 'E') if kind.wide => result.push('\u{1b}'),
            Some('f') => result.push('\u{c}'),
            Some('n') => result.push('\n'),
            Some('r') => result.push('\r'),
            Some('t') => result.push('\t'),
            Some('v') => result.push('\u{b}'),
            Some('\\') => result.push('\\'),
            Some(quote @ ('"' | '\'' | '?')) if kind.bare && kind.wide => result.push(quote),
            Some(other) => {
                result.push('\\');
                result.push(other);
            }
            None => result.push('\\'),
        }
        rest = chars.as_str();
    }
    result.push_str(rest);
    (result, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::word::expand::literal;

    fn words(texts: &[&str]) -> Vec<Word> {
        texts.iter().map(|text| literal(text)).collect()
    }

    #[test]
    fn formats_give_what_bash_gives() {
        for (texts, expected) in [
            (&["a\\0043"][..], Some("a\u{4}3")),
            (&["%s-%s\\n", "a", "b", "c"], Some("a-b\nc-\n")),
            (&["%.2s|%5s|%-3s|", "abc", "x", "y"], Some("ab|    x|y  |")),
            (&["%c%c", "run", "more"], Some("rm")),
            (&["%b", "a\\0101\\x42"], Some("aAB")),
            (&["%b%s", "a\\cb", "d"], Some("a")),
            (&["%q %q", "a b", "c"], Some("'a b' c")),
            (&["%03d %x %o %d", "7", "255", "8", "'A"], Some("007 ff 10 65")),
            (&["%*s|", "3", "a"], Some("  a|")),
            (&["100%% %s"], Some("100% ")),
            (&["--", "-%s", "x"], Some("-x")),
            (&["%f", "1"], None),
            (&["%s %", "1"], None),
        ] {
            assert_eq!(printf(&words(texts), EchoDialect::Bash).as_deref(), expected, "{texts:?}");
        }
        assert_eq!(printf(&words(&["\\x41\\u0042\\101"]), EchoDialect::Dash).as_deref(), Some("\\x41\\u0042A"));
    }

    #[test]
    fn each_shell_has_an_echo_of_its_own() {
        for (texts, bash, dash, zsh) in [
            (&["a\\nb"][..], "a\\nb", "a\nb", "a\nb"),
            (&["-e", "a\\nb"], "a\nb", "-e a\nb", "a\nb"),
            (&["-n", "a"], "a", "a", "a"),
            (&["-E", "a\\nb"], "a\\nb", "-E a\nb", "a\\nb"),
            (&["\\x41"], "\\x41", "\\x41", "A"),
            (&["a\\0101b"], "a\\0101b", "aAb", "aAb"),
            (&["a\\101"], "a\\101", "a\\101", "a\\101"),
        ] {
            let got = ECHO_DIALECTS.iter().map(|echo_dialect| echo(&words(texts), *echo_dialect)).collect::<Vec<_>>();
            assert_eq!(got, [bash, dash, zsh], "{texts:?}");
        }
    }
}

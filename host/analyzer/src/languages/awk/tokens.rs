//! `awk` tokens.

/// One token. Numbers aren't distinguished.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    Text(String),
    Name(String),
    Number,
    Pattern,
    Sign(&'static str),
}

impl Token {
    pub(super) fn is(&self, sign: &str) -> bool {
        matches!(self, Token::Sign(own) if *own == sign)
    }
}

/// Signs, longer ones first.
const SIGNS: &[&str] = &[
    "|&", "||", "&&", ">>", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "%=", "^=", "++", "--", "|", ">", "<", "=",
    "!", "~", "(", ")", "{", "}", "[", "]", ";", ",", "?", ":", "$", "+", "-", "*", "/", "%", "^", "\n",
];

pub(super) fn read(program: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut rest = program;
    while let Some(char) = rest.chars().next() {
        let width = match char {
            '"' => {
                let end = string_end(rest);
                let inside = rest.get(1..end).unwrap_or_default();
                tokens.push(Token::Text(unescaped(inside)));
                end + 1
            }
            '#' => rest.find('\n').unwrap_or(rest.len()),
            '\\' if rest.starts_with("\\\n") => 2,
            '/' if begins_pattern(tokens.last()) => {
                let end = pattern_end(rest);
                if end.is_some() {
                    tokens.push(Token::Pattern);
                }
                end.map_or(1, |end| end + 1)
            }
            _ if char.is_ascii_alphabetic() || char == '_' => {
                let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '_');
                let name = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
                tokens.push(Token::Name(name.to_owned()));
                name.len()
            }
            _ if char.is_ascii_digit() => {
                tokens.push(Token::Number);
                rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '.').unwrap_or(rest.len())
            }
            _ => match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    tokens.push(Token::Sign(sign));
                    sign.len()
                }
                None => char.len_utf8(),
            },
        };
        rest = rest.get(width.max(1)..).unwrap_or_default();
    }
    tokens
}

/// Returns whether a slash after this token begins a pattern, and isn't a division.
fn begins_pattern(before: Option<&Token>) -> bool {
    match before {
        Some(Token::Text(_) | Token::Number | Token::Pattern) => false,
        Some(Token::Name(name)) => matches!(name.as_str(), "print" | "return" | "in" | "case"),
        Some(Token::Sign(sign)) => !matches!(*sign, ")" | "]" | "$"),
        None => true,
    }
}

/// Returns the end of the string at the start of the text.
fn string_end(text: &str) -> usize {
    let mut escaped = true;
    let end = text.bytes().position(|byte| {
        let ends = !escaped && byte == b'"';
        escaped = !escaped && byte == b'\\';
        ends
    });
    end.unwrap_or(text.len())
}

fn pattern_end(text: &str) -> Option<usize> {
    let mut escaped = true;
    let mut bracket = false;
    text.bytes().position(|byte| {
        let ends = !escaped && !bracket && byte == b'/';
        bracket = !escaped && (byte == b'[' || bracket && byte != b']') || escaped && bracket;
        escaped = !escaped && byte == b'\\';
        ends
    })
}

/// Expands the escapes in a string.
pub(super) fn unescaped(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        if char != '\\' {
            result.push(char);
            continue;
        }
        match chars.next() {
            Some('n') => result.push('\n'),
            Some('t') => result.push('\t'),
            Some('\n') | None => {}
            Some(first) if first == 'x' || first.is_digit(8) => {
                let (radix, most) = if first == 'x' { (16, 2) } else { (8, 3) };
                let mut digits = String::new();
                if first != 'x' {
                    digits.push(first);
                }
                let more: String =
                    chars.clone().take(most - digits.len()).take_while(|char| char.is_digit(radix)).collect();
                chars.by_ref().take(more.len()).for_each(drop);
                digits.push_str(&more);
                result.extend(u32::from_str_radix(&digits, radix).ok().and_then(char::from_u32));
            }
            Some(other) => result.push(other),
        }
    }
    result
}

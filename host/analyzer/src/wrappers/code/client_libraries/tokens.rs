//! Splits code into names, literals and signs, with the syntax shared by Python, JavaScript, Ruby and PHP.

use guard_sdk::code::literal;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Name(&'t str),
    /// A string literal without its quotes.
    Text(&'t str),
    /// The sign between an object and its member, in any language.
    Member,
    /// `=>`.
    Arrow,
    Sign(char),
}

/// The maximum number of examined quotes without an end.
const MAX_OPEN_QUOTES: usize = 64;

/// Signs that are read as one token.
const SIGNS: &[(&str, Token<'static>)] = &[
    ("=>", Token::Arrow),
    ("->", Token::Member),
    ("?.", Token::Member),
    ("::", Token::Member),
    ("\\", Token::Member),
    (".", Token::Member),
    ("==", Token::Sign('?')),
    ("!=", Token::Sign('?')),
    ("<=", Token::Sign('?')),
    (">=", Token::Sign('?')),
    (":=", Token::Sign('=')),
];

/// Splits code. Comments begin with `#` in most languages, and with two slashes in JavaScript and PHP.
pub(super) fn split<'t>(code: &'t str, language: &str) -> Vec<Token<'t>> {
    let hashes = language != "javascript";
    let slashes = matches!(language, "javascript" | "php");
    let mut found = Vec::new();
    let mut open = 0;
    let mut rest = code;
    while let Some(char) = rest.chars().next() {
        let comment = char == '#' && hashes || slashes && rest.starts_with("//");
        if comment {
            rest = rest.find('\n').and_then(|end| rest.get(end..)).unwrap_or_default();
            continue;
        }
        if matches!(char, '\'' | '"' | '`') && open < MAX_OPEN_QUOTES {
            if let Some((inside, after)) = literal(rest) {
                found.push(Token::Text(inside));
                rest = after;
                continue;
            }
            open += 1;
        }
        let name = rest.find(|char: char| !is_part_of_name(char)).unwrap_or(rest.len());
        let width = if name > 0 {
            found.push(Token::Name(rest.get(..name).unwrap_or_default().trim_start_matches('$')));
            name
        } else if let Some((sign, token)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            found.push(*token);
            sign.len()
        } else {
            let again = char == '\n' && found.last() == Some(&Token::Sign(char));
            if !matches!(char, ' ' | '\t' | '\r') && !again {
                found.push(Token::Sign(char));
            }
            char.len_utf8()
        };
        rest = rest.get(width..).unwrap_or_default();
    }
    found
}

fn is_part_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$' | '@')
}

/// Returns a module's dotted name, up to an alias.
pub(super) fn dotted(tokens: &[Token<'_>]) -> String {
    let names = tokens.iter().take_while(|token| **token != Token::Name("as"));
    names
        .filter_map(|token| match token {
            Token::Name(name) => Some(*name),
            _ => None,
        })
        .collect::<Vec<_>>()
        .join(".")
}

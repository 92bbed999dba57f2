//! Rewrites indirect calls as direct ones: `getattr(client, "delete_bucket")(x)`, `client[method](x)`,
//! `client?.delete?.(x)`.

use std::collections::HashMap;

use super::tokens::Token;

/// The maximum number of examined tokens in arguments.
const MAX_ARGUMENTS: usize = 48;

/// Returns the tokens with each indirect call rewritten as a direct one.
pub(super) fn plain<'t>(tokens: &[Token<'t>], language: &str) -> Vec<Token<'t>> {
    let constants = constants(tokens);
    let mut found = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some(token) = rest.first() {
        let width = match token {
            Token::Member => member(&mut found, rest, language),
            Token::Sign('[') => index(&mut found, rest, &constants),
            Token::Name("getattr") => attribute(&mut found, rest, &constants),
            Token::Name("methodcaller") => caller(&mut found, rest),
            _ => 0,
        };
        if width == 0 {
            found.push(*token);
        }
        rest = rest.get(width.max(1)..).unwrap_or_default();
    }
    found
}

/// Returns names with a single literal value: `const method = "deleteBucket"`.
pub(super) fn constants<'t>(tokens: &[Token<'t>]) -> HashMap<&'t str, &'t str> {
    let pairs = tokens.windows(4).filter_map(|window| match window {
        [Token::Name(name), Token::Sign('='), Token::Text(text), Token::Sign('\n' | ';' | ',')] => Some((*name, *text)),
        _ => None,
    });
    pairs.collect()
}

/// Returns the code in lower case without blanks, with a quote in place of each literal.
pub(super) fn text(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        match token {
            Token::Name(name) => text.push_str(&name.to_ascii_lowercase()),
            Token::Text(_) => text.push('"'),
            Token::Member => text.push('.'),
            Token::Arrow => text.push_str("=>"),
            Token::Sign(sign) => text.push(*sign),
        }
    }
    text
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|char| char.is_alphanumeric() || char == '_' || char == '$')
}

/// Returns the name in a literal or a constant.
fn named<'t>(token: Option<&Token<'t>>, constants: &HashMap<&'t str, &'t str>) -> Option<&'t str> {
    let text = match token? {
        Token::Text(text) => text,
        Token::Name(name) => constants.get(name)?,
        _ => return None,
    };
    is_name(text).then_some(text)
}

/// Reads `.send(:name, x)` in Ruby, `.call(object, x)` in JavaScript, and the sign before a bracket.
fn member<'t>(found: &mut Vec<Token<'t>>, rest: &[Token<'t>], language: &str) -> usize {
    match (language, rest) {
        ("javascript", [_, Token::Sign('(' | '['), ..]) => 1,
        ("javascript", [_, Token::Name("call" | "apply" | "bind"), Token::Sign('('), ..]) => 2,
        ("python", [_, Token::Name("__getattribute__"), Token::Sign('('), Token::Text(name), Token::Sign(')'), ..])
            if is_name(name) =>
        {
            found.extend([Token::Member, Token::Name(name)]);
            5
        }
        ("ruby", [_, Token::Name("send" | "public_send" | "__send__"), Token::Sign('('), argument @ ..]) => {
            let (name, width) = match argument {
                [Token::Sign(':'), Token::Name(name), ..] => (*name, 2),
                [Token::Text(name), ..] if is_name(name) => (*name, 1),
                _ => return 0,
            };
            found.extend([Token::Member, Token::Name(name), Token::Sign('(')]);
            3 + width + usize::from(argument.get(width) == Some(&Token::Sign(',')))
        }
        _ => 0,
    }
}

/// Reads `client["name"](x)`.
fn index<'t>(found: &mut Vec<Token<'t>>, rest: &[Token<'t>], constants: &HashMap<&'t str, &'t str>) -> usize {
    let follows = matches!(found.last(), Some(Token::Name(_) | Token::Sign(')' | ']')));
    match rest {
        [_, key, Token::Sign(']'), behind @ ..] if follows => {
            let is_called = matches!(behind, [Token::Sign('('), ..] | [Token::Member, Token::Sign('('), ..]);
            let Some(name) = named(Some(key), constants).filter(|_| is_called) else { return 0 };
            found.extend([Token::Member, Token::Name(name)]);
            3
        }
        _ => 0,
    }
}

/// Returns the tokens in the bracket at the start of `rest`, and their number including the brackets.
fn inside<'a, 't>(rest: &'a [Token<'t>]) -> Option<(&'a [Token<'t>], usize)> {
    let mut depth = 0_usize;
    let end = rest.iter().take(MAX_ARGUMENTS).position(|token| {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })?;
    (end > 0).then_some((rest.get(1..end)?, end + 1))
}

/// Reads `getattr(client, "name")`.
fn attribute<'t>(found: &mut Vec<Token<'t>>, rest: &[Token<'t>], constants: &HashMap<&'t str, &'t str>) -> usize {
    let Some((arguments, width)) = inside(rest.get(1..).unwrap_or_default()) else { return 0 };
    let Some(comma) = arguments.iter().rposition(|token| *token == Token::Sign(',')) else { return 0 };
    let (object, key) = arguments.split_at_checked(comma).unwrap_or_default();
    let name = named(key.get(1), constants).filter(|_| !object.is_empty() && key.len() == 2);
    let Some(name) = name else { return 0 };
    found.extend(object);
    found.extend([Token::Member, Token::Name(name)]);
    1 + width
}

/// Reads `operator.methodcaller("name", x)(client)`.
fn caller<'t>(found: &mut Vec<Token<'t>>, rest: &[Token<'t>]) -> usize {
    let Some(([Token::Text(name), given @ ..], width)) = inside(rest.get(1..).unwrap_or_default()) else { return 0 };
    let Some((object, more)) = inside(rest.get(1 + width..).unwrap_or_default()) else { return 0 };
    if found.last() == Some(&Token::Member) {
        found.truncate(found.len().saturating_sub(2));
    }
    found.extend(object);
    found.extend([Token::Member, Token::Name(name), Token::Sign('(')]);
    found.extend(given.get(1..).unwrap_or_default());
    found.push(Token::Sign(')'));
    1 + width + more
}

//! Texts in settings that are JavaScript code, by the keys before them.

/// The maximum number of read tokens.
const MOST: usize = 16 * 1024;

/// A shell variable for the part of a text that is only known at run time.
const VALUE: &str = "$value";

/// A token of JavaScript code.
#[derive(Debug, PartialEq, Eq)]
enum Token<'c> {
    Name(&'c str),
    /// A text in quotes or backticks, without escapes.
    Text(String),
    Sign(char),
}

/// Returns the texts in the values of these keys, such as those of a list, an object or a call. `*` matches any key.
pub(super) fn texts_at(code: &str, keys: &[&str]) -> Vec<String> {
    if keys.is_empty() {
        return Vec::new();
    }
    let is_any = keys.contains(&"*");
    let tokens = tokens(code);
    let is_sign = |at: usize, sign: char| tokens.get(at) == Some(&Token::Sign(sign));
    let is_key = |at: usize| {
        let is_assigned = || is_sign(at + 1, '=') && !is_sign(at + 2, '=') && !is_sign(at + 2, '>');
        let is_chosen = at.checked_sub(1).is_some_and(|before| is_sign(before, '?'));
        is_sign(at + 1, ':') && !is_chosen || !is_any && is_assigned()
    };
    let mut found = Vec::new();
    let mut depth = 0_usize;
    // The depth of the key whose value this is.
    let mut inside: Option<usize> = None;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Sign('{' | '[' | '(') => depth += 1,
            Token::Sign('}' | ']' | ')') => {
                depth = depth.saturating_sub(1);
                inside = inside.filter(|outer| *outer <= depth);
            }
            Token::Sign(',' | ';') => inside = inside.filter(|outer| *outer < depth),
            Token::Sign(_) => {}
            Token::Name(_) | Token::Text(_) if is_key(at) => {
                let key = match token {
                    Token::Name(name) => *name,
                    Token::Text(text) => text.as_str(),
                    Token::Sign(_) => "",
                };
                if inside.is_none() && (is_any || keys.contains(&key)) {
                    inside = Some(depth);
                }
            }
            Token::Text(text) if inside.is_some() => {
                found.push(if is_sign(at + 1, '+') { format!("{text}{VALUE}") } else { text.clone() });
            }
            Token::Name(_) | Token::Text(_) => {}
        }
    }
    found
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next().filter(|_| tokens.len() < MOST) {
        if rest.starts_with("//") {
            rest = rest.split_once('\n').map_or("", |(_, after)| after);
            continue;
        }
        if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.split_once("*/").map_or("", |(_, after)| after);
            continue;
        }
        let mut end = first.len_utf8();
        if matches!(first, '"' | '\'' | '`') {
            let (text, length) = quoted(rest.get(end..).unwrap_or_default(), first);
            tokens.push(Token::Text(text));
            end += length;
        } else if is_of_name(first) {
            end = rest.find(|char: char| !is_of_name(char)).unwrap_or(rest.len());
            tokens.push(Token::Name(rest.get(..end).unwrap_or_default()));
        } else if !first.is_whitespace() {
            tokens.push(Token::Sign(first));
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    tokens
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// Reads a text up to its closing quote. Returns its value, and its length in the code.
fn quoted(code: &str, quote: char) -> (String, usize) {
    let mut text = String::new();
    let mut chars = code.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, '\n')) | None => {}
                Some((_, other)) => text.push(other),
            },
            // Only a text in backticks has several lines.
            '\n' if quote != '`' => return (text, at),
            '$' if quote == '`' && chars.peek().is_some_and(|(_, next)| *next == '{') => {
                let mut depth = 0_usize;
                for (_, inner) in chars.by_ref() {
                    match inner {
                        '{' => depth += 1,
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                }
                text.push_str(VALUE);
            }
            _ if char == quote => return (text, at + char.len_utf8()),
            _ => text.push(char),
        }
    }
    (text, code.len())
}

#[cfg(test)]
mod tests {
    use super::texts_at;

    #[test]
    fn keys_have_texts_in_many_forms() {
        for (code, keys, expected) in [
            ("export default { command: 'a b', port: 1 }", &["command"][..], &["a b"][..]),
            ("x({ webServer: [{ command: \"a\", url: 'b' }, { command: `c` }] })", &["command"], &["a", "c"]),
            ("x({ 'setup': ['./a', require.resolve('./b')], c: './d' })", &["setup"], &["./a", "./b"]),
            ("module.exports.setup = './a';\nmodule.exports.b = './c';", &["setup"], &["./a"]),
            ("x({ command: process.env.CI ? 'a' : 'b' })", &["command"], &["a", "b"]),
            ("x({ command: `a ${b({ c: 1 })} d`, e: 'f' })", &["command"], &["a $value d"]),
            ("x({ command: 'a ' + b })", &["command"], &["a $value"]),
            ("x({ reporters: ['a', ['b', { c: 'd' }]] })", &["reporters"], &["a", "b", "d"]),
            ("import a from 'a';\nexport default { '*.js': ['b', 'c'], '*.md': () => 'd' };", &["*"], &["b", "c", "d"]),
        ] {
            assert_eq!(texts_at(code, keys), expected, "{code}");
        }
    }

    #[test]
    fn other_texts_have_no_such_key() {
        for code in [
            "x({ commands: 'a' })",
            "// command: 'a'\nx({ port: 1 })",
            "/* command: 'a' */",
            "x('command: a')",
            "x({ command, b: 'a' })",
            "if (command === 'build') { y('a') }",
            "const x = (command) => 'a'",
            "x(/'/, { b: 'a' })",
        ] {
            assert_eq!(texts_at(code, &["command"]), Vec::<String>::new(), "{code}");
        }
    }
}

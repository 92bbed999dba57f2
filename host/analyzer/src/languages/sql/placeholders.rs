//! Placeholders in a statement that are replaced at run time: by a shell, by a program's formatting, or by the client.

/// The maximum length of a placeholder in bytes.
const LONGEST: usize = 256;

/// Returns the length of the placeholder at the start of the text.
pub(super) fn width(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    let behind = text.get(first.len_utf8()..)?;
    let second = behind.chars().next();
    match first {
        '{' => bracketed(text, '{', '}').filter(|width| text.get(..*width).is_some_and(|inside| !inside.contains(';'))),
        '$' | '#' if second == Some('{') => bracketed(behind, '{', '}').map(|width| width + 1),
        '$' if second == Some('(') => bracketed(behind, '(', ')').map(|width| width + 1),
        '$' => name(behind).map(|width| width + 1),
        '%' if second == Some('(') => {
            let width = bracketed(behind, '(', ')')?;
            let letter = behind.get(width..)?.starts_with(|letter: char| letter.is_ascii_alphabetic());
            letter.then_some(width + 2)
        }
        '%' => {
            let letter = second.is_some_and(|letter| letter.is_ascii_alphabetic());
            (letter && name(behind) == Some(1)).then_some(2)
        }
        '?' => Some(1),
        ':' => match second? {
            quote @ ('\'' | '"') => {
                let inside = name(behind.get(1..)?)?;
                behind.get(inside + 1..)?.starts_with(quote).then_some(inside + 3)
            }
            letter if letter.is_alphabetic() || letter == '_' => name(behind).map(|width| width + 1),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the length of the name at the start of the text.
fn name(text: &str) -> Option<usize> {
    let end = text.find(|letter: char| !(letter.is_alphanumeric() || letter == '_')).unwrap_or(text.len());
    (end > 0).then_some(end)
}

/// Returns the length of the bracketed text, including the brackets.
fn bracketed(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices().take_while(|(at, _)| *at < LONGEST) {
        if letter == open {
            depth += 1;
        } else if letter == close {
            depth = depth.saturating_sub(1);
            if depth == 0 {
                return Some(at + letter.len_utf8());
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn placeholders_of_shells_programs_and_clients_are_known() {
        for text in [
            "$t",
            "${t}",
            "${t:-a b}",
            "$(cat n; date)",
            "$1",
            "{t}",
            "{}",
            "{', '.join(f'{k}=?' for k in d)}",
            "#{t.x}",
            "%s",
            "%I",
            "%(name)s",
            "?",
            ":t",
            ":\"t\"",
            ":'t'",
        ] {
            assert_eq!(width(text), Some(text.len()), "{text}");
            assert_eq!(width(&format!("{text} x")), Some(text.len()), "{text}");
        }
        for text in ["{ drop; }", "{", "$ t", "$(", "%2", "%like", "% s", ":=", ": t", ":1", ":'a b'", "#t", "t", ""] {
            assert_eq!(width(text), None, "{text}");
        }
    }
}

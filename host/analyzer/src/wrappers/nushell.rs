//! Texts of nu, as far as they are read here: spelled as a shell would have them.

/// Words before a block that runs, whatever comes of it.
const BLOCKS: &[&str] = &["try", "do", "each", "par-each", "items", "catch", "finally"];

/// A text of nu as shell: `^name` is the program of that name, a block behind `try` or `each` is a group, `open` prints a
/// file, and `save` writes one.
pub(super) fn as_shell(text: &str) -> String {
    let tokens = tokens(text);
    let mut out = String::with_capacity(text.len() + 16);
    let (mut starts, mut lists, mut opens, mut closing) = (true, false, false, 0_usize);
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let next = tokens.get(at).copied().unwrap_or_default();
        if matches!(*token, "\n" | ";" | "|") {
            (starts, lists, opens) = (true, false, false);
            out.push_str(token);
            out.push(' ');
            continue;
        }
        let word = token.strip_prefix('^').filter(|_| starts).unwrap_or(token);
        if opens && let Some(inside) = word.strip_prefix('{') {
            out.push_str("{ :; ");
            closing += 1;
            (starts, opens) = (true, false);
            if inside.is_empty() {
                // `{|x| ...`: a bar is a token of its own.
                if tokens.get(at) == Some(&"|") {
                    skip_parameters(&tokens, &mut at);
                }
            } else {
                push_closed(inside, &mut out, &mut closing);
            }
            continue;
        }
        match word {
            "run-external" if starts => {
                lists = true;
                continue;
            }
            "open" if starts => out.push_str("cat "),
            "save" if starts => out.push_str("tee "),
            "def" | "def-env" if starts => {
                out.push_str(next.trim_matches(['"', '\'']));
                out.push_str("() ");
                at += 1;
                while tokens.get(at).is_some_and(|token| !token.starts_with('{') && *token != ";") {
                    at += 1;
                }
                opens = true;
                continue;
            }
            _ if BLOCKS.contains(&word) && next.starts_with('{') => {
                if matches!(word, "catch" | "finally") {
                    out.push_str("; ");
                }
                opens = true;
                continue;
            }
            "-f" | "--force" | "--raw" | "-r" | "--append" if out.ends_with("tee ") || out.ends_with("cat ") => {
                continue;
            }
            _ if lists => {
                let word = word.trim_start_matches("...").trim_matches(['[', ']', ',']);
                out.push_str(word);
                out.push(' ');
            }
            _ => push_closed(word, &mut out, &mut closing),
        }
        starts = false;
    }
    out
}

/// Passes over `|x|`, whose bars are tokens.
fn skip_parameters(tokens: &[&str], at: &mut usize) {
    *at += 1;
    while tokens.get(*at).is_some_and(|token| *token != "|") {
        *at += 1;
    }
    *at += 1;
}

/// Adds a word; a brace at its end closes a block that was opened before.
fn push_closed(word: &str, out: &mut String, closing: &mut usize) {
    let bare = word.trim_end_matches('}');
    let ends = (word.len() - bare.len()).min(*closing);
    out.push_str(word.get(..word.len() - ends).unwrap_or(word));
    for _ in 0..ends {
        out.push_str("\n}");
    }
    *closing -= ends;
    out.push(' ');
}

/// Words, and the signs that end a command.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut quote) = (None::<usize>, None);
    for (at, char) in text.char_indices() {
        match (char, quote) {
            (char, Some(open)) => {
                if char == open {
                    quote = None;
                }
            }
            ('"' | '\'' | '`', None) => {
                quote = Some(char);
                start = start.or(Some(at));
            }
            (char, None) if char.is_whitespace() || matches!(char, ';' | '|') => {
                found.extend(start.take().and_then(|start| text.get(start..at)));
                if matches!(char, '\n' | ';' | '|') {
                    found.extend(text.get(at..at + 1));
                }
            }
            (_, None) => start = start.or(Some(at)),
        }
    }
    found.extend(start.and_then(|start| text.get(start..)));
    found
}

#[cfg(test)]
mod tests {
    use super::as_shell;

    #[test]
    fn blocks_and_commands_are_spelled_as_shell() {
        for (text, shell) in [
            ("ls a", "ls a "),
            ("^ls a; ^ls b", "ls a ; ls b "),
            ("try { ls a } catch { }", "{ :; ls a \n} ; { :; \n} "),
            ("glob a | each { ls $in }", "glob a | { :; ls $in \n} "),
            ("a | each {|x| ls $x}", "a | { :; ls $x\n} "),
            ("a | each { |x| ls $x }", "a | { :; ls $x \n} "),
            ("run-external \"ls\" ...[\"-l\" \"a\"]", "\"ls\" \"-l\" \"a\" "),
            ("open --raw a", "cat a "),
            ("\"x\" | save -f a", "\"x\" | tee a "),
            ("def f [] { ls a }; f", "f() { :; ls a \n} ; f "),
            ("echo '{ try { open'", "echo '{ try { open' "),
            ("open a.json | get name", "cat a.json | get name "),
        ] {
            assert_eq!(as_shell(text), shell, "{text}");
        }
    }

    #[test]
    fn many_blocks_cost_little() {
        let text = "try { ".repeat(5_000);
        assert!(as_shell(&text).len() < 10 * text.len());
    }
}

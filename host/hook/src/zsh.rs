//! Commands that zsh may understand differently from the other shells. The analysis is that of bash.

use std::collections::BTreeMap;

/// Words that change variables or the folder. After a pipe, zsh runs them in its own process.
const STATEFUL: [&str; 14] = [
    "{", "cd", "declare", "eval", "export", "for", "if", "mapfile", "read", "source", "typeset", "until", "while", ".",
];

/// Variables with a special meaning in zsh.
const SPECIAL: [&str; 6] = ["argv", "cdpath", "fpath", "path", "pipestatus", "status"];

/// Returns whether the user's shell is zsh, in which harnesses run commands.
pub(crate) fn is_used(variables: &BTreeMap<String, String>) -> bool {
    variables.get("SHELL").is_some_and(|path| path.ends_with("/zsh"))
}

/// Returns whether zsh may run this command differently.
pub(crate) fn may_differ(text: &str) -> bool {
    text.contains("setopt") || text.contains("emulate") || pipes_to_state(text) || has_own_words(text)
}

/// Returns whether the last command of a pipeline changes the shell.
fn pipes_to_state(text: &str) -> bool {
    let behind = text.split('|').skip(1).filter_map(|part| part.trim_start_matches('&').split_whitespace().next());
    behind.into_iter().any(|word| STATEFUL.contains(&word.trim_end_matches(';')))
}

/// Returns whether a word outside of single quotes has syntax that the shells expand differently.
fn has_own_words(text: &str) -> bool {
    let mut quote = None;
    let mut before = ' ';
    // Unquoted variables aren't split, and values aren't patterns.
    let mut is_expanded = false;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let rest = text.get(at..).unwrap_or_default();
        let begins = before.is_whitespace() || matches!(before, ';' | '&' | '|' | '(');
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (Some('\''), _) => {}
            (_, '\\') => drop(chars.next()),
            (None, '\'' | '"') => quote = Some(char),
            (_, '$') if has_subscript(rest) => return true,
            (None, '$') => is_expanded |= !rest.starts_with("$(") && !rest.starts_with("$'"),
            (Some(_), _) => {}
            // Qualifiers and alternatives of patterns, and arrays.
            (None, '(')
                if !starts_command(text, at) && !matches!(before, '$' | '(' | '<' | '>') && !rest.starts_with("()") =>
            {
                return true;
            }
            (None, '#' | '~') if matches!(before, '*' | ']' | ')') => return true,
            (None, '^') if begins => return true,
            (None, '=') if begins && rest.chars().nth(1).is_some_and(char::is_alphanumeric) => return true,
            (None, '*') if before == '*' => return true,
            (None, '<') if is_number_pattern(rest) => return true,
            _ => {}
        }
        before = char;
    }
    is_expanded && (assigns_words(text) || text.contains("IFS"))
}

/// Returns whether a command, and not an argument, starts here.
fn starts_command(text: &str, at: usize) -> bool {
    let before = text.get(..at).unwrap_or_default().trim_end_matches([' ', '\t']);
    let last = before.rsplit([' ', '\t', '\n', ';']).next().unwrap_or_default();
    before.is_empty()
        || before.ends_with([';', '&', '|', '(', '{', '!', '\n'])
        || matches!(last, "do" | "elif" | "else" | "if" | "then" | "time" | "until" | "while")
}

/// Returns whether a variable has a subscript, a flag or a modifier: `$x[1]`, `${x[1]}`, `${(f)x}`, `$x:h`.
fn has_subscript(rest: &str) -> bool {
    let name = rest.strip_prefix('$').unwrap_or(rest);
    let is_braced = name.starts_with('{');
    let name = name.trim_start_matches('{');
    let end = name.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(name.len());
    let (variable, tail) = name.split_at_checked(end).unwrap_or_default();
    let is_modifier = || {
        let letter = tail.strip_prefix(':').and_then(|tail| tail.chars().next());
        !is_braced && letter.is_some_and(char::is_alphabetic)
    };
    is_braced && matches!(name.chars().next(), Some('(' | '^' | '=' | '~'))
        || !variable.is_empty() && (tail.starts_with('[') || is_modifier())
        || SPECIAL.contains(&variable)
}

/// Returns whether the text gives a variable several words or a pattern.
fn assigns_words(text: &str) -> bool {
    let values = text.match_indices('=').filter_map(|(at, _)| text.get(at + 1..));
    let is_several = |value: &str| {
        let inner = match value.chars().next() {
            Some(quote @ ('"' | '\'')) => value.get(1..).and_then(|inner| inner.split(quote).next()),
            _ => value.split([' ', ';', '\n', '&', '|', ')']).next(),
        };
        inner.is_some_and(|inner| inner.contains([' ', '\t', '\n', '*', '?', '[', '~']) || inner.starts_with("$("))
    };
    values.into_iter().any(is_several) || text.contains("for ") && text.contains('*')
}

/// Returns whether this is a pattern for numbers: `<1-9>`.
fn is_number_pattern(rest: &str) -> bool {
    let inner = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
    inner
        .is_some_and(|(inner, _)| inner.contains('-') && inner.chars().all(|char| char.is_ascii_digit() || char == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_zsh_expands_otherwise_may_differ() {
        for text in [
            "d=(new src); rm -rf ${d[1]}",
            "d=(new src); rm -rf $d",
            "x='new src'; rm -rf $x",
            "x=n*; rm -rf $x",
            "d=new; echo src | read d; rm -rf $d",
            "echo src | while read -r f; do d=$f; done; rm -rf \"$d\"",
            "rm -rf (new|src)",
            "rm -rf new(N) src",
            "rm -rf *(.om[1])",
            "rm -rf ^src",
            "rm -rf *~src",
            "rm -rf **/*.o",
            "cd =ls; rm -rf new",
            "rm -rf log<1-9>",
            "setopt extendedglob; rm -rf x",
            "d=src/deep; rm -rf $d:h",
            "d=src; rm -rf $d[1]",
            "d=src; rm -rf \"${(U)d}\"",
            "path=/x; rm -rf $path",
            "x=$(ls); rm -rf $x",
            "IFS=:; d=a:b; rm -rf $d",
        ] {
            assert!(may_differ(text), "{text}");
        }
    }

    #[test]
    fn plain_commands_are_the_same_in_zsh() {
        for text in [
            "rm -rf build new",
            "make clean",
            "npm run clean && rm -rf dist",
            "d=new; rm -rf \"$d\"",
            "d=new; rm -rf $d",
            "rm -rf ./build/*",
            "rm -rf *.o && make",
            "cd src && rm -rf deep; cd ..",
            "rm -rf \"$HOME/x\" ~/y",
            "git reset --hard HEAD~1 && git clean -fdx",
            "git reset --hard HEAD^",
            "find . -name '*.o' -delete",
            "find . \\( -name a -o -name b \\) -delete",
            "(cd src && rm -rf deep)",
            "rm -rf $(cat list)",
            "f() { rm -rf x; }; f",
            "for f in a b; do rm -rf $f; done",
            "grep -v '^#' x | sort > y",
            "if [ -d out ]; then rm -rf out; fi",
            "rm -rf {a,b}.txt # old ones",
            "[ \"$a\" = b ] && rm -rf x",
            "diff <(ls a) <(ls b)",
        ] {
            assert!(!may_differ(text), "{text}");
        }
    }
}

//! Removes text from a script's code: comments, and the content of string literals.

use guard_sdk::code::literal;

/// The maximum number of literals that are separated from the code.
const MOST: usize = 512;

/// Returns the code with each literal emptied. Keeps code in literals: expressions, and commands in backticks, with one
/// backtick left. Modules that are loaded by name are replaced by that name.
pub(crate) fn without_literals(text: &str, language: &str) -> String {
    if language == "awk" {
        // The shell's literals are often commands.
        return text.to_owned();
    }
    let hashes = matches!(language, "python" | "ruby" | "perl" | "php" | "r" | "julia" | "elixir" | "crystal" | "nim");
    let slashes = matches!(language, "javascript" | "typescript" | "php" | "scala" | "groovy" | "swift");
    let runs_backticks = matches!(language, "perl" | "ruby" | "php" | "julia" | "crystal");
    let mut code = String::with_capacity(text.len());
    let mut tried = 0;
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let mut width = char.len_utf8();
        let in_word = code.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if matches!(char, '\'' | '"' | '`') && tried < MOST {
            tried += 1;
            if let Some((inside, after)) = literal(rest) {
                push(&mut code, char, (inside, after), language, runs_backticks);
                rest = after;
                continue;
            }
        }
        match char {
            '#' if hashes && !in_word && !code.ends_with(['$', '{', '@']) => {
                width = rest.find('\n').unwrap_or(rest.len())
            }
            '/' if slashes && rest.starts_with("//") => width = rest.find('\n').unwrap_or(rest.len()),
            '\\' => width += rest.chars().nth(1).map_or(0, char::len_utf8),
            _ => code.push(char),
        }
        rest = rest.get(width..).unwrap_or_default();
    }
    code
}

fn push(code: &mut String, quote: char, (inside, after): (&str, &str), language: &str, runs_backticks: bool) {
    if quote == '`' && runs_backticks {
        return code.push('`');
    }
    let module = "__import__(";
    let is_name = inside.chars().all(|c| c.is_ascii_alphanumeric() || "._".contains(c));
    if is_name && code.ends_with(module) && after.starts_with(')') {
        code.truncate(code.len().saturating_sub(module.len()));
        // The call's closing bracket is left over, and has no meaning here.
        return code.push_str(inside);
    }
    let formatted = language == "python" && code.ends_with(['f', 'F']) && inside.contains('{');
    // The name of a function stands for the function, as in `array_map("unlink", $files)`.
    let called = language == "php" && is_name;
    let holds_code = formatted || called || ["${", "#{", "@{[", "{$"].iter().any(|start| inside.contains(start));
    code.push(quote);
    if holds_code {
        code.push_str(inside);
    }
    code.push(quote);
}

#[cfg(test)]
mod tests {
    use super::without_literals;

    #[test]
    fn what_is_only_said_is_left_out() {
        for (language, text, expected) in [
            ("python", "s.replace('os.remove(x)', \"y\") # eval(z)", "s.replace('', \"\") "),
            ("python", "f'{os.remove(x)}'", "f'{os.remove(x)}'"),
            ("python", "__import__('os').system(x)", "os).system(x)"),
            ("ruby", "puts `git log` # now", "puts ` "),
            ("javascript", "a(`x`); b(`${c()}`) // d()", "a(``); b(`${c()}`) "),
            ("awk", "{ print | \"sh\" }", "{ print | \"sh\" }"),
        ] {
            assert_eq!(without_literals(text, language), expected, "{text}");
        }
    }
}

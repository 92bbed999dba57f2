//! vim commands, as in `-c` and `+`: the programs that they start, and the files that they read and write.
//!
//! Functions are found by name, including those of an embedded language.

/// An action of a text other than editing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Action {
    /// A text becomes shell.
    Shell(String),
    /// Code for a program: the program, its option and the code.
    Code(&'static str, &'static str, String),
    Reads(String),
    Writes(String),
    Deletes {
        path: String,
        tree: bool,
    },
}

/// The maximum nesting of texts, and the maximum number of actions in one text. A caller that gets this number must
/// assume that there are more.
const DEPTH: usize = 4;
pub(crate) const MOST: usize = 64;

/// Words before a command that change how it runs.
const MODIFIERS: &[&str] = &[
    "sil",
    "silent",
    "uns",
    "unsilent",
    "noa",
    "noautocmd",
    "keepa",
    "keepalt",
    "keepj",
    "keepjumps",
    "keepp",
    "keeppatterns",
    "vert",
    "vertical",
    "tab",
    "bo",
    "botright",
    "to",
    "topleft",
    "abo",
    "aboveleft",
    "bel",
    "belowright",
    "hide",
    "conf",
    "confirm",
    "verb",
    "verbose",
    "sandbox",
    "argdo",
    "bufdo",
    "windo",
    "tabdo",
    "cdo",
    "lockm",
    "lockmarks",
    "noswapfile",
    "cfdo",
    "ldo",
    "lfdo",
];

/// Options whose value is a program that a later command starts.
const PROGRAMS: &[&str] = &["makeprg", "mp", "grepprg", "gp", "equalprg", "ep", "formatprg", "fp", "keywordprg", "kp"];

/// Commands that run code of a language.
const LANGUAGES: &[(&str, &str, &str)] = &[
    ("lua", "lua", "-e"),
    ("luado", "lua", "-e"),
    ("py", "python3", "-c"),
    ("python", "python3", "-c"),
    ("py3", "python3", "-c"),
    ("python3", "python3", "-c"),
    ("pyx", "python3", "-c"),
    ("pythonx", "python3", "-c"),
    ("pydo", "python3", "-c"),
    ("perl", "perl", "-e"),
    ("perldo", "perl", "-e"),
    ("rub", "ruby", "-e"),
    ("ruby", "ruby", "-e"),
    ("rubydo", "ruby", "-e"),
];

/// Functions that start a program, and functions whose argument is a vim command.
const STARTS: &[&str] = &["system", "systemlist", "job_start", "jobstart", "termopen", "term_start"];
const EXECUTES: &[&str] = &["execute", "cmd", "nvim_command", "nvim_exec", "nvim_exec2", "feedkeys", "nvim_input"];

/// Returns the actions of the text.
pub(crate) fn acts(text: &str) -> Vec<Action> {
    let mut found = Vec::new();
    read(text, 0, &mut found);
    found.truncate(MOST);
    found
}

fn read(text: &str, depth: usize, found: &mut Vec<Action>) {
    if depth > DEPTH || found.len() > MOST {
        return;
    }
    functions(text, depth, found);
    for line in text.lines() {
        let mut rest = line;
        while let Some(next) = command(rest, depth, found) {
            rest = next;
        }
    }
}

/// Reads one command. Returns the text after the following bar.
fn command<'t>(text: &'t str, depth: usize, found: &mut Vec<Action>) -> Option<&'t str> {
    let (name, rest) = name_and_rest(text)?;
    if name.is_empty() {
        if let Some(shell) = rest.strip_prefix('!') {
            found.push(Action::Shell(shell.trim_start_matches('!').to_owned()));
            return None;
        }
        return behind_bar(rest);
    }
    if let Some((_, program, option)) = LANGUAGES.iter().find(|(known, ..)| *known == name) {
        found.push(Action::Code(program, option, rest.trim_start().to_owned()));
        return None;
    }
    let words = rest.strip_prefix('!').filter(|_| !rest.starts_with("! ") || name != "r").unwrap_or(rest).trim_start();
    match name {
        "r" | "re" | "rea" | "read" | "w" | "wr" | "wri" | "writ" | "write"
            if words.starts_with('!') || rest.starts_with('!') && name.starts_with('r') =>
        {
            found.push(Action::Shell(words.trim_start_matches('!').to_owned()));
            return None;
        }
        "te" | "ter" | "term" | "terminal" => {
            let command = words.split_whitespace().filter(|word| !word.starts_with("++"));
            found.push(Action::Shell(command.collect::<Vec<_>>().join(" ")));
            return None;
        }
        "norm" | "normal" => {
            if let Some((_, typed)) = words.split_once(':') {
                read(typed.split(['\r', '\u{1b}']).next().unwrap_or_default(), depth + 1, found);
            }
            return None;
        }
        "g" | "global" | "v" | "vglobal" | "au" | "autocmd" | "com" | "comm" | "command" => {
            read(&command_inside(name, words)?, depth + 1, found);
            return None;
        }
        "se" | "set" | "setl" | "setlocal" | "setg" | "setglobal" => {
            for (name, value) in settings(words) {
                if PROGRAMS.contains(&name) && value.contains(' ') {
                    found.push(Action::Shell(value));
                }
            }
        }
        "exe" | "exec" | "execute" => {
            if let Some(text) = strings(words) {
                read(&text, depth + 1, found);
            }
        }
        _ => found.extend(of_file(name, words.split('|').next().unwrap_or_default().trim())),
    }
    behind_bar(words)
}

/// Returns the command's name after addresses and modifiers, and the text after the name.
fn name_and_rest(text: &str) -> Option<(&str, &str)> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|char: char| {
            char.is_whitespace()
                || char.is_ascii_digit()
                || matches!(char, ':' | '%' | '$' | '.' | ',' | ';' | '+' | '-' | '\'')
        });
        let end = rest.find(|char: char| !char.is_ascii_alphanumeric()).unwrap_or(rest.len());
        let (name, tail) = rest.split_at_checked(end)?;
        if !MODIFIERS.contains(&name) {
            return Some((name, tail));
        }
        rest = tail.trim_start_matches('!');
    }
}

/// Returns the action of a command on its file.
fn of_file(name: &str, file: &str) -> Option<Action> {
    // `redir > FILE`, and the commands that save a session.
    let saves = ["redi", "mks", "mkv", "mkex"].iter().any(|start| name.starts_with(start));
    let saved = file.trim_start_matches(['>', ' ']);
    if saves && !saved.is_empty() && !saved.starts_with(['@', '=']) && saved != "END" {
        return Some(Action::Writes(saved.to_owned()));
    }
    match name {
        _ if file.is_empty() => None,
        "r" | "re" | "rea" | "read" | "so" | "sou" | "source" | "e" | "ed" | "edit" | "vi" | "view" => {
            Some(Action::Reads(file.to_owned()))
        }
        "w" | "wr" | "wri" | "writ" | "write" | "sav" | "saveas" | "wq" | "x" | "up" | "update" => {
            Some(Action::Writes(file.trim_start_matches(">>").trim_start().to_owned()))
        }
        _ => None,
    }
}

/// Returns the command in another one: `g/PATTERN/COMMAND`, or one that runs later, after an event and a pattern, or
/// after a name.
fn command_inside(name: &str, words: &str) -> Option<String> {
    match name {
        "g" | "global" | "v" | "vglobal" => {
            let mut parts = words.chars();
            let sign = parts.next().filter(|sign| !sign.is_alphanumeric())?;
            Some(parts.as_str().split_once(sign)?.1.to_owned())
        }
        "au" | "autocmd" => Some(behind_words(words, 2)),
        _ => {
            let at = words.find(|char: char| char.is_ascii_uppercase())?;
            Some(behind_words(words.get(at..)?, 1))
        }
    }
}

/// Returns the text after the first `count` words.
fn behind_words(text: &str, count: usize) -> String {
    text.split_whitespace().skip(count).collect::<Vec<_>>().join(" ")
}

/// Returns the options and values in a `set` command. A backslash escapes a blank.
fn settings(text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((name, value)) = rest.split_once('=').filter(|_| found.len() < MOST) {
        let name = name.rsplit(char::is_whitespace).next().unwrap_or(name).trim_end_matches(['+', '^', '-']);
        let mut escaped = false;
        let end = value.find(|char: char| {
            let ends = char.is_whitespace() && !escaped;
            escaped = char == '\\' && !escaped;
            ends
        });
        let (value, behind) = value.split_at_checked(end.unwrap_or(value.len())).unwrap_or_default();
        found.push((name, value.replace('\\', "")));
        rest = behind;
    }
    found
}

/// Returns the program that a `set` command makes the shell.
pub(crate) fn shell_of(text: &str) -> Option<String> {
    let (_, set) = text.split_once("se")?;
    settings(set).into_iter().find(|(name, _)| matches!(*name, "shell" | "sh")).map(|(_, value)| value)
}

/// Returns the text after a bar that is outside strings.
fn behind_bar(text: &str) -> Option<&str> {
    let mut quote = None;
    let mut escaped = false;
    for (at, char) in text.char_indices() {
        match (char, quote) {
            _ if escaped => escaped = false,
            ('\\', _) => escaped = true,
            ('|', None) => return text.get(at + 1..),
            ('"' | '\'', None) => quote = Some(char),
            (char, Some(open)) if char == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Adds the functions that a text calls.
fn functions(text: &str, depth: usize, found: &mut Vec<Action>) {
    for (at, _) in text.match_indices('(').take(MOST) {
        let (before, behind) = text.split_at_checked(at).unwrap_or_default();
        let arguments = behind.strip_prefix('(').unwrap_or_default();
        let start = before.rfind(|char: char| !char.is_ascii_alphanumeric() && char != '_').map_or(0, |at| at + 1);
        let name = before.get(start..).unwrap_or_default();
        match name {
            _ if STARTS.contains(&name) => found.extend(strings(arguments).map(Action::Shell)),
            _ if EXECUTES.contains(&name) => {
                if let Some(text) = strings(arguments) {
                    read(&text, depth + 1, found);
                }
            }
            "delete" | "rm" => {
                let path = strings(arguments).unwrap_or_default();
                let flags = arguments.split_once(',').map_or("", |(_, flags)| flags);
                let tree = flags.contains("rf") || flags.contains("recursive");
                found.push(Action::Deletes { path, tree });
            }
            "fs_unlink" | "fs_rmdir" | "unlink" => {
                found.push(Action::Deletes { path: strings(arguments).unwrap_or_default(), tree: false });
            }
            "readfile" => found.extend(strings(arguments).map(Action::Reads)),
            "writefile" => {
                let path = arguments.split_once("],").or_else(|| arguments.split_once(',')).map(|(_, path)| path);
                found.extend(path.and_then(strings).map(Action::Writes));
            }
            _ => {}
        }
    }
}

/// Returns the strings at the start of a text, joined: with blanks for a list, otherwise directly. A call around them,
/// such as `expand`, is skipped.
fn strings(text: &str) -> Option<String> {
    let mut result: Option<String> = None;
    let mut rest = text.trim_start();
    let listed = rest.starts_with(['[', '{']);
    loop {
        rest = rest.trim_start_matches([' ', '\t', '[', '{', '.']);
        let Some(quote) = rest.chars().next().filter(|char| matches!(char, '"' | '\'')) else {
            let name =
                rest.find(|char: char| !char.is_ascii_alphanumeric() && !"_.".contains(char)).unwrap_or(rest.len());
            if name > 0 && result.is_none() && rest.get(name..).is_some_and(|tail| tail.starts_with('(')) {
                rest = rest.get(name + 1..)?;
                continue;
            }
            return result;
        };
        let mut inside = String::new();
        let mut chars = rest.get(1..)?.chars();
        loop {
            match chars.next()? {
                '\\' if quote == '"' => match chars.next()? {
                    'n' | 'r' => inside.push('\n'),
                    't' => inside.push('\t'),
                    other => inside.push(other),
                },
                char if char == quote => break,
                char => inside.push(char),
            }
        }
        rest = chars.as_str().trim_start();
        match &mut result {
            Some(result) => {
                result.push_str(if listed { " " } else { "" });
                result.push_str(&inside);
            }
            None => result = Some(inside),
        }
        if listed {
            rest = rest.trim_start_matches(',');
        } else if !rest.starts_with(['.', '"', '\'']) {
            return result;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(text: &str) -> Action {
        Action::Shell(text.to_owned())
    }

    #[test]
    fn programs_are_found_wherever_a_command_starts_them() {
        for text in [
            "!ls x",
            ":!ls x",
            "silent! !ls x",
            "sil exe '!ls x'",
            "%!ls x",
            "1,$!ls x",
            "r !ls x",
            "w !ls x",
            "read! ls x",
            "set nu | !ls x",
            "call system('ls x')",
            "let a=system(\"ls x\")|q",
            "term ++close ls x",
            "norm :!ls x\r",
            "call job_start(['ls', 'x'])",
            "execute '!' . 'ls x'",
            "lua vim.cmd('!ls x')",
            "g/^/exe '!ls x'",
            "v/a/!ls x",
            "g#a#silent !ls x",
            "au VimEnter * !ls x",
            "autocmd! BufWrite *.c silent !ls x",
            "command! -nargs=0 Go !ls x",
            "set makeprg=ls\\ x | make",
            "setl nu gp=ls\\ x",
        ] {
            assert!(acts(text).contains(&shell("ls x")), "{text} {:?}", acts(text));
        }
    }

    #[test]
    fn files_are_found() {
        let tree = |path: &str| Action::Deletes { path: path.to_owned(), tree: true };
        assert_eq!(acts("call delete('a', 'rf')"), [tree("a")]);
        assert!(acts("lua vim.fn.delete(vim.fn.expand('a'), 'rf')").contains(&tree("a")));
        assert_eq!(acts("call writefile(['x', 'y'], 'a')"), [Action::Writes("a".to_owned())]);
        assert_eq!(acts("echo readfile('a')"), [Action::Reads("a".to_owned())]);
        assert_eq!(acts("so a"), [Action::Reads("a".to_owned())]);
        assert!(acts("lua vim.uv.fs_unlink('a')").contains(&Action::Deletes { path: "a".to_owned(), tree: false }));
        assert_eq!(acts("w! a | q"), [Action::Writes("a".to_owned())]);
        assert_eq!(acts("py3 print(1)"), [Action::Code("python3", "-c", "print(1)".to_owned())]);
    }

    #[test]
    fn ordinary_commands_do_nothing_else() {
        for text in [
            "q",
            "wq",
            "set nu",
            "%s/a/b/g",
            "g/!x/d",
            "g/a",
            "set makeprg=ninja",
            "set mp",
            "au",
            "command",
            "normal ggVG=",
            "call cursor(1, 2)",
            "",
            "!",
            "|",
            "exe",
            "call system(",
        ] {
            assert!(acts(text).iter().all(|act| *act == shell("")), "{text} {:?}", acts(text));
        }
    }
}

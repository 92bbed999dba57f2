//! Code of a general language on the command line, in a here-document or from a known pipe: the commands that it starts.
//!
//! Some languages are read by a parser (see [`crate::summaries`]). Of the others, a call by which the language starts a program is
//! taken at its word if its words are literal; what is not literal becomes a part that is known only at run time. What
//! code does to files itself is the business of [`crate::languages::code`].

mod clients;
pub(crate) mod editors;
pub(crate) mod languages;
mod read;
mod scripts;

use guard_sdk::syntax::{Part, Via, Word};

use super::layer::{Place, Run, What};
use super::shells::descriptor;
use crate::javascript;
use crate::limits;

use crate::options::{Flag, leading, parse};
use crate::programs::program::unversioned;
use crate::word::expand::literal;
use languages::{LANGUAGES, Language};

/// Programs whose input has lines that run, and what begins such a line.
const LINES: &[(&[&str], &[&str])] = &[
    (&["ed", "ex", "vi", "vim", "nvim", "view", "vimdiff", "gvim", "rvim"], &["!", ":!", "r !", ":r !"]),
    (&["gdb", "lldb"], &["shell ", "!"]),
    (&["tclsh", "wish", "expect"], &["exec ", "spawn "]),
    (&["ftp", "sftp", "lftp"], &["!"]),
    (&["make", "gmake"], &["\t@", "\t-", "\t"]),
];

/// The longest call.
const LONGEST: usize = 4096;

/// Whether this program, in lower case, reads code of a general language.
pub(super) fn is_language(name: &str) -> bool {
    let plain = unversioned(name);
    scripts::is_awk(plain) || LANGUAGES.iter().any(|language| language.programs.contains(&plain))
}

/// The files of code that the interpreter `name` may be given, if it is one.
pub(super) fn files(name: &str, argv: &[Word]) -> Vec<Word> {
    let lower = name.to_ascii_lowercase();
    let plain = unversioned(&lower);
    let words = argv.get(1..).unwrap_or_default();
    if scripts::is_awk(plain) {
        return scripts::awk_files(words);
    }
    let Some(language) = LANGUAGES.iter().find(|language| language.programs.contains(&plain)) else {
        return Vec::new();
    };
    if javascript::PROGRAMS.contains(&plain) {
        let given = javascript::given(plain, words);
        let files = given.loaded.iter().chain(&given.file).filter(|file| file.text.len() == file.word.text.len());
        return ended(files.map(|file| file.word.clone()).collect(), JAVASCRIPT_ENDS);
    }
    let options = leading(words, language.takes);
    let named = options.flags.iter().filter(|flag| flag.is_any(FILES) && !flag.is_any(language.code));
    let mut found: Vec<Word> = named.map(Flag::word).collect();
    if let Some(module) = options.flag(&["m"]) {
        let path = module.text().replace('.', "/");
        found.extend([format!("{path}.py"), format!("{path}/__main__.py")].iter().map(|path| literal(path)));
    } else if options.flag(language.code).is_none() {
        found.extend(options.rest.first().cloned());
    }
    ended(found, if plain == "ruby" { &[".rb"] } else { &[] })
}

/// Endings without which a module of JavaScript is named.
const JAVASCRIPT_ENDS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

/// The same files, and those with one of the endings.
fn ended(mut files: Vec<Word>, ends: &[&str]) -> Vec<Word> {
    let longer: Vec<Word> =
        files.iter().flat_map(|word| ends.iter().map(|end| literal(&format!("{}{end}", word.text)))).collect();
    files.extend(longer);
    files
}

/// Options whose value is a file of code.
const FILES: &[&str] = &["f", "file", "r", "require", "import", "i", "include"];

/// Whether an operand is standard input, or a text that is printed in its place.
fn reads_text(word: &Word) -> bool {
    word.text == "-" || descriptor(&word.text).is_some() || word.parts.iter().any(|part| part.kind == "process")
}

/// What the code that a command is given runs.
pub(super) fn runs(name: &str, argv: &[Word], input: Option<&str>) -> Vec<Run> {
    let lower = name.to_ascii_lowercase();
    let words = argv.get(1..).unwrap_or_default();
    if clients::is_client(&lower) {
        return first_of(clients::runs(&lower, words, input));
    }
    if let Some((_, starts)) = LINES.iter().find(|(programs, _)| programs.contains(&lower.as_str())) {
        let mut found = lines(name, words, starts, input.unwrap_or_default());
        if editors::is_vim(&lower) {
            found.append(&mut editors::vim(&lower, words));
        }
        return found;
    }
    match lower.as_str() {
        "crontab" if words.iter().all(|word| word.text == "-") => return schedule(input.unwrap_or_default()),
        "sed" | "gsed" => return first_of(scripts::sed(words, input)),
        _ => {}
    }
    let plain = unversioned(&lower);
    if scripts::is_awk(plain) {
        return first_of(scripts::awk(words, input));
    }
    let Some(language) = LANGUAGES.iter().find(|language| language.programs.contains(&plain)) else {
        return Vec::new();
    };
    if javascript::PROGRAMS.contains(&plain) {
        let given = javascript::given(plain, words);
        let is_text = given.file.as_ref().is_some_and(|file| reads_text(file.word));
        let input = input.filter(|_| given.reads_input() || is_text);
        let codes = given.codes.iter().map(|code| code.text.as_ref()).chain(input);
        return first_of(
            codes
                .flat_map(|code| read::started(name, "javascript", code, &given.arguments, input == Some(code)))
                .collect(),
        );
    }
    let options = parse(words, language.takes, false);
    let mut texts: Vec<&str> = Vec::new();
    texts.extend(options.flags.iter().filter(|flag| flag.is_any(language.code)).map(Flag::text));
    let is_module = language.read == Some("python") && options.flag(&["m"]).is_some();
    match options.rest.first() {
        Some(word) if reads_text(word) => texts.extend(input),
        // A module is the program, and reads the input itself.
        None if texts.is_empty() && !is_module => texts.extend(input),
        _ => {}
    }
    if let Some(read) = language.read {
        return first_of(read::runs(name, read, words, &options, &texts, input));
    }
    let found: Vec<What> = texts.into_iter().flat_map(|text| commands(language, text)).collect();
    bounded(found.len());
    found.into_iter().take(limits::STARTS).map(|what| run(name, what)).collect()
}

fn run(name: &str, what: What) -> Run {
    let via = Via { kind: "code".to_owned(), detail: name.to_owned() };
    Run { via, what, place: Place::Apart, certain: true, mark: None }
}

fn text(text: &str) -> What {
    What::Text { text: literal(text), parameters: None }
}

/// Lines of an input that run.
fn lines(name: &str, words: &[Word], starts: &[&str], input: &str) -> Vec<Run> {
    let make = name.ends_with("make");
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [option, text] if matches!(option.text.as_str(), "--eval" | "-E") => Some(text.text.as_str()),
        _ => None,
    });
    let evals = words.iter().filter_map(|word| word.text.strip_prefix("--eval="));
    let evals = evals.chain(pairs).filter(|_| make);
    // A makefile is read from the input only if it is asked for.
    let reads = !make
        || words.windows(2).any(|pair| matches!(pair, [option, file] if option.text == "-f" && matches!(file.text.as_str(), "-" | "/dev/stdin")));
    let given = input.lines().filter(|_| reads);
    // A script of tcl on the command line has its commands behind semicolons as well.
    let scripts = words.windows(2).filter(|pair| pair.first().is_some_and(|word| word.text == "-c"));
    let scripts =
        scripts.filter_map(|pair| pair.last()).flat_map(|script| script.text.split([';', '\n'])).map(str::trim_start);
    let is_tcl = matches!(name, "tclsh" | "wish" | "expect");
    let mut found = Vec::new();
    for line in given.chain(evals.clone().flat_map(str::lines)).chain(scripts.filter(|_| is_tcl)) {
        let command = starts.iter().find_map(|start| line.strip_prefix(start));
        // A rule of one line: `target: ; command`.
        let command =
            command.or_else(|| if make { line.split_once(':')?.1.split_once(';').map(|(_, tail)| tail) } else { None });
        found.extend(command.map(|command| run(name, text(&command.replace("$$", "$")))));
        if make {
            let shells = line
                .match_indices("$(shell ")
                .take(limits::STARTS)
                .filter_map(|(at, opener)| line.get(at + opener.len()..));
            let ends = |rest: &str| rest.bytes().take(LONGEST).position(|byte| byte == b')');
            found.extend(shells.filter_map(|rest| Some(run(name, text(rest.get(..ends(rest)?)?)))));
        }
        if !bounded(found.len()) {
            found.truncate(limits::STARTS);
            break;
        }
    }
    found
}

/// As many of them as can be followed.
fn first_of(mut found: Vec<Run>) -> Vec<Run> {
    bounded(found.len());
    found.truncate(limits::STARTS);
    found
}

/// Whether so many commands can be followed.
fn bounded(count: usize) -> bool {
    if count > limits::STARTS {
        limits::reached("a program is given too many commands to follow");
    }
    count <= limits::STARTS
}

/// The commands of a table of `cron`.
fn schedule(input: &str) -> Vec<Run> {
    let mut found = Vec::new();
    for line in input.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if !bounded(found.len() + 1) {
            break;
        }
        let fields = if line.starts_with('@') { 1 } else { 5 };
        let mut rest = line;
        for _ in 0..fields {
            rest = rest.split_once([' ', '\t']).map_or("", |(_, rest)| rest.trim_start());
        }
        if !rest.is_empty() && !line.split(' ').next().unwrap_or_default().contains('=') {
            // In the home of the user.
            found.push(Run { place: Place::Unknown, ..run("crontab", text(rest)) });
        }
    }
    found
}

/// The commands that a piece of code starts.
fn commands(language: &Language, code: &str) -> Vec<What> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut before = ' ';
    let mut tried = 0;
    while let Some(char) = code.get(at..).and_then(|rest| rest.chars().next()) {
        if !bounded(tried) {
            break;
        }
        let rest = code.get(at..).unwrap_or_default();
        let name_end = rest.find(|char: char| !is_part_of_name(char)).unwrap_or(rest.len());
        let name = rest.get(..name_end).unwrap_or_default();
        if name_end > 0 && !is_part_of_name(before) {
            let tail = rest.get(name_end..).unwrap_or_default();
            let until = code.get(..at + name_end).unwrap_or_default();
            let known = language.calls.iter().any(|call| {
                *call == name || call.contains(['.', ':']) && call.ends_with(name) && until.ends_with(call)
            });
            if known {
                tried += 1;
                if language.programs.contains(&"emacs") {
                    found.extend(function(name, tail));
                } else {
                    found.extend(call(language, tail));
                }
            }
            before = name.chars().next_back().unwrap_or(' ');
            at += name_end;
            continue;
        }
        match char {
            '`' if language.backticks => {
                let inner = rest.get(1..).unwrap_or_default();
                let Some((command, _)) = inner.split_once('`') else { break };
                tried += 1;
                found.push(text(command));
                at += command.len() + 2;
                before = '`';
                continue;
            }
            '%' if language.backticks && rest.starts_with("%x") => {
                tried += 1;
                let close = match rest.chars().nth(2) {
                    Some('(') => ')',
                    Some('{') => '}',
                    Some('[') => ']',
                    Some(other) => other,
                    None => break,
                };
                if let Some((command, _)) = rest.get(3..).unwrap_or_default().split_once(close) {
                    found.push(text(command));
                }
            }
            _ => {}
        }
        before = char;
        at += char.len_utf8();
    }
    found
}

fn is_part_of_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_' || char == '-'
}

/// The command of a call, whose arguments begin `tail`.
fn call(language: &Language, tail: &str) -> Option<What> {
    let open = tail.trim_start_matches([' ', '\t']);
    let inside = match open.strip_prefix('(') {
        Some(inside) => inside,
        None if language.bare && open.starts_with(['"', '\'', 'q', '{', '[', '`', '%', '*']) => open,
        None => return None,
    };
    let mut words: Vec<Word> = Vec::new();
    let (mut listed, mut depth, mut nested) = (false, 0_usize, 0_usize);
    // Whether the last word is still growing: literals side by side, or joined by an operator.
    let (mut grows, mut named) = (false, false);
    let mut rest = inside;
    let start = inside.len();
    while let Some(char) = rest.chars().next() {
        if start.saturating_sub(rest.len()) > LONGEST || words.len() >= limits::STARTS {
            break;
        }
        let is_argument = || {
            let before = inside.get(..start.saturating_sub(rest.len())).unwrap_or_default().trim_end();
            depth == 0 && (before.is_empty() || before.ends_with([',', '*']))
        };
        if let Some((items, width)) = listed_words(rest).filter(|_| is_argument()) {
            words.extend(items.split_ascii_whitespace().map(literal));
            rest = rest.get(width..).unwrap_or_default();
            continue;
        }
        if let Some((literal_text, width)) = string(rest) {
            if !named && nested == 0 {
                match words.last_mut().filter(|_| grows) {
                    Some(word) => extend(word, Some(&literal_text)),
                    None => words.push(literal(&literal_text)),
                }
                grows = true;
            }
            named = false;
            rest = rest.get(width..).unwrap_or_default();
            continue;
        }
        let mut width = char.len_utf8();
        match char {
            ',' if depth == 0 || listed => grows = false,
            '[' | '(' => {
                listed |= char == '[' && words.len() <= 1;
                grows &= char != '[';
                depth += 1;
                nested += usize::from(char == '(');
            }
            ')' | ']' => {
                let Some(left) = depth.checked_sub(1) else { break };
                depth = left;
                nested = nested.saturating_sub(usize::from(char == ')'));
                if char == ']' && listed && depth == 0 {
                    break;
                }
            }
            '{' if !listed && !rest.contains("args") => break,
            ';' | '\n' if depth == 0 && !words.is_empty() => break,
            '=' => named = !rest.starts_with("=="),
            _ if char.is_ascii_alphabetic() || matches!(char, '$' | '_' | '@') => {
                width = rest
                    .find(|char: char| !char.is_ascii_alphanumeric() && !"_$@.".contains(char))
                    .unwrap_or(rest.len())
                    .max(1);
                let name = rest.get(..width).unwrap_or_default();
                let keyword = rest.get(width..).unwrap_or_default().trim_start().starts_with(['=', ':']);
                if !keyword && !named && !matches!(name, "nil" | "None" | "new" | "r" | "f" | "b" | "q" | "qq" | "t") {
                    let calls = rest.get(width..).unwrap_or_default().starts_with('(');
                    let first = words.is_empty() && !(calls && nested == 0);
                    match words.last_mut().filter(|_| grows) {
                        Some(word) => extend(word, None),
                        None if first => {}
                        None => words.push(unknown()),
                    }
                    grows = true;
                }
                named = false;
            }
            _ => {}
        }
        rest = rest.get(width..).unwrap_or_default();
    }
    chained(&mut words, rest);
    what(words, listed)
}

/// Adds what is given to a program behind its call: `Command::new("git").arg("push").args(["--force"])`.
fn chained(words: &mut Vec<Word>, end: &str) {
    let mut rest = end.strip_prefix(')').unwrap_or_default().trim_start();
    while let Some((name, arguments)) = rest.strip_prefix('.').and_then(|rest| rest.split_once('(')) {
        if words.len() >= limits::STARTS || end.len() - arguments.len() > LONGEST || !matches!(name, "arg" | "args") {
            break;
        }
        let mut inside = arguments;
        while let Some(char) = inside.chars().next().filter(|char| *char != ')') {
            match string(inside) {
                Some((text, width)) => {
                    words.push(literal(&text));
                    inside = inside.get(width..).unwrap_or_default();
                }
                None => inside = inside.get(char.len_utf8()..).unwrap_or_default(),
            }
        }
        rest = inside.strip_prefix(')').unwrap_or_default().trim_start();
    }
}

/// A call of emacs, whose arguments stand behind blanks: a text, or a program and its words.
fn function(name: &str, tail: &str) -> Option<What> {
    let arguments = tail.split(')').next()?;
    let mut strings = arguments.split('"').skip(1).step_by(2).take(limits::STARTS);
    // A process has a name, and a buffer, before its program.
    if name.starts_with("start-") {
        strings.next();
    }
    let words: Vec<Word> = strings.map(literal).collect();
    match name {
        "call-process" | "start-process" => {
            (!words.is_empty()).then_some(What::Words { assignments: Vec::new(), words })
        }
        _ => words.first().map(|command| text(&command.text)),
    }
}

/// The words of a call as a text, or as a program and its words.
fn what(mut words: Vec<Word>, listed: bool) -> Option<What> {
    let first = words.first()?;
    let is_text = first.text.contains([' ', '\t', '\n', ';', '|', '&', '`']);
    if is_text && (!listed || words.len() == 1) || words.len() == 1 {
        return Some(What::Text { text: words.swap_remove(0), parameters: None });
    }
    // `execlp("rm", "rm", "-rf")` names the program twice.
    let base = first.text.rsplit('/').next().unwrap_or_default().to_owned();
    if words.get(1).is_some_and(|second| second.text == base || second.text == first.text) {
        words.remove(0);
    }
    Some(What::Words { assignments: Vec::new(), words })
}

fn unknown_part() -> Part {
    Part { kind: "variable".to_owned(), text: "_".to_owned(), quoted: false }
}

fn unknown() -> Word {
    Word { text: "$_".to_owned(), dynamic: true, quoted: false, glob: false, parts: vec![unknown_part()] }
}

/// Adds a literal, or something that is known only at run time, to a word.
fn extend(word: &mut Word, more: Option<&str>) {
    match more {
        Some(text) => {
            word.text.push_str(text);
            word.parts.extend(literal(text).parts);
        }
        None if word.dynamic => {}
        None => {
            word.text.push_str("$_");
            word.dynamic = true;
            word.parts.push(unknown_part());
        }
    }
}

/// The words of the list that the text begins with, `%w[rm -rf]` of ruby or `qw(rm -rf)` of perl, and how long it is.
fn listed_words(text: &str) -> Option<(&str, usize)> {
    let inside = ["%w", "%W", "qw"].iter().find_map(|opener| text.strip_prefix(opener))?;
    let open = inside.chars().next().filter(|open| !open.is_alphanumeric() && !open.is_whitespace())?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        other => other,
    };
    let (items, behind) = inside.get(open.len_utf8()..)?.split_once(close)?;
    // A list that is indexed, joined with another one, or has parts of its words escaped is not followed.
    let is_whole = behind.trim_start().is_empty() || behind.trim_start().starts_with([')', ',', ';', '}']);
    if items.len() > LONGEST || items.contains(['\\', '#']) || !is_whole {
        return None;
    }
    Some((items, text.len() - inside.len() + open.len_utf8() + items.len() + close.len_utf8()))
}

/// The string literal that the text begins with, without its quotes, and how long it is.
fn string(text: &str) -> Option<(String, usize)> {
    for quote in ["\"\"\"", "'''", "\"", "'", "`"] {
        let Some(inside) = text.strip_prefix(quote) else { continue };
        let mut result = String::new();
        let mut chars = inside.char_indices();
        while let Some((at, char)) = chars.next() {
            if inside.get(at..).is_some_and(|rest| rest.starts_with(quote)) {
                return Some((result, at + 2 * quote.len()));
            }
            if at > LONGEST {
                return None;
            }
            match char {
                '\\' => match chars.next() {
                    Some((_, 'n')) => result.push('\n'),
                    Some((_, 't')) => result.push('\t'),
                    Some((_, other)) => result.push(other),
                    None => return None,
                },
                _ => result.push(char),
            }
        }
        return None;
    }
    None
}

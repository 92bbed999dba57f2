//! The programs that a planned command starts, from its text.
//!
//! The host parses the command that is to run, but a plan is only text to it. This is the small part of shell syntax
//! that tells where a command begins: quotes, operators, substitutions, here-documents, words before the program. What
//! it takes for a program without being one only adds a name to the plan.

mod words;

use words::Lexer;

/// The deepest nesting of texts in texts.
const DEPTH: usize = 6;

/// The most programs of one text.
const PROGRAMS: usize = 256;

/// The longest name of a program.
const NAME: usize = 255;

/// Programs that run their arguments, and the options of each that take a value.
const WRAPPERS: &[(&str, &[&str])] = &[
    ("builtin", &[]),
    ("chrt", &[]),
    ("command", &[]),
    ("doas", &["-u"]),
    ("env", &["-u", "-C", "--unset", "--chdir"]),
    ("exec", &["-a"]),
    ("ionice", &["-c", "-n", "-p"]),
    ("nice", &["-n"]),
    ("nohup", &[]),
    ("setsid", &[]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("sudo", &["-u", "-g", "-C", "-D", "-h", "-p", "-U"]),
    ("taskset", &[]),
    ("time", &["-f", "-o", "--format", "--output"]),
    ("timeout", &["-k", "-s", "--kill-after", "--signal"]),
];

/// Wrappers whose first operand is not the program.
const WITH_OPERAND: &[&str] = &["chrt", "taskset", "timeout"];

const SHELLS: &[&str] = &["sh", "bash", "zsh", "dash", "ksh"];

/// Words of the shell's grammar that stand before a command.
const BEFORE: &[&str] = &["!", "{", "then", "else", "elif", "if", "do", "while", "until"];

/// Words that begin or end a construct, with no command behind them.
const ALONE: &[&str] = &["}", "fi", "done", "esac", "for", "select", "case", "function", "in"];

/// A program that a command starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// Its name, without a folder.
    pub name: String,
    /// How the command spells it: `./blis`.
    pub spelled: String,
}

/// The programs of a text.
pub(crate) fn heads(text: &str) -> Vec<Program> {
    let mut found = Vec::new();
    collect(text, 0, &mut found);
    found
}

/// The programs of a command that is given as its words.
pub(crate) fn of_words(words: &[&str]) -> Vec<Program> {
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    let mut found = Vec::new();
    head(&words, 0, &mut found);
    found
}

fn collect(text: &str, depth: usize, found: &mut Vec<Program>) {
    if depth > DEPTH {
        return;
    }
    let (commands, inner) = Lexer::new(text).commands();
    commands.iter().for_each(|words| head(words, depth, found));
    inner.iter().for_each(|text| collect(text, depth + 1, found));
}

/// Adds the program of one command.
fn head(words: &[String], depth: usize, found: &mut Vec<Program>) {
    let mut words = words.iter().map(String::as_str).peekable();
    loop {
        while words.peek().is_some_and(|word| BEFORE.contains(word) || is_assignment(word)) {
            words.next();
        }
        let Some(word) = words.next() else { return };
        let name = word.rsplit('/').next().unwrap_or(word);
        if ALONE.contains(&word) || name.is_empty() || found.len() >= PROGRAMS {
            return;
        }
        if let Some((_, valued)) = WRAPPERS.iter().find(|(wrapper, _)| *wrapper == name) {
            while let Some(option) = words.next_if(|word| word.starts_with('-') && word.len() > 1) {
                if valued.contains(&option) {
                    words.next();
                }
            }
            if WITH_OPERAND.contains(&name) {
                words.next();
            }
            if words.peek().is_some() {
                continue;
            }
        }
        let text = match name {
            "eval" => Some(words.by_ref().collect::<Vec<_>>().join(" ")),
            _ if SHELLS.contains(&name) => {
                let mut options = std::iter::from_fn(|| words.next_if(|word| word.starts_with('-')));
                let gives_text = options.any(|option| !option.starts_with("--") && option.ends_with('c'));
                words.next().filter(|_| gives_text).map(str::to_owned)
            }
            _ => None,
        };
        match text {
            Some(text) => collect(&text, depth + 1, found),
            None => found.push(Program { name: crate::cut(name, NAME), spelled: crate::cut(word, NAME) }),
        }
        return;
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+'));
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    !name.is_empty() && name.chars().all(is_name) && !name.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let names: Vec<String> = heads(text).into_iter().map(|program| program.name).collect();
        assert_eq!(names, expected, "{text}");
    }

    #[test]
    fn the_first_word_is_the_program() {
        check("./blis run --rate 3", &["blis"]);
        check("  /usr/local/bin/sim --x", &["sim"]);
        check("'my tool' x", &["my tool"]);
        check("py\"th\"on3 x", &["python3"]);
        check("", &[]);
        check("# nothing", &[]);
    }

    #[test]
    fn the_spelling_is_kept() {
        let spelled: Vec<String> = heads("./blis && '/opt/sim' x; jq .").into_iter().map(|head| head.spelled).collect();
        assert_eq!(spelled, ["./blis", "/opt/sim", "jq"]);
    }

    #[test]
    fn words_before_the_program_are_passed_over() {
        check("env -u A X=1 nohup ./blis", &["blis"]);
        check("X=1 Y='a b' ./blis", &["blis"]);
        check("time -p ./blis", &["blis"]);
        check("timeout -k 5 10m taskset 0x3 ./blis", &["blis"]);
        check("sudo -u me ./blis", &["blis"]);
        check("bash -c './a; ./b x'", &["a", "b"]);
        check("bash -ec './a'", &["a"]);
        check("bash run.sh -c 1", &["bash"]);
        check("bash run.sh", &["bash"]);
        check("eval ./a b", &["a"]);
        check("env", &["env"]);
    }

    #[test]
    fn every_command_of_a_text_counts() {
        check("./a && ./b || ./c; ./d | ./e & ./f", &["a", "b", "c", "d", "e", "f"]);
        check("./a\n./b \\\n  ./c", &["a", "b"]);
        check("(./a; { ./b; })", &["a", "b"]);
        check("if ./a; then ./b; else ./c; fi", &["a", "b", "c"]);
        check("for i in 1 2; do ./a $i; done", &["a"]);
        check("./a $(./b \"$(./c)\") `./d`", &["a", "b", "c", "d"]);
        check("./a <(./b)", &["a", "b"]);
    }

    #[test]
    fn what_is_no_command_adds_nothing() {
        check("./a 'x; ./b' \"y && ./c\" z\\;w", &["a"]);
        check("./a > out.txt 2>&1 < in", &["a"]);
        check(">out ./a 2>/dev/null", &["a"]);
        check("./a &> log", &["a"]);
        check("./a # then; ./b", &["a"]);
        check("./a <<'E' | ./b\n./c; $(./d)\nE\n./e", &["a", "b", "e"]);
        check("./a $((1 + 2)) ${x:-y}", &["a"]);
        check("./a <<< 'b'", &["a"]);
    }

    #[test]
    fn hostile_texts_end() {
        for text in ["$(", "`", "'", "\"", "<<", "((", "$((", "bash -c ", "eval ", "<<E\n", "\\", "${"] {
            let _ = heads(&text.repeat(20_000));
            let _ = heads(text);
        }
        assert!(heads(&"a;".repeat(100_000)).len() <= PROGRAMS);
    }
}

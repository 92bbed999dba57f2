//! The programs that a planned command starts, from its text.
//!
//! A plan is read as a call is: by the analyzer. What it lists without being a program only adds a name to the plan.

/// The maximum number of programs in a text.
const PROGRAMS: usize = 256;

/// The longest name of a program.
const NAME: usize = 255;

/// The part of a command's text in which the program that runs it is looked for.
const START: usize = 512;

/// Programs that count for nothing in front of another one.
const WRAPPERS: &[&str] = &[
    "builtin", "chrt", "command", "doas", "env", "eval", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo",
    "taskset", "time", "timeout",
];

/// A program that a command starts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// Its name, without a folder.
    pub name: String,
    /// How the command spells it: `./blis`.
    pub spelled: String,
}

/// A command that the analyzer finds in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Started {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// The kinds of what runs it, the outermost first.
    pub via: Vec<String>,
    /// The byte of the text at which it begins.
    pub start: u32,
}

/// Returns the commands of a text, or says why it cannot.
pub type Analyze<'a> = dyn FnMut(&str) -> Result<Vec<Started>, String> + 'a;

/// The programs of a text, and those that run them, such as `poetry`. Adds to `work` what the reading costs: bytes,
/// commands, and the words of each, which are read again for each wrapper.
pub(crate) fn heads(text: &str, analyze: &mut Analyze<'_>, work: &mut usize) -> Result<Vec<Program>, String> {
    let mut found: Vec<Program> = Vec::new();
    *work += text.len();
    for command in analyze(text)? {
        let bytes: usize = command.words.iter().map(String::len).sum();
        *work += 32 + bytes * (1 + command.via.len());
        let start = usize::try_from(command.start).unwrap_or_default();
        let written = crate::cut(text.get(start..).unwrap_or_default(), START);
        let runs = |kind: &str| written.split_whitespace().find(|word| name(word) == kind);
        let via = command.via.iter().map(String::as_str).filter(|kind| !WRAPPERS.contains(kind));
        let first = command.words.first().map_or("", String::as_str);
        for word in via.filter_map(runs).chain([first]) {
            let program = Program { name: crate::cut(name(word), NAME), spelled: crate::cut(word, NAME) };
            if found.len() < PROGRAMS && !program.name.is_empty() && !found.contains(&program) {
                found.push(program);
            }
        }
    }
    Ok(found)
}

/// A program's name without its folder.
fn name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heads(text: &str) -> Vec<Program> {
        super::heads(text, &mut crate::natively, &mut 0).unwrap()
    }

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
    fn a_program_that_runs_another_one_counts_too() {
        check("poetry run ./blis", &["poetry", "blis"]);
        check("timeout 5 /opt/mpirun -n 4 ./blis", &["mpirun", "blis"]);
        check("bash -c 'nohup mpirun ./blis'", &["mpirun", "blis"]);
        check("cat list | xargs -n 1 ./blis", &["cat", "xargs", "blis"]);
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

//! Wrappers that run a command for each result: `find`, `fd`, `xargs`, `parallel`.

use guard_sdk::syntax::{Part, Via, Word};

use super::layer::{Layer, Place, Run, Runnable, joined, program, spelled, takes};
use crate::limits;
use crate::options::{Flag, leading};
use crate::word::expand::literal;

fn run(kind: &str, words: &[Word], place: Place) -> Run {
    Run {
        via: Via { kind: kind.to_owned(), detail: String::new() },
        what: Runnable::Words { assignments: Vec::new(), words: words.to_vec() },
        place,
        certain: true,
        mark: None,
    }
}

/// Creates an operand that is only known at run time.
fn placeholder() -> Word {
    let parts = vec![Part { kind: "variable".to_owned(), text: "{}".to_owned(), quoted: true }];
    Word { text: "{}".to_owned(), dynamic: true, quoted: true, glob: false, parts }
}

/// Marks the words that the program replaces.
fn fill(words: &mut [Word], mark: &str) -> bool {
    let mut any = false;
    for word in words.iter_mut().filter(|word| !mark.is_empty() && word.text.contains(mark)) {
        word.dynamic = true;
        any = true;
    }
    any
}

/// `find ... -exec PROGRAM WORDS ;`, possibly several times. `find` itself is also listed, without these parts.
pub(super) fn find(argv: &[Word]) -> Option<Layer> {
    let mut outer = Vec::new();
    let mut runs: Vec<Run> = Vec::new();
    let mut words = argv.iter();
    while let Some(word) = words.next() {
        let place = match word.text.as_str() {
            "-exec" | "-ok" => Place::Apart,
            "-execdir" | "-okdir" => Place::Unknown,
            text => {
                // Tests after a command don't limit the files passed to it.
                if !matches!(text, "-print" | "-print0" | "-prune" | "-delete") {
                    runs.iter_mut()
                        .filter(|run| run.via.detail.is_empty())
                        .for_each(|run| run.via.detail = "early".to_owned());
                }
                outer.push(word.clone());
                continue;
            }
        };
        let mut inner: Vec<Word> = Vec::new();
        for word in words.by_ref() {
            let closes = word.text == ";" || (word.text == "+" && inner.last().is_some_and(|last| last.text == "{}"));
            if closes {
                break;
            }
            inner.push(word.clone());
        }
        fill(&mut inner, "{}");
        if !inner.is_empty() {
            let mut started = Run { mark: Some("{}".to_owned()), ..run("find-exec", &inner, place) };
            if word.text.starts_with("-ok") {
                started.via.detail = "asks".to_owned();
            }
            runs.push(started);
        }
    }
    (!runs.is_empty()).then_some(Layer { outer: Some(outer), runs })
}

/// `fd ... -x PROGRAM WORDS`. `fd` itself is also listed.
pub(super) fn fd(argv: &[Word]) -> Option<Layer> {
    let at = argv.iter().position(|word| matches!(word.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch"))?;
    let (outer, inner) = argv.split_at_checked(at)?;
    let mut inner: Vec<Word> = inner.get(1..)?.iter().take_while(|word| word.text != ";").cloned().collect();
    if inner.is_empty() {
        return None;
    }
    if !fill(&mut inner, "{") {
        inner.push(placeholder());
    }
    Some(Layer {
        outer: Some(outer.to_vec()),
        runs: vec![Run { mark: Some("{".to_owned()), ..run("find-exec", &inner, Place::Apart) }],
    })
}

/// `xargs PROGRAM WORDS`: the operands come from standard input.
pub(super) fn xargs(argv: &[Word], input: Option<&str>) -> Option<Layer> {
    let spec = takes("aEdILnPsJRS", "arg-file delimiter max-lines max-args max-procs max-chars process-slot-var");
    let options = leading(argv.get(1..)?, spec);
    let words = options.rest.to_vec();
    if words.is_empty() {
        return None;
    }
    let mark = match options.flag(&["I", "J", "i", "replace"]).map(Flag::text) {
        Some("") => Some("{}"),
        mark => mark,
    };
    let delimiter = match options.flag(&["d", "delimiter"]).map(Flag::text) {
        Some("\\n") => Some('\n'),
        Some("\\0") => Some('\0'),
        Some(text) => text.chars().next(),
        None => options.flag(&["0", "null"]).is_some().then_some('\0'),
    };
    let from_file = options.flag(&["a", "arg-file"]).is_some();
    let input = input.filter(|_| !from_file);
    if input.is_some_and(|text| text.len() > limits::VALUE) {
        limits::reached("a program is given too long a text to follow");
    }
    let input = input.filter(|text| text.len() <= limits::VALUE);
    let mut runs = match (mark, input) {
        (Some(mark), Some(text)) => {
            let delimiter = delimiter.unwrap_or('\n');
            let lines = text.split(delimiter).map(str::trim).filter(|line| !line.is_empty());
            let lines: Vec<&str> = lines.take(limits::LINES + 1).collect();
            if lines.len() > limits::LINES {
                limits::reached("a program is given too many lines to follow");
            }
            if lines.is_empty() || lines.len() > limits::LINES {
                vec![filled(words, mark)]
            } else {
                let known = lines.into_iter().map(|line| run("xargs", &replaced(&words, mark, line), Place::Apart));
                let mut runs: Vec<Run> = known.collect();
                // A command that passes whole texts to a shell may get other texts.
                if words.iter().any(|word| word.text == mark) && program(&words).is_some_and(super::shells::is_shell) {
                    runs.push(filled(words, mark));
                }
                runs
            }
        }
        (Some(mark), None) => vec![filled(words, mark)],
        (None, Some(text)) => {
            let split = |char: char| delimiter.map_or_else(|| char.is_whitespace(), |delimiter| char == delimiter);
            let fields = || text.trim_end_matches('\n').split(split).filter(|field| !field.is_empty());
            if fields().nth(limits::ELEMENTS).is_some() {
                limits::reached("a program is given too many words to follow");
            }
            let supplied = fields().take(limits::ELEMENTS).map(|field| literal(field.trim_matches(['"', '\''])));
            vec![run("xargs", &words.into_iter().chain(supplied).collect::<Vec<_>>(), Place::Apart)]
        }
        (None, None) => vec![run("xargs", &words.into_iter().chain([placeholder()]).collect::<Vec<_>>(), Place::Apart)],
    };
    if from_file {
        runs.iter_mut().for_each(|run| run.via.detail = "-a".to_owned());
    }
    Some(Layer { outer: None, runs })
}

/// Also lists the command if it reads the names from a file.
pub(super) fn with_list(layer: Layer, argv: &[Word]) -> Layer {
    let is_list = |word: &Word| {
        matches!(word.text.as_str(), "-a" | "--arg-file" | "::::") || word.text.starts_with("--arg-file=")
    };
    match layer.outer {
        None if argv.iter().any(is_list) => Layer { outer: Some(argv.to_vec()), ..layer },
        _ => layer,
    }
}

/// Replaces an unknown mark in the words with `{}`, which the effects recognize.
fn filled(mut words: Vec<Word>, mark: &str) -> Run {
    if mark.is_empty() {
        return run("xargs", &words, Place::Apart);
    }
    for word in words.iter_mut().filter(|word| word.text.contains(mark)) {
        word.text = word.text.replace(mark, "{}");
        for part in &mut word.parts {
            part.text = part.text.replace(mark, "{}");
        }
    }
    fill(&mut words, "{}");
    Run { mark: Some("{}".to_owned()), ..run("xargs", &words, Place::Apart) }
}

/// Replaces a mark in the words with `text`.
fn replaced(words: &[Word], mark: &str, text: &str) -> Vec<Word> {
    let fill = |word: &Word| {
        if word.dynamic || !word.text.contains(mark) {
            return word.clone();
        }
        let mut filled = literal(&word.text.replace(mark, text));
        filled.quoted = word.quoted;
        filled
    };
    words.iter().map(fill).collect()
}

/// `parallel PROGRAM WORDS ::: ARGUMENTS`: the words are joined into shell text.
pub(super) fn parallel(argv: &[Word], input: Option<&str>) -> Option<Layer> {
    let spec = takes(
        "aCEdILnNPjSsTJ",
        "arg-file colsep delimiter jobs max-args max-procs sshlogin joblog results timeout retries delay tmpdir workdir",
    );
    let options = leading(argv.get(1..)?, spec);
    if options.flag(&["dry-run", "dryrun"]).is_some() {
        return Some(Layer { outer: None, runs: Vec::new() });
    }
    let mut words: Vec<Word> = options.rest.iter().take_while(|word| !word.text.starts_with(":::")).cloned().collect();
    if words.is_empty() {
        // Without a command, the arguments are commands.
        let commands = options.rest.iter().filter(|word| !word.text.starts_with(":::"));
        let runs = commands.map(|word| {
            let text = Runnable::Text { text: word.clone(), parameters: None };
            Run { what: text, ..run("parallel", &[], Place::Apart) }
        });
        let mut runs: Vec<Run> = runs.collect();
        if let Some(text) = input.filter(|_| runs.is_empty()) {
            let lines = Runnable::Text { text: literal(text), parameters: None };
            runs.push(Run { what: lines, ..run("parallel", &[], Place::Apart) });
        }
        return (!runs.is_empty()).then_some(Layer { outer: None, runs });
    }
    let given = options.rest.iter().skip(words.len());
    let given = given.filter(|word| !word.text.starts_with(":::") && !word.dynamic);
    let mut arguments: Vec<String> = given.map(put_in).collect();
    if let Some(text) = input.filter(|_| arguments.is_empty()) {
        arguments.extend(text.lines().map(|line| put_in(&literal(line))).take(limits::LINES + 1));
    }
    if !words.iter().any(|word| word.text.contains('{')) {
        words.push(literal("{}"));
    }
    if arguments.len() > limits::LINES {
        limits::reached("a program is given too many lines to follow");
    }
    if (1..=limits::LINES).contains(&arguments.len()) {
        let text =
            |argument: &String| Runnable::Text { text: joined(&replaced(&words, "{}", argument)), parameters: None };
        let runs = arguments.iter().map(|argument| Run { what: text(argument), ..run("parallel", &[], Place::Apart) });
        return Some(Layer { outer: None, runs: runs.collect() });
    }
    fill(&mut words, "{");
    for word in words.iter_mut().filter(|word| word.text == "{}") {
        *word = placeholder();
    }
    let text = Runnable::Text { text: joined(&words), parameters: None };
    Some(Layer {
        outer: None,
        runs: vec![Run { what: text, mark: Some("{".to_owned()), ..run("parallel", &[], Place::Apart) }],
    })
}

/// Returns an argument as a word of a shell text. It is quoted, unless it is a pattern for files.
fn put_in(word: &Word) -> String {
    let plain = |char: char| char.is_alphanumeric() || "/._-+*?[]{},".contains(char);
    if word.glob && word.text.chars().all(plain) {
        return word.text.clone();
    }
    let quoted = joined(&[spelled(&literal(&word.text))]);
    quoted.parts.iter().map(|part| part.text.as_str()).collect()
}

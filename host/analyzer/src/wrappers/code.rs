//! The commands started by code in a general language: on the command line, in a here-document or from a known pipe.
//!
//! Some languages have a parser (see [`crate::summaries`]). In the others, a call that starts a program is used if its
//! words are literal. Other words become parts that are only known at run time. The effects of code itself on files are
//! determined in [`crate::languages::code`].

mod calls;
pub(crate) mod client_libraries;
mod clients;
pub(crate) mod editors;
pub(crate) mod languages;
pub(crate) mod live;
mod read;
mod scripts;
mod tools;

use guard_sdk::syntax::{Via, Word};

use super::layer::{Place, Run, Runnable, quoted};
use super::shells::descriptor;
use crate::javascript;
use crate::limits;

use crate::options::{Flag, Options, Parsed, leading, parse};
use crate::programs::program::unversioned;
use crate::word::expand::literal;
use calls::{commands, string};
use languages::LANGUAGES;

/// Programs whose input has lines that run, and the prefixes of these lines.
const LINES: &[(&[&str], &[&str])] = &[
    (
        &["ed", "ex", "vi", "vim", "nvim", "view", "vimdiff", "gvim", "rvim", "rview", "nvr"],
        &["!", ":!", "r !", ":r !"],
    ),
    (&["tclsh", "wish", "expect"], &["exec ", "spawn ", "send ", "send -- ", "exp_send "]),
    (&["ftp", "sftp", "lftp", "telnet", "smbclient", "psftp", "ncftp"], &["!"]),
    (&["mail", "mailx", "s-nail"], &["~!", "~|"]),
    (&["make", "gmake"], &["\t"]),
];

/// The maximum length of a call, in bytes.
const LONGEST: usize = 4096;

/// Returns whether this program, in lower case, reads code in a general language.
pub(super) fn is_language(name: &str) -> bool {
    let plain = unversioned(name);
    scripts::is_awk(plain) || LANGUAGES.iter().any(|language| language.programs.contains(&plain))
}

/// Returns the code files passed to the interpreter `name`, if it is one.
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
        found.extend(options.rest.iter().find(|file| file.text != "run").cloned());
    }
    // A Java class is specified without its file's extension.
    if plain == "java" {
        found
            .iter_mut()
            .filter(|file| !file.text.contains('.'))
            .for_each(|file| *file = literal(&format!("{}.java", file.text)));
        found.retain(|file| file.text.ends_with(".java"));
    }
    ended(found, if plain == "ruby" { &[".rb"] } else { &[] })
}

/// Extensions that are optional for a JavaScript module.
const JAVASCRIPT_ENDS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

/// Returns the files, and the files with one of the extensions.
fn ended(mut files: Vec<Word>, ends: &[&str]) -> Vec<Word> {
    let longer: Vec<Word> =
        files.iter().flat_map(|word| ends.iter().map(|end| literal(&format!("{}{end}", word.text)))).collect();
    files.extend(longer);
    files
}

/// Options whose value is a code file.
const FILES: &[&str] = &["f", "file", "r", "require", "import", "i", "include"];

/// Returns whether an operand is standard input, or a process substitution.
pub(super) fn reads_text(word: &Word) -> bool {
    word.text == "-" || descriptor(&word.text).is_some() || word.parts.iter().any(|part| part.kind == "process")
}

/// Returns everything that a command's code runs.
pub(super) fn runs(name: &str, argv: &[Word], input: Option<&str>) -> Vec<Run> {
    let lower = name.to_ascii_lowercase();
    let words = argv.get(1..).unwrap_or_default();
    if clients::is_client(&lower) {
        return first_of(clients::runs(&lower, words, input));
    }
    if tools::is_tool(&lower) {
        let mut found = tools::runs(&lower, words, input);
        found.extend(LANGUAGES.iter().filter(|language| language.programs.contains(&lower.as_str())).flat_map(
            |language| {
                let options = parse(words, language.takes, false);
                let codes =
                    options.flags.iter().filter(|flag| flag.is_any(language.code)).map(|flag| flag.text().to_owned());
                codes.flat_map(|code| commands(language, &code)).map(|what| run(name, what)).collect::<Vec<_>>()
            },
        ));
        return first_of(found);
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
        "mapfile" | "readarray" => return callbacks(name, words, input),
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
    texts.extend(set_code(plain, words, &options, input));
    if let Some(read) = language.read {
        let notebook = matches!(plain, "ipython" | "ptipython" | "jupyter");
        let mut found: Vec<Run> = texts.iter().filter(|_| notebook).flat_map(|code| escapes(name, code)).collect();
        found.append(&mut read::runs(name, read, words, &options, &texts, input));
        return first_of(found);
    }
    let mut found: Vec<Runnable> = texts.iter().flat_map(|text| commands(language, text)).collect();
    if plain == "puppet" {
        found.extend(texts.iter().filter_map(|text| removed(text)));
    }
    bounded(found.len());
    let own: Vec<Run> = found.into_iter().take(limits::STARTS).map(|what| run(name, what)).collect();
    let of_libraries = texts.iter().flat_map(|code| of_libraries(name, plain, code));
    own.into_iter().chain(of_libraries).collect()
}

/// Returns the commands that calls of client libraries correspond to, in languages with similar call syntax.
fn of_libraries(name: &str, language: &str, code: &str) -> Vec<Run> {
    if !matches!(language, "python" | "javascript" | "ruby" | "php") {
        return Vec::new();
    }
    let found = client_libraries::commands(language, code);
    // The code may never reach the call.
    found.into_iter().map(|what| Run { certain: false, ..run(name, what) }).collect()
}

fn run(name: &str, what: Runnable) -> Run {
    let via = Via { kind: "code".to_owned(), detail: name.to_owned() };
    Run { via, what, place: Place::Apart, certain: true, mark: None }
}

/// Returns code from a setting, and code that a debugger or a file operand for standard input reads from the input.
fn set_code<'t>(plain: &str, words: &'t [Word], options: &Parsed<'_>, input: Option<&'t str>) -> Vec<&'t str> {
    // A file that runs before or after php's script.
    let is_set = |word: &Word| {
        word.text.split_once("pend_file=").is_some_and(|(_, file)| descriptor(file) == Some(0) || file == "php://stdin")
    };
    let reads = match plain {
        "perl" => options.flag(&["d"]).is_some(),
        "php" => words.iter().any(is_set),
        _ => false,
    };
    // IPython settings whose value is code: `--TerminalIPythonApp.exec_lines=CODE`.
    let settings = ["exec_lines=", "code_to_run="];
    let set = words.iter().filter(|word| word.text.starts_with("--"));
    let set = set.filter_map(|word| settings.iter().find_map(|name| Some(word.text.split_once(name)?.1)));
    input.filter(|_| reads).into_iter().chain(set).collect()
}

/// Returns the removal of a file that a Puppet resource declares absent: `file { PATH: ensure => absent }`.
fn removed(code: &str) -> Option<Runnable> {
    let (_, resource) = code.split_once("file")?;
    let (path, width) = string(resource.trim_start().strip_prefix('{')?.trim_start())?;
    let rest = resource.get(width..)?.split('}').next()?;
    let words = ["rm", if rest.contains("force") { "-rf" } else { "-f" }, &path].map(literal).to_vec();
    rest.contains("absent").then_some(Runnable::Words { assignments: Vec::new(), words })
}

/// Returns the lines that IPython passes to a shell.
fn escapes(name: &str, code: &str) -> Vec<Run> {
    const MARKS: &[&str] = &["!!", "!", "%sx ", "%system ", "%%bash\n", "%%sh\n"];
    let command = |line: &str| MARKS.iter().find_map(|mark| line.trim_start().strip_prefix(mark)).map(str::to_owned);
    let cell = MARKS.iter().filter(|mark| mark.ends_with('\n')).find_map(|mark| code.trim_start().strip_prefix(mark));
    let lines = code.lines().filter_map(command).take(limits::STARTS);
    lines.chain(cell.map(str::to_owned)).map(|line| run(name, text(&line))).collect()
}

fn text(text: &str) -> Runnable {
    Runnable::Text { text: literal(text), parameters: None }
}

/// Returns the lines of an input that run.
fn lines(name: &str, words: &[Word], starts: &[&str], input: &str) -> Vec<Run> {
    let make = name.ends_with("make");
    let pairs = words.windows(2).filter_map(|pair| match pair {
        [option, text] if matches!(option.text.as_str(), "--eval" | "-E") => Some(text.text.as_str()),
        _ => None,
    });
    let evals = words.iter().filter_map(|word| word.text.strip_prefix("--eval="));
    let evals = evals.chain(pairs).filter(|_| make);
    // A makefile is only read from the input if an option says so.
    let reads = !make
        || words.windows(2).any(|pair| matches!(pair, [option, file] if option.text == "-f" && matches!(file.text.as_str(), "-" | "/dev/stdin")));
    let given = input.lines().filter(|_| reads);
    // In a Tcl script on the command line, commands may also follow semicolons.
    let scripts = words.windows(2).filter(|pair| pair.first().is_some_and(|word| word.text == "-c"));
    let scripts =
        scripts.filter_map(|pair| pair.last()).flat_map(|script| script.text.split([';', '\n'])).map(str::trim_start);
    let is_tcl = matches!(name, "tclsh" | "wish" | "expect");
    let mut found = Vec::new();
    for line in given.chain(evals.clone().flat_map(str::lines)).chain(scripts.filter(|_| is_tcl)) {
        let command = starts.iter().find_map(|start| line.strip_prefix(start));
        let command = command.or_else(|| if make { outside_of_recipes(line) } else { None });
        // Prefixes that hide the command, ignore its failure, or run it even with `-n`.
        let command =
            command.map(|command| if make { command.trim_start_matches(['@', '-', '+', ' ', '\t']) } else { command });
        found.extend(command.map(|command| run(name, text(&typed(name, command).replace("$$", "$")))));
        if make {
            let shells = line
                .match_indices("$(shell ")
                .take(limits::STARTS)
                .filter_map(|(at, opener)| line.get(at + opener.len()..));
            let ends = |rest: &str| rest.bytes().take(LONGEST).position(|byte| byte == b')');
            found.extend(shells.filter_map(|rest| Some(run(name, text(rest.get(..ends(rest)?)?)))));
            found.extend(files_of_make(line).map(|what| run(name, what)));
        }
        if !bounded(found.len()) {
            found.truncate(limits::STARTS);
            break;
        }
    }
    found
}

/// Returns the command of a rule on one line, `target: ; command`, or of a variable, `NAME != command`.
fn outside_of_recipes(line: &str) -> Option<&str> {
    let set = line.split_once("!=").filter(|(name, _)| name.split_whitespace().count() == 1);
    set.or_else(|| line.split_once(':')?.1.split_once(';')).map(|(_, command)| command)
}

/// Returns the files that a `make` function reads or writes, as commands with the same effect.
fn files_of_make(line: &str) -> impl Iterator<Item = Runnable> {
    let calls = line.split("$(file ").skip(1).take(limits::STARTS);
    calls.filter_map(|rest| {
        let program = if rest.starts_with('<') { "cat" } else { "tee" };
        let path = rest.trim_start_matches(['<', '>', ' ']);
        let end = path.find([',', ')', ' ']).unwrap_or(path.len());
        Some(Runnable::Words { assignments: Vec::new(), words: [program, path.get(..end)?].map(literal).to_vec() })
    })
}

/// Returns the text that `send` in `expect` types, without quotes and the key that ends a line.
fn typed<'t>(name: &str, command: &'t str) -> &'t str {
    let inner = command.trim().strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).filter(|_| name == "expect");
    inner.map_or(command, |inner| inner.trim_end_matches("\\r").trim_end_matches("\\n"))
}

/// Truncates the commands to the limit.
fn first_of(mut found: Vec<Run>) -> Vec<Run> {
    bounded(found.len());
    found.truncate(limits::STARTS);
    found
}

/// Returns whether this number of commands can be followed.
fn bounded(count: usize) -> bool {
    if count > limits::STARTS {
        limits::reached("a program is given too many commands to follow");
    }
    count <= limits::STARTS
}

/// Returns the command that `mapfile -C` runs with each line's number and the line.
fn callbacks(name: &str, words: &[Word], input: Option<&str>) -> Vec<Run> {
    let options = leading(words, Options::leading("dnOsuCc", ""));
    let Some(callback) = options.flag(&["C"]).map(|flag| flag.text().to_owned()) else { return Vec::new() };
    let Some(input) = input else { return vec![run(name, text(&format!("{callback} 0 \"$_\"")))] };
    let lines = input.lines().take(limits::STARTS);
    first_of(lines.map(|line| run(name, text(&format!("{callback} 0 {}", quoted(line))))).collect())
}

/// Returns the commands of a crontab.
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
            // They run in the user's home.
            found.push(Run { place: Place::Unknown, ..run("crontab", text(rest)) });
        }
    }
    found
}

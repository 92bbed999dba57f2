//! Interpreters: shells that run their input, and languages with code on the command line.
//!
//! Literal text for a shell is already parsed into commands. Only the rest arrives here.

use crate::draft::Draft;
use guard_sdk::syntax::Word;

use super::program::{Program, unversioned};
use super::scripts;
use crate::javascript;
use crate::languages::code;
use crate::options::{Flag, Operand, Options, Parsed, parse};
use crate::programs::files::backups;
use crate::run::{Run, here};
use crate::wrappers::code::languages::{ANY, PYTHONS};
use crate::wrappers::shells::{descriptor, is_shell, reads_input};

pub(super) const TABLE: &[Program] = &[
    Program::new(&["bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "mksh", "rbash"], SHELL, script_file),
    Program::new(PYTHONS, PYTHON, python),
    Program::new(javascript::PROGRAMS, Options::leading("", ""), node),
    Program::new(&["perl"], PERL, perl),
    Program::new(&["ruby", "irb", "pry", "jruby"], PERL, ruby),
    Program::new(&["php"], Options::leading("rfdczBRE", "run file define process-begin process-code process-end"), php),
    Program::new(&["lua", "luajit"], Options::leading("el", ""), lua),
    Program::new(&["rscript", "r"], Options::leading("e", "eval"), r_language),
    Program::new(OTHERS, Options::leading("eEc", "eval command"), other_language),
    Program::new(&["erl"], Options::NONE, erlang),
    Program::new(&["osascript"], Options::leading("el", ""), osascript),
    Program::new(&["pwsh", "powershell"], Options::NONE, powershell),
];

/// Less common languages. Their code is recorded with the program's name as the language.
const OTHERS: &[&str] = &[
    "julia",
    "elixir",
    "scala",
    "groovy",
    "swift",
    "guile",
    "ghc",
    "runghc",
    "runhaskell",
    "crystal",
    "nim",
    "ocaml",
    "sbcl",
    "clisp",
    "racket",
    "clojure",
    "clj",
    "scsh",
    "raku",
    "jshell",
    "kotlin",
    "crun",
    "gorun",
    "rust-script",
    ANY,
    "gosh",
    "chibi-scheme",
    "nu",
    "xonsh",
    "tclsh",
    "wish",
    "expect",
    "janet",
    "jjs",
    "jrunscript",
    "octave",
    "octave-cli",
    "slsh",
];

const SHELL: Options = Options::leading("oO", "rcfile init-file");
const PYTHON: Options = Options::leading("cmWX", "check-hash-based-pycs");
const PERL: Options = Options::leading("eE", "").with_attached("iMImFdDCxr");

/// The source of an interpreter's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramSource {
    /// A file, or the command isn't an interpreter.
    Nothing,
    Input,
    /// A word with a substitution.
    Words,
    /// A text that was parsed as shell and starts with a substitution.
    Text,
}

/// Returns the source of the command's program, if the command runs text.
pub(crate) fn how(run: &Run<'_>) -> ProgramSource {
    let Some(first) = run.command.argv.first() else { return ProgramSource::Nothing };
    if first.dynamic {
        let is_text = run.command.via.last().is_some_and(|via| matches!(via.kind.as_str(), "shell-c" | "eval"));
        return match holds_commands(first) {
            true => ProgramSource::Words,
            false if is_text => ProgramSource::Text,
            false => ProgramSource::Nothing,
        };
    }
    let words = run.arguments();
    let name = if run.name == "." { "source" } else { unversioned(&run.name) };
    match name {
        name if is_shell(name) => {
            let parsed = parse(words, SHELL, false);
            if parsed.has("c", "") {
                return substituted(parsed.operands.first());
            }
            if parsed.is("s", "") { ProgramSource::Input } else { first_operand(&parsed) }
        }
        name if PYTHONS.contains(&name) => match parse(words, PYTHON, false).value("m", "") {
            // The interactive interpreter, as a module.
            Some(module) if matches!(module.text.as_ref(), "code" | "IPython") => ProgramSource::Input,
            _ => of_language(words, PYTHON, "cm"),
        },
        name if javascript::PROGRAMS.contains(&name) => {
            let given = javascript::given(name, words);
            match (given.codes.first().or(given.file.as_ref()), given.reads_input()) {
                (Some(word), false) => substituted(Some(word)),
                (Some(file), true) if file.text != "-" && descriptor(&file.text) != Some(0) => ProgramSource::Words,
                (_, true) => ProgramSource::Input,
                (None, false) => ProgramSource::Nothing,
            }
        }
        "elixir" if words.is_empty() => ProgramSource::Input,
        "rscript" | "groovy" | "elixir" | "swift" | "expect" => of_runner(words),
        "r" | "julia" | "raku" | "guile" | "janet" | "tclsh" | "wish" | "ocaml" | "sbcl" | "clisp" | "irb" | "iex"
        | "jshell" | "ghci" | "psysh" => of_language(words, Options::leading("eEcf", "eval file"), "eEcf"),
        "gnuplot" | "dc" | "gdb" | "lldb" if words.iter().all(|word| word.text.starts_with('-')) => {
            ProgramSource::Input
        }
        // Without a command, each input line is a command.
        "parallel" if words.iter().all(|word| word.text.starts_with('-')) => ProgramSource::Input,
        "perl" | "ruby" | "pry" | "jruby" => of_language(words, PERL, "eE"),
        "php" => of_language(words, Options::leading("rf", ""), "rf"),
        "osascript" | "lua" => of_language(words, Options::leading("el", ""), "e"),
        "eval" => {
            let any = words.iter().any(holds_commands);
            if any { ProgramSource::Words } else { ProgramSource::Nothing }
        }
        "source" => match words.first() {
            Some(word) if descriptor(&word.text) == Some(0) => ProgramSource::Input,
            Some(word) if holds_commands(word) => ProgramSource::Words,
            _ => ProgramSource::Nothing,
        },
        "octave" | "octave-cli" | "swipl" | "maxima" | "scilab-cli" | "gp" | "newlisp" | "gforth" | "hy" | "fennel"
        | "qjs" | "jjs" | "rhino" | "pike" | "gsi" | "csi" | "ecl" | "mit-scheme" | "sage"
            if words.iter().all(|word| word.text.starts_with('-')) =>
        {
            ProgramSource::Input
        }
        // Commands of these editors can start programs.
        "ex" | "ed" | "red" => ProgramSource::Input,
        _ if run.name == "m4" && words.iter().all(|word| word.text.starts_with('-')) => ProgramSource::Input,
        "awk" | "gawk" | "mawk" | "nawk" | "sed" | "gsed" if reads_script(words) => ProgramSource::Input,
        _ if reads_input(&run.command.argv) => ProgramSource::Input,
        _ => ProgramSource::Nothing,
    }
}

/// Returns whether an option names standard input as the script: `awk -f -`.
fn reads_script(words: &[Word]) -> bool {
    words.windows(2).any(|pair| match pair {
        [option, file] => {
            matches!(option.text.as_str(), "-f" | "--file") && (file.text == "-" || descriptor(&file.text) == Some(0))
        }
        _ => false,
    })
}

/// Returns the source of the script of a program that only reads it from standard input if the first operand is `-`.
fn of_runner(words: &[Word]) -> ProgramSource {
    match words.iter().find(|word| word.text == "-" || !word.text.starts_with('-')) {
        Some(word) if word.text == "-" || descriptor(&word.text) == Some(0) => ProgramSource::Input,
        Some(word) if holds_commands(word) => ProgramSource::Words,
        _ => ProgramSource::Nothing,
    }
}

fn of_language(words: &[Word], spec: Options, code: &str) -> ProgramSource {
    let parsed = parse(words, spec, false);
    match parsed.value(code, "eval") {
        Some(value) => substituted(Some(&value)),
        None if parsed.is(code, "") => ProgramSource::Nothing,
        None => first_operand(&parsed),
    }
}

fn first_operand(parsed: &Parsed<'_>) -> ProgramSource {
    match parsed.operands.first() {
        None => {
            if parsed.is("hV", "version") || parsed.is("", "help") {
                ProgramSource::Nothing
            } else {
                ProgramSource::Input
            }
        }
        Some(operand) => match descriptor(&operand.text) {
            Some(0) => ProgramSource::Input,
            // The redirected text is a word of this command.
            Some(_) => ProgramSource::Words,
            None if operand.text == "-" => ProgramSource::Input,
            None => substituted(Some(operand)),
        },
    }
}

fn substituted(operand: Option<&Operand<'_>>) -> ProgramSource {
    if operand.is_some_and(|operand| holds_commands(operand.word)) {
        ProgramSource::Words
    } else {
        ProgramSource::Nothing
    }
}

fn holds_commands(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"))
}

/// Adds the read of a script that a shell or another interpreter runs.
fn script_file<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.has("cs", "") {
        parsed.operands.iter().take(1).for_each(|file| run.read(file));
    }
}

/// Adds the effects of the code in options, or else of the script or standard input. Returns whether an option contains
/// code.
fn run_code<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>, language: &str, letters: &str, long: &str) -> bool {
    let mut any = false;
    for value in parsed.values(letters, long) {
        any = true;
        scripts::code(run, language, &value.text, !value.dynamic, &parsed.operands);
    }
    let from_input = parsed.operands.first().is_none_or(|file| file.text == "-" || descriptor(&file.text).is_some());
    if !any && from_input {
        if let Some(input) = run.input() {
            scripts::code(run, language, &input.text, input.certain, parsed.from(1));
        }
    } else if !any && let Some(file) = parsed.operands.first() {
        match run.substituted(file) {
            Some(input) => scripts::code(run, language, &input.text, input.certain, parsed.from(1)),
            None => run.read(file),
        }
    }
    any
}

fn python<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.value("m", "") {
        Some(module) => {
            module_reads(run, &module, parsed);
            super::publish::python_module(run, &module, parsed);
        }
        None => {
            run_code(run, parsed, "python", "c", "");
            super::migrations::of_script(run, parsed);
        }
    }
}

/// Adds the effects of standard library modules that print their files, or lines that they can't parse. `json.tool`
/// writes to its second file.
fn module_reads<'a>(run: &mut Run<'a>, module: &Operand<'a>, parsed: &Parsed<'a>) {
    let prints = [
        "ast",
        "base64",
        "cProfile",
        "dis",
        "fileinput",
        "gzip",
        "inspect",
        "json",
        "json.tool",
        "pdb",
        "pickle",
        "pickletools",
        "profile",
        "py_compile",
        "quopri",
        "runpy",
        "symtable",
        "tabnanny",
        "tarfile",
        "tokenize",
        "uu",
        "zipfile",
    ];
    if prints.contains(&module.text.as_ref()) {
        let mut files = parsed.operands.iter().filter(|word| !word.text.starts_with('-'));
        if module.text == "json.tool" {
            files.next().into_iter().for_each(|file| run.read(file));
            return files.for_each(|file| run.write(file));
        }
        files.for_each(|file| run.read(file));
    }
}

fn node<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if matches!(run.name.as_str(), "bun" | "deno") {
        super::publish::package_manager(run, parsed.rest);
    }
    let given = javascript::given(unversioned(&run.name), run.arguments());
    // Code that reads the environment prints the file's values.
    let shows_values = |code: &str| {
        let values = code.replace("Object.keys(process.env)", "");
        values.contains("process") && values.contains(".env")
    };
    let input = given.file.as_ref().and_then(|file| run.substituted(file));
    let input = input.or_else(|| run.input().filter(|_| given.reads_input()));
    // Most programs read a few variables for their own purposes.
    let prints = |code: &str| code::environment::is_printed(code) || code::sent_variables::is_printed(code, true);
    let is_shown = given.codes.iter().any(|code| shows_values(&code.text));
    if is_shown || input.as_ref().is_some_and(|input| prints(&input.text)) {
        given.variables.iter().for_each(|file| run.read(file));
        // These modules load the variables in `.env` before the code runs.
        if given.loaded.iter().any(|module| matches!(module.text.as_ref(), "dotenv/config" | "dotenvx/config")) {
            run.read(&Operand::of(&Word { text: ".env".to_owned(), ..here() }));
        }
    }
    let arguments: Vec<Operand<'_>> = given.arguments.iter().map(Operand::of).collect();
    for code in &given.codes {
        scripts::code(run, "javascript", &code.text, !code.dynamic, &arguments);
    }
    if let Some(input) = input {
        scripts::code(run, "javascript", &input.text, input.certain, &arguments);
    } else if let Some(file) = given.file.filter(|_| !matches!(run.name.as_str(), "bun" | "deno")) {
        run.read(&file);
    }
    // A framework's script, whose commands are in a table.
    if run.name == "node" && parsed.rest.first().is_some_and(|script| script.text == "ace") {
        super::migrations::of_script(run, parsed);
    }
}

/// Adds the effects of code on the operands. With `-i`, the operands are written, as in `perl -pi -e`.
fn perl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    code_in_place(run, parsed, "perl");
}

fn ruby<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    code_in_place(run, parsed, "ruby");
}

fn code_in_place<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>, language: &str) {
    if !run_code(run, parsed, language, "eE", "") {
        return;
    }
    let in_place = parsed.is("i", "");
    // `<>` and `ARGF` read the operands.
    let reads = |flag: &Flag<'_>| ["<>", "<<>>", "<ARGV>", "ARGF", "$<"].iter().any(|sign| flag.text().contains(sign));
    let filters = parsed.is("np", "") || parsed.flags.iter().any(|flag| flag.is_any(&["e", "E"]) && reads(flag));
    let suffix = if in_place { backups::in_place_suffix(run) } else { None };
    // A suffix keeps the old content.
    let empties = in_place && suffix.is_none() && prints_no_line(parsed, language);
    for file in &parsed.operands {
        suffix.iter().for_each(|suffix| backups::write_backup(run, file, suffix));
        if empties {
            run.empty(file, Draft::notable("write", "fs.write").tag("by", language));
        } else if in_place {
            run.write(file);
        } else if filters {
            run.read(file);
        }
    }
}

/// Returns whether a program that reads each line prints none: with `-n` it has no call that prints, and with `-p` it
/// empties the line.
fn prints_no_line(parsed: &Parsed<'_>, language: &str) -> bool {
    let codes: Vec<&str> =
        parsed.flags.iter().filter(|flag| flag.is_any(&["e", "E"])).map(|flag| flag.text()).collect();
    let code = codes.join(";");
    let is_known = parsed.flags.iter().all(|flag| flag.operand().is_none_or(|value| !value.dynamic));
    let bare: String = code.chars().filter(|char| !char.is_whitespace()).collect();
    let calls: &[&str] = match language {
        "perl" => &["print", "say", "write", "eval", "require", "do", "STDOUT", "sub"],
        _ => &[
            "print", "puts", "putc", "p ", "p(", "pp", "write", "eval", "require", "load", "$>", "STDOUT", "<<", "def",
        ],
    };
    let never = ["printif0", "printif0;", "putsiffalse", "printiffalse", "putsifnil", "printifnil"];
    let blanks = [
        "$_=\"\"",
        "$_=''",
        "$_=undef",
        "undef$_",
        "undef($_)",
        "$_=q()",
        "$_=nil",
        "$_.clear",
        "$_.replace(\"\")",
        "s/.*//s",
        "s/.*\\n?//",
        "s/^.*\\n//",
        "s/.*//",
        "s/^.*$//",
        "s/^.*//",
        "s/.+//s",
        "$_=String.new",
    ];
    let code_blanks = || blanks.contains(&bare.trim_end_matches(';'));
    !codes.is_empty()
        && is_known
        && if parsed.is("p", "") {
            code_blanks()
        } else {
            parsed.is("n", "") && (never.contains(&bare.as_str()) || !calls.iter().any(|call| code.contains(call)))
        }
}

fn php<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    run_code(run, parsed, "php", "rBRE", "run");
    super::migrations::of_script(run, parsed);
}

fn lua<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    run_code(run, parsed, "lua", "e", "");
}

fn r_language<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    run_code(run, parsed, "r", "e", "eval");
}

fn other_language<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let language = run.name.clone();
    run_code(run, parsed, &language, "eEc", "eval");
}

/// Adds the effects of the code in `-eval`. Its options are long names with one dash.
fn erlang<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    for pair in run.arguments().windows(2) {
        if let [option, code] = pair
            && option.text == "-eval"
        {
            scripts::code(run, "erl", &code.text, !code.dynamic, &[]);
        }
    }
}

fn osascript<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    run_code(run, parsed, "applescript", "e", "");
}

fn powershell<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    if !crate::wrappers::shells::is_given_powershell(&run.name, &run.command.argv) {
        run.reason("PowerShell code is not followed");
    }
}

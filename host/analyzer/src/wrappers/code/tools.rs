//! Programs started by scripts of specialized tools: debuggers, plotters, macro processors, TeX.

use guard_sdk::code::literal as string;
use guard_sdk::syntax::Word;

use super::super::layer::{Run, Runnable};
use super::{first_of, run, text};
use crate::limits;
use crate::word::expand::literal;

/// Returns whether this tool has scripts that start programs.
pub(super) fn is_tool(name: &str) -> bool {
    is_debugger(name)
        || is_tex(name)
        || matches!(
            name,
            "gnuplot"
                | "m4"
                | "gm4"
                | "dc"
                | "debugfs"
                | "ginsh"
                | "latexmk"
                | "gimp"
                | "gimp-console"
                | "terraform"
                | "tofu"
        )
}

fn is_debugger(name: &str) -> bool {
    matches!(name, "gdb" | "lldb" | "rust-gdb" | "rust-lldb")
}

fn is_tex(name: &str) -> bool {
    matches!(name, "tex" | "latex" | "pdftex" | "pdflatex" | "xetex" | "xelatex" | "luatex" | "lualatex")
}

/// Returns the commands that a tool's scripts start.
pub(super) fn runs(name: &str, words: &[Word], input: Option<&str>) -> Vec<Run> {
    let options: &[&str] = match name {
        _ if is_debugger(name) => &[
            "ex",
            "e",
            "ev",
            "eval-command",
            "iex",
            "eix",
            "init-eval-command",
            "o",
            "O",
            "k",
            "K",
            "one-line",
            "one-line-before-file",
        ],
        "debugfs" => &["R"],
        "latexmk" => &["pdflatex", "latex", "lualatex", "xelatex", "dvips"],
        "gimp" | "gimp-console" => &["b", "batch"],
        "terraform" | "tofu" => &[],
        _ => &["e"],
    };
    let given = values(words, options);
    let texts = given.iter().map(String::as_str).chain(input);
    let mut found: Vec<Runnable> = Vec::new();
    if is_tex(name) || name == "latexmk" {
        let operands = words.iter().map(|word| word.text.as_str()).filter(|word| word.contains('\\'));
        for operand in operands.chain(input) {
            found.extend(READ_BY_TEX.iter().flat_map(|(opener, program)| touched(operand, opener, program)));
            let written = operand.split("\\write18").skip(1).take(limits::STARTS);
            found
                .extend(written.filter_map(|rest| Some(text(rest.trim_start().strip_prefix('{')?.split('}').next()?))));
        }
        if name == "latexmk" {
            let command = |value: &&String| value.contains(char::is_whitespace) && !value.contains('%');
            found.extend(given.iter().filter(command).map(|value| text(value)));
        }
        return first_of(found.into_iter().map(|what| run(name, what)).collect());
    }
    for line in texts.flat_map(str::lines).take(limits::STARTS) {
        match name {
            _ if is_debugger(name) => found.extend(of_debugger(line)),
            "gnuplot" => found.extend(line.split(';').filter_map(of_gnuplot)),
            "gimp" | "gimp-console" => {
                let is_python = words.iter().any(|word| word.text.contains("python-fu"));
                let code = ["python3", "-c", line].map(literal).to_vec();
                found.extend(is_python.then_some(Runnable::Words { assignments: Vec::new(), words: code }));
            }
            "terraform" | "tofu" if words.first().is_some_and(|verb| verb.text == "console") => {
                found.extend(["file(\"", "filebase64(\""].iter().flat_map(|opener| touched(line, opener, "cat")));
            }
            "terraform" | "tofu" => {}
            "m4" | "gm4" => {
                let calls = line.split("syscmd(").skip(1).take(limits::STARTS);
                found.extend(calls.map(|rest| {
                    let inner = rest.trim_start_matches('`');
                    text(inner.split(['\'', ')']).next().unwrap_or(inner))
                }));
            }
            _ => found.extend(line.trim_start().strip_prefix('!').map(text)),
        }
    }
    first_of(found.into_iter().map(|what| run(name, what)).collect())
}

/// TeX commands that read or write a file, with an equivalent program.
const READ_BY_TEX: &[(&str, &str)] = &[
    ("\\input", "cat"),
    ("\\include", "cat"),
    ("\\verbatiminput", "cat"),
    ("\\lstinputlisting", "cat"),
    ("\\openin", "cat"),
    ("\\openout", "tee"),
];

/// Returns the files after `opener` in a text, as arguments of an equivalent program.
fn touched(text: &str, opener: &str, program: &'static str) -> Vec<Runnable> {
    let rests = text.split(opener).skip(1).take(limits::STARTS);
    let path = |rest: &str| {
        let path = rest.trim_start_matches(|char: char| char.is_ascii_digit() || "{= ".contains(char));
        let end = path.find(|char: char| char.is_whitespace() || "}\\\")".contains(char)).unwrap_or(path.len());
        path.get(..end).filter(|path| path.starts_with(['/', '~'])).map(str::to_owned)
    };
    let words =
        |path: String| Runnable::Words { assignments: Vec::new(), words: [program, &path].map(literal).to_vec() };
    rests.filter_map(path).map(words).collect()
}

/// Returns the values of these options, with one dash or two, in the next word or after `=`.
fn values(words: &[Word], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate().take(limits::STARTS) {
        let Some(option) = word.text.strip_prefix('-') else { continue };
        let option = option.strip_prefix('-').unwrap_or(option);
        let (name, value) = option.split_once('=').map_or((option, None), |(name, value)| (name, Some(value)));
        let shortened = |known: &&str| name.len() > 3 && known.starts_with(name);
        if options.contains(&name) || options.iter().any(shortened) {
            let next = || words.get(at + 1).map(|word| word.text.clone());
            found.extend(value.map(str::to_owned).or_else(next));
        }
    }
    found
}

/// Returns the command that a debugger's line starts. Debugger commands may be abbreviated.
fn of_debugger(line: &str) -> Option<Runnable> {
    let line = line.trim();
    if let Some(command) = line.strip_prefix('!') {
        return Some(text(command));
    }
    let (verb, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim_start();
    let is = |full: &str, least: usize| verb.len() >= least && full.starts_with(verb);
    if is("shell", 2) {
        return Some(text(rest));
    }
    if is("platform", 2) {
        return rest.strip_prefix("sh").and_then(|rest| rest.split_once(' ')).map(|(_, command)| text(command));
    }
    if is("pipe", 3) || verb == "|" {
        return rest.rsplit_once('|').map(|(_, command)| text(command));
    }
    if matches!(verb, "python" | "py" | "pi" | "python-interactive" | "script" | "sc" | "scri") {
        let words = ["python3", "-c", rest].map(literal).to_vec();
        return Some(Runnable::Words { assignments: Vec::new(), words });
    }
    if is("dump", 3) || is("append", 3) {
        let file = rest.split_whitespace().find(|word| word.contains('/'))?;
        let words = ["tee", file].map(literal).to_vec();
        return Some(Runnable::Words { assignments: Vec::new(), words });
    }
    let calls = is("call", 3) || is("print", 1) || is("expression", 2) || is("compile", 3) || is("eval", 3);
    let (_, called) = rest.split_once("system").filter(|_| calls)?;
    let argument = called.trim_start_matches([')', ' ']).strip_prefix('(')?.trim_start();
    string(argument).map(|(command, _)| text(command))
}

/// Returns the command that gnuplot starts.
fn of_gnuplot(command: &str) -> Option<Runnable> {
    let command = command.trim();
    if let Some(shell) = command.strip_prefix('!') {
        return Some(text(shell));
    }
    if let Some((_, rest)) = command.split_once("system") {
        let argument = rest.trim_start_matches(['(', ' ']);
        return string(argument).map(|(command, _)| text(command));
    }
    let place = command
        .find("'<")
        .or_else(|| command.find("\"<"))
        .or_else(|| command.find("'|"))
        .or_else(|| command.find("\"|"))?;
    let quoted = string(command.get(place..)?)?.0;
    Some(text(quoted.get(1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(name: &str, words: &[&str], input: Option<&str>) -> Option<String> {
        let words: Vec<Word> = words.iter().map(|word| literal(word)).collect();
        let found = runs(name, &words, input).into_iter().next()?;
        Some(match found.what {
            Runnable::Text { text, .. } => text.text.trim().to_owned(),
            Runnable::Words { words, .. } => words.last()?.text.clone(),
        })
    }

    #[test]
    fn scripts_of_tools_start_programs() {
        for (name, words, input) in [
            ("gdb", &["-batch", "-ex", "she ls x"][..], None),
            ("gdb", &["--eval-command=shell ls x"], None),
            ("gdb", &["-iex", "!ls x"], None),
            ("gdb", &["-ex", "pipe p 1 | ls x"], None),
            ("gdb", &["-ex", "python ls x"], None),
            ("gdb", &["-ex", "call (int)system(\"ls x\")"], None),
            ("gdb", &["-ex", "call system(\"ls x\")"], None),
            ("gdb", &[], Some("shell ls x")),
            ("lldb", &["-o", "platform shell ls x"], None),
            ("lldb", &["-o", "script ls x"], None),
            ("gnuplot", &["-e", "set x; system(\"ls x\")"], None),
            ("gnuplot", &[], Some("!ls x")),
            ("gnuplot", &["-e", "plot '< ls x'"], None),
            ("m4", &[], Some("a syscmd(`ls x')")),
            ("dc", &["-e", "!ls x"], None),
            ("debugfs", &["-R", "!ls x"], None),
            ("pdflatex", &["\\immediate\\write18{ls x}"], None),
            ("latexmk", &["-pdflatex=ls x", "a"], None),
        ] {
            assert_eq!(first(name, words, input).as_deref(), Some("ls x"), "{name} {words:?} {input:?}");
        }
        for (name, words, input) in [
            ("gdb", &["-batch", "-ex", "bt", "a", "core"][..], None),
            ("gdb", &["-ex", "print system"], None),
            ("lldb", &["-o", "run"], None),
            ("gnuplot", &["-e", "plot 'a.dat'"], None),
            ("latexmk", &["-pdf", "x"], None),
            ("latexmk", &["-pdflatex=pdflatex %O %S", "x"], None),
        ] {
            assert_eq!(first(name, words, input), None, "{name} {words:?}");
        }
    }
}

//! Invariants for every input, shared by the fuzz targets and the test that replays their corpus.
//!
//! Each target is a function of bytes that panics when something does not hold.

#[path = "respell.rs"]
mod respell;

use std::collections::BTreeSet;

use guard_sdk::syntax::{Analysis, Coverage, Severity};
use guard_testing::analyze;
use respell::Draw;
#[cfg(test)]
pub(crate) use respell::{COMMANDS, DATA_FORMS, FORMS, QUOTINGS};

/// Longer texts only cost time here; their bounds are tested elsewhere.
const TEXT_BYTES: usize = 8 << 10;

/// The maximum number of parts of a text.
const PIECES: usize = 120;

/// A program that nothing knows, to be looked for.
const MARK: &str = "marked-program";

/// Any text, in every dialect.
pub(crate) fn parse(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..TEXT_BYTES).unwrap_or(bytes));
    for dialect in ["bash", "posix", "zsh"] {
        let analysis = analyze(&text, dialect, "/repo", "/home/u");
        holds(&text, &analysis);
    }
}

/// Pieces of shell put together without sense: what is complete hides no line that follows.
pub(crate) fn analysis(bytes: &[u8]) {
    let text: String = bytes.iter().take(PIECES).map(|byte| piece(*byte)).collect();
    let alone = analyze(&text, "bash", "/repo", "/home/u");
    holds(&text, &alone);
    assert_eq!(format!("{alone:?}"), format!("{:?}", analyze(&text, "bash", "/repo", "/home/u")), "{text:?}");
    // A backslash at the end would join the next line to the last one.
    if alone.coverage != Coverage::Complete || text.ends_with('\\') {
        return;
    }
    let more = format!("{text}\n{MARK} x");
    let both = analyze(&more, "bash", "/repo", "/home/u");
    let seen = both.commands.iter().any(|command| command.argv.first().is_some_and(|word| word.text == MARK));
    assert!(seen || both.coverage != Coverage::Complete, "a line is lost: {more:?}");
}

/// A command means the same however it is spelled, and nothing where it is data.
pub(crate) fn equivalence(bytes: &[u8]) {
    let mut draw = Draw::new(bytes);
    let words = draw.pick(respell::COMMANDS);
    let plain = words.join(" ");
    let meant = severe(&analyze(&plain, "bash", "/repo", "/home/u"));
    assert!(!meant.is_empty(), "{plain:?} is meant to lose something");

    let respelled = respell::respell(words, &mut draw);
    let found = analyze(&respelled, "bash", "/repo", "/home/u");
    holds(&respelled, &found);
    let effects = severe(&found);
    // What does not parse at all is asked about as a whole.
    assert!(
        meant.is_subset(&effects) || found.coverage == Coverage::Unparsed,
        "{plain:?} as {respelled:?}: {meant:?} became {effects:?}"
    );

    let data = respell::as_data(&plain, &mut draw);
    let effects = severe(&analyze(&data, "bash", "/repo", "/home/u"));
    assert!(effects.is_empty(), "{plain:?} is data in {data:?}: {effects:?}");
}

fn piece(byte: u8) -> &'static str {
    PIECES_OF_SHELL.get(usize::from(byte) % PIECES_OF_SHELL.len()).copied().unwrap_or_default()
}

/// Asserts the invariants of every analysis.
fn holds(text: &str, analysis: &Analysis) {
    assert_eq!(analysis.coverage == Coverage::Complete, analysis.reasons.is_empty(), "{text:?}");
    for (index, command) in analysis.commands.iter().enumerate() {
        assert_eq!(command.id as usize, index + 1, "{text:?}");
        assert!(command.parent < command.id, "{text:?}");
        let (start, end) = (command.span.start as usize, command.span.end as usize);
        assert!(text.get(start..end).is_some(), "{text:?}: {start}..{end} is no piece of it");
    }
    let count = analysis.commands.len() as u32;
    assert!(analysis.effects.iter().all(|effect| (1..=count).contains(&effect.command_id)), "{text:?}");
    assert!(analysis.scripts.iter().all(|script| (1..=count).contains(&script.command_id)), "{text:?}");
}

/// The effects that lose something, as operation and target.
fn severe(analysis: &Analysis) -> BTreeSet<(String, String)> {
    let severe = analysis.effects.iter().filter(|effect| effect.severity >= Severity::Destructive);
    severe.map(|effect| (effect.operation.clone(), effect.target.clone())).collect()
}

const PIECES_OF_SHELL: &[&str] = &[
    "rm",
    " ",
    "-rf",
    "/",
    "\n",
    ";",
    "&",
    "&&",
    "||",
    "|",
    "(",
    ")",
    "{ ",
    "}",
    "$(",
    "${",
    "x",
    ":-",
    "`",
    "\"",
    "'",
    "\\",
    "$",
    "$'",
    "<<E\n",
    "\nE\n",
    "<<'E'\n",
    "<(",
    ">",
    "2>&1",
    "case ",
    " in ",
    ";;",
    "esac",
    "if ",
    "then ",
    "else ",
    "fi",
    "for ",
    "do ",
    "done",
    "while ",
    "[[ ",
    " ]]",
    "((",
    "))",
    "=",
    "a=",
    "a=(",
    "[",
    "]",
    "*",
    "~",
    "#",
    "!",
    "time ",
    "é",
    "\r",
    "\t",
    "{a,b}",
    "..",
    "eval ",
    "bash -c ",
    "sudo ",
    "xargs ",
    "find . -exec ",
    " + ",
    " \\;",
    "coproc ",
    "function f ",
    "f() ",
    "@(",
    "\\\n",
    "<<<",
    "echo ",
    "f",
    "$x",
    "\"$@\"",
    "$1",
    "set -- ",
    "alias x=",
    "x ",
    "trap ",
    "git push ",
    "-f ",
    "git ",
    "-c ",
    "python3 -c ",
    "psql -c ",
    "'drop table x'",
    "EXIT",
    "source ",
    ". ",
    "/dev/stdin",
    "curl x ",
    "| sh",
    "local ",
    "declare -a ",
    "export ",
    "env ",
    "A=1 ",
    "nohup ",
    "${x:-y}",
    "${!x}",
    "${x[@]}",
    "$((",
    "1",
    "+",
    "?",
    "-",
    "--",
    ",",
    "@",
    "%",
    "^",
    ":",
];

//! `sed` and `awk`: the files that they and their scripts read and write.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::languages::pieces::Pieces;
use crate::languages::with_options::ProgramText;
use crate::languages::{awk, sed as script};
use crate::options::{Operand, Parsed};
use crate::programs::files::backups;
use crate::run::{Run, searches};
use crate::wrappers::shells::is_input;

/// Returns the text of a script file, if the call contains it.
fn content(run: &Run<'_>, file: &Operand<'_>) -> Option<String> {
    let is_stream = file.text == "-" || is_input(&file.text);
    let input = if is_stream { run.input() } else { run.substituted(file) };
    input.filter(|input| input.certain).map(|input| input.text)
}

pub(super) fn sed<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let in_place = parsed.has("i", "in-place");
    let given = script::given(parsed, |file| content(run, file));
    given.files.iter().for_each(|file| run.read(file));
    run.script("sed", given.text.trim_end_matches('\n'), given.known);
    let is_quiet = parsed.has("n", "quiet") || parsed.has("", "silent");
    let keeps_nothing = given.text.split('\n').any(blanks) || is_quiet && given.known && shows_nothing(&given.text);
    for act in script::acts(&given.text) {
        match act {
            script::Action::Reads(file) => read(run, &given, &Pieces::known(&file)),
            script::Action::Writes(file) => write(run, &given, &Pieces::known(&file), "sed"),
            script::Action::Runs(pieces) => started(run, &pieces),
            script::Action::RunsReplaced { to, .. } => started(run, &Pieces::known(&to)),
            script::Action::RunsLines => started(run, &Pieces::unknown()),
        }
    }
    let suffix = backups::in_place_suffix(run);
    for file in parsed.from(given.operands) {
        suffix.iter().for_each(|suffix| backups::write_backup(run, file, suffix));
        if in_place && keeps_nothing {
            run.empty(file, Draft::notable("write", "fs.write").tag("by", "sed"));
        } else if in_place {
            run.write(file);
        } else {
            run.read(file);
        }
    }
}

/// Returns whether a sed script has no letter of a command that prints or changes files.
fn shows_nothing(script: &str) -> bool {
    !script.contains(['p', 'P', 'w', 'W', 'l', 'a', 'i', 'c', 'r', 'R', 'e', '='])
}

/// Returns whether a sed script deletes every line, or the content of every line.
fn blanks(script: &str) -> bool {
    let script: String = script.chars().filter(|char| !char.is_whitespace()).collect();
    let command = script.trim_end_matches(';');
    let every = ["1,$", "1~1", "0~1", "//", "/.*/", "/^/", "/$/"];
    let command = every.iter().find_map(|address| command.strip_prefix(address)).unwrap_or(command);
    matches!(command, "d" | "D") || {
        let mut rest = command.strip_prefix('s').unwrap_or_default().chars();
        let delimiter = rest.next();
        let mut parts = rest.as_str().split(|char| Some(char) == delimiter);
        let pattern = parts.next().unwrap_or_default();
        matches!(pattern, ".*" | "^.*" | "^.*$" | ".*$" | ".") && parts.next() == Some("")
    }
}

pub(super) fn awk<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let in_place = parsed.values("i", "include").any(|library| library.text == "inplace");
    let given = awk::given(parsed, |file| content(run, file));
    given.files.iter().for_each(|file| run.read(file));
    run.script("awk", given.text.trim_end_matches('\n'), given.known);
    for act in awk::acts(&given.text, awk::variables(parsed)) {
        match act {
            awk::Action::Reads(pieces) => read(run, &given, &pieces),
            awk::Action::Writes(pieces) => write(run, &given, &pieces, "awk"),
            awk::Action::Runs(pieces) => started(run, &pieces),
        }
    }
    let files = parsed.from(given.operands);
    if !in_place && files.iter().any(|file| searches::are_hidden_listed(run, file)) {
        super::sweep::reads_settings(run);
    }
    for file in files.iter().filter(|file| !file.text.contains('=') || file.text.contains('/')) {
        if in_place && prints_nothing(&given.text) {
            run.empty(file, Draft::notable("write", "fs.write").tag("by", "awk"));
        } else if in_place {
            run.write(file);
        } else {
            run.read(file);
        }
    }
}

/// Returns whether an awk program prints no lines: it has no print statement, and no pattern without an action.
fn prints_nothing(program: &str) -> bool {
    let program = program.trim();
    let test: String = program.chars().filter(|char| !char.is_whitespace()).collect();
    let is_never = matches!(test.as_str(), "0" | "1==0" | "0==1" | "NR<0" | "NR<1" | "NR==0");
    is_never || program.ends_with('}') && !program.contains("print") && !program.contains("}1")
}

/// Returns the word that names a file, if its start is known.
fn name(given: &ProgramText<'_>, pieces: &Pieces) -> Option<Word> {
    let mut word = pieces.word();
    word.quoted = true;
    let begins_known = word.parts.first().is_none_or(|part| part.kind == "literal");
    word.dynamic |= !given.known;
    (begins_known && !word.text.is_empty()).then_some(word)
}

fn read(run: &mut Run<'_>, given: &ProgramText<'_>, pieces: &Pieces) {
    if let Some(word) = name(given, pieces) {
        run.read(&Operand::of(&word));
    }
}

fn write(run: &mut Run<'_>, given: &ProgramText<'_>, pieces: &Pieces, by: &str) {
    let (word, is_known) = match name(given, pieces) {
        Some(word) => (word, true),
        None => (Word { dynamic: true, ..pieces.word() }, false),
    };
    if !word.text.is_empty() {
        let certain = by != "sed" && is_known;
        run.write_as(&Operand::of(&word), Draft::notable("write", "fs.write").tag("by", by).certain(certain));
    }
}

/// Adds the effect of a text that a script passes to a shell, unless its commands are already listed.
fn started(run: &mut Run<'_>, pieces: &Pieces) {
    let mut children = run.pipelines.children(run.commands, run.command.id);
    if children.any(|child| child.via.last().is_some_and(|via| matches!(via.kind.as_str(), "code" | "eval"))) {
        return;
    }
    match pieces.text() {
        Some(text) if !text.trim().is_empty() => run.starts_helper(&text),
        _ => run.reason("what a script starts is known only at run time"),
    }
}

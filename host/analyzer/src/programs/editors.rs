//! Editors: they write the files that they open.

use guard_sdk::syntax::Word;

use super::files::writes;
use super::program::Program;
use super::scripts;
use crate::draft::Draft;
use crate::languages::ex::{self, Action};
use crate::options::{Flag, Operand, Options, Parsed};
use crate::run::{Run, here};
use crate::wrappers::code::editors;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["ed", "red"], Options::new("p", "prompt"), ed),
    Program::new(
        &["vi", "vim", "nvim", "ex", "gvim", "rvim", "vimdiff", "rview", "gview", "evim", "vimx", "nvr"],
        Options::NONE,
        vi,
    ),
    Program::new(&["nano", "pico", "micro", "joe", "mcedit"], Options::new("TroQsY", ""), writes),
    Program::new(&["emacs", "emacsclient"], EMACS, emacs),
];

const EMACS: Options =
    Options { single: true, ..Options::new("", "eval load execute funcall insert l f e socket-name server-file") };

fn vi<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let parsed = editors::parsed(&run.name, run.arguments());
    if parsed.has("RM", "") {
        parsed.operands.iter().for_each(|operand| run.read(operand));
        return;
    }
    let mut empties = false;
    for command in editors::commands(&parsed) {
        empties |= command.split('|').any(deletes_all);
        run.script("vim", &command, true);
        for act in ex::acts(&command) {
            touched(run, act);
        }
        if command.contains('!') {
            run.not_followed("shell commands of an editor script are not followed");
        }
    }
    parsed.values("S", "").for_each(|file| run.read(&file));
    let by_lines = run.name == "ex" || parsed.is("eE", "");
    typed(run, by_lines);
    for operand in parsed.operands.iter().filter(|operand| !operand.text.starts_with('+')) {
        if empties {
            run.empty(operand, Draft::notable("write", "fs.write").tag("by", "vim"));
        } else {
            run.write(operand);
        }
    }
}

/// Returns whether a vim command deletes every line.
fn deletes_all(command: &str) -> bool {
    let command = command.trim().trim_start_matches(':');
    let each = ["argdo ", "bufdo ", "windo ", "tabdo ", "silent ", "silent! "];
    let command = each.iter().fold(command, |command, each| command.strip_prefix(each).unwrap_or(command).trim());
    let every = ["%", "1,$", "g/^/", "g/.*/"].iter().find_map(|range| command.strip_prefix(range));
    every.is_some_and(|rest| matches!(rest.split([' ', '_']).next(), Some("d" | "de" | "del" | "delete")))
}

fn ed<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    typed(run, true);
    writes(run, parsed);
}

/// The maximum number of lines of commands on standard input.
const MOST: usize = 256;

/// Adds the effects on files of the commands on standard input.
fn typed(run: &mut Run<'_>, by_lines: bool) {
    let Some(input) = run.input().filter(|_| by_lines) else { return };
    for line in input.text.lines().take(MOST) {
        for act in ex::acts(line) {
            touched(run, act);
        }
    }
}

/// Adds the effect of a vim command on a file.
fn touched(run: &mut Run<'_>, act: Action) {
    let word = |path: String| Word { text: path, ..here() };
    match act {
        Action::Reads(path) => run.read(&Operand::of(&word(path))),
        Action::Writes(path) => run.write(&Operand::of(&word(path))),
        Action::Deletes { path, tree } if path.is_empty() => {
            // The file is only known at run time.
            let unknown = Word { text: "$_".to_owned(), dynamic: true, ..here() };
            if tree {
                run.delete_tree(&Operand::of(&unknown), true, "vim");
            }
        }
        Action::Deletes { path, tree: true } => run.delete_tree(&Operand::of(&word(path)), true, "vim"),
        Action::Deletes { path, .. } => run.delete(&Operand::of(&word(path)), true),
        Action::Shell(_) | Action::Code(..) => {}
    }
}

fn emacs<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for code in parsed.flags.iter().filter(|flag| flag.is_any(&["eval", "execute", "e"])).map(Flag::text) {
        scripts::code(run, "elisp", code, true, &[]);
    }
    writes(run, parsed);
}

//! Editors: what they are asked to edit, they write.

use super::files::writes;
use super::program::Program;
use crate::options::{Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["ed", "red"], Options::new("p", "prompt"), writes),
    Program::new(&["vi", "vim", "nvim", "ex", "gvim", "vimdiff"], VI, vi),
    Program::new(&["nano", "pico", "micro", "joe", "mcedit"], Options::new("TroQsY", ""), writes),
    Program::new(&["emacs", "emacsclient"], Options::new("flLu", "eval load socket-name"), writes),
];

const VI: Options = Options::new("cSuTUwWtirsV", "cmd listen server remote-expr");

fn vi<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("RM", "") {
        parsed.operands.iter().for_each(|operand| run.read(operand));
        return;
    }
    for command in parsed.values("c", "cmd") {
        run.script("vim", &command.text, !command.dynamic);
        if command.text.contains('!') {
            run.not_followed("shell commands of an editor script are not followed");
        }
    }
    for operand in parsed.operands.iter().filter(|operand| !operand.text.starts_with('+')) {
        run.write(operand);
    }
}

//! Programs that end processes.

use guard_sdk::syntax::Severity;

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["kill"], Options::NONE, kill),
    Program::new(
        &["pkill", "killall", "killall5", "skill", "xkill"],
        Options::new("uUgGPtsoy", &["signal", "user", "parent", "group", "older-than", "younger-than", "pidfile"]),
        by_name,
    ),
    Program::new(&["fuser"], Options::NONE, fuser),
];

fn ended(target: &str) -> Draft {
    Draft::notable("process", "process.kill").target(target)
}

/// `-9`, `-KILL` and `-s KILL` are signals; a second dashed number is a process group.
fn kill<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let words = run.arguments();
    if words.iter().any(|word| matches!(word.text.as_str(), "-l" | "-L" | "--list" | "--table" | "-0" | "--help")) {
        return;
    }
    let mut skip = false;
    let mut signal_seen = false;
    let mut operands_only = false;
    for word in words {
        let text = word.text.as_str();
        if skip {
            skip = false;
        } else if operands_only || !text.starts_with('-') {
            let everything = operands_only && text == "-1";
            run.emit(ended(text).certain(!word.dynamic).severe(Severity::Destructive, everything));
        } else if text == "--" {
            operands_only = true;
        } else if matches!(text, "-s" | "-n" | "--signal") {
            (skip, signal_seen) = (true, true);
        } else if signal_seen {
            run.emit(ended(text).severe(Severity::Destructive, text == "-1"));
        } else {
            signal_seen = true;
        }
    }
}

fn by_name<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("lL", "list") || parsed.is("", "help") {
        return;
    }
    for name in &parsed.operands {
        run.emit(ended(&name.text).certain(!name.dynamic));
    }
}

fn fuser<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("k", "kill") {
        run.emit(ended(parsed.text(0)));
    }
}

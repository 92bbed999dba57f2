//! Programs that change the machine's setup and need code to interpret their files or texts: mounts and the schedule.
//!
//! Accounts, the firewall, the kernel and packages are in `programs/`.

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["mount"], Options::new("toLUO", "types options"), mount),
    Program::new(
        &["bindfs"],
        Options::new("ugmMpo", "force-user force-group mirror mirror-only perms map create-for-user create-for-group"),
        shows_again,
    ),
    Program::new(&["umount"], Options::new("tO", "types"), unmount),
    Program::new(&["crontab"], Options::new("u", ""), crontab),
    Program::new(&["at", "batch"], Options::new("qft", ""), schedules),
];

fn mount<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let binds = parsed.is("BRM", "bind")
        || parsed.is("", "rbind")
        || parsed.is("", "move")
        || parsed
            .values("o", "options")
            .any(|options| options.text.split(',').any(|it| matches!(it, "bind" | "rbind")));
    if let [source, target] = parsed.operands.as_slice()
        && binds
    {
        run.bind(source, target);
    }
    if let Some(what) = parsed.operands.last().filter(|_| !parsed.is("hV", "help")) {
        run.emit(Draft::notable("system", "system.mount").target(&what.text).certain(!what.dynamic));
    }
}

/// Adds a bind mount, which makes a folder available at a second path.
fn shows_again<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let [source, target, ..] = parsed.operands.as_slice() {
        run.bind(source, target);
    }
}

fn unmount<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for what in &parsed.operands {
        run.emit(Draft::notable("system", "system.unmount").target(&what.text).certain(!what.dynamic));
    }
}

fn crontab<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("r", "") {
        run.emit(Draft::destructive("system", "system.crontab.remove"));
    } else if let Some(file) = parsed.operands.first() {
        run.read(file);
        run.emit(Draft::notable("system", "system.crontab.replace"));
    }
}

/// Adds the commands scheduled for later, which are text on standard input.
fn schedules<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("lrdcV", "") {
        return;
    }
    parsed.values("f", "").for_each(|file| run.read(&file));
    match run.input() {
        Some(input) => run.script("shell", &input.text, input.certain),
        None => run.reason("a scheduled text is not known"),
    }
    run.emit(Draft::notable("execute", "execute.scheduled").target(parsed.text(0)));
}

//! Programs that create, copy, move, link or delete files, or change their metadata.

pub(super) mod backups;
mod cut_names;
mod modes;
mod one_name;
mod targets;
mod transfer;

use guard_sdk::syntax::{Command, Severity};

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::run::path::{self, Device};
use crate::view::host_path;
use targets::Target;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["rm", "grm", "srm"], Options::NONE, rm),
    Program::new(&["rmdir", "rd", "del", "erase"], Options::NONE, del),
    Program::new(&["unlink", "trash", "trash-put", "rmtrash"], Options::NONE, deletes),
    Program::new(&["rimraf", "del-cli"], Options::NONE, deletes_trees),
    Program::new(&["shred"], Options::new("ns", "iterations size random-source"), shred),
    Program::new(&["wipe"], Options::new("bloPQSxX", ""), shred),
    Program::new(&["scrub"], Options::new("bDpsX", "pattern blocksize dirent device-size"), shred),
    Program::new(&["trash-empty"], Options::NONE, empties_bin),
    Program::new(&["gio"], Options::NONE, gio),
    Program::new(&["cp", "gcp", "ditto"], COPY, cp),
    Program::new(&["mv", "gmv"], COPY, mv),
    Program::new(&["ln", "gln", "link"], COPY, ln),
    Program::new(
        &["install", "ginstall"],
        Options::new("gmoStT", "group mode owner suffix target-directory strip-program"),
        install,
    ),
    Program::new(&["scp"], Options::new("cFiJloPSXD", ""), transfer::scp),
    Program::new(
        &["rsync"],
        Options::new(
            "efBTM",
            "rsh rsync-path exclude include exclude-from include-from files-from filter log-file backup-dir \
     password-file",
        ),
        transfer::rsync,
    ),
    Program::new(&["mkdir", "gmkdir"], Options::new("mZ", "mode"), makes_directories),
    Program::new(&["mkfifo", "mknod"], Options::new("mZ", "mode"), writes_first),
    Program::new(&["touch", "gtouch"], Options::new("drt", "date reference time"), writes),
    Program::new(&["tee", "gtee", "sponge"], Options::NONE, tee),
    Program::new(&["truncate", "gtruncate"], Options::new("sr", "size reference"), truncate),
    Program::new(&["fallocate"], Options::new("lo", "length offset"), writes),
    Program::new(&["dd", "gdd", "dcfldd"], Options::NONE, dd),
    Program::new(&["split", "gsplit"], Options::new("abClnt", "suffix-length lines bytes"), split),
    Program::new(&["csplit"], Options::new("fbn", "prefix suffix-format digits"), csplit),
    Program::new(&["chmod", "gchmod"], Options::new("", "reference"), modes::chmod),
    Program::new(&["chattr", "chflags"], Options::new("pv", ""), modes::chattr),
    Program::new(&["setfacl"], Options::new("mxMX", "modify remove set"), modes::marks),
    Program::new(&["chown", "gchown", "chgrp", "gchgrp"], Options::new("", "reference from"), modes::chown),
    Program::new(&["dos2unix", "unix2dos"], Options::NONE, writes),
    Program::new(&["rename", "rename.ul", "prename", "perl-rename", "file-rename"], Options::new("e", ""), rename),
];

const COPY: Options = Options::new("tS", "target-directory suffix");

fn rm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let recursive = parsed.has("rR", "recursive");
    let force = parsed.has("f", "force");
    let interactive = parsed.has("iI", "interactive") && !force;
    let by = run.name.clone();
    // A word such as `$flags` may expand to `-rf`.
    let may_be_flags = |word: &&Operand<'a>| word.dynamic && !word.word.quoted && word.text.starts_with('$');
    let unknown = !recursive && parsed.operands.iter().any(|word| may_be_flags(&word));
    for operand in &parsed.operands {
        if unknown && !operand.dynamic && run.is_catastrophic(operand) {
            let place = path::place(operand, run.cwd(), run.home);
            let draft = Draft::catastrophic("delete", "fs.delete.recursive").certain(false).tag("by", &by);
            let whole = path::is_whole_directory(&operand.text, operand.word.glob, place.relative);
            run.emit_on(draft.flag("whole-directory", whole), operand);
        } else {
            delete_operand(run, operand, recursive, force, interactive, &by);
        }
    }
}

fn delete_operand(run: &mut Run<'_>, operand: &Operand<'_>, recursive: bool, force: bool, interactive: bool, by: &str) {
    if recursive {
        run.delete_tree(operand, force, by);
        return;
    }
    let draft = Draft::notable("delete", "fs.delete").flag("force", force).flag("interactive", interactive);
    run.delete_as(operand, draft);
}

fn deletes<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for operand in &parsed.operands {
        run.delete(operand, false);
        if run.name != "unlink" {
            move_to_trash(run, operand);
        }
    }
}

/// Adds the delayed loss of a project or a folder of the home that is moved to the trash or a temporary folder.
fn move_to_trash(run: &mut Run<'_>, source: &Operand<'_>) {
    if is_kept(run, source) {
        let by = run.name.clone();
        run.emit_on(Draft::destructive("delete", "fs.move.temporary").tag("by", &by), source);
    }
}

/// Adds the deletions of `rmdir`, which only removes empty directories, and of the Windows commands, for which `/s`
/// means recursive.
fn del<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_switch = |operand: &&Operand<'a>| {
        let letters = operand.text.strip_prefix('/');
        letters.is_some_and(|letters| letters.split('/').all(|letter| letter.len() == 1))
    };
    let says_below = |operand: &Operand<'a>| operand.text.to_ascii_lowercase().contains("/s");
    let below = parsed.operands.iter().any(|operand| is_switch(&operand) && says_below(operand));
    let keeps_all = run.name == "rmdir" && !below;
    for operand in parsed.operands.iter().filter(|operand| keeps_all || !is_switch(operand)) {
        if below {
            run.delete_tree(operand, true, "rd");
        } else {
            run.delete(operand, false);
        }
    }
}

/// Adds the deletion of `rd/s/q FOLDER`, in which switches directly follow the name, so that it looks like a path.
/// Returns whether the command has this form.
pub(super) fn has_switches(run: &mut Run<'_>) -> bool {
    let mut parts = run.command.word(0).split('/');
    let deletes = parts
        .next()
        .is_some_and(|name| ["rd", "rmdir", "del", "erase"].iter().any(|verb| name.eq_ignore_ascii_case(verb)));
    let switches: Vec<&str> = parts.collect();
    let below = switches.iter().any(|switch| switch.eq_ignore_ascii_case("s"));
    if !deletes || !below || switches.iter().any(|switch| switch.len() != 1) {
        return false;
    }
    for word in run.arguments().iter().filter(|word| !word.text.starts_with('/')) {
        run.delete_tree(&Operand::of(word), true, "rd");
    }
    true
}

fn deletes_trees<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if run.name == "del-cli" && parsed.on("d", "dry-run", false) {
        return;
    }
    let by = run.name.clone();
    parsed.operands.iter().for_each(|operand| run.delete_tree(operand, true, &by));
}

/// Adds the effect of emptying the trash, whose content can't be recovered afterwards.
fn empties_bin<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.is("h", "help") && !parsed.on("", "dry-run", false) {
        run.emit(Draft::destructive("delete", "trash.empty"));
    }
}

fn gio<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0) {
        "trash" if parsed.is("", "empty") => empties_bin(run, parsed),
        "trash" | "remove" => {
            for operand in parsed.from(1) {
                run.delete(operand, false);
                move_to_trash(run, operand);
            }
        }
        "cat" => parsed.from(1).iter().for_each(|operand| run.read(operand)),
        "copy" | "move" => {
            let words = Parsed { operands: parsed.from(1).to_vec(), ..parsed.clone() };
            if parsed.text(0) == "copy" { cp(run, &words) } else { mv(run, &words) }
        }
        _ => {}
    }
}

fn shred<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for operand in &parsed.operands {
        if path::device(&operand.text) == Some(Device::Storage) {
            run.write(operand);
        } else {
            run.delete(operand, true);
        }
    }
}

/// Returns whether an operand is on another machine: `host:path`.
fn is_remote(operand: &Operand<'_>) -> bool {
    let before = operand.text.split_once(':').map_or("", |(before, _)| before);
    !before.is_empty() && !before.contains('/')
}

/// Adds the writes of the target, and of the files that the sources become in it.
fn write_into<'a>(run: &mut Run<'a>, target: &Target<'a, '_>, draft: impl Fn(&Operand<'a>, &str) -> Draft) {
    if is_remote(&target.place) && matches!(run.name.as_str(), "scp" | "rsync") {
        let draft = Draft::notable("network", "network.upload").target(&target.place.text);
        run.emit(draft.flag("file", run.name == "scp"));
        return;
    }
    if target.sources.iter().all(|source| source.text == "/dev/null") {
        let by = run.name.clone();
        run.empty(&target.place, Draft::notable("write", "fs.write").tag("by", &by));
        return;
    }
    target.write(run, draft);
}

/// Drafts the write at the destination of a copy.
fn copied(by: &str) -> Draft {
    Draft::notable("write", "fs.write").tag("by", by)
}

/// Adds the write of `source` at `place`, or below it if that is a folder.
pub(super) fn put<'o>(run: &mut Run<'_>, source: &Operand<'o>, place: &Operand<'o>, each: bool) {
    let by = run.name.clone();
    let mut target = targets::perhaps_in(source, place.clone());
    target.each = each && one_name::is_one_file(&target);
    target.write(run, |_, _| copied(&by));
}

fn cp<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(target) = targets::of(run, parsed) else { return };
    let recursive = parsed.has("rRa", "recursive");
    let is_networked = matches!(run.name.as_str(), "scp" | "rsync");
    for source in target.sources.iter().filter(|source| is_networked && is_remote(source)) {
        run.emit(Draft::routine("network", "network.request").target(&source.text).certain(!source.dynamic));
    }
    for source in target.sources.iter().filter(|source| !is_networked || !is_remote(source)) {
        run.read_as(source, Draft::routine("read", "fs.read").flag("recursive", recursive));
    }
    copied_back(run, parsed, &target);
    let by = run.name.clone();
    // `cp -s` and `cp -l` create links.
    let links = matches!(by.as_str(), "cp" | "gcp") && (parsed.has("sl", "symbolic-link") || parsed.has("", "link"));
    let (cwd, home, inside) = (run.cwd().to_owned(), run.home, run.inside());
    write_into(run, &target, |source, _| {
        if !links {
            return copied(&by);
        }
        linked(&by, source, &host_path(inside, &path::place(source, &cwd, home).raw))
    });
}

/// Adds the write of a loop that copies files of a folder to the same paths here: `cp ../other/$name $name`.
fn copied_back(run: &mut Run<'_>, parsed: &Parsed<'_>, target: &Target<'_, '_>) {
    let [source] = target.sources else { return };
    let place = &target.place;
    let folder =
        source.text.strip_suffix(place.text.as_ref()).filter(|folder| folder.len() > 1 && folder.ends_with('/'));
    let is_each = place.dynamic && place.text.starts_with('$') || place.word.glob;
    let is_each = is_each && one_name::in_loop(run.command);
    if let Some(folder) = folder.filter(|_| is_each && !targets::keeps_files(run, parsed)) {
        let folder = path::lexical(&path::place(&source.renamed(folder.to_owned()), run.cwd(), run.home).raw);
        let draft = copied(&run.name.clone()).tag("merged-from", &folder).certain(false);
        run.write_as(&Operand::of(&crate::run::here()), draft);
    }
}

fn mv<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(mut target) = targets::of(run, parsed) else { return };
    if path::device(&target.place.text) == Some(Device::Stream) {
        // A stream discards its input, so moved files are lost.
        target.sources.iter().for_each(|source| run.delete_tree(source, true, "mv"));
        return;
    }
    for source in target.sources {
        let much = run.is_catastrophic(source);
        let draft = Draft::notable("delete", "fs.delete").severe(Severity::Catastrophic, much);
        run.emit_on(draft.flag("glob", source.word.glob).tag("by", "mv"), source);
    }
    if modes::is_cleaned(&target.place.text) || is_trash(run, &target.place) {
        target.sources.iter().for_each(|source| move_to_trash(run, source));
    }
    let by = run.name.clone();
    target.each = one_name::gathered(run, parsed, &target);
    write_into(run, &target, |_, _| copied(&by));
}

/// Folders whose content a program can rebuild.
const THROWAWAY: &[&str] = &[
    ".cache",
    "build",
    "coverage",
    "dist",
    "log",
    "logs",
    "out",
    "playwright-report",
    "reports",
    "screenshots",
    "target",
    "test-results",
    "tmp",
];

/// Returns whether the operand is in a trash of a desktop.
fn is_trash(run: &Run<'_>, place: &Operand<'_>) -> bool {
    let raw = path::lexical(&path::place(place, run.cwd(), run.home).raw);
    raw.split('/').any(|name| matches!(name, ".Trash" | ".Trashes" | "Trash" | "$RECYCLE.BIN"))
}

/// Returns whether the operand is the folder in which the text starts or one above it, a user's folder directly in the
/// home directory, or all content of a folder.
fn is_kept(run: &Run<'_>, source: &Operand<'_>) -> bool {
    let raw = path::lexical(&path::place(source, run.cwd(), run.home).raw);
    let start = run.commands.first().map(|first| path::lexical(&first.cwd)).unwrap_or_default();
    let is_start = start.strip_prefix(&raw).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if raw.starts_with('/') && is_start {
        return true;
    }
    let folder = raw.strip_prefix(run.home).and_then(|rest| rest.strip_prefix('/')).filter(|_| !run.home.is_empty());
    let is_own = folder.is_some_and(|name| !name.is_empty() && !name.contains(['/', '.', '*']));
    let above = source.text.strip_suffix("/*").and_then(|above| above.rsplit('/').next());
    is_own
        || above.is_some_and(|name| {
            source.word.glob && !name.is_empty() && !THROWAWAY.contains(&name) && !raw.starts_with("/tmp/")
        })
}

/// Drafts the write of a link. `leads_to`: the path of its target, or empty if unknown.
fn linked(by: &str, source: &Operand<'_>, leads_to: &str) -> Draft {
    let draft = copied(by).tag("link-to", &source.text);
    if leads_to.is_empty() { draft } else { draft.tag("leads-to", leads_to) }
}

/// Adds the write of a link by code.
pub(super) fn link(run: &mut Run<'_>, source: &Operand<'_>, link: &Operand<'_>, is_symbolic: bool) {
    let by = run.name.clone();
    let (cwd, home, inside) = (run.cwd().to_owned(), run.home, run.inside());
    let folder = path::place(link, &cwd, home).raw;
    let folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    let base = if is_symbolic { folder } else { &cwd };
    let draft = linked(&by, source, &host_path(inside, &path::place(source, base, home).raw));
    run.write_as(link, draft);
    run.follow_links();
}

fn ln<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let by = run.name.clone();
    let (cwd, home, inside) = (run.cwd().to_owned(), run.home, run.inside());
    // A relative path in a symbolic link is resolved from the link's folder.
    let symbolic = parsed.has("s", "symbolic") && !parsed.has("r", "relative");
    let draft = |source: &Operand<'a>, folder: &str| {
        let base = if symbolic { folder } else { &cwd };
        linked(&by, source, &host_path(inside, &path::place(source, base, home).raw))
    };
    if let Some(target) = targets::of(run, parsed) {
        target.write(run, draft);
    } else if let Some(only) = parsed.operands.first() {
        let name = only.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        run.write_as(&only.renamed(name), draft(only, &cwd));
    }
}

fn install<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("d", "directory") {
        makes_directories(run, parsed);
    } else {
        cp(run, parsed);
    }
}

fn makes_directories<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let by = run.name.clone();
    for operand in &parsed.operands {
        run.write_as(operand, Draft::notable("write", "fs.write").flag("directory", true).tag("by", &by));
    }
}

/// Adds the renames of the files, which follow the expression or, in the other syntax, the two texts. They are moves
/// whose new names aren't known.
fn rename<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "no-act") {
        return;
    }
    let is_expression = |text: &str| text.contains('/') || text.contains(';') || text.contains('(');
    let skip = if parsed.is("e", "") {
        0
    } else if is_expression(parsed.text(0)) {
        1
    } else {
        2
    };
    for operand in parsed.from(skip) {
        let draft = Draft::notable("delete", "fs.delete").flag("glob", operand.word.glob);
        run.emit_on(draft.tag("by", "mv"), operand);
        run.write(operand);
    }
}

pub(super) fn writes<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|operand| run.write(operand));
}

fn writes_first<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|operand| run.write(operand));
}

fn tee<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let append = parsed.has("a", "append");
    let by = run.name.clone();
    for operand in &parsed.operands {
        let draft = Draft::notable("write", "fs.write").flag("append", append);
        // All files that a pattern matches get the same content.
        if !append && (gets_nothing(run.command) || operand.word.glob) {
            run.empty(operand, draft.tag("by", &by));
        } else {
            run.write_as(operand, draft.flag("truncate", !append).tag("by", &by));
        }
    }
}

fn truncate<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.has("sr", "size") && !parsed.has("", "reference") {
        return;
    }
    let by = run.name.clone();
    // `+` and other signs before the number make the size relative to the current one.
    let size = parsed.value("s", "size");
    let to_nothing =
        size.is_some_and(|size| size.text.starts_with('0') && !size.text.contains(|c: char| matches!(c, '1'..='9')));
    for operand in &parsed.operands {
        let draft = Draft::notable("write", "fs.write");
        if to_nothing {
            run.empty(operand, draft.tag("by", &by));
        } else {
            run.write_as(operand, draft.flag("truncate", true).tag("by", &by));
        }
    }
}

/// Returns whether the command's input is empty.
fn gets_nothing(command: &Command) -> bool {
    let mut inputs = command.redirections.iter().filter(|redirection| redirection.fd == 0);
    inputs.next_back().is_some_and(|redirection| redirection.operator == "<" && redirection.target.text == "/dev/null")
}

fn dd<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    const BLANK: &[&str] = &["if=/dev/null", "if=/dev/zero", "if=/dev/random", "if=/dev/urandom"];
    let overwrites = parsed.operands.iter().any(|operand| BLANK.contains(&operand.text.as_ref()));
    for word in parsed.operands.iter().map(|operand| operand.word) {
        let Some((key, value)) = word.text.split_once('=') else { continue };
        let operand = Operand::tail(word, value);
        match key.to_ascii_lowercase().as_str() {
            "of" if overwrites => {
                let by = run.name.clone();
                run.empty(&operand, Draft::notable("write", "fs.write").tag("by", &by));
            }
            "of" => run.write(&operand),
            "if" => run.read(&operand),
            _ => {}
        }
    }
}

fn split<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(source) = parsed.operands.first() else { return };
    run.read(source);
    let prefix = parsed.operands.get(1).cloned();
    prefix.iter().for_each(|prefix| run.write(prefix));
    write_pieces(run, &prefix.unwrap_or_else(|| source.renamed("x".to_owned())));
}

fn csplit<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(source) = parsed.operands.first() else { return };
    run.read(source);
    let prefix = parsed.value("f", "prefix");
    prefix.iter().for_each(|prefix| run.write(prefix));
    write_pieces(run, &prefix.unwrap_or_else(|| source.renamed("xx".to_owned())));
}

/// Adds the writes of a file's pieces, whose names start with this prefix.
fn write_pieces(run: &mut Run<'_>, prefix: &Operand<'_>) {
    let draft = Draft::notable("write", "fs.write").tag("by", &run.name.clone()).flag("tree", true);
    run.write_as(&prefix.renamed(format!("{}*", prefix.text)), draft.certain(false));
}

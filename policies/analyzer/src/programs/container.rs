//! docker and its kin: the files that they move, and containers that are given the machine.
//!
//! What they remove stands in `programs/docker.toml`.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::run::path::lexical;
use crate::wrappers::remote::ENGINE;
use crate::wrappers::sandbox::mounts_of_engine;

/// What a call does beside removing.
pub(super) fn engine<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let engine = run.name.clone();
    let parsed = run.parse(run.arguments(), ENGINE);
    let words = match parsed.rest {
        [group, words @ ..] if matches!(group.text.as_str(), "container" | "image") => words,
        words => words,
    };
    let Some((first, words)) = words.split_first() else { return };
    match first.text.to_ascii_lowercase().as_str() {
        "cp" => copies(run, words),
        "run" | "create" => runs(run, words, &engine),
        "save" | "export" => {
            let parsed = run.parse(words, Options::new("o", "output"));
            parsed.values("o", "output").for_each(|file| run.write(&file));
        }
        _ => {}
    }
}

/// `cp` between a container and this machine: only the side without `name:` is here.
fn copies<'a>(run: &mut Run<'a>, words: &'a [Word]) {
    let parsed = run.parse(words, Options::NONE);
    let is_here = |operand: &&Operand<'a>| !operand.text.contains(':');
    parsed.operands.iter().take(1).filter(is_here).for_each(|from| run.read(from));
    let [from, to] = parsed.operands.as_slice() else { return };
    if is_here(&to) {
        let by = run.name.clone();
        let draft = Draft::notable("write", "fs.write").tag("by", &by);
        run.write_as(to, draft.clone());
        let draft = if to.text.ends_with('/') { draft } else { draft.tag("into", &to.text) };
        run.write_as(&to.joined(from), draft.flag("tree", true));
    }
}

/// A container that is given the machine: all privileges, the engine's socket, or the root directory.
fn runs<'a>(run: &mut Run<'a>, words: &'a [Word], engine: &str) {
    let parsed = run.parse(words, RUN);
    let entry = parsed.value("", "entrypoint");
    let shows = |program: &str| matches!(program, "env" | "printenv" | "set" | "export");
    let inside = run.pipelines.children(run.commands, run.command.id).any(|command| shows(command.program()));
    if inside || entry.is_some_and(|entry| shows(&entry.text)) {
        // The container prints what the file puts into its environment.
        parsed.values("", "env-file").for_each(|file| run.read(&file));
    }
    let privileged = parsed.has("", "privileged") || parsed.values("", "pid").any(|value| value.text == "host");
    let sources = mounts_of_engine(&parsed).into_iter().map(|mount| mount.source);
    let taken = sources.filter(|source| source.starts_with('/')).map(|source| lexical(&source)).find(|from| {
        matches!(
            from.as_str(),
            "/" | "/etc" | "/var/run/docker.sock" | "/run/docker.sock" | "/root" | "/home" | "/var" | "/proc"
        )
    });
    if privileged || taken.is_some() {
        let draft = Draft::notable("privilege", "container.host-access").flag("privileged", privileged);
        let draft = taken.iter().fold(draft, |draft, from| draft.tag("mounts", from));
        run.emit(draft.tag("engine", engine));
    }
}

const RUN: Options = Options::leading(
    "vepwuhlm",
    "volume mount env env-file publish name network workdir user hostname pid entrypoint label memory \
     cpus restart platform add-host cap-add device ipc net gpus tmpfs",
);

//! git: what its subcommands lose, publish and write.
//!
//! Aliases of the user's configuration are not known here; one that the command line defines is already replaced.

mod discard;
mod push;

use guard_sdk::syntax::Severity;

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[Program::new(&["git"], GLOBAL, git)];

const GLOBAL: Options = Options::leading(
    "Cc",
    &["git-dir", "work-tree", "namespace", "super-prefix", "config-env", "attr-source", "list-cmds"],
);

/// A subcommand.
struct Verb {
    name: &'static str,
    options: Options,
    act: super::Act,
}

const fn verb(name: &'static str, options: Options, act: super::Act) -> Verb {
    Verb { name, options, act }
}

const VERBS: &[Verb] = &[
    verb("push", push::OPTIONS, push::push),
    verb("reset", Options::new("", &["pathspec-from-file"]), reset),
    verb("clean", Options::new("e", &["exclude"]), clean),
    verb("checkout", Options::new("bB", &["orphan", "conflict", "pathspec-from-file"]), discard::checkout),
    verb("switch", Options::new("cC", &["create", "force-create", "orphan", "conflict"]), discard::switch),
    verb("restore", Options::new("s", &["source", "conflict", "pathspec-from-file"]), discard::restore),
    verb("stash", Options::leading("", &[]), discard::stash),
    verb("branch", Options::new("u", &["set-upstream-to", "sort", "format", "contains", "points-at"]), branch),
    verb("tag", Options::new("mFun", &["message", "file", "local-user", "sort", "format"]), tag),
    verb("rm", Options::new("", &["pathspec-from-file"]), rm),
    verb("mv", Options::NONE, mv),
    verb("worktree", Options::leading("", &[]), worktree),
    verb("clone", CLONE, clone),
    verb("init", Options::new("b", &["template", "separate-git-dir", "object-format", "initial-branch"]), init),
    verb("config", Options::new("f", &["file", "blob", "type", "default"]), config),
    verb("remote", Options::leading("", &[]), remote),
    verb("update-ref", Options::new("m", &[]), update_ref),
    verb("reflog", Options::leading("", &[]), reflog),
    verb("gc", Options::NONE, gc),
    verb("prune", Options::new("", &["expire"]), gc),
    verb("filter-branch", Options::NONE, rewrite),
    verb("filter-repo", Options::NONE, rewrite),
    verb("apply", Options::new("pC", &["exclude", "include", "directory"]), apply),
    verb("am", Options::new("p", &["directory"]), apply),
    verb("archive", Options::new("o", &["output", "format", "prefix", "remote"]), writes_output),
    verb("format-patch", Options::new("onv", &["output-directory"]), writes_output),
    verb("diff", Options::new("OSGUl", &["output"]), writes_output),
    verb("log", Options::new("nOSGULl", &["output", "grep", "author", "since", "until", "format"]), writes_output),
    verb("show", Options::new("OSGUl", &["output"]), show),
    verb("bundle", Options::NONE, bundle),
    verb("merge", Options::new("msXF", &["strategy", "strategy-option", "message"]), joins),
    verb("rebase", Options::new("sXxC", &["onto", "strategy", "exec"]), joins),
    verb("cherry-pick", Options::new("msX", &["mainline", "strategy"]), joins),
    verb("revert", Options::new("msX", &["mainline", "strategy"]), joins),
    verb("pull", Options::new("sXj", &["strategy", "strategy-option", "depth"]), joins),
    verb("cat-file", Options::NONE, revision_file),
    verb("commit", Options::new("mFCct", &["message", "file", "author", "date", "template"]), commit),
];

const CLONE: Options = Options::new(
    "obucj",
    &["origin", "branch", "upload-pack", "config", "depth", "template", "reference", "separate-git-dir", "filter"],
);

fn git<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("C", "").for_each(|folder| run.enter(&folder));
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let name = first.text.to_ascii_lowercase();
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else { return };
    let parsed = run.parse(words, verb.options);
    (verb.act)(run, &parsed);
}

fn reset<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.has("", "hard") {
        if parsed.has("", "merge") {
            run.emit(Draft::notable("vcs", "git.reset.merge").target(parsed.text(0)));
        }
        return;
    }
    let to = parsed.operands.first().filter(|_| parsed.before_dashes != Some(0));
    let known = to.is_none_or(|to| !to.dynamic);
    let to = to.map_or("", |to| to.text.as_ref());
    run.emit(Draft::destructive("vcs", "git.reset.hard").target(to).certain(known));
}

fn clean<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") {
        return;
    }
    let draft = Draft::destructive("vcs", "git.clean")
        .flag("directories", parsed.has("d", ""))
        .flag("ignored", parsed.has("xX", ""))
        .flag("force", parsed.has("f", "force"))
        .flag("interactive", parsed.has("i", "interactive"));
    run.emit(draft.target(parsed.text(0)));
}

fn branch<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let force = parsed.has("D", "") || parsed.has("f", "force");
    if !parsed.has("dD", "delete") {
        return;
    }
    for branch in &parsed.operands {
        let draft = Draft::notable("vcs", "git.branch.delete").severe(Severity::Destructive, force);
        run.emit(draft.target(&branch.text).certain(!branch.dynamic).flag("force", force));
    }
}

fn tag<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.has("d", "delete") {
        return;
    }
    for tag in &parsed.operands {
        run.emit(Draft::notable("vcs", "git.tag.delete").target(&tag.text).certain(!tag.dynamic));
    }
}

/// What git holds can be had back from it, so a tree that it removes is not lost as with `rm -r`.
fn rm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("n", "dry-run") || parsed.has("", "cached") {
        return;
    }
    let force = parsed.has("f", "force");
    for operand in &parsed.operands {
        let draft = Draft::notable("delete", "fs.delete").flag("force", force).flag("glob", operand.word.glob);
        run.emit_on(draft.flag("recursive", parsed.has("r", "")).tag("by", "git"), operand);
    }
}

fn mv<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((target, sources)) = parsed.operands.split_last() else { return };
    sources.iter().for_each(|source| run.delete(source, false));
    run.write(target);
    if sources.len() > 1 || target.text.ends_with('/') {
        sources.iter().for_each(|source| run.write(&target.joined(source)));
    }
}

fn worktree<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let parsed = run.parse(words, Options::new("bB", &["reason"]));
    match first.text.as_ref() {
        "remove" => {
            let force = parsed.has("f", "force");
            for folder in &parsed.operands {
                let draft = Draft::notable("vcs", "git.worktree.remove").severe(Severity::Destructive, force);
                run.emit_on(draft.flag("force", force), folder);
            }
        }
        "add" => parsed.operands.iter().take(1).for_each(|folder| run.write(folder)),
        _ => {}
    }
}

fn clone<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(url) = parsed.operands.first() else { return };
    run.emit(Draft::routine("network", "network.request").target(&url.text).certain(!url.dynamic));
    if let Some(folder) = parsed.operands.get(1) {
        run.write(folder);
        return;
    }
    let name = url.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
    let name = name.strip_suffix(".git").unwrap_or(name).to_owned();
    run.write(&url.renamed(name));
}

fn init<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.operands.first() {
        Some(folder) if parsed.has("", "bare") => run.write(folder),
        Some(folder) => {
            let inside = format!("{}/.git", folder.text.trim_end_matches('/'));
            run.write(&folder.renamed(inside));
        }
        None => {
            let here = crate::effects::run::here();
            run.write(&Operand::of(&here).renamed(".git".to_owned()));
        }
    }
}

fn config<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let reads = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool"];
    if reads.iter().any(|name| parsed.is("", name)) || parsed.is("l", "list") {
        return;
    }
    let verb = matches!(parsed.text(0), "set" | "unset" | "rename-section" | "remove-section");
    let edits = parsed.is("e", "edit") || parsed.has("", "unset") || parsed.has("", "unset-all");
    let key = parsed.text(usize::from(verb));
    if matches!(parsed.text(0), "get" | "list") || !(verb || edits || parsed.operands.len() > 1) {
        return;
    }
    let scope =
        ["global", "system", "local", "worktree"].into_iter().find(|name| parsed.is("", name)).unwrap_or("local");
    run.emit(Draft::notable("vcs", "git.config").target(key).tag("scope", scope));
    parsed.values("f", "file").for_each(|file| run.write(&file));
}

fn remote<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if matches!(parsed.text(0), "add" | "remove" | "rm" | "set-url" | "rename" | "prune") {
        run.emit(Draft::notable("vcs", "git.remote").target(parsed.text(1)).tag("verb", parsed.text(0)));
    }
}

fn update_ref<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("d", "delete") {
        run.emit(Draft::destructive("vcs", "git.ref.delete").target(parsed.text(0)));
    }
}

fn reflog<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if matches!(parsed.text(0), "expire" | "delete") {
        run.emit(Draft::destructive("vcs", "git.reflog.expire"));
    }
}

fn gc<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let now = parsed.values("", "prune").chain(parsed.values("", "expire")).any(|when| when.text != "never");
    if now {
        run.emit(Draft::destructive("vcs", "git.objects.prune"));
    }
}

fn rewrite<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    run.emit(Draft::destructive("vcs", "git.history.rewrite"));
}

fn apply<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("", "check") || parsed.is("", "stat") || parsed.is("", "numstat") || parsed.is("", "summary") {
        return;
    }
    parsed.operands.iter().for_each(|patch| run.read(patch));
    run.write_here("patch");
}

fn writes_output<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("o", "output").for_each(|file| run.write(&file));
    if parsed.is("", "no-index") {
        parsed.operands.iter().for_each(|file| run.read(file));
    }
}

/// Subcommands that move the branch or leave conflicts behind; what git holds stays.
fn joins<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let words: &'a [guard_sdk::syntax::Word] = run.arguments();
    let names = ["merge", "rebase", "cherry-pick", "revert", "pull"];
    let verb = words.iter().find_map(|word| names.into_iter().find(|name| word.text.eq_ignore_ascii_case(name)));
    let operation = match verb {
        Some("merge") => "git.merge",
        Some("rebase") => "git.rebase",
        Some("cherry-pick") => "git.cherry-pick",
        Some("revert") => "git.revert",
        _ => "git.pull",
    };
    let known = parsed.operands.first().is_none_or(|operand| !operand.dynamic);
    run.emit(Draft::notable("vcs", operation).target(parsed.text(0)).certain(known));
    if parsed.is("x", "exec") {
        run.reason("a command that git starts is not followed");
    }
}

/// `REVISION:PATH` shows a file as a revision holds it.
fn revision_file<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for operand in &parsed.operands {
        let file = operand.text.split_once(':').filter(|(revision, file)| !revision.contains('/') && !file.is_empty());
        if let Some((_, file)) = file {
            let draft = Draft::routine("read", "fs.read").flag("revision", true);
            run.read_as(&operand.renamed(file.to_owned()), draft);
        }
    }
}

fn show<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    writes_output(run, parsed);
    revision_file(run, parsed);
}

fn bundle<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.text(0) == "create" {
        parsed.from(1).iter().take(1).for_each(|file| run.write(file));
    }
}

fn commit<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("F", "file").for_each(|file| run.read(&file));
}

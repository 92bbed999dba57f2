//! git: the losses, publications and writes of its subcommands.
//!
//! Aliases in the user's configuration are unknown here. Aliases that the command line defines are already replaced.

mod discard;
mod looks;
mod operands;
mod push;
mod refs;
mod relatives;
mod restores;

use guard_sdk::syntax::Severity;

use super::program::Program;
use super::trees;
use guard_sdk::syntax::Command;

use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;
use crate::sources;
use crate::wrappers::git_settings;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["git"], GLOBAL, git),
    Program::new(&["git-filter-repo", "git-filter-branch", "bfg"], Options::NONE, refs::rewrite),
    Program::new(relatives::NAMES, relatives::GLOBAL, relatives::act),
];

const GLOBAL: Options =
    Options::leading("Cc", "git-dir work-tree namespace super-prefix config-env attr-source list-cmds");

struct Verb {
    name: &'static str,
    options: Options,
    act: super::program::EffectFn,
}

const fn verb(name: &'static str, options: Options, act: super::program::EffectFn) -> Verb {
    Verb { name, options, act }
}

const VERBS: &[Verb] = &[
    verb("push", push::OPTIONS, push::push),
    verb("reset", Options::new("", "pathspec-from-file"), reset),
    verb("clean", Options::new("e", "exclude"), clean),
    verb("checkout", Options::new("bB", "orphan conflict pathspec-from-file"), discard::checkout),
    verb("switch", Options::new("cC", "create orphan conflict"), discard::switch),
    verb("restore", Options::new("s", "source conflict pathspec-from-file"), discard::restore),
    verb("stash", Options::leading("m", "message pathspec-from-file"), discard::stash),
    verb("branch", Options::new("u", "set-upstream-to sort format contains points-at"), refs::branch),
    verb("tag", Options::new("mFun", "message file local-user sort format"), refs::tag),
    verb("rm", Options::new("", "pathspec-from-file"), rm),
    verb("mv", Options::NONE, mv),
    verb("update-index", Options::new("", "cacheinfo chmod index-version"), update_index),
    verb("worktree", Options::leading("", ""), worktree),
    verb("clone", git_settings::CLONE, clone),
    verb("init", Options::new("b", "template separate-git-dir object-format initial-branch"), init),
    verb("config", git_settings::CONFIG, config),
    verb("remote", Options::leading("", ""), refs::remote),
    verb("update-ref", Options::new("m", ""), refs::update_ref),
    verb("reflog", Options::leading("", ""), refs::reflog),
    verb("gc", Options::NONE, refs::gc),
    verb("prune", Options::new("", "expire"), refs::gc),
    verb("filter-branch", Options::NONE, refs::rewrite),
    verb("filter-repo", Options::NONE, refs::rewrite),
    verb("apply", Options::new("pC", "exclude include directory"), apply),
    verb("am", Options::new("p", "directory"), apply),
    verb("archive", Options::new("o", "output format prefix remote exec"), looks::archive),
    verb("format-patch", Options::new("onv", "output-directory output"), looks::format_patch),
    verb("fast-export", Options::new("", "export-marks import-marks"), looks::fast_export),
    verb("diff", Options::new("OSGUl", "output"), looks::diff),
    verb("log", Options::new("nOSGULl", "output grep author since until format"), looks::log),
    verb("show", Options::new("OSGUl", "output"), looks::show),
    verb("diff-files", Options::new("OSGUl", "output"), looks::diff),
    verb("diff-index", Options::new("OSGUl", "output"), looks::diff),
    verb("diff-tree", Options::new("OSGUl", "output"), looks::diff),
    verb("range-diff", Options::new("OSGUl", "output creation-factor"), looks::diff),
    verb("rev-list", Options::new("nOSGUl", "output grep author since until format"), looks::log),
    verb("shortlog", Options::new("nOSGUl", "output grep author since until format group"), looks::log),
    verb("whatchanged", Options::new("nOSGUl", "output grep author since until format"), looks::log),
    verb("bundle", Options::NONE, looks::bundle),
    verb("merge", Options::new("msXF", "strategy strategy-option message file"), joins),
    verb("rebase", Options::new("sXxC", "onto strategy exec"), joins),
    verb("cherry-pick", Options::new("msX", "mainline strategy"), joins),
    verb("revert", Options::new("msX", "mainline strategy"), joins),
    verb("pull", Options::new("sXj", "strategy strategy-option depth"), pulls),
    verb("cat-file", Options::NONE, looks::revision_file),
    verb("add", Options::new("", "pathspec-from-file chmod"), looks::add),
    verb("grep", Options::new("efABCm", "max-depth threads").with_attached("O"), looks::grep),
    verb("blame", Options::new("LSCM", "contents ignore-rev ignore-revs-file"), looks::blame),
    verb("annotate", Options::new("LS", ""), looks::blame),
    verb("hash-object", Options::new("t", "path"), looks::hash_object),
    verb("send-pack", push::OPTIONS, push::push),
    verb("http-push", push::OPTIONS, push::push),
    verb("send-email", Options::new("", "to cc bcc from subject compose-encoding identity smtp-server in-reply-to"), push::mails),
    verb("fast-import", Options::new("", "export-marks import-marks"), refs::fast_import),
    verb("fetch", Options::new("joS", "depth upload-pack refmap"), refs::fetch),
    verb("symbolic-ref", Options::new("m", ""), refs::symbolic_ref),
    verb("replace", Options::NONE, refs::replace),
    verb("notes", Options::new("mFCc", "ref"), refs::notes),
    verb("checkout-index", Options::new("", "prefix stage"), discard::checkout_index),
    verb("read-tree", Options::new("", "prefix index-output"), discard::read_tree),
    verb("submodule", Options::leading("", ""), discard::submodule),
    verb("lfs", Options::leading("", ""), lfs),
    verb("annex", Options::leading("", ""), annex),
    verb("svn", Options::leading("", ""), publishes),
    verb("p4", Options::leading("", ""), publishes),
    verb("subtree", Options::leading("P", "prefix"), publishes),
    verb("commit", Options::new("mFCct", "message file author date template reuse-message reedit-message fixup squash trailer cleanup pathspec-from-file").with_attached("uS"), commit),
];

/// Returns whether this subcommand has effects.
pub(super) fn is_verb(name: &str) -> bool {
    VERBS.iter().any(|verb| verb.name == name)
}

fn git<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("C", "").chain(parsed.value("", "work-tree")).for_each(|folder| run.enter(&folder));
    let Some((first, words)) = parsed.rest.split_first().filter(|_| !parsed.is("h", "help")) else { return };
    if words.first().is_some_and(|word| word.text == "--help") || words.len() == 1 && run.command.word(2) == "-h" {
        return;
    }
    let name = first.text.to_ascii_lowercase();
    if !matches!(name.as_str(), "clone" | "config") {
        let given = git_settings::given(run.arguments());
        let more = given.iter().filter(|setting| setting.reads_more() || setting.is_transport());
        more.for_each(|setting| set(run, setting));
    }
    runs_unread(run, parsed);
    restores::find(run, &name, words);
    let Some(verb) = VERBS.iter().find(|verb| verb.name == name) else { return };
    let parsed = run.parse(words, verb.options);
    // With a help option anywhere, git's own commands only print their usage.
    let is_own = !matches!(verb.name, "filter-branch" | "filter-repo" | "p4" | "svn");
    let is_last = |option: &str| words.len() == 2 && words.last().is_some_and(|word| word.text == option);
    if !is_own || !parsed.is("", "help") && !is_last("--help") && !is_last("-h") {
        (verb.act)(run, &parsed);
    }
}

/// Records a reason if git runs programs or hooks from a folder that everyone can write to.
fn runs_unread(run: &mut Run<'_>, parsed: &Parsed<'_>) {
    let settings = git_settings::given(run.arguments());
    let own = settings.iter().filter(|setting| !setting.stays && setting.decides_what_runs());
    let texts = own.map(|setting| setting.value.text.clone());
    let folder = parsed.value("", "exec-path").map(|folder| format!("{}/", folder.text));
    let start = run.cwd().to_owned();
    let mut texts = texts.chain(folder);
    let found = texts.find_map(|text| sources::unread_program(&text, &start).map(str::to_owned));
    if let Some(path) = found {
        run.reason(&format!("git runs programs of a folder that everybody may write to: {path}"));
    }
}

fn lfs<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let dry = parsed.rest.iter().any(|word| matches!(word.text.as_str(), "-d" | "-n" | "--dry-run"));
    match parsed.text(0) {
        "prune" if !dry => run.emit(Draft::destructive("vcs", "git.objects.prune")),
        "migrate" if matches!(parsed.text(1), "import" | "export") => {
            run.emit(Draft::destructive("vcs", "git.history.rewrite"));
        }
        _ => {}
    }
}

fn annex<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let forced = parsed.rest.iter().any(|word| word.text == "--force");
    if forced && matches!(parsed.text(0), "drop" | "dropunused" | "dropkey" | "uninit") {
        run.emit(Draft::destructive("vcs", "git.objects.prune").target(parsed.text(1)));
    }
}

/// Adds the effects of bridges to other systems, and of subtrees that have a repository of their own.
fn publishes<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let prefix = run.parse(run.arguments(), Options::new("P", "prefix")).value("P", "prefix");
    if let Some(prefix) = prefix.filter(|_| matches!(parsed.text(0), "add" | "merge" | "pull")) {
        run.write_tree(&prefix);
    }
    let is_dry = || run.parse(run.arguments(), Options::new("", "")).on("n", "dry-run", false);
    if matches!(parsed.text(0), "dcommit" | "submit" | "push") && !is_dry() {
        run.emit(Draft::notable("vcs", "git.push").tag("by", parsed.text(0)));
    }
}

fn reset<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.has("", "hard") {
        // `--keep` keeps changed files, but the branch also loses its commits.
        if parsed.has("", "merge") || parsed.is("", "keep") && !parsed.operands.is_empty() {
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
    if parsed.on("n", "dry-run", false) {
        return;
    }
    let draft = Draft::destructive("vcs", "git.clean")
        .flag("directories", parsed.has("d", ""))
        .flag("ignored", parsed.has("xX", ""))
        .flag("force", parsed.has("f", "force"))
        .flag("interactive", parsed.has("i", "interactive"));
    match parsed.operands.as_slice() {
        // A path in a pattern's syntax begins with a colon.
        [path] if !path.text.starts_with(':') && !path.word.glob => run.emit_on(draft, path),
        _ => run.emit(draft.target(parsed.text(0))),
    }
}

/// Adds the effects of `git rm`. Files in git can be restored from it, so a tree that it removes isn't lost as with `rm
/// -r`.
fn rm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.on("n", "dry-run", false) {
        return;
    }
    if parsed.has("", "cached") {
        // Without `--force`, git refuses if the index has content that is in neither the file nor the last commit.
        if parsed.has("f", "force") {
            run.emit(Draft::destructive("vcs", "git.discard").target(parsed.text(0)).flag("force", true));
        }
        let draft = Draft::notable("vcs", "git.index").flag("hides", true);
        return parsed.operands.iter().for_each(|file| run.emit_on(draft.clone(), file));
    }
    let force = parsed.has("f", "force");
    let recursive = parsed.has("r", "");
    for operand in &parsed.operands {
        let draft = Draft::notable("delete", "fs.delete").flag("force", force).flag("glob", operand.word.glob);
        // It only deletes uncommitted content with `--force`.
        let draft = draft.severe(Severity::Destructive, force && recursive);
        run.emit_on(draft.flag("recursive", recursive).tag("by", "git"), operand);
    }
}

/// Adds an effect for each file whose content or mode in the next commit differs from the work tree.
fn update_index<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let hides = ["force-remove", "remove", "assume-unchanged", "skip-worktree"].iter().any(|name| parsed.is("", name));
    let changes = hides || ["chmod", "add"].iter().any(|name| parsed.is("", name));
    let files = parsed.operands.iter().filter(|_| changes).cloned();
    // `--cacheinfo MODE,OBJECT,FILE`
    let given = parsed.values("", "cacheinfo").filter_map(|value| {
        let file = value.text.splitn(3, ',').nth(2)?.to_owned();
        Some(value.renamed(file))
    });
    let files: Vec<Operand<'a>> = files.chain(given).collect();
    let draft = Draft::notable("vcs", "git.index").flag("hides", hides);
    files.iter().for_each(|file| run.emit_on(draft.clone(), file));
}

fn mv<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((target, sources)) = parsed.operands.split_last() else { return };
    let moved = |draft: Draft| draft.tag("by", "git").flag("tracked", true);
    let written = || moved(Draft::notable("write", "fs.write"));
    sources.iter().for_each(|source| run.emit_on(moved(Draft::notable("delete", "fs.delete")), source));
    run.write_as(target, written());
    let sure = sources.len() > 1 || target.text.ends_with('/');
    for source in sources {
        let draft = if sure { written() } else { written().tag("into", &target.text) };
        run.write_as(&target.joined(source), draft);
    }
}

fn worktree<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some((first, words)) = parsed.rest.split_first() else { return };
    let parsed = run.parse(words, Options::new("bB", "reason"));
    match first.text.as_ref() {
        "remove" => {
            let force = parsed.has("f", "force");
            for folder in &parsed.operands {
                let draft = Draft::notable("vcs", "git.worktree.remove").severe(Severity::Destructive, force);
                run.emit_on(draft.flag("force", force), folder);
            }
        }
        "add" => {
            parsed.operands.iter().take(1).for_each(|folder| run.write_tree(folder));
            parsed.values("B", "").for_each(|branch| refs::moved(run, &branch));
        }
        _ => {}
    }
}

/// Adds the effect of a setting that determines what git runs.
fn set(run: &mut Run<'_>, setting: &git_settings::Setting) {
    let draft = Draft::notable("vcs", "git.config").target(&setting.name).tag("scope", "local");
    run.emit(draft.tag("runs", &setting.value.text));
}

fn clone<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let Some(url) = parsed.operands.first() else { return };
    run.emit(Draft::routine("network", "network.request").target(&url.text).certain(!url.dynamic));
    for setting in git_settings::given(run.arguments()).iter().filter(|setting| setting.decides_what_runs()) {
        set(run, setting);
    }
    if let Some(folder) = parsed.operands.get(1) {
        run.write_tree(folder);
        return;
    }
    run.write_tree(&trees::folder_of(url));
}

fn init<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    git_settings::given(run.arguments())
        .iter()
        .filter(|setting| setting.decides_what_runs())
        .for_each(|setting| set(run, setting));
    match parsed.operands.first() {
        Some(folder) if parsed.has("", "bare") => run.write(folder),
        Some(folder) => {
            let inside = format!("{}/.git", folder.text.trim_end_matches('/'));
            make(run, &folder.renamed(inside));
        }
        None => {
            let here = crate::run::here();
            make(run, &Operand::of(&here).renamed(".git".to_owned()));
        }
    }
}

fn make(run: &mut Run<'_>, folder: &Operand<'_>) {
    run.write_as(folder, Draft::notable("write", "fs.write").flag("directory", true).tag("by", "git"));
}

fn config<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let reads = ["get", "get-all", "get-regexp", "get-urlmatch", "list", "get-color", "get-colorbool"];
    if reads.iter().any(|name| parsed.is("", name)) || parsed.is("l", "list") {
        parsed.values("f", "file").for_each(|file| run.read(&file));
        parsed.values("", "blob").for_each(|blob| looks::revision(run, &blob));
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
    let draft = Draft::notable("vcs", "git.config").target(key).tag("scope", scope);
    let setting = git_settings::given(run.arguments()).into_iter().find(git_settings::Setting::decides_what_runs);
    run.emit(match setting {
        Some(setting) => draft.tag("runs", &setting.value.text),
        None => draft,
    });
    parsed.values("f", "file").for_each(|file| run.write(&file));
}

fn apply<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("", "check") || parsed.is("", "stat") || parsed.is("", "numstat") || parsed.is("", "summary") {
        return;
    }
    if let Some(draft) = gives_up(parsed) {
        run.emit(draft.target("am"));
        return;
    }
    parsed.operands.iter().for_each(|patch| run.read(patch));
    // Only the index changes.
    if parsed.is("", "cached") {
        return;
    }
    if parsed.is("R", "reverse") {
        super::text::undone(run);
    }
    // Then a patch can name files outside the repository.
    if parsed.is("", "unsafe-paths")
        && let Some(folder) = parsed.value("", "directory")
    {
        run.write_as(&folder, Draft::notable("write", "fs.write").tag("by", "git").flag("patch", true));
    }
    let level = parsed.value("p", "").and_then(|level| level.text.parse().ok()).unwrap_or(1);
    super::text::write_patched(run, &parsed.operands, level, parsed.value("", "directory").as_ref());
}

/// Drafts the loss when an interrupted operation is abandoned. Aborting restores the previous state, in which
/// everything was committed or is kept. Skipping omits a commit.
fn gives_up(parsed: &Parsed<'_>) -> Option<Draft> {
    let skips = parsed.has("", "skip");
    (skips || parsed.is("", "abort")).then(|| Draft::notable("vcs", "git.abort").severe(Severity::Destructive, skips))
}

/// Adds the effects of `git pull`: the fetch with its refspecs, then the merge.
fn pulls<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    refs::fetch(run, parsed);
    joins(run, parsed);
}

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
    if let Some(draft) = gives_up(parsed) {
        run.emit(draft.target(operation.trim_start_matches("git.")));
        return;
    }
    let known = parsed.operands.first().is_none_or(|operand| !operand.dynamic);
    run.emit(Draft::notable("vcs", operation).target(parsed.text(0)).certain(known));
    if operation == "git.rebase" && parsed.is("x", "exec") {
        run.not_followed("a command that git starts is not followed");
    }
}

fn commit<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("Ft", "file").chain(parsed.values("", "template")).for_each(|file| run.read(&file));
    if !parsed.on("", "dry-run", false) {
        if let Some(check) = skipped(run.command) {
            run.emit(Draft::destructive("vcs", "git.hooks.remove").target(check).tag("loses", SKIPPED));
        }
        // Named files are committed with their current content, even if they weren't added.
        for file in &parsed.operands {
            run.read_as(file, Draft::routine("read", "fs.read").flag("kept", true));
        }
    }
}

/// Hooks that scan for secrets, by parts of their names.
const SCANNERS: &[&str] = &[
    "gitleaks",
    "detect-secrets",
    "detect-private-key",
    "detect-aws-credentials",
    "trufflehog",
    "ggshield",
    "talisman",
];

const SKIPPED: &str = "the search for secrets in this commit";

/// Returns the secret scanner that an environment variable makes the hook tools skip.
fn skipped(command: &Command) -> Option<&'static str> {
    let set = command.assignments.iter().find(|set| matches!(set.name.as_str(), "SKIP" | "LEFTHOOK_EXCLUDE"))?;
    SCANNERS.iter().copied().find(|scanner| set.value.text.contains(scanner))
}

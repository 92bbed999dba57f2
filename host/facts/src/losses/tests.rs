//! Which effects lose something, and which losses a copy restores.

mod git;
mod unseen;

use super::*;
use crate::analysis::empty;
use guard_contract::syntax::{Position, Span, Via, Word};
use guard_contract::unresolved;

fn effect(kind: &str, operation: &str, target: &str) -> Effect {
    Effect {
        kind: kind.to_owned(),
        operation: operation.to_owned(),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(target),
        command_id: 0,
        certain: true,
        tags: Vec::new(),
    }
}

/// The tag of one effect alone.
fn recovery_of(effect: Effect) -> Option<String> {
    let mut analysis = Analysis { effects: vec![effect], ..empty(Coverage::Complete, None) };
    mark(&mut analysis);
    analysis.effects.first().and_then(|effect| tag(effect, RECOVERY)).map(str::to_owned)
}

fn deletion(path: &str) -> Effect {
    let mut effect = effect("delete", "fs.delete.recursive", path);
    path.clone_into(&mut effect.path.lexical);
    effect.path.exists = Presence::Yes;
    effect
}

#[test]
fn files_are_recoverable_and_what_no_copy_holds_is_not() {
    let recovery = |effect: Effect| recovery_of(effect).unwrap_or_default();
    assert_eq!(recovery(deletion("/repo/build")), "recoverable");
    assert_eq!(recovery(Effect { certain: false, ..deletion("/repo/build") }), "partly");
    for effect in [
        effect("cloud", "aws.s3.delete", "s3://bucket"),
        effect("database", "sql.drop-table", "users"),
        Effect { tags: vec![("where".to_owned(), "ssh".to_owned())], ..deletion("/srv/data") },
        Effect { certain: false, ..deletion("/repo/$X") },
        Effect { severity: Severity::Notable, ..effect("vcs", "git.push", "main") },
    ] {
        let shown = effect.operation.clone();
        assert_eq!(recovery(effect), "not", "{shown}");
    }
}

/// An effect of the first command, with these tags.
fn tagged(effect: Effect, tags: &[(&str, &str)]) -> Effect {
    let tags = tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Effect { tags, ..effect }
}

#[test]
fn everything_of_one_name_is_a_loss_that_is_known() {
    let every = |start: &str, name: &str| {
        let tags = [("by", "rm"), ("below", start), ("every", name), ("glob", "yes")];
        Effect { certain: false, ..tagged(effect("delete", "fs.delete.recursive", "{}"), &tags) }
    };
    assert_eq!(recovery_of(every("/repo/.", "*.o")).as_deref(), Some("recoverable"));
    for effect in [every("/repo/*/out", "*.o"), every("/repo/$X", "*.o"), every("/repo", "$NAME")] {
        assert_eq!(recovery_of(effect.clone()).as_deref(), Some("not"), "{effect:?}");
    }
    let analysis = Analysis { effects: vec![every("/repo/.", "*.o")], ..empty(Coverage::Complete, None) };
    let path = PathLoss { path: "/repo".to_owned(), how: How::Delete, is_pattern: false, name: "*.o".to_owned() };
    assert_eq!(losses(&analysis), Losses { list: vec![Loss::Path(path)], may_be_more: false });
}

#[test]
fn of_many_files_that_get_one_name_all_are_lost_where_they_were() {
    let end = effect("delete", MANY_TO_ONE, "/repo/out");
    let moved = tagged(deletion("/repo/src"), &[("by", "mv"), ("glob", "yes")]);
    let of = |effects: &[Effect]| {
        let mut analysis = Analysis { effects: effects.to_vec(), ..empty(Coverage::Complete, None) };
        mark(&mut analysis);
        let tag = |effect: &Effect| tag(effect, RECOVERY).unwrap_or_default().to_owned();
        (analysis.effects.iter().map(tag).collect::<Vec<_>>(), losses(&analysis))
    };
    let (tags, found) = of(&[moved.clone(), end.clone()]);
    assert_eq!((tags, found.list.len(), found.may_be_more), (vec!["recoverable".to_owned(); 2], 1, false));
    // Without the one name, they are only elsewhere.
    let written = Effect { severity: Severity::Notable, ..effect("write", "fs.write", "/repo/out") };
    let (_, found) = of(&[moved.clone(), written]);
    assert_eq!(found, Losses::default());
    // Without a known target, they may be gone.
    let temporary = effect("write", "fs.write", "/tmp/tmp.XXXXXXXXXX/src");
    for others in [&[][..], &[temporary]] {
        let (_, found) = of(&[std::slice::from_ref(&moved), others].concat());
        assert_eq!((found.list.len(), found.may_be_more), (1, false), "{found:?}");
    }
    // Of files that nothing tells of, no copy can be made.
    let (tags, _) = of(std::slice::from_ref(&end));
    assert_eq!(tags, ["not"]);
    let unknown = Effect { certain: false, ..tagged(deletion("$F"), &[("by", "mv")]) };
    assert_eq!(of(&[unknown, end]).0, ["not", "not"]);
}

#[test]
fn files_that_get_into_a_folder_by_a_pattern_replace_those_that_fit_it() {
    let mut write = Effect { severity: Severity::Notable, certain: false, ..effect("write", "fs.write", "out/*.c") };
    write.tags = vec![("by".to_owned(), "mv".to_owned()), ("tree".to_owned(), "yes".to_owned())];
    "/repo/out/*.c".clone_into(&mut write.path.lexical);
    assert_eq!(recovery_of(write.clone()).as_deref(), Some("recoverable"));
    "/repo/$D/*.c".clone_into(&mut write.path.lexical);
    assert_eq!(recovery_of(write).as_deref(), Some("not"));
}

#[test]
fn rights_and_modes_are_no_losses() {
    let notable = |kind, operation| Effect { severity: Severity::Notable, ..effect(kind, operation, "root") };
    for effect in [notable("privilege", "privilege.raise"), notable("metadata", "fs.mode")] {
        assert_eq!(recovery_of(effect), None);
    }
}

#[test]
fn what_loses_nothing_has_no_tag() {
    let mut gone = deletion("/repo/build");
    gone.path.exists = Presence::No;
    let scratch = Effect { tags: vec![("disposable".to_owned(), "scratch".to_owned())], ..deletion("/tmp/x") };
    let read = Effect { severity: Severity::Routine, ..effect("read", "fs.read", "/repo/a") };
    for effect in [gone, scratch, read] {
        assert_eq!(recovery_of(effect.clone()), None, "{effect:?}");
    }
}

#[test]
fn many_effects_cost_no_more_than_their_number() {
    let moved = Effect { tags: vec![("by".to_owned(), "mv".to_owned())], ..deletion("/repo/a") };
    let mut analysis = Analysis { effects: vec![moved; 20_000], ..empty(Coverage::Complete, None) };
    let begun = std::time::Instant::now();
    mark(&mut analysis);
    assert!(begun.elapsed() < std::time::Duration::from_secs(2));
}

/// A command of this id with these words.
fn command(id: u32, words: &str) -> Command {
    let word = |text: &str| {
        let (text, dynamic, quoted, glob) = (text.to_owned(), false, false, false);
        Word { text, dynamic, quoted, glob, parts: Vec::new() }
    };
    let (pipeline, index, length, background) = (id, 0, 1, false);
    let position = Position { pipeline, index, length, operator: String::new(), background, within: Vec::new() };
    Command {
        id,
        parent: 0,
        argv: words.split(' ').map(word).collect(),
        assignments: Vec::new(),
        redirections: Vec::new(),
        position,
        via: Vec::new(),
        span: Span { start: 0, end: 0 },
        cwd: "/repo".to_owned(),
        certain: true,
    }
}

/// The tag of the last effect of these commands, and whether the call may lose more than its list has.
fn last_of(commands: &[Command], effects: &[Effect]) -> (String, Losses) {
    let mut analysis =
        Analysis { effects: effects.to_vec(), commands: commands.to_vec(), ..empty(Coverage::Complete, None) };
    let found = losses(&analysis);
    mark(&mut analysis);
    let tag = analysis.effects.last().and_then(|effect| tag(effect, RECOVERY)).unwrap_or_default().to_owned();
    (tag, found)
}

fn by(id: u32, effect: Effect) -> Effect {
    Effect { command_id: id, ..effect }
}

#[test]
fn a_link_that_the_call_makes_can_lead_to_what_is_lost() {
    let link = by(1, tagged(effect("write", "fs.write", "/repo/q"), &[("link-to", "src")]));
    let mut link = Effect { severity: Severity::Notable, ..link };
    "/repo/q".clone_into(&mut link.path.lexical);
    link.path.exists = Presence::No;
    let mut lost = by(2, deletion("/repo/q/deep"));
    lost.path.exists = Presence::No;
    let commands = [command(1, "python3 t.py"), command(2, "rm -rf q/deep")];
    assert!(last_of(&commands, &[link, lost]).1.may_be_more);
    // `mv -T` replaces a link to a folder.
    let [moved, mut written] = moving("/repo/l", "/repo/k");
    written.path.exists = Presence::Yes;
    "dir".clone_into(&mut written.path.kind);
    let lost = by(2, tagged(deletion("/repo/k/*"), &[("glob", "yes")]));
    for (words, expected) in [("mv -T l k", true), ("mv --no-target-directory l k", true), ("mv l k", false)] {
        let commands = [command(1, words), command(2, "rm -rf k/*")];
        let found = last_of(&commands, &[moved.clone(), written.clone(), lost.clone()]).1;
        assert_eq!(found.may_be_more, expected, "{words}");
    }
}

#[test]
fn a_script_that_may_link_can_lose_other_files() {
    let more = |language: &str, text: &str| {
        let script = guard_contract::syntax::Script {
            language: language.to_owned(),
            text: text.to_owned(),
            command_id: 1,
            certain: true,
        };
        let commands = vec![command(1, "perl -e x"), command(2, "rm -rf q/x")];
        let effects = vec![by(2, deletion("/repo/q/x"))];
        let analysis = Analysis { effects, commands, scripts: vec![script], ..empty(Coverage::Complete, None) };
        losses(&analysis).may_be_more
    };
    for (language, text) in [
        ("perl", "symlink q(src),q(q)"),
        ("perl", "link 'a','q'"),
        ("ruby", "File.symlink('src','q')"),
        ("ruby", "FileUtils.ln_s('src','q')"),
        ("php", "symlink('src','q');"),
    ] {
        assert!(more(language, text), "{text}");
    }
    for (language, text) in
        [("perl", "unlink q(x)"), ("ruby", "File.unlink('x')"), ("python", "os.symlink('a','b')"), ("sql", "link")]
    {
        assert!(!more(language, text), "{text}");
    }
}

/// The effects of `mv FROM TO` by the first command.
fn moving(from: &str, to: &str) -> [Effect; 2] {
    let mut write = tagged(Effect { severity: Severity::Notable, ..effect("write", "fs.write", to) }, &[("by", "mv")]);
    to.clone_into(&mut write.path.lexical);
    write.path.exists = Presence::No;
    [by(1, tagged(deletion(from), &[("by", "mv")])), by(1, write)]
}

#[test]
fn what_a_call_moves_and_then_loses_is_not_where_a_copy_looks_for_it() {
    let commands = [command(1, "mv a b"), command(2, "rm -rf b")];
    let gone = |path: &str| {
        let mut effect = deletion(path);
        effect.path.exists = Presence::No;
        by(2, effect)
    };
    for (to, lost) in [
        ("/repo/trash", gone("/repo/trash")),
        ("/repo/build/precious", by(2, deletion("/repo/build"))),
        ("/repo/trash", gone("/repo/trash/data")),
        ("/repo/old.bak", by(2, tagged(deletion("/repo/*.bak"), &[("glob", "yes")]))),
        ("/repo/t", by(2, tagged(deletion("/repo/t"), &[("disposable", "made-here")]))),
        ("$D", by(2, deletion("/repo/build"))),
    ] {
        let [moved, written] = moving("/repo/precious", to);
        let (tag, found) = last_of(&commands, &[moved, written, lost.clone()]);
        assert!(tag == "partly" && found.may_be_more, "{to}: {lost:?} {found:?}");
        let has = |path: &str| found.list.iter().any(|loss| matches!(loss, Loss::Path(loss) if loss.path == path));
        assert!(has("/repo/precious"), "{to}: {found:?}");
    }
    let mut renamed = moving("/repo/precious", "/repo/notes")[1].clone();
    "dir".clone_into(&mut renamed.path.kind);
    renamed.tags = vec![("by".to_owned(), "rename".to_owned())];
    assert!(last_of(&commands, &[renamed, gone("/repo/junk")]).1.may_be_more);
    // Other paths, and losses before the move, are not affected.
    let [moved, written] = moving("/repo/precious", "/repo/kept");
    let (tag, found) = last_of(&commands, &[moved.clone(), written.clone(), by(2, deletion("/repo/build"))]);
    assert_eq!((tag.as_str(), found.may_be_more, found.list.len()), ("recoverable", false, 1));
    let commands = [command(1, "rm -rf kept"), command(2, "mv precious kept")];
    let [moved, written] = [by(2, moved), by(2, written)];
    let (_, found) = last_of(&commands, &[by(1, deletion("/repo/kept")), moved, written]);
    assert_eq!((found.may_be_more, found.list.len()), (false, 1));
}

#[test]
fn earlier_git_command_makes_a_git_loss_uncertain() {
    let lost = |operation: &str| by(2, effect("vcs", operation, ""));
    for (first, second, operation) in [
        ("git add -A", "git reset --hard", "git.reset.hard"),
        ("git stash", "git stash drop", "git.stash.drop"),
        ("git reset -q", "git clean -fd", "git.clean"),
        ("git checkout -qb tmp", "git branch -D tmp", "git.branch.delete"),
        ("git config core.excludesFile x", "git clean -fd", "git.clean"),
        ("git fetch", "git reset --hard origin/main", "git.reset.hard"),
        ("export GIT_DIR=../b.git", "git tag -d v1", "git.tag.delete"),
    ] {
        let (tag, found) = last_of(&[command(1, first), command(2, second)], &[lost(operation)]);
        assert!(tag == "partly" && found.may_be_more, "{first} {second}: {tag} {found:?}");
    }
    for (first, second, operation) in [
        ("git status", "git reset --hard", "git.reset.hard"),
        ("git stash list", "git stash drop", "git.stash.drop"),
        ("git log --oneline", "git branch -D tmp", "git.branch.delete"),
        ("GIT_PAGER=cat", "git clean -fd", "git.clean"),
    ] {
        let (tag, found) = last_of(&[command(1, first), command(2, second)], &[lost(operation)]);
        assert!(tag == "recoverable" && !found.may_be_more, "{first} {second}: {tag} {found:?}");
    }
    let mut rules = effect("write", "fs.write", ".gitignore");
    "/repo/.gitignore".clone_into(&mut rules.path.lexical);
    let commands = [command(1, "echo"), command(2, "git clean -fd")];
    assert!(last_of(&commands, &[by(1, rules), lost("git.clean")]).1.may_be_more);
}

#[test]
fn commands_of_git_that_are_not_understood_are_not_followed() {
    let tag_of = |words: &str, operation: &str| {
        let lost = by(1, effect("vcs", operation, "x"));
        last_of(&[command(1, words)], &[lost]).0
    };
    for (words, operation) in [
        ("git --git-dir ../b.git branch -D x", "git.branch.delete"),
        ("git -c core.worktree=/elsewhere reset --hard", "git.reset.hard"),
        ("git --bare tag -d x", "git.tag.delete"),
        ("git submodule update --force --remote", "git.discard"),
        ("git checkout -f --recurse-submodules x", "git.discard"),
    ] {
        assert_eq!(tag_of(words, operation), "not", "{words}");
    }
    assert_eq!(tag_of("git -c color.ui=never --no-pager branch -D x", "git.branch.delete"), "recoverable");
    let mut fed = command(1, "git clean -f {}");
    fed.via = vec![Via { kind: "xargs".to_owned(), detail: String::new() }];
    assert_eq!(last_of(&[fed], &[by(1, effect("vcs", "git.clean", "{}"))]).0, "not");
}

#[test]
fn git_says_which_repositories_and_paths_it_takes() {
    let lost = |words: &str| {
        let (_, found) = last_of(&[command(1, words)], &[by(1, effect("vcs", "git.clean", "d"))]);
        let Some(Loss::Git(loss)) = found.list.into_iter().next() else { panic!("{words}") };
        (loss.is_forced, loss.words.join(" "))
    };
    assert_eq!(lost("git clean -fd d u.txt"), (false, "d u.txt".to_owned()));
    assert_eq!(lost("git clean -fd -e d"), (false, ":/".to_owned()));
    for words in ["git clean -ffd d", "git clean -f -d -f d", "git clean --force -xf -- d"] {
        assert_eq!(lost(words), (true, "d".to_owned()), "{words}");
    }
}

#[test]
fn a_path_with_a_step_to_the_folder_above_is_left_to_the_machine() {
    let mut effect = by(1, deletion("/repo/a.tmp"));
    "l/../a.tmp".clone_into(&mut effect.target);
    effect.path.exists = Presence::No;
    let (_, found) = last_of(&[command(1, "rm -rf l/../a.tmp")], &[effect]);
    let path =
        PathLoss { path: "/repo/l/../a.tmp".to_owned(), how: How::Delete, is_pattern: false, name: String::new() };
    assert_eq!(found.list, [Loss::Path(path)]);
}

#[test]
fn a_search_and_a_slash_take_what_is_behind_a_link() {
    let pattern = |target: &str| {
        let found = last_of(&[], &[tagged(deletion(target), &[("by", "rm"), ("glob", "yes")])]).1.list;
        matches!(found.as_slice(), [Loss::Path(loss)] if loss.is_pattern && loss.path.ends_with('/'))
    };
    assert_eq!(["/repo/c*/", "/repo/c*"].map(pattern), [true, false]);
    let lost = |target: &str, by_tag: &str| {
        let mut effect = tagged(deletion("/repo/lk"), &[("by", by_tag)]);
        target.clone_into(&mut effect.target);
        "link".clone_into(&mut effect.path.kind);
        "/real".clone_into(&mut effect.path.canonical);
        let (_, found) = last_of(&[command(1, "x")], &[by(1, effect)]);
        let Some(Loss::Path(loss)) = found.list.into_iter().next() else { panic!("{target}") };
        loss.path
    };
    assert_eq!(lost("lk", "rm"), "/repo/lk");
    for (target, by) in [("lk/", "rm"), ("lk", "find"), ("lk", "python3")] {
        assert_eq!(lost(target, by), "/repo/lk/", "{target} {by}");
    }
    let commands = [command(1, "find -L s -delete")];
    let effect = by(1, tagged(deletion("/repo/s"), &[("by", "find")]));
    assert_eq!(last_of(&commands, &[effect]).0, "partly");
}

#[test]
fn the_file_of_a_database_is_the_first_word_that_is_no_option() {
    let tag_of = |words: &str| {
        let lost = by(1, tagged(effect("database", "sql.drop-table", "users"), &[("client", "sqlite3")]));
        last_of(&[command(1, words)], &[lost]).0
    };
    assert_eq!(tag_of("sqlite3 app.db DROP"), "recoverable");
    assert_eq!(tag_of("sqlite3 -batch --csv app.db DROP"), "recoverable");
    for words in [
        "sqlite3 app[1].db DROP",
        "sqlite3 -cmd X app.db DROP",
        "sqlite3 -separator , app.db DROP",
        "sqlite3 file:app.db?mode=rw DROP",
        "sqlite3 app.db ATTACH",
        "sqlite3 :memory: .restore",
    ] {
        assert_eq!(tag_of(words), "not", "{words}");
    }
}

#[test]
fn each_file_that_a_pattern_names_is_written() {
    let mut write =
        tagged(Effect { severity: Severity::Notable, ..effect("write", "fs.write", "d/*.log") }, &[("by", "sed")]);
    "/repo/d/*.log".clone_into(&mut write.path.lexical);
    write.path.exists = Presence::No;
    let path =
        PathLoss { path: "/repo/d/*.log".to_owned(), how: How::Overwrite, is_pattern: true, name: String::new() };
    assert_eq!(last_of(&[command(1, "sed -i x d/*.log")], &[by(1, write)]).1.list, [Loss::Path(path)]);
}

#[test]
fn a_list_that_had_names_before_loses_more_than_the_text_tells() {
    let list = |kind: &str, exists: Presence, tags: &[(&str, &str)]| {
        let mut effect = tagged(effect(kind, "fs.write", "/repo/list"), tags);
        "/repo/list".clone_into(&mut effect.path.lexical);
        effect.path.exists = exists;
        effect
    };
    let is_more = |effects: &[Effect]| {
        let effects = effects.iter().cloned().chain([deletion("/repo/src")]).collect();
        let mut analysis = Analysis { effects, ..empty(Coverage::Complete, None) };
        mark(&mut analysis);
        let is_partly = analysis.effects.last().and_then(|effect| tag(effect, RECOVERY)) == Some("partly");
        assert_eq!(losses(&analysis).may_be_more, is_partly);
        is_partly
    };
    let read = list("read", Presence::Yes, &[]);
    let append = list("write", Presence::Yes, &[("append", "yes")]);
    assert!(is_more(&[append.clone(), read.clone()]));
    assert!(!is_more(std::slice::from_ref(&append)));
    assert!(!is_more(&[list("write", Presence::No, &[("append", "yes")]), read.clone()]));
    assert!(!is_more(&[list("write", Presence::Yes, &[]), append, read]));
}

//! Which deletions are marked.

use super::*;
use crate::analysis::{empty, fill_paths};
use crate::fixed::FixedFacts;
use guard_contract::syntax::{Coverage, Severity};
use guard_contract::unresolved;

/// A deletion, or another effect if the text begins with the name of a program and a colon.
fn effect(text: &str) -> Effect {
    let (by, target) = text.split_once(": ").unwrap_or(("rm", text));
    let kind = if by == "rm" { "delete" } else { "write" };
    let glob = target.contains('*').then(|| ("glob".to_owned(), "yes".to_owned()));
    Effect {
        kind: kind.to_owned(),
        operation: if by == "rm" { "fs.delete.recursive" } else { "fs.write" }.to_owned(),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(target),
        command_id: 1,
        certain: !target.contains('$'),
        tags: glob.into_iter().chain([("by".to_owned(), by.to_owned())]).collect(),
    }
}

const REPO: &str = r#"
    dirs = ["/repo/.git", "/repo/node_modules/x", "/repo/vendor/y/.git", "/repo/sub", "/repo/old", "/srv/all/.git"]
    [files]
    "/repo/.gitignore" = "node_modules/\n/dist\n*.o\n*.py[co]\n!keep.me\nvendor/\nlink-to-src"
    "/repo/sub/.gitignore" = "!dist\nlocal/\n!*.o"
    "/repo/src/a.rs" = ""
    "/srv/all/.gitignore" = "*\n!a.txt"
    [links]
    "/repo/link-to-src" = "src"
    "/repo/out" = "node_modules"
"#;

/// The tag of each effect.
fn tags_of(machine: &str, resolver: &Resolver, effects: Vec<Effect>) -> Vec<Option<String>> {
    let facts: FixedFacts = toml::from_str(machine).unwrap();
    let mut analysis = Analysis { effects, ..empty(Coverage::Complete, None) };
    fill_paths(&mut analysis, &facts, resolver);
    mark(&mut analysis, &facts, resolver);
    analysis.effects.iter().map(|effect| tag(effect, TAG).map(str::to_owned)).collect()
}

fn tags(machine: &str, resolver: &Resolver, effects: &[&str]) -> Vec<Option<String>> {
    tags_of(machine, resolver, effects.iter().map(|text| effect(text)).collect())
}

/// The tag of one effect.
fn tag_of_nth(effects: &[&str], nth: usize) -> Option<String> {
    tags(REPO, &Resolver::new("/repo", "/home/u", "/repo"), effects).swap_remove(nth)
}

/// The tag of the last effect.
fn tag_of(effects: &[&str]) -> Option<String> {
    tag_of_nth(effects, effects.len() - 1)
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

#[test]
fn what_the_repository_ignores_is_disposable() {
    for path in [
        "node_modules",
        "node_modules/",
        "./node_modules/.vite",
        "node_modules/*",
        "dist",
        "dist/a/b",
        "dist/*.map",
        "src/a.o",
        "*.o",
        "src/*.o",
        "*.pyc",
        "/repo/packages/a/node_modules",
        "packages/*/node_modules",
        "packages/*/*/node_modules/",
        "**/node_modules",
        "./app-*/node_modules",
        "sub/node_modules",
        "sub/local",
    ] {
        assert_eq!(tag_of(&[path]).as_deref(), Some("ignored"), "{path}");
    }
}

#[test]
fn what_is_not_proved_to_be_ignored_has_no_tag() {
    for path in [
        "src",
        "src/dist",
        "build",
        ".",
        "*",
        "*.pyd",
        "sub/dist",
        "sub/*.o",
        "sub/a.o",
        "*.me",
        "node_modules/..",
        "node_modules/../src",
        "$X/node_modules",
        "/elsewhere/node_modules",
        "link-to-src/a.rs",
        "vendor/y",
        "out",
        "/srv/all/data",
        "packages/*/dist",
        "packages/.*/node_modules",
        "packages/[ab]/node_modules",
        "packages/*/src",
        "*/x.o",
        "keep.me",
        "link-to-src",
        "*[.o]",
        "[!a].o",
        "!(*.o)",
        "@(src|x.o)",
        "^*.o",
        "node_modules/*/src",
    ] {
        assert_eq!(tag_of(&[path]), None, "{path}");
    }
    // What is not disposable was moved there.
    assert_eq!(tag_of(&["mv: dist/src", "dist"]), None);
    assert_eq!(tag_of(&["mv: dist/src", "dist/*"]), None);
    assert_eq!(tag_of(&["cp: node_modules/q", "node_modules"]).as_deref(), Some("ignored"));
    assert_eq!(tag_of(&["mv: node_modules/q", "node_modules"]), None);
    assert_eq!(tag_of(&["mv: packages/a/node_modules", "packages/*/node_modules"]), None);
    assert_eq!(tag_of(&["ln: packages/a", "packages/*/node_modules"]), None);
    // A text that changes the rules proves nothing by them.
    assert_eq!(tag_of(&["tee: .gitignore", "src"]), None);
    assert_eq!(tag_of(&["tee: .gitignore", "dist"]), None);
}

#[test]
fn what_lies_in_a_folder_that_the_text_makes_is_disposable() {
    for path in
        ["/tmp/n", "/tmp/n/a", "/tmp/n/a/b", "/tmp/n/*", "/tmp/n/a/*.c", "/tmp/n/*/x", "/tmp/n/.*", "/tmp/n/../n/x"]
    {
        assert_eq!(tag_of(&["mkdir: /tmp/n", path]).as_deref(), Some("made-here"), "{path}");
        assert_eq!(tag_of(&["mkdir: /tmp/n", "cp: /tmp/n/a", path]).as_deref(), Some("made-here"), "{path}");
    }
    for path in ["/tmp/*", "/tmp/other", "/tmp/n*", "/tmp/n/.*/x", "/tmp/n/../x", "/tmp/$X/n"] {
        assert_eq!(tag_of(&["mkdir: /tmp/n", path]), None, "{path}");
    }
    // A folder that is there has files of others.
    assert_eq!(tag_of(&["mkdir: sub", "sub/x"]), None);
    // What was moved or linked there is not the text's own.
    for by in ["mv", "ln", "mount", "rsync"] {
        let brought = format!("{by}: /tmp/n/a");
        for path in ["/tmp/n/a", "/tmp/n/a/b", "/tmp/n/*", "/tmp/n"] {
            assert_eq!(tag_of(&["mkdir: /tmp/n", &brought, path]), None, "{by} {path}");
        }
    }
}

/// The tag of the last deletion, with a move of `from` to `to` before it.
fn tag_behind_move(from: &str, to: &str, deleted: &[&str]) -> Option<String> {
    let mut away = effect(from);
    away.tags.retain(|(name, _)| name != "by");
    away.tags.push(("by".to_owned(), "mv".to_owned()));
    let effects: Vec<Effect> = deleted.iter().map(|text| effect(text)).collect();
    let (last, before) = effects.split_last().unwrap();
    let all: Vec<Effect> = before.iter().cloned().chain([away, effect(&format!("mv: {to}")), last.clone()]).collect();
    let all = all.into_iter().enumerate().map(|(at, one)| {
        // The move is one command with two effects.
        let command = if at > before.len() + 1 {
            9
        } else if at >= before.len() {
            5
        } else {
            1
        };
        Effect { command_id: command, ..one }
    });
    tags_of(REPO, &Resolver::new("/repo", "/home/u", "/repo"), all.collect()).pop().flatten()
}

#[test]
fn what_is_renamed_in_a_folder_goes_with_it() {
    for (from, to, deleted) in [
        ("node_modules/a", "node_modules/b", &["node_modules"][..]),
        ("dist/a", "dist/b/a", &["dist"]),
        ("dist/a", "dist/b", &["dist/*"]),
        ("/tmp/n/a", "/tmp/n/b", &["mkdir: /tmp/n", "cp: /tmp/n/a", "/tmp/n"]),
    ] {
        assert!(tag_behind_move(from, to, deleted).is_some(), "{from} {to}");
    }
    for (from, to, deleted) in [
        ("src", "node_modules/b", &["node_modules"][..]),
        ("node_modules", "dist/b", &["dist"]),
        ("dist/../src", "dist/b", &["dist"]),
        ("dist/*", "dist/b", &["dist"]),
        ("$X/a", "dist/b", &["dist"]),
        ("link-to-src/a.rs", "dist/b", &["dist"]),
        ("src/a.rs", "/tmp/n/b", &["mkdir: /tmp/n", "/tmp/n"]),
    ] {
        assert_eq!(tag_behind_move(from, to, deleted), None, "{from} {to}");
    }
}

/// The tag of a deletion of everything of a name below a folder.
fn tag_of_search(start: &str, name: &str, kind: &str) -> Option<String> {
    let facts: FixedFacts = toml::from_str(SEARCHED).unwrap();
    let mut found = Effect { path: unresolved(""), certain: false, ..effect(&format!("{start}/{name}")) };
    found.tags.push((BELOW.to_owned(), start.to_owned()));
    found.tags.push((KIND.to_owned(), kind.to_owned()));
    found.tags.extend([("glob", "yes"), ("filtered", "yes"), (EVERY, name)].map(|(a, b)| (a.to_owned(), b.to_owned())));
    let mut analysis = Analysis { effects: vec![found], ..empty(Coverage::Complete, None) };
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    fill_paths(&mut analysis, &facts, &resolver);
    mark(&mut analysis, &facts, &resolver);
    tag(analysis.effects.last().unwrap(), TAG).map(str::to_owned)
}

const SEARCHED: &str = r#"
    dirs = ["/repo/.git", "/repo/src/a", "/repo/kept", "/elsewhere"]
    [files]
    "/repo/.gitignore" = "__pycache__/\n/dist\n*.pyc\nlogs/\nbuild\ntarget\ndocs/page\n*.bak\n!/a/target\n*.sw[op]\nout/\n*.egg-info/\n.env.*\n*.sqlite3\n*.pack"
    "/repo/kept/.gitignore" = "!__pycache__/"
    "/repo/.git/refs/heads/build" = ""
    [links]
    "/repo/away" = "/elsewhere"
"#;

#[test]
fn what_a_search_finds_by_an_ignored_name_is_disposable() {
    for (start, name, kind) in [
        (".", "__pycache__", ""),
        ("src", "__pycache__", "d"),
        (".", "*.pyc", ""),
        ("/repo/src/a", "*.pyc", "f"),
        (".", "*.swo", ""),
        (".", "out", "d"),
        (".", "*.egg-info", "d"),
    ] {
        assert_eq!(tag_of_search(start, name, kind).as_deref(), Some("ignored"), "{start} {name}");
    }
    // Ignored in one place only, taken back, of Git's own folder, a branch, outside, behind a link, not named, a file
    // of a name that is ignored of folders, what is kept aside.
    for (start, name, kind) in [
        (".", "dist", "d"),
        (".", "page", "d"),
        (".", "*.bak", ""),
        (".", "target", "d"),
        ("kept", "__pycache__", "d"),
        (".", "logs", "d"),
        (".", "build", "d"),
        ("/elsewhere", "*.pyc", ""),
        ("away", "*.pyc", ""),
        ("..", "*.pyc", ""),
        (".", "*.py", ""),
        (".", "*.py[c]", ""),
        (".", "*", ""),
        (".", "out", "f"),
        (".", "out", ""),
        (".", "__pycache__", "f"),
        (".", "*.egg-info", ""),
        (".", ".env.production", ""),
        (".", "*.sqlite3", ""),
        (".", "*.pack", ""),
    ] {
        assert_eq!(tag_of_search(start, name, kind), None, "{start} {name} {kind}");
    }
}

#[test]
fn rules_that_git_reads_otherwise_prove_nothing() {
    let many = format!("*.o\n!{}.o", "*a".repeat(65));
    for rules in ["+/v8data/", "x\n!x\0y", "*.x\n!x\r", many.as_str(), "*.x\n!important.\\x"] {
        let facts = FixedFacts {
            dirs: ["/repo/.git".to_owned()].into(),
            files: [("/repo/.gitignore".to_owned(), rules.to_owned())].into(),
            ..FixedFacts::default()
        };
        for target in ["data", "x", "*.x", "a.o", "*.o"] {
            let mut analysis = Analysis { effects: vec![effect(target)], ..empty(Coverage::Complete, None) };
            let resolver = Resolver::new("/repo", "/home/u", "/repo");
            fill_paths(&mut analysis, &facts, &resolver);
            mark(&mut analysis, &facts, &resolver);
            assert_eq!(tag(analysis.effects.last().unwrap(), TAG), None, "{rules:?}: {target}");
        }
    }
}

#[test]
fn what_the_text_makes_is_disposable_if_nothing_was_there() {
    for effects in [&["mkdir: x", "x"][..], &["mkdir: /var/q/a/b", "/var/q"], &["git: /tmp/r", "/tmp/r"]] {
        assert_eq!(tag_of(effects).as_deref(), Some("made-here"), "{effects:?}");
    }
    for effects in [
        &["mkdir: old", "old"][..],
        &["x"],
        &["x", "mkdir: x", "y"],
        &["mkdir: x", "mv: x/y", "x"],
        &["mkdir: x/y", "ln: x/l", "x"],
        &["mkdir: $Y", "$Y"],
        &["mkdir: x", "."],
    ] {
        assert_eq!(tag_of(effects), None, "{effects:?}");
    }
}

#[test]
fn what_is_not_there_and_is_made_again_is_disposable() {
    for effects in [
        &["x", "mkdir: x"][..],
        &["x", "mkdir: x/y/z"],
        &["src/gen", "cp: src/gen/a", "src/gen", "mkdir: src/gen"],
        &["/srv/q", "tar: /srv/q"],
    ] {
        let last = effects.iter().rposition(|text| !text.contains(": ")).unwrap();
        assert!(matches!(tag_of_nth(effects, last).as_deref(), Some("remade" | "made-here")), "{effects:?}");
    }
    for effects in [
        &["old", "mkdir: old"][..],
        &["src/a.rs", "tee: src/a.rs"],
        &["x", "mkdir: y"],
        &["x", "mkdir: xy"],
        &["x", "mv: x"],
        &["x", "mkdir: x", "mv: x/a"],
        &["mv: x/a", "x", "mkdir: x"],
        &["x", "mkdir: $Y"],
        &["*", "mkdir: x"],
        &["link-to-src", "mkdir: link-to-src"],
    ] {
        let last = effects.iter().rposition(|text| !text.contains(": ")).unwrap();
        assert_eq!(tag_of_nth(effects, last), None, "{effects:?}");
    }
}

#[test]
fn what_is_made_again_below_a_folder_for_temporary_files_is_disposable() {
    let there = r#"
        dirs = ["/tmp/q/a", "/var/tmp/q", "/tmp/repo/.git", "/tmp/home/.git", "/tmp/away", "/srv/q"]
        [links]
        "/tmp/link" = "/srv/q"
    "#;
    let tag_in =
        |cwd: &str, home: &str, effects: &[&str]| tags(there, &Resolver::new(cwd, home, cwd), effects).swap_remove(0);
    for path in ["/tmp/q", "/tmp/q/a", "/var/tmp/q"] {
        let tag = tag_in("/srv", "/home/u", &[path, &format!("mkdir: {path}")]);
        assert_eq!(tag.as_deref(), Some("remade"), "{path}");
    }
    for (cwd, home, path) in [
        ("/srv", "/home/u", "/srv/q"),
        ("/srv", "/home/u", "/tmp/link"),
        ("/srv", "/home/u", "/tmp/link/"),
        ("/tmp/repo", "/home/u", "/tmp/repo"),
        ("/tmp/repo", "/home/u", "/tmp/repo/.git"),
        ("/srv", "/tmp/home", "/tmp/home"),
        ("/tmp/q/a", "/home/u", "/tmp/q"),
    ] {
        assert_eq!(tag_in(cwd, home, &[path, &format!("mkdir: {path}")]), None, "{cwd} {path}");
    }
    assert_eq!(tag_in("/srv", "/home/u", &["/tmp/q"]), None);
    assert_eq!(tag_in("/srv", "/home/u", &["/tmp", "mkdir: /tmp/q"]), None);
    assert_eq!(tag_in("/srv", "/home/u", &["/tmp/q", "mv: /tmp/q"]), None);
}

#[test]
fn a_folder_with_a_random_name_of_its_maker_is_scratch() {
    for path in [
        "/tmp/tmp.k3JdP0aQzR",
        "/tmp/tmp.k3JdP0aQzR/a/b",
        "/tmp/tmpqw_h7888",
        "/private/tmp/tmpab12cd34/x",
        "/var/tmp/tmp.AbCdEfGhIj",
    ] {
        assert_eq!(tag_of(&[path]).as_deref(), Some("scratch"), "{path}");
    }
    for path in [
        "/tmp/tmp",
        "/tmp/tmp.backupdata",
        "/tmp/tmp.XXXXXXXXXX",
        "/tmp/tmp.k3JdP0aQz",
        "/tmp/tmpbackups1x",
        "/tmp/tmp20260101",
        "/tmp/tmparchives",
        "/tmp/tmp.k3JdP0aQzR/../x",
        "/srv/tmp.k3JdP0aQzR",
        "/tmp/x/tmp.k3JdP0aQzR",
        "tmp.k3JdP0aQzR",
    ] {
        assert_eq!(tag_of(&[path]), None, "{path}");
    }
    assert_eq!(tag_of(&["mv: /tmp/tmp.k3JdP0aQzR/a", "/tmp/tmp.k3JdP0aQzR"]), None);
}

#[test]
fn what_a_search_finds_in_a_folder_that_the_text_makes_is_disposable() {
    let searched = |start: &str, made: &[&str]| {
        let mut effects: Vec<Effect> = made.iter().map(|text| effect(text)).collect();
        let mut found = Effect { path: unresolved(""), certain: false, ..effect(&format!("{start}/*.c")) };
        found.tags.extend([(BELOW, start), (KIND, "f"), ("filtered", "yes"), (EVERY, "*.c")].map(owned));
        effects.push(found);
        tags_of(REPO, &Resolver::new("/repo", "/home/u", "/repo"), effects).pop().flatten()
    };
    assert_eq!(searched("/tmp/n", &["mkdir: /tmp/n"]).as_deref(), Some("made-here"));
    assert_eq!(searched("/tmp/n/a", &["mkdir: /tmp/n", "cp: /tmp/n/a"]).as_deref(), Some("made-here"));
    assert_eq!(searched("/tmp", &["mkdir: /tmp/n"]), None);
    assert_eq!(searched("/tmp/n", &["mkdir: /tmp/m"]), None);
    assert_eq!(searched("/tmp/n", &["mkdir: /tmp/n", "mv: /tmp/n/a"]), None);
    assert_eq!(searched("src", &["mkdir: src"]), None);
}

#[test]
fn the_folder_of_a_harness_for_one_session_is_scratch() {
    assert_eq!(tag_of(&["/tmp/claude-501/p/scratchpad/x"]).as_deref(), Some("scratch"));
    assert_eq!(tag_of(&["/private/tmp/claude-0/x"]).as_deref(), Some("scratch"));
    for path in ["/tmp/claude-501", "/tmp/claude-x/y", "/tmp/claude-501/../x", "/tmp/x", "/var/tmp/claude-1/x"] {
        assert_eq!(tag_of(&[path]), None, "{path}");
    }
}

#[test]
fn what_git_checks_out_is_a_branch_if_there_is_no_such_file() {
    let more = r#"
        "/repo/.git/refs/heads/web" = "0"
        "/repo/.git/packed-refs" = "0 refs/heads/topic/docs\n0 refs/tags/v2\n"
        "/repo/web/a" = ""
        "/repo/topic/docs/a" = ""
        "/repo/v2/a" = ""
        [links]"#;
    let facts: FixedFacts = toml::from_str(&REPO.replace("[links]", more)).unwrap();
    let kept = |target: &str, tag: &str| {
        let operation = "git.discard".to_owned();
        let tags = vec![owned((tag, "yes"))];
        let effect = Effect { kind: "vcs".to_owned(), operation, tags, ..effect(target) };
        let mut analysis = Analysis { effects: vec![effect], ..empty(Coverage::Complete, None) };
        let resolver = Resolver::new("/repo", "/home/u", "/repo");
        fill_paths(&mut analysis, &facts, &resolver);
        mark_discards(&mut analysis, &facts, &resolver, &CallContext::default());
        !analysis.effects.is_empty()
    };
    for (target, tag, is_kept) in [
        ("main", "unless-branch", false),
        ("src", "unless-branch", true),
        ("src/a.rs", "unless-branch", true),
        ("main", "listed", true),
        // Git prefers a branch or a tag to a folder of that name.
        ("web", "unless-branch", false),
        ("topic/docs", "unless-branch", false),
        ("v2", "unless-branch", false),
        ("topic", "unless-branch", true),
    ] {
        assert_eq!(kept(target, tag), is_kept, "{target} {tag}");
    }
}

/// A machine whose session has written the file, or whose history is damaged.
fn after(written: &str) -> String {
    match written {
        "" => format!("history-is-damaged = true\n{REPO}"),
        _ => format!("{REPO}\n[[history]]\nkind = \"write\"\ntarget = \"{written}\""),
    }
}

#[test]
fn rules_that_the_session_wrote_prove_nothing_but_of_what_tools_make() {
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    for written in ["/repo/.gitignore", "/repo/sub/.gitignore", "/elsewhere/.gitignore", ""] {
        let machine = after(written);
        let tag = |path| tags(&machine, &resolver, &[path]).swap_remove(0);
        for path in ["dist", "dist/a/b", "sub/local", "*.o", "src/a.o", "sub/local/*"] {
            assert_eq!(tag(path), None, "{written}: {path}");
        }
        for path in ["node_modules", "node_modules/*", "sub/node_modules", "packages/a/node_modules/b"] {
            assert_eq!(tag(path).as_deref(), Some("ignored"), "{written}: {path}");
        }
    }
    for written in ["/repo/src/a.rs", "/repo/.gitignore.bak", "/repo/x.gitignore"] {
        assert_eq!(tags(&after(written), &resolver, &["dist"]).swap_remove(0).as_deref(), Some("ignored"), "{written}");
    }
}

#[test]
fn a_folder_that_only_holds_outputs_is_made_here() {
    let last = |texts: &[&str]| {
        let to_effect = |text: &&str| {
            let mut effect = effect(text);
            if effect.kind == "write" && !text.starts_with("mkdir") {
                (effect.certain, effect.tags) = (false, [effect.tags, vec![owned(("output", "yes"))]].concat());
            }
            effect
        };
        let effects: Vec<Effect> = texts.iter().map(to_effect).collect();
        tags_of(REPO, &Resolver::new("/repo", "/home/u", "/repo"), effects).pop().flatten()
    };
    assert_eq!(last(&["mkdir: /tmp/n", "go: /tmp/n/x", "/tmp/n"]).as_deref(), Some("made-here"));
    assert_eq!(last(&["hugo: /tmp/n", "/tmp/n"]).as_deref(), Some("made-here"));
    assert_eq!(last(&["go: old/x", "old"]), None);
}

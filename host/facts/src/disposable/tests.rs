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

/// The tag of the last effect.
fn tag_of(effects: &[&str]) -> Option<String> {
    let facts: FixedFacts = toml::from_str(REPO).unwrap();
    let effects = effects.iter().map(|text| effect(text)).collect();
    let mut analysis = Analysis { effects, ..empty(Coverage::Complete, None) };
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    fill_paths(&mut analysis, &facts, &resolver);
    mark(&mut analysis, &facts, &resolver);
    tag(analysis.effects.last().unwrap(), TAG).map(str::to_owned)
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
        "packages/*/node_modules",
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
fn the_folder_of_a_harness_for_one_session_is_scratch() {
    assert_eq!(tag_of(&["/tmp/claude-501/p/scratchpad/x"]).as_deref(), Some("scratch"));
    assert_eq!(tag_of(&["/private/tmp/claude-0/x"]).as_deref(), Some("scratch"));
    for path in ["/tmp/claude-501", "/tmp/claude-x/y", "/tmp/claude-501/../x", "/tmp/x", "/var/tmp/claude-1/x"] {
        assert_eq!(tag_of(&[path]), None, "{path}");
    }
}

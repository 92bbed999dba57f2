//! Links that a call copies or checks out.

use super::*;
use crate::analysis::{empty, fill_paths};
use crate::disposable::committed;
use crate::fixed::FixedFacts;
use crate::{Resolver, folders};
use guard_contract::syntax::{Coverage, Severity};
use guard_contract::unresolved;

fn effect(kind: &str, by: &str, target: &str, command_id: u32) -> Effect {
    Effect {
        kind: kind.to_owned(),
        operation: format!("fs.{kind}"),
        severity: Severity::Destructive,
        target: target.to_owned(),
        path: unresolved(&format!("/repo/{target}")),
        command_id,
        certain: true,
        tags: vec![("by".to_owned(), by.to_owned())],
    }
}

/// Returns whether the last effect is marked as behind a copied link, or as behind one that git may check out.
fn marks(texts: &[&str], effects: Vec<Effect>) -> (bool, bool) {
    let machine = "dirs = [\"/repo/src/deep\", \"/repo/tree/in\"]\n[files]\n\"/repo/a.txt\" = \"\"\n[links]\n\
                   \"/repo/l\" = \"src\"\n\"/repo/tree/l\" = \"../src\"";
    let facts: FixedFacts = toml::from_str(machine).unwrap();
    let resolver = Resolver::new("/repo", "/home/u", "/repo");
    let commands = (1..).zip(texts).map(|(id, text)| committed::tests::command(id, text, "/repo")).collect();
    let mut analysis = Analysis { commands, effects, ..empty(Coverage::Complete, None) };
    fill_paths(&mut analysis, &facts, &resolver);
    mark(&mut analysis, &facts);
    let last = analysis.effects.last().unwrap();
    (folders::is_unsure(last), may_be_checked_out(last))
}

/// Copies with a command, and then deletes or writes a path.
fn is_behind_copy(copy: &str, kind: &str, target: &str) -> bool {
    let words: Vec<&str> = copy.split(' ').collect();
    let [.., from, to] = words.as_slice() else { panic!("{copy}") };
    let effects = vec![effect("read", "cp", from, 1), effect("write", "cp", to, 1), effect(kind, "rm", target, 2)];
    marks(&[copy, "rm x"], effects).0
}

#[test]
fn paths_through_copied_links_are_marked() {
    for (copy, kind, target) in [
        ("cp -P l new", "delete", "new/*"),
        ("cp -r l new", "delete", "new/deep"),
        ("cp -a l new", "write", "new"),
        ("cp -a l new", "delete", "new/"),
        ("cp --archive tree new", "delete", "new/l/deep"),
        ("cp -R tree new", "write", "new/l/x"),
        ("rsync -a tree new", "delete", "new/l/*"),
        ("cp -dp l new", "write", "new/main.c"),
    ] {
        assert!(is_behind_copy(copy, kind, target), "{copy}; {kind} {target}");
    }
    for (copy, kind, target) in [
        ("cp -r src new", "delete", "new/*"),
        ("cp -r src new", "delete", "new/deep"),
        ("cp -a tree new", "delete", "new/in/x"),
        ("cp -a tree new", "delete", "new/l"),
        ("cp -a tree new", "delete", "new"),
        ("cp -a l new", "delete", "new"),
        ("cp l new", "write", "new"),
        ("cp -a l new", "delete", "other/l/x"),
    ] {
        assert!(!is_behind_copy(copy, kind, target), "{copy}; {kind} {target}");
    }
}

#[test]
fn paths_that_git_may_turn_into_links_are_marked() {
    let after = |git: &str, kind: &str, target: &str| marks(&[git, "rm x"], vec![effect(kind, "rm", target, 2)]).1;
    for (git, kind, target) in [
        ("git checkout x", "delete", "l/*"),
        ("git checkout x -- l", "delete", "l/deep"),
        ("git restore -s x l", "delete", "l/"),
        ("git switch x", "write", "l"),
        ("git pull", "delete", "new/*"),
        ("git stash pop", "write", "new/x"),
        ("git -C . reset --hard x", "delete", "tree/l/x"),
    ] {
        assert!(after(git, kind, target), "{git}; {kind} {target}");
    }
    for (git, kind, target) in [
        ("git checkout x", "delete", "src/deep"),
        ("git checkout x", "delete", "src/deep/*"),
        ("git pull", "delete", "new"),
        ("git pull", "delete", "l"),
        ("git pull", "write", "new"),
        ("git pull", "write", "a.txt"),
        ("git status", "delete", "l/*"),
        ("git fetch", "delete", "new/*"),
    ] {
        assert!(!after(git, kind, target), "{git}; {kind} {target}");
    }
}

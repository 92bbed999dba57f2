//! Commands whose losses the analysis doesn't show, and tasks that may be others.

use super::*;

fn may_be_more(words: &str, is_dynamic: bool) -> bool {
    let mut one = command(1, words);
    one.argv.iter_mut().filter(|word| word.text.contains('$')).for_each(|word| word.dynamic = is_dynamic);
    let analysis = Analysis { commands: vec![one], ..empty(Coverage::Complete, None) };
    losses(&analysis).may_be_more
}

#[test]
fn tasks_that_are_not_known_may_lose_anything() {
    for words in [
        "make -C $d clean",
        "make $goal",
        "make -f $file",
        "just $x",
        "npm --prefix $d run clean",
        "npm run clean -w pk",
        "npm run clean --workspaces",
        "pnpm -r clean",
        "pnpm --filter=x run clean",
        "yarn workspace x clean",
        "npm pkg set scripts.clean=x",
        "npm init -y",
        "npm version minor",
        "set +B",
        "bash +B -c x",
        "bash -O lastpipe t.sh",
        "bash -eO dotglob -c x",
        "set +o braceexpand",
        "sqlite3 -init x.sql app.db .quit",
        "sqlite3 --cmd .x app.db",
        "sqlite3 :memory: .output\u{a0}n.txt",
        "sqlite3 app.db .log",
        "sqlite3 app.db .import\u{a0}a\u{a0}t",
        "sqlite3 app.db .tables\n.once\u{a0}x",
        "sqlite3 app.db SELECT\u{a0}writefile('n','')",
    ] {
        assert!(may_be_more(words, true), "{words}");
    }
    for words in [
        "bash -ec x",
        "bash --norc t.sh -O x",
        "make clean",
        "make -j$(nproc) clean",
        "make -j $(nproc) clean",
        "make D=$x clean",
        "npm ci",
        "npm install -w pk",
        "pnpm -r install",
        "npm run build -- $x",
        "npm run clean",
        "npm pkg get scripts",
        "yarn add $x=1",
        "set -euo pipefail",
        "sqlite3 -batch app.db",
        "sqlite3 app.db .tables",
        "sqlite3 app.db .headers\u{a0}on",
    ] {
        assert!(!may_be_more(words, true), "{words}");
    }
}

#[test]
fn a_search_in_a_doubtful_task_is_not_sure() {
    let every = tagged(
        Effect { certain: false, ..effect("delete", "fs.delete.recursive", ".") },
        &[("by", "find"), ("below", "/repo/out"), ("every", "*.o")],
    );
    let script = || vec![Via { kind: "script".to_owned(), detail: "/repo/Makefile".to_owned() }];
    for (certain, via, expected) in
        [(true, script(), "recoverable"), (false, script(), "partly"), (false, Vec::new(), "recoverable")]
    {
        let (tag, found) = last_of(&[Command { certain, via, ..command(1, "find") }], &[by(1, every.clone())]);
        assert_eq!((tag.as_str(), found.may_be_more), (expected, expected == "partly"));
    }
}

#[test]
fn links_that_another_one_replaces_are_lost() {
    let mut write = tagged(
        Effect { severity: Severity::Notable, ..effect("write", "fs.write", "/repo/l") },
        &[("by", "ln"), ("link-to", "b")],
    );
    "/repo/l".clone_into(&mut write.path.lexical);
    write.path.exists = Presence::Yes;
    for kind in ["dir", "file"] {
        kind.clone_into(&mut write.path.kind);
        let (_, found) = last_of(&[command(1, "ln -sfn b l")], &[by(1, write.clone())]);
        assert!(matches!(found.list.as_slice(), [Loss::Path(PathLoss { how: How::Replace, .. })]), "{found:?}");
    }
}

//! Actions of `sed` programs: commands that run, reads and writes.

use super::*;

fn runs(text: &str) -> Action {
    Action::Runs(Pieces::known(text))
}

#[track_caller]
fn check(rows: &[(&str, &[Action])]) {
    for (script, expected) in rows {
        assert_eq!(acts(script), *expected, "{script}");
    }
}

#[test]
fn a_command_runs_wherever_its_address_puts_it() {
    check(&[
        ("1e ls x", &[runs("ls x")]),
        ("els", &[runs("ls")]),
        ("/a b/,/c/e ls", &[runs("ls")]),
        ("/a/I,+3!e ls", &[runs("ls")]),
        ("0~4 e ls", &[runs("ls")]),
        ("\\|a/b|e ls", &[runs("ls")]),
        ("2{e ls\n}", &[runs("ls")]),
        ("p;/[/]/ {h;e ls", &[runs("ls")]),
        ("a text\ne ls", &[runs("ls")]),
        ("y/abc/xyz/;e ls", &[runs("ls")]),
        ("b end;:end\ne ls", &[runs("ls")]),
        ("# e no\n$!{N;e ls -l;p", &[runs("ls -l;p")]),
    ]);
}

#[test]
fn a_replacement_runs_with_its_flag() {
    check(&[
        ("s/.*/ls x/e", &[runs("ls x")]),
        ("s,.*,ls /x,ge", &[runs("ls /x")]),
        ("/q/,$ { s/.*/ls/2e }", &[runs("ls")]),
        ("s/^a\\/b/l\\x73/Ie;p", &[runs("ls")]),
        ("s/[^]/]*/ls/e", &[runs("ls")]),
        ("s/.*/ls/;e", &[runs("ls")]),
        ("s/a/b/e", &[Action::RunsReplaced { from: "a".to_owned(), to: "b".to_owned() }]),
        ("e", &[Action::RunsLines]),
    ]);
    let acts = acts("s/(.*)/ls \\1 &/e");
    assert!(matches!(acts.as_slice(), [Action::Runs(pieces)] if pieces.word().text == "ls $_ $_"), "{acts:?}");
}

#[test]
fn files_are_read_and_written() {
    check(&[
        ("r a b", &[Action::Reads("a b".to_owned())]),
        ("$R a", &[Action::Reads("a".to_owned())]),
        ("/x/w out", &[Action::Writes("out".to_owned())]),
        ("s/a/b/gw out\nW other", &[Action::Writes("out".to_owned()), Action::Writes("other".to_owned())]),
    ]);
}

#[test]
fn ordinary_scripts_start_nothing() {
    for script in [
        "s/a/b/",
        "s/e/w/g",
        "1,5p",
        "/re/d",
        "$!N;P;D",
        "s|/usr|/opt|;s/x/\\n/",
        "a\\\nsome e text",
        "i e x",
        ":e;be",
        "/write e/!d",
        "s/[]e/]/e x/",
        "",
        "{",
        "s",
        "s/a",
        "\\",
        "[",
        "0,/x/s//e/",
        "y/e/w/",
    ] {
        assert_eq!(acts(script), [], "{script}");
    }
}

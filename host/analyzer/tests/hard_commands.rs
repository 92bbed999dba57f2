//! Commands that run in a text: the table of `data/hard_commands.toml`, and the positions of the commands.
//!
//! Doesn't test their effects.

use guard_sdk::syntax::{Analysis, Command, Coverage};
use guard_testing::analyze;
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    case: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    text: String,
    runs: Vec<Vec<String>>,
    #[serde(default = "complete")]
    coverage: String,
}

fn complete() -> String {
    "complete".to_owned()
}

fn bash(text: &str) -> Analysis {
    analyze(text, "bash", "/repo", "/home/u")
}

fn words(command: &Command) -> Vec<String> {
    command.argv.iter().map(|word| word.text.clone()).collect()
}

#[test]
fn every_text_of_the_table_runs_what_the_table_says() {
    let table: Table = toml::from_str(include_str!("data/hard_commands.toml")).unwrap();
    let mut wrong = Vec::new();
    for case in &table.case {
        let analysis = bash(&case.text);
        let runs: Vec<Vec<String>> = analysis.commands.iter().map(words).collect();
        let coverage = format!("{:?}", analysis.coverage).rsplit("::").next().unwrap_or_default().to_lowercase();
        // Effects may add reasons. Here, only the commands are compared.
        if runs != case.runs || coverage != case.coverage {
            wrong.push(format!(
                "{}\n  runs {runs:?}\n  want {:?}\n  {coverage} {:?}",
                case.text, case.runs, analysis.reasons
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), table.case.len(), wrong.join("\n"));
}

#[test]
fn a_command_knows_where_it_stands() {
    let analysis = bash("a | b && (c) & d");
    let position = |index: usize| &analysis.commands[index].position;
    assert_eq!((position(0).pipeline, position(0).index, position(0).length), (1, 0, 2));
    assert_eq!((position(1).pipeline, position(1).index, position(1).length), (1, 1, 2));
    assert_eq!(position(2).within, ["subshell"]);
    assert!(position(0).background && position(1).background);
    assert!(!position(3).background);
    assert_eq!(position(3).operator, "&");
}

#[test]
fn a_substitution_has_the_command_around_it_as_parent() {
    let analysis = bash("a $(b `c`) <(d)");
    let parents: Vec<u32> = analysis.commands.iter().map(|command| command.parent).collect();
    assert_eq!(parents, [0, 1, 2, 1]);
    assert_eq!(analysis.commands[2].position.within, ["substitution", "substitution"]);
    assert_eq!(analysis.commands[3].position.within, ["process"]);
}

#[test]
fn wrappers_are_told_from_the_outermost_to_the_innermost() {
    let analysis = bash("sudo -u bob timeout 5 bash -c 'nice a'; ssh h b");
    let via = |index: usize| {
        let command: &Command = &analysis.commands[index];
        command.via.iter().map(|via| format!("{}:{}", via.kind, via.detail)).collect::<Vec<_>>()
    };
    assert_eq!(via(0), ["sudo:bob", "timeout:", "shell-c:bash", "nice:"]);
    assert_eq!(via(2), ["ssh:h"]);
    assert_eq!(analysis.commands[2].cwd, "");
}

#[test]
fn a_span_ends_before_a_comment() {
    for (text, spans) in [
        ("pnpm add a # T-1\npnpm add b", &["pnpm add a", "pnpm add b"][..]),
        ("pnpm add a # T-1", &["pnpm add a"]),
        ("a 'x # y' > f # z\n# more\n\nb", &["a 'x # y' > f", "b"]),
        ("X=1 # z\nb x#y", &["X=1", "b x#y"]),
        ("a | b # z\nc", &["a", "b", "c"]),
        ("cat <<E # z\n# a line\nE\nb", &["cat <<E", "b"]),
        ("{ a # z\n}\n(b # z\n)", &["a", "b"]),
    ] {
        let analysis = bash(text);
        let commands = analysis.commands.iter();
        let got: Vec<&str> =
            commands.map(|one| text.get(one.span.start as usize..one.span.end as usize).unwrap()).collect();
        assert_eq!(got, spans, "{text:?}");
    }
}

#[test]
fn spans_are_of_the_text_as_it_was_given() {
    let text = "a \\\n b; c \"$(d)\"\nbash -c 'e'";
    let analysis = bash(text);
    let spans: Vec<&str> = analysis
        .commands
        .iter()
        .map(|command| text.get(command.span.start as usize..command.span.end as usize).unwrap())
        .collect();
    assert_eq!(spans[0].split_whitespace().collect::<Vec<_>>(), ["a", "\\", "b"]);
    assert_eq!(spans.get(1..).unwrap(), ["c \"$(d)\"", "d", "bash -c 'e'"]);
}

#[test]
fn the_directory_is_followed_as_far_as_it_is_known() {
    for (text, expected) in [
        ("a", "/repo"),
        ("cd sub; a", "/repo/sub"),
        ("cd /x && a", "/x"),
        ("cd ~/y && a", "/home/u/y"),
        ("cd \"$HOME\"/y && a", "/home/u/y"),
        ("cd; a", "/home/u"),
        ("cd ..; cd x/../y; a", "/y"),
        ("cd /x; cd -; a", "/repo"),
        ("(cd /x); a", "/repo"),
        ("cd /x | b; a", "/repo"),
        ("cd /x & a", "/repo"),
        ("cd $V; a", ""),
        ("cd /x || exit 1; a", "/x"),
        ("cd /x || a", "/repo"),
        ("test -d /x && cd /x; a", ""),
        ("mkdir -p /x && cd /x; a", "/x"),
        ("if b; then cd /x; fi; a", ""),
        ("if b; then cd /x; a; fi", "/x"),
        ("f() { cd /x; }; f; a", "/x"),
        ("f() { cd \"$1\"; }; f /x; a", "/x"),
        ("f() { (cd /x); }; f; a", "/repo"),
        ("pushd /x; a", "/x"),
        ("d=/x; cd $d/y; a", "/x/y"),
        ("sudo cd /x; a", "/repo"),
        ("env -C /x a", "/x"),
        ("eval 'cd /x'; a", "/x"),
        ("bash -c 'cd /x'; a", "/repo"),
        ("bash -c 'cd /x; a'", "/x"),
    ] {
        let analysis = bash(text);
        let command = analysis.commands.iter().find(|command| command.word(0) == "a").unwrap();
        assert_eq!(command.cwd, expected, "{text}");
    }
}

#[test]
fn what_may_be_another_command_is_not_certain() {
    for text in
        ["$x a", "git() { b; }; git", "PATH=/x git", "LD_PRELOAD=x git", "/bin/g?t a", "eval \"$x\"", "git${IFS}a"]
    {
        let analysis = bash(text);
        assert!(analysis.commands.iter().any(|command| !command.certain), "{text}");
    }
    for text in ["git a", "/bin/git a", "$HOME/bin/git a", "A=1 git a"] {
        assert!(bash(text).commands.iter().all(|command| command.certain), "{text}");
    }
}

#[test]
fn redirections_are_told_as_they_are_meant() {
    let analysis = bash("a >b 2>>c <d 3<>e &>f 2>&1 >&g {h}>i >|j <<<k 4>&- &>>l");
    let told: Vec<String> = analysis.commands[0]
        .redirections
        .iter()
        .map(|redirection| format!("{}{}{}", redirection.fd, redirection.operator, redirection.target.text))
        .collect();
    assert_eq!(
        told,
        ["1>b", "2>>c", "0<d", "3<>e", "-1&>f", "2>&1", "-1>&g", "-2>i", "1>|j", "0<<<k", "4>&-", "-1&>>l"]
    );
}

#[test]
fn words_tell_what_is_quoted_dynamic_and_a_pattern() {
    let analysis = bash("a \"$x\" *.c '*' ~/y $(b) {1..99}");
    let told: Vec<(bool, bool, bool)> =
        analysis.commands[0].argv.iter().map(|word| (word.dynamic, word.quoted, word.glob)).collect();
    assert_eq!(
        told,
        [
            (false, false, false),
            (true, true, false),
            (false, false, true),
            (false, true, false),
            (false, false, false),
            (true, false, false),
            (true, false, false),
            (true, false, false)
        ]
    );
    let kinds: Vec<&str> =
        analysis.commands[0].argv.iter().flat_map(|word| &word.parts).map(|part| part.kind.as_str()).collect();
    assert_eq!(
        kinds,
        [
            "literal", "literal", "variable", "glob", "literal", "literal", "tilde", "literal", "command", "brace",
            "brace"
        ]
    );
}

#[test]
fn an_unknown_dialect_is_never_complete() {
    assert_eq!(analyze("a", "fish", "", "").coverage, Coverage::Partial);
    assert_eq!(analyze("a", "posix", "", "").coverage, Coverage::Complete);
    assert_eq!(analyze("a", "zsh", "", "").coverage, Coverage::Complete);
}

//! Settings of a shell that change the values of variables, and lists to which a text adds.

#![cfg(test)]

use std::collections::BTreeMap;

use guard_sdk::syntax::Analysis;

fn analyze(files: &[(&str, &str)], command: &str) -> Analysis {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    guard_testing::analyze_among(&files, command, "/repo", "/home/u")
}

/// Returns the targets of the last deletion's command, with whether each is known.
fn deleted(files: &[(&str, &str)], command: &str) -> Vec<(String, bool)> {
    let analysis = analyze(files, command);
    let deletions = analysis.effects.iter().filter(|effect| effect.kind == "delete");
    deletions.map(|effect| (effect.target.clone(), effect.certain)).collect()
}

#[test]
fn values_that_the_shell_changes_are_unknown() {
    for command in [
        "declare -l d; d=SRC; rm -rf \"$d\"",
        "declare -u d=src; rm -rf \"$d\"",
        "typeset -l d=NEW; rm -rf $d",
        "declare -c d=src; rm -rf $d",
        "d=SRC; declare -l d; d=OUT; rm -rf $d",
        "f() { local -l d=SRC; rm -rf \"$d\"; }; f",
        "declare -i d=src; rm -rf \"$d\"",
        "shopt -s lastpipe; d=new; echo src | read d; rm -rf \"$d\"",
        "shopt -qs lastpipe; d=new; echo src | { read -r d; }; rm -rf \"$d\"",
        "shopt -s lastpipe; d=new; ls | while read a; do d=$a; done; rm -rf \"$d\"",
    ] {
        let found = deleted(&[], command);
        assert!(found.iter().any(|(_, certain)| !certain), "{command}: {found:?}");
    }
    for command in [
        "declare -l d=src; rm -rf \"$d\"",
        "declare -u d; d=X1; rm -rf \"$d\"",
        "declare -i n=2; rm -rf d$n",
        "declare -r d=Src; rm -rf \"$d\"",
        "d=new; echo src | read d; rm -rf \"$d\"",
        "shopt -s nullglob; d=new; echo src | cat; rm -rf \"$d\"",
    ] {
        let found = deleted(&[], command);
        assert!(!found.is_empty() && found.iter().all(|(_, certain)| *certain), "{command}: {found:?}");
    }
    let analysis = analyze(&[], "shopt -s lastpipe; echo x | cd src; rm -rf deep");
    assert!(analysis.commands.last().is_some_and(|command| command.cwd.is_empty()));
    let analysis = analyze(&[], "CDPATH=src cd deep && rm -rf x.h");
    assert!(analysis.commands.last().is_some_and(|command| command.cwd.is_empty()));
}

#[test]
fn the_old_names_of_a_list_are_unknown() {
    let list = [("/repo/list", "src\n")];
    for command in [
        "echo new >> list; xargs rm -rf < list",
        "echo new >> list; rm -rf $(cat list)",
        "echo new >> list; cat list | xargs rm -rf",
        "printf 'new\\n' >> list && xargs -I{} rm -rf {} < list",
        "echo new | tee -a list; xargs rm -rf < list",
        "cat >> list <<< new; xargs rm -rf < list",
    ] {
        let found = deleted(&list, command);
        assert!(found.iter().any(|(_, certain)| !certain), "{command}: {found:?}");
    }
    for command in ["echo new > list; xargs rm -rf < list", "echo new >> other; xargs rm -rf < other"] {
        let found = deleted(&list, command);
        assert_eq!(found, [("new".to_owned(), true)], "{command}");
    }
}

#[test]
fn a_shell_that_reads_its_text_otherwise_is_listed() {
    let programs = |command: &str| {
        let analysis = analyze(&[], command);
        let names = analysis.commands.iter().filter_map(|command| command.argv.first().map(|word| word.text.clone()));
        names.collect::<Vec<_>>()
    };
    for command in ["bash -O lastpipe -c 'rm -rf src'", "bash +B -c 'rm -rf src'", "sh -eO dotglob -c 'rm -rf src'"] {
        assert!(
            matches!(programs(command).as_slice(), [shell, rm] if shell.ends_with("sh") && rm == "rm"),
            "{command}"
        );
    }
    for command in ["bash -c 'rm -rf src'", "bash -ec 'rm -rf src'", "bash --norc -o pipefail -c 'rm -rf src'"] {
        assert_eq!(programs(command), ["rm"], "{command}");
    }
}

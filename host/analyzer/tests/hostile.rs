//! Texts that are made to exhaust or mislead a parser: each gets an analysis, which never hides the commands after
//! them.
//!
//! Doesn't test the meaning of ordinary commands. `hard_commands.rs` does.

use guard_sdk::syntax::{Analysis, Coverage};
use guard_testing::analyze;

const SIZE: usize = 127 * 1024;

fn analysed(text: &str) -> Analysis {
    analyze(text, "bash", "/repo", "/home/u")
}

fn lists_removal(analysis: &Analysis) -> bool {
    analysis.commands.iter().any(|command| command.text() == "rm -rf /")
}

/// Asserts that a text that is repeated up to the size limit isn't reported as understood if `rm -rf /` after it is
/// missed.
fn check(unit: &str, tail: &str) {
    let room = SIZE - tail.len();
    for times in [20, 300, 5_000, room / unit.len()] {
        let text = unit.repeat(times.min(room / unit.len())) + tail;
        let analysis = analysed(&text);
        let shown: String = text.chars().take(40).collect();
        assert!(
            analysis.coverage != Coverage::Complete || lists_removal(&analysis),
            "{shown} x{times}: complete without the removal"
        );
        assert!(analysis.commands.len() <= 4_096, "{shown} x{times}");
    }
}

macro_rules! hostile {
    ($($name:ident: $unit:expr, $tail:expr;)*) => {
        $(
            #[test]
            fn $name() {
                check($unit, $tail);
            }
        )*
    };
}

hostile! {
    open_substitutions: "$(", "\nrm -rf /";
    open_substitutions_in_quotes: "\"$(", "\nrm -rf /";
    open_parentheses: "(", "\nrm -rf /";
    open_braces: "{ ", "\nrm -rf /";
    open_parameters: "${x:-", "\nrm -rf /";
    open_subscripts: "a[", "\nrm -rf /";
    open_arithmetic: "$((", "\nrm -rf /";
    open_old_arithmetic: "$[", "\nrm -rf /";
    open_patterns: "@(", "\nrm -rf /";
    open_negative_patterns: "!(a|", "\nrm -rf /";
    open_patterns_in_parameters: "${x/a@(", "\nrm -rf /";
    open_process_substitutions: "<(", "\nrm -rf /";
    piped_groups: "(echo a; echo b) | ", "cat\nrm -rf /";
    groups_into_clients: "{ echo 'select 1;'; cat a; } | psql x\n", "rm -rf /";
    filters_behind_text: "echo a | sed p | ", "cat\nrm -rf /";
    open_loops: "while true; do ", "\nrm -rf /";
    open_conditions: "if true; then ", "\nrm -rf /";
    open_cases: "case x in x) ", "\nrm -rf /";
    open_tests: "[[ ( ", "\nrm -rf /";
    runs_of_time: "time ", "rm -rf /";
    runs_of_not: "! ", "rm -rf /";
    chains_of_and: "a&&", "rm -rf /";
    chains_of_pipes: "a|", "rm -rf /";
    lists: "a;", "rm -rf /";
    here_documents: "cat <<E\nx\nE\n", "rm -rf /";
    here_documents_on_one_line: "<<E ", "\nrm -rf /";
    assignments: "a=1 ", "\nrm -rf /";
    words: "a ", "\nrm -rf /";
    brace_expressions: "{a,b}", "\nrm -rf /";
    nested_brace_expressions: "{a,", "\nrm -rf /";
    single_quotes: "'", "\nrm -rf /";
    double_quotes: "\"", "\nrm -rf /";
    backticks: "`", "\nrm -rf /";
    backslashes: "\\\\", "\nrm -rf /";
    continued_lines: "\\\n", "rm -rf /";
    comments: "#x\n", "rm -rf /";
    branches_that_set_commands: "if a; then c='rm -r x'; fi; ", "\nrm -rf /";
    arithmetic_of_arithmetic: "a=([$((1+1))]=x); ", "rm -rf /";
    functions: "f() { ", "\nrm -rf /";
    complete_functions: "f() { a; }; ", "rm -rf /";
    evals: "eval ", "rm -rf /";
    sudos: "sudo ", "rm -rf /";
    images: "docker run git ", "rm -rf /";
    images_of_clusters: "docker run kubectl exec p -- ", "rm -rf /";
    containers_with_mounts: "docker run -v ~:/h -v /:/r/h --name a alpine ", "rm -rf /";
    sandboxes: "bwrap --bind / / --bind ~ /h ", "rm -rf /";
    roots: "chroot a ", "rm -rf /";
    logins: "ssh localhost ", "rm -rf /";
    substitutions: "$(a)", "\nrm -rf /";
    quoted_substitutions: "\"$(a)\"", "\nrm -rf /";
    variables: "$a", "\nrm -rf /";
    doubling_variables: "a=x$a$a;", "rm -rf /";
    redirections: ">f ", "\nrm -rf /";
    loops_one_after_the_other: "for i in a b c d; do b $i; done;", "rm -rf /";
    carriage_returns: "a\r\n", "rm -rf /";
    wide_characters: "é", "\nrm -rf /";
    tildes: "~a/", "\nrm -rf /";
    arrays: "a=(x y $(b) z);", "rm -rf /";
    open_arrays: "a=(", "\nrm -rf /";
    growing_arrays: "a+=(x x x x x x x x);b \"${a[@]}\";", "rm -rf /";
    parameters: "set -- x \"$@\" \"$@\";", "rm -rf /";
    patterns_in_parameters: "x=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab;b ${x%%*a*a*a*a*c};", "rm -rf /";
    calls: "f() { g \"$@\" \"$@\"; };g() { f \"$1\"; };f a;", "rm -rf /";
    aliases: "alias a='b a';a;", "rm -rf /";
    known_outputs: "b \"$(echo \"$(echo x)\")\";", "rm -rf /";
    code_with_calls: "python3 -c 'os.system(\"a\")';", "rm -rf /";
    unknown_programs: "b -- b -- b -c 'c d';", "rm -rf /";
    files: "echo 'bash f' > f;bash f;", "rm -rf /";
    carried_texts: "tar -I 'a b' c;", "rm -rf /";
}

#[test]
fn closed_nesting_is_bounded() {
    for (open, close) in
        [("$(", ")"), ("( ", ")"), ("{ ", ";}"), ("\"$(", ")\""), ("${x:-", "}"), ("if a; then ", "; fi")]
    {
        for depth in [5, 12, 15, 40, 200, 3_000] {
            let text = format!("{}rm -rf /{}", open.repeat(depth), close.repeat(depth));
            let analysis = analysed(&text);
            // Inside `${x:-...}` it is text, and nothing runs.
            let runs = open != "${x:-";
            assert!(!runs || analysis.coverage != Coverage::Complete || lists_removal(&analysis), "{open} x{depth}");
        }
    }
}

#[test]
fn nested_loops_are_not_multiplied() {
    let mut text = String::new();
    for depth in 0..10 {
        text.push_str(&format!("for v{depth} in a b c d e f g h; do "));
    }
    text.push_str("x; ");
    text.push_str(&"done; ".repeat(10));
    text.push_str("rm -rf /");
    let analysis = analysed(&text);
    assert!(analysis.commands.len() < 200, "{}", analysis.commands.len());
    assert!(lists_removal(&analysis));
}

#[test]
fn one_command_of_many_words_is_bounded() {
    let elements = "x ".repeat(200);
    for unit in ["\"${a[@]}\" ", "${a[@]}", "{1..9}${a[*]}", "$b "] {
        let text = format!("a=({elements}); b='{elements}'; rm -rf / {}", unit.repeat(90_000 / unit.len()));
        let analysis = analysed(&text);
        assert!(analysis.commands.iter().map(|command| command.argv.len()).sum::<usize>() <= 32_768, "{unit}");
        let shown = analysis.commands.iter().any(|command| command.text().starts_with("rm -rf /"));
        assert!(shown && analysis.coverage != Coverage::Complete, "{unit}");
    }
}

#[test]
fn code_of_nothing_but_calls_is_bounded() {
    for unit in ["system(", "%x(", "`", "| \"", "system(\"a", "$(shell ", "[\"a\","] {
        let code = unit.repeat(100_000 / unit.len());
        for program in ["ruby -e", "awk", "python3 -c", "perl -e", "make --eval", "sed"] {
            analysed(&format!("{program} '{code}'"));
        }
    }
}

#[test]
fn code_of_nothing_but_names_is_bounded() {
    for unit in [
        "p = \"a\"; open(p); ",
        "p = \"a\"\n",
        "subprocess.run(p); p = [\"a\", p]; ",
        "p = Path(\"a\") / \"b\"; p.unlink(); ",
        "(Path(\"a\") / ",
        "os.path.join(",
        "Path(\"a\").unlink() = ",
        "open(Path.home() / ",
        "subprocess.run([sys.executable, ",
    ] {
        for start in ["", "p = \"a\"\n"] {
            analysed(&format!("python3 -c '{start}{}'", unit.repeat(100_000 / unit.len())));
        }
    }
    let names: String = (0..8000).map(|at| format!("n{at} = \"a\"; open(n{at})\n")).collect();
    analysed(&format!("python3 -c '{}'", names.get(..100_000).unwrap_or_default()));
}

#[test]
fn texts_inside_texts_are_bounded() {
    let mut text = "rm -rf /".to_owned();
    for _ in 0..12 {
        text = format!("eval '{}'", text.replace('\'', "'\\''"));
    }
    assert_ne!(analysed(&text).coverage, Coverage::Complete);
}

#[test]
fn a_text_that_is_too_long_is_still_searched() {
    let text = "a".repeat(300 * 1024) + "\nrm -rf /";
    let analysis = analysed(&text);
    assert_eq!(analysis.coverage, Coverage::Unparsed);
    assert!(lists_removal(&analysis));
}

#[test]
fn a_text_with_an_error_is_still_searched() {
    for tail in ["\necho 'open", "\nfi", "\n)", "\nif true; then", "\n<<", "; ;;", "\0"] {
        let analysis = analysed(&format!("rm -rf /{tail}"));
        assert_ne!(analysis.coverage, Coverage::Complete, "{tail}");
        let guessed = analysis.commands.iter().find(|command| command.text().starts_with("rm -rf /"));
        assert!(guessed.is_some_and(|command| !command.certain), "{tail}");
    }
}

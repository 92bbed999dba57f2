//! When an analysis reaches any limit, it reports that in words that make policies ask.

#![cfg(test)]

use std::fmt::Write as _;

use guard_sdk::syntax::{Analysis, Coverage};

const LIMITS: &str = include_str!("../src/limits.rs");

/// Returns each constant with its value.
fn constants() -> Vec<(String, usize)> {
    let line = |line: &str| {
        let (name, value) = line.strip_prefix("pub(crate) const ")?.split_once(": usize = ")?;
        let factors = value.trim_end_matches(';').split(" * ").map(|factor| factor.replace('_', "").parse::<usize>());
        Some((name.to_owned(), factors.map(Result::unwrap).product()))
    };
    LIMITS.lines().filter_map(line).collect()
}

/// Returns whether policies ask because of an analysis: its text doesn't parse, or a reason contains one of these
/// words.
fn is_asked_about(analysis: &Analysis) -> bool {
    let told = |reason: &String| ["too ", "more "].iter().any(|word| reason.contains(word));
    match analysis.coverage {
        Coverage::Complete => false,
        Coverage::Unparsed => true,
        Coverage::Partial => analysis.reasons.iter().any(told),
    }
}

/// Returns lines, one for each number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect::<Vec<_>>().join("\n")
}

fn nested(depth: usize, open: &str, inner: &str, close: &str) -> String {
    format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
}

/// Limits, and a text that exceeds each: a start, the repeated part, the inner part, and the repeated end.
const REPEATED: &[(&str, &str, &str, &str, &str)] = &[
    ("SOURCE", "echo ", "a", "", ""),
    ("WORDS", "echo ", "a ", "", ""),
    ("NESTED_COMMANDS", "echo ", "$(echo ", "a", ")"),
    ("NESTED", "echo ", "\"${a:-", "b", "}\""),
    ("PATTERN_OPENERS", "ls ", "@(", "", ""),
    ("OPEN_BRACKETS", "echo ", "[", "", ""),
    ("OPEN_BRACES", "echo ", "{", "", ""),
    ("COMPOUNDS", "", "if true; then ", "ls", "; fi"),
    ("PARSER_DEPTH", "", "if true; then ", "ls", "; fi"),
    ("PREFIX_RUN", "", "time ", "ls", ""),
    ("EXPANSIONS", "echo ", "${a}", "", ""),
    ("WALK_DEPTH", "", "{ ", "ls", "; }"),
    ("WRAPPERS", "", "env ", "ls", ""),
    ("EFFECTS", "rm ", "a ", "", ""),
];

/// Limits, and lines that exceed each in large numbers, with `#` for the line's number.
const NUMBERED: &[(&str, &str)] = &[
    ("SCRIPTS", "python3 -c 'x = #'"),
    ("COMMANDS", "ls"),
    ("HEREDOCS", "cat <<E\nE"),
    ("VARIABLES", "v#=a"),
    ("VARIABLES", "alias a#=ls"),
    ("VARIABLES", "f#() { ls; }"),
    ("ALIASES", "alias a='ls #'"),
    ("OUTPUTS", "echo $(echo a)"),
    ("UNKNOWN", "thing# -- ls -l"),
    ("SOURCES", "./x#"),
    ("FILES", "echo x > f#"),
    ("FILES", "cp /bin/ls f#"),
];

/// Returns texts that start this many programs, in several languages.
fn starts(count: usize) -> Vec<String> {
    let repeated = |text: &str| text.repeat(count);
    vec![
        format!("psql <<E\n{}E", repeated("\\! ls\n")),
        format!("sqlite3 x <<E\n{}E", repeated(".shell ls\n")),
        format!("make -f - <<E\nall:\n{}E", repeated("\tls\n")),
        format!("python3 -c \"import os\n{}\"", lines(count, |index| format!("os.system('ls {index}')"))),
        format!("perl -e '{}'", repeated("system(\"ls\");")),
        format!("awk 'BEGIN{{{}}}'", repeated("system(\"ls\");")),
        format!("ruby -e '{}'", repeated("system(\"ls\");")),
        format!("crontab - <<E\n{}E", repeated("@daily ls\n")),
    ]
}

/// Returns texts that exceed a limit. `None` for a limit that only affects additional results.
fn beyond(name: &str, limit: usize) -> Option<Vec<String>> {
    let over = limit + 1;
    let repeated = REPEATED.iter().filter(|row| row.0 == name);
    let repeated =
        repeated.map(|(_, start, open, inner, close)| format!("{start}{}", nested(over, open, inner, close)));
    let numbered = NUMBERED.iter().filter(|row| row.0 == name);
    let numbered = numbered.map(|(_, line)| lines(over, |index| line.replace('#', &index.to_string())));
    let texts: Vec<String> = repeated.chain(numbered).collect();
    if !texts.is_empty() {
        return Some(texts);
    }
    let texts = match name {
        // The first words of a command with too many, and the text that the second parser also reads.
        "FIRST_WORDS" | "WITNESS" => return None,
        "RESULT" => {
            let value = "x".repeat(20_000);
            vec![format!("v={value}\n{}", lines(limit / 20_000 + 2, |_| "echo $v".to_owned()))]
        }
        "PARSED" => {
            let text = "echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa;".repeat(100);
            vec![format!("v='{text}'\n{}", lines(limit / text.len() + 2, |_| "eval \"$v\"".to_owned()))]
        }
        "MOUNTS" => {
            let volumes: String = (0..over).map(|index| format!("-v /a:/{index} ")).collect();
            vec![format!("docker run {volumes} alpine ls")]
        }
        "TEXT_DEPTH" => {
            let quote = |text: &str| format!("bash -c '{}'", text.replace('\'', "'\\''"));
            vec![(0..over).fold("ls".to_owned(), |text, _| quote(&text))]
        }
        "VARIANTS" => {
            vec![format!("cat {{{}}}", "a,".repeat(over)), format!("{{cat,{}}}{{a,b}}", "b,".repeat(limit / 2))]
        }
        "BRACE_DEPTH" => vec![format!("cat {}", nested(over + 1, "{a,", "b", "}"))],
        "VALUE" => {
            let long = "a".repeat(over);
            vec![
                format!("v={long}"),
                format!("v=$(echo {long})"),
                format!("alias a='{long}'"),
                format!("xargs rm <<< {long}"),
            ]
        }
        "ELEMENTS" => {
            let many = "a ".repeat(over);
            vec![format!("v=({many})"), format!("set -- {many}"), format!("echo {many} | xargs ls")]
        }
        "PARTS" => vec![format!("v={}", (0..over).map(|_| "a$b").collect::<String>().replace("a$b", "a${b}"))],
        "CALL_DEPTH" => {
            let next = |index: usize| format!("f{index}() {{ f{}; }}", index + 1);
            vec![format!("{}\nf0", lines(over, next))]
        }
        "CALLS" => vec![format!("f() {{ ls; }}\n{}", lines(over, |_| "f".to_owned()))],
        "LINKS" => vec![lines(over + 1, |index| format!("ln -s /etc q{index}; ls q{index}/"))],
        "LINES" => {
            let many = lines(over, |index| format!("a{index}"));
            vec![
                format!("while read -r x; do ls $x; done <<E\n{many}\nE"),
                format!("for x in {}; do ls $x; done", many.replace('\n', " ")),
                format!("xargs -I% ls % <<E\n{many}\nE"),
                format!("parallel ls ::: {}", many.replace('\n', " ")),
            ]
        }
        "LOOPS" => {
            let words = "a b c d e f g h i j k l m n o p q r s t";
            vec![
                format!("for x in a b c d; do ls {}; done", "b".repeat(over / 4 + 1)),
                format!("for x in {words}; do for y in {words}; do for z in {words}; do x=1; done; done; done"),
                lines(over / 1_000, |_| format!("for x in a b c d; do ls $x {}; done", "b".repeat(200))),
            ]
        }
        "STARTS" => starts(over),
        "REASONS" | "LISTED" => return None,
        other => panic!("no text is known that goes beyond `{other}`"),
    };
    Some(texts)
}

#[test]
fn every_limit_that_is_reached_says_so() {
    let mut silent = String::new();
    let constants = constants();
    assert!(constants.len() > 30);
    for (name, limit) in constants {
        for text in beyond(&name, limit).unwrap_or_default() {
            let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
            if !is_asked_about(&analysis) {
                let start: String = text.chars().take(60).collect();
                writeln!(silent, "{name}: {start:?} {:?} {:?}", analysis.coverage, analysis.reasons).unwrap();
            }
        }
    }
    assert!(silent.is_empty(), "\n{silent}");
}

#[test]
fn a_text_of_ordinary_size_reaches_none() {
    for text in [
        lines(40, |index| format!("v{index}=a; echo $v{index} > f{index}")),
        format!("while read -r x; do ls $x; done <<E\n{}\nE", lines(40, |index| format!("a{index}"))),
        format!("for x in {}; do ls $x; cat $x; done", "a b c d e ".repeat(8)),
        "for i in {1..500}; do echo $i; done".to_owned(),
        "for i in {1..9}; do for j in 1 2 3 4 5; do for k in {0..7}; do echo $i$j$k; done; done; done".to_owned(),
        lines(80, |index| {
            format!("for f in src/m{index}/*.ts src/m{index}/**/*.tsx; do npx eslint \"$f\" || true; done")
        }),
        "touch file{1..200}.txt".to_owned(),
        format!("gh pr create --body \"$(cat <<'E'\n{}E\n)\"", "a long line of prose\n".repeat(500)),
        lines(40, |_| "echo \"$(echo a)\"".to_owned()),
    ] {
        let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
        let start: String = text.chars().take(60).collect();
        assert!(!is_asked_about(&analysis), "{start:?}: {:?}", analysis.reasons);
    }
}

#[test]
fn limits_of_single_programs_say_so_as_well() {
    let rule = |index: usize| format!("t{index}:\n\tls");
    for text in [
        format!("thing {}", "a ".repeat(300)),
        format!("cat > Makefile <<'E'\n{}\nE\nmake", lines(300, rule)),
        format!("Rscript -e \"{}\"", "file.remove('a');".repeat(80)),
        format!("node -e \"{}\"", "fs.unlinkSync('a');".repeat(20_000)),
        format!("python3 -c \"import os\n{}\"", "os.remove('a')\n".repeat(20_000)),
    ] {
        let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
        let start: String = text.chars().take(60).collect();
        assert!(is_asked_about(&analysis), "{start:?}: {:?}", analysis.reasons);
    }
}

//! Actions of `awk` programs: commands that run, reads and writes.

use super::*;

/// Returns the program's commands, reads and writes in short form.
fn found(program: &str) -> Vec<String> {
    let shown = |act| match act {
        Action::Runs(pieces) => format!("runs {}", pieces.word().text),
        Action::Reads(pieces) => format!("reads {}", pieces.word().text),
        Action::Writes(pieces) => format!("writes {}", pieces.word().text),
    };
    acts(program, ["v=ls v"].into_iter()).into_iter().map(shown).collect()
}

#[track_caller]
fn check(rows: &[(&str, &[&str])]) {
    for (program, expected) in rows {
        assert_eq!(found(program), *expected, "{program}");
    }
}

#[test]
fn commands_of_a_program_are_found() {
    check(&[
        ("BEGIN{system(\"ls x\")}", &["runs ls x"]),
        ("BEGIN{system(v)}", &["runs ls v"]),
        ("BEGIN{c=\"ls\" \" x\"; c | getline y}", &["runs ls x"]),
        ("BEGIN{c=\"ls\"; c=c \" x\"; system((c))}", &["runs ls", "runs ls x"]),
        ("BEGIN{while ((\"ls x\" | getline l) > 0) print l}", &["runs ls x"]),
        ("{ print $1 | \"sort -u\" }", &["runs sort -u"]),
        ("{ printf(\"%s\", $1) |& \"cat\" }", &["runs cat"]),
        ("{ system(\"date -d \" $1) }", &["runs date -d $_"]),
        ("BEGIN{system(sprintf(\"ls %s\", \"x\"))}", &["runs ls x"]),
        ("BEGIN{system(\"l\\163\\x20x\")}", &["runs ls x"]),
        ("{ system($0) }", &["runs $_"]),
    ]);
}

#[test]
fn files_of_a_program_are_found() {
    check(&[
        ("BEGIN{getline l < \"a\"; print l}", &["reads a"]),
        ("BEGIN{f=\"a\"; while((getline l<f)>0)print l}", &["reads a"]),
        ("BEGIN{while ((getline < \"a\") > 0) n++}", &["reads a"]),
        ("{ getline x[$1] < (\"a\" \".b\") }", &["reads a.b"]),
        ("{ print $1, $2 > \"out\" }", &["writes out"]),
        ("{ print (1 > 2) >> \"out\" \".x\" }", &["writes out.x"]),
    ]);
}

#[test]
fn ordinary_programs_do_nothing_else() {
    for program in [
        "{ print $1 }",
        "$3 > 5 { n++ } END { print n }",
        "/a|b/ { print }",
        "$1 == \"system(\" || $2 > \"b\" { print }",
        "# system(\"ls\")\n{ print a/b/c }",
        "{ if (a > b || getline > 0) print \"x | y > z\" }",
        "\"",
        "/",
        "{ print >",
        "(((",
        "getline <",
    ] {
        assert!(found(program).iter().all(|act| act == "reads " || act == "writes "), "{program} {:?}", found(program));
    }
}

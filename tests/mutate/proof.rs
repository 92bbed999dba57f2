//! The rewrites preserve the meaning: a real bash does the same with a text and with its mutants, and nothing with
//! data.
//!
//! The commands are harmless and run in temporary folders.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;

use guard_engine::Analyzer;
use guard_kit::suite::mutate::{Preserved, REWRITES, Rewrite};

/// Texts of all kinds: single commands, lists, pipelines, compound commands, here-documents, functions, quotes,
/// variables.
const TEXTS: &[&str] = &[
    r"printf '<%s>\n' one 'two words' plain",
    "printf '<%s>\\n' \"three  words\" -rf a*b [x] ~/y",
    "show one 'two words' \"$HOME/x\" {a,b} -x=1 last",
    "show -n one two",
    "env show one",
    "show one && show two || show three",
    "show one; show two # a note",
    "show one | tr a-z A-Z | cat",
    "X=2 show one",
    "x='a b'; show \"$x\" $x",
    "for i in a b; do show $i; done",
    "while true; do show in; break; done",
    "if show a; then show b; fi",
    "f() { show \"in $1\"; return 0; }; f one",
    "set -- a b; show $1 \"$@\"",
    "cat <<'E'\nline $x `y`\nE",
    "cat <<E\nline $((1 + 2))\nE\nshow after",
    "cat <<< 'here it is'",
    "(show sub; cd /; show there)",
    "{ show group; } 2>&1",
    "! show negated",
    r"show it\'s 'it'\''s' $'a\tb'",
    "show \"quotes \\\" and \\$ and \\\\\"",
    "echo $(show inner)",
    "case x in x) show branch ;; esac",
    "show a &\nwait",
    "[[ -d / ]] && show yes",
    "\nshow 'first line'\nshow second",
    "show -- -x",
    "touch made",
    "mkdir -p d/e",
    "touch 'a file' other",
    "rm -rf build",
    "rm -r -f build other",
    "rm -r --force build",
    "rm -fr build",
    "/bin/rm -rf build",
    "cd d2 && touch inside",
    "cp seed copy",
    "exit 0",
];

/// Programs that replace others: one that shows its arguments, and those that a test must not really run.
const PROGRAMS: &[(&str, &str)] = &[
    ("show", "printf '<%s>\\n' \"$@\"\nprintf '<%s>' \"$@\" >> \"$LOG\""),
    ("sudo", "[ \"$1\" = -u ] && shift 2\nexec \"$@\""),
    ("doas", "exec \"$@\""),
    ("git", "exit 0"),
];

/// The results of running a text.
#[derive(Debug, PartialEq)]
struct Traces {
    /// Words of standard output.
    printed: Vec<String>,
    /// The arguments of `show`.
    shown: String,
    files: Vec<String>,
}

/// Returns the folder with the programs. Another process writes them, because a file that this process, or another
/// test's child, has open for writing can't be executed.
fn programs() -> &'static Path {
    static FOLDER: OnceLock<tempfile::TempDir> = OnceLock::new();
    let made = || {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in PROGRAMS {
            let mut written = Command::new("sh");
            written.args(["-c", "printf '%s\\n' '#!/bin/sh' \"$1\" > \"$0\" && chmod 755 \"$0\""]);
            assert!(written.arg(folder.path().join(name)).arg(script).status().unwrap().success());
        }
        folder
    };
    FOLDER.get_or_init(made).path()
}

fn run(text: &str) -> Traces {
    let folder = tempfile::tempdir().unwrap();
    let [cwd, home] = ["cwd", "home"].map(|name| folder.path().join(name));
    for folder in [&cwd.join("build"), &cwd.join("d2"), &home] {
        fs::create_dir_all(folder).unwrap();
    }
    fs::write(cwd.join("build/x"), "").unwrap();
    fs::write(cwd.join("seed"), "s").unwrap();
    let path = format!("{}:/usr/bin:/bin", programs().display());
    // A login shell sets its own.
    fs::write(home.join(".bash_profile"), format!("PATH={path}\n")).unwrap();
    let log = folder.path().join("log");
    let mut bash = Command::new("bash");
    bash.args(["-c", text]).current_dir(&cwd).env_clear().stdin(Stdio::null()).stderr(Stdio::null());
    bash.env("PATH", &path).env("HOME", "/tmp/nobody").env("LOG", &log);
    if text.contains("bash -lc") {
        bash.env("HOME", &home);
    }
    let output = bash.output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).replace(home.to_str().unwrap(), "/tmp/nobody");
    let shown = fs::read_to_string(&log).unwrap_or_default().replace(home.to_str().unwrap(), "/tmp/nobody");
    Traces { printed: printed.split_whitespace().map(str::to_owned).collect(), shown, files: files(&cwd) }
}

fn files(folder: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        names.push(entry.file_name().into_string().unwrap());
        if entry.file_type().unwrap().is_dir() {
            names.extend(files(&entry.path()));
        }
    }
    names.sort();
    names
}

fn has(program: &str) -> bool {
    Command::new(program).arg("--version").stdin(Stdio::null()).output().is_ok()
}

/// Returns whether the wrapper program of a rewrite exists on this machine.
fn can_be_run(rewrite: &Rewrite) -> bool {
    let needed = ["setsid", "stdbuf", "nohup", "timeout", "nice"];
    !needed.contains(&rewrite.id) || has(rewrite.id)
}

fn rewritten(rewrite: &Rewrite, text: &str, analyzer: &Analyzer) -> Option<String> {
    rewrite.command(text, analyzer, "/repo", "/tmp/nobody")
}

/// Returns the rewrites that apply to these texts, and the differences.
fn compare(texts: &[&str], analyzer: &Analyzer) -> (BTreeSet<&'static str>, Vec<String>) {
    let (mut proved, mut wrong) = (BTreeSet::new(), Vec::new());
    for text in texts {
        let expected = run(text);
        let deeds = REWRITES.iter().filter(|rewrite| rewrite.keeps != Preserved::Text && can_be_run(rewrite));
        for rewrite in deeds {
            let Some(mutant) = rewritten(rewrite, text, analyzer) else { continue };
            let mut got = run(&mutant);
            // Nothing else may be dropped.
            if rewrite.id == "output-dropped" {
                got.printed.clone_from(&expected.printed);
            }
            if got != expected {
                wrong.push(format!("{}: {text:?} becomes {mutant:?}\n  {expected:?}\n  {got:?}", rewrite.id));
            }
            proved.insert(rewrite.id);
        }
    }
    (proved, wrong)
}

#[test]
fn a_real_bash_does_the_same_with_each_mutant() {
    let subject = super::subject("write-control");
    // Starting processes takes most of the time.
    let results: Vec<(BTreeSet<&str>, Vec<String>)> = thread::scope(|scope| {
        let parts = TEXTS.chunks(TEXTS.len().div_ceil(4));
        let threads: Vec<_> = parts.map(|texts| scope.spawn(|| compare(texts, subject.analyzer()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (proved, wrong): (Vec<_>, Vec<_>) = results.into_iter().unzip();
    let (proved, wrong): (BTreeSet<&str>, Vec<String>) = (proved.into_iter().flatten().collect(), wrong.concat());
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let deeds = REWRITES.iter().filter(|rewrite| rewrite.keeps != Preserved::Text && !rewrite.is_of_paths());
    let open: Vec<&str> = deeds
        .filter(|rewrite| can_be_run(rewrite))
        .map(|rewrite| rewrite.id)
        .filter(|id| !proved.contains(id))
        .collect();
    // It only applies to commands that no test may run.
    assert_eq!(open, ["ssh"]);
}

#[test]
fn a_real_bash_runs_nothing_of_what_is_data() {
    let subject = super::subject("write-control");
    for text in [
        "touch made",
        "it's; touch made",
        "show \"$(touch made)\" # `touch made`",
        "show a\ntouch made\nEND\ntouch made",
    ] {
        assert!(text.starts_with("it's") || run(text).files.contains(&"made".to_owned()), "{text:?}");
        for rewrite in REWRITES.iter().filter(|rewrite| rewrite.keeps == Preserved::Text) {
            let Some(mutant) = rewritten(rewrite, text, subject.analyzer()) else { continue };
            let got = run(&mutant);
            assert!(!got.files.contains(&"made".to_owned()) && got.shown.is_empty(), "{}: {mutant:?}", rewrite.id);
        }
    }
}

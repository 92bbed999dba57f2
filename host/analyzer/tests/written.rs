//! Text that is written first and runs later, in one text.

#![cfg(test)]

use guard_sdk::syntax::{Analysis, Coverage};

fn analyze(command: &str) -> Analysis {
    guard_testing::analyze(command, "bash", "/repo", "/home/u")
}

/// Asserts that the text deletes this tree in some way.
#[track_caller]
fn deletes(command: &str, place: &str) {
    let analysis = analyze(command);
    let found = analysis.effects.iter().any(|e| e.operation == "fs.delete.recursive" && e.path.raw == place);
    let all: Vec<_> = analysis.commands.iter().map(|command| command.text()).collect();
    assert!(found, "{command}\n{all:#?} {:?}", analysis.reasons);
}

fn is_asked(command: &str) -> bool {
    analyze(command).reasons.iter().any(|reason| reason.contains("the text itself writes runs"))
}

const GONE: &str = "/home/u/gone";

#[test]
fn what_a_compound_command_prints_is_in_the_file() {
    for command in [
        "{ echo 'rm -rf ~/gone'; } > x.sh; sh x.sh",
        "{ echo '#!/bin/sh'; printf 'rm -rf %s\\n' '~/gone'; } > x.sh && bash ./x.sh",
        "( cd sub; echo 'rm -rf ~/gone' ) > x.sh; . ./x.sh",
        "if true; then echo 'rm -rf ~/gone'; fi > x.sh; sh x.sh",
        "for word in 'rm -rf ~/gone'; do echo \"$word\"; done > x.sh; sh x.sh",
        "{ echo ls; { echo 'rm -rf ~/gone'; }; } > x.sh; sh x.sh",
        "bash -c \"echo 'rm -rf ~/gone'\" > x.sh; sh x.sh",
        "{ cat <<'E'\nrm -rf ~/gone\nE\n} > x.sh; sh x.sh",
    ] {
        deletes(command, GONE);
    }
}

#[test]
fn a_written_file_is_followed_under_its_other_names() {
    for made in [
        "cp a b",
        "mv a b",
        "ln -s a b",
        "ln -s /repo/a b",
        "ln a b",
        "install -m 755 a b",
        "rsync a b",
        "cat a > b",
        "cat < a > b",
        "dd if=a of=b",
        "cp a c; mv c b",
        "mkdir d; cp a d; mv d/a b",
        "tee b < a",
        "sort -o b a",
        "mkdir d; mv a d; mv d e; cp e/a b",
    ] {
        deletes(&format!("echo 'rm -rf ~/gone' > a; {made}; sh b"), GONE);
    }
}

#[test]
fn every_way_to_write_a_file_counts() {
    for written in [
        "dd of=x.sh <<< 'rm -rf ~/gone'",
        "echo 'rm -rf ~/gone' | dd of=x.sh",
        "install /dev/stdin x.sh <<< 'rm -rf ~/gone'",
        "cp /dev/stdin x.sh <<< 'rm -rf ~/gone'",
        "sort -o x.sh <<< 'rm -rf ~/gone'",
        "sort --output=x.sh <<< 'rm -rf ~/gone'",
        "sed -n 'w x.sh' <<< 'rm -rf ~/gone'",
        "echo 'rm -rf ~/gone' | tee x.sh",
        "echo 'rm -rf ~/gone' | tee -a x.sh > /dev/null",
        "printf 'rm -rf' > x.sh; printf ' ~/gone' >> x.sh",
        "echo -n 'rm -rf' > x.sh; echo ' ~/gone' >> x.sh",
        "echo ls > x.sh; echo 'rm -rf ~/gone' >> x.sh",
        "p=gone; echo \"rm -rf ~/$p\" > x.sh",
    ] {
        deletes(&format!("{written}; sh x.sh"), GONE);
    }
}

#[test]
fn a_file_is_found_by_patterns_and_by_the_path_of_programs() {
    for run in [
        "sh *.sh",
        "sh ?.sh",
        "bash /repo/[w-y].sh",
        "for f in *.sh; do sh \"$f\"; done",
        "find . -name '*.sh' -exec sh {} \\;",
        "chmod +x x.sh; PATH=.:$PATH x.sh",
        "PATH=$PWD:$PATH; x.sh",
        "export PATH=\"$(pwd):$PATH\" && x.sh",
        "env PATH=/repo:/usr/bin x.sh",
        "sh \"$(pwd)/x.sh\"",
        "mkdir bin; mv x.sh bin/tool; tool",
        "eval \"$(cat x.sh)\"",
        "cat x.sh | bash",
    ] {
        deletes(&format!("echo 'rm -rf ~/gone' > x.sh; {run}"), GONE);
    }
    deletes("cat /bin/rm > z; chmod +x z; ./z -rf ~/gone", GONE);
    deletes("rsync /bin/rm z; mv z y; ./y -rf ~/gone", GONE);
    deletes("mkdir bin; cp /bin/rm bin/tidy; PATH=$PWD/bin:$PATH tidy -rf ~/gone", GONE);
}

#[test]
fn rules_scripts_and_code_run_from_written_files() {
    for command in [
        "printf 'x:\\n\\trm -rf ~/gone\\n' > q.mk; make -fq.mk",
        "printf 'x:\\n\\trm -rf ~/gone\\n' > q.mk; make --file=q.mk x",
        "mkdir d; printf 'x:\\n\\trm -rf ~/gone\\n' > d/Makefile; make -C d",
        "echo '{\"scripts\":{\"test\":\"rm -rf ~/gone\"}}' > package.json && npm test",
        "echo '{\"scripts\": {\"pretest\" : \"rm -rf ~/gone\", \"test\":\"x\"}}' > package.json; npm t",
        "cat > package.json <<'E'\n{\"scripts\":{\"go\":\"rm -rf ~/gone\"}}\nE\nyarn go",
        "echo '{\"scripts\":{\"postinstall\":\"rm -rf ~/gone\"}}' > package.json; pnpm install",
        "mkdir p; echo '{\"scripts\":{\"go\":\"rm -rf ~/gone\"}}' > p/package.json; npm --prefix p run go",
        "echo 'BEGIN{system(\"rm -rf ~/gone\")}' > a.awk; awk -f a.awk",
        "echo 'import os; os.system(\"rm -rf ~/gone\")' > a.py; python3 -m a",
        "echo 'import os; os.system(\"rm -rf ~/gone\")' > a.py; uv run a.py",
        "echo 'require(\"child_process\").execSync(\"rm -rf ~/gone\")' > a.js; node a",
        "echo 'require(\"child_process\").execSync(\"rm -rf ~/gone\")' > index.js; node .",
        "echo 'require(\"child_process\").execSync(\"rm -rf ~/gone\")' > a.js; node -r ./a.js -e 1",
        "echo 'require(\"child_process\").execSync(\"rm -rf ~/gone\")' > a.ts; bun run a.ts",
        "echo ':!rm -rf ~/gone' > a.vim; vim -S a.vim",
        "echo '1e rm -rf ~/gone' > a.sed; sed -f a.sed x",
    ] {
        deletes(command, GONE);
    }
}

#[test]
fn what_cannot_be_known_is_said_when_it_runs() {
    for command in [
        "./make-script > x.sh; mv x.sh y.sh; sh y.sh",
        "echo 'rm x' | sed s/x/y/ > x.sh; sh x.sh",
        "./make-script | tee x.sh; bash x.sh",
        "{ echo '#!/bin/sh'; ./make-script; } > x.sh; ./x.sh",
        "./make-script > a.py; python3 a.py",
        "jq .x in.json > package.json; npm test",
        "./make-script > x.sh; bash < x.sh",
        "./make-code > x.py; python3 < x.py",
        "sed -n 's/a/b/w x.sh' <<< 'text'; sh x.sh",
    ] {
        assert!(is_asked(command), "{command}: {:?}", analyze(command).reasons);
    }
}

#[test]
fn what_lay_there_before_or_does_not_run_is_nothing_new() {
    for command in [
        "./make-script > out.txt; cat out.txt",
        "cargo test 2>&1 | tee log; grep failed log",
        "cargo test > log 2>&1; wc -l < log; while read -r line; do echo \"$line\"; done < log",
        "cp template.sh run.sh; sh run.sh",
        "cat a.sh b.sh > c.sh && sh c.sh",
        "sed s/a/b/ x.sh > y.sh && sh y.sh",
        "echo data > notes.txt; sh build.sh",
        "export PATH=$HOME/bin:$PATH; ./make-script > out; ls",
        "gcc -o x x.c && ./x",
        "echo 'FROM scratch' > Dockerfile; docker build .",
        "mkdir -p bin; cp tool bin/; bin/tool --help",
        "git show HEAD:x.sh > x.sh; sh x.sh",
    ] {
        let analysis = analyze(command);
        assert!(analysis.coverage == Coverage::Complete, "{command}: {:?}", analysis.reasons);
    }
}

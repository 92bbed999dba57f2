//! Text that runs files on the machine.

#![cfg(test)]

use std::collections::BTreeMap;

use guard_sdk::syntax::{Analysis, Coverage};

fn analyze(files: &[(&str, &str)], command: &str) -> Analysis {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    guard_testing::analyze_among(&files, command, "/repo", "/home/u")
}

/// Asserts that the text deletes the tree through this file, or one that it runs.
#[track_caller]
fn deletes(files: &[(&str, &str)], command: &str) {
    let analysis = analyze(files, command);
    let gone = analysis.effects.iter().find(|e| e.operation == "fs.delete.recursive" && e.path.raw == "/home/u/gone");
    let all: Vec<_> = analysis.commands.iter().map(|command| (command.text(), &command.via)).collect();
    let Some(gone) = gone else { panic!("{command}\n{all:#?} {:?} {:?}", analysis.effects, analysis.reasons) };
    let by = analysis.commands.iter().find(|command| command.id == gone.command_id).unwrap();
    assert!(by.via.iter().any(|via| via.kind == "script" && via.detail.starts_with('/')), "{command}: {:?}", by.via);
}

const SHELL: &str = "set -eu\ncd \"$(dirname \"$0\")\"\nrm -rf ~/gone\n";
const PYTHON: &str = "import shutil, os\nshutil.rmtree(os.path.expanduser('~/gone'))\n";
const NODE: &str = "require('fs').rmSync(process.env.HOME + '/gone', { recursive: true })\n";

#[test]
fn a_script_of_shell_is_followed() {
    for command in [
        "bash x.sh",
        "sh ./x.sh a b",
        "./x.sh",
        "/repo/x.sh",
        "source x.sh",
        ". ./x.sh",
        "cd sub && bash ../x.sh",
        "sudo bash x.sh",
        "timeout 5 ./x.sh",
        "nohup ./x.sh &",
        "bash < x.sh",
        "cat x.sh | bash",
        "bash -x -- x.sh",
        "cp x.sh y.sh && bash y.sh",
        "cat x.sh > y.sh; bash y.sh",
        "mv x.sh /tmp/y.sh; sh /tmp/y.sh",
        "ln -s x.sh y.sh; ./y.sh",
        "echo true >> x.sh; bash x.sh",
        "f() { ./x.sh; }; f",
        "bash -c 'source x.sh'",
        "X=x; bash $X.sh",
        "echo a | xargs ./x.sh",
        "find . -name '*.log' -exec ./x.sh {} ';'",
        "if bash x.sh; then ls; fi",
        "watch -n 1 ./x.sh",
        "parallel ./x.sh ::: a",
        "exec ./x.sh",
    ] {
        deletes(&[("/repo/x.sh", SHELL)], command);
        deletes(&[("/repo/x.sh", &format!("#!/bin/bash -e\n{SHELL}"))], command);
    }
}

#[test]
fn a_script_that_runs_another_is_followed() {
    let files =
        [("/repo/a.sh", "#!/bin/sh\n. lib/b.sh\ngo\n"), ("/repo/lib/b.sh", "go() { ./c; }\n"), ("/repo/c", SHELL)];
    deletes(&files, "./a.sh");
    deletes(&[("/repo/a", "python3 b.py"), ("/repo/b.py", PYTHON)], "sh a");
    deletes(&[("/repo/b.py", "import os\nos.system('sh c.sh')\n"), ("/repo/c.sh", SHELL)], "python3 b.py");
    deletes(&[("/repo/a.sh", "rm -rf \"$1\"\n")], "bash a.sh ~/gone");
    deletes(&[("/repo/a.sh", "rm -rf \"$D\"\n")], "D=~/gone bash a.sh");
}

#[test]
fn code_of_other_languages_is_followed() {
    for (file, code, commands) in [
        (
            "/repo/x.py",
            PYTHON,
            &[
                "python3 x.py",
                "python x.py -v",
                "python3 < x.py",
                "cat x.py | python3",
                "python3 -m x",
                "uv run x.py",
                "env A=1 python3 -u x.py",
            ][..],
        ),
        ("/repo/x.js", NODE, &["node x.js", "node x", "bun x.js", "node < x.js", "cat x.js | node"][..]),
        ("/repo/x.ts", NODE, &["npx tsx x.ts", "deno run -A x.ts", "bun run x.ts"][..]),
        ("/repo/x", &format!("#!/usr/bin/env python3\n{PYTHON}"), &["./x"][..]),
        ("/repo/x.rb", "system('rm -rf ~/gone')\n", &["ruby x.rb"][..]),
        ("/repo/x.pl", "system('rm -rf ~/gone');\n", &["perl x.pl"][..]),
        ("/repo/x.php", "<?php system('rm -rf ~/gone');\n", &["php x.php", "php -f x.php"][..]),
    ] {
        for command in commands {
            deletes(&[(file, code)], command);
        }
    }
}

#[test]
fn the_tasks_of_a_project_are_followed() {
    let package =
        r#"{ "name": "a", "scripts": { "x": "npm run y", "prey": "rm -rf ~/gone", "y": "true", "test": "node t" } }"#;
    let make = "all: x\nx:\n\trm -rf ~/gone\nother:\n\ttrue\n";
    for (file, text, commands) in [
        (
            "/repo/package.json",
            package,
            &["npm run y", "npm run x", "yarn x", "pnpm -s run y", "cd sub; npm run y"][..],
        ),
        ("/repo/Makefile", make, &["make", "make x", "make -C /repo all", "gmake -j4 x"][..]),
        ("/repo/build.mk", make, &["make -f build.mk"][..]),
        ("/repo/justfile", "x:\n    rm -rf ~/gone\n", &["just", "just x"][..]),
        ("/repo/Taskfile.yml", "tasks:\n  x:\n    cmds:\n      - rm -rf ~/gone\n", &["task x", "go-task x"][..]),
        (
            "/repo/composer.json",
            r#"{ "scripts": { "x": ["true", "rm -rf ~/gone"] } }"#,
            &["composer x", "composer run x"][..],
        ),
        ("/repo/deno.json", r#"{ "tasks": { "x": "rm -rf ~/gone" } }"#, &["deno task x"][..]),
        ("/repo/pyproject.toml", "[tool.poe.tasks]\nx = \"rm -rf ~/gone\"\n", &["poe x"][..]),
        ("/repo/tox.ini", "[testenv]\ncommands =\n    rm -rf ~/gone\n", &["tox", "tox -e py"][..]),
        ("/repo/noxfile.py", PYTHON, &["nox"][..]),
        ("/repo/tasks.py", PYTHON, &["inv x"][..]),
        ("/repo/conftest.py", PYTHON, &["pytest", "pytest -q tests"][..]),
        ("/repo/setup.py", PYTHON, &["pip install .", "pip install -e .", "python3 setup.py build"][..]),
    ] {
        for command in commands {
            deletes(&[(file, text)], command);
        }
    }
    let analysis = analyze(&[("/repo/Makefile", make)], "make other");
    assert!(analysis.effects.iter().all(|effect| effect.kind != "delete"), "{:?}", analysis.effects);
    let analysis = analyze(&[("/repo/package.json", package)], "npm test");
    assert!(analysis.effects.iter().all(|effect| effect.kind != "delete"), "{:?}", analysis.effects);
}

#[test]
fn hooks_of_git_are_followed() {
    let files = |config: &'static str, hook| [("/repo/.git/config", config), (hook, SHELL)];
    let plain = "[core]\n\tbare = false\n";
    deletes(&files(plain, "/repo/.git/hooks/pre-commit"), "git commit -m x");
    deletes(&files(plain, "/repo/.git/hooks/pre-push"), "cd sub && git push");
    deletes(&files("[core]\n\thooksPath = .githooks\n", "/repo/.githooks/commit-msg"), "git commit -m x");
    deletes(&files("[core]\n\thooksPath = .husky/_\n", "/repo/.husky/pre-commit"), "git commit -am x");
    deletes(&files(plain, "/repo/h/post-merge"), "git -c core.hooksPath=h pull");
    let lefthook = [
        ("/repo/.git/config", plain),
        ("/repo/.git/hooks/pre-commit", "#!/bin/sh\nlefthook run pre-commit \"$@\"\n"),
        ("/repo/lefthook.yml", "pre-commit:\n  commands:\n    a:\n      run: rm -rf ~/gone\n"),
    ];
    deletes(&lefthook, "git commit -m x");
    let analysis = analyze(&files(plain, "/repo/.git/hooks/pre-commit"), "git status");
    assert_eq!(analysis.commands.len(), 1, "{:?}", analysis.commands);
}

#[test]
fn statements_of_a_database_are_followed() {
    for (command, is_dropped) in [
        ("psql -f x.sql", true),
        ("psql -h db --file=x.sql", true),
        ("psql shop < x.sql", true),
        ("mysql shop < x.sql", true),
        ("sqlite3 a.db < x.sql", true),
        ("cat x.sql | psql", true),
        ("psql -c 'select 1'", false),
    ] {
        let analysis = analyze(&[("/repo/x.sql", "BEGIN;\nDROP TABLE users;\nCOMMIT;\n")], command);
        let found = analysis.effects.iter().any(|effect| effect.operation == "sql.drop-table");
        assert_eq!(found, is_dropped, "{command} {:?}", analysis.effects);
    }
}

#[test]
fn a_command_of_a_file_has_its_line() {
    let analysis =
        analyze(&[("/repo/x.sh", "#!/bin/sh\n\necho \\\n  a\nif true; then\n  rm -rf ~/gone\nfi\n")], "bash x.sh");
    let by = analysis.commands.iter().find(|command| command.program() == "rm").unwrap();
    let ways: Vec<_> = by.via.iter().map(|via| (via.kind.as_str(), via.detail.as_str())).collect();
    assert_eq!(ways, [("script", "/repo/x.sh"), ("line", "6")]);
    assert_eq!(analysis.coverage, Coverage::Complete, "{:?}", analysis.reasons);
}

#[test]
fn a_file_on_another_machine_and_a_program_of_the_system_are_not_read() {
    let files = [("/repo/x.sh", SHELL), ("/usr/bin/ls", SHELL), ("/repo/ls", SHELL)];
    for command in [
        "ssh h bash x.sh",
        "docker run alpine sh x.sh",
        "/usr/bin/ls",
        "cat x.sh",
        "ls",
        "chmod +x x.sh",
        "bash -n x.sh",
    ] {
        let analysis = analyze(&files, command);
        assert!(analysis.effects.iter().all(|effect| effect.kind != "delete"), "{command} {:?}", analysis.effects);
    }
}

#[test]
fn a_file_that_runs_itself_ends() {
    for (files, command) in [
        (&[("/repo/x.sh", "./x.sh; bash x.sh\n")][..], "./x.sh"),
        (&[("/repo/a.sh", ". b.sh"), ("/repo/b.sh", ". a.sh")][..], "sh a.sh"),
        (&[("/repo/package.json", r#"{"scripts":{"a":"npm run b","b":"npm run a"}}"#)][..], "npm run a"),
        (&[("/repo/Makefile", "a:\n\tmake a\n")][..], "make a"),
    ] {
        assert!(analyze(files, command).commands.len() < 64, "{command}");
    }
}

#[test]
fn a_script_finds_others_beside_itself() {
    for line in [
        "\"$(dirname \"$0\")/c.sh\"",
        ". \"${BASH_SOURCE%/*}/c.sh\"",
        "here=\"$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\"\nbash \"$here/c.sh\"",
        "cd \"$(dirname \"$0\")\"\n./c.sh",
        "bash \"$(dirname \"$(realpath \"$0\")\")/c.sh\"",
        "bash \"$(dirname \"$(readlink -f \"$0\")\")/c.sh\"",
        "bash \"$(git rev-parse --show-toplevel)/t/c.sh\"",
        ". -- \"$(dirname \"$0\")/c.sh\"",
    ] {
        let files = [("/repo/t/a.sh", line), ("/repo/t/c.sh", SHELL), ("/repo/.git/config", "")];
        deletes(&files, "bash t/a.sh");
        deletes(&files, "cd t; bash ./a.sh");
    }
}

#[test]
fn the_modules_that_code_loads_are_followed() {
    for (code, module) in [
        ("import x\n", "/repo/x.py"),
        ("from . import x\n", "/repo/x.py"),
        ("from p.q import r\n", "/repo/p/q.py"),
        ("import p\n", "/repo/p/__init__.py"),
    ] {
        deletes(&[("/repo/a.py", code), (module, PYTHON)], "python3 a.py");
        deletes(&[("/repo/a.py", code), (module, PYTHON)], &format!("python3 -c '{}'", code.trim()));
    }
    deletes(&[("/repo/a.py", "import b"), ("/repo/b.py", "import c"), ("/repo/c.py", PYTHON)], "python3 a.py");
    for code in ["require('./x')", "import x from './x.js'", "await import(\"./x\")", "new Worker('./x.js')"] {
        deletes(&[("/repo/a.js", code), ("/repo/x.js", NODE)], "node a.js");
    }
    deletes(&[("/repo/src/a.js", "require('../lib')"), ("/repo/lib/index.js", NODE)], "node src/a.js");
}

#[test]
fn aliases_of_the_repository_are_followed() {
    let config = "[core]\n\tbare = false\n[alias]\n\tz = !rm -rf ~/gone\n\tp = push --force origin main\n";
    deletes(&[("/repo/.git/config", config)], "git z");
    let analysis = analyze(&[("/repo/.git/config", config)], "git p");
    assert!(analysis.effects.iter().any(|effect| effect.operation == "git.push.force"), "{:?}", analysis.effects);
}

#[test]
fn a_makefile_is_read_as_make_reads_it() {
    let gone = "t:\n\trm -rf ~/gone\n";
    deletes(&[("/repo/Makefile", "t:\n\ttrue\n"), ("/repo/GNUmakefile", gone)], "make t");
    deletes(&[("/repo/Makefile", "t:\n\ttrue\n"), ("/repo/justfile", gone)], "just t");
    deletes(&[("/repo/Makefile", "RM = rm -rf\nD := ~/gone\nt:\n\t$(RM) ${D}\n")], "make t");
    let analysis = analyze(&[("/repo/Makefile", "all:\n\t$(MAKE) -C docs html\n")], "make");
    assert_eq!(analysis.coverage, Coverage::Complete, "{:?}", analysis.reasons);
    let just = "build target:\n    cargo build\nrelease:\n    rm -rf ~/gone\n";
    let analysis = analyze(&[("/repo/justfile", just)], "just build release");
    assert!(analysis.effects.iter().all(|effect| effect.kind != "delete"), "{:?}", analysis.effects);
}

#[test]
fn what_a_file_is_given_is_told_wherever_it_goes() {
    let is_given = |text: &str, command: &str| {
        let analysis = analyze(&[("/repo/a.sh", text)], command);
        let by = analysis.commands.iter().find(|command| command.program() == "rm");
        let by = by.unwrap_or_else(|| panic!("{text} {:?}", analysis.commands));
        by.via.iter().any(|via| via.kind == "given")
    };
    for text in [
        "rm -rf \"$1\"",
        "D=$1\nrm -rf \"$D\"",
        "f() { local t=$1; rm -rf \"$t\"; }\nf \"$1\"",
        "for x in \"$@\"; do rm -rf \"$x\"; done",
        "A=(\"$@\")\nB=${A[0]}\nrm -rf \"$B\"",
        "while [ $# -gt 0 ]; do case $1 in -d) D=$2; shift;; esac; shift; done\nrm -rf \"$D\"",
        "D=$(realpath \"$1\")\nrm -rf \"$D\"",
    ] {
        assert!(is_given(text, "bash a.sh ~/x"), "{text}");
        assert!(!is_given("rm -rf build", "bash a.sh ~/x"));
        assert!(!is_given(text, "bash a.sh"), "{text}");
    }
    assert!(is_given("read D; rm -rf \"$D\"", "echo x | bash a.sh"));
    assert!(is_given("rm -rf \"$D\"", "D=x bash a.sh"));
    assert!(is_given("rm -rf build", "cat b >> a.sh; bash a.sh"));
    assert!(is_given("rm -rf build", "git checkout other; bash a.sh"));
}

#[test]
fn a_folder_that_a_script_makes_for_itself_is_its_own() {
    let text = "#!/bin/bash\nset -e\nT=$(mktemp -d)\ntrap 'rm -rf \"$T\"' EXIT\ncp a \"$T\"\n";
    let analysis = analyze(&[("/repo/a.sh", text)], "bash a.sh");
    let gone = analysis.effects.iter().find(|effect| effect.operation == "fs.delete.recursive").unwrap();
    let inline = guard_testing::analyze(text, "bash", "/repo", "/home/u");
    let same = inline.effects.iter().find(|effect| effect.operation == "fs.delete.recursive").unwrap();
    assert_eq!((&gone.path.raw, gone.certain), (&same.path.raw, same.certain));
}

#[test]
fn a_program_that_an_option_or_a_variable_names_is_followed() {
    for command in [
        "git bisect run ./x",
        "git rebase -x ./x main",
        "git submodule foreach ../repo/x",
        "GIT_EDITOR=./x git commit",
        "GIT_SSH_COMMAND=/repo/x git fetch",
        "git -c core.pager=./x log",
        "rsync -e ./x a b:",
        "tar xf a.tar --to-command=./x",
        "BASH_ENV=x bash -c true",
        "export BASH_ENV=./x; bash -c true",
        "bash --rcfile x -ic true",
        "make all SHELL=./x",
        "npm run a --script-shell=./x",
    ] {
        deletes(&[("/repo/x", &format!("#!/bin/sh\n{SHELL}"))], command);
    }
    deletes(&[("/repo/x.js", NODE)], "NODE_OPTIONS='-r ./x.js' node y.js");
    let analysis = analyze(&[], "GIT_EDITOR=/usr/bin/vi git commit");
    assert_eq!(analysis.commands.len(), 1, "{:?}", analysis.commands);
}

#[test]
fn a_file_on_the_input_lies_here_wherever_the_program_runs() {
    for command in
        ["ssh h bash -s < x.sh", "ssh h 'bash -s' < x.sh", "docker exec -i c sh < x.sh", "cat x.sh | ssh h bash"]
    {
        let analysis = analyze(&[("/repo/x.sh", "rm -rf /srv\n")], command);
        let gone = analysis.effects.iter().find(|effect| effect.operation == "fs.delete.recursive");
        assert!(gone.is_some_and(|gone| gone.tag("where").is_some()), "{command}: {:?}", analysis.effects);
    }
    let analysis = analyze(&[("/repo/x.sql", "DROP TABLE a;")], "docker exec -i db psql shop < x.sql");
    assert!(analysis.effects.iter().any(|effect| effect.operation == "sql.drop-table"), "{:?}", analysis.effects);
}

#[test]
fn a_folder_that_was_copied_holds_what_it_held() {
    for command in [
        "cp -r t out && bash out/x.sh",
        "mv t out; out/x.sh",
        "head -n 9 t/x.sh > y; sh y",
        "rsync -a t/ /tmp/o; sh /tmp/o/x.sh",
    ] {
        deletes(&[("/repo/t/x.sh", SHELL)], command);
    }
}

#[test]
fn code_that_a_launcher_runs_is_followed() {
    for command in [
        "python3 -m pdb x.py",
        "python3 -m cProfile -o out x.py",
        "coverage run x.py",
        "coverage run --branch x.py a",
        "streamlit run x.py",
        "torchrun --nproc_per_node 2 x.py",
        "ipython x.py",
    ] {
        deletes(&[("/repo/x.py", PYTHON)], command);
    }
    deletes(&[("/repo/x.js", NODE)], "nodemon x.js");
    deletes(&[("/repo/x.js", NODE)], "npx pm2 start x.js");
}

#[test]
fn statements_take_in_files() {
    for (text, command) in [
        ("\\i b.sql\n", "psql -f a.sql"),
        ("\\ir b.sql\n", "psql shop < a.sql"),
        ("source b.sql;\n", "mysql shop < a.sql"),
        (".read b.sql\n", "sqlite3 x.db < a.sql"),
        ("", "psql -c '\\i b.sql'"),
        ("", "mysql -e 'source b.sql'"),
        ("", "sqlite3 x.db '.read b.sql'"),
        ("", "psql <<E\n\\i b.sql\nE"),
    ] {
        let analysis = analyze(&[("/repo/a.sql", text), ("/repo/b.sql", "DROP TABLE a;\n")], command);
        let found = analysis.effects.iter().any(|effect| effect.operation == "sql.drop-table");
        assert!(
            found,
            "{command} {:?} {:?}",
            analysis.commands.iter().map(|c| c.text()).collect::<Vec<_>>(),
            analysis.effects
        );
    }
}

#[test]
fn what_builds_a_project_is_read() {
    for (file, text, command) in [
        (
            "build.rs",
            "fn main() {\n    std::process::Command::new(\"rm\").arg(\"-rf\").args([\"/home/u/gone\"]).status().unwrap();\n}\n",
            "cargo build --release",
        ),
        ("build.rs", "fn main() { std::fs::remove_dir_all(\"/home/u/gone\").unwrap(); }\n", "cargo +nightly test x"),
        (
            "build.rs",
            "use std::process::Command;\nfn main() { Command::new(\"sh\").args(&[\"-c\", \"rm -rf ~/gone\"]).output(); }\n",
            "cargo clippy",
        ),
        ("magefile.go", "func Clean() { exec.Command(\"rm\", \"-rf\", \"/home/u/gone\").Run() }\n", "mage clean"),
        ("tool.go", "func main() { os.RemoveAll(\"/home/u/gone\") }\n", "go run tool.go"),
        ("x.gemspec", "system('rm -rf ~/gone')\n", "gem build x.gemspec"),
        (
            "Main.java",
            "class Main { void m() { Runtime.getRuntime().exec(\"rm -rf /home/u/gone\"); } }\n",
            "java Main.java",
        ),
        (
            "pom.xml",
            "<configuration>\n<executable>rm</executable>\n<arguments>\n<argument>-rf</argument>\n\
             <argument>/home/u/gone</argument>\n</arguments>\n</configuration>\n",
            "./mvnw -q package",
        ),
        ("build.gradle", "task x(type: Exec) { commandLine 'rm', '-rf', '/home/u/gone' }\n", "./gradlew x"),
        ("build.sbt", "val x = \"rm -rf /home/u/gone\".!\n", "sbt compile"),
        ("BUILD.bazel", "genrule(\n    cmd = \"rm -rf /home/u/gone\",\n)\n", "bazel build //:x"),
        ("CMakeLists.txt", "execute_process(COMMAND rm -rf /home/u/gone)\n", "cmake -B build"),
        ("shell.nix", "mkShell {\n  shellHook = ''\n    rm -rf /home/u/gone\n  '';\n}\n", "nix-shell"),
        ("flake.nix", "  shellHook = \"rm -rf /home/u/gone\";\n", "nix develop"),
        ("skaffold.yaml", "hooks:\n  before:\n    - command: [\"rm\", \"-rf\", \"/home/u/gone\"]\n", "skaffold dev"),
        ("Podfile", "system('rm -rf ~/gone')\n", "pod install"),
        ("mix.exs", "System.cmd(\"rm\", [\"-rf\", \"/home/u/gone\"])\n", "mix test"),
        ("Pipfile", "[scripts]\nx = \"rm -rf /home/u/gone\"\n", "pipenv run x"),
    ] {
        deletes(&[(&format!("/repo/{file}"), text)], command);
    }
    for (file, text, command) in [
        ("build.rs", "fn main() { std::fs::remove_dir_all(\"/home/u/gone\").unwrap(); }\n", "cargo fmt"),
        ("build.rs", "fn main() { println!(\"cargo::rerun-if-changed=x\"); }\n", "cargo build"),
        ("build.gradle", "plugins { id 'java' }\ntasks.clean { delete 'build' }\n", "gradle build"),
        ("pom.xml", "<project>\n<goal>deploy</goal>\n<phase>install</phase>\n</project>\n", "mvn package"),
        ("flake.nix", "  shellHook = \"rm -rf /home/u/gone\";\n", "nix fmt"),
        ("CMakeLists.txt", "project(x)\nadd_executable(x main.c)\ninstall(TARGETS x)\n", "cmake --build build"),
    ] {
        let analysis = analyze(&[(&format!("/repo/{file}"), text)], command);
        assert!(
            analysis.effects.iter().all(|e| !e.operation.starts_with("fs.delete")),
            "{file}: {:?}",
            analysis.effects
        );
        assert_ne!(analysis.coverage, Coverage::Unparsed, "{file}");
    }
}

#[test]
fn the_home_is_followed_wherever_its_variable_goes() {
    for command in [
        "sh -c 'rm -rf \"$1\"' _ $HOME/gone",
        "set -- $HOME/gone; rm -rf $1",
        "f() { rm -rf \"$2\"; }; f x $HOME/gone",
        "echo $HOME/gone | xargs rm -rf",
        "echo \"$HOME\"/gone | xargs -I{} rm -rf {}",
        "printf '%s\\n' \"$HOME/gone\" | xargs rm -rf",
        "read d <<< $HOME/gone; rm -rf \"$d\"",
        "printf -v d %s $HOME/gone; rm -rf \"$d\"",
        "parallel rm -rf ::: $HOME/gone",
        "echo \"rm -rf $HOME/gone\" | sh",
        "echo rm -rf $HOME/gone > x.sh; sh x.sh",
    ] {
        let analysis = analyze(&[], command);
        let gone = |effect: &guard_sdk::syntax::Effect| {
            effect.operation == "fs.delete.recursive"
                && matches!(&*effect.path.raw, "/home/u/gone" | "$HOME/gone" | "~/gone")
        };
        assert!(analysis.effects.iter().any(gone), "{command}: {:#?}", analysis.effects);
    }
}

//! Files that task runners, tools and interpreters run, each with a loss and with a harmless variant.

#![cfg(test)]

use std::collections::BTreeMap;

use guard_sdk::syntax::{Analysis, Coverage};

fn analyze(files: &[(&str, &str)], command: &str) -> Analysis {
    let own = [("/repo/.git/config", "[core]\n\tbare = false\n")];
    let files: BTreeMap<String, String> =
        own.iter().chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    guard_testing::analyze_among(&files, command, "/repo", "/home/u")
}

fn is_gone(analysis: &Analysis) -> bool {
    analysis.effects.iter().any(|e| e.operation == "fs.delete.recursive" && e.path.raw == "/home/u/gone")
}

/// Asserts that the command loses the tree through this file, with the command in place of the text's `@`, and nothing
/// if that command only reads.
#[track_caller]
fn follows(file: &str, text: &str, command: &str) {
    let path = format!("/repo/{file}");
    let analysis = analyze(&[(&path, &text.replace('@', "rm -rf /home/u/gone"))], command);
    assert!(is_gone(&analysis), "{command}: {:?} {:?}", analysis.commands, analysis.reasons);
    let quiet = analyze(&[(&path, &text.replace('@', "ls /home/u/gone"))], command);
    let lost = quiet.effects.iter().find(|effect| effect.kind == "delete");
    assert!(lost.is_none(), "{command}: {lost:?}");
}

#[test]
fn tasks_of_runners_are_followed() {
    for (file, text, command) in [
        ("mise.toml", "[tasks.x]\nrun = \"@\"\n", "mise x"),
        ("mise.toml", "[hooks]\nenter = \"@\"\n", "mise install"),
        ("pixi.toml", "[tasks]\nx = \"@\"\n", "pixi run x"),
        ("pyproject.toml", "[tool.pdm.scripts]\nx = \"@\"\n", "pdm x"),
        ("pyproject.toml", "[tool.hatch.envs.default.scripts]\nx = \"@\"\n", "hatch run x"),
        ("Makefile.toml", "[tasks.x]\nscript = [\"@\"]\n", "cargo make x"),
        ("moon.yml", "tasks:\n  x:\n    command: '@'\n", "moon run app:x"),
        ("project.json", "{\"targets\": {\"x\": {\"options\": {\"command\": \"@\"}}}}", "npx nx run a:x"),
        ("devbox.json", "{\"shell\": {\"init_hook\": [\n\"@\"\n]}}", "devbox shell"),
        ("cdk.json", "{\"app\": \"@\"}", "npx cdk synth"),
        ("dub.json", "{\"preBuildCommands\": [\"@\"]}", "dub build"),
        ("package.json", "{\"scripts\": {\"x\": \"@\"}}", "npx npm-run-all x"),
        ("package.json", "{\"scripts\": {\"x\": \"@\"}}", "npx concurrently npm:x"),
        ("package.json", "{\"scripts\": {\"x\": \"@\"}}", "turbo run lint x"),
        ("package.json", "{\"scripts\": {\"x\": \"wireit\"}, \"wireit\": {\"x\": {\"command\": \"@\"}}}", "npm run x"),
        ("Procfile", "web: @\n", "foreman start"),
        ("dev.procs", "web: @\n", "overmind start -f dev.procs"),
        ("process-compose.yaml", "processes:\n  x:\n    command: \"@\"\n", "process-compose up"),
        ("sup.conf", "[program:x]\ncommand=@\n", "supervisord -c sup.conf"),
        ("a.service", "[Service]\nExecStart=@\n", "systemctl --user enable --now ./a.service"),
        ("site.yml", "- hosts: all\n  tasks:\n    - shell: @\n", "ansible-playbook site.yml --check"),
        ("build.ninja", "rule x\n  command = @\nbuild y: x\n", "ninja"),
        ("x.cmake", "execute_process(COMMAND @)\n", "cmake -P x.cmake"),
        ("Tiltfile", "local(\"@\")\n", "tilt up"),
        ("Snakefile", "rule x:\n    shell: \"@\"\n", "snakemake -j1"),
        ("dodo.py", "import os\nos.system('@')\n", "doit"),
        ("SConstruct", "import os\nos.system('@')\n", "scons -Q"),
        ("l.py", "import os\nos.system('@')\n", "locust -f l.py --headless"),
        ("Brewfile", "system('@')\n", "brew bundle"),
        ("config.ru", "system('@')\n", "rackup"),
    ] {
        follows(file, text, command);
    }
}

#[test]
fn code_that_tools_load_is_followed() {
    let python = "import os\nos.system('@')\n";
    let node = "require('child_process').execSync('@')\n";
    for (file, text, command) in [
        ("conftest.py", python, "python3 -m pytest -q"),
        ("tests/unit/conftest.py", python, "pytest tests/unit/test_a.py::test_b"),
        ("tests/test_a.py", python, "pytest tests/test_a.py"),
        ("tests/test_a.py", python, "python3 -m unittest tests.test_a"),
        ("app/main.py", python, "uvicorn app.main:app --reload"),
        ("jobs.py", python, "celery -A jobs worker"),
        ("app.py", python, "flask run"),
        ("setup.py", python, "python3 -m build"),
        ("setup.py", python, "uv pip install -e '.[dev]'"),
        ("setup.py", python, "pip wheel ."),
        ("babel.config.mjs", node, "npx jest"),
        ("vitest.config.mts", node, "npx vitest"),
        ("own.js", node, "npx webpack --config own.js"),
        ("own.cjs", node, "eslint -c own.cjs src"),
        ("tsup.config.ts", node, "npx tsup"),
        (".eleventy.js", node, "npx eleventy"),
        ("pre.js", node, "NODE_OPTIONS=--require=./pre.js npm test"),
        ("pre.js", node, "NODE_OPTIONS='--require ./pre.js' npx tsc"),
        ("pre.rb", "system('@')\n", "RUBYOPT=-r./pre.rb rake"),
        ("lib/A.pm", "system('@');\n", "PERL5OPT='-Ilib -MA' perl -v"),
    ] {
        follows(file, text, command);
    }
}

#[test]
fn code_of_more_languages_is_followed() {
    for (file, text, command) in [
        ("x.nim", "discard execCmd(\"@\")\n", "nim r x.nim"),
        ("x.cr", "system(\"@\")\n", "crystal run x.cr"),
        ("x.R", "system(\"@\")\n", "R CMD BATCH x.R"),
        ("x.hs", "main = callCommand \"@\"\n", "runghc x.hs"),
        ("x.clj", "(clojure.java.shell/sh \"sh\" \"-c\" \"@\")\n", "bb x.clj"),
        ("x.scm", "(system* \"sh\" \"-c\" \"@\")\n", "guile -s x.scm"),
        ("x.m", "system(\"@\")\n", "octave --quiet x.m"),
        ("x.gp", "system \"@\"\n", "gnuplot x.gp"),
        ("x.m4", "esyscmd(`@')\n", "m4 x.m4"),
        ("x.dc", "!@\n", "dc -f x.dc"),
        ("x.awk", "BEGIN { system(\"@\") }\n", "gawk --file=x.awk y"),
        ("x.vim", "call system(\"@\")\n", "vim -es -u x.vim README"),
        ("x.vim", "!@\n", "nvim --headless -c 'source x.vim' +q"),
        ("x.lua", "os.execute(\"@\")\n", "nvim -l x.lua"),
        ("x.el", "(shell-command \"@\")\n", "emacs --batch --load x.el"),
        ("x.tex", "\\immediate\\write18{@}\n", "pdflatex --shell-escape x.tex"),
        ("x.nu", "^@\n", "nu x.nu"),
        ("x.bat", "@\r\n", "cmd /c x.bat"),
        ("x.ps1", "@\n", "pwsh -NoProfile -File x.ps1"),
        ("x.ps1", "@\n", "pwsh x.ps1"),
        ("x.ps1", "@\n", "pwsh -c '& ./x.ps1'"),
        ("x.ps1", "@\n", "pwsh -c '. ./x.ps1'"),
        (
            "x.ipynb",
            "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"import os\\n\", \"os.system('@')\"]}]}",
            "jupyter nbconvert --execute x.ipynb",
        ),
        ("b.sftp", "!@\n", "sftp -b b.sftp h"),
        ("x", "@\n", "parallel :::: x"),
        ("x", "@\n", "parallel < x"),
        ("x", "@\n", "bash <(cat x)"),
        ("x", "@\n", "source <(cat ./x)"),
    ] {
        follows(file, text, command);
    }
}

#[test]
fn managers_of_hooks_are_followed() {
    for (file, text, command) in [
        (".githooks/commit-msg", "#!/bin/sh\n@\n", "git commit -m x"),
        ("lefthook.yml", "pre-commit:\n  jobs:\n    - run: @\n", "git commit -m x"),
        ("lefthook.toml", "[pre-commit.commands.x]\nrun = \"@\"\n", "lefthook run pre-commit"),
        (".pre-commit-config.yaml", "repos:\n- repo: local\n  hooks:\n  - entry: @\n", "git commit -m x"),
        ("package.json", "{\"simple-git-hooks\": {\"pre-push\": \"@\"}}", "git push"),
        (".git/hooks/post-checkout", "#!/bin/sh\n@\n", "git worktree add ../y"),
        (".git/hooks/pre-auto-gc", "#!/bin/sh\n@\n", "git gc --auto"),
        (".gitmodules", "[submodule \"x\"]\n\turl = ext::sh -c \"@\"\n", "git submodule update --init"),
        ("g.conf", "[alias]\n\tst = !@\n", "GIT_CONFIG_GLOBAL=g.conf git st"),
    ] {
        follows(file, text, command);
    }
    let lefthook = ("/repo/lefthook.yml", "pre-push:\n  jobs:\n    - run: rm -rf /home/u/gone\n");
    assert!(!is_gone(&analyze(&[lefthook], "git commit -m x")));
    assert!(!is_gone(&analyze(&[lefthook], "git status")));
    let hooks = ("/repo/.pre-commit-config.yaml", "hooks:\n  - entry: rm -rf /home/u/gone\n");
    assert!(!is_gone(&analyze(&[hooks], "git commit --no-verify -m x")));
}

#[test]
fn other_tasks_and_other_verbs_run_nothing() {
    for (file, text, command) in [
        ("mise.toml", "[tasks.x]\nrun = \"rm -rf /home/u/gone\"\n", "mise run y"),
        ("pixi.toml", "[tasks]\nx = \"rm -rf /home/u/gone\"\n", "pixi add numpy"),
        ("Makefile.toml", "[tasks.x]\nscript = [\"rm -rf /home/u/gone\"]\n", "cargo build"),
        ("x.ps1", "Remove-Item -Recurse /home/u/gone\n", "cat x.ps1"),
        ("x.ps1", "rm -rf /home/u/gone\n", "git add x.ps1"),
        ("setup.py", "import os\nos.system('rm -rf /home/u/gone')\n", "uv add requests"),
        ("a.service", "[Service]\nExecStart=rm -rf /home/u/gone\n", "systemctl --user status a.service"),
        ("Brewfile", "system('rm -rf /home/u/gone')\n", "brew install jq"),
        ("x.nim", "discard execCmd(\"rm -rf /home/u/gone\")\n", "wc -l x.nim"),
    ] {
        assert!(!is_gone(&analyze(&[(&format!("/repo/{file}"), text)], command)), "{command}");
    }
}

#[test]
fn files_of_odd_forms_are_bounded() {
    let texts = [
        "[".repeat(5_000),
        "{\"a\":".repeat(5_000),
        "a: b\n".repeat(5_000),
        "- ".repeat(5_000),
        "\"rm x\" ".repeat(5_000),
        "execute(".repeat(5_000),
        "{ ".repeat(5_000),
        "(".repeat(5_000),
    ];
    for text in &texts {
        for (file, command) in [
            ("project.json", "nx run a:x"),
            ("Procfile", "foreman start"),
            ("x.ipynb", "jupyter nbconvert x.ipynb"),
            ("x.ps1", "pwsh x.ps1"),
            ("x.nu", "nu x.nu"),
            ("x.vim", "vim -S x.vim"),
            ("x.nim", "nim r x.nim"),
            ("moon.yml", "moon run a:x"),
            (".gitmodules", "git submodule update"),
        ] {
            let analysis = analyze(&[(&format!("/repo/{file}"), text)], command);
            assert!(analysis.commands.len() <= 4_096, "{command}");
        }
    }
    let broken = analyze(&[("/repo/project.json", "{")], "nx run a:x");
    assert_eq!(broken.coverage, Coverage::Partial, "{:?}", broken.reasons);
}

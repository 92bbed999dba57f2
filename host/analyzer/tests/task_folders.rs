//! The folders in which tasks run, and the variables of makefiles.

#![cfg(test)]

use std::collections::BTreeMap;

use guard_sdk::syntax::{Analysis, Effect};

fn analyze(files: &[(&str, &str)], command: &str) -> Analysis {
    let files: BTreeMap<String, String> =
        files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    guard_testing::analyze_among(&files, command, "/repo", "/home/u")
}

fn deletions(analysis: &Analysis) -> impl Iterator<Item = &Effect> {
    analysis.effects.iter().filter(|effect| effect.operation == "fs.delete.recursive")
}

/// Asserts that the command certainly deletes these paths, and no others.
#[track_caller]
fn deletes(files: &[(&str, &str)], command: &str, paths: &[&str]) {
    let analysis = analyze(files, command);
    let found: Vec<_> = deletions(&analysis).map(|effect| (effect.path.raw.as_str(), effect.certain)).collect();
    let expected: Vec<_> = paths.iter().map(|path| (*path, true)).collect();
    assert_eq!(found, expected, "{command}");
}

/// Asserts that the command deletes something, and that it isn't certain what.
#[track_caller]
fn may_delete(files: &[(&str, &str)], command: &str) {
    let analysis = analyze(files, command);
    let found: Vec<_> = deletions(&analysis).map(|effect| (&effect.path.raw, effect.certain)).collect();
    assert!(!found.is_empty() && found.iter().all(|(_, certain)| !certain), "{command}: {found:?}");
}

const CLEAN: &str = "clean:\n\trm -rf out\n";
const PACKAGE: &str = r#"{ "scripts": { "clean": "rm -rf out" } }"#;

#[test]
fn make_runs_in_the_folder_of_its_option() {
    let files = [("/repo/sub/Makefile", CLEAN), ("/repo/sub/in/Makefile", CLEAN), ("/repo/Makefile", CLEAN)];
    for (command, path) in [
        ("make clean", "/repo/out"),
        ("make -C sub clean", "/repo/sub/out"),
        ("make -Csub clean", "/repo/sub/out"),
        ("make --directory=sub clean", "/repo/sub/out"),
        ("make -C sub -C in clean", "/repo/sub/in/out"),
        ("cd sub && make -C .. clean", "/repo/out"),
        ("make -C /repo/sub/in clean", "/repo/sub/in/out"),
        ("make -f sub/Makefile clean", "/repo/out"),
        ("make -C sub -f in/Makefile clean", "/repo/sub/out"),
    ] {
        deletes(&files, command, &[path]);
    }
    let files = [("/repo/Makefile", "clean:\n\t$(MAKE) -C sub clean\n"), ("/repo/sub/Makefile", CLEAN)];
    deletes(&files, "make clean", &["/repo/sub/out"]);
    let files = [("/repo/Makefile", "clean:\n\trm -rf a\n\tcd sub && rm -rf b\n")];
    deletes(&files, "make clean; rm -rf c", &["/repo/a", "/repo/sub/b", "/repo/c"]);
}

#[test]
fn package_scripts_run_in_the_folder_of_their_manifest() {
    let files = [("/repo/package.json", PACKAGE), ("/repo/pk/package.json", PACKAGE)];
    for (command, path) in [
        ("npm run clean", "/repo/out"),
        ("npm --prefix pk run clean", "/repo/pk/out"),
        ("npm run clean --prefix=pk", "/repo/pk/out"),
        ("npm -C pk run clean", "/repo/pk/out"),
        ("yarn --cwd pk clean", "/repo/pk/out"),
        ("pnpm -C pk run clean", "/repo/pk/out"),
        ("cd src/deep && npm run clean", "/repo/out"),
        ("cd pk && npm run clean && cd .. && npm run clean", "/repo/pk/out"),
    ] {
        let analysis = analyze(&files, command);
        let found: Vec<_> = deletions(&analysis).map(|effect| (effect.path.raw.as_str(), effect.certain)).collect();
        assert_eq!(found.first(), Some(&(path, true)), "{command}: {found:?}");
    }
    for command in ["npm run clean -w pk", "npm run clean --workspaces", "pnpm -r run clean", "pnpm --filter x clean"] {
        may_delete(&files, command);
    }
    may_delete(&files, "npm_config_prefix=pk npm run clean");
}

#[test]
fn shell_aliases_of_git_run_in_the_root() {
    let files = [("/repo/.git/config", "[alias]\n\tx = !rm -rf out\n")];
    deletes(&files, "cd src && git x", &["/repo/out"]);
}

#[test]
fn doubtful_variables_of_makefiles_are_not_certain() {
    for text in [
        "D = new\nD += src\nclean:\n\trm -rf $(D)\n",
        "D = new\nclean: D = src\nclean:\n\trm -rf $(D)\n",
        "D = new\nD = src\nclean:\n\trm -rf $(D)\n",
        "D ?= new\nclean:\n\trm -rf ${D}\n",
        "D = new\nifdef X\nD = src\nendif\nclean:\n\trm -rf $(D)\n",
        "D = new # or src\nclean:\n\trm -rf $(D)\n",
        "D = new\noverride D = src\nclean:\n\trm -rf $(D)\n",
        "D = new\ndefine D\nsrc\nendef\nclean:\n\trm -rf $(D)\n",
        "D = new\n-include conf.mk\nclean:\n\trm -rf $(D)\n",
        ".ONESHELL:\nclean:\n\tcd src\n\trm -rf deep\n",
        ".SHELLFLAGS = -O dotglob -c\nclean:\n\trm -rf deep/*\n",
        "D := $(shell echo out)\nclean:\n\trm -rf $(D)\n",
        "D != echo out\nclean:\n\trm -rf $(D)\n",
        "clean: $(wildcard *.d)\n\trm -rf $^\n",
        "clean: lib.c\n\trm -rf $<\n",
        "clean:\n\trm -rf $@.d\n",
        "clean:\n\trm -rf $(addprefix src/,$(wildcard *))\n",
    ] {
        may_delete(&[("/repo/Makefile", text)], "make clean");
    }
    let other_shell = "SHELL = /usr/bin/python3\nclean:\n\timport os; os.system('rm -rf /repo/src/deep')\n";
    may_delete(&[("/repo/Makefile", other_shell)], "make clean");
    let function = "clean:\n\trm -rf $(addprefix src/,deep)\n";
    deletes(&[("/repo/Makefile", function)], "make clean", &["/repo/src/deep"]);
    let files = [("/repo/Makefile", "D = new\nclean:\n\trm -rf $(D)\n")];
    for command in ["make -e clean", "MAKEFLAGS=-Csub make clean", "export MAKEFILES=x; make clean"] {
        may_delete(&files, command);
    }
    deletes(&files, "make clean", &["/repo/new"]);
    deletes(&files, "make clean D=src", &["/repo/src"]);
}

#[test]
fn ordinary_makefiles_are_certain() {
    for (text, path) in [
        ("SHELL := /bin/bash\n.SHELLFLAGS := -eu -o pipefail -c\nclean:\n\trm -rf out\n", "/repo/out"),
        ("-include $(DEPS)\nCC ?= cc\nclean:\n\trm -rf out\n", "/repo/out"),
        ("ifeq ($(OS),x)\nE = .exe\nendif\nclean:\n\trm -rf out\n", "/repo/out"),
        ("D ?= src\nall:\n\tcp $(D) x\nclean:\n\trm -rf out\n", "/repo/out"),
        (".PHONY: clean\nB := out\nclean:\n\t@rm -rf $(B)\n", "/repo/out"),
        (".RECIPEPREFIX = >\nclean:\n>rm -rf out\n", "/repo/out"),
        ("clean:\n\tcd sub; \\\n\trm -rf out\n", "/repo/sub/out"),
        ("B = \\\n  out\nclean:\n\trm -rf $(B)\n", "/repo/out"),
        ("clean:\n\trm -rf \\\n\t  out\n", "/repo/out"),
        ("clean:\n\t@-rm -rf out\n", "/repo/out"),
        ("clean:\n\t+rm -rf out\n", "/repo/out"),
        ("clean:\n\t-@ + rm -rf out\n", "/repo/out"),
        ("clean: ; -rm -rf out\n", "/repo/out"),
    ] {
        deletes(&[("/repo/Makefile", text)], "make clean", &[path]);
    }
    let text = ".DEFAULT_GOAL := clean\nall:\n\ttrue\nclean:\n\trm -rf out\n";
    deletes(&[("/repo/Makefile", text)], "make", &["/repo/out"]);
}

#[test]
fn included_makefiles_are_read() {
    for (including, included, command) in [
        ("include rules.mk\n", CLEAN, "make clean"),
        ("all:\n\ttrue\n\n-include nothing.mk rules.mk\n", CLEAN, "make clean"),
        ("include rules.mk\nall:\n\ttrue\n", CLEAN, "make"),
        ("include rules.mk\n", "include more.mk\n", "make clean"),
        ("clean: wipe\nsinclude rules.mk\n", "wipe:\n\t@rm -rf out\n", "make clean"),
    ] {
        let files = [("/repo/Makefile", including), ("/repo/rules.mk", included), ("/repo/more.mk", CLEAN)];
        deletes(&files, command, &["/repo/out"]);
    }
    let files = [("/repo/sub/Makefile", "include rules.mk\n"), ("/repo/sub/rules.mk", CLEAN)];
    deletes(&files, "make -C sub clean", &["/repo/sub/out"]);
    let files = [("/repo/justfile", "import 'rules.just'\n"), ("/repo/rules.just", CLEAN)];
    deletes(&files, "just clean", &["/repo/out"]);
    // A file that includes itself.
    let files = [("/repo/Makefile", "include Makefile\nclean:\n\trm -rf out\n")];
    assert!(deletions(&analyze(&files, "make clean")).next().is_some());
}

#[test]
fn just_runs_in_the_folder_of_its_file() {
    let files = [("/repo/sub/justfile", "clean:\n  rm -rf out\n")];
    deletes(&files, "just -f sub/justfile clean", &["/repo/sub/out"]);
    deletes(&files, "just -d sub -f sub/justfile clean", &["/repo/sub/out"]);
    may_delete(&[("/repo/justfile", "d := 'src'\nclean:\n  rm -rf out {{d}}\n")], "just clean");
}

#[test]
fn code_knows_its_own_folder() {
    for (file, code, command) in [
        ("/repo/t/k.js", "fs.rmSync(path.join(__dirname, '..', 'src'), { recursive: true })", "node t/k.js"),
        ("/repo/t/k.js", "fs.rmSync(`${__dirname}/../src`, { recursive: true })", "cd t && node k.js"),
        ("/repo/t/k.js", "fs.rmSync(path.join(path.dirname(__filename), '../src'), { recursive: true })", "node t/k"),
        (
            "/repo/t/k.mjs",
            "import fs from 'fs'; fs.rmSync(import.meta.dirname + '/../src', { recursive: true })",
            "node t/k.mjs",
        ),
        (
            "/repo/t/k.mjs",
            "import fs from 'fs'; import url from 'url'; import path from 'path'; \
             fs.rmSync(path.dirname(url.fileURLToPath(import.meta.url)) + '/../src', { recursive: true })",
            "node t/k.mjs",
        ),
        (
            "/repo/t/k.py",
            "import os, shutil\nshutil.rmtree(os.path.join(os.path.dirname(__file__), '../src'))",
            "python3 t/k.py",
        ),
        (
            "/repo/t/k.py",
            "import pathlib, shutil\nshutil.rmtree(pathlib.Path(__file__).parent.parent / 'src')",
            "cd / && python3 /repo/t/k.py",
        ),
    ] {
        let analysis = analyze(&[(file, code)], command);
        let found: Vec<_> = deletions(&analysis).map(|effect| effect.path.raw.as_str()).collect();
        assert!(matches!(found.as_slice(), ["/repo/t/../src" | "/repo/src"]), "{command} {code}: {found:?}");
    } // The script's own name is an argument.
    for code in ["process.argv[1] + '/../src'", "path.join(path.dirname(process.argv[1]), 'src')"] {
        let code =
            format!("const fs = require('fs'), path = require('path'); fs.rmSync({code}, {{ recursive: true }})");
        may_delete(&[("/repo/t/k.js", &code)], "node t/k.js");
    }
}

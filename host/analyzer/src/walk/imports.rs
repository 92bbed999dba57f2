//! Project modules that code loads.
//!
//! Imports are found in the text without a parser. An import in a string lists an additional module.

use guard_sdk::syntax::Word;

use super::Walker;
use super::content::Content;
use super::readers::reader;
use super::started::Started;
use crate::javascript;
use crate::word::expand::literal;
use crate::wrappers::code::languages::LOADED;

/// The maximum number of followed modules for one command.
const MODULES: usize = 32;

/// Module extensions, by language.
const PYTHON: &[&str] = &[".py", "/__init__.py"];
const JAVASCRIPT: &[&str] =
    &["", ".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", "/index.js", "/index.ts"];

impl Walker {
    /// Returns the modules that the code files of a command load.
    pub(super) fn modules_of(&mut self, files: &[Started]) -> Vec<Started> {
        let mut modules: Vec<Started> = Vec::new();
        for file in files.iter().filter(|file| !file.content.is_excerpt) {
            let Some(program) = file.argv.first() else { continue };
            let folder = file.name.rsplit_once('/').map_or("", |(folder, _)| folder);
            for module in self.imported(program, folder, &file.content.text.text) {
                let is_new = modules.iter().chain(files).all(|known| known.name != module.name);
                if is_new && modules.len() < MODULES {
                    modules.push(module);
                }
            }
        }
        modules
    }

    /// Returns the modules that code loads, including indirectly. `folder` is the code's folder.
    pub(super) fn imported(&mut self, program: &str, folder: &str, code: &str) -> Vec<Started> {
        let is_python = program.starts_with("python") || program == LOADED;
        if !is_python && !javascript::PROGRAMS.contains(&program) {
            return Vec::new();
        }
        let ends = if is_python { PYTHON } else { JAVASCRIPT };
        let names = if is_python { python } else { javascript };
        let mut found: Vec<(String, Content)> = Vec::new();
        let mut left: Vec<String> = names(code).into_iter().rev().map(|name| beside(folder, &name)).collect();
        // A tool that loads Python code also searches its own working directory.
        if let Some(here) = self.path_here(&literal(".")).filter(|here| program == LOADED && here != folder) {
            left.extend(names(code).into_iter().rev().map(|name| beside(here.trim_end_matches('/'), &name)));
        }
        while let Some(module) = left.pop().filter(|_| found.len() < MODULES) {
            let files = ends.iter().map(|end| literal(&format!("{module}{end}")));
            // TypeScript imports a module by the name of its compiled file.
            let source = module.strip_suffix(".js").map(|stem| literal(&format!("{stem}.ts")));
            let files: Vec<Word> = files.chain(source.filter(|_| !is_python)).collect();
            let Some((path, content)) = files.iter().find_map(|file| self.running_file(file)) else { continue };
            if found.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let own = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for name in names(&content.text.text) {
                // A package's module is found in the same folder, or relative to the program's.
                left.push(beside(own, &name));
                if is_python && own != folder {
                    left.push(beside(folder, &name));
                }
            }
            found.push((path, content));
        }
        let start = |(path, content)| Started {
            name: path,
            argv: reader(program),
            content,
            sure: false,
            is_given: false,
            folder: None,
        };
        found.into_iter().map(start).collect()
    }
}

/// Returns the path of a module that code in this folder imports.
fn beside(folder: &str, name: &str) -> String {
    if name.starts_with('/') { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Returns the modules imported by Python code.
fn python(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let path = |module: &str| {
        let rest = module.trim_start_matches('.');
        let up = "../".repeat((module.len() - rest.len()).saturating_sub(1));
        format!("{up}{}", rest.replace('.', "/"))
    };
    for line in code.split(['\n', ';']).map(str::trim) {
        if let Some(names) = line.strip_prefix("import ") {
            let names = names.split(',').filter_map(|name| name.split_whitespace().next());
            found.extend(names.filter(|name| is_module(name)).map(path));
        } else if let Some((module, names)) = line.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
            let module = module.trim();
            if !is_module(module) {
                continue;
            }
            let of = path(module);
            let names = names.split([',', '(', ')']).filter_map(|name| name.split_whitespace().next());
            let inner = names.filter(|name| is_module(name)).map(|name| match of.as_str() {
                "" => name.to_owned(),
                of => format!("{}/{name}", of.trim_end_matches('/')),
            });
            found.extend(inner);
            found.extend(Some(of.clone()).filter(|of| !of.is_empty() && !of.ends_with('/')));
        }
    }
    found.extend(named_by_text(code).into_iter().filter(|name| is_module(name)).map(path));
    found.truncate(MODULES);
    found
}

/// Calls that import the module in their first argument.
const IMPORTERS: &[&str] = &["import_module(", "__import__("];

/// The variable with the modules that pytest loads as plugins.
const PLUGINS: &str = "pytest_plugins";

/// Returns the modules that Python code imports by a text.
fn named_by_text(code: &str) -> Vec<&str> {
    let calls = IMPORTERS.iter().flat_map(|call| code.match_indices(call).map(|(at, call)| at + call.len()));
    let called = calls.filter_map(|at| {
        let argument = code.get(at..)?.trim_start();
        let quote = argument.chars().next().filter(|quote| matches!(*quote, '"' | '\''))?;
        argument.get(1..)?.split(quote).next()
    });
    let values = code.match_indices(PLUGINS).filter(|(at, _)| code.get(..*at).is_none_or(is_start_of_line));
    let listed = values.flat_map(|(at, name)| {
        let value = code.get(at + name.len()..).unwrap_or_default().trim_start();
        let value = value.strip_prefix("+=").or_else(|| value.strip_prefix('=')).unwrap_or_default().trim_start();
        // A list may span several lines.
        let end = if value.starts_with(['[', '(']) { value.find([']', ')']) } else { value.find('\n') };
        let value = value.get(..end.unwrap_or(value.len())).unwrap_or_default();
        value.split(['"', '\'']).skip(1).step_by(2)
    });
    called.chain(listed).take(MODULES).collect()
}

fn is_start_of_line(before: &str) -> bool {
    before.is_empty() || before.ends_with(['\n', ';'])
}

fn is_module(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.'))
}

/// Extensions of imported files that contain no code.
const DATA: &[&str] = &[".css", ".graphql", ".html", ".json", ".less", ".md", ".png", ".scss", ".svg", ".txt"];

/// Returns the files imported by JavaScript code.
fn javascript(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '\'', '`'] {
        for (at, _) in code.match_indices(quote) {
            let before = code.get(..at).unwrap_or_default().trim_end_matches([' ', '(', ')']);
            let text = code.get(at + 1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default();
            let loads = ["require", "from", "import", "Worker"].iter().any(|word| before.ends_with(word));
            let is_file = ["./", "../", "/"].iter().any(|start| text.starts_with(start));
            let is_data = DATA.iter().any(|end| text.ends_with(end));
            if loads && is_file && !is_data {
                found.push(text.trim_start_matches("./").to_owned());
            }
        }
        if found.len() > MODULES {
            break;
        }
    }
    found.truncate(MODULES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_names_its_modules() {
        let code = "import os, a.b as c\nfrom . import d\nfrom ..e import f\nfrom g import (h, i)\nx = 'import j'\n";
        assert_eq!(python(code), ["os", "a/b", "d", "../e/f", "../e", "g/h", "g/i", "g"]);
        let code = "import_module('k'); __import__( \"l.m\"); import_module(n); import_module(f'{o}')";
        assert_eq!(python(code), ["k", "l/m"]);
        assert_eq!(javascript("new (require('worker_threads').Worker)('./w.js')"), ["w.js"]);
        let code = "const a = require('./a');\nimport b from \"../b.js\";\nimport('./c');\nimport 'd';\nx('./e')";
        let mut names = javascript(code);
        names.sort();
        assert_eq!(names, ["../b.js", "a", "c"]);
        assert_eq!(javascript("import './a.css';\nimport(`/b/c.mjs`);"), ["/b/c.mjs"]);
    }

    #[test]
    fn texts_name_python_modules() {
        for (code, expected) in [
            ("pytest_plugins = ['a', \"b.c\"]\n", &["a", "b.c"][..]),
            ("pytest_plugins = (\n    'a',\n    'b',\n)\nx = 'c'\n", &["a", "b"]),
            ("pytest_plugins = 'a'\nx = 'b'\n", &["a"]),
            ("import importlib\nimportlib.import_module('a')\n__import__(\"b\")\n", &["a", "b"]),
            ("importlib.import_module(name)\n", &[]),
            ("x = pytest_plugins\ny = ['a']\n", &[]),
        ] {
            assert_eq!(named_by_text(code), expected, "{code}");
        }
    }
}

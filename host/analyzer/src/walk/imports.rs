//! Project modules that code loads.
//!
//! Imports are found in the text without a parser. An import in a string lists an additional module.

use guard_sdk::syntax::Word;

use super::Walker;
use super::content::Content;
use super::readers::reader;
use super::started::Started;
use crate::word::expand::literal;

/// The maximum number of followed modules for one command.
const MODULES: usize = 32;

/// Module extensions, by language.
const PYTHON: &[&str] = &[".py", "/__init__.py"];
const JAVASCRIPT: &[&str] = &["", ".js", ".mjs", ".cjs", ".ts", "/index.js", "/index.ts"];

impl Walker {
    /// Returns the modules that code loads, including indirectly. `folder` is the code's folder.
    pub(super) fn imported(&mut self, program: &str, folder: &str, code: &str) -> Vec<Started> {
        let is_python = program.starts_with("python");
        if !is_python && !matches!(program, "node" | "deno" | "bun" | "tsx" | "ts-node") {
            return Vec::new();
        }
        let ends = if is_python { PYTHON } else { JAVASCRIPT };
        let names = if is_python { python } else { javascript };
        let mut found: Vec<(String, Content)> = Vec::new();
        let mut left: Vec<String> = names(code).into_iter().rev().map(|name| format!("{folder}/{name}")).collect();
        while let Some(module) = left.pop().filter(|_| found.len() < MODULES) {
            let files = ends.iter().map(|end| literal(&format!("{module}{end}")));
            let files: Vec<Word> = files.collect();
            let Some((path, content)) = files.iter().find_map(|file| self.running_file(file)) else { continue };
            if found.iter().any(|(known, _)| *known == path) {
                continue;
            }
            let beside = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for name in names(&content.text.text) {
                // A package's module is found in the same folder, or relative to the program's.
                left.push(format!("{beside}/{name}"));
                if is_python && beside != folder {
                    left.push(format!("{folder}/{name}"));
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
    found.truncate(MODULES);
    found
}

fn is_module(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.'))
}

/// Returns the files imported by JavaScript code.
fn javascript(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    for quote in ['"', '\''] {
        for (at, _) in code.match_indices(quote) {
            let before = code.get(..at).unwrap_or_default().trim_end_matches([' ', '(']);
            let text = code.get(at + 1..).and_then(|rest| rest.split(quote).next()).unwrap_or_default();
            let loads = ["require", "from", "import", "Worker"].iter().any(|word| before.ends_with(word));
            if loads && text.starts_with("./") | text.starts_with("../") {
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
        let code = "const a = require('./a');\nimport b from \"../b.js\";\nimport('./c');\nimport 'd';\nx('./e')";
        let mut names = javascript(code);
        names.sort();
        assert_eq!(names, ["../b.js", "a", "c"]);
    }
}

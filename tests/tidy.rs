//! Conventions that no compiler checks.

pub(crate) mod early_ends;
mod near_misses;
mod words;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::pages::root;

/// The maximum number of lines of a source file, including tests.
const LINES: usize = 500;

/// The maximum number of lines of a function, from its name to its last brace.
const FUNCTION_LINES: usize = 80;

fn walk(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            walk(&path, files);
        } else if path.is_file() {
            files.push(path);
        }
    }
}

fn files(extension: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    walk(&root(), &mut found);
    found.sort();
    let wanted = found.into_iter().filter(|path| path.extension().is_some_and(|other| other == extension));
    let named =
        |path: PathBuf| (path.strip_prefix(root()).unwrap().display().to_string(), fs::read_to_string(&path).unwrap());
    wanted.map(named).collect()
}

fn sources() -> Vec<(String, String)> {
    files("rs").into_iter().filter(|(name, _)| !name.ends_with("src/bindings.rs")).collect()
}

fn fail_with(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

#[test]
fn no_file_is_longer_than_500_lines() {
    let long = sources().into_iter().filter(|(_, text)| text.lines().count() > LINES);
    fail_with(&long.map(|(name, text)| format!("{name}: {} lines", text.lines().count())).collect::<Vec<_>>());
}

/// Returns whether a line begins a function.
fn is_function(line: &str) -> bool {
    let is_before = |word: &str| {
        word.starts_with("pub") || word.ends_with([')', '"']) || ["async", "const", "unsafe"].contains(&word)
    };
    let before = line.trim_start().split_once("fn ").map(|(before, _)| before);
    before.is_some_and(|before| before.split_whitespace().all(|word| word == "extern" || is_before(word)))
}

/// Returns the number of lines of a function at the start of a formatted text: its last brace is below its first word.
fn function_lines(lines: &[&str]) -> usize {
    let signature = lines.iter().position(|line| line.ends_with(['{', ';', '}'])).unwrap_or_default();
    if !lines[signature].ends_with('{') {
        return signature + 1;
    }
    let indent = lines[0].len() - lines[0].trim_start().len();
    let end = format!("{:indent$}}}", "");
    lines.iter().position(|line| *line == end).map_or(lines.len(), |at| at + 1)
}

#[test]
fn no_function_is_longer_than_80_lines() {
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        let lines: Vec<&str> = text.lines().collect();
        for at in (0..lines.len()).filter(|at| is_function(lines[*at])) {
            let length = function_lines(&lines[at..]);
            if length > FUNCTION_LINES {
                complaints.push(format!("{name}:{}: {length} lines", at + 1));
            }
        }
    }
    fail_with(&complaints);
}

#[test]
fn the_length_of_a_function_is_that_of_its_text() {
    for (text, length) in [
        ("fn a() {\n    b();\n}\nfn c() {\n}", 3),
        ("    fn a();\n    fn b() {\n    }", 1),
        ("    pub(in crate::x) const fn a(\n        b: u8,\n    ) -> u8 {\n        b\n    }\n}", 5),
    ] {
        let lines: Vec<&str> = text.lines().collect();
        assert!(is_function(lines[0]), "{text}");
        assert_eq!(function_lines(&lines), length, "{text}");
    }
    assert!(!is_function("let a = |f: fn () -> u8| {"));
}

#[test]
fn every_source_file_says_what_it_is() {
    let silent = sources().into_iter().filter(|(_, text)| !text.starts_with("//!"));
    fail_with(&silent.map(|(name, _)| format!("{name} does not begin with `//!`")).collect::<Vec<_>>());
}

/// Returns the crates that a crate of the host depends on, directly or indirectly, from the manifests.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let manifest = fs::read_to_string(root().join("host").join(&folder).join("Cargo.toml")).unwrap();
        let manifest: toml::Table = toml::from_str(&manifest).unwrap();
        let names = manifest.get("dependencies").and_then(toml::Value::as_table);
        for name in names.into_iter().flat_map(toml::Table::keys) {
            let own = name.strip_prefix("guard-").filter(|own| root().join("host").join(own).exists());
            if found.insert(name.clone()) {
                open.extend(own.map(str::to_owned));
            }
        }
    }
    found
}

#[test]
fn the_crates_depend_in_one_direction() {
    let mut complaints = Vec::new();
    for (folder, refused) in [
        ("contract", &["wasmtime", "cap-std", "rustix", "toml", "anyhow", "clap"][..]),
        ("state", &["wasmtime", "toml", "anyhow", "clap"]),
        ("config", &["wasmtime", "anyhow", "clap"]),
        ("harness", &["wasmtime", "toml", "anyhow", "clap"]),
        ("facts", &["wasmtime", "rustix", "guard-state", "anyhow", "clap"]),
        ("chain", &["wasmtime", "rustix", "guard-state", "anyhow", "clap"]),
        ("hook", &["anyhow", "clap", "guard-setup", "guard-kit", "guard-registry", "prometheus-client", "ureq"]),
        ("setup", &["anyhow", "clap", "guard-kit", "guard-registry"]),
        ("serve", &["anyhow", "clap", "guard-registry"]),
        ("kit", &["anyhow", "clap", "guard-registry"]),
    ] {
        let depends = dependencies(folder);
        let wrong = refused.iter().filter(|name| depends.contains(**name));
        complaints.extend(wrong.map(|name| format!("host/{folder} depends on {name}")));
    }
    fail_with(&complaints);
}

/// `host` depends on no policy, and policies depend on the reading of calls, never on the program.
#[test]
fn host_and_policies_depend_in_one_direction() {
    let read = [
        "guard-sdk",
        "guard-sensitive-paths",
        "guard-shell",
        "guard-script-summary",
        "guard-experiment-plan",
        "guard-redact",
    ];
    let mut complaints = Vec::new();
    for (file, text) in files("toml").into_iter().filter(|(file, _)| file.ends_with("/Cargo.toml")) {
        let manifest: toml::Table = text.parse().unwrap();
        let names = manifest.get("dependencies").and_then(toml::Value::as_table);
        for name in names.into_iter().flat_map(toml::Table::keys) {
            let is_wrong = match file.split('/').next() {
                Some("host") => name.starts_with("policy-"),
                Some("policies") => name.starts_with("guard-") && !read.contains(&name.as_str()),
                _ => false,
            };
            if is_wrong {
                complaints.push(format!("{file} depends on {name}"));
            }
        }
    }
    fail_with(&complaints);
}

/// Clippy bans variables and printing in the host's libraries. These three don't access the machine at all.
#[test]
fn the_crates_of_plain_data_touch_nothing_of_the_machine() {
    let modules = ["env", "fs", "io", "net", "os", "process", "thread"].map(|module| format!("std::{module}"));
    let mut complaints = Vec::new();
    for (name, text) in sources() {
        if ["contract", "harness", "redact"].iter().any(|krate| name.starts_with(&format!("host/{krate}/src/"))) {
            let used = modules.iter().filter(|module| names_module(&text, module));
            complaints.extend(used.map(|module| format!("{name} uses {module}")));
        }
    }
    fail_with(&complaints);
}

fn names_module(text: &str, module: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    text.split(module).skip(1).any(|rest| !goes_on(rest))
}

#[test]
fn every_hostile_guest_is_used() {
    let tests: String =
        sources().into_iter().filter(|(name, _)| name.starts_with("tests/")).map(|(_, text)| text).collect();
    let mut unused = Vec::new();
    for (name, _) in files("wat") {
        let stem = Path::new(&name).file_stem().unwrap().to_string_lossy().into_owned();
        if !tests.contains(&format!("\"{stem}\"")) && !tests.contains(&format!("{stem}.wat")) {
            unused.push(name);
        }
    }
    fail_with(&unused);
}

/// Returns the policies: folders with a policy's metadata.
fn policies() -> Vec<(String, PathBuf)> {
    let mut policies = Vec::new();
    for entry in fs::read_dir(root().join("policies")).unwrap() {
        let path = entry.unwrap().path();
        let manifest = fs::read_to_string(path.join("Cargo.toml")).unwrap_or_default();
        if manifest.lines().any(|line| line == "[package.metadata.guard]") {
            policies.push((path.file_name().unwrap().to_string_lossy().into_owned(), path));
        }
    }
    policies.sort();
    policies
}

/// S4-99l: each policy has a line and a page, including write-control.
#[test]
fn every_policy_is_a_built_in_with_a_section_in_the_readme() {
    let readme = fs::read_to_string(root().join("policies/README.md")).unwrap();
    let names: Vec<String> = policies().into_iter().map(|(name, _)| name).collect();
    let built_in: BTreeSet<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
    for name in &names {
        let link = format!("| [`{name}`]({name}/RULES.md) |");
        assert!(readme.contains(&link), "policies/README.md has no line `{link}`");
        assert!(built_in.contains(name.as_str()), "`{name}` is not in the binary");
    }
    assert_eq!(names.len(), built_in.len());
}

/// Returns whether the text contains the id as a word, in lower case, with `-` or with `_`.
fn names_row(text: &str, id: &str) -> bool {
    let forms = [id.to_lowercase(), id.to_lowercase().replace('-', "_")];
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    forms.iter().any(|form| text.match_indices(form).any(|(at, _)| text.get(at + form.len()..).is_some_and(ends)))
}

#[test]
fn every_row_of_the_seed_matrix_has_a_test_or_a_reason() {
    let is_test = |name: &str| ["tests/", "policies/", "host/"].iter().any(|start| name.starts_with(start));
    let texts: Vec<_> = ["rs", "toml", "json"].into_iter().flat_map(files).filter(|(name, _)| is_test(name)).collect();
    // A name, the doc of one test, or the id of a case. Other comments aren't proof.
    let starts = ["fn ", "///", "id = ", "\"id\":", "\"s", "(\"s"];
    let claims = |line: &&str| starts.iter().any(|start| line.trim_start().starts_with(start));
    let texts: Vec<String> = texts.into_iter().map(|(_, text)| text.to_lowercase()).collect();
    let tests = texts.iter().flat_map(|text| text.lines()).filter(claims).collect::<Vec<_>>().join("\n");
    let rows = fs::read_to_string(root().join("tests/rows.txt")).unwrap();
    let mut complaints = Vec::new();
    let mut seen = BTreeSet::new();
    for line in rows.lines().filter(|line| !line.starts_with('#')) {
        let (id, reason) = line.split_once(": ").unwrap_or((line, ""));
        assert!(seen.insert(id.to_owned()), "{id} stands twice in tests/rows.txt");
        let tested = names_row(&tests, id);
        let excused = !reason.is_empty();
        if tested == excused {
            complaints.push(format!("{id}: {}", if tested { "has a test and an excuse" } else { "no test names it" }));
        }
    }
    assert!(seen.len() > 300, "{} rows", seen.len());
    fail_with(&complaints);
}

#[test]
fn the_rows_that_were_seen_to_fail_are_rows() {
    let text = |name: &str| fs::read_to_string(root().join(name)).unwrap();
    let (rows, page) = (text("tests/rows.txt"), text("tests/README.md"));
    let (_, table) = page.split_once("| row |").unwrap();
    let proven: BTreeSet<&str> =
        table.lines().skip(2).filter_map(|line| line.split('|').nth(1)).map(str::trim).collect();
    for row in &proven {
        assert!(rows.lines().any(|line| line == *row), "`{row}` of tests/README.md is no row with a test");
    }
    assert!(proven.len() >= 40, "{} rows", proven.len());
}

#[test]
fn the_policies_outside_lock_versions_that_the_workspace_has() {
    let packages = |path: &str| {
        let lock: toml::Table = toml::from_str(&fs::read_to_string(root().join(path)).unwrap()).unwrap();
        let named = |package: &toml::Value| format!("{} {}", package["name"], package["version"]);
        lock["package"].as_array().unwrap().iter().map(named).collect::<BTreeSet<_>>()
    };
    let ours = packages("Cargo.lock");
    for (folder, own) in [("tests/outside", "no-friday"), ("tests/frozen", "asks-wasi")] {
        let theirs = packages(&format!("{folder}/Cargo.lock"));
        let own = format!("\"{own}\" \"0.1.0\"");
        let missing: Vec<&String> = theirs.difference(&ours).filter(|package| **package != own).collect();
        assert!(missing.is_empty(), "{missing:?}; run `cargo generate-lockfile --offline` in {folder}");
    }
}

#[test]
fn the_page_of_commands_explains_every_exit_code() {
    let page = fs::read_to_string(root().join("docs/commands.md")).unwrap();
    let source = fs::read_to_string(root().join("host/contract/src/exit.rs")).unwrap();
    for line in source.lines().filter(|line| line.contains("Exit::") && line.contains("=>")) {
        let code = line.rsplit("=>").next().unwrap().trim().trim_end_matches(',');
        assert!(page.contains(&format!("\n| {code} | ")), "docs/commands.md does not explain the exit code {code}");
    }
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let registry = ["crates", ".io"].concat();
    let words = [registry.as_str(), "/work/", "/root/", "registry.npmjs", "pypi.org"];
    let mut complaints = Vec::new();
    for extension in ["rs", "md", "toml", "wit", "wat", "json"] {
        for (name, text) in files(extension).iter().filter(|(name, _)| *name != "tests/tidy.rs") {
            for word in words.iter().filter(|word| text.contains(**word)) {
                complaints.push(format!("{name} says `{word}`"));
            }
        }
    }
    fail_with(&complaints);
}

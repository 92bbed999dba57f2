//! Reads suites from files. Errors have the file, the line and a hint.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{Case, Subject, Suite, WorldFacts, rego};
use guard_config::problem::{line_and_column, nearest_key};
use guard_contract::{OUTCOMES, outcome_name, outcome_named};
use guard_state::files;

/// The maximum depth of folders.
const DEPTH: usize = 16;

/// The maximum size of a case file, in bytes.
const SUITE_BYTES: u64 = 16 << 20;

/// The error if a suite can't be used.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {text}")]
pub struct SuiteError {
    /// The file, with the line and column if they are known.
    pub place: String,
    /// The error.
    pub text: String,
    /// The fix. Empty if none is known.
    pub hint: String,
    /// Whether the file doesn't exist or has no cases.
    pub missing: bool,
}

impl SuiteError {
    fn new(place: impl Into<String>, text: impl Into<String>, hint: impl Into<String>) -> Self {
        SuiteError { place: place.into(), text: text.into(), hint: hint.into(), missing: false }
    }

    fn read_settings(path: &Path, error: &io::Error) -> Self {
        let missing = error.kind() == ErrorKind::NotFound;
        SuiteError { missing, ..SuiteError::new(path.display().to_string(), error.to_string(), "") }
    }

    /// Creates an error of a TOML or JSON parser. For an unknown key, the hint has the most similar known one.
    fn from_parser(place: String, message: &str) -> Self {
        SuiteError::new(place, message, nearest_key(message).unwrap_or_default())
    }

    fn from_json(place: String, error: &serde_json::Error) -> Self {
        let text = error.to_string();
        let end = format!(" at line {} column {}", error.line(), error.column());
        SuiteError::from_parser(place, text.strip_suffix(&end).unwrap_or(&text))
    }
}

/// Returns the suite files at `path`: the file itself, or all files below the folder, sorted by name.
///
/// Below a folder, links to other folders and names that start with a dot are skipped.
///
/// # Errors
///
/// A folder can't be read, or `path` isn't a case file.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let data = fs::metadata(path).map_err(|error| SuiteError::read_settings(path, &error))?;
    if !data.is_dir() {
        if is_suite(path) {
            return Ok(vec![path.to_path_buf()]);
        }
        let hint = "a file of cases ends in .json, .toml or .jsonl";
        return Err(SuiteError::new(path.display().to_string(), "it isn't a file of cases", hint));
    }
    let mut files = Vec::new();
    collect(path, DEPTH, is_suite, &mut files)?;
    files.sort();
    Ok(files)
}

/// Returns the files with Rego tests at `path`, found as in [`find`].
///
/// # Errors
///
/// A folder can't be read.
pub fn find_tests(path: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let data = fs::metadata(path).map_err(|error| SuiteError::read_settings(path, &error))?;
    if !data.is_dir() {
        return Ok(if rego::is_test(path) { vec![path.to_path_buf()] } else { Vec::new() });
    }
    let mut files = Vec::new();
    collect(path, DEPTH, rego::is_test, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(folder: &Path, depth: usize, counts: fn(&Path) -> bool, files: &mut Vec<PathBuf>) -> Result<(), SuiteError> {
    let fail = |error: io::Error| SuiteError::read_settings(folder, &error);
    for entry in fs::read_dir(folder).map_err(fail)? {
        let entry = entry.map_err(fail)?;
        let below = entry.path();
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if !entry.file_type().map_err(fail)?.is_dir() {
            if counts(&below) && !links_to_folder(&below)? {
                files.push(below);
            }
        } else if depth > 0 {
            collect(&below, depth - 1, counts, files)?;
        }
    }
    Ok(())
}

/// Returns whether it is a link to a folder. Something with a case file's name that is neither a file nor a folder is
/// an error, so that its author doesn't believe that its cases were run.
fn links_to_folder(path: &Path) -> Result<bool, SuiteError> {
    let fail = |text: &str, hint: &str| Err(SuiteError::new(path.display().to_string(), text, hint));
    match fs::metadata(path) {
        Ok(data) if data.is_file() => Ok(false),
        Ok(data) if data.is_dir() => Ok(true),
        Ok(_) => fail("it is neither a file nor a folder", "remove it, or give it a name that no file of cases has"),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            fail("it is a link to nothing", "remove it, or let it lead to a file of cases")
        }
        Err(error) => Err(SuiteError::read_settings(path, &error)),
    }
}

fn is_suite(path: &Path) -> bool {
    matches!(extension(path), Some("json" | "jsonl" | "toml"))
}

fn extension(path: &Path) -> Option<&str> {
    path.extension().and_then(|extension| extension.to_str())
}

/// Reads one file.
///
/// # Errors
///
/// The file can't be read or parsed, has no cases, or a case can't fail.
pub fn read(path: &Path) -> Result<Suite, SuiteError> {
    let name = path.display().to_string();
    let text = files::read_text(path, SUITE_BYTES).map_err(|error| SuiteError::read_settings(path, &error))?;
    let suite = match extension(path) {
        Some("toml") => toml_problem(&name, &text)?,
        Some("jsonl") => parse_lines(&name, &text)?,
        _ => parse_json(&name, &text)?,
    };
    if suite.cases.is_empty() {
        let error = SuiteError::new(name, "it has no cases", "add one, or remove the file");
        return Err(SuiteError { missing: true, ..error });
    }
    if let Some((text, hint)) = relative(&suite.facts) {
        return Err(SuiteError::new(name, format!("`facts`: {text}"), hint));
    }
    for case in &suite.cases {
        check(case).map_err(|(text, hint)| {
            SuiteError::new(case_location(&name, case), format!("case `{}`: {text}", case.title()), hint)
        })?;
    }
    Ok(suite)
}

/// Checks that each case uses a known tool. A policy abstains for an unknown tool, whatever its rules are.
///
/// # Errors
///
/// The first case in this file with an unknown tool.
pub fn check_tools(file: &Path, suite: &Suite, subject: &Subject) -> Result<(), SuiteError> {
    let own = |tool: &str| subject.manifests().any(|(_, manifest)| manifest.tools.iter().any(|own| own == tool));
    for case in &suite.cases {
        let Some(tool) = case.tool.as_deref().filter(|tool| !own(tool)) else { continue };
        guard_config::check_tool(tool).map_err(|(text, hint)| {
            let text = format!("case `{}`: {text}", case.title());
            SuiteError::new(case_location(&file.display().to_string(), case), text, hint)
        })?;
    }
    Ok(())
}

/// Returns the location of a case.
fn case_location(file: &str, case: &Case) -> String {
    if case.line == 0 { file.to_owned() } else { format!("{file}:{}", case.line) }
}

/// Returns `:LINE` of the settings in a case file. Empty if it has none.
#[must_use]
pub fn line_of_settings(path: &Path) -> String {
    let text = files::read_text(path, SUITE_BYTES).unwrap_or_default();
    let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim_start().starts_with('#'));
    let mut lines = lines.filter(|(_, line)| line.contains("settings"));
    lines.next().map_or_else(String::new, |(number, _): (usize, _)| format!(":{number}"))
}

/// The positions of the cases in a TOML file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Spans {
    cases: Vec<toml::Spanned<IgnoredAny>>,
}

fn toml_problem(name: &str, text: &str) -> Result<Suite, SuiteError> {
    let mut suite: Suite = toml::from_str(text).map_err(|error: toml::de::Error| {
        let place = error.span().map(|span| format!(":{}", line_and_column(text, span.start)));
        SuiteError::from_parser(format!("{name}{}", place.unwrap_or_default()), error.message().trim())
    })?;
    let spans = toml::from_str::<Spans>(text).unwrap_or_default().cases;
    for (case, span) in suite.cases.iter_mut().zip(spans) {
        let before = text.get(..span.span().start).unwrap_or_default();
        case.line = before.matches('\n').count() + 1;
    }
    Ok(suite)
}

fn parse_lines(name: &str, text: &str) -> Result<Suite, SuiteError> {
    let mut suite = Suite::default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        let case: Case = serde_json::from_str(line)
            .map_err(|error| SuiteError::from_json(format!("{name}:{number}:{}", error.column()), &error))?;
        suite.cases.push(Case { line: number, ..case });
    }
    Ok(suite)
}

fn parse_json(name: &str, text: &str) -> Result<Suite, SuiteError> {
    let mut suite: Suite = serde_json::from_str(text)
        .map_err(|error| SuiteError::from_json(format!("{name}:{}:{}", error.line(), error.column()), &error))?;
    for (case, line) in suite.cases.iter_mut().zip(lines_of_cases(text)) {
        case.line = line;
    }
    Ok(suite)
}

/// Returns the line of each object in the list `cases` of a JSON object.
fn lines_of_cases(text: &str) -> Vec<usize> {
    let (mut lines, mut line, mut depth) = (Vec::new(), 1, 0_usize);
    let (mut in_text, mut escaped, mut in_cases) = (false, false, false);
    let mut word = Vec::new();
    for byte in text.bytes() {
        if byte == b'\n' {
            line += 1;
        }
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ if depth == 1 => word.push(byte),
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                in_text = true;
                word.clear();
            }
            b'[' | b'{' => {
                in_cases |= depth == 1 && word == b"cases";
                if in_cases && depth == 2 {
                    lines.push(line);
                }
                depth += 1;
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                in_cases &= depth > 1;
            }
            _ => {}
        }
    }
    lines
}

/// Returns a path of a world that has no effect because it is relative.
fn relative(world: &WorldFacts) -> Option<(String, &'static str)> {
    let places = [("cwd", &world.cwd), ("project-root", &world.project_root), ("home", &world.home)];
    let places = places.into_iter().filter_map(|(key, path)| Some((key, path.as_deref()?)));
    let files = world.files.keys().map(|path| ("files", path.as_str()));
    let dirs = world.dirs.iter().map(|path| ("dirs", path.as_str()));
    let links = world.links.keys().map(|path| ("links", path.as_str()));
    let git = world.git.iter().flat_map(|git| git.tracked.iter().chain(&git.staged).chain(&git.ignored));
    let git = git.map(|path| ("git", path.as_str()));
    let mut paths = places.chain(files).chain(dirs).chain(links).chain(git);
    let (key, path) = paths.find(|(_, path)| !path.is_empty() && !path.starts_with('/'))?;
    Some((format!("`{key}` has the relative path `{path}`"), "write it from the root, such as /repo/src"))
}

/// Checks that the case can fail: it must have an expectation that isn't always met.
fn check(case: &Case) -> Result<(), (String, &'static str)> {
    let of_reply = case.expect_exit.is_some() || case.expect_stdout.is_some() || case.expect_stderr.is_some();
    if case.payload.is_some() {
        if case.tool.is_some() || !case.input.is_null() {
            return Err(("it has both `payload` and `tool` or `input`".to_owned(), "keep one of them"));
        }
        if !of_reply && case.expect.0.is_empty() {
            return Err(("it expects nothing".to_owned(), "add `expect`, `expect-exit` or `expect-stdout`"));
        }
    } else if case.expect.0.is_empty() {
        return Err(("`expect` is missing".to_owned(), "add an outcome: abstain, allow, warn, ask or deny"));
    } else if of_reply || case.harness.is_some() {
        let text = "`harness` and the reply belong to a `payload`".to_owned();
        return Err((text, "give the whole payload, or `expect` alone"));
    }
    if let Some(name) = case.expect.0.iter().find(|name| outcome_named(name).is_none()) {
        return Err((format!("`{name}` isn't an outcome"), "use abstain, allow, warn, ask or deny"));
    }
    if OUTCOMES.iter().all(|&outcome| case.expect.0.iter().any(|name| name == outcome_name(outcome))) {
        return Err(("`expect` names all outcomes, so that none is wrong".to_owned(), "leave out those that are"));
    }
    if let Some((text, hint)) = relative(&case.facts) {
        return Err((text, hint));
    }
    match &case.coverage {
        Some(name) if !matches!(name.as_str(), "complete" | "partial" | "unparsed") => {
            Err((format!("`{name}` isn't a coverage"), "use complete, partial or unparsed"))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(name: &str, text: &str) -> SuiteError {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err();
        let place = error.place.strip_prefix(&format!("{}/", folder.path().display())).unwrap_or_default().to_owned();
        SuiteError { place, ..error }
    }

    fn lines(name: &str, text: &str) -> Vec<usize> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        read(&path).unwrap().cases.iter().map(|case| case.line).collect()
    }

    #[test]
    fn every_form_knows_the_lines_of_its_cases() {
        let toml = "# cases\n\n[[cases]]\ninput = 'ls'\nexpect = 'ask'\n[[cases]]\ninput = 'b'\nexpect = 'ask'\n";
        assert_eq!(lines("a.toml", toml), [3, 6]);
        let json = r#"{ "settings": { "cases": [{}] }, "facts": { "env": { "x": "\"cases[{" } },
            "cases": [ { "input": { "command": "{[\"" }, "expect": "ask" },

              { "input": "b", "expect": ["ask", "deny"] } ] }"#;
        assert_eq!(lines("a.json", json), [2, 4]);
        assert_eq!(
            lines("a.jsonl", "\n{\"input\":\"a\",\"expect\":\"ask\"}\n\n{\"input\":\"b\",\"expect\":\"ask\"}"),
            [2, 4]
        );
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_place_and_the_nearest_known_one() {
        for (name, text, place) in [
            ("a.toml", "[[cases]]\ninput = 'ls'\nexpct = 'ask'\n", "a.toml:3:1"),
            ("a.json", "{ \"cases\": [\n{ \"input\": \"ls\", \"expct\": \"ask\" } ] }", "a.json:2:24"),
            ("a.jsonl", "\n{\"expct\":\"ask\"}\n", "a.jsonl:2:8"),
        ] {
            let error = error(name, text);
            assert_eq!((error.place.as_str(), error.hint.as_str()), (place, "did you mean `expect`?"), "{error}");
            assert!(error.text.contains("`expct`") && !error.text.contains("at line"), "{error}");
        }
    }

    #[test]
    fn a_case_that_cannot_fail_is_refused() {
        for (case, text) in [
            ("input = 'ls'", "case `ls`: `expect` is missing"),
            ("input = 'ls'\nexpect = 'block'", "case `ls`: `block` isn't an outcome"),
            (
                "input = 'ls'\nexpect = ['deny', 'ask', 'warn', 'allow', 'abstain']",
                "case `ls`: `expect` names all outcomes, so that none is wrong",
            ),
            ("input = 'ls'\nexpect = 'ask'\ncoverage = 'full'", "case `ls`: `full` isn't a coverage"),
            (
                "input = 'ls'\nexpect = 'ask'\nexpect-exit = 2",
                "case `ls`: `harness` and the reply belong to a `payload`",
            ),
            ("name = 'p'\npayload = {}", "case `p`: it expects nothing"),
            ("name = 'p'\npayload = {}\ninput = 'x'\nexpect-exit = 0", "case `p`: it has both `payload` and"),
        ] {
            let error = error("a.toml", &format!("\n[[cases]]\n{case}\n"));
            assert!(error.text.starts_with(text) && error.place == "a.toml:2" && !error.hint.is_empty(), "{error:?}");
        }
    }

    #[test]
    fn a_world_with_a_relative_path_is_refused() {
        for (facts, key) in [
            ("cwd = 'src'", "cwd"),
            ("project-root = '.'", "project-root"),
            ("home = '~'", "home"),
            ("files = { 'a.txt' = '' }", "files"),
            ("dirs = ['./a']", "dirs"),
            ("links = { 'a' = '/b' }", "links"),
        ] {
            let case = "[[cases]]\ninput = 'ls'\nexpect = 'ask'\n";
            let of_suite = error("a.toml", &format!("[facts]\n{facts}\n{case}"));
            let of_case = error("a.toml", &format!("{case}facts = {{ {facts} }}\n"));
            for error in [of_suite, of_case] {
                assert!(error.text.contains(&format!("`{key}`")), "{error:?}");
            }
        }
    }

    #[test]
    fn a_file_without_cases_is_refused() {
        for (name, text) in
            [("a.toml", ""), ("a.toml", "[settings]\n"), ("a.json", "{\"cases\":[]}"), ("a.jsonl", "\n")]
        {
            let error = error(name, text);
            assert_eq!((error.place.as_str(), error.text.as_str()), (name, "it has no cases"), "{text}");
        }
    }

    #[test]
    fn what_is_named_like_a_file_of_cases_and_is_none_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.toml"), "").unwrap();
        std::os::unix::fs::symlink(path("a.toml"), path("b.toml")).unwrap();
        std::os::unix::fs::symlink(path("none"), path("notes.md")).unwrap();
        assert_eq!(find(folder.path()).unwrap(), ["a.toml", "b.toml"].map(path));
        let refused = |name: &str, text: &str| {
            let error = find(folder.path()).unwrap_err();
            assert_eq!((error.place, error.text.as_str()), (path(name).display().to_string(), text));
            assert!(!error.missing && !error.hint.is_empty());
            fs::remove_file(path(name)).unwrap();
        };
        std::os::unix::fs::symlink(path("none"), path("c.json")).unwrap();
        refused("c.json", "it is a link to nothing");
        let _socket = std::os::unix::net::UnixListener::bind(path("d.toml")).unwrap();
        refused("d.toml", "it is neither a file nor a folder");
    }

    #[test]
    fn a_folder_is_walked_by_name_without_hidden_files_and_links_to_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["b/x.jsonl", "a.toml", "c.json", ".hidden.json", ".git/x.json", "b/notes.md", "b/a.toml"] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), "").unwrap();
        }
        std::os::unix::fs::symlink(folder.path(), path("b/again")).unwrap();
        let expected = ["a.toml", "b/a.toml", "b/x.jsonl", "c.json"].map(path);
        assert_eq!(find(folder.path()).unwrap(), expected);
        assert!(find(&path("none")).unwrap_err().missing);
        assert!(!find(&path("b/notes.md")).unwrap_err().missing);
    }
}

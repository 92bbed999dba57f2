//! From files to suites, with errors that name the file and the line.

use std::fs;
use std::path::{Path, PathBuf};

use super::{Case, Suite};
use crate::contract::outcome_named;

/// The deepest folder that is looked into.
const DEPTH: usize = 16;

/// Why a suite cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {text}")]
pub struct SuiteError {
    /// The file, with the line where it is known.
    pub place: String,
    /// What is wrong.
    pub text: String,
}

/// The suite files at `path`: the file itself, or every one below the folder, sorted.
///
/// # Errors
///
/// A folder cannot be read.
pub fn find(path: &Path) -> Result<Vec<PathBuf>, SuiteError> {
    let mut files = Vec::new();
    collect(path, DEPTH, &mut files)?;
    files.sort();
    Ok(files)
}

fn collect(path: &Path, depth: usize, files: &mut Vec<PathBuf>) -> Result<(), SuiteError> {
    let fail = |error: std::io::Error| SuiteError { place: path.display().to_string(), text: error.to_string() };
    if !fs::metadata(path).map_err(fail)?.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    if depth == 0 {
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(fail)? {
        let below = entry.map_err(fail)?.path();
        let kind = below.extension().and_then(|extension| extension.to_str());
        if below.is_dir() || matches!(kind, Some("json" | "jsonl" | "toml")) {
            collect(&below, depth - 1, files)?;
        }
    }
    Ok(())
}

/// Reads one file.
///
/// # Errors
///
/// It cannot be read, does not parse, or a case expects nothing.
pub fn read(path: &Path) -> Result<Suite, SuiteError> {
    let name = path.display().to_string();
    let fail = |place: String, text: String| SuiteError { place, text };
    let text = fs::read_to_string(path).map_err(|error| fail(name.clone(), error.to_string()))?;
    let suite = match path.extension().and_then(|extension| extension.to_str()) {
        Some("toml") => toml::from_str(&text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            fail(format!("{name}:{}", before.matches('\n').count() + 1), error.message().to_owned())
        })?,
        Some("jsonl") => {
            let mut suite = Suite::default();
            for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
                let case: Case = serde_json::from_str(line)
                    .map_err(|error| fail(format!("{name}:{}", number + 1), error.to_string()))?;
                suite.cases.push(case);
            }
            suite
        }
        _ => {
            serde_json::from_str(&text).map_err(|error| fail(format!("{name}:{}", error.line()), error.to_string()))?
        }
    };
    for case in &suite.cases {
        check(case).map_err(|text| fail(name.clone(), format!("case `{}`: {text}", case.title())))?;
    }
    Ok(suite)
}

/// The case can fail: it expects something.
fn check(case: &Case) -> Result<(), String> {
    if case.payload.is_some() {
        let expects = case.expect_exit.is_some() || case.expect_stdout.is_some() || case.expect_stderr.is_some();
        return if expects || !case.expect.0.is_empty() { Ok(()) } else { Err("it expects nothing".to_owned()) };
    }
    if case.expect.0.is_empty() {
        return Err("`expect` is missing".to_owned());
    }
    match case.expect.0.iter().find(|name| outcome_named(name).is_none()) {
        Some(name) => Err(format!("`{name}` is no outcome; use abstain, allow, warn, ask or deny")),
        None => Ok(()),
    }
}

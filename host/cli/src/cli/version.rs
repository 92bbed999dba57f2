//! `guard-host self version`: shows which programs run here, and compares them with a list of digests.

use std::collections::BTreeMap;
use std::path::Path;
use std::{env, fs, io};

use anyhow::Context;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::args::{Format, SelfArgs, SelfCommand};
use super::subject::exit_error;
use super::{leftovers, print};
use guard_contract::exit::Exit;
use guard_hook::programs::{HOOK, TOOLS};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::{hex, is_digest};

pub(super) fn run(args: &SelfArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        SelfCommand::Version { check, format } => version(check.as_deref(), *format, environment),
        SelfCommand::Uninstall { purge, format } => leftovers::run(*purge, *format, dirs, environment),
    }
}

fn version(check: Option<&Path>, format: Format, environment: &Environment) -> anyhow::Result<Exit> {
    let expected = check.map(digests).transpose()?;
    let tools = env::current_exe().context("this program does not find its own file")?;
    let (mut exit, mut rows) = (Exit::Success, Vec::new());
    for (name, path) in [(HOOK, &environment.program), (TOOLS, &tools)] {
        let digest = digest(path).with_context(|| format!("`{}` cannot be read", path.display()))?;
        let result = match expected.as_ref().map(|digests| digests.get(name)) {
            None => "",
            Some(Some(expected)) if *expected == digest => "equal",
            Some(Some(_)) => "different",
            Some(None) => "not in the file",
        };
        if !matches!(result, "" | "equal") {
            exit = Exit::Failures;
        }
        rows.push((name, digest, result));
    }
    let (version, target) = (env!("CARGO_PKG_VERSION"), env!("GUARD_TARGET"));
    if format == Format::Json {
        let row = |(name, sha256, result)| json!({ "name": name, "sha256": sha256, "result": result });
        let programs: Vec<_> = rows.into_iter().map(row).collect();
        print::json(&json!({ "version": version, "target": target, "programs": programs }))?;
        return Ok(exit);
    }
    print::line(&format!("guard-host {version} {target}"))?;
    for (name, digest, result) in rows {
        print::line(format!("{digest}  {name}  {result}").trim_end())?;
    }
    Ok(exit)
}

/// Returns the digest of a file in hexadecimal. The file isn't read into memory as a whole.
fn digest(path: &Path) -> io::Result<String> {
    let mut digest = Sha256::new();
    io::copy(&mut fs::File::open(path)?, &mut digest)?;
    Ok(hex(&digest.finalize()))
}

/// Returns the digests in a file by `sha256sum`, by the file names without their folders.
fn digests(path: &Path) -> anyhow::Result<BTreeMap<String, String>> {
    let shown = path.display();
    let text = fs::read_to_string(path).map_err(|error| {
        let exit = if error.kind() == io::ErrorKind::InvalidData { Exit::Data } else { Exit::NoInput };
        exit_error(
            exit,
            format!("`{shown}` cannot be read: {error}"),
            "PROGRAMS.sha256 is in each archive of a release",
        )
    })?;
    let mut digests = BTreeMap::new();
    for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.is_empty()) {
        let Some((name, digest)) = parse_digest_line(line) else {
            let hint = "a line is a digest of 64 hexadecimal digits, two spaces and a name";
            return Err(exit_error(Exit::Data, format!("`{shown}`, line {number}, has no digest and name"), hint));
        };
        // If a name has two digests, neither is valid.
        digests.entry(name).and_modify(String::clear).or_insert(digest);
    }
    Ok(digests)
}

/// Parses the name and digest of a line.
fn parse_digest_line(line: &str) -> Option<(String, String)> {
    let (digest, rest) = line.split_once(' ')?;
    let path = rest.strip_prefix([' ', '*'])?;
    let name = Path::new(path).file_name()?.to_str()?;
    let name = name.strip_suffix(env::consts::EXE_SUFFIX).unwrap_or(name);
    is_digest(digest).then(|| (name.to_owned(), digest.to_ascii_lowercase()))
}

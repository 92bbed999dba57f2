//! Checks a layer's values beyond their types.

use std::path::Path;

use semver::Version;

use crate::options::{Journal, Options};
use crate::pins::trust_command;
use crate::remote::Remote;
use crate::{signers, tools};
use guard_contract::Layer;
use guard_sdk::globs::Glob;

/// The reason why a value is invalid, and how to correct it.
pub(super) type Refusal = (String, String);

/// The maximum number of policies, and of entries for tools, in an untrusted project's file.
const PROJECT_ENTRIES: usize = 16;

/// The minimum value of the size at which the audit log is rotated, in bytes.
const AUDIT_BYTES: u64 = 4096;

fn refuse<T>(text: String, hint: &str) -> Result<T, Refusal> {
    Err((text, hint.to_owned()))
}

/// Compares `min-version` with this program's version.
pub(super) fn check_version(table: &toml::Table) -> Result<(), Refusal> {
    let Some(version) = table.get("min-version").and_then(toml::Value::as_str) else { return Ok(()) };
    let have = env!("CARGO_PKG_VERSION");
    let wanted = match Version::parse(version) {
        Ok(wanted) => wanted,
        Err(error) => {
            let text = format!("`min-version` is `{version}`, which isn't a version: {error}");
            return refuse(text, "give three numbers, as in `0.1.0`");
        }
    };
    if !Version::parse(have).is_ok_and(|have| wanted.cmp_precedence(&have).is_le()) {
        return refuse(
            format!("the file needs guard-host {version}, this is {have}"),
            "update guard-host, or lower `min-version`",
        );
    }
    Ok(())
}

/// Checks the values of a layer. `is_limited`: it is an untrusted project's file.
pub(super) fn check(layer: Layer, options: &Options, file: &Path, is_limited: bool) -> Result<(), Refusal> {
    check_numbers(options)?;
    check_files(options)?;
    if layer != Layer::Managed && options.lock.is_some() {
        return refuse("`lock` works only in the managed file".to_owned(), "remove the key");
    }
    check_entries(layer, options)?;
    if layer == Layer::Project { check_project(options, file, is_limited) } else { Ok(()) }
}

fn check_numbers(options: &Options) -> Result<(), Refusal> {
    if let Some(ms) = options.deadline_ms
        && !(100..=2000).contains(&ms)
    {
        return refuse(format!("`deadline-ms` is {ms}"), "give a number from 100 to 2000");
    }
    if let Some(bytes) = options.audit.as_ref().and_then(|audit| audit.max_bytes)
        && bytes < AUDIT_BYTES
    {
        return refuse(format!("`max-bytes` is {bytes}"), "give at least 4096");
    }
    if let Some(ms) = options.undo.as_ref().and_then(|undo| undo.max_ms)
        && !(10..=1500).contains(&ms)
    {
        return refuse(format!("`max-ms` in `[undo]` is {ms}"), "give a number from 10 to 1500");
    }
    Ok(())
}

/// Checks patterns, and the paths of files that guard-host writes.
fn check_files(options: &Options) -> Result<(), Refusal> {
    for pattern in options.undo.iter().flat_map(|undo| &undo.exclude) {
        if let Err(error) = Glob::new(pattern) {
            return refuse(format!("`exclude` in `[undo]`: {error}"), "correct the pattern");
        }
        if pattern.starts_with('!') {
            let text = format!("`exclude` in `[undo]`: `{pattern}`: this list doesn't allow `!`");
            return refuse(text, "name the files that are never copied");
        }
    }
    if let Some(Journal::Socket(path)) = options.audit.as_ref().and_then(|audit| audit.journal.as_ref())
        && (!path.starts_with('/') || !is_path(path))
    {
        let text = format!("`journal` in `[audit]` is `{path}`, which isn't an absolute path");
        return refuse(text, "give `true`, or the absolute path of a journal's socket");
    }
    let written = [
        ("audit", "path", options.audit.as_ref().and_then(|audit| audit.path.as_deref())),
        ("session", "file", options.session.as_ref().and_then(|session| session.file.as_deref())),
    ];
    for (table, key, path) in written {
        if let Some(path) = path.filter(|path| !is_path(path)) {
            let text = format!("`{key}` in `[{table}]` is `{path}`, which isn't the path of a file");
            return refuse(text, "give a path from `/`, from `~/`, or below the folder of the state");
        }
        if let Some(path) = path.filter(|path| is_configuration(path)) {
            return refuse(
                format!("`{key}` in `[{table}]` is `{path}`, which is the name of a configuration"),
                "give a file of its own: it is written to at every ask",
            );
        }
    }
    Ok(())
}

/// Checks allows, the server, signers and tools.
fn check_entries(layer: Layer, options: &Options) -> Result<(), Refusal> {
    for options in &options.allow {
        super::allow(layer, options).checked("")?;
    }
    if let Some(remote) = &options.remote {
        Remote::from_options(remote, "").or_else(|(text, hint)| refuse(text, hint))?;
    }
    for signer in options.trust.iter().flat_map(|trust| &trust.signers) {
        let is_name = signer.name.len() <= 64 && signer.name.bytes().all(|byte| byte.is_ascii_graphic());
        if signer.name.is_empty() || !is_name || !signers::is_key(signer.key.trim()) {
            let hint = "give a name without blanks, and the lines of a PEM between the first and the last as one text";
            let name = signer.name.escape_debug();
            return refuse(format!("`signers` in `[trust]`: `{name}` has no public key of Ed25519 or P-256"), hint);
        }
    }
    for tool in &options.tool {
        tools::arguments(tool)?;
    }
    Ok(())
}

/// Checks the limits of a project's file.
fn check_project(options: &Options, file: &Path, is_limited: bool) -> Result<(), Refusal> {
    let given = [
        ("preset", options.preset.is_some()),
        ("mode", options.mode.is_some()),
        ("on-malformed", options.on_malformed.is_some()),
        ("bypass-ask", options.bypass_ask.is_some()),
        ("scripts", options.scripts.is_some()),
        ("confine", options.confine.is_some()),
        ("deadline-ms", options.deadline_ms.is_some()),
        ("audit", options.audit.is_some()),
        ("cache", options.cache.is_some()),
        ("session", options.session.is_some()),
        ("undo", options.undo.is_some()),
        ("remote", options.remote.is_some()),
        ("trust", options.trust.is_some()),
        ("allow", !options.allow.is_empty()),
    ];
    if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
        return refuse(
            format!("`{key}` doesn't work in a project's file"),
            "a project's file can have `min-version`, `[[tool]]` and `[[policy]]` only; set the key in your own guard.toml",
        );
    }
    for (name, count) in [("policies", options.policy.len()), ("entries for tools", options.tool.len())] {
        if count > PROJECT_ENTRIES && is_limited {
            let hint = format!("merge some of them, or let the user run `{}`", trust_command(file));
            return refuse(format!("more than {PROJECT_ENTRIES} {name} in a project's file"), &hint);
        }
    }
    Ok(())
}

/// Returns whether the text is a valid path.
fn is_path(path: &str) -> bool {
    let is_of_somebody = path.starts_with('~') && !path.starts_with("~/");
    !path.is_empty() && !path.ends_with('/') && !is_of_somebody && !path.contains(char::is_control)
}

/// Returns whether a file of this name is a configuration, which must not be written to.
fn is_configuration(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with(".toml") || (name.starts_with("settings") && name.ends_with(".json"))
}

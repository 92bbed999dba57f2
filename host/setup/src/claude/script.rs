//! Scripts that replace hook scripts: their locations, their content, and how an author's own script is preserved.

use std::path::{Path, PathBuf};

use guard_builtins::Builtin;
use guard_config::nearest;
use guard_contract::shell_word::word;
use guard_hook::command_line::SETTINGS_FOLDER;
use guard_platform::paths::native;
use serde_json::Value;

use super::registration::{NAME, SETTINGS_DIR, Target, settings_in, target};
use super::settings::BEFORE;
use crate::command::{arguments, is_shim, script_of, started, text};
use crate::install::{Foreign, HookLocation, InstallError, InstallOptions, ManagedFile, aside};

/// The start of a script that confirms calls.
const CONFIRMING: &str = "#!/usr/bin/env python3
\"\"\"Confirms a call that waits, as `guard-host confirm` does. Written by `guard-host install`.\"\"\"
import os
import sys

";

/// Returns the names of scripts that built-in policies replace, and of their scripts that confirm calls.
fn known_scripts() -> Vec<&'static str> {
    let builtins = || guard_builtins::all().iter();
    let names = builtins().filter_map(|builtin| builtin.called);
    let mut names: Vec<&str> = names.chain(builtins().filter_map(|builtin| builtin.confirmed_by)).collect();
    names.sort_unstable();
    names
}

/// Returns the path of the script with this name: where the settings start it, or else in the folder of the hooks.
pub(super) fn place(
    name: &str,
    options: &InstallOptions,
    target: &Target,
    site: HookLocation<'_>,
) -> Result<PathBuf, InstallError> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(plain) {
        let text = format!("`{name}` isn't a valid script name: use letters, digits, `.`, `_` and `-`");
        return Err(InstallError::Arguments(text));
    }
    let names = known_scripts();
    if let Some(meant) = nearest(name, &names).filter(|meant| *meant != name && options.only.is_empty()) {
        let names = names.join(", ");
        let text = format!(
            "unknown script `{name}`; did you mean `{meant}`? known: {names}; another name close to these needs `--only`"
        );
        return Err(InstallError::Arguments(text));
    }
    if options.is_confirming() {
        let places: Vec<PathBuf> = folders(target, site).into_iter().map(|folder| folder.join(name)).collect();
        let there = places.iter().find(|path| path.exists()).or(places.first());
        return Ok(there.cloned().unwrap_or_else(|| folder(target).join(name)));
    }
    let registered = registered(target, site).into_iter().find(|path| path.file_name().is_some_and(|own| own == name));
    Ok(registered.unwrap_or_else(|| folder(target).join(name)))
}

/// Returns the folder for scripts that start the hook.
pub(super) fn folder(target: &Target) -> PathBuf {
    let beside = target.file.parent().unwrap_or(Path::new("/"));
    if beside.ends_with("hooks") { beside.to_path_buf() } else { beside.join("hooks") }
}

/// Returns the scripts by any author that the settings start before a call, if they may be overwritten here.
fn registered(target: &Target, site: HookLocation<'_>) -> Vec<PathBuf> {
    let names = target.names(site);
    let scripts = handlers(target).into_iter().filter_map(|handler| script_of(&handler, &names)).map(PathBuf::from);
    let is_within = |path: &PathBuf| target.within.as_ref().is_none_or(|folder| path.starts_with(folder));
    scripts.filter(is_within).collect()
}

/// Returns the handlers that the settings start before a call.
fn handlers(target: &Target) -> Vec<Value> {
    let settings = settings_in(&target.file);
    let groups = settings.get("hooks").unwrap_or(&settings).get(BEFORE).and_then(Value::as_array);
    let handlers = groups.into_iter().flatten().filter_map(|group| group.get("hooks")?.as_array());
    handlers.flatten().cloned().collect()
}

/// Returns the lines of other hooks that contain the script's name, and that do more than start it.
fn unreplaced(path: &Path, target: &Target, site: HookLocation<'_>) -> Vec<String> {
    let (names, name) = (target.names(site), path.file_name().unwrap_or_default().to_string_lossy());
    let is_other = |handler: &Value| {
        started(handler, &names).is_none() && script_of(handler, &names).is_none_or(|script| Path::new(&script) != path)
    };
    let is_separator = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let is_named = |line: &&str| line.split(is_separator).any(|word| word == name);
    let others = handlers(target).into_iter().filter(is_other);
    let lines = others.filter_map(|handler| handler.get("command").and_then(Value::as_str).map(str::to_owned));
    lines.filter(|line| is_named(&line.as_str())).collect()
}

/// Returns the folders that may contain a confirming script: those of its policy's script, and the usual ones.
fn folders(target: &Target, site: HookLocation<'_>) -> Vec<PathBuf> {
    let called = |path: &Path| {
        let own = path.file_name().and_then(|name| name.to_str());
        let is_of = |builtin: &&Builtin| builtin.confirmed_by.is_some() && builtin.called == own;
        guard_builtins::all().iter().find(is_of).is_some()
    };
    let beside = registered(target, site).into_iter().filter(|path| called(path));
    let beside = beside.filter_map(|path| path.parent().map(Path::to_path_buf));
    beside.chain([folder(target), folder(target).join("scripts")]).collect()
}

/// Returns the confirming scripts that `install` wrote.
pub(super) fn confirming(target: &Target, site: HookLocation<'_>) -> Vec<PathBuf> {
    let names: Vec<&str> = guard_builtins::all().iter().filter_map(|builtin| builtin.confirmed_by).collect();
    let folders = folders(target, site);
    let mut found: Vec<PathBuf> =
        folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name))).collect();
    found.sort();
    found.dedup();
    found.retain(|path| std::fs::read_to_string(path).is_ok_and(|text| is_confirming(&text)));
    found
}

/// Returns the script as a file of the registration. An author's own script is moved aside.
pub(super) fn piece(path: PathBuf, text: String, target: &Target, site: HookLocation<'_>) -> ManagedFile {
    let names = target.names(site);
    ManagedFile::Own {
        path,
        within: target.within.clone(),
        mode: 0o755,
        bytes: text.into_bytes(),
        is_ours: Box::new(move |bytes| {
            std::str::from_utf8(bytes).is_ok_and(|text| is_shim(text, &names) || is_confirming(text))
        }),
        foreign: Foreign::SetAside,
    }
}

/// Returns the command line with which the settings start a script.
pub(super) fn line(
    path: &Path,
    options: &InstallOptions,
    target: &Target,
    site: HookLocation<'_>,
) -> Result<String, InstallError> {
    let below = |root: &Path| path.strip_prefix(root).ok();
    let (variable, rest) = match (&options.plugin, &target.plugin) {
        (Some(_), Some(plugin)) => ("CLAUDE_PLUGIN_ROOT", below(plugin)),
        _ if options.shared && options.hooks_file.is_none() => ("CLAUDE_PROJECT_DIR", below(site.project)),
        _ => ("", None),
    };
    match rest {
        Some(rest) => Ok(format!("\"${{{variable}}}\"/{}", word(text(rest)?))),
        None => Ok(word(text(path)?)),
    }
}

/// Returns the one-line script that starts the hook.
pub(super) fn hook_text(path: &Path, options: &InstallOptions, site: HookLocation<'_>) -> Result<String, InstallError> {
    let program = match (&options.plugin, options.shared) {
        (Some(plugin), _) => format!("\"${{0%/*}}/{}bin/guard-host\"", up_to(path, plugin, site)),
        (None, true) => "guard-host".to_owned(),
        (None, false) => word(text(&site.environment.program)?),
    };
    let arguments = arguments(options, site, NAME)?.iter().map(|argument| word(argument)).collect::<Vec<_>>().join(" ");
    let settings = match options.has_settings() {
        true => format!(" {SETTINGS_DIR} \"${{0%/*}}/{SETTINGS_FOLDER}\""),
        false => String::new(),
    };
    Ok(format!("#!/bin/sh\nexec {program} {arguments}{settings} \"$@\"\n"))
}

/// Returns the relative path from a script's folder up to its plugin.
fn up_to(path: &Path, plugin: &Path, site: HookLocation<'_>) -> String {
    let root = native(&site.environment.cwd).join(plugin);
    let depth =
        path.parent().and_then(|folder| folder.strip_prefix(&root).ok()).map_or(1, |below| below.iter().count());
    "../".repeat(depth)
}

/// Returns the script that starts `confirm`. It is in Python, because the original was started with `python`.
pub(super) fn confirming_text(
    path: &Path,
    options: &InstallOptions,
    site: HookLocation<'_>,
) -> Result<String, InstallError> {
    let literal = |text: &str| Value::from(text).to_string();
    let program = match (&options.plugin, options.shared) {
        (Some(plugin), _) => {
            let file = literal(&format!("{}bin/guard-host", up_to(path, plugin, site)));
            format!("os.path.join(os.path.dirname(os.path.abspath(__file__)), {file})")
        }
        (None, true) => literal("guard-host"),
        (None, false) => literal(text(&site.environment.program)?),
    };
    let mut words = vec![literal("guard-host")];
    if !options.shared {
        for (flag, path) in site.dirs.arguments() {
            words.extend([literal(flag), literal(text(path)?)]);
        }
    }
    words.push(literal("confirm"));
    Ok(format!("{CONFIRMING}os.execvp({program}, [{}] + sys.argv[1:])\n", words.join(", ")))
}

fn is_confirming(text: &str) -> bool {
    text.strip_prefix(CONFIRMING).is_some_and(|rest| rest.starts_with("os.execvp(") && rest.lines().count() == 1)
}

/// Returns the next steps: the script's question, and the path of the author's script.
pub(super) fn next_steps(options: &InstallOptions, site: HookLocation<'_>) -> Vec<String> {
    let Some(name) = options.shim.as_deref() else { return Vec::new() };
    let Some(path) = target(options, site).and_then(|target| place(name, options, &target, site)).ok() else {
        return Vec::new();
    };
    let mut steps = Vec::new();
    if options.is_confirming() {
        steps.push(format!("approve a call with `python3 {} 'OPERATION'` in a terminal", path.display()));
    }
    let policies = options.policies();
    match policies.is_empty() {
        _ if options.is_confirming() => {}
        true => steps.push(format!(
            "know that `{name}` asks the whole chain; scripts of one policy: {}",
            known_scripts().join(", ")
        )),
        false => steps.push(format!("know that `{name}` asks {} alone", policies.join(", "))),
    }
    for line in target(options, site).iter().flat_map(|target| unreplaced(&path, target, site)) {
        let file = target(options, site).map(|target| target.file.display().to_string()).unwrap_or_default();
        steps.push(format!(
            "check `{line}` in `{file}`: it names `{name}`, and is kept because it does more than start it"
        ));
    }
    let copy = aside(&path);
    if copy.exists() {
        let (copy, place) = (copy.display(), options.place());
        steps.push(format!("find your own script at `{copy}`; `guard-host uninstall claude{place}` puts it back"));
    }
    steps
}

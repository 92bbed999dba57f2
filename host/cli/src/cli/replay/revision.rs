//! Copies the files of a project's configuration at a revision, or of another version of it, to a separate folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::sides::BUILTIN;
use crate::cli::subject::exit_error;
use guard_config::lock::Lock;
use guard_contract::exit::Exit;
use guard_contract::paths::lexical;
use guard_redact::plain;

/// The maximum size of a file in a revision, in bytes.
const REVISION_BYTES: usize = 16 << 20;

/// The path of a project's configuration, from its root.
pub(in crate::cli) const CONFIGURATION: &str = ".guard/guard.toml";

/// The folder of a project's configuration.
const FOLDER: &str = ".guard";

/// The path of a project's recorded calls, from its root.
pub(in crate::cli) const CALLS: &str = ".guard/calls.jsonl";

/// Runs git in a project. The output is `None` if git fails.
fn git(project: &str, arguments: &[&str]) -> anyhow::Result<Option<Vec<u8>>> {
    // Reading must not start programs from the repository's configuration, or fetch objects.
    let calm = ["core.fsmonitor=false", "core.hooksPath=/dev/null", "protocol.allow=never", "credential.helper="];
    let mut git = Command::new("git");
    git.env("GIT_NO_LAZY_FETCH", "1").env("GIT_TERMINAL_PROMPT", "0").args(["-C", project]);
    git.args(calm.iter().flat_map(|setting| ["-c", setting]));
    let output = git.args(arguments).stdin(Stdio::null()).output();
    let output = output.map_err(|error| exit_error(Exit::Software, format!("`git` does not run: {error}"), ""))?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Returns whether git ignores a file, so that commits don't contain it.
pub(in crate::cli) fn is_ignored(file: &str, project: &str) -> bool {
    git(project, &["check-ignore", "-q", "--", file]).is_ok_and(|output| output.is_some())
}

/// Returns the paths of all files in a revision. Empty if the revision doesn't exist.
pub(in crate::cli) fn files_at(name: &str, project: &str) -> anyhow::Result<Vec<String>> {
    if name.starts_with('-') {
        return Ok(Vec::new());
    }
    let listed = git(project, &["ls-tree", "-r", "-z", "--name-only", "--full-tree", name])?;
    let listed = String::from_utf8(listed.unwrap_or_default()).unwrap_or_default();
    // A tree that git itself didn't write may have such names.
    let leads_out = |file: &str| file.split('/').any(|name| name == "..");
    Ok(listed.split('\0').filter(|file| !file.is_empty() && !leads_out(file)).map(str::to_owned).collect())
}

/// Returns whether the file is a version of a project's guard.toml, in `.guard`.
pub(super) fn is_of_project(file: &Path) -> bool {
    file.parent().and_then(Path::file_name).is_some_and(|name| name == FOLDER)
}

/// Copies a version of a project's guard.toml to `scratch` under that name, with the files that it uses.
pub(super) fn read_settings(file: &Path, scratch: &Path) -> anyhow::Result<()> {
    let unreadable =
        |error: std::io::Error| exit_error(Exit::NoInput, format!("`{}` cannot be read: {error}", file.display()), "");
    let root = file.ancestors().nth(2).unwrap_or(file);
    let text = fs::read_to_string(file).map_err(unreadable)?;
    let copy_file = |name: &str| {
        let (from, to) = (root.join(name), scratch.join(name));
        fs::create_dir_all(to.parent().unwrap_or(scratch))?;
        fs::copy(&from, to).map(|_| ())
    };
    fs::create_dir_all(scratch.join(FOLDER))?;
    fs::write(scratch.join(CONFIGURATION), &text)?;
    let mut names: Vec<PathBuf> = Vec::new();
    for named in named_files(&text, CONFIGURATION) {
        // A folder of settings may contain other files.
        let files = guard_config::files_of(&root.join(&named)).into_iter().filter(|path| path.is_file());
        names.extend(files.filter_map(|path| path.strip_prefix(root).ok().map(Path::to_path_buf)));
    }
    let lock = Lock::file(Path::new(CONFIGURATION));
    for locked in Lock::read(&root.join(&lock)).unwrap_or_default().policy {
        names.push(locked.component(Path::new(CONFIGURATION)));
    }
    names.push(lock);
    let names = names.iter().filter(|name| root.join(name).is_file());
    names.filter_map(|name| name.to_str()).try_for_each(|name| copy_file(name).map_err(unreadable))
}

/// Returns whether a file of a revision is the configuration of the project, or of a folder in it.
pub(in crate::cli) fn is_configuration(file: &str) -> bool {
    file.strip_suffix(CONFIGURATION).is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
}

/// Copies a revision's configurations to `scratch`, those of the project and of its folders: each `.guard`, and the files
/// outside of it that it uses.
pub(in crate::cli) fn revision(name: &str, project: &str, scratch: &Path) -> anyhow::Result<()> {
    let neither = |what: &str| {
        let text = format!("`{}` is neither a file nor a revision of git that has {what}", plain(name));
        exit_error(Exit::NoInput, text, "give a guard.toml, a policy, or a revision such as `HEAD~1` or `origin/main`")
    };
    if name.starts_with('-') {
        return Err(neither("a name"));
    }
    let listed = files_at(name, project)?;
    let configurations: Vec<&str> = listed.iter().map(String::as_str).filter(|file| is_configuration(file)).collect();
    if configurations.is_empty() {
        return Err(neither("a `.guard/guard.toml`"));
    }
    let copy = RevisionCopy { name, project, listed: &listed, scratch };
    if copy.has(CALLS) {
        copy.copy_file(CALLS)?;
    }
    // A configuration that can't be copied doesn't hide the others.
    let copied: Vec<_> = configurations.into_iter().map(|file| copy.copy_configuration(file)).collect();
    copied.into_iter().collect()
}

/// Copies the fitting files of a revision to `scratch`.
pub(in crate::cli) fn copy_files(
    name: &str,
    project: &str,
    listed: &[String],
    scratch: &Path,
    fits: impl Fn(&str) -> bool,
) -> anyhow::Result<()> {
    let copy = RevisionCopy { name, project, listed, scratch };
    listed.iter().filter(|file| fits(file)).try_for_each(|file| copy.copy_file(file))
}

/// Copies files of a revision.
struct RevisionCopy<'a> {
    name: &'a str,
    project: &'a str,
    /// The paths of all files in the revision.
    listed: &'a [String],
    scratch: &'a Path,
}

impl RevisionCopy<'_> {
    fn has(&self, file: &str) -> bool {
        self.listed.iter().any(|listed| listed == file)
    }

    fn read(&self, file: &str) -> anyhow::Result<Vec<u8>> {
        let git = |arguments: &[&str]| git(self.project, arguments);
        let unreadable = || {
            let text = format!("`{}` of `{}` cannot be read", plain(file), plain(self.name));
            exit_error(
                Exit::NoInput,
                text,
                "it may be larger than 16 MiB, or missing from this clone: get it with `git fetch`",
            )
        };
        let object = format!("{}:{file}", self.name);
        let size = git(&["cat-file", "-s", &object])?.and_then(|text| String::from_utf8(text).ok());
        let is_small =
            size.and_then(|size| size.trim().parse::<usize>().ok()).is_some_and(|size| size <= REVISION_BYTES);
        if is_small { git(&["cat-file", "blob", &object])?.ok_or_else(unreadable) } else { Err(unreadable()) }
    }

    fn write(&self, file: &str, bytes: &[u8]) -> anyhow::Result<()> {
        let path = self.scratch.join(file);
        fs::create_dir_all(path.parent().unwrap_or(self.scratch))?;
        Ok(fs::write(path, bytes)?)
    }

    fn copy_file(&self, file: &str) -> anyhow::Result<()> {
        self.write(file, &self.read(file)?)
    }

    /// Copies a configuration with the files that it uses and its lock.
    fn copy_configuration(&self, configuration: &str) -> anyhow::Result<()> {
        let text = self.read(configuration)?;
        self.write(configuration, &text)?;
        for named in named_files(&String::from_utf8_lossy(&text), configuration) {
            let is_below = |file: &str| file.strip_prefix(named.as_str()).is_some_and(|below| below.starts_with('/'));
            // In a folder, only files with these extensions are settings.
            let counts = |file: &str| file.ends_with(".rego") || file.ends_with(".json");
            for file in self.listed.iter().filter(|file| **file == named || (is_below(file) && counts(file))) {
                self.copy_file(file)?;
            }
        }
        let lock = Lock::file(Path::new(configuration));
        if let Some(file) = lock.to_str().filter(|file| self.has(file)) {
            self.copy_file(file)?;
            for locked in Lock::read(&self.scratch.join(file)).unwrap_or_default().policy {
                let component = locked.component(Path::new(configuration));
                let component = component.to_string_lossy();
                // Most projects don't commit components but use `policy fetch`. The digest identifies the component.
                match fs::read(Path::new(self.project).join(&*component)) {
                    _ if self.has(&component) => self.copy_file(&component)?,
                    Ok(bytes) => self.write(&component, &bytes)?,
                    Err(_) => {
                        let name = plain(self.name);
                        let text = format!("the component of `{}` at `{name}` is not here", locked.name);
                        let hint = "run `guard-host policy fetch` at that revision";
                        return Err(exit_error(Exit::Unavailable, text, hint));
                    }
                }
            }
        }
        Ok(())
    }
}

/// Returns the project's files that a configuration uses, from the project's root.
fn named_files(text: &str, configuration: &str) -> Vec<String> {
    // Every verdict reports a configuration that can't be read, so it's ignored here.
    let table: toml::Table = toml::from_str(text).unwrap_or_default();
    let policies = table.get("policy").and_then(toml::Value::as_array).into_iter().flatten();
    let paths = policies.flat_map(|policy| ["source", "settings-file"].map(|key| policy.get(key)));
    let paths = paths.flatten().filter_map(toml::Value::as_str).filter(|path| !path.starts_with(BUILTIN));
    let folder = format!("/{}", Path::new(configuration).parent().unwrap_or(Path::new("")).display());
    let from_root = |path: &str| lexical(path, &folder, "").strip_prefix('/').map(str::to_owned);
    paths.filter(|path| !path.starts_with(['/', '~'])).filter_map(from_root).collect()
}

//! References and stashes that a git command loses, and the objects that git must not prune while the backup exists.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use guard_facts::losses::GitLoss;
use guard_platform::paths::native;

use super::git_state::Head;
use crate::gather::{Gatherer, SkipReason};
use crate::git::{Git, PINS, Repository, SYMBOLIC};
use crate::manifest::Manifest;

/// The maximum number of references in a state.
const REFERENCES: usize = 10_000;

/// The number of objects above which a single commit with all of them as parents protects them.
const SINGLE: usize = 16;

/// The usual paths of git's system configuration.
const SYSTEM: [&str; 3] = ["/etc/gitconfig", "/opt/homebrew/etc/gitconfig", "/usr/local/etc/gitconfig"];

/// Returns the references that the command moves or deletes, with their values.
pub(super) fn lost_references(
    gatherer: &mut Gatherer,
    loss: &GitLoss,
    git: &Git<'_>,
    head: &Head,
) -> Vec<(String, String)> {
    let mut refs = references(git, &loss.refs);
    if refs.len() > REFERENCES {
        gatherer.report_excluded(format!("more than {REFERENCES} references"));
        refs.truncate(REFERENCES);
    }
    if loss.refs.iter().any(|name| name == "HEAD") {
        let branch = Some((head.branch.clone(), head.commit.clone())).filter(|(name, _)| !name.is_empty());
        refs.extend(branch);
        refs.push(("HEAD".to_owned(), head.value()));
    }
    // Other operations only lose references that exist.
    if !is_of_references(&loss.operation) {
        return refs;
    }
    let is_pattern = |name: &String| name.contains(['*', '?', '[']);
    if loss.refs.iter().any(is_pattern) {
        gatherer.report_excluded(format!("{}: a pattern of references", loss.target));
    }
    if refs.is_empty() {
        gatherer.report_excluded(format!("{}: no such branch, tag or reference", loss.target));
    }
    if loss.operation == "git.branch.move" && is_of_head(loss, head) {
        gatherer.report_excluded(format!("{}: the branch name", loss.target));
    }
    refs
}

/// Returns whether the operation affects named references.
fn is_of_references(operation: &str) -> bool {
    matches!(operation, "git.branch.delete" | "git.branch.move" | "git.ref.delete" | "git.tag.delete" | "git.tag.move")
}

/// Returns whether the checked-out branch is moved or renamed. A restore leaves that to the user.
fn is_of_head(loss: &GitLoss, head: &Head) -> bool {
    let name = head.branch.strip_prefix("refs/heads/").unwrap_or_default();
    loss.target == name || loss.words.first().is_some_and(|word| word == name) && loss.words.len() > 1
}

pub(super) fn stashes(git: &Git<'_>) -> Vec<(String, String)> {
    let list = git.text(&["log", "-g", "--format=%H%x09%gs", "refs/stash", "--"]).unwrap_or_default();
    let stash = |line: &str| line.split_once('\t').map(|(oid, text)| (oid.to_owned(), text.to_owned()));
    list.lines().filter_map(stash).collect()
}

/// Returns the references with these names, or below these prefixes, except this program's own.
fn references(git: &Git<'_>, names: &[String]) -> Vec<(String, String)> {
    let prefixes = ["refs/heads/", "refs/remotes/", "refs/tags/", ""];
    let is_full = |name: &str| name.starts_with("refs/");
    let patterns = names.iter().flat_map(|name| {
        prefixes
            .iter()
            .filter(|prefix| prefix.is_empty() || !is_full(name))
            .map(move |prefix| format!("{prefix}{name}"))
    });
    let patterns: Vec<String> = patterns.collect();
    if patterns.is_empty() {
        return Vec::new();
    }
    let mut words = vec!["for-each-ref", "--format=%(refname) %(objectname) %(symref)"];
    words.extend(patterns.iter().map(String::as_str));
    let list = git.text(&words).unwrap_or_default();
    let named = |line: &str| {
        let mut words = line.splitn(3, ' ').map(str::to_owned);
        let (name, oid) = words.next().zip(words.next())?;
        let leads_to = words.next().filter(|to| !to.is_empty());
        Some((name, leads_to.map_or(oid, |to| format!("{SYMBOLIC}{to}"))))
    };
    let is_other = |(name, _): &(String, String)| !name.starts_with("refs/guard-host/") && name != "refs/stash";
    list.lines().filter_map(named).filter(is_other).collect()
}

/// Returns whether git may lose something by this command. For a plain fetch, reading the configuration files is faster
/// than starting git.
#[must_use]
pub fn may_lose(loss: &GitLoss, env: &BTreeMap<String, String>) -> bool {
    let is_plain_fetch = loss.fetches && loss.operation == "git.refs" && loss.refs.is_empty();
    !is_plain_fetch || may_prune(&loss.folder, env)
}

/// Returns whether the settings mention pruning, or include other files. Without reflogs, a fetch also loses what it
/// forces.
fn may_prune(folder: &str, env: &BTreeMap<String, String>) -> bool {
    let folder = native(folder);
    let Some(repository) = Repository::find(&folder.canonicalize().unwrap_or_else(|_| folder.into_owned())) else {
        return false;
    };
    let of_user = [("HOME", ".gitconfig"), ("HOME", ".config/git/config"), ("XDG_CONFIG_HOME", "git/config")];
    let of_user = of_user.iter().filter_map(|(name, file)| Some(Path::new(env.get(*name)?).join(file)));
    let own = [repository.common_dir.join("config"), repository.git_dir.join("config.worktree")];
    let mut files = SYSTEM.iter().map(PathBuf::from).chain(of_user).chain(own);
    cfg!(not(unix)) || !repository.common_dir.join("logs").exists() || files.any(|file| mentions_pruning(&file))
}

fn mentions_pruning(settings: &Path) -> bool {
    match std::fs::read(settings) {
        Ok(text) => {
            let text = text.to_ascii_lowercase();
            ["include", "prune"].iter().any(|name| text.windows(name.len()).any(|part| part == name.as_bytes()))
        }
        Err(error) => !matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory),
    }
}

/// Returns the prefixes of the references that a fetch prunes according to the settings. Without reflogs, it also loses
/// those that it forces.
pub(super) fn pruned_prefixes(git: &Git<'_>, repository: &Repository) -> Vec<String> {
    let all = git.text(&["config", "--get-regexp", r"^(fetch|remote\..*)\.prune(tags)?$"]).unwrap_or_default();
    let is_on = |value: &str| !matches!(value.to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0");
    // Git prints keys in lower case, except for the remote's name, and omits a missing value.
    let set = all.lines().filter(|line| line.split_once(' ').is_none_or(|(_, value)| is_on(value)));
    let folder = |line: &str| if line.contains(".prunetags") { "refs/tags/" } else { "refs/remotes/" };
    let mut folders: Vec<String> = set.map(|line| folder(line).to_owned()).collect();
    if !repository.common_dir.join("logs").exists() {
        folders.push("refs/remotes/".to_owned());
    }
    folders
}

/// Returns the prefixes of the references that remotes update, outside of the usual folders.
pub(super) fn mirrored_prefixes(git: &Git<'_>) -> Vec<String> {
    let all = git.text(&["config", "--get-regexp", r"^remote\..*\.fetch$"]).unwrap_or_default();
    let targets = all.lines().filter_map(|line| line.rsplit_once(':')).map(|(_, target)| target);
    let prefixes = targets.map(|target| target.split('*').next().unwrap_or_default().to_owned());
    prefixes.filter(|prefix| !prefix.starts_with("refs/remotes/") && !prefix.is_empty()).collect()
}

/// Returns the repository's records of linked work trees that no longer exist: their folders and commits.
pub(super) fn missing_worktrees(repository: &Repository) -> Vec<(PathBuf, String)> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default().trim().to_owned();
    let admins = std::fs::read_dir(repository.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let is_gone = |admin: &PathBuf| !Path::new(&read(&admin.join("gitdir"))).exists();
    admins.map(|admin| admin.path()).filter(is_gone).map(|admin| (admin.clone(), read(&admin.join("HEAD")))).collect()
}

/// Protects the objects that git must not prune.
pub(super) fn pin(
    manifest: &Manifest,
    trees: &BTreeMap<String, String>,
    staged: &BTreeMap<String, Vec<String>>,
    env: &BTreeMap<String, String>,
) -> Result<(), SkipReason> {
    let mut wanted: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (root, tree) in trees {
        wanted.entry(root).or_default().insert(tree);
    }
    for state in &manifest.git {
        let refs = state.refs.iter().map(|(_, oid)| oid).chain(state.stashes.iter().map(|(oid, _)| oid));
        let staged = staged.get(&state.root).into_iter().flatten();
        let oids = refs.chain(staged).map(String::as_str).chain([state.head.as_str()]).filter(|oid| is_oid(oid));
        wanted.entry(&state.root).or_default().extend(oids);
    }
    let failed = |error: io::Error| SkipReason::Failed(error.to_string());
    for (root, oids) in wanted.into_iter().filter(|(_, oids)| !oids.is_empty()) {
        let git = Git { root: Path::new(root), env };
        let oids: Vec<String> = oids.into_iter().map(str::to_owned).collect();
        let oids = if oids.len() > SINGLE { join_commits(&git, oids).map_err(failed)? } else { oids };
        let order = |(number, oid): (usize, &String)| format!("create {PINS}/{}/{number} {oid}\n", manifest.id);
        let orders: String = oids.iter().enumerate().map(order).collect();
        git.output_with_input(&["update-ref", "--stdin"], orders.into_bytes()).map_err(failed)?;
    }
    Ok(())
}

/// Replaces all commits with one that has them as parents, because each reference is a file.
fn join_commits(git: &Git<'_>, oids: Vec<String>) -> io::Result<Vec<String>> {
    let input: String = oids.iter().map(|oid| format!("{oid}\n")).collect();
    let types = git.output_with_input(&["cat-file", "--batch-check=%(objecttype)"], input.into_bytes())?;
    let types = String::from_utf8_lossy(&types).into_owned();
    let (commits, mut others): (Vec<_>, Vec<_>) =
        oids.into_iter().zip(types.lines()).partition(|(_, kind)| *kind == "commit");
    let Some((first, _)) = commits.first() else { return Ok(others.into_iter().map(|(oid, _)| oid).collect()) };
    let tree = git.text(&["rev-parse", "--verify", &format!("{first}^{{tree}}")])?;
    let parents: String = commits.iter().map(|(oid, _)| format!("parent {oid}\n")).collect();
    let by = "guard-host <guard-host> 0 +0000";
    let text = format!("tree {tree}\n{parents}author {by}\ncommitter {by}\n\nguard-host undo\n");
    let commit = git.output_with_input(&["hash-object", "-t", "commit", "-w", "--stdin"], text.into_bytes())?;
    others.push((String::from_utf8_lossy(&commit).trim().to_owned(), "commit"));
    Ok(others.into_iter().map(|(oid, _)| oid).collect())
}

/// Returns whether the text is an object id. Git prints zeros if there is no object.
pub(super) fn is_oid(text: &str) -> bool {
    text.len() >= 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) && text.bytes().any(|byte| byte != b'0')
}

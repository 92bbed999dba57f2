//! Restores the parts of repositories: branches, stashes and the index.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::outcome::is_later;
use super::{Options, Report, Restorer};
use crate::copy::copy;
use crate::git::{Git, Repository, SYMBOLIC};
use crate::index::Index;
use crate::manifest::{GitState, Manifest};

/// Prefixes of reflog entries by commands that move references without creating a commit.
const MOVES: [&str; 12] = [
    "branch:",
    "Branch: copied",
    "Branch: renamed",
    "fast-import",
    "fetch",
    "filter-branch",
    "notes",
    "pull",
    "rebase",
    "remote",
    "update by push",
    "guard-host undo",
];

/// Operations that only delete references.
const DELETIONS: [&str; 3] = ["git.branch.delete", "git.ref.delete", "git.tag.delete"];

impl Restorer<'_> {
    fn git<'a>(&'a self, state: &'a GitState) -> Git<'a> {
        Git { root: Path::new(&state.root), env: self.env }
    }

    /// Describes the actions in repositories that a restore would take.
    #[must_use]
    pub fn plan_git(&self, manifest: &Manifest, options: &Options) -> Vec<String> {
        let mut lines = Vec::new();
        for state in &manifest.git {
            let git = self.git(state);
            let stashes = self.missing_stashes(state).len();
            if stashes > 0 {
                lines.push(format!("{stashes} of the stashes of {}", state.root));
            }
            for (name, oid, now) in changed_refs(&git, state) {
                if options.is_forced || !self.is_ref_moved_since(manifest, state, name, &now) {
                    lines.push(format!("{name} at {}", short_oid(oid)));
                }
            }
            if !options.is_forced && self.is_head_moved_since(state) {
                continue;
            }
            let head = git.text(&["rev-parse", "--verify", "--quiet", "HEAD"]).unwrap_or_default();
            if state.index.is_some() && !state.head.is_empty() && head != state.head {
                let branch = if state.branch.is_empty() { "HEAD" } else { &state.branch };
                lines.push(format!("{branch} at {}", short_oid(&state.head)));
            }
            if self.is_index_changed(manifest, state) && !self.is_index_later(manifest, state, options) {
                lines.push(format!("the index of {}", state.root));
            }
        }
        lines
    }

    fn index_path(&self, state: &GitState) -> Option<PathBuf> {
        Repository::find(Path::new(&state.root)).map(|repository| repository.index())
    }

    fn is_index_changed(&self, manifest: &Manifest, state: &GitState) -> bool {
        let Some(number) = state.index else { return false };
        let copy = self.store.copy(manifest, number);
        let Some(now) = self.index_path(state) else { return false };
        match (Index::read(&now), Index::read(&copy)) {
            (Some(now), Some(before)) => !now.has_same_files(&before),
            (now, before) => now.is_some() != before.is_some(),
        }
    }

    /// Returns whether the index was changed after the call and must be kept.
    fn is_index_later(&self, manifest: &Manifest, state: &GitState, options: &Options) -> bool {
        let data = self.index_path(state).and_then(|index| index.metadata().ok());
        !options.is_forced && data.is_some_and(|data| is_later(&data, &state.root, manifest, options))
    }

    /// Returns whether `HEAD` was moved by something other than the call.
    fn is_head_moved_since(&self, state: &GitState) -> bool {
        let Some(repository) = Repository::find(Path::new(&state.root)) else { return true };
        let Some(moves) = repository.moves().checked_sub(state.moves) else { return true };
        let (begins, is_long): (&[&str], bool) = match state.operation.as_str() {
            "git.amend" => (&["commit (amend)"], false),
            "git.reset" | "git.reset.hard" => (&["reset:"], false),
            "git.discard" if state.moves_files => (&["checkout:"], false),
            "git.switch" if moves == 1 => {
                (&["checkout:", "cherry-pick", "commit (merge)", "merge", "pull", "reset:", "revert"], false)
            }
            "git.switch" => (&["cherry-pick", "pull", "revert"], true),
            "git.rebase" => (&["rebase"], true),
            "git.stash.pop" => (&["checkout:"], false),
            "git.abort" => (&["rebase", "reset:"], true),
            // The call doesn't move it.
            _ => (&[], false),
        };
        let count = format!("-n{moves}");
        let subjects = self.git(state).text(&["log", "-g", &count, "--format=%gs", "HEAD", "--"]).unwrap_or_default();
        let is_own = |subject: &str| begins.iter().any(|begin| subject.starts_with(begin));
        moves > 0 && !(subjects.lines().all(is_own) && (is_long || moves == 1))
    }

    /// Returns whether a reference was changed by something other than the call.
    fn is_ref_moved_since(&self, manifest: &Manifest, state: &GitState, name: &str, now: &str) -> bool {
        // The call only deleted it.
        if !now.is_empty() && DELETIONS.contains(&state.operation.as_str()) {
            return true;
        }
        if name != "HEAD" && self.moves_since(manifest, state, name) > 1 {
            return true;
        }
        let moves = match name {
            "HEAD" => Repository::find(Path::new(&state.root)).and_then(|it| it.moves().checked_sub(state.moves)),
            _ => Some(1),
        };
        let Some(moves) = moves else { return true };
        let count = format!("-n{moves}");
        let subjects = self.git(state).text(&["log", "-g", &count, "--format=%gs", name, "--"]).unwrap_or_default();
        let is_own = |subject: &str| subject.is_empty() || MOVES.iter().any(|begin| subject.starts_with(begin));
        !now.is_empty() && moves > 0 && !subjects.lines().all(is_own)
    }

    /// Returns how often a reference was moved since the backup, by its log. A call moves it once.
    fn moves_since(&self, manifest: &Manifest, state: &GitState, name: &str) -> usize {
        let began = manifest.time.parse::<jiff::Timestamp>().map_or(0, jiff::Timestamp::as_second);
        let log = self.git(state).text(&["log", "-g", "-n16", "--date=unix", "--format=%gd", name, "--"]);
        let log = log.unwrap_or_default();
        let times = log.lines().filter_map(|line| line.rsplit_once("@{")?.1.trim_end_matches('}').parse::<i64>().ok());
        // The seconds of the log may have begun before the backup.
        times.take_while(|time| *time > began).count()
    }

    fn missing_stashes<'a>(&self, state: &'a GitState) -> Vec<&'a (String, String)> {
        if state.stashes.is_empty() {
            return Vec::new();
        }
        let now = self.git(state).text(&["log", "-g", "--format=%H", "refs/stash", "--"]).unwrap_or_default();
        state.stashes.iter().filter(|(oid, _)| !now.lines().any(|other| other == oid)).collect()
    }

    /// Restores branches, stashes and `HEAD`. Returns whether files of a work tree may have changed.
    pub(super) fn move_heads(&self, manifest: &Manifest, options: &Options, report: &mut Report) -> bool {
        let mut moved = false;
        for state in &manifest.git {
            let git = self.git(state);
            // Oldest first, to restore their order.
            for (oid, message) in self.missing_stashes(state).into_iter().rev() {
                match git.output(&["stash", "store", "-m", message, oid]) {
                    Ok(_) => report.git.push(format!("stash {}: {message}", short_oid(oid))),
                    Err(error) => report.problems.push(format!("stash {}: {error}", short_oid(oid))),
                }
            }
            let head = git.text(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
            if state.index.is_some() && !options.is_forced && self.is_head_moved_since(state) {
                report.problems.push(format!("{}: HEAD moved since the call", state.root));
            } else if state.index.is_some() {
                moved |= self.move_head(state, &head, report);
            }
            self.move_refs(manifest, state, options, report);
        }
        moved
    }

    fn move_refs(&self, manifest: &Manifest, state: &GitState, options: &Options, report: &mut Report) {
        let git = self.git(state);
        let head = git.text(&["symbolic-ref", "--quiet", "HEAD"]).unwrap_or_default();
        for (name, oid, now) in changed_refs(&git, state) {
            if !options.is_forced && self.is_ref_moved_since(manifest, state, name, &now) {
                report.problems.push(format!("{name}: it moved since the call"));
                continue;
            }
            // Commands that move a branch without its work tree don't change the work tree.
            let is_alone = matches!(state.operation.as_str(), "git.ref.delete" | "git.ref.move" | "git.refs");
            if *name == head && !is_alone {
                report.problems.push(format!("{name} is checked out: git reset --keep {}", short_oid(oid)));
                continue;
            }
            let mut words = vec!["update-ref", "--no-deref", "-m", "guard-host undo", name.as_str(), oid.as_str()];
            // For git, an id of zeros means that the reference doesn't exist.
            let before = if now.is_empty() { "0".repeat(oid.len()) } else { now };
            if name != "HEAD" && !before.starts_with(SYMBOLIC) {
                words.push(&before);
            }
            let result = match oid.strip_prefix(SYMBOLIC) {
                Some(to) => git.output(&["symbolic-ref", "-m", "guard-host undo", name, to]),
                None => git.output(&words),
            };
            match result {
                Ok(_) => report.git.push(format!("{name} at {}", short_oid(oid))),
                Err(error) => report.problems.push(format!("{name}: {error}")),
            }
        }
    }

    fn move_head(&self, state: &GitState, branch: &str, report: &mut Report) -> bool {
        let git = self.git(state);
        let mut moved = false;
        if branch != state.branch && !state.head.is_empty() {
            let name = state.branch.strip_prefix("refs/heads/").unwrap_or_default();
            let switched = match name {
                "" => git.output_with_filters(&["checkout", "--quiet", "--detach", &state.head]),
                name => git.output_with_filters(&["checkout", "--quiet", name, "--"]),
            };
            if let Err(error) = switched {
                report.problems.push(format!("{}: {error}", state.root));
                return false;
            }
            report.git.push(format!("checked out {}", if name.is_empty() { short_oid(&state.head) } else { name }));
            moved = true;
        }
        let head = git.text(&["rev-parse", "--verify", "--quiet", "HEAD"]).unwrap_or_default();
        if state.head.is_empty() || head == state.head {
            return moved;
        }
        // Files with later changes aren't lost, because git rejects the command in that case.
        let how = if state.moves_files { "--keep" } else { "--soft" };
        match git.output_with_filters(&["reset", "--quiet", how, &state.head]) {
            Ok(_) => {
                report.git.push(format!("HEAD at {}", short_oid(&state.head)));
                true
            }
            Err(error) => {
                report.problems.push(format!("{}: {error}", state.root));
                moved
            }
        }
    }

    /// Restores indexes, after files and branches.
    pub(super) fn finish_git(&self, manifest: &Manifest, options: &Options, report: &mut Report) {
        for state in manifest.git.iter().filter(|state| self.is_index_changed(manifest, state)) {
            let head = self.git(state).text(&["rev-parse", "--verify", "--quiet", "HEAD"]).unwrap_or_default();
            let (Some(number), Some(index), true) = (state.index, self.index_path(state), head == state.head) else {
                continue;
            };
            if self.is_index_later(manifest, state, options) {
                report.problems.push(format!("the index of {}: it changed since the call", state.root));
                continue;
            }
            let lock = index.with_file_name("index.lock");
            let result = copy(&self.store.copy(manifest, number), &lock, None).and_then(|_| {
                let renamed = std::fs::rename(&lock, &index);
                if renamed.is_err() {
                    let _ = std::fs::remove_file(&lock);
                }
                renamed
            });
            match result {
                Ok(()) => report.git.push("the index".to_owned()),
                Err(error) => report.problems.push(format!("the index of {}: {error}", state.root)),
            }
        }
    }
}

/// Returns the references of a state whose values have changed, with the values before and now. The latter is empty if
/// the reference no longer exists.
fn changed_refs<'a>(git: &Git<'_>, state: &'a GitState) -> Vec<(&'a String, &'a String, String)> {
    let named = state.refs.iter().filter(|(name, _)| !name.is_empty());
    if named.clone().next().is_none() {
        return Vec::new();
    }
    let format = "--format=%(refname) %(objectname) %(symref)";
    let list = git.text(&["for-each-ref", format]).unwrap_or_default();
    let mut now: BTreeMap<&str, String> = BTreeMap::new();
    for line in list.lines() {
        let mut words = line.splitn(3, ' ');
        let (Some(name), Some(oid)) = (words.next(), words.next()) else { continue };
        let leads_to = words.next().filter(|to| !to.is_empty());
        now.insert(name, leads_to.map_or_else(|| oid.to_owned(), |to| format!("{SYMBOLIC}{to}")));
    }
    let head = || match git.text(&["symbolic-ref", "--quiet", "HEAD"]) {
        Ok(branch) => format!("{SYMBOLIC}{branch}"),
        Err(_) => git.text(&["rev-parse", "--verify", "--quiet", "HEAD"]).unwrap_or_default(),
    };
    let value = |name: &str| if name == "HEAD" { head() } else { now.get(name).cloned().unwrap_or_default() };
    let all = named.map(|(name, before)| (name, before, value(name)));
    all.filter(|(_, before, now)| *before != now).collect()
}

fn short_oid(oid: &str) -> &str {
    if oid.starts_with(SYMBOLIC) {
        return oid;
    }
    oid.get(..10).unwrap_or(oid)
}

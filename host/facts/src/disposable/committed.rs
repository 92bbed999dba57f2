//! Files that git restores although they match the last commit, so that nothing is lost.

use guard_contract::call::CallContext;
use guard_contract::syntax::{Analysis, Command, Effect};
use guard_contract::{FactFault, Presence};

use super::tag;
use crate::sources::COMPARED_BYTES;
use crate::view::ask_git_about;
use crate::{Entry, Facts, GitQuestion, Resolver};

/// The operation that discards changes of files.
pub(super) const DISCARD: &str = "git.discard";

/// The effect that sets a branch to another commit.
const BRANCH_MOVE: &str = "git.branch.move";

/// Tags of an effect on more than one file.
const MANY: [&str; 5] = ["force", "glob", "listed", "where", "whole-directory"];

/// Commands that don't change files.
const QUIET: [&str; 7] = ["cat", "cd", "echo", "head", "ls", "pwd", "true"];

/// git's verbs that don't change files.
const QUIET_GIT: [&str; 6] = ["branch", "diff", "log", "rev-parse", "show", "status"];

/// The maximum number of effects that are examined in one call. Each one reads a file and runs git.
const EFFECTS: usize = 8;

/// Returns whether a `git.discard` loses nothing, because its file matches the last commit and the index. `analysis` is
/// the call's, with resolved paths.
pub(super) fn is_committed(
    effect: &Effect,
    analysis: &Analysis,
    (facts, resolver, at): (&dyn Facts, &Resolver, &CallContext),
) -> bool {
    let restored = restoring_write(effect, analysis).unwrap_or(effect);
    let file = Some(&restored.path.canonical).filter(|_| is_one_file(restored));
    let Some(file) = file.filter(|_| is_first(effect, analysis)) else { return false };
    let Ok(text) = facts.read_source(file, COMPARED_BYTES) else { return false };
    // Different invalid bytes look the same in a string.
    if text.len() >= COMPARED_BYTES || text.contains(char::REPLACEMENT_CHARACTER) {
        return false;
    }
    let ask = |question| ask_git_about(file, question, (facts, resolver), (&at.cwd, &at.project_root));
    ask(GitQuestion::Head) == Some(text) && ask(GitQuestion::Staged).as_deref() == Some("no")
}

/// Returns the indices of the effects that may lose nothing.
pub(super) fn discards(analysis: &Analysis) -> Vec<usize> {
    let is_candidate =
        |effect: &Effect| effect.operation == DISCARD && MANY.iter().all(|name| tag(effect, name).is_none());
    let found = analysis.effects.iter().enumerate().filter(|(_, effect)| is_candidate(effect));
    found.map(|(index, _)| index).take(EFFECTS).collect()
}

/// Returns whether git takes the operand for a branch or a tag: there is one of that name, or there is no such file.
pub(super) fn is_branch(effect: &Effect, facts: &dyn Facts) -> bool {
    let is_candidate = effect.operation == DISCARD && tag(effect, "unless-branch").is_some();
    is_candidate && (effect.path.exists == Presence::No || is_reference(effect, facts))
}

/// Returns whether the repository has a branch or a tag of this name.
fn is_reference(effect: &Effect, facts: &dyn Facts) -> bool {
    let (root, name) = (effect.path.git_root.trim_end_matches('/'), effect.target.as_str());
    if root.is_empty() || name.contains("..") || name.starts_with(['/', '-']) {
        return false;
    }
    has_reference(root, &["heads", "tags"].map(|kind| format!("refs/{kind}/{name}")), facts)
}

/// Returns whether the repository has one of these references.
fn has_reference(root: &str, names: &[String], facts: &dyn Facts) -> bool {
    let is_loose = |name: &String| facts.read_source(&format!("{root}/.git/{name}"), COMPARED_BYTES).is_ok();
    let packed = || facts.read_source(&format!("{root}/.git/packed-refs"), COMPARED_BYTES).unwrap_or_default();
    let ends = |line: &str| line.split_once(' ').is_some_and(|(_, packed)| names.iter().any(|name| name == packed));
    names.iter().any(is_loose) || packed().lines().any(ends)
}

/// git's verbs that create a branch or move an existing one.
const MAKES_BRANCH: [&str; 3] = ["branch", "checkout", "switch"];

/// The maximum size of `.git/HEAD` in bytes, with the longest name of a branch.
const HEAD_BYTES: usize = 4096;

/// Returns whether a branch that is set to another commit doesn't exist yet, so that the command only creates it.
pub(super) fn is_new_branch(effect: &Effect, analysis: &Analysis, facts: &dyn Facts, resolver: &Resolver) -> bool {
    let name = effect.target.as_str();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/');
    if effect.operation != BRANCH_MOVE || !effect.certain || name.is_empty() || !name.chars().all(is_plain) {
        return false;
    }
    let Some(command) = analysis.commands.iter().find(|command| command.id == effect.command_id) else { return false };
    // Options before the verb, and variables, may name another repository.
    let is_here =
        word(command, 0) == "git" && MAKES_BRANCH.contains(&word(command, 1)) && command.assignments.is_empty();
    let renames = command.argv.iter().any(|word| matches!(word.text.as_str(), "-m" | "-M" | "--move"));
    let mut earlier = analysis.commands.iter().filter(|other| other.id < command.id);
    // An empty folder is one that isn't known.
    let root = if command.cwd.is_empty() { String::new() } else { resolver.resolve(facts, &command.cwd).git_root };
    // The folder of a work tree, or of a submodule, has its branches elsewhere.
    let has_branches = || facts.entry(&format!("{root}/.git/refs/heads")) == Entry::Dir;
    let is_known = is_here && !root.is_empty() && earlier.all(|other| makes_no_branch(other, name)) && has_branches();
    // The branch that is checked out has no reference before the first commit.
    let is_other = || {
        let head = facts.read_source(&format!("{root}/.git/HEAD"), HEAD_BYTES).unwrap_or_default();
        !head.is_empty() && head.trim_end() != format!("ref: refs/heads/{name}")
    };
    let root = root.trim_end_matches('/');
    let packed = || facts.read_source(&format!("{root}/.git/packed-refs"), COMPARED_BYTES);
    let is_readable = || matches!(packed(), Ok(_) | Err(FactFault::Absent));
    let is_missing = || !has_reference(root, &[format!("refs/heads/{name}")], facts);
    is_known && !renames && is_other() && is_readable() && is_missing()
}

/// Returns whether the command can't create the branch of this name.
fn makes_no_branch(command: &Command, name: &str) -> bool {
    let has = |text: &str| command.argv.iter().skip(2).any(|word| word.text.contains(text));
    let is_verb = |verbs: &[&str]| verbs.contains(&word(command, 1));
    QUIET.contains(&word(command, 0))
        || word(command, 0) == "git"
            && (is_verb(&QUIET_GIT) && !has(name) || is_verb(&["fetch"]) && !has(":") && !has("$"))
}

fn word(command: &Command, index: usize) -> &str {
    command.argv.get(index).map_or("", |word| word.text.as_str())
}

/// Returns the write effect of the same command, which has the path.
fn restoring_write<'a>(effect: &Effect, analysis: &'a Analysis) -> Option<&'a Effect> {
    let is_it = |other: &&Effect| {
        other.kind == "write" && other.command_id == effect.command_id && other.target == effect.target
    };
    analysis.effects.iter().find(is_it)
}

fn is_one_file(write: &Effect) -> bool {
    write.path.kind == "file" && !write.path.canonical.is_empty() && !write.target.contains(['$', '`'])
}

/// Returns whether no earlier command may change a file.
fn is_first(effect: &Effect, analysis: &Analysis) -> bool {
    let is_quiet = |command: &Command| {
        QUIET.contains(&word(command, 0)) || word(command, 0) == "git" && QUIET_GIT.contains(&word(command, 1))
    };
    let earlier = || analysis.commands.iter().filter(|command| command.id < effect.command_id);
    let writes = |other: &Effect| other.command_id < effect.command_id && other.kind != "read";
    // `GIT_WORK_TREE=other git restore FILE` restores a file other than the one that is compared.
    let is_here = |command: &Command| command.assignments.iter().all(|set| !set.name.starts_with("GIT_"));
    let runs_itself = |command: &Command| command.id == effect.command_id && command.certain && is_here(command);
    analysis.commands.iter().any(runs_itself) && earlier().all(is_quiet) && !analysis.effects.iter().any(writes)
}

#[cfg(test)]
pub(crate) mod tests {
    use guard_contract::syntax::{Coverage, Position, Severity, Span, Word};
    use guard_contract::unresolved;

    use super::*;
    use crate::analysis::empty;
    use crate::fixed::FixedFacts;

    const REPO: &str = r#"
        dirs = ["/repo/.git/objects", "/repo/.git/refs/heads", "/tree"]
        [files]
        "/repo/.git/HEAD" = "ref: refs/heads/main"
        "/repo/.git/refs/heads/web" = "0"
        "/repo/.git/packed-refs" = "0 refs/heads/topic/docs\n0 refs/tags/v2\n"
        "/tree/.git" = "gitdir: /repo/.git/worktrees/tree"
    "#;

    pub(crate) fn command(id: u32, text: &str, cwd: &str) -> Command {
        let word =
            |text: &str| Word { text: text.to_owned(), dynamic: false, quoted: false, glob: false, parts: Vec::new() };
        let position = Position {
            pipeline: id,
            index: 0,
            length: 1,
            operator: String::new(),
            background: false,
            within: Vec::new(),
        };
        Command {
            id,
            parent: 0,
            argv: text.split(' ').map(word).collect(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            position,
            via: Vec::new(),
            span: Span { start: 0, end: 0 },
            cwd: cwd.to_owned(),
            certain: true,
        }
    }

    /// Returns whether the last of the commands makes the branch, in a folder.
    fn makes(commands: &[&str], name: &str, folder: &str) -> bool {
        let facts: FixedFacts = toml::from_str(REPO).unwrap();
        let commands: Vec<Command> = commands.iter().zip(1..).map(|(text, id)| command(id, text, folder)).collect();
        let effect = Effect {
            kind: "vcs".to_owned(),
            operation: BRANCH_MOVE.to_owned(),
            severity: Severity::Destructive,
            target: name.to_owned(),
            path: unresolved(""),
            command_id: commands.last().map_or(0, |command| command.id),
            certain: true,
            tags: Vec::new(),
        };
        let analysis = Analysis { commands, ..empty(Coverage::Complete, None) };
        is_new_branch(&effect, &analysis, &facts, &Resolver::new("/repo", "/home/u", "/repo"))
    }

    #[test]
    fn a_branch_is_new_if_no_reference_has_its_name() {
        assert!(makes(&["git switch -C x main"], "x", "/repo"));
        assert!(makes(&["git fetch origin", "git checkout -B fix/x origin/main"], "fix/x", "/repo"));
        assert!(makes(&["git status", "git branch -f v2 HEAD~1"], "v2", "/repo"));
        assert!(!makes(&["git switch -C web main"], "web", "/repo"));
        assert!(!makes(&["git switch -C topic/docs main"], "topic/docs", "/repo"));
    }

    #[test]
    fn nothing_is_known_of_another_repository_and_after_other_commands() {
        assert!(!makes(&["git -C ../other switch -C x main"], "x", "/repo"));
        assert!(!makes(&["git branch x", "git switch -C x main"], "x", "/repo"));
        assert!(!makes(&["git fetch origin main:x", "git switch -C x main"], "x", "/repo"));
        assert!(!makes(&["make", "git switch -C x main"], "x", "/repo"));
        assert!(!makes(&["git switch -C x main"], "x", "/tree"));
        assert!(!makes(&["git switch -C $B main"], "$B", "/repo"));
        assert!(!makes(&["git switch -C x main"], "x", ""));
    }

    #[test]
    fn the_checked_out_branch_and_moves_of_references_are_not_new() {
        assert!(!makes(&["git branch -f main HEAD~5"], "main", "/repo"));
        assert!(!makes(&["git checkout -B main origin/main"], "main", "/repo"));
        assert!(!makes(&["git branch -M x new"], "new", "/repo"));
        assert!(!makes(&["git branch --move x new"], "new", "/repo"));
        assert!(!makes(&["git fetch -f origin x:x"], "x", "/repo"));
        assert!(!makes(&["git update-ref refs/heads/x HEAD~5"], "x", "/repo"));
        assert!(!makes(&["git worktree add -B x ../wt"], "x", "/repo"));
    }
}

//! Answers what a server asks of this machine, as far as the machine may tell it.
//!
//! What may not be told is answered as if it were not there, or as denied, so that it is not asked for again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use guard_chain::exchange::Request;
use guard_contract::FactFault;
use guard_contract::grants::GrantSpec;
use guard_contract::limits::FILE_BYTES;
use guard_contract::paths::lexical;
use guard_facts::recorded::{Missing, Record, Recording};
use guard_facts::{Disk, Entry, Facts, GitAsked, GitQuestion};
use guard_harness::payload::PAYLOAD_BYTES;
use guard_redact::redact;

/// The most facts of one round.
const FACTS: usize = 512;

/// The most bytes of the start of a file: those of a `.gitignore`.
const HEAD_BYTES: usize = 64 << 10;

/// The longest that git is waited for in one round.
const GIT: Duration = Duration::from_millis(300);

/// The questions that git is asked.
const QUESTIONS: [GitQuestion; 4] =
    [GitQuestion::Branch, GitQuestion::Tracked, GitQuestion::Staged, GitQuestion::Ignored];

/// Adds the missing facts to the request. Whatever the server may not learn is added as absent or denied.
pub(super) fn learn(
    missing: &Missing,
    request: &mut Request,
    grants: &GrantSpec,
    facts: &Arc<dyn Facts>,
    until: Instant,
) -> Result<(), String> {
    let Missing { entries, heads, files, env, small, git } = missing;
    let count = entries.len() + heads.len() + files.len() + env.len() + small.len() + git.len();
    if count > FACTS {
        return Err(format!("it asks for {count} facts of this machine at once, and {FACTS} are given"));
    }
    let recording = Recording::of(facts.clone());
    for path in entries.iter().filter(|path| path.starts_with('/')) {
        recording.entry(path);
    }
    for path in small.iter().filter(|path| path.starts_with('/')) {
        recording.is_small(path);
    }
    record_heads(heads, &recording);
    record_granted(missing, request, grants, facts, &recording)?;
    record_git(git, request, &recording, until.min(Instant::now() + GIT));

    let learned = redacted(recording.record());
    let known = &mut request.facts;
    known.entries.extend(entries.iter().map(|path| (path.clone(), "unknown".to_owned())));
    known.heads.extend(heads.iter().map(|key| (key.clone(), None)));
    known.files.extend(files.iter().map(|key| (key.clone(), Err(FactFault::Denied))));
    known.small.extend(small.iter().map(|path| (path.clone(), true)));
    known.git.extend(git.keys().map(|key| (key.clone(), None)));
    known.entries.extend(learned.entries);
    known.heads.extend(learned.heads);
    known.files.extend(learned.files);
    known.env.extend(learned.env);
    known.small.extend(learned.small);
    known.git.extend(learned.git);
    Ok(())
}

/// Records the starts of git's own files.
fn record_heads(heads: &BTreeSet<String>, recording: &Recording) {
    for (path, cap) in heads.iter().filter_map(|key| bounded(key)).filter(|(path, _)| is_gits(path)) {
        // A link of such a name leads to any file.
        if cap <= HEAD_BYTES && recording.entry(path) == Entry::File {
            recording.read_head(path, cap);
        }
    }
}

/// Records the files and variables that the configuration grants.
fn record_granted(
    missing: &Missing,
    request: &Request,
    grants: &GrantSpec,
    facts: &Arc<dyn Facts>,
    recording: &Recording,
) -> Result<(), String> {
    let granted = grants.resolve(&request.at.home, &request.at.project_root, false, &|name| facts.env(name));
    let known = request.facts.files.values().flatten();
    let mut bytes: u64 = known.map(|text| text.len() as u64).sum();
    for (path, cap) in missing.files.iter().filter_map(|key| bounded(key)) {
        if let Some(root) = granted.read_root(path) {
            // The recording notes whether there is a text.
            bytes += recording.read_granted(root, path, cap).map_or(0, |text| text.len() as u64);
        }
        // The server takes no larger request.
        if bytes > PAYLOAD_BYTES {
            return Err(format!("it asks for more than {} MiB of this machine's files", PAYLOAD_BYTES >> 20));
        }
    }
    for name in &missing.env {
        // A withheld variable would look like one that is not set.
        if !granted.allows_env(name) {
            return Err(format!("it asks for the variable `{name}`: add `env:{name}` to `grants` of `[remote]`"));
        }
        recording.env(name);
    }
    Ok(())
}

/// Records git's answers until `give_up`.
fn record_git(git: &BTreeMap<String, String>, request: &Request, recording: &Recording, give_up: Instant) {
    let at = &request.at;
    for (key, root) in git.iter().filter(|(_, root)| root.starts_with('/')) {
        let Some((name, path)) = key.split_once(':') else { continue };
        let folders = [&at.project_root, &at.repository, &at.cwd, root];
        let own: Vec<String> =
            folders.into_iter().filter(|folder| !matches!(folder.as_str(), "" | "/")).cloned().collect();
        let left = give_up.saturating_duration_since(Instant::now());
        if left.is_zero() {
            break;
        }
        if let Some(question) = QUESTIONS.into_iter().find(|question| question.name() == name) {
            recording.git(GitAsked { root, path, question, own: &own }, left);
        }
    }
}

/// The facts without secrets, and without a file that only has the name of one of git's.
fn redacted(mut learned: Record) -> Record {
    for (key, head) in &mut learned.heads {
        let is_of_git = |text: &String| bounded(key).is_some_and(|(path, _)| is_git_metadata(path, text));
        *head = head.take().filter(is_of_git).map(|text| redact(&text));
    }
    learned.files.values_mut().filter_map(|text| text.as_mut().ok()).for_each(|text| *text = redact(text));
    learned.env.values_mut().flatten().for_each(|text| *text = redact(text));
    learned
}

/// The path of a key, and the most bytes of it that are asked for.
fn bounded(key: &str) -> Option<(&str, usize)> {
    let (cap, path) = key.split_once(':')?;
    let cap = cap.parse().ok().filter(|cap| *cap <= FILE_BYTES)?;
    (lexical(path, "/", "") == path).then_some((path, cap))
}

/// A file whose start says where a work tree's repository lies, or what git leaves out.
fn is_gits(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == ".git" || name == ".gitignore" || name == "gitdir" && path.contains("/.git/")
}

/// The text is what such a file holds, and not what a link of its name leads to.
fn is_git_metadata(path: &str, text: &str) -> bool {
    let is_line = text.trim_end().lines().count() <= 1;
    match path.rsplit('/').next() {
        Some(".git") => is_line && text.starts_with("gitdir:"),
        Some("gitdir") => is_line && text.trim_end().ends_with(".git"),
        _ => true,
    }
}

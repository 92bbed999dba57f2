//! Provides the facts that a server requests, as far as it may know them.
//!
//! Facts that it may not know are reported as absent or denied, so that they aren't requested again.

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

/// The maximum number of facts in one round.
const FACTS: usize = 512;

/// The maximum size of the start of a file in bytes, for a `.gitignore`.
const HEAD_BYTES: usize = 64 << 10;

/// The maximum wait for git in one round.
const GIT: Duration = Duration::from_millis(300);

/// The questions that git may answer.
const QUESTIONS: [GitQuestion; 4] =
    [GitQuestion::Branch, GitQuestion::Tracked, GitQuestion::Staged, GitQuestion::Ignored];

/// Adds the missing facts to the request. Facts that the server may not know are added as absent or denied.
pub(super) fn learn(
    missing: &Missing,
    request: &mut Request,
    grants: &GrantSpec,
    facts: &Arc<dyn Facts>,
    until: Instant,
) -> Result<(), String> {
    let Missing { entries, heads, files, env, small, held, git } = missing;
    let count = entries.len() + heads.len() + files.len() + env.len() + small.len() + held.len() + git.len();
    if count > FACTS {
        return Err(format!("it asks for {count} facts of this machine at once, and {FACTS} are given"));
    }
    let recording = Recording::new(facts.clone());
    for path in entries.iter().filter(|path| path.starts_with('/')) {
        recording.entry(path);
    }
    for path in small.iter().filter(|path| path.starts_with('/')) {
        recording.is_small(path);
    }
    for pattern in held.iter().filter(|pattern| pattern.starts_with('/')) {
        recording.held(pattern);
    }
    record_heads(heads, &recording);
    record_granted(missing, request, grants, facts, &recording)?;
    record_git(git, request, &recording, until.min(Instant::now() + GIT));

    let learned = redact_record(recording.record());
    let known = &mut request.facts;
    known.entries.extend(entries.iter().map(|path| (path.clone(), "unknown".to_owned())));
    known.heads.extend(heads.iter().map(|key| (key.clone(), None)));
    known.files.extend(files.iter().map(|key| (key.clone(), Err(FactFault::Denied))));
    known.small.extend(small.iter().map(|path| (path.clone(), true)));
    known.held.extend(held.iter().map(|pattern| (pattern.clone(), None)));
    known.git.extend(git.keys().map(|key| (key.clone(), None)));
    known.entries.extend(learned.entries);
    known.heads.extend(learned.heads);
    known.files.extend(learned.files);
    known.env.extend(learned.env);
    known.small.extend(learned.small);
    known.held.extend(learned.held);
    known.git.extend(learned.git);
    Ok(())
}

/// Records the starts of git's own files.
fn record_heads(heads: &BTreeSet<String>, recording: &Recording) {
    for (path, cap) in heads.iter().filter_map(|key| parse_key(key)).filter(|(path, _)| is_gits(path)) {
        // A link with such a name may lead to any file.
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
    for (path, cap) in missing.files.iter().filter_map(|key| parse_key(key)) {
        if let Some(root) = granted.read_root(path) {
            // The recording keeps the text.
            bytes += recording.read_granted(root, path, cap).map_or(0, |text| text.len() as u64);
        }
        // The server rejects larger requests.
        if bytes > PAYLOAD_BYTES {
            return Err(format!("it asks for more than {} MiB of this machine's files", PAYLOAD_BYTES >> 20));
        }
    }
    for name in &missing.env {
        // A withheld variable would look like an unset one.
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

/// Redacts secrets in the facts, and removes files that only have the name of git's own.
fn redact_record(mut learned: Record) -> Record {
    for (key, head) in &mut learned.heads {
        let is_of_git = |text: &String| parse_key(key).is_some_and(|(path, _)| is_git_metadata(path, text));
        *head = head.take().filter(is_of_git).map(|text| redact(&text));
    }
    learned.files.values_mut().filter_map(|text| text.as_mut().ok()).for_each(|text| *text = redact(text));
    learned.env.values_mut().flatten().for_each(|text| *text = redact(text));
    learned
}

/// Parses a key: the path, and the maximum number of bytes.
fn parse_key(key: &str) -> Option<(&str, usize)> {
    let (cap, path) = key.split_once(':')?;
    let cap = cap.parse().ok().filter(|cap| *cap <= FILE_BYTES)?;
    (lexical(path, "/", "") == path).then_some((path, cap))
}

/// Returns whether the start of the file has the location of a repository, or ignore rules.
fn is_gits(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name == ".git" || name == ".gitignore" || name == "gitdir" && path.contains("/.git/")
}

/// Returns whether the text is what such a file contains, and not the target of a link with its name.
fn is_git_metadata(path: &str, text: &str) -> bool {
    let is_line = text.trim_end().lines().count() <= 1;
    match path.rsplit('/').next() {
        Some(".git") => is_line && text.starts_with("gitdir:"),
        Some("gitdir") => is_line && text.trim_end().ends_with(".git"),
        _ => true,
    }
}

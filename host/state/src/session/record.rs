//! [`Contents`]: the contents of a session's file. Pure: accesses no files.
//!
//! Format: `{"confirmed": [...], "pending": [...], "asked": [...], "told": [...]}`; each entry begins with `tool`, `operation` and `ts`.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{Choice, LIFE, Operation, QUESTION, stamp};
use crate::hex;

/// The maximum number of pending calls in a file. The newest are kept.
const PENDING: usize = 64;

/// The maximum number of approvals in a file. The newest are kept.
const CONFIRMED: usize = 256;

/// The maximum number of prompts about confirmations.
const ASKED: usize = 16;

/// The maximum number of one-time notes.
const TOLD: usize = 256;

/// The maximum number of rules of a pending call. A call with more can't be approved.
const RULES: usize = 32;

/// The contents of a session's file. A file by another program may lack keys. An entry that lacks one approves nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Contents {
    /// Calls that a person approved.
    pub confirmed: Vec<Entry>,
    /// Pending calls: calls waiting for approval.
    pub pending: Vec<Entry>,
    /// Calls that ran after a prompt. They are no longer pending, but a person can still approve the next ones like
    /// them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ran: Vec<Entry>,
    /// Confirmations for which the hook itself prompted a person.
    pub asked: Vec<ConfirmationPrompt>,
    /// The one-time notes that sessions got.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub told: Vec<SessionNote>,
}

/// A note that a session gets once, such as that policies aren't enforced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionNote {
    /// The session, followed by a key for notes other than the one about policies that aren't enforced.
    pub session: String,
    /// The time.
    pub ts: String,
}

/// A pending call, or its approval.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Entry {
    /// The tool.
    pub tool: String,
    /// The operation, without secrets.
    pub operation: String,
    /// The time of the prompt, or of the approval.
    pub ts: String,
    /// The session, as [`super::Sessions`] names it.
    pub session: String,
    /// The digest of the operation.
    pub sha256: String,
    /// The working directory.
    pub cwd: String,
    /// The rules that prompted, as `policy:rule`.
    pub rules: Vec<String>,
    /// The time when it expires.
    pub expires: String,
    /// A short code that identifies the entry.
    pub code: String,
    /// The call's [`call_key`]. Empty in a file by another program.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub call: String,
    /// Whether a person has approved the call if it runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prompted: bool,
}

/// Returns the key that identifies a call in its session: a digest of these texts.
#[must_use]
pub fn call_key(texts: &[&str]) -> String {
    let mut key = Sha256::new();
    for text in texts {
        key.update((text.len() as u64).to_be_bytes());
        key.update(text.as_bytes());
    }
    hex(&key.finalize()).get(..16).unwrap_or_default().to_owned()
}

/// A record that the hook prompted a person about a confirmation, in a mode in which the harness shows prompts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ConfirmationPrompt {
    /// The code of the entry to be confirmed.
    pub code: String,
    /// The time.
    pub ts: String,
    /// The session.
    pub session: String,
}

impl Entry {
    /// Creates the pending call of an operation. `None` if one approval can't cover it.
    #[must_use]
    pub fn new(
        session: &str,
        operation: &Operation,
        cwd: &str,
        mut rules: Vec<String>,
        now: Timestamp,
    ) -> Option<Self> {
        rules.sort();
        rules.dedup();
        if rules.is_empty() || rules.len() > RULES {
            return None;
        }
        let mut code = Sha256::new();
        for part in [session, &operation.sha256, cwd].into_iter().chain(rules.iter().map(String::as_str)) {
            code.update((part.len() as u64).to_be_bytes());
            code.update(part.as_bytes());
        }
        let code = hex(&code.finalize()).get(..8)?.to_owned();
        Some(Entry {
            tool: operation.tool.clone(),
            operation: operation.text.clone(),
            ts: stamp(now),
            session: session.to_owned(),
            sha256: operation.sha256.clone(),
            cwd: cwd.to_owned(),
            rules,
            expires: stamp(now.checked_add(LIFE).ok()?),
            code,
            call: String::new(),
            prompted: false,
        })
    }

    /// Returns whether the entry is about this operation in this folder.
    #[must_use]
    pub fn is_for(&self, operation: &Operation, cwd: &str) -> bool {
        !self.sha256.is_empty() && self.sha256 == operation.sha256 && self.cwd == cwd
    }

    fn is_live(&self, now: Timestamp) -> bool {
        // An entry from the future was written under another clock, or by hand.
        let ends = |expires: Timestamp| expires > now && now.checked_add(LIFE).is_ok_and(|latest| expires <= latest);
        self.expires.parse::<Timestamp>().is_ok_and(ends)
    }
}

impl SessionNote {
    fn is_live(&self, now: Timestamp) -> bool {
        let recent = |ts: Timestamp| ts <= now && now.duration_since(ts) < LIFE;
        self.ts.parse::<Timestamp>().is_ok_and(recent)
    }
}

impl ConfirmationPrompt {
    fn is_live(&self, now: Timestamp) -> bool {
        let recent = |ts: Timestamp| ts <= now && now.duration_since(ts) < QUESTION;
        self.ts.parse::<Timestamp>().is_ok_and(recent)
    }
}

impl Contents {
    /// Removes entries that expired before `now`.
    pub(super) fn expire(&mut self, now: Timestamp) {
        self.confirmed.retain(|entry| entry.is_live(now));
        self.pending.retain(|entry| entry.is_live(now));
        self.ran.retain(|entry| entry.is_live(now));
        self.asked.retain(|entry| entry.is_live(now));
        self.told.retain(|note| note.is_live(now));
    }

    /// Keeps the entries of one session, or all others.
    pub(super) fn retain_session(&mut self, session: &str, kept: bool) {
        self.confirmed.retain(|entry| (entry.session == session) == kept);
        self.pending.retain(|entry| (entry.session == session) == kept);
        self.ran.retain(|entry| (entry.session == session) == kept);
        self.asked.retain(|entry| (entry.session == session) == kept);
        self.told.retain(|note| (note.session.split(' ').next() == Some(session)) == kept);
    }

    /// Returns whether there are no entries.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.confirmed.is_empty()
            && self.pending.is_empty()
            && self.ran.is_empty()
            && self.asked.is_empty()
            && self.told.is_empty()
    }

    /// The names of the sessions with entries.
    #[must_use]
    pub fn sessions(&self) -> Vec<String> {
        let of_entries = self.confirmed.iter().chain(&self.pending).map(|entry| &entry.session);
        let mut names: Vec<String> = of_entries.chain(self.asked.iter().map(|entry| &entry.session)).cloned().collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns whether an approval covers this rule for this operation in this folder.
    #[must_use]
    pub fn answers(&self, operation: &Operation, cwd: &str, rule: &str) -> bool {
        let approvals = self.confirmed.iter().filter(|approval| approval.is_for(operation, cwd));
        approvals.flat_map(|approval| &approval.rules).any(|covered| covered == rule)
    }

    /// Adds a pending call. Replaces an equal one.
    pub fn ask(&mut self, entry: Entry) {
        self.pending.retain(|other| other.code != entry.code);
        self.pending.push(entry);
        truncate_oldest(&mut self.pending, PENDING);
    }

    /// Removes and returns the pending call, because the call ran (`has_run`) or was refused.
    pub fn take_call(&mut self, call: &str, has_run: bool) -> Option<Entry> {
        let at = self.pending.iter().position(|entry| !entry.call.is_empty() && entry.call == call)?;
        let entry = self.pending.remove(at);
        if has_run {
            self.ran.retain(|other| other.code != entry.code);
            self.ran.push(entry.clone());
            truncate_oldest(&mut self.ran, PENDING);
        }
        Some(entry)
    }

    /// The calls that a person can confirm: pending ones, and those that ran after a prompt.
    pub fn confirmable(&self) -> impl Iterator<Item = &Entry> {
        self.pending.iter().chain(&self.ran)
    }

    /// Records that a person was prompted about the confirmation of an entry.
    pub fn ask_to_confirm(&mut self, session: &str, code: &str, now: Timestamp) {
        self.asked.retain(|other| other.code != code);
        self.asked.push(ConfirmationPrompt { code: code.to_owned(), ts: stamp(now), session: session.to_owned() });
        truncate_oldest(&mut self.asked, ASKED);
    }

    /// Records that the session got a one-time note.
    pub fn record_note(&mut self, session: &str, now: Timestamp) {
        self.told.retain(|other| other.session != session);
        self.told.push(SessionNote { session: session.to_owned(), ts: stamp(now) });
        truncate_oldest(&mut self.told, TOLD);
    }

    /// Returns whether the session got the note within the last day.
    #[must_use]
    pub fn has_note(&self, session: &str) -> bool {
        self.told.iter().any(|note| note.session == session)
    }

    /// Returns whether a person was just prompted about the confirmation of this entry.
    #[must_use]
    pub fn was_asked(&self, code: &str) -> bool {
        self.asked.iter().any(|entry| entry.code == code)
    }

    /// The pending calls that are confirmed with this one. If it was identified by its operation, that includes those
    /// of other rules for the same operation, folder and session.
    #[must_use]
    pub fn chosen_with<'a>(&'a self, entry: &'a Entry, choice: &Choice) -> Vec<&'a Entry> {
        let same =
            |other: &&Entry| (&other.session, &other.sha256, &other.cwd) == (&entry.session, &entry.sha256, &entry.cwd);
        match choice {
            Choice::Code(_) => vec![entry],
            Choice::Operation(_) => self.confirmable().filter(same).collect(),
        }
    }

    /// Turns a pending call into an approval, and returns it. `None` if the pending call is gone.
    pub fn confirm(&mut self, code: &str, now: Timestamp) -> Option<Entry> {
        let question = self.confirmable().find(|entry| entry.code == code)?.clone();
        self.pending.retain(|entry| entry.code != code);
        self.ran.retain(|entry| entry.code != code);
        let approval = Entry { ts: stamp(now), expires: stamp(now.checked_add(LIFE).ok()?), ..question };
        self.asked.retain(|pending| pending.code != code);
        self.confirmed.retain(|other| other.code != code);
        self.confirmed.push(approval.clone());
        truncate_oldest(&mut self.confirmed, CONFIRMED);
        Some(approval)
    }

    /// Drops the oldest entry of each kind. Returns false if there is nothing left to drop.
    pub(super) fn drop_oldest(&mut self) -> bool {
        let before = self.confirmed.len() + self.pending.len();
        let (confirmed, pending) = (self.confirmed.len() / 2, self.pending.len() / 2);
        truncate_oldest(&mut self.confirmed, confirmed);
        truncate_oldest(&mut self.pending, pending);
        let ran = self.ran.len() / 2;
        truncate_oldest(&mut self.ran, ran);
        self.confirmed.len() + self.pending.len() < before
    }

    /// Adds the contents of another file.
    pub fn append(&mut self, mut other: Contents) {
        self.confirmed.append(&mut other.confirmed);
        self.pending.append(&mut other.pending);
        self.ran.append(&mut other.ran);
        self.asked.append(&mut other.asked);
        self.told.append(&mut other.told);
    }
}

fn truncate_oldest<T>(items: &mut Vec<T>, most: usize) {
    items.drain(..items.len().saturating_sub(most));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{ChoiceMatch, choose};

    fn now() -> Timestamp {
        "2026-01-10T12:00:00Z".parse().unwrap()
    }

    fn after(minutes: i64) -> Timestamp {
        now().checked_add(jiff::SignedDuration::from_mins(minutes)).unwrap()
    }

    fn operation(text: &str) -> Operation {
        Operation { tool: "Bash".to_owned(), text: text.to_owned(), sha256: format!("<{text}>"), whole: true }
    }

    fn entry(session: &str, text: &str, rules: &[&str], minute: i64) -> Entry {
        let rules = rules.iter().map(|rule| (*rule).to_owned()).collect();
        Entry::new(session, &operation(text), "/repo", rules, after(minute)).unwrap()
    }

    #[test]
    fn s2_57_an_approval_answers_its_rules_for_its_operation_in_its_place() {
        let mut contents = Contents::default();
        contents.ask(entry("s1", "rm -rf x", &["a:one", "b:two"], 0));
        assert!(!contents.answers(&operation("rm -rf x"), "/repo", "a:one"), "a question answers nothing");
        let code = contents.pending[0].code.clone();
        let approval = contents.confirm(&code, after(1)).unwrap();
        assert_eq!((approval.code.as_str(), contents.pending.len()), (code.as_str(), 0));
        for (text, cwd, rule, expected) in [
            ("rm -rf x", "/repo", "a:one", true),
            ("rm -rf x", "/repo", "b:two", true),
            ("rm -rf x", "/repo", "a:three", false),
            ("rm -rf x", "/repo/sub", "a:one", false),
            ("rm -rf  x", "/repo", "a:one", false),
        ] {
            assert_eq!(contents.answers(&operation(text), cwd, rule), expected, "{text} {cwd} {rule}");
        }
        assert_eq!(contents.confirm(&code, after(1)), None);
    }

    #[test]
    fn s2_56_an_entry_without_the_keys_of_ours_answers_nothing() {
        let seed = r#"{"confirmed":[{"tool":"Bash","operation":"rm ~/Downloads/old","ts":"2025-01-06T10:24:00"}]}"#;
        let mut contents: Contents = serde_json::from_str(seed).unwrap();
        let empty = Operation { sha256: String::new(), ..operation("rm ~/Downloads/old") };
        assert!(!contents.answers(&empty, "", ""));
        contents.expire(now());
        assert!(contents.is_empty());
    }

    #[test]
    fn s2_58_an_approval_lives_a_day_and_a_question_to_confirm_two_minutes() {
        let mut contents = Contents::default();
        contents.ask(entry("s1", "a", &["a:one"], 0));
        contents.ask_to_confirm("s1", "c0de", now());
        let at = |minutes: i64| {
            let mut contents = contents.clone();
            contents.expire(after(minutes));
            (contents.pending.len(), contents.asked.len())
        };
        assert_eq!((at(1), at(2), at(24 * 60 - 1), at(24 * 60)), ((1, 1), (1, 0), (1, 0), (0, 0)));
        assert_eq!(at(-1), (0, 0), "what was written in the future does not count");
    }

    #[test]
    fn the_same_question_stands_once_and_the_newest_are_kept() {
        let mut contents = Contents::default();
        contents.ask(entry("s1", "a", &["a:one"], 0));
        contents.ask(entry("s1", "a", &["a:one"], 1));
        assert_eq!(contents.pending.len(), 1);
        for number in 0..100 {
            contents.ask(entry("s1", &format!("n{number}"), &["a:one"], 2));
        }
        assert_eq!((contents.pending.len(), contents.pending[63].operation.as_str()), (PENDING, "n99"));
        assert!(contents.drop_oldest() && contents.pending[0].operation == "n68");
    }

    #[test]
    fn codes_differ_with_everything_that_an_approval_depends_on() {
        let one = entry("s1", "a", &["a:one"], 0).code;
        assert_eq!(entry("s1", "a", &["a:one", "a:one"], 5).code, one);
        let others = [
            entry("s2", "a", &["a:one"], 0).code,
            entry("s1", "b", &["a:one"], 0).code,
            entry("s1", "a", &["a:two"], 0).code,
            entry("s1", "a", &["a:one", "a:two"], 0).code,
            Entry::new("s1", &operation("a"), "/other", vec!["a:one".to_owned()], now()).unwrap().code,
        ];
        assert!(!others.contains(&one), "{others:?} {one}");
        assert_eq!(one.len(), 8);
        let many = (0..33).map(|number| format!("p:{number}")).collect();
        assert_eq!(Entry::new("s1", &operation("a"), "/repo", many, now()), None);
    }

    #[test]
    fn the_newest_question_is_meant_unless_it_could_be_another_operation() {
        let (first, second) = (entry("s1", "a", &["a:one"], 0), entry("s1", "a", &["a:two"], 1));
        let session = entry("s2", "a", &["a:one"], 0);
        let elsewhere = Entry::new("s2", &operation("a"), "/other", vec!["a:one".to_owned()], now()).unwrap();
        let by = |text: &str| Choice::Operation(text.to_owned());
        assert_eq!(choose([&second, &first], &by("a"), &[]), ChoiceMatch::One(&second));
        assert_eq!(choose([&second, &first], &by("a "), &[]), ChoiceMatch::None);
        assert_eq!(choose([&first], &by(""), &[]), ChoiceMatch::None);
        assert_eq!(choose([&second, &session], &by("a"), &[]), ChoiceMatch::One(&second));
        assert!(
            matches!(choose([&second, &elsewhere], &by("a"), &[]), ChoiceMatch::Several(several) if several.len() == 2)
        );
        assert_eq!(
            choose([&second, &elsewhere], &Choice::Code(elsewhere.code.clone()), &[]),
            ChoiceMatch::One(&elsewhere)
        );
        let in_folders = |folders: &[&str]| choose([&second, &elsewhere], &by("a"), folders);
        assert_eq!(in_folders(&["/other"]), ChoiceMatch::One(&elsewhere));
        assert_eq!(in_folders(&["/repo", "/other"]), ChoiceMatch::One(&second));
        assert_eq!(in_folders(&["/none", "/other"]), ChoiceMatch::One(&elsewhere));
        assert!(matches!(in_folders(&["/", "/repo"]), ChoiceMatch::Several(_)));
    }

    #[test]
    fn an_operation_that_two_hooks_asked_about_is_one_choice() {
        let mut contents = Contents::default();
        let (first, second) = (entry("s1", "a", &["a:one"], 0), entry("s1", "a", &["b:two"], 1));
        for question in [&first, &second, &entry("s2", "a", &["a:one"], 0), &entry("s1", "b", &["a:one"], 0)] {
            contents.ask(question.clone());
        }
        let chosen = contents.chosen_with(&second, &Choice::Operation("a".to_owned()));
        assert_eq!(chosen, [&first, &second]);
        assert_eq!(contents.chosen_with(&second, &Choice::Code(second.code.clone())), [&second]);
    }
}

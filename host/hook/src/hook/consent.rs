//! Approvals of a session, and pending calls that a person can confirm.
//!
//! Sessions only matter for asks. Without an ask, no file is accessed.

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;

use crate::cache::Prepared;
use crate::chain::{Chain, Trace};
use guard_config::Config;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::policy::{self, SELF_PROTECT, Source};
use guard_contract::shell_word::quoted;
use guard_contract::verdict::{Attributed, Verdict};
use guard_contract::{Layer, Outcome};
use guard_facts::Facts;
use guard_harness::text::imitates_host;
use guard_redact::redact;
use guard_state::AppDirs;
use guard_state::session::{
    Choice, ChoiceMatch, Contents, Entry, Operation, Sessions, choose, confirm_command, is_readable,
};

/// The maximum wait for the lock after the reply. It is usually held for microseconds.
pub(super) const PATIENCE: Duration = Duration::from_secs(1);

/// The maximum wait for the lock at the end of a session, for which harnesses give little time.
const PATIENCE_AT_END: Duration = Duration::from_millis(50);

/// The tool whose calls an `[[allow]]` can cover.
const SHELL: &str = "Bash";

/// The rule of self-protect that asks about commands of guard-host.
const GUARD_COMMAND: &str = "guard-command";

/// A pending call or prompt to record after the reply.
#[derive(Debug)]
pub(super) struct Question {
    sessions: Sessions,
    session: String,
    kind: Kind,
}

/// Who reads the reply to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// The agent: the reply denies, and explains how a person can approve the call.
    Agent,
    /// A person, whom the harness prompts in this mode.
    Person,
    /// A person if there is one, or else the agent.
    Either,
}

#[derive(Debug)]
enum Kind {
    /// A call that a person can confirm later.
    Call(Box<Entry>),
    /// A confirmation of the entries with these codes.
    Confirmation(Vec<String>),
}

/// Lifts the asks that a person has approved in this session. For other asks, returns the question to record, and ends
/// the verdict with how to approve the call, unless the harness prompts a person itself.
pub(super) fn answer(
    mut verdict: Verdict,
    calls: &[ToolCall],
    traces: &[Trace],
    at: &CallContext,
    config: &Config,
    dirs: &AppDirs,
    reader: Reader,
) -> (Verdict, Option<Question>) {
    if verdict.outcome != Outcome::Ask {
        return (verdict, None);
    }
    let effects = traces.iter().filter_map(|trace| trace.analysis.as_ref()).flat_map(|analysis| &analysis.effects);
    let ends = effects.map(|effect| effect.path.canonical.as_str()).filter(|path| !path.is_empty());
    let Some(operation) = Operation::from_calls(calls, ends) else { return (verdict, None) };
    let session = Sessions::name(&at.session);
    let known = config.sessions.read_session(&session);
    let confirm = confirm_command(dirs);
    let question = |kind| Question { sessions: config.sessions.clone(), session: session.clone(), kind };
    if let Some((entry, entries)) = confirmed_by(calls, &known, &confirm) {
        if !is_readable(&entry.operation) {
            verdict.closing =
                "What this would confirm is too long to be shown here: confirm it in a terminal.".to_owned();
            return (verdict, None);
        }
        let rules: Vec<&str> = entries.iter().flat_map(|entry| &entry.rules).map(String::as_str).collect();
        verdict.closing = format!(
            "This approves one call:\n{}: {}\nIt applies in {} until the session ends. Asked for by {}.",
            entry.tool,
            entry.operation,
            entry.cwd,
            rules.join(", "),
        );
        let codes = entries.into_iter().map(|entry| entry.code.clone()).collect();
        return (verdict, Some(question(Kind::Confirmation(codes))));
    }
    let is_guards = |asked: &Attributed| asked.policy == SELF_PROTECT && asked.finding.rule == GUARD_COMMAND;
    if names_confirm(calls, &confirm) && verdict.asks().any(is_guards) {
        // A confirmation of a confirmation would be useless.
        return (verdict, None);
    }
    let mut verdict = verdict.lift(|asked| known.answers(&operation, &at.cwd, &asked.rule()));
    if verdict.outcome != Outcome::Ask {
        return (verdict, None);
    }
    let rules = verdict.asks().map(Attributed::rule).collect();
    let Some(entry) = Entry::new(&session, &operation, &at.cwd, rules, Timestamp::now()) else {
        return (verdict, None);
    };
    let how = match operation.can_be_copied() && !imitates_host(&operation.text) {
        true => quoted(&operation.text),
        false => format!("--code {}", entry.code),
    };
    verdict.closing = match reader {
        // The words of the scripts that this question replaces.
        Reader::Agent | Reader::Either if is_scripts_question(&verdict) => {
            format!("To proceed, confirm with user then run:\n{confirm} {how}")
        }
        Reader::Agent => {
            format!("To proceed, the user runs this in a terminal, then you try again:\n{confirm} {how}")
        }
        Reader::Either => {
            format!("If no prompt appears, ask the user to run:\n{confirm} {how}\n\n{LAST}")
        }
        Reader::Person => String::new(),
    };
    (verdict, Some(question(Kind::Call(Box::new(entry)))))
}

/// Returns the entry that a call would confirm, and all entries that are confirmed with it, if the call is a
/// confirmation in the form that replies show.
fn confirmed_by<'a>(calls: &[ToolCall], known: &'a Contents, confirm: &str) -> Option<(&'a Entry, Vec<&'a Entry>)> {
    let [call] = calls else { return None };
    let (line, _) = call.command()?;
    let choice = Choice::parse(line, confirm)?;
    match choose(known.confirmable(), &choice, &[]) {
        ChoiceMatch::One(entry) => Some((entry, known.chosen_with(entry, &choice))),
        ChoiceMatch::None | ChoiceMatch::Several(_) => None,
    }
}

/// Returns whether the reply tells the agent how a person can approve the call, instead of prompting a person.
pub(super) fn is_for_agent(verdict: &Verdict, reader: Reader) -> bool {
    reader == Reader::Agent || reader == Reader::Either && is_scripts_question(verdict)
}

/// Returns the end of an ask's reply: how a person can avoid such prompts, or why that isn't possible, and then how to
/// approve the call. For a policy that replaces a script, the end has the script's form.
///
/// For a person, a command to copy is on its own line and not the last one, because Claude Code appends a word to the
/// last line.
pub(super) fn with_remedy(
    verdict: &Verdict,
    prepared: &Prepared,
    dirs: &AppDirs,
    by_allow: bool,
    reader: Reader,
) -> String {
    if !verdict.closing.is_empty() && is_scripts_question(verdict) {
        return verdict.closing.clone();
    }
    let how = remedy(verdict, prepared, &dirs.managed, by_allow);
    let is_command = how == ALLOW;
    let how = if is_command && reader != Reader::Agent { ALLOW_LINES.to_owned() } else { how };
    let last = if is_command && reader != Reader::Agent && verdict.closing.is_empty() { LAST } else { "" };
    let parts = [how.as_str(), verdict.closing.as_str(), last].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns whether an `[[allow]]` can avoid the prompt: the call is one shell command without a secret, and the allow
/// would lift every ask.
pub(super) fn can_allow(
    verdict: &Verdict,
    chain: &Chain,
    (calls, traces): (&[ToolCall], &[Trace]),
    at: &CallContext,
    facts: &dyn Facts,
) -> bool {
    let ([call], [trace]) = (calls, traces) else { return false };
    let is_shown = call.tool == SHELL && call.command().is_some_and(|(line, _)| redact(line) == line);
    let analysis = trace.analysis.as_deref().filter(|_| is_shown);
    analysis.is_some_and(|analysis| {
        chain.view().narrowest_allows(verdict, (call, at, facts), analysis, |allow| allow).is_some()
    })
}

/// How to avoid such prompts, for an agent and for a person.
const ALLOW: &str = "To stop being asked, the user runs: guard-host allow --last";
const ALLOW_LINES: &str = "To stop being asked, run:\nguard-host allow --last";

/// The last line after one or more commands.
const LAST: &str = "Only a person can run it, in a terminal.";

/// Returns whether a policy that replaces a script asks, so that the reply ends in the script's form.
fn is_scripts_question(verdict: &Verdict) -> bool {
    verdict
        .asks()
        .any(|asked| guard_builtins::find(&asked.policy).is_some_and(|builtin| builtin.confirmed_by.is_some()))
}

/// Returns how a person can avoid such prompts, or why that isn't possible.
fn remedy(verdict: &Verdict, prepared: &Prepared, managed: &Path, by_allow: bool) -> String {
    if verdict.asks().any(|asked| asked.policy == SELF_PROTECT) {
        return "guard-host allow doesn't cover this, because it protects guard-host itself".to_owned();
    }
    let Prepared { config, members, .. } = prepared;
    // A project's policy may have the same name as one of the user's, and then both ask.
    let named = |asked: &Attributed| -> Vec<&policy::Entry> {
        members.iter().map(|member| &member.entry).filter(|entry| entry.name == asked.policy).collect()
    };
    if verdict.asks().flat_map(named).any(|entry| !config.may_loosen(Layer::User, entry)) {
        return format!("Only {} can stop this prompt", managed.display());
    }
    // `allow` can't change policies that are only named on the hook's command line. An ask of the host reports a fault.
    let is_in_chain = |asked: &Attributed| !asked.of_host && !config.added_policies.contains(&asked.policy);
    let has_settings = |asked: &Attributed| {
        let entries = named(asked);
        !entries.is_empty() && entries.into_iter().all(has_settings)
    };
    match verdict.asks().all(is_in_chain) && (by_allow || verdict.asks().all(has_settings)) {
        true => ALLOW.to_owned(),
        false => {
            let owned = |asked: &Attributed| {
                let entries = named(asked);
                entries.first().map(|entry| settings_owner((entry.layer, &entry.source, &entry.settings_source.file)))
            };
            let stays = |asked: &&Attributed| is_in_chain(asked) && !has_settings(asked);
            verdict.asks().filter(stays).find_map(owned).unwrap_or_default()
        }
    }
}

/// Returns where a policy's prompts can be changed, if neither an allow nor the user's settings can do it.
fn settings_owner((layer, source, settings): (Layer, &Source, &Path)) -> String {
    let path = match (layer, source) {
        (Layer::Project, _) => return "Only this project's .guard/guard.toml can stop this prompt".to_owned(),
        (_, Source::File(path)) => path,
        // Rules in Rego and CEL.
        (_, Source::Builtin(_)) => settings,
    };
    format!("Only the policy itself can stop this prompt: {}", path.display())
}

/// Returns the end of the reply to a server's ask.
pub(super) fn with_server_remedy(verdict: &Verdict, config: &Config) -> String {
    let url = config.remote.as_ref().map(|remote| remote.url.as_str()).unwrap_or_default();
    let is_servers = !url.is_empty() && verdict.asks().any(|asked| !asked.of_host) && !is_scripts_question(verdict);
    let how = if is_servers { format!("Only the configuration of {url} can stop this prompt") } else { String::new() };
    let parts = [how.as_str(), verdict.closing.as_str()].into_iter().filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

/// Returns whether settings in the user's file can change the outcome of the policy's rules.
#[must_use]
pub fn has_settings(entry: &policy::Entry) -> bool {
    let Source::Builtin(name) = &entry.source else { return false };
    entry.layer == Layer::User && guard_builtins::find(name).is_some_and(|builtin| !builtin.presets.is_empty())
}

/// Returns whether a command contains a confirmation in a form other than the one in replies.
fn names_confirm(calls: &[ToolCall], confirm: &str) -> bool {
    calls.iter().filter_map(ToolCall::command).any(|(line, _)| line.contains(confirm))
}

impl Question {
    /// Records the question, if the reply's `outcome` leaves it open. `by_person`: only a person can approve the call.
    /// `prompted`: the harness prompts a person in this mode. `call` identifies the call.
    pub(super) fn note(self, outcome: Outcome, by_person: bool, prompted: bool, call: String) {
        let is_open = matches!(outcome, Outcome::Ask | Outcome::Deny);
        let asked = outcome == Outcome::Ask && prompted;
        // The reply is out, so an error can't be reported.
        let _ = match self.kind {
            Kind::Call(entry) if is_open => {
                let entry = Entry { call, prompted: outcome == Outcome::Ask && by_person, ..*entry };
                self.sessions.change(&self.session, PATIENCE, |contents, _| contents.ask(entry))
            }
            Kind::Confirmation(codes) if asked => self.sessions.change(&self.session, PATIENCE, |contents, now| {
                codes.iter().for_each(|code| contents.ask_to_confirm(&self.session, code, now));
            }),
            Kind::Call(_) | Kind::Confirmation(_) => Ok(()),
        };
    }
}

/// Removes a session that has ended.
pub(super) fn end(dirs: &AppDirs, session: &str) {
    // A project's configuration must not change where sessions are stored.
    let sessions = guard_config::load(dirs, &[]).sessions;
    let _ = sessions.end(&Sessions::name(session), PATIENCE_AT_END);
}

#[cfg(test)]
mod tests {
    use guard_config::{Overrides, load_with};
    use guard_contract::verdict::{Opinion, merge};
    use guard_contract::{Decision, FaultKind, Finding};

    use super::*;
    use crate::cache::{Member, Readiness};

    #[test]
    fn a_way_out_is_offered_only_where_it_ends_the_question() {
        let folder = tempfile::tempdir().unwrap();
        let managed = folder.path().join("managed.toml");
        std::fs::write(&managed, "lock = [\"protected-files\"]\n").unwrap();
        let dirs = AppDirs { managed: managed.clone(), ..AppDirs::under_home(folder.path().to_str().unwrap()) };
        let overrides = Overrides { only: Some(vec!["path-context".to_owned()]), settings: None };
        let mut config = load_with(&dirs, &[], &overrides);
        let member = |entry| Member { entry, readiness: Readiness::Broken(FaultKind::NotReady) };
        let members = std::mem::take(&mut config.entries).into_iter().map(member).collect();
        let prepared = Prepared::in_memory(config, members);
        let asked = |policy: &str, of_host| {
            let finding = Finding {
                rule: "a".to_owned(),
                outcome: Outcome::Ask,
                message: "b".to_owned(),
                remedy: String::new(),
                tags: Vec::new(),
            };
            let decision = Decision { outcome: Outcome::Ask, findings: vec![finding] };
            merge([Opinion { policy: policy.to_owned(), decision, may_allow: false, of_host }])
        };
        let locked = format!("Only {} can stop this prompt", managed.display());
        for (policy, of_host, by_allow, expected) in [
            ("command-guard", false, false, ALLOW),
            ("protected-files", false, true, locked.as_str()),
            ("self-protect", false, true, "guard-host allow doesn't cover this, because it protects guard-host itself"),
            ("path-context", false, true, ""),
            ("config", true, true, ""),
            ("policy-of-a-project", false, true, ALLOW),
            ("policy-of-a-project", false, false, ""),
        ] {
            assert_eq!(remedy(&asked(policy, of_host), &prepared, &managed, by_allow), expected, "{policy}");
        }
    }

    #[test]
    fn a_question_that_only_its_policy_ends_names_the_place() {
        let (built_in, file) = (Source::Builtin("write-control".to_owned()), Source::File("/p/ours.rego".into()));
        for (layer, source, expected) in [
            (Layer::Project, &built_in, "Only this project's .guard/guard.toml can stop this prompt"),
            (Layer::Project, &file, "Only this project's .guard/guard.toml can stop this prompt"),
            (Layer::User, &file, "Only the policy itself can stop this prompt: /p/ours.rego"),
            (Layer::User, &built_in, "Only the policy itself can stop this prompt: /p/team.toml"),
        ] {
            assert_eq!(settings_owner((layer, source, Path::new("/p/team.toml"))), expected, "{source:?}");
        }
    }
}

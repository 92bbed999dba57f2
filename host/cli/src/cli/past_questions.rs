//! Calls in the audit log that needed an approval, and changes that would have avoided the prompts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::allow::{Setting, lifts, root, target};
use super::subject::{Evaluators, call_context, tool_calls};
use guard_contract::allow::Allow;
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::{Outcome, rank};
use guard_hook::audit::{OVERRIDE, Record};
use guard_hook::chain::Trace;
use guard_redact::MARK;
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The maximum number of commands that are considered. Those with the most asks are used.
const COMMANDS: usize = 500;

/// The setting that makes backups of what a call destroys, in place of prompts.
pub(super) const INSTEAD_OF_ASK: &str = "[undo] instead-of-ask = true";

/// The minimum number of asks for a command, or by a rule, for a suggestion.
const QUESTIONS: u64 = 2;
const OF_RULE: u64 = 5;

/// The minimum number of known outcomes for a suggestion about a rule.
const KNOWN: u64 = 3;

/// Catch-all rules, each with examples of calls that they match. Lowering one would also allow calls that the user
/// didn't think of.
pub(super) const CATCH_ALL: [(&str, &str); 7] = [
    ("catastrophic-effect", "`wipefs -a /dev/sdb`"),
    ("destructive-effect", "`git branch -D topic`, `npx prisma migrate reset`, `helm uninstall web`"),
    ("dynamic-code", "`eval \"$TEXT\"`"),
    ("dynamic-command", "`\"$PROGRAM\" --all`"),
    ("shared-state", "`gh pr create`, `terraform apply`, `vercel --prod`"),
    ("system-change", "`useradd bob`"),
    ("unparsed-command", "text that is no valid shell"),
];

/// Returns whether it is a catch-all rule.
pub(super) fn is_catch_all(name: &str) -> bool {
    CATCH_ALL.iter().any(|(rule, _)| *rule == name)
}

/// Words in operations that publish or deploy something.
const OUT: [&str; 4] = ["apply", "deploy", "publish", "release"];

/// Operations that deploy something, but have none of these words.
const OUT_OPERATIONS: [&str; 4] = ["cluster.sync", "helm.change.release", "kubernetes.change.live", "pulumi.change"];

/// Returns whether the call publishes or deploys something, which should always be confirmed.
fn publishes(trace: &Trace) -> bool {
    let is_out = |operation: &str| {
        OUT_OPERATIONS.contains(&operation) || operation.split(['.', '-']).any(|part| OUT.contains(&part))
    };
    trace.analysis.as_ref().is_some_and(|analysis| analysis.effects.iter().any(|effect| is_out(&effect.operation)))
}

/// A call that required approval, with its outcomes.
#[derive(Debug, Clone, Default, Serialize)]
pub(super) struct PastQuestion {
    pub(super) tool: String,
    pub(super) operation: String,
    pub(super) cwd: String,
    pub(super) rules: BTreeSet<String>,
    /// The number of asks.
    pub(super) asks: u64,
    /// The number of times that a person certainly approved it. A call can also run because its agent ignored the ask.
    pub(super) ran: u64,
    /// The number of times that a person certainly refused it.
    pub(super) refused: u64,
    /// The number of times that it ran without evidence of an approval.
    #[serde(skip)]
    pub(super) unclear: u64,
    /// The id of the last ask.
    pub(super) id: String,
}

impl PastQuestion {
    /// Returns why nothing is suggested for it.
    pub(super) fn no_suggestion_reason(&self) -> &'static str {
        match self {
            asked if asked.refused > 0 => "none: it was refused",
            asked if asked.ran == 0 && asked.unclear > 0 => {
                "none: it ran, but the log can't say whether you approved it"
            }
            asked if asked.ran == 0 => "none: no approval of it is known",
            asked if asked.asks < QUESTIONS => "none: it was asked about once",
            _ => "none: no allow can cover it, or it is not asked about any more",
        }
    }

    /// Returns whether it was approved and never refused.
    fn is_always_approved(&self) -> bool {
        self.ran > 0 && self.refused == 0
    }
}

/// Counts asks and their outcomes.
#[derive(Debug, Default)]
pub(super) struct Questions(BTreeMap<(String, String, String), PastQuestion>);

impl Questions {
    pub(super) fn add(&mut self, record: &Record) {
        let is_outcome = matches!(record.action.as_str(), "ran" | "refused" | OVERRIDE);
        if record.action != "confirm_required" && !is_outcome {
            return;
        }
        let key = (record.tool.clone(), record.operation.clone(), record.cwd.clone());
        let question = self.0.entry(key).or_insert_with(|| PastQuestion {
            tool: record.tool.clone(),
            operation: record.operation.clone(),
            cwd: record.cwd.clone(),
            ..PastQuestion::default()
        });
        match record.action.as_str() {
            "ran" if record.by != "person" => question.unclear += 1,
            "ran" | OVERRIDE => question.ran += 1,
            "refused" => question.refused += 1,
            _ => {
                question.asks += 1;
                question.rules.extend(record.rules.iter().cloned());
                question.id.clone_from(&record.id);
            }
        }
    }

    /// Returns the calls with asks, most frequent first.
    pub(super) fn by_frequency(self) -> Vec<PastQuestion> {
        let mut all: Vec<PastQuestion> = self.0.into_values().filter(|question| question.asks > 0).collect();
        all.sort_by(|a, b| b.asks.cmp(&a.asks).then_with(|| a.operation.cmp(&b.operation)));
        all
    }
}

/// A change that would have avoided prompts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct Suggestion {
    /// The ask whose command an allow would cover. Empty for a suggested setting.
    pub(super) id: String,
    /// The rule that a setting would lower, as `policy:rule`. Empty for a suggested allow.
    pub(super) lower: String,
    /// Whether `instead-of-ask` in `[undo]` is suggested.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) undo: bool,
    /// The number of asks that it would have avoided.
    pub(super) spares: u64,
    /// The calls that were always approved, most frequent first.
    pub(super) approved: Vec<PastQuestion>,
    /// The other calls that it would have allowed: refused ones, and those without a known outcome.
    pub(super) also: Vec<PastQuestion>,
}

/// A command with asks, and its current verdict.
struct JudgedAgain<'a> {
    asked: &'a PastQuestion,
    call: ToolCall,
    at: CallContext,
    trace: Trace,
}

/// Suggests changes that would have avoided prompts that were always approved, the most effective ones first.
pub(super) fn suggest(
    questions: &[PastQuestion],
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Vec<Suggestion>> {
    let mut evaluators = Evaluators::new(dirs, environment);
    let judged = judge_again(questions, &mut evaluators, environment)?;
    let (mut suggestions, covered) = suggest_allows(&judged, &mut evaluators)?;
    let rest: Vec<&JudgedAgain<'_>> =
        judged.iter().enumerate().filter(|(index, _)| !covered.contains(index)).map(|(_, question)| question).collect();
    suggestions.extend(suggest_lowered_rules(&rest, dirs, environment)?);
    suggestions.sort_by_key(|suggestion| std::cmp::Reverse(suggestion.spares));
    suggestions.extend(copies_instead(&judged, &mut evaluators)?);
    Ok(suggestions)
}

/// Returns the commands that would still ask, with their current verdicts.
fn judge_again<'a>(
    questions: &'a [PastQuestion],
    evaluators: &mut Evaluators<'_>,
    environment: &Environment,
) -> anyhow::Result<Vec<JudgedAgain<'a>>> {
    let mut judged = Vec::new();
    for question in
        questions.iter().filter(|question| question.tool == "Bash" && !question.operation.contains(MARK)).take(COMMANDS)
    {
        let at = call_context(environment, Some(&question.cwd));
        let Ok(calls) = tool_calls("Bash", Value::String(question.operation.clone())) else { continue };
        let (Some(trace), [call]) = (evaluators.decide(&calls, &at)?, calls.as_slice()) else { continue };
        if trace.verdict.outcome == Outcome::Ask && !publishes(&trace) {
            judged.push(JudgedAgain { asked: question, call: call.clone(), at, trace });
        }
    }
    Ok(judged)
}

/// Suggests the narrowest allows for commands that were always approved. Also returns the indexes of covered commands.
fn suggest_allows(
    judged: &[JudgedAgain<'_>],
    evaluators: &mut Evaluators<'_>,
) -> anyhow::Result<(Vec<Suggestion>, BTreeSet<usize>)> {
    let mut suggestions = Vec::new();
    let mut all_covered = BTreeSet::new();
    for (index, question) in judged.iter().enumerate() {
        if all_covered.contains(&index) || question.asked.asks < QUESTIONS || !question.asked.is_always_approved() {
            continue;
        }
        let evaluator = evaluators.evaluator_at(&question.at)?;
        let Some(analysis) = &question.trace.analysis else { continue };
        let root = root(&question.at);
        let in_project = |allow| Allow { within: root.clone(), ..allow };
        let placed = (&question.call, &question.at, evaluator.facts());
        let Some(allows) =
            evaluator.chain.view().narrowest_allows(&question.trace.verdict, placed, analysis, in_project)
        else {
            continue;
        };
        let mut covered = Vec::new();
        for (other, judged) in judged.iter().enumerate() {
            let evaluator = evaluators.evaluator_at(&judged.at)?;
            if lifts(evaluator, &allows, &judged.trace, (&judged.call, &judged.at)) {
                covered.push(other);
            }
        }
        all_covered.extend(&covered);
        let covered = covered.iter().filter_map(|other| Some(judged.get(*other)?.asked));
        suggestions.push(Suggestion::new(covered, question.asked.id.clone(), String::new()));
    }
    Ok((suggestions, all_covered))
}

/// Suggests lowering rules that were the only ones to ask for commands, if nearly all of them were approved and none
/// refused.
fn suggest_lowered_rules(
    judged: &[&JudgedAgain<'_>],
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Vec<Suggestion>> {
    let is_of_one_kind = |rule: &&String| rule.split_once(':').is_none_or(|(_, name)| !is_catch_all(name));
    let rules: BTreeSet<&String> =
        judged.iter().flat_map(|question| &question.asked.rules).filter(is_of_one_kind).collect();
    let mut suggestions = Vec::new();
    for rule in rules {
        // If several rules ask, the call still asks without one of them.
        let is_only_rule =
            |question: &&&JudgedAgain<'_>| question.asked.rules.len() == 1 && question.asked.rules.contains(rule);
        let by_rule: Vec<&JudgedAgain<'_>> = judged.iter().filter(is_only_rule).copied().collect();
        let suggestion = Suggestion::new(by_rule.iter().map(|question| question.asked), String::new(), rule.clone());
        let known: u64 = suggestion.approved.iter().map(|asked| asked.ran).sum();
        let is_refused = suggestion.also.iter().any(|asked| asked.refused > 0);
        if suggestion.spares >= OF_RULE
            && known >= KNOWN
            && !is_refused
            && is_spared_lowered(rule, &by_rule, dirs, environment)?
        {
            suggestions.push(suggestion);
        }
    }
    Ok(suggestions)
}

/// Suggests backups in place of prompts, if that would have avoided approved asks, and none of them was refused. It is
/// last, because it covers calls of other suggestions.
fn copies_instead(judged: &[JudgedAgain<'_>], evaluators: &mut Evaluators<'_>) -> anyhow::Result<Option<Suggestion>> {
    let mut covered = Vec::new();
    for question in judged {
        if evaluators.evaluator_at(&question.at)?.would_skip_prompt(&question.call, &question.trace, &question.at) {
            covered.push(question.asked);
        }
    }
    let suggestion = Suggestion::new(covered.into_iter(), String::new(), String::new());
    let is_refused = suggestion.also.iter().any(|asked| asked.refused > 0);
    let is_worth_it = suggestion.spares >= QUESTIONS && !suggestion.approved.is_empty() && !is_refused;
    Ok(is_worth_it.then_some(Suggestion { undo: true, ..suggestion }))
}

/// Returns whether none of the calls asks if a rule is lowered. A policy may not support that setting.
fn is_spared_lowered(
    rule: &str,
    calls: &[&JudgedAgain<'_>],
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<bool> {
    let calls: Vec<_> = calls.iter().map(|question| (&question.call, &question.at)).collect();
    is_answered_by(&[rule.to_owned()], &calls, dirs, environment)
}

/// Returns whether none of the calls asks if these names are in `lower` of their policies. Each is `policy:name`.
pub(super) fn is_answered_by(
    names: &[String],
    calls: &[(&ToolCall, &CallContext)],
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<bool> {
    let setting = |name: &String| {
        let (policy, item) = name.split_once(':')?;
        Some(Setting { policy: policy.to_owned(), key: "lower", item: item.to_owned() })
    };
    let Some(settings) = names.iter().map(setting).collect::<Option<Vec<_>>>() else { return Ok(false) };
    let scratch = tempfile::tempdir()?;
    let Some(dirs) = with_settings(&settings, scratch.path(), dirs)? else { return Ok(false) };
    let mut evaluators = Evaluators::new(&dirs, environment);
    for (call, at) in calls {
        let verdict = evaluators.decide(std::slice::from_ref(*call), at)?.map(|trace| trace.verdict);
        if verdict.is_none_or(|verdict| rank(verdict.outcome) >= rank(Outcome::Ask)) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Returns folders with a copy of the user's file to which the settings are added. `None` if that fails.
pub(super) fn with_settings(settings: &[Setting], scratch: &Path, dirs: &AppDirs) -> anyhow::Result<Option<AppDirs>> {
    let mut text = fs::read_to_string(&dirs.config).ok();
    for Setting { policy, key, item } in settings {
        let Ok(extended) = target(dirs).extend(text.as_deref(), policy, key, item) else { return Ok(None) };
        text = Some(extended);
    }
    let changed = AppDirs { config: scratch.join("guard.toml"), ..dirs.clone() };
    fs::write(&changed.config, text.unwrap_or_default())?;
    Ok(Some(changed))
}

impl Suggestion {
    fn new<'a>(covered: impl Iterator<Item = &'a PastQuestion>, id: String, lower: String) -> Self {
        let (approved, also): (Vec<PastQuestion>, Vec<PastQuestion>) =
            covered.cloned().partition(PastQuestion::is_always_approved);
        let spares = approved.iter().chain(&also).map(|asked| asked.asks).sum();
        Suggestion { id, lower, undo: false, spares, approved, also }
    }

    /// Returns how a person applies it: a command, or text to add to the configuration.
    pub(super) fn instruction(&self) -> String {
        match self.lower.split_once(':') {
            _ if self.undo => format!("{INSTEAD_OF_ASK}, which copies what a call destroys and runs it with a warning"),
            Some((policy, rule)) => format!("[[policy]] name = \"{policy}\", settings = {{ lower = [\"{rule}\"] }}"),
            None => format!("guard-host allow --id {}", self.id),
        }
    }
}

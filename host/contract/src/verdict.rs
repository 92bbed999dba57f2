//! [`Verdict`]: a chain's verdict on a call, and how policies' answers are merged.
//!
//! Pure: no input or output, no clock.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Decision, Finding, Outcome, outcome_name, outcome_named, rank, worse};
use crate::{Layer, Problem};

/// The rule of the host's finding for a policy that gave no answer.
pub const FAULT: &str = "policy-fault";

/// The rule of the host's finding that a person approved the call.
pub const CONFIRMED: &str = "session_allowlist";

/// The rule of the host's finding that an allow in the configuration covers the call.
pub const ALLOWED: &str = "allow";

/// The tag of a finding that is listed after the others of its severity, because it matters less.
pub const ASIDE: &str = "aside";

/// The tag with a user's name for a rule in a built-in policy's settings, such as its pattern. Replies, approvals and
/// logs use it instead of the rule's id, which is the same for all of the user's rules. The host removes it from other
/// policies' findings.
pub const CALLED: &str = "called";

/// The tag of an allow whose message is shown even if the allow has no effect.
const NOTICE: &str = "notice";

/// The tag of a finding whose policy isn't enforced, with the outcome that it would have had. Only the host sets it,
/// and removes it from policies' findings.
pub const WATCHED: &str = "watched";

/// The pseudo-policy and the rule of findings about a broken configuration.
const CONFIG: &str = "config";
const BROKEN: &str = "broken-config";

/// The maximum length of a rule's name in a message, in bytes.
const NAME_BYTES: usize = 120;

/// The verdict in place of an ask when the harness skips prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BypassAsk {
    /// It stays an ask.
    Ask,
    /// It becomes a deny.
    Deny,
    /// It becomes a warning.
    Skip,
}

/// The opinion of one policy, after its faults have become findings.
#[derive(Debug, Clone, PartialEq)]
pub struct Opinion {
    /// The policy's name in the chain.
    pub policy: String,
    /// The policy's decision.
    pub decision: Decision,
    /// Whether its allow may skip the harness's own prompt.
    pub may_allow: bool,
    /// Whether it comes from the host, about itself or about a policy that gave no answer.
    pub of_host: bool,
}

impl Attributed {
    /// Returns whether the finding is about a broken configuration.
    #[must_use]
    pub fn is_broken_config(&self) -> bool {
        self.of_host && self.policy == CONFIG && self.finding.rule == BROKEN
    }
}

impl Opinion {
    /// Returns the opinion of a broken configuration layer on every call.
    #[must_use]
    pub fn from_problem(problem: &Problem) -> Self {
        let text = format!("the {} configuration was left out: {problem}", problem.layer.name());
        let hint = match (problem.layer, problem.hint.as_str()) {
            (Layer::Managed, hint) => format!("ask the administrator of this machine to correct the file: {hint}"),
            (_, hint) => hint.to_owned(),
        };
        Opinion::from_host(CONFIG, BROKEN, problem.outcome(), text, hint)
    }

    /// Returns the opinion without effect if its outcome is at most `worst`, with the outcome in a tag.
    #[must_use]
    pub fn watched_up_to(self, worst: Outcome) -> Self {
        if rank(self.decision.outcome) > rank(worst) { self } else { self.watched() }
    }

    /// Returns the opinion without effect, with the outcomes of asks and denies in a tag. It doesn't allow anything
    /// either.
    #[must_use]
    pub fn watched(mut self) -> Self {
        let is_stop = |outcome| rank(outcome) >= rank(Outcome::Ask);
        let findings = self.decision.findings.iter().map(|finding| finding.outcome);
        if is_stop(self.decision.outcome) && findings.fold(Outcome::Abstain, worse) != self.decision.outcome {
            // A policy may ask or deny without a finding.
            let (outcome, [rule, message, remedy]) = (self.decision.outcome, [const { String::new() }; 3]);
            self.decision.findings.push(Finding { rule, outcome, message, remedy, tags: Vec::new() });
        }
        for finding in self.decision.findings.iter_mut().filter(|finding| is_stop(finding.outcome)) {
            finding.tags.push((WATCHED.to_owned(), outcome_name(finding.outcome).to_owned()));
            finding.outcome = Outcome::Abstain;
        }
        self.decision = tighten_only(self.decision);
        let findings = self.decision.findings.iter().map(|finding| finding.outcome);
        self.decision.outcome = findings.fold(Outcome::Abstain, worse);
        self
    }

    /// Creates an opinion of the host itself, with one finding.
    #[must_use]
    pub fn from_host(policy: &str, rule: &str, outcome: Outcome, message: String, remedy: String) -> Self {
        let finding = Finding { rule: rule.to_owned(), outcome, message, remedy, tags: Vec::new() };
        let decision = Decision { outcome, findings: vec![finding] };
        Opinion { policy: policy.to_owned(), decision, may_allow: false, of_host: true }
    }
}

/// A finding and the policy that made it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Attributed {
    /// The policy's name in the chain.
    pub policy: String,
    /// The policy's finding.
    pub finding: Finding,
    /// Whether it comes from the host, about itself or about a policy that gave no answer.
    pub of_host: bool,
}

impl Attributed {
    /// Returns whether it is listed after the others of its severity.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.finding.tags.iter().any(|(name, _)| name == ASIDE)
    }

    /// Returns the outcome that the finding would have if its policy were enforced.
    #[must_use]
    pub fn watched(&self) -> Option<Outcome> {
        let tag = self.finding.tags.iter().find(|(name, _)| name == WATCHED);
        tag.and_then(|(_, outcome)| outcome_named(outcome))
    }

    /// Returns the rule's name for people: its id, or the user's name for it.
    #[must_use]
    pub fn name(&self) -> &str {
        rule_name(&self.finding)
    }

    /// Returns the policy and the rule as `policy:rule`, as in approvals and logs.
    #[must_use]
    pub fn rule(&self) -> String {
        format!("{}:{}", self.policy, self.name())
    }
}

/// Returns the name of a finding's rule for people: its id, or the user's name for it.
#[must_use]
pub fn rule_name(finding: &Finding) -> &str {
    let called = finding.tags.iter().find(|(name, _)| name == CALLED).map(|(_, value)| value.as_str());
    let called = called.filter(|called| !called.is_empty() && !called.contains(char::is_control));
    let name = called.unwrap_or(&finding.rule);
    name.get(..name.floor_char_boundary(NAME_BYTES)).unwrap_or(name)
}

/// The verdict of a chain on a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Verdict {
    /// The most severe of all outcomes.
    pub outcome: Outcome,
    /// All findings, in the order of the chain.
    pub findings: Vec<Attributed>,
    /// Whether the outcome is allow and every policy that allows may skip the harness's own prompt.
    pub skips_prompt: bool,
    /// Asks that a person's approval or an allow has lifted.
    pub lifted: Vec<Attributed>,
    /// The end of the reply, such as how a person can approve the call. May be empty.
    pub closing: String,
    /// The input that replaces the call's own, in the tool's form.
    #[serde(skip)]
    pub input: Option<Map<String, Value>>,
}

impl Verdict {
    /// Merges the verdicts of several calls in one event: all of them must pass.
    #[must_use]
    pub fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut verdicts = verdicts.into_iter();
        let Some(mut all) = verdicts.next() else { return merge([]) };
        for verdict in verdicts {
            all.outcome = worse(all.outcome, verdict.outcome);
            all.skips_prompt &= verdict.skips_prompt;
            all.findings.extend(verdict.findings);
            all.lifted.extend(verdict.lifted);
        }
        all
    }

    /// Returns the findings that ask.
    pub fn asks(&self) -> impl Iterator<Item = &Attributed> {
        self.findings.iter().filter(|attributed| attributed.finding.outcome == Outcome::Ask)
    }

    /// Lifts the asks for which `answered` returns true. Only asks are ever lifted, and a verdict that isn't an ask
    /// stays unchanged.
    #[must_use]
    pub fn lift(mut self, answered: impl Fn(&Attributed) -> bool) -> Self {
        if self.outcome != Outcome::Ask {
            return self;
        }
        let (lifted, rest): (Vec<_>, Vec<_>) = self
            .findings
            .into_iter()
            .partition(|attributed| attributed.finding.outcome == Outcome::Ask && answered(attributed));
        self.findings = rest;
        if !lifted.is_empty() && self.asks().next().is_none() {
            let text = "confirmed in this session".to_owned();
            let confirmation = Opinion::from_host("session", CONFIRMED, Outcome::Allow, text, String::new());
            let mut verdict = merge([confirmation]);
            verdict.findings.append(&mut self.findings);
            self = Verdict { skips_prompt: true, ..verdict };
        }
        self.lifted = lifted;
        self
    }

    /// Returns the verdict if all policies were enforced, or `None` if it would be the same.
    #[must_use]
    pub fn unwatched(&self) -> Option<Self> {
        if !self.findings.iter().any(|found| found.watched().is_some()) {
            return None;
        }
        let mut verdict = self.clone();
        for attributed in &mut verdict.findings {
            if let Some(outcome) = attributed.watched() {
                attributed.finding.outcome = outcome;
                verdict.outcome = worse(verdict.outcome, outcome);
            }
        }
        (rank(verdict.outcome) > rank(self.outcome)).then_some(verdict)
    }

    /// Returns whether a person's approval lets the call run.
    #[must_use]
    pub fn is_confirmed(&self) -> bool {
        self.deciding().is_some_and(|deciding| deciding.of_host && deciding.finding.rule == CONFIRMED)
    }

    /// Returns whether an allow in the configuration lifted the call's asks.
    #[must_use]
    pub fn is_allowed(&self) -> bool {
        self.findings.iter().any(|found| found.of_host && found.finding.rule == ALLOWED)
    }

    /// Returns the finding that names the verdict: the first one listed with the verdict's outcome.
    #[must_use]
    pub fn deciding(&self) -> Option<&Attributed> {
        self.findings_with(self.outcome).next()
    }

    /// Returns the findings with this outcome, in the order in which they are listed.
    fn findings_with(&self, outcome: Outcome) -> impl Iterator<Item = &Attributed> {
        let at = move |aside: bool| {
            let of = move |found: &&Attributed| found.finding.outcome == outcome && found.is_aside() == aside;
            self.findings.iter().filter(of)
        };
        at(false).chain(at(true))
    }

    /// Returns the findings with the verdict's outcome, then less severe ones down to warn.
    pub fn reasons(&self) -> impl Iterator<Item = &Attributed> {
        let at = |outcome: Outcome| self.findings_with(outcome);
        let others = [Outcome::Deny, Outcome::Ask, Outcome::Warn, Outcome::Allow];
        std::iter::once(self.outcome).chain(others.into_iter().filter(|other| *other != self.outcome)).flat_map(at)
    }
}

/// Merges the opinions of a chain. The most severe outcome wins, and the first policy with it names the verdict, unless
/// its finding is an [`ASIDE`].
///
/// Without opinions, the result is [`Outcome::Abstain`], for which a harness gets no output.
pub fn merge(opinions: impl IntoIterator<Item = Opinion>) -> Verdict {
    let mut verdict = Verdict {
        outcome: Outcome::Abstain,
        findings: Vec::new(),
        skips_prompt: false,
        lifted: Vec::new(),
        closing: String::new(),
        input: None,
    };
    let mut allowed = false;
    let mut all_may = true;
    for opinion in opinions {
        verdict.outcome = worse(verdict.outcome, opinion.decision.outcome);
        if opinion.decision.outcome == Outcome::Allow {
            allowed = true;
            all_may &= opinion.may_allow;
        }
        let of_host = opinion.of_host;
        let attribute = |finding| Attributed { policy: opinion.policy.clone(), finding, of_host };
        verdict.findings.extend(opinion.decision.findings.into_iter().map(attribute));
    }
    // The host's warnings are always shown.
    let is_warning = |found: &Attributed| found.of_host && found.finding.outcome == Outcome::Warn;
    if verdict.outcome == Outcome::Abstain && verdict.findings.iter().any(is_warning) {
        verdict.outcome = Outcome::Warn;
    }
    verdict.skips_prompt = verdict.outcome == Outcome::Allow && allowed && all_may;
    verdict
}

/// Like [`tighten_only`], except that an allow with a notice becomes a warning, which doesn't loosen anything.
#[must_use]
pub fn tighten_or_inform(mut decision: Decision) -> Decision {
    let is_notice = |finding: &&mut Finding| {
        finding.outcome == Outcome::Allow && finding.tags.iter().any(|(name, _)| name == NOTICE)
    };
    for finding in decision.findings.iter_mut().filter(is_notice) {
        finding.outcome = Outcome::Warn;
        decision.outcome = worse(decision.outcome, Outcome::Warn);
    }
    tighten_only(decision)
}

/// Removes what an untrusted policy may not do: its allow becomes an abstain.
#[must_use]
pub fn tighten_only(mut decision: Decision) -> Decision {
    for finding in &mut decision.findings {
        if finding.outcome == Outcome::Allow {
            finding.outcome = Outcome::Abstain;
        }
    }
    if rank(decision.outcome) == rank(Outcome::Allow) {
        decision.outcome = Outcome::Abstain;
    }
    decision
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn outcomes() -> impl Strategy<Value = Outcome> {
        prop::sample::select(vec![Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny])
    }

    fn opinions() -> impl Strategy<Value = Vec<Opinion>> {
        prop::collection::vec((outcomes(), any::<bool>()), 0..8).prop_map(|drawn| {
            let opinion = |(index, (outcome, may_allow)): (usize, (Outcome, bool))| Opinion {
                may_allow,
                ..Opinion::from_host(&format!("p{index}"), "rule", outcome, String::new(), String::new())
            };
            drawn.into_iter().enumerate().map(opinion).collect()
        })
    }

    proptest! {
        #[test]
        fn the_outcome_does_not_depend_on_the_order(mut opinions in opinions()) {
            let forward = merge(opinions.clone());
            opinions.reverse();
            let backward = merge(opinions);
            prop_assert_eq!(forward.outcome, backward.outcome);
            prop_assert_eq!(forward.skips_prompt, backward.skips_prompt);
        }

        #[test]
        fn one_more_policy_never_lowers_a_verdict(opinions in opinions(), more in opinions()) {
            let before = merge(opinions.clone());
            let after = merge(opinions.into_iter().chain(more));
            prop_assert!(rank(after.outcome) >= rank(before.outcome));
        }

        #[test]
        fn one_more_policy_that_may_only_tighten_grants_nothing(opinions in opinions(), more in opinions()) {
            let before = merge(opinions.clone());
            let more = more.into_iter().map(|mut opinion| {
                opinion.decision = tighten_only(opinion.decision);
                opinion
            });
            let after = merge(opinions.into_iter().chain(more));
            prop_assert!(rank(after.outcome) >= rank(before.outcome));
            prop_assert!(before.skips_prompt || !after.skips_prompt);
        }

        #[test]
        fn what_is_watched_stops_and_grants_nothing_and_is_remembered(opinions in opinions()) {
            let before = merge(opinions.clone());
            let watched = merge(opinions.into_iter().map(Opinion::watched));
            prop_assert!(rank(watched.outcome) <= rank(Outcome::Warn) && !watched.skips_prompt);
            let stops = rank(before.outcome) >= rank(Outcome::Ask);
            prop_assert_eq!(watched.unwatched().map(|verdict| verdict.outcome), stops.then_some(before.outcome));
        }

        #[test]
        fn the_earliest_policy_at_the_severity_names_the_verdict(opinions in opinions()) {
            let verdict = merge(opinions.clone());
            let first = opinions.iter().find(|opinion| opinion.decision.outcome == verdict.outcome);
            prop_assert_eq!(verdict.deciding().map(|deciding| &deciding.policy), first.map(|opinion| &opinion.policy));
        }
    }

    proptest! {
        /// S2-12a: an approval lifts asks, and nothing else.
        #[test]
        fn s2_12a_a_grant_lifts_asks_and_nothing_else(opinions in opinions(), answered in any::<u8>()) {
            let before = merge(opinions);
            let is_answered = |asked: &Attributed| {
                asked.policy.strip_prefix('p').and_then(|n| n.parse::<u32>().ok()).is_some_and(|n| answered >> n & 1 == 1)
            };
            let after = before.clone().lift(is_answered);
            let open = before.asks().filter(|asked| !is_answered(asked)).count();
            if before.outcome != Outcome::Ask || before.asks().count() == open {
                prop_assert_eq!(after, before);
            } else if open > 0 {
                prop_assert_eq!(after.outcome, Outcome::Ask);
                prop_assert_eq!(after.asks().count(), open);
            } else {
                prop_assert!(after.is_confirmed() && after.skips_prompt && after.outcome == Outcome::Allow);
                // S4-37: warnings stay.
                let warnings = |verdict: &Verdict| {
                    verdict.findings.iter().filter(|found| found.finding.outcome == Outcome::Warn).count()
                };
                prop_assert_eq!(warnings(&after), warnings(&before));
            }
        }
    }

    #[test]
    fn of_what_a_project_allows_only_a_notice_is_left_as_a_warning() {
        let finding = |outcome, tag: &str| Finding {
            rule: "rule".to_owned(),
            outcome,
            message: "text".to_owned(),
            remedy: String::new(),
            tags: vec![(tag.to_owned(), String::new())],
        };
        for (outcome, tag, expected) in [
            (Outcome::Allow, NOTICE, Outcome::Warn),
            (Outcome::Allow, "path", Outcome::Abstain),
            (Outcome::Warn, "path", Outcome::Warn),
            (Outcome::Ask, NOTICE, Outcome::Ask),
            (Outcome::Deny, "path", Outcome::Deny),
        ] {
            let bound = tighten_or_inform(Decision { outcome, findings: vec![finding(outcome, tag)] });
            assert_eq!((bound.outcome, bound.findings[0].outcome), (expected, expected), "{outcome:?} {tag}");
        }
    }

    #[test]
    fn an_aside_is_told_after_the_others_of_its_severity() {
        let opinion = |policy: &str, outcome, aside: bool| {
            let mut opinion = Opinion::from_host(policy, "rule", outcome, String::new(), String::new());
            let tags = opinion.decision.findings.iter_mut().map(|finding| &mut finding.tags);
            tags.for_each(|tags| tags.extend(aside.then(|| (ASIDE.to_owned(), String::new()))));
            opinion
        };
        let verdict = merge([
            opinion("a", Outcome::Ask, false),
            opinion("b", Outcome::Deny, true),
            opinion("c", Outcome::Deny, false),
        ]);
        let told: Vec<_> = verdict.reasons().map(|reason| reason.policy.as_str()).collect();
        assert_eq!((verdict.deciding().map(|found| found.policy.as_str()), told), (Some("c"), vec!["c", "b", "a"]));
        let alone = merge([opinion("a", Outcome::Ask, false), opinion("b", Outcome::Deny, true)]);
        assert_eq!(alone.deciding().map(|found| found.policy.as_str()), Some("b"));
    }

    #[test]
    fn deny_beats_ask_beats_warn_beats_allow_beats_abstain() {
        let order = [Outcome::Abstain, Outcome::Allow, Outcome::Warn, Outcome::Ask, Outcome::Deny];
        for (weaker, outcome) in order.iter().enumerate() {
            for other in order.iter().take(weaker + 1) {
                let opinion = |outcome| Opinion::from_host("p", "rule", outcome, String::new(), String::new());
                assert_eq!(merge([opinion(*outcome), opinion(*other)]).outcome, *outcome);
                assert_eq!(merge([opinion(*other), opinion(*outcome)]).outcome, *outcome);
            }
        }
    }
}

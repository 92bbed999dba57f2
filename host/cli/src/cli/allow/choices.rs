//! [`Choices`]: the changes that avoid an ask, and the other calls that each of them allows.

use std::collections::BTreeSet;

use serde_json::Value;

use super::covers::covers;
use super::narrow::narrow;
use super::operations::lowered;
use super::others::Others;
use super::parts::allowable_part;
use super::{SHOWN, SHOWN_BYTES, recorded_input};
use crate::cli::args::AllowArgs;
use crate::cli::past_questions::INSTEAD_OF_ASK;
use crate::cli::print;
use crate::cli::subject::{Evaluator, Evaluators, exit_error, tool_calls};
use crate::cli::terminal::{answer, is_agreed};
use guard_config::edit::allow::block;
use guard_config::{Config, load};
use guard_contract::allow::Allow;
use guard_contract::call::CallContext;
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, SELF_PROTECT};
use guard_contract::shell_word::{quoted, word};
use guard_contract::verdict::{Attributed, Verdict};
use guard_contract::{Layer, Outcome};
use guard_hook::audit::Record;
use guard_hook::chain::Trace;
use guard_hook::hook::has_settings;
use guard_redact::{MARK, plain, redact, shorten};
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// An item in a list of a policy's settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::cli) struct Setting {
    pub(in crate::cli) policy: String,
    pub(in crate::cli) key: &'static str,
    pub(in crate::cli) item: String,
}

/// A change of the user's file that avoids an ask.
#[derive(Debug)]
pub(super) enum Change {
    Allows(Vec<Allow>),
    /// One setting for each asking rule, so that none asks again.
    Settings(Vec<Setting>),
    /// Backups of what calls destroy replace prompts.
    CopyInstead,
}

/// The changes that avoid an ask.
pub(super) struct Choices {
    /// The call, formatted for people.
    shown: String,
    /// The rules that ask, as `policy:rule`.
    rules: Vec<String>,
    /// The changes, each with a title. The narrowest allow is first, if one applies.
    offered: Vec<(String, Change)>,
    /// Whether a project's policy asks.
    is_of_project: bool,
    /// Operations whose asks can become warnings.
    operations: Vec<Setting>,
    /// Why no allow applies.
    obstacle: String,
    /// A command in the text that asks, and that an allow can cover on its own.
    part: Option<String>,
    /// Whether a backup restores everything that the call destroys, and there is no other reason to ask.
    is_recoverable: bool,
    /// The rules that only ask because of earlier calls of the session.
    of_session: Vec<String>,
    /// The session of a call in the log.
    session: String,
    /// The call and its directory.
    own: (String, String),
}

impl Choices {
    /// Returns the choices for a call in the log, or for a given command.
    pub(super) fn for_call(
        question: &Record,
        given: impl Fn(Allow) -> Allow,
        at: &CallContext,
        dirs: &AppDirs,
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let config = load(dirs, &at.projects());
        if let Some(error) = question.rules.iter().find_map(|rule| missing_rule_error(rule, &config)) {
            return Err(error);
        }
        let shown = shorten(&plain(&redact(&question.operation)), SHOWN_BYTES);
        let own = (question.operation.clone(), at.cwd.clone());
        let is_secret = question.operation.contains(MARK) || redact(&question.operation) != question.operation;
        let rules: BTreeSet<String> = question.rules.iter().cloned().collect();
        let (rules, offered, obstacle) = (rules.into_iter().collect(), Vec::new(), String::new());
        let operations = Vec::new();
        let (is_of_project, is_recoverable) = (false, false);
        let (of_session, session) = (Vec::new(), question.session.clone());
        let part = None;
        let mut choices = Choices {
            shown,
            rules,
            offered,
            is_of_project,
            operations,
            obstacle,
            part,
            is_recoverable,
            of_session,
            session,
            own,
        };
        let in_session = CallContext { session: question.session.clone(), ..at.clone() };
        let at = &in_session;
        if question.tool != "Bash" && is_secret {
            choices.obstacle = "the arguments contain a secret".to_owned();
        } else if question.tool != "Bash" {
            choices.add_tool_allows(question, given, at, dirs, environment)?;
        } else if is_secret {
            choices.obstacle = "the command contains a secret".to_owned();
        } else {
            choices.add_allows(question, given, at, dirs, environment)?;
        }
        choices.add_settings(&config, question, at);
        let is_projects = |entry: &Entry| {
            let asks = |rule: &String| rule.split_once(':').is_some_and(|(policy, _)| policy == entry.name);
            entry.layer == Layer::Project && choices.rules.iter().any(asks)
        };
        choices.is_of_project = config.entries.iter().any(is_projects);
        if choices.is_recoverable {
            let title = "what a call destroys is copied, and it runs with a warning, in every project";
            choices.offered.push((title.to_owned(), Change::CopyInstead));
        }
        match choices.offered.is_empty() {
            true => Err(choices.nothing()),
            false => Ok(choices),
        }
    }

    fn add_allows(
        &mut self,
        question: &Record,
        given: impl Fn(Allow) -> Allow,
        at: &CallContext,
        dirs: &AppDirs,
        environment: &Environment,
    ) -> anyhow::Result<()> {
        let calls = tool_calls("Bash", Value::String(question.operation.clone()))?;
        let evaluator = Evaluator::open(dirs, environment, &at.projects())?;
        let (Some(trace), [call]) = (evaluator.decide_in_session(&calls, at), calls.as_slice()) else { return Ok(()) };
        if !self.require_ask(trace.verdict.outcome, question)? {
            return Ok(());
        }
        self.find_rules(&trace.verdict, evaluator.decide(&calls, at).as_ref());
        self.is_recoverable = evaluator.would_skip_prompt(call, &trace, at);
        self.operations = lowered(&trace, (call, at), dirs, environment)?;
        let placed = (call, at, evaluator.facts());
        let view = evaluator.chain.view();
        if let Some(analysis) = trace.analysis.as_deref() {
            let narrowest = view.narrowest_allows(&trace.verdict, placed, analysis, &given);
            let narrowest = narrowest.map(|allows| ("this exact command".to_owned(), Change::Allows(allows)));
            // Wider allows would also lift the prompt in sessions with other earlier calls.
            let wider = view.wider_allows(&trace.verdict, placed, analysis, &given).into_iter();
            let wider = wider.filter(|_| self.of_session.is_empty());
            let wider = wider.map(|allows| (title(&allows), Change::Allows(allows)));
            self.offered.extend(narrowest.into_iter().chain(wider));
        }
        if self.offered.is_empty() {
            self.obstacle = view.obstacle(&trace.verdict, placed, trace.analysis.as_deref());
            self.part = trace
                .analysis
                .as_deref()
                .and_then(|analysis| allowable_part(analysis, &evaluator, &question.operation, at));
        }
        Ok(())
    }

    /// Finds the rules that ask, and those among them that don't without the session's history.
    fn find_rules(&mut self, verdict: &Verdict, without_session: Option<&Trace>) {
        let rules: BTreeSet<String> = verdict.asks().map(Attributed::rule).collect();
        let asks_always = |rule: &String| {
            without_session.is_some_and(|trace| trace.verdict.asks().any(|asked| asked.rule() == *rule))
        };
        self.of_session = rules.iter().filter(|rule| !asks_always(rule)).cloned().collect();
        self.rules = rules.into_iter().collect();
    }

    /// Checks that the call needs confirmation now. Returns false, with the obstacle set, if it depended on its session.
    fn require_ask(&mut self, outcome: Outcome, question: &Record) -> anyhow::Result<bool> {
        let is_of_session = |rule: &String| rule.starts_with(OF_SESSION) || rule == RECONNAISSANCE;
        match outcome {
            Outcome::Ask => Ok(true),
            Outcome::Deny => {
                let hint = "`guard-host explain` says which rule denies it; a setting of its policy may lower it";
                let text = format!("`{}` is denied, and an allow can't override a denial", self.shown);
                Err(exit_error(Exit::NoQuestion, text, hint))
            }
            _ if !question.rules.is_empty() && question.rules.iter().all(is_of_session) => {
                self.obstacle = "the prompt came from earlier calls of its session, which are forgotten".to_owned();
                Ok(false)
            }
            _ => Err(exit_error(Exit::NoQuestion, format!("`{}` needs no confirmation", self.shown), "")),
        }
    }

    /// Adds allows for the tool alone: one with the arguments that determine its target, and one with any arguments.
    fn add_tool_allows(
        &mut self,
        question: &Record,
        given: impl Fn(Allow) -> Allow,
        at: &CallContext,
        dirs: &AppDirs,
        environment: &Environment,
    ) -> anyhow::Result<()> {
        let tool = plain(&question.tool);
        self.obstacle = format!("allows cover only shell commands and MCP tools, and this was a call of {tool}");
        let calls = match recorded_input(question).map(|input| tool_calls(&question.tool, Value::Object(input))) {
            Some(Ok(calls)) => calls,
            Some(Err(_)) | None => return Ok(()),
        };
        let evaluator = Evaluator::open(dirs, environment, &at.projects())?;
        let (Some(trace), [call]) = (evaluator.decide_in_session(&calls, at), calls.as_slice()) else { return Ok(()) };
        if !self.require_ask(trace.verdict.outcome, question)? {
            return Ok(());
        }
        self.find_rules(&trace.verdict, evaluator.decide(&calls, at).as_ref());
        let placed = (call, at, evaluator.facts());
        let mut allows = evaluator.chain.view().tool_allows(&trace.verdict, placed, trace.analysis.as_deref(), given);
        allows.retain(|allow| self.of_session.is_empty() || !allow.arguments.is_empty());
        let title = |allow: &Allow| match allow.arguments.is_empty() {
            true => format!("every call of `{}`", plain(&allow.tool)),
            false => {
                let all = allow.arguments.iter().map(|(name, value)| format!("`{name}` = `{value}`"));
                format!("calls of `{}` with {}", plain(&allow.tool), plain(&all.collect::<Vec<_>>().join(" and ")))
            }
        };
        if !allows.is_empty() {
            self.obstacle.clear();
        }
        self.offered.extend(allows.into_iter().map(|allow| (title(&allow), Change::Allows(vec![allow]))));
        Ok(())
    }

    /// Adds the settings that change all rules that ask.
    fn add_settings(&mut self, config: &Config, question: &Record, at: &CallContext) {
        let named = self.rules.iter().map(|rule| changeable(rule, config)).collect::<Option<Vec<_>>>();
        let Some(named) = named.filter(|named| !named.is_empty()) else { return };
        let setting = |policy: &str, key, item: &str| Setting { policy: policy.to_owned(), key, item: item.to_owned() };
        if let Some((title, settings)) = narrow(question, at, &named) {
            self.offered.push((title, Change::Settings(settings)));
        }
        if let Some(Setting { policy, .. }) = self.operations.first() {
            let items = self.operations.iter().map(|setting| plain(&setting.item)).collect::<Vec<_>>().join(", ");
            let title = format!("{policy} warns about {items} instead of asking, in every project");
            self.offered.push((title, Change::Settings(std::mem::take(&mut self.operations))));
        }
        let (rules, is_one) = (self.rules.join(" and "), named.len() == 1);
        for (key, done) in [
            ("lower", if is_one { "warns instead of asking" } else { "warn instead of asking" }),
            ("silence", if is_one { "is turned off" } else { "are turned off" }),
        ] {
            let settings = named.iter().map(|(policy, name)| setting(policy, key, name)).collect();
            self.offered.push((format!("{rules} {done}, in every project"), Change::Settings(settings)));
        }
    }

    /// Creates the error if no change avoids the ask.
    fn nothing(&self) -> anyhow::Error {
        let text = format!("no allow can cover `{}`", self.shown);
        let held = self.rules.iter().any(|rule| rule.starts_with(SELF_PROTECT));
        let hint = match held {
            true => "no allow ends this question, because it protects guard-host itself".to_owned(),
            false if self.rules.is_empty() => self.obstacle.clone(),
            false if self.is_of_project => {
                format!("{}; {} asks in this project's .guard/guard.toml", self.obstacle, self.rules.join(", "))
            }
            false => format!("{}. No setting in your guard.toml changes {}", self.obstacle, self.rules.join(", ")),
        };
        let hint = match self.forgetting() {
            Some(forgetting) => format!("{hint}. {forgetting}"),
            None => hint,
        };
        exit_error(Exit::NoQuestion, text, hint)
    }

    /// Returns how to end asks for the session of the call alone, if they come from its earlier calls.
    fn forgetting(&self) -> Option<String> {
        if self.of_session.is_empty() || self.session.is_empty() {
            return None;
        }
        let rules = self.of_session.join(" and ");
        let session = word(&plain(&self.session));
        Some(format!("to forget the earlier calls behind {rules}: guard-host session clear --session {session}"))
    }

    /// Shows the choices, and lets the person choose one.
    pub(super) fn pick(
        &self,
        args: &AllowArgs,
        dirs: &AppDirs,
        environment: &Environment,
    ) -> anyhow::Result<Option<&Change>> {
        let first = self.offered.first().map(|(_, change)| change);
        let number = match args.choose {
            None if args.yes => match first {
                Some(Change::Allows(_)) => Some(1),
                _ => {
                    let hint =
                        format!("{}; other options for `--choose`:\n{}", self.obstacle, self.titles().join("\n"));
                    return Err(exit_error(Exit::NoQuestion, format!("no allow can cover `{}`", self.shown), hint));
                }
            },
            chosen => chosen,
        };
        if let Some(number) = number.filter(|number| !(1..=self.offered.len()).contains(number)) {
            return Err(self.no_option(&number.to_string()));
        }
        let is_chosen = |at: usize| number.is_none_or(|number| number == at);
        print::line(&format!("`{}` needs confirmation because of {}", self.shown, self.rules.join(", ")))?;
        if !self.obstacle.is_empty() {
            print::line(&format!("no allow covers it: {}", self.obstacle))?;
        }
        if let Some(part) = &self.part {
            let command = quoted(part);
            print::line(&format!("one part can be allowed, for calls of its own: guard-host allow {command}"))?;
        }
        if let Some(forgetting) = self.forgetting() {
            print::line(&forgetting)?;
        }
        let others = Others::read(&self.own, dirs, environment)?;
        let mut evaluators = Evaluators::new(dirs, environment);
        for (at, (title, change)) in (1..).zip(&self.offered).filter(|(at, _)| is_chosen(*at)) {
            print::line(&format!("\n{at}  {title}"))?;
            self.show(change, &others, &mut evaluators)?;
        }
        print::line("")?;
        let chosen = match number {
            Some(number) if args.yes || is_agreed(&format!("Write it into {}?", dirs.config.display()))? => number,
            Some(_) => return Ok(None),
            None => {
                let last = self.offered.len();
                let answer =
                    answer(&format!("Add which entry to {}? [1-{last}, Enter for none]", dirs.config.display()))?;
                match answer.as_str() {
                    "" | "n" | "no" => return Ok(None),
                    "y" | "yes" => 1,
                    answer => answer.parse().map_err(|_| self.no_option(answer))?,
                }
            }
        };
        let found = chosen.checked_sub(1).and_then(|index| self.offered.get(index));
        found.map(|(_, change)| Some(change)).ok_or_else(|| self.no_option(&chosen.to_string()))
    }

    /// Shows a change, what it covers, and which other calls it affects.
    fn show(&self, change: &Change, others: &Others<'_>, evaluators: &mut Evaluators<'_>) -> anyhow::Result<()> {
        let mut loosened = Vec::new();
        let passing = match change {
            Change::Allows(allows) => {
                allows.iter().try_for_each(|allow| print::line(&indented(&plain(block(allow, "\n").trim_end()))))?;
                others.passing(allows, evaluators)?
            }
            Change::CopyInstead => {
                print::line(&format!("   {INSTEAD_OF_ASK}"))?;
                others.recoverable(evaluators)?
            }
            Change::Settings(settings) => {
                settings.iter().try_for_each(show_setting)?;
                let is_of_rule =
                    |setting: &Setting| self.rules.iter().any(|rule| rule.ends_with(&format!(":{}", setting.item)));
                let passing;
                (passing, loosened) = match settings.iter().all(is_of_rule) {
                    true => (others.asked_by(&self.rules), others.denied_by(&self.rules)),
                    false => others.loosened_by(settings)?,
                };
                passing
            }
        };
        let always = match change {
            Change::Allows(_) if !self.of_session.is_empty() => ", whatever the session did before",
            _ => "",
        };
        for kind in covers(change) {
            print::line(&format!("   covers {kind}{always}"))?;
        }
        print::line(&format!(
            "   would also allow {} of {} other calls (from your log and the policies' examples)",
            passing.len(),
            others.count()
        ))?;
        list(&passing)?;
        if loosened.is_empty() {
            return Ok(());
        }
        print::line(&format!("   would also loosen {} of {} denials", loosened.len(), others.denied.len()))?;
        list(&loosened)
    }

    fn no_option(&self, answer: &str) -> anyhow::Error {
        let hint = format!("the options are:\n{}", self.titles().join("\n"));
        exit_error(Exit::Usage, format!("there is no option {}; nothing was changed", plain(answer)), hint)
    }

    fn titles(&self) -> Vec<String> {
        (1..).zip(&self.offered).map(|(at, (title, _))| format!("{at}  {title}")).collect()
    }
}

/// The prefix of rules that depend on earlier calls of a session.
const OF_SESSION: &str = "session-guard:";

/// A rule of another policy that does.
const RECONNAISSANCE: &str = "intrusion-guard:reconnaissance";

/// Returns the policy and name of a rule whose outcome can be changed in the user's settings.
fn changeable<'a>(rule: &'a str, config: &Config) -> Option<(&'a str, &'a str)> {
    let (policy, name) = rule.split_once(':').filter(|_| !rule.starts_with(SELF_PROTECT))?;
    // A project's entry may have the same name as one of the user's, and then both ask.
    let mut entries = config.entries.iter().filter(|entry| entry.name == policy).peekable();
    entries.peek()?;
    entries.all(|entry| has_settings(entry) && config.may_loosen(Layer::User, entry)).then_some((policy, name))
}

/// Creates the error for a rule of a built-in policy that isn't in the chain. The ask came from a hook with only that
/// policy, which ignores allows.
fn missing_rule_error(rule: &str, config: &Config) -> Option<anyhow::Error> {
    let (policy, _) = rule.split_once(':')?;
    let builtin = guard_builtins::find(policy).filter(|_| config.entries.iter().all(|entry| entry.name != policy))?;
    let hint = match builtin.settings_file {
        Some(file) => format!("change its settings in {file}, or in the folder `config` next to its script"),
        None => format!("give it settings in a `[[policy]]` named `{policy}` of your guard.toml"),
    };
    Some(exit_error(
        Exit::NoQuestion,
        format!("`{policy}` isn't in your chain: only a hook that names it evaluates it"),
        hint,
    ))
}

/// Prints a setting as it is written in the file.
fn show_setting(Setting { policy, key, item }: &Setting) -> anyhow::Result<()> {
    let item = plain(item);
    print::line(&format!("   [[policy]] name = \"{policy}\", settings = {{ {key} = [\"{item}\"] }}"))
}

/// Describes what allows cover.
fn title(allows: &[Allow]) -> String {
    let one = |allow: &Allow| {
        let words = plain(&allow.command.join(" "));
        let effects = match allow.effects.as_slice() {
            [effect] => format!("effect {effect}"),
            effects => format!("effects {}", effects.join(", ")),
        };
        match (allow.effects.is_empty(), allow.targets.is_empty()) {
            (true, _) => format!("`{words}` on {}", plain(&allow.targets.join(", "))),
            (false, true) => format!("any `{words}` with only the {effects}"),
            (false, false) => {
                format!("any `{words}` with only the {effects} on {}", plain(&allow.targets.join(", ")))
            }
        }
    };
    allows.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// Prints the first of these calls.
fn list(calls: &[String]) -> anyhow::Result<()> {
    calls.iter().take(SHOWN).try_for_each(|line| print::line(&format!("     {line}")))?;
    match calls.len().checked_sub(SHOWN) {
        None | Some(0) => Ok(()),
        Some(more) => print::line(&format!("     and {more} more")),
    }
}

fn indented(block: &str) -> String {
    block.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
}

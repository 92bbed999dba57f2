//! [`CallView`]: the call as the rules see it, and [`Hit`]: a rule's finding.
//!
//! Facts that most calls don't need are requested on demand. Makes no decisions.

use std::cell::{OnceCell, RefCell};

use guard_sdk::NameList;
use guard_sdk::syntax::{Analysis, Command, Effect, ScriptPlace, Severity};
use guard_sdk::{Call, Facts, Finding, Outcome, ResolvedPath, Rule};

use crate::Settings;
use crate::settings::Names;

/// The maximum length of a command in a message, in characters.
const SHOWN: usize = 299;

/// The maximum length of a target in a message, in characters.
const NAMED: usize = 120;

/// The maximum number of statements, and of a command's operands, that are examined for a message.
const STATEMENTS: usize = 64;

/// The call as the rules see it.
pub(crate) struct CallView<'a> {
    pub(crate) analysis: &'a Analysis,
    pub(crate) settings: &'a Settings,
    call: &'a Call<'a>,
    facts: OnceCell<Facts>,
    raw_text: OnceCell<String>,
    text: OnceCell<String>,
    /// The last text that was shown, and its command: a long command has many effects.
    shown: RefCell<Option<(u32, String)>>,
}

impl<'a> CallView<'a> {
    pub(crate) fn new(call: &'a Call<'a>, analysis: &'a Analysis, settings: &'a Settings) -> Self {
        CallView {
            analysis,
            settings,
            call,
            facts: OnceCell::new(),
            raw_text: OnceCell::new(),
            text: OnceCell::new(),
            shown: RefCell::new(None),
        }
    }

    /// The context of the call.
    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| self.call.context())
    }

    /// Resolves a path of the machine.
    pub(crate) fn resolve(&self, path: &str) -> ResolvedPath {
        self.call.resolve(path)
    }

    /// Returns the call's command as written. Empty if the tool has none.
    pub(crate) fn raw_text(&self) -> &str {
        self.raw_text.get_or_init(|| {
            let input = self.call.input().unwrap_or_default();
            let text = ["command", "code"].iter().find_map(|key| input.get(*key)?.as_str());
            text.unwrap_or_default().to_owned()
        })
    }

    /// Returns the call's command with each run of white space replaced by a space.
    pub(crate) fn text(&self) -> &str {
        self.text.get_or_init(|| join_lines(self.raw_text()))
    }

    /// Returns the command of an effect.
    pub(crate) fn command(&self, effect: &Effect) -> Option<&Command> {
        self.command_by_id(effect.command_id)
    }

    /// Returns the command with this id. Commands are sorted by id.
    pub(crate) fn command_by_id(&self, id: u32) -> Option<&Command> {
        let commands = &self.analysis.commands;
        let place = commands.binary_search_by_key(&id, |command| command.id).ok()?;
        commands.get(place)
    }

    /// Returns the part of the call to show: all of it if it is short, otherwise the command.
    fn excerpt(&self, command_id: u32) -> String {
        let mut last = self.shown.borrow_mut();
        if let Some((_, text)) = last.as_ref().filter(|(id, _)| *id == command_id) {
            return text.clone();
        }
        let text = self.text();
        let in_file = self.command_by_id(command_id).and_then(|command| self.describe_file_command(command));
        let shown = if let Some(shown) = in_file {
            shown
        } else if text.chars().nth(SHOWN).is_none() && !text.is_empty() {
            format!("`{text}`")
        } else {
            let command = self.command_by_id(command_id).map(|command| match self.call.tool() {
                "PowerShell" => self.powershell_statement(command),
                _ => join_lines(&command.text()),
            });
            format!("`{}`", cut(command.as_deref().unwrap_or(text), SHOWN))
        };
        *last = Some((command_id, shown.clone()));
        shown
    }

    /// Returns the PowerShell statement of a command, which the analysis translates to bash: the statement that
    /// contains the most of the command's operands.
    fn powershell_statement(&self, command: &Command) -> String {
        let operands = || command.argv.iter().skip(1).filter(|word| !word.text.starts_with('-')).take(STATEMENTS);
        // Tests and output name the same things.
        let does = |statement: &str| {
            let first = statement.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
            !matches!(first.as_str(), "if" | "elseif" | "while") && !first.starts_with("write-")
        };
        let shared = |statement: &&str| {
            let slashed = statement.replace('\\', "/");
            let count = operands().filter(|word| slashed.contains(&word.text)).count();
            (count, does(statement))
        };
        let statements: Vec<&str> = self.raw_text().split(['\n', ';', '{', '}']).take(STATEMENTS).collect();
        let best = statements.into_iter().rev().max_by_key(shared).filter(|best| shared(best).0 > 0);
        best.map_or_else(|| self.text().to_owned(), join_lines)
    }

    /// Returns a command in a file that the call runs, with its location.
    fn describe_file_command(&self, command: &Command) -> Option<String> {
        let ScriptPlace { path, line } = command.script()?;
        if line.is_none() && command.word(1) == "-" {
            // Code in another language is shown by the command that runs it. A parent has a smaller id.
            return self
                .describe_file_command(self.command_by_id(command.parent).filter(|parent| parent.id < command.id)?);
        }
        let text = join_lines(&command.text());
        // The call itself wrote the file.
        if line.is_none() && self.text().contains(&text) {
            return None;
        }
        let root = format!("{}/", self.facts().project_root.trim_end_matches('/'));
        let path = path.strip_prefix(&root).unwrap_or(path);
        let line = line.map_or_else(String::new, |line| format!(" line {line}"));
        Some(format!("`{path}`{line}: `{}`", cut(&text, SHOWN)))
    }
}

/// Whether a copy restores what an effect loses, in ascending order of severity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Recovery {
    Recoverable,
    Partly,
    Not,
}

impl Recovery {
    /// The host's answer. Without one, the effect loses nothing.
    fn from_effect(effect: &Effect) -> Self {
        match effect.tag("recovery") {
            None | Some("recoverable") => Recovery::Recoverable,
            Some("partly") => Recovery::Partly,
            Some(_) => Recovery::Not,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Recovery::Recoverable => "recoverable",
            Recovery::Partly => "partly",
            Recovery::Not => "not",
        }
    }
}

/// A rule's hit on a call.
pub(crate) struct Hit {
    outcome: Outcome,
    command_id: u32,
    kind: String,
    operation: String,
    /// The severity of the effect's loss, by which several hits are sorted in the message. `None` for a command.
    severity: Option<Severity>,
    /// A clause, split at the name in it.
    why: [String; 2],
    name: Option<String>,
    /// Whether the clause already includes the rule's summary.
    is_plain: bool,
    remedy: String,
    path: Option<String>,
    is_subject: bool,
    tags: Vec<(&'static str, String)>,
    recovery: Option<Recovery>,
}

impl Hit {
    /// Creates a hit by an effect. `why` is a clause with the action and the reason.
    pub(crate) fn new(outcome: Outcome, effect: &Effect, why: impl Into<String>, remedy: impl Into<String>) -> Self {
        let hit = Self::for_command(outcome, effect.command_id, why, remedy);
        let (kind, operation, severity) = (effect.kind.clone(), effect.operation.clone(), Some(effect.severity));
        Hit { kind, operation, severity, ..hit }
    }

    /// Creates a hit by a command, or by the whole call with the id 0.
    pub(crate) fn for_command(
        outcome: Outcome,
        command_id: u32,
        why: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Hit {
            outcome,
            command_id,
            kind: String::new(),
            operation: String::new(),
            severity: None,
            why: [why.into(), String::new()],
            name: None,
            is_plain: false,
            remedy: remedy.into(),
            path: None,
            is_subject: false,
            tags: Vec::new(),
            recovery: None,
        }
    }

    /// Appends a name and the text after it. Hits that differ only in the name are merged.
    pub(crate) fn naming(mut self, name: impl Into<String>, rest: impl Into<String>) -> Self {
        let [_, behind] = &mut self.why;
        *behind = rest.into();
        self.name = Some(name.into());
        self
    }

    /// Omits the rule's summary from the message.
    pub(crate) fn without_summary(mut self) -> Self {
        self.is_plain = true;
        self
    }

    /// Sets the file of the hit. Hits that differ only in the file are merged.
    pub(crate) fn path(mut self, path: &str) -> Self {
        self.path = Some(path.to_owned());
        self
    }

    /// Sets the file of the hit, and lets the host merge it with other policies' findings about that file.
    pub(crate) fn subject(self, path: &str) -> Self {
        Hit { is_subject: true, ..self.path(path) }
    }

    pub(crate) fn tag(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.tags.push((name, value.into()));
        self
    }

    /// Marks the effect's loss as the only reason for the hit.
    pub(crate) fn with_loss(self, effect: &Effect) -> Self {
        Hit { recovery: Some(Recovery::from_effect(effect)), ..self }
    }

    /// Returns the finding of `rule` with the outcome that the settings give it. `None` if they silence it.
    pub(crate) fn into_merged_finding(self, rule: &Rule, class: &str, view: &CallView<'_>) -> Option<MergedFinding> {
        let names = Names { rule: rule.id, class, kind: &self.kind, operation: &self.operation };
        let outcome = view.settings.adjust(&names, self.outcome)?;
        let shown = view.excerpt(self.command_id);
        let summary = if self.is_plain { String::new() } else { format!(" ({})", rule.summary) };
        let opening = match outcome {
            Outcome::Deny => format!("Dangerous command: {shown}{summary}: "),
            Outcome::Ask => format!("{shown} needs confirmation{summary}: "),
            _ => format!("{shown}{summary}: "),
        };
        let [before, behind] = self.why;
        Some(MergedFinding {
            outcome,
            before: opening + &before,
            names: self.name.into_iter().collect(),
            behind,
            remedy: self.remedy,
            first_path: self.path.clone(),
            paths: self.path.into_iter().collect(),
            is_subject: self.is_subject,
            severity: self.severity,
            tags: self.tags,
            recovery: self.recovery,
        })
    }
}

/// The finding for one hit, or for several that differ only in the names.
pub(crate) struct MergedFinding {
    outcome: Outcome,
    before: String,
    names: NameList,
    behind: String,
    remedy: String,
    first_path: Option<String>,
    paths: NameList,
    is_subject: bool,
    severity: Option<Severity>,
    tags: Vec<(&'static str, String)>,
    recovery: Option<Recovery>,
}

impl MergedFinding {
    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// Returns whether the findings differ only in the names.
    pub(crate) fn is_like(&self, other: &MergedFinding) -> bool {
        let texts = |finding: &MergedFinding| {
            (finding.outcome, finding.is_subject, finding.names.is_empty(), finding.first_path.is_none())
        };
        texts(self) == texts(other)
            && (&self.before, &self.behind, &self.remedy) == (&other.before, &other.behind, &other.remedy)
            && self.tags == other.tags
    }

    /// Adds the other finding's names.
    pub(crate) fn join(&mut self, other: MergedFinding) {
        self.names.extend(&other.names);
        self.paths.extend(&other.paths);
        self.recovery = self.recovery.max(other.recovery);
    }

    pub(crate) fn into_finding(self, rule: &Rule) -> Finding {
        let message = format!("{}{}{}", self.before, self.names, self.behind);
        let finding = Finding::new(rule, message).at(self.outcome).remedy(self.remedy);
        let finding = self.tags.into_iter().fold(finding, |finding, (name, value)| finding.tag(name, value));
        let finding =
            self.recovery.into_iter().fold(finding, |finding, recovery| finding.tag("recovery", recovery.name()));
        let severity = self.severity.filter(|_| self.outcome == Outcome::Ask).map(|severity| match severity {
            Severity::Routine => "routine",
            Severity::Notable => "notable",
            Severity::Destructive => "destructive",
            Severity::Catastrophic => "catastrophic",
        });
        let finding = severity.into_iter().fold(finding, |finding, severity| finding.tag("severity", severity));
        let Some(path) = self.first_path else { return finding };
        let finding = finding.tag("path", path);
        if self.is_subject { finding.tag("subject", self.paths.to_string()) } else { finding }
    }
}

/// Returns the alternative to the effect, or the step before it, from the program tables.
pub(crate) fn alternative<'e>(effect: &'e Effect, otherwise: &'e str) -> &'e str {
    effect.tag("instead").unwrap_or(otherwise)
}

/// Shortens a target or a reason for a message.
pub(crate) fn shorten(text: &str) -> String {
    cut(text, NAMED)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

pub(crate) fn join_lines(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

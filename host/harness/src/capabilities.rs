//! [`Capabilities`]: what each harness supports in a reply, and how it reacts to a reply, to silence and to failures.
//! Data only.
//!
//! A reply follows from the verdict and from this table, in [`response`](super::response). Registration, `doctor` and
//! the documentation use the table too. The adapters define the bytes of replies.

mod assistants;
mod editors;
mod plugins;
mod terminals;

pub use assistants::HERMES;
pub use editors::{CLINE, CURSOR, VSCODE, WINDSURF};
pub use plugins::{AMP, GENERIC, KILO, OPENCLAW, OPENCODE, PI};
pub use terminals::{ANTIGRAVITY, CLAUDE, CODEX, COPILOT, CRUSH, DEVIN, DROID, GEMINI, GROK, KIMI, KIRO, QWEN, VIBE};

/// The capabilities of one harness.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Capabilities {
    /// The name on the command line, in the audit log and for policies.
    pub name: &'static str,
    /// The vendor's name for it.
    pub title: &'static str,
    /// The places where it accepts replies. The first one decides the usual tool call.
    pub surfaces: &'static [Surface],
    /// The permission modes in payloads. In any other mode, the harness may or may not prompt.
    pub modes: &'static [(&'static str, Prompting)],
    /// The variables with the project's root, the harness's own first.
    pub project_variables: &'static [&'static str],
    /// Whether the hook runs in the call's directory, so that its own is used if the payload has none.
    pub runs_in_cwd: bool,
    /// What happens to a call when the hook can't run, or crashes.
    pub on_crash: Fail,
    /// What happens to a call when the hook exits with code 1, which also reports malformed input.
    pub on_exit_one: Fail,
    /// What happens to a call when the hook times out.
    pub on_timeout: Fail,
    /// The default timeout, in milliseconds. `None` if unknown or unlimited.
    pub timeout_ms: Option<u32>,
    /// The files in which hooks are registered.
    pub files: &'static [File],
    /// What happens to a call when the reply has an unknown key.
    pub on_unknown_key: OnUnknownKey,
    /// How reliable this information is.
    pub confidence: Confidence,
    /// Claims that are untested, or on which sources differ.
    pub unverified: &'static [&'static str],
    /// The sources, with dates or versions.
    pub sources: &'static [&'static str],
}

/// One place where a harness accepts a reply: an event, or a way to be called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// The event, as the harness spells it. If one event has two forms, the form's name follows after a space.
    pub event: &'static str,
    /// The harness's reaction to an allow.
    pub on_allow: OnAllow,
    /// The harness's reaction to an ask.
    pub ask: Ask,
    /// Whether a call that runs after an ask was certainly approved by a person.
    pub answered_by_person: bool,
    /// The form of a deny.
    pub deny: Deny,
    /// Whether a reply without a decision may include a message to the model.
    pub tells_model: bool,
    /// Whether a reply without a decision may include a message to the user.
    pub tells_user: bool,
    /// How a reply that allows or asks may replace the call's input.
    pub rewrites: Rewrites,
    /// The form of an abstain.
    pub abstain: Abstain,
    /// The harness's reaction to exit code 0 without output.
    pub on_silence: OnSilence,
    /// Every key that a reply may have, with its parents: `a.b`.
    pub keys: &'static [&'static str],
    /// Every exit code of a reply.
    pub exits: &'static [u8],
}

/// Claude Code's surface for calls for which an ask may not be shown to anyone.
pub const UNASKED: &str = "PreToolUse unasked";

/// Claude Code's surface for an unknown version, which may ignore a rewritten input.
pub const UNKNOWN_VERSION: &str = "PreToolUse unknown version";

/// Same as [`UNKNOWN_VERSION`], if a prompt may not be shown.
pub const UNASKED_UNREWRITTEN: &str = "PreToolUse old version";

/// The surface of an event that the adapter doesn't know. It uses the exit code, which most harnesses read for every
/// event, and the usual reply. Whether it supports prompts is unknown.
static UNKNOWN_EVENT: Surface =
    Surface { deny: Deny::Both, exits: &[0, 2], ..Surface::for_event("an event that isn't known") };

/// Claude Code's surface for a message to the user at the start of a session.
static SESSION_START: Surface =
    Surface { tells_user: true, keys: &["systemMessage"], ..Surface::for_event("SessionStart") };

/// Claude Code's surface for deciding whether a session applies changed settings.
static SETTINGS_CHANGE: Surface =
    Surface { deny: Deny::Both, keys: &["decision", "reason"], exits: &[0, 2], ..Surface::for_event("ConfigChange") };

/// A harness's reaction to an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnAllow {
    /// The call runs without the harness's own prompt.
    SkipsPrompt,
    /// Sources differ on whether the prompt is skipped.
    MaySkipPrompt,
    /// Not supported, or without an effect.
    None,
}

/// A harness's reaction to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// The harness prompts a person. If it can't, the call doesn't run.
    Person,
    /// The harness accepts the word, but a prompt was never observed, or not everywhere. Never used.
    Unproven,
    /// Not supported.
    None,
}

/// How a reply replaces the input of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrites {
    /// Not supported.
    Never,
    /// With the new input alone, or with an ask. The harness's own prompt is unaffected.
    Undecided,
    /// With the new input and an allow, which skips no prompt.
    WithAllow,
}

/// How a reply blocks a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deny {
    /// With the reply on standard output and exit code 0.
    Reply,
    /// With exit code 2 and a text on standard error.
    Exit,
    /// With both, which agree.
    Both,
}

/// How a reply leaves the decision to the harness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abstain {
    /// Without any output.
    Silence,
    /// With this text and a line feed.
    Token(&'static str),
}

/// A harness's reaction to silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSilence {
    /// Its own rules decide, and may prompt.
    OwnRules,
    /// It prompts a person.
    Prompts,
    /// The call runs.
    Runs,
    /// The reply counts as broken, and the result depends on other settings.
    Broken,
}

/// What happens to a call when its hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    /// The call runs as if there were no hook.
    Open,
    /// The call is blocked.
    Closed,
    /// The call runs, unless the registration has this setting.
    Switch(&'static str),
    /// Unknown, or sources differ.
    Unknown,
}

/// What happens to a call when the reply has an unknown key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnknownKey {
    /// The key is ignored.
    Ignored,
    /// The whole reply is ignored, and the call runs.
    Dropped,
    /// The call may be blocked.
    MayBlock,
    /// There are no keys, or the reaction is unknown.
    Unknown,
}

/// How prompts are handled in a permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompting {
    /// A person answers asks.
    Person,
    /// The harness shows no prompts of its own.
    Skips,
    /// An ask blocks, because no person is present.
    Nobody,
}

/// A file, or a folder of files, with registrations. `~` is the home directory, `.` the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// The path.
    pub path: &'static str,
    /// The format of the file.
    pub format: Format,
    /// The calls that it covers.
    pub scope: FileScope,
    /// How reliable this information is.
    pub confidence: Confidence,
}

/// The format of a registration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// An executable script with that name.
    Script,
    /// A plugin for the harness.
    Plugin,
}

/// The calls that a registration covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileScope {
    /// All users' calls on this machine.
    Machine,
    /// This user's calls.
    User,
    /// Calls in one project.
    Project,
}

/// How reliable a piece of information is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// Sources agree, including the vendor's own, or tests have shown it.
    High,
    /// There are few sources, old ones, or none by the vendor.
    Medium,
    /// The sources differ or are missing.
    Low,
}

/// The surface of a harness without surfaces. Every harness has one.
static NOWHERE: Surface = Surface::for_event("");

impl Capabilities {
    /// Returns how prompts are handled in this mode. `None` if the mode is unknown.
    #[must_use]
    pub fn prompting(&self, mode: &str) -> Option<Prompting> {
        self.modes.iter().find(|(name, _)| *name == mode).map(|(_, prompting)| *prompting)
    }

    /// Returns the surface that decides the usual tool call.
    #[must_use]
    pub fn usual_surface(&self) -> &'static Surface {
        self.surfaces.first().unwrap_or(&NOWHERE)
    }

    /// Returns the surface of this event, or the usual one if it has none.
    #[must_use]
    pub fn surface(&self, event: &str) -> &'static Surface {
        self.surfaces.iter().find(|surface| surface.event == event).unwrap_or_else(|| self.usual_surface())
    }

    /// Returns whether the event has a surface.
    #[must_use]
    pub fn has(&self, event: &str) -> bool {
        self.surfaces.iter().any(|surface| surface.event == event)
    }
}

impl Surface {
    /// Returns the surface for the start of a session.
    pub(crate) fn session_start() -> &'static Surface {
        &SESSION_START
    }

    /// Returns the surface for a change of settings.
    pub(crate) fn settings_change() -> &'static Surface {
        &SETTINGS_CHANGE
    }

    /// Returns the surface that replaces this one for an event that the adapter doesn't know.
    #[must_use]
    pub fn for_unknown_event(&'static self) -> &'static Surface {
        // If a decision is expected for every call, the usual reply contains it.
        if self.abstain == Abstain::Silence { &UNKNOWN_EVENT } else { self }
    }

    /// Creates a surface with default properties: it blocks with a reply, and silence leaves the decision to the
    /// harness.
    const fn for_event(event: &'static str) -> Self {
        Surface {
            event,
            on_allow: OnAllow::None,
            ask: Ask::None,
            answered_by_person: false,
            deny: Deny::Reply,
            tells_model: false,
            tells_user: false,
            rewrites: Rewrites::Never,
            abstain: Abstain::Silence,
            on_silence: OnSilence::OwnRules,
            keys: &[],
            exits: &[0],
        }
    }
}

const fn file(path: &'static str, format: Format, scope: FileScope, confidence: Confidence) -> File {
    File { path, format, scope, confidence }
}

/// All harnesses, sorted by name.
pub static ALL: &[&Capabilities] = &[
    &AMP,
    &ANTIGRAVITY,
    &CLAUDE,
    &CLINE,
    &CODEX,
    &COPILOT,
    &CRUSH,
    &CURSOR,
    &DEVIN,
    &DROID,
    &GEMINI,
    &GENERIC,
    &GROK,
    &HERMES,
    &KILO,
    &KIMI,
    &KIRO,
    &OPENCLAW,
    &OPENCODE,
    &PI,
    &QWEN,
    &VIBE,
    &VSCODE,
    &WINDSURF,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_are_in_order_and_each_stands_once() {
        let names: Vec<&str> = ALL.iter().map(|capabilities| capabilities.name).collect();
        let mut sorted = names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(names, sorted);
    }

    #[test]
    fn a_surface_agrees_with_itself() {
        for (capabilities, surface) in
            ALL.iter().flat_map(|capabilities| capabilities.surfaces.iter().map(move |each| (capabilities, each)))
        {
            let about = format!("{} {}", capabilities.name, surface.event);
            let exits: &[u8] = if surface.deny == Deny::Reply { &[0] } else { &[0, 2] };
            assert_eq!(surface.exits, exits, "{about}");
            // A surface that only uses exit codes has no keys, doesn't support asks, and abstains silently.
            if surface.deny == Deny::Exit {
                assert!(surface.keys.is_empty() && surface.ask == Ask::None && !surface.tells_user, "{about}");
                assert_eq!(surface.abstain, Abstain::Silence, "{about}");
            } else {
                assert!(!surface.keys.is_empty(), "{about}");
            }
            // Only an ask can be answered.
            assert!(surface.ask == Ask::Person || !surface.answered_by_person, "{about}");
            // If silence counts as a broken reply, or lets the call run, an abstain must be explicit.
            let speaks = matches!(surface.on_silence, OnSilence::Broken | OnSilence::Runs);
            assert_eq!(speaks, surface.abstain != Abstain::Silence, "{about}");
            for key in surface.keys {
                let within = key.rsplit_once('.').map(|(within, _)| within);
                assert!(within.is_none_or(|within| surface.keys.contains(&within)), "{about}: {key}");
            }
        }
    }

    #[test]
    fn what_is_not_known_for_sure_says_what_that_is() {
        for capabilities in ALL {
            assert!(!capabilities.surfaces.is_empty() && !capabilities.sources.is_empty(), "{}", capabilities.name);
            let sure = capabilities.confidence == Confidence::High;
            assert!(sure || !capabilities.unverified.is_empty(), "{}", capabilities.name);
        }
    }
}

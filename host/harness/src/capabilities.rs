//! [`Capabilities`]: what each harness can be told, and what it makes of a reply, a silence or a failure. Data.
//!
//! What a reply says follows from the verdict and from this table, in [`said`](super::said). Registration, `doctor`
//! and the documentation read it too. How the bytes look is the adapters' business.

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
    /// The name on the command line, in the audit log and in what policies are told.
    pub name: &'static str,
    /// The name that its vendor gives it.
    pub title: &'static str,
    /// Where it takes replies. The first is the one that decides the usual tool call.
    pub surfaces: &'static [Surface],
    /// Permission modes that a payload can name. A mode that is not here may ask a person or not.
    pub modes: &'static [(&'static str, Prompting)],
    /// Variables that name the project's root, the harness's own first.
    pub project_variables: &'static [&'static str],
    /// The hook runs in the directory of the call, so that its own stands for one that the payload lacks.
    pub runs_in_cwd: bool,
    /// The outcome of a call when the hook cannot run, or dies.
    pub on_crash: Fail,
    /// The outcome of a call when the hook ends with exit code 1, which is also a report of malformed input.
    pub on_exit_one: Fail,
    /// The outcome of a call when the hook takes too long.
    pub on_timeout: Fail,
    /// How long it waits if nothing is said about that, in milliseconds; `None`: unknown or without bound.
    pub timeout_ms: Option<u32>,
    /// Where hooks are registered.
    pub files: &'static [File],
    /// The outcome of a call when the reply has a key that the harness does not know.
    pub on_unknown_key: OnUnknownKey,
    /// How far this is known.
    pub confidence: Confidence,
    /// Claims that are untested, or on which sources differ.
    pub unverified: &'static [&'static str],
    /// Where this is known from, and of what date or version.
    pub sources: &'static [&'static str],
}

/// One place where a harness takes a reply: an event, or a way to be called.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Surface {
    /// The event, as the harness spells it; where one event has two forms, the form's name follows a blank.
    pub event: &'static str,
    /// The harness's reaction to an allow.
    pub on_allow: OnAllow,
    /// The harness's reaction to an ask.
    pub ask: Ask,
    /// A call that runs after an ask was let run by a person, and can't have been by anything else.
    pub answered_by_person: bool,
    /// The form of a deny.
    pub deny: Deny,
    /// Whether a reply without a decision may include a message to the model.
    pub tells_model: bool,
    /// Whether a reply without a decision may include a message to the user.
    pub tells_user: bool,
    /// How a reply that lets the call run, or asks, may replace its input.
    pub rewrites: Rewrites,
    /// The form of an abstain.
    pub abstain: Abstain,
    /// The harness's reaction to exit code 0 without a byte.
    pub on_silence: OnSilence,
    /// Every key that a reply may hold, with those it lies in: `a.b`.
    pub keys: &'static [&'static str],
    /// Every exit code of a reply.
    pub exits: &'static [u8],
}

/// The surface of Claude Code for calls about which nobody may see an ask.
pub const UNASKED: &str = "PreToolUse unasked";

/// The surface of Claude Code for an unknown version, which may ignore a rewritten input.
pub const UNKNOWN_VERSION: &str = "PreToolUse unknown version";

/// The same if a prompt may not be shown.
pub const UNASKED_UNREWRITTEN: &str = "PreToolUse old version";

/// Where the reply to an event is taken that the adapter doesn't know: by the exit code, which most harnesses read for
/// every event, and by the usual reply. Nobody knows whether it can ask.
static UNKNOWN_EVENT: Surface =
    Surface { deny: Deny::Both, exits: &[0, 2], ..Surface::named("an event that isn't known") };

/// Where Claude Code takes a line that the user is shown when a session begins.
static SESSION_START: Surface =
    Surface { tells_user: true, keys: &["systemMessage"], ..Surface::named("SessionStart") };

/// Where Claude Code takes whether a session applies settings that have changed.
static SETTINGS_CHANGE: Surface =
    Surface { deny: Deny::Both, keys: &["decision", "reason"], exits: &[0, 2], ..Surface::named("ConfigChange") };

/// A harness's reaction to an allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnAllow {
    /// The call runs without the harness's own prompt.
    SkipsPrompt,
    /// Sources differ on whether the prompt is skipped.
    MaySkipPrompt,
    /// There is none, or it changes nothing.
    None,
}

/// A harness's reaction to an ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ask {
    /// A person is asked; where none can be, the call does not run.
    Person,
    /// A word for it is accepted, but nobody has seen a person asked, or not everywhere: it is never used.
    Unproven,
    /// There is none.
    None,
}

/// How a reply replaces the input of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rewrites {
    /// It can't.
    Never,
    /// By the new input alone, or beside an ask. The harness's own prompt comes as it would without it.
    Undecided,
    /// By the new input beside an allow, which skips no prompt.
    WithAllow,
}

/// How a harness is told to block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deny {
    /// By the reply on standard output, with exit code 0.
    Reply,
    /// By exit code 2 with a text on standard error.
    Exit,
    /// By both, which agree.
    Both,
}

/// How a harness is told that there is no opinion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Abstain {
    /// By nothing at all.
    Silence,
    /// By these bytes and a line feed.
    Token(&'static str),
}

/// A harness's reaction to silence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnSilence {
    /// Its own rules decide, which may ask a person and may not.
    OwnRules,
    /// A person is asked.
    Prompts,
    /// The call runs.
    Runs,
    /// It counts as a broken reply, and then it depends.
    Broken,
}

/// The outcome of a call when its hook fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fail {
    /// It goes on as if there were no hook.
    Open,
    /// It is blocked.
    Closed,
    /// It goes on, unless the registration says otherwise with this.
    Switch(&'static str),
    /// Nobody knows, or sources differ.
    Unknown,
}

/// The outcome of a call when the reply has a key that the harness does not know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnknownKey {
    /// The key is passed over.
    Ignored,
    /// The reply counts for nothing, and the call goes on.
    Dropped,
    /// The call may be blocked.
    MayBlock,
    /// There are no keys, or nobody knows.
    Unknown,
}

/// The handling of prompts in a permission mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompting {
    /// An ask is put to a person.
    Person,
    /// The harness shows no prompts of its own.
    Skips,
    /// An ask blocks: there is nobody.
    Nobody,
}

/// A file, or a folder of files, in which hooks are registered. `~` is the home directory, `.` the project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct File {
    /// Where it is.
    pub path: &'static str,
    /// The format of the file.
    pub format: Format,
    /// Whose calls it is for.
    pub scope: FileScope,
    /// How far this is known.
    pub confidence: Confidence,
}

/// How a registration is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// JSON.
    Json,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
    /// An executable script of that name.
    Script,
    /// A program of the harness's plugin interface.
    Plugin,
}

/// Whose calls a registration is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileScope {
    /// Everybody's on this machine.
    Machine,
    /// This user's.
    User,
    /// Calls in one project.
    Project,
}

/// How far something is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// Sources agree, and the vendor's own is among them, or runs have shown it.
    High,
    /// There are few sources, old ones, or none of the vendor's.
    Medium,
    /// Sources differ, or there is none.
    Low,
}

/// The surface of a harness that has none, of which there is no such one.
static NOWHERE: Surface = Surface::named("");

impl Capabilities {
    /// Returns the handling of prompts in this mode, or `None` if it is not known.
    #[must_use]
    pub fn prompting(&self, mode: &str) -> Option<Prompting> {
        self.modes.iter().find(|(name, _)| *name == mode).map(|(_, prompting)| *prompting)
    }

    /// Where the usual tool call is decided.
    #[must_use]
    pub fn usual(&self) -> &'static Surface {
        self.surfaces.first().unwrap_or(&NOWHERE)
    }

    /// The surface of this event; the usual one if it has none.
    #[must_use]
    pub fn surface(&self, event: &str) -> &'static Surface {
        self.surfaces.iter().find(|surface| surface.event == event).unwrap_or_else(|| self.usual())
    }

    /// The event has a surface.
    #[must_use]
    pub fn has(&self, event: &str) -> bool {
        self.surfaces.iter().any(|surface| surface.event == event)
    }
}

impl Surface {
    /// The surface for the start of a session.
    pub(crate) fn session_start() -> &'static Surface {
        &SESSION_START
    }

    /// The surface for a change of settings.
    pub(crate) fn settings_change() -> &'static Surface {
        &SETTINGS_CHANGE
    }

    /// The surface in this one's place for an event that the adapter doesn't know.
    #[must_use]
    pub fn for_unknown_event(&'static self) -> &'static Surface {
        // Where a word is expected for every call, the usual reply has it.
        if self.abstain == Abstain::Silence { &UNKNOWN_EVENT } else { self }
    }

    /// A surface of which nothing is said but its name: it blocks by a reply, and silence leaves the call to the harness.
    const fn named(event: &'static str) -> Self {
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

/// All harnesses, in the order of their names.
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
            // What speaks by its exit code alone has no key, can ask nobody and is silent about everything else.
            if surface.deny == Deny::Exit {
                assert!(surface.keys.is_empty() && surface.ask == Ask::None && !surface.tells_user, "{about}");
                assert_eq!(surface.abstain, Abstain::Silence, "{about}");
            } else {
                assert!(!surface.keys.is_empty(), "{about}");
            }
            // Only an ask can be answered.
            assert!(surface.ask == Ask::Person || !surface.answered_by_person, "{about}");
            // Where silence is a broken reply, or lets the call run, something has to be said.
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

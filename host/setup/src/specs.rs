//! [`RegistrationSpec`]: the registration of one harness's hooks as data, and the `Registration` for all of them.
//!
//! `capabilities` describes how a harness interprets a reply. `page` generates `docs/harness-details.md` from both. A
//! new harness needs one more [`RegistrationSpec`]. Claude Code has its own registration, because it has plugins and
//! scripts besides its settings.

mod approvals;
mod edits;
mod files;
mod json;
mod lists;
#[cfg(test)]
mod page;
mod plugins;
mod registration;
mod survey;
mod tables;

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::command::{self, ProgramNames, arguments, closed, replying, tested, text};
use super::entries::Item;
use super::matcher::Matching;
use crate::install::json::Syntax;
use crate::install::{FailureBehavior, HookLocation, InstallError, InstallOptions, Scope};
use guard_harness::capabilities::{Capabilities, Confidence, Fail, File, FileScope};
use guard_platform::paths::native;

/// A key of an entry that makes the harness block the call if the line fails.
const CRASHED: &str = "failClosed";

/// The default timeout in a registration, in seconds. The hook itself needs four at most.
const TIMEOUT: u32 = 20;

/// The registration of one harness's hooks.
pub(super) struct RegistrationSpec {
    /// The harness's other capabilities.
    pub(super) capabilities: &'static Capabilities,
    /// The harness's name in the registered command.
    called: &'static str,
    /// The files for this user's calls, as in the capabilities.
    user: &'static [&'static str],
    /// The files for calls in a project.
    project: &'static [&'static str],
    /// A variable, and the folder that its value replaces.
    moved: Option<(&'static str, &'static str)>,
    /// The layout of the files.
    layout: Layout,
    /// The syntax of matchers.
    matching: Matching,
    /// The matcher for all tools.
    all: &'static str,
    unit: TimeoutUnit,
    /// How a hook that can't run blocks the call.
    closing: FailClosed,
    /// The tools that run commands or write files, each with the event before its calls. The first one runs commands.
    tools: &'static [(&'static str, &'static str)],
    /// Creates the payload of a shell command in a directory.
    payload: fn(&str, &Path) -> Value,
    /// The JSON pointer to a reply's decision, the test for a deny, and the pointer to its reason.
    denial: (&'static str, fn(&Value) -> bool, &'static str),
    /// Settings in the harness's files that disable hooks.
    switches: &'static [&'static str],
    /// Conditions for the hook to run, one line each.
    gates: &'static [&'static str],
}

/// The layout of a registration's files.
enum Layout {
    /// A JSON file of the user, with entries below `hooks`.
    Entries {
        syntax: Syntax,
        /// Whether an event has groups of handlers, instead of handlers.
        grouped: bool,
        /// Other values that the file must have.
        beside: &'static [(&'static str, Item)],
        make: fn(&Hook) -> Vec<(&'static str, Item)>,
    },
    /// A JSON file of the user, with everything below one key that names the hook.
    Named(&'static str, fn(&Hook) -> Item),
    /// A TOML file of the user, with tables of this name.
    Tables(&'static str, fn(&Hook) -> Vec<(&'static str, Item)>),
    /// A YAML file of the user, with an item in the list below these keys.
    List([&'static str; 2], fn(&Hook) -> Vec<(&'static str, Item)>),
    /// A JSON file of its own.
    Whole(fn(&Hook) -> Item),
    /// A folder of its own: the name and text of its manifest, and the first line and text of the file that starts the
    /// program.
    Folder { manifest: (&'static str, &'static str), start: &'static str, make: fn(&Hook) -> String },
    /// A file of its own that starts the program: its mode, first line and text.
    Program(u32, &'static str, fn(&Hook) -> String),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeoutUnit {
    Seconds,
    Milliseconds,
    /// The harness has no timeout setting.
    None,
}

impl TimeoutUnit {
    /// Returns the number of units per second.
    fn per_second(self) -> u32 {
        if self == TimeoutUnit::Milliseconds { 1000 } else { 1 }
    }
}

/// How a hook that can't run blocks the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailClosed {
    /// A key of the entry, with this text or `true`.
    Key(&'static str, Option<&'static str>),
    /// The program's own file that starts it.
    Ours,
    /// The shell command line that starts the program. It exits with 2 if the program gives no reply.
    Line,
    /// The command line that starts the program without a shell. It prints a blocking reply if the program gives none.
    Reply,
    /// Not possible in a registration.
    Harness,
}

/// A call of the hook, as written by a registration.
#[derive(Clone)]
struct Hook {
    /// The program and its arguments.
    words: Vec<String>,
    /// The shell command line.
    line: String,
    /// The command line for an event that decides nothing, so it may fail.
    bare: String,
    matcher: String,
    /// The timeout, in the harness's unit.
    timeout: u32,
    /// Whether a hook that can't run blocks the call.
    blocks: bool,
}

/// All specs, sorted by name.
static ALL: &[&RegistrationSpec] = &[
    &plugins::AMP,
    &json::ANTIGRAVITY,
    &plugins::CLINE,
    &json::CODEX,
    &files::COPILOT,
    &json::CRUSH,
    &json::CURSOR,
    &json::DEVIN,
    &json::DROID,
    &json::GEMINI,
    &files::GROK,
    &lists::HERMES,
    &plugins::KILO,
    &tables::KIMI,
    &files::KIRO,
    &plugins::OPENCLAW,
    &plugins::OPENCODE,
    &plugins::PI,
    &json::QWEN,
    &tables::VIBE,
    &files::VSCODE,
    &json::WINDSURF,
];

/// Returns the spec of a harness.
pub(super) fn named(name: &str) -> Option<&'static RegistrationSpec> {
    ALL.iter().copied().find(|spec| spec.capabilities.name == name)
}

impl RegistrationSpec {
    /// Resolves the path of a file.
    fn place(&self, path: &str, site: HookLocation<'_>) -> PathBuf {
        if let Some((variable, folder)) = self.moved
            && let Some(below) = path.strip_prefix(folder)
            && let Some(moved) = site.environment.variables.get(variable).filter(|moved| Path::new(moved).is_absolute())
        {
            return Path::new(moved).join(below.trim_start_matches('/'));
        }
        match path.strip_prefix("~/") {
            Some(below) => native(&site.environment.home).join(below),
            None => site.project.join(path.trim_start_matches("./")),
        }
    }

    /// Returns the file with hooks for every user of this machine, if the harness has one.
    fn managed(&self, site: HookLocation<'_>) -> Option<PathBuf> {
        let is_here = |path: &str| !cfg!(windows) && path.starts_with("/etc/") != cfg!(target_os = "macos");
        let known = |file: &&File| file.scope == FileScope::Machine && file.confidence == Confidence::High;
        let file = self.capabilities.files.iter().filter(known).find(|file| is_here(file.path))?;
        Some(match file.path.strip_prefix("/etc/") {
            Some(below) => site.dirs.machine().join(below),
            None => PathBuf::from(file.path),
        })
    }

    /// Returns the files that the options select, with the folder that their links may not lead out of.
    fn dirs(
        &self,
        options: &InstallOptions,
        site: HookLocation<'_>,
    ) -> Result<Vec<(PathBuf, Option<PathBuf>)>, InstallError> {
        let title = self.capabilities.title;
        let refuse = |text: String| Err(InstallError::Arguments(text));
        for (given, flag) in [
            (options.plugin.is_some(), "--plugin"),
            (options.shim.is_some(), "--shim"),
            (options.hooks_file.is_some(), "--hooks-file"),
        ] {
            if given {
                return refuse(format!("`{flag}` is for Claude Code; {title} has its hooks in one place"));
            }
        }
        if options.shared && options.scope == Some(Scope::User) {
            return refuse("`--shared` is for files that others get; your own settings are not".to_owned());
        }
        if options.managed {
            if options.shared || options.scope.is_some() {
                return refuse("`--managed` names the place; leave `--scope` and `--shared` out".to_owned());
            }
            return match self.managed(site) {
                Some(file) => Ok(vec![(file, None)]),
                None => refuse(format!("{title} has no file with hooks for every user; install it for each user")),
            };
        }
        let project = options.shared || options.scope == Some(Scope::Project);
        if project && self.project.is_empty() {
            return refuse(format!("{title} has no project hooks; leave out `--scope project` and `--shared`"));
        }
        if !project && site.environment.home.is_empty() {
            return refuse("there is no home directory; `--scope project` needs none".to_owned());
        }
        // A repository can contain a link, which must not lead to the user's other files.
        let within = project.then(|| site.project.to_path_buf());
        let paths = if project { self.project } else { self.user };
        Ok(paths.iter().map(|path| (self.place(path, site), within.clone())).collect())
    }

    /// Returns how a hook that can't run blocks the call. On Windows, a line must work in several shells, which have no
    /// common syntax for it.
    fn closing(&self) -> FailClosed {
        match self.closing {
            FailClosed::Line | FailClosed::Reply if cfg!(windows) => FailClosed::Harness,
            closing => closing,
        }
    }

    /// Returns the call of the hook for the options.
    fn hook(&self, options: &InstallOptions, site: HookLocation<'_>) -> Result<Hook, InstallError> {
        let title = self.capabilities.title;
        let refuse = |text: String| Err(InstallError::Arguments(text));
        let program = if options.shared { "guard-host" } else { text(&site.environment.program)? };
        let words: Vec<String> =
            [program.to_owned()].into_iter().chain(arguments(options, site, self.called)?).collect();
        let line = command::line(&words)?;
        let bare = line.clone();
        let closing = self.closing();
        let line = match closing {
            FailClosed::Line if !options.fail_open => closed(&line),
            FailClosed::Reply if !options.fail_open => replying(&line),
            FailClosed::Key(CRASHED, None) if !options.fail_open && !cfg!(windows) => tested(&line),
            _ => line,
        };
        if options.matcher.is_some() && matches!(self.matching, Matching::None | Matching::Fixed) {
            return refuse(format!("{title} asks its hooks by events, not by tools; leave `--matcher` out"));
        }
        if options.timeout.is_some() && self.unit == TimeoutUnit::None {
            return refuse(format!("{title} is told no timeout; leave `--timeout` out"));
        }
        let closes_itself = closing == FailClosed::Line && self.capabilities.on_crash == Fail::Closed;
        if options.fail_open && (closing == FailClosed::Harness || closes_itself) {
            return refuse(format!(
                "{title} has no switch for a hook that cannot run; leave `--fail-open` out ({})",
                self.failing(true).text
            ));
        }
        let names: Vec<&'static str> = self.tools.iter().map(|(name, _)| *name).collect();
        let matcher = options.matcher.clone().unwrap_or_else(|| self.all.to_owned());
        if let Err(error) = self.matching.excluded_tools(&matcher, &names) {
            let names = names.join("|");
            return refuse(format!(
                "`--matcher {matcher}` cannot be read: {error}; name the tools, such as `{names}`, or leave it out"
            ));
        }
        let timeout = options.timeout.unwrap_or(TIMEOUT) * self.unit.per_second();
        Ok(Hook { words, line, bare, matcher, timeout, blocks: !options.fail_open })
    }

    fn names(&self, site: HookLocation<'_>) -> ProgramNames {
        ProgramNames::at(site, self.called, None)
    }

    /// Describes what happens to a call when the hook can't run.
    fn failing(&self, blocks: bool) -> FailureBehavior {
        let title = self.capabilities.title;
        let told = |fail, what: &str| match fail {
            Fail::Open => format!("if the program {what}, {title} lets the call pass unasked"),
            Fail::Closed => format!("if the program {what}, the call is blocked"),
            Fail::Switch(switch) if blocks => format!("if the program {what}, the call is blocked (`{switch}`)"),
            Fail::Switch(switch) => format!("if the program {what}, the call passes unasked (there is no `{switch}`)"),
            Fail::Unknown => format!("if the program {what}, nobody has seen what {title} makes of the call"),
        };
        let crash = match self.closing() {
            FailClosed::Ours if blocks => {
                "if the program is gone or fails, the call is blocked (by the file that starts it)"
            }
            FailClosed::Ours => "if the program is gone or fails, the call passes unasked (by the file that starts it)",
            FailClosed::Line | FailClosed::Reply if blocks => {
                "if the program is gone or fails, the call is blocked (by the line that starts it)"
            }
            _ => &told(self.capabilities.on_crash, "is gone or fails"),
        };
        let text = format!("{crash}; {}", told(self.capabilities.on_timeout, "takes too long"));
        let name = self.capabilities.name;
        let remedy = match (self.closing(), blocks, self.capabilities.on_crash) {
            (FailClosed::Key(..) | FailClosed::Ours | FailClosed::Line | FailClosed::Reply, false, _) => {
                format!("run `guard-host install {name}` without `--fail-open`")
            }
            (FailClosed::Harness, _, Fail::Open | Fail::Unknown) => {
                format!("keep the program where it is, and run `guard-host doctor {name}` after each upgrade")
            }
            _ => String::new(),
        };
        FailureBehavior { text, remedy }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use guard_harness::capabilities;

    #[test]
    fn a_spec_writes_files_that_its_facets_name_and_is_sure_of() {
        for spec in ALL {
            let name = spec.capabilities.name;
            let paths: Vec<&str> = spec.user.iter().chain(spec.project).copied().collect();
            let written: Vec<_> = spec.capabilities.files.iter().filter(|file| paths.contains(&file.path)).collect();
            assert_eq!(written.len(), paths.len(), "{name}");
            assert!(written.iter().all(|file| file.confidence != Confidence::Low), "{name}");
            assert!(spec.user.iter().all(|path| path.starts_with("~/")), "{name}");
            assert!(spec.project.iter().all(|path| path.starts_with("./")), "{name}");
            assert!(
                spec.moved.is_none_or(|(_, folder)| spec.user.iter().any(|path| path.starts_with(folder))),
                "{name}"
            );
        }
    }

    #[test]
    fn every_harness_with_files_that_are_known_has_a_form() {
        for known in capabilities::ALL.iter().filter(|known| known.name != "claude") {
            let sure = known.files.iter().any(|file| file.confidence != Confidence::Low);
            assert_eq!(named(known.name).is_some(), sure, "{}", known.name);
        }
    }
}

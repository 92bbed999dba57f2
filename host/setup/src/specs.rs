//! [`RegistrationSpec`]: how the hooks of one harness are registered, as data; and the one `Registration` for all of them.
//!
//! What a harness makes of a reply stands in `capabilities`; `page` prints both for people, as `docs/harness-details.md`. A new
//! harness is one more [`RegistrationSpec`]; Claude Code, which has plugins and scripts beside its settings, has a registration of its
//! own.

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

use super::command::{self, ProgramNames, arguments, closed, replying, text};
use super::entries::Item;
use super::matcher::Matching;
use crate::install::json::Syntax;
use crate::install::{FailureBehavior, HookLocation, InstallError, InstallOptions, Scope};
use guard_harness::capabilities::{Capabilities, Confidence, Fail, File, FileScope};
use guard_platform::paths::native;

/// How long a harness is told to wait, in seconds. The hook itself takes four at most.
const TIMEOUT: u32 = 20;

/// How the hooks of one harness are registered.
pub(super) struct RegistrationSpec {
    /// Its other capabilities.
    pub(super) capabilities: &'static Capabilities,
    /// The harness's name in the registered command.
    called: &'static str,
    /// The files for this user's calls, as the facets name them.
    user: &'static [&'static str],
    /// The files for the calls in a project.
    project: &'static [&'static str],
    /// A variable, and the folder for which it names another one.
    moved: Option<(&'static str, &'static str)>,
    /// The layout of the files.
    layout: Layout,
    /// Its syntax of matchers.
    matching: Matching,
    /// The matcher for all tools.
    all: &'static str,
    /// The unit of its timeout.
    unit: TimeoutUnit,
    /// The way to make a hook that cannot run block the call.
    closing: FailClosed,
    /// Tools that run commands or write files, each with the event that asks about it; first the one that runs commands.
    tools: &'static [(&'static str, &'static str)],
    /// The payload of a shell command in a directory.
    payload: fn(&str, &Path) -> Value,
    /// Where a reply says that it denies, with which value, and where it says why.
    denial: (&'static str, fn(&Value) -> bool, &'static str),
    /// Settings in its files that switch hooks off.
    switches: &'static [&'static str],
    /// Conditions for the hook to be asked, one line each.
    gates: &'static [&'static str],
}

/// The layout of a registration's files.
enum Layout {
    /// JSON of the user's with entries below `hooks`.
    Entries {
        syntax: Syntax,
        /// An event has groups of handlers; otherwise the handlers themselves.
        grouped: bool,
        /// Other values that the file must have.
        beside: &'static [(&'static str, Item)],
        make: fn(&Hook) -> Vec<(&'static str, Item)>,
    },
    /// JSON of the user's with everything below one key that names the hook.
    Named(&'static str, fn(&Hook) -> Item),
    /// TOML of the user's with tables of this name.
    Tables(&'static str, fn(&Hook) -> Vec<(&'static str, Item)>),
    /// YAML of the user's with an item in the list below these keys.
    List([&'static str; 2], fn(&Hook) -> Vec<(&'static str, Item)>),
    /// A file of its own, JSON.
    Whole(fn(&Hook) -> Item),
    /// A folder of its own: the name and text of its manifest, how the file that starts the program begins, and all of
    /// that one.
    Folder { manifest: (&'static str, &'static str), start: &'static str, make: fn(&Hook) -> String },
    /// A file of its own that starts the program: its mode, how it begins, and all of it.
    Program(u32, &'static str, fn(&Hook) -> String),
}

/// The unit in which a timeout is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeoutUnit {
    Seconds,
    Milliseconds,
    /// The harness takes none.
    None,
}

impl TimeoutUnit {
    /// So many of it are a second.
    fn per_second(self) -> u32 {
        if self == TimeoutUnit::Milliseconds { 1000 } else { 1 }
    }
}

/// The way to make a hook that cannot run block the call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FailClosed {
    /// This key of the entry, with this text or `true`.
    Key(&'static str, Option<&'static str>),
    /// The file of ours that starts the program.
    Ours,
    /// The line that starts the program, which a shell runs: it ends with 2 where the program gives no answer.
    Line,
    /// The line that starts the program, without a shell of the harness's: it writes the reply that blocks where the
    /// program gives no answer.
    Reply,
    /// Nothing that a registration could say.
    Harness,
}

/// One call of the hook, as a registration writes it.
#[derive(Clone)]
struct Hook {
    /// The program and its arguments.
    words: Vec<String>,
    /// The same as a line for a shell.
    line: String,
    /// The line for an event that decides nothing: it may fail.
    bare: String,
    matcher: String,
    /// In the harness's unit.
    timeout: u32,
    /// A hook that cannot run blocks the call.
    blocks: bool,
}

/// All forms, in the order of their names.
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

/// The spec of a harness.
pub(super) fn named(name: &str) -> Option<&'static RegistrationSpec> {
    ALL.iter().copied().find(|spec| spec.capabilities.name == name)
}

impl RegistrationSpec {
    /// Where a file is here.
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

    /// The file with hooks for every user of this machine, if the harness has one.
    fn managed(&self, site: HookLocation<'_>) -> Option<PathBuf> {
        let is_here = |path: &str| !cfg!(windows) && path.starts_with("/etc/") != cfg!(target_os = "macos");
        let known = |file: &&File| file.scope == FileScope::Machine && file.confidence == Confidence::High;
        let file = self.capabilities.files.iter().filter(known).find(|file| is_here(file.path))?;
        Some(match file.path.strip_prefix("/etc/") {
            Some(below) => site.dirs.machine().join(below),
            None => PathBuf::from(file.path),
        })
    }

    /// The files that the options are about, and how far links may lead from them.
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
            return refuse(format!("{title} has no hooks of a project; leave `--scope project` and `--shared` out"));
        }
        if !project && site.environment.home.is_empty() {
            return refuse("there is no home directory; `--scope project` needs none".to_owned());
        }
        // A repository can bring a link, and it must not lead to the user's other files.
        let within = project.then(|| site.project.to_path_buf());
        let paths = if project { self.project } else { self.user };
        Ok(paths.iter().map(|path| (self.place(path, site), within.clone())).collect())
    }

    /// The way to make a hook that cannot run block the call. On Windows one line serves several shells, which have no
    /// common syntax for it.
    fn closing(&self) -> FailClosed {
        match self.closing {
            FailClosed::Line | FailClosed::Reply if cfg!(windows) => FailClosed::Harness,
            closing => closing,
        }
    }

    /// The call of the hook that the options ask for.
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

    /// The fate of a call when the hook cannot run.
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

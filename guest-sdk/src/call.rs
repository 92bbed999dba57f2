//! [`Call`]: the tool call that is being decided, and what the host says of it.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value;

use crate::syntax::{Analysis, Command, Effect};
use crate::{Error, Event, Facts, Fault, Level, Presence, ProjectManifest, ResolvedPath, host};

/// The tool call that is being decided, and the door to the facts around it.
#[derive(Debug)]
pub struct Call<'a> {
    tool: &'a str,
    input: &'a str,
    analysis: OnceCell<Rc<Analysis>>,
    analyze: fn() -> Rc<Analysis>,
}

impl<'a> Call<'a> {
    /// `analyze` gives the analysis, and is asked once at most.
    pub(crate) fn new(tool: &'a str, input: &'a str, analyze: fn() -> Rc<Analysis>) -> Self {
        Call { tool, input, analysis: OnceCell::new(), analyze }
    }

    /// The tool's name, such as `Bash`.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// The tool's input as it came: the text of a JSON object.
    #[must_use]
    pub fn input_text(&self) -> &'a str {
        self.input
    }

    /// The tool's input as a value.
    ///
    /// # Errors
    ///
    /// The input is not JSON; the host never sends such a one.
    pub fn input(&self) -> Result<Value, Error> {
        Ok(serde_json::from_str(self.input)?)
    }

    /// Returns the analysis of the call: commands and effects. See [`crate::syntax`]. The host is called only once.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(self.analyze)
    }

    /// The effects of this kind (`write`), of this operation (`package.publish`), or of those that begin so
    /// (`git.push.`).
    ///
    /// ```
    /// # fn publishes(call: &guard_sdk::Call<'_>) -> bool {
    /// call.effects("package.publish").next().is_some()
    /// # }
    /// ```
    pub fn effects<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c Effect> {
        self.analysis().effects.iter().filter(move |effect| effect.is(name))
    }

    /// The command of an effect. `None` for one that no command has, such as that of a file tool.
    #[must_use]
    pub fn command_of(&self, effect: &Effect) -> Option<&Command> {
        self.analysis().commands.iter().find(|command| command.id == effect.command_id)
    }

    /// Where the call happens.
    #[must_use]
    pub fn context(&self) -> Facts {
        host::context()
    }

    /// Where a path leads, seen from the call's working directory. Needs no grant.
    #[must_use]
    pub fn resolve(&self, path: &str) -> ResolvedPath {
        host::resolve(path)
    }

    /// The text of a file that the configuration grants, at most 1 MiB.
    ///
    /// # Errors
    ///
    /// [`Fault`] says why there is no text.
    pub fn read_text(&self, path: &str) -> Result<String, Fault> {
        host::read_text(path)
    }

    /// Returns the effects of the call's text on `path`, below it and on the folders above it, before the command
    /// `command_id` runs. Effects that may or may not have happened aren't `certain`.
    #[must_use]
    pub fn earlier(&self, command_id: u32, path: &str) -> Vec<Effect> {
        host::earlier(command_id, path)
    }

    /// The git branch that is checked out where `path` lies; empty if there is none, or if it is not known.
    #[must_use]
    pub fn branch(&self, path: &str) -> String {
        host::branch(path)
    }

    /// Whether git keeps the file, or a file below the folder.
    #[must_use]
    pub fn tracked(&self, path: &str) -> Presence {
        host::tracked(path)
    }

    /// Whether the next commit changes the file, or a file below the folder.
    #[must_use]
    pub fn staged(&self, path: &str) -> Presence {
        host::staged(path)
    }

    /// Whether git leaves the file or the folder out.
    #[must_use]
    pub fn ignored(&self, path: &str) -> Presence {
        host::ignored(path)
    }

    /// The session's events before this call, oldest first: those of a kind, such as `write`, or all if `kind` is empty.
    ///
    /// # Errors
    ///
    /// [`Fault::Absent`] if the harness names no session, [`Fault::Failed`] if the history is damaged.
    pub fn history(&self, kind: &str) -> Result<Vec<Event>, Fault> {
        host::events(kind)
    }

    /// Returns the project's manifests, such as `package.json`, from the nearest folder at `path` or above it that has
    /// one.
    ///
    /// # Errors
    ///
    /// [`Fault::Denied`] without a grant to read one of them, [`Fault::Failed`] if one cannot be understood, and those of
    /// [`Call::read_text`].
    pub fn manifests(&self, path: &str) -> Result<Vec<ProjectManifest>, Fault> {
        host::manifests(path)
    }

    /// The value of a variable that the configuration grants.
    ///
    /// # Errors
    ///
    /// [`Fault::Absent`] if it is not set, [`Fault::Denied`] without a grant.
    pub fn env(&self, name: &str) -> Result<String, Fault> {
        host::env(name)
    }

    /// Has the host write a JSON object to a stream that the configuration grants, after the verdict.
    ///
    /// # Errors
    ///
    /// [`Fault::Denied`] without a grant, [`Fault::TooLarge`] beyond 64 lines or 16 KiB, [`Fault::Failed`] if `line` is
    /// no object.
    pub fn journal(&self, stream: &str, line: &Value) -> Result<(), Fault> {
        host::journal(stream, &line.to_string())
    }

    /// Notes a line for people; `explain` shows it.
    pub fn log(&self, level: Level, message: &str) {
        host::log(level, message);
    }
}

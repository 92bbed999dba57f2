//! [`Call`]: the tool call to decide on, with the host's facts.

use std::cell::OnceCell;
use std::rc::Rc;

use serde_json::Value;

use crate::syntax::{Analysis, Command, Comment, Effect, comments};
use crate::{Error, Event, Facts, Fault, Level, Presence, ProjectManifest, ResolvedPath, host};

/// The tool call to decide on, with access to the host's facts.
#[derive(Debug)]
pub struct Call<'a> {
    tool: &'a str,
    input: &'a str,
    analysis: OnceCell<Rc<Analysis>>,
    analyze: fn() -> Rc<Analysis>,
}

impl<'a> Call<'a> {
    /// Creates a call. `analyze` returns the analysis, and is called at most once.
    pub(crate) fn new(tool: &'a str, input: &'a str, analyze: fn() -> Rc<Analysis>) -> Self {
        Call { tool, input, analysis: OnceCell::new(), analyze }
    }

    /// The tool's name, such as `Bash`.
    #[must_use]
    pub fn tool(&self) -> &'a str {
        self.tool
    }

    /// The tool's input as received: the text of a JSON object.
    #[must_use]
    pub fn input_text(&self) -> &'a str {
        self.input
    }

    /// The tool's input as a value.
    ///
    /// # Errors
    ///
    /// If the input isn't JSON, which the host never sends.
    pub fn input(&self) -> Result<Value, Error> {
        Ok(serde_json::from_str(self.input)?)
    }

    /// Returns the analysis of the call: commands and effects. See [`crate::syntax`]. The host is called only once.
    #[must_use]
    pub fn analysis(&self) -> &Analysis {
        self.analysis.get_or_init(self.analyze)
    }

    /// Returns the comments in the text of a `Bash` call. They run nothing, so they aren't part of the analysis. See
    /// [`comments`].
    ///
    /// # Errors
    ///
    /// As [`Call::input`].
    pub fn comments(&self) -> Result<Vec<Comment>, Error> {
        if self.tool != "Bash" {
            return Ok(Vec::new());
        }
        Ok(self.input()?.get("command").and_then(Value::as_str).map(comments).unwrap_or_default())
    }

    /// Returns the effects of a kind (`write`), of an operation (`package.publish`), or of all operations with a prefix
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

    /// Returns the command of an effect. `None` for effects without a command, such as those of file tools.
    #[must_use]
    pub fn command_of(&self, effect: &Effect) -> Option<&Command> {
        self.analysis().commands.iter().find(|command| command.id == effect.command_id)
    }

    /// The context of the call.
    #[must_use]
    pub fn context(&self) -> Facts {
        host::context()
    }

    /// Resolves a path relative to the call's working directory. Needs no grant.
    #[must_use]
    pub fn resolve(&self, path: &str) -> ResolvedPath {
        host::resolve(path)
    }

    /// Returns the text of a file that the configuration grants, at most 1 MiB.
    ///
    /// # Errors
    ///
    /// A [`Fault`] if the text is unavailable.
    pub fn read_text(&self, path: &str) -> Result<String, Fault> {
        host::read_text(path)
    }

    /// Returns the effects of the call's text on `path`, below it and on the folders above it, before the command
    /// `command_id` runs. Effects that may or may not have happened aren't `certain`.
    #[must_use]
    pub fn earlier(&self, command_id: u32, path: &str) -> Vec<Effect> {
        host::earlier(command_id, path)
    }

    /// Returns the git branch that is checked out at `path`. Empty outside of a branch, or if it is unknown.
    #[must_use]
    pub fn branch(&self, path: &str) -> String {
        host::branch(path)
    }

    /// Returns whether git tracks the file, or a file below the folder.
    #[must_use]
    pub fn tracked(&self, path: &str) -> Presence {
        host::tracked(path)
    }

    /// Returns whether the next commit changes the file, or a file below the folder.
    #[must_use]
    pub fn staged(&self, path: &str) -> Presence {
        host::staged(path)
    }

    /// Returns whether git ignores the file or the folder.
    #[must_use]
    pub fn ignored(&self, path: &str) -> Presence {
        host::ignored(path)
    }

    /// Returns the session's events before this call, oldest first: those of a kind, such as `write`, or all if `kind`
    /// is empty.
    ///
    /// # Errors
    ///
    /// [`Fault::Absent`] if the harness provides no session, [`Fault::Failed`] if the history is damaged.
    pub fn history(&self, kind: &str) -> Result<Vec<Event>, Fault> {
        host::events(kind)
    }

    /// Returns the project's manifests, such as `package.json`, from the nearest folder at `path` or above it that has
    /// one.
    ///
    /// # Errors
    ///
    /// [`Fault::Denied`] without a grant to read one of them, [`Fault::Failed`] if one can't be parsed, and the errors
    /// of [`Call::read_text`].
    pub fn manifests(&self, path: &str) -> Result<Vec<ProjectManifest>, Fault> {
        host::manifests(path)
    }

    /// Returns the value of an environment variable that the configuration grants.
    ///
    /// # Errors
    ///
    /// [`Fault::Absent`] if it isn't set, [`Fault::Denied`] without a grant.
    pub fn env(&self, name: &str) -> Result<String, Fault> {
        host::env(name)
    }

    /// Queues a JSON object that the host writes, after the verdict, to a stream that the configuration grants.
    ///
    /// # Errors
    ///
    /// [`Fault::Denied`] without a grant, [`Fault::TooLarge`] beyond 64 lines or 16 KiB, [`Fault::Failed`] if `line`
    /// isn't an object.
    pub fn journal(&self, stream: &str, line: &Value) -> Result<(), Fault> {
        host::journal(stream, &line.to_string())
    }

    /// Logs a line for people, which `guard-host explain` shows.
    pub fn log(&self, level: Level, message: &str) {
        host::log(level, message);
    }
}

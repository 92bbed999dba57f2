//! [`CallView`]: the call as the rules see it.
//!
//! Most facts are computed on demand. Makes no decisions.

use std::cell::OnceCell;

use guard_sdk::serde_json::Value;
use guard_sdk::syntax::{Analysis, Command, Index};
use guard_sdk::{Call, Facts};

use crate::guarded::Guard;
use crate::touch::{self, GuardedChange};
use crate::{Settings, copies};

/// The maximum length of a target in a message, in characters.
const NAMED: usize = 120;

/// The call as the rules see it.
pub(crate) struct CallView<'a> {
    pub(crate) call: &'a Call<'a>,
    pub(crate) analysis: &'a Analysis,
    pub(crate) guard: Guard,
    index: OnceCell<Index<'a>>,
    facts: OnceCell<Facts>,
    input: OnceCell<Value>,
    touches: OnceCell<Vec<GuardedChange<'a>>>,
    sets_path: OnceCell<bool>,
    names_program: OnceCell<bool>,
}

impl<'a> CallView<'a> {
    pub(crate) fn new(call: &'a Call<'a>, analysis: &'a Analysis, settings: &Settings) -> Self {
        CallView {
            call,
            analysis,
            guard: Guard::new(&settings.places),
            index: OnceCell::new(),
            facts: OnceCell::new(),
            input: OnceCell::new(),
            touches: OnceCell::new(),
            sets_path: OnceCell::new(),
            names_program: OnceCell::new(),
        }
    }

    /// Returns the effects and pipelines by command.
    pub(crate) fn index(&self) -> &Index<'a> {
        self.index.get_or_init(|| Index::of(self.analysis))
    }

    /// The context of the call.
    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| self.call.context())
    }

    /// The call's input, or null if it can't be parsed.
    pub(crate) fn input(&self) -> &Value {
        self.input.get_or_init(|| self.call.input().unwrap_or_default())
    }

    /// Returns whether the call runs a command that was analyzed.
    pub(crate) fn is_command(&self) -> bool {
        matches!(self.call.tool(), "Bash" | "PowerShell")
    }

    /// Returns the call's command as written. Empty if the tool has none.
    pub(crate) fn text(&self) -> &str {
        self.input().get("command").and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the call's effects on protected files.
    pub(crate) fn touches(&self) -> &[GuardedChange<'a>] {
        self.touches.get_or_init(|| touch::all_changes(self))
    }

    /// Returns whether the text sets the search path for programs.
    pub(crate) fn sets_path(&self) -> bool {
        *self.sets_path.get_or_init(|| self.analysis.commands.iter().any(copies::sets_path))
    }

    /// Returns whether a word of the text is the program's name, or a pattern that matches it.
    pub(crate) fn mentions_program(&self) -> bool {
        *self.names_program.get_or_init(|| copies::mentions_program(self))
    }

    /// Returns the command with this id. Commands are sorted by id.
    pub(crate) fn command_by_id(&self, id: u32) -> Option<&'a Command> {
        let commands = &self.analysis.commands;
        commands.get(commands.binary_search_by_key(&id, |command| command.id).ok()?)
    }
}

/// Shortens a text for a message.
pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(NAMED) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
    }
}

/// Returns whether a command runs on another machine or in a container, where paths refer to other files.
pub(crate) fn is_remote(command: &Command) -> bool {
    remote_kind(command).is_some()
}

/// Returns `ssh` or `container`, if the command runs there.
pub(crate) fn remote_kind(command: &Command) -> Option<&str> {
    // After the last one, the command is outside of the container again.
    let mut kinds = command.via.iter().rev().map(|via| via.kind.as_str());
    kinds.find(|kind| matches!(*kind, "ssh" | "container" | "nsenter-host")).filter(|kind| *kind != "nsenter-host")
}

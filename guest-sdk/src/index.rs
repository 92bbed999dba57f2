//! [`Index`]: effects and pipelines by command.

use std::collections::BTreeMap;

use crate::syntax::{Analysis, Command, Effect, Script};

/// Effects and pipelines by command. Scanning all effects for each command is quadratic, so build an index once
/// instead.
///
/// ```
/// use guard_sdk::syntax::{Analysis, Index};
///
/// fn count(analysis: &Analysis) -> usize {
///     let index = Index::of(analysis);
///     analysis.commands.iter().map(|command| index.effects(command).len()).sum()
/// }
/// ```
#[derive(Debug)]
pub struct Index<'a> {
    commands: BTreeMap<u32, &'a Command>,
    effects: BTreeMap<u32, Vec<&'a Effect>>,
    pipelines: BTreeMap<u32, Vec<&'a Command>>,
    scripts: BTreeMap<u32, Vec<&'a Script>>,
}

impl<'a> Index<'a> {
    /// Builds the index of an analysis.
    #[must_use]
    pub fn of(analysis: &'a Analysis) -> Self {
        let (commands, effects, pipelines, scripts) = Default::default();
        let mut index = Index { commands, effects, pipelines, scripts };
        for command in &analysis.commands {
            index.commands.insert(command.id, command);
            index.pipelines.entry(command.position.pipeline).or_default().push(command);
        }
        for effect in &analysis.effects {
            index.effects.entry(effect.command_id).or_default().push(effect);
        }
        for script in &analysis.scripts {
            index.scripts.entry(script.command_id).or_default().push(script);
        }
        index
    }

    /// Returns the command with this id. `None` for effects without a command, such as those of file tools.
    #[must_use]
    pub fn command(&self, id: u32) -> Option<&'a Command> {
        self.commands.get(&id).copied()
    }

    /// Returns the effects of a command, in the order of the analysis.
    #[must_use]
    pub fn effects(&self, command: &Command) -> &[&'a Effect] {
        self.effects.get(&command.id).map_or(&[], Vec::as_slice)
    }

    /// Returns the code in other languages that a command runs, in the order of the analysis.
    #[must_use]
    pub fn scripts(&self, command: &Command) -> &[&'a Script] {
        self.scripts.get(&command.id).map_or(&[], Vec::as_slice)
    }

    /// Returns the commands of a command's pipeline, including itself, in the order of the analysis.
    #[must_use]
    pub fn pipeline(&self, command: &Command) -> &[&'a Command] {
        self.pipelines.get(&command.position.pipeline).map_or(&[], Vec::as_slice)
    }
}

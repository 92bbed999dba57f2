//! [`Pipelines`]: the commands of each pipeline, and whether a command's input leaves the machine.

use std::collections::BTreeMap;

use guard_sdk::syntax::Command;

/// The indices of commands by pipeline, to find earlier stages without a full search.
#[derive(Debug, Default)]
pub(crate) struct Pipelines {
    /// The pipeline, the index in it, and the index in the list of commands. Sorted.
    stages: Vec<(u32, u32, usize)>,
    /// The parent's id and the index of commands in a word of their parent. Sorted.
    children: Vec<(u32, usize)>,
    /// Commands that read unknown text from a pipe, with its pipeline and their index in it.
    feeds: BTreeMap<u32, (u32, u32)>,
}

impl Pipelines {
    pub(crate) fn of(commands: &[Command], feeds: &BTreeMap<u32, (u32, u32)>) -> Pipelines {
        let mut pipelines = Pipelines { feeds: feeds.clone(), ..Pipelines::default() };
        for (place, command) in commands.iter().enumerate() {
            if command.position.length > 1 {
                pipelines.stages.push((command.position.pipeline, command.position.index, place));
            }
            if command.parent != 0 {
                pipelines.children.push((command.parent, place));
            }
        }
        pipelines.stages.sort_unstable();
        pipelines.children.sort_unstable();
        pipelines
    }

    /// Returns whether a command reads unknown text from a pipe.
    pub(crate) fn is_unknown(&self, command: &Command) -> bool {
        self.feeds.contains_key(&command.id)
    }

    /// Returns the pipeline that a command reads from, its own or an enclosing one, and the command's index in it.
    pub(crate) fn source(&self, command: &Command) -> Option<(u32, u32)> {
        let position = &command.position;
        let own = (position.index > 0 && position.length > 1).then_some((position.pipeline, position.index));
        own.or_else(|| self.feeds.get(&command.id).copied())
    }

    /// Returns the commands of one pipeline before `index`, in order.
    pub(crate) fn stages<'a>(
        &self,
        commands: &'a [Command],
        pipeline: u32,
        index: u32,
    ) -> impl DoubleEndedIterator<Item = &'a Command> {
        let start = self.stages.partition_point(|stage| stage.0 < pipeline);
        let end = self.stages.partition_point(|stage| (stage.0, stage.1) < (pipeline, index));
        let places = self.stages.get(start..end).unwrap_or_default();
        places.iter().filter_map(|(_, _, place)| commands.get(*place))
    }

    /// Returns the commands in words of the command with this id.
    pub(crate) fn children<'a>(&self, commands: &'a [Command], id: u32) -> impl Iterator<Item = &'a Command> {
        let start = self.children.partition_point(|child| child.0 < id);
        let end = self.children.partition_point(|child| child.0 <= id);
        let places = self.children.get(start..end).unwrap_or_default();
        places.iter().filter_map(|(_, place)| commands.get(*place))
    }
}

/// Programs that send their input over the network.
pub(crate) const SENDERS: &[&str] = &[
    "curl", "curlie", "http", "https", "xh", "xhs", "nc", "ncat", "netcat", "socat", "telnet", "ssh", "ftp", "sftp",
    "mail", "mailx", "mutt", "sendmail", "msmtp", "wget",
];

/// The maximum number of examined later stages.
const MAX_BEHIND: u32 = 64;

/// Returns whether a command's input goes over the network: directly, or through a later stage of the pipeline.
pub(super) fn is_sent(command: &Command, name: &str, commands: &[Command], pipelines: &Pipelines) -> bool {
    let position = &command.position;
    if SENDERS.contains(&name) {
        return true;
    }
    if position.length < 2 {
        return false;
    }
    let stages = pipelines.stages(commands, position.pipeline, position.index.saturating_add(MAX_BEHIND));
    let mut behind = stages.rev().take_while(|stage| stage.position.index > position.index);
    behind.any(|stage| SENDERS.contains(&stage.program()))
}

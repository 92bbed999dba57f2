//! [`View`]: the call as the rules see it.

use std::borrow::Cow;
use std::cell::OnceCell;

use guard_sdk::addresses::{host, is_here};
use guard_sdk::serde_json::Value;
use guard_sdk::syntax::{Analysis, Command, Effect, Index, Script, Word};
use guard_sdk::{Call, Event, Facts};

use crate::Settings;
use crate::kinds::{SHELLS, is_any};

/// The maximum number of a command's words that are examined.
const WORDS: usize = 256;

/// The maximum number of a command's neighbors that are examined.
const NEIGHBOURS: usize = 64;

/// The call, with lookups that are computed on demand.
pub(crate) struct View<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) analysis: &'a Analysis,
    call: &'a Call<'a>,
    index: OnceCell<Index<'a>>,
    facts: OnceCell<Facts>,
    powershell: OnceCell<String>,
}

impl<'a> View<'a> {
    pub(crate) fn new(call: &'a Call<'a>, settings: &'a Settings) -> Self {
        View {
            settings,
            analysis: call.analysis(),
            call,
            index: OnceCell::new(),
            facts: OnceCell::new(),
            powershell: OnceCell::new(),
        }
    }

    /// Returns the effects and pipelines by command.
    pub(crate) fn index(&self) -> &Index<'a> {
        self.index.get_or_init(|| Index::of(self.analysis))
    }

    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| self.call.context())
    }

    /// Returns the session's earlier events of a kind. Empty without a session, and if the history is damaged, which
    /// the host reports.
    pub(crate) fn history(&self, kind: &str) -> Vec<Event> {
        self.call.history(kind).unwrap_or_default()
    }

    /// The tool of the call.
    pub(crate) fn tool(&self) -> &str {
        self.call.tool()
    }

    /// The input of the call.
    pub(crate) fn input(&self) -> Option<Value> {
        self.call.input().ok()
    }

    /// The text of the call as received.
    pub(crate) fn text(&self) -> &str {
        self.call.input_text()
    }

    /// The commands outside of containers.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'a Command> {
        self.analysis.commands.iter().filter(|command| is_on_a_machine(command))
    }

    /// The scripts outside of containers.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &'a Script> {
        self.analysis.scripts.iter().filter(|script| {
            let command = self.index().command(script.command_id);
            command.is_none_or(is_on_a_machine)
        })
    }

    /// The code of the call: its scripts, and a PowerShell call's text as received.
    pub(crate) fn code(&self) -> impl Iterator<Item = &str> {
        let whole = (self.call.tool() == "PowerShell").then(|| self.powershell.get_or_init(|| self.command_text()));
        self.scripts().map(|script| script.text.as_str()).chain(whole.map(String::as_str))
    }

    /// Returns the text that the tool runs.
    fn command_text(&self) -> String {
        let input = self.call.input().ok();
        let text = input.as_ref().and_then(|input| input.get("command")).and_then(|command| command.as_str());
        text.unwrap_or_default().to_owned()
    }

    /// Returns the commands whose output a command gets: the earlier ones of its pipeline, and those in its words.
    pub(crate) fn sources(&self, command: &Command) -> Vec<&'a Command> {
        let earlier = self.index().pipeline(command).iter().copied();
        let earlier =
            earlier.filter(|other| other.position.index < command.position.index && other.parent == command.parent);
        let inside = self.analysis.commands.iter().filter(|other| other.parent == command.id && other.id != command.id);
        // A loop or a variable passes on the output. The text names both.
        let set = self.assigned_commands(command);
        let mut sources: Vec<&Command> = earlier.chain(inside).chain(set).take(NEIGHBOURS).collect();
        // `echo "$(id)" | nc`
        let ids: Vec<u32> = sources.iter().map(|source| source.id).collect();
        let within =
            self.analysis.commands.iter().filter(|other| ids.contains(&other.parent) && !ids.contains(&other.id));
        sources.extend(within.take(NEIGHBOURS));
        sources
    }

    /// Returns the commands in the assignments of variables that a command uses.
    fn assigned_commands(&self, command: &Command) -> Vec<&'a Command> {
        let names: Vec<&str> = words(command)
            .flat_map(|word| word.parts.iter().filter(|part| part.kind == "variable").map(|part| part.text.as_str()))
            .collect();
        if names.is_empty() {
            return Vec::new();
        }
        let fills = |other: &&Command| other.assignments.iter().any(|set| names.contains(&set.name.as_str()));
        let ids: Vec<u32> =
            self.analysis.commands.iter().filter(fills).map(|other| other.id).take(NEIGHBOURS).collect();
        self.analysis.commands.iter().filter(|other| ids.contains(&other.parent)).collect()
    }

    /// Returns whether the host is neither this machine nor in the user's list.
    pub(crate) fn is_foreign(&self, host: &str) -> bool {
        !is_here(host) && !self.settings.trusts(host)
    }

    /// Returns the hosts that a command contacts, from its effects or its words.
    pub(crate) fn hosts(&self, command: &Command) -> Vec<String> {
        let effects = self.index().effects(command).iter();
        let effects = effects.filter(|effect| effect.kind == "network").map(|effect| effect.target.as_str());
        let addresses = texts(command).filter(|text| text.contains("://"));
        let mut hosts: Vec<String> = effects.chain(addresses).map(host).collect();
        hosts.retain(|host| !host.is_empty());
        hosts
    }
}

/// Returns whether the command runs outside of containers, which have their own users and files. Other machines are
/// treated like this one.
pub(crate) fn is_on_a_machine(command: &Command) -> bool {
    !command.via.iter().any(|via| via.kind == "container")
}

/// Returns whether the effect is in a container.
pub(crate) fn is_in_a_container(effect: &Effect) -> bool {
    effect.tag("where") == Some("container")
}

/// Returns the words of a command after its name.
pub(crate) fn words(command: &Command) -> impl Iterator<Item = &Word> {
    command.argv.iter().skip(1).take(WORDS)
}

/// Returns the texts of a command's words after its name.
pub(crate) fn texts(command: &Command) -> impl Iterator<Item = &str> {
    words(command).map(|word| word.text.as_str())
}

/// Returns the program's name, in lower case and without `.exe`.
pub(crate) fn name(command: &Command) -> Cow<'_, str> {
    let name = command.program();
    // For such short texts, `rsplit` is slower.
    let start = name.bytes().rposition(|byte| byte == b'\\').map_or(0, |at| at + 1);
    let name = name.get(start..).unwrap_or(name);
    // Nearly every name is already in lower case. All rules use it, on each command of long texts.
    let name = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    };
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name.strip_suffix(".exe").unwrap_or(name)),
        Cow::Owned(name) => Cow::Owned(name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)),
    }
}

/// Returns whether an option is given by one of its names: alone, joined with a value, or in a cluster of letters.
pub(crate) fn has_option(command: &Command, letters: &str, names: &[&str]) -> bool {
    texts(command).take_while(|text| *text != "--").any(|text| match text.strip_prefix("--") {
        Some(long) => names.contains(&long.split('=').next().unwrap_or_default()),
        None => text.strip_prefix('-').is_some_and(|cluster| {
            !cluster.starts_with(|first: char| first.is_ascii_digit()) && cluster.contains(|one| letters.contains(one))
        }),
    })
}

/// Returns whether the word contains the output of a command.
pub(crate) fn is_computed(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"))
}

/// Returns whether the command is a shell without anything to run: it waits for typed or sent input.
pub(crate) fn is_bare_shell(command: &Command) -> bool {
    let is_switch = |text: &str| text.starts_with('-') && !text.contains('c') || text == "-login";
    is_any(&name(command), SHELLS) && texts(command).all(is_switch)
}

/// Returns the best known path of an effect.
pub(crate) fn path(effect: &Effect) -> &str {
    effect.spellings().find(|text| text.starts_with('/')).unwrap_or(&effect.target)
}

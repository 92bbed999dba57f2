//! [`View`]: the call as the rules see it.

use std::borrow::Cow;
use std::cell::OnceCell;

use guard_sdk::addresses::{host, is_here};
use guard_sdk::serde_json::Value;
use guard_sdk::syntax::{Analysis, Command, Effect, Index, Script, Word};
use guard_sdk::{Call, Event, Facts};

use crate::Settings;
use crate::kinds::{SHELLS, is_any};

/// The most words of a command that are looked at.
const WORDS: usize = 256;

/// The most commands beside one that are looked at.
const NEIGHBOURS: usize = 64;

/// The call, and lookups that are made when a rule needs them.
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

    /// Effects and pipelines by command.
    pub(crate) fn index(&self) -> &Index<'a> {
        self.index.get_or_init(|| Index::of(self.analysis))
    }

    pub(crate) fn facts(&self) -> &Facts {
        self.facts.get_or_init(|| self.call.context())
    }

    /// The session's earlier events of a kind. Empty without a session, and if the history is damaged, which the host
    /// reports.
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

    /// The text of the call as it came.
    pub(crate) fn text(&self) -> &str {
        self.call.input_text()
    }

    /// The commands that run in no container.
    pub(crate) fn commands(&self) -> impl Iterator<Item = &'a Command> {
        self.analysis.commands.iter().filter(|command| is_on_a_machine(command))
    }

    /// The scripts that run in no container.
    pub(crate) fn scripts(&self) -> impl Iterator<Item = &'a Script> {
        self.analysis.scripts.iter().filter(|script| {
            let command = self.index().command(script.command_id);
            command.is_none_or(is_on_a_machine)
        })
    }

    /// The code of the call: its scripts, and a call in PowerShell as it came.
    pub(crate) fn code(&self) -> impl Iterator<Item = &str> {
        let whole = (self.call.tool() == "PowerShell").then(|| self.powershell.get_or_init(|| self.command_text()));
        self.scripts().map(|script| script.text.as_str()).chain(whole.map(String::as_str))
    }

    /// The text that the tool runs.
    fn command_text(&self) -> String {
        let input = self.call.input().ok();
        let text = input.as_ref().and_then(|input| input.get("command")).and_then(|command| command.as_str());
        text.unwrap_or_default().to_owned()
    }

    /// The commands whose output a command gets: the earlier ones of its pipeline, and those in its words.
    pub(crate) fn sources(&self, command: &Command) -> Vec<&'a Command> {
        let earlier = self.index().pipeline(command).iter().copied();
        let earlier =
            earlier.filter(|other| other.position.index < command.position.index && other.parent == command.parent);
        let inside = self.analysis.commands.iter().filter(|other| other.parent == command.id && other.id != command.id);
        // A loop or a variable passes the output on; the text names both.
        let set = self.passed_on(command);
        let mut sources: Vec<&Command> = earlier.chain(inside).chain(set).take(NEIGHBOURS).collect();
        // `echo "$(id)" | nc`
        let ids: Vec<u32> = sources.iter().map(|source| source.id).collect();
        let within =
            self.analysis.commands.iter().filter(|other| ids.contains(&other.parent) && !ids.contains(&other.id));
        sources.extend(within.take(NEIGHBOURS));
        sources
    }

    /// The commands in the assignments of variables that a command names.
    fn passed_on(&self, command: &Command) -> Vec<&'a Command> {
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

    /// Whether it is neither this machine nor a host that the user lists.
    pub(crate) fn is_foreign(&self, host: &str) -> bool {
        !is_here(host) && !self.settings.trusts(host)
    }

    /// The hosts that a command speaks to, as far as its effects or its words tell.
    pub(crate) fn hosts(&self, command: &Command) -> Vec<String> {
        let effects = self.index().effects(command).iter();
        let effects = effects.filter(|effect| effect.kind == "network").map(|effect| effect.target.as_str());
        let addresses = texts(command).filter(|text| text.contains("://"));
        let mut hosts: Vec<String> = effects.chain(addresses).map(host).collect();
        hosts.retain(|host| !host.is_empty());
        hosts
    }
}

/// Whether the command runs in no container, whose users and files are its own. Another machine counts like this one.
pub(crate) fn is_on_a_machine(command: &Command) -> bool {
    !command.via.iter().any(|via| via.kind == "container")
}

/// Whether the effect is one on a container.
pub(crate) fn is_in_a_container(effect: &Effect) -> bool {
    effect.tag("where") == Some("container")
}

/// The words of a command behind its name.
pub(crate) fn words(command: &Command) -> impl Iterator<Item = &Word> {
    command.argv.iter().skip(1).take(WORDS)
}

/// Their texts.
pub(crate) fn texts(command: &Command) -> impl Iterator<Item = &str> {
    words(command).map(|word| word.text.as_str())
}

/// The program's name, in lower case and without `.exe`.
pub(crate) fn name(command: &Command) -> Cow<'_, str> {
    let name = command.program().rsplit('\\').next().unwrap_or_default();
    // Nearly every name is in lower case already. All rules ask for it, on each command of long texts.
    let name = match name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    };
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name.strip_suffix(".exe").unwrap_or(name)),
        Cow::Owned(name) => Cow::Owned(name.strip_suffix(".exe").map(str::to_owned).unwrap_or(name)),
    }
}

/// Whether an option is given by one of its names, alone, joined with a value, or in a cluster of letters.
pub(crate) fn has_option(command: &Command, letters: &str, names: &[&str]) -> bool {
    texts(command).take_while(|text| *text != "--").any(|text| match text.strip_prefix("--") {
        Some(long) => names.contains(&long.split('=').next().unwrap_or_default()),
        None => text.strip_prefix('-').is_some_and(|cluster| {
            !cluster.starts_with(|first: char| first.is_ascii_digit()) && cluster.contains(|one| letters.contains(one))
        }),
    })
}

/// Whether the word holds the output of a command.
pub(crate) fn is_computed(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"))
}

/// Whether the command is a shell that is given nothing to run: it waits for what is typed or sent.
pub(crate) fn is_bare_shell(command: &Command) -> bool {
    let is_switch = |text: &str| text.starts_with('-') && !text.contains('c') || text == "-login";
    is_any(&name(command), SHELLS) && texts(command).all(is_switch)
}

/// The path of an effect, as it is known best.
pub(crate) fn path(effect: &Effect) -> &str {
    effect.spellings().find(|text| text.starts_with('/')).unwrap_or(&effect.target)
}

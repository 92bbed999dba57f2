//! Programs as data: what a call does, looked up in the tables that `build.rs` makes of `programs/*.toml`.
//!
//! Holds the types that the tables are made of. How an entry is matched with a command line is the business of `call`, the
//! form and the checks of the files that of `build.rs`; what no table can say is a Rust function beside it.

mod call;

use guard_sdk::syntax::{Severity, Word};

use super::placeholder_operands;
use super::program::EffectFn;
use crate::options::Options;
use crate::run::Run;
use call::Call;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A file of the table: a program, or several that share their words.
pub(crate) struct Entry {
    /// Where it is written, for tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name the file of a complaint"))]
    pub(crate) file: &'static str,
    options: Options,
    /// The same for names some of whose options take no value.
    options_of: &'static [(&'static str, Options)],
    /// Long options may be abbreviated.
    abbreviates: bool,
    /// Words that may stand before the verbs and mean nothing.
    through: &'static [&'static [Step]],
    /// A family in Rust has the program, too; both speak.
    pub(crate) beside: bool,
    /// Options that make the call do nothing.
    harmless: &'static [Mark],
    /// Options that have the call only say what it would do.
    dry: &'static [Mark],
    /// The tag that holds the program's name.
    named: &'static str,
    /// How messages call a program that is not started by its own name alone, such as `php artisan`.
    called: &'static [(&'static str, &'static str)],
    /// The way out for effects that have none of their own.
    instead: &'static str,
    /// The same for single names.
    instead_of: &'static [(&'static str, &'static str)],
    /// The behavior that the table can't express.
    act: Option<EffectFn>,
    /// The first one that fits counts.
    pub(crate) effects: &'static [Fact],
}

impl Entry {
    /// The options of the program `name`.
    fn options(&self, name: &str) -> Options {
        self.options_of.iter().find(|(known, _)| *known == name).map_or(self.options, |(_, options)| *options)
    }

    /// Whether the program manages something at a cloud or at another service.
    pub(super) fn is_cloud(&self) -> bool {
        self.effects.iter().any(|fact| fact.kind == "cloud")
    }

    /// The way out of an effect of the program `name`.
    fn instead(&self, name: &str, fact: &Fact) -> String {
        let own = self.instead_of.iter().find(|(known, _)| *known == name).map_or(self.instead, |(_, text)| text);
        let text = if fact.instead.is_empty() { own } else { fact.instead };
        let called = self.called.iter().find(|(known, _)| *known == name).map_or(name, |(_, called)| called);
        text.replace("{program}", called)
    }
}

/// An effect, and the calls that have it.
pub(crate) struct Fact {
    /// The names that it is true of; empty: all.
    of: &'static [&'static str],
    /// One of these must lead the operands; empty: any call.
    verbs: &'static [&'static [Step]],
    /// One of these must hold, each of whose parts must hold; empty: nothing is asked.
    with: &'static [&'static [&'static [Mark]]],
    /// None of these may hold.
    without: &'static [&'static [&'static [Mark]]],
    kind: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) severity: Severity,
    /// Where the target is found; the first that there is.
    target: &'static [Target],
    /// The target is a path.
    path: bool,
    /// Later effects of the table are looked at, too.
    also: bool,
    tags: &'static [(&'static str, &'static str)],
    /// Tags whose value is an option's.
    given: &'static [(&'static str, &'static [Mark])],
    /// Tags that are there if an option is on.
    flags: &'static [(&'static str, &'static [Mark])],
    loses: &'static str,
    instead: &'static str,
}

/// A step of a verb.
enum Step {
    /// `**`: up to four words.
    Deep,
    /// One of these words; each may hold two `*`.
    Word(&'static [&'static str]),
}

/// An option that is on, an option with a value, or an operand behind the verbs.
struct Mark {
    letter: &'static str,
    long: &'static str,
    value: &'static str,
    operand: &'static str,
}

/// Where a target is found.
enum Target {
    /// The operand with this index behind the verbs.
    At(usize),
    /// The first operand of the verbs, as in `service NAME stop`.
    Lead,
    /// Every operand behind the verbs, an effect for each.
    Each,
    /// The last operand behind the verbs.
    Last,
    /// All operands behind the verbs, as one text.
    Rest,
    /// There is none.
    Nothing,
    /// The value of an option.
    Value(&'static str, &'static str),
}

/// The entry of a name.
pub(crate) fn entry(name: &str) -> Option<&'static Entry> {
    let place = NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    NAMES.get(place).and_then(|(_, at)| ENTRIES.get(*at))
}

/// Whether the program is an agent, to which every text is a task.
pub(super) fn is_agent(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.named == "agent")
}

/// The names of all programs of the tables.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// Adds the effects of the program `name` when it is given `words`; false if no table has it.
pub(super) fn find<'a>(run: &mut Run<'a>, name: &str, words: &'a [Word]) -> bool {
    find_as(run, name, name, words)
}

/// The same, for a program that has the words of another one; its own name is what the effects tell.
pub(super) fn find_as<'a>(run: &mut Run<'a>, name: &str, own: &str, words: &'a [Word]) -> bool {
    let Some(entry) = entry(name) else { return false };
    let mut parsed = run.parse(words, entry.options(own));
    placeholder_operands::fill(run, &mut parsed);
    let call = Call::new(entry, words, &parsed, run.is_confirmed());
    if call.is_harmless() {
        return true;
    }
    let fitting = call.fitting(name);
    if fitting.is_empty() && !entry.beside && entry.act.is_none() && !call.is_described(name) && !call.is_dry(0) {
        super::unknown_losses::of_table(run, own, &parsed.operands);
    }
    for (fact, behind) in fitting {
        call.state(run, own, fact, behind);
    }
    if let Some(act) = entry.act {
        act(run, &parsed);
    }
    true
}

#[cfg(test)]
mod tests;

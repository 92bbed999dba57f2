//! Programs as data: looks up a call's effects in the tables that `build.rs` generates from `programs/*.toml`.
//!
//! Defines the types of the tables. `call` matches a command line with an entry. `build.rs` defines and checks the
//! format of the files. Effects that a table can't express have a Rust function beside it.

mod call;

use guard_sdk::syntax::{Severity, Word};

use super::placeholder_operands;
use super::program::EffectFn;
use crate::options::Options;
use crate::run::Run;
use call::Call;

include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// A file of the tables: a program, or several with the same command-line syntax.
pub(crate) struct Entry {
    /// The file's name, for tests.
    #[cfg_attr(not(test), expect(dead_code, reason = "tests name the file of a complaint"))]
    pub(crate) file: &'static str,
    options: Options,
    /// The options of single names some of whose options take no value.
    options_of: &'static [(&'static str, Options)],
    /// Whether long options can be abbreviated.
    abbreviates: bool,
    /// Words before the verbs that mean nothing, such as `compose` in `docker compose rm`.
    through: &'static [&'static [Step]],
    /// Whether a family in Rust also adds effects of the program.
    pub(crate) beside: bool,
    /// Options with which the call does nothing.
    harmless: &'static [Mark],
    /// Options of a dry run.
    dry: &'static [Mark],
    /// The tag with the program's name.
    named: &'static str,
    /// The names in messages of programs that aren't started by their own name alone, such as `php artisan`.
    called: &'static [(&'static str, &'static str)],
    /// The alternative to effects that don't have their own.
    instead: &'static str,
    /// The alternatives of single names.
    instead_of: &'static [(&'static str, &'static str)],
    /// A function for effects that the table can't express.
    act: Option<EffectFn>,
    /// The effects. Unless an effect has `also`, the first match ends the search.
    pub(crate) effects: &'static [Fact],
}

impl Entry {
    fn options(&self, name: &str) -> Options {
        self.options_of.iter().find(|(known, _)| *known == name).map_or(self.options, |(_, options)| *options)
    }

    /// Returns whether the program manages a cloud or another service.
    pub(super) fn is_cloud(&self) -> bool {
        self.effects.iter().any(|fact| fact.kind == "cloud")
    }

    /// Returns the alternative to an effect of the program `name`.
    fn instead(&self, name: &str, fact: &Fact) -> String {
        let own = self.instead_of.iter().find(|(known, _)| *known == name).map_or(self.instead, |(_, text)| text);
        let text = if fact.instead.is_empty() { own } else { fact.instead };
        let called = self.called.iter().find(|(known, _)| *known == name).map_or(name, |(_, called)| called);
        text.replace("{program}", called)
    }
}

/// An effect, and the conditions on calls that have it.
pub(crate) struct Fact {
    /// The names to which the effect applies. Empty: all.
    of: &'static [&'static str],
    /// The operands must start with one of these. Empty: any call.
    verbs: &'static [&'static [Step]],
    /// Alternative conditions, of which one must be met. Each is a list of parts, and each part a list of marks, of
    /// which one must match. Empty: no condition.
    with: &'static [&'static [&'static [Mark]]],
    /// Conditions that exclude the effect, in the same form.
    without: &'static [&'static [&'static [Mark]]],
    kind: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) severity: Severity,
    /// The sources of the target. The first that exists is used.
    target: &'static [Target],
    /// Whether the target is a path.
    path: bool,
    /// Whether the search continues with later effects of the table.
    also: bool,
    tags: &'static [(&'static str, &'static str)],
    /// Tags with an option's value.
    given: &'static [(&'static str, &'static [Mark])],
    /// Tags that are set if an option is on.
    flags: &'static [(&'static str, &'static [Mark])],
    loses: &'static str,
    instead: &'static str,
}

enum Step {
    /// `**`: up to four words.
    Deep,
    /// One of these words. Each can contain two `*`.
    Word(&'static [&'static str]),
}

/// An option that is on, an option with a value, or an operand after the verbs.
struct Mark {
    letter: &'static str,
    long: &'static str,
    value: &'static str,
    operand: &'static str,
}

/// The source of a target.
enum Target {
    /// The operand with this index after the verbs.
    At(usize),
    /// The first operand of the verbs, as in `service NAME stop`.
    Lead,
    /// Every operand after the verbs, with an effect for each.
    Each,
    /// The last operand after the verbs.
    Last,
    /// All operands after the verbs, as one text.
    Rest,
    /// No target.
    Nothing,
    Value(&'static str, &'static str),
}

/// Returns the entry of a program's name.
pub(crate) fn entry(name: &str) -> Option<&'static Entry> {
    let place = NAMES.binary_search_by(|(known, _)| (*known).cmp(name)).ok()?;
    NAMES.get(place).and_then(|(_, at)| ENTRIES.get(*at))
}

/// Returns whether the program is an agent, which takes any text as a task.
pub(super) fn is_agent(name: &str) -> bool {
    entry(name).is_some_and(|entry| entry.named == "agent")
}

/// Returns the names of all programs in the tables.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

/// Adds the effects of the program `name` with the arguments `words`. Returns false if no table has the program.
pub(super) fn find<'a>(run: &mut Run<'a>, name: &str, words: &'a [Word]) -> bool {
    find_as(run, name, name, words)
}

/// Adds the effects of a program with the syntax of the program `name`. The effects contain its `own` name.
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

//! The rules for the patterns of the starter file: what a pattern means, and where a setting applies it.
//!
//! A rule judges effects and not text. So `rm -rf ~/old` is no loss of a home, although the pattern `rm -rf ~` matches
//! it, and a pattern in quotes is data. A rule is one file beside this one, and one line in the list below.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};
use policy_blast_radius::{BlastRadius, blast_radius, deletes_whole};

use super::{
    chmod_777, dd_to_device, docker_rm, docker_system_prune, fork_bomb, kubectl_delete, mkfs, reboot, rm_rf_home,
    rm_rf_root, rm_rf_wildcard, service_stop, shutdown, write_to_device,
};
use crate::call_view::{CallView, Verdicts, is_of_file};
use crate::place::Place;
use crate::settings::Condition;

/// One pattern of the starter file.
pub(crate) struct Starter {
    pub(crate) rule: Rule,
    /// Its text and other spellings.
    pub(super) patterns: &'static [&'static str],
    /// Texts that may mean it in commands that weren't understood.
    pub(super) texts: &'static [&'static str],
    pub(super) hits: fn(&Effect, &CallView<'_>) -> bool,
}

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.rule.id)
    }
}

/// In the file's order, without the one for `rm`.
pub(crate) const STARTERS: &[Starter] = &[
    rm_rf_root::STARTER,
    rm_rf_home::STARTER,
    rm_rf_wildcard::STARTER,
    chmod_777::STARTER,
    fork_bomb::STARTER,
    mkfs::STARTER,
    dd_to_device::STARTER,
    write_to_device::STARTER,
    shutdown::STARTER,
    reboot::STARTER,
    service_stop::STARTER,
    kubectl_delete::STARTER,
    docker_rm::STARTER,
    docker_system_prune::STARTER,
];

/// Returns the starter for a pattern of the settings.
pub(crate) fn find_starter(pattern: &str) -> Option<&'static Starter> {
    STARTERS.iter().find(|starter| starter.patterns.contains(&pattern))
}

/// Returns the outcome in the starter file.
pub(crate) fn default(starter: &Starter) -> Outcome {
    starter.rule.default
}

pub(crate) fn check(effect: &Effect, view: &CallView<'_>, verdicts: &mut Verdicts) {
    for rule in &view.settings.bash {
        let Condition::Starter(starter) = rule.matter else { continue };
        if !(starter.hits)(effect, view) {
            continue;
        }
        let command = view.command(effect.command_id);
        if rule.outside {
            let place = if is_of_file(effect) { view.place(effect) } else { None };
            if place.or_else(|| Some(view.command_place(command?))) == Some(Place::Safe) {
                continue;
            }
        }
        let text = if effect.target.is_empty() { command.map(guard_sdk::syntax::Command::text) } else { None };
        let target = text.as_deref().unwrap_or(&effect.target);
        verdicts.add(&starter.rule, rule.outcome, starter.rule.summary, target, None);
    }
}

/// Checks the text of a call that wasn't fully understood. A match may be data, so the outcome is ask.
pub(crate) fn check_text(view: &CallView<'_>, verdicts: &mut Verdicts) {
    for rule in &view.settings.bash {
        let Condition::Starter(starter) = rule.matter else { continue };
        if !rule.outside
            && !verdicts.has(&starter.rule)
            && starter.texts.iter().any(|text| contains_name(view.raw_text(), text))
        {
            let what = format!("a text that is not understood may mean {}", starter.rule.summary);
            verdicts.add(&starter.rule, Outcome::Ask, &what, view.raw_text(), None);
        }
    }
}

/// Returns whether a text contains another one as a whole name: `server.shutdown()` isn't `shutdown`.
fn contains_name(text: &str, wanted: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let ends_in_name = wanted.ends_with(is_name);
    text.match_indices(wanted).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + wanted.len()..).and_then(|after| after.chars().next());
        let goes_on = |c: char| c == '(' || is_name(c) && c != '.';
        !(before.is_some_and(is_name) || ends_in_name && after.is_some_and(goes_on))
    })
}

/// Returns whether a starter already denies the deletion, so that its place doesn't matter.
pub(crate) fn is_caught(effect: &Effect, view: &CallView<'_>) -> bool {
    view.settings.bash.iter().any(|rule| match rule.matter {
        Condition::Starter(starter) => rule.outcome == Outcome::Deny && !rule.outside && (starter.hits)(effect, view),
        _ => false,
    })
}

pub(super) fn radius(effect: &Effect, view: &CallView<'_>) -> BlastRadius {
    blast_radius(effect, view.command(effect.command_id), &|| &view.facts)
}

/// Returns whether a whole directory is deleted. A plain `rm` removes a link, not its target.
pub(super) fn deletes_tree(effect: &Effect) -> bool {
    deletes_whole(effect) && (effect.operation == "fs.delete.recursive" || effect.tag("by") == Some("mv"))
}

/// Returns the program of an effect, without its folder and in lower case.
pub(super) fn program(effect: &Effect, view: &CallView<'_>) -> String {
    let command = view.command(effect.command_id);
    let name = effect.tag("by").or_else(|| command.map(|command| command.program()));
    name.unwrap_or_default().to_ascii_lowercase()
}

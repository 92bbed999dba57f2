//! The patterns of the starter file, by what they mean: effects, not text. So `rm -rf ~/old` is no loss of a home,
//! though the pattern `rm -rf ~` matches it, and a pattern in quotes is data.
//!
//! ## Why
//! Disks, systems and homes do not come back, and a machine or a service that stops is felt by others.
//! ## Example
//! `rm -rf /` · `chmod -R 777 .` · `shutdown -h now` · `kubectl delete pod x`
//! ## Settings
//! `rules.bash`: a pattern of the table, its action, and whether it holds only outside of safe places

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Rule};
use policy_blast_radius::{BlastRadius, blast_radius, takes_whole};

use crate::call_view::{CallView, Verdicts, is_of_file};
use crate::place::Place;
use crate::settings::Matter;

/// One pattern of the starter file.
pub(crate) struct Starter {
    pub(crate) rule: Rule,
    /// Its text, and other ways in which it was written.
    patterns: &'static [&'static str],
    /// Texts that may mean it where a command is not understood.
    texts: &'static [&'static str],
    hits: fn(&Effect, &CallView<'_>) -> bool,
}

impl std::fmt::Debug for Starter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.rule.id)
    }
}

const fn rule(id: &'static str, default: Outcome, summary: &'static str) -> Rule {
    Rule { id, summary, default, ceiling: Outcome::Deny }
}

/// In the order of the file, without the one for `rm`.
pub(crate) const STARTERS: &[Starter] = &[
    Starter {
        rule: rule("rm_rf_root", Outcome::Deny, "deletion of the root of the file system, or of a part of the system"),
        patterns: &["rm -rf /"],
        texts: &["rm -rf /"],
        hits: |effect, view| takes_tree(effect) && radius(effect, view) >= BlastRadius::System,
    },
    Starter {
        rule: rule("rm_rf_home", Outcome::Deny, "deletion of a home directory"),
        patterns: &["rm -rf ~"],
        texts: &["rm -rf ~"],
        hits: |effect, view| takes_tree(effect) && radius(effect, view) == BlastRadius::Home,
    },
    Starter {
        rule: rule("rm_rf_wildcard", Outcome::Deny, "deletion of the whole working directory"),
        patterns: &[r"rm -rf \*"],
        texts: &["rm -rf *"],
        hits: |effect, view| {
            let is_forced = effect.operation == "fs.delete.recursive" && effect.tag("force").is_some();
            let is_rm = effect.tag("by").is_none_or(|program| program.eq_ignore_ascii_case("rm"));
            is_forced && is_rm && radius(effect, view) == BlastRadius::WorkingDirectory
        },
    },
    Starter {
        rule: rule("chmod_777", Outcome::Deny, "files of a whole tree that anybody may change"),
        patterns: &["chmod -R 777"],
        texts: &["chmod -R 777"],
        hits: |effect, _| {
            effect.operation == "fs.mode"
                && effect.tag("recursive").is_some()
                && effect.tag("mode").is_some_and(is_open)
        },
    },
    Starter {
        rule: rule("fork_bomb", Outcome::Deny, "a function that starts itself without end"),
        patterns: &[":(){ :|:& };:", r":(){ :\|:& };:"],
        texts: &[":(){ :|:& };:"],
        hits: |effect, _| effect.operation == "process.fork-bomb",
    },
    Starter {
        rule: rule("mkfs", Outcome::Deny, "a new file system on a device"),
        patterns: &[r"mkfs\.", "mkfs.*"],
        texts: &["mkfs"],
        hits: |effect, _| effect.operation == "device.format",
    },
    Starter {
        rule: rule("dd_to_device", Outcome::Deny, "'dd' onto a device"),
        patterns: &["dd if=.* of=/dev/", "dd.*of=/dev/"],
        texts: &["of=/dev/"],
        hits: |effect, view| effect.operation == "device.write" && program(effect, view) == "dd",
    },
    Starter {
        rule: rule("write_to_device", Outcome::Deny, "a write to a device"),
        patterns: &["> /dev/sda"],
        texts: &["> /dev/sd"],
        hits: |effect, view| effect.operation == "device.write" && program(effect, view) != "dd",
    },
    Starter {
        rule: rule("shutdown", Outcome::Ask, "the machine is switched off"),
        patterns: &["shutdown"],
        texts: &["shutdown"],
        hits: |effect, view| {
            effect.operation == "power.off" || effect.kind == "power" && program(effect, view) == "shutdown"
        },
    },
    Starter {
        rule: rule("reboot", Outcome::Ask, "the machine is started anew"),
        patterns: &["reboot"],
        texts: &["reboot"],
        hits: |effect, view| effect.operation == "power.reboot" && program(effect, view) != "shutdown",
    },
    Starter {
        rule: rule("service_stop", Outcome::Ask, "a service that stops"),
        patterns: &["systemctl (stop|disable|mask)", r"systemctl (stop\|disable\|mask)"],
        texts: &["systemctl stop", "systemctl disable", "systemctl mask"],
        hits: |effect, _| matches!(effect.operation.as_str(), "service.stop" | "service.disable" | "service.mask"),
    },
    Starter {
        rule: rule("kubectl_delete", Outcome::Ask, "deletion of objects of a cluster"),
        patterns: &["kubectl delete"],
        texts: &["kubectl delete"],
        hits: |effect, _| effect.operation == "kubernetes.delete" && effect.tag("dry-run").is_none(),
    },
    Starter {
        rule: rule("docker_rm", Outcome::Ask, "removal of a container"),
        patterns: &["docker rm"],
        texts: &["docker rm"],
        hits: |effect, _| effect.operation == "container.remove",
    },
    Starter {
        rule: rule("docker_system_prune", Outcome::Ask, "deletion of all that no container uses"),
        patterns: &["docker system prune"],
        texts: &["docker system prune"],
        hits: |effect, _| effect.operation == "container.system.prune",
    },
];

/// The starter that a pattern of the settings means.
pub(crate) fn named(pattern: &str) -> Option<&'static Starter> {
    STARTERS.iter().find(|starter| starter.patterns.contains(&pattern))
}

/// What the starter file says of it.
pub(crate) fn default(starter: &Starter) -> Outcome {
    starter.rule.default
}

pub(crate) fn check(effect: &Effect, view: &CallView<'_>, verdicts: &mut Verdicts) {
    for rule in &view.settings.bash {
        let Matter::Starter(starter) = rule.matter else { continue };
        if !(starter.hits)(effect, view) {
            continue;
        }
        let command = view.command(effect.command_id);
        if rule.outside {
            let place = if is_of_file(effect) { view.place(effect) } else { None };
            if place.or_else(|| Some(view.place_of_command(command?))) == Some(Place::Safe) {
                continue;
            }
        }
        let text = if effect.target.is_empty() { command.map(guard_sdk::syntax::Command::text) } else { None };
        let target = text.as_deref().unwrap_or(&effect.target);
        verdicts.add(&starter.rule, rule.outcome, starter.rule.summary, target, None);
    }
}

/// Looks at the text of a call that was not understood as a whole. It may be data, so a person is asked.
pub(crate) fn check_text(view: &CallView<'_>, verdicts: &mut Verdicts) {
    for rule in &view.settings.bash {
        let Matter::Starter(starter) = rule.matter else { continue };
        if !rule.outside
            && !verdicts.has(&starter.rule)
            && starter.texts.iter().any(|text| holds(view.raw_text(), text))
        {
            let what = format!("a text that is not understood may mean {}", starter.rule.summary);
            verdicts.add(&starter.rule, Outcome::Ask, &what, view.raw_text(), None);
        }
    }
}

/// Whether a text holds another one that is not a part of a name: `server.shutdown()` is no `shutdown`.
fn holds(text: &str, wanted: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-');
    let ends_in_name = wanted.ends_with(is_name);
    text.match_indices(wanted).any(|(at, _)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + wanted.len()..).and_then(|after| after.chars().next());
        let goes_on = |c: char| c == '(' || is_name(c) && c != '.';
        !(before.is_some_and(is_name) || ends_in_name && after.is_some_and(goes_on))
    })
}

/// Whether a starter that denies has the deletion, so that nothing need be said of where it happens.
pub(crate) fn is_caught(effect: &Effect, view: &CallView<'_>) -> bool {
    view.settings.bash.iter().any(|rule| match rule.matter {
        Matter::Starter(starter) => rule.outcome == Outcome::Deny && !rule.outside && (starter.hits)(effect, view),
        _ => false,
    })
}

fn radius(effect: &Effect, view: &CallView<'_>) -> BlastRadius {
    blast_radius(effect, view.command(effect.command_id), &|| &view.facts)
}

/// Whether a whole directory goes. A plain `rm` takes a link, not what it leads to.
fn takes_tree(effect: &Effect) -> bool {
    takes_whole(effect) && (effect.operation == "fs.delete.recursive" || effect.tag("by") == Some("mv"))
}

/// The program that has an effect, without its folder and in lower case.
fn program(effect: &Effect, view: &CallView<'_>) -> String {
    let command = view.command(effect.command_id);
    let name = effect.tag("by").or_else(|| command.map(|command| command.program()));
    name.unwrap_or_default().to_ascii_lowercase()
}

/// A mode that lets anybody read, write and run.
fn is_open(mode: &str) -> bool {
    let digits = mode.trim_start_matches('0');
    digits == "777" || matches!(mode, "a+rwx" | "a=rwx" | "ugo+rwx" | "ugo=rwx" | "+rwx" | "=rwx")
}

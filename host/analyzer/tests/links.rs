//! Links that a text creates, and its later uses of them.

#![cfg(test)]

use guard_sdk::syntax::{Effect, Severity};

fn effects(command: &str) -> Vec<Effect> {
    guard_testing::analyze(command, "bash", "/repo", "/home/u").effects
}

#[track_caller]
fn reaches(command: &str, operation: &str, place: &str) {
    let effects = effects(command);
    let found = effects.iter().any(|effect| effect.operation == operation && effect.path.raw == place);
    let all: Vec<_> = effects.iter().map(|effect| (&effect.operation, &effect.path.raw)).collect();
    assert!(found, "{command}: {all:?}");
}

#[test]
fn a_later_path_through_a_link_counts_where_the_link_leads_too() {
    for made in [
        "ln -s ~/.settings q",
        "ln -sfn ~/.settings q",
        "ln -s ../home/u/.settings q",
        "ln -sr ~/.settings q",
        "cp -s ~/.settings q",
        "cp -rs ~/.settings q",
        "ln -s ~ up; ln -s up/.settings q",
        "ln -s ~/.settings first; mv first q",
        "ln -s ~/.settings first; cp -a first q",
        "(cd ~ && ln -s ~/.settings /repo/q)",
        "d=~/.settings; ln -s \"$d\" q",
        "ln -s ~ .settings; ln -s .settings/.settings q",
    ] {
        reaches(&format!("{made}; echo x > q/a.json"), "fs.write", "/home/u/.settings/a.json");
        reaches(&format!("{made}; echo x > q/a.json"), "fs.write", "/repo/q/a.json");
        reaches(&format!("{made}; rm q/sub/a.json"), "fs.delete", "/home/u/.settings/sub/a.json");
        reaches(&format!("{made}; cd q && cat a.json"), "fs.read", "/home/u/.settings/a.json");
    }
}

#[test]
fn a_link_in_a_folder_and_a_pattern_of_it_are_followed() {
    reaches("ln -st . ~/.settings; tee .settings/a < b", "fs.write", "/home/u/.settings/a");
    reaches("ln -s ~/.settings sub/; tee sub/.settings/a < b", "fs.write", "/home/u/.settings/a");
    reaches("ln -s ~/.settings linked; tee lin*/a < b", "fs.write", "/home/u/.settings/a");
    reaches("ln ~/.settings/a hard; echo x > hard", "fs.write", "/home/u/.settings/a");
    reaches("ln -s ~/.settings/a soft; echo x > soft", "fs.write", "/home/u/.settings/a");
    reaches("ln -s ~/.settings q; cp a.json q", "fs.write", "/home/u/.settings/a.json");
}

#[test]
fn a_tree_behind_a_link_is_lost_as_by_its_own_name() {
    for command in ["ln -s ~ q; rm -rf q/*", "ln -s / q; rm -rf q/home", "ln -s ~ q; rm -rf q/"] {
        let effects = effects(command);
        assert!(effects.iter().any(|effect| effect.severity == Severity::Catastrophic), "{command}");
    }
}

#[test]
fn a_link_that_is_removed_or_replaced_is_one_itself() {
    for command in ["ln -s ~ q; rm q", "ln -s ~ q; rm -rf q", "ln -s ~ q; mv q r", "ln -s ~ q; ln -sfT /tmp q"] {
        let effects = effects(command);
        assert!(effects.iter().all(|effect| effect.tag("through").is_none()), "{command}: {effects:?}");
    }
}

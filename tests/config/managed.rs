//! The managed file: it comes first, it may lock names, and if it is broken, every call is held.

use guard_contract::Layer;
use guard_contract::Outcome;
use serde_json::json;

use crate::support::layers::Layers;
use crate::support::world::World;
use crate::texts::assert_text;

const LIST: &[(&str, &str)] = &[("Bash", "ls"), ("Bash", "git push")];

fn outcomes(layers: &Layers) -> Vec<Outcome> {
    let calls: Vec<_> = LIST.iter().map(|(tool, command)| (*tool, json!({ "command": command }))).collect();
    layers.decide(&calls).iter().map(|verdict| verdict.outcome).collect()
}

#[test]
fn an_empty_managed_file_is_a_mistake_before_it_is_in_use() {
    let world = World::new();
    for text in ["", "# preset = \"standard\"\n", "lock = []\n"] {
        world.write("repo/new.toml", text);
        let ended = world.run(&["config", "check", "new.toml", "--managed"], "");
        assert!(ended.exit == 78 && ended.stderr.contains("sets nothing, so no policy is managed"), "{ended:?}");
    }
}

#[test]
fn a_managed_preset_is_a_policy() {
    let world = World::new();
    world.write("repo/new.toml", "preset = \"standard\"\n");
    let ended = world.run(&["config", "check", "new.toml", "--managed"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
}

#[test]
fn a_broken_managed_file_denies_every_call() {
    for text in
        ["preset = \n", "unknown = 1\n", "[[policy]]\nname = \"no-such-built-in\"\n", "min-version = \"99.0\"\n"]
    {
        let layers = Layers::new().managed(text);
        assert_eq!(outcomes(&layers), [Outcome::Deny, Outcome::Deny], "{text}");
        layers.assert_problem(&["managed/guard.toml"]);
    }
}

#[test]
fn a_broken_user_file_asks_about_every_call() {
    assert_eq!(outcomes(&Layers::new().user("preset = \n")), [Outcome::Ask, Outcome::Ask]);
}

#[test]
fn a_broken_project_file_asks_about_every_call() {
    assert_eq!(outcomes(&Layers::new().project("preset = \n")), [Outcome::Ask, Outcome::Ask]);
}

#[test]
fn the_layers_stand_in_their_order() {
    let entry = |name: &str| format!("[[policy]]\nname = \"{name}\"\nsource = \"builtin:command-guard\"\n");
    let layers = Layers::new().managed(entry("managed-one")).user(entry("user-one")).project(entry("project-one"));
    let entries = layers.load().entries;
    let names: Vec<_> = entries.iter().map(|entry| (entry.layer, entry.name.as_str())).collect();
    assert_eq!(names.first(), Some(&(Layer::Managed, "managed-one")));
    assert_eq!(names.last(), Some(&(Layer::Project, "project-one")));
    assert!(names.is_sorted_by_key(|(layer, _)| *layer), "{names:?}");
    assert!(names.contains(&(Layer::User, "command-guard")) && names.contains(&(Layer::User, "user-one")));
}

#[test]
fn a_locked_name_is_not_replaced_and_the_try_is_told() {
    let silenced = "[[policy]]\nname = \"command-guard\"\nsettings = { silence = [\"git-push\"] }\n";
    let layers = Layers::new().managed("lock = [\"command-guard\"]\n").user(silenced);
    assert_text!("managed_locked", layers.problem());
    assert_eq!(outcomes(&layers), [Outcome::Ask, Outcome::Ask]);
    let settings: Vec<_> = layers.load().entries.into_iter().filter(|entry| entry.name == "command-guard").collect();
    assert_eq!(settings.len(), 1);
    assert_eq!(settings[0].settings, "{}");
}

#[test]
fn a_locked_policy_fails_closed_in_every_preset() {
    let managed = "lock = [\"command-guard\", \"self-protect\"]\n";
    for user in ["", "preset = \"standard\"\n", "preset = \"full\"\n", "preset = \"none\"\n"] {
        let entries = Layers::new().managed(managed).user(user).load().entries;
        assert!(entries.len() >= 2, "{user}");
        for entry in entries {
            let is_locked = ["command-guard", "self-protect"].contains(&entry.name.as_str());
            assert_eq!(entry.on_error == Outcome::Deny, is_locked, "{user}: {}", entry.name);
        }
    }
    let own = "lock = [\"command-guard\"]\n[[policy]]\nname = \"command-guard\"\non-error = \"ask\"\n";
    let entries = Layers::new().managed(own).load().entries;
    assert!(entries.iter().all(|entry| entry.on_error == Outcome::Ask), "the managed entry's own value applies");
}

#[test]
fn a_locked_name_does_not_go_with_the_preset() {
    let layers = Layers::new().managed("lock = [\"command-guard\"]\n").user("preset = \"none\"\n");
    assert_eq!(layers.names(), ["command-guard"]);
    assert_eq!(outcomes(&layers), [Outcome::Abstain, Outcome::Ask]);
}

#[test]
fn a_hook_for_some_policies_leaves_out_no_managed_one() {
    let push = [("Bash", json!({ "command": "git push --force origin main" }))];
    let only = ["protected-files".to_owned()];
    for (managed, expected) in [
        ("preset = \"standard\"\n", Outcome::Deny),
        ("lock = [\"command-guard\"]\n", Outcome::Deny),
        ("bypass-ask = \"ask\"\n", Outcome::Abstain),
    ] {
        let verdicts = Layers::new().managed(managed).decide_only(Some(&only), &push);
        assert_eq!(verdicts[0].outcome, expected, "{managed}");
    }
}

#[test]
fn a_managed_preset_cannot_be_taken_away() {
    let layers = Layers::new().managed("preset = \"standard\"\n").user("preset = \"none\"\n");
    assert!(layers.names().contains(&"command-guard".to_owned()));
    assert!(layers.load().entries.iter().all(|entry| entry.layer == Layer::Managed));
    assert_eq!(outcomes(&layers), [Outcome::Abstain, Outcome::Ask]);
}

#[test]
fn a_user_entry_of_a_managed_name_comes_after_it() {
    let silenced = "[[policy]]\nname = \"command-guard\"\nsettings = { silence = [\"git-push\"] }\n";
    let layers = Layers::new().managed("preset = \"standard\"\n").user(silenced);
    assert_eq!(outcomes(&layers), [Outcome::Abstain, Outcome::Ask]);
}

#[test]
fn the_values_of_the_managed_file_win() {
    use guard_config::{AuditLevel, BypassAsk, OnMalformed};

    let layers = Layers::new()
        .managed("on-malformed = \"deny\"\nbypass-ask = \"deny\"\ndeadline-ms = 500\n[audit]\nlevel = \"all\"\npath = \"/m/a.jsonl\"\n")
        .user("on-malformed = \"allow\"\nbypass-ask = \"skip\"\ndeadline-ms = 1000\n[audit]\nlevel = \"interventions\"\npath = \"/u/a.jsonl\"\nmax-bytes = 5000\n");
    let config = layers.load();
    assert_eq!((config.on_malformed, config.bypass_ask), (Some(OnMalformed::Deny), BypassAsk::Deny));
    assert_eq!((config.deadline_ms, config.audit.level), (500, AuditLevel::All));
    assert_eq!((config.audit.path.to_string_lossy().as_ref(), config.audit.max_bytes), ("/m/a.jsonl", 5000));
}

#[test]
fn a_managed_lock_of_an_unknown_name_is_told() {
    let layers = Layers::new().managed("lock = [\"comand-guard\"]\n").user("preset = \"none\"\n");
    let mistakes = layers.check();
    let told = mistakes.iter().find(|mistake| mistake.problem.text.contains("`comand-guard`")).unwrap();
    assert_eq!((told.problem.layer, told.problem.hint.as_str()), (Layer::Managed, "did you mean `command-guard`?"));
    assert_eq!(told.place().1.map(|(line, _)| line), Some(1), "{told:?}");
    // The policies to lock are unknown, so calls need confirmation until the file is fixed.
    assert!(!layers.load().problems.is_empty());
}

#[test]
fn a_users_single_key_loosens_no_locked_policy() {
    use guard_config::BypassAsk;
    use guard_contract::scripts::Scripts;

    let user = "preset = \"none\"\nscripts = \"off\"\non-malformed = \"allow\"\nbypass-ask = \"skip\"\ndeadline-ms = 100\n\
                [[tool]]\nmatch = \"mcp__box__exec\"\nurl = \"command\"\n\
                [[allow]]\ncommand = [\"git\", \"push\"]\nrules = [\"command-guard:git-push\"]\n\
                [[policy]]\nname = \"protected-files\"\nenabled = false\n";
    let config = Layers::new().managed("preset = \"standard\"\nlock = [\"command-guard\"]\n").user(user).load();
    assert_eq!((config.scripts, config.on_malformed), (Scripts::Changed, None));
    assert_eq!((config.bypass_ask, config.deadline_ms), (BypassAsk::Ask, 2000));
    assert!(config.tools.iter().all(|entry| entry.adds));
    assert!(config.entries.iter().any(|entry| entry.name == "protected-files"));
    let told: Vec<&str> = config.ineffective.iter().map(|problem| problem.text.as_str()).collect();
    let keys = [
        "preset",
        "scripts",
        "on-malformed",
        "bypass-ask",
        "deadline-ms",
        "mcp__box__exec",
        "git push",
        "protected-files",
    ];
    for key in keys {
        assert!(told.iter().any(|text| text.contains(&format!("`{key}`"))), "{key}: {told:#?}");
    }
    assert_eq!(told.len(), keys.len(), "{told:#?}");
    // Without a managed policy, all of it applies.
    let config = Layers::new().user(user).load();
    assert_eq!((config.scripts, config.bypass_ask), (Scripts::Off, BypassAsk::Skip));
    assert_eq!(config.ineffective, Vec::new());
}

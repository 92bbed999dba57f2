//! The project's file: the keys that it can't set.

use guard_contract::Outcome;
use serde_json::json;

use crate::support::layers::Layers;
use crate::support::reply::assert_warn;
use crate::support::terminal::attended;
use crate::support::texts::{Transcript, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

fn entry(more: &str) -> String {
    format!("[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\n{more}\n")
}

#[test]
fn what_would_loosen_is_refused_and_asks() {
    let entries: String = (0..17)
        .map(|number| format!("[[policy]]\nname = \"p{number}\"\nsource = \"builtin:command-guard\"\n"))
        .collect();
    let refused = [
        "preset = \"none\"\n".to_owned(),
        "on-malformed = \"allow\"\n".to_owned(),
        "bypass-ask = \"skip\"\n".to_owned(),
        "deadline-ms = 100\n".to_owned(),
        "lock = [\"command-guard\"]\n".to_owned(),
        "[audit]\npath = \"/dev/null\"\n".to_owned(),
        "[session]\nfile = \"/tmp/x\"\n".to_owned(),
        entry("on-error = \"allow\""),
        entry("may-allow = true"),
        entry("limits = { time-ms = 1500 }"),
        entry("limits = { memory-mib = 1024 }"),
        entry("[policy.grants]\nenv = [\"HOME\"]"),
        entry("[policy.grants.journal]\nx = \"/tmp/x\""),
        entries,
    ];
    let mut shown = Vec::new();
    for text in refused {
        let layers = Layers::new().project(&text);
        layers.assert_problem(&["repo/.guard/guard.toml"]);
        assert_eq!(layers.names(), Layers::new().names(), "{text}");
        shown.push(normalize(&layers.world, &format!("{}\n", layers.problems().join("\n"))));
    }
    assert_text!("config_of_a_project", shown.join("\n"));
}

#[test]
fn a_policy_of_another_file_is_not_switched_off() {
    let switch = |name: &str| Layers::new().project(format!("[[policy]]\nname = \"{name}\"\nenabled = false\n"));
    let problem = switch("mine").problem();
    // Some are near the name of a built-in.
    for name in ["a", "team", "rego-x", "comand-guard"] {
        assert!(problem.lines().last().is_some_and(|hint| switch(name).problem().contains(hint)), "{name}");
    }
    assert_text!("project_switches_off", problem);
}

#[test]
fn a_file_behind_a_link_that_leads_out_is_refused_and_not_quoted() {
    let layers = Layers::new().project("");
    let secret = layers.world.write("secret", "password = \"hunter2\"\n");
    let file = layers.world.write("repo/.guard/guard.toml", "");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&secret, &file).unwrap();
    layers.assert_problem(&["repo/.guard/guard.toml", "link", &layers.world.repo().display().to_string()]);
    assert!(!layers.problems()[0].contains("password"), "{:?}", layers.problems());
}

#[test]
fn a_file_behind_a_link_within_the_project_counts() {
    let layers = Layers::new().project("");
    let shared = layers.world.write("repo/shared.toml", entry(""));
    let file = layers.world.write("repo/.guard/guard.toml", "");
    std::fs::remove_file(&file).unwrap();
    std::os::unix::fs::symlink(&shared, &file).unwrap();
    assert_eq!(layers.problems(), [""; 0]);
    assert!(layers.names().contains(&"ours".to_owned()));
}

#[test]
fn a_refused_file_asks_and_lifts_no_deny() {
    let layers = Layers::new().project("preset = \"none\"\n");
    let verdicts = layers.decide(&[("Bash", json!({ "command": "ls" })), ("Bash", json!({ "command": "rm -rf /" }))]);
    assert_eq!(verdicts[0].outcome, Outcome::Ask);
    assert_eq!(verdicts[1].outcome, Outcome::Deny);
}

#[test]
fn sixteen_entries_with_the_tightest_values_are_taken() {
    let entries: String = (0..16)
        .map(|number| {
            format!(
                "[[policy]]\nname = \"p{number}\"\nsource = \"builtin:protected-files\"\non-error = \"deny\"\nmay-allow = false\n\
                 limits = {{ time-ms = 100, memory-mib = 32 }}\n[policy.grants]\nread = [\"/etc\"]\n"
            )
        })
        .collect();
    let layers = Layers::new().project(entries);
    assert_eq!(layers.problems(), [""; 0]);
    assert_eq!(layers.names().len(), Layers::new().names().len() + 16);
}

#[test]
fn an_entry_of_a_known_name_replaces_nothing() {
    let same =
        "[[policy]]\nname = \"command-guard\"\ntools = [\"PowerShell\"]\nsettings = { silence = [\"git-push\"] }\n";
    let layers = Layers::new().project(same);
    assert_eq!(layers.names().iter().filter(|name| *name == "command-guard").count(), 2);
    let verdicts = layers.decide(&[("Bash", json!({ "command": "git push" }))]);
    assert_eq!(verdicts[0].outcome, Outcome::Ask);
}

#[test]
fn the_settings_file_of_a_project_lies_in_the_project() {
    let layers = Layers::new();
    layers.world.write("secret.txt", "a word that is no project's business");
    for path in ["~/secret.txt", "../../secret.txt", &layers.world.path("secret.txt").to_string_lossy()] {
        layers.world.write("repo/.guard/guard.toml", entry(&format!("settings-file = \"{path}\"")));
        let config = layers.load();
        assert!(config.entries.iter().all(|entry| !entry.settings.contains("no project's business")), "{path}");
    }
    std::os::unix::fs::symlink(layers.world.path("secret.txt"), layers.world.path("repo/.guard/link.txt")).unwrap();
    layers.world.write("repo/.guard/guard.toml", entry("settings-file = \"link.txt\""));
    let config = layers.load();
    assert!(config.entries.iter().all(|entry| !entry.settings.contains("no project's business")), "by a link");
}

#[test]
fn the_settings_file_of_a_project_is_read_beside_its_file() {
    let layers = Layers::new().project(entry("settings-file = \"ours.json\""));
    layers.world.write("repo/.guard/ours.json", "{\"raise\":[\"git-push\"]}");
    let verdicts = layers.decide(&[("Bash", json!({ "command": "git push" }))]);
    assert_eq!(verdicts[0].outcome, Outcome::Deny);
}

#[test]
fn a_project_file_that_is_the_users_own_counts_once() {
    let mut layers = Layers::new();
    layers.dirs.config = layers.world.repo().join(".guard/guard.toml");
    let layers = layers.project(format!("preset = \"standard\"\n{}", entry("on-error = \"allow\"")));
    assert_eq!(layers.problems(), [""; 0]);
    assert_eq!(layers.names().iter().filter(|name| *name == "ours").count(), 1);
}

/// A warning loosens nothing, so it needs no trust.
#[test]
fn a_warned_path_is_told_the_same_with_and_without_trust() {
    let world = World::new();
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"files\"\nsource = \"builtin:write-control\"\n\
         settings = { protected = [], warned = [\"billing/**\"], safe = [\"notes/**\"] }\n",
    );
    let case = |path: &str, expected: &str| {
        format!(
            "[[cases]]\ntool = \"Write\"\ninput = {{ file_path = \"/repo/{path}\", content = \"x\" }}\nexpect = \"{expected}\"\n"
        )
    };
    world.write("repo/.guard/cases/files.toml", case("billing/a.js", "warn") + &case("notes/a.md", "abstain"));
    let write = |path: &str| {
        let payload =
            json!({ "cwd": world.repo(), "tool_name": "Write", "tool_input": { "file_path": path, "content": "" } });
        world.hook(&payload.to_string())
    };
    for is_trusted in [false, true] {
        if is_trusted {
            assert_eq!(attended(&world, &["trust", "--yes"]).exit, 0);
        }
        let ended = write("billing/a.js");
        assert_warn(&ended, &["billing/a.js"]);
        assert!(write("notes/a.md").is_silent() && write("b.js").is_silent());
        for arguments in [&["test", "chain", ".guard/cases"][..], &["ci"]] {
            let ended = world.run(arguments, "");
            assert_eq!(ended.exit, 0, "{is_trusted}: {ended:?}");
        }
    }
}

#[test]
fn a_file_that_only_lacks_trust_is_not_called_broken() {
    let world = World::new();
    let text = format!("{}[policy.grants]\nenv = [\"CI\"]\n", entry("settings-file = \"ours.json\""));
    world.write("repo/.guard/guard.toml", text);
    world.write("repo/.guard/ours.json", "{}");
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("ls"), &["[config: broken-config]"]);
    assert_eq!(attended(&world, &["trust", "--yes"]).exit, 0);
    assert!(world.bash("ls").is_silent());
    world.write("repo/.guard/ours.json", "{ \"raise\": [] }");
    told.ask(&world, &world.bash("ls"), &["[config: broken-config]"]);
    assert_text!("project_untrusted", told.0);
}

#[test]
fn an_agent_does_not_change_the_files_that_a_configuration_uses() {
    let rego = "package guard\n\ndeny contains {\"rule\": \"no-x\", \"message\": \"m\"} if input.tool == \"X\"\n";
    let layers = Layers::new();
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, layers.world.path(at)).unwrap();
    layers.world.write("repo/policy/guard.rego", rego);
    layers.world.write("repo/settings.json", "{}");
    layers.world.write("repo/linked.json", "{}");
    layers.world.write(
        "repo/cfg/guard.toml",
        "[[policy]]\nname = \"a\"\nsource = \"builtin:command-guard\"\nsettings-file = \"../settings.json\"\n\
         [[policy]]\nname = \"b\"\nsource = \"builtin:command-guard\"\nsettings-file = \"link.json\"\n\
         [[policy]]\nname = \"c\"\nsource = \"builtin:rego\"\nsettings-file = \"../policy\"\n",
    );
    link("../linked.json", "repo/cfg/link.json");
    link("cfg", "repo/.guard");
    assert_eq!(layers.problems(), [""; 0]);
    let write = |path: &str| ("Write", json!({ "file_path": path, "content": "" }));
    let bash = |command: &str| ("Bash", json!({ "command": command }));
    let stopped = [
        write("settings.json"),
        write("linked.json"),
        write("policy/guard.rego"),
        write("policy/data.json"),
        write("cfg/guard.toml"),
        bash("sed -i s/deny/ask/ settings.json"),
        bash("cp a linked.json"),
        bash("mv policy/guard.rego b"),
        bash("rm -r policy"),
    ];
    for (verdict, call) in layers.decide(&stopped).iter().zip(&stopped) {
        assert_eq!(verdict.outcome, Outcome::Deny, "{call:?}");
    }
    let passing =
        [write("other.json"), write("policies/guard.rego"), bash("cat settings.json"), bash("chmod -R u+w .")];
    for (verdict, call) in layers.decide(&passing).iter().zip(&passing) {
        assert!(!verdict.findings.iter().any(|found| found.finding.rule == "guard-file"), "{call:?}");
    }
}

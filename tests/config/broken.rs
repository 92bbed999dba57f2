//! Invalid files: the whole layer is dropped, and the verdict has the location and the reason.

use serde_json::{Value, json};

use crate::support::layers::Layers;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::World;
use crate::texts::assert_text;

#[test]
fn a_file_that_is_no_toml_asks_and_names_file_line_and_hint() {
    let world = World::new();
    world.configure("preset = \"standard\"\non-malformed = \"ask\n");
    let ended = world.bash("ls");
    assert_ask(&ended, &["[config: broken-config]", "guard.toml:2:", "Instead: "]);
    assert_deny(&world.bash("rm -rf /"), &["guard.toml:2:", "[command-guard: rm-root]"]);
}

#[test]
fn a_broken_file_is_found_by_config_check() {
    let world = World::new();
    world.configure("preset = \"standrad\"\n");
    assert_text!("config_check_broken", &world, 78, world.run(&["config", "check"], ""));
}

#[test]
fn what_is_odd_about_a_file_is_told_with_its_layer_and_its_line() {
    let world = World::new();
    world.write(
        "repo/.guard/guard.toml",
        "\n[[policy]]\nname = \"gone\"\non-error = \"deny\"\nsource = \"./gone.wasm\"\n",
    );
    let ended = world.run(&["config", "check", "--format", "json"], "");
    let checked: Value = serde_json::from_str(&ended.stdout).unwrap();
    let first = &checked["problems"][0];
    assert_eq!((&first["layer"], &first["line"]), (&json!("project"), &json!(5)), "{ended:?}");
    let warned = world.run(&["check", "ls"], "").stderr;
    assert_text!("config_odd", normalize(&world, &format!("{}\n{warned}", first["text"])));
}

#[test]
fn a_file_that_is_named_and_not_there_is_told() {
    let world = World::new();
    for line in [&["config", "check", "--config", "./guard.toml"][..], &["--config", "./guard.toml", "config", "check"]]
    {
        assert_text!("config_not_there", &world, 66, world.run(line, ""));
    }
    // The usual file may be missing.
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
    world.write("repo/guard.toml", "");
    assert_eq!(world.run(&["config", "check", "--config", "./guard.toml"], "").exit, 0);
}

#[test]
fn a_component_that_is_not_the_pinned_one_is_found_by_config_check() {
    let world = World::new();
    let check = |entry: &str| {
        world.configure(&format!("[[policy]]\nname = \"mine\"\n{entry}"));
        world.run(&["config", "check"], "")
    };
    world.write("mine.wasm", "abc");
    // The digest of `abc`, from the standard.
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    let mut transcript = Transcript::default();
    transcript.add(&world, 78, &check(&format!("source = \"~/mine.wasm\"\nsha256 = \"{digest}\"\n")));
    let other = digest.replace('b', "c");
    let ended = check(&format!("source = \"~/mine.wasm\"\nsha256 = \"{other}\"\n"));
    assert!(ended.stderr.contains(digest) && ended.stderr.contains(&other), "{ended:?}");
    transcript.add(&world, 78, &ended);
    transcript.add(&world, 78, &check(&format!("source = \"builtin:command-guard\"\nsha256 = \"{digest}\"\n")));
    transcript.add(&world, 78, &check("source = \"~/gone.wasm\"\n"));
    assert_text!("config_pinned", transcript.0);
}

#[test]
fn an_unknown_key_names_the_nearest_known_one() {
    let problems = [
        "on-malformd = \"ask\"\n",
        "bypass_ask = \"deny\"\n",
        "\n\npolicies = []\n",
        "[audit]\nlevle = \"all\"\n",
        "[[policy]]\nname = \"command-guard\"\ntool = [\"Bash\"]\n",
        "[[policy]]\nname = \"command-guard\"\n[policy.grants]\nenvs = []\n",
        "[[policy]]\nname = \"command-guard\"\nlimits = { time = 5 }\n",
        "preset = \"ful\"\n",
        "[[policy]]\nname = \"command-guard\"\non-error = \"alow\"\n",
        // Similar to no known key.
        "frobnication-level-of-the-day = 1\n",
    ];
    assert_text!("config_unknown_keys", problems.map(|text| Layers::new().user(text).problem()).concat());
}

#[test]
fn the_line_of_an_unknown_key_is_its_own() {
    let layers = Layers::new().user("# one\npreset = \"standard\"\n\n[audit]\nlevle = \"all\"\n");
    layers.assert_problem(&["guard.toml:5:1"]);
}

#[test]
fn a_value_out_of_range_is_refused() {
    let mut shown = Vec::new();
    for text in [
        "deadline-ms = 99\n",
        "deadline-ms = 2001\n",
        "deadline-ms = -1\n",
        "[[policy]]\nname = \"command-guard\"\nlimits = { time-ms = 5 }\n",
        "[[policy]]\nname = \"command-guard\"\nlimits = { memory-mib = 4096 }\n",
        "[[policy]]\nname = \"command-guard\"\nsha256 = \"abc\"\n",
        "[[policy]]\nname = \"Command Guard\"\n",
        "[[policy]]\nsource = \"builtin:command-guard\"\n",
        "[[policy]]\nname = \"no-such-built-in\"\n",
        "[[policy]]\nname = \"x\"\nsource = \"builtin:no-such-built-in\"\n",
        "[[policy]]\nname = \"command-guard\"\n[[policy]]\nname = \"command-guard\"\n",
        "[[policy]]\nname = \"command-guard\"\nsettings = {}\nsettings-file = \"x.json\"\n",
        "lock = [\"command-guard\"]\n",
    ] {
        let layers = Layers::new().user(text);
        assert_eq!(layers.names(), Layers::new().names(), "{text}");
        shown.push(layers.problem());
    }
    assert_text!("config_out_of_range", shown.join("\n"));
}

#[test]
fn a_pattern_of_tools_that_is_no_glob_does_not_silence_the_policy() {
    let world = World::new();
    world.configure("[[policy]]\nname = \"command-guard\"\ntools = [\"[Bash\"]\n");
    let ended = world.bash("rm -rf /");
    assert!(["ask", "deny"].contains(&ended.decision().as_str()), "{ended:?}");
}

#[test]
fn a_file_that_is_no_file_or_no_text_or_too_large_is_a_problem() {
    let layers = Layers::new();
    std::fs::create_dir_all(&layers.dirs.config).unwrap();
    let others = [b"\xff\xfe".to_vec(), vec![b'#'; (1 << 20) + 1]].map(|text| Layers::new().user(text).problem());
    assert_text!("config_no_file", layers.problem() + &others.concat());
    let linked = Layers::new();
    std::fs::create_dir_all(linked.dirs.config.parent().unwrap()).unwrap();
    std::os::unix::fs::symlink("/nowhere", &linked.dirs.config).unwrap();
    assert!(linked.problem().contains("create the file, or remove the link"), "{}", linked.problem());
}

#[test]
fn a_configuration_that_is_a_pipe_holds_nobody_up() {
    let layers = Layers::new();
    let file = &layers.dirs.config;
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(file).status().unwrap().success());
    assert_text!("config_pipe", layers.problem());
}

#[test]
fn a_version_that_is_too_new_is_told_plainly() {
    let text = "min-version = \"99.0.0\"\n";
    let layers = [Layers::new().user(text), Layers::new().managed(text), Layers::new().project(text)];
    let said = layers.map(|layers| layers.problem()).concat();
    assert_text!("config_too_new", said.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    assert!(Layers::new().user("min-version = \"0.1.0\"\n").problems().is_empty());
    assert!(Layers::new().user("min-version = \"0.0.9\"\n").problems().is_empty());
}

#[test]
fn a_minimum_that_is_no_version_is_told_with_its_key() {
    for odd in ["v9", "9", "0.1", "", "latest", "0.1.0.0", "00.1.0", ">=0.1.0"] {
        let words = ["guard.toml", "`min-version`", &format!("`{odd}`")];
        Layers::new().user(format!("min-version = \"{odd}\"\n")).assert_problem(&words);
        Layers::new().managed(format!("min-version = \"{odd}\"\n")).assert_problem(&words);
        Layers::new().project(format!("min-version = \"{odd}\"\n")).assert_problem(&words);
    }
    Layers::new().user("min-version = 9\n").assert_problem(&["guard.toml:1:", "string"]);
    Layers::new().user("min-version = \"99.0.0-alpha.1\"\n").assert_problem(&["guard-host 99.0.0-alpha.1"]);
    assert!(Layers::new().user("min-version = \"0.1.0-alpha.1+build\"\n").problems().is_empty());
}

#[test]
fn a_version_that_is_too_new_is_told_before_the_keys_that_came_with_it() {
    let version = "min-version = \"99.0.0\"\n";
    let layers = Layers::new().user(format!("{version}key-of-version-99 = true\n"));
    assert_eq!(layers.problem(), Layers::new().user(version).problem());
}

#[test]
fn a_repaired_file_counts_at_the_next_call() {
    let world = World::new();
    world.configure("preset = \n");
    assert_ask(&world.bash("ls"), &["broken-config"]);
    world.configure("preset = \"standard\"\n");
    assert_silent(&world.bash("ls"));
    world.configure("preset = \"none\"\n");
    assert_silent(&world.bash("rm -rf /"));
    std::fs::remove_file(world.path(".config/guard-host/guard.toml")).unwrap();
    assert_deny(&world.bash("rm -rf /"), &[]);
}

#[test]
fn the_other_layers_run_on_when_one_is_broken() {
    let stricter =
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nsettings = { raise = [\"git-push\"] }\n";
    let layers = Layers::new().user("preset = \n").project(stricter);
    assert_eq!(layers.names().last().map(String::as_str), Some("ours"));
    let verdicts = layers.decide(&[("Bash", json!({ "command": "git push" }))]);
    let told: Vec<_> = verdicts[0].findings.iter().map(|found| found.policy.as_str()).collect();
    assert!(told.contains(&"config") && told.contains(&"command-guard") && told.contains(&"ours"), "{told:?}");
}

#[test]
fn what_is_written_to_is_never_a_configuration() {
    let problems = [
        "[audit]\npath = \"~/.claude/settings.json\"\n",
        "[audit]\npath = \"~/.config/guard-host/guard.toml\"\n",
        "[session]\nfile = \"~/.claude/settings.local.json\"\n",
        "[session]\nfile = \"pyproject.toml\"\n",
    ];
    assert_text!("config_written_to", problems.map(|text| Layers::new().user(text).problem()).concat());
    assert_eq!(Layers::new().user("[audit]\npath = \"~/logs/guardrail.jsonl\"\n").problems(), [""; 0]);
    assert_eq!(Layers::new().user("[session]\nfile = \"~/state/guardrail-session.json\"\n").problems(), [""; 0]);
}

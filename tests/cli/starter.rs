//! `config init` and `config schema`: starter files, and the schema for editors.

use std::fs;

use serde_json::{Value, json};

use crate::docs::FOR_USERS;
use crate::support::pages::{blocks, root};
use crate::support::schema::complaints;
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

const FILES: [&str; 3] = ["guard.toml", "guardrails.json", "write-policies.json"];

fn schema(arguments: &[&str]) -> Value {
    let ended = World::new().run(&[&["config", "schema"], arguments].concat(), "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{arguments:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn starter(name: &str) -> String {
    let ended = World::new().run(&["config", "init", name, "--print"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{name}");
    ended.stdout
}

fn of_toml(text: &str) -> Value {
    serde_json::to_value(toml::from_str::<toml::Table>(text).unwrap_or_else(|error| panic!("{text}\n{error}"))).unwrap()
}

/// Returns the file without comment marks: only the defaults, or with the examples.
fn without_marks(with_examples: bool) -> String {
    let text = starter("guard.toml");
    let (defaults, examples) = text.split_once("## Examples\n").unwrap();
    let shown = if with_examples { [defaults, examples].concat() } else { defaults.to_owned() };
    let line = |line: &str| format!("{}\n", line.strip_prefix("# ").unwrap_or(line));
    shown.lines().map(line).collect()
}

#[test]
fn s2_70_each_file_is_written_once_to_where_it_is_read() {
    let world = World::new();
    // A preset reads the second and the third one there.
    let places =
        [".config/guard-host/guard.toml", ".claude/state/guardrails.json", ".claude/hooks/config/write-policies.json"];
    let mut transcript = Transcript::default();
    for (name, place) in FILES.into_iter().zip(places) {
        let path = world.path(place);
        transcript.add(&world, 0, &world.run(&["config", "init", name], ""));
        assert_eq!(fs::read_to_string(&path).unwrap(), starter(name));
        assert_eq!(world.run(&["config", "init", name], "").exit, 0);
        fs::write(&path, "mine").unwrap();
        transcript.add(&world, 0, &world.run(&["config", "init", name], ""));
        assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    }
    // The file's values are the defaults.
    let world = World::new();
    for (name, policy, path, list, pattern) in [
        ("guardrails.json", "path-context", "/opt/x", "blocked_paths", "/opt"),
        ("write-policies.json", "write-control", "mine/x", "protected", "mine/**"),
    ] {
        assert_eq!(world.run(&["config", "init", name], "").exit, 0);
        let place = world.path(places[FILES.iter().position(|file| *file == name).unwrap()]);
        let write = || {
            let payload = json!({ "tool_name": "Write", "tool_input": { "file_path": path, "content": "" } });
            world.run(&["hook", "claude", "--only", policy], &payload.to_string()).decision()
        };
        assert_ne!(write(), "deny", "{name}");
        let mut file: Value = serde_json::from_str(&fs::read_to_string(&place).unwrap()).unwrap();
        file[list] = json!([pattern]);
        fs::write(&place, file.to_string()).unwrap();
        assert_eq!(write(), "deny", "{name}");
    }
    transcript.add(&world, 64, &world.run(&["config", "init", "other.json"], ""));
    assert_text!("config_init", transcript.0);
    assert_eq!(world.run(&["config", "schema", "other.json"], "").exit, 64);
}

#[test]
fn config_init_goes_where_the_configuration_is() {
    let world = World::new();
    assert_eq!(world.run(&["--config", "deep/er/my.toml", "config", "init"], "").exit, 0);
    assert!(world.path("repo/deep/er/my.toml").is_file());
    assert_eq!(world.run(&["--config", "deep/er/my.toml", "config", "init", "write-policies.json"], "").exit, 0);
    // A preset reads it there, regardless of the configuration's path.
    assert!(world.path(".claude/hooks/config/write-policies.json").is_file());
}

#[test]
fn config_init_names_what_lies_in_the_way() {
    let world = World::new();
    let file = world.path(".config/guard-host/guard.toml");
    fs::create_dir_all(&file).unwrap();
    let mut transcript = Transcript::default();
    transcript.add(&world, 69, &world.run(&["config", "init"], ""));
    fs::remove_dir(&file).unwrap();
    std::os::unix::fs::symlink("gone.toml", &file).unwrap();
    transcript.add(&world, 69, &world.run(&["config", "init"], ""));
    assert!(!file.exists());
    assert_text!("config_init_in_the_way", transcript.0);
}

#[test]
fn the_starter_configuration_changes_nothing_and_says_the_defaults() {
    let shown = |text: Option<&str>| {
        let world = World::new();
        if let Some(text) = text {
            world.configure(text);
        }
        assert_eq!(world.run(&["config", "check"], "").exit, 0, "{text:?}");
        let text = world.run(&["config", "show", "--format", "json"], "").stdout;
        let text = text.replace(&world.home.path().to_string_lossy().into_owned(), "HOME");
        let mut value: Value = serde_json::from_str(&text).unwrap();
        value["files"] = json!([]);
        value
    };
    let without = shown(None);
    assert_eq!(shown(Some(&starter("guard.toml"))), without);
    let defaults = without_marks(false);
    assert!(defaults.contains("\ndeadline-ms = 2000\n"), "{defaults}");
    assert_eq!(shown(Some(&defaults)), without);
}

#[test]
fn the_starter_configuration_names_every_key() {
    let (schema, text) = (schema(&[]), without_marks(true));
    let value = of_toml(&text);
    assert_eq!(complaints(&schema, &value), [""; 0]);
    let keys =
        |place: &str| -> Vec<String> { schema.pointer(place).unwrap().as_object().unwrap().keys().cloned().collect() };
    // These keys are only in the managed file.
    let elsewhere = ["lock"];
    for place in [
        "/properties",
        "/$defs/AuditOptions/properties",
        "/$defs/SessionOptions/properties",
        "/$defs/RemoteOptions/properties",
        "/$defs/TrustOptions/properties",
        "/$defs/SignerOptions/properties",
        "/$defs/PolicyOptions/properties",
        "/$defs/LimitOptions/properties",
        "/$defs/GrantSpec/properties",
    ] {
        for key in keys(place).iter().filter(|key| !elsewhere.contains(&key.as_str())) {
            let named = text.contains(&format!("{key} = "))
                || text.contains(&format!("[{key}]"))
                || text.contains(&format!(".{key}]"));
            assert!(named, "the file does not show `{key}`");
        }
    }
}

#[test]
fn s4_64_the_schemas_fit_the_files_of_the_seeds_and_ours() {
    let guardrails = schema(&["guardrails.json"]);
    let policies = schema(&["write-policies.json"]);
    let seed = |name: &str| fs::read_to_string(root().join("tests/seeds").join(name)).unwrap();
    for (schema, text) in [
        (&guardrails, seed("s2-guardrails.json")),
        (&guardrails, starter("guardrails.json")),
        (&policies, seed("s4-write-policies.json")),
        (&policies, starter("write-policies.json")),
    ] {
        assert_eq!(complaints(schema, &serde_json::from_str(&text).unwrap()), [""; 0], "{text}");
    }
    let schema = schema(&[]);
    let shown = FOR_USERS.iter().flat_map(|page| blocks(page)).filter(|block| block.language == "toml");
    let shown: Vec<_> = shown.map(|block| block.text).collect();
    assert!(shown.len() >= 5, "{shown:?}");
    for text in shown {
        assert_eq!(complaints(&schema, &of_toml(&text)), [""; 0], "{text}");
    }
}

#[test]
fn the_schema_of_fixtures_fits_every_case_of_the_built_ins() {
    let schema = schema(&["--fixtures"]);
    let mut count = 0;
    for policy in fs::read_dir(root().join("policies")).unwrap() {
        let Ok(cases) = fs::read_dir(policy.unwrap().path().join("cases")) else { continue };
        for path in cases.map(|entry| entry.unwrap().path()) {
            let text = fs::read_to_string(&path).unwrap();
            let value = match path.extension().and_then(|extension| extension.to_str()) {
                Some("toml") => of_toml(&text),
                _ => serde_json::from_str(&text).unwrap(),
            };
            assert_eq!(complaints(&schema, &value), [""; 0], "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 50, "{count}");
    for slip in [
        json!({ "input": "ls", "expect": "deny", "expct": "deny" }),
        json!({ "input": "ls" }),
        json!({ "input": "ls", "expect": "block" }),
        json!({ "input": "ls", "expect": [] }),
    ] {
        assert!(!complaints(&schema, &json!({ "cases": [slip] })).is_empty(), "{slip}");
    }
}

/// Returns the value with an unknown key in each of its objects, one at a time.
fn with_slips(value: &Value) -> Vec<Value> {
    fn places(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::Object(object) => {
                found.push(at.to_owned());
                object.iter().for_each(|(key, value)| places(value, &format!("{at}/{key}"), found));
            }
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    places(value, "", &mut found);
    // A policy's own settings and the names of streams aren't in the configuration's schema.
    found.retain(|at| !at.ends_with("/settings") && !at.ends_with("/journal"));
    let slip = |at: &String| {
        let mut value = value.clone();
        value.pointer_mut(at).unwrap().as_object_mut().unwrap().insert("zzz".to_owned(), json!(1));
        value
    };
    found.iter().map(slip).collect()
}

#[test]
fn unknown_keys_are_refused_wherever_they_stand() {
    for (name, value) in [
        ("guard.toml", of_toml(&without_marks(true))),
        ("guardrails.json", serde_json::from_str(&starter("guardrails.json")).unwrap()),
        ("write-policies.json", serde_json::from_str(&starter("write-policies.json")).unwrap()),
    ] {
        let schema = schema(&[name]);
        let slips = with_slips(&value);
        assert!(!slips.is_empty());
        for slip in slips {
            assert!(complaints(&schema, &slip).iter().any(|text| text.contains("/zzz: ")), "{name}: {slip}");
        }
    }
    // The program accepts the same keys as the schema.
    let world = World::new();
    for slip in with_slips(&of_toml(&without_marks(true))) {
        world.configure(&toml::to_string(&slip).unwrap());
        let ended = world.run(&["config", "check"], "");
        assert!(ended.exit == 78 && ended.stderr.contains("`zzz`"), "{slip}: {ended:?}");
    }
}

#[test]
fn values_out_of_range_are_refused_by_the_schema_and_the_program() {
    let schema = schema(&[]);
    for text in [
        "deadline-ms = 99",
        "deadline-ms = 2001",
        "preset = \"all\"",
        "audit = { level = \"some\" }",
        "[[policy]]\nname = \"command-guard\"\nlimits = { time-ms = 9 }",
        "[[policy]]\nname = \"command-guard\"\nlimits = { memory-mib = 1025 }",
        "[[policy]]\nname = \"command-guard\"\non-error = \"skip\"",
    ] {
        assert_eq!(complaints(&schema, &of_toml(text)).len(), 1, "{text}");
        let world = World::new();
        world.configure(text);
        assert_eq!(world.run(&["config", "check"], "").exit, 78, "{text}");
    }
}

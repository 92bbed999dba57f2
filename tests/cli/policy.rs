//! `policy add`, `remove` and `inspect`: entries are added after a trial and removed without a trace.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::support::guests;
use crate::support::reply::{assert_ask, assert_held};
use crate::support::texts::{Transcript, lines_about, normalize, normalized_output};
use crate::support::world::{ProcessOutput, World, policy as done};
use crate::texts::assert_text;

const CONFIG: &str = ".config/guard-host/guard.toml";
const PROJECT: &str = "repo/.guard/guard.toml";

/// Runs `policy`, which must fail with this exit code and leave the file unchanged. Returns the output.
#[track_caller]
fn refused(world: &World, file: &str, arguments: &[&str], exit: i32) -> String {
    let before = fs::read(world.path(file)).ok();
    let ended = world.run(&[&["policy"], arguments].concat(), "");
    assert_eq!((ended.exit, ended.stdout.as_str()), (exit, ""), "{arguments:?}: {ended:?}");
    assert_eq!(fs::read(world.path(file)).ok(), before, "{arguments:?} changed the file");
    normalized_output(world, &ended)
}

/// Writes a guest as a component to the world's home, and returns its path.
fn component(world: &World, name: &str) -> String {
    guests::place(world, name).to_string_lossy().into_owned()
}

fn digest(guest: &str) -> String {
    Sha256::digest(guests::bytes(guest)).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn inspect(world: &World, policy: &str) -> Value {
    let ended = world.run(&["policy", "inspect", policy, "--format", "json"], "");
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    serde_json::from_str(&ended.stdout).unwrap()
}

fn write_to(world: &World, path: &str) -> ProcessOutput {
    let payload = json!({
        "session_id": "s1", "cwd": world.repo(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": path, "content": "x" },
    });
    world.hook(&payload.to_string())
}

#[test]
fn add_and_remove_leave_no_trace() {
    let world = World::new();
    let source = component(&world, "wishes");
    let texts = [
        None,
        Some(""),
        Some("# mine\n\n   # odd\npreset   =   'none' # why\n\n\n[audit]\n\tlevel=\"all\""),
        Some("preset = \"none\"\r\n\r\n# word\r\n"),
        Some("preset = \"none\"\n[[policy]]\nname = \"write-control\" # theirs\n[policy.limits]\n time-ms = 100\n"),
    ];
    for text in texts {
        let path = world.path(CONFIG);
        let _ = fs::remove_file(&path);
        if let Some(text) = text {
            world.write(CONFIG, text);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        }
        done(&world, &["add", &source, "--grant", "env:CI", "--on-error", "deny", "--tools", "Bash,Write"]);
        let added = fs::read_to_string(&path).unwrap();
        assert!(added.starts_with(text.unwrap_or_default()), "{added}");
        let table: toml::Table = toml::from_str(&added).unwrap();
        let entry = table["policy"].as_array().unwrap().last().unwrap();
        let expected = json!({
            "name": "test-guest", "source": source, "sha256": digest("wishes"), "on-error": "deny",
            "tools": ["Bash", "Write"], "grants": { "env": ["CI"] },
        });
        assert_eq!(serde_json::to_value(entry).unwrap(), expected);
        done(&world, &["remove", "test-guest"]);
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), text);
        if text.is_some() {
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        }
        let left: Vec<_> = fs::read_dir(path.parent().unwrap()).unwrap().collect();
        assert_eq!(left.len(), usize::from(text.is_some()), "{left:?}");
    }
}

#[test]
fn what_is_added_answers_the_next_call_and_is_held_to_its_digest() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    let source = component(&world, "shell");
    assert!(world.bash("ls").is_silent());
    let mut output = done(&world, &["add", &source, "--name", "ours"]);
    assert!(output.contains(&digest("shell")), "{output}");
    assert_ask(&world.bash("ls"), &["ours: known"]);
    // Another component at the same path isn't used, and the call still needs confirmation.
    fs::write(&source, guests::bytes("denies")).unwrap();
    assert_ask(&world.bash("ls"), &["pins"]);
    output += &refused(&world, CONFIG, &["add", &source, "--name", "ours"], 64);
    output += &done(&world, &["add", &source, "--name", "ours", "--replace"]);
    assert!(output.contains(&digest("denies")), "{output}");
    assert_text!("policy_added", normalize(&world, &output));
    assert!(world.bash("ls").is_silent());
    assert_eq!(world.bash("rm -rf x").decision(), "deny");
    done(&world, &["add", &source, "--name", "ours", "--replace", "--no-pin"]);
    assert!(!fs::read_to_string(world.path(CONFIG)).unwrap().contains("sha256"));
    done(&world, &["remove", "ours"]);
    assert!(world.bash("rm -rf x").is_silent());
}

#[test]
fn what_is_replaced_keeps_what_it_says_unless_it_is_given_anew() {
    let world = World::new();
    let source = component(&world, "denies");
    world.configure(&format!(
        "# mine\n[[policy]]\nname = \"ours\"\nsource = \"{source}\"\nsha256 = \"{}\"\non-error = \"deny\"\ntools = [\"Write\"]\n\
         limits = {{ time-ms = 100 }}\nsettings = {{ a = 1 }}\nafter = \"self-protect\"\n[policy.grants]\nenv = [\"CI\"]\n",
        "0".repeat(64)
    ));
    let mut output = done(&world, &["add", &source, "--name", "ours", "--replace"]);
    let entry = |world: &World| {
        let text = fs::read_to_string(world.path(CONFIG)).unwrap();
        assert!(text.starts_with("# mine\n"), "{text}");
        toml::from_str::<toml::Table>(&text).unwrap()["policy"][0].clone()
    };
    let now = entry(&world);
    assert_eq!(now["sha256"].as_str().unwrap(), digest("denies"));
    let text = |key: &str| now[key].to_string();
    let kept = ["on-error", "tools", "limits", "settings", "after", "grants"].map(text);
    let expected =
        [r#""deny""#, r#"["Write"]"#, "{ time-ms = 100 }", "{ a = 1 }", r#""self-protect""#, r#"{ env = ["CI"] }"#];
    assert_eq!(kept, expected);
    // New settings replace the old ones.
    let settings = world.write("s.json", "{}");
    let settings = settings.to_string_lossy();
    output += &done(
        &world,
        &[
            "add",
            &source,
            "--name",
            "ours",
            "--replace",
            "--on-error",
            "ask",
            "--grant",
            "read:./x",
            "--settings-file",
            &settings,
        ],
    );
    assert_text!("policy_kept", normalize(&world, &output));
    let now = entry(&world);
    assert_eq!((now["on-error"].as_str(), now.get("settings")), (Some("ask"), None));
    assert_eq!(now["grants"].to_string(), r#"{ read = ["./x"] }"#);
    assert_eq!(world.run(&["config", "check"], "").exit, 0);
}

#[test]
fn the_name_of_a_built_in_gets_its_prefix() {
    let world = World::new();
    let ended = world.run(&["policy", "add", "write-control"], "");
    assert_text!("policy_prefix", &world, 66, ended);
}

#[test]
fn a_grant_of_an_untrusted_project_does_not_hold_and_inspect_says_so() {
    let world = World::new();
    world.write("repo/.guard/wishes.wasm", guests::bytes("wishes"));
    world.write(
        PROJECT,
        "[[policy]]\nname = \"ours\"\nsource = \"wishes.wasm\"\n[policy.grants]\nread = [\"~/allowed.txt\", \"./x\"]\n",
    );
    assert_text!("policy_untrusted", normalize(&world, &done(&world, &["inspect", "ours"])));
    assert_eq!(inspect(&world, "ours")["waiting"], json!(["read:~/allowed.txt"]));
}

#[test]
fn wishes_that_are_not_granted_are_named_with_the_flag_that_grants_them() {
    let world = World::new();
    let source = component(&world, "wishes");
    let mut output = done(&world, &["add", &source, "--dry-run"]);
    let grants = ["--grant", "env:CI", "--grant", "read:~", "--grant", "journal:notes=~/notes.jsonl"];
    output += &refused(&world, CONFIG, &[&["add", &source][..], &grants].concat(), 64);
    let grants = ["--grant", "env:CI", "--grant", "read:~/allowed.txt", "--grant", "journal:notes=~/notes.jsonl"];
    output += &done(&world, &[&["add", &source][..], &grants].concat());
    let about = inspect(&world, "test-guest");
    let granted = json!({ "env": ["CI"], "read": ["~/allowed.txt"], "journal": { "notes": "~/notes.jsonl" } });
    assert_eq!((&about["granted"], &about["missing"], &about["pinned"]), (&granted, &json!([]), &json!(true)));
    for word in ["CI", "env:", "env:A=B", "read:a/b", "read:/a/../b", "journal:notes", "journal:=/x", "net:all"] {
        output += &refused(&world, CONFIG, &["add", &source, "--replace", "--grant", word], 64);
    }
    assert_text!("policy_grants", normalize(&world, &output));
}

#[test]
fn what_cannot_be_a_policy_is_not_added() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    let mut output = String::new();
    for guest in
        ["fails-its-example", "configure-refuses", "core-module", "wrong-version", "future-import", "not-a-policy"]
    {
        output += &refused(&world, CONFIG, &["add", &component(&world, guest)], 65);
    }
    let source = component(&world, "shell");
    for (arguments, exit) in [
        (&["gone.wasm"][..], 66),
        (&["builtin:gone"], 64),
        (&[&source, "--name", "Not A Name"], 64),
        (&[&source, "--settings", "{\"a\": null}"], 64),
        (&[&source, "--settings", "[]"], 64),
        (&[&source, "--settings-file", "gone.json"], 66),
    ] {
        output += &refused(&world, CONFIG, &[&["add"], arguments].concat(), exit);
    }
    assert_text!("policy_refused", output);
}

#[test]
fn a_broken_configuration_is_told_with_its_line_and_left_alone() {
    let world = World::new();
    let source = component(&world, "shell");
    world.configure("preset = \"none\"\n\n[[policy]]\nnmae = \"x\"\n");
    let mut output = String::new();
    for arguments in [&["add", &source][..], &["add", &source, "--replace", "--dry-run"], &["remove", "x"]] {
        output += &refused(&world, CONFIG, arguments, 78);
    }
    world.configure("policy = [{ name = \"write-control\" }]\n");
    assert_text!("policy_broken_file", output + &refused(&world, CONFIG, &["add", &source], 78));
}

#[test]
fn nothing_of_the_preset_loses_its_place_unasked() {
    let world = World::new();
    let source = component(&world, "shell");
    let mut output = String::new();
    for (arguments, exit) in [
        (&["add", &source, "--name", "self-protect"][..], 64),
        (&["add", "builtin:command-guard"], 64),
        (&["remove", "command-guard"], 66),
        (&["remove", "nobody"], 66),
    ] {
        output += &refused(&world, CONFIG, arguments, exit);
    }
    assert_text!("policy_of_preset", output);
    done(&world, &["add", "builtin:command-guard", "--settings", r#"{"secret-reads": "ask"}"#, "--replace"]);
    let text = fs::read_to_string(world.path(CONFIG)).unwrap();
    assert!(text.contains("source = \"builtin:command-guard\"\nsettings = ") && !text.contains("sha256"), "{text}");
    assert!(inspect(&world, "command-guard")["sha256"].is_string());
    done(&world, &["remove", "command-guard"]);
    assert!(!world.path(CONFIG).exists());
}

#[test]
fn a_dry_run_shows_the_difference_and_writes_nothing() {
    let world = World::new();
    let source = component(&world, "shell");
    world.configure("preset = \"none\"\n");
    let output = done(&world, &["add", &source, "--no-pin", "--dry-run"]);
    let path = world.path(CONFIG);
    assert_eq!(fs::read_to_string(&path).unwrap(), "preset = \"none\"\n");
    done(&world, &["add", &source, "--no-pin"]);
    let added = fs::read_to_string(&path).unwrap();
    let output = output + &done(&world, &["remove", "test-guest", "--dry-run"]);
    assert_text!("policy_dry_run", normalize(&world, &output));
    assert_eq!(fs::read_to_string(&path).unwrap(), added);
}

#[test]
fn a_project_names_its_component_by_the_way_to_it() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    let outside = component(&world, "shell");
    let mut output = refused(&world, PROJECT, &["add", &outside, "--project"], 64);
    world.write("repo/policies/a.wasm", guests::bytes("wishes"));
    let granted = ["add", "policies/a.wasm", "--project", "--grant", "env:CI"];
    output += &refused(&world, PROJECT, &granted, 64);
    output += &done(&world, &["add", "policies/a.wasm", "--project", "--name", "ours"]);
    let text = fs::read_to_string(world.path(PROJECT)).unwrap();
    assert!(text.contains("source = \"../policies/a.wasm\"\n"), "{text}");
    assert_ask(&world.bash("ls"), &["ours: known"]);
    output += &refused(&world, CONFIG, &["remove", "ours"], 66);
    assert_text!("policy_project", normalize(&world, &output));
    done(&world, &["remove", "ours", "--project"]);
    assert!(!world.path(PROJECT).exists());
    assert!(world.bash("ls").is_silent());
}

#[test]
fn a_link_stays_the_users_and_leads_nowhere_else() {
    let world = World::new();
    let source = component(&world, "shell");
    let target = world.write("dotfiles/guard.toml", "preset = \"none\"\n");
    fs::create_dir_all(world.path(CONFIG).parent().unwrap()).unwrap();
    symlink(&target, world.path(CONFIG)).unwrap();
    done(&world, &["add", &source]);
    assert!(fs::symlink_metadata(world.path(CONFIG)).unwrap().is_symlink());
    assert!(fs::read_to_string(&target).unwrap().contains("test-guest"));
    done(&world, &["remove", "test-guest"]);
    assert_eq!(fs::read_to_string(&target).unwrap(), "preset = \"none\"\n");
    let theirs = world.write("theirs.toml", "# theirs\n");
    fs::create_dir_all(world.path("repo/.guard")).unwrap();
    symlink(&theirs, world.path(PROJECT)).unwrap();
    assert_text!("policy_link", refused(&world, PROJECT, &["add", "builtin:path-context", "--project"], 69));
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "# theirs\n");
}

#[test]
fn inspect_shows_a_component_that_is_in_no_chain() {
    let world = World::new();
    let about = inspect(&world, &component(&world, "foreign-import"));
    assert_eq!(about["foreign"], json!(["wasi:cli/environment@0.2.0"]));
    assert_eq!(about["sha256"], json!(digest("foreign-import")));
    assert_eq!(about["bytes"], json!(guests::bytes("foreign-import").len()));
    assert!(about["fault"].as_str().unwrap().contains("get-environment"), "{about}");
    assert!(about["cost"].is_null() && about["pinned"] == json!(false), "{about}");

    let wishes = component(&world, "wishes");
    let about = inspect(&world, &wishes);
    let wanted = json!(["env:CI", "read:~/allowed.txt", "journal:notes"]);
    assert_eq!((&about["wishes"], &about["missing"]), (&wanted, &wanted));
    assert_eq!((&about["examples"], &about["failing"], &about["fault"]), (&json!(1), &Value::Null, &Value::Null));
    assert_eq!((&about["foreign"], &about["uncalled"]), (&json!([]), &json!([])));
    assert_eq!((&about["cost"]["tool"], &about["cost"]["input"]), (&json!("Bash"), &json!({ "command": "ls" })));
    assert!(about["cost"]["runs"].as_u64().unwrap() > 0 && about["cost"]["microseconds"].is_u64(), "{about}");
    let rule = json!({ "id": "known", "summary": "a guest of the tests", "default": "ask", "ceiling": "ask" });
    assert_eq!(about["rules"], json!([rule]));
    let mut text = done(&world, &["inspect", &wishes]);
    let failing = component(&world, "fails-its-example");
    assert!(inspect(&world, &failing)["failing"].as_str().unwrap().contains("example 1"));
    world.configure(&format!("preset = \"none\"\n{}", guests::entry("ours", failing.as_ref(), "")));
    text += &done(&world, &["inspect", "ours"]);
    text += &done(&world, &["inspect", &component(&world, "foreign-import")]);
    assert_text!("policy_inspect", normalize(&world, &text));
    assert!(inspect(&world, "plan-enforcer")["id"] == json!("plan-enforcer"), "a built-in that is not in the chain");
}

#[test]
fn an_agent_neither_adds_nor_changes_what_was_added() {
    let world = World::new();
    let source = component(&world, "shell");
    done(&world, &["add", &source, "--name", "ours", "--tools", "WebFetch"]);
    for command in [
        "guard-host policy add x.wasm",
        "guard-host --config /tmp/g.toml policy remove ours",
        "guard-host policy add x.wasm --dry-run --replace",
        "guard-host policy --project remove ours",
    ] {
        assert_ask(&world.bash(command), &["self-protect: guard-command"]);
    }
    assert_held(&world.bash(&format!("cp evil.wasm {source}")));
    assert_held(&write_to(&world, &source));
    assert_held(&write_to(&world, &world.path(CONFIG).to_string_lossy()));
    assert!(world.bash("guard-host policy inspect ours").is_silent());
}

#[test]
fn an_address_of_an_unknown_kind_says_which_are_known() {
    let world = World::new();
    let ended = world.run(&["policy", "add", "ftp://policies.example/team.wasm"], "");
    assert_text!("policy_address", &world, 64, ended);
}

/// The configuration's folder doesn't exist yet.
#[test]
fn the_first_entry_of_a_project_finds_its_settings_and_warns_of_nothing() {
    let world = World::new();
    let rule = "[[rules]]\nrule = \"r\"\noutcome = \"deny\"\nwhen = \"tool == 'Bash'\"\nmessage = \"no\"\n";
    world.write("repo/team.toml", rule);
    let words = ["policy", "add", "builtin:cel", "--name", "team", "--settings-file", "team.toml", "--project"];
    let added = world.run(&words, "");
    assert_eq!((added.exit, added.stderr.as_str()), (0, ""), "{added:?}");
    assert_eq!(world.bash("ls").decision(), "deny");
}

/// `policy add`, `config check` and `doctor` share one check, which runs the policy's decision.
#[test]
fn a_policy_that_always_reaches_a_limit_is_found_by_all_three_checks() {
    let mut transcript = Transcript::default();
    for guest in ["memory-bomb", "endless-loop"] {
        let world = World::new();
        world.configure("preset = \"none\"\n");
        let source = component(&world, guest);
        transcript.0 += &refused(&world, CONFIG, &["add", &source], 65);
        world.configure(&format!("preset = \"none\"\n[[policy]]\nname = \"x\"\nsource = \"{source}\"\n"));
        transcript.add(&world, 78, &world.run(&["config", "check"], ""));
        let examined = world.run(&["doctor"], "");
        assert_eq!(examined.exit, 69, "{guest}: {examined:?}");
        transcript.0 += &normalize(&world, &lines_about(&examined.stdout, " policies: "));
    }
    assert_text!("policy_limits", transcript.0);
}

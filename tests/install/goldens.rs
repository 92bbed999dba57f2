//! The text inserted into the files of each harness, byte for byte. Its removal restores every other byte.
//!
//! `goldens/HARNESS/CASE.before.EXT` and `CASE.after.EXT` are written by hand. Without the first one, the file doesn't
//! exist before. `COMMAND` stands for the line that blocks when it fails, `BARE` for the one that doesn't.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{closed, done, read, text};
use crate::support::texts::Transcript;
use crate::support::world::{ProcessOutput, World, end};
use crate::texts::assert_text;

/// Each harness, with the name in its hook's command line, and its file for the user and for a project.
const HARNESSES: [(&str, &str, &str, &str); 17] = [
    ("antigravity", "antigravity", ".gemini/config/hooks.json", "repo/.agents/hooks.json"),
    ("cline", "cline", "Documents/Cline/Hooks/PreToolUse", "repo/.cline/hooks/PreToolUse"),
    ("codex", "codex", ".codex/hooks.json", "repo/.codex/hooks.json"),
    ("copilot", "copilot", ".copilot/hooks/guard-host.json", "repo/.github/hooks/guard-host.json"),
    ("crush", "crush", ".config/crush/crush.json", "repo/crush.json"),
    ("cursor", "cursor", ".cursor/hooks.json", "repo/.cursor/hooks.json"),
    ("devin", "devin", ".config/devin/config.json", "repo/.devin/config.json"),
    ("droid", "droid", ".factory/settings.json", "repo/.factory/settings.json"),
    ("gemini", "gemini", ".gemini/settings.json", "repo/.gemini/settings.json"),
    ("grok", "grok", ".grok/hooks/guard-host.json", "repo/.grok/hooks/guard-host.json"),
    ("hermes", "hermes", ".hermes/config.yaml", ""),
    ("kimi", "kimi", ".kimi-code/config.toml", ""),
    ("kiro", "kiro", ".kiro/hooks/guard-host.json", "repo/.kiro/hooks/guard-host.json"),
    ("qwen", "qwen", ".qwen/settings.json", "repo/.qwen/settings.json"),
    ("vibe", "vibe", ".vibe/hooks.toml", "repo/.vibe/hooks.toml"),
    ("vscode", "copilot", ".copilot/hooks/guard-host.json", "repo/.github/hooks/guard-host.json"),
    ("windsurf", "windsurf", ".codeium/windsurf/hooks.json", "repo/.windsurf/hooks.json"),
];

/// Harnesses with separate files that contain only our hook.
const OWN: [&str; 5] = ["cline", "copilot", "grok", "kiro", "vscode"];

fn goldens(harness: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/install/goldens").join(harness)
}

/// Returns a harness's cases: the text before, if any, and after.
fn cases(harness: &str) -> Vec<(String, Option<String>, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(goldens(harness)).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some((case, ext)) = name.split_once(".after.") {
            let before = fs::read_to_string(path.with_file_name(format!("{case}.before.{ext}"))).ok();
            found.push((case.to_owned(), before, fs::read_to_string(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// Harnesses that detect a failing hook by the line that starts it.
const BY_LINE: [&str; 12] =
    ["codex", "copilot", "crush", "devin", "droid", "gemini", "grok", "kimi", "kiro", "qwen", "vscode", "windsurf"];

/// Returns the script for a harness that doesn't run the line in a shell, and ignores the exit code.
fn replying(line: &str) -> String {
    let program = env!("CARGO_BIN_EXE_guard-host");
    format!(
        r#"sh -c 'o=$([ -s {program} ] && {line}) && printf "%s\n" "$o" || echo "{{\"action\":\"block\",\"message\":\"guard-host gave no answer, so this call is held\"}}"'"#
    )
}

/// Returns the line for a shell.
fn line(world: &World, called: &str) -> String {
    let home = text(world.home.path());
    format!(
        "{} --config {home}/.config/guard-host/guard.toml --state {home}/.local/state/guard-host \
         --cache {home}/.cache/guard-host hook {called}",
        env!("CARGO_BIN_EXE_guard-host")
    )
}

#[test]
fn each_harness_gets_the_expected_bytes_and_loses_them_again() {
    let world = World::new();
    for (harness, called, file, _) in HARNESSES {
        let cases = cases(harness);
        assert_eq!(cases.len(), if OWN.contains(&harness) { 1 } else { 5 }, "{harness}");
        for (case, before, after) in cases {
            let about = format!("{harness}: {case}");
            if let Some(before) = &before {
                world.write(file, before);
            }
            let ended = done(&world, &["install", harness]);
            assert!(ended.stdout.starts_with("wrote "), "{about}: {ended:?}");
            assert!(ended.stdout.contains(&format!("`guard-host doctor {harness}`")), "{about}: {ended:?}");
            let bare = line(&world, called);
            let command = match harness {
                "hermes" => replying(&bare),
                "cursor" => format!("[ -s {} ] && {bare}", env!("CARGO_BIN_EXE_guard-host")),
                _ if BY_LINE.contains(&harness) => closed(&bare),
                _ => bare.clone(),
            };
            assert_eq!(read(&world, file), after.replace("COMMAND", &command).replace("BARE", &bare), "{about}");
            let again = done(&world, &["install", harness]);
            assert!(again.stdout.starts_with("unchanged: ") && !again.stdout.contains("wrote "), "{about}: {again:?}");
            done(&world, &["uninstall", harness]);
            match &before {
                Some(before) => assert_eq!(&read(&world, file), before, "{about}"),
                None => assert!(!world.path(file).exists(), "{about}"),
            }
            let _ = fs::remove_file(world.path(file));
        }
        // Folders that were created for the file are removed with it.
        let first = file.split('/').next().unwrap();
        assert!(
            first == ".config" || fs::remove_dir_all(world.path(first)).is_err() || harness != "cline",
            "{harness}"
        );
    }
}

#[test]
fn the_help_names_every_harness() {
    let help = done(&World::new(), &["install", "--help"]).stdout;
    let words: Vec<&str> = help.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    for capabilities in guard_harness::capabilities::ALL.iter().filter(|capabilities| capabilities.name != "generic") {
        assert!(words.contains(&capabilities.name), "{}: {help}", capabilities.name);
    }
}

#[test]
fn without_a_record_the_entry_goes_and_what_others_wrote_stays() {
    let world = World::new();
    for (harness, _, file, _) in HARNESSES.into_iter().filter(|(name, ..)| !OWN.contains(name)) {
        for (case, before, _) in cases(harness) {
            let Some(before) = before.filter(|_| !matches!(case.as_str(), "absent" | "empty")) else { continue };
            world.write(file, &before);
            done(&world, &["install", harness]);
            fs::remove_dir_all(world.path(".local/state/guard-host/registrations")).unwrap();
            done(&world, &["uninstall", harness]);
            let left = read(&world, file);
            assert!(!left.contains("guard-host"), "{harness}: {case}: {left}");
            let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join("");
            assert_eq!(flat(&left), flat(&before), "{harness}: {case}");
        }
    }
}

#[test]
fn a_project_gets_its_own_file_and_a_shared_one_no_paths() {
    let world = World::new();
    let mut told = Transcript::default();
    for (harness, called, _, file) in HARNESSES.into_iter().filter(|(.., project)| !project.is_empty()) {
        told.add(&world, 0, &done(&world, &["install", harness, "--scope", "project"]));
        assert!(read(&world, file).contains(&line(&world, called)), "{harness}");
        told.add(&world, 0, &done(&world, &["install", harness, "--shared", "--only", "command-guard"]));
        let written = read(&world, file);
        assert!(written.contains(&format!("guard-host hook {called} --only command-guard")), "{harness}: {written}");
        assert!(!written.contains(text(world.home.path())), "{harness}: {written}");
        done(&world, &["uninstall", harness, "--scope", "project"]);
        assert!(!world.path(file).exists(), "{harness}");
    }
    assert_text!("install_project", told.0);
    for scope in [&["--scope", "project"][..], &["--shared"]] {
        assert_eq!(world.run(&[&["install", "kimi"], scope].concat(), "").exit, 64);
    }
}

fn installed(world: &World, file: &str, arguments: &[&str]) -> Value {
    done(world, &[&["install"], arguments].concat());
    let written = read(world, file);
    done(world, &["uninstall", arguments[0]]);
    serde_json::from_str(&written).unwrap_or_else(|_| toml::from_str(&written).unwrap())
}

#[test]
fn flags_are_written_in_the_words_of_the_harness() {
    let world = World::new();
    let of = |harness: &str| HARNESSES.into_iter().find(|(name, ..)| *name == harness).unwrap().2;
    for (harness, flags, pointer, expected) in [
        ("codex", &["--timeout", "30"][..], "/hooks/PreToolUse/0/hooks/0/timeout", json!(30)),
        ("gemini", &["--timeout", "30"], "/hooks/BeforeTool/0/hooks/0/timeout", json!(30000)),
        ("qwen", &["--timeout", "30"], "/hooks/PreToolUse/0/hooks/0/timeout", json!(30000)),
        ("copilot", &["--timeout", "30"], "/hooks/preToolUse/0/timeoutSec", json!(30)),
        ("kiro", &["--timeout", "30"], "/hooks/0/timeout", json!(30)),
        ("droid", &["--matcher", "Execute|Edit"], "/hooks/PreToolUse/0/matcher", json!("Execute|Edit")),
        ("copilot", &["--matcher", "bash"], "/hooks/preToolUse/0/matcher", json!("bash")),
        ("antigravity", &["--matcher", "run_command"], "/guard-host/PreToolUse/0/matcher", json!("run_command")),
        ("kimi", &["--matcher", "Bash"], "/hooks/0/matcher", json!("Bash")),
        ("codex", &["--fail-open"], "/hooks/PreToolUse/0/hooks/0/command", json!(line(&world, "codex"))),
        ("kimi", &["--fail-open"], "/hooks/0/command", json!(line(&world, "kimi"))),
        ("cursor", &["--fail-open"], "/hooks/beforeShellExecution/0/failClosed", Value::Null),
        ("cursor", &[], "/hooks/beforeReadFile/0/failClosed", json!(true)),
    ] {
        let written = installed(&world, of(harness), &[&[harness], flags].concat());
        let found = written.pointer(pointer).cloned().unwrap_or_default();
        assert_eq!(found, expected, "{harness} {flags:?}: {written}");
    }
    done(&world, &["install", "cline", "--fail-open"]);
    let (_, _, file, _) = HARNESSES[1];
    assert!(read(&world, file).ends_with(&format!("\nexec {}\n", line(&world, "cline"))));
}

#[test]
fn a_hook_in_yaml_takes_a_matcher_and_a_timeout() {
    let world = World::new();
    done(&world, &["install", "hermes", "--matcher", "terminal|process", "--timeout", "30", "--fail-open"]);
    let bare = line(&world, "hermes");
    let expected = format!(
        "hooks:\n  pre_tool_call:\n    - matcher: \"terminal|process\"\n      command: |-\n        {bare}\n      timeout: 30\n"
    );
    assert_eq!(read(&world, ".hermes/config.yaml"), expected);
}

#[test]
fn flags_that_a_harness_has_no_word_for_are_refused() {
    let world = World::new();
    for arguments in [
        &["windsurf", "--matcher", "x"][..],
        &["cursor", "--matcher", "Shell"],
        &["cline", "--matcher", "x"],
        &["windsurf", "--timeout", "30"],
        &["cline", "--timeout", "30"],
        &["antigravity", "--fail-open"],
        &["copilot", "--fail-open"],
        &["gemini", "--matcher", "["],
        &["codex", "--plugin", "p"],
        &["codex", "--shim", "x"],
        &["codex", "--hooks-file", "x.json"],
        &["codex", "--scope", "user", "--shared"],
        &["generic"],
    ] {
        let ended = world.run(&[&["install"], arguments].concat(), "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (64, ""), "{arguments:?}: {ended:?}");
        assert!(ended.stderr.contains("hint: "), "{ended:?}");
    }
    assert!(!world.path(".codex").exists() && !world.path(".cursor").exists());
}

fn with(world: &World, variable: &str, value: &str, arguments: &[&str]) -> ProcessOutput {
    let mut command = world.command(arguments);
    command.env(variable, value);
    end(command, "")
}

#[test]
fn variables_that_move_the_files_are_heeded() {
    let world = World::new();
    let moved = text(world.home.path()).to_owned() + "/moved";
    for (harness, variable, file) in [
        ("codex", "CODEX_HOME", "moved/hooks.json"),
        ("copilot", "COPILOT_HOME", "moved/hooks/guard-host.json"),
        ("kiro", "KIRO_HOME", "moved/hooks/guard-host.json"),
        ("crush", "XDG_CONFIG_HOME", "moved/crush/crush.json"),
        ("opencode", "XDG_CONFIG_HOME", "moved/opencode/plugins/guard-host.js"),
        ("kilo", "XDG_CONFIG_HOME", "moved/kilo/plugins/guard-host.js"),
        ("amp", "XDG_CONFIG_HOME", "moved/amp/plugins/guard-host.ts"),
        ("openclaw", "OPENCLAW_STATE_DIR", "moved/extensions/guard-host/index.mjs"),
        ("pi", "PI_CODING_AGENT_DIR", "moved/extensions/guard-host.ts"),
        ("hermes", "HERMES_HOME", "moved/config.yaml"),
        ("vibe", "VIBE_HOME", "moved/hooks.toml"),
    ] {
        let ended = with(&world, variable, &moved, &["install", harness]);
        assert!(ended.exit == 0 && world.path(file).exists(), "{harness}: {ended:?}");
        assert_eq!(with(&world, variable, &moved, &["uninstall", harness]).exit, 0);
        assert!(!world.path(file).exists(), "{harness}");
        // A value that isn't a path has no effect.
        assert_eq!(with(&world, variable, "moved", &["install", harness]).exit, 0);
        assert!(!world.path(file).exists() && !world.path("repo/moved").exists(), "{harness}");
    }
}

#[test]
fn what_cannot_be_read_is_named_by_its_place_and_left_alone() {
    let world = World::new();
    for (harness, broken, place) in [
        ("codex", "{\n  // mine\n}\n", ":2:3: "),
        ("codex", "{ \"hooks\": [] }", ":1:12: `hooks` isn't an object"),
        ("codex", "{ \"hooks\": { \"PreToolUse\": 1 } }", ":1:28: `PreToolUse` isn't a list"),
        ("gemini", "{\n  \"a\": 1, // b\n}\n", ":3:1: "),
        ("gemini", "{ /* ", ":1:"),
        ("qwen", "[]", ":1:1: "),
        ("cursor", "[]", ":1:1: "),
        ("antigravity", "[]", ":1:1: "),
        ("antigravity", "{ \"guard-host\": { \"PreToolUse\": [{ \"hooks\": [{ \"command\": \"x\" }] }] } }", ":1:17: "),
        ("kimi", "a = 1\nb = \n", ":2:5: "),
        ("hermes", "a: 1\nb: 'x\n", "config.yaml`:"),
        ("hermes", "a: 1\nhooks: { pre_tool_call: [ { command: x } ] }\n", ":2:8: this is written in one line"),
        ("hermes", "a: 1\n---\nb: 2\n", ":2:1: the file has several documents"),
        ("kimi", "hooks = [{ event = \"Stop\", command = \"x\" }]\n", ":1:1: "),
    ] {
        let (_, _, file, _) = HARNESSES.into_iter().find(|(name, ..)| *name == harness).unwrap();
        world.write(file, broken);
        let ended = world.run(&["install", harness], "");
        assert_eq!((ended.exit, ended.stdout.as_str()), (65, ""), "{harness}: {broken}: {ended:?}");
        let name = file.rsplit('/').next().unwrap();
        assert!(ended.stderr.contains(place) && ended.stderr.contains(name), "{harness}: {broken}: {ended:?}");
        assert_eq!(read(&world, file), broken, "{harness}");
    }
}

#[test]
fn files_and_links_of_others_are_refused() {
    let world = World::new();
    let mut told = Transcript::default();
    for (harness, file) in [
        ("copilot", ".copilot/hooks/guard-host.json"),
        ("kiro", ".kiro/hooks/guard-host.json"),
        ("cline", "Documents/Cline/Hooks/PreToolUse"),
        ("opencode", ".config/opencode/plugins/guard-host.js"),
        ("kilo", ".config/kilo/plugins/guard-host.js"),
        ("amp", ".config/amp/plugins/guard-host.ts"),
        ("openclaw", ".openclaw/extensions/guard-host/index.mjs"),
        ("openclaw", ".openclaw/extensions/guard-host/openclaw.plugin.json"),
        ("pi", ".pi/agent/extensions/guard-host.ts"),
    ] {
        world.write(file, "{\"hooks\":{\"preToolUse\":[{\"command\":\"./mine.sh\"}]}}\n");
        told.add(&world, 69, &world.run(&["install", harness], ""));
        told.add(&world, 0, &done(&world, &["uninstall", harness]));
        assert!(read(&world, file).contains("./mine.sh"), "{harness}");
    }
    assert_text!("install_in_the_way", told.0);
    world.write("mine.json", "{}\n");
    for (harness, _, _, file) in HARNESSES.into_iter().filter(|(.., project)| !project.is_empty()) {
        let link = world.path(file);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        symlink(world.path("mine.json"), &link).unwrap();
        let ended = world.run(&["install", harness, "--scope", "project"], "");
        assert_eq!((ended.exit, read(&world, "mine.json").as_str()), (69, "{}\n"), "{harness}: {ended:?}");
        fs::remove_file(link).unwrap();
    }
}

#[test]
fn the_rights_are_those_that_the_file_needs() {
    let world = World::new();
    let mode = |file: &str| fs::metadata(world.path(file)).unwrap().permissions().mode() & 0o777;
    done(&world, &["install", "cline"]);
    assert_eq!(mode("Documents/Cline/Hooks/PreToolUse"), 0o755);
    done(&world, &["install", "codex"]);
    assert_eq!(mode(".codex/hooks.json"), 0o600);
    done(&world, &["install", "codex", "--shared"]);
    assert_eq!(mode("repo/.codex/hooks.json"), 0o644);
}

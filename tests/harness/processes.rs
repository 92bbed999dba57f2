//! The program as each harness starts it, without the harness's name on the command line: a denied command, one that
//! needs confirmation, and one without findings, compared byte for byte.

use std::collections::BTreeMap;
use std::io::Read;
use std::process::Stdio;

use serde::Deserialize;
use serde_json::Value;

use super::read;
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// The words of `rm -rf /` and of a push, as the built-ins have them.
const DENIED: &str = "Dangerous command: `rm -rf /` (deletion of the root of the file system): deletes \
    everything on the machine. [command-guard: rm-root]\n\
    Instead: name the one directory you mean, and check it first with `ls`";
const ASKED: &str = "`git push origin main` needs confirmation (a push to a remote): publishes commits to \
    everyone who can read the remote. [command-guard: git-push]\n\
    Instead: list unpushed commits with `git log --oneline --branches --not --remotes`";
const ALLOW: &str = "\n\nTo stop being asked, the user runs: guard-host allow --last";
/// The end of a prompt for a person.
const ALLOW_LINES: &str = "\n\nTo stop being asked, run:\nguard-host allow --last";
const APPROVE: &str = "\n\nIf no prompt appears, ask the user to run:\nguard-host confirm 'git push origin main'";
const LAST: &str = "\n\nOnly a person can run it, in a terminal.";
const CONFIRM: &str =
    "\nTo proceed, the user runs this in a terminal, then you try again:\nguard-host confirm 'git push origin main'";

#[derive(Deserialize)]
struct Processes {
    process: Vec<Process>,
}

/// A payload with `${COMMAND}` and `${REPO}`, and the replies with `${DENIED}`, `${ASKED}` and, if the harness prompts
/// a person itself, `${QUESTION}`, or `${EITHER}` if that is unknown. `${ASKED_WORD}` is a shell word.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Process {
    payload: String,
    /// Other variables that the harness sets.
    #[serde(default)]
    environment: BTreeMap<String, String>,
    deny: Expected,
    ask: Expected,
    abstain: Expected,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    exit: i32,
}

/// Returns the text as escaped in a JSON string.
fn escaped(text: &str) -> String {
    let quoted = Value::String(text.to_owned()).to_string();
    quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap().to_owned()
}

fn filled(template: &str, write: impl Fn(&str) -> String) -> String {
    let (question, asked) = (format!("{ASKED}{ALLOW_LINES}{LAST}"), format!("{ASKED}{ALLOW}\n{CONFIRM}"));
    let either = format!("{ASKED}{ALLOW_LINES}{APPROVE}{LAST}");
    let template = template.replace("${DENIED}", &write(DENIED)).replace("${QUESTION}", &write(&question));
    let template = template.replace("${EITHER}", &write(&either));
    let word = format!("'{}'", asked.replace('\'', "'\\''"));
    template.replace("${ASKED_WORD}", &write(&word)).replace("${ASKED}", &write(&asked))
}

#[test]
fn every_harness_is_known_by_its_payload_and_answered_in_its_own_form() {
    let mut complaints = Vec::new();
    let mut number = 0;
    for harness in guard_harness::ALL.iter().filter(|harness| harness.name() != "generic") {
        let processes: Processes = read(harness.name(), "processes.toml");
        for process in &processes.process {
            let world = World::new();
            let repo = world.repo().display().to_string();
            for (command, expected) in
                [("rm -rf /", &process.deny), ("git push origin main", &process.ask), ("ls -la", &process.abstain)]
            {
                let payload = process.payload.replace("${REPO}", &repo).replace("${COMMAND}", command);
                let mut start = world.command(&["hook"]);
                start.envs(&process.environment);
                let ended = end(start, &payload);
                let wanted =
                    (filled(&expected.stdout, escaped), filled(&expected.stderr, str::to_owned), expected.exit);
                let got = (ended.stdout, ended.stderr, ended.exit);
                if got != wanted {
                    complaints.push(format!("{}: `{command}`: expected {wanted:?}\n    got {got:?}", harness.name()));
                }
                number += 1;
            }
            let names: Vec<Value> = world.audit().iter().map(|line| line["harness"].clone()).collect();
            assert!(names.iter().all(|name| name == harness.name()) && !names.is_empty(), "{names:?}");
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
    assert!(number >= 54, "{number}");
}

#[test]
fn a_payload_that_names_no_event_is_no_consent() {
    let world = World::new();
    for payload in ["{}", r#"{"toolName":"bash"}"#, r#"{"taskId":"t","preToolUse":{"toolName":"execute_command"}}"#] {
        let ended = world.run(&["hook", "cline"], payload);
        assert!(ended.exit == 0 && ended.stdout.starts_with("{\"cancel\":true,"), "{payload}: {ended:?}");
    }
    for payload in ["{}", r#"{"toolName":"bash"}"#] {
        let ended = world.run(&["hook", "antigravity"], payload);
        assert!(ended.stdout.contains("\"force_ask\""), "{payload}: {ended:?}");
    }
    let other = world.run(&["hook", "cline"], r#"{"taskId":"t","hookName":"TaskStart","workspaceRoots":[]}"#);
    assert_eq!(other.stdout, "{\"cancel\":false}\n", "{other:?}");
}

#[test]
fn the_help_names_every_harness() {
    let help = World::new().run(&["hook", "--help"], "").stdout;
    let named = |name: &str| help.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| word == name);
    for harness in guard_harness::ALL {
        assert!(named(harness.name()), "{}", harness.name());
    }
}

#[test]
fn the_payload_outranks_the_command_line() {
    let world = World::new();
    let crush = r#"{"event":"PreToolUse","session_id":"s","tool_name":"bash","tool_input":{"command":"rm -rf /"}}"#;
    let ended = world.run(&["hook", "claude"], crush);
    assert!(ended.exit == 0 && ended.stdout.starts_with("{\"decision\":\"deny\","), "{ended:?}");
    // A payload that matches several harnesses belongs to the named one.
    let usual = r#"{"hook_event_name":"PreToolUse","tool_name":"Execute","tool_input":{"command":"rm -rf /"}}"#;
    let ended = world.run(&["hook", "droid"], usual);
    assert!(ended.exit == 0 && ended.stdout.contains("\"permissionDecision\":\"deny\""), "{ended:?}");
}

#[test]
fn what_cannot_be_judged_is_held_in_the_dialect_of_its_payload() {
    let world = World::new();
    let kiro = r#"{"hook_event_name":"preToolUse","session_id":"s","tool_name":"execute_bash","tool_input":{}}"#;
    let ended = world.run(&["hook"], kiro);
    assert!(ended.stdout.is_empty(), "{ended:?}");
    assert_text!("harness_no_arguments", &world, 2, ended);
    let copilot = r#"{"sessionId":"s","timestamp":1,"toolName":"bash","toolArgs":"rm -rf /"}"#;
    let ended = world.run(&["hook"], copilot);
    assert!(ended.exit == 0 && ended.stdout.starts_with("{\"permissionDecision\":\"ask\","), "{ended:?}");
    let cline = r#"{"hookName":"tool_call","taskId":"t","tool_call":{"name":"run_commands","input":{"commands":[1]}}}"#;
    for setting in ["report", "allow", "ask"] {
        world.configure(&format!("on-malformed = \"{setting}\"\n"));
        let ended = world.run(&["hook"], cline);
        let held =
            "{\"cancel\":false,\"overrideInput\":{\"commands\":[\"printf '%s\\\\n' 'the payload from the harness";
        assert!(ended.exit == 0 && ended.stdout.starts_with(held), "{setting}: {ended:?}");
    }
}

#[test]
fn of_several_commands_the_worst_is_answered() {
    let world = World::new();
    let cline = r#"{"hookName":"tool_call","taskId":"t","tool_call":{"name":"run_commands",
        "input":{"commands":["ls","rm -rf /","git push origin main"]}}}"#;
    let ended = world.run(&["hook"], cline);
    let denied = "{\"cancel\":false,\"overrideInput\":{\"commands\":[\"printf '%s\\\\n' 'Dangerous command";
    assert!(ended.stdout.starts_with(denied), "{ended:?}");
}

#[test]
fn a_call_happens_in_the_directory_that_it_names() {
    let world = World::new();
    world.write("other/.git/HEAD", "ref: refs/heads/main\n");
    let payload = |directory: &str| {
        format!(
            "{{\"toolCall\":{{\"name\":\"run_command\",\"args\":{{\"CommandLine\":\"git push origin main\",\
             \"Cwd\":\"{directory}\"}}}},\"workspacePaths\":[\"{}\"],\"conversationId\":\"c\"}}",
            world.repo().display(),
        )
    };
    for (directory, expected) in [("../other", "other"), ("", "repo"), ("sub/..", "repo")] {
        world.run(&["hook"], &payload(directory));
        let line = world.audit().pop().unwrap();
        assert_eq!(line["cwd"], world.path(expected).display().to_string(), "{directory}");
    }
}

#[test]
fn a_directory_that_nobody_names_is_the_projects_where_the_hook_runs_elsewhere() {
    let world = World::new();
    let payload = r#"{"conversation_id":"c","hook_event_name":"beforeShellExecution","cursor_version":"2.0",
        "workspace_roots":[],"command":"git push origin main","cwd":""}"#;
    let project = world.path("elsewhere").display().to_string();
    std::fs::create_dir_all(&project).unwrap();
    let mut command = world.command(&["hook"]);
    command.env("CURSOR_PROJECT_DIR", &project);
    end(command, payload);
    assert_eq!(world.audit().pop().unwrap()["cwd"], project);
}

#[test]
fn a_harness_that_sends_nothing_is_answered_in_time_and_in_its_dialect() {
    for (name, expected) in [("codex", "\"permissionDecision\":\"deny\""), ("cline", "{\"cancel\":true,")] {
        let world = World::new();
        let mut command = world.command(&["hook", name]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        // Kept open until the end: the program waits for input that never comes.
        let stdin = child.stdin.take().unwrap();
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0), "{name}");
        drop(stdin);
        assert!(stdout.contains(expected) && stdout.contains("no-verdict"), "{name}: {stdout}");
    }
}

#[test]
fn a_fault_is_answered_in_the_dialect_of_the_payload() {
    let world = World::new();
    // A missing policy gives no answer, which results in an ask.
    world.configure("[[policy]]\nname = \"gone\"\nsource = \"/nowhere/gone.wasm\"\n");
    for name in ["codex", "cursor", "crush", "windsurf", "opencode"] {
        let processes: Processes = read(name, "processes.toml");
        let process = &processes.process[0];
        let repo = world.repo().display().to_string();
        let payload = process.payload.replace("${REPO}", &repo).replace("${COMMAND}", "ls -la");
        let ended = world.run(&["hook"], &payload);
        let said = format!("{}{}", ended.stdout, ended.stderr);
        assert!(said.contains("gone"), "{name}: {ended:?}");
        let blocks = ["\"deny\"", "\"permission\":\"deny\""].iter().any(|word| ended.stdout.contains(word));
        assert!(blocks || ended.exit == 2, "{name}: {ended:?}");
    }
}

//! Facts of this machine that a server gets, and those it doesn't.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use serde_json::{Value, json};

use super::asking;
use super::stub::{Stub, say, verdict, wants};
use crate::serve::client::Server;
use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::texts::{Transcript, normalize};
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// In the format of a GitHub token, but not valid.
const SECRET: &str = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";

/// Starts a server that requests this at first, and then lets the call run.
fn curious(some: Value) -> Stub {
    Stub::start(move |_, number| say(&if number == 0 { wants(&some) } else { verdict("Abstain") }))
}

/// Creates a world whose calls a real server decides, which runs in another world.
pub(super) fn served() -> (World, World, Server) {
    let (world, other) = (World::new(), World::new());
    let server = Server::start(&other, &[]);
    let token = other.path(".local/state/guard-host/serve.token");
    world.configure(&format!(
        "[remote]\nurl = \"http://{}\"\ntoken-file = \"{}\"\nfallback = \"deny\"\n",
        server.address,
        token.display()
    ));
    (world, other, server)
}

#[test]
fn a_real_server_decides_as_the_chain_here_would() {
    let (world, _other, _server) = served();
    assert_deny(&world.bash("rm -rf /"), &["command-guard: rm-root"]);
    assert_silent(&world.bash("ls -la"));
    let mut told = Transcript::default();
    told.ask(&world, &world.bash("git push origin topic"), &["command-guard: git-push"]);
    assert_text!("remote_ask", told.0);
    assert_deny(&world.bash("rm ~/.config/guard-host/guard.toml"), &["self-protect: guard-file"]);
}

#[test]
fn a_real_server_learns_where_links_of_this_machine_lead() {
    let (world, other, _server) = served();
    fs::create_dir(world.path("repo/plain")).unwrap();
    symlink(world.home.path(), world.path("repo/link")).unwrap();
    symlink(".env", world.path("repo/notes.txt")).unwrap();
    assert_deny(&world.bash("rm -rf link/"), &["command-guard: rm-home"]);
    assert_ask(&world.bash("rm -rf plain/"), &["command-guard: rm-recursive-force"]);
    assert_deny(&world.bash("echo x > notes.txt"), &["command-guard: shell-write-secret"]);
    assert_silent(&world.bash("echo x > others.txt"));
    // Nothing on the server's own machine is used.
    symlink(".env", other.path("repo/others.txt")).unwrap();
    assert_silent(&world.bash("echo x > others.txt"));
}

#[test]
fn a_server_is_told_no_more_of_files_than_a_request_may_hold() {
    let world = World::new();
    let files: Vec<String> = (0..17).map(|number| format!("big/{number}")).collect();
    let of_file = |file: &String| format!("{}:{}", 1 << 20, world.write(file, "x".repeat(1 << 20)).display());
    let keys: Vec<String> = files.iter().map(of_file).collect();
    for (count, expected) in [(17, "ask"), (3, "")] {
        let stub = curious(json!({ "files": keys[..count] }));
        super::ask(&world, &stub.url, "timeout-ms = 1500\ngrants = [\"read:~/big\"]");
        let ended = world.bash("ls");
        assert_eq!(ended.decision(), expected, "{ended:?}");
        assert_eq!(ended.reason().contains("[remote: no-answer]"), count == 17, "{ended:?}");
    }
}

#[test]
fn a_server_is_told_where_a_link_leads() {
    let world = World::new();
    symlink("somewhere", world.path("repo/link")).unwrap();
    let path = world.path("repo/link").display().to_string();
    let stub = curious(json!({ "entries": [path, "/not/there", "relative"] }));
    super::ask(&world, &stub.url, "");
    assert_silent(&world.bash("ls"));
    let requests = stub.requests();
    let entries = &requests[1]["facts"]["entries"];
    assert_eq!(entries[&path], "link:somewhere");
    assert_eq!((&entries["/not/there"], &entries["relative"]), (&json!("absent"), &json!("unknown")));
}

#[test]
fn what_the_policies_here_learned_comes_with_the_first_request() {
    let (stub, world) = (Stub::of("Abstain"), World::new());
    fs::create_dir(world.path("repo/plain")).unwrap();
    super::ask(&world, &stub.url, "");
    world.bash("rm -rf plain");
    let entries = stub.requests()[0]["facts"]["entries"].clone();
    assert_eq!(entries[world.path("repo/plain").display().to_string()], "dir", "{entries}");
}

#[test]
fn files_and_variables_are_told_as_far_as_they_are_granted_and_without_secrets() {
    let world = World::new();
    let at = |below: &str| world.path(below).display().to_string();
    world.write("plans/a.txt", format!("one plan\ntoken = {SECRET}\n"));
    world.write("other.txt", "not for it");
    world.write(".ssh/id_ed25519", "not for it");
    world.write("repo/.gitignore", format!("target/\n# {SECRET}\n"));
    symlink("../other.txt", world.path("plans/out.txt")).unwrap();
    fs::create_dir_all(world.path("odd")).unwrap();
    symlink("../.ssh/id_ed25519", world.path("odd/.git")).unwrap();
    let [plan, other, out, gone] =
        ["plans/a.txt", "other.txt", "plans/out.txt", "plans/gone.txt"].map(|below| format!("1000:{}", at(below)));
    let up = format!("1000:{}/../other.txt", at("plans"));
    let [ignored, key, odd] =
        ["repo/.gitignore", ".ssh/id_ed25519", "odd/.git"].map(|below| format!("1000:{}", at(below)));
    let stub = curious(json!({
        "files": [plan, other, out, gone, up, "not a key"], "heads": [ignored, key, odd, "x"],
        "env": ["CI", "UNSET"],
    }));
    super::ask(&world, &stub.url, "grants = [\"read:~/plans\", \"env:CI\", \"env:UNSET\"]");
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "cwd": world.repo() });
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("CI", "yes");
    assert_silent(&end(hook, &payload.to_string()));
    let requests = stub.requests();
    let facts = &requests[1]["facts"];
    let text = facts["files"][&plan]["Ok"].as_str().unwrap();
    assert!(text.starts_with("one plan\ntoken = ") && !text.contains(SECRET), "{text}");
    for (key, fault) in [(&other, "Denied"), (&out, "Failed"), (&gone, "Absent"), (&up, "Denied")] {
        assert_eq!(facts["files"][key], json!({ "Err": fault }), "{key}");
    }
    assert_eq!(facts["files"]["not a key"], json!({ "Err": "Denied" }));
    assert!(facts["heads"][&ignored].as_str().unwrap().starts_with("target/\n"));
    assert_eq!(
        (&facts["heads"][&key], &facts["heads"][&odd], &facts["heads"]["x"]),
        (&json!(null), &json!(null), &json!(null))
    );
    assert_eq!(facts["env"], json!({ "CI": "yes", "UNSET": null }));
    let sent = json!(requests).to_string();
    assert!(!sent.contains(SECRET) && !sent.contains("not for it"), "{sent}");
    assert_eq!(requests.len(), 2);
}

#[test]
fn a_variable_that_may_not_be_told_is_no_answer_and_is_named() {
    let stub = curious(json!({ "env": ["MINE"] }));
    let world = asking(&stub.url, "fallback = \"deny\"\ngrants = [\"env:CI\"]");
    let payload = json!({ "tool_name": "Bash", "tool_input": { "command": "ls" }, "cwd": world.repo() });
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("MINE", "not for it");
    let ended = end(hook, &payload.to_string());
    assert_eq!(ended.decision(), "deny", "{ended:?}");
    assert_text!("remote_variable", normalize(&world, &ended.reason()));
    assert!(!json!(stub.requests()).to_string().contains("not for it"));
}

#[test]
fn no_file_comes_with_the_first_request_and_no_link_is_read() {
    let world = World::new();
    let at = |below: &str| world.path(below).display().to_string();
    world.write("secret.txt", "not for it");
    fs::create_dir_all(world.path("repo/sub/d")).unwrap();
    world.write("repo/sub/.git", format!("gitdir: {}\n", at("repo/sub/d")));
    symlink("../../../secret.txt", world.path("repo/sub/d/gitdir")).unwrap();
    symlink("../secret.txt", world.path("repo/.gitignore")).unwrap();
    let stub = curious(json!({ "heads": [format!("1000:{}", at("repo/.gitignore"))] }));
    super::ask(&world, &stub.url, "");
    assert_silent(&world.bash("touch sub/x"));
    let requests = stub.requests();
    assert_eq!(requests.len(), 2, "{requests:?}");
    assert!(!json!(requests).to_string().contains("not for it"), "{requests:?}");
}

#[test]
fn git_is_asked_on_the_machine_of_the_call() {
    let world = World::new();
    let git = Command::new("git").args(["init", "--quiet", "-b", "topic"]).current_dir(world.repo()).status();
    assert!(git.unwrap().success());
    let repo = world.repo().display().to_string();
    let (branch, odd) = (format!("branch:{repo}"), format!("colour:{repo}"));
    let stub = curious(json!({ "git": { &branch: repo, &odd: repo, "branch:relative": "relative" } }));
    super::ask(&world, &stub.url, "");
    world.bash("ls");
    let git = &stub.requests()[1]["facts"]["git"];
    assert_eq!((&git[&branch], &git[&odd], &git["branch:relative"]), (&json!("topic"), &json!(null), &json!(null)));
}

#[test]
fn the_call_and_its_place_are_told_whole() {
    let stub = Stub::of("Abstain");
    let world = asking(&stub.url, "");
    world.bash("echo one two");
    let request = stub.requests().remove(0);
    assert_eq!(request["calls"][0]["input"]["command"], "echo one two");
    assert_eq!(request["at"]["cwd"], json!(world.repo()));
    assert_eq!(request["at"]["session"], "s1");
}

#[test]
fn files_that_a_server_may_not_read_are_judged_here() {
    let (stub, world) = (Stub::of("Abstain"), World::new());
    super::ask(&world, &stub.url, "");
    world.write("repo/x.sh", "# not for it\ngit push --force origin main\n");
    world.write("repo/x.py", "import subprocess\nsubprocess.run(['git', 'push', '--force', 'origin', 'main'])\n");
    world.write("repo/plain.sh", "ls\n");
    for command in ["bash x.sh", ". ./x.sh", "cd . && sh ./x.sh", "python3 x.py"] {
        assert_deny(&world.bash(command), &["command-guard: force-push-protected"]);
    }
    // The server judges everything else.
    assert_silent(&world.bash("bash plain.sh"));
    assert_silent(&world.bash("git push --force origin main && bash plain.sh"));
    assert!(!json!(stub.requests()).to_string().contains("not for it"));
    // A server that may read them decides alone.
    super::ask(&world, &stub.url, "grants = [\"read:~/repo\"]");
    assert_silent(&world.bash("bash x.sh"));
}

#[test]
fn a_real_server_does_not_let_a_script_pass_that_it_may_not_read() {
    let (world, _other, _server) = served();
    world.write("repo/x.sh", "git push --force origin main\n");
    world.write("repo/plain.sh", "ls\n");
    assert_deny(&world.bash("bash x.sh"), &["command-guard: force-push-protected"]);
    assert_silent(&world.bash("bash plain.sh"));
}

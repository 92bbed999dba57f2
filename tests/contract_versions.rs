//! Old policies: a component that was built against a version of the contract works with all later hosts. They are
//! never rebuilt, because the test is about these exact bytes.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sha2::{Digest, Sha256};

use crate::support::pages::root;
use crate::support::reply::{assert_ask, assert_deny, assert_silent, assert_warn};
use crate::support::world::{World, end};

/// Each stored component, with its digest.
const KEPT: [(&str, &str); 3] = [
    ("0.1.0", "1b31fa3f2c935603e0f0f4763cac7789b84bbb053ab215f34c89e4485ead6456"),
    ("0.2.0", "0622b3edecf4e6187356b2d7b331dfc4724d58d0d4627e4d122e9d2957956f76"),
    ("0.3.0", "825c69ef9c6f4a7be0bf4fde03bcc7f0b4e7afba2569fe4f356956bb6e0cc80e"),
];

#[test]
fn the_bytes_are_those_of_the_first_day() {
    for (version, expected) in KEPT {
        let bytes = fs::read(root().join("tests/contract_versions").join(version).join("policy.wasm")).unwrap();
        let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(digest, expected, "{version}: never build it again; a new version gets a folder of its own");
    }
    let folders = fs::read_dir(root().join("tests/contract_versions")).unwrap().count();
    assert_eq!(folders, KEPT.len(), "each folder is in the table");
}

#[test]
fn a_policy_of_each_version_is_told_every_field() {
    let world = World::new();
    for (version, _) in KEPT {
        let folder = root().join("tests/contract_versions").join(version);
        let (policy, cases) = (folder.join("policy.wasm"), folder.join("cases.toml"));
        let ended = world.run(&["test", policy.to_str().unwrap(), cases.to_str().unwrap()], "");
        assert_eq!(ended.exit, 0, "{version}: {ended:?}");
        let ended = world.run(&["policy", "conformance", policy.to_str().unwrap()], "");
        assert_eq!(ended.exit, 0, "{version}: {ended:?}");
    }
}

#[test]
fn a_policy_of_each_version_gives_every_outcome_in_the_hook() {
    for (version, _) in KEPT {
        let policy = root().join("tests/contract_versions").join(version).join("policy.wasm");
        for (outcome, assert) in [
            ("deny", (|ended| assert_deny(ended, &["[kept: "])) as fn(&_)),
            ("ask", |ended| assert_ask(ended, &["[kept: "])),
            ("warn", |ended| assert_warn(ended, &["[kept: "])),
            ("allow", |ended| assert!(ended.exit == 0 && ended.decision().is_empty(), "{ended:?}")),
        ] {
            let world = World::new();
            world.configure(&format!(
                "preset = \"none\"\n[[policy]]\nname = \"kept\"\nsource = \"{}\"\nsettings = {{ outcome = \"{outcome}\" }}\n\
                 grants = {{ journal = {{ kept = \"~/kept.jsonl\" }} }}\n",
                policy.display()
            ));
            world.run(&["cache", "warm"], "");
            assert(&world.bash("touch a"));
            assert_silent(&world.bash("ls"));
        }
    }
}

/// A test file's world is made up. Here, the hook runs git itself.
#[test]
fn a_policy_is_told_what_git_says_on_this_machine() {
    let world = World::new();
    let git = |words: &[&str]| {
        let mut command = std::process::Command::new("git");
        command.args(["-c", "user.name=A", "-c", "user.email=a@example.org"]).args(words);
        command.env("HOME", world.home.path()).current_dir(world.repo()).output()
    };
    let _ = fs::remove_dir_all(world.repo().join(".git"));
    let made = git(&["init", "--quiet", "--initial-branch", "trunk"]).unwrap();
    assert!(made.status.success(), "{made:?}");
    world.write("repo/.gitignore", "out/\n");
    world.write("repo/kept.ts", "1");
    world.write("repo/new.ts", "1");
    world.write("repo/out/x", "1");
    for words in [&["add", "kept.ts"][..], &["commit", "--quiet", "-m", "a"]] {
        assert!(git(words).unwrap().status.success());
    }
    // Git treats this folder as a repository, and the host doesn't. A link leads into it.
    let made = git(&["init", "--quiet", "--separate-git-dir", "../elsewhere", "inner"]).unwrap();
    assert!(made.status.success(), "{made:?}");
    world.write("repo/inner/f", "1");
    std::os::unix::fs::symlink("inner", world.repo().join("link")).unwrap();
    assert!(git(&["add", "link"]).unwrap().status.success());
    world.configure(&format!(
        "preset = \"none\"\n[[policy]]\nname = \"kept\"\nsource = \"{}\"\n\
         grants = {{ journal = {{ kept = \"~/kept.jsonl\" }}, read = [\"./app/package.json\"] }}\n",
        root().join("tests/contract_versions/0.2.0/policy.wasm").display()
    ));
    world.run(&["cache", "warm"], "");
    assert_ask(&world.bash("rm kept.ts new.ts inner/f link && rm -r out"), &["[kept: "]);
    let lines = fs::read_to_string(world.path("kept.jsonl")).unwrap();
    for (name, said) in [
        ("kept.ts", r#"["trunk","yes","no","no"]"#),
        ("new.ts", r#"["trunk","no","no","no"]"#),
        ("out", r#"["trunk","no","no","yes"]"#),
        ("inner/f", r#"["","unknown","unknown","unknown"]"#),
        ("link", r#"["trunk","yes","yes","no"]"#),
    ] {
        let line = lines.lines().find(|line| line.contains(&format!("/repo/{name}\""))).unwrap();
        assert!(line.contains(&format!("\"git\":{said}")), "{name}: {line}");
    }
}

/// Four queries for each of six files would take the whole deadline, so the later policies would never answer.
#[test]
fn a_git_that_does_not_answer_keeps_nobody_from_denying() {
    let world = World::new();
    let stub = world.write("bin/git", "#!/bin/sh\nexec sleep 600\n");
    fs::set_permissions(&stub, fs::Permissions::from_mode(0o755)).unwrap();
    let source = root().join("tests/contract_versions/0.2.0/policy.wasm");
    // Two of them: each may wait up to its limit.
    let entry = |name: &str| {
        format!(
            "[[policy]]\nname = \"{name}\"\nbefore = \"command-guard\"\nsource = \"{}\"\n\
             grants = {{ journal = {{ kept = \"~/{name}.jsonl\" }}, read = [\"./app/package.json\"] }}\n",
            source.display()
        )
    };
    world.configure(&format!("preset = \"standard\"\n{}{}", entry("kept"), entry("again")));
    world.run(&["cache", "warm"], "");
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("PATH", format!("{}:/usr/bin:/bin", world.path("bin").display()));
    let call = r#"{"tool_name":"Bash","tool_input":{"command":"rm -rf / a b c d e"}}"#;
    assert_deny(&end(hook, call), &["[command-guard: rm-root]"]);
    let lines = fs::read_to_string(world.path("kept.jsonl")).unwrap();
    assert!(lines.contains(r#"["","unknown","unknown","unknown"]"#), "{lines}");
}

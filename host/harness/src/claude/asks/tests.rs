//! Tests of calls whose ask stays an ask, and of calls whose ask becomes a deny.

use guard_contract::paths::lexical;
use serde_json::{Value, json};

use super::*;

const LINKS: [&str; 3] = ["/repo/g", "/repo/sub/out", "/home/u/l"];

fn resolve_in(cwd: &str, word: &str) -> Option<String> {
    let path = lexical(word, cwd, "/home/u");
    let is_through = |link: &str| path == link || path.starts_with(&format!("{link}/"));
    (!LINKS.into_iter().any(is_through)).then_some(path)
}

fn call(tool: &str, input: &Value) -> ToolCall {
    let common = if tool == "Monitor" { "Bash" } else { tool };
    ToolCall { original_tool: tool.to_owned(), ..ToolCall::new(common, input.as_object().unwrap().clone()) }
}

fn hears(mode: Option<&str>, version: Option<&str>, cwd: &str, calls: &[ToolCall]) -> bool {
    let resolve = |word: &str| resolve_in(cwd, word);
    is_shown(&AskScene { mode, calls, variable: &|_| None, resolve: &resolve }, version)
}

fn hears_bash(command: &str) -> bool {
    let calls = [call("Bash", &json!({ "command": command, "description": "x", "timeout": 5 }))];
    hears(Some("bypassPermissions"), None, "/repo", &calls)
}

#[test]
fn a_plain_command_is_asked_about() {
    for command in [
        "git push origin topic",
        "git push -u origin feature/new-thing",
        "git push origin HEAD~2:main",
        "git push git@github.com:me/thing.git topic",
        "git push 2>&1 | tail -5",
        "git push >/dev/null 2>&1; echo done",
        "cd /repo && git push",
        "git add .gitignore .github/workflows/ci.yml && git commit -m \"Fix it (again).\" && git push",
        "git commit -m 'a text that is much longer than any name of a file may be, so that nobody can look for it on the \
         disk, and which goes on and on, with a path such as src/a.rs in it, to say what was done and why it was done, \
         and how it was tested before it went out to others' && git push",
        "npm publish --access public",
        "rm -rf build",
        "rm -rf ./dist node_modules/x",
        "rm -rf /repo/target/debug",
        "rm -rf ~/Downloads/old",
        "docker system prune -f",
        "kubectl delete pod web-1 --namespace=prod",
        "gh pr create --title 'Add it.' --body \"One line.\nTwo lines.\"",
        "guard-host confirm 'git push origin topic'",
        "terraform apply -auto-approve",
        "git reset --hard HEAD~1",
        "git commit -m 'Say \"why?\" [once]' && git push",
        "psql -c 'drop table a, b'",
        "git push origin a#1",
        "rm -rf digit.config come x.git/y legit",
        "",
    ] {
        assert!(hears_bash(command), "{command}");
    }
}

#[test]
fn a_command_with_a_sensitive_path_in_any_spelling_is_not() {
    for command in [
        "git push origin topic 2> .git/push.log",
        "git push origin topic 2>.git/push.log",
        "npm publish > .claude/npm.log",
        "git push; touch .git/x",
        "rm -rf .git",
        "rm -rf ./build .git/x",
        "rm -rf .g''it",
        "rm -rf '.g'\"it\"",
        "rm -rf .g\\it",
        "d=.gi; rm -rf ${d}t",
        "rm -rf $(printf .g)it",
        "rm -rf `echo .g`it",
        "rm -rf $'\\x2egit'",
        "rm -rf .g?t",
        "rm -rf .[g]it",
        "rm -rf .g*",
        "rm -rf .{git,x}",
        "rm -rf .GIT",
        "rm -rf .g\u{131}t",
        "rm -rf .v\u{17f}code",
        "rm -rf GIT~1",
        "git push; rm x~1",
        "git push; touch a.",
        "git push; touch 'a /b'",
        "git push; tee nul.txt",
        "git push; touch //host/share",
        "cd .git && rm -rf hooks",
        "cd sub && rm -rf build",
        "cd && rm -rf x",
        "pushd sub; git push",
        "rm -rf ~root/x",
        "rm -rf '~/x'",
        "git push; touch g/x",
        "git push; cp x g",
        "git push; cp -tg x",
        "git push; cp --target-directory=g x",
        "git push; touch sub/../g/x",
        "rm -rf ~/l/x",
        "rm -rf /repo/.vscode/x",
        "git push; touch .idea/a",
        "git push; touch ~/.bashrc",
        "git push; tee -a ~/.zshrc",
        "git push; cp x ~/.config/git/config",
        "git push; cp x .husky/pre-push",
        "git push; cp x .cargo/config.toml",
        "git push; cp x .devcontainer/devcontainer.json",
        "git push; cp x .yarn/releases/y.cjs",
        "git push; cp x .mvn/jvm.config",
        "git push; cp x .npmrc",
        "git push; cp x lefthook.yml",
        "git push; cp x android/gradle/wrapper/gradle-wrapper.properties",
        "git push; cp x /elsewhere/settings.local.json",
        "git push; sh -c 'rm -rf .git'",
        "git push; sh -c 'touch g/x'",
        "git push; sh -c 'echo >g/x'",
        "git push; sh -c 'rm -rf .g\"\"it'",
        "git push; sh -c 'rm -rf .g?t'",
        "git push; sh -c 'cd sub; rm x'",
        "git push # it's\ntouch g/x # '",
        "git push <<< x",
        "git push > log",
        "git push >/dev/null/../x",
        "(cd sub; git push)",
        "git push 'x",
        "git push\r",
        "git commit -m 'change .claude' && git push",
    ] {
        assert!(!hears_bash(command), "{command}");
    }
    assert!(!hears_bash(&format!("git push{}", " x".repeat(200))));
    assert!(!hears_bash(&format!("git push {}", "x".repeat(5000))));
}

#[test]
fn the_folder_of_the_call_counts() {
    let calls = [call("Bash", &json!({ "command": "rm -rf hooks" }))];
    for (cwd, expected) in [
        ("/repo", true),
        ("/repo/.git", false),
        ("/repo/.claude/skills", false),
        ("/repo/.claude/worktrees/one", true),
        ("/repo/.claude/worktrees/one/.git", false),
        ("/repo/g", false),
    ] {
        assert_eq!(hears(Some("bypassPermissions"), None, cwd, &calls), expected, "{cwd}");
    }
    let above = [call("Bash", &json!({ "command": "rm -rf ../../hooks" }))];
    assert!(!hears(Some("bypassPermissions"), None, "/repo/.claude/worktrees/one", &above));
}

#[test]
fn a_file_is_asked_about_unless_it_is_sensitive() {
    for (tool, input, expected) in [
        ("Write", json!({ "file_path": "/repo/Dockerfile", "content": ".git" }), true),
        ("Edit", json!({ "file_path": "/repo/src/.env", "old_string": "a", "new_string": "b" }), true),
        ("Read", json!({ "file_path": "/repo/.env" }), true),
        ("Write", json!({ "file_path": "/repo/.git/hooks/pre-commit", "content": "x" }), false),
        ("Write", json!({ "file_path": "/repo/.vscode/tasks.json", "content": "x" }), false),
        ("Write", json!({ "file_path": ".Claude/agents/x.md", "content": "x" }), false),
        ("Write", json!({ "file_path": "/repo/g/x", "content": "x" }), false),
        ("MultiEdit", json!({ "file_path": "/repo/.mcp.json", "edits": [] }), false),
        ("NotebookEdit", json!({ "notebook_path": "/repo/.idea/x.ipynb", "new_source": "x" }), false),
        ("Write", json!({ "file_path": "/repo/Dockerfile", "path": "/repo/.git/x", "content": "x" }), false),
        ("Write", json!({ "file_path": "/repo/a.", "content": "x" }), false),
        ("Write", json!({ "content": "x" }), false),
        ("mcp__lab__run", json!({ "command": "git push origin topic 2> .git/push.log" }), true),
        ("PowerShell", json!({ "command": "git push" }), false),
        ("SomethingNew", json!({ "a": 1 }), false),
        ("Bash", json!({ "command": "git push", "dangerouslyDisableSandbox": true }), false),
        ("Bash", json!({ "command": "git push", "dangerouslyDisableSandbox": false }), true),
        ("Bash", json!({ "command": "git push", "allowed_domains": ["x"] }), false),
        ("Bash", json!({ "command": "git push", "run_in_background": true }), true),
        ("Monitor", json!({ "command": "git push", "timeout_ms": 5, "persistent": true }), true),
        ("Monitor", json!({ "command": "git push 2> .git/x" }), false),
    ] {
        assert_eq!(hears(Some("bypassPermissions"), None, "/repo", &[call(tool, &input)]), expected, "{tool} {input}");
    }
    assert!(!hears(Some("bypassPermissions"), None, "/repo", &[]));
}

#[test]
fn the_mode_and_the_version_say_who_is_asked() {
    let (plain, touching) = ("git push", "git push 2> .git/x");
    let new = Some("claude-code_2-1-211_harness");
    for (mode, version, command, expected) in [
        (Some("default"), None, touching, true),
        (Some("acceptEdits"), None, touching, true),
        (Some("dontAsk"), None, touching, true),
        (Some(""), None, touching, true),
        (Some("plan"), new, plain, true),
        (Some("plan"), new, touching, false),
        (Some("bypassPermissions"), new, touching, false),
        (Some("auto"), new, touching, true),
        (Some("auto"), Some("claude-code_2-1-332_harness"), touching, true),
        (Some("auto"), Some("claude-code/3.0.0/agent"), touching, true),
        (Some("auto"), Some("claude-code_2-1-210_harness"), plain, false),
        (Some("auto"), Some("claude-code_2-0-300_harness"), plain, false),
        (Some("auto"), Some("claude-code_2-1"), plain, false),
        (Some("auto"), Some("claude-code_99999999999-1-1_x"), plain, false),
        (Some("auto"), Some("another_2-1-332"), plain, false),
        (Some("auto"), Some(""), plain, false),
        (Some("auto"), None, plain, false),
        (Some("somethingNew"), new, plain, false),
        (None, new, plain, false),
    ] {
        let calls = [call("Bash", &json!({ "command": command }))];
        assert_eq!(hears(mode, version, "/repo", &calls), expected, "{mode:?} {version:?} {command}");
    }
}

#[test]
fn the_names_are_in_order() {
    assert!(SENSITIVE.is_sorted() && SENSITIVE.iter().all(|name| fold_case(name) == **name));
}

//! Every block of every page is tested, by a test that follows the page or here.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use super::FOR_USERS;
use super::examples::pages;
use super::recipes::missing;
use crate::serve::client::Server;
use crate::support::pages::{Block, Shell, blocks, root};
use crate::support::world::World;

/// Pages that other tests follow, and the test's file.
const ELSEWHERE: [(&str, &str); 35] = [
    ("guest-sdk/README.md", "tests/languages.rs"),
    ("guest-sdk/docs/analysis.md", "tests/docs.rs"),
    ("guest-sdk/docs/c.md", "tests/languages.rs"),
    ("guest-sdk/docs/cookbook.md", "tests/docs/cookbook.rs"),
    ("guest-sdk/docs/fixtures.md", "tests/docs.rs"),
    ("guest-sdk/docs/javascript.md", "tests/languages.rs"),
    ("guest-sdk/docs/python.md", "tests/languages.rs"),
    ("guest-sdk/docs/typescript.md", "tests/languages.rs"),
    ("guest-sdk/examples/fleet/README.md", "tests/languages/fleet.rs"),
    ("guest-sdk/examples/fleet-log/README.md", "tests/docs/fleet.rs"),
    ("guest-sdk/examples/team/README.md", "tests/ci.rs"),
    ("guest-sdk/js/README.md", "tests/packages.rs"),
    ("guest-sdk/python/README.md", "tests/packages.rs"),
    ("docs/administrators.md", "tests/install/managed.rs"),
    ("docs/audit-log.md", "tests/cli/verify.rs"),
    ("docs/many-machines.md", "tests/sync.rs"),
    ("docs/harness-details.md", "host/setup/src/specs/page.rs"),
    ("docs/migrating.md", "tests/docs/blocks.rs"),
    ("docs/registries.md", "tests/registry.rs"),
    ("host/analyzer/programs/README.md", "host/analyzer/tests/pages.rs"),
    ("policies/cel/README.md", "tests/docs/examples.rs"),
    ("policies/rego/README.md", "tests/docs/examples.rs"),
    ("policies/command-guard/RULES.md", "tests/docs/examples.rs"),
    ("policies/protected-files/RULES.md", "tests/docs/examples.rs"),
    ("policies/session-guard/RULES.md", "tests/docs/examples.rs"),
    ("policies/intrusion-guard/RULES.md", "tests/docs/examples.rs"),
    ("policies/lib/input-document/README.md", "tests/docs/blocks.rs"),
    ("policies/README.md", "tests/docs/blocks.rs"),
    ("docs/serve.md", "tests/docs/blocks.rs"),
    ("docs/service.md", "tests/service.rs"),
    ("docs/ship.md", "tests/ship.rs"),
    ("docs/releases.md", "tests/docs/blocks.rs"),
    ("docs/undo.md", "tests/undo/hook.rs"),
    ("docs/run.md", "tests/cli/run.rs"),
    ("docs/rates.md", "tests/docs/blocks.rs"),
];

/// Pages whose commands build or test this repository, or need unavailable things. Here, only the named commands and
/// files are checked.
const OF_CARGO: [&str; 4] =
    ["CONTRIBUTING.md", "host/analyzer/programs/README.md", "host/analyzer/fuzz/README.md", "tests/live/README.md"];

#[test]
fn every_block_has_a_test() {
    for (page, test) in ELSEWHERE {
        let text = fs::read_to_string(root().join(test)).unwrap_or_else(|error| panic!("{test}: {error}"));
        let (folder, name) = page.rsplit_once('/').unwrap_or(("", page));
        let names = [page, name, name.trim_end_matches(".md"), folder.rsplit('/').next().unwrap_or_default()];
        assert!(names.iter().any(|name| !name.is_empty() && text.contains(name)), "{test} does not name {page}");
    }
    for page in pages() {
        let lists = [&FOR_USERS[..], &OF_CARGO];
        let is_tried =
            ELSEWHERE.iter().any(|(tried, _)| *tried == page) || lists.iter().any(|list| list.contains(&page.as_str()));
        for block in blocks(&page) {
            // Text is output, or a drawing.
            assert!(is_tried || block.language == "text", "{page}:{}: no test tries this block", block.line);
        }
    }
}

/// Writes a program with this name, from a shell text.
fn stub(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Starts a shell at home: `~` is the home of the world, `cargo` and `rustup` do nothing, and there is a built program.
fn at_home() -> Shell {
    let mut shell = Shell::new();
    shell.at_home();
    for name in ["cargo", "rustup"] {
        stub(shell.bin(), name, "exit 0");
    }
    let guard = format!("exec '{}' \"$@\"", shell.bin().join("guard-host").display());
    stub(shell.folder(), "target/release/guard-host", &guard);
    shell
}

/// Runs each line of a block. Exit code 2 is a verdict that stops a call.
fn run(shell: &mut Shell, page: &str, block: &Block) -> String {
    let text = block.text.replace("\\\n", " ");
    let lines: Vec<&str> = text.lines().map(|line| line.strip_prefix("$ ").unwrap_or(line)).collect();
    let mut printed = String::new();
    for line in lines.iter().filter(|line| !line.is_empty()) {
        let ended = shell.run(line);
        let is_verdict = ended.exit == 2 && (line.contains(" check ") || line.contains(" hook "));
        assert!(ended.exit == 0 || is_verdict, "{page}:{}: `{line}`: {ended:?}", block.line);
        printed += &ended.stdout;
    }
    printed
}

fn git(shell: &mut Shell, words: &str) {
    let ended = shell.run(&format!("git -c user.name=A -c user.email=a@example.org {words}"));
    assert_eq!(ended.exit, 0, "{words}: {ended:?}");
}

#[test]
fn the_commands_of_the_pages_for_users_run_one_after_another() {
    const CALL: &str = r#"{"tool":"Bash","input":{"command":"ls"}}"#;
    let mut shell = at_home();
    let component = fs::read(root().join("tests/contract_versions/0.1.0/policy.wasm")).unwrap();
    for name in ["old.wasm", "new.wasm"] {
        shell.world.write(&format!("repo/{name}"), &component);
    }
    shell.world.write("repo/calls.jsonl", format!("{CALL}\n"));
    shell.world.write("repo/new.toml", "preset = \"guardrail\"\n");
    let session = r#"{"type":"assistant","sessionId":"s","cwd":"/repo","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}]}}"#;
    shell.world.write(".claude/projects/p/s.jsonl", format!("{session}\n"));
    shell.world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"command-guard\"\nsettings = {}\n");
    let _ = fs::remove_dir_all(shell.world.repo().join(".git"));
    for words in ["init --quiet", "add .guard", "commit --quiet -m a", "update-ref refs/remotes/origin/main HEAD"] {
        git(&mut shell, words);
    }
    let mut ran = 0;
    for (page, block) in FOR_USERS.iter().flat_map(|page| blocks(page).into_iter().map(move |block| (page, block))) {
        let place = format!("{page}:{}", block.line);
        match block.language.as_str() {
            "console" => shell.show(&block.text).unwrap_or_else(|error| panic!("{place}: {error}")),
            "sh" => {
                let printed = run(&mut shell, page, &block);
                // The README shows the output of its first command.
                if block.text.contains("target/release/guard-host") {
                    let shown = blocks(page).into_iter().find(|block| block.language == "text").unwrap();
                    assert_eq!(printed, shown.text, "{place}");
                }
            }
            _ => continue,
        }
        ran += 1;
    }
    assert!(ran >= 10, "{ran}");
}

#[test]
fn the_settings_of_the_pages_for_users_pass_the_check() {
    // `examples` tests those with entries.
    let is_setting = |block: &&Block| block.language == "toml" && !block.text.contains("[[policy]]");
    let mut checked = 0;
    for page in FOR_USERS {
        for block in blocks(page).iter().filter(is_setting) {
            let world = World::new();
            world.configure(&block.text);
            let ended = world.run(&["config", "check"], "");
            assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{page}:{}: {ended:?}", block.line);
            checked += 1;
        }
    }
    assert!(checked >= 1, "{checked}");
}

#[test]
fn the_page_about_migration_does_what_it_says() {
    let mut shell = at_home();
    shell.world.write(
        ".claude/settings.json",
        r#"{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"~/.claude/hooks/scripts/guardrail.py"}]}]}}"#,
    );
    shell.world.write(".claude/hooks/scripts/guardrail.py", "#!/usr/bin/env python3\n");
    for block in blocks("docs/migrating.md") {
        if block.language == "toml" {
            shell.world.configure(&block.text);
            let checked = shell.run("guard-host config check");
            assert!(checked.exit == 0, "docs/migrating.md:{}: {checked:?}", block.line);
        } else {
            run(&mut shell, "docs/migrating.md", &block);
        }
    }
    let kept = shell.world.path(".claude/hooks/scripts/guardrail.py.before-guard-host");
    assert!(kept.exists() && shell.world.path(".claude/hooks/scripts/guardrail-confirm.py").exists());
}

#[test]
fn the_commands_about_rates_run() {
    let mut shell = at_home();
    shell.world.write("repo/calls.jsonl", "{\"tool\":\"Bash\",\"input\":{\"command\":\"ls\"},\"expect\":\"pass\"}\n");
    for block in blocks("docs/rates.md") {
        run(&mut shell, "docs/rates.md", &block);
    }
}

/// The archive is a dummy. Its programs are these.
#[test]
fn the_commands_about_a_release_run() {
    let mut shell = at_home();
    let folder = "guard-host-VERSION-x86_64-unknown-linux-musl";
    let [hook, tools] = [env!("CARGO_BIN_EXE_guard-host"), env!("CARGO_BIN_EXE_guard-host-tools")];
    let pack = format!(
        "mkdir -p ~/.local/bin {folder} && cp '{hook}' '{tools}' {folder}/ && (cd {folder} && sha256sum guard-host \
         guard-host-tools > PROGRAMS.sha256) && tar -czf {folder}.tar.gz {folder} && sha256sum {folder}.tar.gz > SHA256SUMS \
         && cp SHA256SUMS {folder}.tar.gz {folder}/"
    );
    assert_eq!(shell.run(&pack).exit, 0);
    // A home finds the programs that it installed.
    stub(shell.bin(), "guard-host", "exec ~/.local/bin/guard-host \"$@\"");
    let all = blocks("docs/releases.md");
    assert!(all.len() >= 2);
    for block in all {
        run(&mut shell, "docs/releases.md", &block);
    }
}

#[test]
fn the_tests_on_the_page_of_rego_hold_for_its_text() {
    let all = blocks("policies/rego/README.md");
    let block =
        |package: &str| all.iter().find(|block| block.text.starts_with(&format!("package {package}\n"))).unwrap();
    let mut shell = at_home();
    shell.world.write("repo/team/guard.rego", &block("guard").text);
    shell.world.write("repo/team/guard_test.rego", &block("guard_test").text);
    shell.world.write("repo/cases/cases.toml", "[[cases]]\ninput = \"git push -f origin main\"\nexpect = \"deny\"\n");
    let commands = all.iter().find(|block| block.language == "sh").unwrap();
    let printed = run(&mut shell, "policies/rego/README.md", commands);
    assert_eq!(printed.matches("2 passed, 0 failed, 1 skipped").count(), 2, "{printed}");
}

#[test]
#[ignore = "needs curl"]
fn the_server_of_its_page_answers_as_the_page_asks() {
    let page = "docs/serve.md";
    let all = blocks(page);
    let [start, ask, install, scrape, remote, _unit] = all.as_slice() else {
        panic!("{page} has {} blocks", all.len())
    };
    let mut shell = at_home();
    for (number, line) in start.text.lines().enumerate() {
        let words: Vec<&str> = line.split('#').next().unwrap().split_whitespace().collect();
        let [Some(&"guard-host"), Some(&"serve")] = [words.first(), words.get(1)] else { panic!("{page}: {line}") };
        let home = shell.world.home.path().display().to_string();
        let options: Vec<String> = words[2..].iter().map(|word| word.replace('~', &home)).collect();
        // Another program may use the page's port, so this one takes a free one.
        let options: Vec<&str> = options.iter().map(String::as_str).collect();
        let server = Server::start(&shell.world, &options);
        if number == 0 {
            let printed = shell.run(&ask.text.replace("127.0.0.1:8273", &server.address)).stdout;
            assert!(printed.contains("command-guard: rm-root"), "{printed}");
            // Sends the request that Prometheus would send, without Prometheus.
            let value =
                |key: &str| scrape.text.lines().find_map(|line| line.trim().strip_prefix(key)).unwrap().to_owned();
            let token = value("credentials_file: /home/me");
            assert_eq!(value("- targets: "), "[\"127.0.0.1:8273\"]");
            // A rejected request is counted.
            let refused = shell.run(&format!("curl http://{}/metrics", server.address)).stdout;
            assert!(!refused.contains("guard_host_calls_total"), "{refused}");
            let command =
                format!("curl -H \"Authorization: Bearer $(cat ~{token})\" http://{}/metrics", server.address);
            let printed = shell.run(&command).stdout;
            assert!(printed.contains("guard_host_calls_total{verdict=\"deny\",harness=\"claude\"} 1"), "{printed}");
            for name in names_of_metrics() {
                let kind = format!("# TYPE {} ", name.trim_end_matches("_total"));
                assert!(printed.contains(&kind) || printed.contains(&format!("# TYPE {name} ")), "{name}: {printed}");
            }
        }
    }
    run(&mut shell, page, install);
    // This machine has no such file.
    let lines = remote.text.lines().filter(|line| !line.starts_with("ca = "));
    shell.world.configure(&lines.collect::<Vec<_>>().join("\n"));
    let token = shell.world.write(".config/guard-host/remote.token", "token");
    fs::set_permissions(token, fs::Permissions::from_mode(0o600)).unwrap();
    let shown = shell.run("guard-host config check").stdout;
    assert!(shown.starts_with("ok: "), "{shown}");
}

/// Returns the names of metrics in the page's table.
pub(super) fn names_of_metrics() -> Vec<String> {
    let text = fs::read_to_string(root().join("docs/serve.md")).unwrap();
    let name =
        |line: &str| line.strip_prefix("| `guard_host_").and_then(|rest| rest.split('`').next().map(str::to_owned));
    let names: Vec<String> = text.lines().filter_map(name).map(|name| format!("guard_host_{name}")).collect();
    assert!(names.len() >= 8, "{names:?}");
    names
}

#[test]
fn what_the_pages_have_cargo_do_is_there() {
    let mut named = 0;
    for page in OF_CARGO.iter().chain(&["README.md"]) {
        let lines = blocks(page).into_iter().filter(|block| matches!(block.language.as_str(), "sh" | "console"));
        let lines: Vec<String> =
            lines.flat_map(|block| block.text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        for command in lines.iter().flat_map(|line| line.split(" && ")) {
            let command = command.split(" #").next().unwrap().trim_start_matches("$ ").trim();
            let fault = match command.split_whitespace().collect::<Vec<_>>().as_slice() {
                ["cargo", "+nightly", "fuzz", _, target, ..] => {
                    let file = format!("host/analyzer/fuzz/fuzz_targets/{target}.rs");
                    (!root().join(&file).is_file()).then(|| format!("there is no {file}"))
                }
                ["cd", folder] => (!root().join(folder).is_dir()).then(|| "there is no such folder".to_owned()),
                ["cargo", ..] | ["target/release/guard-host", ..] => missing(command),
                [program, ..] if program.starts_with("tests/") => missing(command),
                // The shell's own, or `guard-host`, which runs above.
                _ => continue,
            };
            assert_eq!(fault, None, "{page}: `{command}`");
            named += 1;
        }
    }
    assert!(named >= 10, "{named}");
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

#[test]
fn the_documents_that_pages_show_can_be_read() {
    let page = "policies/lib/input-document/README.md";
    for block in blocks(page).iter().filter(|block| block.language == "json") {
        serde_json::from_str::<serde_json::Value>(&block.text).unwrap_or_else(|error| panic!("{page}: {error}"));
    }
    // A policy of the workspace has this table, and the build rejects unknown keys.
    let page = "policies/README.md";
    let known: Vec<String> =
        blocks(page).iter().filter(|block| block.language == "toml").map(|block| block.text.clone()).collect();
    let table: toml::Table = toml::from_str(&known.concat()).unwrap();
    let build = read("host/builtins/build.rs");
    for key in table["package"]["metadata"]["guard"].as_table().unwrap().keys() {
        assert!(build.contains(&format!("    {}: ", key.replace('-', "_"))), "{page}: `{key}`");
    }
}

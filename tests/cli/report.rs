//! `guard-host audit report`: one page with the numbers of `audit stats`, in which no text of the log is executed.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::texts::normalize;
use crate::support::world::World;
use crate::texts::assert_text;

const SCRIPT: &str = "<script>document.title = 'run'</script><img src=x onerror=\"document.title='run'\">";

/// Writes a log with hostile texts.
fn log(world: &World) -> String {
    let line = |day: u8, action: &str, rule: &str, operation: &str| {
        json!({ "ts": format!("2026-01-{day:02}T03:04:05.678Z"), "tool": "Bash", "operation": operation, "action": action,
            "policy": "command-guard", "rule": rule, "rules": [format!("command-guard:{rule}")], "id": format!("id{day}"),
            "session": "s1", "cwd": world.repo(), "harness": "claude" })
    };
    let long = "x".repeat(8000);
    let rows = [
        line(1, "block", "rm-root", "rm -rf /"),
        line(1, "block", "rm-root", "rm -rf /"),
        line(2, "confirm_required", "git-push", "git push && echo '</pre></details>'"),
        line(3, "confirm_required", SCRIPT, SCRIPT),
        line(4, "would-ask", "git-push", "echo \u{202e}txt.exe \u{1b}[31mred"),
        line(5, "error", "policy-fault", &long),
    ];
    rows.iter().map(|row| format!("{row}\n")).collect::<String>() + "{damaged\n"
}

fn report(world: &World) -> String {
    world.write(".local/state/guard-host/audit.jsonl", log(world));
    let ended = world.run(&["audit", "report", "--output", "r.html"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    std::fs::read_to_string(world.path("repo/r.html")).unwrap()
}

#[test]
fn its_numbers_are_those_of_the_log_and_hostile_texts_are_texts() {
    let world = World::new();
    let html = report(&world);
    let stats = world.run(&["audit", "stats", "--format", "json"], "");
    let stats: Value = serde_json::from_str(&stats.stdout).unwrap();
    let tile = |name: &str| {
        let before = html.split(&format!("</b>{name}</div>")).next().unwrap();
        before.rsplit('>').next().unwrap().parse::<u64>().unwrap()
    };
    for (name, action) in [("denied", "block"), ("asked about", "confirm_required"), ("faults", "error")] {
        assert_eq!(json!(tile(name)), stats["actions"][action], "{name}");
    }
    assert_eq!((json!(tile("lines of the log")), tile("would have been stopped")), (stats["lines"].clone(), 1));
    assert!(html.contains("passed over: 1<"), "the damaged line is told");
    // Two scripts from the log would be two more.
    assert_eq!(html.matches("<script>").count(), 1);
    assert!(!html.contains("<img") && html.contains("&lt;img src=x onerror="), "markup is escaped");
    assert!(!html.contains(['\u{202e}', '\u{1b}']) && html.len() < 100_000, "{}", html.len());
    for part in ["default-src 'none'", "style-src 'sha256-", "script-src 'sha256-", "|- git push"] {
        assert!(html.contains(part), "{part}");
    }
    assert!(
        !html.contains("http://") && !html.contains("https://") && !html.contains(" style="),
        "it needs nothing else"
    );
}

/// The page begins with a summary and the worst event with its reason, and shows each call once.
#[test]
fn it_says_first_what_happened_and_why() {
    let world = World::new();
    let html = report(&world);
    let lead = html.split("<p class=\"lead\">").nth(1).unwrap().split("</p>").next().unwrap();
    let worst = html.split("<ol class=\"worst\">").nth(1).unwrap().split("</ol>").next().unwrap();
    assert!(html.find("class=\"worst\"") < html.find("<svg"), "what was blocked stands above the chart");
    let asked_and_ran = |action: &str| {
        json!({ "ts": "2026-01-02T03:04:05.678Z", "tool": "Bash", "operation": "git push", "action": action, "by": "person",
            "policy": "command-guard", "rule": "git-push", "session": "s1", "cwd": world.repo(), "harness": "claude" })
    };
    let log = format!("{}\n{}\n", asked_and_ran("confirm_required"), asked_and_ran("ran"));
    world.write(".local/state/guard-host/audit.jsonl", log);
    let ended = world.run(&["audit", "report", "--format", "json"], "");
    let told: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(told["calls"].as_array().unwrap().len(), 1, "a call and its answer are one: {told}");
    assert_eq!(told["calls"][0]["actions"], json!({ "ask": 1, "ran": 1 }));
    assert_eq!(told["prompts"], json!({ "asked": 1, "ran": 1, "refused": 0 }));
    assert_text!("report", normalize(&world, &format!("{lead}\n{worst}\n{}", told["summary"])));
}

#[test]
fn it_lies_outside_of_the_repository_unless_a_file_is_named() {
    let world = World::new();
    report(&world);
    let before = std::fs::read_dir(world.repo()).unwrap().count();
    let ended = world.run(&["audit", "report"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    assert!(world.path(".local/state/guard-host/report.html").is_file());
    assert_eq!(std::fs::read_dir(world.repo()).unwrap().count(), before);
    for _ in 0..2 {
        assert_eq!(world.run(&["audit", "report", "--format", "json", "-o", "r.json"], "").exit, 0);
    }
    let text = std::fs::read_to_string(world.path("repo/r.json")).unwrap();
    assert!(serde_json::from_str::<Value>(&text).unwrap()["stats"]["lines"].is_u64(), "{text}");
}

/// Also for each agent: subagents are listed separately.
#[test]
fn it_tells_who_called_and_what_another_configuration_would_change() {
    let world = World::new();
    world.configure("audit = { level = \"all\" }\n");
    world.bash("git push");
    let by_subagent = json!({ "session_id": "session-8", "cwd": world.repo(), "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": { "command": "git push" }, "agent_id": "a1", "agent_type": "<b>reviewer" });
    world.hook(&by_subagent.to_string());
    let milder =
        world.write("new.toml", "[[policy]]\nname = \"command-guard\"\nsettings = { lower = [\"git-push\"] }\n");
    let page = |arguments: &[&str]| {
        let ended = world.run(&[&["audit", "report", "--output", "r.html"], arguments].concat(), "");
        assert_eq!(ended.exit, 0, "{ended:?}");
        std::fs::read_to_string(world.path("repo/r.html")).unwrap()
    };
    let html = page(&["--against", milder.to_str().unwrap()]);
    for part in [
        "<option>claude (&lt;b&gt;reviewer)</option>",
        "session-8",
        "ask command-guard:git-push -&gt; warn command-guard:git-push",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    // Calls outside of the given days aren't decided again.
    for arguments in [&[][..], &["--against", milder.to_str().unwrap(), "--until", "2020-01-01"]] {
        assert!(!page(arguments).contains("warn command-guard:git-push"), "{arguments:?}");
    }
}

#[test]
fn a_tree_is_drawn_from_what_the_log_recorded() {
    let world = World::new();
    world.configure("audit = { level = \"facts\" }\n");
    let link = world.path("repo/link");
    std::os::unix::fs::symlink("/etc", &link).unwrap();
    world.bash("rm -rf link/cron.d");
    std::fs::remove_file(&link).unwrap();
    let ended = world.run(&["audit", "report", "--output", "r.html"], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    let html = std::fs::read_to_string(world.path("repo/r.html")).unwrap();
    assert!(html.contains("/etc/cron.d"), "{html}");
}

#[test]
fn nothing_but_a_report_is_written_over() {
    let world = World::new();
    report(&world);
    assert_eq!(world.run(&["audit", "report", "--output", "r.html"], "").exit, 0);
    world.write("repo/notes.html", "mine");
    let refused = world.run(&["audit", "report", "--output", "notes.html"], "");
    assert_text!("report_refused", &world, 64, refused);
    assert_eq!(std::fs::read_to_string(world.path("repo/notes.html")).unwrap(), "mine");
}

#[test]
#[ignore = "needs chromium"]
fn a_browser_runs_its_own_script_and_nothing_of_the_log() {
    let world = World::new();
    report(&world);
    let mut browser = Command::new("chromium");
    browser.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", world.path("browser").display()));
    browser.arg(format!("file://{}", world.path("repo/r.html").display()));
    let output = browser.output().unwrap();
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(page.contains("<title>guard-host report</title>"), "{page}");
    // The text before the script runs doesn't contain `of`.
    assert!(page.contains(">5 of 5 distinct calls</p>"), "the script has not run: {}", page.len());
    assert!(!page.contains("<img"), "markup of the log became part of the page");
}

/// At a phone's width, all of each table is visible: nothing is wider than the window.
#[test]
#[ignore = "needs chromium"]
fn nothing_is_cut_off_on_a_phone() {
    let world = World::new();
    let html = report(&world);
    // In a frame of 390 pixels, because a browser's window has a minimum width.
    let probe = "<script>onload = () => { const d = document.querySelector('iframe').contentDocument.documentElement; \
                 document.title = [...d.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > 391 \
                 && !e.closest('details')).map((e) => e.tagName).join(' ') || 'fits' }</script>";
    let escaped = html.replace('&', "&amp;").replace('"', "&quot;");
    let frame = format!("<iframe style=\"width:390px;height:3000px;border:0\" srcdoc=\"{escaped}\"></iframe>{probe}");
    world.write("repo/frame.html", frame);
    let mut browser = Command::new("chromium");
    browser.args(["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000", "--dump-dom"]);
    browser.arg(format!("--user-data-dir={}", world.path("browser").display()));
    browser.arg(format!("file://{}", world.path("repo/frame.html").display()));
    let page = browser.output().unwrap().stdout;
    let page = String::from_utf8_lossy(&page);
    let title = page.split("<title>").find(|text| !text.contains("guard-host report</title>")).unwrap_or_default();
    assert!(
        page.contains("<title>fits</title>"),
        "wider than the window: {}",
        title.split('<').next().unwrap_or_default()
    );
}

#[test]
fn a_call_is_explained_as_a_page() {
    let world = World::new();
    let ended = world.run(&["explain", "--html", &format!("rm -rf / # {SCRIPT}")], "");
    assert_eq!(ended.exit, 0, "{ended:?}");
    for part in
        ["<h2 class=\"deny\">deny</h2>", "[command-guard: rm-root]", "fs.delete.recursive", "default-src 'none'"]
    {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("<script>") && !ended.stdout.contains("<img"), "{}", ended.stdout);
}

//! `GET /metrics`: the numbers of a server after some calls, in the format of Prometheus.

use std::collections::BTreeMap;

use super::client::{Server, bash};
use crate::support::guests;
use crate::support::world::World;

/// Returns the value of each series, by its name with its labels. Fails if the text format is invalid.
pub(super) fn numbers(server: &Server) -> BTreeMap<String, f64> {
    let answered = server.ask("GET", "/metrics", Some(&format!("Bearer {}", server.token)), b"");
    assert_eq!(answered.status, 200, "{answered:?}");
    assert_eq!(answered.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let mut found = BTreeMap::new();
    for line in answered.body.lines() {
        if let Some(comment) = line.strip_prefix("# ") {
            assert!(comment.starts_with("HELP guard_host_") || comment.starts_with("TYPE guard_host_"), "{line}");
            continue;
        }
        let (series, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(series.starts_with("guard_host_") && is_series(series), "{line}");
        assert!(found.insert(series.to_owned(), value.parse().unwrap()).is_none(), "{line} stands twice");
    }
    found
}

/// Returns whether it is `name`, or `name{label="value",...}` with quotes, backslashes and line ends escaped in values.
fn is_series(text: &str) -> bool {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let Some((name, labels)) = text.split_once('{') else { return is_name(text) };
    let Some(mut rest) = labels.strip_suffix('}') else { return false };
    loop {
        let Some((label, value)) = rest.split_once("=\"") else { return false };
        let mut characters = value.char_indices();
        let end = loop {
            match characters.next() {
                Some((_, '\\')) if matches!(characters.next(), Some((_, '\\' | '"' | 'n'))) => {}
                Some((end, '"')) => break end,
                Some((_, c)) if c != '\\' => {}
                _ => return false,
            }
        };
        if !is_name(label) {
            return false;
        }
        let (_, after) = value.split_at(end);
        match after.strip_prefix("\",") {
            Some(next) => rest = next,
            None => return is_name(name) && after == "\"",
        }
    }
}

/// Returns the number of calls with this verdict and harness.
pub(super) fn calls(found: &BTreeMap<String, f64>, verdict: &str, harness: &str) -> Option<f64> {
    found.get(&format!("guard_host_calls_total{{verdict=\"{verdict}\",harness=\"{harness}\"}}")).copied()
}

#[test]
fn calls_are_counted_by_verdict_and_harness() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    let before = numbers(&server);
    assert_eq!(before["guard_host_call_duration_seconds_count"], 0.0);
    for kind in ["policy", "deadline", "panic", "audit-log"] {
        assert_eq!(before[&format!("guard_host_faults_total{{kind=\"{kind}\"}}")], 0.0);
    }
    assert_eq!(before["guard_host_refused_requests_total{status=\"401\"}"], 0.0);
    for command in ["ls", "ls -l", "rm -rf /", "git push", "git push"] {
        assert_eq!(server.bash(&world, command).status, 200);
    }
    server.post("/hook/kimi", &bash(&world, "ls"));
    assert_eq!(server.post("/hook/claude", "{oops").status, 400);
    let found = numbers(&server);
    let calls = |verdict: &str, harness: &str| calls(&found, verdict, harness);
    assert_eq!(calls("abstain", "claude"), Some(2.0), "{found:?}");
    assert_eq!(calls("deny", "claude"), Some(1.0));
    assert_eq!(calls("ask", "claude"), Some(2.0));
    assert_eq!(calls("unreadable", "claude"), Some(1.0));
    assert_eq!(calls("abstain", "kimi"), Some(1.0));
    let finding = |rule: &str, outcome: &str| {
        let labels = format!("policy=\"command-guard\",rule=\"{rule}\",outcome=\"{outcome}\"");
        found.get(&format!("guard_host_findings_total{{{labels}}}")).copied()
    };
    assert_eq!((finding("rm-root", "deny"), finding("git-push", "ask")), (Some(1.0), Some(2.0)), "{found:?}");
    assert_eq!(found["guard_host_call_duration_seconds_count"], 7.0);
    assert_eq!(found["guard_host_call_duration_seconds_bucket{le=\"+Inf\"}"], 7.0);
    assert!(found["guard_host_call_duration_seconds_sum"] > 0.0);
    assert_eq!(found["guard_host_config_problems"], 0.0);
    assert!(found["guard_host_uptime_seconds"] > 0.0);
    assert_eq!(found[&format!("guard_host_build_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"))], 1.0);
    assert!(server.ask("GET", "/health", None, b"").body.contains("\"calls\":7,"));
}

#[test]
fn faults_problems_and_refusals_are_counted() {
    let world = World::new();
    guests::chain(&world, &["trap"], "");
    let server = Server::start(&world, &[]);
    server.bash(&world, "ls");
    server.bash(&world, "ls");
    assert_eq!(server.ask("POST", "/hook", Some("Bearer nonsense"), b"{}").status, 401);
    let found = numbers(&server);
    assert_eq!(found["guard_host_faults_total{kind=\"policy\"}"], 2.0, "{found:?}");
    assert_eq!(found["guard_host_refused_requests_total{status=\"401\"}"], 1.0);
    world.configure("oops");
    assert_eq!(numbers(&server)["guard_host_config_problems"], 1.0);
}

#[test]
fn what_is_only_watched_is_counted_as_what_it_would_be() {
    let world = World::new();
    world.configure("mode = \"watch\"\n");
    let server = Server::start(&world, &[]);
    server.bash(&world, "rm -rf /");
    let found = numbers(&server);
    let labels = "policy=\"command-guard\",rule=\"rm-root\",outcome=\"would-deny\"";
    assert_eq!(found[&format!("guard_host_findings_total{{{labels}}}")], 1.0, "{found:?}");
}

#[test]
fn a_name_with_odd_characters_cannot_break_the_format() {
    let world = World::new();
    let pattern = "ls|\\\\d\" } 1é{x=";
    world.configure(&format!(
        "[[policy]]\nname = \"command-guard\"\nsettings = {{ deny-patterns = ['{}'] }}\n",
        pattern.replace("\\\\", "\\")
    ));
    let server = Server::start(&world, &[]);
    assert_eq!(server.bash(&world, "ls").decision(), "deny");
    // `numbers` parses each line.
    let found = numbers(&server);
    let series = found.keys().find(|series| series.contains("1é{x=")).unwrap_or_else(|| panic!("{found:?}"));
    assert!(series.contains("ls|\\\\d\\\" } 1é{x="), "{series}");
}

#[test]
fn numbers_are_for_who_shows_the_token() {
    let world = World::new();
    let server = Server::start(&world, &[]);
    for authorization in [None, Some("Bearer nonsense")] {
        let answered = server.ask("GET", "/metrics", authorization, b"");
        assert_eq!((answered.status, answered.header("www-authenticate")), (401, Some("Bearer")));
        assert!(!answered.body.contains("guard_host_"), "{answered:?}");
    }
    let right = format!("Bearer {}", server.token);
    let answered = server.ask("POST", "/metrics", Some(&right), b"");
    assert_eq!((answered.status, answered.header("allow")), (405, Some("GET")));
}

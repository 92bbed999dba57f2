//! Secrets planted in the calls of cases: every reply and line keeps the rule's words, and doesn't contain the secret.

use std::path::PathBuf;

use guard_config::{Audit, AuditLevel};
use guard_contract::call::{CallContext, ToolCall};
use guard_contract::verdict::Verdict;
use guard_contract::{Outcome, rank};
use guard_hook::audit::{self, AuditDetails};
use guard_hook::chain::Chain;
use guard_kit::suite::{self, Case, Suite};
use guard_state::session::Operation;
use serde_json::Value;

/// The prefixes of forty kinds of tokens, and the characters of their bodies.
const KINDS: [(&str, &str); 40] = [
    ("AKIA", UPPER),
    ("ASIA", UPPER),
    ("ABIA", UPPER),
    ("ACCA", UPPER),
    ("AIza", MIXED),
    ("ATATT3", MIXED),
    ("CCIPAT_", MIXED),
    ("GOCSPX-", MIXED),
    ("HRKU-", MIXED),
    ("LTAI", MIXED),
    ("NRAK-", UPPER),
    ("PMAK-", MIXED),
    ("SG.", MIXED),
    ("dckr_pat_", MIXED),
    ("dop_v1_", MIXED),
    ("eyJ", MIXED),
    ("figd_", MIXED),
    ("ghp_", MIXED),
    ("gho_", MIXED),
    ("ghs_", MIXED),
    ("github_pat_", MIXED),
    ("glpat-", MIXED),
    ("glsa_", MIXED),
    ("gsk_", MIXED),
    ("hf_", MIXED),
    ("hvs.", MIXED),
    ("lin_api_", MIXED),
    ("npm_", MIXED),
    ("ntn_", MIXED),
    ("nvapi-", MIXED),
    ("pypi-", MIXED),
    ("r8_", MIXED),
    ("rk_live_", MIXED),
    ("shpat_", MIXED),
    ("sk-", MIXED),
    ("sk_live_", MIXED),
    ("tskey-", MIXED),
    ("whsec_", MIXED),
    ("xoxb-", MIXED),
    ("ya29.", MIXED),
];

const UPPER: &str = "Q7RT2XK5";
const MIXED: &str = "Zq8Xw3Kv";
const BODIES: [&str; 2] = [UPPER, MIXED];

/// Ways to add a secret to a command without changing its effect.
const WAYS: [&str; 6] = [
    "{command} # {secret}",
    "{command} # password: {secret}",
    "{command} # https://me:{secret}@example.com/",
    "{command} # curl -H 'Authorization: Bearer {secret}' https://example.com",
    "{command} # docker login -p {secret} registry.example.com",
    "{command} # '{\"api_key\": \"{secret}\"}'",
];

/// The number of kinds that are planted in one case. The next case takes the next ones.
const KINDS_OF_A_CASE: usize = 7;

/// Plants secrets in a case's call, and checks the outputs.
pub(crate) fn hold(chain: &Chain, suite: &Suite, index: usize) -> Result<(), String> {
    let case = &suite.cases[index];
    let plain = suite::run(chain, suite, case).verdict;
    let Some(deciding) = plain.deciding().filter(|_| rank(plain.outcome) >= rank(Outcome::Ask)) else { return Ok(()) };
    let words = own_words(&deciding.finding.message);
    // The rule's own words must not be redacted if the call marks one as a secret.
    let input = serde_json::to_string(&case.input().unwrap_or_default()).unwrap_or_default();
    let own = words.iter().flat_map(|words| words.split_whitespace()).filter(|word| !input.contains(word));
    let word = own.max_by_key(|word| word.len()).unwrap_or("rule");
    let of_kind = |at: usize| {
        let (kind, body) = KINDS[at % KINDS.len()];
        (at % WAYS.len(), kind.to_owned() + &body.repeat(8))
    };
    let tokens = (index * KINDS_OF_A_CASE..).take(KINDS_OF_A_CASE).map(of_kind);
    for (way, secret) in tokens.chain([(1, word.to_owned()), (4, word.to_owned())]) {
        let Some(planted) = planted(case, WAYS[way], &secret) else { return Ok(()) };
        let verdict = suite::run(chain, suite, &planted).verdict;
        // In an unterminated string, the following words belong to it.
        let same = |found: &guard_contract::verdict::Attributed| found.finding.rule == deciding.finding.rule;
        if verdict.outcome != plain.outcome || !verdict.deciding().is_some_and(same) {
            continue;
        }
        let call = ToolCall::new(planted.tool(), planted.input().unwrap_or_default());
        for (place, text) in told(&verdict, &call)? {
            if secret != word && BODIES.iter().any(|body| text.contains(body)) {
                return Err(format!("{place} holds the secret {secret}: {text}"));
            }
            let missing = words.iter().find(|words| place != "log" && !text.contains(words.as_str()));
            if let Some(words) = missing {
                return Err(format!("{place} lacks `{words}` with the secret {secret}: {text}"));
            }
        }
    }
    Ok(())
}

/// Returns the case with a secret in its call. `None` if there is no place for one.
fn planted(case: &Case, way: &str, secret: &str) -> Option<Case> {
    let mut case = case.clone();
    if case.payload.is_some() {
        return None;
    }
    let mut input = case.input()?;
    // A backtick has another meaning there and in JavaScript, but the secret detection reads it as a shell quote.
    let quotes_otherwise = |command: &str| {
        let is_script = ["bun ", "deno ", "node "].iter().any(|runtime| command.starts_with(runtime));
        command.contains('`') && (case.tool() == "PowerShell" || is_script)
    };
    if input.get("command").and_then(Value::as_str).is_some_and(quotes_otherwise) {
        return None;
    }
    if let Some(Value::String(command)) = input.get_mut("command") {
        *command = way.replace("{command}", command).replace("{secret}", secret);
    } else if let Some(Value::String(content)) = input.get_mut("content") {
        content.push_str(&way.replace("{command}", "\n").replace("{secret}", secret));
    } else {
        return None;
    }
    case.input = Value::Object(input);
    Some(case)
}

/// Returns all outputs about a verdict: the reply of each harness, the line of the log, and the session's record.
fn told(verdict: &Verdict, call: &ToolCall) -> Result<Vec<(&'static str, String)>, String> {
    let mut told = Vec::new();
    for harness in guard_harness::ALL {
        let reply = harness.encode(verdict, harness.capabilities().usual_surface());
        let mut text = reply.stderr;
        match serde_json::from_str(&reply.stdout) {
            Ok(value) => strings(&value, &mut text),
            Err(_) => text.push_str(&reply.stdout),
        }
        told.push((harness.name(), one_line(&text)));
    }
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).map_err(|error| error.to_string())?;
    let path = folder.path().join("audit.jsonl");
    let log = Audit {
        level: AuditLevel::All,
        path: path.clone(),
        max_bytes: 8 << 20,
        on_error: Outcome::Abstain,
        journal: None,
        state: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        policies: String::new(),
    };
    let at = CallContext { cwd: "/repo".to_owned(), harness: "claude".to_owned(), ..CallContext::default() };
    let line = audit::line(&log, call, &at, verdict, AuditDetails::default()).map_err(|error| error.to_string())?;
    audit::write(&log, &line.ok_or("there is no line")?).map_err(|error| error.to_string())?;
    let line = std::fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let rule = verdict.deciding().map(guard_contract::verdict::Attributed::name).unwrap_or_default();
    if !line.contains(&format!("\"rule\":{}", Value::from(rule))) {
        return Err(format!("the log does not name {rule}: {line}"));
    }
    told.push(("log", line));
    let operation =
        Operation::from_calls(std::slice::from_ref(call), []).map(|operation| operation.text).unwrap_or_default();
    told.push(("log", operation));
    Ok(told)
}

fn strings(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => out.extend([text.as_str(), "\n"]),
        Value::Array(values) => values.iter().for_each(|value| strings(value, out)),
        Value::Object(map) => map.values().for_each(|value| strings(value, out)),
        _ => {}
    }
}

/// Returns the words of a message outside of its quotations.
fn own_words(message: &str) -> Vec<String> {
    // If nobody can be prompted, the message begins with another word.
    let message = one_line(message);
    let message = message.trim_start_matches("GUARDRAIL CONFIRM:").trim_start_matches("GUARDRAIL BLOCKED:");
    let message = message.split(" Target: ").next().unwrap_or_default();
    let quoted = message.split('`').step_by(2).flat_map(|words| words.split(" '").step_by(1));
    let words = quoted.map(|words| words.split_once("' ").map_or(words, |(_, words)| words).trim());
    // If several rules ask, the kinds are on one line and each reason on its own.
    let parts = words.flat_map(|words| match words.strip_prefix("needs confirmation (") {
        Some(rest) => rest.split_once("):").map_or(vec![rest], |(kind, why)| vec![kind, why.trim()]),
        None => vec![words.strip_prefix("needs confirmation: ").unwrap_or(words)],
    });
    parts.map(str::to_owned).filter(|words| words.contains(' ') && !words.contains('\'')).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

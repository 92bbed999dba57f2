//! [`find`]: what the verb of an undescribed program suggests that it brings to others: a deployment, a file, a message,
//! or money.
//!
//! Programs of services name what they do alike: `send NAME`, `NOUN deploy NAME`. Behind another word a verb counts only if
//! that word is a thing of a service: `app lint deploy` may be about a folder.

use guard_sdk::syntax::Word;

use super::plain;
use super::unknown_losses::{TAKES, UNASKED};
use crate::draft::Draft;
use crate::run::Run;

/// Verbs that bring a program to where others use it.
const DEPLOYS: &[&str] = &["deploy", "promote", "publish", "redeploy"];

/// Verbs that bring a file or a text to others.
const SENDS: &[&str] = &["send", "submit", "upload"];

/// Verbs that tell people something.
const TELLS: &[&str] = &["post", "reply", "toot", "tweet"];

/// Verbs that move money.
const PAYS: &[&str] = &["pay", "payout", "transfer", "withdraw"];

/// Verbs that start a pipeline, if it is named before.
const STARTS: &[&str] = &["execute", "launch", "rerun", "restart", "retry", "run", "run-now", "start", "trigger"];

/// What such a verb starts.
const PIPELINES: &[&str] = &["ci", "dag", "dags", "pipeline", "pipelines", "workflow", "workflows"];

/// Things of a service, before a verb.
const THINGS: &[&str] = &[
    "account",
    "app",
    "application",
    "bank",
    "campaign",
    "channel",
    "chat",
    "client",
    "container",
    "coin",
    "contract",
    "deployment",
    "email",
    "env",
    "environment",
    "ether",
    "file",
    "function",
    "fund",
    "job",
    "ledger",
    "mail",
    "message",
    "model",
    "page",
    "payment",
    "pipeline",
    "program",
    "project",
    "release",
    "request",
    "service",
    "site",
    "sms",
    "stack",
    "text",
    "token",
    "transaction",
    "tweet",
    "tx",
    "version",
    "wallet",
    "webhook",
    "worker",
    "workflow",
];

/// Words behind a verb by which it only looks at what was done.
const LOOKS: &[&str] = &["describe", "get", "help", "history", "info", "list", "logs", "ls", "show", "status", "view"];

/// Programs that send to a board at a cable, or to a task on this machine.
const NEAR: &[&str] = &["arduino-cli", "esphome", "pueue", "vagrant"];

/// Networks for tests, on which nothing is worth anything, and this machine.
const TESTS: &[&str] = &["127.0.0.1", "[::1]", "devnet", "localhost", "localnet", "regtest", "sandbox", "testnet"];

/// The most words that are looked at, and how many of them may lead to the verb.
const MOST: usize = 12;
const LEADING: usize = 4;

/// Adds the effect of a program that no table describes.
pub(super) fn find(run: &mut Run<'_>) {
    let is_runner = guard_sdk::task_runners::task_runner(&run.name).is_some();
    let is_near = NEAR.contains(&run.name.as_str());
    if plain::is_of_project(run) || is_runner || is_near || plain::takes_text(&run.name) || is_rehearsed(run) {
        return;
    }
    let words = run.arguments();
    let mut leading: Vec<&str> = Vec::new();
    let mut is_value = false;
    for word in words.iter().take(MOST) {
        let text = word.text.as_str();
        if text.starts_with('-') {
            is_value = !text.contains('=') && !UNASKED.contains(&text);
        } else if !std::mem::take(&mut is_value) {
            leading.push(if word.dynamic { "" } else { text });
        }
    }
    if let Some((draft, _)) = by_verb(&leading).filter(|(_, at)| !looks(&leading, *at)) {
        let by = run.name.clone();
        run.emit(draft.certain(false).tag("manager", &by));
    }
}

/// The call says that it does nothing yet, or that it reaches nobody.
fn is_rehearsed(run: &Run<'_>) -> bool {
    let rehearses = |word: &Word| plain::REHEARSES.contains(&word.text.as_str());
    let is_test = |word: &Word| TESTS.iter().any(|test| word.text.contains(test));
    run.arguments().iter().any(|word| rehearses(word) || is_test(word))
}

/// What the verb among the leading words does, and where it is.
fn by_verb(leading: &[&str]) -> Option<(Draft, usize)> {
    for (at, text) in leading.iter().take(LEADING).enumerate() {
        let before = leading.get(..at).unwrap_or_default();
        let is_led = at == 0 || before.iter().any(|word| is_thing(word));
        let starts = at > 0 && STARTS.contains(text) && before.iter().any(|word| PIPELINES.contains(word));
        let draft = match *text {
            "publish" if at == 0 => Some(Draft::notable("package", "package.publish")),
            _ if starts => Some(Draft::notable("cloud", "cloud.change")),
            _ if !is_led => None,
            verb if DEPLOYS.contains(&verb) => Some(Draft::notable("cloud", "cloud.deploy")),
            verb if SENDS.contains(&verb) && leading.len() > 1 => Some(Draft::notable("cloud", "cloud.upload")),
            verb if TELLS.contains(&verb) && at + 1 < leading.len() => Some(Draft::notable("cloud", "message.send")),
            verb if PAYS.contains(&verb) && at + 1 < leading.len() => Some(Draft::notable("cloud", "payment.change")),
            _ => None,
        };
        if let Some(draft) = draft {
            return Some((draft, at));
        }
        if TAKES.contains(text) {
            return None;
        }
    }
    None
}

/// Whether a word names a thing of a service, or several: `emails`, `deploy-request`.
fn is_thing(word: &str) -> bool {
    let last = word.rsplit(['-', ':']).next().unwrap_or_default();
    THINGS.contains(&last) || last.strip_suffix('s').is_some_and(|one| THINGS.contains(&one))
}

/// Whether a word behind the verb says that the call looks at what was done.
fn looks(leading: &[&str], at: usize) -> bool {
    leading.iter().skip(at + 1).take(2).any(|word| LOOKS.contains(word))
}

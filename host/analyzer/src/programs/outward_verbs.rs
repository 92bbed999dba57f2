//! [`find`]: effects on other people, suggested by the verb of a program without a table: a deployment, an upload, a
//! message, or a payment.
//!
//! Clients of services use similar verbs: `send NAME`, `NOUN deploy NAME`. After another word, a verb only counts if
//! that word names an object of a service: `app lint deploy` may be about a folder.

use guard_sdk::syntax::Word;

use super::plain;
use super::unknown_losses::{TAKES, UNASKED};
use crate::draft::Draft;
use crate::run::Run;

const DEPLOYS: &[&str] = &["deploy", "promote", "publish", "redeploy"];

/// Verbs that send a file or a message.
const SENDS: &[&str] = &["send", "submit", "upload"];

/// Verbs that post a message.
const TELLS: &[&str] = &["post", "reply", "toot", "tweet"];

/// Verbs that move money.
const PAYS: &[&str] = &["pay", "payout", "transfer", "withdraw"];

/// Verbs that start a pipeline if a word before them names one.
const STARTS: &[&str] = &["execute", "launch", "rerun", "restart", "retry", "run", "run-now", "start", "trigger"];

/// Words for pipelines that such a verb starts.
const PIPELINES: &[&str] = &["ci", "dag", "dags", "pipeline", "pipelines", "workflow", "workflows"];

/// Objects of a service, before a verb.
const THINGS: &[&str] = &[
    "account",
    "api",
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

/// Things that end a word for a kind of them: `functionapp`, `website`.
const ENDS: &[&str] = &["app", "service", "site"];

/// Words after a verb with which the call only reads its result or status.
const LOOKS: &[&str] = &["describe", "get", "help", "history", "info", "list", "logs", "ls", "show", "status", "view"];

/// Programs that send to a connected board or phone, or to a task on this machine.
const NEAR: &[&str] = &["adb", "arduino-cli", "esphome", "input", "pueue", "vagrant"];

/// Programs that push changes of their own patch stack, or run another one.
const STACKS: &[&str] = &["guilt", "quilt", "stg"];

/// Programs whose `post` writes a draft of a page.
const WRITERS: &[&str] = &["hexo", "jekyll"];

/// Programs that run a pipeline on this machine.
const RUNNERS: &[&str] = &["act"];

/// Test networks, whose currency has no value, and words for this machine.
const TESTS: &[&str] = &["devnet", "local", "localnet", "regtest", "sandbox", "testnet"];
const HERE: &[&str] = &["127.0.0.1", "[::1]", "localhost"];

/// The maximum number of words that are examined, and of those that may contain the verb.
const MOST: usize = 12;
const LEADING: usize = 4;

/// Adds the effect of a program without a table.
pub(super) fn find(run: &mut Run<'_>) {
    let is_runner = guard_sdk::task_runners::task_runner(&run.name).is_some();
    let rehearses = |word: &Word| plain::REHEARSES.contains(&word.text.as_str());
    if plain::is_of_project(run) || is_runner || plain::takes_text(&run.name) || run.arguments().iter().any(rehearses) {
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
    let Some((draft, at)) = by_verb(&leading) else { return };
    let verb = leading.get(at).copied().unwrap_or_default();
    // A test registry is still a registry, and a published version can't be removed.
    let is_excused = verb != "publish" && (looks(&leading, at) || is_test(run)) || stays_here(&run.name, verb);
    if !is_excused {
        let by = run.name.clone();
        run.emit(draft.certain(false).tag("manager", &by));
    }
}

/// Returns whether the verb's effect stays on this machine.
fn stays_here(name: &str, verb: &str) -> bool {
    NEAR.contains(&name) && (SENDS.contains(&verb) || verb == "push")
        || STACKS.contains(&name) && verb == "push"
        || WRITERS.contains(&name) && TELLS.contains(&verb)
        || RUNNERS.contains(&name) && STARTS.contains(&verb)
}

/// Returns whether the call names a test network or this machine: as a whole word, as the value of an option, or as a
/// host.
fn is_test(run: &Run<'_>) -> bool {
    let mut before = "";
    run.arguments().iter().any(|word| {
        let text = word.text.as_str();
        let (option, value) = match text.split_once('=').filter(|_| text.starts_with('-')) {
            Some(pair) => pair,
            None => (before, text),
        };
        before = if text.starts_with('-') { text } else { "" };
        // These options set a source, a route or a note, not the destination.
        let is_aside = ["--from", "--message", "--note", "--proxy"].contains(&option);
        // A chain's name can contain its kind: `orbit-testnet-1`.
        let is_chain = ["--chain", "--chain-id", "--network"].contains(&option);
        let is_kind = || TESTS.contains(&value) || is_chain && value.split('-').any(|part| TESTS.contains(&part));
        text == "--local" || !is_aside && (is_kind() || is_here(value))
    })
}

/// Returns whether a word is this machine or a URL on it. `localhost:5000/image` is neither, because it names an image.
fn is_here(word: &str) -> bool {
    let place = match word.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        None => word,
    };
    let is_port =
        |rest: &str| rest.is_empty() || rest.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    HERE.iter().any(|host| place.strip_prefix(host).is_some_and(is_port))
}

/// Returns the effect of the verb among the leading words, and the verb's index.
fn by_verb(leading: &[&str]) -> Option<(Draft, usize)> {
    for (at, word) in leading.iter().take(LEADING).enumerate() {
        // `serverless:deploy` is a thing and a verb.
        let (thing, verb) = word.rsplit_once(':').filter(|(_, verb)| DEPLOYS.contains(verb)).unwrap_or(("", word));
        let text = &verb;
        let before = leading.get(..at).unwrap_or_default();
        let is_led = at == 0 || !thing.is_empty() || before.iter().any(|word| is_thing(word));
        let starts = at > 0 && STARTS.contains(text) && before.iter().any(|word| PIPELINES.contains(word));
        let draft = match *text {
            "publish" if at == 0 && thing.is_empty() => Some(Draft::notable("package", "package.publish")),
            "push" if at == 0 && thing.is_empty() => Some(Draft::notable("cloud", "cloud.upload")),
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

/// Returns whether a word names objects of a service: `emails`, `deploy-request`.
fn is_thing(word: &str) -> bool {
    let last = word.rsplit(['-', ':']).next().unwrap_or_default();
    let one = last.strip_suffix('s').unwrap_or(last);
    THINGS.contains(&last) || THINGS.contains(&one) || ENDS.iter().any(|end| one.ends_with(end))
}

/// Returns whether the only word after the verb makes the call read-only: `deploy status`.
fn looks(leading: &[&str], at: usize) -> bool {
    leading.get(at + 1..).is_some_and(|rest| matches!(rest, [word] if LOOKS.contains(word)))
}

#[cfg(test)]
mod tests {
    use super::{is_here, looks, stays_here};

    #[test]
    fn this_machine_is_a_whole_host() {
        for word in ["localhost", "localhost:8080", "http://127.0.0.1:4873/a", "[::1]:80"] {
            assert!(is_here(word), "{word}");
        }
        for word in ["localhost.yml", "localhost:5000/image", "http://localhost.acme.io/", "https://a.io/?to=localhost"]
        {
            assert!(!is_here(word), "{word}");
        }
    }

    #[test]
    fn a_call_looks_if_its_last_word_says_so() {
        assert!(looks(&["deploy", "status"], 0));
        assert!(!looks(&["deploy", "web", "status"], 0));
        assert!(!looks(&["deploy", "status", "web"], 0));
    }

    #[test]
    fn a_program_stays_here_for_its_own_verbs_alone() {
        assert!(stays_here("adb", "send") && stays_here("jekyll", "post") && stays_here("act", "run"));
        assert!(!stays_here("adb", "deploy") && !stays_here("jekyll", "deploy") && !stays_here("esphome", "publish"));
    }
}

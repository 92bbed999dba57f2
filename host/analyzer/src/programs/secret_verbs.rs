//! [`prints`]: programs whose words suggest that they print a token, a password or another secret: `auth token`,
//! `get-token`, `db tokens create`, `connection-string`.
//!
//! Clients of services use similar words, so these rules also apply to programs without a table.

use guard_sdk::syntax::Word;

use super::plain;
use crate::run::Run;

/// Words for secrets in the calls of a service's client.
const SECRETS: &[&str] =
    &["credential", "credentials", "kubeconfig", "mnemonic", "password", "passwords", "token", "tokens"];

/// Pairs of words for a secret.
const PAIRS: &[[&str; 2]] = &[
    ["access", "key"],
    ["access", "keys"],
    ["api", "key"],
    ["api", "keys"],
    ["connection", "string"],
    ["private", "key"],
    ["private", "keys"],
    ["recovery", "phrase"],
    ["seed", "phrase"],
];

/// Verbs that print a secret, or create and print it.
const SHOWS: &[&str] = &[
    "access", "create", "dump", "export", "generate", "get", "issue", "mint", "print", "read", "reveal", "self", "show",
];

/// Words for objects whose values a verb directly after them prints. Verbs that only print their names aren't listed.
const KEPT: &[&str] = &["key", "keys", "secret", "secrets", "wallet"];

/// The verbs for those objects, and the verbs that print more than the public half of a key.
const REVEALS: &[&str] = &["access", "dump", "export", "get", "print", "read", "reveal", "show", "view"];
const REVEALS_KEYS: &[&str] = &["dump", "export", "reveal"];

/// Words before a secret that make a verb unnecessary: `auth token`.
const ALONE: &[&str] = &["account", "auth", "user"];

/// First words that are followed by a name that the user chose.
const TAKES: &[&str] = &[
    "add",
    "build",
    "commit",
    "config",
    "configure",
    "dev",
    "exec",
    "find",
    "g",
    "generate",
    "grep",
    "help",
    "i",
    "info",
    "init",
    "install",
    "lint",
    "log",
    "make",
    "new",
    "run",
    "search",
    "start",
    "test",
    "view",
];

/// Programs whose ordinary calls often contain words for secrets. The calls that print one are listed in `secrets`.
/// Also programs for clusters on this machine, whose credentials only apply to these clusters.
const LISTED: &[&str] = &["aws", "az", "gcloud", "k3d", "kind", "minikube"];

/// The maximum number of leading words that are examined.
const LEADING: usize = 4;

/// Returns whether the program's words suggest that it prints a secret.
pub(super) fn prints(run: &Run<'_>) -> bool {
    let is_service = super::table::entry(&run.name).is_some() || !super::is_known(&run.name);
    if !is_service
        || LISTED.contains(&run.name.as_str())
        || plain::is_plain(&run.name)
        || plain::is_of_project(run)
        || plain::takes_text(&run.name)
    {
        return false;
    }
    let is_verb = |word: &&Word| word.text.starts_with(|c: char| c.is_ascii_lowercase()) && !word.dynamic;
    let words = run.arguments();
    let leading: Vec<&str> = words.iter().take_while(is_verb).take(LEADING).map(|word| word.text.as_str()).collect();
    let asks_for_help = words.iter().any(|word| plain::REHEARSES.contains(&word.text.as_str()));
    if asks_for_help || leading.first().is_some_and(|first| TAKES.contains(first)) {
        return false;
    }
    let parts = |word: &'_ &str| word.split([':', '-', '_']).map(str::to_owned).collect::<Vec<_>>();
    let parts: Vec<Vec<String>> = leading.iter().map(parts).collect();
    let ends_secret = |word: &[String]| match word {
        [.., a, b] if PAIRS.iter().any(|[first, last]| first == a && last == b) => true,
        [.., last] => SECRETS.contains(&last.as_str()),
        [] => false,
    };
    let shows = |word: &String| SHOWS.contains(&word.as_str());
    parts.iter().enumerate().any(|(at, word)| {
        let next = parts.get(at + 1).and_then(|next| next.first());
        let kept = word.last().filter(|_| word.len() == 1).filter(|last| KEPT.contains(&last.as_str()));
        let reveals = kept.zip(next).is_some_and(|(kept, next)| {
            let verbs = if kept.starts_with("secret") { REVEALS } else { REVEALS_KEYS };
            verbs.contains(&next.as_str())
        });
        // `api-key-create`
        let shows_last = word.split_last().is_some_and(|(last, before)| shows(last) && ends_secret(before));
        if reveals || shows_last {
            return true;
        }
        if !ends_secret(word) {
            return false;
        }
        let before = at.checked_sub(1).and_then(|at| parts.get(at));
        // `get-token`, `auth:token`, `connection-string`. Cluster clients write the result of `get-credentials` to
        // their configuration.
        let is_kept = word == &["get".to_owned(), "credentials".to_owned()];
        let shows_itself =
            !is_kept && word.first().is_some_and(|first| shows(first) || ALONE.contains(&first.as_str()));
        // `connection-string` may be followed by a name, but `api-keys` by a verb.
        let is_pair = word.len() > 1
            && (at + 1 == parts.len() && !SECRETS.contains(&word.last().map_or("", String::as_str))
                || word.ends_with(&["connection".to_owned(), "string".to_owned()]));
        let after = parts.get(at + 1).is_some_and(|next| next.first().is_some_and(shows));
        let led = before.is_some_and(|before| {
            let alone = |word: &String| ALONE.contains(&word.as_str());
            let ends = word.last().is_some_and(|last| !last.ends_with('s'));
            before.last().is_some_and(|word| shows(word) || alone(word) && ends && at + 1 == parts.len())
        });
        shows_itself && word.len() > 1 || is_pair || after || led
    })
}

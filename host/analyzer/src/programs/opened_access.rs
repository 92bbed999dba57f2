//! [`find`]: calls that make something in a cloud public: a firewall open to all addresses, a store that anyone can
//! read.
//!
//! Cloud clients use similar words, so one list also covers programs whose table lacks the verb, or that have no table.

use guard_sdk::syntax::Word;

use super::{plain, table};
use crate::draft::Draft;
use crate::run::Run;

/// First words of verbs that grant access. More words can follow after a dash or colon.
const GIVES: &[&str] = &[
    "add",
    "allow",
    "authorize",
    "create",
    "edit",
    "enable",
    "grant",
    "insert",
    "modify",
    "open",
    "patch",
    "put",
    "replace",
    "set",
    "update",
];

/// Values that mean everyone.
const EVERYBODY: &[&str] =
    &["0.0.0.0/0", "::/0", "allAuthenticatedUsers", "allUsers", "public-read", "public-read-write"];

/// Options that grant access to everyone without a value.
const SWITCHES: &[&str] = &["--allow-unauthenticated", "--publicly-accessible"];

/// Starts of options that set who has access, and values for them that mean everyone.
const SOURCES: &[&str] = &["--principal", "--source-address-prefix", "--source-ip"];
const ANYBODY: &[&str] = &["*", "any", "internet"];

/// Starts of options that control public access, and values that turn it off.
const PUBLIC: &[&str] = &["--allow-blob-public-access", "--public-access", "--public-network-access"];
const OFF: &[&str] = &["deny", "disabled", "enforced", "false", "no", "none", "nopublicaccess", "off", "private"];

/// The maximum number of words up to the verb, and of words that are examined.
const LEADING: usize = 6;
const MOST: usize = 64;

/// Adds the effect of a call that makes something public.
pub(super) fn find(run: &mut Run<'_>) {
    let words = run.arguments();
    let entry = table::entry(&run.name);
    let is_cloud = entry.is_none_or(|entry| entry.is_cloud());
    let gives = |word: &Word| GIVES.contains(&word.text.split(['-', ':']).next().unwrap_or_default());
    let rehearses = |word: &Word| plain::REHEARSES.contains(&word.text.as_str());
    if !is_cloud
        || plain::is_of_project(run)
        || plain::takes_text(&run.name)
        || !words.iter().take(LEADING).any(gives)
        || words.iter().any(rehearses)
    {
        return;
    }
    let mut before = "";
    for word in words.iter().take(MOST) {
        let (option, value) = match word.text.split_once('=').filter(|(option, _)| option.starts_with('-')) {
            Some((option, value)) => (option, value),
            None if word.text.starts_with('-') => (word.text.as_str(), ""),
            None => (before, word.text.as_str()),
        };
        before = option;
        let begins = |list: &[&str]| list.iter().any(|start| option.starts_with(start));
        let is_any = |list: &[&str]| list.iter().any(|known| known.eq_ignore_ascii_case(value));
        let names_all = value.split([',', ':']).any(|part| EVERYBODY.contains(&part)) || EVERYBODY.contains(&value);
        // An operand of a program without a table may be anything: a filter, a sample, a word to add.
        let opens = names_all && (entry.is_some() || option.starts_with('-'));
        if opens
            || SWITCHES.contains(&option) && !is_any(OFF)
            || begins(SOURCES) && is_any(ANYBODY)
            || begins(PUBLIC) && !value.is_empty() && !is_any(OFF)
        {
            let target = if value.is_empty() { option } else { value }.to_owned();
            let by = run.name.clone();
            let loses = "nothing yet: everyone could reach it or read it";
            let instead = "name the addresses or the people that need it";
            let draft = Draft::destructive("cloud", "cloud.access.change").target(&target).tag("client", &by);
            return run.emit(draft.certain(false).tag("loses", loses).tag("instead", instead));
        }
    }
}

//! Sweeps: a plain tool, or a few lines of code, that try many addresses or ports.

use guard_sdk::addresses::{host, is_here};
use guard_sdk::syntax::{Command, Word};

use crate::kinds::{CONNECTORS, has_any, is_any};
use crate::rules::code;
use crate::view::{has_option, name, texts, words};

/// The number of ports or addresses from which it is a sweep, not a check of a few services.
const MANY: u64 = 64;

/// Returns whether the command tries one of many addresses, or one of many ports of another machine: a loop or `xargs`
/// fills in a part.
pub(super) fn is_sweep(command: &Command) -> bool {
    let program = name(command);
    let is_network = |word: &Word| {
        let text = address_host(&word.text);
        let (start, varies) = match text.find(['$', '{', '%']) {
            Some(at) => (text.get(..at).unwrap_or_default(), word.dynamic || text.contains("{}")),
            None => ("", false),
        };
        // `10.0.0.$i`, but not `$HOST` or `web$i`.
        let is_address = start.ends_with('.') && start.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        varies && is_address && !start.starts_with("127.")
    };
    if words(command).any(is_network) {
        return true;
    }
    let scans = is_any(&program, CONNECTORS) && has_option(command, "z", &[]);
    let range = |text: &str| {
        let (first, last) = text.split_once('-')?;
        last.parse::<u64>().ok()?.checked_sub(first.parse().ok()?)
    };
    let far = texts(command).filter(|text| !text.starts_with('-')).any(|text| text.contains('.') && !is_here(text));
    scans && far && texts(command).filter_map(range).any(|ports| ports >= MANY)
}

/// Returns the host of an address, including a loop's variable.
fn address_host(text: &str) -> &str {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let rest = rest.split('/').next().unwrap_or_default();
    rest.rsplit('@').next().unwrap_or_default()
}

/// Returns whether it queries a directory for all its users, machines or groups.
pub(super) fn lists_directory(command: &Command) -> bool {
    let server = texts(command).filter(|text| text.starts_with("ldap")).map(host).next();
    let lower = |text: &str| text.to_ascii_lowercase().replace(' ', "");
    let all = texts(command).map(lower).any(|text| {
        let classes =
            ["objectclass=user", "objectclass=computer", "objectclass=person", "objectclass=*", "objectclass=group"];
        has_any(&text, &classes) || text.contains("objectcategory=")
    });
    // A filter that names one entry is a lookup.
    let names_one =
        texts(command).map(lower).any(|text| has_any(&text, &["(uid=", "(cn=", "(samaccountname=", "(mail="]));
    all && !names_one && !server.is_some_and(|server| is_here(&server))
}

/// Returns whether code opens connections to another machine in a loop over many numbers.
pub(super) fn is_in_code(text: &str) -> bool {
    if !code::connects(text) || has_any(text, &["localhost", "127.0.0.1", ".listen(", "bind("]) {
        return false;
    }
    // It continues after a refused connection.
    let goes_on = [
        "connect_ex(",
        "settimeout(",
        "except",
        "rescue",
        "Timeout",
        "timeout",
        ".on('error'",
        ".on(\"error\"",
        "try",
        "@fsockopen",
    ];
    has_any(text, &goes_on) && has_long_range(text)
}

/// Returns whether two numbers with enough distance are the ends of a range: `range(1, 255)`, `1..1024`, `p < 65536`.
fn has_long_range(text: &str) -> bool {
    let number = |text: &str| {
        let text = text.trim_start();
        let end = text.find(|char: char| !char.is_ascii_digit()).unwrap_or(text.len());
        text.get(..end).and_then(|digits| digits.parse::<u64>().ok())
    };
    let before = |text: &str| {
        let text = text.trim_end();
        let start = text.rfind(|char: char| !char.is_ascii_digit()).map_or(0, |at| at + 1);
        text.get(start..).and_then(|digits| digits.parse::<u64>().ok())
    };
    let places = |mark: &'static str| text.match_indices(mark).take(32).map(move |(at, mark)| (at, at + mark.len()));
    let by_call = places("range(").any(|(_, end)| {
        let rest = text.get(end..).unwrap_or_default().split(')').next().unwrap_or_default();
        match rest.split_once(',') {
            Some((first, last)) => {
                number(last).zip(number(first)).is_some_and(|(last, first)| last.saturating_sub(first) >= MANY)
            }
            None => number(rest).is_some_and(|count| count >= MANY),
        }
    });
    let by_dots = places("..").any(|(at, end)| {
        let (first, last) = (text.get(..at).unwrap_or_default(), text.get(end..).unwrap_or_default());
        before(first).zip(number(last)).is_some_and(|(first, last)| last.saturating_sub(first) >= MANY)
    });
    // A loop with three parts counts up to it.
    let by_test = text.contains("++")
        && places("<").any(|(_, end)| {
            let rest = text.get(end..).unwrap_or_default();
            number(rest.trim_start_matches('=')).is_some_and(|last| last >= MANY)
        });
    by_call || by_dots || by_test
}

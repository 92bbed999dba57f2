//! [`find`]: debuggers that listen on all addresses. Anyone who connects can run code in the debugged program.

use guard_sdk::syntax::Word;

use crate::draft::Draft;
use crate::run::Run;

/// Options of runtimes and browsers with the address of their debugger.
const OPTIONS: &[&str] =
    &["--inspect", "--inspect-brk", "--inspect-port", "--inspect-wait", "--remote-debugging-address"];

/// Debuggers, and options with the address. No options: the address is an operand.
const DEBUGGERS: &[(&str, &[&str])] =
    &[("debugpy", &["--listen"]), ("dlv", &["--listen", "-l"]), ("gdbserver", &[]), ("lldb-server", &["--listen"])];

/// The maximum number of words that are examined.
const MOST: usize = 64;

/// Adds the effect of a debugger that listens on all addresses of this machine.
pub(super) fn find(run: &mut Run<'_>) {
    let words = run.arguments();
    let module = words.get(1).filter(|_| words.first().is_some_and(|word| word.text == "-m"));
    let name = module.map_or(run.name.as_str(), |module| module.text.as_str());
    let debugger = DEBUGGERS.iter().find(|(names, _)| *names == name).map(|(_, options)| *options);
    let options = debugger.unwrap_or(OPTIONS);
    let mut before = "";
    let found = words.iter().take(MOST).find(|word| {
        let (option, value) = parts(word, before);
        before = word.text.as_str();
        let is_option = options.contains(&option) || debugger.is_some_and(<[_]>::is_empty) && !value.starts_with('-');
        is_option && is_everywhere(value) || is_jdwp(&word.text)
    });
    // The ports of a container are only reachable if they are published.
    if found.is_some() && !run.is_via("container") {
        let by = run.name.clone();
        run.emit(Draft::destructive("execute", "execute.served").target(&by));
    }
}

/// Returns an option and its value: of `--option=value`, or of two words.
fn parts<'t>(word: &'t Word, before: &'t str) -> (&'t str, &'t str) {
    match word.text.split_once('=').filter(|(option, _)| option.starts_with('-')) {
        Some(pair) => pair,
        None => (before, word.text.as_str()),
    }
}

/// Returns whether an address with or without a port means all addresses.
fn is_everywhere(address: &str) -> bool {
    ["0.0.0.0", "[::]", "*"]
        .iter()
        .any(|all| address.strip_prefix(all).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
}

/// Returns whether an option of the Java virtual machine starts its debugger on all addresses.
fn is_jdwp(word: &str) -> bool {
    let settings = word.strip_prefix("-agentlib:jdwp=").or_else(|| word.strip_prefix("-Xrunjdwp:"));
    settings.is_some_and(|settings| {
        let mut values = settings.split(',').filter_map(|setting| setting.strip_prefix("address="));
        values.any(is_everywhere)
    })
}

#[cfg(test)]
mod tests {
    use super::{is_everywhere, is_jdwp};

    #[test]
    fn all_addresses_are_told_from_one() {
        for address in ["0.0.0.0", "0.0.0.0:9229", "[::]:5678", "*:5005"] {
            assert!(is_everywhere(address), "{address}");
        }
        for address in ["127.0.0.1:9229", "9229", "localhost:1", "10.0.0.0", "0.0.0.01", ""] {
            assert!(!is_everywhere(address), "{address}");
        }
        assert!(is_jdwp("-agentlib:jdwp=transport=dt_socket,server=y,address=*:5005"));
        assert!(!is_jdwp("-agentlib:jdwp=transport=dt_socket,server=y,address=5005"));
    }
}

//! Finds calls that send data to another machine.

mod code;
mod command;
mod tools;

use guard_sdk::Call;
use guard_sdk::addresses::{host, is_here};
use guard_sdk::syntax::{Analysis, Command, Effect, Index};

use crate::Settings;
use crate::past::SessionHistory;

/// Data that leaves the machine.
pub(crate) struct OutgoingData {
    /// The description of the sent data, for a message.
    pub(crate) what: String,
    /// The host, or empty if it is unknown.
    pub(crate) to: String,
}

/// Returns the data that the call sends to a machine other than this one, the listed hosts and the project's remotes.
pub(crate) fn find(call: &Call<'_>, past: &SessionHistory<'_>, settings: &Settings) -> Option<OutgoingData> {
    let analysis = call.analysis();
    let is_foreign = |host: &str| !is_here(host) && !settings.trusts(host);
    if analysis.commands.is_empty() {
        return tools::find(call, is_foreign);
    }
    let index = &past.index;
    let by_effect = analysis.effects.iter().find_map(|effect| {
        let to = effect_destination(effect, past)?;
        let command = index.command(effect.command_id);
        // In a container, a plain name is that of a neighbor. `:8000` is this machine. `sftp HOST:FILE` downloads.
        let is_near = command.is_some_and(|command| {
            let is_inside = command.via.iter().any(|via| via.kind == "container");
            let fetches = command.program() == "sftp" && command.word(1).contains(':');
            is_inside && !to.is_empty() && !to.contains('.') || effect.target.starts_with(':') || fetches
        });
        if is_near {
            return None;
        }
        is_foreign(&to).then(|| OutgoingData { what: format!("`{}`", command.map_or("", Command::program)), to })
    });
    by_effect
        .or_else(|| proxy_data(analysis, &is_foreign))
        .or_else(|| {
            analysis.commands.iter().find_map(|command| {
                let to = command::find(command, analysis, &past.index, &is_foreign)?;
                is_foreign(&to).then(|| OutgoingData { what: format!("`{}`", command.program()), to })
            })
        })
        .or_else(|| {
            analysis.scripts.iter().find_map(|script| {
                let to = code::sends(&script.language, &script.text, is_foreign)?;
                Some(OutgoingData { what: format!("the {} code", script.language), to })
            })
        })
}

/// Returns data that goes through a proxy which the text sets for its later commands.
fn proxy_data(analysis: &Analysis, is_foreign: &impl Fn(&str) -> bool) -> Option<OutgoingData> {
    let mut sets = analysis.commands.iter().flat_map(|command| {
        let exported = command.argv.iter().skip(1).filter_map(|word| word.text.split_once('='));
        let assigned = command.assignments.iter().map(|set| (set.name.as_str(), set.value.text.as_str()));
        assigned.chain(exported.filter(|_| command.program() == "export"))
    });
    let proxy = |name: &str| name.to_ascii_lowercase().ends_with("_proxy");
    let (name, value) = sets.find(|(name, value)| proxy(name) && is_foreign(&host(value)))?;
    Some(OutgoingData { what: format!("`{name}`"), to: host(value) })
}

/// Returns the destination of data that an effect sends.
fn effect_destination(effect: &Effect, past: &SessionHistory<'_>) -> Option<String> {
    let target = &effect.target;
    // A remote shell's writes contain data from this machine.
    if effect.kind == "write" && effect.tag("where") == Some("ssh") {
        return Some(String::new());
    }
    match effect.operation.as_str() {
        "network.upload" | "network.send" | "network.connect" | "secret.send" => Some(host(target)),
        "cloud.upload" | "github.gist.change" | "network.tunnel.open" => Some(host(target)),
        "package.publish" if effect.tag("dry-run").is_none() => Some(String::new()),
        "fs.read" if effect.tag("sent").is_some() && !is_addressed(effect, &past.index) => Some(String::new()),
        "git.push" | "git.push.force" | "git.push.force-with-lease" | "vcs.push" if effect.tag("dry-run").is_none() => {
            let remote = effect.tag("remote").unwrap_or_default();
            let is_address = remote.contains([':', '/']);
            let is_new = || past.events("remote").iter().any(|event| event.target == remote);
            (is_address || is_new()).then(|| if is_address { host(remote) } else { remote.to_owned() })
        }
        _ => None,
    }
}

/// Returns whether another effect of the command has the destination of the data.
fn is_addressed(effect: &Effect, index: &Index<'_>) -> bool {
    let of = index.command(effect.command_id).map(|command| index.effects(command));
    of.is_some_and(|effects| effects.iter().any(|other| other.kind == "network"))
}

/// Returns the hosts of the addresses in a text.
pub(crate) fn addresses(text: &str) -> Vec<String> {
    let sockets = text.split("/inet/").skip(1).filter_map(|rest| rest.split('/').nth(2)).map(str::to_owned);
    let urls = text.split("://").skip(1).map(|rest| {
        let end = rest.find(['"', '\'', ')', '`', ' ', '\n', '>']).unwrap_or(rest.len());
        host(&format!("x://{}", rest.get(..end).unwrap_or_default()))
    });
    urls.chain(sockets).collect()
}

/// Returns whether a text contains letters of both cases and digits that aren't a word: a key, or encoded data.
fn has_token(text: &str) -> bool {
    const LEAST: usize = 24;
    let mut runs = text.split(|char: char| !char.is_ascii_alphanumeric());
    runs.any(|run| {
        let has = |kind: fn(&u8) -> bool| run.as_bytes().iter().any(kind);
        run.len() >= LEAST && has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
    })
}

/// Returns whether a label of the host's name is encoded data.
fn has_token_label(address: &str) -> bool {
    const LEAST: usize = 32;
    host(address).split('.').any(|label| label.len() >= LEAST && label.bytes().any(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_told_from_a_word() {
        assert!(has_token("k=sk9FjQ2mLx81TzPq07RbVnWe3a"));
        for plain in ["per_page=100", "sha=0123456789abcdef0123456789abcdef01234567", "q=averylongwordwithoutanydigits"]
        {
            assert!(!has_token(plain), "{plain}");
        }
    }
}

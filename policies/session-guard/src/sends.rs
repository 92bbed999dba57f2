//! Which calls send data to another machine.

mod code;
mod tools;

use guard_sdk::Call;
use guard_sdk::syntax::{Command, Effect, Word};

use crate::Settings;
use crate::past::Past;

/// Data that leaves the machine.
pub(crate) struct Sent {
    /// What sends it, for a message.
    pub(crate) what: String,
    /// The host; empty if it is not known.
    pub(crate) to: String,
}

/// Programs that ask a name server, whose question is data.
const RESOLVERS: &[&str] = &[
    "delv",
    "dig",
    "doggo",
    "drill",
    "getent",
    "host",
    "kdig",
    "nslookup",
    "ping",
    "resolvectl",
    "traceroute",
    "whois",
];

/// Programs that send what they are given, whatever the words say.
const SENDERS: &[&str] = &[
    "croc",
    "ffsend",
    "gist",
    "grpcurl",
    "mosquitto_pub",
    "ngrok",
    "pastebinit",
    "s_client",
    "sendmail",
    "swaks",
    "telnet",
    "transfer",
    "websocat",
    "wormhole",
    "wscat",
];

/// Verbs by which a program that speaks to a service sends.
const VERBS: &[&str] = &["send", "publish", "upload", "invoke", "post", "put", "push", "share"];

/// Programs that speak to services, whose verbs say what they do.
const CLIENTS: &[&str] = &[
    "aliyun",
    "aws",
    "az",
    "b2",
    "doctl",
    "dropbox",
    "firebase",
    "gcloud",
    "gsutil",
    "heroku",
    "kaggle",
    "mc",
    "nats",
    "oci",
    "s3cmd",
    "slack",
    "supabase",
    "telegram-send",
    "twilio",
    "vercel",
];

/// Words that are looked at, at most.
const WORDS: usize = 256;

/// What the call sends to a machine that is neither this one, nor listed, nor a remote of the project.
pub(crate) fn find(call: &Call<'_>, past: &Past<'_>, settings: &Settings) -> Option<Sent> {
    let analysis = call.analysis();
    let is_foreign = |host: &str| !is_here(host) && !settings.trusts(host);
    if analysis.commands.is_empty() {
        return tools::find(call, is_foreign);
    }
    let program = |id: u32| analysis.commands.iter().find(|command| command.id == id).map_or("", Command::program);
    let by_effect = analysis.effects.iter().find_map(|effect| {
        let to = of_effect(effect, &analysis.effects, past)?;
        is_foreign(&to).then(|| Sent { what: format!("`{}`", program(effect.command_id)), to })
    });
    by_effect
        .or_else(|| {
            analysis.commands.iter().find_map(|command| {
                let to = of_command(command)?;
                is_foreign(&to).then(|| Sent { what: format!("`{}`", command.program()), to })
            })
        })
        .or_else(|| {
            analysis.scripts.iter().find_map(|script| {
                let to = code::sends(&script.language, &script.text, is_foreign)?;
                Some(Sent { what: format!("the {} code", script.language), to })
            })
        })
}

/// Where an effect sends data.
fn of_effect(effect: &Effect, all: &[Effect], past: &Past<'_>) -> Option<String> {
    let target = &effect.target;
    match effect.operation.as_str() {
        "network.upload" | "network.send" | "network.connect" | "secret.send" => Some(host(target)),
        "cloud.upload" | "github.gist.change" | "network.tunnel.open" => Some(host(target)),
        "package.publish" if effect.tag("dry-run").is_none() => Some(String::new()),
        "fs.read" if effect.tag("sent").is_some() && !is_addressed(effect, all) => Some(String::new()),
        "git.push" | "git.push.force" | "git.push.force-with-lease" | "vcs.push" if effect.tag("dry-run").is_none() => {
            let remote = effect.tag("remote").unwrap_or_default();
            let is_address = remote.contains([':', '/']);
            let is_new = || past.events("remote").iter().any(|event| event.target == remote);
            (is_address || is_new()).then(|| if is_address { host(remote) } else { remote.to_owned() })
        }
        _ => None,
    }
}

/// Whether another effect of the command tells where it sends what it reads.
fn is_addressed(effect: &Effect, all: &[Effect]) -> bool {
    all.iter().any(|other| other.command_id == effect.command_id && other.kind == "network")
}

/// Where a command sends data whose effects do not say so.
fn of_command(command: &Command) -> Option<String> {
    let program = command.program();
    let words = || command.argv.iter().skip(1).take(WORDS);
    let is_fed = command.position.index > 0 || command.redirections.iter().any(|it| it.operator.starts_with('<'));
    let is_repeated = command.via.iter().any(|via| matches!(via.kind.as_str(), "xargs" | "parallel" | "find-exec"));
    if RESOLVERS.contains(&program) {
        let asked = words().find(|word| is_computed(word) || has_variable(word) || has_token(&word.text));
        return asked.map(|word| word.text.clone()).or_else(|| (is_repeated || is_fed).then(String::new));
    }
    if SENDERS.contains(&program) || program == "openssl" && command.word(1) == "s_client" && is_fed {
        return Some(words().map(|word| host(&word.text)).find(|host| host.contains('.')).unwrap_or_default());
    }
    if program == "ssh" && (is_fed || words().any(is_computed)) {
        return words().map(|word| &word.text).find(|text| !text.starts_with('-')).map(|text| host(text));
    }
    if CLIENTS.contains(&program) {
        let verb = |text: &str| text.split('-').next().is_some_and(|verb| VERBS.contains(&verb));
        return words().take(4).any(|word| verb(&word.text)).then(String::new);
    }
    if matches!(program, "gh" | "glab") {
        return of_forge(command);
    }
    if matches!(program.to_ascii_lowercase().as_str(), "invoke-webrequest" | "invoke-restmethod" | "iwr" | "irm") {
        let gives = |word: &Word| matches!(word.text.to_ascii_lowercase().as_str(), "-body" | "-infile" | "-form");
        let address = || words().map(|word| &word.text).find(|text| text.contains("://")).map(|text| host(text));
        return words().any(gives).then(|| address().unwrap_or_default());
    }
    // The address of a request that only reads may hold the data itself.
    let address = words().find(|word| word.text.contains("://") || is_web(program))?;
    let carrier = words().find(|word| (word.text.contains("://") || is_web(program)) && carries(word));
    let is_request = is_web(program) && (is_repeated && words().any(|word| word.text.contains("{}")));
    (carrier.is_some() && is_web(program) || is_request).then(|| host(&carrier.unwrap_or(address).text))
}

/// `gh` and `glab` write to another repository than the project's own.
fn of_forge(command: &Command) -> Option<String> {
    let words: Vec<&str> = command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str()).collect();
    let writes = words.iter().take(3).any(|word| {
        matches!(
            *word,
            "create" | "comment" | "edit" | "upload" | "review" | "note" | "update" | "new" | "set" | "dispatch"
        )
    });
    let elsewhere = words
        .iter()
        .any(|word| matches!(*word, "-R" | "--repo") || word.starts_with("--repo=") || word.starts_with("-R="));
    let gives = |word: &&str| {
        matches!(*word, "-f" | "-F" | "--field" | "--raw-field" | "--input") || word.starts_with("--field=")
    };
    let reads = words.windows(2).any(|pair| matches!(pair, ["-X" | "--method", "GET"]));
    let is_api = words.first() == Some(&"api") && words.iter().any(gives) && !reads;
    (is_api || writes && elsewhere).then(String::new)
}

/// Whether the program asks for the addresses that it is given.
fn is_web(program: &str) -> bool {
    matches!(
        program,
        "curl" | "wget" | "http" | "https" | "xh" | "xhs" | "curlie" | "aria2c" | "wget2" | "lynx" | "w3m"
    )
}

/// Whether an address holds data that is known only at run time, or looks like a secret.
fn carries(word: &Word) -> bool {
    let is_address = word.text.contains("://") || word.text.contains('.');
    if !is_address || word.text.starts_with('-') {
        return false;
    }
    let query = word.text.split_once('?').map_or("", |(_, query)| query);
    is_computed(word) || query.contains('$') && has_variable(word) || has_token(query) || has_token_label(&word.text)
}

/// Whether the word holds the output of a command.
fn is_computed(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"))
}

fn has_variable(word: &Word) -> bool {
    word.parts.iter().any(|part| part.kind == "variable")
}

/// Letters of both cases and digits that are no word: a key, or encoded data.
fn has_token(text: &str) -> bool {
    const LEAST: usize = 24;
    let mut runs = text.split(|char: char| !char.is_ascii_alphanumeric());
    runs.any(|run| {
        let has = |kind: fn(&u8) -> bool| run.as_bytes().iter().any(kind);
        run.len() >= LEAST && has(u8::is_ascii_digit) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase)
    })
}

/// A part of the host's name that is encoded data.
fn has_token_label(address: &str) -> bool {
    const LEAST: usize = 32;
    host(address).split('.').any(|label| label.len() >= LEAST && label.bytes().any(|byte| byte.is_ascii_digit()))
}

/// The name of the machine in an address; empty where it is known only at run time.
fn host(address: &str) -> String {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.strip_prefix("/dev/tcp/").or_else(|| rest.strip_prefix("/dev/udp/")).unwrap_or(rest);
    // An address of socat has its kind in front.
    let rest = match rest.split_once(':') {
        Some((kind, rest))
            if kind.len() > 1 && kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) =>
        {
            rest
        }
        _ => rest,
    };
    let end = rest.find(['/', '?', '#', ',']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => host.split(':').next().unwrap_or_default(),
    };
    if host.contains('$') { String::new() } else { host.to_ascii_lowercase() }
}

/// Whether the name is that of this machine.
fn is_here(host: &str) -> bool {
    let is_name = matches!(host, "localhost" | "::1" | "0.0.0.0" | "0" | "host.docker.internal");
    is_name || host.starts_with("127.") || host.ends_with(".localhost")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_of_an_address_is_found() {
        for (address, expected) in [
            ("https://u:p@Example.org:8/a?b", "example.org"),
            ("git@example.org:a/b.git", "example.org"),
            ("TCP:example.org:80,x", "example.org"),
            ("TCP4:127.0.0.1:80", "127.0.0.1"),
            ("/dev/tcp/example.org/80", "example.org"),
            ("http://[::1]:80/", "::1"),
            ("https://$HOST/x", ""),
        ] {
            assert_eq!(host(address), expected, "{address}");
        }
    }

    #[test]
    fn a_key_is_told_from_a_word() {
        assert!(has_token("k=sk9FjQ2mLx81TzPq07RbVnWe3a"));
        for plain in ["per_page=100", "sha=0123456789abcdef0123456789abcdef01234567", "q=averylongwordwithoutanydigits"]
        {
            assert!(!has_token(plain), "{plain}");
        }
    }
}

//! Variables with the secret of one service that are sent to another one, in a URL or in the body of a request.
//!
//! Headers aren't checked, because a key in a header usually authorizes the request, also at an address that doesn't
//! contain the service's name.

use std::borrow::Cow;

use guard_sdk::syntax::{Command, Word};

use super::super::environment::SERVICES;
use super::super::secrets::shown_secrets;
use crate::draft::Draft;
use crate::options::Operand;
use crate::run::Run;

/// Names of stores and products that are hosted at any address.
const ANYWHERE: &[&str] = &[
    "BITBUCKET",
    "CONFLUENCE",
    "DATABASE",
    "GITLAB",
    "JIRA",
    "MONGO",
    "MONGODB",
    "MYSQL",
    "POSTGRES",
    "REDIS",
    "SENTRY",
    "SMTP",
];

/// Other names of services in addresses.
const OTHERS: &[(&str, &[&str])] = &[
    ("ANTHROPIC", &["claude"]),
    ("AWS", &["amazon"]),
    ("AZURE", &["microsoft", "core.windows.net"]),
    ("GEMINI", &["google"]),
    ("GITHUB", &["ghcr.io"]),
    ("HUGGINGFACE", &["hf.co"]),
    ("OPENAI", &["azure"]),
];

/// Other prefixes of variable names, and the service of each.
const SHORT: &[(&str, &str)] = &[("GH", "GITHUB"), ("NPM", "NPM"), ("PYPI", "PYPI"), ("TWINE", "PYPI")];

/// Tools that print a token of their own service.
const OWN_TOKENS: &[(&str, &str, &str)] = &[
    ("gh", "auth", "GITHUB"),
    ("gcloud", "print-access-token", "GEMINI"),
    ("heroku", "auth:token", "HEROKU"),
    ("aws", "ecr", "AWS"),
    ("aws", "sts", "AWS"),
    ("aws", "configure", "AWS"),
    ("az", "get-access-token", "AZURE"),
    ("npm", "", "NPM"),
];

/// Options of HTTP clients before a value that authorizes the request.
const KEYS: &[&str] =
    &["-H", "--header", "-u", "--user", "--oauth2-bearer", "-b", "--cookie", "--password", "-a", "--auth"];

/// Adds the effect of sending a secret of another service than the request's.
pub(super) fn sent<'a>(run: &mut Run<'a>, url: &Operand<'a>, words: &[Operand<'a>]) {
    let Some(host) = host_of(&url.text) else { return };
    let is_foreign = |name: &&str| service_of(name).is_some_and(|service| !is_of(&host, service));
    let foreign = words.iter().any(|word| shown_secrets(word.word).any(|name| is_foreign(&name)));
    if foreign {
        run.emit(Draft::destructive("network", "secret.send").target(&host).tag("what", "variable"));
    }
}

/// Returns the host of a URL, if it is a public name.
pub(crate) fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = place.rsplit('@').next().unwrap_or_default().split(':').next().unwrap_or_default();
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-');
    let is_near = host.ends_with(".local") || host.ends_with(".internal") || host.starts_with("127.");
    (host.contains('.') && host.chars().all(is_name) && !is_near).then(|| host.to_ascii_lowercase())
}

/// Returns the service with which a variable's name starts.
pub(crate) fn service_of(name: &str) -> Option<&'static str> {
    let first = name.split('_').next().unwrap_or_default();
    let known = SERVICES.iter().copied().find(|service| service.eq_ignore_ascii_case(first));
    let short = || SHORT.iter().find(|(short, _)| short.eq_ignore_ascii_case(first)).map(|(_, service)| *service);
    known.or_else(short).filter(|service| !ANYWHERE.contains(service))
}

pub(crate) fn is_of(host: &str, service: &str) -> bool {
    let others = OTHERS.iter().filter(|(name, _)| *name == service).flat_map(|(_, others)| others.iter());
    host.contains(&service.to_ascii_lowercase()) || others.into_iter().any(|other| host.contains(other))
}

/// Returns the service whose token the command prints.
pub(crate) fn own_service(command: &Command) -> Option<&'static str> {
    let says = |word: &str| word.is_empty() || command.argv.iter().any(|given| given.text == word);
    let found = OWN_TOKENS.iter().find(|(program, word, _)| *program == command.program() && says(word));
    found.map(|(_, _, service)| *service)
}

/// Returns whether a word of an HTTP client authorizes the request: a header, a user, a cookie.
pub(crate) fn is_key(command: &Command, before: &str, word: &Word) -> bool {
    let (option, _) = word.text.split_once('=').unwrap_or_default();
    let joined = ["-H", "-u", "-b"].iter().any(|option| word.text.starts_with(option));
    let is_field = matches!(command.program(), "http" | "https" | "xh" | "xhs")
        && word.text.split_once(':').is_some_and(|(name, rest)| !name.contains('=') && !rest.starts_with("//"));
    KEYS.contains(&before) || KEYS.contains(&option) || joined && word.text.len() > 2 || is_field
}

/// Returns the host to which the command connects, if its URL is in the text.
pub(crate) fn address(command: &Command) -> Option<String> {
    let words = || command.argv.iter().skip(1).map(|word| word.text.as_str());
    let whole = words().find(|word| word.contains("://") && !word.contains(' ')).map(Cow::Borrowed);
    let is_http = matches!(command.program(), "curl" | "curlie" | "wget" | "http" | "https" | "xh" | "xhs");
    let short = || is_http.then(|| super::url(command)).flatten().map(Cow::Owned);
    host_of(&whole.or_else(short)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_known_in_an_address_by_all_of_its_names() {
        for (host, service, is_own) in [
            ("api.github.com", "GITHUB", true),
            ("ghcr.io", "GITHUB", true),
            ("sts.amazonaws.com", "AWS", true),
            ("e.com", "GITHUB", false),
            ("api.openai.com", "ANTHROPIC", false),
        ] {
            assert_eq!(is_of(host, service), is_own, "{host} {service}");
        }
        assert_eq!(service_of("GITHUB_TOKEN"), Some("GITHUB"));
        assert_eq!((service_of("GH_TOKEN"), service_of("NPM_TOKEN")), (Some("GITHUB"), Some("NPM")));
        assert_eq!(service_of("MY_GITHUB_TOKEN").or(service_of("API_KEY")).or(service_of("JIRA_TOKEN")), None);
    }

    #[test]
    fn the_machine_stands_behind_a_name_and_before_a_port() {
        for (url, host) in [
            ("https://e.com/x", Some("e.com")),
            ("https://a:b@E.com:8080/x?y", Some("e.com")),
            ("e.com/x", Some("e.com")),
            ("http://localhost/x", None),
            ("http://127.0.0.1/x", None),
            ("https://$HOST.com/x", None),
            ("https://db.internal/x", None),
        ] {
            assert_eq!(host_of(url).as_deref(), host, "{url}");
        }
    }
}

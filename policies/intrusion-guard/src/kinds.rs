//! Kinds of programs, hosts and places.

pub(crate) mod hosts;
pub(crate) mod places;
pub(crate) mod services;
pub(crate) mod tools;

/// Shells.
pub(crate) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash", "pwsh", "powershell", "cmd"];

/// Programs that open a plain connection.
pub(crate) const CONNECTORS: &[&str] = &[
    "nc",
    "ncat",
    "netcat",
    "nc.traditional",
    "nc.openbsd",
    "socat",
    "telnet",
    "cryptcat",
    "pwncat",
    "websocat",
    "busybox-nc",
];

/// Programs that query a name server.
pub(crate) const RESOLVERS: &[&str] = &[
    "dig",
    "drill",
    "host",
    "nslookup",
    "kdig",
    "delv",
    "doggo",
    "dog",
    "q",
    "getent",
    "resolvectl",
    "systemd-resolve",
    "ping",
    "ping6",
    "traceroute",
    "tracepath",
    "mtr",
    "resolve-dnsname",
];

/// HTTP clients.
pub(crate) const WEB: &[&str] = &[
    "curl",
    "curlie",
    "wget",
    "wget2",
    "http",
    "https",
    "xh",
    "xhs",
    "lynx",
    "aria2c",
    "lwp-request",
    "invoke-webrequest",
    "invoke-restmethod",
    "iwr",
    "irm",
];

/// Programs that only show or search text: a name among their words is data.
pub(crate) const SHOWING: &[&str] = &[
    "echo", "printf", "grep", "egrep", "fgrep", "rg", "ag", "ack", "git", "gh", "glab", "man", "tldr", "which", "type",
    "apt", "apt-get", "brew", "pip", "pip3", "npm", "dnf", "yum", "pacman", "apk", "snap", "cargo", "jq", "sed",
    "test", "[", "export", "alias",
];

/// Returns whether the name is in the list.
pub(crate) fn is_any(name: &str, list: &[&str]) -> bool {
    list.contains(&name)
}

/// Returns whether the text contains one of the parts.
pub(crate) fn has_any(text: &str, parts: &[&str]) -> bool {
    parts.iter().any(|part| contains(text.as_bytes(), part.as_bytes()))
}

/// [`str::contains`] prepares each search, which takes longer than scanning a short text.
fn contains(text: &[u8], part: &[u8]) -> bool {
    let Some((first, rest)) = part.split_first() else { return true };
    let mut left = text;
    while let Some(at) = left.iter().position(|byte| byte == first) {
        left = left.get(at + 1..).unwrap_or_default();
        if left.starts_with(rest) {
            return true;
        }
    }
    false
}

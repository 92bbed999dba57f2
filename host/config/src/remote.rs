//! [`Remote`]: a server that decides calls.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::options::{Fallback, RemoteOptions};
use guard_contract::grants::GrantSpec;
use guard_contract::paths::absolute;
use guard_platform::paths::{judged_text, native};

/// The default time limit for an answer, in milliseconds.
const TIMEOUT_MS: u32 = 1000;

/// A server that decides calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remote {
    /// Its URL, without a trailing slash.
    pub url: String,
    /// The file with its token.
    pub token_file: PathBuf,
    /// A PEM file with trusted certificates for it, or `None` for the machine's.
    pub ca: Option<PathBuf>,
    /// The time limit for its answer, in milliseconds.
    pub timeout_ms: u32,
    /// The fallback when there is no answer.
    pub fallback: Fallback,
    /// The files and variables that it may read.
    pub grants: GrantSpec,
}

impl Remote {
    /// Reads a `[remote]` table. Paths are relative to `home`.
    ///
    /// # Errors
    ///
    /// The table is invalid: the problem, and the hint.
    pub(super) fn from_options(options: &RemoteOptions, home: &str) -> Result<Self, (String, &'static str)> {
        let refuse = |text: String, hint| Err((format!("{text} in `[remote]`"), hint));
        let url = options.url.trim_end_matches('/');
        let Some((scheme, rest)) = url.split_once("://") else {
            return refuse("`url` is missing, or no address".to_owned(), "give one such as `https://guard.example`");
        };
        let host = rest.split('/').next().unwrap_or_default();
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "@?#\\".contains(c);
        if host.is_empty() || rest.contains(is_odd) || !matches!(scheme, "http" | "https") {
            return refuse(format!("`{url}` isn't an address"), "give one such as `https://guard.example`");
        }
        if scheme == "http" && !is_this_machine(host) {
            let hint = "use `https://`: only a server on this machine is asked without TLS";
            return refuse(format!("`{url}` has no TLS"), hint);
        }
        for (key, path) in [("token-file", Some(&options.token_file)), ("ca", options.ca.as_ref())] {
            if let Some(path) = path.filter(|path| !path.starts_with('/') && !path.starts_with("~/")) {
                let hint = "give a path from `/` or from `~/`";
                if path.is_empty() {
                    return refuse(format!("`{key}` is missing"), hint);
                }
                return refuse(format!("`{key}` is `{path}`, which isn't the path of a file"), hint);
            }
        }
        let timeout_ms = options.timeout_ms.unwrap_or(TIMEOUT_MS);
        if !(100..=1500).contains(&timeout_ms) {
            return refuse(format!("`timeout-ms` is {timeout_ms}"), "give a number from 100 to 1500");
        }
        let mut grants = GrantSpec::default();
        for grant in &options.grants {
            if grant.starts_with("journal:") || !grants.add(grant) {
                let hint = "give words such as `read:~/folder` and `env:NAME`";
                return refuse(format!("`{grant}` in `grants` isn't a grant"), hint);
            }
        }
        let path = |path: &String| native(&absolute(&judged_text(path), "/", home)).into_owned();
        Ok(Remote {
            url: url.to_owned(),
            token_file: path(&options.token_file),
            ca: options.ca.as_ref().map(path),
            timeout_ms,
            fallback: options.fallback.unwrap_or(Fallback::Ask),
            grants,
        })
    }
}

/// Returns whether the host, with or without a port, is this machine.
fn is_this_machine(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    matches!(name, "localhost" | "127.0.0.1" | "[::1]")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_asked_without_tls() {
        let of = |url: &str| {
            let options =
                RemoteOptions { url: url.to_owned(), token_file: "/t".to_owned(), ..RemoteOptions::default() };
            Remote::from_options(&options, "/home/u").map(|remote| remote.url)
        };
        for (url, kept) in [
            ("https://guard.example", "https://guard.example"),
            ("https://guard.example:8443/team/", "https://guard.example:8443/team"),
            ("http://127.0.0.1:8273", "http://127.0.0.1:8273"),
            ("http://[::1]:8273/", "http://[::1]:8273"),
            ("http://localhost", "http://localhost"),
        ] {
            assert_eq!(of(url).as_deref(), Ok(kept));
        }
        for url in [
            "http://guard.example",
            "http://127.0.0.1.guard.example",
            "http://localhost@guard.example",
            "http://localhost:80@guard.example",
            "http://localhost\\@guard.example",
            "http://10.0.0.1:8273",
        ] {
            assert!(of(url).is_err(), "{url}");
        }
        for url in ["", "guard.example", "ftp://localhost", "https://", "https:///x", "https://a b", "https://a?b"] {
            assert!(of(url).is_err(), "{url}");
        }
    }
}

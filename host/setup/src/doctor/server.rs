//! Checks that the server of a `[remote]` answers a harmless call, or at least accepts connections.

use std::net::{TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Finding;
use crate::install::HookLocation;
use guard_chain::exchange::Request;
use guard_config::Remote;
use guard_contract::call::{CallContext, ToolCall};
use guard_hook::remote::{Child, RemoteDecider};
use serde_json::{Map, Value};

/// The command in the test call.
const HARMLESS: &str = "ls";

/// The timeout of [`knock`]. It is short because a status line is drawn often.
const KNOCK: Duration = Duration::from_millis(8);

/// Reports a server that refuses connections. A slow server is no finding.
pub(super) fn knock(remote: &Remote) -> Option<Finding> {
    let (scheme, rest) = remote.url.split_once("://")?;
    let host = rest.split('/').next()?;
    let port = if scheme == "https" { 443 } else { 80 };
    let has_port = host.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let address = if has_port { host.to_owned() } else { format!("{host}:{port}") };
    let (sender, receiver) = mpsc::channel();
    // Name resolution can take seconds, but the caller doesn't wait for this thread.
    thread::spawn(move || {
        let connect = |address| TcpStream::connect_timeout(&address, KNOCK);
        let answers = address.to_socket_addrs().map(|all| all.map(connect).collect::<Vec<_>>());
        let is_refused = |answer: &std::io::Result<TcpStream>| {
            answer.as_ref().is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
        };
        let _ = sender.send(answers.is_ok_and(|all| !all.is_empty() && all.iter().all(is_refused)));
    });
    let is_refused = receiver.recv_timeout(KNOCK).unwrap_or(false);
    let text = format!("`{}` refuses connections", remote.url);
    is_refused.then(|| Finding::problem("remote", text, remedy("", remote)))
}

/// Sends a call to the server, with the hook's timeout.
pub(super) fn ask(remote: &Remote, site: HookLocation<'_>) -> Finding {
    let project = site.project.to_string_lossy();
    let at = CallContext {
        cwd: project.clone().into_owned(),
        project_root: project.into_owned(),
        home: site.environment.home.clone(),
        session: "guard-host-doctor".to_owned(),
        ..CallContext::default()
    };
    let command = Map::from_iter([("command".to_owned(), Value::from(HARMLESS))]);
    let request = Request { calls: vec![ToolCall::new("Bash", command)], at, ..Request::default() };
    let patience = Duration::from_millis(remote.timeout_ms.into());
    let (url, limit) = (&remote.url, remote.timeout_ms);
    match (Child { environment: site.environment }).ask(remote, request, Instant::now() + patience) {
        Ok(answer) => match answer.verdict.findings.iter().find(|found| found.is_broken_config()) {
            Some(found) => {
                let text = format!("`{url}` answers, but its configuration is broken: {}", found.finding.message);
                Finding::problem("remote", text, "correct it there: `guard-host config check` on the server shows it")
            }
            None => Finding::ok("remote", format!("`{url}` answers")),
        },
        Err(why) => {
            let text = format!("`{url}` gives no answer within {limit} ms (`timeout-ms`): {why}");
            let remedy = remedy(&why, remote);
            Finding::problem("remote", text, remedy)
        }
    }
}

/// Returns the fix for a server error.
fn remedy(why: &str, remote: &Remote) -> String {
    let has = |words: &[&str]| words.iter().any(|word| why.contains(word));
    if has(&["does not take the token"]) {
        return format!("save the server's present token in `{}`", remote.token_file.display());
    }
    if has(&["has a `[remote]` too"]) {
        return "remove `[remote]` from the server's own configuration; a managed file with it also applies to the server"
            .to_owned();
    }
    if has(&["leads elsewhere"]) {
        return "set `url` in `[remote]` to the server's own address, without a redirect".to_owned();
    }
    if has(&["forwards calls"]) {
        return "the server runs and forwards calls: correct `[remote]` there, and run `guard-host doctor` there"
            .to_owned();
    }
    if has(&["certificate"]) {
        return "check the name and the dates of the server's certificate, and set `ca` in `[remote]` to a file with its \
                authority in PEM"
            .to_owned();
    }
    if has(&["audit log"]) {
        return "the server runs; make room for its audit log, and run `guard-host doctor` there".to_owned();
    }
    if has(&["answers with"]) {
        return "the server runs; run `guard-host doctor` there".to_owned();
    }
    "start the server, or correct `url` in `[remote]`; until then `fallback` applies".to_owned()
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use guard_config::Fallback;
    use guard_contract::grants::GrantSpec;

    use super::*;

    #[test]
    fn each_reason_has_its_own_remedy() {
        let remote = Remote {
            url: "https://guard.example".to_owned(),
            token_file: PathBuf::from("/t"),
            ca: None,
            timeout_ms: 1000,
            fallback: Fallback::Ask,
            grants: GrantSpec::default(),
        };
        for (why, word) in [
            ("it does not take the token of `/t`", "`/t`"),
            ("the certificate of `guard.example` isn't valid: expired", "`ca`"),
            ("no certificate authority can be read from `/ca.pem`", "`ca`"),
            ("it answers with 503: the server can't write its audit log", "make room"),
            ("it answers with 503: the server is busy", "the server runs"),
            ("it answers with 302, and leads elsewhere: `url` is not its address", "without a redirect"),
            (
                "it answers with 508: a server forwarded this call, and this one has a `[remote]` too",
                "remove `[remote]`",
            ),
            (
                "it answers with 503: this server forwards calls, and `u` gave no answer: it answers with 508: a server \
                 forwarded this call, and this one has a `[remote]` too",
                "remove `[remote]`",
            ),
            (
                "it answers with 503: this server forwards calls, and `u` gave no answer: refused",
                "correct `[remote]` there",
            ),
            ("`guard.example` cannot be reached: refused", "start the server"),
        ] {
            assert!(remedy(why, &remote).contains(word), "{why}: {}", remedy(why, &remote));
        }
    }
}

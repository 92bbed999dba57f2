//! [`Client`]: sends requests to the server of a `[remote]` over HTTP, and the facts that it may know.

mod learn;
mod sound;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use guard_chain::exchange::{Request, Response};
use guard_config::Remote;
use guard_contract::Outcome;
use guard_facts::Facts;
use guard_hook::remote::{FORWARDED, RemoteDecider};
use guard_registry::{Receiver, RegistryError, server_message};
use guard_state::{FileState, files};

/// The maximum number of requests for one call.
const ROUNDS: usize = 8;

/// The maximum length of a token, in bytes.
const TOKEN_BYTES: u64 = 4096;

/// The timeout of a connection. Each request has less.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends requests to servers from this process, over reused connections.
#[derive(Debug)]
pub(crate) struct Client {
    facts: Arc<dyn Facts>,
    last: Mutex<Option<(Server, Arc<Receiver>)>>,
}

/// The identity of a server: its address, and its certificate authorities with the state of their file.
#[derive(Debug, Clone, PartialEq)]
struct Server {
    url: String,
    ca: Option<(PathBuf, FileState)>,
}

impl Client {
    /// Creates a client that answers with these facts.
    #[must_use]
    pub(crate) fn new(facts: Arc<dyn Facts>) -> Self {
        Client { facts, last: Mutex::default() }
    }

    fn receiver(&self, remote: &Remote) -> Result<Arc<Receiver>, RegistryError> {
        let ca = remote.ca.as_ref().map(|path| (path.clone(), FileState::read(path)));
        let server = Server { url: remote.url.clone(), ca };
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, receiver)) = last().as_ref().filter(|(known, _)| *known == server) {
            return Ok(receiver.clone());
        }
        let url = format!("{}/decide", remote.url);
        let receiver = Arc::new(Receiver::direct(&url, PATIENCE, remote.ca.as_deref())?);
        *last() = Some((server, receiver.clone()));
        Ok(receiver)
    }

    /// Sends one request.
    fn send(&self, remote: &Remote, request: &Request, is_forwarded: bool, until: Instant) -> Result<Response, String> {
        let mut headers = vec![
            ("authorization".to_owned(), format!("Bearer {}", token(remote)?)),
            ("content-type".to_owned(), "application/json".to_owned()),
        ];
        if is_forwarded {
            headers.push((FORWARDED.to_owned(), "1".to_owned()));
        }
        let body = serde_json::to_vec(request).map_err(|error| error.to_string())?;
        let receiver = self.receiver(remote).map_err(|error| describe_error(&error))?;
        let post = || receiver.post_until(&headers, &body, until);
        // A reused connection may be closed. Sending the request twice has no side effects.
        let posted = post().or_else(|error| match error {
            RegistryError::Unreachable { .. } => post(),
            error => Err(error),
        });
        let posted = posted.map_err(|error| describe_error(&error))?;
        match posted.status {
            200 => sound::response(&posted.body).map(|response| with_owner(response, remote)),
            401 | 403 => Err(format!("it does not take the token of `{}`", remote.token_file.display())),
            status @ 300..=399 => {
                Err(format!("it answers with {status}, and leads elsewhere: `url` is not its address"))
            }
            status => match server_message(&posted.body) {
                said if said.is_empty() => Err(format!("it answers with {status}")),
                said => Err(format!("it answers with {status}: {said}")),
            },
        }
    }
}

impl RemoteDecider for Client {
    fn ask(&self, remote: &Remote, mut request: Request, until: Instant) -> Result<Response, String> {
        let mut denied = None;
        // A deny is final, even if the server requested more facts.
        let give_up = |denied: Option<Response>, why: String| denied.ok_or(why);
        for _ in 0..ROUNDS {
            let response = match self.send(remote, &request, false, until) {
                Ok(response) => response,
                Err(why) => return give_up(denied, why),
            };
            if response.missing.is_empty() {
                return Ok(response);
            }
            let missing = response.missing.clone();
            denied = Some(response).filter(|response| response.verdict.outcome == Outcome::Deny);
            if let Err(why) = learn::learn(&missing, &mut request, &remote.grants, &self.facts, until) {
                return give_up(denied, why);
            }
        }
        give_up(denied, format!("after {ROUNDS} rounds it still asks for more of this machine"))
    }

    fn pass_on(&self, remote: &Remote, request: &Request, until: Instant) -> Result<Response, String> {
        self.send(remote, request, true, until)
    }
}

/// Formats the error for people. For certificates, it has the key that configures their authorities.
fn describe_error(error: &RegistryError) -> String {
    match error {
        RegistryError::Certificate { .. } => {
            format!("{error}; `ca` in `[remote]` names the file with its authority, if it isn't a public one")
        }
        RegistryError::Authorities { .. } => format!("{error}; `ca` in `[remote]` names this file"),
        _ => error.to_string(),
    }
}

/// Marks findings about an invalid configuration as the server's, because the user has another one.
fn with_owner(mut response: Response, remote: &Remote) -> Response {
    for found in response.verdict.findings.iter_mut().filter(|found| found.is_broken_config()) {
        found.finding.message = format!("on the server `{}`: {}", remote.url, found.finding.message);
        found.finding.remedy = "ask the administrator of the server to correct its configuration".to_owned();
    }
    response
}

/// Reads the token of a server.
fn token(remote: &Remote) -> Result<String, String> {
    let file = remote.token_file.display();
    let text = files::read_text(&remote.token_file, TOKEN_BYTES)
        .map_err(|error| format!("the token in `{file}` cannot be read: {error}"))?;
    let token = text.trim();
    match !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => Ok(token.to_owned()),
        false => Err(format!("`{file}` contains no token")),
    }
}

#[cfg(test)]
mod tests {
    use guard_config::Fallback;
    use guard_contract::grants::GrantSpec;
    use guard_contract::verdict::{Opinion, merge};
    use guard_contract::{Layer, Problem};
    use guard_facts::recorded::Missing;

    use super::*;

    #[test]
    fn a_broken_configuration_of_the_server_is_not_the_users() {
        let remote = Remote {
            url: "https://guard.example".to_owned(),
            token_file: PathBuf::new(),
            ca: None,
            timeout_ms: 1000,
            fallback: Fallback::Ask,
            grants: GrantSpec::default(),
        };
        let problem = Problem {
            layer: Layer::User,
            place: "/srv/guard.toml:1:1".to_owned(),
            text: "unknown field `x`".to_owned(),
            hint: "remove it".to_owned(),
        };
        let other = Opinion::from_host("p", "r", Outcome::Ask, "text".to_owned(), "hint".to_owned());
        let verdict = merge([Opinion::from_problem(&problem), other]);
        let response =
            with_owner(Response { verdict, reply: None, journal: Vec::new(), missing: Missing::default() }, &remote);
        let texts: Vec<(&str, &str)> = response
            .verdict
            .findings
            .iter()
            .map(|found| (found.finding.message.as_str(), found.finding.remedy.as_str()))
            .collect();
        let (message, remedy) = texts.iter().find(|(message, _)| message.contains("unknown field")).unwrap();
        assert!(message.contains("`https://guard.example`"), "{message}");
        assert_ne!(*remedy, problem.hint);
        assert!(texts.contains(&("text", "hint")), "{texts:?}");
    }

    #[test]
    fn an_error_about_certificates_names_the_key() {
        let error = RegistryError::Certificate { host: "h".to_owned(), why: "expired".to_owned() };
        assert!(describe_error(&error).contains("`ca`"));
        let error = RegistryError::Slow { host: "h".to_owned() };
        assert!(!describe_error(&error).contains("`ca`"));
    }
}

//! [`Http`]: requests that end. Every answer has a limit of bytes and every request one of time, what is asked without TLS
//! is on this machine, and a password never follows a redirect.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::RegistryError;
use crate::reference::is_local;
use crate::text::{cut, host_of};

/// How many redirects are followed.
const REDIRECTS: usize = 5;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// The connections that are kept for later requests.
const IDLE: usize = 16;

/// How a host is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// By the proxy that the environment names, if it names one.
    Usual,
    /// Without one.
    Direct,
}

/// The header with a password or a token.
pub(crate) const AUTHORIZATION: &str = "authorization";

/// The client of one host.
pub(crate) struct Http {
    agent: Agent,
    host: String,
    patience: Duration,
}

/// An answer that was read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Where the answer came from, after all redirects.
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A request.
pub(crate) struct Request<'a> {
    pub(crate) method: Method<'a>,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'a str, String)],
    /// The most bytes of the answer.
    pub(crate) most: u64,
}

/// The method, with the body.
#[derive(Clone, Copy)]
pub(crate) enum Method<'a> {
    Get,
    Post(&'a [u8]),
    Put(&'a [u8]),
}

impl Http {
    /// `patience` is the limit of a request, with its redirects and its answer.
    pub(crate) fn new(host: &str, patience: Duration) -> Self {
        // Those that this machine trusts. `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
        Http::with_roots(host, patience, &certificates(load_native_certs()), Way::Usual)
    }

    /// The same, with the authorities of this file instead of those that this machine trusts.
    pub(crate) fn with_authorities(host: &str, patience: Duration, path: &Path) -> Result<Self, RegistryError> {
        Ok(Http::with_roots(host, patience, &authorities(path)?, Way::Usual))
    }

    /// The client of a server that decides: no proxy sees what it is asked. Without TLS no certificate is read.
    pub(crate) fn direct(
        host: &str,
        patience: Duration,
        has_tls: bool,
        path: Option<&Path>,
    ) -> Result<Self, RegistryError> {
        let roots = match path {
            _ if !has_tls => Vec::new(),
            Some(path) => authorities(path)?,
            None => certificates(load_native_certs()),
        };
        Ok(Http::with_roots(host, patience, &roots, Way::Direct))
    }

    fn with_roots(host: &str, patience: Duration, roots: &[Certificate<'static>], way: Way) -> Self {
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(RootCerts::new_with_certs(roots))
            .build();
        let config = Agent::config_builder();
        // A proxy would be asked for what is on this machine, and see it.
        let is_direct = way == Way::Direct || is_local(host);
        let config = if is_direct { config.proxy(None) } else { config };
        let config = config
            .http_status_as_error(false)
            // Each is looked at before it is followed.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(IDLE)
            .timeout_connect(Some(CONNECTING.min(patience)))
            .tls_config(tls)
            .user_agent(concat!("guard-host/", env!("CARGO_PKG_VERSION")))
            .build();
        Http { agent: config.into(), host: host.to_owned(), patience }
    }

    /// Only a registry on this machine is asked without TLS, and leads to others here.
    pub(crate) fn may_ask(&self, url: &str) -> bool {
        url.starts_with("https://") || is_local(&self.host) && is_local(host_of(url))
    }

    /// Sends a request and reads the whole answer. Requests that only read may be redirected.
    pub(crate) fn send(&self, request: &Request<'_>) -> Result<Answer, RegistryError> {
        self.send_until(request, Instant::now() + self.patience)
    }

    /// The same, where the request has to be over by then.
    pub(crate) fn send_until(&self, request: &Request<'_>, end: Instant) -> Result<Answer, RegistryError> {
        let mut answer = self.once(request, request.url.to_owned(), request.headers, end)?;
        for _ in 0..REDIRECTS {
            let place = answer.headers.get("location").and_then(|value| value.to_str().ok());
            let (Method::Get, true, Some(place)) = (request.method, answer.status.is_redirection(), place) else {
                return Ok(answer);
            };
            let url = from(&answer.url, place);
            let headers: Vec<_> = request.headers.iter().filter(|(name, _)| *name != AUTHORIZATION).cloned().collect();
            answer = self.once(request, url, &headers, end)?;
        }
        let why = "it leads from one address to the next".to_owned();
        Err(RegistryError::Unreachable { host: self.host.clone(), why })
    }

    fn once(
        &self,
        request: &Request<'_>,
        url: String,
        headers: &[(&str, String)],
        end: Instant,
    ) -> Result<Answer, RegistryError> {
        if !self.may_ask(&url) {
            return Err(RegistryError::NoTls { url: cut(&url) });
        }
        let fail = |error: ureq::Error| self.explained(error, request);
        let left = Some(end.saturating_duration_since(Instant::now()));
        let answer = match request.method {
            Method::Get => with(self.agent.get(&url), headers).config().timeout_global(left).build().call(),
            Method::Post(body) => with(self.agent.post(&url), headers).config().timeout_global(left).build().send(body),
            Method::Put(body) => with(self.agent.put(&url), headers).config().timeout_global(left).build().send(body),
        };
        let mut answer = answer.map_err(fail)?;
        let body = answer.body_mut().with_config().limit(request.most).read_to_vec().map_err(fail)?;
        Ok(Answer { status: answer.status(), url, headers: answer.headers().clone(), body })
    }

    fn explained(&self, error: ureq::Error, request: &Request<'_>) -> RegistryError {
        let host = self.host.clone();
        match error {
            ureq::Error::BodyExceedsLimit(_) => {
                RegistryError::TooLarge { what: request.url.to_owned(), most: request.most }
            }
            ureq::Error::Timeout(_) => RegistryError::Slow { host },
            error if is_certificate(&error) => RegistryError::Certificate { host, why: error.to_string() },
            error => RegistryError::Unreachable { host, why: error.to_string() },
        }
    }
}

/// The other end has a certificate that does not count.
fn is_certificate(error: &ureq::Error) -> bool {
    let found = match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
        _ => None,
    };
    matches!(found, Some(rustls::Error::InvalidCertificate(_)))
}

/// Where `place` leads to from `url`: it is whole, or begins at the root of the host.
fn from(url: &str, place: &str) -> String {
    match url.split_once("://") {
        Some((scheme, _)) if place.starts_with("//") => format!("{scheme}:{place}"),
        Some((scheme, _)) if place.starts_with('/') => format!("{scheme}://{}{place}", host_of(url)),
        _ => place.to_owned(),
    }
}

fn with<B>(request: ureq::RequestBuilder<B>, headers: &[(&str, String)]) -> ureq::RequestBuilder<B> {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
}

/// The certificates of a file.
fn authorities(path: &Path) -> Result<Vec<Certificate<'static>>, RegistryError> {
    let mut found = load_certs_from_paths(Some(path), None);
    let why = found.errors.pop().map(|error| format!(": {error}")).unwrap_or_default();
    if found.certs.is_empty() {
        return Err(RegistryError::Authorities { path: path.display().to_string(), why });
    }
    Ok(certificates(found))
}

fn certificates(found: CertificateResult) -> Vec<Certificate<'static>> {
    found.certs.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect()
}

//! [`Http`]: bounded HTTP requests. Response sizes and request times are limited, connections without TLS are only made
//! to this machine, and a password is never sent along a redirect.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustls_native_certs::{CertificateResult, load_certs_from_paths, load_native_certs};
use ureq::Agent;
use ureq::http::{HeaderMap, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

use super::RegistryError;
use crate::reference::is_local;
use crate::text::{cut, url_host};

/// The maximum number of redirects.
const REDIRECTS: usize = 5;

/// The time limit for connecting.
const CONNECTING: Duration = Duration::from_secs(10);

/// The maximum number of idle connections.
const IDLE: usize = 16;

/// The route to a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Through the proxy in the environment variables, if any.
    Usual,
    /// Without a proxy.
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

/// A response with its whole body.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// The URL of the response, after redirects.
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// A request.
pub(crate) struct Request<'a> {
    pub(crate) method: Method<'a>,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'a str, String)],
    /// The maximum size of the response in bytes.
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
    /// Creates a client. `patience` limits a request, including redirects and reading the response.
    pub(crate) fn new(host: &str, patience: Duration) -> Self {
        // The machine's trusted certificates, or those in `SSL_CERT_FILE` and `SSL_CERT_DIR`.
        Http::with_roots(host, patience, &certificates(load_native_certs()), Way::Usual)
    }

    /// Like `new`, but trusts the certificates in this file instead of the machine's.
    pub(crate) fn with_authorities(host: &str, patience: Duration, path: &Path) -> Result<Self, RegistryError> {
        Ok(Http::with_roots(host, patience, &authorities(path)?, Way::Usual))
    }

    /// Creates a client for a guard server, without a proxy, so that no proxy sees the requests. Without TLS, no
    /// certificates are read.
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
        // Requests to this machine must not go through a proxy.
        let is_direct = way == Way::Direct || is_local(host);
        let config = if is_direct { config.proxy(None) } else { config };
        let config = config
            .http_status_as_error(false)
            // Redirects are checked before they are followed.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections_per_host(IDLE)
            .timeout_connect(Some(CONNECTING.min(patience)))
            .tls_config(tls)
            .user_agent(concat!("guard-host/", env!("CARGO_PKG_VERSION")))
            .build();
        Http { agent: config.into(), host: host.to_owned(), patience }
    }

    /// Returns whether a request to this URL is permitted: without TLS, only to this machine.
    pub(crate) fn may_ask(&self, url: &str) -> bool {
        url.starts_with("https://") || is_local(&self.host) && is_local(url_host(url))
    }

    /// Sends a request and reads the whole response. Follows redirects for requests that only read.
    pub(crate) fn send(&self, request: &Request<'_>) -> Result<Answer, RegistryError> {
        self.send_until(request, Instant::now() + self.patience)
    }

    /// Like `send`, with a deadline.
    pub(crate) fn send_until(&self, request: &Request<'_>, end: Instant) -> Result<Answer, RegistryError> {
        let mut answer = self.send_once(request, request.url.to_owned(), request.headers, end)?;
        for _ in 0..REDIRECTS {
            let place = answer.headers.get("location").and_then(|value| value.to_str().ok());
            let (Method::Get, true, Some(place)) = (request.method, answer.status.is_redirection(), place) else {
                return Ok(answer);
            };
            let url = from(&answer.url, place);
            let headers: Vec<_> = request.headers.iter().filter(|(name, _)| *name != AUTHORIZATION).cloned().collect();
            answer = self.send_once(request, url, &headers, end)?;
        }
        let why = "it leads from one address to the next".to_owned();
        Err(RegistryError::Unreachable { host: self.host.clone(), why })
    }

    fn send_once(
        &self,
        request: &Request<'_>,
        url: String,
        headers: &[(&str, String)],
        end: Instant,
    ) -> Result<Answer, RegistryError> {
        if !self.may_ask(&url) {
            return Err(RegistryError::NoTls { url: cut(&url) });
        }
        let fail = |error: ureq::Error| self.explain_error(error, request);
        let left = Some(end.saturating_duration_since(Instant::now()));
        let answer = match request.method {
            Method::Get => add_headers(self.agent.get(&url), headers).config().timeout_global(left).build().call(),
            Method::Post(body) => {
                add_headers(self.agent.post(&url), headers).config().timeout_global(left).build().send(body)
            }
            Method::Put(body) => {
                add_headers(self.agent.put(&url), headers).config().timeout_global(left).build().send(body)
            }
        };
        let mut answer = answer.map_err(fail)?;
        let body = answer.body_mut().with_config().limit(request.most).read_to_vec().map_err(fail)?;
        Ok(Answer { status: answer.status(), url, headers: answer.headers().clone(), body })
    }

    fn explain_error(&self, error: ureq::Error, request: &Request<'_>) -> RegistryError {
        let host = self.host.clone();
        match error {
            ureq::Error::BodyExceedsLimit(_) => {
                RegistryError::TooLarge { what: request.url.to_owned(), most: request.most }
            }
            ureq::Error::Timeout(_) => RegistryError::Slow { host },
            error if is_certificate(&error) => RegistryError::Certificate { host, why: describe(&error) },
            error => RegistryError::Unreachable { host, why: error.to_string() },
        }
    }
}

/// Describes an untrusted certificate. The library has only a debug form for a server with an authority's certificate.
fn describe(error: &ureq::Error) -> String {
    let text = error.to_string();
    match text.contains("CaUsedAsEndEntity") {
        true => "it is the certificate of an authority, not of a server".to_owned(),
        false => text,
    }
}

/// Returns whether the error is an untrusted certificate.
fn is_certificate(error: &ureq::Error) -> bool {
    let found = match error {
        ureq::Error::Rustls(error) => Some(error),
        ureq::Error::Io(error) => error.get_ref().and_then(|inner| inner.downcast_ref()),
        _ => None,
    };
    matches!(found, Some(rustls::Error::InvalidCertificate(_)))
}

/// Resolves `place`, an absolute URL or a path from the host's root, relative to `url`.
fn from(url: &str, place: &str) -> String {
    match url.split_once("://") {
        Some((scheme, _)) if place.starts_with("//") => format!("{scheme}:{place}"),
        Some((scheme, _)) if place.starts_with('/') => format!("{scheme}://{}{place}", url_host(url)),
        _ => place.to_owned(),
    }
}

fn add_headers<B>(request: ureq::RequestBuilder<B>, headers: &[(&str, String)]) -> ureq::RequestBuilder<B> {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
}

/// Reads the certificates in a file.
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

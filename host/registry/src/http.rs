//! [`Http`]: requests that end. Every answer has a limit of bytes and every request one of time, a redirect leads from TLS
//! to TLS only, and a password never follows a redirect.

use std::sync::Arc;
use std::time::Duration;

use ureq::http::{HeaderMap, Response, StatusCode};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::{Agent, Body, ResponseExt};

use super::RegistryError;
use crate::reference::is_local;

/// How many redirects are followed.
const REDIRECTS: u32 = 5;

/// How long a connection may take to be made.
const CONNECTING: Duration = Duration::from_secs(10);

/// The client of one host.
pub(crate) struct Http {
    agent: Agent,
    host: String,
}

/// An answer that was read whole.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    /// Where the answer came from, after all redirects.
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

/// What is sent.
pub(crate) struct Request<'a> {
    pub(crate) method: Method<'a>,
    pub(crate) url: &'a str,
    pub(crate) headers: &'a [(&'static str, String)],
    /// The most bytes of the answer.
    pub(crate) most: u64,
}

/// How it is sent.
#[derive(Clone, Copy)]
pub(crate) enum Method<'a> {
    Get,
    Post(&'a [u8]),
    Put(&'a [u8]),
}

impl Http {
    /// `patience` is the limit of a request, its answer included.
    pub(crate) fn new(host: &str, patience: Duration) -> Self {
        // Only a registry on this machine is asked without TLS.
        let is_local = is_local(host);
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .root_certs(RootCerts::new_with_certs(&roots()))
            .build();
        let config = Agent::config_builder();
        // A proxy would be asked for what is on this machine, and see it.
        let config = if is_local { config.proxy(None) } else { config };
        let config = config
            .http_status_as_error(false)
            .https_only(!is_local)
            .max_redirects(REDIRECTS)
            .timeout_connect(Some(CONNECTING.min(patience)))
            .timeout_global(Some(patience))
            .tls_config(tls)
            .user_agent(concat!("guard-host/", env!("CARGO_PKG_VERSION")))
            .build();
        Http { agent: config.into(), host: host.to_owned() }
    }

    /// Sends a request and reads the answer whole.
    pub(crate) fn send(&self, request: &Request<'_>) -> Result<Answer, RegistryError> {
        let fail = |error: ureq::Error| self.explained(error, request);
        let answer = match request.method {
            Method::Get => with(self.agent.get(request.url), request.headers).call(),
            Method::Post(body) => with(self.agent.post(request.url), request.headers).send(body),
            Method::Put(body) => with(self.agent.put(request.url), request.headers).send(body),
        };
        let mut answer: Response<Body> = answer.map_err(fail)?;
        let body = answer.body_mut().with_config().limit(request.most).read_to_vec().map_err(fail)?;
        let url = answer.get_uri().to_string();
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
            ureq::Error::RequireHttpsOnly(url) => RegistryError::NoTls { url },
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

fn with<B>(request: ureq::RequestBuilder<B>, headers: &[(&'static str, String)]) -> ureq::RequestBuilder<B> {
    headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
}

/// The authorities that this machine trusts. `SSL_CERT_FILE` and `SSL_CERT_DIR` name others.
fn roots() -> Vec<Certificate<'static>> {
    let found = rustls_native_certs::load_native_certs().certs;
    found.iter().map(|certificate| Certificate::from_der(certificate).to_owned()).collect()
}

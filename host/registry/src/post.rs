//! [`Receiver`]: a URL to which data is posted.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::RegistryError;
use crate::http::{Answer, Http, Method, Request};
use crate::text::{cut, url_host};

/// The maximum size of a response in bytes.
const ANSWER_BYTES: u64 = 1 << 20;

/// A URL to which data is posted. Without TLS, it must be on this machine.
pub struct Receiver {
    http: Http,
    url: String,
}

/// A receiver's response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// The status code.
    pub status: u16,
    /// The header `Retry-After`, unparsed.
    pub retry_after: Option<String>,
    /// The header `Content-Type`, or empty.
    pub content_type: String,
    /// The body.
    pub body: Vec<u8>,
}

impl std::fmt::Debug for Receiver {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Receiver").field("url", &self.url).finish_non_exhaustive()
    }
}

impl Receiver {
    /// Creates a receiver. `patience` limits each request. `authorities` is a PEM file of certificates to trust instead
    /// of the system's.
    ///
    /// # Errors
    ///
    /// The address has no TLS and isn't on this machine, or the file contains no certificate.
    pub fn new(url: &str, patience: Duration, authorities: Option<&Path>) -> Result<Self, RegistryError> {
        let host = url_host(url);
        let http = match authorities {
            Some(path) => Http::with_authorities(host, patience, path)?,
            None => Http::new(host, patience),
        };
        if !http.may_ask(url) {
            return Err(RegistryError::NoTls { url: cut(url) });
        }
        Ok(Receiver { http, url: url.to_owned() })
    }

    /// Creates a receiver that is contacted without a proxy.
    ///
    /// # Errors
    ///
    /// Those of [`Receiver::new`].
    pub fn direct(url: &str, patience: Duration, authorities: Option<&Path>) -> Result<Self, RegistryError> {
        let http = Http::direct(url_host(url), patience, url.starts_with("https://"), authorities)?;
        if !http.may_ask(url) {
            return Err(RegistryError::NoTls { url: cut(url) });
        }
        Ok(Receiver { http, url: url.to_owned() })
    }

    /// Posts a body and reads the whole response, with any status. Doesn't follow redirects.
    ///
    /// # Errors
    ///
    /// There is no response, or it is too large.
    pub fn post(&self, headers: &[(String, String)], body: &[u8]) -> Result<Posted, RegistryError> {
        self.post_by(headers, body, |request| self.http.send(request))
    }

    /// Like `post`, with a deadline.
    ///
    /// # Errors
    ///
    /// Those of [`Receiver::post`].
    pub fn post_until(&self, headers: &[(String, String)], body: &[u8], end: Instant) -> Result<Posted, RegistryError> {
        self.post_by(headers, body, |request| self.http.send_until(request, end))
    }

    fn post_by(
        &self,
        headers: &[(String, String)],
        body: &[u8],
        send: impl Fn(&Request<'_>) -> Result<Answer, RegistryError>,
    ) -> Result<Posted, RegistryError> {
        let headers: Vec<(&str, String)> = headers.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
        let request = Request { method: Method::Post(body), url: &self.url, headers: &headers, most: ANSWER_BYTES };
        let answer = send(&request)?;
        let header = |name: &str| answer.headers.get(name).and_then(|value| value.to_str().ok());
        Ok(Posted {
            status: answer.status.as_u16(),
            retry_after: header("retry-after").map(str::to_owned),
            content_type: header("content-type").unwrap_or_default().to_owned(),
            body: answer.body,
        })
    }
}

/// Returns a receiver's message, shortened and without invisible characters.
#[must_use]
pub fn server_message(body: &[u8]) -> String {
    cut(String::from_utf8_lossy(body).trim())
}

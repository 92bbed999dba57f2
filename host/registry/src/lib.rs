//! Clients for other machines: policies and configurations in registries, their signatures, downloads, and receivers of
//! posted data.
//!
//! Policies use the layout of the WebAssembly tools: an OCI image manifest with one layer `application/wasm` and a
//! configuration `application/vnd.wasm.config.v0+json`. Signatures are attached in the way that cosign does with a key.
//!
//! # Invariants
//!
//! - The hook doesn't depend on this crate. A separate process contacts the server of a `[remote]`.
//! - Returned content has the digest in its manifest, and the manifest has the requested digest.
//! - Response sizes and request times are limited.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod client;
mod credentials;
mod files;
mod http;
mod post;
mod reference;
mod signature;
mod text;

pub use client::{Annotations, Pulled, Registry, download};
pub use files::{NamedFile, Offer};
pub use post::{Posted, Receiver, server_message};
pub use reference::{Reference, ReferenceError};
pub use signature::{KeyError, PublicKey, SecretKey, Signature};

use guard_contract::exit::Exit;

/// The reason why a request to a registry failed.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// There is no connection, or it broke.
    #[error("`{host}` cannot be reached: {why}")]
    Unreachable {
        /// The registry.
        host: String,
        /// The library's message.
        why: String,
    },
    /// The server's certificate isn't trusted.
    #[error("the certificate of `{host}` isn't valid: {why}")]
    Certificate {
        /// The registry.
        host: String,
        /// The library's message.
        why: String,
    },
    /// The request took too long.
    #[error("`{host}` did not answer in time")]
    Slow {
        /// The registry.
        host: String,
    },
    /// The file of trusted certificates can't be read.
    #[error("no certificate authority can be read from `{path}`{why}")]
    Authorities {
        /// The file.
        path: String,
        /// The library's message after a colon, or nothing.
        why: String,
    },
    /// The address has no TLS and is on another machine.
    #[error("`{url}` has no TLS")]
    NoTls {
        /// The address.
        url: String,
    },
    /// The response is too large.
    #[error("`{what}` is larger than {most} bytes")]
    TooLarge {
        /// The requested object.
        what: String,
        /// The limit, in bytes.
        most: u64,
    },
    /// The registry requires a password, or rejected the one sent.
    #[error("`{host}` does not let you in{}", why.map(|why| format!(": {why}")).unwrap_or_default())]
    Denied {
        /// The registry.
        host: String,
        /// The reason why there is no password for it.
        why: Option<&'static str>,
    },
    /// The registry has no such object.
    #[error("there is no `{0}`")]
    Missing(String),
    /// The registry responded with an error.
    #[error("`{host}` answers with {status}{text}")]
    Failed {
        /// The registry.
        host: String,
        /// The status code.
        status: u16,
        /// The registry's message after a colon, or nothing.
        text: String,
    },
    /// The content doesn't match its digest.
    #[error("`{what}` has the digest {found}, not {wanted}")]
    Digest {
        /// The requested object.
        what: String,
        /// The actual digest.
        found: String,
        /// The expected digest.
        wanted: String,
    },
    /// The content isn't a policy.
    #[error("`{what}` isn't a policy: {why}")]
    NoPolicy {
        /// The requested object.
        what: String,
        /// The reason.
        why: String,
    },
    /// The content isn't a configuration.
    #[error("`{what}` isn't a configuration: {why}")]
    NoConfiguration {
        /// The requested object.
        what: String,
        /// The reason.
        why: String,
    },
}

impl RegistryError {
    /// Returns the hint for people.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            RegistryError::Unreachable { .. } => {
                "check the name and the network; policies that were fetched go on to work"
            }
            RegistryError::Certificate { .. } => "`SSL_CERT_FILE` names a file with certificate authorities, in PEM",
            RegistryError::Authorities { .. } => "give a file with certificates in PEM",
            RegistryError::Slow { .. } => "try again later, or give more time with `--timeout`",
            RegistryError::NoTls { .. } => "only a registry on this machine is asked without TLS",
            RegistryError::TooLarge { .. } => "nothing was written: this isn't a policy, or its registry is broken",
            RegistryError::Denied { .. } => {
                "sign in with `docker login`, or an equal tool that writes ~/.docker/config.json"
            }
            RegistryError::Missing(_) => {
                "check the name and the tag; `guard-host policy search HOST` lists what is there"
            }
            RegistryError::Failed { .. } => "nothing was written",
            RegistryError::Digest { .. } => "nothing was written; the registry or the connection is not to be trusted",
            RegistryError::NoPolicy { .. } => {
                "push it with `guard-host policy push`, or as a WASM component with `wkg oci push`"
            }
            RegistryError::NoConfiguration { .. } => "push it with `guard-host sync push`",
        }
    }

    /// Returns the exit code for a command that fails with this error.
    #[must_use]
    pub fn exit(&self) -> Exit {
        match self {
            RegistryError::Missing(_) => Exit::NoInput,
            RegistryError::TooLarge { .. }
            | RegistryError::Digest { .. }
            | RegistryError::NoPolicy { .. }
            | RegistryError::NoConfiguration { .. } => Exit::Data,
            RegistryError::Authorities { .. } => Exit::Config,
            _ => Exit::Unavailable,
        }
    }
}

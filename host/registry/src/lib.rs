//! Policies from registries and from the web, configurations of many machines, and their signatures; and what is posted to
//! other machines.
//!
//! The layout is the one on which the WASM tools agree: an OCI image manifest with one layer `application/wasm` and a
//! configuration `application/vnd.wasm.config.v0+json`. A signature is attached as cosign does it with a key.
//!
//! # Invariants
//!
//! - The hook does not depend on this crate: a process of its own asks the server of a `[remote]`.
//! - What is given out has the digest that its manifest names, and the manifest the one that was asked for.
//! - Every answer has a limit of bytes, every request a limit of time.

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

/// Why a registry gave no policy, or took none.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// No connection, or it broke.
    #[error("`{host}` cannot be reached: {why}")]
    Unreachable {
        /// The registry.
        host: String,
        /// The library's message.
        why: String,
    },
    /// Its certificate does not count here.
    #[error("the certificate of `{host}` isn't valid: {why}")]
    Certificate {
        /// The registry.
        host: String,
        /// The library's message.
        why: String,
    },
    /// It took too long.
    #[error("`{host}` did not answer in time")]
    Slow {
        /// The registry.
        host: String,
    },
    /// The authorities that should count cannot be read.
    #[error("no certificate authority can be read from `{path}`{why}")]
    Authorities {
        /// The file.
        path: String,
        /// The library's message after a colon, or nothing.
        why: String,
    },
    /// It leads to an address without TLS.
    #[error("`{url}` has no TLS")]
    NoTls {
        /// The address.
        url: String,
    },
    /// It sends more than it may.
    #[error("`{what}` is larger than {most} bytes")]
    TooLarge {
        /// The requested object.
        what: String,
        /// The limit.
        most: u64,
    },
    /// It wants a password, or another one.
    #[error("`{host}` does not let you in{}", why.map(|why| format!(": {why}")).unwrap_or_default())]
    Denied {
        /// The registry.
        host: String,
        /// Why there is no password for it.
        why: Option<&'static str>,
    },
    /// It has no such thing.
    #[error("there is no `{0}`")]
    Missing(String),
    /// It answers with an error.
    #[error("`{host}` answers with {status}{text}")]
    Failed {
        /// The registry.
        host: String,
        /// The code.
        status: u16,
        /// The registry's message after a colon, or nothing.
        text: String,
    },
    /// The content doesn't match its digest.
    #[error("`{what}` has the digest {found}, not {wanted}")]
    Digest {
        /// The requested object.
        what: String,
        /// The digest of what came.
        found: String,
        /// The digest that it must have.
        wanted: String,
    },
    /// The content is no policy.
    #[error("`{what}` isn't a policy: {why}")]
    NoPolicy {
        /// The requested object.
        what: String,
        /// Why not.
        why: String,
    },
    /// The content is no configuration.
    #[error("`{what}` isn't a configuration: {why}")]
    NoConfiguration {
        /// The requested object.
        what: String,
        /// Why not.
        why: String,
    },
}

impl RegistryError {
    /// The fix.
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

    /// How a command ends that meets it.
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

//! [`Error`]: the reason why a policy can't decide.

use std::fmt;

use crate::Fault;

/// The reason why a policy can't decide, as text for people. The host treats it as a fault of the policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl From<&str> for Error {
    fn from(text: &str) -> Self {
        Error(text.to_owned())
    }
}

impl From<String> for Error {
    fn from(text: String) -> Self {
        Error(text)
    }
}

/// Converts a fault of the host, so that `?` propagates it.
impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Error(
            match fault {
                Fault::Absent => "there is no such file, variable or session",
                Fault::Denied => "the configuration does not grant it",
                Fault::TooLarge => "it is larger than the host hands out",
                Fault::NotText => "it is not UTF-8 text",
                Fault::Failed => "the host cannot read it",
            }
            .to_owned(),
        )
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Error(error.to_string())
    }
}

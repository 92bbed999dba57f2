//! The user's passwords, as stored by `docker login`.

use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use docker_credential::{CredentialRetrievalError, DockerCredential, get_credential};

/// Returns the user name and password for a registry, or the reason why there are none. A credential helper may take as
/// long as a request.
pub(crate) fn find_credentials(host: &str, patience: Duration) -> Result<(String, String), &'static str> {
    let (sender, found) = channel();
    let host = host.to_owned();
    // A helper that hangs keeps its thread until the process ends.
    thread::spawn(move || sender.send(get_credential(&host)));
    match found.recv_timeout(patience).map_err(|_| "the helper that keeps its password did not answer in time")? {
        Ok(DockerCredential::UsernamePassword(user, password)) => Ok((user, password)),
        Ok(DockerCredential::IdentityToken(_)) => {
            Err("config.json has an identity token for it, and only passwords are known here")
        }
        Err(CredentialRetrievalError::NoCredentialConfigured) => Err("no password for it is in config.json"),
        Err(CredentialRetrievalError::ConfigNotFound | CredentialRetrievalError::ConfigReadError) => {
            Err("config.json is missing, or cannot be read")
        }
        Err(CredentialRetrievalError::CredentialDecodingError) => Err("its password in config.json cannot be read"),
        Err(_) => Err("the helper that keeps its password has none, or failed"),
    }
}

//! Fetched policies: their source, signatures and storage.

use std::io;
use std::path::Path;
use std::time::Duration;

use crate::cli::print;
use crate::cli::subject::{exit_error, write_error};
use guard_config::lock::{Lock, LockedComponent, fetched};
use guard_config::{Config, Signer, signers};
use guard_contract::exit::Exit;
use guard_contract::policy::Source;
use guard_hook::cache::Component;
use guard_registry::{PublicKey, Reference, Registry, RegistryError, Signature, download};
use guard_state::{AppDirs, write_lasting, write_new};

/// A fetched component.
pub(super) struct Fetched {
    pub(super) component: Component,
    /// The digest of its manifest, if it comes from a registry.
    pub(super) digest: Option<String>,
    /// The known signers with valid signatures.
    pub(super) signers: Vec<Signer>,
}

/// Fetches the component at an address. Nothing is written.
pub(super) fn fetch(address: &str, signers: &[Signer], patience: Duration) -> anyhow::Result<Fetched> {
    if print::shows_progress() {
        print::note(&format!("fetching {address}"));
    }
    let (reference, pulled, signatures) = match address.split_once("://") {
        Some(("https", rest)) => {
            if rest.split(['/', '?', '#']).next().is_some_and(|host| host.contains('@')) {
                let text = "an address must not hold a password: guard.toml and guard.lock are read by others";
                return Err(exit_error(Exit::Usage, text, "leave out the part before the `@`"));
            }
            (None, download(address, patience).map_err(registry_error)?, Vec::new())
        }
        Some(("file", path)) => {
            if !path.starts_with('/') {
                let text = format!("`{address}` does not name one place");
                return Err(exit_error(
                    Exit::Usage,
                    text,
                    "write file:// and an absolute path, as in file:///srv/policies/x.wasm",
                ));
            }
            let component = Component::read(&Source::File(path.into()));
            let component = component.map_err(|fault| exit_error(Exit::NoInput, fault.to_string(), ""))?;
            return Ok(Fetched { component, digest: None, signers: Vec::new() });
        }
        _ => {
            let reference = reference(address)?;
            let mut registry = Registry::open(&reference.host, patience).map_err(registry_error)?;
            let pulled = registry.pull(&reference).map_err(registry_error)?;
            let digest = pulled.digest.as_deref().unwrap_or_default();
            let signatures = registry.signatures(&reference, digest).map_err(registry_error)?;
            (Some(reference), pulled, signatures)
        }
    };
    let digest = pulled.digest.unwrap_or_default();
    let is_signer = |signer: &&Signer| {
        reference.as_ref().is_some_and(|reference| has_signed(signer, reference, &digest, &signatures))
    };
    let signers = signers.iter().filter(is_signer).cloned().collect();
    let digest = Some(digest).filter(|digest| !digest.is_empty());
    Ok(Fetched { component: Component::from_bytes(pulled.wasm), digest, signers })
}

/// Returns whether the signer has signed the target of a reference.
pub(in crate::cli) fn has_signed(
    signer: &Signer,
    reference: &Reference,
    digest: &str,
    signatures: &[Signature],
) -> bool {
    let Ok(key) = PublicKey::parse(&signer.key) else { return false };
    signatures.iter().any(|signature| key.has_signed(reference, digest, signature))
}

/// Parses an address in a registry.
pub(in crate::cli) fn reference(address: &str) -> anyhow::Result<Reference> {
    let hint = "such as oci://ghcr.io/acme/no-force:1.2.0";
    Reference::parse(address).map_err(|error| exit_error(Exit::Usage, error.to_string(), hint))
}

/// Converts a registry's error, with its hint.
pub(in crate::cli) fn registry_error(error: RegistryError) -> anyhow::Error {
    exit_error(error.exit(), error.to_string(), error.hint())
}

impl Fetched {
    /// Returns its entry in the lock. A signed policy can't be replaced by one without that signer's signature, and a
    /// policy that the configuration would reject is an error.
    pub(super) fn to_locked(
        &self,
        name: &str,
        source: &str,
        version: &str,
        before: Option<&LockedComponent>,
        (config, dirs): (&Config, &AppDirs),
    ) -> anyhow::Result<LockedComponent> {
        let is_wanted = |wanted: &Vec<Signer>| !wanted.iter().any(|signer| self.signers.contains(signer));
        if config.signed_only.iter().any(is_wanted) {
            let text = format!("`{source}` has no signature of a signer, and `signed-only` is set");
            let hint = "ask its authors for one; `signers` in `[trust]` must hold their key";
            return Err(exit_error(Exit::Data, text, hint));
        }
        let keys = before.map(|before| signers::keys(dirs, &before.sha256)).unwrap_or_default();
        // If the signer was unknown when the policy was added, the lock doesn't contain the signer.
        let seen = || config.signers.iter().find(|signer| keys.contains(&signer.key)).map(|signer| signer.name.clone());
        let signer = match before.and_then(|before| before.signer.clone()).or_else(seen) {
            None => self.signers.first().map(|signer| signer.name.clone()),
            Some(signer) if self.signers.iter().any(|other| other.name == signer) => Some(signer),
            Some(signer) => {
                let text =
                    format!("`{name}` was signed by `{signer}`, and no known signature of theirs is on {source}");
                let hint = "`signers` in `[trust]` must hold their key; to take it from others, remove the policy and add it again";
                return Err(exit_error(Exit::Data, text, hint));
            }
        };
        Ok(LockedComponent {
            name: name.to_owned(),
            source: source.to_owned(),
            version: version.to_owned(),
            digest: self.digest.clone(),
            sha256: self.component.sha256.clone(),
            signer,
        })
    }

    /// Saves the component next to the guard.toml, and its signatures in the state folder.
    pub(super) fn save(&self, locked: &LockedComponent, config: &Path, dirs: &AppDirs) -> anyhow::Result<()> {
        let folder = fetched(config);
        if std::fs::symlink_metadata(&folder).is_ok_and(|data| data.is_symlink()) {
            let text = format!("`{}` is a link, and nothing is written where it leads", folder.display());
            return Err(exit_error(Exit::Unavailable, text, "remove the link"));
        }
        std::fs::create_dir_all(&folder).map_err(|error| write_error(&folder, &error))?;
        let file = locked.component(config);
        let wasm = self.component.wasm(guard_builtins::component)?;
        // Users who want to commit the components can empty this file.
        let ignore = folder.join(".gitignore");
        let ignored = if ignore.exists() { Ok(()) } else { write_new(&ignore, b"*\n", 0o644) };
        ignored.and_then(|()| write_new(&file, &wasm, 0o644)).map_err(|error| write_error(&file, &error))?;
        for signer in &self.signers {
            signers::remember(dirs, &self.component.sha256, &signer.key)?;
        }
        Ok(())
    }
}

/// Reads the lock of a guard.toml.
pub(super) fn lock(config: &Path) -> anyhow::Result<Lock> {
    let file = Lock::file(config);
    let hint = "correct it, or remove it and add its policies again";
    Lock::read(&file).map_err(|text| exit_error(Exit::Config, format!("`{}`: {text}", file.display()), hint))
}

/// Writes the lock of a guard.toml. An empty lock is removed.
pub(super) fn write(lock: Lock, config: &Path) -> anyhow::Result<()> {
    let file = Lock::file(config);
    let failed = |error: io::Error| write_error(&file, &error);
    if lock.policy.is_empty() {
        return match std::fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(failed(error)),
            _ => Ok(()),
        };
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(folder).map_err(failed)?;
    write_lasting(&file, lock.text()?.as_bytes(), 0o644).map_err(failed)
}

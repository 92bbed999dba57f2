//! Configurations in a registry: several small files and components under one digest.

use serde_json::json;

use super::RegistryError;
use crate::client::{Annotations, Descriptor, MANIFEST, Manifest, Registry, descriptor, sha256_digest};
use crate::reference::Reference;
use guard_contract::COMPONENT_BYTES;

/// The artifact type. The contents of its config blob don't matter.
const KIND: &str = "application/vnd.guard-host.configuration.v1+json";

/// The media type of each layer.
const FILE: &str = "application/octet-stream";

/// The annotation with a layer's file name.
const TITLE: &str = "org.opencontainers.image.title";

/// The maximum number of files of a configuration, and their maximum total size.
const FILES: usize = 256;
const ALL_BYTES: u64 = 512 << 20;

/// A configuration whose files haven't been fetched yet.
#[derive(Debug)]
pub struct Offer {
    /// The digest of the manifest, `sha256:` and 64 digits.
    pub digest: String,
    /// The manifest's annotations.
    pub annotations: Annotations,
    layers: Vec<Descriptor>,
}

/// A file's name in the configuration, and its bytes.
pub type NamedFile = (String, Vec<u8>);

impl Offer {
    /// Returns whether the configuration has a file with this name and these bytes.
    #[must_use]
    pub fn contains_file(&self, name: &str, bytes: &[u8]) -> bool {
        let digest = sha256_digest(bytes);
        self.layers
            .iter()
            .any(|layer| layer.digest == digest && layer.annotations.get(TITLE).is_some_and(|of| of == name))
    }
}

impl Registry {
    /// Fetches the manifest of the configuration that a reference identifies.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn offer(&mut self, reference: &Reference) -> Result<Offer, RegistryError> {
        let (digest, manifest) = self.manifest(reference)?;
        let no = |why: String| RegistryError::NoConfiguration { what: reference.to_string(), why };
        if manifest.config.media_type != KIND {
            return Err(no("it is something else".to_owned()));
        }
        if manifest.layers.len() > FILES {
            return Err(no(format!("it has more than {FILES} files")));
        }
        let bytes = manifest.layers.iter().try_fold(0_u64, |sum, layer| sum.checked_add(layer.size));
        if bytes.is_none_or(|bytes| bytes > ALL_BYTES) {
            return Err(RegistryError::TooLarge { what: reference.to_string(), most: ALL_BYTES });
        }
        Ok(Offer { digest, annotations: manifest.annotations, layers: manifest.layers })
    }

    /// Fetches a configuration's files, and checks their digests.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn files(&mut self, reference: &Reference, offer: &Offer) -> Result<Vec<NamedFile>, RegistryError> {
        let mut files = Vec::new();
        for layer in &offer.layers {
            let Some(name) = layer.annotations.get(TITLE) else {
                let why = "a file of it has no name".to_owned();
                return Err(RegistryError::NoConfiguration { what: reference.to_string(), why });
            };
            files.push((name.clone(), self.blob(reference, layer, COMPONENT_BYTES as u64)?));
        }
        Ok(files)
    }

    /// Uploads a configuration, and returns its manifest's digest. The same files with the same annotations have the
    /// same digest. `sign` is called with the digest before the tag is set.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn push_files(
        &mut self,
        reference: &Reference,
        files: &[NamedFile],
        annotations: Annotations,
        sign: impl FnOnce(&mut Self, &str) -> Result<(), RegistryError>,
    ) -> Result<String, RegistryError> {
        let named = |(name, bytes): &NamedFile| Descriptor {
            annotations: Annotations::from([(TITLE.to_owned(), name.clone())]),
            ..descriptor(FILE, bytes)
        };
        let config = json!({}).to_string();
        let manifest = Manifest {
            schema_version: 2,
            media_type: MANIFEST.to_owned(),
            config: descriptor(KIND, config.as_bytes()),
            layers: files.iter().map(named).collect(),
            annotations,
        };
        let bytes = serde_json::to_vec(&manifest).map_err(|error| self.decode_error(&error))?;
        self.store(reference, config.as_bytes())?;
        for (_, bytes) in files {
            self.store(reference, bytes)?;
        }
        let digest = sha256_digest(&bytes);
        sign(self, &digest)?;
        self.put_manifest(reference, &bytes)?;
        Ok(digest)
    }
}

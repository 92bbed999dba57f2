//! [`Registry`]: a client of one registry, following the OCI distribution specification, 1.1.

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use ureq::http::StatusCode;

use super::RegistryError;
use crate::credentials;
use crate::http::{AUTHORIZATION, Answer, Http, Method, Request};
use crate::reference::{Reference, is_digest, is_local};
use crate::signature::Signature;
use crate::text::{cut, parameter, percent_encode, url_host};
use guard_contract::COMPONENT_BYTES;
use guard_state::hex;

/// The annotations of a manifest, such as `org.opencontainers.image.version`.
pub type Annotations = BTreeMap<String, String>;

/// The maximum size of a manifest, list or token: the size above which the specification lets a registry refuse a
/// manifest.
const MANIFEST_BYTES: u64 = 4 << 20;

/// The maximum number of repositories or tags that are listed, and the page size.
const LISTED: usize = 10_000;
const AT_ONCE: usize = 1000;

/// The maximum number of pages of a list.
const PAGES: usize = 100;

pub(crate) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
const CONFIG: &str = "application/vnd.wasm.config.v0+json";
const LAYER: &str = "application/wasm";

/// The media type that older tools use for the same layer.
const OLD_LAYER: &str = "application/vnd.wasm.content.layer.v1+wasm";

/// The configuration of a signature, and its layer.
const IMAGE_CONFIG: &str = "application/vnd.oci.image.config.v1+json";
const SIGNED: &str = "application/vnd.dev.cosign.simplesigning.v1+json";
const SIGNATURE: &str = "dev.cosignproject.cosign/signature";

/// A policy from a registry or a web server.
#[derive(Debug, Clone)]
pub struct Pulled {
    /// The component.
    pub wasm: Vec<u8>,
    /// The digest of its manifest, `sha256:` and 64 digits, or `None` for a file from a web server.
    pub digest: Option<String>,
}

/// A client of one registry.
pub struct Registry {
    host: String,
    base: String,
    http: Http,
    patience: Duration,
    /// The `authorization` header of the last successful request.
    pass: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Descriptor {
    pub(crate) media_type: String,
    pub(crate) digest: String,
    pub(crate) size: u64,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Annotations,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Manifest {
    pub(crate) schema_version: u32,
    #[serde(default)]
    pub(crate) media_type: String,
    pub(crate) config: Descriptor,
    pub(crate) layers: Vec<Descriptor>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) annotations: Annotations,
}

/// Downloads a component from a web server. `patience` limits the whole request.
///
/// # Errors
///
/// [`RegistryError`] has the reasons.
pub fn download(url: &str, patience: Duration) -> Result<Pulled, RegistryError> {
    let http = Http::new(url_host(url), patience);
    let answer = http.send(&Request { method: Method::Get, url, headers: &[], most: COMPONENT_BYTES as u64 })?;
    match answer.status {
        StatusCode::OK => Ok(Pulled { wasm: answer.body, digest: None }),
        StatusCode::NOT_FOUND => Err(RegistryError::Missing(url.to_owned())),
        _ => Err(response_error(url_host(url), &answer)),
    }
}

impl Registry {
    /// Connects to a registry. `patience` limits each request.
    ///
    /// # Errors
    ///
    /// The registry can't be reached.
    pub fn open(host: &str, patience: Duration) -> Result<Self, RegistryError> {
        let http = Http::new(host, patience);
        let at = |scheme: &str| format!("{scheme}://{host}/v2/");
        let ask = |url: &str| http.send(&Request { method: Method::Get, url, headers: &[], most: MANIFEST_BYTES });
        let base = match ask(&at("https")) {
            Ok(_) => at("https"),
            Err(RegistryError::Unreachable { .. }) if is_local(host) => ask(&at("http")).map(|_| at("http"))?,
            Err(error) => return Err(error),
        };
        Ok(Registry { host: host.to_owned(), base, http, patience, pass: None })
    }

    /// Fetches a policy.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn pull(&mut self, reference: &Reference) -> Result<Pulled, RegistryError> {
        let shown = reference.to_string();
        let (digest, manifest) = self.manifest(reference)?;
        let no_policy = |why: String| RegistryError::NoPolicy { what: shown.clone(), why };
        let [layer] = manifest.layers.as_slice() else {
            return Err(no_policy(format!("it has {} layers, and a component has one", manifest.layers.len())));
        };
        if ![LAYER, OLD_LAYER].contains(&layer.media_type.as_str()) {
            return Err(no_policy(format!("its layer is `{}`", cut(&layer.media_type))));
        }
        let wasm = self.blob(reference, layer, COMPONENT_BYTES as u64)?;
        Ok(Pulled { wasm, digest: Some(digest) })
    }

    /// Returns the digest of the manifest that a reference identifies.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn resolve(&mut self, reference: &Reference) -> Result<String, RegistryError> {
        self.manifest(reference).map(|(digest, _)| digest)
    }

    /// Uploads a component, and returns its manifest's digest. If `is_wanted` returns false for that digest, nothing is
    /// uploaded and the result is `None`. The same component with the same annotations has the same digest.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn push(
        &mut self,
        reference: &Reference,
        wasm: &[u8],
        (imports, exports): (&[String], &[String]),
        annotations: Annotations,
        is_wanted: impl FnOnce(&str) -> bool,
    ) -> Result<Option<String>, RegistryError> {
        let layer = descriptor(LAYER, wasm);
        // Without a creation time, because it would change the digest each time.
        let config = json!({
            "created": "1970-01-01T00:00:00Z", "architecture": "wasm", "os": "wasip2",
            "layerDigests": [layer.digest], "component": { "imports": imports, "exports": exports },
        });
        let text = config.to_string();
        let config = descriptor(CONFIG, text.as_bytes());
        let manifest =
            Manifest { schema_version: 2, media_type: MANIFEST.to_owned(), config, layers: vec![layer], annotations };
        let bytes = serde_json::to_vec(&manifest).map_err(|error| self.decode_error(&error))?;
        let digest = sha256_digest(&bytes);
        if !is_wanted(&digest) {
            return Ok(None);
        }
        self.store(reference, text.as_bytes())?;
        self.store(reference, wasm)?;
        self.put_manifest(reference, &bytes)?;
        Ok(Some(digest))
    }

    /// Adds a signature to a manifest, and keeps the existing ones.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn attach(&mut self, reference: &Reference, digest: &str, signature: &Signature) -> Result<(), RegistryError> {
        let place = signature_reference(reference, digest);
        let mut layers = match self.manifest(&place) {
            Ok((_, manifest)) => manifest.layers,
            Err(RegistryError::Missing(_)) => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut layer = descriptor(SIGNED, &signature.payload);
        let text = STANDARD.encode(&signature.bytes);
        if layers.iter().any(|other| other.annotations.get(SIGNATURE) == Some(&text)) {
            return Ok(());
        }
        layer.annotations.insert(SIGNATURE.to_owned(), text);
        layers.push(layer);
        let digests: Vec<&str> = layers.iter().map(|layer| layer.digest.as_str()).collect();
        let config = json!({
            "architecture": "", "os": "", "created": "1970-01-01T00:00:00Z", "config": {},
            "rootfs": { "type": "layers", "diff_ids": digests },
        });
        let config = config.to_string();
        self.store(&place, config.as_bytes())?;
        self.store(&place, &signature.payload)?;
        let manifest = Manifest {
            schema_version: 2,
            media_type: MANIFEST.to_owned(),
            config: descriptor(IMAGE_CONFIG, config.as_bytes()),
            layers,
            annotations: Annotations::new(),
        };
        let bytes = serde_json::to_vec(&manifest).map_err(|error| self.decode_error(&error))?;
        self.put_manifest(&place, &bytes)
    }

    /// Returns a manifest's signatures, at most 64.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons. A manifest without signatures isn't an error.
    pub fn signatures(&mut self, reference: &Reference, digest: &str) -> Result<Vec<Signature>, RegistryError> {
        let place = signature_reference(reference, digest);
        let manifest = match self.manifest(&place) {
            Ok((_, manifest)) => manifest,
            Err(RegistryError::Missing(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut signatures = Vec::new();
        for layer in manifest.layers.iter().filter(|layer| layer.media_type == SIGNED).take(64) {
            let bytes = layer.annotations.get(SIGNATURE).and_then(|text| STANDARD.decode(text).ok());
            if let Some(bytes) = bytes {
                signatures.push(Signature { payload: self.blob(&place, layer, MANIFEST_BYTES)?, bytes });
            }
        }
        Ok(signatures)
    }

    /// Returns the tags of a policy, at most 10,000.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons.
    pub fn tags(&mut self, reference: &Reference) -> Result<Vec<String>, RegistryError> {
        let path = format!("{}/tags/list?n={AT_ONCE}", reference.name);
        self.list(&path, "tags", &format!("{}/{}", self.host, reference.name))
    }

    /// Lists all repositories in the registry, at most 10,000.
    ///
    /// # Errors
    ///
    /// [`RegistryError`] has the reasons. Many registries don't support listing.
    pub fn list_repositories(&mut self) -> Result<Vec<String>, RegistryError> {
        self.list(&format!("_catalog?n={AT_ONCE}"), "repositories", &format!("{}/v2/_catalog", self.host))
    }

    fn list(&mut self, path: &str, key: &str, shown: &str) -> Result<Vec<String>, RegistryError> {
        let mut url = format!("{}{path}", self.base);
        let mut names = Vec::new();
        for _ in 0..PAGES {
            let answer = self.get(&url, &[], MANIFEST_BYTES, shown)?;
            let list: Value = serde_json::from_slice(&answer.body).map_err(|error| self.decode_error(&error))?;
            let list = list.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
            names.extend(list.iter().filter_map(Value::as_str).filter(|name| *name == cut(name)).map(str::to_owned));
            // `</v2/x/tags/list?last=y>; rel="next"`, relative to the host's root.
            let next = answer.headers.get("link").and_then(|value| value.to_str().ok());
            let next = next.and_then(|next| next.strip_prefix("</v2/")?.split_once('>')).map(|(path, _)| path);
            match next {
                Some(path) if names.len() < LISTED => url = format!("{}{path}", self.base),
                _ => break,
            }
        }
        names.truncate(LISTED);
        Ok(names)
    }

    pub(crate) fn manifest(&mut self, reference: &Reference) -> Result<(String, Manifest), RegistryError> {
        let shown = reference.to_string();
        let url = format!("{}{}/manifests/{}", self.base, reference.name, reference.request_part());
        let answer = self.get(&url, &[("accept", MANIFEST.to_owned())], MANIFEST_BYTES, &shown)?;
        let found = sha256_digest(&answer.body);
        let header = answer.headers.get("docker-content-digest").and_then(|value| value.to_str().ok());
        if let Some(wanted) = reference.digest.as_deref().or(header).filter(|wanted| *wanted != found) {
            return Err(RegistryError::Digest { what: shown, found, wanted: cut(wanted) });
        }
        let manifest: Manifest = serde_json::from_slice(&answer.body)
            .map_err(|error| RegistryError::NoPolicy { what: shown, why: cut(&format!("its manifest: {error}")) })?;
        Ok((found, manifest))
    }

    pub(crate) fn blob(
        &mut self,
        of: &Reference,
        descriptor: &Descriptor,
        most: u64,
    ) -> Result<Vec<u8>, RegistryError> {
        let what = format!("{}/{}@{}", of.host, of.name, cut(&descriptor.digest));
        if !is_digest(&descriptor.digest) {
            return Err(RegistryError::NoPolicy { what, why: "its manifest names no SHA-256".to_owned() });
        }
        if descriptor.size > most {
            return Err(RegistryError::TooLarge { what, most });
        }
        let url = format!("{}{}/blobs/{}", self.base, of.name, descriptor.digest);
        let answer = self.get(&url, &[], descriptor.size, &what)?;
        let found = sha256_digest(&answer.body);
        if found != descriptor.digest {
            return Err(RegistryError::Digest { what, found, wanted: descriptor.digest.clone() });
        }
        Ok(answer.body)
    }

    /// Uploads bytes under their digest, unless the registry has them.
    pub(crate) fn store(&mut self, of: &Reference, bytes: &[u8]) -> Result<(), RegistryError> {
        let shown = format!("{}/{}", of.host, of.name);
        let url = format!("{}{}/blobs/uploads/", self.base, of.name);
        let answer = self.send(&url, Method::Post(&[]), &[], MANIFEST_BYTES, &shown)?;
        let place = answer.headers.get("location").and_then(|value| value.to_str().ok()).unwrap_or_default();
        // The address is absolute, or relative to the host's root.
        let root = self.base.strip_suffix("/v2/").unwrap_or(&self.base);
        let place = if place.starts_with('/') { format!("{root}{place}") } else { place.to_owned() };
        let sign = if place.contains('?') { '&' } else { '?' };
        let url = format!("{place}{sign}digest={}", sha256_digest(bytes));
        let kind = [("content-type", "application/octet-stream".to_owned())];
        self.send(&url, Method::Put(bytes), &kind, MANIFEST_BYTES, &shown).map(|_| ())
    }

    pub(crate) fn put_manifest(&mut self, reference: &Reference, bytes: &[u8]) -> Result<(), RegistryError> {
        let url = format!("{}{}/manifests/{}", self.base, reference.name, reference.request_part());
        let kind = [("content-type", MANIFEST.to_owned())];
        self.send(&url, Method::Put(bytes), &kind, MANIFEST_BYTES, &reference.to_string()).map(|_| ())
    }

    fn get(
        &mut self,
        url: &str,
        headers: &[(&'static str, String)],
        most: u64,
        shown: &str,
    ) -> Result<Answer, RegistryError> {
        self.send(url, Method::Get, headers, most, shown)
    }

    /// Sends a request, and signs in once if the registry requires it.
    fn send(
        &mut self,
        url: &str,
        method: Method<'_>,
        headers: &[(&'static str, String)],
        most: u64,
        shown: &str,
    ) -> Result<Answer, RegistryError> {
        let mut signed_in = false;
        loop {
            let mut headers = headers.to_vec();
            // Blobs may be on another host, which must not get the registry's password.
            if let Some(pass) = self.pass.as_ref().filter(|_| url_host(url) == self.host) {
                headers.push((AUTHORIZATION, pass.clone()));
            }
            // An error message may be longer than the requested content.
            let answer = self.http.send(&Request { method, url, headers: &headers, most: most.max(MANIFEST_BYTES) })?;
            match answer.status {
                status if status.is_success() && answer.body.len() as u64 > most => {
                    return Err(RegistryError::TooLarge { what: shown.to_owned(), most });
                }
                status if status.is_success() => return Ok(answer),
                // The target of a redirect or an upload gets no password.
                StatusCode::UNAUTHORIZED if !signed_in && url_host(&answer.url) == self.host => {
                    self.pass = Some(self.sign_in(&answer)?);
                    signed_in = true;
                }
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                    return Err(RegistryError::Denied { host: self.host.clone(), why: None });
                }
                StatusCode::NOT_FOUND => return Err(RegistryError::Missing(shown.to_owned())),
                _ => return Err(response_error(&self.host, &answer)),
            }
        }
    }

    /// Returns the `authorization` header for a challenge.
    fn sign_in(&self, answer: &Answer) -> Result<String, RegistryError> {
        let (basic, why) = match credentials::find_credentials(&self.host, self.patience) {
            Ok((user, password)) => (Some(format!("Basic {}", STANDARD.encode(format!("{user}:{password}")))), None),
            Err(why) => (None, Some(why)),
        };
        let denied = || RegistryError::Denied { host: self.host.clone(), why };
        let challenge = answer.headers.get("www-authenticate").and_then(|value| value.to_str().ok());
        let (scheme, parameters) = challenge.and_then(|text| text.split_once(' ')).ok_or_else(denied)?;
        if scheme.eq_ignore_ascii_case("basic") {
            return basic.ok_or_else(denied);
        }
        let value = |key: &str| parameter(parameters, key);
        let realm = value("realm").ok_or_else(denied)?;
        if !self.http.may_ask(&realm) {
            return Err(RegistryError::NoTls { url: cut(&realm) });
        }
        let query: Vec<String> = ["service", "scope"]
            .iter()
            .filter_map(|key| Some(format!("{key}={}", percent_encode(&value(key)?))))
            .collect();
        let url = format!("{realm}{}{}", if realm.contains('?') { '&' } else { '?' }, query.join("&"));
        let headers: Vec<_> = basic.into_iter().map(|basic| (AUTHORIZATION, basic)).collect();
        let http = Http::new(url_host(&url), self.patience);
        let answer = http.send(&Request { method: Method::Get, url: &url, headers: &headers, most: MANIFEST_BYTES })?;
        let body: Value = serde_json::from_slice(&answer.body).map_err(|_| denied())?;
        let token = ["token", "access_token"].iter().find_map(|key| body.get(key).and_then(Value::as_str));
        token.filter(|_| answer.status.is_success()).map(|token| format!("Bearer {token}")).ok_or_else(denied)
    }

    pub(crate) fn decode_error(&self, error: &serde_json::Error) -> RegistryError {
        RegistryError::Failed { host: self.host.clone(), status: 200, text: format!(", which is garbled: {error}") }
    }
}

/// Returns the reference at which cosign stores the signatures of a manifest.
fn signature_reference(reference: &Reference, digest: &str) -> Reference {
    reference.with_tag(&format!("{}.sig", digest.replace(':', "-")))
}

pub(crate) fn descriptor(media_type: &str, bytes: &[u8]) -> Descriptor {
    let annotations = Annotations::new();
    Descriptor {
        media_type: media_type.to_owned(),
        digest: sha256_digest(bytes),
        size: bytes.len() as u64,
        annotations,
    }
}

pub(crate) fn sha256_digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Converts an error response, with its message.
fn response_error(host: &str, answer: &Answer) -> RegistryError {
    let body: Value = serde_json::from_slice(&answer.body).unwrap_or_default();
    let text = body.pointer("/errors/0/message").and_then(Value::as_str).map(|text| format!(": {}", cut(text)));
    RegistryError::Failed { host: host.to_owned(), status: answer.status.as_u16(), text: text.unwrap_or_default() }
}

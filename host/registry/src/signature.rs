//! Signatures in the format that cosign uses with a key: over a short JSON text with the digest of a manifest.
//!
//! The format of the text is "simple signing" of containers/image, type `cosign container image signature`. Keys are in
//! PEM: a public key is a `SubjectPublicKeyInfo` of RFC 8410 (Ed25519) or RFC 5480 (P-256), and a secret key is PKCS#8
//! as in RFC 8410.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::{Value, json};

use crate::reference::Reference;

/// The DER header before the 32 bytes of an Ed25519 key.
const ED25519_HEAD: &[u8] = &[0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The DER header before the 65 bytes of a point on P-256.
const P256_HEAD: &[u8] = &[
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce,
    0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
];

/// The reason why a key can't be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// The text isn't a supported public key.
    #[error("it isn't a public key of Ed25519 or P-256")]
    Public,
    /// The text isn't a supported secret key.
    #[error("it isn't a secret key of Ed25519 in PEM (PKCS#8, without a password)")]
    Secret,
    /// The system provides no random numbers.
    #[error("this machine gives no random numbers")]
    Random,
}

/// A key for verifying signatures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    der: Vec<u8>,
}

/// A key for signing policies.
pub struct SecretKey {
    pair: Ed25519KeyPair,
}

/// A signature and the signed text.
#[derive(Debug, Clone)]
pub struct Signature {
    /// The text.
    pub payload: Vec<u8>,
    /// The signature.
    pub bytes: Vec<u8>,
}

impl PublicKey {
    /// Parses PEM, or its base64 on one line.
    ///
    /// # Errors
    ///
    /// [`KeyError::Public`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let der = decode_pem(text, "PUBLIC KEY").ok_or(KeyError::Public)?;
        let key = PublicKey { der };
        key.parts().map(|_| ()).ok_or(KeyError::Public)?;
        Ok(key)
    }

    /// Returns the key's base64 on one line.
    #[must_use]
    pub fn line(&self) -> String {
        STANDARD.encode(&self.der)
    }

    /// Returns the key as PEM.
    #[must_use]
    pub fn pem(&self) -> String {
        encode_pem(&self.der, "PUBLIC KEY")
    }

    /// Returns whether this key signed the manifest with this digest in the repository of `reference`. A signature for
    /// another repository isn't valid for this name.
    #[must_use]
    pub fn has_signed(&self, reference: &Reference, digest: &str, signature: &Signature) -> bool {
        let Some((algorithm, key)) = self.parts() else { return false };
        let payload: Value = serde_json::from_slice(&signature.payload).unwrap_or_default();
        let named = payload.pointer("/critical/image/docker-manifest-digest").and_then(Value::as_str);
        let identity = payload.pointer("/critical/identity/docker-reference").and_then(Value::as_str);
        // Some tools append the tag.
        let signed = identity.and_then(|identity| Reference::parse(identity).ok());
        signed.is_some_and(|signed| signed.host == reference.host && signed.name == reference.name)
            && named == Some(digest)
            && UnparsedPublicKey::new(algorithm, key).verify(&signature.payload, &signature.bytes).is_ok()
    }

    fn parts(&self) -> Option<(&'static dyn VerificationAlgorithm, &[u8])> {
        let ed25519 = self.der.strip_prefix(ED25519_HEAD).filter(|key| key.len() == 32);
        let p256 = || self.der.strip_prefix(P256_HEAD).filter(|key| key.len() == 65);
        match ed25519 {
            Some(key) => Some((&ED25519, key)),
            None => p256().map(|key| (&ECDSA_P256_SHA256_ASN1 as &dyn VerificationAlgorithm, key)),
        }
    }
}

impl SecretKey {
    /// Generates a key. Also returns it as PEM.
    ///
    /// # Errors
    ///
    /// [`KeyError::Random`].
    pub fn generate() -> Result<(Self, String), KeyError> {
        let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).map_err(|_| KeyError::Random)?;
        let pair = Ed25519KeyPair::from_pkcs8(document.as_ref()).map_err(|_| KeyError::Secret)?;
        Ok((SecretKey { pair }, encode_pem(document.as_ref(), "PRIVATE KEY")))
    }

    /// Parses PEM, such as the output of `openssl genpkey -algorithm ed25519`.
    ///
    /// # Errors
    ///
    /// [`KeyError::Secret`].
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let der = decode_pem(text, "PRIVATE KEY").ok_or(KeyError::Secret)?;
        let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map_err(|_| KeyError::Secret)?;
        Ok(SecretKey { pair })
    }

    /// Returns the public key.
    #[must_use]
    pub fn public(&self) -> PublicKey {
        PublicKey { der: [ED25519_HEAD, self.pair.public_key().as_ref()].concat() }
    }

    /// Signs the manifest with this digest.
    #[must_use]
    pub fn sign(&self, reference: &Reference, digest: &str) -> Signature {
        let payload = json!({
            "critical": {
                "identity": { "docker-reference": repository_name(reference) },
                "image": { "docker-manifest-digest": digest },
                "type": "cosign container image signature",
            },
            "optional": null,
        });
        let payload = payload.to_string().into_bytes();
        let bytes = self.pair.sign(&payload).as_ref().to_vec();
        Signature { payload, bytes }
    }
}

fn repository_name(reference: &Reference) -> String {
    format!("{}/{}", reference.host, reference.name)
}

/// Decodes a PEM block with this label, or plain base64.
fn decode_pem(text: &str, label: &str) -> Option<Vec<u8>> {
    let text = text.trim();
    let body = match text.strip_prefix("-----BEGIN ") {
        Some(rest) => rest.strip_prefix(label)?.strip_prefix("-----")?.split_once("-----END ")?.0,
        None => text,
    };
    STANDARD.decode(body.split_ascii_whitespace().collect::<String>()).ok()
}

/// Encodes PEM, with base64 in lines of 64 characters.
fn encode_pem(der: &[u8], label: &str) -> String {
    let text = STANDARD.encode(der);
    let mut pem = format!("-----BEGIN {label}-----\n");
    for (at, c) in text.chars().enumerate() {
        if at > 0 && at % 64 == 0 {
            pem.push('\n');
        }
        pem.push(c);
    }
    pem + &format!("\n-----END {label}-----\n")
}

#[cfg(test)]
mod tests {
    use super::{KeyError, PublicKey, SecretKey, Signature};
    use crate::reference::Reference;

    /// The first key pair of RFC 8410, section 10.
    const SECRET: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

    fn reference() -> Reference {
        Reference::parse("localhost:5000/acme/x:1").expect("an address")
    }

    #[test]
    fn the_keys_of_the_standard_belong_together() {
        let secret = SecretKey::parse(SECRET).expect("a secret key");
        let public = PublicKey::parse(PUBLIC).expect("a public key");
        assert_eq!(secret.public(), public);
        assert_eq!(public.pem(), PUBLIC);
        assert_eq!(PublicKey::parse(&public.line()), Ok(public));
    }

    #[test]
    fn a_signature_holds_for_its_digest_and_key_only() {
        let (secret, pem) = SecretKey::generate().expect("random numbers");
        let digest = format!("sha256:{}", "0".repeat(64));
        let signature = secret.sign(&reference(), &digest);
        let public = SecretKey::parse(&pem).expect("its own PEM").public();
        assert!(public.has_signed(&reference(), &digest, &signature));
        assert!(public.has_signed(&reference().with_tag("2"), &digest, &signature));
        let elsewhere = Reference { name: "acme/y".to_owned(), ..reference() };
        assert!(!public.has_signed(&elsewhere, &digest, &signature));
        assert!(!public.has_signed(&reference(), &digest.replace('0', "1"), &signature));
        assert!(!PublicKey::parse(PUBLIC).expect("a key").has_signed(&reference(), &digest, &signature));
        let text = String::from_utf8(signature.payload.clone()).expect("JSON");
        for (identity, expected) in
            [("acme/x:1", true), ("acme/x:2", true), ("acme/x/y", false), ("acme/x y", false), ("acme", false)]
        {
            let payload = text.replace("localhost:5000/acme/x", &format!("localhost:5000/{identity}")).into_bytes();
            let signature = Signature { bytes: secret.pair.sign(&payload).as_ref().to_vec(), payload };
            assert_eq!(public.has_signed(&reference(), &digest, &signature), expected, "{identity}");
        }
        let other = Signature { payload: text.replace("acme", "acne").into_bytes(), ..signature };
        assert!(!public.has_signed(&reference(), &digest, &other));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "x", SECRET, "MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAx"] {
            assert_eq!(PublicKey::parse(text), Err(KeyError::Public), "{text}");
        }
        assert!(SecretKey::parse(PUBLIC).is_err());
    }
}

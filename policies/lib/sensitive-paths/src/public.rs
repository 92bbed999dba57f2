//! Names of files beside secrets that everybody may read.

/// Whether the name says that everybody may know what the file holds: a public key, a certificate or a chain of them,
/// the hosts that are known.
#[must_use]
pub fn is_public(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let Some(stem) = name.strip_suffix(".pem") else { return name.ends_with(".pub") || name == "known_hosts" };
    let mut words = stem.split(|c: char| !c.is_ascii_alphanumeric());
    let public = ["ca", "cacert", "cert", "certificate", "chain", "crt", "fullchain", "pub", "public", "bundle"];
    let is_private = ["key", "priv"].iter().any(|word| stem.contains(word));
    !is_private && !name.contains(['*', '?', '[']) && words.any(|word| public.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_halves_are_told_from_private_ones() {
        for path in ["id_rsa.pub", "~/.ssh/known_hosts", "certs/fullchain.pem", "ca.pem", "server-cert.PEM"] {
            assert!(is_public(path), "{path}");
        }
        for path in ["id_rsa", "server.pem", "cert-key.pem", "privkey.pem", "*cert.pem", "known_hosts.old", "ca.key"] {
            assert!(!is_public(path), "{path}");
        }
    }
}

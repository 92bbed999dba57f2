//! Names of public files next to secrets.

/// Returns whether the name is that of a public file: a public key, a certificate or certificate chain, known hosts, or
/// a workload's namespace and authority.
#[must_use]
pub fn is_public(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name = name.to_ascii_lowercase();
    if matches!(name.as_str(), "namespace" | "ca.crt") {
        return folder.split_once("/run/secrets/").is_some_and(|(_, rest)| !rest.is_empty());
    }
    let Some(stem) = name.strip_suffix(".pem") else { return name.ends_with(".pub") || name == "known_hosts" };
    let mut words = stem.split(|c: char| !c.is_ascii_alphanumeric());
    let public = ["ca", "cacert", "cert", "certificate", "chain", "crt", "fullchain", "pub", "public", "bundle"];
    // The login of a tunnel is a certificate with its key.
    let is_private = ["key", "priv"].iter().any(|word| stem.contains(word)) || folder.ends_with(".cloudflared");
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
        let workload = "/var/run/secrets/kubernetes.io/serviceaccount";
        for path in [&format!("{workload}/namespace"), &format!("{workload}/ca.crt")] {
            assert!(is_public(path), "{path}");
        }
        for path in ["/run/secrets/namespace", &format!("{workload}/token"), "ca.crt"] {
            assert!(!is_public(path), "{path}");
        }
        for path in [
            "id_rsa",
            "server.pem",
            "cert-key.pem",
            "privkey.pem",
            "*cert.pem",
            "known_hosts.old",
            "ca.key",
            "~/.cloudflared/cert.pem",
        ] {
            assert!(!is_public(path), "{path}");
        }
    }
}

//! The host of a database client according to its words, without any lookup.

/// Names for systems that other people work with.
const SHARED: &[&str] = &["prod", "production", "live"];

/// Extensions of files.
const FILES: &[&str] = &[".sql", ".dump", ".csv", ".sqlite", ".db", ".tsv", ".gz", ".json", ".js"];

/// Ends of hosts in the local network.
const NEAR: &[&str] = &[".local", ".internal", ".localhost", ".test"];

/// Returns whether a word names a shared server: a host with a domain, or something called production.
pub(crate) fn is_remote(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    if FILES.iter().any(|end| word.ends_with(end)) {
        return false;
    }
    let option = word.split_once('=').filter(|(name, _)| name.starts_with("--host") || *name == "host");
    let word = option.map_or(word.as_str(), |(_, host)| host);
    if word.split(|char: char| !char.is_ascii_alphanumeric()).any(|name| SHARED.contains(&name)) {
        return true;
    }
    let host = word.split_once("://").map_or(word, |(_, rest)| rest);
    let is_url = host.len() < word.len();
    let host = host.rsplit('@').next().unwrap_or_default();
    let host = host.split(['/', ':', '?']).next().unwrap_or_default();
    let plain = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte));
    let is_domain = |top: &str| top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let labels = host.split('.').count();
    // `schema.table` isn't a host, but `db.example.com` is.
    let long = labels > 2 || is_url && labels > 1;
    plain && long && host.rsplit('.').next().is_some_and(is_domain) && !NEAR.iter().any(|end| host.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::is_remote;

    #[test]
    fn hosts_with_a_domain_and_what_is_called_production_are_remote() {
        for word in ["db.example.com", "prod", "app-prod", "postgres://u:p@db.example.com/app", "--host=db.example.com"]
        {
            assert!(is_remote(word), "{word}");
        }
        for word in
            ["localhost", "db", "127.0.0.1", "app_dev", "prod.sql", "public.users", "db.internal", "product", "-f"]
        {
            assert!(!is_remote(word), "{word}");
        }
    }
}

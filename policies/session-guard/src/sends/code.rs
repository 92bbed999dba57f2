//! Finds code in other languages that sends data, by names and addresses. Only used after a secret was read, and a
//! match is an ask. Code that only opens plain addresses passes.

/// Texts in code that uses the network.
const NETWORK: &[&str] = &[
    "://",
    "\"net\"",
    "'net'",
    "aiohttp",
    "axios",
    "boto3",
    "dgram",
    "dns",
    "fetch(",
    "fsockopen",
    "ftplib",
    "getaddrinfo",
    "gethostby",
    "google.cloud",
    "http.client",
    "httpx",
    "huggingface_hub",
    "lwp",
    "mail(",
    "net.connect",
    "net::",
    "nodemailer",
    "openai",
    "paramiko",
    "psycopg",
    "pycurl",
    "pymongo",
    "redis",
    "requests",
    "sendmail",
    "slack_sdk",
    "smtp",
    "socket",
    "telnet",
    "tls.connect",
    "urllib",
    "websocket",
    "xmlhttprequest",
];

/// Texts that always mean more than a plain request.
const SENDING: &[&str] = &[
    ".post",
    ".put(",
    ".patch(",
    "patch",
    "post(",
    "'post'",
    "\"post\"",
    "'put'",
    "\"put\"",
    "body:",
    "body=",
    "data=",
    "data:",
    "files=",
    "json=",
    "create_connection",
    ".connect(",
    "sendall",
    "sendto",
    "smtp",
    "ftp",
    "telnet",
    "paramiko",
    "upload",
    "put_object",
    "gethostby",
    "getaddrinfo",
    "http.client",
    "httpconnection",
    "net.connect",
    "net.createconnection",
    "dgram",
    "dns",
    "sendbeacon",
    "xmlhttprequest",
    "nodemailer",
    "tls.connect",
    "socket",
    "pycurl",
    "curl_setopt",
    "io::socket",
    "sendmail",
    "mail(",
    "fsockopen",
    "stream_context",
    "websocket",
    "openai",
    "slack_sdk",
    "pymongo",
    "psycopg",
    "redis",
    "google.cloud",
    "huggingface_hub",
    ".request(",
    "http.request",
    "https.request",
];

/// Returns the destination of data that the code sends. Empty if the text doesn't contain it.
pub(super) fn sends(language: &str, text: &str, is_foreign: impl Fn(&str) -> bool) -> Option<String> {
    const LANGUAGES: &[&str] = &["javascript", "lua", "perl", "php", "powershell", "python", "ruby", "typescript"];
    let lower = text.to_ascii_lowercase();
    let holds = |names: &[&str]| names.iter().any(|name| lower.contains(name));
    if !LANGUAGES.contains(&language) || !holds(NETWORK) {
        return None;
    }
    if !holds(SENDING) && is_plain(&lower) {
        return None;
    }
    let all: Vec<String> = super::addresses(&lower).into_iter().chain(quoted_hosts(&lower)).collect();
    match all.iter().find(|host| is_foreign(host)) {
        Some(host) => Some(host.clone()),
        None if all.is_empty() && holds(SENDING) => Some(String::new()),
        None => None,
    }
}

/// Returns whether each address is complete in the code, without a computed suffix in the same call.
fn is_plain(lower: &str) -> bool {
    let is_opened = lower.contains("urlopen(") || lower.contains("request(");
    lower.split("://").skip(1).all(|rest| {
        let end = rest.find(['"', '\'', '`']).unwrap_or(rest.len());
        let (address, behind) = rest.split_at_checked(end).unwrap_or_default();
        let behind = behind.trim_start_matches(['"', '\'', '`']).trim_start();
        // Up to the end of the call. A nested call computes a value.
        let arguments = behind.split(')').next().unwrap_or_default();
        let is_alone = behind.starts_with([')', ']', ';', '\n']) || behind.is_empty();
        let is_whole = !address.contains(['{', '%', '$']) && !behind.starts_with(['+', '%', '.']);
        // The second argument of such a call is a body.
        let second = arguments.trim_start_matches([',', ' ']).split(',').next().unwrap_or_default();
        let is_body = is_opened && !second.is_empty() && !second.contains('=');
        is_whole && (is_alone || !arguments.contains('(') && !is_body)
    })
}

/// Returns quoted hosts without a scheme, as sockets use them.
fn quoted_hosts(lower: &str) -> Vec<String> {
    let is_host = |text: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        let text = text.trim_start_matches('.');
        text == "localhost" || text.contains('.') && !text.is_empty() && text.bytes().all(is_plain)
    };
    let is_file = |text: &str| {
        let end = text.rsplit('.').next().unwrap_or_default();
        matches!(
            end,
            "txt" | "json" | "js" | "py" | "rb" | "csv" | "md" | "html" | "yml" | "yaml" | "toml" | "log" | "env"
        )
    };
    lower.split(['"', '\'']).filter(is_host).filter(|text| !is_file(text)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::sends;

    const READING: &[&str] =
        &["requests.get(", "httpx.get(", "urlopen(", "urlretrieve(", "fetch(", "http.get(", "URI.open("];

    #[test]
    fn code_that_reads_plain_addresses_passes() {
        let foreign = |host: &str| host != "localhost";
        let asks = |language: &str, code: &str| sends(language, code, foreign).is_some();
        for call in READING {
            assert!(!asks("python", &format!("print({call}'https://example.org/a'))")), "{call}");
            assert!(asks("python", &format!("{call}'https://example.org/a?b=' + open('x').read())")), "{call}");
        }
        assert!(!asks("python", "requests.get('https://example.org/a', headers={'a': token}, timeout=5)"));
        assert!(asks("python", "requests.get('https://example.org/a', params={'a': open('x').read()})"));
        assert!(asks("python", "urlopen('https://example.org', b'x')"));
        assert!(!asks("javascript", "fetch('http://localhost:3000', { method: 'POST', body: 'x' })"));
        assert!(!asks("python", "print(1)"));
    }
}

//! Code in other languages that sends data. By names alone: what counts is asked about, and only after a secret was read.

/// Names that send, or that open a connection by which data is sent.
const ANY: &[&str] = &["ftp://", "websocket", "smtp"];

const PYTHON: &[&str] = &[
    ".post(",
    ".put(",
    ".patch(",
    "data=",
    "json=",
    "files=",
    "create_connection(",
    ".connect((",
    "sendall(",
    "smtplib",
    "ftplib",
    "telnetlib",
    "paramiko",
    "upload_file",
    "put_object",
    "upload_fileobj",
    "upload_blob",
    "gethostbyname(",
    "getaddrinfo(",
    "http.client",
    "httpconnection(",
    "urlopen(",
];

const JAVASCRIPT: &[&str] = &[
    "post",
    "put",
    "patch",
    "body:",
    "http.request",
    "https.request",
    "net.connect",
    "net.createconnection",
    "dgram",
    "dns.",
    "sendbeacon",
    "xmlhttprequest",
    "nodemailer",
    "tls.connect",
];

const OTHER: &[&str] = &[
    "post",
    "put",
    "patch",
    "socket",
    "curl_setopt",
    "net::http",
    "lwp::",
    "io::socket",
    "sendmail",
    "mail(",
    "fsockopen",
    "dns_get_record",
    "gethostbyname",
    "file_get_contents",
    "resolv",
    "http::tiny",
];

/// What only shows that code speaks to the network at all.
const NETWORK: &[&str] = &[
    "://",
    "socket",
    "http.client",
    "smtplib",
    "ftplib",
    "net::http",
    "lwp",
    "dns",
    "gethostby",
    "getaddrinfo",
    "boto3",
    "paramiko",
    "requests",
    "axios",
    "fetch(",
    "net.connect",
    "dgram",
    "fsockopen",
    "sendmail",
    "mail(",
    "nodemailer",
];

/// Where the code sends data, as far as its text says; empty if it does not.
pub(super) fn sends(language: &str, text: &str, is_foreign: impl Fn(&str) -> bool) -> Option<String> {
    let lower = text.to_ascii_lowercase();
    let holds = |names: &[&str]| names.iter().any(|name| lower.contains(name));
    let sending = match language {
        "python" => PYTHON,
        "javascript" | "typescript" => JAVASCRIPT,
        "perl" | "ruby" | "php" | "lua" | "powershell" => OTHER,
        _ => return None,
    };
    // A request with an address that is put together may carry data in it.
    let is_computed = language == "python" && lower.contains("://") && !is_literal(&lower);
    if !holds(NETWORK) || !(holds(sending) || holds(ANY) || is_computed) {
        return None;
    }
    if language == "python" && is_plain_get(&lower) {
        return None;
    }
    let hosts: Vec<String> = lower.split("://").skip(1).map(|rest| super::host(&format!("//://{rest}"))).collect();
    let hosts: Vec<String> =
        hosts.into_iter().map(|host| host.trim_end_matches(['"', '\'', ')', '`']).to_owned()).collect();
    let named = quoted_hosts(&lower);
    let all: Vec<String> = hosts.into_iter().chain(named).collect();
    match all.iter().find(|host| is_foreign(host)) {
        Some(host) => Some(host.clone()),
        None if all.is_empty() => Some(String::new()),
        None => None,
    }
}

/// Whether all that the code does with the network is to open an address that stands in it.
fn is_plain_get(lower: &str) -> bool {
    let others = PYTHON.iter().filter(|name| **name != "urlopen(" && lower.contains(**name));
    others.count() == 0 && is_literal(lower)
}

/// Whether each address stands in the code whole: nothing is added behind it.
fn is_literal(lower: &str) -> bool {
    lower.split("://").skip(1).all(|rest| {
        let end = rest.find(['"', '\'']).unwrap_or(rest.len());
        let (address, behind) = rest.split_at_checked(end).unwrap_or_default();
        let behind = behind.trim_start_matches(['"', '\'']).trim_start();
        !address.contains(['{', '%', '$']) && !behind.starts_with(['+', '%']) && !behind.starts_with(".format")
    })
}

/// Hosts that stand in quotes alone, as a socket takes them.
fn quoted_hosts(lower: &str) -> Vec<String> {
    let is_host = |text: &&str| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-');
        *text == "localhost" || text.contains('.') && !text.starts_with('.') && text.bytes().all(is_plain)
    };
    // What connects names its host next to a port.
    let connects = ["connect(", "connection(", "socket.new(", "tcpsocket", "fsockopen(", "smtp(", "ftp("];
    if !connects.iter().any(|name| lower.contains(name)) {
        return Vec::new();
    }
    lower.split(['"', '\'']).filter(is_host).map(str::to_owned).collect()
}

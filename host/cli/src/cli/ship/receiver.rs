//! [`Receiver`]: sends the lines, with retries.

use std::fs::{self, File};
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

use guard_contract::exit::Exit;
use guard_platform::access::is_own;
use guard_platform::fs::MetadataExt;
use guard_registry::{Posted, RegistryError, server_message};
use jiff::Timestamp;

use super::super::args::{ShipArgs, ShipFormat};
use super::super::print;
use super::super::subject::exit_error;
use super::queue::Sent;
use super::{ocsf, otlp};

/// The wait after the first attempt. It doubles with each further one.
const SHORTEST: Duration = Duration::from_millis(250);

/// The maximum wait, if the receiver doesn't specify one.
const LONGEST: Duration = Duration::from_secs(60);

/// The maximum wait that a receiver may specify.
const LONGEST_NAMED: Duration = Duration::from_secs(300);

/// The number of attempts for a batch, if the log isn't followed.
const ATTEMPTS: u32 = 6;

/// The maximum size of a file with headers, in bytes.
const FILE_BYTES: u64 = 64 << 10;

/// The path for logs in OTLP/HTTP.
const PATH: &str = "/v1/logs";

/// Headers that the request sets itself.
const OWN: [&str; 5] = ["content-type", "content-length", "host", "transfer-encoding", "user-agent"];

pub(super) struct Receiver {
    pub(super) url: String,
    http: guard_registry::Receiver,
    headers: Vec<(String, String)>,
    host: String,
    format: ShipFormat,
}

/// The result of sending a batch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum SendOutcome {
    /// The receiver accepted it.
    All,
    /// The receiver rejected this number of lines, and accepted the others.
    Rejected(u64),
    /// It is too large, so fewer lines should be sent.
    TooLarge,
}

/// The content of an answer.
enum ReceiverReply {
    Taken(SendOutcome),
    /// Try again, after the given time if there is one.
    Later(String, Option<Duration>),
}

impl Receiver {
    /// Creates the receiver from the command line.
    pub(super) fn from_args(args: &ShipArgs) -> anyhow::Result<Self> {
        let path = if args.format == ShipFormat::Otlp { PATH } else { "" };
        let url = address(&args.to, path)?;
        let mut headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        if let Some(file) = &args.header_file {
            headers.extend(header_file(file)?);
        }
        let http = guard_registry::Receiver::new(&url, args.network.patience(), args.ca.as_deref());
        let http = http.map_err(|error| match error {
            RegistryError::NoTls { .. } => {
                exit_error(Exit::Usage, error.to_string(), "use `https://`; plain HTTP works only on this machine")
            }
            error => send_error(&error),
        })?;
        let host = guard_platform::account::machine();
        Ok(Receiver { url, http, headers, host, format: args.format })
    }

    /// Sends lines until they are accepted. If the log is followed, there is no limit of attempts, and `retried` gets
    /// the first failure.
    ///
    /// # Errors
    ///
    /// The receiver rejects them, or can't be reached.
    pub(super) fn send_all(&self, lines: &[Sent], follow: bool, retried: &dyn Fn(&str)) -> anyhow::Result<SendOutcome> {
        let body = match self.format {
            ShipFormat::Otlp => serde_json::to_vec(&otlp::request(lines, &self.host))?,
            ShipFormat::Ocsf => serde_json::to_vec(&ocsf::request(lines, &self.host))?,
        };
        let mut wait = SHORTEST;
        for attempt in 1_u32.. {
            let (why, named) = match self.ask(&body, lines.len())? {
                ReceiverReply::Taken(taken) => return Ok(taken),
                ReceiverReply::Later(why, named) => (why, named),
            };
            if !follow && attempt >= ATTEMPTS {
                let hint = "the next `audit ship` goes on with the lines that are left";
                return Err(exit_error(Exit::Unavailable, why, hint));
            }
            let wanted = pause(attempt, named, wait);
            // For a followed log, one warning for a series of failures is enough.
            if attempt == 1 {
                print::note(&format!("warning: {why}; it is asked again"));
                if follow {
                    retried(&why);
                }
            }
            sleep(wanted);
            wait = (2 * wait).min(LONGEST);
        }
        Ok(SendOutcome::All)
    }

    fn ask(&self, body: &[u8], lines: usize) -> anyhow::Result<ReceiverReply> {
        let posted = match self.http.post(&self.headers, body) {
            Ok(posted) => posted,
            Err(error @ (RegistryError::Unreachable { .. } | RegistryError::Slow { .. })) => {
                return Ok(ReceiverReply::Later(error.to_string(), None));
            }
            Err(error) => return Err(send_error(&error)),
        };
        let status = posted.status;
        match status {
            200..=299 if is_page(&posted) => {
                let text = format!("what answers at `{}` is a page for people", self.url);
                Err(exit_error(Exit::Unavailable, text, "give the address of a receiver of logs over HTTP"))
            }
            200..=299 => Ok(ReceiverReply::Taken(self.parse_acceptance(&posted))),
            413 if lines > 1 => Ok(ReceiverReply::Taken(SendOutcome::TooLarge)),
            // The status codes that can be retried according to the protocol.
            429 | 502..=504 => {
                let after = posted.retry_after.as_deref().and_then(|text| parse_retry_after(text, Timestamp::now()));
                Ok(ReceiverReply::Later(
                    format!("`{}` answers with {status}{}", self.url, format_message(&posted)),
                    after,
                ))
            }
            _ => {
                let text = format!("`{}` answers with {status}{}", self.url, format_message(&posted));
                let hint = "no line was passed over; correct it, and the next `audit ship` goes on with the same lines";
                Err(exit_error(Exit::Unavailable, text, hint))
            }
        }
    }

    /// Parses the answer of a receiver that has accepted all or part of a batch.
    fn parse_acceptance(&self, posted: &Posted) -> SendOutcome {
        // OCSF receivers have no common format for rejected lines.
        if self.format == ShipFormat::Ocsf {
            return SendOutcome::All;
        }
        let partial = otlp::partial(&posted.body);
        let text = if partial.text.is_empty() { String::new() } else { format!(": {}", partial.text) };
        if partial.rejected == 0 {
            if !text.is_empty() {
                print::note(&format!("warning: `{}` took the lines and says{text}", self.url));
            }
            return SendOutcome::All;
        }
        let lines = print::count(partial.rejected, "line");
        print::note(&format!("warning: `{}` rejected {lines}{text}", self.url));
        SendOutcome::Rejected(partial.rejected)
    }
}

/// Returns whether the answer is an HTML page, regardless of its header. Proxies that require a login answer with one.
fn is_page(posted: &Posted) -> bool {
    posted.content_type.starts_with("text/html") || posted.body.trim_ascii_start().starts_with(b"<")
}

/// Returns the address for logs at the receiver `to`. It ends with `path`.
fn address(to: &str, path: &str) -> anyhow::Result<String> {
    let wrong = |why: &str| {
        let hint = "give an address such as `https://collector.example:4318`";
        exit_error(Exit::Usage, format!("`--to` {why}"), hint)
    };
    let Some((scheme, rest)) = to.split_once("://") else { return Err(wrong("has no `https://`")) };
    if !matches!(scheme, "http" | "https") {
        return Err(wrong("isn't a web address"));
    }
    if rest.contains(['?', '#'])
        || rest.contains(char::is_whitespace)
        || rest.starts_with(['/', ':'])
        || rest.is_empty()
    {
        return Err(wrong("isn't the address of a receiver"));
    }
    if rest.contains('@') {
        let hint = "put `authorization: ...` into a file, and give it with `--header-file`";
        return Err(exit_error(Exit::Usage, "`--to` contains a password", hint));
    }
    let base = to.trim_end_matches('/');
    Ok(if base.ends_with(path) { base.to_owned() } else { format!("{base}{path}") })
}

/// Reads headers from a file with lines `name: value`.
fn header_file(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let wrong = |why: &str, hint: &str| {
        exit_error(Exit::Config, format!("cannot use the headers in `{}`: {why}", path.display()), hint)
    };
    let read = || -> std::io::Result<(fs::Metadata, String)> {
        // Opening a pipe would block.
        if !fs::metadata(path)?.is_file() {
            return Err(std::io::Error::other("it is not a file"));
        }
        let file = File::open(path)?;
        let data = file.metadata()?;
        let mut text = String::new();
        file.take(FILE_BYTES).read_to_string(&mut text)?;
        Ok((data, text))
    };
    let (data, text) = read().map_err(|error| wrong(&error.to_string(), "give a file with lines `name: value`"))?;
    if !is_own(&data) {
        return Err(wrong("it belongs to another user", "make a file of your own"));
    }
    if data.mode() & 0o077 != 0 {
        let hint = "run `chmod 600` on it, and change the passwords in it if others may have read them";
        return Err(wrong("others can read it or write to it", hint));
    }
    let mut headers = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let header = line.split_once(':').map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim()));
        // A line may contain a password, so it isn't shown.
        match header {
            Some((name, value)) if is_token(&name) && is_visible(value) && !OWN.contains(&name.as_str()) => {
                headers.push((name, value.to_owned()));
            }
            _ => {
                let why = format!("line {number} isn't a valid header");
                return Err(wrong(&why, "write lines such as `authorization: Bearer TOKEN`"));
            }
        }
    }
    Ok(headers)
}

fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn is_visible(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ' || byte == b'\t')
}

/// Parses the time of a `Retry-After`: seconds, or a date.
fn parse_retry_after(text: &str, now: Timestamp) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(Duration::try_from(date.duration_since(now)).unwrap_or_default())
}

/// Returns the wait after an attempt: the receiver's, if it specifies one. If it keeps specifying 0, for example
/// because of a wrong clock, a minimum applies.
fn pause(attempt: u32, named: Option<Duration>, wait: Duration) -> Duration {
    let least = if attempt < ATTEMPTS { Duration::ZERO } else { SHORTEST };
    named.map_or_else(|| add_jitter(wait), |named| named.clamp(least, LONGEST_NAMED))
}

/// Returns the wait reduced by a random amount of up to half, because many machines may wait for the same receiver.
fn add_jitter(wait: Duration) -> Duration {
    let part = u32::try_from(RandomState::new().hash_one(0) % 1000).unwrap_or_default();
    wait / 2 + wait / 2 * part / 1000
}

/// Returns the receiver's message, with a colon before it.
fn format_message(posted: &Posted) -> String {
    let text = server_message(&posted.body);
    if text.is_empty() { text } else { format!(": {text}") }
}

fn send_error(error: &RegistryError) -> anyhow::Error {
    let hint = match error {
        RegistryError::Certificate { .. } => {
            "`--ca` or `SSL_CERT_FILE` names a file with certificate authorities, in PEM"
        }
        RegistryError::Authorities { .. } => "give a file with certificates in PEM",
        _ => "no line was passed over",
    };
    exit_error(error.exit(), error.to_string(), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_to_logs() {
        for (to, url) in [
            ("https://a.example", Some("https://a.example/v1/logs")),
            ("https://a.example:4318/", Some("https://a.example:4318/v1/logs")),
            ("https://a.example/otlp/v1/logs", Some("https://a.example/otlp/v1/logs")),
            ("http://localhost:4318", Some("http://localhost:4318/v1/logs")),
            ("a.example", None),
            ("ftp://a.example", None),
            ("https://me:word@a.example", None),
            ("https://a.example/?x", None),
            ("https://", None),
        ] {
            assert_eq!(address(to, PATH).ok().as_deref(), url, "{to}");
        }
        assert_eq!(
            address("https://a.example/services/ocsf/", "").ok().as_deref(),
            Some("https://a.example/services/ocsf")
        );
    }

    #[test]
    fn a_time_to_wait_is_read() {
        let now: Timestamp = "2026-01-02T03:04:05Z".parse().unwrap();
        for (text, seconds) in [
            ("3", Some(3)),
            (" 120 ", Some(120)),
            ("Fri, 02 Jan 2026 03:04:35 GMT", Some(30)),
            ("Fri, 02 Jan 2026 03:00:00 GMT", Some(0)),
            ("-1", None),
            ("soon", None),
        ] {
            assert_eq!(parse_retry_after(text, now), seconds.map(Duration::from_secs), "{text}");
        }
        for _ in 0..100 {
            let wait = add_jitter(LONGEST);
            assert!(wait >= LONGEST / 2 && wait <= LONGEST, "{wait:?}");
        }
    }

    #[test]
    fn a_receiver_that_goes_on_naming_a_wait_of_0_is_asked_with_pauses() {
        for (attempt, named, waited) in [
            (1, 0, 0),
            (5, 0, 0),
            (6, 0, 250),
            (1_000, 0, 250),
            (1, 7_000, 7_000),
            (9, 7_000, 7_000),
            (1, 400_000, 300_000),
        ] {
            let pause = pause(attempt, Some(Duration::from_millis(named)), LONGEST);
            assert_eq!(pause.as_millis(), waited, "{attempt}, {named}");
        }
        assert!(pause(9, None, LONGEST) >= LONGEST / 2);
    }
}

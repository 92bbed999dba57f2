//! Sends lines of the audit log to systemd's journal, in its native protocol: one datagram for each line.

use std::io;
use std::path::Path;

use guard_platform::datagram;
use serde_json::{Map, Value};

/// The length in bytes above which a line goes without its recorded decision, because a socket's buffer is limited.
const LINE_BYTES: usize = 64 << 10;

/// The fields of an entry that are keys of the line.
const FIELDS: [(&str, &str); 5] = [
    ("GUARD_ACTION", "action"),
    ("GUARD_TOOL", "tool"),
    ("GUARD_SESSION", "session"),
    ("GUARD_POLICY", "policy"),
    ("GUARD_RULE", "rule"),
];

/// Sends a line. Never blocks.
///
/// # Errors
///
/// Any error of the socket. The line is then lost for the journal.
pub(super) fn send(socket: &Path, line: &str) -> io::Result<()> {
    datagram::send(socket, &entry(line)?)
}

/// Formats a line as an entry of the journal.
fn entry(line: &str) -> io::Result<Vec<u8>> {
    let mut object: Map<String, Value> = serde_json::from_str(line)?;
    let mut message = line.to_owned();
    if line.len() > LINE_BYTES && object.remove("decision").is_some() {
        message = serde_json::to_string(&object)?;
    }
    let text = |key: &str| object.get(key).and_then(Value::as_str).unwrap_or_default();
    let mut entry = Vec::with_capacity(message.len() + 256);
    add(&mut entry, "MESSAGE", &message);
    add(&mut entry, "PRIORITY", priority(text("action")));
    add(&mut entry, "SYSLOG_IDENTIFIER", "guard-host");
    for (name, key) in FIELDS {
        add(&mut entry, name, text(key));
    }
    Ok(entry)
}

/// Returns the syslog severity of an action.
fn priority(action: &str) -> &'static str {
    match action {
        "error" => "3",
        "block" | "warn" => "4",
        "confirm_required" => "5",
        _ => "6",
    }
}

/// Adds a field. A value with a line break is preceded by its length.
fn add(entry: &mut Vec<u8>, name: &str, value: &str) {
    entry.extend(name.as_bytes());
    if value.contains('\n') {
        entry.push(b'\n');
        entry.extend((value.len() as u64).to_le_bytes());
    } else {
        entry.push(b'=');
    }
    entry.extend(value.as_bytes());
    entry.push(b'\n');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_the_line_and_its_keys_and_no_huge_decision() {
        let line = r#"{"action":"block","tool":"Bash","session":"a\nb","policy":"p","rule":"r"}"#;
        let expected = format!(
            "MESSAGE={line}\nPRIORITY=4\nSYSLOG_IDENTIFIER=guard-host\nGUARD_ACTION=block\nGUARD_TOOL=Bash\n\
             GUARD_SESSION\n\u{3}\0\0\0\0\0\0\0a\nb\nGUARD_POLICY=p\nGUARD_RULE=r\n"
        );
        assert_eq!(String::from_utf8(entry(line).unwrap()).unwrap(), expected);
        let long = format!(r#"{{"action":"allow","decision":"{}"}}"#, "x".repeat(LINE_BYTES));
        assert!(entry(&long).unwrap().starts_with(b"MESSAGE={\"action\":\"allow\"}\nPRIORITY=6\n"));
        assert!(entry("no object").is_err());
    }
}

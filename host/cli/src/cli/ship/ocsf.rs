//! Lines of the audit log as events of the Open Cybersecurity Schema Framework. Each is a Detection Finding.

use guard_hook::audit::{OVERRIDE, WOULD_ASK, WOULD_DENY};
use guard_state::ACCEPT;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::queue::Sent;

const VERSION: &str = "1.7.0";

/// The class Detection Finding, its category, and its activity Create.
const CLASS: u32 = 2004;
const CATEGORY: u32 = 2;
const CREATE: u32 = 1;

/// The name of this program.
const NAME: &str = "guard-host";

/// The type of an analytic that is a rule.
const RULE: u32 = 1;

/// The schema's severities.
const INFORMATIONAL: u32 = 1;
const LOW: u32 = 2;
const MEDIUM: u32 = 3;
const HIGH: u32 = 4;

/// The schema's actions of a security control: unknown, allowed and denied.
const UNKNOWN: u32 = 0;
const ALLOWED: u32 = 1;
const DENIED: u32 = 2;

/// An action of the log, in the schema's terms.
struct Outcome {
    severity: u32,
    action: u32,
    disposition: (u32, &'static str),
    is_alert: bool,
}

fn outcome(action: &str) -> Outcome {
    let (severity, action, disposition, is_alert) = match action {
        "block" => (HIGH, DENIED, (2, "Blocked"), true),
        "confirm_required" => (MEDIUM, UNKNOWN, (23, "Challenge"), true),
        OVERRIDE => (LOW, ALLOWED, (8, "Approved"), false),
        WOULD_DENY => (MEDIUM, ALLOWED, (16, "No Action"), true),
        WOULD_ASK => (LOW, ALLOWED, (16, "No Action"), false),
        "warn" => (LOW, ALLOWED, (15, "Detected"), false),
        "allow" | "ran" => (INFORMATIONAL, ALLOWED, (1, "Allowed"), false),
        "refused" => (INFORMATIONAL, DENIED, (25, "Rejected"), false),
        "error" => (MEDIUM, UNKNOWN, (27, "Error"), true),
        "pause" | ACCEPT => (MEDIUM, UNKNOWN, (17, "Logged"), true),
        _ => (INFORMATIONAL, UNKNOWN, (17, "Logged"), false),
    };
    Outcome { severity, action, disposition, is_alert }
}

/// Returns the request with these lines: a list of events. It only adds the version and the host's name.
pub(super) fn request(lines: &[Sent], host: &str) -> Value {
    lines.iter().map(|line| event(line, host)).collect()
}

fn event(line: &Sent, host: &str) -> Value {
    let text = |key: &str| line.keys.get(key).and_then(Value::as_str).unwrap_or_default();
    let Outcome { severity, action, disposition: (disposition, word), is_alert } = outcome(text("action"));
    let time = text("ts").parse::<Timestamp>().map(Timestamp::as_millisecond).unwrap_or_default();
    let (tool, operation) = (text("tool"), text("operation"));
    let mut finding = Map::from_iter([
        ("uid".to_owned(), json!(line.id)),
        ("title".to_owned(), json!(format!("{}: {tool}", text("action")))),
        ("desc".to_owned(), json!(operation)),
        ("created_time".to_owned(), json!(time)),
    ]);
    if !text("rule").is_empty() {
        let uid = format!("{}:{}", text("policy"), text("rule"));
        finding.insert("analytic".to_owned(), json!({ "name": text("rule"), "uid": uid, "type_id": RULE }));
    }
    // Fields that the schema doesn't have keep their names.
    let others: Map<String, Value> = line
        .keys
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let mut event = Map::from_iter([
        ("activity_id".to_owned(), json!(CREATE)),
        ("category_uid".to_owned(), json!(CATEGORY)),
        ("class_uid".to_owned(), json!(CLASS)),
        ("type_uid".to_owned(), json!(CLASS * 100 + CREATE)),
        ("time".to_owned(), json!(time)),
        ("severity_id".to_owned(), json!(severity)),
        ("action_id".to_owned(), json!(action)),
        ("disposition_id".to_owned(), json!(disposition)),
        ("disposition".to_owned(), json!(word)),
        ("is_alert".to_owned(), json!(is_alert)),
        ("message".to_owned(), json!(operation)),
        ("finding_info".to_owned(), finding.into()),
        ("metadata".to_owned(), metadata(line)),
        ("device".to_owned(), json!({ "hostname": host, "type_id": 0 })),
        ("unmapped".to_owned(), others.into()),
    ]);
    if !text("policy").is_empty() {
        event.insert("policy".to_owned(), json!({ "name": text("policy"), "version": text("policies") }));
    }
    event.into()
}

fn metadata(line: &Sent) -> Value {
    let mut metadata = json!({
        "version": VERSION,
        "uid": line.id,
        "profiles": ["security_control"],
        "log_name": "audit",
        "product": { "name": NAME, "vendor_name": NAME, "version": env!("CARGO_PKG_VERSION") },
    });
    if let (Some(number), Some(metadata)) = (line.keys.get("n"), metadata.as_object_mut()) {
        metadata.insert("sequence".to_owned(), number.clone());
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Converted by hand according to the schema.
    #[test]
    fn a_line_becomes_a_detection_finding() {
        let keys = json!({
            "ts": "2026-01-02T03:04:05.678Z", "action": "block", "tool": "Bash", "operation": "rm -rf /", "id": "0a",
            "policy": "command-guard", "rule": "rm-root", "policies": "d1", "n": 3, "by": null,
        });
        let line = Sent { keys: keys.as_object().unwrap().clone(), id: "0a".to_owned() };
        let expected = json!([{
            "activity_id": 1,
            "category_uid": 2,
            "class_uid": 2004,
            "type_uid": 200_401,
            "time": 1_767_323_045_678_i64,
            "severity_id": 4,
            "action_id": 2,
            "disposition_id": 2,
            "disposition": "Blocked",
            "is_alert": true,
            "message": "rm -rf /",
            "policy": { "name": "command-guard", "version": "d1" },
            "finding_info": {
                "uid": "0a",
                "title": "block: Bash",
                "desc": "rm -rf /",
                "created_time": 1_767_323_045_678_i64,
                "analytic": { "name": "rm-root", "uid": "command-guard:rm-root", "type_id": 1 },
            },
            "metadata": {
                "version": "1.7.0",
                "uid": "0a",
                "sequence": 3,
                "profiles": ["security_control"],
                "log_name": "audit",
                "product": { "name": "guard-host", "vendor_name": "guard-host", "version": env!("CARGO_PKG_VERSION") },
            },
            "device": { "hostname": "box", "type_id": 0 },
            "unmapped": {
                "ts": "2026-01-02T03:04:05.678Z", "action": "block", "tool": "Bash", "operation": "rm -rf /", "id": "0a",
                "policy": "command-guard", "rule": "rm-root", "policies": "d1", "n": 3,
            },
        }]);
        assert_eq!(request(&[line], "box"), expected);
    }

    #[test]
    fn each_action_of_the_log_has_its_words_in_the_schema() {
        for (action, severity, acted, disposition) in [
            ("block", 4, 2, "Blocked"),
            ("confirm_required", 3, 0, "Challenge"),
            ("confirmed_allow", 2, 1, "Approved"),
            ("would-deny", 3, 1, "No Action"),
            ("would-ask", 2, 1, "No Action"),
            ("warn", 2, 1, "Detected"),
            ("allow", 1, 1, "Allowed"),
            ("ran", 1, 1, "Allowed"),
            ("refused", 1, 2, "Rejected"),
            ("error", 3, 0, "Error"),
            ("pause", 3, 0, "Logged"),
            ("accept", 3, 0, "Logged"),
            ("resume", 1, 0, "Logged"),
            ("sync", 1, 0, "Logged"),
        ] {
            let told = outcome(action);
            assert_eq!((told.severity, told.action, told.disposition.1), (severity, acted, disposition), "{action}");
        }
    }

    #[test]
    fn a_line_that_is_not_of_a_call_has_what_the_schema_requires() {
        let keys = json!({ "ts": "soon", "action": "resume", "tool": "guard-host", "operation": "resume" });
        let line = Sent { keys: keys.as_object().unwrap().clone(), id: "0b".to_owned() };
        let events = request(&[line], "box");
        let event = &events[0];
        for key in
            ["activity_id", "category_uid", "class_uid", "type_uid", "time", "severity_id", "metadata", "finding_info"]
        {
            assert!(!event[key].is_null(), "{key}: {event}");
        }
        assert_eq!((&event["time"], &event["finding_info"]["uid"]), (&json!(0), &json!("0b")));
        assert!(event.get("policy").is_none() && event["finding_info"].get("analytic").is_none(), "{event}");
    }
}

//! Lines of the audit log as OpenTelemetry logs, in OTLP's JSON format: names in camel case, 64-bit numbers as text.

use guard_hook::audit::{OVERRIDE, WOULD_ASK, WOULD_DENY};
use guard_redact::{plain, shorten};
use guard_state::ACCEPT;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::queue::Sent;

/// The key whose value becomes the body.
const BODY: &str = "operation";

/// The name of this program.
const NAME: &str = "guard-host";

/// The maximum length of a receiver's message that is shown, in bytes.
const TEXT_BYTES: usize = 200;

/// A receiver's report on rejected lines.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Partial {
    /// The number of rejected lines.
    pub(super) rejected: u64,
    /// The reason, or another message.
    pub(super) text: String,
}

/// Returns the request with these lines. It only adds the version and the host's name.
pub(super) fn request(lines: &[Sent], host: &str) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [("service.name", NAME), ("service.version", version), ("host.name", host)];
    let resource: Vec<Value> = resource.iter().map(|(key, text)| attribute(key, &json!(text))).collect();
    json!({
        "resourceLogs": [{
            "resource": { "attributes": resource },
            "scopeLogs": [{
                "scope": { "name": NAME, "version": version },
                "logRecords": lines.iter().map(record).collect::<Vec<_>>(),
            }],
        }],
    })
}

fn record(line: &Sent) -> Value {
    let text = |key: &str| line.keys.get(key).and_then(Value::as_str).unwrap_or_default();
    let action = text("action");
    // OpenTelemetry's attribute for the unique id of a record.
    let own = attribute("log.record.uid", &json!(line.id));
    let others = line.keys.iter().filter(|(key, value)| *key != BODY && !value.is_null());
    let others = others.map(|(key, value)| attribute(&format!("guard.{key}"), value));
    let mut record = Map::new();
    // An invalid time is omitted, which means that it is unknown.
    if let Some(time) = text("ts").parse::<Timestamp>().ok().and_then(|time| u64::try_from(time.as_nanosecond()).ok()) {
        record.insert("timeUnixNano".to_owned(), time.to_string().into());
    }
    record.insert("severityNumber".to_owned(), severity(action).into());
    record.insert("severityText".to_owned(), action.into());
    record.insert("body".to_owned(), any_value(line.keys.get(BODY).unwrap_or(&json!(""))));
    record.insert("attributes".to_owned(), std::iter::once(own).chain(others).collect());
    record.into()
}

/// Returns the number of a severity: 17 is an error, 13 a warning, 9 an information.
fn severity(action: &str) -> u8 {
    match action {
        "block" | "error" => 17,
        "confirm_required" | "warn" | OVERRIDE | WOULD_ASK | WOULD_DENY | "pause" | ACCEPT => 13,
        _ => 9,
    }
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": any_value(value) })
}

/// Converts a JSON value to an OTLP value.
fn any_value(value: &Value) -> Value {
    match value {
        Value::Null => json!({}),
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => json!({ "intValue": whole.to_string() }),
            None => json!({ "doubleValue": number.as_f64() }),
        },
        Value::String(text) => json!({ "stringValue": text }),
        Value::Array(values) => json!({ "arrayValue": { "values": values.iter().map(any_value).collect::<Vec<_>>() } }),
        Value::Object(map) => {
            let values: Vec<Value> = map.iter().map(|(key, value)| attribute(key, value)).collect();
            json!({ "kvlistValue": { "values": values } })
        }
    }
}

/// Reads the report on rejected lines from the body of an answer. A body that is empty or not JSON reports nothing.
pub(super) fn partial(body: &[u8]) -> Partial {
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Answer {
        partial_success: Option<Success>,
    }
    #[derive(Default, Deserialize)]
    #[serde(default, rename_all = "camelCase")]
    struct Success {
        rejected_log_records: Value,
        error_message: String,
    }
    let answer: Answer = serde_json::from_slice(body).unwrap_or_default();
    let success = answer.partial_success.unwrap_or_default();
    let rejected = match &success.rejected_log_records {
        Value::String(text) => text.parse().unwrap_or_default(),
        number => number.as_u64().unwrap_or_default(),
    };
    Partial { rejected, text: shorten(&plain(&success.error_message), TEXT_BYTES) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_becomes_a_record() {
        let keys = json!({
            "ts": "2026-01-02T03:04:05.678Z", "action": "block", "operation": "rm -rf /", "id": "0a", "ms": 1.5,
            "rules": ["p:r"], "n": 3, "by": null, "decision": { "redacted": false },
        });
        let line = Sent { keys: keys.as_object().unwrap().clone(), id: "0a".to_owned() };
        let request = request(&[line], "box");
        let record = &request["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
        assert_eq!(record["timeUnixNano"], "1767323045678000000");
        assert_eq!((&record["severityNumber"], &record["severityText"]), (&json!(17), &json!("block")));
        assert_eq!(record["body"], json!({ "stringValue": "rm -rf /" }));
        let attributes: Map<String, Value> = record["attributes"].as_array().unwrap().iter().map(pair).collect();
        assert_eq!(
            Value::from(attributes),
            json!({
                "log.record.uid": { "stringValue": "0a" }, "guard.id": { "stringValue": "0a" },
                "guard.ts": { "stringValue": "2026-01-02T03:04:05.678Z" }, "guard.action": { "stringValue": "block" },
                "guard.ms": { "doubleValue": 1.5 }, "guard.n": { "intValue": "3" },
                "guard.rules": { "arrayValue": { "values": [{ "stringValue": "p:r" }] } },
                "guard.decision": { "kvlistValue": { "values": [{ "key": "redacted", "value": { "boolValue": false } }] } },
            })
        );
        let resource = request["resourceLogs"][0]["resource"]["attributes"].as_array().unwrap();
        assert_eq!(resource.last().map(pair).unwrap().1, json!({ "stringValue": "box" }));
    }

    fn pair(attribute: &Value) -> (String, Value) {
        (attribute["key"].as_str().unwrap().to_owned(), attribute["value"].clone())
    }

    #[test]
    fn an_answer_says_what_was_not_taken() {
        for (body, rejected, text) in [
            ("", 0, ""),
            ("{}", 0, ""),
            ("no JSON", 0, ""),
            (r#"{"partialSuccess":null}"#, 0, ""),
            (r#"{"partialSuccess":{"rejectedLogRecords":"3","errorMessage":"too\u001b old"}}"#, 3, "too\u{fffd} old"),
            (r#"{"partialSuccess":{"rejectedLogRecords":2}}"#, 2, ""),
        ] {
            assert_eq!(partial(body.as_bytes()), Partial { rejected, text: text.to_owned() }, "{body}");
        }
    }
}

//! Logs in SARIF 2.1.0, which code hosts show at the affected lines.

use serde_json::{Value, json};

/// A SARIF rule: its id, and what holds if there are no findings.
pub(super) type Rule = (&'static str, &'static str);

/// A finding for a line.
pub(super) struct Annotation {
    /// The id of the rule.
    pub(super) rule: &'static str,
    /// `error` or `warning`.
    pub(super) level: &'static str,
    pub(super) text: String,
    /// The file. May be empty.
    pub(super) file: String,
    /// The line and column, if they are known.
    pub(super) at: (Option<usize>, Option<usize>),
}

/// Returns the log with these rules and findings.
pub(super) fn log(rules: &[Rule], found: impl IntoIterator<Item = Annotation>) -> Value {
    let rules = rules.iter().map(|(id, text)| json!({ "id": id, "shortDescription": { "text": text } }));
    let rules: Vec<Value> = rules.collect();
    let driver = json!({ "name": "guard-host", "version": env!("CARGO_PKG_VERSION"), "rules": rules });
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "results": found.into_iter().map(result).collect::<Vec<_>>(),
        }],
    })
}

fn result(found: Annotation) -> Value {
    let mut location = json!({ "artifactLocation": { "uri": uri(&found.file) } });
    let region = match found.at {
        (Some(line), Some(column)) => Some(json!({ "startLine": line, "startColumn": column })),
        (Some(line), None) => Some(json!({ "startLine": line })),
        (None, _) => None,
    };
    if let (Some(region), Some(map)) = (region, location.as_object_mut()) {
        map.insert("region".to_owned(), region);
    }
    let locations = if found.file.is_empty() { json!([]) } else { json!([{ "physicalLocation": location }]) };
    json!({
        "ruleId": found.rule,
        "level": found.level,
        "message": { "text": found.text },
        "locations": locations,
    })
}

/// Returns the path as a URI reference, with other characters percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

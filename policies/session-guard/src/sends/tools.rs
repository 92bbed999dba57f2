//! Finds tools other than shells that send data: fetches with data in the address, and MCP tools, by their names.

use guard_sdk::Call;
use guard_sdk::serde_json::Value;

use super::{OutgoingData, has_token, has_token_label};
use guard_sdk::addresses::host;

/// Words in a tool's name that mean sending, or creating something that others see.
const SENDING: &[&str] = &[
    "add", "append", "capture", "chat", "comment", "create", "deploy", "email", "evaluate", "fill", "gist", "index",
    "insert", "invoke", "mail", "merge", "message", "notify", "paste", "patch", "post", "produce", "publish", "push",
    "put", "reply", "send", "set", "share", "submit", "tweet", "type", "update", "upload", "upsert", "webhook",
    "write",
];

/// Verbs for sending, for tools with a file in their arguments.
const LEAVING: &[&str] = &["email", "mail", "post", "publish", "push", "send", "share", "upload"];

/// Names of arguments for a file on this machine.
const PATHS: &[&str] = &["destination", "file", "file_path", "filename", "filepath", "notebook_path", "path", "source"];

/// Names of arguments for a request's body, and for its method.
const BODIES: &[&str] = &["body", "data", "form", "json", "payload"];
const METHODS: &[&str] = &["method", "verb"];

/// First words in the names of read-only tools, and methods of read-only requests.
const READING: &[&str] = &["fetch", "find", "get", "list", "query", "read", "search"];
const READ: &[&str] = &["GET", "HEAD", "OPTIONS", ""];

/// The servers whose tools stay on this machine.
const LOCAL: &[&str] = &["filesystem", "memory", "sqlite", "fs", "ide"];

/// The maximum number of texts that are examined.
const TEXTS: usize = 256;

/// Returns the data that a tool call sends.
pub(super) fn find(call: &Call<'_>, is_foreign: impl Fn(&str) -> bool) -> Option<OutgoingData> {
    let tool = call.tool();
    let input = call.input().ok()?;
    let mut texts = Vec::new();
    collect(&input, &mut texts);
    let address = || texts.iter().find(|text| text.contains("://")).map(|text| host(text));
    let what = || format!("`{tool}`");
    if tool == "WebFetch" {
        let carrier = texts.iter().find(|text| text.contains("://") && contains_secret(text))?;
        let to = host(carrier);
        return is_foreign(&to).then(|| OutgoingData { what: what(), to });
    }
    let mut parts = tool.strip_prefix("mcp__")?.splitn(2, "__");
    let (server, name) = (parts.next()?.to_ascii_lowercase(), parts.next()?);
    if LOCAL.iter().any(|local| server.split(['_', '-']).any(|part| part == *local)) {
        return None;
    }
    let words = split_name(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // A file of this machine.
    let is_file = PATHS.iter().any(|name| input.get(*name).is_some_and(Value::is_string));
    if is_file && !texts.iter().any(|text| text.contains("://")) && !has(LEAVING) {
        return None;
    }
    let reads = words.first().is_some_and(|word| READING.contains(&word.as_str()))
        || words.last().is_some_and(|word| word == "search");
    let carrier = texts.iter().find(|text| text.contains("://") && contains_secret(text));
    let key = |names: &[&str]| names.iter().find_map(|name| input.get(*name));
    let names = input.as_object().into_iter().flat_map(|map| map.iter()).filter(|(_, value)| !value.is_null());
    let mut names = names.map(|(name, _)| name.to_ascii_lowercase());
    let is_sent = names.any(|name| BODIES.contains(&name.as_str()) || name.ends_with("body"));
    let by_method =
        key(METHODS).and_then(Value::as_str).is_some_and(|method| !READ.contains(&method.to_uppercase().as_str()));
    let stores = texts.iter().any(|text| {
        let first = text.split_whitespace().next().unwrap_or_default().to_ascii_lowercase();
        matches!(first.as_str(), "insert" | "update" | "merge" | "copy" | "replace")
    });
    let gives = has(SENDING) && !reads || is_sent || by_method || stores;
    if !gives && carrier.is_none() {
        return None;
    }
    let to = carrier.map(|text| host(text)).or_else(address).unwrap_or_default();
    is_foreign(&to).then(|| OutgoingData { what: what(), to })
}

/// Returns whether an address contains a likely secret.
fn contains_secret(address: &str) -> bool {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    has_token(query) || has_token_label(address)
}

/// Splits a name in any spelling into words: `browser_type`, `sendMessage`, `create-issue`.
fn split_name(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for char in name.chars() {
        if !char.is_alphanumeric() || char.is_uppercase() && was_lower {
            words.push(String::new());
        }
        was_lower = char.is_lowercase();
        if char.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(char.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn collect<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    if texts.len() >= TEXTS {
        return;
    }
    match value {
        Value::String(text) => texts.push(text),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(map) => map.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::split_name;

    #[test]
    fn a_name_is_split_into_its_words() {
        for name in ["sendMessage", "send_message", "Send-Message"] {
            assert_eq!(split_name(name), ["send", "message"], "{name}");
        }
    }
}

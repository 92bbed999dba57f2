//! Addresses that are more than a page: a request that deletes, and the credentials that a cloud gives its machines.

use serde_json::{Map, Value};

use super::names::normalize;
use crate::paths::trimmed;
use crate::shell_word::word;

/// The hosts that give a machine its credentials.
const METADATA_HOSTS: [&str; 4] = ["169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200"];

/// The command for the same request, if it is one to ask about.
pub(super) fn line(url: &str, object: &Map<String, Value>) -> Option<String> {
    let method =
        object.iter().find(|(key, _)| normalize(key).ends_with("method")).and_then(|(_, value)| value.as_str());
    if !url.contains("://") {
        None
    } else if method.is_some_and(|method| method.eq_ignore_ascii_case("DELETE")) {
        Some(format!("curl -X DELETE {}", word(url)))
    } else {
        is_metadata(url).then(|| format!("curl {}", word(url)))
    }
}

/// The names of arguments that hold an address without its host.
const PATHS: [&str; 5] = ["path", "endpoint", "uri", "route", "apipath"];

/// The request of a tool that knows the host itself, if it deletes: the method and the path are arguments of their own.
pub(super) fn hostless_request(server: &str, tool: &str, object: &Map<String, Value>) -> Option<String> {
    let name = tool.get(server.len()..).unwrap_or_default().trim_start_matches('_');
    if ["get", "list", "describe", "find", "search", "show"].iter().any(|look| name.starts_with(look)) {
        return None;
    }
    let text = |names: &[&str]| {
        let named = object.iter().filter(|(key, _)| names.contains(&normalize(key).as_str()));
        named.filter_map(|(_, value)| value.as_str()).next()
    };
    let method = text(&["method", "httpmethod", "verb", "requestmethod"])?;
    let others =
        object.iter().filter(|(key, _)| normalize(key).ends_with("path")).filter_map(|(_, value)| value.as_str());
    let path = text(&PATHS).into_iter().chain(others).find(|path| path.starts_with('/'))?;
    let host = server.split('_').find(|word| !word.is_empty() && *word != "mcp")?;
    method.eq_ignore_ascii_case("DELETE").then(|| format!("curl -X DELETE {}", word(&format!("https://{host}{path}"))))
}

/// The address is a file's or that of the machine's credentials, so that it leads to no network.
pub(super) fn is_local(url: &str) -> bool {
    let url = trimmed(url);
    url.starts_with("file://") || is_metadata(url)
}

/// The address is one where a cloud gives its machines their credentials.
fn is_metadata(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    METADATA_HOSTS.contains(&host.split(':').next().unwrap_or_default())
}

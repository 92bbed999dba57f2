//! Requests in code that delete something on a server, in languages without a script analyzer, and test doubles that
//! reply to requests.

use crate::draft::Draft;
use crate::languages::Found;
use crate::programs::fetch::outward;
use crate::wrappers::code::live::live;

/// Calls that send such a request, in lower case without blanks, by language.
const CALLS: &[(&str, &[&str])] = &[
    (
        "ruby",
        &["net::http::delete.new(", "net::http.delete(", "httparty.delete(", "restclient.delete(", "faraday.delete("],
    ),
    (
        "php",
        &[
            "->delete(\"http",
            "->request(\"delete\",",
            "\"method\"=>\"delete\"",
            "curlopt_customrequest,\"delete\"",
            "http::delete(",
        ],
    ),
    ("perl", &["http::request->new(delete=>", "http::request->new(\"delete\",", "->delete(\"http"]),
    ("elixir", &["httpoison.delete(", "httpoison.delete!(", "req.delete(", "req.delete!("]),
    ("r", &["httr::delete(", "req_method(\"delete\")"]),
    ("python", &[]),
];

/// Calls that open a connection, by language, and its calls that delete.
const CONNECTIONS: &[(&str, &[&str], &[&str])] = &[
    ("ruby", &["net::http.new(", "net::http.start("], &[".delete(\"/", ".send_request(\"delete\""]),
    ("python", &["httpconnection(", "httpsconnection(", "poolmanager("], &[".request(\"delete\","]),
];

/// Calls with which code replies to its own requests, without blanks and with one kind of quote.
const DOUBLES: &[(&str, &[&str])] = &[
    (
        "javascript",
        &[
            "setupServer(",
            "setGlobalDispatcher(newMockAgent",
            "newMockAgent(",
            "newMockAdapter(axios",
            "fetchMock.",
            "fetch=vi.fn(",
            "fetch=jest.fn(",
            "global.fetch=",
            "globalThis.fetch=",
            "spyOn(global,\"fetch\"",
            "spyOn(globalThis,\"fetch\"",
            "stubGlobal(\"fetch\"",
        ],
    ),
    ("ruby", &["stub_request(", "VCR.use_cassette("]),
];

/// Returns whether a request of the code goes to a double, or is in a comment. `url` is the literal part of its URL as
/// written in the code.
pub(crate) fn is_answered(language: &str, code: &str, url: &str) -> bool {
    let live = live(language, code);
    let text = || plain(live.get(..LONGEST).unwrap_or(&live)).replace('`', "\"");
    let host = url.match_indices('/').nth(2).map_or(url, |(at, _)| url.get(..at).unwrap_or_default());
    code.contains(url) && !live.contains(url)
        || has_double(language, &text())
        || language == "javascript"
            && host.contains("://")
            && text().contains(&format!("nock(\"{host}\""))
            && !text().contains("nock.restore(")
}

/// Returns whether code without blanks replies to its own requests.
fn has_double(language: &str, plain: &str) -> bool {
    let mut calls = DOUBLES.iter().filter(|(of, _)| *of == language).flat_map(|(_, calls)| calls.iter());
    calls.any(|call| plain.contains(call))
}

/// Returns the code without blanks, with one kind of quote.
fn plain(code: &str) -> String {
    let blank = |char: &char| matches!(char, ' ' | '\t' | '\r' | '\n');
    code.chars().filter(|char| !blank(char)).map(|char| if char == '\'' { '"' } else { char }).collect()
}

/// The maximum length of examined code in bytes.
const LONGEST: usize = 64 * 1024;

/// Adds the requests that the code sends. `literals` are its string literals.
pub(super) fn changes(found: &mut Vec<Found>, language: &str, text: &str, literals: &[String]) {
    let posts = text.get(..LONGEST).unwrap_or(text).to_ascii_lowercase().contains("post");
    let words = || literals.iter().map(String::as_str);
    // A `post` in the code may be to another URL, so only URLs without another purpose are used.
    let is_only_for_changes = |draft: &Draft| {
        draft.operation == "message.send" || draft.operation == "cloud.deploy" && draft.target.contains("hook")
    };
    let urls = words().filter(|url| url.contains("://"));
    let draft = urls.filter_map(|url| outward::effect(url, posts, false)).find(is_only_for_changes);
    if let Some(draft) = draft.filter(|_| !has_double(language, &plain(text.get(..LONGEST).unwrap_or(text)))) {
        found.push(Found::Effect(draft.certain(false)));
    }
    let Some((_, calls)) = CALLS.iter().find(|(name, _)| *name == language).filter(|_| text.len() <= LONGEST) else {
        return;
    };
    let code = plain(text);
    if has_double(language, &code) {
        return;
    }
    let code = code.to_ascii_lowercase();
    let has = |calls: &[&str]| calls.iter().any(|call| code.contains(call));
    let on_connection =
        CONNECTIONS.iter().any(|(name, opens, deletes)| *name == language && has(opens) && has(deletes));
    if on_connection || calls.iter().any(|call| code.contains(call)) {
        let address = |literal: &&String| literal.contains("://");
        let host = |literal: &&String| literal.contains('.') || literal.contains("localhost");
        let target = literals.iter().find(address).or_else(|| literals.iter().find(host));
        let target = target.map_or("", String::as_str);
        found.push(Found::Effect(Draft::destructive("network", "http.delete").target(target).certain(false)));
    }
}

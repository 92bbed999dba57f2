//! Requests by code that take something away on a server, in languages that have no reader.

use crate::draft::Draft;
use crate::languages::Found;

/// Calls in lower case without blanks, by language, that send such a request.
const CALLS: &[(&str, &[&str])] = &[
    (
        "ruby",
        &["net::http::delete.new(", "net::http.delete(", "httparty.delete(", "restclient.delete(", "faraday.delete("],
    ),
    ("php", &["->delete(\"http", "->request(\"delete\",", "curlopt_customrequest,\"delete\"", "http::delete("]),
    ("perl", &["http::request->new(delete=>", "http::request->new(\"delete\",", "->delete(\"http"]),
    ("elixir", &["httpoison.delete(", "httpoison.delete!(", "req.delete(", "req.delete!("]),
    ("r", &["httr::delete(", "req_method(\"delete\")"]),
];

/// Calls that open a Ruby connection, on which a separate method deletes.
const RUBY_CONNECTION: [&str; 2] = ["net::http.new(", "net::http.start("];

/// The longest code that is looked at.
const LONGEST: usize = 64 * 1024;

/// Adds the requests that the code sends. `literals` are the texts in it.
pub(super) fn changes(found: &mut Vec<Found>, language: &str, text: &str, literals: &[String]) {
    let Some((_, calls)) = CALLS.iter().find(|(name, _)| *name == language).filter(|_| text.len() <= LONGEST) else {
        return;
    };
    let blank = |char: char| matches!(char, ' ' | '\t' | '\r' | '\n');
    let code: String = text.to_ascii_lowercase().replace('\'', "\"").chars().filter(|char| !blank(*char)).collect();
    let on_connection = language == "ruby"
        && RUBY_CONNECTION.iter().any(|opener| code.contains(opener))
        && [".delete(\"/", ".send_request(\"delete\""].iter().any(|call| code.contains(call));
    if on_connection || calls.iter().any(|call| code.contains(call)) {
        let address = |literal: &&String| literal.contains("://");
        let host = |literal: &&String| literal.contains('.') || literal.contains("localhost");
        let target = literals.iter().find(address).or_else(|| literals.iter().find(host));
        let target = target.map_or("", String::as_str);
        found.push(Found::Effect(Draft::destructive("network", "http.delete").target(target).certain(false)));
    }
}

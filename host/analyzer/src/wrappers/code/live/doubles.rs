//! Blocks of Python in which a test double takes the place of a service.

use std::ops::Range;

use super::{Block, MAX_BLOCKS, names};

/// Names by which a decorator, a `with` statement or a parameter puts a double in place of all requests.
const MARKERS: &[&str] = &[
    "responses.activate",
    "responses.RequestsMock",
    "responses.start",
    "requests_mock",
    "respx.mock",
    "respx.start",
    "respx_mock",
    "httpx_mock",
    "use_cassette",
    "httpretty",
    "aioresponses",
    "HTTMock",
    "pook.on",
    "pook.use",
    "Mocketizer",
    "Stubber(",
];

/// The longest part of a body that is searched for a name.
const LONGEST_BODY: usize = 16 * 1024;

/// The parts of the code in which a double is in place.
pub(super) fn scopes(code: &str, bare: &str, blocks: &[Block]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    for block in blocks {
        let header = code.get(block.header.clone()).unwrap_or_default();
        let body = bare.get(block.whole.clone()).unwrap_or_default();
        if replaces(code, header, body) {
            found.push(block.whole.clone());
        }
    }
    // A double that a call starts, until one stops it.
    let mut at = 0;
    for line in bare.split_inclusive('\n').take(4 * MAX_BLOCKS) {
        let text = code.get(at..at + line.len()).unwrap_or_default();
        let rest = bare.get(at..).unwrap_or_default();
        if starts(code, text, rest) {
            let stop = [".stop(", ".disable(", ".reset("].iter().filter_map(|stop| rest.find(stop)).min();
            found.push(at..at + stop.unwrap_or(rest.len()));
        }
        at += line.len();
    }
    found
}

/// Whether the head of a block puts a double in place of what its body calls.
fn replaces(code: &str, header: &str, body: &str) -> bool {
    MARKERS.iter().any(|marker| header.contains(marker)) || is_moto(code, header) || patches(header, body)
}

/// Whether the text makes a double of a cloud: `mock_aws()`, and `mock_s3` of older versions.
fn is_moto(code: &str, text: &str) -> bool {
    code.contains("moto") && names(text).any(|(_, name)| name.starts_with("mock_"))
}

/// Whether a statement puts a double in place from here on.
fn starts(code: &str, line: &str, rest: &str) -> bool {
    let begins = line.contains(".start()") || line.contains(".enable(");
    let object = line.trim_start().split('.').next().unwrap_or_default();
    // What the name was given.
    let made = || code.lines().find_map(|line| line.trim_start().strip_prefix(object)?.strip_prefix(" = "));
    begins && (replaces(code, line, rest) || made().is_some_and(|value| replaces(code, value, rest)))
        || ["mocker.patch", "monkeypatch.setattr"].iter().any(|call| line.contains(call)) && patches(line, rest)
}

/// Whether `patch("boto3.client")` or `patch.object(client, "send")` replaces something that the body names.
fn patches(header: &str, body: &str) -> bool {
    let body = body.get(..LONGEST_BODY).unwrap_or(body);
    let calls = ["patch(", "patch.object(", "setattr("].iter().filter_map(|call| Some(header.split_once(call)?.1));
    calls.flat_map(|target| target.split([',', ')']).next()).any(|target| {
        let parts = names(target).map(|(_, name)| name).filter(|name| name.len() > 2);
        parts.take(8).any(|part| names(body).any(|(_, name)| name == part))
    })
}

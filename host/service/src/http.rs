//! HTTP requests and responses.

use serde_json::json;
use wasip2::http::types::{
    Fields, IncomingBody, IncomingRequest, Method, OutgoingBody, OutgoingResponse, ResponseOutparam,
};
use wasip2::io::streams::StreamError;

use crate::{answer, embedded_chain};
use guard_chain::exchange::Request;
use guard_contract::FaultKind;
use guard_harness::Reply;
use guard_harness::payload::{PAYLOAD_BYTES, parse};

/// The number of bytes read at once.
const READ_BYTES: u64 = 64 << 10;

/// The header with the hook's exit code.
const EXIT: &str = "x-guard-host-exit";

/// The header that reports missing facts about the machine.
const MISSING: &str = "x-guard-host-missing";

struct Reaction {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: String,
}

impl Reaction {
    fn new(status: u16, body: String) -> Self {
        Reaction { status, headers: Vec::new(), body }
    }

    /// Creates a response without a decision.
    fn refusal(status: u16, why: impl std::fmt::Display) -> Self {
        Reaction::new(status, json!({ "error": why.to_string() }).to_string())
    }
}

pub(crate) fn handle(request: &IncomingRequest, out: ResponseOutparam) {
    let reaction = react(request).unwrap_or_else(|refusal| refusal);
    let headers = Fields::new();
    let json = ("content-type", "application/json".to_owned());
    let length = ("content-length", reaction.body.len().to_string());
    for (name, value) in reaction.headers.into_iter().chain([json, length]) {
        // All names and values are defined in this file.
        let _ = headers.append(name, value.as_bytes());
    }
    let response = OutgoingResponse::new(headers);
    let _ = response.set_status_code(reaction.status);
    let body = response.body();
    ResponseOutparam::set(out, Ok(response));
    // If the client has disconnected, the error can't be reported.
    if let Ok(body) = body {
        let _ = write(&body, reaction.body.as_bytes());
        let _ = OutgoingBody::finish(body, None);
    }
}

/// Writes as much at once as the engine accepts, because an engine that only sends after the handler ends stores few
/// pieces.
fn write(body: &OutgoingBody, mut bytes: &[u8]) -> Result<(), StreamError> {
    let Ok(stream) = body.write() else { return Ok(()) };
    while !bytes.is_empty() {
        let room = usize::try_from(stream.check_write()?).unwrap_or(usize::MAX);
        let (now, later) = bytes.split_at(bytes.len().min(room));
        match now {
            [] => stream.subscribe().block(),
            _ => stream.write(now)?,
        }
        bytes = later;
    }
    stream.flush()
}

fn react(request: &IncomingRequest) -> Result<Reaction, Reaction> {
    let path = request.path_with_query().unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    let is_post = matches!(request.method(), Method::Post);
    let (harness, is_hook) = match path {
        "/health" => return health(),
        "/decide" => ("", false),
        "/hook" => ("", true),
        _ => match path.strip_prefix("/hook/") {
            Some(harness) => (harness, true),
            None => return Err(Reaction::refusal(404, "there are /decide, /hook, /hook/HARNESS and /health")),
        },
    };
    if !is_post {
        let refusal = Reaction::refusal(405, "only POST is answered here");
        return Err(Reaction { headers: vec![("allow", "POST".to_owned())], ..refusal });
    }
    if !harness.is_empty() && guard_harness::find_harness(harness).is_none() {
        return Err(Reaction::refusal(404, "there is no harness of this name"));
    }
    let body = read(request)?;
    let question = match is_hook {
        true => {
            let payload = parse(body).map_err(|refusal| Reaction::refusal(400, refusal.text()))?;
            Request { harness: harness.to_owned(), payload: Some(payload), ..Request::default() }
        }
        false => serde_json::from_slice(&body).map_err(|error| Reaction::refusal(400, error))?,
    };
    let embedded = embedded_chain().map_err(broken)?;
    let response = answer(&embedded, question).map_err(|undecided| Reaction::refusal(400, undecided))?;
    let missing = !response.missing.is_empty();
    let mut headers = Vec::new();
    let body = match (is_hook, &response.reply) {
        (true, Some(told)) => {
            let reply = Reply { stdout: told.stdout.clone(), stderr: told.stderr.clone(), exit: told.exit };
            headers.push((EXIT, reply.exit.to_string()));
            headers.push((MISSING, missing.to_string()));
            reply.body()
        }
        _ => response.text().map_err(|undecided| Reaction::refusal(400, undecided))?,
    };
    Ok(Reaction { headers, ..Reaction::new(200, body) })
}

fn health() -> Result<Reaction, Reaction> {
    let embedded = embedded_chain().map_err(broken)?;
    let policies: Vec<&str> = embedded.members.iter().map(|member| member.entry.name.as_str()).collect();
    let body = json!({
        "status": "ok",
        "version": env!("CARGO_PKG_VERSION"),
        "policies": policies,
        "config_problems": embedded.problems.len(),
    });
    Ok(Reaction::new(200, body.to_string()))
}

fn broken(fault: FaultKind) -> Reaction {
    Reaction::refusal(500, format!("the service is broken: {fault}"))
}

fn read(request: &IncomingRequest) -> Result<Vec<u8>, Reaction> {
    let broke_off = || Reaction::refusal(400, "the request broke off");
    let body = request.consume().map_err(|()| broke_off())?;
    let mut bytes = Vec::new();
    let stream = body.stream().map_err(|()| broke_off())?;
    loop {
        match stream.blocking_read(READ_BYTES) {
            Ok(read) => bytes.extend_from_slice(&read),
            Err(StreamError::Closed) => break,
            Err(StreamError::LastOperationFailed(_)) => return Err(broke_off()),
        }
        if bytes.len() as u64 > PAYLOAD_BYTES {
            return Err(Reaction::refusal(413, format!("the request is larger than {} MiB", PAYLOAD_BYTES >> 20)));
        }
    }
    drop(stream);
    IncomingBody::finish(body);
    Ok(bytes)
}

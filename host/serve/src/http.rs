//! [`Router`]: the server's URLs, their access control, and the limits of requests.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{ALLOW, AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use hyper::http::request::Parts;
use hyper::{Method, Request, Response, StatusCode};
use serde_json::json;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};
use tokio::task::spawn_blocking;
use tokio::time::timeout_at;

use crate::calls::{Answer, Calls};
use crate::metrics::METRICS;
use crate::token::Token;
use guard_harness::Harness;
use guard_hook::hook::PAYLOAD_BYTES;
use guard_hook::remote::FORWARDED;

/// The header with the hook's exit code.
const EXIT: HeaderName = HeaderName::from_static("x-guard-host-exit");

/// The header with the duration of the decision in milliseconds, in the format that browsers' tools read.
const TIMING: HeaderName = HeaderName::from_static("server-timing");

/// The maximum number of bytes of a refused body that are read and discarded, so that the client gets the response.
const THROWN_AWAY: u64 = 80 << 20;

/// The state for answering requests.
pub(crate) struct Router {
    pub(crate) calls: Arc<Calls>,
    pub(crate) token: Token,
    /// The time limit for receiving a request's body.
    pub(crate) read_timeout: Duration,
    pub(crate) started: Instant,
    pub(crate) note: fn(&str),
    /// The budget for the bodies of requests, in KiB.
    pub(crate) bodies: Semaphore,
    pub(crate) health: Mutex<()>,
}

/// The budget for the bodies of all requests in KiB, four times the largest.
pub(crate) const BODIES_KIB: usize = 64 << 10;

/// An error response.
struct Refusal {
    status: StatusCode,
    text: String,
    header: Option<(HeaderName, &'static str)>,
}

impl Refusal {
    fn new(status: StatusCode, text: impl Into<String>) -> Self {
        Refusal { status, text: text.into(), header: None }
    }
}

/// The handler for a request.
enum Route {
    Health,
    Metrics,
    Hook(Option<&'static dyn Harness>),
    Decide,
}

impl Router {
    /// Answers a request.
    pub(crate) async fn serve(
        self: Arc<Self>,
        request: Request<Incoming>,
    ) -> Result<Response<Full<Bytes>>, Infallible> {
        let until = Instant::now() + self.read_timeout;
        let (head, mut body) = request.into_parts();
        let answered = match self.find_route(&head) {
            Ok(Route::Health) => Ok(self.health().await),
            Ok(Route::Metrics) => Ok(self.metrics().await),
            Ok(Route::Decide) if self.is_loop(&head).await => Err(loop_refusal()),
            Ok(Route::Decide) => match self.read(&mut body, PAYLOAD_BYTES, until).await {
                Ok((bytes, _room)) => decision_response(self.calls.exchange(bytes).await),
                Err(refusal) => Err(refusal),
            },
            Ok(Route::Hook(named)) => match self.read(&mut body, PAYLOAD_BYTES, until).await {
                Ok((bytes, _room)) => {
                    let started = Instant::now();
                    let answer = self.calls.answer(named, bytes).await;
                    reply(answer, started.elapsed())
                }
                Err(refusal) => Err(refusal),
            },
            Err(refusal) => Err(refusal),
        };
        Ok(match answered {
            Ok(response) => response,
            Err(refusal) => {
                self.calls.metrics().count_refusal(refusal.status.as_u16());
                (self.note)(&format!("refused with status {}: {}", refusal.status.as_u16(), refusal.text));
                if refusal.status != StatusCode::REQUEST_TIMEOUT {
                    let _ = throw_away(&mut body, until).await;
                }
                refusal_response(refusal)
            }
        })
    }

    fn find_route(&self, head: &Parts) -> Result<Route, Refusal> {
        let path = head.uri.path();
        let (method, place) = match path.strip_prefix("/hook") {
            _ if path == "/health" => (Method::GET, Some(Route::Health)),
            _ if path == "/decide" => (Method::POST, Some(Route::Decide)),
            _ if path == "/metrics" => (Method::GET, Some(Route::Metrics)),
            Some("") => (Method::POST, Some(Route::Hook(None))),
            Some(name) if name.starts_with('/') => {
                let named = guard_harness::find_harness(name.trim_start_matches('/'));
                (Method::POST, named.map(|harness| Route::Hook(Some(harness))))
            }
            _ => {
                return Err(Refusal::new(
                    StatusCode::NOT_FOUND,
                    "there are /hook, /hook/HARNESS, /decide, /health and /metrics",
                ));
            }
        };
        let is_for_all = matches!(place, Some(Route::Health));
        let shown = head.headers.get(AUTHORIZATION).map(HeaderValue::as_bytes);
        if !is_for_all && !shown.is_some_and(|header| self.token.matches_header(header)) {
            let why = if shown.is_some() { "the token is wrong" } else { "the token is missing" };
            let text = format!("{why}: send `Authorization: Bearer TOKEN`, with the token of the server's token file");
            let header = Some((WWW_AUTHENTICATE, "Bearer"));
            return Err(Refusal { header, ..Refusal::new(StatusCode::UNAUTHORIZED, text) });
        }
        if head.method != method {
            let allowed = if method == Method::GET { "GET" } else { "POST" };
            let text = format!("only {allowed} is answered here");
            let header = Some((ALLOW, allowed));
            return Err(Refusal { header, ..Refusal::new(StatusCode::METHOD_NOT_ALLOWED, text) });
        }
        place.ok_or_else(|| Refusal::new(StatusCode::NOT_FOUND, "there is no harness of this name"))
    }

    /// Returns whether a server forwarded the request, and this one would forward it too. Nothing is decided then, so the
    /// client's fallback applies.
    async fn is_loop(&self, head: &Parts) -> bool {
        if !head.headers.contains_key(FORWARDED) {
            return false;
        }
        let calls = self.calls.clone();
        spawn_blocking(move || calls.config().remote.is_some()).await.unwrap_or(true)
    }

    /// Reads a body when the budget permits. The body keeps its share until its call is answered.
    async fn read(
        &self,
        body: &mut Incoming,
        most: u64,
        until: Instant,
    ) -> Result<(Vec<u8>, SemaphorePermit<'_>), Refusal> {
        let size = body.size_hint();
        if size.lower() > most {
            return Err(too_large_refusal(most));
        }
        // A body without a length may be as long as the limit.
        let kibibytes = size.upper().unwrap_or(most).div_ceil(1024).try_into().unwrap_or(u32::MAX);
        let room = timeout_at(until.into(), self.bodies.acquire_many(kibibytes)).await;
        let Ok(Ok(room)) = room else { return Err(busy()) };
        Ok((read(body, most, until).await?, room))
    }

    async fn health(&self) -> Response<Full<Bytes>> {
        // One at a time, because this needs no token.
        let _turn = self.health.lock().await;
        let calls = self.calls.clone();
        let problems = spawn_blocking(move || calls.config().problems.len()).await.unwrap_or_default();
        let body = json!({
            "status": "ok",
            "version": env!("CARGO_PKG_VERSION"),
            "uptime_seconds": self.started.elapsed().as_secs(),
            "calls": self.calls.count(),
            "config_problems": problems,
        });
        respond(StatusCode::OK, body.to_string())
    }

    /// Returns the server's counters in the Prometheus format.
    async fn metrics(&self) -> Response<Full<Bytes>> {
        // One at a time, as for `/health`, because counting the problems may prepare a chain.
        let _turn = self.health.lock().await;
        let calls = self.calls.clone();
        let uptime = self.started.elapsed();
        let text = spawn_blocking(move || calls.metrics().text(uptime, calls.config().problems.len()))
            .await
            .unwrap_or_default();
        let mut response = respond(StatusCode::OK, text);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(METRICS));
        response
    }
}

fn too_large_refusal(most: u64) -> Refusal {
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, format!("the payload is larger than {} MiB", most >> 20))
}

/// The server of a `[remote]` has a `[remote]` itself.
fn loop_refusal() -> Refusal {
    let text = "a server forwarded this call, and this one has a `[remote]` too: set `url` to a server without one";
    Refusal::new(StatusCode::LOOP_DETECTED, text)
}

/// Too many calls at once.
fn busy() -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "the server is busy, and the call was not decided")
}

/// Nothing is decided, for this reason.
fn undecided(text: String) -> Refusal {
    Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
}

/// Reads a body to its end.
async fn read(body: &mut Incoming, most: u64, until: Instant) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::with_capacity(usize::try_from(body.size_hint().lower()).unwrap_or_default());
    let mut limited = Limited::new(body, usize::try_from(most).unwrap_or(usize::MAX));
    loop {
        let Ok(frame) = timeout_at(until.into(), limited.frame()).await else {
            return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the request took too long to arrive"));
        };
        match frame {
            None => return Ok(bytes),
            // Copied, because a frame may keep alive a much larger buffer of the connection.
            Some(Ok(frame)) => bytes.extend_from_slice(frame.data_ref().map_or(&[], |data| data)),
            Some(Err(error)) if error.is::<LengthLimitError>() => return Err(too_large_refusal(most)),
            Some(Err(_)) => return Err(Refusal::new(StatusCode::BAD_REQUEST, "the request broke off")),
        }
    }
}

/// Reads the rest of a body, because closing a connection with unread data can discard the response.
async fn throw_away(body: &mut Incoming, until: Instant) -> Option<()> {
    let mut read = 0;
    while let Some(frame) = timeout_at(until.into(), body.frame()).await.ok()? {
        read += frame.ok()?.data_ref().map_or(0, |data| data.len() as u64);
        if read > THROWN_AWAY {
            return None;
        }
    }
    Some(())
}

/// Converts the hook's reply. The exit code is in a header, and standard error is in the body.
fn reply(answer: Answer, time: Duration) -> Result<Response<Full<Bytes>>, Refusal> {
    let (mut response, exit) = match answer {
        Answer::Reply(reply, _) => (respond(StatusCode::OK, reply.body()), reply.exit),
        Answer::Busy | Answer::Response(..) => return Err(busy()),
        Answer::Undecided(text) => return Err(undecided(text)),
        Answer::Report(text) => (respond(StatusCode::BAD_REQUEST, json!({ "error": text }).to_string()), 1),
    };
    let headers = response.headers_mut();
    headers.insert(EXIT, HeaderValue::from(u16::from(exit)));
    if let Ok(timing) = HeaderValue::try_from(format!("decision;dur={:.3}", time.as_secs_f64() * 1000.0)) {
        headers.insert(TIMING, timing);
    }
    Ok(response)
}

/// Converts the response to a call from another machine. Otherwise nothing was decided.
fn decision_response(answer: Answer) -> Result<Response<Full<Bytes>>, Refusal> {
    match answer {
        Answer::Response(text, ..) => Ok(respond(StatusCode::OK, text)),
        Answer::Report(text) => Err(Refusal::new(StatusCode::BAD_REQUEST, text)),
        Answer::Reply(..) | Answer::Busy => Err(busy()),
        Answer::Undecided(text) => Err(undecided(text)),
    }
}

fn refusal_response(refusal: Refusal) -> Response<Full<Bytes>> {
    let mut response = respond(refusal.status, json!({ "error": refusal.text }).to_string());
    let headers = response.headers_mut();
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if let Some((name, value)) = refusal.header {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

fn respond(status: StatusCode, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(body)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

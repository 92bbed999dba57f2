//! The server: the hook's answers over HTTP, from one long-running process.
//!
//! # Invariants
//!
//! - An accepted call gets exactly one answer. A deadline, a panic or a hanging thread gives at least an ask, as in the
//!   hook, and doesn't affect the process or other calls.
//! - Only status 200 is a verdict. With any other status, nothing was decided.
//! - A call's audit line, journal lines and pending call are written before its answer is sent, so that every answer is
//!   on record even if the process is killed.
//! - Decisions and `/metrics`, which names policies and rules, require the token. `/health` doesn't, and reveals
//!   nothing private.
//! - The server only listens on the machine itself.
//! - After a call, only counters and the names of the rules with findings stay in memory.
//! - Prepared chains stay in memory. For every call, the chain is checked against the files that it depends on.
//! - A state folder and an address belong to one server at a time. This is enforced by the system's locks, so that a
//!   killed server doesn't block the next one.

#![cfg_attr(not(test), deny(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout))]

mod calls;
mod chains;
mod shutdown;
mod http;
mod listener;
mod metrics;
mod token;

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
#[cfg(unix)]
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::runtime::{self, Runtime};
use tokio::select;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;

use calls::Calls;
use guard_hook::remote::RemoteDecider;
use guard_state::environment::Environment;
use guard_state::{AppDirs, FileLock, FolderError, make_private};
use http::{BODIES_KIB, Router};
pub use listener::Address;
use listener::{Connection, Listener};
use shutdown::ShutdownSignals;
use token::Token;
pub use token::{TokenError, TokenErrorKind};

/// The reason if the configuration wants a call's line first, and it can't be logged.
const UNLOGGED: &str = "the server can't write its audit log, so it didn't decide the call";

/// The stack size of a worker thread, large enough that every guest reaches its own limit first.
const STACK_BYTES: usize = 8 << 20;

/// The number of additional threads, for those that hang after their call was given up.
const SPARE_THREADS: usize = 64;

/// The maximum size of a request's head.
const HEAD_BYTES: usize = 32 << 10;

/// The time that shutdown waits for running calls: the longest deadline and the time for records.
const END: Duration = Duration::from_secs(4);

/// The pause when no connection can be accepted, for example because too many files are open.
const REST: Duration = Duration::from_millis(50);

/// The options of a server.
#[derive(Debug, Clone)]
pub struct Options {
    /// The address to listen on.
    pub address: Address,
    /// The token's file, or `None` for `serve.token` in the state folder.
    pub token_file: Option<PathBuf>,
    /// The time limit for a request's head, and again for its body. An idle connection is closed after the same time.
    pub read_timeout: Duration,
    /// The maximum number of connections.
    pub connections: usize,
    /// The maximum number of calls that are decided at once. Others wait.
    pub at_once: usize,
    /// The client for the server of a `[remote]`, if the configuration has one.
    pub asker: Arc<dyn RemoteDecider>,
    /// Called with the address once the server listens.
    pub ready: fn(&str),
    /// Called with messages for the server's administrators.
    pub note: fn(&str),
}

/// The reason why a server didn't start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// Other machines can reach the address.
    #[error("`{0}` is not a loopback address")]
    Exposed(SocketAddr),
    /// Another process has the address.
    #[error("something listens at `{0}` already")]
    Taken(String),
    /// Another server has the state folder.
    #[error("another server uses the state folder `{0}`")]
    Busy(PathBuf),
    /// The address can't be used.
    #[error("cannot listen at `{0}`: {1}")]
    Listen(String, #[source] io::Error),
    /// The state folder can't be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The state folder's lock can't be used.
    #[error("cannot use the lock `{0}`: {1}")]
    Lock(PathBuf, #[source] io::Error),
    /// There is no token.
    #[error(transparent)]
    Token(#[from] TokenError),
    /// The sandbox can't start on this machine.
    #[error("the sandbox cannot start on this machine: {0}")]
    Sandbox(String),
    /// Threads can't be started, or signals can't be handled.
    #[error("the machine has no room for the server: {0}")]
    Threads(#[source] io::Error),
    /// Its configuration names it as the server that decides.
    #[error("`[remote]` names this server itself: `{0}`")]
    Itself(String),
    /// The server ended because of too many panics.
    #[error("too much went wrong inside")]
    WornOut,
}

/// Serves until the process is asked to end, and answers all running calls before it returns.
///
/// # Errors
///
/// [`ServeError`] has the reasons.
pub fn run(options: &Options, dirs: &AppDirs, environment: &Environment) -> Result<(), ServeError> {
    make_private(&dirs.state)?;
    let lock = dirs.state.join("serve.lock");
    let _lock = FileLock::acquire(&lock, Instant::now()).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => ServeError::Busy(dirs.state.clone()),
        _ => ServeError::Lock(lock.clone(), error),
    })?;
    let token = Token::load_or_create(&options.token_file.clone().unwrap_or_else(|| token_file(dirs)))?;
    let runtime = runtime(options.at_once).map_err(ServeError::Threads)?;
    let result = runtime.block_on(async {
        let listener = Listener::bind(&options.address)?;
        allow_files(options.connections);
        let calls = Calls::new(dirs, environment, options)?;
        calls::answer_panics(options.note);
        // Prepares the chain that most calls need before the first call.
        if let Some(remote) = calls.config().remote
            && is_at(&options.address, &remote.url)
        {
            return Err(ServeError::Itself(remote.url));
        }
        let ends = ShutdownSignals::new().map_err(ServeError::Threads)?;
        let site = Router {
            calls,
            token,
            read_timeout: options.read_timeout,
            started: Instant::now(),
            note: options.note,
            bodies: Semaphore::new(BODIES_KIB),
            health: Mutex::const_new(()),
        };
        let was_told = serve(options, listener, Arc::new(site), ends).await;
        was_told.then_some(()).ok_or(ServeError::WornOut)
    });
    // Doesn't wait for hanging threads. Their calls were answered.
    runtime.shutdown_background();
    result
}

/// Returns the token of servers that use this state folder. Creates it if it is missing.
///
/// # Errors
///
/// The file isn't private, or contains no token.
pub fn token(dirs: &AppDirs) -> Result<String, TokenError> {
    Token::load_or_create(&token_file(dirs)).map(Token::into_text)
}

fn token_file(dirs: &AppDirs) -> PathBuf {
    dirs.state.join("serve.token")
}

/// The address of a `[remote]` is the one where this server listens.
fn is_at(address: &Address, url: &str) -> bool {
    let Address::Tcp(own) = address else { return false };
    let Some(host) = url.strip_prefix("http://").and_then(|rest| rest.split('/').next()) else { return false };
    let port = host.rsplit_once(':').map_or(Some(80), |(_, port)| port.parse().ok());
    port == Some(own.port())
}

/// Creates the runtime: one thread for the connections, the others for deciding calls.
fn runtime(at_once: usize) -> io::Result<Runtime> {
    runtime::Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .thread_stack_size(STACK_BYTES)
        .max_blocking_threads(at_once + SPARE_THREADS)
        .build()
}

/// Raises the limit of open files for the connections, as far as permitted.
#[cfg(unix)]
fn allow_files(connections: usize) {
    let wanted = u64::try_from(connections).unwrap_or(u64::MAX).saturating_add(256);
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|current| current < wanted) {
        let raised = limit.maximum.map_or(wanted, |most| most.min(wanted));
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(raised), maximum: limit.maximum });
    }
}

/// This system has no such limit.
#[cfg(not(unix))]
fn allow_files(_: usize) {}

/// Returns true if the server was asked to end.
async fn serve(options: &Options, listener: Listener, site: Arc<Router>, mut ends: ShutdownSignals) -> bool {
    let (end, ending) = watch::channel(false);
    let room = Arc::new(Semaphore::new(options.connections));
    // Permits for connections that get a refusal.
    let refusals = Arc::new(Semaphore::new(SPARE_THREADS));
    (options.ready)(&listener.name());
    let was_told = loop {
        let accepted = select! {
            accepted = listener.accept() => accepted,
            () = ends.wait() => break true,
            () = site.calls.unhealthy() => break false,
        };
        let connection = match accepted {
            Ok(connection) => connection,
            Err(error) => {
                (options.note)(&format!("a connection could not be taken: {error}"));
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        let Ok(place) = room.clone().try_acquire_owned() else {
            site.calls.metrics().count_refusal(503);
            (options.note)("refused with status 503: there are too many connections");
            if let Ok(place) = refusals.clone().try_acquire_owned() {
                match connection {
                    Connection::Tcp(stream) => tokio::spawn(turn_away(stream, place)),
                    Connection::Socket(stream) => tokio::spawn(turn_away(stream, place)),
                };
            }
            continue;
        };
        let (site, ending) = (site.clone(), ending.clone());
        match connection {
            Connection::Tcp(stream) => tokio::spawn(converse(stream, site, ending, place)),
            Connection::Socket(stream) => tokio::spawn(converse(stream, site, ending, place)),
        };
    };
    // No new connections are accepted. Existing requests are answered.
    drop(listener);
    let _ = end.send(true);
    let all = u32::try_from(options.connections).unwrap_or(u32::MAX);
    let _ = timeout(END, room.acquire_many(all)).await;
    was_told
}

/// Answers the requests of a connection in sequence.
async fn converse<S>(stream: S, site: Arc<Router>, mut ending: watch::Receiver<bool>, place: OwnedSemaphorePermit)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let read_timeout = site.read_timeout;
    let service = service_fn(move |request| site.clone().serve(request));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(read_timeout).max_buf_size(HEAD_BYTES).half_close(true);
    // The timeout also covers clients that don't read their answers.
    let mut stream = Box::pin(TimeoutStream::new(stream));
    stream.as_mut().set_write_timeout_pinned(Some(read_timeout));
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    select! {
        // An error here only affects the client.
        _ = connection.as_mut() => {}
        () = async { drop(ending.wait_for(|is_ending| *is_ending).await) } => {
            connection.as_mut().graceful_shutdown();
            let _ = connection.await;
        }
    }
    drop(place);
}

/// Responds to a client that there are too many connections.
async fn turn_away<S: AsyncRead + AsyncWrite + Unpin>(mut stream: S, place: OwnedSemaphorePermit) {
    const BODY: &str = "{\"error\":\"there are too many connections\"}";
    let head =
        "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nconnection: close\r\nretry-after: 1";
    let text = format!("{head}\r\ncontent-length: {}\r\n\r\n{BODY}", BODY.len());
    let _ = timeout(Duration::from_secs(1), async {
        stream.write_all(text.as_bytes()).await?;
        stream.shutdown().await?;
        // Closing a connection with unread data can discard the response.
        let mut rest = [0_u8; 4096];
        while stream.read(&mut rest).await? > 0 {}
        io::Result::Ok(())
    })
    .await;
    drop(place);
}

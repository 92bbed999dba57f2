//! Arguments of `guard-host serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::RangedU64ValueParser;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host serve
  guard-host serve --listen 127.0.0.1:9000 --token-file ~/.config/guard-host/token
  guard-host serve --socket ~/.local/state/guard-host/serve.sock

A client posts a payload to /hook, or to /hook/HARNESS, with the header `Authorization: Bearer TOKEN`:
  curl -H \"Authorization: Bearer $(cat ~/.local/state/guard-host/serve.token)\" \\
    --data-binary @payload.json http://127.0.0.1:8273/hook/claude

Only a 200 response is a verdict: the body is what the hook would print, and the header x-guard-host-exit is its exit code.
With any other status, or without a response, the call must not run. GET /health needs no token. GET /metrics returns
Prometheus metrics, and needs the token.

Exit codes:
  0   SIGTERM or SIGINT stopped the server
  64  the address isn't local
  69  another server is already listening
  78  the token file isn't private")]
pub(in crate::cli) struct ServeArgs {
    /// The local address to listen on; with port 0, the system chooses one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8273", conflicts_with = "socket")]
    pub(in crate::cli) listen: SocketAddr,
    /// Listen on this Unix socket instead
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) socket: Option<PathBuf>,
    /// The token file; created if it doesn't exist [default: serve.token in the state folder]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) token_file: Option<PathBuf>,
    /// Seconds a client may take to send a request, and that an idle connection stays open
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = RangedU64ValueParser::<u64>::new().range(1..=3600))]
    pub(in crate::cli) read_timeout: u64,
    /// Maximum number of connections
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    pub(in crate::cli) max_connections: usize,
    /// Maximum number of calls to decide at once; others wait [default: 2 per CPU, at most 16]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=16))]
    pub(in crate::cli) max_calls: Option<usize>,
}

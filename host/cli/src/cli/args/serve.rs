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

Status 200 alone is a verdict: the body is what the hook would print, and the header x-guard-host-exit is the exit code
that it would end with. With any other status, or with none, the call must not run. GET /health needs no token.
GET /metrics has the numbers for Prometheus, for who sends the token.

Exit codes: 0 after SIGTERM or SIGINT, 64 for an address of other machines, 69 if another server is there, 78 if the token
file is not private.")]
pub(in crate::cli) struct ServeArgs {
    /// The address of this machine to listen at; with port 0 the system chooses one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8273", conflicts_with = "socket")]
    pub(in crate::cli) listen: SocketAddr,
    /// Listen at this Unix socket instead
    #[arg(long, value_name = "PATH")]
    pub(in crate::cli) socket: Option<PathBuf>,
    /// The file of the token, which is made if there is none [default: serve.token in the state folder]
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) token_file: Option<PathBuf>,
    /// The seconds that a client may take to send a request; a connection without one is closed after the same time
    #[arg(long, value_name = "SECONDS", default_value_t = 30, value_parser = RangedU64ValueParser::<u64>::new().range(1..=3600))]
    pub(in crate::cli) read_timeout: u64,
    /// The most connections at once
    #[arg(long, value_name = "N", default_value_t = 2048, value_parser = RangedU64ValueParser::<usize>::new().range(1..=65_536))]
    pub(in crate::cli) max_connections: usize,
    /// The most calls that are decided at once; others wait for their turn [default: 2 for each processor, 16 at most]
    #[arg(long, value_name = "N", value_parser = RangedU64ValueParser::<usize>::new().range(1..=16))]
    pub(in crate::cli) max_calls: Option<usize>,
}

//! [`Listener`]: a server's address, owned exclusively while the server runs.

use std::fs;
use std::io;
use std::net::SocketAddr;
#[cfg(unix)]
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::time::Instant;

use guard_state::FileLock;
#[cfg(unix)]
use rustix::fs::Mode;
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};

use crate::ServeError;

/// The address of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A loopback TCP address.
    Tcp(SocketAddr),
    /// A Unix socket.
    Socket(PathBuf),
}

/// Windows has no socket listeners: see [`socket`].
#[cfg(not(unix))]
type UnixListener = TcpListener;
#[cfg(not(unix))]
type UnixStream = TcpStream;

/// A listener for connections.
pub(crate) enum Listener {
    Tcp(TcpListener),
    #[cfg_attr(not(unix), expect(dead_code, reason = "see `socket`"))]
    Socket {
        listener: UnixListener,
        path: PathBuf,
        _lock: FileLock,
    },
}

/// A connection.
pub(crate) enum Connection {
    Tcp(TcpStream),
    Socket(UnixStream),
}

impl Listener {
    /// Binds the address.
    pub(crate) fn bind(address: &Address) -> Result<Self, ServeError> {
        match address {
            Address::Tcp(address) if !address.ip().is_loopback() => Err(ServeError::Exposed(*address)),
            Address::Tcp(address) => {
                let fail = |error: io::Error| match error.kind() {
                    io::ErrorKind::AddrInUse => ServeError::Taken(address.to_string()),
                    _ => ServeError::Listen(address.to_string(), error),
                };
                let listener = std::net::TcpListener::bind(address).map_err(fail)?;
                listener.set_nonblocking(true).map_err(fail)?;
                Ok(Listener::Tcp(TcpListener::from_std(listener).map_err(fail)?))
            }
            Address::Socket(path) => socket(path),
        }
    }

    /// Returns the address for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Listener::Tcp(listener) => {
                listener.local_addr().map_or_else(|_| "an address".to_owned(), |address| format!("http://{address}"))
            }
            Listener::Socket { path, .. } => path.display().to_string(),
        }
    }

    /// Accepts the next connection.
    pub(crate) async fn accept(&self) -> io::Result<Connection> {
        match self {
            Listener::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // An answer is one small packet, and the client waits for it.
                let _ = stream.set_nodelay(true);
                Ok(Connection::Tcp(stream))
            }
            Listener::Socket { listener, .. } => Ok(Connection::Socket(listener.accept().await?.0)),
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if let Listener::Socket { path, .. } = self {
            // The lock is held until afterwards, so the file is this server's.
            let _ = fs::remove_file(path);
        }
    }
}

/// Binds the socket. The lock's holder owns it, so an existing socket was left by a server that died.
#[cfg(unix)]
fn socket(path: &Path) -> Result<Listener, ServeError> {
    let name = path.display().to_string();
    let fail = |error: io::Error| ServeError::Listen(name.clone(), error);
    let mut beside = path.as_os_str().to_owned();
    beside.push(".lock");
    let lock = FileLock::acquire(Path::new(&beside), Instant::now()).map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => ServeError::Taken(name.clone()),
        _ => fail(error),
    })?;
    match fs::symlink_metadata(path) {
        Ok(data) if data.file_type().is_socket() => {
            // Another program may listen there without the lock.
            if std::os::unix::net::UnixStream::connect(path).is_ok() {
                return Err(ServeError::Taken(name));
            }
            fs::remove_file(path).map_err(fail)?;
        }
        Ok(_) => return Err(fail(io::Error::other("something else lies there"))),
        Err(_) => {}
    }
    // The socket is only accessible to this user from the start.
    let mask = rustix::process::umask(Mode::from_raw_mode(0o177));
    let listener = UnixListener::bind(path);
    rustix::process::umask(mask);
    let listener = listener.map_err(fail)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).map_err(fail)?;
    Ok(Listener::Socket { listener, path: path.to_path_buf(), _lock: lock })
}

/// Windows has Unix sockets, but neither the standard library nor tokio supports them, and access lists would be needed
/// to exclude other users.
#[cfg(not(unix))]
fn socket(path: &Path) -> Result<Listener, ServeError> {
    let error = io::Error::new(
        io::ErrorKind::Unsupported,
        "guard-host has no Unix sockets on Windows; use an address such as 127.0.0.1:8391",
    );
    Err(ServeError::Listen(path.display().to_string(), error))
}

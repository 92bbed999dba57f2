//! Servers with TLS, using openssl and Python.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Creates an authority and a certificate for `localhost` with openssl.
pub fn certificates(folder: &Path) {
    let line = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca \
        -addext basicConstraints=critical,CA:TRUE && \
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout tls.key -out tls.csr -subj /CN=localhost && \
        printf 'subjectAltName=DNS:localhost\\n' > ext && \
        openssl x509 -req -in tls.csr -CA ca.pem -CAkey ca.key -CAcreateserial -out tls.pem -days 2 -extfile ext";
    let ended = Command::new("sh").args(["-c", line]).current_dir(folder).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
}

/// Runs a server with a Python class `Handler`.
const SERVE: &str = r#"
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("tls.pem", "tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

/// Starts a server with the class `Handler`, which has one argument, and new certificates in the folder. Returns its
/// port.
pub fn serve(folder: &Path, handler: &str, argument: &str) -> (Child, u16) {
    certificates(folder);
    let program = format!("import http.server, ssl, sys, urllib.request\n{handler}{SERVE}");
    let mut command = Command::new("python3");
    command.args(["-c", &program, argument]).current_dir(folder);
    let mut server = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut port = String::new();
    BufReader::new(server.stdout.take().unwrap()).read_line(&mut port).unwrap();
    (server, port.trim().parse().unwrap())
}

//! A receiver with TLS: whose certificate counts.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::{LOG, lines, sent};
use crate::registry::real::certificates;
use crate::support::world::{World, end};

/// Takes what is posted.
const RECEIVER: &str = r#"
import http.server, ssl
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain("tls.pem", "tls.key")
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
"#;

#[test]
#[ignore = "needs openssl, python3"]
fn a_certificate_counts_if_its_authority_is_named() {
    let world = World::new();
    let folder = world.home.path();
    let mut command = Command::new("python3");
    command.args(["-c", RECEIVER]).current_dir(folder).stdout(Stdio::piped()).stderr(Stdio::null());
    certificates(folder);
    let mut receiver = command.spawn().unwrap();
    let mut port = String::new();
    BufReader::new(receiver.stdout.take().unwrap()).read_line(&mut port).unwrap();
    let url = format!("https://localhost:{}", port.trim());
    world.write(LOG, lines(0..3));
    let arguments = ["audit", "ship", "--to", &url];
    let unknown = world.run(&arguments, "");
    let authority = folder.join("ca.pem");
    let named = world.run(&[&arguments[..], &["--ca", authority.to_str().unwrap()]].concat(), "");
    world.write(LOG, lines(0..5));
    let mut command = world.command(&arguments);
    command.env("SSL_CERT_FILE", &authority);
    let by_variable = end(command, "");
    let _ = receiver.kill();
    let _ = receiver.wait();
    assert!(unknown.exit == 69 && unknown.stderr.contains("the certificate of"), "{unknown:?}");
    assert!(unknown.stderr.contains("`--ca`"), "{unknown:?}");
    assert_eq!((named.exit, sent(&named)), (0, 3), "{named:?}");
    assert_eq!((by_variable.exit, sent(&by_variable)), (0, 2), "{by_variable:?}");
}

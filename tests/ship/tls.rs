//! A receiver with TLS: the accepted certificates.

use super::{LOG, lines, sent};
use crate::support::tls;
use crate::support::world::{World, end};
use crate::texts::assert_text;

/// Accepts posted data.
const RECEIVER: &str = r#"
class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.end_headers()
"#;

#[test]
#[ignore = "needs openssl, python3"]
fn a_certificate_counts_if_its_authority_is_named() {
    let world = World::new();
    let folder = world.home.path();
    let (mut receiver, port) = tls::serve(folder, RECEIVER, "");
    let url = format!("https://localhost:{port}");
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
    assert_text!("ship_certificate", &world, 69, unknown);
    assert_eq!((named.exit, sent(&named)), (0, 3), "{named:?}");
    assert_eq!((by_variable.exit, sent(&by_variable)), (0, 2), "{by_variable:?}");
}

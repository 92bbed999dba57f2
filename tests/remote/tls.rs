//! A server with TLS: the accepted certificates.

use super::facts::served;
use crate::support::reply::{assert_deny, assert_silent};
use crate::support::texts::Transcript;
use crate::support::tls;
use crate::support::world::end;
use crate::texts::assert_text;

/// A TLS proxy for a server.
const FRONT: &str = r#"
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {"authorization": self.headers["authorization"]}
        answer = urllib.request.urlopen(urllib.request.Request(sys.argv[1] + self.path, body, headers)).read()
        self.send_response(200)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)
"#;

#[test]
#[ignore = "needs openssl, python3"]
fn a_certificate_counts_if_the_configuration_names_its_authority() {
    let (world, other, server) = served();
    let folder = world.home.path();
    let (mut front, port) = tls::serve(folder, FRONT, &format!("http://{}", server.address));
    let token = other.path(".local/state/guard-host/serve.token");
    let configure = |host: &str, more: &str| {
        let url = format!("https://{host}:{port}");
        let token = token.display();
        world.configure(&format!("[remote]\nurl = \"{url}\"\ntoken-file = \"{token}\"\nfallback = \"deny\"\n{more}\n"));
    };
    let named = format!("ca = \"{}\"", folder.join("ca.pem").display());
    configure("localhost", &named);
    let (root, harmless) = (world.bash("rm -rf /"), world.bash("ls"));
    configure("localhost", "");
    let unknown = world.bash("ls");
    // The agent's variables can't change the trusted authorities.
    let payload = serde_json::json!({ "tool_name": "Bash", "tool_input": { "command": "ls" } }).to_string();
    let mut hook = world.command(&["hook", "claude"]);
    hook.env("SSL_CERT_FILE", folder.join("ca.pem"));
    let by_variable = end(hook, &payload);
    configure("127.0.0.1", &named);
    let other_name = world.bash("ls");
    configure("localhost", &format!("ca = \"{}\"", folder.join("gone.pem").display()));
    let without_file = world.bash("ls");
    let _ = front.kill();
    let _ = front.wait();
    assert_deny(&root, &["command-guard: rm-root"]);
    assert_silent(&harmless);
    let mut told = Transcript::default();
    for refused in [&unknown, &by_variable, &other_name] {
        told.deny(&world, refused, &["[remote: no-answer]"]);
    }
    told.deny(&world, &without_file, &["[remote: no-answer]"]);
    assert_text!("remote_certificates", told.0);
}

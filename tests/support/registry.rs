//! A registry on its own port: one in memory, or Debian's `docker-registry` if it is installed.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use sha2::{Digest, Sha256};

use super::http::{Request, Server};

/// The fault of a registry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RegistryFault {
    #[default]
    Nothing,
    /// Accepts connections and sends nothing.
    Silent,
    /// Changes a byte of each component.
    Tampered,
    /// Truncates components.
    Truncated,
    /// Sends endless components.
    Endless,
    /// Sends an endless manifest.
    EndlessManifest,
    /// Redirects the client to a host without TLS.
    Redirects,
    /// Requires an unknown password.
    Locked,
    /// Lists names, but requires a password for their tags.
    LockedTags,
    /// Lists names, but doesn't answer for their tags.
    SilentTags,
    /// Redirects the client to another port of this machine for all but the first address.
    LeadsTo(u16),
    /// Answers with an error.
    Broken,
    /// Sends a manifest that isn't JSON.
    Garbled,
    /// Sends a manifest with a component size above the limit.
    Huge,
}

/// A registry in memory, which is stopped when this value is dropped.
pub struct Registry {
    pub host: String,
    state: Arc<State>,
    server: Server,
}

#[derive(Default)]
struct State {
    wrong: Mutex<RegistryFault>,
    stored: Mutex<BTreeMap<String, Vec<u8>>>,
    tags: Mutex<BTreeMap<String, Vec<String>>>,
    asked: Mutex<Vec<String>>,
    passes: Mutex<Vec<String>>,
}

impl Registry {
    pub fn start() -> Self {
        let state = Arc::new(State::default());
        let shared = state.clone();
        let server = Server::start(move |request, stream, _| shared.answer(request, stream));
        Registry { host: format!("localhost:{}", server.port), state, server }
    }

    pub fn go_wrong(&self, wrong: RegistryFault) {
        *self.state.wrong.lock().unwrap() = wrong;
    }

    pub fn port(&self) -> u16 {
        self.server.port
    }

    /// Replaces an object with this prefix, and adjusts the manifest.
    pub fn replace(&self, beginning: &[u8], bytes: &[u8]) {
        let mut stored = self.state.stored.lock().unwrap();
        let (digest, length) =
            stored.iter().find(|(_, of)| of.starts_with(beginning)).map(|(key, of)| (key.clone(), of.len())).unwrap();
        let other = digest_of(bytes);
        for manifest in stored.values_mut().filter(|of| of.starts_with(b"{")) {
            let text = String::from_utf8(manifest.clone()).unwrap().replace(&digest, &other);
            *manifest = text.replace(&format!("\"size\":{length}"), &format!("\"size\":{}", bytes.len())).into_bytes();
        }
        stored.insert(other, bytes.to_vec());
    }

    /// Tags the signatures of one repository in another.
    pub fn copy_signatures(&self, from: &str, to: &str) {
        let mut stored = self.state.stored.lock().unwrap();
        let found: Vec<_> = stored.iter().filter(|(key, _)| key.starts_with(&format!("{from}:sha256-"))).collect();
        let copied: Vec<_> = found.into_iter().map(|(key, of)| (key.replacen(from, to, 1), of.clone())).collect();
        assert!(!copied.is_empty());
        stored.extend(copied);
    }

    /// Returns the received credentials.
    pub fn passes(&self) -> Vec<String> {
        self.state.passes.lock().unwrap().clone()
    }

    /// Returns the number of requests.
    pub fn asked(&self) -> usize {
        self.state.asked.lock().unwrap().len()
    }
}

impl State {
    /// Answers a request, and closes the connection.
    fn answer(&self, request: Request, stream: &TcpStream) -> Option<()> {
        let mut words = request.head.split(' ').map(str::to_owned);
        let (method, path) = (words.next()?, words.next()?);
        self.passes.lock().unwrap().extend(request.header("authorization"));
        self.asked.lock().unwrap().push(format!("{method} {path}"));
        let wrong = *self.wrong.lock().unwrap();
        if wrong == RegistryFault::Silent || wrong == RegistryFault::SilentTags && path.contains("/tags/") {
            thread::sleep(Duration::from_secs(30));
            return None;
        }
        self.reply(stream, wrong, &method, &path, request.body);
        None
    }

    fn reply(&self, mut stream: &TcpStream, wrong: RegistryFault, method: &str, path: &str, body: Vec<u8>) {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let mut send = |status: &str, headers: &str, body: &[u8], told: usize| {
            let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {told}\r\n{headers}\r\n");
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        };
        let path = path.strip_prefix("/v2/").unwrap_or("none");
        if path.is_empty() {
            return send("200 OK", "", b"{}", 2);
        }
        if let Some((status, header, text)) = wrong.refusal(method, path) {
            return send(status, &header, text, text.len());
        }
        let mut stored = self.stored.lock().unwrap();
        let mut tags = self.tags.lock().unwrap();
        match (method, path) {
            ("GET", "_catalog") => {
                let list = serde_json::json!({ "repositories": tags.keys().collect::<Vec<_>>() }).to_string();
                send("200 OK", "", list.as_bytes(), list.len());
            }
            ("GET", path) if path.ends_with("/tags/list") => {
                let name = path.trim_end_matches("/tags/list");
                let list = serde_json::json!({ "tags": tags.get(name) }).to_string();
                send("200 OK", "", list.as_bytes(), list.len());
            }
            ("POST", path) => send("202 Accepted", &format!("location: /v2/{path}1\r\n"), b"", 0),
            ("PUT", path) if path.contains("/blobs/uploads/") => {
                let named = query.split('&').find_map(|part| part.strip_prefix("digest=")).unwrap_or_default();
                assert_eq!(named, digest_of(&body), "what is stored has the digest that is named");
                stored.insert(named.to_owned(), body);
                send("201 Created", "", b"", 0);
            }
            ("PUT", path) => {
                let (name, tag) = path.split_once("/manifests/").unwrap();
                let all = tags.entry(name.to_owned()).or_default();
                if !all.iter().any(|other| other == tag) {
                    all.push(tag.to_owned());
                }
                stored.insert(format!("{name}:{}", digest_of(&body)), body.clone());
                stored.insert(format!("{name}:{tag}"), body);
                send("201 Created", "", b"", 0);
            }
            (_, path) => {
                let (key, is_manifest) = match path.split_once("/manifests/") {
                    Some((name, wanted)) => (format!("{name}:{wanted}"), true),
                    None => (path.rsplit('/').next().unwrap_or_default().to_owned(), false),
                };
                let Some(found) = stored.get(&key) else { return send("404 Not Found", "", b"", 0) };
                let (bytes, told) = wrong.content(found, is_manifest);
                send("200 OK", "", &bytes, told);
            }
        }
    }
}

impl RegistryFault {
    /// Returns the status, header and body that this fault sends in place of the answer.
    fn refusal(self, method: &str, path: &str) -> Option<(&'static str, String, &'static [u8])> {
        Some(match self {
            RegistryFault::LockedTags if !path.ends_with("/tags/list") => return None,
            RegistryFault::Locked | RegistryFault::LockedTags => {
                ("401 Unauthorized", "www-authenticate: Basic realm=\"x\"\r\n".to_owned(), b"")
            }
            RegistryFault::Broken => {
                let text = br#"{"errors":[{"message":"out of \u001b[31mdisks"}]}"#;
                ("500 Internal Server Error", String::new(), text)
            }
            RegistryFault::LeadsTo(port) => {
                ("307 Temporary Redirect", format!("location: http://127.0.0.1:{port}/v2/x\r\n"), b"")
            }
            RegistryFault::Redirects if method == "GET" => {
                ("307 Temporary Redirect", "location: http://registry.invalid/x\r\n".to_owned(), b"")
            }
            _ => return None,
        })
    }

    /// Returns the bytes that this fault sends for a stored object, and the declared length.
    fn content(self, found: &[u8], is_manifest: bool) -> (Vec<u8>, usize) {
        let is_wasm = found.starts_with(b"\0asm");
        let whole = |body: &[u8]| (body.to_vec(), body.len());
        match self {
            RegistryFault::Tampered if is_wasm => {
                let mut other = found.to_vec();
                *other.last_mut().unwrap() ^= 1;
                whole(&other)
            }
            RegistryFault::Truncated if is_wasm => (found[..found.len() / 2].to_vec(), found.len()),
            RegistryFault::Endless if is_wasm => (vec![0; 100 << 20], usize::MAX >> 8),
            RegistryFault::EndlessManifest if is_manifest => (vec![b' '; 8 << 20], 10 << 30),
            RegistryFault::Garbled if is_manifest => whole(b"<html>"),
            RegistryFault::Huge if is_manifest => {
                let text = String::from_utf8(found.to_vec()).unwrap();
                let at = text.find("\"layers\"").unwrap();
                let (before, layers) = text.split_at(at);
                whole(format!("{before}{}", layers.replacen("\"size\":", "\"size\":99999", 1)).as_bytes())
            }
            _ => whole(found),
        }
    }
}

fn digest_of(bytes: &[u8]) -> String {
    let hex: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}

/// Debian's registry, with its files in a temporary folder.
pub struct DebianRegistry {
    pub host: String,
    child: Child,
    folder: tempfile::TempDir,
}

impl DebianRegistry {
    /// Starts it, with further lines for its section `http` and a section for passwords.
    pub fn start(http: impl FnOnce(&std::path::Path) -> String, rest: impl FnOnce(&std::path::Path) -> String) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let place = folder.path();
        let text = format!(
            "version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {}}}}}\nhttp:\n  addr: 127.0.0.1:{port}\n{}{}",
            place.join("data").display(),
            http(place),
            rest(place),
        );
        let config = place.join("config.yml");
        fs::write(&config, text).unwrap();
        let child = Command::new("docker-registry")
            .arg("serve")
            .arg(&config)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("docker-registry starts");
        let host = format!("localhost:{port}");
        let until = std::time::Instant::now() + Duration::from_secs(20);
        while TcpStream::connect(("127.0.0.1", port)).is_err() && std::time::Instant::now() < until {
            thread::sleep(Duration::from_millis(50));
        }
        DebianRegistry { host, child, folder }
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }
}

impl Drop for DebianRegistry {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

//! Debian's `docker-registry`, plain and with TLS and a password.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::{author, done, follow_page};
use crate::support::registry::DebianRegistry;
use crate::support::tls::certificates;
use crate::support::world::{ProcessOutput, World, end};

#[test]
#[ignore = "needs docker-registry"]
fn the_page_holds_for_the_registry_of_debian() {
    follow_page(&DebianRegistry::start(|_| String::new(), |_| String::new()).host);
}

/// A line of htpasswd for `someone` with the password `secret`, whose bcrypt hash was made with htpasswd.
const PASSWORDS: &str = "someone:$2y$05$YD71Sd3LYvrbIM2ORRgcMegD3c8DzKEm/5QNbHAtv./bKm/DF/YRm\n";

fn run(world: &World, folder: &Path, authority: bool, arguments: &[&str]) -> ProcessOutput {
    let mut command = world.command(&[&["policy"], arguments].concat());
    command.env("DOCKER_CONFIG", folder);
    if authority {
        command.env("SSL_CERT_FILE", folder.join("ca.pem"));
    }
    end(command, "")
}

#[test]
#[ignore = "needs docker-registry, openssl"]
fn a_registry_with_tls_and_a_password() {
    let tls = |folder: &Path| {
        certificates(folder);
        fs::write(folder.join("htpasswd"), PASSWORDS).unwrap();
        let (pem, key) = (folder.join("tls.pem"), folder.join("tls.key"));
        format!("  tls: {{certificate: {}, key: {}}}\n", pem.display(), key.display())
    };
    let auth =
        |folder: &Path| format!("auth: {{htpasswd: {{realm: x, path: {}}}}}\n", folder.join("htpasswd").display());
    let registry = DebianRegistry::start(tls, auth);
    let (world, folder) = (author(), registry.folder());
    let address = format!("oci://{}/acme/x:1.0.0", registry.host);
    let push = ["push", "v1.wasm", &address];
    // The authority is unknown.
    let ended = run(&world, folder, false, &push);
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert!(ended.stderr.contains("the certificate of"), "{ended:?}");
    let ended = run(&world, folder, true, &push);
    assert_eq!(ended.exit, 69, "{ended:?}");
    assert!(ended.stderr.contains("does not let you in"), "{ended:?}");
    let sign_in = |password: &str| {
        use base64::Engine as _;
        let pass = base64::engine::general_purpose::STANDARD.encode(format!("someone:{password}"));
        let config = serde_json::json!({ "auths": { &registry.host: { "auth": pass } } });
        fs::write(folder.join("config.json"), config.to_string()).unwrap();
    };
    sign_in("wrong");
    let ended = run(&world, folder, true, &push);
    assert!(ended.exit == 69 && ended.stderr.contains("does not let you in"), "{ended:?}");
    assert!(!ended.stderr.contains("wrong"), "the password is shown: {ended:?}");
    sign_in("secret");
    let ended = run(&world, folder, true, &push);
    assert_eq!(ended.exit, 0, "{ended:?}");
    let ended = run(&world, folder, true, &["add", &address, "--name", "x", "--project"]);
    assert_eq!(ended.exit, 0, "{ended:?}");
}

/// The WebAssembly projects' tool, which shares no code with us.
#[test]
#[ignore = "needs docker-registry, wkg"]
fn wkg_pulls_what_we_pushed_and_the_other_way_round() {
    let registry = DebianRegistry::start(|_| String::new(), |_| String::new());
    let world = author();
    let wkg = |arguments: &[&str]| {
        let mut command = Command::new("wkg");
        command.arg("oci").args(arguments).args(["--insecure", &registry.host]).current_dir(world.repo());
        command.env("HOME", world.home.path()).output()
    };
    let (ours, theirs) = (format!("{}/acme/ours:1.0.0", registry.host), format!("{}/acme/theirs:1.0.0", registry.host));
    done(&world, &["push", "v1.wasm", &ours]);
    let pulled = wkg(&["pull", &ours, "--output", "pulled.wasm"]).unwrap();
    assert!(pulled.status.success(), "{pulled:?}");
    let read = |name: &str| fs::read(world.repo().join(name)).unwrap();
    assert_eq!(read("pulled.wasm"), read("v1.wasm"));
    let pushed = wkg(&["push", &theirs, "v2.wasm"]).unwrap();
    assert!(pushed.status.success(), "{pushed:?}");
    done(&world, &["pull", &theirs, "--output", "theirs.wasm"]);
    assert_eq!(read("theirs.wasm"), read("v2.wasm"));
}

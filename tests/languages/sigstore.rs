//! Signatures by sigstore's library, and its verification of ours. Rust's container tools verify with it.

use std::fs;

use crate::support::guests;
use crate::support::pages::{Shell, root};
use crate::support::registry::DebianRegistry;
use crate::{Language, missing, run, skip};

const SIGSTORE: Language = Language {
    name: "sigstore",
    page: "",
    tools: &["cargo --version", "docker-registry --version", "openssl version"],
    checks: "",
};

/// Each line must succeed, and its output must contain these words.
const LINES: [(&str, &str); 9] = [
    ("guard-host policy keygen acme && guard-host policy keygen other", "secret"),
    ("guard-host policy push v1.wasm $HOST/acme/ours:1.0.0 --key acme", "signed    with the key"),
    ("by-sigstore verify $HOST/acme/ours:1.0.0 acme.pub", "verified"),
    ("! by-sigstore verify $HOST/acme/ours:1.0.0 other.pub 2>&1", "not verified"),
    ("guard-host policy push v1.wasm $HOST/acme/theirs:1.0.0", "pushed"),
    ("by-sigstore sign $HOST/acme/theirs:1.0.0 acme", "signed"),
    ("guard-host policy add oci://$HOST/acme/theirs:1.0.0 --name theirs", "signed    by acme"),
    (
        "guard-host policy push v1.wasm $HOST/acme/p256:1.0.0 && by-sigstore sign $HOST/acme/p256:1.0.0 p256 ECDSA_P256_SHA256_ASN1",
        "signed",
    ),
    ("guard-host policy add oci://$HOST/acme/p256:1.0.0 --name p256", "signed    by p256"),
];

pub(crate) fn sigstore() {
    if let Some(tool) = missing(&SIGSTORE) {
        return skip(&SIGSTORE, &format!("`{tool}` fails"));
    }
    let registry = DebianRegistry::start(|_| String::new(), |_| String::new());
    let mut shell = Shell::new();
    fs::write(shell.folder().join("v1.wasm"), guests::version("shell", "1.0.0")).unwrap();
    let source = root().join("tests/languages/sigstore");
    let build = format!(
        "cp -r {} . && cargo build --quiet --manifest-path sigstore/Cargo.toml --target-dir target\n\
         openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out p256\n\
         openssl pkey -in p256 -pubout -out p256.pub",
        source.display()
    );
    if !run(&mut shell, &SIGSTORE, &build) {
        return;
    }
    for (at, (line, words)) in LINES.iter().enumerate() {
        let ended = shell.run(&format!("PATH=$PWD/target/debug:$PATH HOST={}\n{line}", registry.host));
        assert!(ended.exit == 0 && ended.stdout.contains(words), "{line}: {ended:?}");
        if at == 0 {
            let key = |file: &str| {
                let pem = fs::read_to_string(shell.folder().join(file)).unwrap();
                pem.lines().filter(|line| !line.starts_with('-')).collect::<String>()
            };
            let signers = ["acme", "p256"]
                .map(|name| format!("{{ name = \"{name}\", key = \"{}\" }}", key(&format!("{name}.pub"))));
            shell.world.configure(&format!(
                "preset = \"none\"\n[trust]\nsigned-only = true\nsigners = [{}]\n",
                signers.join(", ")
            ));
        }
    }
    println!("sigstore: it verifies what we sign, and we what it signs");
}

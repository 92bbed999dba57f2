//! Converts one Ansible module, `ansible HOSTS -m MODULE -a WORDS`, to an equivalent command.

use guard_sdk::syntax::{Via, Word};

use super::layer::{Place, Run, Runnable, takes};
use crate::options::leading;
use crate::word::expand::literal;

/// Host patterns for this machine.
const HERE: &[&str] = &["localhost", "127.0.0.1", "::1"];

/// Returns the command of a module that changes or reads files, or starts a script. `None` for other modules.
pub(super) fn runs(argv: &[Word]) -> Option<Vec<Run>> {
    let spec = takes("imaeutfMcl", "inventory args module-name connection extra-vars limit user");
    let mut rest = argv.get(1..)?;
    let (mut hosts, mut module, mut given, mut is_here) = ("", String::new(), String::new(), false);
    loop {
        let options = leading(rest, spec);
        for flag in &options.flags {
            match flag.text() {
                value if flag.is_any(&["m", "module-name"]) => module = value.to_owned(),
                value if flag.is_any(&["a", "args"]) => given = value.to_owned(),
                value if flag.is_any(&["c", "connection"]) => is_here |= value == "local",
                _ => {}
            }
        }
        let Some((operand, tail)) = options.rest.split_first() else { break };
        hosts = if hosts.is_empty() { operand.text.as_str() } else { hosts };
        rest = tail;
    }
    is_here |= HERE.contains(&hosts);
    let text = match module.rsplit('.').next()? {
        "" | "command" | "raw" | "shell" if !given.is_empty() => given,
        module => command(module, &pairs(&given))?,
    };
    let (kind, place) = if is_here { ("option", Place::Apart) } else { ("ssh", Place::Remote) };
    let detail = if is_here { "ansible" } else { hosts };
    let via = Via { kind: kind.to_owned(), detail: detail.to_owned() };
    let what = Runnable::Text { text: literal(&text), parameters: None };
    Some(vec![Run { via, what, place, certain: true, mark: None }])
}

/// Returns a module's equivalent command.
fn command(module: &str, pairs: &[(String, String)]) -> Option<String> {
    let value = |names: &[&str]| {
        let found = pairs.iter().find(|(name, _)| names.contains(&name.as_str()));
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    };
    let is = |name: &str, wanted: &str| value(&[name]).eq_ignore_ascii_case(wanted);
    let path = spelled(value(&["dest", "path", "name"]));
    let source = spelled(value(&["src", "repo", "url"]));
    Some(match module {
        "copy" | "template" | "assemble" if value(&["src"]).is_empty() => {
            format!("echo {} > {path}", spelled(value(&["content"])))
        }
        "copy" | "template" | "assemble" => format!("cp {source} {path}"),
        "lineinfile" | "blockinfile" => format!("echo {} >> {path}", spelled(value(&["line", "block"]))),
        "replace" | "ini_file" | "xml" | "htpasswd" => format!("sed -i s/a/b/ {path}"),
        "file" if is("state", "absent") => format!("rm -rf {path}"),
        "file" if is("state", "link") => format!("ln -sf {source} {path}"),
        "get_url" => format!("curl -o {path} {source}"),
        "git" => format!("git clone {source} {path}"),
        "unarchive" => format!("tar -xf {source} -C {path}"),
        "synchronize" if is("delete", "yes") || is("delete", "true") => format!("rsync -a --delete {source} {path}"),
        "synchronize" => format!("rsync -a {source} {path}"),
        "slurp" | "fetch" => format!("cat {source}"),
        "authorized_key" => {
            let user = value(&["user"]);
            let home = if user.is_empty() { "~".to_owned() } else { format!("~{user}") };
            format!("echo {} >> {home}/.ssh/authorized_keys", spelled(value(&["key"])))
        }
        "cron" if !is("state", "absent") => {
            format!("echo {} | crontab -", spelled(&format!("* * * * * {}", value(&["job"]))))
        }
        "iptables" if is("flush", "yes") || is("flush", "true") => "iptables -F".to_owned(),
        "service" | "systemd" | "systemd_service" if is("state", "stopped") => format!("systemctl stop {path}"),
        "user" if !value(&["password"]).is_empty() => format!("usermod -p x {path}"),
        _ => return None,
    })
}

/// Returns the pairs in `path=a line='b c'`.
fn pairs(given: &str) -> Vec<(String, String)> {
    const MOST: usize = 32;
    let mut found = Vec::new();
    let mut rest = given.trim_start();
    while let Some((name, behind)) = rest.split_once('=').filter(|_| found.len() < MOST) {
        let quote = behind.chars().next().filter(|char| matches!(char, '"' | '\''));
        let (value, tail) = match quote {
            Some(quote) => behind.get(1..).unwrap_or_default().split_once(quote).unwrap_or((behind, "")),
            None => behind.split_once(char::is_whitespace).unwrap_or((behind, "")),
        };
        found.push((name.trim().to_owned(), value.to_owned()));
        rest = tail.trim_start();
    }
    found
}

/// Returns a value as a shell word. A home at its start is preserved.
fn spelled(value: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "/._-+=:@%,~".contains(char);
    let (home, rest) = match value.strip_prefix("~/") {
        Some(rest) => ("~/", rest),
        None => ("", value),
    };
    if !rest.is_empty() && rest.chars().all(plain) {
        return value.to_owned();
    }
    format!("{home}'{}'", rest.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::{command, pairs};

    #[test]
    fn a_module_is_a_command() {
        for (module, given, expected) in [
            ("copy", "src=a dest=~/b", Some("cp a ~/b")),
            ("copy", "content=\"x y\" dest=/b", Some("echo 'x y' > /b")),
            ("lineinfile", "path=~/.rc line='it''s'", Some("echo it >> ~/.rc")),
            ("file", "path=/b state=absent", Some("rm -rf /b")),
            ("file", "path=/b state=directory", None),
            ("get_url", "url=https://h/x dest=/b", Some("curl -o /b https://h/x")),
            ("ping", "", None),
        ] {
            assert_eq!(command(module, &pairs(given)).as_deref(), expected, "{module} {given}");
        }
    }

    #[test]
    fn many_pairs_cost_little() {
        assert_eq!(pairs(&"a=b ".repeat(5_000)).len(), 32);
        assert_eq!(pairs(&"a='".repeat(5_000)).len(), 32);
    }
}

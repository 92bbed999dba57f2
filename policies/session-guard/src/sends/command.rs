//! Finds shell commands that send data without an effect that says so.

use guard_sdk::syntax::{Analysis, Assignment, Command, Index, Word};

use super::{addresses, has_token, has_token_label};
use guard_sdk::addresses::{host, is_here};

/// Programs that query a name server, where the query itself can contain data.
const RESOLVERS: &[&str] = &[
    "delv",
    "dig",
    "doggo",
    "drill",
    "getent",
    "host",
    "kdig",
    "nslookup",
    "ping",
    "resolvectl",
    "traceroute",
    "whois",
];

/// Programs that send something to other machines or people: files, messages, packets, tunnels.
const SENDERS: &[&str] = &[
    "apprise",
    "autossh",
    "bore",
    "borg",
    "cadaver",
    "chisel",
    "cloudflared",
    "croc",
    "cryptcat",
    "discord-webhook",
    "duplicity",
    "ffsend",
    "finger",
    "frpc",
    "gist",
    "goofys",
    "grpcurl",
    "hping3",
    "ipfs",
    "kafka-console-producer",
    "kafka-console-producer.sh",
    "kcat",
    "kafkacat",
    "localtunnel",
    "logger",
    "lt",
    "matrix-commander",
    "megaput",
    "mongoimport",
    "mosquitto_pub",
    "mount.davfs",
    "ncftpput",
    "nextcloudcmd",
    "ngrok",
    "nsupdate",
    "parallel-scp",
    "pastebinit",
    "pscp",
    "pwncat",
    "rcp",
    "rabbitmqadmin",
    "s-nail",
    "sendmail",
    "signal-cli",
    "slackcat",
    "smbclient",
    "snmpset",
    "sshfs",
    "swaks",
    "syncthing",
    "telegram-send",
    "telnet",
    "tftp",
    "tmate",
    "transfer",
    "unison",
    "upterm",
    "websocat",
    "wormhole",
    "wscat",
    "xdg-email",
];

/// Verbs for sending, in clients of services.
const VERBS: &[&str] = &[
    "backup", "create", "invoke", "post", "produce", "pub", "publish", "push", "put", "send", "set", "share", "upload",
    "write",
];

/// The verbs that also apply to programs without a table.
const STRONG: &[&str] = &["publish", "push", "send", "share", "upload"];

/// Clients of services, whose verbs describe their action.
const CLIENTS: &[&str] = &[
    "aliyun",
    "aws",
    "az",
    "b2",
    "doctl",
    "dropbox",
    "dvc",
    "firebase",
    "gcloud",
    "gsutil",
    "heroku",
    "hf",
    "huggingface-cli",
    "kaggle",
    "kubectl",
    "mc",
    "nats",
    "oci",
    "restic",
    "s3cmd",
    "sentry-cli",
    "slack",
    "supabase",
    "twilio",
    "vercel",
];

/// Clients of databases.
const DATABASES: &[&str] = &[
    "clickhouse-client",
    "cqlsh",
    "mariadb",
    "mongo",
    "mongosh",
    "mysql",
    "psql",
    "redis-cli",
    "sqlcmd",
    "valkey-cli",
];

/// Words of a statement that writes to a database.
const STORING: &[&str] = &["insert", "update", "copy", "replace", "set", "lpush", "rpush", "xadd", "publish", "merge"];

/// Interpreters of languages that the analysis doesn't read.
const INTERPRETERS: &[&str] = &[
    "awk",
    "clojure",
    "elixir",
    "emacs",
    "erl",
    "gawk",
    "ghci",
    "groovy",
    "guile",
    "jshell",
    "julia",
    "kotlin",
    "lua",
    "mawk",
    "nu",
    "ocaml",
    "powershell",
    "pwsh",
    "r",
    "racket",
    "rscript",
    "sbcl",
    "scala",
    "swift",
    "tclsh",
];

/// The maximum number of words that are examined.
const WORDS: usize = 256;

/// Returns the destination of data that a command sends without a corresponding effect.
pub(super) fn find(
    command: &Command,
    analysis: &Analysis,
    index: &Index<'_>,
    is_foreign: &impl Fn(&str) -> bool,
) -> Option<String> {
    let program = command.program();
    let lower = program.to_ascii_lowercase();
    let words = || command.argv.iter().skip(1).take(WORDS);
    let texts = || words().map(|word| word.text.as_str());
    let named = || {
        let hosts: Vec<String> = texts().map(host).collect();
        let here = hosts.iter().find(|host| is_here(host));
        here.or_else(|| hosts.iter().find(|host| host.contains('.'))).cloned().unwrap_or_default()
    };
    let is_fed = command.is_fed();
    let is_repeated = command.via.iter().any(|via| matches!(via.kind.as_str(), "xargs" | "parallel" | "find-exec"));
    if RESOLVERS.contains(&program) {
        let computed = words().find(|word| is_computed(word) || has_variable(word) || has_token(&word.text));
        return computed.map(|word| word.text.clone()).or_else(|| (is_repeated || is_fed).then(String::new));
    }
    if SENDERS.contains(&program) || program == "openssl" && command.word(1) == "s_client" && is_fed {
        return Some(named());
    }
    if program == "ssh" && (is_fed || words().any(is_computed) || texts().any(|text| matches!(text, "-D" | "-R"))) {
        return Some(texts().map(host).find(|host| host.contains('.')).unwrap_or_default());
    }
    let verbs = if CLIENTS.contains(&program) { VERBS } else { STRONG };
    let is_verb = |text: &str| text.split(['-', ':']).next().is_some_and(|verb| verbs.contains(&verb));
    let speaks = CLIENTS.contains(&program) || is_unknown(command, index) && !program.contains('.');
    if speaks && texts().filter(|text| !text.starts_with('-')).take(3).any(is_verb) {
        return Some(String::new());
    }
    if matches!(program, "gh" | "glab") {
        return forge_destination(command);
    }
    if program == "git" && texts().any(|text| matches!(text, "send-email" | "lfs")) {
        return texts().any(|text| matches!(text, "send-email" | "push")).then(String::new);
    }
    if matches!(lower.as_str(), "invoke-webrequest" | "invoke-restmethod" | "iwr" | "irm") {
        let gives =
            |text: &str| matches!(text.to_ascii_lowercase().as_str(), "-body" | "-infile" | "-form" | "post" | "put");
        return texts().any(gives).then(named);
    }
    if DATABASES.contains(&program) {
        return database_destination(command, is_fed).filter(|host| is_foreign(host));
    }
    if INTERPRETERS.contains(&lower.as_str()) {
        let bodies = command.redirections.iter().map(|redirection| redirection.body.as_str());
        return texts().chain(bodies).flat_map(addresses).find(|host| is_foreign(host));
    }
    if is_web(program) && redirects(command) {
        return Some(String::new());
    }
    let pairs = command.argv.windows(2).take(WORDS);
    let found = pairs.filter_map(|pair| match pair {
        [before, word] => {
            address(before, word, program).filter(|address| is_foreign(&host(address))).map(|it| (word, it))
        }
        _ => None,
    });
    // In a container, a plain name is that of a neighbor.
    let is_inside = command.via.iter().any(|via| via.kind == "container");
    let found = found.filter(|(_, address)| !is_inside || host(address).contains('.'));
    let found: Vec<(&Word, &str)> = found.collect();
    let to = found.first().map(|(_, address)| host(address))?;
    let carrier = found.iter().any(|(word, address)| contains_data(word, address, command, analysis));
    let is_filled = is_repeated && found.iter().any(|(_, address)| address.contains("{}"));
    let is_open = is_web(program) || RUNNERS.contains(&program) || is_unknown(command, index);
    (carrier || is_filled || is_open && sends_data(command, is_fed)).then_some(to)
}

/// Programs that run another one, which may be an HTTP client.
const RUNNERS: &[&str] =
    &["bunx", "docker", "flatpak", "npx", "pipx", "pnpm", "podman", "python", "python3", "uv", "uvx", "yarn"];

/// Returns whether a request goes to a machine other than the one in its address.
fn redirects(command: &Command) -> bool {
    let is_option =
        |text: &str| matches!(text, "--resolve" | "--connect-to" | "-x" | "--proxy" | "--preproxy" | "--socks5");
    let proxy = |name: &str| name.to_ascii_lowercase().ends_with("_proxy");
    let by_variable = command.assignments.iter().any(|set| proxy(&set.name) && !is_here(&host(&set.value.text)));
    let mut pairs = command.argv.windows(2).take(WORDS);
    by_variable
        || pairs.any(|pair| matches!(pair, [option, value] if is_option(&option.text) && !value.text.is_empty()))
}

/// Returns whether the program has no table.
fn is_unknown(command: &Command, index: &Index<'_>) -> bool {
    index.effects(command).iter().any(|effect| effect.operation == "execute.unknown")
}

/// Returns the host of a database that a statement writes to.
fn database_destination(command: &Command, is_fed: bool) -> Option<String> {
    let texts: Vec<&str> = command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str()).collect();
    let behind = |pair: &[&str]| match pair {
        ["-h" | "--host" | "-S", host] => Some((*host).to_owned()),
        _ => None,
    };
    let address = texts.windows(2).find_map(behind);
    let address = address.or_else(|| texts.iter().find_map(|text| text.strip_prefix("--host=").map(str::to_owned)));
    let address = address.or_else(|| texts.iter().find(|text| text.contains("://")).map(|text| host(text)))?;
    let stores = |text: &&str| {
        let lower = text.to_ascii_lowercase();
        let mut words = lower.split(|char: char| !char.is_ascii_alphanumeric());
        words.any(|word| {
            STORING.iter().any(|storing| word == *storing || storing.len() > 5 && word.starts_with(storing))
        })
    };
    (is_fed || texts.iter().any(stores)).then_some(address)
}

/// Returns whether an HTTP request sends data: by its method, its body, or a computed value.
fn sends_data(command: &Command, is_fed: bool) -> bool {
    let texts: Vec<&str> = command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str()).collect();
    let is_method = |text: &str| {
        let method = text.to_ascii_uppercase();
        ["POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str())
    };
    let by_method = texts.windows(2).any(|pair| match pair {
        ["-X" | "--request" | "--method" | "-m", method] => is_method(method) || method.contains('$'),
        _ => false,
    });
    // The first argument of HTTPie is the method, in any case.
    let is_httpie = matches!(command.program(), "http" | "https" | "xh" | "xhs");
    let joined = |text: &&str| {
        if is_httpie && is_method(text) {
            return true;
        }
        let value = text
            .strip_prefix("-X")
            .or_else(|| text.strip_prefix("--method="))
            .or_else(|| text.strip_prefix("--request="));
        value.is_some_and(is_method) || is_method(text) && text.bytes().all(|byte| byte.is_ascii_uppercase())
    };
    let posts = |text: &&str| matches!(*text, "-post_data" | "-post" | "/upload");
    let bodies = |text: &&str| {
        ["-d", "--data", "--json", "-F", "--form", "--post-data", "--post-file", "--body-data", "-T", "--upload-file"]
            .iter()
            .any(|option| {
                text == option || text.starts_with(&format!("{option}=")) || text.starts_with(&format!("{option}-"))
            })
    };
    let is_get = texts.iter().any(|text| matches!(*text, "-G" | "--get"));
    let body = texts.iter().any(bodies) && !is_get;
    // A token that a program prints is used for authentication.
    let signs = |text: &str| {
        let lower = text.to_ascii_lowercase();
        ["authorization:", "private-token:", "x-api-key:", "job-token:"].iter().any(|name| lower.contains(name))
    };
    let kept =
        |before: &str| matches!(before, "-o" | "--output" | "-O" | "--output-document" | "-P" | "--output-dir" | "-w");
    let computed = command.argv.windows(2).take(WORDS).any(|pair| match pair {
        [before, word] => is_computed(word) && !signs(&word.text) && !kept(&before.text),
        _ => false,
    });
    is_fed || by_method || texts.iter().any(joined) || texts.iter().any(posts) || body || computed
}

/// Returns the request's address in a word that follows another word.
fn address<'w>(before: &Word, word: &'w Word, program: &str) -> Option<&'w str> {
    let text = word.text.as_str();
    let value = text.strip_prefix('-').and_then(|option| option.split_once('=')).map(|(_, value)| value);
    if let Some(value) = value.filter(|value| value.contains("://")) {
        return Some(value);
    }
    let is_url = text.contains("://") && (!text.contains(' ') || is_computed(word) || has_variable(word));
    let is_value = before.text.starts_with('-') && before.text.len() > 1;
    let is_plain = is_web(program) && !is_value && text.contains('.') && !text.contains(['@', ' ', '=', '{', '<']);
    (!text.starts_with('-') && (is_url || is_plain && !text.starts_with(['/', '.']))).then_some(text)
}

/// Returns the destination if `gh` or `glab` writes to another repository than the project's.
fn forge_destination(command: &Command) -> Option<String> {
    let words: Vec<&str> = command.argv.iter().skip(1).take(WORDS).map(|word| word.text.as_str()).collect();
    let writes = words.iter().take(3).any(|word| {
        matches!(
            *word,
            "create" | "comment" | "edit" | "upload" | "review" | "note" | "update" | "new" | "set" | "dispatch"
        )
    });
    let elsewhere = words
        .iter()
        .any(|word| matches!(*word, "-R" | "--repo") || word.starts_with("--repo=") || word.starts_with("-R="));
    let gives = |word: &&str| {
        matches!(*word, "-f" | "-F" | "--field" | "--raw-field" | "--input") || word.starts_with("--field=")
    };
    let reads = words.windows(2).any(|pair| matches!(pair, ["-X" | "--method", "GET"]));
    let asks = words.iter().any(|word| word.starts_with("query=query") || word.starts_with("query={"));
    let is_api = words.first() == Some(&"api") && !asks && words.iter().any(gives) && !reads;
    (is_api || writes && elsewhere).then(String::new)
}

/// Returns whether the program requests the addresses that it gets.
fn is_web(program: &str) -> bool {
    matches!(
        program,
        "curl" | "wget" | "http" | "https" | "xh" | "xhs" | "curlie" | "aria2c" | "wget2" | "lynx" | "w3m"
    )
}

/// Returns whether an address contains data that is only known at run time, or looks like a secret.
fn contains_data(word: &Word, address: &str, command: &Command, analysis: &Analysis) -> bool {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    let holds_data = || has_variable(word) && reads_data(word, command, analysis);
    let is_odd = ["dict://", "gopher://", "ldap://", "ldaps://", "telnet://", "tftp://"]
        .iter()
        .any(|it| address.starts_with(it));
    is_odd
        || is_computed(word)
        || query.contains('$') && has_variable(word)
        || has_token(query)
        || has_token_label(address)
        || holds_data()
}

/// Returns whether a variable in the word may contain data that the text read from a file.
fn reads_data(word: &Word, command: &Command, analysis: &Analysis) -> bool {
    let mut names = word.parts.iter().filter(|part| part.kind == "variable").map(|part| part.text.as_str());
    let sets: Vec<&Assignment> = analysis.commands.iter().flat_map(|other| &other.assignments).collect();
    let reads = |name: &str| {
        let of = |set: &&&Assignment| set.name == name;
        match sets.iter().rfind(of) {
            Some(set) => is_computed(&set.value),
            // In a loop, or with `read`: whether another command of the text reads a file.
            None => analysis.effects.iter().any(|effect| effect.kind == "read" && effect.command_id != command.id),
        }
    };
    names.any(reads)
}

/// Returns whether the word contains the output of a command.
fn is_computed(word: &Word) -> bool {
    word.parts.iter().any(|part| matches!(part.kind.as_str(), "command" | "process"))
}

fn has_variable(word: &Word) -> bool {
    word.parts.iter().any(|part| part.kind == "variable")
}

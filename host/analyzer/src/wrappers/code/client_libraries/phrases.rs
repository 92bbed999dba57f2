//! Converts a client library's call to the arguments of a program for the same service.

use super::Call;
use super::services::{Service, Store};
use super::tokens::Token;

/// First words of calls that may delete something.
const REMOVES: &[&str] = &[
    "archive",
    "batch",
    "begin",
    "bulk",
    "cancel",
    "clear",
    "close",
    "delete",
    "del",
    "destroy",
    "drop",
    "erase",
    "force",
    "purge",
    "recursive",
    "remove",
    "terminate",
    "trash",
    "truncate",
    "wipe",
];

/// Words that a call's name must contain to count as a deletion.
const LOSSES: &[&str] = &[
    "cancel",
    "clear",
    "delete",
    "del",
    "destroy",
    "drop",
    "erase",
    "purge",
    "remove",
    "terminate",
    "truncate",
    "wipe",
];

/// Verbs of changes that other people see at once.
const SHARES: &[&str] = &["create", "merge", "update", "edit"];

/// Objects of a code host: the words in calls, and the words of its program.
const HOSTED: &[(&str, &str)] = &[
    ("repo", "repo"),
    ("repos", "repo"),
    ("repository", "repo"),
    ("projects", "repo"),
    ("project", "repo"),
    ("issue", "issue"),
    ("issues", "issue"),
    ("pull", "pr"),
    ("pulls", "pr"),
    ("mergerequests", "mr"),
    ("release", "release"),
    ("releases", "release"),
];

/// Objects of a container engine.
const ENGINE: &[&str] = &["volume", "image", "container", "network", "secret", "config", "service"];

/// Returns the parts of a name: `delete_bucket`, `deleteBucket`, `DeleteBucketCommand`, `delete!`.
pub(super) fn parts(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut before = '_';
    for char in name.chars() {
        if char == '_' {
            before = char;
            continue;
        }
        if before == '_' || char.is_ascii_uppercase() && !before.is_ascii_uppercase() {
            found.push(String::new());
        }
        if let Some(part) = found.last_mut() {
            part.push(char.to_ascii_lowercase());
        }
        before = char;
    }
    if found.len() > 1 && found.last().is_some_and(|part| part == "command") {
        found.pop();
    }
    found
}

/// Returns the program's arguments. `None` if the call has no relevant effect.
pub(super) fn words(call: &Call<'_>) -> Option<Vec<String>> {
    let parts = parts(call.name());
    let line = match call.origin.library.speaks {
        Service::Aws => aws(call, &parts),
        Service::Azure => removal(&parts).map(|noun| cloud("az", call, &noun)),
        Service::Google => removal(&parts).map(|noun| cloud("gcloud", call, &noun)),
        Service::Docker if parts == ["exec", "run"] => return in_container(call),
        Service::Docker => docker(call, &parts),
        Service::Firebase => firebase(call, &parts),
        Service::Git => return git(call, &parts),
        Service::Http => return http(call, &parts),
        Service::Models => return models(call, &parts),
        Service::Hosting(program) => hosting(program, call, &parts),
        Service::Kubernetes => kubernetes(call, &parts),
        Service::Shell => return shell(call),
        Service::Mail => mail(call, &parts),
        Service::Driver | Service::Double => None,
        Service::Store(store) => return stored(store, call, &parts),
        Service::Requests("slack.com") if mail(call, &parts).is_some() => mail(call, &parts),
        // The user's own bot replies to people. A webhook posts to a channel.
        Service::Requests("discord.com") if call.origin.service == "webhook" => mail(call, &parts),
        // `remove` often undoes the agent's own action, such as a reaction.
        Service::Requests(_) if parts.first().is_some_and(|verb| verb == "remove") => None,
        Service::Requests("api.stripe.com") if parts == ["create"] => payment(call),
        Service::Requests(host) => removal(&parts).map(|noun| request(host, call, &noun)),
    }?;
    Some(line.split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect())
}

/// Returns the object that a call removes: the rest of its name, which may be empty.
fn removal(parts: &[String]) -> Option<String> {
    let (verb, rest) = parts.split_first()?;
    let is_loss = |part: &String| LOSSES.contains(&part.as_str());
    if !REMOVES.contains(&verb.as_str()) || !parts.iter().any(is_loss) {
        return None;
    }
    let skipped = |part: &&String| !is_loss(part) && !["and", "wait", "many", "if", "exists"].contains(&part.as_str());
    Some(rest.iter().filter(skipped).cloned().collect::<Vec<_>>().join("-"))
}

/// Returns the object: the noun in the call's name, or the member that the call belongs to.
fn noun(call: &Call<'_>, own: &str) -> String {
    let before = || call.names.iter().rev().nth(1).map(|name| parts(name).join("-")).unwrap_or_default();
    let noun = if own.is_empty() { before() } else { own.to_owned() };
    if noun.is_empty() || LOSSES.contains(&noun.as_str()) { "resource".to_owned() } else { noun }
}

/// Returns the literal that identifies the object, if it is a plain word.
fn target<'c>(call: &Call<'c>) -> &'c str {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "._:/-".contains(char);
    call.literal.filter(|text| !text.starts_with('-') && !text.is_empty() && text.chars().all(is_plain)).unwrap_or("x")
}

fn cloud(program: &str, call: &Call<'_>, own: &str) -> String {
    format!("{program} {} {} delete {}", call.origin.service, noun(call, own), target(call))
}

fn request(host: &str, call: &Call<'_>, own: &str) -> String {
    format!("curl -X DELETE https://{host}/{}/{}", noun(call, own), target(call).trim_start_matches('/'))
}

/// Converts `client.terminate_instances()` to `aws ec2 terminate-instances`, and `bucket.delete()` to `aws s3api
/// delete-bucket`.
fn aws(call: &Call<'_>, parts: &[String]) -> Option<String> {
    let service = match call.origin.service.as_str() {
        "" => "service",
        "s3" => "s3api",
        service => service,
    };
    let has = |name: &str| call.names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let verb = parts.join("-");
    let (verb, whole) = (verb.trim_end_matches('!'), service == "s3api" && (has("objects") || has("object_versions")));
    // Only a client is created.
    if call.names.len() < 2 && !call.name().ends_with("Command") && !call.origin.is_method {
        return None;
    }
    match verb {
        "publish" | "publish-batch" if service == "sns" => Some(format!("aws sns {verb}")),
        "delete" | "batch-delete" | "clear" if whole => Some(format!("aws s3 rm s3://{} --recursive", target(call))),
        "delete" | "terminate" | "clear" | "purge" => Some(format!("aws {service} {verb}-{}", noun(call, ""))),
        _ if parts.len() > 1 => {
            let name = call.literal.map(|_| format!("--name {}", target(call))).unwrap_or_default();
            Some(format!("aws {service} {verb} {name}"))
        }
        _ => None,
    }
}

fn docker(call: &Call<'_>, parts: &[String]) -> Option<String> {
    let named = |name: &str| ENGINE.iter().copied().find(|thing| name.to_ascii_lowercase().contains(thing));
    let thing = call.names.iter().rev().find_map(|name| named(name)).or_else(|| named(&call.origin.service));
    let has = |verb: &str| parts.first().is_some_and(|part| part == verb);
    match thing {
        Some(thing) if has("remove") => Some(format!("docker {thing} rm {}", target(call))),
        Some(thing) if has("prune") => Some(format!("docker {thing} prune -f")),
        _ => None,
    }
}

fn firebase(call: &Call<'_>, parts: &[String]) -> Option<String> {
    let own = removal(parts)?;
    let is_user = own.starts_with("user");
    let database = call.names.iter().any(|name| matches!(*name, "database" | "ref" | "reference"));
    Some(match (is_user, database) {
        (true, _) => "curl -X DELETE https://identitytoolkit.googleapis.com/accounts/x".to_owned(),
        (_, true) => "firebase database:remove /".to_owned(),
        _ => format!("firebase firestore:delete {} -r", target(call)),
    })
}

fn kubernetes(call: &Call<'_>, parts: &[String]) -> Option<String> {
    let is_filler = |part: &&String| !matches!(part.as_str(), "namespaced" | "collection" | "cluster");
    let noun: Vec<String> = parts.iter().skip(1).filter(is_filler).cloned().collect();
    let (verb, noun) = (parts.first()?.as_str(), noun.join(""));
    match verb {
        "delete" if noun.is_empty() => Some(format!("kubectl delete {} {}", self::noun(call, ""), target(call))),
        "delete" if parts.iter().any(|part| part == "collection") => Some(format!("kubectl delete {noun} --all")),
        "delete" | "replace" | "patch" if !noun.is_empty() => Some(format!("kubectl {verb} {noun} {}", target(call))),
        _ => None,
    }
}

fn hosting(program: &str, call: &Call<'_>, parts: &[String]) -> Option<String> {
    let verb = parts.first()?.as_str();
    // A request with its method in a text: `octokit.request('DELETE /repos/a/b')`.
    if verb == "request" {
        let (method, path) = call.literal?.split_once(' ')?;
        let is_plain = path.chars().all(|char| char.is_ascii_alphanumeric() || "._-/{}".contains(char));
        return (method != "GET" && is_plain).then(|| format!("{program} api -X {method} {path}"));
    }
    let own = parts.get(1..).unwrap_or_default();
    let before = call.names.iter().rev().skip(1).flat_map(|name| self::parts(name).into_iter().rev());
    let named = |part: &String| HOSTED.iter().find(|(word, _)| *word == part).map(|(_, thing)| *thing);
    let thing = match own.last() {
        Some(last) => named(last),
        None => before.filter(|part| part != "rest").find_map(|part| named(&part)),
    };
    if own.first().is_some_and(|noun| noun.starts_with("label")) {
        return None;
    }
    if removal(parts).is_some() {
        return Some(match thing {
            Some("repo") if own.is_empty() || own.len() == 1 => format!("{program} repo delete x --yes"),
            _ => format!("{program} api -X DELETE {}", noun(call, &own.join("-"))),
        });
    }
    let thing = thing.filter(|thing| *thing != "repo")?;
    SHARES.contains(&verb).then(|| format!("{program} {thing} {} 1", if verb == "update" { "edit" } else { verb }))
}

/// Returns the equivalent command of a data store's own program.
fn stored(store: Store, call: &Call<'_>, parts: &[String]) -> Option<Vec<String>> {
    let name = parts.join("-");
    let name = name.trim_end_matches('!');
    let words = |words: &[&str]| Some(words.iter().map(|word| (*word).to_owned()).collect());
    match (store, name) {
        (Store::Graph, "run" | "execute-query" | "execute-write") => words(&["cypher-shell", call.literal?]),
        (Store::Kafka, "delete-topics" | "delete-records") => {
            words(&["kafka-topics", "--delete", "--topic", target(call)])
        }
        (Store::Mongo, "drop" | "drop-collection") => words(&["mongosh", "--eval", "db.x.drop()"]),
        (Store::Mongo, "delete-many" | "remove") if call.is_given_nothing => {
            words(&["mongosh", "--eval", "db.x.deleteMany({})"])
        }
        (Store::Queue, "queue-purge" | "queue-delete" | "purge-queue" | "delete-queue" | "obliterate" | "purge") => {
            words(&["rabbitmqadmin", "delete", "queue", target(call)])
        }
        (Store::Search, "delete-by-query" | "delete-all-documents" | "delete-all" | "reset") => {
            words(&["curl", "-X", "DELETE", &format!("https://{}/x", target(call))])
        }
        (Store::Search, "delete") if call.names.iter().any(|name| matches!(*name, "indices" | "collections")) => {
            words(&["curl", "-X", "DELETE", &format!("https://{}/x", target(call))])
        }
        (Store::Search, name) if ["collection", "index", "class"].iter().any(|thing| name.ends_with(thing)) => {
            removal(parts)?;
            words(&["curl", "-X", "DELETE", &format!("https://{}/x", target(call))])
        }
        (Store::Tables, "del" | "delete" | "delete-from") if !call.is_bounded => {
            words(&["psql", "-c", "delete from x"])
        }
        (Store::Tables, "drop" | "drop-all" | "drop-table" | "truncate") => words(&["psql", "-c", "drop table x"]),
        (Store::Vault, "disable-secrets-engine" | "delete-metadata-and-all-versions" | "unmount") => {
            words(&["vault", "secrets", "disable", target(call)])
        }
        _ => None,
    }
}

/// Verbs of Git that change a repository or a remote, with other names for them.
const GIT: &[(&str, &[&str])] = &[
    ("branch", &["branch"]),
    ("checkout", &["checkout"]),
    ("clean", &["clean"]),
    ("delete-head", &["branch", "-d"]),
    ("execute", &[]),
    ("filter-branch", &["filter-branch"]),
    ("push", &["push"]),
    ("raw", &[]),
    ("reflog", &["reflog"]),
    ("reset", &["reset"]),
    ("reset-hard", &["reset", "--hard"]),
    ("restore", &["restore"]),
    ("stash", &["stash"]),
    ("update-ref", &["update-ref"]),
];

/// Converts `repo.git.push("--force")`, `repo.head.reset(working_tree=True)` and `git.raw(["clean", "-fd"])` to commands.
fn git(call: &Call<'_>, parts: &[String]) -> Option<Vec<String>> {
    let name = parts.join("-");
    let (_, verb) = GIT.iter().find(|(known, _)| *known == name)?;
    let mut words: Vec<&str> = std::iter::once("git").chain(verb.iter().copied()).collect();
    let is_on = |named: &str| {
        let sets = |three: &[Token<'_>]| match three {
            [Token::Name(name), Token::Sign('=' | ':'), Token::Name("True" | "true")] => *name == named,
            _ => false,
        };
        call.given.windows(3).any(sets)
    };
    if is_on("force") {
        words.push(if name == "delete-head" { "-D" } else { "--force" });
    }
    let literals = || {
        call.given.iter().filter_map(|token| match token {
            Token::Text(text) => Some(*text),
            _ => None,
        })
    };
    let is_hard = literals().any(|text| text == "hard") || call.given.contains(&Token::Name("HARD"));
    if name == "reset" && (is_on("working_tree") || is_hard) {
        words.push("--hard");
    }
    // A remote's own method only gets references.
    if name == "push" && call.names.iter().any(|name| matches!(*name, "remote" | "remotes")) {
        words.push("origin");
    }
    words.extend(literals().filter(|text| !matches!(*text, "git" | "hard")));
    Some(words.into_iter().map(str::to_owned).collect())
}

/// Returns a request that deletes, to the URL in the call.
fn http(call: &Call<'_>, parts: &[String]) -> Option<Vec<String>> {
    let [verb] = parts else { return None };
    let url = call.literal.filter(|url| url.contains("://"))?;
    let words = ["curl", "-X", "DELETE", url].map(str::to_owned).to_vec();
    matches!(verb.as_str(), "del" | "delete").then_some(words)
}

/// Returns a deletion or an upload in the words of the store's program.
fn models(call: &Call<'_>, parts: &[String]) -> Option<Vec<String>> {
    const OBJECTS: &[&str] = &["branch", "collection", "endpoint", "file", "files", "folder", "repo", "space", "tag"];
    let (verb, rest) = parts.split_first()?;
    let has_object = || rest.iter().any(|part| OBJECTS.contains(&part.as_str()));
    let words = match verb.as_str() {
        "delete" if has_object() => ["hf", "repo", "delete", target(call)],
        "upload" if rest.iter().any(|part| matches!(part.as_str(), "file" | "files" | "folder")) => {
            ["hf", "upload", target(call), "."]
        }
        "push" if rest == ["to", "hub"] => ["hf", "upload", target(call), "."],
        _ => return None,
    };
    Some(words.map(str::to_owned).to_vec())
}

/// Returns the command that runs in a container.
fn in_container(call: &Call<'_>) -> Option<Vec<String>> {
    Some(["docker", "exec", "x", "sh", "-c", call.literal?].map(str::to_owned).to_vec())
}

/// Returns the command that runs on the other machine.
fn shell(call: &Call<'_>) -> Option<Vec<String>> {
    let command = call.literal?;
    let run = match call.name() {
        "exec_command" | "execCommand" | "exec" | "exec!" | "run" | "sendline" => command.to_owned(),
        "sudo" => format!("sudo {command}"),
        _ => return None,
    };
    Some(vec!["ssh".to_owned(), "host".to_owned(), run])
}

/// Returns an outgoing payment, in the words of the payment program.
fn payment(call: &Call<'_>) -> Option<String> {
    let thing = call.names.iter().rev().nth(1)?.to_ascii_lowercase();
    let thing = ["refund", "payout", "transfer"].into_iter().find(|name| thing.trim_end_matches('s') == *name)?;
    Some(format!("stripe {thing}s create --live"))
}

/// Objects that are sent when they are created: `client.messages.create()`.
const SENT: &[&str] = &["messages", "calls", "message"];

/// Returns a message to people.
fn mail(call: &Call<'_>, parts: &[String]) -> Option<String> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let is_sent = match parts.as_slice() {
        ["sendmail"] => true,
        // `send_chat_action` only shows that the bot is typing.
        ["send", rest @ ..] => !rest.contains(&"action"),
        ["post", "message" | "ephemeral"] | ["chat", "post", "message" | "ephemeral"] => true,
        ["create"] => call.names.iter().rev().nth(1).is_some_and(|thing| SENT.contains(thing)),
        ["execute"] => call.origin.service == "webhook",
        ["ping"] => call.names.contains(&"Notifier"),
        _ => false,
    };
    is_sent.then(|| "sendmail -t".to_owned())
}

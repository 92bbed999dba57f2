//! [`lines`]: what the name of a server's tool says that it does, as a command of the program for the same service.
//!
//! `mcp__github__delete_repository` deletes what `gh repo delete` deletes. Only names that begin with a verb of loss are
//! read, and only for services whose program the analyzer knows, so that a to-do list may drop its entries.

use serde_json::{Map, Value};

use super::names::{plain, words};
use crate::shell_word::word;

/// A service, and the program whose verbs are like those of its tools.
const SERVICES: &[(&str, &str)] = &[
    ("aws", "aws"),
    ("azure", "az"),
    ("cloudflare", "wrangler"),
    ("digitalocean", "doctl"),
    ("docker", "docker"),
    ("firebase", "firebase"),
    ("fly", "flyctl"),
    ("gcloud", "gcloud"),
    ("gcp", "gcloud"),
    ("github", "gh"),
    ("gitlab", "glab"),
    ("helm", "helm"),
    ("heroku", "heroku"),
    ("kubernetes", "kubectl"),
    ("k8s", "kubectl"),
    ("kubectl", "kubectl"),
    ("netlify", "netlify"),
    ("podman", "podman"),
    ("pulumi", "pulumi"),
    ("railway", "railway"),
    ("supabase", "supabase"),
    ("terraform", "terraform"),
    ("vercel", "vercel"),
];

/// Services of data, with the command that loses what `{}` names: a verb's word and its object's, and the command.
const STORES: &[(&str, &[&str], &str)] = &[
    ("mongodb", &["drop", "collection"], "mongosh --eval 'db.getCollection(\"{}\").drop()'"),
    ("mongodb", &["drop", "database"], "mongosh --eval 'db.dropDatabase()'"),
    ("mongo", &["drop", "collection"], "mongosh --eval 'db.getCollection(\"{}\").drop()'"),
    ("mongo", &["drop", "database"], "mongosh --eval 'db.dropDatabase()'"),
    ("elasticsearch", &["delete", "index"], "curl -X DELETE http://elasticsearch:9200/{}"),
    ("opensearch", &["delete", "index"], "curl -X DELETE http://opensearch:9200/{}"),
    ("redis", &["flush"], "redis-cli flushall"),
    ("postgres", &["drop", "table"], "psql -c 'DROP TABLE \"{}\"'"),
    ("postgres", &["drop", "database"], "psql -c 'DROP DATABASE \"{}\"'"),
    ("mysql", &["drop", "table"], "mysql -e 'DROP TABLE `{}`'"),
    ("mysql", &["drop", "database"], "mysql -e 'DROP DATABASE `{}`'"),
];

/// Verbs of loss, each with other words for it.
const VERBS: &[(&str, &[&str])] = &[
    ("delete", &["delete", "rm", "remove", "destroy"]),
    ("remove", &["rm", "delete", "remove"]),
    ("destroy", &["destroy", "delete", "rm"]),
    ("drop", &["drop", "delete"]),
    ("purge", &["purge", "delete"]),
    ("terminate", &["terminate", "delete"]),
    ("merge", &["merge"]),
    ("reset", &["reset"]),
    ("uninstall", &["uninstall"]),
];

/// Words of tools for what programs call otherwise.
const NOUNS: &[(&[&str], &str)] = &[
    (&["pull", "request"], "pr"),
    (&["merge", "request"], "mr"),
    (&["repository"], "repo"),
    (&["repositories"], "repo"),
    (&["application"], "app"),
];

/// Arguments that say which thing is meant.
const NAMES: &[&str] = &["name", "id", "target"];

/// The commands that the tool amounts to, as far as its name tells.
pub(super) fn lines(tool: &str, input: &Map<String, Value>) -> Vec<String> {
    let Some((server, action)) = tool.rsplit_once("__") else { return Vec::new() };
    let server = words(server);
    let mut action = words(action);
    let is_of = |name: &str| server.iter().any(|word| word == name);
    action.retain(|word| !is_of(word) && !matches!(word.as_str(), "a" | "an" | "the" | "api" | "by" | "id"));
    let target = target(&action, input);
    let has = |part: &&str| action.iter().any(|word| word == part);
    let stores = STORES.iter().filter(|(service, parts, _)| is_of(service) && parts.iter().all(&has));
    let mut found: Vec<String> =
        stores.map(|(_, _, line)| line.replace("{}", &target.replace(['\'', '"', '`', '\\'], ""))).collect();
    let Some((_, program)) = SERVICES.iter().find(|(service, _)| is_of(service)) else { return found };
    let is_verb = |word: &String| VERBS.iter().find(|(verb, _)| verb == word);
    // The verb is at one end of the name: `volume_delete`, `delete_volume`.
    let (verb, noun) = match action.as_slice() {
        [first, rest @ ..] if is_verb(first).is_some() => (first, rest),
        [rest @ .., last] if is_verb(last).is_some() => (last, rest),
        _ => return found,
    };
    let noun = noun_of(noun);
    let target = if target.is_empty() { "x".to_owned() } else { word(&target) };
    for verb in is_verb(verb).map_or(&[][..], |(_, others)| others) {
        found.push(format!("{program} {noun} {verb} {target}"));
        found.push(format!("{program} {verb} {noun} {target}"));
    }
    found
}

fn noun_of(words: &[String]) -> String {
    let known = NOUNS.iter().find(|(parts, _)| words.iter().map(String::as_str).eq(parts.iter().copied()));
    known.map_or_else(|| words.join("-"), |(_, noun)| (*noun).to_owned())
}

/// The name of the thing: the argument that is called like it, or the first text.
fn target(action: &[String], input: &Map<String, Value>) -> String {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    if let (Some(owner), Some(repo)) = (input.get("owner").and_then(text), input.get("repo").and_then(text))
        && action.iter().any(|word| word.starts_with("repositor") || word == "repo")
    {
        return format!("{owner}/{repo}");
    }
    let is_named = |key: &str| NAMES.iter().any(|name| key.ends_with(name)) || action.iter().any(|word| key == word);
    let named = input.iter().filter(|(key, _)| is_named(&plain(key))).find_map(|(_, value)| text(value));
    named.or_else(|| input.values().find_map(text)).unwrap_or_default()
}

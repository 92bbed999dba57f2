//! [`lines`]: what the name of a server's tool says that it does, as a command of the program for the same service.
//!
//! `mcp__github__delete_repository` deletes what `gh repo delete` deletes, and `mcp__git__git_push` pushes. What a service
//! without a program deletes is a request that deletes, if it is a thing that others share or the service is one that
//! they share: a to-do list may drop its entries.

mod by_arguments;
mod deeds;
mod git;
mod services;

use serde_json::{Map, Value};

use super::names::{normalize, split_words};
use crate::shell_word::word;
use services::{
    AMOUNTS, FILLERS, GENERAL, KEEPERS, LOOKS, NAMES, NOUNS, ONLINE, OWN, PLACES, REMOVES, SERVICES, SHARED,
    SOME_REMOVES, STORES, TABLED, THING_ARGUMENTS, VERB_ARGUMENTS, VERBS,
};

/// The commands that the tool amounts to, as far as its name and an argument with its verb tell.
pub(super) fn lines(tool: &str, input: &Map<String, Value>) -> Vec<String> {
    let Some((server, action)) = tool.rsplit_once("__") else { return Vec::new() };
    let (server, own) = (split_words(server), split_words(action));
    let mut found = action_commands(&server, &own, input);
    if let Some(field) = mutation(input) {
        found.extend(action_commands(&server, &split_words(field), input));
    }
    let looks = |words: &[String]| words.first().is_some_and(|word| LOOKS.contains(&word.as_str()) && word != "query");
    if let Some(verb) = verb(input).filter(|verb| !looks(&own) && !looks(&split_words(verb))) {
        found.extend(action_commands(&server, &action_words(verb, &own, input), input));
    }
    found
}

/// The first field of a mutation in GraphQL, which is named like a tool.
fn mutation(input: &Map<String, Value>) -> Option<&str> {
    let is_text = |key: &str| matches!(key, "query" | "mutation" | "graphql" | "document" | "operation");
    let texts = input.iter().filter(|(key, _)| is_text(&normalize(key))).filter_map(|(_, value)| value.as_str());
    let mut bodies = texts.filter_map(|text| text.trim_start().strip_prefix("mutation")?.split_once('{'));
    let field = bodies.next()?.1.trim_start();
    let end = field.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(field.len());
    // `alias: field`
    let behind = field.get(end..)?.trim_start().strip_prefix(':').map(str::trim_start);
    let name = behind.or_else(|| field.get(..end))?;
    Some(name.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default())
}

/// A longer text is no verb.
const VERB_BYTES: usize = 64;

/// The verb of a tool that leaves it to an argument: `delete` of `{"operation": "delete"}`. An HTTP method isn't a verb.
pub(super) fn verb(input: &Map<String, Value>) -> Option<&str> {
    let is_name = |text: &&str| {
        text.len() <= VERB_BYTES && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-:.".contains(&byte))
    };
    let is_method = |text: &str| text.bytes().all(|byte| byte.is_ascii_uppercase());
    VERB_ARGUMENTS.iter().find_map(|name| {
        let (_, value) = input.iter().find(|(key, _)| normalize(key) == *name)?;
        value.as_str().filter(is_name).filter(|text| *name != "method" || !is_method(text))
    })
}

/// The words of the verb, of the arguments that name the kind of thing, and of the tool's name without its own verb.
fn action_words(verb: &str, own: &[String], input: &Map<String, Value>) -> Vec<String> {
    let things = THING_ARGUMENTS.iter().filter_map(|name| {
        let (_, value) = input.iter().find(|(key, _)| normalize(key) == *name)?;
        value.as_str().filter(|text| text.len() <= VERB_BYTES)
    });
    let is_meant = |word: &&String| !GENERAL.contains(&word.as_str()) && !LOOKS.contains(&word.as_str());
    split_words(verb)
        .into_iter()
        .chain(things.flat_map(split_words))
        .chain(own.iter().filter(is_meant).cloned())
        .collect()
}

/// The commands of an action, as its words tell.
fn action_commands(server: &[String], all: &[String], input: &Map<String, Value>) -> Vec<String> {
    let is_of = |name: &str| server.iter().any(|word| word == name);
    let mut action = all.to_vec();
    action.retain(|word| !is_of(word) && !FILLERS.contains(&word.as_str()));
    let target = target(&action, input);
    let has = |part: &&str| action.iter().any(|word| word == part);
    let stores = STORES.iter().filter(|(service, parts, _)| is_of(service) && parts.iter().all(&has));
    let mut found: Vec<String> = stores.map(|(_, _, line)| fill_line(line, &target, input)).collect();
    found.extend(git::line(server, all, input));
    found.extend(git::protected_commit(&action, input));
    // A server may run several programs, and the tool's name then says which.
    let named = SERVICES.iter().find(|(service, _)| has(service)).filter(|_| action.len() > 1);
    let program = named.or_else(|| SERVICES.iter().find(|(service, _)| is_of(service)));
    if let Some((service, program)) = program {
        action.retain(|word| word != service);
        found.extend(program_commands(program, &action, &target));
    }
    if !program.is_some_and(|(_, program)| TABLED.contains(program)) && !is_of("git") {
        found.extend(removal(server, &action, &target));
    }
    found.extend(replaced_collection(server, &action, input));
    found.extend(by_arguments::lines(&action, input));
    found.extend(deeds::lines(server, all, input));
    found
}

/// A line of the table, with the names that the arguments have.
fn fill_line(line: &str, target: &str, input: &Map<String, Value>) -> String {
    let bare = |text: &str| text.replace(['\'', '"', '`', '\\'], "");
    let filter = input.get("filter").map(|filter| filter.to_string().replace('\'', "")).unwrap_or_default();
    let dyno = input.get("dyno").and_then(Value::as_str).unwrap_or_default();
    line.replace("{}", &bare(target)).replace("{filter}", &filter).replace("{dyno}", &word(dyno))
}

/// The calls of a service's program.
fn program_commands(program: &str, action: &[String], target: &str) -> Vec<String> {
    let is_verb = |word: &String| VERBS.iter().find(|(verb, _)| verb == word);
    // `get_deploy` looks, and a label is taken from an issue, not from the service.
    // A tool that does one or the other has no name of a program's.
    let is_either = action.iter().any(|word| word == "or");
    if action.first().is_some_and(|word| LOOKS.contains(&word.as_str())) || is_label(action) || is_either {
        return Vec::new();
    }
    // The verb is at one end of the name: `volume_delete`, `delete_volume`.
    let (verb, noun) = match action {
        [first, rest @ ..] if is_verb(first).is_some() => (first, rest),
        [rest @ .., last] if is_verb(last).is_some() => (last, rest),
        _ => return Vec::new(),
    };
    let noun = resource_noun(noun);
    let target = if target.is_empty() { "x".to_owned() } else { word(target) };
    let verbs = is_verb(verb).map_or(&[][..], |(_, others)| others);
    let lines = verbs
        .iter()
        .flat_map(|verb| [format!("{program} {noun} {verb} {target}"), format!("{program} {verb} {noun} {target}")]);
    lines.collect()
}

/// The request that removes what the tool removes, if that is a thing that others share.
fn removal(server: &[String], action: &[String], target: &str) -> Option<String> {
    let removes = |word: &String| REMOVES.contains(&word.as_str());
    let some = |word: &String| SOME_REMOVES.iter().find(|(verb, _)| verb == word).map(|(_, things)| *things);
    let is_one_of = |names: &[&str]| server.iter().any(|word| names.contains(&word.as_str()));
    let is_everything =
        action.iter().any(|word| word == "all") && action.iter().any(|word| removes(word) && word != "remove");
    let is_own = is_one_of(OWN) && !(is_everything && is_one_of(KEEPERS));
    if action.iter().any(|word| LOOKS.contains(&word.as_str())) || is_label(action) || is_own {
        return None;
    }
    let is_amount = |word: &&String| AMOUNTS.contains(&word.as_str());
    let amounts = action.iter().take_while(is_amount).count();
    let action = action.get(amounts..)?;
    // The name of a part may come first, as in `store_delete_document`, and the thing, as in `zone_delete`.
    let at = action.iter().position(removes);
    let (before, rest) = action.split_at_checked(at.unwrap_or_default())?;
    let (verb, rest) = rest.split_first()?;
    let (things, rest) = match at {
        Some(_) if rest.is_empty() => (SHARED, before),
        Some(_) => (SHARED, rest),
        None => (some(verb)?, rest),
    };
    let thing = rest.iter().filter(|word| !is_amount(word)).take_while(|word| !PLACES.contains(&word.as_str())).last();
    // A verb alone is about whatever the service keeps.
    let thing = thing.map_or("thing", String::as_str);
    let single = match thing.strip_suffix("ies") {
        Some(stem) => format!("{stem}y"),
        None => thing.strip_suffix('s').unwrap_or(thing).to_owned(),
    };
    // `remove` often takes back a step of the agent's own, such as a reaction.
    let is_lost = REMOVES.contains(&verb.as_str()) && verb != "remove";
    let is_online = is_one_of(ONLINE) || SERVICES.iter().any(|(service, _)| server.iter().any(|word| word == service));
    let is_shared =
        things.contains(&single.as_str()) || things.contains(&thing) || is_lost && (is_online || is_everything);
    let host = server.last().filter(|_| is_shared)?;
    let target: String = target.chars().filter(|c| c.is_ascii_alphanumeric() || "._-".contains(*c)).collect();
    Some(format!("curl -X DELETE https://{host}/{single}/{}", if target.is_empty() { "x" } else { &target }))
}

/// A label is removed from a thing, which stays.
fn is_label(action: &[String]) -> bool {
    matches!(action, [verb, label, ..] if verb == "remove" && label.starts_with("label"))
}

/// The collection that the result of a query takes the place of.
fn replaced_collection(server: &[String], action: &[String], input: &Map<String, Value>) -> Option<String> {
    let is_query = server.iter().chain(action).any(|word| word.starts_with("mongo") || word == "aggregate");
    let stages = input.get("pipeline").filter(|_| is_query)?.as_array()?;
    let out = stages.iter().find_map(|stage| stage.get("$out"))?;
    let name = out.as_str().or_else(|| out.get("coll")?.as_str()).unwrap_or("x").replace(['\'', '"', '\\'], "");
    Some(format!("mongosh --eval 'db.getCollection(\"{name}\").drop()'"))
}

fn resource_noun(words: &[String]) -> String {
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
    let named = input.iter().filter(|(key, _)| is_named(&normalize(key))).find_map(|(_, value)| text(value));
    let is_other = |key: &str| !VERB_ARGUMENTS.contains(&key) && !THING_ARGUMENTS.contains(&key);
    let mut others = input.iter().filter(|(key, _)| is_other(&normalize(key)));
    named.or_else(|| others.find_map(|(_, value)| text(value))).unwrap_or_default()
}

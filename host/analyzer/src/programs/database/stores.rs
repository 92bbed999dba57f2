//! Stores without SQL: document and key-value stores.

use guard_sdk::syntax::Severity;

use crate::draft::Draft;
use crate::options::Parsed;
use crate::run::Run;

/// Calls in the document store's shell and their effects. A call is given as its start without white space.
const CALLS: &[(&str, &str, Severity)] = &[
    ("dropDatabase(", "mongo.drop-database", Severity::Catastrophic),
    ("dropDatabase:", "mongo.drop-database", Severity::Catastrophic),
    (".drop(", "mongo.drop-collection", Severity::Destructive),
    ("({drop:", "mongo.drop-collection", Severity::Destructive),
    ("deleteMany({})", "mongo.delete", Severity::Destructive),
    ("deleteMany()", "mongo.delete", Severity::Destructive),
    (".remove({})", "mongo.delete", Severity::Destructive),
    (".remove()", "mongo.delete", Severity::Destructive),
    ("updateMany({},", "mongo.update", Severity::Destructive),
    (".dropIndex", "mongo.drop-index", Severity::Destructive),
    ("dropUser(", "mongo.drop-user", Severity::Destructive),
    ("dropAllUsers(", "mongo.drop-user", Severity::Destructive),
    ("dropRole(", "mongo.drop-user", Severity::Destructive),
    ("shutdownServer(", "mongo.shutdown", Severity::Destructive),
    ("({shutdown:", "mongo.shutdown", Severity::Destructive),
    ("removeShard(", "mongo.drop-shard", Severity::Destructive),
];

/// Calls in the document store's shell that change documents or collections.
const CHANGES: &[&str] = &[
    "insertOne(",
    "insertMany(",
    "insert(",
    "updateOne(",
    "updateMany(",
    "replaceOne(",
    "deleteOne(",
    "deleteMany(",
    "bulkWrite(",
    "findOneAnd",
    "findAndModify(",
    "createIndex(",
    "createCollection(",
    "renameCollection(",
    "createUser(",
    ".save(",
];

/// Commands of the key-value store that change values.
#[rustfmt::skip]
const WRITES: &[&str] = &[
    "append", "copy", "decr", "decrby", "expire", "geoadd", "getdel", "getset", "hdel", "hincrby", "hmset", "hset",
    "hsetnx", "incr", "incrby", "json.set", "linsert", "lpop", "lpush", "lrem", "lset", "ltrim", "mset", "move",
    "persist", "pexpire", "pfadd", "psetex", "publish", "rename", "renamenx", "restore", "rpop", "rpush", "sadd", "set",
    "setbit", "setex", "setnx", "setrange", "spop", "srem", "xadd", "xdel", "xtrim", "zadd", "zincrby", "zrem",
];

/// Calls with which MySQL Shell drops objects in its own languages.
const CALLS_OF_MYSQL: &[&str] = &[
    "dropSchema(",
    "drop_schema(",
    "dropCollection(",
    "drop_collection(",
    "dropCollectionIndex(",
    "dropMetadataSchema(",
    "drop_metadata_schema(",
    ".dissolve(",
    "deleteSandboxInstance(",
];

pub(super) fn shell_of_mysql(run: &mut Run<'_>, code: &str) {
    if CALLS_OF_MYSQL.iter().any(|call| code.contains(call)) {
        run.emit(Draft::destructive("database", "sql.drop-schema").tag("client", "mysqlsh"));
    }
}

pub(super) fn mongo<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let texts: Vec<(String, bool)> = match parsed.value("", "eval") {
        Some(value) => vec![(value.text.into_owned(), !value.dynamic)],
        None => run.input().into_iter().map(|input| (input.text, input.certain)).collect(),
    };
    for (mut text, certain) in texts {
        // The shell removes unquoted parentheses from the word, but the intended text is a call.
        if !text.contains('(') && text.starts_with("db.") && is_call(run, &text) {
            text.push_str("()");
        }
        run.script("javascript", &text, certain);
        let text: String =
            text.chars().filter(|letter| !letter.is_whitespace() && !matches!(letter, '"' | '\'')).collect();
        if CHANGES.iter().any(|call| text.contains(call)) {
            super::shared_change(run, "mongosh", certain);
        }
        let mut last = "";
        for (call, operation, severity) in CALLS {
            if *operation != last && text.contains(call) {
                last = operation;
                run.emit(Draft::notable("database", operation).severe(*severity, true).certain(certain));
            }
        }
    }
}

/// Returns whether the last name of the text is that of a call without arguments.
fn is_call(run: &Run<'_>, text: &str) -> bool {
    let last = run.arguments().last().is_some_and(|word| word.text == text && !word.quoted);
    last && text.rsplit('.').next().is_some_and(|name| {
        CALLS.iter().any(|(call, ..)| call.trim_start_matches('.').starts_with(&format!("{name}(")))
    })
}

pub(super) fn mongoimport<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("", "file").for_each(|file| run.read(&file));
    if parsed.is("", "drop") {
        let name = parsed.value("c", "collection");
        let draft = Draft::destructive("database", "mongo.drop-collection");
        run.emit(draft.target(name.as_ref().map_or("", |name| &name.text)));
    }
}

pub(super) fn redis<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(script) = parsed.value("", "eval") {
        run.read(&script);
        return;
    }
    if !parsed.operands.is_empty() {
        redis_command(run, parsed.text(0), parsed.text(1), true);
        return;
    }
    let Some(input) = run.input() else {
        return super::generated::find_keys(run);
    };
    for line in input.text.lines().take(4096) {
        let mut words = line.split_whitespace();
        redis_command(run, words.next().unwrap_or_default(), words.next().unwrap_or_default(), input.certain);
    }
}

/// Adds the effects of a command of the key-value store in the position of a program.
pub(super) fn bare<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if run.shouted {
        let verb = run.name.clone();
        redis_command(run, &verb, parsed.text(0), false);
    }
}

fn redis_command(run: &mut Run<'_>, verb: &str, target: &str, certain: bool) {
    let is = |words: &[&str]| words.iter().any(|word| word.eq_ignore_ascii_case(target));
    let verb = verb.to_ascii_lowercase();
    if WRITES.contains(&verb.as_str()) {
        super::shared_change(run, "redis-cli", certain);
    }
    let draft = match verb.as_str() {
        "flushall" => Draft::catastrophic("database", "redis.flush-all"),
        "flushdb" => Draft::catastrophic("database", "redis.flush"),
        "del" | "unlink" => Draft::destructive("database", "redis.delete").target(target),
        "slaveof" | "replicaof" => Draft::destructive("database", "redis.replicate").target(target),
        "config" if is(&["set", "rewrite"]) => Draft::notable("database", "redis.config"),
        "shutdown" => Draft::notable("database", "redis.shutdown"),
        "script" | "function" if is(&["flush", "delete", "kill"]) => {
            Draft::destructive("database", "redis.script-flush")
        }
        "cluster" if is(&["reset", "flushslots", "delslots", "forget", "failover"]) => {
            Draft::destructive("database", "redis.cluster")
        }
        "acl" if is(&["deluser", "setuser", "load"]) => Draft::destructive("database", "redis.config"),
        "module" if is(&["load", "loadex", "unload"]) => Draft::destructive("execute", "redis.module"),
        "debug"
            if !is(&[
                "object",
                "help",
                "sleep",
                "jmap",
                "populate",
                "digest",
                "digest-value",
                "stringmatch-len",
                "set-active-expire",
            ]) =>
        {
            Draft::destructive("database", "redis.shutdown")
        }
        "client" if is(&["kill"]) => Draft::destructive("database", "redis.client-kill"),
        "swapdb" => Draft::destructive("database", "redis.swap"),
        "eval" | "eval_ro" => {
            let script = target.to_ascii_lowercase();
            run.script("lua", target, certain);
            if script.contains("flushall") || script.contains("flushdb") {
                Draft::catastrophic("database", "redis.flush-all")
            } else if ["'del'", "\"del\"", "'unlink'", "\"unlink\""].iter().any(|call| script.contains(call)) {
                Draft::destructive("database", "redis.delete")
            } else {
                return;
            }
        }
        _ => return,
    };
    run.emit(draft.certain(certain));
}

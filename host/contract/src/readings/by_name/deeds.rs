//! Effects of a service's tools on other people, by the words of their names: messages, access, keys, money, meetings.
//!
//! The program `server-tool` stands for the tool. The analyzer's table describes it.

use serde_json::{Map, Value};

use super::super::names::normalize;
use super::services::{LOOKS, ONLINE, OWN, SERVICES, TABLED};

/// The servers on which the words of a tool have this meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// On any server.
    Anywhere,
    /// On the server of a service that others use.
    Online,
    /// On the server of a service for messages.
    Talking,
}

use Reach::{Anywhere, Online, Talking};

/// A verb with one of these things is this deed. Without things the verb is enough.
struct Deed {
    line: &'static str,
    reach: Reach,
    verbs: &'static [&'static str],
    things: &'static [&'static str],
}

const fn deed(
    line: &'static str,
    reach: Reach,
    verbs: &'static [&'static str],
    things: &'static [&'static str],
) -> Deed {
    Deed { line, reach, verbs, things }
}

/// Verbs that bring a text to people.
const SAYS: &[&str] = &[
    "announce",
    "broadcast",
    "comment",
    "forward",
    "notify",
    "post",
    "publish",
    "reply",
    "respond",
    "schedule",
    "send",
    "share",
    "tweet",
];

/// Verbs that make something or put it there.
const MAKES: &[&str] =
    &["add", "create", "insert", "leave", "make", "new", "post", "put", "save", "set", "submit", "upsert", "write"];

/// Verbs that change what is there.
const CHANGES: &[&str] = &["change", "edit", "modify", "patch", "replace", "update"];

/// Verbs by which a key works no longer, or is another one.
const TURNS: &[&str] = &["disable", "issue", "regenerate", "renew", "revoke", "roll", "rotate"];

/// Verbs that change who may do something.
#[rustfmt::skip]
const ADMITS: &[&str] = &[
    "accept", "activate", "add", "approve", "assign", "change", "create", "deactivate", "delete", "detach", "disable",
    "edit", "enable", "modify", "patch", "put", "reactivate", "remove", "replace", "set", "suspend", "transfer",
    "unassign", "unsuspend", "update", "upsert",
];

/// Things that are about who may do something.
#[rustfmt::skip]
const ACCESS: &[&str] = &[
    "access", "acl", "collaboration", "collaborator", "collaborators", "guest", "iam", "invitation", "invite", "member",
    "members", "membership", "ownership", "permission", "permissions", "policy", "role", "roles", "sharing", "teammate",
    "tunnel", "user", "users", "visibility",
];

#[rustfmt::skip]
const DEEDS: &[Deed] = &[
    deed("server-tool message send", Talking, SAYS, &[]),
    deed("server-tool message send", Talking, MAKES, &["post"]),
    deed("server-tool message send", Anywhere, SAYS, &["email", "emails", "fax", "mail", "mms", "newsletter", "sms", "toot", "tweet"]),
    deed("server-tool message send", Online, SAYS, &["announcement", "campaign", "campaigns", "comment", "conversation", "dm", "message", "messages", "notification", "post", "reply", "review", "thread"]),
    deed("server-tool message send", Online, MAKES, &["announcement", "comment", "comments", "message", "reply", "review", "sms", "toot", "tweet"]),

    deed("server-tool access change", Online, &["ban", "demote", "grant", "invite", "kick", "promote", "publish", "revoke", "share", "uninvite", "unpublish", "unshare"], &[]),
    deed("server-tool access change", Anywhere, &["grant", "revoke"], &["access", "admin", "permission", "permissions", "privilege", "privileges", "role", "roles"]),
    deed("server-tool access change", Anywhere, &["publish", "share", "unpublish"], &["article", "document", "drive", "file", "files", "folder", "form", "page", "post", "site", "story", "video"]),
    deed("server-tool access change", Anywhere, &["assign", "attach", "bind", "detach", "unassign"], &["group", "permission", "permissions", "policy", "role", "roles"]),
    deed("server-tool access change", Online, ADMITS, ACCESS),
    deed("server-tool access change", Online, &["add", "create", "generate", "make"], &["share", "shared", "sharing"]),

    deed("server-tool key change", Anywhere, TURNS, &["certificate", "credential", "credentials", "jwt", "key", "keys", "password", "secret", "secrets", "token", "tokens"]),
    deed("server-tool key change", Online, &["add", "create", "generate", "import", "register", "schedule"], &["key", "keys"]),
    deed("server-tool key change", Online, &["add", "change", "create", "delete", "edit", "enable", "generate", "import", "patch", "put", "register", "reset", "set", "store", "update", "upsert", "write"], &["apikey", "credential", "credentials", "env", "envs", "jwt", "password", "secret", "secrets", "token", "tokens", "webhook", "webhooks"]),
    deed("server-tool key change", Anywhere, &["reset", "set"], &["password"]),
    deed("vault kv get", Anywhere, &["decrypt", "reveal"], &["credential", "credentials", "password", "secret", "secrets"]),

    deed("server-tool money spend", Online, &["authorize", "capture", "confirm", "create", "execute", "finalize", "initiate", "issue", "make", "pay", "send", "submit"], &["charge", "invoice", "invoices", "payment", "payments", "payout", "payouts", "refund", "refunds", "transfer"]),
    deed("server-tool money spend", Anywhere, &["buy", "donate", "purchase", "sell", "withdraw"], &[]),
    deed("server-tool money spend", Anywhere, &["checkout", "order"], &[]),
    deed("server-tool money spend", Anywhere, &["create", "execute", "limit", "market", "place", "submit"], &["order", "trade"]),
    deed("server-tool money spend", Anywhere, &["make", "send"], &["payment", "payout"]),
    deed("server-tool money spend", Anywhere, &["book", "reserve"], &["appointment", "flight", "hotel", "reservation", "restaurant", "ride", "room", "seat", "table", "ticket"]),
    deed("server-tool money spend", Anywhere, &["broadcast", "sign"], &["transaction", "transactions"]),
    deed("server-tool money spend", Anywhere, &["register", "renew", "transfer"], &["domain"]),

    deed("server-tool meeting answer", Anywhere, &["accept", "answer", "decline", "respond", "rsvp"], &["calendar", "event", "invitation", "invite", "meeting"]),
    deed("server-tool meeting answer", Online, &["rsvp"], &[]),
    deed("server-tool meeting change", Online, &["cancel", "change", "edit", "modify", "move", "patch", "reschedule", "update"], &["appointment", "booking", "event", "meeting"]),

    deed("server-tool state change", Online, &["approve", "cancel", "close", "deactivate", "disable", "enable", "pause", "promote", "reject", "reopen", "reset", "resolve", "restart", "rollback", "stop", "suspend", "toggle", "transition", "trigger", "unpublish"], &["alert", "article", "board", "branch", "campaign", "cluster", "database", "deployment", "entry", "flag", "flags", "incident", "incidents", "instance", "issue", "job", "monitor", "pipeline", "project", "service", "subscription", "ticket", "workflow"]),
    deed("server-tool state change", Online, CHANGES, &["flag", "flags", "incident", "incidents"]),
];

/// Words of a tool that prepares, shows or tries something, whatever its verb is.
#[rustfmt::skip]
const QUIET: &[&str] = &[
    "draft", "drafts", "dry", "estimate", "example", "history", "mock", "prepare", "preview", "quote", "sample",
    "schema", "simulate", "stats", "suggest", "template", "templates", "test", "validate", "verify",
];

/// Services for messages to other people.
#[rustfmt::skip]
const TALKS: &[&str] = &[
    "bluesky", "discord", "email", "facebook", "gmail", "imessage", "instagram", "intercom", "linkedin", "mail",
    "mailchimp", "mailgun", "mastodon", "matrix", "mattermost", "medium", "messenger", "outlook", "postmark", "pushover",
    "reddit", "resend", "sendgrid", "signal", "slack", "sms", "teams", "telegram", "tiktok", "twilio", "twitter",
    "wechat", "whatsapp",
];

/// Services whose content or accounts matter to others, and whose deletions no list names.
#[rustfmt::skip]
const OTHERS: &[&str] = &[
    "1password", "appwrite", "binance", "bitwarden", "calendly", "coinbase", "doppler", "gcal", "infisical", "keycloak",
    "kraken", "launchdarkly", "m365", "mercury", "microsoft", "ngrok", "office365", "opsgenie", "plaid", "quickbooks", "razorpay", "s3",
    "servicenow", "vault", "wise", "workos", "xero",
];

/// Arguments of what is bought.
const BOUGHT: &[&str] = &["amount", "basket", "cart", "cartid", "items", "payment", "products", "quantity"];

/// The lines of the deeds that the name and the arguments tell.
pub(super) fn lines(server: &[String], action: &[String], input: &Map<String, Value>) -> Vec<String> {
    let is_one_of = |names: &[&str]| server.iter().chain(action.first()).any(|word| names.contains(&word.as_str()));
    let talks = is_one_of(TALKS);
    // Tables say of each thing of these programs whether its loss matters.
    let is_tabled = |program: &str| TABLED.contains(&program);
    let is_service =
        SERVICES.iter().any(|(service, program)| !is_tabled(program) && server.iter().any(|word| word == service));
    let online = talks || is_one_of(ONLINE) || is_one_of(OTHERS) || is_service;
    let own = server.iter().any(|word| OWN.contains(&word.as_str())) && !online;
    let looks = |word: Option<&String>| word.is_some_and(|word| LOOKS.contains(&word.as_str()));
    let quiet = action.iter().any(|word| QUIET.contains(&word.as_str()));
    if own || quiet || looks(action.first()) || looks(action.last()) {
        return Vec::new();
    }
    let reaches = |deed: &Deed| match deed.reach {
        Anywhere => true,
        Online => online,
        Talking => talks,
    };
    let fits = |deed: &&Deed| reaches(deed) && matches(deed, action) && is_meant(deed, action, input);
    let mut found: Vec<String> = Vec::new();
    let matching = DEEDS.iter().filter(fits).map(|deed| deed.line);
    let matching = matching.chain(find_by_arguments(online, action, input));
    let service = server.last().map_or("", String::as_str);
    for line in matching {
        let line = format!("{line} {service}");
        if !found.contains(&line) {
            found.push(line);
        }
    }
    found
}

/// A verb of the deed leads the words or ends them, and one of the things is among the others.
fn matches(deed: &Deed, action: &[String]) -> bool {
    let is_thing = |word: &String| deed.things.is_empty() || deed.things.contains(&word.as_str());
    let is_verb = |word: &String| deed.verbs.contains(&word.as_str());
    let verb = match action {
        // The service or a part of it may come first: `chat_post_message`.
        [verb, ..] if is_verb(verb) => 0,
        [_, verb, _, ..] if is_verb(verb) => 1,
        [.., verb] if is_verb(verb) => action.len() - 1,
        _ => return false,
    };
    // `reddit_get_post`
    if action.iter().take(verb).any(|word| LOOKS.contains(&word.as_str())) {
        return false;
    }
    let mut others = action.iter().enumerate().filter(|(at, _)| *at != verb).map(|(_, word)| word);
    deed.things.is_empty() || others.any(is_thing)
}

/// Returns whether the arguments agree: a message has a recipient, and an order has items.
fn is_meant(deed: &Deed, action: &[String], input: &Map<String, Value>) -> bool {
    let has = |word: &str| action.iter().any(|other| other == word);
    let buys = || input.keys().any(|key| BOUGHT.contains(&normalize(key).as_str()));
    match deed.line {
        "server-tool message send" if has("message") => input.len() != 1,
        "server-tool message send" => !has("reaction") && !has("keys"),
        "server-tool money spend" if deed.verbs.contains(&"checkout") => buys(),
        "server-tool key change" => !has("design") && !has("translation"),
        _ => true,
    }
}

/// Arguments that others are told by or get access by.
fn find_by_arguments(online: bool, action: &[String], input: &Map<String, Value>) -> Option<&'static str> {
    let value = |names: &[&str]| {
        let mut named = input.iter().filter(|(key, _)| names.contains(&normalize(key).as_str()));
        named.next().map(|(_, value)| value)
    };
    let text = |names: &[&str]| value(names).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let verb = action.first().filter(|_| online)?.as_str();
    let changes = MAKES.contains(&verb) || CHANGES.contains(&verb) || verb == "upload";
    let is_public = ["public", "ispublic", "makepublic"].iter().any(|name| value(&[name]) == Some(&Value::Bool(true)))
        || ["private", "isprivate"].iter().any(|name| value(&[name]) == Some(&Value::Bool(false)))
        || text(&["visibility", "access", "scope", "linkaccess"]).contains("public")
        || text(&["acl"]).starts_with("public")
        || matches!(text(&["type", "scope", "sharewith"]).as_str(), "anyone" | "anonymous" | "everyone");
    if changes && is_public {
        return Some("server-tool access change");
    }
    let invites = value(&["attendees", "guests", "invitees", "participants"]).is_some_and(|list| match list {
        Value::Array(list) => !list.is_empty(),
        Value::String(text) => !text.is_empty(),
        _ => false,
    });
    let is_meeting = action.iter().any(|word| matches!(word.as_str(), "event" | "meeting" | "appointment" | "events"));
    (invites && is_meeting).then_some("server-tool meeting change")
}

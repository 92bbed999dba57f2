//! What the names of servers and of their tools mean.

/// A service, and the program whose verbs are like those of its tools.
pub(super) const SERVICES: &[(&str, &str)] = &[
    ("argocd", "argocd"),
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
    ("npm", "npm"),
    ("podman", "podman"),
    ("prisma", "prisma"),
    ("pulumi", "pulumi"),
    ("railway", "railway"),
    ("supabase", "supabase"),
    ("terraform", "terraform"),
    ("vercel", "vercel"),
];

/// Words of a tool and of its server, and the command that loses or shows the same. `{}` is the name of the thing, and
/// `{filter}` the argument of this name.
pub(super) const STORES: &[(&str, &[&str], &str)] = &[
    ("mongodb", &["drop", "collection"], "mongosh --eval 'db.getCollection(\"{}\").drop()'"),
    ("mongodb", &["drop", "database"], "mongosh --eval 'db.dropDatabase()'"),
    ("mongodb", &["delete", "many"], "mongosh --eval 'db.getCollection(\"{}\").deleteMany({filter})'"),
    ("mongodb", &["delete", "documents"], "mongosh --eval 'db.getCollection(\"{}\").deleteMany({filter})'"),
    ("mongo", &["drop", "collection"], "mongosh --eval 'db.getCollection(\"{}\").drop()'"),
    ("mongo", &["drop", "database"], "mongosh --eval 'db.dropDatabase()'"),
    ("mongo", &["delete", "many"], "mongosh --eval 'db.getCollection(\"{}\").deleteMany({filter})'"),
    ("redis", &["flush"], "redis-cli flushall"),
    ("redis", &["flushall"], "redis-cli flushall"),
    ("redis", &["flushdb"], "redis-cli flushdb"),
    ("postgres", &["drop", "table"], "psql -c 'DROP TABLE \"{}\"'"),
    ("postgres", &["drop", "database"], "psql -c 'DROP DATABASE \"{}\"'"),
    ("mysql", &["drop", "table"], "mysql -e 'DROP TABLE `{}`'"),
    ("mysql", &["drop", "database"], "mysql -e 'DROP DATABASE `{}`'"),
    ("github", &["create", "release"], "gh release create {}"),
    ("github", &["run", "workflow"], "gh workflow run {}"),
    ("github", &["dispatch", "workflow"], "gh workflow run {}"),
    ("vault", &["read", "secret"], "vault kv get {}"),
    ("vault", &["get", "secret"], "vault kv get {}"),
    ("1password", &["get", "item"], "op item get {} --reveal"),
    ("1password", &["get", "secret"], "op read op://x/{}"),
    ("onepassword", &["get", "item"], "op item get {} --reveal"),
    ("bitwarden", &["get", "password"], "bw get password {}"),
    ("bitwarden", &["get", "item"], "bw get item {}"),
    ("doppler", &["get", "secret"], "doppler secrets get {}"),
    ("infisical", &["get", "secret"], "infisical secrets get {}"),
    ("aws", &["get", "secret", "value"], "aws secretsmanager get-secret-value --secret-id {}"),
    ("secretsmanager", &["get", "secret", "value"], "aws secretsmanager get-secret-value --secret-id {}"),
];

/// Verbs of loss, and of what others get, each with other words for it.
pub(super) const VERBS: &[(&str, &[&str])] = &[
    ("delete", &["delete", "rm", "remove", "destroy"]),
    ("remove", &["rm", "delete", "remove"]),
    ("destroy", &["destroy", "delete", "rm"]),
    ("drop", &["drop", "delete"]),
    ("purge", &["purge", "delete"]),
    ("terminate", &["terminate", "delete"]),
    ("merge", &["merge"]),
    ("reset", &["reset"]),
    ("uninstall", &["uninstall"]),
    ("apply", &["apply"]),
    ("deploy", &["deploy"]),
    ("publish", &["publish"]),
    ("rollback", &["rollback"]),
    ("scale", &["scale"]),
    ("up", &["up"]),
];

/// Words of tools for what programs call otherwise.
pub(super) const NOUNS: &[(&[&str], &str)] = &[
    (&["pull", "request"], "pr"),
    (&["merge", "request"], "mr"),
    (&["repository"], "repo"),
    (&["repositories"], "repo"),
    (&["application"], "app"),
    (&["edge", "function"], "functions"),
];

/// Words of a tool's name that say nothing of what it does.
pub(super) const FILLERS: &[&str] = &["a", "an", "the", "api", "by", "id", "cli", "tool", "to"];

/// Services whose tables say of each thing whether its loss matters, so that no other guess is made.
pub(super) const TABLED: &[&str] = &["docker", "git", "helm", "kubectl", "podman"];

/// Verbs after which a thing is gone.
pub(super) const REMOVES: &[&str] =
    &["delete", "destroy", "drop", "purge", "remove", "terminate", "wipe", "erase", "decommission"];

/// Verbs that are a loss for some things only.
pub(super) const SOME_REMOVES: &[(&str, &[&str])] = &[
    ("reset", &["branch", "cluster", "database", "table"]),
    ("empty", &["bucket", "queue"]),
    ("truncate", &["table"]),
    ("cancel", &["order", "subscription"]),
];

/// Words of a tool that only looks, or that takes a loss back.
pub(super) const LOOKS: &[&str] = &[
    "can", "check", "count", "describe", "fetch", "find", "get", "is", "list", "preview", "query", "read", "restore",
    "search", "show", "status", "undo", "view", "watch",
];

/// Words between the verb and the thing.
pub(super) const AMOUNTS: &[&str] =
    &["all", "batch", "bulk", "many", "multiple", "permanently", "forever", "one", "single", "existing"];

/// Words behind which the place of the thing follows.
pub(super) const PLACES: &[&str] = &["from", "of", "in", "on", "for", "with", "under"];

/// Things of a service that others share and that it keeps no copy of. An entry of a list, a note, or what an agent
/// remembers is its own, and may go.
pub(super) const SHARED: &[&str] = &[
    "account",
    "app",
    "application",
    "article",
    "backup",
    "board",
    "branch",
    "bucket",
    "calendar",
    "campaign",
    "certificate",
    "channel",
    "cluster",
    "collection",
    "connection",
    "contact",
    "container",
    "customer",
    "dashboard",
    "database",
    "dataset",
    "db",
    "deal",
    "deployment",
    "disk",
    "document",
    "domain",
    "droplet",
    "email",
    "environment",
    "event",
    "flag",
    "function",
    "group",
    "index",
    "indices",
    "instance",
    "integration",
    "invoice",
    "issue",
    "job",
    "key",
    "keyspace",
    "machine",
    "member",
    "message",
    "model",
    "monitor",
    "namespace",
    "network",
    "order",
    "organization",
    "page",
    "pipeline",
    "policy",
    "post",
    "product",
    "project",
    "queue",
    "record",
    "registry",
    "release",
    "repo",
    "repository",
    "role",
    "schema",
    "secret",
    "server",
    "service",
    "site",
    "snapshot",
    "space",
    "stack",
    "stream",
    "subscription",
    "table",
    "team",
    "tenant",
    "thread",
    "ticket",
    "topic",
    "user",
    "vm",
    "volume",
    "webhook",
    "website",
    "wiki",
    "worker",
    "workflow",
    "workspace",
    "zone",
];

/// Arguments that say which thing is meant.
pub(super) const NAMES: &[&str] = &["name", "id", "target"];

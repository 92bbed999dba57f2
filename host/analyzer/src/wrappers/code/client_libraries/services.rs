//! Client libraries of services, and the program for the same service.

/// A library, by the prefixes of its modules' names.
pub(super) struct Library {
    pub(super) modules: &'static [&'static str],
    /// Names that need no import once the library is loaded, as in Ruby.
    pub(super) globals: &'static [&'static str],
    pub(super) speaks: Service,
}

/// The program whose arguments a call is converted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Service {
    Aws,
    Azure,
    Docker,
    Firebase,
    /// Git, without a program of its own in the text.
    Git,
    Google,
    /// Requests to the URL in the call.
    Http,
    /// `gh` or `glab`.
    Hosting(&'static str),
    Kubernetes,
    /// Runs commands on another machine.
    Shell,
    /// Mail and other messages to people.
    Mail,
    /// A public store of models and data sets.
    Models,
    Store(Store),
    /// A driver or an object mapper, whose calls are found by name.
    Driver,
    Double,
    /// A service without its own program, by host.
    Requests(&'static str),
}

/// A data server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Store {
    Graph,
    Kafka,
    Mongo,
    Queue,
    Search,
    Tables,
    Vault,
}

use Service::{
    Aws, Azure, Docker, Double, Driver, Firebase, Git, Google, Hosting, Http, Kubernetes, Mail, Models, Requests, Shell,
};

use super::places::DOUBLES;

const fn library(modules: &'static [&'static str], globals: &'static [&'static str], speaks: Service) -> Library {
    Library { modules, globals, speaks }
}

/// Libraries that send mail and other messages to people.
const MESSAGES: &[&str] = &[
    "smtplib",
    "aiosmtplib",
    "nodemailer",
    "yagmail",
    "net/smtp",
    "django.core.mail",
    "sendgrid",
    "@sendgrid",
    "resend",
    "mailgun",
    "mailgun.js",
    "postmark",
    "postmarker",
    "mailersend",
    "twilio",
    "twilio-ruby",
    "vonage",
    "@vonage",
    "messagebird",
    "plivo",
    "telegram",
    "telebot",
    "aiogram",
    "telethon",
    "pyrogram",
    "node-telegram-bot-api",
    "telegraf",
    "slack-ruby-client",
    "slack-notifier",
    "discord_webhook",
    "pymsteams",
    "apprise",
    "pushover",
];

/// Database drivers and object mappers.
const DRIVERS: &[&str] = &[
    "redis",
    "ioredis",
    "aioredis",
    "valkey",
    "pg",
    "postgres",
    "psycopg",
    "psycopg2",
    "asyncpg",
    "mysql",
    "mysql2",
    "pymysql",
    "mariadb",
    "sqlite3",
    "better-sqlite3",
    "duckdb",
    "typeorm",
    "sequelize",
    "@prisma",
    "prisma",
    "peewee",
    "sqlmodel",
    "tortoise",
    "@mikro-orm",
    "mssql",
    "pyodbc",
    "oracledb",
    "cassandra",
    "@electric-sql/pglite",
];

pub(super) static LIBRARIES: &[Library] = &[
    library(DOUBLES, &[], Double),
    library(&["boto3", "aioboto3", "botocore", "aws-sdk", "@aws-sdk", "Aws", "minio"], &["Aws"], Aws),
    library(&["azure", "@azure"], &[], Azure),
    library(&["docker", "dockerode", "aiodocker", "podman"], &[], Docker),
    library(&["firebase_admin", "firebase-admin"], &[], Firebase),
    library(&["google.cloud", "googleapiclient", "@google-cloud", "googleapis", "Google.Cloud"], &[], Google),
    library(&["github", "github3", "octokit", "@octokit", "ghapi"], &["Octokit"], Hosting("gh")),
    library(&["git", "simple-git", "isomorphic-git"], &["Git"], Git),
    library(&["superagent", "needle", "wretch"], &[], Http),
    library(&["huggingface_hub", "@huggingface/hub", "transformers", "datasets", "diffusers"], &[], Models),
    library(&["influxdb_client", "influxdb", "@influxdata"], &[], Requests("influxdb.example")),
    library(&["gitlab", "@gitbeaker"], &["Gitlab"], Hosting("glab")),
    library(&["kubernetes", "kubernetes_asyncio", "@kubernetes", "lightkube", "pykube"], &[], Kubernetes),
    library(&["paramiko", "fabric", "asyncssh", "pxssh", "ssh2", "node-ssh", "net/ssh", "phpseclib3"], &["Net"], Shell),
    library(MESSAGES, &["Twilio", "Slack"], Mail),
    library(&["neo4j", "neo4j-driver"], &[], Service::Store(Store::Graph)),
    library(&["kafka", "kafkajs", "confluent_kafka", "aiokafka"], &[], Service::Store(Store::Kafka)),
    library(
        &["pymongo", "motor", "mongodb", "mongoose", "mongo", "MongoDB"],
        &["Mongo", "MongoDB"],
        Service::Store(Store::Mongo),
    ),
    library(&["pika", "amqplib", "bull", "bullmq", "bunny", "aio_pika"], &["Bunny"], Service::Store(Store::Queue)),
    library(
        &[
            "elasticsearch",
            "@elastic/elasticsearch",
            "opensearchpy",
            "@opensearch-project",
            "meilisearch",
            "typesense",
            "qdrant_client",
            "@qdrant",
            "weaviate",
            "pymilvus",
            "chromadb",
            "Elastic",
        ],
        &["Elasticsearch"],
        Service::Store(Store::Search),
    ),
    library(
        &["sqlalchemy", "sequel", "@supabase", "supabase", "drizzle-orm", "knex", "kysely"],
        &["Sequel"],
        Service::Store(Store::Tables),
    ),
    library(&["hvac", "node-vault"], &[], Service::Store(Store::Vault)),
    library(&["digitalocean", "pydo"], &[], Requests("api.digitalocean.com")),
    library(&["hcloud"], &[], Requests("api.hetzner.cloud")),
    library(&["linode_api4", "@linode"], &[], Requests("api.linode.com")),
    library(&["cloudflare", "CloudFlare"], &[], Requests("api.cloudflare.com")),
    library(&["heroku3", "heroku-client"], &[], Requests("api.heroku.com")),
    library(&["stripe"], &["Stripe"], Requests("api.stripe.com")),
    library(&["shopify", "@shopify"], &["ShopifyAPI"], Requests("myshopify.com")),
    library(&["algoliasearch"], &[], Requests("algolia.net")),
    library(&["pinecone", "@pinecone-database"], &[], Requests("api.pinecone.io")),
    library(DRIVERS, &[], Driver),
    library(&["slack_sdk", "@slack", "slack"], &[], Requests("slack.com")),
    library(&["notion_client", "@notionhq"], &[], Requests("api.notion.com")),
    library(&["discord", "discord.js"], &[], Requests("discord.com")),
    library(&["openstack"], &[], Requests("openstack.local")),
    library(&["@vercel"], &[], Requests("api.vercel.com")),
    library(&["auth0"], &[], Requests("auth0.com")),
    library(&["contentful-management"], &[], Requests("api.contentful.com")),
];

/// Returns the library of a module, and the service in the module's name.
pub(super) fn of_module(module: &str) -> Option<(&'static Library, String)> {
    let is_of = |name: &&&str| {
        module.strip_prefix(**name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let library = LIBRARIES.iter().find(|library| library.modules.iter().any(|name| is_of(&name)))?;
    let named = library.modules.iter().find(|name| is_of(name)).copied().unwrap_or_default();
    let service = module.get(named.len()..).unwrap_or_default().trim_matches(['.', '/', '-', ':']);
    let service = service.trim_start_matches("client-").rsplit(['.', '/']).next().unwrap_or_default();
    let service = service.strip_suffix("Client").map_or_else(|| service.to_owned(), str::to_ascii_lowercase);
    Some((library, service))
}

/// Returns the library of a global name, which needs no import.
pub(super) fn of_global(language: &str, name: &str) -> Option<&'static Library> {
    if !matches!(language, "ruby" | "php") {
        return None;
    }
    LIBRARIES.iter().find(|library| library.globals.contains(&name))
}

/// Returns whether the text may load one of the libraries.
pub(super) fn may_load(code: &str) -> bool {
    LIBRARIES.iter().any(|library| library.modules.iter().chain(library.globals).any(|name| code.contains(name)))
}

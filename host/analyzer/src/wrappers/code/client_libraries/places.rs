//! The location of an object's service: remote, on this machine, or in a test double.

use super::tokens::Token;

/// Where a service runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Remote,
    /// A server on this machine.
    Here,
    /// In memory, in a test's container, or simulated.
    Double,
}

/// Prefixes of modules whose objects are all doubles.
pub(super) const DOUBLES: &[&str] = &[
    "fakeredis",
    "mongomock",
    "mongomock_motor",
    "pymongo_inmemory",
    "testcontainers",
    "@testcontainers",
    "unittest.mock",
    "mock",
    "ioredis-mock",
    "redis-mock",
    "redis-memory-server",
    "mongodb-memory-server",
    "mongo-mock",
    "pg-mem",
    "nodemailer-mock",
    "mock-aws-s3",
    "dynalite",
    "localstack_client",
    "sinon",
    "vitest",
    "@jest/globals",
    "jest-mock",
    "jest-mock-extended",
    "stripe-mock",
    "fakeredis_ruby",
    "mock_redis",
    "fakefs",
];

/// Calls whose result is always on this machine.
const LOCAL_CALLS: &[&str] = &[
    "EphemeralClient",
    "PersistentClient",
    "connect_to_local",
    "connect_to_embedded",
    "createTestAccount",
    "createStubInstance",
    "MockRedis",
];

/// Calls without arguments whose result is in memory, by first and last name.
const IN_MEMORY: &[(&str, &str)] = &[("chromadb", "Client"), ("duckdb", "connect"), ("PGlite", "PGlite")];

/// Options that make a client only simulate calls if they are true.
const PRETENDS: &[&str] = &["jsonTransport", "streamTransport", "stub_responses"];

/// Calls that replace their argument with a double.
pub(super) const REPLACES: &[&str] = &["mockClient", "createStubInstance", "stub", "createMockInstance", "mockDeep"];

/// Calls that replace a whole module: `jest.mock("twilio")`.
pub(super) const REPLACES_MODULE: &[&str] = &["mock", "doMock", "unstable_mockModule"];

/// Local hosts, and mail services that don't deliver.
const HOSTS: &[&str] = &[
    "localhost",
    "127.0.0.1",
    "0.0.0.0",
    "[::1]",
    "::1",
    "host.docker.internal",
    "localstack",
    "smtp.ethereal.email",
    "sandbox.smtp.mailtrap.io",
];

/// Returns the place in a literal: an address of this machine, an in-memory store, or an emulator.
pub(super) fn of_text(text: &str) -> Place {
    if text == "sqlite://" || text.contains(":memory:") {
        return Place::Double;
    }
    if text.contains("UseDevelopmentStorage=true") || text.contains("devstoreaccount1") {
        return Place::Here;
    }
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let is = |name: &&str| host.strip_prefix(*name).is_some_and(|port| port.is_empty() || port.starts_with(':'));
    if HOSTS.iter().any(is) { Place::Here } else { Place::Remote }
}

/// Returns the place of a call's result, by its names and arguments. `of` is the place of a name.
pub(super) fn of_call(
    names: &[&str],
    arguments: &[Token<'_>],
    is_given_nothing: bool,
    of: impl Fn(&str) -> Place,
) -> Place {
    let (first, last) = (names.first().copied().unwrap_or_default(), names.last().copied().unwrap_or_default());
    if is_given_nothing && IN_MEMORY.contains(&(first, last)) || PRETENDS.iter().any(|name| is_set(arguments, name)) {
        return Place::Double;
    }
    let given = arguments.iter().map(|token| match token {
        Token::Text(text) => of_text(text),
        Token::Name(name) => of(name),
        _ => Place::Remote,
    });
    let given = given.max().unwrap_or(Place::Remote);
    if LOCAL_CALLS.contains(&last) { given.max(Place::Here) } else { given }
}

/// Returns whether an option is true: `name: true`, `name=True`.
fn is_set(arguments: &[Token<'_>], name: &str) -> bool {
    arguments.windows(3).any(|window| {
        matches!(window, [Token::Name(option), Token::Sign(':' | '='), Token::Name("true" | "True")] if *option == name)
    })
}

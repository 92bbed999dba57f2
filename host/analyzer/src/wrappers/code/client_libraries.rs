//! Calls of client libraries, judged as commands: `boto3.client("ec2").terminate_instances()` becomes `aws ec2
//! terminate-instances`.
//!
//! Languages aren't parsed. Imported names, and names bound to an expression with such a name, belong to the library. A
//! call belongs to the library of its expression's first name.

mod phrases;
mod places;
mod reader;
mod services;
mod spellings;
mod tokens;

use std::collections::HashMap;

use super::super::layer::Runnable;
use super::live::live;
use crate::limits;
use crate::word::expand::literal;
use places::Place;
use reader::Reader;
use services::{Library, Service, may_load};

/// The origin of an object.
#[derive(Clone)]
struct Origin {
    library: &'static Library,
    /// The part of the library, such as `ec2`.
    service: String,
    place: Place,
    /// Whether the name is a method: `const { deleteBucket } = client`.
    is_method: bool,
}

/// An expression that begins with a library's name, with the names up to here.
#[derive(Clone)]
struct Chain<'t> {
    origin: Origin,
    names: Vec<&'t str>,
}

/// A call of a library function.
struct Call<'t> {
    origin: Origin,
    names: Vec<&'t str>,
    /// The first literal in the arguments.
    literal: Option<&'t str>,
    /// The tokens of the arguments.
    given: &'t [tokens::Token<'t>],
    /// Whether there is no argument, or an empty filter.
    is_given_nothing: bool,
    /// Whether a condition follows: `.delete().eq("id", 1)`.
    is_bounded: bool,
    /// Whether it creates a command that a client sends later.
    is_made_apart: bool,
}

impl Call<'_> {
    fn name(&self) -> &str {
        self.names.last().copied().unwrap_or_default()
    }
}

/// Stripe, which counts as a test double if the code only has test keys.
const STRIPE: Service = Service::Requests("api.stripe.com");

/// Returns the commands that correspond to the calls in a piece of code.
pub(super) fn commands(language: &str, code: &str) -> Vec<Runnable> {
    let mut lines: Vec<Vec<String>> = Vec::new();
    let services = Services::of(language, &live(language, code));
    for words in services.commands {
        if lines.len() >= limits::STARTS {
            limits::reached("a program is given too many commands to follow");
            break;
        }
        if !lines.contains(&words) {
            lines.push(words);
        }
    }
    let words = |line: Vec<String>| line.iter().map(|word| literal(word)).collect();
    lines.into_iter().map(|line| Runnable::Words { assignments: Vec::new(), words: words(line) }).collect()
}

/// The method calls in a piece of code, for any library.
#[derive(Default)]
pub(crate) struct Services {
    /// The equivalent commands of calls to remote services.
    commands: Vec<Vec<String>>,
    /// Calls by lowercase name, with the most remote place of their objects.
    places: HashMap<String, Place>,
    /// Whether every call that changes a service targets a local or fake one.
    is_rehearsal: bool,
    /// The code in lower case without blanks and with indirect calls rewritten as direct ones, if there are any.
    pub(crate) plain: Option<String>,
}

/// Words with which a test double forwards calls to the service, or ends.
const PASS_ON: &[&str] = &["wraps=", "side_effect=", "return_value=", "new=", "passthrough", ".restore("];

impl Services {
    /// Analyzes code without its dead parts.
    pub(crate) fn of(language: &str, code: &str) -> Services {
        if !matches!(language, "python" | "javascript" | "ruby" | "php") {
            return Services::default();
        }
        let written = tokens::split(code, language);
        let tokens = spellings::plain(&written, language);
        let plain = (tokens.len() != written.len()).then(|| spellings::text(&tokens));
        if !may_load(code) {
            return Services { plain, ..Services::default() };
        }
        let mut reader = Reader::new(language, &tokens);
        // A comprehension uses a name before it binds it.
        reader.read();
        reader.begin_again();
        reader.read();
        let is_tried = code.contains("sk_test_") && !code.contains("sk_live_");
        let passes_on = PASS_ON.iter().any(|word| code.contains(word));
        let place = |call: &Call<'_>| match call.origin.library.speaks {
            STRIPE if is_tried => Place::Double,
            _ if call.is_made_apart => reader.place_of_clients(),
            _ if passes_on && call.origin.place == Place::Double => Place::Remote,
            _ => call.origin.place,
        };
        let calls: Vec<(Place, Vec<String>)> =
            reader.calls.iter().filter_map(|call| Some((place(call), phrases::words(call)?))).collect();
        Services {
            is_rehearsal: !calls.is_empty() && calls.iter().all(|(place, _)| *place > Place::Remote),
            commands: calls.into_iter().filter(|(place, _)| *place == Place::Remote).map(|(_, words)| words).collect(),
            places: reader.places,
            plain,
        }
    }

    /// Returns whether all calls that change a service target this machine.
    pub(crate) fn is_rehearsal(&self) -> bool {
        self.is_rehearsal
    }

    /// Returns whether all calls with a lowercase name are on test doubles or in-memory stores.
    pub(crate) fn is_double(&self, name: &str) -> bool {
        self.places.get(name) == Some(&Place::Double)
    }

    /// Returns whether the code sends statements, and only to test doubles.
    pub(crate) fn has_doubles_for(&self, beginnings: &[&str]) -> bool {
        let is_sent = |name: &str| beginnings.iter().any(|start| name.starts_with(start));
        let mut sent = self.places.iter().filter(|(name, _)| is_sent(name)).peekable();
        sent.peek().is_some() && sent.all(|(_, place)| *place == Place::Double)
    }
}

#[cfg(test)]
mod tests;

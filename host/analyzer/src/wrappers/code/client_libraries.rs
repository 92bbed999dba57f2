//! Calls of client libraries, judged as commands: `boto3.client("ec2").terminate_instances()` becomes `aws ec2
//! terminate-instances`.
//!
//! No language is parsed. A name that an import brings, and each name that is bound to an expression with such a name,
//! belongs to the library; a call counts if the first name of its expression does.

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

/// Where an object comes from.
#[derive(Clone)]
struct Origin {
    library: &'static Library,
    /// The part of the library, such as `ec2`.
    service: String,
    place: Place,
    /// The name is that of a method: `const { deleteBucket } = client`.
    is_method: bool,
}

/// An expression that begins with a name of a library: the names up to here.
#[derive(Clone)]
struct Chain<'t> {
    origin: Origin,
    names: Vec<&'t str>,
}

/// A call of a library.
struct Call<'t> {
    origin: Origin,
    names: Vec<&'t str>,
    /// The first literal among the arguments.
    literal: Option<&'t str>,
    /// It has no argument, or an empty filter.
    is_given_nothing: bool,
    /// A condition follows it: `.delete().eq("id", 1)`.
    is_bounded: bool,
    /// A command that some client sends later.
    is_made_apart: bool,
}

impl Call<'_> {
    fn name(&self) -> &str {
        self.names.last().copied().unwrap_or_default()
    }
}

/// A store that a key for tests reaches, and its keys.
const STRIPE: Service = Service::Requests("api.stripe.com");

/// The commands of programs that the calls in a piece of code amount to.
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

/// The calls of a piece of code on objects, whatever library they are of.
#[derive(Default)]
pub(crate) struct Services {
    /// The equivalent commands of calls to remote services.
    commands: Vec<Vec<String>>,
    /// Calls by their names in lower case, with the place of the most remote object that has one.
    places: HashMap<String, Place>,
    /// Every call that changes a service targets a local or fake one.
    is_rehearsal: bool,
    /// The code in lower case without blanks, with each call in its plain spelling, if it has a roundabout one.
    pub(crate) plain: Option<String>,
}

/// Words by which a test double hands calls on to the service, or ends.
const PASS_ON: &[&str] = &["wraps=", "side_effect=", "return_value=", "new=", "passthrough", ".restore("];

impl Services {
    /// Reads code that has only live parts.
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

    /// Whether all calls of the code that change a service change one on this machine.
    pub(crate) fn is_rehearsal(&self) -> bool {
        self.is_rehearsal
    }

    /// Whether all calls with a name in lower case are those of test doubles and stores in memory.
    pub(crate) fn is_double(&self, name: &str) -> bool {
        self.places.get(name) == Some(&Place::Double)
    }

    /// Whether the code sends statements, and only to test doubles.
    pub(crate) fn has_doubles_for(&self, beginnings: &[&str]) -> bool {
        let is_sent = |name: &str| beginnings.iter().any(|start| name.starts_with(start));
        let mut sent = self.places.iter().filter(|(name, _)| is_sent(name)).peekable();
        sent.peek().is_some() && sent.all(|(_, place)| *place == Place::Double)
    }
}

#[cfg(test)]
mod tests;

//! Functions that the engine has only together with a clock or a network, as far as they need neither.

mod net;
mod time;

use std::error::Error;
use std::fmt;

use regorus::{Engine, Value};

/// A function of the values that it is called with.
type Function = fn(&[Value]) -> Result<Value, String>;

/// All of them, each with the number of its arguments.
fn functions() -> impl Iterator<Item = (&'static str, u8, Function)> {
    time::FUNCTIONS.into_iter().chain(net::FUNCTIONS)
}

/// Whether there is a function of this name.
pub(crate) fn has(name: &str) -> bool {
    functions().any(|(function, ..)| function == name)
}

/// Why a function has no answer.
#[derive(Debug)]
struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failed {}

/// Gives the functions to the engine.
///
/// # Errors
///
/// The engine has one of them already.
pub(crate) fn give(engine: &mut Engine) -> Result<(), String> {
    for (name, arguments, function) in functions() {
        let called = move |values: Vec<Value>| {
            function(&values).map_err(|text| Failed(format!("error: `{name}`: {text}")).into())
        };
        engine.add_extension(name.to_owned(), arguments, Box::new(called)).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn argument(arguments: &[Value], at: usize) -> Result<&Value, String> {
    arguments.get(at).ok_or_else(|| "an argument is missing".to_owned())
}

fn text(arguments: &[Value], at: usize) -> Result<&str, String> {
    let text = argument(arguments, at)?.as_string().map_err(|_| "its argument is no text".to_owned())?;
    Ok(text.as_ref())
}

//! Functions that the engine only has in a feature with a clock or a network, without those that need one.

mod net;
mod time;

use std::error::Error;
use std::fmt;

use regorus::{Engine, Value};

/// A function of its arguments.
type Function = fn(&[Value]) -> Result<Value, String>;

/// All functions, with the number of their arguments.
fn functions() -> impl Iterator<Item = (&'static str, u8, Function)> {
    time::FUNCTIONS.into_iter().chain(net::FUNCTIONS)
}

/// Returns whether there is a function with this name.
pub(crate) fn has(name: &str) -> bool {
    functions().any(|(function, ..)| function == name)
}

/// The reason why a function failed.
#[derive(Debug)]
struct Failed(String);

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Failed {}

/// Adds the functions to the engine.
///
/// # Errors
///
/// If the engine already has one of them.
pub(crate) fn register_functions(engine: &mut Engine) -> Result<(), String> {
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

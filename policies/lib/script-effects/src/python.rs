//! Python: parses the text, and follows its values as far as they are constant.

mod bounds;
mod calls;
mod expressions;
mod fold;
mod launch;
mod methods;
mod names;
mod node;
mod plain;
mod reader;
mod statements;
mod value;

use ruff_python_parser::{Mode, ParseOptions, parse_unchecked};

use crate::{Summary, Unknown};
use reader::Reader;

/// The longest text that is read, in bytes.
const LONGEST: usize = 128 * 1024;

/// Words of code that deletes, writes or executes; without any of them, a text that does not parse
/// does nothing of it.
const WORDS: &[&str] = &[
    "unlink",
    "rmtree",
    "rmdir",
    "remove",
    "rename",
    "exec",
    "eval",
    "system",
    "popen",
    "spawn",
    "subprocess",
    "importlib",
    "__import__",
    "getattr",
    "write",
    "'w",
    "\"w",
    "'a'",
    "\"a\"",
    "shutil",
    "truncate",
];

/// What the code does.
pub(crate) fn read(code: &str) -> Summary {
    let mut reader = Reader::new(0);
    run(&mut reader, code);
    reader.finish()
}

/// What code of JavaScript or TypeScript does.
pub(crate) fn read_javascript(code: &str) -> Summary {
    let mut reader = Reader::new(0);
    if code.len() > LONGEST {
        reader.lose("the code is too long", Unknown::ALL);
    } else {
        reader.code_of_javascript(code);
    }
    reader.finish()
}

/// Reads code with what is known so far, as of `exec`.
fn run(reader: &mut Reader<'_>, code: &str) {
    let names_something = || WORDS.iter().any(|word| code.contains(word));
    if code.len() > LONGEST {
        return reader.lose("the code is too long", Unknown::ALL);
    }
    if let Err(reason) = bounds::check(code) {
        return reader.lose(reason, if names_something() { Unknown::ALL } else { Unknown::default() });
    }
    let parsed = parse_unchecked(code, ParseOptions::from(Mode::Module));
    if !parsed.errors().is_empty() {
        reader.lose("the code does not parse", if names_something() { Unknown::ALL } else { Unknown::default() });
    }
    let Some(module) = parsed.try_into_module() else { return };
    let mut inner = reader.inner();
    inner.block(&module.syntax().body);
    inner.uncalled();
    let (summary, names) = inner.end();
    reader.take(summary, names);
}

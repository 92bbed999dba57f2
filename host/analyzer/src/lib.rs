//! Analyzes shell text: its commands and their effects.
//!
//! [`analyze`] is the only entry point. It is pure: it uses no file, clock, network or environment, and the same text
//! with the same readers always gives the same result. It decides nothing. Policies judge the calls.

mod base64;
mod by_name;
mod javascript;
mod limits;
mod links;
mod powershell;
mod prescan;
mod sources;
mod summaries;

mod parse;
mod word;

mod walk;
mod wrappers;

mod fallback_lexer;
mod witness;

mod draft;
mod languages;
mod options;

mod effects;
mod programs;
mod run;
mod view;

use guard_script_summary::Reader;
use guard_sdk::syntax::Analysis;

use parse::Dialect;
use walk::{Found, Walker};

pub use sources::{Source, SourceReader};

/// Analyzes one text. Never fails.
///
/// `dialect` is `bash`, `posix`, `zsh`, `powershell` or `cmd`. Any other one is treated as `bash`, with partial
/// coverage. `cwd` and `home` are absolute, or empty if unknown. `reader` is the script analyzer for Python and
/// JavaScript. Code without a summary may do anything. `sources` reads the files that the text runs.
#[must_use]
pub fn analyze(source: &str, dialect: &str, cwd: &str, home: &str, reader: Reader, sources: SourceReader) -> Analysis {
    let known = match dialect {
        "bash" => Some(Dialect::Bash),
        "posix" => Some(Dialect::Posix),
        "zsh" => Some(Dialect::Zsh),
        _ => None,
    };
    let foreign = powershell::of_shell(dialect);
    let walked = |walker: Walker| {
        drop(limits::take_reached());
        summaries::begin(reader);
        let mut walker = walker;
        match foreign {
            Some(translate) => walker.outermost_foreign(source, translate),
            None => walker.outermost(source),
        }
        walker
    };
    let new = || Walker::new(known.unwrap_or(Dialect::Bash), cwd, home);
    sources::begin(sources);
    let mut walker = walked(new());
    if !walker.kept_their_values() {
        walker = walked(new().without_kept());
    }
    if known.is_none() && foreign.is_none() {
        walker.partial("the dialect of the shell is not known");
    }
    let collected = effects::collect(&walker.found, walker.file_systems(), home);
    for reason in limits::take_reached() {
        walker.partial(reason);
    }
    for reason in &collected.reasons {
        walker.partial(reason);
    }
    let Found { commands, reasons, coverage, .. } = walker.found;
    Analysis { coverage, reasons, commands, effects: collected.effects, scripts: collected.scripts }
}

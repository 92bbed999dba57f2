//! The settings that avoid an ask for one file.

use std::fs::canonicalize;

use super::choices::Setting;
use guard_contract::call::CallContext;
use guard_contract::paths::lexical;
use guard_hook::audit::Record;
use guard_platform::paths::{judged, native};
use guard_redact::plain;

/// The ids of rules for files in `protected-files`.
const OF_CHANGE: &str = "sensitive-file";
const OF_READ: &str = "secret-read";

/// Returns the settings for the file of an ask, with a title. `None` if no asking rule is about a file.
pub(super) fn narrow(question: &Record, at: &CallContext, named: &[(&str, &str)]) -> Option<(String, Vec<Setting>)> {
    let name = question.operation.rsplit('/').next().filter(|name| !name.is_empty() && question.tool != "Bash")?;
    let paths = if question.tool == "Read" { paths(question, at) } else { Vec::new() };
    let is_narrow = |rule: &str| rule == OF_CHANGE || rule == OF_READ && !paths.is_empty();
    if !named.iter().any(|(_, rule)| is_narrow(rule)) {
        return None;
    }
    let (mut titles, mut settings) = (Vec::new(), Vec::new());
    for (policy, rule) in named {
        let (title, key, items) = match *rule {
            OF_CHANGE => (
                format!("{policy} stops asking about files named `{}`", plain(name)),
                "confirm",
                vec![format!("!{name}")],
            ),
            OF_READ if !paths.is_empty() => {
                let items = paths.iter().map(|path| format!("!{path}")).collect();
                (
                    format!("{policy} lets tools read `{}`, and changes stay denied", plain(&question.operation)),
                    "reads",
                    items,
                )
            }
            rule => (format!("{policy}:{rule} warns instead of asking"), "lower", vec![rule.to_owned()]),
        };
        titles.push(title);
        settings.extend(items.into_iter().map(|item| Setting { policy: (*policy).to_owned(), key, item }));
    }
    Some((titles.join("; "), settings))
}

/// Returns the path of an ask, as given and with links resolved. `None` if a list would treat it as a pattern.
fn paths(question: &Record, at: &CallContext) -> Vec<String> {
    let path = lexical(&question.operation, &at.cwd, &at.home);
    let real = canonicalize(native(&path)).ok().and_then(judged);
    let mut paths: Vec<String> = [path].into_iter().chain(real).collect();
    paths.dedup();
    let is_pattern = |path: &String| path.contains(['*', '?', '[', ']', '{', '}', '\\']) || path.trim() != path;
    if paths.iter().any(is_pattern) { Vec::new() } else { paths }
}

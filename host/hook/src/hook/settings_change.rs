//! A second protection of the hook: a change of an agent's settings that removes the hook isn't applied to the session.
//!
//! The first protection is self-protect, which judges calls that write such a file. This one examines the file itself,
//! regardless of how it was changed. `guard-host uninstall` removes the file's record, and with it this protection.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use guard_contract::Outcome;
use guard_contract::verdict::{Opinion, Verdict, merge};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::registrations::list_registered;

/// The maximum size of the settings that are read, in bytes.
const BYTES: u64 = 4 << 20;

/// The end of the URL of a server that answers instead of the hook.
const SERVER_PATH: &str = "/hook/claude";

/// Returns the verdict on changed settings. With an abstain, they are applied.
pub(super) fn verdict(file: &str, dirs: &AppDirs, environment: &Environment) -> Verdict {
    let deny = |rule: &str, message: String, remedy: &str| {
        merge([Opinion::from_host("guard-host", rule, Outcome::Deny, message, remedy.to_owned())])
    };
    let path = Path::new(file);
    let settings = read(path);
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        let message = format!("`{file}` switches all hooks off, so this session keeps its old settings.");
        return deny("hooks-disabled", message, "remove `disableAllHooks` from it");
    }
    let (files, _) = list_registered(&dirs.state);
    if !files.iter().any(|known| known == path) || has_hook(&settings, &files, environment) {
        return merge([]);
    }
    let message = format!("`{file}` no longer has the hook of guard-host, so this session keeps its old settings.");
    deny("hook-removed", message, "in a terminal, run `guard-host install claude`, or `guard-host uninstall claude`")
}

/// Reads the settings. Null for a file that is gone or isn't JSON, because the harness gets no hook from it.
fn read(path: &Path) -> Value {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(BYTES).read_to_string(&mut text));
    if read.is_err() {
        return Value::Null;
    }
    serde_json::from_str(&text).unwrap_or_default()
}

/// Returns whether a handler before tool calls starts this program, a script of its registration, or its server.
fn has_hook(settings: &Value, files: &[std::path::PathBuf], environment: &Environment) -> bool {
    let program = environment.program.file_name().unwrap_or_default().to_string_lossy();
    let names: Vec<&str> =
        files.iter().filter_map(|file| file.file_name()?.to_str()).chain(["guard-host", &program]).collect();
    let lists = |value: &Value, key: &str| value.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
    let events = settings.get("hooks").cloned().unwrap_or_default();
    let handlers = lists(&events, "PreToolUse").into_iter().flat_map(|group| lists(&group, "hooks"));
    let mut starts = handlers.map(|handler| {
        let text = |key: &str| handler.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let is_named = |command: &str| names.iter().any(|name| !name.is_empty() && command.contains(name));
        is_named(&text("command")) || text("url").ends_with(SERVER_PATH)
    });
    starts.any(|starts| starts)
}

//! Losses by clients of databases that are files.

use guard_contract::paths::lexical;
use guard_contract::syntax::Effect;

use super::{Fate, How, Loss, LossView, PathLoss, tag};

/// The clients.
const CLIENTS: [&str; 2] = ["sqlite3", "duckdb"];

/// The clients' options without a value.
const PLAIN: [&str; 17] = [
    "-ascii",
    "-bail",
    "-batch",
    "-box",
    "-column",
    "-csv",
    "-echo",
    "-header",
    "-html",
    "-interactive",
    "-json",
    "-line",
    "-list",
    "-markdown",
    "-noheader",
    "-quote",
    "-table",
];

/// Returns the fate of a client's database file.
pub(super) fn database_fate(effect: &Effect, call: &LossView<'_>) -> Option<Fate> {
    let client = tag(effect, "client").filter(|client| CLIENTS.contains(client))?;
    let command = call.command(effect)?;
    let is_client = |text: &str| text.rsplit('/').next() == Some(client);
    command.argv.first().filter(|word| is_client(&word.text))?;
    let is_plain =
        |text: &str| PLAIN.contains(&text) || text.strip_prefix('-').is_some_and(|rest| PLAIN.contains(&rest));
    let mut words = command.argv.iter().skip(1).skip_while(|word| is_plain(&word.text));
    let file = words.next().filter(|word| !word.dynamic)?;
    let text = file.text.as_str();
    // Dot commands and SQL statements can open other files.
    let opens = |text: &str| text.trim_start().starts_with('.') || text.to_ascii_lowercase().contains("attach");
    let is_other = text.starts_with(['-', '~', '$']) || text.contains(':') || text.contains(['*', '?', '[', '{', '\\']);
    if text == ":memory:" && !words.clone().any(|word| opens(&word.text)) {
        return Some(Fate::Safe);
    }
    if is_other || words.any(|word| word.dynamic || word.text.starts_with('-') || opens(&word.text)) {
        return None;
    }
    let path = Some(lexical(text, &command.cwd, "")).filter(|_| command.cwd.starts_with('/'))?;
    // Includes the journal files beside it.
    let loss = PathLoss { path: format!("{path}*"), how: How::Overwrite, is_pattern: true, name: String::new() };
    Some(Fate::Lost(Loss::Path(loss)))
}

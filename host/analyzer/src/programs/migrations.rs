//! Effects of migration tools that no table can express: embedded SQL, and scripts that an interpreter runs.

use guard_sdk::syntax::Word;

use super::{scripts, table};
use crate::options::Parsed;
use crate::run::Run;

/// Adds the effects of an interpreter's script that is in a table: `python manage.py flush`, `php artisan
/// migrate:fresh`.
pub(super) fn of_script<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some((script, words)) = parsed.rest.split_first().filter(|(script, _)| !script.dynamic) {
        of_program(run, &script.text, words);
    }
}

/// Adds the effects of the program of that name, if it is in a table.
pub(super) fn of_program<'a>(run: &mut Run<'a>, name: &str, words: &'a [Word]) {
    let name = name.rsplit('/').next().unwrap_or(name).to_ascii_lowercase();
    super::consoles::find(run, &name, words);
    table::find(run, &name, words);
}

/// Adds the effects of `wrangler d1 execute --command`.
pub(super) fn d1_statements<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.text(0) == "d1" && parsed.text(1) == "execute" {
        for text in parsed.values("", "command") {
            scripts::sql(run, "wrangler", &text.text, !text.dynamic);
        }
    }
}

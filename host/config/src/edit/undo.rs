//! Switches `instead-of-ask` in `[undo]` on in a `guard.toml`.

use std::ops::Range;

use toml::{Table, Value};
use toml_edit::{Document, Item};

use super::place::{Entries, PlacementError};
use super::{EditError, Target};

const UNDO: &str = "undo";
const KEY: &str = "instead-of-ask";

impl Target<'_> {
    /// Sets `instead-of-ask = true` in `[undo]`, which is added if it is missing.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons.
    pub fn copy_instead_of_ask(&self, text: Option<&str>) -> Result<String, EditError> {
        let form = |error| EditError::Form(self.file.to_path_buf(), error);
        let before = text.unwrap_or_default();
        let trust_level = self.trust_level(before)?;
        let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let mut wanted = self.table(before)?;
        let after = if wanted.contains_key(UNDO) {
            let (range, addition) = within(before, newline).ok_or_else(|| form(PlacementError::Unsafe))?;
            let head = before.get(..range.start).ok_or_else(|| form(PlacementError::Unsafe))?;
            let tail = before.get(range.end..).ok_or_else(|| form(PlacementError::Unsafe))?;
            [head, &addition, tail].concat()
        } else {
            let block = format!("[{UNDO}]{newline}{KEY} = true{newline}");
            Entries::parse(before, UNDO).map_err(form)?.append(text, &block)
        };
        let undo = wanted.entry(UNDO).or_insert_with(|| Value::Table(Table::new())).as_table_mut();
        undo.ok_or_else(|| form(PlacementError::Unsafe))?.insert(KEY.to_owned(), Value::Boolean(true));
        self.compare(&wanted, &after)?;
        self.read(&after, trust_level).map_err(EditError::Unfit)?;
        Ok(after)
    }
}

/// Returns the range of the text to replace, and the replacement. The caller checks the result.
fn within(text: &str, newline: &str) -> Option<(Range<usize>, String)> {
    let document = Document::parse(text).ok()?;
    let undo = document.as_table().get(UNDO)?;
    if let Some(value) = undo.get(KEY) {
        return Some((value.span()?, "true".to_owned()));
    }
    let line_after = |at: usize, line: String| match text.get(at..)?.find('\n') {
        Some(end) => Some((at + end + 1..at + end + 1, format!("{line}{newline}"))),
        None => Some((text.len()..text.len(), format!("{newline}{line}{newline}"))),
    };
    match undo {
        Item::Value(value) => {
            let table = value.as_inline_table()?;
            let at = table.span()?.start + 1;
            let comma = if table.is_empty() { " " } else { "," };
            Some((at..at, format!(" {KEY} = true{comma}")))
        }
        Item::Table(table) if table.is_dotted() => {
            let (_, first) = table.iter().next()?;
            line_after(first.span()?.end, format!("{UNDO}.{KEY} = true"))
        }
        Item::Table(table) => line_after(table.span()?.start, format!("{KEY} = true")),
        _ => None,
    }
}

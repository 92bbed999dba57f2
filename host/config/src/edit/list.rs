//! Adds a string to a list in a policy's settings in a `guard.toml`.

use std::ops::Range;

use toml::{Table, Value};
use toml_edit::{Document, Item};

use super::place::{Entries, PlacementError};
use super::{EditError, POLICY, Target};

const SETTINGS: &str = "settings";

impl Target<'_> {
    /// Appends `item` to the list `key` in the settings of the policy of this name. Adds the policy's entry if there is
    /// none.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons, such as an entry with a `settings-file`.
    pub fn extend(&self, text: Option<&str>, policy: &str, key: &str, item: &str) -> Result<String, EditError> {
        let form = |error| EditError::Form(self.file.to_path_buf(), error);
        let before = text.unwrap_or_default();
        let trust_level = self.trust_level(before)?;
        let newline = if before.contains("\r\n") { "\r\n" } else { "\n" };
        let (policy, item) = (Value::from(policy), Value::from(item));
        let entries = Entries::parse(before, POLICY).map_err(form)?;
        let mut wanted = self.table(before)?;
        let list = wanted.entry(POLICY).or_insert_with(|| Value::Array(Vec::new())).as_array_mut();
        let list = list.ok_or_else(|| form(PlacementError::Unsafe))?;
        let index = policy.as_str().and_then(|policy| entries.position(policy));
        let after = match index {
            None => {
                // The new entry replaces the preset's, which limits some policies to a few tools.
                let tools = policy.as_str().and_then(guard_builtins::find).map(|builtin| builtin.tools);
                let tools = tools.filter(|tools| !tools.is_empty());
                let tools = tools.map(|tools| Value::Array(tools.iter().map(|&tool| tool.into()).collect()));
                let mut lines = vec!["[[policy]]".to_owned(), format!("name = {policy}")];
                lines.extend(tools.iter().map(|tools| format!("tools = {tools}")));
                lines.push(format!("settings = {{ {key} = [{item}] }}"));
                let block: String = lines.iter().flat_map(|line| [line, newline]).collect();
                let tools = tools.map(|tools| ("tools".to_owned(), tools));
                list.push(Value::Table([("name".to_owned(), policy)].into_iter().chain(tools).collect()));
                entries.append(text, &block)
            }
            Some(index) => {
                let (at, addition) = within(before, index, (key, &item.to_string()), newline)
                    .ok_or_else(|| form(PlacementError::Unsafe))?;
                let (head, tail) = before.split_at_checked(at).ok_or_else(|| form(PlacementError::Unsafe))?;
                [head, &addition, tail].concat()
            }
        };
        let index = index.unwrap_or(list.len().saturating_sub(1));
        let entry = list.get_mut(index).and_then(Value::as_table_mut);
        let empty = || Value::Table(Table::new());
        let settings = entry.and_then(|entry| entry.entry(SETTINGS).or_insert_with(empty).as_table_mut());
        let list = settings.and_then(|of| of.entry(key).or_insert_with(|| Value::Array(Vec::new())).as_array_mut());
        list.ok_or_else(|| form(PlacementError::Unsafe))?.push(item);
        self.compare(&wanted, &after)?;
        self.read(&after, trust_level).map_err(EditError::Unfit)?;
        Ok(after)
    }
}

/// An insertion into a text: the offset and the inserted text.
type Insertion = (usize, String);

/// Returns the insertion that adds an item to a list of the entry at `index`. The caller checks the result.
fn within(text: &str, index: usize, (key, item): (&str, &str), newline: &str) -> Option<Insertion> {
    let document = Document::parse(text).ok()?;
    let entry = document.as_table().get(POLICY)?.as_array_of_tables()?.get(index)?;
    let line_after = |span: Range<usize>| match text.get(span.end..)?.find('\n') {
        Some(end) => Some((span.end + end + 1, "")),
        None => Some((text.len(), newline)),
    };
    let line = |span, line: String| line_after(span).map(|(at, gap)| (at, format!("{gap}{line}{newline}")));
    let settings = match entry.get(SETTINGS) {
        None => return line(entry.get("name")?.span()?, format!("settings = {{ {key} = [{item}] }}")),
        Some(settings) => settings,
    };
    if let Some(list) = settings.get(key) {
        let list = list.as_array()?;
        return match list.iter().last() {
            Some(last) => Some((last.span()?.end, format!(", {item}"))),
            None => Some((list.span()?.start + 1, item.to_owned())),
        };
    }
    match settings {
        Item::Value(value) => {
            let table = value.as_inline_table()?;
            let comma = if table.is_empty() { " " } else { "," };
            Some((table.span()?.start + 1, format!(" {key} = [{item}]{comma}")))
        }
        Item::Table(table) if table.is_dotted() => {
            line(entry.get("name")?.span()?, format!("settings.{key} = [{item}]"))
        }
        Item::Table(table) => line(table.span()?.start..table.span()?.start, format!("{key} = [{item}]")),
        _ => None,
    }
}

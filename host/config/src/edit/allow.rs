//! Adds an `[[allow]]` to a `guard.toml`, and removes one.

use toml::{Table, Value};

use super::place::Entries;
use super::{EditError, Target};
use guard_contract::allow::Allow;

/// The key of the allows.
const ALLOW: &str = "allow";

/// Formats an allow for a `guard.toml`, with each line ended by `newline`.
#[must_use]
pub fn block(allow: &Allow, newline: &str) -> String {
    let list = |list: &[String]| (!list.is_empty()).then(|| Value::from(list.to_vec()));
    let text = |text: &str| (!text.is_empty()).then(|| Value::from(text));
    let table: Table =
        allow.arguments.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    let arguments = (!table.is_empty()).then_some(Value::Table(table));
    let lines = [
        ("command", list(&allow.command)),
        ("tool", text(&allow.tool)),
        ("arguments", arguments),
        ("targets", list(&allow.targets)),
        ("effects", list(&allow.effects)),
        ("within", text(&allow.within)),
        ("rules", list(&allow.rules)),
        ("why", text(&allow.why)),
        ("until", text(&allow.until)),
    ];
    let lines = lines.into_iter().filter_map(|(key, value)| Some(format!("{key} = {}", value?)));
    std::iter::once("[[allow]]".to_owned()).chain(lines).flat_map(|line| [line, newline.to_owned()]).collect()
}

impl Target<'_> {
    /// Appends an allow to the text.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons.
    pub fn allow(&self, text: Option<&str>, allow: &Allow) -> Result<String, EditError> {
        let before = text.unwrap_or_default();
        let trust_level = self.trust_level(before)?;
        let block = block(allow, if before.contains("\r\n") { "\r\n" } else { "\n" });
        let after = self.allows(before)?.append(text, &block);
        self.read(&after, trust_level).map_err(EditError::Unfit)?;
        let mut wanted = self.table(before)?;
        let list = wanted.entry(ALLOW).or_insert_with(|| Value::Array(Vec::new())).as_array_mut();
        let own = self.table(&block)?.remove(ALLOW).and_then(|own| own.as_array()?.first().cloned());
        if let (Some(list), Some(own)) = (list, own) {
            list.push(own);
        }
        self.compare(&wanted, &after)?;
        Ok(after)
    }

    /// Removes the allow with this index from the text. `None` if nothing else is in the file.
    ///
    /// # Errors
    ///
    /// [`EditError`] has the reasons.
    pub fn disallow(&self, text: Option<&str>, number: usize) -> Result<Option<String>, EditError> {
        let before = text.unwrap_or_default();
        self.trust_level(before)?;
        let mut wanted: Table = self.table(before)?;
        let Some(list) = wanted.get_mut(ALLOW).and_then(Value::as_array_mut).filter(|list| number < list.len()) else {
            return Err(EditError::Missing(self.file.to_path_buf(), format!("allow {}", number + 1), Vec::new()));
        };
        list.remove(number);
        if list.is_empty() {
            wanted.remove(ALLOW);
        }
        let after = self.allows(before)?.remove(number);
        self.compare(&wanted, after.as_deref().unwrap_or_default())?;
        Ok(after)
    }

    fn allows<'t>(&self, text: &'t str) -> Result<Entries<'t>, EditError> {
        Entries::parse(text, ALLOW).map_err(|error| EditError::Form(self.file.to_path_buf(), error))
    }
}

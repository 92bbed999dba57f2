//! Words for files that only settings list, because a message about secrets would be wrong for them.

use guard_sdk::syntax::Effect;

use crate::{Entries, Lists};

/// What a message says about a file on a list of the settings.
pub const ON_LIST: &str = "on the list of protected files in guard.toml";

/// What a message says about a folder with such a file.
const WITH_LISTED: &str = "with a file on the list of protected files in guard.toml";

/// Returns what a message says about the effect's file if only the settings' entry lists it as a secret. `None` if the
/// default list covers it.
#[must_use]
pub fn own_secret(effect: &Effect, entry: &str) -> Option<&'static str> {
    Lists::default().find_secret(effect).is_none().then(|| listing(effect, entry))
}

/// Like [`own_secret`], for files whose changes need confirmation.
#[must_use]
pub fn own_sensitive(effect: &Effect, entry: &str) -> Option<&'static str> {
    Lists::default().find_sensitive(effect).is_none().then(|| listing(effect, entry))
}

/// Returns why an entry of the list of secrets protects a file from changes.
#[must_use]
pub fn secret_reason(entry: &str) -> &'static str {
    match entry {
        ".git/config" => "it controls which programs git runs",
        ".ssh/" => "it controls SSH access",
        _ => "it can contain credentials",
    }
}

/// Like [`own_secret`], for a path.
#[must_use]
pub fn own_secret_path(path: &str) -> Option<&'static str> {
    Lists::default().secret(path).is_none().then_some(ON_LIST)
}

fn listing(effect: &Effect, entry: &str) -> &'static str {
    let own = Entries::try_from(vec![entry.to_owned()]).ok();
    if Lists::settings_only(&[own], None).find_secret(effect).is_some() { ON_LIST } else { WITH_LISTED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_the_settings_are_called_listed() {
        for (path, is_own) in [("customers.csv", true), ("data/a.txt", true), (".env", false), ("id_rsa", false)] {
            assert_eq!(own_secret_path(path).is_some(), is_own, "{path}");
        }
    }
}

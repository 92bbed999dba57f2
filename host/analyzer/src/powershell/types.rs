//! Names of .NET types.

/// Returns the name in lower case, without `System.`.
pub(super) fn plain_name(name: &str) -> String {
    let lower = name.to_lowercase();
    lower.strip_prefix("system.").unwrap_or(&lower).to_owned()
}

/// Returns whether the type represents a file or a folder.
pub(super) fn is_file(name: &str) -> bool {
    matches!(plain_name(name).as_str(), "io.fileinfo" | "io.directoryinfo")
}

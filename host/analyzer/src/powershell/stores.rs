//! PowerShell drives that aren't file systems: the registry, variables, and the remoting settings.

use super::bind::Bound;
use super::files::PATHS;
use super::values::Piece;
use crate::wrappers::layer::quoted;

/// Returns the drive and path of the store in a cmdlet's arguments.
pub(super) fn store(bound: &Bound) -> Option<(String, String)> {
    let words = bound.words(PATHS);
    let head = words.first()?.head();
    let (drive, rest) = head.split_once(':')?;
    let drive = drive.rsplit(['\\', ':']).next().unwrap_or_default().to_lowercase();
    // A file's name before a stream contains characters that a drive's name can't.
    let is_name = drive.len() > 1 && drive.chars().all(|char| char.is_alphanumeric() || char == '_');
    is_name.then(|| (drive, rest.trim_start_matches([':', '\\']).to_owned()))
}

pub(super) fn is_registry(drive: &str) -> bool {
    drive.starts_with("hk") || drive == "registry"
}

/// Returns a registry key in the syntax of `reg`.
pub(super) fn key(drive: &str, rest: &str) -> String {
    quoted(&format!("{}\\{rest}", drive.to_uppercase()))
}

/// Returns the command that writes a value to a store.
pub(super) fn written(bound: &Bound) -> String {
    let value = || bound.text("value").unwrap_or_else(|| "''".to_owned());
    let name = bound.text("name").filter(|_| bound.value("itemtype").is_none());
    let name = name.map(|name| format!(" /v {name}")).unwrap_or_default();
    match store(bound) {
        Some((drive, rest)) if is_registry(&drive) => format!("reg add {}{name} /d {}", key(&drive, &rest), value()),
        Some((drive, rest)) if drive == "env" => format!("export {}={}", quoted(&rest), value()),
        Some((drive, rest)) if drive == "wsman" => format!("winrm set {} {}", quoted(&rest), value()),
        Some(_) => ":".to_owned(),
        // A variable may contain a key's path.
        None => match bound.words(PATHS).first() {
            Some(path) if matches!(path.pieces.first(), Some(Piece::Variable(_))) => {
                format!("reg add {}{name} /d {}", path.as_written(), value())
            }
            _ => ":".to_owned(),
        },
    }
}

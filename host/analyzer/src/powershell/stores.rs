//! PowerShell drives that aren't file systems: the registry, variables, the settings of remoting.

use super::bind::Bound;
use super::files::PATHS;
use super::values::Piece;
use crate::wrappers::layer::quoted;

/// The drive and the path of a store that a cmdlet is given.
pub(super) fn store(bound: &Bound) -> Option<(String, String)> {
    let words = bound.words(PATHS);
    let head = words.first()?.head();
    let (drive, rest) = head.split_once(':')?;
    let drive = drive.rsplit(['\\', ':']).next().unwrap_or_default().to_lowercase();
    // A file's name before a stream has what no drive's name has.
    let is_name = drive.len() > 1 && drive.chars().all(|char| char.is_alphanumeric() || char == '_');
    is_name.then(|| (drive, rest.trim_start_matches([':', '\\']).to_owned()))
}

pub(super) fn is_registry(drive: &str) -> bool {
    drive.starts_with("hk") || drive == "registry"
}

/// A key of the registry as `reg` names it.
pub(super) fn key(drive: &str, rest: &str) -> String {
    quoted(&format!("{}\\{rest}", drive.to_uppercase()))
}

/// A value that is put into a store.
pub(super) fn written(bound: &Bound) -> String {
    let value = || bound.text("value").unwrap_or_else(|| "''".to_owned());
    let name = bound.text("name").filter(|_| bound.value("itemtype").is_none());
    let name = name.map(|name| format!(" /v {name}")).unwrap_or_default();
    match store(bound) {
        Some((drive, rest)) if is_registry(&drive) => format!("reg add {}{name} /d {}", key(&drive, &rest), value()),
        Some((drive, rest)) if drive == "env" => format!("export {}={}", quoted(&rest), value()),
        Some((drive, rest)) if drive == "wsman" => format!("winrm set {} {}", quoted(&rest), value()),
        Some(_) => ":".to_owned(),
        // A variable may hold the path of a key.
        None => match bound.words(PATHS).first() {
            Some(path) if matches!(path.pieces.first(), Some(Piece::Variable(_))) => {
                format!("reg add {}{name} /d {}", path.as_written(), value())
            }
            _ => ":".to_owned(),
        },
    }
}

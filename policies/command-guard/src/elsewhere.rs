//! Files on another machine or in a container, about which only the text is known.

use guard_sdk::syntax::Effect;

use crate::by_products::is_product_name;
use crate::call_view::CallView;

/// Folders for temporary files on other machines.
const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/", "/private/tmp/", "/run/", "/dev/shm/", "/data/local/tmp/"];

/// Folders whose files a program creates again.
const REFILLED: &[&str] = &["cache", "caches", "node_modules", "temp", "tmp"];

/// Returns whether a file elsewhere may go: by its name it is temporary or the product of a build, or the same call
/// wrote it.
pub(crate) fn is_expendable(effect: &Effect, view: &CallView<'_>) -> bool {
    if effect.tag("where").is_none() || effect.target.split('/').any(|part| part == "..") {
        return false;
    }
    let target = effect.target.as_str();
    let writes = |other: &Effect| {
        other.kind == "write"
            && other.command_id < effect.command_id
            && other.target == target
            && ["append", "empties"].iter().all(|tag| other.tag(tag).is_none())
            && other.tag("where") == effect.tag("where")
    };
    let (folder, _) = target.rsplit_once('/').unwrap_or_default();
    let is_refilled = |part: &str| {
        let part = part.to_ascii_lowercase();
        REFILLED.contains(&part.trim_start_matches('.')) || part != "~" && is_product_name(&part)
    };
    TEMPORARY.iter().any(|start| target.starts_with(start))
        || folder.split('/').any(is_refilled)
        || is_product_name(&target.rsplit('/').next().unwrap_or_default().to_ascii_lowercase())
        || view.analysis.effects.iter().any(writes)
}

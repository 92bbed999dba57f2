//! A Claude Code plugin with the hook: the plugin's own files, besides `hooks/hooks.json`.
//!
//! The program is copied into it, because Claude Code copies a plugin when it is installed, and links out of the plugin
//! would break.

use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::install::{Foreign, HookLocation, InstallError, ManagedFile};
use guard_platform::paths::native;

/// The program in `hooks.json`, as a shell word.
pub(super) const PROGRAM: &str = "\"${CLAUDE_PLUGIN_ROOT}\"/bin/guard-host";

const DESCRIPTION: &str = "guard-host asks sandboxed policies before each tool call";

/// The path of a plugin's hooks.
const HOOKS: &str = "./hooks/hooks.json";

#[derive(Serialize)]
struct PluginAuthor<'a> {
    name: &'a str,
    version: &'a str,
    description: &'a str,
    /// The path of the hooks. Claude Code uses its default, but other programs that read a `manifest.json` need the
    /// key.
    #[serde(skip_serializing_if = "Option::is_none")]
    hooks: Option<&'a str>,
}

#[derive(Serialize)]
struct Marketplace<'a> {
    name: String,
    owner: Owner,
    plugins: [PluginListing<'a>; 1],
}

#[derive(Serialize)]
struct Owner {
    name: &'static str,
}

#[derive(Serialize)]
struct PluginListing<'a> {
    name: &'a str,
    source: &'static str,
    description: &'static str,
    version: &'a str,
}

/// Returns the files of the plugin. In another plugin's folder, only the program is added.
pub(super) fn pieces(folder: &Path, site: HookLocation<'_>) -> Result<Vec<ManagedFile>, InstallError> {
    let folder = native(&site.environment.cwd).join(folder);
    let program = &site.environment.program;
    let bytes = std::fs::read(program).map_err(|error| InstallError::Io(program.clone(), error))?;
    let own = |file: &str, mode, bytes, is_ours: fn(&[u8]) -> bool, foreign| ManagedFile::Own {
        path: folder.join(file),
        within: Some(folder.clone()),
        mode,
        bytes,
        is_ours: Box::new(is_ours),
        foreign,
    };
    let mut pieces = vec![own("bin/guard-host", 0o755, bytes, is_program, Foreign::Refused)];
    if std::fs::read(folder.join(".claude-plugin/plugin.json")).is_ok_and(|text| !is_about(&text)) {
        return Ok(pieces);
    }
    let name = name(&folder);
    let version = env!("CARGO_PKG_VERSION");
    let about = |hooks| PluginAuthor { name: &name, version, description: DESCRIPTION, hooks };
    let offer = PluginListing { name: &name, source: "./", description: DESCRIPTION, version };
    let market = Marketplace { name: market(&name), owner: Owner { name: "guard-host" }, plugins: [offer] };
    pieces.push(own(".claude-plugin/plugin.json", 0o644, printed(&about(None)), is_about, Foreign::Kept));
    pieces.push(own(".claude-plugin/marketplace.json", 0o644, printed(&market), is_market, Foreign::Kept));
    pieces.push(own("manifest.json", 0o644, printed(&about(Some(HOOKS))), is_about, Foreign::Kept));
    Ok(pieces)
}

/// Returns the steps to install the plugin.
pub(super) fn next_steps(folder: &Path, site: HookLocation<'_>) -> Vec<String> {
    let folder = native(&site.environment.cwd).join(folder);
    let name = name(&folder);
    let shown = folder.display();
    let mut steps = vec![format!("run `claude plugin validate {shown}`")];
    // Another author's plugin has its own marketplace.
    if folder.join(".claude-plugin/marketplace.json").exists() {
        steps.push(format!(
            "run `claude plugin marketplace add {shown}`, then `claude plugin install {name}@{}`; the plugin is copied, \
             so do both again after an upgrade",
            market(&name)
        ));
    }
    steps.push(format!("run `guard-host doctor --plugin {shown}`: it tests that dangerous calls are blocked"));
    steps
}

/// Returns the plugin's name: the folder's name, if that is valid.
fn name(folder: &Path) -> String {
    let name = folder.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_name = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    if is_name { name } else { "guard-host".to_owned() }
}

fn market(name: &str) -> String {
    format!("{name}-local")
}

fn printed(value: &impl Serialize) -> Vec<u8> {
    // Fixed keys and texts can't fail to serialize.
    serde_json::to_string_pretty(value).map(|text| text + "\n").unwrap_or_default().into_bytes()
}

/// Returns whether the file describes a plugin that this program created.
fn is_about(text: &[u8]) -> bool {
    described(text, "/description")
}

fn is_market(text: &[u8]) -> bool {
    described(text, "/plugins/0/description")
}

fn described(text: &[u8], pointer: &str) -> bool {
    let value: Value = serde_json::from_slice(text).unwrap_or_default();
    value.pointer(pointer).and_then(Value::as_str) == Some(DESCRIPTION)
}

/// Returns whether the file is an executable, not another author's script.
fn is_program(bytes: &[u8]) -> bool {
    [&b"\x7fELF"[..], b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"].iter().any(|magic| bytes.starts_with(magic))
}

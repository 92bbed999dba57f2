//! Starter files and their schemas: the configuration, and settings files of built-ins.

use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::Value;

use super::print;
use super::subject::exit_error;
use guard_builtins::{Builtin, Starter};
use guard_config::STARTER;
use guard_contract::exit::Exit;
use guard_contract::paths::absolute;
use guard_kit::schema;
use guard_platform::paths::native;
use guard_state::AppDirs;
use guard_state::files::{self, WriteResult};

/// The usual name of the configuration.
const CONFIG: &str = "guard.toml";

/// Writes the starter file with this name to its usual path, or prints it.
pub(super) fn init(name: &str, to_print: bool, dirs: &AppDirs) -> anyhow::Result<Exit> {
    let (file, text) = match starter(name) {
        Some((builtin, file)) => (file_path(builtin, file, dirs), file.text),
        None if name == CONFIG => (dirs.config.clone(), STARTER),
        None => return Err(unknown_builtin(name)),
    };
    if to_print {
        print::line(text.trim_end())?;
        return Ok(Exit::Success);
    }
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return Err(unknown_builtin(name)) };
    let shown = file.display().to_string();
    let written = files::write_in_folder(folder, Path::new(name), text.as_bytes(), false);
    report_write(&shown, &written.with_context(|| format!("cannot write {shown}"))?)
}

/// Reports what happened to a file.
pub(super) fn report_write(path: &str, written: &WriteResult) -> anyhow::Result<Exit> {
    match written {
        WriteResult::New => print::status(&format!("wrote {path}"))?,
        WriteResult::Same => print::line(&format!("{path} is there already, unchanged"))?,
        WriteResult::Kept => print::line(&format!("{path} has been changed and was left as it is"))?,
        WriteResult::Blocked(what) => {
            let text = format!("{path} is {what}, so nothing was written");
            return Err(exit_error(Exit::Unavailable, text, "remove it, or name another place"));
        }
        WriteResult::Replaced(copy) => {
            print::status(&format!("wrote {path}; what was there is now {}", copy.display()))?;
        }
    }
    Ok(Exit::Success)
}

/// Prints the schema of the file with this name.
pub(super) fn schema(name: &str) -> anyhow::Result<Exit> {
    match starter(name) {
        Some((_, file)) => print::line(file.schema.trim_end()).map(|()| Exit::Success),
        None if name == CONFIG => print_schema(&schema::config_schema()),
        None => Err(unknown_builtin(name)),
    }
}

pub(super) fn print_schema(schema: &Value) -> anyhow::Result<Exit> {
    print::json(schema)?;
    Ok(Exit::Success)
}

/// Returns the path at which a preset reads the file, or else next to the configuration.
fn file_path(builtin: &Builtin, file: &Starter, dirs: &AppDirs) -> PathBuf {
    let usual = builtin.settings_file.filter(|_| !dirs.home.is_empty());
    let absolute = |usual: &str| native(&absolute(usual, "/", &dirs.home)).into_owned();
    usual.map_or_else(|| dirs.config.with_file_name(file.name), absolute)
}

fn starters() -> impl Iterator<Item = (&'static Builtin, &'static Starter)> {
    guard_builtins::all().iter().filter_map(|builtin| Some((builtin, builtin.starter.as_ref()?)))
}

fn starter(name: &str) -> Option<(&'static Builtin, &'static Starter)> {
    starters().find(|(_, file)| file.name == name)
}

fn unknown_builtin(name: &str) -> anyhow::Error {
    let names: Vec<&str> = std::iter::once(CONFIG).chain(starters().map(|(_, file)| file.name)).collect();
    exit_error(Exit::Usage, format!("unknown file `{name}`"), format!("one of: {}", names.join(", ")))
}

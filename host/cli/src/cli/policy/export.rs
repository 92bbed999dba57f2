//! `guard-host policy export`: writes the component of a built-in policy to a file.

use super::registry::{new_file, output};
use crate::cli::args::ExportArgs;
use crate::cli::print;
use crate::cli::subject::exit_error;
use guard_contract::exit::Exit;
use guard_state::environment::Environment;
use guard_state::hex;

pub(super) fn run(args: &ExportArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let name = args.name.strip_prefix("builtin:").unwrap_or(&args.name);
    let Some(builtin) = guard_builtins::find(name) else {
        let names: Vec<&str> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
        let hint = format!("built-ins: {}", names.join(", "));
        return Err(exit_error(Exit::NoInput, format!("there is no built-in `{name}`"), hint));
    };
    let digest = &builtin.guest.sha256;
    let damaged = || exit_error(Exit::Software, format!("this program cannot give the component of `{name}`"), "");
    let wasm = guard_builtins::component(digest).ok_or_else(damaged)?;
    let file = output(args.output.as_deref(), name, environment)?;
    new_file(&file, &wasm, 0o644)?;
    print::status(&format!("saved     {}", file.display()))?;
    print::status(&format!("sha256    {}", hex(digest)))?;
    Ok(Exit::Success)
}

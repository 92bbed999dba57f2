//! `guard-host man`: writes manual pages, one for each command in the help.

use std::fs;

use anyhow::Context;
use clap::CommandFactory;

use super::args::{Cli, ManArgs};
use guard_contract::exit::Exit;

pub(super) fn run(args: &ManArgs) -> anyhow::Result<Exit> {
    let cannot = || format!("the pages cannot be written to `{}`", args.folder.display());
    fs::create_dir_all(&args.folder).with_context(cannot)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).with_context(cannot)?;
    Ok(Exit::Success)
}

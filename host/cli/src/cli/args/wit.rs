//! Arguments of `guard-host policy wit`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy wit wit
  guard-host policy wit wit && npx jco guest-types wit --world-name guest --out-dir types
  guard-host policy wit wit && componentize-py -d wit -w guest bindings types
  guard-host policy wit wit && wit-bindgen c wit --world guest

The package is `guard:policy`, and its only world is `guest`. An existing file is never overwritten. If one has different
content, the command exits with 69.")]
pub(in crate::cli) struct WitArgs {
    /// The folder for the files, which is created if it doesn't exist
    #[arg(value_name = "DIR")]
    pub(in crate::cli) folder: PathBuf,
}

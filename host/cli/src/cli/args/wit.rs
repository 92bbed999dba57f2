//! Arguments of `guard-host policy wit`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy wit wit
  guard-host policy wit wit && npx jco guest-types wit --world-name guest --out-dir types
  guard-host policy wit wit && componentize-py -d wit -w guest bindings types
  guard-host policy wit wit && wit-bindgen c wit --world guest

The package is `guard:policy`, and its one world is `guest`. A file that is there already is never overwritten: the command
ends with 69 if one has other content.")]
pub(in crate::cli) struct WitArgs {
    /// The folder to write the files into; it is made if it is missing
    #[arg(value_name = "DIR")]
    pub(in crate::cli) folder: PathBuf,
}

//! What `guard-host new` takes.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host new no-surprises --lang rust
  guard-host new team-rules --lang python && cd team-rules && ./build.sh && guard-host test policy.wasm fixtures/

The policy is the same in each language: it sees what calls do, has settings, and passes its cases. Nothing has to be
generated; `./build.sh` fetches what else it needs, in the version that the project names.")]
pub(in crate::cli) struct NewArgs {
    /// Its name, and that of the folder: small letters, digits and `-`
    // A word that begins with `-` is refused as a name, not taken for an option.
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) name: String,
    /// The language to write it in
    #[arg(long, value_enum, value_name = "LANGUAGE")]
    pub(in crate::cli) lang: LanguageName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LanguageName {
    /// Needs cargo and the target wasm32-wasip2
    Rust,
    /// JavaScript with checked types; needs npm
    Js,
    /// Needs Python 3.10 or later
    Python,
    /// Needs Python, for its compiler, and npm or wasm-tools
    C,
}

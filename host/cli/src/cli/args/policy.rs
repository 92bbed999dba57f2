//! Arguments of `guard-host policy`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Map, Value};

use super::{ConformanceArgs, Format, RatesArgs, ServiceBuildArgs, WitArgs};
use guard_contract::Wasi;
use guard_contract::grants::GrantSpec;

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy list
  guard-host policy inspect command-guard
  guard-host policy add ~/policies/my_policy.wasm --grant env:CI
  guard-host policy remove my-policy
  guard-host policy push my_policy.wasm oci://ghcr.io/acme/my-policy")]
pub(in crate::cli) struct PolicyArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: PolicyCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum PolicyCommand {
    /// Show the chain, in order
    #[command(after_help = "Examples:
  guard-host policy list
  guard-host policy list --format json")]
    List {
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Show one policy: its imports, exports, rules, grants and examples, and what a call costs
    #[command(after_help = "Examples:
  guard-host policy inspect command-guard
  guard-host policy inspect target/wasm32-wasip2/release/my_policy.wasm --format json")]
    Inspect {
        /// A name in the chain, a built-in, or a component file
        policy: String,
        /// How to answer WASI calls, if the policy isn't in the chain [default: trap]
        #[arg(long, value_enum)]
        wasi: Option<WasiName>,
        /// How to print it
        #[arg(long, value_enum, default_value_t = Format::Human)]
        format: Format,
    },
    /// Add a policy to your guard.toml, or to the project's
    Add(AddArgs),
    /// Remove a policy from your guard.toml, or from the project's
    Remove(RemoveArgs),
    /// Download the policies that guard.lock pins, if they aren't on this machine yet
    Fetch(FetchArgs),
    /// Update policies from registries, after showing what changes
    Update(UpdateArgs),
    /// Publish a policy in a registry
    Push(PushArgs),
    /// Save a policy from a registry as a file
    Pull(PullArgs),
    /// Save the component of a built-in policy as a file
    Export(ExportArgs),
    /// List the policies of a registry
    Search(SearchArgs),
    /// Run the conformance suite on a policy
    Conformance(ConformanceArgs),
    /// Measure how often the chain stops the calls in a file, by class and by rule
    Rates(RatesArgs),
    /// Build one component from the whole configuration, which judges calls over HTTP on WebAssembly engines
    Bundle(ServiceBuildArgs),
    /// Write the contract as WIT files, for tools that build components
    Wit(WitArgs),
    /// Create a key for signing policies
    Keygen(KeygenArgs),
}

#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct NetworkArgs {
    /// How long a request may take, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

impl NetworkArgs {
    /// Returns the timeout of a request.
    pub(in crate::cli) fn patience(self) -> Duration {
        Duration::from_secs(self.timeout)
    }
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy fetch

Uses the digests in guard.lock and the addresses in your guard.toml, in the project's, and in the managed one if you may
write there. Policies that are already on this machine aren't downloaded again.")]
pub(in crate::cli) struct FetchArgs {
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy update --dry-run
  guard-host policy update no-force --project
  guard-host policy update --all

A tag with three numbers, such as 1.2.0, is a version: the newest one with the same first number replaces it (for 0.2.0,
the newest 0.2.x). For another tag, such as latest, the policy that it now refers to is used. A person must agree at a
terminal if the new policy requests a grant that the old one didn't, is an older version, or has a different id. To give
the grant, use `policy add --replace --grant`.")]
pub(in crate::cli) struct UpdateArgs {
    /// Entries with an address [default: all entries with an address in the file]
    pub(in crate::cli) names: Vec<String>,
    /// All entries with an address, in your file and in the project's
    #[arg(long, conflicts_with_all = ["names", "project"])]
    pub(in crate::cli) all: bool,
    #[command(flatten)]
    pub(in crate::cli) place: PlaceArgs,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy push target/wasm32-wasip2/release/no_force.wasm oci://ghcr.io/acme/no-force
  guard-host policy push no_force.wasm localhost:5000/acme/no-force:1.2.0 --key acme.key

Without a tag, the tag is the version in the policy's manifest. The password comes from `docker login`.")]
pub(in crate::cli) struct PushArgs {
    /// A component file, which must pass its own examples
    pub(in crate::cli) file: String,
    /// The address to publish to: HOST/NAME or HOST/NAME:TAG
    pub(in crate::cli) address: String,
    /// Sign it with this secret key, which `policy keygen` created
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) key: Option<PathBuf>,
    /// If the tag exists, move it to this policy
    #[arg(long)]
    pub(in crate::cli) replace: bool,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy pull oci://ghcr.io/acme/no-force:1.2.0
  guard-host policy pull ghcr.io/acme/no-force:1.2.0 --output no_force.wasm")]
pub(in crate::cli) struct PullArgs {
    /// HOST/NAME:TAG or HOST/NAME@sha256:DIGEST
    pub(in crate::cli) address: String,
    /// The file to write, which must not exist [default: NAME.wasm]
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy export protected-files
  guard-host policy export rego --output /tmp/rego.wasm")]
pub(in crate::cli) struct ExportArgs {
    /// The name of the built-in policy
    pub(in crate::cli) name: String,
    /// The file to write, which must not exist [default: NAME.wasm]
    #[arg(long, short, value_name = "FILE")]
    pub(in crate::cli) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy search localhost:5000
  guard-host policy search localhost:5000/acme --format json

Many registries list only names with a given beginning, or nothing. In that case, give the policy's whole name.")]
pub(in crate::cli) struct SearchArgs {
    /// HOST, or HOST/PREFIX to list only names with this prefix
    #[arg(value_name = "REGISTRY")]
    pub(in crate::cli) place: String,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub(in crate::cli) format: Format,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy keygen acme.key

Writes the secret key to FILE, which only you can read, and the public key to FILE.pub. Prints the lines that other people
add to their guard.toml. Keep the secret key out of repositories.")]
pub(in crate::cli) struct KeygenArgs {
    /// The file for the secret key, which must not exist
    pub(in crate::cli) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy add ~/policies/my_policy.wasm --grant env:CI --on-error deny
  guard-host policy add builtin:path-context --settings '{\"safe_paths\": [\"~/projects\"]}'
  guard-host policy add policies/migrations.wasm --project --dry-run
  guard-host policy add oci://ghcr.io/acme/no-force:1.2.0 --project

The component must pass its own examples and accept its settings. The entry pins its digest, so a changed file isn't used.
`--replace` pins the new file. Policies from registries are pinned in guard.lock, next to the guard.toml.")]
pub(in crate::cli) struct AddArgs {
    /// A component file, builtin:NAME, or an address: oci://HOST/NAME:TAG, https://..., file://...
    pub(in crate::cli) source: String,
    /// The entry's name [default: the policy's own]
    #[arg(long, value_name = "N")]
    pub(in crate::cli) name: Option<String>,
    /// Its settings: a JSON object
    #[arg(long, value_name = "JSON", value_parser = object, conflicts_with = "settings_file")]
    pub(in crate::cli) settings: Option<Map<String, Value>>,
    /// A file with its settings, or for `rego` a folder, which is read whenever it changes
    #[arg(long, value_name = "F")]
    pub(in crate::cli) settings_file: Option<PathBuf>,
    /// The outcome if the policy fails [default: ask]
    #[arg(long, value_enum)]
    pub(in crate::cli) on_error: Option<OnErrorName>,
    /// How to answer the policy's WASI calls [default: trap]
    #[arg(long, value_enum, conflicts_with = "project")]
    pub(in crate::cli) wasi: Option<WasiName>,
    /// Use it only for these tools
    #[arg(long, value_name = "TOOLS", value_delimiter = ',')]
    pub(in crate::cli) tools: Vec<String>,
    /// Grant it env:NAME, read:PATH or journal:STREAM=FILE. Repeatable. A path is absolute, or begins with `~/`, or with
    /// `./` for the project
    #[arg(long = "grant", value_name = "GRANT")]
    pub(in crate::cli) grants: Vec<String>,
    /// Don't pin the digest, so that later builds of the file are used too
    #[arg(long)]
    pub(in crate::cli) no_pin: bool,
    /// Replace the entry with this name; keys that aren't given keep their values
    #[arg(long)]
    pub(in crate::cli) replace: bool,
    #[command(flatten)]
    pub(in crate::cli) place: PlaceArgs,
    #[command(flatten)]
    pub(in crate::cli) network: NetworkArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host policy remove my-policy
  guard-host policy remove migrations --project --dry-run")]
pub(in crate::cli) struct RemoveArgs {
    /// The entry's name
    pub(in crate::cli) name: String,
    #[command(flatten)]
    pub(in crate::cli) place: PlaceArgs,
}

#[derive(Debug, Clone, Copy, Args)]
pub(in crate::cli) struct PlaceArgs {
    /// Change the project's .guard/guard.toml
    #[arg(long)]
    pub(in crate::cli) project: bool,
    /// Print what would change, and change nothing
    #[arg(long, short = 'n')]
    pub(in crate::cli) dry_run: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum OnErrorName {
    /// Prompt
    Ask,
    /// Ignore the failure
    Allow,
    /// Deny the call
    Deny,
}

impl OnErrorName {
    /// Returns the word in a guard.toml.
    pub(in crate::cli) fn word(self) -> &'static str {
        match self {
            OnErrorName::Ask => "ask",
            OnErrorName::Allow => "allow",
            OnErrorName::Deny => "deny",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum WasiName {
    /// Always the same: clocks at 0, fixed random numbers, no environment, no files
    Frozen,
}

impl WasiName {
    /// Returns the word in a guard.toml.
    pub(in crate::cli) fn word(self) -> &'static str {
        match self {
            WasiName::Frozen => "frozen",
        }
    }

    /// Returns how WASI imports are resolved, with the default if no name is given.
    pub(in crate::cli) fn or_default(name: Option<WasiName>) -> Wasi {
        name.map_or(Wasi::Absent, |WasiName::Frozen| Wasi::Frozen)
    }
}

impl AddArgs {
    /// Returns the grants; `None` if none are specified.
    ///
    /// # Errors
    ///
    /// Parses the grants. The error is the first invalid word.
    pub(in crate::cli) fn grants(&self) -> Result<Option<GrantSpec>, &str> {
        let mut spec = GrantSpec::default();
        match self.grants.iter().find(|grant| !spec.add(grant)) {
            Some(grant) => Err(grant),
            None => Ok((!self.grants.is_empty()).then_some(spec)),
        }
    }
}

pub(super) fn object(text: &str) -> Result<Map<String, Value>, String> {
    serde_json::from_str(text).map_err(|error| format!("no JSON object: {error}"))
}

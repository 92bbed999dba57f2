//! Arguments of `guard-host new`.

use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(after_help = "Examples:
  guard-host new no-surprises --lang rust
  guard-host new team-rules --lang python && cd team-rules && ./build.sh && guard-host test policy.wasm fixtures/
  guard-host new team-rules --lang rego && cd team-rules && guard-host test rego cases/ --settings-file policy.rego
  guard-host new own-files --from builtin:protected-files && cd own-files && ./build.sh && guard-host test policy.wasm fixtures/

In Rego and CEL, you write rules that a built-in policy reads, so there is nothing to build. In the other languages, you
write a component: `./build.sh` builds it, and downloads pinned versions of its dependencies. Each language starts with the
same example policy, which has settings and passing test cases.")]
pub(in crate::cli) struct NewArgs {
    /// Name of the policy and its folder: lowercase letters, digits and `-`
    // A word that starts with `-` is rejected as a name, instead of parsed as an option.
    #[arg(allow_hyphen_values = true)]
    pub(in crate::cli) name: String,
    /// The language to write it in
    #[arg(long, value_enum, value_name = "LANGUAGE", required_unless_present = "from")]
    pub(in crate::cli) lang: Option<LanguageName>,
    /// Start from a copy of this built-in policy and its cases, in Rust
    #[arg(long, value_name = "builtin:NAME", conflicts_with = "lang")]
    pub(in crate::cli) from: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum LanguageName {
    /// Needs cargo and the target wasm32-wasip2
    Rust,
    /// JavaScript with checked types; needs npm
    Js,
    /// TypeScript; needs npm
    Ts,
    /// Needs Python 3.10 or later
    Python,
    /// Needs Python, for its compiler, and npm or wasm-tools
    C,
    /// Rules in Rego; needs nothing
    Rego,
    /// Conditions in CEL, in a TOML file; needs nothing
    Cel,
}

//! `guard-host new`: creates the project of a new policy.

use super::args::{LanguageName, NewArgs};
use super::print;
use super::subject::exit_error;
use guard_contract::exit::Exit;
use guard_kit::scaffold::{self, Language, Origin, ScaffoldError};
use guard_platform::paths::native;
use guard_state::environment::Environment;

pub(super) fn run(args: &NewArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let origin = match (args.lang, &args.from) {
        (Some(language), _) => Origin::Template(match language {
            LanguageName::Rust => Language::Rust,
            LanguageName::Js => Language::JavaScript,
            LanguageName::Ts => Language::TypeScript,
            LanguageName::Python => Language::Python,
            LanguageName::C => Language::C,
            LanguageName::Rego => Language::Rego,
            LanguageName::Cel => Language::Cel,
        }),
        (None, from) => {
            let from = from.as_deref().unwrap_or_default();
            Origin::Builtin(from.strip_prefix("builtin:").unwrap_or(from))
        }
    };
    match scaffold::make(&native(&environment.cwd), &args.name, origin) {
        Ok(_) => {
            print::note(&format!("{} is there, with a policy and its cases in it. Go on with:", args.name));
            print::line(&format!("cd {}\n{}", args.name, origin.commands()))?;
            Ok(Exit::Success)
        }
        Err(error @ ScaffoldError::Name(_)) => {
            let hint = "take at most 64 small letters, digits and `-`, with a letter first";
            Err(exit_error(Exit::Usage, error.to_string(), hint))
        }
        Err(error @ ScaffoldError::Builtin(_)) => {
            let names: Vec<&str> = scaffold::builtins().collect();
            let is_there = matches!(origin, Origin::Builtin(name) if guard_builtins::find(name).is_some());
            let why = if is_there { "it contains guard-host's own analyzer; " } else { "" };
            Err(exit_error(Exit::NoInput, error.to_string(), format!("{why}those that can: {}", names.join(", "))))
        }
        Err(error @ ScaffoldError::Taken(..)) => {
            Err(exit_error(Exit::Unavailable, error.to_string(), "take another name, or move it away"))
        }
        Err(error @ ScaffoldError::Io(..)) => Err(error.into()),
    }
}

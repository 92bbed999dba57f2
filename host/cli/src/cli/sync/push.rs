//! `guard-host sync push`: publishes a configuration for other machines.

use super::{GROUPS, MAIN, PERCENT, VERSION, list_mistakes};
use crate::cli::args::SyncPushArgs;
use crate::cli::policy::fetched::{reference, registry_error};
use crate::cli::policy::registry::secret_key;
use crate::cli::print;
use crate::cli::subject::exit_error;
use guard_config::bundle::Bundle;
use guard_contract::exit::Exit;
use guard_platform::paths::native;
use guard_registry::{Annotations, NamedFile, Registry, RegistryError};
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn run(args: &SyncPushArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let reference = reference(&args.address)?;
    if reference.tag.is_none() || reference.digest.is_some() {
        return Err(exit_error(
            Exit::Usage,
            "a configuration is pushed under a tag",
            "such as oci://ghcr.io/acme/guard:stable",
        ));
    }
    let key = secret_key(&args.key)?;
    let is_group = |group: &String| {
        !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if let Some(group) = args.groups.iter().find(|group| !is_group(group)) {
        return Err(exit_error(
            Exit::Usage,
            format!("`{group}` isn't a valid group name"),
            "use letters, digits, `-`, `_` and `.`",
        ));
    }
    let file = native(&environment.cwd).join(&args.file);
    let bundle = Bundle::collect(&file, &environment.home)
        .map_err(|problem| exit_error(Exit::Config, problem.to_string(), problem.hint.clone()))?;
    // It is tested as on another machine.
    let mistakes = list_mistakes(&bundle.text, bundle.files.iter(), &file, false, (dirs, environment))?;
    if let Some(first) = mistakes.first() {
        let text = format!("it is not pushed: {first}");
        return Err(exit_error(Exit::Config, text, "`guard-host config check FILE --managed` shows all"));
    }
    let version = args.version.to_string();
    let annotations: Annotations =
        [(VERSION, version.clone()), (PERCENT, args.percent.to_string()), (GROUPS, args.groups.join(","))]
            .map(|(key, value)| (key.to_owned(), value))
            .into();
    let mut registry = Registry::open(&reference.host, args.network.patience()).map_err(registry_error)?;
    match registry.offer(&reference) {
        Ok(before) => {
            let known = before.annotations.get(VERSION).and_then(|version| semver::Version::parse(version).ok());
            if known.as_ref().is_some_and(|known| *known > args.version) {
                let text = format!("`{reference}` has a newer version than {version}");
                return Err(exit_error(Exit::Data, text, "machines take no older one: give a higher one with `--as`"));
            }
            if known.is_some_and(|known| known == args.version) && !before.contains_file(MAIN, bundle.text.as_bytes()) {
                let text = format!("`{reference}` has another configuration under the version {version}");
                return Err(exit_error(Exit::Data, text, "give a higher one with `--as`"));
            }
        }
        Err(RegistryError::Missing(_)) => {}
        Err(error) => return Err(registry_error(error)),
    }
    let mut files: Vec<NamedFile> = vec![(MAIN.to_owned(), bundle.text.into_bytes())];
    files.extend(bundle.files);
    let count = files.len();
    let sign =
        |registry: &mut Registry, digest: &str| registry.attach(&reference, digest, &key.sign(&reference, digest));
    let digest = registry.push_files(&reference, &files, annotations, sign).map_err(registry_error)?;
    print::line(&format!("pushed    {reference}"))?;
    print::line(&format!("version   {version}"))?;
    print::line(&format!("digest    {digest}"))?;
    print::line(&format!("files     {count}"))?;
    print::line(&format!("signed    with the key {}", key.public().line()))?;
    Ok(Exit::Success)
}

//! `guard-host policy push`, `pull`, `search` and `keygen`: registries, without a configuration.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::fetched::{fetch, reference, registry_error};
use super::{build_artifact, holding};
use crate::cli::args::{Format, KeygenArgs, PullArgs, PushArgs, SearchArgs};
use crate::cli::print;
use crate::cli::subject::{exit_error, file};
use guard_contract::Wasi;
use guard_contract::exit::Exit;
use guard_contract::policy::Source;
use guard_hook::cache::{Component, run_examples};
use guard_platform::paths::native;
use guard_registry::{Annotations, Reference, Registry, RegistryError, SecretKey};
use guard_state::environment::Environment;
use guard_state::files::read_text;
use guard_state::{AppDirs, write_new};

/// The maximum size of a key file, in bytes.
const KEY_BYTES: u64 = 1 << 16;

/// The maximum number of policies whose tags are listed.
const SHOWN: usize = 100;

pub(super) fn push(args: &PushArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let reference = reference(&args.address)?;
    if reference.digest.is_some() {
        return Err(exit_error(
            Exit::Usage,
            "a policy is pushed under a tag, not under a digest",
            "leave out `@sha256:...`",
        ));
    }
    let key = args.key.as_deref().map(secret_key).transpose()?;
    let component = Component::read(&Source::File(file(&args.file, environment)));
    let is_text = [".rego", ".toml"].iter().any(|ending| args.file.ends_with(ending));
    let hint = if is_text {
        "rules in Rego and CEL need no registry: commit the file, and name it as `settings-file`"
    } else {
        ""
    };
    let component = component.map_err(|fault| exit_error(Exit::NoInput, fault.to_string(), hint))?;
    let (artifact, manifest) = build_artifact(&component, Wasi::Frozen, &args.file, dirs)?;
    run_examples(&artifact, &manifest).map_err(|fault| {
        exit_error(Exit::Data, format!("`{}` is not pushed: {fault}", args.file), "repair the policy, or its example")
    })?;
    let tag = reference.tag.clone().unwrap_or_else(|| manifest.version.clone());
    // Parsed again, because a version may contain characters that a tag can't.
    let reference = Reference::parse(&reference.with_tag(&tag).to_string())
        .map_err(|error| exit_error(Exit::Usage, error.to_string(), "give a tag"))?;
    let mut registry = Registry::open(&reference.host, args.network.patience()).map_err(registry_error)?;
    let before = match registry.resolve(&reference) {
        Ok(digest) => Some(digest),
        Err(RegistryError::Missing(_)) => None,
        Err(error) => return Err(registry_error(error)),
    };
    let annotations = Annotations::from(
        [("title", &manifest.id), ("description", &manifest.summary), ("version", &manifest.version)]
            .map(|(key, value)| (format!("org.opencontainers.image.{key}"), value.clone())),
    );
    let wasm = component.wasm(guard_builtins::component)?;
    let interface = &artifact.interface;
    // The component can only be found by the tag, which is stored last.
    let digest = registry
        .push(&reference, &wasm, (&interface.imports, &interface.exports), annotations, |digest| {
            args.replace || before.as_deref().is_none_or(|before| before == digest)
        })
        .map_err(registry_error)?;
    let Some(digest) = digest else {
        let text = format!("`{reference}` is there, with other bytes");
        return Err(exit_error(Exit::Data, text, "raise the version in the policy's manifest, or give `--replace`"));
    };
    print::line(&format!("pushed    {reference}"))?;
    print::line(&format!("digest    {digest}"))?;
    print::status(&format!("sha256    {}", component.sha256))?;
    print::line(&format!("examples  {}", holding(&manifest)))?;
    if let Some(key) = key {
        registry.attach(&reference, &digest, &key.sign(&reference, &digest)).map_err(registry_error)?;
        print::line(&format!("signed    with the key {}", key.public().line()))?;
    }
    print::line(&format!("\nTo use it: guard-host policy add {reference}"))?;
    Ok(Exit::Success)
}

pub(super) fn pull(args: &PullArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let reference = reference(&args.address)?;
    let name = reference.name.rsplit('/').next().unwrap_or_default();
    let file = output(args.output.as_deref(), name, environment)?;
    let fetched = fetch(&reference.to_string(), &[], args.network.patience())?;
    let wasm = fetched.component.wasm(guard_builtins::component)?;
    // The header of a component in binary format: version 13, layer 1.
    if !wasm.starts_with(b"\0asm\x0d\0\x01\0") {
        return Err(exit_error(Exit::Data, format!("`{reference}` contains no component"), "nothing was written"));
    }
    new_file(&file, &wasm, 0o644)?;
    print::status(&format!("saved     {}", file.display()))?;
    print::line(&format!("digest    {}", fetched.digest.unwrap_or_default()))?;
    print::status(&format!("sha256    {}", fetched.component.sha256))?;
    Ok(Exit::Success)
}

/// Returns the path to which a component is saved. It must not exist.
pub(super) fn output(chosen: Option<&Path>, name: &str, environment: &Environment) -> anyhow::Result<PathBuf> {
    if chosen == Some(Path::new("-")) {
        return Err(exit_error(Exit::Usage, "a component can't be written to `-`", "name a file"));
    }
    let default = || PathBuf::from(format!("{name}.wasm"));
    let file = native(&environment.cwd).join(chosen.map_or_else(default, Path::to_path_buf));
    if file.symlink_metadata().is_ok() {
        return Err(exit_error(Exit::Usage, format!("`{}` already exists", file.display()), "give another `--output`"));
    }
    Ok(file)
}

pub(super) fn search(args: &SearchArgs) -> anyhow::Result<Exit> {
    let place = args.place.strip_prefix("oci://").unwrap_or(&args.place);
    let (host, beginning) = place.split_once('/').unwrap_or((place, ""));
    // Any name works to validate the host.
    reference(&format!("{host}/x"))?;
    let mut registry = Registry::open(host, args.network.patience()).map_err(registry_error)?;
    let mut names = registry.list_repositories().map_err(|error| match error {
        RegistryError::Missing(_) => {
            exit_error(Exit::Unavailable, format!("`{host}` lists nothing"), "ask for a policy by its whole name")
        }
        error => registry_error(error),
    })?;
    names.retain(|name| name.starts_with(beginning));
    let (mut rows, mut locked) = (Vec::new(), 0);
    for name in names.iter().take(SHOWN) {
        let Ok(reference) = Reference::parse(&format!("{host}/{name}")) else { continue };
        let mut tags = match registry.tags(&reference) {
            Ok(tags) => tags,
            Err(RegistryError::Denied { .. }) => {
                locked += 1;
                continue;
            }
            // The policy was removed after it was listed.
            Err(RegistryError::Missing(_)) => continue,
            // The remaining requests would fail as well, and each would take time.
            Err(error) => return Err(registry_error(error)),
        };
        // Tags of signatures don't belong to a policy.
        tags.retain(|tag| !tag.starts_with("sha256-"));
        if !tags.is_empty() {
            rows.push((reference.to_string(), tags));
        }
    }
    match args.format {
        Format::Json => {
            let rows: Vec<_> = rows.iter().map(|(name, tags)| json!({ "source": name, "tags": tags })).collect();
            print::json(&rows)?;
        }
        Format::Human => {
            rows.iter().try_for_each(|(name, tags)| print::line(&format!("{name}  {}", tags.join(" "))))?;
        }
    }
    if locked > 0 {
        print::note(&format!("note: not open to you: {}", print::count(locked, "name")));
    }
    if names.len() > SHOWN {
        print::note(&format!("note: {} names more; give a longer beginning", names.len() - SHOWN));
    }
    Ok(Exit::Success)
}

pub(super) fn keygen(args: &KeygenArgs, environment: &Environment) -> anyhow::Result<Exit> {
    let file = native(&environment.cwd).join(&args.file);
    let mut public = file.clone().into_os_string();
    public.push(".pub");
    let public = PathBuf::from(public);
    for path in [&file, &public] {
        if path.symlink_metadata().is_ok() {
            return Err(exit_error(Exit::Usage, format!("`{}` already exists", path.display()), "give another name"));
        }
    }
    let (key, pem) = SecretKey::generate().map_err(|error| exit_error(Exit::Software, error.to_string(), ""))?;
    new_file(&file, pem.as_bytes(), 0o600)?;
    new_file(&public, key.public().pem().as_bytes(), 0o644)?;
    print::line(&format!("secret    {}", file.display()))?;
    print::line(&format!("public    {}", public.display()))?;
    print::line("\nWho trusts the key writes into guard.toml:\n\n[trust]")?;
    print::line(&format!("signers = [{{ name = \"YOUR-NAME\", key = \"{}\" }}]", key.public().line()))?;
    Ok(Exit::Success)
}

pub(in crate::cli) fn secret_key(file: &Path) -> anyhow::Result<SecretKey> {
    let shown = file.display();
    let text = read_text(file, KEY_BYTES)
        .map_err(|error| exit_error(Exit::NoInput, format!("`{shown}` cannot be read: {error}"), ""))?;
    let hint = "make one with `guard-host policy keygen`";
    SecretKey::parse(&text).map_err(|error| exit_error(Exit::Data, format!("`{shown}`: {error}"), hint))
}

/// Writes a new file atomically.
pub(super) fn new_file(file: &Path, bytes: &[u8], mode: u32) -> anyhow::Result<()> {
    write_new(file, bytes, mode)
        .map_err(|error| exit_error(Exit::Unavailable, format!("`{}` cannot be written: {error}", file.display()), ""))
}

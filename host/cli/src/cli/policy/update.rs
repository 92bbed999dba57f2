//! `guard-host policy fetch` and `update`: fetches what `guard.lock` pins, and newer versions.

use std::path::{Path, PathBuf};

use semver::Version;

use super::edit::EditTarget;
use super::fetched::{Fetched, fetch, lock, reference, registry_error, write};
use super::{build_artifact, chain};
use crate::cli::args::{FetchArgs, PlaceArgs, UpdateArgs};
use crate::cli::install::show;
use crate::cli::print;
use crate::cli::replay::replay;
use crate::cli::subject::{call_context, edit_error, exit_error};
use crate::cli::terminal::{is_agreed, is_attended, terminal_error};
use guard_config::edit::Addition;
use guard_config::lock::{Lock, LockedComponent};
use guard_contract::Layer;
use guard_contract::exit::Exit;
use guard_contract::policy::{Entry, Source};
use guard_contract::{Manifest, Problem, outcome_name};
use guard_hook::cache::{Component, Prepared, run_examples, warm};
use guard_kit::compile::making;
use guard_registry::{Reference, Registry};
use guard_state::AppDirs;
use guard_state::environment::Environment;

pub(super) fn fetch_missing(args: &FetchArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let prepared = chain(dirs, environment);
    let mut exit = Exit::Success;
    let (mut count, mut failed) = (0, Vec::new());
    for (entry, address) in fetched_entries(&prepared) {
        // A failure doesn't keep other policies from being fetched.
        match fetch_one(args, (entry, address), &prepared, dirs) {
            Ok(true) => count += 1,
            Ok(false) => {}
            Err(error) => {
                print::error(&error);
                failed.push(&entry.name);
                exit = Exit::Unavailable;
            }
        }
    }
    let projects = call_context(environment, None).projects();
    let warmed = warm(dirs, &environment.program, &projects, making());
    let is_untold = |entry: &Entry| entry.address.is_some() && !failed.contains(&&entry.name);
    for member in warmed.members.iter().filter(|member| is_untold(&member.entry)) {
        if let Some(Problem { text, hint, .. }) = &member.entry.refused {
            print::problem(&format!("error: `{}`: {text}", member.entry.name));
            print::problem(&format!("  {hint}"));
            exit = Exit::Unavailable;
        }
    }
    if count == 0 && exit == Exit::Success {
        print::line("nothing to fetch")?;
    }
    Ok(exit)
}

/// Fetches one component if it is missing. Returns false if it is present, or not in the lock.
fn fetch_one(
    args: &FetchArgs,
    (entry, address): (&Entry, &str),
    prepared: &Prepared,
    dirs: &AppDirs,
) -> anyhow::Result<bool> {
    let file = config_file(entry, dirs);
    let Some(locked) = lock(&file)?.find(&entry.name, address).cloned() else { return Ok(false) };
    if entry.refused.is_none() && is_saved(&locked, &file) {
        return Ok(false);
    }
    let config = &prepared.config;
    let fetched = fetch(&pinned_address(&locked)?, &config.signers, args.network.patience())?;
    if !fetched.component.sha256.eq_ignore_ascii_case(&locked.sha256) {
        let text = format!(
            "`{address}` gives a component with the digest {}, and {} pins {}",
            fetched.component.sha256,
            Lock::file(&file).display(),
            locked.sha256
        );
        return Err(exit_error(Exit::Data, text, "nothing was written; `guard-host policy update` shows what is new"));
    }
    // If the signer isn't known here, the pinned digest is sufficient.
    let is_known = locked.signer.as_ref().is_some_and(|name| config.signers.iter().any(|other| other.name == *name));
    if is_known || !config.signed_only.is_empty() && entry.layer != Layer::Managed {
        fetched.to_locked(&entry.name, address, &locked.version, Some(&locked), (config, dirs))?;
    }
    fetched.save(&locked, &file, dirs)?;
    print::status(&format!("fetched `{}` {} from {address}", entry.name, locked.version))?;
    Ok(true)
}

pub(super) fn run(args: &UpdateArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let projects = if args.all { vec![false, true] } else { vec![args.place.project] };
    let mut is_new = false;
    for project in projects {
        is_new |= update_file(args, PlaceArgs { project, ..args.place }, dirs, environment)?;
    }
    if !is_new {
        print::line("nothing is new")?;
    }
    Ok(Exit::Success)
}

/// Updates one file's entries to newer versions. Returns false if nothing is newer.
fn update_file(args: &UpdateArgs, place: PlaceArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<bool> {
    let site = EditTarget::new(place, dirs, environment);
    let prepared = chain(dirs, environment);
    let here = |entry: &Entry| entry.layer == site.layer && config_file(entry, dirs) == site.file;
    let all: Vec<_> = fetched_entries(&prepared).filter(|(entry, _)| here(entry)).collect();
    let unknown = args.names.iter().find(|name| !all.iter().any(|(entry, _)| entry.name == **name));
    if let Some(name) = unknown {
        let text = format!("`{}` has no policy `{name}` that was fetched", site.file.display());
        let hint = if place.project {
            "leave out `--project` for your own file"
        } else {
            "give `--project` for the project's file"
        };
        return Err(exit_error(Exit::NoInput, text, hint));
    }
    let mut is_new = false;
    for (entry, address) in all {
        if args.names.is_empty() || args.names.contains(&entry.name) {
            is_new |= update(args, (entry, address), &site, &prepared, dirs, environment)?;
        }
    }
    Ok(is_new)
}

/// Updates an entry to a newer version. Returns false if nothing is newer.
fn update(
    args: &UpdateArgs,
    (entry, address): (&Entry, &str),
    site: &EditTarget<'_>,
    prepared: &Prepared,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<bool> {
    let before = lock(&site.file)?.policy.into_iter().find(|locked| locked.name == entry.name);
    let newest = newest_address(address, args)?;
    let fetched = fetch(&newest, &prepared.config.signers, args.network.patience())?;
    let is_same = |before: &LockedComponent| before.source == newest && before.sha256 == fetched.component.sha256;
    if address == newest && before.as_ref().is_some_and(is_same) {
        if !is_kept(before.as_ref(), &site.file) && !args.place.dry_run {
            before.map(|before| fetched.save(&before, &site.file, dirs)).transpose()?;
        }
        return Ok(false);
    }
    let (artifact, manifest) = build_artifact(&fetched.component, entry.wasi, &newest, dirs)?;
    run_examples(&artifact, &manifest)
        .map_err(|fault| exit_error(Exit::Data, format!("`{newest}` is not taken: {fault}"), "ask its authors"))?;
    let old = before.as_ref().filter(|before| is_saved(before, &site.file)).and_then(|before| {
        let component = Component::read(&Source::File(before.component(&site.file))).ok()?;
        Some((build_artifact(&component, entry.wasi, &before.source, dirs).ok()?.1, before))
    });
    let version = before.as_ref().map_or("nothing", |before| before.version.as_str());
    print::line(&format!("{}: {version} -> {} ({newest})", entry.name, manifest.version))?;
    changes(old.as_ref().map(|(manifest, _)| manifest), &manifest).iter().try_for_each(|line| print::line(line))?;
    signer_change(before.as_ref(), &fetched).map_or(Ok(()), |line| print::line(&line))?;

    let edited = site.open()?;
    let text = edited.text().unwrap_or_default();
    let addition = match site.target().written(text, Some(&entry.name), &entry.source).map_err(edit_error)? {
        Some((_, table)) => {
            let mut addition = Addition { name: entry.name.clone(), source: newest.clone(), ..Addition::default() };
            addition.keep(table);
            addition
        }
        None => {
            return Err(exit_error(Exit::Config, format!("`{}` is not in {}", entry.name, site.file.display()), ""));
        }
    };
    let added = site.target().add(edited.text(), &addition, true).map_err(edit_error)?;
    site.check(prepared, &added.entry, (artifact, &manifest))?;
    let (lock, locked) = site.pin(&fetched, &addition, &manifest, prepared)?;
    if let Some((_, before)) = &old {
        compare(before, &fetched, &site.file, dirs, environment)?;
    }
    let change = edited.change(Some(added.text));
    if args.place.dry_run {
        if newest != address {
            show(&change)?;
        }
        return Ok(true);
    }
    consent(entry, site, old.as_ref().map(|(old, _)| old), &manifest)?;
    fetched.save(&locked, &site.file, dirs)?;
    let is_used = |old: &&LockedComponent| lock.policy.iter().any(|other| other.sha256 == old.sha256);
    let unused = before.as_ref().filter(|old| !is_used(old)).map(|old| old.component(&site.file));
    write(lock, &site.file)?;
    if newest != address {
        site.write(&change)?;
    }
    if let Some(file) = unused {
        // An unused component only takes up space.
        let _ = std::fs::remove_file(file);
    }
    print::line(&format!("updated `{}` in {}", entry.name, site.file.display()))?;
    site.print_ungranted(&manifest, &added.entry.grants);
    site.finish(&entry.name, true)?;
    Ok(true)
}

/// Prompts a person to accept a manifest that requests more than the old one, is older, or belongs to another policy.
fn consent(entry: &Entry, site: &EditTarget<'_>, old: Option<&Manifest>, manifest: &Manifest) -> anyhow::Result<()> {
    let new_wishes: Vec<&String> = match old {
        Some(old) => manifest.grants.iter().filter(|wish| !old.grants.contains(wish)).collect(),
        None => manifest.grants.iter().filter(|wish| !entry.grants.covers(wish)).collect(),
    };
    let wishes: Vec<&str> = new_wishes.iter().map(|wish| wish.as_str()).collect();
    let mut why = Vec::new();
    why.extend((!wishes.is_empty()).then(|| format!("asks for new grants ({})", wishes.join(", "))));
    if let Some(old) = old {
        let is_older = Version::parse(&manifest.version).ok() < Version::parse(&old.version).ok();
        why.extend(is_older.then(|| format!("is older than {}", old.version)));
        why.extend((old.id != manifest.id).then(|| format!("has the id `{}`, not `{}`", manifest.id, old.id)));
    }
    if !why.is_empty() {
        let place = if site.layer == Layer::Project { " --project" } else { "" };
        let line = format!("guard-host policy update {}{place}", entry.name);
        let what = format!("`{}` {}: it is updated", entry.name, why.join(", and "));
        if !is_attended() {
            return Err(terminal_error(&what, &line));
        }
        if !is_agreed(&format!("It {}. Use {} {}?", why.join(", and "), entry.name, manifest.version))? {
            return Err(exit_error(Exit::NoPermission, format!("`{}` stays as it is", entry.name), ""));
        }
    }
    Ok(())
}

/// Returns the fetched entries with their addresses.
fn fetched_entries(prepared: &Prepared) -> impl Iterator<Item = (&Entry, &str)> {
    let entries = prepared.members.iter().map(|member| &member.entry);
    entries.filter_map(|entry| Some((entry, entry.address.as_deref()?)))
}

/// Returns the guard.toml of an entry.
fn config_file(entry: &Entry, dirs: &AppDirs) -> PathBuf {
    match entry.layer {
        Layer::Managed => dirs.managed.clone(),
        Layer::User => dirs.config.clone(),
        Layer::Project => AppDirs::project_file(&entry.project),
    }
}

fn is_saved(locked: &LockedComponent, config: &Path) -> bool {
    let component = Source::File(locked.component(config));
    Component::read(&component).is_ok_and(|component| component.sha256 == locked.sha256)
}

fn is_kept(locked: Option<&LockedComponent>, config: &Path) -> bool {
    locked.is_none_or(|locked| is_saved(locked, config))
}

/// Returns the address with the pinned digest, so that a moved tag has no effect.
fn pinned_address(locked: &LockedComponent) -> anyhow::Result<String> {
    match (&locked.digest, locked.source.starts_with("oci://")) {
        (Some(digest), true) => {
            Ok(Reference { digest: Some(digest.clone()), ..reference(&locked.source)? }.to_string())
        }
        _ => Ok(locked.source.clone()),
    }
}

/// Returns the address of the newest version that may replace this one.
fn newest_address(address: &str, args: &UpdateArgs) -> anyhow::Result<String> {
    if !address.starts_with("oci://") {
        return Ok(address.to_owned());
    }
    let reference = reference(address)?;
    let Some(version) = reference.tag.as_deref().and_then(|tag| Version::parse(tag).ok()) else {
        return Ok(address.to_owned());
    };
    if reference.digest.is_some() {
        return Ok(address.to_owned());
    }
    let mut registry = Registry::open(&reference.host, args.network.patience()).map_err(registry_error)?;
    let tags = registry.tags(&reference).map_err(registry_error)?;
    let fits = |other: &Version| {
        let same = if version.major == 0 { other.minor == version.minor } else { true };
        other.major == version.major && same && other.pre.is_empty() && *other > version
    };
    // A version with `+` can't be a tag.
    let newest =
        tags.iter().filter_map(|tag| Version::parse(tag).ok()).filter(fits).filter(|of| of.build.is_empty()).max();
    Ok(newest.map_or_else(|| address.to_owned(), |newest| reference.with_tag(&newest.to_string()).to_string()))
}

/// Returns the changes in a new version, one per line.
fn changes(old: Option<&Manifest>, new: &Manifest) -> Vec<String> {
    let mut lines = Vec::new();
    let Some(old) = old else { return vec![format!("  rules     {}", new.rules.len())] };
    for rule in &new.rules {
        let (default, ceiling) = (outcome_name(rule.default), outcome_name(rule.ceiling));
        match old.rules.iter().find(|other| other.id == rule.id) {
            None => lines.push(format!("  rule      + {} ({default}, at most {ceiling}): {}", rule.id, rule.summary)),
            Some(other) if other.default != rule.default || other.ceiling != rule.ceiling => {
                let (was, most) = (outcome_name(other.default), outcome_name(other.ceiling));
                lines.push(format!("  rule      ~ {}: {was}, at most {most} -> {default}, at most {ceiling}", rule.id));
            }
            Some(_) => {}
        }
    }
    let removed = old.rules.iter().filter(|rule| !new.rules.iter().any(|other| other.id == rule.id));
    lines.extend(removed.map(|rule| format!("  rule      - {}", rule.id)));
    if old.tools != new.tools {
        lines.push(format!("  tools     {} -> {}", old.tools.join(", "), new.tools.join(", ")));
    }
    let (is_new, dropped) = (|wish: &&String| !old.grants.contains(wish), |wish: &&String| !new.grants.contains(wish));
    lines.extend(new.grants.iter().filter(is_new).map(|wish| format!("  grant     + {wish}")));
    lines.extend(old.grants.iter().filter(dropped).map(|wish| format!("  grant     - {wish}")));
    if old.examples.len() != new.examples.len() {
        lines.push(format!("  examples  {} -> {}", old.examples.len(), new.examples.len()));
    }
    if lines.is_empty() {
        lines.push("  its rules, tools and grants are the same".to_owned());
    }
    lines
}

fn signer_change(before: Option<&LockedComponent>, fetched: &Fetched) -> Option<String> {
    let now = fetched.signers.first().map(|signer| signer.name.as_str());
    let was = before.and_then(|before| before.signer.as_deref());
    (now != was).then(|| format!("  signed    by {} -> by {}", was.unwrap_or("nobody"), now.unwrap_or("nobody")))
}

/// Compares the decisions of the two versions on the calls in the log, if there are any.
fn compare(
    before: &LockedComponent,
    fetched: &Fetched,
    config: &Path,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<()> {
    let log = dirs.state.join("audit.jsonl");
    if !log.is_file() {
        return Ok(());
    }
    let scratch = tempfile::tempdir()?;
    let new = scratch.path().join("new.wasm");
    std::fs::write(&new, &*fetched.component.wasm(guard_builtins::component)?)?;
    let old = AppDirs { config: before.component(config), ..dirs.clone() };
    let replayed = replay(new.to_str(), &old, environment, |sources, _, take| {
        sources.read(&log, take).map_err(|error| exit_error(Exit::NoInput, format!("`{}`: {error}", log.display()), ""))
    })?;
    print::line("  calls of the log, decided by both:")?;
    replayed.print()
}

//! `guard-host sync`: one configuration from a registry for many machines.
//!
//! # Invariants
//!
//! - The last step renames one file. Before it, the old configuration applies, and after it the new one. All files of
//!   both exist in advance.
//! - A configuration is only applied if one of the signers has signed it, it isn't older than the current one, and
//!   `config check` accepts it.
//! - A file that a person wrote is never replaced.

mod push;
mod site;

use std::fs;
use std::path::Path;

use jiff::Timestamp;
use semver::Version;
use serde_json::json;

use super::args::{Format, SyncArgs, SyncCommand, SyncRunArgs, SyncStatusArgs, SyncTargetArgs};
use super::config::print_mistakes;
use super::install::show;
use super::policy::fetched::{has_signed, reference, registry_error};
use super::print;
use super::subject::{exit_error, install_error};
use super::terminal::{is_attended, terminal_error};
use guard_config::bundle::{FOLDER, is_name_of};
use guard_config::load;
use guard_contract::exit::Exit;
use guard_hook::audit::append_deed;
use guard_hook::cache::prepare;
use guard_kit::compile::making;
use guard_registry::{Annotations, NamedFile, Offer, Registry};
use guard_setup::check::{self, Depth, Mistake, Severity};
use guard_setup::install::EditedFile;
use guard_setup::surroundings::managed_mistakes;
use guard_setup::sync::{State, SyncAttempt, SyncError, SyncSettings, SyncTarget, SyncedConfig, digest_of};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::session::stamp;
use site::unusable;

/// The manifest's annotations: the version, the percentage of machines, and the groups, separated by commas.
const VERSION: &str = "org.opencontainers.image.version";
const PERCENT: &str = "guard-host.percent";
const GROUPS: &str = "guard-host.groups";

/// The name of the configuration among its files.
const MAIN: &str = "guard.toml";

/// The hint for a file that a person wrote.
const MOVE: &str = "nothing was changed; move the file away";

/// The maximum number of rolled back configurations that are remembered.
const LEFT_OUT: usize = 64;

pub(super) fn run(args: &SyncArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        None => sync(&args.run, dirs, environment),
        Some(SyncCommand::Push(args)) => push::run(args, dirs, environment),
        Some(SyncCommand::Rollback(args)) => rollback(args, dirs, environment),
        Some(SyncCommand::Status(args)) => status(args, dirs, environment),
    }
}

fn sync(args: &SyncRunArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if args.allow_older && !is_attended() {
        return Err(terminal_error("`--allow-older` works", "guard-host sync --allow-older"));
    }
    let site = site::target(args.target.to.as_deref(), dirs, &environment.cwd);
    let wanted = match site.read_settings() {
        Err(error) if args.dry_run || !site.folder().exists() => return Err(unusable(error)),
        wanted => wanted.map_err(unusable),
    };
    // A dry run doesn't create the lock's folder.
    let lock = (!args.dry_run).then(|| site::lock(&site)).transpose();
    let (wanted, _lock) = match (wanted, lock) {
        (Err(error), Err(_)) => return Err(error),
        (wanted, lock) => (wanted, lock?),
    };
    let mut state = site.state().map_err(unusable)?;
    let mut after = state.clone();
    let came = wanted.and_then(|wanted| apply_offer(args, &site, &wanted, &mut after, dirs, environment));
    if args.dry_run {
        return print::line(&came?).map(|()| Exit::Success);
    }
    // The result is always saved, but the state only changes on success.
    let (ok, text) = match &came {
        Ok(text) => (true, text.clone()),
        Err(error) => (false, error.to_string()),
    };
    if ok {
        state = after;
    }
    state.last = Some(SyncAttempt { time: now(), ok, text });
    let kept = site::save_state(&site, &state);
    print::line(&came?)?;
    kept?;
    site::drop_unused(&site, &state);
    Ok(Exit::Success)
}

/// Applies the offered configuration if that is allowed. Returns what happened.
fn apply_offer(
    args: &SyncRunArgs,
    site: &SyncTarget,
    wanted: &SyncSettings,
    state: &mut State,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<String> {
    let tagged = reference(&wanted.source)?;
    let mut registry = Registry::open(&tagged.host, args.network.patience()).map_err(registry_error)?;
    let offer = registry.offer(&tagged).map_err(registry_error)?;
    let by_digest = guard_registry::Reference { digest: Some(offer.digest.clone()), ..tagged.clone() };
    let signatures = registry.signatures(&tagged, &offer.digest).map_err(registry_error)?;
    if !wanted.signers.iter().any(|signer| has_signed(signer, &tagged, &offer.digest, &signatures)) {
        let text = format!("`{}` has no signature of a signer in sync.toml", wanted.source);
        return Err(exit_error(Exit::Data, text, "nothing was changed; ask those who publish it"));
    }
    let found = site::digest(site)?;
    let current = state.current.clone();
    let is_current = |applied: &SyncedConfig| found.as_ref() == Some(&applied.sha256);
    let is_there = |applied: &SyncedConfig| is_current(applied) && site.saved_text(&applied.sha256).is_some();
    if current.as_ref().is_some_and(|applied| applied.digest == offer.digest && is_there(applied)) {
        return Ok(format!("nothing is new: {}", current.map(|applied| applied.version).unwrap_or_default()));
    }
    let files = registry.files(&by_digest, &offer).map_err(registry_error)?;
    let new = Files::new(&offer, &files)?;
    let version = new.version.to_string();
    let why = if state.left_out.contains(&new.sha256) && !args.allow_older {
        Some("was taken back on this machine, and is left out until a person runs `guard-host sync --allow-older`")
    } else if !site::is_chosen(wanted, &new.sha256, new.percent, &new.groups)?
        && current.as_ref().is_none_or(|applied| applied.sha256 != new.sha256)
    {
        Some("is not for this machine yet")
    } else {
        None
    };
    if let Some(why) = why {
        return keep_current(args, site, current.as_ref(), found.as_ref(), &format!("{version} {why}"));
    }
    check_version(&new, current.as_ref(), state, (&wanted.source, args.allow_older))?;
    if found.as_ref() != Some(&new.sha256) && !site.is_ours(found.as_ref()) {
        let text = format!("`{}` was not written by `guard-host sync`", site.file.display());
        return Err(exit_error(Exit::Unavailable, text, MOVE));
    }
    let others = new.others.iter().map(|(name, bytes)| (name, bytes));
    let mistakes = list_mistakes(&new.main, others, &site.file, true, (dirs, environment))?;
    if let Some(first) = mistakes.first() {
        let text = format!("{version} does not work on this machine: {first}");
        return Err(exit_error(
            Exit::Config,
            text,
            "nothing was changed; correct it here, or tell those who publish it",
        ));
    }
    if args.dry_run {
        let edited = EditedFile::open(&site.file, None, 0o644).map_err(install_error)?;
        show(&edited.change(Some(new.main.clone())))?;
        return Ok(format!("{version} would be taken"));
    }
    write_config(site, &new)?;
    let applied = SyncedConfig {
        version: version.clone(),
        sha256: new.sha256.clone(),
        digest: offer.digest.clone(),
        since: now(),
    };
    if let Some(before) = current.filter(|before| before.sha256 != new.sha256) {
        state.previous = Some(before);
    }
    state.current = Some(applied);
    state.left_out.retain(|sha256| *sha256 != new.sha256);
    state.newest = match args.allow_older {
        true => Some(new.version.clone()),
        false => state.newest.take().max(Some(new.version.clone())),
    };
    log_sync(&format!("{version} {}", offer.digest), dirs, environment);
    Ok(format!("took {version} ({})", offer.digest))
}

/// Checks that the version isn't older, and that the same version has the same content.
fn check_version(
    new: &Files,
    current: Option<&SyncedConfig>,
    state: &State,
    (source, allow_older): (&str, bool),
) -> anyhow::Result<()> {
    let version = &new.version;
    if let Some(applied) = current {
        let before = Version::parse(&applied.version).unwrap_or(Version::new(0, 0, 0));
        let newest = state.newest.clone().unwrap_or_else(|| before.clone());
        if new.version < newest && !allow_older {
            let text = format!("`{source}` has {version}, which is older than {newest}");
            let hint = "nothing was changed; push it as a newer version, or run `guard-host sync --allow-older` here";
            return Err(exit_error(Exit::Data, text, hint));
        }
        if new.version == before && applied.sha256 != new.sha256 {
            let text = format!("`{source}` has another configuration under the version {version}");
            return Err(exit_error(Exit::Data, text, "nothing was changed; push it under a newer version"));
        }
    }
    Ok(())
}

/// Writes a configuration and a copy of it, after the files that it uses.
fn write_config(site: &SyncTarget, new: &Files) -> anyhow::Result<()> {
    for (name, bytes) in &new.others {
        let place = site.folder().join(name);
        if fs::read(&place).ok().as_ref() != Some(bytes) {
            site::write_public(&place, bytes)?;
        }
    }
    site::write_public(&site.copy(&new.sha256), new.main.as_bytes())?;
    site::write_public(&site.file, new.main.as_bytes())
}

/// Keeps the current configuration, and restores it if it is missing.
fn keep_current(
    args: &SyncRunArgs,
    site: &SyncTarget,
    current: Option<&SyncedConfig>,
    found: Option<&String>,
    why: &str,
) -> anyhow::Result<String> {
    let Some(current) = current else {
        if found.is_some() {
            return Ok(why.to_owned());
        }
        let text = format!("{why}, and this machine has no other configuration");
        return Err(exit_error(Exit::Unavailable, text, "publish one for all machines first, with `--percent 100`"));
    };
    if found.is_some() || args.dry_run {
        return Ok(why.to_owned());
    }
    let Some(text) = site.saved_text(&current.sha256) else {
        let text = format!("{why}, and of {} a file is gone", current.version);
        return Err(exit_error(Exit::Data, text, "publish it once more"));
    };
    site::write_public(&site.file, text.as_bytes())?;
    Ok(format!("{why}; {} was gone, and is there again", current.version))
}

/// The offered files, after validation.
struct Files<'a> {
    version: Version,
    percent: u8,
    groups: Vec<&'a str>,
    main: String,
    sha256: String,
    others: Vec<NamedFile>,
}

impl<'a> Files<'a> {
    fn new(offer: &'a Offer, files: &[NamedFile]) -> anyhow::Result<Self> {
        let no = |why: &str| {
            exit_error(Exit::Data, format!("the offered version isn't a configuration: {why}"), "nothing was changed")
        };
        let annotation = |annotations: &'a Annotations, key: &str| annotations.get(key).map_or("", String::as_str);
        let version = Version::parse(annotation(&offer.annotations, VERSION)).map_err(|_| no("it has no version"))?;
        let percent = annotation(&offer.annotations, PERCENT).parse().map_err(|_| no("it has no share of machines"))?;
        let groups = annotation(&offer.annotations, GROUPS).split(',').filter(|group| !group.is_empty()).collect();
        let (main, others): (Vec<_>, Vec<_>) = files.iter().cloned().partition(|(name, _)| name == MAIN);
        let [(_, main)] = main.as_slice() else { return Err(no("it does not hold one guard.toml")) };
        if let Some((name, _)) = others.iter().find(|(name, bytes)| !is_name_of(name, bytes)) {
            return Err(no(&format!("`{}` is not named by its digest", name.escape_debug())));
        }
        let sha256 = digest_of(main);
        let main = String::from_utf8(main.clone()).map_err(|_| no("its guard.toml isn't UTF-8 text"))?;
        Ok(Files { version, percent, groups, main, sha256, others })
    }
}

/// Returns the mistakes in a configuration with these files, one on each line. It is tested in a separate folder.
/// `is_here` means that it is for this machine.
fn list_mistakes<'a>(
    main: &str,
    others: impl Iterator<Item = (&'a String, &'a Vec<u8>)>,
    shown: &Path,
    is_here: bool,
    (dirs, environment): (&AppDirs, &Environment),
) -> anyhow::Result<Vec<String>> {
    let scratch = tempfile::tempdir()?;
    let at = |name: &str| scratch.path().join(name);
    fs::create_dir(at(FOLDER))?;
    for (name, bytes) in others {
        fs::write(at(FOLDER).join(name), bytes)?;
    }
    let file = at(MAIN);
    fs::write(&file, main)?;
    let dirs = AppDirs {
        managed: file.clone(),
        config: at("none.toml"),
        state: at("state"),
        trust: at("state"),
        ..dirs.clone()
    };
    let prepared = prepare(&dirs, &environment.program, &[], Some(making()));
    let own = managed_mistakes(&prepared.config, &dirs, is_here);
    let mistakes = [own, check::check(prepared, environment, "", Depth::Calls)].concat();
    let folder = shown.parent().unwrap_or(Path::new(""));
    let of = |path: &Path| path.to_string_lossy().into_owned();
    let shown = |line: &str| line.replace(&of(&file), &of(shown)).replace(&of(scratch.path()), &of(folder));
    let (idle, mistakes): (Vec<Mistake>, Vec<Mistake>) =
        mistakes.into_iter().partition(|mistake| mistake.subject == "managed" && mistake.is_warning());
    for mistake in idle {
        print::note(&format!("warning: {}\n  hint: {}", shown(&check::line(&mistake)), mistake.problem.hint));
    }
    Ok(mistakes.iter().map(|mistake| shown(&check::line(mistake))).collect())
}

fn rollback(args: &SyncTargetArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let site = site::target(args.to.as_deref(), dirs, &environment.cwd);
    let _lock = site::lock(&site)?;
    let mut state = site.state().map_err(unusable)?;
    let (Some(current), Some(previous)) = (state.current.clone(), state.previous.clone()) else {
        return Err(exit_error(
            Exit::NoInput,
            "there is no configuration to go back to",
            "`guard-host sync status` shows what there is",
        ));
    };
    if !site.is_ours(site::digest(&site)?.as_ref()) {
        let text = format!("`{}` was not written by `guard-host sync`", site.file.display());
        return Err(exit_error(Exit::Unavailable, text, MOVE));
    }
    let Some(text) = site.saved_text(&previous.sha256) else {
        let text = format!("of {} a file is gone, or has been changed", previous.version);
        return Err(exit_error(Exit::Data, text, "nothing was changed; publish it once more, as a newer version"));
    };
    // The configuration is marked as rolled back first, so that it isn't applied again after a crash.
    state.left_out.push(current.sha256.clone());
    let surplus = state.left_out.len().saturating_sub(LEFT_OUT);
    state.left_out.drain(..surplus);
    site::save_state(&site, &state)?;
    site::write_public(&site.file, text.as_bytes())?;
    let line = format!("took {} back; {} decides again", current.version, previous.version);
    state = State {
        current: Some(SyncedConfig { since: now(), ..previous.clone() }),
        previous: None,
        last: Some(SyncAttempt { time: now(), ok: true, text: line.clone() }),
        ..state
    };
    site::save_state(&site, &state)?;
    log_sync(&format!("back to {} {}", previous.version, previous.digest), dirs, environment);
    print::line(&line)?;
    Ok(Exit::Success)
}

fn status(args: &SyncStatusArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let site = site::target(args.target.to.as_deref(), dirs, &environment.cwd);
    let state = site.state().map_err(unusable)?;
    let mut mistakes = site.mistakes();
    let wanted = match site.read_settings() {
        Ok(wanted) => Some(wanted),
        // No configuration was ever applied here.
        Err(error) if state.last.is_none() => return Err(unusable(error)),
        Err(SyncError { problem, .. }) => {
            let mistake = Mistake { policy: None, subject: "sync", severity: Severity::Error, problem };
            if !mistakes.contains(&mistake) {
                mistakes.insert(0, mistake);
            }
            None
        }
    };
    let found = site::digest(&site)?;
    let is_intact = site.is_intact(&state, found.as_ref());
    let failures: Vec<String> =
        mistakes.iter().filter(|mistake| !mistake.is_warning()).map(|failure| failure.problem.text.clone()).collect();
    let file = site.file.display().to_string();
    match args.format {
        Format::Json => {
            let State { current, previous, left_out, newest, last } = &state;
            let value = json!({
                "file": file, "source": wanted.as_ref().map(|wanted| &wanted.source),
                "machine": wanted.as_ref().map(site::machine),
                "group": wanted.as_ref().and_then(|wanted| wanted.group.as_ref()), "failures": failures,
                "current": current, "previous": previous, "left_out": left_out, "newest": newest, "last": last, "intact": is_intact,
            });
            print::json(&value)?;
        }
        Format::Human => {
            print::line(&format!("file       {file}"))?;
            if let Some(wanted) = &wanted {
                print::line(&format!("source     {}", wanted.source))?;
            }
            for (name, applied) in [("current", &state.current), ("previous", &state.previous)] {
                if let Some(SyncedConfig { version, digest, since, .. }) = applied {
                    print::line(&format!("{name:<10} {version} since {since} ({digest})"))?;
                }
            }
            if let Some(SyncAttempt { time, ok, text }) = &state.last {
                let how = if *ok { "" } else { "FAILED: " };
                print::line(&format!("last       {time} {how}{text}"))?;
            }
        }
    }
    print_mistakes(&mistakes);
    // The exit code reports it for monitoring.
    Ok(if failures.is_empty() { Exit::Success } else { Exit::Unavailable })
}

/// Writes to the audit log which configuration this machine uses from now on.
fn log_sync(operation: &str, dirs: &AppDirs, environment: &Environment) {
    if let Err(error) = append_deed(&load(dirs, &[]).audit, "sync", operation, &environment.cwd) {
        print::note(&format!("warning: the audit log cannot be written: {error}"));
    }
}

fn now() -> String {
    stamp(Timestamp::now())
}

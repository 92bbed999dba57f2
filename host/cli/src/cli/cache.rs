//! `guard-host cache`: builds, lists, verifies and removes compiled policies.

use std::path::PathBuf;
use std::time::{Instant, SystemTime};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::json;

use super::args::{CacheArgs, CacheCommand, Format};
use super::print;
use super::subject::{call_context, exit_error};
use guard_config::Overrides;
use guard_contract::exit::Exit;
use guard_engine::Engine;
use guard_hook::audit::moment;
use guard_hook::cache::{self, Artifacts, CachedFile, Member, Prepared, Readiness, clear, stored};
use guard_hook::embedded;
use guard_hook::hook::warm_lock;
use guard_hook::nested;
use guard_kit::compile::making;
use guard_setup::surroundings::obstacle;
use guard_state::AppDirs;
use guard_state::Seal;
use guard_state::environment::Environment;
use guard_state::{FileLock, io_hint, make_private};

pub(super) fn run(args: &CacheArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        CacheCommand::Warm => warm(dirs, environment),
        CacheCommand::Verify { format } => verify(dirs, *format),
        CacheCommand::List { format } => list(dirs, *format),
        CacheCommand::Clear { older_than } => remove(dirs, older_than.as_deref()),
    }
}

/// Builds what the chain needs here.
pub(super) fn warm(dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let at = call_context(environment, None);
    // The lock keeps other processes from starting another build.
    let _ = make_private(&dirs.cache);
    let _lock = FileLock::acquire(&warm_lock(dirs), Instant::now());
    let mut prepared = cache::warm(dirs, &environment.program, &at.projects(), making());
    let nested = nested::of_paths([at.cwd.as_str()], &at.projects());
    if !nested.is_empty() {
        // A hook evaluates them besides the project's chain.
        let below = cache::warm(dirs, &environment.program, &nested, making()).beside(&prepared);
        prepared.members.extend(below.members);
        prepared.config.problems.extend(below.config.problems);
    }
    let mut exit = Exit::Success;
    if let Err(fault) = Engine::new().and_then(|engine| embedded::bundle(&engine)) {
        print::line(&format!("built-in policies: {fault}"))?;
        exit = Exit::Unavailable;
    }
    if !print_readiness(&prepared.members)? {
        exit = Exit::Unavailable;
    }
    for problem in &prepared.config.problems {
        print::problem(&format!("error: {problem}"));
        exit = Exit::Config;
    }
    let is_saved = || Prepared::open(dirs, &environment.program, &at.projects()).is_some();
    let folders = [dirs.cache.as_path(), dirs.state.as_path()];
    if let Some((folder, error)) = folders.into_iter().find_map(obstacle).filter(|_| !is_saved()) {
        let text = format!("can't save the prepared chain: `{}`: {error}", folder.display());
        return Err(exit_error(Exit::Software, text, io_hint(&error)));
    }
    Ok(exit)
}

/// Reports whether policies that a hook selects by name, beyond the chain, are ready.
pub(super) fn ready_beside(names: &[String], dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if names.is_empty() {
        return Ok(Exit::Success);
    }
    let at = call_context(environment, None);
    let overrides = |only| Overrides { only, settings: None };
    let prepare =
        |only| cache::prepare_for(dirs, &environment.program, &at.projects(), &overrides(only), Some(making()));
    let chain = prepare(None);
    let mut members = prepare(Some(names.to_vec())).members;
    let is_in_chain = |member: &Member| chain.members.iter().any(|other| other.entry.name == member.entry.name);
    members.retain(|member| names.contains(&member.entry.name) && !is_in_chain(member));
    Ok(if print_readiness(&members)? { Exit::Success } else { Exit::Unavailable })
}

/// Prints a line for each policy. Returns whether all are ready.
fn print_readiness(members: &[Member]) -> anyhow::Result<bool> {
    for Member { entry, readiness } in members {
        match readiness {
            Readiness::Ready { .. } => print::status(&format!("{}: ready", entry.name))?,
            Readiness::Broken(fault) => print::line(&format!("{}: {fault}", entry.name))?,
        }
    }
    Ok(members.iter().all(|member| matches!(member.readiness, Readiness::Ready { .. })))
}

fn verify(dirs: &AppDirs, format: Format) -> anyhow::Result<Exit> {
    let artifacts = Artifacts::open(&dirs.cache, Seal::open(&dirs.state)?)?;
    let verified = artifacts.verify();
    if format == Format::Json {
        let row = |(path, sound): &(PathBuf, bool)| json!({ "path": path, "sound": sound });
        print::json(&verified.iter().map(row).collect::<Vec<_>>())?;
    } else {
        for (path, sound) in &verified {
            print::line(&format!("{}: {}", path.display(), if *sound { "ok" } else { "stale or damaged" }))?;
        }
    }
    if verified.iter().all(|(_, sound)| *sound) {
        return Ok(Exit::Success);
    }
    print::note("hint: a damaged artifact is never used; `guard-host cache warm` rebuilds it");
    Ok(Exit::Unavailable)
}

fn list(dirs: &AppDirs, format: Format) -> anyhow::Result<Exit> {
    let stored = stored(&dirs.cache, Seal::open(&dirs.state).ok().as_ref());
    if format == Format::Json {
        let rows: Vec<_> = stored.iter().map(row).collect();
        print::json(&rows)?;
        return Ok(Exit::Success);
    }
    for one in &stored {
        let (size, age) = (size(one.bytes), age(one.made));
        print::line(&format!("{:<9} {:<20} {size:>9}  {age:>8}  {}", one.kind, one.name, one.path.display()))?;
    }
    let all = stored.iter().map(|one| one.bytes).sum();
    print::line(&format!("{} files, {}", stored.len(), size(all)))?;
    Ok(Exit::Success)
}

fn row(one: &CachedFile) -> serde_json::Value {
    let made = Timestamp::try_from(one.made).map(|made| made.to_string()).unwrap_or_default();
    json!({ "kind": one.kind, "name": one.name, "path": one.path, "bytes": one.bytes, "made": made })
}

fn remove(dirs: &AppDirs, older_than: Option<&str>) -> anyhow::Result<Exit> {
    let before = older_than.map(|text| {
        let time = moment(text, Timestamp::now(), &TimeZone::system());
        time.map(SystemTime::from).ok_or_else(|| {
            let hint = "give a span such as `12h` or `30d`, or a day such as `2026-01-31`";
            exit_error(Exit::Usage, format!("invalid time `--older-than {text}`"), hint)
        })
    });
    let cleared = clear(&dirs.cache, before.transpose()?);
    print::line(&format!("{} files removed, {}", cleared.files, size(cleared.bytes)))?;
    for (path, error) in &cleared.failed {
        print::problem(&format!("error: {}: {error}", path.display()));
    }
    Ok(if cleared.failed.is_empty() { Exit::Success } else { Exit::Unavailable })
}

/// Formats a size for people.
fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..1_048_576 => format!("{} KiB", bytes.div_ceil(1024)),
        _ => format!("{:.1} MiB", bytes as f64 / 1_048_576.0),
    }
}

/// Formats the time since then for people.
fn age(made: SystemTime) -> String {
    let seconds = made.elapsed().unwrap_or_default().as_secs();
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        7200..172_800 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn sizes_and_ages_are_short() {
        let sizes = [0, 1023, 1024, 1025, 1_048_576, 3_407_872].map(size);
        assert_eq!(sizes, ["0 B", "1023 B", "1 KiB", "2 KiB", "1.0 MiB", "3.2 MiB"]);
        let ages = [5, 600, 10_000, 1_000_000].map(|seconds| age(SystemTime::now() - Duration::from_secs(seconds)));
        assert_eq!(ages, ["5 s", "10 min", "2 h", "11 d"]);
        assert_eq!(age(SystemTime::now() + Duration::from_secs(60)), "0 s");
    }
}

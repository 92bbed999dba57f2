//! `guard-host undo`: restores what calls destroyed. The hidden command `keep-undo` makes the backups.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use guard_config::load;
use guard_contract::exit::Exit;
use guard_contract::paths::is_below;
use guard_hook::audit::append_undo;
use guard_platform::paths::native;
use guard_redact::{plain, shorten};
use guard_state::AppDirs;
use guard_state::environment::Environment;
use guard_state::history::History;
use guard_undo::backup::{Task, make};
use guard_undo::restore::{Item, Options, Report, RestoreOutcome, Restorer};
use guard_undo::{BackupCoverage, Content, Manifest, Store};
use jiff::Timestamp;
use similar::TextDiff;

use super::args::{Format, UndoArgs, UndoCommand, UndoRestoreArgs};
use super::print;
use super::subject::{call_context, exit_error};
use super::terminal::{is_agreed, is_attended, terminal_error};

/// The maximum size of a task, in bytes. It has the paths of a few hundred losses.
const TASK_BYTES: u64 = 16 << 20;

/// The maximum size of a file whose difference is shown, in bytes.
const DIFF_BYTES: u64 = 256 << 10;

/// The maximum length of a call that is shown in one line, in bytes.
const CALL_BYTES: usize = 160;

/// The maximum number of paths that are listed.
const LISTED: usize = 40;

/// Makes a backup for a hook, which started this process. Returns the exit code.
pub(super) fn make_backup(environment: &Environment) -> u8 {
    let mut bytes = Vec::new();
    let read = std::io::stdin().lock().take(TASK_BYTES).read_to_end(&mut bytes);
    let Some(task) = read.ok().and_then(|_| postcard::from_bytes::<Task>(&bytes).ok()) else {
        return Exit::Data.code();
    };
    let answer = make(&task, environment.started, &environment.variables);
    let Ok(answer) = postcard::to_stdvec(&answer) else { return Exit::Software.code() };
    let mut out = std::io::stdout().lock();
    match out.write_all(&answer).and_then(|()| out.flush()) {
        Ok(()) => Exit::Success.code(),
        Err(_) => Exit::Unavailable.code(),
    }
}

pub(super) fn run(args: &UndoArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let store = Store::in_state(&dirs.state);
    let undoing = UndoRun { store: &store, dirs, environment };
    match &args.command {
        None => undoing.restore_last(args.yes),
        Some(UndoCommand::List { all, format }) => undoing.list(*all, *format),
        Some(UndoCommand::Show { id, format }) => undoing.show(id, *format),
        Some(UndoCommand::Restore(args)) => undoing.restore(args),
        Some(UndoCommand::Prune { all, yes }) => undoing.prune(*all, *yes),
    }
}

struct UndoRun<'a> {
    store: &'a Store,
    dirs: &'a AppDirs,
    environment: &'a Environment,
}

impl UndoRun<'_> {
    fn restorer(&self) -> Restorer<'_> {
        Restorer { store: self.store, state: &self.dirs.state, env: &self.environment.variables }
    }

    /// Returns the backups of calls in this project, or of all calls.
    fn manifests(&self, all: bool) -> anyhow::Result<Vec<Manifest>> {
        let mut found = self.store.list()?;
        let at = call_context(self.environment, None);
        let cwd = native(&at.cwd);
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.into_owned());
        let is_of_project = |manifest: &Manifest| {
            let project = &manifest.project;
            *project == at.project_root || is_below(&at.cwd, project) || cwd.starts_with(project)
        };
        found.retain(|manifest| all || is_of_project(manifest));
        Ok(found)
    }

    fn find(&self, id: &str) -> anyhow::Result<Manifest> {
        let mut found = self.store.list()?;
        found.retain(|manifest| manifest.id.starts_with(id));
        let is_one = found.len() == 1;
        match found.into_iter().next() {
            Some(manifest) if is_one => Ok(manifest),
            Some(_) => {
                Err(exit_error(Exit::Usage, format!("`{}` matches several copies", plain(id)), "give more of the name"))
            }
            None => {
                let hint = "see the copies with `guard-host undo list --all`";
                Err(exit_error(Exit::NoInput, format!("there is no copy `{}`", plain(id)), hint))
            }
        }
    }

    fn restore_last(&self, yes: bool) -> anyhow::Result<Exit> {
        let mut unkept = false;
        for manifest in self.manifests(false)? {
            if manifest.kept == BackupCoverage::Nothing {
                // A call that didn't run lost nothing.
                let is_lost = manifest.lost.is_empty() || manifest.lost.iter().any(|lost| !lost.is_unchanged());
                if is_lost && !unkept {
                    describe(&manifest)?;
                    unkept = true;
                }
                continue;
            }
            let options = self.options(&manifest)?;
            let restorer = self.restorer();
            let items = restorer.plan(&manifest, &options);
            let is_lost = items.iter().any(|item| item.fate != RestoreOutcome::Same)
                || !restorer.plan_git(&manifest, &options).is_empty();
            if !is_lost {
                continue;
            }
            if unkept {
                let call = shorten(plain(&manifest.call).lines().next().unwrap_or_default(), CALL_BYTES);
                print::line("no copy of this call. An older call has one:")?;
                print::line(&format!("    {}: {call}", plain(&manifest.tool)))?;
                print::line(&format!("To undo the older call, run: guard-host undo restore {}", manifest.id))?;
                return Ok(Exit::Success);
            }
            describe(&manifest)?;
            print_changes(&items, &restorer.plan_git(&manifest, &options))?;
            if !yes {
                if !is_attended() {
                    return Err(terminal_error("a call is undone", "guard-host undo; or add `--yes`"));
                }
                if !is_agreed("Put it back?")? {
                    return print::line("nothing was changed").map(|()| Exit::Success);
                }
            }
            return self.apply(&manifest, &items, &options);
        }
        match unkept {
            true => print::line("no copy of this call")?,
            false => print::line("nothing to undo in this project")?,
        }
        self.print_elsewhere()?;
        Ok(Exit::Success)
    }

    /// Prints the newest backup of files below the working directory that a call in another project destroyed.
    fn print_elsewhere(&self) -> anyhow::Result<()> {
        let cwd = native(&self.environment.cwd);
        let cwd = cwd.canonicalize().unwrap_or_else(|_| cwd.into_owned());
        let own: BTreeSet<String> = self.manifests(false)?.into_iter().map(|manifest| manifest.id).collect();
        let has_path = |path: &str| Path::new(path).starts_with(&cwd);
        let is_here = |manifest: &Manifest| {
            let mut paths = manifest.entries.iter().map(|entry| &entry.path);
            paths.any(|path| has_path(path))
                || manifest.lost.iter().any(|lost| has_path(&lost.path))
                || manifest.git.iter().any(|state| has_path(&state.root))
        };
        let others = self.manifests(true)?.into_iter().filter(|manifest| !own.contains(&manifest.id));
        let Some(manifest) = others.into_iter().find(is_here) else { return Ok(()) };
        let call = shorten(plain(&manifest.call).lines().next().unwrap_or_default(), CALL_BYTES);
        print::line(&format!("A call in {} destroyed files of this folder:", plain(&manifest.project)))?;
        print::line(&format!("    {}: {call}", plain(&manifest.tool)))?;
        match manifest.kept {
            BackupCoverage::Nothing => print::line("Nothing is kept of it: guard-host undo list --all"),
            BackupCoverage::Whole | BackupCoverage::Partly => {
                print::line(&format!("To undo it, run: guard-host undo restore {}", manifest.id))
            }
        }
    }

    /// Returns the options with the paths that changed again after the call, according to later backups and the
    /// session's history.
    fn options(&self, manifest: &Manifest) -> anyhow::Result<Options> {
        let millisecond = |time: &str| time.parse::<Timestamp>().map(Timestamp::as_millisecond).ok();
        let began = millisecond(&manifest.time).unwrap_or_default();
        let mut changed_again: BTreeMap<String, i64> = BTreeMap::new();
        let mut note = |path: &str, time: i64| {
            let known = changed_again.entry(path.to_owned()).or_insert(time);
            *known = time.min(*known);
        };
        for later in self.store.list()?.iter().filter(|later| later.id > manifest.id) {
            let time = millisecond(&later.time).unwrap_or_default();
            later.entries.iter().for_each(|entry| note(&entry.path, time));
            later.git.iter().for_each(|state| note(&state.root, time));
        }
        let history = History::open(&self.dirs.state, &manifest.session);
        let events = history.and_then(|history| history.read().ok()?.events("").ok()).unwrap_or_default();
        let later =
            events.iter().filter_map(|event| Some((event, millisecond(&event.time).filter(|time| *time > began)?)));
        for (event, time) in later {
            let is_end = matches!(event.kind.as_str(), "ran" | "failed") && event.tool == manifest.tool;
            for entry in &manifest.entries {
                if is_end || is_below(&event.target, &entry.path) {
                    note(&entry.path, time);
                }
            }
            manifest.git.iter().filter(|_| is_end).for_each(|state| note(&state.root, time));
        }
        Ok(Options { changed_again, ..Options::default() })
    }

    fn list(&self, all: bool, format: Format) -> anyhow::Result<Exit> {
        let manifests = self.manifests(all)?;
        if format == Format::Json {
            print::json(&manifests)?;
            return Ok(Exit::Success);
        }
        if manifests.is_empty() {
            let is_any = !all && !self.manifests(true)?.is_empty();
            let text = if is_any {
                "no copies in this project (all projects: guard-host undo list --all)"
            } else {
                "no copies are kept"
            };
            print::line(text)?;
            self.print_elsewhere()?;
        }
        for manifest in &manifests {
            describe(manifest)?;
        }
        Ok(Exit::Success)
    }

    fn show(&self, id: &str, format: Format) -> anyhow::Result<Exit> {
        let manifest = self.find(id)?;
        if format == Format::Json {
            return print::json(&manifest).map(|()| Exit::Success);
        }
        let options = self.options(&manifest)?;
        let items = self.restorer().plan(&manifest, &options);
        describe(&manifest)?;
        print_changes(&items, &self.restorer().plan_git(&manifest, &options))?;
        for item in items.iter().filter(|item| item.fate != RestoreOutcome::Same) {
            let Content::Copy(number) = item.entry.content else { continue };
            let text = |path: &Path| {
                let is_small = path.metadata().is_ok_and(|data| data.is_file() && data.len() <= DIFF_BYTES);
                if is_small {
                    std::fs::read_to_string(path).ok()
                } else {
                    Some(String::new()).filter(|_| !path.exists())
                }
            };
            let (before, now) = (text(&self.store.copy(&manifest, number)), text(&item.target));
            let (Some(before), Some(now)) = (before, now) else { continue };
            let diff = TextDiff::from_lines(&now, &before);
            let name = plain(&item.entry.path);
            let diff = diff.unified_diff().header(&format!("{name} (now)"), &format!("{name} (kept)")).to_string();
            print::line(plain(&diff).trim_end())?;
        }
        Ok(Exit::Success)
    }

    fn restore(&self, args: &UndoRestoreArgs) -> anyhow::Result<Exit> {
        let manifest = self.find(&args.id)?;
        let cwd = &*native(&self.environment.cwd);
        let absolute = |path: &PathBuf| {
            let path = cwd.join(path);
            // Links in the folder are resolved, but not the last component.
            let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
            match (parent, path.file_name()) {
                (Some(parent), Some(name)) => parent.join(name),
                _ => path.components().collect(),
            }
        };
        let options = Options {
            paths: args.paths.iter().map(absolute).collect(),
            to: args.to.as_ref().map(|to| cwd.join(to)),
            is_forced: args.force,
            ..self.options(&manifest)?
        };
        let items = self.restorer().plan(&manifest, &options);
        if items.is_empty() && !args.paths.is_empty() {
            let hint = format!("see its files with `guard-host undo show {}`", manifest.id);
            return Err(exit_error(Exit::NoInput, "the copy has none of these paths", hint));
        }
        if args.dry_run {
            let git = if args.paths.is_empty() { self.restorer().plan_git(&manifest, &options) } else { Vec::new() };
            return print_changes(&items, &git).map(|()| Exit::Success);
        }
        self.apply(&manifest, &items, &options)
    }

    fn apply(&self, manifest: &Manifest, items: &[Item<'_>], options: &Options) -> anyhow::Result<Exit> {
        let report = self.restorer().apply(manifest, items, options)?;
        let count = report.restored.len() as u64;
        let what = print::count(count, "path");
        print::line(&format!("restored {what}"))?;
        self.log(manifest, &report, &what);
        for line in &report.git {
            print::line(&format!("restored {}", plain(line)))?;
        }
        if !report.replaced.is_empty() {
            print::line(&format!("the replaced files are saved: guard-host undo restore {}", report.replaced))?;
        }
        let mut exit = Exit::Success;
        let is_kept = |item: &&Item<'_>| {
            matches!(item.fate, RestoreOutcome::Blocked(_))
                || item.fate == RestoreOutcome::ChangedSince && !options.is_forced
        };
        let kept: Vec<&Item<'_>> = items.iter().filter(is_kept).collect();
        for item in kept.iter().take(LISTED) {
            let (path, why) = (plain(&item.target.to_string_lossy()), fate_name(item.fate));
            print::problem(&format!("not restored: {path} ({why})"));
            exit = Exit::Failures;
        }
        if kept.iter().any(|item| item.fate == RestoreOutcome::ChangedSince) {
            print::problem(&format!("  hint: replace them with `guard-host undo restore {} --force`", manifest.id));
        }
        for (path, names) in report.unlinked.iter().take(LISTED) {
            print::note(&format!("{}: had {names} names (hard links), and is a file of its own now", plain(path)));
        }
        for problem in &report.problems {
            print::problem(&format!("not restored: {}", plain(problem)));
            exit = Exit::Failures;
        }
        Ok(exit)
    }

    /// Records a restore in the audit log. The restore is complete, so a failure only causes a warning.
    fn log(&self, manifest: &Manifest, report: &Report, paths: &str) {
        if report.restored.is_empty() && report.git.is_empty() {
            return;
        }
        let restored: Vec<&str> = [paths].into_iter().chain(report.git.iter().map(String::as_str)).collect();
        let (id, at) = (&manifest.id, call_context(self.environment, None));
        let audit = load(self.dirs, &at.projects()).audit;
        let operation = format!("restored {} from {id}", restored.join(", "));
        if let Err(error) = append_undo(&audit, id, &operation, &at.cwd) {
            print::note(&format!("warning: `{}` can't be written: {error}", audit.path.display()));
        }
    }

    fn prune(&self, all: bool, yes: bool) -> anyhow::Result<Exit> {
        if all && !yes {
            if !is_attended() {
                return Err(terminal_error("all copies are removed", "guard-host undo prune --all"));
            }
            if !is_agreed("Remove all copies?")? {
                return print::line("nothing was removed").map(|()| Exit::Success);
            }
        }
        let env = &self.environment.variables;
        let count = if all { self.store.clear(env)? } else { self.store.prune(env, usize::MAX) };
        print::status(&format!("removed {count} {}", if count == 1 { "copy" } else { "copies" }))?;
        Ok(Exit::Success)
    }
}

fn fate_name(fate: RestoreOutcome) -> &'static str {
    match fate {
        RestoreOutcome::Same => "as it was",
        RestoreOutcome::Made => "gone",
        RestoreOutcome::Replaced => "replaced",
        RestoreOutcome::ChangedSince => "changed since the call",
        RestoreOutcome::Blocked(why) => why,
    }
}

/// Prints a backup in two lines, with what is missing from it.
fn describe(manifest: &Manifest) -> anyhow::Result<()> {
    let files = manifest.entries.iter().filter(|entry| entry.content != Content::Folder).count() as u64;
    let mut parts = Vec::new();
    if files > 0 || manifest.git.is_empty() {
        parts.push(print::count(files, "file"));
    }
    parts.extend((!manifest.git.is_empty()).then(|| print::count(manifest.git.len() as u64, "git state")));
    let kept = match manifest.kept {
        BackupCoverage::Whole => String::new(),
        BackupCoverage::Partly => ", not all of it".to_owned(),
        BackupCoverage::Nothing => "nothing".to_owned(),
    };
    let what = if manifest.kept == BackupCoverage::Nothing { kept } else { format!("{}{kept}", parts.join(", ")) };
    print::line(&format!("{}  {what}", manifest.id))?;
    let call = plain(&manifest.call).replace('\n', "\n    ");
    print::line(&format!("    {}: {call}", plain(&manifest.tool)))?;
    for line in &manifest.left_out {
        print::line(&format!("    not kept: {}", plain(line)))?;
    }
    Ok(())
}

/// Lists the changes that the undo would make.
fn print_changes(items: &[Item<'_>], git: &[String]) -> anyhow::Result<()> {
    let open: Vec<&Item<'_>> = items.iter().filter(|item| item.fate != RestoreOutcome::Same).collect();
    for item in open.iter().take(LISTED) {
        let linked = match item.entry.names {
            0 => String::new(),
            names => format!("; one of {names} hard links"),
        };
        print::line(&format!("  {}  ({}{linked})", plain(&item.target.to_string_lossy()), fate_name(item.fate)))?;
    }
    if open.len() > LISTED {
        print::line(&format!("  and {} more", open.len() - LISTED))?;
    }
    git.iter().try_for_each(|line| print::line(&format!("  {}", plain(line))))
}

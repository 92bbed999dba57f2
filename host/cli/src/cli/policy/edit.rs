//! `guard-host policy add` and `remove`: adds entries to a guard.toml after a test, and removes them.

use std::path::PathBuf;

use toml::Table;

use super::fetched::{Fetched, fetch};
use super::{build_artifact, chain, holding};
use crate::cli::args::{AddArgs, PlaceArgs, RemoveArgs, WasiName};
use crate::cli::config::source as source_of;
use crate::cli::install::show;
use crate::cli::print;
use crate::cli::subject::{call_context, edit_error, exit_error, file as resolve_file, install_error};
use guard_config::edit::{Addition, EditError, Target};
use guard_config::lock::{self, Lock, LockedComponent};
use guard_config::{Trust, load};
use guard_contract::Layer;
use guard_contract::call::CallContext;
use guard_contract::exit::Exit;
use guard_contract::grants::GrantSpec;
use guard_contract::policy::{Entry, Source};
use guard_contract::shell_word::word;
use guard_contract::{Manifest, Problem};
use guard_hook::cache::{Artifact, Component, Member, Prepared, Readiness, forget, run_examples, warm};
use guard_kit::compile::making;
use guard_platform::paths::{judged_text, native, slashed};
use guard_setup::check::{Depth, check};
use guard_setup::install::{Change, EditedFile, apply};
use guard_state::AppDirs;
use guard_state::environment::Environment;

/// The file that a command changes, and its context.
pub(super) struct EditTarget<'a> {
    pub(super) layer: Layer,
    pub(super) file: PathBuf,
    dirs: &'a AppDirs,
    environment: &'a Environment,
    at: CallContext,
}

/// Returns the hint for a source that can't be read.
fn suggestion(source: &str) -> String {
    let built_in = guard_builtins::find(source);
    built_in.map_or_else(
        || "give the file of a component, its address, or a built-in such as `builtin:command-guard`".to_owned(),
        |built_in| format!("did you mean `builtin:{}`?", built_in.name),
    )
}

pub(super) fn add(args: &AddArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let site = EditTarget::new(args.place, dirs, environment);
    let edited = site.open()?;
    let text = edited.text().unwrap_or_default();
    // A file that can't be used is reported before anything is compiled.
    let names = site.target().names(text).map_err(edit_error)?;
    let grants = args.grants().map_err(|word| {
        let hint =
            "give env:NAME, read:PATH or journal:STREAM=FILE; a path is absolute, or begins with ~/, ./ or ${NAME}";
        exit_error(Exit::Usage, format!("`--grant {word}` isn't a grant"), hint)
    })?;
    let prepared = chain(dirs, environment);
    let fetched = match lock::is_address(&args.source) {
        true => Some(fetch(&args.source, &prepared.config.signers, args.network.patience())?),
        false => None,
    };
    let source = match fetched {
        // The final path of the component doesn't matter here.
        Some(_) => Source::File(lock::fetched(&site.file)),
        None => site.source(&args.source)?,
    };
    let component = match &fetched {
        Some(fetched) => Ok(fetched.component.clone()),
        None => Component::read(&source),
    };
    let component =
        component.map_err(|fault| exit_error(Exit::NoInput, fault.to_string(), suggestion(&args.source)))?;
    let written = |name: Option<&str>| match args.replace {
        true => site.target().written(text, name, &source).map_err(edit_error),
        false => Ok(None),
    };
    let wasi = match (args.wasi, written(args.name.as_deref())?) {
        (None, Some((replaced, _))) => replaced.wasi,
        (wasi, _) => WasiName::or_default(wasi),
    };
    let (artifact, manifest) = build_artifact(&component, wasi, &args.source, dirs)?;
    run_examples(&artifact, &manifest).map_err(|fault| {
        exit_error(Exit::Data, format!("`{}` is not added: {fault}", args.source), "repair the policy, or its example")
    })?;

    let mut addition = site.addition(args, &source, &component, &manifest, grants)?;
    let kept = written(Some(&addition.name))?.map(|(_, table)| addition.keep(table)).unwrap_or_default();
    site.check_name(&addition.name, &names, args.replace, &prepared)?;
    let added = site.target().add(edited.text(), &addition, args.replace).map_err(edit_error)?;
    site.check(&prepared, &added.entry, (artifact, &manifest))?;
    let change = edited.change(Some(added.text));
    let pinned = fetched.as_ref().map(|fetched| site.pin(fetched, &addition, &manifest, &prepared)).transpose()?;
    if args.place.dry_run {
        show(&change)?;
    } else {
        if let (Some(fetched), Some((lock, locked))) = (&fetched, pinned) {
            fetched.save(&locked, &site.file, dirs)?;
            super::fetched::write(lock, &site.file)?;
            site.write(&change)?;
        } else {
            let lock = super::fetched::lock(&site.file)?;
            site.write(&change)?;
            site.unpin(lock, &addition.name)?;
        }
        let verb = if names.contains(&addition.name) { "replaced" } else { "added" };
        print::line(&format!("{verb} `{}` in {}", addition.name, site.file.display()))?;
        print::line(&format!("  source    {}", source_of(&added.entry)))?;
        print::line(&format!("  sha256    {}", component.sha256))?;
        print::line(&format!("  examples  {}", holding(&manifest)))?;
        if let Some(fetched) = &fetched {
            let signers: Vec<&str> = fetched.signers.iter().map(|signer| signer.name.as_str()).collect();
            let signers = if signers.is_empty() { "no signer in `[trust]`".to_owned() } else { signers.join(", ") };
            print::line(&format!("  signed    by {signers}"))?;
        }
        if !kept.is_empty() {
            print::line(&format!("  kept      {}", kept.join(", ")))?;
        }
    }
    for warning in &added.warnings {
        print::note(&format!("warning: {}", warning.with_hint()));
    }
    site.print_ungranted(&manifest, &added.entry.grants);
    if args.place.dry_run { Ok(Exit::Success) } else { site.finish(&addition.name, true) }
}

pub(super) fn remove(args: &RemoveArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    let site = EditTarget::new(args.place, dirs, environment);
    let edited = site.open()?;
    let after = site.target().remove(edited.text(), &args.name).map_err(|error| match error {
        EditError::Missing(..) => {
            exit_error(error.exit(), error.to_string(), site.other_source(&args.name, error.hint()))
        }
        error => edit_error(error),
    })?;
    let change = edited.change(after);
    if args.place.dry_run {
        show(&change)?;
        return Ok(Exit::Success);
    }
    let lock = super::fetched::lock(&site.file)?;
    site.write(&change)?;
    site.unpin(lock, &args.name)?;
    print::status(&format!("removed `{}` from {}", args.name, site.file.display()))?;
    site.finish(&args.name, false)
}

impl<'a> EditTarget<'a> {
    pub(super) fn new(place: PlaceArgs, dirs: &'a AppDirs, environment: &'a Environment) -> Self {
        let at = call_context(environment, None);
        let (layer, file) = match place.project {
            true => (Layer::Project, AppDirs::project_file(&at.project_root)),
            false => (Layer::User, dirs.config.clone()),
        };
        EditTarget { layer, file, dirs, environment, at }
    }

    pub(super) fn target(&self) -> Target<'_> {
        Target { layer: self.layer, file: &self.file, home: &self.dirs.home }
    }

    /// Opens the file. Links are followed as for a registration.
    pub(super) fn open(&self) -> anyhow::Result<EditedFile> {
        let project = native(&self.at.project_root);
        let (within, mode) = match self.layer {
            Layer::Project => (Some(&*project), 0o644),
            Layer::Managed | Layer::User => (None, 0o600),
        };
        EditedFile::open(&self.file, within, mode).map_err(install_error)
    }

    pub(super) fn write(&self, change: &Change) -> anyhow::Result<()> {
        apply(std::slice::from_ref(change), &self.dirs.state).map_err(install_error)
    }

    /// Returns the lock with a fetched component, and its entry. Required signatures must be present.
    pub(super) fn pin(
        &self,
        fetched: &Fetched,
        addition: &Addition,
        manifest: &Manifest,
        prepared: &Prepared,
    ) -> anyhow::Result<(Lock, LockedComponent)> {
        let mut lock = super::fetched::lock(&self.file)?;
        let before = lock.policy.iter().find(|locked| locked.name == addition.name);
        let locked = fetched.to_locked(
            &addition.name,
            &addition.source,
            &manifest.version,
            before,
            (&prepared.config, self.dirs),
        )?;
        lock.put(locked.clone());
        Ok((lock, locked))
    }

    /// Removes a policy from the lock, and its component.
    fn unpin(&self, mut lock: Lock, name: &str) -> anyhow::Result<()> {
        let Some(locked) = lock.policy.iter().find(|locked| locked.name == name).cloned() else { return Ok(()) };
        lock.remove(name);
        if !lock.policy.iter().any(|other| other.sha256 == locked.sha256) {
            // An unused component only takes up space.
            let _ = std::fs::remove_file(locked.component(&self.file));
        }
        super::fetched::write(lock, &self.file)
    }

    /// Returns the source that the command-line word identifies.
    fn source(&self, word: &str) -> anyhow::Result<Source> {
        if word.contains("://") {
            let text = format!("`{word}` is an address of a kind that is not known");
            let known = lock::SCHEMES.map(|scheme| format!("{scheme}://")).join(", ");
            return Err(exit_error(Exit::Usage, text, format!("give a file, or one of: {known}")));
        }
        let Some(name) = word.strip_prefix("builtin:") else {
            return Ok(Source::File(resolve_file(word, self.environment)));
        };
        if guard_builtins::find(name).is_none() {
            let names: Vec<_> = guard_builtins::all().iter().map(|builtin| builtin.name).collect();
            let text = format!("there is no built-in `{name}`");
            return Err(exit_error(Exit::Usage, text, format!("one of: {}", names.join(", "))));
        }
        Ok(Source::Builtin(name.to_owned()))
    }

    fn addition(
        &self,
        args: &AddArgs,
        source: &Source,
        component: &Component,
        manifest: &Manifest,
        grants: Option<GrantSpec>,
    ) -> anyhow::Result<Addition> {
        let settings = args.settings.as_ref().map(Table::try_from).transpose().map_err(|error| {
            let hint = "TOML has no null and no integers beyond 64 bits; give a file with `--settings-file`";
            exit_error(Exit::Usage, format!("`--settings` cannot be written to a guard.toml: {error}"), hint)
        })?;
        let settings_file = args.settings_file.as_ref().map(|file| {
            let file = file.to_string_lossy();
            let path = resolve_file(&file, self.environment);
            if !path.is_file() && !path.is_dir() {
                return Err(exit_error(Exit::NoInput, format!("there is no settings file `{file}`"), ""));
            }
            self.path(&path.to_string_lossy())
        });
        let (source, pin) = match source {
            _ if lock::is_address(&args.source) => (args.source.clone(), None),
            Source::Builtin(name) => (format!("builtin:{name}"), None),
            Source::File(path) => (self.path(&path.to_string_lossy())?, Some(component.sha256.clone())),
        };
        Ok(Addition {
            name: args.name.clone().unwrap_or_else(|| manifest.id.clone()),
            source,
            sha256: pin.filter(|_| !args.no_pin),
            tools: (!args.tools.is_empty()).then(|| args.tools.clone()),
            settings,
            settings_file: settings_file.transpose()?,
            on_error: args.on_error.map(|name| name.word()),
            wasi: args.wasi.map(|name| name.word()),
            grants,
            kept: Table::new(),
        })
    }

    /// Returns another file's path as it is written in this file.
    fn path(&self, path: &str) -> anyhow::Result<String> {
        let written = Addition::path(self.layer, &self.at.project_root, &judged_text(path));
        let written = written.map(|path| String::from_utf8_lossy(&slashed(&native(&path))).into_owned());
        written.ok_or_else(|| {
            let text = format!("`{path}` is outside of the project `{}`", self.at.project_root);
            exit_error(Exit::Usage, text, "put the file into the project, or leave `--project` out")
        })
    }

    /// Checks that no other policy is replaced, unless that was requested.
    fn check_name(&self, name: &str, names: &[String], replace: bool, prepared: &Prepared) -> anyhow::Result<()> {
        if self.layer != Layer::User {
            return Ok(());
        }
        if prepared.config.locked.iter().any(|locked| locked == name) {
            let text = format!("`{name}` is locked by {}", self.dirs.managed.display());
            return Err(exit_error(Exit::NoPermission, text, "give another `--name`"));
        }
        let of_preset = |entry: &Entry| entry.layer == Layer::User && entry.name == name;
        let is_preset = prepared.members.iter().any(|member| of_preset(&member.entry));
        if is_preset && !replace && !names.iter().any(|other| other == name) {
            let text = format!("`{name}` is a policy of your preset, and this one would take its place");
            return Err(exit_error(Exit::Usage, text, "give `--replace` if that is wanted, or another `--name`"));
        }
        Ok(())
    }

    /// Checks that the policy works with its entry, before the entry is written.
    pub(super) fn check(&self, chain: &Prepared, entry: &Entry, made: (Artifact, &Manifest)) -> anyhow::Result<()> {
        let (artifact, manifest) = made;
        let readiness = Readiness::Ready { artifact, snapshot: None, manifest: manifest.clone() };
        let mut alone = chain.only(Member { entry: entry.clone(), readiness });
        // The chain's existing mistakes aren't caused by this entry.
        alone.config.problems.clear();
        alone.config.warnings.clear();
        let mistakes = check(alone, self.environment, &self.at.project_root, Depth::Calls);
        let Some(first) = mistakes.first() else { return Ok(()) };
        let Problem { text, hint, place, .. } = &first.problem;
        let place = if *place == self.file.to_string_lossy() { String::new() } else { format!(" ({place})") };
        let what =
            if first.is_fault() && text.starts_with("it ") { "is not added" } else { "does not take its settings" };
        let text = format!("`{}` {what}: {text}{place}", entry.name);
        Err(exit_error(Exit::Data, text, hint))
    }

    /// Prints the grants that the policy requests but doesn't get.
    pub(super) fn print_ungranted(&self, manifest: &Manifest, granted: &GrantSpec) {
        for wish in manifest.grants.iter().filter(|wish| !granted.covers(wish)) {
            let grant = if wish.starts_with("journal:") { format!("{wish}=FILE") } else { wish.clone() };
            let way = match self.layer {
                Layer::Project if !wish.starts_with("read:") => {
                    "write it into the project's guard.toml, which then needs `guard-host trust`".to_owned()
                }
                _ => format!("`--grant {}` grants it", word(&grant)),
            };
            print::note(&format!("note: it asks for {wish}, which is not granted; {way}"));
        }
    }

    /// Returns a hint with the other source of an entry with that name.
    fn other_source(&self, name: &str, otherwise: String) -> String {
        let config = load(self.dirs, &self.at.projects());
        let Some(entry) = config.entries.iter().find(|entry| entry.name == name) else { return otherwise };
        match entry.layer {
            Layer::Managed => format!("it comes from {}, which is not yours to change", self.dirs.managed.display()),
            Layer::Project => "it comes from the project's file; give `--project`".to_owned(),
            Layer::User if self.layer == Layer::Project => {
                "it comes from your own guard.toml; leave `--project` out".to_owned()
            }
            Layer::User => "it comes from the preset; choose another `preset` in guard.toml".to_owned(),
        }
    }

    /// Prepares the chain again after an edit and prints warnings. `name` is the edited entry's, which may have been
    /// removed.
    pub(super) fn finish(&self, name: &str, is_there: bool) -> anyhow::Result<Exit> {
        let projects = self.at.projects();
        let prepared = warm(self.dirs, &self.environment.program, &projects, making());
        forget(self.dirs, name, &prepared);
        let mut exit = Exit::Success;
        for (file, state) in &prepared.config.projects {
            if let Trust::Lapsed(_) = state
                && *file == self.file
            {
                print::note("note: the project is not trusted any more; look at the file, then run `guard-host trust`");
            }
        }
        for member in &prepared.members {
            if let Readiness::Broken(fault) = &member.readiness {
                print::note(&format!("warning: policy `{}`: {fault}", member.entry.name));
                if is_there && member.entry.name == name && member.entry.layer == self.layer {
                    exit = Exit::Unavailable;
                }
            }
        }
        for problem in &prepared.config.problems {
            print::problem(&format!("error: {problem}"));
            exit = Exit::Config;
        }
        Ok(exit)
    }
}

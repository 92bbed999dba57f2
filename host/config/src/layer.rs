//! Reads one layer: from a file to checked entries.

mod values;

use std::fs;
use std::path::{Path, PathBuf};

use super::Config;
use super::entry::{LayerFile, entry, lies_in_its_project};
use super::options::{AllowOptions, Mode, Options};
use super::order::{self, EntryPosition};
use super::pins::TrustLevel;
use super::problem::{placed, toml_problem};
use super::tools;
use guard_contract::allow::Allow;
use guard_contract::paths::lexical;
use guard_contract::policy::Entry;
use guard_contract::readings::Arguments;
use guard_contract::{Layer, Outcome, Problem};
use guard_platform::paths::{judged_text, native};
use guard_state::FileState;

/// The maximum size of a configuration file in bytes.
const CONFIG_BYTES: u64 = 1 << 20;

/// A layer, which may be empty.
#[derive(Default)]
pub(super) struct LayerChain {
    pub(super) options: Options,
    pub(super) entries: Vec<Entry>,
    /// The names of the disabled entries, which aren't in the list of entries.
    pub(super) disabled: Vec<String>,
    /// The requested positions of entries.
    pub(super) order: Vec<EntryPosition>,
    /// The files that the layer depends on.
    pub(super) inputs: Vec<PathBuf>,
    pub(super) warnings: Vec<Problem>,
}

impl LayerChain {
    /// Returns the layer's entries about the arguments of tools, which replace the guesses from names or, with `adds`,
    /// add to them.
    pub(super) fn arguments(&self, adds: bool) -> impl Iterator<Item = Arguments> {
        // Invalid entries have made the layer invalid.
        let entries = self.options.tool.iter().filter_map(|tool| tools::arguments(tool).ok());
        entries.map(move |entry| Arguments { adds, ..entry })
    }

    /// Returns the layer's entries that let calls run without a prompt.
    pub(super) fn allows(&self, layer: Layer, home: &str) -> impl Iterator<Item = Allow> {
        // Invalid entries have made the layer invalid.
        self.options.allow.iter().filter_map(move |options| allow(layer, options).checked(home).ok())
    }

    /// Adds the layer's dependencies and warnings to the configuration.
    pub(super) fn told(mut self, config: &mut Config) -> Self {
        config.inputs.append(&mut self.inputs);
        config.warnings.append(&mut self.warnings);
        self
    }
}

pub(super) fn layer(layer: Layer, file: &Path, home: &str, config: &mut Config) -> LayerChain {
    config.inputs.push(file.to_path_buf());
    let read = read(layer, file).and_then(|text| {
        text.map_or_else(|| Ok(LayerChain::default()), |text| entries(layer, file, home, &text, TrustLevel::OfLayer))
    });
    match read {
        Ok(read) => {
            if layer == Layer::Project {
                config.project_files.extend(outside_guard(file, &read.inputs));
            } else {
                config.disabled.extend(read.disabled.iter().cloned());
                config.named.extend(read.inputs.iter().flat_map(|path| names(path)));
            }
            read.told(config)
        }
        Err(problem) => {
            if layer == Layer::Project {
                config.project_files.extend(outside_guard(file, &[]));
            }
            config.problems.push(problem);
            LayerChain::default()
        }
    }
}

/// Returns the path as written and as resolved. A folder's path ends with a slash, which includes everything in it.
pub(super) fn names(path: &Path) -> Vec<PathBuf> {
    let with_all_below = |path: PathBuf| if path.is_dir() { path.join("") } else { path };
    let real = path.canonicalize().ok().filter(|real| real != path);
    [Some(path.to_path_buf()), real].into_iter().flatten().map(with_all_below).collect()
}

/// Returns the files and folders that a project's configuration reads outside of each `.guard`, whose files are protected
/// by its name. Leaves out a folder that contains the project, but not the files that are read in it.
pub(super) fn outside_guard(file: &Path, inputs: &[PathBuf]) -> Vec<PathBuf> {
    let roots = file.ancestors().nth(2).map(names).unwrap_or_default();
    let own = [file.parent().unwrap_or(file), file];
    let mut outside: Vec<PathBuf> = Vec::new();
    for path in own.into_iter().chain(inputs.iter().map(PathBuf::as_path)).flat_map(names) {
        let is_folder = path.is_dir();
        let path = native(&lexical(&judged_text(&path.to_string_lossy()), "/", "")).into_owned();
        let is_guarded = path.components().any(|name| name.as_os_str() == ".guard")
            || outside.iter().any(|known| path.starts_with(known))
            || roots.iter().any(|root| root.starts_with(&path));
        if !is_guarded {
            outside.push(if is_folder { path.join("") } else { path });
        }
    }
    outside
}

/// Reads the entries from the text of a layer.
pub(super) fn entries(
    layer: Layer,
    file: &Path,
    home: &str,
    text: &str,
    trust_level: TrustLevel<'_>,
) -> Result<LayerChain, Problem> {
    let mut options = parse(layer, file, text, trust_level).map_err(|problem| placed(problem, text, None))?;
    let is_watched = options.mode.is_some_and(|mode| mode != Mode::Enforce);
    let (mut inputs, mut warnings, mut entries) = (Vec::new(), Vec::new(), Vec::<Entry>::new());
    let (mut disabled, mut order) = (Vec::new(), Vec::new());
    let of = LayerFile::new(layer, file, home, trust_level);
    for policy in std::mem::take(&mut options.policy) {
        let (enabled, wish) = (policy.enabled.unwrap_or(true), EntryPosition::from_options(&policy));
        let name = policy.name.clone();
        let says_nothing = policy.mode.is_none();
        let fails_closed = policy.on_error.is_none() && options.lock.iter().flatten().any(|locked| *locked == name);
        let checked = entry(&of, policy).map_err(|problem| placed(problem, text, Some(&name)))?;
        inputs.extend(checked.inputs);
        warnings.extend(checked.warnings.into_iter().map(|warning| placed(warning, text, Some(&name))));
        let mut made = checked.entry;
        made.watched |= says_nothing && is_watched;
        if fails_closed {
            made.on_error = Outcome::Deny;
        }
        if entries.iter().any(|other| other.name == made.name) || disabled.contains(&made.name) {
            let problem = Problem {
                layer,
                place: file.to_string_lossy().into_owned(),
                text: format!("two policies have the `name` `{}`", made.name),
                hint: "rename one of them".to_owned(),
            };
            return Err(placed(problem, text, Some(&made.name)));
        }
        match enabled {
            true => entries.push(made),
            false => disabled.push(made.name),
        }
        order.extend(wish);
    }
    let mut chain = LayerChain { options, entries, disabled, order, inputs, warnings };
    if layer == Layer::Project {
        // The other layers are sorted after their presets were added.
        order::sort(&mut chain.entries, &chain.order, &chain.disabled)
            .map_err(|text| order::problem(layer, file, text))?;
    }
    Ok(chain)
}

/// Reads a file, or returns `None` if it doesn't exist.
pub(super) fn read(layer: Layer, file: &Path) -> Result<Option<String>, Problem> {
    let problem = |text: String, hint: &str| {
        Err(Problem { layer, place: file.to_string_lossy().into_owned(), text, hint: hint.to_owned() })
    };
    let state = FileState::read(file);
    if let Some(text) = state.problem() {
        let is_dangling = state == FileState::Dangling;
        let hint =
            if is_dangling { "create the file, or remove the link" } else { "make the file readable, or remove it" };
        return problem(text, hint);
    }
    match fs::metadata(file) {
        Err(_) if state == FileState::Missing => return Ok(None),
        Err(error) => return problem(error.to_string(), "make the file readable"),
        Ok(data) if data.is_dir() => {
            let hint = match file.ends_with("guard.toml") {
                true => "replace the directory with the file".to_owned(),
                false => format!("name the file, for example `{}`", file.join("guard.toml").display()),
            };
            return problem("it is a directory, not a file".to_owned(), &hint);
        }
        Ok(data) if !data.is_file() => return problem("it is not a regular file".to_owned(), "use a regular file"),
        // A link's target may be a secret, and error messages quote the text.
        Ok(_) if layer == Layer::Project && !lies_in_its_project(file, file) => {
            let root = file.ancestors().nth(2).unwrap_or(file).display();
            return problem(format!("it is a link that leads out of `{root}`"), "put the file into this folder");
        }
        Ok(data) if data.len() > CONFIG_BYTES => return problem("larger than 1 MiB".to_owned(), "shorten it"),
        Ok(_) => {}
    }
    match fs::read(file).map(String::from_utf8) {
        Ok(Ok(text)) => Ok(Some(text)),
        Ok(Err(_)) => problem("it is not UTF-8 text".to_owned(), "save it as UTF-8"),
        Err(error) => problem(error.to_string(), "make the file readable"),
    }
}

/// Creates a problem of a configuration, at the position of the first word in backticks.
pub(super) fn in_file((layer, file): (Layer, &Path), text: String, hint: &str) -> Problem {
    let problem = Problem { layer, place: file.to_string_lossy().into_owned(), text, hint: hint.to_owned() };
    match read(layer, file) {
        Ok(Some(source)) => placed(problem, &source, None),
        _ => problem,
    }
}

/// Parses a layer's text.
///
/// # Errors
///
/// The problem that makes the layer invalid.
fn parse(layer: Layer, file: &Path, text: &str, trust_level: TrustLevel<'_>) -> Result<Options, Problem> {
    let name = file.to_string_lossy();
    let toml_problem = |error: toml::de::Error| toml_problem(layer, &name, text, &error);
    let refused = |(text, hint): values::Refusal| Problem { layer, place: name.clone().into_owned(), text, hint };
    // The version is checked first, because a newer file may have unknown keys.
    let table: toml::Table = toml::from_str(text).map_err(toml_problem)?;
    values::check_version(&table).map_err(refused)?;
    let options: Options = toml::from_str(text).map_err(toml_problem)?;
    values::check(layer, &options, file, trust_level.is_limited(layer)).map_err(refused)?;
    Ok(options)
}

/// Converts an `[[allow]]`, unchecked.
fn allow(layer: Layer, options: &AllowOptions) -> Allow {
    Allow {
        layer,
        rules: options.rules.clone(),
        command: options.command.clone(),
        tool: options.tool.clone(),
        arguments: options.arguments.clone(),
        targets: options.targets.clone(),
        effects: options.effects.clone(),
        within: judged_text(&options.within).into_owned(),
        why: options.why.clone(),
        until: options.until.clone(),
    }
}

//! Reads a project's layer: with limits, or without them if a person trusts it and it hasn't changed.

use std::fs;
use std::path::Path;

use super::Config;
use super::layer::{LayerChain, entries, layer, outside_guard, read};
use super::pins::{self, Pins, TrustLevel, lapsed_hint};
use super::trust::{self, Trust, TrustError};
use guard_contract::policy::Entry;
use guard_contract::{Layer, Problem};
use guard_state::AppDirs;

/// Reads the layer, and records the trust in its file.
pub(super) fn project(file: &Path, dirs: &AppDirs, config: &mut Config) -> LayerChain {
    if fs::symlink_metadata(file).is_ok() {
        config.inputs.push(trust::file(&dirs.trust));
    }
    let state = match trust::pins(&dirs.trust).get(file) {
        None => Trust::None,
        Some(pins) => match trusted(file, &dirs.home, pins) {
            Ok(trusted) => {
                config.inputs.push(file.to_path_buf());
                config.project_files.extend(outside_guard(file, &trusted.inputs));
                config.projects.push((file.to_path_buf(), Trust::Held));
                return trusted.told(config);
            }
            Err(problem) => {
                // The loss of trust may depend on any of them.
                config.inputs.extend(pins.keys().cloned());
                let text = format!("the project is not trusted any more: {}", problem.text);
                config.warnings.push(Problem { text, hint: lapsed_hint(file), ..problem.clone() });
                Trust::Lapsed(problem.text)
            }
        },
    };
    let before = config.problems.len();
    let chain = layer(Layer::Project, file, &dirs.home, config);
    if let (Trust::Lapsed(change), Some(problem)) = (&state, config.problems.get_mut(before)) {
        problem.text = format!("{change}, and {}", problem.text);
    }
    config.projects.push((file.to_path_buf(), state));
    chain
}

/// Reads the layer of a trusted project.
///
/// # Errors
///
/// A file has changed, or is invalid.
fn trusted(file: &Path, home: &str, pins: &Pins) -> Result<LayerChain, Problem> {
    let trust_level = TrustLevel::Pinned(pins);
    let text = read(Layer::Project, file)?;
    let digest = text.as_ref().map(|text| pins::digest_of(text.as_bytes()));
    let place = file.to_string_lossy().into_owned();
    trust_level.check(file, digest.as_deref()).map_err(|text| Problem {
        layer: Layer::Project,
        place,
        text,
        hint: lapsed_hint(file),
    })?;
    entries(Layer::Project, file, home, &text.unwrap_or_default(), trust_level)
}

/// A project's current file, for a person to trust.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The digests of the file and of every file that it names.
    pub pins: Pins,
    /// The entries that the file adds to the chain.
    pub entries: Vec<Entry>,
}

/// Reads the project's file as if it were trusted.
///
/// # Errors
///
/// [`TrustError`] has the reasons.
pub fn candidate(dirs: &AppDirs, root: &str) -> Result<Candidate, TrustError> {
    let file = AppDirs::project_file(root);
    let Some(text) = read(Layer::Project, &file).map_err(TrustError::Broken)? else {
        return Err(TrustError::NoFile(file));
    };
    let chain = entries(Layer::Project, &file, &dirs.home, &text, TrustLevel::Candidate);
    let chain = chain.map_err(TrustError::Broken)?;
    let pins = chain.inputs.into_iter().map(|path| (path.clone(), pins::digest(&path)));
    // The digest of a named folder covers its subfolders. A folder without a Rego file has none.
    let is_named = |path: &Path| chain.entries.iter().any(|entry| entry.settings_source.file == path);
    let mut pins: Pins = pins.filter(|(path, digest)| digest.is_some() || !path.is_dir() || is_named(path)).collect();
    pins.insert(file, Some(pins::digest_of(text.as_bytes())));
    Ok(Candidate { pins, entries: chain.entries })
}

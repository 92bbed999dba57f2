//! The layer of a project: within its limits, or in full if a person trusts it and it is still what it was.

use std::fs;
use std::path::Path;

use super::Config;
use super::layers::{LOOK, TrustLevel};
use super::load::{LayerChain, entries, layer, read};
use super::trust::{self, Pins, Trust};
use guard_contract::Problem;
use guard_contract::policy::{Entry, Layer};
use guard_state::Places;

/// Reads the layer, and notes how the file stands.
pub(super) fn project(file: &Path, places: &Places, config: &mut Config) -> LayerChain {
    if fs::symlink_metadata(file).is_ok() {
        config.inputs.push(trust::file(&places.trust));
    }
    let state = match trust::pins(&places.trust).get(file) {
        None => Trust::None,
        Some(pins) => match standing(file, &places.home, pins) {
            Ok(trusted) => {
                config.inputs.push(file.to_path_buf());
                config.projects.push((file.to_path_buf(), Trust::Held));
                return trusted.told(config);
            }
            Err(problem) => {
                // What is not trusted any more, and why, may depend on any of them.
                config.inputs.extend(pins.keys().cloned());
                config.warnings.push(format!("the project is not trusted any more: {problem}; {LOOK}"));
                Trust::Lapsed(problem.text)
            }
        },
    };
    config.projects.push((file.to_path_buf(), state));
    layer(Layer::Project, file, &places.home, config)
}

/// The layer of a project that was pinned.
///
/// # Errors
///
/// Something is not as it was, or cannot be used.
fn standing(file: &Path, home: &str, pins: &Pins) -> Result<LayerChain, Problem> {
    let standing = TrustLevel::Pinned(pins);
    let text = read(Layer::Project, file)?;
    let digest = text.as_ref().map(|text| trust::digest_of(text.as_bytes()));
    let place = file.to_string_lossy().into_owned();
    standing.check(file, digest.as_deref()).map_err(|text| Problem {
        layer: Layer::Project,
        place,
        text,
        hint: LOOK.to_owned(),
    })?;
    entries(Layer::Project, file, home, &text.unwrap_or_default(), standing)
}

/// What a person trusts: a project's file as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// The digests of the file and of every file that it names.
    pub pins: Pins,
    /// What it puts into the chain.
    pub entries: Vec<Entry>,
}

/// A project's file as it would be trusted; none if there is no such file.
///
/// # Errors
///
/// The file cannot be used, trusted or not.
pub(super) fn candidate(file: &Path, home: &str) -> Result<Option<Candidate>, Problem> {
    let Some(text) = read(Layer::Project, file)? else { return Ok(None) };
    let chain = entries(Layer::Project, file, home, &text, TrustLevel::Candidate)?;
    let pins = chain.inputs.into_iter().map(|path| (path.clone(), trust::digest(&path)));
    // The digest of the folder that is named covers what lies in the folders below it.
    let mut pins: Pins = pins.filter(|(path, digest)| digest.is_some() || !path.is_dir()).collect();
    pins.insert(file.to_path_buf(), Some(trust::digest_of(text.as_bytes())));
    Ok(Some(Candidate { pins, entries: chain.entries }))
}

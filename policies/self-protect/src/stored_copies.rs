//! Reads of the copies that `guard-host undo` restores.
//!
//! A copy has the content of the original, which another policy may keep the agent from reading.

use guard_sdk::syntax::Effect;
use guard_sdk::{Outcome, Presence};

use crate::call_view::CallView;
use crate::guarded::{Guarded, GuardedKind};
use crate::names::{Names, Relation};
use crate::touch::{contains_home, presence};

/// The folder of the copies in the usual state folder of any home.
const USUAL: &str = ".local/state/guard-host/undo/";

/// The maximum number of reads that are examined.
const READS: usize = 256;

/// The maximum number of folders that are examined: each one requires a request to the host.
const FOLDERS: usize = 16;

/// Returns the first read of copies and its outcome.
pub(crate) fn read<'a>(view: &CallView<'a>) -> Option<(&'a Effect, Outcome)> {
    let places = [USUAL.to_owned(), view.guard.state().map(|state| format!("{state}undo/")).unwrap_or_default()];
    let is_read = |effect: &&Effect| {
        // `Glob` only lists names.
        effect.kind == "read" && effect.tag("where").is_none() && effect.tag("by") != Some("Glob")
    };
    let mut folders = 0;
    let reads = view.analysis.effects.iter().filter(is_read).take(READS);
    let found = reads.filter_map(|effect| Some((effect, outcome(effect, &places, view, &mut folders)?)));
    found.max_by_key(|(_, outcome)| *outcome)
}

fn outcome(effect: &Effect, places: &[String], view: &CallView<'_>, folders: &mut usize) -> Option<Outcome> {
    let paths: Vec<Names<'_>> = effect.spellings().map(Names::new).collect();
    let places = places.iter().filter(|place| !place.is_empty());
    let near =
        places.flat_map(|place| paths.iter().filter_map(move |names| Some((names.relation(place)?, names, place))));
    let (found, names, place) = near.max_by_key(|(found, ..)| found.relation)?;
    if found.relation != Relation::Above && !found.guessed {
        return Some(Outcome::Deny);
    }
    // Reading all of a home isn't about the copies.
    if *folders >= FOLDERS || contains_home(&paths, view) {
        return None;
    }
    *folders += 1;
    let guarded = Guarded { entry: place, what: GuardedKind::State };
    (presence(names, found, guarded, view) == Presence::Yes).then_some(Outcome::Ask)
}

//! The result of a replay, for people and programs.

use std::path::Path;

use serde_json::{Value, json};

use super::sides::POLICY;
use super::sources::{Skipped, Sources};
use super::tally::{Change, Group, Tally, Totals};
use crate::cli::past_questions::INSTEAD_OF_ASK;
use crate::cli::print;
use guard_redact::plain;

/// A call, with the file and line where it was first read.
pub(in crate::cli) type Located<'a> = (&'a str, (&'a Path, u64));

pub(in crate::cli) struct Replayed<'a> {
    pub(super) sum: Totals,
    pub(super) tally: Tally,
    pub(super) sources: Sources<'a>,
    /// The description of the second side, if there is one.
    pub(in crate::cli) against: Option<String>,
    /// How the argument was interpreted.
    pub(super) read_as: &'static str,
}

impl Replayed<'_> {
    /// Returns the groups that the second side decides differently, by the kind of change.
    pub(super) fn differences(&self) -> impl Iterator<Item = (Change, Vec<&Group>)> {
        let of =
            |change| -> Vec<&Group> { self.sum.groups.iter().filter(|group| group.change == Some(change)).collect() };
        let all = [Change::Loosened, Change::Tightened, Change::OtherRule].into_iter();
        all.map(move |change| (change, of(change))).filter(|(_, groups)| !groups.is_empty())
    }

    /// Returns the number of calls.
    pub(in crate::cli) fn calls(&self) -> u64 {
        self.sum.calls
    }

    /// Returns the calls that the second side judges milder, by the verdicts of both sides, and the number of those
    /// that aren't listed.
    pub(in crate::cli) fn loosened_calls(&self) -> impl Iterator<Item = (String, Vec<Located<'_>>, u64)> {
        let groups = self.sum.groups.iter().filter(|group| group.change == Some(Change::Loosened));
        groups.map(|group| {
            let place = |id| self.sources.first_location(id).unwrap_or((Path::new(""), 0));
            let calls = group.examples.iter().map(|example| (example.call.as_str(), place(example.id)));
            (group.describe(), calls.collect(), group.omitted_count())
        })
    }

    /// Returns why lines were skipped, how many, and the first locations.
    pub(in crate::cli) fn skipped_lines(&self) -> impl Iterator<Item = (&'static str, u64, &[String])> {
        self.sources.skipped.iter().map(|(reason, skipped)| (*reason, skipped.count, skipped.places.as_slice()))
    }

    /// Returns lines with the number of calls, the skipped lines with reasons, and the number of calls with missing
    /// facts.
    pub(super) fn heading(&self) -> Vec<String> {
        let Totals { calls, distinct, rest_on_missing, .. } = &self.sum;
        let files = match self.sources.files {
            0 => String::new(),
            files => format!(", in {}", print::count(files, "file")),
        };
        let mut lines = vec![format!("{} ({distinct} distinct){files}", print::count(*calls, "call"))];
        // A policy can't be mistaken for anything else.
        let against = self.against.as_ref().filter(|_| self.read_as != POLICY);
        lines.extend(against.map(|against| format!("compared with `{against}`, read as {}", self.read_as)));
        for (reason, Skipped { count, places }) in &self.sources.skipped {
            let more = if *count > places.len() as u64 { ", ..." } else { "" };
            lines.push(format!("skipped {count}: {reason} ({}{more})", plain(&places.join(", "))));
        }
        if *rest_on_missing > 0 {
            lines.push(format!(
                "{rest_on_missing} of the distinct calls depend on files or variables that aren't here, so their verdicts \
                 may differ"
            ));
        }
        let (spared, distinct) = self.sum.spared;
        if spared > 0 {
            let asks = print::count(self.sum.asks, "ask");
            lines.push(format!(
                "`{INSTEAD_OF_ASK}` would avoid {spared} of {asks} ({distinct} distinct): a copy is saved"
            ));
        }
        lines
    }

    pub(in crate::cli) fn print(&self) -> anyhow::Result<()> {
        self.heading().iter().try_for_each(|line| print::line(line))?;
        if self.sum.differing > 0 {
            print::line(&format!("\n{} of the distinct calls were decided otherwise by the log:", self.sum.differing))?;
            for (call, now) in self.tally.differing.values() {
                print::line(&format!("    now {now}: {call}"))?;
            }
        }
        if self.against.is_none() {
            print::line(&format!("\n{:<8} {:>9} {:>9}  rule", "verdict", "calls", "distinct"))?;
            return self.sum.groups.iter().try_for_each(|group| {
                let outcome = print::color_by_outcome(&format!("{:<8}", group.first.outcome), group.first.outcome);
                print::line(&format!("{outcome} {:>9} {:>9}  {}", group.calls, group.distinct, group.first.rule))
            });
        }
        if self.differences().next().is_none() {
            return print::line("\nno verdict differs");
        }
        for (change, groups) in self.differences() {
            print::line(&format!("\n{}", format_count(change, &groups)))?;
            groups.into_iter().try_for_each(print_group)?;
        }
        Ok(())
    }

    pub(super) fn json(&self) -> Value {
        let skipped = self
            .sources
            .skipped
            .iter()
            .map(|(reason, skipped)| json!({ "reason": reason, "count": skipped.count, "first": skipped.places }));
        let differing = self.tally.differing.values().map(|(call, now)| json!({ "call": call, "now": now }));
        json!({
            "calls": self.sum.calls,
            "distinct": self.sum.distinct,
            "files": self.sources.files,
            "against": self.against.as_ref().map(|against| json!({ "name": against, "read-as": self.read_as })),
            "skipped": skipped.collect::<Vec<_>>(),
            "skipped-count": self.sources.skipped.values().map(|skipped| skipped.count).sum::<u64>(),
            "rest-on-missing": self.sum.rest_on_missing,
            "spared-by-undo": { "asks": self.sum.asks, "calls": self.sum.spared.0, "distinct": self.sum.spared.1 },
            "decided-otherwise-by-the-log": { "distinct": self.sum.differing, "first": differing.collect::<Vec<_>>() },
            "groups": self.sum.groups,
        })
    }
}

/// Formats the number of changes of one kind.
pub(super) fn format_count(change: Change, groups: &[&Group]) -> String {
    let sum = |of: fn(&Group) -> u64| groups.iter().map(|group| of(group)).sum::<u64>();
    format!("{}: {} ({} distinct)", change.name(), print::count(sum(|of| of.calls), "call"), sum(|of| of.distinct))
}

fn print_group(group: &Group) -> anyhow::Result<()> {
    print::line(&format!("  {}  ({})", group.describe(), print::count(group.calls, "call")))?;
    for example in &group.examples {
        let rests = if example.rests_on_missing { "  (asked for what is not here)" } else { "" };
        print::line(&format!("    {}{rests}", example.call))?;
    }
    match group.omitted_count() {
        0 => Ok(()),
        others => print::line(&format!("    and {others} others")),
    }
}

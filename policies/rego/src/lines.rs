//! The evaluated lines of the modules.

use std::collections::{BTreeMap, BTreeSet};

use guard_sdk::serde_json::{Value, json};
use regorus::Engine;
use regorus::unstable::Module;

use crate::names;
use crate::walk::{self, Node};

/// The number of bytes used in a line of the trace. The host truncates longer lines.
const BYTES: usize = 3 << 10;

/// The lines of one module that contain expressions.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Lines {
    pub(crate) covered: BTreeSet<u32>,
    pub(crate) missed: BTreeSet<u32>,
}

/// Returns the lines of each module, by file.
pub(crate) fn lines(engine: &mut Engine) -> BTreeMap<String, Lines> {
    let mut all = BTreeMap::new();
    for module in engine.get_modules() {
        let missed = expression_lines(module);
        all.insert(module.package.span.source.get_path().to_owned(), Lines { covered: BTreeSet::new(), missed });
    }
    // The engine omits modules without evaluated lines.
    for file in engine.get_coverage_report().map(|report| report.files).unwrap_or_default() {
        let missed = file.not_covered.difference(&file.covered).copied().collect();
        all.insert(file.path, Lines { covered: file.covered, missed });
    }
    all
}

/// Returns the lines on which an expression begins, except those with only a head.
fn expression_lines(module: &Module) -> BTreeSet<u32> {
    let mut lines = BTreeSet::new();
    for rule in &module.policy {
        let end = names::head(rule).span().end;
        walk::rule(rule, &mut |node| {
            if let Node::Expression(one) = node
                && one.span().start >= end
            {
                lines.insert(one.span().line);
            }
        });
    }
    lines
}

/// Formats the lines for the trace, as JSON: `{"lines": [[FILE, COVERED, MISSED], ...]}` with ranges such as `1-4,7`.
pub(crate) fn format_lines(all: &BTreeMap<String, Lines>) -> Vec<String> {
    let (mut formatted, mut rows, mut bytes) = (Vec::new(), Vec::new(), 0);
    for (file, lines) in all {
        let (covered, missed) = (ranges(&lines.covered), ranges(&lines.missed));
        // The ranges of a module may need several lines.
        for at in 0..covered.len().max(missed.len()) {
            let [covered, missed] = [&covered, &missed].map(|ranges| ranges.get(at).map_or("", String::as_str));
            let size = file.len() + covered.len() + missed.len();
            if bytes + size > BYTES && !rows.is_empty() {
                formatted.push(json!({ "lines": std::mem::take(&mut rows) }).to_string());
                bytes = 0;
            }
            bytes += size;
            rows.push(json!([file, covered, missed]));
        }
    }
    if !rows.is_empty() {
        formatted.push(json!({ "lines": Value::from(rows) }).to_string());
    }
    formatted
}

/// Formats ranges as texts of limited length.
fn ranges(lines: &BTreeSet<u32>) -> Vec<String> {
    let mut ranges: Vec<(u32, u32)> = Vec::new();
    for &line in lines {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == line => *last = line,
            _ => ranges.push((line, line)),
        }
    }
    let text = |(first, last): &(u32, u32)| if first == last { first.to_string() } else { format!("{first}-{last}") };
    ranges.chunks(100).map(|some| some.iter().map(text).collect::<Vec<_>>().join(",")).collect()
}

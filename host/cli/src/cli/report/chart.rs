//! A bar chart of the calls of each day.

use maud::{Markup, html};

use super::summary::short_day;
use guard_hook::audit::{Actions, Stats, is_of_call};

/// The maximum number of days. The last ones are shown.
const DAYS: usize = 90;

/// The CSS classes of actions in the chart, with their names.
pub(super) const KINDS: [(&str, &str); 4] =
    [("deny", "denied"), ("ask", "asked about"), ("would", "would have been stopped"), ("ok", "everything else")];

/// Returns the index in [`KINDS`] for an action of the log, or its name for people.
pub(super) fn kind(action: &str) -> usize {
    match action {
        "block" | "deny" => 0,
        "confirm_required" | "ask" => 1,
        "would-ask" | "would-deny" => 2,
        _ => 3,
    }
}

/// The counts of a day's calls by kind.
pub(super) fn kinds(actions: &Actions) -> [u64; 4] {
    let mut kinds = [0; 4];
    for (action, count) in actions.iter().filter(|(action, _)| is_of_call(action)) {
        if let Some(of) = kinds.get_mut(kind(action)) {
            *of += count;
        }
    }
    kinds
}

/// Returns the chart. Sizes are whole numbers in a drawing that is scaled to the page.
pub(super) fn bars(stats: &Stats) -> Markup {
    const HEIGHT: u64 = 140;
    const TOP: u64 = 12;
    const LEFT: u64 = 46;
    const STEP: u64 = 16;
    let skipped = stats.days.len().saturating_sub(DAYS);
    let days: Vec<(&String, [u64; 4])> = stats.days.iter().skip(skipped).map(|(day, of)| (day, kinds(of))).collect();
    let most = days.iter().map(|(_, kinds)| kinds.iter().sum::<u64>()).max().unwrap_or(0).max(1);
    let height = |count: u64| count * HEIGHT / most;
    let width = (LEFT + days.len() as u64 * STEP + 8).max(360);
    let label = format!("Calls of each day, from {} to {}", day(&stats.from), day(&stats.to));
    html! {
        svg viewBox=(format!("0 0 {width} {}", HEIGHT + TOP + 22)) role="img" aria-label=(label) {
            line class="grid" x1=(LEFT) x2=(width - 4) y1=(TOP) y2=(TOP) {}
            line class="grid" x1=(LEFT) x2=(width - 4) y1=(TOP + HEIGHT) y2=(TOP + HEIGHT) {}
            text x=(LEFT - 6) y=(TOP + 4) text-anchor="end" { (most) }
            text x=(LEFT - 6) y=(TOP + HEIGHT) text-anchor="end" { "0" }
            @for (index, (name, kinds)) in (0_u64..).zip(&days) {
                g {
                    title { (short_day(name)) ": " (chart_label(kinds)) }
                    @for (place, (class, _)) in KINDS.iter().enumerate() {
                        @let below = kinds.iter().take(place).sum::<u64>();
                        @let (from, to) = (height(below), height(below + kinds.get(place).copied().unwrap_or(0)));
                        rect class=(format!("f-{class}")) x=(LEFT + 4 + index * STEP) width=(STEP - 4)
                            y=(TOP + HEIGHT - to) height=(to - from) {}
                    }
                }
                @if index == 0 || index + 1 == days.len() as u64 {
                    text x=(LEFT + 4 + index * STEP) y=(TOP + HEIGHT + 16)
                        text-anchor=(if index == 0 { "start" } else { "end" }) { (short_day(name)) }
                }
            }
        }
    }
}

fn chart_label(kinds: &[u64; 4]) -> String {
    let non_zero = kinds.iter().zip(KINDS).filter(|(count, _)| **count > 0);
    non_zero.map(|(count, (_, name))| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
}

/// Returns the day of a time.
pub(super) fn day(ts: &str) -> &str {
    ts.split('T').next().unwrap_or(ts)
}

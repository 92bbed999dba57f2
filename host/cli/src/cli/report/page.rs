//! The HTML page. The templates escape all texts of the log. Only its own style and script are allowed, by their
//! digests.

use std::collections::{BTreeMap, BTreeSet};

use maud::{Markup, PreEscaped, html};

use super::chart::{KINDS, bars, kind, kinds};
use super::copies::BackedUpCall;
use super::summary::{sentence, time, trend, worst};
use super::{Call, Report};
use crate::cli::html::{SCRIPT, shell};
use crate::cli::past_questions::{PastQuestion, Suggestion};
use crate::cli::replay::page::part;
use guard_hook::audit::Actions;
use guard_redact::{plain, shorten};

/// The maximum number of rows in a table.
const ROWS: usize = 25;

/// The maximum length of a call in a table, in bytes.
const CALL_BYTES: usize = 300;

/// Returns the report as one file.
pub(super) fn html(report: &Report<'_>) -> String {
    let body = html! {
        a class="skip" href="#calls" { "To the calls" }
        (top(report))
        @if let Some(replayed) = &report.replayed {
            h2 { "Decided again, against " code { bdi { (replayed.against.as_deref().unwrap_or_default()) } } }
            (part(replayed))
        }
        (blocked_section(report))
        (question_section(report))
        (days(report))
        (undone(report))
        (rule_section(report))
        (count_section("By folder", "folder", &report.folders))
        (count_section("By agent", "agent", &report.agents))
        (calls(report))
        script { (PreEscaped(SCRIPT)) }
    };
    shell("guard-host report", &body)
}

fn top(report: &Report<'_>) -> Markup {
    let stats = &report.stats;
    let action = |name: &str| stats.actions.get(name).copied().unwrap_or(0);
    let (copied, restored) = report.copies.counts();
    let always = [("denied", "deny", action("block")), ("asked about", "ask", action("confirm_required"))];
    let at_times = [
        ("would have been stopped", "would", action("would-ask") + action("would-deny")),
        ("calls with a copy", "ok", copied),
        ("copies restored", "ok", restored),
        ("faults", "", action("error")),
    ];
    let at_times = at_times.into_iter().filter(|(_, _, count)| *count > 0);
    html! {
        h1 { "guard-host report" }
        p class="lead" { (sentence(report)) }
        p class="dim" { "Made on " (time(&report.made)) "." }
        @if stats.damaged > 0 { p { "damaged lines that were passed over: " (stats.damaged) } }
        div class="tiles" {
            @for (name, class, count) in always.into_iter().chain(at_times).chain([("lines of the log", "", stats.lines)]) {
                div class="tile" { b class=(class) { (count) } (name) }
            }
        }
    }
}

/// Returns the section with the most severe blocked calls and the reasons.
fn blocked_section(report: &Report<'_>) -> Markup {
    let worst = worst(&report.calls);
    html! {
        h2 { "Blocked" }
        @if worst.is_empty() { p { "Nothing was blocked." } } @else {
            ol class="worst" {
                @for call in worst {
                    li {
                        code { bdi { (text(&call.operation)) } }
                        @if let Some(judged) = call.judged.as_ref().filter(|judged| !judged.reason.is_empty()) {
                            p { bdi { (judged.reason) } }
                        }
                        p class="dim" { (call.rule) ", " (call.times) "×, last on " (time(&call.last)) }
                    }
                }
            }
        }
    }
}

fn days(report: &Report<'_>) -> Markup {
    html! {
        h2 { "By day" }
        @if report.stats.days.is_empty() { p { "Nothing was logged." } } @else {
            @if let Some(trend) = trend(&report.stats) { p { (trend) } }
            (bars(&report.stats))
            ul class="key" {
                @for (class, name) in KINDS { li { span class=(class) {} (name) } }
            }
        }
    }
}

/// Returns the section with the calls with the most asks, each with a suggestion.
fn question_section(report: &Report<'_>) -> Markup {
    html! {
        h2 { "Asked most" }
        @if report.asked.is_empty() { p { "Nothing was asked about." } } @else {
            table class="stack" {
                thead {
                    tr { th { "call" } @for name in ["asked", "ran", "refused"] { th class="n" { (name) } } th { "suggestion" } }
                }
                tbody {
                    @for asked in &report.asked {
                        tr {
                            td class="call" { code { bdi { (text(&asked.operation)) } } }
                            @for (name, count) in [("asked", asked.asks), ("ran", asked.ran), ("refused", asked.refused)] {
                                td class="n" data-name=(name) { (count) }
                            }
                            td class="how" { (suggestion(asked, &report.suggestions)) }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the section with the calls whose losses were backed up, restored ones first.
fn undone(report: &Report<'_>) -> Markup {
    let copies = report.copies.newest_calls();
    if copies.is_empty() {
        return html! {};
    }
    let kept = |copied: &BackedUpCall| match (copied.is_gone, copied.is_part) {
        (true, _) => "removed since",
        (false, true) => "a part",
        (false, false) => "all",
    };
    html! {
        h2 { "Copies and restores" }
        table class="stack" {
            thead { tr { th { "call" } th { "time" } th { "copy" } th { "restored" } } }
            tbody {
                @for copied in copies.iter().take(ROWS) {
                    tr {
                        td class="call" { code { bdi { (text(&copied.operation)) } } }
                        td { (time(&copied.time)) }
                        td { (kept(copied)) }
                        td class="how" {
                            @if copied.restores.is_empty() { span class="dim" { "no" } }
                            @for (at, what) in &copied.restores { p { (time(at)) ": " bdi { (text(what)) } } }
                        }
                    }
                }
            }
        }
        @if copies.len() > ROWS { p class="dim" { "and " (copies.len() - ROWS) " others" } }
    }
}

fn suggestion(question: &PastQuestion, suggestions: &[Suggestion]) -> Markup {
    let is_it = |of: &&Suggestion| of.approved.iter().any(|other| other.id == question.id);
    html! {
        @match suggestions.iter().find(is_it) {
            None => span class="dim" { (question.no_suggestion_reason()) },
            Some(found) => {
                code { (plain(&found.instruction())) }
                " spares " (found.spares) " questions"
                @if !found.also.is_empty() { ", and would also let run " (found.also.len()) " other calls" }
            }
        }
    }
}

fn rule_section(report: &Report<'_>) -> Markup {
    let mut rules: Vec<(&String, &Actions)> = report.stats.rules.iter().collect();
    rules.sort_by_key(|(_, actions)| std::cmp::Reverse(actions.values().sum::<u64>()));
    html! {
        h2 { "By rule" }
        table class="stack" {
            thead { tr { th { "rule" } @for (_, name) in KINDS { th class="n" { (name) } } } }
            tbody {
                @for (rule, actions) in rules.iter().take(ROWS) {
                    tr {
                        td class="call" { bdi { (plain(rule)) } }
                        @for (count, (_, name)) in kinds(actions).iter().zip(KINDS) { td class="n" data-name=(name) { (count) } }
                    }
                }
            }
        }
        @if rules.len() > ROWS { p class="dim" { "and " (rules.len() - ROWS) " others" } }
    }
}

fn count_section(title: &str, what: &str, counts: &BTreeMap<String, u64>) -> Markup {
    let mut names: Vec<(&String, &u64)> = counts.iter().collect();
    names.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    html! {
        h2 { (title) }
        div class="wide" {
            table {
                thead { tr { th { (what) } th class="n" { "lines" } } }
                tbody {
                    @for (name, count) in names.iter().take(ROWS) {
                        tr { td { bdi { @if name.is_empty() { "(none)" } @else { (name) } } } td class="n" { (count) } }
                    }
                }
            }
        }
        @if names.len() > ROWS { p class="dim" { "and " (names.len() - ROWS) " others" } }
    }
}

fn calls(report: &Report<'_>) -> Markup {
    let names = |of: fn(&Call) -> Vec<&String>| {
        let names: BTreeSet<&String> = report.calls.iter().flat_map(of).filter(|name| !name.is_empty()).collect();
        names
    };
    let select = |id: &str, all: &str, of: fn(&Call) -> Vec<&String>| {
        html! { select id=(id) aria-label=(all) { option value="" { (all) } @for name in names(of) { option { (name) } } } }
    };
    html! {
        h2 id="calls-title" { "Calls" }
        form id="filters" {
            input id="search" type="search" placeholder="search (press /)" aria-label="search";
            (select("action", "every action", |call| vec![&call.action]))
            (select("rule", "every rule", |call| vec![&call.rule]))
            (select("agent", "every agent", |call| call.agents.iter().collect()))
        }
        p class="dim" id="shown" aria-live="polite" { (report.calls.len()) " distinct calls" }
        section id="calls" aria-labelledby="calls-title" {
            @for call in &report.calls { (call_row(call)) }
        }
        @if report.left_out > 0 { p { (report.left_out) " other calls are not listed; " code { "--since" } " shows fewer days." } }
    }
}

fn call_row(call: &Call) -> Markup {
    let class = KINDS.get(kind(&call.action)).map_or("", |(class, _)| class);
    html! {
        details data-action=(call.action) data-rule=(call.rule) data-agent=(list(&call.agents, "\n")) {
            summary {
                span class=(format!("word {class}")) { (call.action) }
                span class="dim" { (call.times) "×" }
                code { bdi { (call.operation) } }
            }
            dl {
                dt { "tool" } dd { (call.tool) }
                @if !call.rule.is_empty() { dt { "rule" } dd { (call.rule) } }
                dt { "folder" } dd { bdi { (call.cwd) } }
                dt { "agent" } dd { (list(&call.agents, ", ")) }
                @if !call.sessions.is_empty() { dt { "session" } dd { (list(&call.sessions, ", ")) } }
                @if call.actions.len() > 1 { dt { "outcomes" } dd { (format_counts(&call.actions)) } }
                dt { "last" } dd { (time(&call.last)) @if call.times > 1 { ", first " (time(&call.first)) } }
            }
            @if call.operation.len() > 80 || call.operation.contains('\n') { pre { bdi { (call.operation) } } }
            @if let Some(judged) = &call.judged {
                p class="dim" { (judged.understood) ", " @if judged.is_recorded { "as recorded" } @else { "as of now" } }
                pre { bdi { (judged.effects) } }
            }
        }
    }
}

/// Formats each action with its count.
fn format_counts(actions: &BTreeMap<String, u64>) -> String {
    actions.iter().map(|(action, count)| format!("{action} {count}×")).collect::<Vec<_>>().join(", ")
}

fn list(names: &BTreeSet<String>, between: &str) -> String {
    names.iter().map(String::as_str).collect::<Vec<_>>().join(between)
}

fn text(operation: &str) -> String {
    shorten(&plain(operation), CALL_BYTES)
}

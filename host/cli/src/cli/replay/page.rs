//! The result of a replay, as a page or a part of one. The templates escape all texts of calls.

use maud::{Markup, html};

use super::Replayed;
use super::replayed::format_count;
use super::tally::Group;
use crate::cli::html::shell;
use crate::cli::print;

/// Returns the whole page.
pub(super) fn html(replayed: &Replayed<'_>) -> String {
    let body = html! {
        h1 { "guard-host replay" }
        @if let Some(against) = &replayed.against { p { "against " code { bdi { (against) } } } }
        (part(replayed))
    };
    shell("guard-host replay", &body)
}

/// Returns the counts and differences.
pub(in crate::cli) fn part(replayed: &Replayed<'_>) -> Markup {
    html! {
        @for line in replayed.heading() { p class="dim" { (line) } }
        @if replayed.sum.differing > 0 {
            h3 { (replayed.sum.differing) " of the distinct calls were decided otherwise by the log" }
            div class="group" {
                @for (call, now) in replayed.tally.differing.values() {
                    p { "now " span class=(now.outcome) { (now) } ": " code { bdi { (call) } } }
                }
            }
        }
        @if replayed.against.is_none() { (verdicts(&replayed.sum.groups)) }
        @else if replayed.differences().next().is_none() { p { "No verdict differs." } }
        @for (change, groups) in replayed.differences() {
            h3 { (format_count(change, &groups)) }
            @for group in groups { (difference(group)) }
        }
    }
}

fn verdicts(groups: &[Group]) -> Markup {
    html! {
        div class="wide" {
            table {
                thead { tr { th { "verdict" } th { "rule" } th class="n" { "calls" } th class="n" { "distinct" } } }
                tbody {
                    @for group in groups {
                        tr {
                            td { span class=(group.first.outcome) { (group.first.outcome) } }
                            td { (group.first.rule) }
                            td class="n" { (group.calls) }
                            td class="n" { (group.distinct) }
                        }
                    }
                }
            }
        }
    }
}

fn difference(group: &Group) -> Markup {
    html! {
        div class="group" {
            p { b { (group.describe()) } span class="dim" { " (" (print::count(group.calls, "call")) ")" } }
            @for example in &group.examples {
                p {
                    code { bdi { (example.call) } } " "
                    span class="dim" {
                        "in " bdi { (example.cwd) }
                        @if example.times > 1 { ", " (example.times) "×" }
                        @if example.rests_on_missing { ", asked for what is not here" }
                    }
                }
            }
            @if group.omitted_count() > 0 { p class="dim" { "and " (group.omitted_count()) " others" } }
        }
    }
}

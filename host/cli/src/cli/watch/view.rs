//! Draws the screen. Control characters in the log's texts are removed.

use std::path::Path;

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, List, ListState, Paragraph, Wrap};

use super::state::{Detail, State};
use crate::cli::report::{action_word, agent};
use guard_hook::audit::Record;
use guard_redact::{plain, shorten};

/// The maximum length of a call and of an agent's name in the list, in bytes.
const CALL_BYTES: usize = 400;
const AGENT_BYTES: usize = 24;

const KEYS: &str = " ↑↓ choose   Enter explain   a allow   s only what was stopped   PgUp PgDn scroll   q end";

pub(super) fn draw(frame: &mut Frame<'_>, state: &State, log: &Path) {
    let [top, list, detail, bottom] = Layout::vertical([
        Constraint::Length(1),
        Constraint::Fill(if state.is_explained { 0 } else { 1 }),
        Constraint::Fill(1),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let records = state.records();
    let count = |action: &str| records.iter().filter(|record| record.action == action).count();
    let following = if state.follows() { ", following" } else { "" };
    let title = format!(
        " guard-host: {} denied, {} asked about{following}  {}",
        count("block"),
        count("confirm_required"),
        plain(&log.to_string_lossy())
    );
    frame.render_widget(Line::styled(title, Modifier::BOLD), top);
    if !state.is_explained {
        calls(frame, state, &records, list);
    }
    draw_details(frame, state, records.get(state.selected_index()).copied(), detail);
    let keys = if state.note.is_empty() { KEYS.to_owned() } else { format!(" {}", state.note) };
    frame.render_widget(Line::styled(keys, Modifier::REVERSED), bottom);
}

fn calls(frame: &mut Frame<'_>, state: &State, records: &[&Record], area: Rect) {
    if records.is_empty() {
        let text = "Nothing was logged yet. With `audit = { level = \"all\" }` in guard.toml, every call is logged.";
        frame.render_widget(Paragraph::new(text).wrap(Wrap { trim: true }), area);
        return;
    }
    let lines = records.iter().map(|record| line(record));
    let list = List::new(lines).highlight_style(Modifier::REVERSED);
    let mut chosen = ListState::default().with_selected(Some(state.selected_index()));
    frame.render_stateful_widget(list, area, &mut chosen);
}

fn line(record: &Record) -> Line<'static> {
    let time = record.ts.split('T').nth(1).and_then(|time| time.get(..8)).unwrap_or_default();
    let call = plain(&record.operation).split_whitespace().collect::<Vec<_>>().join(" ");
    let (word, colour) = action_label(&record.action);
    Line::from(vec![
        Span::raw(format!("{} ", plain(time))),
        Span::styled(format!("{word:<10} "), Style::new().fg(colour)),
        Span::styled(format!("{:<12} ", shorten(&plain(&agent(record)), AGENT_BYTES)), Modifier::DIM),
        Span::raw(format!("{}: {}", plain(&record.tool), shorten(&call, CALL_BYTES))),
    ])
}

/// Returns the word for an action, and its color.
fn action_label(action: &str) -> (String, Color) {
    let colour = match action {
        "block" | "error" => Color::Red,
        "confirm_required" | "warn" => Color::Yellow,
        "would-deny" | "would-ask" => Color::Magenta,
        _ => Color::Green,
    };
    (plain(action_word(action)), colour)
}

fn draw_details(frame: &mut Frame<'_>, state: &State, record: Option<&Record>, area: Rect) {
    let Some(record) = record else { return };
    let mut lines = vec![
        Line::styled(plain(&record.operation).replace('\n', " "), Modifier::BOLD),
        Line::raw(format!("in {}, session {}", plain(&record.cwd), plain(&record.session))),
        Line::raw(match record.rules.as_slice() {
            [] => action_label(&record.action).0,
            rules => format!("{} [{}]", action_label(&record.action).0, plain(&rules.join(", "))),
        }),
    ];
    let known = state.detail.as_ref().filter(|detail| detail.id == record.id);
    lines.extend(known.map(detail_lines).unwrap_or_default());
    let block = Block::new().borders(Borders::TOP);
    let text = Paragraph::new(lines).wrap(Wrap { trim: false }).scroll((state.above, 0));
    frame.render_widget(text.block(block), area);
}

/// Formats the details of a call that its line doesn't show.
fn detail_lines(detail: &Detail) -> Vec<Line<'static>> {
    let Some(parts) = &detail.parts else {
        return vec![Line::styled("The log does not say enough of this call to explain it.", Modifier::DIM)];
    };
    let when = if detail.is_recorded { "as recorded" } else { "as of now" };
    let mut texts = vec![String::new(), format!("{}, {when}", parts.understood)];
    texts.extend(parts.tree.iter().map(|line| format!("  {line}")));
    texts.push(String::new());
    texts.extend(parts.reason.lines().map(str::to_owned));
    texts.extend(parts.milder.iter().cloned());
    texts.extend(parts.policies.iter().cloned());
    texts.iter().map(|text| Line::raw(plain(text))).collect()
}

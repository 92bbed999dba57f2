//! `guard-host audit watch`: shows the audit log on a terminal while agents work.
//!
//! A [`state::State`] changes with keys and new lines, and [`view`] draws it.

mod state;
mod view;

use std::io::{IsTerminal, stdin, stdout};
use std::path::Path;
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use serde_json::Value;

use super::args::{AllowArgs, WatchArgs};
use super::explain::Parts;
use super::subject::{Evaluators, call_context, exit_error, tool_calls};
use super::{allow, log, print};
use guard_config::load;
use guard_contract::exit::Exit;
use guard_hook::audit::{Decision, Next, Reader, Record, Selection};
use guard_hook::chain::Trace;
use guard_state::AppDirs;
use guard_state::environment::Environment;
use state::{Detail, PersonRequest, State};

/// The interval at which the log is read while no key is pressed.
const PAUSE: Duration = Duration::from_millis(200);

pub(super) fn run(args: &WatchArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    if !stdin().is_terminal() || !stdout().is_terminal() {
        let hint = "`guard-host audit show --follow` prints one line for each decision";
        return Err(exit_error(Exit::Usage, "there is no terminal to draw on", hint));
    }
    let config = load(dirs, &call_context(environment, None).projects());
    let mut watch = Watch {
        log: &config.audit.path,
        reader: log::open(&config.audit.path)?,
        selection: log::selection(&args.filters)?,
        evaluators: Evaluators::new(dirs, environment),
        environment,
    };
    let mut state = State::default();
    loop {
        let mut terminal = ratatui::try_init()?;
        terminal.backend_mut().clear()?;
        let wish = watch.follow(&mut state, &mut terminal);
        ratatui::restore();
        match wish? {
            PersonRequest::End => return Ok(Exit::Success),
            PersonRequest::Allow(id) => {
                if let Err(error) = allow::run(&AllowArgs::for_question(&id), dirs, environment) {
                    print::error(&error);
                }
                print::problem("\npress Enter to go on");
                stdin().read_line(&mut String::new())?;
                // New allows apply from now on.
                watch.evaluators = Evaluators::new(dirs, environment);
                state.detail = None;
            }
        }
    }
}

/// The source of the decisions, and what is needed to explain them.
struct Watch<'a> {
    log: &'a Path,
    reader: Reader,
    selection: Selection,
    evaluators: Evaluators<'a>,
    environment: &'a Environment,
}

impl Watch<'_> {
    /// Draws the decisions until the person requests something else.
    fn follow(&mut self, state: &mut State, terminal: &mut DefaultTerminal) -> anyhow::Result<PersonRequest> {
        let mut is_stale = true;
        loop {
            while let Next::Record(record, line) = self.reader.read()? {
                if self.selection.wants(&record) {
                    state.add(*record, || Decision::parse(&line));
                    is_stale = true;
                }
            }
            if is_stale {
                if let Some((record, decision)) = state.missing_details() {
                    state.detail = Some(self.detail(&record, decision.as_ref())?);
                }
                terminal.draw(|frame| view::draw(frame, state, self.log))?;
            }
            is_stale = event::poll(PAUSE)?;
            if is_stale
                && let Event::Key(key) = event::read()?
                && key.kind == KeyEventKind::Press
                && let Some(wish) = state.press(key)
            {
                return Ok(wish);
            }
        }
    }

    /// Collects the details of a call that its line does not show.
    fn detail(&mut self, record: &Record, decision: Option<&Decision>) -> anyhow::Result<Detail> {
        let trace = match decision {
            Some(decision) => Some(self.evaluators.evaluator_at(&decision.at)?.repeat(decision)),
            None => self.decide_now(record)?,
        };
        let parts = trace.as_ref().map(Parts::new);
        Ok(Detail { id: record.id.clone(), parts, is_recorded: decision.is_some() })
    }

    /// Returns the trace of the call as it would be decided now, if the line has enough information.
    fn decide_now(&mut self, record: &Record) -> anyhow::Result<Option<Trace>> {
        if record.tool != "Bash" {
            return Ok(None);
        }
        let at = call_context(self.environment, Some(&record.cwd));
        let Ok(calls) = tool_calls("Bash", Value::String(record.operation.clone())) else { return Ok(None) };
        self.evaluators.decide(&calls, &at)
    }
}

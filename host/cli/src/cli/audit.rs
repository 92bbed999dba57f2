//! `guard-host audit`: shows and counts the log's lines, and verifies its chain. [`ship`] sends it.

use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use super::args::{AllowArgs, AuditArgs, AuditCommand, Format};
use super::past_questions::{self, PastQuestion, Questions, Suggestion};
use super::subject::{call_context, exit_error};
use super::terminal::{is_agreed, is_attended, terminal_error};
use super::{allow, log, print, report, ship, watch};
use guard_config::{Audit, load};
use guard_contract::exit::Exit;
use guard_hook::audit::{Actions, Next, Reader, Record, Selection, Stats, WOULD_ASK, WOULD_DENY, append_deed};
use guard_redact::{plain, shorten};
use guard_state::environment::Environment;
use guard_state::{ACCEPT, AppDirs, ChainBreak, Verified};

/// The interval at which a followed log is read.
const PAUSE: Duration = Duration::from_millis(200);

/// The maximum length of an operation in readable output, in bytes.
const OPERATION_BYTES: usize = 160;

/// The maximum number of calls that are shown for a suggestion.
const SHOWN: usize = 10;

/// The maximum length of a name in readable output, in bytes.
const NAME_BYTES: usize = 64;

pub(super) fn run(args: &AuditArgs, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<Exit> {
    match &args.command {
        AuditCommand::Watch(args) => return watch::run(args, dirs, environment),
        AuditCommand::Report(args) => return report::run(args, dirs, environment),
        _ => {}
    }
    let config = load(dirs, &call_context(environment, None).projects());
    let path = &config.audit.path;
    match &args.command {
        AuditCommand::Show { filters, last, follow, format } => {
            let selection = log::selection(filters)?;
            log::note_missing(path);
            let mut reader = log::open(path)?;
            let mut show = Show { selection, format: *format, kept: VecDeque::new(), last: *last };
            show.print_all(&mut reader)?;
            if *follow {
                // Ends with a signal or a broken pipe.
                loop {
                    std::thread::sleep(PAUSE);
                    show.print_all(&mut reader)?;
                }
            }
            reader.drop_unfinished();
            show.print_last()?;
            print_damaged(reader.damaged, path);
        }
        AuditCommand::Stats { filters, format } => {
            log::note_missing(path);
            stats(&log::selection(filters)?, path, *format)?;
        }
        AuditCommand::Verify { accept, format } => {
            // A deleted log is a break of its chain.
            if !guard_hook::audit::last_line(path).exists() {
                log::require(path)?;
            }
            log::require_own(path, "verify")?;
            if *accept && !accept_break(&config.audit, dirs, environment)? {
                return Ok(Exit::Failures);
            }
            return verify(path, dirs, *format);
        }
        AuditCommand::Ship(args) => {
            log::require_own(path, "ship --to URL")?;
            return ship::run(args, path, dirs);
        }
        AuditCommand::Watch(_) | AuditCommand::Report(_) => {}
        AuditCommand::Suggest { filters, apply, format } => {
            return suggest(&log::selection(filters)?, *apply, *format, path, dirs, environment);
        }
    }
    Ok(Exit::Success)
}

fn checked(path: &Path, dirs: &AppDirs) -> anyhow::Result<Result<Verified, ChainBreak>> {
    guard_hook::audit::verify(path, &dirs.state).map_err(|error| {
        let text = format!("can't check the audit log `{}`: {error}", path.display());
        exit_error(Exit::NoInput, text, "check that the file and its folder are yours, then try again")
    })
}

/// Has a person accept the first break of the log's chain. Returns false if they refuse.
fn accept_break(audit: &Audit, dirs: &AppDirs, environment: &Environment) -> anyhow::Result<bool> {
    let Err(found) = checked(&audit.path, dirs)? else { return Ok(true) };
    print::line(&found.to_string())?;
    if !is_attended() {
        return Err(terminal_error("a wrong line of the log is accepted", "guard-host audit verify --accept"));
    }
    if !is_agreed("Accept it, and check the log from here on?")? {
        print::note("nothing was changed");
        return Ok(false);
    }
    append_deed(audit, ACCEPT, &found.to_string(), &environment.cwd)?;
    guard_hook::audit::accept(&audit.path, &dirs.state, &found).map_err(|error| {
        let text = format!("the wrong line is not accepted: {error}");
        exit_error(Exit::NoInput, text, "check that the log and its folder are yours, then try again")
    })?;
    Ok(true)
}

/// Verifies the log's chain.
fn verify(path: &Path, dirs: &AppDirs, format: Format) -> anyhow::Result<Exit> {
    let checked = checked(path, dirs)?;
    let (wrong, found) = match &checked {
        Ok(found) => (None, found),
        Err(wrong) => (Some(wrong), &Verified::default()),
    };
    if format == Format::Json {
        let place = wrong.map(|wrong| (wrong.place.file.display().to_string(), wrong.place.line));
        let (file, line) = place.unzip();
        print::json(&serde_json::json!({
            "whole": wrong.is_none(), "file": file, "line": line, "problem": wrong.map(|wrong| &wrong.text),
            "lines": found.lines, "first": found.numbers.0, "last": found.numbers.1, "older": found.older,
            "apart": found.apart, "unfinished": found.unfinished, "accepted": found.accepted,
        }))?;
    } else if let Some(wrong) = wrong {
        print::line(&wrong.to_string())?;
    } else {
        let (first, last) = found.numbers;
        match found.lines {
            0 => print::line("the audit log has no line with a place in a chain")?,
            lines => print::line(&format!("whole: {}, number {first} to {last}", print::count(lines, "line")))?,
        }
        for (count, text) in [
            (found.older, "from before the chain, which prove nothing"),
            (found.apart, "written while another process held the lock: sealed, at no proven place"),
            (found.unfinished, "left unfinished by a process that was stopped"),
        ] {
            if count > 0 {
                print::line(&format!("{} {text}", print::count(count, "line")))?;
            }
        }
        if let Some(accepted) = &found.accepted {
            print::line(&format!(
                "not counted: the lines before number {first}, where a person accepted this: {accepted}"
            ))?;
        }
    }
    Ok(if wrong.is_none() { Exit::Success } else { Exit::Failures })
}

fn suggest(
    selection: &Selection,
    apply: Option<usize>,
    format: Format,
    path: &Path,
    dirs: &AppDirs,
    environment: &Environment,
) -> anyhow::Result<Exit> {
    let mut questions = Questions::default();
    let damage = log::for_each_record(path, selection, |record, _| {
        questions.add(record);
        Ok(())
    })?;
    print_damaged(damage, path);
    let asked = questions.by_frequency();
    let suggestions = past_questions::suggest(&asked, dirs, environment)?;
    if let Some(number) = apply {
        let found = number.checked_sub(1).and_then(|index| suggestions.get(index));
        let Some(found) = found else {
            let hint = "`guard-host audit suggest` lists them";
            return Err(exit_error(Exit::Usage, format!("there is no suggestion {number}"), hint));
        };
        if found.undo {
            if !is_attended() {
                let command = format!("guard-host audit suggest --apply {number}");
                return Err(terminal_error("copies take the place of questions", &command));
            }
            print_suggestion(number, found)?;
            if !is_agreed(&format!("Write it into {}?", dirs.config.display()))? {
                return print::line("nothing was changed").map(|()| Exit::Success);
            }
            let back = allow::copy_instead(dirs, environment, &call_context(environment, None))?;
            return print::line(&format!("written; {back}")).map(|()| Exit::Success);
        }
        return match found.lower.split_once(':') {
            None => allow::run(&AllowArgs::for_question(&found.id), dirs, environment),
            Some(rule) => {
                if !is_attended() {
                    let command = format!("guard-host audit suggest --apply {number}");
                    return Err(terminal_error("a rule is lowered", &command));
                }
                print_suggestion(number, found)?;
                let (policy, rule) = rule;
                if !is_agreed(&format!("Write it into {}?", dirs.config.display()))? {
                    return print::line("nothing was changed").map(|()| Exit::Success);
                }
                let setting = allow::Setting { policy: policy.to_owned(), key: "lower", item: rule.to_owned() };
                let back = allow::set(&[setting], dirs, environment, &call_context(environment, None))?;
                print::line(&format!("written; {back}")).map(|()| Exit::Success)
            }
        };
    }
    if format == Format::Json {
        print::json(&suggestions)?;
        return Ok(Exit::Success);
    }
    if suggestions.is_empty() {
        let of = asked.iter().map(|asked| asked.asks).sum::<u64>();
        print::line(&format!(
            "no suggestion: no call was approved every time it was asked ({})",
            print::count(of, "question")
        ))?;
        let unclear = asked.iter().map(|asked| asked.unclear).sum::<u64>();
        if unclear > 0 {
            let calls = print::count(unclear, "call");
            print::line(&format!("  {calls} ran after a question, but the log can't say whether you approved them"))?;
            print::line("  `guard-host allow --last` ends a question without a suggestion")?;
        }
    }
    (1..).zip(&suggestions).try_for_each(|(number, suggestion)| print_suggestion(number, suggestion))?;
    if !suggestions.is_empty() {
        print::line("\n`guard-host audit suggest --apply N` shows what number N would write, and asks before it does")?;
    }
    Ok(Exit::Success)
}

/// Prints a suggestion with its number.
fn print_suggestion(number: usize, suggestion: &Suggestion) -> anyhow::Result<()> {
    let spares = print::count(suggestion.spares, "question");
    print::line(&format!("{number}  spares {spares}: {}", suggestion.instruction()))?;
    print_questions(&suggestion.approved)?;
    if !suggestion.also.is_empty() {
        print::line("   would also have let pass, refused or with no known outcome:")?;
        print_questions(&suggestion.also)?;
    }
    Ok(())
}

/// Prints the calls with the most asks.
fn print_questions(calls: &[PastQuestion]) -> anyhow::Result<()> {
    calls.iter().take(SHOWN).try_for_each(|question| print::line(&describe_question(question)))?;
    match calls.len().saturating_sub(SHOWN) {
        0 => Ok(()),
        more => print::line(&format!("   and {} more", print::count(more as u64, "command"))),
    }
}

/// Formats a call with its asks for people.
fn describe_question(question: &PastQuestion) -> String {
    let (operation, cwd) = (shorten(&join_lines(&question.operation), OPERATION_BYTES), join_lines(&question.cwd));
    format!("   {operation}  ({} asked, {} ran, {} refused, in {cwd})", question.asks, question.ran, question.refused)
}

/// Prints the selected lines of a log.
struct Show {
    selection: Selection,
    format: Format,
    last: Option<usize>,
    /// The last lines so far, if only those are selected.
    kept: VecDeque<String>,
}

impl Show {
    /// Prints the remaining lines, or saves them if only the last lines are selected.
    fn print_all(&mut self, reader: &mut Reader) -> anyhow::Result<()> {
        while let Next::Record(record, line) = reader.read()? {
            if !self.selection.wants(&record) {
                continue;
            }
            let text = if self.format == Format::Json { line } else { human(&record) };
            match self.last {
                None => print::line(&text)?,
                Some(0) => {}
                Some(most) => {
                    if self.kept.len() >= most {
                        self.kept.pop_front();
                    }
                    self.kept.push_back(text);
                }
            }
        }
        Ok(())
    }

    fn print_last(&mut self) -> anyhow::Result<()> {
        self.kept.drain(..).try_for_each(|line| print::line(&line))
    }
}

/// Formats a line for people. Another program may have written the log, so texts are escaped for terminals.
fn human(record: &Record) -> String {
    let name = |text: &str| shorten(&join_lines(text), NAME_BYTES);
    let rule = match (record.policy.as_str(), record.rule.as_str()) {
        ("", "") => "-".to_owned(),
        ("", rule) => name(rule),
        (policy, rule) => format!("{}:{}", name(policy), name(rule)),
    };
    let outcome = match record.action.as_str() {
        "block" => "deny",
        "confirm_required" => "ask",
        "warn" | "error" | WOULD_ASK | WOULD_DENY => "warn",
        _ => "",
    };
    let action = print::color_by_outcome(&format!("{:<16}", name(&record.action)), outcome);
    let operation = shorten(&join_lines(&record.operation), OPERATION_BYTES);
    format!("{}  {action}  {:<8}  {rule}  {operation}", name(&record.ts), name(&record.tool))
}

fn join_lines(text: &str) -> String {
    plain(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

fn print_damaged(count: u64, path: &Path) {
    if count > 0 {
        print::note(&format!("warning: {count} damaged lines in {} were passed over", path.display()));
    }
}

fn stats(selection: &Selection, path: &Path, format: Format) -> anyhow::Result<()> {
    let mut stats = Stats::default();
    stats.damaged = log::for_each_record(path, selection, |record, _| {
        stats.add(record);
        Ok(())
    })?;
    if format == Format::Json {
        return print::json(&stats);
    }
    print::line(&format!("lines      {}", stats.lines))?;
    if stats.lines > 0 {
        print::line(&format!("time       {} to {}", join_lines(&stats.from), join_lines(&stats.to)))?;
        print::line(&format!("actions    {}", counts(&stats.actions)))?;
    }
    for (title, groups) in [("policy", &stats.policies), ("rule", &stats.rules), ("day", &stats.days)] {
        let mut groups: Vec<(&String, &Actions)> = groups.iter().collect();
        if title != "day" {
            groups.sort_by_key(|(_, actions)| std::cmp::Reverse(actions.values().sum::<u64>()));
        }
        for (name, actions) in groups {
            print::line(&format!("{title:<10} {}: {}", join_lines(name), counts(actions)))?;
        }
    }
    let overrides = stats.actions.get(guard_hook::audit::OVERRIDE).copied().unwrap_or(0);
    print::line(&format!("overrides  {overrides}"))?;
    for (rule, count) in &stats.overrides {
        print::line(&format!("override   {}: {count}", join_lines(rule)))?;
    }
    for (rule, count) in &stats.noted {
        print::line(&format!("noted      {}: {count}", join_lines(rule)))?;
    }
    print_damaged(stats.damaged, path);
    Ok(())
}

fn counts(actions: &Actions) -> String {
    actions.iter().map(|(action, count)| format!("{count} {}", join_lines(action))).collect::<Vec<_>>().join(", ")
}

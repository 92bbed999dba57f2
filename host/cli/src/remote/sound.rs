//! Checks a server's answer: it must be complete, consistent, and have no unknown words.

use serde_json::{Map, Value};

use guard_chain::exchange::{JournalEntry, Response};
use guard_contract::limits::JOURNAL_LINE_BYTES;
use guard_contract::verdict::{Attributed, CONFIRMED, Verdict};
use guard_contract::{Outcome, worse};

/// Parses the answer, if it is valid.
pub(super) fn response(body: &[u8]) -> Result<Response, String> {
    let odd = |error: serde_json::Error| format!("its answer cannot be read: {error}");
    let value: Value = serde_json::from_slice(body).map_err(odd)?;
    let mut response: Response = serde_json::from_value(value.clone()).map_err(odd)?;
    // An unknown key may change the meaning of the others.
    let is_same = |key: &str, known: Result<Value, _>| known.is_ok_and(|known: Value| value.get(key) == Some(&known));
    if !is_same("verdict", serde_json::to_value(&response.verdict))
        || !is_same("journal", serde_json::to_value(&response.journal))
    {
        return Err("its answer cannot be read: it has keys that are not known here".to_owned());
    }
    check_outcome(&response.verdict)?;
    if !response.journal.iter().all(is_line) {
        return Err("its answer has a line for a journal that is none".to_owned());
    }
    // The closing text of a reply is always this machine's.
    response.verdict.closing.clear();
    response.verdict.skips_prompt = false;
    Ok(response)
}

/// Checks that the outcome follows from the findings, and that none of them claims a person's approval.
fn check_outcome(verdict: &Verdict) -> Result<(), String> {
    let found = verdict.findings.iter().map(|found| found.finding.outcome);
    if found.fold(Outcome::Abstain, worse) != verdict.outcome {
        return Err("its answer contradicts itself: the outcome is not that of the findings".to_owned());
    }
    let is_persons = |found: &Attributed| found.of_host && found.finding.rule == CONFIRMED;
    match verdict.findings.iter().chain(&verdict.lifted).any(is_persons) {
        true => Err("its answer speaks for a person".to_owned()),
        false => Ok(()),
    }
}

fn is_line(entry: &JournalEntry) -> bool {
    entry.object.len() <= JOURNAL_LINE_BYTES && serde_json::from_str::<Map<String, Value>>(&entry.object).is_ok()
}

//! Calls whose arguments say more than the tool's name: a statement in parts, volumes that go, money, who may see a
//! repository.

use serde_json::{Map, Value};

use super::super::names::normalize;
use crate::shell_word::word;

/// The commands that the arguments amount to.
pub(super) fn lines(action: &[String], input: &Map<String, Value>) -> Vec<String> {
    [statement(input), volumes(action, input), money(action, input), published_repository(action, input)]
        .into_iter()
        .flatten()
        .collect()
}

fn value<'v>(input: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    input.iter().find(|(key, _)| names.contains(&normalize(key).as_str())).map(|(_, value)| value)
}

fn text<'v>(input: &'v Map<String, Value>, names: &[&str]) -> Option<&'v str> {
    value(input, names)?.as_str()
}

/// A statement whose verb, table and condition are arguments of their own.
fn statement(input: &Map<String, Value>) -> Option<String> {
    let verb = super::verb(input)?.to_ascii_lowercase();
    let table = text(input, &["table", "tablename"])?;
    let condition = match value(input, &["where", "whereclause", "filter", "filters", "condition", "conditions"]) {
        Some(Value::String(text)) if !text.trim().is_empty() => format!(" WHERE {text}"),
        Some(Value::Object(given)) if !given.is_empty() => " WHERE id = 1".to_owned(),
        Some(Value::Array(given)) if !given.is_empty() => " WHERE id = 1".to_owned(),
        _ if value(input, &["id", "ids", "key", "recordid", "recordids", "rowid"]).is_some() => {
            " WHERE id = 1".to_owned()
        }
        _ => String::new(),
    };
    let statement = match verb.as_str() {
        "delete" => format!("DELETE FROM {table}{condition}"),
        "update" => format!("UPDATE {table} SET a = 1{condition}"),
        "truncate" => format!("TRUNCATE TABLE {table}"),
        "drop" => format!("DROP TABLE {table}"),
        _ => return None,
    };
    Some(format!("psql -c {}", word(&statement)))
}

/// Services that are taken down with their volumes.
fn volumes(action: &[String], input: &Map<String, Value>) -> Option<String> {
    let is_down = action.iter().any(|word| word == "down");
    let goes = value(input, &["volumes", "removevolumes", "withvolumes", "deletevolumes"])? == &Value::Bool(true);
    (is_down && goes).then(|| "docker compose down -v".to_owned())
}

/// Verbs for money that can't be had back, and words for money behind one that others have as well.
const SENDS: &[&str] = &["transfer", "withdraw", "payout"];
const MONEY: &[&str] =
    &["btc", "coins", "crypto", "eth", "funds", "money", "payment", "sol", "tokens", "transaction", "usdc"];

/// Money that goes to somebody: an amount and whose it is then.
fn money(action: &[String], input: &Map<String, Value>) -> Option<String> {
    let of_money = || action.iter().any(|word| MONEY.contains(&word.as_str()));
    action.first().filter(|verb| SENDS.contains(&verb.as_str()) || *verb == "send" && of_money())?;
    value(input, &["amount", "value", "quantity", "lamports", "amountusd"])?;
    value(input, &["to", "toaddress", "recipient", "recipientaddress", "destination", "payee", "address"])?;
    Some("stripe transfers create --live".to_owned())
}

/// A repository that everybody may read afterwards.
fn published_repository(action: &[String], input: &Map<String, Value>) -> Option<String> {
    let changes = action.first().is_some_and(|verb| matches!(verb.as_str(), "update" | "edit" | "set" | "change"));
    let is_repository = action.iter().any(|word| word.starts_with("repo") || word == "project");
    let is_public = text(input, &["visibility"]) == Some("public")
        || value(input, &["private", "isprivate"]) == Some(&Value::Bool(false));
    (changes && is_repository && is_public).then(|| "gh repo edit x --visibility public".to_owned())
}

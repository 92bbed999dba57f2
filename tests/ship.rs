//! `audit ship`: what reaches a failing receiver, and the command's messages.

mod failures;
pub(crate) mod receiver;
mod rotation;
mod tls;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::support::pages::{Shell, blocks};
use crate::support::texts::{Transcript, normalized_output};
use crate::support::world::{ProcessOutput, World};
use crate::texts::assert_text;
use receiver::{Mode, Receiver};

const LOG: &str = ".local/state/guard-host/audit.jsonl";
const ROTATED: &str = ".local/state/guard-host/audit.jsonl.1";

/// Returns a line of the log.
fn line(number: usize) -> String {
    let record = json!({
        "ts": "2026-01-02T03:04:05.678Z", "tool": "Bash", "operation": format!("echo {number}"), "action": "block",
        "rule": "r", "id": format!("{number:016x}"), "policy": "p", "rules": ["p:r"], "ms": 1.5,
    });
    format!("{record}\n")
}

fn lines(numbers: impl IntoIterator<Item = usize>) -> String {
    numbers.into_iter().map(line).collect()
}

fn ids(numbers: impl IntoIterator<Item = usize>) -> BTreeSet<String> {
    numbers.into_iter().map(|number| format!("{number:016x}")).collect()
}

fn ship(world: &World, receiver: &Receiver, options: &[&str]) -> ProcessOutput {
    world.run(&[&["audit", "ship", "--to", &receiver.url], options].concat(), "")
}

/// Sends the rest, which must succeed. Returns the reported number of lines.
#[track_caller]
fn ship_all(world: &World, receiver: &Receiver) -> usize {
    let ended = ship(world, receiver, &[]);
    assert_eq!((ended.exit, ended.stderr.as_str()), (0, ""), "{ended:?}");
    sent(&ended)
}

#[track_caller]
fn sent(ended: &ProcessOutput) -> usize {
    let rest = ended.stdout.strip_prefix("sent ").unwrap_or_else(|| panic!("{ended:?}"));
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// Returns the file of the cursor.
fn cursor(world: &World) -> PathBuf {
    let folder = fs::read_dir(world.path(".local/state/guard-host/ship")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap()
}

#[test]
fn all_lines_arrive_in_batches_and_the_next_run_goes_on() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(ROTATED, lines(0..700));
    world.write(LOG, lines(700..1200));
    let ended = ship(&world, &receiver, &[]);
    let said = format!("sent 1200 lines to {}/v1/logs\n", receiver.url);
    assert_eq!((ended.exit, ended.stdout.as_str(), ended.stderr.as_str()), (0, said.as_str(), ""));
    assert_eq!(receiver.ids(), ids(0..1200));
    assert_eq!(receiver.batches(), [512, 512, 176]);
    assert_eq!(fs::metadata(cursor(&world)).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(ship_all(&world, &receiver), 0);
    world.write(LOG, lines(700..1201));
    assert_eq!(ship_all(&world, &receiver), 1);
    assert_eq!(receiver.ids(), ids(0..1201));
    assert_eq!(receiver.twice(), 0);
    // Another receiver has its own cursor.
    let other = Receiver::start();
    assert_eq!(ship_all(&world, &other), 1201);
}

#[test]
fn a_batch_is_bounded_in_bytes() {
    let world = World::new();
    let receiver = Receiver::start();
    let long = |number: usize| line(number).replace("echo", &"x".repeat(400 << 10));
    world.write(LOG, (0..5).map(long).collect::<String>());
    assert_eq!(ship_all(&world, &receiver), 5);
    assert_eq!(receiver.batches(), [2, 2, 1]);
}

#[test]
fn a_record_is_what_the_line_says() {
    let world = World::new();
    let receiver = Receiver::start();
    world.bash("git push");
    world.bash("rm -rf /");
    assert_eq!(ship_all(&world, &receiver), 2);
    let log = world.audit();
    for (line, (id, record)) in log.iter().zip(receiver.records()) {
        assert_eq!(line["id"], id.as_str());
        assert_eq!(record["body"]["stringValue"], line["operation"]);
        assert_eq!(record["severityText"], line["action"]);
        let severity = if line["action"] == "block" { 17 } else { 13 };
        assert_eq!(record["severityNumber"], severity);
        let attributes = record["attributes"].as_array().unwrap();
        let find = |key: &str| attributes.iter().find(|attribute| attribute["key"] == key).map(|of| &of["value"]);
        assert_eq!(find("guard.harness"), Some(&json!({ "stringValue": "claude" })));
        assert_eq!(find("guard.session"), Some(&json!({ "stringValue": "s1" })));
        // Each key of the line except the body, and the id under its name in OpenTelemetry.
        assert_eq!(attributes.len(), line.as_object().unwrap().len() + 1, "{attributes:?}");
        let nanoseconds: u64 = record["timeUnixNano"].as_str().unwrap().parse().unwrap();
        assert!(nanoseconds > 1_700_000_000_000_000_000);
    }
    let request = &receiver.requests()[0];
    assert!(request.head.starts_with("POST /v1/logs HTTP/1.1"), "{}", request.head);
    assert!(request.head.to_ascii_lowercase().contains("content-type: application/json"), "{}", request.head);
    let resource = &request.body["resourceLogs"][0]["resource"]["attributes"];
    assert_eq!(resource[0], json!({ "key": "service.name", "value": { "stringValue": "guard-host" } }));
    assert_eq!(resource[1]["value"]["stringValue"], env!("CARGO_PKG_VERSION"));
    assert!(!resource[2]["value"]["stringValue"].as_str().unwrap().is_empty());
}

#[test]
fn damaged_lines_are_counted_and_told_once() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(ROTATED, line(1) + "{\"ts\":\"cut\n" + &line(2) + "{\"ts\"");
    world.write(LOG, line(3) + "\n\u{0}\u{0}\n" + &"x".repeat((1 << 20) + 1) + "\n" + &line(4) + "{\"ts\"");
    let ended = ship(&world, &receiver, &[]);
    assert_eq!((ended.exit, sent(&ended)), (1, 4), "{ended:?}");
    assert_text!("ship_damaged", normalized_output(&world, &ended));
    assert_eq!(receiver.ids(), ids(1..5));
    // The last line may still be incomplete.
    assert_eq!(ship_all(&world, &receiver), 0);
    let log = world.path(LOG);
    let text = fs::read_to_string(&log).unwrap();
    fs::write(&log, text.strip_suffix("{\"ts\"").unwrap().to_owned() + &line(5)).unwrap();
    assert_eq!(ship_all(&world, &receiver), 1);
}

#[test]
fn a_line_without_an_id_has_one_that_stays() {
    let world = World::new();
    let receiver = Receiver::start();
    let old = "{\"ts\":\"2026-01-02T03:04:05.678Z\",\"action\":\"block\",\"operation\":\"ls\"}\n";
    world.write(LOG, old.repeat(2));
    assert_eq!(ship_all(&world, &receiver), 2);
    assert_eq!(receiver.ids().len(), 2, "equal lines at other places are others");
    fs::rename(world.path(LOG), world.path(ROTATED)).unwrap();
    fs::remove_file(cursor(&world)).unwrap();
    assert_eq!(ship_all(&world, &receiver), 2);
    assert_eq!((receiver.ids().len(), receiver.twice()), (2, 2));
}

#[test]
fn a_cursor_that_is_garbage_is_told_and_begins_anew() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    assert_eq!(ship_all(&world, &receiver), 3);
    let place = cursor(&world);
    let mut transcript = Transcript::default();
    for text in ["", "garbage", "{\"version\":9,\"lines\":0,\"marks\":[]}"] {
        fs::write(&place, text).unwrap();
        let ended = ship(&world, &receiver, &[]);
        assert_eq!(sent(&ended), 3, "{text}: {ended:?}");
        transcript.add(&world, 0, &ended);
    }
    fs::set_permissions(&place, fs::Permissions::from_mode(0o666)).unwrap();
    transcript.add(&world, 0, &ship(&world, &receiver, &[]));
    assert_text!("ship_cursor", transcript.0);
    assert_eq!(ship_all(&world, &receiver), 0);
    assert_eq!((receiver.ids(), receiver.differing()), (ids(0..3), 0));
}

#[test]
fn headers_come_from_a_private_file() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, line(1));
    let file = world.write("headers", "# of the collector\nAuthorization: Bearer abc123\n\nx-tenant: a b\n");
    let options = ["--header-file", file.to_str().unwrap()];
    let set = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    set(0o640);
    let mut transcript = Transcript::default();
    let ended = ship(&world, &receiver, &options);
    transcript.add(&world, 78, &ended);
    assert!(!ended.stderr.contains("abc123") && receiver.requests().is_empty(), "{ended:?}");
    set(0o600);
    assert_eq!(ship(&world, &receiver, &options).exit, 0);
    let head = receiver.requests()[0].head.to_ascii_lowercase();
    assert!(head.contains("\r\nauthorization: bearer abc123\r\n") && head.contains("\r\nx-tenant: a b\r\n"), "{head}");
    for text in ["secretword", "a b: secretword", "Host: secretword", "x: secretword\u{1}"] {
        fs::write(&file, text).unwrap();
        let ended = ship(&world, &receiver, &options);
        transcript.add(&world, 78, &ended);
        assert!(!ended.stderr.contains("secretword"), "{ended:?}");
    }
    transcript.add(&world, 78, &ship(&world, &receiver, &["--header-file", "gone"]));
    assert_text!("ship_headers", transcript.0);
}

#[test]
fn an_address_that_is_none_is_refused() {
    let world = World::new();
    world.write(LOG, line(1));
    let mut transcript = Transcript::default();
    for to in ["http://collector.example:4318", "collector.example", "https://me:word@collector.example"] {
        let ended = world.run(&["audit", "ship", "--to", to], "");
        transcript.add(&world, 64, &ended);
        assert!(!ended.stderr.contains("me:word"), "{ended:?}");
    }
    let file = world.write("ca.pem", "no certificate");
    let ended = world.run(&["audit", "ship", "--to", "https://localhost:9", "--ca", file.to_str().unwrap()], "");
    transcript.add(&world, 78, &ended);
    assert_text!("ship_address", transcript.0);
    assert_eq!(world.run(&["audit", "ship"], "").exit, 64);
}

#[test]
fn an_empty_log_is_sent_and_one_that_is_no_file_is_not() {
    let world = World::new();
    let receiver = Receiver::start();
    let log = world.write(LOG, "");
    assert_eq!(ship_all(&world, &receiver), 0);
    fs::remove_file(log).unwrap();
    fs::create_dir_all(world.path(LOG)).unwrap();
    let ended = ship(&world, &receiver, &[]);
    assert_text!("ship_no_file", &world, 66, ended);
    assert!(receiver.requests().is_empty());
}

/// `docs/ship.md`: its commands run, with the test's receiver in place of the page's.
#[test]
fn the_commands_of_the_page_run() {
    let page = "docs/ship.md";
    let receiver = Receiver::start();
    let mut shell = Shell::new();
    shell.at_home();
    shell.world.write(LOG, lines(0..3));
    let file = shell.world.write(".config/guard-host/headers", "authorization: Bearer TOKEN\n");
    fs::set_permissions(file, fs::Permissions::from_mode(0o600)).unwrap();
    let all = blocks(page);
    let [commands, table, options] = all.as_slice() else { panic!("{page} has {} blocks", all.len()) };
    for (number, command) in commands.text.lines().filter(|line| !line.contains("--follow")).enumerate() {
        shell.world.write(LOG, lines(0..3 + number));
        let command = command.split(" # ").next().unwrap().replace("https://collector.example:4318", &receiver.url);
        let ended = shell.run(&command);
        assert_eq!(ended.exit, 0, "{command}: {ended:?}");
    }
    assert_eq!(receiver.ids(), ids(0..4));
    assert!(receiver.requests().iter().any(|request| request.head.to_ascii_lowercase().contains("bearer")));
    let options = options.text.lines().find_map(|line| line.strip_prefix("SHIP_OPTIONS=")).unwrap();
    let known = shell.world.run(&["audit", "ship", "--help"], "").stdout;
    let mut flags = options.split_whitespace().filter(|word| word.starts_with("--"));
    assert!(options.starts_with("--to ") && flags.all(|flag| known.contains(flag)), "{options}");
    assert!(table.text.contains("PRIMARY KEY (id, ts)"));
    let ended = shell.world.run(&["check", "guard-host audit ship --to https://other.example"], "");
    assert_eq!(ended.exit, 1, "{ended:?}");
}

#[test]
fn a_line_is_sent_as_an_event_of_ocsf() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..3));
    let to = format!("{}/events", receiver.url);
    let send = || world.run(&["audit", "ship", "--format", "ocsf", "--to", &to], "");
    let ended = send();
    assert_eq!((ended.exit, sent(&ended)), (0, 3), "{ended:?}");
    let requests = receiver.requests();
    assert!(requests[0].head.starts_with("POST /events HTTP/1.1"), "{}", requests[0].head);
    let (id, event) = receiver.records().remove(0);
    assert_eq!((id.as_str(), &event["class_uid"]), ("0000000000000000", &json!(2004)), "{event}");
    assert_eq!((&event["message"], &event["disposition"]), (&json!("echo 0"), &json!("Blocked")), "{event}");
    assert_eq!(event["unmapped"]["digest"].as_str().map(str::len), Some(64), "{event}");
    // Sent lines aren't sent again, and a receiver with another format at this address has its own cursor.
    world.write(LOG, lines(0..4));
    assert_eq!(sent(&send()), 1);
    assert_eq!(ship_all(&world, &receiver), 4);
}

#[test]
fn what_is_rejected_is_counted_and_told() {
    let world = World::new();
    let receiver = Receiver::start();
    world.write(LOG, lines(0..5));
    let text = json!({ "partialSuccess": { "rejectedLogRecords": "2", "errorMessage": "too old" } });
    receiver.then([Mode::Answer(200, "", text.to_string())]);
    let ended = ship(&world, &receiver, &[]);
    assert_eq!(sent(&ended), 3, "{ended:?}");
    let mut transcript = Transcript::default();
    transcript.add(&world, 1, &ended);
    assert_eq!(ship_all(&world, &receiver), 0);
    let text = json!({ "partialSuccess": { "rejectedLogRecords": "0", "errorMessage": "slow down" } });
    receiver.then([Mode::Answer(200, "", text.to_string())]);
    world.write(LOG, lines(0..6));
    transcript.add(&world, 0, &ship(&world, &receiver, &[]));
    assert_text!("ship_rejected", transcript.0);
}

/// A received record: its id and its content.
type Known = (String, Value);

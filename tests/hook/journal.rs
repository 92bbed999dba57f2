//! `journal` of `[audit]`: each line of the log is also sent to a journal, which never changes a reply.

use std::collections::BTreeMap;
use std::os::unix::net::UnixDatagram;

use crate::support::reply::{assert_ask, assert_deny, assert_silent};
use crate::support::world::World;

/// Creates a world that sends its lines to the journal `name` in the home.
fn sending(name: &str) -> World {
    let world = World::new();
    world.configure(&format!("[audit]\njournal = \"{}\"\n", world.path(name).display()));
    world
}

/// Returns the fields of the next entry. Its values must have no line breaks.
fn next(journal: &UnixDatagram) -> BTreeMap<String, String> {
    let mut bytes = vec![0; 1 << 20];
    let length = journal.recv(&mut bytes).unwrap();
    let text = std::str::from_utf8(&bytes[..length]).unwrap();
    let field = |line: &str| line.split_once('=').map(|(name, value)| (name.to_owned(), value.to_owned())).unwrap();
    text.lines().map(field).collect()
}

#[test]
fn a_journal_gets_each_line_of_the_log_with_its_verdict_tool_and_session() {
    let world = sending("journal");
    let journal = UnixDatagram::bind(world.path("journal")).unwrap();
    journal.set_nonblocking(true).unwrap();
    assert_deny(&world.bash("rm -rf /"), &[]);
    assert_silent(&world.bash("ls"));
    assert_ask(&world.bash("git push"), &[]);
    let lines = world.audit();
    assert_eq!(lines.len(), 2);
    for (line, priority) in lines.iter().zip(["4", "5"]) {
        let entry = next(&journal);
        let mut message: serde_json::Value = serde_json::from_str(&entry["MESSAGE"]).unwrap();
        // The chain of the file isn't part of the entry.
        for key in ["n", "prev", "seal"] {
            message[key] = line[key].clone();
        }
        assert_eq!(&message, line);
        assert_eq!((entry["PRIORITY"].as_str(), entry["SYSLOG_IDENTIFIER"].as_str()), (priority, "guard-host"));
        for (field, key) in [
            ("GUARD_ACTION", "action"),
            ("GUARD_TOOL", "tool"),
            ("GUARD_SESSION", "session"),
            ("GUARD_POLICY", "policy"),
            ("GUARD_RULE", "rule"),
        ] {
            assert_eq!(Some(entry[field].as_str()), line[key].as_str(), "{field}");
        }
    }
    assert!(journal.recv(&mut [0; 8]).is_err(), "a call without a line was sent");
}

#[test]
fn a_missing_or_full_journal_changes_no_reply_and_doctor_reports_a_missing_one() {
    let world = sending("journal");
    assert_deny(&world.bash("rm -rf /"), &[]);
    let doctor = world.run(&["doctor"], "");
    let problems = doctor.stdout.matches("the journal can't be reached").count();
    assert_eq!((doctor.exit, problems), (69, 1), "{doctor:?}");
    let checked = world.run(&["config", "check"], "");
    assert!(
        checked.exit == 78 && checked.stderr.contains("start systemd-journald, or remove `journal`"),
        "{checked:?}"
    );
    let journal = UnixDatagram::bind(world.path("journal")).unwrap();
    let sender = UnixDatagram::unbound().unwrap();
    sender.set_nonblocking(true).unwrap();
    while sender.send_to(b"x", world.path("journal")).is_ok() {}
    assert_ask(&world.bash("git push"), &[]);
    assert_eq!(world.audit().len(), 2);
    let checked = world.run(&["config", "check"], "");
    assert_eq!((checked.exit, checked.stderr.as_str()), (0, ""), "{checked:?}");
    drop(journal);
}

#[test]
fn a_projects_file_cannot_set_a_journal() {
    let world = World::new();
    let journal = UnixDatagram::bind(world.path("journal")).unwrap();
    journal.set_nonblocking(true).unwrap();
    let path = world.path("journal");
    world.write("repo/.guard/guard.toml", format!("[audit]\njournal = \"{}\"\n", path.display()));
    assert_deny(&world.bash("rm -rf /"), &[]);
    assert!(journal.recv(&mut [0; 8]).is_err());
    let checked = world.run(&["config", "check"], "");
    assert!(checked.stderr.contains("`audit` doesn't work in a project's file"), "{checked:?}");
}

#[test]
fn a_relative_path_is_no_journal() {
    let world = World::new();
    for value in ["\"journal\"", "\"\"", "1"] {
        world.configure(&format!("[audit]\njournal = {value}\n"));
        let checked = world.run(&["config", "check"], "");
        assert!(checked.exit == 78 && checked.stderr.contains("path of a journal's socket"), "{value}: {checked:?}");
    }
}

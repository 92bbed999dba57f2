//! `guest-sdk/examples/fleet-log`: its receiver accepts the records of `audit ship`, and its files use existing names.
//!
//! A Python module replaces psycopg as the database, because a test that runs as `root` can't start PostgreSQL.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::blocks::names_of_metrics;
use crate::support::pages::{blocks, root};
use crate::support::texts::Transcript;
use crate::support::world::World;
use crate::texts::assert_text;

const EXAMPLE: &str = "guest-sdk/examples/fleet-log";

/// A replacement for psycopg that appends rows to a file, and fails while the file `away` exists.
const DATABASE: &str = r#"
import contextlib, json, os
class Error(Exception): pass
class OperationalError(Error): pass
class InterfaceError(Error): pass
class Connection:
    transaction = cursor = lambda self: contextlib.nullcontext(self)
    def executemany(self, statement, rows):
        if os.path.exists("away"):
            raise OperationalError("gone")
        assert "ON CONFLICT DO NOTHING" in statement
        columns = statement.split("(")[1].split(")")[0].replace("\n", " ").split(",")
        with open("rows", "a") as file:
            for row in rows:
                assert len(row) == len(columns) == statement.count("%s")
                file.write(json.dumps(dict(zip([name.strip() for name in columns], row)), default=str) + "\n")
    def close(self): pass
def connect(dsn, **options): return Connection()
"#;

fn text(name: &str) -> String {
    fs::read_to_string(root().join(EXAMPLE).join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A process that is killed when this value is dropped.
struct Ends(Child);

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
#[ignore = "needs python3"]
fn the_receiver_stores_what_ship_sends() {
    let world = World::new();
    world.write("psycopg/__init__.py", DATABASE);
    world.write("psycopg/types/json.py", "Jsonb = lambda value: value\n");
    let private = |name: &str, text: &str| {
        let path = world.write(name, text);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    };
    private("token", "abcdefgh12345678\n");
    private("headers", "authorization: Bearer abcdefgh12345678\n");
    let mut command = Command::new("python3");
    command.arg(root().join(EXAMPLE).join("receive.py"));
    command.args(["--dsn", "none", "--listen", "127.0.0.1:0", "--token-file", "token"]);
    command.current_dir(world.home.path()).env("PYTHONPATH", world.home.path()).env("PYTHONDONTWRITEBYTECODE", "1");
    let mut child = Ends(command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap());
    let mut first = String::new();
    BufReader::new(child.0.stdout.take().unwrap()).read_line(&mut first).unwrap();
    let url = first.trim().strip_prefix("listening at ").unwrap_or_else(|| panic!("{first}")).to_owned();
    world.bash("git push");
    world.bash("rm -rf /");
    let ship = |options: &[&str]| world.run(&[&["audit", "ship", "--to", &url], options].concat(), "");
    let mut told = Transcript::default();
    told.add(&world, 69, &ship(&[]));
    let headers = world.path("headers");
    let with_token = ["--header-file", headers.to_str().unwrap()];
    world.write("away", "");
    let gone = world.path("away");
    let back = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_secs(2));
        fs::remove_file(gone).unwrap();
    });
    let ended = ship(&with_token);
    back.join().unwrap();
    told.add(&world, 0, &ended);
    assert_text!("fleet_ship", told.0);
    let rows = fs::read_to_string(world.path("rows")).unwrap();
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 2);
    for (row, line) in rows.iter().zip(world.audit()) {
        for key in ["id", "operation", "action", "tool", "harness", "session", "cwd", "policy", "rule", "rules", "ms"] {
            assert_eq!(row[key], line[key], "{key}");
        }
        let time = line["ts"].as_str().unwrap().trim_end_matches('Z').replace('T', " ");
        assert!(row["ts"].as_str().unwrap().starts_with(&time), "{row} {time}");
        assert!(!row["host"].as_str().unwrap().is_empty());
        let mut rest = line.as_object().unwrap().clone();
        rest.remove("operation");
        let mut sent = row["line"].as_object().unwrap().clone();
        assert_eq!(sent.remove("digest").unwrap().as_str().map(str::len), Some(64));
        assert_eq!(sent, rest);
    }
    // Each written column is in the table.
    let schema = text("schema.sql");
    for column in rows[0].as_object().unwrap().keys() {
        assert!(schema.contains(&format!("\n    {column} ")), "{column}");
    }
}

#[test]
fn the_files_name_what_there_is() {
    let names = names_of_metrics();
    for file in ["alerts.yml", "dashboard.json"] {
        let text = text(file);
        let mut found = 0;
        for rest in text.split("guard_host_").skip(1) {
            let end = rest.find(|c: char| !c.is_ascii_lowercase() && c != '_').unwrap_or(rest.len());
            let name = format!("guard_host_{}", rest.split_at(end).0.trim_end_matches("_bucket"));
            assert!(names.contains(&name), "{file}: {name}");
            found += 1;
        }
        assert!(found >= 4, "{file}");
    }
    let dashboard: Value = serde_json::from_str(&text("dashboard.json")).unwrap();
    assert_eq!(dashboard["panels"].as_array().unwrap().len(), 8);
    let queries = text("queries.sql");
    assert!((1..=10).all(|number| queries.contains(&format!("\n-- {number}. "))));
    assert_eq!(queries.matches(";\n").count(), 10);
}

#[test]
fn the_commands_of_the_page_name_what_there_is() {
    let page = format!("{EXAMPLE}/README.md");
    let all = blocks(&page);
    let [set_up, use_it] = all.as_slice() else { panic!("{page} has {} blocks", all.len()) };
    let words: Vec<&str> = set_up.text.split_whitespace().chain(use_it.text.split_whitespace()).collect();
    let files: Vec<&&str> = words.iter().filter(|word| word.ends_with(".sql") || word.ends_with(".py")).collect();
    assert_eq!(files.len(), 3);
    assert!(files.iter().all(|file| root().join(EXAMPLE).join(file).is_file()), "{files:?}");
    let receiver = text("receive.py");
    for flag in ["--dsn", "--listen"] {
        assert!(words.contains(&flag) && receiver.contains(&format!("add_argument(\"{flag}\"")), "{flag}");
    }
    assert!(use_it.text.starts_with("guard-host audit ship --to http://127.0.0.1:4318\n"));
}

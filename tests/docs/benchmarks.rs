//! `docs/benchmarks.md` shows exactly the results of `cargo bench -p guard-host --bench hook -- --keep`, which are in
//! `host/cli/benches/kept/`. `UPDATE_PAGES=1` rewrites its tables.

use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::pages::root;

/// The text above the tables.
const MARK: &str = "<!-- The tables below are generated from the files in host/cli/benches/kept/. -->\n";

/// Returns the table of one file.
fn table(file: &Value) -> String {
    let text = |key: &str| file[key].as_str().unwrap().to_owned();
    let mut page = format!(
        "\n## {}, {}\n\nMeasured on {} with {} processors.\n\n| call | 10th percentile | median | 99th percentile | relative to `/bin/true` |\n|---|---|---|---|---|\n",
        text("version"),
        text("processor"),
        text("date"),
        file["processors"]
    );
    for (name, figures) in file["figures"].as_object().unwrap() {
        let figure = |key: &str| figures[key].as_f64().unwrap();
        if figures.get("a-second").is_some() {
            writeln!(page, "| {name} | | {} calls per second | | |", figure("a-second")).unwrap();
        } else {
            let [p10, median, p99] = ["p10", "median", "p99"].map(figure);
            writeln!(page, "| {name} | {p10} us | {median} us | {p99} us | {} |", figure("times-true")).unwrap();
        }
    }
    for (name, bytes) in file["bytes"].as_object().unwrap() {
        writeln!(page, "| size of `{name}` | | {bytes} bytes | | |").unwrap();
    }
    page
}

#[test]
fn the_page_of_benchmarks_shows_the_figures_that_are_kept() {
    let mut files: Vec<_> =
        fs::read_dir(root().join("host/cli/benches/kept")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let read = |path| serde_json::from_str::<Value>(&fs::read_to_string(path).unwrap()).unwrap();
    let tables: String = files.iter().rev().map(|path| table(&read(path))).collect();
    let path = root().join("docs/benchmarks.md");
    let page = fs::read_to_string(&path).unwrap();
    let (above, below) = page.split_once(MARK).unwrap();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        fs::write(&path, format!("{above}{MARK}{tables}")).unwrap();
    } else {
        assert_eq!(below, tables, "run it with UPDATE_PAGES=1");
    }
}

//! The systemd units in `.ci/release/systemd`: each starts an existing command, and the pages and the package include
//! it.

use std::fs;

use crate::support::pages::root;
use crate::support::world::World;

const FOLDER: &str = ".ci/release/systemd";

/// Returns the units, as `system/NAME`, with their texts.
fn units() -> Vec<(String, String)> {
    let mut units = Vec::new();
    for kind in ["system", "user"] {
        for entry in fs::read_dir(root().join(FOLDER).join(kind)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            units.push((format!("{kind}/{name}"), fs::read_to_string(path).unwrap()));
        }
    }
    units.sort();
    units
}

#[test]
fn every_unit_starts_a_command_with_flags_that_there_are() {
    let world = World::new();
    let units = units();
    let names: Vec<&str> = units.iter().map(|(name, _)| name.as_str()).collect();
    let expected = [
        "system/guard-host-ship.service",
        "system/guard-host-sync.service",
        "system/guard-host-sync.timer",
        "user/guard-host-serve.service",
        "user/guard-host-ship.service",
    ];
    assert_eq!(names, expected);
    for (name, text) in units.iter().filter(|(name, _)| name.ends_with(".service")) {
        let start = text.lines().find_map(|line| line.strip_prefix("ExecStart=/usr/bin/guard-host ")).unwrap();
        let words: Vec<&str> = start.split(' ').filter(|word| !word.starts_with('$')).collect();
        let ended = world.run(&[words.as_slice(), &["--help"]].concat(), "");
        assert_eq!(ended.exit, 0, "{name}: {ended:?}");
        let page = text.lines().find_map(|line| line.strip_prefix("Documentation=man:")).unwrap();
        let command = words.iter().filter(|word| !word.starts_with('-')).copied().collect::<Vec<_>>().join("-");
        assert_eq!(page, format!("guard-host-{command}(1)"), "{name}");
    }
}

#[test]
fn the_package_and_the_pages_have_every_unit() {
    let build = fs::read_to_string(root().join(".ci/release/build")).unwrap();
    for kind in ["system", "user"] {
        assert!(build.contains(&format!("usr/lib/systemd/{kind}\" \"$from\"/systemd/{kind}/*")), "{kind}");
    }
    let page = fs::read_to_string(root().join("docs/administrators.md")).unwrap();
    for (name, _) in units() {
        let unit = name.split_once('/').unwrap().1;
        assert!(page.contains(unit.trim_end_matches(".service")), "docs/administrators.md lacks {unit}");
    }
}

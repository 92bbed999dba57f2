//! `guard-host man`: a page for every command.

use std::collections::BTreeSet;
use std::fs;

use crate::support::world::World;
use crate::texts::assert_text;

/// Collects the subcommands of a command, recursively, as listed in the help.
fn commands(world: &World, above: &[String], found: &mut BTreeSet<Vec<String>>) {
    let mut arguments: Vec<&str> = above.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = world.run(&arguments, "").stdout;
    found.insert(above.to_vec());
    let (before, listed) = help.split_once("\nCommands:\n").unwrap_or((&help, ""));
    // The first screen lists them in groups, and some only by name.
    let listed = if above.is_empty() { before.split("\nOptions:").next().unwrap() } else { listed };
    let others =
        listed.lines().find_map(|line| line.strip_prefix("Also: ")).into_iter().flat_map(|line| line.split(", "));
    let is_end = |line: &&str| above.is_empty() || line.starts_with("  ");
    let lines = listed.lines().take_while(is_end).filter_map(|line| line.strip_prefix("  "));
    for name in lines.filter_map(|line| line.split(' ').next()).chain(others) {
        if !name.is_empty() && name != "help" {
            commands(world, &[above, &[name.to_owned()]].concat(), found);
        }
    }
}

#[test]
fn every_command_has_a_page() {
    let world = World::new();
    let folder = world.path("new/man1");
    let ended = world.run(&["man", folder.to_str().unwrap()], "");
    assert!(ended.is_silent(), "{ended:?}");
    let pages: BTreeSet<String> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    let mut found = BTreeSet::new();
    commands(&world, &[], &mut found);
    let wanted = found.iter().map(|words| [&["guard-host".to_owned()], words.as_slice()].concat().join("-") + ".1");
    assert_eq!(pages, wanted.collect());
    assert!(pages.contains("guard-host-config-check.1") && pages.len() > 40, "{pages:?}");
    for page in &pages {
        let text = fs::read_to_string(folder.join(page)).unwrap();
        let name = page.trim_end_matches(".1");
        assert!(text.contains(".SH NAME") && text.contains(&format!(".TH {name} 1")), "{page}: {text}");
    }
}

#[test]
fn a_folder_that_cannot_be_made_is_an_error() {
    let world = World::new();
    let file = world.write("file", "");
    assert_text!("man_no_folder", &world, 70, world.run(&["man", file.to_str().unwrap()], ""));
}

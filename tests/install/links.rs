//! Settings behind links, and the permissions of files.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::{SETTINGS, done, read};
use crate::support::world::World;

fn chmod(world: &World, below_home: &str, mode: u32) {
    fs::set_permissions(world.path(below_home), fs::Permissions::from_mode(mode)).unwrap();
}

fn mode(world: &World, below_home: &str) -> u32 {
    fs::metadata(world.path(below_home)).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_link_of_the_user_is_written_through_and_stays_a_link() {
    let world = World::new();
    world.write("dotfiles/claude.json", "{}\n");
    chmod(&world, "dotfiles/claude.json", 0o640);
    fs::create_dir(world.path(".claude")).unwrap();
    symlink("../dotfiles/claude.json", world.path(SETTINGS)).unwrap();
    done(&world, &["install", "claude"]);
    assert!(fs::symlink_metadata(world.path(SETTINGS)).unwrap().is_symlink());
    assert!(read(&world, "dotfiles/claude.json").contains("\"PreToolUse\""));
    assert_eq!(mode(&world, "dotfiles/claude.json"), 0o640);
    done(&world, &["uninstall", "claude"]);
    assert_eq!(read(&world, "dotfiles/claude.json"), "{}\n");
    assert!(fs::symlink_metadata(world.path(SETTINGS)).unwrap().is_symlink());
}

#[test]
fn a_folder_behind_a_link_is_the_users_too() {
    let world = World::new();
    fs::create_dir_all(world.path("dotfiles/claude")).unwrap();
    symlink("dotfiles/claude", world.path(".claude")).unwrap();
    done(&world, &["install", "claude"]);
    assert!(read(&world, "dotfiles/claude/settings.json").contains("\"PreToolUse\""));
    done(&world, &["uninstall", "claude"]);
    assert!(!world.path("dotfiles/claude/settings.json").exists() && world.path(".claude").exists());
}

#[test]
fn links_that_open_a_door_are_refused() {
    let world = World::new();
    world.write("mine.json", "{}\n");
    world.write("open.json", "{}\n");
    chmod(&world, "open.json", 0o666);
    fs::create_dir(world.path(".claude")).unwrap();
    fs::create_dir(world.path("repo/.claude")).unwrap();
    let cases: [(&str, &str, &[&str]); 5] = [
        // A repository's content must not lead to the user's other files.
        ("repo/.claude/settings.local.json", "../../mine.json", &["--scope", "project"]),
        ("repo/.claude/settings.json", "../../mine.json", &["--shared"]),
        (SETTINGS, "../open.json", &[]),
        (SETTINGS, "../gone.json", &[]),
        (SETTINGS, "../repo", &[]),
    ];
    for (link, target, arguments) in cases {
        let _ = fs::remove_file(world.path(link));
        symlink(target, world.path(link)).unwrap();
        let ended = world.run(&[&["install", "claude"], arguments].concat(), "");
        assert!(ended.exit == 69 && ended.stderr.contains("hint: "), "{link} {target}: {ended:?}");
        assert!(fs::symlink_metadata(world.path(link)).unwrap().is_symlink());
    }
    assert_eq!((read(&world, "mine.json"), read(&world, "open.json")), ("{}\n".to_owned(), "{}\n".to_owned()));
    assert!(!world.path("gone.json").exists());
}

#[test]
fn a_projects_folder_behind_a_link_out_of_it_is_refused() {
    let world = World::new();
    fs::create_dir(world.path("elsewhere")).unwrap();
    symlink("../elsewhere", world.path("repo/.claude")).unwrap();
    assert_eq!(world.run(&["install", "claude", "--scope", "project"], "").exit, 69);
    assert_eq!(fs::read_dir(world.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_plugins_folder_behind_a_link_out_of_it_is_refused() {
    let world = World::new();
    fs::create_dir_all(world.path("bin")).unwrap();
    fs::create_dir(world.path("repo/p")).unwrap();
    symlink("../../bin", world.path("repo/p/bin")).unwrap();
    assert_eq!(world.run(&["install", "claude", "--plugin", "p"], "").exit, 69);
    assert_eq!(fs::read_dir(world.path("bin")).unwrap().count(), 0);
}

#[test]
fn the_mode_of_a_file_is_kept() {
    let world = World::new();
    for wanted in [0o600, 0o644, 0o664] {
        world.write(SETTINGS, "{}");
        chmod(&world, SETTINGS, wanted);
        done(&world, &["install", "claude"]);
        assert_eq!(mode(&world, SETTINGS), wanted);
        done(&world, &["uninstall", "claude"]);
        assert_eq!(mode(&world, SETTINGS), wanted);
    }
    let leftovers = fs::read_dir(world.path(".claude")).unwrap().count();
    assert_eq!(leftovers, 1);
}

//! Files that other users can't reach, and commands of root in another user's home.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use super::managed::{MANAGED, Machine};
use super::read;

#[test]
#[ignore = "needs mounts"]
fn a_registration_that_users_cannot_read_is_refused_and_reported() {
    let machine = Machine::new();
    let world = &machine.0;
    let mode = |path: &str, mode| fs::set_permissions(world.path(path), fs::Permissions::from_mode(mode)).unwrap();
    world.write(MANAGED, "{}");
    mode(MANAGED, 0o600);
    let refused = machine.run(&["install", "claude", "--managed"]);
    assert!(refused.exit == 69 && refused.stderr.contains("can't read it"), "{refused:?}");
    assert!(refused.stderr.contains("sudo chmod a+r /etc/claude-code/managed-settings.json"), "{refused:?}");
    assert_eq!(read(world, MANAGED), "{}");
    mode(MANAGED, 0o644);
    machine.done(&["install", "claude", "--managed"]);
    mode(MANAGED, 0o600);
    machine.assert_problem(false, &["managed-settings.json", "can't read it", "sudo chmod a+r"]);
    mode(MANAGED, 0o644);
    mode("etc/claude-code", 0o700);
    machine.assert_problem(false, &["can't enter `/etc/claude-code`", "sudo chmod a+rx /etc/claude-code"]);
    mode("etc/claude-code", 0o755);
    assert_eq!(machine.problems(), (0, Vec::new()));
    // A file that doesn't exist yet, in such a folder.
    world.write("etc/cursor/note", "");
    mode("etc/cursor", 0o700);
    let refused = machine.run(&["install", "cursor", "--managed"]);
    assert!(refused.exit == 69 && refused.stderr.contains("can't enter `/etc/cursor`"), "{refused:?}");
    // As another user.
    mode("etc/claude-code", 0o755);
    assert!(Command::new("chown").args(["65534:65534"]).arg(world.home.path()).status().unwrap().success());
    let nobody = "setpriv --reuid 65534 --regid 65534 --clear-groups --";
    let refused = machine.run_as(nobody, &["uninstall", "claude", "--managed"]);
    assert!(refused.exit == 69 && refused.stderr.contains("run the command with `sudo`"), "{refused:?}");
}

#[test]
#[ignore = "needs mounts"]
fn root_creates_nothing_in_the_home_of_another_user() {
    let machine = Machine::new();
    let world = &machine.0;
    let home = world.home.path().display().to_string();
    let passwd = read(world, "etc/passwd");
    world.write("etc/passwd", format!("{passwd}bob:x:12345:12345::{home}:/bin/sh\n"));
    let own = |user: &str, path: &str| {
        assert!(Command::new("chown").args([user, "-R"]).arg(world.path(path)).status().unwrap().success());
    };
    own("12345:12345", "");
    let names = || {
        let mut names: Vec<_> =
            fs::read_dir(world.home.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    for arguments in [
        &["install", "claude", "--managed"][..],
        &["doctor"],
        &["check", "ls"],
        &["config", "check"],
        &["cache", "warm"],
    ] {
        let ended = machine.run(arguments);
        assert!(ended.stderr.contains("the home of `bob`") && ended.stderr.contains("sudo -u bob -H"), "{ended:?}");
        assert_eq!(names(), before, "{arguments:?}");
    }
    let refused = machine.run(&["install", "claude"]);
    assert!(refused.exit == 69 && refused.stderr.contains("run the command as that user"), "{refused:?}");
    assert_eq!(names(), before);
    // An earlier version created them.
    world.write(".local/state/guard-host/mac.key", "");
    world.write(".local/state/guard-host/audit.jsonl", "");
    own("0:0", ".local");
    let bob = "setpriv --reuid 12345 --regid 12345 --clear-groups --";
    let told = machine.run_as(bob, &["doctor"]);
    assert!(told.stdout.contains("sudo chown -R \"$(id -un)\" "), "{told:?}");
    // The lines of a user's log are sealed with the user's key.
    own("12345:12345", ".local");
    for (command, arguments) in
        [("verify", &["audit", "verify"][..]), ("ship", &["audit", "ship", "--to", "http://127.0.0.1:1"])]
    {
        let ended = machine.run(arguments);
        assert!(ended.exit == 66 && ended.stderr.contains("belongs to `bob`"), "{ended:?}");
        assert!(ended.stderr.contains(&format!("sudo -u bob -H guard-host audit {command}")), "{ended:?}");
    }
}

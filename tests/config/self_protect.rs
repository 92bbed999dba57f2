//! Rules of self-protect that a configuration turns off: `config check` and `doctor` warn.

use crate::support::world::World;

#[test]
fn rules_of_self_protect_that_are_off_or_milder_are_told() {
    let world = World::new();
    for (lists, expected) in [
        ("silence = [\"guard-command\"]", "doesn't stop `guard-command`"),
        ("lower = [\"hook-script\"]", "doesn't stop `hook-script`"),
        (
            "lower = [\"guard-file\"], silence = [\"hook-removed\"], raise = [\"guard-mentioned\"]",
            "doesn't stop `guard-file`, `hook-removed`",
        ),
    ] {
        world.configure(&format!("[[policy]]\nname = \"self-protect\"\nsettings = {{ {lists} }}\n"));
        let checked = world.run(&["config", "check"], "");
        assert!(checked.exit == 0 && checked.stderr.contains(expected), "{checked:?}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains(expected), "{doctor}");
    }
    for lists in ["raise = [\"guard-mentioned\"]", "raise = [\"guard-file\"], lower = [\"guard-file\"]"] {
        world.configure(&format!("[[policy]]\nname = \"self-protect\"\nsettings = {{ {lists} }}\n"));
        let checked = world.run(&["config", "check"], "");
        assert!(checked.exit == 0 && !checked.stderr.contains("doesn't stop"), "{checked:?}");
    }
}

#[test]
fn a_chain_of_project_rules_without_it_is_told() {
    let world = World::new();
    world.configure("preset = \"none\"\n");
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"a\"\nsource = \"builtin:command-guard\"\n");
    let checked = world.run(&["config", "check"], "");
    assert!(checked.exit == 0 && checked.stderr.contains("`self-protect` is not in the chain"), "{checked:?}");
}

//! Rules that have no effect: policies that no configuration names, rules that are off, and conditions that never match.

use std::fs;

use super::ineffective::warnings;
use crate::support::world::World;

#[test]
fn a_policy_in_a_folder_without_a_configuration_is_told() {
    for (name, text, source) in [
        ("rules.rego", "package guard\n", "`source = \"builtin:rego\"`, `settings-file = \"rules.rego\"`"),
        ("ours.toml", "[[rules]]\nwhen = \"true\"\n", "`source = \"builtin:cel\"`, `settings-file = \"ours.toml\"`"),
        ("ours.json", "{\"rules\": [{\"when\": \"true\"}]}\n", "`source = \"builtin:cel\"`"),
        ("ours.wasm", "\0asm", "`source = \"./ours.wasm\"`"),
    ] {
        let world = World::new();
        world.write(&format!("repo/.guard/{name}"), text);
        let output = warnings(&world);
        assert!(output.contains(&format!(".guard/{name}` is not read")) && output.contains(source), "{name}: {output}");
        let doctor = world.run(&["doctor"], "").stdout;
        assert!(doctor.contains(&format!(".guard/{name}` is not read")), "{name}: {doctor}");
        let entry = "[[policy]]\nname = \"x\"\nsource = \"builtin:write-control\"\n";
        world.write("repo/.guard/guard.toml", entry);
        // A component may be built for another project.
        let output = warnings(&world);
        assert_eq!(output.contains("is not read: no entry of"), name != "ours.wasm", "{name}: {output}");
        world.write("repo/.guard/guard.toml", format!("# {name} is off.\n{entry}"));
        assert!(!warnings(&world).contains("is not read"), "{name}");
    }
    // Outside of `.guard`, it is someone else's.
    let world = World::new();
    world.write("repo/policies/rules.rego", "package guard\n");
    assert_eq!(warnings(&world), "");
}

#[test]
fn a_folder_with_rego_that_no_entry_names_is_told() {
    let world = World::new();
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:rego\"\nsettings-file = \"rules\"\n";
    let module = "package guard\n\ndeny contains \"no\" if input.tool == \"Bash\"\n";
    world.write("repo/.guard/guard.toml", entry);
    world.write("repo/.guard/rules/guard.rego", module);
    world.write("repo/.guard/notes/readme.md", "");
    world.write("repo/.guard/checks/guard_test.rego", "package guard_test\n");
    assert_eq!(warnings(&world), "");
    for name in ["rego", "more"] {
        world.write(&format!("repo/.guard/{name}/guard.rego"), module);
        let output = warnings(&world);
        assert!(output.contains(&format!(".guard/{name}` is not read: no entry of")), "{output}");
        assert!(output.contains(&format!("`source = \"builtin:rego\"`, `settings-file = \"{name}\"`")), "{output}");
    }
    world.write("repo/.guard/guard.toml", format!("{entry}# Later: \"./more\" and \"rego/\".\n"));
    assert_eq!(warnings(&world), "");
}

#[test]
fn a_verdict_in_a_package_that_nothing_reads_is_told() {
    let world = World::new();
    let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:rego\"\nsettings-file = \"rules\"\n";
    world.write("repo/.guard/guard.toml", entry);
    world.write("repo/.guard/rules/team.rego", "package team\n\ndeny contains \"no\" if input.tool == \"Bash\"\n");
    world.write("repo/.guard/rules/guard.rego", "package guard\n\ndeny contains \"x\" if input.tool == \"Write\"\n");
    let output = warnings(&world);
    assert!(output.contains("the Rego rule `deny` in `package team` has no effect"), "{output}");
    world.write("repo/.guard/rules/guard.rego", "package guard\n\ndeny contains x if some x in data.team.deny\n");
    assert_eq!(warnings(&world), "");
}

#[test]
fn cases_in_yaml_are_told() {
    let world = World::new();
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\n");
    world.write(
        "repo/.guard/cases/a.toml",
        "[[cases]]\nname = \"a\"\ninput = { command = \"ls\" }\nexpect = \"abstain\"\n",
    );
    world.write("repo/.guard/cases/readme.md", "");
    world.write("repo/.guard/workflow.yaml", "");
    assert_eq!(warnings(&world), "");
    for name in ["b.yaml", "c.yml"] {
        world.write(&format!("repo/.guard/cases/{name}"), "cases: []\n");
        let output = warnings(&world);
        assert!(output.contains(&format!("/cases/{name}` is not read: cases are in TOML or JSON")), "{output}");
    }
}

#[test]
fn a_rule_that_is_off_is_told() {
    let world = World::new();
    let policy = |settings: &str| {
        let text = format!("[[policy]]\nname = \"intrusion-guard\"\nsettings = {{ {settings} }}\n");
        world.configure(&text);
        warnings(&world)
    };
    for key in ["raise", "lower"] {
        let output = policy(&format!("{key} = [\"unknown-host\"]"));
        assert!(output.contains(&format!("`{key}` of `unknown-host` has no effect: the rule is off")), "{output}");
        assert!(output.contains("hint: add `strict = true`"), "{output}");
        assert_eq!(policy(&format!("{key} = [\"unknown-host\"], strict = true")), "");
    }
    assert_eq!(policy("raise = [\"remote-control\"]"), "");
    assert_eq!(policy("raise = [\"unseen-program\"]"), "");
}

#[test]
fn rules_that_never_match_are_told() {
    let world = World::new();
    let check = |file: &str, source: &str, text: &str| {
        world.write(&format!("repo/.guard/{file}"), text);
        let entry = format!("[[policy]]\nname = \"ours\"\nsource = \"builtin:{source}\"\nsettings-file = \"{file}\"\n");
        world.write("repo/.guard/guard.toml", entry);
        world.run(&["config", "check"], "")
    };
    let remove = |file: &str| fs::remove_file(world.path(&format!("repo/.guard/{file}"))).ok();
    let cel = |condition: &str| {
        remove("ours.rego");
        let rule = format!("[[rules]]\nrule = \"x\"\noutcome = \"deny\"\nmessage = \"no\"\nwhen = \"{condition}\"\n");
        check("ours.toml", "cel", &rule)
    };
    let rego = |rules: &str| {
        remove("ours.toml");
        check("ours.rego", "rego", &format!("package guard\n\n{rules}\n"))
    };
    for ended in [
        cel("analysis.commands.exists(c, c.program == 'npm install')"),
        rego("deny contains \"no\" if {\n\tsome c in input.analysis.commands\n\tc.program == \"npm install\"\n}"),
    ] {
        assert!(ended.exit == 78 && ended.stderr.contains("no `program` is `npm install`"), "{ended:?}");
    }
    let ended = cel("analysis.effects.exists(e, e.path.canonical.startsWith('db/'))");
    assert!(ended.exit == 78 && ended.stderr.contains("it is an absolute path"), "{ended:?}");
    for ended in [
        cel("has(input.file_path) && input.file_path.startsWith('db/')"),
        rego("deny contains \"no\" if startswith(input.input.file_path, \"db/\")"),
    ] {
        assert!(ended.exit == 0 && ended.stderr.contains("begins with `db/`: it is an absolute path"), "{ended:?}");
    }
    for ended in [
        cel("analysis.commands.exists(c, 'npm publish' in c.argv)"),
        rego("deny contains \"no\" if {\n\tsome c in input.analysis.commands\n\t\"npm publish\" in c.argv\n}"),
    ] {
        assert!(
            ended.exit == 0 && ended.stderr.contains("so it only has `npm publish` if that is quoted"),
            "{ended:?}"
        );
        assert!(ended.stderr.contains("hint: look for each word by itself: `npm`, `publish`"), "{ended:?}");
    }
    let ended =
        rego("warn contains \"a\" if input.tool == \"Bash\"\n\ndenied contains \"b\" if input.tool == \"Bash\"");
    assert!(ended.exit == 0 && ended.stderr.contains("the Rego rule `denied` has no effect"), "{ended:?}");
    for ended in [
        cel("analysis.commands.exists(c, c.program == 'npm' && 'install' in c.argv)"),
        cel("analysis.effects.exists(e, e.path.project_relative.startsWith('db/'))"),
        rego("deny contains \"b\" if denied\n\ndenied if input.tool == \"Bash\""),
    ] {
        assert!(ended.exit == 0 && ended.stderr.is_empty(), "{ended:?}");
    }
}

#[test]
fn an_entry_for_tools_that_its_policy_does_not_judge_is_told() {
    let world = World::new();
    let ours = |tools: &str, settings: &str| {
        let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:write-control\"\n";
        world.write("repo/.guard/guard.toml", format!("{entry}tools = [{tools}]\nsettings = {{ {settings} }}\n"));
        warnings(&world)
    };
    let output = ours("\"Bash\"", "paranoid = true");
    assert!(output.contains("policy `ours`: it judges nothing") && output.contains("`shell = true`"), "{output}");
    assert!(ours("\"B*\"", "shell = false").contains("it judges nothing"));
    for (tools, settings) in
        [("\"Bash\"", "shell = true"), ("\"Bash\", \"Edit\"", ""), ("\"*Edit\"", ""), ("\"*\"", "")]
    {
        assert_eq!(ours(tools, settings), "", "{tools} {settings}");
    }
}

#[test]
fn a_pattern_that_its_entry_exempts_is_told() {
    let world = World::new();
    world.write("repo/db/1.sql", "");
    world.write("repo/db/notes.md", "");
    world.write("repo/customers.csv", "");
    let ours = |policy: &str, settings: &str| {
        let entry =
            format!("[[policy]]\nname = \"ours\"\nsource = \"builtin:{policy}\"\nsettings = {{ {settings} }}\n");
        world.write("repo/.guard/guard.toml", entry);
        warnings(&world)
    };
    for (policy, settings, told) in [
        ("write-control", "protected = [\"db/**\"], exempt = [\"**\"]", "`db/**` in `protected` has no effect"),
        ("write-control", "protected = [\"db/*.sql\"], exempt = [\"db\"]", "`db/*.sql` in `protected` has no effect"),
        ("protected-files", "blocked = [\"customers.csv\"], exempt = [\"*.csv\"]", "`exempt` has `*.csv`"),
        ("command-guard", "files = { blocked = [\"db/*.sql\"], exempt = [\"db/\"] }", "`exempt` has `db/`"),
    ] {
        let output = ours(policy, settings);
        assert!(output.contains(told) && output.matches("warning: ").count() == 1, "{settings}: {output}");
    }
    for (policy, settings) in [
        ("write-control", "protected = [\"db/**\"], exempt = [\"db/*.md\"]"),
        ("protected-files", "blocked = [\"*.csv\"], exempt = [\"customers.csv\"]"),
        ("protected-files", "blocked = [\".env*\"], exempt = [\".env.example\", \".env\"]"),
        ("protected-files", "blocked = [\"customers.csv\"], exempt = [\"*.csv\", \"!customers.csv\"]"),
    ] {
        assert_eq!(ours(policy, settings), "", "{settings}");
    }
}

#[test]
fn a_rule_for_tools_that_its_entry_excludes_is_told() {
    let world = World::new();
    let cel = |tools: &str, condition: &str| {
        let rule = format!("[[rules]]\nrule = \"x\"\noutcome = \"deny\"\nmessage = \"no\"\nwhen = \"{condition}\"\n");
        world.write("repo/.guard/ours.toml", rule);
        let entry = "[[policy]]\nname = \"ours\"\nsource = \"builtin:cel\"\nsettings-file = \"ours.toml\"\n";
        world.write("repo/.guard/guard.toml", format!("{entry}{tools}"));
        warnings(&world)
    };
    for (tools, condition, told) in [
        ("tools = [\"Write\"]\n", "tool == 'Bash'", "it is for `Bash`, and the entry's `tools` are `Write`"),
        (
            "tools = [\"Write\", \"mcp__*\"]\n",
            "tool in ['Read', 'Grep'] && has(input.path)",
            "it is for `Grep`, `Read`",
        ),
        ("", "tool == 'Bash' && tool == 'Write'", "no tool meets its condition"),
    ] {
        let output = cel(tools, condition);
        assert!(output.contains("the rule `x` has no effect") && output.contains(told), "{condition}: {output}");
    }
    for (tools, condition) in [
        ("tools = [\"Write\"]\n", "tool == 'Bash' || tool == 'Write'"),
        ("tools = [\"Write\"]\n", "tool != 'Bash'"),
        ("tools = [\"*\"]\n", "tool == 'Bash'"),
        ("tools = [\"mcp__*\"]\n", "tool == 'mcp__box__run'"),
        ("", "tool == 'Bash'"),
    ] {
        assert_eq!(cel(tools, condition), "", "{condition}");
    }
}

#[test]
fn a_projects_entry_that_would_loosen_another_policy_is_told() {
    let world = World::new();
    world.write("repo/data/public/x.csv", "");
    let ours = |source: &str, settings: &str| {
        world.write(
            "repo/.guard/guard.toml",
            format!("[[policy]]\nname = \"ours\"\nsource = \"builtin:{source}\"\nsettings = {{ {settings} }}\n"),
        );
        warnings(&world)
    };
    for key in ["lower", "silence"] {
        let output = ours("command-guard", &format!("{key} = [\"git-push\"]"));
        assert!(
            output.contains(&format!("policy `ours`: `{key}` has no effect on the rules of `command-guard`")),
            "{output}"
        );
        assert_eq!(ours("command-guard", &format!("{key} = []")), "");
        // The chain has no other such rules.
        assert_eq!(ours("write-control", &format!("{key} = [\"production-path\"]")), "");
    }
    assert_eq!(ours("command-guard", "raise = [\"git-push\"]"), "");
    for (policy, settings, keys) in [
        ("protected-files", "confirm = [\"!Dockerfile\"]", "`!Dockerfile` has"),
        ("protected-files", "blocked = [\"!.env\", \"!*.pem\"]", "`!.env`, `!*.pem` have"),
        ("protected-files", "secret-reads = \"allow\"", "`secret-reads` has"),
        ("protected-files", "exempt = [\".env.ci\"]", "`exempt` has"),
        ("command-guard", "files = { confirm = [\"!Makefile\"] }", "`!Makefile` has"),
        ("command-guard", "protected-branches = [\"!main\"]", "`!main` has"),
        // Entries before it don't matter, unless it takes something out of them.
        ("protected-files", "confirm = [\"docker-compose.yml\", \"!Makefile\"]", "`!Makefile` has"),
        ("protected-files", "blocked = [\"data/*.csv\", \"!.env\"]", "`!.env` has"),
        ("protected-files", "blocked = [\"keys\"], reads = [\"!keys/public\", \"!.npmrc\"]", "`!.npmrc` has"),
        ("command-guard", "files = { blocked = [\"vault/\", \"!*.pem\"] }", "`!*.pem` has"),
        ("command-guard", "protected-branches = [\"rel/*\", \"!main\"]", "`!main` has"),
        ("command-guard", "secret-reads = \"ask\"", "`secret-reads` has"),
        ("command-guard", "force-with-lease = \"allow\", strict = true", "`force-with-lease` has"),
        ("command-guard", "files = { exempt = [\".env\"], blocked = [\"data/**\"] }", "`exempt` has"),
        ("protected-files", "exempt = [\".env\", \"data/public\"], blocked = [\"data/\"]", "`.env` has"),
        ("intrusion-guard", "hosts = [\"x.io\"]", "`hosts` has"),
        ("session-guard", "hosts = [\"x.io\"]", "`hosts` has"),
    ] {
        let output = ours(policy, settings);
        let told = format!("policy `ours`: {keys} no effect on the rules of `{policy}`");
        assert!(output.contains(&told) && output.contains("a project can only tighten"), "{settings}: {output}");
    }
    for (policy, settings) in [
        ("protected-files", "blocked = [\"keys\", \"!keys/public\"]"),
        ("protected-files", "blocked = [\"keys\"], exempt = [\"keys/public\"]"),
        ("protected-files", "secret-reads = \"deny\""),
        ("protected-files", "secret-reads = \"ask\""),
        ("protected-files", "secret-reads = \"deny\", exempt = [\".env.ci\"]"),
        ("protected-files", "blocked = [\"*.csv\", \"!public*.csv\"]"),
        ("protected-files", "exempt = [\"!.env.example\"]"),
        ("command-guard", "protected-branches = [\"rel/*\", \"!rel/old\"]"),
        ("command-guard", "force-with-lease = \"deny\""),
        ("command-guard", "new-packages = \"ask\""),
        ("command-guard", "secret-reads = \"deny\""),
        ("command-guard", "files = { exempt = [\"data/public/\"], blocked = [\"data/\"] }"),
        ("intrusion-guard", "strict = true, hosts = [\"x.io\"]"),
        ("intrusion-guard", "raise = [\"exfiltration\"], hosts = [\"x.io\"]"),
        ("command-guard", "strict = true"),
        ("command-guard", "protected-branches = [\"release/*\"]"),
    ] {
        assert_eq!(ours(policy, settings), "", "{settings}");
    }
    world.write("repo/.guard/guard.toml", "[[policy]]\nname = \"command-guard\"\nenabled = false\n");
    let output = warnings(&world);
    assert!(output.contains("`command-guard`: `enabled = false` has no effect"), "{output}");
    world.write(
        "repo/.guard/guard.toml",
        "[[policy]]\nname = \"ours\"\nsource = \"builtin:command-guard\"\nenabled = false\n",
    );
    assert_eq!(warnings(&world), "", "its own");
}

//! Properties of the effects of any command, built from known programs and arbitrary words.

use proptest::prelude::*;

const PROGRAMS: &[&str] = &[
    "rm",
    "cp",
    "mv",
    "ln",
    "install",
    "rsync",
    "tee",
    "dd",
    "chmod",
    "find",
    "sed -i",
    "awk",
    "grep",
    "jq",
    "git push",
    "git clean",
    "git checkout",
    "git -C x reset",
    "docker volume",
    "docker compose",
    "npm",
    "yarn workspace",
    "cargo",
    "tar",
    "gzip",
    "curl",
    "wget",
    "psql",
    "mysql",
    "sqlite3",
    "redis-cli",
    "python3",
    "node",
    "perl",
    "bash",
    "systemctl",
    "service",
    "kill",
    "kubectl",
    "helm",
    "aws s3",
    "terraform",
    "gcloud",
    "mkfs.ext4",
    "parted",
    "nc",
    "socat",
    "mount",
    "rails",
    "manage.py",
    "vim",
    "DROP TABLE",
    "update t set",
    "RM",
    "at",
    "zip",
    "7z",
    "gh",
    "supabase",
];

const WORDS: &[&str] = &[
    "-",
    "--",
    "-r",
    "-rf",
    "--force",
    "--delete",
    "-c",
    "-e",
    "-f",
    "-C",
    "-o",
    "--output=",
    "--output",
    "=",
    "of=",
    "a=b",
    "/",
    "~",
    "$HOME",
    "${HOME}/x",
    "$x",
    "*",
    "./*",
    "..",
    "''",
    "'\"'",
    "'ü'",
    "'--ü=é'",
    "-ü",
    "x:y",
    ":",
    "+a:b",
    "@f",
    "'drop table t; delete from u where 1'",
    "'open(\"a\",\"w\")'",
    "'w é'",
    "'{print > \"é\"}'",
    "{}",
    "<f",
    ">f",
    "2>&1",
    "-x",
    "prune",
    "rm",
    "delete",
    "stop",
    "publish",
    "$(echo x)",
    "<(cat y)",
    "'$$'",
    "'$ü$'",
    "'`'",
    "'['",
    "-1",
    "-9",
];

fn command() -> impl Strategy<Value = String> {
    let program = proptest::sample::select(PROGRAMS);
    let words = proptest::collection::vec(proptest::sample::select(WORDS), 0..8);
    (program, words).prop_map(|(program, words)| format!("{program} {}", words.join(" ")))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn every_effect_belongs_to_a_command_and_has_a_name(commands in proptest::collection::vec(command(), 1..4), glue in "[;|&]") {
        let text = commands.join(&format!(" {glue} "));
        let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
        for effect in &analysis.effects {
            prop_assert!(analysis.commands.iter().any(|command| command.id == effect.command_id), "{text}");
            prop_assert!(effect.operation.contains('.') && !effect.kind.is_empty(), "{effect:?}");
            prop_assert!(effect.tags.iter().all(|(name, _)| !name.is_empty()), "{effect:?}");
        }
    }

    #[test]
    fn quoting_a_program_changes_no_effect(command in command()) {
        let plain = guard_testing::analyze(&command, "bash", "/repo", "/home/u");
        let quoted = guard_testing::analyze(&format!("\\{command}"), "bash", "/repo", "/home/u");
        prop_assert_eq!(plain.effects, quoted.effects);
    }

    #[test]
    fn what_is_only_printed_has_no_effect(command in command()) {
        let command = command.replace('\'', "\"");
        let analysis = guard_testing::analyze(&format!("echo '{command}'"), "bash", "/repo", "/home/u");
        prop_assert!(analysis.effects.is_empty(), "{:?}", analysis.effects);
    }
}

/// Texts that would be slow if any step were quadratic. The limit is far above the actual time.
#[test]
fn long_texts_of_any_language_stay_cheap() {
    let of = |piece: &str| piece.repeat(100_000 / piece.len());
    let hostile = [
        format!("psql -c '{}'", of("[")),
        format!("psql -c '{}'", of("`")),
        format!("psql -c '{}'", of("$a$ ")),
        format!("psql -c '{}'", of("/*")),
        format!("psql -c '{}'", of("with (")),
        format!("psql -c '{}'", of("delete from ")),
        format!("python3 -c '{}'", of("open(\"")),
        format!("python3 -c '{}'", of("open(\"x\",mode=")),
        format!("awk '{}'", of("print >\"")),
        format!("sed '{}'", of("w ")),
        format!("echo '{}' | redis-cli", of("del x\\n")),
        format!("rm -{}", of("r")),
        format!("rm -rf {}", of("../")),
        format!("cp {} d/", "a ".repeat(2_000)),
        "f() { f | f & }; ".repeat(2_000),
        "bash $(x); ".repeat(2_000),
        "psql | ".repeat(2_000),
    ];
    for text in hostile {
        let analysis = guard_testing::analyze(&text, "bash", "/repo", "/home/u");
        let size: usize = analysis.effects.iter().map(|effect| effect.target.len() + effect.path.raw.len()).sum();
        assert!(size <= 1 << 20, "{size} bytes of effects");
    }
}

//! Generated tables: each way to write with each protected file, and each dangerous command in each spelling and as
//! data.

#![cfg(test)]

#[path = "support/judge.rs"]
mod judge;

use guard_sdk::testing::World;
use guard_sdk::{Outcome, Policy};
use policy_command_guard::CommandGuard;

use guard_testing::tables::{self, Row};
use judge::{decide, decide_with};

#[track_caller]
fn check(rows: impl IntoIterator<Item = Row>) {
    tables::check(rows, decide);
}

const SECRETS: [&str; 8] =
    [".env", "x.pem", "x.key", "id_rsa", "secrets.yml", "credentials.json", ".git/config", "~/.ssh/config"];

const STEERING: [&str; 7] = [
    "package-lock.json",
    "Dockerfile",
    "docker-compose.yml",
    ".github/workflows/a.yml",
    "Makefile",
    "tsconfig.json",
    ".claude/x.md",
];

#[test]
fn seven_programs_may_not_write_eight_secrets() {
    let programs = ["echo x > F", "cat a > F", "tee -a F", "sed -i s/a/b/ F", "ed F", "cp a F", "mv a F"];
    check(SECRETS.iter().flat_map(|file| {
        programs.map(|program| (program.replace('F', file), Outcome::Deny, Some("shell-write-secret")))
    }));
}

#[test]
fn reading_eight_secrets_is_denied_by_default() {
    let programs = ["cat F", "cp F /tmp/x", "sed -n p F", "cat < F", "head -c 10 F | base64"];
    check(SECRETS.iter().flat_map(|file| {
        programs.map(|program| (program.replace('F', file), Outcome::Deny, Some("shell-read-secret")))
    }));
}

#[test]
fn moving_a_secret_away_is_a_change() {
    check(SECRETS.map(|file| (format!("mv {file} x"), Outcome::Deny, Some("shell-write-secret"))));
}

#[test]
fn four_programs_ask_before_they_write_seven_steering_files() {
    let programs = ["echo x >> F", "cat a > F", "tee F", "sed -i s/a/b/ F"];
    check(STEERING.iter().flat_map(|file| {
        programs.map(|program| (program.replace('F', file), Outcome::Ask, Some("shell-write-config")))
    }));
}

#[test]
fn naming_a_guarded_file_is_no_offence() {
    let files = SECRETS.iter().chain(&STEERING);
    let programs = ["echo F", "ls -l F", "test -f F", "git log -- F", "git commit -m 'change F'", "echo 'x > F'"];
    check(files.flat_map(|file| programs.map(|program| (program.replace('F', file), Outcome::Abstain, None))));
}

#[test]
fn reading_a_steering_file_is_free() {
    let programs = ["cat F", "grep -n x F", "cp F /tmp/x", "wc -l < F"];
    check(
        STEERING.iter().flat_map(|file| programs.map(|program| (program.replace('F', file), Outcome::Abstain, None))),
    );
}

/// One command of each kind, with its outcome.
const DANGEROUS: &[(&str, Outcome, &str)] = &[
    ("rm -rf /", Outcome::Deny, "rm-root"),
    ("rm -rf ~", Outcome::Deny, "rm-home"),
    ("rm -rf *", Outcome::Deny, "rm-wildcard"),
    ("mkfs.ext4 /dev/sda1", Outcome::Deny, "make-filesystem"),
    ("dd if=/dev/zero of=/dev/sda", Outcome::Deny, "dd-to-device"),
    ("tee /dev/sda", Outcome::Deny, "write-block-device"),
    ("git reset --hard origin/main", Outcome::Deny, "git-reset-hard-remote"),
    ("git push --force origin main", Outcome::Deny, "force-push-protected"),
    ("psql -c \"DROP DATABASE x\"", Outcome::Deny, "drop-database"),
    ("psql -c \"DROP SCHEMA x CASCADE\"", Outcome::Deny, "drop-schema-cascade"),
    ("psql -c \"TRUNCATE t CASCADE\"", Outcome::Deny, "truncate-cascade"),
    ("docker system prune -a --volumes", Outcome::Deny, "docker-prune-volumes"),
    ("docker volume prune -f", Outcome::Deny, "docker-volume-prune"),
    ("cp a .env", Outcome::Deny, "shell-write-secret"),
    ("cat .env", Outcome::Deny, "shell-read-secret"),
    ("rm -rf ./build", Outcome::Ask, "rm-recursive-force"),
    ("rm -r dir", Outcome::Ask, "rm-recursive"),
    ("rm *.log", Outcome::Ask, "rm-glob"),
    ("git push", Outcome::Ask, "git-push"),
    ("git reset --hard", Outcome::Ask, "git-reset-hard"),
    ("git clean -fd", Outcome::Ask, "git-clean"),
    ("npm publish", Outcome::Ask, "publish-package"),
    ("docker-compose down -v", Outcome::Ask, "compose-down-volumes"),
    ("docker volume rm v", Outcome::Ask, "docker-volume-rm"),
    ("docker system prune", Outcome::Ask, "docker-system-prune"),
    ("psql -c \"DROP TABLE t\"", Outcome::Ask, "drop-table"),
    ("mysql -e \"TRUNCATE t\"", Outcome::Ask, "truncate-table"),
    ("sqlite3 d \"DELETE FROM t\"", Outcome::Ask, "delete-without-where"),
    ("systemctl stop x", Outcome::Ask, "service-stop"),
    ("kubectl delete pod x", Outcome::Ask, "kubectl-delete"),
    ("tee Makefile", Outcome::Ask, "shell-write-config"),
];

fn of_all(spellings: &[&str], spell: impl Fn(&str, &str) -> String) {
    check(DANGEROUS.iter().flat_map(|(command, outcome, rule)| {
        spellings.iter().map(|spelling| (spell(spelling, command), *outcome, Some(*rule))).collect::<Vec<_>>()
    }));
}

#[test]
fn a_wrapper_changes_nothing() {
    let spellings = [
        "@",
        "sudo @",
        "sudo -u root @",
        "command @",
        "\\@",
        "/usr/bin/@",
        "env X=1 @",
        "X=1 @",
        "nohup @",
        "timeout 5 @",
        "bash -c '@'",
        "sh -c '@'",
        "eval '@'",
        "exec @",
    ];
    of_all(&spellings, |spelling, command| spelling.replace('@', command));
}

#[test]
fn a_place_in_the_text_changes_nothing() {
    let spellings = [
        "true && @",
        "false || @",
        "ls; @",
        "ls\n@",
        "@ &",
        "(@)",
        "{ @; }",
        "$(@)",
        "echo $(@)",
        "echo \"`@`\"",
        "if true; then @; fi",
        "for i in 1; do @; done",
        "f() { @; }; f",
        "! @",
        "bash <<'E'\n@\nE",
    ];
    of_all(&spellings, |spelling, command| match spelling.contains('`') && command.contains('"') {
        true => spelling.replace(['`', '"'], "").replace('@', &format!("$({command})")),
        false => spelling.replace('@', command),
    });
}

#[test]
fn data_stays_data() {
    let twins = [
        "echo '@'",
        "printf '%s' '@'",
        "grep -n '@' f",
        "git commit -m '@'",
        "cat <<'EOT' > notes.txt\n@\nEOT",
        "x='@'",
        "# @",
    ];
    check(
        DANGEROUS.iter().flat_map(|(command, _, _)| {
            twins.map(|twin| (twin.replace('@', command), Outcome::Abstain, None)).to_vec()
        }),
    );
}

#[test]
fn what_the_remedies_offer_is_never_denied() {
    let mut denied = Vec::new();
    for (command, _, _) in DANGEROUS {
        for finding in decide(command).findings {
            assert!(!finding.remedy.is_empty(), "{} offers no way out", finding.rule);
            for offer in finding.remedy.split('`').skip(1).step_by(2) {
                if decide(offer).outcome == Outcome::Deny {
                    denied.push(format!("{}: `{offer}`", finding.rule));
                }
            }
        }
    }
    assert!(denied.is_empty(), "denied: {denied:?}");
}

/// S1-74, S1-75: the texts. The hook's tests check that a person sees the whole text.
#[test]
fn messages_name_the_command_and_the_danger() {
    for (command, outcome, rule) in DANGEROUS {
        let decision = decide(command);
        let message = &decision.findings[0].message;
        let danger = CommandGuard::MANIFEST.rules.iter().find(|known| known.id == *rule).unwrap().summary;
        let opening = match outcome {
            Outcome::Deny => format!("Dangerous command: `{command}` ({danger}): "),
            _ => format!("`{command}` needs confirmation ({danger}): "),
        };
        assert!(message.starts_with(&opening), "{message}");
        assert!(!message.ends_with('.'), "{message}");
    }
}

#[test]
fn every_spelling_of_a_dynamic_target_asks() {
    let targets = ["$x", "\"$x\"", "${x}", "\"$x\"/*", "$(cat f)", "\"${x:?}\"", "$1", "\"$@\""];
    check(targets.map(|target| (format!("rm -rf {target}"), Outcome::Ask, Some("rm-recursive-force"))));
}

/// A severe hit is reported, even after many less severe ones of its rule.
#[test]
fn a_milder_hit_hides_no_worse_one_of_its_rule() {
    let forced = "git push --force origin main";
    for count in [2, 3, 4, 300] {
        let text: String =
            (0..count).map(|at| format!("git push --force-with-lease=main:{at} origin main; ")).collect();
        assert_eq!(decide(&format!("{text}{forced}")).outcome, Outcome::Deny, "{count}");
    }
    let pruned = "docker volume prune; docker volume prune; docker volume prune; docker volume prune -f";
    assert_eq!(decide(pruned).outcome, decide("docker volume prune -f").outcome);
    let settings = r#"{"silence": ["git.branch.delete"]}"#;
    let decision = decide_with(settings, "git branch -D a; git branch -D b; git branch -D c; brew uninstall x");
    assert_eq!((decision.outcome, decision.findings.len()), (Outcome::Ask, 1), "{decision:?}");
}

#[test]
fn a_flood_of_commands_gives_few_findings_soon() {
    let flood = "rm -rf a; git push; echo x > .env; ".repeat(600);
    assert!(decide(&flood).findings.len() < 64);
}

#[test]
fn a_flood_of_targets_is_one_finding_soon() {
    let targets = (0..20_000).map(|at| format!(" d{at}")).collect::<String>();
    let decision = decide(&format!("rm -rf{targets}"));
    let of_rule = decision.findings.iter().filter(|finding| finding.rule == "rm-recursive-force");
    let messages: Vec<_> = of_rule.map(|finding| finding.message.as_str()).collect();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].ends_with("`d0`, `d1`, `d2`, `d3` and many more and everything in it"), "{}", messages[0]);
    let secrets = decide(&format!("cat{}", ".env ".repeat(20_000).replace(".env ", " .env")));
    assert_eq!(secrets.outcome, Outcome::Deny);
}

#[test]
fn a_long_command_is_shown_in_part() {
    let decision = decide(&format!("rm -rf / {}", "x".repeat(5_000)));
    assert_eq!(decision.outcome, Outcome::Deny);
    assert!(decision.findings.iter().all(|finding| finding.message.chars().count() < 1_000));
}

#[test]
fn settings_with_an_unknown_rule_are_refused() {
    let error = World::default().decide::<CommandGuard>(r#"{"silence": ["rm-rot"]}"#, "Bash", "{}").unwrap_err();
    assert!(error.contains("`rm-rot`"), "{error}");
}

//! `service-killed`: a call that ends a program that records, protects or runs the machine, by its name or after a
//! search in the list of processes.
//!
//! ## Why
//! Without these programs, no one notices an attack, or no one can log in. ATT&CK T1562.001, T1489.
//!
//! ## Examples
//! - asked: `pkill -9 osqueryd`
//! - asked: `kill -9 $(pidof rsyslogd)`
//! - asked: `for pid in $(ps -eo pid,comm | awk '/cron/ {print $1}'); do kill "$pid"; done`
//! - passes: `pkill -f 'node server.js'`
//! - passes: `kill $(pgrep redis-server)`
//! - passes: `kill -HUP $(pidof sshd)`
//!
//! ## Instead
//! Use the service's own command, for example `systemctl restart`, and ask the user first.

use std::cell::OnceCell;

use guard_sdk::syntax::{Command, Effect};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, is_any, services};
use crate::view::{View, is_in_a_container, name, texts};

pub(crate) const RULE: Rule =
    Rule { id: "service-killed", summary: "kills a system service", default: Outcome::Ask, ceiling: Outcome::Deny };

/// The maximum number of a pipeline's stages, and of comparisons, that are examined.
const STAGES: usize = 64;

/// Signals that only notify a process.
const MILD: &[&str] = &["HUP", "SIGHUP", "USR1", "USR2", "SIGUSR1", "SIGUSR2", "CONT", "WINCH", "0"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let mut ended =
        view.analysis.effects.iter().filter(|effect| effect.operation == "process.kill" && !is_in_a_container(effect));
    let by_control = || view.commands().find_map(stopped_guard);
    let named = OnceCell::new();
    let name = ended
        .find_map(|effect| killed_service(effect, view, &named))
        .or_else(by_control)
        .or_else(|| kill_loop(view))?;
    Some(Hit::new(
        format!("Ends `{}`, a service of the machine", shorten(&name)),
        "use the service's own way, such as `systemctl restart`, after the user agreed",
    ))
}

/// `named` caches the names by which the text selects processes.
fn killed_service(effect: &Effect, view: &View<'_>, named: &OnceCell<Vec<String>>) -> Option<String> {
    let command = view.index().command(effect.command_id)?;
    let is_mild = texts(command).any(|text| is_any(text.trim_start_matches('-'), MILD));
    if is_mild {
        return None;
    }
    let by_name = is_any(&name(command), &["pkill", "killall", "skill", "taskkill", "stop-process"]);
    if by_name {
        return services::is_guard(&effect.target).then(|| effect.target.clone());
    }
    if effect.certain && !effect.target.contains('$') {
        return None;
    }
    let named = named.get_or_init(|| selected_names(view));
    if let Some(name) = named.iter().find(|name| services::is_of_the_machine(name)) {
        return Some(name.clone());
    }
    // A loop over all processes also stops other users' processes with the name.
    let loops = effect.target.trim_matches('"').starts_with('$') && !effect.target.starts_with("$(");
    let lists_all = || view.commands().any(name_is_ps);
    let server = named.iter().find(|name| services::is_server(name)).filter(|_| loops && lists_all());
    server.cloned()
}

/// Returns a guard that its control program stops.
fn stopped_guard(command: &Command) -> Option<String> {
    const CONTROLS: &[&str] = &[
        "socketfilterfw",
        "mdatp",
        "falconctl",
        "sentinelctl",
        "osqueryctl",
        "santactl",
        "esxcli",
        "wazuh-control",
        "ossec-control",
        "auditbeat",
        "elastic-agent",
        "clamdscan",
        "cpwd_admin",
        "sav-protect",
        "usbguard",
    ];
    const STOPS: &[&str] = &["off", "stop", "disable", "disabled", "unload", "uninstall", "kill", "false"];
    let program = name(command);
    let all = program == "stop-process" && texts(command).any(|text| text == "*");
    let firewall = program == "defaults"
        && texts(command).any(|text| text.contains("com.apple.alf"))
        && texts(command).any(|text| text == "write");
    if firewall || matches!(&*program, "aa-complain") {
        return Some(program.into_owned());
    }
    let of_engine = matches!(&*program, "docker" | "podman" | "nerdctl")
        && texts(command).any(|text| matches!(text, "stop" | "kill" | "rm" | "pause"));
    if let Some(guard) = texts(command).find(|text| of_engine && services::is_guard(text)) {
        return Some(guard.to_owned());
    }
    // `-d` removes the sensor's settings.
    let unset = program == "falconctl" && texts(command).any(|text| matches!(text, "-d" | "--delete"));
    let removed = ["uninstall", "remove"].iter().any(|verb| program.contains(verb))
        && has_any(
            &program,
            &[
                "eset", "falcon", "sentinel", "sophos", "sav", "mcafee", "trend", "carbon", "cb", "symantec", "sep",
                "wazuh", "cylance",
            ],
        )
        || program == "esetuninstall";
    if unset || removed {
        return Some(program.into_owned());
    }
    let stops = is_any(&program, CONTROLS) && texts(command).any(|text| is_any(text, STOPS));
    (all || stops).then(|| program.into_owned())
}

fn name_is_ps(command: &Command) -> bool {
    name(command) == "ps"
        && texts(command).any(|text| {
            text.starts_with("-e") || text.starts_with("-A") || text.starts_with("ax") || text.starts_with("aux")
        })
}

/// Returns the names by which the text selects processes: words of searches in a process list, and patterns that a loop
/// compares with.
fn selected_names(view: &View<'_>) -> Vec<String> {
    let lists = |other: &Command| is_any(&name(other), &["ps", "pgrep", "pidof", "lsof", "top", "systemctl"]);
    let of_processes = |other: &&Command| {
        let searches = is_any(&name(other), &["grep", "egrep", "pgrep", "pidof", "awk", "gawk", "mawk", "sed", "rg"]);
        searches && view.index().pipeline(other).iter().take(STAGES).any(|stage| lists(stage))
    };
    let words = view.commands().filter(of_processes).flat_map(texts);
    let split = |text: &str| -> Vec<String> {
        let is_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | '[' | ']');
        text.split(|char: char| !is_name(char)).filter(|part| part.len() > 2).map(str::to_owned).collect()
    };
    let mut names: Vec<String> = words.filter(|text| !text.starts_with('-')).take(64).flat_map(split).collect();
    if !view.commands().any(lists) {
        return names;
    }
    // `[[ $line == *sshd* ]]` isn't a command.
    for behind in view.text().split("==").skip(1).chain(view.text().split("=~").skip(1)).take(STAGES) {
        let pattern: String = behind.chars().take(80).collect();
        names.extend(split(pattern.split("]]").next().unwrap_or_default()));
    }
    names
}

/// Returns code that iterates over all processes and stops some.
fn kill_loop(view: &View<'_>) -> Option<String> {
    let script = view.scripts().find(|script| {
        let text = &script.text;
        let lists = has_any(
            text,
            &[
                "psutil.process_iter(",
                "psutil.pids(",
                "Process.GetProcesses",
                "ps -e",
                "ps aux",
                "os.listdir('/proc')",
                "os.listdir(\"/proc\")",
            ],
        );
        let ends = has_any(
            text,
            &[".kill()", ".terminate()", "os.kill(", ".send_signal(", "process.kill(", "os.killpg(", "Process.kill"],
        );
        lists && ends
    })?;
    let by_text = !has_any(&script.text, &["psutil.", "/proc", "GetProcesses"]);
    let literals = script.text.split(['"', '\'']).skip(1).step_by(2);
    let service = literals.into_iter().find(|name| services::is_of_the_machine(name) || services::is_server(name));
    if by_text && service.is_none() {
        return None;
    }
    Some(service.unwrap_or("processes that it finds in a list of all").to_owned())
}

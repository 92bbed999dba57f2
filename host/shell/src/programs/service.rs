//! Services and the machine's power.

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(
        &["systemctl"],
        Options::new(
            "HMtpsno",
            &["host", "machine", "root", "type", "property", "signal", "state", "kill-who", "job-mode"],
        ),
        systemctl,
    ),
    Program::new(&["service", "rc-service", "invoke-rc.d"], Options::NONE, service),
    Program::new(&["sv"], Options::new("w", &[]), verb_first),
    Program::new(&["launchctl"], Options::NONE, verb_first),
    Program::new(&["supervisorctl"], Options::new("csup", &["configuration", "serverurl"]), verb_first),
    Program::new(&["pm2"], Options::new("", &[]), verb_first),
    Program::new(&["shutdown"], Options::NONE, shutdown),
    Program::new(&["poweroff", "halt"], Options::NONE, power_off),
    Program::new(&["reboot", "kexec"], Options::NONE, reboot),
    Program::new(&["init", "telinit"], Options::NONE, init),
];

/// What a verb does to a service.
fn draft(verb: &str) -> Option<Draft> {
    let operation = match verb {
        "stop" | "kill" | "unload" | "bootout" | "down" | "shutdown" | "force-stop" | "exit" => "service.stop",
        "disable" | "delete" | "remove" => "service.disable",
        "mask" => "service.mask",
        "enable" | "reenable" | "unmask" => "service.enable",
        "restart" | "try-restart" | "reload-or-restart" | "condrestart" | "force-reload" | "kickstart" => {
            "service.restart"
        }
        _ => return None,
    };
    Some(Draft::notable("service", operation))
}

fn systemctl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let verb = parsed.text(0).to_ascii_lowercase();
    match verb.as_str() {
        "poweroff" | "halt" | "emergency" | "rescue" => return run.emit(Draft::destructive("power", "power.off")),
        "reboot" | "kexec" | "soft-reboot" => return run.emit(Draft::destructive("power", "power.reboot")),
        "isolate" => return run.emit(Draft::notable("service", "service.stop").target(parsed.text(1))),
        _ => {}
    }
    let user = parsed.is("", "user");
    for unit in parsed.from(1) {
        if let Some(draft) = draft(&verb) {
            run.emit(draft.target(&unit.text).certain(!unit.dynamic).flag("user", user));
        }
        if matches!(verb.as_str(), "disable" | "mask") && parsed.has("", "now") {
            run.emit(Draft::notable("service", "service.stop").target(&unit.text).flag("user", user));
        }
    }
}

/// `service NAME VERB`.
fn service<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(draft) = draft(&parsed.text(1).to_ascii_lowercase()) {
        run.emit(draft.target(parsed.text(0)));
    }
}

/// `sv VERB NAME`.
fn verb_first<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let verb = parsed.text(0).to_ascii_lowercase();
    for unit in parsed.from(1) {
        if let Some(draft) = draft(&verb) {
            run.emit(draft.target(&unit.text).certain(!unit.dynamic));
        }
    }
}

/// Whether the program only says something: help, its version, or what it would do.
fn is_harmless(parsed: &Parsed<'_>) -> bool {
    parsed.is("", "help") || parsed.is("", "version")
}

fn shutdown<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if is_harmless(parsed) || parsed.is("ck", "show") {
        return;
    }
    let operation = if parsed.has("r", "reboot") { "power.reboot" } else { "power.off" };
    run.emit(Draft::destructive("power", operation).target(parsed.text(0)));
}

fn power_off<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !is_harmless(parsed) && !parsed.is("w", "wtmp-only") {
        let operation = if parsed.has("", "reboot") { "power.reboot" } else { "power.off" };
        run.emit(Draft::destructive("power", operation));
    }
}

fn reboot<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !is_harmless(parsed) && !parsed.is("w", "wtmp-only") {
        run.emit(Draft::destructive("power", "power.reboot"));
    }
}

fn init<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0) {
        "0" => run.emit(Draft::destructive("power", "power.off")),
        "6" => run.emit(Draft::destructive("power", "power.reboot")),
        _ => {}
    }
}

//! `process-memory`: a call that reads another process's memory.
//! With `strict`, the rule also covers a debugger or tracer that attaches to a running process.
//!
//! ## Why
//! A process's memory contains its passwords and keys in plain text. ATT&CK T1003.007, T1055.008.
//!
//! ## Examples
//! - asked: `gcore -o core 1234`
//! - asked: `gdb -p 1234 -batch -ex 'dump memory m 0x0 0x1000'`
//! - passes: `gdb --args ./app`
//! - passes: `strace ls`
//! - passes: `cat /proc/cpuinfo`
//!
//! ## Instead
//! Start the program under the debugger, for example with `gdb --args`.

use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{has_any, is_any};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "process-memory",
    summary: "reads the memory of another process",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let reads = |command: &&Command| {
        reads(command, view.settings.strict) || traces_login(command, view) || is_handed_on(command, view)
    };
    let command = view.commands().find(reads);
    let in_code = || {
        view.scripts().find(|script| {
            let text = &script.text;
            text.contains("/proc/")
                && has_any(text, &["/mem\"", "/mem'", "/mem`", "/maps\"", "/maps'", "/environ\"", "/environ'"])
                && !has_any(text, &["/proc/self"])
                || has_any(text, &["process_vm_readv", "PTRACE_ATTACH", "MiniDumpWriteDump", "ReadProcessMemory"])
        })
    };
    let shown = match command {
        Some(command) => command.text(),
        None => in_code()?.text.clone(),
    };
    Some(Hit::new(
        format!("Reads the memory of another process: `{}`", shorten(&shown)),
        "start the program under the debugger instead, as with `gdb --args`",
    ))
}

/// Returns whether it traces a program into which people type their passwords.
fn traces_login(command: &Command, view: &View<'_>) -> bool {
    const LOGINS: &[&str] = &["sshd", "su", "sudo", "login", "passwd", "ssh-agent", "gpg-agent", "gdm", "ssh"];
    matches!(&*name(command), "strace" | "ltrace" | "gdb" | "dtruss")
        && has_option(command, "p", &["attach", "pid"])
        && view
            .sources(command)
            .iter()
            .any(|source| matches!(&*name(source), "pgrep" | "pidof") && texts(source).any(|text| is_any(text, LOGINS)))
}

/// Returns whether a script in a temporary folder gets the id of a process that the call searches for.
fn is_handed_on(command: &Command, view: &View<'_>) -> bool {
    let script = texts(command).find(|text| !text.starts_with('-')).unwrap_or_default();
    let is_temporary = ["/tmp/", "/var/tmp/", "/dev/shm/"].iter().any(|folder| script.starts_with(folder));
    is_temporary
        && command.argv.first().is_some_and(|word| word.dynamic || word.text.contains("python"))
        && view.sources(command).iter().any(|source| matches!(&*name(source), "pgrep" | "pidof"))
}

fn reads(command: &Command, strict: bool) -> bool {
    let program = name(command);
    let dumps = || {
        texts(command).any(|text| {
            has_any(text, &["dump ", "gcore", "generate-core-file", "find &", "x/", "process save-core", "call "])
        })
    };
    match &*program {
        "gcore" | "procdump" | "procdump64" | "avml" | "memdump" | "volatility" | "vol" | "fmem" | "pmem"
        | "osxpmem" | "dumpit" | "winpmem" | "lime" => !has_option(command, "hV", &["help", "version"]),
        "gdb" | "lldb" => has_option(command, "p", &["pid", "attach-pid", "attach"]) && (strict || dumps()),
        "strace" | "ltrace" | "dtruss" | "truss" => strict && has_option(command, "p", &["attach"]),
        "rundll32" => texts(command).any(|text| has_any(&text.to_ascii_lowercase(), &["comsvcs", "minidump"])),
        // Memory of a process that the call searches for.
        "cat" | "grep" | "head" | "awk" | "less"
            if texts(command).any(|text| {
                let of_process = text.strip_prefix("/proc/").is_some_and(|rest| rest.starts_with('$'));
                of_process && (text.ends_with("/maps") || text.ends_with("/mem"))
            }) =>
        {
            true
        }
        // Physical memory.
        "dd" | "strings" | "xxd" | "hexdump" => {
            texts(command).any(|text| has_any(text, &["/dev/mem", "/dev/kmem", "/proc/kcore"]))
        }
        _ => false,
    }
}

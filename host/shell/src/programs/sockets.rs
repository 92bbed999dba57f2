//! Programs that open connections by themselves, or listen, and hand what comes to a program.

use super::Program;
use super::options::{Operand, Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(
        &["nc", "ncat", "netcat"],
        Options::new("ecpswiqgGmoTVxXIO", &["exec", "sh-exec", "lua-exec", "source", "source-port", "output", "proxy"]),
        netcat,
    ),
    Program::new(&["socat"], Options::new("lbtTLW", &[]), socat),
    Program::new(&["telnet"], Options::new("elnbXkS", &[]), connects),
    Program::new(&["ftp", "sftp", "lftp"], Options::new("bceFilPRSsou", &[]), connects),
];

fn connects<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|host| connect(run, host));
}

fn connect(run: &mut Run<'_>, host: &Operand<'_>) {
    run.emit(Draft::notable("network", "network.connect").target(&host.text).certain(!host.dynamic));
}

/// Whoever is on the other side runs programs here.
fn serves_a_program(run: &mut Run<'_>, program: &str) {
    run.emit(Draft::destructive("execute", "execute.served").target(program));
}

fn netcat<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let program = parsed.value("ec", "exec").or_else(|| parsed.value("", "sh-exec"));
    if let Some(program) = program.or_else(|| parsed.value("", "lua-exec")) {
        serves_a_program(run, &program.text);
    }
    if parsed.is("z", "") {
        return;
    }
    if parsed.has("l", "listen") {
        run.emit(Draft::notable("network", "network.listen").target(parsed.text(0)));
        return;
    }
    connects(run, parsed);
}

fn socat<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for address in &parsed.operands {
        let (kind, rest) = address.text.split_once(':').unwrap_or((&address.text, ""));
        let rest = rest.split(',').next().unwrap_or_default().to_owned();
        match kind.to_ascii_uppercase().as_str() {
            "EXEC" | "SYSTEM" | "SHELL" => serves_a_program(run, &rest),
            "OPEN" | "CREATE" | "CREAT" | "FILE" | "GOPEN" => {
                run.read(&address.renamed(rest.clone()));
                run.write_as(
                    &address.renamed(rest),
                    Draft::notable("write", "fs.write").tag("by", "socat").certain(false),
                );
            }
            kind if kind.contains("LISTEN") => run.emit(Draft::notable("network", "network.listen").target(&rest)),
            kind if kind.starts_with("TCP") || kind.starts_with("UDP") || kind.contains("SSL") => connect(run, address),
            _ => {}
        }
    }
}

//! Programs that open connections by themselves, or listen, and hand what comes to a program.

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(
        &["nc", "ncat", "netcat"],
        Options::new("ecpswiqgGmoTVxXIO", "exec sh-exec lua-exec source source-port output proxy"),
        netcat,
    ),
    Program::new(&["socat"], Options::new("lbtTLW", ""), socat),
    Program::new(&["telnet"], Options::new("elnbXkS", ""), connects),
    Program::new(&["ftp", "sftp", "lftp", "psftp", "ncftp"], Options::new("bceFilPRSsou", ""), transfers),
    Program::new(
        &["mutt", "mail", "mailx", "s-nail", "swaks"],
        Options::new("aAscbrSeiH", "attach body to from server"),
        mails,
    ),
];

fn connects<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|host| connect(run, host));
}

/// A script on standard input, or in a file, says what is sent and taken away.
fn transfers<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    connects(run, parsed);
    parsed.values("b", "").for_each(|file| run.read(&file));
    let mut lines: Vec<String> = parsed.values("ec", "").map(|value| value.text.into_owned()).collect();
    lines.extend(run.input().map(|input| input.text));
    let Some(host) = parsed.operands.first().cloned().or_else(|| parsed.values("ec", "").next()) else { return };
    for line in lines.iter().flat_map(|text| text.split(['\n', ';'])).take(MAX_LINES) {
        let mut words = line.split_whitespace().filter(|word| !word.starts_with('-'));
        let (verb, file) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match verb {
            "put" | "mput" | "reput" | "send" => {
                run.read(&host.renamed(file.to_owned()));
                run.emit(Draft::notable("network", "network.upload").target(&host.text));
            }
            "rm" | "mrm" | "rmdir" | "delete" | "mdelete" => {
                run.emit(Draft::destructive("delete", "remote.delete").target(file));
            }
            _ => {}
        }
    }
}

/// The most lines of such a script that are looked at.
const MAX_LINES: usize = 4096;

/// What is attached leaves the machine.
fn mails<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let attached: Vec<Operand<'a>> = parsed.values("aA", "attach").collect();
    attached.iter().for_each(|file| run.read(file));
    if let Some(to) = parsed.operands.first() {
        run.emit(Draft::notable("network", "network.upload").target(&to.text));
    }
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

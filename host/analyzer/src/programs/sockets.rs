//! Programs that connect or listen, and may pass the received data to a program.

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
    Program::new(&["telnet", "rlogin", "rsh"], Options::new("elnbXkSp", ""), connects),
    Program::new(&["whois"], Options::new("hp", "host port"), to_named_host),
    Program::new(&["finger"], Options::NONE, asks_user),
    Program::new(&["lp", "lpr", "lpq", "cancel"], Options::new("hHdPUuno", ""), prints),
    Program::new(&["logger"], Options::new("nPftpTud", "server port file tag priority socket"), sends_file),
    Program::new(&["mosquitto_pub"], Options::new("hptfmuPiqk", "file topic message username pw"), sends_file),
    Program::new(&["ab"], Options::new("ncptTAPXHCgeubvwxyzsBm", ""), benchmarks),
    Program::new(
        &["ftp", "sftp", "psftp", "ncftp", "tftp", "tnftp", "lukemftp"],
        Options::new("bceFilPRSsoum", ""),
        transfers,
    ),
    Program::new(&["ncftpput"], Options::new("upPdtUTSrfWXYoej", ""), puts),
    Program::new(&["wput"], Options::new("olRIBtwxY", "output-file input-file tries"), puts),
    Program::new(&["lftp"], Options::new("cefpu", ""), transfers),
    Program::new(&["mutt", "mail", "mailx", "s-nail"], Options::new("aAscbrSeiH", "attach body to from server"), mails),
    Program::new(&["swaks"], SWAKS, mails_by_hand),
];

fn connects<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|host| connect(run, host));
}

/// Adds the connection to the host in an option. Without the option, the program uses a default host.
fn to_named_host<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("h", "host").for_each(|host| connect(run, &host));
}

/// `finger USER@HOST`
fn asks_user<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for user in &parsed.operands {
        if let Some((_, host)) = user.text.rsplit_once('@') {
            let host = host.to_owned();
            connect(run, &user.renamed(host));
        }
    }
}

/// Adds the effects of printing. The files are sent to a printer, which may be on another machine.
fn prints<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|file| run.read(file));
    for host in parsed.values("hH", "") {
        run.emit(Draft::notable("network", "network.upload").target(&host.text));
    }
}

/// Adds the effects of sending a file, or its lines, to the host.
fn sends_file<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("f", "file").for_each(|file| run.read(&file));
    let letters = if run.name == "logger" { "n" } else { "h" };
    for host in parsed.values(letters, "server") {
        run.emit(Draft::notable("network", "network.upload").target(&host.text));
    }
}

/// Adds the effects of a benchmark. Each request can contain a file, and the timings are written to a file.
fn benchmarks<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("ge", "").for_each(|file| run.write(&file));
    let bodies: Vec<Operand<'a>> = parsed.values("pu", "").collect();
    bodies.iter().for_each(|file| run.read(file));
    let operation = if bodies.is_empty() { "network.connect" } else { "network.upload" };
    parsed.operands.iter().take(1).for_each(|address| {
        run.emit(Draft::notable("network", operation).target(&address.text).certain(!address.dynamic));
    });
}

/// Adds the effects of a file transfer. A script in options or on standard input uploads or deletes files.
fn transfers<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    // `ftp -u URL FILE`
    if let Some(address) = parsed.value("u", "").filter(|to| run.name.ends_with("ftp") && to.text.contains("://")) {
        parsed.operands.iter().for_each(|file| run.read(file));
        return uploads(run, &address.text, false);
    }
    connects(run, parsed);
    parsed.values("b", "").for_each(|file| run.read(&file));
    let mut lines: Vec<String> = parsed.values("ec", "").map(|value| value.text.into_owned()).collect();
    lines.extend(run.input().map(|input| input.text));
    let script = parsed.value("f", "").filter(|_| run.name == "lftp");
    if let Some(input) = script.as_ref().and_then(|file| run.substituted(file)) {
        let mut escapes = input.text.lines().filter_map(|line| line.trim_start().strip_prefix('!'));
        if let Some(command) = escapes.next() {
            run.starts_helper(command.trim());
        }
        lines.push(input.text);
    }
    let Some(host) = parsed.operands.first().cloned().or_else(|| parsed.values("ec", "").next()).or(script) else {
        return;
    };
    for line in lines.iter().flat_map(|text| text.split(['\n', ';'])).take(MAX_LINES) {
        if run.name == "lftp" {
            mirrors(run, line, &host);
        }
        let mut words = operands_of(line);
        let (verb, file) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        match verb {
            "put" | "mput" | "reput" | "send" => {
                // The second word of a single file is its name on the server.
                let sends_all = verb == "mput" || run.name == "lftp";
                let more = words.filter(|_| sends_all).take(MAX_LINES);
                std::iter::once(file).chain(more).for_each(|file| run.read(&host.renamed(file.to_owned())));
                uploads(run, &host.text, line.split_whitespace().any(|word| word == "-r"));
            }
            "rm" | "mrm" | "rmdir" | "delete" | "mdelete" => {
                run.emit(Draft::destructive("delete", "remote.delete").target(file));
            }
            _ => {}
        }
    }
}

/// Returns the words of a line without options and their values.
fn operands_of(line: &str) -> impl Iterator<Item = &str> {
    const VALUES: &[&str] = &["-F", "-I", "-O", "-P", "-X", "-f", "-i", "-o", "-x"];
    let mut is_value = false;
    line.split_whitespace().filter(move |word| {
        let is_option = std::mem::replace(&mut is_value, VALUES.contains(word)) || word.starts_with('-');
        !is_option
    })
}

/// Adds the upload of a file or, as `rsync` does it, of a folder.
fn uploads(run: &mut Run<'_>, to: &str, is_folder: bool) {
    run.emit(Draft::notable("network", "network.upload").target(to).flag("file", !is_folder));
}

/// Adds the effects of `ncftpput HOST FOLDER FILE` and `wput FILE URL`.
fn puts<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let is_settings = parsed.is("f", "") && run.name == "ncftpput";
    let (host, files) = match (run.name.as_str(), parsed.operands.as_slice()) {
        // The settings in a file have the host.
        ("ncftpput", [folder, files @ ..]) if is_settings => (folder, files),
        ("ncftpput", [host, _, files @ ..]) => (host, files),
        ("wput", [files @ .., host]) => (host, files),
        _ => return,
    };
    files.iter().for_each(|file| run.read(file));
    uploads(run, &host.text, parsed.is("R", ""));
}

/// Adds the effects of a line for `lftp` on this machine: files and folders that it fetches, sends, or removes after it
/// sent them.
fn mirrors<'a>(run: &mut Run<'a>, line: &str, host: &Operand<'a>) {
    let words: Vec<&str> = line.split_whitespace().collect();
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let behind = |option: &str| words.iter().zip(words.iter().skip(1)).find(|(name, _)| **name == option);
    let operands: Vec<&str> = operands_of(line).skip(1).collect();
    let named = |text: &str| host.renamed(text.to_owned());
    let is_upload = has(&["-R", "--reverse"]);
    let moves = has(&["--Remove-source-files", "--Remove-source-dirs", "--Move"]);
    let verb = words.first().copied().unwrap_or_default();
    if verb == "mirror" && is_upload {
        let single = behind("-f").or_else(|| behind("-F")).map(|(_, file)| *file);
        run.read(&named(single.or(operands.first().copied()).unwrap_or(".")));
        uploads(run, &host.text, single.is_none());
    }
    match (verb, operands.as_slice()) {
        ("get" | "get1" | "pget", _) => {
            if let Some((_, file)) = behind("-o") {
                run.write(&named(file));
            }
        }
        ("mirror", [from, ..]) if is_upload && moves => run.delete_tree(&named(from), true, "lftp"),
        ("mirror", [_, to, ..]) if !is_upload => run.write_tree(&named(to)),
        _ => {}
    }
}

/// The maximum number of lines that are examined in such a script.
const MAX_LINES: usize = 4096;

/// Adds the effects of sending mail. Attachments leave the machine.
fn mails<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let attached: Vec<Operand<'a>> = parsed.values("aA", "attach").collect();
    attached.iter().for_each(|file| run.read(file));
    if let Some(to) = parsed.operands.first() {
        run.emit(Draft::notable("network", "network.upload").target(&to.text));
    }
}

/// The long options can have one dash.
const SWAKS: Options = Options::new(
    "tfsphiau",
    "to from server port header body data attach attach-type attach-name attach-body auth-user",
);

/// Adds the effects of `swaks --attach @FILE --body @FILE`. Files after `@` are sent, and so is a path in `--attach`.
fn mails_by_hand<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let (mut sends, names) = (false, ["attach", "attach-body", "body", "data", "header"]);
    for (name, value) in names.iter().flat_map(|name| parsed.values("", name).map(move |value| (*name, value))) {
        let file = match value.text.strip_prefix('@') {
            Some(file) => file,
            None if name == "attach" && value.text.contains('/') => &value.text,
            None => continue,
        };
        let file = file.to_owned();
        run.read(&value.renamed(file));
        sends = true;
    }
    if let Some(to) = parsed.value("s", "server").or_else(|| parsed.value("t", "to")) {
        let operation = if sends { "network.upload" } else { "network.send" };
        run.emit(Draft::notable("network", operation).target(&to.text));
    }
}

fn connect(run: &mut Run<'_>, host: &Operand<'_>) {
    run.emit(Draft::notable("network", "network.connect").target(&host.text).certain(!host.dynamic));
}

/// Adds the effect of a program that the other side of a connection controls.
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

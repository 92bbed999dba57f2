//! Which argument of which program is a secret: a table, and [`find`], which looks for these programs in a text.

mod commands;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use commands::{Command, Word, commands};

use super::names::is_telling;

/// Where a program has its secret.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// The value of this option, in the next word or attached. Of a short option among others behind one dash too.
    Option(&'static str),
    /// The word behind this one.
    Next(&'static str),
    /// What is attached to this option; the next word is something else.
    Attached(&'static str),
    /// The value of this option behind its first colon; the name before it is none.
    Login(&'static str),
    /// The last operand, if the letter is among the short options.
    LastIf(char),
    /// The operand of this number, counted from 0 behind the words of the row.
    Operand(usize),
    /// The operand behind a telling name.
    Named,
    /// What standard input gives, if this word is there: a here-string, or what `echo` or `printf` writes to the pipe.
    Input(&'static str),
}

use Place::{Attached, Input, LastIf, Login, Named, Next, Operand, Option as Value};

/// One way to give a secret to a program.
#[derive(Debug)]
struct Row {
    programs: &'static [&'static str],
    /// Words that stand behind the program, in this order.
    behind: &'static [&'static str],
    place: Place,
}

const fn row(programs: &'static [&'static str], behind: &'static [&'static str], place: Place) -> Row {
    Row { programs, behind, place }
}

/// So many arguments of a program are looked at.
const ARGUMENTS: usize = 256;

const REGISTRIES: &[&str] = &["buildah", "crane", "docker", "finch", "helm", "nerdctl", "oras", "podman", "skopeo"];
const LDAP: &[&str] = &["ldapadd", "ldapdelete", "ldapmodify", "ldappasswd", "ldapsearch", "ldapwhoami"];
const MYSQL: &[&str] =
    &["mariadb", "mariadb-admin", "mariadb-dump", "mysql", "mysqladmin", "mysqldump", "mysqlimport", "mysqlsh"];
const SNMP: &[&str] = &["snmpbulkwalk", "snmpget", "snmpset", "snmpwalk"];

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row(REGISTRIES, &["login"], Value("-p")),
    row(REGISTRIES, &["login"], Input("--password-stdin")),
    row(MYSQL, &[], Attached("-p")),
    row(LDAP, &[], Value("-w")),
    row(&["ldappasswd"], &[], Value("-s")),
    row(&["ldappasswd"], &[], Value("-a")),
    row(SNMP, &[], Value("-c")),
    row(SNMP, &[], Value("-A")),
    row(SNMP, &[], Value("-X")),
    row(&["7z", "7za", "7zr", "rar", "unrar"], &[], Attached("-p")),
    row(&["rar"], &[], Attached("-hp")),
    row(&["zip", "unzip", "zipcloak", "funzip"], &[], Value("-P")),
    row(&["htpasswd"], &[], LastIf('b')),
    row(&["htdbm"], &[], LastIf('b')),
    row(&["openssl"], &[], Next("-k")),
    row(&["openssl"], &[], Next("-K")),
    row(&["openssl"], &[], Next("-hmac")),
    row(&["openssl"], &["passwd"], Operand(0)),
    row(&["keytool", "jarsigner", "apksigner"], &[], Next("-storepass")),
    row(&["keytool", "jarsigner"], &[], Next("-keypass")),
    row(&["keytool"], &[], Next("-srcstorepass")),
    row(&["keytool"], &[], Next("-deststorepass")),
    row(&["keytool"], &[], Next("-srckeypass")),
    row(&["keytool"], &[], Next("-destkeypass")),
    row(&["keytool"], &[], Next("-new")),
    row(&["ssh-keygen"], &[], Value("-N")),
    row(&["ssh-keygen"], &[], Value("-P")),
    row(&["sshpass"], &[], Value("-p")),
    row(&["gpg", "gpg2"], &[], Input("--passphrase-fd")),
    row(&["aws"], &["configure", "set"], Named),
    row(&["git"], &["config"], Named),
    row(&["npm", "pnpm", "yarn"], &["config", "set"], Named),
    row(&["npm", "pnpm"], &["set"], Named),
    row(&["pip", "pip3"], &["config", "set"], Named),
    row(&["poetry"], &["config"], Named),
    row(&["composer"], &["config"], Named),
    row(&["bundle"], &["config"], Named),
    row(&["gcloud"], &["config", "set"], Named),
    row(&["conda"], &["config", "--set"], Named),
    row(&["etcdctl"], &["put"], Named),
    row(&["consul"], &["kv", "put"], Named),
    row(&["consul"], &[], Next("-token")),
    row(&["redis-cli"], &["set"], Named),
    row(&["redis-cli"], &[], Value("-a")),
    row(&["flyctl", "fly", "wrangler"], &["secret", "put"], Operand(1)),
    row(&["gh"], &["secret", "set"], Value("-b")),
    row(&["gh"], &["secret", "set"], Value("--body")),
    row(&["gh"], &["auth", "login"], Input("--with-token")),
    row(&["glab"], &["auth", "login"], Value("-t")),
    row(&["glab"], &["auth", "login"], Input("--stdin")),
    row(&["pulumi"], &["config", "set"], Operand(1)),
    row(&["az"], &["login"], Value("-p")),
    row(&["az"], &["keyvault", "secret", "set"], Value("--value")),
    row(&["aws"], &["secretsmanager"], Value("--secret-string")),
    row(&["aws"], &["ssm", "put-parameter"], Value("--value")),
    row(&["vault"], &["login"], Operand(0)),
    row(&["vault"], &["unwrap"], Operand(0)),
    row(&["vault"], &["operator", "unseal"], Operand(0)),
    row(&["cargo"], &["login"], Operand(0)),
    row(&["cargo"], &["owner"], Value("--token")),
    row(&["twine"], &["upload"], Value("-p")),
    row(&["flit", "hatch"], &["publish"], Value("-a")),
    row(&["dotnet"], &["nuget", "push"], Value("-k")),
    row(&["nuget"], &["push"], Next("-ApiKey")),
    row(&["nuget"], &["setapikey"], Operand(0)),
    row(&["doctl"], &["auth", "init"], Value("-t")),
    row(&["ngrok"], &["authtoken"], Operand(0)),
    row(&["ngrok"], &["config", "add-authtoken"], Operand(0)),
    row(&["mc"], &["alias", "set"], Operand(3)),
    row(&["mc"], &["config", "host", "add"], Operand(3)),
    row(&["bw"], &["login"], Operand(1)),
    row(&["bw"], &["unlock"], Operand(0)),
    row(&["mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"], &[], Value("-p")),
    row(&["cqlsh"], &[], Value("-p")),
    row(&["sqlcmd", "bcp", "isql", "tsql", "osql"], &[], Value("-P")),
    row(&["influx"], &[], Next("-password")),
    row(&["influx"], &[], Next("-t")),
    row(&["rabbitmqctl"], &["add_user"], Operand(1)),
    row(&["rabbitmqctl"], &["change_password"], Operand(1)),
    row(&["mosquitto_pub", "mosquitto_sub", "mosquitto_rr"], &[], Value("-P")),
    row(&["mosquitto_passwd"], &[], LastIf('b')),
    row(&["smbclient", "smbmap", "rpcclient"], &[], Value("--password")),
    row(&["ipmitool"], &[], Value("-P")),
    row(&["rdesktop"], &[], Value("-p")),
    row(&["xfreerdp", "wlfreerdp"], &[], Attached("/p:")),
    row(&["evil-winrm"], &[], Value("-p")),
    row(&["useradd", "usermod"], &[], Value("-p")),
    row(&["chpasswd"], &[], Input("chpasswd")),
    row(&["sudo"], &[], Input("-S")),
    row(&["cryptsetup"], &[], Input("-")),
    row(&["net"], &["user"], Operand(1)),
    row(&["wpa_passphrase"], &[], Operand(1)),
    row(&["nmcli"], &[], Named),
    row(&["security"], &["add-generic-password"], Value("-w")),
    row(&["security"], &["add-internet-password"], Value("-w")),
    row(&["security"], &["unlock-keychain"], Value("-p")),
    row(&["curl"], &[], Login("-u")),
    row(&["curl"], &[], Login("--user")),
    row(&["curl"], &[], Login("-U")),
    row(&["curl"], &[], Login("--proxy-user")),
    row(&["curl"], &[], Value("--pass")),
    row(&["http", "https", "xh"], &[], Login("-a")),
    row(&["http", "https", "xh"], &[], Login("--auth")),
    row(&["lftp"], &[], Login("-u")),
];

/// The places of secrets in the commands that the text holds.
pub(super) fn find(text: &str, found: &mut Vec<Range<usize>>) {
    if names_a_program(text) {
        let commands = commands(text);
        for (place, command) in commands.iter().enumerate() {
            let before = place.checked_sub(1).and_then(|before| commands.get(before));
            let writer = before.filter(|_| command.piped);
            of_command(command, writer, &mut |word, start| found.extend(word.range_from(start)));
        }
    }
}

/// The secrets among the words of one command, which are what the shell makes of them.
pub(super) fn of_words<'w>(words: &[&'w str]) -> Vec<&'w str> {
    let mut secrets = Vec::new();
    let words = words.iter().map(|word| Word::plain(word)).collect();
    let command = Command { words, ..Command::default() };
    of_command(&command, None, &mut |word, start| secrets.extend(word.source().get(start..)));
    secrets
}

/// The rows of each program.
static PROGRAMS: LazyLock<HashMap<&str, Vec<&Row>>> = LazyLock::new(|| {
    let mut programs: HashMap<&str, Vec<&Row>> = HashMap::new();
    for row in ROWS {
        for program in row.programs {
            programs.entry(program).or_default().push(row);
        }
    }
    programs
});

fn names_a_program(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '-' | '_'));
    words.any(|word| PROGRAMS.contains_key(word))
}

/// Tells `secret` each word that holds one, and where in the word's text it begins.
fn of_command<'t>(command: &Command<'t>, writer: Option<&Command<'t>>, secret: &mut dyn FnMut(&Word<'t>, usize)) {
    let words = &command.words;
    for (place, program) in words.iter().enumerate() {
        let name = program.text().rsplit('/').next().unwrap_or_default().trim_end_matches(".exe");
        let Some(rows) = PROGRAMS.get(name) else { continue };
        let end = words.len().min(place + 1 + ARGUMENTS);
        let arguments = words.get(place + 1..end).unwrap_or_default();
        for row in rows {
            let mut rest = arguments;
            let all = row.behind.iter().all(|wanted| {
                let at = rest.iter().position(|word| word.text().eq_ignore_ascii_case(wanted));
                rest = at.and_then(|at| rest.get(at + 1..)).unwrap_or_default();
                at.is_some()
            });
            if all {
                of_row(row, rest, secret);
                if let Input(flag) = row.place
                    && (name == flag || arguments.iter().any(|word| word.text() == flag))
                {
                    of_input(command, writer, name == "chpasswd", secret);
                }
            }
        }
    }
}

fn of_row<'t>(row: &Row, rest: &[Word<'t>], secret: &mut dyn FnMut(&Word<'t>, usize)) {
    let mut operands = rest.iter().filter(|word| !word.text().starts_with('-') || word.text() == "-");
    match row.place {
        Value(option) => values(rest, option, &mut |word, start| secret(word, start)),
        Next(option) => {
            for pair in rest.windows(2) {
                if let [word, value] = pair
                    && word.text() == option
                {
                    secret(value, 0);
                }
            }
        }
        Login(option) => values(rest, option, &mut |word, start| {
            let colon = word.text().get(start..).and_then(|login| login.find(':'));
            if let Some(colon) = colon {
                secret(word, start + colon + 1);
            }
        }),
        Attached(option) => {
            for word in rest.iter().filter(|word| word.text().len() > option.len() && word.text().starts_with(option)) {
                secret(word, option.len());
            }
        }
        LastIf(letter) => {
            let flags = rest.iter().filter(|word| word.text().starts_with('-') && !word.text().starts_with("--"));
            if flags.into_iter().any(|word| word.text().contains(letter))
                && let Some(last) = rest.last().filter(|last| !last.text().starts_with('-'))
            {
                secret(last, 0);
            }
        }
        Operand(index) => {
            if let Some(word) = operands.nth(index) {
                secret(word, 0);
            }
        }
        Named => {
            if operands.any(|word| {
                let name = word.text().rsplit(['.', ':', '/']).next().unwrap_or_default();
                is_telling(name) || is_telling(word.text())
            }) && let Some(word) = operands.next()
            {
                secret(word, 0);
            }
        }
        Input(_) => {}
    }
}

/// Tells each value of an option: the next word, or what is attached to it.
fn values<'t>(rest: &[Word<'t>], option: &str, told: &mut dyn FnMut(&Word<'t>, usize)) {
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    for (place, word) in rest.iter().enumerate() {
        let text = word.text();
        // Short options may stand together: `-rP` is `-r -P`.
        let bundled = letter.is_some_and(|letter| {
            let letters = text.strip_prefix('-').unwrap_or_default();
            letters.ends_with(letter) && letters.len() <= 5 && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        });
        if text == option || bundled {
            if let Some(value) = rest.get(place + 1) {
                told(value, 0);
            }
        } else if let Some(value) = text.strip_prefix(option)
            && (value.starts_with('=') || letter.is_some())
        {
            told(word, option.len() + usize::from(value.starts_with('=')));
        }
    }
}

/// What a command reads of its own text: here-strings, and what the command before it writes.
fn of_input<'t>(
    command: &Command<'t>,
    writer: Option<&Command<'t>>,
    is_login: bool,
    secret: &mut dyn FnMut(&Word<'t>, usize),
) {
    let written =
        writer.filter(|writer| writer.words.first().is_some_and(|word| matches!(word.text(), "echo" | "printf")));
    let written = written.map(|writer| writer.words.get(1..).unwrap_or_default()).unwrap_or_default();
    let operands = written.iter().filter(|word| !word.text().starts_with(['-', '%']));
    for word in operands.chain(&command.here) {
        let colon = word.text().find(':').filter(|_| is_login);
        secret(word, colon.map_or(0, |colon| colon + 1));
    }
}

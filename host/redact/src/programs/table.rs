//! The table of program arguments that are secrets.

/// The position of a program's secret.
#[derive(Debug, Clone, Copy)]
pub(super) enum SecretPosition {
    /// The value of this option, in the next word or attached. A short option may be in a cluster.
    Option(&'static str),
    /// The word after this one.
    Next(&'static str),
    /// The value attached to this option. The next word isn't its value.
    Attached(&'static str),
    /// The last operand, if the letter is among the short options.
    LastIf(char),
    /// The operand with this index, starting at 0 after the row's words.
    Operand(usize),
    /// Each operand.
    Operands,
    /// The operand after a name for a secret.
    Named,
    /// Standard input, if this option or word is present. An empty text is always present.
    Input(&'static str),
    /// Standard input, if an operand is a name for a secret.
    InputOfNamed,
}

/// The part of a word that is the secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SecretPart {
    Whole,
    /// The part after this sign. Without the sign, there is no secret.
    Behind(char),
    /// The part after a colon. If that is empty, the part before the colon, unless it is a word.
    Login,
    /// The part between the colon and the host's `@`.
    Proxy,
    /// The part between the slash and the host's `@`.
    Connect,
}

use SecretPart::{Behind, Connect, Login, Proxy, Whole};
use SecretPosition::{Attached, Input, InputOfNamed, LastIf, Named, Next, Operand, Operands, Option as Value};

/// One way to pass a secret to a program.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) programs: &'static [&'static str],
    /// Words after the program, in this order.
    pub(super) behind: &'static [&'static str],
    pub(super) place: SecretPosition,
    pub(super) part: SecretPart,
}

const fn row(programs: &'static [&'static str], behind: &'static [&'static str], place: SecretPosition) -> Row {
    part(programs, behind, place, Whole)
}

const fn part(
    programs: &'static [&'static str],
    behind: &'static [&'static str],
    place: SecretPosition,
    part: SecretPart,
) -> Row {
    Row { programs, behind, place, part }
}

const REGISTRIES: &[&str] = &["buildah", "crane", "docker", "finch", "helm", "nerdctl", "oras", "podman", "skopeo"];
const LDAP: &[&str] = &["ldapadd", "ldapdelete", "ldapmodify", "ldappasswd", "ldapsearch", "ldapwhoami"];
const MYSQL: &[&str] =
    &["mariadb", "mariadb-admin", "mariadb-dump", "mysql", "mysqladmin", "mysqldump", "mysqlimport", "mysqlsh"];
const SAMBA: &[&str] = &["net", "rpcclient", "smbcacls", "smbclient", "smbget", "smbmap", "wbinfo"];
const SNMP: &[&str] = &["snmpbulkwalk", "snmpget", "snmpset", "snmpwalk"];

/// All rows.
#[rustfmt::skip]
pub(super) const ROWS: &[Row] = &[
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
    row(&["redis-cli"], &["auth"], Operand(0)),
    part(&["sqlplus", "sqlldr", "rman", "exp", "expdp", "imp", "impdp"], &[], Operands, Connect),
    part(&["fly", "flyctl", "supabase", "doppler", "infisical", "convox"], &["secrets", "set"], Operands, Behind('=')),
    row(&["fly", "flyctl"], &["secrets", "import"], Input("")),
    row(&["doppler"], &["secrets", "set"], Input("")),
    row(&["wrangler"], &["secret", "put"], Input("")),
    row(&["vercel"], &["env", "add"], Input("")),
    row(&["vercel"], &[], Value("-t")),
    row(&["netlify"], &[], Value("--auth")),
    row(&["netlify"], &["env:set"], Named),
    row(&["chamber"], &["write"], Operand(2)),
    part(&["--from-literal"], &[], Value("--from-literal"), Behind('=')),
    row(&["docker", "podman"], &["secret", "create"], Input("-")),
    row(&["gcloud"], &["secrets"], Input("--data-file=-")),
    row(&["pass"], &["insert"], Input("")),
    row(&["oc"], &["login"], Value("-p")),
    row(&["snyk"], &["auth"], Operand(0)),
    row(&["ansible-vault"], &["encrypt_string"], Operand(0)),
    row(&["gh"], &["secret", "set"], Input("")),
    row(&["gh"], &["secret", "set"], Value("-b")),
    row(&["gh"], &["secret", "set"], Value("--body")),
    row(&["gh"], &["auth", "login"], Input("--with-token")),
    row(&["glab"], &["auth", "login"], Value("-t")),
    row(&["glab"], &["auth", "login"], Input("--stdin")),
    row(&["pulumi"], &["config", "set"], Operand(1)),
    row(&["pulumi"], &["config", "set"], Input("--secret")),
    row(&["az"], &["login"], Value("-p")),
    row(&["az"], &["keyvault", "secret", "set"], Value("--value")),
    row(&["aws"], &["secretsmanager"], Value("--secret-string")),
    row(&["aws"], &["ssm", "put-parameter"], Value("--value")),
    row(&["vault"], &["login"], Operand(0)),
    row(&["vault"], &["login"], Input("-")),
    part(&["vault", "bao"], &["kv", "put"], Operands, Behind('=')),
    part(&["vault", "bao"], &["kv", "patch"], Operands, Behind('=')),
    part(&["vault", "bao"], &["write"], Operands, Behind('=')),
    row(&["vault"], &["unwrap"], Operand(0)),
    row(&["vault"], &["operator", "unseal"], Operand(0)),
    row(&["cargo"], &["login"], Operand(0)),
    row(&["cargo"], &["owner"], Value("--token")),
    row(&["twine"], &["upload"], Value("-p")),
    row(&["poetry"], &["publish"], Value("-p")),
    row(&["gem"], &["push"], Value("--key")),
    row(&["gem"], &["push"], Value("-k")),
    row(&["--bearer"], &[], Value("--bearer")),
    row(&["--otp"], &[], Value("--otp")),
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
    part(SAMBA, &[], Value("-U"), Behind('%')),
    part(SAMBA, &[], Value("--user"), Behind('%')),
    row(SAMBA, &[], Value("--password")),
    row(&["ipmitool"], &[], Value("-P")),
    row(&["rdesktop"], &[], Value("-p")),
    row(&["xfreerdp", "wlfreerdp"], &[], Attached("/p:")),
    row(&["evil-winrm"], &[], Value("-p")),
    row(&["useradd", "usermod"], &[], Value("-p")),
    part(&["chpasswd"], &[], Input(""), Behind(':')),
    row(&["sudo"], &[], Input("-S")),
    row(&["sudo"], &[], Input("--stdin")),
    row(&["openssl"], &[], Input("stdin")),
    row(&["kubectl", "oc"], &["create", "secret"], Input("")),
    row(&["vault", "bao"], &["kv", "put"], Input("")),
    row(&["op"], &["item", "create"], Input("")),
    row(&["aws"], &["secretsmanager"], Input("")),
    row(&["uv"], &["publish"], Value("-p")),
    row(&["uv"], &["publish"], Value("-t")),
    row(&["http", "https", "xh"], &["bearer"], Value("-a")),
    row(&["redis-cli"], &["config", "set", "requirepass"], Operand(0)),
    row(&["redis-cli"], &["config", "set", "masterauth"], Operand(0)),
    part(&["curl"], &[], Value("-x"), Proxy),
    part(&["curl"], &[], Value("--proxy"), Proxy),
    part(&["curl"], &[], Value("-E"), Behind(':')),
    part(&["curl"], &[], Value("--cert"), Behind(':')),
    row(&["cryptsetup"], &[], Input("-")),
    row(&["net"], &["user"], Operand(1)),
    row(&["wpa_passphrase"], &[], Operand(1)),
    row(&["nmcli"], &[], Named),
    row(&["setx", "setenv"], &[], Named),
    row(&["passwd"], &[], Input("")),
    row(&["smbpasswd"], &[], Input("-s")),
    row(&["kinit"], &[], Input("")),
    row(&["htpasswd"], &[], Input("-i")),
    row(&["security"], &["add-generic-password"], Value("-w")),
    row(&["security"], &["add-internet-password"], Value("-w")),
    row(&["security"], &["unlock-keychain"], Value("-p")),
    part(&["curl"], &[], Value("-u"), Login),
    part(&["curl"], &[], Value("--user"), Login),
    part(&["curl"], &[], Value("-U"), Login),
    part(&["curl"], &[], Value("--proxy-user"), Login),
    row(&["curl"], &[], Value("--pass")),
    part(&["curl"], &[], Value("-b"), Behind('=')),
    part(&["curl"], &[], Value("--cookie"), Behind('=')),
    row(&["--oauth2-bearer"], &[], Value("--oauth2-bearer")),
    part(&["http", "https", "xh"], &[], Value("-a"), Login),
    part(&["http", "https", "xh"], &[], Value("--auth"), Login),
    part(&["lftp"], &[], Value("-u"), Behind(',')),
    part(&["lftp"], &[], Value("--user"), Behind(',')),
];

/// Shell keywords and builtins that take secrets. They only match at the start of a command, because they are ordinary
/// words elsewhere.
#[rustfmt::skip]
pub(super) const OF_SHELL: &[Row] = &[
    row(&["read"], &[], InputOfNamed),
    row(&["printf"], &["-v"], Named),
    row(&["set"], &["-x"], Named),
    row(&["set"], &["-gx"], Named),
    row(&["set"], &["-Ux"], Named),
    row(&["set"], &["-lx"], Named),
    row(&["set"], &["-g"], Named),
    row(&["set"], &["-U"], Named),
    row(&["set"], &["--export"], Named),
    row(&["set"], &["--global"], Named),
];

//! `credential-store`: a call that reads a store of passwords, cookies or keys, or code that requests a cloud
//! machine's keys.
//!
//! ## Why
//! Such a store gives access to many other systems, and no task in a project needs all of it. ATT&CK T1555, T1539,
//! T1552.005.
//!
//! ## Examples
//! - asked: `secret-tool lookup service mail`
//! - asked: `sqlite3 ~/.config/google-chrome/Default/Cookies .dump`
//! - asked: `python3 -c "import keyring; print(keyring.get_password('a', 'b'))"`
//! - passes: `sqlite3 app.db .tables`
//! - passes: `secret-tool store --label x service mail`
//! - passes: `echo "Cookies.binarycookies"`
//!
//! ## Instead
//! Ask the user for the one credential that you need.

use guard_sdk::paths::drive;
use guard_sdk::syntax::Command;
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::{Hit, code};
use crate::kinds::{SHOWING, has_any, is_any};
use crate::view::{View, is_in_a_container, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "credential-store",
    summary: "reads a store of credentials",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Parts of the paths of browsers' and systems' stores, in lower case.
const STORES: &[&str] = &[
    "cookies.binarycookies",
    "/library/cookies",
    "/default/cookies",
    "/default/login data",
    "/default/web data",
    "/profile 1/login data",
    "/profile 1/cookies",
    "/default/network/cookies",
    "/google/chrome/local state",
    "google-chrome/local state",
    "/key4.db",
    "/key3.db",
    "/logins.json",
    "/cookies.sqlite",
    "/signons.sqlite",
    "/library/keychains",
    "login.keychain",
    "/.local/share/keyrings/",
    "/kwalletd/",
    "appdata/local/google/chrome/user data",
    "appdata/local/microsoft/credentials",
    "appdata/roaming/microsoft/credentials",
    "appdata/roaming/microsoft/protect",
    "/tcc.db",
    "ntds.dit",
    "system32/config/sam",
    "system32/config/security",
    "system32/config/system",
    "/etc/master.passwd",
    "/etc/spwd.db",
    "/var/lib/sss/secrets",
    "/var/lib/sss/db",
    "/var/db/dslocal/nodes/default/users",
    "/etc/krb5.keytab",
    "/krb5cc_",
    "/.vnc/passwd",
    "/.purple/accounts.xml",
    "/etc/mysql/debian.cnf",
    "/etc/security/passwd",
    "/filezilla/sitemanager.xml",
    "/filezilla/recentservers.xml",
    "/.remmina/",
    "/remmina/remmina.pref",
    "/var/lib/samba/private",
];

/// Calls in code that read such stores.
const CALLS: &[&str] = &[
    "keyring.get_password",
    "keyring.get_credential",
    "secretstorage.",
    "browser_cookie3",
    "browsercookie",
    "CryptUnprotectData",
    "win32crypt",
    "SecItemCopyMatching",
    "SecKeychainFind",
    "Windows.Security.Credentials",
    "PasswordVault",
    "getpass.getpass = ",
    "spwd.getsp",
];

/// Hosts that provide the credentials of a cloud machine.
const METADATA: &[&str] =
    &["169.254.169.254", "169.254.170.2", "metadata.google.internal", "100.100.100.200", "[fd00:ec2::254]"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let store = view.commands().find_map(opened_store).or_else(|| read(view)).or_else(|| store_in_code(view))?;
    Some(Hit::new(
        format!("Reads a store of credentials: {store}"),
        "ask the user for the one credential that is needed",
    ))
}

fn opened_store(command: &Command) -> Option<String> {
    let program = name(command);
    let words: Vec<String> = texts(command).map(str::to_ascii_lowercase).collect();
    let first = words.iter().find(|word| !word.starts_with('-')).map(String::as_str).unwrap_or_default();
    let reads = match &*program {
        "secret-tool" => matches!(first, "lookup" | "search"),
        "kwallet-query" | "kwalletcli" => !words.iter().any(|word| word == "-w"),
        "keyctl" => matches!(first, "print" | "pipe" | "read"),
        "gnome-keyring-daemon" => words.iter().any(|word| word == "--unlock"),
        "cmdkey" => words.iter().any(|word| word.starts_with("/list")),
        "vaultcmd" => words.iter().any(|word| word.starts_with("/list")),
        "reg" => {
            matches!(first, "save" | "export")
                && words.iter().any(|word| {
                    has_any(
                        word,
                        &["hklm\\sam", "hklm\\system", "hklm\\security", "hklmsam", "hklmsystem", "hklmsecurity"],
                    )
                })
        }
        "ntdsutil" | "dsdbutil" => words.iter().any(|word| has_any(word, &["ifm", "ac i ntds", "snapshot"])),
        "vssadmin" => first == "create",
        "esentutl" => words.iter().any(|word| word.contains("ntds")),
        "security" => {
            let unlocks = || words.iter().any(|word| word.contains("login.keychain"));
            first == "unlock-keychain" && words.iter().any(|word| word.starts_with("-p")) && unlocks()
        }
        "ktutil" => command.is_fed(),
        // A person's password hash.
        "dscl" | "dscacheutil" => words.iter().any(|word| word.contains("shadowhash")),
        "tdbdump" | "sekey" | "get-credential" => true,
        // A password dialog in another program's name.
        "zenity" | "kdialog" | "yad" => words.iter().any(|word| word == "--password"),
        "osascript" => words.iter().any(|word| word.contains("hidden answer")),
        _ => false,
    };
    if reads {
        return Some(format!("`{}`", shorten(&command.text())));
    }
    if let Some(socket) = foreign_agent(command) {
        return Some(format!("the keys of another login behind `{}`", shorten(&socket)));
    }
    let shows = is_any(&program, SHOWING)
        || matches!(&*program, "security" | "mkdir" | "touch" | "ls" | "chmod" | "stat" | "du");
    if shows {
        return None;
    }
    let copies = is_any(&program, COPIERS);
    let is_store = |word: &String| {
        let path = word.replace('\\', "/");
        has_any(&path, STORES) || copies && has_any(&path, PROFILES)
    };
    let word = words.iter().find(|word| is_path(word) && is_store(word))?;
    Some(format!("`{}`", shorten(word)))
}

/// Returns a store that a command, a redirection or code reads as a file.
fn read(view: &View<'_>) -> Option<String> {
    let is_store =
        |target: &&String| is_path(target) && has_any(&target.to_ascii_lowercase().replace('\\', "/"), STORES);
    let reads =
        view.analysis.effects.iter().filter(|effect| effect.operation == "fs.read" && !is_in_a_container(effect));
    reads.map(|effect| &effect.target).find(is_store).map(|target| format!("`{}`", shorten(target)))
}

/// Returns an ssh agent's socket that the call selects from those of all users.
fn foreign_agent(command: &Command) -> Option<String> {
    let assigned = command.assignments.iter().map(|set| (set.name.as_str(), set.value.text.as_str()));
    let exported = texts(command).filter(|_| name(command) == "export").filter_map(|text| text.split_once('='));
    let mut sockets = assigned.chain(exported).filter(|(name, _)| *name == "SSH_AUTH_SOCK").map(|(_, value)| value);
    sockets.find(|value| value.contains("/tmp/ssh-") || value.contains("find /")).map(str::to_owned)
}

/// Browser folders, with a person's passwords and cookies.
const PROFILES: &[&str] = &[
    "/.mozilla",
    "/.thunderbird",
    "/google-chrome",
    "/google/chrome",
    "/.config/chromium",
    "/bravesoftware",
    "/firefox/profiles",
    "/microsoft edge",
    "/.config/microsoft-edge",
    "/vivaldi",
    "/library/safari",
    "/library/messages",
    "/library/mail",
    "/var/mail",
    "/var/spool/mail",
];

/// Programs that copy whole folders.
const COPIERS: &[&str] = &["cp", "tar", "zip", "7z", "rsync", "scp", "mv", "ditto", "robocopy", "xcopy", "rclone"];

fn is_path(word: &str) -> bool {
    word.starts_with(['/', '~', '$', '.'])
        || word.contains(":\\")
        || word.starts_with("\\\\")
        || drive(word).is_some()
        || word.contains('%')
        || word.ends_with(".binarycookies")
}

fn store_in_code(view: &View<'_>) -> Option<String> {
    view.scripts().find_map(|script| {
        let text = &script.text;
        let is_code = matches!(
            script.language.as_str(),
            "python" | "javascript" | "ruby" | "perl" | "php" | "powershell" | "applescript" | "lua"
        );
        if !is_code {
            return None;
        }
        let call = CALLS.iter().find(|call| text.contains(**call));
        let asks = || {
            has_any(text, &["urlopen", "requests.", "fetch(", "http.", "httpx.", "urllib", "curl", "Net::HTTP"])
                || code::connects(text)
        };
        let metadata = || METADATA.iter().find(|host| text.contains(**host) && asks());
        let lower = || text.to_ascii_lowercase();
        let store = || {
            has_any(text, &["sqlite3", "copy", "open("])
                .then(lower)
                .and_then(|text| STORES.iter().find(|store| text.contains(*store)))
        };
        call.or_else(metadata).or_else(store).map(|found| format!("`{found}` in {} code", script.language))
    })
}

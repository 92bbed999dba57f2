//! Programs whose purpose is an attack, by kind.

/// A kind of program.
pub(crate) struct Kind {
    /// The description in a message, after the program's name.
    pub(crate) does: &'static str,
    names: &'static [&'static str],
}

/// The kinds. Names are stems: without folder, extension, version and word size.
const KINDS: &[Kind] = &[
    Kind {
        does: "collects passwords and keys from this machine",
        names: &[
            "mimikatz",
            "mimipenguin",
            "lazagne",
            "pypykatz",
            "secretsdump",
            "nanodump",
            "lsassy",
            "swaparoo",
            "3snake",
            "firefox_decrypt",
            "hackbrowserdata",
            "chainbreaker",
            "keychaindump",
            "gimmecredz",
            "sharpchrome",
            "sharpdpapi",
            "rubeus",
            "fgdump",
            "pwdump",
            "gsecdump",
            "creddump",
            "keethief",
            "linikatz",
            "truffleproc",
            "mimidrv",
            "donpapi",
            "cookiemonster",
            "logkeys",
            "keylogger",
            "xspy",
            "simple-key-logger",
            "pykeylogger",
        ],
    },
    Kind {
        does: "looks for ways to gain privileges on this machine",
        names: &[
            "linpeas",
            "winpeas",
            "peass",
            "linenum",
            "linux-smart-enumeration",
            "linux-exploit-suggester",
            "linuxprivchecker",
            "unix-privesc-check",
            "pspy",
            "pspy32",
            "pspy64",
            "powerup",
            "seatbelt",
            "beroot",
            "sudo_killer",
            "sudokiller",
            "gtfonow",
            "wesng",
            "suid3num",
            "amicontained",
            "deepce",
            "cdk_linux",
            "linux-kernel-exploiter",
            "dirtycow",
            "dirtypipe",
            "pwnkit",
            "cve-2021-4034",
            "peirates",
            "kubeletctl",
            "linuxprivescchecker",
            "privesccheck",
            "beebug",
            "swiftbelt",
        ],
    },
    Kind {
        does: "guesses or cracks passwords",
        names: &[
            "hydra",
            "unshadow",
            "kerbrute",
            "medusa",
            "ncrack",
            "patator",
            "crowbar",
            "brutespray",
            "john",
            "hashcat",
            "ophcrack",
            "rainbowcrack",
            "thc-hydra",
            "aircrack-ng",
            "airodump-ng",
            "aireplay-ng",
            "fcrackzip",
            "pdfcrack",
            "sucrack",
            "kerbrute",
            "o365spray",
            "cewl",
            "stegcracker",
            "bruteforce-luks",
        ],
    },
    Kind {
        does: "attacks other machines or prepares an attack",
        names: &[
            "msfconsole",
            "msfvenom",
            "msfdb",
            "msfrpcd",
            "meterpreter",
            "metasploit",
            "setoolkit",
            "commix",
            "sqlmap",
            "evil-winrm",
            "psexec",
            "wmiexec",
            "smbexec",
            "atexec",
            "dcomexec",
            "responder",
            "ntlmrelayx",
            "mitm6",
            "crackmapexec",
            "cme",
            "netexec",
            "nxc",
            "bloodhound-python",
            "sharphound",
            "bloodhound",
            "enum4linux",
            "enum4linux-ng",
            "smbmap",
            "impacket",
            "sliver",
            "sliver-client",
            "sliver-server",
            "cobaltstrike",
            "teamserver",
            "poshc2",
            "weevely",
            "shellter",
            "beef-xss",
            "ettercap",
            "bettercap",
            "arpspoof",
            "dsniff",
            "dnsspoof",
            "macof",
            "yersinia",
            "slowloris",
            "goldeneye",
            "hping3",
            "loic",
            "xerxes",
            "mhddos",
            "stratus",
            "pacu",
            "cloudgoat",
            "rustcat",
            "routersploit",
            "exploitdb",
            "searchsploit",
            "wifite",
            "fluxion",
            "reaver",
            "gophish",
            "evilginx",
            "evilginx2",
            "modlishka",
            "nishang",
            "powercat",
            "powersploit",
        ],
    },
    Kind {
        does: "scans other machines for weak points",
        names: &[
            "masscan",
            "zmap",
            "zgrab",
            "zgrab2",
            "rustscan",
            "unicornscan",
            "nikto",
            "gobuster",
            "dirb",
            "dirbuster",
            "feroxbuster",
            "ffuf",
            "wfuzz",
            "wpscan",
            "joomscan",
            "droopescan",
            "nuclei",
            "openvas",
            "nessus",
            "naabu",
            "httprobe",
            "theharvester",
            "recon-ng",
            "dnsrecon",
            "dnsenum",
            "amass",
            "subfinder",
            "sublist3r",
            "whatweb",
            "wafw00f",
            "arp-scan",
            "netdiscover",
            "nbtscan",
            "onesixtyone",
            "ike-scan",
            "dalfox",
            "xsstrike",
            "autorecon",
            "sn1per",
            "kube-hunter",
        ],
    },
    Kind {
        does: "mines a cryptocurrency on this machine",
        names: &[
            "xmrig",
            "xmr-stak",
            "xmr-stak-rx",
            "minerd",
            "cpuminer",
            "cpuminer-opt",
            "ethminer",
            "t-rex",
            "nbminer",
            "lolminer",
            "cgminer",
            "bfgminer",
            "phoenixminer",
            "srbminer",
            "srbminer-multi",
            "teamredminer",
            "ccminer",
            "gminer",
            "nanominer",
            "xmrig-proxy",
            "nheqminer",
            "kawpowminer",
            "wildrig",
            "bzminer",
            "minergate",
            "minergate-cli",
            "kryptex",
            "moneroocean",
            "c3pool",
            "cryptonight",
        ],
    },
];

/// Words that are descriptive in a program's name.
const SAY_IT: &[&str] = &[
    "exploit",
    "keylogger",
    "rootkit",
    "backdoor",
    "ransomware",
    "revshell",
    "shellcode",
    "bruteforce",
    "implant",
    "privesc",
    "cryptominer",
    "botnet",
    "keystealer",
    "infostealer",
];

/// Words before such a word in the name of a defensive program: `chkrootkit`.
const DEFENDS: &[&str] = &["anti", "check", "chk", "detect", "no", "un"];

const NAMED_SO: Kind = Kind { does: "has the name of an attack tool", names: &[] };

/// Returns the kind of a program, a script or an image with this name.
pub(crate) fn kind(name: &str) -> Option<&'static Kind> {
    let stem = stem(name);
    let by_name = KINDS.iter().find(|kind| kind.names.contains(&stem.as_str()));
    let words = || stem.split(|char: char| !char.is_ascii_alphanumeric());
    let says_it = |word: &str| {
        let before = SAY_IT.iter().find_map(|say| word.strip_suffix(say));
        before.is_some_and(|before| !DEFENDS.contains(&before))
    };
    by_name.or_else(|| words().any(says_it).then_some(&NAMED_SO))
}

/// Endings of words in the names of programs that modify others at run time. In a project, they may refer to
/// dependencies or tests.
const CHANGES_OTHERS: &[&str] = &["injection", "injector", "hollowing"];

/// Returns the kind of a program in a folder for temporary files, by its name.
pub(crate) fn kind_of_unseen(path: &str) -> Option<&'static Kind> {
    let is_temporary =
        ["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"].iter().any(|folder| path.starts_with(folder));
    let says_it = || {
        let stem = stem(path);
        let mut words = stem.split(|char: char| !char.is_ascii_alphanumeric());
        words.any(|word| CHANGES_OTHERS.iter().any(|say| word.ends_with(say)))
    };
    (is_temporary && says_it()).then_some(&NAMED_SO)
}

/// Returns the name without its folder, extension and build suffixes: `linpeas` for `./linpeas_linux_amd64.sh`.
fn stem(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or_default().to_ascii_lowercase();
    let mut name = name.as_str();
    for end in [
        ".sh", ".py", ".py3", ".pl", ".rb", ".exe", ".ps1", ".bin", ".elf", ".jar", ".php", ".js", ".swift", ".go",
        ".rs", ".c", ".cc", ".cpp", ".cs", ".csproj", ".java", ".lua", ".ts",
    ] {
        name = name.strip_suffix(end).unwrap_or(name);
    }
    for end in [
        "_linux_amd64",
        "_linux_arm64",
        "_darwin_amd64",
        "_darwin_arm64",
        "_fat",
        "_small",
        "-linux-amd64",
        "_x64",
        "_x86",
        "-x86_64",
    ] {
        name = name.strip_suffix(end).unwrap_or(name);
    }
    name.strip_prefix("impacket-").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::kind;

    #[test]
    fn a_tool_is_known_by_its_stem() {
        for name in ["./linpeas.sh", "/opt/laZagne.py", "impacket-secretsdump", "winPEAS_x64.exe", "xmrig"] {
            assert!(kind(name).is_some(), "{name}");
        }
        for name in ["johnny", "ls", "", "hydra-config", "less.sh", "chkrootkit", "anti-x/antirootkit.sh"] {
            assert!(kind(name).is_none(), "{name}");
        }
    }
}

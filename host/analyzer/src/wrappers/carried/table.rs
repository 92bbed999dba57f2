//! The table of programs, with the options and operands that contain the text.

use super::{Carrier, carrier};
use crate::wrappers::layer::takes;

pub(super) static CARRIERS: &[Carrier] = &[
    carrier(
        &["tar", "gtar", "bsdtar"],
        takes(
            "fCbIKNTXFHLVg",
            "file directory blocking-factor use-compress-program files-from exclude-from info-script \
             new-volume-script format checkpoint-action to-command rsh-command exclude transform",
        ),
        &[
            ("I", ""),
            ("use-compress-program", ""),
            ("to-command", ""),
            ("rsh-command", ""),
            ("F", ""),
            ("info-script", ""),
            ("new-volume-script", ""),
            ("checkpoint-action", "exec="),
        ],
        &[],
    ),
    carrier(
        &["rsync"],
        takes("efBTM", "rsh filter exclude include rsync-path"),
        &[("e", ""), ("rsh", ""), ("rsync-path", "")],
        &[],
    ),
    carrier(
        &["ssh", "autossh", "mosh", "sshfs"],
        takes("BbcDEeFIiJLlmOopPQRSWw", "ssh"),
        &[
            ("ssh", ""),
            ("o", "proxycommand="),
            ("o", "localcommand="),
            ("o", "knownhostscommand="),
            ("o", "ssh_command="),
        ],
        &[],
    ),
    carrier(
        &["scp", "sftp"],
        takes("cDFiJloPSXbBR", ""),
        &[("S", ""), ("o", "proxycommand="), ("o", "localcommand=")],
        &[],
    ),
    carrier(
        &["strace", "ltrace"],
        takes("abeEIoOpPsSuUX", "output trace"),
        &[("o", "|"), ("o", "!"), ("output", "|"), ("output", "!")],
        &[],
    ),
    carrier(&["man"], takes("CLmMSePrH", "pager html config-file"), &[("P", ""), ("pager", ""), ("H", "")], &[]),
    carrier(&["less", "more"], takes("bhjkopPtTxyz", ""), &[], &["+!", "+:!"]),
    carrier(&["zip"], takes("bnitxT", "unzip-command temp-path"), &[("unzip-command", ""), ("TT", "")], &[]),
    carrier(&["split"], takes("abClnt", "filter bytes lines number suffix-length"), &[("filter", "")], &[]),
    carrier(
        &["sort"],
        takes("kotST", "key output field-separator buffer-size compress-program parallel"),
        &[("compress-program", "")],
        &[],
    ),
    carrier(&["tcpdump"], takes("BcCDEFGijmMrsTVwyzZ", ""), &[("z", "")], &[]),
    carrier(&["rg"], takes("ABCEefgjmMrtT", "pre pre-glob glob type regexp"), &[("pre", "")], &[]),
    carrier(
        &["fzf"],
        takes("qdmn", "preview query bind delimiter"),
        &[
            ("preview", ""),
            ("bind", "execute("),
            ("bind", "execute-silent("),
            ("bind", "become("),
            ("bind", "reload("),
            ("bind", "reload-sync("),
            ("bind", "transform("),
        ],
        &[],
    ),
    carrier(&["socat", "socat1"], takes("bLtTx", ""), &[], &["exec:", "system:", "shell:"]),
    carrier(
        &["nc", "ncat", "netcat"],
        takes("ceimopqswxX", "exec sh-exec"),
        &[("c", ""), ("e", ""), ("exec", ""), ("sh-exec", "")],
        &[],
    ),
    carrier(&["hg"], takes("R", "config repository cwd"), &[("config", "=!"), ("config", "=")], &[]),
    carrier(&["jj"], takes("R", "config repository"), &[("config", "=")], &[]),
    carrier(&["svn"], takes("xmFr", "config-option diff-cmd editor-cmd diff3-cmd"), SVN, &[]),
    carrier(
        &["cargo"],
        takes("xs", "exec shell config manifest-path package"),
        &[
            ("s", ""),
            ("shell", ""),
            ("config", "rustc="),
            ("config", "wrapper="),
            ("config", "runner="),
            ("config", "linker="),
        ],
        &[],
    ),
    carrier(&["bat", "batcat", "ack", "ag", "delta", "glow"], takes("l", "pager language"), &[("pager", "")], &[]),
    carrier(&["rclone"], takes("", "password-command"), &[("password-command", "")], &[]),
    carrier(
        &["restic", "borg"],
        takes("ro", "password-command repo option rsh"),
        &[("password-command", ""), ("rsh", "")],
        &[],
    ),
    carrier(&["consul-template"], takes("", "exec"), &[("exec", "")], &[]),
    carrier(&["boundary"], takes("", "exec"), &[("exec", "")], &[]),
    carrier(&["enscript"], takes("Iop", "filter"), &[("I", ""), ("filter", "")], &[]),
    carrier(&["logrotate"], takes("lsm", "log mail state"), &[("l", "|"), ("log", "|"), ("m", ""), ("mail", "")], &[]),
    carrier(&["nx"], takes("", "command"), &[("command", "")], &[]),
    carrier(
        &["hyperfine"],
        takes("spc", "setup prepare conclude cleanup"),
        &[("s", ""), ("p", ""), ("c", ""), ("setup", ""), ("prepare", ""), ("conclude", ""), ("cleanup", "")],
        &[],
    ),
    carrier(
        &["systemd-run"],
        takes("pu", "property unit"),
        &[
            ("p", "execstartpre="),
            ("p", "execstartpost="),
            ("p", "execstop="),
            ("property", "execstartpre="),
            ("property", "execstartpost="),
        ],
        &[],
    ),
    carrier(&["gem"], takes("ve", "version editor"), &[("e", ""), ("editor", "")], &[]),
    carrier(&["ttyrec"], takes("e", ""), &[("e", "")], &[]),
    carrier(
        &["sbatch"],
        takes("ApJntcNoeDM", "wrap account partition job-name ntasks time nodes output error chdir mem"),
        &[("wrap", "")],
        &[],
    ),
    carrier(&["go"], takes("", "toolexec exec"), &[("toolexec", ""), ("exec", "")], &[]),
    carrier(&["make", "gmake"], takes("fCIjlo", "file directory eval"), &[], &["shell=", "makeflags=--eval=$(shell "]),
    carrier(&["complete", "compgen"], takes("oAGWFCXPS", ""), &[("C", "")], &[]),
    carrier(&["rpm", "rpmdb", "rpmquery", "rpmverify", "rpmspec", "rpmbuild"], takes("E", "eval pipe"), RPM, &[]),
    carrier(&["scrot"], takes("edqta", "exec delay quality"), &[("e", ""), ("exec", "")], &[]),
    carrier(&["dmsetup"], takes("jmuv", "exec target table uuid"), &[("exec", "")], &[]),
    carrier(&["nano", "pico"], takes("TroQsY", "speller"), &[("s", ""), ("speller", "")], &[]),
    carrier(&["mail", "mailx", "s-nail"], takes("aAscbrSeiH", "exec"), &[("exec", "!")], &[]),
    carrier(&["lftp"], takes("ecfpu", ""), &[("c", "!"), ("e", "!")], &[]),
    carrier(&["mypy", "pyright"], takes("cmp", "python-executable"), &[("python-executable", "")], &[]),
    carrier(&["openvpn"], takes("", HOOKS_OF_VPN), VPN, &[]),
    carrier(&["certbot", "letsencrypt"], takes("dmw", HOOKS_OF_CERTBOT), CERTBOT, &[]),
    carrier(&["check_by_ssh"], takes("oHClp", ""), &[("o", "proxycommand")], &[]),
    carrier(&["agetty", "getty"], takes("lafHIt", "login-program"), &[("l", ""), ("login-program", "")], &[]),
    carrier(&["pidstat"], takes("eGCTU", ""), &[("e", "")], &[]),
    carrier(
        &["mutt", "neomutt"],
        takes("aAbcdeEfFHimnpQs", ""),
        &[("e", "editor="), ("e", "pager="), ("e", "shell="), ("e", "sendmail="), ("e", "query_command="), ("e", "!")],
        &[],
    ),
    carrier(&["wget"], takes("oaiOPtTwQelqARDIXU", "use-askpass execute"), WGET, &[]),
    carrier(&["sbt"], takes("", ""), &[], &["!"]),
    carrier(&["smbclient"], takes("cUIpWnLlmTADkdsO", "command user"), &[("c", "!"), ("command", "!")], &[]),
    carrier(
        &["npm", "pnpm", "yarn"],
        takes("", "script-shell prefix viewer editor"),
        &[("script-shell", ""), ("viewer", ""), ("editor", "")],
        &[],
    ),
    carrier(&["nodemon"], takes("xew", "exec ext watch ignore delay"), &[("x", ""), ("exec", "")], &[]),
    carrier(&["ansible"], takes("imaeutfM", "inventory args module-name"), &[("a", ""), ("args", "")], &[]),
    carrier(
        &["apt", "apt-get", "aptitude"],
        takes("ot", "option"),
        &[("o", "invoke::={"), ("o", "invoke::="), ("o", "invoke=")],
        &[],
    ),
    carrier(&["expect"], takes("c", ""), &[("c", "spawn ")], &[]),
    carrier(&["cpio", "pax"], takes("EFHIMOCDRbst", "rsh rsh-command file"), &[("rsh-command", ""), ("rsh", "")], &[]),
    carrier(&["zathura"], takes("xefc", ""), &[("x", "")], &[]),
    carrier(&["scanmem"], takes("pc", "command pid"), &[("c", "shell "), ("command", "shell ")], &[]),
    carrier(&["gtester"], takes("smp", ""), &[("s", "")], &[]),
    carrier(&["vagrant"], takes("c", "command"), &[("c", ""), ("command", "")], &[]),
    carrier(&["gcloud"], takes("", "command zone project"), &[("command", "")], &[]),
    carrier(&["fly", "flyctl"], takes("Cac", "command app config"), &[("C", ""), ("command", "")], &[]),
];

/// `svn` options with a program.
const SVN: &[(&str, &str)] = &[("config-option", "="), ("diff-cmd", ""), ("editor-cmd", ""), ("diff3-cmd", "")];

/// `openvpn` options with a program that runs when a connection changes.
const HOOKS_OF_VPN: &str =
    "up down ipchange route-up tls-verify client-connect auth-user-pass-verify learn-address dev";
const VPN: &[(&str, &str)] = &[
    ("up", ""),
    ("down", ""),
    ("ipchange", ""),
    ("route-up", ""),
    ("tls-verify", ""),
    ("client-connect", ""),
    ("auth-user-pass-verify", ""),
    ("learn-address", ""),
];

/// `certbot` options with a program that runs before or after a renewal.
const HOOKS_OF_CERTBOT: &str = "pre-hook post-hook deploy-hook renew-hook manual-auth-hook manual-cleanup-hook";
const CERTBOT: &[(&str, &str)] = &[
    ("pre-hook", ""),
    ("post-hook", ""),
    ("deploy-hook", ""),
    ("renew-hook", ""),
    ("manual-auth-hook", ""),
    ("manual-cleanup-hook", ""),
];

/// `wget` options and settings with a program.
const WGET: &[(&str, &str)] = &[("use-askpass", ""), ("e", "use_askpass="), ("execute", "use_askpass=")];

/// `rpm` options whose value is a command, or contains macros that a shell expands.
const RPM: &[(&str, &str)] =
    &[("E", "%("), ("eval", "%("), ("E", "os.execute("), ("eval", "os.execute("), ("pipe", "")];

//! Programs that change how the machine itself is set up: mounts, firewall, accounts, the schedule, the kernel.

use super::Program;
use super::options::{Options, Parsed};
use crate::effects::draft::Draft;
use crate::effects::run::Run;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["mount"], Options::new("toLUO", &["types", "options"]), mount),
    Program::new(&["umount"], Options::new("tO", &["types"]), unmount),
    Program::new(&["iptables", "ip6tables", "ebtables", "arptables"], Options::NONE, iptables),
    Program::new(&["nft", "ufw", "firewall-cmd", "pfctl"], Options::NONE, firewall),
    Program::new(&["ip", "ifconfig", "ifdown", "nmcli"], Options::NONE, interface),
    Program::new(&["userdel", "deluser", "groupdel", "delgroup"], Options::NONE, user_delete),
    Program::new(&["useradd", "adduser", "usermod", "groupadd", "passwd", "chpasswd", "chsh"], ACCOUNT, user_change),
    Program::new(&["visudo"], Options::new("f", &["file"]), sudoers),
    Program::new(&["crontab"], Options::new("u", &[]), crontab),
    Program::new(&["at", "batch"], Options::new("qft", &[]), schedules),
    Program::new(&["sysctl"], Options::new("p", &["load"]), sysctl),
    Program::new(&["modprobe", "insmod", "rmmod"], Options::NONE, module),
    Program::new(&["setenforce", "csrutil", "spctl"], Options::NONE, protection),
    Program::new(&["journalctl"], Options::new("unpotS", &["unit", "since", "until", "lines", "output"]), journal),
    Program::new(&["kubeadm"], Options::new("", &["cri-socket", "config", "kubeconfig", "cert-dir"]), kubeadm),
    Program::new(&["apt", "apt-get", "aptitude", "dnf", "yum", "zypper", "apk", "brew", "snap"], PACKAGES, packages),
    Program::new(&["pacman", "dpkg", "rpm"], Options::NONE, packages_by_flag),
];

const ACCOUNT: Options = Options::new("gGsducpe", &["groups", "gid", "shell", "home", "uid"]);
const PACKAGES: Options = Options::new("otc", &["option", "target-release", "repo"]);

fn mount<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(what) = parsed.operands.last().filter(|_| !parsed.is("hV", "help")) {
        run.emit(Draft::notable("system", "system.mount").target(&what.text).certain(!what.dynamic));
    }
}

fn unmount<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for what in &parsed.operands {
        run.emit(Draft::notable("system", "system.unmount").target(&what.text).certain(!what.dynamic));
    }
}

fn iptables<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let says = |names: &[&str]| run.arguments().iter().any(|word| names.contains(&word.text.as_str()));
    if says(&["-F", "--flush", "-X", "--delete-chain", "-P", "--policy"]) {
        run.emit(Draft::destructive("network", "network.firewall.flush"));
    } else if says(&["-A", "-I", "-D", "-R", "--append", "--insert", "--delete", "--replace"]) {
        run.emit(Draft::notable("network", "network.firewall.change"));
    }
}

fn firewall<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    match parsed.text(0) {
        "flush" | "reset" | "disable" => run.emit(Draft::destructive("network", "network.firewall.flush")),
        "add" | "delete" | "allow" | "deny" | "reject" | "enable" | "insert" => {
            run.emit(Draft::notable("network", "network.firewall.change"));
        }
        _ if parsed.is("Fd", "") && run.name == "pfctl" => {
            run.emit(Draft::destructive("network", "network.firewall.flush"));
        }
        _ if parsed.operands.is_empty() && run.name == "firewall-cmd" && !parsed.is("", "state") => {
            let lists = run.arguments().iter().any(|word| word.text.contains("list") || word.text.contains("get"));
            if !lists {
                run.emit(Draft::notable("network", "network.firewall.change"));
            }
        }
        _ => {}
    }
}

/// An interface goes down, or a route goes away.
fn interface<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let mut words = parsed.operands.iter().map(|operand| operand.text.as_ref());
    let loses =
        run.name == "ifdown" || words.any(|text| matches!(text, "down" | "flush" | "del" | "delete" | "disconnect"));
    if loses {
        let target = parsed.operands.iter().map(|operand| operand.text.as_ref()).collect::<Vec<_>>().join(" ");
        run.emit(Draft::notable("network", "network.interface.change").target(&target));
    }
}

fn user_delete<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for user in &parsed.operands {
        let files = parsed.has("r", "remove") || parsed.has("", "remove-home");
        run.emit(Draft::destructive("system", "system.user.delete").target(&user.text).flag("files", files));
    }
}

fn user_change<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let user = parsed.operands.last().map_or("", |user| user.text.as_ref()).to_owned();
    run.emit(Draft::notable("system", "system.user.change").target(&user));
}

fn sudoers<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if !parsed.is("c", "check") {
        run.emit(Draft::notable("system", "system.sudoers.change"));
    }
}

fn crontab<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("r", "") {
        run.emit(Draft::destructive("system", "system.crontab.remove"));
    } else if let Some(file) = parsed.operands.first() {
        run.read(file);
        run.emit(Draft::notable("system", "system.crontab.replace"));
    }
}

/// What runs later is text on standard input.
fn schedules<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("lrdcV", "") {
        return;
    }
    parsed.values("f", "").for_each(|file| run.read(&file));
    if let Some(input) = run.input() {
        run.script("shell", &input.text, input.certain);
    }
    run.emit(Draft::notable("execute", "execute.scheduled").target(parsed.text(0)));
    run.reason("a scheduled text is not followed");
}

fn sysctl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for setting in parsed.operands.iter().filter(|setting| setting.text.contains('=')) {
        run.emit(Draft::notable("system", "system.kernel.setting").target(&setting.text));
    }
}

fn module<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for module in &parsed.operands {
        run.emit(Draft::notable("system", "system.kernel.module").target(&module.text));
    }
}

fn protection<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let global = parsed.is("", "global-disable") || parsed.is("", "master-disable");
    if matches!(parsed.text(0), "0" | "permissive" | "Permissive" | "disable") || global {
        run.emit(Draft::destructive("system", "system.protection.disable").target(&run.name.clone()));
    }
}

fn journal<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.has("", "vacuum-time") || parsed.has("", "vacuum-size") || parsed.has("", "vacuum-files") {
        run.emit(Draft::destructive("system", "system.log.delete"));
    }
}

fn kubeadm<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.text(0) == "reset" && !parsed.is("", "dry-run") {
        run.emit(Draft::catastrophic("orchestration", "kubernetes.node.reset"));
    }
}

fn packages<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("s", "simulate") || parsed.is("", "dry-run") {
        return;
    }
    let operation = match parsed.text(0) {
        "remove" | "purge" | "autoremove" | "erase" | "uninstall" | "del" | "rm" => "system.package.remove",
        "install" | "add" | "in" | "localinstall" => "system.package.install",
        "upgrade" | "dist-upgrade" | "full-upgrade" | "update" if run.name != "apt" && run.name != "apt-get" => {
            "system.package.upgrade"
        }
        "upgrade" | "dist-upgrade" | "full-upgrade" => "system.package.upgrade",
        _ => return,
    };
    if parsed.operands.len() < 2 {
        run.emit(Draft::notable("system", operation));
    }
    for name in parsed.from(1) {
        run.emit(Draft::notable("system", operation).target(&name.text).certain(!name.dynamic));
    }
}

fn packages_by_flag<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let removes = match run.name.as_str() {
        "pacman" => parsed.is("R", "remove"),
        "dpkg" => parsed.is("rP", "remove") || parsed.is("", "purge"),
        _ => parsed.is("e", "erase"),
    };
    let installs = match run.name.as_str() {
        "pacman" => parsed.is("U", "upgrade") || (parsed.is("S", "sync") && !parsed.is("sil", "")),
        "dpkg" => parsed.is("i", "install"),
        _ => parsed.is("iU", "install") && !parsed.is("q", "query"),
    };
    let operation = if removes { "system.package.remove" } else { "system.package.install" };
    if removes || installs {
        run.emit(Draft::notable("system", operation).target(parsed.text(0)));
    }
}

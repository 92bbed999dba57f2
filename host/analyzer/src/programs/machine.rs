//! Changes of the machine that don't belong to a single program: service scripts, and installation of a build by root.
//!
//! Programs for packages, repositories and services are in `programs/`.

use crate::draft::Draft;
use crate::run::Run;

/// Adds the machine changes that the command's path or privileges imply.
pub(super) fn find(run: &mut Run<'_>) {
    init_script(run);
    if is_by_administrator(run) && installs(run) {
        let by = run.name.clone();
        run.emit(Draft::notable("system", "system.install").target(&by));
    }
    let uploads = run.command.word(1).ends_with("setup.py") && run.arguments().iter().any(|word| word.text == "upload");
    if uploads && run.name.starts_with("python") {
        run.emit(Draft::notable("package", "package.publish").tag("manager", "setup.py"));
    }
}

/// Adds the effect of `/etc/init.d/NAME restart`. Each service has a script whose first argument is the verb.
fn init_script(run: &mut Run<'_>) {
    const FOLDERS: &[&str] = &["/etc/init.d", "/etc/rc.d", "/etc/rc.d/init.d", "/usr/local/etc/rc.d"];
    let Some((folder, name)) = run.command.word(0).rsplit_once('/') else { return };
    if !FOLDERS.contains(&folder) {
        return;
    }
    let operation = match run.command.word(1) {
        "stop" | "kill" | "force-stop" | "onestop" => "service.stop",
        "restart" | "force-reload" | "condrestart" | "try-restart" | "onerestart" => "service.restart",
        _ => return,
    };
    run.emit(Draft::notable("service", operation).target(name).tag("client", "init"));
}

/// Programs that run another one as root.
const RAISERS: &[&str] = &["sudo", "sudo-rs", "doas", "su", "run0", "pkexec"];

fn is_by_administrator(run: &Run<'_>) -> bool {
    RAISERS.iter().any(|kind| run.is_via(kind))
}

/// Returns whether the command installs a build where all users' programs are.
fn installs(run: &Run<'_>) -> bool {
    let words = || run.arguments().iter().map(|word| word.text.as_str());
    // Installation below a prefix that the caller chose doesn't count.
    let elsewhere = |word: &str| {
        ["DESTDIR=", "PREFIX=", "prefix=", "--prefix", "--destdir", "--root"]
            .iter()
            .any(|start| word.starts_with(start))
    };
    let is_target = |word: &str| {
        matches!(word, "install" | "uninstall" | "altinstall" | "modules_install")
            || word.starts_with("install-")
            || word.starts_with("install_")
    };
    let leads = |wanted: &str| run.command.word(1) == wanted;
    let asked = match run.name.as_str() {
        "make" | "gmake" | "bmake" | "ninja" | "samu" | "just" | "scons" | "waf" | "rake" => words().any(is_target),
        "meson" => leads("install"),
        "cmake" => leads("--install") || words().any(|word| word == "--target") && words().any(is_target),
        "python" | "python3" => run.command.word(1).ends_with("setup.py") && words().any(is_target),
        _ => false,
    };
    asked && !words().any(elsewhere)
}

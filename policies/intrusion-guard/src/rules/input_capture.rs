//! `input-capture`: a call that records the keyboard, sound or a camera.
//! With `strict`, the rule also covers screenshots.
//!
//! ## Why
//! People type passwords, and a screen shows more than the project. ATT&CK T1056.001, T1113, T1123, T1125.
//!
//! ## Examples
//! - asked: `sudo bpftrace -e 'uretprobe:/bin/bash:readline { printf("%s\n", str(retval)); }'`
//! - asked: `xinput test 8`
//! - asked: `sudo cat /dev/input/event3`
//! - asked: `arecord -d 60 talk.wav`
//! - asked: `screencapture -x shot.png`, with `strict`
//! - passes: `screencapture -x shot.png`
//! - passes: `xinput list`
//! - passes: `arecord -l`
//! - passes: `ffmpeg -i in.mp4 out.webm`
//!
//! ## Instead
//! Ask the user for the screenshot or the recording.

use guard_sdk::syntax::{Command, Word};
use guard_sdk::text::shorten;
use guard_sdk::{Outcome, Rule};

use super::Hit;
use crate::kinds::{SHOWING, has_any, is_any};
use crate::view::{View, has_option, name, texts};

pub(crate) const RULE: Rule = Rule {
    id: "input-capture",
    summary: "records the keyboard, sound or a camera",
    default: Outcome::Ask,
    ceiling: Outcome::Deny,
};

/// Programs that take screenshots.
const SCREENS: &[&str] = &[
    "screencapture",
    "scrot",
    "gnome-screenshot",
    "spectacle",
    "xfce4-screenshooter",
    "maim",
    "grim",
    "flameshot",
    "xwd",
    "shutter",
    "ksnip",
    "deepin-screenshot",
    "mate-screenshot",
    "fbgrab",
    "fbcat",
    "grimshot",
    "hyprshot",
    "wf-recorder",
    "wl-screenrec",
    "recordmydesktop",
    "simplescreenrecorder",
    "kazam",
    "peek",
];

/// Programs that record a microphone or a camera.
const RECORDERS: &[&str] = &[
    "arecord",
    "rec",
    "parecord",
    "parec",
    "pw-record",
    "audiorecorder",
    "imagesnap",
    "fswebcam",
    "streamer",
    "motion",
];

/// Programs that show each pressed key in any window.
const KEYS: &[&str] = &["evtest", "showkey", "keysniffer", "intercept"];

/// Programs that show text typed into a shell or a terminal, as in packages of kernel traces.
const TYPED: &[&str] = &["bashreadline", "ttysnoop", "conspy", "peekfd"];

/// Functions that read a line, a password, or the plain text of a connection, which a probe can record.
const READS: &[&str] = &[
    "readline",
    "zleread",
    "pam_get_authtok",
    "pam_authenticate",
    "getpass",
    "SSL_read",
    "SSL_write",
    "PR_Read",
    "PR_Write",
];

/// Calls in code that record keys or sound.
const CALLS: &[&str] = &[
    "pynput.keyboard",
    "keyboard.on_press",
    "keyboard.record",
    "keyboard.hook",
    "pyxhook",
    "CGEventTapCreate",
    "SetWindowsHookEx",
    "GetAsyncKeyState",
    "sounddevice.rec",
    "open('/dev/input",
    "open(\"/dev/input",
];

/// Calls in code that take screenshots.
const PICTURES: &[&str] = &["ImageGrab.grab", "pyautogui.screenshot", "mss.mss(", "CopyFromScreen"];

/// Programs that show a file's content.
const READERS: &[&str] =
    &["cat", "dd", "xxd", "od", "hexdump", "hd", "strings", "tail", "head", "cp", "tee", "base64", "python", "python3"];

pub(crate) fn check(view: &View<'_>) -> Option<Hit> {
    let strict = view.settings.strict;
    let records = |command: &&Command| captures(command) || strict && takes_picture(command, view);
    let in_code = || {
        let text = |text: &str| has_any(text, CALLS) || strict && has_any(text, PICTURES);
        view.scripts().find(|script| text(&script.text))
    };
    let shown = match view.commands().find(records) {
        Some(command) => command.text(),
        None => format!("{} code", in_code()?.language),
    };
    Some(Hit::new(
        format!("Records the keyboard, sound, camera or screen: `{}`", shorten(&shown)),
        "ask the user for the picture or the recording",
    ))
}

/// Returns whether it only shows its capabilities.
fn only_shows_capabilities(command: &Command) -> bool {
    has_option(command, "", &["version", "help", "list", "list-devices"]) || is_any(&name(command), SHOWING)
}

fn captures(command: &Command) -> bool {
    let program = name(command);
    if only_shows_capabilities(command) {
        return false;
    }
    let is_device = |text: &str| {
        ["/dev/input/event", "/dev/input/by-path/", "/dev/input/by-id/", "/dev/hidraw"]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let read = command.redirections.iter().filter(|one| one.operator == "<").any(|one| is_device(&one.target.text));
    let named = is_any(&program, READERS) && texts(command).any(|text| is_device(text.trim_start_matches("if=")));
    let words: Vec<&str> = texts(command).collect();
    read || named
        || match &*program {
            "xinput" => words.iter().any(|text| *text == "test" || text.starts_with("test-xi")),
            "libinput" => matches!(words.first(), Some(&"debug-events" | &"record")),
            "arecord" => !has_option(command, "lL", &["list-pcms"]),
            "sox" => words.contains(&"-d") || words.contains(&"--default-device"),
            "gst-launch-1.0" | "gst-launch" => {
                let any = |elements: &[&str]| words.iter().any(|word| is_any(word, elements));
                any(&["alsasrc", "pulsesrc", "v4l2src", "osxaudiosrc", "avfvideosrc", "autoaudiosrc"])
                    && any(&["filesink", "multifilesink", "udpsink", "tcpserversink", "tcpclientsink", "rtmpsink"])
            }
            "ffmpeg" => records_from(command, &["avfoundation", "alsa", "pulse", "v4l2", "dshow"]),
            "bpftrace" => {
                let probes = |text: &&str| has_any(text, &["uprobe:", "uretprobe:"]) && has_any(text, READS);
                words.iter().any(probes) && !has_option(command, "l", &["list", "info"])
            }
            "perf" => words.first() == Some(&"trace") && words.contains(&"-p") && words.contains(&"read"),
            // Every system call that reads typed text.
            "auditctl" => words.contains(&"read") && words.contains(&"-S") && words.contains(&"-a"),
            program => {
                is_any(program, KEYS) || is_any(program, RECORDERS) || is_any(strip_package_suffix(program), TYPED)
            }
        }
}

/// Returns a tool's name without the suffix that packages add.
fn strip_package_suffix(name: &str) -> &str {
    ["-bpfcc", ".bt", ".py"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Returns whether a device of one of these kinds is the input.
fn records_from(command: &Command, kinds: &[&str]) -> bool {
    let is_input = |pair: &[Word]| match pair {
        [option, value] => option.text == "-f" && is_any(&value.text, kinds),
        _ => false,
    };
    let lists = || texts(command).any(|text| matches!(text, "-list_devices" | "-sources" | "-list_formats"));
    command.argv.windows(2).any(is_input) && !lists()
}

fn takes_picture(command: &Command, view: &View<'_>) -> bool {
    if only_shows_capabilities(command) {
        return false;
    }
    // A virtual screen, as in tests.
    let is_unseen = command.via.iter().any(|via| via.kind.starts_with("xvfb"))
        || has_any(view.text(), &["Xvfb", "xvfb-run", "DISPLAY=:9", "DISPLAY=:10", "DISPLAY=:1 ", "--headless"]);
    let takes = match &*name(command) {
        "import" => texts(command).any(|text| text == "root"),
        "nircmd" => texts(command).any(|text| text.contains("screenshot")),
        "ffmpeg" => records_from(command, &["x11grab", "gdigrab", "kmsgrab", "fbdev"]),
        program => is_any(program, SCREENS),
    };
    takes && !is_unseen
}

//! Translates .NET calls that change, read or start something to bash.

use super::values::{Text, Value};

/// The receiver of a method call.
pub(super) enum Receiver {
    Type(String),
    Object,
}

/// The bash translation of a call.
#[derive(Default)]
pub(super) struct Call {
    /// Bash commands.
    pub(super) code: String,
    /// Commands that print the call's result.
    pub(super) output: String,
    /// The result of the call, if known.
    pub(super) words: Option<Vec<Text>>,
    pub(super) type_name: Option<String>,
    /// Whether the code is a text that runs when the call's result is called.
    pub(super) is_text_run: bool,
    pub(super) reason: Option<&'static str>,
}

fn code(code: String) -> Call {
    Call { code, ..Call::default() }
}

fn output(output: String) -> Call {
    Call { output, ..Call::default() }
}

fn path(arguments: &[Value], index: usize) -> String {
    arguments.get(index).and_then(|value| value.words.first()).cloned().unwrap_or_else(Text::unknown).as_path(true)
}

fn text(arguments: &[Value], index: usize) -> String {
    arguments.get(index).and_then(|value| value.words.first()).cloned().unwrap_or_else(Text::unknown).as_written()
}

/// Returns whether an argument makes the call recursive.
fn is_on(arguments: &[Value], index: usize) -> bool {
    arguments.get(index).is_some_and(|value| !matches!(value.literal().as_deref(), Some("false" | "0" | "")))
}

/// Translates a call of a static method. The names are in lower case.
pub(super) fn static_call(type_name: &str, method: &str, arguments: &[Value]) -> Call {
    let first = || path(arguments, 0);
    match (type_name, method) {
        (_, "new") if super::types::is_file(type_name) => of_words(arguments, type_name),
        (_, "new") if matches!(type_name, "net.webclient" | "net.http.httpclient" | "uri" | "guid") => Call::default(),
        (_, "new") => of_words(arguments, type_name),
        ("io.file", "delete") => code(format!("rm -f {}", first())),
        ("io.directory", "delete") if is_on(arguments, 1) => code(format!("rm -r -f {}", first())),
        ("io.directory", "delete") => code(format!("rmdir {}", first())),
        ("io.file" | "io.directory", "move" | "replace") => code(format!("mv -f {} {}", first(), path(arguments, 1))),
        ("io.file", "copy") => code(format!("cp {} {}", first(), path(arguments, 1))),
        ("io.directory", "createdirectory") => code(format!("mkdir -p {}", first())),
        ("io.file", "create" | "createtext" | "openwrite") => code(format!(": > {}", first())),
        ("io.file", name) if name.starts_with("write") => code(format!("echo {} > {}", text(arguments, 1), first())),
        ("io.file", name) if name.starts_with("append") => code(format!("echo {} >> {}", text(arguments, 1), first())),
        ("io.file", name) if name.starts_with("read") || name.starts_with("open") => output(format!("cat {}", first())),
        ("io.file" | "io.directory", "exists") => code(format!("test -e {}", first())),
        ("io.directory", "getcurrentdirectory" | "getparent" | "getdirectoryroot") => output(format!("ls {}", first())),
        ("io.directory", name) if name.starts_with("get") || name.starts_with("enumerate") => listed(arguments),
        ("io.path", "combine" | "join") => Call { words: Some(vec![combined(arguments)]), ..Call::default() },
        ("io.path", "getfullpath") => of_words(arguments, ""),
        ("microsoft.visualbasic.fileio.filesystem", "deletedirectory") => code(format!("rm -r -f {}", first())),
        ("microsoft.visualbasic.fileio.filesystem", "deletefile") => code(format!("rm -f {}", first())),
        ("io.compression.zipfile", "extracttodirectory") => {
            code(format!("unzip {} -d {}", first(), path(arguments, 1)))
        }
        ("diagnostics.process", "start") => started(arguments),
        ("environment", "getfolderpath") => folder(arguments),
        ("microsoft.win32.registry", "setvalue") => {
            code(format!("reg add {} /v {} /d {}", text(arguments, 0), text(arguments, 1), text(arguments, 2)))
        }
        ("runtime.interopservices.marshal", "ptrtostringauto" | "ptrtostringbstr" | "ptrtostringuni") => {
            of_words(arguments, "")
        }
        ("runtime.interopservices.marshal", "securestringtobstr" | "securestringtoglobalallocunicode")
        | ("security.cryptography.protecteddata", "unprotect") => output(SECRET.to_owned()),
        ("environment", "exit") => code("exit".to_owned()),
        ("environment", "getenvironmentvariable") => output(format!("printenv {}", text(arguments, 0))),
        ("environment", "setenvironmentvariable") => {
            code(format!("setx {} {}", text(arguments, 0), text(arguments, 1)))
        }
        ("scriptblock", "create") => {
            let comes_late = arguments.first().is_some_and(Value::comes_late);
            let program = if comes_late { "iex" } else { "pwsh -Command" };
            Call { is_text_run: true, ..code(format!("{program} {}", text(arguments, 0))) }
        }
        ("reflection.assembly", _) if method.starts_with("load") && method != "loadwithpartialname" => {
            Call { reason: Some("a library of .NET is loaded, and what it does is not followed"), ..Call::default() }
        }
        ("activator", "createinstance") | ("runtime.interopservices.marshal", _) => {
            Call { reason: Some("an object of .NET is made by its name"), ..Call::default() }
        }
        ("powershell", _) => {
            Call { type_name: Some("powershell".to_owned()), words: Some(Vec::new()), ..Call::default() }
        }
        _ => Call::default(),
    }
}

/// The command with the output of a .NET call that decrypts.
const SECRET: &str = "Get-Secret -AsPlainText";

/// WMI methods that change the machine.
const MANAGING: &[&str] = &[
    "changestartmode",
    "enablestatic",
    "pauseservice",
    "setdnsserversearchorder",
    "startservice",
    "stopservice",
    "terminate",
    "uninstall",
    "win32shutdown",
    "win32shutdowntracker",
];

/// Translates a call that returns a special folder of the user.
fn folder(arguments: &[Value]) -> Call {
    let name = arguments.first().and_then(Value::literal).unwrap_or_default().to_lowercase();
    let path = match name.as_str() {
        "startup" | "commonstartup" => "~/AppData/Roaming/Microsoft/Windows/Start Menu/Programs/Startup",
        "userprofile" => "~",
        "mydocuments" | "personal" => "~/Documents",
        "desktop" | "desktopdirectory" => "~/Desktop",
        "applicationdata" => "~/AppData/Roaming",
        "localapplicationdata" => "~/AppData/Local",
        _ => return Call::default(),
    };
    let words = Some(vec![Text::of(super::values::Piece::Bare(path.to_owned()))]);
    Call { words, ..Call::default() }
}

/// Translates a call that lists a folder.
fn listed(arguments: &[Value]) -> Call {
    let Some(folder) = arguments.first().and_then(|value| value.words.first()) else { return Call::default() };
    let pattern = arguments.get(1).and_then(Value::literal).unwrap_or_else(|| "*".to_owned());
    let mut pieces = folder.pieces.clone();
    pieces.push(super::values::Piece::Bare(format!("/{pattern}")));
    Call { words: Some(vec![Text { pieces }]), ..Call::default() }
}

fn of_words(arguments: &[Value], type_name: &str) -> Call {
    let words = arguments.first().map(|value| value.words.clone()).unwrap_or_default();
    Call { words: Some(words), type_name: Some(type_name.to_owned()), ..Call::default() }
}

fn combined(arguments: &[Value]) -> Text {
    let mut pieces = Vec::new();
    for value in arguments {
        if !pieces.is_empty() {
            pieces.push(super::values::Piece::Quoted("/".to_owned()));
        }
        pieces.extend(value.words.first().cloned().unwrap_or_else(Text::unknown).pieces);
    }
    Text { pieces }
}

/// Translates a WMI method as a call of the cmdlet for it.
fn managed(method: &str) -> Call {
    code(format!("Invoke-CimMethod -MethodName {method}"))
}

/// Translates `[Diagnostics.Process]::Start('git', 'push --force')`.
fn started(arguments: &[Value]) -> Call {
    let program = path(arguments, 0);
    let words = arguments.get(1).map(split).unwrap_or_default();
    code(format!("{program} {words}"))
}

/// Returns the arguments of a started program. Each value is split at its blanks.
pub(super) fn split(value: &Value) -> String {
    let mut result = String::new();
    for word in &value.words {
        match word.literal() {
            Some(text) => {
                for part in words_of(&text) {
                    result.push(' ');
                    result.push_str(&Text::quoted(&part).as_argument());
                }
            }
            None => {
                result.push(' ');
                result.push_str(&word.as_argument());
            }
        }
    }
    result.trim_start().to_owned()
}

/// Splits a text at its blanks, outside double quotes.
fn words_of(text: &str) -> Vec<String> {
    let (mut words, mut word, mut quoted) = (Vec::new(), None::<String>, false);
    for char in text.chars() {
        match char {
            '"' => {
                quoted = !quoted;
                word.get_or_insert_default();
            }
            char if char.is_whitespace() && !quoted => words.extend(word.take()),
            char => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    words
}

/// Translates a method call on an object. The name is in lower case.
pub(super) fn method(value: &Value, method: &str, arguments: &[Value]) -> Call {
    let own = || {
        let words: Vec<String> = value.words.iter().map(|word| word.as_path(true)).collect();
        if words.is_empty() { Text::unknown().as_written() } else { words.join(" ") }
    };
    let patterns = || {
        let words: Vec<String> = value.words.iter().map(|word| word.as_path(false)).collect();
        if words.is_empty() { Text::unknown().as_written() } else { words.join(" ") }
    };
    match method {
        "delete" if is_on(arguments, 0) => code(format!("rm -r -f {}", patterns())),
        "delete" => code(format!("rm -f {}", patterns())),
        "deletefolder" => code(format!("rm -r -f {}", path(arguments, 0))),
        "deletefile" => code(format!("rm -f {}", path(arguments, 0))),
        "movefolder" | "movefile" => code(format!("mv -f {} {}", path(arguments, 0), path(arguments, 1))),
        "copyfolder" | "copyfile" => code(format!("cp -r {} {}", path(arguments, 0), path(arguments, 1))),
        "moveto" => code(format!("mv -f {} {}", own(), path(arguments, 0))),
        "copyto" => code(format!("cp {} {}", own(), path(arguments, 0))),
        "readtoend" | "readline" | "readtoendasync" if value.type_name.as_deref() == Some("io.streamreader") => {
            output(format!("cat {}", own()))
        }
        "getnetworkcredential" | "retrievepassword" => output(SECRET.to_owned()),
        "createshortcut" => code(format!("touch {}", path(arguments, 0))),
        "create" if value.type_name.as_deref() == Some("wmiclass") => managed(method),
        method if MANAGING.contains(&method) => managed(method),
        "kill" => code("kill \"${ps_value}\"".to_owned()),
        "downloadstring" | "getstringasync" | "downloaddata" => output(format!("curl -s {}", text(arguments, 0))),
        "downloadfile" => code(format!("curl -s -o {} {}", path(arguments, 1), text(arguments, 0))),
        "uploadfile" => code(format!("curl -T {} {}", path(arguments, 1), text(arguments, 0))),
        "uploadstring" | "uploaddata" | "uploadvalues" => {
            code(format!("curl -d {} {}", text(arguments, 1), text(arguments, 0)))
        }
        "deleteasync" => code(format!("curl -X DELETE {}", text(arguments, 0))),
        "invokescript" | "addscript" => code(format!("pwsh -Command {}", text(arguments, 0))),
        // `WScript.Shell`, `Shell.Application`.
        "run" | "exec" | "shellexecute" if value.words.len() <= 1 => {
            code(arguments.iter().map(split).collect::<Vec<_>>().join(" "))
        }
        "tostring" | "trim" | "trimend" | "trimstart" | "tolower" | "gettempfilename" if !value.words.is_empty() => {
            Call { words: Some(value.words.clone()), ..Call::default() }
        }
        _ => Call::default(),
    }
}

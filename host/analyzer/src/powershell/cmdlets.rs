//! PowerShell commands: the cmdlet of a name, and the equivalent in bash.

use std::collections::BTreeMap;

use super::Reader;
use super::bind::{Bound, bind, parameter};
use super::pipeline::{Element, ElementOutput, lines};
use super::statement::function_name;
use super::values::{Piece, Text, Value};

/// A parsed command.
#[derive(Default, Clone)]
pub(super) struct Command {
    pub(super) head: Value,
    pub(super) arguments: Vec<Value>,
    /// The redirections in bash syntax.
    pub(super) redirects: String,
    /// Commands that run before it for its redirections.
    pub(super) before: String,
    /// Whether `&` or `.` precedes it.
    pub(super) is_called: bool,
    /// The name in lower case, with aliases replaced.
    name: String,
    /// Whether the name was an alias.
    is_alias: bool,
}

impl Command {
    pub(super) fn name(&self) -> String {
        self.name.clone()
    }

    pub(super) fn resolve(&mut self, aliases: &BTreeMap<String, String>) {
        let Some(written) = self.head.literal() else { return };
        let mut name = written.to_lowercase();
        // `Module\Verb-Noun`.
        if let Some((module, own)) = name.rsplit_once('\\')
            && !module.contains([':', '/'])
            && !module.starts_with('.')
            && (own.contains('-') || alias(own).is_some())
            && !own.contains('.')
        {
            name = own.to_owned();
        }
        if let Some(own) = aliases.get(&name) {
            self.head = Value { is_bare: true, ..Value::of(Text::of(Piece::Bare(own.clone()))) };
            name.clone_from(own);
        }
        let target = alias(&name);
        self.is_alias = target.is_some();
        self.name = target.map_or(name, str::to_owned);
    }

    /// Returns whether the command specifies the paths that it works on.
    pub(super) fn has_path(&self) -> bool {
        let Some((parameters, places)) = spec(&self.name) else { return true };
        let bound = bind(&self.arguments, parameters, places);
        let first = places.split_whitespace().next().unwrap_or("path").to_lowercase();
        let named = ["path", "literalpath", "inputobject", "name", "id"].iter().any(|name| bound.value(name).is_some());
        match self.name.as_str() {
            // A single path is the destination.
            "move-item" | "copy-item" | "rename-item" => {
                let target = if self.name == "rename-item" { "newname" } else { "destination" };
                bound.value("literalpath").is_some() || bound.value("path").is_some() && bound.value(target).is_some()
            }
            _ => named || bound.value(&first).is_some(),
        }
    }

    pub(super) fn with_path(&self, words: Vec<Text>) -> Command {
        let mut command = self.clone();
        let path = Value { words, ..Value::default() };
        let name = Value { is_bare: true, ..Value::of(Text::of(Piece::Bare("-Path".to_owned()))) };
        if matches!(self.name.as_str(), "stop-process" | "stop-service") {
            command.arguments.push(path);
        } else {
            command.arguments.extend([name, path]);
        }
        command
    }
}

/// Resolves PowerShell's built-in aliases.
fn alias(name: &str) -> Option<&'static str> {
    const ALIASES: &[(&str, &str)] = &[
        ("ri rm rmdir rd del erase", "remove-item"),
        ("mi mv move", "move-item"),
        ("ci cpi cp copy", "copy-item"),
        ("rni ren", "rename-item"),
        ("ni", "new-item"),
        ("md mkdir", "mkdir"),
        ("gc cat type", "get-content"),
        ("sc", "set-content"),
        ("ac", "add-content"),
        ("clc", "clear-content"),
        ("cli", "clear-item"),
        ("gci ls dir", "get-childitem"),
        ("gi", "get-item"),
        ("rvpa", "resolve-path"),
        ("sls", "select-string"),
        ("cd chdir sl", "set-location"),
        ("pushd", "push-location"),
        ("popd", "pop-location"),
        ("echo write", "write-output"),
        ("iex", "invoke-expression"),
        ("icm", "invoke-command"),
        ("iwr curl wget", "invoke-webrequest"),
        ("irm", "invoke-restmethod"),
        ("saps start", "start-process"),
        ("spps kill", "stop-process"),
        ("spsv", "stop-service"),
        ("sajb", "start-job"),
        ("gps ps", "get-process"),
        ("% foreach", "foreach-object"),
        ("? where", "where-object"),
        ("select", "select-object"),
        ("sort", "sort-object"),
        ("measure", "measure-object"),
        ("group", "group-object"),
        ("tee", "tee-object"),
        ("ft", "format-table"),
        ("fl", "format-list"),
        ("fw", "format-wide"),
        ("oh", "out-host"),
        ("sal", "set-alias"),
        ("nal", "new-alias"),
        ("sv set", "set-variable"),
        ("nv", "new-variable"),
        ("rp", "remove-itemproperty"),
        ("sp", "set-itemproperty"),
        ("clp", "clear-itemproperty"),
        ("mp", "move-itemproperty"),
        ("rnp", "rename-itemproperty"),
        ("si", "set-item"),
        ("clear", "clear-host"),
        ("cls", "clear-host"),
        ("sleep", "start-sleep"),
    ];
    ALIASES.iter().find(|(names, _)| names.split(' ').any(|alias| alias == name)).map(|(_, cmdlet)| *cmdlet)
}

/// Aliases that aren't program names elsewhere.
const OF_POWERSHELL: &[&str] = &["clp", "mp", "nal", "rnp", "rp", "sajb", "sal", "spsv"];

/// Returns the parameters of a supported cmdlet, and its positional ones.
pub(super) fn spec(name: &str) -> Option<(&'static str, &'static str)> {
    spec_of_files(name).or_else(|| spec_of_others(name))
}

fn spec_of_files(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "remove-item" => ("Path* LiteralPath* Recurse Force Filter* Include* Exclude* Stream* Credential*", "Path"),
        "clear-content" | "clear-item" => ("Path* LiteralPath* Force Filter* Include* Exclude* Stream*", "Path"),
        "move-item" | "copy-item" => (
            "Path* LiteralPath* Destination* Recurse Force Container PassThru Filter* Include* Exclude* FromSession* ToSession*",
            "Path Destination",
        ),
        "rename-item" => ("Path* LiteralPath* NewName* Force PassThru", "Path NewName"),
        "new-item" => ("Path* Name* ItemType* Value* Target* Force", "Path"),
        "mkdir" => ("Path* Name* Value* Force", "Path"),
        "get-content" => (
            "Path* LiteralPath* Raw TotalCount* First* Head* Tail* Last* Wait Encoding* Delimiter* ReadCount* Filter* Include* Exclude* \
             AsByteStream Force Stream*",
            "Path",
        ),
        "set-content" | "add-content" => (
            "Path* LiteralPath* Value* Encoding* Force NoNewline PassThru AsByteStream Filter* Include* Exclude* Stream*",
            "Path Value",
        ),
        "out-file" => {
            ("FilePath* LiteralPath* Path* Encoding* Append Force NoClobber NoNewline Width* InputObject*", "FilePath")
        }
        "tee-object" => ("FilePath* LiteralPath* Append Variable* InputObject* Encoding*", "FilePath"),
        "export-csv" | "export-clixml" => (
            "Path* LiteralPath* InputObject* Delimiter* NoTypeInformation Append Force NoClobber Encoding* UseCulture UseQuotes* Depth*",
            "Path",
        ),
        "get-childitem" => (
            "Path* LiteralPath* Recurse Force Filter* Include* Exclude* File Directory Name Depth* Attributes* Hidden ReadOnly System FollowSymlink",
            "Path Filter",
        ),
        "get-item" | "resolve-path" => ("Path* LiteralPath* Force Filter* Include* Exclude* Relative", "Path"),
        "get-command" => {
            ("Name* CommandType* Module* Syntax All ListImported TotalCount* Verb* Noun* ArgumentList*", "Name")
        }
        "test-path" => ("Path* LiteralPath* PathType* IsValid Filter* Include* Exclude* NewerThan* OlderThan*", "Path"),
        "join-path" => ("Path* ChildPath* AdditionalChildPath* Resolve", "Path ChildPath"),
        "split-path" => {
            ("Path* Parent Leaf LeafBase Extension Qualifier NoQualifier Resolve LiteralPath* IsAbsolute", "Path")
        }
        "select-string" => (
            "Pattern* Path* LiteralPath* InputObject* SimpleMatch CaseSensitive Quiet List NoEmphasis Include* Exclude* NotMatch AllMatches \
             Encoding* Context* Raw",
            "Pattern Path",
        ),
        _ => return None,
    })
}

fn spec_of_others(name: &str) -> Option<(&'static str, &'static str)> {
    Some(match name {
        "set-location" | "push-location" => ("Path* LiteralPath* PassThru StackName*", "Path"),
        "invoke-expression" => ("Command*", "Command"),
        "invoke-command" => (
            "ComputerName* ScriptBlock* FilePath* ArgumentList* Session* Credential* HostName* UserName* KeyFilePath* Port* UseSSL \
             VMName* ContainerId* AsJob JobName* InDisconnectedSession NoNewScope ThrottleLimit* InputObject* SSHConnection*",
            "",
        ),
        "start-process" => (
            "FilePath* ArgumentList* WorkingDirectory* Verb* WindowStyle* NoNewWindow Wait PassThru RedirectStandardOutput* \
             RedirectStandardError* RedirectStandardInput* Credential* LoadUserProfile UseNewEnvironment Environment*",
            "FilePath ArgumentList",
        ),
        "stop-process" => ("Id* Name* InputObject* Force PassThru", "Id"),
        "get-process" => ("Name* Id* InputObject* IncludeUserName Module FileVersionInfo ComputerName*", "Name"),
        "invoke-webrequest" | "invoke-restmethod" => (
            "Uri* Method* CustomMethod* Body* Headers* OutFile* InFile* ContentType* UserAgent* UseBasicParsing Credential* Token* \
             Authentication* TimeoutSec* SkipCertificateCheck SessionVariable* WebSession* Form* Proxy* MaximumRedirection* \
             UseDefaultCredentials Resume PassThru FollowRelLink StatusCodeVariable* ResponseHeadersVariable* MaximumRetryCount* \
             RetryIntervalSec* DisableKeepAlive SslProtocol* SkipHttpErrorCheck AllowUnencryptedAuthentication HttpVersion*",
            "Uri",
        ),
        "set-alias" | "new-alias" => ("Name* Value* Scope* Option* Force Description* PassThru", "Name Value"),
        "set-variable" | "new-variable" => {
            ("Name* Value* Scope* Option* Force Description* PassThru Visibility*", "Name Value")
        }
        "compress-archive" => {
            ("Path* LiteralPath* DestinationPath* Update Force CompressionLevel* PassThru", "Path DestinationPath")
        }
        "expand-archive" => ("Path* LiteralPath* DestinationPath* Force PassThru", "Path DestinationPath"),
        "invoke-sqlcmd" => {
            ("Query* InputFile* ServerInstance* Database* Username* Password* ConnectionString* Credential*", "Query")
        }
        "new-object" => ("TypeName* ArgumentList* ComObject* Property* Strict", "TypeName ArgumentList"),
        "set-item" => ("Path* LiteralPath* Value* Force PassThru Type* Filter* Include* Exclude*", "Path Value"),
        "start-bitstransfer" => (
            "Source* Destination* TransferType* Asynchronous Credential* Description* DisplayName* Priority* ProxyUsage*",
            "Source Destination",
        ),
        "set-itemproperty" | "new-itemproperty" => (
            "Path* LiteralPath* Name* Value* PropertyType* Type* Force PassThru Filter* Include* Exclude*",
            "Path Name Value",
        ),
        _ => return None,
    })
}

/// Returns whether the cmdlet only passes on some of its input, or another form of it.
pub(super) fn passes_on(name: &str) -> bool {
    let verb = name.split_once('-').map_or("", |(verb, _)| verb);
    matches!(
        verb,
        "select" | "sort" | "measure" | "group" | "format" | "convertto" | "convertfrom" | "where" | "join" | "compare"
    ) && !matches!(name, "select-string" | "format-volume" | "convertfrom-securestring")
        || matches!(
            name,
            "out-host"
                | "out-default"
                | "out-null"
                | "out-string"
                | "get-unique"
                | "write-output"
                | "receive-job"
                | "wait-job"
        )
}

/// Returns whether the cmdlet takes paths from a pipe.
pub(super) fn takes_paths(name: &str) -> bool {
    matches!(
        name,
        "remove-item"
            | "move-item"
            | "copy-item"
            | "rename-item"
            | "clear-content"
            | "get-content"
            | "select-string"
            | "stop-process"
    )
}

/// The maximum number of pieces of code that are searched for in a text.
pub(super) const MANY: usize = 32;

impl Reader<'_> {
    /// Translates a command to bash. `is_fed`: it reads from a pipe.
    pub(super) fn translated(&mut self, command: &Command, is_fed: bool) -> Element {
        let mut element = self.meaning(command, is_fed);
        // Code that runs during the evaluation of arguments, and arguments that the command doesn't take.
        let mut all = Value::default();
        all.absorb(Value { words: Vec::new(), ..command.head.clone() });
        command.arguments.iter().cloned().for_each(|argument| all.absorb(argument));
        // If there are many, duplicates aren't removed, because listing a command twice is harmless.
        let is_many = all.code.len() > MANY;
        let missing: Vec<String> =
            all.code.into_iter().filter(|code| is_many || !element.text.contains(code.trim_end())).collect();
        let before = format!("{}{}", command.before, lines(&missing));
        if !command.redirects.is_empty() && !element.text.trim().is_empty() {
            element.text = match element.text.trim_end().contains('\n') {
                true => format!("{{\n{}\n}}{}", element.text.trim_end(), command.redirects),
                false => format!("{}{}", element.text.trim_end(), command.redirects),
            };
        }
        if !before.trim().is_empty() {
            let is_lines = !element.text.trim().is_empty() && is_fed;
            element.text = if is_lines {
                format!("{{\n{before}{}\n}}", element.text)
            } else {
                format!("{before}{}", element.text)
            };
        }
        element
    }

    fn meaning(&mut self, command: &Command, is_fed: bool) -> Element {
        if let Some(block) = &command.head.block {
            return Element { text: format!("{{\n{block}\n:\n}}"), ..Element::default() };
        }
        let name = command.name.as_str();
        if let Some(parameters) = self.functions.get(name).cloned() {
            return self.call_of_function(command, &parameters);
        }
        if let Some((parameters, places)) = spec(name) {
            let bound = bind(&command.arguments, parameters, places);
            let is_native = command.is_alias && is_of_another_shell(command, &bound);
            if !is_native {
                return self.cmdlet(name, &bound, is_fed);
            }
        }
        match name {
            "foreach-object" | "where-object" | "measure-command" | "start-job" | "start-threadjob"
            | "trace-command" => {
                let blocks: Vec<String> =
                    command.arguments.iter().filter_map(|argument| argument.block.clone()).collect();
                Element { text: format!("{{\n{}:\n}}", lines(&blocks)), ..Element::default() }
            }
            "write-output" | "write-host" | "write-error" | "write-warning" | "write-verbose" | "write-debug"
            | "write-information" | "write-progress" => written(command),
            "out-null" | "out-host" | "out-default" | "out-string" | "clear-host" if command.arguments.is_empty() => {
                Element { text: if is_fed { "cat" } else { ":" }.to_owned(), ..Element::default() }
            }
            "pop-location" => Element { text: "popd".to_owned(), ..Element::default() },
            "get-location" => Element {
                text: "pwd".to_owned(),
                gives: ElementOutput::Words(vec![Text::of(Piece::Variable("PWD".to_owned()))]),
                value: None,
            },
            _ => self.program(command),
        }
    }

    fn call_of_function(&mut self, command: &Command, parameters: &[String]) -> Element {
        let names: Vec<String> = parameters.iter().map(|name| format!("{name}*")).collect();
        let bound = bind(&command.arguments, &names.join(" "), &parameters.join(" "));
        let mut text = function_name(&command.name);
        for name in parameters {
            text.push(' ');
            text.push_str(&bound.text(name).unwrap_or_else(|| "''".to_owned()));
        }
        for word in bound.rest.iter().flat_map(|value| &value.words) {
            text.push(' ');
            text.push_str(&word.as_argument());
        }
        Element { text, ..Element::default() }
    }

    /// Translates a program, or a cmdlet that keeps its name.
    fn program(&mut self, command: &Command) -> Element {
        let Some(head) = command.head.words.first() else {
            return Element { text: String::new(), ..Element::default() };
        };
        let literal = head.literal().unwrap_or_default();
        let is_cmdlet = !command.is_called && command.name.contains('-') && !literal.contains(['/', '.']);
        let mut text = if is_cmdlet {
            let written = literal.rsplit('\\').next().unwrap_or(&literal);
            let is_own = OF_POWERSHELL.contains(&written.to_lowercase().as_str());
            crate::wrappers::layer::quoted(if is_own { &command.name } else { written })
        } else if command.is_alias {
            crate::wrappers::layer::quoted(&literal)
        } else {
            head.with_slashes().as_argument()
        };
        if literal.is_empty() && head.literal().is_some() {
            return Element::default();
        }
        let lower = literal.to_lowercase();
        if lower.ends_with(".ps1") {
            text = format!("pwsh -File {text}");
        }
        let own = lower.rsplit(['\\', '/']).next().unwrap_or_default().trim_end_matches(".exe").to_owned();
        let keeps = is_of_windows(&own);
        for argument in &command.arguments {
            if let Some(block) = &argument.block {
                if matches!(own.as_str(), "pwsh" | "powershell") {
                    return Element { text: format!("{{\n{block}\n:\n}}"), ..Element::default() };
                }
                continue;
            }
            let words = if let (Some(_), Some(table)) = (&argument.splat, &argument.table) {
                table
                    .iter()
                    .flat_map(|(key, value)| {
                        std::iter::once(Text::of(Piece::Bare(format!("-{key}")))).chain(value.words.clone())
                    })
                    .collect()
            } else if let Some(name) = &argument.splat {
                vec![Text::of(if self.lists.contains(name) {
                    Piece::Elements(name.clone())
                } else {
                    Piece::Variable(name.clone())
                })]
            } else {
                argument.words.clone()
            };
            for word in words {
                text.push(' ');
                text.push_str(&if keeps { word.as_written() } else { word.as_argument() });
            }
        }
        Element { text, ..Element::default() }
    }
}

/// Returns whether it is a Windows program, whose arguments aren't paths in shell syntax.
pub(super) fn is_of_windows(name: &str) -> bool {
    matches!(
        name,
        "reg"
            | "schtasks"
            | "cmd"
            | "icacls"
            | "takeown"
            | "sc"
            | "net"
            | "wmic"
            | "vssadmin"
            | "wevtutil"
            | "bcdedit"
            | "robocopy"
            | "xcopy"
            | "attrib"
            | "cipher"
            | "fsutil"
            | "diskpart"
            | "format"
            | "pwsh"
            | "powershell"
            | "findstr"
            | "msiexec"
            | "setx"
    )
}

/// Returns whether the arguments are those of a program with the alias's name in another shell: `rm -rf x`, `rd /s /q
/// x`, `ls -la`.
fn is_of_another_shell(command: &Command, bound: &Bound) -> bool {
    let switch = |value: &Value| {
        let text = value.words.first().filter(|_| value.is_bare).and_then(Text::literal).unwrap_or_default();
        let letter = text
            .strip_prefix('/')
            .is_some_and(|rest| rest.len() == 1 || rest.contains(':') && rest.len() > 2 && rest.find(':') == Some(1));
        letter || text.starts_with("--") || text.starts_with('-') && parameter(value).is_none()
    };
    let spelled_as_program = command.head.literal().is_some_and(|name| !name.contains('-'));
    spelled_as_program && (bound.is_odd || command.arguments.iter().any(switch))
}

fn written(command: &Command) -> Element {
    let bound = bind(
        &command.arguments,
        "Object* InputObject* Message* NoNewline ForegroundColor* BackgroundColor* Separator* NoEnumerate Exception* Category* ErrorId*",
        "",
    );
    let mut words = bound.words(&["object", "inputobject", "message"]);
    words.extend(bound.rest.iter().flat_map(|value| value.words.clone()));
    let spelled: Vec<String> = words.iter().map(Text::as_written).collect();
    let text = format!("echo {}", spelled.join(" "));
    Element { text, gives: ElementOutput::Words(words), value: None }
}

//! Programs that fetch from the network or send to it.

pub(crate) mod foreign_secrets;
pub(crate) mod changes;
mod metadata;
pub(crate) mod outward;
pub(crate) mod removals;

use guard_sdk::syntax::{Command, Word};

use super::program::Program;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed, parse};
use crate::run::Run;
use crate::word::expand::literal;
use crate::wrappers::shells::is_input;

pub(super) const TABLE: &[Program] = &[
    Program::new(&["curl", "curlie"], CURL, curl),
    Program::new(&["wget", "wget2"], WGET, wget),
    Program::new(&["http", "https", "xh", "xhs"], Options::new("oaA", "output auth auth-type"), httpie),
    Program::new(
        &["grpcurl", "grpc_cli", "evans"],
        Options::new(
            "dHp",
            "proto import-path protoset authority cert key cacert path package service host port header",
        ),
        grpc,
    ),
    Program::new(&["hurl"], Options::new("ou", "variable output user"), hurl),
    Program::new(&["aria2c"], Options::new("dosxji", "dir out input-file"), aria),
];

const CURL: Options = Options::new(
    "AbcCdDeEFhHKmoPQrtTuUwxXyYz",
    "output request header data data-raw data-binary data-urlencode data-ascii json form user user-agent \
     url upload-file output-dir dump-header cookie cookie-jar config cert key cacert max-time \
     connect-timeout retry retry-delay proxy referer resolve write-out range interface limit-rate trace \
     trace-ascii stderr form-string unix-socket netrc-file max-redirs proto variable etag-save \
     etag-compare hsts alt-svc pass key-type quote oauth2-bearer aws-sigv4 libcurl url-query proxy-header",
);

const WGET: Options = Options::new(
    "OPoaitTUwQlARDXIBe",
    "output-document directory-prefix output-file append-output input-file tries timeout user-agent \
     header post-data post-file body-data body-file method user password level load-cookies save-cookies \
     execute wait quota",
);

pub(crate) fn prints_a_download(name: &str, command: &Command) -> bool {
    match name {
        "curl" | "curlie" => !saves_every_file(command),
        "fetch" | "http" | "https" | "xh" | "xhs" | "lwp-request" | "lynx" | "w3m" | "links" => true,
        "wget" | "wget2" => {
            let parsed = parse(command.argv.get(1..).unwrap_or_default(), WGET, false);
            let printed = |file: Operand<'_>| matches!(file.text.as_ref(), "-" | "/dev/stdout");
            !parsed.is("", "spider") && parsed.value("O", "output-document").is_some_and(printed)
        }
        "aws" => {
            command.word(1) == "s3" && command.word(2) == "cp" && command.argv.last().is_some_and(|w| w.text == "-")
        }
        "gsutil" => command.word(1) == "cat",
        "gh" => command.word(1) == "api",
        "nc" | "ncat" | "netcat" | "socat" => true,
        _ => false,
    }
}

/// Returns whether the command is a download without output.
pub(crate) fn only_saves(name: &str, command: &Command) -> bool {
    match name {
        "curl" | "curlie" => saves_every_file(command),
        "wget" | "wget2" => {
            let parsed = parse(command.argv.get(1..).unwrap_or_default(), WGET, false);
            let is_plain = |file: Operand<'_>| !file.dynamic && !is_stream(&file.text);
            let saves = parsed.value("O", "output-document").is_none_or(is_plain);
            let says_more = parsed.is("S", "server-response") || parsed.value("o", "output-file").is_some();
            !parsed.operands.is_empty() && (saves || parsed.is("", "spider")) && !says_more
        }
        _ => false,
    }
}

/// Returns whether a file is one of the process's own streams.
fn is_stream(file: &str) -> bool {
    file == "-" || file.starts_with("/dev/") || file.starts_with("/proc/")
}

/// Returns whether curl saves each of its URLs to a file, so that it has no output.
fn saves_every_file(command: &Command) -> bool {
    let parsed = parse(command.argv.get(1..).unwrap_or_default(), CURL, false);
    let is_file = |file: &Operand<'_>| !is_stream(&file.text) && !file.dynamic;
    let named = parsed.values("o", "output").filter(is_file).count() + usize::from(parsed.has("O", "remote-name"));
    // An option can be negated. `--remote-name-all` applies to the URLs after it.
    let all = command.argv.iter().position(|word| word.text == "--remote-name-all");
    let is_url = |word: &Word, url: Option<&Operand<'_>>| url.is_some_and(|url| url.text == word.text);
    let first = command.argv.iter().position(|word| is_url(word, parsed.operands.first()));
    let last = command.argv.iter().rposition(|word| is_url(word, parsed.operands.last()));
    let is_late = |at: usize, word: &Word| word.text == "--no-remote-name-all" && last.is_some_and(|last| last < at);
    let takes_back = |text: &str| {
        text.starts_with("--no-remote-n") || text.len() > "--no-".len() && "--no-remote-name".starts_with(text)
    };
    let is_taken_back = |(at, word): (usize, &Word)| takes_back(&word.text) && !is_late(at, word);
    let is_certain =
        !command.argv.iter().any(|word| word.dynamic) && !command.argv.iter().enumerate().any(is_taken_back);
    let is_before = || parsed.values("", "url").next().is_none() && all < first;
    let files = if all.is_some() && is_before() { usize::MAX } else { named };
    let printed = parsed.values("o", "output").any(|file| !is_file(&file));
    let prints = ["include", "write-out", "trace", "trace-ascii"];
    let says_more = parsed.is("iI", "head")
        || parsed.value("wD", "dump-header").is_some()
        || parsed.value("K", "config").is_some()
        || prints.iter().any(|name| parsed.is("", name) || parsed.value("", name).is_some())
        || parsed.is("", "next");
    let urls = parsed.operands.len() + parsed.values("", "url").count();
    is_certain && !printed && !says_more && urls > 0 && files >= urls
}

/// Returns the URL of a download, if it is in the text.
pub(crate) fn url(command: &Command) -> Option<String> {
    let words = command.argv.get(1..).unwrap_or_default();
    let spec = if command.program().starts_with("wget") { WGET } else { CURL };
    let parsed = parse(words, spec, false);
    parsed.value("", "url").or_else(|| parsed.operands.first().cloned()).map(|operand| operand.text.into_owned())
}

/// Returns whether everything that `curl` prints comes from files that its words name.
pub(crate) fn only_reads_files(command: &Command) -> bool {
    let parsed = parse(command.argv.get(1..).unwrap_or_default(), CURL, false);
    let is_file = |url: &Operand<'_>| {
        let text = url.text.to_ascii_lowercase();
        ["file:///", "file://localhost/"].iter().any(|start| text.starts_with(start))
    };
    let mut urls = parsed.values("", "url").chain(parsed.operands.iter().cloned()).peekable();
    let is_alone = !parsed.has("K", "config") && command.program() == "curl";
    is_alone && urls.peek().is_some() && urls.all(|url| is_file(&url))
}

/// Adds the request for a URL. A `file:` URL is a read, and the URL of a cloud machine's metadata is a read of its
/// keys.
fn requests<'a>(run: &mut Run<'a>, url: &Operand<'a>) {
    if let Some(rest) = url.text.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("file://")).and(url.text.get(7..))
    {
        let path = rest.strip_prefix("localhost").unwrap_or(rest).to_owned();
        run.read(&url.renamed(path));
        return;
    }
    run.emit(Draft::routine("network", "network.request").target(&url.text).certain(!url.dynamic));
    if metadata::is_metadata(&url.text) {
        let by = run.name.clone();
        run.emit(Draft::notable("read", "secret.read").target(&url.text).tag("by", &by).flag("metadata", true));
    }
}

/// Returns the last segment of a URL's path, which becomes the name of a download.
fn file_of(url: &str) -> &str {
    let path = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = path.split(['?', '#']).next().unwrap_or_default();
    path.split_once('/').map_or("", |(_, path)| path.rsplit('/').next().unwrap_or_default())
}

fn curl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if parsed.is("hV", "help") || parsed.is("M", "manual") || parsed.is("", "version") {
        return;
    }
    let urls: Vec<Operand<'a>> = parsed.operands.iter().cloned().chain(parsed.values("", "url")).collect();
    urls.iter().for_each(|url| requests(run, url));
    let method = parsed.value("X", "request").map(|method| method.text.into_owned()).unwrap_or_default();
    let headers = parsed.values("H", "header");
    let mut overrides = headers.filter_map(|header| overridden(&header.text));
    let changes = |method: &String| ["DELETE", "PATCH", "PUT"].iter().any(|known| method.eq_ignore_ascii_case(known));
    let method = if changes(&method) { method } else { overrides.find(changes).unwrap_or(method) };
    // `curlie` takes the method as a separate word.
    let method = if method.is_empty() && urls.len() > 1 { parsed.text(0).to_owned() } else { method };
    let sends = method.is_empty() && sends_a_body(parsed);
    urls.last().into_iter().for_each(|url| removals::by_address(run, &method, sends, &url.text));
    let folder = parsed.value("", "output-dir");
    // `%output{FILE}` in the format of its report.
    for format in parsed.values("w", "write-out") {
        let named = format.text.split_once("%output{").and_then(|(_, rest)| rest.split('}').next());
        named.iter().for_each(|file| run.write(&format.renamed(file.trim_start_matches('>').to_owned())));
    }
    for file in parsed.values("o", "output") {
        write_below(run, folder.as_ref(), &file);
    }
    if parsed.has("O", "remote-name") || parsed.has("", "remote-name-all") {
        urls.iter().for_each(|url| write_below(run, folder.as_ref(), &url.renamed(file_of(&url.text).to_owned())));
    }
    for file in parsed.values("Dc", "dump-header").chain(parsed.values("", "cookie-jar")) {
        run.write(&file);
    }
    for file in parsed.values("", "trace").chain(parsed.values("", "trace-ascii")).chain(parsed.values("", "stderr")) {
        run.write(&file);
    }
    curl_uploads(run, parsed, urls.first());
    if let Some(url) = urls.first() {
        let given = ["form", "form-string", "url-query"].iter().chain(BODIES).flat_map(|name| parsed.values("", name));
        let given = given.chain(parsed.values("dF", "")).chain(urls.iter().cloned());
        foreign_secrets::sent(run, url, &given.collect::<Vec<_>>());
    }
    for file in parsed.values("K", "config") {
        let is_stream = file.text == "-" || is_input(&file.text);
        let config = if is_stream { run.input() } else { run.substituted(&file) };
        if let Some(config) = config {
            curl_config(run, &config.text, urls.first());
        }
    }
}

/// Returns the method in a header that overrides the request's own.
fn overridden(header: &str) -> Option<String> {
    const NAMES: &[&str] = &["x-http-method-override", "x-http-method", "x-method-override"];
    let (name, method) = header.split_once(':')?;
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name.trim())).then(|| method.trim().to_owned())
}

/// Adds the removal that a gRPC method suggests: `HOST SERVICE/METHOD`, or the method alone in other clients.
fn grpc<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let looks = |operand: &Operand<'a>| matches!(operand.text.as_ref(), "list" | "describe" | "ls" | "show");
    if parsed.operands.iter().any(looks) {
        return;
    }
    let is_removal = |operand: &&Operand<'a>| removals::says_removal(&format!("/{}", operand.text.replace('.', "/")));
    if let Some(method) = parsed.operands.iter().find(is_removal) {
        let host = parsed.operands.iter().find(|operand| operand.text.contains(':')).unwrap_or(method);
        run.emit(Draft::destructive("network", "http.delete").target(&host.text));
    }
}

/// The maximum number of lines that are examined in a file of requests.
const LINES: usize = 256;

/// Adds the effects of a file of requests, each of which starts with `METHOD URL`.
fn hurl<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|file| run.read(file));
    let given = parsed.operands.iter().find_map(|file| run.substituted(file));
    let Some(requests) = given.or_else(|| run.input()) else { return };
    for line in requests.text.lines().take(LINES) {
        if let Some((method, url)) = line.trim().split_once(' ').filter(|(_, url)| url.contains("://")) {
            removals::by_address(run, method, false, url.trim());
        }
    }
}

/// Adds the effects of a file of options. A line has a name and its value, with or without dashes, `=` and quotes.
fn curl_config(run: &mut Run<'_>, text: &str, url: Option<&Operand<'_>>) {
    let mut words = Vec::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let end = line.find(|char: char| char.is_whitespace() || char == '=' || char == ':').unwrap_or(line.len());
        let (name, value) = line.split_at_checked(end).unwrap_or_default();
        let value =
            value.trim_start_matches(|char: char| char.is_whitespace() || char == '=' || char == ':').trim_matches('"');
        let dashes = match name {
            _ if name.starts_with('-') => "",
            name if name.len() == 1 => "-",
            _ => "--",
        };
        words.push(literal(&format!("{dashes}{name}")));
        words.extend((!value.is_empty()).then(|| literal(value)));
    }
    let parsed = parse(&words, CURL, false);
    for url in parsed.values("", "url") {
        run.emit(Draft::routine("network", "network.request").target(&url.text));
    }
    parsed.values("o", "output").for_each(|file| run.write(&file));
    let own = parsed.value("", "url");
    curl_uploads(run, &parsed, url.or(own.as_ref()));
}

fn curl_uploads(run: &mut Run<'_>, parsed: &Parsed<'_>, url: Option<&Operand<'_>>) {
    let (mut uploads, mut whole) = (false, false);
    for file in parsed.values("T", "upload-file").chain(parsed.values("K", "config")) {
        whole |= parsed.is("T", "upload-file");
        uploads |= whole;
        run.read(&file);
    }
    // A file of headers or cookies is sent unchanged.
    for value in parsed.values("H", "header").chain(parsed.values("", "proxy-header")) {
        let Some(file) = value.text.strip_prefix('@') else { continue };
        uploads = true;
        run.read(&value.renamed(file.to_owned()));
    }
    for value in parsed.values("b", "cookie").filter(|value| !value.text.contains('=')) {
        run.read(&value);
    }
    let data = ["data", "data-binary", "data-urlencode", "data-ascii", "json", "variable", "url-query"];
    let data = data.iter().flat_map(|name| parsed.values("", name)).chain(parsed.values("d", ""));
    let data: Vec<Operand<'_>> = data.collect();
    if let Some(url) = url {
        let raw: Vec<Operand<'_>> = parsed.values("", "data-raw").collect();
        data.iter().chain(&raw).for_each(|value| removals::by_body(run, &value.text, &url.text));
    }
    for value in data {
        let Some((_, file)) = value.text.split_once('@') else { continue };
        uploads = true;
        run.read(&value.renamed(file.to_owned()));
    }
    for value in parsed.values("F", "form") {
        let Some((_, file)) = value.text.split_once("=@").or_else(|| value.text.split_once("=<")) else { continue };
        let file = file.split(';').next().unwrap_or_default().to_owned();
        (uploads, whole) = (true, true);
        run.read(&value.renamed(file.trim_matches('"').to_owned()));
    }
    let target = url.map_or("", |url| url.text.as_ref());
    if uploads {
        run.emit(Draft::notable("network", "network.upload").target(target).flag("file", whole));
    } else if sends_a_body(parsed) {
        sends(run, target);
    }
}

/// Options of curl with the body of a request.
const BODIES: &[&str] = &["data", "data-raw", "data-binary", "data-urlencode", "data-ascii", "json"];

/// Returns whether the call's words contain a body or parts of a form.
fn sends_a_body(parsed: &Parsed<'_>) -> bool {
    let has_body = BODIES.iter().any(|name| parsed.value("", name).is_some()) || parsed.value("d", "").is_some();
    let has_form = parsed.value("F", "form").is_some() || parsed.value("", "form-string").is_some();
    has_form || has_body && !parsed.is("G", "get")
}

/// Adds the effect of sending content of the call's words to a URL.
fn sends(run: &mut Run<'_>, url: &str) {
    run.emit(Draft::routine("network", "network.send").target(url));
}

fn write_below<'a>(run: &mut Run<'a>, folder: Option<&Operand<'a>>, file: &Operand<'a>) {
    match folder {
        Some(folder) if !file.text.starts_with('/') => run.write(&folder.joined(file)),
        _ => run.write(file),
    }
}

fn wget<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|url| requests(run, url));
    if let Some(url) = parsed.operands.first() {
        let bodies = ["post-data", "body-data"].iter().flat_map(|name| parsed.values("", name));
        foreign_secrets::sent(run, url, &bodies.chain(parsed.operands.iter().cloned()).collect::<Vec<_>>());
    }
    for file in parsed.values("oa", "output-file").chain(parsed.values("", "append-output")) {
        run.write(&file);
    }
    for file in parsed.values("i", "input-file") {
        run.read(&file);
    }
    // `-e NAME=VALUE` is a line of the settings file.
    for setting in parsed.values("e", "execute") {
        let Some((name, value)) = setting.text.split_once('=') else { continue };
        let value = setting.renamed(value.trim().to_owned());
        match name.trim().replace('-', "_").to_ascii_lowercase().as_str() {
            "post_file" | "body_file" => {
                run.read(&value);
                run.emit(Draft::notable("network", "network.upload").target(parsed.text(0)).flag("file", true));
            }
            "post_data" | "body_data" => sends(run, parsed.text(0)),
            "input" => run.read(&value),
            "output_document" | "logfile" | "save_cookies" => run.write(&value),
            _ => {}
        }
    }
    let method = parsed.value("", "method").map(|method| method.text.into_owned()).unwrap_or_default();
    let posts = method.is_empty() && ["post-data", "post-file"].iter().any(|name| parsed.value("", name).is_some());
    parsed.operands.iter().take(1).for_each(|url| removals::by_address(run, &method, posts, &url.text));
    for file in parsed.values("", "post-file").chain(parsed.values("", "body-file")) {
        run.read(&file);
        run.emit(Draft::notable("network", "network.upload").target(parsed.text(0)).flag("file", true));
    }
    if parsed.value("", "post-data").or_else(|| parsed.value("", "body-data")).is_some() {
        sends(run, parsed.text(0));
    }
    for file in parsed.values("", "save-cookies") {
        run.write(&file);
    }
    if parsed.is("", "spider") {
        return;
    }
    if let Some(file) = parsed.value("O", "output-document") {
        run.write(&file);
        return;
    }
    let folder = parsed.value("P", "directory-prefix");
    for url in &parsed.operands {
        let name = file_of(&url.text);
        let name = if name.is_empty() { "index.html" } else { name };
        write_below(run, folder.as_ref(), &url.renamed(name.to_owned()));
    }
}

/// Adds the effects of `[METHOD] URL [ITEM]...`. An item with `@` sends a file.
fn httpie<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    const METHODS: &[&str] = &["get", "post", "put", "patch", "delete", "head", "options"];
    let is_method = |text: &str| METHODS.iter().any(|method| text.eq_ignore_ascii_case(method));
    let at = usize::from(parsed.operands.len() > 1 && is_method(parsed.text(0)));
    let Some(url) = parsed.operands.get(at) else { return };
    requests(run, url);
    // A field has `=` or `:=`. `==` is for the query. With a field and without a method, the request is a POST.
    let is_field = |text: &str| text.split_once('=').is_some_and(|(_, value)| !value.starts_with('='));
    let has_fields = parsed.from(at + 1).iter().any(|item| is_field(&item.text) || item.text.contains('@'));
    let method = if at == 1 { parsed.text(0).to_owned() } else { String::new() };
    removals::by_address(run, &method, method.is_empty() && has_fields, &url.text);
    let mut uploads = false;
    for item in parsed.from(at + 1) {
        let Some((key, file)) = item.text.split_once('@') else { continue };
        // An email address, unless the characters before `@` mark a file.
        let is_file = key.is_empty() || key.ends_with(['=', ':']) || !key.contains(['=', ':']);
        if is_file {
            let file = file.split(";type=").next().unwrap_or_default().to_owned();
            uploads = true;
            run.read(&item.renamed(file));
        }
    }
    if uploads {
        run.emit(Draft::notable("network", "network.upload").target(&url.text));
    } else if parsed.from(at + 1).iter().any(|item| is_field(&item.text)) {
        sends(run, &url.text);
    }
    parsed.values("o", "output").for_each(|file| run.write(&file));
}

fn aria<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().for_each(|url| requests(run, url));
    let folder = parsed.value("d", "dir");
    match parsed.value("o", "out") {
        Some(file) => write_below(run, folder.as_ref(), &file),
        None => {
            for url in &parsed.operands {
                write_below(run, folder.as_ref(), &url.renamed(file_of(&url.text).to_owned()));
            }
        }
    }
}

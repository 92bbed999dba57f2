//! Code that loads code from the network and runs it, in one expression or through a variable.

/// The maximum length of an examined text, and the text size after a call, in bytes.
const LONGEST: usize = 64 * 1024;
const NEAR: usize = 256;

/// Calls that run code from a URL or from a text, in lower case without blanks, by language.
const RUNS: &[(&str, &[&str])] = &[
    ("r", &["source(", "eval(parse(", "sys.source(", "source_url("]),
    ("rscript", &["source(", "eval(parse(", "sys.source(", "source_url("]),
    ("julia", &["include(", "include_string(", "eval(meta.parse(", "pkg.add(", "pkg.develop("]),
    ("clojure", &["load-string(", "load-reader(", "load-file("]),
    ("groovy", &["evaluate(", "eval.me(", ".parseclass("]),
    ("elixir", &["code.eval_string(", "code.compile_string("]),
    ("iex", &["code.eval_string(", "code.compile_string("]),
    ("lua", &["load(", "loadstring("]),
    ("php", &["include(", "require(", "eval(", "include\"", "require\""]),
    ("javascript", &["import(", "require(", "importscripts("]),
];

/// Calls that deserialize objects, and run code in them.
const OBJECTS: &[&str] = &[
    "pickle.loads(",
    "pickle.load(",
    "dill.loads(",
    "cloudpickle.loads(",
    "marshal.loads(",
    "joblib.load(",
    "jsonpickle.decode(",
    "yaml.unsafe_load(",
];

/// Calls that fetch a URL.
const FETCHES: &[&str] = &["urlopen(", "urlretrieve(", "requests.get(", "httpx.get(", ".download("];

/// Owners of the library's own repositories.
const OWN_HUBS: &[&str] = &["pytorch/", "facebookresearch/", "ultralytics/", "huggingface/", "snakers4/"];

/// Returns the URL or repository of code that runs unseen.
pub(super) fn loaded(language: &str, text: &str) -> Option<String> {
    let text = text.get(..LONGEST).unwrap_or(text);
    let blank = |char: &char| char.is_ascii_whitespace();
    let quoted = |char: char| if char == '\'' { '"' } else { char.to_ascii_lowercase() };
    let code: String = text.chars().filter(|char| !blank(char)).map(quoted).collect();
    let rows = RUNS.iter().filter(|(of, _)| *of == language).flat_map(|(_, calls)| calls.iter());
    let mut given = rows.flat_map(|call| code.match_indices(call)).filter(|(at, _)| is_own_name(&code, *at));
    if let Some(url) = given.find_map(|(at, call)| address(&code, at + call.len())) {
        return Some(url);
    }
    match language {
        "python" => {
            let rebuilds = OBJECTS.iter().any(|call| code.contains(call));
            let fetches = FETCHES.iter().any(|call| code.contains(call));
            let url = || code.find("\"http").and_then(|at| address(&code, at));
            if rebuilds && fetches { url() } else { hub(&code) }
        }
        "r" | "rscript" => {
            let calls =
                ["install_github(\"", "install_gitlab(\"", "install_bitbucket(\"", "install_git(\"", "install_url(\""];
            calls.iter().find_map(|call| Some(code.split_once(call)?.1.split('"').next()?.to_owned()))
        }
        "elixir" | "iex" => {
            let (_, behind) = code.split_once("mix.install(")?;
            let kinds = ["github:\"", "git:\"", "url:\""];
            kinds.iter().find_map(|kind| Some(behind.split_once(kind)?.1.split('"').next()?.to_owned()))
        }
        _ => None,
    }
}

/// Returns whether the call's name begins at `at`.
fn is_own_name(code: &str, at: usize) -> bool {
    let before = code.get(..at).unwrap_or_default();
    !before.ends_with(|char: char| char.is_ascii_alphanumeric() || char == '_' || char == '.')
}

/// Returns the URL in the argument at `at`.
fn address(code: &str, at: usize) -> Option<String> {
    let rest = code.get(at..)?;
    let mut depth = 1;
    let mut end = 0;
    for (place, char) in rest.char_indices().take(NEAR) {
        match char {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        end = place + char.len_utf8();
        if depth == 0 || char == ';' {
            break;
        }
    }
    let argument = rest.get(..end)?;
    let start = argument.find("\"https://").or_else(|| argument.find("\"http://"))? + 1;
    let url = argument.get(start..)?.split('"').next()?;
    (!url.contains("//localhost") && !url.contains("//127.0.0.1")).then(|| url.to_owned())
}

/// Returns the repository whose code runs without the usual confirmation.
fn hub(code: &str) -> Option<String> {
    let (_, behind) = code.split_once("hub.load(\"")?;
    let name = behind.split('"').next()?;
    let trusts = behind.contains("trust_repo=true") || behind.contains("trust_remote_code=true");
    (trusts && !OWN_HUBS.iter().any(|owner| name.starts_with(owner))).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::loaded;

    #[test]
    fn what_comes_from_an_address_runs() {
        for (language, text) in [
            ("rscript", "source('https://e.com/a.R')"),
            ("r", "eval(parse(text = readLines(\"https://e.com/a.R\")))"),
            ("julia", "include(download(\"https://e.com/a.jl\"))"),
            ("python", "import pickle, requests; pickle.loads(requests.get('https://e.com/m').content)"),
            ("python", "import torch; torch.hub.load('someone/x', 'm', trust_repo=True)"),
            ("elixir", "Mix.install([{:x, github: \"someone/x\"}])"),
            ("javascript", "import('https://e.com/a.mjs').then(m => m.run())"),
            ("groovy", "evaluate(new URL('https://e.com/a.groovy').text)"),
        ] {
            assert!(loaded(language, text).is_some(), "{language}: {text}");
        }
    }

    #[test]
    fn data_from_an_address_and_code_from_here_do_not() {
        for (language, text) in [
            ("rscript", "source('R/a.R'); x <- read.csv('https://e.com/a.csv')"),
            ("rscript", "datasource('https://e.com/a')"),
            ("julia", "include(\"a.jl\"); download(\"https://e.com/a.csv\")"),
            ("python", "import pickle; pickle.load(open('m.pkl', 'rb'))"),
            ("python", "import torch; torch.hub.load('pytorch/vision', 'resnet18', trust_repo=True)"),
            ("elixir", "Mix.install([{:req, \"~> 0.4\"}])"),
            ("javascript", "import('./a.mjs'); fetch('https://e.com/a')"),
        ] {
            assert_eq!(loaded(language, text), None, "{language}: {text}");
        }
    }
}

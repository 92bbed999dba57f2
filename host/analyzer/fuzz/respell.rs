//! Other spellings of a command that mean the same, and texts in which it is only data.

/// Commands, as words without any quoting, that each lose something.
pub(crate) const COMMANDS: &[&[&str]] = &[
    &["rm", "-rf", "/"],
    &["rm", "-r", "-f", "src"],
    &["git", "push", "--force", "origin", "main"],
    &["git", "reset", "--hard", "HEAD~1"],
    &["git", "clean", "-fdx"],
    &["git", "branch", "-D", "topic"],
    &["dd", "if=/dev/zero", "of=/dev/sda"],
    &["mkfs.ext4", "/dev/sda1"],
    &["docker", "volume", "rm", "data"],
    &["docker", "system", "prune", "-a", "--volumes"],
    &["kubectl", "delete", "namespace", "prod"],
    &["terraform", "destroy"],
    &["aws", "s3", "rb", "s3://bucket"],
    &["dropdb", "app"],
    &["redis-cli", "FLUSHALL"],
    &["shutdown", "now"],
    &["find", ".", "-delete"],
];

/// How many quotings, forms that run a text, and forms that hold one as data there are.
pub(crate) const QUOTINGS: u8 = 9;
pub(crate) const FORMS: u8 = 24;
pub(crate) const DATA_FORMS: u8 = 16;

/// Choices that the bytes of an input make. All further ones are the first, once there are no more bytes.
pub(crate) struct Draw<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Draw<'a> {
    /// Choices by these bytes.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Draw { bytes: bytes.iter() }
    }

    fn below(&mut self, count: usize) -> usize {
        self.bytes.next().map_or(0, |byte| usize::from(*byte) % count)
    }

    /// One of several.
    pub(crate) fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        // The place is below the length.
        choices[self.below(choices.len())]
    }
}

/// The command in another spelling: each word in its own quoting, then up to three forms around it.
pub(crate) fn respell(words: &[&str], draw: &mut Draw<'_>) -> String {
    let first = draw.below(4);
    let spelled: Vec<String> = words
        .iter()
        .enumerate()
        .map(|(index, word)| match (index, first) {
            (0, 1) if !word.contains('/') => quoted(&format!("/usr/bin/{word}"), draw),
            _ => quoted(word, draw),
        })
        .collect();
    let gap = draw.pick(&[" ", "  ", "\t", " \\\n "]);
    let mut text = spelled.join(gap);
    for _ in 0..draw.below(4) {
        text = around(&text, draw);
    }
    text
}

/// A word in another quoting.
fn quoted(word: &str, draw: &mut Draw<'_>) -> String {
    let middle = word.char_indices().nth(word.chars().count() / 2).map_or(0, |(at, _)| at);
    let (head, tail) = word.split_at(middle);
    match draw.below(QUOTINGS.into()) {
        0 => word.to_owned(),
        1 => format!("'{word}'"),
        2 => format!("\"{word}\""),
        // A backslash before a character that needs none.
        3 => format!("\\{word}"),
        4 => format!("{head}''{tail}"),
        5 => format!("{head}\"{tail}\""),
        6 => format!("$'{}'", word.bytes().map(|byte| format!("\\x{byte:02x}")).collect::<String>()),
        7 => format!("{head}\\\n{tail}"),
        _ => format!("$'{word}'"),
    }
}

/// A form around a text that runs it and nothing else of weight.
fn around(text: &str, draw: &mut Draw<'_>) -> String {
    let word = single(text);
    let has_two_lines = text.contains('\n');
    // A delimiter that stands on no line of the text.
    let end = format!("END{}", text.matches("END").count());
    match draw.below(FORMS.into()) {
        // The end of a here-document must stand alone on its line.
        0 => format!("( {text}\n)"),
        1 => format!("{{ {text}\n}}"),
        2 => format!("true && {text}"),
        3 => format!("false || {text}"),
        4 => format!("cd . ; {text}"),
        5 => format!("echo x\n{text}\necho y"),
        6 => format!("if true; then {text}\nfi"),
        7 => format!("for i in 1; do {text}\ndone"),
        8 => format!("while true; do {text}\nbreak; done"),
        9 => format!("case x in x) {text}\n;; esac"),
        10 => format!("bash -c {word}"),
        11 => format!("sh -c {word}"),
        12 => format!("eval {word}"),
        13 => format!("bash <<'{end}'\n{text}\n{end}"),
        14 => format!("bash <<< {word}"),
        15 => format!("printf '%s' {word} | bash"),
        16 => format!("f() {{ {text}\n}}; f"),
        17 => format!("trap {word} EXIT"),
        18 => format!("echo $( {text}\n)"),
        19 => format!("cat <( {text}\n)"),
        20 => format!("sudo bash -c {word}"),
        21 => format!("env A=1 sh -c {word}"),
        22 => format!("timeout 9 nohup bash -c {word}"),
        // A pipe needs the text to be one line.
        _ if !has_two_lines => format!("{text} | cat"),
        _ => format!("! {{ {text}\n}}"),
    }
}

/// A text that holds the command and does not run it.
pub(crate) fn as_data(command: &str, draw: &mut Draw<'_>) -> String {
    let word = single(command);
    match draw.below(DATA_FORMS.into()) {
        0 => format!("echo {word}"),
        1 => format!("echo \"{command}\""),
        2 => format!("printf '%s\\n' {word}"),
        3 => format!("git commit -m {word}"),
        4 => format!("git commit -F - <<'GUARD'\n{command}\nGUARD"),
        5 => format!("grep -F {word} notes.txt"),
        6 => format!("cat <<'GUARD' > notes.txt\n{command}\nGUARD"),
        7 => format!("ls # {command}"),
        8 => format!(": {word}"),
        9 => format!("x={word}"),
        10 => format!("gh issue create --title {word}"),
        11 => format!("test {word} = y"),
        12 => format!("[[ {word} == y ]]"),
        13 => format!("cat <<< {word}"),
        14 => format!("rg {word} src"),
        _ => format!("case {word} in y) ls ;; esac"),
    }
}

/// The text as one word in single quotes.
fn single(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

//! Programs that only read their files.

use super::program::Program;
use super::text::sweep;
use crate::draft::Draft;
use crate::options::{Operand, Options, Parsed};
use crate::run::{Run, searches};

pub(super) const TABLE: &[Program] = &[
    Program::new(&["cat", "gcat", "bat", "batcat", "tac", "nl", "rev", "expand", "unexpand"], Options::NONE, reads),
    Program::new(&["head", "tail", "ghead", "gtail"], Options::new("ncs", "lines bytes pid"), reads),
    Program::new(&["less", "more", "most", "view"], Options::new("oOpPtTx", "log-file LOG-FILE"), pages),
    Program::new(&["wc", "cksum", "sum", "b2sum", "md5", "md5sum"], Options::NONE, reads),
    Program::new(&["sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum"], Options::NONE, reads),
    Program::new(&["shasum"], Options::new("a", "algorithm"), reads),
    Program::new(&["cut"], Options::new("bcdf", "bytes characters delimiter fields"), reads),
    Program::new(&["paste"], Options::new("d", "delimiters"), reads),
    Program::new(&["join"], Options::new("aeijotv12", ""), reads),
    Program::new(&["comm", "cmp", "sdiff"], Options::new("in", "ignore-initial bytes"), reads),
    Program::new(&["diff", "colordiff", "diff3"], Options::new("CUFILWxX", "label exclude exclude-from width"), reads),
    Program::new(
        &["xargs", "gxargs", "parallel"],
        Options::leading(
            "adEILnPsR",
            "arg-file delimiter max-args max-chars max-lines max-procs replace process-slot-var",
        ),
        takes_words,
    ),
    Program::new(&["gnuplot"], Options::new("ec", ""), plots),
    Program::new(&["fold", "fmt", "pr", "column", "csvlook"], Options::new("wsco", "width"), reads),
    Program::new(&["od", "god", "hexdump", "hd"], Options::new("AjNtwSneEvs", "skip-bytes read-bytes"), reads),
    Program::new(&["strings"], Options::new("ntTe", "bytes radix encoding"), reads),
    Program::new(&["zcat", "gzcat", "bzcat", "xzcat", "zstdcat", "zless", "zmore"], Options::NONE, reads),
    Program::new(&["base32", "basenc"], Options::new("w", "wrap"), reads),
    Program::new(&["source", "."], Options::NONE, sources),
    Program::new(&["pbcopy", "xclip", "xsel"], Options::new("", ""), reads),
    Program::new(&["glow", "mdcat", "highlight", "pygmentize"], Options::new("lfoO", ""), reads),
    Program::new(
        &["hexyl", "look", "shuf", "ccat", "vimcat", "lolcat", "csvcut", "csvjson", "uuencode"],
        Options::NONE,
        reads,
    ),
    Program::new(&["date", "gdate"], Options::new("dfrsI", "date file reference set"), date),
    Program::new(&["getent"], Options::new("s", "service"), getent),
    Program::new(
        &[
            "gcc", "cc", "clang", "g++", "c++", "clang++", "cpp", "ld", "as", "tcc", "c89", "c99", "gfortran", "icc",
            "icx", "ifort", "nvcc", "hipcc", "emcc", "mcpp", "gdc", "gccgo", "flang",
        ],
        Options::NONE,
        compiler,
    ),
    Program::new(
        &["strip", "patchelf", "chrpath", "install_name_tool", "upx"],
        Options::new("oKNRFIO", "output set-rpath set-interpreter add-needed replace keep-symbol remove-section"),
        changes_programs,
    ),
    Program::new(&["objcopy"], Options::new("jNKORIFBG", "add-section only-section remove-section"), changes_last),
    Program::new(&["readelf", "objdump", "nm"], Options::new("jMx", ""), reads),
];

/// The programs among these that print the files' content.
const SHOWING: &[&str] = &[
    "bat", "batcat", "cat", "gcat", "ghead", "gtail", "head", "hexdump", "less", "more", "most", "nl", "od", "strings",
    "tac", "tail",
];

/// Adds a read of every operand.
pub(super) fn reads<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let shows = SHOWING.contains(&run.name.as_str());
    if shows && parsed.operands.iter().any(|operand| searches::are_hidden_listed(run, operand)) {
        sweep::reads_settings(run);
    }
    parsed.operands.iter().for_each(|operand| run.read(operand));
}

/// Adds the reads of a pager. `-o` of `less` writes a copy of its input.
fn pages<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("oO", "log-file").for_each(|file| run.write(&file));
    reads(run, parsed);
}

/// Commands of a gnuplot script before the name of an output file.
const PLOTS: &[&str] = &["set output", "set out", "set print", "set table", "save"];

/// Adds the writes of the files in the script, and the reads of script files.
fn plots<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    for code in parsed.values("e", "") {
        let statements = code.text.split([';', '\n']).map(str::trim).take(STATEMENTS);
        let named = statements.filter_map(|text| {
            let rest = PLOTS.iter().find_map(|verb| text.strip_prefix(verb))?.trim_start();
            let quote = rest.chars().next().filter(|char| matches!(char, '"' | '\''))?;
            rest.get(1..)?.split(quote).next().map(str::to_owned)
        });
        let files: Vec<Operand<'_>> = named.map(|name| code.renamed(name)).collect();
        files.iter().for_each(|file| run.write(file));
    }
    reads(run, parsed);
}

/// The maximum number of statements of a gnuplot script.
const STATEMENTS: usize = 64;

/// Adds the reads of files with arguments for another program.
fn takes_words<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("a", "arg-file").for_each(|file| run.read(&file));
    let words = run.arguments().iter().skip_while(|word| word.text != "::::").skip(1);
    for word in words.take_while(|word| !word.text.starts_with(":::")) {
        run.read(&Operand::of(word));
    }
}

/// Adds the read of the first operand. The others are arguments of the script.
fn sources<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.iter().take(1).for_each(|operand| run.read(operand));
}

/// Adds the effects of `date`. `-f` prints the file's lines in error messages.
fn date<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.values("f", "file").for_each(|file| run.read(&file));
    if parsed.is("s", "set") {
        run.emit(Draft::notable("system", "system.clock"));
    }
}

/// The password databases are files that only root can read.
fn getent<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    if let Some(database) = parsed.operands.first().filter(|name| matches!(name.text.as_ref(), "shadow" | "gshadow")) {
        run.read(&database.renamed(format!("/etc/{}", database.text)));
    }
}

/// Adds the write of the output file, or of the programs themselves if none is named.
fn changes_programs<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    let output: Vec<Operand<'a>> = parsed.values("o", "output").collect();
    output.iter().for_each(|file| run.write(file));
    if output.is_empty() {
        parsed.operands.iter().for_each(|file| run.write(file));
    }
}

fn changes_last<'a>(run: &mut Run<'a>, parsed: &Parsed<'a>) {
    parsed.operands.last().into_iter().for_each(|file| run.write(file));
}

/// Adds the reads of a compiler. Preprocessed and included files are shown, in the output or in diagnostics.
fn compiler<'a>(run: &mut Run<'a>, _: &Parsed<'a>) {
    let words = run.arguments();
    let shows = words.iter().any(|word| word.text == "-E");
    let mut behind_include = false;
    let mut behind_value = false;
    let mut behind_output = false;
    for word in words {
        let text = word.text.as_str();
        if behind_output {
            run.write(&Operand::of(word));
        } else if let Some(file) = text.strip_prefix("-o").filter(|file| !file.is_empty()) {
            run.write(&Operand::tail(word, file));
        }
        behind_output = text == "-o";
        if behind_include || shows && !behind_value && !text.starts_with('-') {
            run.read(&Operand::of(word));
        }
        behind_include = text == "-include";
        behind_value = matches!(text, "-o" | "-x" | "-I" | "-D" | "-MF" | "-isystem");
    }
}
